//! Edits of recordings: time, space, selection, smoothing, markers.
//!
//! Every edit keeps what it does not concern byte for byte. An edit that returns an error leaves
//! the recording unchanged.

mod align;
mod budget;
mod checks;
mod concat;
mod cut;
mod error;
mod fill;
mod linear;
pub mod markers;
mod mirror;
mod resample;
mod select;
mod smooth;
mod split_times;
mod time;
mod tracking;
mod transform;
mod trim;

pub use align::align_keys;
pub use checks::refuse_lost_w;
pub use concat::{Transition, concat, repeat};
pub use error::EditError;
pub use fill::{FillMethod, FillOptions, FillReport, Gap, fill_gaps};
pub use mirror::{MirrorPlane, mirror};
pub use resample::{resample, resample_with};
pub use select::select;
pub use smooth::{SmoothOptions, smooth};
pub use split_times::{equal_times, gap_times};
pub use time::{retime, retime_to, shift};
pub use transform::{Transform, transform};
pub use trim::{split, trim};
