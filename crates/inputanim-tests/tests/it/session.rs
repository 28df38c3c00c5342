//! Properties of sessions: everything that was synced is recovered after any damage of the rest.

use crate::sessions::{SETTINGS, recorded, recover, written};
use inputanim::session::{
    SessionDamageKind, SessionOptions, SessionReadError, SessionWriter, SyncedData,
};
use inputanim::{Frame, Layout, Recorder, RecorderOptions, Sampler};
use inputanim_testkit::frames::{check_preserved, frames};
use proptest::prelude::*;

/// Generates options with blocks of a few frames of [`frames`].
fn options() -> impl Strategy<Value = SessionOptions> {
    (0.001_f32..0.2).prop_map(|interval| {
        let mut options = SETTINGS;
        options.sync_interval = interval;
        options
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_finished_session_equals_the_recording(
        frames in frames(20),
        settings in options(),
        index in 0_usize..6,
        from_zero in any::<bool>(),
        marks in prop::collection::vec((0_usize..20, 0.0_f32..9.0, any::<String>()), 0..4),
    ) {
        let layout = Layout::ALL[index];
        let mut writer = SessionWriter::new(Vec::new(), { let mut options = settings; options.layout = layout; options.from_zero = from_zero; options })?;
        let mut recorder = Recorder::with_options({ let mut options = RecorderOptions::new(layout); options.from_zero = from_zero; options })?;
        for (number, frame) in frames.iter().enumerate() {
            // A session refuses the same frames as a recorder.
            prop_assert_eq!(writer.push(frame).is_ok(), recorder.push(frame).is_ok());
            for (_, time, name) in marks.iter().filter(|(at, ..)| *at == number) {
                writer.mark(*time, name)?;
                recorder.mark(*time, name)?;
            }
        }
        let recovery = recover(&writer.finish()?)?;
        prop_assert!(recovery.is_intact(), "{:?}", recovery.damage);
        prop_assert_eq!(recovery.frames, recorder.frames());
        prop_assert_eq!(recovery.recording, recorder.finish());
    }

    #[test]
    fn a_cut_loses_only_the_blocks_after_it(frames in frames(20), settings in options(), cut in 0.0_f64..1.0) {
        let (bytes, safe) = written(settings, &frames);
        let cut = (bytes.len() as f64 * cut) as usize;
        let recovery = match recover(&bytes[..cut]) {
            Ok(recovery) => recovery,
            Err(error) => {
                prop_assert!(cut < 8 && error == SessionReadError::NotASession);
                return Ok(());
            }
        };
        let safe = safe.iter().take_while(|safe| safe.bytes <= cut as u64).last();
        prop_assert!(recovery.frames as u64 >= safe.map_or(0, |safe| safe.frames));
        prop_assert!(!recovery.is_finished && !recovery.is_intact());
        prop_assert_eq!(&recovery.recording, &recorded(&frames[..recovery.frames]));
    }

    /// Checks zeros at the end, which a file system leaves if it allocated space but wrote no data.
    #[test]
    fn a_tail_of_zeros_loses_no_more_than_a_cut(
        frames in frames(20),
        settings in options(),
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
        let is_expected = |kind| matches!(kind, SessionDamageKind::Unknown | SessionDamageKind::Block);
        let lost = &recovery.damage;
        prop_assert!(lost.iter().all(|lost| is_expected(lost.kind)));
        let ends = lost.iter().map(|lost| lost.bytes.end).collect::<Vec<_>>();
        let starts = lost.iter().skip(1).map(|lost| lost.bytes.start);
        let next = starts.chain([bytes.len() as u64]);
        prop_assert!(ends.into_iter().zip(next).all(|(end, start)| end == start));
    }

    /// Checks that a changed byte in the header loses no frames.
    #[test]
    fn a_changed_byte_loses_only_its_block(
        frames in frames(20),
        settings in options(),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..=255,
    ) {
        let (mut bytes, safe) = written(settings, &frames);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let recovery = recover(&bytes)?;
        prop_assert!(!recovery.is_intact());
        // The frames of the block at the byte.
        let is_before = |safe: &&SyncedData| safe.bytes <= at as u64;
        let before = safe.iter().take_while(is_before).last().map_or(0, |safe| safe.frames);
        let after = safe.iter().find(|safe| safe.bytes > at as u64);
        let after = if at < 24 {
            before
        } else {
            // After the last push follow the remaining frames and the end block.
            after.map_or(frames.len() as u64, |safe| safe.frames)
        };
        let others: Vec<&Frame> = frames[..before as usize].iter().chain(&frames[after as usize..]).collect();
        // The end block has no frames.
        prop_assert!(recovery.frames == others.len() || recovery.frames == frames.len());
        let others = if recovery.frames == frames.len() { frames.iter().collect() } else { others };
        let sampler = Sampler::new(&recovery.recording)?.with_raw_rotations();
        for frame in others {
            check_preserved(frame, &sampler.frame_at(frame.time))?;
        }
    }

    /// Checks bytes that are not a session, after a part of a session and alone.
    #[test]
    fn garbage_is_skipped(
        frames in frames(8),
        keep in 0_usize..9,
        garbage in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let mut settings = SETTINGS;
        settings.sync_interval = 1e-30;
        let (mut bytes, safe) = written(settings, &frames);
        let kept = safe[keep.min(frames.len())];
        // A file system may bring old blocks back.
        let old = bytes.clone();
        bytes.truncate(kept.bytes as usize);
        bytes.extend(&garbage);
        bytes.extend(&old[..kept.bytes as usize]);
        let recovery = recover(&bytes)?;
        prop_assert_eq!(recovery.frames as u64, kept.frames);
        prop_assert_eq!(&recovery.recording, &recorded(&frames[..kept.frames as usize]));
        let in_order = recovery.damage.is_sorted_by(|a, b| a.bytes.end <= b.bytes.start);
        prop_assert!(in_order, "{:?}", recovery.damage);
        recover(&garbage).ok();
    }
}
