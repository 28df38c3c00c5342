//! Partial recordings: large files of which a scan needs few curves.
//!
//! Method: the times of the rows depend on the first and the last key of every curve. A partial recording has the complete
//! curves that are needed, and only these two keys of the others, so it gives the same rows. The other keys are read into a
//! small buffer, in which their order is checked. Memory then grows with the curves that are needed, and not with the file;
//! filling new memory takes longer than reading a file from the page cache. The headers of the curves are read first, so
//! that several threads can read curves at the same time.
//!
//! A file is read completely if its layout is not certain from the headers, or if the keys of another curve are not in
//! order of finite times: only the layout that MRTK 1.1 writes, with known wrap modes, can be read partially.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use inputanim::{CurveMut, CurvePath, Flags, Layout, Limits, MAGIC, Recording, WrapMode};

/// The bytes of a key in this layout, also of a boolean curve.
type Key = [u8; 8];

const KEY: u64 = size_of::<Key>() as u64;
/// The size of the header of a file.
const HEADER: usize = 19;
/// The size of the header of a curve.
const CURVE_HEADER: usize = 12;
/// The bytes that are read at once. They stay in the cache of a processor. Unit tests read curves in many steps.
const STEP: usize = if cfg!(test) { 512 } else { 1 << 18 };

/// Bytes that several threads can read.
pub(crate) trait ReadAt: Sync {
    /// Fills `bytes` with those that begin at an offset.
    ///
    /// # Errors
    /// When the file cannot be read or ends before.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = std::os::windows::fs::FileExt::seek_read(self, bytes, offset)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            offset += count as u64;
            bytes = &mut bytes[count..];
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A curve of a file.
#[derive(Debug)]
struct StoredCurve {
    header: [u8; CURVE_HEADER],
    /// The offset of its keys.
    offset: u64,
    /// The size of its keys.
    size: u64,
    /// True if all of its keys are kept.
    is_kept: bool,
    /// Its first and its last key, once its keys are read; `None` if their times are not in order or not finite.
    ends: OnceLock<Option<[Key; 2]>>,
}

/// A reader of a partial recording. Any number of threads may call [`read_curves`](Self::read_curves), and one thread calls
/// [`finish`](Self::finish).
#[derive(Debug)]
pub(crate) struct PartialReader<F> {
    file: F,
    /// The size of the file.
    size: u64,
    limits: Limits,
    cancel: Arc<AtomicBool>,
    header: [u8; HEADER],
    curves: Vec<StoredCurve>,
    /// The offset after the last curve.
    end: u64,
    /// The index of the next curve that no thread reads yet.
    next: AtomicUsize,
}

impl<F: ReadAt> PartialReader<F> {
    /// Finds the curves of a file. `keeps` selects those that are needed; it gets a recording with the streams of the file,
    /// in which each curve has a key.
    ///
    /// Returns `None` if the file must be read completely: it may be damaged, or have another layout.
    pub(crate) fn new<K: Fn(CurvePath) -> bool>(
        file: F,
        size: u64,
        limits: &Limits,
        cancel: &Arc<AtomicBool>,
        keeps: impl FnOnce(&Recording<'_>) -> K,
    ) -> Option<PartialReader<F>> {
        if size > limits.max_bytes {
            return None;
        }
        let header: [u8; HEADER] = array(&file, 0)?;
        let version = [1, 0, 0, 0, 1, 0, 0, 0];
        if header[..8] != MAGIC || header[8..16] != version {
            return None;
        }
        let [camera, hand, gaze] = [16, 17, 18].map(|index| header[index] != 0);
        let flags = Flags { camera, hand, gaze };
        let mut streams = Recording::with_streams(Layout::Mrtk1_1, flags);
        for (_, curve) in streams.curves_mut() {
            match curve {
                CurveMut::Float(curve) => curve.keys.push_linear(0.0, 0.0),
                CurveMut::Boolean(curve) => curve.push(0.0, false),
            }
        }
        let keeps = keeps(&streams);
        let mut curves = Vec::new();
        let mut keys_left = limits.max_keys;
        let mut end = HEADER as u64;
        for (path, _) in streams.curves() {
            let header: [u8; CURVE_HEADER] = array(&file, end)?;
            let field = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
            let offset = end + CURVE_HEADER as u64;
            let count = u64::try_from(field(8)).ok()?;
            keys_left = keys_left.checked_sub(count)?;
            let are_known = WrapMode(field(0)).is_known() && WrapMode(field(4)).is_known();
            end = offset + count * KEY;
            if !are_known || end > size {
                return None;
            }
            let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
            curves.push(StoredCurve {
                header,
                offset,
                size: count * KEY,
                is_kept: count <= 2 || is_state || keeps(path),
                ends: OnceLock::new(),
            });
        }
        Some(PartialReader {
            file,
            size,
            limits: *limits,
            cancel: Arc::clone(cancel),
            header,
            curves,
            end,
            next: AtomicUsize::new(0),
        })
    }

    /// Reads the curves that are not needed completely, until no other is left or the file must be read completely.
    pub(crate) fn read_curves(&self) {
        let mut buffer = Vec::new();
        while let Some(curve) = self.curves.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if !curve.is_kept && self.ends(curve, &mut buffer).is_none() {
                self.next.store(self.curves.len(), Ordering::Relaxed);
            }
        }
    }

