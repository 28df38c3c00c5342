//! Writes the files of a dataset.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array,
    RecordBatch, StringArray,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::files::{DATA, EPISODES, FileNumber, NumberedFiles, VIDEOS, begin};
use super::metadata::{
    DEFAULT_FEATURES, data_schema, element, episodes_schema, info, modality, scalars, stats,
    tasks_schema, write_json,
};
use super::quantiles::ValueCounts;
use super::stats::FeatureStats;
use super::{
    Episode, Features, INFO, LeRobotError, MODALITY, Options, STATS, TASKS, Video, VideoError,
};
use crate::shared::{Error, Note, NoteKind};
use crate::table::tables::parquet::{finish, output_error};
use inputanim::Side;

/// The content of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The number of episodes.
    pub episodes: u64,
    /// The number of frames of all episodes.
    pub frames: u64,
    /// The number of different tasks.
    pub tasks: u64,
    /// The number of frames in which the left and the right hand are not tracked; `None` for a hand that is not part of the
    /// states. The joints of the hand repeat the last known pose of the episode, or have its first known pose before that.
    pub untracked: [Option<u64>; 2],
    /// The number of these frames that are before the first frame of their episode in which the left and the right hand are
    /// tracked. The joints of the hand have the first known pose of the episode.
    pub before_tracked: [u64; 2],
    /// The number of episodes in which the left and the right hand are never tracked, although they are part of the states.
    /// The joints of the hand are the identity.
    pub never_tracked: [u64; 2],
    /// The number of frames of these episodes.
    pub(super) never_tracked_frames: [u64; 2],
    /// The number of episodes for training; the others are for validation. `None` if all episodes are for training.
    pub train_episodes: Option<u64>,
    /// `true` if the states have a hand without a gripper, because no pinches are recorded.
    pub lacks_gripper: bool,
}

impl Summary {
    /// Returns notes on the hands that are not tracked in some frames: the number of these frames, and the poses that
    /// replace the unknown ones; and a note on states without a gripper.
    pub fn notes(&self) -> Vec<Note> {
        let Summary {
            episodes, frames, ..
        } = self;
        let hands = Side::BOTH.into_iter().filter_map(|side| {
            let untracked = self.untracked[side as usize].filter(|&untracked| untracked > 0)?;
            let never = self.never_tracked[side as usize];
            let held = untracked - self.never_tracked_frames[side as usize];
            let held = (held > 0).then(|| {
                let before = self.before_tracked[side as usize];
                let poses = match (held - before, before) {
                    (_, 0) => "last pose held".to_owned(),
                    (0, _) => "first later pose used".to_owned(),
                    (after, before) => {
                        format!("last pose held in {after}, first later pose used in {before}")
                    }
                };
                format!("untracked in {held} of {frames} frames, {poses}")
            });
            let never = (never > 0).then(|| {
                if never == *episodes {
                    "never tracked, identity".to_owned()
                } else {
                    format!("never tracked in {never} of {episodes} episodes, identity")
                }
            });
            let facts: Vec<String> = held.into_iter().chain(never).collect();
            let message = format!("{side} hand: {}", facts.join("; "));
            Some(Note::new(NoteKind::NotInFormat, message))
        });
        let gripper = self.lacks_gripper.then(|| {
            let message = "no gripper in the states, because pinches are not recorded; the gripper aperture or geometric-pinch adds one";
            Note::new(NoteKind::NotInFormat, message)
        });
        hands.chain(gripper).collect()
    }

    /// Returns the names of the parts of the dataset for training and validation, with the indices of their episodes.
    pub(super) fn splits(&self) -> impl Iterator<Item = (&'static str, Range<u64>)> {
        let train = self.train_episodes.unwrap_or(self.episodes);
        let splits = [("train", 0..train), ("val", train..self.episodes)];
        let has_validation = self.train_episodes.is_some();
        splits
            .into_iter()
            .filter(move |(name, _)| has_validation || *name == "train")
    }
}

