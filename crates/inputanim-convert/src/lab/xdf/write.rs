//! Writes a recording as streams.

use std::io::Write;

use inputanim::{
    CurvePath, DeviceLoss, Frame, Joint, Marker, Pose, PoseChannel, Ray, RayChannel, Recording,
    Sampler, SamplerCursor, Side, Space, TimeRange,
};

use super::chunks::{MAGIC, tag};
use super::devices::{self, DeviceChannels};
use super::fingerprint::Fingerprint;
use super::header::{ChannelFormat, WrittenStream};
use super::out_stream::{Description, OutStream};
use super::output::Output;
use crate::shared::date_time::date_time;
use crate::shared::sampled::{self, SampleError};
use crate::shared::{Error, LossKind, NoteKind, Report, Sampling, WriteOptions};

/// The seconds of samples in a chunk.
const CHUNK_SECONDS: f64 = 1.0;
/// The seconds between boundary chunks, as LabRecorder writes them.
const BOUNDARY_SECONDS: f64 = 10.0;

/// Writes a recording to `output` as an XDF file, and returns the losses and notes. The time 0 of the recording has the
/// time stamp 0.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let writer = RecordingWriter::new(recording, options)?;
    let mut output = Output::new(output);
    output.raw(&MAGIC)?;
    let date = if options.start_time.is_zero() {
        String::new()
    } else {
        format!("<datetime>{}</datetime>", date_time(options.start_time))
    };
    let header = format!("<?xml version=\"1.0\"?>\n<info><version>1.0</version>{date}</info>");
    output.chunk(tag::FILE_HEADER, &[header.as_bytes()])?;
    let report = writer.write(0.0, 1.., &mut output)?;
    output.flush()?;
    Ok(report)
}

/// A writer of the samples of a recording.
pub(super) struct RecordingWriter<'r> {
    recording: &'r Recording<'r>,
    options: &'r WriteOptions,
    sampler: Sampler,
    times: Times,
}

/// The times of samples.
enum Times {
    Rate(f64),
    Keys(Vec<f32>),
}

impl Times {
    /// Returns the times of the samples from 0 to `end` in seconds. Each item is the exact time, and the nearest 32-bit
    /// float, which is the time in the recording.
    fn iter(&self, end: f32) -> Box<dyn Iterator<Item = (f64, f32)> + '_> {
        match self {
            Times::Rate(rate) => {
                let times = TimeRange { start: 0.0, end }.times_at(*rate);
                Box::new((0_u64..).map(move |step| step as f64 / rate).zip(times))
            }
            Times::Keys(times) => Box::new(times.iter().map(|&time| (f64::from(time), time))),
        }
    }
}

