//! Controllers and other devices in scans.

use inputanim::{DeviceName, Haptic, InputValue, Layout, Pose, Recording, Side, TimeRange};
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_scan::{DataType, Notice, Sampling, Scan, ScanOptions, Shape, Source};

use crate::table::{of_f32, rows, source};

/// Returns a recording of 2 s with a controller.
fn controller(side: Side) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let device = recording.device_mut(DeviceName::controller(side));
    device.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    device.set_inactive(1.5);
    for (time, value) in [(0.0, 0.0), (0.5, 1.0), (1.0, 0.0), (2.0, 0.0)] {
        device
            .pose_mut("aim".parse().unwrap())
            .push(time, &Pose::at([value, 0.0, 0.0]));
        device.push_input(
            "trigger/value".parse().unwrap(),
            time,
            InputValue::Float(value),
        );
        device.push_input(
            "a/click".parse().unwrap(),
            time,
            InputValue::Boolean(value > 0.5),
        );
    }
    device.haptics.push(Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: None,
        frequency: Some(160.0),
        amplitude: 0.5,
    });
    recording
}

fn json(name: &str, recording: &Recording<'_>) -> Source {
    let (bytes, _) = write_bytes(Format::Json, recording, &WriteOptions::default()).unwrap();
    source(name, bytes)
}

/// Returns a file without devices, and one for each controller.
fn sources() -> [Source; 3] {
    let mut head = Recording::new(Layout::Mrtk1_1);
    head.head_mut().push(0.0, &Pose::IDENTITY);
    [
        source("a.bin", head.to_bytes().unwrap()),
        json("b.json", &controller(Side::Left)),
        json("c.json", &controller(Side::Right)),
    ]
}

fn options(shape: Shape) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    if shape == Shape::Wide {
        options.sampling = Sampling::Rate(2.0);
    }
    options
}

#[test]
fn a_wide_scan_has_the_columns_of_the_devices_of_all_files() {
    let scan = Scan::new(sources(), options(Shape::Wide)).unwrap();
    let names: Vec<&str> = scan.fields().iter().map(|field| &*field.name).collect();
    for side in ["left", "right"] {
        for part in [
            "active",
            "profile",
            "aim.position.x",
            "a.click",
            "trigger.value",
        ] {
            assert!(
                names.contains(&&*format!("{side}.controller.{part}")),
                "{names:?}"
            );
        }
    }
    let table = rows(&scan).unwrap();
    let file = table.column("file");
    let trigger = table.column("right.controller.trigger.value");
    let value = |name: &str, row: usize| {
        let mut of_file = table
            .rows
            .iter()
            .filter(|row| row[file].as_deref() == Some(name));
        of_file.nth(row).unwrap()[trigger].clone()
    };
    assert_eq!(value("a.bin", 0), None);
    assert_eq!(value("b.json", 1), None);
    assert_eq!(value("c.json", 1), Some(of_f32(1.0)));
    // Not active.
    assert_eq!(value("c.json", 4), None);
    let notes: Vec<String> = scan
        .notices()
        .iter()
        .filter(|notice| matches!(notice.notice, Notice::NotInShape(_)))
        .map(|notice| notice.notice.detail())
        .collect();
    assert_eq!(
        notes,
        [
            "left.controller: 1 haptic pulse (shape haptics)",
            "right.controller: 1 haptic pulse (shape haptics)"
        ]
    );
    // Some columns of all.
    let some = scan
        .with_columns(vec!["right.controller.profile".to_owned()])
        .unwrap();
    assert_eq!(rows(&some).unwrap().rows.len(), table.rows.len());
}

#[test]
fn columns_of_haptic_pulses_exist_if_they_are_named() {
    let frequencies = |files: &[Source]| {
        let mut options = options(Shape::Keys);
        options.columns = Some(vec!["frequency_hz".to_owned()]);
        let table = rows(&Scan::new(files.to_vec(), options).unwrap()).unwrap();
        let cells = table.rows.into_iter().flatten().flatten();
        cells.collect::<Vec<String>>()
    };
    let [head, left, _] = sources();
    assert_eq!(frequencies(&[head]), [""; 0]);
    assert_eq!(frequencies(&[left]), [of_f32(160.0)]);
}

#[test]
fn rows_of_recordings_name_their_devices() {
    let mut both = controller(Side::Left);
    let right = controller(Side::Right).devices.remove(0);
    both.devices.push(right);
    let mut files = sources().to_vec();
    files.push(json("d.json", &both));
    let table = rows(&Scan::new(files, options(Shape::Info)).unwrap()).unwrap();
    let cell = |row: usize, name: &str| {
        let cell = table.rows[row][table.column(name)].clone();
        cell.unwrap_or_default()
    };
    let cells = |row| {
        let names = [
            "devices",
            "device_profiles",
            "device_inputs",
            "haptic_pulses",
        ];
        names.map(|name| cell(row, name))
    };
    assert_eq!(cells(0), ["", "", "", "0"]);
    let profile = "/interaction_profiles/valve/index_controller";
    let left = "left.controller.a.click left.controller.trigger.value";
    assert_eq!(cells(1), ["left.controller", profile, left, "1"]);
    let inputs = format!("{left} {}", left.replace("left", "right"));
    let devices = "left.controller right.controller";
    assert_eq!(cells(3), [devices, profile, &inputs, "2"]);
}

