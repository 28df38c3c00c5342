//! The rows of a table of keys: one by one for text, and as columns.

use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;

use inputanim::names::CurveChoice;
use inputanim::{Curve, CurvePath, Device, Keys, Recording, TimeRange, WriteError};

use super::batch::{Column, TextRun, Values};
use super::keys::{
    ALL_KIND_NAMES, CURVE_NAMES, CURVES, FLAGS, KIND_NAMES, KeyRow, Kind, Subject, curve_index,
    needs_row,
};
use crate::shared::Error;

/// Calls `sink` with every row of a recording in a table of keys. The order is the same in all formats: the layout,
/// flags, curves in file order, curves of devices, markers, gaps, profiles and pulses of devices. With a time range, rows outside of it are left out: see [`is_in`].
///
/// # Errors
/// When the recording contains something that its own layout cannot represent. Also returns the errors of `sink`.
pub(super) fn rows(
    recording: &Recording<'_>,
    range: Option<TimeRange>,
    mut sink: impl FnMut(&KeyRow<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    refuse_losses(recording)?;
    let mut sink = |row: &KeyRow<'_>| {
        let gap_end = row.value.filter(|_| row.kind == Some(Kind::Gap));
        if range.is_some_and(|range| !is_in(range, row.time, gap_end)) {
            return Ok(());
        }
        sink(row)
    };
    let layout = recording.layout;
    sink(&about(Kind::Layout, layout.name()))?;
    if layout.has_flags() {
        for (name, byte) in FLAGS.into_iter().zip(recording.flag_bytes()) {
            let value = Some(byte.into());
            sink(&KeyRow {
                value,
                ..about(Kind::Flag, name)
            })?;
        }
    }
    for (path, curve) in recording.curves() {
        let of_curve = of_curve(path, curve);
        if curve.is_empty() && needs_row(path, curve, layout) {
            sink(&of_curve)?;
        }
        for index in 0..curve.len() {
            sink(&key(of_curve, curve, index))?;
        }
    }
    for marker in &recording.markers {
        let time = Some(marker.time);
        sink(&KeyRow {
            time,
            ..about(Kind::Marker, &marker.name)
        })?;
    }
    for (element, gaps) in recording.known.iter() {
        let name = element.to_string();
        for gap in gaps {
            sink(&KeyRow {
                time: Some(gap.start),
                value: Some(gap.end),
                ..about(Kind::Gap, &name)
            })?;
        }
    }
    for device in &recording.devices {
        for row in device_rows(device) {
            sink(&row)?;
        }
    }
    Ok(())
}

/// Returns the rows of a device that are not keys: the changes of its profile and its haptic pulses. A device that has neither
/// these nor curves has a row with its name.
fn device_rows<'d>(device: &'d Device<'_>) -> impl Iterator<Item = KeyRow<'d>> {
    let is_alone =
        device.profiles.is_empty() && device.haptics.is_empty() && device.curves().next().is_none();
    let name = is_alone.then(|| about(Kind::Device, device.name.as_str()));
    let profiles = device.profiles.iter().map(|change| KeyRow {
        curve: Some(Subject::Profile(device.name)),
        kind: Some(Kind::Profile),
        time: Some(change.time),
        value: Some(change.active.into()),
        name: change.profile.as_deref(),
        ..KeyRow::default()
    });
    let haptics = device.haptics.iter().map(|pulse| KeyRow {
        curve: Some(Subject::Output(device.name, pulse.output)),
        kind: Some(Kind::Haptic),
        time: Some(pulse.time),
        value: Some(pulse.amplitude),
        pulse: [pulse.duration, pulse.frequency],
        ..KeyRow::default()
    });
    name.into_iter().chain(profiles).chain(haptics)
}

/// Returns `true` if a row of a table of keys belongs to a time range: a key or a marker whose time is in the range, a gap
/// that overlaps it, and every row without a time, which is about the complete recording.
fn is_in(range: TimeRange, time: Option<f32>, gap_end: Option<f32>) -> bool {
    match (time, gap_end) {
        (None, _) => true,
        (Some(start), Some(end)) => start <= range.end && range.start <= end,
        (Some(time), None) => range.contains(time),
    }
}

/// Returns a row without a curve.
fn about(kind: Kind, name: &str) -> KeyRow<'_> {
    KeyRow {
        kind: Some(kind),
        name: Some(name),
        ..KeyRow::default()
    }
}

