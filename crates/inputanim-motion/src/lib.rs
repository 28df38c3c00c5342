//! Generates realistic motion of a head, two eyes and two hands, as an XR headset records it.
//! Samples, tests and benchmarks use it to get minutes or hours of data.
//!
//! A [`Motion`] is planned once from a [`Scene`], a seed and a length. It is then a pure function of
//! time. The same scene, seed and length give the same bits on every platform.
//!
//! ```
//! use inputanim::Layout;
//! use inputanim_motion::{Motion, Scene};
//!
//! let motion = Motion::new(Scene::TwoHands, 7, 10.0);
//! let frame = motion.frame_at(1.5);
//! assert!(frame.head.is_some());
//!
//! let recording = motion.record(60.0, Layout::Mrtk1_1);
//! assert_eq!(recording.duration(), 10.0);
//! assert_eq!(recording.markers.len(), motion.markers().len());
//! ```
//!
//! # Method
//! - The script of each hand is a list of gestures: minimum-jerk movements of the wrist, changes of
//!   the finger bends, and the swing of a waving forearm. Binary search finds the gesture at a
//!   time.
//! - The hand is a kinematic chain, so the lengths of its bones are constant. The left hand is a
//!   mirrored right hand.
//! - The eyes move to a target first, the head follows part of the way, and the hand comes last.
//! - Noise is added to head, gaze, wrists and fingers: sums of sines whose periods have no common
//!   multiple.
//!
//! # Guarantees
//! Rotations have length 1, and the rotations of neighbouring frames at 60 Hz are in one hemisphere. The joints of a
//! hand are present exactly while the hand is tracked; [`Joint::None`](inputanim::Joint::None) is never present. The
//! tips of thumb and index finger are within 5 mm of each other during a pinch.
//!
//! # Limits
//! - There is no arm or body: hands can pass through each other, and no object is touched.
//! - A hand is out of view if it is more than 60 degrees below a level line of sight, whatever the
//!   direction of the head.
//! - If both hands are busy, the eyes may leave a target before the first hand arrives.

#![forbid(unsafe_code)]

mod ease;
mod eyes;
mod grip;
mod hand;
mod head;
mod intervals;
mod motion;
mod noise;
mod random;
mod scene;
mod script;
mod skeleton;
mod track;
mod transform;

pub use motion::Motion;
pub use scene::Scene;
