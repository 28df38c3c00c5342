//! The recordings of a scan: files, folders, patterns of paths and bytes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use glob::{MatchOptions, Pattern};
use inputanim::{CurveIndex, CurvePath, Recording};
use inputanim_convert::packs::{
    PackFinder, PackFolder, StoredFile, canonical, is_folder, is_pack, may_lead_into_pack,
};
use inputanim_convert::{FilePath, Format, distinct_names};
use walkdir::WalkDir;

use crate::error::ScanError;
use crate::notice::{FileNotice, Notice};
use crate::opener::FileBytes;
use crate::options::ScanOptions;

/// Recordings to scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// A file, a folder, or a pattern of files and folders such as `study/**/*.bin` or `study/p0*`. Of a folder, all files
    /// of [`ScanOptions::format`] (`.bin` by default) in it and in its subfolders are read.
    Path(PathBuf),
    /// A file that was found in a folder. Its recording gets its name from the path below the folder.
    InFolder {
        /// The path of the file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A file in memory.
    Bytes {
        /// The name, which stands for the path.
        name: String,
        /// The content of the file.
        bytes: FileBytes,
    },
    /// A recording in memory, which may have content that no file of MRTK can hold.
    Recording {
        /// The name, which stands for the path.
        name: String,
        /// The recording.
        recording: Arc<Recording<'static>>,
    },
}

impl From<&str> for Source {
    fn from(path: &str) -> Source {
        Source::Path(path.into())
    }
}

impl From<String> for Source {
    fn from(path: String) -> Source {
        Source::Path(path.into())
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Source {
        Source::Path(path.into())
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Source {
        Source::Path(path)
    }
}

/// A file of a scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanFile {
    /// The path as it was found, with slashes, or the name of the bytes.
    pub name: Arc<str>,
    /// The name of the recording, as [`recording_names`](crate::recording_names()) returns it.
    pub recording: Arc<str>,
    /// The size in bytes; 0 if it is not known.
    pub bytes: u64,
    /// The times at which the file was changed.
    #[cfg_attr(not(feature = "catalog"), expect(dead_code))]
    pub(crate) times: FileTimes,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(PathBuf),
    /// A file in a pack.
    Packed(StoredFile),
    Bytes(FileBytes),
    Recording(Arc<Recording<'static>>),
}

impl ScanFile {
    /// Returns the path of the file; `None` for a recording in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            Content::Packed(file) => Some(file.path()),
            Content::Bytes(_) | Content::Recording(_) => None,
        }
    }

    /// Creates a file with this path and its size on disk. The name of its recording is set later, when all files are
    /// known.
    fn new(path: PathBuf, packs: &mut Packs) -> ScanFile {
        let name = portable(&path).into();
        // A file that cannot be examined fails when it is opened.
        let (bytes, times, content) = match packs.find(&path) {
            Some((file, bytes, times)) => (bytes, times, Content::Packed(file)),
            None => {
                let metadata = fs::metadata(&path).ok();
                let times = metadata.as_ref().map(FileTimes::of).unwrap_or_default();
                let bytes = metadata.as_ref().map_or(0, Metadata::len);
                (bytes, times, Content::File(path))
            }
        };
        ScanFile {
            name,
            recording: Arc::default(),
            bytes,
            times,
            content,
        }
    }

