//! Sessions on disk: all that was safe comes back, whatever happened to the rest.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod frames;
mod sessions;

use frames::{frames, says};
use inputanim::session::{LostPart, RecoverError, Safe, Settings, Writer};
use inputanim::{Frame, Layout, Recorder, Sampler, record};
use proptest::prelude::*;
use sessions::{SETTINGS, recorded, recover, written};

/// Blocks of a few frames of [`frames`].
fn spans() -> impl Strategy<Value = Settings> {
    (0.001_f32..0.2).prop_map(|span| Settings { span, ..SETTINGS })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A session that was finished is what a recorder would have recorded.
    #[test]
    fn a_whole_session_is_the_recording(
        frames in frames(20),
        settings in spans(),
        index in 0_usize..6,
        from_zero in any::<bool>(),
        marks in prop::collection::vec((0_usize..20, 0.0_f32..9.0, any::<String>()), 0..4),
    ) {
        let layout = Layout::ALL[index];
        let mut writer = Writer::new(Vec::new(), Settings { layout, from_zero, ..settings })?;
        let mut recorder = Recorder::with(record::Settings { from_zero, ..record::Settings::new(layout) })?;
        for (number, frame) in frames.iter().enumerate() {
            // What a recorder refuses, a session does, and only that.
            prop_assert_eq!(writer.push(frame).is_ok(), recorder.push(frame).is_ok());
            for (_, time, name) in marks.iter().filter(|(at, ..)| *at == number) {
                writer.mark(*time, name)?;
                recorder.mark(*time, name)?;
            }
        }
        let recovery = recover(&writer.finish()?)?;
        prop_assert!(recovery.is_whole(), "{:?}", recovery.lost);
        prop_assert_eq!(recovery.frames, recorder.frames());
        prop_assert_eq!(recovery.recording, recorder.finish());
    }

    /// Wherever a session is cut, all blocks before the cut come back, and so all that was safe.
    #[test]
    fn a_cut_costs_what_is_behind_it(frames in frames(20), settings in spans(), cut in 0.0_f64..1.0) {
        let (bytes, safe) = written(settings, &frames);
        let cut = (bytes.len() as f64 * cut) as usize;
        let recovery = match recover(&bytes[..cut]) {
            Ok(recovery) => recovery,
            Err(error) => {
                prop_assert!(cut < 8 && error == RecoverError::NotASession);
                return Ok(());
            }
        };
        let safe = safe.iter().take_while(|safe| safe.bytes <= cut as u64).last();
        prop_assert!(recovery.frames as u64 >= safe.map_or(0, |safe| safe.frames));
        prop_assert!(!recovery.is_finished && !recovery.is_whole());
        prop_assert_eq!(&recovery.recording, &recorded(&frames[..recovery.frames]));
    }

    /// Zeros where a file system had room but no data yet cost no more than a cut.
    #[test]
    fn a_tail_of_zeros_costs_what_is_behind_it(
        frames in frames(20),
        settings in spans(),
        from in 24_usize..20_000,
        more in 0_usize..5000,
    ) {
        let (mut bytes, _) = written(settings, &frames);
        let from = from.min(bytes.len());
        let cut = recover(&bytes[..from])?;
        bytes[from..].fill(0);
        bytes.resize(bytes.len() + more, 0);
        let recovery = recover(&bytes)?;
        prop_assert_eq!(&recovery.recording, &cut.recording);
        let is_expected = |what| matches!(what, LostPart::Unknown | LostPart::Block);
        let lost = &recovery.lost;
        prop_assert!(lost.iter().all(|lost| is_expected(lost.what)));
        let ends = lost.iter().map(|lost| lost.bytes.end).collect::<Vec<_>>();
        let starts = lost.iter().skip(1).map(|lost| lost.bytes.start);
        let next = starts.chain([bytes.len() as u64]);
        prop_assert!(ends.into_iter().zip(next).all(|(end, start)| end == start));
    }

    /// A byte that is not what it was costs its block and no other; in the header none.
    #[test]
    fn a_flipped_byte_costs_its_block(
        frames in frames(20),
        settings in spans(),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..=255,
    ) {
        let (mut bytes, safe) = written(settings, &frames);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let recovery = recover(&bytes)?;
        prop_assert!(!recovery.is_whole());
        // The frames of the block at the byte.
        let is_before = |safe: &&Safe| safe.bytes <= at as u64;
        let before = safe.iter().take_while(is_before).last().map_or(0, |safe| safe.frames);
        let after = safe.iter().find(|safe| safe.bytes > at as u64);
        let after = match at < 24 {
            true => before,
            // Behind the last push come the rest and the end.
            false => after.map_or(frames.len() as u64, |safe| safe.frames),
        };
        let others: Vec<&Frame> = frames[..before as usize].iter().chain(&frames[after as usize..]).collect();
        // The end's own block holds no frames.
        prop_assert!(recovery.frames == others.len() || recovery.frames == frames.len());
        let others = if recovery.frames == frames.len() { frames.iter().collect() } else { others };
        let sampler = Sampler::new(&recovery.recording)?.with_raw_rotations();
        for frame in others {
            says(frame, &sampler.frame_at(frame.time))?;
        }
    }

    /// Bytes that were never a session, behind a part of one or in its place.
    #[test]
    fn garbage_is_passed_over(
        frames in frames(8),
        keep in 0_usize..9,
        garbage in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let settings = Settings { span: 1e-30, ..SETTINGS };
        let (mut bytes, safe) = written(settings, &frames);
        let kept = safe[keep.min(frames.len())];
        // Old blocks too, as a file system may bring them back.
        let old = bytes.clone();
        bytes.truncate(kept.bytes as usize);
        bytes.extend(&garbage);
        bytes.extend(&old[..kept.bytes as usize]);
        let recovery = recover(&bytes)?;
        prop_assert_eq!(recovery.frames as u64, kept.frames);
        prop_assert_eq!(&recovery.recording, &recorded(&frames[..kept.frames as usize]));
        let in_order = recovery.lost.is_sorted_by(|a, b| a.bytes.end <= b.bytes.start);
        prop_assert!(in_order, "{:?}", recovery.lost);
        recover(&garbage).ok();
    }
}
