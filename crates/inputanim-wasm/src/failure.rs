//! Errors as `Error` objects of JavaScript.

use std::fmt::Display;

#[cfg(any(feature = "edits", feature = "formats"))]
use inputanim::edit::EditError;
use inputanim::edit::LostW;
use inputanim::names::UnknownElement;
use inputanim::{
    CurvePath, ErrorRemedy, ParseError, TimeRangeError, TooManySamples, UnknownName,
    UnplayableCurve, WriteError,
};
use wasm_bindgen::JsValue;

/// An error of the library, with the properties of the `Error` object that is thrown.
#[derive(Default)]
pub struct Failure {
    message: String,
    /// Name of the kind of a parse error.
    kind: Option<&'static str>,
    curve: Option<CurvePath>,
    /// Position in the file, in bytes.
    offset: Option<u64>,
    /// The function that solves the problem.
    hint: Option<Box<str>>,
    /// The name of the action that the function performs.
    remedy: Option<&'static str>,
}

/// The hint for unknown names.
const NAMES: &str = "names are head, gaze, left, right, left.tracked, left.Palm and so on";

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            ..Failure::default()
        }
    }

    /// Returns a failure with the message of an error that has no cause. It needs no code for `Debug`, which any `dyn Error` has.
    pub(crate) fn of(error: &dyn Display) -> Failure {
        Failure::new(error.to_string())
    }

    /// Returns a failure with the message of an error and of its causes.
    #[cfg(any(feature = "edits", feature = "formats"))]
    pub(crate) fn with_causes(error: &dyn std::error::Error) -> Failure {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Failure::new(message)
    }

    /// Adds the name of a kind of errors of other formats.
    #[cfg(feature = "formats")]
    pub(crate) fn with_kind(self, kind: &'static str) -> Failure {
        Failure {
            kind: Some(kind),
            ..self
        }
    }

    /// Adds the name of an action that solves the problem, and the function that performs it.
    pub(crate) fn with_remedy(self, remedy: Option<ErrorRemedy>) -> Failure {
        Failure {
            hint: remedy.and_then(of_remedy).map(Box::from),
            remedy: remedy.map(ErrorRemedy::name),
            ..self
        }
    }

    /// Adds the name of an action that solves the problem.
    #[cfg(feature = "formats")]
    pub(crate) fn with_remedy_name(self, remedy: Option<&'static str>) -> Failure {
        Failure { remedy, ..self }
    }

    pub(crate) fn with_hint(self, hint: impl Into<Box<str>>) -> Failure {
        Failure {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Failure {
        Failure::of(&error)
    }
}

impl From<TooManySamples> for Failure {
    fn from(error: TooManySamples) -> Failure {
        Failure::of(&error).with_remedy(Some(error.remedy()))
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure {
            kind: Some(error.kind().name()),
            curve: error.path(),
            offset: Some(error.offset()),
            ..Failure::of(&error).with_remedy(error.remedy())
        }
    }
}

impl From<UnplayableCurve> for Failure {
    fn from(error: UnplayableCurve) -> Failure {
        Failure {
            curve: Some(error.curve),
            ..Failure::new(format!("{error}: {}", error.source)).with_remedy(Some(error.remedy()))
        }
    }
}

impl From<TimeRangeError> for Failure {
    fn from(error: TimeRangeError) -> Failure {
        Failure::of(&error)
    }
}

impl From<UnknownElement> for Failure {
    fn from(error: UnknownElement) -> Failure {
        Failure::of(&error).with_hint(NAMES)
    }
}

/// Returns a hint: the function of the npm package that performs the remedy for an error; `None` if there is none.
pub(crate) fn of_remedy(remedy: ErrorRemedy) -> Option<&'static str> {
    Some(match remedy {
        ErrorRemedy::RepairFirst => "call recording.repair() first: the edit would hide the damage",
        ErrorRemedy::Repair => "recording.repair() removes such keys",
        ErrorRemedy::Recover => "Recording.recover(bytes) returns the intact part",
        ErrorRemedy::Resample => "recording.resample(60) replaces tangents by linear keys",
        ErrorRemedy::LowerRate => "use a lower rate",
        ErrorRemedy::SampleLess => "sample a shorter range, or at a lower rate",
        ErrorRemedy::Shorten | ErrorRemedy::ShortenOrLift => {
            "use a lower rate, or recording.trim(0, 60) first"
        }
        ErrorRemedy::AllowLoss | ErrorRemedy::ExcludeGaze => "the option allowLoss drops it",
        ErrorRemedy::NameElement => NAMES,
        ErrorRemedy::NamePose => "joints selects poses: left, left.Palm, head",
        ErrorRemedy::WithoutHead => {
            "recording.mirror(\"world\") and other steps of transform() need no head"
        }
        _ => return None,
    })
}

#[cfg(any(feature = "edits", feature = "formats"))]
impl From<EditError> for Failure {
    fn from(error: EditError) -> Failure {
        Failure {
            curve: error.curve(),
            ..Failure::with_causes(&error).with_remedy(error.remedy())
        }
    }
}

impl From<LostW> for Failure {
    fn from(error: LostW) -> Failure {
        Failure {
            curve: Some(error.curve),
            ..Failure::of(&error).with_remedy(Some(ErrorRemedy::RepairFirst))
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Failure {
        // Bytes are written into memory, so an error of the output, which would be a cause, cannot occur.
        Failure::of(&error).with_remedy(error.remedy())
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let error = js_sys::Error::new(&failure.message);
        let set = |name: &str, value: Option<JsValue>| {
            if let Some(value) = value {
                // Setting a property of a new object cannot fail.
                let _ = js_sys::Reflect::set(&error, &name.into(), &value);
            }
        };
        error.set_name("InputanimError");
        set("kind", failure.kind.map(JsValue::from));
        set("curve", failure.curve.map(|curve| curve.to_string().into()));
        // Files are smaller than 4 GiB, so the number is exact.
        set(
            "offset",
            failure.offset.map(|offset| (offset as f64).into()),
        );
        set("hint", failure.hint.as_deref().map(JsValue::from));
        set("remedy", failure.remedy.map(JsValue::from));
        error.into()
    }
}
