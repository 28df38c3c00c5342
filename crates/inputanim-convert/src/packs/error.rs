//! Errors of packs.

use std::io;

/// A pack, or a file in it, that cannot be read or written. It is the inner error of an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The end of the pack with the index is missing.
    #[error("the pack is truncated: it ends at byte {0}, without the index of its files")]
    Truncated(u64),
    /// The pack is not well formed.
    #[error("the pack is damaged: {0}")]
    Damaged(String),
    /// The pack has another version.
    #[error("the pack has version \"{0}\", expected \"1\"")]
    Version(String),
    /// The name of a file is not a relative path with slashes that stays in its folder.
    #[error("the name \"{0}\" is not a relative path inside of a folder")]
    Name(String),
    /// Windows cannot have a file with the name.
    #[error("Windows cannot have a file with the name \"{0}\"")]
    WindowsName(String),
    /// Two files have the same name.
    #[error("two files have the name \"{0}\"")]
    DuplicateName(String),
    /// A file in a pack has the name of a pack.
    #[error("\"{0}\" is a pack, and packs cannot contain packs")]
    PackInPack(String),
    /// The bytes of a file are not those that were packed.
    #[error(
        "the file is damaged: its checksum in the pack is {expected:08x}, but its bytes have {found:08x}"
    )]
    Checksum {
        /// The checksum in the pack.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// The pack has no file with this name.
    #[error("the pack has no file \"{0}\"")]
    NotFound(String),
    /// The path of a pack is given where a single file is expected.
    #[error("this is a pack, which is a folder of files")]
    IsPack,
    /// The size of a file changed while it was packed.
    #[error("the size of the file changed while it was packed")]
    Changed,
    /// A pack would have more files than readers accept.
    #[error("a pack would have too many files: its index is larger than 64 MiB")]
    TooManyFiles,
}

impl PackError {
    /// Returns the error of a read or write function, if it is about a pack.
    pub fn of(error: &io::Error) -> Option<&PackError> {
        error.get_ref()?.downcast_ref()
    }

    pub(crate) fn damaged(message: impl Into<String>) -> PackError {
        PackError::Damaged(message.into())
    }
}

impl From<PackError> for io::Error {
    fn from(error: PackError) -> io::Error {
        let kind = match error {
            PackError::NotFound(_) => io::ErrorKind::NotFound,
            PackError::IsPack => io::ErrorKind::IsADirectory,
            PackError::Truncated(_) => io::ErrorKind::UnexpectedEof,
            PackError::Name(_) | PackError::WindowsName(_) | PackError::PackInPack(_) => {
                io::ErrorKind::InvalidInput
            }
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}
