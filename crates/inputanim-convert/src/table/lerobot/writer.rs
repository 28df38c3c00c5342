//! Writes the files of a dataset.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::files::{DATA, EPISODES, FileNumber, NumberedFiles, begin};
use super::metadata::{
    FEATURES, data_schema, element, episodes_schema, info, stats, tasks_schema, write_json,
};
use super::quantiles::ValueCounts;
use super::stats::FeatureStats;
use super::{Episode, Features, INFO, LeRobotError, Options, STATS, TASKS};
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
}

impl Summary {
    /// Returns notes on the hands that are not tracked in some frames: the number of these frames, and the poses that
    /// replace the unknown ones.
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
        hands.collect()
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
    stats: [FeatureStats; FEATURES],
    /// The values of each part of the features, in all frames; none for `index`, whose values are known.
    values: [Vec<ValueCounts>; FEATURES],
    summary: Summary,
}

/// The row of an episode.
struct EpisodeRow {
    index: u64,
    task: u64,
    frames: u64,
    data: FileNumber,
    /// The index of the first frame among the frames of all episodes.
    first: u64,
    stats: [FeatureStats; FEATURES],
    file: FileNumber,
}

/// The most episodes whose rows are written together.
const GROUP: u64 = 64;

impl<W: Write + Send, C: FnMut(&str) -> io::Result<W>> DatasetWriter<W, C> {
    /// Creates a writer of a dataset. `create` returns the output for a file, given its path in the dataset. It is not
    /// called before the first episode.
    ///
    /// # Errors
    /// When a number of the options is out of its range.
    pub fn new(features: &Features, options: &Options, create: C) -> Result<Self, Error> {
        options.check()?;
        let (data_schema, episodes_schema) = (data_schema(features), episodes_schema());
        // The statistics are ten lists for each feature. Further columns have some numbers and the text of the task.
        let vectors = 2 * features.width() + features.parts().len();
        let row = 10 * 8 * (vectors as u64 + 5) + 512;
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
            stats: Default::default(),
            values: [
                features.width(),
                features.width(),
                features.parts().len(),
                1,
                1,
                1,
                0,
                1,
            ]
            .map(|parts| vec![ValueCounts::new(vectors + 5); parts]),
            summary: Summary::default(),
        })
    }

    /// Writes the frames of an episode. `task` is the text of its task.
    ///
    /// # Errors
    /// When an output fails.
    pub fn push(&mut self, episode: &Episode, task: &str) -> Result<(), Error> {
        let task = self.task(task);
        let frames = episode.frames as u64;
        let (index, first) = (self.summary.episodes, self.summary.frames);
        let vectors = 2 * self.features.width() + self.features.parts().len();
        // The numbers of the vectors and of the five other columns, with a margin for the heads of pages.
        let bytes = frames * (4 * vectors as u64 + 36);
        let data = self
            .data
            .place(bytes + bytes / 64, &self.options, &mut self.create)?;
        let rows = data_rows(
            &self.data_schema,
            episode,
            self.options.rate,
            index,
            first,
            task,
        );
        self.data.write(&rows.map_err(io::Error::other)?)?;

        let [state, action, valid] = &episode.stats;
        let rate = f64::from(self.options.rate);
        let stats = [
            state.clone(),
            action.clone(),
            valid.clone(),
            FeatureStats::of_steps(0, frames, |step| step as f64 / rate),
            FeatureStats::of_steps(0, frames, |step| step as f64),
            FeatureStats::of_constant(index, frames),
            FeatureStats::of_steps(first, frames, |step| step as f64),
            FeatureStats::of_constant(task, frames),
        ];
        for (all, stats) in self.stats.iter_mut().zip(&stats) {
            all.add(stats);
        }
        self.count(episode, index, task);
        let file = self.place_row(index)?;
        self.waiting.push(EpisodeRow {
            index,
            task,
            frames,
            data,
            first,
            stats,
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

    /// Counts the values of an episode with this index, for the quantiles of the dataset. `task` is the index of its task.
    fn count(&mut self, episode: &Episode, index: u64, task: u64) {
        let (frames, width) = (episode.frames, self.features.width());
        let [states, actions, valid, times, steps, episodes, _, tasks] = &mut self.values;
        let vectors = [
            (states, &episode.values[..frames * width], width),
            (actions, &episode.values[width..], width),
            (valid, &episode.valid[..], self.features.parts().len()),
        ];
        for (parts, values, width) in vectors {
            for values in values.chunks_exact(width.max(1)) {
                for (part, &value) in parts.iter_mut().zip(values) {
                    part.push(value.into(), 1);
                }
            }
        }
        for step in 0..frames {
            times[0].push(step as f64 / f64::from(self.options.rate), 1);
            steps[0].push(step as f64, 1);
        }
        episodes[0].push(index as f64, frames as u64);
        tasks[0].push(task as f64, frames as u64);
    }

    /// Returns the statistics of all frames.
    fn stats_of_all(&mut self) -> [FeatureStats; FEATURES] {
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
        stats[6] = FeatureStats::of_steps(0, self.summary.frames, |step| step as f64);
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

        write_json(&stats(&self.stats_of_all()), (self.create)(STATS)?)?;
        let info = info(&self.features, &self.options, &self.summary);
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

/// Returns one row for each frame of an episode. `rate` is the number of frames per second, `index` the index of the
/// episode, `first` the index of its first frame among the frames of all episodes, and `task` the index of its task.
fn data_rows(
    schema: &SchemaRef,
    episode: &Episode,
    rate: u32,
    index: u64,
    first: u64,
    task: u64,
) -> Result<RecordBatch, ArrowError> {
    let frames = episode.frames;
    let width = episode.values.len() / (frames + 1);
    let field = Arc::new(element(DataType::Float32));
    let lists = |values: ScalarBuffer<f32>| {
        let width = values.len() / frames;
        let values = Arc::new(Float32Array::new(values, None));
        FixedSizeListArray::try_new(Arc::clone(&field), width as i32, values, None)
    };
    let vectors = |frame: usize| lists(episode.values.slice(frame * width, frames * width));
    let steps = 0..frames as i64;
    let times = steps
        .clone()
        .map(|step| (step as f64 / f64::from(rate)) as f32);
    let integers = |values: &mut dyn Iterator<Item = i64>| -> ArrayRef {
        Arc::new(values.collect::<Int64Array>())
    };
    let constant =
        |number: u64| -> ArrayRef { Arc::new(Int64Array::from_value(number as i64, frames)) };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(vectors(0)?),
        // The action of a frame is the state of the next one.
        Arc::new(vectors(1)?),
        Arc::new(lists(episode.valid.clone())?),
        Arc::new(times.collect::<Float32Array>()),
        integers(&mut steps.clone()),
        constant(index),
        integers(&mut steps.map(|step| first as i64 + step)),
        constant(task),
    ];
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
    for feature in 0..FEATURES {
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
