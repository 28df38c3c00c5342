//! The formats and their names.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A format that recordings are converted to or from.
///
/// ```
/// use inputanim_convert::Format;
/// assert_eq!("json".parse(), Ok(Format::Json));
/// assert_eq!(Format::from_extension("BIN".as_ref()), Some(Format::Bin));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// MRTK input animation files.
    Bin,
    /// Lossless JSON.
    Json,
    /// Binary glTF.
    Glb,
    /// glTF as text.
    Gltf,
    /// Action recordings of IWER, the emulator of WebXR devices.
    Iwer,
    /// MCAP with the messages of Foxglove.
    Mcap,
    /// Animation clips of Unity.
    Anim,
    /// BVH: hands for animation programs.
    Bvh,
    /// USD as text.
    Usda,
    /// Binary USD.
    Usdc,
    /// Parquet tables.
    Parquet,
    /// Arrow IPC files, also known as Feather.
    Arrow,
    /// Tables with cells between commas.
    Csv,
    /// Tables with cells between tabs.
    Tsv,
    /// Tables with one JSON object per line.
    Ndjson,
    /// MCAP with the messages of NVIDIA's Isaac Capture.
    Isaac,
    /// Episodes of the dataset EgoDex, in HDF5.
    EgoDex,
    /// XDF, the files of the Lab Streaming Layer.
    Xdf,
    /// XROR, the files of the dataset BOXRR-23.
    Xror,
    /// Motion-BIDS, a dataset of several files: see [`motion_bids`](crate::motion_bids).
    MotionBids,
    /// LeRobot, a dataset of many recordings.
    LeRobot,
}

/// A folder of formats.
pub(crate) enum Family {
    Lossless,
    Table,
    Scene,
    Lab,
    Robot,
}

/// The properties of a format.
struct Facts {
    name: &'static str,
    /// In lower case, with the most common extension first. Empty for a dataset.
    extensions: &'static [&'static str],
    is_text: bool,
    access: Access,
    is_in_build: bool,
}

