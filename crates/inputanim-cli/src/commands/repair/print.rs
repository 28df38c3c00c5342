//! The result of `repair` for one file, for people.

use inputanim::doctor::{Code, Remedy};
use inputanim::repair::{RepairReport, UncertainTime};
use inputanim::{Recording, TimeRange};

use super::cut::Cut;
use super::report::Repaired;
use super::rows::{Row, merged};
use crate::messages::style::{DIM, GOOD, WARN, paint, severity};
use crate::messages::text::{count, grouped, wrapped};

/// The number of uncertain times of a hand or rotation that are listed without `--verbose`.
const LISTED: usize = 3;

/// Returns the repairs, what was cut off and what cannot be repaired, in lines. `recording` is the
/// repaired recording.
pub(super) fn details(repaired: &Repaired, recording: &Recording<'_>, verbose: bool) -> String {
    let mut lines = Vec::new();
    let RepairReport { remaining, .. } = &repaired.report;
    for group in repaired
        .report
        .groups(recording)
        .chunk_by(|a, b| a.code == b.code)
    {
        let rows = group.iter().cloned().map(Row::from).collect();
        lines.extend(repairs_of(group[0].code, rows, verbose));
    }
    if let Some(cut) = &repaired.cut {
        lines.push(line(&paint(WARN, "cut"), &cut_off(cut)));
    }
    for &code in &repaired.lost {
        let label = paint(severity(code.severity()), format_args!("{:<3}", code.id()));
        lines.push(line(&label, &format!("not repaired: {}", code.title())));
        for finding in remaining.iter().filter(|finding| finding.code == code) {
            lines.push(line("   ", &finding.detail));
        }
        if code.remedy() == Remedy::Trim {
            lines.push(hint("--trim-frozen cuts it off"));
        }
    }
    lines.join("\n")
}

/// Returns each code once, the codes of damage by MRTK first.
fn codes(codes: impl Iterator<Item = Code>) -> Vec<Code> {
    let mut codes: Vec<Code> = codes.collect();
    // The order of declaration: D codes before L codes.
    codes.sort();
    codes.dedup();
    codes
}

/// Formats a paragraph with a label of three columns before it.
fn line(label: &str, text: &str) -> String {
    wrapped(&format!("{label}  "), 5, text)
}

fn hint(text: &str) -> String {
    wrapped(&format!("     {} ", paint(DIM, "hint:")), 11, text)
}

/// Formats the repairs of one code, in lines: the damage and its repair, then a line for each row. Unless `verbose` is
/// true, the rows of each hand are merged.
fn repairs_of(code: Code, rows: Vec<Row>, verbose: bool) -> Vec<String> {
    let label = paint(GOOD, format_args!("{:<3}", code.id()));
    let mut lines = vec![line(&label, description(code))];
    let rows = if verbose { rows } else { merged(rows) };
    let names = rows.iter().map(|row| row.name.chars().count());
    let name_width = names.max().unwrap_or_default();
    let things = match code {
        Code::FlagByte => "flag",
        Code::MarkersUnsorted => "marker",
        _ => "key",
    };
    let counts: Vec<String> = rows.iter().map(|row| count(row.things, things)).collect();
    let count_width = counts.iter().map(String::len).max().unwrap_or_default();
    for (row, count) in rows.iter().zip(counts) {
        let name = format!("{:5}{:<name_width$}", "", row.name);
        let gap = if name_width > 0 { "  " } else { "" };
        let label = format!("{name}{gap}{count:>count_width$}");
        lines.push(if is_inferred(code) {
            let width = label.chars().count() + 2;
            // A non-breaking space keeps a number and its unit in one line.
            let text = certainty(row, verbose).replace(" s", "\u{a0}s");
            wrapped(&format!("{label}  "), width, &text).replace('\u{a0}', " ")
        } else {
            label
        });
    }
    if rows.iter().any(|row| row.uncertain_keys > 0) {
        let text = "uncertain keys may have the wrong sign: check these times with `play`";
        lines.push(hint(text));
    }
    lines
}

/// Returns `true` if the repair infers values, which may be uncertain.
fn is_inferred(code: Code) -> bool {
    matches!(code, Code::RotationWLost | Code::RotationWCopiesZ)
}

