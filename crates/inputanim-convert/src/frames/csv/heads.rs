//! The names of columns, and rows under them.

use std::io::BufRead;

use inputanim::CurvePath;

use crate::frames::Error;
use crate::frames::columns::{MARKER, TIME_S};
use crate::frames::error::shown;
use crate::frames::line::{Place, Unknown, time_of};

use super::rows::Rows;
use crate::frames::Mapping;

const EXPECTED: &str = "time_s, marker, camera.position.x, left.tracked, left.pinching, \
    left.Palm.rotation.w, gaze.direction.z and the like";

/// Where in a row something stands, and what its numbers are multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) index: usize,
    pub(super) factor: f64,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Heads {
    names: Vec<String>,
    line: u64,
    pub(super) time: Column,
    pub(super) marker: Option<usize>,
    /// Which column holds the values of which curve.
    curves: Vec<(CurvePath, Column)>,
}

impl Heads {
    pub(super) fn new<R: BufRead>(
        rows: &Rows<R>,
        mappings: &[Mapping],
        unknown: &mut Unknown,
    ) -> Result<Heads, Error> {
        let line = rows.line();
        let name = |column| rows.cell(column).map(|name| name.trim().to_owned());
        let names: Vec<String> = (0..rows.len()).map(name).collect::<Result<_, _>>()?;
        let is_known = |name: &String| name == TIME_S || name.parse::<CurvePath>().is_ok();
        if mappings.is_empty() && !names.iter().any(is_known) {
            let found = shown(&names.join(","));
            return Err(Error::Head { line, found });
        }
        for Mapping { source: field, .. } in mappings {
            if !names.contains(field) {
                return Err(Place { line, field }.missing());
            }
        }
        let has_time = names.iter().any(|name| {
            let targets = Mapping::targets(mappings, name);
            targets.iter().any(|(target, _)| *target == TIME_S)
        });
        if !has_time && let Some(like) = time_of(names.iter().map(String::as_str)) {
            let like = like.to_owned();
            return Err(Error::NoTime { line, like });
        }
        let (mut time, mut marker, mut curves) = (None, None, Vec::new());
        for (index, name) in names.iter().enumerate() {
            for (field, factor) in Mapping::targets(mappings, name) {
                let place = Place { line, field };
                let column = Column { index, factor };
                let is_twice = match (field, field.parse::<CurvePath>()) {
                    (TIME_S, _) => time.replace(column).is_some(),
                    (MARKER, _) => marker.replace(index).is_some(),
                    (_, Ok(path)) => {
                        let before = column_of(&curves, path);
                        curves.push((path, column));
                        before.is_some()
                    }
                    (_, Err(_)) => {
                        unknown.meet(place, EXPECTED)?;
                        false
                    }
                };
                if is_twice {
                    return Err(place.twice());
                }
            }
        }
        let field = TIME_S;
        Ok(Heads {
            time: time.ok_or_else(|| Place { line, field }.missing())?,
            names,
            line,
            marker,
            curves,
        })
    }

    /// Whether there are columns of markers or curves.
    pub(super) fn has_more_than_time(&self) -> bool {
        self.marker.is_some() || !self.curves.is_empty()
    }

    /// Which curves there are columns of.
    pub(super) fn curves(&self) -> impl Iterator<Item = CurvePath> {
        self.curves.iter().map(|(path, _)| *path)
    }

    /// Whether there is a column of a curve.
    pub(super) fn has(&self, path: CurvePath) -> bool {
        column_of(&self.curves, path).is_some()
    }

    /// The column of a curve.
    pub(super) fn column(&self, path: CurvePath) -> Result<Column, Error> {
        column_of(&self.curves, path).ok_or_else(|| {
            let (line, field) = (self.line, &path.to_string());
            Place { line, field }.missing()
        })
    }

    /// A row with as many cells as there are columns.
    pub(super) fn row<'r, R: BufRead>(&'r self, rows: &'r Rows<R>) -> Result<Row<'r, R>, Error> {
        let (line, expected, found) = (rows.line(), self.names.len(), rows.len());
        if found < expected && rows.is_torn() {
            return Err(Error::Torn { line });
        }
        match found == expected {
            true => Ok(Row { heads: self, rows }),
            false => Err(Error::Cells {
                line,
                expected,
                found,
            }),
        }
    }
}

fn column_of(curves: &[(CurvePath, Column)], path: CurvePath) -> Option<Column> {
    let found = curves.iter().find(|(other, _)| *other == path);
    found.map(|(_, column)| *column)
}

/// A row whose columns have names.
pub(super) struct Row<'r, R> {
    heads: &'r Heads,
    rows: &'r Rows<R>,
}

impl<R: BufRead> Row<'_, R> {
    pub(super) fn cell(&self, column: usize) -> Result<&str, Error> {
        self.rows.cell(column)
    }

    /// A number, if the cell is not empty.
    pub(super) fn number(&self, column: Column) -> Result<Option<f32>, Error> {
        match self.cell(column.index)?.trim() {
            "" => Ok(None),
            text => self.at(column.index).scaled(text, column.factor),
        }
    }

    pub(super) fn numbers<const N: usize>(
        &self,
        columns: [Column; N],
    ) -> Result<[Option<f32>; N], Error> {
        let mut numbers = [None; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = self.number(column)?;
        }
        Ok(numbers)
    }

    /// Whether it is on, if the cell is not empty.
    pub(super) fn state(&self, column: Column) -> Result<Option<bool>, Error> {
        match self.cell(column.index)?.trim() {
            "" => Ok(None),
            text => self.at(column.index).state(text).map(Some),
        }
    }

    /// Whether all cells but those of time and marker are empty.
    pub(super) fn has_nothing_else(&self) -> bool {
        let Heads { time, marker, .. } = self.heads;
        let others =
            (0..self.rows.len()).filter(|column| *column != time.index && Some(*column) != *marker);
        // What cannot be read is something.
        let mut cells = others.map(|column| self.cell(column).unwrap_or("?"));
        cells.all(|cell| cell.trim().is_empty())
    }

    pub(super) fn at(&self, column: usize) -> Place<'_> {
        Place {
            line: self.rows.line(),
            field: &self.heads.names[column],
        }
    }
}