impl<'r> RecordingWriter<'r> {
    pub(super) fn new(
        recording: &'r Recording<'r>,
        options: &'r WriteOptions,
    ) -> Result<RecordingWriter<'r>, SampleError> {
        let (sampler, times) = match options.sampling {
            Sampling::Rate(_) => {
                let (sampler, rate) = sampled::sampler(recording, options)?;
                (sampler, Times::Rate(rate))
            }
            Sampling::Keys => {
                let (sampler, times) = sampled::sampler_and_times(recording, options)?;
                (sampler, Times::Keys(times))
            }
        };
        Ok(RecordingWriter {
            recording,
            options,
            sampler,
            times,
        })
    }

    /// Returns the time in seconds of the first marker with a name; `None` if there is none with a finite time.
    pub(super) fn marker(&self, name: &str) -> Option<f32> {
        let mut markers = self.sampler.markers().iter();
        let found = markers.find(|marker| marker.name == name && marker.time.is_finite());
        found.map(|marker| marker.time)
    }

    /// Writes all streams of the recording to `output`, and returns the losses and notes. `zero` is the time stamp, in
    /// seconds, of the time 0 of the recording. `ids` are numbers that no other stream has; each stream takes the next
    /// one.
    pub(super) fn write(
        &self,
        zero: f64,
        ids: impl IntoIterator<Item = u32>,
        output: &mut Output<impl Write>,
    ) -> Result<Report, Error> {
        let is_finite = |marker: &&Marker<'static>| marker.time.is_finite();
        let markers: Vec<_> = self.sampler.markers().iter().filter(is_finite).collect();
        let mut streams = Streams::begin(self, zero, !markers.is_empty(), ids, output)?;
        let mut markers = markers.iter().peekable();
        let mut states = self.state_times().into_iter().peekable();
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        let (mut next_chunk, mut next_boundary) = (CHUNK_SECONDS, BOUNDARY_SECONDS);
        let end = self.sampler.duration();
        for (exact, time) in self.times.iter(end) {
            if exact >= next_chunk {
                streams.flush(output)?;
                next_chunk = exact + CHUNK_SECONDS;
            }
            if exact >= next_boundary {
                output.boundary()?;
                next_boundary = exact + BOUNDARY_SECONDS;
            }
            while let Some(marker) = markers.next_if(|marker| marker.time <= time) {
                streams.marker(marker);
            }
            while let Some(earlier) = states.next_if(|&earlier| earlier < time) {
                self.sampler.read(earlier, &mut cursor, &mut frame);
                streams.states(f64::from(earlier), &frame);
                streams.devices(f64::from(earlier), &frame, self.options.space);
            }
            self.sampler.read(time, &mut cursor, &mut frame);
            streams.devices(exact, &frame, self.options.space);
            streams.frame(exact, &self.options.space.frame(frame.clone()));
        }
        for marker in markers {
            streams.marker(marker);
        }
        for later in states {
            self.sampler.read(later, &mut cursor, &mut frame);
            streams.states(f64::from(later), &frame);
            streams.devices(f64::from(later), &frame, self.options.space);
        }
        // The states last as long as the recording.
        self.sampler.read(end, &mut cursor, &mut frame);
        streams.last_states(f64::from(end), &frame);
        streams.devices(f64::from(end), &frame, self.options.space);
        streams.flush(output)?;
        output.boundary()?;
        streams.end(output)?;
        Ok(self.report())
    }

    /// Returns the times of all keys of the states of hands, in seconds and in order, after 0 and up to the end. States
    /// may change at these times, besides the times of samples.
    fn state_times(&self) -> Vec<f32> {
        let end = self.sampler.duration();
        let times = sampled::state_times(self.recording);
        let mut times: Vec<f32> = times.filter(|&time| time > 0.0 && time <= end).collect();
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        times
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        let all = self.recording.markers.len();
        let is_finite = |marker: &&Marker<'_>| marker.time.is_finite();
        let finite = self.recording.markers.iter().filter(is_finite).count();
        let message = format!(
            "{} with a time that is not finite",
            crate::shared::report::counted(all - finite, "marker")
        );
        report.lose(LossKind::Markers, all - finite, message);
        for device in &self.recording.devices {
            report.lose_device(&DeviceLoss::of(device, |_| true));
        }
        let message = format!("sampled at {}", self.options.sampling);
        report.note(NoteKind::Sampling, message);
        report
    }
}

/// The streams of a recording.
struct Streams {
    zero: f64,
    head: Option<OutStream>,
    /// The hands with the joints that are recorded.
    hands: [Option<(OutStream, Vec<Joint>)>; 2],
    gaze: Option<OutStream>,
    states: Option<OutStream>,
    /// Which of the four states have a channel.
    has_state: [bool; 4],
    markers: Option<OutStream>,
    devices: Vec<(OutStream, DeviceChannels)>,
    /// The time of the last sample of the devices, in seconds of the recording.
    last_devices: f64,
    /// The last states and their time.
    last_states: Option<([bool; 4], f64)>,
}

