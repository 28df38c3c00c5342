//! `stats` and `events`: tables of many recordings.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use inputanim::{Layout, Pose, Recording};
use inputanim_testkit::samples;
use tempfile::TempDir;

use crate::support::program;

fn run(folder: &TempDir, arguments: &str) -> Output {
    program()
        .args(arguments.split_whitespace())
        .env_remove("COLUMNS")
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// Runs a command that must succeed, and returns what it prints.
fn print(folder: &TempDir, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the rows of a table by the names of the columns, in the order of the columns.
fn rows(csv: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let row = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
    let rows = reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect();
    (header, rows)
}

/// Returns a folder `study` with copies of the samples, and with recordings that lack streams.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = folder.path().join("study").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    for name in ["two-hands", "wave", "pinch-drag", "reach"] {
        let bytes = samples::read(&format!("{name}.bin"));
        for participant in ["p1", "p2"] {
            write(&format!("{participant}/{name}.bin"), &bytes);
        }
    }
    let empty = Recording::new(Layout::Mrtk1_1);
    write("p2/empty.bin", &empty.to_bytes().unwrap());
    let mut head = Recording::new(Layout::Mrtk1_1);
    for step in 0..60_u8 {
        let time = f32::from(step) / 60.0;
        head.head_mut().push(time, &Pose::at([time, 1.6, 0.0]));
    }
    write("p2/head.bin", &head.to_bytes().unwrap());
    folder
}

#[test]
fn rows_are_in_the_order_of_the_recordings_on_any_number_of_processors() {
    let folder = study();
    for command in ["stats -r study --measures head,gaze", "events -r study"] {
        let one = print(&folder, &format!("{command} --format csv -j 1"));
        let many = print(&folder, &format!("{command} --format csv -j 5"));
        assert_eq!(one, many);
        let (_, rows) = rows(&one);
        let mut names: Vec<&String> = rows.iter().map(|row| &row[0]).collect();
        names.dedup();
        assert!(names.is_sorted(), "{names:?}");
    }
}

#[test]
fn every_recording_has_a_row_with_the_same_columns() {
    let folder = study();
    let (columns, rows) = rows(&print(&folder, "stats -r study --format csv"));
    assert_eq!(rows.len(), 10);
    assert!(columns.len() > 500);
    let cell = |recording: &str, column: &str| {
        let row = rows.iter().find(|row| row[0] == recording).unwrap();
        let index = columns.iter().position(|name| name == column).unwrap();
        row[index].as_str()
    };
    assert_eq!(cell("p2/empty", "left.Palm.path_length"), "");
    assert_eq!(cell("p2/empty", "duration"), "0");
    assert!(!cell("p2/head", "head.path_length").is_empty());
    assert_eq!(cell("p2/head", "gaze.idt.count"), "");
    assert_eq!(cell("p1/wave", "duration"), cell("p2/wave", "duration"));
}

#[test]
fn recordings_with_one_file_name_are_named_by_their_folders() {
    let folder = study();
    let names = |command: &str| {
        let (_, rows) = rows(&print(&folder, command));
        let mut names: Vec<String> = rows.into_iter().map(|row| row[0].clone()).collect();
        names.dedup();
        names
    };
    for command in ["stats", "events"] {
        let names = names(&format!(
            "{command} study/p1/wave.bin study/p2/wave.bin --format csv"
        ));
        assert_eq!(names, ["p1/wave", "p2/wave"]);
    }
    // Folders with the same tree have names of their own too.
    let both = names("stats -r study/p1 study/p2 --format csv");
    assert!(both.iter().all(|name| name.starts_with('p')), "{both:?}");
    print(
        &folder,
        "convert study/p1/wave.bin study/p2/wave.bin -o all.csv",
    );
    let table = fs::read_to_string(folder.path().join("all.csv")).unwrap();
    let (_, rows) = rows(&table);
    assert_eq!(rows[0][0], "p1/wave");
    assert_eq!(rows[rows.len() - 1][0], "p2/wave");
}

