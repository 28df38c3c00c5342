//! Controllers, trackers and other devices in tables.

use std::sync::Arc;

use crate::table_formats::{FORMATS, TableFormat};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use inputanim::{
    CurvePath, Device, DeviceFrame, DeviceName, FrameColumns, Haptic, InputCurve, InputName,
    InputValue, Layout, Pose, PoseChannel, Recording, Sampler, Side, Space, TimeRange,
};
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{DataType, Instants, TableColumns, Values};
use inputanim_convert::{
    Format, LossKind, Mapping, ReadOptions, Sampling, TableShape, WriteOptions, read, write_bytes,
};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

/// Returns a recording of 1 s with the right controller: a grip, a trigger and a button, and its profile from 0.25 s on.
fn controller() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.set_profile(0.25, "/interaction_profiles/valve/index_controller");
    for (time, value) in [(0.0, 0.0), (1.0, 1.0)] {
        right
            .pose_mut("grip".parse().unwrap())
            .push(time, &Pose::at([value, 1.0, 2.0]));
        right.push_input(
            "trigger/value".parse().unwrap(),
            time,
            InputValue::Float(value),
        );
        right.push_input(
            "a/click".parse().unwrap(),
            time,
            InputValue::Boolean(value > 0.5),
        );
    }
    right.haptics.push(Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: Some(0.125),
        frequency: None,
        amplitude: 0.75,
    });
    recording
}

fn wide(rate: f64) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    options
}

#[test]
fn tables_without_columns_of_hands_say_nothing_of_hands() {
    let mut with_head = controller();
    for time in [0.0, 1.0] {
        with_head.head_mut().push(time, &Pose::at([0.0, 1.6, time]));
    }
    let mut only_head = with_head.clone();
    only_head.devices.clear();
    for recording in [controller(), with_head, only_head] {
        for format in FORMATS {
            let read = format.read(&format.write(&recording, &wide(4.0))).unwrap();
            assert_eq!(read.hands, None, "{format:?}");
            let sampler = Sampler::new(&read).unwrap();
            assert!(sampler.frame_at(0.5).left.unknown && sampler.frame_at(0.5).right.unknown);
            assert_eq!(read.duration(), 1.0, "{format:?}");
        }
    }
}

#[test]
fn a_wide_table_has_columns_for_devices_after_the_others() {
    let (bytes, report) = write_bytes(Format::Csv, &controller(), &wide(2.0)).unwrap();
    let expected = "\
time_s,right.controller.active,right.controller.profile,\
right.controller.grip.position.x,right.controller.grip.position.y,right.controller.grip.position.z,\
right.controller.grip.rotation.x,right.controller.grip.rotation.y,right.controller.grip.rotation.z,\
right.controller.grip.rotation.w,right.controller.a.click,right.controller.trigger.value
0.0,0,,,,,,,,,,
0.5,1,/interaction_profiles/valve/index_controller,0.5,1.0,2.0,0.0,0.0,0.0,1.0,false,0.5
1.0,1,/interaction_profiles/valve/index_controller,1.0,1.0,2.0,0.0,0.0,0.0,1.0,true,1.0
";
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    let [loss] = &report.losses[..] else {
        panic!("{report:?}")
    };
    assert_eq!(
        (loss.kind, &*loss.message),
        (LossKind::Devices, "right.controller: 1 haptic pulse")
    );
    let (bytes, _) = write_bytes(Format::Ndjson, &controller(), &wide(1.0)).unwrap();
    let expected = r#"{"time":0.0,"devices":{"right.controller":{"active":false,"profile":null,"poses":{},"inputs":{}}}}
{"time":1.0,"devices":{"right.controller":{"active":true,"profile":"/interaction_profiles/valve/index_controller","poses":{"grip":{"position":[1.0,1.0,2.0],"rotation":[0.0,0.0,0.0,1.0]}},"inputs":{"a.click":true,"trigger.value":1.0}}}}
"#;
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn a_tidy_table_loses_a_line_for_each_device() {
    let mut recording = controller();
    recording.device_mut("tracker.waist".parse().unwrap());
    let mut options = wide(2.0);
    options.shape = TableShape::Tidy;
    let (_, report) = write_bytes(Format::Csv, &recording, &options).unwrap();
    let losses: Vec<_> = report.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "right.controller: grip, a.click, trigger.value (18 keys), 1 profile change, 1 haptic pulse",
            "tracker.waist: a device without values",
        ]
    );
}

