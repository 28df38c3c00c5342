//! The channels of a file that become curves and markers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use inputanim::{CurvePath, Element, Joint, Joints, PoseChannel, RayChannel, Side, Space};

use super::devices;
use super::error::XdfError;
use super::file::{Stream, XdfFile};
use super::header::ChannelFormat;
use super::target::{Channel, Target};
use super::units;
use crate::shared::bone_rotations::BoneRotations;
use crate::shared::mapping::{Angles, Meaning};
use crate::shared::report::counted;
use crate::shared::suggest;
use crate::shared::units::Quantity;
use crate::shared::{Mapping, ReadOptions, Suggestion};

/// The streams that are read.
#[derive(Debug)]
pub(super) struct Plan {
    /// The streams with curves, in the order of the file.
    pub(super) streams: Vec<StreamPlan>,
    pub(super) markers: Vec<MarkerStream>,
    /// The streams of devices of the recording that this library wrote.
    pub(super) devices: Vec<usize>,
    /// Poses that have a position and no rotation, and no computed rotation.
    pub(super) without_rotation: Vec<String>,
    /// The joints whose rotations are computed from positions, for each stream and hand that has such joints.
    pub(super) rotations: Vec<(Side, BoneRotations)>,
    /// Notes about positions in other units than metres.
    pub(super) units: Vec<String>,
    /// The recording that this library wrote.
    pub(super) written: Option<WrittenRecording>,
    /// The axes of the numbers.
    pub(super) space: Space,
}

/// A recording that this library wrote to the file.
#[derive(Clone, Debug)]
pub(super) struct WrittenRecording {
    id: String,
    /// The stream of which the time of the zero is known, and its time stamp.
    pub(super) zero: (usize, f64),
    /// The duration that the header of this stream states.
    pub(super) duration: Option<f32>,
}

/// The channels of a stream that become curves.
#[derive(Debug)]
pub(super) struct StreamPlan {
    /// The index of the stream.
    pub(super) stream: usize,
    pub(super) groups: Vec<Group>,
}

/// Channels that are known or unknown together.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) part: Part,
    /// The channels in the order of the curves.
    pub(super) channels: Vec<Channel>,
    /// How the channels of x, y and z of the rotation, which are angles in radians, become a quaternion.
    pub(super) angles: Option<Angles>,
    /// The channels with confidences in the group. It is unknown while one of them is low.
    pub(super) confidences: Vec<Channel>,
}

/// Returns the curve of w of the rotation to which `path` belongs.
fn rotation_w(path: CurvePath) -> CurvePath {
    match path {
        CurvePath::Joint(side, joint, _) => CurvePath::Joint(side, joint, PoseChannel::RotationW),
        _ => CurvePath::Head(PoseChannel::RotationW),
    }
}

/// The meaning of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Pose(PoseOf),
    Position(PoseOf),
    Rotation(PoseOf),
    Gaze,
    Tracked(Side),
    Pinching(Side),
}

impl Part {
    /// Returns the hand to which a joint belongs; `None` for the head, the gaze and the states of hands.
    pub(super) fn side(self) -> Option<Side> {
        match self {
            Part::Pose(PoseOf::Joint(side, _))
            | Part::Position(PoseOf::Joint(side, _))
            | Part::Rotation(PoseOf::Joint(side, _)) => Some(side),
            _ => None,
        }
    }

    /// Returns the element that is unknown while this part is unknown; `None` for a pinch, which has no gaps of its own.
    pub(super) fn element(self) -> Option<Element> {
        match self {
            Part::Pose(of) | Part::Position(of) | Part::Rotation(of) => Some(match of {
                PoseOf::Head => Element::Head,
                PoseOf::Joint(side, joint) => Element::Joint(side, joint),
            }),
            Part::Gaze => Some(Element::Gaze),
            Part::Tracked(side) => Some(Element::Tracked(side)),
            Part::Pinching(_) => None,
        }
    }
}

