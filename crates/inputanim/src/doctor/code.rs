//! The names of what can be found, and how much each matters.

use std::fmt;
use std::str::FromStr;

use crate::read::ParseErrorKind;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; plays as recorded.
    Note,
    /// Unusual; tools may disagree about it.
    Warning,
    /// What was recorded is not what plays.
    Damage,
}

impl Severity {
    /// `note`, `warning` or `damage`.
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
        /// The stable name of a kind of finding.
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
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// `D1` and so on for what happens to recordings (docs/format.md, section 6), `L1` and
            /// so on for what is unusual.
            pub const fn id(self) -> &'static str {
                match self { $(Code::$variant => $id),* }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }

            /// What it is, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }
        }
    };
}

codes! {
    /// A rotation has one key in w and more in x, y and z.
    RotationWLost = "D1" Damage "the w curve of rotations was not saved (MRTK 2.6.0 to 2.7.2): they play wrong",
    /// The second of a rotation's two w keys is a copy of z's last.
    RotationWFalse = "D2" Damage "the w curve of rotations holds a key of z (MRTK 2.6.0 to 2.7.2): they play wrong",
    /// A stream ends before the recording does.
    TailLost = "D3" Damage "a stream ends before the recording (MRTK 2.6 to 2.8 drop the last samples): it stands still until the end",
    /// Neighbouring rotation keys lie on opposite hemispheres.
    HemisphereFlip = "D4" Damage "neighbouring rotation keys have opposite signs: played without care, they spin through zero",
    /// States begin before t = 0 and poses do not.
    HeadLost = "D5" Damage "states begin before t = 0 but poses do not: the start of the take is gone",
    /// A file without a byte, which [`Code::of_error`] gives: it does not parse.
    FileEmpty = "D6" Damage "nothing was recorded (MRTK 2.6 to 2.8 leave an empty file then)",
    /// A file that ends inside a part, which [`Code::of_error`] gives: it does not parse.
    FileCut = "D7" Damage "the file is cut off: it ends inside a curve or a list",
    /// What the toolkit leaves out unchecked: no file shows it, so nothing finds it.
    ReductionUnchecked = "D8" Note "the toolkit leaves out samples unchecked: no file shows it",
    /// A wrap mode that Unity does not define.
    UnknownWrapMode = "L1" Warning "wrap modes that Unity does not define",
    /// A weighted mode that Unity does not define.
    UnknownWeightedMode = "L2" Warning "weighted modes that Unity does not define",
    /// A key time that is NaN or infinite.
    TimeNotFinite = "L3" Warning "key times that are not finite",
    /// A key value that is NaN or infinite.
    ValueNotFinite = "L4" Warning "key values that are not finite",
    /// Key times that go back.
    TimesUnsorted = "L5" Warning "key times that go back: Unity sorts them on loading",
    /// Two keys of a curve at one time.
    TimesEqual = "L6" Note "several keys at one time in a curve",
    /// A boolean key that is neither 0 nor 1.
    BooleanValue = "L7" Note "states stored as neither 0 nor 1",
    /// A flag byte that is neither 0 nor 1.
    FlagByte = "L8" Note "flags stored as neither 0 nor 1: any byte but 0 means on",
    /// A layout that no known program writes.
    MixedLayout = "L9" Note "a layout that no known program writes",
    /// A stream that the file announces has no keys.
    StreamEmpty = "L10" Note "a stream is announced but has no keys",
    /// Every gaze key is zero.
    GazeZero = "L11" Warning "gaze is all zero: it was switched on but the device delivered none",
    /// The curves of one vector or quaternion have different numbers of keys.
    KeyCountsDiffer = "L12" Note "the curves of a vector or rotation have different numbers of keys",
    /// Keys before t = 0.
    NegativeTime = "L13" Note "keys before t = 0: playback starts inside the take",
    /// A marker that playback never reaches.
    MarkerOutside = "L14" Note "markers before the start or after the end",
    /// Markers that are not in order of time.
    MarkersUnsorted = "L15" Note "markers that are not in order of time",
    /// A rotation that is no rotation.
    RotationNotUnit = "L16" Warning "rotation keys of a length that is neither 0 nor 1",
    /// A hand is tracked, but none of its joints has keys.
    JointsMissing = "L17" Warning "a hand is tracked but none of its joints was recorded: it plays at the origin",
    /// A rotation key of four zeros.
    RotationZero = "L18" Warning "rotation keys of length 0, which are no rotations",
    /// Joints move while their hand is not tracked.
    MovesUntracked = "L19" Warning "joints have keys and move while their hand is not tracked",
    /// Joint curves run on across the time in which their hand was not tracked.
    GapCrossed = "L20" Note "joint curves run straight across the times in which their hand is not tracked",
    /// The distance of a joint from its parent jumps.
    BoneJump = "L21" Warning "bones that change their length by 15 mm or more at once",
    /// Nothing was sampled for a while.
    SamplingGap = "L22" Note "pauses in which nothing was sampled",
    /// Samples do not come at one rate.
    RateIrregular = "L23" Note "samples that do not come at a steady rate",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// A text that names no finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no code of a finding: expected one such as `D1` or `L16`, up to `D{d}` and `L{l}`", d = last('D'), l = last('L'))]
pub struct UnknownCode(String);

/// How many codes begin with a letter; they are numbered from 1 on.
fn last(letter: char) -> usize {
    let of_letter = |code: &&Code| code.id().starts_with(letter);
    Code::ALL.iter().filter(of_letter).count()
}

impl FromStr for Code {
    type Err = UnknownCode;

    /// By its [`id`](Code::id), in capital letters or not.
    fn from_str(text: &str) -> Result<Code, UnknownCode> {
        let mut codes = Code::ALL.iter();
        let found = codes.find(|code| code.id().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

impl Code {
    /// The code of a fault that keeps a file from being well formed: D6 or D7, if it is one of
    /// those.
    pub const fn of_error(kind: ParseErrorKind) -> Option<Code> {
        match kind {
            ParseErrorKind::Empty => Some(Code::FileEmpty),
            // Zeros stand where a save did not reach the disk.
            ParseErrorKind::EndOfFile { .. }
            | ParseErrorKind::KeysBeyondEnd { .. }
            | ParseErrorKind::MarkersBeyondEnd { .. }
            | ParseErrorKind::Zeros { .. } => Some(Code::FileCut),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_its_name_in_any_case() {
        for &code in Code::ALL {
            assert_eq!(code.id().parse(), Ok(code));
            assert_eq!(code.id().to_lowercase().parse(), Ok(code));
        }
    }

    #[test]
    fn a_text_that_is_no_code_is_refused_with_how_codes_look() {
        for text in ["", "D", "D0", "L01", "D9", "take.bin"] {
            let error = text.parse::<Code>().unwrap_err().to_string();
            assert!(error.contains("`D1`"), "{error}");
            assert!(error.contains("up to `D8` and `L23`"), "{error}");
        }
    }

    #[test]
    fn codes_are_numbered_without_a_gap() {
        for letter in ['D', 'L'] {
            let of_letter = |code: &&Code| code.id().starts_with(letter);
            let ids = Code::ALL.iter().filter(of_letter).map(|code| code.id());
            let expected = (1..=last(letter)).map(|number| format!("{letter}{number}"));
            assert!(ids.eq(expected), "{letter}");
        }
    }
}
