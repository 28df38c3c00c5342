//! The rows of one file: all at once, or in parts that are computed when they are needed.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use inputanim::doctor::{Code, Finding};
use inputanim::names::ElementChoice;
use inputanim::{
    CurvePath, DeviceLoss, Element, Recording, RecoveredRecording, Sampler, TimeRange, edit,
};
use inputanim_analysis::{Analysis, Segment};
use inputanim_convert::frames::DeviceParts;
use inputanim_convert::tables::{Batch, Column, TableColumns, Values};
use inputanim_convert::{SampleError, Sampling, TableShape};

use crate::epochs::{Epoch, Epochs, RowSegments, SegmentColumn, keys_of_epochs, sampled_epochs};
use crate::error::{FileError, FileProblem, ScanError};
use crate::fields::{Content, Origin};
use crate::notice::{NotInShape, Notice};
use crate::opener::FileBytes;
use crate::recording::{OpenFile, RowPlan};
#[cfg(feature = "catalog")]
use crate::rows::catalog::{CatalogRows, CataloguedFile};
use crate::rows::{Computed, Damage, limited};
use crate::segments::Segments;
use crate::shape::{OnError, Shape};
use crate::shared::Shared;
use crate::trials::TrialTable;

/// The least number of rows that are evaluated from keys. For fewer rows, opening the recording again and finding the keys
/// of each curve takes longer than a sampler.
const DIRECT_ROWS: usize = 1024;

/// Some rows of an open recording.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) file: usize,
    /// `None` if the sampler has all that is needed.
    pub(crate) open: Option<Arc<OpenFile>>,
    pub(crate) plan: Arc<RowPlan>,
    pub(crate) sampler: Option<Sampler>,
    /// The rows that are not computed yet.
    pub(crate) rows: Range<usize>,
    /// All rows of the part.
    pub(crate) all: Range<usize>,
    /// The text of the column `damage`.
    pub(crate) damage: Option<Arc<str>>,
}

/// A file that is open.
pub(crate) struct Opened {
    pub(crate) open: OpenFile,
    /// The segments whose rows are listed, if there are segments.
    epochs: Option<Epochs>,
    /// The findings that change the events of segments.
    damage: Vec<Finding>,
    notices: Vec<Notice>,
}

impl Opened {
    pub(crate) fn new(open: OpenFile) -> Opened {
        Opened {
            open,
            epochs: None,
            damage: Vec::new(),
            notices: Vec::new(),
        }
    }
}

/// A file whose rows are computed.
pub(crate) struct Started {
    pub(crate) rows: StartedRows,
    pub(crate) facts: Facts,
}

#[derive(Debug)]
pub(crate) enum StartedRows {
    Part(Box<Part>),
    All(Batch),
}

/// Facts about a file besides its rows.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The text of the column `damage`, if it is selected.
    pub(crate) text: Option<Arc<str>>,
    /// The findings that change the selected columns.
    pub(crate) damage: Vec<Finding>,
    pub(crate) notices: Vec<Notice>,
}

/// The rows of a file, with its damage, warnings and notes.
#[derive(Debug)]
pub struct FileRows<'s> {
    shared: &'s Shared,
    file: usize,
    rows: StartedRows,
    /// The findings that change values of the selected columns.
    pub damage: Vec<Finding>,
    /// Notices about the rows.
    pub notices: Vec<Notice>,
}

impl<'s> FileRows<'s> {
    /// Opens the file with this index among the files of the scan, and prepares its rows.
    pub(crate) fn of(shared: &'s Shared, file: usize) -> Result<FileRows<'s>, FileProblem> {
        Ok(FileRows::new(shared, file, shared.start(file)?))
    }

    /// Prepares the rows of a recording, which the caller has read from the file with this index.
    pub(crate) fn of_recording(
        shared: &'s Shared,
        file: usize,
        recording: Recording<'static>,
    ) -> Result<FileRows<'s>, FileProblem> {
        let bytes = shared.files[file].bytes;
        let started = shared.start_opened(file, || Ok(OpenFile::of(recording, bytes)))?;
        Ok(FileRows::new(shared, file, started))
    }

