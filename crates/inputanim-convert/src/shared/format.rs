//! The registration of the formats: names, files, options, and what is lost.
//!
//! Everything else about a format follows from its entry here: lists in documents and interfaces, detection by magic bytes,
//! and options without effect. CONTRIBUTING.md describes how to add a format.

use std::fmt;
use std::str::FromStr;

use inputanim::About;

use super::fields::ReadField::{
    Animation, FromZero, IgnoreUnknown, KeepJitter, Mappings, MinConfidence, PalmsFromControllers,
    Pauses, Recording, SkipBad,
};
use super::fields::WriteField::{
    AllowLoss, ClipName, Event, Hand, KeyTimes, Labels, Markers, NodeNames, Rate, Scale, Shape,
    Source, StartTime, Time,
};
use super::fields::{ReadField, WriteField};
use super::options::TableShape;

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
    /// Lossless JSON: see [`json`](crate::json).
    Json,
    /// Binary glTF: see [`gltf`](crate::gltf).
    Glb,
    /// glTF as text.
    Gltf,
    /// Action recordings of IWER, the emulator of WebXR devices: see [`iwer`](crate::iwer).
    Iwer,
    /// MCAP with the messages of Foxglove.
    Mcap,
    /// Animation clips of Unity: see [`anim`](crate::anim).
    Anim,
    /// Captures of hands by Unity's package XR Hands: see [`handsbin`](crate::handsbin).
    HandsBin,
    /// BVH, hands for animation programs: see [`bvh`](crate::bvh).
    Bvh,
    /// USD as text: see [`usd`](crate::usd).
    Usda,
    /// Binary USD.
    Usdc,
    /// Parquet tables.
    Parquet,
    /// Arrow IPC files, also known as Feather.
    Arrow,
    /// Tables with cells between commas: see [`tables`](crate::tables).
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

/// The entry of a format.
struct FormatInfo {
    format: Format,
    name: &'static str,
    /// The purpose of the format. Formats that follow each other and have the same purpose share a line in lists.
    purpose: &'static str,
    /// The folder of the format.
    family: Family,
    /// `true` if the cargo feature of the format is enabled.
    is_in_build: bool,
    access: Access,
    is_text: bool,
    /// In lower case, with the most common extension first. Empty for a dataset.
    extensions: &'static [&'static str],
    /// The extensions that other programs also give to files of the format. Formats may share them, so that only the
    /// content decides.
    other_extensions: &'static [&'static str],
    /// The bytes with which only files of this format begin. `detect.rs` detects formats without them.
    signatures: &'static [&'static [u8]],
    holds: Holds,
    unknown: UnknownValues,
    devices: Devices,
    texts: Texts,
    /// The content of recordings that is not written.
    loses: &'static str,
    /// The options for writing that have an effect.
    writes: &'static [WriteField],
    /// The options for reading that have an effect.
    reads: &'static [ReadField],
}

/// The [unknown](inputanim::Recording::known) values that a format can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownValues {
    /// None: the last known value is held, and the loss is reported. An unknown hand is written as not tracked, and a note states
    /// this.
    Held,
    /// Those of the head, the gaze and joints. An unknown hand is written as not tracked, and a note states this.
    Poses,
    /// All.
    Stated,
}

/// The controllers, trackers and other devices that a format holds.
#[derive(Clone, Copy, PartialEq)]
enum Devices {
    /// None.
    None,
    /// Some of them, or a part of each. The writer reports the rest as losses.
    Partly,
    /// All, exactly.
    All,
}

/// The texts about a recording that a format holds: see [`inputanim::About`].
#[derive(Clone, Copy)]
enum Texts {
    /// None.
    None,
    /// Those with these names.
    Named(&'static [&'static str]),
    /// All.
    All,
}

/// A folder of formats.
#[derive(Clone, Copy)]
pub(crate) enum Family {
    Lossless,
    Table,
    Scene,
    Lab,
    Robot,
}

/// The directions of conversion.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Both,
    Read,
    Write,
}

/// The content that is written.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// Every key, bit for bit.
    Keys,
    /// The rows of a table, of a shape that the options select.
    Rows,
    /// Samples, or keys that the reader of the format evaluates.
    Motion,
}

