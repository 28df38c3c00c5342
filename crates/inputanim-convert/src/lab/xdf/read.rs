//! Reads a recording.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;
use inputanim::{
    About, BooleanCurve, Device, Element, Flags, FloatCurve, Keys, Layout, Limits, Marker,
    PoseCurves, ProfileChange, Recording, Side, SimpleKey, TimeRange,
};

use super::chunks::MAGIC;
use super::clock::{StreamTimes, interval};
use super::curves::{self, Change, GroupKeys, StreamKeys};
use super::devices;
use super::error::XdfError;
use super::file::{Stream, XdfFile};
use super::plan::{Group, Part, Plan, PoseOf};
use super::samples;
use crate::shared::limits::check_limit;
use crate::shared::report::{counted, listed};
use crate::shared::{Error, Format, Loss, LossKind, Note, NoteKind, ReadOptions, Report};

/// The first bytes of a compressed file.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The largest size of an unpacked file, in multiples of its compressed size. Samples of trackers shrink to a half or a tenth.
const MAX_RATIO: u64 = 100;

/// Reads a recording from the bytes of an XDF file, and returns it with the losses and notes. The [module](super)
/// describes the streams that are read.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
    let bytes = unpacked(bytes, limits)?;
    let file = XdfFile::parse(&bytes, limits)?;
    let plan = Plan::new(&file, options)?;
    if options.min_confidence.is_some() && !plan.has_confidence() {
        return Err(XdfError::NoConfidence.into());
    }
    check_keys(&file, &plan, limits)?;
    Reader::new(&file, &plan, options).read(limits)
}

/// Unpacks a file that is compressed with gzip. Other bytes are returned unchanged. Fails if the unpacked file is not
/// XDF or exceeds the limits.
pub(super) fn unpacked<'b>(bytes: &'b [u8], limits: &Limits) -> Result<Cow<'b, [u8]>, Error> {
    if !bytes.starts_with(&GZIP) {
        return Ok(Cow::Borrowed(bytes));
    }
    let limit = match limits.max_bytes {
        u64::MAX => u64::MAX,
        max => (bytes.len() as u64)
            .saturating_mul(MAX_RATIO)
            .saturating_add(64 << 20)
            .min(max),
    };
    let mut start = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes).take(MAGIC.len() as u64);
    decoder
        .read_to_end(&mut start)
        .map_err(XdfError::Compressed)?;
    // Many other files are compressed with gzip. They are not unpacked any further.
    if start != MAGIC {
        let found = String::from_utf8_lossy(&start).into_owned();
        return Err(XdfError::CompressedOther { found }.into());
    }
    // The file is unpacked twice, so that a file beyond the limit takes no memory, and others take no more than they need.
    let mut counted = MultiGzDecoder::new(bytes).take(limit.saturating_add(1));
    let size = io::copy(&mut counted, &mut io::sink()).map_err(XdfError::Compressed)?;
    check_limit(size, limit, "unpacked bytes")?;
    let mut unpacked = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let mut decoder = MultiGzDecoder::new(bytes).take(size);
    decoder
        .read_to_end(&mut unpacked)
        .map_err(XdfError::Compressed)?;
    Ok(Cow::Owned(unpacked))
}

/// Returns an error if the recording could have more keys than the limit.
fn check_keys(file: &XdfFile<'_>, plan: &Plan, limits: &Limits) -> Result<(), Error> {
    let keys = plan.streams.iter().map(|plan| {
        let channels: usize = plan.groups.iter().map(|group| group.channels.len()).sum();
        // A position without a rotation gets four more curves, and the last pose can be held until the end.
        let samples = file.streams[plan.stream].samples() as u64;
        (channels as u64 + 4).saturating_mul(samples.saturating_add(1))
    });
    let devices = plan.devices.iter().map(|&stream| {
        let stream = &file.streams[stream];
        u64::from(stream.header.channels).saturating_mul(stream.samples() as u64)
    });
    let keys = keys.chain(devices).fold(0, u64::saturating_add);
    check_limit(keys, limits.max_keys, "keys")
}

struct Reader<'f, 'a> {
    file: &'f XdfFile<'a>,
    plan: &'f Plan,
    report: Report,
    /// The time of the file that is 0 in the recording, in seconds.
    zero: f64,
    options: &'f ReadOptions,
}

