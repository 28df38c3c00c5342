//! What helps against errors of conversions, as data. Each interface names its own command or option.

use inputanim::ErrorRemedy;

use super::fields::ReadField;
use super::format::Format;
use super::mapping::Mapping;
use super::suggestion::Suggestion;
use crate::detect::unread::UnreadFormat;

/// A step that can solve an error of a conversion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// A remedy of the library `inputanim`.
    Recording(ErrorRemedy),
    /// A build with the format.
    OtherBuild(Format),
    /// Following the [advice](UnreadFormat::advice) for a kind of files that is not read.
    Export(&'static UnreadFormat),
    /// Sampling at a lower rate or in a shorter time range.
    LowerRate,
    /// Choosing one of several recordings, of which some names may be known.
    ChooseRecording(Vec<String>),
    /// Reading columns or channels under other names.
    MapColumns,
    /// Naming the columns as this library knows them. They cannot be mapped.
    NameColumns,
    /// Choosing one of the columns that the table has.
    ChooseColumn,
    /// Giving a marker with this name the number of a trigger.
    NumberTrigger(String),
    /// The mapping that was probably meant.
    Map(Mapping),
    /// Mappings of the columns whose names were recognised. The user has to check them.
    MapAs(Suggestion),
    /// Ignoring unknown columns or members.
    IgnoreUnknown {
        /// `true` for members of JSON.
        members: bool,
        /// `true` if a known name is similar.
        is_misspelt: bool,
    },
    /// Counting times from the first row.
    CountFromZero {
        /// `true` if the times are so large that their unit is probably less than a second.
        is_other_unit: bool,
    },
    /// Skipping the rows of a table that cannot be read. It was tried: the other rows contain a recording.
    SkipBad,
    /// Leaving out an option.
    LeaveOut(ReadField),
    /// Writing commas or tabs between cells.
    OtherSeparators,
    /// A table of the shape `wide` or `keys`.
    OtherShape,
    /// Write the table without segments.
    WithoutSegments,
    /// Frames as CSV, whose columns can be mapped.
    FramesAsColumns,
    /// Naming nodes as this library knows them, or mapping them.
    NameNodes,
    /// Stating the hand of joints.
    StateSide,
    /// Unpacking the file with gzip.
    Unpack,
    /// Naming the parts of the path by their meaning.
    NamePathParts {
        /// `true` if a label is wrong, and not the name of a part.
        is_label: bool,
    },
    /// A recording with content that the output can hold.
    OtherContent,
}

impl Remedy {
    /// Returns the name of the action for programs: `choose-recording`, for example.
    pub const fn name(&self) -> &'static str {
        match self {
            Remedy::Recording(remedy) => remedy.name(),
            Remedy::OtherBuild(_) => "other-build",
            Remedy::Export(_) => "export",
            Remedy::LowerRate => "lower-rate",
            Remedy::ChooseRecording(_) => "choose-recording",
            Remedy::MapColumns => "map-columns",
            Remedy::NameColumns => "name-columns",
            Remedy::ChooseColumn => "choose-column",
            Remedy::NumberTrigger(_) => "number-trigger",
            Remedy::Map(_) => "map",
            Remedy::MapAs(_) => "map-as",
            Remedy::IgnoreUnknown { .. } => "ignore-unknown",
            Remedy::CountFromZero { .. } => "count-from-zero",
            Remedy::SkipBad => "skip-bad",
            Remedy::LeaveOut(_) => "leave-out",
            Remedy::OtherSeparators => "other-separators",
            Remedy::OtherShape => "other-shape",
            Remedy::WithoutSegments => "without-segments",
            Remedy::FramesAsColumns => "frames-as-columns",
            Remedy::NameNodes => "name-nodes",
            Remedy::StateSide => "state-side",
            Remedy::Unpack => "unpack",
            Remedy::NamePathParts { .. } => "name-path-parts",
            Remedy::OtherContent => "other-content",
        }
    }
}

impl From<ErrorRemedy> for Remedy {
    fn from(remedy: ErrorRemedy) -> Remedy {
        Remedy::Recording(remedy)
    }
}
