//! Random controllers, trackers and other devices.

use std::sync::Arc;

use inputanim::{
    BooleanCurve, Device, DeviceName, Element, FloatCurve, FullKey, Haptic, InputCurve, Layout,
    Pose, ProfileChange, Recording, Side, TimeRange,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// The end of the random recordings, in seconds.
const END: f32 = 4.0;

fn times(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f32>> {
    vec(0..=64_u32, count).prop_map(|steps| {
        let mut times: Vec<f32> = steps.iter().map(|&step| step as f32 * END / 64.0).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    })
}

fn float_curve() -> impl Strategy<Value = FloatCurve<'static>> {
    let values = vec(-1.0_f32..=1.0, 8);
    (times(1..8), values, any::<bool>()).prop_map(|(times, values, is_stepped)| {
        let points = times.into_iter().zip(values);
        if is_stepped {
            let step = f32::INFINITY;
            FloatCurve::full(points.map(|(time, value)| FullKey::hermite(time, value, step, step)))
        } else {
            FloatCurve::linear(points)
        }
    })
}

fn input(is_boolean: bool) -> BoxedStrategy<InputCurve<'static>> {
    if !is_boolean {
        return float_curve().prop_map(InputCurve::Float).boxed();
    }
    let keys = (times(1..8), any::<bool>()).prop_map(|(times, first)| {
        let keys = times.into_iter().enumerate();
        BooleanCurve::new(keys.map(|(index, time)| (time, first ^ (index % 2 == 1))))
    });
    keys.prop_map(InputCurve::Boolean).boxed()
}

fn profiles() -> impl Strategy<Value = Vec<ProfileChange>> {
    let states = vec(0..4_usize, 4);
    (times(0..4), states).prop_map(|(times, states)| {
        let changes = times.into_iter().zip(states).map(|(time, state)| {
            let names = [
                "/interaction_profiles/valve/index_controller",
                "/interaction_profiles/khr/simple_controller",
            ];
            ProfileChange {
                time,
                active: state > 0,
                profile: state.checked_sub(2).map(|name| Arc::from(names[name])),
            }
        });
        changes.collect()
    })
}

fn haptics() -> impl Strategy<Value = Vec<Haptic>> {
    let pulse = (option::of(0..=8_u8), option::of(1..=300_u16), 0..=4_u8);
    (times(0..4), vec(pulse, 4)).prop_map(|(times, pulses)| {
        let pulses = times.into_iter().zip(pulses);
        let pulses = pulses.map(|(time, (duration, frequency, amplitude))| Haptic {
            time,
            output: "haptic".parse().expect("a name"),
            duration: duration.map(|eighths| f32::from(eighths) / 8.0),
            frequency: frequency.map(f32::from),
            amplitude: f32::from(amplitude) / 4.0,
        });
        pulses.collect()
    })
}

fn device(name: DeviceName) -> impl Strategy<Value = Device<'static>> {
    let rotations = [
        [0.0, 0.0, 0.0, 1.0],
        [0.6, 0.0, 0.0, 0.8],
        [0.0, -0.6, 0.0, 0.8],
    ];
    let poses = vec((times(1..6), vec((0..3_usize, -1.0_f32..1.0), 8)), 2).prop_map(move |poses| {
        let names = ["aim", "grip"].map(|name| name.parse().expect("a name"));
        let mut device = Device::new(name);
        for (name, (times, values)) in names.into_iter().zip(poses) {
            for (time, (rotation, x)) in times.into_iter().zip(values) {
                let pose = Pose {
                    position: [x, 1.0, 0.5],
                    rotation: rotations[rotation],
                };
                device.pose_mut(name).push(time, &pose);
            }
        }
        device
    });
    let names = ["a/click", "squeeze/force", "thumbstick/x", "trigger/value"];
    let inputs = names.map(|name| option::weighted(0.8, input(name == "a/click")));
    (poses, inputs, profiles(), haptics()).prop_map(
        move |(mut device, inputs, profiles, haptics)| {
            for (name, curve) in names.into_iter().zip(inputs) {
                if let Some(curve) = curve {
                    device.set_input(name.parse().expect("a name"), curve);
                }
            }
            (device.profiles, device.haptics) = (profiles, haptics);
            device
        },
    )
}

/// Generates recordings of 4 s with a head and up to three devices: controllers of both hands and a tracker, with poses, inputs,
/// changes of the profile, haptic pulses and gaps.
pub fn device_recording() -> impl Strategy<Value = Recording<'static>> {
    let names = [
        DeviceName::controller(Side::Left),
        DeviceName::controller(Side::Right),
        "tracker.waist".parse().expect("a name"),
    ];
    let devices = names.map(|name| option::weighted(0.7, device(name)));
    let gaps = vec((any::<prop::sample::Index>(), 0..64_u32, 1..16_u32), 0..6);
    (devices, gaps).prop_map(|(devices, gaps)| {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, END] {
            recording.head_mut().push(time, &Pose::at([time, 1.6, 0.0]));
        }
        recording.devices = devices.into_iter().flatten().collect();
        let elements: Vec<Element> = recording
            .devices
            .iter()
            .flat_map(Device::elements)
            .collect();
        if !elements.is_empty() {
            for (element, start, steps) in gaps {
                let start = start as f32 * END / 64.0;
                let end = start + steps as f32 * END / 64.0;
                let end = if end > END { f32::INFINITY } else { end };
                recording
                    .known
                    .add_gap(*element.get(&elements), TimeRange { start, end });
            }
        }
        recording
    })
}
