//! Hand trackers.

use inputanim::Side;

/// A hand tracker.
#[derive(Clone, Copy)]
pub(crate) struct Tracker {
    pub(crate) side: Side,
    /// The application accepts hands that are seen, and hands that are computed from the state of a controller; `None` if it does
    /// not name sources, and accepts both.
    pub(crate) sources: Option<[bool; 2]>,
    /// The tracker belongs to the application, and not to the layer that records it.
    pub(crate) is_of_application: bool,
}
