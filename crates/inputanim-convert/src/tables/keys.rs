//! A table of keys: what a row says, and rows as a recording.
//!
//! A row with a curve is a key, or where time and value are empty a curve without keys; the others are
//! markers, flags and the layout, and `kind` says which. Rows may come in any order, but the keys of a
//! curve keep theirs.

use std::borrow::Cow;

use inputanim::{
    BooleanCurve, BooleanKey, Curve, CurveMut, CurvePath, Flags, FloatCurve, FullKey, KeyKind,
    Keys, Layout, Limits, Marker, Recording, WeightedMode, WrapMode,
};

use super::error::shown;
use super::take::within;
use super::{Error, Place, ReadOptions};

/// The names of the columns.
pub(super) mod column {
    pub(crate) const CURVE: &str = "curve";
    pub(crate) const TIME_S: &str = crate::frames::TIME_S;
    pub(crate) const VALUE: &str = "value";
    pub(crate) const IN_TANGENT: &str = "in_tangent";
    pub(crate) const OUT_TANGENT: &str = "out_tangent";
    pub(crate) const IN_WEIGHT: &str = "in_weight";
    pub(crate) const OUT_WEIGHT: &str = "out_weight";
    pub(crate) const WEIGHTED_MODE: &str = "weighted_mode";
    pub(crate) const KIND: &str = "kind";
    pub(crate) const PRE_WRAP: &str = "pre_wrap";
    pub(crate) const POST_WRAP: &str = "post_wrap";
    pub(crate) const NAME: &str = "name";

    /// All of them in order.
    pub(crate) const ALL: [&str; 12] = [
        CURVE,
        TIME_S,
        VALUE,
        IN_TANGENT,
        OUT_TANGENT,
        IN_WEIGHT,
        OUT_WEIGHT,
        WEIGHTED_MODE,
        KIND,
        PRE_WRAP,
        POST_WRAP,
        NAME,
    ];
}

/// Whether columns are those of keys.
pub(super) fn is_keys(has: impl Fn(&str) -> bool) -> bool {
    [column::CURVE, column::TIME_S, column::VALUE]
        .into_iter()
        .all(has)
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub(super) enum Kind {
    /// A key of time and value.
    Simple,
    /// A key with tangents and weights.
    Full,
    /// A key that is on or off.
    Boolean,
    /// A named instant.
    Marker,
    /// The flag byte of a stream.
    Flag,
    /// The layout.
    Layout,
}

impl Kind {
    pub(super) const ALL: [Kind; 6] = [
        Kind::Simple,
        Kind::Full,
        Kind::Boolean,
        Kind::Marker,
        Kind::Flag,
        Kind::Layout,
    ];

    /// Their names.
    pub(super) const LIST: &'static str = "simple, full, boolean, marker, flag or layout";

    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Simple => "simple",
            Kind::Full => "full",
            Kind::Boolean => "boolean",
            Kind::Marker => "marker",
            Kind::Flag => "flag",
            Kind::Layout => "layout",
        }
    }

    pub(super) fn find(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// That of the keys of a curve.
    pub(super) fn of_curve(curve: Curve<'_, '_>) -> Kind {
        match curve {
            Curve::Boolean(_) => Kind::Boolean,
            Curve::Float(curve) => match curve.keys.kind() {
                KeyKind::Full => Kind::Full,
                KeyKind::Simple => Kind::Simple,
            },
        }
    }
}

/// The names of the flags, in the order of their bytes.
pub(super) const FLAGS: [&str; 3] = ["camera", "hand", "gaze"];

/// Where a curve stands among all 395 in file order.
pub(super) const fn place_of(path: CurvePath) -> usize {
    match path {
        CurvePath::Camera(channel) => channel as usize,
        CurvePath::Tracked(side) => 7 + side as usize,
        CurvePath::Pinching(side) => 9 + side as usize,
        CurvePath::Joint(side, joint, channel) => {
            11 + (side as usize * 27 + joint.index()) * 7 + channel as usize
        }
        CurvePath::Gaze(channel) => 389 + channel as usize,
    }
}

