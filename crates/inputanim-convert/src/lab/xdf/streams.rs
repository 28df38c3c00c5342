//! The streams of a file, for programs that look for names and times.

use super::clock::StreamTimes;
use super::file::XdfFile;
use super::read::unpacked;
use crate::shared::limits::check_limit;
use crate::shared::{Error, ReadOptions};

/// A stream of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamInfo {
    /// The name, as a [`Mapping`](crate::Mapping) selects the stream: `NAME`, or `NAME#2` for the second stream of a
    /// name.
    pub name: String,
    /// The content type, such as `MoCap`.
    pub kind: String,
    /// The type of the values: `int8`, `int16`, `int32`, `int64`, `float32`, `double64` or `string`.
    pub format: &'static str,
    /// The samples per second that the stream states; 0 for an irregular stream.
    pub rate: f64,
    /// The number of channels.
    pub channels: u32,
    /// The labels of the first channels.
    pub labels: Vec<Option<String>>,
    /// The units of these channels.
    pub units: Vec<Option<String>>,
    /// The times of the samples in seconds, on the clock of the recorder. Clock offsets and jitter are corrected as
    /// pyxdf does with breaks at 0.5 s and 10 samples.
    pub times: Vec<f64>,
}

/// Returns the streams of a file in the order of their headers. Damaged chunks are skipped. Of the options, the limits, the
/// pauses and [`keep_jitter`](ReadOptions::keep_jitter) have an effect.
///
/// # Errors
/// Fails when the bytes are not XDF or exceed the limits.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::{Format, ReadOptions, WriteOptions, write, xdf};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.5, &Pose::at([0.0, 1.6, 0.0]));
/// let mut bytes = Vec::new();
/// write(Format::Xdf, &recording, &WriteOptions::default(), &mut bytes)?;
/// let streams = xdf::streams(&bytes, &ReadOptions::default())?;
/// assert_eq!(streams[0].name, xdf::HEAD);
/// assert_eq!(streams[0].times.len(), 31);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn streams(bytes: &[u8], options: &ReadOptions) -> Result<Vec<StreamInfo>, Error> {
    let limits = &options.limits;
    check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
    let bytes = unpacked(bytes, limits)?;
    let file = XdfFile::parse(&bytes, limits)?;
    let streams = file.streams.iter().enumerate().map(|(index, stream)| {
        let header = &stream.header;
        StreamInfo {
            name: file.label(index),
            kind: header.kind.clone(),
            format: header.format.name(),
            rate: header.rate,
            channels: header.channels,
            labels: header.labels.clone(),
            units: header.units.clone(),
            times: StreamTimes::of(stream, options).times,
        }
    });
    Ok(streams.collect())
}
