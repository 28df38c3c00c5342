//! Recognition of files that are not read: motion capture, animations and datasets of other programs, and common files.
//!
//! A reader that refuses a file asks here, so that the error can name the file and say what helps. Files that are read
//! cost nothing. Each signature is in the specification or the source of its format.

use std::borrow::Cow;
use std::path::Path;

use Signature::{Bytes, Matches};

use super::{JSON_MEMBERS, LONGEST_LINE, MAX_HEAD_BYTES, first_line, is_line};
use crate::shared::file_names::PACK_PROFILE;
use crate::shared::hdf5_start::{HDF5_SIGNATURE, hdf5_start};
use crate::shared::{Format, utf16};

/// A kind of file that is recognised and not read.
///
/// ```
/// use inputanim_convert::UnreadFormat;
/// let fbx = UnreadFormat::detect(b"Kaydara FBX Binary  \0\x1a\0").expect("a known kind");
/// assert_eq!(fbx.name(), "a binary FBX file");
/// assert!(fbx.advice().contains("Blender"));
/// assert_eq!(UnreadFormat::detect(b"\x01\x02\x03"), None);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct UnreadFormat {
    name: &'static str,
    advice: &'static str,
    /// The format that is only written and has files of this kind, or whose reader gives this advice for other content.
    format: Option<Format>,
    /// The path of a file that only datasets of this kind contain, and a name for such a dataset.
    folder: Option<(&'static str, &'static str)>,
    /// `true` if the error of a reader says more than the name of the kind.
    is_general: bool,
    signature: Signature,
}

/// A property by which a kind of files is recognised.
#[derive(Debug)]
enum Signature {
    /// The first bytes are one of these.
    Bytes(&'static [&'static [u8]]),
    /// The function returns `true`.
    Matches(fn(&Content<'_>) -> bool),
}

impl Signature {
    fn is_of(&self, content: &Content<'_>) -> bool {
        match self {
            Bytes(beginnings) => content.begins_with_any(beginnings),
            Matches(is) => is(content),
        }
    }
}

// Two kinds with the same name would be one.
impl PartialEq for UnreadFormat {
    fn eq(&self, other: &UnreadFormat) -> bool {
        self.name == other.name
    }
}

/// The content of a file, as far as signatures need it.
struct Content<'a> {
    bytes: &'a [u8],
    /// The beginning as UTF-8, without a byte order mark and white space at the start. Empty for binary files.
    text: Cow<'a, str>,
}

const CSV_OF_SCRIPT: &str = "write its values as a CSV file with a column time_s in seconds and positions in metres, and assign \
    the columns by mappings (docs/tables.md)";
const BY_BLENDER: &str = "import it in Blender, export it as glTF 2.0 (.glb) with its animation, and read that file; \
    docs/convert.md lists the names of joints that are known";
const ROS_1: &str = "write the topic with the poses as CSV with `rostopic echo -b FILE -p TOPIC > poses.csv`, and assign the \
    columns by mappings (docs/tables.md)";
const ROS: &str = "write the topic with the poses as CSV, for example with the Python package rosbags, and assign the columns by \
    mappings (docs/tables.md)";
const UNITY: &str = "play it in Unity, and record the hands with the OpenXR layer (docs/openxr.md) or with MRTK; or write its \
    values as CSV with a script (docs/tables.md)";
const UNITY_CAPTURE: &str = "read the .handsbin file from which Unity imported it; the device has it in the folder RecordedHandData of \
    the application";
const BIDS: &str = "write the names of _channels.tsv as the first line of _motion.tsv, add a column time_s with seconds, and \
    assign the columns by mappings (docs/tables.md)";
const LEROBOT: &str = "write the frames of an episode as CSV, with one column for each number of observation.state, and assign the \
    columns by mappings, with timestamp as the time (docs/tables.md)";
