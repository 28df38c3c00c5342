//! The times at which the values of a recording are unknown.
//!
//! A stream may have gaps: it was not recorded, not tracked, or its source stated no value. The curve has no keys there,
//! and the value between the keys around a gap is not an interpolation: it is unknown. MRTK's files cannot state this,
//! except for a complete hand that is not tracked.

use std::borrow::Cow;

use crate::device::{DeviceName, InputName};
use crate::element::Element;
use crate::time_range::TimeRange;

/// The gaps of each element: the times at which its value is unknown.
///
/// A gap is the time between two known samples, and does not include them. It may start at −∞ (unknown from the start)
/// and end at ∞ (unknown until the end). Gaps of an element are sorted and do not overlap. Two gaps may touch: the time
/// between them is a known sample.
///
/// A gap of [`Element::Tracked`] is a gap of the hand: nothing is known about it, not even whether it was tracked. A gap of
/// a joint counts only while its hand is tracked. [`Element::Pinching`] is unknown with its hand, and has no gaps of its
/// own. In the same way, a gap of [`Element::Profile`] is a gap of a device.
///
/// ```
/// use inputanim::{Element, Layout, Pose, Recording, Sampler, TimeRange};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(1.0, &Pose::IDENTITY);
/// recording.head_mut().push(3.0, &Pose::IDENTITY);
/// recording.known.add_gap(Element::Head, TimeRange { start: 1.0, end: 3.0 });
/// let sampler = Sampler::new(&recording)?;
/// assert!(sampler.frame_at(1.0).head.is_some());
/// assert!(sampler.frame_at(2.0).head.is_none());
/// # Ok::<(), inputanim::UnplayableCurve>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Sorted by element. No list is empty.
    gaps: Vec<(Element, Vec<TimeRange>)>,
}

// No bound is NaN.
impl Eq for Known {}

/// A gap that cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGap {
    /// No element with gaps has the name.
    #[error(
        "unknown element \"{0}\"; expected head, gaze, left.tracked, right.tracked, a joint such as left.Palm, or a part of a device such as right.controller.aim"
    )]
    Element(String),
    /// The gap does not end after its start.
    #[error("invalid gap of {element}: {} s to {} s; expected a start before the end", gap.start, gap.end)]
    Range {
        /// The element.
        element: Element,
        /// The gap.
        gap: TimeRange,
    },
}

impl Known {
    /// Returns `true` if there are no gaps: every recorded value is known at all times.
    pub const fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Returns the gaps of an element in order.
    pub fn gaps(&self, element: Element) -> &[TimeRange] {
        match self.place(element) {
            Ok(place) => &self.gaps[place].1,
            Err(_) => &[],
        }
    }

    /// Returns the elements that have gaps, in the order of [`Element`], each with its gaps in order.
    pub fn iter(&self) -> impl Iterator<Item = (Element, &[TimeRange])> {
        self.gaps
            .iter()
            .map(|(element, gaps)| (*element, &gaps[..]))
    }

    /// Returns `true` if a time is in no gap of an element. Gaps of the hand do not count for its joints.
    pub fn is_known(&self, element: Element, time: f32) -> bool {
        let gaps = self.gaps(element);
        let after = gaps.partition_point(|gap| gap.end <= time);
        gaps.get(after).is_none_or(|gap| gap.start >= time)
    }

    /// Adds a gap. Gaps that overlap become one. Does nothing if the end is not after the start, a bound is NaN, or the
    /// element is [`Element::Pinching`].
    pub fn add_gap(&mut self, element: Element, gap: TimeRange) {
        // 0 has one form, so that equal gaps are equal.
        let mut gap = TimeRange {
            start: gap.start + 0.0,
            end: gap.end + 0.0,
        };
        let is_gap = gap.start < gap.end && !matches!(element, Element::Pinching(_));
        if !is_gap {
            return;
        }
        let place = self.place(element).unwrap_or_else(|place| {
            self.gaps.insert(place, (element, Vec::new()));
            place
        });
        let gaps = &mut self.gaps[place].1;
        let first = gaps.partition_point(|other| other.end <= gap.start);
        let after = gaps.partition_point(|other| other.start < gap.end);
        // Gaps that touch at −∞ or ∞ would overlap.
        if let Some(overlapping) = gaps.get(first..after) {
            gap = overlapping.iter().copied().fold(gap, TimeRange::hull);
        }
        gaps.splice(first..after.max(first), [gap]);
    }

