//! The result of `diff`, for people.

use std::io::Write;

use comfy_table::Cell;
use inputanim::diff::{
    Aspect, Deviation, DeviationStatistics, Difference, StreamDifference, Tolerance,
    UncomparedJoint, Verdict, Violation,
};
use inputanim::{Element, Joint, Marker, Side, Stream, TimeRange};

use crate::messages::style::{BAD, DIM, GOOD, WARN, paint};
use crate::messages::text::{count, grouped, quoted, seconds, wrapped};
use crate::results::table::{self, plain_table, right};

use super::Args;

/// The number of markers that are listed.
const LISTED: usize = 20;

/// The number of time ranges out of tolerance that are listed per stream.
const WORST: usize = 3;

/// The column of the text after a label.
const INDENT: usize = 20;

pub(super) fn print(
    output: &mut impl Write,
    args: &Args,
    found: &Difference,
    tolerance: &Tolerance,
    names: [&str; 2],
) -> anyhow::Result<()> {
    verdict(output, tolerance, found)?;
    for (letter, name) in ["A", "B"].into_iter().zip(names) {
        writeln!(output, "  {letter}  {name}")?;
    }
    if found.verdict == Verdict::Equal {
        return Ok(());
    }
    streams(output, found)?;
    let mut lines = Vec::new();
    violations(&mut lines, found);
    only_in_one(&mut lines, found);
    uncompared(&mut lines, found);
    not_compared(&mut lines, args, found);
    states(&mut lines, tolerance, found);
    inputs(&mut lines, tolerance, found);
    haptics(&mut lines, found);
    markers(&mut lines, tolerance, found);
    duration(&mut lines, args, found);
    texts(&mut lines, found);
    encoding(&mut lines, found);
    if !lines.is_empty() {
        writeln!(output)?;
    }
    for line in lines {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

fn verdict(
    output: &mut impl Write,
    tolerance: &Tolerance,
    found: &Difference,
) -> anyhow::Result<()> {
    // Seven digits, because 0.0003 · 1000 is not 0.3 in binary.
    let thousandfold = |number: f64| {
        let digits = format!("{:.6e}", number * 1000.0);
        digits.parse().unwrap_or(number)
    };
    let (mm, deg) = (thousandfold(tolerance.position), tolerance.rotation);
    let times = [tolerance.timing, tolerance.duration];
    let [ms, duration] = times.map(|time| thousandfold(time.into()));
    let mut limits = format!("{mm} mm, {deg}°, {ms} ms");
    if duration != ms {
        limits.push_str(&format!(", duration {duration} ms"));
    }
    if !found.inputs.is_empty() {
        limits.push_str(&format!(", inputs {}", tolerance.input));
    }
    let (style, word, text) = match found.verdict {
        Verdict::Equal => (GOOD, "equal:", "the recordings are identical".to_owned()),
        Verdict::Equivalent if *tolerance == Tolerance::EXACT => {
            (GOOD, "equivalent:", "playback is identical".to_owned())
        }
        Verdict::Equivalent => {
            let text = format!("all differences are within {limits}");
            (GOOD, "equivalent:", text)
        }
        Verdict::Different => {
            let beyond: Vec<String> = found
                .out_of_tolerance
                .iter()
                .map(Aspect::to_string)
                .collect();
            let beyond = beyond.join(", ");
            let text = format!("{beyond} (tolerances {limits})");
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

/// Returns two deviations for each stream, of its positions and its rotations: the name with the printed unit, the
/// stream, the deviation, and the factor from metres or degrees to the printed unit.
fn deviations(
    found: &Difference,
) -> impl Iterator<Item = (String, &StreamDifference, &Deviation, f64)> {
    found.streams.iter().flat_map(|stream| {
        let name = stream.stream;
        [
            (format!("{name} mm"), stream, &stream.position, 1000.0),
            (format!("{name} °"), stream, &stream.rotation, 1.0),
        ]
    })
}

fn streams(output: &mut impl Write, found: &Difference) -> anyhow::Result<()> {
    let TimeRange { start, end } = found.range;
    let instants = match found.instants {
        1 => "1 instant".to_owned(),
        many => format!("{} instants", grouped(many)),
    };
    let (start, end) = (seconds(start), seconds(end));
    writeln!(
        output,
        "\n  compared from {start} s to {end} s, at {instants}"
    )?;
    if found.streams.is_empty() {
        return Ok(writeln!(
            output,
            "  no pose was compared: the recordings never have poses at the same time"
        )?);
    }
    for line in deviation_table(found) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// Formats the deviations as a table. Returns its lines, the first of which has the headers.
pub(crate) fn deviation_table(found: &Difference) -> Vec<String> {
    let mut table = plain_table();
    let headers = ["largest", "at s", "typical", "95 %", "for s"].map(right);
    let headers = std::iter::once(Cell::new("stream")).chain(headers);
    table.set_header(headers.chain([Cell::new("joint")]));
    for (name, stream, deviation, scale) in deviations(found) {
        let statistics = deviation.statistics;
        let value = |pick: fn(&DeviationStatistics) -> f64| {
            let value = statistics.as_ref().map(|found| number(pick(found) * scale));
            right(value.unwrap_or_else(|| "–".to_owned()))
        };
        // Where nothing differs, the largest deviation of 0 has no meaningful time and joint.
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
            right(seconds(stream.seconds)),
            Cell::new(joint),
        ]);
    }
    // On a narrow terminal the less important statistics are hidden.
    table::lines(table, "  ", &[4, 3, 2, 5])
}

/// Formats a number of 0 or more with three decimals: smaller ones as `<0.001`, and numbers from 1e6 on with an
/// exponent.
pub(crate) fn number(value: f64) -> String {
    match value {
        // 0.000 would look like no difference.
        value if value > 0.0 && value < 0.0005 => "<0.001".to_owned(),
        // Damaged recordings have values up to 1e38, which would widen the column for all rows.
        value if value < 1e6 => format!("{value:.3}"),
        value => format!("{value:.3e}"),
    }
}

fn line(label: &str, text: &str) -> String {
    let mut label = format!("  {label:<width$}", width = INDENT - 2);
    // A name may be longer than the column.
    if !label.ends_with(' ') {
        label.push(' ');
    }
    wrapped(&label, INDENT, text)
}

fn violations(lines: &mut Vec<String>, found: &Difference) {
    for (name, _, deviation, scale) in deviations(found) {
        let violations = &deviation.violations;
        if deviation.is_within() {
            continue;
        }
        let mut worst: Vec<&Violation> = violations.worst.iter().collect();
        worst.sort_by(|a, b| b.largest.total_cmp(&a.largest));
        worst.truncate(WORST);
        let texts = worst.iter().map(|violation| {
            let largest = if violation.largest.is_finite() {
                format!("up to {}", number(violation.largest * scale))
            } else {
                "not finite".to_owned()
            };
            format!("{} ({largest})", range_text(violation.range))
        });
        let texts = texts.collect::<Vec<_>>().join(", ");
        let ranges = count(violations.count as usize, "range");
        let lead = if violations.count > WORST as u64 {
            "worst "
        } else {
            ""
        };
        let text = format!(
            "out of tolerance for {:.3} s in {ranges}: {lead}{texts}",
            violations.seconds
        );
        lines.push(line(&name, &text));
        if deviation.incomparable > 0 {
            let (some, all) = (grouped(deviation.incomparable), grouped(deviation.instants));
            let text = format!("not finite in one recording at {some} of {all} instants");
            lines.push(line("", &text));
        }
    }
}

fn only_in_one(lines: &mut Vec<String>, found: &Difference) {
    for (subjects, label) in found.only_in.iter().zip(["only in A", "only in B"]) {
        if !subjects.is_empty() {
            let names: Vec<String> = subjects.iter().map(ToString::to_string).collect();
            lines.push(line(label, &names.join(", ")));
        }
    }
}

/// Adds lines for the joints that are never tracked in both recordings at the same time.
fn uncompared(lines: &mut Vec<String>, found: &Difference) {
    for side in Side::BOTH {
        let stream = Stream::Joints(side);
        let joints = found.uncompared.iter();
        let joints = joints.filter(|joint| joint.element.stream() == stream);
        let joints: Vec<&UncomparedJoint> = joints.collect();
        // The joints of a hand are tracked together, so those with the same recordings share a line.
        for same in joints.chunk_by(|a, b| a.tracked == b.tracked) {
            let (label, lead) = match same {
                [joint] => (joint.element.to_string(), String::new()),
                many => (
                    stream.to_string(),
                    format!("{}, ", count(many.len(), "joint")),
                ),
            };
            let text = match same[0].tracked {
                [Some(a), None] => format!("tracked only in A ({} s)", range_text(a)),
                [None, Some(b)] => format!("tracked only in B ({} s)", range_text(b)),
                [Some(a), Some(b)] => {
                    let [a, b] = [a, b].map(range_text);
                    format!("never tracked in both at the same time (A {a} s, B {b} s)")
                }
                [None, None] => continue,
            };
            lines.push(line(&label, &format!("{lead}{text}")));
        }
    }
}

/// Adds a line with what was not compared: what `--joints` and `--exclude` leave out, or the hand entries `None`,
/// which are not joints.
fn not_compared(lines: &mut Vec<String>, args: &Args, found: &Difference) {
    let is_none = |element: &&Element| matches!(element, Element::Joint(_, Joint::None));
    let names: Vec<String> = found
        .ignored
        .iter()
        .filter(is_none)
        .map(ToString::to_string)
        .collect();
    let text = if !args.names.is_empty() {
        "the streams and joints that --joints and --exclude leave out".to_owned()
    } else if !names.is_empty() {
        format!("{}: not a joint", names.join(", "))
    } else {
        return;
    };
    lines.push(paint(DIM, line("not compared", &text)));
}

fn states(lines: &mut Vec<String>, tolerance: &Tolerance, found: &Difference) {
    for state in &found.states {
        let texts: Vec<String> = state.longest.iter().copied().map(range_text).collect();
        let texts = texts.join(", ");
        let lead = if state.count > state.longest.len() as u64 {
            "longest "
        } else {
            ""
        };
        let ranges = count(state.count as usize, "range");
        let within = if state.is_within(tolerance.timing) {
            " (within the tolerance)"
        } else {
            ""
        };
        let text = format!(
            "differs for {:.3} s in {ranges}: {lead}{texts}{within}",
            state.seconds
        );
        lines.push(line(state.stream.name(), &text));
    }
}

/// Adds a line for each profile and each input of a device that differs.
fn inputs(lines: &mut Vec<String>, tolerance: &Tolerance, found: &Difference) {
    for input in &found.inputs {
        let mut text = String::new();
        if matches!(input.element, Element::Input(..)) {
            let (largest, at) = (number(input.largest), seconds(input.at));
            text = format!("differs by up to {largest}, at {at} s");
        }
        if input.count > 0 {
            let longest = input.longest.iter().copied().map(range_text);
            let longest = longest.collect::<Vec<_>>().join(", ");
            let ranges = count(input.count as usize, "range");
            let lead = if text.is_empty() {
                "differs".to_owned()
            } else {
                format!("{text}; out of tolerance")
            };
            text = format!("{lead} for {:.3} s in {ranges}: {longest}", input.seconds);
        }
        if input.is_within(tolerance.timing) {
            text.push_str(" (within the tolerance)");
        }
        lines.push(line(&input.element.to_string(), &text));
    }
}

/// Adds lines for the haptic pulses of a device that only one recording has.
fn haptics(lines: &mut Vec<String>, found: &Difference) {
    for device in &found.haptics {
        let label = format!("{} pulses", device.device);
        let same = count(device.same as usize, "pulse");
        let verb = if device.same == 1 { "is" } else { "are" };
        lines.push(line(&label, &format!("{same} {verb} the same")));
        for (pulses, side) in device.only_in.iter().zip(["A", "B"]) {
            let texts = pulses.iter().map(|pulse| {
                let length = match pulse.duration {
                    Some(duration) => format!(", {} s", seconds(duration)),
                    None => String::new(),
                };
                let at = seconds(pulse.time);
                format!(
                    "only in {side}: {} at {at} s{length}, amplitude {}",
                    pulse.output, pulse.amplitude
                )
            });
            listed(lines, "", pulses.len(), texts);
        }
    }
}

fn range_text(range: TimeRange) -> String {
    format!("{}–{}", seconds(range.start), seconds(range.end))
}

fn markers(lines: &mut Vec<String>, tolerance: &Tolerance, found: &Difference) {
    let markers = &found.markers;
    // A marker that moved less than the tolerance, and by less than the last digit that is printed, is not
    // listed.
    let least = 0.000_5_f64.min(tolerance.timing.into());
    let moved = markers.moved.iter();
    let moved: Vec<_> = moved
        .filter(|marker| {
            let by = f64::from(marker.offset()).abs();
            by.is_nan() || by > least
        })
        .collect();
    let listed_moved = moved.len();
    let moved = moved.into_iter().map(|marker| {
        let [a, b] = marker.times;
        let by = marker.offset();
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
    listed(lines, "markers moved", listed_moved, moved);
    listed(lines, "markers only in A", a.len(), a.iter().map(alone));
    listed(lines, "markers only in B", b.len(), b.iter().map(alone));
}

/// Adds a line for each of the first [`LISTED`] texts, and one with the number of the others. `all` is the number of
/// texts. The first line has the label.
fn listed(lines: &mut Vec<String>, label: &str, all: usize, texts: impl Iterator<Item = String>) {
    for (index, text) in texts.take(LISTED).enumerate() {
        lines.push(line(if index == 0 { label } else { "" }, &text));
    }
    if all > LISTED {
        let more = grouped((all - LISTED) as u64);
        lines.push(line("", &format!("and {more} more: --format json has all")));
    }
}

fn duration(lines: &mut Vec<String>, args: &Args, found: &Difference) {
    let [a, b] = found.durations;
    if a != b {
        let by = f64::from(b) - f64::from(a);
        let mut text = format!("A {} s, B {} s ({by:+.3} s)", seconds(a), seconds(b));
        if args.time.is_some() {
            text.push_str(" (not compared)");
        }
        lines.push(line("duration", &text));
    }
}

/// Adds the texts about the recordings that differ, which do not change playback.
fn texts(lines: &mut Vec<String>, found: &Difference) {
    let shown = |text: &Option<String>| match text {
        Some(text) => quoted(text, 48),
        None => "no text".to_owned(),
    };
    let texts = found.about.iter().map(|text| {
        let [a, b] = text.texts.each_ref().map(shown);
        paint(DIM, format!("{}: A {a}, B {b}", quoted(&text.name, 48)))
    });
    listed(lines, "about", found.about.len(), texts);
}

/// Adds the differences in encoding, which do not change playback.
fn encoding(lines: &mut Vec<String>, found: &Difference) {
    let encoding = &found.encoding;
    let ([a, b], [keys_a, keys_b]) = (encoding.layouts, encoding.keys);
    if a != b {
        lines.push(paint(DIM, line("layout", &format!("A {a}, B {b}"))));
    }
    if keys_a != keys_b {
        let text = format!("A {}, B {}", grouped(keys_a), grouped(keys_b));
        lines.push(paint(DIM, line("keys", &text)));
    }
    if encoding.wrap_modes > 0 {
        let text = format!("differ in {}", count(encoding.wrap_modes as usize, "curve"));
        lines.push(paint(WARN, line("wrap modes", &text)));
    }
}
