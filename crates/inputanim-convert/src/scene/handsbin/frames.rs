//! The frames of a file, as it contains them.

use inputanim::{Pose, Side};

use super::bytes::{Bytes, POSE};
use super::{
    BEFORE_RENDER, FINGERS, HandsBinError, JOINTS, PER_FINGER, aim_flag, frame_flag, gesture_flag,
    hand_flag, step_flag,
};

/// The frames of a file that were not taken yet.
#[derive(Clone)]
pub(super) struct Frames<'a> {
    bytes: Bytes<'a>,
    version: Version,
    /// The name of the capture.
    pub(super) name: &'a str,
    left: usize,
}

#[derive(Clone, Copy)]
enum Version {
    One,
    Two { has_before_render: bool },
}

impl Version {
    /// The size of the smallest frame in bytes.
    const fn min_frame(self) -> usize {
        match self {
            Version::One => 8,
            Version::Two { has_before_render } => 16 + if has_before_render { 4 } else { 0 },
        }
    }
}

/// One frame.
pub(super) struct RawFrame {
    /// The place at which the frame begins.
    pub(super) offset: usize,
    pub(super) time: f32,
    /// The parts of the head that are tracked, and its pose.
    pub(super) head: Option<(i32, Pose)>,
    pub(super) hands: [RawHand; 2],
}

/// One hand in a frame.
#[derive(Default)]
pub(super) struct RawHand {
    /// The step "dynamic", or the only step of version 1.
    pub(super) dynamic: Option<Step>,
    pub(super) before_render: Option<Step>,
    /// The bits of the gestures.
    pub(super) gestures: i32,
    pub(super) pinch_state: Option<bool>,
    pub(super) pinch_value: Option<f32>,
    /// `true` in aim data while the index finger pinches.
    pub(super) index_pinches: Option<bool>,
}

/// One hand in a step of a frame.
pub(super) struct Step {
    pub(super) is_tracked: bool,
    /// The root; version 1 has none.
    pub(super) root: Option<Pose>,
    /// The poses of the joints, if they are valid.
    pub(super) joints: Option<[Pose; JOINTS]>,
}

impl<'a> Frames<'a> {
    /// Reads the header of a file.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Frames<'a>, HandsBinError> {
        let mut bytes = Bytes::new(bytes);
        let version = match bytes.integer("the version")? {
            1 => Version::One,
            2 => {
                // The flags state the abilities of the device.
                bytes.skip(4, "the flags of the capture")?;
                let options = bytes.flags("the options of the capture", BEFORE_RENDER)?;
                Version::Two {
                    has_before_render: options & BEFORE_RENDER != 0,
                }
            }
            found => return Err(HandsBinError::Version { found }),
        };
        let name = bytes.text("the name of the capture")?;
        bytes.skip(4, "the duration")?;
        if let Version::Two { .. } = version {
            joint_count(&mut bytes)?;
            bytes.skip(JOINTS.div_ceil(8), "the joints of the device")?;
            bytes.skip(4, "the layout of hand meshes")?;
            bytes.skip(4 * FINGERS * PER_FINGER, "the shapes of the fingers")?;
        }
        let offset = bytes.offset();
        let count = bytes.integer("the number of frames")?;
        let most = bytes.left() / version.min_frame();
        // A damaged number is refused before any frame is read.
        let left = usize::try_from(count).ok().filter(|&count| count <= most);
        let Some(left) = left else {
            return Err(HandsBinError::Value {
                offset,
                expected: format!(
                    "a number of frames from 0 to {most}, for which the file has bytes"
                ),
                found: count.to_string(),
            });
        };
        Ok(Frames {
            bytes,
            version,
            name,
            left,
        })
    }

    /// Returns the next frame; `None` at the end of the file. Fails if bytes follow the last frame.
    pub(super) fn next_frame(&mut self) -> Result<Option<RawFrame>, HandsBinError> {
        let offset = self.bytes.offset();
        let Some(left) = self.left.checked_sub(1) else {
            return match self.bytes.left() {
                0 => Ok(None),
                more => Err(HandsBinError::Value {
                    offset,
                    expected: "the end of the file after the last frame".to_owned(),
                    found: format!("{more} more bytes"),
                }),
            };
        };
        self.left = left;
        let frame = match self.version {
            Version::One => self.frame_1(offset),
            Version::Two { has_before_render } => self.frame_2(offset, has_before_render),
        };
        frame.map(Some)
    }

    fn time(&mut self) -> Result<f32, HandsBinError> {
        let offset = self.bytes.offset();
        let time = self.bytes.float("the time of a frame")?;
        if time.is_finite() {
            return Ok(time);
        }
        Err(HandsBinError::Value {
            offset,
            expected: "a finite time of a frame".to_owned(),
            found: time.to_string(),
        })
    }

    fn frame_1(&mut self, offset: usize) -> Result<RawFrame, HandsBinError> {
        let time = self.time()?;
        let mut states = [false; 4];
        for state in &mut states {
            *state = self.bytes.boolean("a state of a hand")?;
        }
        let [left_tracked, right_tracked, left_valid, right_valid] = states;
        let mut hand = |is_tracked: bool, is_valid: bool| -> Result<RawHand, HandsBinError> {
            let joints = is_valid.then(|| joints(&mut self.bytes)).transpose()?;
            let step = Step {
                is_tracked,
                root: None,
                joints,
            };
            Ok(RawHand {
                dynamic: Some(step),
                ..RawHand::default()
            })
        };
        let left = hand(left_tracked, left_valid)?;
        Ok(RawFrame {
            offset,
            time,
            head: None,
            hands: [left, hand(right_tracked, right_valid)?],
        })
    }

    fn frame_2(
        &mut self,
        offset: usize,
        has_before_render: bool,
    ) -> Result<RawFrame, HandsBinError> {
        let flags = self.bytes.flags("the flags of a frame", frame_flag::ALL)?;
        let time = self.time()?;
        let bytes = &mut self.bytes;
        let head = match bytes.integer("the state of the head")? {
            0 => None,
            state => Some((state, bytes.pose("the pose of the head")?)),
        };
        let steps = if has_before_render { 2 } else { 1 };
        bytes.skip(4 * steps, "the results of the steps")?;
        let mut hands = [RawHand::default(), RawHand::default()];
        for (side, hand) in Side::BOTH.into_iter().zip(&mut hands) {
            let has = |flag: i32| flags & (flag << side as u8) != 0;
            if has(frame_flag::SNAPSHOT) {
                hand.read_snapshot(bytes, has_before_render)?;
            }
            if has(frame_flag::GESTURES) {
                hand.read_gestures(bytes, side)?;
            }
            if has(frame_flag::AIM) {
                hand.read_aim(bytes, side)?;
            }
        }
        Ok(RawFrame {
            offset,
            time,
            head,
            hands,
        })
    }
}

