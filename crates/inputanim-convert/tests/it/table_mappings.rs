//! Mappings of the columns of other programs: vectors, angles, units, confidences, times, and rows at one time.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Float64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use inputanim::{Joint, Pose, Recording};
use inputanim_convert::tables::TableError;
use inputanim_convert::{Format, LossKind, NoteKind, ReadOptions, Remedy, Report};

use crate::table_formats::TableFormat;

fn mapped(mappings: &[&str]) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mappings = mappings.iter().map(|text| text.parse().unwrap()).collect();
    options
}

fn read(text: &str, mappings: &[&str]) -> (Recording<'static>, Report) {
    let format = if text.starts_with('{') {
        Format::Ndjson
    } else {
        Format::Csv
    };
    format.read_all(text.as_bytes(), &mapped(mappings)).unwrap()
}

fn notes(report: &Report) -> Vec<String> {
    let notes = report.notes.iter();
    notes
        .map(|note| format!("{:?}: {note}", note.kind))
        .collect()
}

/// Returns the times and poses of the keys of the right palm.
fn palm(recording: &Recording<'_>) -> Vec<(f32, Pose)> {
    let pose = &recording.hands.as_ref().unwrap().right.joints[Joint::Palm];
    let keys = |index: usize| {
        let position = pose.position.each_ref();
        let position = position.map(|curve| curve.keys.point(index).unwrap());
        let rotation = pose.rotation.each_ref();
        let rotation = rotation.map(|curve| curve.keys.point(index).unwrap().1);
        let time = position[0].0;
        let position = position.map(|(_, value)| value);
        (time, Pose { position, rotation })
    };
    (0..pose.position[0].keys.len()).map(keys).collect()
}

fn times(recording: &Recording<'_>) -> Vec<f32> {
    palm(recording).iter().map(|(time, _)| *time).collect()
}

fn assert_near(found: [f32; 4], expected: [f32; 4]) {
    let mut pairs = found.iter().zip(&expected);
    assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
}

#[test]
fn a_cell_may_contain_all_numbers_of_a_vector() {
    for cell in [
        "\"(0.1, -0.2, 3)\"",
        "\"[0.1 -0.2  3]\"",
        "0.1;-0.2;3",
        "\"0.1,-0.2,3\"",
        "<0.1|-0.2|3>",
    ] {
        let text = format!("t,p,q\n0,{cell},(0 0 0 1)\n1,,\n2,(nan nan nan),[]\n");
        let mappings = ["time_s=t", "right.Palm.position=p", "right.Palm.rotation=q"];
        let (recording, _) = read(&text, &mappings);
        assert_eq!(
            palm(&recording),
            [(0.0, Pose::at([0.1, -0.2, 3.0]))],
            "{cell}"
        );
    }
    // The parts of a list have factors of their own, and the w of a rotation may be first.
    let mappings = [
        "time_s=t",
        "right.Palm.position=x*0.01,y,z*-1",
        "right.Palm.rotation.wxyz=r",
    ];
    let (recording, _) = read("t,x,y,z,r\n0,100,1,2,(1; 0; 0; 0)\n", &mappings);
    assert_eq!(palm(&recording), [(0.0, Pose::at([1.0, 1.0, -2.0]))]);
    for cell in ["(1 2)", "(1 2 3 4)", "(a b c)", "1", "(1, 2, 1e99)"] {
        let text = format!("t,p\n0,\"{cell}\"\n");
        let options = mapped(&["time_s=t", "right.Palm.position=p"]);
        let error = Format::Csv
            .read_with(text.as_bytes(), &options)
            .unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("line 2: p: expected"), "{error}");
    }
}

