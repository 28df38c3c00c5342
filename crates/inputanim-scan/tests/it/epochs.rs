//! Rows of segments.

use std::sync::Arc;

use inputanim::{
    Element, FloatCurve, Frame, Joint, Layout, Pose, Recorder, Recording, Sampler, TimeRange,
};
use inputanim_analysis::{Analysis, AnalysisParameters, EventKind};
use inputanim_scan::{
    EventTime, Notice, Sampling, Scan, ScanError, ScanOptions, Segments, Shape, Source, TrialTable,
};
use inputanim_testkit::samples;

use crate::table::{Cell, Table, of_f32, of_f64, rows};

fn sample(name: &str) -> Recording<'static> {
    Recording::parse(&samples::read(name)).unwrap().into_owned()
}

fn options(shape: Shape, segments: &str) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.file_column = None;
    options.segments = segments.parse().unwrap();
    options
}

fn scan(recording: &Recording<'static>, options: ScanOptions) -> Result<Table, ScanError> {
    let source = Source::Recording {
        name: "take.bin".to_owned(),
        recording: Arc::new(recording.clone()),
    };
    rows(&Scan::new([source], options)?)
}

const NAMES: [&str; 5] = [
    "head.position.x",
    "right.IndexTip.position.y",
    "right.IndexTip.rotation.w",
    "right.tracked",
    "left.pinching",
];

/// Returns the cells of [`NAMES`] at a time, from the sampler of the complete recording; unknown outside of its keys.
fn expected(sampler: &Sampler, time: f32) -> Vec<Cell> {
    if !sampler.range().is_some_and(|range| range.contains(time)) {
        return vec![None; NAMES.len()];
    }
    let frame = sampler.frame_at(time);
    let tip = frame.right.joints[Joint::IndexTip];
    vec![
        frame.head.map(|head| of_f32(head.position[0])),
        tip.map(|tip| of_f32(tip.position[1])),
        tip.map(|tip| of_f32(tip.rotation[3])),
        Some(frame.right.tracked.to_string()),
        (!frame.left.pinch_unknown).then(|| frame.left.pinching.to_string()),
    ]
}

/// Returns the times of the starts of the pinches of a recording, as tables have them.
fn onsets(recording: &Recording<'_>) -> Vec<f32> {
    let analysis = Analysis::of(recording, &AnalysisParameters::default()).unwrap();
    let events = analysis.events();
    let pinches = events.iter().filter(|event| event.kind == EventKind::Pinch);
    pinches.map(|event| event.start as f32).collect()
}

/// Returns a recording whose hand pinches at its very start and at its very end, and for a time in which nothing is
/// known about the head.
fn pinches_at_the_ends() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=180_u8 {
        let time = f32::from(step) / 60.0;
        let mut frame = Frame {
            time,
            head: Some(Pose::at([time, 1.5, 0.0])),
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.pinching = !(20..170).contains(&step);
        frame.right.joints[Joint::IndexTip] = Some(Pose::at([0.0, time * time, 0.0]));
        frame.right.joints[Joint::Palm] = Some(Pose::at([0.0, time, 0.0]));
        recorder.push(&frame).unwrap();
    }
    let mut recording = recorder.finish().into_owned();
    let gap = TimeRange {
        start: 0.25,
        end: 0.5,
    };
    recording.known.add_gap(Element::Head, gap);
    recording
}

#[test]
fn rows_around_events_have_the_values_of_the_sampler() {
    let mut without_known = 0;
    for recording in [
        sample("pinch-drag.bin"),
        sample("two-hands.bin"),
        pinches_at_the_ends(),
    ] {
        let onsets = onsets(&recording);
        let sampler = Sampler::new(&recording).unwrap();
        assert!(!onsets.is_empty());
        for (rate, steps) in [(60.0, -30..=60), (90.0, -45..=90), (59.94, -29..=59)] {
            let mut options = options(Shape::Wide, "pinch@-0.5..1");
            options.sampling = Sampling::Rate(rate);
            let found = scan(&recording, options).unwrap();
            let mut names = [
                "segment_index",
                "segment_zero_s",
                "segment_time_s",
                "time_s",
            ]
            .to_vec();
            names.extend(NAMES);
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let found = found.select(&names);
            let steps: Vec<i64> = steps.collect();
            assert_eq!(found.rows.len(), steps.len() * onsets.len());
            let mut rows = found.rows.iter();
            for (index, &zero) in onsets.iter().enumerate() {
                for &step in &steps {
                    let offset = step as f64 / rate;
                    let time = (f64::from(zero) + offset) as f32;
                    let mut cells = vec![
                        Some(index.to_string()),
                        Some(of_f32(zero)),
                        Some(of_f64(offset)),
                        Some(of_f32(time)),
                    ];
                    let values = expected(&sampler, time);
                    without_known += usize::from(values.iter().all(Option::is_none));
                    cells.extend(values);
                    assert_eq!(rows.next(), Some(&cells), "{rate} {index} {step}");
                }
            }
        }
    }
    assert!(without_known > 100, "{without_known}");
}

