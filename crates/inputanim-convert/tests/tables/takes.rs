//! What is written, and how.

use inputanim::{Joint, Layout, Pose, Recorder, Recording};
use inputanim_convert::tables::{Options, Shape, Times};

pub(crate) fn keys() -> Options {
    Options {
        shape: Shape::Keys,
        ..Options::default()
    }
}

pub(crate) fn at_keys() -> Options {
    Options {
        times: Times::Keys,
        ..Options::default()
    }
}

/// A hand that is lost and found again, a head, a gaze and markers.
pub(crate) fn take() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..40 {
        let part = step as f32 / 7.0;
        let pose = |offset: f32| Pose {
            position: [part, offset, -part],
            rotation: [part.sin(), 0.0, 0.0, part.cos()],
        };
        let mut frame = inputanim::Frame {
            time: step as f32 / 30.0,
            camera: Some(pose(1.6)),
            ..Default::default()
        };
        frame.right.tracked = !(10..20).contains(&step);
        frame.right.pinching = step > 30;
        frame.right.joints[Joint::Palm] = Some(pose(1.0));
        frame.right.joints[Joint::IndexTip] = Some(pose(1.1));
        recorder.push(&frame).unwrap();
    }
    recorder.mark(0.5, "grab, \"then\"\nturn").unwrap();
    recorder.mark(0.51, "ü").unwrap();
    recorder.finish()
}
