//! Time ranges, streams and joints.

use std::sync::Arc;

use inputanim::names::ElementChoice;
use inputanim::{Recording, TimeRange, edit};
use inputanim_analysis::EventKind;
use inputanim_convert::{Format, WriteOptions, write};
use inputanim_scan::{Sampling, Scan, ScanOptions, Segments, Shape, TrialTable};
use inputanim_testkit::samples;

use crate::table::{Table, rows, scan_bytes, source};

fn sample() -> Vec<u8> {
    samples::read("two-hands.bin")
}

fn scan(shape: Shape, time: Option<[f32; 2]>) -> Table {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.time = time.map(|[start, end]| TimeRange { start, end }.into());
    if matches!(shape, Shape::Wide | Shape::Tidy) {
        options.sampling = Sampling::Keys;
    }
    scan_bytes(&sample(), options).unwrap()
}

#[test]
fn time_ranges_joined_are_all_rows() {
    for shape in [Shape::Wide, Shape::Tidy, Shape::Events] {
        let all = scan(shape, None);
        let mut joined = Table {
            names: all.names.clone(),
            ..Table::default()
        };
        // No key is at these times.
        let bounds = [f32::NEG_INFINITY, 0.12345, 3.33333, 8.76543, f32::INFINITY];
        for pair in bounds.windows(2) {
            let part = scan(shape, Some([pair[0], pair[1]]));
            assert!(part.rows.len() < all.rows.len(), "{shape} {pair:?}");
            joined.rows.extend(part.rows);
        }
        assert!(joined == all, "{shape}");
    }
    // Rows of keys are in the order of the file. Those without a time are in every range.
    let all = scan(Shape::Keys, None);
    let parts = [[f32::NEG_INFINITY, 3.33333], [3.33333, f32::INFINITY]];
    let parts: usize = parts
        .map(|part| scan(Shape::Keys, Some(part)).rows.len())
        .iter()
        .sum();
    let time = all.column("time_s");
    let without_time = all.rows.iter().filter(|row| row[time].is_none());
    assert_eq!(parts, all.rows.len() + without_time.count());
}

#[test]
fn a_range_without_a_start_before_0_begins_at_the_first_key() {
    let mut recording = Recording::parse(&sample()).unwrap().into_owned();
    edit::shift(&mut recording, -2.0).unwrap();
    let mut options = ScanOptions::default();
    options.sampling = Sampling::Keys;
    options.time = Some(
        TimeRange {
            start: f32::NEG_INFINITY,
            end: -1.0,
        }
        .into(),
    );
    let table = scan_bytes(&recording.to_bytes().unwrap(), options).unwrap();
    assert!(!table.rows.is_empty());
}

#[test]
fn rows_of_a_range_begin_at_its_start() {
    let mut options = ScanOptions::default();
    options.sampling = Sampling::Rate(10.0);
    options.time = Some(
        TimeRange {
            start: 1.25,
            end: 1000.0,
        }
        .into(),
    );
    let found = scan_bytes(&sample(), options).unwrap();
    let recording = sample();
    let recording = Recording::parse(&recording).unwrap();
    let range = TimeRange {
        start: 1.25,
        end: recording.duration(),
    };
    let times: Vec<_> = range.times_at(10.0).map(crate::table::of_f32).collect();
    let time = found.column("time_s");
    let found: Vec<_> = found
        .rows
        .iter()
        .map(|row| row[time].clone().unwrap())
        .collect();
    assert_eq!(found, times);
}

