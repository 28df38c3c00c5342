//! Trial tables: segments of many recordings.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;

use inputanim::{Limits, TimeRange};
use inputanim_analysis::{
    CsvTableError, Segment, Target, TargetsError, Trial, targets_from_text, trials_from_csv,
};
use inputanim_convert::packs::StoredFile;
use inputanim_convert::text_to_utf8;
use inputanim_convert::without_extension;

use inputanim::names::similar;

/// A trial table: each row is a segment of a recording, with any other columns (docs/analysis.md).
#[derive(Clone, Debug, PartialEq)]
pub struct TrialTable {
    /// The path of the file; empty for a table that was not read from a file.
    name: String,
    columns: Vec<String>,
    trials: Vec<Trial>,
}

/// A trial table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialTableError {
    /// The file cannot be opened or read.
    #[error("cannot read the file: {0}")]
    Read(#[from] io::Error),
    /// The content is not a trial table.
    #[error(transparent)]
    Table(#[from] CsvTableError),
    /// The table has no rows.
    #[error("no trials found; expected a row for each trial")]
    Empty,
}

/// The names by which a trial table may name a recording, with slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingName {
    /// The name that [`recording_names`](crate::recording_names()) returns.
    pub name: String,
    /// The path as it was found, without its extension.
    pub path: String,
}

impl RecordingName {
    /// Creates the names from the name of a recording and the path of its file.
    pub fn new(name: &str, path: &str) -> RecordingName {
        RecordingName {
            // Two files that differ only in their extensions keep them in their names.
            name: name.to_owned(),
            path: plain(path),
        }
    }
}

/// Returns a path with slashes, and without its extension.
fn plain(path: &str) -> String {
    let path = path.replace('\\', "/");
    without_extension(path.strip_prefix("./").unwrap_or(&path)).to_owned()
}

/// A trial whose recording is not among those that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTrial {
    /// Line of the table, from 1.
    pub line: u64,
    /// Name of the recording, as the table gives it.
    pub recording: String,
    /// The recordings that it may mean, if there are several.
    pub candidates: Vec<String>,
    /// The most similar name, if there are none.
    pub similar: Option<String>,
}

impl fmt::Display for UnknownTrial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The number of candidates that are listed.
        const LISTED: usize = 5;
        let UnknownTrial { line, .. } = self;
        // Quoted with escapes: the name may contain any characters.
        let recording = plain(&self.recording);
        if self.candidates.is_empty() {
            write!(f, "line {line}: unknown recording {recording:?}")?;
            match &self.similar {
                Some(name) => write!(f, "; did you mean {name:?}?"),
                None => Ok(()),
            }
        } else {
            let listed: Vec<&str> = self.candidates.iter().map(String::as_str).collect();
            let more = if listed.len() > LISTED { ", …" } else { "" };
            let listed = listed[..listed.len().min(LISTED)].join(", ");
            write!(
                f,
                "line {line}: ambiguous recording {recording:?}; it matches {listed}{more}"
            )
        }
    }
}

/// Trials of a table that name no recording, or may mean several.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTrials {
    /// The path of the table; empty for a table that was not read from a file.
    pub table: String,
    /// The first trial of each name that is unknown or ambiguous.
    pub trials: Vec<UnknownTrial>,
}

impl std::error::Error for UnknownTrials {}

impl fmt::Display for UnknownTrials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The number of errors that are listed.
        const LISTED: usize = 5;
        let UnknownTrials { table, trials } = self;
        if !table.is_empty() {
            write!(f, "{table}: ")?;
        }
        let listed = trials.iter().take(LISTED).map(ToString::to_string);
        f.write_str(&listed.collect::<Vec<_>>().join("; "))?;
        match trials.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// A segment that is outside of its recording.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "trial {name:?} is outside the recording ({} s to {} s){}",
    recording.start, recording.end, milliseconds(*.may_be_milliseconds)
)]
#[non_exhaustive]
pub struct OutsideRecording {
    /// Name of the segment.
    pub name: String,
    /// First and last time of the recording, in seconds.
    pub recording: TimeRange,
    /// `true` if most times of the table are far after the end of the recording.
    pub may_be_milliseconds: bool,
}

