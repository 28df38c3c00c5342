//! Pinches that a source states in some rows only.

use std::cell::Cell;

use inputanim::{Frame, Side};

use crate::shared::{Loss, LossKind, report::counted};

/// The numbers of rows in which a tracked hand has a known and an unknown state of its pinch, the left hand first.
#[derive(Debug, Default)]
pub(crate) struct HeldPinches {
    known: [Cell<usize>; 2],
    unknown: [Cell<usize>; 2],
}

impl HeldPinches {
    pub(crate) fn count(&self, frame: &Frame) {
        for side in Side::BOTH {
            let hand = frame.hand(side);
            if !hand.tracked || hand.unknown {
                continue;
            }
            let counts = if hand.pinch_unknown {
                &self.unknown
            } else {
                &self.known
            };
            let count = &counts[side as usize];
            count.set(count.get() + 1);
        }
    }

    /// Returns a loss for each hand whose pinches are known in some rows and unknown in others. A recording cannot state this.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        let loss = |side: Side| {
            let [known, unknown] =
                [&self.known, &self.unknown].map(|counts| counts[side as usize].get());
            let message = format!(
                "{side} hand: pinches unknown in {} of {}; the last known state is held there",
                unknown,
                counted(known + unknown, "row")
            );
            (known > 0 && unknown > 0).then(|| Loss::new(LossKind::Unknown, unknown, message))
        };
        Side::BOTH.into_iter().filter_map(loss).collect()
    }
}
