//! Many recordings as a dataset of LeRobot.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::Report;
use inputanim_convert::frames::Columns;
use inputanim_convert::lerobot::{DatasetWriter, Features, INFO, LeRobotError, is_file_of_dataset};
use inputanim_scan::lerobot::{EpisodePlan, TaskText};
use inputanim_scan::{RecordingName, portable};

use super::joined::{Joined, Prepared};
use super::{Converter, Results};
use crate::commands::convert::conversion::{Conversion, columns_of};
use crate::files::batch::{FileBatch, Job};
use crate::files::input::{Input, canonical};
use crate::files::output::{self, FolderContent, is_inside};
use crate::messages::diagnostics::{note, note_of_file, warn};
use crate::messages::file_name::FileName;
use crate::messages::outcome::Refusal;
use crate::messages::scan_error;
use crate::messages::text::{count, printable};
use crate::study::listed;

/// The episodes of all recordings.
pub(super) struct Episodes {
    plan: EpisodePlan,
    /// The parts of the states, which are known when all recordings have been read once.
    features: OnceLock<Features>,
}

impl Episodes {
    /// Checks the options and inputs, and plans the episodes of all recordings. Removes the jobs of recordings that a
    /// trial table does not name. `folder` is the dataset.
    pub(super) fn plan(
        conversion: &Conversion,
        batch: &mut FileBatch,
        folder: &Path,
        limits: &Limits,
    ) -> anyhow::Result<Episodes> {
        check_inputs(batch, folder)?;
        let args = &conversion.lerobot;
        let segments = conversion.segments.segments.as_deref();
        let mut options = conversion.dataset_options(limits)?;
        options.dataset.frame = args.frame.unwrap_or_default();
        args.set_forms(&mut options.dataset.forms);
        options.dataset.modality = args.modality;
        options.dataset.video = args.video;
        options.success = args.success;
        options.validation.clone_from(&args.validation);
        options.split_pattern.clone_from(&args.split_pattern);
        if *limits == Limits::NONE {
            options.lift_limits();
        }
        options.segments = conversion.segments.read(limits)?;
        options.task = match (&args.task, &args.task_pattern) {
            (Some(text), _) => TaskText::Fixed(text.clone()),
            (None, Some(pattern)) => TaskText::Path(pattern.clone()),
            (None, None) => TaskText::Segment,
        };
        let names = batch.jobs.iter();
        // The output of a job is the name of its recording.
        let names = names
            .map(|job| RecordingName::new(&job.output.to_string_lossy(), &portable(&job.input)));
        let plan = EpisodePlan::new(names.collect(), options);
        let plan = plan.map_err(|error| scan_error::of_scan(error, segments))?;
        note_without_trials(&plan, batch, segments.unwrap_or_default());
        // The episodes for validation follow the others.
        batch.jobs.sort_by_key(|job| plan.is_validation(job.index));
        Ok(Episodes {
            plan,
            features: OnceLock::new(),
        })
    }

    /// Creates the episodes of a recording, and adds their losses to `report`. Prints notes and warnings about them.
    pub(super) fn prepare(
        &self,
        job: &Job,
        recording: &Recording<'_>,
        report: &mut Report,
    ) -> anyhow::Result<Prepared> {
        let features = self.features.get().ok_or(LeRobotError::NoFeatures)?;
        let made = self.plan.episodes(job.index, recording, features);
        let mut made = made.map_err(|problem| scan_error::of_problem(&job.input, problem))?;
        let added = self.plan.add_video(&mut made, Some(&job.input));
        added.map_err(|problem| scan_error::of_problem(&job.input, problem))?;
        report.losses.extend(made.losses());
        let name = FileName::new(&job.input);
        for notice in &made.notices {
            let text = notice.to_string();
            if notice.is_note() {
                note_of_file(&name.to_string(), notice.kind(), printable(&text));
            } else {
                warn(format_args!("{name}: {}", printable(&text)));
            }
        }
        Ok(Prepared::Episodes(made))
    }
}

/// The files of a dataset, which may be replaced.
const CONTENT: FolderContent = FolderContent {
    mark: INFO,
    has: is_file_of_dataset,
};

