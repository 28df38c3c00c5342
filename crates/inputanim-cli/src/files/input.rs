//! Input: files, folders and standard input.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use clap::Args;
use inputanim::names::similar;
use inputanim::{Corrections, Limits, Parts, Pauses, Recording, RecoveredRecording, Sampler};
use inputanim_convert::tables::PathPattern;
use inputanim_convert::{
    Format, InputFile, LossKind, MarkerList, ReadField, ReadOptions, Report, UnreadFormat,
};
use inputanim_scan::packs::{self, PackError, StoredBytes, StoredFile, is_folder, path_in_pack};
use inputanim_scan::{FileBytes, FileOpener, FolderItem, Notice, Source};

use crate::arguments::values::formats;
use crate::files::output::folder_of;
use crate::messages::diagnostics::{
    self, holding_panic_messages, note, note_of_file, warn, warn_of_loss,
};
use crate::messages::file_name::FileName;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::suggestion;
use crate::messages::text::count;

/// The recordings that a command reads.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Recordings (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Search folders for recordings (.bin, or the format of --input-format)
    #[arg(short, long)]
    recursive: bool,
    #[command(flatten)]
    pub(crate) from: FromArgs,
}

/// Options for reading inputs.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct FromArgs {
    /// The format of the inputs [default: detected from their content; with -r, folders are searched for bin]
    #[arg(long = "input-format", value_name = "FORMAT", value_parser = formats(Format::can_read))]
    pub(crate) from: Option<Format>,
    /// The time without frames of an input from which everything is unknown: seconds, or `none` [default: 0.5, and at
    /// least 10 times the median interval]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) pauses: Option<Pauses>,
}

impl FromArgs {
    /// Returns the format of the files to look for in folders: of `--input-format`, otherwise .bin.
    pub(crate) fn searched(self) -> Format {
        self.from.unwrap_or(Format::Bin)
    }
}

impl Files {
    /// Returns a command line that applies the command `verb` to all files, or `None` if they are too many for one
    /// line.
    pub(crate) fn command(&self, verb: &str) -> Option<String> {
        suggestion::of_many(verb, &self.paths, self.recursive, self.from.from)
    }

    /// Finds all files, including those in folders, sorted by name. Prints the errors of folders that cannot be
    /// searched.
    pub(crate) fn find(&self) -> anyhow::Result<FoundFiles> {
        let found = FoundFiles::of(&self.paths, self.recursive, self.from.searched(), |_, _| {
            false
        })?;
        found.errors.iter().for_each(diagnostics::report);
        Ok(found)
    }
}

/// The files that a command line names, and the files in the folders that it names.
#[derive(Default)]
pub(crate) struct FoundFiles {
    /// The files, each once.
    pub(crate) files: Vec<FoundFile>,
    /// Errors of folders that cannot be searched.
    pub(crate) errors: Vec<anyhow::Error>,
}

