//! Reads a recording from JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use inputanim::{
    BooleanCurve, BooleanKey, CurveMut, CurvePath, FloatCurve, InvalidGap, Keys, Known, Layout,
    LayoutLoss, Limits, Marker, Recording, SimpleKey, TimeRange, UnknownCurve, UnknownName,
    WrapMode,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{FORMAT, VERSIONS, keys};
use crate::shared::layout::with_streams;
use crate::shared::limits::check_limit;
use crate::shared::number::Number;
use crate::shared::{Error, ReadOptions, Report};

/// Text that is not a recording as lossless JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON, or a member is missing or of the wrong type.
    #[error("not a recording as JSON")]
    Json(#[from] serde_json::Error),
    /// `"format"` or `"version"` has an unexpected value.
    #[error("expected \"format\": \"{FORMAT}\" and \"version\": 1 or 2, found {0:?} and {1}")]
    Format(String, u32),
    /// `"layout"` is not the name of a layout.
    #[error(transparent)]
    Layout(#[from] UnknownName),
    /// `"flags"` is missing in version 1.1.
    #[error("missing \"flags\": the layout {0} has flags")]
    FlagsMissing(Layout),
    /// `"flags"` exists in version 1.0.
    #[error("unexpected \"flags\": the layout {0} has no flags")]
    FlagsUnexpected(Layout),
    /// `"curve"` is not the name of a curve.
    #[error(transparent)]
    Curve(#[from] UnknownCurve),
    /// A curve occurs twice.
    #[error("duplicate curve {0}")]
    CurveTwice(CurvePath),
    /// A curve belongs to a stream that the flags or the layout exclude.
    #[error("unexpected curve {0}: the flags or the layout exclude its stream")]
    StreamMissing(CurvePath),
    /// `"kind"` does not fit the curve.
    #[error("the curve {curve} cannot be of kind {kind:?}: expected {expected}")]
    Kind {
        /// The curve.
        curve: CurvePath,
        /// The kind that was found.
        kind: String,
        /// The kinds that are possible.
        expected: &'static str,
    },
    /// The recording contains something that the layout cannot store, such as markers in a layout without a marker
    /// list.
    #[error("the layout {layout} cannot store {}", first(losses))]
    NotInLayout {
        /// The layout.
        layout: Layout,
        /// The content that it cannot represent.
        losses: Vec<LayoutLoss>,
    },
    /// A gap names an unknown element, or does not end after its start.
    #[error(transparent)]
    Gap(#[from] InvalidGap),
    /// A key is not an array, or has more or fewer numbers than its kind requires.
    #[error("the keys of {curve} cannot be read (line and column are within \"keys\")")]
    Keys {
        /// The curve.
        curve: CurvePath,
        /// The place and cause.
        source: serde_json::Error,
    },
}

impl crate::shared::error::OfFormat for JsonError {}

fn first(losses: &[LayoutLoss]) -> String {
    losses
        .first()
        .map(LayoutLoss::to_string)
        .unwrap_or_default()
}

/// Reads a recording from lossless JSON.
pub(crate) fn read(
    text: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let recording = read_document(text, limits)?;
    Ok((recording, Report::default()))
}

fn read_document(text: &[u8], limits: &Limits) -> Result<Recording<'static>, Error> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let document: Document<'_> = serde_json::from_slice(text).map_err(JsonError::Json)?;
    if document.format != FORMAT || !VERSIONS.contains(&document.version) {
        let error = JsonError::Format(document.format.into_owned(), document.version);
        return Err(error.into());
    }
    let layout: Layout = document.layout.parse().map_err(JsonError::Layout)?;
    let mut recording = match (layout.has_flags(), document.flags) {
        (true, None) => return Err(JsonError::FlagsMissing(layout).into()),
        (false, Some(_)) => return Err(JsonError::FlagsUnexpected(layout).into()),
        (_, flags) => {
            let bytes = flags.map(|flags| [flags.head, flags.hand, flags.gaze]);
            with_streams(layout, bytes)
        }
    };
    recording.about = document.about.into_iter().collect();
    check_limit(document.markers.len() as u64, limits.max_markers, "markers")?;
    fill(&mut recording, document.curves, limits)?;
    let markers = document.markers.into_iter();
    recording.markers = markers
        .map(|marker| Marker::new(marker.time.0, marker.name.into_owned()))
        .collect();
    for line in document.gaps {
        let element = Known::element(&line.element).map_err(JsonError::Gap)?;
        check_limit(line.unknown.len() as u64, limits.max_keys, "gaps")?;
        for [start, end] in line.unknown {
            let gap = TimeRange {
                start: start.0,
                end: end.0,
            };
            let added = recording.known.try_add_gap(element, gap);
            added.map_err(JsonError::Gap)?;
        }
    }
    // Content that the layout cannot hold would make the recording impossible to write.
    let losses = recording.layout_losses(layout);
    if losses.is_empty() {
        Ok(recording)
    } else {
        Err(JsonError::NotInLayout { layout, losses }.into())
    }
}

fn fill(
    recording: &mut Recording<'static>,
    lines: Vec<CurveLine<'_>>,
    limits: &Limits,
) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let mut left = limits.max_keys;
    for line in lines {
        let path: CurvePath = line.curve.parse().map_err(JsonError::Curve)?;
        // A second line of a curve would silently replace the first one.
        if !seen.insert(path) {
            return Err(JsonError::CurveTwice(path).into());
        }
        let slot = recording.curve_mut(path);
        let keys = set(
            slot.ok_or(JsonError::StreamMissing(path))?,
            path,
            &line,
            left,
        )?;
        left -= keys as u64;
    }
    Ok(())
}

/// Replaces the curve in `slot` by the curve that a line of the JSON contains, and returns the number of its keys.
/// Fails if the line does not fit the kind of curve, or has more than `left` keys. `path` names the curve in errors.
fn set(
    slot: CurveMut<'_, 'static>,
    path: CurvePath,
    line: &CurveLine<'_>,
    left: u64,
) -> Result<usize, JsonError> {
    let (pre_wrap, post_wrap) = (WrapMode(line.pre_wrap), WrapMode(line.post_wrap));
    let wrong_kind = |expected| JsonError::Kind {
        curve: path,
        kind: line.kind.clone().into_owned(),
        expected,
    };
    let wrong_keys = |source| JsonError::Keys {
        curve: path,
        source,
    };
    let text = line.keys.get();
    match (slot, &*line.kind) {
        (CurveMut::Boolean(curve), "boolean") => {
            let keys = keys::read(text, left, |[time, value]: [Number; 2]| {
                BooleanKey::from_value(time.0, value.0)
            });
            *curve = BooleanCurve {
                pre_wrap,
                post_wrap,
                keys: Cow::Owned(keys.map_err(wrong_keys)?),
            };
            Ok(curve.keys.len())
        }
        (CurveMut::Boolean(_), _) => Err(wrong_kind("\"boolean\"")),
        (CurveMut::Float(curve), kind) => {
            let keys = match kind {
                "simple" => keys::read(text, left, |[time, value]: [Number; 2]| {
                    SimpleKey::new(time.0, value.0)
                })
                .map(|keys| Keys::Simple(keys.into())),
                "full" => keys::read(text, left, keys::full).map(|keys| Keys::Full(keys.into())),
                _ => return Err(wrong_kind("\"simple\" or \"full\"")),
            };
            *curve = FloatCurve {
                pre_wrap,
                post_wrap,
                keys: keys.map_err(wrong_keys)?,
            };
            Ok(curve.keys.len())
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u32,
    #[serde(borrow)]
    layout: Cow<'a, str>,
    flags: Option<FlagBytes>,
    #[serde(borrow, default)]
    about: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(borrow)]
    curves: Vec<CurveLine<'a>>,
    #[serde(borrow, default)]
    gaps: Vec<GapLine<'a>>,
    #[serde(borrow, default)]
    markers: Vec<MarkerLine<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GapLine<'a> {
    #[serde(borrow)]
    element: Cow<'a, str>,
    unknown: Vec<[Number; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagBytes {
    #[serde(alias = "camera")]
    head: u8,
    hand: u8,
    gaze: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CurveLine<'a> {
    #[serde(borrow)]
    curve: Cow<'a, str>,
    pre_wrap: i32,
    post_wrap: i32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    // Members may come in any order, so the keys are parsed only when the kind of the curve is known.
    keys: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLine<'a> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'a, str>,
}
