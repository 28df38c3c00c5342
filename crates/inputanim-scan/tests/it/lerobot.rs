//! Episodes of many recordings: segments, tasks, order and errors.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use inputanim::{Layout, Marker, Pose, Recording};
use inputanim_scan::lerobot::{
    EpisodeOptions, EpisodePlan, TaskText, WrittenDataset, write_dataset,
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