#[test]
fn members_of_json_objects_are_columns() {
    let text = r#"{"T": 0, "m": "go", "Hand": {"Palm": [1, 2, 3], "up": {"x": 0, "y": 1}}}
        {"T": 0.5, "Hand": {"Palm": [1, 2, 4]}, "Eye": 1}
        {"T": 0.75, "Hand": {"Palm": null, "Tip": {"x": 7, "y": 8, "z": 9}}}
        "#;
    let mappings = [
        "time_s=T",
        "marker=m",
        "right.Palm.position=Hand.Palm",
        "right.IndexTip.position=Hand.Tip",
    ];
    let (recording, report) = read(text, &mappings);
    let expected = [
        (0.0, Pose::at([1.0, 2.0, 3.0])),
        (0.5, Pose::at([1.0, 2.0, 4.0])),
    ];
    assert_eq!(palm(&recording), expected);
    let tip = &recording.hands.as_ref().unwrap().right.joints[Joint::IndexTip];
    assert_eq!(tip.position[2].keys.point(0), Some((0.75, 9.0)));
    assert_eq!(recording.markers[0].name, "go");
    let notes = notes(&report);
    let ignored = "IgnoredNames: unknown names ignored: \"Eye\", \"Hand.up.x\", \"Hand.up.y\"";
    assert!(notes.contains(&ignored.to_owned()), "{notes:?}");
    // Frames of this library may have other members beside.
    let text = r#"{"time": 1, "c": 0.9, "right": {"tracked": true, "joints": {"Palm":
        {"position": [1, 2, 3], "rotation": [0, 0, 0, 1]}}}}"#;
    let text = text.replace('\n', " ");
    let (recording, _) = read(&text, &["right.confidence=c"]);
    assert_eq!(palm(&recording), [(1.0, Pose::at([1.0, 2.0, 3.0]))]);
    let options = mapped(&["head.position=p"]);
    let error = Format::Ndjson
        .read_with(text.as_bytes(), &options)
        .unwrap_err();
    let expected = "missing columns \"p\" (for head.position)";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn members_that_only_later_objects_have_are_refused_or_named() {
    let text = r#"{"T": 0, "p": [1, 2, 3]}
        {"T": 0.5, "p": [1, 2, 4], "left": {"tracked": true}}
        "#;
    let options = mapped(&["time_s=T", "head.position=p"]);
    let error = Format::Ndjson.read_with(text.as_bytes(), &options);
    let expected = "line 2: the first object does not have left.tracked; expected all members in the first object, with null \
                    for unknown values";
    assert_eq!(error.unwrap_err().to_string(), expected);
    let complete = text.replacen("\"p\"", "\"left\": {\"tracked\": null}, \"p\"", 1);
    assert!(
        Format::Ndjson
            .read_with(complete.as_bytes(), &options)
            .is_ok()
    );
}

#[test]
fn angles_become_rotations() {
    let half = 0.5_f32.sqrt();
    let text = "time,x,y,z,rx,ry,rz\n0,0,0,0,90,90,0\n1,0,0,0,0,90,0\n";
    let position = "right.Palm.position=x,y,z";
    let (recording, _) = read(text, &[position, "right.Palm.rotation.yxz-deg=rx,ry,rz"]);
    let rotations = palm(&recording);
    assert_near(rotations[0].1.rotation, [0.5, 0.5, -0.5, 0.5]);
    assert_near(rotations[1].1.rotation, [0.0, half, 0.0, half]);
    let (recording, _) = read(text, &[position, "right.Palm.rotation.xyz-deg=rx,ry,rz"]);
    assert_near(palm(&recording)[0].1.rotation, [0.5, 0.5, 0.5, 0.5]);
    // The names state the unit, and a factor changes the direction.
    let text = "time,x,y,z,pitch_rad,yaw_rad,roll_rad\n0,0,0,0,0,1.5707963267948966,0\n";
    let mapping = "right.Palm.rotation.yxz=pitch_rad,yaw_rad*-1,roll_rad";
    let (recording, _) = read(text, &[position, mapping]);
    assert_near(palm(&recording)[0].1.rotation, [0.0, -half, 0.0, half]);
    // A unit that nothing states is not assumed.
    let text = "time,x,y,z,rx,ry,rz\n0,0,0,0,90,90,0\n";
    let options = mapped(&[position, "right.Palm.rotation.yxz=rx,ry,rz"]);
    let error = Format::Csv
        .read_with(text.as_bytes(), &options)
        .unwrap_err();
    let expected = "the unit of the angles is not known";
    assert!(error.to_string().contains(expected), "{error}");
    let Some(Remedy::MapAs(suggested)) = error.remedy() else {
        panic!("{error}");
    };
    assert_eq!(suggested.mappings[1].column, "right.Palm.rotation.yxz-deg");
}

