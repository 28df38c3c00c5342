//! Random recordings whose numbers are those of a recording: times and values of the usual size, with
//! keys of all kinds, all wrap modes and keys out of order.

use inputanim::{
    BooleanKey, CurveMut, Flags, FullKey, KeyKind, Keys, Layout, Marker, Recording, SimpleKey,
    WeightedMode, WrapMode,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A key in whatever form it takes: time, value, tangents, weights, mode.
type Key = (f32, f32, [f32; 2], [f32; 2], i32);

fn key() -> impl Strategy<Value = Key> {
    let tangent = prop_oneof![6 => -5.0_f32..5.0, 1 => Just(f32::INFINITY), 1 => Just(0.0_f32)];
    let tangents = [tangent.clone(), tangent];
    let weight = prop_oneof![4 => 0.05_f32..0.95, 1 => Just(0.0_f32), 1 => Just(1.0_f32 / 3.0)];
    let weights = [weight.clone(), weight];
    // Not closer than recorders sample, and not so that a wrap would be written out for minutes.
    let time = (0_u8..120).prop_map(|step| f32::from(step) / 20.0);
    (time, -2.0_f32..2.0, tangents, weights, 0..4_i32)
}

fn wrap() -> impl Strategy<Value = WrapMode> {
    let modes = [0, 1, 2, 4, 8, 77].map(WrapMode);
    prop_oneof![3 => Just(WrapMode::CLAMP_FOREVER), 2 => (0_usize..6).prop_map(move |i| modes[i])]
}

/// Any recording whose numbers are those of a recording.
pub(crate) fn recording() -> impl Strategy<Value = Recording<'static>> {
    // The curves that are filled: whole poses often, single curves too.
    let curve = (0_usize..30, wrap(), wrap(), vec(key(), 1..7));
    let markers = vec((0.0_f32..6.0, "[a-c]{0,2}"), 0..4);
    (any::<bool>(), vec(curve, 1..14), markers).prop_map(|(full, curves, markers)| {
        let layout = if full {
            Layout::FullWithMarkers1_1
        } else {
            Layout::Mrtk1_1
        };
        let mut take = Recording::with_streams(layout, Flags::ALL);
        for (place, pre, post, mut keys) in curves {
            // Several keys at one time are no recorder's doing where a curve starts over: there,
            // which of them counts at the boundary is a matter of rounding.
            let holds = |mode: WrapMode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
            if !(holds(pre) && holds(post)) {
                let mut seen = Vec::new();
                keys.retain(|key| {
                    let is_new = !seen.contains(&key.0.to_bits());
                    seen.push(key.0.to_bits());
                    is_new
                });
            }
            // Camera, states, the first joints of the left hand, the wrist's rotation, gaze.
            let index = match place {
                0..11 => place,
                11..24 => 18 + place - 11,
                _ => 389 + place - 24,
            };
            let (_, curve) = take.curves_mut().nth(index).unwrap();
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
        take.markers = markers
            .into_iter()
            .map(|(time, name)| Marker::new(time, name))
            .collect();
        take
    })
}
