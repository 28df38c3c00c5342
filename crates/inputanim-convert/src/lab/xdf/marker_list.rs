//! The markers of a file without a recording, such as the triggers of an EEG.

use super::append::Lab;
use super::error::XdfError;
use super::file::XdfFile;
use super::plan;
use super::read::unpacked;
use crate::shared::limits::check_limit;
use crate::shared::{Error, ReadOptions};

/// The markers of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileMarkers {
    /// The times in seconds on the clock of the recorder, and the texts, in order of time. The times are synchronised by the
    /// clock offsets.
    pub markers: Vec<(f64, String)>,
    /// The time of the first sample of all streams, in seconds on the clock of the recorder.
    pub start: f64,
    /// The streams with these markers.
    pub streams: Vec<String>,
}

/// Returns the markers of other programs in a file: those of streams of the type `Markers`, and of streams of texts without a
/// rate. A file without them has the markers of recordings that this library wrote. Mappings of `marker` select streams, as in
/// [`append`](super::append()). Of the options, the limits, these mappings and [`keep_jitter`](ReadOptions::keep_jitter) have an
/// effect.
///
/// ```
/// use inputanim::{Layout, Marker, Recording};
/// use inputanim_convert::{Format, ReadOptions, WriteOptions, write_bytes, xdf};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.markers.push(Marker::new(0.5, "start"));
/// let (bytes, _) = write_bytes(Format::Xdf, &recording, &WriteOptions::default())?;
/// let found = xdf::markers(&bytes, &ReadOptions::default())?;
/// assert_eq!(found.markers, [(0.5, "start".to_owned())]);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
///
/// # Errors
/// Fails when the bytes are not XDF or exceed the limits, when no stream has markers, or when a mapping names no stream.
pub fn markers(bytes: &[u8], options: &ReadOptions) -> Result<FileMarkers, Error> {
    let limits = &options.limits;
    check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
    let bytes = unpacked(bytes, limits)?;
    let file = XdfFile::parse(&bytes, limits)?;
    let lab = Lab::new(&file, options)?;
    let (mut markers, streams) = lab.all_markers()?;
    if streams.is_empty() {
        let streams = plan::describe(&file);
        return Err(XdfError::NoMarkers { streams }.into());
    }
    markers.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let start = lab.sample_range().map_or(0.0, |(first, _)| first);
    Ok(FileMarkers {
        markers,
        start,
        streams,
    })
}
