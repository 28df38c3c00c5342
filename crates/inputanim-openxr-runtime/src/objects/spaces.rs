//! Spaces.

use inputanim::Pose;
use inputanim_openxr::User;
use openxr_sys as xr;

/// A space: its origin, and the pose of the space relative to it.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    pub(crate) origin: Origin,
    pub(crate) offset: Pose,
}

/// The origin of a space.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    View,
    Local,
    Stage,
    /// A pose of a user, as the action is bound.
    Action {
        action: u64,
        /// The user; `None` for any.
        selected: Option<User>,
    },
}

impl Origin {
    /// Returns the type of reference space that has this origin; `None` for the pose of an action.
    pub(crate) const fn reference(self) -> Option<xr::ReferenceSpaceType> {
        match self {
            Origin::View => Some(xr::ReferenceSpaceType::VIEW),
            Origin::Local => Some(xr::ReferenceSpaceType::LOCAL),
            Origin::Stage => Some(xr::ReferenceSpaceType::STAGE),
            Origin::Action { .. } => None,
        }
    }
}
