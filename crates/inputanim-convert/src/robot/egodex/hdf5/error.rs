//! The errors of the HDF5 reader.

use crate::shared::report::counted;

/// Bytes that cannot be read as an HDF5 file. Offsets count from the start of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Hdf5Error {
    /// The bytes do not begin with the signature of HDF5.
    #[error("not an HDF5 file: expected the signature \"\\x89HDF\\r\\n\\x1a\\n\", found \"{}\"", found.escape_ascii())]
    Signature {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// The file is shorter than it states, or ends in its first structure.
    #[error("the file is cut off: expected {}, found {found}", bytes(*expected))]
    CutOff {
        /// The number of bytes that the file should have at least.
        expected: u64,
        /// The number of bytes in the file.
        found: u64,
    },
    /// A structure is longer than the file or than the structure that contains it, or an address is outside of the file.
    #[error("offset {offset:#x}: {what}: expected {}, found {available}", bytes(*needed))]
    Truncated {
        /// The structure.
        what: &'static str,
        /// The offset of the missing bytes.
        offset: u64,
        /// The number of bytes that the structure needs.
        needed: u64,
        /// The number of bytes that remain.
        available: u64,
    },
    /// A value that the specification does not allow.
    #[error("offset {offset:#x}: {what}: expected {expected}, found {found}")]
    Invalid {
        /// The structure.
        what: &'static str,
        /// The offset of the structure or value.
        offset: u64,
        /// The values that the specification allows.
        expected: &'static str,
        /// The value in the file.
        found: String,
    },
    /// A part of HDF5 that this reader does not read.
    #[error("offset {offset:#x}: {what} is not supported: {found}")]
    Unsupported {
        /// The part.
        what: &'static str,
        /// The offset of the value.
        offset: u64,
        /// The value in the file.
        found: String,
    },
    /// The metadata are much larger than the file, because structures overlap or refer to each other in a circle.
    #[error("expected metadata that fit in the file, found structures that repeat or overlap")]
    Repeats,
    /// The unpacked data exceed the limit.
    #[error("expected at most {limit} bytes of unpacked data (the limit), found more")]
    Unpacked {
        /// The limit.
        limit: u64,
    },
    /// A compressed chunk cannot be unpacked.
    #[error("offset {offset:#x}: a chunk cannot be unpacked: {problem}")]
    Chunk {
        /// The offset of the chunk.
        offset: u64,
        /// The cause.
        problem: String,
    },
}

/// Returns a number with its unit: `1 byte`, `8 bytes`.
fn bytes(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "byte")
}
