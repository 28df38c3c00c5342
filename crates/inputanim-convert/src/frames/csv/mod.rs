//! Frames as a table: comma-separated values (RFC 4180) whose first row names the columns.

mod heads;
mod poses;
mod rows;

use std::collections::BTreeSet;
use std::io::BufRead;

use super::line::{Clock, Line, Unknown};
use super::lines::Lines;
use super::{Error, Event, Mapping, Options};
use heads::{Column, Heads};
use poses::Poses;
use rows::Rows;

/// Reads frames and markers as they come.
///
/// ```
/// use inputanim_convert::frames::{Event, csv};
/// let text = "marker,time_s,left.pinching\n,0.5,true\ngrab,1.5,\n";
/// let events: Vec<Event> = csv::Reader::new(text.as_bytes())?.collect::<Result<_, _>>()?;
/// assert!(matches!(&events[0], Event::Frame(frame) if frame.left.pinching));
/// assert!(matches!(&events[1], Event::Marker(marker) if marker.name == "grab"));
/// # Ok::<(), inputanim_convert::frames::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    rows: Rows<R>,
    heads: Heads,
    poses: Poses,
    clock: Clock,
    unknown: Unknown,
    waiting: Option<Event>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the first row, with the default options.
    ///
    /// # Errors
    /// When it does not name the columns, or the input fails.
    pub fn new(input: R) -> Result<Reader<R>, Error> {
        Reader::with(input, &Options::default())
    }

    /// Reads the first row, with options.
    ///
    /// # Errors
    /// When it does not name the columns, or the input fails.
    pub fn with(input: R, options: &Options) -> Result<Reader<R>, Error> {
        Reader::of_table(input, options, b',', &[])
    }

    /// A table with another separator, and with other names for its columns.
    pub(crate) fn of_table(
        input: R,
        options: &Options,
        separator: u8,
        mappings: &[Mapping],
    ) -> Result<Reader<R>, Error> {
        let mut rows = Rows::new(Lines::new(input, options.max_line), separator);
        let mut unknown = Unknown::new(options.ignore_unknown);
        rows.advance()?;
        let heads = Heads::new(&rows, mappings, &mut unknown)?;
        Ok(Reader {
            poses: Poses::new(&heads)?,
            rows,
            heads,
            clock: Clock::new(options.from_zero),
            unknown,
            waiting: None,
        })
    }

    /// The line in which the row starts that was read last, counted from 1.
    pub fn line(&self) -> u64 {
        self.rows.line()
    }

    /// Names of columns that are passed over, the first hundred of them.
    pub fn ignored(&self) -> &BTreeSet<String> {
        self.unknown.names()
    }

    /// The names of poses with columns of a position and none of a rotation: they are not turned.
    pub fn not_turned(&self) -> Vec<String> {
        self.poses.not_turned()
    }

    /// Whether anything but the time is known.
    pub(crate) fn has_more_than_time(&self) -> bool {
        self.heads.has_more_than_time()
    }

    fn read(&mut self) -> Result<Option<Event>, Error> {
        if !self.rows.advance()? {
            return Ok(None);
        }
        let [event, waiting] = self.said()?.events();
        self.waiting = waiting;
        Ok(event)
    }

    fn said(&mut self) -> Result<Line, Error> {
        let row = self.heads.row(&self.rows)?;
        let Column { index, factor } = self.heads.time;
        let place = row.at(index);
        let time = match row.cell(index)?.trim() {
            "" => None,
            text => self.clock.time(place, text, factor)?,
        };
        let marker = self.heads.marker.map(|column| row.cell(column));
        let marker = marker.transpose()?.filter(|name| !name.trim().is_empty());
        let frame = match marker.is_some() && row.has_nothing_else() {
            true => None,
            false => Some(Box::new(self.poses.frame(&row)?)),
        };
        Ok(Line {
            time: time.ok_or_else(|| place.missing())?,
            marker: marker.map(str::to_owned),
            frame,
        })
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Result<Event, Error>> {
        match self.waiting.take() {
            Some(event) => Some(Ok(event)),
            None => self.read().transpose(),
        }
    }
}