    fn new(shared: &'s Shared, file: usize, started: Started) -> FileRows<'s> {
        let Started { rows, facts } = started;
        FileRows {
            shared,
            file,
            rows,
            damage: facts.damage,
            notices: facts.notices,
        }
    }

    /// Computes the rows that are left, and returns them as one batch.
    ///
    /// # Errors
    /// When the recording cannot be evaluated.
    pub fn all(mut self) -> Result<Batch, FileError> {
        let mut all = Batch::default();
        while let Some(batch) = self.next_rows(usize::MAX) {
            all.append(batch?, &self.shared.table.fields);
        }
        Ok(all)
    }

    /// Computes the next rows of the file; `None` at the end. The batch has at most `most` rows, unless the shape
    /// computes all rows at once.
    fn next_rows(&mut self, most: usize) -> Option<Result<Batch, FileError>> {
        let (shared, file) = (self.shared, self.file);
        let part = match &mut self.rows {
            StartedRows::All(batch) => {
                let batch = std::mem::take(batch);
                return (batch.rows > 0).then_some(Ok(batch));
            }
            StartedRows::Part(part) if part.rows.is_empty() => return None,
            StartedRows::Part(part) => part,
        };
        let (batch, segments) = match shared.rows(part, most, true) {
            Ok(rows) => rows.unwrap_or_default(),
            Err(problem) => {
                part.rows = 0..0;
                return Some(Err(shared.error(file, problem)));
            }
        };
        let damage = part.damage.clone();
        Some(Ok(shared.labelled(file, batch, segments, damage, None)))
    }
}

impl Iterator for FileRows<'_> {
    type Item = Result<Batch, FileError>;

    /// Computes the next rows of the file. The batch has at most
    /// [`ScanOptions::batch_rows`](crate::ScanOptions::batch_rows) rows, unless the shape computes all rows at once.
    fn next(&mut self) -> Option<Result<Batch, FileError>> {
        self.next_rows(self.shared.options.batch_rows.max(1))
    }
}

impl Shared {
    /// Reads only the curves of a large file that the columns need. Returns the bytes of a recording with these curves,
    /// and with the first and the last key of the others. `None` if the file must be read completely, for example
    /// because the rows are at the times of all keys.
    pub(crate) fn open_partially(&self, file: usize) -> io::Result<Option<FileBytes>> {
        let (options, choice) = (&self.options, &self.table.choice);
        let Content::Table(columns) = &self.table.content else {
            return Ok(None);
        };
        if options.shape == Shape::Keys
            || !matches!(options.sampling, Sampling::Rate(_))
            || !options.corrections.are_none()
            || options.has_epochs()
            || self.has_damage_column()
        {
            return Ok(None);
        }
        self.files[file].open_partially(options, |ends| {
            let reads = columns.reads(ends);
            move |path: CurvePath| {
                // Joints are valid only while their hand is tracked.
                let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
                is_state || reads(path) && choice.keeps(path.into())
            }
        })
    }

    /// Opens a file, and finds its segments if their rows are listed. Fails if the recording lacks the segments, or if
    /// one is outside of it.
    pub(crate) fn open(&self, file: usize) -> Result<Opened, FileProblem> {
        self.opened(file, || OpenFile::open(&self.files[file], &self.options))
    }

    /// Does what [`open`](Self::open) does for a file that `open` opens.
    fn opened(
        &self,
        file: usize,
        open: impl FnOnce() -> Result<OpenFile, FileProblem>,
    ) -> Result<Opened, FileProblem> {
        let (options, choice) = (&self.options, &self.table.choice);
        let mut open = open()?;
        self.table.check_names(open.with_devices().as_slice())?;
        if options.shape.is_analysed() || !options.has_epochs() {
            open.select(choice);
            return Ok(Opened::new(open));
        }
        // Segments are those of the complete recording.
        let all = ElementChoice::default();
        let (mut damage, mut notices) = (Vec::new(), Vec::new());
        let epochs = open.with(options, &all, |recording| {
            self.epochs(file, recording, &mut damage, &mut notices)
        })?;
        let mut opened = Opened {
            open,
            epochs: Some(epochs),
            damage,
            notices,
        };
        opened.open.select(choice);
        Ok(opened)
    }