#[test]
fn rows_of_segments_do_not_depend_on_columns_threads_and_batches() {
    let recording = sample("two-hands.bin");
    for segments in ["pinch@-0.5..1", "markers"] {
        for shape in [
            Shape::Wide,
            Shape::Tidy,
            Shape::Keys,
            Shape::Markers,
            Shape::Curves,
            Shape::States,
        ] {
            let all = scan(&recording, options(shape, segments)).unwrap();
            assert!(!all.rows.is_empty(), "{shape} {segments}");
            for (threads, batch_rows) in [(1, 1_usize), (3, 100_000)] {
                // A segment has thousands of keys, and each task looks for its keys in all curves.
                let batch_rows = batch_rows * if shape == Shape::Keys { 1000 } else { 1 };
                let mut options = options(shape, segments);
                (options.threads, options.batch_rows) = (threads, batch_rows);
                assert!(
                    scan(&recording, options).unwrap() == all,
                    "{shape} {segments}"
                );
            }
            let mut names: Vec<String> = all.names.clone();
            names.reverse();
            names.retain(|name| !name.starts_with("left"));
            let mut options = options(shape, segments);
            options.columns = Some(names.clone());
            let found = scan(&recording, options).unwrap();
            assert!(found == all.select(&names), "{shape} {segments}");
        }
    }
}

#[test]
fn joints_do_not_change_the_segments() {
    let recording = sample("pinch-drag.bin");
    let all = scan(&recording, options(Shape::Wide, "pinch@-0.25..0.25")).unwrap();
    let mut reduced = options(Shape::Wide, "pinch@-0.25..0.25");
    reduced.joints = vec!["head".to_owned()];
    let found = scan(&recording, reduced).unwrap();
    assert!(found.names.len() < 20);
    assert!(found == all.select(&found.names));
}

/// Returns the rows of a scan of a time range, with the same columns as `like`, except for those of segments.
fn of_range(recording: &Recording<'static>, shape: Shape, range: TimeRange) -> Table {
    let mut options = options(shape, "recording");
    options.time = Some(range.into());
    let mut rows = scan(recording, options).unwrap();
    if shape == Shape::Keys {
        // Rows about the complete recording have no time, and belong to no segment.
        let time = rows.column("time_s");
        rows.rows.retain(|row| row[time].is_some());
    }
    rows
}

#[test]
fn segments_between_markers_have_the_rows_of_their_time_ranges() {
    let recording = sample("two-hands.bin");
    let sampler = Sampler::new(&recording).unwrap();
    let times: Vec<f32> = sampler.markers().iter().map(|marker| marker.time).collect();
    let ends = times[1..].iter().copied().chain([sampler.duration()]);
    let ranges = times.iter().copied().zip(ends);
    let ranges: Vec<TimeRange> = ranges
        .map(|(start, end)| TimeRange { start, end })
        .collect();
    for shape in [
        Shape::Wide,
        Shape::Tidy,
        Shape::Keys,
        Shape::Markers,
        Shape::Curves,
        Shape::States,
    ] {
        let found = scan(&recording, options(shape, "markers")).unwrap();
        let mut all = Vec::new();
        let mut names = Vec::new();
        for range in &ranges {
            let part = of_range(&recording, shape, *range);
            names = part.names;
            all.extend(part.rows);
        }
        assert!(found.select(&names).rows == all, "{shape}");
        let index = found.column("segment_index");
        let last = found.rows.last().unwrap();
        assert_eq!(last[index], Some((ranges.len() - 1).to_string()));
        let name = sampler
            .markers()
            .last()
            .map(|marker| marker.name.to_string());
        assert_eq!(last[found.column("segment")], name);
    }
}

