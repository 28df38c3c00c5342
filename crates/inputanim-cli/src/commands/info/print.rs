//! The result of `info` for one file, for people.

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use comfy_table::{Cell, CellAlignment};
use inputanim::headset;
use inputanim::info::StreamInfo;
use inputanim::marker_names::{counts, prominent};
use inputanim::{About, CurvePath, DamagedPart, Joint, Side, Stream, TimeRange};
use inputanim_convert::Format;

use super::report::Report;
use crate::messages::findings::{print_file_error, print_findings, print_next_steps};
use crate::messages::hints;
use crate::messages::style::{BAD, BOLD, DIM, GOOD, LEFT, RIGHT, WARN, paint};
use crate::messages::suggestion::inspect;
use crate::messages::text::{count, grouped, printable, quoted, seconds, wrapped};
use crate::results::table::{self, plain_table, right, text_columns};
use crate::results::timeline::Timeline;

/// The number of time ranges or markers that are listed.
const LISTED: usize = 20;
/// The number of letters of a text about the recording that are shown.
const TEXT: usize = 300;
/// Columns for the name of a marker, behind its time.
const NAME: usize = 64;

pub(super) fn full(output: &mut impl Write, report: &Report, is_first: bool) -> anyhow::Result<()> {
    if !is_first {
        writeln!(output)?;
    }
    writeln!(output, "{}", paint(BOLD, printable(&report.file)))?;
    let info = &report.info;
    if report.format != Format::Bin {
        writeln!(output, "  format    {}, read as:", report.format)?;
    }
    let layout = info.layout;
    let description = format!("{layout}: {}", layout.description());
    writeln!(output, "{}", wrapped("  layout    ", 12, &description))?;
    let size = grouped(report.bytes);
    writeln!(
        output,
        "  size      {size} bytes, {} keys",
        grouped(info.keys)
    )?;
    let range = match info.time_range {
        Some(range) => format!(
            "keys from {} s to {} s",
            seconds(range.start),
            seconds(range.end)
        ),
        None => "no keys".to_owned(),
    };
    writeln!(output, "  duration  {} s ({range})", seconds(info.duration))?;
    if layout.has_flags() {
        writeln!(output, "  flags     {}", flags(report))?;
    }
    about(output, report)?;
    damage(output, report)?;
    if info.keys > 0 {
        writeln!(output, "\n{}", streams(report).join("\n"))?;
        timeline(output, report)?;
    }
    devices(output, report)?;
    markers(output, report)?;
    findings(output, report)
}

/// Prints the profiles, poses and inputs of the devices.
fn devices(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    for device in &report.info.devices {
        // The headset has no profile, and its numbers are not axes.
        let is_headset = device.device == headset::name();
        let profiles = match &device.profiles[..] {
            [] if is_headset => String::new(),
            [] => "  profile unknown".to_owned(),
            profiles => format!("  {}", profiles.join(", ")),
        };
        writeln!(output, "\n  {}{}", device.device, printable(&profiles))?;
        let rows = [
            ("poses", texts(&device.poses)),
            ("buttons", texts(&device.buttons)),
            (
                if is_headset { "values" } else { "axes" },
                texts(&device.axes),
            ),
        ];
        for (name, names) in rows.iter().filter(|(_, names)| !names.is_empty()) {
            let indent = format!("    {name:<8}  ");
            writeln!(output, "{}", wrapped(&indent, indent.len(), names))?;
        }
        if device.haptics > 0 {
            writeln!(output, "    haptics   {}", grouped(device.haptics as u64))?;
        }
    }
    Ok(())
}

fn texts(names: &[impl ToString]) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Prints the texts about the recording: those with a fixed name first.
fn about(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let about = &report.info.about;
    for name in About::NAMES {
        let text = about.get(name);
        // The format of the file is already printed.
        let is_shown = |text: &&str| name != About::FORMAT || *text != report.format.name();
        if let Some(text) = text.filter(is_shown) {
            // Of another file, from which this one was converted.
            let label = if name == About::FORMAT { "from" } else { name };
            let label = format!("  {label:<10}");
            writeln!(output, "{}", wrapped(&label, 12, &shortened(text)))?;
        }
    }
    let others = about.iter();
    let others = others.filter(|(name, _)| !About::NAMES.contains(name));
    let others: Vec<_> = others.collect();
    for (index, (name, text)) in others.iter().take(LISTED).enumerate() {
        let label = if index == 0 {
            "  about     "
        } else {
            "            "
        };
        let text = format!("{}: {}", shortened(name), shortened(text));
        writeln!(output, "{}", wrapped(label, 12, &text))?;
    }
    if others.len() > LISTED {
        writeln!(output, "            … {} more", others.len() - LISTED)?;
    }
    Ok(())
}

