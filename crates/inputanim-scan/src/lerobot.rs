//! Episodes of many recordings as a dataset of LeRobot.
//!
//! An [`EpisodePlan`] knows the recordings, and makes the episodes of each: their time ranges are segments, as for
//! measures, and their tasks are strings. [`write_dataset`] reads the recordings of sources and writes a dataset.
//! Programs that read recordings themselves use the plan and [`DatasetWriter`].

mod labels;
mod splits;

use std::io::{self, BufReader, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use inputanim::doctor::Code;
use inputanim::names::ElementChoice;
use inputanim::{About, Corrections, Element, Limits, Pauses, Recording, TimeRange};
use inputanim_analysis::{Analysis, AnalysisParameters, Segment};
use inputanim_convert::frames::Columns;
use inputanim_convert::lerobot::{
    DatasetWriter, Episode, EpisodeSampler, Features, Options, Summary, Video, VideoError,
};
use inputanim_convert::packs::StoredFile;
use inputanim_convert::tables::PathPattern;
use inputanim_convert::{Format, Loss, Note};

use crate::error::{FileError, FileProblem, ScanError};
use crate::notice::{FileNotice, Notice};
use crate::opener::FileOpener;
use crate::options::ScanOptions;
use crate::recording::OpenFile;
use crate::rows::Damage;
use crate::scan::DamagedFile;
use crate::segments::Segments;
use crate::shape::OnError;
use crate::source::{ScanFile, Source, SourceFiles};
use crate::threads::Threads;
use crate::trials::{OutsideRecording, RecordingName, TrialTable};

use labels::label_of;
pub use labels::{SUCCESS, SuccessLabels};
pub use splits::{InvalidValidation, Validation, ValidationValues};

/// The column of a path pattern or trial table that has the text of a task.
pub const TASK: &str = "task";

/// The source of the text of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskText {
    /// The column [`TASK`] of a trial table, or the name of a segment between markers or around an event. If there is
    /// no such text, the task that the recording [states](inputanim::About::TASK); else the text of its only marker, if that is
    /// at 0 s; else the name of the recording, and a notice states this.
    #[default]
    Segment,
    /// This text.
    Fixed(String),
    /// The column [`TASK`] of a pattern of paths.
    Path(PathPattern),
}

/// The options of the episodes of many recordings.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EpisodeOptions {
    /// The options of the dataset, with the limits of the recordings.
    pub dataset: Options,
    /// The format of the files that [`write_dataset`] reads, as [`ScanOptions::format`].
    pub format: Option<Format>,
    /// The parts of recordings that become episodes. A complete recording is an episode from its first to its last key.
    pub segments: Segments,
    /// The parameters of events, for [`Segments::Events`].
    pub parameters: AnalysisParameters,
    /// The texts of the tasks.
    pub task: TaskText,
    /// The source of the labels of success, which are the features `next.done` and `next.success`; none by default.
    pub success: Option<SuccessLabels>,
    /// The episodes for validation, which follow the episodes for training; none by default.
    pub validation: Option<Validation>,
    /// The pattern of paths with the column of [`validation`](Self::validation). Without it, the pattern of the tasks or the
    /// trial table has the column.
    pub split_pattern: Option<PathPattern>,
    /// The streams and joints of the states; all if empty.
    pub joints: Vec<String>,
    /// The streams and joints that are not part of the states, even if `joints` has them.
    pub exclude: Vec<String>,
    /// The corrections of the recordings that [`write_dataset`] reads.
    pub corrections: Corrections,
    /// The rule for pauses of files that contain frames or samples.
    pub pauses: Pauses,
    /// Behaviour of [`write_dataset`] for a file that cannot be part of the dataset; [`OnError::Column`] skips the
    /// file.
    pub on_error: OnError,
    /// The number of threads of [`write_dataset`], at most [`ScanOptions::MAX_THREADS`]; 0 for the number of
    /// processors.
    pub threads: usize,
    /// The function with which [`write_dataset`] opens files.
    pub opener: FileOpener,
    /// When this becomes `true`, [`write_dataset`] ends with [`ScanError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

