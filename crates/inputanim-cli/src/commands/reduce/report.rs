//! The result of `reduce`: as JSON and as rows of CSV. Positions are metres, rotations degrees,
//! times seconds.

use inputanim::info::Info;
use inputanim::reduce::{
    Bounds, ErrorStatistics, Reduce, ReduceMethod, SkipReason, SkippedVector, StreamErrors,
};
use inputanim::{CurvePath, Recording, Stream};
use serde::Serialize;

use super::bounds::measured;
use crate::files::batch::Job;
use crate::results::report_format::Report;

/// The options, with the defaults for options that are not given.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Options {
    #[serde(flatten)]
    pub(super) bounds: Bounds,
    method: Method,
    pub(super) tangents: bool,
}

#[derive(Clone, Copy, Serialize)]
struct Method {
    name: ReduceMethod,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<usize>,
}

impl Options {
    pub(super) fn new(reduce: &Reduce) -> Options {
        let has_partitions = reduce.method == ReduceMethod::Mrtk;
        let partition = reduce.partition.unwrap_or(Reduce::PARTITION);
        Options {
            bounds: reduce.bounds(),
            method: Method {
                name: reduce.method,
                partition: has_partitions.then_some(partition),
            },
            tangents: reduce.tangents,
        }
    }
}

/// One recording.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reduced {
    pub(super) file: String,
    pub(super) output: String,
    pub(super) changed: bool,
    /// The sizes of both recordings with their devices, in bytes.
    #[serde(skip)]
    pub(super) bytes: [u64; 2],
    pub(super) options: Options,
    pub(super) before: Info,
    pub(super) after: Info,
    pub(super) errors: Vec<StreamErrors>,
    pub(super) skipped: Vec<SkippedVector>,
}

impl Reduced {
    pub(super) fn new(
        job: &Job,
        options: Options,
        [original, reduced]: [&Recording<'_>; 2],
        errors: Vec<StreamErrors>,
        skipped: Vec<SkippedVector>,
    ) -> Reduced {
        let bytes = [original, reduced].map(|recording| recording.content_len());
        Reduced {
            bytes,
            file: job.input.display().to_string(),
            output: job.output.display().to_string(),
            changed: bytes[1] < bytes[0],
            options,
            before: Info::of(original),
            after: Info::of(reduced),
            errors,
            skipped,
        }
    }
}

impl Report for Reduced {
    /// Returns a row for the size of each stream, for each measured quantity and for each vector
    /// that was skipped.
    fn rows(&self) -> Vec<impl Serialize> {
        let row = |what, name: &str| Row {
            file: &self.file,
            what,
            name: name.to_owned(),
            ..Row::default()
        };
        let streams = self.before.streams.iter().zip(&self.after.streams);
        let sizes = streams.map(|(before, after)| Row {
            keys_before: Some(before.keys),
            keys_after: Some(after.keys),
            bytes_before: Some(before.bytes),
            bytes_after: Some(after.bytes),
            ..row("size", before.stream.name())
        });
        let errors = self.errors.iter().flat_map(|errors| {
            let stream = Stream::name(errors.stream);
            measured(errors, &self.options.bounds).map(move |measured| Row {
                quantity: Some(measured.quantity.name()),
                unit: Some(measured.quantity.unit()),
                bound: Some(measured.bound).filter(|bound| bound.is_finite()),
                samples: Some(measured.errors.samples),
                largest: Some(measured.errors.largest),
                percentile_99: Some(measured.errors.percentile_99),
                at_s: Some(measured.errors.at),
                joint: place(&measured.errors),
                ..row("error", stream)
            })
        });
        let skipped = self.skipped.iter().map(|skipped| Row {
            reason: Some(skipped.reason),
            ..row("skipped", &vector_name(skipped))
        });
        sizes.chain(errors).chain(skipped).collect()
    }
}

/// Returns the name of the joint or the input with the largest error.
pub(super) fn place(errors: &ErrorStatistics) -> Option<String> {
    let joint = errors.joint.map(|joint| joint.name().to_owned());
    joint.or_else(|| Some(errors.input?.to_string()))
}

/// Returns the name of the vector without the component: `left.Palm.rotation`.
pub(super) fn vector_name(skipped: &SkippedVector) -> String {
    let mut name = skipped.curve.to_string();
    if let CurvePath::Input(..) = skipped.curve {
        return name;
    }
    name.truncate(name.rfind('.').unwrap_or(name.len()));
    name
}

/// A row of CSV.
#[derive(Default, Serialize)]
struct Row<'r> {
    file: &'r str,
    what: &'static str,
    /// The name of the stream or vector.
    name: String,
    keys_before: Option<u64>,
    keys_after: Option<u64>,
    bytes_before: Option<u64>,
    bytes_after: Option<u64>,
    quantity: Option<&'static str>,
    unit: Option<&'static str>,
    bound: Option<f64>,
    samples: Option<usize>,
    largest: Option<f64>,
    percentile_99: Option<f64>,
    at_s: Option<f32>,
    joint: Option<String>,
    reason: Option<SkipReason>,
}
