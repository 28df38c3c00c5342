//! Frames as text: one instant per line of newline-delimited JSON or row of CSV (docs/frames.md).
//!
//! ```json
//! {"time":1.5,"head":{"position":[0.0,1.6,0.0],"rotation":[0.0,0.0,0.0,1.0]}}
//! {"time":1.51,"marker":"grab"}
//! ```
//!
//! [`FrameRow`] writes each number with the fewest digits that read back as the same 32-bit float, so
//! finite numbers come back bit for bit. [`Reader`] accepts columns and members in any order. Values that
//! are missing or empty are unknown: [`Frame`] contains `None`. A pose has all of its numbers or none. If a
//! line does not state whether a hand is tracked, it is tracked where any of its joints is known.
//!
//! Lines are read as they arrive, with bounded memory: the text may come from a pipe that never ends.
//!
//! ```
//! use inputanim::{Layout, Recorder};
//! use inputanim_convert::frames::{Event, FrameOptions, Reader};
//! let text = "time_s,left.pinching\n0,0\n0.5,1\n";
//! let mut recorder = Recorder::new(Layout::Mrtk1_1);
//! for event in Reader::new(text.as_bytes(), None, &FrameOptions::default())? {
//!     match event? {
//!         Event::Frame(frame) => {
//!             recorder.push(&frame)?;
//!         }
//!         Event::Marker(marker) => recorder.mark(marker.time, marker.name)?,
//!     }
//! }
//! assert_eq!(recorder.finish().duration(), 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod clock;
mod columns;
mod flat;
mod held_pinches;
pub(crate) mod json;
pub(crate) mod values;
pub(crate) mod wide;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::BufRead;

use inputanim::{DeviceName, Frame, InputName, InputValue, Joints, Marker, Space};

pub(crate) use columns::WideColumn;
pub use columns::{Cell, Columns, DeviceParts, FrameRow, Value};

use crate::shared::mapping::{Mapping, TIME_S};
use crate::shared::report::listed;
use crate::shared::utf16;
use crate::shared::{Loss, Note, NoteKind};
use crate::table::recording_filter::RecordingFilter;
use crate::table::table_error::{NameKind, Place, TableError, first_names};
use crate::table::text::{CellRows, Objects, refuse_separator};
use clock::TableClock;
use flat::FlatRows;
use held_pinches::HeldPinches;
use values::{KindCell, UnknownNames};
use wide::{Cells, Column, WideColumns, WideOptions};

/// The content of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An instant.
    Frame(Box<Frame>),
    /// A named instant.
    Marker(Marker<'static>),
}

/// A text format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextFormat {
    /// One JSON object per line, or an array of objects.
    Ndjson,
    /// Cells between commas; the first row names the columns.
    Csv,
    /// Cells between tabs.
    Tsv,
}

/// Options of [`Reader`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrameOptions {
    /// `true` to ignore unknown columns and members, which are errors otherwise.
    pub ignore_unknown: bool,
    /// `true` to count times from the first line, in double precision. Clocks that run for days, or since
    /// 1970, have times that are too close together for a 32-bit float.
    pub from_zero: bool,
    /// The largest number of bytes of a line, or of a row that continues over several lines.
    pub max_line: usize,
    /// Other names of columns. In JSON, a column is a member, and the name of a nested member has dots, such as `pose.x`.
    pub mappings: Vec<Mapping>,
    /// The recording to read from a table of several recordings. If `None`, such a table is an error.
    pub recording: Option<String>,
    /// The confidence below which values are unknown: see
    /// [`ReadOptions::min_confidence`](crate::ReadOptions::min_confidence).
    pub min_confidence: Option<f32>,
    /// The axes of the frames. They are needed to compute rotations from positions (docs/frames.md), and frames are
    /// returned in these axes.
    pub space: Space,
}

impl Default for FrameOptions {
    /// Returns options for Unity's axes that refuse unknown names, keep times as they are, and accept lines of up to a
    /// megabyte. Lines of complete frames have 10,000 to 20,000 bytes.
    fn default() -> FrameOptions {
        FrameOptions {
            ignore_unknown: false,
            from_zero: false,
            max_line: 1 << 20,
            mappings: Vec::new(),
            recording: None,
            min_confidence: None,
            space: Space::Unity,
        }
    }
}

