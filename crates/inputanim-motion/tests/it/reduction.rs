//! The guarantees of docs/reduction.md, for recorded and generated hands.

use inputanim::reduce::{Reduce, ReduceMethod, measure};
use inputanim::{Layout, Recorder, Recording};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::corpus;
use inputanim_testkit::reduced::{METHODS, pose_keys, reduce_with, relative_error};

/// Reduces a recording with each method, checks the bounds, and returns the numbers of kept keys.
fn reduced_within_bounds(original: &Recording<'_>) -> Vec<(Reduce, usize)> {
    let tangents = original.layout == Layout::Documented1_1;
    let results = METHODS.into_iter().map(|(_, method, partition)| {
        let mut options = reduce_with(method, partition);
        options.tangents = tangents;
        let mut reduced = original.clone();
        assert_eq!(reduced.reduce(&options).unwrap(), []);
        let errors = measure(original, &reduced).unwrap();
        assert!(errors.len() >= 3, "head, a hand and gaze are measured");
        let error = relative_error(&errors, &options);
        assert!(error <= 1.0 + 1e-9, "{method:?}: {error} of the bound");
        (options, pose_keys(&reduced))
    });
    results.collect()
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn the_input_of_mrtk_needs_fewer_keys_than_its_own_file() {
    let bytes = corpus::read("mrtk/mrtk-1.1-p0.bin");
    let theirs = pose_keys(&Recording::parse(&bytes).unwrap());
    let frames = inputanim_testkit::truth::frames(&corpus::folder()).unwrap();
    for layout in [Layout::Mrtk1_1, Layout::Documented1_1] {
        let mut recorder = Recorder::new(layout);
        for frame in &frames {
            recorder.push(frame).unwrap();
        }
        for (options, ours) in reduced_within_bounds(&recorder.finish()) {
            if options.method != ReduceMethod::Mrtk {
                assert!(ours < theirs, "{options:?}: {ours} keys, MRTK has {theirs}");
            }
        }
    }
}

#[test]
fn a_generated_minute_stays_within_bounds() {
    let motion = Motion::new(Scene::TwoHands, 11, 60.0);
    for layout in [Layout::Mrtk1_1, Layout::Documented1_1] {
        let original = motion.record(60.0, layout);
        let all = pose_keys(&original);
        let kept = reduced_within_bounds(&original);
        assert!(
            kept.iter().all(|(_, keys)| keys * 2 < all),
            "{kept:?} of {all}"
        );
        let [(_, one_pass), (_, optimal), ..] = kept[..] else {
            unreachable!("there are four methods");
        };
        assert!(optimal <= one_pass, "{optimal}, {one_pass}");
    }
}