/// A writer of a dataset.
///
/// `create` returns the output for a file, given its path with slashes, relative to the dataset. Outputs should be buffered.
/// Each output is flushed and dropped when it is complete. [`finish`](Self::finish) writes [`INFO`] last.
///
/// Memory: the frames of one row group, the rows of some episodes, the texts of all different tasks, and up to 200 MiB for
/// quantiles. It does not depend on the number of episodes.
pub struct DatasetWriter<W: Write + Send, C: FnMut(&str) -> io::Result<W>> {
    features: Features,
    options: Options,
    create: C,
    data: NumberedFiles<W>,
    data_schema: SchemaRef,
    episodes: NumberedFiles<W>,
    episodes_schema: SchemaRef,
    /// The episodes whose rows are not written.
    waiting: Vec<EpisodeRow>,
    /// The number of episodes whose rows are written together.
    group: u64,
    /// The size of these rows in bytes, at most.
    group_bytes: u64,
    tasks: Vec<String>,
    task_indices: HashMap<String, u64>,
    /// The widths of the features that are vectors.
    widths: Vec<usize>,
    /// The statistics of each feature.
    stats: Vec<FeatureStats>,
    /// The values of each part of the features, in all frames; none for `index`, whose values are known.
    values: Vec<Vec<ValueCounts>>,
    summary: Summary,
    /// The last video, and the number of its file.
    video: Option<(Video, FileNumber)>,
}

/// The row of an episode.
struct EpisodeRow {
    index: u64,
    task: u64,
    frames: u64,
    data: FileNumber,
    /// The index of the first frame among the frames of all episodes.
    first: u64,
    stats: Vec<FeatureStats>,
    /// The number of the file of the video, and the times of the start and the end in it.
    video: Option<(FileNumber, [f64; 2])>,
    file: FileNumber,
}

/// The most episodes whose rows are written together.
const GROUP: u64 = 64;

impl<W: Write + Send, C: FnMut(&str) -> io::Result<W>> DatasetWriter<W, C> {
    /// Creates a writer of a dataset. `create` returns the output for a file, given its path in the dataset. It is not
    /// called before the first episode.
    ///
    /// # Errors
    /// When a number of the options is out of its range, and when `features` were made with other forms.
    pub fn new(features: &Features, options: &Options, create: C) -> Result<Self, Error> {
        options.check_features(features)?;
        let (data_schema, episodes_schema) = (
            data_schema(features),
            episodes_schema(features, options.video),
        );
        let widths: Vec<usize> = features
            .vectors()
            .iter()
            .map(|vector| vector.names.len())
            .collect();
        let scalars: Vec<&str> = scalars(features)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        // The statistics are ten lists for each feature. Further columns have some numbers and the text of the task.
        let numbers = widths.iter().sum::<usize>() + scalars.len();
        let row = 10 * 8 * numbers as u64 + 512;
        let counts = |parts| vec![ValueCounts::new(numbers); parts];
        let values = widths.iter().map(|&width| counts(width));
        let values = values.chain(
            scalars
                .iter()
                .map(|&name| counts(usize::from(name != INDEX))),
        );
        let group = ((u64::from(options.file_mib) << 19) / row).clamp(1, GROUP);
        Ok(DatasetWriter {
            features: features.clone(),
            options: options.clone(),
            create,
            data: NumberedFiles::new(
                DATA,
                Arc::clone(&data_schema),
                &["episode_index", "index", "task_index"],
            ),
            data_schema,
            episodes: NumberedFiles::new(
                EPISODES,
                Arc::clone(&episodes_schema),
                &["episode_index"],
            ),
            episodes_schema,
            waiting: Vec::new(),
            group,
            group_bytes: group * row,
            tasks: Vec::new(),
            task_indices: HashMap::new(),
            stats: vec![FeatureStats::default(); widths.len() + scalars.len()],
            values: values.collect(),
            widths,
            summary: Summary {
                lacks_gripper: features.lacks_gripper,
                ..Summary::default()
            },
            video: None,
        })
    }

