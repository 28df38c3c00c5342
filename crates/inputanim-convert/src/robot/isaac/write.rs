//! Writes a recording of Isaac Capture.

use std::io::Write;

use inputanim::{DeviceName, Frame, Joint, Marker, Recording, Sampler, SamplerCursor, Side, Space};

use super::error::IsaacError;
use super::messages::{self, Checksum, HandStates, States};
use super::schema::{self, MessageSchema};
use super::{CHECKSUM, DEVICE_CURVES, DEVICES, GAZE, HEAD, MARKERS, RECORDING, STATES};
use super::{FLATBUFFER, LISTED, PROFILE};
use super::{LEFT_CONTROLLER, LEFT_HAND, RIGHT_CONTROLLER, RIGHT_HAND};
use crate::robot::mcap_file::clock::{Clock, Moment};
use crate::robot::mcap_file::output::{Output, OutputChannel, OutputSchema};
use crate::robot::mcap_file::{devices, pieces, provenance};
use crate::shared::joint_radii::JointRadii;
use crate::shared::report::listed;
use crate::shared::sampled;
use crate::shared::{Error, NoteKind, Report, WriteOptions};

/// Writes a recording to `output` as a file of Isaac Capture, and returns the losses and notes. At any time, one chunk
/// of a megabyte is in memory. Fails if the recording cannot be sampled or ends after 2106, or if `output` fails.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let (sampler, times) = sampled::sampler_and_times(recording, options)?;
    let clock = Clock::new(options.start_time);
    let seconds = sampler.duration();
    // A recording that ends after 2106 is refused before anything is written.
    let (Some(start), Some(end)) = (clock.at(0.0), clock.at(seconds)) else {
        return Err(IsaacError::TooLate { seconds }.into());
    };
    // NVIDIA's reader refuses compressed chunks.
    let plain = mcap::WriteOptions::new().compression(None);
    let mut output = Output::new(output, PROFILE, plain)?;
    let axes = "OpenXR: right-handed, +X right, +Y up, -Z forward";
    let metadata = provenance::metadata(recording, options, axes);
    output.metadata(metadata)?;

    let is_visible = |marker: &&Marker<'static>| clock.at(marker.time).is_some();
    let mut markers: Vec<_> = sampler.markers().iter().filter(is_visible).collect();
    let hidden = sampler.markers().len() - markers.len();
    let has_markers = !markers.is_empty();
    let mut piece_channel = channel(&mut output, RECORDING, &schema::PIECE)?;
    let mut streams = Streams::of(recording, &sampler, has_markers, output)?;
    // Messages are in order of time, and the recording is at 0.
    let early = markers.partition_point(|marker| marker.time < 0.0);
    let mut later = markers.split_off(early).into_iter().peekable();
    for marker in markers {
        streams.marker(marker, clock)?;
    }
    let layout = recording.layout.to_string();
    pieces::write(recording, |piece| {
        let message = messages::piece(piece, &layout, start);
        streams.output.write(&mut piece_channel, start, &message)
    })?;
    if !recording.devices.is_empty() {
        let mut topic = channel(&mut streams.output, DEVICES, &schema::DEVICE)?;
        let mut curves = channel(&mut streams.output, DEVICE_CURVES, &schema::DEVICE_CURVE)?;
        for device in &recording.devices {
            let message = messages::device(&devices::message(device), start);
            streams.output.write(&mut topic, start, &message)?;
            for (path, curve) in device.curves() {
                for keys in devices::curves(path, curve) {
                    let message = messages::device_curve(&keys, start);
                    streams.output.write(&mut curves, start, &message)?;
                }
            }
        }
    }
    // The recording gets chunks of its own, so that it stays intact if the rest is truncated or damaged.
    streams.output.end_chunk()?;

    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    let mut last = end;
    for time in times {
        while let Some(marker) = later.next_if(|marker| marker.time <= time) {
            streams.marker(marker, clock)?;
        }
        sampler.read(time, &mut cursor, &mut frame);
        if let Some(moment) = clock.at(time) {
            streams.frame(&Space::OpenXr.frame(frame.clone()), moment)?;
        }
    }
    // Markers may be later than the last frame.
    for marker in later {
        last = last.max(streams.marker(marker, clock)?.unwrap_or(last));
    }
    streams.finish(last)?;

    let mut report = Report::default();
    provenance::note_sampling(&mut report, options);
    if recording.hands.is_some() || sampler.has_gaze() || has_markers {
        let message = "pinches, gaze and markers are on topics that a replay by Isaac ignores";
        report.note(NoteKind::NotInFormat, message);
    }
    note_missing_poses(&mut report, &sampler);
    note_devices(recording, &mut report);
    provenance::note_hidden_markers(&mut report, hidden);
    Ok(report)
}

