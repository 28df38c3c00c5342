//! The rows of one file: all at once, or in parts that are computed when they are needed.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use inputanim::doctor::{Code, Finding};
use inputanim::{CurvePath, Element, Recording, RecoveredRecording, Sampler, edit};
use inputanim_convert::tables::{Batch, Column, TableColumns, Values};
use inputanim_convert::{Sampling, TableShape};

use crate::error::{FileError, FileProblem, ScanError};
use crate::fields::{Content, Origin};
use crate::notice::Notice;
use crate::opener::FileBytes;
use crate::recording::{OpenFile, RowPlan};
use crate::rows::{Computed, Damage, limited};
use crate::shape::{OnError, Shape};
use crate::shared::Shared;

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
        let Started { rows, facts } = shared.start(file)?;
        Ok(FileRows {
            shared,
            file,
            rows,
            damage: facts.damage,
            notices: facts.notices,
        })
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
        let batch = match shared.rows(part, most, true) {
            Ok(batch) => batch.unwrap_or_default(),
            Err(problem) => {
                part.rows = 0..0;
                return Some(Err(shared.error(file, problem)));
            }
        };
        Some(Ok(shared.labelled(file, batch, part.damage.clone(), None)))
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

    /// Returns the plan of the rows of a recording in a wide, tidy or keys table, and the notices about its time range.
    /// Fails if the recording has no time of the time range, or cannot be sampled.
    pub(crate) fn plan(
        &self,
        recording: &Recording<'_>,
    ) -> Result<(RowPlan, Vec<Notice>), FileProblem> {
        let mut notices = Vec::new();
        let time = limited(self.options.time, recording, &mut notices)?;
        let Content::Table(columns) = &self.table.content else {
            return Ok((RowPlan::Keys { rows: 0, time }, notices));
        };
        let shape = match self.options.shape {
            Shape::Tidy => TableShape::Tidy,
            Shape::Keys => TableShape::Keys,
            _ => TableShape::Wide,
        };
        let reads = columns.reads(recording);
        let plan = RowPlan::new(shape, recording, &self.options, time, reads)?;
        Ok((plan, notices))
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
        self.path_values(file)?;
        let trials = self.trials(file);
        if trials.is_some_and(<[_]>::is_empty) {
            return Ok(Started {
                rows: StartedRows::All(Batch::default()),
                facts: Facts::default(),
            });
        }
        let trials = trials.unwrap_or_default();
        let open = OpenFile::open(&self.files[file], &self.options, &self.table.choice)?;
        let is_described = match &self.table.content {
            Content::Info(_) => true,
            Content::List(rows) => rows.are_findings(),
            _ => false,
        };
        if is_described {
            return self.described(file, &open);
        }
        let (options, choice) = (&self.options, &self.table.choice);
        if let Content::Table(columns) = &self.table.content {
            let (plan, sampler, facts) = open.with(options, choice, |recording| {
                let (plan, notices) = self.plan(recording)?;
                let sampler = sampler(columns, recording, &plan, 0..plan.len())?;
                let damage = self.damage(recording);
                Ok((plan, sampler, self.facts(file, &open, damage, notices)))
            })?;
            let rows = 0..plan.len();
            let part = Box::new(Part {
                file,
                // The recording is read again only for keys.
                open: sampler.is_none().then(|| Arc::new(open)),
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
            damage,
            notices,
        } = open.with(options, choice, |recording| match &self.table.content {
            Content::Events(rows) => rows.rows(recording, trials),
            Content::Stats(rows) => rows.rows(recording, trials),
            Content::List(rows) => rows.rows(recording, self.damage(recording)),
            Content::Info(_) | Content::Table(_) => Ok(Computed::default()),
        })?;
        let facts = self.facts(file, &open, damage, notices);
        let rows = self.labelled(file, rows, facts.text.clone(), None);
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
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
            Content::List(rows) => rows.findings(&recovered),
            _ => Batch::default(),
        };
        let rows = self.labelled(file, rows, facts.text.clone(), error.as_deref());
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
    }

    /// Computes the next rows of a part, at most `free`; `None` if there is no space for all rows of one instant of a
    /// tidy table. If `is_first` is true, at least one instant is computed.
    pub(crate) fn rows(
        &self,
        part: &mut Part,
        free: usize,
        is_first: bool,
    ) -> Result<Option<Batch>, FileProblem> {
        let Content::Table(columns) = &self.table.content else {
            return Ok(None);
        };
        let (options, choice) = (&self.options, &self.table.choice);
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
            part.sampler = open.with(options, choice, |recording| {
                sampler(columns, recording, plan, all)
            })?;
        }
        let batch = match (&*part.plan, &part.sampler, &part.open) {
            (RowPlan::Instants(instants), Some(sampler), _) => {
                let times = instants.times(rows.clone());
                columns.sample(sampler, times, options.space).batch
            }
            (&RowPlan::Keys { time, .. }, _, Some(open)) => {
                open.with(options, choice, |recording| {
                    Ok(columns.keys(recording, rows.clone(), time, self.table.curves.as_ref()))
                })?
            }
            _ => Batch::default(),
        };
        part.rows.start = rows.end;
        Ok(Some(batch))
    }

    fn has_damage_column(&self) -> bool {
        self.table.origins.contains(&Origin::Damage)
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
            .then(|| text(&mut damage.all.iter().copied()));
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
    /// of the file with this index. `damage` and `error` are the texts of their columns.
    pub(crate) fn labelled(
        &self,
        file: usize,
        batch: Batch,
        damage: Option<Arc<str>>,
        error: Option<&str>,
    ) -> Batch {
        let rows = batch.rows;
        let mut columns = batch.columns.into_iter();
        // The selected columns of the shape are in the order of the origins.
        self.assembled(file, rows, damage, error, || {
            columns.next().unwrap_or_else(|| Column::missing(rows))
        })
    }

    /// Returns the rows of a file that failed, with the message in the column for errors. It is one row; all values of
    /// the shape are missing, except those that describe a file that is not well formed.
    pub(crate) fn failed(&self, file: usize, problem: &FileProblem) -> Batch {
        let message = problem.to_string();
        let rows = match (&self.table.content, problem) {
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
            return self.labelled(file, rows, None, Some(&message));
        }
        self.assembled(file, 1, None, Some(&message), || Column::missing(1))
    }

    fn assembled(
        &self,
        file: usize,
        rows: usize,
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

/// Returns the sampler for some rows of a plan; `None` for keys, which are not sampled.
fn sampler(
    columns: &TableColumns,
    recording: &Recording<'_>,
    plan: &RowPlan,
    rows: Range<usize>,
) -> Result<Option<Sampler>, FileProblem> {
    let RowPlan::Instants(instants) = plan else {
        return Ok(None);
    };
    let sampler = instants.sampler(recording, rows, columns.reads(recording))?;
    Ok(Some(sampler))
}
