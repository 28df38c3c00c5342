//! Integration tests of scans, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "catalog")]
mod catalog;
mod damage;
mod devices;
mod epochs;
mod errors;
mod formats;
#[cfg(feature = "lerobot")]
mod lerobot;
mod lists;
mod order;
mod packs;
mod partial;
mod projection;
mod ranges;
mod table;
mod values;
