//! The rows of a record batch of keys.

use arrow_array::Array;

use super::cells;
use crate::shared::Error;
use crate::table::table_error::TableError;
use crate::table::tables::Place;
use crate::table::tables::keys::{KeyCollector, KeyRow, Kind, Subject, column};

/// Adds the rows of a batch of keys to `collector`. `array` returns the column with a name, if it exists. `rows` are
/// the rows to add: their places in the table for errors, and their indices in the batch.
pub(super) fn push<'r>(
    collector: &mut KeyCollector,
    array: impl Fn(&'static str) -> Option<&'r dyn Array>,
    rows: impl Iterator<Item = (Place, usize)>,
) -> Result<(), Error> {
    let texts = |name| {
        array(name)
            .map(|array| cells::texts(name, array))
            .transpose()
    };
    let floats = |name| {
        array(name)
            .map(|array| cells::floats(name, array))
            .transpose()
    };
    let integers = |name| {
        array(name)
            .map(|array| cells::integers(name, array))
            .transpose()
    };
    let curves = texts(column::CURVE)?.unwrap_or_default();
    let kinds = texts(column::KIND)?;
    let names = texts(column::NAME)?;
    let times = floats(column::TIME_S)?;
    let values = floats(column::VALUE)?;
    let slopes = [
        floats(column::IN_TANGENT)?,
        floats(column::OUT_TANGENT)?,
        floats(column::IN_WEIGHT)?,
        floats(column::OUT_WEIGHT)?,
    ];
    let weighted_modes = integers(column::WEIGHTED_MODE)?;
    let wrap = [integers(column::PRE_WRAP)?, integers(column::POST_WRAP)?];
    let pulses = [floats(column::DURATION)?, floats(column::FREQUENCY)?];
    // Most rows have the same curve and kind as the row before, so its name is not parsed again.
    let mut last: Option<(&str, Option<&str>, Subject)> = None;
    let mut key_row = |place: Place, row: usize| -> Result<KeyRow<'_>, TableError> {
        let integer = |name: &str, numbers: &Option<Vec<Option<Result<i32, f64>>>>| {
            let number = numbers.as_ref().and_then(|numbers| numbers[row]);
            let wrong = |found: f64| TableError::value(place, name, "a 32-bit integer", found);
            number.transpose().map_err(wrong)
        };
        let kind_name = text(&kinds, row).filter(|name| !name.is_empty());
        let kind = match kind_name {
            None => None,
            Some(name) => Some(
                Kind::find(name)
                    .ok_or_else(|| TableError::value(place, column::KIND, Kind::LIST, name))?,
            ),
        };
        let curve = match (curves[row].filter(|name| !name.is_empty()), last) {
            (None, _) => None,
            (Some(name), Some((before, of_kind, subject)))
                if name == before && kind_name == of_kind =>
            {
                Some(subject)
            }
            (Some(name), _) => {
                let subject = Subject::parse(place, name, kind)?;
                last = Some((name, kind_name, subject));
                Some(subject)
            }
        };
        Ok(KeyRow {
            curve,
            time: float(&times, row),
            value: float(&values, row),
            slopes: slopes.each_ref().map(|slopes| float(slopes, row)),
            weighted_mode: integer(column::WEIGHTED_MODE, &weighted_modes)?,
            kind,
            wrap: [
                integer(column::PRE_WRAP, &wrap[0])?,
                integer(column::POST_WRAP, &wrap[1])?,
            ],
            name: text(&names, row),
            pulse: pulses.each_ref().map(|numbers| float(numbers, row)),
        })
    };
    for (place, row) in rows {
        match key_row(place, row) {
            Ok(row) => collector.push(place, &row)?,
            Err(error) => collector.skip(error.into())?,
        }
    }
    Ok(())
}

fn float(numbers: &Option<Vec<Option<f32>>>, row: usize) -> Option<f32> {
    numbers.as_ref().and_then(|numbers| numbers[row])
}

fn text<'t>(texts: &Option<Vec<Option<&'t str>>>, row: usize) -> Option<&'t str> {
    texts.as_ref().and_then(|texts| texts[row])
}
