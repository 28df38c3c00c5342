//! Properties that hold for any bytes. Each fuzz target checks one; tests check all of them on
//! the committed inputs of every target.

pub mod diff;
pub mod doctor;
#[cfg(feature = "formats")]
pub mod frames;
#[cfg(feature = "formats")]
pub mod gltf;
#[cfg(feature = "formats")]
pub mod handsbin;
#[cfg(feature = "exchange")]
pub mod isaac;
#[cfg(feature = "formats")]
pub mod iwer;
#[cfg(feature = "formats")]
pub mod json;
#[cfg(feature = "mcap")]
pub mod mcap;
pub mod parse;
#[cfg(feature = "formats")]
pub mod read;
pub mod recover;
pub mod reduce;
pub mod repair;
pub mod round_trip;
pub mod sampler;
#[cfg(feature = "exchange")]
mod samples;
pub mod session;
#[cfg(feature = "tables")]
pub mod tables;
#[cfg(feature = "exchange")]
pub mod xdf;
