//! Alignment of a recording with another clock: offset and drift are found, and wrong pairs are refused.

use inputanim::edit::{self, Align, AlignReport, ClockMarker, Edit, EditError, EditReport};
use inputanim::{Element, FloatCurve, FullKey, Layout, Limits, Marker, Recording, TimeRange};
use inputanim_testkit::random::recording;
use proptest::prelude::*;

fn with_markers(markers: &[(f32, &str)]) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let markers = markers.iter();
    recording.markers = markers
        .map(|&(time, name)| Marker::new(time, name.to_owned()))
        .collect();
    recording
}

fn on_clock(markers: &[(f64, &str)]) -> Align {
    let markers = markers.iter();
    Align::new(
        markers
            .map(|&(time, name)| ClockMarker::new(time, name))
            .collect(),
    )
}

/// Returns the report of an alignment that has to succeed.
fn fit(recording: &[(f32, &str)], clock: &[(f64, &str)]) -> AlignReport {
    edit::align(&mut with_markers(recording), &on_clock(clock)).unwrap()
}

/// Returns the text of the error of an alignment, which has to leave the recording unchanged.
fn refusal(recording: &[(f32, &str)], options: &Align) -> String {
    let original = with_markers(recording);
    let mut changed = original.clone();
    let error = edit::align(&mut changed, options).unwrap_err();
    assert_eq!(changed, original);
    error.to_string()
}

#[test]
fn one_common_marker_gives_the_offset_only() {
    let report = fit(
        &[(2.0, "start"), (3.0, "own")],
        &[(12.5, "start"), (9.0, "eeg")],
    );
    assert_eq!((report.offset, report.drift), (10.5, None));
    assert_eq!(
        (report.unmatched, report.clock_unmatched),
        (vec![1], vec![1])
    );
    assert_eq!((report.largest_residual, report.rms_residual), (0.0, 0.0));
}

#[test]
fn markers_that_are_close_together_give_no_drift() {
    // 10 ms within 20 s would be 500 ppm, which is more likely noise of the markers.
    let report = fit(&[(0.0, "a"), (20.0, "b")], &[(5.0, "a"), (25.01, "b")]);
    assert_eq!(report.drift, None);
    assert!((report.offset - 5.005).abs() < 1e-9);
    assert!((report.largest_residual - 0.005).abs() < 1e-9);
    let mut options = on_clock(&[(5.0, "a"), (25.01, "b")]);
    options.tolerance = 0.011;
    let report = edit::align(&mut with_markers(&[(0.0, "a"), (20.0, "b")]), &options).unwrap();
    assert!((report.drift.unwrap() - 500.0).abs() < 1e-3);
}

#[test]
fn keys_tangents_gaps_and_markers_get_the_times_of_the_other_clock() {
    let mut recording = with_markers(&[(0.0, "start"), (100.0, "end")]);
    recording.head_mut().position[1] = FloatCurve::full([
        FullKey::hermite(0.0, 1.0, 0.0, 2.0),
        FullKey::hermite(100.0, 2.0, 0.5, 0.0),
    ]);
    recording.known.add_gap(
        Element::Head,
        TimeRange {
            start: 10.0,
            end: 20.0,
        },
    );
    let mut options = on_clock(&[(80_000.25, "start"), (80_100.35, "end")]);
    options.zero = 80_000.0;
    options.max_drift = 2000.0;
    let edit = Edit::from(options);
    let report = edit.apply(&mut recording, &Limits::default()).unwrap();
    let EditReport::Align(report) = report else {
        panic!("{report:?}")
    };
    assert!((report.drift.unwrap() - 1000.0).abs() < 1e-3);
    assert!(report.largest_rounding < 4e-6);
    let [gap] = recording.known.gaps(Element::Head) else {
        panic!("{:?}", recording.known)
    };
    assert!(
        (gap.start - 10.26).abs() < 1e-5 && (gap.end - 20.27).abs() < 1e-5,
        "{gap:?}"
    );
    let times: Vec<f32> = recording.markers.iter().map(|marker| marker.time).collect();
    assert_eq!(times, [0.25, 100.35]);
    let keys: Vec<(f32, f32)> = recording.head.unwrap().position[1].keys.points().collect();
    assert_eq!(keys, [(0.25, 1.0), (100.35, 2.0)]);
}

