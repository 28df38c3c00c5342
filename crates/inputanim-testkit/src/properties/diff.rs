//! Any two recordings are compared without a panic, with the same result in either order, and every
//! recording equals itself.

use inputanim::diff::{DiffOptions, Tolerance, Verdict};
use inputanim::{Layout, Recording, edit};

fn exact() -> DiffOptions {
    let mut options = DiffOptions::default();
    options.tolerance = Tolerance::EXACT;
    options
}

/// Checks that any recording in these bytes equals itself, and that it is compared with others with the same result in
/// either order. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(recovery) = Recording::recover(bytes) else {
        return;
    };
    let recording = recovery.recording;
    equals_itself(&recording);
    // A recording to compare with that shares curves: the intact part of the first two thirds.
    if let Ok(part) = Recording::recover(&bytes[..bytes.len() / 3 * 2]) {
        is_symmetric(&recording, &part.recording);
    }
    let mut later = recording.clone();
    if edit::shift(&mut later, 0.25).is_ok() {
        is_symmetric(&recording, &later);
    }
}

fn equals_itself(recording: &Recording<'_>) {
    let found = recording
        .diff(&recording.clone(), &exact())
        .expect("equal bits need no sampling");
    assert_eq!(found.verdict, Verdict::Equal);
    // Another layout disables the shortcut for bit-identical recordings, so both are sampled.
    let mut other = recording.clone();
    other.layout = match recording.layout {
        Layout::Mrtk1_0 => Layout::Mrtk1_1,
        _ => Layout::Mrtk1_0,
    };
    if let Ok(found) = recording.diff(&other, &exact()) {
        assert_eq!(
            found.verdict,
            Verdict::Equivalent,
            "{:?}",
            found.out_of_tolerance
        );
    }
}

fn is_symmetric(a: &Recording<'_>, b: &Recording<'_>) {
    let options = DiffOptions::default();
    let found = [a.diff(b, &options), b.diff(a, &options)];
    let [Ok(one), Ok(other)] = &found else {
        assert!(found.iter().all(Result::is_err), "only one order fails");
        return;
    };
    assert_eq!(one.verdict, other.verdict);
    assert_eq!(one.out_of_tolerance, other.out_of_tolerance);
    assert_eq!((one.range, one.instants), (other.range, other.instants));
    assert_eq!(one.only_in[0], other.only_in[1]);
    assert_eq!(one.only_in[1], other.only_in[0]);
    assert_eq!(one.markers.same, other.markers.same);
    assert_eq!(one.markers.moved.len(), other.markers.moved.len());
    assert_eq!(one.markers.only_in[0], other.markers.only_in[1]);
    assert_eq!(one.streams, other.streams);
    assert_eq!(one.states, other.states);
    for stream in &one.streams {
        for deviation in [&stream.position, &stream.rotation] {
            let Some(found) = deviation.statistics else {
                continue;
            };
            assert!(found.largest.is_finite() && found.median <= found.percentile_95);
            // The quantiles are rounded to single precision.
            let rounded = found.largest.min(f64::from(f32::MAX)) as f32;
            assert!(found.percentile_95 <= f64::from(rounded));
        }
    }
}
