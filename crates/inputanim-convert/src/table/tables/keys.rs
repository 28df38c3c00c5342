//! The rows of a table of keys, and a recording from them.
//!
//! A row with a curve is a key, or a curve without keys if time and value are empty. Other rows are markers,
//! gaps, flags and the layout, and of devices the changes of their profiles and their haptic pulses, by their `kind`. Rows may come in any order, but the keys of a curve keep theirs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use inputanim::{
    BooleanCurve, BooleanKey, Curve, CurveMut, CurvePath, DeviceName, Element, Flags, FloatCurve,
    FullKey, Haptic, InputCurve, KeyKind, Keys, Known, Layout, Limits, Marker, OutputName,
    ProfileChange, Recording, TimeRange, WeightedMode, WrapMode, WriteError,
};

use super::Place;
use super::skipped::SkippedRows;
use crate::shared::layout::with_streams;
use crate::shared::limits::{MAX_DEVICE_CURVES, check_limit};
use crate::shared::{Error, ReadOptions, Report};
use crate::table::table_error::TableError;

/// The values of the column `curve`: the names of all curves, in file order.
pub(super) static CURVE_NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| paths().iter().map(CurvePath::to_string).collect());
/// The values of the column `kind` in tables without devices.
pub(super) static KIND_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let kinds = Kind::ALL.iter().take(Kind::WITHOUT_DEVICES);
    kinds.map(|kind| kind.name().to_owned()).collect()
});
/// The values of the column `kind` in tables with devices.
pub(super) static ALL_KIND_NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| Kind::ALL.map(|kind| kind.name().to_owned()).into());

/// The names of the columns.
pub(super) mod column {
    use crate::table::frames::values::KnownNames;
    use crate::table::table_error::{KEY_COLUMNS, NameKind};

    pub(crate) const CURVE: &str = "curve";
    pub(crate) const TIME_S: &str = crate::shared::mapping::TIME_S;
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
    pub(crate) const DURATION: &str = "duration_s";
    pub(crate) const FREQUENCY: &str = "frequency_hz";

    /// Returns the names of the columns of a table, in order. The last two are only in tables with devices.
    pub(crate) fn names(has_devices: bool) -> &'static [&'static str] {
        if has_devices {
            &ALL
        } else {
            &ALL[..WITHOUT_DEVICES]
        }
    }

    /// The number of columns of a table without devices.
    const WITHOUT_DEVICES: usize = 12;

    /// All names, in order.
    pub(crate) const ALL: [&str; 14] = [
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
        DURATION,
        FREQUENCY,
    ];

    /// The known names of a table of keys with columns.
    pub(crate) const KNOWN: KnownNames<'static> = KnownNames {
        kind: NameKind::Column,
        expected: KEY_COLUMNS,
        names: &all,
    };

    /// Returns the names of all columns of a table of keys, in order.
    pub(crate) fn all() -> Vec<String> {
        ALL.map(str::to_owned).to_vec()
    }
}

/// Returns `true` if a table has the columns `curve`, `time_s` and `value` of a table of keys. `has` returns `true` for
/// the names of the columns of the table.
pub(super) fn is_keys(has: impl Fn(&str) -> bool) -> bool {
    [column::CURVE, column::TIME_S, column::VALUE]
        .into_iter()
        .all(has)
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub(super) enum Kind {
    /// A key of time and value.
    Simple,
    /// A key with tangents and weights.
    Full,
    /// A key of a state.
    Boolean,
    /// A named instant.
    Marker,
    /// The flag byte of a stream.
    Flag,
    /// The layout.
    Layout,
    /// A time range in which an element is unknown: the name of the element, the start as time and the end as value.
    Gap,
    /// A change of the profile of a device: the curve is `right.controller.profile`, the value is 1 if the device is active, and
    /// the name is the profile.
    Profile,
    /// A haptic pulse of a device: the curve is the device and its output, and the value is the amplitude.
    Haptic,
    /// A device without curves, profiles and pulses.
    Device,
}

/// The meaning of the column `curve` of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Curve(CurvePath),
    Profile(DeviceName),
    Output(DeviceName, OutputName),
}

