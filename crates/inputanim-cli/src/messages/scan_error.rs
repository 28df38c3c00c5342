//! The errors of scans, with the hints of this program.

use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "lerobot")]
use inputanim::Side;
use inputanim_analysis::{CsvTableError, EventKind};
#[cfg(feature = "lerobot")]
use inputanim_convert::lerobot::LeRobotError;
#[cfg(feature = "lerobot")]
use inputanim_scan::lerobot::SuccessLabels;
use inputanim_scan::{
    FileError, FileProblem, ScanError, SegmentsError, TrialTableError, UnknownSegments,
};

use crate::arguments::names::{marker_names, unknown};
use crate::arguments::time_range;
use crate::files::input::{path_refusal, read_error};
use crate::messages::file_name::FileName;
use crate::messages::outcome::Refusal;
use crate::messages::text::{count, printable};

/// Converts the error of a file in a scan to an error that names the file, with a hint.
pub(crate) fn of_file(error: FileError) -> anyhow::Error {
    let path = error.path.as_deref().map(|path| path.as_path());
    of_problem(path.unwrap_or(Path::new(&error.file)), error.problem)
}

/// Converts a problem of a file in a scan to an error that names the file, with a hint.
pub(crate) fn of_problem(path: &Path, problem: FileProblem) -> anyhow::Error {
    let name = FileName::new(path);
    match problem {
        FileProblem::Read(error) => return read_error(path, &error),
        FileProblem::Parse(error) => error.into(),
        FileProblem::Convert(error) => match Arc::try_unwrap(error) {
            Ok(error) => error.into(),
            Err(error) => error.into(),
        },
        FileProblem::Sample(error) => error.into(),
        FileProblem::Analysis(error) => error.into(),
        FileProblem::Time(error) => time_range::refusal(error),
        FileProblem::Name(error) => unknown(&error),
        FileProblem::Trial(error) => {
            let hint = "correct the times, or remove the row of the table";
            Refusal::failure(printable(&error.to_string()), hint)
        }
        FileProblem::Segments(error) => {
            let names: Vec<&str> = error.markers.iter().map(String::as_str).collect();
            let hint = marker_names(&names)
                .unwrap_or_else(|| "without --segments, the complete recording is used".to_owned());
            Refusal::failure(printable(&error.to_string()), hint)
        }
        #[cfg(feature = "lerobot")]
        FileProblem::LeRobot(error) => of_lerobot(error),
        #[cfg(feature = "lerobot")]
        problem @ FileProblem::NotEgoDex => Refusal::failure(
            problem.to_string(),
            "convert only files of EgoDex (.hdf5, .h5), or leave out --video",
        ),
        #[cfg(feature = "lerobot")]
        problem @ FileProblem::Video { .. } => Refusal::failure(
            problem.to_string(),
            "--video needs the MP4 file of EgoDex with the frames of the recording; without --video, the dataset has no images",
        ),
        #[cfg(feature = "lerobot")]
        FileProblem::Success(problem) => {
            let end = problem.range.end;
            let hint = match problem.labels {
                SuccessLabels::Trials => {
                    "write success or failure into the column `success` of the trial table; true, yes, 1, false, no and 0 are \
                     the same"
                        .to_owned()
                }
                _ if problem.found == "no marker" => {
                    format!("`inputanim markers add IN --at {end} success -o labelled.bin` adds a label")
                }
                _ => "`inputanim markers list IN` lists the labels, and `markers remove` removes one".to_owned(),
            };
            Refusal::failure(printable(&problem.to_string()), hint)
        }
        FileProblem::Path(pattern) => path_refusal(&pattern),
        problem => problem.into(),
    }
    .context(name)
}