/// The properties that most formats have.
const BINARY: FormatInfo = FormatInfo {
    format: Format::Bin,
    name: "",
    purpose: "",
    family: Family::Lossless,
    is_in_build: true,
    access: Access::Both,
    is_text: false,
    extensions: &[],
    other_extensions: &[],
    signatures: &[],
    holds: Holds::Motion,
    unknown: UnknownValues::Held,
    devices: Devices::None,
    texts: Texts::None,
    loses: "",
    writes: &[],
    reads: &[],
};
const TEXT: FormatInfo = FormatInfo {
    is_text: true,
    ..BINARY
};

const LAYOUT: WriteField = WriteField::Layout;
const SPACE: WriteField = WriteField::Space;

const GLTF: FormatInfo = FormatInfo {
    purpose: "animations for Blender, Unity and web pages",
    family: Family::Scene,
    is_in_build: cfg!(feature = "gltf"),
    loses: "wrap modes and weights, which no known recorder writes",
    writes: &[LAYOUT, AllowLoss, Rate, NodeNames],
    reads: &[ReadField::Space, Animation, Mappings, ReadField::Side],
    texts: Texts::All,
    ..BINARY
};
const USD: FormatInfo = FormatInfo {
    purpose: "USD as text and as binary (.usdc, .usd), for Omniverse, Houdini and Maya",
    family: Family::Scene,
    access: Access::Write,
    writes: &[Rate],
    texts: Texts::All,
    ..BINARY
};
const TABLE: FormatInfo = FormatInfo {
    purpose: "tables for data frames, spreadsheets and databases (docs/tables.md)",
    family: Family::Table,
    holds: Holds::Rows,
    unknown: UnknownValues::Stated,
    // A table of keys holds them completely. A wide table holds their samples.
    devices: Devices::Partly,
    writes: &[Rate, KeyTimes, SPACE, Time, Shape, Labels, Source],
    reads: &[
        ReadField::Space,
        ReadField::Layout,
        Mappings,
        MinConfidence,
        Recording,
        IgnoreUnknown,
        FromZero,
        SkipBad,
        Pauses,
        PalmsFromControllers,
    ],
    ..BINARY
};
const TEXT_TABLE: FormatInfo = FormatInfo {
    is_in_build: cfg!(feature = "tables"),
    is_text: true,
    loses: "markers, unless they are rows",
    writes: &[Rate, KeyTimes, SPACE, Time, Shape, Labels, Source, Markers],
    ..TABLE
};

