//! What `repair` did to one file, for people.

use std::io::Write;

use inputanim::Span;
use inputanim::doctor::{Code, Finding, Remedy, Severity};
use inputanim::repair::Mended;

use super::cut::Cut;
use super::report::Repaired;
use super::rows::{Row, rows, summed_up};
use crate::style::{DIM, GOOD, WARN, paint, severity};
use crate::text::{count, grouped, printable, wrapped};

/// How many doubtful times of a rotation are listed; of more the first.
const LISTED: usize = 3;

pub(super) fn repaired(
    output: &mut impl Write,
    repaired: &Repaired,
    verbose: bool,
) -> anyhow::Result<()> {
    for code in codes(repaired.mended.iter().map(|mended| mended.code)) {
        let of_code = repaired.mended.iter().filter(|mended| mended.code == code);
        mended(output, code, of_code, verbose)?;
    }
    if let Some(cut) = &repaired.cut {
        line(output, &paint(WARN, "cut"), &cut_off(cut))?;
    }
    let lost = |finding: &&Finding| finding.severity() == Severity::Damage;
    for code in codes(repaired.remaining.iter().filter(lost).map(|f| f.code)) {
        let label = paint(severity(code.severity()), format_args!("{:<3}", code.id()));
        line(output, &label, &format!("stays lost: {}", code.title()))?;
        for finding in repaired.remaining.iter().filter(|f| f.code == code) {
            line(output, "   ", &finding.detail)?;
        }
        if code.remedy() == Remedy::Trim {
            hint(output, "--trim-frozen cuts the end off")?;
        }
    }
    let file = printable(&repaired.file);
    Ok(writeln!(
        output,
        "{}",
        wrapped("", 0, &format!("{file}: {}", verdict(repaired)))
    )?)
}

/// Each code once, what matters most first.
fn codes(codes: impl Iterator<Item = Code>) -> Vec<Code> {
    let mut codes: Vec<Code> = codes.collect();
    codes.sort();
    codes.dedup();
    codes
}

/// A label of three letters, then a paragraph.
fn line(output: &mut impl Write, label: &str, text: &str) -> anyhow::Result<()> {
    Ok(writeln!(
        output,
        "{}",
        wrapped(&format!("{label}  "), 5, text)
    )?)
}

fn hint(output: &mut impl Write, text: &str) -> anyhow::Result<()> {
    let label = format!("     {} ", paint(DIM, "hint:"));
    Ok(writeln!(output, "{}", wrapped(&label, 11, text))?)
}

/// What was wrong and what was done about it, then where.
fn mended<'r>(
    output: &mut impl Write,
    code: Code,
    of_code: impl Iterator<Item = &'r Mended>,
    verbose: bool,
) -> anyhow::Result<()> {
    let label = paint(GOOD, format_args!("{:<3}", code.id()));
    line(output, &label, done(code))?;
    let all = rows(of_code);
    let rows = if verbose { all } else { summed_up(&all) };
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
        match is_guessed(code) {
            true => {
                let width = label.chars().count() + 2;
                let text = how_sure(row, verbose);
                writeln!(output, "{}", wrapped(&format!("{label}  "), width, &text))?;
            }
            false => writeln!(output, "{label}")?,
        }
    }
    if rows.iter().any(|row| row.doubtful_keys > 0) {
        let text = "doubtful keys may be turned wrong: look at these times with `inputanim play`";
        hint(output, text)?;
    }
    Ok(())
}

/// Whether what was done is likely and not certain.
fn is_guessed(code: Code) -> bool {
    matches!(code, Code::RotationWLost | Code::RotationWFalse)
}

