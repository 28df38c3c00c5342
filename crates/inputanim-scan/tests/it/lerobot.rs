//! Episodes of many recordings: segments, tasks, order and errors.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use inputanim::{Layout, Marker, Pose, Recording};
use inputanim_convert::lerobot::{ActionForm, Gripper, LeRobotError};
use inputanim_scan::lerobot::{
    EpisodeOptions, EpisodePlan, SuccessLabels, TaskText, Validation, ValidationValues,
    WrittenDataset, write_dataset,
};
use inputanim_scan::{
    FileBytes, FileProblem, OnError, RecordingName, ScanError, Segments, Source, TrialTable,
};
use inputanim_testkit::samples;

type Files = BTreeMap<String, Vec<u8>>;

/// A head that moves for ten seconds, with markers at 1, 4 and 6 s.
fn recording() -> Vec<u8> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    recording.head_mut().push(10.0, &Pose::at([1.0, 1.6, 0.0]));
    recording.markers = vec![
        Marker::new(1.0, "reach"),
        Marker::new(4.0, "grasp"),
        Marker::new(6.0, "stop"),
    ];
    let mut bytes = Vec::new();
    recording.write(&mut bytes).unwrap();
    bytes
}

fn source(name: &str, bytes: Vec<u8>) -> Source {
    let (name, bytes) = (name.to_owned(), FileBytes::new(bytes));
    Source::Bytes { name, bytes }
}

/// A file in memory, which is listed when it is complete.
struct MemoryFile {
    path: String,
    content: Vec<u8>,
    files: Arc<Mutex<Files>>,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.content.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        let content = std::mem::take(&mut self.content);
        let mut files = self.files.lock().unwrap();
        files.insert(self.path.clone(), content);
    }
}

fn write(
    sources: Vec<Source>,
    options: EpisodeOptions,
) -> Result<(Files, WrittenDataset), ScanError> {
    let files: Arc<Mutex<Files>> = Arc::default();
    let written = write_dataset(sources, options, |path| {
        Ok(MemoryFile {
            path: path.to_owned(),
            content: Vec::new(),
            files: Arc::clone(&files),
        })
    })?;
    let files = std::mem::take(&mut *files.lock().unwrap());
    Ok((files, written))
}

fn options(segments: &str) -> EpisodeOptions {
    let mut options = EpisodeOptions::default();
    options.dataset.rate = 2;
    options.segments = segments.parse().unwrap();
    options
}

fn trials(csv: &str) -> EpisodeOptions {
    let table = TrialTable::from_csv(csv.as_bytes()).unwrap();
    let mut options = options("recording");
    options.segments = Segments::Trials(Arc::new(table));
    options
}

/// Returns the tasks and numbers of frames of the episodes of `p1/take_1.bin`.
fn episodes(options: EpisodeOptions) -> Result<Vec<(String, usize)>, FileProblem> {
    let bytes = recording();
    let recording = Recording::parse(&bytes).unwrap();
    let names = vec![RecordingName::new("take_1", "p1/take_1.bin")];
    let plan = EpisodePlan::new(names, options).unwrap();
    let columns = inputanim_convert::frames::Columns::of(&recording);
    let features = plan.features(&columns).unwrap();
    let made = plan.episodes(0, &recording, &features)?;
    let episodes = made.episodes.iter();
    Ok(episodes
        .map(|(episode, task)| (task.clone(), episode.frames()))
        .collect())
}

fn expected(episodes: &[(&str, usize)]) -> Vec<(String, usize)> {
    let episodes = episodes.iter();
    episodes
        .map(|&(task, frames)| (task.to_owned(), frames))
        .collect()
}