/// Converts the error of a scan that cannot begin to an error with a hint. `segments` is the value of `--segments`.
pub(crate) fn of_scan(error: ScanError, segments: Option<&str>) -> anyhow::Error {
    let usage = |error: &ScanError, hint: &'static str| Refusal::usage(error.to_string(), hint);
    let file = || FileName::new(segments.unwrap_or_default().as_ref());
    match &error {
        ScanError::DuplicateColumn { name } => {
            let message = format!(
                "several columns of the result have the name {}",
                printable(name)
            );
            let hint = "--path-pattern and targets make columns: rename one, or write {*} in the pattern for a part \
                        that is not a column";
            Refusal::usage(message, hint)
        }
        ScanError::NoEffect { option, shape } => Refusal::usage(
            format!("--{option} has no effect on {shape}"),
            format!("remove --{option}"),
        ),
        ScanError::SegmentColumn(_) => usage(
            &error,
            "columns of the trial table are copied to the result",
        )
        .context(file()),
        ScanError::UnknownTrials(error) => {
            let unknown: Vec<String> = error.trials.iter().map(ToString::to_string).collect();
            let hint = "add the recordings to the command line, or remove their rows; a name is a path \
                        below the searched folder, or its last parts";
            Refusal::failure(problems(&unknown), hint).context(file())
        }
        ScanError::UnknownMeasure(inputanim_analysis::UnknownMeasure::NeedsTargets(_))
        | ScanError::LooksNeedTargets => usage(&error, "--targets FILE reads them"),
        ScanError::UnknownMeasure(inputanim_analysis::UnknownMeasure::NeedsDevices(_)) => usage(
            &error,
            "--parameter devices.inputs=right.controller.trigger.value measures an input; \
             `inputanim info FILE` lists the devices",
        ),
        ScanError::UnknownMeasure(_) => {
            let hint = "docs/analysis.md defines all measures; --tidy without --measures lists those of a recording";
            usage(&error, hint)
        }
        ScanError::Analysis(analysis) => analysis.clone().into(),
        ScanError::Tracking(_) => usage(&error, "exclude the complete hand, or keep its tracking"),
        #[cfg(feature = "lerobot")]
        ScanError::EmptyTask => usage(
            &error,
            "describe the task, such as --task 'stack the cubes', or leave out --task",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::NoTask { .. } => usage(
            &error,
            "name the part of the path that is the text of the task, such as '{*}/{task}_{*}.bin'",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::NoSuccessColumn => usage(
            &error,
            "give the table with --segments trials.csv, or use --success markers",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::NoSplitColumn { .. } => usage(
            &error,
            "name the part of the path, such as --split-pattern '{person}/{*}.bin'",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::UnknownSplit(_) | ScanError::NoSplit { .. } => usage(
            &error,
            "name some of the values, such as --validation person=p03,p07",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::SplitRecording { .. } => usage(
            &error,
            "name all of its values or none with --validation, or divide the recording with `inputanim split`",
        ),
        #[cfg(feature = "lerobot")]
        ScanError::LeRobot(lerobot) => of_lerobot(lerobot.clone()),
        #[cfg(feature = "parquet")]
        ScanError::Catalog(catalog) => of_catalog(catalog),
        #[cfg(feature = "parquet")]
        ScanError::CatalogAndCorrections => usage(&error, "leave out --catalog"),
        _ => error.into(),
    }
}

/// Adds a hint to an error of a catalogue.
#[cfg(feature = "parquet")]
fn of_catalog(error: &inputanim_scan::CatalogError) -> anyhow::Error {
    use inputanim_scan::CatalogError as E;
    let hint = match error {
        E::Read { .. } => "`inputanim catalog FOLDER` makes a catalogue",
        E::Version { .. } | E::Damaged { .. } => "`inputanim catalog FOLDER` makes it again",
        E::TooLarge { .. } => "--no-limits lifts the limits, if you trust the file",
        E::ColumnsTooLarge { .. } => {
            "`inputanim catalog FOLDER --rebuild` makes it again; --no-limits lifts the limits, if you trust the file"
        }
        E::InPack(_) => {
            let hint = "choose a file outside of the pack with -o";
            return Refusal::usage(error.to_string(), hint);
        }
        E::Extension(_) => {
            let hint =
                "choose a name that ends with .parquet; `info -r FOLDER --format csv` prints CSV";
            return Refusal::usage(error.to_string(), hint);
        }
        E::NotFolder(_) => {
            let hint = "name the folder that contains the recordings";
            return Refusal::usage(error.to_string(), hint);
        }
        E::NotCatalog { .. } => "choose another file; `inputanim catalog FOLDER` makes a catalogue",
        E::Folder { .. } | E::Format { .. } => {
            "choose another catalogue, or make it again with `inputanim catalog --rebuild`"
        }
        E::FolderName(_) => "leave out -o, so that the catalogue is in its folder",
        _ => return anyhow::Error::msg(error.to_string()),
    };
    Refusal::failure(error.to_string(), hint)
}

/// Adds a hint to an error of a LeRobot dataset.
#[cfg(feature = "lerobot")]
fn of_lerobot(error: LeRobotError) -> anyhow::Error {
    let hint = match &error {
        LeRobotError::NotRecorded(element) | LeRobotError::NeverFinite { element, .. } => {
            format!(
                "--exclude {element} leaves it out of all states; if nothing else is selected, select other parts with --joints"
            )
        }
        LeRobotError::NoJoint { element, .. } => {
            let side = element.side().map_or("", Side::name);
            format!(
                "--exclude {side} leaves out this hand; --keypoints and --gripper choose other forms"
            )
        }
        LeRobotError::PartOfKeypoints { element, .. } => {
            let side = element.side().map_or("", Side::name);
            let hint = format!(
                "--joints {side} selects the complete hand, and --exclude {side} leaves it out; without --keypoints, single joints \
                 can be selected"
            );
            return Refusal::usage(error.to_string(), hint);
        }
        LeRobotError::NoBase { .. } => "choose --frame world".to_owned(),
        LeRobotError::NoPinches(side) => {
            format!("use --gripper geometric-pinch or --gripper aperture, or --exclude {side}")
        }
        LeRobotError::NoHand => "select a hand with --joints, such as --joints right".to_owned(),
        LeRobotError::ScaleWithoutWrist(_) => {
            return Refusal::usage(error.to_string(), "add --frame wrist");
        }
        LeRobotError::RelativeToWorld => {
            let hint = "add --frame wrist or --frame head; --action delta works with all frames";
            return Refusal::usage(error.to_string(), hint);
        }
        LeRobotError::HandSize { side, .. } => {
            format!("--exclude {side} leaves it out of all states")
        }
        LeRobotError::NoEffect(_) => {
            "leave out the option, or select such poses with --joints and --frame".to_owned()
        }
        LeRobotError::NoFeatures => "`inputanim info` prints what a recording contains".to_owned(),
        _ => return error.into(),
    };
    Refusal::failure(error.to_string(), hint)
}

/// Converts the error of a value of `--segments` to an error with a hint.
pub(crate) fn of_segments(error: SegmentsError) -> anyhow::Error {
    const TABLE: &str = "a trial table has the columns recording, start and end, with times in seconds; others are copied";
    match error {
        SegmentsError::Trials { path, error } => {
            let file = FileName::new(path.as_ref());
            match error {
                TrialTableError::Read(error) => read_error(path.as_ref(), &error),
                TrialTableError::Table(error) => of_table_error(&error, TABLE).context(file),
                error => Refusal::failure(error.to_string(), TABLE).context(file),
            }
        }
        error => {
            let hint = match &error {
                SegmentsError::Unknown(UnknownSegments::Kind(_)) => {
                    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
                    format!("the kinds are {}", kinds.join(", "))
                }
                SegmentsError::Unknown(UnknownSegments::Reversed { .. }) => {
                    "state the earlier time first, such as pinch@-0.5..1 or movement@start..end"
                        .to_owned()
                }
                _ => "--help lists the forms of segments".to_owned(),
            };
            Refusal::usage(printable(&error.to_string()), hint)
        }
    }
}

/// Converts the error of a table to an error that lists all of its problems, with a hint.
pub(crate) fn of_table_error(error: &CsvTableError, hint: &'static str) -> anyhow::Error {
    let message = match error {
        CsvTableError::Cells(cells) => {
            problems(&cells.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
        error => error.to_string(),
    };
    Refusal::failure(message, hint)
}

/// Formats problems of a file, one in each line. After the first 20 problems, only the number of the others follows.
fn problems(problems: &[String]) -> String {
    const LISTED: usize = 20;
    let mut lines: Vec<&str> = problems.iter().take(LISTED).map(String::as_str).collect();
    let more = problems.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("and {}", count(more, "more problem")));
    lines.extend(more.as_deref());
    lines.join("\n  ")
}
