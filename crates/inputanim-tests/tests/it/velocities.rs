//! The velocities of devices: changes of a recording keep them equal to the changes of its poses over time.

use glam::{DQuat, DVec3};
use inputanim::edit::{self, Fill, MirrorPlane, Smooth, Transform};
use inputanim::velocity::{VelocityKind, VelocityVector};
use inputanim::{
    DeviceFrame, DeviceName, Element, Frame, FrameColumns, InputName, InputValue, Layout, Pose,
    PoseName, Recorder, Recording, Sampler, Side, Space, TimeRange,
};

const RATE: f32 = 256.0;
const FRAMES: u16 = 65;
const LINEAR: [f32; 3] = [0.5, -1.25, 2.0];
const ANGULAR: [f32; 3] = [1.5, 2.0, -0.75];

fn grip() -> PoseName {
    "grip".parse().unwrap()
}

fn names(kind: VelocityKind) -> [InputName; 3] {
    let pose = grip();
    VelocityVector { pose, kind }.inputs().unwrap()
}

fn double(vector: [f32; 3]) -> DVec3 {
    DVec3::from_array(vector.map(f64::from))
}

fn quaternion(pose: &Pose) -> DQuat {
    DQuat::from_array(pose.rotation.map(f64::from))
}

/// Returns a recording of a right controller that moves and turns at constant speed.
fn moving() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for index in 0..FRAMES {
        let time = f32::from(index) / RATE;
        let turned = DQuat::from_scaled_axis(double(ANGULAR) * f64::from(time));
        let rotation = turned * DQuat::from_xyzw(0.1, 0.7, -0.1, 0.7).normalize();
        let position = std::array::from_fn(|axis| 0.3 + LINEAR[axis] * time);
        let pose = Pose {
            position,
            rotation: rotation.to_array().map(|part| part as f32),
        };
        let mut device = DeviceFrame::new(DeviceName::controller(Side::Right));
        device.active = true;
        device.poses.push((grip(), pose));
        for (kind, vector) in [
            (VelocityKind::Angular, ANGULAR),
            (VelocityKind::Linear, LINEAR),
        ] {
            let numbers = vector.map(InputValue::Float);
            device.inputs.extend(names(kind).into_iter().zip(numbers));
        }
        let head = Some(Pose::at([0.0, 1.6, 0.0]));
        let devices = vec![device];
        let frame = Frame {
            time,
            head,
            devices,
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

fn velocity(device: &DeviceFrame, kind: VelocityKind) -> DVec3 {
    let vector = VelocityVector { pose: grip(), kind };
    double(vector.read(|name| device.input(name)).expect("a velocity"))
}

/// Compares the velocities of the frames with the differences of their poses.
#[track_caller]
fn assert_agree(frames: &[Frame]) {
    for pair in frames.windows(3) {
        let [before, here, after] = [0, 1, 2].map(|index| &pair[index].devices[0]);
        let seconds = f64::from(pair[2].time) - f64::from(pair[0].time);
        let [from, to] = [before, after].map(|device| *device.pose(grip()).unwrap());
        let linear = (double(to.position) - double(from.position)) / seconds;
        let turn = quaternion(&to) * quaternion(&from).conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let angular = turn.to_scaled_axis() / seconds;
        for (kind, wanted) in [
            (VelocityKind::Linear, linear),
            (VelocityKind::Angular, angular),
        ] {
            let found = velocity(here, kind);
            let error = found.distance(wanted) / wanted.length();
            assert!(error < 1e-3, "{kind}: {found}, not {wanted}");
        }
    }
}

fn frames(recording: &Recording<'_>) -> Vec<Frame> {
    let sampler = Sampler::new(recording).unwrap();
    let times = sampler.key_times().into_iter();
    times.map(|time| sampler.frame_at(time)).collect()
}

fn motion() -> Transform {
    Transform::from_scale(1.7)
        .then(&Transform::from_rotation([0.3, -0.2, 0.5, 1.0]))
        .then(&Transform::from_translation([1.0, -2.0, 3.0]))
}

#[test]
fn edits_keep_velocities_equal_to_the_changes_of_poses() {
    type EditOf = fn(&mut Recording<'_>);
    let edits: [(&str, EditOf); 7] = [
        ("nothing", |_| {}),
        ("transform", |recording| {
            edit::transform(recording, &motion()).unwrap();
        }),
        ("quarter turn", |recording| {
            let turn = Transform::from_yaw(std::f64::consts::FRAC_PI_2);
            edit::transform(recording, &turn).unwrap();
        }),
        ("mirror", |recording| {
            edit::mirror(recording, &MirrorPlane::WORLD).unwrap();
        }),
        ("mirror in any plane", |recording| {
            let rotation = [0.1, 0.7, -0.1, 0.7];
            let position = [0.3, 1.2, 0.5];
            let plane = MirrorPlane::through(&Pose { position, rotation });
            edit::mirror(recording, &plane).unwrap();
        }),
        ("retime", |recording| edit::retime(recording, 2.5).unwrap()),
        ("resample", |recording| {
            edit::resample(recording, 200.0).unwrap();
        }),
    ];
    for (name, change) in edits {
        let mut recording = moving();
        change(&mut recording);
        println!("{name}");
        assert_agree(&frames(&recording));
    }
}

#[test]
fn a_transform_and_its_inverse_restore_velocities() {
    let original = moving();
    let mut edited = original.clone();
    edit::transform(&mut edited, &motion()).unwrap();
    edit::transform(&mut edited, &motion().inverse()).unwrap();
    edit::retime(&mut edited, 4.0).unwrap();
    edit::retime(&mut edited, 0.25).unwrap();
    for (a, b) in frames(&original).iter().zip(frames(&edited)) {
        for kind in VelocityKind::ALL {
            let [a, b] = [&a.devices[0], &b.devices[0]].map(|device| velocity(device, *kind));
            assert!(a.distance(b) < 1e-5, "{kind}: {b}, not {a}");
        }
    }
    let mut mirrored = original.clone();
    for _ in 0..2 {
        edit::mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
    }
    assert_eq!(mirrored, original);
    edit::transform(&mut mirrored, &Transform::from_translation([1.0, 2.0, 3.0])).unwrap();
    assert_eq!(mirrored.devices[0].inputs, original.devices[0].inputs);
}

#[test]
fn velocities_have_the_axes_of_the_poses_in_every_space() {
    let recording = moving();
    let sampler = Sampler::new(&recording).unwrap();
    for &space in Space::ALL {
        println!("{space}");
        let converted = frames(&recording).into_iter();
        let converted: Vec<Frame> = converted.map(|frame| space.frame(frame)).collect();
        assert_agree(&converted);
        let back = converted.iter().map(|frame| space.frame(frame.clone()));
        assert!(back.eq(frames(&recording)));
        let mut columns: FrameColumns = sampler.columns(sampler.key_times());
        space.columns(&mut columns);
        for (index, frame) in converted.iter().enumerate() {
            for (name, column) in &columns.devices[0].inputs {
                let wanted = frame.devices[0].input(*name).unwrap().number();
                assert_eq!(column.values[index], wanted, "{name}");
            }
        }
    }
}

#[test]
fn a_rotation_needs_all_components_and_makes_a_sum_unknown_where_a_part_is() {
    let device = DeviceName::controller(Side::Right);
    let [x, y, z] = names(VelocityKind::Linear);
    let mut recording = moving();
    let gap = TimeRange {
        start: 0.05,
        end: 0.1,
    };
    recording.known.add_gap(Element::Input(device, y), gap);
    edit::transform(&mut recording, &motion()).unwrap();
    for name in [x, y, z] {
        assert_eq!(recording.known.gaps(Element::Input(device, name)), [gap]);
    }
    edit::select(&mut recording, |element| {
        element != Element::Input(device, y)
    });
    let before = recording.clone();
    let error = edit::transform(&mut recording, &motion()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "right.controller.grip.linear_velocity.y is not recorded: a velocity without all of its components cannot be rotated"
    );
    assert_eq!(recording, before);
    edit::mirror(&mut recording, &MirrorPlane::WORLD).unwrap();
    edit::transform(&mut recording, &Transform::from_scale(2.0)).unwrap();
}

#[test]
fn a_speed_that_makes_a_velocity_infinite_is_refused() {
    let mut recording = moving();
    let [x, ..] = names(VelocityKind::Linear);
    let device = recording.device_mut(DeviceName::controller(Side::Right));
    device.push_input(x, 1.0, InputValue::Float(1e38));
    let before = recording.clone();
    let error = edit::retime(&mut recording, 10.0).unwrap_err();
    assert!(matches!(error, edit::EditError::Overflow { .. }), "{error}");
    assert_eq!(recording, before);
}

#[test]
fn smoothing_removes_the_velocities_of_poses_that_change() {
    let mut recording = moving();
    let device = DeviceName::controller(Side::Right);
    let [x, ..] = names(VelocityKind::Linear);
    let gap = TimeRange {
        start: 0.05,
        end: 0.1,
    };
    recording.known.add_gap(Element::Input(device, x), gap);
    let original = recording.clone();
    let losses = edit::smooth(&mut recording, &Smooth::default()).unwrap();
    let lines: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "right.controller: grip.angular_velocity.x, grip.angular_velocity.y, grip.angular_velocity.z, \
          grip.linear_velocity.x, grip.linear_velocity.y, grip.linear_velocity.z (390 keys)"
        ]
    );
    assert!(recording.devices[0].inputs.is_empty());
    assert!(recording.known.is_complete());
    // Nothing is lost if no pose changes.
    let mut same = original.clone();
    let mut options = Smooth::default();
    options.min_cutoff = f64::INFINITY;
    assert_eq!(edit::smooth(&mut same, &options).unwrap(), []);
    options = Smooth::default();
    options.joints = vec!["head".to_owned()];
    assert_eq!(edit::smooth(&mut same, &options).unwrap(), []);
    edit::fill_gaps(&mut same, &Fill::default()).unwrap();
    assert_eq!(same.devices, original.devices);
}

#[test]
fn velocities_are_unknown_in_a_transition() {
    let device = DeviceName::controller(Side::Right);
    let parts = [moving(), moving()];
    let end = parts[0].duration();
    let blend = edit::Join::new(None, Some(0.5)).unwrap();
    let joined = edit::concat(&parts, blend).unwrap();
    for name in names(VelocityKind::Angular) {
        let gaps = joined.known.gaps(Element::Input(device, name));
        assert_eq!(
            gaps,
            [TimeRange {
                start: end,
                end: end + 0.5
            }]
        );
    }
    let joined = edit::concat(&parts, edit::Join::Cut).unwrap();
    assert!(joined.known.is_complete());
}
