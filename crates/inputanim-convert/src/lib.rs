//! Other formats: one module each, with a `write` and, where the format can come back, a `read`.
//!
//! `write(&Recording, &Options, impl Write)` returns what the format could not hold, as a list of
//! the module's `Loss`, which is empty where nothing was lost; a module without options takes none.
//! `read` returns a recording of its own.
//!
//! | module | what | out | in | what is lost |
//! |---|---|---|---|---|
//! | [`json`] | a recording | yes | yes | nothing |
//! | [`gltf`] | a recording | yes | yes | wrap modes, weights; see [`gltf::Loss`] |
//! | [`frames`] | frames, as ndjson or CSV | yes | yes | numbers that are not finite |
//! | [`iwer`] | a recording | yes | yes | markers, the palm; see [`iwer::Loss`] |
//! | [`unity_anim`] | a recording | yes | no | what is not finite; see [`unity_anim::Loss`] |
//! | [`bvh`] | hands | yes | no | all but joints, gaps; see [`bvh::Loss`] |
//! | [`usd`] | a recording, as text or binary | yes | no | what is not finite; see [`usd::Loss`] |
//! | `mcap` | a recording, with the feature `mcap` | yes | yes | nothing |
//! | [`markers_csv`] | markers | yes | yes | nothing |
//! | [`tables`] | recordings, as Parquet, Arrow, CSV, TSV, ndjson | yes | yes | nothing of keys; of what plays see [`tables::Loss`] |
//! | [`webvtt`] | markers | yes | yes | times finer than a millisecond; see [`webvtt::Loss`] |

#![forbid(unsafe_code)]

pub mod bvh;
mod format;
pub mod frames;
pub mod gltf;
mod hand_mesh;
pub mod iwer;
pub mod json;
mod lines;
pub mod markers_csv;
#[cfg(feature = "mcap")]
pub mod mcap;
mod rigid;
mod sampled;
pub mod tables;
pub mod unity_anim;
#[cfg(any(feature = "mcap", feature = "tables"))]
mod unpacked;
pub mod usd;
pub mod webvtt;

pub use format::{Format, UnknownFormat};
pub use sampled::{MOST_FRAMES, SampleError};
