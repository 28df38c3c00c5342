//! Errors as exceptions of Python.

use std::error::Error;
use std::ffi::OsStr;

use inputanim::diff::InvalidTolerance;
use inputanim::edit::EditError;
use inputanim::names::UnknownElement;
use inputanim::{
    CurvePath, ErrorRemedy, ParseError, RecordError, TimeRangeError, TooManySamples, UnknownName,
    UnplayableCurve, WriteError,
};
use inputanim_analysis::{AnalysisError, ParameterError, UnknownEventKind, UnknownMeasure};
use inputanim_convert::{Mapping, NoEffect, Remedy};
use inputanim_scan::{CatalogError, FileProblem, ScanError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::system_path;

/// An error of the libraries, with the attributes of the exception that is raised.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The class of the exception in `inputanim`.
    class: &'static str,
    message: Box<str>,
    /// The name of the kind of a parse error.
    kind: Option<&'static str>,
    curve: Option<CurvePath>,
    /// Position in the file, in bytes.
    offset: Option<u64>,
    /// The path of the file, if it is one of many.
    file: Option<Box<OsStr>>,
    /// The call that helps.
    hint: Option<Box<str>>,
}

/// The hint for an analysis without targets.
const TARGETS: &str =
    "parameters={\"targets\": inputanim.read_targets(\"targets.csv\")} reads a file";

/// The hint for unknown names.
const NAMES: &str =
    "names are head, gaze, left, right, left.tracked, left.Palm, IndexTip, right.Index* and so on";

impl Failure {
    /// Returns a failure for an argument that the user passed: an unknown name, or a number out of range.
    pub(crate) fn invalid(message: impl Into<String>) -> Failure {
        Failure {
            class: "InvalidArgument",
            message: message.into().into_boxed_str(),
            kind: None,
            curve: None,
            offset: None,
            file: None,
            hint: None,
        }
    }

    /// Returns a failure that is raised as the exception `class` of the package `inputanim`.
    pub(crate) fn of_class(class: &'static str, message: &str) -> Failure {
        Failure {
            class,
            ..Failure::invalid(message)
        }
    }

    /// Returns a failure that is raised as the exception `class` of the package `inputanim`, with the messages of an
    /// error and of its causes.
    pub(crate) fn of(class: &'static str, error: &dyn Error) -> Failure {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Failure {
            class,
            ..Failure::invalid(message)
        }
    }

    /// Returns the failure for an error in the options of an edit that does not depend on the recording. It is raised
    /// as `InvalidArgument`.
    pub(crate) fn of_argument(error: EditError) -> Failure {
        Failure {
            class: "InvalidArgument",
            ..Failure::from(error)
        }
    }

    pub(crate) fn with_hint(self, hint: impl Into<Box<str>>) -> Failure {
        Failure {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// Returns the exception of Python for the failure, with its attributes.
    fn exception<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("inputanim._errors")?.getattr(self.class)?;
        let attributes = PyDict::new(py);
        attributes.set_item("kind", self.kind)?;
        attributes.set_item("curve", self.curve.map(|curve| curve.to_string()))?;
        attributes.set_item("offset", self.offset)?;
        attributes.set_item("file", self.file.as_deref())?;
        attributes.set_item("hint", self.hint.as_deref())?;
        class.call((&*self.message,), Some(&attributes))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| match failure.exception(py) {
            Ok(exception) => PyErr::from_value(exception),
            // The package is not installed completely.
            Err(error) => PyRuntimeError::new_err(format!("{}: {error}", failure.message)),
        })
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure {
            kind: Some(error.kind().name()),
            curve: error.path(),
            offset: Some(error.offset()),
            hint: error.remedy().and_then(of_remedy).map(Box::from),
            ..Failure::of("ParseError", &error)
        }
    }
}

impl From<TooManySamples> for Failure {
    fn from(error: TooManySamples) -> Failure {
        Failure {
            hint: of_remedy(error.remedy()).map(Box::from),
            ..Failure::invalid(error.to_string())
        }
    }
}

impl From<UnplayableCurve> for Failure {
    fn from(error: UnplayableCurve) -> Failure {
        Failure {
            curve: Some(error.curve),
            hint: of_remedy(error.remedy()).map(Box::from),
            ..Failure::of("PlaybackError", &error)
        }
    }
}

impl From<TimeRangeError> for Failure {
    fn from(error: TimeRangeError) -> Failure {
        let failure = Failure::of("InvalidArgument", &error);
        match error {
            TimeRangeError::NotANumber(_) => failure.with_hint("expected times in seconds"),
            _ => failure,
        }
    }
}

