//! Every recording can be reduced or is refused without a change. The result stays within the bounds
//! at every finite sample, and keeps duration, markers and wrap modes.

use inputanim::reduce::{Reduce, ReduceMethod, measure};
use inputanim::{Recording, Stream};

use crate::reduced::reduce_with;

/// Checks that any recording in these bytes is reduced within the bounds, or refused without a change. Panics if the
/// property does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(recovery) = Recording::recover(bytes) else {
        return;
    };
    let original = recovery.recording;
    // The bounds depend on the input, so that fuzzing tries all sizes.
    let sum: u32 = bytes.iter().map(|&byte| u32::from(byte)).sum();
    let metres = 10_f64.powi(-(sum as i32 % 9));
    let methods = [
        (ReduceMethod::OnePass, None),
        (ReduceMethod::Optimal, None),
        (ReduceMethod::Mrtk, Some(3)),
    ];
    for (method, partition) in methods {
        for tangents in [false, true] {
            let mut options = reduce_with(method, partition);
            (options.position, options.rotation) = (Some(metres), Some(100.0 * metres));
            options.tangents = tangents;
            let mut reduced = original.clone();
            match reduced.reduce(&options) {
                Ok(_) => is_within_bounds(&original, &reduced, &options),
                Err(_) => assert_eq!(reduced, original),
            }
        }
    }
}

fn is_within_bounds(original: &Recording<'_>, reduced: &Recording<'_>, options: &Reduce) {
    let all = options.bounds();
    assert_eq!(reduced.duration(), original.duration());
    assert_eq!(reduced.markers, original.markers);
    for ((path, before), (_, after)) in original.curves().zip(reduced.curves()) {
        assert_eq!(before.wrap(), after.wrap(), "{path}");
    }
    let Ok(streams) = measure(original, reduced) else {
        return;
    };
    for errors in streams {
        let bounds = match errors.stream {
            Stream::Head => all.head,
            Stream::Gaze => all.gaze,
            _ => all.joints,
        };
        if let Some(position) = errors.position {
            assert!(
                position.largest <= bounds.position * (1.0 + 1e-9),
                "{position:?}"
            );
        }
        if let Some(rotation) = errors.rotation {
            // `measure` normalises the rotations again and computes the angle with another formula.
            assert!(rotation.largest <= bounds.rotation + 1e-5, "{rotation:?}");
        }
    }
}
