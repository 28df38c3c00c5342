//! What can be found in a recording.

use std::fmt;

use crate::path::CurvePath;
use crate::span::Span;

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
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// `D1` and so on for what the toolkit does to recordings (docs/format.md, section
            /// 6), `L1` and so on for what is unusual.
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
    RotationNotUnit = "L16" Warning "rotation keys that are not of length 1",
    /// A hand is tracked, but none of its joints has keys.
    JointsMissing = "L17" Warning "a hand is tracked but none of its joints was recorded: it plays at the origin",
    /// A rotation key of length 0.
    RotationZero = "L18" Warning "rotation keys of length 0, which are no rotation",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// One kind of thing that was found, wherever it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// How often: keys, curves or markers, as [`detail`](Self::detail) says.
    pub count: u64,
    /// The curves it is in, in file order; empty when it is about no curve.
    pub curves: Vec<CurvePath>,
    /// From the first to the last time at which it is; `None` when it has no time.
    pub span: Option<Span>,
    /// The particulars, for people.
    pub detail: String,
}

impl Finding {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.code.title(), self.detail)
    }
}

/// Collects one kind of finding over many curves, or over many vectors and rotations.
#[derive(Default)]
pub(super) struct Tally {
    count: u64,
    places: usize,
    curves: Vec<CurvePath>,
    span: Option<Span>,
}

impl Tally {
    /// Something in one curve.
    pub(super) fn add(&mut self, path: CurvePath, time: f32) {
        self.add_to(&[path], time);
    }

    /// Something in all curves of a vector or rotation at once.
    pub(super) fn add_to(&mut self, curves: &[CurvePath], time: f32) {
        self.count += 1;
        if !self.curves.ends_with(curves) {
            self.places += 1;
            self.curves.extend(curves);
        }
        if time.is_finite() {
            let span = self.span.get_or_insert(Span {
                start: time,
                end: time,
            });
            span.start = span.start.min(time);
            span.end = span.end.max(time);
        }
    }

    /// The finding, if there was anything; `[one, many]` is what was counted.
    pub(super) fn finish(self, code: Code, [one, many]: [&str; 2]) -> Option<Finding> {
        let mut first = self.curves.first()?.to_string();
        let (count, places) = (self.count, self.places);
        let kind = if self.curves.len() > places {
            first.truncate(first.rfind('.').unwrap_or(first.len()));
            "places"
        } else {
            "curves"
        };
        let things = if count == 1 { one } else { many };
        let place = match places {
            1 => format!("in {first}"),
            _ if count == places as u64 => format!("the first {first}"),
            _ => format!("in {places} {kind}, the first {first}"),
        };
        let when = match self.span {
            Some(Span { start, end }) if start < end => {
                format!(", from {start:.3} s to {end:.3} s")
            }
            Some(Span { start, .. }) => format!(", at {start:.3} s"),
            None => String::new(),
        };
        Some(Finding {
            code,
            count,
            detail: format!("{count} {things}, {place}{when}"),
            span: self.span,
            curves: self.curves,
        })
    }
}
