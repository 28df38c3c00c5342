//! The topics of messages that are made of frames.

use std::io::{self, Write};
use std::time::Duration;

use foxglove::messages::{FrameTransforms, Log, PointCloud, SceneUpdate, Timestamp, log::Level};
use inputanim::{Frame, Marker, Recording, Sampler, Side};

use super::inputs::Inputs;
use super::messages::States;
use super::output::{Output, Topic};
use super::transforms::TransformsMessage;
use super::{GAZE, HANDS, MARKERS, STATES, TRANSFORMS};
use super::{points, scene};
use crate::robot::mcap_file::clock::{Clock, Moment};

/// The topics with recorded content.
pub(super) struct Streams {
    transforms: Option<(Topic<FrameTransforms>, TransformsMessage)>,
    hands: Option<Topic<SceneUpdate>>,
    joints: [Option<Topic<PointCloud>>; 2],
    gaze: Option<Topic<SceneUpdate>>,
    states: Option<Topic<States>>,
    markers: Option<Topic<Log>>,
    inputs: Vec<Inputs>,
}

impl Streams {
    /// Adds a topic to `output` for each kind of message whose content is recorded.
    pub(super) fn of(
        recording: &Recording<'_>,
        sampler: &Sampler,
        has_markers: bool,
        output: &mut Output<impl Write>,
    ) -> io::Result<Streams> {
        let has_joints = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            recorded.iter().any(|(_, &is_there)| is_there)
        };
        let has_hands = Side::BOTH.into_iter().any(has_joints);
        let mut devices = recording.devices.iter();
        let has_devices = devices.any(|device| !device.poses.is_empty());
        let has_poses = has_hands || has_devices || sampler.has_head() || sampler.has_gaze();
        let mut inputs = Vec::new();
        for device in &recording.devices {
            inputs.extend(Inputs::of(device, output)?);
        }
        let mut joints = |side: Side| {
            let name = format!("/{side}/joints");
            topic(output, &name, has_joints(side))
        };
        Ok(Streams {
            joints: [joints(Side::Left)?, joints(Side::Right)?],
            transforms: topic(output, TRANSFORMS, has_poses)?
                .map(|topic| (topic, TransformsMessage::default())),
            hands: topic(output, HANDS, has_hands)?,
            gaze: topic(output, GAZE, sampler.has_gaze())?,
            states: topic(output, STATES, recording.hands.is_some())?,
            markers: topic(output, MARKERS, has_markers)?,
            inputs,
        })
    }

    /// Writes a message on each topic for a frame, whose axes are [`SPACE`](super::SPACE). `moment` is the time of the
    /// messages.
    pub(super) fn frame(
        &mut self,
        frame: &Frame,
        moment: Moment,
        output: &mut Output<impl Write>,
    ) -> io::Result<()> {
        let now = timestamp(moment);
        if let Some((topic, message)) = &mut self.transforms {
            let message = message.update(frame, now);
            // Rerun 0.41 stops at a message without transforms.
            if !message.transforms.is_empty() {
                output.write(topic, moment, message)?;
            }
        }
        if let Some(topic) = &mut self.hands {
            output.write(topic, moment, &scene::hands(frame, now))?;
        }
        for side in Side::BOTH {
            if let Some(topic) = &mut self.joints[side as usize] {
                output.write(topic, moment, &points::points(frame, side, now))?;
            }
        }
        if let Some(topic) = &mut self.gaze {
            output.write(topic, moment, &scene::gaze(frame, now))?;
        }
        if let Some(topic) = &mut self.states {
            let (left, right) = (&frame.left, &frame.right);
            let states = States {
                left_tracked: left.tracked,
                left_pinching: left.pinching,
                right_tracked: right.tracked,
                right_pinching: right.pinching,
            };
            output.write(topic, moment, &states)?;
        }
        for inputs in &mut self.inputs {
            inputs.write(&frame.devices, moment, output)?;
        }
        Ok(())
    }

    pub(super) fn marker(
        &mut self,
        marker: &Marker<'_>,
        clock: Clock,
        output: &mut Output<impl Write>,
    ) -> io::Result<()> {
        let (Some(topic), Some(moment)) = (&mut self.markers, clock.at(marker.time)) else {
            return Ok(());
        };
        let message = Log {
            timestamp: Some(timestamp(moment)),
            level: Level::Info.into(),
            message: marker.name.to_string(),
            name: "marker".to_owned(),
            ..Log::default()
        };
        output.write(topic, moment, &message)
    }
}

fn topic<M: foxglove::Encode>(
    output: &mut Output<impl Write>,
    name: &str,
    is_wanted: bool,
) -> io::Result<Option<Topic<M>>> {
    is_wanted.then(|| output.topic(name)).transpose()
}

/// Converts an instant to the timestamp of Foxglove's messages.
fn timestamp(moment: Moment) -> Timestamp {
    let time = Duration::from_nanos(moment.0);
    // `Clock` never returns a later time than the timestamp can represent.
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    Timestamp::new(seconds, time.subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_seconds_and_nanoseconds() {
        assert_eq!(
            timestamp(Moment(101_500_000_001)),
            Timestamp::new(101, 500_000_001)
        );
    }
}