impl EpisodeOptions {
    /// Lifts the limits of the sizes of files and of the numbers of samples.
    pub fn lift_limits(&mut self) {
        self.dataset.limits = Limits::NONE;
        self.parameters.max_samples = u64::MAX;
    }

    /// Returns the options with which files are found and opened.
    fn reading(&self) -> ScanOptions {
        ScanOptions {
            format: self.format,
            corrections: self.corrections,
            pauses: self.pauses,
            limits: self.dataset.limits,
            opener: self.opener.clone(),
            cancel: Arc::clone(&self.cancel),
            ..ScanOptions::default()
        }
    }
}

/// The plan of the episodes of many recordings.
#[derive(Clone, Debug)]
pub struct EpisodePlan {
    options: EpisodeOptions,
    choice: ElementChoice,
    files: Vec<RecordingName>,
    trials: Option<Vec<Vec<Segment>>>,
    /// For each file, the value of the column of the validation; `None` if its path does not match the pattern.
    people: Vec<Vec<String>>,
    /// The values whose episodes are for validation.
    validation: Vec<String>,
}

/// The episodes of a recording.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileEpisodes {
    /// The episodes in order, each with the text of its task.
    pub episodes: Vec<(Episode, String)>,
    /// Notices about hands that are not recorded, and about the segments.
    pub notices: Vec<Notice>,
    /// The content of devices that the episodes do not hold.
    of_devices: Vec<Loss>,
    /// The video of the recording, if the dataset has videos.
    pub video: Option<EpisodeVideo>,
}

/// The video of a recording.
#[derive(Clone, Debug)]
pub struct EpisodeVideo {
    /// The facts in the file.
    video: Video,
    path: PathBuf,
}

impl EpisodeVideo {
    /// Opens the MP4 file beside an episode of EgoDex, whose path is `recording`. `None` is a recording that is not a file.
    fn open(recording: Option<&Path>) -> Result<EpisodeVideo, FileProblem> {
        let is_hdf5 = |path: &&Path| {
            let extension = path.extension().unwrap_or_default();
            extension.eq_ignore_ascii_case("hdf5") || extension.eq_ignore_ascii_case("h5")
        };
        let recording = recording.filter(is_hdf5).ok_or(FileProblem::NotEgoDex)?;
        let path = recording.with_extension("mp4");
        let problem = |problem: String| FileProblem::Video {
            path: path.display().to_string(),
            problem,
        };
        let file = StoredFile::find(&path).and_then(|file| file.reader());
        let file = file.map_err(|error| problem(error.to_string()))?;
        let video = Video::read(BufReader::new(file));
        let video = video.map_err(|error| problem(error.to_string()))?;
        Ok(EpisodeVideo { video, path })
    }
}

impl FileEpisodes {
    /// Returns what the episodes do not hold: content of devices, such as haptic pulses, and poses and rays with a number that is
    /// not finite, whose last known value they repeat.
    pub fn losses(&self) -> Vec<Loss> {
        let held = Episode::loss(self.episodes.iter().map(|(episode, _)| episode));
        self.of_devices.iter().cloned().chain(held).collect()
    }
}

