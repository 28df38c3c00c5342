//! What `optimize` did to one file, for people.

use std::io::Write;

use comfy_table::{Cell, Table};
use inputanim::reduce::Why;

use super::report::{ErrorReport, LeftReport, Optimized, Size};
use crate::commands::diff::number;
use crate::style::{DIM, WARN, paint};
use crate::table::{plain_table, right};
use crate::text::{count, grouped, printable, seconds, wrapped};

/// How many of the vectors that were left are named.
const LISTED: usize = 4;

pub(super) fn optimized(output: &mut impl Write, optimized: &Optimized) -> anyhow::Result<()> {
    if optimized.changed {
        sizes(output, optimized)?;
        errors(output, optimized)?;
    } else {
        let file = printable(&optimized.file);
        let text = format!("{file}: nothing to gain within these bounds; written as it was");
        writeln!(output, "{}", wrapped("", 0, &text))?;
    }
    for alike in by_reason(&optimized.left) {
        left(output, &alike)?;
    }
    Ok(())
}

fn sizes(output: &mut impl Write, optimized: &Optimized) -> anyhow::Result<()> {
    let mut table = plain_table();
    let heads = ["keys before", "after", "bytes before", "after", "%"];
    table.set_header(std::iter::once(Cell::new("stream")).chain(heads.map(right)));
    for stream in &optimized.streams {
        table.add_row(size_row(stream.stream, stream.size));
    }
    table.add_row(size_row("whole file", optimized.size));
    write_table(output, &table)
}

fn size_row(name: &str, size: Size) -> [Cell; 6] {
    let percent = 100.0 * size.bytes_after as f64 / size.bytes_before.max(1) as f64;
    [
        Cell::new(name),
        right(grouped(size.keys_before)),
        right(grouped(size.keys_after)),
        right(grouped(size.bytes_before)),
        right(grouped(size.bytes_after)),
        right(format!("{percent:.1}")),
    ]
}

fn errors(output: &mut impl Write, optimized: &Optimized) -> anyhow::Result<()> {
    let mut table = plain_table();
    let heads = ["bound", "largest", "99 %", "at s"].map(right);
    let heads = std::iter::once(Cell::new("stream")).chain(heads);
    table.set_header(heads.chain([Cell::new("joint")]));
    for stream in &optimized.streams {
        for error in &stream.errors {
            table.add_row(error_row(stream.stream, error));
        }
    }
    if table.row_count() == 0 {
        return Ok(());
    }
    writeln!(
        output,
        "\n  how far off it plays, measured at every sample:"
    )?;
    write_table(output, &table)
}

fn error_row(stream: &str, error: &ErrorReport) -> [Cell; 6] {
    let name = match (error.quantity, error.unit) {
        ("point", _) => format!("{stream} point mm"),
        (_, "deg") => format!("{stream} °"),
        _ => format!("{stream} mm"),
    };
    let is_off = error.largest > 0.0;
    let at = if is_off {
        seconds(error.at)
    } else {
        "–".to_owned()
    };
    [
        Cell::new(name),
        right(
            error
                .bound
                .map_or("–".to_owned(), |bound| bound.to_string()),
        ),
        right(number(error.largest.into())),
        right(number(error.percentile99.into())),
        right(at),
        Cell::new(error.joint.filter(|_| is_off).unwrap_or_default()),
    ]
}

fn by_reason(left: &[LeftReport]) -> Vec<Vec<&LeftReport>> {
    let mut groups: Vec<Vec<&LeftReport>> = Vec::new();
    for left in left {
        match groups.iter_mut().find(|group| group[0].why == left.why) {
            Some(group) => group.push(left),
            None => groups.push(vec![left]),
        }
    }
    groups
}

/// Vectors that were left for one reason, and what to do about it.
fn left(output: &mut impl Write, alike: &[&LeftReport]) -> anyhow::Result<()> {
    let Some(why) = alike.first().map(|left| left.why) else {
        return Ok(());
    };
    let (whose, hint) = match why {
        Why::Tangents => (
            "with tangents",
            Some("`inputanim resample` makes straight lines of tangents"),
        ),
        Why::Times => (
            "with keys that are not in order of time",
            Some("`inputanim repair` sorts them"),
        ),
        Why::Loops => (
            "whose components start over at different times",
            Some("`inputanim resample` writes them out, at common times"),
        ),
        Why::Values => (
            "with values that are not finite",
            Some("`inputanim repair` takes such keys out"),
        ),
        _ => ("for another reason", None),
    };
    let names: Vec<&str> = alike.iter().map(|left| &*left.vector).collect();
    let mut text = format!("{} {whose}: ", count(alike.len(), "vector"));
    text += &names[..alike.len().min(LISTED)].join(", ");
    if alike.len() > LISTED {
        text += &format!(" and {} more", grouped((alike.len() - LISTED) as u64));
    }
    let label = format!("{}  ", paint(WARN, "left as it is"));
    writeln!(output, "{}", wrapped(&label, 15, &text))?;
    if let Some(hint) = hint {
        let label = format!("{:15}{} ", "", paint(DIM, "hint:"));
        writeln!(output, "{}", wrapped(&label, 21, hint))?;
    }
    Ok(())
}

fn write_table(output: &mut impl Write, table: &Table) -> anyhow::Result<()> {
    for line in table.lines() {
        writeln!(output, "  {}", line.trim())?;
    }
    Ok(())
}