    /// Returns the bytes of the partial recording; `None` if the file must be read completely. Waits for the curves that
    /// other threads read.
    ///
    /// # Errors
    /// When the scan is cancelled.
    pub(crate) fn finish(&self) -> io::Result<Option<Vec<u8>>> {
        let bytes = self.bytes();
        if self.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let is_certain = |bytes: &Vec<u8>| {
            Recording::parse_with(bytes, &self.limits)
                .is_ok_and(|recording| recording.layout == Layout::Mrtk1_1)
        };
        Ok(bytes.filter(is_certain))
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        // Before the curves that no thread has read.
        if self
            .curves
            .iter()
            .any(|curve| curve.ends.get() == Some(&None))
        {
            return None;
        }
        let mut bytes = self.header.to_vec();
        let mut buffer = Vec::new();
        for curve in &self.curves {
            if curve.is_kept {
                bytes.extend(curve.header);
                self.copy(curve.offset, curve.size, &mut bytes)?;
            } else {
                bytes.extend(&curve.header[..8]);
                bytes.extend(2i32.to_le_bytes());
                bytes.extend(self.ends(curve, &mut buffer)?.as_flattened());
            }
        }
        self.copy(self.end, self.size - self.end, &mut bytes)?;
        Some(bytes)
    }

    /// Appends bytes of the file.
    fn copy(&self, mut offset: u64, size: u64, to: &mut Vec<u8>) -> Option<()> {
        let end = offset + size;
        while offset < end {
            let step = self.step(end - offset)?;
            let start = to.len();
            to.resize(start + step, 0);
            self.file.read_at(&mut to[start..], offset).ok()?;
            offset += step as u64;
        }
        Some(())
    }

    /// Returns the first and the last key of a curve. Reads the curve, or waits if another thread reads it.
    fn ends(&self, curve: &StoredCurve, buffer: &mut Vec<u8>) -> Option<[Key; 2]> {
        *curve.ends.get_or_init(|| {
            buffer.resize(STEP, 0);
            self.read_ends(curve, buffer)
        })
    }

    fn read_ends(&self, curve: &StoredCurve, buffer: &mut [u8]) -> Option<[Key; 2]> {
        let mut ends: Option<[Key; 2]> = None;
        let (mut offset, end) = (curve.offset, curve.offset + curve.size);
        while offset < end {
            let bytes = &mut buffer[..self.step(end - offset)?];
            self.file.read_at(bytes, offset).ok()?;
            offset += bytes.len() as u64;
            let (keys, _) = bytes.as_chunks();
            let (start, last) = (keys.first()?, keys.last()?);
            let [first, before] = ends.unwrap_or([*start; 2]);
            // Without an early end, so that the loop compiles to vector instructions. NaN has no order.
            let follows = time(before) <= time(*start);
            let is_sorted = keys.windows(2).fold(follows, |is_sorted, pair| {
                is_sorted & (time(pair[0]) <= time(pair[1]))
            });
            if !is_sorted {
                return None;
            }
            ends = Some([first, *last]);
        }
        let is_finite = |ends: &[Key; 2]| ends.iter().all(|key| time(*key).is_finite());
        ends.filter(is_finite)
    }

