//! A file, wherever it is stored.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use inputanim::Limits;

use super::pack::{OpenPacks, read_at};
use super::{Pack, PackError, PackMember, folder};

/// A file on disk or in a pack. A clone is the same file.
#[derive(Clone, Debug)]
pub struct StoredFile {
    path: PathBuf,
    /// The pack, and the index of the file in it.
    member: Option<(Arc<Pack>, usize)>,
}

impl StoredFile {
    /// Finds the file with a path, which may lead into a pack. A file on disk is not examined.
    ///
    /// # Errors
    /// When the path is the path of a pack, or leads into a pack that cannot be read or has no such file.
    pub fn find(path: &Path) -> io::Result<StoredFile> {
        /// The pack that was read last, and how to recognise that it changed.
        type Last = (PathBuf, (u64, Option<SystemTime>), Arc<Pack>);
        static LAST: Mutex<Option<Last>> = Mutex::new(None);
        let Some((pack, name)) = folder::split(path) else {
            return StoredFile::on_disk(path);
        };
        let metadata = fs::metadata(&pack)?;
        let stamp = (metadata.len(), metadata.modified().ok());
        // Another thread may hold the lock, and in a child of `fork` forever. Reading the index once more is right too.
        let known = LAST.try_lock().ok().and_then(|last| {
            let (path, of, pack_of) = last.as_ref()?;
            (*path == pack && *of == stamp).then(|| Arc::clone(pack_of))
        });
        let known = match known {
            Some(known) => known,
            None => {
                let read = Arc::new(Pack::open(&pack)?);
                if let Ok(mut last) = LAST.try_lock() {
                    *last = Some((pack, stamp, Arc::clone(&read)));
                }
                read
            }
        };
        StoredFile::in_pack(path, known, &name)
    }

    fn on_disk(path: &Path) -> io::Result<StoredFile> {
        if folder::is_pack(path) {
            // The error of a damaged pack says more.
            Pack::open(path)?;
            return Err(PackError::IsPack.into());
        }
        Ok(StoredFile {
            path: path.to_owned(),
            member: None,
        })
    }

    fn in_pack(path: &Path, pack: Arc<Pack>, name: &str) -> io::Result<StoredFile> {
        let index = pack.find(name);
        let index = index.ok_or_else(|| PackError::NotFound(name.to_owned()))?;
        Ok(StoredFile {
            path: path.to_owned(),
            member: Some((pack, index)),
        })
    }

    /// Returns the path, which leads into the pack for a file in a pack.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the pack and the file in it; `None` for a file on disk.
    pub fn member(&self) -> Option<(&Pack, &PackMember)> {
        let (pack, index) = self.member.as_ref()?;
        Some((pack, &pack.members()[*index]))
    }

    /// Returns the size in bytes.
    ///
    /// # Errors
    /// When the file does not exist, or cannot be examined.
    pub fn size(&self) -> io::Result<u64> {
        match self.member() {
            Some((_, member)) => Ok(member.bytes),
            None => Ok(fs::metadata(&self.path)?.len()),
        }
    }

    /// Returns what the system knows about the file, or about the pack that contains it. If the pack has not changed, the file
    /// has not changed.
    ///
    /// # Errors
    /// When the file does not exist, or cannot be examined.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        fs::metadata(self.member().map_or(&*self.path, |(pack, _)| pack.path()))
    }

    /// Reads the file, but at most one byte more than [`Limits::max_bytes`], so that parsers see that it is too long. The
    /// checksum of a file in a pack is compared. `is_cancelled` is asked from time to time.
    ///
    /// # Errors
    /// When the file cannot be read, or is cancelled, or if a file in a pack does not have its checksum.
    pub fn read(
        &self,
        limits: &Limits,
        is_cancelled: impl Fn() -> bool,
    ) -> io::Result<StoredBytes> {
        let most = limits.max_bytes.saturating_add(1);
        let (bytes, range) = match self.member() {
            Some((pack, member)) => pack.read(member, most, is_cancelled)?,
            None => {
                let bytes = read_file(&self.path, most, is_cancelled)?;
                let range = 0..bytes.len();
                (bytes, range)
            }
        };
        Ok(StoredBytes { bytes, range })
    }

    /// Compares the bytes of a file in a pack with their checksum, before [`reader`](Self::reader) copies them. Does nothing for a file on
    /// disk.
    ///
    /// # Errors
    /// When the pack cannot be read, or does not have the bytes that were packed.
    pub fn check(&self) -> io::Result<()> {
        match self.member() {
            Some((pack, member)) => pack.check(member),
            None => Ok(()),
        }
    }

    /// Opens the file for reading some parts of it. The checksum of a file in a pack is not compared.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn reader(&self) -> io::Result<StoredReader> {
        Ok(match self.member() {
            Some((pack, member)) => StoredReader::Member {
                pack: pack.file()?,
                start: member.data(),
                bytes: member.bytes,
                place: 0,
            },
            None => StoredReader::File(File::open(&self.path)?),
        })
    }
}