#[test]
fn a_zero_far_from_the_recording_is_refused_if_keys_would_collapse() {
    let mut recording = with_markers(&[(0.0, "start")]);
    recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (0.01, 1.1)]);
    let mut options = on_clock(&[(1.7e9, "start")]);
    let original = recording.clone();
    let error = edit::align(&mut recording, &options).unwrap_err();
    assert!(
        matches!(error, EditError::ZeroTooFar { zero, .. } if zero == 1.7e9),
        "{error}"
    );
    assert_eq!(recording, original);
    options.zero = 1.7e9;
    edit::align(&mut recording, &options).unwrap();
    assert_eq!(recording, original);
}

#[test]
fn a_missing_marker_does_not_shift_later_ones() {
    let own = [
        (1.0, "go"),
        (4.0, "go"),
        (9.5, "go"),
        (13.0, "go"),
        (21.0, "go"),
    ];
    // The second marker is missing, and one is additional.
    let report = fit(
        &own,
        &[
            (101.0, "go"),
            (109.5, "go"),
            (113.0, "go"),
            (117.2, "go"),
            (121.0, "go"),
        ],
    );
    assert!((report.offset - 100.0).abs() < 1e-6);
    assert_eq!(
        (report.unmatched, report.clock_unmatched),
        (vec![1], vec![3])
    );
    assert_eq!(report.matches.len(), 4);
}

#[test]
fn a_regular_sequence_with_a_missing_marker_is_ambiguous() {
    let own: Vec<(f32, &str)> = (0..10_u8).map(|n| (f32::from(n), "beat")).collect();
    let nine: Vec<(f64, &str)> = (0..9_u8).map(|n| (f64::from(n) + 50.0, "beat")).collect();
    let text = refusal(&own, &on_clock(&nine));
    assert_eq!(
        text,
        "the alignment is ambiguous: t = 0 can be at 50.000 s of the other clock (9 matches), or at 49.000 s (9 matches)"
    );
    // An approximate offset decides.
    let mut options = on_clock(&nine);
    options.offset = Some([48.5, 49.5]);
    let report = edit::align(&mut with_markers(&own), &options).unwrap();
    assert_eq!((report.offset, report.unmatched), (49.0, vec![0]));
    // Complete sequences are matched in order.
    let ten: Vec<(f64, &str)> = (0..10_u8).map(|n| (f64::from(n) + 50.0, "beat")).collect();
    assert_eq!(fit(&own, &ten).offset, 50.0);
}

#[test]
fn unique_names_decide_where_a_regular_sequence_begins() {
    let mut own: Vec<(f32, &str)> = (0..100_u8).map(|n| (f32::from(n), "beat")).collect();
    own.extend([(0.5, "start"), (98.5, "end")]);
    let mut clock: Vec<(f64, &str)> = own
        .iter()
        .map(|&(time, name)| (f64::from(time) + 7.0, name))
        .collect();
    clock.remove(40);
    let report = fit(&own, &clock);
    assert!((report.offset - 7.0).abs() < 1e-9);
    assert_eq!(
        (report.unmatched, report.clock_unmatched),
        (vec![40], vec![])
    );
    // If many are missing, a smaller overlap has fewer markers without a partner.
    let mut own: Vec<(f32, &str)> = (0..400_u16).map(|n| (f32::from(n), "beat")).collect();
    own.extend([(0.5, "start"), (398.5, "end")]);
    let clock: Vec<(f64, &str)> = own
        .iter()
        .enumerate()
        .filter(|(index, _)| index % 31 != 17)
        .map(|(_, &(time, name))| (f64::from(time) + 7.0, name))
        .collect();
    let report = fit(&own, &clock);
    assert!((report.offset - 7.0).abs() < 1e-9);
    assert_eq!(report.unmatched.len(), 13);
}