const MARKERS: &str = "it has positions of markers and no joints: write the markers at the joints as CSV, in metres and with a \
    column time_s, and assign them to joints by mappings (docs/tables.md)";
const USD: &str =
    "import it in Blender, export it as glTF 2.0 (.glb) with its animation, and read that file";
const OTHER_FILE: &str = "docs/convert.md lists the formats that are read";

/// The kind of packs, which are folders and not recordings.
pub(crate) const PACK: UnreadFormat = kind(
    "a pack of files (.pack.mcap)",
    "give it a name that ends with .pack.mcap: commands that search folders with -r then read its recordings, and \
     `inputanim unpack` writes its files",
    Matches(|content| content.is_pack()),
);

/// Returns a kind without a format and a folder.
const fn kind(name: &'static str, advice: &'static str, signature: Signature) -> UnreadFormat {
    UnreadFormat {
        name,
        advice,
        format: None,
        folder: None,
        is_general: false,
        signature,
    }
}

/// The kinds, in the order in which they are tried: those that contain others, such as zip archives, come after them.
const KINDS: &[UnreadFormat] = &[
    PACK,
    // https://github.com/BeatLeader/BS-Open-Replay: the number 0x442d3d69, and a version of one byte.
    kind(
        "a replay of Beat Saber (BSOR of BeatLeader)",
        "convert it to XROR with the Python package xror, `XROR.fromBSOR(file).pack()`, and read that file",
        Bytes(&[b"\x69\x3d\x2d\x44"]),
    ),
    // TiltFile.cs of Tilt Brush: the number 0x546c6974 before a zip archive.
    kind(
        "a sketch of Tilt Brush (.tilt)",
        "convert it to XROR with the Python package xror, `XROR.fromTilt(path).pack()`, and read that file",
        Bytes(&[b"tilT"]),
    ),
    kind(
        "a binary FBX file",
        BY_BLENDER,
        Bytes(&[b"Kaydara FBX Binary"]),
    ),
    // The first line is a comment, such as "; FBX 7.3.0 project file".
    kind(
        "an FBX file as text",
        "open it in FBX Converter or Unity, export it as binary FBX, import that in Blender, and export glTF 2.0 (.glb); \
                 Blender reads no FBX text",
        Matches(|content| {
            content.text.starts_with("; FBX ") || content.begins_with_word("FBXHeaderExtension:")
        }),
    ),
    UnreadFormat {
        format: Some(Format::Anim),
        ..kind(
            "an animation clip of Unity",
            UNITY,
            Matches(|content| content.is_unity_yaml() && content.has_text("\nAnimationClip:")),
        )
    },
    kind(
        "a capture of hands in Unity (XRHandCaptureSequence)",
        UNITY_CAPTURE,
        Matches(|content| content.is_unity_yaml() && content.has_text("XRHandCaptureSequence")),
    ),
    kind(
        "an asset or scene of Unity",
        UNITY,
        Matches(|content| content.is_unity_yaml()),
    ),
    kind(
        "an asset bundle of Unity",
        UNITY,
        Bytes(&[
            b"UnityFS\0",
            b"UnityWeb\0",
            b"UnityRaw\0",
            b"UnityArchive\0",
        ]),
    ),
    UnreadFormat {
        format: Some(Format::Bvh),
        ..kind(
            "a BVH file",
            BY_BLENDER,
            Matches(|content| content.begins_with_word("HIERARCHY")),
        )
    },
    UnreadFormat {
        format: Some(Format::Usda),
        ..kind(
            "a USD file as text",
            USD,
            Matches(|content| content.text.starts_with("#usda ")),
        )
    },
    UnreadFormat {
        format: Some(Format::Usdc),
        ..kind("a binary USD file", USD, Bytes(&[b"PXR-USDC"]))
    },
    // NEP 1 of NumPy.
    kind(
        "a NumPy array (.npy)",
        CSV_OF_SCRIPT,
        Bytes(&[b"\x93NUMPY"]),
    ),
    // A zip archive of .npy files.
    kind(
        "a file of NumPy arrays (.npz)",
        CSV_OF_SCRIPT,
        Matches(|content| {
            content
                .first_name_of_zip()
                .is_some_and(|name| name.ends_with(b".npy"))
        }),
    ),
    // https://robomimic.github.io/docs/datasets/overview.html: groups demo_0, demo_1, … of the group data.
    kind(
        "an HDF5 file with demonstrations of Isaac Lab or robomimic",
        "read the recording of Isaac Capture (.mcap) with the hands of the person instead, if there is one; or write \
                 poses of a demonstration as CSV with h5py, and assign the columns by mappings (docs/tables.md)",
        Matches(|content| content.is_other_hdf5() && content.contains(b"demo_")),
    ),
    // MATLAB 7.3 writes this text into the user block before the HDF5 file.
    kind(
        "a MATLAB file",
        CSV_OF_SCRIPT,
        Bytes(&[b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"]),
    ),
    // The reader of EgoDex lists the content.
    UnreadFormat {
        format: Some(Format::EgoDex),
        is_general: true,
        ..kind(
            "an HDF5 file of another program than EgoDex",
            "write its poses as CSV with h5py, with a column time_s in seconds and positions in metres, and assign the columns \
                 by mappings (docs/tables.md)",
            Matches(|content| content.is_other_hdf5()),
        )
    },
    UnreadFormat {
        format: Some(Format::LeRobot),
        folder: Some(("meta/info.json", "a LeRobot dataset")),
        ..kind(
            "the description of a LeRobot dataset",
            LEROBOT,
            Matches(|content| {
                content.text.starts_with('{') && content.has_text("\"codebase_version\"")
            }),
        )
    },
    kind(
        "a table of a LeRobot dataset",
        LEROBOT,
        Matches(|content| {
            let is_table =
                content.bytes.starts_with(b"PAR1") || content.bytes.starts_with(b"ARROW1");
            is_table && content.contains(b"episode_index") && content.contains(b"frame_index")
        }),
    ),
    // https://bids-specification.readthedocs.io/en/stable/modality-specific-files/motion.html
    UnreadFormat {
        format: Some(Format::MotionBids),
        folder: Some(("dataset_description.json", "a BIDS dataset")),
        ..kind(
            "the list of channels of a Motion-BIDS dataset (_channels.tsv)",
            BIDS,
            Matches(|content| {
                let columns: Vec<&str> = content.first_line().split('\t').collect();
                let has = |name| columns.contains(&name);
                has("name") && has("component") && has("type") && has("tracked_point")
            }),
        )
    },
    kind(
        "a table of numbers without names of columns, as _motion.tsv of Motion-BIDS",
        BIDS,
        Matches(|content| content.is_unnamed_table()),
    ),
    // https://wiki.ros.org/Bags/Format/2.0
    kind("a ROS 1 bag", ROS_1, Bytes(&[b"#ROSBAG V"])),
    // https://mcap.dev/spec/registry: the encodings of the schemas of ROS 1 and ROS 2.
    kind(
        "an MCAP file with ROS messages",
        ROS,
        Matches(|content| {
            let encodings = [&b"ros1msg"[..], b"ros2msg", b"ros2idl"];
            content.bytes.starts_with(b"\x89MCAP")
                && encodings.iter().any(|name| content.contains(name))
        }),
    ),
    // ROS 2 wrote its bags as SQLite before MCAP: a table `topics` and a table `messages`.
    kind(
        "a ROS 2 bag (SQLite)",
        ROS,
        Matches(|content| content.is_sqlite() && content.contains(b"serialization_format")),
    ),
    kind(
        "an SQLite database",
        CSV_OF_SCRIPT,
        Matches(|content| content.is_sqlite()),
    ),
    // motion-capture-recorder of aframe-motion-capture-components: poses with position, rotation and timestamp.
    kind(
        "a motion capture of A-Frame",
        "write its poses as CSV, with a column time_s that is timestamp in seconds, and assign the columns by mappings \
                 (docs/tables.md)",
        Matches(|content| {
            let names = ["\"poses\"", "\"position\"", "\"rotation\"", "\"timestamp\""];
            content.text.starts_with(['{', '[']) && names.iter().all(|name| content.has_text(name))
        }),
    ),
    // https://github.com/facebookresearch/vrs, FileFormat.cpp.
    kind(
        "a VRS recording of Project Aria",
        "`aria_mps single -i FILE` of the Python package projectaria-mps writes the hands and the gaze as CSV; assign \
                 these columns by mappings (docs/tables.md)",
        Bytes(&[b"VisionRecord"]),
    ),
    kind("a C3D file", MARKERS, Matches(|content| content.is_c3d())),
    kind(
        "a TRC file of markers",
        MARKERS,
        Matches(|content| content.begins_with_word("PathFileType")),
    ),
    kind(
        "a CSV export of OptiTrack Motive",
        "remove the lines before \"Frame,Time (Seconds)\", give each column a name of its own, and assign the columns \
                 by mappings (docs/tables.md), such as time_s to the seconds",
        Matches(|content| {
            let line = content.first_line();
            line.starts_with("Format Version,") && line.contains("Frame Rate")
        }),
    ),
    kind(
        "a file of a scene in Blender",
        "export the scene from Blender as glTF 2.0 (.glb) with its animation, and read that file",
        Bytes(&[b"BLENDER"]),
    ),
    kind(
        "a zip archive",
        "unpack it, and read the files in it",
        Bytes(&[b"PK\x03\x04"]),
    ),
    // bzip2, xz, Zstandard, 7-Zip and RAR.
    kind(
        "a compressed archive",
        "unpack it, and read the files in it",
        Bytes(&[
            b"BZh",
            b"\xfd7zXZ\0",
            b"\x28\xb5\x2f\xfd",
            b"7z\xbc\xaf\x27\x1c",
            b"Rar!\x1a\x07",
        ]),
    ),
    kind(
        "an image",
        OTHER_FILE,
        Matches(|content| {
            let begins = [
                &b"\x89PNG\r\n\x1a\n"[..],
                b"\xff\xd8\xff",
                b"GIF87a",
                b"GIF89a",
                b"II*\0",
                b"MM\0*",
                b"\x76\x2f\x31\x01",
            ];
            content.begins_with_any(&begins) || content.is_riff(b"WEBP")
        }),
    ),
    kind(
        "a video or sound",
        OTHER_FILE,
        Matches(|content| {
            let is_mp4 = content.bytes.get(4..8) == Some(b"ftyp");
            let is_matroska = content.bytes.starts_with(b"\x1a\x45\xdf\xa3");
            is_mp4 || is_matroska || content.is_riff(b"AVI ") || content.is_riff(b"WAVE")
        }),
    ),
    kind("a PDF document", OTHER_FILE, Bytes(&[b"%PDF-"])),
    kind(
        "a web page or an XML file",
        OTHER_FILE,
        Matches(|content| content.text.starts_with('<')),
    ),
    kind(
        "a YAML file",
        CSV_OF_SCRIPT,
        Matches(|content| content.text.starts_with("%YAML") || content.text.starts_with("---\n")),
    ),
    UnreadFormat {
        is_general: true,
        ..kind(
            "a JSON file of another program",
            CSV_OF_SCRIPT,
            Matches(|content| content.is_other_json()),
        )
    },
    UnreadFormat {
        is_general: true,
        ..kind(
            "a text file without a table",
            "docs/convert.md lists the formats that are read; a table needs a line with the names of its columns, and commas or \
                 tabs between cells",
            Matches(|content| content.is_prose()),
        )
    },
];

impl UnreadFormat {
    /// Returns the kind of a file with these bytes. Returns `None` if they are of no known kind, or if the file is of a
    /// format that is read.
    pub fn detect(bytes: &[u8]) -> Option<&'static UnreadFormat> {
        let content = Content::new(bytes);
        KINDS.iter().find(|kind| kind.signature.is_of(&content))
    }

    /// Returns the kind of a folder, by the files in it, and the name of such folders, such as `a LeRobot dataset`. Returns
    /// `None` if it is of no known kind.
    pub fn of_folder(folder: &Path) -> Option<(&'static UnreadFormat, &'static str)> {
        KINDS.iter().find_map(|kind| {
            let (member, name) = kind.folder?;
            folder.join(member).is_file().then_some((kind, name))
        })
    }

    /// Returns the kind of files that has the advice for a format: one that is written and not read, or EgoDex, whose reader
    /// refuses other HDF5 files. Returns `None` for other formats.
    pub(crate) fn of_format(format: Format) -> Option<&'static UnreadFormat> {
        KINDS.iter().find(|kind| kind.format == Some(format))
    }

    /// Returns the kind of packs if the bytes are a pack. Packs begin like recordings in MCAP.
    pub(crate) fn of_pack(bytes: &[u8]) -> Option<&'static UnreadFormat> {
        is_pack(bytes).then_some(&KINDS[0])
    }

    /// Returns `true` if the error of a reader says more about a file than the name of its kind.
    pub(crate) fn is_general(&self) -> bool {
        self.is_general
    }

    /// Returns a name with its article, such as `a BVH file`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the nearest way to a recording, such as an exporter and a format that is read.
    pub fn advice(&self) -> &'static str {
        self.advice
    }
}

