//! Action recordings of IWER, the emulator of WebXR devices
//! (<https://github.com/meta-quest/immersive-web-emulation-runtime>): what its `ActionRecorder`
//! writes and its `ActionPlayer` replays to a web page, as JSON.
//!
//! ```json
//! {"schema":[[0,{"handedness":"left", … ,"hasHand":true,"jointSequence":["wrist", … ]}]],
//! "frames":[
//! [0,0.0,1.6,0.0,0.0,0.0,0.0,1.0,[0, … ]],
//! [16.666666, …
//! ]}
//! ```
//!
//! A frame is its time in milliseconds, the pose of the viewer (x, y, z and a quaternion x, y, z,
//! w), and for each input source that is there an array: its number in the schema, the pose of its
//! target ray, of a hand 25 joints of eight numbers (the pose **relative to the target ray**, the
//! radius), and its buttons. All is in WebXR's axes: [`Space::OpenXr`](inputanim::Space::OpenXr).
//!
//! When written:
//!
//! - The recording is sampled, from 0 to its end. There is also a frame at each time at which a hand
//!   is found or lost, or begins or ends to pinch; the player draws straight lines between frames.
//! - A hand is left out while it is not tracked. Pinching is button 0 of the mapping `xr-standard`,
//!   which makes the player tell the page of `select`.
//! - WebXR has no palm; [`read`] puts one where MRTK's devices have it (see there).
//! - The [`RADII`] of the joints are those of a hand of middle size: MRTK records none.
//! - The target ray begins at the index knuckle and goes on from a shoulder, which is put 0.2 m
//!   beside and 0.25 m below the head, in the direction in which the head is turned. Without a head
//!   it is the line from the wrist.
//! - The gaze is an input source as IWER's own: without a hand, `"targetRayMode":"gaze"`. It is left
//!   out where its direction is 0, as it is on devices that do not see the eyes.
//! - Where the head is not known or not finite, the viewer stays where it was, at first at the
//!   origin.
//!
//! When read, the first frame is at 0, and any target ray will do.

mod palm;
mod ray;
mod read;
mod row;
mod write;

use std::fmt;

use inputanim::{Joint, Side};

pub use read::{Error, read, read_with};
pub use write::{Options, WriteError, write};

/// The names of WebXR for [`Joint::WEBXR`].
pub const JOINT_NAMES: [&str; 25] = [
    "wrist",
    "thumb-metacarpal",
    "thumb-phalanx-proximal",
    "thumb-phalanx-distal",
    "thumb-tip",
    "index-finger-metacarpal",
    "index-finger-phalanx-proximal",
    "index-finger-phalanx-intermediate",
    "index-finger-phalanx-distal",
    "index-finger-tip",
    "middle-finger-metacarpal",
    "middle-finger-phalanx-proximal",
    "middle-finger-phalanx-intermediate",
    "middle-finger-phalanx-distal",
    "middle-finger-tip",
    "ring-finger-metacarpal",
    "ring-finger-phalanx-proximal",
    "ring-finger-phalanx-intermediate",
    "ring-finger-phalanx-distal",
    "ring-finger-tip",
    "pinky-finger-metacarpal",
    "pinky-finger-phalanx-proximal",
    "pinky-finger-phalanx-intermediate",
    "pinky-finger-phalanx-distal",
    "pinky-finger-tip",
];

/// How far the skin is from each of [`Joint::WEBXR`], in metres: the radii of IWER's own relaxed
/// hand, to a tenth of a millimetre.
pub const RADII: [f32; 25] = [
    0.0215, // wrist
    0.0194, 0.0123, 0.0098, 0.0088, // thumb
    0.0212, 0.0103, 0.0085, 0.0076, 0.0066, // index finger
    0.0212, 0.0112, 0.0080, 0.0076, 0.0066, // middle finger
    0.0191, 0.0099, 0.0076, 0.0072, 0.0062, // ring finger
    0.0181, 0.0085, 0.0068, 0.0064, 0.0054, // little finger
];

/// Numbers of a joint: position, rotation, radius.
const PER_JOINT: usize = 8;
const JOINTS: usize = Joint::WEBXR.len();

/// Whether JSON looks like an action recording: its first member is `schema` or `frames`.
///
/// ```
/// use inputanim_convert::iwer;
/// assert!(iwer::is_iwer(br#"{"schema": [], "frames": []}"#));
/// assert!(!iwer::is_iwer(br#"{"format": "inputanim-json"}"#));
/// ```
pub fn is_iwer(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = bytes.trim_ascii_start().strip_prefix(b"{");
    let first = first.map(<[u8]>::trim_ascii_start).unwrap_or_default();
    first.starts_with(b"\"schema\"") || first.starts_with(b"\"frames\"")
}

/// Something that did not come through.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Markers, which action recordings do not have.
    Markers {
        /// How many.
        markers: usize,
    },
    /// Frames of a hand in which a joint is not recorded or not finite: WebXR has all or none.
    Hand {
        /// Which hand.
        side: Side,
        /// Frames in which it was tracked and is left out.
        frames: usize,
        /// A joint that is missing in the first of them.
        joint: Joint,
    },
    /// An input source that is neither a left or right hand nor gaze, such as a controller.
    Source {
        /// Its number in the schema.
        index: u32,
        /// What the schema says of it: `right tracked-pointer`.
        what: String,
        /// Frames that it was in.
        frames: usize,
    },
    /// A second input source of the same kind in one frame: the first one counts.
    Second {
        /// Frames that had one.
        frames: usize,
    },
    /// Frames whose time does not come after that of the frame before.
    Frames {
        /// How many.
        frames: usize,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Markers { markers } => Count(*markers, "marker").fmt(f),
            Loss::Hand {
                side,
                frames,
                joint,
            } => write!(
                f,
                "the {side} hand in {}, where not all its joints are known, such as {joint}",
                Count(*frames, "frame")
            ),
            Loss::Source {
                index,
                what,
                frames,
            } => write!(
                f,
                "input source {index} ({what}) in {}: it is no hand",
                Count(*frames, "frame")
            ),
            Loss::Second { frames } => write!(
                f,
                "a second input source of the same hand in {}",
                Count(*frames, "frame")
            ),
            Loss::Frames { frames } => write!(
                f,
                "{}, not after the frame before in time",
                Count(*frames, "frame")
            ),
        }
    }
}

struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(count, thing) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {thing}{plural}")
    }
}
