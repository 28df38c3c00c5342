//! From frames to rows.
//!
//! A frame is first gathered into the words of a row. Then all numbers are looked at side by side:
//! whether each is finite, and whether each rotation is on the side of the last one of its joint.
//! Only where one may not be are they looked at one by one.

use super::contents::{Contents, each_pose};
use super::error::RecordError;
use super::fault::first_fault;
use super::rotations::Rotations;
use super::row::{self, HEAD, LONGEST, POSE, RAY};
use crate::frame::Frame;

const SIGN: u32 = 1 << 31;
/// Added to a number without its sign, it reaches the sign's bit just where all bits of the
/// exponent are set, as they are in what is not finite.
const ONE_MORE: u32 = 1 << (f32::MANTISSA_DIGITS - 1);

/// Makes rows of frames that follow each other.
#[derive(Clone)]
pub(crate) struct Encoder {
    row: [u32; LONGEST],
    rotations: Rotations,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder {
            row: [0; LONGEST],
            rotations: Rotations::new(),
        }
    }

    /// The row of a frame, at a time in seconds.
    ///
    /// # Errors
    /// Where a number is not finite or a rotation is none; the frame then leaves no trace.
    #[inline]
    pub(crate) fn encode(&mut self, frame: &Frame, time: f32) -> Result<&[u32], RecordError> {
        let contents = self.gather(frame, time);
        let row = &mut self.row[..row::len(contents)];
        let suspect = |bits, number: &u32| bits | ((number & !SIGN) + ONE_MORE);
        let is_finite = row[HEAD..].iter().fold(0, suspect) & SIGN == 0;
        // A rotation that is none is not ahead of any.
        let is_ahead = self.rotations.are_ahead(contents);
        if !(is_finite && is_ahead) {
            if let Some(fault) = first_fault(frame) {
                self.rotations.reset();
                return Err(fault);
            }
            align(&mut self.rotations, contents, &mut row[HEAD..]);
        }
        self.rotations.advance(contents);
        Ok(row)
    }

    /// Writes the row of a frame as it is.
    #[inline]
    fn gather(&mut self, frame: &Frame, time: f32) -> Contents {
        let mut contents = Contents::without_poses(frame);
        let mut poses = self.row[HEAD..].as_chunks_mut::<POSE>().0.iter_mut();
        each_pose(frame, |place, pose| {
            contents.add_pose(place);
            self.rotations.set(place, pose.rotation);
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

/// Puts each rotation on the side of the last.
#[cold]
fn align(rotations: &mut Rotations, contents: Contents, numbers: &mut [u32]) {
    let (poses, _) = numbers.as_chunks_mut::<POSE>();
    for (place, [_, _, _, rotation @ ..]) in contents.poses().zip(poses) {
        *rotation = rotations.align(place).map(f32::to_bits);
    }
}