#[test]
fn segments_become_episodes_whose_names_are_tasks() {
    assert_eq!(
        episodes(options("recording")).unwrap(),
        expected(&[("take_1", 21)])
    );
    let markers = [("reach", 7), ("grasp", 5), ("stop", 9)];
    assert_eq!(episodes(options("markers")).unwrap(), expected(&markers));
    assert_eq!(
        episodes(options("r*:stop")).unwrap(),
        expected(&[("reach", 11)])
    );
    assert_eq!(episodes(options("marker@-1..0")).unwrap().len(), 3);
    let error = episodes(options("nothing:stop")).unwrap_err();
    assert!(matches!(error, FileProblem::Segments(_)));
}

#[test]
fn the_tasks_of_trials_are_in_their_table() {
    let table = "recording,start,end,Task\ntake_1,0,1,stack cups\ntake_1,2,4,\n";
    let tasks = [("stack cups", 3), ("take_1", 5)];
    assert_eq!(episodes(trials(table)).unwrap(), expected(&tasks));
    // The name of a trial is often a number, which does not describe a task.
    let table = "recording,start,end,trial\ntake_1,0,1,7\n";
    assert_eq!(episodes(trials(table)).unwrap(), expected(&[("take_1", 3)]));
    let error = episodes(trials("recording,start,end\ntake_1,20,30\n")).unwrap_err();
    assert!(matches!(error, FileProblem::Trial(_)));
}

#[test]
fn a_text_or_a_path_gives_all_tasks() {
    let mut fixed = options("markers");
    fixed.task = TaskText::Fixed("make tea".to_owned());
    let tasks = episodes(fixed).unwrap();
    assert!(tasks.len() == 3 && tasks.iter().all(|(task, _)| task == "make tea"));
    let mut path = options("recording");
    path.task = TaskText::Path("{*}/{task}_{n}.bin".parse().unwrap());
    assert_eq!(episodes(path.clone()).unwrap(), expected(&[("take", 21)]));
    path.task = TaskText::Path("{task}-{n}.bin".parse().unwrap());
    assert!(matches!(episodes(path.clone()), Err(FileProblem::Path(_))));
    path.task = TaskText::Path("{subject}.bin".parse().unwrap());
    let refused = EpisodePlan::new(Vec::new(), path);
    assert!(matches!(refused, Err(ScanError::NoTask { .. })));
}

