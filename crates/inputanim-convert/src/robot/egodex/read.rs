//! Reads an episode.

use std::collections::{BTreeMap, HashMap};

use glam::DQuat;
use inputanim::{
    About, Element, Frame, Joint, Joints, Known, Layout, Pauses, Pose, PoseChannel, Recorder,
    Recording, Side,
};

use super::axes::{self, JointAxes};
use super::camera;
use super::curves::curves;
use super::description::{DESCRIBING, about, description};
use super::hdf5::{Attributes, Dataset, File, Floats, Hdf5Error, Link, MAX_ATTRIBUTES, Object};
use super::matrix::pose;
use super::{DEFAULT_MIN_CONFIDENCE, EgoDexError, FRAME_RATE, joints};
use crate::shared::limits::check_limit;
use crate::shared::limits::unpacked_limit;
use crate::shared::palm::palm;
use crate::shared::pauses::gaps_of_stream;
use crate::shared::report::{counted, listed};
use crate::shared::{Error, LossKind, NoteKind, ReadOptions, Report};

const CAMERA: &str = "camera";
const INTRINSIC: &str = "intrinsic";
const TRANSFORMS: &str = "transforms";
const CONFIDENCES: &str = "confidences";

/// The number of names that an error lists.
const LISTED: usize = 8;

/// The number of bytes of a name that an error contains.
const MAX_NAME: usize = 40;

/// The number of joints that a note lists.
const LISTED_JOINTS: usize = 3;

/// Keys of a pose.
const POSE: u64 = PoseChannel::ALL.len() as u64;

/// The poses that are computed: two palms.
const PALMS: u64 = 2;

/// Reads an episode of EgoDex from the bytes of an HDF5 file. Returns a recording in the layout `mrtk-1.1`, with the
/// losses and notes.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    let size = bytes.len() as u64;
    check_limit(size, limits.max_bytes, "bytes")?;
    let least = options.min_confidence.unwrap_or(DEFAULT_MIN_CONFIDENCE);
    if !ReadOptions::MIN_CONFIDENCES.contains(&least) {
        return Err(EgoDexError::Confidence(least).into());
    }
    let file = File::open(bytes, unpacked_limit(size, limits)).map_err(in_file("the header"))?;
    let read = read_file(&file, least, options);
    match (read, file.cut_off()) {
        (Ok((recording, mut report)), Some(cut)) => {
            report.lose(LossKind::Damage, 1, cut.to_string());
            Ok((recording, report))
        }
        // The end of the file is the cause of other errors.
        (Err(Error::Format(_)), Some(cut)) => Err(in_file("the header")(cut)),
        (read, _) => read,
    }
}

