//! Recordings that the project does not hold.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use glam::DQuat;
use inputanim::repair::repair;
use inputanim::{FloatCurve, Joint, Layout, Recording, Sampler, Side};

use super::damage::score::{NEAR, Score, angle};
use super::damage::{Form, lose_w};
use super::table::{at_least, quantiles};

/// The same motion as saved by a faulty release and by others, each by a partition size.
const TWINS: [(&str, &str); 3] = [
    ("mrtk-1.1-w-lost-p32", "mrtk-1.1-p32"),
    ("mrtk-1.1-w-lost-p7", "mrtk-1.1-p7"),
    ("mrtk-1.1-w-lost-p0", "mrtk-1.1-p0"),
];

/// Where it is, if it is anywhere.
pub(super) fn folder() -> Option<PathBuf> {
    std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from)
}

/// Key by key.
pub(super) fn scores(corpus: &Path) -> Result<Vec<(String, Score)>> {
    let mut rows = Vec::new();
    for (damaged, healthy) in TWINS {
        let [saved, whole] = [damaged, healthy].map(|name| read(corpus, "mrtk", name));
        let (saved, whole) = (saved?, whole?);
        let mut score = Score::default();
        score.add(&Recording::parse(&whole)?, &Recording::parse(&saved)?);
        rows.push((format!("the toolkit's `{damaged}`"), score));
    }
    let device = read(corpus, "device", "left-hand-2021")?;
    let mut healthy = Recording::parse(&device)?;
    // Only takes of this layout lose w.
    healthy.layout = Layout::Mrtk1_1;
    let mut damaged = healthy.clone();
    lose_w(&mut damaged, Form::OneKey);
    let mut score = Score::default();
    score.add(&healthy, &damaged);
    rows.push(("a device's recording, w taken away".to_owned(), score));
    Ok(rows)
}

fn read(corpus: &Path, folder: &str, name: &str) -> Result<Vec<u8>> {
    let path = corpus.join(folder).join(format!("{name}.bin"));
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Frame by frame: how far what plays is from what happened, without damage and repaired.
pub(super) fn print_played(corpus: &Path) -> Result<()> {
    let truth = Truth::read(corpus)?;
    println!("| take | joints | right | median | 99 % | camera right |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (damaged, healthy) in TWINS {
        for name in [healthy, damaged] {
            let bytes = read(corpus, "mrtk", name)?;
            let mut take = Recording::parse(&bytes)?;
            if name == damaged {
                repair(&mut take);
            }
            let [hands, head] = truth.errors_of(&take)?;
            let right = |errors: &[f64]| {
                let near = errors.iter().filter(|&&error| error <= NEAR).count();
                at_least(near, errors.len())
            };
            let note = if name == damaged { ", repaired" } else { "" };
            let (joints, hands_right, head_right) = (hands.len(), right(&hands), right(&head));
            let [median, most] = quantiles(hands);
            println!(
                "| `{name}`{note} | {joints} | {hands_right} % | {median:.3} | {most:.3} | {head_right} % |"
            );
        }
    }
    Ok(())
}

/// What the recorder was fed: frames of 450 numbers, namely the time; tracked and pinching of the
/// left hand and of the right; position and rotation of the camera; origin and direction of the
/// gaze; and of each joint whether it was there, position and rotation.
struct Truth(Vec<f32>);

const NUMBERS: usize = 450;
const CAMERA: usize = 5;
const JOINTS: usize = 18;
const JOINT: usize = 8;

impl Truth {
    fn read(corpus: &Path) -> Result<Truth> {
        let path = corpus.join("mrtk/truth.frames");
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            bytes.len() % (4 * NUMBERS) == 0,
            "{} is cut off",
            path.display()
        );
        let (numbers, _) = bytes.as_chunks();
        Ok(Truth(
            numbers
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes))
                .collect(),
        ))
    }

    /// Of every joint that was seen and of the camera in every frame up to the end of its keys, in
    /// degrees.
    fn errors_of(&self, take: &Recording<'_>) -> Result<[Vec<f64>; 2]> {
        let sampler = Sampler::new(take)?;
        let [mut hands, mut head] = [Vec::new(), Vec::new()];
        let start = self.0[0];
        for frame in self.0.chunks_exact(NUMBERS) {
            let time = frame[0] - start;
            let played = sampler.frame_at(time);
            if let (Some(pose), Some(curves)) = (played.camera, &take.camera)
                && is_before_end(&curves.rotation[0], time)
            {
                head.push(error(pose.rotation, &frame[CAMERA + 3..]));
            }
            for (side, first) in [(Side::Left, 0), (Side::Right, Joint::ALL.len())] {
                let Some(curves) = take.hands.as_ref().map(|hands| hands.hand(side)) else {
                    continue;
                };
                for (joint, pose) in played.hand(side).joints.iter() {
                    let place = JOINTS + JOINT * (first + joint.index());
                    let was_seen = frame[1 + 2 * side as usize] > 0.5 && frame[place] > 0.5;
                    let rotation = &curves.joints[joint].rotation;
                    if let Some(pose) = pose
                        && was_seen
                        && joint != Joint::None
                        && is_before_end(&rotation[0], time)
                    {
                        hands.push(error(pose.rotation, &frame[place + 4..]));
                    }
                }
            }
        }
        Ok([hands, head])
    }
}

fn is_before_end(curve: &FloatCurve<'_>, time: f32) -> bool {
    let last = curve.keys.points().last();
    last.is_some_and(|(end, _)| time <= end)
}

fn error(played: [f32; 4], truth: &[f32]) -> f64 {
    let [played, truth] = [&played[..], truth].map(|parts| {
        let [x, y, z, w] = std::array::from_fn(|part| f64::from(parts[part]));
        DQuat::from_xyzw(x, y, z, w).normalize()
    });
    angle(played, truth).to_degrees()
}
