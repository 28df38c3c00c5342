//! The page of the viewer, which programs include if it was built before them.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use fs_err as fs;

use crate::process::root;

/// Tests of the program that need the viewer. They are ignored, because a program without the viewer is complete too.
pub(crate) const TESTS: &str = "view::";

/// Returns `true` if the page of the viewer exists, so that programs that are compiled now include it.
pub(crate) fn is_built() -> bool {
    path().exists()
}

/// Checks that an installed program writes the page of the viewer: `page` is the output of `inputanim view --save-page -`.
pub(crate) fn check_page(page: &[u8]) -> Result<()> {
    ensure!(
        page == fs::read(path())?,
        "the installed program does not write the page of the viewer"
    );
    Ok(())
}

fn path() -> PathBuf {
    root().join("crates/inputanim-page/viewer/inputanim.html")
}