/// The head or a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PoseOf {
    Head,
    Joint(Side, Joint),
}

impl PoseOf {
    fn path(self, channel: PoseChannel) -> CurvePath {
        match self {
            PoseOf::Head => CurvePath::Head(channel),
            PoseOf::Joint(side, joint) => CurvePath::Joint(side, joint, channel),
        }
    }
}

/// A stream whose samples become markers.
#[derive(Debug)]
pub(super) struct MarkerStream {
    /// The index of the stream.
    pub(super) stream: usize,
    /// The channel with the texts; all channels if `None`.
    pub(super) channel: Option<usize>,
    /// A text before each marker.
    pub(super) prefix: String,
}

impl Plan {
    /// Selects the channels that are read: those that mappings name, and those whose labels are names of curves. Fails
    /// if a mapping does not name a channel, if a curve has several channels, or if there is nothing to read.
    pub(super) fn new(file: &XdfFile<'_>, options: &ReadOptions) -> Result<Plan, XdfError> {
        let written = written(file, options.recording.as_deref())?;
        let mut targets = BTreeMap::new();
        let mut angles = BTreeMap::new();
        let mut confidences = Vec::new();
        let mut markers = mapped_markers(file, &options.mappings)?;
        let others = options.mappings.iter();
        for mapping in others.filter(|mapping| !mapping.is_of_markers()) {
            let wrong = |problem: &str| wrong_source(file, mapping, problem);
            if mapping.pose().is_some() {
                let column = format!("{}.position", mapping.column);
                return Err(wrong(&format!("expected the name of a curve or {column}")));
            }
            let is_channel = |text: &str| source(file, text).is_ok();
            let numbers = |text: &str| {
                let found = source(file, text).map_err(|problem| wrong(&problem))?;
                match file.streams[found.0].header.format {
                    ChannelFormat::String => {
                        Err(wrong("expected a stream of numbers, found texts"))
                    }
                    _ => Ok(found),
                }
            };
            for binding in mapping.bindings(is_channel) {
                let path = match binding.meaning {
                    Meaning::Time => {
                        return Err(wrong("the streams of XDF have times of their own"));
                    }
                    Meaning::Active(_) | Meaning::Profile(_) => {
                        return Err(wrong(
                            "states and profiles of devices are read from tables only",
                        ));
                    }
                    // These are not among the bindings of other mappings.
                    Meaning::Marker => continue,
                    Meaning::Confidence(element) => {
                        let (stream, index) = numbers(&binding.source)?;
                        let factor = binding.factor.unwrap_or(1.0);
                        let channel = Channel { index, factor };
                        confidences.push((mapping, element, stream, channel));
                        continue;
                    }
                    Meaning::Curve(path) | Meaning::Angle(path, _) => path,
                };
                if devices::is_of_device(path) {
                    return Err(wrong(
                        "devices are read only from the streams of inputanim, without a mapping",
                    ));
                }
                if let Some((_, count)) = binding.part {
                    return Err(wrong(&format!(
                        "expected a list of {count} channels: STREAM/CHANNEL,STREAM/CHANNEL,…"
                    )));
                }
                let (stream, index) = numbers(&binding.source)?;
                let header = &file.streams[stream].header;
                let mut factor = binding.factor.unwrap_or(1.0);
                if let Meaning::Angle(_, of) = binding.meaning {
                    let unit = of
                        .unit
                        .or(header.units.get(index).and_then(Option::as_deref));
                    let size = unit.and_then(|unit| Quantity::Angle.size(unit));
                    let size = size.ok_or_else(|| {
                        let column = &mapping.column;
                        let problem = "the unit of the angles is not known";
                        wrong(&format!("{problem}; expected {column}-deg or {column}-rad"))
                    });
                    factor *= size?;
                    angles.insert(path, of);
                }
                let target = Target {
                    stream,
                    channel: Channel { index, factor },
                    has_factor: binding.factor.is_some(),
                    is_mapped: true,
                };
                if let Meaning::Angle(CurvePath::Head(PoseChannel::RotationX), _)
                | Meaning::Angle(CurvePath::Joint(_, _, PoseChannel::RotationX), _) =
                    binding.meaning
                {
                    // Three angles become four numbers; the channel of the first one takes the fourth place.
                    targets.insert(rotation_w(path), target);
                }
                targets.insert(path, target);
            }
        }
        add_labelled(file, written.as_ref(), &mut targets)?;
        if markers.is_empty() {
            markers = marker_streams(file, written.as_ref());
        }
        add_prefixes(file, &mut markers);
        let is_device = |stream: &Stream<'_>| {
            let is_own = written
                .as_ref()
                .is_some_and(|written| is_of(stream, written));
            is_own && devices::is_device(&stream.header)
        };
        let devices = (0..file.streams.len()).filter(|&index| is_device(&file.streams[index]));
        let devices: Vec<usize> = devices.collect();
        let has_content = !targets.is_empty()
            || !devices.is_empty()
            || (written.is_some() && !markers.is_empty());
        if !has_content {
            return Err(XdfError::NothingToRead {
                suggested: suggested(file, &options.mappings),
                streams: describe(file),
            });
        }
        let stated = written
            .as_ref()
            .and_then(|written| file.streams[written.zero.0].header.written.as_ref());
        let space = options.space.or(stated.map(|stated| stated.space));
        let units = units::convert(file, &mut targets);
        let mut plan = Plan {
            streams: Vec::new(),
            markers,
            devices,
            without_rotation: Vec::new(),
            rotations: Vec::new(),
            units,
            written,
            space: space.unwrap_or_default(),
        };
        plan.group(file, &targets)?;
        plan.compute_rotations();
        for group in plan
            .streams
            .iter_mut()
            .flat_map(|stream| &mut stream.groups)
        {
            if let Part::Pose(of) | Part::Rotation(of) = group.part {
                group.angles = angles.get(&of.path(PoseChannel::RotationX)).copied();
            }
        }
        for (mapping, element, stream, channel) in confidences {
            plan.add_confidence(file, mapping, element, stream, channel)?;
        }
        Ok(plan)
    }

    /// Adds a channel with confidences to the groups whose values it rates. Fails if no group has such values, or if a group is in
    /// another stream: the samples of another stream have other times.
    fn add_confidence(
        &mut self,
        file: &XdfFile<'_>,
        mapping: &Mapping,
        element: Element,
        stream: usize,
        channel: Channel,
    ) -> Result<(), XdfError> {
        let mut is_used = false;
        for plan in &mut self.streams {
            let described = plan.groups.iter_mut().filter(|group| match element {
                Element::Tracked(side) => group.part.side() == Some(side),
                _ => group.part.element() == Some(element),
            });
            for group in described {
                if plan.stream != stream {
                    return Err(XdfError::SeveralStreams {
                        group: mapping.column.clone(),
                        first: file.label(stream),
                        second: file.label(plan.stream),
                    });
                }
                group.confidences.push(channel);
                is_used = true;
            }
        }
        if is_used {
            Ok(())
        } else {
            let problem = "it describes nothing that is read";
            Err(wrong_source(file, mapping, problem))
        }
    }

    /// Returns `true` if a mapping selects a confidence.
    pub(super) fn has_confidence(&self) -> bool {
        let mut groups = self.streams.iter().flat_map(|plan| &plan.groups);
        groups.any(|group| !group.confidences.is_empty())
    }

    /// Returns `true` if the joints of a hand are in one stream.
    pub(super) fn is_in_one_stream(&self, side: Side) -> bool {
        let of_side = |plan: &&StreamPlan| {
            let mut groups = plan.groups.iter();
            groups.any(|group| group.part.side() == Some(side))
        };
        self.streams.iter().filter(of_side).count() == 1
    }

    /// Adds a group for each pose, position, rotation, gaze and state that the channels in `targets` describe. Fails if
    /// a channel of a group is missing, or if the channels of a group are in several streams.
    fn group(
        &mut self,
        file: &XdfFile<'_>,
        targets: &BTreeMap<CurvePath, Target>,
    ) -> Result<(), XdfError> {
        let mut poses = Vec::new();
        let mut has_gaze = false;
        for &path in targets.keys() {
            match path {
                CurvePath::Head(_) => poses.push(PoseOf::Head),
                CurvePath::Joint(side, joint, _) => poses.push(PoseOf::Joint(side, joint)),
                CurvePath::Gaze(_) => has_gaze = true,
                CurvePath::Tracked(side) => {
                    self.add(file, targets, Part::Tracked(side), &[path])?
                }
                CurvePath::Pinching(side) => {
                    self.add(file, targets, Part::Pinching(side), &[path])?
                }
                // No stream of a device is read.
                CurvePath::DevicePose(..) | CurvePath::Input(..) => {}
            }
        }
        poses.dedup();
        let mut missing = Vec::new();
        let mut require = |paths: &[CurvePath]| {
            let absent = paths.iter().filter(|path| !targets.contains_key(path));
            missing.extend(absent.map(CurvePath::to_string));
        };
        let gaze = RayChannel::ALL.map(CurvePath::Gaze);
        if has_gaze {
            require(&gaze);
        }
        for pose in &poses {
            let paths = PoseChannel::ALL.map(|channel| pose.path(channel));
            let (position, rotation) = paths.split_at(3);
            require(position);
            // Many trackers record positions only. An incomplete rotation is an error.
            if rotation.iter().any(|path| targets.contains_key(path)) {
                require(rotation);
            }
        }
        if !missing.is_empty() {
            return Err(XdfError::Missing { columns: missing });
        }
        if has_gaze {
            self.add(file, targets, Part::Gaze, &gaze)?;
        }
        for pose in poses {
            let paths = PoseChannel::ALL.map(|channel| pose.path(channel));
            let (position, rotation) = paths.split_at(3);
            let stream = |path: &CurvePath| targets.get(path).map(|target| target.stream);
            match stream(&rotation[0]) {
                Some(other) if stream(&position[0]) == Some(other) => {
                    self.add(file, targets, Part::Pose(pose), &paths)?;
                }
                has_rotation => {
                    self.add(file, targets, Part::Position(pose), position)?;
                    refuse_partly_mapped(file, targets, &paths)?;
                    if has_rotation.is_some() {
                        self.add(file, targets, Part::Rotation(pose), rotation)?;
                    } else {
                        self.without_rotation
                            .push(Element::from(position[0]).to_string());
                    }
                }
            }
        }
        self.streams.sort_by_key(|plan| plan.stream);
        Ok(())
    }

    /// Selects the joints whose rotations are computed from the positions of the same stream.
    fn compute_rotations(&mut self) {
        for (stream, side) in self.streams.iter().flat_map(|stream| {
            let sides = Side::BOTH.into_iter();
            sides.map(move |side| (stream, side))
        }) {
            let mut has_position = Joints::from_fn(|_| false);
            let mut has_rotation = Joints::from_fn(|_| true);
            for group in &stream.groups {
                if let Part::Position(of) | Part::Pose(of) = group.part
                    && let PoseOf::Joint(of_side, joint) = of
                    && of_side == side
                {
                    has_position[joint] = true;
                    let name = Element::Joint(side, joint).to_string();
                    has_rotation[joint] = !self.without_rotation.contains(&name);
                }
            }
            let rotations = BoneRotations::new(side, &has_position, &has_rotation);
            if rotations.joints().next().is_some() {
                self.rotations.push((side, rotations));
            }
        }
        let computed = self.rotations.iter();
        let computed: Vec<String> = computed.flat_map(|(_, joints)| joints.names()).collect();
        self.without_rotation
            .retain(|name| !computed.contains(name));
    }

    /// Adds the channels of the curves `paths` as one group. Adds nothing if no channel is known for them. Fails if the
    /// channels are in several streams.
    fn add(
        &mut self,
        file: &XdfFile<'_>,
        targets: &BTreeMap<CurvePath, Target>,
        part: Part,
        paths: &[CurvePath],
    ) -> Result<(), XdfError> {
        let found: Vec<&Target> = paths.iter().filter_map(|path| targets.get(path)).collect();
        let Some(first) = found.first() else {
            return Ok(());
        };
        if let Some(other) = found.iter().find(|target| target.stream != first.stream) {
            return Err(XdfError::SeveralStreams {
                group: Element::from(paths[0]).to_string(),
                first: file.label(first.stream),
                second: file.label(other.stream),
            });
        }
        let group = Group {
            part,
            channels: found.iter().map(|target| target.channel).collect(),
            angles: None,
            confidences: Vec::new(),
        };
        let mut streams = self.streams.iter_mut();
        match streams.find(|plan| plan.stream == first.stream) {
            Some(plan) => plan.groups.push(group),
            None => self.streams.push(StreamPlan {
                stream: first.stream,
                groups: vec![group],
            }),
        }
        Ok(())
    }

    /// Returns `true` if curves or markers are read from the stream with the index `stream`.
    pub(super) fn uses(&self, stream: usize) -> bool {
        let mut streams = self.streams.iter();
        let mut markers = self.markers.iter();
        streams.any(|plan| plan.stream == stream)
            || markers.any(|marker| marker.stream == stream)
            || self.devices.contains(&stream)
    }

    /// Returns `true` if the file contains a selected recording that this library wrote, and all streams with curves
    /// belong to it.
    pub(super) fn is_written(&self, file: &XdfFile<'_>) -> bool {
        let mut streams = self.streams.iter();
        self.written
            .as_ref()
            .is_some_and(|written| streams.all(|plan| is_of(&file.streams[plan.stream], written)))
    }
}