#[test]
fn markers_that_contradict_each_other_are_refused() {
    let text = refusal(
        &[(0.0, "a"), (10.0, "b")],
        &on_clock(&[(5.0, "a"), (17.0, "b")]),
    );
    assert!(text.contains("ambiguous"), "{text}");
    let own = [
        (0.0, "a"),
        (10.0, "b"),
        (20.0, "c"),
        (30.0, "d"),
        (40.0, "e"),
    ];
    let clock = [
        (0.0, "a"),
        (11.0, "b"),
        (23.0, "c"),
        (36.0, "d"),
        (50.0, "e"),
    ];
    let text = refusal(&own, &on_clock(&clock));
    assert_eq!(
        text,
        "the intervals between the markers differ on both clocks: at most 1 of 3 markers agree within 0.05 s"
    );
    // One wrong marker is left out.
    let clock = [
        (0.0, "a"),
        (10.0, "b"),
        (20.0, "c"),
        (36.0, "d"),
        (40.0, "e"),
    ];
    assert_eq!(fit(&own, &clock).unmatched, [3]);
}

#[test]
fn lists_that_hardly_overlap_are_refused() {
    let own: Vec<(f32, &str)> = (0..30).map(|index| (index as f32, "a")).collect();
    let clock: Vec<(f64, &str)> = (0..30).map(|index| (f64::from(index), "a")).collect();
    let mut options = on_clock(&clock);
    // Only the first marker of the recording can have a partner: the last one of the other clock.
    options.offset = Some([28.5, 29.5]);
    let message = refusal(&own, &options);
    assert_eq!(
        message,
        "the markers hardly overlap on both clocks: at most 1 of 30 markers of the shorter list have a partner"
    );
}

#[test]
fn errors_state_what_is_wrong() {
    let own = [(0.0, "start")];
    assert_eq!(
        refusal(&own, &on_clock(&[(0.0, "11"), (1.0, "12")])),
        "no marker has the same name on both clocks; the recording has \"start\", and the other clock has \"11\", \"12\""
    );
    assert!(refusal(&[], &on_clock(&[])).contains("the recording has no markers"));
    let mut options = on_clock(&[(0.0, "start")]);
    options.names = vec!["stop*".to_owned()];
    assert!(refusal(&own, &options).contains("no marker has the same name"));
    options = on_clock(&[(0.0, "start")]);
    options.offset = Some([5.0, 6.0]);
    assert_eq!(
        refusal(&own, &options),
        "no common marker puts t = 0 between 5 s and 6 s of the other clock"
    );
    for (change, expected) in [
        (
            (|options| options.tolerance = 0.0) as fn(&mut Align),
            "tolerance",
        ),
        (|options| options.tolerance = f64::NAN, "tolerance"),
        (|options| options.max_drift = 1e6, "largest drift"),
        (|options| options.max_drift = f64::NAN, "largest drift"),
        (|options| options.zero = f64::INFINITY, "zero"),
        (
            |options| options.offset = Some([1.0, 0.0]),
            "range of the offset",
        ),
        (
            |options| options.offset = Some([f64::NAN, 0.0]),
            "range of the offset",
        ),
    ] {
        let mut options = on_clock(&[(0.0, "start")]);
        change(&mut options);
        let text = refusal(&own, &options);
        assert!(text.starts_with(&format!("invalid {expected}")), "{text}");
    }
    let many: Vec<(f32, &str)> = (0..5000_u16).map(|n| (f32::from(n), "FPS")).collect();
    let clock: Vec<(f64, &str)> = (0..5000_u16).map(|n| (f64::from(n), "FPS")).collect();
    assert_eq!(
        refusal(&many, &on_clock(&clock)),
        "too many markers with the same names on both clocks: 5000 in the recording, 5000 on the other clock"
    );
}

#[test]
fn times_that_are_not_finite_have_no_partner() {
    let own = [(f32::NAN, "a"), (1.0, "a"), (f32::INFINITY, "a")];
    let report = fit(
        &own,
        &[(11.0, "a"), (f64::NAN, "a"), (f64::NEG_INFINITY, "a")],
    );
    assert_eq!(
        (report.unmatched, report.clock_unmatched),
        (vec![0, 2], vec![1, 2])
    );
}

