//! `inputanim cat`

use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use inputanim::{Curve, CurvePath, Keys, Limits, Recording};
use inputanim_convert::json::Number;
use serde::Serialize;

use crate::format::{Format, Rows};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};

/// Print the keys or the curves of a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Patterns: * stands for any characters, ? for one, {a,b} for either. Names are those of check and
info: camera.position.x, left.tracked, left.IndexTip.rotation.w, gaze.direction.z.

Examples:
  inputanim cat take.bin --curves 'right.IndexTip.position.*' --time 1.5..2
  inputanim cat take.bin --curves '{left,right}.pinching' --format csv
  inputanim cat take.bin --show curves")]
pub(crate) struct Args {
    /// The recording; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only curves whose name fits the pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    curves: Vec<String>,
    /// Only keys from A to B seconds, both included; either may be left out
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    show: Show,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Show {
    /// A row for each key.
    #[default]
    Keys,
    /// A row for each curve.
    Curves,
}

#[derive(Clone, Debug, PartialEq)]
struct TimeRange(RangeInclusive<f32>);

impl FromStr for TimeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeRange, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("expected a range such as 1.5..2, ..2 or 1.5..")?;
        let end = end.strip_prefix('=').unwrap_or(end);
        let bound = |text: &str, open: f32| match text.trim() {
            "" => Ok(open),
            text => match text.parse::<f32>() {
                Ok(time) if !time.is_nan() => Ok(time),
                _ => Err(format!("`{text}` is no number of seconds")),
            },
        };
        let range = bound(start, f32::NEG_INFINITY)?..=bound(end, f32::INFINITY)?;
        match range.start() <= range.end() {
            true => Ok(TimeRange(range)),
            false => Err("the range ends before it starts".to_owned()),
        }
    }
}

/// A key as a row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyRow<'r> {
    curve: &'r str,
    time: Number,
    value: Number,
    #[serde(flatten)]
    tangents: Option<Tangents>,
}

/// The rest of a full key.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tangents {
    in_tangent: Number,
    out_tangent: Number,
    in_weight: Number,
    out_weight: Number,
    weighted_mode: i32,
}

/// A curve as a row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CurveRow {
    curve: String,
    kind: &'static str,
    pre_wrap: i32,
    post_wrap: i32,
    keys: usize,
    first_time: Option<Number>,
    last_time: Option<Number>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.file, limits)?;
    let recording = input.recording(limits)?;
    let chosen = chosen_curves(&recording, &args.curves)?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match args.show {
        Show::Keys => print_keys(&chosen, args, output)?,
        Show::Curves => print_curves(&chosen, args, output)?,
    }
    Ok(Outcome::Done)
}

fn chosen_curves<'r, 'a>(
    recording: &'r Recording<'a>,
    patterns: &[String],
) -> anyhow::Result<Vec<(CurvePath, Curve<'r, 'a>)>> {
    let fits = |path: CurvePath| {
        let name = path.to_string();
        patterns.is_empty() || patterns.iter().any(|p| fast_glob::glob_match(p, &name))
    };
    let chosen: Vec<_> = recording.curves().filter(|(path, _)| fits(*path)).collect();
    if chosen.is_empty() && !patterns.is_empty() {
        let message = format!("no curve of this recording fits {}", patterns.join(" or "));
        let hint = "`inputanim cat FILE --show curves` lists their names";
        return Err(Refusal::failure(message, hint));
    }
    Ok(chosen)
}

fn is_within(time: f32, range: Option<&TimeRange>) -> bool {
    range.is_none_or(|range| range.0.contains(&time))
}

