//! Integration tests of the program, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analysis;
mod capabilities;
#[cfg(feature = "parquet")]
mod catalog;
mod commands;
mod convert;
mod convert_many;
mod device_rows;
mod doctor;
mod edit_many;
mod edits;
mod generate;
mod hints;
mod inspect;
#[cfg(feature = "lerobot")]
mod lerobot;
#[cfg(target_os = "linux")]
mod mutated;
mod openxr;
mod outputs;
mod packs;
mod pipes;
mod plot;
mod record;
mod reduce;
mod repair;
mod select;
mod support;
mod view;
mod viewer_texts;
#[cfg(windows)]
mod windows;
#[cfg(feature = "xdf")]
mod xdf;
