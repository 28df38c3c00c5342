//! Measures of segments: shares are between 0 and 1. The counts, times and paths of adjacent segments add up to the
//! values of the recording, wherever it is divided.

use inputanim::{Joint, Layout, Recording, Side, TimeRange};
use inputanim_analysis::{Analysis, AnalysisError, AnalysisParameters, Measures, Shape, Target};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::{corpus, plausible, random, samples};
use proptest::collection::vec;
use proptest::prelude::*;

/// Measures whose values in adjacent segments add up, without their sides, joints and methods.
const SUMS: [&str; 18] = [
    "duration",
    "damaged",
    "frozen_tail",
    "dropouts",
    "path_length",
    "angular_path",
    "movements",
    "count",
    "saccades",
    "dwell",
    "looks",
    "fixations",
    "ray_hits",
    // Shares add up after they are multiplied by the time that they are a share of.
    "tracked_share",
    "valid_share",
    "frozen_share",
    "share",
    "moving_share",
];

fn options() -> AnalysisParameters {
    let mut options = AnalysisParameters::default();
    options.max_samples = 20_000;
    // Low thresholds find events in random recordings too.
    options.movements.min_duration = 0.02;
    options.gaze.idt.duration = 0.05;
    options.gaze.idt.dispersion = 10.0;
    let sphere = |x: f64, z: f64, radius: f64| Shape::Sphere {
        centre: [x, 1.4, z],
        radius,
    };
    options.targets = vec![
        Target::new("near", sphere(0.0, 0.5, 0.3)),
        Target::new("far", sphere(0.5, 2.0, 1.0)),
    ];
    options
}

/// Returns the time between neighbouring samples in a time range at which a condition holds at both.
fn time_of(analysis: &Analysis, range: TimeRange, holds: impl Fn(usize) -> bool) -> f64 {
    let channels = &analysis.channels;
    let steps = (1..channels.len).filter(|&sample| holds(sample - 1) && holds(sample));
    let seconds = steps.map(|sample| {
        let start = channels.time(sample - 1).max(range.start.into());
        (channels.time(sample).min(range.end.into()) - start).max(0.0)
    });
    seconds.sum()
}

/// Returns the values that add up. A missing value counts as 0.
fn sums(analysis: &Analysis, range: TimeRange) -> Vec<(String, f64)> {
    let measures = analysis.measures(range);
    let value = |name: &str| measures.get(name).unwrap().value.unwrap_or(0.0);
    let is_seen = |sample: usize| {
        let gaze = analysis.gaze.as_ref();
        gaze.is_some_and(|gaze| gaze.valid[sample] && !gaze.frozen[sample])
    };
    let palm = |side: Side| {
        let palm = analysis.hand(side).kinematics(Joint::Palm);
        move |sample: usize| palm.is_some_and(|palm| !palm.speed[sample].is_nan())
    };
    let rows = measures.rows.iter().filter_map(|measure| {
        let name = measure.name.as_str();
        let (_, last) = name.rsplit_once('.').unwrap_or(("", name));
        SUMS.contains(&last).then(|| {
            let factor = match last {
                "share" => time_of(analysis, range, is_seen),
                "moving_share" if name.starts_with("left") => {
                    time_of(analysis, range, palm(Side::Left))
                }
                "moving_share" => time_of(analysis, range, palm(Side::Right)),
                "valid_share" | "frozen_share" => time_of(analysis, range, |_| true),
                "tracked_share" => value("duration"),
                _ => 1.0,
            };
            (name.to_owned(), factor * value(name))
        })
    });
    rows.collect()
}