/// The directions of conversion.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Both,
    Read,
    Write,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 21] = [
        Format::Bin,
        Format::Json,
        Format::Glb,
        Format::Gltf,
        Format::Iwer,
        Format::Mcap,
        Format::Anim,
        Format::Bvh,
        Format::Usda,
        Format::Usdc,
        Format::Parquet,
        Format::Arrow,
        Format::Csv,
        Format::Tsv,
        Format::Ndjson,
        Format::Isaac,
        Format::EgoDex,
        Format::Xdf,
        Format::Xror,
        Format::MotionBids,
        Format::LeRobot,
    ];

    /// Returns the family that reads and writes the format.
    pub(crate) const fn family(self) -> Family {
        use Format as F;
        match self {
            F::Bin | F::Json => Family::Lossless,
            F::Parquet | F::Arrow | F::Csv | F::Tsv | F::Ndjson => Family::Table,
            F::MotionBids | F::LeRobot => Family::Table,
            F::Glb | F::Gltf | F::Iwer | F::Anim | F::Bvh | F::Usda | F::Usdc => Family::Scene,
            F::Xdf | F::Xror => Family::Lab,
            F::Mcap | F::Isaac | F::EgoDex => Family::Robot,
        }
    }

    // The inner function takes positional arguments, which keeps the table at one line per format.
    const fn facts(self) -> Facts {
        const fn facts(
            name: &'static str,
            extensions: &'static [&'static str],
            is_text: bool,
            access: Access,
            is_in_build: bool,
        ) -> Facts {
            Facts {
                name,
                extensions,
                is_text,
                access,
                is_in_build,
            }
        }
        const TEXT: bool = true;
        const BINARY: bool = false;
        const READ: Access = Access::Both;
        const READ_ONLY: Access = Access::Read;
        const WRITE_ONLY: Access = Access::Write;
        const JSON: bool = cfg!(feature = "json");
        const GLTF: bool = cfg!(feature = "gltf");
        const IWER: bool = cfg!(feature = "iwer");
        const MCAP: bool = cfg!(feature = "mcap");
        const ANIM: bool = cfg!(feature = "anim");
        const BVH: bool = cfg!(feature = "bvh");
        const USD: bool = cfg!(feature = "usda");
        const USDC: bool = cfg!(feature = "usdc");
        const TABLES: bool = cfg!(feature = "tables");
        const MOTION_BIDS: bool = cfg!(feature = "motion-bids");
        const ARROW: bool = cfg!(feature = "arrow");
        const PARQUET: bool = cfg!(feature = "parquet");
        const ISAAC: bool = cfg!(feature = "isaac");
        const EGODEX: bool = cfg!(feature = "egodex");
        const XDF: bool = cfg!(feature = "xdf");
        const XROR: bool = cfg!(feature = "xror");
        const LEROBOT: bool = cfg!(feature = "lerobot");
        match self {
            Format::Bin => facts("bin", &["bin"], BINARY, READ, true),
            Format::Json => facts("json", &["json"], TEXT, READ, JSON),
            Format::Glb => facts("glb", &["glb"], BINARY, READ, GLTF),
            Format::Gltf => facts("gltf", &["gltf"], TEXT, READ, GLTF),
            Format::Iwer => facts("iwer", &["iwer.json"], TEXT, READ, IWER),
            Format::Mcap => facts("mcap", &["mcap"], BINARY, READ, MCAP),
            Format::Anim => facts("anim", &["anim"], TEXT, WRITE_ONLY, ANIM),
            Format::Bvh => facts("bvh", &["bvh"], TEXT, WRITE_ONLY, BVH),
            Format::Usda => facts("usda", &["usda"], TEXT, WRITE_ONLY, USD),
            // Both the text and the binary form may be named `.usd`. USD's own tools then write the binary form.
            Format::Usdc => facts("usdc", &["usdc", "usd"], BINARY, WRITE_ONLY, USDC),
            Format::Parquet => facts("parquet", &["parquet"], BINARY, READ, PARQUET),
            Format::Arrow => facts("arrow", &["arrow", "feather"], BINARY, READ, ARROW),
            Format::Csv => facts("csv", &["csv"], TEXT, READ, TABLES),
            Format::Tsv => facts("tsv", &["tsv"], TEXT, READ, TABLES),
            Format::Ndjson => facts("ndjson", &["ndjson", "jsonl"], TEXT, READ, TABLES),
            Format::Isaac => facts("isaac", &["isaac.mcap"], BINARY, READ, ISAAC),
            Format::EgoDex => facts("egodex", &["hdf5", "h5"], BINARY, READ_ONLY, EGODEX),
            Format::Xdf => facts("xdf", &["xdf"], BINARY, READ, XDF),
            Format::Xror => facts("xror", &["xror"], BINARY, READ_ONLY, XROR),
            Format::LeRobot => facts("lerobot", &[], BINARY, WRITE_ONLY, LEROBOT),
            Format::MotionBids => facts("motion-bids", &[], TEXT, WRITE_ONLY, MOTION_BIDS),
        }
    }

    /// Returns the short name, such as `json`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the file extensions without the dot, the most common one first. The list is empty for a dataset.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.facts().extensions
    }

    /// Returns the extensions that other programs also give to files of the format. Formats may share them, so that only
    /// the content decides.
    const fn other_extensions(self) -> &'static [&'static str] {
        match self {
            // Isaac Capture names its files like any MCAP.
            Format::Isaac => &["mcap"],
            // Files that are compressed are read and not written.
            Format::Xdf => &["xdfz", "xdf.gz"],
            Format::Xror => &["bson"],
            _ => &[],
        }
    }

    /// Returns the extensions of files to read: the [`extensions`](Format::extensions), and extensions that only other
    /// programs use. Two formats may share an extension; [`of_file`](Format::of_file) selects one.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert!(Format::Xdf.input_extensions().eq(["xdf", "xdfz", "xdf.gz"]));
    /// ```
    pub fn input_extensions(self) -> impl Iterator<Item = &'static str> {
        let all = [self.extensions(), self.other_extensions()];
        all.into_iter().flatten().copied()
    }

    /// Returns `true` for text formats.
    pub const fn is_text(self) -> bool {
        self.facts().is_text
    }

    /// Returns `true` for the formats that hold rows of a table.
    pub const fn is_table(self) -> bool {
        use Format::{Arrow, Csv, Ndjson, Parquet, Tsv};
        matches!(self, Parquet | Arrow | Csv | Tsv | Ndjson)
    }

    /// Returns `true` for a dataset of several files, which [`write`](crate::write()) does not write.
    pub const fn is_dataset(self) -> bool {
        matches!(self, Format::MotionBids | Format::LeRobot)
    }

    /// Returns `true` for formats that contain samples of the recording. Tables do not count.
    pub const fn is_sampled(self) -> bool {
        use Format::{Bvh, Isaac, Iwer, LeRobot, Mcap, MotionBids, Usda, Usdc, Xdf};
        matches!(
            self,
            Iwer | Mcap | Isaac | Xdf | Bvh | MotionBids | LeRobot | Usda | Usdc
        )
    }

    /// Returns `true` if [`read`](crate::read) reads the format. The build may lack the format: see
    /// [`is_in_build`](Format::is_in_build).
    pub const fn can_read(self) -> bool {
        !matches!(self.facts().access, Access::Write)
    }

    /// Returns `true` if the library writes the format. The build may lack the format: see
    /// [`is_in_build`](Format::is_in_build).
    pub const fn can_write(self) -> bool {
        !matches!(self.facts().access, Access::Read)
    }

    /// Returns `true` if the cargo feature of the format is enabled.
    pub const fn is_in_build(self) -> bool {
        self.facts().is_in_build
    }

    /// Returns the format with a file extension, given without the dot and in any case.
    pub fn from_extension(extension: &OsStr) -> Option<Format> {
        Format::ALL.into_iter().find(|format| {
            let mut known = format.extensions().iter();
            known.any(|known| extension.eq_ignore_ascii_case(known))
        })
    }

    /// Returns `true` if the files of the format may have such a name, for a search of folders: one of
    /// [`input_extensions`](Format::input_extensions). The name may also be the name of another format: `a.mcap`.
    pub fn has_name(self, path: &Path) -> bool {
        let name = path.to_string_lossy();
        let mut others = self.other_extensions().iter();
        Format::from_path(path) == Some(self)
            || others.any(|extension| stem(&name, extension).is_some())
    }

    /// Returns the most likely format of a file to read: by its content, else by its name.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::of_file("a.csv".as_ref(), b"time_s\n0\n"), Some(Format::Csv));
    /// assert_eq!(Format::of_file("a.csv".as_ref(), b"glTF\x02\0\0\0"), Some(Format::Glb));
    /// ```
    pub fn of_file(path: &Path, bytes: &[u8]) -> Option<Format> {
        Format::detect(bytes).or_else(|| Format::from_path(path))
    }

    /// Returns `true` if files of other formats may have such a name too, so that a search for files of this format must
    /// examine the content: [`other_of`](Format::other_of).
    pub fn shares_name(self, path: &Path) -> bool {
        let mut others = Format::ALL.into_iter().filter(|&other| other != self);
        others.any(|other| other.has_name(path))
    }

    /// Returns the format for the extension of a file name. The longest extension counts: `a.iwer.json` is IWER, not
    /// lossless JSON.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::from_path("takes/1.5 m.iwer.json".as_ref()), Some(Format::Iwer));
    /// assert_eq!(Format::from_path("takes/1.5 m.json".as_ref()), Some(Format::Json));
    /// assert_eq!(Format::from_path("json".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_string_lossy();
        // Endings are tried from the first dot on, so that the longest one wins.
        let dots = name.char_indices().filter(|&(_, letter)| letter == '.');
        let mut endings = dots.map(|(dot, _)| &name[dot + 1..]);
        endings.find_map(|ending| Format::from_extension(ending.as_ref()))
    }

    /// Returns a path with the most common extension of the format. It replaces the extension of a known format, and is
    /// added to other names. A dataset has no extension, so the path stays the same.
    ///
    /// ```
    /// use std::path::Path;
    /// use inputanim_convert::Format;
    /// let renamed = |format: Format, path: &str| format.renamed(path.as_ref());
    /// assert_eq!(renamed(Format::Iwer, "p1/a.BIN"), Path::new("p1/a.iwer.json"));
    /// assert_eq!(renamed(Format::Bin, "p1/a.isaac.mcap"), Path::new("p1/a.bin"));
    /// assert_eq!(renamed(Format::Bin, "1.5 m"), Path::new("1.5 m.bin"));
    /// ```
    pub fn renamed(self, path: &Path) -> PathBuf {
        let [extension, ..] = self.extensions() else {
            return path.to_owned();
        };
        // `Path::with_extension` knows no extension of two parts, such as `.iwer.json`.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{}.{extension}", without_extension(&name)))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Removes the extension of a known format from a path. Other extensions stay.
///
/// ```
/// use inputanim_convert::without_extension;
/// assert_eq!(without_extension("p01/take.iwer.json"), "p01/take");
/// assert_eq!(without_extension("p01/take.xdfz"), "p01/take");
/// assert_eq!(without_extension("p01/1.5 m"), "p01/1.5 m");
/// ```
pub fn without_extension(path: &str) -> &str {
    let extensions = Format::ALL.into_iter().flat_map(Format::input_extensions);
    let stems = extensions.filter_map(|extension| stem(path, extension));
    // `.iwer.json` ends with `.json` too.
    stems.min_by_key(|stem| stem.len()).unwrap_or(path)
}

/// Returns a path without an extension in any case; `None` if the path has another extension.
fn stem<'p>(path: &'p str, extension: &str) -> Option<&'p str> {
    let dot = path.len().checked_sub(extension.len() + 1)?;
    let ending = path.get(dot..)?.strip_prefix('.')?;
    ending.eq_ignore_ascii_case(extension).then(|| &path[..dot])
}

