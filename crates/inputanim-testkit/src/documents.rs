//! The files that the examples of the documentation use, besides `samples/`.
//!
//! | folder or file | content |
//! |---|---|
//! | `damaged/` | damaged copies of `samples/wave.bin` |
//! | `study/`, `trials.csv` | recordings of three participants, and their trial table |
//! | `selections/` | selections of two targets, and the table of the targets |
//! | `frames/` | frames that other programs printed |
//! | `controllers/` | a right controller that grasps and places a cube, in JSON; only with the feature `formats` |
//! | `capture/` | files of NVIDIA's Isaac Capture; only with the feature `mcap-files` |
//! | `laboratory/` | an XDF file with an EEG and markers |
//! | `datasets/` | an episode of EgoDex and a recording of BOXRR-23 |

use std::fs;
use std::path::Path;

use inputanim::session::{SessionOptions, SessionWriter};
use inputanim::{
    CurveMut, FloatCurve, Frame, Joint, Keys, Layout, Pose, Recorder, Recording, Sampler, SimpleKey,
};
#[cfg(feature = "formats")]
use inputanim::{DeviceFrame, DeviceName, Haptic, InputValue, Side};
#[cfg(feature = "mcap-files")]
use inputanim_convert::Sampling;
#[cfg(feature = "formats")]
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_motion::{Motion, Scene};

/// The folders and the file that [`write()`] writes.
pub const NAMES: [&str; 9] = [
    "damaged",
    "study",
    "trials.csv",
    "selections",
    "frames",
    "controllers",
    "capture",
    "laboratory",
    "datasets",
];

/// Writes all files into a folder, also copies of the samples. `root` is the folder of the workspace.
pub fn write(root: &Path, folder: &Path) {
    let samples = folder.join("samples");
    fs::create_dir(&samples).unwrap();
    for entry in fs::read_dir(root.join("samples")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, samples.join(path.file_name().unwrap())).unwrap();
    }
    write_damaged_files(root, &folder.join("damaged"));
    write_study(&folder.join("study"));
    write_trials(&folder.join("trials.csv"));
    write_selections(&folder.join("selections"));
    write_frames(&folder.join("frames"));
    fs::create_dir(folder.join("controllers")).unwrap();
    #[cfg(feature = "formats")]
    write_controllers(&folder.join("controllers"));
    write_files_of_others(root, folder);
}

/// Writes files of Isaac Capture, of a laboratory with an EEG, and of two datasets.
fn write_files_of_others(root: &Path, folder: &Path) {
    let captures = folder.join("capture");
    fs::create_dir(&captures).unwrap();
    #[cfg(feature = "mcap-files")]
    for (name, scene, seed) in [
        ("pick_1", Scene::PinchDrag, 1),
        ("pick_2", Scene::PinchDrag, 2),
        ("wave_1", Scene::Wave, 3),
    ] {
        let mut recording = Motion::new(scene, seed, 4.0).record(30.0, Layout::Mrtk1_1);
        let hand = &mut recording.hands_mut().right;
        if name == "pick_2" {
            // The hand is lost while it drags.
            hand.tracked = inputanim::BooleanCurve::new([(0.0, true), (1.2, false), (1.6, true)]);
        }
        if name == "wave_1" {
            // A finger jumps.
            for key in simple(&mut hand.joints[Joint::IndexTip].position[1]) {
                if (1.8..1.85).contains(&key.time()) {
                    *key = SimpleKey::new(key.time(), key.value() + 0.06);
                }
            }
        }
        let mut options = WriteOptions::default();
        options.sampling = Sampling::Rate(30.0);
        let (complete, _) = write_bytes(Format::Isaac, &recording, &options).unwrap();
        let capture = crate::isaac_capture(&complete);
        fs::write(captures.join(format!("{name}.mcap")), capture).unwrap();
    }
    let laboratory = folder.join("laboratory");
    fs::create_dir(&laboratory).unwrap();
    fs::write(laboratory.join("eeg.xdf"), crate::xdf::eeg()).unwrap();
    let datasets = folder.join("datasets");
    fs::create_dir(&datasets).unwrap();
    for (from, to) in [
        ("egodex/latest.hdf5", "egodex.hdf5"),
        ("golden/small.xror", "boxrr.xror"),
    ] {
        let from = root.join("crates/inputanim-convert/tests").join(from);
        fs::copy(from, datasets.join(to)).unwrap();
    }
}