    /// Returns the recording in memory; `None` for a file.
    pub(crate) fn recording_in_memory(&self) -> Option<&Recording<'static>> {
        match &self.content {
            Content::Recording(recording) => Some(recording),
            Content::File(_) | Content::Packed(_) | Content::Bytes(_) => None,
        }
    }

    pub(crate) fn open(&self, options: &ScanOptions) -> io::Result<FileBytes> {
        match &self.content {
            Content::File(path) => options.opener.open(path, &options.limits, &options.cancel),
            Content::Packed(file) => {
                let is_cancelled = || options.cancel.load(Ordering::Relaxed);
                Ok(FileBytes::new(file.read(&options.limits, is_cancelled)?))
            }
            Content::Bytes(bytes) => Ok(bytes.clone()),
            Content::Recording(_) => Ok(FileBytes::new(Vec::new())),
        }
    }

    /// Reads only some curves of a large file. `keeps` gets a recording with the first and the last key of each curve,
    /// and returns a function that is `true` for the curves to read. Returns the bytes of a recording with these
    /// curves, and with the first and the last key of the others; `None` if the file must be read completely.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn open_partially<K: Fn(CurvePath) -> bool>(
        &self,
        options: &ScanOptions,
        keeps: impl FnOnce(&Recording<'_>) -> K,
    ) -> io::Result<Option<FileBytes>> {
        let mut file = match &self.content {
            _ if self.bytes < options.partial_from => return Ok(None),
            // The function may map the file, which reads only the needed pages.
            Content::File(_) if options.opener.is_given() => return Ok(None),
            Content::File(path) => StoredFile::find(path)?.reader()?,
            Content::Packed(file) => file.reader()?,
            Content::Bytes(_) | Content::Recording(_) => return Ok(None),
        };
        let Some(index) = CurveIndex::read(&mut file, &options.limits)? else {
            return Ok(None);
        };
        let keeps = keeps(index.ends());
        let is_cancelled = || options.cancel.load(Ordering::Relaxed);
        // The function asks before it reads a curve, so that a cancelled scan reads no further one. A reader that checks each
        // read would be slower: the library would clear the memory first.
        let bytes = index.read_part(&mut file, |path| !is_cancelled() && keeps(path))?;
        if is_cancelled() {
            return Err(io::Error::other("the scan is cancelled"));
        }
        Ok(Some(FileBytes::new(bytes)))
    }
}

/// Finds files in packs. The index of a pack is read once, and the system is asked once for its times.
#[derive(Default)]
struct Packs {
    finder: PackFinder,
    /// The times of the last pack, with its path.
    last: Option<(PathBuf, FileTimes)>,
}

impl Packs {
    /// Returns the file with a path, with its size and the times of its pack; `None` for a file on disk. A pack that cannot be
    /// read counts as a file on disk, which fails when it is opened.
    fn find(&mut self, path: &Path) -> Option<(StoredFile, u64, FileTimes)> {
        if !may_lead_into_pack(path) {
            return None;
        }
        let file = self.finder.find(path).ok()?;
        let (pack, bytes) = file
            .member()
            .map(|(pack, member)| (pack.path(), member.bytes))?;
        let times = match &self.last {
            Some((last, times)) if last == pack => *times,
            _ => {
                let metadata = file.metadata().ok();
                let times = metadata.as_ref().map(FileTimes::of).unwrap_or_default();
                self.last = Some((pack.to_owned(), times));
                times
            }
        };
        Some((file, bytes, times))
    }
}

/// The times at which a file was changed, in nanoseconds since 1970. A time is `None` if the system does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileTimes {
    /// The time of the last change of the content. Programs can set it.
    pub(crate) modified_ns: Option<i64>,
    /// The time of the last change of the content, the name or the properties, on Unix. No program can set it.
    pub(crate) changed_ns: Option<i64>,
}

impl FileTimes {
    fn of(metadata: &Metadata) -> FileTimes {
        let nanoseconds = |time: Duration| i64::try_from(time.as_nanos()).ok();
        let modified = metadata.modified().ok();
        FileTimes {
            modified_ns: modified.and_then(|time| match time.duration_since(UNIX_EPOCH) {
                Ok(after) => nanoseconds(after),
                Err(before) => nanoseconds(before.duration()).map(|before| -before),
            }),
            #[cfg(unix)]
            changed_ns: metadata
                .ctime()
                .checked_mul(1_000_000_000)
                .and_then(|seconds| seconds.checked_add(metadata.ctime_nsec())),
            #[cfg(not(unix))]
            changed_ns: None,
        }
    }
}

