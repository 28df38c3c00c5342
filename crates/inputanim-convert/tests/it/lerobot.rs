//! Datasets of LeRobot: states, actions, files and statistics. readers/lerobot checks datasets with PyArrow and NumPy, and
//! with LeRobot itself.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use crate::format_error;
use inputanim::{
    BooleanCurve, Element, FloatCurve, Joint, Layout, Pose, Ray, Recording, Sampler, Side, Space,
    TimeRange,
};
use inputanim_convert::frames::Columns;
use inputanim_convert::lerobot::{
    DatasetWriter, Episode, EpisodeSampler, Features, Forms, INFO, LeRobotError, Options,
    ReferenceFrame, Summary, is_file_of_dataset,
};
use inputanim_convert::{Error, SampleError};
use proptest::prelude::*;
use snapbox::assert_data_eq;

fn range(start: f32, end: f32) -> TimeRange {
    TimeRange { start, end }
}

fn options(rate: u32) -> Options {
    let mut options = Options::default();
    options.rate = rate;
    options
}

/// A head that moves for a second, and a left hand that is tracked from 0.5 to 0.75 s and pinches.
fn small() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    recording.head_mut().push(1.0, &Pose::at([1.0, 1.6, 0.0]));
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (0.5, true), (0.8, false)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.75, true)]);
    left.joints[Joint::Palm].push(0.5, &Pose::at([0.0, 1.0, 0.5]));
    left.joints[Joint::Palm].push(0.75, &Pose::at([0.0, 2.0, 0.5]));
    recording
}

fn features(recording: &Recording<'_>) -> Features {
    Features::new(&Columns::of(recording), &Forms::default(), |_| true).unwrap()
}

fn episode(
    recording: &Recording<'_>,
    options: &Options,
    range: TimeRange,
) -> Result<Episode, Error> {
    let features = features(recording);
    EpisodeSampler::new(recording, &features, options)?.episode(range)
}

/// Returns the values of a part of the states in all frames.
fn column(recording: &Recording<'_>, episode: &Episode, name: &str) -> Vec<f32> {
    let features = features(recording);
    let mut names = features.names().iter();
    let index = names.position(|other| other == name).unwrap();
    let rows = episode.states().chunks(features.names().len());
    rows.map(|row| row[index]).collect()
}

/// Files in memory, by their paths.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

