//! The formats, by name.

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

/// A format that recordings are converted to or from.
///
/// ```
/// use inputanim_convert::Format;
/// assert_eq!("json".parse(), Ok(Format::Json));
/// assert_eq!(Format::of_extension("BIN".as_ref()), Some(Format::Bin));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Input animation files.
    Bin,
    /// Lossless JSON: [`json`](crate::json).
    Json,
}

/// What is to be known of a format.
struct Facts {
    name: &'static str,
    /// In small letters; the first is the usual one.
    extensions: &'static [&'static str],
    is_text: bool,
    can_be_read: bool,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 2] = [Format::Bin, Format::Json];

    const fn facts(self) -> Facts {
        match self {
            Format::Bin => Facts {
                name: "bin",
                extensions: &["bin"],
                is_text: false,
                can_be_read: true,
            },
            Format::Json => Facts {
                name: "json",
                extensions: &["json"],
                is_text: true,
                can_be_read: true,
            },
        }
    }

    /// The name on the command line, such as `json`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The extensions of its files, without the dot; the first is the usual one.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.facts().extensions
    }

    /// Whether it may be printed in a terminal.
    pub const fn is_text(self) -> bool {
        self.facts().is_text
    }

    /// Whether it also converts back.
    pub const fn can_be_read(self) -> bool {
        self.facts().can_be_read
    }

    /// The format whose files have an extension, given without the dot; case does not matter.
    pub fn of_extension(extension: &OsStr) -> Option<Format> {
        Format::ALL.into_iter().find(|format| {
            let mut known = format.extensions().iter();
            known.any(|known| extension.eq_ignore_ascii_case(known))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        let mut all = Format::ALL.into_iter();
        let found = all.find(|format| format.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions_lead_to_one_format_only() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for extension in format.extensions() {
                assert_eq!(Format::of_extension(extension.as_ref()), Some(format));
            }
        }
        assert!("xyz".parse::<Format>().is_err());
    }
}
