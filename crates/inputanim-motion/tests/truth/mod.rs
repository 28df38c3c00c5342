//! What the toolkit's recorder was fed for the recordings of the corpus: what the tests,
//! `cargo xtask accuracy` and `cargo xtask reduction` compare with.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};

/// Where the corpus is, if it is anywhere.
pub(crate) fn corpus() -> Option<PathBuf> {
    std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from)
}

/// The frames, their times as in the recordings: from the first one.
pub(crate) fn frames(corpus: &Path) -> Result<Vec<Frame>> {
    let path = corpus.join("mrtk/truth.frames");
    let saying = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let bytes = fs::read(&path).map_err(|error| Error::new(error.kind(), saying(&error)))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let (frames, more) = numbers.as_chunks::<NUMBERS>();
    if !rest.is_empty() || !more.is_empty() {
        let message = saying(&"it is cut off");
        return Err(Error::new(ErrorKind::UnexpectedEof, message));
    }
    let numbers = frames.iter().map(|frame| frame.map(f32::from_le_bytes));
    let mut start = None;
    let frames = numbers.map(|numbers| {
        let start = *start.get_or_insert(numbers[0]);
        frame(&numbers, start)
    });
    Ok(frames.collect())
}

/// A frame: the time; tracked and pinching of the left hand and of the right; position and rotation
/// of the camera; origin and direction of the gaze; and of each joint of both hands whether it was
/// there, position and rotation.
const NUMBERS: usize = 450;
const CAMERA: usize = 5;
const GAZE: usize = 12;
const JOINTS: usize = 18;
const JOINT: usize = 8;

fn frame(numbers: &[f32; NUMBERS], start: f32) -> Frame {
    let some = |at: usize| std::array::from_fn(|part| numbers[at + part]);
    let pose = |at: usize| Pose {
        position: some(at),
        rotation: std::array::from_fn(|part| numbers[at + 3 + part]),
    };
    let hand = |side: Side| {
        let states = 1 + 2 * side as usize;
        let mut hand = HandFrame {
            tracked: numbers[states] > 0.5,
            pinching: numbers[states + 1] > 0.5,
            ..HandFrame::default()
        };
        for (joint, found) in hand.joints.iter_mut() {
            let at = JOINTS + JOINT * (side as usize * Joint::ALL.len() + joint.index());
            *found = (numbers[at] > 0.5).then(|| pose(at + 1));
        }
        hand
    };
    Frame {
        time: numbers[0] - start,
        camera: Some(pose(CAMERA)),
        left: hand(Side::Left),
        right: hand(Side::Right),
        gaze: Some(Ray {
            origin: some(GAZE),
            direction: some(GAZE + 3),
        }),
    }
}