// Each text fits into the 75 columns behind the label; a test checks it.
fn description(code: Code) -> &'static str {
    match code {
        Code::RotationWLost => "w was not saved: computed from x, y and z",
        Code::RotationWCopiesZ => "w contained a key of z: removed, and w computed from x, y and z",
        Code::SignFlip => "sign flips between neighbouring keys: the signs now agree",
        Code::TimeNotFinite => "keys whose time is not finite: removed",
        Code::ValueNotFinite => "keys whose value is not finite: removed",
        Code::TimesUnsorted => "keys that were not sorted by time: sorted",
        Code::BooleanValue => "states other than 0 and 1: set to the value that is played back",
        Code::FlagByte => "flags other than 0 and 1: set to 1",
        Code::MarkersUnsorted => "markers that were not sorted by time: sorted",
        Code::RotationNotUnit => "rotations of a length other than 1: normalised",
        Code::RotationZero => "rotations of length 0: removed",
        other => other.title(),
    }
}

/// Formats `not flagged as uncertain`, or the number of uncertain keys and the times with most of
/// them; if `verbose`, all times.
fn certainty(row: &Row, verbose: bool) -> String {
    if row.uncertain_keys == 0 {
        return "not flagged as uncertain".to_owned();
    }
    let mut times: Vec<&UncertainTime> = row.uncertain.iter().collect();
    let mut hidden = 0;
    if !verbose && times.len() > LISTED {
        // The sort is stable: times with as many keys stay in order.
        times.sort_by_key(|time| std::cmp::Reverse(time.keys));
        hidden = times.len() - LISTED;
        times.truncate(LISTED);
    }
    let listed: Vec<String> = times.iter().map(|one| time(&one.range)).collect();
    let (uncertain, listed) = (grouped(row.uncertain_keys as u64), listed.join(", "));
    if hidden > 0 {
        let more = count(hidden, "more time");
        format!("{uncertain} uncertain, most at {listed} and {more} (-v)")
    } else {
        format!("{uncertain} uncertain: {listed}")
    }
}

/// Formats a time range as `1.520–1.610 s`, or one instant as `1.520 s`.
fn time(&TimeRange { start, end }: &TimeRange) -> String {
    if start < end {
        format!("{start:.3}–{end:.3} s")
    } else {
        format!("{start:.3} s")
    }
}

fn cut_off(cut: &Cut) -> String {
    let (start, end, seconds) = (cut.start, cut.end, cut.end - cut.start);
    let markers = match cut.markers {
        0 => String::new(),
        markers => format!(" with {}", count(markers, "marker")),
    };
    format!(
        "removed the last {seconds:.3} s, from {start:.3} s to {end:.3} s{markers}: streams held their \
         last pose there"
    )
}

/// Returns facts for the summary: the repaired codes, the number of uncertain keys, the end that was cut off, the codes
/// that cannot be repaired, and the codes of other findings.
pub(super) fn facts(repaired: &Repaired) -> Vec<String> {
    let names = |codes: Vec<Code>| {
        let names: Vec<&str> = codes.into_iter().map(Code::id).collect();
        names.join(" ")
    };
    let RepairReport {
        repaired: repairs,
        remaining,
        ..
    } = &repaired.report;
    let mut facts = Vec::new();
    if !repaired.changed && repaired.lost.is_empty() {
        facts.push("nothing to repair".to_owned());
    } else if !repairs.is_empty() {
        let repaired = codes(repairs.iter().map(|repair| repair.code));
        facts.push(format!("{} repaired", names(repaired)));
    }
    let inferred = repairs.iter().filter(|repair| is_inferred(repair.code));
    let (keys, uncertain) = inferred.fold((0, 0), |(keys, uncertain), repair| {
        (keys + repair.keys, uncertain + repair.uncertain_keys)
    });
    if uncertain > 0 {
        let (keys, uncertain) = (count(keys, "key"), grouped(uncertain as u64));
        facts.push(format!("{uncertain} of {keys} uncertain"));
    } else if keys > 0 {
        facts.push("no sign flagged as uncertain".to_owned());
    }
    if !repaired.zeros.is_empty() {
        let runs = count(repaired.zeros.len(), "run");
        facts.push(format!("{runs} of zeros unknown"));
    }
    if let Some(cut) = &repaired.cut {
        facts.push(format!("cut off at {:.3} s", cut.start));
    }
    if !repaired.lost.is_empty() {
        let remains = if repaired.lost.len() == 1 {
            "remains"
        } else {
            "remain"
        };
        facts.push(format!("{} {remains}", names(repaired.lost.clone())));
    }
    let others = remaining.iter().map(|finding| finding.code);
    let others = codes(others.filter(|code| !repaired.lost.contains(code)));
    if !others.is_empty() {
        facts.push(format!("other findings {}", names(others)));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_repair_is_described_in_one_line() {
        for &code in Code::ALL {
            let has_description = description(code) != code.title();
            assert_eq!(has_description, code.remedy() == Remedy::Repair, "{code}");
            assert!(!has_description || description(code).len() <= 75, "{code}");
        }
    }
}
