//! Markers as WebVTT (<https://www.w3.org/TR/webvtt1/>), the chapters and subtitles of video
//! players, for takes that are looked at beside a video.
//!
//! ```text
//! WEBVTT
//!
//! 00:00:00.350 --> 00:00:00.970
//! reach
//!
//! 00:00:00.970 --> 00:00:05.000
//! pinch
//! ```
//!
//! A marker becomes a cue from its time to the next marker's or the recording's end, of at least a
//! millisecond, and its name the text of the cue. A name may have any number of lines: breaks that
//! cannot stand in a cue become character references.
//!
//! When read, a cue becomes a marker at its start. Its end, identifier and settings are passed over,
//! and so are comments, styles and regions. Other than a player, which passes over what it cannot
//! read too, `read` refuses times that are not well formed: no cue is lost silently.

mod read;
mod stamp;
mod write;

use std::fmt;

pub use read::{Error, read, read_with};
pub use write::write;

/// Something that did not come through.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Times are not whole milliseconds.
    Rounded {
        /// Markers whose time changed.
        markers: usize,
        /// The greatest change, in seconds.
        most: f64,
    },
    /// Markers before t = 0, or whose time is not finite or beyond all bounds: they are left out.
    LeftOut {
        /// How many.
        markers: usize,
        /// The time of the first.
        time: f32,
    },
    /// Markers are not in order of time, as cues must be.
    Order,
    /// NUL characters, which become U+FFFD.
    Nul {
        /// Names that have some.
        markers: usize,
    },
    /// Tags in cues, such as `<b>` or `<v Name>`: their text stays.
    Tags {
        /// Cues that have some.
        cues: usize,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Rounded { markers, most } => write!(
                f,
                "what the times of {} have beyond the millisecond (at most {:.3} ms)",
                Count(*markers, "marker"),
                most * 1000.0
            ),
            Loss::LeftOut { markers, time } => write!(
                f,
                "{}, since no cue can start at a time such as {time} s",
                Count(*markers, "marker")
            ),
            Loss::Order => {
                f.write_str("the order of the markers, which is now that of their times")
            }
            Loss::Nul { markers } => {
                write!(f, "the NUL characters in {}", Count(*markers, "name"))
            }
            Loss::Tags { cues } => write!(f, "the tags in {}", Count(*cues, "cue")),
        }
    }
}

struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(count, thing) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {thing}{plural}")
    }
}