impl EpisodePlan {
    /// Creates the plan of the episodes of recordings with the names `files`. Checks the options, and finds the trials
    /// of each recording if there is a trial table.
    ///
    /// # Errors
    /// When a stream or joint is unknown, when the state of tracking is excluded and joints of the hand are not, when
    /// the text of the task is empty, when a pattern of paths has no column [`TASK`], and when a trial names no
    /// recording. When forms of the dataset do not fit together, when labels of success are in the trial table and there is
    /// none, and when the column of the validation is missing or does not divide the recordings.
    pub fn new(
        files: Vec<RecordingName>,
        mut options: EpisodeOptions,
    ) -> Result<EpisodePlan, ScanError> {
        options.dataset.forms.success = options.success.is_some();
        options.dataset.check()?;
        if options.success == Some(SuccessLabels::Trials) {
            let has_column = match &options.segments {
                Segments::Trials(table) => has_name(table.columns(), SUCCESS),
                _ => false,
            };
            if !has_column {
                return Err(ScanError::NoSuccessColumn);
            }
        }
        let choice = ElementChoice::new(&options.joints, &options.exclude)?;
        choice.check_tracking()?;
        let forms = &options.dataset.forms;
        forms.check_selection(|element| choice.keeps(element))?;
        if let TaskText::Fixed(text) = &options.task
            && text.trim().is_empty()
        {
            return Err(ScanError::EmptyTask);
        }
        if let TaskText::Path(pattern) = &options.task
            && !pattern.names().iter().any(|name| name == TASK)
        {
            let pattern = pattern.to_string();
            return Err(ScanError::NoTask { pattern });
        }
        let trials = match &options.segments {
            Segments::Trials(table) => Some(table.segments(&files)?),
            _ => None,
        };
        let mut plan = EpisodePlan {
            options,
            choice,
            files,
            trials,
            people: Vec::new(),
            validation: Vec::new(),
        };
        if let Some(validation) = plan.options.validation.clone() {
            plan.divide(&validation)?;
        }
        Ok(plan)
    }

    /// Returns the indices of the recordings with episodes, in the order of their episodes: the recordings for training, then
    /// those for validation.
    fn order(&self) -> Vec<usize> {
        let files = (0..self.files.len()).filter(|&file| self.has_episodes(file));
        let mut files: Vec<usize> = files.collect();
        files.sort_by_key(|&file| self.is_validation(file));
        files
    }

    /// Writes the episodes of the recording with index `file`, and its video, into a dataset.
    ///
    /// # Errors
    /// When the video cannot be read, or an output fails.
    pub fn write<W: Write + Send, C: FnMut(&str) -> io::Result<W>>(
        &self,
        file: usize,
        made: &FileEpisodes,
        dataset: &mut DatasetWriter<W, C>,
    ) -> Result<(), inputanim_convert::Error> {
        if self.is_validation(file) {
            dataset.begin_validation();
        }
        if let Some(EpisodeVideo { video, path }) = &made.video {
            let file = StoredFile::find(path)?;
            file.check()?;
            dataset.push_video(video, file.reader()?)?;
        }
        for (episode, task) in &made.episodes {
            dataset.push(episode, task)?;
        }
        Ok(())
    }

    /// Returns the options of the plan.
    pub fn options(&self) -> &EpisodeOptions {
        &self.options
    }

    /// Returns the selection of streams and joints that the states have.
    pub fn choice(&self) -> &ElementChoice {
        &self.choice
    }

    /// Returns `true` if the recording with index `file` has episodes: there is no trial table, or the table names the
    /// recording.
    pub fn has_episodes(&self, file: usize) -> bool {
        let trials = self.trials.as_ref().and_then(|trials| trials.get(file));
        trials.is_none_or(|trials| !trials.is_empty())
    }

    /// Returns the parts of the states of all episodes. They are the selected ones of `columns`, the streams and joints
    /// that the recordings have.
    ///
    /// # Errors
    /// When nothing is recorded or selected, and as [`Features::new`] and [`Options::check_features`].
    pub fn features(&self, columns: &Columns) -> Result<Features, ScanError> {
        let forms = &self.options.dataset.forms;
        let keep = |element: Element| self.choice.keeps(element);
        let features = Features::new(columns, forms, keep)?;
        self.options.dataset.check_features(&features)?;
        Ok(features)
    }

