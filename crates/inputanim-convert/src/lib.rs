//! Conversion of MRTK input animation recordings to and from other formats.
//!
//! [`write()`] and [`read`] convert a recording to and from any [`Format`]; both return a [`Report`] of the content
//! that was lost. [`WriteOptions`] and [`ReadOptions`] are the same for all formats.
//!
//! The variants of [`Format`] list the formats, and [`Format::loses`] states the content that each does not hold. Each
//! format has a module that describes its files, such as [`gltf`]. An [`InputFile`] is read in the format that its
//! content or its name states.
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
mod file;
mod lab;
mod lossless;
mod marker_list;
#[cfg(feature = "packs")]
pub mod packs;
mod robot;
mod scene;
mod shared;
mod table;

pub use detect::unread::UnreadFormat;
pub use dispatch::{read, read_in_layout, write, write_bytes};
pub use file::InputFile;
pub use marker_list::MarkerList;
#[allow(
    unused_imports,
    unreachable_pub,
    reason = "a build may lack the formats of a family"
)]
pub use {lab::*, lossless::*, robot::*, scene::*, table::*};

/// The crates of Arrow whose types are in signatures of this crate.
#[cfg(feature = "record-batches")]
pub use {arrow_array, arrow_schema};

pub use shared::error::{Error, FormatError};
pub use shared::fields::{ReadField, WriteField};
pub use shared::file_access::FileAccess;
pub use shared::file_names::without_extension;
pub use shared::format::{Format, UnknownFormat, UnknownValues};
pub use shared::hand_orders::HandOrder;
pub use shared::mapping::{InvalidMapping, Mapping};
pub use shared::no_effect::NoEffect;
pub use shared::options::{NodeNames, ReadOptions, Sampling, TableShape, WriteOptions};
pub use shared::recording_names::{FilePath, distinct_names, file_names, recording_names};
pub use shared::remedy::Remedy;
pub use shared::report::{Loss, LossKind, Note, NoteKind, Report};
pub use shared::sampled::{SampleError, check_duration, check_times};
pub use shared::suggestion::Suggestion;
pub use shared::utf16::text_to_utf8;
