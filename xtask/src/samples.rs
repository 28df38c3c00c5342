//! `cargo xtask samples`: everything is made from seeds, so the files come out the same.

use std::fs;
use std::path::Path;

use anyhow::Result;
use inputanim::{Flags, Frame, Layout, Marker, Pose, Ray, Recording};
use inputanim_motion::{Motion, Scene};

use crate::process::root;

/// File, scene, seed, seconds.
const SAMPLES: [(&str, Scene, u64, f32); 4] = [
    ("two-hands", Scene::TwoHands, 7, 9.0),
    ("wave", Scene::Wave, 1, 4.0),
    ("pinch-drag", Scene::PinchDrag, 2, 5.0),
    ("reach", Scene::Reach, 3, 5.0),
];

/// Half the rate of the toolkit's recorder: small files that still look smooth.
const RATE: f32 = 30.0;

pub(crate) fn run() -> Result<()> {
    let samples = root().join("samples");
    for (name, scene, seed, seconds) in SAMPLES {
        let recording = Motion::new(scene, seed, seconds).record(RATE, Layout::Mrtk1_1);
        write(&samples.join(name), &recording.to_bytes(Layout::Mrtk1_1)?)?;
    }
    seeds(&root().join("fuzz/seeds"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let path = path.with_extension("bin");
    fs::write(&path, bytes)?;
    println!("{} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// Small recordings from which fuzzing starts: every layout, with few streams and keys.
fn seeds(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for layout in Layout::ALL {
        let mut small = Recording::new(layout);
        if !layout.has_flags() {
            small = Recording::with_streams(
                layout,
                Flags {
                    camera: true,
                    hand: true,
                    gaze: false,
                },
            );
        }
        for step in 0..3 {
            let time = step as f32 * 0.5;
            small.camera_mut().push(time, &Pose::at([time, 1.6, 0.0]));
            if layout.has_flags() {
                let ray = Ray {
                    origin: [0.0, 1.6, 0.0],
                    direction: [0.0, 0.0, 1.0],
                };
                small.gaze_mut().push(time, &ray);
            }
        }
        if layout.has_markers() {
            small.markers = vec![Marker::new(0.5, "start"), Marker::new(1.0, "")];
        }
        let name = layout.name().replace('.', "-");
        write(&folder.join(name), &small.to_bytes(layout)?)?;
    }
    let mut hands = Recording::new(Layout::Mrtk1_1);
    let frame: Frame = Motion::new(Scene::TwoHands, 7, 2.0).frame_at(1.0);
    for (joint, pose) in frame.right.joints.iter() {
        if let Some(pose) = pose {
            hands.hands_mut().right.joints[joint].push(0.0, pose);
        }
    }
    hands.hands_mut().right.tracked.push(0.0, true);
    write(&folder.join("hands"), &hands.to_bytes(Layout::Mrtk1_1)?)
}