/// Returns `true` if a file begins as a pack: an MCAP file whose header has the profile of packs.
fn is_pack(bytes: &[u8]) -> bool {
    const HEADER: &[u8] = b"\x89MCAP0\r\n\x01";
    // The length of the record, and the length of the profile, come before the profile.
    let profile = bytes
        .strip_prefix(HEADER)
        .and_then(|rest| rest.get(8 + 4..));
    profile.is_some_and(|profile| profile.starts_with(PACK_PROFILE.as_bytes()))
}

impl<'a> Content<'a> {
    fn new(bytes: &'a [u8]) -> Content<'a> {
        let head = &bytes[..bytes.len().min(MAX_HEAD_BYTES)];
        let text = match utf16::unit(head) {
            // The bytes of JPEG begin like UTF-16 without a complete mark.
            Some(_) if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") => {
                utf16::to_utf8(head)
            }
            _ => Cow::Borrowed(head),
        };
        Content {
            bytes,
            text: readable(text),
        }
    }

    fn first_line(&self) -> &str {
        // The line is a part of valid text.
        str::from_utf8(first_line(self.text.as_bytes())).unwrap_or_default()
    }

    fn begins_with_any(&self, beginnings: &[&[u8]]) -> bool {
        let mut beginnings = beginnings.iter();
        beginnings.any(|begin| self.bytes.starts_with(begin))
    }

