//! What `diff` finds, in a form that programs like: millimetres, degrees and seconds, in single
//! precision as the numbers that they come from.

use inputanim::diff::{Aspect, Deviation, Difference, StateDifference};
use inputanim::{Joint, Layout, Span};
use serde::{Serialize, Serializer};

use super::Args;

/// Two recordings. What is of each is in the order in which they were named.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report<'r> {
    files: [&'r str; 2],
    verdict: &'static str,
    tolerance: ToleranceReport,
    /// What is out of tolerance.
    beyond: Vec<String>,
    span: SpanReport,
    instants: u64,
    streams: Vec<StreamReport>,
    only_in: [Vec<String>; 2],
    states: Vec<StateReport>,
    markers: MarkersReport<'r>,
    durations: [f32; 2],
    #[serde(serialize_with = "layout_names")]
    layouts: [Layout; 2],
    keys: [u64; 2],
    wrap_modes_differ: u64,
}

fn layout_names<S: Serializer>(layouts: &[Layout; 2], serializer: S) -> Result<S::Ok, S::Error> {
    layouts.map(Layout::name).serialize(serializer)
}

#[derive(Serialize)]
struct ToleranceReport {
    mm: f64,
    deg: f64,
    ms: f64,
}

#[derive(Serialize)]
struct SpanReport {
    start: f32,
    end: f32,
}

impl From<Span> for SpanReport {
    fn from(Span { start, end }: Span) -> SpanReport {
        SpanReport { start, end }
    }
}

#[derive(Serialize)]
struct StreamReport {
    stream: &'static str,
    position: DeviationReport,
    rotation: DeviationReport,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeviationReport {
    unit: &'static str,
    within: bool,
    instants: u64,
    incomparable: u64,
    largest: Option<f32>,
    at: Option<f32>,
    joint: Option<&'static str>,
    median: Option<f32>,
    percentile95: Option<f32>,
    spans_beyond: u64,
    seconds_beyond: f32,
    worst: Vec<ExcessReport>,
}

/// A span out of tolerance; without a number where one recording has none.
#[derive(Serialize)]
struct ExcessReport {
    start: f32,
    end: f32,
    largest: Option<f32>,
    at: f32,
    joint: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StateReport {
    state: &'static str,
    within: bool,
    spans: u64,
    seconds: f32,
    longest: Vec<SpanReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MarkersReport<'r> {
    same: u64,
    moved: Vec<MovedReport<'r>>,
    only_in: [Vec<MarkerReport<'r>>; 2],
    /// Whether none has moved too far, and how far the farthest has.
    #[serde(skip)]
    moved_within: bool,
    #[serde(skip)]
    moved_by: Option<f32>,
}

#[derive(Serialize)]
struct MovedReport<'r> {
    name: &'r str,
    times: [f32; 2],
}

#[derive(Serialize)]
struct MarkerReport<'r> {
    time: f32,
    name: &'r str,
}

/// One thing that was compared, as a row of CSV; equal recordings have one row that names none.
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
    largest: Option<f32>,
    at_s: Option<f32>,
    joint: Option<&'static str>,
    median: Option<f32>,
    percentile_95: Option<f32>,
    spans_beyond: Option<u64>,
    seconds_beyond: Option<f32>,
}

