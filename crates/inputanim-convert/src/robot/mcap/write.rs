//! Writes a recording as an MCAP file.

use std::io::Write;

use inputanim::SamplerCursor;
use inputanim::{Frame, Marker, Recording};

use super::error::McapError;
use super::messages::RecordingPiece;
use super::output::Output;
use super::streams::Streams;
use super::{DEVICE_CURVES, DEVICES, RECORDING, SPACE};
use crate::robot::mcap_file::clock::Clock;
use crate::robot::mcap_file::devices::{self, DeviceCurve, DeviceMessage};
use crate::robot::mcap_file::{pieces, provenance};
use crate::shared::sampled;
use crate::shared::{Error, Report, WriteOptions};

/// Writes a recording to `output` as an MCAP file, and returns the notes. At any time, one chunk of a megabyte is in
/// memory. Fails if the recording cannot be sampled or ends after 2106, or if `output` fails.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let (sampler, times) = sampled::sampler_and_times(recording, options)?;
    let clock = Clock::new(options.start_time);
    let seconds = sampler.duration();
    // A recording that ends after 2106 is refused before anything is written.
    let (Some(start), Some(_)) = (clock.at(0.0), clock.at(seconds)) else {
        return Err(McapError::TooLate { seconds }.into());
    };
    let mut output = Output::new(output)?;
    let axes = "right-handed, +X right, +Y forward, +Z up";
    output.metadata(provenance::metadata(recording, options, axes))?;

    let is_visible = |marker: &&Marker<'static>| clock.at(marker.time).is_some();
    let mut markers: Vec<_> = sampler.markers().iter().filter(is_visible).collect();
    let hidden = sampler.markers().len() - markers.len();
    let mut topic = output.topic::<RecordingPiece>(RECORDING)?;
    let mut streams = Streams::of(recording, &sampler, !markers.is_empty(), &mut output)?;
    // Messages are in order of time, and the recording is at 0.
    let early = markers.partition_point(|marker| marker.time < 0.0);
    let mut later = markers.split_off(early).into_iter().peekable();
    for marker in markers {
        streams.marker(marker, clock, &mut output)?;
    }
    let layout = recording.layout.to_string();
    pieces::write(recording, |piece| {
        let piece = RecordingPiece {
            offset: piece.offset,
            size: piece.size,
            layout: layout.clone(),
            data: piece.data.clone(),
        };
        output.write(&mut topic, start, &piece)
    })?;
    if !recording.devices.is_empty() {
        let mut topic = output.topic::<DeviceMessage>(DEVICES)?;
        let mut curves = output.topic::<DeviceCurve>(DEVICE_CURVES)?;
        for device in &recording.devices {
            output.write(&mut topic, start, &devices::message(device))?;
            for (path, curve) in device.curves() {
                for message in devices::curves(path, curve) {
                    output.write(&mut curves, start, &message)?;
                }
            }
        }
    }
    // The recording gets chunks of its own, so that it stays intact if the rest is truncated or damaged.
    output.end_chunk()?;

    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    for time in times {
        while let Some(marker) = later.next_if(|marker| marker.time <= time) {
            streams.marker(marker, clock, &mut output)?;
        }
        sampler.read(time, &mut cursor, &mut frame);
        if let Some(moment) = clock.at(time) {
            streams.frame(&SPACE.frame(frame.clone()), moment, &mut output)?;
        }
    }
    // Markers may be later than the last frame.
    for marker in later {
        streams.marker(marker, clock, &mut output)?;
    }
    output.finish()?;
    let mut report = Report::default();
    provenance::note_sampling(&mut report, options);
    provenance::note_hidden_markers(&mut report, hidden);
    Ok(report)
}