    /// Copies a video into the dataset. Episodes that follow are parts of it, until the next video. `content` is the MP4 file, and
    /// `video` has the facts that [`Video::read`] found in it.
    ///
    /// # Errors
    /// When the options of the dataset have no videos, when the frames of the video are not at the rate of the dataset, when its
    /// size or codec differs from earlier videos, and when the input or an output fails.
    pub fn push_video(&mut self, video: &Video, mut content: impl io::Read) -> Result<(), Error> {
        if !self.options.video {
            return Err(VideoError::NotInDataset.into());
        }
        video.check_rate(self.options.rate)?;
        let number = match &self.video {
            Some((earlier, number)) => {
                let (found, expected) = (video.describe(), earlier.describe());
                if found != expected {
                    return Err(VideoError::Differs { found, expected }.into());
                }
                number.next(&self.options)
            }
            None => FileNumber::default(),
        };
        let mut output = (self.create)(&number.path(VIDEOS, "mp4"))?;
        io::copy(&mut content, &mut output)?;
        output.flush()?;
        self.video = Some((video.clone(), number));
        Ok(())
    }

    /// Writes the frames of an episode. `task` is the text of its task.
    ///
    /// # Errors
    /// When an output fails, and when the episode lacks the label of success that the features have.
    pub fn push(&mut self, episode: &Episode, task: &str) -> Result<(), Error> {
        let labels = match (self.features.forms.success, episode.success) {
            (true, None) => return Err(LeRobotError::NoLabel.into()),
            (true, Some(success)) => Some(labels(episode.frames, success)),
            (false, _) => None,
        };
        let rate = self.options.rate;
        let video = match &self.video {
            _ if !self.options.video => None,
            None => return Err(VideoError::Missing.into()),
            Some((video, number)) => {
                let start = f64::from(episode.start);
                video.check_part(start, episode.frames, rate)?;
                // The start of a frame, without the rounding of single precision.
                let first = (start * f64::from(rate)).round();
                let times = [first, first + episode.frames as f64];
                Some((*number, times.map(|frame| frame / f64::from(rate))))
            }
        };
        let task = self.task(task);
        let frames = episode.frames as u64;
        let (index, first) = (self.summary.episodes, self.summary.frames);
        let vectors: usize = self.widths.iter().sum();
        // The numbers of the vectors and of the other columns, with a margin for the heads of pages.
        let bytes = frames * (4 * vectors as u64 + 36);
        let data = self
            .data
            .place(bytes + bytes / 64, &self.options, &mut self.create)?;
        let rows = data_rows(
            &self.data_schema,
            episode,
            labels.as_ref(),
            self.options.rate,
            index,
            first,
            task,
        );
        self.data.write(&rows.map_err(io::Error::other)?)?;

        let rate = f64::from(self.options.rate);
        let mut stats = episode.stats.clone();
        let of_label = |label: &Vec<f32>| FeatureStats::of_columns([&label[..]].into_iter());
        stats.extend(labels.iter().flatten().map(of_label));
        stats.extend([
            FeatureStats::of_steps(0, frames, |step| step as f64 / rate),
            FeatureStats::of_steps(0, frames, |step| step as f64),
            FeatureStats::of_constant(index, frames),
            FeatureStats::of_steps(first, frames, |step| step as f64),
            FeatureStats::of_constant(task, frames),
        ]);
        for (all, stats) in self.stats.iter_mut().zip(&stats) {
            all.add(stats);
        }
        self.count(episode, labels.as_ref(), index, task);
        let file = self.place_row(index)?;
        self.waiting.push(EpisodeRow {
            index,
            task,
            frames,
            data,
            first,
            stats,
            video,
            file,
        });
        self.summary.episodes += 1;
        self.summary.frames += frames;
        for (hand, untracked) in episode.untracked.into_iter().enumerate() {
            let Some(untracked) = untracked else {
                continue;
            };
            *self.summary.untracked[hand].get_or_insert_default() += untracked;
            self.summary.before_tracked[hand] += episode.before_tracked[hand];
            if untracked == frames {
                self.summary.never_tracked[hand] += 1;
                self.summary.never_tracked_frames[hand] += frames;
            }
        }
        Ok(())
    }

