//! What `diff` says for people.

use std::io::Write;

use comfy_table::Cell;
use inputanim::diff::{Aspect, Deviation, Difference, Excess, Statistics, Verdict};
use inputanim::{Joint, Marker, Span};

use crate::style::{BAD, DIM, GOOD, WARN, paint};
use crate::table::{plain_table, right};
use crate::text::{count, grouped, quoted, seconds, wrapped};

use super::Args;

/// How many spans or markers are listed.
const LISTED: usize = 20;

/// How many of the spans out of tolerance are listed of a stream: the worst.
const WORST: usize = 3;

/// Where the text behind a label begins.
const INDENT: usize = 20;

pub(super) fn print(
    output: &mut impl Write,
    args: &Args,
    found: &Difference,
    names: [&str; 2],
) -> anyhow::Result<()> {
    verdict(output, args, found)?;
    for (letter, name) in ["A", "B"].into_iter().zip(names) {
        writeln!(output, "  {letter}  {name}")?;
    }
    if found.verdict == Verdict::Equal {
        return Ok(());
    }
    streams(output, found)?;
    let mut lines = Vec::new();
    spans_beyond(&mut lines, found);
    only(&mut lines, found);
    states(&mut lines, args, found);
    markers(&mut lines, found);
    duration(&mut lines, found);
    form(&mut lines, found);
    if !lines.is_empty() {
        writeln!(output)?;
    }
    for line in lines {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

fn verdict(output: &mut impl Write, args: &Args, found: &Difference) -> anyhow::Result<()> {
    let tolerances = [args.tolerance_mm, args.tolerance_deg, args.tolerance_ms];
    let [mm, deg, ms] = tolerances;
    let (style, word, text) = match found.verdict {
        Verdict::Equal => (GOOD, "equal:", "the same to the last bit".to_owned()),
        Verdict::SameMeaning if tolerances == [0.0; 3] => (
            GOOD,
            "equal in meaning:",
            "they play exactly the same".to_owned(),
        ),
        Verdict::SameMeaning => {
            let text = format!("they play the same within {mm} mm, {deg}° and {ms} ms");
            (GOOD, "equal in meaning:", text)
        }
        Verdict::Different => {
            let beyond: Vec<String> = found.beyond.iter().map(Aspect::to_string).collect();
            let beyond = beyond.join(", ");
            let text = format!("{beyond} (tolerance {mm} mm, {deg}°, {ms} ms)");
            (BAD, "different:", text)
        }
    };
    let label = format!("{} ", paint(style, word));
    Ok(writeln!(
        output,
        "{}",
        wrapped(&label, word.len() + 1, &text)
    )?)
}

/// Each deviation with its unit and what makes its numbers those of the unit.
fn deviations(found: &Difference) -> impl Iterator<Item = (String, &Deviation, f64)> {
    found.streams.iter().flat_map(|stream| {
        let name = stream.stream;
        [
            (format!("{name} mm"), &stream.position, 1000.0),
            (format!("{name} °"), &stream.rotation, 1.0),
        ]
    })
}

fn streams(output: &mut impl Write, found: &Difference) -> anyhow::Result<()> {
    let Span { start, end } = found.span;
    let instants = match found.instants {
        1 => "1 instant".to_owned(),
        many => format!("{} instants", grouped(many)),
    };
    let (start, end) = (seconds(start), seconds(end));
    writeln!(
        output,
        "\n  played from {start} s to {end} s, compared at {instants}"
    )?;
    if found.streams.is_empty() {
        return Ok(writeln!(output, "  no stream is shown by both")?);
    }
    for line in deviation_table(found) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// How far each stream is apart, in lines.
pub(crate) fn deviation_table(found: &Difference) -> Vec<String> {
    let mut table = plain_table();
    let heads = ["largest", "at s", "typical", "95 %"].map(right);
    let heads = std::iter::once(Cell::new("stream")).chain(heads);
    table.set_header(heads.chain([Cell::new("joint")]));
    for (name, deviation, scale) in deviations(found) {
        let statistics = deviation.statistics;
        let value = |pick: fn(&Statistics) -> f64| {
            let value = statistics.as_ref().map(|found| number(pick(found) * scale));
            right(value.unwrap_or_else(|| "–".to_owned()))
        };
        let at = statistics.filter(|found| found.largest > 0.0);
        let at = at.map_or("–".to_owned(), |found| seconds(found.at));
        let joint = statistics.filter(|found| found.largest > 0.0);
        let joint = joint.and_then(|found| found.joint).map_or("", Joint::name);
        table.add_row([
            Cell::new(name),
            value(|found| found.largest),
            right(at),
            value(|found| found.median),
            value(|found| found.percentile_95),
            Cell::new(joint),
        ]);
    }
    let lines = table.lines();
    lines.map(|line| format!("  {}", line.trim())).collect()
}

/// To a thousandth of the unit; what is less and not 0 says so.
pub(crate) fn number(value: f64) -> String {
    match value {
        value if value > 0.0 && value < 0.0005 => "<0.001".to_owned(),
        value if value < 1e6 => format!("{value:.3}"),
        value => format!("{value:.3e}"),
    }
}

fn line(label: &str, text: &str) -> String {
    let label = format!("  {label:<width$}", width = INDENT - 2);
    wrapped(&label, INDENT, text)
}

fn spans_beyond(lines: &mut Vec<String>, found: &Difference) {
    for (name, deviation, scale) in deviations(found) {
        let beyond = &deviation.beyond;
        if deviation.is_within() {
            continue;
        }
        let mut worst: Vec<&Excess> = beyond.worst.iter().collect();
        worst.sort_by(|a, b| b.largest.total_cmp(&a.largest));
        worst.truncate(WORST);
        let texts = worst.iter().map(|excess| {
            let largest = match excess.largest.is_finite() {
                true => format!("up to {}", number(excess.largest * scale)),
                false => "no number".to_owned(),
            };
            format!("{} ({largest})", span(excess.span))
        });
        let texts = texts.collect::<Vec<_>>().join(", ");
        let spans = count(beyond.spans as usize, "span");
        let lead = if beyond.spans > WORST as u64 {
            "worst "
        } else {
            ""
        };
        let text = format!(
            "beyond for {:.3} s in {spans}: {lead}{texts}",
            beyond.seconds
        );
        lines.push(line(&name, &text));
        if deviation.incomparable > 0 {
            let (some, all) = (grouped(deviation.incomparable), grouped(deviation.instants));
            let text = format!("at {some} of {all} instants only one has a number");
            lines.push(line("", &text));
        }
    }
}

fn only(lines: &mut Vec<String>, found: &Difference) {
    for (subjects, label) in found.only_in.iter().zip(["only in A", "only in B"]) {
        if !subjects.is_empty() {
            let names: Vec<String> = subjects.iter().map(ToString::to_string).collect();
            lines.push(line(label, &names.join(", ")));
        }
    }
}

fn states(lines: &mut Vec<String>, args: &Args, found: &Difference) {
    for state in &found.states {
        let texts: Vec<String> = state.longest.iter().copied().map(span).collect();
        let texts = texts.join(", ");
        let lead = if state.spans > state.longest.len() as u64 {
            "longest "
        } else {
            ""
        };
        let spans = count(state.spans as usize, "span");
        let within = match state.is_within(args.tolerance_ms / 1000.0) {
            true => ", within the tolerance",
            false => "",
        };
        let text = format!(
            "differs for {:.3} s in {spans}: {lead}{texts}{within}",
            state.seconds
        );
        lines.push(line(state.stream.name(), &text));
    }
}

fn span(span: Span) -> String {
    format!("{}–{}", seconds(span.start), seconds(span.end))
}

fn markers(lines: &mut Vec<String>, found: &Difference) {
    let markers = &found.markers;
    let moved = markers.moved.iter().map(|marker| {
        let [a, b] = marker.times;
        let by = marker.seconds();
        format!(
            "{} {} s → {} s ({by:+.3} s)",
            quoted(&marker.name, 48),
            seconds(a),
            seconds(b)
        )
    });
    let alone =
        |marker: &Marker<'_>| format!("{} {} s", quoted(&marker.name, 48), seconds(marker.time));
    let [a, b] = &markers.only_in;
    listed(lines, "markers moved", markers.moved.len(), moved);
    listed(lines, "markers only in A", a.len(), a.iter().map(alone));
    listed(lines, "markers only in B", b.len(), b.iter().map(alone));
}

/// A line each; of very many the first.
fn listed(lines: &mut Vec<String>, label: &str, all: usize, texts: impl Iterator<Item = String>) {
    for (index, text) in texts.take(LISTED).enumerate() {
        lines.push(line(if index == 0 { label } else { "" }, &text));
    }
    if all > LISTED {
        let more = grouped((all - LISTED) as u64);
        lines.push(line("", &format!("and {more} more: --format json has all")));
    }
}

fn duration(lines: &mut Vec<String>, found: &Difference) {
    let [a, b] = found.durations;
    if a != b {
        let by = f64::from(b) - f64::from(a);
        let text = format!("A {} s, B {} s ({by:+.3} s)", seconds(a), seconds(b));
        lines.push(line("duration", &text));
    }
}

/// What makes no difference in meaning, but should be known.
fn form(lines: &mut Vec<String>, found: &Difference) {
    let form = &found.form;
    let ([a, b], [keys_a, keys_b]) = (form.layouts, form.keys);
    if a != b {
        lines.push(paint(DIM, line("layout", &format!("A {a}, B {b}"))));
    }
    if keys_a != keys_b {
        let text = format!("A {}, B {}", grouped(keys_a), grouped(keys_b));
        lines.push(paint(DIM, line("keys", &text)));
    }
    if form.wrap_modes > 0 {
        let text = format!("differ in {}", count(form.wrap_modes as usize, "curve"));
        lines.push(paint(WARN, line("wrap modes", &text)));
    }
}