impl<'r> Report<'r> {
    pub(super) fn new(args: &Args, found: &'r Difference, files: [&'r str; 2]) -> Report<'r> {
        let markers = &found.markers;
        let tolerance = args.tolerance_ms / 1000.0;
        Report {
            files,
            verdict: found.verdict.name(),
            tolerance: ToleranceReport {
                mm: args.tolerance_mm,
                deg: args.tolerance_deg,
                ms: args.tolerance_ms,
            },
            beyond: found.beyond.iter().map(Aspect::to_string).collect(),
            span: found.span.into(),
            instants: found.instants,
            streams: found
                .streams
                .iter()
                .map(|stream| StreamReport {
                    stream: stream.stream.name(),
                    position: DeviationReport::new(&stream.position, "mm", 1000.0),
                    rotation: DeviationReport::new(&stream.rotation, "deg", 1.0),
                })
                .collect(),
            only_in: found
                .only_in
                .each_ref()
                .map(|subjects| subjects.iter().map(ToString::to_string).collect()),
            states: found
                .states
                .iter()
                .map(|state| StateReport::new(state, tolerance))
                .collect(),
            markers: MarkersReport {
                same: markers.same,
                moved: markers
                    .moved
                    .iter()
                    .map(|marker| MovedReport {
                        name: &marker.name,
                        times: marker.times,
                    })
                    .collect(),
                only_in: markers.only_in.each_ref().map(|markers| {
                    let markers = markers.iter().map(|marker| MarkerReport {
                        time: marker.time,
                        name: &marker.name,
                    });
                    markers.collect()
                }),
                moved_within: !markers.has_moved(tolerance),
                moved_by: markers
                    .moved
                    .iter()
                    .map(|marker| marker.seconds().abs() as f32)
                    .reduce(f32::max),
            },
            durations: found.durations,
            layouts: found.form.layouts,
            keys: found.form.keys,
            wrap_modes_differ: found.form.wrap_modes,
        }
    }

    pub(super) fn rows(&self) -> Vec<Row<'r>> {
        let row = |subject: &str, quantity| Row {
            subject: Some(subject.to_owned()),
            quantity: Some(quantity),
            ..self.row()
        };
        if self.verdict == "equal" {
            return vec![self.row()];
        }
        let mut rows = Vec::new();
        for stream in &self.streams {
            rows.push(stream.position.fill(row(stream.stream, "position")));
            rows.push(stream.rotation.fill(row(stream.stream, "rotation")));
        }
        let only = ["only in A", "only in B"];
        for (subjects, quantity) in self.only_in.iter().zip(only) {
            rows.extend(subjects.iter().map(|subject| Row {
                within: Some(false),
                ..row(subject, quantity)
            }));
        }
        rows.extend(
            self.states
                .iter()
                .map(|state| state.fill(row(state.state, "state"))),
        );
        let markers = &self.markers;
        rows.push(Row {
            unit: Some("s"),
            count: Some(markers.moved.len() as u64),
            within: Some(markers.moved_within),
            largest: markers.moved_by,
            ..row("markers", "moved")
        });
        for (markers, quantity) in markers.only_in.iter().zip(only) {
            rows.push(Row {
                count: Some(markers.len() as u64),
                within: Some(markers.is_empty()),
                ..row("markers", quantity)
            });
        }
        let [a, b] = self.durations;
        rows.push(Row {
            unit: Some("s"),
            within: Some(!self.beyond.iter().any(|beyond| beyond == "duration")),
            largest: Some((b - a).abs()),
            ..row("duration", "length")
        });
        rows
    }

    fn row(&self) -> Row<'r> {
        Row {
            file_a: self.files[0],
            file_b: self.files[1],
            verdict: self.verdict,
            ..Row::default()
        }
    }
}

impl DeviationReport {
    fn new(found: &Deviation, unit: &'static str, scale: f64) -> DeviationReport {
        let statistics = found.statistics;
        DeviationReport {
            unit,
            within: found.is_within(),
            instants: found.instants,
            incomparable: found.incomparable,
            largest: statistics.map(|found| (found.largest * scale) as f32),
            at: statistics.map(|found| found.at),
            joint: statistics.and_then(|found| found.joint).map(Joint::name),
            median: statistics.map(|found| (found.median * scale) as f32),
            percentile95: statistics.map(|found| (found.percentile_95 * scale) as f32),
            spans_beyond: found.beyond.spans,
            seconds_beyond: found.beyond.seconds as f32,
            worst: found
                .beyond
                .worst
                .iter()
                .map(|excess| ExcessReport {
                    start: excess.span.start,
                    end: excess.span.end,
                    largest: Some((excess.largest * scale) as f32)
                        .filter(|largest| largest.is_finite()),
                    at: excess.at,
                    joint: excess.joint.map(Joint::name),
                })
                .collect(),
        }
    }

    fn fill<'r>(&self, row: Row<'r>) -> Row<'r> {
        Row {
            unit: Some(self.unit),
            within: Some(self.within),
            count: Some(self.instants),
            incomparable: Some(self.incomparable),
            largest: self.largest,
            at_s: self.at,
            joint: self.joint,
            median: self.median,
            percentile_95: self.percentile95,
            spans_beyond: Some(self.spans_beyond),
            seconds_beyond: Some(self.seconds_beyond),
            ..row
        }
    }
}

impl StateReport {
    fn new(found: &StateDifference, tolerance: f64) -> StateReport {
        StateReport {
            state: found.stream.name(),
            within: found.is_within(tolerance),
            spans: found.spans,
            seconds: found.seconds as f32,
            longest: found.longest.iter().map(|&span| span.into()).collect(),
        }
    }

    fn fill<'r>(&self, row: Row<'r>) -> Row<'r> {
        let lengths = self.longest.iter();
        let lengths = lengths.map(|span| (span.end - span.start, span.start));
        let longest = lengths.reduce(|a, b| if b.0 > a.0 { b } else { a });
        Row {
            unit: Some("s"),
            within: Some(self.within),
            largest: longest.map(|(length, _)| length),
            at_s: longest.map(|(_, start)| start),
            spans_beyond: Some(self.spans),
            seconds_beyond: Some(self.seconds),
            ..row
        }
    }
}
