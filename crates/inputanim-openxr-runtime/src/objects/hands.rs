//! Hand trackers.

use inputanim::Side;

/// A hand tracker.
#[derive(Clone, Copy)]
pub(crate) struct Tracker {
    pub(crate) side: Side,
    /// The application accepts hands that hold nothing; `None` if it accepts all sources.
    pub(crate) accepts_hands: Option<bool>,
}