/// Segments that are longer than their recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LongerTrials {
    /// Names of the segments; at least one.
    pub names: Vec<String>,
    /// First and last time of the recording, in seconds.
    pub recording: TimeRange,
    /// `true` if most times of the table are far after the end of the recording.
    pub may_be_milliseconds: bool,
}

impl fmt::Display for LongerTrials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TimeRange { start, end } = self.recording;
        let first = self.names.first().map_or("", String::as_str);
        let hint = milliseconds(self.may_be_milliseconds);
        match self.names.len() {
            1 => write!(f, "trial {first:?} exceeds")?,
            count => write!(f, "{count} trials, the first is {first:?}, exceed")?,
        }
        write!(f, " the recording ({start} s to {end} s){hint}")
    }
}

fn milliseconds(may_be: bool) -> &'static str {
    if may_be {
        "; are the times in milliseconds? A trial table has seconds"
    } else {
        ""
    }
}

impl TrialTable {
    /// Reads a table in CSV, as [`trials_from_csv`] does, in UTF-8 or UTF-16.
    ///
    /// # Errors
    /// When the text is not a trial table, or has no rows.
    ///
    /// ```
    /// use inputanim_scan::TrialTable;
    /// let table = "recording,start,end,condition\np01/take.bin,0.5,2.25,near\n";
    /// let table = TrialTable::from_csv(table.as_bytes())?;
    /// assert_eq!(table.columns(), ["condition"]);
    /// # Ok::<(), inputanim_scan::TrialTableError>(())
    /// ```
    pub fn from_csv(csv: &[u8]) -> Result<TrialTable, TrialTableError> {
        let trials = trials_from_csv(&text_to_utf8(csv))?;
        let first = trials.first().ok_or(TrialTableError::Empty)?;
        let columns = first.segment.columns.iter().map(|(name, _)| name.clone());
        Ok(TrialTable {
            name: String::new(),
            columns: columns.collect(),
            trials,
        })
    }

    /// Reads a trial table from a file, as [`from_csv`](Self::from_csv) does.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a trial table.
    pub fn open(path: &Path, limits: &Limits) -> Result<TrialTable, TrialTableError> {
        let table = TrialTable::from_csv(&bytes_of(path, limits)?)?;
        Ok(TrialTable {
            name: path.to_string_lossy().into_owned(),
            ..table
        })
    }

    /// Returns the path of the file with the table; empty for a table that was not read from a file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the other columns of the table, besides those of the recording, the times and the name of a
    /// trial.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the trials of each recording, in the order of the table. The result has an item for each of
    /// `recordings`, which is empty if the table does not name it.
    ///
    /// A table names a recording by its path, or by the last parts of its path, with or without the extension.
    ///
    /// # Errors
    /// When a trial names no recording, or may mean several.
    pub fn segments(
        &self,
        recordings: &[RecordingName],
    ) -> Result<Vec<Vec<Segment>>, UnknownTrials> {
        let mut segments = vec![Vec::new(); recordings.len()];
        let mut found: HashMap<&str, Option<usize>> = HashMap::new();
        let mut unknown = Vec::new();
        for trial in &self.trials {
            // A table has many trials of one recording.
            let index =
                found
                    .entry(&trial.recording)
                    .or_insert_with(|| match find(trial, recordings) {
                        Ok(index) => Some(index),
                        Err(error) => {
                            unknown.push(error);
                            None
                        }
                    });
            if let Some(index) = *index {
                segments[index].push(trial.segment.clone());
            }
        }
        if unknown.is_empty() {
            Ok(segments)
        } else {
            Err(UnknownTrials {
                table: self.name.clone(),
                trials: unknown,
            })
        }
    }