/// Returns an error if mappings select channels of a pose in one stream, and labels select its other channels in
/// another stream. The position and the rotation would silently come from two sources. `paths` are the curves of the
/// pose.
fn refuse_partly_mapped(
    file: &XdfFile<'_>,
    targets: &BTreeMap<CurvePath, Target>,
    paths: &[CurvePath],
) -> Result<(), XdfError> {
    let targets: Vec<&Target> = paths.iter().filter_map(|path| targets.get(path)).collect();
    let mapped = targets.iter().find(|target| target.is_mapped);
    let labelled = |mapped: &Target| {
        let mut others = targets.iter().filter(|target| !target.is_mapped);
        others.find(|other| other.stream != mapped.stream)
    };
    match mapped.and_then(|mapped| Some((mapped, labelled(mapped)?))) {
        Some((mapped, other)) => Err(XdfError::PartlyMapped {
            pose: Element::from(paths[0]).to_string(),
            mapped: file.label(mapped.stream),
            other: file.label(other.stream),
        }),
        None => Ok(()),
    }
}

/// Returns `true` if a stream belongs to the recording `written`.
fn is_of(stream: &Stream<'_>, written: &WrittenRecording) -> bool {
    let header = stream.header.written.as_ref();
    header.is_some_and(|stream| stream.recording_id == written.id)
}

