//! Writes skeletons, and their motion line by line.

use std::io::{self, Write};

use glam::DVec3;
use inputanim::SamplerCursor;
use inputanim::{Frame, Recording, Sampler, Side};

use super::BvhError;
use super::euler::{Angles, angles_near};
use super::skeleton::{Bone, Skeleton};
use crate::shared::report::counted;
use crate::shared::rigid::Rigid;
use crate::shared::sampled;
use crate::shared::{Error, Format, LossKind, NoteKind, Report, WriteOptions};

/// Samples the hands of a recording at a fixed rate, and writes them as BVH skeletons. Fails if the scale is invalid or
/// no requested hand is ever tracked.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    // The condition is negated so that NaN is refused too.
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(BvhError::Scale(options.scale).into());
    }
    let (sampler, rate) = sampled::sampler(recording, options)?;
    let frames = sampled::steady_frames(&sampler, rate);
    let times = || sampled::steady_times(&sampler, rate);
    let sides = Side::BOTH.into_iter();
    let sides = sides.filter(|&side| options.hand.is_none_or(|hand| hand == side));
    // The hierarchy comes before the motion and has the mean offsets of all frames, so the recording is
    // sampled twice.
    let skeletons = sides.filter_map(|side| Skeleton::measure(&sampler, side, times()));
    let skeletons: Vec<Skeleton> = skeletons.collect();
    if skeletons.is_empty() {
        let error = options.hand.map_or(BvhError::NoHands, BvhError::NoHand);
        return Err(error.into());
    }
    let figure = Figure {
        skeletons: &skeletons,
        scale: options.scale,
    };
    figure.hierarchy(&mut output)?;
    writeln!(output, "MOTION")?;
    writeln!(output, "Frames: {frames}")?;
    writeln!(output, "Frame Time: {}", 1.0 / rate)?;
    figure.motion(&sampler, times(), &mut output)?;
    Ok(report(recording, &sampler, &skeletons, rate))
}

fn report(
    recording: &Recording<'_>,
    sampler: &Sampler,
    skeletons: &[Skeleton],
    rate: f64,
) -> Report {
    let mut report = Report::default();
    report.note(NoteKind::Sampling, format!("sampled at {rate} Hz"));
    let frames = sampled::steady_frames(sampler, rate);
    for skeleton in skeletons {
        let (side, untracked) = (skeleton.side, frames - skeleton.tracked);
        let unknown = skeleton.unknown;
        let message = format!(
            "{side} hand: unknown joints in {}, last pose held",
            counted(unknown, "frame")
        );
        report.lose(LossKind::Joints, unknown, message);
        if untracked > 0 {
            let message =
                // This is a note and not a loss, because BVH cannot represent gaps in any recording.
                format!("{side} hand: untracked in {untracked} of {frames} frames, last pose held");
            report.note(NoteKind::NotInFormat, message);
        }
    }
    let hands = recording.hands.iter();
    let pinches = hands.flat_map(|hands| skeletons.iter().map(|s| &hands.hand(s.side).pinching));
    let mut states = pinches.flat_map(|curve| curve.keys.iter());
    let dropped = [
        (sampler.has_head(), "the head"),
        (sampler.has_gaze(), "the gaze"),
        (states.any(|key| key.is_on()), "pinching"),
    ];
    // Streams that were not recorded are not reported as dropped.
    let dropped = dropped.into_iter().filter(|(is_recorded, _)| *is_recorded);
    let dropped: Vec<&str> = dropped.map(|(_, stream)| stream).collect();
    if !dropped.is_empty() {
        let message = format!("BVH stores only joints; dropped: {}", dropped.join(", "));
        report.note(NoteKind::NotInFormat, message);
    }
    report.leave_markers(recording.markers.len(), Format::Bvh);
    report
}

/// The offset of the end site from a finger tip or the palm: one centimetre along the joint.
const END: DVec3 = DVec3::new(0.0, 0.0, -0.01);

/// The offset of the right hand from the common root in the rest pose.
const APART: DVec3 = DVec3::new(0.2, 0.0, 0.0);

const ROTATIONS: &str = "Zrotation Xrotation Yrotation";
const POSITIONS: &str = "Xposition Yposition Zposition";

/// The hands of a file, and the scale of its lengths in units per metre.
struct Figure<'s> {
    skeletons: &'s [Skeleton],
    scale: f64,
}