/// How many curves there can be.
pub(super) const CURVES: usize = 395;

/// All curves that there can be, each at its place.
pub(super) fn paths() -> Vec<CurvePath> {
    let all = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    all.curves().map(|(path, _)| path).collect()
}

/// Whether the table needs a row for a curve without keys: where nothing were said of it, it would be
/// another.
pub(super) fn is_worth_a_row(curve: Curve<'_, '_>, layout: Layout) -> bool {
    let wrap = curve.wrap();
    let is_usual = match curve {
        Curve::Float(curve) => curve.keys.kind() == layout.key_kind(),
        Curve::Boolean(_) => true,
    };
    !(is_usual && wrap == (WrapMode::CLAMP_FOREVER, WrapMode::CLAMP_FOREVER))
}

/// What a row says; what it does not say is `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row<'t> {
    pub(super) curve: Option<CurvePath>,
    pub(super) time: Option<f32>,
    pub(super) value: Option<f32>,
    /// In tangent, out tangent, in weight, out weight.
    pub(super) slopes: [Option<f32>; 4],
    pub(super) weighted_mode: Option<i32>,
    pub(super) kind: Option<Kind>,
    /// Before and after.
    pub(super) wrap: [Option<i32>; 2],
    pub(super) name: Option<&'t str>,
}

const SLOPES: [&str; 4] = [
    column::IN_TANGENT,
    column::OUT_TANGENT,
    column::IN_WEIGHT,
    column::OUT_WEIGHT,
];

/// Rows that become a recording.
pub(super) struct Collector {
    limits: Limits,
    keys: u64,
    /// Of the names of markers: many rows may share the bytes of one.
    bytes: u64,
    layout: Option<Layout>,
    flags: [Option<u8>; 3],
    curves: Vec<Option<Draft>>,
    markers: Vec<Marker<'static>>,
}

/// A curve of which some rows were read.
#[derive(Default)]
struct Draft {
    kind: Option<Kind>,
    wrap: [Option<i32>; 2],
    floats: Keys<'static>,
    booleans: Vec<BooleanKey>,
}