/// Returns a hint: the call of the Python package that performs the remedy for an error; `None` if there is none.
fn of_remedy(remedy: ErrorRemedy) -> Option<&'static str> {
    Some(match remedy {
        ErrorRemedy::RepairFirst => "call recording.repair() first: the edit would hide the damage",
        ErrorRemedy::Repair => "recording.repair() removes such keys",
        ErrorRemedy::Recover => "inputanim.recover(path) returns the intact parts",
        ErrorRemedy::Resample => "recording.resample(60) replaces tangents by linear keys",
        ErrorRemedy::CheckKeys => "recording.findings states whether keys were lost",
        ErrorRemedy::LowerRate => "use a lower rate; no_limits=True lifts the limit",
        ErrorRemedy::SampleLess => {
            "sample fewer joints, at a lower rate or in a shorter time range; no_limits=True lifts the limit"
        }
        ErrorRemedy::Shorten => "use a lower rate, or recording.trim(0, 60) first",
        ErrorRemedy::ShortenOrLift => {
            "use a lower rate, or recording.trim(0, 60) first; no_limits=True lifts the limit"
        }
        ErrorRemedy::MakeLess => "join fewer recordings, or reduce them first with reduce()",
        ErrorRemedy::LiftLimits => "no_limits=True lifts the limits, if you trust the file",
        ErrorRemedy::AllowLoss | ErrorRemedy::ExcludeGaze => {
            "use another layout, or allow_loss=True to drop it"
        }
        ErrorRemedy::NameElement => NAMES,
        ErrorRemedy::NamePose => "joints selects poses: left, left.Palm, head",
        ErrorRemedy::WithoutHead => {
            "recording.mirror(\"world\") and other steps of transform() need no head"
        }
        _ => return None,
    })
}

/// Returns a hint: the argument of the Python package that performs the remedy for an error of a conversion; `None` if
/// there is none.
fn of_conversion(remedy: &Remedy) -> Option<Box<str>> {
    Some(Box::from(match remedy {
        Remedy::Recording(remedy) => return of_remedy(*remedy).map(Box::from),
        Remedy::MapAs(suggestion) => {
            let mappings = suggestion.mappings.iter();
            let texts: Vec<String> = mappings.map(Mapping::to_string).collect();
            let explanation = suggestion.explanation();
            return Some(Box::from(format!("mappings={texts:?} {explanation}")));
        }
        Remedy::Export(kind) => kind.advice(),
        Remedy::Unpack => "unpack it with gzip first",
        Remedy::LowerRate => "use a lower rate",
        Remedy::ChooseRecording(_) => "recording=NAME selects one",
        Remedy::MapColumns => "mappings=[\"time_s=NAME\"] assigns columns by name",
        Remedy::Map(_) => "mappings multiply: *0.001 divides by 1000",
        Remedy::IgnoreUnknown { .. } => "ignore_unknown=True ignores unknown columns and members",
        Remedy::SkipBad => "skip_bad=True skips such rows",
        Remedy::CountFromZero { .. } => "from_zero=True counts from the first row",
        _ => return None,
    }))
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Failure {
        let hint = match &error {
            EditError::TimeRange(TimeRangeError::NotANumber(_)) => {
                Some("expected times in seconds")
            }
            error => error.remedy().and_then(of_remedy),
        };
        let class = if error.is_of_argument() {
            "InvalidArgument"
        } else {
            "EditError"
        };
        Failure {
            curve: error.curve(),
            hint: hint.map(Box::from),
            ..Failure::of(class, &error)
        }
    }
}

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Failure {
        Failure::of("InvalidArgument", &error)
    }
}

impl From<UnknownElement> for Failure {
    fn from(error: UnknownElement) -> Failure {
        Failure::invalid(error.to_string()).with_hint(NAMES)
    }
}

