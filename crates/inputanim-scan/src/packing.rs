//! Folders as packs, and packs as folders.
//!
//! [`pack`] writes all files of a folder as packs, and [`unpack`] writes the same files again, byte for byte. Both write a folder
//! that is complete or missing. Links to folders, devices and folders without files are not packed; [`Packed::left_out`] lists
//! them. Links to files become files.
//!
//! Method: the files of a folder stay in one pack if they fit, because a recording may read the files beside it. A folder with more
//! files is divided where the names of files before their first dot differ.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim_convert::packs::{PACK_EXTENSION, Pack, PackError, PackWriter, is_pack};
use inputanim_output::{Existing, FolderContent, NewFolder, OutputError, is_windows_name};
use walkdir::WalkDir;

use crate::source::path_inside;

/// Options of [`pack`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PackOptions {
    /// The most files of a pack, from 1 to [`MAX_FILES`](Self::MAX_FILES).
    pub files: usize,
    /// The treatment of a folder of packs that already exists.
    pub existing: Existing,
    /// When this becomes `true`, the work ends with [`PackingError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

impl PackOptions {
    /// The largest number of files of a pack.
    pub const MAX_FILES: usize = 100_000;
}

impl Default for PackOptions {
    /// Returns options for packs of 1,000 files, which replace nothing.
    fn default() -> PackOptions {
        PackOptions {
            files: 1000,
            existing: Existing::Refuse,
            cancel: Arc::default(),
        }
    }
}

/// Packs that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packed {
    /// The number of packs.
    pub packs: usize,
    /// The number of files in them.
    pub files: usize,
    /// The number of bytes of these files.
    pub bytes: u64,
    /// The paths that were not packed: links to folders, devices, and folders without files.
    pub left_out: Vec<PathBuf>,
    /// The files that [`unpack`] cannot write on Windows, because of their names: [`is_windows_name`], and files whose names
    /// differ from another one only in case.
    pub not_on_windows: Vec<PathBuf>,
}

/// Options of [`unpack`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UnpackOptions {
    /// Also writes the files whose checksums are wrong, with their damaged bytes. [`Unpacked::damaged`] lists them.
    pub recover: bool,
    /// When this becomes `true`, the work ends with [`PackingError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

/// Files of packs that were written.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Unpacked {
    /// The number of packs.
    pub packs: usize,
    /// The number of files that were written.
    pub files: usize,
    /// The number of bytes of these files.
    pub bytes: u64,
    /// The paths of packs and of files in packs that could not be written, or only in part, with the reasons.
    pub errors: Vec<(PathBuf, io::Error)>,
    /// The paths of the files in packs that were written with damaged bytes, with the reasons.
    pub damaged: Vec<(PathBuf, io::Error)>,
}

/// Packs that cannot be written, or cannot be unpacked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackingError {
    /// The number of files of a pack is 0 or too large.
    #[error("invalid number of files of a pack: {0} (must be from 1 to 100,000)")]
    Files(usize),
    /// There is nothing to pack.
    #[error("{} has no files", .0.display())]
    NoFiles(PathBuf),
    /// There is nothing to unpack.
    #[error("{} is not a pack, and is not a folder with packs", .0.display())]
    NoPacks(PathBuf),
    /// The output would be part of the input.
    #[error("the output {} is inside of {}", .output.display(), .folder.display())]
    Inside {
        /// The output.
        output: PathBuf,
        /// The folder that is packed.
        folder: PathBuf,
    },
    /// A file or folder cannot be read, or cannot be part of a pack.
    #[error("cannot pack {}: {error}", .path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The work was cancelled.
    #[error("the work was cancelled")]
    Cancelled,
}

impl From<io::Error> for PackingError {
    fn from(error: io::Error) -> PackingError {
        PackingError::Output(error.into())
    }
}

/// The folders of packs that [`pack`] may replace.
const PACKS: FolderContent = FolderContent {
    mark: "0001.pack.mcap",
    has: |path| !path.contains('/') && path.ends_with(PACK_EXTENSION),
};

/// A folder of unpacked files is never replaced.
const UNPACKED: FolderContent = FolderContent {
    mark: "",
    has: |_| false,
};