impl FoundFiles {
    /// Finds the files of a command line, and in its folders the files of a format. `is_output` gets a file and the
    /// folder in which it was found, and returns `true` if the file is an output of the command.
    pub(crate) fn of(
        paths: &[PathBuf],
        is_recursive: bool,
        format: Format,
        is_output: impl Fn(&Path, &Path) -> bool,
    ) -> anyhow::Result<FoundFiles> {
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        for path in paths {
            if !is_folder(path) {
                files.push(FoundFile::named(path));
            } else if is_recursive {
                for file in recordings_in(path, format, usize::MAX) {
                    match file {
                        // The outputs of an earlier run may be in a folder of inputs. They are not inputs.
                        Ok(file) if is_output(&file.path, path) => {}
                        Ok(file) => files.push(file),
                        Err(error) => errors.push(error),
                    }
                }
            // A shell pattern such as `*` also matches folders, so among several paths a folder is
            // no error.
            } else if paths.len() > 1 {
                let name = path.display();
                let kind = if path.is_dir() { "folder" } else { "pack" };
                warn(format_args!(
                    "skipped: {name} is a {kind} (-r searches folders)"
                ));
            } else {
                return Err(folder_refusal(path, "-r searches folders"));
            }
        }
        // A file may be named on the command line and found in a folder too. A link to a file is a file of its own.
        let mut seen = HashSet::new();
        // The files of a folder follow each other, and the system resolves links slowly.
        let mut last = (PathBuf::new(), PathBuf::new());
        files.retain(|file| {
            let folder = folder_of(&file.path);
            if last.0 != folder {
                last = (folder.to_owned(), canonical(folder));
            }
            let name = file.path.file_name().map(ToOwned::to_owned);
            seen.insert((last.1.clone(), name))
        });
        if files.is_empty() && errors.is_empty() {
            if let [folder] = paths
                && UnreadFormat::of_folder(folder).is_some()
            {
                return Err(folder_refusal(folder, "-r searches folders"));
            }
            let extension = format.extensions().first().unwrap_or(&"bin");
            let hint = format!(
                "folders are searched for .{extension} files, except the output folder; --input-format names another \
                 format"
            );
            return Err(Refusal::failure("no recordings found", hint));
        }
        Ok(FoundFiles { files, errors })
    }

    /// Returns the paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Returns `Failed` if a folder could not be searched, otherwise `Done`.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.errors.is_empty() {
            Outcome::Done
        } else {
            Outcome::Failed
        }
    }
}

/// Returns the error of a folder that is an input, with a hint unless the folder is a dataset of a known kind.
pub(crate) fn folder_refusal(path: &Path, hint: &'static str) -> anyhow::Error {
    let kind = if path.is_dir() { "folder" } else { "pack" };
    let message = format!("{} is a {kind}", path.display());
    match UnreadFormat::of_folder(path) {
        Some((kind, name)) => {
            let message = format!("{message} with {name}, and such datasets are not read");
            Refusal::usage(message, kind.advice())
        }
        None => Refusal::usage(message, hint),
    }
}

/// A file to read, and where it was found.
#[derive(Clone, Debug)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    /// The folder that was searched. For a file on the command line, it is the folder of the file.
    folder: PathBuf,
    /// `true` if the path is on the command line.
    is_named: bool,
}

impl FoundFile {
    /// Creates the entry for a file that the command line names.
    pub(crate) fn named(path: &Path) -> FoundFile {
        FoundFile {
            path: path.to_owned(),
            folder: path.parent().map(Path::to_owned).unwrap_or_default(),
            is_named: true,
        }
    }

    /// Creates the entry for a file that was found in a folder.
    fn in_folder(path: PathBuf, folder: &Path) -> FoundFile {
        FoundFile {
            path,
            folder: folder.to_owned(),
            is_named: false,
        }
    }

    /// Creates the entry for a file beside this one, which the command line does not name.
    pub(crate) fn neighbour(&self, path: PathBuf) -> FoundFile {
        FoundFile::in_folder(path, &self.folder)
    }

    /// Returns the file as an input of a scan.
    pub(crate) fn source(&self) -> Source {
        Source::InFolder {
            path: self.path.clone(),
            folder: self.folder.clone(),
        }
    }

    /// Returns the path and the folder in which the file was found. Recordings get their names from these.
    pub(crate) fn parts(&self) -> (&Path, &Path) {
        (&self.path, &self.folder)
    }

    /// Returns the path to open. Fails if the path leads out of the folder in which it was found.
    ///
    /// A folder may come from someone else. A link in it could lead to any file of the user, so a file outside of the
    /// folder is refused, unless the user named it.
    pub(crate) fn path_inside(&self) -> anyhow::Result<PathBuf> {
        if self.is_named {
            return Ok(self.path.clone());
        }
        let path = inputanim_scan::path_inside(&self.path, &self.folder)
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        path.ok_or_else(|| {
            let folder = self.folder.display();
            let error = Refusal::failure(
                format!("the link leads to a file outside of {folder}"),
                "give the path of this file on the command line to include it",
            );
            error.context(FileName::new(&self.path))
        })
    }

