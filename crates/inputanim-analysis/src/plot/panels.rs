//! The panels with curves: speeds, apertures and gaze.

use inputanim::Side;

use super::Panel;
use super::figure::{Band, Curves, Figure, Line};
use crate::channels::{angle_up, heading};

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
}
