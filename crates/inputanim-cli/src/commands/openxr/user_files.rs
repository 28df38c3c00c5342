//! The files by which the loader of OpenXR finds the runtime and the layers of a user on Linux.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use inputanim_openxr::{Folders, Manifest, RUNTIME};

use super::manifest::{layer_manifest, remove, write};
use crate::messages::diagnostics::note;

/// Returns the folders in which the loader finds files of the user. Fails if `HOME` is not set.
pub(super) fn folders() -> anyhow::Result<Folders> {
    Folders::of_user().context("the environment variable HOME is not set")
}

/// The runtime and the layer that `install` installs for a user.
pub(super) struct Installation(Folders);

impl Installation {
    pub(super) fn open() -> anyhow::Result<Installation> {
        folders().map(Installation)
    }

    /// Returns the path of the settings file of the runtime of inputanim.
    pub(super) fn settings(&self) -> PathBuf {
        self.0.settings()
    }

    /// Writes the manifest of the runtime of inputanim, which makes this the active runtime of the user. Renames the
    /// manifest of a previous runtime, so that it can be selected again. `manifest` is the text of the manifest.
    pub(super) fn select_runtime(&self, manifest: &str) -> anyhow::Result<()> {
        let active = self.0.active_runtime();
        // The file may be a link.
        if !is_own(&active) && active.symlink_metadata().is_ok() {
            let kept = self.0.replaced_runtime();
            fs::rename(&active, &kept)
                .with_context(|| format!("cannot rename {}", active.display()))?;
            note(format_args!(
                "the previous runtime is kept in {}",
                kept.display()
            ));
        }
        write(&active, manifest)
    }

    /// Removes the manifest of the runtime of inputanim, and makes the previous runtime active again. Returns `true` if
    /// the runtime of inputanim was active.
    pub(super) fn deselect_runtime(&self) -> anyhow::Result<bool> {
        let active = self.0.active_runtime();
        let was_selected = is_own(&active) && remove(&active)?;
        let kept = self.0.replaced_runtime();
        if kept.symlink_metadata().is_ok() {
            if active.symlink_metadata().is_ok() {
                bail!("{} is in the way of {}", active.display(), kept.display());
            }
            fs::rename(&kept, &active)
                .with_context(|| format!("cannot rename {}", kept.display()))?;
            note(format_args!(
                "the previous runtime is selected again: {}",
                active.display()
            ));
        }
        Ok(was_selected)
    }

    /// Writes the manifest of the recording layer for this library, which installs the layer for the user.
    pub(super) fn add_layer(&self, library: PathBuf) -> anyhow::Result<()> {
        write(&self.0.layer(), &layer_manifest(&library, true))
    }

    /// Removes the manifest of the recording layer. Returns `true` if it existed.
    pub(super) fn remove_layer(&self) -> anyhow::Result<bool> {
        remove(&self.0.layer())
    }
}

/// Returns `true` if the manifest at this path is that of the runtime of inputanim.
fn is_own(manifest: &Path) -> bool {
    Manifest::read(manifest).is_some_and(|found| found.name() == Some(RUNTIME))
}
