//! The function `write_lerobot`: many recordings as a dataset for training policies of robots.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use inputanim::UnknownName;
use inputanim_convert::lerobot::{INFO, is_file_of_dataset};
use inputanim_output::{Existing, FolderContent, NewFolder, OutputError, is_inside};
use inputanim_scan::lerobot::{EpisodeOptions, TaskText, WrittenDataset, write_dataset};
use inputanim_scan::{OnError, ScanError, Segments, Source};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::failure::Failure;
use crate::files::os_error;
use crate::formats;
use crate::scan::{Damaged, Noticed, PySource, SkippedFile, damaged, invalid, noticed, skipped};
use crate::work::interruptible;

/// The options of a dataset as JSON. The package passes all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    format: Option<String>,
    rate: f64,
    joints: Vec<String>,
    exclude: Vec<String>,
    frame: String,
    space: Option<inputanim::Space>,
    task: Option<String>,
    task_pattern: Option<String>,
    grippers: Vec<String>,
    rotations: String,
    keypoints: Option<String>,
    action: String,
    mask: String,
    scale_hands: bool,
    success: Option<String>,
    validation: Option<String>,
    split_pattern: Option<String>,
    video: bool,
    modality: bool,
    errors: String,
    recover: bool,
    repair: bool,
    forget_zeros: bool,
    pauses: inputanim::Pauses,
    no_limits: bool,
    threads: usize,
}

/// Parses the options of a dataset from JSON. `segments` is a string such as `markers` or `pinch@-0.5..1`, or the path
/// of a trial table; `None` for complete recordings.
fn options(json: &str, segments: Option<OsString>) -> Result<EpisodeOptions, Failure> {
    let given: Options = serde_json::from_str(json)?;
    let mut options = EpisodeOptions::default();
    options.format = given.format.as_deref().map(formats::format).transpose()?;
    options.dataset.set_rate(given.rate).map_err(invalid)?;
    options.dataset.frame = given.frame.parse().map_err(invalid)?;
    options.dataset.space = given.space.unwrap_or_default();
    options.joints = given.joints;
    options.exclude = given.exclude;
    if given.no_limits {
        options.lift_limits();
    }
    if let Some(segments) = segments {
        let limits = &options.dataset.limits;
        options.segments = Segments::from_text(segments, limits).map_err(invalid)?;
    }
    options.task = match (given.task, given.task_pattern) {
        (Some(_), Some(_)) => {
            let message = "expected either task or task_pattern, found both";
            return Err(Failure::invalid(message));
        }
        (Some(text), None) => TaskText::Fixed(text),
        (None, Some(pattern)) => TaskText::Path(pattern.parse().map_err(invalid)?),
        (None, None) => TaskText::Segment,
    };
    let forms = &mut options.dataset.forms;
    let grippers = given.grippers.iter().map(|gripper| gripper.parse());
    forms.grippers = grippers.collect::<Result<_, _>>().map_err(invalid)?;
    forms.rotation = given.rotations.parse().map_err(invalid)?;
    let keypoints = given.keypoints.as_deref().map(str::parse);
    forms.keypoints = keypoints.transpose().map_err(invalid)?;
    forms.action = given.action.parse().map_err(invalid)?;
    forms.mask = given.mask.parse().map_err(invalid)?;
    forms.scale_hands = given.scale_hands;
    options.dataset.video = given.video;
    options.dataset.modality = given.modality;
    let success = given.success.as_deref().map(str::parse);
    options.success = success.transpose().map_err(invalid)?;
    let validation = given.validation.as_deref().map(str::parse);
    options.validation = validation.transpose().map_err(invalid)?;
    if given.split_pattern.is_some() && options.validation.is_none() {
        return Err(Failure::invalid(
            "split_pattern has no effect without validation",
        ));
    }
    let pattern = given.split_pattern.as_deref().map(str::parse);
    options.split_pattern = pattern.transpose().map_err(invalid)?;
    options.on_error = given.errors.parse().map_err(invalid)?;
    if options.on_error == OnError::Column {
        // A dataset has no column for errors.
        return Err(invalid(UnknownName::new(
            "treatment of errors",
            &given.errors,
            [OnError::Raise.name(), OnError::Skip.name()],
        )));
    }
    options.corrections.recover = given.recover;
    options.corrections.repair = given.repair;
    options.corrections.forget_zeros = given.forget_zeros;
    options.pauses = given.pauses;
    options.threads = given.threads;
    Ok(options)
}

/// A dataset that cannot be written.
enum Problem {
    Output(OutputError),
    Scan(ScanError),
}

/// Episodes, frames and tasks; notes; skipped files; files with damage, with losses, and without trials; notices with their
/// kinds.
type Written = (
    (u64, u64, u64),
    Vec<String>,
    Vec<SkippedFile>,
    Vec<Damaged>,
    Vec<(OsString, String)>,
    Vec<String>,
    Vec<Noticed>,
);

fn described(written: WrittenDataset) -> Written {
    let summary = written.summary;
    let losses = written.losses.into_iter();
    (
        (summary.episodes, summary.frames, summary.tasks),
        summary.notes().iter().map(ToString::to_string).collect(),
        written.errors.into_iter().map(skipped).collect(),
        written.damaged.into_iter().map(damaged).collect(),
        losses
            .map(|(file, loss)| (file.into(), loss.to_string()))
            .collect(),
        written.without_trials,
        written.notices.into_iter().map(noticed).collect(),
    )
}

/// The files of a dataset, which may be replaced.
const CONTENT: FolderContent = FolderContent {
    mark: INFO,
    has: is_file_of_dataset,
};

/// Writes recordings as a dataset into a folder, which appears when all of its files are complete. `json` has the
/// options.
#[pyfunction]
pub(crate) fn write_lerobot(
    py: Python<'_>,
    sources: Vec<PySource>,
    folder: PathBuf,
    json: &str,
    segments: Option<OsString>,
    overwrite: bool,
) -> PyResult<Written> {
    let options = options(json, segments)?;
    let sources = sources.into_iter().map(|source| source.into_source(py));
    let sources: Vec<Source> = sources.collect();
    for source in &sources {
        if let Source::Path(path) = source
            && is_inside(path, &folder)
        {
            let (path, folder) = (path.display(), folder.display());
            let message = format!("{path} is inside of the output {folder}");
            return Err(Failure::invalid(message).into());
        }
    }
    let existing = if overwrite {
        Existing::Replace
    } else {
        Existing::Refuse
    };
    let cancel = Arc::clone(&options.cancel);
    let target = folder.clone();
    let work = move || {
        let new = NewFolder::create(&target, existing, CONTENT).map_err(Problem::Output)?;
        let written = write_dataset(sources, options, |path| new.file(path));
        let written = written.map_err(Problem::Scan)?;
        new.finish().map_err(Problem::Output)?;
        Ok(written)
    };
    let written = interruptible(py, usize::MAX, work).inspect_err(|_| {
        // The work ends soon after Ctrl-C, and its temporary folder is removed.
        cancel.store(true, Ordering::Relaxed);
    })?;
    match written {
        Ok(written) => Ok(described(written)),
        Err(Problem::Output(error)) => Err(os_error(error, &folder).into()),
        Err(Problem::Scan(ScanError::Output(error))) => {
            let message = format!("cannot write {}: {error}", folder.display());
            Err(std::io::Error::new(error.kind(), message).into())
        }
        Err(Problem::Scan(error)) => Err(Failure::from(error).into()),
    }
}
