//! The files of samples/ and fuzz/seeds/, generated from seeds, so that the result is always the same.

use std::path::PathBuf;

use inputanim::session::{SessionOptions, SessionWriter};
use inputanim::{BooleanCurve, Flags, FloatCurve, Layout, Marker, Pose, Ray, Recording, WrapMode};
use inputanim_motion::{Motion, Scene};

/// The file name, scene, seed and length in seconds of each sample.
pub const SAMPLES: [(&str, Scene, u64, f32); 4] = [
    ("two-hands", Scene::TwoHands, 7, 9.0),
    ("wave", Scene::Wave, 1, 4.0),
    ("pinch-drag", Scene::PinchDrag, 2, 5.0),
    ("reach", Scene::Reach, 3, 5.0),
];

/// The rate in Hz. It is half the rate of MRTK's recorder, so the files are small and still look smooth.
const RATE: f32 = 30.0;

/// Returns the path, relative to the root of the workspace, and the bytes of each generated file.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for (name, scene, seed, seconds) in SAMPLES {
        let recording = Motion::new(scene, seed, seconds).record(RATE, Layout::Mrtk1_1);
        let path = format!("samples/{name}.bin");
        files.push((path.into(), recording.to_bytes_as(Layout::Mrtk1_1).unwrap()));
    }
    for &layout in Layout::ALL {
        let path = format!("fuzz/seeds/{}.bin", layout.name().replace('.', "-"));
        files.push((path.into(), seed(layout).to_bytes_as(layout).unwrap()));
    }
    files.push(("fuzz/seeds/session.bin".into(), session()));
    for (name, seed) in [
        ("hands", seed_with_a_hand()),
        ("states", seed_with_states()),
        ("lost-w", seed_with_lost_w()),
        ("false-w", seed_with_false_w()),
    ] {
        let path = format!("fuzz/seeds/{name}.bin");
        files.push((path.into(), seed.to_bytes_as(Layout::Mrtk1_1).unwrap()));
    }
    files
}

/// Returns a small recording with few streams and few keys, from which fuzzing starts.
fn seed(layout: Layout) -> Recording<'static> {
    let all = Flags {
        head: true,
        hand: true,
        gaze: false,
    };
    // The layouts of version 1.0 have no flags: head and hands are always present (docs/format.md
    // 3.1).
    let mut seed = if layout.has_flags() {
        Recording::new(layout)
    } else {
        Recording::with_streams(layout, all)
    };
    for step in 0..3 {
        let time = step as f32 * 0.5;
        seed.head_mut().push(time, &Pose::at([time, 1.6, 0.0]));
        if layout.has_flags() {
            let ray = Ray {
                origin: [0.0, 1.6, 0.0],
                direction: [0.0, 0.0, 1.0],
            };
            seed.gaze_mut().push(time, &ray);
        }
    }
    if layout.has_markers() {
        seed.markers = vec![Marker::new(0.5, "start"), Marker::new(1.0, "")];
    }
    seed
}

fn seed_with_a_hand() -> Recording<'static> {
    let mut seed = Recording::new(Layout::Mrtk1_1);
    let frame = Motion::new(Scene::TwoHands, 7, 2.0).frame_at(1.0);
    let right = &mut seed.hands_mut().right;
    right.tracked.push(0.0, true);
    for (joint, pose) in frame.right.joints.iter() {
        if let Some(pose) = pose {
            right.joints[joint].push(0.0, pose);
        }
    }
    seed
}

/// Returns a small recording for fuzzing whose hands become tracked and untracked, also by repeating curves, with
/// markers between these times.
fn seed_with_states() -> Recording<'static> {
    let mut seed = seed(Layout::Mrtk1_1);
    let hands = seed.hands_mut();
    hands.left.tracked = BooleanCurve::new([(0.0, true), (0.75, false)]);
    hands.left.tracked.post_wrap = WrapMode::LOOP;
    hands.left.pinching = BooleanCurve::new([(0.25, false), (0.5, true), (0.625, false)]);
    hands.left.pinching.pre_wrap = WrapMode::PING_PONG;
    hands.right.tracked = BooleanCurve::new([(0.5, true)]);
    seed
}

/// Returns the bytes of an unfinished session file with five frames of tracked and untracked hands, and a marker. Its
/// last block is truncated.
fn session() -> Vec<u8> {
    let motion = Motion::new(Scene::TwoHands, 7, 2.0);
    let mut bytes = Vec::new();
    let mut writer = SessionWriter::new(&mut bytes, SessionOptions::new(Layout::Mrtk1_1)).unwrap();
    for step in 0..5 {
        let mut frame = motion.frame_at(1.0 + step as f32 * 0.25);
        frame.left.tracked = step == 2;
        frame.right.tracked = false;
        writer.push(&frame).unwrap();
        if step == 1 {
            writer.mark(1.25, "mark").unwrap();
        }
    }
    writer.sync().unwrap();
    // Recovery reads unfinished sessions, so the seed must reach that code.
    bytes.truncate(bytes.len() - 20);
    bytes
}

/// Returns a turning head and hand as MRTK 2.6.0 to 2.7.2 save them: only the first key of w (D1).
fn seed_with_lost_w() -> Recording<'static> {
    let motion = Motion::new(Scene::TwoHands, 7, 2.0);
    let mut seed = Recording::new(Layout::Mrtk1_1);
    seed.hands_mut().left.tracked.push(0.0, true);
    for step in 0..5 {
        let time = step as f32 * 0.25;
        let frame = motion.frame_at(time);
        if let Some(head) = &frame.head {
            seed.head_mut().push(time, head);
        }
        let left = &mut seed.hands_mut().left;
        for (joint, pose) in frame.left.joints.iter() {
            if let Some(pose) = pose {
                left.joints[joint].push(time, pose);
            }
        }
    }
    let first = |w: &mut FloatCurve<'_>| {
        *w = FloatCurve::linear(w.keys.point(0));
    };
    first(&mut seed.head_mut().rotation[3]);
    for (_, pose) in seed.hands_mut().left.joints.iter_mut() {
        first(&mut pose.rotation[3]);
    }
    seed
}

/// Returns a turning head as MRTK 2.6.0 to 2.7.2 save it without partitions: the first key of w is followed by a copy
/// of z's last key (D2).
fn seed_with_false_w() -> Recording<'static> {
    let mut seed = seed_with_lost_w();
    seed.hands = None;
    let [_, _, z, w] = &mut seed.head_mut().rotation;
    *w = FloatCurve::linear(w.keys.point(0).into_iter().chain(z.keys.points().last()));
    seed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_samples_equal_the_generated_ones() {
        for (path, bytes) in files() {
            let committed = std::fs::read(crate::samples::root().join(&path)).unwrap();
            assert!(committed == bytes, "{path:?}: run `cargo xtask samples`");
        }
    }
}