impl<'f, 'a> Reader<'f, 'a> {
    fn new(file: &'f XdfFile<'a>, plan: &'f Plan, options: &'f ReadOptions) -> Reader<'f, 'a> {
        Reader {
            file,
            plan,
            report: Report::default(),
            zero: 0.0,
            options,
        }
    }

    fn read(mut self, limits: &Limits) -> Result<(Recording<'static>, Report), Error> {
        let streams = self.plan.streams.iter();
        let times: Vec<StreamTimes> = streams.map(|plan| self.times_of(plan.stream)).collect();
        self.zero = self.zero(&times);
        let damage = &self.file.damage;
        if damage.places > 0 {
            let message = format!("{} damaged, at {damage}", counted(damage.places, "chunk"));
            self.report.lose(LossKind::Damage, damage.places, message);
        }
        let instants: Vec<Vec<f32>> = self
            .plan
            .streams
            .iter()
            .zip(&times)
            .map(|(plan, times)| self.instants(plan.stream, times))
            .collect();
        let mut recording = self.curves(&instants);
        self.devices(&mut recording);
        self.hold_devices(&mut recording);
        recording.markers = self.markers(limits)?;
        recording.about = self.about();
        self.report_empty(!recording.markers.is_empty())?;
        self.notes(&times);
        Ok((recording, self.report))
    }

    /// Returns the texts about the recording in the headers of the streams that are read.
    fn about(&mut self) -> About {
        let mut about = About::default();
        let streams = self.plan.streams.iter().map(|plan| plan.stream);
        for stream in streams.chain(self.plan.devices.iter().copied()) {
            let texts = self.stream(stream).header.texts.clone();
            about.join(&texts.finish(&mut self.report));
        }
        if !self.plan.is_written(self.file) {
            about.add(About::FORMAT, Format::Xdf.name());
        }
        about
    }

    fn times_of(&self, stream: usize) -> StreamTimes {
        StreamTimes::of(self.stream(stream), self.options)
    }

    fn stream(&self, index: usize) -> &'f Stream<'a> {
        &self.file.streams[index]
    }

