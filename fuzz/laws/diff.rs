//! What plays is compared without a panic, in either order, and every recording plays as itself.

use inputanim::diff::{Options, Tolerance, Verdict, compare};
use inputanim::{Layout, Recording, edit};

const EXACT: Options = Options {
    tolerance: Tolerance {
        metres: 0.0,
        degrees: 0.0,
        seconds: 0.0,
    },
    time: None,
    between: 1,
};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(recovery) = Recording::recover(bytes) else {
        return;
    };
    let recording = recovery.recording;
    equals_itself(&recording);
    // What is whole in the first two thirds; and the same later.
    if let Ok(part) = Recording::recover(&bytes[..bytes.len() / 3 * 2]) {
        differs_alike(&recording, &part.recording);
    }
    let mut later = recording.clone();
    if edit::shift(&mut later, 0.25).is_ok() {
        differs_alike(&recording, &later);
    }
}

fn equals_itself(recording: &Recording<'_>) {
    let found = compare(recording, &recording.clone(), &EXACT).expect("nothing is played");
    assert_eq!(found.verdict, Verdict::Equal);
    // Of another layout it is not equal, so it is played.
    let mut other = recording.clone();
    other.layout = match recording.layout {
        Layout::Mrtk1_0 => Layout::Mrtk1_1,
        _ => Layout::Mrtk1_0,
    };
    if let Ok(found) = compare(recording, &other, &EXACT) {
        assert_eq!(found.verdict, Verdict::SameMeaning, "{:?}", found.beyond);
    }
}

fn differs_alike(a: &Recording<'_>, b: &Recording<'_>) {
    let options = Options::default();
    let found = [compare(a, b, &options), compare(b, a, &options)];
    let [Ok(one), Ok(other)] = &found else {
        assert!(found.iter().all(Result::is_err), "only one order fails");
        return;
    };
    assert_eq!(one.verdict, other.verdict);
    assert_eq!(one.beyond, other.beyond);
    assert_eq!((one.span, one.instants), (other.span, other.instants));
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