impl Streams {
    /// Writes the header of each stream with recorded content, and returns the streams. `zero` is the time stamp, in
    /// seconds, of the time 0 of the recording. Each stream takes the next of the `ids`. Fails if there are too few.
    fn begin(
        writer: &RecordingWriter<'_>,
        zero: f64,
        has_markers: bool,
        ids: impl IntoIterator<Item = u32>,
        output: &mut Output<impl Write>,
    ) -> Result<Streams, Error> {
        let (recording, options) = (writer.recording, writer.options);
        let rate = match writer.times {
            Times::Rate(rate) => rate,
            Times::Keys(_) => 0.0,
        };
        let mut ids = ids.into_iter().peekable();
        let first = ids.peek().copied().unwrap_or_default();
        let fingerprint = Fingerprint::of(recording, options, zero, first);
        let sampler = &writer.sampler;
        let written = WrittenStream {
            recording_id: fingerprint.uuid(""),
            recording: options.source.clone().unwrap_or_default(),
            zero,
            duration: Some(sampler.duration()),
            space: options.space,
        };
        let mut begin = |is_wanted: bool,
                         name: &str,
                         kind,
                         format,
                         rate,
                         channels: &[CurvePath],
                         device: Option<&DeviceChannels>| {
            if !is_wanted {
                return Ok::<_, Error>(None);
            }
            let id = ids.next().ok_or(super::XdfError::NoUnusedIds)?;
            let description = Description {
                name,
                kind,
                format,
                rate,
                channels,
                device,
                uid: fingerprint.uuid(&format!("{name} {id}")),
                written: &written,
                about: &recording.about,
            };
            Ok(Some(OutStream::begin(id, &description, output)?))
        };
        let mut sampled = |is_wanted, name: &str, kind, channels: &[CurvePath]| {
            let format = ChannelFormat::Float32;
            begin(is_wanted, name, kind, format, rate, channels, None)
        };
        let head = PoseChannel::ALL.map(CurvePath::Head);
        let head = sampled(sampler.has_head(), super::HEAD, "MoCap", &head)?;
        let mut hand = |side: Side| {
            let recorded = sampler.recorded_joints(side).iter();
            let joints: Vec<Joint> = recorded
                .filter(|(_, is)| **is)
                .map(|(joint, _)| joint)
                .collect();
            let paths: Vec<CurvePath> = joints
                .iter()
                .flat_map(|&joint| {
                    PoseChannel::ALL.map(|channel| CurvePath::Joint(side, joint, channel))
                })
                .collect();
            let name = super::HANDS[side as usize];
            let stream = sampled(!joints.is_empty(), name, "MoCap", &paths)?;
            Ok::<_, Error>(stream.map(|stream| (stream, joints)))
        };
        let hands = [hand(Side::Left)?, hand(Side::Right)?];
        let gaze = RayChannel::ALL.map(CurvePath::Gaze);
        let gaze = sampled(sampler.has_gaze(), super::GAZE, "Gaze", &gaze)?;
        let has_states = recording
            .hands
            .as_ref()
            .is_some_and(|hands| hands.curves().any(|(_, curve)| !curve.is_empty()));
        let states = [
            CurvePath::Tracked(Side::Left),
            CurvePath::Pinching(Side::Left),
            CurvePath::Tracked(Side::Right),
            CurvePath::Pinching(Side::Right),
        ];
        // Integers cannot be unknown, so pinches that are not recorded have no channel.
        let has_state = states.map(|path| match path {
            CurvePath::Pinching(side) => !sampler.lacks_pinches(side),
            _ => true,
        });
        let states = states.into_iter().zip(has_state);
        let states = states.filter_map(|(path, is_known)| is_known.then_some(path));
        let states: Vec<CurvePath> = states.collect();
        let int8 = ChannelFormat::Int8;
        let states = begin(
            has_states,
            super::STATES,
            "States",
            int8,
            0.0,
            &states,
            None,
        )?;
        let text = ChannelFormat::String;
        let markers = begin(has_markers, super::MARKERS, "Markers", text, 0.0, &[], None)?;
        let mut devices = Vec::new();
        for device in &recording.devices {
            let device = DeviceChannels::of(device, written.space);
            let name = format!("inputanim-{}", device.device.name);
            let (format, paths) = (ChannelFormat::Float32, device.paths());
            let stream = begin(
                true,
                &name,
                devices::KIND,
                format,
                0.0,
                &paths,
                Some(&device),
            )?;
            devices.extend(stream.map(|stream| (stream, device)));
        }
        Ok(Streams {
            zero,
            head,
            hands,
            gaze,
            states,
            has_state,
            markers,
            devices,
            last_devices: f64::NEG_INFINITY,
            last_states: None,
        })
    }

