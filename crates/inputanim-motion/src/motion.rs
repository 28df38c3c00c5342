//! A planned motion and its frames.

use inputanim::{Frame, Layout, Recorder, Recording, Side};

use crate::eyes::Eyes;
use crate::hand::Hand;
use crate::head::Head;
use crate::random::{RandomStream, SeededRandom};
use crate::scene::Scene;
use crate::script::Script;
use crate::skeleton::Skeleton;

/// The motion of a head, two eyes and two hands, planned from a seed.
///
/// ```
/// use inputanim_motion::{Motion, Scene};
/// let motion = Motion::new(Scene::PinchDrag, 1, 5.0);
/// let (time, _) = motion.markers().iter().find(|(_, name)| *name == "pinch").unwrap();
/// assert!(motion.frame_at(time + 0.01).right.pinching);
/// ```
#[derive(Clone, Debug)]
pub struct Motion {
    seconds: f32,
    skeleton: Skeleton,
    head: Head,
    eyes: Eyes,
    left: Hand,
    right: Hand,
    markers: Vec<(f32, &'static str)>,
}

impl Motion {
    /// The longest motion, in seconds: one day. Single precision cannot separate frames much later.
    pub const MAX_SECONDS: f32 = 86_400.0;

    /// Plans a motion of a length in seconds. Time and memory grow with the number of its gestures.
    ///
    /// Lengths are clamped to 0 and [`MAX_SECONDS`](Self::MAX_SECONDS); NaN counts as 0.
    pub fn new(scene: Scene, seed: u64, seconds: f32) -> Motion {
        let seconds = clamp(seconds, Motion::MAX_SECONDS);
        let skeleton =
            Skeleton::new(SeededRandom::new(seed, RandomStream::Body).between(0.93, 1.07));
        let script = Script::plan(scene, seed, seconds, &skeleton);
        let hand =
            |side, script, stream| Hand::new(side, script, &mut SeededRandom::new(seed, stream));
        Motion {
            seconds,
            head: Head::new(
                script.facing,
                &mut SeededRandom::new(seed, RandomStream::Head),
            ),
            eyes: Eyes::new(
                script.targets,
                &mut SeededRandom::new(seed, RandomStream::Eyes),
            ),
            left: hand(Side::Left, script.left, RandomStream::LeftHand),
            right: hand(Side::Right, script.right, RandomStream::RightHand),
            markers: script.markers,
            skeleton,
        }
    }

    /// Returns the length of the motion in seconds.
    pub fn seconds(&self) -> f32 {
        self.seconds
    }

    /// Returns the frame at a time, in seconds from the start.
    ///
    /// Before the start and after the end nothing moves.
    pub fn frame_at(&self, time: f32) -> Frame {
        let now = f64::from(clamp(time, self.seconds));
        let head = self.head.at(now);
        Frame {
            time,
            head: Some(head.pose()),
            left: self.left.frame_at(now, &self.skeleton),
            right: self.right.frame_at(now, &self.skeleton),
            gaze: Some(self.eyes.ray_at(now, &head)),
            ..Frame::default()
        }
    }

    /// Returns the times in seconds and the names of events, in order:
    ///
    /// - `wave`: a hand is up and begins to swing;
    /// - `reach`: a hand starts to move to a target, which the eyes already fixate;
    /// - `touch`: an index finger arrives at its target;
    /// - `pinch` and `release`: the tips of thumb and index finger meet, and separate again;
    /// - `rest`: a hand begins to move out of view.
    pub fn markers(&self) -> &[(f32, &'static str)] {
        &self.markers
    }

    /// Returns the start and the end of every saccade in seconds, in order. Between two saccades the eyes
    /// fixate a point of the world.
    pub fn saccades(&self) -> impl Iterator<Item = (f64, f64)> {
        self.eyes.saccades()
    }

    /// Returns the start and the end in seconds of every planned movement of a hand's wrist, in order. The
    /// swings of a waving forearm are not included. The hand may be out of view.
    pub fn movements(&self, side: Side) -> impl Iterator<Item = (f64, f64)> {
        self.hand(side).movements()
    }

    /// Returns the start and the end of every pinch of a hand in seconds, in order.
    pub fn pinches(&self, side: Side) -> impl Iterator<Item = (f64, f64)> {
        self.hand(side).pinches()
    }

    fn hand(&self, side: Side) -> &Hand {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns the frames at a rate in Hz from 0 to the end, including the end if a frame falls on
    /// it.
    ///
    /// Times increase: frames whose times coincide in single precision are skipped. A rate of 0 or
    /// less, or NaN, gives only the frame at 0; rates are limited to a million.
    pub fn frames(&self, rate: f32) -> impl Iterator<Item = Frame> {
        times(rate, self.seconds).map(|time| self.frame_at(time))
    }

    /// Records the [frames](Self::frames) at a rate in Hz, and the markers, in a layout.
    ///
    /// Gaze is not recorded in version 1.0, and markers are not recorded in the documented layouts, so that the
    /// recording can be written in its layout. An hour at 60 Hz takes about half a gigabyte in layouts with simple
    /// keys, and 3.5 times as much in the others.
    pub fn record(&self, rate: f32, layout: Layout) -> Recording<'static> {
        let mut recorder = Recorder::new(layout);
        for mut frame in self.frames(rate) {
            frame.gaze = frame.gaze.filter(|_| layout.has_flags());
            recorder
                .push(&frame)
                .expect("times grow from frame to frame");
        }
        if layout.has_markers() {
            for &(time, name) in &self.markers {
                recorder.mark(time, name).expect("times are finite");
            }
        }
        recorder.finish()
    }
}

/// Clamps a number to the range from 0 to `max`; NaN becomes 0.
fn clamp(number: f32, max: f32) -> f32 {
    if number > 0.0 { number.min(max) } else { 0.0 }
}

fn times(rate: f32, seconds: f32) -> impl Iterator<Item = f32> {
    const HIGHEST: f32 = 1e6;
    let rate = f64::from(clamp(rate, HIGHEST));
    let mut before = None;
    std::iter::once(0.0)
        .chain((1_u64..).map(move |step| (step as f64 / rate) as f32))
        .take_while(move |&time| time <= seconds)
        .filter(move |&time| before.replace(time) != Some(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_multiples_of_the_interval_including_the_end() {
        let all: Vec<f32> = times(4.0, 1.0).collect();
        assert_eq!(all, [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(times(60.0, 3600.0).count(), 3600 * 60 + 1);
    }

    #[test]
    fn coinciding_times_are_skipped() {
        // From 16 s on, single-precision times are 1.9 microseconds apart.
        let mut before = -1.0;
        for time in times(f32::INFINITY, 16.1) {
            assert!(time > before, "{time}");
            before = time;
        }
    }

    #[test]
    fn invalid_rate_gives_one_frame() {
        for rate in [0.0, -60.0, f32::NAN, f32::NEG_INFINITY] {
            assert_eq!(times(rate, 10.0).collect::<Vec<_>>(), [0.0], "{rate}");
        }
        assert_eq!(times(60.0, 0.0).collect::<Vec<_>>(), [0.0]);
    }
}