/// Writes all files of a folder as packs into another folder, which must not be inside of it. `progress` gets the number of files
/// that were packed until now, and the number of all files.
///
/// # Errors
/// When the folder has no files, a file cannot be read, is a pack, has a name that is not Unicode, or changes meanwhile, and when
/// the output exists or cannot be written. The output then stays as it was.
///
/// ```
/// use inputanim_scan::packs::StoredFile;
/// use inputanim_scan::{PackOptions, pack, unpack};
/// # let folder = tempfile::tempdir()?;
/// # let study = folder.path().join("study");
/// # let [packed, again] = ["packed", "again"].map(|name| folder.path().join(name));
/// # std::fs::create_dir_all(study.join("p1"))?;
/// # std::fs::write(study.join("p1/take.bin"), b"bytes")?;
/// assert_eq!(pack(&study, &packed, &PackOptions::default(), |_, _| {})?.files, 1);
/// let file = StoredFile::find(&packed.join("0001.pack.mcap/p1/take.bin"))?;
/// assert_eq!(file.size()?, 5);
/// unpack(&[packed], &again, &Default::default(), |_, _| {})?;
/// assert_eq!(std::fs::read(again.join("p1/take.bin"))?, b"bytes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack(
    folder: &Path,
    output: &Path,
    options: &PackOptions,
    mut progress: impl FnMut(usize, usize),
) -> Result<Packed, PackingError> {
    if !(1..=PackOptions::MAX_FILES).contains(&options.files) {
        return Err(PackingError::Files(options.files));
    }
    refuse_inside(output, folder)?;
    let (files, left_out) = files_of(folder)?;
    let all = files.values().map(Vec::len).sum();
    if all == 0 {
        return Err(PackingError::NoFiles(folder.to_owned()));
    }
    let groups = groups(files, options.files);
    let digits = groups.len().to_string().len().max(4);
    let new = NewFolder::create(output, options.existing, PACKS)?;
    let mut packed = Packed {
        packs: groups.len(),
        left_out,
        ..Packed::default()
    };
    let mut names = HashSet::new();
    for (index, group) in groups.into_iter().enumerate() {
        let name = format!("{:0digits$}{PACK_EXTENSION}", index + 1);
        let mut writer = PackWriter::new(new.file(&name)?)?;
        for path in group {
            if options.cancel.load(Ordering::Relaxed) {
                return Err(PackingError::Cancelled);
            }
            let added = add(&mut writer, folder, &path);
            let (name, bytes) = match added {
                Ok(added) => added,
                Err(error) => return Err(PackingError::File { path, error }),
            };
            let is_new = names.insert(name.to_lowercase());
            if !is_new || !is_windows_name(&name) {
                packed.not_on_windows.push(path);
            }
            packed.bytes += bytes;
            packed.files += 1;
            progress(packed.files, all);
        }
        writer.finish()?;
    }
    new.finish()?;
    Ok(packed)
}

/// Fails if the output is inside of the folder that is packed: it would become part of itself.
fn refuse_inside(output: &Path, folder: &Path) -> Result<(), PackingError> {
    let absolute = std::path::absolute(output)?;
    let existing = absolute.ancestors().find(|path| path.exists());
    let is_inside = existing.is_some_and(|path| matches!(path_inside(path, folder), Ok(Some(_))));
    if is_inside {
        return Err(PackingError::Inside {
            output: output.to_owned(),
            folder: folder.to_owned(),
        });
    }
    Ok(())
}

/// The files of each folder, as they follow each other in packs.
type Files = BTreeMap<PathBuf, Vec<PathBuf>>;

/// Finds all files of a folder. Returns the paths that are not packed too.
fn files_of(folder: &Path) -> Result<(Files, Vec<PathBuf>), PackingError> {
    let (mut files, mut left_out) = (Files::new(), Vec::new());
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| PackingError::File {
            path: error.path().unwrap_or(folder).to_owned(),
            error: error.into(),
        })?;
        let (is_dir, is_link) = (entry.file_type().is_dir(), entry.path_is_symlink());
        let path = entry.into_path();
        if path.is_file() {
            let parent = path.parent().unwrap_or(folder).to_owned();
            files.entry(parent).or_default().push(path);
        } else if is_link && fs::metadata(&path).is_err() {
            // A link to nothing is no folder and no file.
            let error = io::ErrorKind::NotFound.into();
            return Err(PackingError::File { path, error });
        } else if !is_dir || fs::read_dir(&path)?.next().is_none() && path != folder {
            left_out.push(path);
        }
    }
    Ok((files, left_out))
}

