//! Trial tables and targets as CSV.
//!
//! Cells are separated by commas, semicolons or tabs. Names of columns ignore case and surrounding spaces.
//! An empty cell counts as missing. Times are seconds and lengths are metres, with a point as the decimal
//! separator.

use inputanim::TimeRange;

use crate::segment::Segment;
use crate::target::{Shape, Target};

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvTableError {
    /// The text is not CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// Required columns are missing.
    #[error("missing columns: {}; found: {}", missing.join(", "), found.join(", "))]
    MissingColumns {
        /// Names of the missing columns.
        missing: Vec<&'static str>,
        /// Names of the columns of the table.
        found: Vec<String>,
    },
    /// Cells are missing or have unexpected values.
    #[error("{}", lines(.0))]
    Cells(Vec<CellError>),
}

/// A cell that is missing or has an unexpected value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column \"{column}\": expected {expected}, found \"{found}\"")]
#[non_exhaustive]
pub struct CellError {
    /// Line of the text, from 1.
    pub line: u64,
    /// Name of the column, or names of several: `size_x, size_y, size_z`.
    pub column: &'static str,
    /// The expected text.
    pub expected: &'static str,
    /// The text that was found; empty if the cell or the column is missing.
    pub found: String,
}

fn lines(errors: &[CellError]) -> String {
    let lines = errors.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

/// A row of a trial table: a segment of a recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// Name of the recording, as the table gives it.
    pub recording: String,
    /// Segment. Its name is the cell of the column `trial` or `name`, or else the number of the row.
    pub segment: Segment,
    /// Line of the table, from 1.
    pub line: u64,
}

/// Reads a trial table with the columns `recording`, `start`, `end` (or `start_s`, `end_s`), and any others,
/// whose cells become the [columns](Segment::columns) of the segments.
///
/// ```
/// use inputanim_analysis::trials_from_csv;
/// let table = "recording,start,end,condition\np01/take.bin,0.5,2.25,near\n";
/// let trials = trials_from_csv(table.as_bytes())?;
/// assert_eq!(trials[0].recording, "p01/take.bin");
/// assert_eq!(trials[0].segment.range.end, 2.25);
/// assert_eq!(trials[0].segment.columns, [("condition".to_owned(), "near".to_owned())]);
/// # Ok::<(), inputanim_analysis::CsvTableError>(())
/// ```
///
/// # Errors
/// Returns an error if the text is not CSV or lacks a column. Returns all errors of cells: a missing name, a
/// time that is not a finite number, and a trial that ends before it starts.
pub fn trials_from_csv(csv: &[u8]) -> Result<Vec<Trial>, CsvTableError> {
    let mut trials = Vec::new();
    let mut number = 0;
    rows(
        csv,
        &[&["recording"], &["start", "start_s"], &["end", "end_s"]],
        |row| {
            number += 1;
            let recording = row.required("recording", "the name of a recording")?;
            let [start, end] =
                [["start", "start_s"], ["end", "end_s"]].map(|names| row.first(names));
            let range = TimeRange {
                start: row.number(start)? as f32,
                end: row.number(end)? as f32,
            };
            if range.end < range.start {
                return Err(row.error(end, "a time at or after the start"));
            }
            let name = row.first(["trial", "name"]);
            let known = ["recording", start, end, name];
            let name = row
                .cell(name)
                .map_or_else(|| number.to_string(), str::to_owned);
            let others = row.header.iter().zip(row.record);
            let others = others.filter(|(column, _)| {
                !known.iter().any(|known| known.eq_ignore_ascii_case(column))
            });
            let columns = others.map(|(column, cell)| (column.to_owned(), cell.to_owned()));
            let mut segment = Segment::new(name, range);
            segment.columns = columns.collect();
            trials.push(Trial {
                recording: recording.to_owned(),
                segment,
                line: row.line(),
            });
            Ok(())
        },
    )?;
    Ok(trials)
}

/// Targets that cannot be read.
#[cfg(feature = "parameters")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetsError {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] CsvTableError),
    /// The text is not JSON, or not a list of targets.
    #[error("invalid list of targets: {0}")]
    Json(String),
    /// There is no target.
    #[error("no targets found; expected at least one row or object")]
    Empty,
}

