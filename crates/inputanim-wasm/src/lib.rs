//! The libraries for JavaScript: the npm package `inputanim`.
//!
//! Classes and functions are thin layers over the libraries. Results are plain objects with the same names as the
//! program's JSON. Errors are `Error` objects with `kind`, `curve`, `offset` and `hint`, if these are known.
//! `cargo xtask web` builds three modules from this crate, one for each feature.

mod failure;
mod value;

#[cfg(feature = "core")]
mod content;
#[cfg(feature = "core")]
mod devices;
#[cfg(feature = "core")]
mod player;
#[cfg(feature = "core")]
mod recording;

#[cfg(feature = "edits")]
mod analysis;
#[cfg(feature = "edits")]
mod diff;
#[cfg(feature = "edits")]
mod edits;
#[cfg(feature = "edits")]
mod names;
#[cfg(feature = "edits")]
mod recorder;

#[cfg(feature = "formats")]
mod format_names;
#[cfg(feature = "formats")]
mod formats;
#[cfg(feature = "formats")]
mod webxr;