    /// Adds a gap, as [`add_gap`](Known::add_gap), that comes from outside of the program.
    ///
    /// # Errors
    /// When the end is not after the start, or a bound is NaN.
    pub fn try_add_gap(&mut self, element: Element, gap: TimeRange) -> Result<(), InvalidGap> {
        if gap.start < gap.end {
            self.add_gap(element, gap);
            return Ok(());
        }
        Err(InvalidGap::Range { element, gap })
    }

    /// Returns the element that may have gaps and has a name: `head`, `gaze`, `left.Palm`, or `left.tracked` for everything about
    /// a hand; `right.controller.aim`, `right.controller.trigger.value`, or `right.controller.profile` for everything about a
    /// device.
    ///
    /// # Errors
    /// When no such element has the name.
    pub fn element(name: &str) -> Result<Element, InvalidGap> {
        let mut elements =
            Element::all().filter(|element| !matches!(element, Element::Pinching(_)));
        let found = elements.find(|element| element.to_string() == name);
        let found = found.or_else(|| Element::of_device(name));
        found.ok_or_else(|| InvalidGap::Element(name.to_owned()))
    }

    /// Makes the values of an element known in a time range, including its bounds.
    pub fn remove_gaps(&mut self, element: Element, range: TimeRange) {
        let Ok(place) = self.place(element) else {
            return;
        };
        let gaps = std::mem::take(&mut self.gaps[place].1);
        let parts = gaps.into_iter().flat_map(|gap| {
            let before = TimeRange {
                end: gap.end.min(range.start),
                ..gap
            };
            let after = TimeRange {
                start: gap.start.max(range.end),
                ..gap
            };
            [before, after]
        });
        let mut parts: Vec<TimeRange> = parts.filter(|part| part.start < part.end).collect();
        parts.dedup();
        self.gaps[place].1 = parts;
        self.gaps.retain(|(_, gaps)| !gaps.is_empty());
    }

    /// Returns the seconds of a range in which an element is unknown. Gaps of the hand do not count for its joints.
    pub fn unknown_seconds(&self, element: Element, within: TimeRange) -> f64 {
        let gaps = self.gaps(element).iter();
        let parts = gaps.filter_map(|gap| gap.intersection(within));
        parts
            .map(|part| f64::from(part.end) - f64::from(part.start))
            .sum()
    }

    /// Returns the parts of ranges, which are in order, in which an element is known.
    pub fn within(&self, element: Element, ranges: &[TimeRange]) -> Vec<TimeRange> {
        let gaps = self.gaps(element);
        if gaps.is_empty() {
            return ranges.to_vec();
        }
        let mut parts = Vec::new();
        for &range in ranges {
            let mut start = range.start;
            for gap in gaps {
                if gap.end <= start || gap.start >= range.end {
                    continue;
                }
                if gap.start >= start && gap.start.is_finite() {
                    parts.push(TimeRange {
                        start,
                        end: gap.start,
                    });
                }
                start = gap.end;
            }
            if start <= range.end {
                parts.push(TimeRange {
                    start,
                    end: range.end,
                });
            }
        }
        parts
    }

    /// Returns `true` if an element is known at all times between two samples. Gaps of the hand count for its joints.
    pub(crate) fn is_joined(&self, element: Element, from: f32, to: f32) -> bool {
        let is_joined = |element: Element| {
            let gaps = self.gaps(element);
            let after = gaps.partition_point(|gap| gap.end <= from);
            gaps.get(after).is_none_or(|gap| gap.start >= to)
        };
        is_joined(element) && element.whole().is_none_or(is_joined)
    }