impl Subject {
    /// Parses the text of the column `curve` of a row with this kind.
    pub(super) fn parse(
        place: Place,
        text: &str,
        kind: Option<Kind>,
    ) -> Result<Subject, TableError> {
        // `right.controller.profile` is the name of an element, so it is parsed as one.
        let element = || Known::element(text).ok();
        match kind {
            Some(Kind::Profile) => match element() {
                Some(Element::Profile(device)) => Ok(Subject::Profile(device)),
                _ => {
                    let expected = "the profile of a device, such as right.controller.profile";
                    Err(wrong(place, column::CURVE, expected, text))
                }
            },
            Some(Kind::Haptic) => match element() {
                Some(Element::DevicePose(device, output)) => {
                    let output = output.as_str().parse();
                    let output = output.map_err(|source| TableError::Device { place, source })?;
                    Ok(Subject::Output(device, output))
                }
                _ => {
                    let expected = "a device and its output, such as right.controller.haptic";
                    Err(wrong(place, column::CURVE, expected, text))
                }
            },
            _ => match text.parse() {
                Ok(path) => Ok(Subject::Curve(path)),
                Err(source) => Err(TableError::Curve { place, source }),
            },
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Curve(path) => path.fmt(f),
            Subject::Profile(device) => Element::Profile(*device).fmt(f),
            Subject::Output(device, output) => write!(f, "{device}.{output}"),
        }
    }
}

impl Kind {
    pub(super) const ALL: [Kind; 10] = [
        Kind::Simple,
        Kind::Full,
        Kind::Boolean,
        Kind::Marker,
        Kind::Flag,
        Kind::Layout,
        Kind::Gap,
        Kind::Profile,
        Kind::Haptic,
        Kind::Device,
    ];

    /// The number of kinds that recordings without devices have. They are the first ones.
    const WITHOUT_DEVICES: usize = 7;

    /// The names, for messages.
    pub(super) const LIST: &'static str =
        "simple, full, boolean, marker, flag, layout, gap, profile, haptic or device";

    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Simple => "simple",
            Kind::Full => "full",
            Kind::Boolean => "boolean",
            Kind::Marker => "marker",
            Kind::Flag => "flag",
            Kind::Layout => "layout",
            Kind::Gap => "gap",
            Kind::Profile => "profile",
            Kind::Haptic => "haptic",
            Kind::Device => "device",
        }
    }

    pub(super) fn find(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind of the keys of a curve.
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
pub(super) const FLAGS: [&str; 3] = ["head", "hand", "gaze"];

/// Returns the index of a curve in the file order of all 395 curves; 395 for a curve of a device, which no file of MRTK has.
pub(super) const fn curve_index(path: CurvePath) -> usize {
    match path {
        // The offsets follow from the order of curves: the head, four states, 27 joints of each hand, and
        // the gaze (docs/format.md, section 3.1).
        CurvePath::Head(channel) => channel as usize,
        CurvePath::Tracked(side) => 7 + side as usize,
        CurvePath::Pinching(side) => 9 + side as usize,
        CurvePath::Joint(side, joint, channel) => {
            11 + (side as usize * 27 + joint.index()) * 7 + channel as usize
        }
        CurvePath::Gaze(channel) => 389 + channel as usize,
        CurvePath::DevicePose(..) | CurvePath::Input(..) => CURVES,
    }
}

/// The number of curves that a recording can have.
pub(super) const CURVES: usize = 395;

/// Returns every curve, in file order.
pub(super) fn paths() -> Vec<CurvePath> {
    let all = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    all.curves().map(|(path, _)| path).collect()
}

/// Returns `true` if the table needs a row for a curve without keys: without one, the curve would be read
/// back with other wrap modes or another kind of keys. The rows of a device state which curves it has.
pub(super) fn needs_row(path: CurvePath, curve: Curve<'_, '_>, layout: Layout) -> bool {
    if Element::from(path).device().is_some() {
        return true;
    }
    let wrap = curve.wrap();
    let is_usual = match curve {
        Curve::Float(curve) => curve.keys.kind() == layout.key_kind(),
        Curve::Boolean(_) => true,
    };
    !(is_usual && wrap == (WrapMode::CLAMP_FOREVER, WrapMode::CLAMP_FOREVER))
}

/// A row; empty cells are `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyRow<'t> {
    pub(super) curve: Option<Subject>,
    pub(super) time: Option<f32>,
    pub(super) value: Option<f32>,
    /// In tangent, out tangent, in weight, out weight.
    pub(super) slopes: [Option<f32>; 4],
    pub(super) weighted_mode: Option<i32>,
    pub(super) kind: Option<Kind>,
    /// The wrap modes before and after.
    pub(super) wrap: [Option<i32>; 2],
    pub(super) name: Option<&'t str>,
    /// The duration in seconds and the frequency in Hz of a haptic pulse.
    pub(super) pulse: [Option<f32>; 2],
}