#[test]
fn tables_and_targets_may_be_in_utf_16() {
    let folder = study();
    let utf16 = |text: &str| {
        let text = format!("\u{feff}{text}");
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let trials = "recording,start,end,condition\r\np1/wave,0,2,n\u{e4}he\r\n";
    let targets = "name,shape,x,y,z,radius\r\nball,sphere,0,1.5,1,0.2\r\n";
    let json = r#"[{"name": "ball", "shape": "sphere", "centre": [0, 1.5, 1], "radius": 0.2}]"#;
    fs::write(folder.path().join("utf8.csv"), trials).unwrap();
    fs::write(folder.path().join("trials.csv"), utf16(trials)).unwrap();
    fs::write(folder.path().join("targets.csv"), utf16(targets)).unwrap();
    fs::write(folder.path().join("targets.json"), utf16(json)).unwrap();
    let command = "stats -r study --measures head --format csv --segments";
    let expected = print(&folder, &format!("{command} utf8.csv"));
    assert!(expected.contains("n\u{e4}he"));
    assert_eq!(print(&folder, &format!("{command} trials.csv")), expected);
    let command = "stats study/p1/wave.bin --measures targets --targets";
    let expected = print(&folder, &format!("{command} targets.csv"));
    assert!(expected.contains("ball"));
    assert_eq!(print(&folder, &format!("{command} targets.json")), expected);
}

#[test]
fn a_table_of_events_gives_the_segments_of_measures() {
    let folder = study();
    print(
        &folder,
        "events -r study/p1 --kind movement -o movements.csv",
    );
    let events = fs::read_to_string(folder.path().join("movements.csv")).unwrap();
    let (_, events) = rows(&events);
    let command = "stats -r study --segments movements.csv --measures *.movements --format csv";
    let output = run(&folder, command);
    // Each recording is in p1 and in p2.
    assert_eq!(output.status.code(), Some(1));
    let command = "stats -r study/p1 --segments movements.csv --measures *.movements --format csv";
    let (columns, rows) = rows(&print(&folder, command));
    assert_eq!(columns[..3], ["recording", "segment", "kind"]);
    assert_eq!(rows.len(), events.len());
    let side = columns.iter().position(|name| name == "side").unwrap();
    for row in rows {
        let measure = format!("{}.movements", row[side]);
        let measure = columns.iter().position(|name| *name == measure).unwrap();
        assert_eq!(row[measure], "1", "{row:?}");
    }
}

#[test]
fn columns_of_trials_with_the_name_of_another_column_get_a_prefix() {
    let folder = study();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "trials.csv",
        "recording,start,end,kind,file,duration,value,recording_day\np1/wave,0,2,a,b,c,d,e\n",
    );
    let header = |command: &str| {
        let table = print(
            &folder,
            &format!("{command} --segments trials.csv --format csv"),
        );
        table.lines().next().unwrap().to_owned()
    };
    assert!(header("events -r study").starts_with(
        "recording,segment,segment_kind,file,duration,value,recording_day,segment_start_s,segment_end_s,kind,"
    ));
    // The names do not depend on the selection of measures.
    assert!(header("stats -r study --measures head").starts_with(
        "recording,segment,kind,file,segment_duration,value,recording_day,start_s,end_s,head."
    ));
    assert_eq!(
        header("stats -r study --tidy"),
        "recording,segment,kind,file,duration,segment_value,recording_day,start_s,end_s,measure,value,unit,reason,damage"
    );
    write(
        "trials.csv",
        "recording,start,end,kind,segment_kind\np1/wave,0,2,a,b\n",
    );
    let output = run(
        &folder,
        "events -r study --segments trials.csv --format csv",
    );
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("rename it in the trial table"),
        "{message}"
    );
}

#[test]
fn targets_that_are_not_valid_are_refused_with_their_place() {
    let folder = study();
    let error = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        let command = format!("stats study/p1/wave.bin --measures targets --targets {name}");
        let output = run(&folder, &command);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let message = error(
        "targets.csv",
        "name,shape,x,y,z,radius\nball,sphere,0,1.5,1,-1\n",
    );
    let expected = "line 2, column \"radius\": expected a number of at least 0, found \"-1\"";
    assert!(message.contains(expected), "{message}");
    let ball = r#"{"name": "ball", "shape": "sphere", "centre": [0, 1.5, 1], "radius": 0.2}"#;
    let message = error("targets.json", &format!("[{ball}, {ball}]"));
    let expected = "target 2 (\"ball\"), name: expected a name that no other target has";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_recording_can_come_from_standard_input() {
    let folder = study();
    let wave = folder.path().join("study/p1/wave.bin");
    let output = program()
        .args(["stats", "-", "--measures", "duration", "--format", "csv"])
        .stdin(Stdio::from(fs::File::open(wave).unwrap()))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "recording,start_s,end_s,duration\n-,0,4,4\n");
}

