//! A selection of streams keeps the length of a recording.

use inputanim::doctor::{self, Code};
use inputanim::info::Info;
use inputanim::{Curve, CurvePath, Element, Layout, Recording, edit};
use inputanim_motion::{Motion, Scene};

/// Returns the value of a curve.
fn value(recording: &Recording<'_>, path: CurvePath, time: f32) -> Option<f32> {
    Some(match recording.curve(path)? {
        Curve::Float(curve) => curve.evaluator().unwrap().at(time),
        Curve::Boolean(curve) => f32::from(curve.evaluator().unwrap().at(time)),
    })
}

fn has_lost_tail(recording: &Recording<'_>) -> bool {
    let findings = doctor::findings(recording);
    findings
        .iter()
        .any(|finding| finding.code == Code::TailLost)
}

#[test]
#[cfg_attr(windows, ignore = "long under Wine, and independent of the system")]
fn a_selection_of_generated_streams_keeps_their_values_and_the_length() {
    let seeds = 1..=3;
    let cases = seeds.flat_map(|seed| Scene::ALL.iter().map(move |&scene| (scene, seed)));
    let mut shortened = 0;
    for (scene, seed) in cases {
        let original = Motion::new(scene, seed, 20.0).record(30.0, Layout::Mrtk1_1);
        for selected in Element::all() {
            let mut recording = original.clone();
            edit::select(&mut recording, |element| element == selected);
            if recording.curves().all(|(_, curve)| curve.is_empty()) {
                continue;
            }
            let case = format!("{selected} of {scene:?} {seed}");
            assert_eq!(recording.duration(), original.duration(), "{case}");
            assert!(!has_lost_tail(&recording), "{case}");
            let keys = Info::of(&recording).keys;
            let mut kept = 0;
            for (path, curve) in recording.curves().filter(|(_, curve)| !curve.is_empty()) {
                kept += original.curve(path).unwrap().len() as u64;
                for step in 0..=50 {
                    let time = step as f32 * 0.43;
                    let values = [&original, &recording].map(|from| value(from, path, time));
                    assert_eq!(values[0], values[1], "{case}: {path} at {time} s");
                }
                assert!(curve.len() >= original.curve(path).unwrap().len());
            }
            shortened += usize::from(keys > kept);
        }
    }
    // Without the key at the end, these recordings would be shorter.
    assert!(shortened > 40, "{shortened}");
}

#[test]
fn a_selection_without_states_keeps_the_length_with_a_held_pose() {
    let mut recording = Motion::new(Scene::Wave, 1, 4.0).record(30.0, Layout::Mrtk1_1);
    recording.head_mut().push(6.5, &inputanim::Pose::IDENTITY);
    let gaze_end = value(&recording, "gaze.origin.x".parse().unwrap(), 9.0);
    edit::select(&mut recording, |element| element == Element::Gaze);
    assert_eq!(recording.duration(), 6.5);
    for time in [4.1, 5.0, 6.5, 9.0] {
        assert_eq!(
            value(&recording, "gaze.origin.x".parse().unwrap(), time),
            gaze_end
        );
    }
    let [x, ..] = recording.gaze.unwrap().origin;
    assert_eq!(x.keys.points().last().map(|(time, _)| time), Some(6.5));
}

#[test]
fn a_lost_tail_stays_visible_in_a_selection() {
    let mut recording = Motion::new(Scene::Wave, 1, 4.0).record(30.0, Layout::Mrtk1_1);
    recording.head_mut().push(6.5, &inputanim::Pose::IDENTITY);
    assert!(has_lost_tail(&recording));
    edit::select(&mut recording, |element| element.side().is_some());
    assert!(has_lost_tail(&recording));
}
