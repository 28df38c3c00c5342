//! Access to the files beside an input.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use inputanim::Limits;

/// Access to the files that an input refers to, such as the buffers of a `.gltf`; none by default.
#[derive(Clone, Default)]
// The function is shared, so that options can be cloned.
pub struct FileAccess(Option<Arc<ReadFile>>);

type ReadFile = dyn Fn(&str) -> io::Result<Vec<u8>> + Send + Sync;

impl FileAccess {
    /// Creates access through a function that returns the bytes of a file. The function gets the relative name by which
    /// the input refers to the file.
    pub fn new(read: impl Fn(&str) -> io::Result<Vec<u8>> + Send + Sync + 'static) -> FileAccess {
        FileAccess(Some(Arc::new(read)))
    }

    /// Creates access to the files in a folder and its subfolders, and to no other files. Reading fails for a file that
    /// is larger than [`Limits::max_bytes`].
    pub fn folder(folder: impl Into<PathBuf>, limits: Limits) -> FileAccess {
        let folder = folder.into();
        FileAccess::new(move |name| {
            // Parent folders and absolute paths are refused, so that an untrusted file cannot refer to other files of
            // the machine.
            let is_within = Path::new(name)
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            if !is_within {
                return Err(io::Error::other("only files in the same folder are read"));
            }
            let bytes = read(&folder.join(name), &limits)?;
            if bytes.len() as u64 > limits.max_bytes {
                return Err(io::Error::other("the file is larger than the limit"));
            }
            Ok(bytes)
        })
    }

    #[cfg(feature = "gltf")]
    pub(crate) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match &self.0 {
            Some(read) => read(name),
            None => Err(io::Error::other("access to other files is not allowed")),
        }
    }
}

/// Reads a file, which may be in a pack. Builds without packs have only files on disk.
fn read(path: &Path, limits: &Limits) -> io::Result<Vec<u8>> {
    #[cfg(feature = "packs")]
    return Ok(crate::packs::StoredFile::find(path)?
        .read(limits, || false)?
        .into());
    #[cfg(not(feature = "packs"))]
    inputanim::read_bytes(std::fs::File::open(path)?, limits)
}

impl fmt::Debug for FileAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.0.is_some() { "granted" } else { "none" };
        write!(f, "FileAccess({state})")
    }
}