    /// Returns the segments of a recording. Adds notices about them, and the findings that change events.
    fn epochs(
        &self,
        file: usize,
        recording: &Recording<'_>,
        damage: &mut Vec<Finding>,
        notices: &mut Vec<Notice>,
    ) -> Result<Epochs, FileProblem> {
        let options = &self.options;
        let known = recording.time_range();
        let range = known.unwrap_or(TimeRange {
            start: 0.0,
            end: 0.0,
        });
        let of_segments = |segments: &[Segment]| segments.iter().map(Epoch::of).collect();
        let all = match &options.segments {
            Segments::Recording => {
                let time = limited(options.time, recording, notices)?;
                let range = time.map_or(range, |time| time.closed_by(range));
                of_segments(&[Segment::new("", range)])
            }
            Segments::Trials(_) => {
                let mut trials = self.trials(file).unwrap_or_default().to_vec();
                let longer = TrialTable::cut(&mut trials, range)?;
                notices.extend(longer.map(Notice::TrialsExceed));
                of_segments(&trials)
            }
            Segments::Events { .. } => {
                let analysis = Analysis::of(recording, &options.parameters)?;
                notices.extend(analysis.notes().into_iter().map(Notice::Analysis));
                damage.extend(analysis.quality.used_findings().cloned());
                let epochs = options.segments.epochs(&analysis);
                notices.extend(options.segments.notice(&analysis, epochs.len()));
                epochs
            }
            segments => {
                let sampler =
                    Sampler::of_curves(recording, |_| false).map_err(SampleError::from)?;
                let found = segments.of_markers(sampler.markers(), range);
                of_segments(&found.transpose()?.unwrap_or_default())
            }
        };
        Ok(Epochs {
            all,
            damage: Vec::new(),
            known,
        })
    }

    /// Returns the plan of the rows of an open recording in a wide, tidy or keys table, and the facts about its file.
    /// Fails if the recording has no time of the time range, or cannot be sampled.
    pub(crate) fn planned(
        &self,
        file: usize,
        recording: &Recording<'_>,
        opened: &Opened,
    ) -> Result<(RowPlan, Facts), FileProblem> {
        let (damage, epochs) = self.damage_of(recording, opened);
        let mut notices = opened.notices.clone();
        let bytes = self.files[file].bytes.max(recording.encoded_len());
        let ranges = match &epochs {
            Some(epochs) => {
                let ranges = epochs.all.iter().map(Epoch::range);
                Some(TimeRange::union(ranges.collect()))
            }
            None => {
                let time = limited(self.options.time, recording, &mut Vec::new())?;
                time.map(|time| vec![time])
            }
        };
        let plan = self.plan(recording, bytes, epochs, &mut notices)?;
        let missing = self.not_in_shape(recording, ranges.as_deref());
        notices.extend(missing.map(Notice::NotInShape));
        Ok((plan, self.facts(file, &opened.open, damage, notices)))
    }

    /// Returns what the rows do not have of the devices of a recording in the time ranges of the rows, if all columns or only some
    /// curves are selected. Without ranges, these are all times.
    fn not_in_shape(
        &self,
        recording: &Recording<'_>,
        ranges: Option<&[TimeRange]>,
    ) -> Option<NotInShape> {
        let has_all_columns = self.options.columns.is_none();
        let shape = self.options.shape;
        let losses = recording.devices.iter().filter_map(|device| {
            let is_known = |parts: &DeviceParts| parts.name == device.name;
            let is_held = match shape {
                Shape::Tidy if has_all_columns => false,
                Shape::Wide if has_all_columns => {
                    device.is_empty() || self.options.devices.iter().any(is_known)
                }
                // Only keys of curves are rows.
                Shape::Keys => {
                    let curves = self.table.curves.as_ref()?;
                    device
                        .curves()
                        .find(|(path, _)| curves.contains(*path))
                        .map(|_| true)?
                }
                _ => return None,
            };
            let is_held = |element| match element {
                Element::Profile(_) if shape == Shape::Keys => false,
                _ => is_held,
            };
            let loss = match ranges {
                None => DeviceLoss::of(device, is_held),
                Some(ranges) => DeviceLoss::within(device, ranges, is_held),
            };
            (!loss.is_empty()).then_some(loss)
        });
        let losses: Vec<DeviceLoss> = losses.collect();
        (!losses.is_empty()).then_some(NotInShape { shape, losses })
    }