fn read_file(
    file: &File<'_>,
    least: f32,
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let root = file.root().map_err(in_file("/"))?;
    let members = root.links().map_err(in_file("/"))?;
    let transforms = Group::open(file, &members, TRANSFORMS)?;
    let Some(transforms) = transforms else {
        return Err(other(&members, "/"));
    };
    let mut damages = Damages::default();
    let confidences = Group::open(file, &members, CONFIDENCES);
    let confidences = confidences.unwrap_or_else(|error| {
        damages.lose_group("/confidences", &error);
        None
    });
    // The shapes of all datasets are checked before the first one is read.
    let camera = transforms.poses(CAMERA);
    let hands = Side::BOTH.map(|side| OpenHand::open(side, &transforms, confidences.as_ref()));
    let joints = hands.iter().flat_map(|hand| &hand.joints);
    let datasets = camera.iter().chain(joints.map(|(_, found)| found));
    let datasets: Vec<&Found<'_, '_>> = datasets.collect();
    if datasets.is_empty() {
        return Err(other(&transforms.links, "/transforms"));
    }
    let length = Length::of(&datasets, options.limits.max_keys)?;
    let frames = length.frames;
    let others = transforms.links.len() - datasets.len();
    let mut report = Report::default();
    let head = camera.map(|camera| Track::read(camera, length, &mut damages));
    let intrinsic = intrinsic(file, &members, &mut damages);
    let hands = hands.map(|hand| hand.read(least, length, &mut damages, &mut report));
    let tracks = hands.iter().flat_map(|hand| hand.tracks.iter());
    let is_known = |track: &Track| track.poses.iter().any(Option::is_some);
    if !head
        .iter()
        .chain(tracks.map(|(_, track)| track))
        .any(is_known)
        && let Some(error) = damages.first.take()
    {
        return Err(error);
    }
    let text = root.attributes(&DESCRIBING).unwrap_or_else(|error| {
        damages.lose_group("the attributes", &in_file("/")(error));
        Attributes::default()
    });
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    if let Some(text) = description(&text.all) {
        let marked = recorder.mark(0.0, text);
        marked.map_err(|source| EgoDexError::Record { frame: 0, source })?;
    }
    let times = (0..frames).map(|frame| (frame as f64 / FRAME_RATE) as f32);
    let times: Vec<f32> = times.collect();
    let mut state = Frame::default();
    for (frame, &time) in times.iter().enumerate() {
        state.time = time;
        for hand in &hands {
            let states = state.hand_mut(hand.side);
            (states.tracked, states.pinch_unknown) = (hand.is_tracked(frame), true);
        }
        // The recorder gets the states. A pose tells it that a curve has a key at this time.
        let has_head = head.as_ref().is_some_and(|head| head.pose(frame).is_some());
        let has_key = has_head || state.left.tracked || state.right.tracked;
        state.head = has_key.then_some(Pose::IDENTITY);
        let refused = |source| EgoDexError::Record { frame, source };
        recorder.push(&state).map_err(refused)?;
    }
    let mut recording = recorder.finish();
    recording.head = None;
    // The recorder got other poses than those of the file.
    recording.known = Known::default();
    if let Some(head) = &head {
        let samples = head.poses.iter().map(Option::is_some);
        let samples = times.iter().copied().zip(samples);
        for gap in gaps_of_stream(samples, Pauses::None) {
            recording.known.add_gap(Element::Head, gap);
        }
        let unknown = (0..frames).filter(|&frame| head.is_invalid(frame));
        lose(
            LossKind::Head,
            "head:",
            unknown.count(),
            frames,
            &mut report,
        );
        let curves = curves(&times, head.poses.iter().copied(), axes::HEAD);
        recording.head = Some(curves).filter(|curves| !curves.is_empty());
    }
    for mut hand in hands {
        hand.add_palm();
        let what = format!("{} hand: joints", hand.side);
        let unknown = (0..frames).filter(|&frame| hand.lacks_joint(frame));
        lose(
            LossKind::Joints,
            &what,
            unknown.count(),
            frames,
            &mut report,
        );
        hand.write(&times, &mut recording);
    }
    recording.about = about(&text.all);
    // Without its poses, the camera maps nothing.
    if let Some(intrinsic) = intrinsic.filter(|_| recording.head.is_some()) {
        recording.about.set(About::CAMERA_INTRINSIC, &intrinsic);
    }
    damages.report(&mut report);
    notes(head.is_some(), others as u64, &mut report);
    let values = text.all.iter().filter(|attribute| attribute.text.is_none());
    let unread = text.ignored + values.count() as u64;
    if unread > 0 {
        let attributes = counted(unread as usize, "attribute");
        let message = format!(
            "not read: {attributes}; the first {MAX_ATTRIBUTES} texts and integers are read"
        );
        report.note(NoteKind::OtherContent, message);
    }
    Ok((recording, report))
}

/// Returns the intrinsics of the camera as text; `None` if the file has none. Damage costs only the intrinsics.
fn intrinsic<'a>(file: &File<'a>, members: &[Link<'a>], damages: &mut Damages) -> Option<String> {
    const ROW: u64 = 3;
    let group = Group::open(file, members, CAMERA);
    let group = group.unwrap_or_else(|error| {
        damages.lose_group("/camera", &error);
        None
    })?;
    let Found { path, dataset } = group.dataset(INTRINSIC, &[ROW])?;
    let floats = match dataset.and_then(|dataset| dataset.read().map_err(in_file(&path))) {
        Ok(floats) => floats,
        Err(error) => {
            damages.lose_group(&path, &error);
            return None;
        }
    };
    let found = floats
        .groups()
        .next()
        .and_then(|matrix| camera::intrinsic(&matrix));
    if found.is_none() {
        let message = format!("{path} not read: not the intrinsics of a camera");
        damages.all.push((1, message));
    }
    found
}