    /// Returns the episodes of a recording. `file` is its index among the names of [`new`](Self::new).
    ///
    /// # Errors
    /// When the recording cannot be sampled, lacks streams of the states, or lacks the markers of the segments; when a
    /// segment is outside of the recording; when the path does not match the pattern of the tasks or of the validation; when an
    /// episode has no label of success.
    pub fn episodes(
        &self,
        file: usize,
        recording: &Recording<'_>,
        features: &Features,
    ) -> Result<FileEpisodes, FileProblem> {
        if !self.has_episodes(file) {
            return Ok(FileEpisodes::default());
        }
        let path_task = self.path_task(file)?;
        let is_without = self.people.get(file).is_some_and(Vec::is_empty);
        if let Some(pattern) = self.split_pattern().filter(|_| is_without) {
            return Err(FileProblem::Path(pattern.to_string()));
        }
        let sampler = EpisodeSampler::new(recording, features, &self.options.dataset)?;
        let missing = features.missing_hands(&Columns::of(recording)).into_iter();
        let mut notices: Vec<Notice> = missing.map(Notice::NoHand).collect();
        let left_out = features.left_out(recording, |element| self.choice.keeps(element));
        notices.extend(left_out.into_iter().map(Notice::Read));
        let lost = Note::of_lost_texts(Format::LeRobot, &recording.about);
        notices.extend(lost.map(Notice::Read));
        let segments = self.segments(file, recording, &sampler, &mut notices)?;
        let ranges = segments.iter().map(|segment| segment.range);
        sampler.check(ranges.clone())?;
        let of_devices = features.device_losses(recording, &TimeRange::union(ranges.collect()));
        notices.extend(Note::of_lost_devices(&of_devices).map(Notice::Read));
        let mut episodes = Vec::with_capacity(segments.len());
        let mut is_named = false;
        let labels = self.labels(&segments, sampler.markers())?;
        for (segment, label) in segments.into_iter().zip(labels) {
            let task = match &path_task {
                Some(task) => task.clone(),
                None => self.task_of(&segment, recording).unwrap_or_else(|| {
                    let name = self.files.get(file).map_or("", |name| &name.name);
                    is_named = true;
                    name.to_owned()
                }),
            };
            let mut episode = sampler.episode(segment.range)?;
            if let Some(success) = label {
                episode.set_success(success);
            }
            episodes.push((episode, task));
        }
        if let Some((_, name)) = episodes.first().filter(|_| is_named) {
            notices.push(Notice::TaskFromName(name.clone()));
        }
        Ok(FileEpisodes {
            episodes,
            notices,
            of_devices,
            video: None,
        })
    }

    /// Adds the video of a recording, if the dataset has videos. `path` is the file of the recording; `None` if it is not a file.
    ///
    /// # Errors
    /// When the recording is not an episode of EgoDex with an MP4 file beside it, when the frames of the video are not at the rate of
    /// the dataset, and when the video has other frames than the recording.
    pub fn add_video(
        &self,
        made: &mut FileEpisodes,
        path: Option<&Path>,
    ) -> Result<(), FileProblem> {
        if !self.options.dataset.video || made.episodes.is_empty() {
            return Ok(());
        }
        let found = EpisodeVideo::open(path)?;
        let problem = |error: VideoError| FileProblem::Video {
            path: found.path.display().to_string(),
            problem: error.to_string(),
        };
        let rate = self.options.dataset.rate;
        found.video.check_rate(rate).map_err(problem)?;
        let is_complete = matches!(self.options.segments, Segments::Recording);
        for (episode, _) in &made.episodes {
            let (frames, video) = (episode.frames(), found.video.frames());
            if is_complete && frames != video {
                let recording = frames;
                return Err(problem(VideoError::Frames { video, recording }));
            }
            found
                .video
                .check_part(episode.start().into(), frames, rate)
                .map_err(problem)?;
        }
        made.video = Some(found);
        Ok(())
    }