    /// Returns the damage of an open recording, and its segments with their damage.
    fn damage_of(
        &self,
        recording: &Recording<'_>,
        opened: &Opened,
    ) -> (Damage, Option<Arc<Epochs>>) {
        let mut damage = self.damage(recording);
        let epochs = opened.epochs.clone().map(|mut epochs| {
            if self.has_segment_damage() {
                epochs.set_damage(&damage.all);
            }
            Arc::new(epochs)
        });
        for finding in &opened.damage {
            let mut known = damage.affecting.iter();
            if !known.any(|known| known.code == finding.code) {
                damage.affecting.push(finding.clone());
            }
        }
        (damage, epochs)
    }

    fn plan(
        &self,
        recording: &Recording<'_>,
        bytes: u64,
        epochs: Option<Arc<Epochs>>,
        notices: &mut Vec<Notice>,
    ) -> Result<RowPlan, FileProblem> {
        let time = match &epochs {
            // The time range is the only segment.
            Some(_) => None,
            None => limited(self.options.time, recording, notices)?,
        };
        let Content::Table(columns) = &self.table.content else {
            return Ok(RowPlan::Keys { rows: 0, time });
        };
        let shape = match self.options.shape {
            Shape::Tidy => TableShape::Tidy,
            Shape::Keys => TableShape::Keys,
            _ => TableShape::Wide,
        };
        let reads = columns.reads(recording);
        RowPlan::new(shape, recording, &self.options, bytes, time, epochs, reads)
    }

    /// Returns the error of the file with this index. If an earlier file has not been opened and cannot be opened,
    /// returns the error of that file instead, so that the error does not depend on the order in which threads read the
    /// files.
    pub(crate) fn first_error(&self, file: usize, problem: FileProblem) -> ScanError {
        for earlier in (0..file).filter(|&earlier| !self.is_opened(earlier)) {
            if self.is_cancelled() {
                return ScanError::Cancelled;
            }
            if let Err(problem) = self.start(earlier) {
                return self.error(earlier, problem).into();
            }
        }
        self.error(file, problem).into()
    }

    /// Opens the file with this index. Computes all of its rows, or prepares them if the shape computes rows in parts.
    pub(crate) fn start(&self, file: usize) -> Result<Started, FileProblem> {
        self.start_opened(file, || OpenFile::open(&self.files[file], &self.options))
    }

    /// Does what [`start`](Self::start) does for a file that `open` opens.
    fn start_opened(
        &self,
        file: usize,
        open: impl FnOnce() -> Result<OpenFile, FileProblem>,
    ) -> Result<Started, FileProblem> {
        self.path_values(file)?;
        if let Some(rows) = self.known_rows(file) {
            return Ok(Started {
                rows: StartedRows::All(rows),
                facts: Facts::default(),
            });
        }
        let trials = self.trials(file);
        if trials.is_some_and(<[_]>::is_empty) {
            return Ok(Started {
                rows: StartedRows::All(Batch::default()),
                facts: Facts::default(),
            });
        }
        let trials = trials.unwrap_or_default();
        let opened = self.opened(file, open)?;
        let is_described = match &self.table.content {
            Content::Info(_) => true,
            #[cfg(feature = "catalog")]
            Content::Catalog(_) => true,
            Content::List(rows) => rows.are_findings(),
            _ => false,
        };
        if is_described {
            return self.described(file, &opened.open);
        }
        let (options, choice) = (&self.options, &self.table.choice);
        if let Content::Table(columns) = &self.table.content {
            let (plan, sampler, facts) = opened.open.with(options, choice, |recording| {
                let (plan, facts) = self.planned(file, recording, &opened)?;
                let sampler = self.sampler(columns, recording, &plan, 0..plan.len())?;
                Ok((plan, sampler, facts))
            })?;
            let rows = 0..plan.len();
            let part = Box::new(Part {
                file,
                // The recording is read again for keys, and for rows that need no sampler.
                open: sampler.is_none().then(|| Arc::new(opened.open)),
                plan: Arc::new(plan),
                sampler,
                all: rows.clone(),
                rows,
                damage: facts.text.clone(),
            });
            return Ok(Started {
                rows: StartedRows::Part(part),
                facts,
            });
        }
        let Computed {
            rows,
            segments,
            damage,
            mut notices,
        } = opened.open.with(options, choice, |recording| {
            Ok(match &self.table.content {
                Content::Events(rows) => rows.rows(recording, trials)?,
                Content::Stats(rows) => rows.rows(recording, trials)?,
                Content::List(rows) => {
                    let (damage, epochs) = self.damage_of(recording, &opened);
                    rows.rows(recording, damage, epochs)?
                }
                _ => Computed::default(),
            })
        })?;
        notices.extend(opened.notices);
        let facts = self.facts(file, &opened.open, damage, notices);
        let rows = self.labelled(file, rows, segments, facts.text.clone(), None);
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
    }

