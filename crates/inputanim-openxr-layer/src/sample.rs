//! The content of one frame of the recording.

use inputanim::headset::Headset;
use inputanim::{DeviceFrame, Frame};

/// A frame of the recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) frame: Frame,
    /// The values of the headset that the runtime knows at this time.
    pub(crate) headset: Headset,
}

/// The values of actions after a synchronisation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs {
    /// The left and the right hand pinch; `None` if no action says so.
    pub(crate) pinches: [Option<bool>; 2],
    /// The devices, without poses. A device about which nothing is known is missing.
    pub(crate) devices: Vec<DeviceFrame>,
}
