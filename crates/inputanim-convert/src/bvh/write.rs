//! Skeletons out, and their motion line by line.

use std::io::{self, Write};

use glam::DVec3;
use inputanim::sampler::Cursor;
use inputanim::{Frame, Recording, Sampler, Side};

use super::euler::{Angles, angles_near};
use super::skeleton::{Bone, Skeleton};
use super::{Loss, Options, Report, WriteError};
use crate::rigid::Rigid;
use crate::sampled;

/// Writes the hands of a recording.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, when there would be too many frames, when no hand is ever tracked or
/// not the one that is asked for, when the scale is not above 0 and finite, or when `output` fails.
///
/// ```
/// use inputanim::{Joint, Layout, Pose, Recording};
/// use inputanim_convert::bvh;
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// let left = &mut take.hands_mut().left;
/// left.tracked.push(0.0, true);
/// left.joints[Joint::Wrist].push(0.0, &Pose::at([0.0, 1.25, 0.5]));
/// let mut text = Vec::new();
/// let report = bvh::write(&take, &bvh::Options::default(), &mut text)?;
/// assert_eq!((report.frames, report.joints), (1, 1));
/// assert!(text.starts_with(b"HIERARCHY\nROOT LeftWrist\n"));
/// assert!(text.ends_with(b"\n0 125 -50 0 0 0\n"));
/// # Ok::<(), bvh::WriteError>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    mut output: impl Write,
) -> Result<Report, WriteError> {
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(WriteError::Scale(options.scale));
    }
    let sampler = sampled::sampler(recording, options.rate)?;
    let frames = sampled::steady_frames(&sampler, options.rate);
    let times = || sampled::steady_times(&sampler, options.rate);
    let sides = Side::BOTH.into_iter();
    let sides = sides.filter(|&side| options.hand.is_none_or(|hand| hand == side));
    let skeletons = sides.filter_map(|side| Skeleton::measure(&sampler, side, times()));
    let skeletons: Vec<Skeleton> = skeletons.collect();
    if skeletons.is_empty() {
        return Err(options.hand.map_or(WriteError::NoHands, WriteError::NoHand));
    }
    let figure = Figure {
        skeletons: &skeletons,
        scale: options.scale,
    };
    figure.hierarchy(&mut output)?;
    writeln!(output, "MOTION")?;
    writeln!(output, "Frames: {frames}")?;
    writeln!(output, "Frame Time: {}", 1.0 / options.rate)?;
    figure.motion(&sampler, times(), &mut output)?;
    let bones = || skeletons.iter().flat_map(|skeleton| &skeleton.bones);
    Ok(Report {
        frames,
        joints: bones().count(),
        stretching: bones()
            .filter(|bone| bone.moves && bone.parent.is_some())
            .count(),
        losses: losses(recording, &sampler, &skeletons, frames),
    })
}

fn losses(
    recording: &Recording<'_>,
    sampler: &Sampler,
    skeletons: &[Skeleton],
    of: usize,
) -> Vec<Loss> {
    let mut losses = Vec::new();
    for skeleton in skeletons {
        let (side, frames) = (skeleton.side, of - skeleton.tracked);
        if frames > 0 {
            losses.push(Loss::Untracked { side, frames, of });
        }
        if skeleton.unknown > 0 {
            let frames = skeleton.unknown;
            losses.push(Loss::Unknown { side, frames });
        }
    }
    let hands = recording.hands.iter();
    let pinches = hands.flat_map(|hands| skeletons.iter().map(|s| &hands.hand(s.side).pinching));
    let mut states = pinches.flat_map(|curve| curve.keys.iter());
    let markers = recording.markers.len();
    let lost = [
        (sampler.has_camera(), Loss::Camera),
        (sampler.has_gaze(), Loss::Gaze),
        (states.any(|key| key.is_on()), Loss::Pinches),
        (markers > 0, Loss::Markers { markers }),
    ];
    losses.extend(
        lost.into_iter()
            .filter(|(is_lost, _)| *is_lost)
            .map(|(_, loss)| loss),
    );
    losses
}

/// From a finger tip to its end, and from the palm: one centimetre along the joint.
const END: DVec3 = DVec3::new(0.0, 0.0, -0.01);

/// From the root of two hands to the right one at rest.
const APART: DVec3 = DVec3::new(0.2, 0.0, 0.0);

const ROTATIONS: &str = "Zrotation Xrotation Yrotation";
const POSITIONS: &str = "Xposition Yposition Zposition";

/// The hands of a file.
struct Figure<'s> {
    skeletons: &'s [Skeleton],
    scale: f64,
}

impl Figure<'_> {
    /// Whether the hands hang on a root of their own: there is more than one joint to begin with.
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

    /// The joints that hang on another one, and what hangs on them.
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
        let channels = match bone.moves {
            true => format!("6 {POSITIONS} {ROTATIONS}"),
            false => format!("3 {ROTATIONS}"),
        };
        writeln!(output, "{:indent$}  CHANNELS {channels}", "")?;
        match skeleton.bones.iter().any(|bone| bone.parent == Some(index)) {
            true => self.children(skeleton, Some(index), depth + 1, output)?,
            false => {
                writeln!(output, "{:indent$}  End Site\n{:indent$}  {{", "", "")?;
                self.offset(END, depth + 2, output)?;
                writeln!(output, "{:indent$}  }}", "")?;
            }
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
        let mut cursor = Cursor::default();
        let mut frame = Frame::default();
        let has_root = self.has_root();
        let mut line = Vec::new();
        for time in times {
            sampler.read(time, &mut cursor, &mut frame);
            line.clear();
            if has_root {
                line.extend(b" 0 0 0 0 0 0");
            }
            for hand in &mut hands {
                hand.skeleton
                    .follow(frame.hand(hand.skeleton.side), &mut hand.poses);
                hand.line(self, &mut line)?;
            }
            line.push(b'\n');
            output.write_all(&line[1..])?;
        }
        Ok(())
    }

    /// A vector in metres, in the units of the file.
    fn length(&self, vector: DVec3, output: &mut impl Write) -> io::Result<()> {
        numbers((vector * self.scale).to_array(), 1e-7 * self.scale, output)
    }
}

/// A hand that moves.
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

    /// The channels of all joints in a frame.
    fn line(&mut self, figure: &Figure<'_>, line: &mut Vec<u8>) -> io::Result<()> {
        // Where a reader will have the joints: bones that do not move are a little off.
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

/// With the fewest digits that read back as the same 32-bit float; what is less than `least` is
/// rounding, and 0, and what is beyond all of these is the largest.
fn numbers(numbers: [f64; 3], least: f64, output: &mut impl Write) -> io::Result<()> {
    for number in numbers {
        let number = if number.abs() < least { 0.0 } else { number };
        let number = (number as f32).clamp(f32::MIN, f32::MAX);
        write!(output, " {number}")?;
    }
    Ok(())
}
