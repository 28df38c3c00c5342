//! The result of `diff`: as JSON and as rows of CSV. Positions are metres, rotations degrees, times
//! seconds.

use inputanim::Joint;
use inputanim::diff::{Aspect, Deviation, Difference, StateDifference, Tolerance, Verdict};
use serde::Serialize;

/// Two recordings. Pairs are in the order of the command line.
#[derive(Serialize)]
pub(super) struct Report<'r> {
    files: [&'r str; 2],
    tolerance: Tolerance,
    #[serde(flatten)]
    difference: &'r Difference,
}

/// One compared quantity as a row of CSV; equal recordings have one row without a subject.
#[derive(Default, Serialize)]
pub(super) struct Row<'r> {
    file_a: &'r str,
    file_b: &'r str,
    verdict: &'static str,
    subject: Option<String>,
    quantity: Option<&'static str>,
    unit: Option<&'static str>,
    within: Option<bool>,
    count: Option<u64>,
    incomparable: Option<u64>,
    largest: Option<f64>,
    at_s: Option<f32>,
    joint: Option<Joint>,
    median: Option<f64>,
    percentile_95: Option<f64>,
    spans_beyond: Option<u64>,
    seconds_beyond: Option<f32>,
    compared_s: Option<f32>,
}

impl<'r> Report<'r> {
    pub(super) fn new(
        tolerance: Tolerance,
        difference: &'r Difference,
        files: [&'r str; 2],
    ) -> Report<'r> {
        Report {
            files,
            tolerance,
            difference,
        }
    }

    pub(super) fn rows(&self) -> Vec<Row<'r>> {
        let difference = self.difference;
        let row = |subject: &dyn ToString, quantity| Row {
            subject: Some(subject.to_string()),
            quantity: Some(quantity),
            ..self.row()
        };
        if difference.verdict == Verdict::Equal {
            return vec![self.row()];
        }
        let mut rows = Vec::new();
        for stream in &difference.streams {
            let name = &stream.stream;
            let row = |quantity| Row {
                compared_s: Some(stream.seconds),
                ..row(name, quantity)
            };
            rows.push(deviation(&stream.position, "m", row("position")));
            rows.push(deviation(&stream.rotation, "deg", row("rotation")));
        }
        let only = ["only in A", "only in B"];
        for (subjects, quantity) in difference.only_in.iter().zip(only) {
            rows.extend(subjects.iter().map(|subject| Row {
                within: Some(false),
                ..row(subject, quantity)
            }));
        }
        let uncompared = difference.uncompared.iter();
        rows.extend(uncompared.map(|joint| Row {
            within: Some(false),
            compared_s: Some(0.0),
            ..row(&joint.element, "never tracked in both")
        }));
        let states = difference.states.iter();
        rows.extend(states.map(|state| self.state(state, row(&state.stream, "state"))));
        let inputs = difference.inputs.iter();
        rows.extend(inputs.map(|input| Row {
            within: Some(input.is_within(self.tolerance.timing)),
            largest: Some(input.largest),
            at_s: Some(input.at),
            spans_beyond: Some(input.count),
            seconds_beyond: Some(input.seconds),
            ..row(&input.element, "input")
        }));
        for device in &difference.haptics {
            let pulses = device
                .only_in
                .iter()
                .zip(["pulses only in A", "pulses only in B"]);
            rows.extend(pulses.map(|(pulses, quantity)| Row {
                count: Some(pulses.len() as u64),
                within: Some(pulses.is_empty()),
                ..row(&device.device, quantity)
            }));
        }
        let markers = &difference.markers;
        let distances = markers
            .moved
            .iter()
            .map(|marker| f64::from(marker.offset().abs()));
        rows.push(Row {
            unit: Some("s"),
            count: Some(markers.moved.len() as u64),
            within: Some(!markers.has_moved(self.tolerance.timing)),
            largest: distances.reduce(f64::max),
            ..row(&"markers", "moved")
        });
        for (markers, quantity) in markers.only_in.iter().zip(only) {
            rows.push(Row {
                count: Some(markers.len() as u64),
                within: Some(markers.is_empty()),
                ..row(&"markers", quantity)
            });
        }
        let [a, b] = difference.durations.map(f64::from);
        rows.push(Row {
            unit: Some("s"),
            within: Some(!difference.out_of_tolerance.contains(&Aspect::Duration)),
            largest: Some((b - a).abs()),
            ..row(&"duration", "length")
        });
        if !difference.about.is_empty() {
            rows.push(Row {
                count: Some(difference.about.len() as u64),
                within: Some(true),
                ..row(&"about", "texts that differ")
            });
        }
        rows
    }

    fn row(&self) -> Row<'r> {
        let [file_a, file_b] = self.files;
        Row {
            file_a,
            file_b,
            verdict: self.difference.verdict.name(),
            ..Row::default()
        }
    }

    fn state(&self, state: &StateDifference, row: Row<'r>) -> Row<'r> {
        let longest = state.longest.iter();
        // The report lists the longest in order of time.
        let longest = longest.max_by(|a, b| a.length().total_cmp(&b.length()));
        Row {
            unit: Some("s"),
            within: Some(state.is_within(self.tolerance.timing)),
            largest: longest.map(|range| f64::from(range.length())),
            at_s: longest.map(|range| range.start),
            spans_beyond: Some(state.count),
            seconds_beyond: Some(state.seconds),
            ..row
        }
    }
}

/// Returns `row` with the statistics of a deviation between both recordings. `unit` is the unit of the deviation:
/// metres or degrees.
fn deviation<'r>(deviation: &Deviation, unit: &'static str, row: Row<'r>) -> Row<'r> {
    let statistics = deviation.statistics;
    Row {
        unit: Some(unit),
        within: Some(deviation.is_within()),
        count: Some(deviation.instants),
        incomparable: Some(deviation.incomparable),
        largest: statistics.map(|found| found.largest),
        at_s: statistics.map(|found| found.at),
        joint: statistics.and_then(|found| found.joint),
        median: statistics.map(|found| found.median),
        percentile_95: statistics.map(|found| found.percentile_95),
        spans_beyond: Some(deviation.violations.count),
        seconds_beyond: Some(deviation.violations.seconds),
        ..row
    }
}
