//! JSON in: a recording.

use std::borrow::Cow;
use std::collections::HashSet;

use inputanim::{
    BooleanCurve, BooleanKey, CurveMut, CurvePath, Flags, FloatCurve, Keys, Layout, Limits, Loss,
    Marker, Recording, SimpleKey, UnknownCurve, UnknownLayout, WrapMode,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::number::Number;
use super::{FORMAT, VERSION, keys};

/// Text that is not a recording as lossless JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON, or a member is missing or of the wrong type.
    #[error("not a recording as JSON")]
    Json(#[from] serde_json::Error),
    /// `"format"` or `"version"` is another.
    #[error("expected \"format\": \"{FORMAT}\" and \"version\": {VERSION}, found {0:?} and {1}")]
    Format(String, u32),
    /// `"layout"` names none.
    #[error(transparent)]
    Layout(#[from] UnknownLayout),
    /// `"flags"` is missing in version 1.1.
    #[error("\"flags\" is missing: the layout {0} has them")]
    FlagsMissing(Layout),
    /// `"flags"` in version 1.0.
    #[error("\"flags\" is there, but the layout {0} has none")]
    FlagsUnexpected(Layout),
    /// `"curve"` names none.
    #[error(transparent)]
    Curve(#[from] UnknownCurve),
    /// A curve is there twice.
    #[error("the curve {0} is there twice")]
    CurveTwice(CurvePath),
    /// A curve of a stream that the flags or the layout do not have.
    #[error("the curve {0} is there, but the flags or the layout say that its stream is not")]
    StreamMissing(CurvePath),
    /// `"kind"` does not fit the curve.
    #[error("the curve {curve} cannot be of kind {kind:?}: expected {expected}")]
    Kind {
        /// The curve.
        curve: CurvePath,
        /// What was found.
        kind: String,
        /// What it could be.
        expected: &'static str,
    },
    /// There is something that the layout cannot hold, such as markers where it has no list.
    #[error("the layout {layout} cannot hold {}", first(losses))]
    NotInLayout {
        /// The layout.
        layout: Layout,
        /// What it cannot hold.
        losses: Vec<Loss>,
    },
    /// Keys are not arrays of as many numbers as their kind has.
    #[error("the keys of {curve} cannot be read (places counted within \"keys\")")]
    Keys {
        /// The curve.
        curve: CurvePath,
        /// Where and why.
        source: serde_json::Error,
    },
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
}

fn first(losses: &[Loss]) -> String {
    losses.first().map(Loss::to_string).unwrap_or_default()
}

/// Reads a recording from lossless JSON, with the default [`Limits`].
///
/// # Errors
/// When the text is not such JSON; the error says what was expected where.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::json;
/// let take = Recording::new(Layout::Mrtk1_1);
/// let mut text = Vec::new();
/// json::write(&take, &mut text)?;
/// assert_eq!(json::read(&text)?, take);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(text: &[u8]) -> Result<Recording<'static>, Error> {
    read_with(text, &Limits::default())
}

/// Reads a recording from lossless JSON within `limits`; [`Limits::max_bytes`] bounds the text.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(text: &[u8], limits: &Limits) -> Result<Recording<'static>, Error> {
    let within = |count: usize, limit: u64, things| match count as u64 <= limit {
        true => Ok(()),
        false => Err(Error::Limit { limit, things }),
    };
    within(text.len(), limits.max_bytes, "bytes")?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let document: Document<'_> = serde_json::from_slice(text)?;
    if document.format != FORMAT || document.version != VERSION {
        return Err(Error::Format(
            document.format.into_owned(),
            document.version,
        ));
    }
    let layout: Layout = document.layout.parse()?;
    let mut recording = match (layout.has_flags(), document.flags) {
        (true, None) => return Err(Error::FlagsMissing(layout)),
        (false, Some(_)) => return Err(Error::FlagsUnexpected(layout)),
        (false, None) => with_streams(layout, [1, 1, 0]),
        (true, Some(flags)) => with_streams(layout, [flags.camera, flags.hand, flags.gaze]),
    };
    within(document.markers.len(), limits.max_markers, "markers")?;
    fill(&mut recording, document.curves, limits)?;
    let markers = document.markers.into_iter();
    recording.markers = markers
        .map(|marker| Marker::new(marker.time.0, marker.name.into_owned()))
        .collect();
    let losses = recording.losses(layout);
    match losses.is_empty() {
        true => Ok(recording),
        false => Err(Error::NotInLayout { layout, losses }),
    }
}

fn with_streams(layout: Layout, bytes: [u8; 3]) -> Recording<'static> {
    let [camera, hand, gaze] = bytes.map(|byte| byte != 0);
    let mut recording = Recording::with_streams(layout, Flags { camera, hand, gaze });
    recording.keep_flag_bytes(bytes);
    recording
}

fn fill(
    recording: &mut Recording<'static>,
    lines: Vec<CurveLine<'_>>,
    limits: &Limits,
) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let mut left = limits.max_keys;
    for line in lines {
        let path: CurvePath = line.curve.parse()?;
        if !seen.insert(path) {
            return Err(Error::CurveTwice(path));
        }
        let slot = recording.curve_mut(path);
        let keys = set(slot.ok_or(Error::StreamMissing(path))?, path, &line, left)?;
        left -= keys as u64;
    }
    Ok(())
}

/// Fills one curve with at most `left` keys and says how many they were.
fn set(
    slot: CurveMut<'_, 'static>,
    path: CurvePath,
    line: &CurveLine<'_>,
    left: u64,
) -> Result<usize, Error> {
    let (pre_wrap, post_wrap) = (WrapMode(line.pre_wrap), WrapMode(line.post_wrap));
    let wrong_kind = |expected| Error::Kind {
        curve: path,
        kind: line.kind.clone().into_owned(),
        expected,
    };
    let wrong_keys = |source| Error::Keys {
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
    #[serde(borrow)]
    curves: Vec<CurveLine<'a>>,
    #[serde(borrow, default)]
    markers: Vec<MarkerLine<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagBytes {
    camera: u8,
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
    keys: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLine<'a> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'a, str>,
}