#[test]
fn an_input_that_is_a_number_in_one_recording_is_a_number_in_all() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.push_input("a/click".parse().unwrap(), 0.0, InputValue::Float(0.5));
    let mut columns = Columns::of(&controller());
    assert!(columns.devices[0].inputs[0].1);
    columns.add(&Columns::of(&recording));
    assert!(!columns.devices[0].inputs[0].1);
    columns.add(&Columns::of(&controller()));
    assert!(!columns.devices[0].inputs[0].1);
    let table = TableColumns::new(TableShape::Wide, &columns, Space::Unity);
    let click = table.position("right.controller.a.click").unwrap();
    assert_eq!(table.fields()[click].data_type, DataType::Float32);
    let sampler = Sampler::new(&controller()).unwrap();
    let rows = table.select(&[click]).sample(&sampler, vec![1.0]);
    assert_eq!(rows.batch.columns[0].values, Values::Float32(vec![1.0]));
}

/// Returns cells with equal texts for equal numbers: two texts of a number can be equally short and equally close to it.
fn canonical(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for cell in rows.iter_mut().flatten() {
        if let Ok(number) = cell.parse::<f32>() {
            *cell = format!("{number:?}");
        }
    }
    rows
}

/// Returns the text of each row: the values of the devices, and nothing where they are unknown.
fn expected_rows(columns: &Columns, sampled: &FrameColumns) -> Vec<Vec<String>> {
    let number = |number: f32| {
        if number.is_nan() {
            String::new()
        } else {
            format!("{number:?}")
        }
    };
    let state = |number: f32| {
        if number.is_nan() {
            String::new()
        } else {
            format!("{}", u8::from(number > 0.5))
        }
    };
    let rows = 0..sampled.times.len();
    let row = |row: usize| {
        let mut cells = Vec::new();
        for parts in &columns.devices {
            let mut devices = sampled.devices.iter();
            let device = devices.find(|device| device.name == parts.name).unwrap();
            cells.push(state(device.active[row]));
            cells.push(device.profile[row].as_deref().unwrap_or("").to_owned());
            for name in &parts.poses {
                let (_, pose) = device
                    .poses
                    .iter()
                    .find(|(other, _)| other == name)
                    .unwrap();
                cells.extend(pose.columns().map(|column| number(column[row])));
            }
            for (name, is_boolean) in &parts.inputs {
                let (_, input) = device
                    .inputs
                    .iter()
                    .find(|(other, _)| other == name)
                    .unwrap();
                let value = input.values[row];
                cells.push(match is_boolean {
                    true if value.is_nan() => String::new(),
                    true => (value > 0.5).to_string(),
                    false => number(value),
                });
            }
        }
        cells
    };
    rows.map(row).collect()
}

fn keys() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.shape = TableShape::Keys;
    options
}

