//! Error bounds: options, and the check of a result against them.

use inputanim::Stream;
use inputanim::edit::Reduce;
use inputanim::reduce::{self, ErrorStatistics, StreamErrors};

use crate::arguments::values::{angle, length};
use crate::messages::outcome::Refusal;

/// The bounds. A missing one follows from the more general one, and that from the library's
/// default.
#[derive(Debug, clap::Args)]
pub(super) struct Bounds {
    /// Largest position error [default: 1mm; head and gaze 2mm]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    position: Option<f64>,
    /// Largest error of rotations and of the gaze direction [default: 0.2deg]
    #[arg(long, value_name = "ANGLE", value_parser = angle, allow_hyphen_values = true)]
    rotation: Option<f64>,
    /// Largest position error of the head [default: --position, or 2mm]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    head_position: Option<f64>,
    /// Largest rotation error of the head [default: --rotation]
    #[arg(long, value_name = "ANGLE", value_parser = angle, allow_hyphen_values = true)]
    head_rotation: Option<f64>,
    /// Largest error of the gaze origin [default: --position, or 2mm]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    gaze_origin: Option<f64>,
    /// Largest error of the gaze direction [default: --rotation]
    #[arg(long, value_name = "ANGLE", value_parser = angle, allow_hyphen_values = true)]
    gaze_direction: Option<f64>,
    /// Largest error of a point that is 3 cm from a joint or the head and rotates with it
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    point: Option<f64>,
    /// Largest error of inputs of devices with numbers, such as triggers (0 to 1) [default: 0.001]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    input: Option<f64>,
}

impl Bounds {
    /// Returns the options of a reduction with these bounds.
    pub(super) fn reduce(&self) -> Reduce {
        let mut reduce = Reduce::default();
        (reduce.position, reduce.rotation) = (self.position, self.rotation);
        (reduce.head_position, reduce.head_rotation) = (self.head_position, self.head_rotation);
        (reduce.gaze_origin, reduce.gaze_direction) = (self.gaze_origin, self.gaze_direction);
        (reduce.point, reduce.input) = (self.point, self.input);
        reduce
    }
}

/// A measured quantity. Units are metres and degrees, as in the library; inputs have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Position,
    Rotation,
    /// A point beside the joint, which moves with its rotation.
    Point,
    /// A number of an input of a device.
    Input,
}

impl Quantity {
    pub(super) fn name(self) -> &'static str {
        match self {
            Quantity::Position => "position",
            Quantity::Rotation => "rotation",
            Quantity::Point => "point",
            Quantity::Input => "input",
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Quantity::Position | Quantity::Point => "m",
            Quantity::Rotation => "deg",
            Quantity::Input => "",
        }
    }
}

/// The errors of a quantity of a stream, with their bound.
pub(super) struct Measured {
    pub(super) quantity: Quantity,
    /// The largest error allowed; infinite without a bound.
    pub(super) bound: f64,
    pub(super) errors: ErrorStatistics,
}

/// Returns the errors of a stream, with their bounds: one item for each quantity that was measured. `all` are the
/// bounds of all streams.
pub(super) fn measured(
    stream: &StreamErrors,
    all: &reduce::Bounds,
) -> impl Iterator<Item = Measured> {
    let bounds = match stream.stream {
        Stream::Head => all.head,
        Stream::Gaze => all.gaze,
        _ => all.joints,
    };
    let quantities = [
        (Quantity::Position, bounds.position, stream.position),
        (Quantity::Rotation, bounds.rotation, stream.rotation),
        (Quantity::Point, all.point, stream.point),
        (Quantity::Input, all.input, stream.input),
    ];
    let quantities = quantities.into_iter();
    quantities.filter_map(|(quantity, bound, errors)| {
        Some(Measured {
            quantity,
            bound,
            errors: errors?,
        })
    })
}

/// Fails if an error is above its bound.
///
/// The reduction guarantees its bounds. This check is independent of it: the errors are measured by playing both
/// recordings.
pub(super) fn refuse_beyond(streams: &[StreamErrors], all: &reduce::Bounds) -> anyhow::Result<()> {
    for stream in streams {
        for measured in measured(stream, all) {
            let Measured {
                quantity,
                bound,
                errors,
            } = measured;
            // Rotations are normalised before they are measured, which rounds.
            let rounding = match quantity {
                Quantity::Position | Quantity::Input => 0.0,
                Quantity::Rotation | Quantity::Point => 1e-6,
            };
            let largest = errors.largest;
            // The factor allows for rounding in double precision.
            if largest > bound * (1.0 + 1e-9) + rounding {
                let (name, what) = (stream.stream, quantity.name());
                let unit = match quantity.unit() {
                    "" => String::new(),
                    unit => format!(" {unit}"),
                };
                let at = errors.at;
                return Err(Refusal::failure(
                    format!(
                        "the {what} error of {name} would be {largest}{unit} at {at} s, above the \
                         bound of {bound}{unit}: nothing is written"
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
    use inputanim::reduce::{ErrorBounds, measure};
    use inputanim::{Layout, Pose, Recording};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bounds: Bounds,
    }

    fn bounds(line: &str) -> reduce::Bounds {
        let words = std::iter::once("x").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).unwrap();
        line.bounds.reduce().bounds()
    }

    #[test]
    fn the_default_bounds_are_those_of_the_library() {
        assert_eq!(bounds(""), Reduce::default().bounds());
    }

    #[test]
    fn a_general_bound_applies_where_there_is_no_specific_one() {
        let with = bounds("--position 5mm --gaze-origin 5cm --head-rotation 0.5deg");
        let of = |bounds: ErrorBounds| [bounds.position, bounds.rotation];
        assert_eq!(of(with.joints), [0.005, 0.2]);
        assert_eq!(of(with.head), [0.005, 0.5]);
        assert_eq!(of(with.gaze), [0.05, 0.2]);
        assert_eq!((with.input, bounds("--input 0.1").input), (0.001, 0.1));
    }

    #[test]
    fn an_error_above_its_bound_is_refused() {
        let take = |height: f32| {
            let mut take = Recording::new(Layout::Mrtk1_1);
            take.head_mut().push(0.0, &Pose::at([0.0, height, 0.0]));
            take
        };
        let measured = measure(&take(1.6), &take(1.601)).unwrap();
        let refused = |line: &str| refuse_beyond(&measured, &bounds(line)).err();
        assert!(refused("").is_none());
        for line in ["--position 0.9mm", "--point 0.9mm"] {
            let error = refused(line).unwrap().to_string();
            assert!(error.contains("nothing is written"), "{error}");
        }
    }
}
