//! The names of columns, and rows under them.

use std::io::BufRead;

use inputanim::CurvePath;

use crate::frames::Error;
use crate::frames::columns::{MARKER, TIME_S};
use crate::frames::error::shown;
use crate::frames::line::{Place, Unknown};

use super::rows::Rows;

const EXPECTED: &str = "time_s, marker, camera.position.x, left.tracked, left.pinching, \
    left.Palm.rotation.w, gaze.direction.z and the like";

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Heads {
    names: Vec<String>,
    line: u64,
    pub(super) time: usize,
    pub(super) marker: Option<usize>,
    /// Which column holds the values of which curve.
    curves: Vec<(CurvePath, usize)>,
}

impl Heads {
    pub(super) fn new<R: BufRead>(rows: &Rows<R>, unknown: &mut Unknown) -> Result<Heads, Error> {
        let line = rows.line();
        let name = |column| rows.cell(column).map(|name| name.trim().to_owned());
        let names: Vec<String> = (0..rows.len()).map(name).collect::<Result<_, _>>()?;
        let is_known = |name: &String| name == TIME_S || name.parse::<CurvePath>().is_ok();
        if !names.iter().any(is_known) {
            let found = shown(&names.join(","));
            return Err(Error::Head { line, found });
        }
        let (mut time, mut marker, mut curves) = (None, None, Vec::new());
        for (column, field) in names.iter().enumerate() {
            let place = Place { line, field };
            let before = match (field.as_str(), field.parse::<CurvePath>()) {
                (TIME_S, _) => time.replace(column),
                (MARKER, _) => marker.replace(column),
                (_, Ok(path)) => {
                    let before = column_of(&curves, path);
                    curves.push((path, column));
                    before
                }
                (_, Err(_)) => {
                    unknown.meet(place, EXPECTED)?;
                    None
                }
            };
            if before.is_some() {
                return Err(place.twice());
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

    /// Which curves there are columns of.
    pub(super) fn curves(&self) -> impl Iterator<Item = CurvePath> {
        self.curves.iter().map(|(path, _)| *path)
    }

    /// The column of a curve.
    pub(super) fn column(&self, path: CurvePath) -> Result<usize, Error> {
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

fn column_of(curves: &[(CurvePath, usize)], path: CurvePath) -> Option<usize> {
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
    pub(super) fn number(&self, column: usize) -> Result<Option<f32>, Error> {
        match self.cell(column)?.trim() {
            "" => Ok(None),
            text => self.at(column).number(text),
        }
    }

    pub(super) fn numbers<const N: usize>(
        &self,
        columns: [usize; N],
    ) -> Result<[Option<f32>; N], Error> {
        let mut numbers = [None; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = self.number(column)?;
        }
        Ok(numbers)
    }

    /// Whether it is on, if the cell is not empty.
    pub(super) fn state(&self, column: usize) -> Result<Option<bool>, Error> {
        match self.cell(column)?.trim() {
            "" => Ok(None),
            text => self.at(column).state(text).map(Some),
        }
    }

    /// Whether all cells but those of time and marker are empty.
    pub(super) fn has_nothing_else(&self) -> bool {
        let Heads { time, marker, .. } = self.heads;
        let others =
            (0..self.rows.len()).filter(|column| column != time && Some(*column) != *marker);
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