    /// Returns the path relative to the folder in which the file was found.
    pub(crate) fn relative(&self) -> &Path {
        self.path.strip_prefix(&self.folder).unwrap_or(&self.path)
    }
}

/// Returns the files of a format in a folder and its subfolders, sorted by name, with the errors of folders that cannot
/// be read. A depth of 1 finds only those in the folder itself.
pub(crate) fn recordings_in(
    folder: &Path,
    format: Format,
    depth: usize,
) -> Vec<anyhow::Result<FoundFile>> {
    let (mut files, mut others) = (Vec::new(), Vec::new());
    for item in inputanim_scan::files_in(folder, depth, format) {
        match item {
            Ok(FolderItem::File(path)) => files.push(Ok(FoundFile::in_folder(path, folder))),
            Ok(FolderItem::LinkToFolder(path)) => {
                let name = path.display();
                warn(format_args!("skipped: {name} is a link to a folder"));
            }
            Ok(FolderItem::OtherFormat(path, other)) => others.push((path, other)),
            Err(error) => files.push(Err(error.into())),
        }
    }
    if let [(first, found), rest @ ..] = others.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(", and {}", count(more, "more file")),
        };
        let (found, searched) = (*found, format);
        let formats = Notice::OtherFormat { found, searched }.detail();
        // A search for files with a shared extension was asked for by name.
        let hint = match format {
            Format::Bin => format!(" (--input-format {found} searches for them)"),
            _ => String::new(),
        };
        note(format_args!(
            "skipped: {} is {formats}{more}{hint}",
            first.display()
        ));
    }
    if files.is_empty() && others.is_empty() {
        let [extension, ..] = format.extensions() else {
            return files;
        };
        let name = folder.display();
        warn(format_args!("no .{extension} files in {name}"));
    }
    files
}

/// Returns the canonical path. For a file that does not exist yet, the path of its folder is made canonical.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    packs::canonical(path).unwrap_or_else(|_| {
        let folder = folder_of(path);
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        folder.join(path.file_name().unwrap_or_default())
    })
}

/// Returns the values of the columns that a path pattern names, for the path of a file. Fails if the path does not
/// match the pattern.
pub(crate) fn path_values(pattern: &PathPattern, file: &str) -> anyhow::Result<Vec<String>> {
    pattern
        .values(file)
        .ok_or_else(|| path_refusal(&pattern.to_string()).context(FileName::new(file.as_ref())))
}

/// Returns the error of a path that does not match a pattern.
pub(crate) fn path_refusal(pattern: &str) -> anyhow::Error {
    let message = format!("the path does not match the pattern \"{pattern}\"");
    let hint = "write each column in braces, such as {participant}; {*} matches any text";
    Refusal::failure(message, hint)
}

/// Corrections of the recordings that a command reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct CorrectionArgs {
    /// Repair the recordings first, as `repair` does
    #[arg(long)]
    repair: bool,
    /// Read the intact parts of recordings that are not well formed, as `recover` does
    #[arg(long)]
    recover: bool,
    /// Make poses and gaze of zeros unknown first: some trackers write them while they have lost an object
    #[arg(long)]
    forget_zeros: bool,
}

impl CorrectionArgs {
    pub(crate) fn corrections(self) -> Corrections {
        let mut corrections = Corrections::default();
        corrections.repair = self.repair;
        corrections.recover = self.recover;
        corrections.forget_zeros = self.forget_zeros;
        corrections
    }
}

/// A recording as the bytes of an MRTK file, and the parts that such a file cannot hold.
pub(crate) struct AsBin<'a> {
    /// The bytes. They may be malformed.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// The parts that the bytes cannot hold.
    pub(crate) parts: Parts,
    /// The report of the conversion from another format.
    pub(crate) report: Report,
}

/// The bytes of one recording.
#[derive(Debug)]
pub(crate) struct Input {
    name: String,
    bytes: Bytes,
    /// The format, unless it is detected.
    format: Option<Format>,
    pauses: Pauses,
    /// The damage of a file of another format than .bin, which is known when the file was read.
    damage: OnceLock<String>,
}