struct MemoryFile {
    files: Files,
    path: String,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.files.0.lock().unwrap();
        files.get_mut(&self.path).unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Files {
    fn create(&self, path: &str) -> io::Result<MemoryFile> {
        let earlier = self.0.lock().unwrap().insert(path.to_owned(), Vec::new());
        assert!(earlier.is_none(), "{path} is created twice");
        Ok(MemoryFile {
            files: self.clone(),
            path: path.to_owned(),
        })
    }

    fn take(self) -> BTreeMap<String, Vec<u8>> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Writes a dataset of episodes with their tasks.
fn dataset(
    recording: &Recording<'_>,
    options: &Options,
    episodes: &[(TimeRange, &str)],
) -> (BTreeMap<String, Vec<u8>>, Summary) {
    let features = features(recording);
    let files = Files::default();
    let mut writer = DatasetWriter::new(&features, options, |path| files.create(path)).unwrap();
    let sampler = EpisodeSampler::new(recording, &features, options).unwrap();
    for &(range, task) in episodes {
        writer.push(&sampler.episode(range).unwrap(), task).unwrap();
    }
    let summary = writer.finish().unwrap();
    (files.take(), summary)
}

#[test]
fn poses_of_an_untracked_hand_are_held() {
    let recording = small();
    let episode = episode(&recording, &options(4), range(0.0, 1.0)).unwrap();
    assert_eq!(episode.frames(), 5);
    let column = |name| column(&recording, &episode, name);
    assert_eq!(column("left.tracked"), [0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(column("left.pinching"), [0.0, 0.0, 0.0, 1.0, 1.0]);
    // The first known pose before the hand is tracked, and the last known pose after it.
    assert_eq!(column("left.Palm.position.y"), [1.0, 1.0, 1.0, 2.0, 2.0]);
    assert_eq!(column("head.position.x"), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(Episode::loss([&episode]), None);
}

#[test]
fn a_hand_that_is_never_tracked_has_the_identity() {
    let recording = small();
    let episode = episode(&recording, &options(10), range(0.0, 0.4)).unwrap();
    let column = |name| column(&recording, &episode, name);
    assert_eq!(column("left.Palm.position.y"), [0.0; 5]);
    assert_eq!(column("left.Palm.rotation.w"), [1.0; 5]);
    assert_eq!(column("left.tracked"), [0.0; 5]);
}

#[test]
fn notes_tell_held_poses_from_hands_that_are_never_tracked() {
    let recording = small();
    let notes = |episodes: &[(TimeRange, &str)]| {
        let (_, summary) = dataset(&recording, &options(4), episodes);
        let notes = summary.notes();
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let (never, held) = ((range(0.0, 0.25), "a"), (range(0.0, 1.0), "b"));
    assert_eq!(notes(&[never]), ["left hand: never tracked, identity"]);
    assert_eq!(
        notes(&[held]),
        ["left hand: untracked in 3 of 5 frames, last pose held in 1, first later pose used in 2"]
    );
    assert_eq!(
        notes(&[never, held]),
        [
            "left hand: untracked in 3 of 7 frames, last pose held in 1, first later pose used in 2; never tracked in 1 of 2 episodes, identity"
        ]
    );
    assert_eq!(
        notes(&[(range(0.25, 0.75), "d")]),
        ["left hand: untracked in 1 of 3 frames, first later pose used"]
    );
    assert_eq!(
        notes(&[(range(0.5, 1.0), "e")]),
        ["left hand: untracked in 1 of 3 frames, last pose held"]
    );
    assert!(notes(&[(range(0.5, 0.75), "c")]).is_empty());
}

#[test]
fn the_stream_none_of_a_hand_is_no_joint() {
    let mut recording = small();
    recording.hands_mut().left.joints[Joint::None].push(0.5, &Pose::IDENTITY);
    let features = features(&recording);
    assert!(features.names().iter().all(|name| !name.contains("None")));
    let only = Features::new(&Columns::of(&recording), &Forms::default(), |element| {
        element == Element::Joint(Side::Left, Joint::None)
    });
    assert_eq!(only, Err(LeRobotError::NoFeatures));
}

#[test]
fn a_tracked_joint_that_is_never_finite_is_an_error() {
    let mut recording = small();
    recording.hands_mut().left.joints[Joint::Palm].position[1] =
        FloatCurve::linear([(0.5, f32::NAN)]);
    let error = episode(&recording, &options(4), range(0.0, 1.0)).unwrap_err();
    let message = "left.Palm is not finite from 0 s to 1 s";
    assert_eq!(error.to_string(), message);
    assert!(episode(&recording, &options(4), range(0.0, 0.4)).is_ok());
}

#[test]
fn hands_that_a_recording_lacks_are_found() {
    let recording = small();
    let features = features(&recording);
    assert_eq!(features.missing_hands(&Columns::of(&recording)), []);
    assert_eq!(features.missing_hands(&Columns::default()), [Side::Left]);
}

#[test]
fn rates_are_whole_numbers() {
    let mut options = Options::default();
    options.set_rate(60.0).unwrap();
    assert_eq!(options.rate, 60);
    for rate in [0.0, -1.0, 29.97, 1e6 + 1.0, f64::NAN, f64::INFINITY] {
        let error = options.set_rate(rate).unwrap_err();
        assert!(error.to_string().contains("a whole number"), "{error}");
    }
    assert_eq!(options.rate, 60);
}

#[test]
fn paths_of_files_of_a_dataset_are_known() {
    let (files, _) = dataset(&small(), &options(4), &[(range(0.0, 1.0), "a")]);
    assert!(files.keys().all(|path| is_file_of_dataset(path)));
    for path in [
        "README.md",
        "info.json",
        "data/chunk-000/file-000.bin",
        "data/chunk-0/file-000.parquet",
        "data/chunk-000/file-.parquet",
        "data/chunk-000/old/file-000.parquet",
        "data/file-000.parquet",
        "data/chunk-000/file-000/file-000.parquet",
        "videos/chunk-000/file-000.mp4",
        "other/data/chunk-000/file-000.parquet",
    ] {
        assert!(!is_file_of_dataset(path), "{path}");
    }
    assert!(is_file_of_dataset(
        "meta/episodes/chunk-012/file-1000.parquet"
    ));
}

#[test]
fn poses_are_relative_to_the_head_or_the_wrist() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut recording = Recording::new(Layout::Mrtk1_1);
    // A head that looks to the right.
    let head = Pose {
        position: [1.0, 2.0, 3.0],
        rotation: [0.0, half, 0.0, half],
    };
    recording.head_mut().push(0.0, &head);
    let right = &mut recording.hands_mut().right;
    right.tracked = BooleanCurve::new([(0.0, true)]);
    right.joints[Joint::Wrist].push(
        0.0,
        &Pose {
            position: [2.0, 2.0, 3.0],
            ..head
        },
    );
    right.joints[Joint::Palm].push(
        0.0,
        &Pose {
            position: [2.0, 3.0, 3.5],
            ..head
        },
    );
    let gaze = Ray {
        origin: [1.0, 2.0, 3.0],
        direction: [1.0, 0.0, 0.0],
    };
    recording.gaze_mut().push(0.0, &gaze);
    let row = |frame, names: &[&str]| {
        let mut options = options(30);
        options.frame = frame;
        let episode = episode(&recording, &options, range(0.0, 0.0)).unwrap();
        let values = names
            .iter()
            .map(|name| column(&recording, &episode, name)[0]);
        values
            .map(|value| (value * 1e5).round() / 1e5)
            .collect::<Vec<f32>>()
    };
    let position = |stem: &str| ["x", "y", "z"].map(|axis| format!("{stem}.position.{axis}"));
    let of = |frame, stem: &str| {
        let names = position(stem);
        row(frame, &names.each_ref().map(String::as_str))
    };
    // Ahead of the head is +X of the world, and its right side is −Z.
    assert_eq!(of(ReferenceFrame::Head, "right.Wrist"), [0.0, 0.0, 1.0]);
    assert_eq!(of(ReferenceFrame::Head, "right.Palm"), [-0.5, 1.0, 1.0]);
    assert_eq!(of(ReferenceFrame::Head, "head"), [1.0, 2.0, 3.0]);
    assert_eq!(of(ReferenceFrame::Wrist, "right.Palm"), [-0.5, 1.0, 0.0]);
    assert_eq!(of(ReferenceFrame::Wrist, "right.Wrist"), [2.0, 2.0, 3.0]);
    assert_eq!(of(ReferenceFrame::World, "right.Palm"), [2.0, 3.0, 3.5]);
    let rotation = ["right.Palm.rotation.y", "right.Palm.rotation.w"];
    assert_eq!(row(ReferenceFrame::Head, &rotation), [0.0, 1.0]);
    let gaze = ["gaze.origin.z", "gaze.direction.x", "gaze.direction.z"];
    assert_eq!(row(ReferenceFrame::Head, &gaze), [0.0, 0.0, 1.0]);
    assert_eq!(row(ReferenceFrame::Wrist, &gaze), [3.0, 1.0, 0.0]);
}

#[test]
fn rotations_have_no_sign_flips() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let head = recording.head_mut();
    for (time, w) in [(0.0, -1.0), (1.0, 1.0), (2.0, -1.0)] {
        let rotation = [0.0, 0.0, 0.0, w];
        head.push(
            time,
            &Pose {
                rotation,
                ..Pose::IDENTITY
            },
        );
    }
    let episode = episode(&recording, &options(1), range(0.0, 2.0)).unwrap();
    assert_eq!(column(&recording, &episode, "head.rotation.w"), [1.0; 3]);
    assert_eq!(column(&recording, &episode, "head.rotation.x"), [0.0; 3]);
}

#[test]
fn values_that_are_not_finite_are_held_and_lost() {
    let mut recording = small();
    let palm = &mut recording.hands_mut().left.joints[Joint::Palm];
    palm.position[1] = FloatCurve::linear([(0.5, 1.0), (0.75, f32::NAN)]);
    let found = episode(&recording, &options(4), range(0.0, 1.0)).unwrap();
    assert_eq!(column(&recording, &found, "left.Palm.position.y"), [1.0; 5]);
    let loss = Episode::loss([&found, &found]).unwrap();
    assert_eq!(loss.count, 2);
    assert_eq!(
        loss.message,
        "2 pose, ray or input values unknown or not finite, last known values held"
    );

    // Trainers would take an identity for a value.
    let error = episode(&recording, &options(4), range(0.7, 0.75)).unwrap_err();
    let expected = LeRobotError::NeverFinite {
        element: Element::Joint(Side::Left, Joint::Palm),
        start: 0.7,
        end: 0.75,
    };
    assert_eq!(format_error::<LeRobotError>(error), expected);
    recording.head_mut().position[0] = FloatCurve::linear([(0.0, f32::INFINITY)]);
    let error = episode(&recording, &options(4), range(0.0, 0.25)).unwrap_err();
    assert_eq!(error.to_string(), "head is not finite from 0 s to 0.25 s");
}

#[test]
fn recordings_without_the_streams_of_the_states_are_refused() {
    let all = features(&small());
    let mut recording = small();
    let error = |recording: &Recording<'_>, options: &Options| {
        let sampler = EpisodeSampler::new(recording, &all, options);
        let made = sampler.and_then(|sampler| sampler.episode(range(0.0, 1.0)));
        format_error::<LeRobotError>(made.unwrap_err())
    };
    let left = &mut recording.hands_mut().left;
    left.joints[Joint::Palm] = Default::default();
    left.joints[Joint::Wrist].push(0.5, &Pose::IDENTITY);
    let palm = Element::Joint(Side::Left, Joint::Palm);
    assert_eq!(
        error(&recording, &options(4)),
        LeRobotError::NotRecorded(palm)
    );
    recording.head = None;
    assert_eq!(
        error(&recording, &options(4)),
        LeRobotError::NotRecorded(Element::Head)
    );
    // A hand that is never tracked has no joints.
    recording.hands_mut().left.tracked = BooleanCurve::new([(0.0, false)]);
    let hands = Features::new(&Columns::of(&small()), &Forms::default(), |element| {
        element.side().is_some()
    })
    .unwrap();
    let options_of_head = {
        let mut options = options(4);
        options.frame = ReferenceFrame::Head;
        options
    };
    let sampler = EpisodeSampler::new(&recording, &hands, &options_of_head);
    let base = LeRobotError::NoBase {
        base: Element::Head,
    };
    assert_eq!(format_error::<LeRobotError>(sampler.err().unwrap()), base);
    let options = options(4);
    let sampler = EpisodeSampler::new(&recording, &hands, &options).unwrap();
    assert!(sampler.episode(range(0.0, 1.0)).is_ok());
}

#[test]
fn invalid_options_and_ranges_are_refused() {
    let recording = small();
    for rate in [0, 2_000_000] {
        let error = episode(&recording, &options(rate), range(0.0, 1.0)).unwrap_err();
        assert_eq!(
            format_error::<LeRobotError>(error),
            LeRobotError::Rate(rate.into())
        );
    }
    for (start, end) in [(1.0, 0.0), (f32::NAN, 1.0), (0.0, f32::INFINITY)] {
        let error = episode(&recording, &options(30), range(start, end)).unwrap_err();
        assert!(matches!(
            format_error::<LeRobotError>(error),
            LeRobotError::Range { .. }
        ));
    }
    let error = episode(&recording, &options(30), range(0.0, 1e12)).unwrap_err();
    assert!(matches!(error, Error::Sample(SampleError::TooLong { .. })));
    let nothing = Features::new(&Columns::default(), &Forms::default(), |_| true);
    assert_eq!(nothing, Err(LeRobotError::NoFeatures));
    let features = features(&recording);
    let mut sizes = options(30);
    sizes.file_mib = 0;
    let writer = DatasetWriter::new(&features, &sizes, |_| Ok(Vec::new()));
    assert_eq!(
        format_error::<LeRobotError>(writer.err().unwrap()),
        LeRobotError::Sizes
    );
    let writer = DatasetWriter::new(&features, &options(30), |_| Ok(Vec::new()));
    let error = writer.unwrap().finish().unwrap_err();
    assert_eq!(
        format_error::<LeRobotError>(error),
        LeRobotError::NoEpisodes
    );
}

#[test]
fn info_and_statistics_are_readable() {
    let mut recording = small();
    recording.hands = None;
    let mut options = options(2);
    options.space = Space::OpenXr;
    let episodes = [(range(0.0, 1.0), "look"), (range(0.5, 0.5), "stop")];
    let (files, summary) = dataset(&recording, &options, &episodes);
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "data/chunk-000/file-000.parquet",
            "meta/episodes/chunk-000/file-000.parquet",
            INFO,
            "meta/stats.json",
            "meta/tasks.parquet",
        ]
    );
    assert_eq!((summary.episodes, summary.frames, summary.tasks), (2, 4, 2));
    let text = |path: &str| String::from_utf8(files[path].clone()).unwrap();
    assert_data_eq!(
        text(INFO),
        snapbox::file!["../golden/lerobot-info.json"].raw()
    );
    assert_data_eq!(
        text("meta/stats.json"),
        snapbox::file!["../golden/lerobot-stats.json"].raw()
    );
}

#[test]
fn pinches_that_are_not_recorded_are_no_feature() {
    let mut without = small();
    without.hands_mut().left.pinching = BooleanCurve::default();
    without.hands_mut().right.pinching = BooleanCurve::default();
    let with = small();
    let is_pinch = |name: &&String| name.ends_with(".pinching");
    let features = |recordings: &[&Recording<'_>]| {
        let mut columns = Columns::default();
        for recording in recordings {
            columns.add_known(&Columns::of(recording));
        }
        Features::new(&columns, &Forms::default(), |_| true).unwrap()
    };
    assert_eq!(
        features(&[&with]).names().iter().filter(is_pinch).count(),
        1
    );
    for recordings in [&[&without][..], &[&with, &without], &[&without, &with]] {
        let found = features(recordings);
        assert_eq!(found.names().iter().find(is_pinch), None);
        let notes = found.left_out(&with, |_| true).into_iter();
        let notes: Vec<String> = notes.map(|note| note.to_string()).collect();
        let expected = "left hand: pinches dropped, because other recordings have none";
        assert_eq!(notes, [expected]);
        assert!(found.left_out(&without, |_| true).is_empty());
    }
}

#[test]
fn quantiles_of_a_dataset_are_those_of_all_its_frames() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for second in 0..=30_u8 {
        let x = f32::from(second) * 0.1;
        recording
            .head_mut()
            .push(second.into(), &Pose::at([x, 0.0, 0.0]));
    }
    let options = options(20);
    // Each episode has other values, so no quantile of an episode is one of the dataset.
    let ranges = (0..30_u8).map(|second| range(second.into(), f32::from(second) + 1.0));
    let episodes: Vec<_> = ranges.map(|range| (range, "walk")).collect();
    let (files, summary) = dataset(&recording, &options, &episodes);
    let features = features(&recording);
    let sampler = EpisodeSampler::new(&recording, &features, &options).unwrap();
    let mut x: Vec<f32> = Vec::new();
    for (range, _) in &episodes {
        let episode = sampler.episode(*range).unwrap();
        x.extend(episode.states().iter().step_by(features.names().len()));
    }
    assert_eq!(x.len() as u64, summary.frames);
    x.sort_by(f32::total_cmp);
    let stats: serde_json::Value = serde_json::from_slice(&files["meta/stats.json"]).unwrap();
    for (name, percent) in [
        ("q01", 1),
        ("q10", 10),
        ("q50", 50),
        ("q90", 90),
        ("q99", 99),
    ] {
        let expected = x[(percent * x.len()).div_ceil(100) - 1];
        let found = stats["observation.state"][name][0].as_f64().unwrap();
        assert_eq!(found, f64::from(expected), "{name}");
    }
    let index = &stats["index"];
    assert_eq!(
        index["q50"][0].as_f64(),
        Some((x.len() as f64 / 2.0).ceil() - 1.0)
    );
    assert_eq!(stats["episode_index"]["q10"][0].as_f64(), Some(2.0));
}