/// Returns the recording that this library wrote to the file; `name` selects one of several. Returns `None` if the file
/// contains none and `name` is `None`. Fails if there are several and `name` is `None`, or if no recording has the
/// name.
fn written(file: &XdfFile<'_>, name: Option<&str>) -> Result<Option<WrittenRecording>, XdfError> {
    let mut recordings: Vec<(String, WrittenRecording)> = Vec::new();
    for (index, stream) in file.streams.iter().enumerate() {
        let Some(written) = &stream.header.written else {
            continue;
        };
        let mut known = recordings.iter();
        if known.all(|(_, known)| known.id != written.recording_id) {
            let recording = WrittenRecording {
                id: written.recording_id.clone(),
                zero: (index, written.zero),
                duration: written.duration,
            };
            recordings.push((written.recording.clone(), recording));
        }
    }
    let names: Vec<String> = (0..recordings.len())
        .map(|index| numbered(index, |index| &recordings[index].0))
        .collect();
    let mut found = names
        .iter()
        .zip(recordings.iter().map(|(_, recording)| recording));
    match (name, recordings.len()) {
        (None, 0 | 1) => Ok(found.next().map(|(_, recording)| recording.clone())),
        (None, _) => Err(XdfError::SeveralRecordings { names }),
        (Some(name), _) => match found.find(|(known, _)| *known == name) {
            Some((_, recording)) => Ok(Some(recording.clone())),
            None => Err(XdfError::UnknownRecording {
                name: name.to_owned(),
                names,
            }),
        },
    }
}