#[derive(Debug)]
enum Bytes {
    Read(StoredBytes),
    Mapped(memmap2::Mmap),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Read(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

/// Files from this size on are mapped. Smaller ones are read, which takes a few milliseconds and
/// cannot be disturbed by another program.
const MAP_FROM: u64 = 16 << 20;

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, limits: &Limits) -> anyhow::Result<Input> {
        let bytes = open_bytes(path, limits).map_err(|error| read_error(path, &error))?;
        let name = path.display().to_string();
        Ok(Input {
            name,
            bytes,
            format: None,
            pauses: Pauses::default(),
            damage: OnceLock::new(),
        })
    }

    /// Opens a file as [`open`](Self::open) does. `from` has the format of the file, or `None` to detect it. Fails if it has
    /// an option without effect.
    pub(crate) fn open_as(path: &Path, from: FromArgs, limits: &Limits) -> anyhow::Result<Input> {
        Input::open(path, limits)?.with(from)
    }

    /// Reads a complete file into memory, because other programs may change it later.
    pub(crate) fn read_as(path: &Path, from: FromArgs, limits: &Limits) -> anyhow::Result<Input> {
        let bytes = StoredFile::find(path).and_then(|file| file.read(limits, || false));
        Input {
            name: path.display().to_string(),
            bytes: Bytes::Read(bytes.map_err(|error| read_error(path, &error))?),
            format: None,
            pauses: Pauses::default(),
            damage: OnceLock::new(),
        }
        .with(from)
    }

    /// Sets how the file is read. Fails if an option has no effect.
    fn with(mut self, from: FromArgs) -> anyhow::Result<Input> {
        self.format = from.from;
        self.pauses = from.pauses.unwrap_or_default();
        let given = ("--pauses", ReadField::Pauses, from.pauses.is_some());
        match self.format().check_read([given]) {
            Ok(()) => Ok(self),
            Err(error) => {
                let message = format!("{}: {error}", self.name);
                Err(Refusal::usage(message, "remove it"))
            }
        }
    }