/// A line that was parsed.
struct TextRow {
    time: f32,
    /// The markers of the line, in its order.
    markers: Vec<Marker<'static>>,
    /// `None` for a line that contains only markers.
    frame: Option<Box<Frame>>,
}

/// Reads frames and markers as they arrive; see the [module](self).
///
/// Most errors concern one line, and reading can continue after them, unless the error [is
/// final](TableError::is_final).
#[derive(Debug)]
pub struct Reader<R> {
    source: Source<R>,
    state: State,
    /// The other events of a line that has several.
    pending: VecDeque<Event>,
}

#[derive(Debug)]
enum Source<R> {
    Json(Objects<R>),
    /// JSON objects of other programs, whose members mappings assign.
    Flat(Box<(FlatRows<R>, WideColumns)>),
    Cells(Box<(CellRows<R>, WideColumns)>),
}

/// The texts of the cells of a row.
trait RowTexts {
    /// Returns the place of the row, for errors.
    fn place(&self) -> Place;

    /// Returns the text of a cell; empty if the cell does not exist. Fails if it is not UTF-8.
    fn cell(&self, column: usize) -> Result<&str, TableError>;

    /// Returns the text of a cell without surrounding white space, or `None` if it is blank.
    fn value(&self, column: usize) -> Result<Option<&str>, TableError> {
        let text = self.cell(column)?.trim();
        Ok((!text.is_empty()).then_some(text))
    }
}

impl<R: BufRead> RowTexts for CellRows<R> {
    fn place(&self) -> Place {
        CellRows::place(self)
    }

    fn cell(&self, column: usize) -> Result<&str, TableError> {
        CellRows::cell(self, column)
    }
}

/// The state that all lines of a stream share.
#[derive(Debug)]
struct State {
    clock: TableClock,
    unknown: UnknownNames,
    recordings: RecordingFilter,
    /// The mappings, for JSON.
    mappings: Vec<Mapping>,
    /// The names of poses with a position and no rotation, whose rotation is the identity.
    without_rotation: Vec<String>,
    /// The joints of JSON objects with a position and no rotation.
    positions: JsonPositions,
    /// The pinches of JSON objects.
    pinches: HeldPinches,
    /// `true` for each hand that some JSON object has.
    has_hand: [bool; 2],
    /// The kinds of the inputs in JSON objects.
    kinds: HashMap<(DeviceName, InputName), KindCell>,
}

/// The joints of JSON objects that have positions and no rotations.
#[derive(Debug)]
struct JsonPositions {
    space: Space,
    /// The joints of each hand that had a position in an object so far.
    seen: [Joints<bool>; 2],
    /// The names of the joints whose rotations were computed so far.
    computed: Vec<String>,
    /// The number of poses so far that are unknown because no rotation can be computed.
    uncomputed: usize,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader of a format. Without a format, the first character decides: JSON begins with `{` or `[`. Waits
    /// for the first bytes of the input, and for the first row of a table.
    ///
    /// # Errors
    /// Fails when the input fails, and when the first row of a table lacks a column or has an unknown one.
    pub fn new(
        mut input: R,
        format: Option<TextFormat>,
        options: &FrameOptions,
    ) -> Result<Reader<R>, TableError> {
        let format = match format {
            Some(format) => format,
            // `fill_buf` does not consume the bytes, so the reader gets them again.
            None => detect(input.fill_buf()?),
        };
        let mut state = State {
            clock: TableClock::new(options.from_zero),
            unknown: UnknownNames::new(options.ignore_unknown),
            recordings: RecordingFilter::new(options.recording.as_deref()),
            mappings: Vec::new(),
            without_rotation: Vec::new(),
            positions: JsonPositions {
                space: options.space,
                seen: [Joints::from_fn(|_| false); 2],
                computed: Vec::new(),
                uncomputed: 0,
            },
            pinches: HeldPinches::default(),
            has_hand: [false; 2],
            kinds: HashMap::new(),
        };
        let separator = match format {
            TextFormat::Ndjson => None,
            TextFormat::Csv => Some(b','),
            TextFormat::Tsv => Some(b'\t'),
        };
        let wide = WideOptions {
            mappings: &options.mappings,
            units: &[],
            min_confidence: options.min_confidence,
            space: options.space,
        };
        let source = match separator {
            None if flat::is_flat(&options.mappings) => {
                state.mappings.clone_from(&options.mappings);
                let rows = FlatRows::new(input, options)?;
                let (place, names) = (rows.place(), rows.names());
                let columns = WideColumns::new(place, names, &wide, &mut state.unknown)?;
                state.without_rotation = columns.without_rotation();
                Source::Flat(Box::new((rows, columns)))
            }
            None => {
                state.mappings.clone_from(&options.mappings);
                let sources = options.mappings.iter().map(|mapping| &*mapping.source);
                state.unknown.allow(sources);
                Source::Json(Objects::new(input, options.max_line))
            }
            Some(separator) => {
                let mut rows = CellRows::new(input, separator, options.max_line);
                rows.advance()?;
                let (place, names) = (rows.place(), rows.names()?);
                let expected = match format {
                    TextFormat::Tsv => "tabs",
                    _ => "commas",
                };
                refuse_separator(&names, expected)?;
                let columns = WideColumns::new(place, names, &wide, &mut state.unknown)?;
                state.without_rotation = columns.without_rotation();
                // The columns are far larger than a reader of lines, so they are boxed.
                Source::Cells(Box::new((rows, columns)))
            }
        };
        Ok(Reader {
            source,
            state,
            pending: VecDeque::new(),
        })
    }

