//! Reading of large recordings of which a scan needs few curves.
//!
//! Method: the times of the rows depend on the first and the last key of every curve, so a recording that has only these two
//! keys of the curves that are not read gives the same rows. The file is read once through a small buffer, and the bytes of
//! such a recording are kept. Memory then grows with the curves that are read, and not with the file; filling new memory
//! takes longer than reading a file from the cache of the system.
//!
//! Only files are reduced whose complete bytes would be read in the same way without doubt: in the layout that MRTK 1.1
//! writes, with known wrap modes, and with all keys of the other curves in order of finite times.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::{CurveMut, CurvePath, Flags, Layout, Limits, MAGIC, Recording, WrapMode};

/// The size of a key in this layout, also of a boolean curve.
const KEY: usize = 8;
/// The bytes that are read at once. They stay in the cache of a processor.
const STEP: usize = 1 << 18;
/// The most bytes of a marker list.
const MARKERS: u64 = 16 << 20;

/// Reads a recording without the inner keys of the curves that `keeps` does not select. `size` is that of the file.
/// `keeps` gets a recording with the streams of the file, in which each curve has a key.
///
/// Returns `None` if the file cannot be reduced: it may be damaged, or have another layout.
///
/// # Errors
/// When the file cannot be read, or when `cancel` becomes true.
pub(crate) fn read_reduced<K: Fn(CurvePath) -> bool>(
    file: impl Read,
    size: u64,
    limits: &Limits,
    cancel: &AtomicBool,
    keeps: impl FnOnce(&Recording<'_>) -> K,
) -> io::Result<Option<Vec<u8>>> {
    if size > limits.max_bytes {
        return Ok(None);
    }
    let mut reader = Reducer {
        file,
        left: size,
        keys_left: limits.max_keys,
        bytes: Vec::new(),
        step: vec![0; STEP],
        cancel,
    };
    match reader.read(keeps) {
        // The file became shorter.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
        Ok(None) => Ok(None),
        Ok(Some(())) => {
            let is_exact = Recording::parse_with(&reader.bytes, limits)
                .is_ok_and(|recording| recording.layout == Layout::Mrtk1_1);
            Ok(is_exact.then_some(reader.bytes))
        }
    }
}

struct Reducer<'c, R> {
    file: R,
    /// The bytes of the file that are not read yet.
    left: u64,
    keys_left: u64,
    /// The reduced recording.
    bytes: Vec<u8>,
    step: Vec<u8>,
    cancel: &'c AtomicBool,
}

impl<R: Read> Reducer<'_, R> {
    /// Returns `None` if the file cannot be reduced.
    fn read<K: Fn(CurvePath) -> bool>(
        &mut self,
        keeps: impl FnOnce(&Recording<'_>) -> K,
    ) -> io::Result<Option<()>> {
        let header: [u8; 19] = self.array()?;
        let version = [1, 0, 0, 0, 1, 0, 0, 0];
        if header[..8] != MAGIC || header[8..16] != version {
            return Ok(None);
        }
        self.bytes.extend(header);
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
        for (path, _) in streams.curves() {
            let header: [u8; 12] = self.array()?;
            let field = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
            let are_known = [field(0), field(4)].map(|mode| WrapMode(mode).is_known());
            let Ok(count) = usize::try_from(field(8)) else {
                return Ok(None);
            };
            // A count of 31 bits does not overflow.
            let size = count as u64 * KEY as u64;
            let keys_left = self.keys_left.checked_sub(count as u64);
            let (Some(keys_left), true) = (keys_left, size <= self.left) else {
                return Ok(None);
            };
            self.keys_left = keys_left;
            if are_known != [true; 2] {
                return Ok(None);
            }
            let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
            if count <= 2 || is_state || keeps(path) {
                self.bytes.extend(header);
                self.keep(size)?;
            } else {
                self.bytes.extend(&header[..8]);
                self.bytes.extend(2i32.to_le_bytes());
                let Some(ends) = self.ends(count)? else {
                    return Ok(None);
                };
                self.bytes.extend(ends.as_flattened());
            }
        }
        if self.left > MARKERS {
            return Ok(None);
        }
        self.keep(self.left)?;
        Ok(Some(()))
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.left = self.left.saturating_sub(N as u64);
        Ok(bytes)
    }

    /// Reads the next bytes of the file, at most those of a step.
    fn next(&mut self, most: u64) -> io::Result<&[u8]> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = usize::try_from(most).unwrap_or(STEP).min(STEP);
        let bytes = &mut self.step[..size];
        self.file.read_exact(bytes)?;
        self.left -= size as u64;
        Ok(bytes)
    }

    /// Keeps the next bytes of the file.
    fn keep(&mut self, size: u64) -> io::Result<()> {
        let mut left = size;
        while left > 0 {
            let bytes = self.next(left)?.len();
            self.bytes.extend(&self.step[..bytes]);
            left -= bytes as u64;
        }
        Ok(())
    }

    /// Reads keys, and returns the first and the last one; `None` if their times are not in order or not finite.
    fn ends(&mut self, count: usize) -> io::Result<Option<[[u8; KEY]; 2]>> {
        let mut ends: Option<[[u8; KEY]; 2]> = None;
        let mut left = count as u64 * KEY as u64;
        while left > 0 {
            let (keys, _) = self.next(left)?.as_chunks::<KEY>();
            let ([start, ..], [.., end]) = (keys, keys) else {
                return Ok(None);
            };
            let [first, before] = ends.unwrap_or([*start; 2]);
            // Without an early end, so that the loop compiles to vector instructions. NaN has no order.
            let follows = time(before) <= time(*start);
            let is_sorted = keys.windows(2).fold(follows, |is_sorted, pair| {
                is_sorted & (time(pair[0]) <= time(pair[1]))
            });
            if !is_sorted {
                return Ok(None);
            }
            ends = Some([first, *end]);
            left -= (keys.len() * KEY) as u64;
        }
        let is_finite = |ends: &[[u8; KEY]; 2]| ends.iter().all(|key| time(*key).is_finite());
        Ok(ends.filter(is_finite))
    }
}

