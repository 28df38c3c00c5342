//! Frames in, a recording out.

use crate::frame::{Frame, HandFrame};
use crate::joint::Side;
use crate::layout::Layout;
use crate::marker::Marker;
use crate::recording::{HandCurves, Recording};

/// A frame or marker that cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Times must be numbers.
    #[error("the time {0} is not a finite number of seconds")]
    TimeNotFinite(f32),
    /// Times must grow from frame to frame.
    #[error("the time {time} s does not come after the frame before it, at {previous} s")]
    TimeNotAfter {
        /// The refused frame's time, in seconds.
        time: f32,
        /// The last recorded frame's time, in seconds.
        previous: f32,
    },
}

/// Makes a recording from frames, key for key: nothing is left out or smoothed.
///
/// Poses get a key in every frame that has them; joints only while their hand is tracked, as
/// the toolkit records them; tracked and pinching get a key where they change. The recording
/// always has hands, since a frame says of each whether it is tracked.
///
/// ```
/// use inputanim::{Frame, Layout, Pose, Recorder};
///
/// let mut recorder = Recorder::new(Layout::Mrtk1_1);
/// for step in 0..3 {
///     recorder.push(&Frame {
///         time: step as f32 / 60.0,
///         camera: Some(Pose::at([0.0, 1.6, 0.0])),
///         ..Frame::default()
///     })?;
/// }
/// recorder.mark(0.02, "start")?;
/// let recording = recorder.finish();
/// assert_eq!(recording.camera.unwrap().position[1].keys.len(), 3);
/// # Ok::<(), inputanim::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    recording: Recording<'static>,
    last_time: Option<f32>,
}

impl Recorder {
    /// A recorder without frames, whose recording is meant for `layout`.
    pub fn new(layout: Layout) -> Recorder {
        Recorder {
            recording: Recording::new(layout),
            last_time: None,
        }
    }

    /// Records one frame.
    ///
    /// # Errors
    /// When the time is not finite or does not grow; the recording is then as it was.
    pub fn push(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let time = frame.time;
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time));
        }
        if let Some(previous) = self.last_time.filter(|&previous| time <= previous) {
            return Err(RecordError::TimeNotAfter { time, previous });
        }
        self.last_time = Some(time);
        if let Some(pose) = &frame.camera {
            self.recording.camera_mut().push(time, pose);
        }
        let hands = self.recording.hands_mut();
        for side in Side::BOTH {
            push_hand(hands.hand_mut(side), time, frame.hand(side));
        }
        if let Some(ray) = &frame.gaze {
            self.recording.gaze_mut().push(time, ray);
        }
        Ok(())
    }

    /// Adds a marker; markers keep the order in which they are added.
    ///
    /// # Errors
    /// When the time is not finite.
    pub fn mark(&mut self, time: f32, name: impl Into<String>) -> Result<(), RecordError> {
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time));
        }
        self.recording.markers.push(Marker::new(time, name.into()));
        Ok(())
    }

    /// The recording.
    pub fn finish(self) -> Recording<'static> {
        self.recording
    }
}

fn push_hand(curves: &mut HandCurves<'static>, time: f32, hand: &HandFrame) {
    let states = [
        (&mut curves.tracked, hand.tracked),
        (&mut curves.pinching, hand.pinching),
    ];
    for (curve, on) in states {
        if curve.keys.last().is_none_or(|key| key.is_on() != on) {
            curve.push(time, on);
        }
    }
    if !hand.tracked {
        return;
    }
    for (joint, pose) in hand.joints.iter() {
        if let Some(pose) = pose {
            curves.joints[joint].push(time, pose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::joint::Joint;

    fn frame(time: f32, tracked: bool) -> Frame {
        let mut frame = Frame {
            time,
            ..Frame::default()
        };
        frame.left.tracked = tracked;
        frame.left.joints[Joint::Palm] = Some(Pose::at([time, 0.0, 0.0]));
        frame
    }

    #[test]
    fn joints_get_keys_only_while_tracked_and_states_only_where_they_change() {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for (step, tracked) in [true, true, false, false, true].into_iter().enumerate() {
            recorder.push(&frame(step as f32, tracked)).unwrap();
        }
        let left = recorder.finish().hands.unwrap().left;
        let times: Vec<f32> = left.tracked.keys.iter().map(|key| key.time()).collect();
        assert_eq!(times, [0.0, 2.0, 4.0]);
        let palm: Vec<_> = left.joints[Joint::Palm].position[0].keys.points().collect();
        assert_eq!(palm, [(0.0, 0.0), (1.0, 1.0), (4.0, 4.0)]);
        assert!(left.joints[Joint::Wrist].is_empty());
    }

    #[test]
    fn a_time_that_does_not_grow_is_refused_and_changes_nothing() {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        recorder.push(&frame(1.0, true)).unwrap();
        let before = recorder.clone().finish();
        for time in [1.0, 0.5, f32::NAN, f32::INFINITY] {
            assert!(recorder.push(&frame(time, true)).is_err(), "{time}");
        }
        assert_eq!(recorder.finish(), before);
    }
}