impl From<InvalidTolerance> for Failure {
    fn from(error: InvalidTolerance) -> Failure {
        Failure::invalid(error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Failure {
        Failure {
            hint: error.remedy().and_then(of_remedy).map(Box::from),
            ..Failure::of("WriteError", &error)
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        let failure = Failure::of("RecordError", &error);
        let curve = match error {
            RecordError::ValueNotFinite { curve, .. } => Some(curve),
            RecordError::RotationZero { w, .. } => Some(w),
            _ => None,
        };
        Failure { curve, ..failure }
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Unplayable(error) => error.into(),
            error => {
                let failure = Failure::of("AnalysisError", &error);
                match error.remedy().and_then(of_remedy) {
                    Some(hint) => failure.with_hint(hint),
                    None => failure,
                }
            }
        }
    }
}

impl From<ParameterError> for Failure {
    fn from(error: ParameterError) -> Failure {
        let hint = match error {
            ParameterError::Ambiguous { .. } => "use the complete name",
            ParameterError::UnknownChoice { kind: "joint", .. } => {
                "inputanim.JOINTS has the names of the joints"
            }
            _ => {
                "inputanim.default_parameters() returns the parameters; docs/analysis.md describes them"
            }
        };
        Failure::invalid(error.to_string()).with_hint(hint)
    }
}

impl From<UnknownMeasure> for Failure {
    fn from(error: UnknownMeasure) -> Failure {
        let hint = match &error {
            UnknownMeasure::NeedsTargets(_) => TARGETS,
            UnknownMeasure::NeedsDevices(_) => {
                "the parameters {\"devices.inputs\": [\"right.controller.trigger.value\"]} measure an input"
            }
            _ => "inputanim.quantities() lists the measures; docs/analysis.md defines them",
        };
        Failure::invalid(error.to_string()).with_hint(hint)
    }
}

impl From<UnknownEventKind> for Failure {
    fn from(error: UnknownEventKind) -> Failure {
        let hint = "docs/analysis.md lists the kinds of events";
        Failure::invalid(error.to_string()).with_hint(hint)
    }
}

impl From<ScanError> for Failure {
    fn from(error: ScanError) -> Failure {
        match error {
            ScanError::File(error) => Failure {
                kind: match &error.problem {
                    FileProblem::Parse(error) => Some(error.kind().name()),
                    FileProblem::Convert(error) => error.kind_name(),
                    _ => None,
                },
                curve: error.curve(),
                offset: error.byte(),
                file: Some(
                    system_path(error.path.as_ref().map(|path| path.as_path()), &error.file)
                        .into_boxed_os_str(),
                ),
                hint: Some(Box::from(
                    "errors=\"skip\" skips such files and lists them in scan.errors",
                )),
                ..Failure::of("ScanError", &error)
            },
            ScanError::Analysis(error) => error.into(),
            ScanError::UnknownMeasure(error) => error.into(),
            ScanError::LooksNeedTargets => {
                Failure::of("InvalidArgument", &error).with_hint(TARGETS)
            }
            ScanError::UnknownColumn { .. } => Failure::of("InvalidArgument", &error)
                .with_hint("inputanim.columns(shape) lists the columns"),
            ScanError::NoEffect { option, shape } => {
                // The names of the arguments of Python.
                let option = match option {
                    "sampling" => "rate or times",
                    "time" => "start or end",
                    option => option,
                };
                Failure::invalid(format!(
                    "the option {option} has no effect on the shape {shape}"
                ))
            }
            ScanError::SplitRecording { .. } => Failure::of("InvalidArgument", &error).with_hint(
                "name all of its values or none in validation, or divide the recording with Recording.split",
            ),
            ScanError::Forked => Failure::of("ScanError", &error)
                .with_hint("request the rows in this process: scan.batches()"),
            ScanError::Catalog(error) if matches!(*error, CatalogError::TooLarge { .. }) => {
                Failure::of("ScanError", &error)
                    .with_hint("no_limits=True lifts the limits, if you trust the file")
            }
            ScanError::Catalog(error) if matches!(*error, CatalogError::ColumnsTooLarge { .. }) => {
                Failure::of("ScanError", &error).with_hint(
                    "inputanim.catalog(folder, rebuild=True) makes it again; no_limits=True lifts the limits, if you trust \
                     the file",
                )
            }
            ScanError::Catalog(_) => Failure::of("ScanError", &error).with_hint(
                "inputanim.catalog(folder) makes a catalogue, with rebuild=True also a new one",
            ),
            ScanError::NoRecordings { .. } | ScanError::Folder { .. } | ScanError::Cancelled => {
                Failure::of("ScanError", &error)
            }
            error => Failure::of("InvalidArgument", &error),
        }
    }
}

impl From<NoEffect> for Failure {
    fn from(error: NoEffect) -> Failure {
        Failure::invalid(error.to_string())
    }
}

impl From<inputanim_convert::Error> for Failure {
    fn from(error: inputanim_convert::Error) -> Failure {
        use inputanim_convert::Error as E;
        match error {
            E::Parse(error) => error.into(),
            E::Edit(error) => error.into(),
            E::Write(error) => error.into(),
            error if error.is_foreign() => Failure {
                kind: error.kind_name(),
                hint: error.remedy().as_ref().and_then(of_conversion),
                ..Failure::of("ParseError", &error)
            },
            error => Failure {
                hint: error.remedy().as_ref().and_then(of_conversion),
                ..Failure::of("ConvertError", &error)
            },
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        // The place in the JSON means nothing to the caller, who wrote no JSON.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Failure::invalid(message)
    }
}