/// Reads the number of joints.
fn joint_count(bytes: &mut Bytes<'_>) -> Result<(), HandsBinError> {
    let count = JOINTS as i32;
    let expected = count.to_string();
    bytes.checked("the number of joints", &expected, |found| found == count)?;
    Ok(())
}

fn joints(bytes: &mut Bytes<'_>) -> Result<[Pose; JOINTS], HandsBinError> {
    let mut joints = [Pose::IDENTITY; JOINTS];
    for joint in &mut joints {
        *joint = bytes.pose("the pose of a joint")?;
    }
    Ok(joints)
}

/// Reads the hand that gestures or aim data state, which is 0 if it is not stated.
fn stated_hand(bytes: &mut Bytes<'_>, side: Side) -> Result<(), HandsBinError> {
    let number = 1 + side as i32;
    let valid = format!("0 or {number} for the {side} hand");
    bytes.checked("the hand", &valid, |found| found == 0 || found == number)?;
    Ok(())
}

impl RawHand {
    fn read_snapshot(
        &mut self,
        bytes: &mut Bytes<'_>,
        has_before_render: bool,
    ) -> Result<(), HandsBinError> {
        let flags = bytes.flags("the flags of a snapshot", step_flag::ALL)?;
        if flags & step_flag::DYNAMIC != 0 {
            self.dynamic = Some(Step::read(bytes)?);
        }
        if has_before_render && flags & step_flag::BEFORE_RENDER != 0 {
            self.before_render = Some(Step::read(bytes)?);
        }
        Ok(())
    }

    fn read_gestures(&mut self, bytes: &mut Bytes<'_>, side: Side) -> Result<(), HandsBinError> {
        stated_hand(bytes, side)?;
        let all = (1 << GESTURES.len()) - 1;
        let flags = bytes.flags("the flags of gestures", all)?;
        self.gestures = flags;
        for (bit, (_, content)) in GESTURES.iter().enumerate() {
            let flag = 1 << bit;
            match content {
                _ if flags & flag == 0 => {}
                Content::Pose => bytes.skip(POSE, "a pose of gestures")?,
                Content::Value => {
                    let value = bytes.float("a value of gestures")?;
                    if flag == gesture_flag::PINCH_VALUE {
                        self.pinch_value = Some(value).filter(|value| value.is_finite());
                    }
                }
                Content::State => {
                    let state = bytes.boolean("a state of gestures")?;
                    if flag == gesture_flag::PINCH_STATE {
                        self.pinch_state = Some(state);
                    }
                }
            }
        }
        Ok(())
    }

    fn read_aim(&mut self, bytes: &mut Bytes<'_>, side: Side) -> Result<(), HandsBinError> {
        stated_hand(bytes, side)?;
        let flags = bytes.flags("the flags of aim data", aim_flag::ALL)?;
        self.index_pinches = Some(flags & aim_flag::INDEX != 0);
        // A state, two reserved integers, and the strengths of the pinches of four fingers.
        bytes.skip(4 * 7, "aim data")?;
        if flags & aim_flag::POSE != 0 {
            bytes.skip(POSE, "the pose of aim data")?;
        }
        Ok(())
    }
}

impl Step {
    fn read(bytes: &mut Bytes<'_>) -> Result<Step, HandsBinError> {
        let flags = bytes.flags("the flags of a hand", hand_flag::ALL)?;
        let root = bytes.pose("the pose of the root")?;
        let has_joints = flags & hand_flag::VALID != 0;
        if has_joints {
            joint_count(bytes)?;
        }
        Ok(Step {
            is_tracked: flags & hand_flag::TRACKED != 0,
            root: Some(root),
            joints: has_joints.then(|| joints(bytes)).transpose()?,
        })
    }
}

/// The type of a value in gestures.
#[derive(Clone, Copy)]
pub(super) enum Content {
    Pose,
    Value,
    State,
}

/// The values of gestures in the order of their bits, each with a name in the plural.
pub(super) const GESTURES: [(&str, Content); 10] = [
    ("aim poses", Content::Pose),
    ("aim values", Content::Value),
    ("grasp values", Content::Value),
    ("grip poses", Content::Pose),
    ("pinch poses", Content::Pose),
    ("pinch values other than 0 and 1", Content::Value),
    ("poke poses", Content::Pose),
    ("aim states", Content::State),
    ("grasp states", Content::State),
    ("pinch states", Content::State),
];
