//! The rule about options without effect.

use std::fmt;

use super::fields::{ReadField, WriteField};
use super::format::Format;
use super::options::TableShape;

impl WriteField {
    /// Returns `true` if this option has an effect when a format is written. `shape` counts for tables only.
    ///
    /// ```
    /// use inputanim_convert::{Format, TableShape, WriteField};
    /// assert!(WriteField::Rate.is_used_by(Format::Csv, TableShape::Wide));
    /// assert!(!WriteField::Rate.is_used_by(Format::Csv, TableShape::Keys));
    /// ```
    pub fn is_used_by(self, format: Format, shape: TableShape) -> bool {
        let is_of_shape = match self {
            WriteField::Rate | WriteField::KeyTimes | WriteField::Space => {
                shape != TableShape::Keys
            }
            WriteField::Markers => shape == TableShape::Wide,
            _ => true,
        };
        format.written_fields().contains(&self) && (is_of_shape || !format.is_table())
    }
}

impl ReadField {
    /// Returns `true` if this option has an effect when a format is read. Options that only wide tables use count for
    /// all tables, because the shape is known only when the table is read.
    pub fn is_used_by(self, format: Format) -> bool {
        format.read_fields().contains(&self)
    }
}

/// An option that has no effect on a format, which is a mistake that otherwise shows only in the output, if at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the option {option} has no effect on the format {format}{}", AndShape(*shape))]
#[non_exhaustive]
pub struct NoEffect {
    /// The name of the option in the interface.
    pub option: &'static str,
    /// The format that is read or written.
    pub format: Format,
    /// The shape of a table that is written.
    pub shape: Option<TableShape>,
}

impl NoEffect {
    /// Creates the error for an option without effect on a format, if no field of [`WriteOptions`](crate::WriteOptions)
    /// corresponds to the option. `option` is its name in the interface.
    pub fn new(option: &'static str, format: Format) -> NoEffect {
        NoEffect {
            option,
            format,
            shape: None,
        }
    }
}

struct AndShape(Option<TableShape>);

impl fmt::Display for AndShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(shape) => write!(f, " and the shape {}", shape.name()),
            None => Ok(()),
        }
    }
}

impl Format {
    /// Checks that every option that the user gives has an effect when the format is written. Each item of `given` is
    /// the name of an option, its field, and `true` if the user gives it. `shape` counts for tables only.
    ///
    /// # Errors
    /// Returns the first option that is given and has no effect.
    ///
    /// ```
    /// use inputanim_convert::{Format, TableShape, WriteField};
    /// let given = [("--rate", WriteField::Rate, true), ("--hand", WriteField::Hand, false)];
    /// assert!(Format::Csv.check_written(TableShape::Wide, given).is_ok());
    /// let error = Format::Csv.check_written(TableShape::Keys, given).unwrap_err();
    /// assert_eq!(error.to_string(), "the option --rate has no effect on the format csv and the shape keys");
    /// ```
    pub fn check_written(
        self,
        shape: TableShape,
        given: impl IntoIterator<Item = (&'static str, WriteField, bool)>,
    ) -> Result<(), NoEffect> {
        let mut given = given.into_iter();
        let unused = given.find(|&(_, field, is_given)| is_given && !field.is_used_by(self, shape));
        let Some((option, field, _)) = unused else {
            return Ok(());
        };
        // The shape is the reason only if the option has an effect on another one.
        let mut shapes = TableShape::ALL.iter();
        let is_of_shape = shapes.any(|&other| field.is_used_by(self, other));
        Err(NoEffect {
            shape: is_of_shape.then_some(shape),
            ..NoEffect::new(option, self)
        })
    }

    /// Checks that every option that the user gives has an effect when the format is read. Each item of `given` is the
    /// name of an option, its field, and `true` if the user gives it.
    ///
    /// # Errors
    /// Returns the first option that is given and has no effect.
    pub fn check_read(
        self,
        given: impl IntoIterator<Item = (&'static str, ReadField, bool)>,
    ) -> Result<(), NoEffect> {
        let mut given = given.into_iter();
        let unused = given.find(|&(_, field, is_given)| is_given && !field.is_used_by(self));
        match unused {
            Some((option, ..)) => Err(NoEffect::new(option, self)),
            None => Ok(()),
        }
    }
}