    /// Returns the number of the line of the last event or error, counted from 1.
    pub fn line(&self) -> u64 {
        match &self.source {
            Source::Json(objects) => objects.line(),
            Source::Flat(table) => table.0.line(),
            Source::Cells(table) => table.0.line(),
        }
    }

    /// Returns a loss for each hand whose pinches were known in some rows so far, and unknown in others in which it is tracked. The
    /// last known state is held there.
    pub fn held_pinches(&self) -> Vec<Loss> {
        match self.columns() {
            Some(columns) => columns.pinches.losses(),
            None => self.state.pinches.losses(),
        }
    }

    /// Returns the names of columns and members that were ignored so far, at most a hundred of them.
    pub fn ignored(&self) -> &BTreeSet<String> {
        self.state.unknown.names()
    }

    /// Returns a note on the poses that have a position and no rotation, if there are any. Their rotation is the
    /// identity. For a table the note is available from the start, for JSON as soon as such a pose was read.
    pub fn missing_rotations(&self) -> Option<Note> {
        Note::of_missing_rotations(&self.state.without_rotation)
    }

    /// Returns a note on the joints that have a position and no rotation, and whose rotation is computed from the positions of their
    /// hand (docs/frames.md), if there are any. For a table the note is available from the start, for JSON as soon as such a hand
    /// was read.
    pub fn computed_rotations(&self) -> Option<Note> {
        match self.columns() {
            Some(columns) => Note::of_computed_rotations(&columns.computed_rotations()),
            None => Note::of_computed_rotations(&self.state.positions.computed),
        }
    }

    /// Returns the loss of the poses read so far that have a position, and are unknown because no rotation can be computed.
    pub fn uncomputed_rotations(&self) -> Option<Loss> {
        let of_json = self.state.positions.uncomputed;
        let of_columns = self.columns().map_or(0, WideColumns::uncomputed_rotations);
        Loss::of_uncomputed_rotations(of_json + of_columns)
    }

    /// Returns notes on units, on dates and times of day, and on values with a low confidence, as far as the input was read.
    pub fn notes(&self) -> Vec<Note> {
        let columns = self.columns().map(WideColumns::notes);
        let mut notes = columns.unwrap_or_default();
        notes.extend(self.state.clock.note());
        notes
    }

    /// Returns `true` for each hand that has no column, or that no object of JSON had so far.
    pub(crate) fn unseen_hands(&self) -> [bool; 2] {
        match self.columns() {
            Some(columns) => columns.unseen_hands(),
            None => self.state.has_hand.map(|has_hand| !has_hand),
        }
    }

