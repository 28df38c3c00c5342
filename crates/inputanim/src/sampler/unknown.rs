//! The gaps of a recording in the form that sampling needs.
//!
//! Method: the bounds of all gaps in one sorted list, with the elements that are unknown at each bound and between it and
//! the bound before it, as bits. One search then finds everything that is unknown at a time.

use crate::element::Element;
use crate::joint::{Joint, Side};
use crate::known::Known;
use crate::order;
use crate::time_range::TimeRange;

/// The elements that are unknown at one time, one bit for each: 0 the head, 1 to 27 the joints of the left hand, 28 to 54
/// those of the right hand, 55 the gaze, 56 the left hand, 57 the right hand. The bits of joints include the gaps of
/// their hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unknown(u64);

const GAZE: u32 = 55;
const HANDS: u32 = 56;

impl Unknown {
    /// Returns the bits of the joints of a hand.
    const fn joints(side: Side) -> u64 {
        ((1 << Joint::ALL.len()) - 1) << (1 + Joint::ALL.len() * side as usize)
    }

    fn of(element: Element) -> Unknown {
        Unknown(match element {
            Element::Head => 1,
            Element::Joint(side, joint) => {
                1 << (1 + Joint::ALL.len() * side as usize + joint.index())
            }
            Element::Gaze => 1 << GAZE,
            Element::Tracked(side) | Element::Pinching(side) => {
                1 << (HANDS + side as u32) | Unknown::joints(side)
            }
            // The gaps of devices are with their curves.
            Element::Profile(_) | Element::DevicePose(..) | Element::Input(..) => 0,
        })
    }

    /// Returns `true` if the element is unknown.
    pub(crate) fn has(self, element: Element) -> bool {
        match element {
            Element::Tracked(side) | Element::Pinching(side) => self.has_hand(side),
            element => self.0 & Unknown::of(element).0 != 0,
        }
    }

    /// Returns `true` if nothing is known about a hand.
    pub(crate) const fn has_hand(self, side: Side) -> bool {
        self.0 >> (HANDS + side as u32) & 1 == 1
    }

    /// Returns `true` if any joint of a hand is unknown.
    pub(super) const fn has_joints(self, side: Side) -> bool {
        self.0 & Unknown::joints(side) != 0
    }

    /// Returns `true` if any element is unknown.
    pub(super) const fn is_any(self) -> bool {
        self.0 != 0
    }
}

/// The gaps of all elements.
#[derive(Default)]
pub(super) struct UnknownTimes {
    bounds: Vec<Bound>,
    /// The unknown elements after the last bound.
    after: Unknown,
}

struct Bound {
    time: f32,
    /// The unknown elements between the bound before this one and this one.
    before: Unknown,
    /// The unknown elements at this time.
    at: Unknown,
}

/// The part of a time by which a bound is moved into its gap. Times on a grid miss the times of keys by rounding, which
/// must not make the samples at the bounds unknown.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Returns the part of a gap in which samples are unknown; `None` if rounding leaves nothing of it.
pub(super) fn inner(gap: TimeRange) -> Option<TimeRange> {
    let moved = |bound: f32, by: f32| {
        if bound.is_finite() {
            bound + by * bound.abs() * ROUNDING
        } else {
            bound
        }
    };
    let (start, end) = (moved(gap.start, 1.0), moved(gap.end, -1.0));
    (start < end).then_some(TimeRange { start, end })
}

impl UnknownTimes {
    /// Prepares the gaps of the elements that a predicate selects.
    pub(super) fn new(known: &Known, keep: impl Fn(Element) -> bool) -> UnknownTimes {
        let mut gaps = Vec::new();
        for (element, ranges) in known.iter().filter(|(element, _)| keep(*element)) {
            for range in ranges {
                if let Some(inner) = inner(*range) {
                    gaps.push((inner.start, inner.end, Unknown::of(element).0));
                }
            }
        }
        let mut times: Vec<f32> = gaps
            .iter()
            .flat_map(|&(start, end, _)| [start, end])
            .collect();
        order::sort_times(&mut times);
        times.dedup();
        let place = |time: f32| times.partition_point(|&bound| bound < time);
        // The unknown elements before each bound, after the last one, and at each bound.
        let (mut before, mut at) = (vec![0; times.len() + 1], vec![0; times.len()]);
        for (start, end, bits) in gaps {
            let (first, last) = (place(start), place(end));
            before[first + 1..=last]
                .iter_mut()
                .for_each(|unknown| *unknown |= bits);
            at[first + 1..last]
                .iter_mut()
                .for_each(|unknown| *unknown |= bits);
        }
        let after = Unknown(before.pop().unwrap_or_default());
        let bounds = times.into_iter().zip(before.into_iter().zip(at));
        let bound = |(time, (before, at))| Bound {
            time,
            before: Unknown(before),
            at: Unknown(at),
        };
        UnknownTimes {
            bounds: bounds.map(bound).collect(),
            after,
        }
    }

    /// Returns the unknown elements at a time.
    #[inline]
    pub(super) fn at(&self, time: f32) -> Unknown {
        if self.bounds.is_empty() {
            return Unknown::default();
        }
        self.find(time)
    }

    fn find(&self, time: f32) -> Unknown {
        let next = self.bounds.partition_point(|bound| bound.time < time);
        match self.bounds.get(next) {
            Some(bound) if bound.time == time => bound.at,
            Some(bound) => bound.before,
            None => self.after,
        }
    }

    /// Returns `true` if everything is known at all times.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Returns the finite bounds of the gaps in order.
    pub(super) fn bounds(&self) -> impl Iterator<Item = f32> {
        let times = self.bounds.iter().map(|bound| bound.time);
        times.filter(|time| time.is_finite())
    }
}
