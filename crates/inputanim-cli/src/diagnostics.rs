//! What goes to standard error: errors with their causes and what to do about them.

use anstream::eprintln;
use inputanim::doctor;
use inputanim::edit::EditError;
use inputanim::reduce::ReduceError;
use inputanim::sampler::UnplayableCurve;
use inputanim::summary::Summary;
use inputanim::{CurvePath, ParseError, Recording, WriteError, session};
#[cfg(feature = "mcap")]
use inputanim_convert::mcap;
use inputanim_convert::{SampleError, frames, gltf, iwer, json, markers_csv, tables, webvtt};

use crate::outcome::Refusal;
use crate::style::{BAD, DIM, WARN, paint};
use crate::text::printable;

/// Prints an error, its causes, and a hint if there is one.
pub(crate) fn report(error: &anyhow::Error) {
    let mut causes = error.chain().map(ToString::to_string);
    let first = causes.next().unwrap_or_default();
    eprintln!("{} {first}", paint(BAD, "error:"));
    let mut above = first;
    for cause in causes {
        // A transparent level says what the level under it says.
        if cause != above {
            eprintln!("  {cause}");
        }
        above = cause;
    }
    for hint in hints(error) {
        eprintln!("  {} {hint}", paint(DIM, "hint:"));
    }
}

/// Prints something that is not an error but should be known.
pub(crate) fn warn(text: impl std::fmt::Display) {
    eprintln!("{} {text}", paint(WARN, "warning:"));
}

/// Prints something that is as it must be and may still surprise.
pub(crate) fn note(text: impl std::fmt::Display) {
    eprintln!("{} {text}", paint(DIM, "note:"));
}

/// Damage is in the numbers that follow: who reads them should know. Only what is in curves that
/// matter; gives the codes.
pub(crate) fn warn_of_damage(
    recording: &Recording<'_>,
    summary: &Summary,
    name: &str,
    matters: impl Fn(CurvePath) -> bool,
) -> String {
    let mut codes = Vec::new();
    for finding in doctor::examine_playback(recording, summary) {
        let curves = &finding.curves;
        let is_here = curves.is_empty() || curves.iter().any(|&path| matters(path));
        if is_here {
            warn(format_args!("{name}: {}", printable(&finding.to_string())));
            codes.push(finding.code.id());
        }
    }
    codes.join(" ")
}

const NO_LIMITS: &str = "--no-limits reads it all the same, if you trust the file";

const FEWER: &str = "lower --rate, or cut what is not needed off: `inputanim trim`";

const UNPLAYABLE: &str = "`inputanim repair` takes such keys out";

/// What to do about bytes that could not be read, in this program's words.
pub(crate) fn hint_of(error: &ParseError) -> String {
    match error.kind().is_limit() {
        true => NO_LIMITS.to_owned(),
        false => error.hint(),
    }
}

const MAP: &str = "--map says which column is which: docs/tables.md";