#[test]
fn units_in_names_are_converted_and_noted() {
    let text = "t [ms],pos_x_mm,pos_y_mm,pos_z_mm\n1500,100,1000,-200\n";
    let position = "right.Palm.position=pos_x_mm,pos_y_mm,pos_z_mm";
    let (recording, report) = read(text, &["time_s=t [ms]", position]);
    assert_eq!(palm(&recording), [(1.5, Pose::at([0.1, 1.0, -0.2]))]);
    let notes = notes(&report);
    for expected in [
        "Units: converted from \"mm\" to m by the factor 0.001: \"pos_x_mm\" and 2 more",
        "Units: converted from \"ms\" to s by the factor 0.001: \"t [ms]\"",
    ] {
        assert!(notes.contains(&expected.to_owned()), "{notes:?}");
    }
    // A factor replaces the unit of the name.
    let position = "right.Palm.position=pos_x_mm*1,pos_y_mm*1,pos_z_mm*1";
    let (recording, report) = read(text, &["time_s=t [ms]*1", position]);
    assert_eq!(
        palm(&recording),
        [(1500.0, Pose::at([100.0, 1000.0, -200.0]))]
    );
    assert!(report.notes.iter().all(|note| note.kind != NoteKind::Units));
    // Known names may have a unit, too.
    let names = ["x", "y", "z"].map(|axis| format!("right.Palm.position.{axis} [cm]"));
    let text = format!("time_ms,{}\n500,1,2,3\n", names.join(","));
    let (recording, _) = read(&text, &[]);
    assert_eq!(palm(&recording), [(0.5, Pose::at([0.01, 0.02, 0.03]))]);
}

#[test]
fn a_low_confidence_makes_values_unknown() {
    let text = "time,x,y,z,c\n0,0,0,1,90\n1,0,0,2,40\n2,0,0,3,\n3,0,0,4,50\n";
    for confidence in ["right.confidence=c*0.01", "right.Palm.confidence=c*0.01"] {
        let mut options = mapped(&["right.Palm.position=x,y,z", confidence]);
        let (recording, report) = Format::Csv.read_all(text.as_bytes(), &options).unwrap();
        assert_eq!(times(&recording), [0.0, 2.0, 3.0]);
        let note = "Confidence: 1 value is unknown, because its confidence is below 0.5";
        assert!(
            notes(&report).contains(&note.to_owned()),
            "{:?}",
            notes(&report)
        );
        options.min_confidence = Some(0.6);
        let recording = Format::Csv.read_with(text.as_bytes(), &options).unwrap();
        assert_eq!(times(&recording), [0.0, 2.0]);
    }
    let mut options = mapped(&["right.Palm.position=x,y,z"]);
    options.min_confidence = Some(0.6);
    let error = Format::Csv
        .read_with(text.as_bytes(), &options)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a confidence has no effect for a table without a column of confidences"
    );
}

#[test]
fn dates_times_of_day_and_frame_numbers_are_times() {
    for (name, cells, mapping) in [
        (
            "Time",
            ["2024-02-19 20:28:37.156", "2024-02-19 20:28:37.656"],
            "time_s=Time",
        ),
        (
            "at",
            ["2024-02-19T23:59:59.75Z", "2024-02-20T01:00:00.25+01:00"],
            "time_s=at",
        ),
        ("at", ["23:59:59.75", "00:00:00.25"], "time_s=at"),
        ("frame", ["0", "15"], "time_s=frame/30"),
    ] {
        let text = format!("{name},x,y,z\n{},0,0,1\n{},0,0,2\n", cells[0], cells[1]);
        let (recording, report) = read(&text, &[mapping, "right.Palm.position=x,y,z"]);
        assert_eq!(times(&recording), [0.0, 0.5], "{text}");
        let has_note = report.notes.iter().any(|note| note.kind == NoteKind::Clock);
        assert_eq!(has_note, name != "frame");
    }
    // A time of a known name needs no mapping.
    let text = "time,head.position.x,head.position.y,head.position.z\n\
        10:00:00,0,0,0\n10:00:01,0,0,0\n";
    assert_eq!(read(text, &[]).0.duration(), 1.0);
    let text = r#"{"time": "2024-02-19 20:28:37", "head": {"position": [0, 0, 0]}}
        {"time": "2024-02-19 20:28:39", "head": {"position": [0, 0, 1]}}
        "#;
    assert_eq!(read(text, &[]).0.duration(), 2.0);
}

