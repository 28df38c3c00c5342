//! Several frames at one time, of which one is recorded.

use inputanim::{Frame, Pose, Side};

use super::report::counted;
use super::{LossKind, NoteKind, Report};

/// A frame that waits for others at its time, and what else its format knows about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Waiting<T> {
    pub(crate) frame: Frame,
    pub(crate) other: T,
}

/// Selects one of the frames at each time.
///
/// The frame with the most valid values wins, and among equals the first. A program writes several frames at one time while its
/// clock stands still, often when it starts, and the first ones are often zeros.
#[derive(Debug)]
pub(crate) struct OneAtATime<T> {
    waiting: Option<Waiting<T>>,
    frames: usize,
    dropped: usize,
}

impl<T> Default for OneAtATime<T> {
    fn default() -> OneAtATime<T> {
        OneAtATime {
            waiting: None,
            frames: 0,
            dropped: 0,
        }
    }
}

impl<T> OneAtATime<T> {
    /// Adds a frame, and returns the frame of an earlier time, which is complete now.
    pub(crate) fn push(&mut self, frame: Frame, other: T) -> Option<Waiting<T>> {
        self.frames += 1;
        let next = Waiting { frame, other };
        match &mut self.waiting {
            Some(waiting) if waiting.frame.time == next.frame.time => {
                self.dropped += 1;
                if valid(&next.frame) > valid(&waiting.frame) {
                    *waiting = next;
                }
                None
            }
            waiting => waiting.replace(next),
        }
    }

    /// Returns `true` if a frame is earlier than the last one.
    #[cfg(feature = "tables")]
    pub(crate) fn is_before_last(&self, frame: &Frame) -> bool {
        let mut last = self.waiting.iter();
        last.any(|waiting| frame.time < waiting.frame.time)
    }

    /// Returns the last frame.
    pub(crate) fn take(&mut self) -> Option<Waiting<T>> {
        self.waiting.take()
    }

    /// Adds a note on the frames that were dropped to `report`. If they are more than a tenth of all frames, the clock of the
    /// source is too coarse for them, which is a loss.
    pub(crate) fn report(&self, report: &mut Report) {
        if self.dropped == 0 {
            return;
        }
        let frames = counted(self.dropped, "frame");
        let message =
            format!("{frames} at the time of another one; the one with more valid values is kept");
        // The frames at the start of a short file are no sign of a coarse clock.
        if self.dropped > 10 && self.dropped > self.frames / 10 {
            report.lose(LossKind::Order, self.dropped, message);
        } else {
            report.note(NoteKind::SeveralAtOneTime, message);
        }
    }
}

/// Returns the number of poses and rays of a frame that are known and not zeros.
fn valid(frame: &Frame) -> usize {
    // Trackers write zeros for an object that they have not found, with or without the identity as rotation.
    let is_valid = |pose: &Pose| {
        let length: f32 = pose.rotation.iter().map(|part| part * part).sum();
        // Rounding does not change the length of a rotation much.
        let is_rotation = (0.25..=4.0).contains(&length);
        let is_placed = pose.position != [0.0; 3] || pose.rotation != Pose::IDENTITY.rotation;
        is_rotation && is_placed
    };
    let joints = Side::BOTH
        .into_iter()
        .flat_map(|side| frame.hand(side).joints.iter());
    let joints = joints.filter_map(|(_, pose)| pose.as_ref());
    let devices = frame.devices.iter().flat_map(|device| &device.poses);
    let devices = devices.map(|(_, pose)| pose);
    let poses = frame
        .head
        .iter()
        .chain(joints)
        .chain(devices)
        .filter(|pose| is_valid(pose));
    let is_gaze = frame.gaze.is_some_and(|gaze| gaze.direction != [0.0; 3]);
    let of_devices = frame.devices.iter().map(|device| {
        let poses = device.poses.iter().filter(|(_, pose)| is_valid(pose));
        poses.count() + device.inputs.len()
    });
    poses.count() + usize::from(is_gaze) + of_devices.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valid_frame_wins() {
        let frame = |time: f32, x: f32| Frame {
            time,
            head: Some(Pose::at([x, 0.0, 0.0])),
            ..Frame::default()
        };
        let mut frames = OneAtATime::default();
        let mut found = Vec::new();
        for (time, x) in [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (0.5, 3.0)] {
            found.extend(frames.push(frame(time, x), ()));
        }
        found.extend(frames.take());
        // A rotation of another length is not valid.
        let mut short = frame(1.0, 1.0);
        short.head = Some(Pose {
            position: [0.001; 3],
            rotation: [0.001; 4],
        });
        assert_eq!(frames.push(short, ()), None);
        frames.push(frame(1.0, 5.0), ());
        found.extend(frames.take());
        let found: Vec<Frame> = found.into_iter().map(|waiting| waiting.frame).collect();
        let expected = [frame(0.0, 1.0), frame(0.5, 3.0), frame(1.0, 5.0)];
        assert_eq!(found, expected);
        let mut report = Report::default();
        frames.report(&mut report);
        assert!(report.losses.is_empty());
        assert_eq!(report.notes[0].kind, NoteKind::SeveralAtOneTime);
    }

    #[test]
    fn many_frames_at_one_time_are_a_loss() {
        let mut frames = OneAtATime::default();
        for index in 0..60 {
            let time = (index / 30) as f32;
            frames.push(
                Frame {
                    time,
                    ..Frame::default()
                },
                (),
            );
        }
        let mut report = Report::default();
        frames.report(&mut report);
        assert_eq!(report.losses[0].count, 58);
    }
}
