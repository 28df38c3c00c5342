//! Random recordings: every layout, key form and wrap mode, and any bit pattern as a number.

use std::borrow::Cow;

use inputanim::{
    BooleanKey, CurveMut, Flags, FullKey, KeyKind, Keys, Layout, Marker, Recording, SimpleKey,
    TimeRange, WeightedMode, WrapMode,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Generates any `f32`, also NaN and infinity; numbers from −10 to 10 are the most frequent.
fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -10.0_f32..10.0,
        1 => any::<u32>().prop_map(f32::from_bits),
        1 => prop_oneof![
            Just(0.0),
            Just(-0.0),
            Just(f32::NAN),
            Just(f32::from_bits(0xffc0_0001)),
            Just(f32::INFINITY),
            Just(f32::NEG_INFINITY),
        ],
    ]
}

fn mode() -> impl Strategy<Value = i32> {
    prop_oneof![4 => 0..9_i32, 1 => any::<i32>()]
}

/// The numbers of one key, from which every form of key is built. Every third full key is linear.
#[derive(Clone, Debug)]
struct Key {
    numbers: [f32; 6],
    mode: i32,
    is_linear: bool,
}

fn key() -> impl Strategy<Value = Key> {
    let numbers = prop::array::uniform6(float());
    (numbers, mode(), 0..3_u8).prop_map(|(numbers, mode, shape)| Key {
        numbers,
        mode,
        is_linear: shape == 0,
    })
}

impl Key {
    fn full(&self) -> FullKey {
        let [time, value, a, b, c, d] = self.numbers;
        if self.is_linear {
            FullKey::linear(time, value)
        } else {
            FullKey::weighted(time, value, [a, b], [c, d], WeightedMode(self.mode))
        }
    }

    fn simple(&self) -> SimpleKey {
        SimpleKey::new(self.numbers[0], self.numbers[1])
    }

    fn boolean(&self) -> BooleanKey {
        BooleanKey::from_value(self.numbers[0], self.numbers[1])
    }
}

/// The index of a curve among the 395 of a recording, its wrap modes and its keys.
type CurveParts = (usize, i32, i32, Vec<Key>);

fn markers() -> impl Strategy<Value = Vec<Marker<'static>>> {
    let name = prop_oneof![any::<String>(), Just("x".repeat(200))];
    vec(
        (float(), name).prop_map(|(time, name)| Marker::new(time, name)),
        0..4,
    )
}

/// Returns the recording with the keys of each curve sorted by time, as all known writers store them.
pub fn in_order(mut recording: Recording<'static>) -> Recording<'static> {
    for (_, curve) in recording.curves_mut() {
        match curve {
            CurveMut::Boolean(curve) => sort(curve.keys.to_mut(), BooleanKey::time),
            CurveMut::Float(curve) => match &mut curve.keys {
                Keys::Full(keys) => sort(keys.to_mut(), FullKey::time),
                Keys::Simple(keys) => sort(keys.to_mut(), SimpleKey::time),
            },
        }
    }
    recording
}

/// Returns the recording, but a curve that would repeat more than a hundred times holds its first and last value
/// instead. A format that writes out repetitions then writes a small file.
pub fn with_few_loops(mut recording: Recording<'static>) -> Recording<'static> {
    let played = recording.played_range();
    let shortest = (played.end - played.start) / 100.0;
    let is_short =
        |range: Option<TimeRange>| range.is_some_and(|range| range.end - range.start < shortest);
    let are_short: Vec<bool> = recording
        .curves()
        .map(|(_, curve)| is_short(curve.time_range()))
        .collect();
    for ((_, curve), is_short) in recording.curves_mut().zip(are_short) {
        if is_short {
            match curve {
                CurveMut::Boolean(curve) => {
                    (curve.pre_wrap, curve.post_wrap) =
                        (WrapMode::CLAMP_FOREVER, WrapMode::CLAMP_FOREVER);
                }
                CurveMut::Float(curve) => {
                    (curve.pre_wrap, curve.post_wrap) =
                        (WrapMode::CLAMP_FOREVER, WrapMode::CLAMP_FOREVER);
                }
            }
        }
    }
    recording
}

fn sort<K>(keys: &mut [K], time: impl Fn(&K) -> f32) {
    keys.sort_by(|a, b| time(a).total_cmp(&time(b)));
}

/// Generates any recording that its own layout can represent, with any numbers and keys in any order.
pub fn recording() -> impl Strategy<Value = Recording<'static>> {
    let layout = (0_usize..6).prop_map(|index| Layout::ALL[index]);
    let flags = any::<[u8; 3]>().prop_map(|bytes| bytes.map(|byte| byte % 4));
    let curves = vec((0_usize..395, mode(), mode(), vec(key(), 0..6)), 0..12);
    (layout, flags, curves, markers())
        .prop_map(|(layout, flags, curves, markers)| build(layout, flags, curves, markers))
}

fn build(
    layout: Layout,
    flags: [u8; 3],
    curves: Vec<CurveParts>,
    markers: Vec<Marker<'static>>,
) -> Recording<'static> {
    let flags = if layout.has_flags() { flags } else { [1, 1, 0] };
    let [head, hand, gaze] = flags.map(|byte| byte != 0);
    let mut recording = Recording::with_streams(layout, Flags { head, hand, gaze });
    recording.keep_flag_bytes(flags);
    for (index, pre, post, keys) in curves {
        let Some((_, curve)) = recording.curves_mut().nth(index) else {
            continue;
        };
        match curve {
            CurveMut::Boolean(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (WrapMode(pre), WrapMode(post));
                curve.keys = keys.iter().map(Key::boolean).collect::<Cow<[_]>>();
            }
            CurveMut::Float(curve) => {
                (curve.pre_wrap, curve.post_wrap) = (WrapMode(pre), WrapMode(post));
                curve.keys = match layout.key_kind() {
                    KeyKind::Full => Keys::Full(keys.iter().map(Key::full).collect()),
                    KeyKind::Simple => Keys::Simple(keys.iter().map(Key::simple).collect()),
                };
            }
        }
    }
    if layout.has_markers() {
        recording.markers = markers;
    }
    recording
}
