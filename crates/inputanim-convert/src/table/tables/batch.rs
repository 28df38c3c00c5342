//! Tables in memory: plain columns, from which Arrow arrays and the vectors of database engines are made.
//!
//! Texts are stored as runs, because most text columns have one text for all rows of a recording. Names from a fixed
//! list, such as the names of joints, are indices into the list.

use std::borrow::Cow;
use std::sync::Arc;

/// A column of a table: name, type, unit and meaning.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Name, such as `right.IndexTip.position.x`.
    pub name: Cow<'static, str>,
    /// Type of the values.
    pub data_type: DataType,
    /// `true` if values may be missing.
    pub is_nullable: bool,
    /// Unit, such as `s` or `m`. `1` for a number without a dimension, empty for values without a unit.
    pub unit: &'static str,
    /// Description in plain English, one sentence.
    pub meaning: Cow<'static, str>,
    /// `true` for texts that are JSON values.
    pub is_json: bool,
}

impl Field {
    /// Returns a nullable field without a unit.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        data_type: DataType,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Field {
        Field {
            name: name.into(),
            data_type,
            is_nullable: true,
            unit: "",
            meaning: meaning.into(),
            is_json: false,
        }
    }

    /// Sets the unit.
    #[must_use]
    pub fn with_unit(mut self, unit: &'static str) -> Field {
        self.unit = unit;
        self
    }

    /// States that the texts are JSON values.
    #[must_use]
    pub fn json(mut self) -> Field {
        self.is_json = true;
        self
    }

    /// States that no value is missing.
    #[must_use]
    pub fn required(mut self) -> Field {
        self.is_nullable = false;
        self
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataType {
    /// 32-bit floats.
    Float32,
    /// 64-bit floats.
    Float64,
    /// 32-bit integers.
    Int32,
    /// 64-bit integers.
    Int64,
    /// Truth values.
    Boolean,
    /// Texts.
    Text,
    /// Texts of this list.
    Words(&'static [String]),
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// 32-bit floats.
    Float32(Vec<f32>),
    /// 64-bit floats.
    Float64(Vec<f64>),
    /// 32-bit integers.
    Int32(Vec<i32>),
    /// 64-bit integers.
    Int64(Vec<i64>),
    /// Truth values.
    Boolean(Vec<bool>),
    /// Texts as runs of rows. The values of a run without a text are missing; [`Column::valid`] is `None` for texts.
    Text(Vec<TextRun>),
    /// Indices into a list of texts. Indices of missing values are 0.
    Words {
        /// One index for each row.
        indices: Vec<i16>,
        /// The list.
        words: &'static [String],
    },
    /// A column without any known value, of any type, with this number of rows.
    Missing(usize),
}

/// Neighbouring rows with one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRun {
    /// The text; `None` if it is missing.
    pub text: Option<Arc<str>>,
    /// Number of rows.
    pub rows: usize,
}

impl Values {
    /// Returns the values of a text column with the same text in all `rows` rows. All values are missing if `text` is
    /// `None`.
    pub fn text(text: Option<Arc<str>>, rows: usize) -> Values {
        Values::Text(vec![TextRun { text, rows }])
    }

    /// Returns the values of a text column with one text for each row. A value is missing if its text is `None`.
    pub fn texts<T: Into<Arc<str>>>(texts: impl IntoIterator<Item = Option<T>>) -> Values {
        let runs = texts.into_iter().map(|text| TextRun {
            text: text.map(T::into),
            rows: 1,
        });
        Values::Text(runs.collect())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Float32(values) => values.len(),
            Values::Float64(values) => values.len(),
            Values::Int32(values) => values.len(),
            Values::Int64(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Text(runs) => runs.iter().map(|run| run.rows).sum(),
            Values::Words { indices, .. } => indices.len(),
            Values::Missing(rows) => *rows,
        }
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `rows` placeholders for missing values of a type: 0, `false`, the first word of a list, or no text.
    fn zeros(data_type: DataType, rows: usize) -> Values {
        match data_type {
            DataType::Float32 => Values::Float32(vec![0.0; rows]),
            DataType::Float64 => Values::Float64(vec![0.0; rows]),
            DataType::Int32 => Values::Int32(vec![0; rows]),
            DataType::Int64 => Values::Int64(vec![0; rows]),
            DataType::Boolean => Values::Boolean(vec![false; rows]),
            DataType::Text => Values::text(None, rows),
            DataType::Words(words) => Values::Words {
                indices: vec![0; rows],
                words,
            },
        }
    }

    /// Appends values of the same type.
    fn extend(&mut self, other: Values) {
        match (self, other) {
            (Values::Float32(values), Values::Float32(more)) => values.extend(more),
            (Values::Float64(values), Values::Float64(more)) => values.extend(more),
            (Values::Int32(values), Values::Int32(more)) => values.extend(more),
            (Values::Int64(values), Values::Int64(more)) => values.extend(more),
            (Values::Boolean(values), Values::Boolean(more)) => values.extend(more),
            (Values::Text(runs), Values::Text(more)) => {
                for run in more {
                    match runs.last_mut() {
                        Some(last) if last.text == run.text => last.rows += run.rows,
                        _ => runs.push(run),
                    }
                }
            }
            (Values::Words { indices, .. }, Values::Words { indices: more, .. }) => {
                indices.extend(more);
            }
            (Values::Missing(rows), Values::Missing(more)) => *rows += more,
            // A column has the same type in all batches of a table, so no values are lost here.
            (_, _) => debug_assert!(false, "values of two types in one column"),
        }
    }

    /// Keeps only the first `rows` rows.
    fn truncate(&mut self, rows: usize) {
        match self {
            Values::Float32(values) => values.truncate(rows),
            Values::Float64(values) => values.truncate(rows),
            Values::Int32(values) => values.truncate(rows),
            Values::Int64(values) => values.truncate(rows),
            Values::Boolean(values) => values.truncate(rows),
            Values::Text(runs) => {
                let mut left = rows;
                runs.retain_mut(|run| {
                    run.rows = run.rows.min(left);
                    left -= run.rows;
                    run.rows > 0
                });
            }
            Values::Words { indices, .. } => indices.truncate(rows),
            Values::Missing(all) => *all = (*all).min(rows),
        }
    }
}

/// One column of a [`Batch`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// The values.
    pub values: Values,
    /// For each row, `true` if the value is known. `None` if all values are known, and for texts. Columns of one hand
    /// share it.
    pub valid: Option<Arc<Vec<bool>>>,
}

impl Column {
    /// Returns a column of known values.
    pub fn new(values: Values) -> Column {
        Column {
            values,
            valid: None,
        }
    }

    /// Returns a column without any known value.
    pub fn missing(rows: usize) -> Column {
        Column::new(Values::Missing(rows))
    }

    /// Returns a column of 32-bit floats. Some of them may be missing.
    pub fn floats(values: impl IntoIterator<Item = Option<f32>>) -> Column {
        Column::optional(values, Values::Float32)
    }

    /// Returns a column of 64-bit floats. Some of them may be missing.
    pub fn doubles(values: impl IntoIterator<Item = Option<f64>>) -> Column {
        Column::optional(values, Values::Float64)
    }

    /// Returns a column of 32-bit integers. Some of them may be missing.
    pub fn integers(values: impl IntoIterator<Item = Option<i32>>) -> Column {
        Column::optional(values, Values::Int32)
    }

    /// Returns a column of 64-bit integers. Some of them may be missing.
    pub fn longs(values: impl IntoIterator<Item = Option<i64>>) -> Column {
        Column::optional(values, Values::Int64)
    }

    /// Returns a column of truth values. Some of them may be missing.
    pub fn booleans(values: impl IntoIterator<Item = Option<bool>>) -> Column {
        Column::optional(values, Values::Boolean)
    }

    /// Returns a column of texts from the list `words`: for each row, `indices` contains the index of its text in the
    /// list, or `None` if it is missing.
    pub fn words(
        words: &'static [String],
        indices: impl IntoIterator<Item = Option<i16>>,
    ) -> Column {
        Column::optional(indices, |indices| Values::Words { indices, words })
    }

    /// Returns a column with one text for each row. Some of them may be missing.
    pub fn texts<T: Into<Arc<str>>>(texts: impl IntoIterator<Item = Option<T>>) -> Column {
        Column::new(Values::texts(texts))
    }

    /// Returns a column with one text in all rows.
    pub fn text(text: impl Into<Arc<str>>, rows: usize) -> Column {
        Column::new(Values::text(Some(text.into()), rows))
    }

    fn optional<T: Default>(
        values: impl IntoIterator<Item = Option<T>>,
        of: impl FnOnce(Vec<T>) -> Values,
    ) -> Column {
        let mut valid = Vec::new();
        let values = values.into_iter().map(|value| {
            valid.push(value.is_some());
            value.unwrap_or_default()
        });
        let values = of(values.collect());
        Column {
            values,
            valid: known(valid),
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns the value of [`Column::valid`] for a column: `valid`, or `None` if all values are known.
pub(crate) fn known(valid: Vec<bool>) -> Option<Arc<Vec<bool>>> {
    valid.contains(&false).then(|| Arc::new(valid))
}

/// Some rows of a table: columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Batch {
    /// Number of rows. A table without columns has rows too.
    pub rows: usize,
    /// The columns, in the order of the fields of the table.
    pub columns: Vec<Column>,
}

impl Batch {
    /// Returns a batch. All columns must have `rows` rows.
    pub fn new(rows: usize, columns: Vec<Column>) -> Batch {
        debug_assert!(columns.iter().all(|column| column.len() == rows));
        Batch { rows, columns }
    }

    /// Appends the rows of another batch of the same table, whose columns have the types of `fields`.
    pub fn append(&mut self, other: Batch, fields: &[Field]) {
        if self.rows == 0 {
            *self = other;
            return;
        }
        let rows = [self.rows, other.rows];
        let mut shared = SharedValidity::default();
        let columns = self.columns.iter_mut().zip(other.columns).zip(fields);
        for ((column, more), field) in columns {
            append(column, more, field.data_type, rows, &mut shared);
        }
        self.rows += other.rows;
    }

    /// Keeps only the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        if rows >= self.rows {
            return;
        }
        self.rows = rows;
        for column in &mut self.columns {
            column.values.truncate(rows);
            if let Some(valid) = &mut column.valid {
                Arc::make_mut(valid).truncate(rows);
            }
        }
    }
}

/// A validity that may be shared by columns.
type Validity = Option<Arc<Vec<bool>>>;

/// The two validities that were joined last, and the result. Neighbouring columns usually share them, so the result is
/// reused.
#[derive(Default)]
struct SharedValidity(Option<([Validity; 2], Validity)>);

impl SharedValidity {
    fn join(&mut self, parts: [Validity; 2], rows: [usize; 2]) -> Validity {
        let is_same = |a: &Validity, b: &Validity| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if let Some((last, joined)) = &self.0
            && last.iter().zip(&parts).all(|(a, b)| is_same(a, b))
        {
            return joined.clone();
        }
        let joined = parts.iter().any(Option::is_some).then(|| {
            let mut valid = Vec::with_capacity(rows.iter().sum());
            for (part, rows) in parts.iter().zip(rows) {
                match part {
                    Some(part) => valid.extend_from_slice(part),
                    None => valid.resize(valid.len() + rows, true),
                }
            }
            Arc::new(valid)
        });
        self.0 = Some((parts, joined.clone()));
        joined
    }
}

fn append(
    column: &mut Column,
    mut more: Column,
    data_type: DataType,
    rows: [usize; 2],
    shared: &mut SharedValidity,
) {
    let is_missing = |column: &Column| matches!(column.values, Values::Missing(_));
    match (is_missing(column), is_missing(&more)) {
        (true, true) => {}
        (true, false) => fill_missing(column, data_type, rows[0]),
        (false, true) => fill_missing(&mut more, data_type, rows[1]),
        (false, false) => {}
    }
    column.values.extend(more.values);
    if column.valid.is_some() || more.valid.is_some() {
        column.valid = shared.join([column.valid.take(), more.valid], rows);
    }
}

/// Replaces the values of a column without any known value by `rows` placeholders of a type, and marks all of them as
/// missing.
fn fill_missing(column: &mut Column, data_type: DataType, rows: usize) {
    column.values = Values::zeros(data_type, rows);
    if data_type != DataType::Text {
        column.valid = Some(Arc::new(vec![false; rows]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let types = [DataType::Float32, DataType::Text, DataType::Boolean];
        let field = |data_type| Field::new("x", data_type, "");
        types.into_iter().map(field).collect()
    }

    fn batch(rows: usize) -> Batch {
        let floats = (0..rows).map(|row| (row % 2 == 0).then_some(row as f32));
        let columns = vec![
            Column::floats(floats),
            Column::text("a", rows),
            Column::missing(rows),
        ];
        Batch::new(rows, columns)
    }

    #[test]
    fn appended_rows_follow_the_others() {
        let mut joined = Batch::default();
        joined.append(batch(3), &fields());
        let mut other = batch(2);
        other.columns = vec![
            Column::missing(2),
            Column::text("b", 2),
            Column::booleans([Some(true), None]),
        ];
        joined.append(other, &fields());
        joined.append(batch(1), &fields());
        assert_eq!(joined.rows, 6);
        let [floats, texts, booleans] = &joined.columns[..] else {
            panic!("three columns")
        };
        assert_eq!(
            floats.values,
            Values::Float32(vec![0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
        );
        let valid = |column: &Column| column.valid.as_deref().cloned().unwrap();
        assert_eq!(valid(floats), [true, false, true, false, false, true]);
        let run = |text: &str, rows| TextRun {
            text: Some(text.into()),
            rows,
        };
        assert_eq!(
            texts.values,
            Values::Text(vec![run("a", 3), run("b", 2), run("a", 1)])
        );
        assert_eq!(valid(booleans), [false, false, false, true, false, false]);
    }

    #[test]
    fn a_batch_is_cut_in_all_columns() {
        let mut cut = batch(4);
        cut.append(batch(4), &fields());
        cut.truncate(5);
        assert_eq!(cut.rows, 5);
        assert!(cut.columns.iter().all(|column| column.len() == 5));
        assert!(cut.columns[0].valid.as_ref().is_some_and(|v| v.len() == 5));
        cut.truncate(0);
        assert!(cut.columns.iter().all(Column::is_empty));
    }
}
