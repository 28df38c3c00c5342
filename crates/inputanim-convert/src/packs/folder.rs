//! Packs as folders.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::pack::is_other_mcap;
use super::{Pack, has_pack_name};

/// Returns `true` if a path is the path of a pack: its name ends with `.pack.mcap`, and it is not an MCAP file of another
/// program. A damaged pack counts too.
pub fn is_pack(path: &Path) -> bool {
    if !path.file_name().is_some_and(has_pack_name) || !path.is_file() {
        return false;
    }
    let mut start = Vec::new();
    // A file that cannot be read fails when it is opened.
    let read = File::open(path).and_then(|file| file.take(1 << 10).read_to_end(&mut start));
    read.is_err() || !is_other_mcap(&start)
}

/// Returns `true` if a part of a path has a name of packs. The file system is not asked, so that other paths cost nothing.
pub fn may_lead_into_pack(path: &Path) -> bool {
    path.iter().any(has_pack_name)
}

/// Returns `true` if a path is the path of a folder, of a pack, or of a folder in a pack.
pub fn is_folder(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    if !may_lead_into_pack(path) {
        return false;
    }
    match PackFolder::open(path) {
        Ok(folder) => folder.is_some(),
        // A search of a damaged pack finds the error.
        Err(_) => is_pack(path),
    }
}

/// Returns the path of the pack into which a path leads; `None` for other paths.
pub fn path_in_pack(path: &Path) -> Option<PathBuf> {
    Some(split(path)?.0)
}

/// Splits a path that leads into a pack into the path of the pack and the name of the file.
pub(super) fn split(path: &Path) -> Option<(PathBuf, String)> {
    let mut folders = path.ancestors().skip(1);
    let is_in = |folder: &&Path| folder.file_name().is_some_and(has_pack_name) && is_pack(folder);
    let pack = folders.find(is_in)?;
    let name = name_of(path.strip_prefix(pack).ok()?)?;
    Some((pack.to_owned(), name))
}

/// Returns a path in a pack with slashes; `None` if it has parts that no name has.
pub(super) fn name_of(below: &Path) -> Option<String> {
    let parts = below.components().map(|part| match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    let parts = parts.collect::<Option<Vec<_>>>()?;
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Returns the canonical path of a file or folder, which may be in a pack.
///
/// # Errors
/// When the file, the folder or the pack does not exist.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    match split(path) {
        Some((pack, name)) => {
            let mut path = fs::canonicalize(pack)?;
            path.extend(name.split('/'));
            Ok(path)
        }
        None => fs::canonicalize(path),
    }
}

/// The files of a pack, or of a folder in a pack.
#[derive(Debug)]
pub struct PackFolder {
    pack: Arc<Pack>,
    /// The name of the folder with a slash; empty for the pack itself.
    prefix: String,
}

impl PackFolder {
    /// Opens a pack or a folder in a pack. Returns `None` if the path is neither.
    ///
    /// # Errors
    /// When the pack cannot be read.
    pub fn open(path: &Path) -> io::Result<Option<PackFolder>> {
        if is_pack(path) {
            return Ok(Some(PackFolder {
                pack: Arc::new(Pack::open(path)?),
                prefix: String::new(),
            }));
        }
        let Some((pack, name)) = split(path) else {
            return Ok(None);
        };
        let folder = PackFolder {
            pack: Arc::new(Pack::open(&pack)?),
            prefix: format!("{name}/"),
        };
        let has_files = folder.files().next().is_some();
        Ok(has_files.then_some(folder))
    }

    /// Returns the pack.
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// Returns the paths of the files, which lead into the pack, with their depths below the folder: 1 for the files of the
    /// folder itself. They are sorted as a search of a folder sorts them.
    pub fn files(&self) -> impl Iterator<Item = (PathBuf, usize)> {
        let names = self.pack.members().iter().map(|member| &*member.name);
        let below = names.filter_map(|name| Some((name, name.strip_prefix(&self.prefix)?)));
        below.map(|(name, below)| {
            let mut path = self.pack.path().to_owned();
            path.extend(name.split('/'));
            (path, below.split('/').count())
        })
    }
}
