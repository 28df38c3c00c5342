//! Packs: many files in one file, so that a million small recordings are a thousand files.
//!
//! A pack is an MCAP file with one attachment for each file; docs/packs.md has the details, and other programs read it with any
//! library of MCAP. The name of an attachment is the path of the file in the folder that was packed, and its data are the
//! bytes of the file. A pack is a folder: the path of a file in it is the path of the pack, a slash and the name.
//!
//! | task | start with |
//! |---|---|
//! | open a file, on disk or in a pack | [`StoredFile::find`] |
//! | find out whether a path has files below it | [`is_folder`] |
//! | list the files of a pack | [`PackFolder::open`] |
//! | write a pack | [`PackWriter`] |
//!
//! The records of MCAP are read and written here, and not with the crate `mcap`. All builds can then read packs, also those that
//! lack MCAP as a format; the reader needs four kinds of records; and the crate panics at a truncated attachment. Tests read
//! packs with the crate, and with the package of MCAP for Python.
//!
//! ```
//! use inputanim_convert::packs::{PackFolder, PackWriter, StoredFile};
//! # let folder = std::env::temp_dir().join(format!("inputanim-packs-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("0001.pack.mcap");
//! let mut writer = PackWriter::new(std::fs::File::create(&path)?)?;
//! writer.add("p1/note.txt", None, 5, &b"hello"[..])?;
//! writer.finish()?;
//! let pack = PackFolder::open(&path)?.expect("a pack");
//! let names: Vec<_> = pack.files().map(|(path, _)| path).collect();
//! assert_eq!(names, [path.join("p1/note.txt")]);
//! let file = StoredFile::find(&path.join("p1/note.txt"))?;
//! assert_eq!(&*file.read(&Default::default(), || false)?, b"hello");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod error;
mod folder;
mod pack;
mod records;
mod stored;
mod writer;

pub use error::PackError;
pub use folder::{PackFolder, canonical, is_folder, is_pack, may_lead_into_pack, path_in_pack};
pub use pack::{Pack, PackMember};
pub use stored::{PackFinder, StoredBytes, StoredFile, StoredReader};
pub use writer::PackWriter;

/// The end of the names of packs.
pub const PACK_EXTENSION: &str = ".pack.mcap";

/// The profile of the MCAP file, and the name of the metadata record with the version.
use crate::shared::file_names::PACK_PROFILE as PROFILE;

/// The version of packs.
pub(crate) const VERSION: &str = "1";

/// The largest index of a pack that is read: about 500,000 files.
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// Returns `true` if a file name ends like the name of a pack.
pub(crate) fn has_pack_name(name: &std::ffi::OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len()
        .checked_sub(PACK_EXTENSION.len())
        .is_some_and(|start| name[start..].eq_ignore_ascii_case(PACK_EXTENSION.as_bytes()))
}

/// Fails if a text cannot be the name of a file in a pack: a relative path with slashes that stays in its folder on all
/// systems, and is not a pack.
pub(crate) fn check_name(name: &str) -> Result<(), PackError> {
    let is_drive = |part: &str| {
        let part = part.as_bytes();
        part.get(1) == Some(&b':') && part[0].is_ascii_alphabetic()
    };
    // In a path of Windows, a drive also replaces the parts before it.
    let leads_to_drive = is_drive(name) || cfg!(windows) && name.split('/').any(is_drive);
    let is_relative = !leads_to_drive
        && !name.contains(['\\', '\0'])
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !is_relative {
        return Err(PackError::Name(name.to_owned()));
    }
    if name.split('/').any(|part| has_pack_name(part.as_ref())) {
        return Err(PackError::PackInPack(name.to_owned()));
    }
    Ok(())
}
