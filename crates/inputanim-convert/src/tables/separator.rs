//! Text as rows of cells.

use super::{Error, Place};

/// What stands between the cells of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Separator {
    /// A comma: CSV.
    #[default]
    Comma,
    /// A tab: TSV.
    Tab,
}

impl Separator {
    /// What the first line of a table has more of.
    pub fn of(text: &[u8]) -> Separator {
        let line = first_line(text);
        let count = |sign: u8| line.iter().filter(|byte| **byte == sign).count();
        match count(b'\t') > count(b',') {
            true => Separator::Tab,
            false => Separator::Comma,
        }
    }

    pub(super) const fn byte(self) -> u8 {
        match self {
            Separator::Comma => b',',
            Separator::Tab => b'\t',
        }
    }

    /// Makes sure that the first line is not one of cells between other signs.
    pub(super) fn check(self, text: &[u8]) -> Result<(), Error> {
        let line = first_line(text);
        let others = [(b',', "`,`"), (b'\t', "tabs"), (b';', "`;`")];
        let other = others.iter().find(|(sign, _)| line.contains(sign));
        match other {
            Some((_, found)) if !line.contains(&self.byte()) => Err(Error::Separator {
                place: Place::Line(1),
                found,
                expected: match self {
                    Separator::Comma => "commas",
                    Separator::Tab => "tabs",
                },
            }),
            _ => Ok(()),
        }
    }
}

/// Longest first line: one with the names of all columns has some ten thousand bytes.
pub(super) const LONGEST: usize = 1 << 20;

/// The first line that is not empty.
pub(super) fn first_line(text: &[u8]) -> &[u8] {
    let start = &text[..text.len().min(LONGEST)];
    let mut lines = start.split(|byte| b"\r\n".contains(byte));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Rows as they stand there, of whatever length.
pub(super) fn rows_of(text: &[u8], separator: Separator) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator.byte())
        .from_reader(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text))
}
