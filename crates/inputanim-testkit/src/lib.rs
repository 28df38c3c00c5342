//! Shared code of the tests of this workspace: random recordings, damage with known truth, properties
//! that hold for any input, and access to samples and to the corpus.
//!
//! A test that needs the corpus is marked `#[ignore = "needs INPUTANIM_CORPUS"]`, so that a run
//! without the corpus counts it as skipped. `cargo xtask test` includes ignored tests where
//! `INPUTANIM_CORPUS` names the folder.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

pub mod corpus;
#[cfg(feature = "generators")]
pub mod damage;
#[cfg(feature = "generators")]
pub mod devices;
#[cfg(feature = "generators")]
pub mod documents;
#[cfg(feature = "generators")]
pub mod frames;
#[cfg(feature = "generators")]
pub mod generated;
mod inputs;
#[cfg(feature = "mcap-files")]
mod isaac;
#[cfg(feature = "generators")]
pub mod plausible;
pub mod properties;
#[cfg(feature = "generators")]
pub mod random;
pub mod reduced;
pub mod samples;
mod seeded;
pub mod truth;
pub mod xdf;

pub use inputs::{check_fuzz_inputs, check_mutated_inputs, mutate};
#[cfg(feature = "mcap-files")]
pub use isaac::isaac_capture;
pub use seeded::RandomNumbers;
