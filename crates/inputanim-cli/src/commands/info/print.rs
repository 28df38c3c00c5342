//! What `info` says of one file, for people.

use std::io::Write;

use anstyle::Style;
use comfy_table::{Cell, CellAlignment, Table};
use inputanim::summary::StreamSummary;
use inputanim::{CurvePath, Joint, Side, Span, Stream};

use super::report::{self, Report};
use crate::diagnostics::hint_of;
use crate::found::print_findings;
use crate::style::{BAD, BOLD, DIM, GOOD, LEFT, RIGHT, WARN, paint};
use crate::table::{plain_table, right};
use crate::text::{count, grouped, quoted, seconds, wrapped};
use crate::timeline::{Timeline, WIDTH};

/// How many spans or markers are listed; of more the first.
const LISTED: usize = 20;
/// Columns for the name of a marker, behind its time.
const NAME: usize = 64;

pub(super) fn whole(
    output: &mut impl Write,
    report: &Report,
    is_first: bool,
) -> anyhow::Result<()> {
    if !is_first {
        writeln!(output)?;
    }
    writeln!(output, "{}", paint(BOLD, &report.file))?;
    let layout = report.layout;
    writeln!(output, "  layout    {layout}: {}", layout.description())?;
    let size = grouped(report.bytes);
    writeln!(
        output,
        "  size      {size} bytes, {} keys",
        grouped(report.keys)
    )?;
    let range = match report.time_range {
        Some(range) => format!(
            "keys from {} s to {} s",
            seconds(range.start),
            seconds(range.end)
        ),
        None => "no keys".to_owned(),
    };
    writeln!(
        output,
        "  duration  {} s ({range})",
        seconds(report.duration.0)
    )?;
    if layout.has_flags() {
        writeln!(output, "  flags     {}", flags(report))?;
    }
    damage(output, report)?;
    if report.keys > 0 {
        writeln!(output, "\n{}", indent(&streams(report)))?;
        timeline(output, report)?;
    }
    markers(output, report)?;
    findings(output, report)
}

