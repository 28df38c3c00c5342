//! Conversion of rows to curves.

use std::borrow::Cow;

use super::contents::POSES;
use super::gaps::Gaps;
use super::options::{Absence, RecorderOptions};
use super::row::Row;
use super::unseen_hands::Seen;
use crate::curve::{BooleanCurve, FloatCurve, KeyKind, Keys};
use crate::joint::{Joints, Side};
use crate::layout::Layout;
use crate::pose::{PoseCurves, RayCurves};
use crate::recording::{HandCurves, Hands, Recording};

/// Builds a recording from rows in order of time.
pub(super) struct RecordingBuilder {
    layout: Layout,
    /// Time of the rows that becomes 0 in the recording, in seconds.
    origin: f64,
    poses: Vec<PoseCurves<'static>>,
    gaze: RayCurves<'static>,
    states: [States; 2],
    last: Option<LastRow>,
    /// The time of the first added row.
    first: Option<f32>,
    seen: Seen,
    /// The gaps of elements; `None` if an element without a value in a row is only not sampled there.
    gaps: Option<Gaps>,
}

#[derive(Default)]
struct States {
    tracked: BooleanCurve<'static>,
    pinching: BooleanCurve<'static>,
    /// Tracked in the last row in which the hand was known.
    last_tracked: Option<bool>,
    /// Pinching in the last row in which this was known.
    last_pinching: Option<bool>,
}

/// The last added row.
struct LastRow {
    time: f32,
    /// `true` if a curve has a key at its time.
    has_key: bool,
}

impl RecordingBuilder {
    /// Returns a builder without keys that has reserved memory for the keys of `rows`, so that the curves never move
    /// while they grow. `origin` is the time of the rows, in seconds, that becomes 0 in the recording.
    pub(super) fn for_rows<'w>(
        rows: impl Iterator<Item = Row<'w>> + Clone,
        options: RecorderOptions,
        origin: f64,
    ) -> RecordingBuilder {
        let layout = options.layout;
        let (mut poses, mut gaze) = ([0; POSES], 0);
        let mut is_shown = [false; 2];
        let (mut last, mut has_pauses) = (f32::INFINITY, false);
        for row in rows.clone() {
            has_pauses |= options.pauses.can_be(row.time - last);
            last = row.time;
            for side in Side::BOTH {
                is_shown[side as usize] |= row.contents.is_tracked(side);
            }
            for slot in row.contents.poses() {
                poses[slot] += 1;
            }
            gaze += usize::from(row.contents.has_gaze());
        }
        let gaps = (options.absence == Absence::Unknown).then(|| {
            let times: Vec<f32> = match has_pauses {
                true => rows.map(|row| row.time).collect(),
                false => Vec::new(),
            };
            Gaps::new(&poses, gaze, is_shown, &options.pauses.in_times(&times))
        });
        let kind = layout.key_kind();
        let pose = |keys| PoseCurves {
            position: std::array::from_fn(|_| empty_curve(kind, keys)),
            rotation: std::array::from_fn(|_| empty_curve(kind, keys)),
        };
        RecordingBuilder {
            layout,
            origin,
            poses: poses.into_iter().map(pose).collect(),
            gaze: RayCurves {
                origin: std::array::from_fn(|_| empty_curve(kind, gaze)),
                direction: std::array::from_fn(|_| empty_curve(kind, gaze)),
            },
            states: Default::default(),
            last: None,
            first: None,
            seen: Seen::default(),
            gaps,
        }
    }

    pub(super) fn add(&mut self, row: Row<'_>) {
        // Subtracted in double precision, so that the time is rounded only once.
        let time = (f64::from(row.time) - self.origin) as f32;
        let first = *self.first.get_or_insert(time);
        self.seen.add(row.contents);
        for (slot, pose) in row.poses() {
            self.poses[slot].push(time, &pose);
        }
        let gaze = row.gaze();
        if let Some(ray) = &gaze {
            self.gaze.push(time, ray);
        }
        if let Some(gaps) = &mut self.gaps {
            let (poses, gaze) = (&self.poses, &self.gaze);
            gaps.add(time, row.time, row.contents, |slot| {
                let curve = match poses.get(slot) {
                    Some(pose) => &pose.position[0],
                    None => &gaze.origin[0],
                };
                let last = curve.keys.len().checked_sub(1)?;
                curve.keys.point(last).map(|(time, _)| time)
            });
        }
        let mut has_key = row.contents.count_poses() > 0 || gaze.is_some();
        for (side, states) in Side::BOTH.into_iter().zip(&mut self.states) {
            // The states of a hand that is unknown hold, and its gap hides them.
            if row.contents.is_unknown(side) {
                continue;
            }
            let (tracked, pinching) = (
                row.contents.is_tracked(side),
                row.contents.is_pinching(side),
            );
            if states.last_tracked != Some(tracked) {
                states.tracked.push(time, tracked);
                has_key = true;
            }
            states.last_tracked = Some(tracked);
            if row.contents.is_pinch_unknown(side) {
                continue;
            }
            // Playback holds the first value before its key, and nobody saw a pinch there.
            if states.last_pinching.is_none() && pinching && first < time {
                states.pinching.push(first, false);
            }
            if states.last_pinching != Some(pinching) {
                states.pinching.push(time, pinching);
                has_key = true;
            }
            states.last_pinching = Some(pinching);
        }
        self.last = Some(LastRow { time, has_key });
    }

    /// Returns the recording of the added rows. It has no head or gaze stream when no row had one, except that a layout
    /// without flags always has a head. If no curve has a key at the last row, the state curves get one. The second result is
    /// what the rows say of hands.
    pub(super) fn finish(mut self) -> (Recording<'static>, Seen) {
        if let Some(last) = self.last.take_if(|last| !last.has_key) {
            // A key at the last row makes the recording as long as its frames.
            for (side, states) in Side::BOTH.into_iter().zip(&mut self.states) {
                if self.seen.is_only_other(side) {
                    continue;
                }
                let is_tracked = states.last_tracked.unwrap_or_default();
                states.tracked.push(last.time, is_tracked);
                if let Some(is_pinching) = states.last_pinching {
                    states.pinching.push(last.time, is_pinching);
                }
            }
        }
        let mut poses = self.poses.into_iter();
        let head = poses
            .next()
            // Version 1.0 always has a head, so an empty one stays there.
            .filter(|head| !head.is_empty() || !self.layout.has_flags());
        let [left, right] = self.states.map(|states| HandCurves {
            tracked: states.tracked,
            pinching: states.pinching,
            joints: Box::new(Joints::from_fn(|_| poses.next().unwrap_or_default())),
        });
        let recording = Recording {
            head,
            hands: Some(Hands { left, right }),
            gaze: Some(self.gaze).filter(|gaze| !gaze.is_empty()),
            known: self.gaps.map(Gaps::finish).unwrap_or_default(),
            ..Recording::new(self.layout)
        };
        (recording, self.seen)
    }
}

fn empty_curve(kind: KeyKind, keys: usize) -> FloatCurve<'static> {
    FloatCurve {
        keys: match kind {
            KeyKind::Full => Keys::Full(Cow::Owned(Vec::with_capacity(keys))),
            KeyKind::Simple => Keys::Simple(Cow::Owned(Vec::with_capacity(keys))),
        },
        ..FloatCurve::default()
    }
}