    /// Adds a sample of a frame to each stream. `time` is the time in the recording in seconds. The frame is in the
    /// axes of the file.
    fn frame(&mut self, time: f64, frame: &Frame) {
        let stamp = self.zero + time;
        if let Some(stream) = &mut self.head {
            stream.floats(stamp, pose(frame.head.as_ref()));
        }
        for (side, hand) in Side::BOTH.into_iter().zip(&mut self.hands) {
            let Some((stream, joints)) = hand else {
                continue;
            };
            let poses = joints
                .iter()
                .map(|&joint| frame.hand(side).joints[joint].as_ref());
            stream.floats(stamp, poses.flat_map(pose));
        }
        if let Some(stream) = &mut self.gaze {
            stream.floats(stamp, ray(frame.gaze.as_ref()));
        }
        self.states(time, frame);
    }

    /// Adds a sample with the states of both hands if they differ from the last sample. `time` is the time in the
    /// recording in seconds.
    fn states(&mut self, time: f64, frame: &Frame) {
        let states = states(frame);
        if let Some(stream) = &mut self.states
            && self.last_states.is_none_or(|(last, _)| last != states)
        {
            stream.states(self.zero + time, known(states, self.has_state));
            self.last_states = Some((states, time));
        }
    }

    /// Adds a sample with the states of both hands at the end of the recording, unless the last sample is at this time.
    fn last_states(&mut self, time: f64, frame: &Frame) {
        if let Some(stream) = &mut self.states
            && self.last_states.is_none_or(|(_, last)| last < time)
        {
            stream.states(self.zero + time, known(states(frame), self.has_state));
        }
    }

    /// Adds a sample to the stream of each device, unless the last sample is at this time or later. `time` is the time in the
    /// recording in seconds, and the axes of the frame are converted to `space`.
    fn devices(&mut self, time: f64, frame: &Frame, space: Space) {
        if self.devices.is_empty() || time <= self.last_devices {
            return;
        }
        self.last_devices = time;
        let frame = space.frame(frame.clone());
        for (stream, channels) in &mut self.devices {
            stream.floats(self.zero + time, channels.values(&frame));
        }
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        if let Some(stream) = &mut self.markers {
            stream.text(self.zero + f64::from(marker.time), &marker.name);
        }
    }

    fn all(self) -> impl Iterator<Item = OutStream> {
        let [left, right] = self.hands.map(|hand| hand.map(|(stream, _)| stream));
        let streams = [self.head, left, right, self.gaze, self.states, self.markers];
        let devices = self.devices.into_iter().map(|(stream, _)| stream);
        streams.into_iter().flatten().chain(devices)
    }

    fn flush(&mut self, output: &mut Output<impl Write>) -> Result<(), Error> {
        let hands = self.hands.iter_mut().flatten().map(|(stream, _)| stream);
        let others = [
            &mut self.head,
            &mut self.gaze,
            &mut self.states,
            &mut self.markers,
        ];
        let devices = self.devices.iter_mut().map(|(stream, _)| stream);
        for stream in hands.chain(others.into_iter().flatten()).chain(devices) {
            stream.flush(output)?;
        }
        Ok(())
    }

    fn end(self, output: &mut Output<impl Write>) -> Result<(), Error> {
        for stream in self.all() {
            stream.end(output)?;
        }
        Ok(())
    }
}

/// Returns the states that have a channel.
fn known(states: [bool; 4], has_state: [bool; 4]) -> impl Iterator<Item = bool> {
    let states = states.into_iter().zip(has_state);
    states.filter_map(|(is_on, is_known)| is_known.then_some(is_on))
}

fn states(frame: &Frame) -> [bool; 4] {
    let Frame { left, right, .. } = frame;
    [left.tracked, left.pinching, right.tracked, right.pinching]
}

/// Returns the seven numbers of a pose: position x, y, z and rotation x, y, z, w. All are NaN if the pose is unknown.
pub(super) fn pose(pose: Option<&Pose>) -> [f32; 7] {
    pose.map_or([f32::NAN; 7], |pose| {
        let ([x, y, z], [rx, ry, rz, rw]) = (pose.position, pose.rotation);
        [x, y, z, rx, ry, rz, rw]
    })
}

/// Returns the six numbers of a ray: origin x, y, z and direction x, y, z. All are NaN if the ray is unknown.
fn ray(ray: Option<&Ray>) -> [f32; 6] {
    ray.map_or([f32::NAN; 6], |ray| {
        let ([x, y, z], [dx, dy, dz]) = (ray.origin, ray.direction);
        [x, y, z, dx, dy, dz]
    })
}
