//! An index of the curves in a file, which is read without their keys.
//!
//! Method: the headers of the curves state how many keys follow, so that the reader skips from header to header. It
//! reads the first and the last key of each curve on the way, from which the time range of the recording is known
//! ([`Curve::time_range`](crate::Curve::time_range)).
//!
//! Guarantee: an index exists only if the layout is certain from the headers and from the bytes after the last curve.
//! The parser then takes the same layout for the complete file. This holds for both layouts that MRTK writes.
//!
//! Cost: two small reads for each curve.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::body::{CURVE_HEADER, CurveHeader};
use super::limits::Limits;
use crate::curve::Curve;
use crate::key::BooleanKey;
use crate::layout::Layout;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording};

/// The positions of the curves in a file.
///
/// Programs read some curves of a large file with it, and the time range of the recording, and leave the rest on disk.
///
/// ```
/// use std::io::Cursor;
/// use inputanim::{CurveIndex, CurvePath, Layout, Limits, Pose, Recording};
/// # let mut recording = Recording::new(Layout::Mrtk1_1);
/// # for time in 0..100 {
/// #     recording.head_mut().push(time as f32, &Pose::IDENTITY);
/// #     recording.hands_mut().left.tracked.push(time as f32, true);
/// # }
/// # let bytes = recording.to_bytes()?;
/// let mut file = Cursor::new(&bytes);
/// let index = CurveIndex::read(&mut file, &Limits::default())?.expect("a file by MRTK");
/// let head = |path: CurvePath| matches!(path, CurvePath::Head(_));
/// let part = index.read_part(&mut file, head)?;
///
/// let part = Recording::parse(&part)?;
/// assert_eq!(part.head, recording.head);
/// assert_eq!(part.duration(), recording.duration());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CurveIndex {
    /// The bytes before the first curve.
    header: Vec<u8>,
    curves: Vec<IndexedCurve>,
    /// The bytes after the last curve: the marker list.
    trailer: Vec<u8>,
    /// The first and the last key of each curve.
    ends: Recording<'static>,
}

/// A curve in a [`CurveIndex`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IndexedCurve {
    /// The name of the curve.
    pub path: CurvePath,
    /// The byte range of its keys in the file.
    pub keys: Range<u64>,
    /// The number of its keys.
    pub count: u32,
    header: [u8; CURVE_HEADER],
    /// The bytes of the first and of the last key; one of both if there are fewer than two keys.
    ends: Vec<u8>,
}

/// The size of the header of a file of version 1.1, which has three flag bytes.
const FILE_HEADER: usize = 19;
/// The largest size of the bytes after the curves. More markers than this are read with the complete file.
const MAX_TRAILER: u64 = 1 << 20;