fn done(code: Code) -> &'static str {
    match code {
        Code::RotationWLost => "w was not saved: worked out from x, y and z",
        Code::RotationWFalse => "w held a key of z: taken out, and w worked out from x, y and z",
        Code::HemisphereFlip => "neighbouring keys of opposite signs: their signs now agree",
        Code::TimeNotFinite => "keys without a time: taken out",
        Code::ValueNotFinite => "keys without a number: taken out",
        Code::TimesUnsorted => "keys that went back in time: sorted",
        Code::BooleanValue => "states that were neither 0 nor 1: made what they are played as",
        Code::FlagByte => "flags that were neither 0 nor 1: made 1",
        Code::MarkersUnsorted => "markers that were not in order of time: sorted",
        Code::RotationNotUnit => "rotation keys of another length than 1: scaled to it",
        Code::RotationZero => "rotation keys of length 0: taken out",
        other => other.title(),
    }
}

/// `sure`, or how many keys are doubtful and when they are.
fn how_sure(row: &Row<'_>, verbose: bool) -> String {
    if row.doubtful_keys == 0 {
        return "sure".to_owned();
    }
    let listed = if verbose { row.doubtful.len() } else { LISTED };
    let times = row.doubtful.iter().take(listed).map(time);
    let times: Vec<String> = times.collect();
    let mut text = format!(
        "{} doubtful: {}",
        grouped(row.doubtful_keys as u64),
        times.join(", ")
    );
    if let Some(more @ 1..) = row.doubtful.len().checked_sub(listed) {
        text.push_str(&format!(" and {} (-v)", count(more, "more time")));
    }
    text
}

/// `1.520–1.610 s`
fn time(&Span { start, end }: &Span) -> String {
    match start < end {
        true => format!("{start:.3}–{end:.3} s"),
        false => format!("{start:.3} s"),
    }
}

fn cut_off(cut: &Cut) -> String {
    let (start, end, seconds) = (cut.start, cut.end, cut.end - cut.start);
    let markers = match cut.markers {
        0 => String::new(),
        markers => format!(", with {}", count(markers, "marker")),
    };
    format!(
        "the last {seconds:.3} s, from {start:.3} s to {end:.3} s{markers}: there streams stood still"
    )
}

/// What was done, how sure it is, what stays lost, and what else is found.
fn verdict(repaired: &Repaired) -> String {
    let names = |codes: Vec<Code>| {
        let names: Vec<&str> = codes.into_iter().map(Code::id).collect();
        names.join(" ")
    };
    let mended = names(codes(repaired.mended.iter().map(|mended| mended.code)));
    let mut verdict = match (&mended[..], &repaired.cut) {
        ("", None) => "nothing to repair".to_owned(),
        ("", Some(_)) => "nothing else to repair".to_owned(),
        (mended, _) => format!("repaired {mended}"),
    };
    let guessed = repaired
        .mended
        .iter()
        .filter(|mended| is_guessed(mended.code));
    let (keys, doubtful) = guessed.fold((0, 0), |(keys, doubtful), mended| {
        (keys + mended.keys, doubtful + mended.doubtful_keys)
    });
    match (keys, doubtful) {
        (0, _) => {}
        (_, 0) => verdict.push_str(", all signs sure"),
        _ => {
            let keys = count(keys, "key");
            verdict.push_str(&format!(
                ", {} of {keys} doubtful",
                grouped(doubtful as u64)
            ));
        }
    }
    if let Some(cut) = &repaired.cut {
        verdict.push_str(&format!(", cut off at {:.3} s", cut.start));
    }
    let remaining = |is_lost: bool| {
        let remaining = repaired.remaining.iter().map(|finding| finding.code);
        names(codes(remaining.filter(|code| {
            (code.severity() == Severity::Damage) == is_lost
        })))
    };
    match remaining(true) {
        lost if lost.is_empty() => {}
        lost => verdict.push_str(&format!("; {lost} stays lost")),
    }
    match remaining(false) {
        others if others.is_empty() => {}
        others => verdict.push_str(&format!("; still found: {others}")),
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repaired_is_said_in_few_words() {
        for &code in Code::ALL {
            let has_words = done(code) != code.title();
            assert_eq!(has_words, code.remedy() == Remedy::Repair, "{code}");
            assert!(!has_words || done(code).len() <= 75, "{code}");
        }
    }
}
