//! The error type of all tables.

use std::fmt;
use std::io;

use inputanim::names::similar;
use inputanim::{CurvePath, InvalidHaptic, InvalidName, Layout, RecordError, UnknownCurve};

use crate::shared::mapping::{Binding, Mapping};
use crate::shared::report::listed;
use crate::shared::suggest;
use crate::shared::{ReadField, Remedy, Suggestion};

/// A place in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line of text, counted from 1. If a row continues over several lines, the first of them.
    Line(u64),
    /// A row of a columnar table, counted from 1.
    Row(u64),
    /// The names and types of the columns of a columnar table.
    Schema,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
            Place::Schema => f.write_str("schema"),
        }
    }
}

/// The kind of the names in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameKind {
    /// A column of rows.
    Column,
    /// A member of JSON objects.
    Member,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameKind::Column => "column",
            NameKind::Member => "member",
        })
    }
}

/// An unknown name, and the known name that was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// The name of the column, or the path of the member.
    pub name: String,
    /// The known name that is most similar; `None` if no known name is similar, or if the message does not list this
    /// name.
    pub similar: Option<String>,
}

impl UnknownName {
    /// Creates all unknown names of a table. Those that a message lists have the most similar of the `known` names, if one is
    /// similar enough. A table may have any number of columns, and each comparison takes a fraction of a millisecond.
    pub(crate) fn all(names: &[&str], known: &[String]) -> Vec<UnknownName> {
        let similar = |index: usize, name: &str| {
            let is_listed = index < LISTED;
            is_listed.then(|| similar(name, known.iter().cloned()))
        };
        let names = names.iter().enumerate();
        names
            .map(|(index, &name)| UnknownName {
                name: name.to_owned(),
                similar: similar(index, name).flatten(),
            })
            .collect()
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&excerpt(&self.name))?;
        match &self.similar {
            Some(similar) => write!(f, " (did you mean {similar:?}?)"),
            None => Ok(()),
        }
    }
}

/// The number of columns that an error lists. A table may have hundreds.
const LISTED: usize = 12;

fn plural(names: &[UnknownName]) -> &'static str {
    if names.len() == 1 { "" } else { "s" }
}

