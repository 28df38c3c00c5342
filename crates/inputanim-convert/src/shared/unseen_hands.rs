//! Hands of which a file says nothing.

use inputanim::{BooleanCurve, Element, Joint, PoseCurves, Recording, Side, TimeRange};

/// Makes hands unknown of which a file that was read to its end says nothing. If this holds for both hands, the recording has no
/// streams of hands. A hand is not "not tracked" there, because nobody looked for it.
pub(crate) fn forget_unseen_hands(recording: &mut Recording<'_>, is_unseen: [bool; 2]) {
    let always = TimeRange {
        start: f32::NEG_INFINITY,
        end: f32::INFINITY,
    };
    for side in Side::BOTH
        .into_iter()
        .filter(|&side| is_unseen[side as usize])
    {
        if let Some(hands) = &mut recording.hands {
            let hand = hands.hand_mut(side);
            hand.tracked = BooleanCurve::default();
            hand.pinching = BooleanCurve::default();
            for joint in Joint::ALL {
                hand.joints[joint] = PoseCurves::empty(recording.layout.key_kind());
            }
        }
        recording.known.add_gap(Element::Tracked(side), always);
    }
    // Version 1.0 always has hands.
    if is_unseen == [true; 2] && recording.layout.has_flags() {
        recording.hands = None;
    }
}
