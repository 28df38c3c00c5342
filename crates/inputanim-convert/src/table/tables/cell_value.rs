//! The values of columns one by one.

use std::borrow::Cow;

use super::{Column, Values};

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CellValue<'c> {
    /// No value.
    Missing,
    /// A text.
    Text(&'c str),
    /// A 32-bit float.
    Float32(f32),
    /// A 64-bit float.
    Float64(f64),
    /// An integer.
    Integer(i64),
    /// A truth value.
    Boolean(bool),
}

impl<'c> CellValue<'c> {
    /// Returns the text; `None` for other values.
    pub fn text(self) -> Option<&'c str> {
        match self {
            CellValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number as a 64-bit float; `None` for other values.
    pub fn number(self) -> Option<f64> {
        match self {
            CellValue::Float32(number) => Some(number.into()),
            CellValue::Float64(number) => Some(number),
            CellValue::Integer(number) => Some(number as f64),
            _ => None,
        }
    }

    /// Returns the value as text; empty for a missing value. A number has the fewest digits that read back as the same
    /// number, and an exponent if it is very small or large.
    pub fn to_text(self) -> Cow<'c, str> {
        let is_plain = |size: f64| size == 0.0 || !size.is_finite() || (1e-5..1e15).contains(&size);
        match self {
            CellValue::Missing => "".into(),
            CellValue::Text(text) => text.into(),
            // Without an exponent, the numbers of damaged recordings can have 300 digits.
            CellValue::Float32(number) if !is_plain(number.abs().into()) => {
                format!("{number:e}").into()
            }
            CellValue::Float64(number) if !is_plain(number.abs()) => format!("{number:e}").into(),
            CellValue::Float32(number) => number.to_string().into(),
            CellValue::Float64(number) => number.to_string().into(),
            CellValue::Integer(number) => number.to_string().into(),
            CellValue::Boolean(value) => value.to_string().into(),
        }
    }
}

impl Column {
    /// Returns the value of each row.
    ///
    /// ```
    /// use inputanim_convert::tables::{CellValue, Column};
    /// let column = Column::texts([Some("a"), None]);
    /// assert_eq!(column.cells(), [CellValue::Text("a"), CellValue::Missing]);
    /// ```
    pub fn cells(&self) -> Vec<CellValue<'_>> {
        let cells: Vec<CellValue<'_>> = match &self.values {
            Values::Float32(values) => values.iter().copied().map(CellValue::Float32).collect(),
            Values::Float64(values) => values.iter().copied().map(CellValue::Float64).collect(),
            Values::Int32(values) => {
                let values = values.iter().copied();
                values
                    .map(|value| CellValue::Integer(value.into()))
                    .collect()
            }
            Values::Int64(values) => values.iter().copied().map(CellValue::Integer).collect(),
            Values::Boolean(values) => values.iter().copied().map(CellValue::Boolean).collect(),
            Values::Text(runs) => {
                let cells = runs.iter().flat_map(|run| {
                    let text = run.text.as_deref();
                    let cell = text.map_or(CellValue::Missing, CellValue::Text);
                    std::iter::repeat_n(cell, run.rows)
                });
                return cells.collect();
            }
            Values::Words { indices, words } => {
                let word = |index: &i16| words.get(usize::try_from(*index).ok()?);
                let words = indices.iter().map(word);
                let cell = |word: Option<&'static String>| {
                    word.map_or(CellValue::Missing, |word| CellValue::Text(word))
                };
                words.map(cell).collect()
            }
            Values::Missing(rows) => vec![CellValue::Missing; *rows],
        };
        let Some(valid) = &self.valid else {
            return cells;
        };
        let cells = cells.into_iter().zip(valid.iter());
        cells
            .map(|(cell, is_valid)| if *is_valid { cell } else { CellValue::Missing })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits() {
        for (number, text) in [
            (0.0, "0"),
            (12.0, "12"),
            (-0.25, "-0.25"),
            (1e-7, "1e-7"),
            (-3e38, "-3e38"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(CellValue::Float64(number).to_text(), text);
            assert_eq!(CellValue::Float32(number as f32).to_text(), text);
        }
    }
}
