//! The bytes of files, and how they are read.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::Limits;

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

/// A function that opens files.
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
            None => read(path, limits, cancel).map(FileBytes::new),
        }
    }
}

/// Reads a file, but at most one byte more than the limit, so that the parser sees that it is too long. Fails with
/// [`io::ErrorKind::Interrupted`] when `cancel` becomes `true`.
fn read(path: &Path, limits: &Limits, cancel: &AtomicBool) -> io::Result<Vec<u8>> {
    /// The bytes that are read between two looks at `cancel`, some hundredths of a second.
    const STEP: u64 = 64 << 20;
    let mut file = File::open(path)?;
    let most = limits.max_bytes.saturating_add(1);
    let size = file.metadata()?.len().min(most);
    let mut bytes = Vec::new();
    // Growing step by step would copy the bytes several times. One byte more shows the end of the file.
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size.saturating_add(1))?;
    loop {
        let left = most - bytes.len() as u64;
        let step = file.by_ref().take(left.min(STEP)).read_to_end(&mut bytes)?;
        if step == 0 {
            return Ok(bytes);
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
}

impl fmt::Debug for FileOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.0.is_some() { "given" } else { "default" };
        write!(f, "FileOpener({name})")
    }
}
