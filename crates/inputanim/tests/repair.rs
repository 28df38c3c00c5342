//! Repair: what the toolkit broke comes back, and nothing else changes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use std::fs;
use std::path::PathBuf;

use inputanim::doctor::{self, Code, Remedy};
use inputanim::repair::repair;
use inputanim::{CurvePath, Joint, PoseChannel, Recording, Side};
use proptest::prelude::*;
use random::recording;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Nothing that can be repaired is left, and repairing again changes nothing.
    #[test]
    fn repairing_twice_changes_nothing_more(recording in recording()) {
        let mut once = recording;
        let report = repair(&mut once);
        let left: Vec<_> = report.remaining.iter().filter(|f| f.code.remedy() == Remedy::Repair).collect();
        prop_assert!(left.is_empty(), "{left:?}");
        let mut twice = once.clone();
        let report = repair(&mut twice);
        prop_assert!(!report.is_changed(), "{report:?}");
        prop_assert_eq!(once, twice);
    }

    /// Curves without a finding stay as they are.
    #[test]
    fn what_is_healthy_is_not_touched(recording in recording()) {
        let findings = doctor::examine(&recording);
        let mut repaired = recording.clone();
        repair(&mut repaired);
        for (path, curve) in recording.curves() {
            let is_found = findings.iter().any(|finding| {
                finding.code.remedy() == Remedy::Repair && finding.curves.iter().any(|&other| is_kin(path, other))
            });
            if !is_found {
                prop_assert_eq!(repaired.curve(path), Some(curve), "{}", path);
            }
        }
    }
}

/// Whether two curves belong to one vector or rotation.
fn is_kin(a: CurvePath, b: CurvePath) -> bool {
    let vector = |path: CurvePath| {
        let name = path.to_string();
        name.rsplit_once('.').map(|(vector, _)| vector.to_owned())
    };
    match (a, b) {
        (CurvePath::Tracked(_) | CurvePath::Pinching(_), _) => a == b,
        _ => vector(a) == vector(b),
    }
}

fn corpus(name: &str) -> Option<Vec<u8>> {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return None;
    };
    Some(fs::read(corpus.join("mrtk").join(name)).unwrap())
}

/// The rotations of the camera or of a joint by key.
fn rotations(recording: &Recording<'_>, of: fn(PoseChannel) -> CurvePath) -> Vec<[f64; 4]> {
    use PoseChannel::{RotationW, RotationX, RotationY, RotationZ};
    let curves = [RotationX, RotationY, RotationZ, RotationW]
        .map(|channel| recording.curve(of(channel)).unwrap());
    (0..curves[0].len())
        .map(|key| curves.map(|curve| curve.point(key).unwrap().1.into()))
        .collect()
}

/// In degrees.
fn angle(a: [f64; 4], b: [f64; 4]) -> f64 {
    let length = |q: [f64; 4]| q.iter().map(|part| part * part).sum::<f64>().sqrt();
    let unit = |q: [f64; 4]| q.map(|part| part / length(q));
    let (a, b) = (unit(a), unit(b));
    let same = |sign: f64| -> f64 {
        let parts = a
            .iter()
            .zip(b)
            .map(|(a, b)| (a - sign * b) * (a - sign * b));
        parts.sum::<f64>().sqrt()
    };
    let chord = same(1.0).min(same(-1.0));
    2.0 * 2.0 * (chord / 2.0).min(1.0).asin().to_degrees()
}

#[test]
fn the_lost_w_of_the_toolkits_takes_comes_back() {
    for (broken, healthy) in [
        ("mrtk-1.1-w-lost-p0.bin", "mrtk-1.1-p0.bin"),
        ("mrtk-1.1-w-lost-p7.bin", "mrtk-1.1-p7.bin"),
        ("mrtk-1.1-w-lost-p32.bin", "mrtk-1.1-p32.bin"),
    ] {
        let (Some(broken), Some(healthy)) = (corpus(broken), corpus(healthy)) else {
            return;
        };
        let original = Recording::parse(&broken).unwrap();
        let truth = Recording::parse(&healthy).unwrap();
        let mut repaired = original.clone();
        repair(&mut repaired);
        let mut errors = Vec::new();
        let camera = rotations(&truth, CurvePath::Camera);
        for (a, b) in rotations(&repaired, CurvePath::Camera)
            .into_iter()
            .zip(camera)
        {
            assert!(angle(a, b) < 2.0);
        }
        for joint in Joint::ALL {
            let keys = |take: &Recording<'_>| {
                let pose = &take.hands.as_ref().unwrap().left.joints[joint];
                let curves = &pose.rotation;
                let key = |key: usize| {
                    curves
                        .each_ref()
                        .map(|c| c.keys.point(key).unwrap().1.into())
                };
                (0..curves[0].keys.len())
                    .map(key)
                    .collect::<Vec<[f64; 4]>>()
            };
            let (repaired, truth) = (keys(&repaired), keys(&truth));
            assert_eq!(repaired.len(), truth.len());
            errors.extend(repaired.into_iter().zip(truth).map(|(a, b)| angle(a, b)));
        }
        errors.sort_by(f64::total_cmp);
        let near = errors.iter().filter(|&&error| error < 2.0).count();
        assert!(
            near as f64 >= 0.999 * errors.len() as f64,
            "{near} of {}",
            errors.len()
        );
        assert!(errors[errors.len() / 2] < 0.05);
        for (path, curve) in original.curves() {
            if !path.to_string().ends_with("rotation.w") {
                let now = repaired.curve(path).unwrap();
                assert_eq!(now.len(), curve.len(), "{path}");
                let is_rotation = path.to_string().contains("rotation");
                assert!(is_rotation || now == curve, "{path} was touched");
            }
        }
    }
}

#[test]
fn a_healthy_take_stays_byte_for_byte() {
    let Some(bytes) = corpus("mrtk-1.1-p7.bin") else {
        return;
    };
    let mut take = Recording::parse(&bytes).unwrap();
    let report = repair(&mut take);
    assert!(!report.is_changed());
    let lost: Vec<Code> = report.lost().map(|finding| finding.code).collect();
    assert_eq!(
        lost,
        [Code::TailLost],
        "what the recorder dropped stays lost"
    );
    assert_eq!(take.to_bytes(take.layout).unwrap(), bytes);
}

#[test]
fn a_side_is_told_from_the_other() {
    // The mirror image of a hand needs the other signs: what holds left must hold right.
    let Some(bytes) = corpus("mrtk-1.1-w-lost-p7.bin") else {
        return;
    };
    let mut take = Recording::parse(&bytes).unwrap();
    let hands = take.hands.as_mut().unwrap();
    std::mem::swap(&mut hands.left, &mut hands.right);
    for (_, pose) in hands.right.joints.iter_mut() {
        for curve in [0, 4, 5] {
            let channel = PoseChannel::ALL[curve];
            let points: Vec<_> = pose[channel].keys.points().map(|(t, v)| (t, -v)).collect();
            pose[channel] = inputanim::FloatCurve::linear(points);
        }
    }
    repair(&mut take);
    let mut left = Recording::parse(&bytes).unwrap();
    repair(&mut left);
    for joint in Joint::ALL {
        let w = |take: &Recording<'_>, side| {
            let hand = take.hands.as_ref().unwrap().hand(side);
            hand.joints[joint].rotation[3]
                .keys
                .points()
                .collect::<Vec<_>>()
        };
        assert_eq!(w(&take, Side::Right), w(&left, Side::Left), "{joint}");
    }
}