    /// Cuts segments at the ends of their recording. Returns those that were longer; `None` if there are none. Times
    /// may differ by [`TimeRange::ROUNDING`], because tables are rounded.
    ///
    /// # Errors
    /// When a segment is outside of the recording. Then none is changed.
    pub fn cut(
        segments: &mut [Segment],
        recording: TimeRange,
    ) -> Result<Option<LongerTrials>, OutsideRecording> {
        /// If a trial ends later than this many lengths of its recording, the unit of its times is probably wrong.
        const FAR: f32 = 10.0;
        const ROUNDING: f32 = TimeRange::ROUNDING;
        let (first, last) = (recording.start - ROUNDING, recording.end + ROUNDING);
        let far = FAR * recording.end.max(1.0);
        let far = segments.iter().filter(|segment| segment.range.end > far);
        let may_be_milliseconds = far.count() * 2 > segments.len();
        let outside = segments
            .iter()
            .find(|segment| segment.range.end < first || segment.range.start > last);
        if let Some(outside) = outside {
            return Err(OutsideRecording {
                name: outside.name.clone(),
                recording,
                may_be_milliseconds,
            });
        }
        let mut names = Vec::new();
        for segment in segments {
            let range = &mut segment.range;
            if range.start < first || range.end > last {
                names.push(segment.name.clone());
            }
            // Within the rounding, a trial may be just before or after the recording.
            range.start = range.start.clamp(recording.start, recording.end);
            range.end = range.end.clamp(recording.start, recording.end);
        }
        Ok((!names.is_empty()).then_some(LongerTrials {
            names,
            recording,
            may_be_milliseconds,
        }))
    }
}

