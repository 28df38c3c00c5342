//! Comparison of haptic pulses.

use std::collections::BTreeSet;

use crate::device::{DeviceName, Haptic};
use crate::element::Element;
use crate::recording::Recording;

use super::{DiffOptions, Tolerance};

/// The haptic pulses of a device that differ between two recordings.
///
/// A pulse is the same in both recordings if it has the same output and frequency, its times and durations differ by at most the
/// tolerance of times, and its amplitudes by at most the tolerance of inputs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct HapticDifference {
    /// The device.
    pub device: DeviceName,
    /// The number of pulses that are the same.
    pub same: u64,
    /// The pulses that only one recording has, in order of time.
    pub only_in: [Vec<Haptic>; 2],
}

/// Returns the differences of the devices whose pulses differ, in the order of their names. Only pulses are compared for which
/// `is_compared` returns `true`, and devices whose profile is selected.
pub(super) fn compare(
    a: &Recording<'_>,
    b: &Recording<'_>,
    options: &DiffOptions,
    is_compared: impl Fn(f32) -> bool,
) -> Vec<HapticDifference> {
    let devices = a.devices.iter().chain(&b.devices);
    let names: BTreeSet<DeviceName> = devices.map(|device| device.name).collect();
    let mut found = Vec::new();
    for device in names {
        if !options.devices.contains(Element::Profile(device)) {
            continue;
        }
        let pulses = [a, b].map(|recording| {
            let device = recording.device(device).into_iter();
            let pulses = device.flat_map(|device| device.haptics.iter());
            pulses
                .filter(|pulse| is_compared(pulse.time))
                .copied()
                .collect::<Vec<_>>()
        });
        let (same, only_in) = matched(&pulses, &options.tolerance);
        if !only_in.iter().all(Vec::is_empty) {
            found.push(HapticDifference {
                device,
                same,
                only_in,
            });
        }
    }
    found
}

/// Returns the number of pulses that are the same, and the others of each recording. The pulses are in order of time.
fn matched([a, b]: &[Vec<Haptic>; 2], tolerance: &Tolerance) -> (u64, [Vec<Haptic>; 2]) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let (mut same, mut only_in) = (0, [Vec::new(), Vec::new()]);
    loop {
        match (a.peek(), b.peek()) {
            (Some(first), Some(second)) if is_same(first, second, tolerance) => {
                same += 1;
                a.next();
                b.next();
            }
            (Some(first), Some(second)) if first.time <= second.time => {
                only_in[0].extend(a.next());
            }
            (Some(_), None) => only_in[0].extend(a.next()),
            (_, Some(_)) => only_in[1].extend(b.next()),
            (None, None) => return (same, only_in),
        }
    }
}

fn is_same(a: &Haptic, b: &Haptic, tolerance: &Tolerance) -> bool {
    let is_near = |a: f32, b: f32| a == b || (a - b).abs() <= tolerance.timing;
    let durations = match (a.duration, b.duration) {
        (Some(a), Some(b)) => is_near(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let amplitudes = (f64::from(a.amplitude) - f64::from(b.amplitude)).abs();
    durations
        && a.output == b.output
        && a.frequency == b.frequency
        && is_near(a.time, b.time)
        && amplitudes <= tolerance.input
}
