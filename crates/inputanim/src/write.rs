//! Writing of recordings in any of the six layouts.
//!
//! Specification: docs/format.md, section 3.

use std::io::{self, Write};

use zerocopy::{Immutable, IntoBytes};

use crate::curve::{Curve, KeyKind, Keys, WrapMode};
use crate::device::Device;
use crate::key::FullKey;
use crate::layout::Layout;
use crate::loss::LayoutLoss;
use crate::marker::{Marker, length_prefix};
use crate::path::CurvePath;
use crate::read::MAGIC;
use crate::recording::Recording;

/// A failure to write a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Content of the recording is not representable in the layout.
    #[error("the layout {layout} cannot store {}", list(losses))]
    Lossy {
        /// The requested layout.
        layout: Layout,
        /// The content that writing would drop.
        losses: Vec<LayoutLoss>,
    },
    /// A curve has more than [`i32::MAX`] keys.
    #[error("{curve} has {keys} keys: a file can store at most {}", i32::MAX)]
    TooManyKeys {
        /// The curve.
        curve: CurvePath,
        /// Number of its keys.
        keys: usize,
    },
    /// The recording has more than [`i32::MAX`] markers.
    #[error(
        "the recording has {markers} markers: a file can store at most {}",
        i32::MAX
    )]
    TooManyMarkers {
        /// Number of markers.
        markers: usize,
    },
    /// The name of a marker has more than [`i32::MAX`] bytes.
    #[error(
        "the name of marker {marker} has {bytes} bytes: a file can store at most {}",
        i32::MAX
    )]
    NameTooLong {
        /// Index of the marker, counted from 0.
        marker: usize,
        /// Size of its name in bytes.
        bytes: usize,
    },
    /// The output failed.
    #[error("cannot write the recording")]
    Io(#[from] io::Error),
}

fn list(losses: &[LayoutLoss]) -> String {
    let texts: Vec<String> = losses.iter().map(LayoutLoss::to_string).collect();
    texts.join(", and ")
}

