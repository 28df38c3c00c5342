//! Recordings as a dataset of Motion-BIDS: several files for each recording, and some for all of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::Recording;
use inputanim_convert::motion_bids::{
    self, DatasetFile, Entities, Entity, RecordingFile, dataset_files,
};
use inputanim_convert::{Report, WriteOptions};

use crate::commands::convert::conversion::Conversion;
use crate::files::batch::{FileBatch, Job};
use crate::files::output;
use crate::messages::diagnostics::note;
use crate::messages::outcome::Outcome;

/// Returns the path of the motion file of a recording, relative to the dataset. Its BIDS labels (subject, task and so
/// on) are the columns of `--path-pattern`, if this is given. Otherwise they are read from `relative`, the path of
/// the input in its folder. Fails if a label is missing or invalid.
pub(super) fn path(
    conversion: &Conversion,
    input: &Path,
    relative: &Path,
) -> anyhow::Result<PathBuf> {
    let relative = relative.to_string_lossy().replace('\\', "/");
    let mut entities = Entities::from_path(&relative);
    let labels = conversion.path_labels(&input.to_string_lossy())?;
    if !labels.is_empty() {
        entities = Ok(Entities::default());
    }
    let mut entities = entities?;
    for (key, label) in labels {
        entities.set_key(&key, &label)?;
    }
    Ok(entities.path(RecordingFile::Motion).into())
}

/// Returns the BIDS labels in the file name of the output of a job.
fn entities_of(job: &Job) -> anyhow::Result<Entities> {
    let name = job.output.file_name().unwrap_or_default();
    Ok(Entities::from_path(&name.to_string_lossy())?)
}

/// Prints the name of the first output, which shows how the labels are chosen.
pub(super) fn note_names(jobs: &[Job], dataset: &Path) {
    if let Some(job) = jobs.first() {
        let name = job.output.strip_prefix(dataset).unwrap_or(&job.output);
        note(format_args!(
            "{} becomes {} (--path-pattern chooses the labels)",
            job.input.display(),
            name.display()
        ));
    }
}

/// Writes the files of a recording in a dataset of Motion-BIDS, and adds their losses and notes to `report`.
/// `outcome_of` returns the outcome for the complete report.
pub(super) fn write(
    batch: &FileBatch,
    job: &Job,
    recording: &Recording<'_>,
    options: &WriteOptions,
    report: &mut Report,
    outcome_of: impl Fn(&Report) -> Outcome,
) -> anyhow::Result<Outcome> {
    job.check()?;
    let entities = entities_of(job)?;
    let name = job.output.file_name().unwrap_or_default().to_string_lossy();
    let start = name.strip_suffix(RecordingFile::Motion.suffix());
    let start = start.unwrap_or(&name);
    for &file in RecordingFile::ALL {
        if file == RecordingFile::Motion {
            continue;
        }
        let mut content = Vec::new();
        let written = motion_bids::write(file, recording, &entities, options, &mut content)?;
        report.extend(written);
        let path = job
            .output
            .with_file_name(format!("{start}{}", file.suffix()));
        batch.write_beside(job, &path, |output| {
            output.write_all(&content)?;
            Ok(Outcome::Done)
        })?;
    }
    // The samples are the output of the job, and are written last, so that a job that has them is complete.
    batch.write(job, |output| {
        let file = RecordingFile::Motion;
        report.extend(motion_bids::write(
            file, recording, &entities, options, output,
        )?);
        Ok(outcome_of(report))
    })
}

/// Writes the files that describe the dataset, unless they exist. Adds new subjects to the table of participants, and
/// new recordings to the tables of scans of their sessions.
pub(super) fn describe<'j>(
    dataset: &Path,
    jobs: impl Iterator<Item = &'j Job>,
) -> anyhow::Result<()> {
    let recordings = jobs.map(entities_of);
    let recordings: Vec<Entities> = recordings.collect::<anyhow::Result<_>>()?;
    if recordings.is_empty() {
        return Ok(());
    }
    let name = fs::canonicalize(dataset).unwrap_or_else(|_| dataset.to_owned());
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    for DatasetFile { name, content, .. } in dataset_files(&name) {
        let path = dataset.join(name);
        if !path.exists() {
            write_file(&path, &content)?;
        }
    }
    let subjects = recordings.iter();
    let subjects = subjects.filter_map(|entities| entities.get(Entity::Subject));
    let path = dataset.join(DatasetFile::PARTICIPANTS);
    complete(&path, |table| motion_bids::participants(table, subjects))?;
    let mut sessions: BTreeMap<String, Vec<&Entities>> = BTreeMap::new();
    for entities in &recordings {
        let session = sessions.entry(entities.scans_path()).or_default();
        session.push(entities);
    }
    for (path, recordings) in sessions {
        complete(&dataset.join(path), |table| {
            motion_bids::scans(table, recordings)
        })?;
    }
    Ok(())
}

/// Writes the table at `path` with more rows. `with_rows` gets the existing content, empty if there is no file, and
/// returns the new content.
fn complete(
    path: &Path,
    with_rows: impl FnOnce(&[u8]) -> Result<Vec<u8>, inputanim_convert::Error>,
) -> anyhow::Result<()> {
    let existing = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        existing => existing.with_context(|| format!("cannot read {}", path.display()))?,
    };
    write_file(path, &with_rows(&existing)?)
}

fn write_file(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    output::write_one_of_many(path, true, |output| Ok(output.write_all(content)?))
}