impl Figure<'_> {
    /// Returns `true` if the hands need a common root, because more than one joint has no parent.
    fn has_root(&self) -> bool {
        let bones = self.skeletons.iter().flat_map(|skeleton| &skeleton.bones);
        bones.filter(|bone| bone.parent.is_none()).count() != 1
    }

    fn hierarchy(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "HIERARCHY")?;
        let has_root = self.has_root();
        if has_root {
            writeln!(output, "ROOT Hands\n{{\n  OFFSET 0 0 0")?;
            writeln!(output, "  CHANNELS 6 {POSITIONS} {ROTATIONS}")?;
        }
        let depth = usize::from(has_root);
        for skeleton in self.skeletons {
            self.children(skeleton, None, depth, output)?;
        }
        if has_root {
            writeln!(output, "}}")?;
        }
        Ok(())
    }

    /// Writes the children of a joint and everything below them. `parent` is the index of the joint in the bones, or
    /// `None` to write the joints without a parent. `depth` is the number of ancestors of the children in the file.
    fn children(
        &self,
        skeleton: &Skeleton,
        parent: Option<usize>,
        depth: usize,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let bones = skeleton.bones.iter().enumerate();
        for (index, bone) in bones.filter(|(_, bone)| bone.parent == parent) {
            self.joint(skeleton, index, bone, depth, output)?;
        }
        Ok(())
    }

    fn joint(
        &self,
        skeleton: &Skeleton,
        index: usize,
        bone: &Bone,
        depth: usize,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let indent = 2 * depth;
        let kind = if depth == 0 { "ROOT" } else { "JOINT" };
        let side = match skeleton.side {
            Side::Left => "Left",
            Side::Right => "Right",
        };
        writeln!(output, "{:indent$}{kind} {side}{}", "", bone.joint)?;
        writeln!(output, "{:indent$}{{", "")?;
        // The position channels of a root replace its offset. The offset only places two hands side by side in the rest
        // pose.
        let offset = match bone.parent {
            None if depth > 0 => {
                APART
                    * if skeleton.side == Side::Left {
                        -1.0
                    } else {
                        1.0
                    }
            }
            _ => bone.offset,
        };
        self.offset(offset, depth + 1, output)?;
        let channels = if bone.moves {
            format!("6 {POSITIONS} {ROTATIONS}")
        } else {
            format!("3 {ROTATIONS}")
        };
        writeln!(output, "{:indent$}  CHANNELS {channels}", "")?;
        if skeleton.bones.iter().any(|bone| bone.parent == Some(index)) {
            self.children(skeleton, Some(index), depth + 1, output)?
        } else {
            // The grammar requires an end site at every leaf. It gives the last bone a length.
            writeln!(output, "{:indent$}  End Site\n{:indent$}  {{", "", "")?;
            self.offset(END, depth + 2, output)?;
            writeln!(output, "{:indent$}  }}", "")?;
        }
        writeln!(output, "{:indent$}}}", "")
    }

    fn offset(&self, offset: DVec3, depth: usize, output: &mut impl Write) -> io::Result<()> {
        let indent = 2 * depth;
        write!(output, "{:indent$}OFFSET", "")?;
        self.length(offset, output)?;
        writeln!(output)
    }

    fn motion(
        &self,
        sampler: &Sampler,
        times: impl Iterator<Item = f32>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let mut hands: Vec<Hand<'_>> = self.skeletons.iter().map(Hand::new).collect();
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        let has_root = self.has_root();
        let mut line = Vec::new();
        for time in times {
            sampler.read(time, &mut cursor, &mut frame);
            line.clear();
            if has_root {
                // The common root never moves, but its six channels need values in every frame.
                line.extend(b" 0 0 0 0 0 0");
            }
            for hand in &mut hands {
                hand.skeleton
                    .follow(frame.hand(hand.skeleton.side), &mut hand.poses);
                hand.line(self, &mut line)?;
            }
            line.push(b'\n');
            // Each number is written after a space; the first space is not wanted.
            output.write_all(&line[1..])?;
        }
        Ok(())
    }

    /// Writes a vector that is given in metres as three numbers in the units of the file, each after a space.
    fn length(&self, vector: DVec3, output: &mut impl Write) -> io::Result<()> {
        // A tenth of a micrometre is far below the noise of hand tracking.
        numbers((vector * self.scale).to_array(), 1e-7 * self.scale, output)
    }
}

/// A skeleton with the poses and angles of its bones in the current frame.
struct Hand<'s> {
    skeleton: &'s Skeleton,
    poses: Vec<Rigid>,
    angles: Vec<Angles>,
}

impl<'s> Hand<'s> {
    fn new(skeleton: &'s Skeleton) -> Hand<'s> {
        Hand {
            skeleton,
            poses: skeleton.start(),
            angles: vec![[0.0; 3]; skeleton.bones.len()],
        }
    }

    /// Appends the values of all channels of the hand in the current frame to `line`, each after a space. Keeps the
    /// angles for the next frame.
    fn line(&mut self, figure: &Figure<'_>, line: &mut Vec<u8>) -> io::Result<()> {
        // These are the poses that a reader computes. They differ a little from the recorded poses where an offset is
        // fixed. The position channels of a bone are relative to these poses, so that the bone ends exactly at its
        // joint.
        let mut read: Vec<Rigid> = Vec::with_capacity(self.poses.len());
        for (index, bone) in self.skeleton.bones.iter().enumerate() {
            let pose = self.poses[index];
            let parent = bone.parent.map_or(Rigid::IDENTITY, |parent| read[parent]);
            let local = pose.relative_to(&parent);
            let offset = if bone.moves {
                local.position
            } else {
                bone.offset
            };
            if bone.moves {
                figure.length(offset, line)?;
            }
            let angles = angles_near(local.rotation, self.angles[index]);
            numbers(angles, 1e-4, line)?;
            self.angles[index] = angles;
            read.push(Rigid {
                position: parent.position + parent.rotation * offset,
                rotation: pose.rotation,
            });
        }
        Ok(())
    }
}

/// Writes numbers, each after a space, with the fewest digits that read back as the same 32-bit float. Numbers whose
/// magnitude is below `least` come from rounding and become 0. Numbers beyond the range of 32-bit floats are clamped.
fn numbers(numbers: [f64; 3], least: f64, output: &mut impl Write) -> io::Result<()> {
    for number in numbers {
        let number = if number.abs() < least { 0.0 } else { number };
        let number = (number as f32).clamp(f32::MIN, f32::MAX);
        write!(output, " {number}")?;
    }
    Ok(())
}
