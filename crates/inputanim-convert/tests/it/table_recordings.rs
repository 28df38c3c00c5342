//! A recording and options for the tests of tables.

use inputanim::{Joint, Layout, Pose, Recorder, Recording};
use inputanim_convert::{Sampling, TableShape, WriteOptions};

pub(crate) fn keys() -> WriteOptions {
    {
        let mut options = WriteOptions::default();
        options.shape = TableShape::Keys;
        options
    }
}

pub(crate) fn at_keys() -> WriteOptions {
    {
        let mut options = WriteOptions::default();
        options.sampling = Sampling::Keys;
        options
    }
}

/// Returns options with which markers are rows of text.
pub(crate) fn with_markers(mut options: WriteOptions) -> WriteOptions {
    options.markers = true;
    options
}

/// Returns a recording of a hand that is lost and found again, a head and markers.
pub(crate) fn sample_recording() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..40 {
        let part = step as f32 / 7.0;
        let pose = |offset: f32| Pose {
            position: [part, offset, -part],
            rotation: [part.sin(), 0.0, 0.0, part.cos()],
        };
        let mut frame = inputanim::Frame {
            time: step as f32 / 30.0,
            head: Some(pose(1.6)),
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