const SLOPES: [&str; 4] = [
    column::IN_TANGENT,
    column::OUT_TANGENT,
    column::IN_WEIGHT,
    column::OUT_WEIGHT,
];

/// The largest number of wrap modes of a curve that are counted.
const MODES: usize = 8;

/// Collects rows, and returns a recording.
pub(super) struct KeyCollector {
    limits: Limits,
    keys: u64,
    /// The bytes of the names of markers. They are limited, because many rows of a small table may share one long name.
    bytes: u64,
    layout: Option<Layout>,
    flags: [Option<u8>; 3],
    curves: Vec<Option<PartialCurve>>,
    device_curves: BTreeMap<CurvePath, PartialCurve>,
    devices: BTreeMap<DeviceName, DeviceEvents>,
    markers: Vec<Marker<'static>>,
    known: Known,
    skipped: SkippedRows,
}

/// The changes of the profile of a device, and its haptic pulses.
#[derive(Default)]
struct DeviceEvents {
    profiles: Vec<ProfileChange>,
    haptics: Vec<Haptic>,
}

/// A curve while its rows are read.
#[derive(Default)]
struct PartialCurve {
    kind: Option<Kind>,
    wrap: [Option<i32>; 2],
    /// The number of rows with each wrap mode, if bad rows are skipped. The rows of a damaged table may state different modes.
    wraps: [BTreeMap<i32, usize>; 2],
    floats: Keys<'static>,
    booleans: Vec<BooleanKey>,
}

impl KeyCollector {
    pub(super) fn new(options: &ReadOptions) -> KeyCollector {
        KeyCollector {
            limits: options.limits,
            skipped: SkippedRows::new(options.skip_bad),
            keys: 0,
            bytes: 0,
            layout: None,
            flags: [None; 3],
            curves: (0..CURVES).map(|_| None).collect(),
            device_curves: BTreeMap::new(),
            devices: BTreeMap::new(),
            markers: Vec::new(),
            known: Known::default(),
        }
    }

    /// Counts a row as skipped if the options skip bad rows and `error` concerns only this row. Otherwise, returns
    /// `error`.
    pub(super) fn skip(&mut self, error: Error) -> Result<(), Error> {
        self.skipped.skip(error)
    }

    /// Skips rows that cannot be read from now on.
    #[cfg(feature = "arrow")]
    pub(super) fn skip_bad(&mut self) {
        self.skipped.switch_on();
    }

    /// Adds a row. A row that cannot be read changes nothing.
    pub(super) fn push(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), Error> {
        let pushed = self.push_row(place, row);
        pushed.or_else(|error| self.skipped.skip(error))
    }

    fn push_row(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), Error> {
        match (row.curve, row.kind) {
            (Some(Subject::Curve(path)), _) => self.key(place, path, row),
            (Some(Subject::Profile(device)), _) => self.profile(place, device, row),
            (Some(Subject::Output(device, output)), _) => self.haptic(place, device, output, row),
            (None, Some(Kind::Device)) => self.device(place, row),
            (None, Some(Kind::Marker)) => self.marker(place, row),
            (None, Some(Kind::Flag)) => Ok(self.flag(place, row)?),
            (None, Some(Kind::Layout)) => Ok(self.layout(place, row)?),
            (None, Some(Kind::Gap)) => self.gap(place, row),
            (None, _) => Err(missing(place, column::CURVE).into()),
        }
    }

    fn key(&mut self, place: Place, path: CurvePath, row: &KeyRow<'_>) -> Result<(), Error> {
        let index = curve_index(path);
        let mut slot = if index == CURVES {
            self.device_curves.remove(&path)
        } else {
            self.curves[index].take()
        };
        if slot.is_none() && index == CURVES {
            let count = self.device_curves.len() as u64 + 1;
            check_limit(count, MAX_DEVICE_CURVES, "curves of devices")?;
        }
        let before = slot.as_ref().map(|draft| (draft.kind, draft.wrap));
        let added = self.add_key(place, path, slot.get_or_insert_default(), row);
        if added.is_err() {
            match (before, &mut slot) {
                (Some((kind, wrap)), Some(draft)) => (draft.kind, draft.wrap) = (kind, wrap),
                (_, draft) => *draft = None,
            }
        }
        match slot {
            Some(draft) if index == CURVES => {
                self.device_curves.insert(path, draft);
            }
            slot if index < CURVES => self.curves[index] = slot,
            _ => {}
        }
        added
    }

