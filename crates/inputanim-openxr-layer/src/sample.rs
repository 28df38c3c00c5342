//! The content of one frame of the recording.

use inputanim::Frame;

/// A frame of the recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) frame: Frame,
    /// The left and the right hand are controllers.
    pub(crate) controllers: [bool; 2],
}