    fn has_text(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// Returns `true` if the text begins with a word and white space.
    fn begins_with_word(&self, word: &str) -> bool {
        let rest = self.text.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    }

    /// Returns `true` if the first or the last bytes of the file contain a name.
    fn contains(&self, name: &[u8]) -> bool {
        let count = self.bytes.len().min(MAX_HEAD_BYTES);
        let (head, tail) = (
            &self.bytes[..count],
            &self.bytes[self.bytes.len() - count..],
        );
        let has = |bytes: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        has(head) || has(tail)
    }

    /// Returns `true` for the assets of Unity as text, which declare the tag `!u!`.
    fn is_unity_yaml(&self) -> bool {
        self.text.starts_with("%YAML") && self.has_text("tag:unity3d.com,")
    }

    /// Returns `true` for a complete HDF5 file without the group of the poses of EgoDex. In a truncated file, the group may be
    /// missing.
    fn is_other_hdf5(&self) -> bool {
        let Some(start) = hdf5_start(self.bytes, self.bytes.len()) else {
            return false;
        };
        let superblock = &self.bytes[start + HDF5_SIGNATURE.len()..];
        // The address of the end of the file comes after 24 bytes and two addresses, or after 12 bytes and two addresses (HDF5
        // File Format Specification, II.A).
        let end = match superblock.first() {
            Some(0) => superblock.get(32..40),
            Some(1) => superblock.get(36..44),
            _ => superblock.get(20..28),
        };
        let end = end.and_then(|end| Some(u64::from_le_bytes(*end.first_chunk()?)));
        let is_complete = end.is_some_and(|end| end <= self.bytes.len() as u64);
        is_complete && !self.contains(b"transforms")
    }

    fn is_pack(&self) -> bool {
        is_pack(self.bytes)
    }

    fn is_sqlite(&self) -> bool {
        self.bytes.starts_with(b"SQLite format 3\0")
    }

    /// Returns `true` for the container of Microsoft with content of this type.
    fn is_riff(&self, content: &[u8; 4]) -> bool {
        self.bytes.starts_with(b"RIFF") && self.bytes.get(8..12) == Some(content)
    }

    /// Returns `true` for C3D: the second byte is 0x50, and the first byte has the number of the block of the parameters, whose
    /// fourth byte has the type of the processor, 84 to 86 (<https://www.c3d.org/HTML/Documents/parameterheader.htm>).
    fn is_c3d(&self) -> bool {
        let &[block, 0x50, ..] = self.bytes else {
            return false;
        };
        let processor =
            (usize::from(block).checked_sub(1)).and_then(|block| self.bytes.get(block * 512 + 3));
        processor.is_some_and(|processor| (84..=86).contains(processor))
    }

    /// Returns the name of the first file in a zip archive, from its header: 26 bytes before the length of the name.
    fn first_name_of_zip(&self) -> Option<&[u8]> {
        let header = self.bytes.strip_prefix(b"PK\x03\x04")?;
        let length = u16::from_le_bytes(*header.get(22..24)?.first_chunk()?);
        header.get(26..)?.get(..usize::from(length))
    }

    /// Returns `true` for a table with tabs whose first line has only numbers, at least three of them.
    fn is_unnamed_table(&self) -> bool {
        let mut cells = self.first_line().split('\t').map(str::trim);
        let is_number = |cell: &str| cell.parse::<f64>().is_ok() || cell == "n/a";
        cells.clone().count() > 2 && cells.all(is_number)
    }

    /// Returns `true` for JSON whose first member is of no format that is read.
    fn is_other_json(&self) -> bool {
        let json = self.text.starts_with(['{', '[']);
        json && match Format::detect(self.bytes) {
            Some(Format::Json) => {
                let member = self.text[1..].trim_start().strip_prefix('"');
                let member = member.and_then(|member| member.split('"').next());
                !member.is_some_and(|member| JSON_MEMBERS.contains(&member))
            }
            None => true,
            _ => false,
        }
    }

    fn is_prose(&self) -> bool {
        let line = self.first_line().as_bytes();
        !line.is_empty() && !is_line(line) && Format::detect(self.bytes).is_none()
    }
}

/// Returns bytes as text without white space at the start, or an empty text if they are binary. A character that is cut at
/// the end is dropped.
fn readable(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(readable_part(bytes)),
        Cow::Owned(bytes) => Cow::Owned(readable_part(&bytes).to_owned()),
    }
}

fn readable_part(bytes: &[u8]) -> &str {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => "",
    };
    let is_control = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r\x0c".contains(byte);
    let start = &text.as_bytes()[..text.len().min(LONGEST_LINE)];
    if start.iter().any(is_control) {
        return "";
    }
    text.strip_prefix('\u{feff}').unwrap_or(text).trim_start()
}
