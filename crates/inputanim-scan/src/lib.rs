//! Reads many MRTK input animation recordings as batches of rows, for data frames and databases.
//!
//! A [`Scan`] reads files, folders, patterns of paths or bytes, and returns rows of one [`Shape`]: instants, joints at
//! instants, keys, recordings, findings, events, measures or markers. Only the selected columns are computed, and only the
//! curves of these columns are sampled. Values equal the output of the program `inputanim`, to the last bit.
//!
//! | task | start with |
//! |---|---|
//! | rows in order, on several threads | [`Scan::batches`] |
//! | rows as Arrow record batches | `Scan::record_batches` (feature `arrow`) |
//! | rows on the threads of another engine | [`Scan::tasks`] |
//! | names, types, units and meanings of columns | [`ScanOptions::fields`], [`Scan::fields`] |
//! | the files of a scan with their sizes | [`Scan::files`] |
//! | files in packs, which are read wherever files are read | [`packs`] |
//! | a folder as packs, and packs as a folder | [`pack`], [`unpack`] |
//! | files that were skipped | [`Scan::errors`] |
//! | rows of one file, with notices about it | [`Scan::rows_of`] |
//! | files whose damage changes the rows | [`Scan::damaged`], the column `damage` |
//! | notices, such as a time range that exceeds a recording | [`Scan::notices`] |
//! | the facts of many recordings as one Parquet file | `CatalogScan`, `ScanOptions::catalog` (feature `catalog`) |
//! | episodes for training policies of robots | `lerobot::write_dataset` (feature `lerobot`) |
//!
//! ```
//! use inputanim_scan::{FileBytes, Scan, ScanOptions, Shape, Source, Values};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.0, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 2.0, 0.0]));
//! # let mut bytes = Vec::new();
//! # recording.write(&mut bytes)?;
//! // `Source::from("study/**/*.bin")` reads the files that match a pattern.
//! let source = Source::Bytes { name: "take.bin".to_owned(), bytes: FileBytes::new(bytes) };
//! let mut options = ScanOptions::default();
//! options.shape = Shape::Wide;
//! options.columns = Some(vec!["time_s".to_owned(), "head.position.y".to_owned()]);
//! let scan = Scan::new([source], options)?;
//! let mut rows = 0;
//! for batch in scan.batches() {
//!     let batch = batch?;
//!     rows += batch.rows;
//!     let Values::Float32(heights) = &batch.columns[1].values else { continue };
//!     assert_eq!(heights[0], 1.0);
//! }
//! assert_eq!(rows, 61);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! Files are in the order of the sources; the files of a folder or pattern are sorted by their paths. The rows of a
//! recording are in order of time, and keys in the order of the file. Rows do not depend on the number of threads.
//!
//! # Threads
//!
//! [`Scan::batches`] starts threads, and [`Scan::tasks`] does not. If the crate `inputanim` is built with its feature
//! `parallel`, sampling uses further threads in both cases; engines therefore build without it.
//!
//! # Memory
//!
//! A thread has one recording and two batches at a time. Long recordings are cut into time ranges, which several threads
//! sample from the same bytes. Tables with a rate read only the needed curves of large files, and the first and the last
//! key of the others, if MRTK wrote the layout ([`CurveIndex`](inputanim::CurveIndex)).

#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
mod arrow;
mod batches;
#[cfg_attr(not(feature = "catalog"), path = "no_catalog.rs")]
mod catalog;
mod devices;
mod epochs;
mod error;
mod fields;
mod file_rows;
#[cfg(feature = "lerobot")]
pub mod lerobot;
mod notice;
mod opener;
mod options;
mod packing;
mod recording;
mod rows;
mod scan;
mod segment_names;
mod segments;
mod shape;
mod shared;
mod source;
mod task;
mod threads;
mod trials;

#[cfg(feature = "catalog")]
pub use catalog::{CATALOG_FILE, Catalog, CatalogError, CatalogScan, FailedRecording};
#[cfg(feature = "lerobot")]
pub use error::NoSuccess;
pub use error::{FileError, FileProblem, ScanError};
pub use file_rows::FileRows;
pub use inputanim_analysis::property_column;
pub use inputanim_convert::{file_names, recording_names};
pub use notice::{FileNotice, NotInShape, Notice};
pub use opener::{FileBytes, FileOpener};
pub use options::ScanOptions;
pub use packing::{PackOptions, Packed, PackingError, UnpackOptions, Unpacked, pack, unpack};
pub use rows::FileFacts;
pub use scan::{DamagedFile, Scan};
pub use segment_names::{SegmentColumnError, segment_column_names};
pub use segments::{EventTime, NoSegments, Segments, SegmentsError, UnknownSegments};
pub use shape::{OnError, Shape};
pub use source::{
    FolderItem, ScanFile, Source, files_in, is_pattern, matching, path_inside, portable,
};
pub use task::{Task, TaskBatches, TaskQueue};
pub use trials::{
    LongerTrials, OutsideRecording, RecordingName, TargetFileError, TrialTable, TrialTableError,
    UnknownTrial, UnknownTrials, read_targets,
};

#[cfg(feature = "arrow")]
pub use arrow::RecordBatches;
pub use batches::Batches;
pub use inputanim_convert::Sampling;
pub use inputanim_convert::packs;
pub use inputanim_convert::tables::{
    Batch, Column, DataType, Field, InvalidPathPattern, PathPattern, TextRun, Values,
};
pub use inputanim_output::{Existing, is_windows_name};
