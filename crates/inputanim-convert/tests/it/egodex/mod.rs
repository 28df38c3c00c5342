//! Episodes of EgoDex: known hands come back, files that h5py wrote are read, and damaged files give errors.

mod damage;
mod episode;
mod hdf5;

use std::error::Error as _;
use std::fs;
use std::path::PathBuf;

use glam::DQuat;
use inputanim::{About, Frame, Joint, Pose, Recording, Sampler, Side};
use inputanim_convert::egodex::{EgoDexError, FRAME_RATE, Hdf5Error};
use inputanim_convert::{Error, Format, LossKind, NoteKind, ReadOptions, Report, WriteOptions};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

use episode::Episode;

fn read(bytes: &[u8]) -> Result<(Recording<'static>, Report), Error> {
    let (recording, report) =
        inputanim_convert::read(Format::EgoDex, bytes, &ReadOptions::default())?;
    Ok((recording.into_owned(), report))
}

/// Returns the message of an error with its causes.
fn message(error: Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}

fn refused(episode: &Episode) -> String {
    message(read(&episode.write()).unwrap_err())
}

/// Returns frames of a generated recording at EgoDex's rate.
fn generated(scene: Scene, seed: u64, count: usize) -> Vec<Frame> {
    let motion = Motion::new(scene, seed, 20.0);
    let times = (0..count).map(|frame| (frame as f64 / FRAME_RATE) as f32);
    times.map(|time| motion.frame_at(time)).collect()
}

/// Returns frames in which both hands are tracked.
fn both(count: usize) -> Vec<Frame> {
    let mut frames = generated(Scene::TwoHands, 1, 400);
    frames.retain(|frame| frame.left.tracked && frame.right.tracked);
    frames.truncate(count);
    assert_eq!(frames.len(), count);
    frames
}

/// Returns the path of a file that h5py wrote: see readers/egodex/make.py.
fn by_h5py(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/egodex");
    folder.join(name)
}

/// Compares two poses. Positions are numbers of 32 bits in the file.
fn check_pose(found: Option<Pose>, expected: Pose, what: &str) -> Result<(), TestCaseError> {
    let found = found.ok_or_else(|| TestCaseError::fail(format!("{what} is unknown")))?;
    prop_assert_eq!(found.position, expected.position, "{}", what);
    let [a, b] = [found, expected].map(|pose| {
        let rotation = DQuat::from_array(pose.rotation.map(f64::from));
        rotation.normalize()
    });
    prop_assert!(a.dot(b).abs() > 1.0 - 1e-10, "{what}: {a} {b}");
    let length = found.rotation.iter().map(|part| part * part).sum::<f32>();
    prop_assert!((length - 1.0).abs() < 1e-6, "{what}: {length}");
    Ok(())
}

