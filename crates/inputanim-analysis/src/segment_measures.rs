//! The measures of a time range of an analysis.

use std::ops::Range;

use inputanim::info::Timing;
use inputanim::{Joint, Side, TimeRange, parallel};

use crate::analysis::{ANY_SIZE, Analysis};
use crate::channels::{Intervals, Kinematics, angle, distance, vector};
use crate::device::{DeviceInput, DevicePose, DeviceStick, Press};
use crate::finger::{Finger, abduction, bone_length, curl, flexion, knuckle_angles, openness};
use crate::fitts::{Fitts, selections, selections_along};
use crate::gaze::{Fixation, Gaze, bcea, main_sequence, mean_direction};
use crate::head::extent;
use crate::hull;
use crate::measure::{Measure, MeasureList, Measures};
use crate::missing::{Measured, Missing, count, ratio, share};
use crate::movement::Movement;
use crate::pinch::{Pinch, pinch_agreement};
use crate::quality::{Quality, overlap};
use crate::quantity::{self as q, Group};
use crate::statistics::correlation;
use crate::target::Look;

impl Analysis {
    /// Returns the measures of a time range, for the groups of the parameters. They have the same names for every
    /// recording with the same parameters.
    ///
    /// ```
    /// use inputanim::{Layout, TimeRange};
    /// use inputanim_analysis::{Analysis, AnalysisParameters, Group};
    /// use inputanim_motion::{Motion, Scene};
    /// let recording = Motion::new(Scene::Reach, 1, 10.0).record(60.0, Layout::Mrtk1_1);
    /// let mut parameters = AnalysisParameters::default();
    /// parameters.groups = vec![Group::Head];
    /// let analysis = Analysis::of(&recording, &parameters)?;
    /// let first_half = analysis.measures(TimeRange { start: 0.0, end: 5.0 });
    /// assert!(first_half.rows.iter().all(|measure| measure.name.starts_with("head.")));
    /// # Ok::<(), inputanim_analysis::AnalysisError>(())
    /// ```
    pub fn measures(&self, range: TimeRange) -> Measures {
        let segment = SegmentView::new(self, range);
        let sides = [Some(Side::Left), Some(Side::Right)];
        let parts = Group::ALL.iter().flat_map(|&group| {
            let sides = match group {
                Group::Movements | Group::Fingers | Group::Pinches | Group::Fitts => &sides[..],
                Group::Hands => &[sides[0], sides[1], None],
                _ => &[None],
            };
            sides
                .iter()
                .map(move |side| (group, *side))
                .collect::<Vec<_>>()
        });
        let parts = parts.filter(|(group, _)| self.parameters.groups.contains(group));
        let parts = parallel::map(parts.collect(), ANY_SIZE, |(group, side)| {
            segment.part(group, side)
        });
        Measures {
            rows: parts.into_iter().flatten().collect(),
        }
    }
}

/// A time range of an analysis.
pub(crate) struct SegmentView<'a> {
    analysis: &'a Analysis,
    range: TimeRange,
    /// Samples in the time range, both ends included.
    samples: Range<usize>,
    /// Intervals between samples within the time range.
    intervals: Intervals,
}