impl CurveIndex {
    /// Reads the position, the number of keys, and the first and the last key of each curve of a file.
    ///
    /// Returns `None` if the file must be read completely: its layout is not certain, it may be damaged, it exceeds a
    /// limit, or the first or last time of a curve is not finite.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn read(input: &mut (impl Read + Seek), limits: &Limits) -> io::Result<Option<CurveIndex>> {
        let size = input.seek(SeekFrom::End(0))?;
        if size > limits.max_bytes {
            return Ok(None);
        }
        let mut header = read_at(input, 0..size.min(FILE_HEADER as u64))?;
        // The parser checks the header, as it checks the rest of the file.
        let (layout, flags) = match header.get(8..FILE_HEADER) {
            Some([1, 0, 0, 0, 1, 0, 0, 0, flags @ ..]) => {
                let [head, hand, gaze] = [0, 1, 2].map(|index| flags[index] != 0);
                (Layout::Mrtk1_1, Flags { head, hand, gaze })
            }
            Some([1, 0, 0, 0, 0, 0, 0, 0, ..]) => {
                header.truncate(FILE_HEADER - 3);
                let gaze = false;
                (Layout::Mrtk1_0, Flags { gaze, ..Flags::ALL })
            }
            _ => return Ok(None),
        };
        let streams = Recording::with_streams(layout, flags);
        let mut curves = Vec::new();
        let mut next = header.len() as u64;
        for (path, curve) in streams.curves() {
            let key = match curve {
                Curve::Float(_) => layout.key_kind().size(),
                Curve::Boolean(_) => size_of::<BooleanKey>(),
            } as u64;
            let end = (next + CURVE_HEADER as u64 + key).min(size);
            let bytes = read_at(input, next..end)?;
            let Some((&header, first)) = bytes.split_first_chunk() else {
                return Ok(None);
            };
            let parsed = CurveHeader::new(header);
            let Ok(count) = u32::try_from(parsed.count) else {
                return Ok(None);
            };
            let start = next + CURVE_HEADER as u64;
            let keys = start..start + u64::from(count) * key;
            if !parsed.is_plausible() || keys.end > size {
                return Ok(None);
            }
            let mut ends = Vec::new();
            if count > 0 {
                ends.extend(first);
            }
            if count > 1 {
                ends.extend(read_at(input, keys.end - key..keys.end)?);
            }
            next = keys.end;
            curves.push(IndexedCurve {
                path,
                keys,
                count,
                header,
                ends,
            });
        }
        let all: u64 = curves.iter().map(|curve| u64::from(curve.count)).sum();
        if all > limits.max_keys || size - next > MAX_TRAILER {
            return Ok(None);
        }
        let mut index = CurveIndex {
            header,
            curves,
            trailer: read_at(input, next..size)?,
            ends: streams,
        };
        let ends = index.read_part(input, |_| false)?;
        let Ok(ends) = Recording::parse_with(&ends, limits) else {
            return Ok(None);
        };
        let are_finite = ends.curves().all(|(_, curve)| {
            let mut times = curve.points().map(|(time, _)| time);
            times.all(f32::is_finite)
        });
        if ends.layout != layout || !are_finite {
            return Ok(None);
        }
        index.ends = ends.into_owned();
        Ok(Some(index))
    }

    /// Returns the positions and the numbers of keys of the curves, in file order.
    pub fn curves(&self) -> &[IndexedCurve] {
        &self.curves
    }

    /// Returns the recording with only the first and the last key of each curve. Its streams, its markers, its time
    /// range and the set of curves with keys are the same as in the file.
    pub fn ends(&self) -> &Recording<'static> {
        &self.ends
    }

    /// Reads the curves that `keep` selects from the indexed file. Returns the bytes of a recording with these curves,
    /// and with the first and the last key of the others. `keep` is called again before a curve is read, so that it can end
    /// the reading.
    ///
    /// # Errors
    /// When the input cannot be read, or is shorter than when it was indexed.
    pub fn read_part(
        &self,
        input: &mut (impl Read + Seek),
        keep: impl Fn(CurvePath) -> bool,
    ) -> io::Result<Vec<u8>> {
        // One allocation: a larger one for each curve would move the bytes, or the pages that contain them.
        let is_kept = |curve: &IndexedCurve| curve.count > 2 && keep(curve.path);
        let length = |curve: &IndexedCurve| {
            let keys = match is_kept(curve) {
                true => curve.keys.end - curve.keys.start,
                false => curve.ends.len() as u64,
            };
            CURVE_HEADER as u64 + keys
        };
        let rest = (self.header.len() + self.trailer.len()) as u64;
        let total = rest + self.curves.iter().map(length).sum::<u64>();
        let mut bytes = Vec::new();
        // A size that does not fit into memory fails here, and not in the middle of the file.
        bytes.try_reserve_exact(usize::try_from(total).unwrap_or(usize::MAX))?;
        bytes.extend(&self.header);
        for curve in &self.curves {
            if !is_kept(curve) {
                let count = curve.count.min(2).to_le_bytes();
                bytes.extend(&curve.header[..CURVE_HEADER - count.len()]);
                bytes.extend(count);
                bytes.extend(&curve.ends);
                continue;
            }
            bytes.extend(curve.header);
            let length = curve.keys.end - curve.keys.start;
            input.seek(SeekFrom::Start(curve.keys.start))?;
            if input.by_ref().take(length).read_to_end(&mut bytes)? as u64 != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        bytes.extend(&self.trailer);
        Ok(bytes)
    }
}

/// Reads a byte range of the input. Fails if the input ends before the end of the range.
fn read_at(input: &mut (impl Read + Seek), range: Range<u64>) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(range.start))?;
    let mut bytes = vec![0; (range.end - range.start) as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}