/// Refuses inputs that cannot be read twice, a manifest in the dataset, and a folder that must not be replaced.
pub(super) fn check(
    paths: &[PathBuf],
    folder: &Path,
    manifest: Option<&Path>,
    force: bool,
) -> anyhow::Result<()> {
    // The manifest and the dataset may not exist yet.
    let is_dataset = |above: &Path| canonical(above) == canonical(folder);
    if let Some(manifest) = manifest.filter(|path| path.ancestors().skip(1).any(is_dataset)) {
        let message = format!("{} is inside of the dataset", manifest.display());
        let hint = "choose another folder for the manifest: a dataset contains no other files";
        return Err(Refusal::usage(message, hint));
    }
    if paths.iter().any(|path| path == Path::new("-")) {
        let message = "standard input cannot become a dataset: each recording is read twice";
        let hint =
            "write the recording to a file first, such as with `inputanim convert - take.bin`";
        return Err(Refusal::usage(message, hint));
    }
    output::check_folder(folder, force, CONTENT)
}

/// Fails if an input is in the folder of the dataset, because the dataset replaces the folder.
fn check_inputs(batch: &FileBatch, folder: &Path) -> anyhow::Result<()> {
    let mut inputs = batch.jobs.iter().map(|job| &job.input);
    let Some(input) = inputs.find(|input| is_inside(input, folder)) else {
        return Ok(());
    };
    let message = format!(
        "{} is inside of the output {}",
        input.display(),
        folder.display()
    );
    Err(Refusal::usage(message, "choose another folder with -o"))
}

/// Writes the episodes of all recordings that can be part of the dataset, and adds the result for each file to `results`.
/// Returns `None` if no recording can be part of the dataset.
pub(super) fn write(
    converter: &Converter<'_>,
    episodes: &Episodes,
    batch: &FileBatch,
    folder: &Path,
    force: bool,
    results: &mut Results<'_>,
) -> anyhow::Result<Option<Joined>> {
    let plan = &episodes.plan;
    if let (TaskText::Path(pattern), Some(job)) = (&plan.options().task, batch.jobs.first())
        && let Some(columns) = columns_of(pattern, &portable(&job.input))
    {
        note(format_args!("{}: {columns}", FileName::new(&job.input)));
    }

    let mut columns = None;
    batch.run(
        true,
        |job| converter.recorded(job),
        |_, recorded, _| {
            if let Ok(recorded) = recorded {
                let columns: &mut Columns = columns.get_or_insert_default();
                columns.add_known(&recorded);
            }
            Ok(())
        },
    )?;
    let Some(columns) = columns else {
        // The conversion of each file states why the file cannot be read.
        converter.write_files(batch, results)?;
        return Ok(None);
    };
    let segments = converter.conversion.segments.segments.as_deref();
    let features = plan.features(&columns);
    let features = features.map_err(|error| scan_error::of_scan(error, segments))?;
    let features = episodes.features.get_or_init(|| features);

    let mut joined = Joined::default();
    let written = output::write_folder(folder, force, CONTENT, |new| {
        let dataset = &plan.options().dataset;
        let mut dataset = DatasetWriter::new(features, dataset, |path| new.file(path))?;
        batch.run(
            true,
            |job| converter.convert(batch, job),
            |job, (converted, prepared), messages| {
                if let Some(Prepared::Episodes(made)) = prepared {
                    joined.add_recording();
                    let written = plan.write(job.index, &made, &mut dataset);
                    written.with_context(|| FileName::new(&job.input))?;
                }
                results.add(job, converted, messages)
            },
        )?;
        if plan.options().validation.is_some() {
            // Also if all recordings for validation failed.
            dataset.begin_validation();
        }
        Ok(dataset.finish()?)
    });
    match written {
        // All files failed, and each has its own error.
        Err(_) if joined.is_empty() && results.files == batch.jobs.len() => Ok(None),
        Err(error) => Err(error),
        Ok(summary) => {
            summary.notes().iter().for_each(note);
            joined.rows = summary.frames;
            joined.episodes = Some(summary.episodes);
            Ok(Some(joined))
        }
    }
}

/// Removes the jobs of recordings that the trial table does not name, and prints a note with the names of these
/// recordings. `table` is the path of the trial table.
fn note_without_trials(plan: &EpisodePlan, batch: &mut FileBatch, table: &str) {
    let without = batch
        .jobs
        .extract_if(.., |job| !plan.has_episodes(job.index));
    let names = without.map(|job| job.output.to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let number = count(names.len(), "recording");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        note(format_args!(
            "{number} without trials in {table}: {}",
            listed(&names)
        ));
    }
}

impl Converter<'_> {
    /// Reads the recording of a job, and returns the columns of the streams that it contains.
    fn recorded(&self, job: &Job) -> anyhow::Result<Columns> {
        let input = Input::open_as(&job.input, self.conversion.inputs(), self.limits)?;
        let (recording, ..) = self.conversion.read(&input, self.to, self.limits)?;
        Ok(Columns::of(&recording))
    }
}
