//! XDF.

mod append;
mod chunks;
mod clock;
mod curves;
mod error;
mod file;
mod fingerprint;
mod header;
mod out_stream;
mod output;
mod plan;
mod read;
mod samples;
mod streams;
mod write;
mod xml;

pub use append::{At, InvalidAt, append};
pub use error::XdfError;
pub(crate) use read::read;
pub use streams::{StreamInfo, streams};
pub(crate) use write::write;

/// The name of the stream of the head.
pub const HEAD: &str = "inputanim-head";
/// The names of the streams of the left and the right hand.
pub const HANDS: [&str; 2] = ["inputanim-left", "inputanim-right"];
/// The name of the stream of the gaze.
pub const GAZE: &str = "inputanim-gaze";
/// The name of the stream of the states of both hands.
pub const STATES: &str = "inputanim-states";
/// The name of the stream of markers.
pub const MARKERS: &str = "inputanim-markers";

/// The program that writes a file.
const PROGRAM: &str = concat!("inputanim ", env!("CARGO_PKG_VERSION"));