#[test]
fn a_table_of_keys_has_profiles_and_pulses() {
    let (bytes, report) = write_bytes(Format::Csv, &controller(), &keys()).unwrap();
    assert!(report.losses.is_empty(), "{report:?}");
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with(
        "curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode,kind,pre_wrap,post_wrap,name,duration_s,\
         frequency_hz\n"
    ));
    for line in [
        "right.controller.a.click,1,1,,,,,,boolean,8,8,,,",
        "right.controller.profile,0.25,1,,,,,,profile,,,/interaction_profiles/valve/index_controller,,",
        "right.controller.haptic,0.5,0.75,,,,,,haptic,,,,0.125,",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    for (from, to, expected) in [
        ("haptic,0.5,0.75", "haptic,NaN,0.75", "found time NaN s"),
        (
            "haptic,0.5,0.75",
            "haptic.x,0.5,0.75",
            "a device and its output",
        ),
        ("profile,0.25,1", "profile,0.25,2", "1 for active"),
        ("profile,0.25,1", "profile,0.25,0", "an empty cell"),
        (
            "controller.profile,",
            "controller.grip,",
            "the profile of a device",
        ),
    ] {
        let damaged = text.replace(from, to);
        let error = read(Format::Csv, damaged.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(message(&error).contains(expected), "{}", message(&error));
    }
}

#[test]
fn tables_without_devices_have_the_same_columns_as_before() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    let (bytes, _) = write_bytes(Format::Csv, &recording, &keys()).unwrap();
    let first = "curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode,kind,pre_wrap,post_wrap,name\n";
    assert!(bytes.starts_with(first.as_bytes()));
    let columns = TableColumns::new(TableShape::Keys, &Columns::of(&recording), Space::Unity);
    assert!(matches!(columns.fields()[0].data_type, DataType::Words(words) if words.len() == 395));
    assert!(matches!(columns.fields()[8].data_type, DataType::Words(words) if words.len() == 7));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_table_of_keys_holds_devices_completely(recording in device_recording()) {
        let mut recording = recording;
        // A device about which only its name is known.
        recording.devices.push(Device::new("tracker.zero".parse().unwrap()));
        for format in FORMATS {
            let bytes = format.write(&recording, &keys());
            prop_assert_eq!(&format.read(&bytes).unwrap(), &recording, "{:?}", format);
        }
        let columns = TableColumns::new(TableShape::Keys, &Columns::of(&recording), Space::Unity);
        let rows = TableColumns::key_rows(&recording);
        prop_assert_eq!(columns.keys(&recording, 0..rows, None, None).rows, rows);
        let parts = (0..rows).map(|row| columns.keys(&recording, row..row + 1, None, None).rows);
        prop_assert_eq!(parts.sum::<usize>(), rows);
    }

    #[test]
    fn a_wide_table_has_the_samples_of_devices(recording in device_recording()) {
        let (bytes, _) = write_bytes(Format::Csv, &recording, &wide(7.0)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        let columns = Columns::of(&recording);
        let names = lines.next().unwrap().split(',');
        prop_assert_eq!(names.collect::<Vec<_>>(), columns.names());
        let sampler = Sampler::new(&recording).unwrap();
        let times: Vec<f32> = TimeRange { start: 0.0, end: recording.duration() }.times_at(7.0).collect();
        let expected = expected_rows(&columns, &sampler.columns(times));
        // The time and the head are before the devices.
        let rows: Vec<Vec<String>> = lines
            .map(|line| line.split(',').skip(8).map(str::to_owned).collect())
            .collect();
        prop_assert_eq!(canonical(rows), canonical(expected));
    }

    #[test]
    fn columns_from_keys_equal_those_of_a_sampler(recording in device_recording(), space in 0..Space::ALL.len()) {
        let space = Space::ALL[space];
        let all = TableColumns::new(TableShape::Wide, &Columns::of(&recording), space);
        for columns in [all.clone(), all.select(&[all.fields().len() - 1])] {
            let limits = inputanim::Limits::default();
            let reads = columns.reads(&recording);
            let times = Instants::new(&recording, Sampling::Rate(9.0), None, &limits, 1 << 20, &reads).unwrap();
            let sampler = times.sampler(&recording, 0..times.len(), &reads).unwrap();
            let complete = columns.sample(&sampler, times.times(0..times.len())).batch;
            let part = columns.sample_part(&recording, &times, 0..times.len()).unwrap().batch;
            prop_assert_eq!(format!("{complete:?}"), format!("{part:?}"));
            let mut joined = inputanim_convert::tables::Batch::default();
            for first in (0..times.len()).step_by(5) {
                let rows = first..times.len().min(first + 5);
                let part = columns.sample_part(&recording, &times, rows).unwrap();
                joined.append(part.batch, columns.fields());
            }
            let text = |batch: &inputanim_convert::tables::Batch| {
                let valid = |column: usize, row: usize| batch.columns[column].valid.as_ref().is_none_or(|valid| valid[row]);
                let value = |column: usize, row: usize| match &batch.columns[column].values {
                    Values::Float32(values) => format!("{:?}", values[row].to_bits()),
                    Values::Boolean(values) => format!("{}", values[row]),
                    Values::Text(runs) => {
                        let mut runs = runs.iter().flat_map(|run| std::iter::repeat_n(&run.text, run.rows));
                        format!("{:?}", runs.nth(row).unwrap())
                    }
                    Values::Missing(_) => String::new(),
                    other => panic!("{other:?}"),
                };
                let cell = |column, row| if valid(column, row) { value(column, row) } else { String::new() };
                (0..batch.columns.len()).map(|column| (0..batch.rows).map(|row| cell(column, row)).collect()).collect::<Vec<Vec<String>>>()
            };
            prop_assert_eq!(text(&joined), text(&complete));
        }
    }
}

/// Returns the devices of a recording at times.
fn samples(recording: &Recording<'_>, times: &[f32]) -> Vec<Vec<DeviceFrame>> {
    let sampler = Sampler::new(recording).unwrap();
    let times = times.iter();
    times.map(|&time| sampler.frame_at(time).devices).collect()
}

/// Returns an error with its causes.
fn message(error: &inputanim_convert::Error) -> String {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        message += &format!(": {cause}");
        source = cause.source();
    }
    message
}

