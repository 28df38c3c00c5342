//! Any recording has the same measures, and none of them is NaN or infinite.

use inputanim::Recording;
use inputanim_analysis::{
    Analysis, AnalysisError, AnalysisParameters, Measures, Panel, PlotOptions, Shape, Target, plot,
};
use inputanim_testkit::{corpus, plausible, random, samples};
use proptest::prelude::*;

fn options() -> AnalysisParameters {
    let mut options = AnalysisParameters::default();
    options.max_samples = 100_000;
    let centre = [0.0, 1.4, 0.5];
    options.targets = vec![Target::new(
        "target",
        Shape::Sphere {
            centre,
            radius: 0.3,
        },
    )];
    options
}

fn names(measures: &Measures) -> Vec<&str> {
    measures
        .rows
        .iter()
        .map(|measure| measure.name.as_str())
        .collect()
}

fn check(recording: &Recording<'_>) {
    let analysis = match Analysis::of(recording, &options()) {
        Ok(analysis) => analysis,
        Err(AnalysisError::Unplayable(_) | AnalysisError::TooLong { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let measures = analysis.measures(analysis.range);
    for measure in &measures.rows {
        if let Ok(value) = measure.value {
            assert!(value.is_finite(), "{}: {value}", measure.name);
            let is_negative_zero = value == 0.0 && value.is_sign_negative();
            assert!(!is_negative_zero, "{}: {value}", measure.name);
            if measure.name.ends_with("share") {
                assert!(
                    (0.0..=1.0 + 1e-9).contains(&value),
                    "{}: {value}",
                    measure.name
                );
            }
        }
    }
    let empty = Recording::new(recording.layout);
    let of_empty = Analysis::of(&empty, &options()).unwrap();
    let of_empty = of_empty.measures(of_empty.range);
    // An empty recording determines only its length and its damage.
    let known = of_empty.rows.iter().filter(|measure| measure.value.is_ok());
    assert!(
        known
            .map(|measure| measure.name.as_str())
            .eq(["duration", "damaged"])
    );
    assert_eq!(names(&measures), names(&of_empty));
    let figure = plot(&analysis, &PlotOptions::default());
    for number in ["\"NaN", "NaN,", ",NaN", "\"inf", "inf,", ",inf"] {
        assert!(!figure.contains(number), "{number} in {figure}");
    }
    for event in analysis.events() {
        assert!(
            event.start.is_finite() && event.duration >= 0.0,
            "{event:?}"
        );
    }
}

#[test]
fn every_sample_has_measures() {
    for (path, bytes) in samples::recordings() {
        println!("{}", path.display());
        check(&Recording::parse(&bytes).unwrap());
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn every_recording_of_the_corpus_has_measures() {
    for (path, bytes) in corpus::recordings() {
        println!("{}", path.display());
        if let Ok(recording) = Recording::parse(&bytes) {
            check(&recording);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_recordings_have_measures(recording in random::recording()) {
        check(&recording);
    }

    #[test]
    fn plausible_recordings_have_measures(recording in plausible::recording()) {
        check(&recording);
    }
}

#[test]
fn a_figure_does_not_grow_with_the_recording_and_escapes_names() {
    let figure = |seconds: f32| {
        let motion = inputanim_motion::Motion::new(inputanim_motion::Scene::TwoHands, 1, seconds);
        let mut recording = motion.record(60.0, inputanim::Layout::Mrtk1_1);
        recording.markers = vec![inputanim::Marker::new(0.5, "a < b & c\0")];
        let analysis = Analysis::of(&recording, &options()).unwrap();
        let mut options = PlotOptions::default();
        options.panels = vec![Panel::Speed, Panel::Aperture, Panel::Timeline];
        plot(&analysis, &options)
    };
    let (short, long) = (figure(20.0), figure(200.0));
    assert!(short.contains("a &lt; b &amp; c\u{fffd}"));
    assert!(
        long.len() < 5 * short.len(),
        "{} {}",
        short.len(),
        long.len()
    );
}

#[test]
fn headlines_are_measures() {
    let bytes = samples::read("two-hands.bin");
    let analysis = Analysis::of(&Recording::parse(&bytes).unwrap(), &options()).unwrap();
    let measures = analysis.measures(analysis.range);
    for name in Measures::HEADLINES {
        assert!(
            measures
                .get(name)
                .is_some_and(|measure| measure.value.is_ok()),
            "{name}"
        );
    }
}

#[test]
fn a_marker_without_a_time_is_no_event() {
    let mut recording = Recording::new(inputanim::Layout::Mrtk1_1);
    recording
        .markers
        .push(inputanim::Marker::new(f32::NAN, "lost"));
    check(&recording);
}

#[test]
fn invalid_rates_and_long_recordings_are_refused() {
    let bytes = samples::read("wave.bin");
    let recording = Recording::parse(&bytes).unwrap();
    let mut options = options();
    for rate in [0.0, -1.0, f64::NAN, 1e9] {
        options.channels.rate = rate;
        let error = Analysis::of(&recording, &options).unwrap_err();
        assert!(matches!(error, AnalysisError::Rate(_)), "{error}");
    }
    options.channels.rate = 60.0;
    options.max_samples = 10;
    let error = Analysis::of(&recording, &options).unwrap_err();
    assert!(
        matches!(error, AnalysisError::TooLong { max: 10, .. }),
        "{error}"
    );
}

#[cfg(feature = "serde")]
#[test]
fn results_serialise_with_null_and_a_reason() {
    let recording = Recording::new(inputanim::Layout::Mrtk1_1);
    let analysis = Analysis::of(&recording, &options()).unwrap();
    let measures = serde_json::to_value(analysis.measures(analysis.range)).unwrap();
    let speed = measures
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "head.speed.mean");
    let expected = serde_json::json!({
        "name": "head.speed.mean", "value": null, "unit": "m/s", "reason": "not recorded", "damage": [],
    });
    assert_eq!(speed, Some(&expected));
    let text = r#"{"channels": {"rate": 90}, "movementJoint": "Wrist", "gaze": {"idt": {"dispersion": 1.5}}}"#;
    let options: AnalysisParameters = serde_json::from_str(text).unwrap();
    assert_eq!(
        (options.channels.rate, options.gaze.idt.dispersion),
        (90.0, 1.5)
    );
    assert_eq!(options.pinches, AnalysisParameters::default().pinches);
    let target = r#"{"name": "a", "shape": "box", "centre": [0, 1, 2], "size": [1, 1, 1]}"#;
    let target: Target = serde_json::from_str(target).unwrap();
    assert_eq!(
        target.shape.hit([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        Some(1.5)
    );
}
