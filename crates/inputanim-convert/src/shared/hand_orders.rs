//! The orders in which programs number the positions of a hand.

use inputanim::Joint;

inputanim::named_enum! {
    /// An order of the positions of a hand. A number is a place in a list, from 0 on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum HandOrder: "order of joints" {
        /// The 21 landmarks of MediaPipe: the wrist, then the joints of the thumb, the index, middle, ring and little finger, each
        /// from the palm to the tip. Metacarpals of fingers are not among them.
        ///
        /// Source: `HandLandmark` of MediaPipe Solutions.
        MediaPipe => "mediapipe",
        /// The 21 keypoints of a hand in OpenPose, which have the order of MediaPipe.
        ///
        /// Source: OpenPose, "Output", "Hand Output Format".
        OpenPose => "openpose",
        /// The 16 joints of the hand model MANO and its 5 tips: the wrist, then three joints each of the index, middle, little, ring
        /// finger and the thumb, then the tips of the thumb, the index, middle, ring and little finger.
        ///
        /// Source: `JOINT_NAMES` of otaheri/MANO, and `MANO_RIGHT_KEYPOINTS` of MMHuman3D.
        Mano => "mano",
        /// The 26 joints of OpenXR.
        ///
        /// Source: `XrHandJointEXT` of `XR_EXT_hand_tracking`.
        OpenXr => "openxr",
        /// The 25 joints of WebXR.
        ///
        /// Source: WebXR Hand Input Module, "Skeleton Joints".
        WebXr => "webxr",
    }
}

/// The landmarks of MediaPipe with their names.
const MEDIAPIPE: [(&str, Joint); 21] = [
    ("WRIST", Joint::Wrist),
    ("THUMB_CMC", Joint::ThumbMetacarpalJoint),
    ("THUMB_MCP", Joint::ThumbProximalJoint),
    ("THUMB_IP", Joint::ThumbDistalJoint),
    ("THUMB_TIP", Joint::ThumbTip),
    ("INDEX_FINGER_MCP", Joint::IndexKnuckle),
    ("INDEX_FINGER_PIP", Joint::IndexMiddleJoint),
    ("INDEX_FINGER_DIP", Joint::IndexDistalJoint),
    ("INDEX_FINGER_TIP", Joint::IndexTip),
    ("MIDDLE_FINGER_MCP", Joint::MiddleKnuckle),
    ("MIDDLE_FINGER_PIP", Joint::MiddleMiddleJoint),
    ("MIDDLE_FINGER_DIP", Joint::MiddleDistalJoint),
    ("MIDDLE_FINGER_TIP", Joint::MiddleTip),
    ("RING_FINGER_MCP", Joint::RingKnuckle),
    ("RING_FINGER_PIP", Joint::RingMiddleJoint),
    ("RING_FINGER_DIP", Joint::RingDistalJoint),
    ("RING_FINGER_TIP", Joint::RingTip),
    ("PINKY_MCP", Joint::PinkyKnuckle),
    ("PINKY_PIP", Joint::PinkyMiddleJoint),
    ("PINKY_DIP", Joint::PinkyDistalJoint),
    ("PINKY_TIP", Joint::PinkyTip),
];

const MANO: [Joint; 21] = [
    Joint::Wrist,
    Joint::IndexKnuckle,
    Joint::IndexMiddleJoint,
    Joint::IndexDistalJoint,
    Joint::MiddleKnuckle,
    Joint::MiddleMiddleJoint,
    Joint::MiddleDistalJoint,
    Joint::PinkyKnuckle,
    Joint::PinkyMiddleJoint,
    Joint::PinkyDistalJoint,
    Joint::RingKnuckle,
    Joint::RingMiddleJoint,
    Joint::RingDistalJoint,
    Joint::ThumbMetacarpalJoint,
    Joint::ThumbProximalJoint,
    Joint::ThumbDistalJoint,
    Joint::ThumbTip,
    Joint::IndexTip,
    Joint::MiddleTip,
    Joint::RingTip,
    Joint::PinkyTip,
];

impl HandOrder {
    /// Returns the joints in this order.
    ///
    /// ```
    /// use inputanim::Joint;
    /// use inputanim_convert::HandOrder;
    /// assert_eq!(HandOrder::MediaPipe.joints()[8], Joint::IndexTip);
    /// ```
    pub fn joints(self) -> Vec<Joint> {
        let sorted = |place: fn(Joint) -> Option<usize>| {
            let places = Joint::ALL.into_iter();
            let places = places.filter_map(|joint| Some((place(joint)?, joint)));
            let mut joints: Vec<(usize, Joint)> = places.collect();
            joints.sort_unstable_by_key(|(place, _)| *place);
            joints.into_iter().map(|(_, joint)| joint).collect()
        };
        match self {
            HandOrder::MediaPipe | HandOrder::OpenPose => {
                MEDIAPIPE.map(|(_, joint)| joint).to_vec()
            }
            HandOrder::Mano => MANO.to_vec(),
            HandOrder::OpenXr => sorted(Joint::openxr_index),
            HandOrder::WebXr => sorted(Joint::webxr_index),
        }
    }

    /// Returns the name of the joint with a number, if the order has names.
    pub(crate) fn name_of(self, number: usize) -> Option<&'static str> {
        match self {
            HandOrder::MediaPipe => MEDIAPIPE.get(number).map(|(name, _)| *name),
            _ => None,
        }
    }

    /// Returns a source with the placeholders `{n}`, `{n+1}` and `{name}` for the joint with a number. Returns `None` if it has no
    /// placeholder, or if the order has no names.
    pub(crate) fn expand(self, source: &str, number: usize) -> Option<String> {
        let mut text = source.replace("{n}", &number.to_string());
        text = text.replace("{n+1}", &(number + 1).to_string());
        if text.contains("{name}") {
            text = text.replace("{name}", self.name_of(number)?);
        }
        (text != source).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn orders_have_each_joint_once() {
        for (name, count) in [
            ("mediapipe", 21),
            ("openpose", 21),
            ("mano", 21),
            ("openxr", 26),
            ("webxr", 25),
        ] {
            let joints = name.parse::<HandOrder>().unwrap().joints();
            assert_eq!(joints.len(), count, "{name}");
            let different: HashSet<_> = joints.iter().map(|joint| joint.index()).collect();
            assert_eq!(different.len(), count, "{name}");
        }
        assert!("leap".parse::<HandOrder>().is_err());
        // The names and the places of the landmarks agree with the tables of rigs.
        #[cfg(feature = "gltf")]
        for (name, joint) in MEDIAPIPE {
            let name = crate::shared::rigs::JointName::parse(name).unwrap();
            assert_eq!(
                crate::shared::rigs::joints_of(&[&name], None),
                [Some(joint)]
            );
        }
        assert_eq!(HandOrder::OpenXr.joints()[..2], [Joint::Palm, Joint::Wrist]);
        assert_eq!(HandOrder::WebXr.joints()[9], Joint::IndexTip);
    }

    #[test]
    fn placeholders_are_numbers_and_names() {
        let of = |source: &str, number| HandOrder::MediaPipe.expand(source, number);
        assert_eq!(of("x{n}", 20).as_deref(), Some("x20"));
        assert_eq!(of("x{n+1}", 20).as_deref(), Some("x21"));
        assert_eq!(of("{name}_x", 8).as_deref(), Some("INDEX_FINGER_TIP_x"));
        assert_eq!(of("x", 8), None);
        assert_eq!(HandOrder::Mano.expand("{name}_x", 8), None);
    }
}
