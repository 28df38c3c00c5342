//! Integration tests of the converters. They are one binary, so that they are linked only once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(all(
    feature = "isaac",
    feature = "mcap",
    feature = "xdf",
    feature = "parquet"
))]
mod about;
mod anim;
use inputanim_convert::Error;

/// Returns the error that only one format has.
fn format_error<E: std::error::Error + 'static>(error: Error) -> E {
    match error {
        Error::Format(error) => error.downcast().unwrap(),
        other => panic!("{other}"),
    }
}

mod bvh;
#[cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "only the tests of some formats use it")
)]
mod costs;
mod device_tables;
mod devices;
#[cfg(feature = "egodex")]
mod egodex;
mod formats;
mod frames;
mod gltf;
mod gltf_clip;
mod gltf_of_others;
mod gltf_of_rigs;
#[cfg(feature = "handsbin")]
mod handsbin;
#[cfg(feature = "isaac")]
mod isaac;
#[cfg(feature = "isaac")]
mod isaac_of_others;
mod iwer;
mod json;
#[cfg(feature = "lerobot")]
mod lerobot;
#[cfg(feature = "lerobot")]
mod lerobot_forms;
mod markers;
#[cfg(feature = "mcap")]
mod mcap;
#[cfg(all(feature = "isaac", feature = "mcap"))]
mod mcap_damage;
#[cfg(feature = "mcap")]
mod mcap_files;
#[cfg(feature = "mcap")]
mod mcap_of_others;
mod motion_bids;
mod positions;
mod sign_flips;
#[cfg(feature = "parquet")]
mod table_damage;
#[cfg(feature = "parquet")]
mod table_formats;
#[cfg(feature = "parquet")]
mod table_mappings;
#[cfg(feature = "parquet")]
mod table_recordings;
#[cfg(feature = "parquet")]
mod tables;
#[cfg(feature = "parquet")]
mod tables_of_others;
#[cfg(all(
    feature = "isaac",
    feature = "mcap",
    feature = "xdf",
    feature = "parquet"
))]
mod unknown;
mod unread;
mod usd;
mod utf16;
#[cfg(feature = "xdf")]
mod xdf;
#[cfg(feature = "xdf")]
mod xdf_damage;
#[cfg(feature = "xdf")]
mod xdf_devices;
#[cfg(feature = "xdf")]
mod xdf_files;
#[cfg(feature = "xdf")]
mod xdf_mappings;
#[cfg(feature = "xdf")]
mod xdf_times;
#[cfg(feature = "xror")]
mod xror;
#[cfg(feature = "xror")]
mod xror_damage;
