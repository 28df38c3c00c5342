//! Planning of the gestures of one hand.
//!
//! All positions are for a right hand. A left hand is mirrored when frames are made; its fixated
//! points are mirrored here.

use glam::{Quat, Vec3};
use inputanim::{Joint, Side};

use crate::ease::MIN_JERK_PEAK;
use crate::grip::Shape;
use crate::hand::{HandScript, Swing, Waypoint};
use crate::head::EYES;
use crate::intervals::Intervals;
use crate::random::SeededRandom;
use crate::script::Gesture;
use crate::script::attention::Attention;
use crate::skeleton::Skeleton;
use crate::track::Track;
use crate::transform::{RigidTransform, turned};

pub(crate) type Markers = Vec<(f64, &'static str)>;

/// A planner for the gestures of one hand, one after the other.
pub(crate) struct Planner<'a> {
    pub(crate) side: Side,
    /// The time at which the hand can begin its next gesture.
    pub(crate) free: f64,
    /// The number of gestures.
    pub(crate) gestures: usize,
    /// The number of gestures since the hand was out of view.
    pub(crate) since_rest: usize,
    skeleton: &'a Skeleton,
    script: HandScript,
    /// The time since which the hand is out of view.
    unseen_since: Option<f64>,
}

impl<'a> Planner<'a> {
    /// Creates a planner for a hand that is in view at first, and can begin its first gesture at `free` seconds.
    pub(crate) fn in_view(side: Side, skeleton: &'a Skeleton, free: f64) -> Planner<'a> {
        let wrist = RigidTransform {
            position: Vec3::new(0.19, 1.27, 0.28),
            rotation: turned(-8.0, -12.0, -30.0),
        };
        Planner::at(wrist, None, side, skeleton, free)
    }

    /// Creates a planner for a hand that is out of view at first, and can begin its first gesture at `free` seconds.
    pub(crate) fn out_of_view(side: Side, skeleton: &'a Skeleton, free: f64) -> Planner<'a> {
        Planner::at(resting_place(), Some(0.0), side, skeleton, free)
    }

    fn at(
        wrist: RigidTransform,
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
                path: Track::new(Waypoint { wrist, detour }),
                shapes: Track::new(Shape::Relaxed),
                swings: Vec::new(),
                pinches: Intervals::default(),
                unseen: Intervals::default(),
            },
            unseen_since,
        }
    }

    /// Ends the planning, and returns the planned motion of the hand.
    pub(crate) fn finish(mut self) -> HandScript {
        if let Some(since) = self.unseen_since {
            self.script.unseen.push(since, f64::INFINITY);
        }
        self.script
    }

    /// Plans a gesture that begins as soon as the hand, and the eyes if it needs them, are free. Adds its fixations to
    /// `attention` and its events to `markers`.
    pub(crate) fn add(
        &mut self,
        gesture: Gesture,
        random: &mut SeededRandom,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        self.gestures += 1;
        self.since_rest += 1;
        match gesture {
            Gesture::Wave { seconds } => self.wave(seconds, random, attention, markers),
            Gesture::PinchDrag => self.pinch_drag(random, attention, markers),
            Gesture::Reach => self.reach(random, attention, markers),
            Gesture::Rest { seconds } => self.rest(seconds, random, markers),
        }
    }

    /// Plans a gesture: raises the open hand beside the head, and swings the forearm for `seconds`.
    fn wave(
        &mut self,
        seconds: f32,
        random: &mut SeededRandom,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        let wrist = RigidTransform {
            position: Vec3::new(
                random.between(0.26, 0.34),
                random.between(1.45, 1.55),
                random.between(0.28, 0.36),
            ),
            // Fingers up, palm forward, leaning out a little.
            rotation: turned(0.0, random.between(-84.0, -72.0), 0.0)
                * turned(random.between(2.0, 10.0), 0.0, 0.0),
        };
        let start = self.free;
        let up = self.go(start, 0.6, wrist, Vec3::new(0.02, 0.0, 0.05), random);
        self.shape(start + 0.15, 0.4, Shape::Open);
        let end = up + f64::from(seconds);
        self.script.swings.push(Swing {
            start: up,
            end,
            hertz: random.between(1.5, 1.9),
            degrees: random.between(19.0, 25.0),
        });
        markers.push((up, "wave"));
        let greeted = Vec3::new(random.between(-0.3, 0.6), 1.6, random.between(1.5, 2.5));
        let greeting = up + 0.8;
        if attention.is_idle(start, greeting) {
            attention.look(start, greeting, self.seen(greeted));
        }
        self.shape(end, 0.4, Shape::Relaxed);
        self.free = end + f64::from(random.between(0.1, 0.4));
    }