/// Adds the channels whose labels are names of curves to `targets`. Curves that a mapping already selects stay
/// unchanged, and recordings of this library other than `written` are ignored. Fails if several channels have the label
/// of one curve.
fn add_labelled(
    file: &XdfFile<'_>,
    written: Option<&WrittenRecording>,
    targets: &mut BTreeMap<CurvePath, Target>,
) -> Result<(), XdfError> {
    for (stream, content) in file.streams.iter().enumerate() {
        let is_other = content.header.written.is_some()
            && !written.is_some_and(|written| is_of(content, written));
        if is_other || content.header.format == ChannelFormat::String {
            continue;
        }
        for (index, name) in content.header.labels.iter().enumerate() {
            let Some(Ok(path)) = name.as_ref().map(|name| name.parse::<CurvePath>()) else {
                continue;
            };
            // Labels of other programs, or of streams of devices.
            if devices::is_of_device(path) {
                continue;
            }
            let target = Target {
                stream,
                channel: Channel { index, factor: 1.0 },
                has_factor: false,
                is_mapped: false,
            };
            match targets.get(&path) {
                None => {
                    targets.insert(path, target);
                }
                Some(other) if other.is_mapped => {}
                Some(other) => {
                    return Err(XdfError::Duplicate {
                        column: path.to_string(),
                        first: file.label(other.stream),
                        second: file.label(stream),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Returns the mappings `given`, and mappings of positions and rotations that the names of channels suggest.
fn suggested(file: &XdfFile<'_>, given: &[Mapping]) -> Suggestion {
    let mut names = Vec::new();
    for stream in &file.streams {
        let header = &stream.header;
        if header.format != ChannelFormat::String && stream_named(file, &header.name).is_ok() {
            let labels = header.labels.iter().flatten();
            names.extend(labels.map(|label| format!("{}/{label}", header.name)));
        }
    }
    let mut found = suggest::poses(&names);
    for mapping in &mut found {
        let first = mapping.source.split(',').next().unwrap_or_default();
        let Ok((stream, channel)) = source(file, first) else {
            continue;
        };
        let unit = file.streams[stream].header.units.get(channel);
        let unit = unit.and_then(Option::as_deref);
        let is_radians = unit.and_then(|unit| Quantity::Angle.size(unit)) == Some(1.0);
        if let Some(rotation) = mapping.column.strip_suffix("-deg")
            && is_radians
        {
            mapping.column = format!("{rotation}-rad");
        }
    }
    let is_given = |column: &str| given.iter().any(|mapping| mapping.column == column);
    found.retain(|mapping| !is_given(&mapping.column));
    Suggestion::new(given, found)
}

/// Returns `true` for streams of markers: the content type is `Markers` or `Marker`, in any case, or the samples are texts
/// without a rate. Programs give such streams other types, such as `LSL_Marker_Strings`.
fn is_markers(stream: &Stream<'_>) -> bool {
    let header = &stream.header;
    let kind = &header.kind;
    let are_events = header.format == ChannelFormat::String && header.rate == 0.0;
    are_events || kind.eq_ignore_ascii_case("markers") || kind.eq_ignore_ascii_case("marker")
}

/// Returns the streams whose samples become markers: those of other programs, and those of the recording `written`.
fn marker_streams(file: &XdfFile<'_>, written: Option<&WrittenRecording>) -> Vec<MarkerStream> {
    let is_own = |stream: &Stream<'_>| written.is_some_and(|written| is_of(stream, written));
    // Markers of recordings that are not selected belong to them.
    let is_read = |marker: &MarkerStream| {
        let stream = &file.streams[marker.stream];
        stream.header.written.is_none() || is_own(stream)
    };
    all_markers(file).filter(is_read).collect()
}

/// Returns all streams of markers.
pub(super) fn all_markers(file: &XdfFile<'_>) -> impl Iterator<Item = MarkerStream> {
    let streams = file.streams.iter().enumerate();
    let found = streams.filter(|(_, stream)| is_markers(stream));
    found.map(|(stream, _)| MarkerStream {
        stream,
        channel: None,
        prefix: String::new(),
    })
}

/// Returns the streams of markers that mappings name. Fails if there is no such stream or channel.
pub(super) fn mapped_markers(
    file: &XdfFile<'_>,
    mappings: &[Mapping],
) -> Result<Vec<MarkerStream>, XdfError> {
    let markers = mappings.iter().filter(|mapping| mapping.is_of_markers());
    let found = markers.map(|mapping| {
        marker_source(file, mapping).map_err(|problem| wrong_source(file, mapping, &problem))
    });
    found.collect()
}

fn wrong_source(file: &XdfFile<'_>, mapping: &Mapping, problem: &str) -> XdfError {
    XdfError::Source {
        column: mapping.column.clone(),
        source_name: mapping.source.clone(),
        problem: problem.to_owned(),
        streams: describe(file),
    }
}

/// Begins the markers of other programs with the names of their streams if there are several streams of markers.
fn add_prefixes(file: &XdfFile<'_>, markers: &mut [MarkerStream]) {
    /// The largest number of letters of a name. The name is repeated in each marker.
    const NAME: usize = 64;
    let first = markers.first().map(|marker| marker.stream);
    if markers.iter().all(|marker| Some(marker.stream) == first) {
        return;
    }
    for marker in markers {
        let header = &file.streams[marker.stream].header;
        if header.written.is_none() {
            let name: String = header.name.chars().take(NAME).collect();
            marker.prefix = format!("{name}: ");
        }
    }
}

/// Returns the stream of markers that a mapping of `marker` names, with one of its channels if the mapping names one. Returns the
/// problem as text if there is no such stream or channel.
fn marker_source(file: &XdfFile<'_>, mapping: &Mapping) -> Result<MarkerStream, String> {
    let marker = |stream, channel| MarkerStream {
        stream,
        channel,
        prefix: String::new(),
    };
    if let Ok(stream) = stream_named(file, &mapping.source) {
        return Ok(marker(stream, None));
    }
    let (stream, channel) = source(file, &mapping.source)?;
    Ok(marker(stream, Some(channel)))
}

/// Finds a channel by a text `STREAM/CHANNEL`. Returns the index of the stream, and the index of the channel in it.
/// Both names may contain a `/`. Returns the problem as text if there is no such channel.
fn source(file: &XdfFile<'_>, text: &str) -> Result<(usize, usize), String> {
    let mut problem = "expected STREAM/CHANNEL".to_owned();
    for (slash, _) in text.match_indices('/') {
        let (stream, channel) = (text[..slash].trim(), text[slash + 1..].trim());
        let found = stream_named(file, stream).and_then(|stream| {
            let header = &file.streams[stream].header;
            Ok((
                stream,
                channel_named(&header.labels, header.channels, channel)?,
            ))
        });
        match found {
            Ok(found) => return Ok(found),
            Err(other) => problem = other,
        }
    }
    Err(problem)
}

/// Finds a stream by its name, or by `NAME#2` for the second stream with the name. Returns its index, or the problem as
/// text.
fn stream_named(file: &XdfFile<'_>, name: &str) -> Result<usize, String> {
    let mut named =
        (0..file.streams.len()).filter(|&index| file.streams[index].header.name == name);
    match (named.next(), named.next()) {
        (Some(only), None) => return Ok(only),
        (Some(_), Some(_)) => {
            return Err(format!(
                "several streams have the name {name}: {name}#1, {name}#2"
            ));
        }
        _ => {}
    }
    let mut all = 0..file.streams.len();
    let numbered = name.rsplit_once('#').and_then(|(name, number)| {
        let number: usize = number.parse().ok()?;
        let mut named = all
            .by_ref()
            .filter(|&index| file.streams[index].header.name == name);
        named.nth(number.checked_sub(1)?)
    });
    numbered.ok_or_else(|| format!("no stream {name:?}"))
}

/// Finds a channel by its label, or by its number from 1 on. `channels` is the number of channels. Returns the index of
/// the channel from 0 on, or the problem as text.
fn channel_named(labels: &[Option<String>], channels: u32, name: &str) -> Result<usize, String> {
    let mut labelled = (0..labels.len()).filter(|&index| labels[index].as_deref() == Some(name));
    match (labelled.next(), labelled.next()) {
        (Some(only), None) => return Ok(only),
        (Some(_), Some(_)) => {
            return Err(format!(
                "several channels have the label {name}; use the number of one"
            ));
        }
        _ => {}
    }
    let number = name
        .parse()
        .ok()
        .filter(|number| (1..=channels).contains(number));
    let number = number.ok_or_else(|| format!("no channel {name:?}"))?;
    Ok(number as usize - 1)
}

/// Returns the name at an index, with a number such as `#2` if an earlier index has the same name. `name` returns the
/// name at an index.
fn numbered<'n>(index: usize, name: impl Fn(usize) -> &'n String) -> String {
    let before = (0..index).filter(|&other| name(other) == name(index));
    match before.count() {
        0 => name(index).clone(),
        count => format!("{}#{}", name(index), count + 1),
    }
}

/// Returns a text for errors, which lists the streams with their channels, and the first damage.
pub(super) fn describe(file: &XdfFile<'_>) -> String {
    const STREAMS: usize = 20;
    const CHANNELS: usize = 12;
    let mut text = match file.streams.len() {
        0 => "The file has no streams".to_owned(),
        count => format!("The file has {}:", counted(count, "stream")),
    };
    for (index, stream) in file.streams.iter().enumerate().take(STREAMS) {
        let header = &stream.header;
        let count = counted(header.channels as usize, "channel");
        let name = file.label(index);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n  {name} ({}, {}, {count})",
            header.kind,
            header.format.name()
        );
        let mut separator = ": ";
        let channels = header.labels.iter().zip(&header.units).enumerate();
        for (number, (label, unit)) in channels.take(CHANNELS) {
            let label = label.as_deref().unwrap_or("(no label)");
            let _ = write!(text, "{separator}{} {label}", number + 1);
            if let Some(unit) = unit {
                let _ = write!(text, " [{unit}]");
            }
            separator = ", ";
        }
        if header.labels.len() > CHANNELS {
            text.push_str(", …");
        }
    }
    if file.streams.len() > STREAMS {
        let _ = write!(text, "\n  and {} more", file.streams.len() - STREAMS);
    }
    if file.damage.places > 0 {
        let _ = write!(text, "\nThe file is damaged at {}", file.damage);
    }
    text
}