/// A table that cannot be read.
///
/// In a stream of frames, most errors concern one line, and reading can continue after them:
/// [`is_final`](TableError::is_final).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A mapping of a pose, which is for nodes of scenes.
    #[error(
        "the mapping of {0} is a pose: a table needs the columns of its curves, such as {0}.position.x"
    )]
    Pose(String),
    /// The input failed.
    #[error("cannot read the input")]
    Input(#[from] io::Error),
    /// A line is longer than the limit.
    #[error("line {line}: expected at most {limit} bytes (the limit), found more")]
    LineTooLong {
        /// The line, counted from 1, as in all variants.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// The input ends before the line does.
    #[error("line {line}: the input ends in the middle of the line")]
    Truncated {
        /// The line.
        line: u64,
    },
    /// The text is not UTF-8.
    #[error("line {line}: invalid UTF-8")]
    Encoding {
        /// The line.
        line: u64,
    },
    /// The cells of the first line are separated by another character.
    #[error("line 1: expected {expected} between cells, found {found}")]
    Separator {
        /// Commas or tabs.
        expected: &'static str,
        /// The other separator.
        found: &'static str,
    },
    /// A line is not the JSON that is expected.
    #[error("line {line}, column {column}: {}{message}", Prefix(field))]
    Json {
        /// The line.
        line: u64,
        /// The column, counted from 1.
        column: usize,
        /// The path of the member, such as `left.joints.Palm.position`; empty for a syntax error.
        field: String,
        /// The message of the JSON parser.
        message: String,
    },
    /// The table has no known columns.
    #[error(
        "{place}: expected columns of samples (time_s, head.position.x, left.tracked, …) or of keys \
         (curve, time_s, value), found {found}"
    )]
    UnknownColumns {
        /// The place of the names.
        place: Place,
        /// The first names.
        found: String,
        /// Mappings that probably help.
        suggested: Box<Suggestion>,
    },
    /// Columns of angles are mapped, but nothing states their unit.
    #[error(
        "{place}: {source_name}: the unit of the angles is not known; expected {column}-deg or {column}-rad"
    )]
    AngleUnit {
        /// The place of the names.
        place: Place,
        /// The name of the rotation that the mapping assigns.
        column: String,
        /// The name of the columns in the table.
        source_name: String,
        /// All mappings, with degrees.
        suggested: Box<Suggestion>,
    },
    /// A row has more or fewer cells than the first one.
    #[error("line {line}: expected {expected} cells as in the first row, found {found}")]
    CellCount {
        /// The line.
        line: u64,
        /// The number of cells of the first row.
        expected: usize,
        /// The number of cells of this row.
        found: usize,
    },
    /// A value is not of the type that its column needs.
    #[error("{place}: {column}: expected {expected}, found {found}")]
    Value {
        /// The place.
        place: Place,
        /// The name of the column, or the path of the JSON member.
        column: String,
        /// The expected kind of value.
        expected: &'static str,
        /// The start of the value.
        found: String,
    },
    /// A value is missing in a pose, ray or key that has other values.
    #[error("{place}: missing {column}")]
    Missing {
        /// The place.
        place: Place,
        /// The name of the column, or the path of the JSON member.
        column: String,
    },
    /// A list of markers lacks the column of the time or the column of the names.
    #[error("{place}: missing columns {}; found {found}", columns.join(", "))]
    MarkerColumns {
        /// The place of the names.
        place: Place,
        /// The names of the missing columns.
        columns: Vec<String>,
        /// The first names that were found.
        found: String,
        /// `true` if the caller has chosen the missing column of the names.
        is_chosen: bool,
    },
    /// Markers have no number of a trigger, and a list of events needs one.
    #[error("no trigger has the name {}", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", "))]
    NoTriggerNumber {
        /// The names, each once.
        names: Vec<String>,
    },
    /// A rate gives no numbers of samples.
    #[error("invalid rate of samples: {rate} Hz (must be above 0, and give samples up to 9e15)")]
    SampleRate {
        /// The rate in Hz.
        rate: f64,
    },
    /// Columns are missing: the column of the time, mapped columns, or columns of an incomplete pose or ray.
    #[error("{place}: missing {kind}s {}; found {found}", columns.join(", "))]
    MissingColumns {
        /// The place of the names.
        place: Place,
        /// The kind of the names.
        kind: NameKind,
        /// The names of all missing columns.
        columns: Vec<String>,
        /// The first names of the table.
        found: String,
        /// If the column of the time is missing, the name of a column that may contain the time.
        like: Option<String>,
        /// Mappings that probably help.
        suggested: Box<Suggestion>,
        /// If a mapping contains a division, the mapping that was probably meant. Mappings can only multiply.
        division: Option<Box<Mapping>>,
    },
    /// The table has a row for each joint and instant.
    #[error("tables of the shape `tidy` cannot be read; expected `wide` or `keys`")]
    Tidy,
    /// The rows of the table are those of segments, which may overlap and leave out parts of the recording.
    #[error(
        "{place}: the table has the rows of segments (columns segment_index and segment_zero_s), and not those of a recording"
    )]
    Segments {
        /// The place of the names.
        place: Place,
    },
    /// Two columns have the same meaning.
    #[error("{place}: duplicate column {column}")]
    Duplicate {
        /// The place of the names.
        place: Place,
        /// The name of the column.
        column: String,
    },
    /// Columns or JSON members are unknown.
    #[error(
        "{place}: unknown {kind}{} {}; expected {expected}",
        plural(names),
        listed(names, LISTED)
    )]
    Unknown {
        /// The place.
        place: Place,
        /// The kind of the names.
        kind: NameKind,
        /// All unknown columns of a table, or the first unknown member of an object.
        names: Vec<UnknownName>,
        /// The known names.
        expected: &'static str,
        /// Mappings that probably help.
        suggested: Box<Suggestion>,
    },
    /// A JSON object has members with the names of columns that the first object does not have.
    #[error(
        "{place}: the first object does not have {}; expected all members in the first object, with null for unknown \
         values",
        listed(names, LISTED)
    )]
    LateMembers {
        /// The place of the object.
        place: Place,
        /// The names.
        names: Vec<String>,
    },
    /// The table has no known columns except the time.
    #[error("no known columns except the time; ignored: {ignored}")]
    NothingKnown {
        /// The first unknown names.
        ignored: String,
        /// Mappings that probably help.
        suggested: Box<Suggestion>,
    },
    /// Two rows contradict each other.
    #[error("{place}: {what} is {found}, but {first} in an earlier row")]
    Contradiction {
        /// The place of the second row.
        place: Place,
        /// The property, such as a wrap mode of a curve.
        what: String,
        /// The value in this row.
        found: String,
        /// The value in the earlier row.
        first: String,
    },
    /// A text does not name a curve.
    #[error("{place}")]
    Curve {
        /// The place.
        place: Place,
        /// The cause.
        source: UnknownCurve,
    },
    /// A text does not name a device or one of its parts.
    #[error("{place}")]
    Device {
        /// The place.
        place: Place,
        /// The cause.
        source: InvalidName,
    },
    /// The numbers of a haptic pulse are not valid.
    #[error("{place}: not a haptic pulse")]
    Haptic {
        /// The place.
        place: Place,
        /// The cause.
        source: InvalidHaptic,
    },
    /// A text does not name a layout.
    #[error("{place}")]
    Layout {
        /// The place.
        place: Place,
        /// The cause.
        source: inputanim::UnknownName,
    },
    /// A row states an invalid gap.
    #[error("{place}")]
    Gap {
        /// The place.
        place: Place,
        /// The cause.
        source: inputanim::InvalidGap,
    },
    /// There are keys of a stream that the flags or the layout exclude.
    #[error("the table contains the curve {0}, but its flags or layout exclude the stream of it")]
    ExcludedStream(CurvePath),
    /// The table contains flags, but its layout has none.
    #[error("the table has rows of the kind \"flag\", but the layout {0} has no flags")]
    UnexpectedFlags(Layout),
    /// A frame cannot be recorded.
    #[error("{place}")]
    Record {
        /// The place.
        place: Place,
        /// The cause.
        source: RecordError,
    },
    /// The time of a frame does not fit the times of most others.
    #[error("{place}: the time {time} s is out of order")]
    OutOfOrder {
        /// The place.
        place: Place,
        /// The time in seconds.
        time: f32,
    },
    /// Times are too large for 32-bit floats.
    #[error(
        "{place}: the time {time} s does not come after the frame before it; 32-bit floats of this \
         size are {step} s apart"
    )]
    TimesTooLarge {
        /// The place.
        place: Place,
        /// The time in seconds.
        time: f32,
        /// The distance to the next float in seconds.
        step: f32,
    },
    /// The table contains several recordings, and none was chosen.
    #[error("the table contains several recordings, such as {first:?} and {second:?}")]
    SeveralRecordings {
        /// The name of the first.
        first: String,
        /// The name of another.
        second: String,
    },
    /// The table does not contain the recording that was chosen.
    #[error("the table does not contain a recording {name:?}{}", FoundNames(found))]
    UnknownRecording {
        /// The name.
        name: String,
        /// The first ten names in the table.
        found: Vec<String>,
    },
    /// An option has no effect for a table of this kind.
    #[error("{option} has no effect for {table}")]
    NoEffect {
        /// The option.
        option: ReadField,
        /// A description of the table.
        table: &'static str,
    },
    /// A column has values of a type that cannot be used.
    #[error("schema: {column}: expected {expected}, found {found}")]
    Type {
        /// The name of the column.
        column: String,
        /// The expected kind of values.
        expected: &'static str,
        /// The type in the table.
        found: String,
    },
    /// The metadata of the table cannot be read.
    #[error("invalid metadata of the table")]
    Metadata(#[source] serde_json::Error),
    /// The Arrow or Parquet file is damaged, or uses a feature that is not supported.
    #[error("cannot read the {format} file: {message}")]
    Container {
        /// `Arrow` or `Parquet`.
        format: &'static str,
        /// The message of the crate that reads it.
        message: String,
    },
}

