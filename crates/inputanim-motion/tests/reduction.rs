//! What docs/reduction.md promises holds of real hands and of generated ones. Without
//! `INPUTANIM_CORPUS` the first test says so and passes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod reduced;
mod truth;

use inputanim::reduce::{Method, Reduction, measure, reduce};
use inputanim::{Layout, Recorder, Recording};
use inputanim_motion::{Motion, Scene};
use reduced::{WAYS, of_bound, pose_keys};

/// Each way with how many keys of poses it keeps; none may be out of bounds anywhere.
fn reduced_within_bounds(whole: &Recording<'_>) -> Vec<(Reduction, usize)> {
    let tangents = whole.layout == Layout::Documented1_1;
    let ways = WAYS.into_iter().map(|(_, method)| {
        let with = Reduction {
            method,
            tangents,
            ..Reduction::default()
        };
        let mut reduced = whole.clone();
        assert_eq!(reduce(&mut reduced, &with).unwrap(), []);
        let errors = measure(whole, &reduced).unwrap();
        assert!(errors.len() >= 3, "head, a hand and gaze are measured");
        let share = of_bound(&errors, &with);
        assert!(share <= 1.0 + 1e-9, "{method:?}: {share} of the bound");
        (with, pose_keys(&reduced))
    });
    ways.collect()
}

#[test]
fn what_the_toolkit_was_fed_takes_fewer_keys_than_its_own_and_stays_within_bounds() {
    let Some(corpus) = truth::corpus() else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    let bytes = std::fs::read(corpus.join("mrtk/mrtk-1.1-p0.bin")).unwrap();
    let theirs = pose_keys(&Recording::parse(&bytes).unwrap());
    let frames = truth::frames(&corpus).unwrap();
    for layout in [Layout::Mrtk1_1, Layout::Documented1_1] {
        let mut recorder = Recorder::new(layout);
        for frame in &frames {
            recorder.push(frame).unwrap();
        }
        for (with, ours) in reduced_within_bounds(&recorder.finish()) {
            if !matches!(with.method, Method::Toolkit { .. }) {
                assert!(
                    ours < theirs,
                    "{with:?}: {ours} keys, the toolkit has {theirs}"
                );
            }
        }
    }
}

#[test]
fn a_generated_minute_stays_within_bounds() {
    let motion = Motion::new(Scene::TwoHands, 11, 60.0);
    for layout in [Layout::Mrtk1_1, Layout::Documented1_1] {
        let whole = motion.record(60.0, layout);
        let all = pose_keys(&whole);
        let kept = reduced_within_bounds(&whole);
        assert!(
            kept.iter().all(|(_, keys)| keys * 2 < all),
            "{kept:?} of {all}"
        );
        let [(_, one_pass), (_, fewest), ..] = kept[..] else {
            unreachable!("there are four ways");
        };
        assert!(fewest <= one_pass, "{fewest}, {one_pass}");
    }
}