impl Collector {
    pub(super) fn new(limits: Limits) -> Collector {
        Collector {
            limits,
            keys: 0,
            bytes: 0,
            layout: None,
            flags: [None; 3],
            curves: (0..CURVES).map(|_| None).collect(),
            markers: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, place: Place, row: &Row<'_>) -> Result<(), Error> {
        match (row.curve, row.kind) {
            (Some(path), _) => self.key(place, path, row),
            (None, Some(Kind::Marker)) => self.marker(place, row),
            (None, Some(Kind::Flag)) => self.flag(place, row),
            (None, Some(Kind::Layout)) => self.layout(place, row),
            (None, _) => Err(missing(place, column::CURVE)),
        }
    }

    fn key(&mut self, place: Place, path: CurvePath, row: &Row<'_>) -> Result<(), Error> {
        let draft = self.curves[place_of(path)].get_or_insert_default();
        let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
        match (is_state, row.kind) {
            (_, None) | (true, Some(Kind::Boolean)) | (false, Some(Kind::Simple | Kind::Full)) => {}
            (true, Some(kind)) => return Err(wrong(place, column::KIND, "boolean", kind.name())),
            (false, Some(kind)) => {
                return Err(wrong(place, column::KIND, "simple or full", kind.name()));
            }
        }
        let kind_name = |kind: Kind| kind.name().to_owned();
        agree(
            place,
            path,
            column::KIND,
            &mut draft.kind,
            row.kind,
            kind_name,
        )?;
        for ((name, known), found) in [column::PRE_WRAP, column::POST_WRAP]
            .into_iter()
            .zip(&mut draft.wrap)
            .zip(row.wrap)
        {
            agree(place, path, name, known, found, |mode: i32| {
                mode.to_string()
            })?;
        }
        let (time, value) = match (row.time, row.value) {
            (None, None) => return Ok(()),
            (None, _) => return Err(missing(place, column::TIME_S)),
            (_, None) => return Err(missing(place, column::VALUE)),
            (Some(time), Some(value)) => (time, value),
        };
        self.keys += 1;
        within(self.keys, self.limits.max_keys, "keys")?;
        let has_slopes = row.slopes.iter().any(Option::is_some) || row.weighted_mode.is_some();
        match (is_state, row.kind, has_slopes) {
            (false, Some(Kind::Full), _) | (false, None, true) => {
                draft.floats.push_full(full_key(place, time, value, row)?);
            }
            (_, _, true) => {
                let slopes = SLOPES.into_iter().zip(row.slopes);
                let slopes = slopes.map(|(column, slope)| (column, slope.map(|s| s.to_string())));
                let mode = row.weighted_mode.map(|mode| mode.to_string());
                let mut told = slopes.chain([(column::WEIGHTED_MODE, mode)]);
                let told = told.find_map(|(column, found)| Some((column, found?)));
                let (column, found) = told.unwrap_or_default();
                return Err(wrong(
                    place,
                    column,
                    "nothing, since the key is not full",
                    &found,
                ));
            }
            (true, ..) => draft.booleans.push(BooleanKey::from_value(time, value)),
            (false, ..) => draft.floats.push_linear(time, value),
        }
        Ok(())
    }

    fn marker(&mut self, place: Place, row: &Row<'_>) -> Result<(), Error> {
        let time = row.time.ok_or_else(|| missing(place, column::TIME_S))?;
        let count = self.markers.len() as u64 + 1;
        within(count, self.limits.max_markers, "markers")?;
        let name = row.name.unwrap_or_default().to_owned();
        self.bytes += name.len() as u64;
        within(self.bytes, self.limits.max_bytes, "bytes")?;
        self.markers.push(Marker::new(time, name));
        Ok(())
    }

    fn flag(&mut self, place: Place, row: &Row<'_>) -> Result<(), Error> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let index = FLAGS.iter().position(|flag| *flag == name);
        let index =
            index.ok_or_else(|| wrong(place, column::NAME, "camera, hand or gaze", name))?;
        let value = row.value.ok_or_else(|| missing(place, column::VALUE))?;
        let byte = value as u8;
        if f32::from(byte) != value {
            let found = value.to_string();
            return Err(wrong(
                place,
                column::VALUE,
                "a whole number up to 255",
                &found,
            ));
        }
        let what = format!("the flag {name}");
        agree_on(place, what, &mut self.flags[index], Some(byte), |byte| {
            byte.to_string()
        })
    }

    fn layout(&mut self, place: Place, row: &Row<'_>) -> Result<(), Error> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let layout = name.parse();
        let layout = layout.map_err(|source| Error::Layout { place, source })?;
        let what = "the layout".to_owned();
        agree_on(
            place,
            what,
            &mut self.layout,
            Some(layout),
            |layout: Layout| layout.to_string(),
        )
    }

    /// The recording, once all rows were pushed.
    pub(super) fn finish(self, options: &ReadOptions) -> Result<Recording<'static>, Error> {
        let said = self.layout.or(options.layout);
        let layout = said.unwrap_or(Layout::Mrtk1_1);
        let mut recording = Recording::with_streams(layout, Flags::NONE);
        self.add_streams(&mut recording)?;
        for (path, slot) in paths().into_iter().zip(self.curves) {
            let Some(draft) = slot else { continue };
            match recording.curve_mut(path) {
                Some(slot) => draft.fill(slot, layout),
                None => return Err(Error::StreamMissing(path)),
            }
        }
        recording.markers = self.markers;
        let losses = recording.losses(layout);
        match (losses.is_empty(), said) {
            (true, _) => Ok(recording),
            (false, Some(layout)) => Err(Error::NotInLayout { layout, losses }),
            // It can hold everything.
            (false, None) => {
                recording.layout = Layout::FullWithMarkers1_1;
                Ok(recording)
            }
        }
    }

