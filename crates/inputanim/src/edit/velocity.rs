//! Changes of the [velocities](crate::velocity) of devices.

use crate::curve::{Curve, FloatCurve};
use crate::device::{Device, InputCurve, InputName};
use crate::element::Element;
use crate::known::Known;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::velocity::{self, VelocityKind, VelocityVector};

use super::budget::KeyBudget;
use super::error::EditError;
use super::linear::LinearMap;
use super::transform::is_finite;

/// Maps the velocities of all devices in the way in which positions and directions are mapped. Returns an error if a new value exceeds
/// single precision, or if the map mixes components of which one is not recorded.
pub(super) fn map(
    recording: &mut Recording<'_>,
    position: &LinearMap<3>,
    direction: &LinearMap<3>,
    played: TimeRange,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let linear = LinearMap {
        offset: [0.0; 3],
        ..*position
    };
    // A reflection reverses turns.
    let sign = determinant(direction.rows).signum();
    let angular = LinearMap {
        rows: direction.rows.map(|row| row.map(|part| part * sign)),
        offset: [0.0; 3],
    };
    let Recording { devices, known, .. } = recording;
    for device in devices {
        for vector in VelocityVector::all_of(device) {
            let map = match vector.kind {
                VelocityKind::Linear => &linear,
                VelocityKind::Angular => &angular,
            };
            map_vector(device, known, vector, map, played, budget)?;
        }
    }
    Ok(())
}

fn map_vector(
    device: &mut Device<'_>,
    known: &mut Known,
    vector: VelocityVector,
    map: &LinearMap<3>,
    played: TimeRange,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let Some(names) = vector.inputs() else {
        return Ok(());
    };
    let device_name = device.name;
    let path = |name: InputName| CurvePath::Input(device_name, name);
    let overflow = |name| EditError::Overflow { curve: path(name) };
    if let Some(factors) = map.diagonal() {
        for (name, factor) in names.into_iter().zip(factors) {
            scale(device, name, factor).map_err(|Overflow| overflow(name))?;
        }
        return Ok(());
    }
    let mut curves: [FloatCurve<'_>; 3] = Default::default();
    for (curve, name) in curves.iter_mut().zip(names) {
        match device.input_mut(name) {
            Some(InputCurve::Float(input)) if !input.keys.is_empty() => {
                *curve = std::mem::take(input);
            }
            _ => return Err(EditError::MissingVelocity { curve: path(name) }),
        }
    }
    let was_finite = is_finite(&curves);
    map.apply(names.into_iter().map(path), &mut curves, played, budget)?;
    if was_finite && !is_finite(&curves) {
        return Err(overflow(names[0]));
    }
    for (name, curve) in names.into_iter().zip(curves) {
        device.set_input(name, InputCurve::Float(curve));
    }
    // A sum is unknown where one of its parts is.
    let elements = names.map(|name| Element::Input(device_name, name));
    let gaps = elements.into_iter().flat_map(|element| known.gaps(element));
    let gaps: Vec<TimeRange> = gaps.copied().collect();
    for element in elements {
        gaps.iter().for_each(|&gap| known.add_gap(element, gap));
    }
    Ok(())
}

fn determinant([[a, b, c], [d, e, f], [g, h, i]]: [[f64; 3]; 3]) -> f64 {
    a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
}

/// New values exceed single precision.
struct Overflow;

/// Multiplies an input with numbers, if the device has it.
fn scale(device: &mut Device<'_>, name: InputName, factor: f64) -> Result<(), Overflow> {
    if let Some(InputCurve::Float(curve)) = device.input_mut(name)
        && factor != 1.0
    {
        let was_finite = is_finite(std::slice::from_ref(curve));
        curve.keys = curve.keys.mapped(factor, 0.0);
        if was_finite && !is_finite(std::slice::from_ref(curve)) {
            return Err(Overflow);
        }
    }
    Ok(())
}

/// Multiplies all velocities by `speed`.
pub(super) fn speed_up(recording: &mut Recording<'_>, speed: f64) {
    for device in &mut recording.devices {
        for (_, curve) in velocity::curves_mut(device) {
            curve.keys = curve.keys.mapped(speed, 0.0);
        }
    }
}

/// Returns the first velocity whose values would exceed single precision if they were multiplied by `speed`.
pub(super) fn overflow(recording: &Recording<'_>, speed: f64) -> Option<CurvePath> {
    let curves = recording.devices.iter().flat_map(Device::curves);
    let mut velocities = curves.filter(
        |(path, _)| matches!(path, CurvePath::Input(_, name) if VelocityVector::of(*name).is_some()),
    );
    let exceeds =
        |value: f32| value.is_finite() && !((f64::from(value) * speed) as f32).is_finite();
    let found = velocities.find(|(_, curve)| match curve {
        Curve::Float(curve) => curve.keys.points().any(|(_, value)| exceeds(value)),
        Curve::Boolean(_) => false,
    });
    found.map(|(path, _)| path)
}
