//! Access to the generated recordings in `samples/`.

use std::path::{Path, PathBuf};

/// Returns the path of the root folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the path of a file in `samples/`, such as `wave.bin`.
pub fn path(name: &str) -> PathBuf {
    root().join("samples").join(name)
}

/// Reads a file in `samples/`, such as `wave.bin`; panics if it cannot be read.
pub fn read(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

/// Returns the path and the bytes of every recording in `samples/`.
pub fn recordings() -> Vec<(PathBuf, Vec<u8>)> {
    let recordings = crate::corpus::recordings_in(&root().join("samples"));
    assert!(!recordings.is_empty(), "samples/ is empty");
    recordings
}
