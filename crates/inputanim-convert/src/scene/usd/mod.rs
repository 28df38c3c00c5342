//! Universal Scene Description (<https://openusd.org>), as text (`.usda`) and binary (`.usdc`).
//!
//! ```text
//! /take                 markers
//!   /head               pose of the head
//!     /head_camera      camera that looks forward
//!   /gaze               −Z is the direction of the gaze
//!     /gaze_ray         line of 1 m
//!   /left               SkelRoot: tracked, pinching; hidden while untracked
//!     /left_motion      SkelAnimation: joints relative to their parents
//!     /left_skeleton    Skeleton
//!     /left_mesh        balls and bones that make the hand visible
//!   /right
//! ```
//!
//! - [`Space::Usd`](inputanim::Space::Usd) describes the axes: right-handed, +Y up, −Z forward, in metres. `upAxis` and
//!   `metersPerUnit` state them.
//! - The recording is sampled from 0 to its end: a time code is a frame, and `timeCodesPerSecond` is the
//!   rate. There are also samples at the end and at each time at which a hand is found or lost, or begins
//!   or stops pinching. Between samples USD interpolates linearly, rotations along the shorter arc.
//!   Rotations are written in one hemisphere, so that sign flips disappear.
//! - Joints have samples while their hand is tracked. The rest pose consists of the first known pose of each joint.
//! - `inputanim:tracked` and `inputanim:pinching` of a hand change at the exact times.
//!   `inputanim:markers` of the root prim contains the names of the markers at the last time that has markers.
//! - A gaze is hidden where it is not finite or its direction is 0, as on devices without eye tracking.
//! - A joint or head whose pose is not finite, or more than a million kilometres away, keeps its last pose.
//!
//! Text and binary have the same content. Numbers have the precision of 32-bit floats.
//!
//! ```
//! use inputanim_convert::{Format, Sampling, WriteOptions, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.sampling = Sampling::Rate(30.0);
//! let (stage, _) = write_bytes(Format::Usda, &recording, &options)?;
//! assert!(stage.starts_with(b"#usda 1.0"));
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

#[cfg(feature = "usdc")]
mod binary;
mod contents;
mod hand;
mod head;
mod mesh;
mod sampled_recording;
mod skeleton;
mod stage;
mod text;

use std::io::Write;

use inputanim::Recording;

use crate::shared::sampled;
use crate::shared::{Error, Format, NoteKind, Report, WriteOptions};
use sampled_recording::SampledRecording;

/// Samples a recording, and writes it as a USD stage: binary for [`Format::Usdc`], otherwise as text.
///
/// Frames are computed while they are written, so only a few numbers for each frame are in memory.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let (sampler, rate) = sampled::sampler(recording, options)?;
    let mut report = Report::default();
    report.note(NoteKind::Sampling, format!("sampled at {rate} Hz"));
    let sampled = SampledRecording::new(recording, sampler, rate);
    let stage = contents::of(&sampled, &mut report);
    match format {
        #[cfg(feature = "usdc")]
        Format::Usdc => binary::write(&stage, output)?,
        _ => text::write(&stage, output)?,
    }
    Ok(report)
}
