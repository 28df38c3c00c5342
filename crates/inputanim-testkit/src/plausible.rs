//! Random recordings with plausible numbers: times and values of the usual size, with keys of all
//! kinds, all wrap modes and keys out of order.

use inputanim::{
    BooleanKey, CurveMut, Flags, FullKey, KeyKind, Keys, Layout, Marker, Recording, SimpleKey,
    WeightedMode, WrapMode,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// The time, value, tangents, weights and weighted mode of a key, from which every form of key is built.
type Key = (f32, f32, [f32; 2], [f32; 2], i32);

fn key() -> impl Strategy<Value = Key> {
    let tangent = prop_oneof![6 => -5.0_f32..5.0, 1 => Just(f32::INFINITY), 1 => Just(0.0_f32)];
    let tangents = [tangent.clone(), tangent];
    let weight = prop_oneof![4 => 0.05_f32..0.95, 1 => Just(0.0_f32), 1 => Just(1.0_f32 / 3.0)];
    let weights = [weight.clone(), weight];
    // Times have steps of 50 ms, which is not shorter than the sampling interval of recorders, and end at 6 s. In a
    // longer recording, a short curve would repeat so often that converters would write it out for minutes.
    let time = (0_u8..120).prop_map(|step| f32::from(step) / 20.0);
    (time, -2.0_f32..2.0, tangents, weights, 0..4_i32)
}

fn wrap() -> impl Strategy<Value = WrapMode> {
    let modes = [0, 1, 2, 4, 8, 77].map(WrapMode);
    prop_oneof![3 => Just(WrapMode::CLAMP_FOREVER), 2 => (0_usize..6).prop_map(move |i| modes[i])]
}

/// Generates a recording with plausible numbers: times from 0 to 6 s, and values from −2 to 2.
pub fn recording() -> impl Strategy<Value = Recording<'static>> {
    // The few curves that get keys: often all curves of a pose, sometimes single curves.
    let curve = (0_usize..30, wrap(), wrap(), vec(key(), 1..7));
    let markers = vec((0.0_f32..6.0, "[a-c]{0,2}"), 0..4);
    (any::<bool>(), vec(curve, 1..14), markers).prop_map(|(full, curves, markers)| {
        let layout = if full {
            Layout::FullWithMarkers1_1
        } else {
            Layout::Mrtk1_1
        };
        let mut recording = Recording::with_streams(layout, Flags::ALL);
        for (choice, pre, post, mut keys) in curves {
            // In a curve that repeats, recorders write no two keys at one time. Rounding would decide which of the two
            // keys counts at the boundary of a repetition.
            let holds = |mode: WrapMode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
            if !(holds(pre) && holds(post)) {
                let mut seen = Vec::new();
                keys.retain(|key| {
                    let is_new = !seen.contains(&key.0.to_bits());
                    seen.push(key.0.to_bits());
                    is_new
                });
            }
            // Head, states, the first joints of the left hand, the wrist's rotation, gaze.
            let index = match choice {
                0..11 => choice,
                11..24 => 18 + choice - 11,
                _ => 389 + choice - 24,
            };
            let (_, curve) = recording.curves_mut().nth(index).unwrap();
            match curve {
                CurveMut::Boolean(curve) => {
                    (curve.pre_wrap, curve.post_wrap) = (pre, post);
                    let keys = keys.iter().map(|key| BooleanKey::new(key.0, key.1 > 0.0));
                    curve.keys = keys.collect();
                }
                CurveMut::Float(curve) => {
                    (curve.pre_wrap, curve.post_wrap) = (pre, post);
                    curve.keys = match layout.key_kind() {
                        KeyKind::Simple => Keys::Simple(
                            keys.iter()
                                .map(|key| SimpleKey::new(key.0, key.1))
                                .collect(),
                        ),
                        KeyKind::Full => Keys::Full(
                            keys.iter()
                                .map(|&(time, value, tangents, weights, mode)| {
                                    FullKey::weighted(
                                        time,
                                        value,
                                        tangents,
                                        weights,
                                        WeightedMode(mode),
                                    )
                                })
                                .collect(),
                        ),
                    };
                }
            }
        }
        recording.markers = markers
            .into_iter()
            .map(|(time, name)| Marker::new(time, name))
            .collect();
        recording
    })
}