/// Fails if the recording contains something that its own layout cannot represent. A table of keys states the layout,
/// but the recording could not be read back with it.
pub(super) fn refuse_losses(recording: &Recording<'_>) -> Result<(), Error> {
    let layout = recording.layout;
    let losses = recording.layout_losses(layout);
    if losses.is_empty() {
        Ok(())
    } else {
        Err(WriteError::Lossy { layout, losses }.into())
    }
}

/// Returns a row with only the cells that all rows of a curve have in common: its path, its kind of keys and its wrap
/// modes.
fn of_curve<'t>(path: CurvePath, curve: Curve<'_, '_>) -> KeyRow<'t> {
    let (pre, post) = curve.wrap();
    KeyRow {
        curve: Some(Subject::Curve(path)),
        kind: Some(Kind::of_curve(curve)),
        wrap: [Some(pre.0), Some(post.0)],
        ..KeyRow::default()
    }
}

fn key<'t>(of_curve: KeyRow<'t>, curve: Curve<'_, '_>, index: usize) -> KeyRow<'t> {
    let point = curve.point(index);
    let row = KeyRow {
        time: point.map(|(time, _)| time),
        value: point.map(|(_, value)| value),
        ..of_curve
    };
    let Curve::Float(curve) = curve else {
        return row;
    };
    let Keys::Full(keys) = &curve.keys else {
        return row;
    };
    let key = &keys[index];
    let slopes = [
        key.in_tangent(),
        key.out_tangent(),
        key.in_weight(),
        key.out_weight(),
    ];
    KeyRow {
        slopes: slopes.map(Some),
        weighted_mode: Some(key.weighted_mode().0),
        ..row
    }
}

/// Whether a table has the rows without a time, which are about the complete recording.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Timeless {
    Kept,
    LeftOut,
}

/// Rows of a table of keys as columns.
#[derive(Default)]
pub(super) struct KeyColumns {
    /// The curves, each with the number of neighbouring rows.
    curve: Vec<(Option<Subject>, usize)>,
    /// Time, value, tangents and weights.
    floats: [Vec<Option<f32>>; 6],
    weighted_mode: Vec<Option<i32>>,
    kind: Vec<i16>,
    wrap: [Vec<Option<i32>>; 2],
    name: Vec<TextRun>,
    /// The duration and the frequency of haptic pulses.
    pulse: [Vec<Option<f32>>; 2],
}

impl KeyColumns {
    /// Returns the number of rows of a recording in a table of keys.
    pub(super) fn rows(recording: &Recording<'_>) -> usize {
        let keys = recording.curves().map(|(path, curve)| match curve.len() {
            0 => usize::from(needs_row(path, curve, recording.layout)),
            keys => keys,
        });
        let gaps = recording.known.iter().map(|(_, gaps)| gaps.len());
        let devices = recording.devices.iter();
        let of_devices = devices.map(|device| device_rows(device).count());
        let last = recording.markers.len() + gaps.sum::<usize>() + of_devices.sum::<usize>();
        first_rows(recording) + keys.sum::<usize>() + last
    }

    pub(super) fn len(&self) -> usize {
        self.kind.len()
    }

    /// Appends the rows of a recording whose indices are in the range `rows`; the function [`rows`] defines their
    /// order. With a time range, appends only those rows that belong to it: see [`is_in`]. With a choice of curves, appends only
    /// those rows that are keys of these curves.
    pub(super) fn push(
        &mut self,
        recording: &Recording<'_>,
        rows: Range<usize>,
        time: Option<TimeRange>,
        timeless: Timeless,
        curves: Option<&CurveChoice>,
    ) {
        let is_chosen = |path| curves.is_none_or(|curves| curves.contains(path));
        let is_within = |start: f32, gap_end: Option<f32>| {
            time.is_none_or(|range| is_in(range, Some(start), gap_end))
        };
        // Rows that are not keys, and rows without a time.
        let has_others = curves.is_none();
        let has_timeless = has_others && timeless == Timeless::Kept;
        let layout = recording.layout;
        let bytes = recording.flag_bytes().map(f32::from);
        let flags = FLAGS.into_iter().zip(bytes.map(Some));
        let first = [(Kind::Layout, layout.name(), None)]
            .into_iter()
            .chain(flags.map(|(name, byte)| (Kind::Flag, name, byte)));
        let mut row = 0;
        for (kind, name, value) in first.take(first_rows(recording)) {
            if has_timeless && rows.contains(&row) {
                self.about(kind, None, value, name);
            }
            row += 1;
        }
        for (path, curve) in recording.curves() {
            let (start, end) = (row, row + curve.len());
            if curve.is_empty() {
                if needs_row(path, curve, layout) {
                    if has_timeless && rows.contains(&row) {
                        self.no_keys(path, curve);
                    }
                    row += 1;
                }
                continue;
            }
            let keys = rows.start.max(start)..rows.end.min(end);
            if keys.start < keys.end && is_chosen(path) {
                let keys = keys.start - start..keys.end - start;
                match time {
                    None => self.keys(path, curve, keys),
                    Some(time) => {
                        for keys in runs_within(curve, keys, time) {
                            self.keys(path, curve, keys);
                        }
                    }
                }
            }
            row = end;
        }
        if !has_others {
            return;
        }
        let markers = recording.markers.iter().enumerate();
        let markers = markers.filter(|(index, marker)| {
            rows.contains(&(row + index)) && is_within(marker.time, None)
        });
        for (_, marker) in markers {
            self.about(Kind::Marker, Some(marker.time), None, &marker.name);
        }
        row += recording.markers.len();
        for (element, gaps) in recording.known.iter() {
            let name = element.to_string();
            for gap in gaps {
                if rows.contains(&row) && is_within(gap.start, Some(gap.end)) {
                    self.about(Kind::Gap, Some(gap.start), Some(gap.end), &name);
                }
                row += 1;
            }
        }
        for device_row in recording.devices.iter().flat_map(device_rows) {
            let is_selected = match device_row.time {
                Some(time) => is_within(time, None),
                None => has_timeless,
            };
            if rows.contains(&row) && is_selected {
                self.of_device(&device_row);
            }
            row += 1;
        }
    }