    /// Returns the task that all episodes of a recording have in common; `None` if each segment has a task of its own.
    /// `file` is the index of the recording. Fails if the path does not match the pattern.
    fn path_task(&self, file: usize) -> Result<Option<String>, FileProblem> {
        match &self.options.task {
            TaskText::Segment => Ok(None),
            TaskText::Fixed(text) => Ok(Some(text.clone())),
            TaskText::Path(pattern) => {
                let path = self.files.get(file).map_or("", |name| &name.path);
                let task = path_column(pattern, path, TASK);
                task.map(Some)
                    .ok_or_else(|| FileProblem::Path(pattern.to_string()))
            }
        }
    }

    /// Returns the text of the task of a segment: its cell in the trial table, or the name of the segment. If this is
    /// empty, returns the task that the recording states, or else the text of its only marker, if that is at 0 s. Returns `None`
    /// if nothing states the task.
    fn task_of(&self, segment: &Segment, recording: &Recording<'_>) -> Option<String> {
        let text = if self.trials.is_some() {
            cell(segment, TASK)
        } else {
            Some(segment.name.trim())
        };
        let description = || match &recording.markers[..] {
            [marker] if marker.time == 0.0 => Some(marker.name.trim()),
            _ => None,
        };
        let is_text = |text: &&str| !text.is_empty();
        text.filter(is_text)
            .or_else(|| recording.about.get(About::TASK))
            .or_else(|| description().filter(is_text))
            .map(str::to_owned)
    }

    fn segments(
        &self,
        file: usize,
        recording: &Recording<'_>,
        sampler: &EpisodeSampler<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Segment>, FileProblem> {
        let range = sampler.range();
        if let Some(trials) = &self.trials {
            let mut trials = trials.get(file).cloned().unwrap_or_default();
            let longer = TrialTable::cut(&mut trials, range)?;
            notices.extend(longer.map(Notice::TrialsExceed));
            return Ok(trials);
        }
        let segments = &self.options.segments;
        let mut markers = sampler.markers().to_vec();
        let has_labels = self.options.success == Some(SuccessLabels::Markers);
        if has_labels && matches!(segments, Segments::EachMarker { .. }) {
            markers.retain(|marker| label_of(&marker.name).is_none());
        }
        let mut segments = match segments.of_markers(&markers, range) {
            Some(segments) => segments?,
            // Only events need an analysis.
            None => {
                let analysis = Analysis::of(recording, &self.options.parameters)?;
                let found = segments.of(&analysis)?;
                notices.extend(segments.notice(&analysis, found.len()));
                found
            }
        };
        for segment in &mut segments {
            // A marker may be outside of the keys, where there is nothing to sample.
            let inside = segment.range.intersection(range);
            segment.range = inside.ok_or_else(|| OutsideRecording {
                name: segment.name.clone(),
                recording: range,
                may_be_milliseconds: false,
            })?;
        }
        Ok(segments)
    }
}

fn has_name(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

/// Returns the text of a segment in a column of the trial table.
fn cell<'s>(segment: &'s Segment, column: &str) -> Option<&'s str> {
    let mut columns = segment.columns.iter();
    let column = columns.find(|(name, _)| name.eq_ignore_ascii_case(column));
    column.map(|(_, text)| text.trim())
}

/// Returns the text of a column of a pattern for a path; `None` if the path does not match, or there is no such column.
fn path_column(pattern: &PathPattern, path: &str, column: &str) -> Option<String> {
    let values = pattern.values(path)?;
    let mut columns = pattern.names().iter().zip(values);
    columns
        .find(|(name, _)| *name == column)
        .map(|(_, text)| text)
}

/// A dataset that was written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WrittenDataset {
    /// The content of the dataset.
    pub summary: Summary,
    /// The files that were skipped.
    pub errors: Vec<FileError>,
    /// The files with damage that changes the states.
    pub damaged: Vec<DamagedFile>,
    /// Notices about the files.
    pub notices: Vec<FileNotice>,
    /// The losses, each with the name of its file.
    pub losses: Vec<(String, Loss)>,
    /// The files that a trial table does not name.
    pub without_trials: Vec<String>,
}