impl Recording<'_> {
    /// Returns the size of the recording in its own [layout](Self::layout), in bytes.
    pub fn encoded_len(&self) -> u64 {
        self.encoded_len_as(self.layout)
    }

    /// Returns the size in bytes of the recording with the curves of its devices, which is approximately its size in memory.
    pub fn content_len(&self) -> u64 {
        let curves = self.devices.iter().flat_map(Device::curves);
        let curves =
            curves.map(|(_, curve)| CURVE_HEADER + (curve.len() * curve.key_size()) as u64);
        self.encoded_len() + curves.sum::<u64>()
    }

    /// Returns the size of the recording in `layout`, in bytes.
    pub fn encoded_len_as(&self, layout: Layout) -> u64 {
        let mut length = MAGIC.len() as u64 + 8;
        if layout.has_flags() {
            length += 3;
        } else {
            // Version 1.0 has no flags, so missing streams are written as empty curves.
            let head = if self.head.is_none() { HEAD_CURVES } else { 0 };
            let hands = if self.hands.is_none() { HAND_CURVES } else { 0 };
            length += (head + hands) as u64 * CURVE_HEADER;
        }
        for (path, curve) in self.curves() {
            let is_in_file = match path {
                CurvePath::Gaze(_) => layout.has_flags(),
                CurvePath::DevicePose(..) | CurvePath::Input(..) => false,
                _ => true,
            };
            if !is_in_file {
                continue;
            }
            let key = match curve {
                Curve::Float(_) => layout.key_kind().size(),
                Curve::Boolean(_) => curve.key_size(),
            };
            length += CURVE_HEADER + curve.len() as u64 * key as u64;
        }
        if layout.has_markers() {
            length += 4 + self.markers.iter().map(Marker::encoded_len).sum::<u64>();
        }
        length
    }

    /// Writes the recording in its own [layout](Self::layout), without loss. A recording that was
    /// parsed and not changed gives the same bytes again.
    ///
    /// The writer passes each curve's keys to `output` as one slice, between headers of 12 bytes.
    /// Use a buffered output unless it is memory.
    ///
    /// # Errors
    /// [`WriteError::Lossy`], before the first byte, when the layout cannot represent all of it;
    /// [`WriteError::Io`] when the output fails; another variant when a count is above
    /// [`i32::MAX`].
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    ///
    /// // Usually a buffered file.
    /// let mut bytes = Vec::new();
    /// recording.write(&mut bytes)?;
    /// assert_eq!(bytes.len() as u64, recording.encoded_len());
    /// # Ok::<(), inputanim::WriteError>(())
    /// ```
    pub fn write(&self, output: impl Write) -> Result<(), WriteError> {
        self.write_as(output, self.layout)
    }

    /// Writes the recording in `layout`, without loss.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_as(&self, output: impl Write, layout: Layout) -> Result<(), WriteError> {
        self.refuse_losses(layout)?;
        self.with_held_gaps().write_body(output, layout)
    }

    /// Writes the recording in `layout`, drops what the layout cannot represent, and returns what
    /// was dropped.
    ///
    /// # Errors
    /// [`WriteError::Io`] when the output fails; another variant when a count is above
    /// [`i32::MAX`].
    ///
    /// ```
    /// use inputanim::{Layout, Marker, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.markers.push(Marker::new(1.0, "start"));
    ///
    /// // The published specification has no markers.
    /// let layout = Layout::Documented1_1;
    /// assert!(recording.write_as(Vec::new(), layout).is_err());
    /// let losses = recording.write_lossy_as(Vec::new(), layout)?;
    /// assert_eq!(losses.len(), 1);
    /// # Ok::<(), inputanim::WriteError>(())
    /// ```
    pub fn write_lossy_as(
        &self,
        output: impl Write,
        layout: Layout,
    ) -> Result<Vec<LayoutLoss>, WriteError> {
        let losses = self.losses(layout);
        self.with_held_gaps().write_body(output, layout)?;
        Ok(losses)
    }

    /// Returns the bytes of the recording in its own [layout](Self::layout), without loss.
    ///
    /// # Errors
    /// As [`write`](Self::write); [`WriteError::Io`] when there is not enough memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_as(self.layout)
    }

    /// Returns the bytes of the recording in `layout`, without loss.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn to_bytes_as(&self, layout: Layout) -> Result<Vec<u8>, WriteError> {
        self.refuse_losses(layout)?;
        let held = self.with_held_gaps();
        // All memory is reserved at once, and a failure is an error: a recording of several GiB
        // must not abort the program.
        let out_of_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let length = usize::try_from(held.encoded_len_as(layout)).map_err(|_| out_of_memory())?;
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(length)
            .map_err(|_| out_of_memory())?;
        held.write_body(&mut bytes, layout)?;
        Ok(bytes)
    }

    fn refuse_losses(&self, layout: Layout) -> Result<(), WriteError> {
        let losses = self.losses(layout);
        if losses.is_empty() {
            Ok(())
        } else {
            Err(WriteError::Lossy { layout, losses })
        }
    }

    fn write_body(&self, mut output: impl Write, layout: Layout) -> Result<(), WriteError> {
        let output = &mut output;
        let kind = layout.key_kind();
        write_header(output, layout)?;
        if layout.has_flags() {
            output.write_all(&self.flag_bytes())?;
        }
        match &self.head {
            Some(head) => head.iter().try_for_each(|(channel, curve)| {
                write_curve(output, CurvePath::Head(channel), Curve::Float(curve), kind)
            })?,
            // Version 1.0 has no flags: its readers expect the curves of every stream.
            None if !layout.has_flags() => write_empty_curves(output, HEAD_CURVES)?,
            None => {}
        }
        match &self.hands {
            Some(hands) => hands
                .curves()
                .try_for_each(|(path, curve)| write_curve(output, path, curve, kind))?,
            None if !layout.has_flags() => write_empty_curves(output, HAND_CURVES)?,
            None => {}
        }
        if let Some(gaze) = self.gaze.as_ref().filter(|_| layout.has_flags()) {
            gaze.iter().try_for_each(|(channel, curve)| {
                write_curve(output, CurvePath::Gaze(channel), Curve::Float(curve), kind)
            })?;
        }
        if layout.has_markers() {
            write_markers(output, &self.markers)?;
        }
        Ok(())
    }
}

const HEAD_CURVES: usize = 7;
const HAND_CURVES: usize = 4 + 2 * 27 * 7;
/// Size of a curve header in bytes (docs/format.md, section 1.4).
const CURVE_HEADER: u64 = 12;

/// Writes the magic number and the version (docs/format.md, section 1.2).
fn write_header(output: &mut impl Write, layout: Layout) -> io::Result<()> {
    let version = layout.version();
    output.write_all(&MAGIC)?;
    output.write_all(&version.major.to_le_bytes())?;
    output.write_all(&version.minor.to_le_bytes())
}

/// Writes the header of a curve: its wrap modes and the number of its keys (docs/format.md, section 1.4).
fn write_curve_header(
    output: &mut impl Write,
    (pre_wrap, post_wrap): (WrapMode, WrapMode),
    keys: i32,
) -> io::Result<()> {
    let mut header = [0; CURVE_HEADER as usize];
    for (field, value) in header
        .chunks_exact_mut(4)
        .zip([pre_wrap.0, post_wrap.0, keys])
    {
        field.copy_from_slice(&value.to_le_bytes());
    }
    output.write_all(&header)
}

