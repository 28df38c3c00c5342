//! The result of `reduce`, for people.

use std::path::Path;

use comfy_table::Cell;
use inputanim::Stream;
use inputanim::reduce::{SkipReason, SkippedVector};

use super::bounds::{Measured, Quantity, measured};
use super::report::{self, Reduced, vector_name};
use crate::commands::diff::number;
use crate::messages::hints;
use crate::messages::style::{DIM, WARN, paint};
use crate::messages::text::{count, grouped, seconds, wrapped};
use crate::results::table::{self, plain_table, right};

/// The number of skipped vectors that are named.
const LISTED: usize = 4;

/// Returns facts for the summary: the largest errors of positions, in millimetres, of rotations, in degrees, and of inputs.
pub(super) fn facts(reduced: &Reduced) -> Vec<String> {
    if !reduced.changed {
        return vec!["not smaller within these bounds".to_owned()];
    }
    let measured = reduced
        .errors
        .iter()
        .flat_map(|errors| measured(errors, &reduced.options.bounds));
    let measured: Vec<Measured> = measured.collect();
    let largest = |quantity: Quantity| {
        let errors = measured
            .iter()
            .filter(|measured| measured.quantity == quantity);
        errors
            .map(|measured| measured.errors.largest)
            .fold(0.0, f64::max)
    };
    let mm = number(largest(Quantity::Position) * 1000.0);
    let degrees = number(largest(Quantity::Rotation));
    // Between the keys, linear segments have no larger error of positions, but tangents can.
    let place = if reduced.options.tangents {
        " at the original keys"
    } else {
        ""
    };
    let has_inputs = measured
        .iter()
        .any(|measured| measured.quantity == Quantity::Input);
    let largest = if has_inputs {
        let input = number(largest(Quantity::Input));
        format!("largest errors {mm} mm, {degrees}° and {input} of inputs")
    } else {
        format!("largest errors {mm} mm and {degrees}°")
    };
    vec![largest + place]
}

/// Formats the sizes before and after, the errors, and the skipped vectors, in lines.
pub(super) fn details(reduced: &Reduced) -> String {
    let mut lines = Vec::new();
    if reduced.changed {
        lines.extend(sizes(reduced));
        lines.extend(errors(reduced));
    }
    for group in by_reason(&reduced.skipped) {
        lines.extend(skipped(reduced, &group));
    }
    lines.join("\n")
}

fn sizes(reduced: &Reduced) -> Vec<String> {
    let (before, after) = (&reduced.before, &reduced.after);
    let mut table = plain_table();
    let headers = ["keys before", "after", "bytes before", "after", "%"];
    table.set_header(std::iter::once(Cell::new("stream")).chain(headers.map(right)));
    for (before, after) in before.streams.iter().zip(&after.streams) {
        let (keys, bytes) = ([before.keys, after.keys], [before.bytes, after.bytes]);
        table.add_row(size_row(before.stream.name(), keys, bytes));
    }
    let keys = [before.keys, after.keys];
    table.add_row(size_row("total", keys, reduced.bytes));
    // On a narrow terminal, the percentage can be left out.
    table::lines(table, "  ", &[5])
}

fn size_row(name: &str, keys: [u64; 2], bytes: [u64; 2]) -> [Cell; 6] {
    let percent = 100.0 * bytes[1] as f64 / bytes[0].max(1) as f64;
    [
        Cell::new(name),
        right(grouped(keys[0])),
        right(grouped(keys[1])),
        right(grouped(bytes[0])),
        right(grouped(bytes[1])),
        right(format!("{percent:.1}")),
    ]
}

fn errors(reduced: &Reduced) -> Vec<String> {
    let mut table = plain_table();
    let headers = ["bound", "largest", "99 %", "at s"].map(right);
    let headers = std::iter::once(Cell::new("stream")).chain(headers);
    let has_inputs = reduced.errors.iter().any(|errors| errors.input.is_some());
    let of = if has_inputs {
        "joint or input"
    } else {
        "joint"
    };
    table.set_header(headers.chain([Cell::new(of)]));
    for errors in &reduced.errors {
        for measured in measured(errors, &reduced.options.bounds) {
            table.add_row(error_row(errors.stream, &measured));
        }
    }
    if table.row_count() == 0 {
        return Vec::new();
    }
    let mut lines = vec!["\n  largest errors, measured at every key:".to_owned()];
    lines.extend(table::lines(table, "  ", &[3, 4]));
    lines
}

/// Returns a row of the table of errors: name with unit, bound, largest error, 99th percentile, and the time and joint
/// or input of the largest error. Errors are in millimetres or degrees.
fn error_row(stream: Stream, measured: &Measured) -> [Cell; 6] {
    let (name, scale) = match measured.quantity {
        Quantity::Position => (format!("{stream} mm"), 1000.0),
        Quantity::Rotation => (format!("{stream} °"), 1.0),
        Quantity::Point => (format!("{stream} point mm"), 1000.0),
        Quantity::Input => (format!("{stream} inputs"), 1.0),
    };
    let errors = measured.errors;
    let bound = measured.bound * scale;
    let place = (errors.largest > 0.0).then_some(errors);
    [
        Cell::new(name),
        right(if bound.is_finite() {
            // The option's value, without the rounding of the conversion to metres and back.
            ((bound * 1e9).round() / 1e9).to_string()
        } else {
            "–".to_owned()
        }),
        right(number(errors.largest * scale)),
        right(number(errors.percentile_99 * scale)),
        right(place.map_or("–".to_owned(), |errors| seconds(errors.at))),
        Cell::new(place.as_ref().and_then(report::place).unwrap_or_default()),
    ]
}

fn by_reason(skipped: &[SkippedVector]) -> Vec<Vec<&SkippedVector>> {
    // A list keeps the order in which the reasons occur in the recording.
    let mut groups: Vec<Vec<&SkippedVector>> = Vec::new();
    for vector in skipped {
        let mut known = groups.iter_mut();
        match known.find(|group| group[0].reason == vector.reason) {
            Some(group) => group.push(vector),
            None => groups.push(vec![vector]),
        }
    }
    groups
}

/// Returns lines with the names of vectors that were skipped for the same reason, and a hint.
fn skipped(reduced: &Reduced, group: &[&SkippedVector]) -> Vec<String> {
    let Some(reason) = group.first().map(|vector| vector.reason) else {
        return Vec::new();
    };
    let which = match reason {
        SkipReason::Tangents => "with tangents",
        SkipReason::Times => "with keys that are not sorted by time",
        SkipReason::Loops => "whose components repeat, but have different key times",
        SkipReason::Values => "with values that are not finite",
        _ => "for another reason",
    };
    let names: Vec<String> = group
        .iter()
        .take(LISTED)
        .map(|vector| vector_name(vector))
        .collect();
    let mut text = format!(
        "{} {which}: {}",
        count(group.len(), "vector"),
        names.join(", ")
    );
    if group.len() > LISTED {
        text += &format!(" and {} more", grouped((group.len() - LISTED) as u64));
    }
    let label = format!("{}  ", paint(WARN, "skipped"));
    let mut lines = vec![wrapped(&label, 9, &text)];
    if let Some(hint) = hints::of_skipped(reason, Some(Path::new(&reduced.file))) {
        let label = format!("{:9}{} ", "", paint(DIM, "hint:"));
        lines.push(wrapped(&label, 15, &hint));
    }
    lines
}