/// Divides files into packs of at most `most` files. Only the files of folders with more files are in several packs.
fn groups(files: Files, most: usize) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<Vec<PathBuf>> = Vec::new();
    for files in files.into_values() {
        let units = if files.len() <= most {
            vec![files]
        } else {
            // The files of one name may belong together: a recording and its description.
            let units = files.chunk_by(|a, b| stem(a) == stem(b));
            units.map(<[PathBuf]>::to_vec).collect()
        };
        for unit in units {
            match groups.last_mut() {
                Some(last) if last.len() + unit.len() <= most => last.extend(unit),
                _ => groups.push(unit),
            }
        }
    }
    groups
}

/// Returns the part of a file name before its first dot.
fn stem(path: &Path) -> &[u8] {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let end = name.iter().skip(1).position(|byte| *byte == b'.');
    end.map_or(name, |end| &name[..=end])
}

/// Adds a file to a pack, and returns its name and its size.
fn add(
    writer: &mut PackWriter<impl io::Write>,
    folder: &Path,
    path: &Path,
) -> io::Result<(String, u64)> {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts = below.iter().map(|part| part.to_str());
    let parts: Option<Vec<&str>> = parts.collect();
    let name = parts.map(|parts| parts.join("/"));
    let name = name.ok_or_else(|| PackError::Name(below.to_string_lossy().into_owned()))?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let bytes = metadata.len();
    writer.add(&name, metadata.modified().ok(), bytes, BufReader::new(file))?;
    Ok((name, bytes))
}

/// Writes the files of packs into a new folder. `sources` are packs, and folders that are searched for packs. Files get the
/// modification times that they had. `progress` gets the number of packs that were read until now, and the number of all packs.
///
/// A file that is damaged is not written, unless [`UnpackOptions::recover`] is set. Of a truncated or damaged pack, the complete files
/// are written. On Windows, a file whose name Windows cannot have is not written ([`is_windows_name`]). [`Unpacked::errors`] lists
/// all of these. A pack whose files have names that lead out of the folder is not unpacked.
///
/// # Errors
/// When a source is not a pack and has none, and when the output exists with content or cannot be written.
pub fn unpack(
    sources: &[PathBuf],
    output: &Path,
    options: &UnpackOptions,
    progress: impl FnMut(usize, usize),
) -> Result<Unpacked, PackingError> {
    unpack_on(cfg!(windows), sources, output, options, progress)
}

/// Does what [`unpack`] does on Windows, or on another system.
fn unpack_on(
    is_windows: bool,
    sources: &[PathBuf],
    output: &Path,
    options: &UnpackOptions,
    mut progress: impl FnMut(usize, usize),
) -> Result<Unpacked, PackingError> {
    let mut packs = Vec::new();
    for source in sources {
        let before = packs.len();
        for entry in WalkDir::new(source).sort_by_file_name() {
            let entry = entry.map_err(io::Error::from)?;
            if is_pack(entry.path()) {
                packs.push(entry.into_path());
            }
        }
        if packs.len() == before {
            return Err(PackingError::NoPacks(source.clone()));
        }
    }
    let new = NewFolder::create(output, Existing::Refuse, UNPACKED)?;
    let mut unpacked = Unpacked::default();
    for (index, path) in packs.iter().enumerate() {
        unpacked.packs += 1;
        match opened(path) {
            Ok((pack, reason)) => {
                let reason = reason.map(|reason| (path.clone(), reason.into()));
                unpacked.errors.extend(reason);
                for member in pack.members() {
                    if options.cancel.load(Ordering::Relaxed) {
                        return Err(PackingError::Cancelled);
                    }
                    let write = || -> io::Result<Option<PackError>> {
                        if is_windows && !is_windows_name(&member.name) {
                            return Err(PackError::WindowsName(member.name.clone()).into());
                        }
                        let mut content = LazyFile {
                            new: &new,
                            name: &member.name,
                            file: None,
                        };
                        let damage = if options.recover {
                            pack.copy_damaged(member, &mut content)?
                        } else {
                            // The bytes are compared before the file is created, so that no damaged file stays.
                            pack.copy(member, &mut content)?;
                            None
                        };
                        let file = content.created()?.into_inner().map_err(io::Error::from)?;
                        // Some file systems have no such times.
                        let _ = member.modified.map(|time| file.set_modified(time));
                        Ok(damage)
                    };
                    match write() {
                        Ok(damage) => {
                            let path = || path.join(&member.name);
                            let damage = damage.map(|damage| (path(), damage.into()));
                            unpacked.damaged.extend(damage);
                            unpacked.files += 1;
                            unpacked.bytes += member.bytes;
                        }
                        Err(error) => unpacked.errors.push((path.join(&member.name), error)),
                    }
                }
            }
            Err(error) => unpacked.errors.push((path.clone(), error)),
        }
        progress(index + 1, packs.len());
    }
    new.finish()?;
    Ok(unpacked)
}