/// Calls `row` with every chosen key.
fn each_key(
    chosen: &[(CurvePath, Curve<'_, '_>)],
    range: Option<&TimeRange>,
    mut row: impl FnMut(&KeyRow<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for (path, curve) in chosen {
        let name = path.to_string();
        for (index, (time, value)) in curve.points().enumerate() {
            if !is_within(time, range) {
                continue;
            }
            let tangents = match curve {
                Curve::Float(curve) => tangents(&curve.keys, index),
                Curve::Boolean(_) => None,
            };
            row(&KeyRow {
                curve: &name,
                time: Number(time),
                value: Number(value),
                tangents,
            })?;
        }
    }
    Ok(())
}

fn tangents(keys: &Keys<'_>, index: usize) -> Option<Tangents> {
    let Keys::Full(keys) = keys else {
        return None;
    };
    let key = &keys[index];
    Some(Tangents {
        in_tangent: Number(key.in_tangent()),
        out_tangent: Number(key.out_tangent()),
        in_weight: Number(key.in_weight()),
        out_weight: Number(key.out_weight()),
        weighted_mode: key.weighted_mode().0,
    })
}

const SIMPLE_COLUMNS: [&str; 3] = ["curve", "time_s", "value"];
const CURVE_COLUMNS: [&str; 7] = [
    "curve",
    "kind",
    "pre_wrap",
    "post_wrap",
    "keys",
    "first_s",
    "last_s",
];
const TANGENT_COLUMNS: [&str; 5] = [
    "in_tangent",
    "out_tangent",
    "in_weight",
    "out_weight",
    "weighted_mode",
];

fn print_keys(
    chosen: &[(CurvePath, Curve<'_, '_>)],
    args: &Args,
    output: impl Write,
) -> anyhow::Result<()> {
    let range = args.time.as_ref();
    let has_tangents = chosen
        .iter()
        .any(|(_, curve)| matches!(curve, Curve::Float(c) if matches!(c.keys, Keys::Full(_))));
    let mut columns = SIMPLE_COLUMNS.to_vec();
    if has_tangents {
        columns.extend(TANGENT_COLUMNS);
    }
    match Rows::new(args.format, output) {
        Ok(mut rows) => {
            rows.columns(&columns)?;
            each_key(chosen, range, |row| {
                rows.push(row, || vec![cells(row, has_tangents)])
            })?;
            rows.finish()
        }
        Err(mut output) => {
            let names = chosen.iter().map(|(path, _)| path.to_string().len());
            let width = names.max().unwrap_or(0).max(columns[0].len());
            print_line(&mut output, width, &columns)?;
            each_key(chosen, range, |row| {
                print_line(&mut output, width, &cells(row, has_tangents))
            })?;
            Ok(output.flush()?)
        }
    }
}

fn cells(row: &KeyRow<'_>, has_tangents: bool) -> Vec<String> {
    let mut cells = vec![
        row.curve.to_owned(),
        row.time.to_string(),
        row.value.to_string(),
    ];
    match row.tangents {
        Some(t) => {
            let numbers = [t.in_tangent, t.out_tangent, t.in_weight, t.out_weight];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.push(t.weighted_mode.to_string());
        }
        None if has_tangents => cells.extend(TANGENT_COLUMNS.map(|_| String::new())),
        None => {}
    }
    cells
}

fn print_line(
    output: &mut impl Write,
    width: usize,
    cells: &[impl AsRef<str>],
) -> anyhow::Result<()> {
    let mut cells = cells.iter().map(AsRef::as_ref);
    let mut line = format!("{:<width$}", cells.next().unwrap_or_default());
    for cell in cells {
        line.push_str(&format!("  {cell:>14}"));
    }
    Ok(writeln!(output, "{}", line.trim_end())?)
}

fn print_curves(
    chosen: &[(CurvePath, Curve<'_, '_>)],
    args: &Args,
    output: impl Write,
) -> anyhow::Result<()> {
    let curves = chosen.iter().map(|(path, curve)| {
        let times: Vec<f32> = curve
            .points()
            .map(|(time, _)| time)
            .filter(|time| is_within(*time, args.time.as_ref()))
            .collect();
        let (pre, post) = curve.wrap();
        CurveRow {
            curve: path.to_string(),
            kind: curve.kind_name(),
            pre_wrap: pre.0,
            post_wrap: post.0,
            keys: times.len(),
            first_time: times.first().copied().map(Number),
            last_time: times.last().copied().map(Number),
        }
    });
    match Rows::new(args.format, output) {
        Ok(mut rows) => {
            rows.columns(&CURVE_COLUMNS)?;
            for curve in curves {
                rows.push(&curve, || vec![curve_cells(&curve)])?;
            }
            rows.finish()
        }
        Err(mut output) => {
            let names = chosen.iter().map(|(path, _)| path.to_string().len());
            let width = names.max().unwrap_or(0).max(CURVE_COLUMNS[0].len());
            print_line(&mut output, width, &CURVE_COLUMNS)?;
            for curve in curves {
                print_line(&mut output, width, &curve_cells(&curve))?;
            }
            Ok(output.flush()?)
        }
    }
}

fn curve_cells(row: &CurveRow) -> [String; 7] {
    let time = |time: Option<Number>| time.map(|time| time.to_string()).unwrap_or_default();
    [
        row.curve.clone(),
        row.kind.to_owned(),
        row.pre_wrap.to_string(),
        row.post_wrap.to_string(),
        row.keys.to_string(),
        time(row.first_time),
        time(row.last_time),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_be_open_and_negative() {
        let range = |text: &str| text.parse::<TimeRange>().map(|range| range.0);
        assert_eq!(range("1.5..2"), Ok(1.5..=2.0));
        assert_eq!(range("-3..-1"), Ok(-3.0..=-1.0));
        assert_eq!(range("..2"), Ok(f32::NEG_INFINITY..=2.0));
        assert_eq!(range(".."), Ok(f32::NEG_INFINITY..=f32::INFINITY));
        assert!(range("2..1").is_err());
        assert!(range("2").is_err());
        assert!(range("a..2").is_err());
        assert!(range("NaN..2").is_err());
    }
}
