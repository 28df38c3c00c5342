//! Edits of recordings: time, space, selection, smoothing, markers.
//!
//! [`Edit`] is an edit with its options as a value, which all interfaces apply in the same way. The functions are the
//! steps that it uses.
//!
//! Every edit keeps unrelated content byte for byte. An edit that returns an error leaves the
//! recording unchanged.

mod align;
mod budget;
mod checks;
mod clock;
mod concat;
mod cut;
mod error;
mod fill;
mod hold;
mod linear;
pub mod markers;
mod mirror;
mod resample;
mod select;
mod smooth;
mod split;
mod split_times;
mod time;
mod tracking;
mod transform;
mod trim;
mod value;
mod velocity;
mod zeros;

pub use align::align_keys;
pub use checks::{MAX_PARTS, check_w, refuse_lost_w};
pub use clock::{Align, AlignCandidate, AlignReport, ClockMarker, MatchedMarker, align};
pub use concat::{InventedPinches, Join, concat, invented_pinches, repeat};
pub use error::{EditError, LostW};
pub use fill::{Fill, FillMethod, FillReport, Gap, fill_gaps};
pub use mirror::{MirrorPlane, mirror};
pub(crate) use resample::MAX_KEYS;
pub use resample::{resample, resample_with};
pub use select::select;
pub use smooth::{Smooth, smooth};
pub use split::{split, split_parts};
pub use split_times::{equal_times, gap_times};
pub use time::{retime, retime_to, shift};
pub use transform::{Transform, transform};
pub use trim::trim;
pub use value::{
    AddMarker, Anchor, Edit, EditReport, Mirror, MirrorAcross, MoveMarker, NameTriggers, Origin,
    RemoveMarker, RenameMarker, Repeat, Resample, Retime, Select, Shift, TransformSteps, Trim,
    check_size,
};
pub use zeros::{ZeroRun, forget_zeros, zero_runs};

pub use crate::reduce::Reduce;
