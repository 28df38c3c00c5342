//! The bytes of files, and how they are read.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::Limits;
use inputanim_convert::packs::StoredFile;

/// The content of a file: a `Vec`, a memory map, or anything else that has bytes. Clones share it.
#[derive(Clone)]
pub struct FileBytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl FileBytes {
    /// Wraps bytes, such as a `Vec` or a memory map. They must not change afterwards.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> FileBytes {
        FileBytes(Arc::new(bytes))
    }

    /// Returns the bytes of the file.
    pub fn as_slice(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileBytes({})", self.as_slice().len())
    }
}

type OpenFile = dyn Fn(&Path) -> io::Result<FileBytes> + Send + Sync;

/// A function that opens files on disk. Files in packs are read without it.
///
/// The default reads a file into memory. Programs that allow unsafe code may map large files instead.
#[derive(Clone, Default)]
pub struct FileOpener(Option<Arc<OpenFile>>);

impl FileOpener {
    /// Creates an opener that calls a function for each path.
    pub fn new(
        open: impl Fn(&Path) -> io::Result<FileBytes> + Send + Sync + 'static,
    ) -> FileOpener {
        FileOpener(Some(Arc::new(open)))
    }

    /// Returns `true` if files are opened by a function of the caller, `false` for the default.
    pub(crate) fn is_given(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn open(
        &self,
        path: &Path,
        limits: &Limits,
        cancel: &AtomicBool,
    ) -> io::Result<FileBytes> {
        match &self.0 {
            Some(open) => open(path),
            None => {
                let file = StoredFile::find(path)?;
                let is_cancelled = || cancel.load(Ordering::Relaxed);
                file.read(limits, is_cancelled).map(FileBytes::new)
            }
        }
    }
}

impl fmt::Debug for FileOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.0.is_some() { "given" } else { "default" };
        write!(f, "FileOpener({name})")
    }
}