    /// Returns the time of the file, in seconds, that becomes 0 in the recording: the zero of a recording that this
    /// library wrote, otherwise the first sample. `times` has the times of each stream with curves.
    fn zero(&self, times: &[StreamTimes]) -> f64 {
        if let Some(written) = self
            .plan
            .written
            .as_ref()
            .filter(|_| self.plan.is_written(self.file))
        {
            let (stream, stamp) = written.zero;
            let mut known = self.plan.streams.iter().zip(times);
            // The clock of the stream corrects its zero as it corrects its samples.
            let found = known.find(|(plan, _)| plan.stream == stream);
            let corrected = match found {
                Some((_, times)) => times.correct(stamp),
                None => self.times_of(stream).correct(stamp),
            };
            if corrected.is_finite() {
                return corrected;
            }
        }
        let first = |times: &StreamTimes| {
            let mut times = times.times.iter().copied();
            times.find(|time| time.is_finite())
        };
        let firsts = times.iter().filter_map(first);
        firsts.min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// Converts the times of the samples of a stream to seconds in the recording. The time is NaN if the sample is not
    /// read, because its time is not finite or not later than the time before. Such samples are reported. `stream` is
    /// the index of the stream.
    fn instants(&mut self, stream: usize, times: &StreamTimes) -> Vec<f32> {
        let (mut late, mut unknown) = (0, 0);
        let mut last = f32::NEG_INFINITY;
        let instant = |&time: &f64| {
            let time = (time - self.zero) as f32;
            if !time.is_finite() {
                unknown += 1;
                return f32::NAN;
            }
            // The times of keys have to increase.
            if time <= last {
                late += 1;
                return f32::NAN;
            }
            last = time;
            time
        };
        let instants = times.times.iter().map(instant).collect();
        let name = self.file.label(stream);
        let samples = |count| format!("{name}: {}", counted(count, "sample"));
        let message = format!("{} not later than the sample before", samples(late));
        self.report.lose(LossKind::Order, late, message);
        let message = format!("{} with a time that is not finite", samples(unknown));
        self.report.lose(LossKind::NotFinite, unknown, message);
        instants
    }

    fn curves(&mut self, instants: &[Vec<f32>]) -> Recording<'static> {
        let is_state = |group: &&Group| matches!(group.part, Part::Tracked(_) | Part::Pinching(_));
        // States come first, because joints are read only while their hand is tracked.
        let states = self.groups(instants, &Default::default(), is_state);
        let mut tracked: [Option<Vec<Change>>; 2] = [None, None];
        let mut pinching: [Option<Vec<Change>>; 2] = [None, None];
        let mut gaps: Vec<(Element, TimeRange)> = Vec::new();
        gaps.extend(states.iter().flat_map(|keys| &keys.gaps));
        for group in states.iter().flat_map(|keys| &keys.groups) {
            match group.part {
                Part::Tracked(side) => tracked[side as usize] = Some(curves::states(group)),
                Part::Pinching(side) => pinching[side as usize] = Some(curves::states(group)),
                _ => {}
            }
        }
        let all = instants.iter().flatten().copied();
        let all = all.filter(|time| !time.is_nan());
        let start = all.clone().fold(f32::INFINITY, f32::min);
        let end = all.fold(f32::NEG_INFINITY, f32::max);
        // A recording without hands has no states that last until its end.
        let written = self.plan.written.as_ref();
        let stated = written.filter(|_| self.plan.is_written(self.file));
        let written_end = stated
            .and_then(|written| written.duration)
            .map_or(end, |duration| duration.max(end));
        let poses = self.groups(instants, &tracked, |group| !is_state(group));
        let mut known: [Vec<Vec<Change>>; 2] = Default::default();
        let mut groups = Vec::new();
        for mut keys in poses {
            keys.hold(written_end, &tracked);
            let [left, right] = keys.known;
            known[0].push(left);
            known[1].push(right);
            for (side, ranges) in Side::BOTH.into_iter().zip(keys.low) {
                // Other streams may know the hand at that time.
                if self.plan.is_in_one_stream(side) {
                    let element = Element::Tracked(side);
                    gaps.extend(ranges.into_iter().map(|range| (element, range)));
                }
            }
            gaps.extend(keys.gaps);
            groups.extend(keys.groups);
        }
        self.report_incomplete(&groups);
        let low: usize = groups.iter().map(|group| group.low_count).sum();
        let low = Note::of_low_confidences(low, self.options.min_confidence);
        self.report.notes.extend(low);
        let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::NONE);
        let mut last_key = f32::NEG_INFINITY;
        for group in groups {
            let keys = group.curves.first().and_then(|curve| curve.last());
            last_key = keys.map_or(last_key, |key| last_key.max(key.time()));
            place(&mut recording, group);
        }
        gaps.extend(self.add_rotations(&mut recording));
        let states = tracked
            .iter()
            .chain(&pinching)
            .flatten()
            .filter_map(|states| states.last());
        let last_state = states
            .map(|&(time, _)| time)
            .fold(f32::NEG_INFINITY, f32::max);
        let last_key = last_key.max(last_state);
        for ((side, tracked), (known, pinching)) in Side::BOTH
            .into_iter()
            .zip(tracked)
            .zip(known.into_iter().zip(pinching))
        {
            let tracked = tracked.unwrap_or_else(|| tracked_while_known(known, start, end));
            let first = tracked.first().map(|&(time, _)| time);
            if first.is_none() && pinching.as_ref().is_none_or(Vec::is_empty) {
                continue;
            }
            let hand = recording.hands_mut().hand_mut(side);
            let curve = |mut states: Vec<Change>| {
                // A key at the end makes the recording as long as its samples.
                let last = states.last().copied();
                if let Some((_, is_on)) = last.filter(|&(time, _)| time < end && last_key < end) {
                    states.push((end, is_on));
                }
                BooleanCurve::new(states)
            };
            // Without a stream of pinches, the pinches are unknown.
            hand.pinching = pinching.map(&curve).unwrap_or_default();
            hand.tracked = curve(tracked);
        }
        for (element, gap) in gaps {
            recording.known.add_gap(element, gap);
        }
        recording
    }

    /// Adds the devices that this library wrote.
    fn devices(&mut self, recording: &mut Recording<'static>) {
        for &index in &self.plan.devices {
            let stream = self.stream(index);
            let Some(written) = &stream.header.device else {
                continue;
            };
            let times = self.instants(index, &self.times_of(index));
            let read = devices::read(stream, written, &times, self.plan.space);
            match read.device {
                Some(device) => *recording.device_mut(written.name) = device,
                None => {
                    // No sample states anything of it.
                    *recording.device_mut(written.name) = Device::new(written.name);
                    let always = TimeRange {
                        start: f32::NEG_INFINITY,
                        end: f32::INFINITY,
                    };
                    recording
                        .known
                        .add_gap(Element::Profile(written.name), always);
                }
            }
            for (element, gaps) in read.known.iter() {
                gaps.iter()
                    .for_each(|&gap| recording.known.add_gap(element, gap));
            }
            let message = format!(
                "{}: {} with some numbers that are not finite, or with a rotation of 0",
                written.name,
                counted(read.incomplete, "pose")
            );
            self.report
                .lose(LossKind::NotFinite, read.incomplete, message);
        }
    }

    /// Repeats the last state of the first device at the end of a recording that this library wrote, if nothing else has a key there:
    /// a button has keys only where it changes.
    fn hold_devices(&self, recording: &mut Recording<'static>) {
        let written = self.plan.written.as_ref();
        let stated = written.filter(|_| self.plan.is_written(self.file));
        let Some(end) = stated.and_then(|written| written.duration) else {
            return;
        };
        if recording.duration() >= end {
            return;
        }
        let Some(device) = recording.devices.first_mut() else {
            return;
        };
        let always = ProfileChange {
            time: 0.0,
            active: true,
            profile: None,
        };
        if device.profiles.is_empty() {
            device.profiles.push(always.clone());
        }
        let last = device.profiles.last().cloned().unwrap_or(always);
        device.profiles.push(ProfileChange { time: end, ..last });
    }

    /// Reads the keys of the groups for which `is_wanted` returns `true`. `instants` has the times of the samples for
    /// each stream with curves, and `tracked` has the tracking states of both hands, if they are known.
    fn groups(
        &self,
        instants: &[Vec<f32>],
        tracked: &[Option<Vec<Change>>; 2],
        is_wanted: impl Fn(&&Group) -> bool,
    ) -> Vec<StreamKeys> {
        let streams = self.plan.streams.iter().zip(instants);
        let keys = streams.filter_map(|(plan, instants)| {
            let groups: Vec<&Group> = plan.groups.iter().filter(&is_wanted).collect();
            let stream = self.stream(plan.stream);
            let space = self.plan.space;
            (!groups.is_empty())
                .then(|| curves::keys(stream, &groups, instants, tracked, space, self.options))
        });
        keys.collect()
    }

    /// Adds a loss for each selected stream of another program that has no samples. A stream that `inputanim` wrote may
    /// have none, because its recording may be empty.
    ///
    /// # Errors
    /// Fails when nothing was read: all selected streams have no samples, and the file has no markers.
    fn report_empty(&mut self, has_markers: bool) -> Result<(), XdfError> {
        let streams = self.plan.streams.iter().map(|plan| plan.stream);
        let empty = streams.filter(|&stream| {
            let stream = self.stream(stream);
            stream.samples() == 0 && stream.header.written.is_none()
        });
        let names: Vec<String> = empty.map(|stream| self.file.label(stream)).collect();
        if !names.is_empty() && names.len() == self.plan.streams.len() && !has_markers {
            let damage = &self.file.damage;
            return Err(XdfError::NothingInStreams {
                streams: names,
                damage: (damage.places > 0).then(|| damage.to_string()),
            });
        }
        for name in names {
            let message = format!("stream {name} has no samples");
            self.report.lose(LossKind::Streams, 1, message);
        }
        Ok(())
    }

    fn report_incomplete(&mut self, groups: &[GroupKeys]) {
        let mut incomplete = groups.iter().filter(|group| group.incomplete > 0);
        let count = incomplete.clone().map(|group| group.incomplete).sum();
        let Some(first) = incomplete.next() else {
            return;
        };
        let name = match first.part {
            Part::Pose(pose) | Part::Position(pose) | Part::Rotation(pose) => match pose {
                PoseOf::Head => "head".to_owned(),
                PoseOf::Joint(side, joint) => format!("{side}.{joint}"),
            },
            _ => "gaze".to_owned(),
        };
        let others = match incomplete.count() {
            0 => String::new(),
            others => format!(" and {}", counted(others, "other")),
        };
        let message = format!(
            "{} of {name}{others} with some numbers that are not finite, or with a rotation of 0",
            counted(count, "sample")
        );
        self.report.lose(LossKind::NotFinite, count, message);
    }

    /// Adds curves of rotations to the poses that have a position and no rotation in the file, and notes about them: computed from
    /// the positions of the hand where it has enough of them, otherwise the identity. Returns the time ranges in which no rotation
    /// can be computed.
    fn add_rotations(&mut self, recording: &mut Recording<'static>) -> Vec<(Element, TimeRange)> {
        let (mut uncomputed, mut unknown) = (0, Vec::new());
        let mut computed = Vec::new();
        for (side, rotations) in &self.plan.rotations {
            computed.extend(rotations.names());
            if let Some(hands) = &mut recording.hands {
                let (count, gaps) = rotations.add_to(hands.hand_mut(*side));
                uncomputed += count;
                let gaps = gaps.into_iter();
                unknown.extend(gaps.map(|(joint, gap)| (Element::Joint(*side, joint), gap)));
            }
        }
        let note = Note::of_computed_rotations(&computed);
        self.report.notes.extend(note);
        let loss = Loss::of_uncomputed_rotations(uncomputed);
        self.report.losses.extend(loss);
        let without = &self.plan.without_rotation;
        let identity = |pose: &mut PoseCurves<'_>| {
            let times: Vec<f32> = pose.position[0]
                .keys
                .points()
                .map(|(time, _)| time)
                .collect();
            let numbers = inputanim::Pose::IDENTITY.rotation;
            for (curve, number) in pose.rotation.iter_mut().zip(numbers) {
                *curve = FloatCurve::linear(times.iter().map(|&time| (time, number)));
            }
        };
        if let Some(head) = &mut recording.head
            && without.iter().any(|name| name == "head")
        {
            identity(head);
        }
        if let Some(hands) = &mut recording.hands {
            for side in Side::BOTH {
                for (joint, pose) in hands.hand_mut(side).joints.iter_mut() {
                    if without.contains(&format!("{side}.{joint}")) {
                        identity(pose);
                    }
                }
            }
        }
        self.report
            .notes
            .extend(Note::of_missing_rotations(without));
        unknown
    }

    fn markers(&mut self, limits: &Limits) -> Result<Vec<Marker<'static>>, Error> {
        let mut markers = Vec::new();
        let mut bytes = 0;
        let (mut unknown, mut notes) = (0, Vec::new());
        for plan in &self.plan.markers {
            let stream = self.stream(plan.stream);
            check_limit(stream.samples() as u64, limits.max_markers, "markers")?;
            let times = self.times_of(plan.stream).times;
            let before = markers.len();
            let samples = stream
                .chunks
                .iter()
                .flat_map(|chunk| chunk.samples(&stream.header));
            for (sample, time) in samples.zip(times) {
                let text = text_of(stream, sample.values, plan.channel);
                // A sample of several texts is a marker if one of them is not empty.
                if text.is_empty() && stream.header.channels > 1 {
                    continue;
                }
                let time = (time - self.zero) as f32;
                if !time.is_finite() {
                    unknown += 1;
                    continue;
                }
                bytes += (plan.prefix.len() + text.len()) as u64;
                check_limit(bytes, limits.max_bytes, "bytes of markers")?;
                markers.push(Marker::new(time, format!("{}{text}", plan.prefix)));
                check_limit(markers.len() as u64, limits.max_markers, "markers")?;
            }
            if stream.header.written.is_none() {
                let count = counted(markers.len() - before, "marker");
                notes.push(format!("{count} of {}", self.file.label(plan.stream)));
            }
        }
        let message = format!(
            "{} with a time that is not finite",
            counted(unknown, "marker")
        );
        self.report.lose(LossKind::Markers, unknown, message);
        if !notes.is_empty() {
            self.report.note(NoteKind::Markers, notes.join(", "));
        }
        markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(markers)
    }

    fn notes(&mut self, times: &[StreamTimes]) {
        for message in &self.plan.units {
            self.report.note(NoteKind::Units, message.clone());
        }
        if self.zero != 0.0 {
            let message = format!(
                "t = 0 is at {} s of the clock of the file",
                rounded(self.zero)
            );
            self.report.note(NoteKind::TimeShift, message);
        }
        /// Changes that are smaller come from rounding.
        const ROUNDING: f64 = 1e-6;
        for (plan, times) in self.plan.streams.iter().zip(times) {
            let mut changes = Vec::new();
            let correction =
                times.correct(0.0).abs() + (times.correct(1.0) - times.correct(0.0) - 1.0).abs();
            if times.clocks > 0 && correction > 0.0 {
                changes.push("clock offsets applied".to_owned());
            }
            if times.clocks > 1 {
                changes.push(counted(times.clocks - 1, "clock reset"));
            }
            if times.jitter > ROUNDING {
                changes.push(format!(
                    "times made regular, which changed them by up to {:.3} ms",
                    times.jitter * 1e3
                ));
                if times.moved > 0 {
                    let interval = interval(self.stream(plan.stream));
                    changes.push(format!(
                        "{} of {} by more than the interval of {:.3} ms, as around lost samples",
                        times.moved,
                        counted(times.times.len(), "sample"),
                        interval * 1e3
                    ));
                }
            }
            if !changes.is_empty() {
                let name = self.file.label(plan.stream);
                let message = format!("{name}: {}", changes.join(", "));
                self.report.note(NoteKind::Clock, message);
            }
        }
        /// The number of streams that a note lists.
        const LISTED: usize = 10;
        let streams = self.file.streams.iter().enumerate();
        let unused = streams.filter(|(index, _)| !self.plan.uses(*index));
        let names = unused.map(|(index, stream)| {
            let label = self.file.label(index);
            format!("{label} ({})", stream.header.kind)
        });
        let mut names = names.peekable();
        if names.peek().is_some() {
            let message = format!("streams not read: {}", listed(names, LISTED));
            self.report.note(NoteKind::OtherContent, message);
        }
    }
}