/// Writes recordings in which a person places a cube with a right controller: the trigger closes while the cube is held.
#[cfg(feature = "formats")]
fn write_controllers(folder: &Path) {
    for (name, distance) in [("place_1", 0.3), ("place_2", 0.4)] {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for step in 0..=180_u8 {
            let time = f32::from(step) / 60.0;
            recorder.push(&placing_frame(time, distance)).unwrap();
        }
        // The application vibrates when the cube is grasped.
        let pulse = Haptic {
            time: 1.0,
            output: "haptic".parse().unwrap(),
            duration: Some(0.05),
            frequency: None,
            amplitude: 0.5,
        };
        let controller = DeviceName::controller(Side::Right);
        recorder.haptic(controller, pulse).unwrap();
        let mut recording = recorder.finish();
        // Nobody looked for hands.
        recording.hands = None;
        recording.about.set("task", "place the cube");
        let (json, _) = write_bytes(Format::Json, &recording, &WriteOptions::default()).unwrap();
        fs::write(folder.join(format!("{name}.json")), json).unwrap();
    }
}

/// Returns the frame of a head and a right controller at a time from 0 to 3 s. The cube is carried over a distance in metres.
#[cfg(feature = "formats")]
fn placing_frame(time: f32, distance: f32) -> Frame {
    let eased = |start: f32, end: f32| {
        let share = ((time - start) / (end - start)).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    };
    let carried = eased(1.2, 2.2);
    let lifted = 0.1 * (carried * std::f32::consts::PI).sin();
    let grip = Pose::at([
        0.2 - distance * carried,
        0.9 + lifted,
        0.2 + 0.2 * eased(0.0, 0.8),
    ]);
    let trigger = eased(0.8, 1.0) - eased(2.3, 2.5);
    let mut controller = DeviceFrame::new(DeviceName::controller(Side::Right));
    controller.active = true;
    controller.profile = Some("/interaction_profiles/oculus/touch_controller".into());
    let mut aim = grip;
    aim.position[2] += 0.05;
    controller.poses = [("aim", aim), ("grip", grip)]
        .map(|(name, pose)| (name.parse().unwrap(), pose))
        .into();
    controller.inputs = [
        ("a/click", InputValue::Boolean(time >= 2.75)),
        ("squeeze/value", InputValue::Float(0.0)),
        ("trigger/value", InputValue::Float(trigger)),
    ]
    .map(|(name, value)| (name.parse().unwrap(), value))
    .into();
    Frame {
        time,
        head: Some(Pose::at([0.0, 1.6, 0.0])),
        devices: vec![controller],
        ..Frame::default()
    }
}