#[test]
fn files_of_all_formats_with_devices_have_their_columns() {
    let recording = controller(Side::Right);
    for format in [
        Format::Json,
        Format::Mcap,
        Format::Isaac,
        Format::Iwer,
        Format::Csv,
        Format::Ndjson,
        Format::Parquet,
        Format::Arrow,
    ] {
        if !format.is_in_build() {
            continue;
        }
        let (bytes, _) = write_bytes(format, &recording, &WriteOptions::default()).unwrap();
        let mut options = options(Shape::Wide);
        options.format = Some(format);
        let scan = Scan::new([source("take", bytes)], options).unwrap();
        let table = rows(&scan).unwrap();
        let names: Vec<&str> = scan.fields().iter().map(|field| &*field.name).collect();
        assert!(
            names.contains(&"right.controller.trigger.value"),
            "{format}: {names:?}"
        );
        let trigger = table.column("right.controller.trigger.value");
        assert_eq!(table.rows[1][trigger], Some(of_f32(1.0)), "{format}");
    }
    // UTF-16, as some programs write tables.
    let text = "time_s,right.controller.trigger.value\n0,0\n0.5,1\n1,0\n";
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let mut options = options(Shape::Wide);
    options.format = Some(Format::Csv);
    let scan = Scan::new([source("take", bytes)], options).unwrap();
    assert!(
        rows(&scan)
            .unwrap()
            .column("right.controller.trigger.value")
            > 0
    );
}

#[test]
fn names_select_the_columns_of_devices() {
    let mut right = options(Shape::Wide);
    right.joints = vec!["right.controller.trigger.value".to_owned()];
    let scan = Scan::new(sources(), right).unwrap();
    let names: Vec<&str> = scan.fields().iter().map(|field| &*field.name).collect();
    assert_eq!(
        names,
        [
            "file",
            "time_s",
            "right.controller.active",
            "right.controller.profile",
            "right.controller.trigger.value",
            "damage"
        ]
    );
    let mut without = options(Shape::Wide);
    without.exclude = vec!["controller".to_owned()];
    let scan = Scan::new(sources(), without).unwrap();
    let mut fields = scan.fields().iter();
    assert!(!fields.any(|field| field.name.contains("controller")));
}

#[test]
fn a_column_of_a_device_exists_if_it_is_named() {
    let mut named = options(Shape::Wide);
    let names = [
        "time_s",
        "left.controller.b.click",
        "left.controller.squeeze.value",
    ];
    named.columns = Some(names.map(str::to_owned).into());
    let fields = named.fields().unwrap();
    let types: Vec<DataType> = fields.iter().map(|field| field.data_type).collect();
    assert_eq!(
        types,
        [DataType::Float32, DataType::Boolean, DataType::Float32]
    );
    let scan = Scan::new(sources(), named).unwrap();
    let table = rows(&scan).unwrap();
    assert!(
        table
            .rows
            .iter()
            .all(|row| row[1].is_none() && row[2].is_none())
    );
    // The kind of an input that exists is that of the files.
    let mut number = Recording::new(Layout::Mrtk1_1);
    let left = number.device_mut(DeviceName::controller(Side::Left));
    left.push_input("b/click".parse().unwrap(), 0.0, InputValue::Float(0.5));
    let mut named = options(Shape::Wide);
    named.columns = Some(vec!["left.controller.b.click".to_owned()]);
    let scan = Scan::new([json("d.json", &number)], named).unwrap();
    assert_eq!(scan.fields()[0].data_type, DataType::Float32);
    assert_eq!(rows(&scan).unwrap().rows[0][0], Some(of_f32(0.5)));
}

#[test]
fn files_without_devices_have_the_columns_of_before() {
    let [bin, ..] = sources();
    for shape in [Shape::Wide, Shape::Keys] {
        let scan = Scan::new([bin.clone()], options(shape)).unwrap();
        assert_eq!(scan.fields(), options(shape).fields().unwrap());
    }
}

