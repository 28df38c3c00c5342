//! Plans the gestures of one hand.
//!
//! All places are those of a right hand. A left one is mirrored when it is shown, and the places
//! that the eyes look at for it are mirrored here.

use glam::{Quat, Vec3};
use inputanim::{Joint, Side};

use crate::dice::Dice;
use crate::ease::MIN_JERK_PEAK;
use crate::grip::Shape;
use crate::hand::{HandScript, Stop, Swing};
use crate::head::EYES;
use crate::placement::{Placement, turned};
use crate::script::Gesture;
use crate::script::attention::Attention;
use crate::skeleton::Skeleton;
use crate::spans::Spans;
use crate::track::Track;

pub(crate) type Markers = Vec<(f64, &'static str)>;

/// Plans the gestures of one hand, one after the other.
pub(crate) struct Planner<'a> {
    pub(crate) side: Side,
    /// When the hand can begin its next gesture.
    pub(crate) free: f64,
    /// Gestures so far.
    pub(crate) gestures: usize,
    /// Gestures since it last was out of view.
    pub(crate) since_rest: usize,
    skeleton: &'a Skeleton,
    script: HandScript,
    /// Since when it is out of view.
    unseen_since: Option<f64>,
}

impl<'a> Planner<'a> {
    /// A hand that is up and free at a time.
    pub(crate) fn in_view(side: Side, skeleton: &'a Skeleton, free: f64) -> Planner<'a> {
        let wrist = Placement {
            position: Vec3::new(0.19, 1.27, 0.28),
            rotation: turned(-8.0, -12.0, -30.0),
        };
        Planner::at(wrist, None, side, skeleton, free)
    }

    /// A hand that is down, and free at a time.
    pub(crate) fn out_of_view(side: Side, skeleton: &'a Skeleton, free: f64) -> Planner<'a> {
        Planner::at(resting_place(), Some(0.0), side, skeleton, free)
    }

    fn at(
        wrist: Placement,
        unseen_since: Option<f64>,
        side: Side,
        skeleton: &'a Skeleton,
        free: f64,
    ) -> Planner<'a> {
        let detour = Vec3::ZERO;
        Planner {
            side,
            free,
            gestures: 0,
            since_rest: 0,
            skeleton,
            script: HandScript {
                path: Track::new(Stop { wrist, detour }),
                shapes: Track::new(Shape::Relaxed),
                swings: Vec::new(),
                pinches: Spans::default(),
                unseen: Spans::default(),
            },
            unseen_since,
        }
    }

    /// The script, once all gestures are planned.
    pub(crate) fn finish(mut self) -> HandScript {
        if let Some(since) = self.unseen_since {
            self.script.unseen.push(since, f64::INFINITY);
        }
        self.script
    }

    /// Adds a gesture as soon as the hand, and the eyes if it needs them, are free.
    pub(crate) fn add(
        &mut self,
        gesture: Gesture,
        dice: &mut Dice,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        self.gestures += 1;
        self.since_rest += 1;
        match gesture {
            Gesture::Wave { seconds } => self.wave(seconds, dice, attention, markers),
            Gesture::PinchDrag => self.pinch_drag(dice, attention, markers),
            Gesture::Reach => self.reach(dice, attention, markers),
            Gesture::Rest { seconds } => self.rest(seconds, dice, markers),
        }
    }

    /// Raises the open hand beside the head and swings the forearm.
    fn wave(
        &mut self,
        seconds: f32,
        dice: &mut Dice,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        let wrist = Placement {
            position: Vec3::new(
                dice.between(0.26, 0.34),
                dice.between(1.45, 1.55),
                dice.between(0.28, 0.36),
            ),
            // Fingers up, palm forward, leaning out a little.
            rotation: turned(0.0, dice.between(-84.0, -72.0), 0.0)
                * turned(dice.between(2.0, 10.0), 0.0, 0.0),
        };
        let start = self.free;
        let up = self.go(start, 0.6, wrist, Vec3::new(0.02, 0.0, 0.05), dice);
        self.shape(start + 0.15, 0.4, Shape::Open);
        let end = up + f64::from(seconds);
        self.script.swings.push(Swing {
            start: up,
            end,
            hertz: dice.between(1.5, 1.9),
            degrees: dice.between(19.0, 25.0),
        });
        markers.push((up, "wave"));
        let greeted = Vec3::new(dice.between(-0.3, 0.6), 1.6, dice.between(1.5, 2.5));
        let greeting = up + 0.8;
        if attention.is_idle(start, greeting) {
            attention.look(start, greeting, self.seen(greeted));
        }
        self.shape(end, 0.4, Shape::Relaxed);
        self.free = end + f64::from(dice.between(0.1, 0.4));
    }

    /// Touches something with the index finger, the eyes leading.
    fn reach(&mut self, dice: &mut Dice, attention: &mut Attention, markers: &mut Markers) {
        let here = self.script.path.last().wrist.position;
        let (target, wrist) = loop {
            let (target, rotation) = touch(dice);
            let wrist = self.wrist_for(target, rotation, Shape::Point);
            if (wrist.position - here).length() > 0.1 {
                break (target, wrist);
            }
        };
        let (jump, start) = self.set_out(dice, attention, markers);
        let detour = Vec3::new(0.0, dice.between(0.01, 0.04), 0.0);
        let there = self.go(start, 0.5, wrist, detour, dice);
        self.shape(start, 0.7 * (there - start) as f32, Shape::Point);
        markers.push((there, "touch"));
        let held = there + f64::from(dice.between(0.25, 0.7));
        attention.look(jump, held, self.seen(target));
        self.shape(held, 0.3, Shape::Relaxed);
        self.free = held + f64::from(dice.between(0.15, 0.5));
    }

    /// Takes something between thumb and index finger and drags it, the eyes leading.
    fn pinch_drag(&mut self, dice: &mut Dice, attention: &mut Attention, markers: &mut Markers) {
        let [from, to] = drag_ends(dice);
        let rotation = turned(
            dice.between(-25.0, -5.0),
            dice.between(-20.0, -5.0),
            dice.between(-45.0, -25.0),
        );
        let turn = turned(dice.between(-8.0, 8.0), dice.between(-6.0, 6.0), 0.0);
        let wrist_at_first = self.wrist_for(from, rotation, Shape::Pinch);
        let wrist_at_last = self.wrist_for(to, turn * rotation, Shape::Pinch);

        let (jump, start) = self.set_out(dice, attention, markers);
        let detour = Vec3::new(0.0, dice.between(0.01, 0.04), 0.0);
        let there = self.go(start, 0.5, wrist_at_first, detour, dice);
        self.shape(start, 0.6 * (there - start) as f32, Shape::Ready);
        let closed = self.shape(there - 0.05, dice.between(0.15, 0.3), Shape::Pinch);

        let off = closed + f64::from(dice.between(0.08, 0.2));
        let detour = Vec3::new(0.0, dice.between(-0.02, 0.03), dice.between(-0.03, 0.02));
        let arrived = self.go(off, dice.between(0.7, 1.1), wrist_at_last, detour, dice);
        let release = arrived + f64::from(dice.between(0.08, 0.25));
        self.shape(release, 0.2, Shape::Ready);
        let relaxed = self.shape(release + 0.3, 0.3, Shape::Relaxed);
        // A frame at the marker's time, an f32, must find the pinch as the marker says.
        let [closed, release] = [closed, release].map(|time| f64::from(time as f32));
        self.script.pinches.push(closed, release);
        markers.push((closed, "pinch"));
        markers.push((release, "release"));

        attention.look(jump, release, self.seen(from));
        let ahead = off - 0.1;
        if attention.free_from(ahead) == ahead {
            attention.look(ahead, release, self.seen(to));
        }
        self.free = relaxed - 0.2 + f64::from(dice.between(0.1, 0.4));
    }

    /// Lowers the hand out of view for some seconds.
    fn rest(&mut self, seconds: f32, dice: &mut Dice, markers: &mut Markers) {
        if self.unseen_since.is_none() {
            let start = self.free;
            markers.push((start, "rest"));
            self.shape(start, 0.4, Shape::Relaxed);
            let detour = Vec3::new(0.03, 0.0, 0.05);
            self.free = self.go(start, 0.6, resting_place(), detour, dice);
            self.unseen_since = Some(self.crossing(start, self.free));
        }
        self.free += f64::from(seconds);
        self.since_rest = 0;
    }

    /// When the eyes jump to the next target, and when the hand sets out for it.
    fn set_out(&self, dice: &mut Dice, attention: &Attention, markers: &mut Markers) -> (f64, f64) {
        let lead = f64::from(dice.between(0.2, 0.3));
        let jump = attention.free_from(self.free - lead);
        markers.push((jump + lead, "reach"));
        (jump, jump + lead)
    }

    /// Moves the wrist in no less than some seconds, and slowly enough; returns when it is there.
    fn go(&mut self, start: f64, least: f32, to: Placement, detour: Vec3, dice: &mut Dice) -> f64 {
        /// From the wrist to the finger tips, which a turn moves as well.
        const HAND: f32 = 0.2;
        let mut wrist = to;
        let from = self.script.path.last().wrist;
        // Of the two quaternions of a rotation, the one that leads there without a spin.
        if from.rotation.dot(wrist.rotation) < 0.0 {
            wrist.rotation = -wrist.rotation;
        }
        let way = (wrist.position - from.position).length()
            + 1.5 * detour.length()
            + HAND * from.rotation.angle_between(wrist.rotation);
        let top_speed = dice.between(1.1, 1.7);
        let seconds = least.max(MIN_JERK_PEAK * way / top_speed);
        let stop = Stop { wrist, detour };
        let there = self.script.path.push(start, seconds, stop);
        if in_view(wrist.position)
            && let Some(since) = self.unseen_since.take()
        {
            self.script.unseen.push(since, self.crossing(start, there));
        }
        there
    }

    /// When the wrist comes into view or leaves it, in the course of one move.
    fn crossing(&self, start: f64, end: f64) -> f64 {
        let seen = |time| {
            let (from, to, share) = self.script.path.at(time);
            in_view(Stop::between(from, to, share).position)
        };
        let seen_at_first = seen(start);
        let (mut before, mut after) = (start, end);
        for _ in 0..16 {
            let middle = (before + after) / 2.0;
            if seen(middle) == seen_at_first {
                before = middle;
            } else {
                after = middle;
            }
        }
        after
    }

    fn shape(&mut self, start: f64, seconds: f32, shape: Shape) -> f64 {
        self.script.shapes.push(start, seconds, shape)
    }

    /// Where the wrist is when the index tip of a grip is at a target.
    fn wrist_for(&self, target: Vec3, rotation: Quat, shape: Shape) -> Placement {
        let tip = self.skeleton.reach_of(Joint::IndexTip, shape.grip());
        Placement {
            position: target - rotation * tip,
            rotation,
        }
    }

    /// A point of this hand's right-handed plan, where it is in the world.
    fn seen(&self, point: Vec3) -> Vec3 {
        match self.side {
            Side::Right => point,
            Side::Left => Vec3::new(-point.x, point.y, point.z),
        }
    }
}

/// In front of the waist, palm inward.
fn resting_place() -> Placement {
    Placement {
        position: Vec3::new(0.17, 0.98, 0.18),
        rotation: turned(-20.0, 15.0, -60.0),
    }
}

/// Whether cameras at the head, which does not look down, can see a wrist: not if it is more
/// than 60 degrees below them.
fn in_view(wrist: Vec3) -> bool {
    let from_head = wrist - EYES;
    let level = libm::sqrtf(from_head.x * from_head.x + from_head.z * from_head.z);
    -from_head.y < 1.732 * level
}

/// A point to touch, and how the hand is turned there.
fn touch(dice: &mut Dice) -> (Vec3, Quat) {
    let target = Vec3::new(
        dice.between(0.05, 0.36),
        dice.between(1.22, 1.50),
        dice.between(0.42, 0.52),
    );
    // About as the forearm comes from the elbow.
    let rotation = turned(
        (target.x - 0.2) * 60.0 + dice.between(-8.0, 4.0),
        (1.3 - target.y) * 80.0 + dice.between(-12.0, 4.0),
        dice.between(-25.0, -5.0),
    );
    (target, rotation)
}

/// Where a drag of 20 to 40 cm begins and ends.
fn drag_ends(dice: &mut Dice) -> [Vec3; 2] {
    let centre = Vec3::new(
        dice.between(0.20, 0.25),
        dice.between(1.30, 1.40),
        dice.between(0.43, 0.48),
    );
    let along = turned(dice.between(-8.0, 8.0), 0.0, dice.between(-35.0, 35.0)) * Vec3::X;
    let half = along * (0.5 * dice.between(0.2, 0.4));
    if dice.chance(0.5) {
        [centre - half, centre + half]
    } else {
        [centre + half, centre - half]
    }
}
