//! The streams that are written.

use std::fmt::Write as _;
use std::io::{self, Write};

use inputanim::{About, CurvePath, Element, PoseChannel, RayChannel};

use super::chunks::tag;
use super::devices::{self, DeviceChannels};
use super::header::{ABOUT, ChannelFormat, DEVICE, WRITTEN, WrittenStream};
use super::output::{Output, push_length};
use super::xml::escape;
use crate::shared::axes::axes;

/// A stream that is written piece by piece.
#[derive(Debug)]
pub(super) struct OutStream {
    id: u32,
    /// The samples of the next chunk.
    samples: Vec<u8>,
    /// The number of these samples.
    count: u64,
    /// The number of samples of all chunks.
    total: u64,
    /// The time stamps of the first and the last sample.
    range: Option<(f64, f64)>,
}

/// The facts of the header of a stream.
pub(super) struct Description<'d> {
    pub(super) name: &'d str,
    /// The content type of the Lab Streaming Layer.
    pub(super) kind: &'d str,
    pub(super) format: ChannelFormat,
    /// The samples per second; 0 for an irregular stream.
    pub(super) rate: f64,
    pub(super) channels: &'d [CurvePath],
    /// The device whose curves the channels are.
    pub(super) device: Option<&'d DeviceChannels>,
    pub(super) uid: String,
    pub(super) written: &'d WrittenStream,
    pub(super) about: &'d About,
}

impl OutStream {
    /// Writes the header of a stream to `output`, and returns the stream, to which samples can be added.
    pub(super) fn begin(
        id: u32,
        description: &Description<'_>,
        output: &mut Output<impl Write>,
    ) -> io::Result<OutStream> {
        let xml = description.xml();
        output.chunk(tag::STREAM_HEADER, &[&id.to_le_bytes(), xml.as_bytes()])?;
        Ok(OutStream {
            id,
            samples: Vec::new(),
            count: 0,
            total: 0,
            range: None,
        })
    }

    /// Begins a sample with its time stamp in seconds. The caller appends the values of the sample.
    fn stamp(&mut self, time: f64) {
        self.samples.push(8);
        self.samples.extend(time.to_le_bytes());
        self.count += 1;
        let first = self.range.map_or(time, |(first, _)| first);
        self.range = Some((first, time));
    }

    pub(super) fn floats(&mut self, time: f64, numbers: impl IntoIterator<Item = f32>) {
        self.stamp(time);
        for number in numbers {
            self.samples.extend(number.to_le_bytes());
        }
    }

    pub(super) fn states(&mut self, time: f64, states: impl Iterator<Item = bool>) {
        self.stamp(time);
        self.samples.extend(states.map(u8::from));
    }

    pub(super) fn text(&mut self, time: f64, text: &str) {
        self.stamp(time);
        push_length(&mut self.samples, text.len() as u64);
        self.samples.extend(text.as_bytes());
    }

    /// Writes the samples since the last call as a chunk, if there are any. Before the first samples, a clock offset
    /// states that their clock is the clock of the recorder.
    pub(super) fn flush(&mut self, output: &mut Output<impl Write>) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let id = self.id.to_le_bytes();
        if let (0, Some((first, _))) = (self.total, self.range) {
            self.clock_offset(first, output)?;
        }
        let mut count = Vec::new();
        push_length(&mut count, self.count);
        output.chunk(tag::SAMPLES, &[&id, &count, &self.samples])?;
        self.total += self.count;
        self.count = 0;
        self.samples.clear();
        Ok(())
    }

    fn clock_offset(&self, time: f64, output: &mut Output<impl Write>) -> io::Result<()> {
        let (time, value) = (time.to_le_bytes(), 0.0_f64.to_le_bytes());
        output.chunk(tag::CLOCK_OFFSET, &[&self.id.to_le_bytes(), &time, &value])
    }

    /// Writes the remaining samples and the footer.
    pub(super) fn end(mut self, output: &mut Output<impl Write>) -> io::Result<()> {
        self.flush(output)?;
        let mut offsets = String::new();
        let (first, last) = self.range.unwrap_or_default();
        if self.range.is_some() {
            offsets = format!("<offset><time>{first}</time><value>0</value></offset>");
        }
        let footer = format!(
            "<?xml version=\"1.0\"?>\n<info><first_timestamp>{first}</first_timestamp>\
             <last_timestamp>{last}</last_timestamp><sample_count>{}</sample_count>\
             <clock_offsets>{offsets}</clock_offsets></info>",
            self.total
        );
        output.chunk(
            tag::STREAM_FOOTER,
            &[&self.id.to_le_bytes(), footer.as_bytes()],
        )
    }
}