/// Compares a recording with frames at EgoDex's rate, without palms.
fn check(recording: &Recording<'_>, frames: &[Frame]) -> Result<(), TestCaseError> {
    let sampler = Sampler::new(recording).unwrap();
    for (index, frame) in frames.iter().enumerate() {
        let time = (index as f64 / FRAME_RATE) as f32;
        let found = sampler.frame_at(time);
        if let Some(head) = frame.head {
            check_pose(found.head, head, "the head")?;
        }
        for side in Side::BOTH {
            let (found, hand) = (found.hand(side), frame.hand(side));
            let known = |joint: &Joint| hand.joints[*joint].is_some();
            let is_tracked = hand.tracked && Joint::WEBXR.iter().any(known);
            prop_assert_eq!(found.tracked, is_tracked, "{} {}", side, index);
            prop_assert!(!found.pinching);
            for joint in Joint::WEBXR.into_iter().filter(|_| is_tracked) {
                if let Some(pose) = hand.joints[joint] {
                    let what = format!("{side}.{joint} in frame {index}");
                    check_pose(found.joints[joint], pose, &what)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn generated_hands_come_back() {
    for (scene, seed) in [(Scene::TwoHands, 1), (Scene::Reach, 2), (Scene::Wave, 3)] {
        let frames = generated(scene, seed, 200);
        let bytes = Episode::of(&frames).write();
        assert_eq!(Format::detect(&bytes), Some(Format::EgoDex));
        let (recording, report) = read(&bytes).unwrap();
        assert_eq!(report.losses, []);
        check(&recording, &frames).unwrap();
        assert_eq!(recording.gaze, None);
        // The analysis and the doctor find nothing unusual in the bones.
        let sampler = Sampler::new(&recording).unwrap();
        let hand = sampler.frame_at(0.1).right;
        let (palm, wrist) = (
            hand.joints[Joint::Palm].unwrap(),
            hand.joints[Joint::Wrist].unwrap(),
        );
        assert_eq!(palm.rotation, wrist.rotation);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_poses_come_back(frames in inputanim_testkit::frames::frames(4)) {
        let bytes = Episode::of(&frames).write();
        let (recording, report) = read(&bytes).unwrap();
        check(&recording, &frames)?;
        let head = frames.iter().filter(|frame| frame.head.is_none()).count() as u64;
        let lost = report.losses.iter().find(|loss| loss.kind == LossKind::Head);
        prop_assert_eq!(lost.map_or(0, |loss| loss.count), head);
    }
}

#[test]
fn files_of_h5py_equal_the_sample() {
    let sample = inputanim_testkit::samples::read("two-hands.bin");
    let sample = Recording::parse(&sample).unwrap();
    let sampler = Sampler::new(&sample).unwrap();
    let times = (0..2).map(|frame| (f64::from(frame) / FRAME_RATE) as f32);
    let mut frames: Vec<Frame> = times.map(|time| sampler.frame_at(time)).collect();
    let joints = [
        Joint::Wrist,
        Joint::ThumbTip,
        Joint::IndexKnuckle,
        Joint::MiddleMetacarpal,
        Joint::MiddleKnuckle,
        Joint::PinkyKnuckle,
    ];
    for frame in &mut frames {
        for side in Side::BOTH {
            for (joint, pose) in frame.hand_mut(side).joints.iter_mut() {
                *pose = pose.filter(|_| joints.contains(&joint));
            }
        }
    }
    let mut all = Vec::new();
    for name in ["earliest.hdf5", "latest.hdf5"] {
        let bytes = fs::read(by_h5py(name)).unwrap();
        let (recording, report) = read(&bytes).unwrap();
        check(&recording, &frames).unwrap();
        assert_eq!(report.losses, [], "{name}");
        let markers: Vec<_> = recording
            .markers
            .iter()
            .map(|marker| (marker.time, &*marker.name))
            .collect();
        assert_eq!(markers, [(0.0, "Pick up the cup. Café.")]);
        let notes: Vec<_> = report.notes.iter().map(|note| &*note.message).collect();
        assert_eq!(
            notes[2..],
            [
                "EgoDex has no palms, pinch states or gaze: palms are computed; the head is the camera of the device",
                "not read: 1 other transform such as arms and spine",
                // An array.
                "not read: 1 attribute; the first 256 texts and integers are read"
            ]
        );
        assert_eq!(
            notes[0],
            "left hand: no leftThumbKnuckle, leftThumbIntermediateBase, leftThumbIntermediateTip and 16 more"
        );
        all.push(recording);
    }
    assert_eq!(all[0], all[1]);
}

#[test]
fn the_text_of_a_small_episode_is_as_expected() {
    let mut frames = both(2);
    for frame in &mut frames {
        frame.left.tracked = false;
    }
    let mut episode = Episode::of(&frames);
    let kept = ["camera", "rightHand", "rightThumbTip"];
    episode
        .transforms
        .retain(|(name, _)| kept.contains(&&**name));
    episode.attributes.push(("llm_description", "Wave."));
    let (recording, _) = read(&episode.write()).unwrap();
    let mut json = Vec::new();
    inputanim_convert::write(
        Format::Json,
        &recording,
        &WriteOptions::default(),
        &mut json,
    )
    .unwrap();
    let json = String::from_utf8(json).unwrap();
    snapbox::assert_data_eq!(json, snapbox::file!["../../golden/egodex.json"].raw());
}

#[test]
fn confidences_below_the_threshold_end_tracking() {
    let mut episode = Episode::of(&both(4));
    episode.confidences = vec![
        ("leftHand".to_owned(), vec![0.5, 0.49, f32::NAN, 1.0]),
        ("rightHand".to_owned(), vec![0.2, 0.3, 0.4, 0.1]),
    ];
    let tracked = |least: Option<f32>| {
        let mut options = ReadOptions::default();
        options.min_confidence = least;
        let bytes = episode.write();
        let (recording, report) = inputanim_convert::read(Format::EgoDex, &bytes, &options)?;
        let sampler = Sampler::new(&recording).unwrap();
        let frames = (0..4).map(|frame| sampler.frame_at((f64::from(frame) / FRAME_RATE) as f32));
        let states = frames.map(|frame| (frame.left.tracked, frame.right.tracked));
        Ok::<_, Error>((states.collect::<Vec<_>>(), report))
    };
    let (states, report) = tracked(None).unwrap();
    let left = [true, false, false, true];
    assert_eq!(states, left.map(|left| (left, false)));
    let notes: Vec<_> = report.notes.iter().map(|note| &*note.message).collect();
    assert_eq!(
        notes[..2],
        [
            "left hand: untracked in 2 of 4 frames, poses with a confidence below 0.5 dropped",
            "right hand: untracked in 4 of 4 frames, poses with a confidence below 0.5 dropped"
        ]
    );
    let (states, _) = tracked(Some(0.3)).unwrap();
    let right = [false, true, true, false];
    let left = [true, true, false, true];
    assert_eq!(states, left.into_iter().zip(right).collect::<Vec<_>>());
    for wrong in [-0.1, 1.1, f32::NAN] {
        let error = tracked(Some(wrong)).unwrap_err();
        assert!(
            matches!(error.downcast_ref(), Some(EgoDexError::Confidence(_))),
            "{error}"
        );
    }
}

#[test]
fn a_finger_with_a_low_confidence_is_unknown_in_this_frame() {
    let frames = both(4);
    let mut episode = Episode::of(&frames);
    episode.confidences = vec![
        ("leftHand".to_owned(), vec![0.9, 0.9, 0.2, 0.9]),
        ("leftThumbTip".to_owned(), vec![0.9, 0.4, 0.1, f32::NAN]),
        ("leftIndexFingerTip".to_owned(), vec![0.9, 0.45, 0.9, 0.9]),
        ("rightHand".to_owned(), vec![0.9; 4]),
        ("rightThumbTip".to_owned(), vec![0.5; 4]),
    ];
    let known = |least: Option<f32>| {
        let mut options = ReadOptions::default();
        options.min_confidence = least;
        let bytes = episode.write();
        let (recording, report) =
            inputanim_convert::read(Format::EgoDex, &bytes, &options).unwrap();
        let sampler = Sampler::new(&recording).unwrap();
        let frames = (0..4).map(|frame| sampler.frame_at((f64::from(frame) / FRAME_RATE) as f32));
        let of = |joint: Joint| {
            let joints = frames.clone().map(|frame| frame.left.joints[joint]);
            joints.map(|pose| pose.is_some()).collect::<Vec<_>>()
        };
        let found = [Joint::ThumbTip, Joint::IndexTip, Joint::RingTip].map(of);
        let notes = report.notes.into_iter();
        let notes = notes.filter(|note| note.kind == NoteKind::Confidence);
        (found, notes.map(|note| note.message).collect::<Vec<_>>())
    };
    let (joints, notes) = known(None);
    assert_eq!(
        joints,
        [
            [true, false, false, false],
            [true, false, false, true],
            [true, true, false, true],
        ]
    );
    assert_eq!(
        notes,
        [
            "left hand: untracked in 1 of 4 frames, poses with a confidence below 0.5 dropped",
            "left hand: 3 poses of 2 joints in 2 frames unknown, because the confidence of the joint is below 0.5",
        ]
    );
    let (joints, notes) = known(Some(0.42));
    assert_eq!(joints[1], [true, true, false, true]);
    assert!(
        notes[1].starts_with("left hand: 2 poses of 1 joint in 2 frames"),
        "{notes:?}"
    );
    assert_eq!(known(Some(0.0)).0[0], [true, true, true, false]);
}

#[test]
fn a_file_behind_a_user_block_is_read() {
    let bytes = fs::read(by_h5py("latest.hdf5")).unwrap();
    let (expected, _) = read(&bytes).unwrap();
    for size in [512, 2048] {
        let mut file = vec![b'#'; size];
        file.extend(&bytes);
        assert_eq!(Format::detect(&file), Some(Format::EgoDex));
        assert_eq!(read(&file).unwrap().0, expected);
        // h5py states the size of the block, and the end of the file with it.
        let block = &mut file[size + 12..];
        block[..8].copy_from_slice(&(size as u64).to_le_bytes());
        let end = (size + bytes.len()) as u64;
        block[16..24].copy_from_slice(&end.to_le_bytes());
        let (found, report) = read(&file).unwrap();
        assert_eq!(found, expected);
        assert!(report.losses.is_empty(), "{:?}", report.losses);
        let (_, report) = read(&file[..file.len() - 1]).unwrap();
        assert_eq!(report.losses[0].kind, LossKind::Damage);
    }
    let mut file = vec![b'#'; 700];
    file.extend(&bytes);
    assert!(message(read(&file).unwrap_err()).contains("expected the signature"));
}

#[test]
fn without_confidences_all_frames_are_tracked() {
    let mut episode = Episode::of(&both(3));
    episode.confidences.clear();
    let (recording, report) = read(&episode.write()).unwrap();
    let kinds = report.notes.iter().map(|note| note.kind);
    let confidence = kinds.filter(|kind| *kind == NoteKind::Confidence);
    assert_eq!(confidence.count(), 2);
    assert!(Sampler::new(&recording).unwrap().frame_at(0.0).left.tracked);
}

#[test]
fn confidences_without_the_wrist_are_noted() {
    let mut episode = Episode::of(&both(3));
    episode.confidences = vec![("leftThumbTip".to_owned(), vec![0.1; 3])];
    episode.transforms.retain(|(name, _)| name != "leftHand");
    let (recording, report) = read(&episode.write()).unwrap();
    assert!(Sampler::new(&recording).unwrap().frame_at(0.0).left.tracked);
    let notes: Vec<_> = report.notes.iter().map(|note| &*note.message).collect();
    assert_eq!(
        notes[..4],
        [
            "left hand: no leftHand",
            "left hand: tracked in all frames, because the confidence of the wrist is missing",
            "left hand: 3 poses of 1 joint in 3 frames unknown, because the confidence of the joint is below 0.5",
            "right hand: tracked in all frames, because no confidence is given",
        ]
    );
}

#[test]
fn matrices_that_are_not_rigid_are_unknown_and_reported() {
    let frames = both(5);
    let mut episode = Episode::of(&frames);
    episode.confidences.clear();
    episode.transform("camera")[1][0] = 2.0;
    episode.transform("leftRingFingerTip")[2] = [0.0; 16];
    episode.transform("leftThumbTip")[3][3] = f32::INFINITY;
    let (recording, report) = read(&episode.write()).unwrap();
    let losses: Vec<_> = report
        .losses
        .iter()
        .map(|loss| (loss.kind, loss.count, &*loss.message))
        .collect();
    assert_eq!(
        losses,
        [
            (
                LossKind::Head,
                1,
                "head: dropped in 1 of 5 frames, invalid matrix"
            ),
            (
                LossKind::Joints,
                2,
                "left hand: joints dropped in 2 of 5 frames, invalid matrix"
            ),
        ]
    );
    let keys = |joint: Joint| {
        let hands = recording.hands.as_ref().unwrap();
        hands.left.joints[joint].position[0].keys.len()
    };
    assert_eq!(
        (
            keys(Joint::RingTip),
            keys(Joint::ThumbTip),
            keys(Joint::Wrist)
        ),
        (4, 4, 5)
    );
    assert_eq!(recording.head.as_ref().unwrap().position[0].keys.len(), 4);
}

#[test]
fn missing_joints_and_hands_are_noted() {
    let mut episode = Episode::of(&both(3));
    let is_kept = |name: &str| !name.starts_with("left") && name != "camera";
    episode
        .transforms
        .retain(|(name, _)| is_kept(name) && !name.ends_with("ThumbTip"));
    let (recording, report) = read(&episode.write()).unwrap();
    assert_eq!(recording.head, None);
    let notes: Vec<_> = report.notes.iter().map(|note| &*note.message).collect();
    for expected in [
        "no left hand in the file",
        "right hand: no rightThumbTip",
        "EgoDex has no palms, pinch states or gaze: palms are computed; no camera in the file, so the recording has no \
         head",
    ] {
        assert!(notes.contains(&expected), "{notes:?}");
    }
}

#[test]
fn other_axes_of_the_joints_are_used_and_noted() {
    let frames = generated(Scene::TwoHands, 1, 60);
    let mut episode = Episode::of(&frames);
    // The left hand gets the axes of the right hand: its X and Y are reversed.
    for (name, matrices) in &mut episode.transforms {
        for matrix in matrices.iter_mut().filter(|_| name.starts_with("left")) {
            for row in matrix.chunks_exact_mut(4).take(3) {
                (row[0], row[1]) = (-row[0], -row[1]);
            }
        }
    }
    let (recording, report) = read(&episode.write()).unwrap();
    check(&recording, &frames).unwrap();
    let axes: Vec<_> = report
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Axes)
        .map(|note| &*note.message)
        .collect();
    let expected =
        "left hand: unusual axes of the joints: −X along the bone, +Y out of the back of the hand";
    assert_eq!(axes, [expected]);
}

#[test]
fn errors_state_their_place_and_expectation() {
    let frames = both(3);
    let shape = hdf5::dataspace(&[3, 4]);
    let wrong = move |writer: &mut hdf5::Writer, _: &str| {
        Some(writer.object(&[
            shape.clone(),
            (0x03, hdf5::F32.to_vec()),
            hdf5::layout(48, 48),
        ]))
    };
    assert_eq!(
        message(read(&Episode::of(&frames).write_with(wrong)).unwrap_err()),
        "/transforms/camera: expected the shape [N, 4, 4], found [3, 4]"
    );
    assert_eq!(
        refused(&Episode::of(&[])),
        "/transforms/camera: expected at least one frame, found none"
    );
    let mut episode = Episode::of(&frames);
    for (name, _) in &mut episode.transforms {
        name.insert(0, '_');
    }
    assert_eq!(
        refused(&episode),
        "not an episode of EgoDex: expected matrices such as /transforms/camera and /transforms/leftHand, found _camera, \
         _leftHand, _leftThumbKnuckle, _leftThumbIntermediateBase, _leftThumbIntermediateTip, _leftThumbTip, \
         _leftIndexFingerMetacarpal, _leftIndexFingerKnuckle and 43 more in /transforms"
    );
    let mut writer = hdf5::Writer::new();
    let data = writer.floats(&[2], &[0.0, 1.0]);
    let root = writer.object(&[hdf5::link("temperature", data), hdf5::link("time", data)]);
    assert_eq!(
        message(read(&writer.finish(root)).unwrap_err()),
        "not an episode of EgoDex: expected matrices such as /transforms/camera and /transforms/leftHand, found \
         temperature, time in /"
    );
    let error = message(read(b"time_s,left.tracked\n").unwrap_err());
    assert!(
        error.starts_with("cannot read the header of the HDF5 file: not an HDF5 file:"),
        "{error}"
    );
}

#[test]
fn limits_are_kept_and_writing_is_refused() {
    let bytes = Episode::of(&both(10)).write();
    let mut options = ReadOptions::default();
    options.limits.max_bytes = bytes.len() as u64 - 1;
    let error = inputanim_convert::read(Format::EgoDex, &bytes, &options).unwrap_err();
    assert!(
        matches!(error, Error::Limit { unit: "bytes", .. }),
        "{error}"
    );
    let mut options = ReadOptions::default();
    options.limits.max_keys = (51 + 2) * 7 * 10 - 1;
    let error = inputanim_convert::read(Format::EgoDex, &bytes, &options).unwrap_err();
    assert!(
        matches!(error, Error::Limit { unit: "keys", .. }),
        "{error}"
    );
    options.limits.max_keys += 1;
    let (recording, _) = inputanim_convert::read(Format::EgoDex, &bytes, &options).unwrap();
    let written = inputanim_convert::write(
        Format::EgoDex,
        &recording,
        &WriteOptions::default(),
        Vec::new(),
    );
    assert!(
        matches!(written, Err(Error::NotWritable(Format::EgoDex))),
        "{written:?}"
    );
}

#[test]
fn the_first_description_becomes_a_marker() {
    let mut episode = Episode::of(&both(1));
    episode.attributes = vec![
        ("llm_description", "Open the box."),
        ("llm_description2", "Close the box."),
        ("llm_type", "reversible"),
        ("which_llm_description", "2"),
    ];
    let (recording, _) = read(&episode.write()).unwrap();
    assert_eq!(recording.markers[0].name, "Close the box.");
    assert_eq!(recording.markers.len(), 1);
    episode.attributes.clear();
    let (recording, _) = read(&episode.write()).unwrap();
    assert!(recording.markers.is_empty());
    let texts: Vec<_> = recording.about.iter().collect();
    assert_eq!(texts, [("format", "egodex")]);
}

#[test]
fn attributes_are_texts_about_the_recording() {
    let mut episode = Episode::of(&both(1));
    episode.attributes = vec![
        ("llm_description", "Open the box."),
        ("task", "open_box"),
        ("environment", "kitchen"),
        ("session_name", ""),
    ];
    let (recording, _) = read(&episode.write()).unwrap();
    let texts: Vec<_> = recording.about.iter().collect();
    let expected = [
        ("environment", "kitchen"),
        ("format", "egodex"),
        ("llm_description", "Open the box."),
        ("task", "Open the box."),
        ("task_name", "open_box"),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn the_task_is_read_although_there_are_many_attributes() {
    let mut episode = Episode::of(&both(1));
    let names: Vec<String> = (0..300).map(|number| format!("other{number}")).collect();
    let others = names
        .iter()
        .map(|name| (name.clone().leak() as &str, "text"));
    episode.attributes = others.collect();
    episode
        .attributes
        .push(("llm_description", "Open the box."));
    let (recording, report) = read(&episode.write()).unwrap();
    assert_eq!(recording.about.get("task"), Some("Open the box."));
    // The format, the task and its source, and the first 256 others.
    assert_eq!(recording.about.iter().count(), 259);
    let notes = report.notes.iter().map(|note| note.message.as_str());
    let unread = "not read: 44 attributes; the first 256 texts and integers are read";
    assert_eq!(
        notes.filter(|note| *note == unread).count(),
        1,
        "{report:?}"
    );
}

#[test]
fn intrinsics_of_the_camera_are_a_text_about_the_recording() {
    const MATRIX: [f32; 9] = [736.6, 0.0, 960.0, 0.0, 736.6, 540.0, 0.0, 0.0, 1.0];
    let mut episode = Episode::of(&both(2));
    episode.intrinsic = Some(MATRIX);
    let (recording, report) = read(&episode.write()).unwrap();
    let found = recording.about.get(About::CAMERA_INTRINSIC);
    assert_eq!(found, Some("736.6 0 960 0 736.6 540 0 0 1"));
    assert!(report.losses.is_empty(), "{report:?}");
    // A matrix without a focal length is no camera.
    episode.intrinsic = Some([0.0; 9]);
    let (recording, report) = read(&episode.write()).unwrap();
    assert_eq!(recording.about.get(About::CAMERA_INTRINSIC), None);
    let losses: Vec<_> = report.losses.iter().map(|loss| &*loss.message).collect();
    let expected = "/camera/intrinsic not read: not the intrinsics of a camera";
    assert_eq!(losses, [expected]);
    // Without the poses of the camera, the intrinsics map nothing.
    episode.intrinsic = Some(MATRIX);
    episode.transforms.retain(|(name, _)| name != "camera");
    let (recording, _) = read(&episode.write()).unwrap();
    assert_eq!(recording.about.get(About::CAMERA_INTRINSIC), None);
}
