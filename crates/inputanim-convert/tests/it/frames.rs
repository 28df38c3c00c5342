//! Frames as text: written frames come back bit for bit, and errors contain the line.

use inputanim::{Frame, HandFrame, Joint, Joints, Marker, Pose, Ray};
use inputanim_convert::frames::{Columns, Event, FrameOptions, FrameRow, Reader, TextFormat};
use inputanim_convert::tables::TableError;
use inputanim_convert::{Format, ReadOptions};
use proptest::array::{uniform3, uniform4};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const FORMATS: [TextFormat; 2] = [TextFormat::Ndjson, TextFormat::Csv];

fn read_with(text: &str, options: &FrameOptions) -> Vec<Result<Event, TableError>> {
    match Reader::new(text.as_bytes(), None, options) {
        Ok(reader) => reader.collect(),
        Err(error) => vec![Err(error)],
    }
}

fn read(text: &str) -> Vec<Event> {
    let events = read_with(text, &FrameOptions::default());
    events.into_iter().map(|event| event.unwrap()).collect()
}

fn frames(text: &str) -> Vec<Frame> {
    let frame = |event| match event {
        Event::Frame(frame) => *frame,
        Event::Marker(marker) => panic!("no frame: {marker:?}"),
    };
    read(text).into_iter().map(frame).collect()
}

/// Returns the error of the first invalid line.
fn error(text: &str) -> String {
    let mut events = read_with(text, &FrameOptions::default()).into_iter();
    events.find_map(Result::err).unwrap().to_string()
}

/// Prints frames as `inputanim sample` does.
fn print(events: &[Event], columns: &Columns, format: TextFormat) -> String {
    let rows = events.iter().map(|event| match event {
        Event::Frame(frame) => FrameRow::of_frame(frame, None, columns),
        Event::Marker(marker) => FrameRow::of_marker(marker.time, &marker.name, columns),
    });
    let bytes = match format {
        TextFormat::Ndjson => {
            let mut text = Vec::new();
            for row in rows {
                serde_json::to_writer(&mut text, &row).unwrap();
                text.push(b'\n');
            }
            text
        }
        _ => {
            let mut table = csv::Writer::from_writer(Vec::new());
            table.write_record(columns.names()).unwrap();
            for row in rows {
                table.serialize(row.cells()).unwrap();
            }
            table.into_inner().unwrap()
        }
    };
    String::from_utf8(bytes).unwrap()
}

fn float() -> impl Strategy<Value = f32> {
    let any = any::<u32>().prop_map(f32::from_bits);
    let finite = any.prop_filter("finite", |float| float.is_finite());
    prop_oneof![4 => -10.0_f32..10.0, 2 => finite, 1 => Just(-0.0_f32)]
}

fn pose() -> impl Strategy<Value = Pose> {
    (uniform3(float()), uniform4(float()))
        .prop_map(|(position, rotation)| Pose { position, rotation })
}

fn hand() -> impl Strategy<Value = HandFrame> {
    let joints = vec((0_usize..27, pose()), 0..6);
    (any::<bool>(), any::<bool>(), joints).prop_map(|(tracked, pinching, poses)| {
        let mut joints = Joints::default();
        for (index, pose) in poses {
            joints[Joint::ALL[index]] = Some(pose);
        }
        HandFrame {
            tracked,
            pinching,
            unknown: false,
            pinch_unknown: false,
            joints,
        }
    })
}