    fn add_key(
        &mut self,
        place: Place,
        path: CurvePath,
        draft: &mut PartialCurve,
        row: &KeyRow<'_>,
    ) -> Result<(), Error> {
        let is_lenient = self.skipped.is_on();
        let is_state = match path {
            CurvePath::Tracked(_) | CurvePath::Pinching(_) => true,
            // The first row states what an input is.
            CurvePath::Input(..) => draft.kind.or(row.kind) == Some(Kind::Boolean),
            _ => false,
        };
        match (is_state, row.kind) {
            (_, None) | (true, Some(Kind::Boolean)) | (false, Some(Kind::Simple | Kind::Full)) => {}
            (true, Some(kind)) => {
                return Err(wrong(place, column::KIND, "boolean", kind.name()).into());
            }
            (false, Some(kind)) => {
                return Err(wrong(place, column::KIND, "simple or full", kind.name()).into());
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
            .filter(|_| !is_lenient)
        {
            agree(place, path, name, known, found, |mode: i32| {
                mode.to_string()
            })?;
        }
        if is_lenient {
            for (modes, mode) in draft.wraps.iter_mut().zip(row.wrap) {
                if let Some(mode) =
                    mode.filter(|mode| modes.len() < MODES || modes.contains_key(mode))
                {
                    *modes.entry(mode).or_default() += 1;
                }
            }
        }
        let (time, value) = match (row.time, row.value) {
            // A row without a key states the wrap modes and the kind of an empty curve.
            (None, None) => return Ok(()),
            (None, _) => return Err(missing(place, column::TIME_S).into()),
            (_, None) => return Err(missing(place, column::VALUE).into()),
            (Some(time), Some(value)) => (time, value),
        };
        self.keys += 1;
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let has_slopes = row.slopes.iter().any(Option::is_some) || row.weighted_mode.is_some();
        match (is_state, row.kind, has_slopes) {
            (false, Some(Kind::Full), _) | (false, None, true) => {
                draft.floats.push_full(full_key(place, time, value, row)?);
            }
            // The tangents of a key that is not full would be lost silently.
            (_, _, true) => {
                let slopes = SLOPES.into_iter().zip(row.slopes);
                let slopes = slopes.map(|(column, slope)| (column, slope.map(|s| s.to_string())));
                let mode = row.weighted_mode.map(|mode| mode.to_string());
                let mut given = slopes.chain([(column::WEIGHTED_MODE, mode)]);
                let given = given.find_map(|(column, found)| Some((column, found?)));
                let (column, found) = given.unwrap_or_default();
                let expected = "an empty cell, since the key is not full";
                return Err(wrong(place, column, expected, &found).into());
            }
            (true, ..) => draft.booleans.push(BooleanKey::from_value(time, value)),
            (false, ..) => draft.floats.push_linear(time, value),
        }
        Ok(())
    }

    /// Returns the events of a device, after counting one more.
    fn events(&mut self, device: DeviceName) -> Result<&mut DeviceEvents, Error> {
        // The events and the keys have one limit.
        self.keys += 1;
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let count = self.devices.len() as u64;
        check_limit(count, MAX_DEVICE_CURVES, "devices")?;
        Ok(self.devices.entry(device).or_default())
    }

    fn profile(&mut self, place: Place, device: DeviceName, row: &KeyRow<'_>) -> Result<(), Error> {
        let time = row.time.ok_or_else(|| missing(place, column::TIME_S))?;
        if !time.is_finite() {
            let expected = "a finite number";
            return Err(wrong(place, column::TIME_S, expected, &time.to_string()).into());
        }
        let active = match row.value {
            Some(1.0) => true,
            Some(0.0) => false,
            None => return Err(missing(place, column::VALUE).into()),
            Some(other) => {
                let expected = "1 for active or 0 for not active";
                return Err(wrong(place, column::VALUE, expected, &other.to_string()).into());
            }
        };
        let profile = row.name.filter(|name| !name.is_empty());
        if let Some(name) = profile.filter(|_| !active) {
            let expected = "an empty cell, since the device is not active";
            return Err(wrong(place, column::NAME, expected, name).into());
        }
        self.bytes += profile.map_or(0, str::len) as u64;
        check_limit(self.bytes, self.limits.max_bytes, "bytes")?;
        let profile = profile.map(Arc::from);
        self.events(device)?.profiles.push(ProfileChange {
            time,
            active,
            profile,
        });
        Ok(())
    }

    fn haptic(
        &mut self,
        place: Place,
        device: DeviceName,
        output: OutputName,
        row: &KeyRow<'_>,
    ) -> Result<(), Error> {
        let [duration, frequency] = row.pulse;
        let pulse = Haptic {
            time: row.time.ok_or_else(|| missing(place, column::TIME_S))?,
            output,
            duration,
            frequency,
            amplitude: row.value.ok_or_else(|| missing(place, column::VALUE))?,
        };
        let checked = pulse.check();
        checked.map_err(|source| TableError::Haptic { place, source })?;
        self.events(device)?.haptics.push(pulse);
        Ok(())
    }

    fn device(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), Error> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let name = name.parse();
        let name = name.map_err(|source| TableError::Device { place, source })?;
        self.events(name)?;
        Ok(())
    }

    fn marker(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), Error> {
        let time = row.time.ok_or_else(|| missing(place, column::TIME_S))?;
        let count = self.markers.len() as u64 + 1;
        check_limit(count, self.limits.max_markers, "markers")?;
        let name = row.name.unwrap_or_default().to_owned();
        // A dictionary may store a long name once for millions of rows.
        self.bytes += name.len() as u64;
        check_limit(self.bytes, self.limits.max_bytes, "bytes")?;
        self.markers.push(Marker::new(time, name));
        Ok(())
    }

    fn flag(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), TableError> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let index = FLAGS.iter().position(|flag| *flag == name);
        let index = index.ok_or_else(|| wrong(place, column::NAME, "head, hand or gaze", name))?;
        let value = row.value.ok_or_else(|| missing(place, column::VALUE))?;
        // The cast truncates and saturates. If converting back gives another number, the value is not a byte.
        let byte = value as u8;
        if f32::from(byte) != value {
            let found = value.to_string();
            return Err(wrong(
                place,
                column::VALUE,
                "an integer from 0 to 255",
                &found,
            ));
        }
        let what = format!("the flag {name}");
        agree_on(place, what, &mut self.flags[index], Some(byte), |byte| {
            byte.to_string()
        })
    }

