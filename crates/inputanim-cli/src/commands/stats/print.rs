//! Measures for people.

use std::io::Write;

use crate::messages::text::{printable, quoted, seconds, significant};
use crate::results::table::{self, plain_table, right};
use crate::results::text_rows::{TextRow, TextRows};

/// One line for each recording and segment, with the measures that most studies report first.
pub(super) struct Overview {
    names_recordings: bool,
    names_segments: bool,
    rows: Vec<Row>,
}

struct Row {
    names: Vec<String>,
    cells: [String; HEADS.len()],
    is_damaged: bool,
}

/// The heads of columns. Columns of hands have the left hand before the right one.
const HEADS: [&str; 9] = [
    "seconds",
    "damaged",
    "hands Hz",
    "tracked",
    "head m",
    "palms m",
    "movements",
    "pinches",
    "fixations",
];
/// The column of the damage, which few recordings have.
const DAMAGED: usize = 1;

impl Overview {
    pub(super) fn new(names_recordings: bool, names_segments: bool) -> Overview {
        Overview {
            names_recordings,
            names_segments,
            rows: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, rows: &TextRows<'_>) {
        rows.iter().for_each(|row| self.push_row(row));
    }

    fn push_row(&mut self, row: TextRow<'_>) {
        let value = |name: &str| row.number(name);
        let text = |value: Option<f64>, decimals: usize| {
            value.map_or("–".to_owned(), |value| format!("{value:.decimals$}"))
        };
        let both = |names: [&str; 2], scale: f64, decimals: usize| {
            let [left, right] = names.map(|name| text(value(name).map(|v| scale * v), decimals));
            format!("{left}/{right}")
        };
        let damaged = value("damaged");
        let mut names = Vec::new();
        if self.names_recordings {
            names.push(printable(row.text("recording")).into_owned());
        }
        if self.names_segments {
            names.push(quoted(row.text("segment"), 24));
        }
        self.rows.push(Row {
            names,
            is_damaged: damaged.is_some_and(|seconds| seconds > 0.0),
            cells: [
                text(value("duration"), 3),
                text(damaged, 3),
                both(["left.sampling_rate", "right.sampling_rate"], 1.0, 0),
                both(["left.tracked_share", "right.tracked_share"], 100.0, 0) + " %",
                text(value("head.path_length"), 2),
                both(["left.Palm.path_length", "right.Palm.path_length"], 1.0, 1),
                both(["left.movements", "right.movements"], 1.0, 0),
                both(["left.pinch.count", "right.pinch.count"], 1.0, 0),
                text(value("gaze.idt.count"), 0),
            ],
        });
    }

    pub(super) fn print(self, output: &mut (impl Write + ?Sized)) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let has_damage = self.rows.iter().any(|row| row.is_damaged);
        let is_shown = |index: &usize| *index != DAMAGED || has_damage;
        let mut table = plain_table();
        let mut head = Vec::new();
        if self.names_recordings {
            head.push(comfy_table::Cell::new("recording"));
        }
        if self.names_segments {
            head.push(comfy_table::Cell::new("segment"));
        }
        let names = head.len();
        head.extend(
            (0..HEADS.len())
                .filter(is_shown)
                .map(|index| right(HEADS[index])),
        );
        table.set_header(head);
        for row in &self.rows {
            let cells = row.names.iter().map(comfy_table::Cell::new);
            let numbers = (0..HEADS.len())
                .filter(is_shown)
                .map(|index| right(&row.cells[index]));
            table.add_row(cells.chain(numbers));
        }
        // On a narrow terminal, the path of the head is hidden first, then the recorded rate, and the number of
        // fixations last.
        let damage = usize::from(has_damage);
        let dispensable = [3, 1, 5, 4, 2, 7].map(|column| names + column + damage);
        for line in table::lines(table, "", &dispensable) {
            writeln!(output, "{line}")?;
        }
        Ok(())
    }
}

/// One line for each measure, below a line for each recording and segment.
pub(super) struct Details<'o, W: Write + ?Sized> {
    output: &'o mut W,
    names_recordings: bool,
    names_segments: bool,
    is_first: bool,
}

impl<'o, W: Write + ?Sized> Details<'o, W> {
    pub(super) fn new(
        output: &'o mut W,
        names_recordings: bool,
        names_segments: bool,
    ) -> Details<'o, W> {
        Details {
            output,
            names_recordings,
            names_segments,
            is_first: true,
        }
    }

    pub(super) fn push(&mut self, rows: &TextRows<'_>) -> anyhow::Result<()> {
        let rows: Vec<TextRow<'_>> = rows.iter().collect();
        let Some(first) = rows.first().map(|row| row.text("measure")) else {
            return Ok(());
        };
        let widths = rows.iter().map(|row| row.text("measure").chars().count());
        let width = widths.max().unwrap_or_default();
        for row in rows {
            // All segments have the same measures.
            if row.text("measure") == first {
                self.print_head(row)?;
            }
            let name = printable(row.text("measure"));
            let value = described(row);
            writeln!(self.output, "  {name:<width$}  {value}")?;
        }
        Ok(())
    }

    /// Prints the line above the measures of a recording or segment: its names and its time range.
    fn print_head(&mut self, row: TextRow<'_>) -> anyhow::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            writeln!(self.output)?;
        }
        let mut head = Vec::new();
        if self.names_recordings {
            head.push(printable(row.text("recording")).into_owned());
        }
        if self.names_segments {
            head.push(quoted(row.text("segment"), 40));
        }
        let time = |column: &str| seconds(row.number(column).unwrap_or_default() as f32);
        head.push(format!("{} s to {} s", time("start_s"), time("end_s")));
        Ok(writeln!(self.output, "{}", head.join("  "))?)
    }
}

/// Formats the value of a measure with its unit, or the reason why the value is missing.
fn described(row: TextRow<'_>) -> String {
    match row.number("value") {
        Some(value) => format!("{:>9} {}", significant(value), row.text("unit"))
            .trim_end()
            .to_owned(),
        None => format!("{:>9} {}", "–", row.text("reason")),
    }
}
