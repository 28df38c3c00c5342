//! Suggested mappings as data, which errors contain.

use super::Mapping;

/// Mappings that are probably meant, with remarks about what they assume. The user has to check them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The mappings, first those that the options state. Empty if no column is recognised.
    pub mappings: Vec<Mapping>,
    /// The assumptions, each as a clause of plain English, such as `the right hand is assumed`.
    pub remarks: Vec<String>,
}

impl Suggestion {
    /// Returns `true` if there is nothing to suggest.
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty()
    }

    /// Returns the end of a sentence that begins with the mappings: that they read the columns, and the remarks.
    ///
    /// ```
    /// use inputanim_convert::{Format, ReadOptions, Remedy, read};
    /// let text = b"frame,x,y,z\n0,0,1,0\n";
    /// let error = read(Format::Csv, text, &ReadOptions::default()).unwrap_err();
    /// let Some(Remedy::MapAs(suggestion)) = error.remedy() else {
    ///     panic!("{error}");
    /// };
    /// assert_eq!(
    ///     suggestion.explanation(),
    ///     "reads the columns as their names suggest; 30 frames per second are assumed: replace the number after the \"/\"; \
    ///      the right hand is assumed"
    /// );
    /// ```
    pub fn explanation(&self) -> String {
        let mut text = "reads the columns as their names suggest".to_owned();
        for remark in &self.remarks {
            text.push_str("; ");
            text.push_str(remark);
        }
        text
    }
}