impl Description<'_> {
    /// Returns the XML of the header, with the meta-data that the wiki of XDF recommends.
    fn xml(&self) -> String {
        let Description {
            name,
            kind,
            rate,
            uid,
            written,
            ..
        } = self;
        let (format, zero) = (self.format.name(), written.zero);
        // A stream of markers has one channel.
        let first = self.device.map_or(0, |_| devices::FIRST.len());
        let count = (first + self.channels.len()).max(1);
        let mut xml = format!(
            "<?xml version=\"1.0\"?>\n<info>\n\t<name>{name}</name>\n\t<type>{kind}</type>\n\
             \t<channel_count>{count}</channel_count>\n\t<nominal_srate>{rate}</nominal_srate>\n\
             \t<channel_format>{format}</channel_format>\n\t<source_id>{name}</source_id>\n\
             \t<version>1.10</version>\n\t<created_at>{zero}</created_at>\n\t<uid>{uid}</uid>\n\
             \t<session_id>default</session_id>\n\t<hostname/>\n\t<desc>\n\t\t<channels>\n"
        );
        if let Some(DeviceChannels { device, .. }) = self.device {
            for (label, unit) in devices::FIRST.into_iter().zip(["boolean", "index"]) {
                // Writing to a string does not fail.
                let _ = writeln!(
                    xml,
                    "\t\t\t<channel><label>{}.{label}</label><type>State</type><unit>{unit}</unit></channel>",
                    device.name
                );
            }
        }
        for &path in self.channels {
            let is_button = self.device.is_some_and(|device| device.is_button(path));
            xml.push_str(&channel(path, is_button));
        }
        if count == 1 && self.channels.is_empty() {
            xml.push_str("\t\t\t<channel><label>marker</label></channel>\n");
        }
        xml.push_str("\t\t</channels>\n");
        let axes = axes(written.space);
        let duration = written
            .duration
            .map(|duration| format!("\t\t\t<duration>{duration}</duration>\n"));
        if let Some(device) = self.about.get(About::DEVICE) {
            let device = escape(device);
            let _ = writeln!(
                xml,
                "\t\t<acquisition><model>{device}</model></acquisition>"
            );
        }
        if matches!(*kind, "MoCap" | "Gaze" | devices::KIND) {
            // Writing to a string does not fail.
            let _ = writeln!(xml, "\t\t<coordinate_system>{axes}</coordinate_system>");
        }
        let _ = write!(
            xml,
            "\t\t<{WRITTEN}>\n\t\t\t<program>{}</program>\n\t\t\t<recording_id>{}</recording_id>\n\
             \t\t\t<recording>{}</recording>\n\t\t\t<zero>{zero}</zero>\n\
             {}\t\t\t<space>{}</space>\n{}{}\t\t</{WRITTEN}>\n\t</desc>\n</info>",
            super::PROGRAM,
            written.recording_id,
            escape(&written.recording),
            duration.unwrap_or_default(),
            written.space.name(),
            self.device.map(device_facts).unwrap_or_default(),
            texts(self.about),
        );
        xml
    }
}

/// Returns the XML element for the facts about a device.
fn device_facts(channels: &DeviceChannels) -> String {
    let device = &channels.device;
    let profiles = device.profiles.iter();
    let profiles = profiles.map(|profile| format!("<profile>{}</profile>", escape(profile)));
    let profiles: String = profiles.collect();
    format!(
        "\t\t\t<{DEVICE}><name>{}</name>{profiles}</{DEVICE}>\n",
        device.name
    )
}

/// Returns the XML elements for the texts about a recording.
fn texts(about: &About) -> String {
    if about.is_empty() {
        return String::new();
    }
    let texts = about.iter().map(|(name, text)| {
        let (name, text) = (escape(name), escape(text));
        format!("\t\t\t\t<text><name>{name}</name><value>{text}</value></text>\n")
    });
    let texts: String = texts.collect();
    format!("\t\t\t<{ABOUT}>\n{texts}\t\t\t</{ABOUT}>\n")
}

/// Returns the XML element that describes the channel of a curve: its label, type and unit. A button is
/// on or off.
fn channel(path: CurvePath, is_button: bool) -> String {
    const POSE_TYPES: [&str; 7] = [
        "PositionX",
        "PositionY",
        "PositionZ",
        // The wiki calls the axial components B, C and D, and the scalar component A.
        "OrientationB",
        "OrientationC",
        "OrientationD",
        "OrientationA",
    ];
    const RAY_TYPES: [&str; 6] = [
        "PositionX",
        "PositionY",
        "PositionZ",
        "DirectionX",
        "DirectionY",
        "DirectionZ",
    ];
    let (facts, kind, unit) = match path {
        CurvePath::Head(channel)
        | CurvePath::Joint(_, _, channel)
        | CurvePath::DevicePose(_, _, channel) => {
            let unit = if (channel as usize) < PoseChannel::RotationX as usize {
                "meters"
            } else {
                "quaternion"
            };
            let object = format!("<object>{}</object>", Element::from(path));
            (object, POSE_TYPES[channel as usize], unit)
        }
        CurvePath::Gaze(channel) => {
            let unit = if (channel as usize) < RayChannel::DirectionX as usize {
                "meters"
            } else {
                "normalized"
            };
            let eye = "<eye>both</eye><coordinate_system>world-space</coordinate_system>";
            (eye.to_owned(), RAY_TYPES[channel as usize], unit)
        }
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => (String::new(), "State", "boolean"),
        CurvePath::Input(..) if is_button => (String::new(), "Input", "boolean"),
        CurvePath::Input(..) => (String::new(), "Input", "normalized"),
    };
    format!(
        "\t\t\t<channel><label>{path}</label>{facts}<type>{kind}</type><unit>{unit}</unit></channel>\n"
    )
}