    /// Returns the columns of a table; `None` for objects of JSON that no mapping concerns.
    fn columns(&self) -> Option<&WideColumns> {
        match &self.source {
            Source::Json(_) => None,
            Source::Flat(table) => Some(&table.1),
            Source::Cells(table) => Some(&table.1),
        }
    }

    /// Returns `true` if a column is the confidence of something.
    pub(crate) fn has_confidence(&self) -> bool {
        self.columns().is_some_and(WideColumns::has_confidence)
    }

    /// Returns a note on the names that were ignored so far, if there are any.
    pub fn ignored_names(&self) -> Option<Note> {
        self.state.unknown.note()
    }

    /// Returns a note on the members of JSON objects that mappings name, and that no object so far has.
    pub fn missing_members(&self) -> Option<Note> {
        /// The number of members that a note lists.
        const LISTED: usize = 3;
        let Source::Flat(table) = &self.source else {
            return None;
        };
        let missing = table.0.missing(&self.state.mappings);
        let names = missing
            .iter()
            .map(|(source, mapping)| format!("{source:?} (for {})", mapping.column));
        let message = format!("not in any object: {}", listed(names, LISTED));
        (!missing.is_empty()).then(|| Note::new(NoteKind::MissingMembers, message))
    }

    /// Fails if mappings name members of JSON objects, and no object so far has any of them.
    pub(crate) fn refuse_missing_members(&self) -> Result<(), TableError> {
        let Source::Flat(table) = &self.source else {
            return Ok(());
        };
        let missing = table.0.missing(&self.state.mappings).into_iter();
        let names = missing.map(|(source, mapping)| format!("{source:?} (for {})", mapping.column));
        let columns: Vec<String> = names.collect();
        if columns.is_empty() {
            return Ok(());
        }
        Err(TableError::MissingColumns {
            place: table.0.place(),
            kind: NameKind::Member,
            columns,
            found: first_names(&table.0.names()),
            like: None,
            suggested: Box::default(),
            division: None,
        })
    }

    /// Fails if a table has no known column except the time, and other columns were ignored. For JSON, fails if any
    /// member was ignored so far: call this before the first event, or if no event had a known value.
    ///
    /// # Errors
    /// Returns [`TableError::NothingKnown`] with the names that were ignored.
    pub fn refuse_unknown_table(&self) -> Result<(), TableError> {
        match self.columns() {
            Some(columns) if columns.has_more_than_time() => Ok(()),
            _ => self.state.unknown.refuse(),
        }
    }

    /// Fails if a recording was chosen, but no row belongs to it. Call this after the last event.
    pub(crate) fn refuse_unknown_recording(&self) -> Result<(), TableError> {
        self.state.recordings.refuse_unknown()
    }