#[test]
fn columns_of_other_programs_are_devices() {
    let read = |text: &'static str| read(Format::Csv, text.as_bytes(), &ReadOptions::default());
    // Without a column that states it, the device is active where something is known. A state is a word, or 1 and 0 for a name
    // such as `click`.
    let (recording, _) = read(
        "time_s,right.controller.trigger.value,right.controller.a.click,right.controller.b.squeeze\n\
         0,0,0,False\n1,1,1,True\n2,0.5,1,True\n",
    )
    .unwrap();
    let [device] = &recording.devices[..] else {
        panic!("{recording:?}")
    };
    let inputs = device.inputs.iter();
    let kinds: Vec<bool> = inputs
        .map(|(_, curve)| matches!(curve, InputCurve::Boolean(_)))
        .collect();
    assert_eq!(kinds, [true, true, false]);
    let trigger = samples(&recording, &[2.0])[0][0].inputs[2].1;
    assert_eq!(trigger, InputValue::Float(0.5));
    let error = read("time_s,right.controller.a.click\n0,1\n1,0.5\n").unwrap_err();
    assert!(message(&error).contains("line 3"), "{}", message(&error));
    // A pose needs all of its columns, as other poses do.
    let error = read("time_s,tracker.waist.grip.position.x\n0,1\n").unwrap_err();
    let text = message(&error);
    assert!(text.contains("tracker.waist.grip.position.y"), "{text}");
    let (recording, report) = read(
        "time_s,tracker.waist.grip.position.x,tracker.waist.grip.position.y,tracker.waist.grip.position.z\n0,1,2,3\n",
    )
    .unwrap();
    assert_eq!(recording.devices.len(), 1);
    let mut notes = report.notes.iter();
    assert!(
        notes.any(|note| note.message.contains("tracker.waist.grip")),
        "{report:?}"
    );
    for (text, expected) in [
        (
            r#"{"time":0,"devices":{"hand":{"active":true}}}"#,
            "invalid name of a device",
        ),
        (
            r#"{"time":0,"devices":{"left.controller":{"inputs":{"trigger":1}}}}"#,
            "invalid name of an input",
        ),
        (
            r#"{"time":0,"devices":{"left.controller":{"state":true}}}"#,
            "active, profile, poses or inputs",
        ),
    ] {
        let options = ReadOptions::default();
        let error = inputanim_convert::read(Format::Ndjson, text.as_bytes(), &options).unwrap_err();
        assert!(message(&error).contains(expected), "{}", message(&error));
    }
}

/// Returns the options for reading with these mappings.
fn mapped(mappings: &[&str]) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mappings = mappings.iter().map(|text| text.parse().unwrap()).collect();
    options
}

/// The columns of another program as the state, the profile and an input of the right controller.
const OF_OTHERS: [&str; 4] = [
    "time_s=t",
    "right.controller.active=IsTracked",
    "right.controller.profile=Model",
    "right.controller.trigger.value=Trigger*0.01",
];

/// Returns the changes of the profile of the right controller.
fn changes(recording: &Recording<'_>) -> Vec<(f32, bool, Option<String>)> {
    let device = recording.device(DeviceName::controller(Side::Right));
    let changes = device.unwrap().profiles.iter();
    changes
        .map(|change| {
            let profile = change.profile.as_deref().map(str::to_owned);
            (change.time, change.active, profile)
        })
        .collect()
}