/// A file of targets that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetFileError {
    /// The file cannot be opened or read.
    #[error("cannot read the file: {0}")]
    Read(#[from] io::Error),
    /// The content is not a list of targets.
    #[error(transparent)]
    Targets(#[from] TargetsError),
}

/// Reads a file with targets, as [`targets_from_text`] does, in UTF-8 or UTF-16.
///
/// # Errors
/// When the file cannot be read, or is not a list of targets.
pub fn read_targets(path: &Path, limits: &Limits) -> Result<Vec<Target>, TargetFileError> {
    Ok(targets_from_text(&text_to_utf8(&bytes_of(path, limits)?))?)
}

/// Reads a file. Fails if it is larger than [`Limits::max_bytes`].
fn bytes_of(path: &Path, limits: &Limits) -> io::Result<Vec<u8>> {
    let bytes: Vec<u8> = StoredFile::find(path)?.read(limits, || false)?.into();
    let max = limits.max_bytes;
    if bytes.len() as u64 > max {
        let message = format!("the file is larger than the limit of {max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Returns the index of the recording that a trial names. Fails if no recording, or more than one, has the name.
fn find(trial: &Trial, recordings: &[RecordingName]) -> Result<usize, UnknownTrial> {
    let wanted = plain(&trial.recording);
    let end = format!("/{wanted}");
    let given = trial.recording.replace('\\', "/");
    let has_name = |recording: &RecordingName| recording.name == wanted || recording.name == given;
    let is_meant = |RecordingName { name, path }: &RecordingName| {
        *path == wanted
            || path.ends_with(&end)
            || name.ends_with(&end)
            // A table may name more of the path than the caller.
            || wanted.ends_with(&format!("/{path}"))
    };
    let all = || recordings.iter().enumerate();
    let mut found: Vec<_> = all().filter(|(_, recording)| has_name(recording)).collect();
    if found.is_empty() {
        found = all().filter(|(_, recording)| is_meant(recording)).collect();
    }
    if let [(index, _)] = found[..] {
        return Ok(index);
    }
    // Recordings in several folders that are searched may have the same name.
    let is_named_twice = found.iter().filter(|(_, one)| has_name(one)).count() > 1;
    let candidates = found.iter().map(|(_, recording)| {
        let RecordingName { name, path } = recording;
        if is_named_twice { path } else { name }.clone()
    });
    let names = || recordings.iter().map(|recording| recording.name.clone());
    Err(UnknownTrial {
        line: trial.line,
        recording: trial.recording.clone(),
        candidates: candidates.collect(),
        similar: if found.is_empty() {
            similar(&wanted, names())
        } else {
            None
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(recording: &str) -> TrialTable {
        let csv = format!("recording,start,end,condition\n\"{recording}\",1,2,near\n");
        TrialTable::from_csv(csv.as_bytes()).unwrap()
    }

    fn recordings() -> Vec<RecordingName> {
        ["p1/grab", "p1/reach", "p2/grab"]
            .map(|name| RecordingName::new(name, &format!("study/{name}.bin")))
            .into()
    }

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let path = std::env::temp_dir().join(format!("trials-{}.csv", std::process::id()));
        std::fs::write(&path, "recording,start,end\np1,1,2\np2,1,2\n").unwrap();
        let mut limits = Limits::default();
        limits.max_bytes = 27;
        let error = TrialTable::open(&path, &limits).unwrap_err().to_string();
        assert!(
            error.contains("larger than the limit of 27 bytes"),
            "{error}"
        );
        limits.max_bytes = 34;
        assert_eq!(TrialTable::open(&path, &limits).unwrap().trials.len(), 2);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_trial_table_names_a_recording_by_the_end_of_its_path() {
        for (text, index) in [
            ("p1/grab", 0),
            ("p2\\grab.bin", 2),
            ("reach", 1),
            ("study/p1/reach.bin", 1),
            ("./study/p1/reach.BIN", 1),
            ("/data/study/p2/grab.bin", 2),
        ] {
            let segments = table(text).segments(&recordings()).unwrap();
            let lengths: Vec<usize> = segments.iter().map(Vec::len).collect();
            let expected: Vec<usize> = (0..3).map(|place| usize::from(place == index)).collect();
            assert_eq!(lengths, expected, "{text}");
            assert_eq!(
                segments[index][0].columns,
                [("condition".to_owned(), "near".to_owned())]
            );
        }
        for (text, expected) in [
            (
                "grab",
                "line 2: ambiguous recording \"grab\"; it matches p1/grab, p2/grab",
            ),
            (
                "p1/graab",
                "line 2: unknown recording \"p1/graab\"; did you mean \"p1/grab\"?",
            ),
            ("rab", "line 2: unknown recording \"rab\""),
        ] {
            let error = table(text).segments(&recordings()).unwrap_err();
            assert_eq!(error.trials.len(), 1);
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_trial_table_names_recordings_of_several_folders_by_their_paths() {
        let recordings = ["a/take.bin", "b/take.bin"].map(|path| RecordingName::new("take", path));
        let error = table("take").segments(&recordings).unwrap_err();
        assert_eq!(error.trials[0].candidates, ["a/take", "b/take"]);
        let segments = table("b/take").segments(&recordings).unwrap();
        assert_eq!([segments[0].len(), segments[1].len()], [0, 1]);
    }

    #[test]
    fn a_trial_table_names_recordings_that_differ_in_the_extension() {
        let names = ["take.bin", "take.json"];
        let recordings = names.map(|name| RecordingName::new(name, &format!("a/{name}")));
        let segments = table("take.json").segments(&recordings).unwrap();
        assert_eq!([segments[0].len(), segments[1].len()], [0, 1]);
        let error = table("take").segments(&recordings).unwrap_err();
        assert_eq!(error.trials[0].candidates, names);
    }

    #[test]
    fn trials_are_cut_at_the_ends_of_the_recording() {
        let recording = TimeRange {
            start: 0.0,
            end: 4.0,
        };
        let cut = |start, end| {
            let mut segments = [Segment::new("go", TimeRange { start, end })];
            let longer = TrialTable::cut(&mut segments, recording)?;
            let TimeRange { start, end } = segments[0].range;
            let longer = longer.map(|longer| longer.to_string());
            Ok::<_, OutsideRecording>((start, end, longer.unwrap_or_default()))
        };
        let exceeds = |hint: &str| format!("trial \"go\" exceeds the recording (0 s to 4 s){hint}");
        let milliseconds = "; are the times in milliseconds? A trial table has seconds";
        assert_eq!(cut(1.0, 2.0), Ok((1.0, 2.0, String::new())));
        assert_eq!(cut(3.0, 5.0), Ok((3.0, 4.0, exceeds(""))));
        assert_eq!(cut(0.0, 4000.0), Ok((0.0, 4.0, exceeds(milliseconds))));
        assert_eq!(cut(4.0005, 4.0008), Ok((4.0, 4.0, String::new())));
        assert_eq!(
            cut(5.0, 6.0).unwrap_err().to_string(),
            "trial \"go\" is outside the recording (0 s to 4 s)"
        );
    }
}
