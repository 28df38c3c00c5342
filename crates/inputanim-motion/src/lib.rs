//! Makes believable motion of a head, two eyes and two hands, as an XR headset records it: for
//! samples, tests and benchmarks that need minutes or hours of data.
//!
//! A [`Motion`] is planned once from a [`Scene`] and a seed and is then a pure function of time.
//! The same scene, seed and length give the same bits on every platform.
//!
//! ```
//! use inputanim::Layout;
//! use inputanim_motion::{Motion, Scene};
//!
//! let motion = Motion::new(Scene::TwoHands, 7, 10.0);
//! let frame = motion.frame_at(1.5);
//! assert!(frame.camera.is_some());
//!
//! let recording = motion.record(60.0, Layout::Mrtk1_1);
//! assert_eq!(recording.duration(), 10.0);
//! assert_eq!(recording.markers.len(), motion.markers().len());
//! ```
//!
//! # Method
//! - The script of each hand is a list of gestures: minimum-jerk moves of the wrist, changes of
//!   the finger bends, and the swing of a waving forearm. It is about as long as there are
//!   gestures, and what happens at an instant is found by binary search.
//! - The hand is a kinematic chain, so its bones never change their length. The left hand is
//!   the right one mirrored.
//! - Eyes jump to where a hand is about to go, the head follows them by a part of the way, and
//!   the hand comes last.
//! - Nothing is ever quite still: sums of sines whose periods share no multiple are laid over
//!   head, gaze, wrists and fingers.
//!
//! # Guarantees
//! Rotations are of length 1, and neighbouring frames at 60 Hz are in one hemisphere. Joints are
//! known exactly while their hand is tracked; [`Joint::None`](inputanim::Joint::None) never is.
//! Thumb and index tip are within 5 mm of each other while the hand is pinching.
//!
//! # Limits
//! - There is no arm or body behind the hands: nothing stops two hands from passing through each
//!   other, and no object is really touched.
//! - A hand is out of view when it is more than 60 degrees below a level look, wherever the head
//!   is turned at that moment.
//! - When both hands are busy, the eyes leave one target for the next before the first hand is
//!   there.

#![forbid(unsafe_code)]

mod dice;
mod ease;
mod eyes;
mod grip;
mod hand;
mod head;
mod motion;
mod placement;
mod scene;
mod script;
mod skeleton;
mod spans;
mod track;
mod wobble;

pub use motion::Motion;
pub use scene::{Scene, UnknownScene};
