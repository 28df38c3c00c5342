//! Files of any format: the only place that decides in which format a file is read.

use std::path::Path;

use inputanim::{Corrections, Limits, RecoveredRecording};

use crate::detect::unread::UnreadFormat;
use crate::dispatch::{explained, note_unknown, read};
use crate::shared::{Error, FileAccess, Format, ReadOptions, Report};

/// The content of a file, and what the caller knows about it.
///
/// ```
/// use inputanim_convert::{Format, InputFile};
/// let file = InputFile { bytes: b"time_s,left.pinching\n0,0\n0.5,1\n", path: None, format: None };
/// assert_eq!(file.format(), Format::Csv);
/// let (read, _) = file.read(Default::default(), &file.options(Default::default()))?;
/// assert_eq!(read.recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InputFile<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// The path. Its name counts where the content does not state the format, and other files are read from its folder.
    pub path: Option<&'a Path>,
    /// The format if the caller states it.
    pub format: Option<Format>,
}

impl<'a> InputFile<'a> {
    /// Returns the format that the caller stated, else the format of the content, else the format of the file name. A
    /// file of no known format counts as [`Format::Bin`], whose reader states what was expected and found.
    pub fn format(&self) -> Format {
        self.known_format().unwrap_or(Format::Bin)
    }

    /// Returns the format, as [`format`](InputFile::format) does, and `None` for a file of no known format.
    pub fn known_format(&self) -> Option<Format> {
        let detected = || Format::detect(self.bytes);
        let named = || self.path.and_then(Format::from_path);
        self.format.or_else(detected).or_else(named)
    }

    /// Returns the format, as [`format`](InputFile::format) does. Fails if the content is of no known format, but of a kind
    /// that is recognised and not read.
    ///
    /// ```
    /// use inputanim_convert::InputFile;
    /// let file = InputFile { bytes: b"HIERARCHY\nROOT Hips\n", path: None, format: None };
    /// assert_eq!(file.check_format().unwrap_err().to_string(), "this is a BVH file, and such files are not read");
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Unread`].
    pub fn check_format(&self) -> Result<Format, Error> {
        let format = self.format();
        // The content of other formats is examined when a reader refuses it.
        let is_other = format == Format::Bin && !self.bytes.starts_with(&inputanim::MAGIC);
        let kind = is_other.then(|| UnreadFormat::detect(self.bytes));
        match kind.flatten() {
            Some(kind) => Err(Error::Unread(kind)),
            None => Ok(format),
        }
    }

    /// Returns the default options for reading the file within `limits`. They give access to the other files in its
    /// folder if the path is known.
    pub fn options(&self, limits: Limits) -> ReadOptions {
        let folder = self.path.map(|path| path.parent().unwrap_or(Path::new("")));
        let files = folder.map(|folder| FileAccess::folder(folder, limits));
        ReadOptions {
            limits,
            files: files.unwrap_or_default(),
            file_name: self
                .path
                .and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned())),
            ..ReadOptions::default()
        }
    }

    /// Reads the recording, corrects it, and returns it with a report of losses and notes. The correction
    /// [`recover`](Corrections::recover) has an effect on [`Format::Bin`] only; the others have an effect on all
    /// formats.
    ///
    /// # Errors
    /// Returns the errors of [`read`], and of [`Corrections::read`].
    pub fn read(
        &self,
        corrections: Corrections,
        options: &ReadOptions,
    ) -> Result<(RecoveredRecording<'a>, Report), Error> {
        let format = self.format();
        let (read, mut report) = if format == Format::Bin {
            let read = corrections.read(self.bytes, &options.limits);
            let read = read.map_err(|error| explained(error.into(), format, self.bytes))?;
            (read, Report::default())
        } else {
            let (recording, report) = read(format, self.bytes, options)?;
            (corrections.apply(recording.into()), report)
        };
        note_unknown(&read.recording, &mut report);
        Ok((read, report))
    }
}
