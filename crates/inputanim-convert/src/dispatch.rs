//! Conversion between recordings and the bytes of a format: the only file that knows all families of formats.

use std::borrow::Cow;
use std::io::{self, Write};

use inputanim::{DeviceName, Element, InvalidHaptic, ParseErrorKind, Recording, Stream};

use crate::detect::unread::UnreadFormat;
use crate::shared::controller::derive_palms;
use crate::shared::format::{Family, UnknownValues};
use crate::shared::layout::in_layout;
use crate::shared::report::counted;
use crate::shared::{
    Error, Format, Loss, LossKind, Note, NoteKind, ReadOptions, Report, WriteOptions,
};
use crate::{lab, lossless, robot, scene, table};

/// Writes a recording in a format, and returns a report of losses and notes.
///
/// Wrap `output` in a buffered writer unless it is memory.
///
/// # Errors
/// Fails when the format can only be read, the build lacks it, it is a [dataset](Format::is_dataset), a curve of the
/// recording cannot be evaluated, the format cannot represent the recording, or `output` fails.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::{Format, WriteOptions, write};
/// let recording = Recording::new(Layout::Mrtk1_1);
/// let mut text = Vec::new();
/// write(Format::Json, &recording, &WriteOptions::default(), &mut text)?;
/// assert!(text.starts_with(b"{\n  \"format\": \"inputanim-json\""));
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    // The writer of Parquet requires `Send`.
    output: impl Write + Send,
) -> Result<Report, Error> {
    if !format.can_write() {
        return Err(Error::NotWritable(format));
    }
    if format.is_dataset() {
        return Err(Error::Dataset(format));
    }
    let (recording, invalid) = with_valid_pulses(recording);
    let recording = &*recording;
    let held = match format.unknown_values() {
        UnknownValues::Stated => Cow::Borrowed(recording),
        UnknownValues::Poses => recording.with_untracked_gaps(),
        UnknownValues::Held => recording.with_held_gaps(),
    };
    let unknown = match held {
        Cow::Borrowed(_) => Vec::new(),
        Cow::Owned(_) => recording.unknown_times(),
    };
    let devices = if format.may_have_devices() {
        Vec::new()
    } else {
        recording.device_losses()
    };
    let held = if format.may_have_devices() {
        with_devices(held, recording)
    } else if held.devices.is_empty() {
        held
    } else {
        let mut without = held.into_owned();
        without.devices.clear();
        Cow::Owned(without)
    };
    let states_poses = format.unknown_values() == UnknownValues::Poses;
    let recording = &*held;
    let mut report = match format.family() {
        Family::Lossless => lossless::write(format, recording, options, output),
        Family::Table => table::write(format, recording, options, output),
        Family::Scene => scene::write(format, recording, options, output),
        Family::Lab => lab::write(format, recording, options, output),
        Family::Robot => robot::write(format, recording, options, output),
    }?;
    let lost_texts = Note::of_lost_texts(format, &recording.about);
    report.notes.extend(lost_texts);
    report.losses.extend(devices.iter().map(Loss::of_device));
    for (device, count, error) in invalid {
        let pulses = counted(count, "haptic pulse");
        let message = format!("{pulses} of {device}: {error}");
        report.lose(LossKind::Damage, count, message);
    }
    report.notes.extend(Note::of_lost_devices(&report.losses));
    // A device keeps its gaps, or is lost as a whole.
    for time in unknown
        .into_iter()
        .filter(|time| !matches!(time.stream, Stream::Device(_)))
    {
        if let Stream::Tracked(_) = time.stream {
            // The format can say this much, so it is no loss.
            let message = format!("{time}; it is not tracked there");
            report.note(NoteKind::Unknown, message);
        } else if !states_poses {
            let message = format!("{time}; the last value is held there");
            report.lose(LossKind::Unknown, 1, message);
        }
    }
    Ok(report)
}

/// Returns a recording whose haptic pulses are all valid, and for each device with others their number and the error of the first.
/// No reader accepts them, and no recorder records them.
fn with_valid_pulses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> (
    Cow<'r, Recording<'a>>,
    Vec<(DeviceName, usize, InvalidHaptic)>,
) {
    let invalid = recording.devices.iter().filter_map(|device| {
        let mut errors = device
            .haptics
            .iter()
            .filter_map(|pulse| pulse.check().err());
        let first = errors.next()?;
        Some((device.name, 1 + errors.count(), first))
    });
    let invalid: Vec<_> = invalid.collect();
    if invalid.is_empty() {
        return (Cow::Borrowed(recording), invalid);
    }
    let mut valid = recording.clone();
    for device in &mut valid.devices {
        device.haptics.retain(|pulse| pulse.check().is_ok());
    }
    (Cow::Owned(valid), invalid)
}

/// Returns a recording with the devices of another one and their gaps, because a recording whose gaps were filled with held values
/// has no devices.
fn with_devices<'r, 'a>(
    held: Cow<'r, Recording<'a>>,
    recording: &Recording<'a>,
) -> Cow<'r, Recording<'a>> {
    if held.devices.len() == recording.devices.len() {
        return held;
    }
    let mut with = held.into_owned();
    with.devices.clone_from(&recording.devices);
    for (element, gaps) in recording.known.iter() {
        if let Element::Profile(_) | Element::DevicePose(..) | Element::Input(..) = element {
            for &gap in gaps {
                with.known.add_gap(element, gap);
            }
        }
    }
    Cow::Owned(with)
}

