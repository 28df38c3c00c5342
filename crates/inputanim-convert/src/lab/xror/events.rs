//! Events, which become markers.

use inputanim::{Limits, Marker};

use super::bson::{Damage, Document, Value};
use super::fpzip::Array;
use super::{FpzipError, PADDING};
use crate::shared::limits::check_limit;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, NoteKind, Report};

/// Collects the events of all types.
pub(super) struct EventReader<'a, 'l> {
    pub(super) limits: &'l Limits,
    /// The number of values that may still be decompressed.
    pub(super) values: u64,
    /// The time of the first frame in seconds, which is 0 in the recording.
    pub(super) start: f64,
    markers: Vec<Marker<'a>>,
    /// The memory of the markers' names.
    bytes: u64,
    types: usize,
    /// The name of the first attribute.
    attribute: Option<&'a str>,
    not_finite: usize,
}

impl<'a, 'l> EventReader<'a, 'l> {
    pub(super) fn new(limits: &'l Limits, values: u64, start: f64) -> EventReader<'a, 'l> {
        EventReader {
            limits,
            values,
            start,
            markers: Vec::new(),
            bytes: 0,
            types: 0,
            attribute: None,
            not_finite: 0,
        }
    }

    /// Reads all events of one type, and adds a marker for each of them.
    ///
    /// An array that cannot be read is reported, because the frames do not depend on it.
    pub(super) fn read(
        &mut self,
        event: Document<'a>,
        damage: &mut Damage,
        report: &mut Report,
    ) -> Result<(), Error> {
        let id = event.text("id", damage);
        let name = event.text("name", damage).or(id).unwrap_or("event");
        let Some(Value::Binary(bytes)) = event.member("floatData", damage) else {
            // A type without occurrences.
            return Ok(());
        };
        let mut attributes = 0_u64;
        if let Some(Value::Array(list)) = event.member("attr", damage) {
            for element in list.elements() {
                match element {
                    Ok(element) => {
                        attributes += 1;
                        if let (Value::Text(attribute), None) = (element.value, self.attribute) {
                            self.attribute = Some(attribute);
                        }
                    }
                    // The number of the others is not known.
                    Err(error) => {
                        damage.add(error);
                        attributes = u64::MAX - 1;
                        break;
                    }
                }
            }
        }
        let before = self.markers.len();
        let damage = match Array::new(bytes) {
            Ok(array) if u64::from(array.columns) > 1 + attributes => {
                let columns = array.columns;
                Some(format!(
                    "{columns} columns for {attributes} attributes and the time"
                ))
            }
            Ok(array) => self.rows(name, array)?.map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        self.types += usize::from(self.markers.len() > before);
        if let Some(damage) = damage {
            let name: String = name.chars().take(40).collect();
            report.lose(LossKind::Damage, 1, format!("events {name}: {damage}"));
        }
        Ok(())
    }

    /// Adds a marker for each row of an array, whose first column contains the times of events in seconds. Rows of
    /// padding, and rows whose time is not finite, are skipped. Returns the damage of the array at which reading
    /// stopped, or `None`. Fails if a limit is exceeded.
    fn rows(&mut self, name: &'a str, array: Array<'_>) -> Result<Option<FpzipError>, Error> {
        let used = array.len();
        let Some(left) = self.values.checked_sub(used) else {
            return Err(Error::Limit {
                limit: self.limits.max_keys,
                unit: "values",
            });
        };
        self.values = left;
        let mut rows = array.decompress();
        let mut row = Vec::new();
        let first = self.markers.len();
        loop {
            match rows.next(&mut row) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => {
                    // Numbers before the damage may be wrong, unless the bytes only end too early.
                    if !matches!(error, FpzipError::Truncated { .. }) {
                        self.markers.truncate(first);
                    }
                    return Ok(Some(error));
                }
            }
            let Some(&time) = row.first() else {
                return Ok(None);
            };
            // The library of XROR skips such events too.
            if time == PADDING {
                continue;
            }
            let time = (time - self.start) as f32;
            if !time.is_finite() {
                self.not_finite += 1;
                continue;
            }
            self.bytes += name.len() as u64;
            check_limit(self.bytes, self.limits.max_bytes, "bytes")?;
            let count = self.markers.len() as u64 + 1;
            check_limit(count, self.limits.max_markers, "markers")?;
            self.markers.push(Marker::new(time, name));
        }
    }

    /// Returns the markers in order of time, and adds losses and notes to the report.
    pub(super) fn finish(mut self, report: &mut Report) -> Vec<Marker<'a>> {
        let message = format!(
            "{} without a finite time",
            counted(self.not_finite, "event")
        );
        report.lose(LossKind::NotFinite, self.not_finite, message);
        if !self.markers.is_empty() {
            let events = counted(self.markers.len(), "event");
            let types = counted(self.types, "type");
            let without = match self.attribute {
                Some(name) => {
                    let name: String = name.chars().take(40).collect();
                    format!(", without attributes such as {name}")
                }
                None => String::new(),
            };
            let message = format!("{events} of {types} became markers{without}");
            report.note(NoteKind::OtherContent, message);
        }
        // The sort is stable, so that events of one time keep the order of their types.
        self.markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        self.markers
    }
}