    /// Returns the file in the form that the conversion library reads.
    fn file(&self) -> InputFile<'_> {
        InputFile {
            bytes: &self.bytes,
            path: Some(Path::new(&self.name)),
            format: self.format,
        }
    }

    /// Returns the format of the file: of `--input-format`, else by the content, else by the name.
    pub(crate) fn format(&self) -> Format {
        self.file().format()
    }

    /// Returns the default options for reading this file.
    pub(crate) fn options(&self, limits: &Limits) -> ReadOptions {
        let mut options = self.file().options(*limits);
        options.pauses = self.pauses;
        options
    }

    /// Returns the path of the file, or `-` for standard input.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name as context of an error, for which hints then name the file.
    pub(crate) fn context(&self) -> FileName {
        FileName::new(self.name.as_ref())
    }

    /// Returns the name of the file without its folder; standard input has none.
    pub(crate) fn file_name(&self) -> Option<String> {
        let path = Some(Path::new(&self.name)).filter(|path| *path != Path::new("-"))?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the recording as the bytes of an MRTK file, and the parts that such a file cannot hold. Content that the layout cannot
    /// represent is dropped and reported.
    pub(crate) fn as_bin(&self, limits: &Limits) -> anyhow::Result<AsBin<'_>> {
        let format = self.file().check_format().with_context(|| self.context())?;
        if format == Format::Bin {
            return Ok(AsBin {
                bytes: Cow::Borrowed(&self.bytes),
                parts: Parts::default(),
                report: Report::default(),
            });
        }
        let options = self.options(limits);
        let read = || inputanim_convert::read_in_layout(format, &self.bytes, &options);
        let (mut recording, report) =
            holding_panic_messages(read).with_context(|| self.context())?;
        let parts = recording.take_parts();
        Ok(AsBin {
            bytes: Cow::Owned(recording.to_bytes()?),
            parts,
            report,
        })
    }

    /// Reads the recording, which must be well formed. Prints the losses and notes of its format.
    pub(crate) fn recording(&self, limits: &Limits) -> anyhow::Result<Recording<'_>> {
        Ok(self.read_whole(limits)?.0)
    }

    /// Reads the recording, and prints the losses and notes of its format. Returns `Outcome::DataLost` with it if data
    /// was lost.
    pub(crate) fn read_whole(&self, limits: &Limits) -> anyhow::Result<(Recording<'_>, Outcome)> {
        self.corrected(CorrectionArgs::default(), limits)
    }

    /// Reads the markers of the file, with the losses and notes of its format. `column` is the column of a table that has the names.
    pub(crate) fn read_markers(
        &self,
        column: Option<&str>,
        options: &ReadOptions,
    ) -> anyhow::Result<(MarkerList, Report)> {
        let read = self.file().read_markers(column, options);
        read.with_context(|| self.context())
    }

    /// Prints the losses and notes of reading the file, which is usually of another format than .bin.
    pub(crate) fn print_report(&self, report: &Report) {
        let name = self.context().to_string();
        for loss in &report.losses {
            warn_of_loss(&name, loss);
        }
        for note in &report.notes {
            note_of_file(&name, note.kind.title(), note);
        }
    }

    /// Returns a description of the damage that was found while a file of another format than .bin was read. `None` if
    /// there was none, or the file was not read yet.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    /// Reads the recording and applies `--recover` and `--repair`. Prints the losses and notes of its format. If data was
    /// lost or parts are missing, warns and returns `Outcome::DataLost`.
    pub(crate) fn corrected(
        &self,
        args: CorrectionArgs,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'_>, Outcome)> {
        let (read, report) = self.read(args.corrections(), &self.options(limits))?;
        let lost = self.print_and_keep(&report);
        let (recording, missing) = self.warn_of_missing(read);
        Ok((recording, lost.and(missing)))
    }

    /// Reads the recording with the options of a conversion, and applies `--recover` and `--repair`. If parts are missing,
    /// warns and returns `Outcome::DataLost`.
    pub(crate) fn read_corrected(
        &self,
        options: &ReadOptions,
        args: CorrectionArgs,
    ) -> anyhow::Result<(Recording<'_>, Report, Outcome)> {
        let (read, report) = self.read(args.corrections(), options)?;
        let (recording, outcome) = self.warn_of_missing(read);
        Ok((recording, report, outcome))
    }

    fn read(
        &self,
        corrections: Corrections,
        options: &ReadOptions,
    ) -> anyhow::Result<(RecoveredRecording<'_>, Report)> {
        let read = || self.file().read(corrections, options);
        holding_panic_messages(read).with_context(|| self.context())
    }

    /// Prints the losses and notes of reading the file, and keeps those that are damage for [`damage`](Self::damage()).
    /// Returns `Outcome::DataLost` if there are losses.
    fn print_and_keep(&self, report: &Report) -> Outcome {
        self.print_report(report);
        let damage = report.losses.iter();
        let damage = damage.filter(|loss| loss.kind == LossKind::Damage);
        let damage: Vec<String> = damage.map(ToString::to_string).collect();
        if !damage.is_empty() {
            self.damage.get_or_init(|| damage.join("; "));
        }
        if report.losses.is_empty() {
            Outcome::Done
        } else {
            Outcome::DataLost
        }
    }

    /// Returns the recording. If parts of it are missing, warns and returns `Outcome::DataLost`.
    fn warn_of_missing<'i>(&self, read: RecoveredRecording<'i>) -> (Recording<'i>, Outcome) {
        let Some(error) = &read.error else {
            return (read.recording, Outcome::Done);
        };
        let name = self.context();
        suggestion::set_recovered(Path::new(&self.name));
        warn(format_args!(
            "{name}: recovered, parts are missing: {error}"
        ));
        (read.recording, Outcome::DataLost)
    }

    /// Returns a sampler of the recording. The error names this file.
    pub(crate) fn sampler(&self, recording: &Recording<'_>) -> anyhow::Result<Sampler> {
        Sampler::new(recording).with_context(|| self.context())
    }

    /// Recovers the intact parts of the recording. Prints the losses and notes of its format.
    pub(crate) fn recover(&self, limits: &Limits) -> anyhow::Result<RecoveredRecording<'_>> {
        let mut corrections = Corrections::default();
        corrections.recover = true;
        let (read, report) = self.read(corrections, &self.options(limits))?;
        self.print_and_keep(&report);
        Ok(read)
    }
}