#[test]
fn keys_states_and_pulses_of_devices_are_rows() {
    let keys = rows(&Scan::new(sources(), options(Shape::Keys)).unwrap()).unwrap();
    let texts = |table: &crate::table::Table, name: &str| -> Vec<String> {
        let column = table.column(name);
        let cells = table
            .rows
            .iter()
            .map(|row| row[column].clone().unwrap_or_default());
        cells.collect()
    };
    let curves = texts(&keys, "curve");
    for name in [
        "left.controller.a.click",
        "right.controller.profile",
        "right.controller.haptic",
    ] {
        assert!(curves.iter().any(|curve| curve == name), "{name}");
    }
    assert!(texts(&keys, "frequency_hz").contains(&of_f32(160.0)));
    let mut chosen = options(Shape::Keys);
    chosen.joints = vec!["right.controller.a.click".to_owned()];
    let scan = Scan::new(sources(), chosen).unwrap();
    let found = rows(&scan).unwrap();
    assert_eq!(found.rows.len(), 4);
    let notices = scan.notices();
    let [notice] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(
        notice.notice.detail(),
        "right.controller: 2 changes of the profile (shape states), 1 haptic pulse (shape haptics)"
    );

    let states = rows(&Scan::new(sources(), options(Shape::States)).unwrap()).unwrap();
    let select = |names: [&str; 4]| states.select(&names.map(str::to_owned)).rows;
    let text = |text: &str| Some(text.to_owned());
    let profile = "/interaction_profiles/valve/index_controller";
    let all = select(["hand", "state", "start_s", "end_s"]);
    assert_eq!(
        all[..2],
        [
            vec![
                text("left.controller"),
                text(profile),
                Some(of_f32(0.0)),
                Some(of_f32(1.5))
            ],
            vec![
                text("left.controller"),
                text("a.click"),
                Some(of_f32(0.5)),
                Some(of_f32(1.0))
            ],
        ]
    );
    assert_eq!(all.len(), 4);

    let mut left = options(Shape::Haptics);
    left.joints = vec!["left.controller".to_owned()];
    let pulses = rows(&Scan::new(sources(), left).unwrap()).unwrap();
    let names = [
        "device",
        "time_s",
        "output",
        "duration_s",
        "frequency_hz",
        "amplitude",
    ];
    let expected = vec![
        text("left.controller"),
        Some(of_f32(0.5)),
        text("haptic"),
        None,
        Some(of_f32(160.0)),
        Some(of_f32(0.5)),
    ];
    assert_eq!(pulses.select(&names.map(str::to_owned)).rows, [expected]);
    let curves = rows(&Scan::new(sources(), options(Shape::Curves)).unwrap()).unwrap();
    assert!(texts(&curves, "curve").contains(&"left.controller.trigger.value".to_owned()));
}

#[test]
fn tidy_rows_name_the_devices_that_they_lack() {
    let scan = Scan::new(sources(), options(Shape::Tidy)).unwrap();
    rows(&scan).unwrap();
    assert_eq!(
        scan.notices()[0].notice.detail(),
        "left.controller: poses and inputs (shape wide), 1 haptic pulse (shape haptics)"
    );
}

#[test]
fn notices_count_the_content_in_the_times_of_the_rows() {
    let details = |change: &dyn Fn(&mut ScanOptions)| {
        let mut options = options(Shape::Wide);
        change(&mut options);
        let [_, left, _] = sources();
        let scan = Scan::new([left], options).unwrap();
        rows(&scan).unwrap();
        let notices = scan.notices().into_iter();
        let details = notices.map(|notice| notice.notice.detail());
        details.collect::<Vec<String>>()
    };
    let pulse = "left.controller: 1 haptic pulse (shape haptics)";
    let time = |start, end| {
        move |options: &mut ScanOptions| {
            options.time = Some(TimeRange { start, end }.into());
        }
    };
    assert_eq!(details(&time(0.25, 0.75)), [pulse]);
    assert_eq!(details(&time(0.75, 1.5)), [""; 0]);
    let around = |text: &'static str| {
        move |options: &mut ScanOptions| {
            options.segments = text.parse().unwrap();
        }
    };
    assert_eq!(details(&around("press@0..0.25")), [pulse]);
    assert_eq!(details(&around("press@0.25..0.75")), [""; 0]);
}

#[test]
fn rows_outside_of_a_recording_have_no_profile() {
    let mut around = options(Shape::Wide);
    let mut recording = controller(Side::Right);
    recording
        .markers
        .push(inputanim::Marker::new(0.25, "press"));
    around.segments = "marker@-1..0".parse().unwrap();
    let scan = Scan::new([json("c.json", &recording)], around).unwrap();
    let table = rows(&scan).unwrap();
    let profile = table.column("right.controller.profile");
    let known: Vec<bool> = table
        .rows
        .iter()
        .map(|row| row[profile].is_some())
        .collect();
    assert_eq!(known, [false, false, true]);
}

#[test]
fn a_misspelt_part_of_a_device_is_an_error_of_the_file() {
    let misspelt = "right.controller.triger.value";
    for shape in [Shape::Wide, Shape::Keys, Shape::Stats, Shape::States] {
        let mut options = ScanOptions::default();
        options.shape = shape;
        options.joints = vec![misspelt.to_owned()];
        let Ok(scan) = Scan::new(sources(), options) else {
            // The shape has no names of streams.
            assert!(![Shape::Wide, Shape::Keys].contains(&shape));
            continue;
        };
        let error = rows(&scan).unwrap_err().to_string();
        let expected = "did you mean \"right.controller.trigger.value\"?";
        assert!(error.ends_with(expected), "{shape:?}: {error}");
    }
    let mut options = ScanOptions::default();
    options.exclude = vec![
        "left.controller.trigger.value".to_owned(),
        "tracker.waist".to_owned(),
    ];
    let scan = Scan::new(sources(), options).unwrap();
    assert!(rows(&scan).is_ok());
}
