//! The options of conversions, by name.

use std::fmt;

/// A field of [`WriteOptions`](crate::WriteOptions), for programs that refuse options without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteField {
    /// [`WriteOptions::layout`](crate::WriteOptions::layout).
    Layout,
    /// [`WriteOptions::allow_loss`](crate::WriteOptions::allow_loss).
    AllowLoss,
    /// [`WriteOptions::sampling`](crate::WriteOptions::sampling) as a rate.
    Rate,
    /// [`WriteOptions::sampling`](crate::WriteOptions::sampling) at the times of keys.
    KeyTimes,
    /// [`WriteOptions::space`](crate::WriteOptions::space).
    Space,
    /// [`WriteOptions::shape`](crate::WriteOptions::shape).
    Shape,
    /// [`WriteOptions::markers`](crate::WriteOptions::markers).
    Markers,
    /// [`WriteOptions::time`](crate::WriteOptions::time).
    Time,
    /// [`WriteOptions::labels`](crate::WriteOptions::labels).
    Labels,
    /// [`WriteOptions::source`](crate::WriteOptions::source).
    Source,
    /// [`WriteOptions::clip_name`](crate::WriteOptions::clip_name).
    ClipName,
    /// [`WriteOptions::event`](crate::WriteOptions::event).
    Event,
    /// [`WriteOptions::node_names`](crate::WriteOptions::node_names).
    NodeNames,
    /// [`WriteOptions::hand`](crate::WriteOptions::hand).
    Hand,
    /// [`WriteOptions::scale`](crate::WriteOptions::scale).
    Scale,
    /// [`WriteOptions::start_time`](crate::WriteOptions::start_time).
    StartTime,
}

/// A field of [`ReadOptions`](crate::ReadOptions), for programs that refuse options without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadField {
    /// [`ReadOptions::space`](crate::ReadOptions::space).
    Space,
    /// [`ReadOptions::animation`](crate::ReadOptions::animation).
    Animation,
    /// [`ReadOptions::recording`](crate::ReadOptions::recording).
    Recording,
    /// [`ReadOptions::mappings`](crate::ReadOptions::mappings).
    Mappings,
    /// [`ReadOptions::side`](crate::ReadOptions::side).
    Side,
    /// [`ReadOptions::ignore_unknown`](crate::ReadOptions::ignore_unknown).
    IgnoreUnknown,
    /// [`ReadOptions::from_zero`](crate::ReadOptions::from_zero).
    FromZero,
    /// [`ReadOptions::layout`](crate::ReadOptions::layout).
    Layout,
    /// [`ReadOptions::skip_bad`](crate::ReadOptions::skip_bad).
    SkipBad,
    /// [`ReadOptions::pauses`](crate::ReadOptions::pauses).
    Pauses,
    /// [`ReadOptions::min_confidence`](crate::ReadOptions::min_confidence).
    MinConfidence,
    /// [`ReadOptions::keep_jitter`](crate::ReadOptions::keep_jitter).
    KeepJitter,
    /// [`ReadOptions::palms_from_controllers`](crate::ReadOptions::palms_from_controllers).
    PalmsFromControllers,
}

/// The name of the option for an error message.
impl fmt::Display for ReadField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReadField::Space => "other axes",
            ReadField::Animation => "the name of an animation",
            ReadField::Recording => "the name of a recording",
            ReadField::Mappings => "other names of columns",
            ReadField::Side => "a hand",
            ReadField::IgnoreUnknown => "ignoring unknown columns",
            ReadField::FromZero => "times from zero",
            ReadField::Layout => "a layout",
            ReadField::SkipBad => "skipping rows",
            ReadField::Pauses => "a limit of pauses",
            ReadField::MinConfidence => "a confidence",
            ReadField::KeepJitter => "times with their jitter",
            ReadField::PalmsFromControllers => "palms from controllers",
        })
    }
}