#[test]
fn columns_of_paths_and_trials_have_any_name_that_the_result_lacks() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("5")).unwrap();
    fs::copy(samples::path("wave.bin"), folder.path().join("5/wave.bin")).unwrap();
    for verb in ["events --kind marker", "stats --tidy --measures duration"] {
        for name in ["missing", "damage"] {
            // Each measure has a damage of its own.
            if verb.starts_with("stats") && name == "damage" {
                continue;
            }
            let pattern = format!("--path-pattern {{{name}}}/{{*}}.bin --format ndjson");
            let text = print(&folder, &format!("{verb} 5/wave.bin {pattern}"));
            assert!(
                text.contains(&format!("\"{name}\":\"5\"")),
                "{verb}: {text}"
            );
        }
    }
    // A wide table of measures has a column `missing` itself.
    let output = run(&folder, "stats 5/wave.bin --path-pattern {missing}/{*}.bin");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn complete_recordings_have_no_names_of_segments() {
    let folder = study();
    let all = print(&folder, "stats -r . --format csv --measures duration");
    let option = "--segments Recording";
    let given = print(
        &folder,
        &format!("stats -r . --format csv --measures duration {option}"),
    );
    assert_eq!(given, all);
    let text = print(&folder, &format!("stats -r . {option}"));
    assert!(!text.contains("segment"), "{text}");
}

#[test]
fn the_table_of_info_has_the_size_of_standard_input() {
    let folder = TempDir::new().unwrap();
    let wave = samples::path("wave.bin");
    let output = program()
        .args(["info", "-", "--format", "csv"])
        .stdin(fs::File::open(&wave).unwrap())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let (names, rows) = rows(&String::from_utf8(output.stdout).unwrap());
    let bytes = names.iter().position(|name| name == "bytes").unwrap();
    assert_eq!(
        rows[0][bytes],
        fs::metadata(&wave).unwrap().len().to_string()
    );
}

#[test]
fn an_output_in_a_folder_of_inputs_is_not_an_input() {
    let folder = study();
    for _ in 0..2 {
        print(&folder, "stats -r study -o study/stats.json --force");
        print(&folder, "events -r study -o study/events.csv --force");
    }
    assert!(Path::new(&folder.path().join("study/events.csv")).is_file());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_values_of_csv() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use arrow_array::{Array, RecordBatch};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

    let folder = study();
    for command in [
        "stats -r study --segments pinch@-1..1 --measures head,pinches",
        "events -r study",
    ] {
        let (columns, rows) = rows(&print(&folder, &format!("{command} --format csv")));
        print(&folder, &format!("{command} -o table.parquet --force"));
        let file = fs::File::open(folder.path().join("table.parquet")).unwrap();
        let reader = ParquetRecordBatchReader::try_new(file, 1 << 20).unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let [batch] = &batches[..] else {
            panic!("{} batches", batches.len());
        };
        let names: Vec<&String> = batch
            .schema_ref()
            .fields()
            .iter()
            .map(|field| field.name())
            .collect();
        assert_eq!(names, columns.iter().collect::<Vec<_>>());
        assert_eq!(batch.num_rows(), rows.len());
        for (index, array) in batch.columns().iter().enumerate() {
            for (number, row) in rows.iter().enumerate() {
                let text = match array.as_string_opt::<i32>() {
                    _ if array.is_null(number) => String::new(),
                    Some(texts) => texts.value(number).to_owned(),
                    None => {
                        let value = array.as_primitive::<Float64Type>().value(number);
                        assert_eq!(row[index].parse::<f64>().unwrap(), value);
                        continue;
                    }
                };
                assert_eq!(row[index], text, "{}", columns[index]);
            }
        }
        let unit = batch
            .schema_ref()
            .field_with_name("start_s")
            .unwrap()
            .metadata();
        assert_eq!(unit["unit"], "s");
    }
}