proptest! {
    /// A known drift and offset are found with noise, with missing and with additional markers. The fit is the line of
    /// least squares of the markers that both lists have.
    #[test]
    fn a_known_drift_is_found(
        gaps in prop::collection::vec(0.7_f64..4.0, 30..120),
        names in prop::collection::vec(0_usize..3, 120),
        noise in prop::collection::vec(-0.004_f64..0.004, 120),
        lost in prop::collection::vec(0_u8..12, 240),
        extra in prop::collection::vec((0.0_f64..1.0, 0_usize..3), 0..6),
        drift in -900.0_f64..900.0,
        offset in -5000.0_f64..5000.0,
    ) {
        const NAMES: [&str; 3] = ["left", "right", "stop"];
        let slope = 1.0 + drift * 1e-6;
        let (mut own, mut clock, mut both) = (Vec::new(), Vec::new(), Vec::new());
        let mut time = 0.0;
        for (index, gap) in gaps.iter().enumerate() {
            time += gap;
            let single = time as f32;
            let name = NAMES[names[index]];
            let other = offset + slope * f64::from(single) + noise[index];
            let (in_own, in_clock) = (lost[2 * index] > 0, lost[2 * index + 1] > 0);
            if in_own {
                own.push((single, name));
            }
            if in_clock {
                clock.push((other, name));
            }
            if in_own && in_clock {
                both.push((f64::from(single), other));
            }
        }
        prop_assume!(both.len() > 20);
        let first = both[0].0;
        let length = both[both.len() - 1].0 - first;
        prop_assume!(length > 60.0);
        for (place, name) in extra {
            clock.push((offset + place * length, NAMES[name]));
        }
        let mut recording = with_markers(&own);
        let options = on_clock(&clock);
        let report = edit::align(&mut recording, &options).unwrap();
        // An additional marker may be nearer to the line than the right one, and differs by less than the tolerance.
        prop_assert!(report.matches.len() >= both.len());
        prop_assert!((report.offset - offset).abs() < 0.02, "{} {offset}", report.offset);
        let found = report.drift.unwrap();
        prop_assert!((found - drift).abs() < 1e6 * 0.02 / length, "{found} {drift}");
        prop_assert!(report.largest_residual <= options.tolerance);
        prop_assert!(report.rms_residual <= report.largest_residual);
        if report.matches.len() == both.len()
            && report.matches.iter().zip(&both).all(|(found, (a, b))| found.time == *a && found.clock_time == *b)
        {
            // Least squares, written in another way.
            let n = both.len() as f64;
            let (x, y) = (both.iter().map(|p| p.0).sum::<f64>() / n, both.iter().map(|p| p.1).sum::<f64>() / n);
            let top: f64 = both.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
            let bottom: f64 = both.iter().map(|p| (p.0 - x).powi(2)).sum();
            prop_assert!((found - (top / bottom - 1.0) * 1e6).abs() < 1e-3);
            prop_assert!((report.offset - (y - top / bottom * x)).abs() < 1e-6);
        }
        for marker in &report.matches {
            let new = report.offset + (1.0 + found * 1e-6) * marker.time;
            prop_assert!((new + marker.residual - marker.clock_time).abs() < 1e-6);
        }
    }

    /// No markers cause a panic, and an error leaves the recording unchanged.
    #[test]
    fn any_lists_are_aligned_or_refused(
        mut recording in recording(),
        own in prop::collection::vec((any::<f32>(), 0_usize..3), 0..12),
        clock in prop::collection::vec((prop_oneof![any::<f64>(), -5.0_f64..5.0], 0_usize..3), 0..12),
        zero in prop_oneof![Just(0.0), any::<f64>()],
        offset_only: bool,
    ) {
        const NAMES: [&str; 3] = ["a", "b", ""];
        recording.markers = own.iter().map(|&(time, name)| Marker::new(time, NAMES[name])).collect();
        let clock: Vec<(f64, &str)> = clock.iter().map(|&(time, name)| (time, NAMES[name])).collect();
        let mut options = on_clock(&clock);
        (options.zero, options.offset_only) = (zero, offset_only);
        let mut changed = recording.clone();
        match edit::align(&mut changed, &options) {
            Ok(report) => {
                prop_assert_eq!(report.matches.len() + report.unmatched.len(), own.len());
                prop_assert_eq!(report.matches.len() + report.clock_unmatched.len(), clock.len());
                prop_assert!(!report.matches.is_empty());
            }
            Err(_) => prop_assert_eq!(changed, recording),
        }
    }
}
