//! Encoding of frames as rows.
//!
//! Method: a frame is copied into the words of a row. Two checks without branches then cover all
//! numbers: each is finite, and each rotation is in the hemisphere of the last rotation of its
//! joint. The numbers are examined one by one only if a check fails.

use super::contents::{Contents, each_pose};
use super::error::RecordError;
use super::fault::first_fault;
use super::rotations::Rotations;
use super::row::{self, HEAD, MAX_LEN, POSE, RAY};
use crate::frame::Frame;

const SIGN: u32 = 1 << 31;
/// Lowest bit of the exponent. Added to a number without its sign, it carries into the sign bit
/// exactly when all bits of the exponent are set: when the number is not finite.
const EXPONENT_STEP: u32 = 1 << (f32::MANTISSA_DIGITS - 1);

/// Encodes consecutive frames.
#[derive(Clone)]
pub(crate) struct Encoder {
    row: [u32; MAX_LEN],
    rotations: Rotations,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder {
            row: [0; MAX_LEN],
            rotations: Rotations::new(),
        }
    }

    /// Encodes a frame as a row of 32-bit words with the given time in seconds. Flips the sign of each rotation that is
    /// not in the hemisphere of the last rotation of its joint.
    ///
    /// # Errors
    /// When a number is not finite or a rotation is 0. The encoder is then as it was before.
    #[inline]
    pub(crate) fn encode(&mut self, frame: &Frame, time: f32) -> Result<&[u32], RecordError> {
        let contents = self.gather(frame, time);
        let row = &mut self.row[..row::len(contents)];
        // One test of the combined bits replaces a branch for each number.
        let suspect = |bits, number: &u32| bits | ((number & !SIGN) + EXPONENT_STEP);
        let is_finite = row[HEAD..].iter().fold(0, suspect) & SIGN == 0;
        // A rotation of 0 is never aligned, so it takes the branch below.
        let is_aligned = self.rotations.are_aligned(contents);
        if !(is_finite && is_aligned) {
            if let Some(fault) = first_fault(frame) {
                self.rotations.reset();
                return Err(fault);
            }
            align(&mut self.rotations, contents, &mut row[HEAD..]);
        }
        // The rotations advance only now, so that a refused frame does not change the last
        // rotations.
        self.rotations.advance(contents);
        Ok(row)
    }

    /// Copies a frame into the row of the encoder without checks, and returns the set of the frame's poses, rays and
    /// states.
    #[inline]
    fn gather(&mut self, frame: &Frame, time: f32) -> Contents {
        let mut contents = Contents::without_poses(frame);
        let mut poses = self.row[HEAD..].as_chunks_mut::<POSE>().0.iter_mut();
        each_pose(frame, |slot, pose| {
            contents.add_pose(slot);
            self.rotations.set(slot, pose.rotation);
            if let Some(words) = poses.next() {
                let ([x, y, z], [a, b, c, d]) = (pose.position, pose.rotation);
                *words = [x, y, z, a, b, c, d].map(f32::to_bits);
            }
        });
        if let Some(gaze) = &frame.gaze {
            let ([x, y, z], [a, b, c]) = (gaze.origin, gaze.direction);
            let end = row::len(contents);
            self.row[end - RAY..end].copy_from_slice(&[x, y, z, a, b, c].map(f32::to_bits));
        }
        let bits = contents.bits();
        self.row[..HEAD].copy_from_slice(&[time.to_bits(), bits as u32, (bits >> 32) as u32]);
        contents
    }
}

/// Flips the sign of each rotation that is not in the hemisphere of the last rotation of its joint. `numbers` has the
/// poses of a row, in which the rotations are replaced.
#[cold]
fn align(rotations: &mut Rotations, contents: Contents, numbers: &mut [u32]) {
    let (poses, _) = numbers.as_chunks_mut::<POSE>();
    for (slot, [_, _, _, rotation @ ..]) in contents.poses().zip(poses) {
        *rotation = rotations.align(slot).map(f32::to_bits);
    }
}