    /// Makes all further episodes part of the validation of policies, and not of the training.
    pub fn begin_validation(&mut self) {
        let episodes = self.summary.episodes;
        self.summary.train_episodes.get_or_insert(episodes);
    }

    /// Counts the values of an episode with this index, for the quantiles of the dataset. `labels` are the columns of its
    /// labels, and `task` is the index of its task.
    fn count(&mut self, episode: &Episode, labels: Option<&Labels>, index: u64, task: u64) {
        let frames = episode.frames;
        let (vectors, scalars) = self.values.split_at_mut(self.widths.len());
        for (place, (parts, &width)) in vectors.iter_mut().zip(&self.widths).enumerate() {
            for values in episode.vector(place).chunks_exact(width.max(1)) {
                for (part, &value) in parts.iter_mut().zip(values) {
                    part.push(value.into(), 1);
                }
            }
        }
        let (counts, scalars) = scalars.split_at_mut(labels.map_or(0, |labels| labels.len()));
        for (counts, label) in counts.iter_mut().zip(labels.into_iter().flatten()) {
            label
                .iter()
                .for_each(|&value| counts[0].push(value.into(), 1));
        }
        let [times, steps, episodes, _, tasks] = scalars else {
            return;
        };
        for step in 0..frames {
            times[0].push(step as f64 / f64::from(self.options.rate), 1);
            steps[0].push(step as f64, 1);
        }
        episodes[0].push(index as f64, frames as u64);
        tasks[0].push(task as f64, frames as u64);
    }

    /// Returns the statistics of all frames.
    fn stats_of_all(&mut self) -> Vec<FeatureStats> {
        let mut stats = self.stats.clone();
        for (stats, parts) in stats.iter_mut().zip(&mut self.values) {
            let found: Vec<_> = parts.iter_mut().map(ValueCounts::quantiles).collect();
            for (place, quantiles) in stats.quantiles.iter_mut().enumerate() {
                let parts = found.iter().zip(stats.min.iter().zip(&stats.max));
                // The middle of a bin may be outside of the values.
                let parts = parts.map(|(found, (min, max))| found[place].clamp(*min, *max));
                *quantiles = parts.collect();
            }
        }
        // The indices of frames are 0, 1, 2 and so on.
        if let [.., index, _] = &mut stats[..] {
            *index = FeatureStats::of_steps(0, self.summary.frames, |step| step as f64);
        }
        stats
    }