/// Returns a function that adds the path of an object to an error.
fn in_file(path: &str) -> impl Fn(Hdf5Error) -> Error {
    move |source| {
        let path = path.to_owned();
        EgoDexError::Hdf5 { path, source }.into()
    }
}

/// Returns the error for an HDF5 file that is not an episode. It lists the names in the group `path`.
fn other(links: &[Link<'_>], path: &str) -> Error {
    let names = links.iter();
    let names =
        names.map(|link| String::from_utf8_lossy(&link.name[..link.name.len().min(MAX_NAME)]));
    let found = match links {
        [] => format!("nothing in {path}"),
        _ => format!("{} in {path}", listed(names, LISTED)),
    };
    EgoDexError::Other { found }.into()
}

/// A group of the root.
struct Group<'f, 'a> {
    file: &'f File<'a>,
    path: &'static str,
    links: Vec<Link<'a>>,
    addresses: HashMap<&'a [u8], u64>,
}

impl<'f, 'a> Group<'f, 'a> {
    fn open(
        file: &'f File<'a>,
        members: &[Link<'a>],
        path: &'static str,
    ) -> Result<Option<Group<'f, 'a>>, Error> {
        let mut members = members.iter();
        let Some(found) = members.find(|link| link.name == path.as_bytes()) else {
            return Ok(None);
        };
        let full_path = format!("/{path}");
        let in_group = in_file(&full_path);
        let group: Object<'_, 'a> = file.object(found.address).map_err(&in_group)?;
        let links = group.links().map_err(&in_group)?;
        let addresses = links.iter().map(|link| (link.name, link.address)).collect();
        Ok(Some(Group {
            file,
            path,
            links,
            addresses,
        }))
    }

    /// Opens the dataset with a name, whose shape without the first number is `each`. Returns `None` if the group has no such
    /// dataset. A dataset that cannot be opened, or has another shape, is damaged.
    fn dataset(&self, name: &str, each: &[u64]) -> Option<Found<'f, 'a>> {
        let &address = self.addresses.get(name.as_bytes())?;
        let path = format!("/{}/{name}", self.path);
        let opened = self
            .file
            .object(address)
            .and_then(|object| object.dataset());
        let dataset = match opened {
            Ok(Some(dataset)) => match dataset.shape().split_first() {
                Some((_, rest)) if rest == each => Ok(dataset),
                _ => Err(EgoDexError::Shape {
                    path: path.clone(),
                    expected: shape_of("N", each),
                    found: dataset.shape().to_vec(),
                }
                .into()),
            },
            // A group.
            Ok(None) => return None,
            Err(error) => Err(in_file(&path)(error)),
        };
        Some(Found { path, dataset })
    }

    /// Opens a dataset of a matrix of 4 × 4 numbers for each frame.
    fn poses(&self, name: &str) -> Option<Found<'f, 'a>> {
        self.dataset(name, &[4, 4])
    }
}

/// Returns a shape as text: `[N, 4, 4]`.
fn shape_of(first: impl std::fmt::Display, each: &[u64]) -> String {
    let each = each.iter().map(|size| format!(", {size}"));
    format!("[{first}{}]", each.collect::<String>())
}

/// A dataset, or the reason why it cannot be opened.
struct Found<'f, 'a> {
    path: String,
    dataset: Result<Dataset<'f, 'a>, Error>,
}

impl<'a> Found<'_, 'a> {
    /// Reads the dataset of an episode. `each` is the shape without the first number. Returns the numbers, and
    /// for each frame `true` if its numbers are lost. Returns `None` if all numbers are lost. Adds damage to `damages`, and what
    /// happens to the frames as `effect`.
    fn read(
        self,
        length: Length,
        each: &[u64],
        effect: &str,
        damages: &mut Damages,
    ) -> Option<(Floats<'a>, Vec<bool>)> {
        let Found { path, dataset } = self;
        let dataset = match dataset {
            Ok(dataset) => dataset,
            Err(error) => {
                damages.add(path, length.stated, length, effect, error);
                return None;
            }
        };
        let mut floats = match dataset.read() {
            Ok(floats) => floats,
            Err(error) => {
                let error = in_file(&path)(error);
                damages.add(path, length.stated, length, effect, error);
                return None;
            }
        };
        let complete = floats.len() / each.iter().product::<u64>().max(1);
        let frames = length.frames;
        let mut is_lost = vec![false; frames];
        let complete = usize::try_from(complete).unwrap_or(usize::MAX).min(frames);
        is_lost[complete..].fill(true);
        let stated = dataset.shape().first().copied().unwrap_or(0);
        let damage = floats.take_damage();
        let error = match damage {
            Some(damage) => {
                for (is_lost, of_damage) in is_lost.iter_mut().zip(damage.is_lost) {
                    *is_lost |= of_damage;
                }
                Some(in_file(&path)(damage.error))
            }
            None if stated != length.stated => Some(
                EgoDexError::Shape {
                    path: path.clone(),
                    expected: shape_of(length.stated, each),
                    found: dataset.shape().to_vec(),
                }
                .into(),
            ),
            None => None,
        };
        let lost = is_lost.iter().filter(|is_lost| **is_lost).count();
        if let Some(error) = error {
            // The frames after the end of all data are lost too.
            let after = length.stated.saturating_sub(frames as u64);
            damages.add(path, lost as u64 + after, length, effect, error);
        }
        (lost < frames).then_some((floats, is_lost))
    }
}

/// The number of frames of an episode.
#[derive(Clone, Copy)]
struct Length {
    /// The number that most datasets of poses state, and the larger one of two.
    stated: u64,
    /// The number of frames for which the file may have data: at most the stated number.
    frames: usize,
}

impl Length {
    /// Fails if there are no frames, or if all poses together exceed the limit of keys.
    fn of(datasets: &[&Found<'_, '_>], max_keys: u64) -> Result<Length, Error> {
        let opened = datasets
            .iter()
            .filter_map(|found| found.dataset.as_ref().ok());
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        let mut available = 0;
        for dataset in opened {
            let frames = dataset.shape().first().copied().unwrap_or(0);
            *counts.entry(frames).or_default() += 1;
            available = available.max(dataset.max_elements() / MATRIX);
        }
        // Of equal counts, the last one is returned.
        let most = counts.iter().max_by_key(|(_, count)| **count);
        // If no dataset can be opened, the reader returns the first error.
        let stated = most.map_or(1, |(&frames, _)| frames);
        if stated == 0 {
            let path = datasets.first().map(|found| found.path.clone());
            let path = path.unwrap_or_default();
            return Err(EgoDexError::Empty { path }.into());
        }
        let keys = stated
            .saturating_mul(POSE)
            .saturating_mul(datasets.len() as u64 + PALMS);
        check_limit(keys, max_keys, "keys")?;
        let frames = usize::try_from(stated.min(available.max(1)));
        let too_many = Error::Limit {
            limit: max_keys,
            unit: "keys",
        };
        Ok(Length {
            stated,
            frames: frames.map_err(|_| too_many)?,
        })
    }
}

/// The numbers of a matrix.
const MATRIX: u64 = 16;

/// The damage of datasets.
#[derive(Default)]
struct Damages {
    /// The first error of a dataset of poses.
    first: Option<Error>,
    /// The number of frames that each damage costs, and its description.
    all: Vec<(u64, String)>,
}

impl Damages {
    /// Adds the damage of a dataset: in `lost` frames, its numbers are unknown, so that `effect`.
    fn add(&mut self, path: String, lost: u64, length: Length, effect: &str, error: Error) {
        let cause = match std::error::Error::source(&error) {
            Some(cause) => cause.to_string(),
            None => error.to_string(),
        };
        // The message about a shape begins with the path.
        let cause = cause.strip_prefix(&format!("{path}: ")).unwrap_or(&cause);
        let message = match lost {
            0 => format!("{path}: frames beyond the length of most datasets dropped: {cause}"),
            _ => format!(
                "{path}: {effect} in {lost} of {}: {cause}",
                counted(size(length.stated), "frame")
            ),
        };
        self.all.push((lost.max(1), message));
        self.first.get_or_insert(error);
    }

    /// Adds the damage of a part of the file that is not read.
    fn lose_group(&mut self, what: &str, error: &Error) {
        let cause = std::error::Error::source(error);
        let cause = cause.map_or_else(|| error.to_string(), ToString::to_string);
        self.all.push((1, format!("{what} not read: {cause}")));
    }

    /// Adds the losses to the report: one for each dataset, or one for all if there are many.
    fn report(self, report: &mut Report) {
        if self.all.len() <= LISTED {
            for (count, message) in self.all {
                report.lose(LossKind::Damage, size(count), message);
            }
            return;
        }
        let count = self.all.iter().map(|(count, _)| size(*count));
        let count = count.fold(0, usize::saturating_add);
        let paths = self.all.iter().map(|(_, message)| {
            let path = message.split_once(':');
            path.map_or(&**message, |(path, _)| path)
        });
        let first = self.all.first().map_or("", |(_, message)| message);
        let all = counted(self.all.len(), "dataset");
        let message = format!(
            "{all} damaged: {}; the first: {first}",
            listed(paths, LISTED)
        );
        report.lose(LossKind::Damage, count, message);
    }
}

/// Returns a number for a message.
fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The pose of a joint or of the camera in each frame, in right-handed axes.
#[derive(Default)]
struct Track {
    /// `None` if the pose is unknown. Empty if the file has no dataset of the joint.
    poses: Vec<Option<Pose>>,
    /// `true` if the matrix is lost, or if its confidence is too low.
    is_lost: Vec<bool>,
}

impl Track {
    /// Reads a dataset of matrices. A pose is unknown if its matrix is lost, or is not a rotation and a position.
    fn read(found: Found<'_, '_>, length: Length, damages: &mut Damages) -> Track {
        let mut poses = vec![None; length.frames];
        let Some((floats, is_lost)) = found.read(length, &[4, 4], "unknown", damages) else {
            let is_lost = vec![true; length.frames];
            return Track { poses, is_lost };
        };
        let matrices = floats.groups().zip(&is_lost);
        for (slot, (matrix, is_lost)) in poses.iter_mut().zip(matrices) {
            if !is_lost {
                *slot = pose(&matrix);
            }
        }
        Track { poses, is_lost }
    }

    fn pose(&self, frame: usize) -> Option<Pose> {
        self.poses.get(frame).copied().flatten()
    }

    /// Makes the pose in a frame unknown. Returns `true` if it was known.
    fn forget(&mut self, frame: usize) -> bool {
        if let Some(is_lost) = self.is_lost.get_mut(frame) {
            *is_lost = true;
        }
        self.poses.get_mut(frame).and_then(Option::take).is_some()
    }

    /// Returns `true` if the file has a matrix for a frame, and it is not a rotation and a position.
    fn is_invalid(&self, frame: usize) -> bool {
        self.pose(frame).is_none() && self.is_lost.get(frame) == Some(&false)
    }
}

/// The datasets of a hand.
struct OpenHand<'f, 'a> {
    side: Side,
    joints: Vec<(Joint, Found<'f, 'a>)>,
    missing: Vec<String>,
    confidence: Option<Found<'f, 'a>>,
    /// The confidences of the other joints.
    others: Vec<(Joint, Found<'f, 'a>)>,
}

impl<'f, 'a> OpenHand<'f, 'a> {
    fn open(
        side: Side,
        transforms: &Group<'f, 'a>,
        confidences: Option<&Group<'f, 'a>>,
    ) -> OpenHand<'f, 'a> {
        let mut hand = OpenHand {
            side,
            joints: Vec::new(),
            missing: Vec::new(),
            confidence: None,
            others: Vec::new(),
        };
        for (joint, name) in joints::names(side) {
            match transforms.poses(&name) {
                Some(found) => hand.joints.push((joint, found)),
                None => hand.missing.push(name),
            }
        }
        let wrist = joints::names(side).next().map(|(_, name)| name);
        if let (Some(group), Some(wrist), false) = (confidences, wrist, hand.joints.is_empty()) {
            hand.confidence = group.dataset(&wrist, &[]);
            for (joint, name) in joints::names(side).skip(1) {
                let found = group.dataset(&name, &[]);
                hand.others.extend(found.map(|found| (joint, found)));
            }
        }
        hand
    }

    fn read(self, least: f32, length: Length, damages: &mut Damages, report: &mut Report) -> Hand {
        let side = self.side;
        let frames = length.frames;
        let is_present = !self.joints.is_empty();
        if !is_present {
            report.note(
                NoteKind::MissingJoints,
                format!("no {side} hand in the file"),
            );
        } else if !self.missing.is_empty() {
            let missing = listed(&self.missing, LISTED_JOINTS);
            report.note(
                NoteKind::MissingJoints,
                format!("{side} hand: no {missing}"),
            );
        }
        let mut tracks = Joints::<Track>::default();
        let mut joints = Vec::new();
        for (joint, found) in self.joints {
            tracks[joint] = Track::read(found, length, damages);
            joints.push(joint);
        }
        let has_confidence = self.confidence.is_some();
        let mut tracked = vec![is_present; frames];
        let effect = format!("the {side} hand counts as tracked");
        if let Some(found) = self.confidence
            && let Some((floats, is_lost)) = found.read(length, &[], &effect, damages)
        {
            let confidences = floats.groups().zip(is_lost);
            for (tracked, ([confidence], is_lost)) in tracked.iter_mut().zip(confidences) {
                // NaN does not count as a confidence.
                *tracked = is_lost || confidence >= f64::from(least);
            }
        }
        let untracked = tracked.iter().filter(|tracked| !**tracked).count();
        if is_present && !has_confidence {
            let cause = if self.others.is_empty() {
                "no confidence is given"
            } else {
                "the confidence of the wrist is missing"
            };
            let message = format!("{side} hand: tracked in all frames, because {cause}");
            report.note(NoteKind::Confidence, message);
        } else if is_present && untracked > 0 {
            let message = format!(
                "{side} hand: untracked in {untracked} of {}, poses with a confidence below {least} dropped",
                counted(frames, "frame")
            );
            report.note(NoteKind::Confidence, message);
        }
        let mut low = LowJoints::default();
        for (joint, found) in self.others {
            low.forget(&mut tracks[joint], found, least, &tracked, length, damages);
        }
        low.report(side, least, report);
        let mut poses = Joints::<&[Option<Pose>]>::default();
        for (joint, track) in tracks.iter() {
            poses[joint] = &track.poses;
        }
        let usual = JointAxes::of_arkit(side);
        let axes = JointAxes::measured(side, &poses).unwrap_or(usual);
        if axes != usual {
            let message = format!("{side} hand: unusual axes of the joints: {axes}");
            report.note(NoteKind::Axes, message);
        }
        Hand {
            side,
            joints,
            tracks,
            axes: axes.to_openxr(),
            is_confident: tracked,
        }
    }
}

/// The poses of single joints that are dropped because of their own confidence, while their hand is tracked.
#[derive(Default)]
struct LowJoints {
    poses: usize,
    joints: usize,
    /// `true` for each frame in which a joint is dropped.
    frames: Vec<bool>,
}

impl LowJoints {
    /// Makes the poses of a joint unknown whose confidence is below `least`, or NaN. `tracked` has the states of the hand.
    fn forget(
        &mut self,
        track: &mut Track,
        confidence: Found<'_, '_>,
        least: f32,
        tracked: &[bool],
        length: Length,
        damages: &mut Damages,
    ) {
        if track.poses.is_empty() {
            return;
        }
        let effect = "the joint counts as known";
        let Some((floats, is_lost)) = confidence.read(length, &[], effect, damages) else {
            return;
        };
        self.frames.resize(length.frames, false);
        let before = self.poses;
        let confidences = floats.groups().zip(is_lost).zip(tracked).enumerate();
        for (frame, (([confidence], is_lost), is_tracked)) in confidences {
            let is_sure = is_lost || confidence >= f64::from(least);
            // Without the hand, its joints are dropped anyway.
            if !is_sure && track.forget(frame) && *is_tracked {
                self.poses += 1;
                self.frames[frame] = true;
            }
        }
        self.joints += usize::from(self.poses > before);
    }

    /// Adds a note about the dropped poses.
    fn report(&self, side: Side, least: f32, report: &mut Report) {
        if self.poses == 0 {
            return;
        }
        let frames = self.frames.iter().filter(|is_low| **is_low).count();
        let message = format!(
            "{side} hand: {} of {} in {} unknown, because the confidence of the joint is below {least}",
            counted(self.poses, "pose"),
            counted(self.joints, "joint"),
            counted(frames, "frame"),
        );
        report.note(NoteKind::Confidence, message);
    }
}

/// The poses of a hand in right-handed axes.
struct Hand {
    side: Side,
    /// The joints in the file.
    joints: Vec<Joint>,
    tracks: Joints<Track>,
    /// The rotation from the axes of OpenXR's joints to the axes of the tracks.
    axes: DQuat,
    /// One state per frame.
    is_confident: Vec<bool>,
}

impl Hand {
    fn pose(&self, joint: Joint, frame: usize) -> Option<Pose> {
        self.tracks[joint].pose(frame)
    }

    fn is_confident(&self, frame: usize) -> bool {
        self.is_confident.get(frame).copied().unwrap_or(false)
    }

    /// Returns `true` if the hand has a sufficient confidence in a frame, and the pose of at least one joint is known.
    fn is_tracked(&self, frame: usize) -> bool {
        let mut joints = self.joints.iter();
        self.is_confident(frame) && joints.any(|&joint| self.pose(joint, frame).is_some())
    }

    /// Returns `true` if the hand has a sufficient confidence in a frame, and the matrix of a joint is not valid.
    fn lacks_joint(&self, frame: usize) -> bool {
        let mut joints = self.joints.iter();
        self.is_confident(frame) && joints.any(|&joint| self.tracks[joint].is_invalid(frame))
    }

    fn add_palm(&mut self) {
        const NEEDED: [Joint; 3] = [Joint::Wrist, Joint::MiddleMetacarpal, Joint::MiddleKnuckle];
        if NEEDED
            .iter()
            .any(|&joint| self.tracks[joint].poses.is_empty())
        {
            return;
        }
        let mut joints = Joints::default();
        let frames = 0..self.is_confident.len();
        let palms = frames.map(|frame| {
            for joint in NEEDED {
                joints[joint] = self.pose(joint, frame);
            }
            palm(&joints)
        });
        let palms = palms.collect();
        self.tracks[Joint::Palm].poses = palms;
    }

    /// Sets the curves of all joints of this hand in a recording. `times` are the times of the frames in seconds.
    fn write(&self, times: &[f32], recording: &mut Recording<'static>) {
        let hands = recording.hands_mut();
        let hand = match self.side {
            Side::Left => &mut hands.left,
            Side::Right => &mut hands.right,
        };
        for (joint, track) in self.tracks.iter() {
            // MRTK records joints only while their hand is tracked.
            let poses = track.poses.iter().zip(&self.is_confident);
            let poses = poses.map(|(pose, is_confident)| pose.filter(|_| *is_confident));
            hand.joints[joint] = curves(times, poses, self.axes);
        }
        for (joint, track) in self.tracks.iter() {
            // A joint that is missing while its hand is tracked is unknown.
            let samples = times.iter().zip(&track.poses).enumerate();
            let tracked = samples.filter(|&(frame, _)| self.is_tracked(frame));
            let samples = tracked.map(|(_, (&time, pose))| (time, pose.is_some()));
            for gap in gaps_of_stream(samples, Pauses::None) {
                let element = Element::Joint(self.side, joint);
                recording.known.add_gap(element, gap);
            }
        }
    }
}

/// Adds a loss to the report, unless `lost` is 0: poses of `what` are dropped in `lost` of `frames` frames, because
/// their matrices are not valid.
fn lose(kind: LossKind, what: &str, lost: usize, frames: usize, report: &mut Report) {
    let frames = counted(frames, "frame");
    let message = format!("{what} dropped in {lost} of {frames}, invalid matrix");
    report.lose(kind, lost, message);
}

fn notes(has_head: bool, others: u64, report: &mut Report) {
    let head = if has_head {
        "the head is the camera of the device"
    } else {
        "no camera in the file, so the recording has no head"
    };
    let message = format!("EgoDex has no palms, pinch states or gaze: palms are computed; {head}");
    report.note(NoteKind::NotInFormat, message);
    if others > 0 {
        let transforms = counted(
            usize::try_from(others).unwrap_or(usize::MAX),
            "other transform",
        );
        let message = format!("not read: {transforms} such as arms and spine");
        report.note(NoteKind::OtherContent, message);
    }
}
