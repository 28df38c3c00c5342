//! The headset: the eyes, the radii of joints and the source of hands are recorded as the runtime plays them.

use std::path::Path;

use inputanim::headset::{self, Headset, ViewAngles};
use inputanim::{Recorder, Recording, Sampler, Side};
use inputanim_convert::{Format, WriteOptions, write_bytes};

use crate::client::Client;
use crate::loader::Refusal;
use crate::{Sync, compare_all, play, read, sample, sampler};

/// Returns the headset in a frame of the recording: each value changes at another frame.
fn headset(frame: usize) -> Headset {
    let changed = |at: usize| if frame < at { 0.0 } else { 0.001 };
    let mut headset = Headset::default();
    headset.eye_distance = Some(0.0625 + changed(40));
    headset.views = [0.0, 0.125].map(|turn| {
        Some(ViewAngles {
            left: -0.875 + turn + changed(50),
            right: 0.75 + turn,
            up: 0.7 + changed(60),
            down: -0.9,
        })
    });
    for side in 0..2 {
        headset.radii[side] = std::array::from_fn(|joint| {
            Some(0.004 + joint as f32 / 2000.0 + side as f32 / 1000.0 + changed(70 + joint))
        });
        headset.from_controller[side] = Some(frame >= 80 + side);
    }
    headset
}

/// Writes a sample with a headset, and returns the recording.
fn with_headset(name: &str, path: &Path) -> Recording<'static> {
    let played = sampler(&read(&sample(name)));
    let mut recorder = Recorder::new(inputanim::Layout::Mrtk1_1);
    for (number, time) in played.key_times().into_iter().enumerate() {
        let mut frame = played.frame_at(time);
        frame.devices.push(headset(number).device_frame());
        recorder.push(&frame).expect("the time increases");
    }
    let recording = recorder.finish();
    let written = write_bytes(Format::Json, &recording, &WriteOptions::default());
    let (bytes, report) = written.expect("JSON holds devices");
    assert_eq!(report.losses, []);
    std::fs::write(path, bytes).expect("the file can be written");
    recording
}

fn at(sampler: &Sampler, time: f32) -> Headset {
    let frame = sampler.frame_at(time);
    let device = frame.device(headset::name()).expect("the headset is known");
    Headset::of(device)
}

#[test]
fn the_recording_has_the_headset_that_was_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("take.json");
    let wanted = with_headset("two-hands", &path);
    let played = play(&path, Client::default(), &[]);
    compare_all(&wanted, &played);
    let recording = played.recording.as_ref().expect("a recording");
    let found = sampler(recording);
    let all = sampler(&wanted);
    let mut tracked = [0; 2];
    for time in all.key_times() {
        let (wanted, found) = (at(&all, time), at(&found, time));
        assert_eq!(wanted.eye_distance, found.eye_distance, "at {time} s");
        assert_eq!(wanted.views, found.views, "at {time} s");
        for side in Side::BOTH {
            let index = usize::from(side == Side::Right);
            // While a hand is not tracked, its last values stay.
            if all.frame_at(time).hand(side).tracked {
                assert_eq!(wanted.radii[index], found.radii[index], "at {time} s");
                let source = found.from_controller[index];
                assert_eq!(wanted.from_controller[index], source, "at {time} s");
                tracked[index] += 1;
            }
        }
    }
    assert!(tracked.into_iter().all(|frames| frames > 90), "{tracked:?}");
    // There is a key for each change only.
    let device = |recording: &Recording<'_>| {
        let device = recording.device(headset::name()).cloned();
        device.map(inputanim::Device::into_owned)
    };
    let keys = |recording: &Recording<'_>| {
        let device = device(recording).expect("the headset");
        let keys = device.inputs.iter().map(|(_, curve)| curve.curve().len());
        keys.max()
    };
    assert_eq!(keys(recording), Some(2));
    let eyes = |recording: &Recording<'_>| {
        let mut inputs = device(recording).expect("the headset").inputs;
        inputs.retain(|(name, _)| name.as_str().contains("eye"));
        inputs
    };
    assert_eq!(eyes(recording), eyes(&wanted));
    // The summary lists the controllers only.
    let mut devices = played.report.devices.iter();
    assert!(devices.all(|device| device.name != headset::NAME));
}

#[test]
fn without_views_and_hands_no_headset_is_recorded() {
    let client = Client {
        sync: Sync::Never,
        ..Client::default()
    };
    let refusals = [Refusal::Views, Refusal::Trackers];
    let played = play(&sample("wave"), client, &refusals);
    let recording = played.recording.as_ref().expect("a recording");
    assert!(recording.device(headset::name()).is_none());
    let played = {
        drop(played);
        play(&sample("wave"), client, &[Refusal::Trackers])
    };
    // The runtime has its own eyes for a recording without a headset.
    let found = at(
        &sampler(played.recording.as_ref().expect("a recording")),
        0.0,
    );
    assert_eq!(found.eye_distance, Some(0.063));
    assert_eq!(found.radii, Headset::default().radii);
}