/// Reads targets. If the text is JSON, it is a list of objects; otherwise, it is a table as for [`targets_from_csv`].
///
/// # Errors
/// Returns an error if there is no target, and in the cases of [`targets_from_csv`]. For JSON, returns an error if a
/// target has unknown members or [`check_targets`](crate::check_targets) refuses it.
///
/// ```
/// use inputanim_analysis::targets_from_text;
/// let json = br#"[{"name": "button", "shape": "sphere", "centre": [0, 1.4, 0.5], "radius": 0.05}]"#;
/// let csv = b"name,shape,x,y,z,radius\nbutton,sphere,0,1.4,0.5,0.05\n";
/// assert_eq!(targets_from_text(json)?, targets_from_text(csv)?);
/// # Ok::<(), inputanim_analysis::TargetsError>(())
/// ```
#[cfg(feature = "parameters")]
pub fn targets_from_text(text: &[u8]) -> Result<Vec<Target>, TargetsError> {
    let start = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let targets = if matches!(start, Some(b'[' | b'{')) {
        let targets: Vec<Target> =
            serde_json::from_slice(text).map_err(|error| TargetsError::Json(error.to_string()))?;
        let checked = crate::target::check_targets(&targets);
        checked.map_err(|error| TargetsError::Json(error.to_string()))?;
        targets
    } else {
        targets_from_csv(text)?
    };
    if targets.is_empty() {
        return Err(TargetsError::Empty);
    }
    Ok(targets)
}

/// Reads targets with the columns `name`, `shape` (`sphere`, `box` or `plane`), `x`, `y`, `z`, and the columns of the
/// shape: `radius` of a sphere; `size_x`, `size_y`, `size_z` of a box, with its rotation as the quaternion
/// `rotation_x`, `rotation_y`, `rotation_z`, `rotation_w` (default: none); `normal_x`, `normal_y`, `normal_z` of a
/// plane. With `start` and `end`, a target exists from one time to the other only; several rows with one name, one
/// shape and different times add time ranges.
///
/// # Errors
/// Returns an error if the text is not CSV or lacks a column, or all errors of cells that are missing or have an
/// unexpected value. These are values that [`check_targets`](crate::check_targets) refuses, incomplete rotations, and
/// rows with the name of an earlier row but with another shape or without times.
pub fn targets_from_csv(csv: &[u8]) -> Result<Vec<Target>, CsvTableError> {
    let mut targets: Vec<Target> = Vec::new();
    rows(
        csv,
        &[&["name"], &["shape"], &["x"], &["y"], &["z"]],
        |row| {
            let name = row.required("name", "the name of a target")?;
            let place = [row.number("x")?, row.number("y")?, row.number("z")?];
            let shape = match row.required("shape", SHAPES)?.to_ascii_lowercase().as_str() {
                "sphere" => Shape::Sphere {
                    centre: place,
                    radius: row.number("radius")?,
                },
                "box" => Shape::Box {
                    centre: place,
                    size: [
                        row.number("size_x")?,
                        row.number("size_y")?,
                        row.number("size_z")?,
                    ],
                    rotation: rotation(row)?,
                },
                "plane" => Shape::Plane {
                    point: place,
                    normal: [
                        row.number("normal_x")?,
                        row.number("normal_y")?,
                        row.number("normal_z")?,
                    ],
                },
                _ => return Err(row.error("shape", SHAPES)),
            };
            let time = |column, default: f32| match row.cell(column) {
                None => Ok(default),
                Some(_) => {
                    let time = Some(row.number(column)? as f32);
                    // The number may exceed the range of single precision.
                    let finite = time.filter(|time| time.is_finite());
                    finite.ok_or_else(|| {
                        row.error(column, "a time within the range of 32-bit floats")
                    })
                }
            };
            let times = TimeRange {
                start: time("start", f32::MIN)?,
                end: time("end", f32::MAX)?,
            };
            let is_limited = row.cell("start").is_some() || row.cell("end").is_some();
            let times = is_limited.then_some(times);
            let mut target = Target::new(name, shape);
            target.times.extend(times);
            target.check().map_err(|invalid| CellError {
                line: row.line(),
                column: invalid.columns,
                expected: invalid.expected,
                found: invalid.found,
            })?;
            match targets.iter_mut().find(|other| other.name == name) {
                None => targets.push(target),
                Some(other) if other.shape != target.shape => {
                    let expected = "a name that no earlier row with another shape or place has";
                    return Err(row.error("name", expected));
                }
                // A row without times would be the same target at all times.
                Some(other) if other.times.is_empty() || target.times.is_empty() => {
                    return Err(row.error("name", ONE_NAME));
                }
                Some(other) => other.times.extend(target.times),
            }
            Ok(())
        },
    )?;
    Ok(targets)
}

const SHAPES: &str = "`sphere`, `box` or `plane`";
const ONE_NAME: &str =
    "a name that no earlier row has, or `start` or `end` in each row with this name";
const ROTATION: [&str; 4] = ["rotation_x", "rotation_y", "rotation_z", "rotation_w"];

