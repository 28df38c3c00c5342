//! Action recordings of IWER, the emulator of WebXR devices
//! (<https://github.com/meta-quest/immersive-web-emulation-runtime>). IWER's `ActionRecorder` writes this
//! JSON, and its `ActionPlayer` replays it to a web page.
//!
//! ```json
//! {"schema":[[0,{"handedness":"left", … ,"hasHand":true,"jointSequence":["wrist", … ]}]],
//! "frames":[
//! [0,0.0,1.6,0.0,0.0,0.0,0.0,1.0,[0, … ]],
//! [16.666666, …
//! ]}
//! ```
//!
//! A frame consists of its time in milliseconds, the pose of the viewer (x, y, z and a quaternion x, y, z,
//! w), and an array for each present input source: its number in the schema, the pose of its target ray,
//! 25 joints of eight numbers for a hand (the pose **relative to the target ray**, the radius), and its
//! buttons. All poses are in WebXR's axes: [`Space::OpenXr`](inputanim::Space::OpenXr).
//!
//! When written:
//!
//! - The recording is sampled from 0 to its end. There is also a frame at each time at which a hand is
//!   found or lost, or begins or stops pinching, and at which a button or the profile of a device changes. The player interpolates linearly between frames,
//!   rotations along the shorter arc.
//! - A hand is absent while it is not tracked. Pinching is button 0 of the mapping `xr-standard`, for which
//!   the player sends `select` events to the page.
//! - The palm is dropped, because WebXR has no palm.
//! - The radii of the joints are those that the device of the [headset](inputanim::headset) has. Others are the [`RADII`] of a hand of
//!   average size, because MRTK does not record radii.
//! - The target ray begins at the index knuckle and points away from the shoulder. The shoulder is assumed to
//!   be 0.2 m beside and 0.25 m below the head, relative to the horizontal direction of the head. Without a
//!   head, the ray points away from the wrist.
//! - A controller is an input source without a hand for each of its profiles, while it is active: `aim` is the target ray, `grip`
//!   the grip, and its inputs are a gamepad (`gamepad.rs`). The member `inputanim` of the source names its profile, poses, buttons and
//!   inputs. For an unknown value, the last value is held. Content of a device that WebXR cannot hold is a loss.
//! - The gaze is an input source without a hand, `"targetRayMode":"gaze"`, as in IWER itself. It is absent
//!   where its direction is 0, as on devices without eye tracking.
//! - While the head is unknown or not finite, the viewer keeps its last pose. Its first pose is the origin. If the head is not
//!   recorded, a note states it, and the member `inputanim` of the file is `{"head":false}`.
//! - A hand whose pinches are not recorded never pinches, and the member `inputanim` of its source is `{"pinches":false}`.
//!
//! When read, the recording has the layout `mrtk-1.1`:
//!
//! - Every frame becomes a key of each of its poses; the first is at 0. Rotations are normalized and
//!   brought into one hemisphere.
//! - The head is the viewer, and a hand is tracked in the frames in which it is present, and pinches while its button 0 is pressed. A head
//!   or pinches that the member `inputanim` denies stay unrecorded.
//! - The palm is halfway between the metacarpal and the knuckle of the middle finger, as OpenXR defines it.
//!   It has the rotation of the wrist, as in recordings by MRTK on devices.
//! - An input source with a side and without a hand is a controller. It is not active in frames that do not contain it. Its target ray is `aim`,
//!   and its buttons and axes have the names of the mapping `xr-standard` and of the registry of WebXR's profiles.
//! - A selection of an input source that is neither a hand nor a controller is a pinch: of its side, or of the right hand. A source of the
//!   mode `screen` or `transient-pointer` exists only while it selects.
//! - An input source whose `targetRayMode` is `gaze` becomes the gaze.
//! - A pose with `null` in it, which is JSON's NaN, is unknown in that frame.
//! - Any target ray of a hand is accepted. Radii, and other buttons and axes of hands, are ignored.
//! - JSON in a string, and between the text of a browser's console, is read. Of a file that ends too early, the complete frames
//!   are read.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let (json, _) = write_bytes(Format::Iwer, &recording, &WriteOptions::default())?;
//! let (again, _) = read(Format::Iwer, &json, &ReadOptions::default())?;
//! assert_eq!(again.duration(), 1.0);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod gamepad;
mod inputs;
mod ray;
mod read;
mod row;
mod text;
mod webxr;
mod write;

use inputanim::Joint;

pub use read::IwerError;
pub(crate) use read::read;
pub use webxr::{WebXrButton, WebXrController, WebXrState};
pub(crate) use write::write;

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

/// The distances of the skin from each of [`Joint::WEBXR`], in metres: the radii of IWER's own relaxed
/// hand, to a tenth of a millimetre.
pub const RADII: [f32; 25] = crate::shared::joint_radii::RADII;

/// The poses of a controller: the target ray and the grip.
const AIM: &str = "aim";
const GRIP: &str = "grip";

/// Numbers of a joint: position, rotation, radius.
const PER_JOINT: usize = 8;
const JOINTS: usize = Joint::WEBXR.len();
