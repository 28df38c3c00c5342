//! A planned motion, and its frames.

use inputanim::{Frame, Layout, Recorder, Recording, Side};

use crate::dice::{Dice, Stream};
use crate::eyes::Eyes;
use crate::hand::Hand;
use crate::head::Head;
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
    /// The longest motion, in seconds: one day. Much later, an `f32` cannot tell frames apart.
    pub const LONGEST: f32 = 86_400.0;

    /// Plans a motion of so many seconds, which takes time and memory by the number of its
    /// gestures.
    ///
    /// A length below 0 or not a number is taken as 0, one beyond [`LONGEST`](Self::LONGEST) as
    /// that.
    pub fn new(scene: Scene, seed: u64, seconds: f32) -> Motion {
        let seconds = within(seconds, Motion::LONGEST);
        let skeleton = Skeleton::new(Dice::new(seed, Stream::Body).between(0.93, 1.07));
        let script = Script::plan(scene, seed, seconds, &skeleton);
        let hand = |side, script, stream| Hand::new(side, script, &mut Dice::new(seed, stream));
        Motion {
            seconds,
            head: Head::new(script.facing, &mut Dice::new(seed, Stream::Head)),
            eyes: Eyes::new(script.targets, &mut Dice::new(seed, Stream::Eyes)),
            left: hand(Side::Left, script.left, Stream::LeftHand),
            right: hand(Side::Right, script.right, Stream::RightHand),
            markers: script.markers,
            skeleton,
        }
    }

    /// How long it is.
    pub fn seconds(&self) -> f32 {
        self.seconds
    }

    /// What can be seen at a time, in seconds from the start.
    ///
    /// Before the start and after the end everything stands still.
    pub fn frame_at(&self, time: f32) -> Frame {
        let now = f64::from(within(time, self.seconds));
        let head = self.head.at(now);
        Frame {
            time,
            camera: Some(head.pose()),
            left: self.left.frame_at(now, &self.skeleton),
            right: self.right.frame_at(now, &self.skeleton),
            gaze: Some(self.eyes.ray_at(now, &head)),
        }
    }

    /// What happens when, in order: the times and names of
    ///
    /// - `wave`: a hand is up and begins to swing;
    /// - `reach`: a hand sets out for a target, to which the eyes have already jumped;
    /// - `touch`: an index finger arrives there;
    /// - `pinch` and `release`: thumb and index tip have come together, and part again;
    /// - `rest`: a hand begins to sink out of view.
    pub fn markers(&self) -> &[(f32, &'static str)] {
        &self.markers
    }

    /// The frames at `rate` per second from 0 to the end, which is among them if it falls on one.
    ///
    /// Times grow: a frame whose time an `f32` cannot tell from the one before is left out. A
    /// rate that is not above 0 gives the frame at 0 only, one above a million is taken as that.
    pub fn frames(&self, rate: f32) -> impl Iterator<Item = Frame> {
        times(rate, self.seconds).map(|time| self.frame_at(time))
    }

    /// The [frames](Self::frames) at `rate` per second and the markers as a recording in memory.
    ///
    /// What the layout has no place for is left out, gaze in version 1.0 and markers in the
    /// documented layouts, so that the recording can be written in it. An hour at 60 Hz takes
    /// about half a gigabyte in the layouts with simple keys, and 3.5 times that in the others.
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

/// The nearest number from 0 to `most`; 0 for what is no number.
fn within(number: f32, most: f32) -> f32 {
    if number > 0.0 { number.min(most) } else { 0.0 }
}

fn times(rate: f32, seconds: f32) -> impl Iterator<Item = f32> {
    const HIGHEST: f32 = 1e6;
    let rate = f64::from(within(rate, HIGHEST));
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
    fn times_are_multiples_of_the_interval_up_to_and_with_the_end() {
        let all: Vec<f32> = times(4.0, 1.0).collect();
        assert_eq!(all, [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(times(60.0, 3600.0).count(), 3600 * 60 + 1);
    }

    #[test]
    fn times_too_close_to_tell_apart_are_left_out() {
        // From 16 s on, an `f32` counts in steps of 1.9 microseconds.
        let mut before = -1.0;
        for time in times(f32::INFINITY, 16.1) {
            assert!(time > before, "{time}");
            before = time;
        }
    }

    #[test]
    fn a_rate_that_is_no_rate_gives_one_frame() {
        for rate in [0.0, -60.0, f32::NAN, f32::NEG_INFINITY] {
            assert_eq!(times(rate, 10.0).collect::<Vec<_>>(), [0.0], "{rate}");
        }
        assert_eq!(times(60.0, 0.0).collect::<Vec<_>>(), [0.0]);
    }
}