fn write_empty_curves(output: &mut impl Write, count: usize) -> io::Result<()> {
    (0..count).try_for_each(|_| write_curve_header(output, [WrapMode::CLAMP_FOREVER; 2].into(), 0))
}

/// Writes a curve with its keys in the form `kind` (docs/format.md, sections 1.4 to 1.7). Fails if it has more than
/// [`i32::MAX`] keys; `path` is its name in the error.
fn write_curve(
    output: &mut impl Write,
    path: CurvePath,
    curve: Curve<'_, '_>,
    kind: KeyKind,
) -> Result<(), WriteError> {
    let keys = curve.len();
    // A count in a file is a signed integer of 32 bits (docs/format.md, section 1.4).
    let count = i32::try_from(keys).map_err(|_| WriteError::TooManyKeys { curve: path, keys })?;
    write_curve_header(output, curve.wrap(), count)?;
    match curve {
        Curve::Boolean(curve) => output.write_all(curve.keys.as_bytes()),
        Curve::Float(curve) => match (&curve.keys, kind) {
            (Keys::Full(keys), KeyKind::Full) => output.write_all(keys.as_bytes()),
            (Keys::Simple(keys), KeyKind::Simple) => output.write_all(keys.as_bytes()),
            (Keys::Full(keys), KeyKind::Simple) => {
                write_converted(output, keys, FullKey::to_simple)
            }
            (Keys::Simple(keys), KeyKind::Full) => write_converted(output, keys, FullKey::from),
        },
    }?;
    Ok(())
}

/// Converts and writes keys, a few at a time, so that memory does not grow with the curve.
fn write_converted<K: Copy, L: IntoBytes + Immutable>(
    output: &mut impl Write,
    keys: &[K],
    convert: impl Fn(K) -> L + Copy,
) -> io::Result<()> {
    keys.chunks(256).try_for_each(|keys| {
        let converted: Vec<L> = keys.iter().copied().map(convert).collect();
        output.write_all(converted.as_bytes())
    })
}

/// Writes the marker list (docs/format.md, sections 1.8 and 1.9).
fn write_markers(output: &mut impl Write, markers: &[Marker<'_>]) -> Result<(), WriteError> {
    let count = i32::try_from(markers.len()).map_err(|_| WriteError::TooManyMarkers {
        markers: markers.len(),
    })?;
    output.write_all(&count.to_le_bytes())?;
    for (index, marker) in markers.iter().enumerate() {
        let bytes = marker.name.len();
        if i32::try_from(bytes).is_err() {
            let marker = index;
            return Err(WriteError::NameTooLong { marker, bytes });
        }
        output.write_all(&marker.time.to_le_bytes())?;
        let prefix: Vec<u8> = length_prefix(bytes as u64).collect();
        output.write_all(&prefix)?;
        output.write_all(marker.name.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::recording::Flags;

    #[test]
    fn an_empty_1_1_file_has_23_bytes() {
        let bytes = Recording::with_streams(Layout::Mrtk1_1, Flags::NONE)
            .to_bytes_as(Layout::Mrtk1_1)
            .unwrap();
        let expected = [
            0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a, // magic
            1, 0, 0, 0, // major
            1, 0, 0, 0, // minor
            0, 0, 0, // flags: head, hand, gaze
            0, 0, 0, 0, // markers
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn empty_files_have_the_sizes_of_the_specification() {
        let size = |layout, flags| {
            let recording = Recording::with_streams(layout, flags);
            let bytes = recording.to_bytes_as(layout);
            bytes.map(|bytes| bytes.len()).unwrap_or_default()
        };
        assert_eq!(
            size(
                Layout::Mrtk1_0,
                Flags {
                    gaze: false,
                    ..Flags::ALL
                }
            ),
            4688
        );
        assert_eq!(size(Layout::Mrtk1_1, Flags::ALL), 4763);
        assert_eq!(size(Layout::Mrtk1_1, Flags::NONE), 23);
    }

    #[test]
    fn encoded_len_is_the_number_of_written_bytes() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.5, &Pose::IDENTITY);
        recording.markers.push(Marker::new(0.5, "x".repeat(340)));
        for &layout in Layout::ALL {
            let mut bytes = Vec::new();
            recording.write_lossy_as(&mut bytes, layout).unwrap();
            assert_eq!(
                bytes.len() as u64,
                recording.encoded_len_as(layout),
                "{layout}"
            );
        }
    }

    #[test]
    fn a_lossy_layout_is_refused_before_the_first_byte() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.gaze_mut();
        let mut bytes = Vec::new();
        let error = recording.write_as(&mut bytes, Layout::Mrtk1_0).unwrap_err();
        assert!(bytes.is_empty());
        let text = error.to_string();
        assert!(text.contains("the gaze stream (0 keys)"), "{text}");
        assert!(text.contains("says there is no head"), "{text}");
    }
}
