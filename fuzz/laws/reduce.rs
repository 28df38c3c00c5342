//! Whatever is read can be reduced or is refused: the result keeps the bounds at every sample of
//! finite size, keeps its ends, and has no key that was not there.

use inputanim::reduce::{Bounds, Method, Reduction, measure, reduce};
use inputanim::{Recording, Stream};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(recovery) = Recording::recover(bytes) else {
        return;
    };
    let whole = recovery.recording;
    // The bounds are of the input too, so that all sizes are tried.
    let sum: u32 = bytes.iter().map(|&byte| u32::from(byte)).sum();
    let metres = 10_f64.powi(-(sum as i32 % 9));
    let bounds = Bounds {
        metres,
        degrees: 100.0 * metres,
    };
    let methods = [
        Method::OnePass,
        Method::Fewest,
        Method::Toolkit { partition: 3 },
    ];
    for method in methods {
        for tangents in [false, true] {
            let with = Reduction {
                camera: bounds,
                joints: bounds,
                gaze: bounds,
                method,
                tangents,
                ..Reduction::default()
            };
            let mut reduced = whole.clone();
            match reduce(&mut reduced, &with) {
                Ok(_) => keeps(&whole, &reduced, &with),
                Err(_) => assert_eq!(reduced, whole),
            }
        }
    }
}

fn keeps(whole: &Recording<'_>, reduced: &Recording<'_>, with: &Reduction) {
    assert_eq!(reduced.duration(), whole.duration());
    assert_eq!(reduced.markers, whole.markers);
    for ((path, before), (_, after)) in whole.curves().zip(reduced.curves()) {
        assert_eq!(before.wrap(), after.wrap(), "{path}");
    }
    let Ok(streams) = measure(whole, reduced) else {
        return;
    };
    for errors in streams {
        let bounds = match errors.stream {
            Stream::Camera => with.camera,
            Stream::Gaze => with.gaze,
            _ => with.joints,
        };
        if let Some(position) = errors.position {
            assert!(
                position.largest <= bounds.metres * (1.0 + 1e-9),
                "{position:?}"
            );
        }
        if let Some(rotation) = errors.rotation {
            // What played is normalised again, and the angle is worked out in another way.
            assert!(rotation.largest <= bounds.degrees + 1e-5, "{rotation:?}");
        }
    }
}