impl<'a> SegmentView<'a> {
    pub(crate) fn new(analysis: &'a Analysis, range: TimeRange) -> SegmentView<'a> {
        let ends = [range.start, range.end].map(f64::from);
        SegmentView {
            analysis,
            range,
            samples: analysis.channels.samples(range),
            intervals: Intervals::of(&analysis.channels, ends),
        }
    }

    /// Returns the measures of a group for one hand. `side` is `None` for the measures that concern both hands or no
    /// hand.
    pub(crate) fn part(&self, group: Group, side: Option<Side>) -> Vec<Measure> {
        let mut to = MeasureList::new(&self.analysis.quality, self.range);
        match (group, side) {
            (Group::Quality, _) => self.add_quality(&mut to),
            (Group::Head, _) => self.add_head(&mut to),
            (Group::Hands, Some(side)) => {
                for &joint in &self.analysis.parameters.joints {
                    self.add_joint(&mut to, side, joint);
                }
            }
            (Group::Hands, None) => self.add_both_hands(&mut to),
            (Group::Movements, Some(side)) => self.add_movements(&mut to, side),
            (Group::Fingers, Some(side)) => self.add_fingers(&mut to, side),
            (Group::Pinches, Some(side)) => self.add_pinches(&mut to, side),
            (Group::Gaze, _) => self.add_gaze(&mut to),
            (Group::Targets, _) => self.add_targets(&mut to),
            (Group::Fitts, Some(side)) => self.add_fitts(&mut to, side),
            (Group::Devices, _) => self.add_devices(&mut to),
            // These groups have no measures of both hands.
            (Group::Movements | Group::Fingers | Group::Pinches | Group::Fitts, None) => {}
        }
        to.rows
    }

    fn has(&self, start: f64) -> bool {
        self.analysis.begins_in(start, self.range)
    }

    fn is_tracked(&self, side: Side) -> bool {
        self.has_part_of(&self.analysis.quality.tracked[side as usize])
    }

    /// Returns `true` if the time range of the segment overlaps one of `ranges`. Two ranges that only touch count as
    /// overlapping only if one of them is an instant.
    fn has_part_of(&self, ranges: &[TimeRange]) -> bool {
        let is_instant = |range: &TimeRange| range.start == range.end;
        ranges.iter().any(|range| {
            let common = range.intersection(self.range);
            common.is_some_and(|common| {
                !is_instant(&common) || is_instant(range) || is_instant(&self.range)
            })
        })
    }

    /// Returns `true` if `holds` is true at a sample in the time range, or at both ends of an interval that is partly
    /// in the time range.
    fn has_any(&self, holds: impl Fn(usize) -> bool) -> bool {
        self.samples.clone().any(&holds) || self.intervals.time(holds) > 0.0
    }

    /// Returns `true` if the time range of the segment overlaps the recording.
    fn is_recorded(&self) -> bool {
        self.has_part_of(self.analysis.quality.range.as_slice())
    }

    /// Returns the reason why a measure of a hand has no value. `is_recorded` is `true` if the joints of the measure
    /// are recorded. If there is no other reason, returns [`Missing::TooFew`].
    fn reason(&self, side: Side, is_recorded: bool) -> Missing {
        if !is_recorded {
            Missing::NotRecorded
        } else if !self.is_recorded() {
            Missing::NoSamples
        } else if !self.is_tracked(side) {
            Missing::NotTracked
        } else {
            Missing::TooFew
        }
    }

    /// Returns the reason why a measure of both hands has no value. `are_recorded` states for the left and the right
    /// hand whether the joints of the measure are recorded. If there is no other reason, returns [`Missing::TooFew`].
    fn reason_of_both(&self, are_recorded: [bool; 2]) -> Missing {
        let reasons = Side::BOTH.map(|side| self.reason(side, are_recorded[side as usize]));
        let order = [
            Missing::NotRecorded,
            Missing::NoSamples,
            Missing::NotTracked,
        ];
        let first = order.into_iter().find(|reason| reasons.contains(reason));
        first.unwrap_or(Missing::TooFew)
    }

    /// Returns the reason why the time range has no events of a hand; [`Missing::NoEvents`] if the hand could have
    /// some. `is_recorded` is `true` if the data for these events are recorded.
    fn event_reason(&self, side: Side, is_recorded: bool) -> Missing {
        match self.reason(side, is_recorded) {
            Missing::TooFew => Missing::NoEvents,
            reason => reason,
        }
    }

    /// Returns the reason why the time range has no events of a hand that are found in a signal, as
    /// [`event_reason`](Self::event_reason) does. `signal` returns `true` for the samples at which the signal is known,
    /// and is `None` if it is not recorded. Returns [`Missing::NoSamples`] if the signal is known nowhere in the time
    /// range, and [`Missing::NoEvents`] if `found`, the number of events, is not 0.
    fn event_reason_of(
        &self,
        side: Side,
        found: usize,
        signal: Option<impl Fn(usize) -> bool>,
    ) -> Missing {
        let reason = self.event_reason(side, signal.is_some());
        match signal {
            _ if found > 0 => Missing::NoEvents,
            Some(is_known) if reason == Missing::NoEvents && !self.has_any(&is_known) => {
                Missing::NoSamples
            }
            _ => reason,
        }
    }

    /// Returns the total time in seconds in which `holds` is true for the gaze at a sample. Returns the reason if it is
    /// true at no sample of the time range.
    fn gaze_time(&self, holds: impl Fn(&Gaze, usize) -> bool) -> Measured {
        let gaze = self.analysis.gaze.as_ref().ok_or(Missing::NotRecorded)?;
        let holds = |sample: usize| holds(gaze, sample);
        if self.has_any(holds) {
            Ok(self.intervals.time(holds))
        } else {
            Err(Missing::NoSamples)
        }
    }

    /// Returns the values at the samples of the time range; an empty slice for `None`. `values` has a value for each
    /// sample of the recording.
    fn slice<'v>(&self, values: Option<&'v Vec<f64>>) -> &'v [f64] {
        values.map_or(&[], |values| &values[self.samples.clone()])
    }

    fn add_quality(&self, to: &mut MeasureList<'_>) {
        let quality = &self.analysis.quality;
        let length = f64::from(self.range.end) - f64::from(self.range.start);
        to.value(&q::DURATION, &[], Ok(length));
        to.value(&q::DAMAGED, &[], Ok(quality.damaged(self.range)));
        for (name, stream) in Quality::STREAMS {
            let name = [name];
            let timing = quality.timing(stream, self.range);
            let timing = timing.ok_or(Missing::NotRecorded);
            let of = |value: fn(Timing) -> Option<f64>| {
                timing.and_then(|timing| value(timing).ok_or(Missing::TooFew))
            };
            to.value(&q::SAMPLING_RATE, &name, of(|timing| timing.rate));
            let jitter = of(|timing| timing.jitter.map(|seconds| 1000.0 * seconds));
            to.value(&q::SAMPLING_JITTER, &name, jitter);
            let gap = of(|timing| {
                let gap = timing.longest_gap?;
                Some(f64::from(gap.end) - f64::from(gap.start))
            });
            to.value(&q::LONGEST_GAP, &name, gap);
            let tail = quality.frozen_tail(stream, self.range);
            to.value(&q::FROZEN_TAIL, &name, tail.ok_or(Missing::NotRecorded));
        }
        for side in Side::BOTH {
            let name = [side.name()];
            let tracked = &quality.tracked[side as usize];
            let recorded = if quality.has_hands {
                Ok(())
            } else {
                Err(Missing::NotRecorded)
            };
            let length = overlap(self.analysis.quality.range.as_slice(), self.range);
            let tracked_share = share(overlap(tracked, self.range), length, Missing::NoSamples);
            to.value(&q::TRACKED_SHARE, &name, recorded.and(tracked_share));
            let recorded = if tracked.is_empty() {
                recorded.and(Err(Missing::NotTracked))
            } else {
                recorded
            };
            let dropouts = quality
                .dropouts(side)
                .filter(|range| self.has(range.start.into()));
            let lengths = dropouts.map(|range| f64::from(range.end) - f64::from(range.start));
            let lengths: Vec<f64> = lengths.collect();
            to.value(&q::DROPOUTS, &name, recorded.and(count(lengths.len())));
            let reason = recorded.err().unwrap_or(Missing::NoEvents);
            to.distribution(&q::DROPOUT, &name, lengths, reason);
        }
        let gaze = self.analysis.gaze.as_ref().ok_or(Missing::NotRecorded);
        let flagged = |flags: &[bool]| {
            let sampled = self.intervals.time(|_| true);
            ratio(
                self.intervals.time(|sample| flags[sample]),
                sampled,
                Missing::NoSamples,
            )
        };
        to.value(
            &q::GAZE_VALID,
            &[],
            gaze.and_then(|gaze| flagged(&gaze.valid)),
        );
        to.value(
            &q::GAZE_FROZEN,
            &[],
            gaze.and_then(|gaze| flagged(&gaze.frozen)),
        );
    }

    fn add_head(&self, to: &mut MeasureList<'_>) {
        let analysis = self.analysis;
        let positions = analysis.channels.head_position.as_ref();
        let path = positions.ok_or(Missing::NotRecorded).and_then(|positions| {
            let path = self.intervals.path_length(|sample| positions[sample]);
            path.ok_or(Missing::TooFew)
        });
        to.value(&q::HEAD_PATH, &[], path);
        let reason = if positions.is_none() {
            Missing::NotRecorded
        } else {
            Missing::TooFew
        };
        let speed = self.slice(analysis.head.as_ref().map(|head| &head.speed));
        to.distribution(&q::HEAD_SPEED, &[], speed.iter().copied(), reason);
        let rotation = if analysis.quality.is_head_rotation_lost() {
            Err(Missing::Damaged)
        } else {
            analysis.head_rotation.as_ref().ok_or(reason)
        };
        let path = rotation.and_then(|rotation| {
            let path = self.intervals.sum(|sample| rotation.step(sample));
            path.ok_or(Missing::TooFew)
        });
        to.value(&q::HEAD_ANGULAR_PATH, &[], path);
        let speed = self.slice(rotation.ok().map(|rotation| &rotation.speed));
        let reason = rotation.err().unwrap_or(Missing::TooFew);
        to.distribution(&q::HEAD_ANGULAR_SPEED, &[], speed.iter().copied(), reason);
        for (quantity, values) in [
            (&q::HEAD_YAW, rotation.map(|rotation| &rotation.yaw)),
            (&q::HEAD_PITCH, rotation.map(|rotation| &rotation.pitch)),
            (&q::HEAD_ROLL, rotation.map(|rotation| &rotation.roll)),
        ] {
            let range = values.and_then(|values| extent(&values[self.samples.clone()]));
            to.value(quantity, &[], range);
        }
    }

    fn add_both_hands(&self, to: &mut MeasureList<'_>) {
        let channels = &self.analysis.channels;
        for &joint in &self.analysis.parameters.joints {
            let name = [joint.name()];
            let both = Side::BOTH.map(|side| channels.hand(side).joint(joint));
            let reason = self.reason_of_both(both.map(|positions| positions.is_some()));
            let distances = self.samples.clone().filter_map(|index| {
                let [left, right] = both;
                Some(distance(left?[index], right?[index]))
            });
            to.distribution(&q::HANDS_DISTANCE, &name, distances, reason);
            let speeds = Side::BOTH.map(|side| {
                let kinematics = self.analysis.hand(side).kinematics(joint);
                self.slice(kinematics.map(|kinematics| &kinematics.speed))
            });
            let pairs = speeds[0].iter().copied().zip(speeds[1].iter().copied());
            let correlation = match reason {
                Missing::TooFew => correlation(pairs),
                reason => Err(reason),
            };
            to.value(&q::HANDS_CORRELATION, &name, correlation);
            let path = |positions: &[[f32; 3]]| self.intervals.path_length(|at| positions[at]);
            let laterality = match both.map(|positions| positions.map(path)) {
                [Some(Some(left)), Some(Some(right))] => {
                    ratio(right - left, right + left, Missing::Undefined)
                }
                _ => Err(reason),
            };
            to.value(&q::HANDEDNESS, &name, laterality);
        }
    }

    fn add_joint(&self, to: &mut MeasureList<'_>, side: Side, joint: Joint) {
        let name = [side.name(), joint.name()];
        let positions = self.analysis.channels.hand(side).joint(joint);
        let reason = self.reason(side, positions.is_some());
        let kinematics = self.analysis.hand(side).kinematics(joint);
        self.add_point(to, &q::JOINT, &name, positions, kinematics, reason);
    }

    /// Adds the measures of a point over time. `positions` and `kinematics` are `None` if it is not recorded.
    fn add_point(
        &self,
        to: &mut MeasureList<'_>,
        quantities: &'static q::PointQuantities,
        name: &[&str],
        positions: Option<&[[f32; 3]]>,
        kinematics: Option<&Kinematics>,
        reason: Missing,
    ) {
        let channels = &self.analysis.channels;
        let path =
            positions.and_then(|positions| self.intervals.path_length(|sample| positions[sample]));
        to.value(quantities.path, name, path.ok_or(reason));
        let positions = positions.map_or(&[][..], |positions| &positions[self.samples.clone()]);
        for (quantity, values) in [
            (
                quantities.speed,
                kinematics.map(|kinematics| &kinematics.speed),
            ),
            (
                quantities.acceleration,
                kinematics.map(|kinematics| &kinematics.acceleration),
            ),
            (
                quantities.jerk,
                kinematics.map(|kinematics| &kinematics.jerk),
            ),
        ] {
            to.distribution(quantity, name, self.slice(values).iter().copied(), reason);
        }
        let head = channels.head_position.as_ref();
        let head = head.map_or(&[][..], |head| &head[self.samples.clone()]);
        let reaches = positions
            .iter()
            .zip(head)
            .map(|(joint, head)| distance(*joint, *head));
        let no_head = if head.is_empty() {
            Missing::NotRecorded
        } else {
            reason
        };
        to.distribution(quantities.reach, name, reaches, no_head);
        for (axis, quantity) in quantities.box_extents.into_iter().enumerate() {
            let values: Vec<f64> = positions
                .iter()
                .map(|position| position[axis].into())
                .collect();
            to.value(quantity, name, extent(&values).map_err(|_| reason));
        }
        let volume = hull::volume(positions.iter().copied().map(vector));
        to.value(quantities.hull, name, volume.ok_or(reason));
    }

    fn add_movements(&self, to: &mut MeasureList<'_>, side: Side) {
        let name = [side.name()];
        let hand = self.analysis.hand(side);
        let joint = self.analysis.parameters.movement_joint;
        let speed = hand.kinematics(joint).map(|kinematics| &kinematics.speed);
        let is_known = speed.map(|speed| |sample: usize| !speed[sample].is_nan());
        let found: Vec<&Movement> = hand
            .movements
            .iter()
            .filter(|movement| self.has(movement.start))
            .collect();
        let reason = self.event_reason_of(side, found.len(), is_known);
        let positions = self.analysis.channels.hand(side).joint(joint);
        let reason = match (reason, positions) {
            // A part that is shorter than the window of the filter has no speed.
            (Missing::NoSamples, Some(at)) if self.has_any(|sample| at[sample][0].is_finite()) => {
                Missing::TooFew
            }
            _ => reason,
        };
        let number = match reason {
            Missing::NoEvents => count(found.len()),
            reason => Err(reason),
        };
        to.value(&q::MOVEMENTS, &name, number);
        let moving = hand.movements.iter();
        let moving = self
            .intervals
            .time_of(moving.map(|movement| (movement.start, movement.duration)));
        let known = is_known.map_or(0.0, |is_known| self.intervals.time(is_known));
        let moving = number.and_then(|_| share(moving, known, Missing::TooFew));
        to.value(&q::MOVING_SHARE, &name, moving);
        let mut add = |quantity, value: &dyn Fn(&Movement) -> f64| {
            let complete = found.iter().filter(|movement| movement.is_complete());
            let values = complete.map(|movement| value(movement));
            to.distribution(quantity, &name, values, reason);
        };
        add(&q::MOVEMENT_DURATION, &|movement| movement.duration);
        add(&q::MOVEMENT_AMPLITUDE, &|movement| movement.amplitude);
        add(&q::MOVEMENT_PEAK, &|movement| movement.peak_speed);
        add(&q::MOVEMENT_PEAK_TIME, &|movement| movement.time_to_peak);
        add(&q::MOVEMENT_STRAIGHTNESS, &|movement| {
            movement.straightness().unwrap_or(f64::NAN)
        });
        add(&q::SUBMOVEMENTS, &|movement| movement.submovements as f64);
        add(&q::SPARC, &|movement| movement.sparc.unwrap_or(f64::NAN));
        add(&q::LDLJ, &|movement| movement.ldlj.unwrap_or(f64::NAN));
    }

    fn add_fingers(&self, to: &mut MeasureList<'_>, side: Side) {
        let hand = self.analysis.channels.hand(side);
        let is_tracked = |index: &usize| hand.tracked[*index];
        let samples: Vec<usize> = self.samples.clone().filter(is_tracked).collect();
        let mut add =
            |quantity: &'static q::Quantity, name: &str, joints: &[Joint], mut values: Vec<f64>| {
                let is_recorded = joints.iter().all(|&joint| hand.joint(joint).is_some());
                if !is_recorded {
                    values.clear();
                }
                let reason = self.reason(side, is_recorded);
                to.distribution(quantity, &[side.name(), name], values, reason);
            };
        let each = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
            samples.iter().map(|&sample| value(sample)).collect()
        };
        for finger in Finger::ALL {
            let [base, middle, last, tip] = finger.joints();
            let joints = [base, middle, last, tip, Joint::IndexKnuckle];
            if finger == Finger::Thumb {
                let values = each(&|sample| abduction(hand, side, base, sample));
                add(&q::ABDUCTION, base.name(), &joints, values);
            } else {
                // Both angles are computed at once, because their axes take most of the time.
                let angles = samples.iter();
                let angles = angles.map(|&sample| knuckle_angles(hand, side, base, sample));
                let angles: Vec<[f64; 2]> = angles.collect();
                let palm = [Joint::Wrist, Joint::IndexKnuckle, Joint::PinkyKnuckle];
                let joints = [&joints[..], &palm].concat();
                for (index, quantity) in [&q::FLEXION, &q::ABDUCTION].into_iter().enumerate() {
                    let values = angles.iter().map(|angles| angles[index]);
                    add(quantity, base.name(), &joints, values.collect());
                }
            }
            for joint in [middle, last] {
                let values = each(&|sample| flexion(hand, side, joint, sample));
                add(&q::FLEXION, joint.name(), &joints, values);
            }
            let values = each(&|sample| curl(hand, finger, sample));
            add(&q::CURL, finger.name(), &joints, values);
        }
        let tips = Finger::ALL.map(Finger::tip);
        let aperture = self.analysis.hand(side).aperture.as_ref();
        let values = each(&|sample| aperture.map_or(f64::NAN, |aperture| aperture[sample]));
        add(
            &q::APERTURE,
            "",
            &[Joint::ThumbTip, Joint::IndexTip],
            values,
        );
        add(
            &q::OPENNESS,
            "",
            &tips,
            each(&|sample| openness(hand, sample)),
        );
        for joint in Joint::ALL {
            if let Some(parent) = joint.parent() {
                let values = each(&|sample| bone_length(hand, joint, sample));
                add(&q::BONE, joint.name(), &[joint, parent], values);
            }
        }
    }

    fn add_pinches(&self, to: &mut MeasureList<'_>, side: Side) {
        let hand = self.analysis.hand(side);
        let has_states = !self.analysis.quality.tracked[side as usize].is_empty();
        let lacks_pinches = self.analysis.quality.lacks_pinches[side as usize];
        let aperture = hand.aperture.as_ref();
        for (source, pinches) in [
            ("pinch", &hand.recorded_pinches),
            ("geometric_pinch", &hand.geometric_pinches),
        ] {
            let name = [side.name(), source];
            let pinches: Vec<&Pinch> = pinches.iter().filter(|p| self.has(p.start)).collect();
            let reason = if source == "geometric_pinch" {
                let signal = aperture.map(|values| |sample: usize| !values[sample].is_nan());
                self.event_reason_of(side, pinches.len(), signal)
            } else {
                // Programs may record pinches of a hand that is not tracked.
                match pinches[..] {
                    [] if lacks_pinches => Missing::NotRecorded,
                    [] => self.event_reason(side, has_states),
                    _ => Missing::NoEvents,
                }
            };
            let number = match reason {
                Missing::NoEvents => count(pinches.len()),
                reason => Err(reason),
            };
            to.value(&q::PINCHES, &name, number);
            let complete = || pinches.iter().filter(|pinch| pinch.is_complete());
            let durations = complete().map(|pinch| pinch.duration);
            to.distribution(&q::PINCH_DURATION, &name, durations, reason);
            let drags = complete().map(|pinch| pinch.drag.unwrap_or(f64::NAN));
            to.distribution(&q::PINCH_DRAG, &name, drags, reason);
            let pairs = || {
                let pairs = pinches.windows(2).map(|pair| [pair[0], pair[1]]);
                pairs.filter(|[_, next]| !next.is_cut_at_start)
            };
            let intervals = pairs().filter(|[pinch, _]| !pinch.is_cut_at_start);
            let intervals = intervals.map(|[pinch, next]| next.start - pinch.start);
            to.distribution(&q::PINCH_INTERVAL, &name, intervals, reason);
            let pauses = pairs().filter(|[pinch, _]| !pinch.is_cut_at_end);
            let pauses = pauses.map(|[pinch, next]| next.start - pinch.end());
            to.distribution(&q::PINCH_MOVEMENT_TIME, &name, pauses, reason);
        }
        let agreement = match (aperture, &hand.closed) {
            (Some(aperture), Some(closed)) if !lacks_pinches => {
                let channels = &self.analysis.channels;
                pinch_agreement(channels, side, aperture, closed, self.samples.clone())
            }
            _ => Err(Missing::NotRecorded),
        };
        to.value(&q::PINCH_AGREEMENT, &[side.name()], agreement);
    }

    fn add_gaze(&self, to: &mut MeasureList<'_>) {
        let gaze = self.analysis.gaze.as_ref();
        let valid: Vec<usize> = gaze.map_or_else(Vec::new, |gaze| {
            let is_live = |&sample: &usize| gaze.is_live(sample);
            self.samples.clone().filter(is_live).collect()
        });
        let time = self.gaze_time(Gaze::is_live);
        let reason = time.err().unwrap_or(Missing::NoEvents);
        let known = |value: f64| time.map(|_| value);
        let time = time.unwrap_or(0.0);
        for (method, fixations) in [
            ("idt", gaze.map(|gaze| &gaze.fixations)),
            ("ivt", gaze.map(|gaze| &gaze.velocity_fixations)),
        ] {
            let name = [method];
            let fixations = fixations.map_or(&[][..], |fixations| fixations);
            let within = fixations.iter();
            let within = self
                .intervals
                .time_of(within.map(|event| (event.start, event.duration)));
            let fixations = fixations.iter();
            let fixations = fixations.filter(|fixation| self.has(fixation.start));
            let fixations: Vec<&Fixation> = fixations.collect();
            let number = known(fixations.len() as f64);
            to.value(&q::FIXATIONS, &name, number);
            to.value(
                &q::FIXATION_RATE,
                &name,
                number.and_then(|n| ratio(n, time, reason)),
            );
            let within = known(within).and_then(|within| share(within, time, reason));
            to.value(&q::FIXATION_SHARE, &name, within);
            let durations = fixations.iter().map(|fixation| fixation.duration);
            to.distribution(&q::FIXATION_DURATION, &name, durations, reason);
            let dispersions = fixations.iter().map(|fixation| fixation.dispersion);
            to.distribution(&q::FIXATION_DISPERSION, &name, dispersions, reason);
            let areas = fixations
                .iter()
                .map(|fixation| fixation.bcea.unwrap_or(f64::NAN));
            to.distribution(&q::FIXATION_BCEA, &name, areas, reason);
            let steps = fixations.windows(2).map(|pair| {
                let [a, b] = [pair[0], pair[1]].map(|fixation| fixation.direction.into());
                angle(a, b)
            });
            to.value(&q::SCAN_PATH, &name, known(steps.sum()));
        }
        let saccades = gaze.map_or(&[][..], |gaze| &gaze.saccades);
        let saccades: Vec<_> = saccades
            .iter()
            .filter(|saccade| self.has(saccade.start))
            .cloned()
            .collect();
        to.value(&q::SACCADES, &[], known(saccades.len() as f64));
        let amplitudes = saccades.iter().map(|saccade| saccade.amplitude);
        to.distribution(&q::SACCADE_AMPLITUDE, &[], amplitudes, reason);
        let peaks = saccades.iter().map(|saccade| saccade.peak_velocity);
        to.distribution(&q::SACCADE_PEAK, &[], peaks, reason);
        let durations = saccades.iter().map(|saccade| saccade.duration);
        to.distribution(&q::SACCADE_DURATION, &[], durations, reason);
        let sequence = known(0.0).and_then(|_| main_sequence(&saccades));
        let (exponent, coefficient) = (sequence.map(|(e, _)| e), sequence.map(|(_, c)| c));
        to.value(&q::MAIN_EXPONENT, &[], exponent);
        to.value(&q::MAIN_COEFFICIENT, &[], coefficient);
        let directions = self.analysis.channels.gaze_direction.as_ref();
        let directions: Vec<_> = directions.map_or_else(Vec::new, |directions| {
            valid
                .iter()
                .map(|&index| vector(directions[index]))
                .collect()
        });
        let share = self.analysis.parameters.gaze.bcea_share;
        to.value(
            &q::GAZE_BCEA,
            &[],
            known(0.0).and_then(|_| bcea(&directions, share)),
        );
        let mean = mean_direction(&directions);
        let squares = directions
            .iter()
            .map(|direction| angle(*direction, mean).powi(2));
        let variance = ratio(squares.sum(), directions.len() as f64, reason);
        to.value(&q::GAZE_DISPERSION, &[], variance.map(libm::sqrt));
        let head = if self.analysis.quality.is_head_rotation_lost() {
            Err(Missing::Damaged)
        } else {
            self.analysis
                .head_rotation
                .as_ref()
                .ok_or(Missing::NotRecorded)
        };
        let pairs = valid.iter().zip(&directions);
        let offsets = pairs
            .filter_map(|(&index, direction)| Some(angle(head.ok()?.forward(index), *direction)));
        let reason = head.err().unwrap_or(reason);
        to.distribution(&q::HEAD_OFFSET, &[], offsets, reason);
    }

    fn add_targets(&self, to: &mut MeasureList<'_>) {
        let analysis = self.analysis;
        let gaze = analysis.gaze.as_ref();
        let valid_time = self.gaze_time(|gaze, sample| gaze.valid[sample]);
        let live_time = self.gaze_time(Gaze::is_live);
        for (number, target) in analysis.parameters.targets.iter().enumerate() {
            let name = [target.name.as_str()];
            let of_target = || analysis.looks.iter().filter(|look| look.target == number);
            let looks = of_target().filter(|look| self.has(look.start)).count();
            let known = |value: f64| valid_time.map(|_| value);
            let dwell = self
                .intervals
                .time_of(of_target().map(|look| (look.start, look.duration)));
            to.value(&q::TARGET_DWELL, &name, known(dwell));
            to.value(&q::TARGET_LOOKS, &name, known(looks as f64));
            let first = known(0.0).and_then(|_| self.first(of_target()).ok_or(Missing::NoEvents));
            to.value(&q::TARGET_FIRST, &name, first);
            let fixations = gaze.map_or(&[][..], |gaze| &gaze.fixations).iter();
            let hits = fixations.filter(|fixation| {
                self.has(fixation.start)
                    && crate::target::fixated(
                        &analysis.channels,
                        &analysis.parameters.targets,
                        fixation,
                    ) == Some(number)
            });
            let hits = live_time.map(|_| hits.count() as f64);
            to.value(&q::TARGET_FIXATIONS, &name, hits);
            for side in Side::BOTH {
                let name = [target.name.as_str(), side.name()];
                let hand = analysis.channels.hand(side);
                let tips = hand.joint(Joint::IndexTip);
                let reason = self.reason(side, tips.is_some());
                let nearest =
                    crate::target::nearest(&analysis.channels, side, target, self.samples.clone());
                to.value(&q::TARGET_DISTANCE, &name, nearest.ok_or(reason));
                let ray = tips.zip(hand.joint(Joint::IndexKnuckle));
                let is_known = ray.map(|(tips, knuckles)| {
                    |sample: usize| tips[sample][0].is_finite() && knuckles[sample][0].is_finite()
                });
                let entries = analysis.ray_entries[number][side as usize].iter().flatten();
                let hits = entries.filter(|time| self.has(**time)).count();
                let hits = match self.event_reason_of(side, hits, is_known) {
                    Missing::NoEvents => count(hits),
                    reason => Err(reason),
                };
                to.value(&q::TARGET_HITS, &name, hits);
            }
        }
    }

    fn add_fitts(&self, to: &mut MeasureList<'_>, side: Side) {
        let targets = &self.analysis.parameters.targets;
        if targets.is_empty() {
            return;
        }
        let has_states = !self.analysis.quality.tracked[side as usize].is_empty();
        let reason = if self.analysis.quality.lacks_pinches[side as usize] {
            Missing::NotRecorded
        } else {
            self.event_reason(side, has_states)
        };
        let pinches = self.analysis.hand(side).recorded_pinches.iter();
        let pinches: Vec<Pinch> = pinches.filter(|p| self.has(p.start)).cloned().collect();
        let selections = selections(&pinches, targets);
        let (number, fitts) = match reason {
            Missing::NoEvents if selections.is_empty() => (count(0), Err(reason)),
            Missing::NoEvents => (count(selections.len()), Fitts::of(&selections)),
            reason => (Err(reason), Err(reason)),
        };
        let name = [side.name()];
        add_fitts_values(to, &q::SIDE_FITTS, &name, number, fitts);
    }

    fn add_devices(&self, to: &mut MeasureList<'_>) {
        let parameters = &self.analysis.parameters.devices;
        parameters
            .poses
            .iter()
            .for_each(|&pose| self.add_pose(to, pose));
        parameters
            .inputs
            .iter()
            .for_each(|&input| self.add_input(to, input));
        parameters
            .sticks
            .iter()
            .for_each(|&stick| self.add_stick(to, stick));
        for target in 0..self.analysis.parameters.targets.len() {
            for (index, &pointer) in parameters.pointers.iter().enumerate() {
                self.add_pointer(to, target, index, pointer);
            }
        }
        if !self.analysis.parameters.targets.is_empty() {
            for &input in &parameters.inputs {
                let mut pointers = parameters.pointers.iter();
                if let Some(&pointer) = pointers.find(|pointer| pointer.device == input.device) {
                    self.add_input_fitts(to, input, pointer);
                }
            }
        }
    }

    /// Returns the reason why a measure of a device has no value. `is_known` returns `true` for the samples at which the data of
    /// the measure are known, and is `None` if they are not recorded. If there is no other reason, returns
    /// [`Missing::TooFew`].
    fn device_reason(&self, is_known: Option<impl Fn(usize) -> bool>) -> Missing {
        match is_known {
            None => Missing::NotRecorded,
            Some(is_known) if !self.has_any(&is_known) => Missing::NoSamples,
            Some(_) => Missing::TooFew,
        }
    }

    fn add_pose(&self, to: &mut MeasureList<'_>, pose: DevicePose) {
        let analysis = self.analysis;
        let name = pose.to_string();
        let name = [name.as_str()];
        let samples = analysis.channels.device_pose(pose);
        let is_known = samples.map(|samples| |at: usize| samples.position[at][0].is_finite());
        let reason = self.device_reason(is_known);
        let positions = samples.map(|samples| &samples.position[..]);
        let mut found = analysis.poses.iter();
        let found = found
            .find(|(other, _)| *other == pose)
            .map(|(_, found)| found);
        let kinematics = found.map(|found| &found.kinematics);
        self.add_point(to, &q::POSE, &name, positions, kinematics, reason);
        let rotation = found.map(|found| &found.rotation).ok_or(reason);
        let path = rotation.and_then(|rotation| {
            let path = self.intervals.sum(|sample| rotation.step(sample));
            path.ok_or(reason)
        });
        to.value(&q::POSE_ANGULAR_PATH, &name, path);
        let speed = self.slice(rotation.ok().map(|rotation| &rotation.speed));
        to.distribution(&q::POSE_ANGULAR_SPEED, &name, speed.iter().copied(), reason);
    }

    fn add_input(&self, to: &mut MeasureList<'_>, input: DeviceInput) {
        let analysis = self.analysis;
        let name = input.to_string();
        let name = [name.as_str()];
        let mut inputs = analysis.inputs.iter();
        let found = inputs.find(|found| found.input == input);
        let known = found.map_or(&[][..], |found| &found.known);
        let ends = [self.range.start, self.range.end].map(f64::from);
        let within = |[start, end]: [f64; 2]| (end.min(ends[1]) - start.max(ends[0])).max(0.0);
        let known_time: f64 = known.iter().map(|range| within(*range)).sum();
        let presses = found.map_or(&[][..], |found| &found.presses);
        let pressed: f64 = presses
            .iter()
            .map(|press| within([press.start, press.end()]))
            .sum();
        let presses: Vec<&Press> = presses
            .iter()
            .filter(|press| self.has(press.start))
            .collect();
        let touches = |range: &[f64; 2]| range[0] <= ends[1] && range[1] >= ends[0];
        let is_known = known_time > 0.0
            || !presses.is_empty()
            || (ends[0] == ends[1] && known.iter().any(touches));
        let reason = if found.is_none() {
            Missing::NotRecorded
        } else if is_known {
            Missing::NoEvents
        } else {
            Missing::NoSamples
        };
        let number = match reason {
            Missing::NoEvents => count(presses.len()),
            reason => Err(reason),
        };
        to.value(&q::PRESSES, &name, number);
        let rate = number.and_then(|number| ratio(number, known_time, Missing::TooFew));
        to.value(&q::PRESS_RATE, &name, rate);
        let pressed = number.and_then(|_| share(pressed, known_time, Missing::TooFew));
        to.value(&q::PRESSED_SHARE, &name, pressed);
        let complete = presses.iter().filter(|press| press.is_complete());
        let durations = complete.map(|press| press.duration);
        to.distribution(&q::PRESS_DURATION, &name, durations, reason);
        let pairs = presses.windows(2).map(|pair| [pair[0], pair[1]]);
        // A press that is cut at its end is followed by a time at which the input is not known.
        let pairs = pairs.filter(|[press, next]| {
            let mut known = known.iter();
            let are_joined = known.any(|range| range[0] <= press.start && next.start <= range[1]);
            !press.is_cut_at_start && !next.is_cut_at_start && are_joined
        });
        let intervals = pairs.map(|[press, next]| next.start - press.start);
        to.distribution(&q::PRESS_INTERVAL, &name, intervals, reason);
        let hold = analysis.parameters.devices.hold;
        let holds = presses.iter().filter(|press| press.duration >= hold);
        to.value(&q::HOLDS, &name, number.map(|_| holds.count() as f64));
        let values = analysis.channels.input(input);
        let is_known = values.map(|values| |sample: usize| values[sample].is_finite());
        let reason = self.device_reason(is_known);
        let values = values.map_or(&[][..], |values| &values[self.samples.clone()]);
        let values = values.iter().map(|value| f64::from(*value));
        to.distribution(&q::INPUT_VALUE, &name, values, reason);
    }

    fn add_stick(&self, to: &mut MeasureList<'_>, stick: DeviceStick) {
        let channels = &self.analysis.channels;
        let name = stick.to_string();
        let name = [name.as_str()];
        let [x, y] = stick.inputs().map(|input| channels.input(input));
        let point = x.zip(y).map(|(x, y)| |at: usize| [x[at], y[at], 0.0]);
        let is_known = point.map(|point| {
            move |at: usize| {
                let [x, y, _] = point(at);
                x.is_finite() && y.is_finite()
            }
        });
        let reason = self.device_reason(is_known);
        let travel = point.and_then(|point| self.intervals.path_length(point));
        to.value(&q::STICK_TRAVEL, &name, travel.ok_or(reason));
        let samples = point.map_or(0..0, |_| self.samples.clone());
        let deflections = samples.filter_map(|at| Some(distance(point?(at), [0.0; 3])));
        to.distribution(&q::STICK_DEFLECTION, &name, deflections, reason);
    }

    fn add_pointer(
        &self,
        to: &mut MeasureList<'_>,
        target: usize,
        index: usize,
        pointer: DevicePose,
    ) {
        let analysis = self.analysis;
        let pointer_name = pointer.to_string();
        let name = [
            analysis.parameters.targets[target].name.as_str(),
            &pointer_name,
        ];
        let samples = analysis.channels.device_pose(pointer);
        let is_known = samples.map(|samples| {
            |at: usize| samples.position[at][0].is_finite() && samples.rotation[at][0].is_finite()
        });
        let reason = self.device_reason(is_known);
        let known = |value: f64| match reason {
            Missing::TooFew => Ok(value),
            reason => Err(reason),
        };
        let looks = analysis.pointing.get(index).and_then(Option::as_deref);
        let looks = looks.unwrap_or_default();
        let of_target = || looks.iter().filter(|look| look.target == target);
        let dwell = of_target().map(|look| (look.start, look.duration));
        to.value(
            &q::POINTER_DWELL,
            &name,
            known(self.intervals.time_of(dwell)),
        );
        let hits = of_target().filter(|look| self.has(look.start)).count();
        to.value(&q::POINTER_HITS, &name, known(hits as f64));
        let first = known(0.0).and_then(|_| self.first(of_target()).ok_or(Missing::NoEvents));
        to.value(&q::POINTER_FIRST, &name, first);
    }

    /// Returns the time in seconds from the start of the time range to the first look; 0 if a look is in progress at the start.
    fn first<'l>(&self, looks: impl Iterator<Item = &'l Look>) -> Option<f64> {
        let start = f64::from(self.range.start);
        let mut seen =
            looks.filter(|look| self.has(look.start) || (look.start < start && look.end() > start));
        seen.next().map(|look| (look.start - start).max(0.0))
    }

    fn add_input_fitts(&self, to: &mut MeasureList<'_>, input: DeviceInput, pointer: DevicePose) {
        let analysis = self.analysis;
        let name = input.to_string();
        let name = [name.as_str()];
        let mut inputs = analysis.inputs.iter();
        let found = inputs.find(|found| found.input == input);
        let samples = analysis.channels.device_pose(pointer);
        let is_known = samples.map(|samples| |at: usize| samples.position[at][0].is_finite());
        let reason = match (found, self.device_reason(is_known)) {
            (None, _) => Missing::NotRecorded,
            (Some(_), Missing::TooFew) => Missing::NoEvents,
            (Some(_), reason) => reason,
        };
        let selections = match (found, samples) {
            (Some(found), Some(samples)) => {
                let presses = found.presses.iter();
                let presses: Vec<Press> = presses
                    .filter(|press| self.has(press.start))
                    .cloned()
                    .collect();
                let (positions, directions) = (&samples.position, samples.directions());
                let targets = &analysis.parameters.targets;
                let channels = &analysis.channels;
                selections_along(channels, positions, &directions, &presses, targets)
            }
            _ => Vec::new(),
        };
        let (number, fitts) = match reason {
            Missing::NoEvents if selections.is_empty() => (count(0), Err(reason)),
            Missing::NoEvents => (count(selections.len()), Fitts::of(&selections)),
            reason => (Err(reason), Err(reason)),
        };
        add_fitts_values(to, &q::INPUT_FITTS, &name, number, fitts);
    }
}

/// Adds the measures of Fitts's law. `number` is the number of selections.
fn add_fitts_values(
    to: &mut MeasureList<'_>,
    quantities: &'static q::FittsQuantities,
    name: &[&str],
    number: Measured,
    fitts: Result<Fitts, Missing>,
) {
    to.value(quantities.selections, name, number);
    let mut add = |quantity, value: fn(Fitts) -> f64| to.value(quantity, name, fitts.map(value));
    add(quantities.amplitude, |fitts| fitts.effective_amplitude);
    add(quantities.width, |fitts| fitts.effective_width);
    add(quantities.difficulty, |fitts| fitts.effective_difficulty);
    add(quantities.time, |fitts| fitts.movement_time);
    add(quantities.throughput, |fitts| fitts.throughput);
}