#[test]
fn the_only_marker_at_the_start_describes_the_recording() {
    let task = |markers: &[(f32, &'static str)]| {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(1.0, &Pose::IDENTITY);
        let markers = markers.iter();
        recording.markers = markers
            .map(|&(time, name)| Marker::new(time, name))
            .collect();
        let names = vec![RecordingName::new("take_1", "take_1.bin")];
        let plan = EpisodePlan::new(names, options("recording")).unwrap();
        let columns = inputanim_convert::frames::Columns::of(&recording);
        let features = plan.features(&columns).unwrap();
        let mut made = plan.episodes(0, &recording, &features).unwrap();
        made.episodes.remove(0).1
    };
    assert_eq!(task(&[(0.0, "fold a towel ")]), "fold a towel");
    assert_eq!(task(&[(0.0, " ")]), "take_1");
    assert_eq!(task(&[(0.5, "fold a towel")]), "take_1");
    assert_eq!(task(&[(0.0, "fold a towel"), (0.5, "turn")]), "take_1");
}

#[test]
fn names_that_hide_the_tracking_are_refused() {
    let mut options = options("recording");
    options.exclude = vec!["left.tracked".to_owned()];
    let refused = EpisodePlan::new(Vec::new(), options.clone());
    assert!(matches!(refused, Err(ScanError::Tracking(_))));
    options.exclude = vec!["palmm".to_owned()];
    let refused = EpisodePlan::new(Vec::new(), options);
    assert!(matches!(refused, Err(ScanError::UnknownElement(_))));
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let sources = || {
        let samples = samples::recordings()
            .into_iter()
            .cycle()
            .take(20)
            .enumerate();
        let samples =
            samples.map(|(number, (_, bytes))| source(&format!("{number:02}.bin"), bytes));
        samples.collect::<Vec<Source>>()
    };
    let run = |threads| {
        let mut options = options("recording");
        options.threads = threads;
        write(sources(), options).unwrap()
    };
    let (one, summary) = run(1);
    let (many, _) = run(7);
    assert_eq!(summary.summary.episodes, 20);
    assert!(one == many);
}

#[test]
fn files_that_fail_are_skipped_on_request() {
    let sources = || {
        vec![
            source("a.bin", b"no recording".to_vec()),
            source("b.bin", recording()),
        ]
    };
    let error = write(sources(), options("recording")).unwrap_err();
    let ScanError::File(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.file, "a.bin");
    let mut skipping = options("recording");
    skipping.on_error = OnError::Skip;
    let (files, written) = write(sources(), skipping.clone()).unwrap();
    assert_eq!((written.summary.episodes, written.errors.len()), (1, 1));
    assert!(files.contains_key("meta/info.json"));
    let all_fail = write(sources()[..1].to_vec(), skipping.clone());
    assert!(matches!(all_fail, Err(ScanError::LeRobot(_))));

    skipping.cancel.store(true, Ordering::Relaxed);
    assert!(matches!(
        write(sources(), skipping),
        Err(ScanError::Cancelled)
    ));
}

#[test]
fn files_without_trials_are_not_opened() {
    let table = "recording,start,end\nb,0,1\n";
    let sources = vec![
        source("a.bin", b"no recording".to_vec()),
        source("b.bin", recording()),
    ];
    let (_, written) = write(sources, trials(table)).unwrap();
    assert_eq!((written.summary.episodes, written.summary.frames), (1, 3));
    assert_eq!(written.without_trials, ["a.bin"]);
    let unknown = EpisodePlan::new(Vec::new(), trials(table));
    assert!(matches!(unknown, Err(ScanError::UnknownTrials(_))));
}

/// Returns a JSON file of a dataset.
fn json(files: &Files, path: &str) -> serde_json::Value {
    serde_json::from_slice(&files[path]).unwrap()
}

/// Returns a recording of a head for ten seconds with these markers.
fn with_markers(markers: &[(f32, &'static str)]) -> Vec<u8> {
    let bytes = recording();
    let mut recording = Recording::parse(&bytes).unwrap();
    let markers = markers.iter();
    recording.markers = markers
        .map(|&(time, name)| Marker::new(time, name))
        .collect();
    recording.to_bytes().unwrap()
}

#[test]
fn markers_label_episodes() {
    let labels = |markers: &[(f32, &'static str)], segments: &str| {
        let mut options = options(segments);
        options.success = Some(SuccessLabels::Markers);
        let (files, written) = write(vec![source("a.bin", with_markers(markers))], options)?;
        let stats = json(&files, "meta/stats.json");
        let number = |feature: &str| stats[feature]["mean"][0].as_f64().unwrap();
        let frames = written.summary.frames as f64;
        let count = |feature: &str| (number(feature) * frames).round();
        Ok::<_, ScanError>((
            written.summary.episodes,
            count("next.done"),
            count("next.success"),
        ))
    };
    // The labels begin no episodes of their own.
    let two = [
        (1.0, "reach"),
        (3.0, "Success"),
        (4.0, "grasp"),
        (6.0, "failure"),
    ];
    assert_eq!(labels(&two, "markers").unwrap(), (2, 2.0, 1.0));
    assert_eq!(labels(&two[..2], "recording").unwrap(), (1, 1.0, 1.0));
    // The marker at the end of a range is in it.
    assert_eq!(labels(&two[..2], "reach:Success").unwrap(), (1, 1.0, 1.0));
    let error = |markers, segments| labels(markers, segments).unwrap_err().to_string();
    assert_eq!(
        error(&two, "recording"),
        "a.bin: the episode has no label: expected success or failure, found markers of both"
    );
    let three = [two[0], two[2], (5.0, "grasp"), two[3]];
    assert_eq!(
        error(&three, "markers"),
        "a.bin: 2 of 3 episodes have no label, the first from 1 s to 4 s: expected success or failure, found no marker"
    );
    assert!(error(&two[..1], "markers").ends_with("found no marker"));
}

#[test]
fn a_column_of_the_trial_table_labels_episodes() {
    let table = "recording,start,end,Success\na,0,1,yes\na,2,4,0\n";
    let mut options = trials(table);
    options.success = Some(SuccessLabels::Trials);
    let (files, _) = write(vec![source("a.bin", recording())], options.clone()).unwrap();
    let stats = json(&files, "meta/stats.json");
    assert_eq!(stats["next.success"]["mean"][0], 1.0 / 8.0);
    assert_eq!(stats["next.done"]["mean"][0], 2.0 / 8.0);

    let mut unknown = trials("recording,start,end,success\na,0,1,perhaps\n");
    unknown.success = Some(SuccessLabels::Trials);
    let error = write(vec![source("a.bin", recording())], unknown).unwrap_err();
    assert!(error.to_string().ends_with("found \"perhaps\""), "{error}");
    options.segments = Segments::Recording;
    let refused = EpisodePlan::new(Vec::new(), options);
    assert!(matches!(refused, Err(ScanError::NoSuccessColumn)));
}

/// Five recordings of three people.
fn people() -> Vec<Source> {
    ["p1/a.bin", "p2/b.bin", "p1/c.bin", "p3/d.bin", "p2/e.bin"]
        .map(|name| source(name, recording()))
        .to_vec()
}

fn divided(validation: &str) -> EpisodeOptions {
    let mut options = options("recording");
    options.validation = Some(validation.parse().unwrap());
    options.split_pattern = Some("{person}/{*}.bin".parse().unwrap());
    options
}

#[test]
fn people_are_either_for_training_or_for_validation() {
    let tasks = |options: EpisodeOptions| {
        let (files, written) = write(people(), options).unwrap();
        let splits = json(&files, "meta/info.json")["splits"].clone();
        (splits, written.summary)
    };
    let (splits, summary) = tasks(divided("person=p1"));
    assert_eq!(splits, serde_json::json!({"train": "0:3", "val": "3:5"}));
    assert_eq!((summary.episodes, summary.train_episodes), (5, Some(3)));
    // A third of three people is one person, who has one or two recordings.
    let (splits, summary) = tasks(divided("person=33%"));
    let train = summary.train_episodes.unwrap();
    assert!(train == 3 || train == 4, "{splits}");
    let (again, _) = tasks(divided("person = 30 %"));
    assert_eq!(again, splits);
    let (_, all_but_one) = tasks(divided("person=99%"));
    assert!(matches!(all_but_one.train_episodes, Some(1 | 2)));
}

#[test]
fn the_selection_does_not_depend_on_the_order_of_files() {
    let names = ["p1/a.bin", "p2/b.bin", "p3/d.bin", "p4/e.bin"];
    let chosen = |order: &[usize]| {
        let files = order
            .iter()
            .map(|&index| RecordingName::new(names[index], names[index]));
        let plan = EpisodePlan::new(files.collect(), divided("person=50%")).unwrap();
        let files = order.iter().enumerate();
        let mut chosen: Vec<&str> = files
            .filter(|(file, _)| plan.is_validation(*file))
            .map(|(_, &index)| names[index])
            .collect();
        chosen.sort_unstable();
        chosen
    };
    assert_eq!(chosen(&[0, 1, 2, 3]).len(), 2);
    assert_eq!(chosen(&[0, 1, 2, 3]), chosen(&[3, 1, 0, 2]));
}

#[test]
fn trials_divide_recordings_too() {
    let table = "recording,start,end,person\na,0,1,x\na,2,4,x\nb,0,1,y\n";
    let mut options = trials(table);
    options.validation = Some("person=x".parse().unwrap());
    let sources = || vec![source("a.bin", recording()), source("b.bin", recording())];
    let (files, _) = write(sources(), options.clone()).unwrap();
    let splits = &json(&files, "meta/info.json")["splits"];
    assert_eq!(splits, &serde_json::json!({"train": "0:1", "val": "1:3"}));
    // The names of trials are a column too.
    for name in ["trial", "name"] {
        let table = format!("recording,start,end,{name}\na,0,1,near\na,2,4,near\nb,0,1,far\n");
        let mut by_name = trials(&table);
        by_name.validation = Some(format!("{name}=near").parse().unwrap());
        let (files, _) = write(sources(), by_name).unwrap();
        let splits = &json(&files, "meta/info.json")["splits"];
        assert_eq!(splits, &serde_json::json!({"train": "0:1", "val": "1:3"}));
    }

    // Different values of one recording divide it only if they are on both sides.
    let table = "recording,start,end,level\na,0,1,easy\na,2,4,medium\nb,0,1,hard\n";
    let mut by_level = trials(table);
    by_level.validation = Some("level=hard".parse().unwrap());
    let (files, _) = write(sources(), by_level.clone()).unwrap();
    let splits = &json(&files, "meta/info.json")["splits"];
    assert_eq!(splits, &serde_json::json!({"train": "0:2", "val": "2:3"}));
    by_level.validation = Some("level=easy,medium".parse().unwrap());
    let (files, _) = write(sources(), by_level.clone()).unwrap();
    let splits = &json(&files, "meta/info.json")["splits"];
    assert_eq!(splits, &serde_json::json!({"train": "0:1", "val": "1:3"}));
    by_level.validation = Some("level=medium".parse().unwrap());
    let error = write(sources(), by_level).unwrap_err().to_string();
    assert_eq!(
        error,
        "a has trials for training (level easy) and for validation (level medium), but all trials of a recording are for the same"
    );
}

#[test]
fn columns_that_do_not_divide_are_refused() {
    let error = |options: EpisodeOptions| write(people(), options).unwrap_err().to_string();
    assert_eq!(
        error(divided("person=p9")),
        "no recording has the person \"p9\"; found p1, p2, p3"
    );
    assert!(error(divided("person=p1,p2,p3")).contains("at least two values of \"person\""));
    assert!(error(divided("age=7")).contains("has the column \"age\""));
    let mut other = divided("person=p1");
    other.split_pattern = Some("{person}+{*}.bin".parse().unwrap());
    assert!(error(other).contains("at least two values"));
    for text in [
        "person",
        "=p1",
        "person=",
        "person=p1,",
        "person=0%",
        "person=100%",
    ] {
        let parsed = text.parse::<Validation>();
        assert!(parsed.is_err(), "{text}: {parsed:?}");
    }
    let error = |text: &str| text.parse::<Validation>().unwrap_err().to_string();
    for percent in ["100%", "0%", "1.5%", "x%"] {
        assert_eq!(
            error(&format!("person={percent}")),
            format!("expected a whole percentage from 1% to 99%, found \"{percent}\"")
        );
    }
    let percent = "person=20%".parse::<Validation>().unwrap();
    assert_eq!(percent.values, ValidationValues::Percent(20));
}

#[test]
fn forms_that_do_not_fit_are_refused_before_files_are_read() {
    let mut relative = options("recording");
    relative.dataset.forms.action = ActionForm::Relative;
    let refused = EpisodePlan::new(Vec::new(), relative);
    let expected = LeRobotError::RelativeToWorld;
    assert!(matches!(refused, Err(ScanError::LeRobot(error)) if error == expected));
    let mut gripper = options("recording");
    gripper.dataset.forms.grippers = vec![Gripper::Aperture];
    let error = write(vec![source("a.bin", recording())], gripper).unwrap_err();
    assert!(matches!(error, ScanError::LeRobot(LeRobotError::NoHand)));
}