/// Reads a file on disk, but at most `most` bytes.
fn read_file(path: &Path, most: u64, is_cancelled: impl Fn() -> bool) -> io::Result<Vec<u8>> {
    /// The bytes that are read between two looks at the cancellation, some hundredths of a second.
    const STEP: u64 = 64 << 20;
    let mut file = File::open(path)?;
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
        if is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
}

/// The bytes of a file. They are part of a larger buffer if the file is in a pack.
pub struct StoredBytes {
    bytes: Vec<u8>,
    range: Range<usize>,
}

impl Deref for StoredBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl AsRef<[u8]> for StoredBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for StoredBytes {
    fn from(bytes: Vec<u8>) -> StoredBytes {
        let range = 0..bytes.len();
        StoredBytes { bytes, range }
    }
}

impl From<StoredBytes> for Vec<u8> {
    fn from(bytes: StoredBytes) -> Vec<u8> {
        let mut all = bytes.bytes;
        all.truncate(bytes.range.end);
        all.drain(..bytes.range.start);
        all
    }
}

impl fmt::Debug for StoredBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredBytes({})", self.range.len())
    }
}

/// A file that is read in parts.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoredReader {
    /// A file on disk.
    #[non_exhaustive]
    File(File),
    /// A file in a pack, which other threads read too.
    #[non_exhaustive]
    Member {
        /// The pack.
        pack: Arc<File>,
        /// The byte offset of the file in the pack.
        start: u64,
        /// The size of the file.
        bytes: u64,
        /// The number of bytes before the next one that is read.
        place: u64,
    },
}

impl Read for StoredReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            StoredReader::File(file) => file.read(buffer),
            StoredReader::Member {
                pack,
                start,
                bytes,
                place,
            } => {
                let left = usize::try_from(bytes.saturating_sub(*place)).unwrap_or(usize::MAX);
                let most = buffer.len().min(left);
                let read = read_at(pack, *start + *place, &mut buffer[..most])?;
                *place += read as u64;
                Ok(read)
            }
        }
    }
}

impl Seek for StoredReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            StoredReader::File(file) => file.seek(to),
            StoredReader::Member { bytes, place, .. } => {
                let to = match to {
                    SeekFrom::Start(to) => Some(to),
                    SeekFrom::End(by) => bytes.checked_add_signed(by),
                    SeekFrom::Current(by) => place.checked_add_signed(by),
                };
                *place = to.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(*place)
            }
        }
    }
}

/// Finds many files, and reads the index of each pack only once. The packs that were used last stay open.
#[derive(Debug, Default)]
pub struct PackFinder {
    last: Option<Arc<Pack>>,
    files: Arc<OpenPacks>,
}

impl PackFinder {
    /// Does what [`StoredFile::find`] does. The files of a pack should follow each other.
    ///
    /// # Errors
    /// When the path is the path of a pack, or leads into a pack that cannot be read or has no such file.
    pub fn find(&mut self, path: &Path) -> io::Result<StoredFile> {
        let known = self.last.as_ref().and_then(|pack| {
            let below = path.strip_prefix(pack.path()).ok()?;
            Some((Arc::clone(pack), folder::name_of(below)?))
        });
        let (pack, name) = match known {
            Some(known) => known,
            None => {
                let Some((pack, name)) = folder::split(path) else {
                    return StoredFile::on_disk(path);
                };
                let pack = Arc::new(Pack::open_with(&pack, Some(Arc::clone(&self.files)))?);
                self.last = Some(Arc::clone(&pack));
                (pack, name)
            }
        };
        StoredFile::in_pack(path, pack, &name)
    }
}