/// What to do about a table, or a recording that cannot become one.
fn hint_of_table(error: &tables::Error) -> Option<String> {
    use tables::Error;
    let hint = match error {
        Error::Limit { .. } => NO_LIMITS,
        Error::Sample(SampleError::TooLong { .. }) => FEWER,
        Error::Sample(SampleError::Unplayable(_)) => UNPLAYABLE,
        Error::Several { .. } => "--recording says which",
        Error::NoTime { like } | Error::Frames(frames::Error::NoTime { like, .. }) => {
            let mapping = printable(like);
            return Some(match mapping.contains(' ') {
                true => format!("--map 'time_s={mapping}'"),
                false => format!("--map time_s={mapping}"),
            });
        }
        Error::Columns { .. }
        | Error::NothingKnown { .. }
        | Error::Frames(frames::Error::Head { .. }) => MAP,
        Error::Unknown(_) | Error::Frames(frames::Error::Unknown { .. }) => {
            "--ignore-unknown passes over such columns"
        }
        Error::Idle { setting, .. } => return Some(format!("leave out {}", option_of(*setting))),
        // Microseconds since some years ago.
        Error::TimesTooLarge { time, .. } if *time > 1e11 => {
            "--from-zero counts from the first row; if these are no seconds, a factor is missing too: \
             --map 'time_s=NAME*1e-6'"
        }
        Error::TimesTooLarge { .. } => {
            "--from-zero counts from the first row, as exactly as it is there"
        }
        Error::Flat { .. } => "as CSV such columns are read",
        Error::NotInLayout { .. } => {
            "write it in another layout first: `inputanim convert --layout`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The option that a setting is made with.
fn option_of(setting: tables::Setting) -> &'static str {
    use tables::Setting;
    match setting {
        Setting::Recording => "--recording",
        Setting::Mappings => "--map",
        Setting::IgnoreUnknown => "--ignore-unknown",
        Setting::Space => "--space",
        Setting::FromZero => "--from-zero",
        _ => "the option",
    }
}

fn hints(error: &anyhow::Error) -> Vec<String> {
    let hint = |cause: &(dyn std::error::Error + 'static)| {
        #[cfg(feature = "mcap")]
        if let Some(mcap::Error::Limit { .. }) = cause.downcast_ref() {
            return Some(NO_LIMITS.to_owned());
        }
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            Some(refusal.hint.to_owned())
        } else if let Some(parse) = cause.downcast_ref::<ParseError>() {
            Some(hint_of(parse))
        } else if let Some(session::RecoverError::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(json::Error::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(iwer::Error::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(gltf::ReadError::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(gltf::ReadError::NothingKnown { .. }) = cause.downcast_ref() {
            Some("docs/convert.md has the names that are known, such as left.IndexTip".to_owned())
        } else if let Some(gltf::WriteError::Unplayable { .. }) = cause.downcast_ref() {
            Some(UNPLAYABLE.to_owned())
        } else if let Some(gltf::WriteError::TooManyKeys { .. }) = cause.downcast_ref() {
            Some(FEWER.to_owned())
        } else if let Some(SampleError::TooLong { .. }) = cause.downcast_ref() {
            Some(FEWER.to_owned())
        } else if let Some(error) = cause.downcast_ref::<tables::Error>() {
            hint_of_table(error)
        } else if let Some(markers_csv::Error::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(webvtt::Error::Limit { .. }) = cause.downcast_ref() {
            Some(NO_LIMITS.to_owned())
        } else if let Some(UnplayableCurve { .. }) = cause.downcast_ref() {
            Some(UNPLAYABLE.to_owned())
        } else if let Some(EditError::LostW { .. }) = cause.downcast_ref() {
            Some("`inputanim repair` it first: a change would hide what is lost".to_owned())
        } else if let Some(ReduceError::LostW { .. }) = cause.downcast_ref() {
            Some("`inputanim repair` it first: fewer keys would hide what is lost".to_owned())
        } else if let Some(ReduceError::SimpleKeys { .. }) = cause.downcast_ref() {
            let hint = "`inputanim convert --layout mrtk-1.0` gives it full keys, but no gaze";
            Some(hint.to_owned())
        } else if let Some(EditError::TimeNotFinite { .. }) = cause.downcast_ref() {
            Some(UNPLAYABLE.to_owned())
        } else if let Some(EditError::HasTangents { .. }) = cause.downcast_ref() {
            Some("`inputanim resample` makes straight lines; --only names the rest".to_owned())
        } else if let Some(EditError::RateTooHigh { .. }) = cause.downcast_ref() {
            Some("lower --rate; --no-limits makes it all the same".to_owned())
        } else if let Some(EditError::TimesDiffer { .. }) = cause.downcast_ref() {
            Some(
                "`inputanim doctor` says whether something is lost; --only names the rest"
                    .to_owned(),
            )
        } else if let Some(WriteError::Lossy { .. }) = cause.downcast_ref() {
            Some("`inputanim convert --allow-loss` goes on without it".to_owned())
        } else {
            None
        }
    };
    error.chain().filter_map(hint).collect()
}
