//! Conversion of MRTK input animation recordings to and from other formats.
//!
//! [`write()`] and [`read`] convert a recording to and from any [`Format`]; both return a [`Report`] of the content
//! that was lost. [`WriteOptions`] and [`ReadOptions`] are the same for all formats.
//!
//! | format | module | holds | reads | loses |
//! |---|---|---|---|---|
//! | `bin` | [`inputanim`] | everything | yes | nothing |
//! | `json` | [`json`] | everything | yes | nothing |
//! | `glb`, `gltf` | [`gltf`] | keyframes | yes | wrap modes, weights |
//! | `iwer` | [`iwer`] | samples | yes | markers, the palm |
//! | `mcap` | `mcap` | samples and the file itself | yes | nothing |
//! | `isaac` | `isaac` | samples and the file itself | yes | nothing |
//! | `egodex` | `egodex` | – | only | – |
//! | `xdf` | `xdf` | samples | yes | markers without a time |
//! | `xror` | `xror` | – | only | – |
//! | `anim` | [`unity_anim`] | keyframes | no | numbers that are not finite |
//! | `bvh` | [`bvh`] | samples of the hands | no | everything but joints |
//! | `usda`, `usdc` | [`usd`] | samples | no | numbers that are not finite |
//! | `csv`, `tsv`, `ndjson`, `arrow`, `parquet` | [`tables`] | samples or keyframes | yes | nothing of keyframes |
//! | `motion-bids` | [`motion_bids`] | samples | no | numbers that are not finite |
//! | `lerobot` | `lerobot` | samples | no | markers, numbers that are not finite |
//!
//! Each format is a cargo feature. MCAP, Arrow and Parquet have many dependencies and are not default features.
//! [`Format::is_in_build`] states which formats a build includes. Motion-BIDS and LeRobot are datasets of several files
//! and have functions of their own.
//!
//! Besides recordings, [`frames`] reads and writes streams of frames, and [`markers_csv`] and [`webvtt`] read and write
//! lists of markers.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording};
//! use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! let mut bytes = Vec::new();
//! let report = write(Format::Glb, &recording, &WriteOptions::default(), &mut bytes)?;
//! assert!(report.losses.is_empty());
//! let format = Format::detect(&bytes).expect("a known format");
//! let (again, _) = read(format, &bytes, &ReadOptions::default())?;
//! assert_eq!(again, recording);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

#![forbid(unsafe_code)]
// A build with few formats does not use all of the helpers that they share.
#![cfg_attr(
    not(all(
        feature = "bvh",
        feature = "gltf",
        feature = "iwer",
        feature = "tables",
        feature = "unity-anim",
        feature = "usd"
    )),
    allow(dead_code, unused_imports)
)]

#[cfg(any(feature = "arrow", feature = "xdf"))]
mod axes;
mod bin;
#[cfg(feature = "bvh")]
pub mod bvh;
mod bytes;
mod detect;
#[cfg(feature = "egodex")]
pub mod egodex;
mod error;
mod format;
#[cfg(feature = "tables")]
pub mod frames;
#[cfg(feature = "gltf")]
pub mod gltf;
#[cfg(any(feature = "gltf", feature = "usd"))]
mod hand_mesh;
#[cfg(feature = "isaac")]
pub mod isaac;
#[cfg(feature = "iwer")]
pub mod iwer;
#[cfg(any(feature = "isaac", feature = "iwer"))]
mod joint_radii;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "lerobot")]
pub mod lerobot;
mod mapping;
#[cfg(feature = "tables")]
pub mod markers_csv;
#[cfg(feature = "mcap")]
pub mod mcap;
#[cfg(any(feature = "isaac", feature = "mcap"))]
mod mcap_file;
#[cfg(feature = "motion-bids")]
pub mod motion_bids;
mod options;
#[cfg(any(feature = "egodex", feature = "iwer"))]
mod palm;
#[cfg(feature = "tables")]
mod recording_filter;
mod report;
#[cfg(any(
    feature = "bvh",
    feature = "egodex",
    feature = "gltf",
    feature = "isaac",
    feature = "iwer",
    feature = "lerobot",
    feature = "mcap",
    feature = "usd"
))]
mod rigid;
mod sampled;
#[cfg(any(feature = "egodex", feature = "lerobot", feature = "xdf"))]
mod signs;
#[cfg(feature = "tables")]
mod table_error;
#[cfg(feature = "tables")]
pub mod tables;
#[cfg(feature = "tables")]
mod text;
#[cfg(feature = "unity-anim")]
pub mod unity_anim;
#[cfg(any(
    feature = "arrow",
    feature = "egodex",
    feature = "isaac",
    feature = "mcap",
    feature = "xdf"
))]
mod unpacked;
#[cfg(feature = "usd")]
pub mod usd;
mod utf16;
#[cfg(feature = "webvtt")]
pub mod webvtt;
#[cfg(feature = "webvtt")]
mod webvtt_error;
#[cfg(feature = "xdf")]
pub mod xdf;
#[cfg(feature = "xror")]
pub mod xror;