/// Writes the recordings of sources as a dataset. `create` gets the path of a file in the dataset, and returns the
/// output to which [`DatasetWriter`] writes it.
///
/// The files are read twice: once for the streams that are recorded, and once for the episodes. Several threads make
/// the episodes, and this thread writes them in the order of the files, so that the bytes do not depend on the number
/// of threads. Memory: the episodes of two files for each thread.
///
/// # Errors
/// When the options are invalid ([`EpisodePlan::new`]), when an output fails, when no file has an episode, and, unless
/// [`EpisodeOptions::on_error`] skips them, when a file fails.
pub fn write_dataset<S: Into<Source>, W: Write + Send>(
    sources: impl IntoIterator<Item = S>,
    options: EpisodeOptions,
    create: impl FnMut(&str) -> io::Result<W>,
) -> Result<WrittenDataset, ScanError> {
    let reading = options.reading();
    let sources = sources.into_iter().map(S::into).collect();
    let SourceFiles { files, skipped } = SourceFiles::of(sources, &reading)?;
    let names = files.iter();
    let names = names.map(|file| RecordingName::new(&file.recording, &file.name));
    let plan = EpisodePlan::new(names.collect(), options)?;
    let run = Run {
        plan: &plan,
        files: &files,
        reading,
    };

    let mut columns = Columns::default();
    run.each(
        |_, _, recording| Ok(Columns::of(recording)),
        |_, found| {
            // A file that fails here fails again later.
            found.iter().for_each(|found| columns.add_known(found));
            Ok(())
        },
    )?;
    let features = plan.features(&columns)?;

    let mut dataset = DatasetWriter::new(&features, &plan.options.dataset, create)?;
    let mut written = WrittenDataset {
        notices: skipped,
        ..WrittenDataset::default()
    };
    let without = (0..files.len()).filter(|&file| !plan.has_episodes(file));
    written.without_trials = without.map(|file| files[file].name.to_string()).collect();
    run.each(
        |file, open, recording| {
            let damage = Damage::of(recording, |path| plan.choice.keeps(path.into()));
            let mut made = plan.episodes(file, recording, &features)?;
            made.notices.extend(open.notices());
            plan.add_video(&mut made, files[file].path().map(AsRef::as_ref))?;
            Ok((made, damage.affecting))
        },
        |file, made| {
            let (made, damage) = match made {
                Ok(made) => made,
                Err(problem) => {
                    let error = run.error(file, problem);
                    if plan.options.on_error == OnError::Raise {
                        return Err(error.into());
                    }
                    written.errors.push(error);
                    return Ok(());
                }
            };
            plan.write(file, &made, &mut dataset)?;
            let (name, path) = (files[file].name.to_string(), files[file].path());
            let path = path.map(Path::to_owned);
            written
                .losses
                .extend(made.losses().into_iter().map(|loss| (name.clone(), loss)));
            let codes = Code::list(damage.iter().map(|finding| finding.code));
            if !codes.is_empty() {
                written.damaged.push(DamagedFile {
                    file: name.clone(),
                    path: path.clone(),
                    damage: codes,
                });
            }
            written
                .notices
                .extend(made.notices.into_iter().map(|notice| FileNotice {
                    file: name.clone(),
                    path: path.clone(),
                    notice,
                }));
            Ok(())
        },
    )?;
    if plan.options.validation.is_some() {
        // Also if all recordings for validation failed.
        dataset.begin_validation();
    }
    written.summary = dataset.finish()?;
    Ok(written)
}

/// The work on all files.
struct Run<'r> {
    plan: &'r EpisodePlan,
    files: &'r [ScanFile],
    /// The options with which files are opened.
    reading: ScanOptions,
}