impl TableError {
    /// Returns an action that may fix the cause of the error, for a hint to the user; `None` if no action is known.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            TableError::SeveralRecordings { first, second } => {
                Remedy::ChooseRecording(vec![first.clone(), second.clone()])
            }
            TableError::MissingColumns {
                division: Some(mapping),
                ..
            } => Remedy::Map((**mapping).clone()),
            TableError::MissingColumns { suggested, .. }
            | TableError::UnknownColumns { suggested, .. }
            | TableError::AngleUnit { suggested, .. }
            | TableError::Unknown { suggested, .. }
            | TableError::NothingKnown { suggested, .. }
                if !suggested.is_empty() =>
            {
                Remedy::MapAs((**suggested).clone())
            }
            TableError::MissingColumns {
                like: Some(like), ..
            } => Remedy::MapAs(suggest::time_of(like)),
            TableError::MarkerColumns {
                is_chosen: true, ..
            } => Remedy::ChooseColumn,
            TableError::MarkerColumns { .. } => Remedy::NameColumns,
            TableError::NoTriggerNumber { names } => Remedy::NumberTrigger(names.first()?.clone()),
            TableError::MissingColumns { .. }
            | TableError::UnknownColumns { .. }
            | TableError::AngleUnit { .. }
            | TableError::NothingKnown { .. } => Remedy::MapColumns,
            TableError::Separator {
                found: "semicolons",
                ..
            } => Remedy::OtherSeparators,
            TableError::Tidy => Remedy::OtherShape,
            TableError::Segments { .. } => Remedy::WithoutSegments,
            // Frames have nested members. A flat object with the names of columns is a row of a wide table.
            TableError::Unknown { expected, .. } if expected.starts_with("nested") => {
                Remedy::FramesAsColumns
            }
            TableError::Unknown { kind, names, .. } => Remedy::IgnoreUnknown {
                members: *kind == NameKind::Member,
                is_misspelt: names.iter().any(|name| name.similar.is_some()),
            },
            TableError::NoEffect { option, .. } => Remedy::LeaveOut(*option),
            // Microseconds since 1970 are beyond this.
            TableError::TimesTooLarge { time, .. } => Remedy::CountFromZero {
                is_other_unit: *time > 1e11,
            },
            _ => return None,
        })
    }
}

