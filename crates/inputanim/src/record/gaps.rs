//! The gaps of a recording that is made from frames.
//!
//! An element that has a value in some frame is expected in each frame: a head and a gaze always, a joint while its hand is
//! tracked. From the last frame that has the value until the next one, it is unknown. Everything is unknown in a pause between
//! two frames. Cost: a few operations on bits for each frame without a gap.

use super::contents::{Contents, POSES, joint_at};
use crate::element::Element;
use crate::joint::Side;
use crate::known::Known;
use crate::time_range::TimeRange;

/// The number of elements with a bit: the poses, the gaze and the hands.
const ELEMENTS: usize = POSES + 3;
const GAZE: usize = POSES;
const HANDS: usize = POSES + 1;

pub(super) struct Gaps {
    known: Known,
    /// The elements that have a value in some row, one bit each, as [`Contents`].
    recorded: u64,
    /// The elements that are in a gap.
    open: u64,
    /// The starts of the gaps of these elements, in seconds.
    starts: [f32; ELEMENTS],
    /// The times of the last rows in which each hand was known, in seconds.
    last_known: [f32; 2],
    /// The time of the last row, in seconds.
    last: f32,
    /// `true` for each hand that is tracked in some row.
    is_shown: [bool; 2],
    /// The times of the rows that end a pause, before the origin is subtracted. The next one is last.
    pause_ends: Vec<f32>,
}

impl Gaps {
    /// Returns the gaps of no rows. `poses` and `gaze` are the numbers of rows that have each pose and the gaze. `is_shown` is
    /// `true` for each hand that is tracked in some row: a hand that is never tracked has no pauses. `pauses` are the pauses
    /// between the rows, in order.
    pub(super) fn new(
        poses: &[usize; POSES],
        gaze: usize,
        is_shown: [bool; 2],
        pauses: &[TimeRange],
    ) -> Gaps {
        let with_keys = poses.iter().chain([&gaze]).enumerate();
        let with_keys = with_keys.filter(|&(_, &keys)| keys > 0);
        Gaps {
            known: Known::default(),
            recorded: with_keys.fold(0, |bits, (index, _)| bits | 1 << index),
            open: 0,
            starts: [f32::NEG_INFINITY; ELEMENTS],
            last_known: [f32::NEG_INFINITY; 2],
            last: f32::NEG_INFINITY,
            is_shown,
            pause_ends: pauses.iter().rev().map(|pause| pause.end).collect(),
        }
    }

    /// Adds a row at a time in seconds. `row_time` is this time before the origin is subtracted. `last_key` returns the time
    /// of the last key of a pose by its slot, or of the gaze; `None` if it has none.
    pub(super) fn add(
        &mut self,
        time: f32,
        row_time: f32,
        contents: Contents,
        last_key: impl Fn(usize) -> Option<f32>,
    ) {
        if self.pause_ends.pop_if(|end| *end == row_time).is_some() {
            self.add_pause(time);
        }
        self.last = time;
        let mut present = contents.present_bits();
        let mut missing = contents.expected_bits() & self.recorded & !present;
        for side in Side::BOTH {
            let bit = 1 << (HANDS + side as usize);
            if contents.is_unknown(side) {
                missing |= bit;
            } else {
                present |= bit;
            }
        }
        let (opening, closing) = (missing & !self.open, present & self.open);
        if opening | closing != 0 {
            for index in bits(opening) {
                self.starts[index] = match index.checked_sub(HANDS) {
                    Some(side) => self.last_known[side],
                    None => last_key(index).unwrap_or(f32::NEG_INFINITY),
                };
            }
            self.close(closing, time);
            self.open = (self.open | opening) & !closing;
        }
        for side in Side::BOTH {
            if !contents.is_unknown(side) {
                self.last_known[side as usize] = time;
            }
        }
    }

    /// Adds a pause from the last row to a time in seconds.
    fn add_pause(&mut self, end: f32) {
        let pause = TimeRange {
            start: self.last,
            end,
        };
        let hands = Side::BOTH.into_iter();
        let hands = hands.filter(|&side| self.is_shown[side as usize]);
        let hands = hands.map(Element::Tracked);
        let streams = [(0, Element::Head), (GAZE, Element::Gaze)];
        let recorded = streams
            .into_iter()
            .filter(|(index, _)| self.recorded >> index & 1 == 1)
            .map(|(_, element)| element);
        for element in recorded.chain(hands) {
            self.known.add_gap(element, pause);
        }
    }

    /// Returns all gaps. Those that are open last until the end.
    pub(super) fn finish(mut self) -> Known {
        self.close(self.open, f32::INFINITY);
        self.known
    }

    /// Adds the gaps of elements that end at a time in seconds.
    fn close(&mut self, closing: u64, end: f32) {
        for index in bits(closing) {
            let element = match (index, joint_at(index)) {
                (GAZE, _) => Element::Gaze,
                (_, _) if index >= HANDS => Element::Tracked(Side::BOTH[index - HANDS]),
                (_, Some((side, joint))) => Element::Joint(side, joint),
                (_, None) => Element::Head,
            };
            let start = self.starts[index];
            self.known.add_gap(element, TimeRange { start, end });
        }
    }
}

/// Returns the indices of the bits that are set, in order.
fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        index
    })
}