/// Returns a path as a string that is the same on all systems: with slashes.
pub fn portable(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        // Elsewhere, a backslash is part of a name.
        text.into_owned()
    }
}

/// The files of all sources.
pub(crate) struct SourceFiles {
    /// The files, each once.
    pub(crate) files: Vec<ScanFile>,
    /// Notices about the files of other formats that the search of folders skipped.
    pub(crate) skipped: Vec<FileNotice>,
}

impl SourceFiles {
    /// Finds the files of all sources, and the files of other formats that are skipped.
    ///
    /// # Errors
    /// When a folder or pattern has no recordings or cannot be searched, or if there are no sources.
    pub(crate) fn of(
        sources: Vec<Source>,
        options: &ScanOptions,
    ) -> Result<SourceFiles, ScanError> {
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        let mut paths_in_folders = Vec::new();
        let mut seen = HashSet::new();
        let mut packs = Packs::default();
        for source in sources {
            match source {
                Source::Bytes { name, bytes } => {
                    paths_in_folders.push(FilePath::fixed(&name));
                    files.push(ScanFile {
                        recording: Arc::default(),
                        name: name.into(),
                        bytes: bytes.as_slice().len() as u64,
                        times: FileTimes::default(),
                        content: Content::Bytes(bytes),
                    });
                }
                Source::Recording { name, recording } => {
                    paths_in_folders.push(FilePath::fixed(&name));
                    files.push(ScanFile {
                        recording: Arc::default(),
                        name: name.into(),
                        bytes: recording.encoded_len(),
                        times: FileTimes::default(),
                        content: Content::Recording(recording),
                    });
                }
                Source::InFolder { path, folder } => {
                    paths_in_folders.push(FilePath::new(&path, &folder));
                    files.push(ScanFile::new(path, &mut packs));
                }
                Source::Path(path) if path.as_os_str().is_empty() => {}
                Source::Path(path) => {
                    let found = paths(&path, options, &mut skipped)?;
                    let found = found
                        .into_iter()
                        .filter(|(path, _)| seen.insert(path.clone()));
                    for (path, folder) in found {
                        paths_in_folders.push(FilePath::new(&path, &folder));
                        files.push(ScanFile::new(path, &mut packs));
                    }
                }
            }
        }
        let names = distinct_names(paths_in_folders);
        for (file, name) in files.iter_mut().zip(names) {
            file.recording = name.into();
        }
        if files.is_empty() && !options.may_be_empty() {
            let (path, skipped) = (String::new(), None);
            return Err(ScanError::NoRecordings { path, skipped });
        }
        // Two sources may be the same folder.
        skipped.retain(|notice| notice.path.clone().is_none_or(|path| seen.insert(path)));
        Ok(SourceFiles { files, skipped })
    }
}

/// Returns the files of a folder, of a pattern or of a single path. Each comes with the folder to which its name is
/// relative. Adds notices about skipped files to `skipped`. Fails if a folder or pattern has no recordings or cannot be
/// searched.
fn paths(
    path: &Path,
    options: &ScanOptions,
    skipped: &mut Vec<FileNotice>,
) -> Result<Vec<(PathBuf, PathBuf)>, ScanError> {
    let first = skipped.len();
    let (below, found) = if is_folder(path) {
        (path.to_owned(), in_folder(path, options, skipped)?)
    // A file may have the characters of a pattern in its name: `take[1].bin`.
    } else if is_pattern(&path.to_string_lossy()) && !path.exists() {
        let pattern = path;
        let found = matching(pattern, true)?;
        // The part of a pattern before the first wildcard names the folder that is searched.
        let (below, _) = split(pattern);
        let mut files = Vec::new();
        for path in found {
            let path = path?;
            if !is_folder(&path) {
                files.push(path);
            } else if !pattern.ends_with("**") {
                // A shell would replace the pattern by this folder. `**` matches the files in it too.
                files.extend(in_folder(&path, options, skipped)?);
            }
        }
        // A file and its folder may both match: `study/**/p*`.
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.clone()));
        (below, files)
    } else {
        // A file that does not exist fails when it is opened, as any other file that cannot be read.
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        return Ok(vec![(path.to_owned(), folder)]);
    };
    if found.is_empty() {
        let skipped = skipped.get(first);
        let skipped = skipped.map(|file| format!("{} is {}", file.file, file.notice.detail()));
        let path = path.display().to_string();
        return Err(ScanError::NoRecordings { path, skipped });
    }
    Ok(found
        .into_iter()
        .map(|file| (file, below.clone()))
        .collect())
}

