//! Reads an episode.

use std::collections::HashMap;

use glam::DQuat;
use inputanim::{
    Element, Frame, Joint, Joints, Known, Layout, Pauses, Pose, PoseChannel, Recorder, Recording,
    Side,
};

use super::axes::{self, JointAxes};
use super::curves::curves;
use super::description::{DESCRIBING, about, description};
use super::hdf5::{Dataset, File, Floats, Hdf5Error, Link, MAX_ATTRIBUTES, Object};
use super::matrix::pose;
use super::{DEFAULT_MIN_CONFIDENCE, EgoDexError, FRAME_RATE, joints};
use crate::shared::limits::check_limit;
use crate::shared::limits::unpacked_limit;
use crate::shared::palm::palm;
use crate::shared::pauses::gaps_of_stream;
use crate::shared::report::{counted, listed};
use crate::shared::{Error, LossKind, NoteKind, ReadOptions, Report};

const CAMERA: &str = "camera";
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
    let root = file.root().map_err(in_file("/"))?;
    let members = root.links().map_err(in_file("/"))?;
    let transforms = Group::open(&file, &members, TRANSFORMS)?;
    let confidences = Group::open(&file, &members, CONFIDENCES)?;
    let mut episode = Episode {
        frames: None,
        max_keys: limits.max_keys,
        poses: 0,
    };
    let Some(transforms) = transforms else {
        return Err(other(&members, "/"));
    };
    // The shapes of all datasets are checked before the first one is read.
    let camera = episode.open(&transforms, CAMERA)?;
    let mut hands = Vec::new();
    for side in Side::BOTH {
        hands.push(OpenHand::open(
            &mut episode,
            side,
            &transforms,
            confidences.as_ref(),
        )?);
    }
    let Some((_, frames)) = episode.frames else {
        return Err(other(&transforms.links, "/transforms"));
    };
    let others = transforms.links.len() as u64 - episode.poses;
    let mut report = Report::default();
    let head = camera.as_ref().map(poses).transpose()?;
    let hands: Result<Vec<Hand>, Error> = hands
        .into_iter()
        .map(|hand| hand.read(least, frames, &mut report))
        .collect();
    let hands = hands?;
    let text = root.attributes(&DESCRIBING).map_err(in_file("/"))?;
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
        let has_head = head.as_ref().is_some_and(|head| head[frame].is_some());
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
        let samples = times.iter().copied().zip(head.iter().map(Option::is_some));
        for gap in gaps_of_stream(samples, Pauses::None) {
            recording.known.add_gap(Element::Head, gap);
        }
        let unknown = head.iter().filter(|pose| pose.is_none()).count();
        lose(LossKind::Head, "head:", unknown, frames, &mut report);
        let curves = curves(&times, head.iter().copied(), axes::HEAD);
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
    notes(head.is_some(), others, &mut report);
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

    /// Opens the dataset with a name. Returns `None` if the group has no such dataset.
    fn dataset(&self, name: &str) -> Result<Option<Opened<'f, 'a>>, Error> {
        let Some(&address) = self.addresses.get(name.as_bytes()) else {
            return Ok(None);
        };
        let path = format!("/{}/{name}", self.path);
        let object = self.file.object(address).map_err(in_file(&path))?;
        let dataset = object.dataset().map_err(in_file(&path))?;
        Ok(dataset.map(|dataset| Opened { path, dataset }))
    }
}

/// A dataset and its path.
struct Opened<'f, 'a> {
    path: String,
    dataset: Dataset<'f, 'a>,
}

impl<'a> Opened<'_, 'a> {
    fn read(&self) -> Result<Floats<'a>, Error> {
        self.dataset.read().map_err(in_file(&self.path))
    }

    fn shape_error(&self, expected: String) -> Error {
        let path = self.path.clone();
        let found = self.dataset.shape().to_vec();
        EgoDexError::Shape {
            path,
            expected,
            found,
        }
        .into()
    }
}

/// The number of frames, which all datasets share.
struct Episode {
    /// As in the file, and as a size in memory.
    frames: Option<(u64, usize)>,
    max_keys: u64,
    /// The number of datasets of poses.
    poses: u64,
}

impl Episode {
    /// Opens a dataset of poses, and checks that it has a matrix of 4 × 4 numbers for each frame. The first dataset
    /// determines the number of frames. Returns `None` if the group has no such dataset. Fails if the shape is another
    /// one, or if the poses exceed the limit of keys.
    fn open<'f, 'a>(
        &mut self,
        group: &Group<'f, 'a>,
        name: &str,
    ) -> Result<Option<Opened<'f, 'a>>, Error> {
        let Some(opened) = group.dataset(name)? else {
            return Ok(None);
        };
        let expected = match self.frames {
            Some((frames, _)) => format!("[{frames}, 4, 4]"),
            None => "[N, 4, 4]".to_owned(),
        };
        let &[frames, 4, 4] = opened.dataset.shape() else {
            return Err(opened.shape_error(expected));
        };
        self.poses += 1;
        let keys = frames
            .saturating_mul(POSE)
            .saturating_mul(self.poses + PALMS);
        check_limit(keys, self.max_keys, "keys")?;
        match self.frames {
            Some((all, _)) if all != frames => Err(opened.shape_error(expected)),
            _ if frames == 0 => Err(EgoDexError::Empty { path: opened.path }.into()),
            _ => {
                let size = usize::try_from(frames);
                let limit = self.max_keys;
                let too_many = Error::Limit {
                    limit,
                    unit: "keys",
                };
                self.frames = Some((frames, size.map_err(|_| too_many)?));
                Ok(Some(opened))
            }
        }
    }

