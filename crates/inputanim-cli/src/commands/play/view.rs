//! The directions to look from, and the bounds of what is visible.

use clap::ValueEnum;
use inputanim::{Frame, Pose, Sampler, Side, TimeRange};

/// The direction from which the scene is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// As the user sees it: +X to the right, +Y up
    #[default]
    Front,
    /// From above: +X to the right, forward (+Z) up
    Top,
    /// From the user's right: forward (+Z) to the right, +Y up
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

    /// Projects a position or direction orthogonally onto the plane of the picture. Returns the coordinates to the
    /// right and up.
    pub(super) fn project(self, position: [f32; 3]) -> [f64; 2] {
        let [x, y, z] = position.map(f64::from);
        match self {
            View::Front => [x, y],
            View::Top => [x, z],
            View::Side => [z, y],
        }
    }
}

/// An axis-aligned box around everything that moves, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SceneBounds {
    least: [f32; 3],
    greatest: [f32; 3],
}

impl Default for SceneBounds {
    /// Returns a box of 2 m around the origin, for a recording without poses.
    fn default() -> Self {
        SceneBounds {
            least: [-1.0; 3],
            greatest: [1.0; 3],
        }
    }
}

/// The length of the line that shows the gaze, in metres.
pub(super) const GAZE: f32 = 0.4;

/// Returns the point at a distance of `length` from `from`, along a unit vector.
pub(super) fn along(from: [f32; 3], direction: [f32; 3], length: f32) -> [f32; 3] {
    std::array::from_fn(|axis| from[axis] + direction[axis] * length)
}

/// The margin around everything that moves, in metres.
const MARGIN: f32 = 0.1;

/// The number of samples from which bounds are computed.
const INSTANTS: f64 = 256.0;

impl SceneBounds {
    /// Returns the bounds of all joints and devices within a time range, with a margin. If `with_head` is true, they include the
    /// head and the gaze. `None` if there are no poses.
    pub(super) fn of(sampler: &Sampler, range: TimeRange, with_head: bool) -> Option<SceneBounds> {
        let mut bounds = SceneBounds {
            least: [f32::INFINITY; 3],
            greatest: [f32::NEG_INFINITY; 3],
        };
        // A recording of one instant has length 0.
        let rate = INSTANTS / f64::from(range.length()).max(1e-3);
        for frame in sampler.frames(range.times_at(rate)) {
            let head = frame.head.filter(|_| with_head);
            let poses = joints(&frame).chain(head);
            poses.for_each(|pose| bounds.include(pose.position));
            let devices = frame.devices.iter().flat_map(|device| &device.poses);
            devices.for_each(|(_, pose)| bounds.include(pose.position));
            if let Some(gaze) = frame.gaze.filter(|_| with_head) {
                bounds.include(gaze.origin);
                bounds.include(along(gaze.origin, gaze.direction, GAZE));
            }
        }
        if bounds.least[0] > bounds.greatest[0] {
            return None;
        }
        bounds.least = bounds.least.map(|limit| limit - MARGIN);
        bounds.greatest = bounds.greatest.map(|limit| limit + MARGIN);
        Some(bounds)
    }

    fn include(&mut self, position: [f32; 3]) {
        let bounds = self.least.iter_mut().zip(&mut self.greatest);
        for ((least, greatest), coordinate) in bounds.zip(position) {
            // Values may be NaN or infinite (docs/format.md 3.6). A single infinite coordinate would make the bounds,
            // and so the scale of the picture, infinite.
            if coordinate.is_finite() {
                *least = least.min(coordinate);
                *greatest = greatest.max(coordinate);
            }
        }
    }

    /// Returns the ranges of the picture to the right and up, in metres, and the metres per column. The picture has
    /// `columns` and `rows` characters, which are twice as high as wide.
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

/// Returns the poses of all joints of both hands in a frame.
fn joints(frame: &Frame) -> impl Iterator<Item = Pose> {
    Side::BOTH.into_iter().flat_map(|side| {
        let joints = frame.hand(side).joints.iter();
        // The first entry is `Joint::None`, which is no part of a hand (docs/format.md 4.3).
        joints.skip(1).filter_map(|(_, pose)| *pose)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metre_is_as_long_across_as_upwards() {
        let scene = SceneBounds {
            least: [-1.0, 0.0, 0.0],
            greatest: [1.0, 2.0, 1.0],
        };
        for (columns, rows) in [(80, 10), (20, 40), (0, 0)] {
            let ([across, up], scale) = scene.bounds(View::Front, columns, rows);
            assert!(across[0] <= -1.0 && across[1] >= 1.0);
            assert!(up[0] <= 0.0 && up[1] >= 2.0);
            let width = (across[1] - across[0]) / f64::from(columns.max(1));
            let height = (up[1] - up[0]) / f64::from(rows.max(1));
            assert!((height - 2.0 * width).abs() < 1e-9);
            assert!((width - scale).abs() < 1e-9);
        }
    }
}