    /// Reads the next line, and adds its events to `pending`. Adds none at the end.
    fn read(&mut self) -> Result<(), TableError> {
        // Rows of other recordings are skipped.
        let row = loop {
            let row = match &mut self.source {
                Source::Json(objects) => {
                    if !objects.advance()? {
                        return Ok(());
                    }
                    json::parse(objects, &mut self.state)?
                }
                Source::Flat(table) => {
                    let (rows, columns) = &mut **table;
                    if !rows.advance()? {
                        return Ok(());
                    }
                    let new = rows.take_new();
                    if !new.is_empty() {
                        columns.check_new(rows.place(), &new, &mut self.state.unknown)?;
                    }
                    read_cells(rows, columns, &mut self.state)?
                }
                Source::Cells(table) => {
                    let (rows, columns) = &mut **table;
                    if !rows.advance()? {
                        return Ok(());
                    }
                    rows.check_count(columns.names.len())?;
                    read_cells(rows, columns, &mut self.state)?
                }
            };
            if let Some(row) = row {
                break row;
            }
        };
        let is_json = matches!(self.source, Source::Json(_));
        let frame = row.frame.map(|mut frame| {
            frame.time = row.time;
            if is_json {
                self.state.pinches.count(&frame);
            }
            Event::Frame(frame)
        });
        // Markers come first, as in the tables that are written.
        let markers = row.markers.into_iter().map(Event::Marker);
        self.pending.extend(markers.chain(frame));
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, TableError>;

    fn next(&mut self) -> Option<Result<Event, TableError>> {
        if self.pending.is_empty()
            && let Err(error) = self.read()
        {
            return Some(Err(error));
        }
        self.pending.pop_front().map(Ok)
    }
}

/// Detects the format of text by its first character that is not white space: JSON for `{` or `[`, otherwise CSV. Empty
/// text counts as JSON, because a table has a first row.
fn detect(start: &[u8]) -> TextFormat {
    let start = utf16::to_utf8(start);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    match start.trim_ascii_start().first() {
        None | Some(b'{' | b'[') => TextFormat::Ndjson,
        Some(_) => TextFormat::Csv,
    }
}

/// Parses the current row of `rows`. Returns `None` if it belongs to a recording that is not read.
fn read_cells(
    rows: &impl RowTexts,
    columns: &WideColumns,
    state: &mut State,
) -> Result<Option<TextRow>, TableError> {
    let place = rows.place();
    if let Some(column) = columns.recording
        && !state.recordings.selects(rows.cell(column)?)?
    {
        return Ok(None);
    }
    let Column { index, factor, .. } = columns.time;
    let time = match rows.value(index)? {
        Some(text) => state
            .clock
            .parse(place, &columns.names[index], text, factor)?,
        None => None,
    };
    let marker = match columns.marker {
        // `value` decides if the cell is blank; the name itself keeps its white space.
        Some(column) => rows.value(column)?.map(|_| rows.cell(column)).transpose()?,
        None => None,
    };
    let of_curves = columns.curves.iter().map(|(_, column)| *column);
    let mut values = of_curves.chain(columns.device_states());
    let is_marker_alone =
        marker.is_some() && values.all(|column| matches!(rows.value(column.index), Ok(None)));
    let frame = if is_marker_alone {
        None
    } else {
        let names = &columns.names;
        Some(Box::new(columns.frame(&mut TextCells { rows, names })?))
    };
    let time = time.ok_or_else(|| TableError::missing(place, TIME_S))?;
    let marker = marker.map(|name| Marker::new(time, name.to_owned()));
    Ok(Some(TextRow {
        time,
        markers: marker.into_iter().collect(),
        frame,
    }))
}

/// The cells of a row of text.
struct TextCells<'r, R> {
    rows: &'r R,
    names: &'r [String],
}

impl<R: RowTexts> Cells for TextCells<'_, R> {
    fn place(&self) -> Place {
        self.rows.place()
    }

    fn numbers<const N: usize>(
        &mut self,
        columns: [Column; N],
    ) -> Result<[Option<f32>; N], TableError> {
        let mut numbers = [None; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            let Column {
                index,
                part,
                factor,
            } = column;
            let Some(text) = self.rows.value(index)? else {
                continue;
            };
            let (place, name) = (self.rows.place(), &self.names[index]);
            *number = match part {
                None => values::number(place, name, text, factor)?,
                Some((part, count)) => {
                    // A quaternion has the most numbers.
                    let mut vector = [0.0; 4];
                    let vector = &mut vector[..count];
                    let is_known = values::vector(place, name, text, vector)?;
                    let number = (vector[part] * factor) as f32;
                    if number.is_infinite() {
                        return Err(TableError::value(place, name, values::NUMBER, text));
                    }
                    Some(number).filter(|number| is_known && !number.is_nan())
                }
            };
        }
        Ok(numbers)
    }

    fn state(&mut self, column: Column) -> Result<Option<bool>, TableError> {
        match self.rows.value(column.index)? {
            Some(text) => {
                let name = &self.names[column.index];
                values::state(self.place(), name, text).map(Some)
            }
            None => Ok(None),
        }
    }

    fn input(&mut self, column: Column, name: InputName) -> Result<Option<InputValue>, TableError> {
        match self.rows.value(column.index)? {
            Some(text) => {
                let column_name = &self.names[column.index];
                values::input(self.place(), column_name, text, column.factor, name)
            }
            None => Ok(None),
        }
    }

    fn text(&mut self, column: Column) -> Result<Option<&str>, TableError> {
        self.rows.value(column.index)
    }
}