    /// Plans a gesture: touches a random target with the index finger. The eyes fixate the target before the hand
    /// starts.
    fn reach(
        &mut self,
        random: &mut SeededRandom,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        let here = self.script.path.last().wrist.position;
        let (target, wrist) = loop {
            let (target, rotation) = touch(random);
            let wrist = self.wrist_for(target, rotation, Shape::Point);
            if (wrist.position - here).length() > 0.1 {
                break (target, wrist);
            }
        };
        let (jump, start) = self.set_out(random, attention, markers);
        let detour = Vec3::new(0.0, random.between(0.01, 0.04), 0.0);
        let there = self.go(start, 0.5, wrist, detour, random);
        self.shape(start, 0.7 * (there - start) as f32, Shape::Point);
        markers.push((there, "touch"));
        let held = there + f64::from(random.between(0.25, 0.7));
        attention.look(jump, held, self.seen(target));
        self.shape(held, 0.3, Shape::Relaxed);
        self.free = held + f64::from(random.between(0.15, 0.5));
    }

    /// Plans a gesture: pinches an object and drags it to a random target. The eyes fixate the object before the hand
    /// starts, and the target before the drag if they are free.
    fn pinch_drag(
        &mut self,
        random: &mut SeededRandom,
        attention: &mut Attention,
        markers: &mut Markers,
    ) {
        let [from, to] = drag_ends(random);
        let rotation = turned(
            random.between(-25.0, -5.0),
            random.between(-20.0, -5.0),
            random.between(-45.0, -25.0),
        );
        let turn = turned(random.between(-8.0, 8.0), random.between(-6.0, 6.0), 0.0);
        let wrist_at_first = self.wrist_for(from, rotation, Shape::Pinch);
        let wrist_at_last = self.wrist_for(to, turn * rotation, Shape::Pinch);

        let (jump, start) = self.set_out(random, attention, markers);
        let detour = Vec3::new(0.0, random.between(0.01, 0.04), 0.0);
        let there = self.go(start, 0.5, wrist_at_first, detour, random);
        self.shape(start, 0.6 * (there - start) as f32, Shape::Ready);
        let closed = self.shape(there - 0.05, random.between(0.15, 0.3), Shape::Pinch);

        let off = closed + f64::from(random.between(0.08, 0.2));
        let detour = Vec3::new(
            0.0,
            random.between(-0.02, 0.03),
            random.between(-0.03, 0.02),
        );
        let arrived = self.go(off, random.between(0.7, 1.1), wrist_at_last, detour, random);
        let release = arrived + f64::from(random.between(0.08, 0.25));
        self.shape(release, 0.2, Shape::Ready);
        let relaxed = self.shape(release + 0.3, 0.3, Shape::Relaxed);
        // A frame at the single-precision time of the marker must show the pinch.
        let [closed, release] = [closed, release].map(|time| f64::from(time as f32));
        self.script.pinches.push(closed, release);
        markers.push((closed, "pinch"));
        markers.push((release, "release"));

        attention.look(jump, release, self.seen(from));
        let ahead = off - 0.1;
        if attention.free_from(ahead) == ahead {
            attention.look(ahead, release, self.seen(to));
        }
        self.free = relaxed - 0.2 + f64::from(random.between(0.1, 0.4));
    }

    /// Plans a gesture: lowers the hand out of view, where it stays for `seconds`.
    fn rest(&mut self, seconds: f32, random: &mut SeededRandom, markers: &mut Markers) {
        if self.unseen_since.is_none() {
            let start = self.free;
            markers.push((start, "rest"));
            self.shape(start, 0.4, Shape::Relaxed);
            let detour = Vec3::new(0.03, 0.0, 0.05);
            self.free = self.go(start, 0.6, resting_place(), detour, random);
            self.unseen_since = Some(self.crossing(start, self.free));
        }
        self.free += f64::from(seconds);
        self.since_rest = 0;
    }

    /// Returns the times in seconds at which first the eyes and then the hand start to move to the next target. Adds a
    /// `reach` marker at the latter.
    fn set_out(
        &self,
        random: &mut SeededRandom,
        attention: &Attention,
        markers: &mut Markers,
    ) -> (f64, f64) {
        let lead = f64::from(random.between(0.2, 0.3));
        let jump = attention.free_from(self.free - lead);
        markers.push((jump + lead, "reach"));
        (jump, jump + lead)
    }

