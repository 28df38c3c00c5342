//! Crash-safe recording: frames are written to disk while they are recorded.
//!
//! A [`SessionWriter`] collects frames in blocks with checksums. It writes and syncs a block when
//! the last frame on disk is half a second old. [`recover`] finds the intact blocks of a file and
//! records their frames.
//!
//! Guarantee: everything that was [synced](SessionWriter::synced) is in the recovered recording,
//! to the last bit. [`recover`] accepts any bytes and uses memory in proportion to them.
//!
//! Limits: a crash or a power cut costs the frames since the last sync, half a second by default.
//!
//! A [`Recorder`](crate::Recorder) and a session can take the same frames: the recorder then
//! decides which frames are recorded, and at which time.
//!
//! ```
//! use inputanim::session::{SessionOptions, SessionWriter};
//! use inputanim::{Frame, Layout, Recorder};
//!
//! let mut recorder = Recorder::new(Layout::Mrtk1_1);
//! let mut session = SessionWriter::new(Vec::new(), SessionOptions::new(Layout::Mrtk1_1))?;
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
mod error;
mod reader;
mod recover;
mod recovered;
mod sync;
mod writer;

pub use crate::session_format::{has_devices, is_session};
pub use error::{SessionReadError, SessionWriteError};
pub use recover::{recover, recover_with};
pub use recovered::{RecoveredSession, SessionDamage, SessionDamageKind};
pub use sync::{SyncWrite, SyncedData};
pub use writer::{SessionOptions, SessionWriter};
