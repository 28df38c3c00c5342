//! What `optimize` did to one file, in a form that programs like: millimetres, degrees and seconds,
//! in single precision as the numbers that they come from.

use inputanim::Joint;
use inputanim::reduce::{Left, Method, Reduction, StreamErrors, Why};
use inputanim::summary::{StreamSummary, Summary};
use serde::Serialize;

use super::allowed::{Measured, measured};
use crate::in_out::InOut;

/// One recording.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Optimized {
    pub(super) file: String,
    pub(super) output: String,
    pub(super) changed: bool,
    method: &'static str,
    /// Of the toolkit's method.
    partition: Option<usize>,
    tangents: bool,
    #[serde(flatten)]
    pub(super) size: Size,
    pub(super) streams: Vec<StreamReport>,
    /// What was left as it is.
    pub(super) left: Vec<LeftReport>,
}

/// Before and after; bytes are those of a `.bin` file.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Size {
    pub(super) keys_before: u64,
    pub(super) keys_after: u64,
    pub(super) bytes_before: u64,
    pub(super) bytes_after: u64,
}

#[derive(Serialize)]
pub(super) struct StreamReport {
    pub(super) stream: &'static str,
    #[serde(flatten)]
    pub(super) size: Size,
    /// None of states.
    pub(super) errors: Vec<ErrorReport>,
}

/// How far what plays is from the samples.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorReport {
    pub(super) quantity: &'static str,
    pub(super) unit: &'static str,
    /// `null` where there is none.
    pub(super) bound: Option<f64>,
    pub(super) samples: usize,
    pub(super) largest: f32,
    pub(super) percentile99: f32,
    pub(super) at: f32,
    pub(super) joint: Option<&'static str>,
}

/// A vector or rotation that was left as it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LeftReport {
    /// `left.Palm.rotation`
    pub(super) vector: String,
    #[serde(skip)]
    pub(super) why: Why,
    reason: String,
}

impl Optimized {
    pub(super) fn new(
        io: &InOut,
        with: &Reduction,
        [before, after]: [&Summary; 2],
        errors: &[StreamErrors],
        left: Vec<Left>,
    ) -> Optimized {
        let (method, partition) = match with.method {
            Method::OnePass => ("one-pass", None),
            Method::Fewest => ("fewest", None),
            Method::Toolkit { partition } => ("toolkit", Some(partition)),
        };
        let streams = before.streams.iter().zip(&after.streams);
        Optimized {
            file: io.input.display().to_string(),
            output: io.target.output.display().to_string(),
            changed: after.bytes < before.bytes,
            method,
            partition,
            tangents: with.tangents,
            size: Size {
                keys_before: before.keys,
                keys_after: after.keys,
                bytes_before: before.bytes,
                bytes_after: after.bytes,
            },
            streams: streams
                .map(|(before, after)| {
                    let errors = errors.iter().find(|errors| errors.stream == before.stream);
                    StreamReport::new([before, after], errors, with)
                })
                .collect(),
            left: left.into_iter().map(LeftReport::from).collect(),
        }
    }

    /// A row for the size of each stream, one for each quantity of it that was measured, and one for
    /// each vector that was left as it is.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let row = |what, name| Row {
            file: &self.file,
            what,
            name,
            ..Row::default()
        };
        let mut rows = Vec::new();
        for stream in &self.streams {
            rows.push(Row {
                keys_before: Some(stream.size.keys_before),
                keys_after: Some(stream.size.keys_after),
                bytes_before: Some(stream.size.bytes_before),
                bytes_after: Some(stream.size.bytes_after),
                ..row("size", stream.stream)
            });
            rows.extend(stream.errors.iter().map(|error| Row {
                quantity: Some(error.quantity),
                unit: Some(error.unit),
                bound: error.bound,
                samples: Some(error.samples),
                largest: Some(error.largest),
                percentile_99: Some(error.percentile99),
                at_s: Some(error.at),
                joint: error.joint,
                ..row("error", stream.stream)
            }));
        }
        rows.extend(self.left.iter().map(|left| Row {
            reason: Some(&left.reason),
            ..row("left", &left.vector)
        }));
        rows
    }
}

impl StreamReport {
    fn new(
        [before, after]: [&StreamSummary; 2],
        errors: Option<&StreamErrors>,
        with: &Reduction,
    ) -> StreamReport {
        let errors = errors
            .map(|errors| measured(errors, with))
            .unwrap_or_default();
        StreamReport {
            stream: before.stream.name(),
            size: Size {
                keys_before: before.keys,
                keys_after: after.keys,
                bytes_before: before.bytes,
                bytes_after: after.bytes,
            },
            errors: errors.iter().map(ErrorReport::from).collect(),
        }
    }
}

impl From<&Measured> for ErrorReport {
    fn from(measured: &Measured) -> ErrorReport {
        let errors = measured.errors;
        ErrorReport {
            quantity: measured.quantity,
            unit: measured.unit,
            bound: Some(measured.bound).filter(|bound| bound.is_finite()),
            samples: errors.samples,
            largest: (errors.largest * measured.scale) as f32,
            percentile99: (errors.percentile_99 * measured.scale) as f32,
            at: errors.at,
            joint: errors.joint.map(Joint::name),
        }
    }
}

impl From<Left> for LeftReport {
    fn from(Left { curve, why }: Left) -> LeftReport {
        let curve = curve.to_string();
        LeftReport {
            // Without the component.
            vector: curve
                .rsplit_once('.')
                .map_or(&*curve, |parts| parts.0)
                .to_owned(),
            why,
            reason: why.to_string(),
        }
    }
}

/// A row of a table.
#[derive(Default, Serialize)]
pub(super) struct Row<'r> {
    file: &'r str,
    what: &'static str,
    /// Of the stream or vector.
    name: &'r str,
    keys_before: Option<u64>,
    keys_after: Option<u64>,
    bytes_before: Option<u64>,
    bytes_after: Option<u64>,
    quantity: Option<&'static str>,
    unit: Option<&'static str>,
    bound: Option<f64>,
    samples: Option<usize>,
    largest: Option<f32>,
    percentile_99: Option<f32>,
    at_s: Option<f32>,
    joint: Option<&'static str>,
    reason: Option<&'r str>,
}