    /// Opens a dataset of confidences, and checks that it has one number for each frame. Returns `None` if the group
    /// has no such dataset.
    fn open_confidence<'f, 'a>(
        &self,
        group: &Group<'f, 'a>,
        name: &str,
    ) -> Result<Option<Opened<'f, 'a>>, Error> {
        let Some(opened) = group.dataset(name)? else {
            return Ok(None);
        };
        let frames = self.frames.map_or(0, |(frames, _)| frames);
        if opened.dataset.shape() != [frames] {
            return Err(opened.shape_error(format!("[{frames}]")));
        }
        Ok(Some(opened))
    }
}

/// Reads the pose in each frame from a dataset of matrices, in right-handed axes; `None` for a matrix that is not a
/// rotation and a position.
fn poses(opened: &Opened<'_, '_>) -> Result<Vec<Option<Pose>>, Error> {
    let floats = opened.read()?;
    Ok(floats.groups().map(|matrix| pose(&matrix)).collect())
}

/// The datasets of a hand.
struct OpenHand<'f, 'a> {
    side: Side,
    joints: Vec<(Joint, Opened<'f, 'a>)>,
    missing: Vec<String>,
    confidence: Option<Opened<'f, 'a>>,
    /// `true` if other joints than the wrist have a confidence.
    has_others: bool,
}

impl<'f, 'a> OpenHand<'f, 'a> {
    fn open(
        episode: &mut Episode,
        side: Side,
        transforms: &Group<'f, 'a>,
        confidences: Option<&Group<'f, 'a>>,
    ) -> Result<OpenHand<'f, 'a>, Error> {
        let mut hand = OpenHand {
            side,
            joints: Vec::new(),
            missing: Vec::new(),
            confidence: None,
            has_others: false,
        };
        for (joint, name) in joints::names(side) {
            match episode.open(transforms, &name)? {
                Some(opened) => hand.joints.push((joint, opened)),
                None => hand.missing.push(name),
            }
        }
        let wrist = joints::names(side).next().map(|(_, name)| name);
        if let (Some(group), Some(wrist), false) = (confidences, wrist, hand.joints.is_empty()) {
            hand.confidence = episode.open_confidence(group, &wrist)?;
            let mut names = joints::names(side);
            hand.has_others = names.any(|(_, name)| group.addresses.contains_key(name.as_bytes()));
        }
        Ok(hand)
    }

    fn read(self, least: f32, frames: usize, report: &mut Report) -> Result<Hand, Error> {
        let side = self.side;
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
        let mut tracks = Joints::<Vec<Option<Pose>>>::default();
        for (joint, opened) in &self.joints {
            tracks[*joint] = poses(opened)?;
        }
        let tracked = match &self.confidence {
            None => vec![is_present; frames],
            Some(opened) => {
                let floats = opened.read()?;
                // NaN does not count as a confidence.
                let is_confident = |[confidence]: [f64; 1]| confidence >= f64::from(least);
                floats.groups().map(is_confident).collect()
            }
        };
        let untracked = tracked.iter().filter(|tracked| !**tracked).count();
        if is_present && self.confidence.is_none() {
            let cause = if self.has_others {
                "the confidence of the wrist is missing"
            } else {
                "no confidence is given"
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
        let usual = JointAxes::of_arkit(side);
        let axes = JointAxes::measured(side, &tracks).unwrap_or(usual);
        if axes != usual {
            let message = format!("{side} hand: unusual axes of the joints: {axes}");
            report.note(NoteKind::Axes, message);
        }
        let joints = self.joints.iter().map(|(joint, _)| *joint);
        Ok(Hand {
            side,
            joints: joints.collect(),
            tracks,
            axes: axes.to_openxr(),
            is_confident: tracked,
        })
    }
}

/// The poses of a hand in right-handed axes.
struct Hand {
    side: Side,
    /// The joints in the file.
    joints: Vec<Joint>,
    tracks: Joints<Vec<Option<Pose>>>,
    /// The rotation from the axes of OpenXR's joints to the axes of the tracks.
    axes: DQuat,
    /// One state per frame.
    is_confident: Vec<bool>,
}

impl Hand {
    fn pose(&self, joint: Joint, frame: usize) -> Option<Pose> {
        self.tracks[joint].get(frame).copied().flatten()
    }

    fn is_confident(&self, frame: usize) -> bool {
        self.is_confident.get(frame).copied().unwrap_or(false)
    }

    /// Returns `true` if the hand has a sufficient confidence in a frame, and the pose of at least one joint is known.
    fn is_tracked(&self, frame: usize) -> bool {
        let mut joints = self.joints.iter();
        self.is_confident(frame) && joints.any(|&joint| self.pose(joint, frame).is_some())
    }

    /// Returns `true` if the hand has a sufficient confidence in a frame, and the pose of a joint that the file
    /// contains is unknown.
    fn lacks_joint(&self, frame: usize) -> bool {
        let mut joints = self.joints.iter();
        self.is_confident(frame) && joints.any(|&joint| self.pose(joint, frame).is_none())
    }

    fn add_palm(&mut self) {
        const NEEDED: [Joint; 3] = [Joint::Wrist, Joint::MiddleMetacarpal, Joint::MiddleKnuckle];
        if NEEDED.iter().any(|&joint| self.tracks[joint].is_empty()) {
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
        self.tracks[Joint::Palm] = palms;
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
            let poses = track.iter().zip(&self.is_confident);
            let poses = poses.map(|(pose, is_confident)| pose.filter(|_| *is_confident));
            hand.joints[joint] = curves(times, poses, self.axes);
        }
        for (joint, track) in self.tracks.iter() {
            // A joint that is missing while its hand is tracked is unknown.
            let samples = times.iter().zip(track).enumerate();
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