/// Returns the files in a folder and its subfolders that have the format of the scan, sorted. Adds notices about
/// skipped files to `skipped`. Fails if a folder cannot be read.
fn in_folder(
    folder: &Path,
    options: &ScanOptions,
    skipped: &mut Vec<FileNotice>,
) -> Result<Vec<PathBuf>, ScanError> {
    let searched = options.format.unwrap_or(Format::Bin);
    let mut files = Vec::new();
    for item in files_in(folder, usize::MAX, searched) {
        match item? {
            FolderItem::File(path) => files.push(path),
            FolderItem::LinkToFolder(_) => {}
            FolderItem::OtherFormat(path, found) => skipped.push(FileNotice {
                file: portable(&path),
                path: Some(path),
                notice: Notice::OtherFormat { found, searched },
            }),
        }
    }
    Ok(files)
}

/// A file or link in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderItem {
    /// A file, or a link to one.
    File(PathBuf),
    /// A link to a folder, which is not searched: links may form circles.
    LinkToFolder(PathBuf),
    /// A file whose content is another format with the same extension, or a recording in MCAP or lossless JSON in a search for .bin
    /// files.
    OtherFormat(PathBuf, Format),
}

/// Returns the files of a format in a folder and its subfolders, sorted by name, and the links to folders. A pack is a folder;
/// one that cannot be read is a file in the list, which fails when it is opened. A folder that cannot be read is an error in the
/// list. A `depth` of 1 finds only the files in the folder itself. The beginning
/// of a file is read if its name does not state the format.
pub fn files_in(folder: &Path, depth: usize, format: Format) -> Vec<Result<FolderItem, ScanError>> {
    if let Some(folder) = PackFolder::open(folder).ok().flatten() {
        return files_of_pack(&folder, depth, format);
    }
    let other_of = |path: &Path| {
        if !format.shares_name(path) {
            return None;
        }
        // A file that cannot be read fails later.
        let file = File::open(path).ok()?;
        format.other_of(path, file).ok()?
    };
    // The order of a folder differs between systems.
    let entries = WalkDir::new(folder).max_depth(depth).sort_by_file_name();
    let mut items = Vec::new();
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                items.push(Err(folder_error(folder, error)));
                continue;
            }
        };
        let (is_link, level) = (entry.path_is_symlink(), entry.depth());
        let path = entry.into_path();
        if may_lead_into_pack(&path) && is_pack(&path) {
            match PackFolder::open(&path) {
                Ok(Some(pack)) => items.extend(files_of_pack(&pack, depth - level, format)),
                // A pack that cannot be read fails when it is opened.
                _ => items.push(Ok(FolderItem::File(path))),
            }
        // The type of the entry itself would be `link` for a link to a file.
        } else if format.has_name(&path) && path.is_file() {
            items.push(Ok(match other_of(&path) {
                Some(other) => FolderItem::OtherFormat(path, other),
                None => FolderItem::File(path),
            }));
        } else if let Some(other) = unsearched(&path, format).filter(|_| path.is_file()) {
            items.push(Ok(FolderItem::OtherFormat(path, other)));
        } else if level > 0 && is_link && path.is_dir() {
            items.push(Ok(FolderItem::LinkToFolder(path)));
        }
    }
    items
}