    /// Completes the files of frames and episodes, and writes the tasks, the statistics and the description of the
    /// dataset. Returns the numbers of episodes, frames and tasks.
    ///
    /// # Errors
    /// When there is no episode, or an output fails.
    pub fn finish(mut self) -> Result<Summary, Error> {
        if self.summary.episodes == 0 {
            return Err(LeRobotError::NoEpisodes.into());
        }
        self.data.finish()?;
        self.write_waiting()?;
        self.episodes.finish()?;
        self.summary.tasks = self.tasks.len() as u64;

        let schema = tasks_schema();
        let indices = (0..self.tasks.len()).map(|index| index as i64);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(indices)),
            Arc::new(StringArray::from_iter_values(&self.tasks)),
        ];
        let tasks = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(io::Error::other)?;
        let mut file = begin(&schema, &[], (self.create)(TASKS)?)?;
        file.write(&tasks).map_err(output_error)?;
        finish(file)?;

        let stats_of_all = self.stats_of_all();
        let stats = stats(&self.features, &stats_of_all, self.options.video);
        write_json(&stats, (self.create)(STATS)?)?;
        if self.options.modality {
            write_json(
                &modality(&self.features, &self.options),
                (self.create)(MODALITY)?,
            )?;
        }
        let info = {
            let video = self.video.as_ref().map(|(video, _)| video);
            info(
                &self.features,
                &self.options,
                &self.summary,
                video.filter(|_| self.options.video),
            )
        };
        write_json(&info, (self.create)(INFO)?)?;
        Ok(self.summary)
    }

    /// Returns the index of a task, given its text. Adds the task if it is new.
    fn task(&mut self, text: &str) -> u64 {
        if let Some(&index) = self.task_indices.get(text) {
            return index;
        }
        let index = self.tasks.len() as u64;
        self.tasks.push(text.to_owned());
        self.task_indices.insert(text.to_owned(), index);
        index
    }

    /// Returns the number of the file for the row of the episode with this index. Writes the rows of earlier episodes
    /// first if there are enough of them.
    fn place_row(&mut self, index: u64) -> Result<FileNumber, Error> {
        if !index.is_multiple_of(self.group) {
            // All rows that are written together are in one file.
            return Ok(self.episodes.number());
        }
        self.write_waiting()?;
        let bytes = self.group_bytes;
        self.episodes.place(bytes, &self.options, &mut self.create)
    }

    fn write_waiting(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let rows = episode_rows(&self.episodes_schema, &waiting, &self.tasks);
        self.episodes.write(&rows.map_err(io::Error::other)?)
    }
}

/// The feature whose statistics are known.
const INDEX: &str = "index";

/// The columns of `next.done` and `next.success`, as 0 and 1.
type Labels = [Vec<f32>; 2];

/// Returns the labels of an episode with `frames` frames: it is done in its last frame, in which its task may succeed.
fn labels(frames: usize, success: bool) -> Labels {
    [true, success].map(|last| {
        let mut label = vec![0.0; frames];
        if let [.., end] = &mut label[..] {
            *end = f32::from(u8::from(last));
        }
        label
    })
}

/// Returns one row for each frame of an episode, which has these `labels`. `rate` is the number of frames per second, `index` the
/// index of the episode, `first` the index of its first frame among the frames of all episodes, and `task` the index of its
/// task.
fn data_rows(
    schema: &SchemaRef,
    episode: &Episode,
    labels: Option<&Labels>,
    rate: u32,
    index: u64,
    first: u64,
    task: u64,
) -> Result<RecordBatch, ArrowError> {
    let frames = episode.frames;
    let field = Arc::new(element(DataType::Float32));
    let lists = |values: ScalarBuffer<f32>| -> Result<ArrayRef, ArrowError> {
        let width = values.len() / frames;
        let values = Arc::new(Float32Array::new(values, None));
        if width == 1 {
            // LeRobot reads a feature of one number as a number.
            return Ok(values);
        }
        let lists = FixedSizeListArray::try_new(Arc::clone(&field), width as i32, values, None);
        Ok(Arc::new(lists?))
    };
    let steps = 0..frames as i64;
    let times = steps
        .clone()
        .map(|step| (step as f64 / f64::from(rate)) as f32);
    let integers = |values: &mut dyn Iterator<Item = i64>| -> ArrayRef {
        Arc::new(values.collect::<Int64Array>())
    };
    let constant =
        |number: u64| -> ArrayRef { Arc::new(Int64Array::from_value(number as i64, frames)) };
    // The vectors are the first columns.
    let scalars = DEFAULT_FEATURES.len() + labels.map_or(0, |labels| labels.len());
    let vectors = 0..schema.fields().len().saturating_sub(scalars);
    let vectors = vectors.map(|index| lists(episode.vector(index)));
    let mut columns = vectors.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    for label in labels.into_iter().flatten() {
        let label = label.iter().map(|&value| Some(value != 0.0));
        columns.push(Arc::new(label.collect::<BooleanArray>()));
    }
    columns.extend([
        Arc::new(times.collect::<Float32Array>()) as ArrayRef,
        integers(&mut steps.clone()),
        constant(index),
        integers(&mut steps.map(|step| first as i64 + step)),
        constant(task),
    ]);
    RecordBatch::try_new(Arc::clone(schema), columns)
}

