//! Episodes of EgoDex, Apple's dataset of hands that manipulate objects, recorded with Apple Vision Pro
//! (<https://github.com/apple/ml-egodex>). An episode is an HDF5 file beside a video. Episodes are read, and not
//! written.
//!
//! ```text
//! /                          attributes: llm_description, llm_type, task, …
//! ├── camera/intrinsic       3 × 3 floats, in pixels of the video; missing in some files
//! ├── transforms/            N × 4 × 4 matrices of floats, from the joint to the world, rows first
//! │   ├── camera
//! │   ├── leftHand, leftThumbKnuckle, … , rightLittleFingerTip    (2 × 25)
//! │   └── hip, spine1, … , leftForearm                            (18, not read)
//! └── confidences/           N floats from 0 to 1 for each joint; missing in some files
//! ```
//!
//! The world of ARKit has the axes of [`Space::OpenXr`](inputanim::Space::OpenXr) and metres. Its origin is on the floor.
//!
//! When read, the recording has the layout `mrtk-1.1`:
//!
//! - Frame n is at n / [`FRAME_RATE`] seconds. Every frame becomes a key of each of its poses.
//! - The joints are the joints with the [`JOINT_NAMES`] of ARKit, whose axes differ from the axes of MRTK and between
//!   the hands. The rotations are turned into MRTK's axes. If the bones of a hand show other axes than the axes of ARKit,
//!   these are used and noted.
//! - The palm is halfway between the metacarpal and the knuckle of the middle finger, as OpenXR defines it. It has the
//!   rotation of the wrist, as in recordings by MRTK on devices.
//! - The head is the camera of the device, whose axes are +X right, +Y down and +Z ahead in the file. Its intrinsic matrix is the
//!   text [`CAMERA_INTRINSIC`](inputanim::About::CAMERA_INTRINSIC) about the recording.
//! - A hand is tracked in the frames in which the confidence of `leftHand` or `rightHand` is at least
//!   [`ReadOptions::min_confidence`](crate::ReadOptions::min_confidence), by default [`DEFAULT_MIN_CONFIDENCE`]. A finger whose own
//!   confidence is lower is unknown in that frame, and a note states the number of such poses. Without confidences, the hand is
//!   tracked in all frames. MRTK records no joints of an untracked hand, so their poses are dropped.
//! - A matrix with a number that is not finite, or that is not a rotation and a position, is unknown in that frame. The
//!   products of its columns may differ by 0.01 from the products of perpendicular unit vectors. An unknown pose has no key.
//! - The description of the episode becomes a marker at 0: `llm_description`, or `llm_description2` for the second
//!   direction of a task that is `reversible`. Older files have `description`, or only `task`.
//! - EgoDex has no pinch states and no gaze.
//! - Damage costs the joint in the frames that the damage is in, and the report names the dataset. Where confidences are damaged,
//!   the hand counts as tracked. The length is the length of most datasets.
//!
//! The forms of HDF5 that are read are stated in the source of the module `hdf5`: all that h5py writes, with the filters
//! gzip, lzf, shuffle and Fletcher-32, with and without a user block.

mod axes;
mod camera;
mod curves;
mod description;
mod error;
mod hdf5;
mod joints;
mod matrix;
mod read;

pub use error::EgoDexError;
pub use hdf5::Hdf5Error;
pub use joints::JOINT_NAMES;
pub(crate) use read::read;

/// The frames per second of EgoDex.
pub const FRAME_RATE: f64 = 30.0;

/// The confidence from which a hand counts as tracked and a joint as known, unless the options state another one.
pub const DEFAULT_MIN_CONFIDENCE: f32 = 0.5;
