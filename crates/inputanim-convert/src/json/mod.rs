//! Lossless JSON: every bit of a recording as text.
//!
//! One object with a line for each curve, in file order, so that two recordings can be compared
//! with `diff` and taken apart with `jq`:
//!
//! ```json
//! {
//!   "format": "inputanim-json",
//!   "version": 1,
//!   "layout": "mrtk-1.1",
//!   "flags": {"camera": 1, "hand": 0, "gaze": 0},
//!   "curves": [
//!     {"curve":"camera.position.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.0,1.5]]}
//!   ],
//!   "markers": [
//!     {"time":0.5,"name":"start"}
//!   ]
//! }
//! ```
//!
//! - A key is an array: `[time, value]`, or for `"kind":"full"` `[time, value, inTangent,
//!   outTangent, inWeight, outWeight, weightedMode]`. Kinds are `simple`, `full` and `boolean`.
//! - A number has the fewest digits that read back as the same 32-bit float. What is no number
//!   is a string: `"Infinity"`, `"-Infinity"`, `"NaN"`, and any other NaN with its bits,
//!   `"NaN(0xffc00001)"`.
//! - `flags` holds the file's flag bytes and is absent in version 1.0; `markers` is absent in a
//!   layout without a marker list. A curve that is left out has no keys.
//!
//! Nothing is lost either way.

mod keys;
mod number;
mod read;
mod write;

pub use number::{NotANumber, Number};
pub use read::{Error, read, read_with};
pub use write::write;

/// The value of `"format"`.
pub(crate) const FORMAT: &str = "inputanim-json";
/// The value of `"version"`.
pub(crate) const VERSION: u32 = 1;

/// Whether bytes look like this format rather than like a recording: the first that is not
/// white space opens an object.
///
/// ```
/// assert!(inputanim_convert::json::is_json(b" {\"format\":"));
/// assert!(!inputanim_convert::json::is_json(&inputanim::MAGIC));
/// ```
pub fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"{")
}