#[test]
fn mappings_assign_the_state_and_the_profile_of_a_device() {
    let expected = [
        (
            0.0,
            true,
            Some("/interaction_profiles/htc/vive_controller".to_owned()),
        ),
        (1.0, false, None),
        (2.0, true, Some("index".to_owned())),
    ];
    let csv = "t,IsTracked,Model,Trigger,note\n\
               0,True,/interaction_profiles/htc/vive_controller,0,a\n\
               1,False,,,b\n\
               2,True,index,50,c\n\
               3,True,index,100,d\n";
    let ndjson = r#"{"t":0,"IsTracked":true,"Model":"/interaction_profiles/htc/vive_controller","Trigger":0}
{"t":1,"IsTracked":false,"Model":null}
{"t":2,"IsTracked":true,"Model":"index","Trigger":50}
{"t":3,"IsTracked":true,"Model":"index","Trigger":100}"#;
    let batch = RecordBatch::try_from_iter([
        (
            "t",
            Arc::new(Float64Array::from(vec![0.0, 1.0, 2.0, 3.0])) as ArrayRef,
        ),
        (
            "IsTracked",
            Arc::new(BooleanArray::from(vec![true, false, true, true])) as ArrayRef,
        ),
        (
            "Model",
            Arc::new(StringArray::from(vec![
                Some("/interaction_profiles/htc/vive_controller"),
                None,
                Some("index"),
                Some("index"),
            ])) as ArrayRef,
        ),
        (
            "Trigger",
            Arc::new(Float64Array::from(vec![
                Some(0.0),
                None,
                Some(50.0),
                Some(100.0),
            ])) as ArrayRef,
        ),
    ])
    .unwrap();
    let mut arrow = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut arrow, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    for (format, bytes) in [
        (Format::Csv, csv.as_bytes()),
        (Format::Ndjson, ndjson.as_bytes()),
        (Format::Arrow, &arrow),
    ] {
        let recording = format.read_with(bytes, &mapped(&OF_OTHERS)).unwrap();
        assert_eq!(changes(&recording), expected, "{format:?}");
        let trigger: InputName = "trigger/value".parse().unwrap();
        let at = |time: f32| samples(&recording, &[time])[0][0].input(trigger);
        assert_eq!(at(3.0), Some(InputValue::Float(1.0)), "{format:?}");
        assert_eq!(at(1.0), None, "{format:?}");
    }
    // The state and the profile alone are a device, and one column may be the state of several devices.
    let mappings = [
        "left.controller.active=IsTracked",
        "right.controller.active=IsTracked",
        "right.controller.profile=Model",
        "time=t",
    ];
    let recording = Format::Csv
        .read_with(csv.as_bytes(), &mapped(&mappings))
        .unwrap();
    assert_eq!(recording.devices.len(), 2);
    assert_eq!(changes(&recording), expected);
}