/// Returns the rotation of a box as a quaternion x, y, z, w. Without cells for it, the box is not rotated. Fails if
/// only some of the four cells are given, or if one is not a number.
fn rotation(row: &Row<'_>) -> Result<[f64; 4], CellError> {
    let given = ROTATION.map(|column| row.cell(column).is_some());
    if !given.contains(&true) {
        return Ok([0.0, 0.0, 0.0, 1.0]);
    }
    if let Some(missing) = given.iter().position(|is_given| !is_given) {
        return Err(row.error(ROTATION[missing], "all four numbers of a rotation, or none"));
    }
    let [x, y, z, w] = ROTATION.map(|column| row.number(column));
    Ok([x?, y?, z?, w?])
}

/// A row of a table with the names of its columns.
struct Row<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
}

impl<'a> Row<'a> {
    /// Returns the cell of a column in this row; `None` if it is empty or the table has no such column.
    fn cell(&self, column: &str) -> Option<&'a str> {
        let mut names = self.header.iter();
        let index = names.position(|name| name.eq_ignore_ascii_case(column))?;
        self.record.get(index).filter(|cell| !cell.is_empty())
    }

    fn required(&self, column: &'static str, expected: &'static str) -> Result<&'a str, CellError> {
        self.cell(column)
            .ok_or_else(|| self.error(column, expected))
    }

    fn number(&self, column: &'static str) -> Result<f64, CellError> {
        let number = self.cell(column).and_then(|cell| cell.parse::<f64>().ok());
        let finite = number.filter(|number| number.is_finite());
        finite.ok_or_else(|| self.error(column, "a number"))
    }

    /// Returns the first of two names that is a column of the table, or the first name if neither is a column.
    fn first(&self, names: [&'static str; 2]) -> &'static str {
        let has = |name: &&str| has_column(self.header, name);
        names.into_iter().find(has).unwrap_or(names[0])
    }

    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn error(&self, column: &'static str, expected: &'static str) -> CellError {
        CellError {
            line: self.line(),
            column,
            expected,
            found: self.cell(column).unwrap_or_default().to_owned(),
        }
    }
}

fn has_column(header: &csv::StringRecord, name: &str) -> bool {
    header
        .iter()
        .any(|column| column.eq_ignore_ascii_case(name))
}

/// Calls `read` with every row of a table. The table must have a column for each item of `required`, with one of the
/// names of the item.
///
/// # Errors
/// Returns an error if the text is not CSV or lacks a column, and else all errors of `read`.
fn rows(
    csv: &[u8],
    required: &[&[&'static str]],
    mut read: impl FnMut(&Row<'_>) -> Result<(), CellError>,
) -> Result<(), CsvTableError> {
    // Spreadsheets write a byte order mark, which would become part of the first name.
    let csv = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let mut builder = csv::ReaderBuilder::new();
    builder.trim(csv::Trim::All).delimiter(separator(csv));
    let mut reader = builder.from_reader(csv);
    let header = reader.headers()?.clone();
    let is_missing = |names: &&&[&str]| !names.iter().any(|name| has_column(&header, name));
    let missing: Vec<&str> = required
        .iter()
        .filter(is_missing)
        .map(|names| names[0])
        .collect();
    if !missing.is_empty() {
        let found = header.iter().map(str::to_owned).collect();
        return Err(CsvTableError::MissingColumns { missing, found });
    }
    let mut errors = Vec::new();
    for record in reader.records() {
        let row = Row {
            header: &header,
            record: &record?,
        };
        errors.extend(read(&row).err());
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(CsvTableError::Cells(errors))
    }
}

/// Returns the character that separates the cells: the most frequent of comma, semicolon and tab in the first line.
fn separator(csv: &[u8]) -> u8 {
    let line = csv.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| line.iter().filter(|byte| **byte == separator).count();
    let [semicolons, tabs] = [b';', b'\t'].map(count);
    // Spreadsheets write semicolons where the comma is the decimal separator.
    match count(b',') {
        commas if commas >= semicolons.max(tabs) => b',',
        _ if semicolons >= tabs => b';',
        _ => b'\t',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_keep_their_other_columns() {
        let table = "\u{feff}Recording, Start ,END,trial,block\na.bin,1,2.5,t7,b1\nb.bin,0,1,,\n";
        let trials = trials_from_csv(table.as_bytes()).unwrap();
        assert_eq!(trials[0].segment.name, "t7");
        assert_eq!(
            trials[0].segment.columns,
            [("block".to_owned(), "b1".to_owned())]
        );
        assert_eq!(
            (
                trials[1].segment.name.as_str(),
                trials[1].recording.as_str()
            ),
            ("2", "b.bin")
        );
    }

    #[test]
    fn a_table_of_events_is_a_trial_table() {
        let table = "recording;kind;start_s;end_s;name\na;marker;1;2;go\n";
        let trials = trials_from_csv(table.as_bytes()).unwrap();
        assert_eq!((trials[0].segment.name.as_str(), trials[0].line), ("go", 2));
        let kind = ("kind".to_owned(), "marker".to_owned());
        assert_eq!(trials[0].segment.columns, [kind]);
        assert_eq!(
            trials_from_csv(table.replace(';', "\t").as_bytes()).unwrap(),
            trials
        );
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = |table: &str| trials_from_csv(table.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("recording,start,end\na.bin,0,1\nb.bin,soon,2\n"),
            "line 3, column \"start\": expected a number, found \"soon\""
        );
        assert_eq!(
            error("recording,start,end\na.bin,3,1\n"),
            "line 2, column \"end\": expected a time at or after the start, found \"1\""
        );
        assert_eq!(
            error("end,condition\n1,near\n"),
            "missing columns: recording, start; found: end, condition"
        );
        assert_eq!(
            error("recording,start,end\n,0,1\na.bin,0,1\nb.bin,0,\n"),
            "line 2, column \"recording\": expected the name of a recording, found \"\"\n\
             line 4, column \"end\": expected a number, found \"\""
        );
        let error = targets_from_csv(b"name,shape,x,y,z\na,cone,0,0,0\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2, column \"shape\": expected `sphere`, `box` or `plane`, found \"cone\""
        );
    }

    #[test]
    fn errors_of_targets_name_line_and_column() {
        let header = "name,shape,x,y,z,radius,size_x,size_y,size_z,\
            rotation_x,rotation_y,rotation_z,rotation_w,normal_x,normal_y,normal_z,start,end\n";
        for (rows, expected) in [
            (
                "a,sphere,0,0,0,1,,,,,,,,,,,,\nb,sphere,0,0,0,-1,,,,,,,,,,,,\n",
                "line 3, column \"radius\": expected a number of at least 0, found \"-1\"",
            ),
            (
                "a,box,0,0,0,,1,-1,1,,,,,,,,,\n",
                "line 2, column \"size_x, size_y, size_z\": expected numbers of at least 0, found \"1, -1, 1\"",
            ),
            (
                "a,box,0,0,0,,1,1,1,0,0,0,0,,,,,\n",
                "line 2, column \"rotation_x, rotation_y, rotation_z, rotation_w\": expected a quaternion with a length \
                 above 0, found \"0, 0, 0, 0\"",
            ),
            (
                "a,box,0,0,0,,1,1,1,0.5,,,,,,,,\n",
                "line 2, column \"rotation_y\": expected all four numbers of a rotation, or none, found \"\"",
            ),
            (
                "a,box,0,0,0,,1,1,1,0.5,0,0,,,,,,\n",
                "line 2, column \"rotation_w\": expected all four numbers of a rotation, or none, found \"\"",
            ),
            (
                "a,plane,0,0,0,,,,,,,,,0,0,0,,\n",
                "line 2, column \"normal_x, normal_y, normal_z\": expected a direction with a length above 0, found \
                 \"0, 0, 0\"",
            ),
            (
                "a,sphere,0,0,0,1,,,,,,,,,,,2,1\n",
                "line 2, column \"start, end\": expected an end at or after the start, found \"2, 1\"",
            ),
            (
                "a,sphere,0,0,0,1,,,,,,,,,,,1e300,\n",
                "line 2, column \"start\": expected a time within the range of 32-bit floats, found \"1e300\"",
            ),
            (
                "a,sphere,0,0,0,1,,,,,,,,,,,0,1\na,sphere,9,0,0,1,,,,,,,,,,,1,2\n",
                "line 3, column \"name\": expected a name that no earlier row with another shape or place has, found \"a\"",
            ),
            (
                "a,sphere,0,0,0,1,,,,,,,,,,,,\na,sphere,0,0,0,1,,,,,,,,,,,1,2\n",
                "line 3, column \"name\": expected a name that no earlier row has, or `start` or `end` in each row with \
                 this name, found \"a\"",
            ),
        ] {
            let error = targets_from_csv(format!("{header}{rows}").as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn targets_of_all_shapes_are_read() {
        let table = "name,shape,x,y,z,radius,size_x,size_y,size_z,normal_x,normal_y,normal_z,start,end\n\
            ball,sphere,0,1,2,0.5,,,,,,,1,2\n\
            ball,sphere,0,1,2,0.5,,,,,,,3,\n\
            crate,box,0,1,2,,1,1,2,,,,,\n\
            floor,plane,0,0,0,,,,,0,1,0,,\n";
        let targets = targets_from_csv(table.as_bytes()).unwrap();
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["ball", "crate", "floor"]);
        let exists = [0.5, 1.5, 2.5, 9.0].map(|time| targets[0].exists_at(time));
        assert_eq!(exists, [false, true, false, true]);
        assert_eq!(
            targets[1].shape.hit([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
            Some(1.0)
        );
        assert_eq!(targets[2].shape.distance([3.0, 0.25, 1.0]), 0.25);
    }
}