fn flags(report: &Report) -> String {
    let flags = report.summary.flags;
    let names: Vec<&str> = [
        (flags.camera, "camera"),
        (flags.hand, "hands"),
        (flags.gaze, "gaze"),
    ]
    .into_iter()
    .filter_map(|(there, name)| there.then_some(name))
    .collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

fn damage(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let Some(error) = &report.error else {
        return Ok(());
    };
    let label = format!("  {}   ", paint(BAD, "damaged"));
    writeln!(output, "{}", wrapped(&label, 12, &error.to_string()))?;
    let label = format!("  {}      ", paint(DIM, "hint"));
    writeln!(output, "{}", wrapped(&label, 12, &hint_of(error)))?;
    for line in &report.missing_lines {
        let label = format!("  {}   ", paint(WARN, "missing"));
        writeln!(output, "{}", wrapped(&label, 12, line))?;
    }
    writeln!(output, "            what follows is what is whole")?;
    Ok(())
}

fn indent(table: &Table) -> String {
    // The first column is aligned to the left, so only its margin goes.
    let lines = table.lines().map(|line| format!("  {}", line.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

fn streams(report: &Report) -> Table {
    let mut table = plain_table();
    let heads = [
        "keys",
        "first s",
        "last s",
        "per s",
        "longest gap s",
        "bytes",
    ];
    table.set_header(std::iter::once(Cell::new("stream")).chain(heads.map(right)));
    for stream in &report.summary.streams {
        let time = |pick: fn(Span) -> f32| {
            let range = stream.time_range;
            range.map_or("–".to_owned(), |range| seconds(pick(range)))
        };
        let rate = stream
            .rate
            .map_or("–".to_owned(), |rate| format!("{rate:.1}"));
        let gap = stream.longest_gap.map_or("–".to_owned(), |gap| {
            format!("{} at {}", seconds(gap.length()), seconds(gap.start))
        });
        table.add_row([
            Cell::new(stream_name(stream)),
            right(grouped(stream.keys)),
            right(time(|range| range.start)),
            right(time(|range| range.end)),
            right(rate),
            right(gap),
            right(grouped(stream.bytes)),
        ]);
    }
    table
}

fn stream_name(stream: &StreamSummary) -> String {
    match stream.stream {
        Stream::Joints(side) if stream.recorded_joints > 0 => {
            let (recorded, all) = (stream.recorded_joints, Joint::ALL.len());
            format!("{side}.joints {recorded}/{all}")
        }
        other => other.name().to_owned(),
    }
}

/// The curve, the label and the style of each state, with its spans.
fn states(report: &Report) -> Vec<(CurvePath, String, Style, &[Span])> {
    let state = |side: Side, style| {
        let hand = report.summary.hand(side);
        [
            (CurvePath::Tracked(side), "tracked", &hand.tracked),
            (CurvePath::Pinching(side), "pinching", &hand.pinching),
        ]
        .map(|(path, name, spans)| (path, format!("  {side:<6} {name:<8}  "), style, &spans[..]))
    };
    let both = [state(Side::Left, LEFT), state(Side::Right, RIGHT)];
    both.into_iter().flatten().collect()
}

fn timeline(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let summary = &report.summary;
    let Some(range) = summary.time_range.filter(|range| range.length() > 0.0) else {
        return Ok(());
    };
    let has_states = summary.flags.hand;
    if !has_states && report.markers.is_empty() {
        return Ok(());
    }
    let line = Timeline::new(range);
    let (start, end) = (seconds(range.start), seconds(range.end));
    let width = WIDTH - start.len() - 4;
    writeln!(output, "\n{:19}{start} s{end:>width$} s", "")?;
    if has_states {
        for (path, label, style, spans) in states(report) {
            let (drawn, total) = match report.unread.contains(&path) {
                false => (line.states(spans), total(spans, range)),
                true => ("?".repeat(WIDTH), "not read".to_owned()),
            };
            writeln!(output, "{label}{}  {total}", paint(style, drawn))?;
        }
    }
    if !report.markers.is_empty() {
        let times = report.markers.iter().map(|marker| marker.time.0);
        writeln!(
            output,
            "  {:<15}  {}",
            "markers",
            line.instants(times).trim_end()
        )?;
    }
    for (_, label, _, spans) in states(report) {
        // A state that never changes has been said by its line above.
        if !spans.is_empty() && spans != [range] {
            writeln!(output, "{}", wrapped(&label, 19, &listed(spans)))?;
        }
    }
    Ok(())
}

fn total(spans: &[Span], range: Span) -> String {
    if spans.is_empty() {
        return "never".to_owned();
    }
    let lengths = spans.iter().map(|span| span.length());
    let on: f32 = lengths.sum();
    format!("{on:.1} s, {:.0} %", on / range.length() * 100.0)
}

/// The spans in seconds; of very many the first.
fn listed(spans: &[Span]) -> String {
    let texts = spans.iter().take(LISTED);
    let texts = texts.map(|span| format!("{}–{}", seconds(span.start), seconds(span.end)));
    let mut text = texts.collect::<Vec<_>>().join(", ");
    if spans.len() > LISTED {
        text.push_str(&format!(" … ({})", count(spans.len(), "span")));
    }
    text
}

fn markers(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    if report.markers.is_empty() {
        return Ok(());
    }
    writeln!(output, "\n  {}", count(report.markers.len(), "marker"))?;
    for marker in report.markers.iter().take(LISTED) {
        let time = seconds(marker.time.0);
        writeln!(output, "  {time:>10} s  {}", quoted(&marker.name, NAME))?;
    }
    if let Some(more) = report.markers.len().checked_sub(LISTED + 1) {
        let more = grouped(more as u64 + 1);
        writeln!(
            output,
            "               and {more} more: inputanim markers list"
        )?;
    }
    Ok(())
}

fn findings(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let findings = &report.findings;
    if findings.is_empty() {
        let verdict = match report.error {
            None => paint(GOOD, "nothing found wrong"),
            Some(_) => paint(DIM, "nothing else found wrong"),
        };
        writeln!(output, "\n  {verdict}")?;
        return Ok(());
    }
    writeln!(output, "\n  {}", count(findings.len(), "finding"))?;
    print_findings(output, findings, "  ")
}

/// The columns of `--brief`.
pub(super) const BRIEF: [&str; 8] = [
    "file", "layout", "seconds", "keys", "left s", "right s", "marks", "findings",
];

pub(super) fn brief(report: &Report) -> [String; BRIEF.len()] {
    let findings = match report.error {
        Some(_) => format!("not well formed {}", report.codes()),
        None => report.codes(),
    };
    [
        report.file.clone(),
        report.layout.to_string(),
        seconds(report.duration.0),
        grouped(report.keys),
        format!("{:.1}", report::total(&report.left.tracked)),
        format!("{:.1}", report::total(&report.right.tracked)),
        report.markers.len().to_string(),
        findings,
    ]
}

pub(super) fn brief_table(rows: &[[String; BRIEF.len()]]) -> String {
    let mut table = plain_table();
    table.set_header(BRIEF);
    for column in 2..=6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        table.add_row(row);
    }
    let lines = table.lines().map(|line| line.trim().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}