/// Returns one row for each of `episodes`, for the files of episodes. `tasks` are the texts of all tasks.
fn episode_rows(
    schema: &SchemaRef,
    episodes: &[EpisodeRow],
    tasks: &[String],
) -> Result<RecordBatch, ArrowError> {
    let integers = |number: &dyn Fn(&EpisodeRow) -> u64| -> ArrayRef {
        let numbers = episodes.iter().map(|episode| number(episode) as i64);
        Arc::new(Int64Array::from_iter_values(numbers))
    };
    let mut texts = ListBuilder::new(StringBuilder::new()).with_field(element(DataType::Utf8));
    for episode in episodes {
        texts.append_value([tasks.get(episode.task as usize)]);
    }
    let mut columns = vec![
        integers(&|episode| episode.index),
        Arc::new(texts.finish()),
        integers(&|episode| episode.frames),
        integers(&|episode| episode.data.chunk.into()),
        integers(&|episode| episode.data.file.into()),
        integers(&|episode| episode.first),
        integers(&|episode| episode.first + episode.frames),
    ];
    if episodes.iter().any(|episode| episode.video.is_some()) {
        let video = |episode: &EpisodeRow| episode.video.unwrap_or_default();
        columns.push(integers(&|episode| video(episode).0.chunk.into()));
        columns.push(integers(&|episode| video(episode).0.file.into()));
        for end in 0..2 {
            let times = episodes.iter().map(|episode| video(episode).1[end]);
            columns.push(Arc::new(Float64Array::from_iter_values(times)));
        }
    }
    for feature in 0..episodes.first().map_or(0, |episode| episode.stats.len()) {
        // The first column of the statistics of a feature is the minimum, which has the type of both bounds.
        let is_integer = is_integer_list(schema.field(columns.len()).data_type());
        let numbers = |values: &dyn Fn(&FeatureStats) -> &[f64], is_integer: bool| {
            let lists = episodes
                .iter()
                .map(|episode| values(&episode.stats[feature]));
            lists_of(lists, is_integer)
        };
        columns.push(numbers(&|stats| &stats.min, is_integer));
        columns.push(numbers(&|stats| &stats.max, is_integer));
        columns.push(numbers(&|stats| &stats.mean, false));
        columns.push(numbers(&|stats| &stats.std, false));
        let counts = episodes
            .iter()
            .map(|episode| [episode.stats[feature].count as f64]);
        let counts: Vec<[f64; 1]> = counts.collect();
        columns.push(lists_of(counts.iter().map(|count| &count[..]), true));
        for quantile in 0..super::stats::PERCENTS.len() {
            columns.push(numbers(&|stats| &stats.quantiles[quantile], false));
        }
    }
    columns.push(integers(&|episode| episode.file.chunk.into()));
    columns.push(integers(&|episode| episode.file.file.into()));
    RecordBatch::try_new(Arc::clone(schema), columns)
}

fn is_integer_list(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(item) if *item.data_type() == DataType::Int64)
}

fn lists_of<'l>(lists: impl Iterator<Item = &'l [f64]>, is_integer: bool) -> ArrayRef {
    if is_integer {
        let builder = ListBuilder::new(Int64Builder::new());
        let mut builder = builder.with_field(element(DataType::Int64));
        for list in lists {
            builder.append_value(list.iter().map(|&number| Some(number as i64)));
        }
        Arc::new(builder.finish())
    } else {
        let builder = ListBuilder::new(Float64Builder::new());
        let mut builder = builder.with_field(element(DataType::Float64));
        for list in lists {
            builder.append_value(list.iter().copied().map(Some));
        }
        Arc::new(builder.finish())
    }
}
