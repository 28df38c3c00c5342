//! Frames as text: what is printed comes back to the bit, what people write is understood, and what
//! is wrong is said with its line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use inputanim::{Frame, HandFrame, Joint, Joints, Marker, Pose, Ray};
use inputanim_convert::frames::{Columns, Error, Event, Format, Options, Reader, Row};
use proptest::array::{uniform3, uniform4};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const FORMATS: [Format; 2] = [Format::Ndjson, Format::Csv];

fn read_with(text: &str, options: &Options) -> Vec<Result<Event, Error>> {
    match Reader::new(text.as_bytes(), None, options) {
        Ok(reader) => reader.collect(),
        Err(error) => vec![Err(error)],
    }
}

fn read(text: &str) -> Vec<Event> {
    let events = read_with(text, &Options::default());
    events.into_iter().map(|event| event.unwrap()).collect()
}

fn frames(text: &str) -> Vec<Frame> {
    let frame = |event| match event {
        Event::Frame(frame) => *frame,
        Event::Marker(marker) => panic!("no frame: {marker:?}"),
    };
    read(text).into_iter().map(frame).collect()
}

/// What is said of the first line that is wrong.
fn error(text: &str) -> String {
    let mut events = read_with(text, &Options::default()).into_iter();
    events.find_map(Result::err).unwrap().to_string()
}

/// As `inputanim sample` prints it.
fn print(events: &[Event], columns: &Columns, format: Format) -> String {
    let rows = events.iter().map(|event| match event {
        Event::Frame(frame) => Row::of_frame(frame, None, columns),
        Event::Marker(marker) => Row::of_marker(marker.time, &marker.name, columns),
    });
    let bytes = match format {
        Format::Ndjson => {
            let mut text = Vec::new();
            for row in rows {
                serde_json::to_writer(&mut text, &row).unwrap();
                text.push(b'\n');
            }
            text
        }
        Format::Csv => {
            let mut table = csv::Writer::from_writer(Vec::new());
            table.write_record(columns.heads()).unwrap();
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
            joints,
        }
    })
}

