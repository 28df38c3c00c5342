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
//! | `anim` | [`anim`] | keyframes | no | numbers that are not finite |
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
    not(feature = "full"),
    allow(dead_code, unused_imports, unused_variables)
)]

mod detect;
mod dispatch;
mod lab;
mod lossless;
mod robot;
mod scene;
mod shared;
mod table;

pub use dispatch::{read, read_as_bin, write, write_bytes};
#[allow(
    unused_imports,
    unreachable_pub,
    reason = "a build may lack the formats of a family"
)]
pub use {lab::*, lossless::*, robot::*, scene::*, table::*};

pub use shared::error::{Error, FormatError};
pub use shared::format::{Format, UnknownFormat, without_extension};
pub use shared::mapping::{InvalidMapping, Mapping};
pub use shared::options::{
    FileAccess, NodeNames, ReadField, ReadOptions, Sampling, TableShape, UnknownNodeNames,
    WriteField, WriteOptions,
};
pub use shared::report::{Loss, LossKind, Note, NoteKind, Report};
pub use shared::sampled::{SampleError, check_duration, frame_bytes};
pub use shared::utf16::text_to_utf8;
