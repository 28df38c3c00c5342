//! The codes of findings, and their severity.

use std::fmt;
use std::str::FromStr;

use crate::read::ParseErrorKind;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; plays back as recorded.
    Note,
    /// Unusual; programs may play it back differently.
    Warning,
    /// Playback differs from what was recorded.
    Damage,
}

impl Severity {
    /// Returns the name: `note`, `warning` or `damage`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Damage => "damage",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $id:literal $severity:ident $title:literal),* $(,)?) => {
        /// A kind of finding, with a stable name.
        ///
        /// ```
        /// use inputanim::doctor::Code;
        /// let code: Code = "d3".parse()?;
        /// assert_eq!(code, Code::TailLost);
        /// assert_eq!(code.remedy(), inputanim::doctor::Remedy::Trim);
        /// # Ok::<(), inputanim::doctor::UnknownCode>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
    /// Joins the names of codes with spaces between them, such as `D1 D4`. Equal neighbours are listed once.
    ///
    /// ```
    /// use inputanim::doctor::Code;
    /// let codes = [Code::RotationWLost, Code::RotationWLost, Code::GapInterpolated];
    /// assert_eq!(Code::list(codes), "D1 L20");
    /// ```
    pub fn list(codes: impl IntoIterator<Item = Code>) -> String {
        let mut codes: Vec<&str> = codes.into_iter().map(Code::id).collect();
        codes.dedup();
        codes.join(" ")
    }

            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// Returns the name: `D1` to `D8` for known damage (docs/format.md, section 6), `L1` to
            /// `L28` for unusual content.
            pub const fn id(self) -> &'static str {
                match self { $(Code::$variant => $id),* }
            }

            /// Returns the severity.
            pub const fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }

            /// Returns a description of the finding, in one line.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }
        }
    };
}