use std::io::Write;

use inputanim::Recording;

pub use bytes::{read_as_bin, write_bytes};
pub use error::Error;
pub use format::{Format, UnknownFormat, without_extension};
pub use mapping::{InvalidMapping, Mapping};
pub use options::{
    FileAccess, NodeNames, ReadField, ReadOptions, Sampling, TableShape, UnknownNodeNames,
    WriteField, WriteOptions,
};
pub use report::{Loss, LossKind, Note, NoteKind, Report};
pub use sampled::{SampleError, check_duration, frame_bytes};
pub use utf16::text_to_utf8;

/// Writes a recording in a format, and returns a report of losses and notes.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// Fails when the build lacks the format, the format is a [dataset](Format::is_dataset), the recording cannot be played
/// or represented, or `output` fails.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::{Format, WriteOptions, write};
/// let recording = Recording::new(Layout::Mrtk1_1);
/// let mut text = Vec::new();
/// write(Format::Json, &recording, &WriteOptions::default(), &mut text)?;
/// assert!(text.starts_with(b"{\n  \"format\": \"inputanim-json\""));
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    // The writer of Parquet requires `Send`.
    output: impl Write + Send,
) -> Result<Report, Error> {
    if !format.can_write() {
        return Err(Error::NotWritable(format));
    }
    if format.is_dataset() {
        return Err(Error::Dataset(format));
    }
    // The last arm handles the formats that the build lacks.
    #[allow(unreachable_patterns)]
    match format {
        Format::Bin => bin::write(recording, options, output),
        #[cfg(feature = "bvh")]
        Format::Bvh => bvh::write(recording, options, output),
        #[cfg(feature = "gltf")]
        Format::Glb | Format::Gltf => gltf::write(format, recording, options, output),
        #[cfg(feature = "isaac")]
        Format::Isaac => isaac::write(recording, options, output),
        #[cfg(feature = "xdf")]
        Format::Xdf => xdf::write(recording, options, output),
        #[cfg(feature = "iwer")]
        Format::Iwer => iwer::write(recording, options, output),
        #[cfg(feature = "json")]
        Format::Json => json::write(recording, options, output),
        #[cfg(feature = "mcap")]
        Format::Mcap => mcap::write(recording, options, output),
        #[cfg(feature = "tables")]
        Format::Csv | Format::Tsv | Format::Ndjson => {
            tables::write(format, recording, options, output)
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => tables::write(format, recording, options, output),
        #[cfg(feature = "parquet")]
        Format::Parquet => tables::write(format, recording, options, output),
        #[cfg(feature = "unity-anim")]
        Format::UnityAnim => unity_anim::write(recording, options, output),
        #[cfg(feature = "usd")]
        Format::Usda => usd::write(format, recording, options, output),
        #[cfg(feature = "usdc")]
        Format::Usdc => usd::write(format, recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording in a format, and returns it with a report of losses and notes.
///
/// # Errors
/// Fails when the format can only be written, the build lacks it, or the bytes are not of the format or
/// exceed the limits.
///
/// ```
/// use inputanim_convert::{Format, ReadOptions, read};
/// let text = b"time_s,left.pinching\n0,0\n0.5,1\n";
/// let (recording, _) = read(Format::Csv, text, &ReadOptions::default())?;
/// assert_eq!(recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    if !format.can_read() {
        return Err(Error::NotReadable(format));
    }
    // The last arm handles the formats that the build lacks.
    #[allow(unreachable_patterns)]
    match format {
        Format::Bin => bin::read(bytes, options),
        #[cfg(feature = "gltf")]
        Format::Glb | Format::Gltf => gltf::read(bytes, options),
        #[cfg(feature = "isaac")]
        Format::Isaac => isaac::read(bytes, options),
        #[cfg(feature = "egodex")]
        Format::EgoDex => egodex::read(bytes, options),
        #[cfg(feature = "xdf")]
        Format::Xdf => xdf::read(bytes, options),
        #[cfg(feature = "xror")]
        Format::Xror => xror::read(bytes, options),
        #[cfg(feature = "iwer")]
        Format::Iwer => iwer::read(&utf16::to_utf8(bytes), options),
        #[cfg(feature = "json")]
        Format::Json => json::read(&utf16::to_utf8(bytes), options),
        #[cfg(feature = "mcap")]
        Format::Mcap => mcap::read(bytes, options),
        #[cfg(feature = "tables")]
        Format::Csv | Format::Tsv | Format::Ndjson => {
            tables::read(format, &utf16::to_utf8(bytes), options)
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => tables::read(format, bytes, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => tables::read(format, bytes, options),
        _ => Err(Error::NotInBuild(format)),
    }
}