    /// Returns the gaps of an element in order, including the gaps of its hand.
    pub(crate) fn with_hand(&self, element: Element) -> Cow<'_, [TimeRange]> {
        let own = self.gaps(element);
        let of_hand = element.whole().map_or(&[][..], |whole| self.gaps(whole));
        if of_hand.is_empty() {
            return Cow::Borrowed(own);
        }
        let mut all = Known::default();
        for &gap in own.iter().chain(of_hand) {
            all.add_gap(element, gap);
        }
        Cow::Owned(all.gaps(element).to_vec())
    }

    /// Adds the gaps of another list.
    pub(crate) fn add_all(&mut self, other: &Known) {
        for (element, gaps) in other.iter() {
            for &gap in gaps {
                self.add_gap(element, gap);
            }
        }
    }

    fn place(&self, element: Element) -> Result<usize, usize> {
        self.gaps.binary_search_by_key(&element, |(key, _)| *key)
    }

    /// Keeps the gaps of the elements that a predicate selects.
    pub(crate) fn retain(&mut self, keep: impl Fn(Element) -> bool) {
        self.gaps.retain(|(element, _)| keep(*element));
    }

    /// Returns the gaps of a time range in seconds, as [`cut`](Known::cut) leaves them, without a copy of the others.
    pub(crate) fn part(&self, range: TimeRange) -> Known {
        let of_range = |gaps: &[TimeRange]| {
            let first = gaps.partition_point(|gap| gap.end <= range.start);
            let after = gaps.partition_point(|gap| gap.start < range.end);
            gaps[first..after.max(first)].to_vec()
        };
        let gaps = self.gaps.iter();
        let gaps = gaps.map(|(element, gaps)| (*element, of_range(gaps)));
        let mut part = Known {
            gaps: gaps.filter(|(_, gaps)| !gaps.is_empty()).collect(),
        };
        part.cut(range);
        part
    }

    /// Cuts the gaps to a time range in seconds. A gap across an end of the range becomes infinite there, because the
    /// value at this end is unknown.
    pub(crate) fn cut(&mut self, range: TimeRange) {
        self.change(|gap| {
            let TimeRange { mut start, mut end } = gap;
            if end <= range.start || start >= range.end {
                return None;
            }
            if start < range.start {
                start = f32::NEG_INFINITY;
            }
            if end > range.end {
                end = f32::INFINITY;
            }
            Some(TimeRange { start, end })
        });
    }

    /// Applies a non-decreasing function to the finite bounds.
    pub(crate) fn map_times(&mut self, time: impl Fn(f32) -> f32) {
        let mapped = |bound: f32| {
            if bound.is_finite() {
                time(bound) + 0.0
            } else {
                bound
            }
        };
        self.change(|gap| {
            Some(TimeRange {
                start: mapped(gap.start),
                end: mapped(gap.end),
            })
        });
    }

    /// Exchanges the hands. `input_image` returns the name that an input of a device has after a reflection.
    pub(crate) fn mirror(&mut self, input_image: impl Fn(DeviceName, InputName) -> InputName) {
        for (element, _) in &mut self.gaps {
            *element = match *element {
                Element::Tracked(side) => Element::Tracked(side.opposite()),
                Element::Pinching(side) => Element::Pinching(side.opposite()),
                Element::Joint(side, joint) => Element::Joint(side.opposite(), joint),
                Element::Profile(device) => Element::Profile(device.mirrored()),
                Element::DevicePose(device, pose) => Element::DevicePose(device.mirrored(), pose),
                Element::Input(device, input) => {
                    Element::Input(device.mirrored(), input_image(device, input))
                }
                other => other,
            };
        }
        self.gaps.sort_by_key(|(element, _)| *element);
    }

    /// Appends the gaps of a recording that begins at `start`, after one that ends at `end`. A gap until the end of the one
    /// before continues until the next recording begins, and a gap from the start of the next one begins where the one
    /// before ends.
    pub(crate) fn join(&mut self, next: &Known, end: f32, start: f32) {
        let open_end = |gaps: &[TimeRange]| gaps.last().is_some_and(|gap| gap.end == f32::INFINITY);
        let open: Vec<Element> = self
            .iter()
            .filter(|(_, gaps)| open_end(gaps))
            .map(|(element, _)| element)
            .collect();
        for element in &open {
            if let Ok(place) = self.place(*element)
                && let Some(last) = self.gaps[place].1.last_mut()
            {
                last.end = start.max(last.start.next_up());
            }
        }
        for (element, gaps) in next.iter() {
            for &gap in gaps {
                let gap = if gap.start == f32::NEG_INFINITY {
                    // One gap across the join, without a known sample at the join.
                    let last = self.gaps(element).last().copied();
                    let before = last.filter(|_| open.contains(&element));
                    let begin = before.map_or(end, |before| before.start);
                    TimeRange {
                        start: begin,
                        ..gap
                    }
                } else {
                    gap
                };
                self.add_gap(element, gap);
            }
        }
    }

    /// Replaces or removes each gap.
    fn change(&mut self, change: impl Fn(TimeRange) -> Option<TimeRange>) {
        if self.is_complete() {
            return;
        }
        let before = std::mem::take(self);
        for (element, gaps) in before.gaps {
            for gap in gaps.into_iter().filter_map(&change) {
                self.add_gap(element, gap);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::Joint;
    use crate::joint::Side;

    const INFINITY: f32 = f32::INFINITY;

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
    }

    fn head(gaps: &[(f32, f32)]) -> Known {
        let mut known = Known::default();
        for &(start, end) in gaps {
            known.add_gap(Element::Head, range(start, end));
        }
        known
    }

    fn bounds(known: &Known) -> Vec<(f32, f32)> {
        let gaps = known.gaps(Element::Head).iter();
        gaps.map(|gap| (gap.start, gap.end)).collect()
    }

    #[test]
    fn gaps_that_overlap_are_united_and_gaps_that_touch_are_not() {
        let known = head(&[(4.0, 5.0), (1.0, 2.0), (2.0, 3.0)]);
        assert_eq!(bounds(&known), [(1.0, 2.0), (2.0, 3.0), (4.0, 5.0)]);
        assert!(known.is_known(Element::Head, 2.0) && !known.is_known(Element::Head, 2.5));
        let mut united = known.clone();
        united.add_gap(Element::Head, range(1.5, 4.5));
        assert_eq!(bounds(&united), [(1.0, 5.0)]);
        let mut infinite = known;
        infinite.add_gap(Element::Head, range(-INFINITY, 2.5));
        infinite.add_gap(Element::Head, range(4.5, INFINITY));
        assert_eq!(bounds(&infinite), [(-INFINITY, 3.0), (4.0, INFINITY)]);
        for gap in [(1.0, 1.0), (2.0, 1.0), (f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert!(head(&[gap]).is_complete(), "{gap:?}");
        }
        assert_eq!(head(&[(-0.0, 1.0)]), head(&[(0.0, 1.0)]));
    }

    #[test]
    fn a_known_range_ends_gaps_at_its_bounds() {
        let mut known = head(&[(0.0, 4.0), (5.0, 6.0)]);
        known.remove_gaps(Element::Head, range(1.0, 2.0));
        assert_eq!(bounds(&known), [(0.0, 1.0), (2.0, 4.0), (5.0, 6.0)]);
        known.remove_gaps(Element::Head, range(-1.0, 9.0));
        assert!(known.is_complete());
        let known = head(&[(1.0, 2.0), (2.0, 3.0)]);
        let parts = known.within(Element::Head, &[range(0.0, 2.5), range(4.0, 5.0)]);
        let expected = [range(0.0, 1.0), range(2.0, 2.0), range(4.0, 5.0)];
        assert_eq!(parts, expected);
        assert_eq!(known.unknown_seconds(Element::Head, range(0.0, 2.5)), 1.5);
    }

    #[test]
    fn a_cut_through_a_gap_leaves_its_end_unknown() {
        let mut known = head(&[(0.0, 2.0), (3.0, 5.0), (7.0, 8.0)]);
        known.cut(range(1.0, 4.0));
        assert_eq!(bounds(&known), [(-INFINITY, 2.0), (3.0, INFINITY)]);
        known.map_times(|time| time + 1.0);
        assert_eq!(bounds(&known), [(-INFINITY, 3.0), (4.0, INFINITY)]);
    }

    #[test]
    fn a_join_unites_the_gaps_at_its_ends() {
        let before = head(&[(1.0, INFINITY)]);
        let next = head(&[(-INFINITY, 6.0)]);
        let joined = |before: &Known, next: &Known| {
            let mut joined = before.clone();
            joined.join(next, 4.0, 5.0);
            bounds(&joined)
        };
        assert_eq!(joined(&before, &next), [(1.0, 6.0)]);
        assert_eq!(joined(&before, &Known::default()), [(1.0, 5.0)]);
        assert_eq!(joined(&Known::default(), &next), [(4.0, 6.0)]);
    }

    #[test]
    fn a_reflection_exchanges_the_gaps_of_hands() {
        let mut known = Known::default();
        let palm = |side| Element::Joint(side, Joint::Palm);
        known.add_gap(palm(Side::Left), range(1.0, 2.0));
        known.add_gap(Element::Tracked(Side::Right), range(3.0, 4.0));
        known.mirror(|_, input| input);
        assert_eq!(known.gaps(palm(Side::Right)), [range(1.0, 2.0)]);
        assert_eq!(known.gaps(Element::Tracked(Side::Left)), [range(3.0, 4.0)]);
    }
}