    fn layout(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), TableError> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let layout = name.parse();
        let layout = layout.map_err(|source| TableError::Layout { place, source })?;
        let what = "the layout".to_owned();
        agree_on(
            place,
            what,
            &mut self.layout,
            Some(layout),
            |layout: Layout| layout.to_string(),
        )
    }

    fn gap(&mut self, place: Place, row: &KeyRow<'_>) -> Result<(), Error> {
        let name = row.name.ok_or_else(|| missing(place, column::NAME))?;
        let gap = TimeRange {
            start: row.time.ok_or_else(|| missing(place, column::TIME_S))?,
            end: row.value.ok_or_else(|| missing(place, column::VALUE))?,
        };
        // The gaps and the keys have one limit.
        self.keys += 1;
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let added = Known::element(name).and_then(|element| self.known.try_add_gap(element, gap));
        Ok(added.map_err(|source| TableError::Gap { place, source })?)
    }

    /// Returns the recording of all rows. Fails if a curve belongs to a stream that the flags exclude, or if the layout
    /// that the table or the options state cannot represent the recording.
    pub(super) fn finish(
        mut self,
        options: &ReadOptions,
        report: &mut Report,
    ) -> Result<Recording<'static>, Error> {
        let stated = self.layout.or(options.layout);
        let layout = stated.unwrap_or(Layout::Mrtk1_1);
        let mut recording = Recording::with_streams(layout, Flags::NONE);
        self.add_streams(&mut recording)?;
        let of_file = paths().into_iter().zip(std::mem::take(&mut self.curves));
        let of_file = of_file.filter_map(|(path, draft)| Some((path, draft?)));
        let of_devices = std::mem::take(&mut self.device_curves);
        for (path, mut draft) in of_file.chain(of_devices) {
            match path {
                CurvePath::DevicePose(device, pose, _) => {
                    recording.device_mut(device).pose_mut(pose);
                }
                CurvePath::Input(device, input) => {
                    let curve = match draft.kind {
                        Some(Kind::Boolean) => InputCurve::Boolean(BooleanCurve::default()),
                        _ => InputCurve::Float(FloatCurve::default()),
                    };
                    recording.device_mut(device).set_input(input, curve);
                }
                _ => {}
            }
            for (modes, chosen) in draft.wraps.iter().zip(&mut draft.wrap) {
                let most = modes.iter().max_by_key(|(_, count)| **count);
                let Some((&mode, &count)) = most else {
                    continue;
                };
                *chosen = Some(mode);
                let others = modes.values().sum::<usize>() - count;
                self.skipped.add(others, || {
                    format!(
                        "the wrap mode of {path} differs from {mode}, that of {count} other rows"
                    )
                });
            }
            match recording.curve_mut(path) {
                Some(slot) => draft.fill(slot, layout),
                None if self.skipped.is_on() => {
                    let keys = draft.floats.len() + draft.booleans.len();
                    self.skipped
                        .add(keys.max(1), || TableError::ExcludedStream(path).to_string());
                }
                None => return Err(TableError::ExcludedStream(path).into()),
            }
        }
        self.skipped.report(report);
        for (name, mut events) in self.devices {
            events.profiles.sort_by(|a, b| a.time.total_cmp(&b.time));
            events.haptics.sort_by(|a, b| a.time.total_cmp(&b.time));
            let device = recording.device_mut(name);
            (device.profiles, device.haptics) = (events.profiles, events.haptics);
        }
        recording.markers = self.markers;
        recording.known = self.known;
        let losses = recording.layout_losses(layout);
        match (losses.is_empty(), stated) {
            (true, _) => Ok(recording),
            (false, Some(layout)) => Err(WriteError::Lossy { layout, losses }.into()),
            // If the table states no layout, the layout that can represent everything is used.
            (false, None) => {
                recording.layout = Layout::FullWithMarkers1_1;
                Ok(recording)
            }
        }
    }

    /// Replaces `recording` by an empty recording of its layout with the streams that the rows of flags state. Without
    /// such rows, adds the streams that have rows. Fails if there are flags, but the layout has none.
    fn add_streams(&self, recording: &mut Recording<'static>) -> Result<(), TableError> {
        let layout = recording.layout;
        let streams = || {
            let mut bytes = [0; 3];
            for (path, _) in paths()
                .into_iter()
                .zip(&self.curves)
                .filter(|(_, c)| c.is_some())
            {
                match path {
                    CurvePath::Head(_) => bytes[0] = 1,
                    CurvePath::Gaze(_) => bytes[2] = 1,
                    _ => bytes[1] = 1,
                }
            }
            bytes
        };
        let bytes = match (layout.has_flags(), self.flags) {
            (true, [None, None, None]) => Some(streams()),
            // The row of a flag may have been skipped.
            (true, flags) if self.skipped.is_on() => {
                let mut bytes = streams();
                for (byte, flag) in bytes.iter_mut().zip(flags) {
                    *byte = flag.unwrap_or(*byte);
                }
                Some(bytes)
            }
            (true, flags) => Some(flags.map(Option::unwrap_or_default)),
            (false, [None, None, None]) => None,
            (false, _) => return Err(TableError::UnexpectedFlags(layout)),
        };
        *recording = with_streams(layout, bytes);
        Ok(())
    }
}