    /// Plans a move of the wrist to the transform `to`, from `start` seconds on. It takes at least `least` seconds, and
    /// longer if the speed would exceed a random limit. `detour` is the offset in metres from the straight path,
    /// halfway. Returns the time of arrival in seconds.
    fn go(
        &mut self,
        start: f64,
        least: f32,
        to: RigidTransform,
        detour: Vec3,
        random: &mut SeededRandom,
    ) -> f64 {
        /// The distance from the wrist to the finger tips, which rotations move too.
        const HAND: f32 = 0.2;
        let mut wrist = to;
        let from = self.script.path.last().wrist;
        // The nearer of the two quaternions of the rotation, so that no sign flip occurs.
        if from.rotation.dot(wrist.rotation) < 0.0 {
            wrist.rotation = -wrist.rotation;
        }
        let way = (wrist.position - from.position).length()
            + 1.5 * detour.length()
            + HAND * from.rotation.angle_between(wrist.rotation);
        let top_speed = random.between(1.1, 1.7);
        let seconds = least.max(MIN_JERK_PEAK * way / top_speed);
        let stop = Waypoint { wrist, detour };
        let there = self.script.path.push(start, seconds, stop);
        if in_view(wrist.position)
            && let Some(since) = self.unseen_since.take()
        {
            self.script.unseen.push(since, self.crossing(start, there));
        }
        there
    }

    /// Returns the time in seconds at which the wrist enters or leaves the view during a planned move from `start` to
    /// `end`.
    fn crossing(&self, start: f64, end: f64) -> f64 {
        let seen = |time| {
            let (from, to, share) = self.script.path.at(time);
            in_view(Waypoint::between(from, to, share).position)
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

    /// Returns the wrist transform that places the index tip at `target`, for a given rotation of the wrist and shape
    /// of the hand.
    fn wrist_for(&self, target: Vec3, rotation: Quat, shape: Shape) -> RigidTransform {
        let tip = self.skeleton.reach_of(Joint::IndexTip, shape.grip());
        RigidTransform {
            position: target - rotation * tip,
            rotation,
        }
    }

    /// Converts a point of the plan, which is always for a right hand, to world space: mirrors it for a left hand.
    fn seen(&self, point: Vec3) -> Vec3 {
        match self.side {
            Side::Right => point,
            Side::Left => Vec3::new(-point.x, point.y, point.z),
        }
    }
}

/// Returns the transform of the wrist of a right hand that rests out of view: in front of the waist, palm inward.
fn resting_place() -> RigidTransform {
    RigidTransform {
        position: Vec3::new(0.17, 0.98, 0.18),
        rotation: turned(-20.0, 15.0, -60.0),
    }
}

/// Returns `true` if the cameras of a level head see a wrist at this position: seen from the eyes, it is less than 60
/// degrees below the horizontal.
fn in_view(wrist: Vec3) -> bool {
    let from_head = wrist - EYES;
    let level = libm::sqrtf(from_head.x * from_head.x + from_head.z * from_head.z);
    -from_head.y < 1.732 * level
}

/// Returns a random point to touch, and the rotation of a right wrist that touches it.
fn touch(random: &mut SeededRandom) -> (Vec3, Quat) {
    let target = Vec3::new(
        random.between(0.05, 0.36),
        random.between(1.22, 1.50),
        random.between(0.42, 0.52),
    );
    // The rotation that a forearm from the elbow would have.
    let rotation = turned(
        (target.x - 0.2) * 60.0 + random.between(-8.0, 4.0),
        (1.3 - target.y) * 80.0 + random.between(-12.0, 4.0),
        random.between(-25.0, -5.0),
    );
    (target, rotation)
}

/// Returns the start and the end point of a random drag of 20 to 40 cm with the right hand.
fn drag_ends(random: &mut SeededRandom) -> [Vec3; 2] {
    let centre = Vec3::new(
        random.between(0.20, 0.25),
        random.between(1.30, 1.40),
        random.between(0.43, 0.48),
    );
    let along = turned(random.between(-8.0, 8.0), 0.0, random.between(-35.0, 35.0)) * Vec3::X;
    let half = along * (0.5 * random.between(0.2, 0.4));
    if random.chance(0.5) {
        [centre - half, centre + half]
    } else {
        [centre + half, centre - half]
    }
}
