//! How far what plays may be off, as it is asked for.

use inputanim::Stream;
use inputanim::reduce::{Bounds, Errors, Method, Reduction, StreamErrors};

use crate::commands::diff::tolerance;
use crate::outcome::Refusal;

/// What is not given follows from what is more general, and that from the toolkit's thresholds.
#[derive(Debug, clap::Args)]
pub(super) struct Allowed {
    /// How far positions may be off, in millimetres [default: 1, and 2 of head and gaze]
    #[arg(long, value_name = "MM", value_parser = tolerance, allow_negative_numbers = true)]
    position_mm: Option<f64>,
    /// How far rotations and the gaze's direction may be off, in degrees [default: 0.2]
    #[arg(long, value_name = "DEG", value_parser = tolerance, allow_negative_numbers = true)]
    rotation_deg: Option<f64>,
    /// How far the head's position may be off [default: as --position-mm, or 2]
    #[arg(long, value_name = "MM", value_parser = tolerance, allow_negative_numbers = true)]
    camera_position_mm: Option<f64>,
    /// How far the head's rotation may be off [default: as --rotation-deg]
    #[arg(long, value_name = "DEG", value_parser = tolerance, allow_negative_numbers = true)]
    camera_rotation_deg: Option<f64>,
    /// How far the gaze's origin may be off [default: as --position-mm, or 2]
    #[arg(long, value_name = "MM", value_parser = tolerance, allow_negative_numbers = true)]
    gaze_origin_mm: Option<f64>,
    /// How far the gaze's direction may be off [default: as --rotation-deg]
    #[arg(long, value_name = "DEG", value_parser = tolerance, allow_negative_numbers = true)]
    gaze_direction_deg: Option<f64>,
    /// How far a point 3 cm off a joint or the head, which turns with it, may be off
    #[arg(long, value_name = "MM", value_parser = tolerance, allow_negative_numbers = true)]
    point_mm: Option<f64>,
}

impl Allowed {
    pub(super) fn reduction(&self, method: Method, tangents: bool) -> Reduction {
        let default = Reduction::default();
        let bounds = |mm: Option<f64>, degrees: Option<f64>, default: Bounds| {
            let mm = mm.or(self.position_mm);
            Bounds {
                metres: mm.map_or(default.metres, |mm| mm / 1000.0),
                degrees: degrees.or(self.rotation_deg).unwrap_or(default.degrees),
            }
        };
        Reduction {
            camera: bounds(
                self.camera_position_mm,
                self.camera_rotation_deg,
                default.camera,
            ),
            joints: bounds(None, None, default.joints),
            gaze: bounds(self.gaze_origin_mm, self.gaze_direction_deg, default.gaze),
            point: self.point_mm.map_or(default.point, |mm| mm / 1000.0),
            method,
            tangents,
        }
    }
}

/// A quantity of a stream that was measured, and how large it may be.
pub(super) struct Measured {
    /// `position`, `rotation` or `point`.
    pub(super) quantity: &'static str,
    /// `mm` or `deg`.
    pub(super) unit: &'static str,
    /// In that unit; infinite where none was asked for.
    pub(super) bound: f64,
    /// What makes metres or degrees numbers of the unit.
    pub(super) scale: f64,
    pub(super) errors: Errors,
}

/// What was measured of a stream, beside its bounds.
pub(super) fn measured(of: &StreamErrors, with: &Reduction) -> Vec<Measured> {
    let bounds = match of.stream {
        Stream::Camera => with.camera,
        Stream::Gaze => with.gaze,
        _ => with.joints,
    };
    let quantities = [
        ("position", "mm", 1000.0, bounds.metres, of.position),
        ("rotation", "deg", 1.0, bounds.degrees, of.rotation),
        ("point", "mm", 1000.0, with.point, of.point),
    ];
    let there = quantities.into_iter().filter_map(|quantity| {
        let (quantity, unit, scale, bound, errors) = quantity;
        Some(Measured {
            quantity,
            unit,
            bound: bound * scale,
            scale,
            errors: errors?,
        })
    });
    there.collect()
}

/// Refuses what is out of bounds. That cannot be; it is measured all the same, with nothing of how
/// keys were chosen, so that nobody needs to believe it.
pub(super) fn refuse_beyond(streams: &[StreamErrors], with: &Reduction) -> anyhow::Result<()> {
    for stream in streams {
        for measured in measured(stream, with) {
            let Measured { bound, scale, .. } = measured;
            // What measures has to normalise first, and that rounds.
            let rounding = match measured.quantity {
                "position" => 0.0,
                _ => 1e-6 * scale,
            };
            let largest = measured.errors.largest * scale;
            if largest > bound * (1.0 + 1e-9) + rounding {
                let (name, quantity, unit) = (stream.stream, measured.quantity, measured.unit);
                let at = measured.errors.at;
                return Err(Refusal::failure(
                    format!(
                        "a {quantity} of {name} would be {largest} {unit} off at {at} s, \
                         beyond the bound of {bound}: nothing is written"
                    ),
                    "this is a defect of inputanim: please report it with the recording",
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use inputanim::reduce::measure;
    use inputanim::{Layout, Pose, Recording};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        allowed: Allowed,
    }

    fn reduction(line: &str) -> Reduction {
        let words = std::iter::once("x").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).unwrap();
        line.allowed.reduction(Method::default(), false)
    }

    #[test]
    fn without_a_word_bounds_are_those_of_the_toolkit() {
        assert_eq!(reduction(""), Reduction::default());
    }

    #[test]
    fn a_bound_is_of_everything_but_of_what_has_one_of_its_own() {
        let with = reduction("--position-mm 5 --gaze-origin-mm 50 --camera-rotation-deg 0.5");
        let of = |metres, degrees| Bounds { metres, degrees };
        assert_eq!(with.joints, of(0.005, 0.2));
        assert_eq!(with.camera, of(0.005, 0.5));
        assert_eq!(with.gaze, of(0.05, 0.2));
    }

    #[test]
    fn what_is_out_of_bounds_is_refused() {
        let take = |height: f32| {
            let mut take = Recording::new(Layout::Mrtk1_1);
            take.camera_mut().push(0.0, &Pose::at([0.0, height, 0.0]));
            take
        };
        let measured = measure(&take(1.6), &take(1.601)).unwrap();
        let refused = |line: &str| refuse_beyond(&measured, &reduction(line)).err();
        assert!(refused("").is_none());
        for line in ["--position-mm 0.9", "--point-mm 0.9"] {
            let error = refused(line).unwrap().to_string();
            assert!(error.contains("nothing is written"), "{error}");
        }
    }
}
