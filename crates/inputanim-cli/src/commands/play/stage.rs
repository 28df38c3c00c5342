//! Where the take happens, and from where it is seen.

use clap::ValueEnum;
use inputanim::{Frame, Pose, Sampler, Side, Span};

/// From where to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// As the user sees it: right is right, up is up.
    #[default]
    Front,
    /// From above: right is right, forward is up.
    Top,
    /// From the user's right: forward is right, up is up.
    Side,
}

impl View {
    pub(super) fn next(self) -> View {
        match self {
            View::Front => View::Top,
            View::Top => View::Side,
            View::Side => View::Front,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            View::Front => "front: as the user sees it",
            View::Top => "top: forward is up",
            View::Side => "side: forward is right",
        }
    }

    /// A position or direction as it is drawn: to the right and up.
    pub(super) fn project(self, position: [f32; 3]) -> [f64; 2] {
        let [x, y, z] = position.map(f64::from);
        match self {
            View::Front => [x, y],
            View::Top => [x, z],
            View::Side => [z, y],
        }
    }
}

/// The box in which a take happens, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    least: [f32; 3],
    greatest: [f32; 3],
}

impl Default for Stage {
    /// Room for what is not there.
    fn default() -> Self {
        Stage {
            least: [-1.0; 3],
            greatest: [1.0; 3],
        }
    }
}

/// How much of the line of sight is shown, in metres.
pub(super) const GAZE: f32 = 0.4;

/// The place so far along a direction.
pub(super) fn along(from: [f32; 3], direction: [f32; 3], length: f32) -> [f32; 3] {
    std::array::from_fn(|axis| from[axis] + direction[axis] * length)
}

/// Room around what moves, in metres.
const MARGIN: f32 = 0.1;

/// Instants at which a take is looked at to find its box.
const INSTANTS: f64 = 256.0;

impl Stage {
    /// The box of a part of a recording, with the head or without.
    pub(super) fn of(sampler: &Sampler, range: Span, with_head: bool) -> Option<Stage> {
        let mut stage = Stage {
            least: [f32::INFINITY; 3],
            greatest: [f32::NEG_INFINITY; 3],
        };
        let rate = INSTANTS / f64::from(range.length()).max(1e-3);
        for frame in sampler.frames(range.times_at(rate)) {
            let head = frame.camera.filter(|_| with_head);
            let poses = joints(&frame).chain(head);
            poses.for_each(|pose| stage.include(pose.position));
            if let Some(gaze) = frame.gaze.filter(|_| with_head) {
                stage.include(gaze.origin);
                stage.include(along(gaze.origin, gaze.direction, GAZE));
            }
        }
        if stage.least[0] > stage.greatest[0] {
            return None;
        }
        stage.least = stage.least.map(|bound| bound - MARGIN);
        stage.greatest = stage.greatest.map(|bound| bound + MARGIN);
        Some(stage)
    }

    fn include(&mut self, position: [f32; 3]) {
        let bounds = self.least.iter_mut().zip(&mut self.greatest);
        for ((least, greatest), place) in bounds.zip(position) {
            if place.is_finite() {
                *least = least.min(place);
                *greatest = greatest.max(place);
            }
        }
    }

    /// The bounds of a picture of so many columns and rows of characters that shows the box in a
    /// view, and the metres of a column. Characters are twice as high as they are wide.
    pub(super) fn bounds(&self, view: View, columns: u16, rows: u16) -> ([[f64; 2]; 2], f64) {
        let (low, high) = (view.project(self.least), view.project(self.greatest));
        let squares = [f64::from(columns.max(1)), 2.0 * f64::from(rows.max(1))];
        let scale = |axis: usize| (high[axis] - low[axis]) / squares[axis];
        let scale = scale(0).max(scale(1));
        let bounds = [0, 1].map(|axis| {
            let middle = (low[axis] + high[axis]) / 2.0;
            let half = squares[axis] * scale / 2.0;
            [middle - half, middle + half]
        });
        (bounds, scale)
    }
}

/// Every joint that a frame has.
fn joints(frame: &Frame) -> impl Iterator<Item = Pose> {
    Side::BOTH.into_iter().flat_map(|side| {
        let joints = frame.hand(side).joints.iter();
        // The entry `None` is no joint of a hand.
        joints.skip(1).filter_map(|(_, pose)| *pose)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metre_is_as_long_across_as_upwards() {
        let stage = Stage {
            least: [-1.0, 0.0, 0.0],
            greatest: [1.0, 2.0, 1.0],
        };
        for (columns, rows) in [(80, 10), (20, 40), (0, 0)] {
            let ([across, up], scale) = stage.bounds(View::Front, columns, rows);
            assert!(across[0] <= -1.0 && across[1] >= 1.0);
            assert!(up[0] <= 0.0 && up[1] >= 2.0);
            let width = (across[1] - across[0]) / f64::from(columns.max(1));
            let height = (up[1] - up[0]) / f64::from(rows.max(1));
            assert!((height - 2.0 * width).abs() < 1e-9);
            assert!((width - scale).abs() < 1e-9);
        }
    }
}