    /// Returns the number of bytes that are read next, at most `left`; `None` if the scan is cancelled.
    fn step(&self, left: u64) -> Option<usize> {
        (!self.is_cancelled()).then(|| usize::try_from(left).unwrap_or(STEP).min(STEP))
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

fn array<const N: usize>(file: &impl ReadAt, offset: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

/// Returns the time of a key, which comes first in the keys of all curves.
fn time([a, b, c, d, ..]: Key) -> f32 {
    f32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use inputanim::{FloatCurve, Joint, TimeRange};
    use inputanim_convert::Sampling;
    use inputanim_motion::{Motion, Scene};
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;
    use crate::{FileBytes, Scan, ScanOptions, Shape, Source};

    fn recording() -> Recording<'static> {
        let mut recording = Motion::new(Scene::TwoHands, 3, 20.0).record(60.0, Layout::Mrtk1_1);
        recording
            .markers
            .push(inputanim::Marker::new(2.0, "grip \u{e9}"));
        recording
    }

    impl ReadAt for &[u8] {
        fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let found = self.get(offset..offset.saturating_add(bytes.len()));
            bytes.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    fn partial(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let is_kept = |path| {
            matches!(
                path,
                CurvePath::Joint(_, Joint::Palm, _) | CurvePath::Gaze(_)
            )
        };
        let size = bytes.len() as u64;
        let reader = PartialReader::new(bytes, size, limits, &Arc::default(), |_| is_kept)?;
        // The bytes do not depend on the number of threads.
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| reader.read_curves()))
                .collect();
            let partial = reader.finish().expect("it is not cancelled");
            for other in others {
                other.join().expect("it does not panic");
            }
            partial
        })
    }

    #[test]
    fn selected_curves_are_complete_and_others_have_their_ends() {
        let recording = recording();
        let bytes = recording.to_bytes().expect("it is valid");
        let small = partial(&bytes, &Limits::default()).expect("it can be read partially");
        assert!(small.len() * 10 < bytes.len(), "{} bytes", small.len());
        let found = Recording::parse(&small).expect("it is valid");
        assert_eq!(found.markers, recording.markers);
        assert_eq!(found.duration(), recording.duration());
        for ((path, of_all), (_, curve)) in recording.curves().zip(found.curves()) {
            let is_complete = matches!(
                path,
                CurvePath::Joint(_, Joint::Palm, _)
                    | CurvePath::Tracked(_)
                    | CurvePath::Pinching(_)
                    | CurvePath::Gaze(_)
            );
            if is_complete || of_all.len() <= 2 {
                assert_eq!(curve, of_all, "{path}");
            } else {
                let last = of_all.len() - 1;
                assert_eq!(curve.wrap(), of_all.wrap());
                assert_eq!(curve.len(), 2);
                assert_eq!(curve.point(0), of_all.point(0));
                assert_eq!(curve.point(1), of_all.point(last));
            }
        }
    }

    #[test]
    fn other_files_are_read_completely() {
        let limits = Limits::default();
        let bytes = recording().to_bytes().expect("it is valid");
        assert!(partial(&bytes, &limits).is_some());
        // The camera is not kept, and its first curve begins after the header of the file and its own.
        let key = |index: usize| 19 + 12 + 8 * index;
        for time in [f32::NAN, f32::INFINITY, 99.0, -1.0] {
            // The steps end at keys 64 and 128.
            for index in [3, 63, 64, 127, 128] {
                let mut changed = bytes.clone();
                changed[key(index)..key(index) + 4].copy_from_slice(&time.to_le_bytes());
                assert_eq!(partial(&changed, &limits), None, "{time} in key {index}");
            }
        }
        let mut unknown = bytes.clone();
        unknown[19] = 3;
        assert_eq!(partial(&unknown, &limits), None);
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(partial(&longer, &limits), None);
        for size in (0..bytes.len()).step_by(99_991) {
            assert_eq!(partial(&bytes[..size], &limits), None, "{size} bytes");
        }
        let mut few = Limits::default();
        few.max_keys = 1000;
        assert_eq!(partial(&bytes, &few), None);
        let mut small = Limits::default();
        small.max_bytes = bytes.len() as u64 - 1;
        assert_eq!(partial(&bytes, &small), None);
        for layout in Layout::ALL {
            let other = Motion::new(Scene::TwoHands, 3, 2.0).record(60.0, layout);
            let other = other.to_bytes().expect("it is valid");
            let is_mrtk = layout == Layout::Mrtk1_1;
            assert_eq!(partial(&other, &limits).is_some(), is_mrtk, "{layout}");
        }
    }

