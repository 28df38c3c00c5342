//! JSON in: a recording.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use inputanim::{
    BooleanCurve, BooleanKey, CurveMut, CurvePath, Flags, FloatCurve, FullKey, Keys, Layout, Loss,
    Marker, Recording, SimpleKey, UnknownCurve, UnknownLayout, WeightedMode, WrapMode,
};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::number::Number;
use super::{FORMAT, VERSION};

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
    /// A key has too few or too many numbers for its kind.
    #[error("key {key} of {curve} has {found} numbers: expected {expected}")]
    KeyLength {
        /// The curve.
        curve: CurvePath,
        /// The key, counted from 0.
        key: usize,
        /// Numbers that there are.
        found: usize,
        /// Numbers that its kind has.
        expected: usize,
    },
}

fn first(losses: &[Loss]) -> String {
    losses.first().map(Loss::to_string).unwrap_or_default()
}

/// Reads a recording from lossless JSON.
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
    fill(&mut recording, document.curves)?;
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

fn fill(recording: &mut Recording<'static>, lines: Vec<CurveLine<'_>>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let mut slots: Vec<_> = recording.curves_mut().collect();
    // Curves usually come in file order: then each slot is the next one.
    let mut next = 0;
    for line in lines {
        let path: CurvePath = line.curve.parse()?;
        if !seen.insert(path) {
            return Err(Error::CurveTwice(path));
        }
        let is_next = slots.get(next).is_some_and(|(slot, _)| *slot == path);
        let index = match is_next {
            true => next,
            false => slots
                .iter()
                .position(|(slot, _)| *slot == path)
                .ok_or(Error::StreamMissing(path))?,
        };
        next = index + 1;
        set(&mut slots[index].1, path, line)?;
    }
    Ok(())
}

fn set(
    slot: &mut CurveMut<'_, 'static>,
    path: CurvePath,
    line: CurveLine<'_>,
) -> Result<(), Error> {
    let (pre_wrap, post_wrap) = (WrapMode(line.pre_wrap), WrapMode(line.post_wrap));
    let wrong_kind = |expected| Error::Kind {
        curve: path,
        kind: line.kind.clone().into_owned(),
        expected,
    };
    match (slot, &*line.kind) {
        (CurveMut::Boolean(curve), "boolean") => {
            let keys = rows(path, &line.keys, 2, |row| {
                BooleanKey::from_value(row.numbers[0], row.numbers[1])
            });
            **curve = BooleanCurve {
                pre_wrap,
                post_wrap,
                keys: Cow::Owned(keys?),
            };
        }
        (CurveMut::Boolean(_), _) => return Err(wrong_kind("\"boolean\"")),
        (CurveMut::Float(curve), kind) => {
            let keys = match kind {
                "simple" => rows(path, &line.keys, 2, |row| {
                    SimpleKey::new(row.numbers[0], row.numbers[1])
                })
                .map(|keys| Keys::Simple(keys.into())),
                "full" => rows(path, &line.keys, 7, Row::full_key).map(|k| Keys::Full(k.into())),
                _ => return Err(wrong_kind("\"simple\" or \"full\"")),
            };
            **curve = FloatCurve {
                pre_wrap,
                post_wrap,
                keys: keys?,
            };
        }
    }
    Ok(())
}

fn rows<K>(
    curve: CurvePath,
    rows: &[Row],
    expected: usize,
    key: impl Fn(&Row) -> K,
) -> Result<Vec<K>, Error> {
    if let Some(index) = rows.iter().position(|row| row.length != expected) {
        return Err(Error::KeyLength {
            curve,
            key: index,
            found: rows[index].length,
            expected,
        });
    }
    Ok(rows.iter().map(key).collect())
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
    keys: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLine<'a> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// The numbers of one key: up to six floats and a weighted mode.
struct Row {
    numbers: [f32; 6],
    mode: i32,
    length: usize,
}

impl Row {
    fn full_key(&self) -> FullKey {
        let [time, value, in_tangent, out_tangent, in_weight, out_weight] = self.numbers;
        FullKey::weighted(
            time,
            value,
            [in_tangent, out_tangent],
            [in_weight, out_weight],
            WeightedMode(self.mode),
        )
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        deserializer.deserialize_seq(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key: an array of 2 or 7 numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Row, A::Error> {
        let mut row = Row {
            numbers: [0.0; 6],
            mode: 0,
            length: 0,
        };
        for slot in &mut row.numbers {
            match seq.next_element::<Number>()? {
                Some(Number(value)) => *slot = value,
                None => return Ok(row),
            }
            row.length += 1;
        }
        if let Some(mode) = seq.next_element()? {
            row.mode = mode;
            row.length += 1;
        }
        match seq.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(row),
            Some(_) => Err(A::Error::invalid_length(8, &self)),
        }
    }
}