/// Returns the error of a file that cannot be opened or read.
pub(crate) fn read_error(path: &Path, error: &io::Error) -> anyhow::Error {
    let message = error.to_string();
    let error = match similar_file(path) {
        _ if PackError::of(error).is_some() => {
            let hint = PackError::of(error).and_then(|error| of_pack(error, path));
            match hint {
                Some(hint) => Refusal::failure(message, hint),
                None => anyhow::Error::msg(message),
            }
        }
        Some(other) if error.kind() == io::ErrorKind::NotFound => {
            Refusal::failure(message, format!("did you mean {other}?"))
        }
        _ => anyhow::Error::msg(message),
    };
    error.context(format!("cannot read {}", FileName::new(path)))
}

/// Returns what helps after an error of a pack; `path` is the pack, or a file in it.
fn of_pack(error: &PackError, path: &Path) -> Option<String> {
    let pack = path_in_pack(path).unwrap_or_else(|| path.to_owned());
    match error {
        PackError::Truncated(_) | PackError::Damaged(_) => Some(format!(
            "`inputanim unpack {} -o FOLDER` writes its complete files",
            suggestion::quoted(&pack.display().to_string())
        )),
        PackError::IsPack => Some("-r reads its recordings".to_owned()),
        PackError::NotFound(_) => Some("-r lists the recordings of a pack".to_owned()),
        PackError::Version(_) => Some("a newer version of the program reads it".to_owned()),
        PackError::Checksum { .. } => Some(format!(
            "copy the pack again from where it comes; `inputanim unpack --recover {} -o FOLDER` writes the damaged file too",
            suggestion::quoted(&pack.display().to_string())
        )),
        PackError::WindowsName(_) => {
            Some("commands read the file in its pack, and other systems unpack it".to_owned())
        }
        _ => None,
    }
}

/// Returns a function that opens the files of a scan as this program opens its inputs.
pub(crate) fn file_opener(limits: Limits) -> FileOpener {
    FileOpener::new(move |path| open_bytes(path, &limits).map(FileBytes::new))
}

/// Returns the path of an existing file in the same folder whose name is similar to that of `path`, such as one with a
/// typing error.
fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy();
    let files = folder_of(path).read_dir().ok()?.flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let name = similar(&wanted, names)?;
    Some(path.with_file_name(name).display().to_string())
}

/// Opens a file, or standard input for `-`.
fn open_bytes(path: &Path, limits: &Limits) -> io::Result<Bytes> {
    if path == Path::new("-") {
        let bytes = inputanim::read_bytes(io::stdin().lock(), limits)?;
        return Ok(Bytes::Read(bytes.into()));
    }
    let stored = StoredFile::find(path)?;
    if stored.member().is_some() {
        return stored.read(limits, || false).map(Bytes::Read);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // A pipe or a device has no length, and most cannot be mapped. Windows does not replace a mapped
    // file, so that a command could not write its output over its input.
    if cfg!(unix) && metadata.is_file() && metadata.len() >= MAP_FROM {
        return map(&file).map(Bytes::Mapped);
    }
    Ok(Bytes::Read(inputanim::read_bytes(file, limits)?.into()))
}

/// Maps a file into memory.
///
/// Should another program cut the file short meanwhile, the operating system ends this one
/// where it reads past the new end. This program never shortens a file: it writes a new one, which
/// then replaces the old one.
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is only read, and the file is not changed by this program while it lives.
    unsafe { memmap2::Mmap::map(file) }
}
