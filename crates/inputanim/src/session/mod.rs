//! Frames to disk as they come, so that a crash or a power cut costs at most the last second.
//!
//! Method: a [`Writer`] gathers frames into blocks with checksums, and writes and syncs one whenever
//! the last frame on disk is half a second old. [`recover`] finds the blocks that are whole, whatever
//! is between them, and records their frames.
//!
//! Guarantee: what was [safe](Writer::safe) is in the recording to the last bit. Any bytes can be
//! recovered from, in memory that is bounded by theirs.
//!
//! A [`Recorder`](crate::Recorder) and a writer may take the same frames: the recorder says which are
//! recorded, and when.
//!
//! ```
//! use inputanim::session::{Settings, Writer};
//! use inputanim::{Frame, Layout, Recorder};
//!
//! let mut recorder = Recorder::new(Layout::Mrtk1_1);
//! let mut session = Writer::new(Vec::new(), Settings::new(Layout::Mrtk1_1))?;
//! # let frames = [Frame::default()];
//! for mut frame in frames {
//!     if recorder.push(&frame)? {
//!         frame.time = recorder.time_in_recording(frame.time);
//!         session.push(&frame)?;
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Specification: docs/session.md.

mod blocks;
mod durable;
mod error;
mod format;
mod reader;
mod recover;
mod recovery;
mod writer;

pub use durable::{Durable, Safe};
pub use error::{RecoverError, WriteError};
pub use recover::{is_session, recover};
pub use recovery::{Lost, LostPart, Recovery};
pub use writer::{Settings, Writer};
