//! Properties of repair: it restores curves that MRTK damaged, and changes nothing else.

use inputanim::doctor::{self, Code, Remedy};
use inputanim::repair::joined;
use inputanim::{
    BooleanKey, CurveMut, CurvePath, FloatCurve, Joint, Keys, Layout, Pose, PoseChannel, Recording,
    Side, TimeRange,
};
use inputanim_testkit::devices::device_recording;
use inputanim_testkit::random::recording;
use proptest::prelude::*;

/// Damage of one key: a number that selects the curve, one that selects the key, and the kind of damage.
type Damage = (usize, usize, u8);

/// Returns a random recording with devices, some of whose keys are damaged.
fn damaged_devices() -> impl Strategy<Value = Recording<'static>> {
    let damage = prop::collection::vec((0..1000_usize, 0..1000_usize, 0..9_u8), 0..3);
    (device_recording(), damage).prop_map(|(mut recording, damage)| {
        for damage in damage {
            damage_key(&mut recording, damage);
        }
        recording
    })
}

fn damage_key(recording: &mut Recording<'_>, (curve, key, kind): Damage) {
    let time = [f32::NAN, f32::INFINITY, -1.0, 9.0].get(usize::from(kind));
    let value = [f32::NAN, f32::NEG_INFINITY, 0.5].get(usize::from(kind).wrapping_sub(4));
    if kind >= 7 {
        // A rotation of length 0, or the opposite sign.
        let factor = if kind == 7 { 0.0 } else { -1.0 };
        let mut poses: Vec<_> = recording
            .devices
            .iter_mut()
            .flat_map(|device| device.poses.iter_mut())
            .collect();
        if !poses.is_empty() {
            let count = poses.len();
            let (_, pose) = &mut poses[curve % count];
            let key = key % pose.rotation[0].keys.len();
            for curve in &mut pose.rotation {
                replace(curve, key, |(time, value)| (time, value * factor));
            }
        }
        return;
    }
    let mut curves: Vec<_> = recording
        .devices
        .iter_mut()
        .flat_map(|device| device.curves_mut())
        .collect();
    if curves.is_empty() {
        return;
    }
    let index = curve % curves.len();
    let changed = |point: (f32, f32)| {
        let time = time.copied().unwrap_or(point.0);
        (time, value.copied().unwrap_or(point.1))
    };
    match &mut curves[index].1 {
        CurveMut::Float(curve) => replace(curve, key % curve.keys.len(), changed),
        CurveMut::Boolean(curve) => {
            let key = key % curve.keys.len();
            let old = curve.keys[key];
            let (time, value) = changed((old.time(), old.value()));
            curve.keys.to_mut()[key] = BooleanKey::from_value(time, value);
        }
    }
}

fn replace(curve: &mut FloatCurve<'_>, key: usize, change: impl Fn((f32, f32)) -> (f32, f32)) {
    let points = curve.keys.points().enumerate();
    let points = points.map(|(index, point)| if index == key { change(point) } else { point });
    *curve = FloatCurve::linear(points.collect::<Vec<_>>());
}

fn repairable(findings: &[doctor::Finding]) -> Vec<Code> {
    let codes = findings.iter().map(|finding| finding.code);
    codes
        .filter(|code| code.remedy() == Remedy::Repair)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn damage_of_devices_is_found_if_and_only_if_it_is_repaired(recording in damaged_devices()) {
        let mut repaired = recording.clone();
        let report = repaired.repair();
        let found = repairable(&doctor::findings(&recording));
        prop_assert_eq!(!found.is_empty(), report.is_changed(), "{:?}, {:?}", found, report);
        for repair in &report.repaired {
            prop_assert!(found.contains(&repair.code) || report.repaired.len() > 1, "{:?}", repair);
        }
        prop_assert_eq!(repairable(&report.remaining), []);
        let changes: Vec<Code> = found.into_iter().filter(|code| code.changes_values()).collect();
        let damage = doctor::damage(&recording, |_| true);
        prop_assert!(changes.iter().all(|code| damage.iter().any(|finding| finding.code == *code)));
    }
}