impl PartialCurve {
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

fn full_key(place: Place, time: f32, value: f32, row: &KeyRow<'_>) -> Result<FullKey, TableError> {
    let slope = |index: usize| row.slopes[index].ok_or_else(|| missing(place, SLOPES[index]));
    let (tangents, weights) = ([slope(0)?, slope(1)?], [slope(2)?, slope(3)?]);
    let mode = row.weighted_mode;
    let mode = mode.ok_or_else(|| missing(place, column::WEIGHTED_MODE))?;
    let mode = WeightedMode(mode);
    Ok(FullKey::weighted(time, value, tangents, weights, mode))
}

/// Stores the value `found` of a column in `known`. Fails if an earlier row of the curve has another value. `show`
/// converts a value to text for the error.
fn agree<T: Copy + PartialEq>(
    place: Place,
    path: CurvePath,
    column: &str,
    known: &mut Option<T>,
    found: Option<T>,
    show: impl Fn(T) -> String,
) -> Result<(), TableError> {
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
) -> Result<(), TableError> {
    match (*known, found) {
        (Some(first), Some(found)) if first != found => Err(TableError::Contradiction {
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

fn missing(place: Place, column: &str) -> TableError {
    TableError::missing(place, column)
}

fn wrong(place: Place, column: &str, expected: &'static str, found: &str) -> TableError {
    TableError::value(place, column, expected, found)
}