/// The entries, in the order of [`Format`].
const FORMATS: &[FormatInfo] = &[
    FormatInfo {
        format: Format::Bin,
        name: "bin",
        purpose: "all data of a recording; json is lossless",
        extensions: &["bin"],
        signatures: &[&inputanim::MAGIC],
        holds: Holds::Keys,
        loses: "data that the layout cannot represent",
        writes: &[LAYOUT, AllowLoss],
        ..BINARY
    },
    FormatInfo {
        format: Format::Json,
        name: "json",
        purpose: "all data of a recording; json is lossless",
        is_in_build: cfg!(feature = "json"),
        extensions: &["json"],
        holds: Holds::Keys,
        unknown: UnknownValues::Stated,
        devices: Devices::All,
        writes: &[LAYOUT, AllowLoss],
        reads: &[PalmsFromControllers],
        texts: Texts::All,
        ..TEXT
    },
    FormatInfo {
        format: Format::Glb,
        name: "glb",
        extensions: &["glb"],
        signatures: &[b"glTF"],
        ..GLTF
    },
    FormatInfo {
        format: Format::Gltf,
        name: "gltf",
        is_text: true,
        extensions: &["gltf"],
        ..GLTF
    },
    FormatInfo {
        format: Format::Iwer,
        name: "iwer",
        purpose: ".iwer.json, for the WebXR emulator IWER",
        family: Family::Scene,
        is_in_build: cfg!(feature = "iwer"),
        extensions: &["iwer.json"],
        devices: Devices::Partly,
        loses: "markers, palms, trackers, haptic pulses",
        writes: &[Rate],
        reads: &[Pauses, PalmsFromControllers],
        ..TEXT
    },
    FormatInfo {
        format: Format::Mcap,
        name: "mcap",
        purpose: "for Foxglove and Rerun; contains the complete recording too",
        family: Family::Robot,
        is_in_build: cfg!(feature = "mcap-plain"),
        extensions: &["mcap"],
        // Of Isaac Capture too. The detection then reads the topics.
        signatures: &[b"\x89MCAP"],
        writes: &[Rate, KeyTimes, Source, StartTime],
        reads: &[Pauses, PalmsFromControllers],
        unknown: UnknownValues::Stated,
        devices: Devices::All,
        texts: Texts::All,
        ..BINARY
    },
    FormatInfo {
        format: Format::Anim,
        name: "anim",
        purpose: "animation clips of Unity",
        family: Family::Scene,
        is_in_build: cfg!(feature = "anim"),
        access: Access::Write,
        extensions: &["anim"],
        loses: "keys before 0",
        writes: &[ClipName, Event],
        ..TEXT
    },
    FormatInfo {
        format: Format::HandsBin,
        name: "handsbin",
        purpose: ".handsbin, captures of hands by Unity's XR Hands",
        family: Family::Scene,
        is_in_build: cfg!(feature = "handsbin"),
        extensions: &["handsbin"],
        loses: "gaze, markers",
        writes: &[Rate, KeyTimes, ClipName],
        reads: &[Pauses],
        ..BINARY
    },
    FormatInfo {
        format: Format::Bvh,
        name: "bvh",
        purpose: "hands as skeletons, for animation programs",
        family: Family::Scene,
        is_in_build: cfg!(feature = "bvh"),
        access: Access::Write,
        extensions: &["bvh"],
        loses: "head, gaze, pinches, markers, gaps",
        writes: &[Rate, Hand, Scale],
        ..TEXT
    },
    FormatInfo {
        format: Format::Usda,
        name: "usda",
        is_in_build: cfg!(feature = "usda"),
        is_text: true,
        extensions: &["usda"],
        ..USD
    },
    FormatInfo {
        format: Format::Usdc,
        name: "usdc",
        is_in_build: cfg!(feature = "usdc"),
        // Both the text and the binary form may be named `.usd`. USD's own tools then write the binary form.
        extensions: &["usdc", "usd"],
        ..USD
    },
    FormatInfo {
        format: Format::Parquet,
        name: "parquet",
        is_in_build: cfg!(feature = "parquet"),
        extensions: &["parquet"],
        signatures: &[b"PAR1"],
        texts: Texts::All,
        ..TABLE
    },
    FormatInfo {
        format: Format::Arrow,
        name: "arrow",
        is_in_build: cfg!(feature = "arrow"),
        extensions: &["arrow", "feather"],
        signatures: &[b"ARROW1"],
        texts: Texts::All,
        ..TABLE
    },
    FormatInfo {
        format: Format::Csv,
        name: "csv",
        extensions: &["csv"],
        ..TEXT_TABLE
    },
    FormatInfo {
        format: Format::Tsv,
        name: "tsv",
        extensions: &["tsv"],
        ..TEXT_TABLE
    },
    FormatInfo {
        format: Format::Ndjson,
        name: "ndjson",
        extensions: &["ndjson", "jsonl"],
        ..TEXT_TABLE
    },
    FormatInfo {
        format: Format::Isaac,
        name: "isaac",
        purpose: ".isaac.mcap, for NVIDIA Isaac Capture",
        family: Family::Robot,
        is_in_build: cfg!(feature = "isaac"),
        extensions: &["isaac.mcap"],
        // Isaac Capture names its files like any MCAP.
        other_extensions: &["mcap"],
        writes: &[Rate, KeyTimes, Source, StartTime],
        reads: &[Pauses, PalmsFromControllers],
        unknown: UnknownValues::Stated,
        devices: Devices::All,
        texts: Texts::All,
        ..BINARY
    },
    FormatInfo {
        format: Format::EgoDex,
        name: "egodex",
        purpose: ".hdf5, episodes of the dataset EgoDex",
        family: Family::Robot,
        is_in_build: cfg!(feature = "egodex"),
        access: Access::Read,
        extensions: &["hdf5", "h5"],
        signatures: &[b"\x89HDF\r\n"],
        reads: &[MinConfidence],
        ..BINARY
    },
    FormatInfo {
        format: Format::Xdf,
        name: "xdf",
        purpose: "for the Lab Streaming Layer",
        family: Family::Lab,
        is_in_build: cfg!(feature = "xdf"),
        extensions: &["xdf"],
        // Files that are compressed are read and not written. Only XDF is compressed as a whole file.
        other_extensions: &["xdfz", "xdf.gz"],
        signatures: &[b"XDF:", b"\x1f\x8b"],
        unknown: UnknownValues::Poses,
        loses: "keys between samples",
        writes: &[Rate, KeyTimes, SPACE, Source, StartTime],
        reads: &[
            ReadField::Space,
            Mappings,
            Recording,
            Pauses,
            KeepJitter,
            MinConfidence,
            PalmsFromControllers,
        ],
        texts: Texts::All,
        devices: Devices::Partly,
        ..BINARY
    },
    FormatInfo {
        format: Format::Xror,
        name: "xror",
        purpose: ".xror, recordings of the dataset BOXRR-23",
        family: Family::Lab,
        is_in_build: cfg!(feature = "xror"),
        access: Access::Read,
        extensions: &["xror"],
        other_extensions: &["bson"],
        reads: &[ReadField::Space, Pauses, PalmsFromControllers],
        devices: Devices::Partly,
        ..BINARY
    },
    FormatInfo {
        format: Format::MotionBids,
        name: "motion-bids",
        purpose: "a dataset of Motion-BIDS",
        family: Family::Table,
        is_in_build: cfg!(feature = "motion-bids"),
        access: Access::Write,
        writes: &[Rate, SPACE, Labels],
        texts: Texts::Named(&[About::TASK, About::DEVICE, About::SYSTEM, About::PROGRAM]),
        devices: Devices::Partly,
        ..TEXT
    },
    FormatInfo {
        format: Format::LeRobot,
        name: "lerobot",
        purpose: "a dataset of LeRobot for training robots",
        family: Family::Table,
        is_in_build: cfg!(feature = "lerobot"),
        access: Access::Write,
        loses: "keys between samples",
        writes: &[Rate, SPACE],
        texts: Texts::Named(&[About::TASK]),
        ..BINARY
    },
];