    /// Appends rows for those keys of a curve whose indices are in `range`.
    fn keys(&mut self, path: CurvePath, curve: Curve<'_, '_>, range: Range<usize>) {
        let count = range.len();
        self.of_curve(path, curve, count);
        let [time, value, slopes @ ..] = &mut self.floats;
        match curve {
            Curve::Float(curve) => match &curve.keys {
                Keys::Full(keys) => {
                    let keys = &keys[range];
                    time.extend(keys.iter().map(|key| Some(key.time())));
                    value.extend(keys.iter().map(|key| Some(key.value())));
                    let [in_tangent, out_tangent, in_weight, out_weight] = slopes;
                    in_tangent.extend(keys.iter().map(|key| Some(key.in_tangent())));
                    out_tangent.extend(keys.iter().map(|key| Some(key.out_tangent())));
                    in_weight.extend(keys.iter().map(|key| Some(key.in_weight())));
                    out_weight.extend(keys.iter().map(|key| Some(key.out_weight())));
                    let modes = keys.iter().map(|key| Some(key.weighted_mode().0));
                    self.weighted_mode.extend(modes);
                    return;
                }
                Keys::Simple(keys) => {
                    let keys = &keys[range];
                    time.extend(keys.iter().map(|key| Some(key.time())));
                    value.extend(keys.iter().map(|key| Some(key.value())));
                }
            },
            Curve::Boolean(curve) => {
                let keys = &curve.keys[range];
                time.extend(keys.iter().map(|key| Some(key.time())));
                value.extend(keys.iter().map(|key| Some(key.value())));
            }
        }
        for slope in slopes {
            slope.extend(repeat_n(None, count));
        }
        self.weighted_mode.extend(repeat_n(None, count));
    }

    /// Appends a row for a curve without keys.
    fn no_keys(&mut self, path: CurvePath, curve: Curve<'_, '_>) {
        self.of_curve(path, curve, 1);
        for float in &mut self.floats {
            float.push(None);
        }
        self.weighted_mode.push(None);
    }

    /// Appends the cells that all keys of a curve have in common, for `count` rows: its path, its kind of keys, its
    /// wrap modes and an empty name.
    fn of_curve(&mut self, path: CurvePath, curve: Curve<'_, '_>, count: usize) {
        let kind = Kind::of_curve(curve);
        let (pre, post) = curve.wrap();
        self.curves(Some(Subject::Curve(path)), count);
        self.kind.extend(repeat_n(kind as i16, count));
        for (column, mode) in self.wrap.iter_mut().zip([pre, post]) {
            column.extend(repeat_n(Some(mode.0), count));
        }
        self.name(None, count);
        for cells in &mut self.pulse {
            cells.extend(repeat_n(None, count));
        }
    }

    fn curves(&mut self, curve: Option<Subject>, count: usize) {
        match self.curve.last_mut() {
            Some((last, rows)) if *last == curve => *rows += count,
            _ => self.curve.push((curve, count)),
        }
    }