/// Adds notes on the poses that a replay by Isaac does not have: joints that are not recorded or not selected, or all
/// poses.
fn note_missing_poses(report: &mut Report, sampler: &Sampler) {
    let mut has_hand = false;
    for side in Side::BOTH {
        let recorded = sampler.recorded_joints(side);
        let missing = Joint::OPENXR.into_iter().filter(|&joint| !recorded[joint]);
        let missing: Vec<Joint> = missing.collect();
        has_hand |= missing.len() < Joint::OPENXR.len();
        if (1..Joint::OPENXR.len()).contains(&missing.len()) {
            let missing = listed(missing, LISTED);
            let message = format!("{side} hand: no {missing}; these joints are never valid");
            report.note(NoteKind::NotInFormat, message);
        }
    }
    has_hand |= sampler.devices().any(|device| device.side().is_some());
    if !has_hand && !sampler.has_head() {
        let message =
            "a replay by Isaac has no poses: neither the head, a hand nor a controller is recorded";
        report.note(NoteKind::NotInFormat, message);
    }
}

/// Adds a note on the parts of devices that a replay by Isaac does not have.
fn note_devices(recording: &Recording<'_>, report: &mut Report) {
    let mut missing = Vec::new();
    for device in &recording.devices {
        let name = device.name;
        let Some(side) = name.side() else {
            missing.push(name.to_string());
            continue;
        };
        let is_pose = |pose: &str| ["grip", "aim"].contains(&pose);
        let poses = device
            .poses
            .iter()
            .filter(|(pose, _)| !is_pose(pose.as_str()));
        missing.extend(poses.map(|(pose, _)| format!("{name}.{pose}")));
        let has = |input: &&&str| {
            input
                .parse()
                .is_ok_and(|input| device.input(input).is_some())
        };
        let inputs = messages::controller_inputs(side);
        let written: Vec<&str> = inputs
            .iter()
            .filter_map(|names| names.iter().find(has).copied())
            .collect();
        let others = device.inputs.iter().map(|(input, _)| input);
        let others = others.filter(|input| !written.contains(&input.as_str()));
        missing.extend(others.map(|input| format!("{name}.{input}")));
        if !device.haptics.is_empty() {
            missing.push(format!("haptic pulses of {name}"));
        }
    }
    if !missing.is_empty() {
        let message = format!("a replay by Isaac lacks {}", missing.join(", "));
        report.note(NoteKind::NotInFormat, message);
    }
}

/// The topics of messages that are made of frames, and the file to which they are written.
struct Streams<W: Write> {
    output: Output<W>,
    hands: [Option<Stream>; 2],
    controllers: [Option<Stream>; 2],
    head: Option<Stream>,
    gaze: Option<Stream>,
    states: Option<Stream>,
    markers: Option<Stream>,
    checksum: Checksum,
}

/// A topic.
struct Stream {
    topic: &'static str,
    channel: OutputChannel,
}