/// Opens a pack. If its index is missing or damaged, finds its files from the beginning, and returns the reason.
fn opened(path: &Path) -> io::Result<(Pack, Option<PackError>)> {
    match Pack::open(path) {
        Ok(pack) => Ok((pack, None)),
        Err(error) => match PackError::of(&error) {
            Some(reason @ (PackError::Truncated(_) | PackError::Damaged(_))) => {
                let reason = reason.clone();
                let (pack, found) = Pack::recover(path).map_err(|_| error)?;
                Ok((pack, Some(found.unwrap_or(reason))))
            }
            _ => Err(error),
        },
    }
}

/// A file of a new folder that is created when its first byte is written.
struct LazyFile<'n> {
    new: &'n NewFolder,
    name: &'n str,
    file: Option<io::BufWriter<File>>,
}

impl LazyFile<'_> {
    fn file(&mut self) -> io::Result<&mut io::BufWriter<File>> {
        if self.file.is_none() {
            self.file = Some(self.new.file(self.name)?);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// Returns the file. A file without bytes is created now.
    fn created(mut self) -> io::Result<io::BufWriter<File>> {
        self.file()?;
        self.file.ok_or_else(|| io::ErrorKind::Other.into())
    }
}

impl io::Write for LazyFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_cannot_have_are_left_out_there_and_all_other_files_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let [study, packs] = ["study", "packs"].map(|name| folder.path().join(name));
        let good = ["a.bin", "p1/take.bin"];
        let bad = ["con.bin", "p1/dot.", "p1/nul", "p2 /take.bin"];
        if cfg!(windows) {
            return;
        }
        for name in good.iter().chain(&bad) {
            let path = study.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let packed = pack(&study, &packs, &PackOptions::default(), |_, _| {}).unwrap();
        assert_eq!(packed.files, 6);
        assert_eq!(packed.not_on_windows, bad.map(|name| study.join(name)));
        for (is_windows, names) in [(false, &bad[..0]), (true, &bad[..])] {
            let again = folder.path().join(format!("again-{is_windows}"));
            let sources = [packs.clone()];
            let unpacked = unpack_on(
                is_windows,
                &sources,
                &again,
                &UnpackOptions::default(),
                |_, _| {},
            );
            let unpacked = unpacked.unwrap();
            assert_eq!(unpacked.files, 6 - names.len());
            for ((path, error), name) in unpacked.errors.iter().zip(names) {
                assert_eq!(*path, packs.join("0001.pack.mcap").join(name));
                let expected = format!("Windows cannot have a file with the name \"{name}\"");
                assert_eq!(error.to_string(), expected);
                assert!(!again.join(name).exists());
            }
            assert_eq!(unpacked.errors.len(), names.len());
            assert_eq!(fs::read(again.join("p1/take.bin")).unwrap(), b"p1/take.bin");
        }
    }

    #[test]
    fn names_that_differ_only_in_case_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let [study, packs] = ["study", "packs"].map(|name| folder.path().join(name));
        fs::create_dir(&study).unwrap();
        let names = ["B.bin", "b.bin", "c.bin"];
        for name in names {
            fs::write(study.join(name), name).unwrap();
        }
        if fs::read(study.join("B.bin")).unwrap() != b"B.bin" {
            // This file system does not distinguish them.
            return;
        }
        let packed = pack(&study, &packs, &PackOptions::default(), |_, _| {}).unwrap();
        assert_eq!(packed.not_on_windows, [study.join("b.bin")]);
    }
}