/// Reads a recording in a format, and returns it with a report of losses and notes.
///
/// # Errors
/// Fails when the format can only be written, the build lacks it, or the bytes are not of the format or
/// exceed the limits.
///
/// ```
/// use inputanim_convert::{Format, ReadOptions, read};
/// let text = b"time_s,left.pinching\n0,0\n0.5,1\n";
/// let (recording, _) = read(Format::Csv, text, &ReadOptions::default())?;
/// assert_eq!(recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    let pack = match format {
        Format::Mcap | Format::Isaac => UnreadFormat::of_pack(bytes),
        _ => None,
    };
    let read = if let Some(pack) = pack {
        Err(Error::Unread(pack))
    } else if format.can_read() {
        match format.family() {
            Family::Lossless => lossless::read(format, bytes, options),
            Family::Table => table::read(format, bytes, options),
            Family::Scene => scene::read(format, bytes, options),
            Family::Lab => lab::read(format, bytes, options),
            Family::Robot => robot::read(format, bytes, options),
        }
    } else {
        Err(Error::NotReadable(format))
    };
    // Mappings state what the columns are, so that the error about them says more.
    let named = |error| {
        if options.mappings.is_empty() {
            explained(error, format, bytes)
        } else {
            error
        }
    };
    let (mut recording, mut report) = read.map_err(named)?;
    if options.palms_from_controllers {
        derive_palms(&mut recording, &mut report)?;
    }
    note_unknown(&recording, &mut report);
    Ok((recording, report))
}

/// Returns the error of the reader of `format` that refused bytes, or [`Error::Unread`] if they are of a known kind that is not
/// read.
pub(crate) fn explained(error: Error, format: Format, bytes: &[u8]) -> Error {
    let is_of_content = match &error {
        Error::Format(_) | Error::NotReadable(_) => true,
        Error::Parse(error) => matches!(error.kind(), ParseErrorKind::NotInputAnimation { .. }),
        _ => false,
    };
    // Content of no known format counts as one of these formats, so that their errors say little.
    let is_assumed = matches!(format, Format::Bin | Format::Json);
    match UnreadFormat::detect(bytes) {
        Some(kind) if is_of_content && (is_assumed || !kind.is_general()) => Error::Unread(kind),
        _ => error,
    }
}

/// Notes at which times values of a recording are unknown, instead of earlier notes of this kind.
pub(crate) fn note_unknown(recording: &Recording<'_>, report: &mut Report) {
    report.notes.retain(|note| note.kind != NoteKind::Unknown);
    for time in recording.unknown_times() {
        report.note(NoteKind::Unknown, time.to_string());
    }
}

/// Reads a recording in a format, and drops the content that its own layout cannot represent, such as the tangents of a
/// glTF file. [`Parts`](inputanim::Parts) of the recording stay. Returns it with a report of losses and notes.
///
/// # Errors
/// Returns the errors of [`read`].
///
/// ```
/// use inputanim_convert::{Format, ReadOptions, read_in_layout};
/// let text = b"time_s,left.pinching\n0,0\n0.5,1\n";
/// let (recording, _) = read_in_layout(Format::Csv, text, &ReadOptions::default())?;
/// assert!(recording.layout_losses(recording.layout).is_empty());
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read_in_layout<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    let (recording, mut report) = read(format, bytes, options)?;
    let lossy = WriteOptions {
        allow_loss: true,
        ..WriteOptions::default()
    };
    let (in_layout, losses) = in_layout(&recording, &lossy)?;
    let in_layout = in_layout.into_owned();
    report.extend(losses);
    Ok((in_layout, report))
}

/// Writes a recording in a format into memory, and returns the bytes with a report of losses and notes. The size is at
/// most [`Limits::max_sample_bytes`](inputanim::Limits::max_sample_bytes) of the options.
///
/// # Errors
/// Returns [`Error::Limit`] if the result would be larger, and the errors of [`write()`].
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::{Format, WriteOptions, write_bytes};
/// let recording = Recording::new(Layout::Mrtk1_1);
/// let (json, report) = write_bytes(Format::Json, &recording, &WriteOptions::default())?;
/// assert!(json.starts_with(b"{") && report.losses.is_empty());
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn write_bytes(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let max_bytes = options.limits.max_sample_bytes;
    let mut output = Limited {
        bytes: Vec::new(),
        max_bytes,
        is_exceeded: false,
    };
    let result = write(format, recording, options, &mut output);
    if output.is_exceeded {
        return Err(Error::Limit {
            limit: max_bytes,
            unit: "bytes of output",
        });
    }
    Ok((output.bytes, result?))
}

/// Bytes in memory up to a limit.
struct Limited {
    bytes: Vec<u8>,
    max_bytes: u64,
    is_exceeded: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.bytes.len() as u64 + bytes.len() as u64;
        if size > self.max_bytes {
            self.is_exceeded = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{Layout, Pose};

    use super::*;

    #[test]
    fn output_beyond_the_limit_is_refused() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(1.0, &Pose::IDENTITY);
        let of_limit = |limit| {
            let mut options = WriteOptions::default();
            options.limits.max_sample_bytes = limit;
            write_bytes(Format::Bin, &recording, &options)
        };
        let (bytes, _) = of_limit(u64::MAX).unwrap();
        let size = bytes.len() as u64;
        assert_eq!(of_limit(size).unwrap().0, bytes);
        let error = of_limit(size - 1).unwrap_err();
        assert!(
            matches!(error, Error::Limit { limit, .. } if limit == size - 1),
            "{error}"
        );
    }
}