    /// Appends a row of a device that is not a key.
    fn of_device(&mut self, row: &KeyRow<'_>) {
        let kind = row.kind.unwrap_or(Kind::Device);
        self.row(kind, row.curve, [row.time, row.value], row.name);
        for (cells, number) in self.pulse.iter_mut().zip(row.pulse) {
            cells.pop();
            cells.push(number);
        }
    }

    /// Appends a row for a marker, a gap, a flag or the layout.
    fn about(&mut self, kind: Kind, time: Option<f32>, value: Option<f32>, name: &str) {
        self.row(kind, None, [time, value], Some(name));
    }

    /// Appends a row that is not a key.
    fn row(
        &mut self,
        kind: Kind,
        curve: Option<Subject>,
        [time, value]: [Option<f32>; 2],
        name: Option<&str>,
    ) {
        self.curves(curve, 1);
        let [of_time, of_value, slopes @ ..] = &mut self.floats;
        of_time.push(time);
        of_value.push(value);
        for slope in slopes {
            slope.push(None);
        }
        self.weighted_mode.push(None);
        self.kind.push(kind as i16);
        for mode in &mut self.wrap {
            mode.push(None);
        }
        self.name(name.map(Arc::from), 1);
        for cells in &mut self.pulse {
            cells.push(None);
        }
    }

    fn name(&mut self, text: Option<Arc<str>>, rows: usize) {
        match self.name.last_mut() {
            Some(last) if last.text == text => last.rows += rows,
            _ => self.name.push(TextRun { text, rows }),
        }
    }

    /// Returns a column by its index in `keys::column::ALL`. `has_devices` is true if the table has the columns of devices.
    pub(super) fn column(&self, index: usize, has_devices: bool) -> Column {
        // A table whose devices were not known when its columns were chosen gets texts as well.
        let is_of_device = |(curve, _): &(Option<Subject>, usize)| match curve {
            Some(Subject::Curve(path)) => curve_index(*path) == CURVES,
            Some(_) => true,
            None => false,
        };
        let has_devices = has_devices || self.curve.iter().any(is_of_device);
        let kinds = if has_devices || self.kind.contains(&(Kind::Device as i16)) {
            &*ALL_KIND_NAMES
        } else {
            &*KIND_NAMES
        };
        match index {
            // The names of devices are not in a list.
            0 if has_devices => {
                let runs = self.curve.iter().map(|(curve, rows)| TextRun {
                    text: curve.map(|curve| curve.to_string().into()),
                    rows: *rows,
                });
                Column::new(Values::Text(runs.collect()))
            }
            0 => {
                let indices = self.curve.iter().flat_map(|(curve, rows)| {
                    let index = match curve {
                        Some(Subject::Curve(path)) => Some(curve_index(*path)),
                        _ => None,
                    };
                    let index = index.filter(|&index| index < CURVES);
                    repeat_n(index.map(|index| index as i16), *rows)
                });
                Column::words(&CURVE_NAMES, indices)
            }
            index @ 1..=6 => Column::floats(self.floats[index - 1].iter().copied()),
            7 => Column::integers(self.weighted_mode.iter().copied()),
            8 => Column::words(kinds, self.kind.iter().map(|&kind| Some(kind))),
            index @ 9..=10 => Column::integers(self.wrap[index - 9].iter().copied()),
            11 => Column::new(Values::Text(self.name.clone())),
            index => Column::floats(self.pulse[index - 12].iter().copied()),
        }
    }
}

/// Returns the ranges of neighbouring keys of a curve whose times are in a time range, among the keys with the indices
/// `keys`. The keys of a curve may be in any order (docs/format.md 3.6).
fn runs_within(curve: Curve<'_, '_>, keys: Range<usize>, time: TimeRange) -> Vec<Range<usize>> {
    fn of<K>(keys: &[K], time: impl Fn(&K) -> bool, first: usize) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            if !time(key) {
                continue;
            }
            let index = first + index;
            match runs.last_mut() {
                Some(last) if last.end == index => last.end += 1,
                _ => runs.push(index..index + 1),
            }
        }
        runs
    }
    let first = keys.start;
    match curve {
        Curve::Float(curve) => match &curve.keys {
            Keys::Full(all) => of(&all[keys], |key| time.contains(key.time()), first),
            Keys::Simple(all) => of(&all[keys], |key| time.contains(key.time()), first),
        },
        Curve::Boolean(curve) => of(&curve.keys[keys], |key| time.contains(key.time()), first),
    }
}

/// Returns the number of rows for the layout and the flags, which come before the rows of curves.
fn first_rows(recording: &Recording<'_>) -> usize {
    1 + if recording.layout.has_flags() {
        FLAGS.len()
    } else {
        0
    }
}