/// Returns a text for people: at most its first [`TEXT`] letters, without control characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => {
            let letters = grouped(text.chars().count() as u64);
            format!("{}… ({letters} letters)", printable(&text[..end]))
        }
        None => printable(text).into_owned(),
    }
}

fn flags(report: &Report) -> String {
    let flags = report.info.flags;
    let names: Vec<&str> = [
        (flags.head, "head"),
        (flags.hand, "hands"),
        (flags.gaze, "gaze"),
    ]
    .into_iter()
    .filter_map(|(there, name)| there.then_some(name))
    .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn damage(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let Some(error) = &report.error else {
        return Ok(());
    };
    writeln!(output, "  {}", paint(BAD, "damaged"))?;
    print_file_error(output, error, None, "            ")?;
    for line in DamagedPart::list(&report.missing) {
        let label = format!("  {}   ", paint(WARN, "missing"));
        writeln!(output, "{}", wrapped(&label, 12, &line))?;
    }
    writeln!(output, "            the intact parts follow")?;
    Ok(())
}

fn streams(report: &Report) -> Vec<String> {
    let mut table = plain_table();
    let headers = [
        "keys",
        "first s",
        "last s",
        "per s",
        "longest gap s",
        "bytes",
    ];
    table.set_header(std::iter::once(Cell::new("stream")).chain(headers.map(right)));
    for stream in &report.info.streams {
        let time = |pick: fn(TimeRange) -> f32| {
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
    // On a narrow terminal the sizes are hidden, then the first and the last times.
    table::lines(table, "  ", &[6, 2, 3])
}

fn stream_name(stream: &StreamInfo) -> String {
    match stream.stream {
        Stream::Joints(side) if stream.recorded_joints > 0 => {
            let (recorded, all) = (stream.recorded_joints, Joint::ALL.len());
            format!("{side}.joints {recorded}/{all}")
        }
        other => other.name().to_owned(),
    }
}

/// A line of the timeline: a state of a hand, or the activity of a device.
struct Lane {
    /// The curve of a state of a hand.
    path: Option<CurvePath>,
    label: String,
    style: Style,
    /// The time ranges in which the state is on.
    ranges: Vec<TimeRange>,
}

/// Returns the state `tracked` and the state `pinching` of each hand, and the activity of each device, in a time range. The
/// headset is always active.
fn lanes(report: &Report, range: TimeRange) -> Vec<Lane> {
    let devices = report.info.devices.iter();
    let devices: Vec<_> = devices
        .filter(|device| device.device != headset::name())
        .collect();
    let names = devices.iter().map(|device| device.device.as_str().len());
    let width = names.max().unwrap_or(0).max(6);
    let label = |of: &str, state: &str| format!("  {of:<width$} {state:<8}  ");
    let mut lanes = Vec::new();
    if report.info.flags.hand {
        for (side, style) in [(Side::Left, LEFT), (Side::Right, RIGHT)] {
            let hand = report.info.hand(side);
            for (path, state, ranges) in [
                (CurvePath::Tracked(side), "tracked", &hand.tracked),
                (CurvePath::Pinching(side), "pinching", &hand.pinching),
            ] {
                lanes.push(Lane {
                    path: Some(path),
                    label: label(side.name(), state),
                    style,
                    ranges: ranges.clone(),
                });
            }
        }
    }
    lanes.extend(devices.into_iter().map(|device| {
        let active = device.active.iter();
        let active = active.filter_map(|active| active.intersection(range));
        Lane {
            path: None,
            label: label(device.device.as_str(), "active"),
            style: match device.device.side() {
                Some(Side::Left) => LEFT,
                Some(Side::Right) => RIGHT,
                None => Style::new(),
            },
            ranges: active.filter(|active| active.length() > 0.0).collect(),
        }
    }));
    lanes
}

fn timeline(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let info = &report.info;
    let Some(range) = info.time_range.filter(|range| range.length() > 0.0) else {
        return Ok(());
    };
    let lanes = lanes(report, range);
    if lanes.is_empty() && report.markers.is_empty() {
        return Ok(());
    }
    // The labels before it have the same width, 19 columns without devices. 17 are for the total time behind it.
    let before = lanes.first().map_or(19, |lane| lane.label.len());
    let columns = text_columns().saturating_sub(before + 17).max(20);
    let line = Timeline::new(range, columns);
    let (start, end) = (seconds(range.start), seconds(range.end));
    // The end is aligned to the last cell. 4 is for the units of both times.
    let width = columns.saturating_sub(start.len() + 4);
    writeln!(output, "\n{:before$}{start} s{end:>width$} s", "")?;
    for lane in &lanes {
        let (drawn, total) = if lane.path.is_some_and(|path| report.is_missing(path)) {
            ("?".repeat(line.columns()), "not read".to_owned())
        } else if lane.path.is_some_and(|path| report.lacks_state(path)) {
            ("?".repeat(line.columns()), "not recorded".to_owned())
        } else {
            (line.states(&lane.ranges), total(&lane.ranges, range))
        };
        let drawn = paint(lane.style, drawn);
        writeln!(output, "{}{drawn}  {total}", lane.label)?;
    }
    if !report.markers.is_empty() {
        let shown = prominent(&report.markers);
        let times = shown.iter().map(|marker| marker.time);
        writeln!(
            output,
            "{:<before$}{}",
            "  markers",
            line.instants(times).trim_end()
        )?;
    }
    for Lane { label, ranges, .. } in &lanes {
        // The drawing above already shows a state that never changes.
        if !ranges.is_empty() && ranges[..] != [range] {
            writeln!(output, "{}", wrapped(label, before, &listed(ranges)))?;
        }
    }
    Ok(())
}

fn total(ranges: &[TimeRange], range: TimeRange) -> String {
    if ranges.is_empty() {
        return "never".to_owned();
    }
    let on = TimeRange::total_length(ranges);
    let share = on / range.length() * 100.0;
    if on < 1e5 {
        format!("{on:.1} s, {share:.0} %")
    } else {
        format!("{on:.1e} s, {share:.0} %")
    }
}

/// Formats time ranges in seconds. After the first [`LISTED`], only their number follows.
fn listed(ranges: &[TimeRange]) -> String {
    let texts = ranges.iter().take(LISTED);
    let texts = texts.map(|range| format!("{}–{}", seconds(range.start), seconds(range.end)));
    let mut text = texts.collect::<Vec<_>>().join(", ");
    if ranges.len() > LISTED {
        text.push_str(&format!(" … ({})", count(ranges.len(), "range")));
    }
    text
}

fn markers(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    if report.markers.is_empty() {
        return Ok(());
    }
    let total = report.markers.len();
    if total <= LISTED {
        writeln!(output, "\n  {}", count(total, "marker"))?;
        for marker in &report.markers {
            let time = seconds(marker.time);
            writeln!(output, "  {time:>10} s  {}", quoted(&marker.name, NAME))?;
        }
        return Ok(());
    }
    // Markers of one name are one line: thousands of them would hide the others.
    let names = counts(&report.markers);
    let different = count(names.len(), "different name");
    writeln!(output, "\n  {} with {different}", count(total, "marker"))?;
    for found in names.iter().take(LISTED) {
        let (first, name) = (seconds(found.first), quoted(found.name, NAME));
        write!(output, "  {first:>10} s  {name}")?;
        match found.count {
            1 => writeln!(output)?,
            times => {
                let (times, last) = (grouped(times as u64), seconds(found.last));
                writeln!(output, ", {times} times, last at {last} s")?;
            }
        }
    }
    let list = inspect("markers list", Some(Path::new(&report.file)));
    match names.len().saturating_sub(LISTED) {
        0 => writeln!(output, "               all of them: `{list}`")?,
        more => writeln!(
            output,
            "               and {} more: `{list}`",
            count(more, "name")
        )?,
    }
    Ok(())
}

fn findings(output: &mut impl Write, report: &Report) -> anyhow::Result<()> {
    let findings = &report.findings;
    if findings.is_empty() {
        let verdict = match report.error {
            None => paint(GOOD, "no damage or warnings"),
            Some(_) => paint(DIM, "no damage or warnings in the intact parts"),
        };
        writeln!(output, "\n  {verdict}")?;
        return Ok(());
    }
    writeln!(output, "\n  {}", count(findings.len(), "finding"))?;
    print_findings(output, findings, "  ")?;
    // A file that is not well formed must be recovered first, and its error has that hint.
    if report.error.is_some() {
        return Ok(());
    }
    let path = Path::new(&report.file);
    let doctor = hints::doctor(path);
    print_next_steps(output, findings, path, Some(&doctor), "  ")
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
    let tracked = |side| {
        format!(
            "{:.1}",
            TimeRange::total_length(&report.info.hand(side).tracked)
        )
    };
    [
        printable(&report.file).into_owned(),
        report.info.layout.to_string(),
        seconds(report.info.duration),
        grouped(report.info.keys),
        tracked(Side::Left),
        tracked(Side::Right),
        report.markers.len().to_string(),
        findings,
    ]
}

pub(super) fn brief_table(rows: &[[String; BRIEF.len()]]) -> String {
    let mut table = plain_table();
    table.set_header(BRIEF);
    // The columns from the seconds to the marks have numbers.
    for column in 2..=6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        table.add_row(row);
    }
    // On a narrow terminal numbers are hidden, the least important ones first.
    table::lines(table, "", &[6, 3, 5, 4, 1]).join("\n")
}