    /// The streams that the flags say, or else those that have rows.
    fn add_streams(&self, recording: &mut Recording<'static>) -> Result<(), Error> {
        let layout = recording.layout;
        let bytes = match (layout.has_flags(), self.flags) {
            (true, [None, None, None]) => {
                let mut bytes = [0; 3];
                for (path, _) in paths()
                    .into_iter()
                    .zip(&self.curves)
                    .filter(|(_, c)| c.is_some())
                {
                    match path {
                        CurvePath::Camera(_) => bytes[0] = 1,
                        CurvePath::Gaze(_) => bytes[2] = 1,
                        _ => bytes[1] = 1,
                    }
                }
                bytes
            }
            (true, flags) => flags.map(Option::unwrap_or_default),
            (false, [None, None, None]) => [1, 1, 0],
            (false, _) => return Err(Error::FlagsUnexpected(layout)),
        };
        let [camera, hand, gaze] = bytes.map(|byte| byte != 0);
        *recording = Recording::with_streams(layout, Flags { camera, hand, gaze });
        recording.keep_flag_bytes(bytes);
        Ok(())
    }
}

impl Draft {
    fn fill(self, slot: CurveMut<'_, 'static>, layout: Layout) {
        let [pre_wrap, post_wrap] = self
            .wrap
            .map(|mode| mode.map_or(WrapMode::CLAMP_FOREVER, WrapMode));
        match slot {
            CurveMut::Boolean(curve) => {
                *curve = BooleanCurve {
                    pre_wrap,
                    post_wrap,
                    keys: Cow::Owned(self.booleans),
                };
            }
            CurveMut::Float(curve) => {
                let keys = match (self.floats.is_empty(), self.kind) {
                    (false, _) => self.floats,
                    (true, Some(Kind::Full)) => Keys::empty(KeyKind::Full),
                    (true, Some(_)) => Keys::empty(KeyKind::Simple),
                    (true, None) => Keys::empty(layout.key_kind()),
                };
                *curve = FloatCurve {
                    pre_wrap,
                    post_wrap,
                    keys,
                };
            }
        }
    }
}

fn full_key(place: Place, time: f32, value: f32, row: &Row<'_>) -> Result<FullKey, Error> {
    let slope = |index: usize| row.slopes[index].ok_or_else(|| missing(place, SLOPES[index]));
    let (tangents, weights) = ([slope(0)?, slope(1)?], [slope(2)?, slope(3)?]);
    let mode = row.weighted_mode;
    let mode = mode.ok_or_else(|| missing(place, column::WEIGHTED_MODE))?;
    let mode = WeightedMode(mode);
    Ok(FullKey::weighted(time, value, tangents, weights, mode))
}

/// What rows say of a curve must be the same in all that say it.
fn agree<T: Copy + PartialEq>(
    place: Place,
    path: CurvePath,
    column: &str,
    known: &mut Option<T>,
    found: Option<T>,
    show: impl Fn(T) -> String,
) -> Result<(), Error> {
    if found.is_none() || *known == found {
        return Ok(());
    }
    agree_on(place, format!("{column} of {path}"), known, found, show)
}

fn agree_on<T: Copy + PartialEq>(
    place: Place,
    what: String,
    known: &mut Option<T>,
    found: Option<T>,
    show: impl Fn(T) -> String,
) -> Result<(), Error> {
    match (*known, found) {
        (Some(first), Some(found)) if first != found => Err(Error::Contradiction {
            place,
            what,
            found: show(found),
            first: show(first),
        }),
        _ => {
            *known = known.or(found);
            Ok(())
        }
    }
}

fn missing(place: Place, column: &str) -> Error {
    Error::Missing {
        place,
        column: column.to_owned(),
    }
}

fn wrong(place: Place, column: &str, expected: &'static str, found: &str) -> Error {
    Error::Value {
        place,
        column: column.to_owned(),
        expected,
        found: shown(found),
    }
}