#[test]
fn tidy_rows_are_the_known_poses_of_wide_rows() {
    let recording = pinches_at_the_ends();
    let wide = scan(&recording, options(Shape::Wide, "pinch@-0.5..0.5")).unwrap();
    let tidy = scan(&recording, options(Shape::Tidy, "pinch@-0.5..0.5")).unwrap();
    for (joint, column) in [
        ("head", "head.position.x"),
        ("IndexTip", "right.IndexTip.position.x"),
    ] {
        let of_joint = |row: &&Vec<Cell>| row[tidy.column("joint")].as_deref() == Some(joint);
        let pick = |table: &Table, row: &[Cell], value: &str| {
            let names = ["segment_index", "segment_time_s", "time_s", value];
            names.map(|name| row[table.column(name)].clone())
        };
        let found = tidy.rows.iter().filter(of_joint);
        let found: Vec<_> = found.map(|row| pick(&tidy, row, "position_x")).collect();
        let known = wide.rows.iter().map(|row| pick(&wide, row, column));
        let known: Vec<_> = known.filter(|row| row[3].is_some()).collect();
        assert!(known.len() > 30 && known.len() < wide.rows.len());
        assert_eq!(found, known, "{joint}");
    }
}

#[test]
fn points_divide_events_from_their_start_to_their_end() {
    let recording = sample("pinch-drag.bin");
    let sampler = Sampler::new(&recording).unwrap();
    let analysis = Analysis::of(&recording, &AnalysisParameters::default()).unwrap();
    let events = analysis.events();
    let movements: Vec<_> = events
        .iter()
        .filter(|event| event.kind == EventKind::Movement)
        .collect();
    assert!(movements.len() > 2);
    let mut options = options(Shape::Wide, "movement@start..end");
    options.points = Some(101);
    let found = scan(&recording, options).unwrap();
    assert!(!found.names.contains(&"segment_time_s".to_owned()));
    let mut names = ["segment_percent", "time_s"].to_vec();
    names.extend(NAMES);
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let found = found.select(&names);
    let mut rows = found.rows.iter();
    for event in &movements {
        let (start, end) = (event.start as f32, (event.start + event.duration) as f32);
        let (start, end) = (f64::from(start), f64::from(end));
        for point in 0..=100 {
            let part = f64::from(point) / 100.0;
            let time = (start + (end - start) * part) as f32;
            let mut cells = vec![Some(of_f64(f64::from(point))), Some(of_f32(time))];
            cells.extend(expected(&sampler, time));
            assert_eq!(rows.next(), Some(&cells), "{point}");
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn points_divide_a_recording_without_segments() {
    let recording = pinches_at_the_ends();
    let mut options = options(Shape::Wide, "recording");
    options.points = Some(4);
    options.columns = Some(vec!["segment_percent".to_owned(), "time_s".to_owned()]);
    let found = scan(&recording, options).unwrap();
    let times = [0.0, 1.0, 2.0, 3.0_f32].map(|time| Some(of_f32(time)));
    let column: Vec<Cell> = found.rows.iter().map(|row| row[1].clone()).collect();
    assert_eq!(column, times);
    assert_eq!(found.rows[1][0], Some(of_f64(100.0 / 3.0)));
}

#[test]
fn windows_may_be_relative_to_the_ends_of_events() {
    let recording = sample("pinch-drag.bin");
    let mut times = Vec::new();
    for (segments, is_end) in [("pinch@end-0.1..end+0.2", true), ("pinch@-0.1..0.2", false)] {
        let found = scan(&recording, options(Shape::Wide, segments)).unwrap();
        let index = found.column("segment_index");
        let last: usize = found.rows.last().unwrap()[index]
            .as_deref()
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(found.rows.len(), (last + 1) * 19, "{is_end}");
        times.push(found.rows[6][found.column("segment_zero_s")].clone());
    }
    assert_ne!(times[0], times[1]);
}

#[test]
fn a_recording_with_one_key_has_one_known_row() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(2.0, &Pose::at([1.0, 2.0, 3.0]));
    let csv = "recording,start,end\ntake,2,2\n";
    let table = TrialTable::from_csv(csv.as_bytes()).unwrap();
    let mut of_trial = options(Shape::Wide, "recording");
    of_trial.segments = Segments::Trials(Arc::new(table));
    let found = scan(&recording, of_trial).unwrap();
    assert_eq!(found.rows.len(), 1);
    assert_eq!(
        found.rows[0][found.column("head.position.y")],
        Some(of_f32(2.0))
    );
    let mut normalised = options(Shape::Wide, "recording");
    normalised.points = Some(3);
    assert_eq!(scan(&recording, normalised).unwrap().rows.len(), 3);
    // Events of a kind are missing, which is not an error.
    let found = scan(&recording, options(Shape::Wide, "pinch@-1..1")).unwrap();
    assert!(found.rows.is_empty());
    // A marker outside of the keys is an event at which nothing is known.
    recording.markers.push(inputanim::Marker::new(9.0, "late"));
    let found = scan(&recording, options(Shape::Wide, "marker@-0.1..0.1")).unwrap();
    assert_eq!(found.rows.len(), 13);
    let is_unknown = |row: &Vec<Cell>| row[found.column("head.position.y")].is_none();
    assert!(found.rows.iter().all(is_unknown));
}

#[test]
fn columns_of_trials_with_the_name_of_a_column_of_samples_get_a_prefix() {
    let csv = "recording,start,end,condition,joint\ntake,0.5,1,near,a\n";
    let table = TrialTable::from_csv(csv.as_bytes()).unwrap();
    let mut options = options(Shape::Tidy, "recording");
    options.segments = Segments::Trials(Arc::new(table));
    let found = scan(&sample("reach.bin"), options).unwrap();
    let names: Vec<&str> = found.names.iter().map(String::as_str).collect();
    let expected = ["segment", "condition", "segment_joint"];
    assert_eq!(names[..3], expected);
    assert!(
        found
            .rows
            .iter()
            .all(|row| row[1].as_deref() == Some("near"))
    );
}

#[test]
fn damage_is_stated_for_the_segments_that_it_touches() {
    let mut recording = sample("pinch-drag.bin");
    let onset = onsets(&recording)[1];
    // The sign of the rotation flips within the second pinch.
    for curve in &mut recording.head_mut().rotation {
        let flipped = curve
            .keys
            .points()
            .map(|(time, value)| (time, if time < onset { value } else { -value }));
        *curve = FloatCurve::linear(flipped.collect::<Vec<_>>());
    }
    let found = scan(&recording, options(Shape::Wide, "pinch@-0.1..0.1")).unwrap();
    let column = found.column("segment_damage");
    let damaged = found.rows.iter().filter(|row| row[column].is_some());
    let damaged = damaged.count();
    assert!(damaged > 0 && damaged < found.rows.len(), "{damaged}");
}

#[test]
fn options_of_segments_without_effect_are_refused() {
    let error = |options: &ScanOptions| options.fields().unwrap_err().to_string();
    for shape in [Shape::Info, Shape::Findings] {
        let text = error(&options(shape, "markers"));
        let expected = format!("the option \"segments\" has no effect on the shape {shape}");
        assert_eq!(text, expected);
    }
    let mut points = options(Shape::Keys, "markers");
    points.points = Some(5);
    assert!(error(&points).contains("points"));
    points.shape = Shape::Wide;
    points.sampling = Sampling::Rate(90.0);
    assert!(error(&points).contains("found both"));
    points.sampling = Sampling::default();
    points.points = Some(1);
    assert!(error(&points).contains("at least 2"));
    let mut parameters = options(Shape::Wide, "pinch@0..1");
    parameters.parameters.movement_joint = Joint::Wrist;
    assert!(parameters.fields().is_ok());
    parameters.segments = Segments::Recording;
    assert!(error(&parameters).contains("parameters"));
    // Without targets, nothing would be found.
    assert!(error(&options(Shape::Stats, "look@0..1")).contains("targets"));
    let mut rate = options(Shape::Wide, "markers");
    rate.points = Some(5);
    assert!(rate.set_rate(60.0).is_err());
}

#[test]
fn segments_of_measures_are_cut_to_the_recording() {
    let mut options = options(Shape::Stats, "pinch@-0.5..1");
    let names = ["start_s", "end_s"].map(str::to_owned);
    options.columns = Some(names.to_vec());
    let found = scan(&pinches_at_the_ends(), options).unwrap();
    let range = |start, end| vec![Some(of_f64(start)), Some(of_f64(end))];
    // The pinches start at 0 s and at 2.8333333 s of 3 s.
    let expected = [range(0.0, 1.0), range(2.3333333, 3.0)];
    assert_eq!(found.rows, expected);
}

#[test]
fn some_files_of_a_scan_keep_their_names_and_trials() {
    let names = ["p1/slow.bin", "p2/slow.bin", "p2/fast.bin"];
    let recording = Arc::new(sample("reach.bin"));
    let sources = names.map(|name| Source::Recording {
        name: name.to_owned(),
        recording: Arc::clone(&recording),
    });
    let csv = "recording,start,end\np1/slow,0,1\np2/slow,1,1.5\np2/fast,2,2.25\n";
    let table = TrialTable::from_csv(csv.as_bytes()).unwrap();
    let mut options = options(Shape::Wide, "recording");
    options.recording_column = Some("name".to_owned());
    options.segments = Segments::Trials(Arc::new(table));
    let all = Scan::new(sources, options).unwrap();
    let expected = rows(&all).unwrap();
    let mut joined = Vec::new();
    for file in 0..3 {
        let part = all.with_files(&[file, 99]);
        let of_part = rows(&part).unwrap();
        assert_eq!(part.files().len(), 1);
        // The caller may have read the recording.
        let read = part.rows_of_recording(0, (*recording).clone()).unwrap();
        assert_eq!(read.all().unwrap().rows, of_part.rows.len());
        joined.extend(of_part.rows);
    }
    assert!(joined == expected.rows && joined.len() == 61 + 31 + 16);
}

#[test]
fn segments_that_are_too_long_are_refused() {
    let recording = sample("reach.bin");
    for range in ["-1e30..1e30", "1e30..1e30", "-1e7..1e7"] {
        let mut options = options(Shape::Wide, "pinch@0..1");
        let (from, to) = range.split_once("..").unwrap();
        options.segments = Segments::Events {
            kind: EventKind::Tracked,
            from: EventTime::AfterStart(from.parse().unwrap()),
            to: EventTime::AfterStart(to.parse().unwrap()),
        };
        let found = scan(&recording, options);
        // A window without a length has one row at most.
        assert!(found.is_err() || found.unwrap().rows.len() < 9, "{range}");
    }
}

#[test]
fn a_recording_without_segments_around_events_has_a_notice() {
    let notice = |segments: &str, shape: Shape| {
        let reach = sample("reach.bin");
        let source = Source::Recording {
            name: "reach.bin".to_owned(),
            recording: Arc::new(reach),
        };
        let mut options = options(shape, segments);
        options.threads = 1;
        let scan = Scan::new([source], options).unwrap();
        assert_eq!(rows(&scan).unwrap().rows.len(), 0);
        let notices = scan.notices().into_iter();
        let notices = notices.filter(|notice| matches!(notice.notice, Notice::NoSegments { .. }));
        notices
            .map(|notice| notice.notice.to_string())
            .collect::<Vec<_>>()
    };
    for shape in [
        Shape::Wide,
        Shape::Tidy,
        Shape::Keys,
        Shape::Stats,
        Shape::Events,
        Shape::Markers,
    ] {
        assert_eq!(
            notice("pinch@-0.5..1", shape),
            ["no segments: no events of the kind pinch"],
            "{shape}"
        );
        let long = notice("movement@start+5..end", shape);
        let [long] = &long[..] else {
            panic!("{long:?}");
        };
        assert!(long.starts_with("no segments: all "), "{long}");
        assert!(long.ends_with("would end before they start"), "{long}");
    }
}

#[test]
fn segments_that_end_before_they_start_are_refused() {
    let mut options = options(Shape::Wide, "pinch@0..1");
    options.segments = Segments::Events {
        kind: EventKind::Pinch,
        from: EventTime::AfterEnd(0.0),
        to: EventTime::AfterStart(0.0),
    };
    let error = scan(&sample("pinch-drag.bin"), options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the segments around pinch end before they start"
    );
}

#[test]
fn times_of_segments_are_known_without_a_recording() {
    let times = |segments: &str, change: &dyn Fn(&mut ScanOptions)| {
        let mut options = options(Shape::Wide, segments);
        change(&mut options);
        options.segment_times()
    };
    let rate = |options: &mut ScanOptions| options.sampling = Sampling::Rate(4.0);
    let expected = Some(vec![-0.5, -0.25, 0.0, 0.25]);
    assert_eq!(times("pinch@-0.5..0.3", &rate), expected);
    assert_eq!(times("pinch@end-0.5..end+0.3", &rate), expected);
    assert_eq!(times("pinch@start..end", &rate), None);
    assert_eq!(times("markers", &rate), None);
    let points = |options: &mut ScanOptions| {
        options.sampling = Sampling::default();
        options.points = Some(3);
    };
    assert_eq!(times("markers", &points), Some(vec![0.0, 50.0, 100.0]));
}