    /// Returns the rows that a catalogue has for the file with this index; `None` if the file must be opened.
    fn known_rows(&self, file: usize) -> Option<Batch> {
        let known = self.known.as_ref()?.row(file)?;
        let rows = match &self.table.content {
            Content::List(rows) => rows.known_findings(&known.columns)?,
            _ => Batch::new(1, known.columns),
        };
        Some(self.labelled(file, rows, None, known.damage, known.error.as_deref()))
    }

    /// Returns the file with this index as a row of the catalogue that is made.
    #[cfg(feature = "catalog")]
    fn catalogued(&self, file: usize) -> CataloguedFile<'_> {
        CataloguedFile {
            path: self.known.as_ref().map_or(&[], |known| known.path(file)),
            file: &self.files[file],
            checked_ns: self
                .options
                .catalogued
                .as_ref()
                .map_or(0, |(_, checked)| *checked),
        }
    }

    /// Returns the rows of the shapes `info` and `findings` for an open file. If the scan has a column for errors, they
    /// describe the intact parts of a file that is not well formed.
    fn described(&self, file: usize, open: &OpenFile) -> Result<Started, FileProblem> {
        let recovered = match open {
            OpenFile::Read { recording, .. } => (**recording).clone(),
            OpenFile::Bin(bytes) => {
                let (bytes, limits) = (bytes.as_slice(), &self.options.limits);
                let recovered = if self.options.on_error == OnError::Column {
                    Recording::recover_with(bytes, limits)
                } else {
                    Recording::parse_with(bytes, limits).map(RecoveredRecording::from)
                };
                recovered.map_err(FileProblem::Parse)?
            }
        };
        let error = recovered.error.as_ref().map(ToString::to_string);
        let damage = self.damage(&recovered.recording);
        let facts = self.facts(file, open, damage, Vec::new());
        let rows = match &self.table.content {
            Content::Info(rows) => rows.row(&recovered, open.format(), open.len()),
            #[cfg(feature = "catalog")]
            Content::Catalog(_) => CatalogRows::row(
                self.catalogued(file),
                &recovered,
                open.format(),
                open.len(),
                open.notices().len(),
            ),
            Content::List(rows) => rows.findings(&recovered),
            _ => Batch::default(),
        };
        let rows = self.labelled(file, rows, None, facts.text.clone(), error.as_deref());
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
    }

    /// Computes the next rows of a part, at most `free`, and their segments; `None` if there is no space for all rows of one instant of a
    /// tidy table. If `is_first` is true, at least one instant is computed.
    pub(crate) fn rows(
        &self,
        part: &mut Part,
        free: usize,
        is_first: bool,
    ) -> Result<Option<(Batch, Option<RowSegments>)>, FileProblem> {
        let Content::Table(columns) = &self.table.content else {
            return Ok(None);
        };
        let (options, choice) = (&self.options, &self.table.choice);
        let curves = self.table.curves.as_ref();
        let step = match self.options.shape {
            // An instant has a row for each joint.
            Shape::Tidy => match free / columns.rows_per_instant() {
                0 if is_first => 1,
                step => step,
            },
            _ => free,
        };
        if step == 0 {
            return Ok(None);
        }
        let rows = part.rows.start..part.rows.end.min(part.rows.start.saturating_add(step));
        if let (None, Some(open)) = (&part.sampler, &part.open) {
            let (plan, all) = (&part.plan, part.all.clone());
            if self.needs_sampler(columns, plan) {
                part.sampler = open.with(options, choice, |recording| {
                    self.sampler(columns, recording, plan, all)
                })?;
            }
        }
        let rows_and_segments = match (&*part.plan, &part.sampler, &part.open) {
            (RowPlan::Instants(instants), Some(sampler), _) => {
                let times = instants.times(rows.clone());
                let sampled = columns.sample(sampler, times);
                (sampled.batch, None)
            }
            (RowPlan::Instants(instants), None, Some(open)) => {
                open.with(options, choice, |recording| {
                    let rows = rows.clone();
                    let sampled = columns.sample_part(recording, instants, rows);
                    Ok((sampled?.batch, None))
                })?
            }
            (RowPlan::Epochs(planned), Some(sampler), _) => {
                sampled_epochs(columns, planned, sampler, rows.clone(), options)
            }
            (
                &RowPlan::EpochKeys {
                    rows: all,
                    ref epochs,
                },
                _,
                Some(open),
            ) => open.with(options, choice, |recording| {
                Ok(keys_of_epochs(
                    columns,
                    epochs,
                    recording,
                    rows.clone(),
                    all,
                    curves,
                ))
            })?,
            (&RowPlan::Keys { time, .. }, _, Some(open)) => {
                open.with(options, choice, |recording| {
                    let keys = columns.keys(recording, rows.clone(), time, curves);
                    Ok((keys, None))
                })?
            }
            _ => (Batch::default(), None),
        };
        part.rows.start = rows.end;
        Ok(Some(rows_and_segments))
    }

    /// Returns the sampler for some rows of a plan; `None` for rows that need no sampler, and for a recording without segments.
    fn sampler(
        &self,
        columns: &TableColumns,
        recording: &Recording<'_>,
        plan: &RowPlan,
        rows: Range<usize>,
    ) -> Result<Option<Sampler>, FileProblem> {
        let Some(instants) = plan.instants() else {
            return Ok(None);
        };
        let has_no_rows = matches!(plan, RowPlan::Epochs(_)) && rows.is_empty();
        if has_no_rows || !self.needs_sampler(columns, plan) {
            return Ok(None);
        }
        let sampler = instants.sampler(recording, rows, columns.reads(recording))?;
        Ok(Some(sampler))
    }

    /// Returns `true` if the rows of a plan are evaluated by a sampler. Keys are not evaluated. The rows of a long recording
    /// are evaluated from its keys.
    fn needs_sampler(&self, columns: &TableColumns, plan: &RowPlan) -> bool {
        match plan {
            RowPlan::Instants(instants) => {
                let rows = instants.len().min(self.options.batch_rows);
                rows < DIRECT_ROWS || columns.needs_sampler(instants)
            }
            // The instants of a batch may be anywhere in the recording.
            RowPlan::Epochs(_) => true,
            RowPlan::Keys { .. } | RowPlan::EpochKeys { .. } => false,
        }
    }

    fn has_damage_column(&self) -> bool {
        self.table.origins.contains(&Origin::Damage) || self.has_segment_damage()
    }

    fn has_segment_damage(&self) -> bool {
        let damage = Origin::Segment(SegmentColumn::Damage);
        self.table.origins.contains(&damage)
    }

    /// Returns the damage of a recording: the codes of all damage, and the findings that affect the selected columns.
    pub(crate) fn damage(&self, recording: &Recording<'_>) -> Damage {
        let Content::Table(columns) = &self.table.content else {
            // The other shapes describe a recording, and have no values that damage changes.
            return if self.has_damage_column() {
                Damage::of(recording, |_| false)
            } else {
                Damage::default()
            };
        };
        let reads = columns.reads(recording);
        if self.has_damage_column() {
            return Damage::of(recording, reads);
        }
        // Only the needed curves are examined; the others may even have no keys.
        let needed = recording
            .curves()
            .map(|(path, _)| path)
            .filter(|path| reads(*path));
        let needed: HashSet<Element> = needed.map(Element::from).collect();
        let mut needed_part = recording.clone();
        edit::select(&mut needed_part, |element| needed.contains(&element));
        Damage::of(&needed_part, reads)
    }

    /// Returns the facts about the file with this index, and stores its damage and its notices in the scan. `notices`
    /// are the notices about its rows.
    pub(crate) fn facts(
        &self,
        file: usize,
        open: &OpenFile,
        damage: Damage,
        mut notices: Vec<Notice>,
    ) -> Facts {
        let error = open.error();
        let text = |codes: &mut dyn Iterator<Item = Code>| {
            let recovered = error.map(|_| "recovered".to_owned());
            // `recovered` stands for the missing parts.
            let codes = codes.filter(|code| error.is_none() || !code.follows_from_missing_parts());
            let codes = Some(Code::list(codes)).filter(|codes| !codes.is_empty());
            let words: Vec<String> = codes.into_iter().chain(recovered).collect();
            (!words.is_empty()).then(|| words.join(" "))
        };
        let affecting = damage.affecting.iter().map(|finding| finding.code);
        if let Some(codes) = text(&mut affecting.into_iter()) {
            self.add_damaged(file, codes);
        }
        let all = self
            .has_damage_column()
            .then(|| text(&mut damage.all.iter().map(|finding| finding.code)));
        notices.extend(open.notices());
        self.add_notices(file, &notices);
        Facts {
            text: all.flatten().map(Arc::from),
            damage: damage.affecting,
            notices,
        }
    }

    /// Returns the strings that the path pattern takes from the path of the file with this index; none without a
    /// pattern. Fails if the path does not match.
    pub(crate) fn path_values(&self, file: usize) -> Result<Vec<String>, FileProblem> {
        let Some(pattern) = &self.options.path_pattern else {
            return Ok(Vec::new());
        };
        let values = pattern.values(&self.files[file].name);
        values.ok_or_else(|| FileProblem::Path(pattern.to_string()))
    }

    /// Adds the columns that tables of every shape have (file, recording, parts of the path, damage, error) to the rows
    /// of the file with this index. `segments` are the segments of the rows, if the shape has no columns of its own for
    /// them. `damage` and `error` are the texts of their columns.
    pub(crate) fn labelled(
        &self,
        file: usize,
        batch: Batch,
        segments: Option<RowSegments>,
        damage: Option<Arc<str>>,
        error: Option<&str>,
    ) -> Batch {
        let rows = batch.rows;
        let mut columns = batch.columns.into_iter();
        // The selected columns of the shape are in the order of the origins.
        self.assembled(file, rows, segments.as_ref(), damage, error, || {
            columns.next().unwrap_or_else(|| Column::missing(rows))
        })
    }

    /// Returns the rows of a file that failed, with the message in the column for errors. It is one row; all values of
    /// the shape are missing, except those that describe a file that is not well formed.
    pub(crate) fn failed(&self, file: usize, problem: &FileProblem) -> Batch {
        let message = problem.to_string();
        let rows = match (&self.table.content, problem) {
            #[cfg(feature = "catalog")]
            (Content::Catalog(_), problem) => {
                Some(CatalogRows::failed(self.catalogued(file), problem))
            }
            (Content::Info(rows), FileProblem::Parse(_)) => Some(rows.malformed()),
            (Content::Info(rows), FileProblem::Convert(error)) if error.is_foreign() => {
                Some(rows.malformed())
            }
            (Content::List(rows), FileProblem::Parse(error)) if rows.are_findings() => {
                rows.error(error)
            }
            _ => None,
        };
        if let Some(rows) = rows {
            return self.labelled(file, rows, None, None, Some(&message));
        }
        self.assembled(file, 1, None, None, Some(&message), || Column::missing(1))
    }

    fn assembled(
        &self,
        file: usize,
        rows: usize,
        segments: Option<&RowSegments>,
        damage: Option<Arc<str>>,
        error: Option<&str>,
        mut next: impl FnMut() -> Column,
    ) -> Batch {
        let ScanFileNames { name, recording } = self.names(file);
        let values = self.path_values(file).unwrap_or_default();
        let columns = self.table.origins.iter().map(|origin| match origin {
            Origin::File => Column::text(Arc::clone(name), rows),
            Origin::Recording => Column::text(Arc::clone(recording), rows),
            Origin::Path(index) => {
                let text = values.get(*index).map(|text| text.as_str().into());
                Column::new(Values::text(text, rows))
            }
            Origin::Segment(column) => {
                segments.map_or_else(|| Column::missing(rows), |rows| rows.column(*column))
            }
            Origin::Shape(_) => next(),
            Origin::Damage => Column::new(Values::text(damage.clone(), rows)),
            Origin::Error => Column::new(Values::text(error.map(Into::into), rows)),
        });
        Batch::new(rows, columns.collect())
    }

    fn names(&self, file: usize) -> ScanFileNames<'_> {
        let file = &self.files[file];
        ScanFileNames {
            name: &file.name,
            recording: &file.recording,
        }
    }
}

struct ScanFileNames<'f> {
    name: &'f Arc<str>,
    recording: &'f Arc<str>,
}