/// Returns the format of a file that a search for .bin files does not find, although the file certainly is a recording: MCAP by its
/// name, and lossless JSON by its first bytes. Tables and other files are often no recordings.
fn unsearched(path: &Path, searched: Format) -> Option<Format> {
    /// Lossless JSON states its format in its first line.
    const START: u64 = 256;
    if searched != Format::Bin {
        return None;
    }
    match Format::from_path(path)? {
        Format::Json => {
            let mut start = Vec::new();
            let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
            let name = b"\"inputanim-json\"";
            let is_recording = start.windows(name.len()).any(|part| part == name);
            (read.is_ok() && is_recording).then_some(Format::Json)
        }
        format @ Format::Mcap => Some(format),
        _ => None,
    }
}

/// Returns the files of a format in a pack or in a folder of a pack, as [`files_in`] returns the files of a folder.
fn files_of_pack(
    folder: &PackFolder,
    depth: usize,
    format: Format,
) -> Vec<Result<FolderItem, ScanError>> {
    let mut packs = PackFinder::default();
    let mut other_of = |path: &Path| {
        if !format.shares_name(path) {
            return None;
        }
        // A file that cannot be read fails later.
        let file = packs.find(path).and_then(|file| file.reader()).ok()?;
        format.other_of(path, file).ok()?
    };
    let items = folder.files().filter_map(|(path, level)| {
        if level > depth || !format.has_name(&path) {
            return None;
        }
        Some(Ok(match other_of(&path) {
            Some(other) => FolderItem::OtherFormat(path, other),
            None => FolderItem::File(path),
        }))
    });
    items.collect()
}

/// Returns the canonical path of a file that was found in a folder; `None` if a link leads outside of the folder.
///
/// # Errors
/// When the path or the folder does not exist, or cannot be examined.
pub fn path_inside(path: &Path, folder: &Path) -> io::Result<Option<PathBuf>> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    // The system resolves all kinds of links, such as junctions.
    let (path, folder) = (canonical(path)?, canonical(folder)?);
    Ok(path.starts_with(folder).then_some(path))
}

fn folder_error(folder: &Path, error: walkdir::Error) -> ScanError {
    let path = error.path().unwrap_or(folder).display().to_string();
    let message = error.to_string();
    // The message of `walkdir` repeats the path.
    let error = error.into_io_error();
    let error = error.unwrap_or_else(|| io::Error::other(message));
    ScanError::Folder {
        path,
        error: Arc::new(error),
    }
}

/// Returns `true` if a string has characters of a pattern of paths: `*`, `?` or `[`.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Splits a pattern into the folder that is searched, and the pattern of paths in this folder, with slashes.
fn split(pattern: &Path) -> (PathBuf, String) {
    let is_wild = |part: &Component<'_>| match part {
        Component::Normal(name) => is_pattern(&name.to_string_lossy()),
        _ => false,
    };
    let parts: Vec<_> = pattern.components().collect();
    let first = parts.iter().position(is_wild).unwrap_or(parts.len());
    let rest: Vec<_> = parts[first..]
        .iter()
        .map(|part| distinct_text(part.as_os_str()))
        .collect();
    (parts[..first].iter().collect(), rest.join("/"))
}

/// Converts a file name to a string. Different names give different strings. Bytes that are not UTF-8 become
/// characters for private use at the end of Unicode.
fn distinct_text(name: &OsStr) -> Cow<'_, str> {
    const FIRST: u32 = 0x0010_FF00;
    if let Some(text) = name.to_str() {
        return text.into();
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        let bytes = chunk.invalid().iter();
        text.extend(bytes.filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
    }
    text.into()
}