/// Divides a recording at the given shares of its length, and compares the segments with the complete recording.
fn check(recording: &Recording<'_>, cuts: &[f32]) {
    let analysis = match Analysis::of(recording, &options()) {
        Ok(analysis) => analysis,
        Err(AnalysisError::Unplayable(_) | AnalysisError::TooLong { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let range = analysis.range;
    let mut times: Vec<f32> = cuts
        .iter()
        .map(|cut| range.start + cut * range.length())
        .filter(|time| time.is_finite() && range.contains(*time))
        .collect();
    times.extend([range.start, range.end]);
    times.sort_by(f32::total_cmp);
    let whole = analysis.measures(range);
    let parts: Vec<(Measures, TimeRange)> = times
        .windows(2)
        .map(|pair| {
            let (start, end) = (pair[0], pair[1]);
            let range = TimeRange { start, end };
            (analysis.measures(range), range)
        })
        .collect();
    for measures in parts.iter().map(|(measures, _)| measures).chain([&whole]) {
        for measure in measures
            .rows
            .iter()
            .filter(|row| row.name.ends_with("share"))
        {
            if let Ok(share) = measure.value {
                assert!(
                    (0.0..=1.0 + 1e-9).contains(&share),
                    "{}: {share}",
                    measure.name
                );
            }
        }
    }
    let parts = parts.into_iter().map(|(_, range)| sums(&analysis, range));
    let parts: Vec<Vec<(String, f64)>> = parts.collect();
    for (index, (name, total)) in sums(&analysis, range).into_iter().enumerate() {
        let sum: f64 = parts.iter().map(|part| part[index].1).sum();
        let slack = 1e-4 + 1e-5 * total.abs();
        assert!(
            (sum - total).abs() < slack,
            "{name}: {sum}, not {total}; cut at {times:?}"
        );
    }
    let last = analysis
        .channels
        .time(analysis.channels.len.saturating_sub(1));
    for look in &analysis.looks {
        assert!(
            look.start + look.duration <= last + 1e-9,
            "{look:?} ends after {last}"
        );
    }
}

/// Returns the ends of segments of equal length.
fn trials(count: usize) -> Vec<f32> {
    (1..count)
        .map(|index| index as f32 / count as f32)
        .collect()
}

#[test]
fn segments_of_samples_add_up() {
    for (path, bytes) in samples::recordings() {
        println!("{}", path.display());
        let recording = Recording::parse(&bytes).unwrap();
        for count in [2, 7, 18, 40] {
            check(&recording, &trials(count));
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn segments_of_the_corpus_add_up() {
    for (path, bytes) in corpus::recordings() {
        println!("{}", path.display());
        if let Ok(recording) = Recording::parse(&bytes) {
            check(&recording, &trials(23));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn segments_of_random_recordings_add_up(recording in random::recording(), cuts in vec(0.0_f32..1.0, 0..8)) {
        check(&recording, &cuts);
    }

    #[test]
    fn segments_of_plausible_recordings_add_up(
        recording in plausible::recording(),
        cuts in vec(0.0_f32..1.0, 0..8),
    ) {
        check(&recording, &cuts);
    }

    #[test]
    fn segments_of_motion_add_up(
        scene in 0_usize..4,
        seed in 0_u64..1000,
        cuts in vec(0.0_f32..1.0, 0..12),
    ) {
        let motion = Motion::new(Scene::ALL[scene], seed, 8.0);
        check(&motion.record(60.0, Layout::Mrtk1_1), &cuts);
    }
}

/// The share of fixations used to be divided by the time of the segment in which they begin.
#[test]
fn the_share_of_fixations_is_that_of_the_time_in_the_segment() {
    let recording = Motion::new(Scene::Reach, 1, 12.0).record(60.0, Layout::Mrtk1_1);
    let analysis = Analysis::of(&recording, &AnalysisParameters::default()).unwrap();
    let fixation = analysis.gaze.as_ref().unwrap().fixations.iter();
    let fixation = fixation
        .max_by(|a, b| a.duration.total_cmp(&b.duration))
        .unwrap();
    let inside = [0.25, 0.5].map(|share| (fixation.start + share * fixation.duration) as f32);
    let before = fixation.start as f32 - 0.1;
    for (start, end, expected) in [(inside[0], inside[1], 1.0), (before, before + 0.2, 0.5)] {
        let measures = analysis.measures(TimeRange { start, end });
        let share = measures.get("gaze.ivt.share").unwrap().value.unwrap();
        let idt = measures.get("gaze.idt.share").unwrap().value.unwrap();
        assert!((0.0..=1.0 + 1e-9).contains(&share), "{share}");
        assert!(idt >= expected - 1e-3, "{start} to {end}: {idt}");
    }
}
