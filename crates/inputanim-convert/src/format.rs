//! The formats, by name.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::tables::{csv, ndjson};
use crate::{gltf, iwer, json};

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
    /// Binary glTF: [`gltf`](crate::gltf).
    Glb,
    /// glTF as text: [`gltf`](crate::gltf).
    Gltf,
    /// Action recordings of IWER: [`iwer`](crate::iwer).
    Iwer,
    /// MCAP with the messages of Foxglove: `mcap`, with the feature of that name.
    Mcap,
    /// Animation clips of Unity: [`unity_anim`](crate::unity_anim).
    UnityAnim,
    /// Hands for animation programs: [`bvh`](crate::bvh).
    Bvh,
    /// USD as text: [`usd`](crate::usd).
    Usda,
    /// Binary USD: [`usd`](crate::usd).
    Usdc,
    /// Parquet, a form of [`tables`](crate::tables), as are the following.
    Parquet,
    /// Arrow IPC files.
    Arrow,
    /// Cells between commas.
    Csv,
    /// Cells between tabs.
    Tsv,
    /// An object of JSON a line.
    Ndjson,
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
    pub const ALL: [Format; 15] = [
        Format::Bin,
        Format::Json,
        Format::Glb,
        Format::Gltf,
        Format::Iwer,
        Format::Mcap,
        Format::UnityAnim,
        Format::Bvh,
        Format::Usda,
        Format::Usdc,
        Format::Parquet,
        Format::Arrow,
        Format::Csv,
        Format::Tsv,
        Format::Ndjson,
    ];

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
            Format::Glb => Facts {
                name: "glb",
                extensions: &["glb"],
                is_text: false,
                can_be_read: true,
            },
            Format::Gltf => Facts {
                name: "gltf",
                extensions: &["gltf"],
                is_text: true,
                can_be_read: true,
            },
            Format::Iwer => Facts {
                name: "iwer",
                extensions: &["iwer.json"],
                is_text: true,
                can_be_read: true,
            },
            Format::Mcap => Facts {
                name: "mcap",
                extensions: &["mcap"],
                is_text: false,
                can_be_read: true,
            },
            Format::UnityAnim => Facts {
                name: "anim",
                extensions: &["anim"],
                is_text: true,
                can_be_read: false,
            },
            Format::Bvh => Facts {
                name: "bvh",
                extensions: &["bvh"],
                is_text: true,
                can_be_read: false,
            },
            Format::Usda => Facts {
                name: "usda",
                extensions: &["usda"],
                is_text: true,
                can_be_read: false,
            },
            Format::Usdc => Facts {
                name: "usdc",
                // Either may be named `.usd`; the tools write binary then.
                extensions: &["usdc", "usd"],
                is_text: false,
                can_be_read: false,
            },
            Format::Parquet => Facts {
                name: "parquet",
                extensions: &["parquet"],
                is_text: false,
                can_be_read: true,
            },
            Format::Arrow => Facts {
                name: "arrow",
                extensions: &["arrow", "feather"],
                is_text: false,
                can_be_read: true,
            },
            Format::Csv => Facts {
                name: "csv",
                extensions: &["csv"],
                is_text: true,
                can_be_read: true,
            },
            Format::Tsv => Facts {
                name: "tsv",
                extensions: &["tsv"],
                is_text: true,
                can_be_read: true,
            },
            Format::Ndjson => Facts {
                name: "ndjson",
                extensions: &["ndjson", "jsonl"],
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

    /// Whether it is a form of [`tables`](crate::tables).
    pub const fn is_table(self) -> bool {
        use Format::{Arrow, Csv, Ndjson, Parquet, Tsv};
        matches!(self, Parquet | Arrow | Csv | Tsv | Ndjson)
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

    /// The format that the name of a file ends with: of `a.iwer.json` it is that of `iwer.json`, not
    /// of `json`.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::of_path("takes/1.5 m.iwer.json".as_ref()), Some(Format::Iwer));
    /// assert_eq!(Format::of_path("takes/1.5 m.json".as_ref()), Some(Format::Json));
    /// assert_eq!(Format::of_path("json".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_string_lossy();
        let dots = name.char_indices().filter(|&(_, letter)| letter == '.');
        let mut endings = dots.map(|(dot, _)| &name[dot + 1..]);
        endings.find_map(|ending| Format::of_extension(ending.as_ref()))
    }

    /// What a file is: by its content, or where that says nothing by its name.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::of_file("a.csv".as_ref(), b"time_s\n0\n"), Format::Csv);
    /// assert_eq!(Format::of_file("a.csv".as_ref(), &inputanim::MAGIC), Format::Bin);
    /// ```
    pub fn of_file(path: &Path, bytes: &[u8]) -> Format {
        match Format::of_content(bytes) {
            Format::Bin if !bytes.starts_with(&inputanim::MAGIC) => {
                let named = Format::of_path(path).filter(|format| format.can_be_read());
                named.unwrap_or(Format::Bin)
            }
            format => format,
        }
    }

    /// What bytes most likely are, by how they begin: one of the formats that can be read.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::of_content(br#"{"format": "inputanim-json"}"#), Format::Json);
    /// assert_eq!(Format::of_content(br#"{"asset": {"version": "2.0"}}"#), Format::Gltf);
    /// assert_eq!(Format::of_content(br#"{"schema": []}"#), Format::Iwer);
    /// assert_eq!(Format::of_content(br#"{"time": 0.5}"#), Format::Ndjson);
    /// assert_eq!(Format::of_content(b"time_s,left.tracked\n0,1\n"), Format::Csv);
    /// assert_eq!(Format::of_content(&inputanim::MAGIC), Format::Bin);
    /// ```
    pub fn of_content(bytes: &[u8]) -> Format {
        match bytes {
            bytes if gltf::is_gltf(bytes) => Format::Gltf,
            bytes if iwer::is_iwer(bytes) => Format::Iwer,
            [0x89, b'M', b'C', b'A', b'P', ..] => Format::Mcap,
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Format::Arrow,
            bytes if ndjson::is_ndjson(bytes) => Format::Ndjson,
            bytes if json::is_json(bytes) => Format::Json,
            bytes if csv::is_csv(bytes) => match csv::Separator::of(bytes) {
                csv::Separator::Comma => Format::Csv,
                csv::Separator::Tab => Format::Tsv,
            },
            _ => Format::Bin,
        }
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