/// Returns the files and folders that match a pattern such as `study/**/*.bin`, sorted, and an error for each folder
/// that cannot be read.
///
/// `*` and `?` match no separator of paths, and no dot at the start of a name. `**` matches any number of folders; it
/// does not enter links to folders, as a search of a folder does not. In a path that is not Unicode, each byte that is
/// not UTF-8 counts as a character.
///
/// # Errors
/// When the pattern is invalid.
pub fn matching(
    pattern: impl AsRef<Path>,
    is_case_sensitive: bool,
) -> Result<Vec<Result<PathBuf, ScanError>>, ScanError> {
    let pattern = pattern.as_ref();
    let (folder, rest) = split(pattern);
    let wanted = Pattern::new(&rest).map_err(|error| ScanError::Pattern {
        pattern: pattern.display().to_string(),
        message: error.msg.to_owned(),
    })?;
    let options = MatchOptions {
        case_sensitive: is_case_sensitive,
        require_literal_separator: true,
        // Unfinished files begin with a dot.
        require_literal_leading_dot: true,
    };
    let root = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    let mut found = Vec::new();
    let match_pack = |pack: &Path, found: &mut Vec<_>| {
        // A pack that cannot be read is found as a file if it matches.
        let Some(files) = PackFolder::open(pack).ok().flatten() else {
            return;
        };
        for (path, _) in files.files() {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            if wanted.matches_with(&distinct_text(relative.as_os_str()), options) {
                found.push(Ok(folder.join(relative)));
            }
        }
    };
    if !root.is_dir() {
        match_pack(root, &mut found);
        return Ok(found);
    }
    let is_recursive = rest.split('/').any(|part| part == "**");
    let depth = if is_recursive {
        usize::MAX
    } else {
        rest.split('/').count()
    };
    // Links to folders may form circles, or lead to the same files many times.
    let walk = WalkDir::new(root)
        .min_depth(1)
        .max_depth(depth)
        .follow_links(!is_recursive);
    let has_hidden = rest.split('/').any(|part| part.starts_with('.'));
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let entries = walk
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| has_hidden || entry.depth() == 0 || !is_hidden(entry.file_name()));
    for entry in entries {
        let level = entry.as_ref().map_or(0, |entry| entry.depth());
        let path = match entry {
            Ok(entry) => entry.into_path(),
            Err(error) if error.loop_ancestor().is_some() => continue,
            // A link to nothing fails when it is opened.
            Err(error) => match error.path().filter(|path| path.is_symlink()) {
                Some(link) => link.to_owned(),
                None => {
                    found.push(Err(folder_error(root, error)));
                    continue;
                }
            },
        };
        let relative = path.strip_prefix(root).unwrap_or(&path);
        if wanted.matches_with(&distinct_text(relative.as_os_str()), options) {
            found.push(Ok(folder.join(relative)));
        }
        if may_lead_into_pack(&path) && level < depth && is_pack(&path) {
            match_pack(&path, &mut found);
        }
    }
    Ok(found)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_that_lead_out_of_a_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let study = folder.path().join("study");
        fs::create_dir_all(study.join("inner")).unwrap();
        for file in ["secret.bin", "study/take.bin", "study.bin"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        symlink("../secret.bin", study.join("out.bin")).unwrap();
        symlink("out.bin", study.join("chain.bin")).unwrap();
        // The path of this file begins with the path of the folder, but not with its parts.
        symlink("../study.bin", study.join("similar.bin")).unwrap();
        symlink("../take.bin", study.join("inner/in.bin")).unwrap();
        symlink("..", study.join("inner/up")).unwrap();
        symlink(&study, folder.path().join("link")).unwrap();
        let is_inside = |path: &str, folder_of_path: &str| {
            let path = folder.path().join(path);
            let inside = path_inside(&path, &folder.path().join(folder_of_path));
            inside.unwrap().is_some()
        };
        for path in ["take.bin", "inner/in.bin", "inner/up/take.bin"] {
            assert!(is_inside(&format!("study/{path}"), "study"), "{path}");
            assert!(is_inside(&format!("link/{path}"), "link"), "{path}");
        }
        for path in ["out.bin", "chain.bin", "similar.bin", "inner/up/out.bin"] {
            assert!(!is_inside(&format!("study/{path}"), "study"), "{path}");
        }
        assert!(path_inside(&study.join("missing.bin"), &study).is_err());
    }
}