impl<W: Write> Streams<W> {
    /// Adds a topic to `output` for each stream that is recorded: hands, head, gaze, states and markers. If one hand
    /// has joints, both hands get a topic.
    fn of(
        recording: &Recording<'_>,
        sampler: &Sampler,
        has_markers: bool,
        mut output: Output<W>,
    ) -> Result<Streams<W>, Error> {
        let has_joints = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            recorded.iter().any(|(_, &is_recorded)| is_recorded)
        };
        let has_hands = Side::BOTH.into_iter().any(has_joints);
        let mut stream = |topic, record, is_wanted: bool| -> Result<Option<Stream>, Error> {
            if !is_wanted {
                return Ok(None);
            }
            let channel = channel(&mut output, topic, record)?;
            Ok(Some(Stream { topic, channel }))
        };
        let hands = [
            stream(LEFT_HAND, &schema::HAND, has_hands)?,
            stream(RIGHT_HAND, &schema::HAND, has_hands)?,
        ];
        let has_controllers = recording
            .devices
            .iter()
            .any(|device| device.name.side().is_some());
        let controllers = [
            stream(LEFT_CONTROLLER, &schema::CONTROLLER, has_controllers)?,
            stream(RIGHT_CONTROLLER, &schema::CONTROLLER, has_controllers)?,
        ];
        let head = stream(HEAD, &schema::HEAD, sampler.has_head())?;
        let gaze = stream(GAZE, &schema::GAZE, sampler.has_gaze())?;
        let states = stream(STATES, &schema::STATES, recording.hands.is_some())?;
        let markers = stream(MARKERS, &schema::MARKER, has_markers)?;
        Ok(Streams {
            output,
            hands,
            controllers,
            head,
            gaze,
            states,
            markers,
            checksum: Checksum::default(),
        })
    }

    /// Writes a message on each topic for a frame, whose poses are in OpenXR's axes. `moment` is the time of the
    /// messages.
    fn frame(&mut self, frame: &Frame, moment: Moment) -> Result<(), Error> {
        let Streams {
            output,
            hands,
            controllers,
            head,
            gaze,
            states,
            checksum,
            ..
        } = self;
        let mut write = |stream: &mut Option<Stream>, message: &dyn Fn() -> Vec<u8>| {
            stream.as_mut().map_or(Ok(()), |stream| {
                let message = message();
                checksum.add(stream.topic, moment, &message);
                output.write(&mut stream.channel, moment, &message)
            })
        };
        let radii = JointRadii::of(frame);
        for (side, stream) in Side::BOTH.into_iter().zip(hands) {
            let hand = frame.hand(side);
            let radius = |joint| radii.radius(side, joint);
            write(stream, &|| messages::hand(hand, radius, moment))?;
        }
        for (side, stream) in Side::BOTH.into_iter().zip(controllers) {
            let device = frame.device(DeviceName::controller(side));
            write(stream, &|| messages::controller(device, side, moment))?;
        }
        write(head, &|| messages::head(frame.head.as_ref(), moment))?;
        write(gaze, &|| messages::gaze(frame.gaze.as_ref(), moment))?;
        let of = |side| {
            let hand = frame.hand(side);
            HandStates {
                is_tracked: hand.tracked,
                is_pinching: hand.pinching,
            }
        };
        let both = States(Side::BOTH.map(of));
        Ok(write(states, &|| messages::states(both, moment))?)
    }

    /// Writes a marker, and returns its time in the file. Returns `None` if messages cannot represent the time; the
    /// marker is then not written.
    fn marker(&mut self, marker: &Marker<'_>, clock: Clock) -> Result<Option<Moment>, Error> {
        let (Some(stream), Some(moment)) = (&mut self.markers, clock.at(marker.time)) else {
            return Ok(None);
        };
        let message = messages::marker(&marker.name, moment);
        self.checksum.add(stream.topic, moment, &message);
        self.output.write(&mut stream.channel, moment, &message)?;
        Ok(Some(moment))
    }

    /// Writes the message with the checksum at `time`, and ends the file.
    fn finish(mut self, time: Moment) -> Result<(), Error> {
        let mut channel = channel(&mut self.output, CHECKSUM, &schema::CHECKSUM)?;
        let message = self.checksum.message(time);
        self.output.write(&mut channel, time, &message)?;
        Ok(self.output.finish()?)
    }
}

fn channel(
    output: &mut Output<impl Write>,
    topic: &str,
    record: &MessageSchema,
) -> Result<OutputChannel, Error> {
    let schema = OutputSchema {
        name: record.name,
        encoding: FLATBUFFER,
        data: &record.schema(),
    };
    Ok(output.channel(topic, FLATBUFFER, Some(schema))?)
}
