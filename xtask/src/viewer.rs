//! The page of the viewer, which programs include if it was built before them.

use crate::process::root;

/// Tests of the program that need the viewer. They are ignored, because a program without the viewer is complete too.
pub(crate) const TESTS: &str = "view::";

/// Returns `true` if the page of the viewer exists, so that programs that are compiled now include it.
pub(crate) fn is_built() -> bool {
    root()
        .join("crates/inputanim-page/viewer/inputanim.html")
        .exists()
}
