//! Time ranges, streams and joints.

use inputanim::{Recording, TimeRange, edit};
use inputanim_convert::{Format, WriteOptions, write};
use inputanim_scan::{ElementChoice, Sampling, ScanOptions, Segments, Shape};
use inputanim_testkit::samples;

use crate::table::{Table, scan_bytes};

fn sample() -> Vec<u8> {
    samples::read("two-hands.bin")
}

fn scan(shape: Shape, time: Option<[f32; 2]>) -> Table {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.time = time.map(|[start, end]| TimeRange { start, end });
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
    // Rows of keys are in the order of the file. Those without a time are not in any range.
    let all = scan(Shape::Keys, None);
    let parts = [[f32::NEG_INFINITY, 3.33333], [3.33333, f32::INFINITY]];
    let parts: usize = parts
        .map(|part| scan(Shape::Keys, Some(part)).rows.len())
        .iter()
        .sum();
    let time = all.column("time_s");
    let with_time = all.rows.iter().filter(|row| row[time].is_some());
    assert_eq!(parts, with_time.count());
}

#[test]
fn rows_of_a_range_begin_at_its_start() {
    let mut options = ScanOptions::default();
    options.sampling = Sampling::Rate(10.0);
    options.time = Some(TimeRange {
        start: 1.25,
        end: 1000.0,
    });
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
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(found.names, names);
    assert_eq!(found.rows.len(), text.lines().count() - 1);
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
    options.segments = Segments::EachMarker;
    let all = scan_bytes(&sample(), options.clone()).unwrap();
    let names = ["head.speed.max", "segment", "right.pinch.count"].map(str::to_owned);
    options.columns = Some(names.to_vec());
    assert_eq!(scan_bytes(&sample(), options).unwrap(), all.select(&names));
    assert!(all.rows.len() > 1);
}