codes! {
    /// A rotation has one key in w and more in x, y and z.
    RotationWLost = "D1" Damage "the w curve of rotations was not saved (MRTK 2.6.0 to 2.7.2): rotations play back wrong",
    /// The second of a rotation's two keys of w is a copy of the last key of z.
    RotationWCopiesZ = "D2" Damage "the w curve of rotations contains a key of z (MRTK 2.6.0 to 2.7.2): rotations play back wrong",
    /// A stream ends before the recording does.
    TailLost = "D3" Damage "a stream ends before the recording: its last pose is held",
    /// Neighbouring keys of a rotation are in opposite hemispheres.
    SignFlip = "D4" Damage "sign flips: neighbouring rotation keys have opposite signs, and interpolation by component passes through zero",
    /// States begin before t = 0 and poses do not.
    StartLost = "D5" Damage "states begin before t = 0 but poses do not: the start of the recording is lost",
    /// A file without a byte. It does not parse: [`Code::of_error`] returns this code.
    FileEmpty = "D6" Damage "nothing was recorded (MRTK 2.6 to 2.8 leave an empty file)",
    /// A file that ends inside a part. It does not parse: [`Code::of_error`] returns this code.
    FileTruncated = "D7" Damage "the file is truncated: it ends inside a curve or a list",
    /// Samples that MRTK drops without a check. They leave no trace, so this is never found.
    ReductionUnchecked = "D8" Note "MRTK drops samples without a check: not detectable in a file",
    /// A wrap mode that Unity does not define.
    UnknownWrapMode = "L1" Warning "wrap modes that Unity does not define",
    /// A weighted mode that Unity does not define.
    UnknownWeightedMode = "L2" Warning "weighted modes that Unity does not define",
    /// A key time that is NaN or infinite.
    TimeNotFinite = "L3" Warning "key times that are not finite",
    /// A key value that is NaN or infinite.
    ValueNotFinite = "L4" Warning "key values that are not finite",
    /// Key times that are not in order.
    TimesUnsorted = "L5" Warning "key times that are not in order: Unity sorts the keys on loading",
    /// Two keys of a curve at the same time.
    TimesEqual = "L6" Note "several keys of a curve at the same time",
    /// A boolean key that is neither 0 nor 1.
    BooleanValue = "L7" Note "states with a value other than 0 and 1",
    /// A flag byte that is neither 0 nor 1.
    FlagByte = "L8" Note "flags with a value other than 0 and 1: any byte except 0 means on",
    /// A layout that no known program writes.
    MixedLayout = "L9" Note "a layout that no known program writes",
    /// A stream whose flag is set has no keys.
    StreamEmpty = "L10" Note "a stream is flagged as recorded but has no keys",
    /// Every gaze key is zero.
    GazeZero = "L11" Warning "the gaze is all zero: it was enabled but the device delivered no data",
    /// The curves of one vector or quaternion have different numbers of keys.
    KeyCountsDiffer = "L12" Note "the curves of a vector or rotation have different numbers of keys",
    /// Keys before t = 0.
    NegativeTime = "L13" Note "keys before t = 0: playback starts after the first key",
    /// A marker that playback never reaches.
    MarkerOutside = "L14" Note "markers before the start or after the end",
    /// Markers that are not in order of time.
    MarkersUnsorted = "L15" Note "markers that are not in order of time",
    /// A rotation key whose length is neither 0 nor 1.
    RotationNotUnit = "L16" Warning "rotation keys of a length other than 0 and 1",
    /// A hand is tracked, but none of its joints has keys.
    JointsMissing = "L17" Warning "a hand is tracked but none of its joints was recorded: it plays back at the origin",
    /// A rotation key of four zeros.
    RotationZero = "L18" Warning "rotation keys of length 0, which are not rotations",
    /// Joints move while their hand is not tracked.
    MovesUntracked = "L19" Warning "joints have keys and move while their hand is not tracked",
    /// Joint curves are interpolated across times in which their hand was not tracked.
    GapInterpolated = "L20" Note "joint curves are interpolated across times in which their hand is not tracked",
    /// The distance of a joint from its parent jumps.
    BoneJump = "L21" Warning "bones whose length changes by 15 mm or more between neighbouring keys",
    /// Nothing was sampled for a while.
    SamplingGap = "L22" Note "pauses in which nothing was sampled",
    /// Samples are not at a steady rate.
    RateIrregular = "L23" Note "samples at irregular intervals",
    /// No curve has a key.
    NoKeys = "L24" Warning "nothing was recorded: no curve has a key",
    /// Hands of an implausible size, or implausibly far from the head.
    ImplausibleUnits = "L25" Warning "hands of an implausible size or distance: positions are probably not in metres",
    /// A vector or rotation in which some curves have keys and others do not.
    CurvesMissing = "L26" Warning "curves without keys in vectors or rotations that have some: they evaluate to 0",
    /// Neighbouring samples are zero, and other samples of the same element are not.
    ZerosAmongValues = "L27" Warning "runs of zeros between other values: trackers write them while they have lost an object",
    /// Hands are announced but never tracked, and no other stream has keys.
    NothingTracked = "L28" Warning "nothing was tracked: the hands are never tracked, and neither head nor gaze was recorded",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// An unknown name of a code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown code \"{0}\"; expected `D1` to `D{d}` or `L1` to `L{l}`", d = last('D'), l = last('L'))]
pub struct UnknownCode(String);

/// Returns the number of codes that begin with `letter`. They are numbered from 1, so this is also the last number.
fn last(letter: char) -> usize {
    let of_letter = |code: &&Code| code.id().starts_with(letter);
    Code::ALL.iter().filter(of_letter).count()
}

impl FromStr for Code {
    type Err = UnknownCode;

    /// Parses an [`id`](Code::id), in upper or lower case.
    fn from_str(text: &str) -> Result<Code, UnknownCode> {
        let mut codes = Code::ALL.iter();
        let found = codes.find(|code| code.id().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

impl Code {
    /// Returns `true` if evaluated values of a recording with this finding differ from what was recorded, or are
    /// unknown. These are all codes with [`Severity::Damage`], and the codes of values that are not finite, of a gaze
    /// of zeros, and of missing joints or curves.
    pub const fn changes_values(self) -> bool {
        matches!(self.severity(), Severity::Damage)
            || matches!(
                self,
                Code::ValueNotFinite | Code::GazeZero | Code::JointsMissing | Code::CurvesMissing
            )
    }

    /// Returns `true` if an [`overview`](super::overview) of many files lists the finding: all except L20 (joints interpolated
    /// across tracking gaps), which nearly every recording with a tracking gap has.
    pub const fn is_in_overview(self) -> bool {
        !matches!(self, Code::GapInterpolated)
    }

    /// Returns `true` if this finding can be a consequence of parts that could not be read from a damaged file, such as
    /// a stream without keys.
    pub const fn follows_from_missing_parts(self) -> bool {
        matches!(
            self,
            Code::StreamEmpty
                | Code::KeyCountsDiffer
                | Code::CurvesMissing
                | Code::JointsMissing
                | Code::TailLost
                | Code::NoKeys
                | Code::NothingTracked
        )
    }

    /// Returns D6 for an empty file, D7 for a truncated file, and `None` for any other parse error.
    pub const fn of_error(kind: ParseErrorKind) -> Option<Code> {
        match kind {
            ParseErrorKind::Empty => Some(Code::FileEmpty),
            // Some file systems fill the part that was not written with zeros.
            ParseErrorKind::EndOfFile { .. }
            | ParseErrorKind::KeysBeyondEnd { .. }
            | ParseErrorKind::MarkersBeyondEnd { .. }
            | ParseErrorKind::Zeros { .. } => Some(Code::FileTruncated),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_parse_in_upper_and_lower_case() {
        for &code in Code::ALL {
            assert_eq!(code.id().parse(), Ok(code));
            assert_eq!(code.id().to_lowercase().parse(), Ok(code));
        }
    }

    #[test]
    fn the_error_for_an_unknown_code_names_the_known_ones() {
        for text in ["", "D", "D0", "L01", "D9", "take.bin"] {
            let error = text.parse::<Code>().unwrap_err().to_string();
            let known = "expected `D1` to `D8` or `L1` to `L28`";
            assert!(error.ends_with(known), "{error}");
        }
    }

    #[test]
    fn codes_are_numbered_consecutively() {
        for letter in ['D', 'L'] {
            let of_letter = |code: &&Code| code.id().starts_with(letter);
            let ids = Code::ALL.iter().filter(of_letter).map(|code| code.id());
            let expected = (1..=last(letter)).map(|number| format!("{letter}{number}"));
            assert!(ids.eq(expected), "{letter}");
        }
    }
}