fn frame() -> impl Strategy<Value = Frame> {
    let ray = (uniform3(float()), uniform3(float()));
    let ray = ray.prop_map(|(origin, direction)| Ray { origin, direction });
    (float(), option::of(pose()), hand(), hand(), option::of(ray)).prop_map(
        |(time, head, left, right, gaze)| Frame {
            time,
            head,
            left,
            right,
            gaze,
            ..Frame::default()
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    // In a table, a blank cell is not a marker.
    let marker = (float(), "\\PC{0,6}[^ \\pC\\s]|a\nb|,\"|\r\na|0");
    prop_oneof![
        4 => frame().prop_map(|frame| Event::Frame(Box::new(frame))),
        1 => marker.prop_map(|(time, name)| Event::Marker(Marker::new(time, name))),
    ]
}

proptest! {
    #[test]
    fn printed_frames_come_back_bit_for_bit(events in vec(event(), 0..5)) {
        for format in FORMATS {
            let text = print(&events, &Columns::all(), format);
            // Frames are compared as text, because −0 equals 0 as a number.
            prop_assert_eq!(format!("{:?}", read(&text)), format!("{:?}", &events));
        }
    }

    #[test]
    fn a_frame_with_a_marker_is_a_marker_and_a_frame(frame in frame(), name in "[a-z ,\"\n]{0,5}[a-z]") {
        let columns = Columns { marker: true, head: true, ..Columns::default() };
        for format in FORMATS {
            let row = FrameRow::of_frame(&frame, Some(&name), &columns);
            let text = match format {
                TextFormat::Ndjson => serde_json::to_string(&row).unwrap(),
                _ => {
                    let mut table = csv::Writer::from_writer(Vec::new());
                    table.write_record(columns.names()).unwrap();
                    table.serialize(row.cells()).unwrap();
                    String::from_utf8(table.into_inner().unwrap()).unwrap()
                }
            };
            let events = read(&text);
            prop_assert_eq!(&events[0], &Event::Marker(Marker::new(frame.time, name.clone())));
            if let Some(Event::Frame(back)) = events.get(1) {
                prop_assert_eq!((back.time, back.head), (frame.time, frame.head));
            } else {
                // Only the marker is known.
                prop_assert!(frame.head.is_none());
            }
        }
    }

    /// Reads the same frames from columns in any order and with poses missing.
    #[test]
    fn the_order_of_columns_does_not_matter(frame in frame(), seed in any::<u64>()) {
        let columns = Columns::all();
        let text = print(&[Event::Frame(Box::new(frame.clone()))], &columns, TextFormat::Csv);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let mut order: Vec<usize> = (0..rows[0].len()).collect();
        order.sort_by_key(|&column| (column as u64 + 1).wrapping_mul(seed | 1));
        let row = |cells: &Vec<&str>| {
            order.iter().map(|&column| cells[column]).collect::<Vec<_>>().join(" , ")
        };
        let mixed = format!("\r\n{}\r\n\r\n{}\r\n", row(&rows[0]), row(&rows[1]));
        prop_assert_eq!(frames(&mixed), [frame]);
    }

    #[test]
    fn reading_any_text_ends(text in "(?s).{0,80}", head in any::<bool>()) {
        let text = if head { format!("time_s,marker,left.tracked\n{text}") } else { text };
        for format in FORMATS {
            if let Ok(reader) = Reader::new(text.as_bytes(), Some(format), &FrameOptions::default()) {
                prop_assert!(reader.count() <= 2 * text.len());
            }
        }
    }
}

#[test]
fn missing_and_empty_values_are_unknown() {
    let palm = "left.Palm.position.x,left.Palm.position.y,left.Palm.position.z,\
        left.Palm.rotation.x,left.Palm.rotation.y,left.Palm.rotation.z,left.Palm.rotation.w";
    let table = frames(&format!(
        "time_s,{palm},right.tracked\n0,1,2,3,0,0,0,1,\n1,,,,,,,,TRUE\n2,,nan,NaN,,,,,0"
    ));
    let objects = frames(
        r#"
        {"right": {"tracked": null}, "left": {"joints": {"palm": {"rotation": [0,0,0,1], "position": [1,2,3]}}}, "time": 0}
        {"time": 1, "head": null, "right": {"tracked": 1, "joints": null}, "left": null}
        {"time": 2, "left": {"joints": {"Palm": {"position": [null, null, null]}, "joint11": null}}}
        "#,
    );
    assert_eq!(table, objects);
    let [first, second, third] = &table[..] else {
        panic!("{table:?}")
    };
    assert!(
        first.left.tracked && first.left.joints[Joint::Palm].is_some(),
        "a hand with joints is tracked"
    );
    assert!(first.right.unknown && !first.left.unknown && !third.left.unknown);
    assert!(!second.left.tracked && second.right.tracked && !second.right.pinching);
    let not_tracked = HandFrame {
        pinch_unknown: true,
        ..HandFrame::default()
    };
    assert_eq!(third.left, not_tracked);
}

#[test]
fn an_untracked_hand_stays_untracked_if_joints_are_known() {
    let [frame] = &frames(
        r#"{"time":0,"left":{"tracked":false,"joints":{"Palm":{"position":[0,0,0],"rotation":[0,0,0,1]}}}}"#,
    )[..] else {
        panic!("one frame")
    };
    assert!(!frame.left.tracked && frame.left.joints[Joint::Palm].is_some());
}

#[test]
fn numbers_are_rounded_once() {
    // This number is just above the middle between two floats; a conversion through a double would round it
    // down.
    let digits = "1.00000005960464477539062500000000000001";
    for text in [
        format!("time_s\n{digits}"),
        format!("{{\"time\":{digits}}}"),
    ] {
        assert_eq!(frames(&text)[0].time, 1.0_f32.next_up(), "{text}");
    }
}

#[test]
fn times_since_1970_stay_distinct_when_counted_from_zero() {
    let options = {
        let mut options = FrameOptions::default();
        options.from_zero = true;
        options
    };
    for text in [
        "time_s\n1763754000.5\n1763754000.516\n1763754010.5\n",
        "{\"time\":1763754000.5}\n{\"time\":1763754000.516}\n{\"time\":1763754010.5}\n",
    ] {
        let events = read_with(text, &options);
        let times: Vec<f32> = events
            .into_iter()
            .map(|event| match event.unwrap() {
                Event::Frame(frame) => frame.time,
                Event::Marker(marker) => marker.time,
            })
            .collect();
        assert_eq!(times[0], 0.0);
        assert!(
            (times[1] - 0.016).abs() < 1e-6 && times[2] == 10.0,
            "{times:?}"
        );
    }
    let mut endless = read_with("time_s\n1\ninf\n1e300\n", &options).into_iter();
    assert!(endless.next().is_some_and(|event| event.is_ok()));
    for event in endless {
        let error = event.unwrap_err().to_string();
        assert!(
            error.contains("time_s: expected a number of seconds"),
            "{error}"
        );
    }
}

#[test]
fn a_marker_alone_is_not_a_frame() {
    let marker = Event::Marker(Marker::new(1.5, "start"));
    let object = read(r#"{"time": 1.5, "marker": "start"}"#);
    assert_eq!(object.as_slice(), std::slice::from_ref(&marker));
    assert_eq!(read("marker,time_s,left.tracked\nstart,1.5,\n"), object);
    let both = read("marker,time_s,left.tracked\nstart,1.5,1\n,2,\n");
    assert_eq!(both[0], marker);
    assert!(matches!(&both[1], Event::Frame(frame) if frame.time == 1.5 && frame.left.tracked));
    assert!(matches!(&both[2], Event::Frame(frame) if frame.time == 2.0));
}

#[test]
fn errors_contain_the_line_and_the_path() {
    for (text, expected) in [
        (
            "time_s,left.tracked\n0,1\n\n1,maybe\n",
            "line 4: left.tracked: expected 1, 0, true or false, found \"maybe\"",
        ),
        (
            "time_s\r\n0\r\n1,5\r\n",
            "line 3: expected 1 cells as in the first row, found 2",
        ),
        (
            "time_s,marker\n0,\"a\nb\"\nx,c\n",
            "line 4: time_s: expected a number that a 32-bit float can hold, found \"x\"",
        ),
        (
            "time_s,marker\n1e39,a\n",
            "line 2: time_s: expected a number that a 32-bit float can hold, found \"1e39\"",
        ),
        ("time_s,marker\n,a\n", "line 2: missing time_s"),
        (
            "marker\na\n",
            "line 1: expected columns of samples (time_s, head.position.x, left.tracked, …) or of keys (curve, time_s, value), found \"marker\"",
        ),
        (
            "left.tracked,marker\n1,a\n",
            "line 1: missing columns time_s; found \"left.tracked\", \"marker\"",
        ),
        (
            "time_s,left.tracked,left.tracked\n",
            "line 1: duplicate column left.tracked",
        ),
        (
            "time_s;left.tracked\n",
            "line 1: expected commas between cells, found semicolons",
        ),
        (
            "time_s,gaze.origin.x\n",
            "line 1: missing columns gaze.origin.y, gaze.origin.z, gaze.direction.x, gaze.direction.y, gaze.direction.z; found \"time_s\", \"gaze.origin.x\"",
        ),
        (
            "time_s,hip.x\n",
            "line 1: unknown column \"hip.x\"; expected time_s, marker, head.position.x, left.tracked, left.pinching, left.Palm.rotation.w, gaze.direction.z and the like",
        ),
        (
            "time_s,Left-Tracked,left.Palm.postion.x,foo\n",
            "line 1: unknown columns \"Left-Tracked\" (did you mean \"left.tracked\"?), \"left.Palm.postion.x\" (did you mean \"left.Palm.position.x\"?), \"foo\"; expected time_s, marker, head.position.x, left.tracked, left.pinching, left.Palm.rotation.w, gaze.direction.z and the like",
        ),
        (
            "time_s,LEFT.tracked\n",
            "line 1: unknown column \"LEFT.tracked\" (did you mean \"left.tracked\"?); expected time_s, marker, head.position.x, left.tracked, left.pinching, left.Palm.rotation.w, gaze.direction.z and the like",
        ),
        (
            "{\"time\":1,\"left\":{\"track_ed\":true}}",
            "line 1: unknown member \"left.track_ed\" (did you mean \"left.tracked\"?); expected tracked, pinching or joints",
        ),
        (
            "{\"time\":1}\n{\"time\":1,}\n",
            "line 2, column 11: trailing comma",
        ),
        (
            "{\"time\":1}\n[1]\n",
            "line 2: line: expected a JSON object, found \"[1]\"",
        ),
        (
            "{\"time\":\"1\"}",
            "line 1: time: expected a number that a 32-bit float can hold, found \"\\\"1\\\"\"",
        ),
        ("{\"marker\":\"a\"}", "line 1: missing time"),
        (
            "{\"time\":1,\"time\":2}",
            "line 1, column 16: duplicate field `time`",
        ),
        (
            "{\"time\":1,\"marker\":5}",
            "line 1: marker: expected text in quotation marks, found 5",
        ),
        (
            "{\"time\":1,\"left\":{\"joints\":{\"Toe\":null}}}",
            "line 1: unknown member \"left.joints.Toe\"; expected a joint such as Palm or IndexTip",
        ),
        (
            "{\"time\":1,\"head\":{\"rotation\":[0,0,0,1]}}",
            "line 1: missing head.position",
        ),
        (
            "[{\"time\":1},\n{\"time\":2,\n\"x\":}]",
            "line 3, column 5: expected value",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
    for (text, expected) in [
        (
            "{\"time\":1,\"gaze\":{\"origin\":[0,0],\"direction\":[0,0,1]}}",
            "gaze.origin: expected [x, y, z], found [0,0]",
        ),
        (
            "{\"time\":1,\"head\":[]}",
            "head: expected {\"position\": [x, y, z]}, found []",
        ),
    ] {
        assert!(error(text).contains(expected), "{}", error(text));
    }
}

#[test]
fn objects_may_be_lines_or_the_elements_of_an_array() {
    let head = r#""head":{"position":[1,2,3],"rotation":[0,0,0,1]}"#;
    let lines = format!("{{\"time\":0,{head}}}\n{{\"time_s\":0.5,{head}}}\n");
    let array = format!("[\n  {{\"time\": 0,\n   {head}}},\n{{\"time\":0.5,{head}}}\n]\n");
    assert_eq!(frames(&lines), frames(&array));
    assert_eq!(frames(&array).len(), 2);
    // A truncated array gives the elements before its end.
    let events = read_with(&array[..array.len() - 10], &FrameOptions::default());
    assert!(matches!(events[1], Err(TableError::Truncated { .. })));
    assert_eq!(events.len(), 2);
}

#[test]
fn the_time_may_be_called_time() {
    let with = |names: &str| frames(&format!("{names}\n0.5,1,0\n"));
    assert_eq!(with("time,left.tracked,left.pinching")[0].time, 0.5);
    // If both exist, `time` is often a date.
    let text = "time,time_s,left.tracked\n2024-05-01,1.5,1\n";
    let mut options = FrameOptions::default();
    options.ignore_unknown = true;
    let events = read_with(text, &options);
    assert!(matches!(&events[0], Ok(Event::Frame(frame)) if frame.time == 1.5));
}

#[test]
fn positions_without_rotations_are_noted() {
    let position = r#"{"position":[1,2,3]}"#;
    let text =
        format!(r#"{{"time":0,"head":{position},"left":{{"joints":{{"Palm":{position}}}}}}}"#);
    let mut reader = Reader::new(text.as_bytes(), None, &FrameOptions::default()).unwrap();
    assert_eq!(reader.missing_rotations(), None);
    let Some(Ok(Event::Frame(frame))) = reader.next() else {
        panic!("no frame");
    };
    assert_eq!(frame.head.unwrap().rotation, [0.0, 0.0, 0.0, 1.0]);
    let note = reader.missing_rotations().unwrap().to_string();
    assert_eq!(note, "no rotations, identity assumed: head, left.Palm");
}

#[test]
fn all_missing_columns_are_in_one_error() {
    let mut options = FrameOptions::default();
    let mapping = |text: &str| text.parse().unwrap();
    options.mappings = vec![
        mapping("right.Palm.position.x=px"),
        mapping("right.Palm.position.y=py"),
    ];
    let error = read_with("t [s],px,marker\n", &options)
        .remove(0)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: missing columns \"py\" (for right.Palm.position.y), time_s, \
         right.Palm.position.z; found \"t [s]\", \"px\", \"marker\""
    );
}

#[test]
fn a_pose_has_all_of_its_numbers_or_none() {
    let heads = Columns {
        head: true,
        ..Columns::default()
    }
    .names()
    .join(",");
    assert_eq!(
        error(&format!("{heads}\n0,1,2,3,0,0,,1\n")),
        "line 2: missing head.rotation.z"
    );
    let object = r#"{"time":0,"head":{"position":[1,null,3],"rotation":[0,0,0,1]}}"#;
    assert_eq!(error(object), "line 1: missing head.position");
}

#[test]
fn each_event_has_the_number_of_its_line() {
    for text in [
        "marker,time_s,left.tracked\r\n,0,1\r\n\r\n\"a\nb\",1,1\r\n,2,0",
        "\n{\"time\":0}\n\n{\"time\":1,\"marker\":\"a\\nb\",\"left\":{}}\r\n\n{\"time\":2}",
    ] {
        let mut reader = Reader::new(text.as_bytes(), None, &FrameOptions::default()).unwrap();
        let mut lines = Vec::new();
        while let Some(event) = reader.next() {
            event.unwrap();
            lines.push(reader.line());
        }
        // A marker and a frame share one line.
        assert_eq!(lines, [2, 4, 4, 6]);
    }
}

#[test]
fn reading_continues_after_an_invalid_line() {
    for text in [
        "time_s\n0\nx\n1,2\n2\n",
        "{\"time\":0}\nx\n{}\n{\"time\":2}\n",
    ] {
        let events = read_with(text, &FrameOptions::default());
        let times = events.iter().map(|event| match event {
            Ok(Event::Frame(frame)) => frame.time,
            Ok(Event::Marker(_)) => f32::NAN,
            Err(error) => -(error.line().unwrap() as f32),
        });
        let times: Vec<f32> = times.collect();
        let first_line = if text.starts_with('t') { 3.0 } else { 2.0 };
        assert_eq!(times, [0.0, -first_line, -first_line - 1.0, 2.0]);
    }
}

#[test]
fn an_incomplete_line_is_truncated_and_a_missing_line_end_is_not() {
    assert_eq!(
        error("{\"time\":0}\n{\"time\":1,\"ca"),
        "line 2: the input ends in the middle of the line"
    );
    assert_eq!(
        error("time_s,left.tracked\n0,1\n1.5"),
        "line 3: the input ends in the middle of the line"
    );
    assert_eq!(
        error("time_s,marker,left.tracked\n0,\"a\nb"),
        "line 2: the input ends in the middle of the line"
    );
    assert_eq!(frames("{\"time\":0}\n{\"time\":1}").len(), 2);
    assert_eq!(frames("time_s,left.tracked\n0,1\n1.5,0").len(), 2);
    assert_eq!(read(""), []);
    assert_eq!(read("\u{feff}\n \n"), []);
}

#[test]
fn unknown_names_can_be_ignored_and_are_listed_once() {
    let options = {
        let mut options = FrameOptions::default();
        options.ignore_unknown = true;
        options
    };
    for text in [
        "time_s,note,,time_s.2\n0,a,b,1\n1,a,b,1\n",
        "{\"time\":0,\"note\":{\"a\":[1]},\"\":2,\"time_s.2\":1}\n{\"time\":1,\"note\":1}\n",
    ] {
        let mut reader = Reader::new(text.as_bytes(), None, &options).unwrap();
        assert!(reader.by_ref().all(|event| event.is_ok()));
        let names: Vec<&String> = reader.ignored().iter().collect();
        assert_eq!(names, ["\"\"", "\"note\"", "\"time_s.2\""]);
    }
}

#[test]
fn reading_ends_at_a_line_or_row_that_is_too_long() {
    let options = {
        let mut options = FrameOptions::default();
        options.max_line = 40;
        options
    };
    let long = "x".repeat(30);
    for text in [
        format!("time_s,marker\n0,\"{long}\n{long}\"\n1,a\n"),
        format!("time_s,marker\n0,{long}{long}\n1,a\n"),
        format!("{{\"time\":0}}\n{{\"time\":1,\"marker\":\"{long}\"}}\n{{\"time\":2}}\n"),
    ] {
        let events = read_with(&text, &options);
        let error = events.last().unwrap().as_ref().unwrap_err();
        assert!(error.is_final(), "{text}: {error}");
        assert_eq!(
            error.to_string(),
            "line 2: expected at most 40 bytes (the limit), found more"
        );
    }
}

#[test]
fn invalid_utf_8_is_refused_with_its_line() {
    let bytes = b"time_s,marker\n0,\xff\n1,a\n";
    let reader = Reader::new(&bytes[..], None, &FrameOptions::default()).unwrap();
    let events: Vec<_> = reader.collect();
    assert!(matches!(events[0], Err(TableError::Encoding { line: 2 })) && events[1].is_ok());
    let reader = Reader::new(
        &b"{\"time\":0,\"\xff\"}\n{\"time\":1}"[..],
        None,
        &FrameOptions::default(),
    );
    let events: Vec<_> = reader.unwrap().collect();
    assert!(matches!(events[0], Err(TableError::Encoding { line: 1 })) && events[1].is_ok());
}

#[test]
fn pinches_that_some_rows_lack_are_held_and_counted() {
    let row = |time: f32, pinching: &str| format!("{time},1,{pinching},0,1,0.3\n");
    let table = |states: &[&str]| {
        let rows = (0_u8..)
            .zip(states)
            .map(|(index, state)| row(f32::from(index) / 10.0, state));
        let head = "time_s,right.tracked,right.pinching,right.Palm.position.x,right.Palm.position.y,\
                    right.Palm.position.z\n";
        let text = head.to_owned() + &rows.collect::<String>();
        let read = inputanim_convert::read(Format::Csv, text.as_bytes(), &ReadOptions::default());
        let (recording, report) = read.unwrap();
        let keys = &recording.hands.as_ref().unwrap().right.pinching.keys;
        let keys: Vec<(f32, bool)> = keys.iter().map(|key| (key.time(), key.is_on())).collect();
        let losses: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
        (keys, losses)
    };
    // Nobody saw a pinch before the first known state.
    let (keys, losses) = table(&["", "", "1", "", "0"]);
    assert_eq!(keys, [(0.0, false), (0.2, true), (0.4, false)]);
    let expected = "right hand: pinches unknown in 3 of 5 rows; the last known state is held there";
    assert_eq!(losses, [expected]);
    assert_eq!(
        table(&["1", "0"]),
        (vec![(0.0, true), (0.1, false)], vec![])
    );
    // Without any state, the pinches are unknown, and a recording can hold this.
    assert_eq!(table(&["", ""]), (vec![], vec![]));
}