/// Writes frames as other programs print them.
fn write_frames(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let head = |time: f64| {
        let x = (time * 3.0).sin() / 4.0;
        format!(r#""head":{{"position":[{x:.4},1.6,0],"rotation":[0,0,0,1]}}"#)
    };
    let mut objects = String::from("{\"time\":0.1,\"marker\":\"start\"}\n");
    for step in 0..=120 {
        let time = f64::from(step) / 60.0;
        objects += &format!("{{\"time\":{time:.4},{}}}\n", head(time));
    }
    fs::write(folder.join("head.ndjson"), &objects).unwrap();
    let end = objects.len() - 20;
    fs::write(folder.join("truncated.ndjson"), &objects[..end]).unwrap();
    let table = "time_s,left.tracked,left.pinching,confidence\n0,1,0,0.9\n0.5,1,1,0.8\n0.4,1,1,0.8\n1,0,0,0\n";
    fs::write(folder.join("states.csv"), table).unwrap();
    let table = "\
Timestamp [us],tip_x,tip_y,tip_z,quality
1714557600000000,102.5,1010.0,350.2,0.97
1714557600016667,102.9,1010.4,350.1,0.98
1714557600033333,103.4,1010.9,350.1,0.98
";
    fs::write(folder.join("tracker.csv"), table).unwrap();
}

/// Writes damaged files, as interrupted saves and other programs leave them.
pub fn write_damaged_files(root: &Path, folder: &Path) {
    fs::create_dir(folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let wave = fs::read(root.join("samples/wave.bin")).unwrap();
    write("cut.bin", &wave[..100_000]);
    write("empty.bin", b"");
    write("photo.bin", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    write("tutorial.bin", b"7678548776933278406\n1\n1\n");
    let mut newer = wave.clone();
    newer[12] = 2;
    write("newer.bin", &newer);
    let mut no_time = wave.clone();
    // The second key of the first curve: 19 bytes of header and flags, 12 of the curve's.
    no_time[39..43].copy_from_slice(&f32::NAN.to_le_bytes());
    write("no-time.bin", &no_time);
    let mut zeros = wave.clone();
    zeros[120_000..].fill(0);
    write("zeros.bin", &zeros);
    let mut longer = wave.clone();
    longer.extend([0; 100]);
    write("longer.bin", &longer);
    write("killed.session", &killed_session(&wave));
    let changed = |change: fn(&mut Recording<'_>)| {
        let mut recording = Recording::parse(&wave).unwrap();
        change(&mut recording);
        recording.to_bytes().unwrap()
    };
    write("lost-w.bin", &changed(lose_w));
    write("lost-tail.bin", &changed(lose_tail));
    write("sign-flips.bin", &changed(flip_signs));
}

/// Writes the recordings of three participants, who did two tasks each. Two of the files are damaged.
fn write_study(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for participant in 1..=3 {
        for (task, scene) in [("grab", Scene::PinchDrag), ("reach", Scene::Reach)] {
            let mut recording = Motion::new(scene, participant, 4.0).record(30.0, Layout::Mrtk1_1);
            if (participant, task) == (2, "grab") {
                lose_w(&mut recording);
            }
            let mut bytes = recording.to_bytes().unwrap();
            if (participant, task) == (3, "reach") {
                bytes.truncate(100_000);
            }
            let name = format!("p{participant:02}_{task}.bin");
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// Writes a trial table of the study.
fn write_trials(path: &Path) {
    let mut table = "recording,trial,start,end,condition\n".to_owned();
    for recording in ["p01_grab", "p01_reach", "p02_reach", "p03_grab"] {
        table += &format!("{recording},1,0.5,2,near\n{recording},2,2,3.5,far\n");
    }
    fs::write(path, table).unwrap();
}

/// Writes a recording in which a hand selects two targets in turn, first with a wide tolerance and then with a
/// narrow one, and the table of the targets.
fn write_selections(folder: &Path) {
    const TARGETS: [[f32; 3]; 2] = [[-0.1, 1.2, 0.4], [0.1, 1.2, 0.4]];
    fs::create_dir(folder).unwrap();
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let mut time = 0.0_f32;
    for (condition, spread) in [("wide", 0.02), ("narrow", 0.004)] {
        recorder.mark(time, format!("start {condition}")).unwrap();
        let mut from = TARGETS[1];
        for selection in 0..8_u8 {
            let [x, y, z] = TARGETS[usize::from(selection % 2)];
            // The offsets of the selected points repeat after five selections.
            let offset = spread * (f32::from(selection % 5) - 2.0) / 2.0;
            let to = [x + offset, y, z];
            for step in 0..30_u8 {
                let share = (f32::from(step) / 20.0).min(1.0);
                let eased = share * share * (3.0 - 2.0 * share);
                let point = [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * eased);
                recorder
                    .push(&selecting_frame(time, point, step >= 24))
                    .unwrap();
                time += 1.0 / 60.0;
            }
            from = to;
        }
        recorder.mark(time, "stop").unwrap();
    }
    let recording = recorder.finish();
    fs::write(folder.join("tapping.bin"), recording.to_bytes().unwrap()).unwrap();
    let mut table = "name,shape,x,y,z,radius\n".to_owned();
    for (name, [x, y, z]) in ["left", "right"].iter().zip(TARGETS) {
        table += &format!("{name} button,sphere,{x},{y},{z},0.03\n");
    }
    fs::write(folder.join("targets.csv"), table).unwrap();
}

/// Returns a frame of a left hand whose tips of thumb and index finger are at a point.
fn selecting_frame(time: f32, point: [f32; 3], is_pinching: bool) -> Frame {
    let mut frame = Frame {
        time,
        ..Frame::default()
    };
    frame.left.tracked = true;
    frame.left.pinching = is_pinching;
    let distance = if is_pinching { 0.0 } else { 0.05 };
    for (joint, side) in [
        (Joint::ThumbTip, -0.5),
        (Joint::IndexTip, 0.5),
        (Joint::Palm, 0.0),
    ] {
        let mut pose = Pose::IDENTITY;
        pose.position = [point[0], point[1] + side * distance, point[2]];
        frame.left.joints[joint] = Some(pose);
    }
    frame
}

/// Returns the bytes of a session whose program died while it wrote.
fn killed_session(wave: &[u8]) -> Vec<u8> {
    let recording = Recording::parse(wave).unwrap();
    let sampler = Sampler::new(&recording).unwrap();
    let mut writer = SessionWriter::new(Vec::new(), SessionOptions::new(recording.layout)).unwrap();
    for frame in sampler.frames(sampler.key_times()) {
        writer.push(&frame).unwrap();
    }
    writer.mark(1.0, "wave").unwrap();
    let mut bytes = writer.finish().unwrap();
    bytes.truncate(bytes.len() * 4 / 5);
    bytes
}

fn rotations<'r, 'a>(
    recording: &'r mut Recording<'a>,
) -> impl Iterator<Item = &'r mut [FloatCurve<'a>; 4]> {
    let hands = recording.hands.iter_mut();
    let joints = hands.flat_map(|hands| {
        hands
            .left
            .joints
            .iter_mut()
            .chain(hands.right.joints.iter_mut())
    });
    let poses = recording
        .head
        .iter_mut()
        .chain(joints.map(|(_, pose)| pose));
    poses.map(|pose| &mut pose.rotation)
}

fn simple<'r, 'a>(curve: &'r mut FloatCurve<'a>) -> &'r mut Vec<SimpleKey> {
    match &mut curve.keys {
        Keys::Simple(keys) => keys.to_mut(),
        Keys::Full(_) => unreachable!("the layout has simple keys"),
    }
}

/// Keeps one key of each w, as MRTK 2.6.0 to 2.7.2 does (docs/format.md 6, D1).
pub fn lose_w(recording: &mut Recording<'_>) {
    for [.., w] in rotations(recording) {
        simple(w).truncate(1);
    }
}

/// Keeps the first sample and complete partitions of 32 samples, as MRTK 2.6 to 2.8 does
/// (docs/format.md 6, D3).
fn lose_tail(recording: &mut Recording<'_>) {
    for (_, curve) in recording.curves_mut() {
        if let CurveMut::Float(curve) = curve
            && let Some(behind) = curve.keys.len().checked_sub(1)
        {
            simple(curve).truncate(1 + behind / 32 * 32);
        }
    }
}

/// Flips the signs of some rotations, as devices do (docs/format.md 6, D4).
fn flip_signs(recording: &mut Recording<'_>) {
    for curves in rotations(recording) {
        for curve in curves {
            for key in simple(curve).iter_mut().skip(50).take(3) {
                *key = SimpleKey::new(key.time(), -key.value());
            }
        }
    }
}