#[test]
fn mappings_assign_the_poses_of_a_device() {
    // The names could be those of inputs, too.
    let csv = "time_s,p,x,y,z,pitch,yaw,roll,quality,value\n\
               0,(1 2 3),1,2,3,0,90,0,0.9,0.25\n\
               1,(1 2 3),1,2,3,0,90,0,0.1,0.5\n";
    let mappings = [
        "left.controller.grip.position=p",
        "right.controller.aim.position=x*0.1,y*0.1,z*0.1",
        "right.controller.aim.rotation.yxz-deg=pitch,yaw,roll",
        "right.controller.aim.confidence=quality",
        "right.controller.trigger.value=value",
        "tracker.waist.grip.position=x,y,z",
        "tracker.waist.grip.rotation.wxyz=pitch,pitch,yaw,pitch",
    ];
    let recording = Format::Csv
        .read_with(csv.as_bytes(), &mapped(&mappings))
        .unwrap();
    let frames = samples(&recording, &[0.0, 1.0]);
    let pose = |row: usize, device: usize, name: &str| {
        frames[row][device].pose(name.parse().unwrap()).copied()
    };
    assert_eq!(pose(0, 0, "grip"), Some(Pose::at([1.0, 2.0, 3.0])));
    let aim = pose(0, 1, "aim").unwrap();
    assert_eq!(aim.position, [0.1, 0.2, 0.3]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let expected = [0.0, half, 0.0, half];
    let mut pairs = aim.rotation.iter().zip(&expected);
    assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-6), "{aim:?}");
    assert_eq!(pose(1, 1, "aim"), None);
    assert_eq!(pose(1, 2, "grip").unwrap().rotation, [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(
        frames[1][1].inputs,
        [("trigger/value".parse().unwrap(), InputValue::Float(0.5))]
    );
}

#[test]
fn mappings_of_states_are_checked() {
    let csv = b"t,a,b,right.controller.active\n0,1,2,1\n";
    let read = |mappings: &[&str]| {
        let error = Format::Csv.read_with(csv, &mapped(mappings)).unwrap_err();
        message(&error)
    };
    for (mappings, expected) in [
        // The column of the table has the name of the state.
        (
            &["time_s=t", "right.controller.active=a"][..],
            "right.controller.active",
        ),
        (
            &["time_s=t", "left.controller.active=b"],
            "b: expected 1, 0, true or false, found \"2\"",
        ),
        (
            &["time_s=t", "left.controller.profile=c"],
            "\"c\" (for left.controller.profile)",
        ),
    ] {
        let text = read(mappings);
        assert!(text.contains(expected), "{text}");
    }
    for (text, expected) in [
        ("right.controller.active=a*2", "a factor has no effect"),
        ("right.controller.profile=a*2", "a factor has no effect"),
        ("hand.active=a", "expected time_s"),
        (
            "IsTracked=right.controller.active",
            "\"right.controller.active=IsTracked\"",
        ),
    ] {
        let error = text.parse::<Mapping>().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn frames_with_mapped_members_keep_their_devices() {
    let mut recording = controller();
    // The members of the first object are the columns, and an inactive device has neither poses nor inputs.
    recording.devices[0].profiles[0].time = 0.0;
    let (bytes, _) = write_bytes(Format::Ndjson, &recording, &wide(4.0)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    // A member of another program beside the devices is mapped, so the lines are read as rows of another program.
    let text = text.replace("{\"time\"", "{\"hip\":[0,1,0],\"time\"");
    let options = mapped(&["tracker.hip.grip.position=hip"]);
    let back = Format::Ndjson.read_with(text.as_bytes(), &options).unwrap();
    let names: Vec<_> = back
        .devices
        .iter()
        .map(|device| device.name.as_str())
        .collect();
    assert_eq!(names, ["right.controller", "tracker.hip"]);
    let times = [0.0, 0.25, 1.0];
    let (found, expected) = (samples(&back, &times), samples(&recording, &times));
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found[0], expected[0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn devices_of_a_wide_table_are_read_at_its_times(recording in device_recording()) {
        let options = wide(16.0);
        let range = TimeRange { start: 0.0, end: recording.duration() };
        let times: Vec<f32> = range.times_at(16.0).collect();
        let expected = samples(&recording, &times);
        for format in FORMATS {
            let back = format.read(&format.write(&recording, &options)).unwrap();
            for ((time, expected), found) in times.iter().zip(&expected).zip(samples(&back, &times)) {
                prop_assert_eq!(expected.len(), found.len(), "{:?} at {}", format, time);
                for (expected, found) in expected.iter().zip(&found) {
                    let state = |device: &DeviceFrame| (device.name, device.active, device.profile.clone());
                    prop_assert_eq!(state(expected), state(found), "{:?} at {}", format, time);
                    prop_assert_eq!(&expected.inputs, &found.inputs, "{:?} at {}", format, time);
                    let poses = |device: &DeviceFrame| -> Vec<_> {
                        device.poses.iter().map(|(name, pose)| (*name, pose.position)).collect()
                    };
                    prop_assert_eq!(poses(expected), poses(found), "{:?} at {}", format, time);
                }
            }
        }
    }
}

#[test]
fn a_device_without_curves_has_its_state_and_profile() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    let mut waist = Device::new("tracker.waist".parse().unwrap());
    waist.set_profile(0.0, "vive");
    recording.devices.push(waist);
    let columns = TableColumns::new(TableShape::Wide, &Columns::of(&recording), Space::Unity);
    let profile = columns.position("tracker.waist.profile").unwrap();
    let columns = columns.select(&[profile]);
    let limits = inputanim::Limits::default();
    let reads = columns.reads(&recording);
    let times = Instants::new(&recording, Sampling::Rate(9.0), None, &limits, 99, &reads).unwrap();
    let rows = columns.sample_part(&recording, &times, 0..1).unwrap();
    let Values::Text(runs) = &rows.batch.columns[0].values else {
        panic!("text")
    };
    assert_eq!(runs[0].text.as_deref(), Some("vive"));
    let path = CurvePath::DevicePose(
        "tracker.waist".parse().unwrap(),
        "grip".parse().unwrap(),
        PoseChannel::PositionX,
    );
    assert!(reads(path) && !reads(CurvePath::Head(PoseChannel::PositionX)));
}