#[test]
fn joints_reduce_the_recording_as_the_program_does() {
    let file = sample();
    let mut options = ScanOptions::default();
    options.joints = vec!["right.index*".to_owned(), "head".to_owned()];
    options.exclude = vec!["IndexMetacarpal".to_owned()];
    let found = scan_bytes(&file, options).unwrap();
    let mut recording = Recording::parse(&file).unwrap();
    let choice = ElementChoice::new(["right.index*", "head"], ["IndexMetacarpal"]).unwrap();
    edit::select(&mut recording, |element| choice.keeps(element));
    let mut text = Vec::new();
    write(Format::Csv, &recording, &WriteOptions::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let names = text.lines().next().unwrap().split(',');
    let names: Vec<&str> = names.chain(["damage"]).collect();
    assert_eq!(found.names, names);
    assert_eq!(found.rows.len(), text.lines().count() - 1);
}

fn trials(columns: &str, cells: &str) -> Segments {
    let csv = format!("recording,start,end,{columns}\ntake,0.5,2,{cells}\n");
    Segments::Trials(Arc::new(TrialTable::from_csv(csv.as_bytes()).unwrap()))
}

#[test]
fn columns_of_trials_with_the_name_of_another_column_get_a_prefix() {
    for (shape, expected) in [
        (
            Shape::Events,
            &[
                "file",
                "participant",
                "segment",
                "segment_kind",
                "segment_file",
                "segment_Participant",
                "duration",
                "segment_side",
                "segment_start_s",
                "segment_end_s",
                "kind",
            ][..],
        ),
        (
            Shape::Stats,
            &[
                "file",
                "participant",
                "segment",
                "kind",
                "segment_file",
                "segment_Participant",
                "segment_duration",
                "side",
                "start_s",
                "end_s",
            ],
        ),
    ] {
        let mut options = ScanOptions::default();
        options.shape = shape;
        options.path_pattern = Some("{participant}.bin".parse().unwrap());
        options.segments = trials("kind,file,Participant,duration,side", "a,b,c,d,e");
        let fields = options.fields().unwrap();
        let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
        assert_eq!(&names[..expected.len()], expected);
        let scan = Scan::new([source("take.bin", sample())], options).unwrap();
        let found = rows(&scan).unwrap();
        let texts = found.rows[0][3..8].iter().map(|cell| cell.as_deref());
        let expected = ["a", "b", "c", "d", "e"].map(Some);
        assert_eq!(texts.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn columns_of_trials_that_cannot_be_renamed_are_refused() {
    let error = |columns: &str, cells: &str| {
        let mut options = ScanOptions::default();
        options.shape = Shape::Events;
        options.segments = trials(columns, cells);
        options.fields().unwrap_err().to_string()
    };
    assert_eq!(
        error("kind,segment_kind", "a,b"),
        "column \"kind\" of the trial table: the result already has the columns \"kind\" and \"segment_kind\"; \
         rename it in the trial table"
    );
    assert_eq!(
        error("block,block", "a,b"),
        "the trial table has several columns \"block\"; rename all except one"
    );
}

#[test]
fn events_of_segments_have_the_columns_of_their_segment() {
    let mut options = ScanOptions::default();
    options.shape = Shape::Events;
    options.segments = "pinch@-0.5..1".parse().unwrap();
    let found = scan_bytes(&sample(), options).unwrap();
    assert_eq!(
        found.names[..4],
        [
            "segment",
            "segment_side",
            "segment_start_s",
            "segment_end_s"
        ]
    );
    assert!(!found.rows.is_empty());
    assert_eq!(
        "a*:b".parse(),
        Ok(Segments::BetweenMarkers {
            start: "a*".to_owned(),
            stop: "b".to_owned(),
        })
    );
    assert!("pinch@1..0".parse::<Segments>().is_err());
    assert!("marker".parse::<Segments>().is_err());
}

#[test]
fn measures_do_not_depend_on_the_groups_that_are_computed() {
    let mut options = ScanOptions::default();
    options.shape = Shape::Stats;
    options.segments = "markers".parse().unwrap();
    let all = scan_bytes(&sample(), options.clone()).unwrap();
    let names = ["head.speed.max", "segment", "right.pinch.count"].map(str::to_owned);
    options.columns = Some(names.to_vec());
    assert_eq!(scan_bytes(&sample(), options).unwrap(), all.select(&names));
    assert!(all.rows.len() > 1);
}

#[test]
fn measures_and_events_are_chosen() {
    let mut options = ScanOptions::default();
    (options.shape, options.file_column) = (Shape::Stats, None);
    options.measures = vec!["pinches".to_owned(), "head.speed.m*".to_owned()];
    let fields = options.fields().unwrap();
    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    assert_eq!(
        names[..4],
        ["start_s", "end_s", "head.speed.mean", "head.speed.min"]
    );
    assert!(names.contains(&"right.pinch.count") && !names.contains(&"duration"));
    let chosen = scan_bytes(&sample(), options.clone()).unwrap();
    let mut all = options.clone();
    all.measures.clear();
    let columns: Vec<String> = names[..names.len() - 2]
        .iter()
        .map(ToString::to_string)
        .collect();
    let all = scan_bytes(&sample(), all).unwrap();
    assert_eq!(chosen.select(&columns), all.select(&columns));
    // A measure has the same value in a row of its own.
    options.shape = Shape::Measures;
    let long = scan_bytes(&sample(), options.clone()).unwrap();
    let (measure, value) = (long.column("measure"), long.column("value"));
    for row in &long.rows {
        let name = row[measure].clone().unwrap();
        assert_eq!(row[value], all.rows[0][all.column(&name)], "{name}");
    }
    options.measures = vec!["head.sped".to_owned()];
    let error = options.fields().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown measure \"head.sped\"; did you mean \"head.speed\"?"
    );

    let mut options = ScanOptions::default();
    (options.shape, options.kinds) = (Shape::Events, vec![EventKind::Saccade]);
    let found = scan_bytes(&sample(), options.clone()).unwrap();
    assert_eq!(found.names[found.names.len() - 2], "peak_velocity_deg_s");
    let kind = found.column("kind");
    assert!(!found.rows.is_empty());
    assert!(
        found
            .rows
            .iter()
            .all(|row| row[kind].as_deref() == Some("saccade"))
    );
    options.kinds = vec![EventKind::Look];
    assert_eq!(
        options.fields().unwrap_err().to_string(),
        "events of the kind look need targets, and none are given"
    );
}

#[test]
fn the_names_of_segment_columns_do_not_depend_on_the_chosen_measures_and_events() {
    for shape in [Shape::Stats, Shape::Events] {
        let mut options = ScanOptions::default();
        options.shape = shape;
        options.segments = trials("duration,drag_m", "a,b");
        let names = |options: &ScanOptions| {
            let fields = options.fields().unwrap();
            let names = fields.iter().map(|field| field.name.to_string());
            names
                .filter(|name| name.contains("duration") || name.contains("drag"))
                .collect::<Vec<_>>()
        };
        let all = names(&options);
        match shape {
            Shape::Stats => options.measures = vec!["head".to_owned()],
            _ => options.kinds = vec![EventKind::Saccade],
        }
        assert_eq!(names(&options)[..2], all[..2]);
    }
}