fn frame() -> impl Strategy<Value = Frame> {
    let ray = (uniform3(float()), uniform3(float()));
    let ray = ray.prop_map(|(origin, direction)| Ray { origin, direction });
    (float(), option::of(pose()), hand(), hand(), option::of(ray)).prop_map(
        |(time, camera, left, right, gaze)| Frame {
            time,
            camera,
            left,
            right,
            gaze,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    // In a table, a blank cell is no marker.
    let marker = (float(), "\\PC{0,6}[^ \\pC\\s]|a\nb|,\"|\r\na|0");
    prop_oneof![
        4 => frame().prop_map(|frame| Event::Frame(Box::new(frame))),
        1 => marker.prop_map(|(time, name)| Event::Marker(Marker::new(time, name))),
    ]
}

proptest! {
    #[test]
    fn what_is_printed_comes_back_to_the_bit(events in vec(event(), 0..5)) {
        for format in FORMATS {
            let text = print(&events, &Columns::all(), format);
            // As text, in which -0 is not 0.
            prop_assert_eq!(format!("{:?}", read(&text)), format!("{:?}", &events));
        }
    }

    #[test]
    fn a_frame_with_a_marker_is_a_marker_and_a_frame(frame in frame(), name in "[a-z ,\"\n]{0,5}[a-z]") {
        let columns = Columns { marker: true, camera: true, ..Columns::default() };
        for format in FORMATS {
            let row = Row::of_frame(&frame, Some(&name), &columns);
            let text = match format {
                Format::Ndjson => serde_json::to_string(&row).unwrap(),
                Format::Csv => {
                    let mut table = csv::Writer::from_writer(Vec::new());
                    table.write_record(columns.heads()).unwrap();
                    table.serialize(row.cells()).unwrap();
                    String::from_utf8(table.into_inner().unwrap()).unwrap()
                }
            };
            let events = read(&text);
            prop_assert_eq!(&events[0], &Event::Marker(Marker::new(frame.time, name.clone())));
            if let Some(Event::Frame(back)) = events.get(1) {
                prop_assert_eq!((back.time, back.camera), (frame.time, frame.camera));
            } else {
                // Nothing is known but the marker.
                prop_assert!(frame.camera.is_none());
            }
        }
    }

    /// Columns in any order, and any of them left out pose by pose, say the same.
    #[test]
    fn the_order_of_columns_does_not_matter(frame in frame(), seed in any::<u64>()) {
        let columns = Columns::all();
        let text = print(&[Event::Frame(Box::new(frame.clone()))], &columns, Format::Csv);
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
    fn any_text_comes_to_an_end(text in "(?s).{0,80}", head in any::<bool>()) {
        let text = if head { format!("time_s,marker,left.tracked\n{text}") } else { text };
        for format in FORMATS {
            if let Ok(reader) = Reader::new(text.as_bytes(), Some(format), &Options::default()) {
                prop_assert!(reader.count() <= 2 * text.len());
            }
        }
    }
}

#[test]
fn what_is_left_out_or_empty_is_not_known() {
    let palm = "left.Palm.position.x,left.Palm.position.y,left.Palm.position.z,\
        left.Palm.rotation.x,left.Palm.rotation.y,left.Palm.rotation.z,left.Palm.rotation.w";
    let table = frames(&format!(
        "time_s,{palm},right.tracked\n0,1,2,3,0,0,0,1,\n1,,,,,,,,TRUE\n2,,nan,NaN,,,,,0"
    ));
    let objects = frames(
        r#"
        {"right": {}, "left": {"joints": {"palm": {"rotation": [0,0,0,1], "position": [1,2,3]}}}, "time": 0}
        {"time": 1, "camera": null, "right": {"tracked": 1, "joints": null}, "left": null}
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
    assert!(!second.left.tracked && second.right.tracked && !second.right.pinching);
    assert_eq!(third.left, HandFrame::default());
}

#[test]
fn a_hand_of_which_it_is_said_that_it_is_not_tracked_is_not_whatever_is_known() {
    let [frame] = &frames(
        r#"{"time":0,"left":{"tracked":false,"joints":{"Palm":{"position":[0,0,0],"rotation":[0,0,0,1]}}}}"#,
    )[..] else {
        panic!("one frame")
    };
    assert!(!frame.left.tracked && frame.left.joints[Joint::Palm].is_some());
}

#[test]
fn numbers_are_rounded_once() {
    // Just above the middle between two floats: by way of a double it would be rounded down.
    let digits = "1.00000005960464477539062500000000000001";
    for text in [
        format!("time_s\n{digits}"),
        format!("{{\"time\":{digits}}}"),
    ] {
        assert_eq!(frames(&text)[0].time, 1.0_f32.next_up(), "{text}");
    }
}

#[test]
fn the_times_of_a_clock_that_runs_since_1970_are_told_apart_from_zero_on() {
    let options = Options {
        from_zero: true,
        ..Options::default()
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
fn a_marker_alone_is_no_frame() {
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
fn what_is_wrong_is_said_with_its_line_and_place() {
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
        ("time_s,marker\n,a\n", "line 2: time_s is missing"),
        (
            "marker\na\n",
            "line 1: expected the names of columns (time_s, camera.position.x, ...), found \"marker\"",
        ),
        ("left.tracked,marker\n1,a\n", "line 1: time_s is missing"),
        (
            "time_s,left.tracked,left.tracked\n",
            "line 1: left.tracked is there twice",
        ),
        (
            "time_s;left.tracked\n",
            "line 1: expected the names of columns (time_s, camera.position.x, ...), found \"time_s;left.tracked\"",
        ),
        ("time_s,gaze.origin.x\n", "line 1: gaze.origin.y is missing"),
        (
            "time_s,hip.x\n",
            "line 1: \"hip.x\" means nothing here: expected time_s, marker, camera.position.x, left.tracked, left.pinching, left.Palm.rotation.w, gaze.direction.z and the like",
        ),
        (
            "{\"time\":1}\n{\"time\":1,}\n",
            "line 2, byte 11: no JSON: trailing comma",
        ),
        (
            "{\"time\":1}\n[1]\n",
            "line 2: expected an object, {\"time\": ...}, found \"[1]\"",
        ),
        (
            "{\"time\":\"1\"}",
            "line 1: time: expected a number that a 32-bit float can hold, found \"\\\"1\\\"\"",
        ),
        ("{\"marker\":\"a\"}", "line 1: time is missing"),
        ("{\"time\":1,\"time\":2}", "line 1: time is there twice"),
        (
            "{\"time\":1,\"marker\":5}",
            "line 1: marker: expected a text, found \"5\"",
        ),
        (
            "{\"time\":1,\"left\":{\"joints\":{\"Toe\":null}}}",
            "line 1: \"left.joints.Toe\" means nothing here: expected a joint such as Palm or IndexTip",
        ),
        (
            "{\"time\":1,\"camera\":{\"position\":[0,0,0]}}",
            "line 1: camera.rotation is missing",
        ),
        (
            "{\"time\":1,\"gaze\":{\"origin\":[0,0],\"direction\":[0,0,1]}}",
            "line 1: gaze.origin: expected an array of 3 numbers, found \"[0,0]\"",
        ),
        (
            "{\"time\":1,\"camera\":[]}",
            "line 1: camera: expected an object, found \"[]\"",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn a_pose_has_all_of_its_numbers_or_none() {
    let heads = Columns {
        camera: true,
        ..Columns::default()
    }
    .heads()
    .join(",");
    assert_eq!(
        error(&format!("{heads}\n0,1,2,3,0,0,,1\n")),
        "line 2: camera.rotation.z is missing"
    );
    let object = r#"{"time":0,"camera":{"position":[1,null,3],"rotation":[0,0,0,1]}}"#;
    assert_eq!(error(object), "line 1: camera.position is missing");
}

#[test]
fn each_event_has_the_line_that_was_read_last() {
    for text in [
        "marker,time_s,left.tracked\r\n,0,1\r\n\r\n\"a\nb\",1,1\r\n,2,0",
        "\n{\"time\":0}\n\n{\"time\":1,\"marker\":\"a\\nb\",\"left\":{}}\r\n\n{\"time\":2}",
    ] {
        let mut reader = Reader::new(text.as_bytes(), None, &Options::default()).unwrap();
        let mut lines = Vec::new();
        while let Some(event) = reader.next() {
            event.unwrap();
            lines.push(reader.line());
        }
        // A marker and a frame stand in one line.
        assert_eq!(lines, [2, 4, 4, 6]);
    }
}

#[test]
fn reading_goes_on_behind_a_line_that_is_wrong() {
    for text in [
        "time_s\n0\nx\n1,2\n2\n",
        "{\"time\":0}\nx\n{}\n{\"time\":2}\n",
    ] {
        let events = read_with(text, &Options::default());
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
fn an_input_that_ends_in_the_middle_of_a_line_is_torn_and_one_that_only_lacks_its_end_is_not() {
    assert_eq!(
        error("{\"time\":0}\n{\"time\":1,\"ca"),
        "line 2: the input ends in the middle of it"
    );
    assert_eq!(
        error("time_s,left.tracked\n0,1\n1.5"),
        "line 3: the input ends in the middle of it"
    );
    assert_eq!(
        error("time_s,marker,left.tracked\n0,\"a\nb"),
        "line 2: the input ends in the middle of it"
    );
    assert_eq!(frames("{\"time\":0}\n{\"time\":1}").len(), 2);
    assert_eq!(frames("time_s,left.tracked\n0,1\n1.5,0").len(), 2);
    assert_eq!(read(""), []);
    assert_eq!(read("\u{feff}\n \n"), []);
}

#[test]
fn what_means_nothing_may_be_passed_over_and_is_remembered_once() {
    let options = Options {
        ignore_unknown: true,
        ..Options::default()
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
fn a_line_or_row_that_is_too_long_is_the_last_thing_that_is_read() {
    let options = Options {
        max_line: 40,
        ..Options::default()
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
fn what_is_no_text_is_refused_with_its_line() {
    let bytes = b"time_s,marker\n0,\xff\n1,a\n";
    let reader = Reader::new(&bytes[..], None, &Options::default()).unwrap();
    let events: Vec<_> = reader.collect();
    assert!(matches!(events[0], Err(Error::Encoding { line: 2 })) && events[1].is_ok());
    let reader = Reader::new(
        &b"{\"time\":0,\"\xff\"}\n{\"time\":1}"[..],
        None,
        &Options::default(),
    );
    let events: Vec<_> = reader.unwrap().collect();
    assert!(matches!(events[0], Err(Error::Encoding { line: 1 })) && events[1].is_ok());
}