/// A text that is not the name of a [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{0}`")]
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
    fn a_search_finds_other_names_of_a_format() {
        let has_name = |format: Format, name: &str| format.has_name(name.as_ref());
        assert!(has_name(Format::Isaac, "a.mcap") && !has_name(Format::Mcap, "a.isaac.mcap"));
        assert!(has_name(Format::Xdf, "a.xdf") && has_name(Format::Xdf, "a.XDFZ"));
        assert!(has_name(Format::Xdf, "a.xdf.gz") && has_name(Format::Xror, "a/b.bson"));
        assert!(!has_name(Format::Bin, "a.xdfz") && !has_name(Format::Xdf, "xdfz"));
        let shares_name = |format: Format, name: &str| format.shares_name(name.as_ref());
        assert!(shares_name(Format::Isaac, "a.mcap") && shares_name(Format::Mcap, "a.mcap"));
        assert!(!shares_name(Format::Isaac, "a.isaac.mcap") && !shares_name(Format::Bin, "a.bin"));
        assert!(!has_name(Format::Xdf, "a.gz"));
    }

    #[test]
    fn names_and_extensions_are_unique() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for extension in format.extensions() {
                assert_eq!(Format::from_extension(extension.as_ref()), Some(format));
            }
        }
        assert!("xyz".parse::<Format>().is_err());
    }
}