#[test]
fn notes_count_the_frames_of_untracked_hands() {
    let (_, summary) = dataset(&small(), &options(4), &[(range(0.0, 1.0), "a"); 2]);
    assert_eq!(summary.untracked, [Some(6), None]);
    let notes: Vec<String> = summary.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["left hand: untracked in 6 of 10 frames, last pose held in 2, first later pose used in 4"]
    );
}

#[test]
fn files_and_chunks_have_their_largest_size() {
    let (_, bytes) = inputanim_testkit::samples::recordings().remove(0);
    let recording = Recording::parse(&bytes).unwrap();
    let mut options = options(60);
    options.file_mib = 1;
    options.chunk_files = 2;
    let episodes = [(range(0.0, 2.0), "a"); 30];
    let (files, _) = dataset(&recording, &options, &episodes);
    let data: Vec<&String> = files
        .keys()
        .filter(|path| path.starts_with("data/"))
        .collect();
    assert!(data.len() > 4, "{data:?}");
    for (number, path) in data.iter().enumerate() {
        let (chunk, file) = (number / 2, number % 2);
        assert_eq!(
            **path,
            format!("data/chunk-{chunk:03}/file-{file:03}.parquet")
        );
    }
    assert!(files.contains_key("meta/episodes/chunk-000/file-001.parquet"));
    for (path, content) in files.iter().filter(|(path, _)| path.ends_with(".parquet")) {
        assert!(content.len() <= 1 << 20, "{path}: {}", content.len());
    }
}