    #[test]
    fn reading_ends_when_the_scan_is_cancelled() {
        let bytes = recording().to_bytes().expect("it is valid");
        let (size, cancel) = (bytes.len() as u64, Arc::new(AtomicBool::new(true)));
        let limits = Limits::default();
        let reader = PartialReader::new(&bytes[..], size, &limits, &cancel, |_| |_| false);
        let result = reader.expect("it can be read partially").finish();
        let error = result.expect_err("it is cancelled");
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    /// Returns the rows of a source as text, or the error.
    fn rows(source: Source, options: ScanOptions) -> String {
        let scan = Scan::new([source], options).expect("the options are valid");
        let batches = scan.batches().collect::<Result<Vec<_>, _>>();
        batches.map_or_else(|error| error.to_string(), |batches| format!("{batches:?}"))
    }

    /// Changes a curve in one of the ways in which curves of a recording differ.
    fn change(curve: CurveMut<'_, '_>, kind: u8, end: f32) {
        let CurveMut::Float(curve) = curve else {
            return;
        };
        match kind {
            // It ends after all others, before them, or has a key before 0.
            0 => curve.keys.push_linear(end + 0.3, 0.5),
            1 => *curve = FloatCurve::linear(curve.keys.points().take(3).collect::<Vec<_>>()),
            2 => *curve = FloatCurve::linear([(-0.5, 0.1), (0.1, 0.2), (0.4, 0.9)]),
            3 => *curve = FloatCurve::default(),
            4 => curve.post_wrap = WrapMode::LOOP,
            5 => curve.keys.push_linear(0.1, 0.5),
            _ => curve.keys.push_linear(f32::NAN, 0.5),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn files_have_the_rows_of_their_bytes(
            seed in any::<u64>(),
            changes in prop::collection::vec((0usize..395, prop_oneof![9 => 0u8..5, 1 => 5u8..7]), 0..5),
            is_tidy in any::<bool>(),
            columns in subsequence((0..350).collect::<Vec<usize>>(), 1..6),
            joints in subsequence(vec!["camera", "left.Palm", "right", "gaze", "IndexTip"], 0..3),
            part in proptest::option::of((-1.0f32..2.0, 0.0f32..3.0)),
        ) {
            let mut recording = Motion::new(Scene::TwoHands, seed, 1.0).record(20.0, Layout::Mrtk1_1);
            let end = recording.duration();
            for (curve, kind) in changes {
                // A vector without keys, or one curve.
                let count = if kind == 3 { 3 } else { 1 };
                for (_, curve) in recording.curves_mut().skip(curve).take(count) {
                    change(curve, kind, end);
                }
            }
            let bytes = recording.to_bytes().expect("it is valid");
            let folder = tempfile::tempdir().expect("temporary files can be made");
            let path = folder.path().join("take.bin");
            fs::write(&path, &bytes).expect("temporary files can be made");
            let mut options = ScanOptions {
                shape: if is_tidy { Shape::Tidy } else { Shape::Wide },
                sampling: Sampling::Rate(7.0),
                file_column: None,
                joints: joints.into_iter().map(str::to_owned).collect(),
                time: part.map(|(start, length)| TimeRange { start, end: start + length }),
                ..ScanOptions::default()
            };
            let names = options.fields().expect("the options are valid");
            let names = columns.into_iter().filter_map(|index| names.get(index));
            options.columns = Some(names.map(|field| field.name.to_string()).collect());
            let name = path.display().to_string().replace('\\', "/");
            let bytes = Source::Bytes { name, bytes: FileBytes::new(bytes) };
            let of_bytes = rows(bytes, options.clone());
            prop_assert_eq!(rows(Source::Path(path), options), of_bytes);
        }
    }
}
