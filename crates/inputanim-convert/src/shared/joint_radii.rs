//! The radii of joints, which MRTK does not record. A recording may have them as inputs of the headset.

use inputanim::headset::{self, Headset};
use inputanim::{Frame, Joint, Side};

/// The distances of the skin from each of [`Joint::WEBXR`](inputanim::Joint::WEBXR), in metres: the radii of IWER's own
/// relaxed hand, to a tenth of a millimetre.
pub(crate) const RADII: [f32; 25] = [
    0.0215, // wrist
    0.0194, 0.0123, 0.0098, 0.0088, // thumb
    0.0212, 0.0103, 0.0085, 0.0076, 0.0066, // index finger
    0.0212, 0.0112, 0.0080, 0.0076, 0.0066, // middle finger
    0.0191, 0.0099, 0.0076, 0.0072, 0.0062, // ring finger
    0.0181, 0.0085, 0.0068, 0.0064, 0.0054, // little finger
];

/// The radius of the palm, which WebXR does not have, in metres.
const PALM: f32 = 0.02;

/// The radii of the joints in a frame: the recorded ones, otherwise those of a hand of average size.
pub(crate) struct JointRadii(Option<Headset>);

impl JointRadii {
    pub(crate) fn of(frame: &Frame) -> JointRadii {
        JointRadii(frame.device(headset::name()).map(Headset::of))
    }

    /// Returns the radius of a joint of OpenXR in metres.
    pub(crate) fn radius(&self, side: Side, joint: Joint) -> f32 {
        let recorded = self.0.as_ref();
        let recorded = recorded.and_then(|headset| headset.radius(side, joint));
        recorded.unwrap_or_else(|| joint.webxr_index().map_or(PALM, |index| RADII[index]))
    }
}