#[test]
fn a_failing_output_is_an_error() {
    let recording = small();
    let features = features(&recording);
    let options = options(4);
    let sampler = EpisodeSampler::new(&recording, &features, &options).unwrap();
    let made = sampler.episode(range(0.0, 1.0)).unwrap();
    let created = Rc::new(RefCell::new(0));
    for most in 0..5 {
        *created.borrow_mut() = 0;
        let create = |_: &str| {
            *created.borrow_mut() += 1;
            if *created.borrow() > most {
                return Err(io::Error::other("full"));
            }
            Ok(Vec::new())
        };
        let mut writer = DatasetWriter::new(&features, &options, create).unwrap();
        let written = writer
            .push(&made, "a")
            .and_then(|()| writer.finish().map(|_| ()));
        assert!(matches!(written, Err(Error::Io(_))), "{most} files");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any recording gives an error or states that are finite, and the states of the world are the sampled frames.
    #[test]
    fn states_of_any_recording_are_finite(
        recording in inputanim_testkit::random::recording(),
        rate in 1_u32..50,
        frame in 0..3_usize,
    ) {
        let mut options = options(rate);
        options.frame = ReferenceFrame::ALL[frame];
        options.limits.max_sample_bytes = 1 << 20;
        let Ok(features) = Features::new(&Columns::of(&recording), &Forms::default(), |_| true) else {
            return Ok(());
        };
        let Ok(sampler) = EpisodeSampler::new(&recording, &features, &options) else {
            return Ok(());
        };
        let Ok(episode) = sampler.episode(sampler.range()) else {
            return Ok(());
        };
        let width = features.names().len();
        prop_assert_eq!(episode.states().len(), episode.frames() * width);
        prop_assert!(episode.states().iter().all(|value| value.is_finite()));
        let files = Files::default();
        let mut writer = DatasetWriter::new(&features, &options, |path| files.create(path)).unwrap();
        writer.push(&episode, "task").unwrap();
        let summary = writer.finish().unwrap();
        prop_assert_eq!(summary.frames, episode.frames() as u64);

        // The stream `None` of a hand is not part of the states, but a sampler needs curves that can be played.
        let Ok(frames) = Sampler::new(&recording) else {
            return Ok(());
        };
        let mut names = features.names().iter();
        let height = names.position(|name| name == "head.position.y");
        if let (Some(height), true) = (height, frame == 0) {
            for (row, state) in episode.states().chunks(width).enumerate() {
                let time = f64::from(sampler.range().start) + row as f64 / f64::from(rate);
                let head = frames.frame_at(time as f32).head.unwrap();
                let finite = |pose: &Pose| pose.position.iter().chain(&pose.rotation).all(|part| part.is_finite());
                if finite(&head) && head.rotation != [0.0; 4] {
                    prop_assert_eq!(state[height], head.position[1]);
                }
            }
        }
    }
}