impl Format {
    /// Every format.
    pub const ALL: &'static [Format] = &{
        let mut all = [Format::Bin; FORMATS.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = FORMATS[index].format;
            index += 1;
        }
        all
    };

    const fn info(self) -> &'static FormatInfo {
        &FORMATS[self as usize]
    }

    /// Returns the group of modules that reads and writes the format, such as `Lab` or `Robot`.
    pub(crate) const fn family(self) -> Family {
        self.info().family
    }

    /// Returns the magic bytes of the format: sequences of bytes with which files of this format begin, and files of no
    /// other format. The list is empty for formats without magic bytes.
    pub(crate) const fn signatures(self) -> &'static [&'static [u8]] {
        self.info().signatures
    }

    /// Returns the fields of `WriteOptions` that have an effect when the format is written.
    pub(super) const fn written_fields(self) -> &'static [WriteField] {
        self.info().writes
    }

    /// Returns the fields of `ReadOptions` that have an effect when the format is read.
    pub(super) const fn read_fields(self) -> &'static [ReadField] {
        self.info().reads
    }

    /// Returns the short name, such as `json`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns a phrase about the purpose of the format, such as `for the Lab Streaming Layer`. Formats with the same
    /// phrase follow each other in [`ALL`](Format::ALL), so that a list of formats can show them in one line.
    pub const fn purpose(self) -> &'static str {
        self.info().purpose
    }

    /// Returns a phrase that names the content of recordings that is not written, such as `keys between samples`. It is
    /// empty if all content is written.
    pub const fn loses(self) -> &'static str {
        self.info().loses
    }

    /// Returns the file extensions without the dot, the most common one first. The list is empty for a dataset.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.info().extensions
    }

    /// Returns further extensions that only other programs give to files of the format, without the dot.
    pub(super) const fn other_extensions(self) -> &'static [&'static str] {
        self.info().other_extensions
    }

    /// Returns `true` for text formats.
    pub const fn is_text(self) -> bool {
        self.info().is_text
    }

    /// Returns `true` for the formats that hold rows of a table.
    pub const fn is_table(self) -> bool {
        matches!(self.info().holds, Holds::Rows)
    }

    /// Returns `true` for a dataset of several files, which [`write`](crate::write()) does not write.
    pub const fn is_dataset(self) -> bool {
        self.extensions().is_empty()
    }

    /// Returns the unknown values that the format can state.
    ///
    /// ```
    /// use inputanim_convert::{Format, UnknownValues};
    /// assert_eq!(Format::Json.unknown_values(), UnknownValues::Stated);
    /// assert_eq!(Format::Bin.unknown_values(), UnknownValues::Held);
    /// ```
    pub const fn unknown_values(self) -> UnknownValues {
        self.info().unknown
    }

    /// Returns `true` if the format holds all [devices](inputanim::Recording::devices) of a recording exactly: controllers, trackers
    /// and others. A format that holds a part of them reports the rest as losses.
    pub const fn holds_devices(self) -> bool {
        matches!(self.info().devices, Devices::All)
    }

    /// Returns the recommended format for recordings that other formats hold only in part: MCAP, or JSON if the build lacks MCAP.
    /// It holds everything exactly. `None` if the build has neither of them.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert!(Format::complete().is_none_or(|format| format.holds_devices() && format.is_in_build()));
    /// ```
    pub fn complete() -> Option<Format> {
        let formats = [Format::Mcap, Format::Json];
        formats.into_iter().find(|format| format.is_in_build())
    }

    /// The formats of recordings, which keep all keys: `bin`, and JSON and MCAP, which also keep devices and unknown values.
    pub const OF_RECORDINGS: [Format; 3] = [Format::Bin, Format::Json, Format::Mcap];

    /// Returns the format in which a batch writes the recording that it makes from a file of this format, if the user names no
    /// format: the format of the file if it is one [of recordings](Format::OF_RECORDINGS), so that an edit loses neither devices
    /// nor unknown values; otherwise `bin`.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::Json.in_batches(), Format::Json);
    /// assert_eq!(Format::Csv.in_batches(), Format::Bin);
    /// ```
    pub fn in_batches(self) -> Format {
        let is_kept = self.is_in_build() && Format::OF_RECORDINGS.contains(&self);
        if is_kept { self } else { Format::Bin }
    }

    /// Returns `true` if the format holds at least a part of the [devices](inputanim::Recording::devices) of a recording, so that
    /// recordings that are read from it may have devices.
    pub const fn may_have_devices(self) -> bool {
        !matches!(self.info().devices, Devices::None)
    }

    /// Returns `true` if the format holds the text about a recording with a name: see [`inputanim::About`].
    ///
    /// ```
    /// use inputanim::About;
    /// use inputanim_convert::Format;
    /// assert!(Format::Json.holds_text("any") && !Format::Bin.holds_text(About::TASK));
    /// assert!(Format::LeRobot.holds_text(About::TASK) && !Format::LeRobot.holds_text(About::DEVICE));
    /// ```
    pub fn holds_text(self, name: &str) -> bool {
        match self.info().texts {
            Texts::None => false,
            Texts::Named(names) => names.contains(&name),
            Texts::All => true,
        }
    }

    /// Returns the names of the texts about a recording that the format does not hold. The text about the former format is never
    /// among them.
    pub fn lost_texts(self, about: &About) -> Vec<&str> {
        let names = about.iter().map(|(name, _)| name);
        let is_lost = |name: &&str| *name != About::FORMAT && !self.holds_text(name);
        names.filter(is_lost).collect()
    }

    /// Returns `true` if damage of the recording shows in the output and cannot be repaired later, because the output
    /// contains samples, or keys that other programs play. Other outputs keep the damaged keys unchanged, so that they
    /// can be repaired later. `shape` counts for tables only.
    ///
    /// ```
    /// use inputanim_convert::{Format, TableShape};
    /// assert!(Format::Glb.is_evaluated(TableShape::default()));
    /// assert!(Format::Csv.is_evaluated(TableShape::Wide) && !Format::Csv.is_evaluated(TableShape::Keys));
    /// ```
    pub const fn is_evaluated(self, shape: TableShape) -> bool {
        match self.info().holds {
            Holds::Keys => false,
            Holds::Rows => !matches!(shape, TableShape::Keys),
            Holds::Motion => true,
        }
    }

    /// Returns `true` if [`read`](crate::read) reads the format. The build may lack the format: see
    /// [`is_in_build`](Format::is_in_build).
    pub const fn can_read(self) -> bool {
        !matches!(self.info().access, Access::Write)
    }

    /// Returns `true` if the library writes the format. The build may lack the format: see
    /// [`is_in_build`](Format::is_in_build).
    pub const fn can_write(self) -> bool {
        !matches!(self.info().access, Access::Read)
    }

    /// Returns `true` if the cargo feature of the format is enabled.
    pub const fn is_in_build(self) -> bool {
        self.info().is_in_build
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format \"{0}\"")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        let mut all = Format::ALL.iter();
        let found = all.find(|format| format.name().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_order() {
        for (index, &format) in Format::ALL.iter().enumerate() {
            assert_eq!(format as usize, index, "{format}");
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("xyz".parse::<Format>().is_err());
    }

    #[test]
    fn formats_with_the_same_purpose_follow_each_other() {
        let purposes = FORMATS.iter().map(|info| info.purpose);
        let mut lines: Vec<&str> = purposes.collect();
        lines.dedup();
        let unique: std::collections::HashSet<_> = lines.iter().collect();
        assert_eq!(unique.len(), lines.len());
    }
}
