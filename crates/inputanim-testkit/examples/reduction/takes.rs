//! The sources of the recordings that are reduced.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use inputanim::edit::trim;
use inputanim::info::Info;
use inputanim::{Frame, Layout, Recorder, Recording, TimeRange};
use inputanim_motion::{Motion, Scene};

use inputanim_testkit::generated::SAMPLES;
use inputanim_testkit::truth;

/// The rate of MRTK's recorder in Hz.
const RATE: f32 = 60.0;

/// A source of recordings with a key in every frame, in any layout.
pub(super) struct Take {
    pub(super) name: String,
    /// The layout for linear interpolation.
    pub(super) layout: Layout,
    source: Source,
}

enum Source {
    Motion(Box<Motion>),
    Frames(Vec<Frame>),
    File(Vec<u8>),
}

impl Take {
    pub(super) fn record(&self, layout: Layout) -> Result<Recording<'static>> {
        Ok(match &self.source {
            Source::Motion(motion) => motion.record(RATE, layout),
            Source::Frames(frames) => {
                let mut recorder = Recorder::new(layout);
                for frame in frames {
                    recorder.push(frame)?;
                }
                recorder.finish()
            }
            Source::File(bytes) => Recording::parse(bytes)?.into_owned(),
        })
    }
}

/// Returns generated motions: 10 s of each scene of the samples, and 600 s of one scene.
pub(super) fn generated() -> Vec<Take> {
    let take = |scene: Scene, seed, seconds: f32| Take {
        name: format!("Generated, `{scene}`, {seconds} s"),
        layout: Layout::Mrtk1_1,
        source: Source::Motion(Box::new(Motion::new(scene, seed, seconds))),
    };
    let scenes = SAMPLES.map(|(_, scene, seed, _)| take(scene, seed, 10.0));
    let long = take(Scene::TwoHands, 1, 600.0);
    scenes.into_iter().chain([long]).collect()
}

/// A file of MRTK's recorder.
pub(super) struct File {
    pub(super) recording: Recording<'static>,
    pub(super) bytes: u64,
    /// The end of the compared time range in seconds; `None` compares everything.
    pub(super) end: Option<f32>,
}

/// Returns the frames that MRTK recorded, and the files that MRTK wrote from these frames.
pub(super) fn of_corpus(corpus: &Path) -> Result<(Take, Vec<(String, File)>)> {
    let truth = Take {
        name: "truth".to_owned(),
        layout: Layout::Mrtk1_1,
        source: Source::Frames(truth::frames(corpus)?),
    };
    let mut files = Vec::new();
    for partition in [32, 7, 0] {
        let bytes = read(corpus, &format!("mrtk/mrtk-1.1-p{partition}.bin"))?;
        let name = format!("MRTK's file, partitions of {partition}");
        let file = |end| -> Result<File> {
            Ok(File {
                recording: Recording::parse(&bytes)?.into_owned(),
                bytes: bytes.len() as u64,
                end,
            })
        };
        let complete = file(None)?;
        let end = Info::of(&complete.recording).shared_end();
        files.push((name.clone(), complete));
        // MRTK loses the end of some curves (D3), which would dominate the errors.
        if end.is_some() {
            files.push((format!("{name}, until its first stream ends"), file(end)?));
        }
    }
    Ok((truth, files))
}

/// Returns the recording of a device in the folder `corpus`, in a layout of version 1.0.
pub(super) fn device(corpus: &Path) -> Result<Take> {
    Ok(Take {
        name: "A device recording of 2021".to_owned(),
        layout: Layout::Mrtk1_0,
        source: Source::File(read(corpus, "device/left-hand-2021.bin")?),
    })
}

fn read(corpus: &Path, name: &str) -> Result<Vec<u8>> {
    let path = corpus.join(name);
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the part of a recording up to the time `end` in seconds.
pub(super) fn until(end: f32, recording: &Recording<'static>) -> Result<Recording<'static>> {
    let mut part = recording.clone();
    let start = f32::NEG_INFINITY;
    trim(&mut part, TimeRange { start, end })?;
    Ok(part)
}
