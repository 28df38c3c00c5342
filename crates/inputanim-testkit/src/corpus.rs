//! Access to the corpus: recordings of devices, of MRTK and of the documented layouts. They may not be
//! published, so they are not part of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the corpus, which the environment variable `INPUTANIM_CORPUS` names; `None` if it is not set.
pub fn find() -> Option<PathBuf> {
    std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from)
}

/// Returns the folder of the corpus, which the environment variable `INPUTANIM_CORPUS` names; panics if it is not set.
pub fn folder() -> PathBuf {
    find().expect("INPUTANIM_CORPUS must name the folder of the corpus")
}

/// Returns the path of a file of the corpus, such as `mrtk/mrtk-1.1-p0.bin`; panics if `INPUTANIM_CORPUS` is not set.
pub fn path(name: &str) -> PathBuf {
    folder().join(name)
}

/// Reads a file of the corpus, such as `mrtk/mrtk-1.1-p0.bin`; panics if it cannot be read.
pub fn read(name: &str) -> Vec<u8> {
    let path = path(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the path and the bytes of every recording of the corpus; panics if there are fewer than 20.
pub fn recordings() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = folder();
    let folders = ["device", "documented", "mrtk"].map(|name| folder.join(name));
    let recordings: Vec<_> = folders
        .iter()
        .flat_map(|folder| recordings_in(folder))
        .collect();
    assert!(
        recordings.len() >= 20,
        "only {} recordings",
        recordings.len()
    );
    recordings
}

/// Returns the path and the bytes of every `.bin` file of a folder, in order of their names.
pub(crate) fn recordings_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}