impl Run<'_> {
    /// Calls `work` for each recording that has episodes, on several threads. Calls `consume` with the results on this
    /// thread, in the order of their episodes. Both get the index of the file.
    ///
    /// # Errors
    /// As [`in_order`].
    fn each<T: Send>(
        &self,
        work: impl Fn(usize, &OpenFile, &Recording<'_>) -> Result<T, FileProblem> + Sync,
        mut consume: impl FnMut(usize, Result<T, FileProblem>) -> Result<(), ScanError>,
    ) -> Result<(), ScanError> {
        let files = self.plan.order();
        let threads = match self.plan.options.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads.min(ScanOptions::MAX_THREADS),
        };
        let all = ElementChoice::default();
        let work = |index: usize| {
            let file = files[index];
            let open = OpenFile::open(&self.files[file], &self.reading)?;
            open.with(&self.reading, &all, |recording| {
                work(file, &open, recording)
            })
        };
        in_order(
            files.len(),
            threads,
            &self.plan.options.cancel,
            work,
            |index, result| consume(files[index], result),
        )
    }

    fn error(&self, file: usize, problem: FileProblem) -> FileError {
        let file = &self.files[file];
        FileError {
            file: file.name.to_string(),
            path: file
                .path()
                .map(|path: &Path| Box::<PathBuf>::new(path.to_owned())),
            problem,
        }
    }
}

/// Ends the work of all threads when the consumer ends, even if it panics.
struct Stop<'t, T>(&'t Threads<T>);

impl<T> Drop for Stop<'_, T> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Calls `work` with the indices from 0 to `count - 1` on several threads. Calls `consume` with each index and its
/// result on this thread, in order. For each thread, one result waits while the thread makes the next one.
///
/// # Errors
/// The first error of `consume`, [`ScanError::Cancelled`], [`ScanError::ThreadEnded`] if `work` panics, and
/// [`ScanError::Thread`] if the system starts no thread.
fn in_order<T: Send>(
    count: usize,
    threads: usize,
    cancel: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
    mut consume: impl FnMut(usize, T) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    let threads = threads.clamp(1, count.max(1));
    let (threads, work) = (&Threads::new(threads, threads), &work);
    let next = &AtomicUsize::new(0);
    thread::scope(|scope| {
        let stop = Stop(threads);
        let run = || {
            threads.run(|| {
                let index = next.fetch_add(1, Ordering::Relaxed);
                (index < count)
                    .then(|| ((index, 0), true, iter::once_with(move || Ok(work(index)))))
            });
        };
        let handles = threads.start(|builder| builder.spawn_scoped(scope, run))?;
        let consumed = (0..count).try_for_each(|index| {
            let result = threads.next(cancel, count);
            consume(index, result.unwrap_or(Err(ScanError::ThreadEnded))?)
        });
        drop(stop);
        // A scope repeats the panics of threads that are not joined.
        for handle in handles {
            let _panic = handle.join();
        }
        consumed
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_of_a_thread_is_an_error() {
        for threads in [1, 2, 5] {
            for index_of_panic in [0, 1, 30, 99] {
                let mut consumed = Vec::new();
                let ended = in_order(
                    100,
                    threads,
                    &AtomicBool::new(false),
                    |index| assert_ne!(index, index_of_panic),
                    |index, ()| {
                        consumed.push(index);
                        Ok(())
                    },
                );
                assert!(matches!(ended, Err(ScanError::ThreadEnded)), "{ended:?}");
                assert!(consumed.iter().copied().eq(0..consumed.len()));
                assert!(consumed.len() <= index_of_panic);
            }
        }
    }

    #[test]
    fn a_panic_of_the_consumer_ends_the_threads() {
        for threads in [1, 2, 5] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                in_order(
                    100,
                    threads,
                    &AtomicBool::new(false),
                    |index| index,
                    |index, _| {
                        assert_ne!(index, 3);
                        Ok(())
                    },
                )
            }));
            assert!(caught.is_err());
        }
    }
}