/// A controller whose button is pressed for 0.5 s, whose trigger is pulled, and that vibrates.
const CONTROLLER: &str = r#"{
  "format": "inputanim-json", "version": 3, "layout": "mrtk-1.1", "flags": {"head": 0, "hand": 0, "gaze": 0},
  "curves": [
    {"curve":"right.controller.a.click","preWrap":8,"postWrap":8,"kind":"boolean","keys":[[0.0,0.0],[0.5,1.0],[1.0,0.0]]},
    {"curve":"right.controller.trigger.value","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.0,0.0],[1.0,1.0],[2.0,0.0]]}
  ],
  "devices": [
    {"device":"right.controller","profiles":[[0.0,true,"/interaction_profiles/valve/index_controller"]],"haptics":[[0.5,"haptic",0.1,null,0.75]]}
  ],
  "markers": []
}"#;

#[test]
fn devices_have_events_measures_transitions_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("take.json"), CONTROLLER).unwrap();
    let info = print(&folder, "info take.json");
    let expected = "
  right.controller  /interaction_profiles/valve/index_controller
    buttons   a.click
    axes      trigger.value
    haptics   1
";
    assert!(info.contains(expected), "{info}");
    let events = print(&folder, "events take.json");
    let expected = "  start s  length s  kind             side
    0.000     2.000  connected        right  right.controller
    0.000     2.000  profile          right  right.controller /interaction_profiles/valve/index_controller
    0.500     0.100  haptic           right  right.controller.haptic
    0.500     0.500  press            right  right.controller.a.click
";
    assert_eq!(events, expected);
    // The columns of a table of all events are those of recordings without devices.
    let (all, _) = rows(&print(&folder, "events take.json --format csv"));
    assert!(!all.iter().any(|name| name == "frequency_hz"), "{all:?}");
    let (haptic, found) = rows(&print(
        &folder,
        "events take.json --kind haptic --format csv",
    ));
    let column = |name: &str| haptic.iter().position(|column| column == name).unwrap();
    assert_eq!(found[0][column("amplitude")], "0.75");
    assert_eq!(found[0][column("frequency_hz")], "");
    let parameter = "--parameter devices.inputs=right.controller.trigger.value";
    let presses = print(
        &folder,
        &format!("events take.json --kind press {parameter}"),
    );
    assert!(
        presses.contains("0.500     1.083  press            right  right.controller.trigger.value"),
        "{presses}"
    );

    let output = run(&folder, "stats take.json --format csv");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("no device is measured: the parameters devices.inputs=right.controller.a.click,right.controller.trigger.value measure them"),
        "{text}"
    );
    let measures = format!(
        "stats take.json --measures right.controller.trigger.value.press.duration.mean {parameter}"
    );
    let measures = print(&folder, &measures);
    assert!(
        measures.contains("press.duration.mean       1.08 s"),
        "{measures}"
    );
    let output = run(&folder, "stats take.json --measures devices");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("need the parameters devices.poses"), "{text}");

    let transitions = print(&folder, "play take.json --no-wait");
    let expected = "     0.000 s  right.controller connected (start)
     0.000 s  right.controller profile /interaction_profiles/valve/index_controller (start)
     0.500 s  right.controller.a.click down
     0.500 s  right.controller.haptic amplitude 0.75, 0.1 s
     1.000 s  right.controller.a.click up
     2.000 s  end
";
    assert_eq!(transitions, expected);
    let json = print(&folder, "play take.json --no-wait --format ndjson");
    let pulse = r#"{"time":0.5,"kind":"haptic","side":"right","name":"right.controller.haptic","duration":0.1,"amplitude":0.75}"#;
    assert!(json.contains(pulse), "{json}");

    print(&folder, "plot take.json -o take.svg");
    let figure = fs::read_to_string(folder.path().join("take.svg")).unwrap();
    for text in [
        ">right a.click<",
        ">right.controller<",
        ">right.controller.trigger<",
    ] {
        assert!(figure.contains(text), "{text}");
    }
    print(&folder, "plot take.json -o some.svg --devices *.a.click");
    let figure = fs::read_to_string(folder.path().join("some.svg")).unwrap();
    assert!(figure.contains(">right a.click<") && !figure.contains("trigger"));
}
