//! The name of a file in an error.

use std::fmt;
use std::path::Path;

/// The name of the file in which an error is, as context of the error.
// A type of its own, because `anyhow` finds a context again by its type.
#[derive(Debug)]
pub(crate) struct FileName(String);

impl FileName {
    pub(crate) fn new(path: &Path) -> FileName {
        FileName(path.display().to_string())
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 == "-" {
            "standard input"
        } else {
            &self.0
        })
    }
}