/// Returns the tracking states of a hand that is tracked while one of its joints is known. Each item of `known` has the
/// states of the joints in one stream. `start` and `end` are the times of the first and the last sample of all streams.
fn tracked_while_known(known: Vec<Vec<Change>>, start: f32, end: f32) -> Vec<Change> {
    let mut tracked = curves::any_of(known);
    // The state of a stream that lasts until the end does not change after the end.
    tracked.retain(|&(time, _)| time <= end);
    // A state holds before its first change, too.
    if tracked
        .first()
        .is_some_and(|&(time, is_on)| is_on && time > start)
    {
        tracked.insert(0, (start, false));
    }
    tracked
}

/// Returns the text of a marker from the values of a sample: the text of one channel or, if `channel` is `None`, the
/// texts of all channels, joined by commas. Numbers are formatted as text.
pub(super) fn text_of(stream: &Stream<'_>, values: &[u8], channel: Option<usize>) -> String {
    let header = &stream.header;
    match (header.sample_bytes(), channel) {
        (None, Some(channel)) => samples::texts(values)
            .nth(channel)
            .unwrap_or_default()
            .into_owned(),
        (None, None) => {
            let texts = samples::texts(values).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(", ")
        }
        (Some(_), Some(channel)) => samples::number_text(header.format, values, channel),
        (Some(_), None) => {
            let channels = 0..header.channels as usize;
            let texts = channels.map(|index| samples::number_text(header.format, values, index));
            texts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Sets the curves of a pose or of the gaze in the recording to the curves of a group. Groups of states and groups
/// without keys are ignored.
fn place(recording: &mut Recording<'static>, group: GroupKeys) {
    let curve = |keys: Vec<SimpleKey>| FloatCurve {
        keys: Keys::Simple(Cow::Owned(keys)),
        ..FloatCurve::default()
    };
    if group.curves.iter().all(Vec::is_empty) {
        return;
    }
    let curves = group.curves.into_iter().map(curve);
    fn pose<'r>(
        recording: &'r mut Recording<'static>,
        pose: PoseOf,
    ) -> &'r mut PoseCurves<'static> {
        match pose {
            PoseOf::Head => recording.head_mut(),
            PoseOf::Joint(side, joint) => &mut recording.hands_mut().hand_mut(side).joints[joint],
        }
    }
    match group.part {
        Part::Pose(of) => {
            let places = pose(recording, of).iter_mut();
            places
                .zip(curves)
                .for_each(|((_, place), curve)| *place = curve);
        }
        Part::Position(of) => {
            let places = pose(recording, of).position.iter_mut();
            places.zip(curves).for_each(|(place, curve)| *place = curve);
        }
        Part::Rotation(of) => {
            let places = pose(recording, of).rotation.iter_mut();
            places.zip(curves).for_each(|(place, curve)| *place = curve);
        }
        Part::Gaze => {
            let places = recording.gaze_mut().iter_mut();
            places
                .zip(curves)
                .for_each(|((_, place), curve)| *place = curve);
        }
        Part::Tracked(_) | Part::Pinching(_) => {}
    }
}

/// Rounds a time in seconds to microseconds, for messages.
pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