#[test]
fn each_kind_of_damage_of_a_device_has_its_code() {
    for (kind, code) in [
        (0, Code::TimeNotFinite),
        (1, Code::TimeNotFinite),
        (3, Code::TimesUnsorted),
        (4, Code::ValueNotFinite),
        (5, Code::ValueNotFinite),
        (7, Code::RotationZero),
        (8, Code::SignFlip),
    ] {
        let mut recording = Recording::new(inputanim::Layout::Mrtk1_1);
        let right = recording.device_mut(inputanim::DeviceName::controller(Side::Right));
        for time in [0.0, 1.0, 2.0] {
            let aim = right.pose_mut("aim".parse().unwrap());
            aim.push(time, &inputanim::Pose::IDENTITY);
        }
        assert_eq!(repairable(&doctor::findings(&recording)), []);
        damage_key(&mut recording, (0, 1, kind));
        assert_eq!(repairable(&doctor::findings(&recording)), [code], "{kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn repair_is_idempotent(recording in recording()) {
        let mut once = recording;
        let report = once.repair();
        let left: Vec<_> = report.remaining.iter().filter(|f| f.code.remedy() == Remedy::Repair).collect();
        prop_assert!(left.is_empty(), "{left:?}");
        let mut twice = once.clone();
        let report = twice.repair();
        prop_assert!(!report.is_changed(), "{report:?}");
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn curves_without_findings_stay_unchanged(recording in recording()) {
        let findings = doctor::findings(&recording);
        let mut repaired = recording.clone();
        repaired.repair();
        for (path, curve) in recording.curves() {
            let is_found = findings.iter().any(|finding| {
                finding.code.remedy() == Remedy::Repair && finding.curves.iter().any(|&other| is_same_element(path, other))
            });
            if !is_found {
                prop_assert_eq!(repaired.curve(path), Some(curve), "{}", path);
            }
        }
    }
}

/// Returns `true` if two curves belong to the same vector or rotation.
fn is_same_element(a: CurvePath, b: CurvePath) -> bool {
    let vector = |path: CurvePath| {
        let name = path.to_string();
        name.rsplit_once('.').map(|(vector, _)| vector.to_owned())
    };
    match (a, b) {
        (CurvePath::Tracked(_) | CurvePath::Pinching(_), _) => a == b,
        _ => vector(a) == vector(b),
    }
}

fn mrtk(name: &str) -> Vec<u8> {
    inputanim_testkit::corpus::read(&format!("mrtk/{name}"))
}

/// Returns the rotation of the head or of a joint at each key.
fn rotations(recording: &Recording<'_>, of: fn(PoseChannel) -> CurvePath) -> Vec<[f64; 4]> {
    use PoseChannel::{RotationW, RotationX, RotationY, RotationZ};
    let curves = [RotationX, RotationY, RotationZ, RotationW]
        .map(|channel| recording.curve(of(channel)).unwrap());
    (0..curves[0].len())
        .map(|key| curves.map(|curve| curve.point(key).unwrap().1.into()))
        .collect()
}

/// Returns the angle between two rotations in degrees.
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
#[ignore = "needs INPUTANIM_CORPUS"]
fn lost_w_curves_of_mrtk_recordings_are_restored() {
    for (broken, healthy) in [
        ("mrtk-1.1-w-lost-p0.bin", "mrtk-1.1-p0.bin"),
        ("mrtk-1.1-w-lost-p7.bin", "mrtk-1.1-p7.bin"),
        ("mrtk-1.1-w-lost-p32.bin", "mrtk-1.1-p32.bin"),
    ] {
        let (broken, healthy) = (mrtk(broken), mrtk(healthy));
        let original = Recording::parse(&broken).unwrap();
        let truth = Recording::parse(&healthy).unwrap();
        let mut repaired = original.clone();
        repaired.repair();
        let mut errors = Vec::new();
        let head = rotations(&truth, CurvePath::Head);
        for (a, b) in rotations(&repaired, CurvePath::Head).into_iter().zip(head) {
            assert!(angle(a, b) < 2.0);
        }
        for joint in Joint::ALL {
            let keys = |recording: &Recording<'_>| {
                let pose = &recording.hands.as_ref().unwrap().left.joints[joint];
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
                assert!(is_rotation || now == curve, "{path} was changed");
            }
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn an_undamaged_recording_stays_byte_for_byte() {
    let bytes = mrtk("mrtk-1.1-p7.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    let report = recording.repair();
    assert!(!report.is_changed());
    let lost: Vec<Code> = report.lost().map(|finding| finding.code).collect();
    assert_eq!(lost, [Code::TailLost], "a lost tail cannot be repaired");
    assert_eq!(recording.to_bytes().unwrap(), bytes);
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn left_and_right_hands_are_repaired_alike() {
    // A mirrored hand must get the mirrored signs.
    let bytes = mrtk("mrtk-1.1-w-lost-p7.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    let hands = recording.hands.as_mut().unwrap();
    std::mem::swap(&mut hands.left, &mut hands.right);
    for (_, pose) in hands.right.joints.iter_mut() {
        for curve in [0, 4, 5] {
            let channel = PoseChannel::ALL[curve];
            let points: Vec<_> = pose[channel].keys.points().map(|(t, v)| (t, -v)).collect();
            pose[channel] = inputanim::FloatCurve::linear(points);
        }
    }
    recording.repair();
    let mut left = Recording::parse(&bytes).unwrap();
    left.repair();
    for joint in Joint::ALL {
        let w = |recording: &Recording<'_>, side| {
            let hand = recording.hands.as_ref().unwrap().hand(side);
            hand.joints[joint].rotation[3]
                .keys
                .points()
                .collect::<Vec<_>>()
        };
        assert_eq!(w(&recording, Side::Right), w(&left, Side::Left), "{joint}");
    }
}

#[test]
fn groups_count_a_key_of_a_rotation_once_and_name_the_times_of_changed_keys() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for index in 0..10_u8 {
        // The keys 3 to 5 and the key 8 have the opposite sign.
        let sign = if matches!(index, 3..=5 | 8) {
            -1.0
        } else {
            1.0
        };
        let rotation = [0.0, 0.6, 0.0, 0.8].map(|part: f32| part * sign);
        recording.head_mut().push(
            f32::from(index),
            &Pose {
                rotation,
                ..Pose::IDENTITY
            },
        );
    }
    let before = recording.clone();
    let report = recording.repair();
    let groups = report.groups(&recording);
    assert_eq!(groups.len(), 1);
    let group = &groups[0];
    assert_eq!(
        (group.code, group.name.as_str()),
        (Code::SignFlip, "head.rotation")
    );
    assert_eq!(
        (group.keys, group.curves.len(), group.uncertain_keys),
        (4, 4, 0)
    );
    let range = |start, end| TimeRange { start, end };
    assert_eq!(
        group.changed_times(&before, &recording),
        [range(3.0, 5.0), range(8.0, 8.0)]
    );
    assert_eq!(group.changed_times(&recording, &recording), []);
}

#[test]
fn uncertain_times_that_are_close_are_joined_with_their_names() {
    for name in ["reach", "two-hands"] {
        let bytes = std::fs::read(format!("../../samples/{name}.bin")).unwrap();
        let mut recording = Recording::parse(&bytes).unwrap();
        // MRTK saved only the first key of w.
        for (path, curve) in recording.curves_mut() {
            if let (true, CurveMut::Float(curve)) =
                (path.to_string().ends_with("rotation.w"), curve)
                && let Some((time, value)) = curve.keys.point(0)
            {
                curve.keys = Keys::empty(curve.keys.kind());
                curve.keys.push_linear(time, value);
            }
        }
        let report = recording.repair();
        let groups = report.groups(&recording);
        let of_groups: usize = groups.iter().map(|group| group.uncertain_keys).sum();
        let of_report: usize = report
            .repaired
            .iter()
            .map(|repair| repair.uncertain_keys)
            .sum();
        assert_eq!(of_groups, of_report);
        for group in &groups {
            let keys: usize = group.uncertain.iter().map(|time| time.keys).sum();
            assert_eq!(keys, group.uncertain_keys, "{}", group.name);
        }
        let times = joined(
            groups
                .iter()
                .flat_map(|group| group.uncertain.clone())
                .collect(),
        );
        assert_eq!(times.iter().map(|time| time.keys).sum::<usize>(), of_report);
        assert!(times.iter().all(|time| !time.names.is_empty()));
        for pair in times.windows(2) {
            assert!(pair[1].range.start - pair[0].range.end > 0.1);
        }
    }
}