/// Returns the time of a key, which comes first in the keys of all curves.
fn time([a, b, c, d, ..]: [u8; KEY]) -> f32 {
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

    fn reduced(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let is_kept = |path| {
            matches!(
                path,
                CurvePath::Joint(_, Joint::Palm, _) | CurvePath::Gaze(_)
            )
        };
        let size = bytes.len() as u64;
        let cancel = AtomicBool::new(false);
        read_reduced(bytes, size, limits, &cancel, |_| is_kept).expect("bytes cannot fail")
    }

    #[test]
    fn selected_curves_are_complete_and_others_have_their_ends() {
        let recording = recording();
        let bytes = recording.to_bytes().expect("it is valid");
        let small = reduced(&bytes, &Limits::default()).expect("it can be reduced");
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
    fn other_files_are_not_reduced() {
        let limits = Limits::default();
        let bytes = recording().to_bytes().expect("it is valid");
        assert!(reduced(&bytes, &limits).is_some());
        // The camera is not kept, and its first curve begins after the header of the file and its own.
        let key = |index: usize| 19 + 12 + 8 * index;
        for time in [f32::NAN, f32::INFINITY, 99.0, -1.0] {
            let mut changed = bytes.clone();
            changed[key(3)..key(3) + 4].copy_from_slice(&time.to_le_bytes());
            assert_eq!(reduced(&changed, &limits), None, "{time}");
        }
        let mut unknown = bytes.clone();
        unknown[19] = 3;
        assert_eq!(reduced(&unknown, &limits), None);
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(reduced(&longer, &limits), None);
        for size in (0..bytes.len()).step_by(99_991) {
            assert_eq!(reduced(&bytes[..size], &limits), None, "{size} bytes");
        }
        let mut few = Limits::default();
        few.max_keys = 1000;
        assert_eq!(reduced(&bytes, &few), None);
        let mut small = Limits::default();
        small.max_bytes = bytes.len() as u64 - 1;
        assert_eq!(reduced(&bytes, &small), None);
        for layout in Layout::ALL {
            let other = Motion::new(Scene::TwoHands, 3, 2.0).record(60.0, layout);
            let other = other.to_bytes().expect("it is valid");
            let is_mrtk = layout == Layout::Mrtk1_1;
            assert_eq!(reduced(&other, &limits).is_some(), is_mrtk, "{layout}");
        }
    }

    #[test]
    fn reading_ends_when_the_scan_is_cancelled() {
        let bytes = recording().to_bytes().expect("it is valid");
        let (size, cancel) = (bytes.len() as u64, AtomicBool::new(true));
        let limits = Limits::default();
        let result = read_reduced(&bytes[..], size, &limits, &cancel, |_| |_| false);
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
            let name = path.display().to_string();
            let bytes = Source::Bytes { name, bytes: FileBytes::new(bytes) };
            let of_bytes = rows(bytes, options.clone());
            prop_assert_eq!(rows(Source::Path(path), options), of_bytes);
        }
    }
}