#[test]
fn columns_of_arrow_have_units_vectors_and_times() {
    let numbers = vec![100.0, 1000.0, 0.0, 200.0, 1000.0, 0.0];
    let item = Arc::new(Field::new("item", DataType::Float64, true));
    let numbers = Arc::new(Float64Array::from(numbers));
    let position = FixedSizeListArray::new(item, 3, numbers, None);
    let stamps = TimestampMillisecondArray::from(vec![1_708_374_517_156, 1_708_374_517_656]);
    let turns = StringArray::from(vec!["(0, 0, 0, 1)", "(0, 0, 0, 1)"]);
    let unit = [("unit".to_owned(), "mm".to_owned())];
    let fields = vec![
        Field::new("at", stamps.data_type().clone(), true),
        Field::new("p", position.data_type().clone(), true).with_metadata(unit.into()),
        Field::new("q", DataType::Utf8, true),
        Field::new("c", DataType::Float32, true),
    ];
    let confidence = Float32Array::from(vec![Some(1.0), Some(0.1)]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(stamps),
        Arc::new(position),
        Arc::new(turns),
        Arc::new(confidence),
    ];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let mappings = [
        "time_s=at",
        "right.Palm.position=p",
        "right.Palm.rotation=q",
    ];
    let (recording, report) = Format::Arrow.read_all(&bytes, &mapped(&mappings)).unwrap();
    let expected = [
        (0.0, Pose::at([0.1, 1.0, 0.0])),
        (0.5, Pose::at([0.2, 1.0, 0.0])),
    ];
    assert_eq!(palm(&recording), expected);
    let notes = notes(&report);
    assert!(
        notes.iter().any(|note| note.starts_with("Clock: ")),
        "{notes:?}"
    );
    let unit = "Units: converted from \"mm\" to m by the factor 0.001: \"p\"".to_owned();
    assert!(notes.contains(&unit), "{notes:?}");
    let mappings = [&mappings[..], &["right.confidence=c"]].concat();
    let recording = Format::Arrow.read_with(&bytes, &mapped(&mappings)).unwrap();
    assert_eq!(palm(&recording), expected[..1]);
}

#[test]
fn of_rows_at_one_time_the_valid_one_is_read() {
    let names = "time,right.Palm.position.x,right.Palm.position.y,right.Palm.position.z\n";
    let text = names.to_owned() + "0,0,0,0\n0,1,1,1\n0,2,2,2\n0.5,3,3,3\n";
    let (recording, report) = read(&text, &[]);
    let expected = [(0.0, Pose::at([1.0; 3])), (0.5, Pose::at([3.0; 3]))];
    assert_eq!(palm(&recording), expected);
    assert!(report.losses.is_empty());
    let kinds: Vec<NoteKind> = report.notes.iter().map(|note| note.kind).collect();
    assert!(kinds.contains(&NoteKind::SeveralAtOneTime));
    // Whole seconds for sixty rows a second are a clock that is too coarse.
    let rows: String = (0..120)
        .map(|row| format!("{},1,1,{row}\n", row / 60))
        .collect();
    let (_, report) = read(&(names.to_owned() + &rows), &[]);
    let loss = &report.losses[0];
    assert_eq!((loss.kind, loss.count), (LossKind::Order, 118));
}

#[test]
fn errors_suggest_mappings_that_work() {
    for text in [
        "time,pos_x,pos_y,pos_z,rot_x,rot_y,rot_z\n0,0,1,0,0,90,0\n1,0,1,0,0,90,0\n",
        "Timestamp [ms],Head_Position_x,Head_Height,Head_Position_Z,note\n0,0,1,0,a\n1000,0,1,0,b\n",
        "Time,IndexTip\n10:00:00,\"(1, 2, 3)\"\n10:00:01,\"(1, 2, 3)\"\n",
        "frame,right.Palm.position.x,right.Palm.position.y,right.Palm.position.z\n0,1,2,3\n30,1,2,3\n",
        "{\"Time\": 0, \"Left\": {\"Wrist\": [0, 1, 2]}}\n{\"Time\": 1, \"Left\": {\"Wrist\": [0, 1, 2]}}\n",
    ] {
        let format = Format::detect(text.as_bytes()).unwrap();
        let error = format.read(text.as_bytes()).unwrap_err();
        let Some(Remedy::MapAs(suggestion)) = error.remedy() else {
            panic!("{error}: {:?}", error.remedy());
        };
        let mappings: Vec<String> = suggestion
            .mappings
            .iter()
            .map(ToString::to_string)
            .collect();
        let mappings: Vec<&str> = mappings.iter().map(String::as_str).collect();
        assert_eq!(read(text, &mappings).0.duration(), 1.0, "{mappings:?}");
    }
    // The time alone does not help; the next error suggests the rest.
    let text = "Clock time,px,py,pz\n0,0,1,0\n";
    let options = mapped(&["time_s=Clock time"]);
    let error = Format::Csv
        .read_with(text.as_bytes(), &options)
        .unwrap_err();
    let is_it = matches!(error.downcast_ref(), Some(TableError::NothingKnown { .. }));
    assert!(is_it, "{error}");
    let Some(Remedy::MapAs(suggestion)) = error.remedy() else {
        panic!("{error}");
    };
    assert_eq!(suggestion.mappings.len(), 2);
}
