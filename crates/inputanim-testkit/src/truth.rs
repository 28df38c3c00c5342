//! The frames from which MRTK's recorder made the recordings of the corpus. The tests,
//! `cargo xtask accuracy` and `cargo xtask reduction` compare with them.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, Side};

/// Reads the frames that MRTK's recorder received, from the file `mrtk/truth.frames` in the folder `corpus`. Their
/// times in seconds start at 0, like the times of the recordings.
///
/// # Errors
/// Returns an error if the file cannot be read or is truncated.
pub fn frames(corpus: &Path) -> Result<Vec<Frame>> {
    let path = corpus.join("mrtk/truth.frames");
    let with_path = |message: &dyn std::fmt::Display| format!("{}: {message}", path.display());
    let bytes = fs::read(&path).map_err(|error| Error::new(error.kind(), with_path(&error)))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let (frames, more) = numbers.as_chunks::<NUMBERS>();
    if !rest.is_empty() || !more.is_empty() {
        let message = with_path(&"truncated");
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

/// The count of numbers in a frame: the time; tracked and pinching of the left and of the right hand;
/// position and rotation of the head; origin and direction of the gaze; and for each joint of both
/// hands a flag (1 if it was recorded), position and rotation.
const NUMBERS: usize = 450;
const HEAD: usize = 5;
const GAZE: usize = 12;
const JOINTS: usize = 18;
const JOINT: usize = 8;

fn frame(numbers: &[f32; NUMBERS], start: f32) -> Frame {
    let vector = |at: usize| std::array::from_fn(|part| numbers[at + part]);
    let pose = |at: usize| Pose {
        position: vector(at),
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
        head: Some(pose(HEAD)),
        left: hand(Side::Left),
        right: hand(Side::Right),
        gaze: Some(Ray {
            origin: vector(GAZE),
            direction: vector(GAZE + 3),
        }),
        ..Frame::default()
    }
}
