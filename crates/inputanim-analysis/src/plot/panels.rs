//! The panels with curves: speeds, apertures and gaze.

use inputanim::velocity::VelocityVector;
use inputanim::{Element, Side, headset};

use super::Panel;
use super::figure::{Band, Curves, Figure, Line};
use crate::channels::{angle_up, heading};
use crate::device::DeviceInput;

impl Figure<'_> {
    pub(super) fn speed(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let joint = analysis.parameters.movement_joint;
        let line = |side: Side| {
            let kinematics = analysis.hand(side).kinematics(joint);
            kinematics.map(|kinematics| Line {
                name: side.name(),
                colour: palette.side(side),
                values: &kinematics.speed,
                wraps: false,
            })
        };
        let lines: Vec<Line<'_>> = Side::BOTH.into_iter().filter_map(line).collect();
        self.curves(&Curves {
            panel: Panel::Speed,
            titles: [&format!("speed of {joint} (m/s)"), "speed (m/s)"],
            lines: &lines,
            from_zero: true,
            bands: &[],
            events: "",
            thresholds: &[],
        });
    }

    pub(super) fn aperture(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let millimetres = |side: Side| {
            let aperture = analysis.hand(side).aperture.as_ref()?;
            let values: Vec<f64> = aperture.iter().map(|metres| 1000.0 * metres).collect();
            Some((side, values))
        };
        let values: Vec<(Side, Vec<f64>)> =
            Side::BOTH.into_iter().filter_map(millimetres).collect();
        let lines = values.iter().map(|(side, values)| Line {
            name: side.name(),
            colour: palette.side(*side),
            values,
            wraps: false,
        });
        let lines: Vec<Line<'_>> = lines.collect();
        let bands = Side::BOTH.map(|side| {
            let pinches = analysis.hand(side).geometric_pinches.iter();
            Band {
                colour: palette.side(side),
                ranges: pinches.map(|pinch| [pinch.start, pinch.end()]).collect(),
            }
        });
        let options = &analysis.parameters.pinches;
        self.curves(&Curves {
            panel: Panel::Aperture,
            titles: ["thumb tip to index tip (mm)", "thumb to index (mm)"],
            lines: &lines,
            from_zero: true,
            bands: &bands,
            events: "geometric pinch",
            thresholds: &[
                ("close", 1000.0 * options.close),
                ("open", 1000.0 * options.open),
            ],
        });
    }

    pub(super) fn gaze(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let directions = analysis.channels.gaze_direction.as_deref();
        let directions = directions.unwrap_or_default();
        let angles = |angle: fn([f32; 3]) -> f64| -> Vec<f64> {
            directions
                .iter()
                .map(|&direction| angle(direction))
                .collect()
        };
        let (yaw, pitch) = (angles(heading), angles(angle_up));
        let fixations = analysis.gaze.iter().flat_map(|gaze| &gaze.fixations);
        let fixations: Vec<[f64; 2]> = fixations
            .map(|fixation| [fixation.start, fixation.start + fixation.duration])
            .collect();
        let lines = [
            Line {
                name: "heading",
                colour: palette.gaze,
                values: &yaw,
                wraps: true,
            },
            Line {
                name: "elevation",
                colour: palette.head,
                values: &pitch,
                wraps: false,
            },
        ];
        let lines = if directions.is_empty() {
            &lines[..0]
        } else {
            &lines[..]
        };
        self.curves(&Curves {
            panel: Panel::Gaze,
            titles: ["gaze (°)"; 2],
            lines,
            from_zero: false,
            bands: &[Band {
                colour: palette.gaze,
                ranges: fixations,
            }],
            events: "fixation",
            thresholds: &[],
        });
    }

    /// Draws a chart for each part of a device that has inputs with numbers, such as a trigger or a thumbstick.
    pub(super) fn inputs(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let mut parts: Vec<(String, Vec<DeviceInput>)> = Vec::new();
        for (input, _) in &analysis.channels.device_inputs {
            let is_drawn = self
                .devices
                .contains(Element::Input(input.device, input.input));
            // The dozens of values of the headset are drawn on request only.
            let is_of_headset = input.device == headset::name() && self.devices.is_all();
            if !is_drawn || is_of_headset || analysis.is_button(*input) {
                continue;
            }
            // `thumbstick/x` and `thumbstick/y` are drawn in one chart.
            let name = input.input.as_str();
            let (part, _) = name.split_once('/').unwrap_or((name, ""));
            // The linear and the angular velocity of a pose have different units.
            let part = VelocityVector::of(input.input).map_or_else(
                || format!("{}.{part}", input.device),
                |(VelocityVector { pose, kind }, _)| format!("{}.{pose}.{kind}", input.device),
            );
            match parts.iter_mut().find(|(name, _)| *name == part) {
                Some((_, inputs)) => inputs.push(*input),
                None => parts.push((part, vec![*input])),
            }
        }
        for (part, inputs) in parts {
            let colours = [
                palette.device(inputs[0].device),
                palette.head,
                palette.gaze,
                palette.damage,
            ];
            let values = inputs.iter().map(|input| {
                let values = analysis.channels.input(*input).unwrap_or_default();
                let name = input.to_string();
                let name = name.strip_prefix(&part).unwrap_or(&name);
                let name = name.trim_start_matches('.').to_owned();
                (name, values.iter().map(|value| f64::from(*value)).collect())
            });
            let values: Vec<(String, Vec<f64>)> = values.collect();
            let lines = values.iter().zip(colours.into_iter().cycle());
            let lines = lines.map(|((name, values), colour)| Line {
                name,
                colour,
                values,
                wraps: false,
            });
            let lines: Vec<Line<'_>> = lines.collect();
            self.curves(&Curves {
                panel: Panel::Inputs,
                titles: [&part, &part],
                lines: &lines,
                from_zero: true,
                bands: &[],
                events: "",
                thresholds: &[],
            });
            self.y += 16.0;
        }
    }
}