impl crate::shared::error::OfFormat for TableError {
    fn remedy(&self) -> Option<Remedy> {
        self.remedy()
    }
}

/// The columns of a wide table, for messages.
pub(crate) const WIDE_COLUMNS: &str = "time_s, marker, head.position.x, left.tracked, \
    left.pinching, left.Palm.rotation.w, gaze.direction.z and the like";
/// The columns of a table of keys, for messages.
pub(crate) const KEY_COLUMNS: &str = "curve, time_s, value, in_tangent, out_tangent, in_weight, \
    out_weight, weighted_mode, kind, pre_wrap, post_wrap, name, duration_s or frequency_hz";

impl TableError {
    /// Returns the line of text that the error concerns, counted from 1. Returns `None` if it does not concern one
    /// line, and for some errors of complete tables, such as [`Record`](TableError::Record).
    pub fn line(&self) -> Option<u64> {
        use TableError as E;
        match self {
            E::LineTooLong { line, .. }
            | E::Truncated { line }
            | E::Encoding { line }
            | E::Json { line, .. }
            | E::CellCount { line, .. } => Some(*line),
            E::UnknownColumns { place, .. }
            | E::Curve { place, .. }
            | E::Device { place, .. }
            | E::Haptic { place, .. }
            | E::Layout { place, .. }
            | E::Gap { place, .. }
            | E::Contradiction { place, .. }
            | E::Value { place, .. }
            | E::Missing { place, .. }
            | E::MissingColumns { place, .. }
            | E::AngleUnit { place, .. }
            | E::Duplicate { place, .. }
            | E::LateMembers { place, .. }
            | E::Segments { place }
            | E::Unknown { place, .. } => match place {
                Place::Line(line) => Some(*line),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns `true` if nothing after the error can be read.
    pub fn is_final(&self) -> bool {
        matches!(self, TableError::Input(_) | TableError::LineTooLong { .. })
    }

    /// Creates the error that nothing states the unit of the angles that `binding` reads.
    pub(crate) fn unit_of_angles(
        place: Place,
        mappings: &[Mapping],
        binding: &Binding,
    ) -> TableError {
        let is_it = |mapping: &&Mapping| {
            let mut bindings = mapping.bindings(|name| name == binding.source).into_iter();
            bindings.any(|other| other.meaning == binding.meaning)
        };
        let mapping = mappings.iter().find(is_it);
        let column = mapping.map_or(&binding.source, |mapping| &mapping.column);
        let in_degrees = |mapping: &Mapping| Mapping {
            column: if mapping.column == *column {
                format!("{column}-deg")
            } else {
                mapping.column.clone()
            },
            ..mapping.clone()
        };
        let suggested = Suggestion {
            mappings: mappings.iter().map(in_degrees).collect(),
            remarks: vec!["degrees are assumed".to_owned()],
        };
        TableError::AngleUnit {
            place,
            column: column.clone(),
            source_name: excerpt(mapping.map_or(&binding.source, |mapping| &mapping.source)),
            suggested: suggested.into(),
        }
    }

    pub(crate) fn missing(place: Place, column: impl fmt::Display) -> TableError {
        let column = column.to_string();
        TableError::Missing { place, column }
    }

    pub(crate) fn value(
        place: Place,
        column: impl fmt::Display,
        expected: &'static str,
        found: impl fmt::Display,
    ) -> TableError {
        TableError::Value {
            place,
            column: column.to_string(),
            expected,
            found: excerpt(&found.to_string()),
        }
    }
}

/// A path and a colon, or nothing for an empty path.
struct Prefix<'p>(&'p str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "{}: ", self.0)
    }
}

struct FoundNames<'n>(&'n [String]);

impl fmt::Display for FoundNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else {
            return Ok(());
        };
        write!(f, "; found {first:?}")?;
        others.iter().try_for_each(|name| write!(f, ", {name:?}"))
    }
}

/// Returns at most twelve of the names in quotation marks, separated by commas, and the number of further names.
pub(crate) fn first_names(names: &[String]) -> String {
    listed(names.iter().map(|name| excerpt(name)), LISTED)
}

/// Returns the first 40 characters of a text in quotation marks, with control characters escaped. An ellipsis follows
/// if the text is longer.
pub(crate) fn excerpt(text: &str) -> String {
    // A cell may be as long as the file.
    const MAX_CHARS: usize = 40;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
