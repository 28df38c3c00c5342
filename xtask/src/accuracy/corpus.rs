//! Recordings that the project does not hold.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use glam::DQuat;
use inputanim::repair::repair;
use inputanim::{FloatCurve, Frame, Joint, Layout, Pose, Recording, Sampler, Side};

use super::damage::score::{NEAR, Score, angle};
use super::damage::{Form, lose_w};
use super::table::{at_least, quantiles};
use crate::truth;

/// The same motion as saved by a faulty release and by others, each by a partition size.
const TWINS: [(&str, &str); 3] = [
    ("mrtk-1.1-w-lost-p32", "mrtk-1.1-p32"),
    ("mrtk-1.1-w-lost-p7", "mrtk-1.1-p7"),
    ("mrtk-1.1-w-lost-p0", "mrtk-1.1-p0"),
];

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
    let truth = truth::frames(corpus)?;
    println!("| take | joints | right | median | 99 % | camera right |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (damaged, healthy) in TWINS {
        for name in [healthy, damaged] {
            let bytes = read(corpus, "mrtk", name)?;
            let mut take = Recording::parse(&bytes)?;
            if name == damaged {
                repair(&mut take);
            }
            let [hands, head] = errors_of(&take, &truth)?;
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

/// Of every joint that was seen and of the camera in every frame up to the end of its keys, in
/// degrees.
fn errors_of(take: &Recording<'_>, truth: &[Frame]) -> Result<[Vec<f64>; 2]> {
    let sampler = Sampler::new(take)?;
    let [mut hands, mut head] = [Vec::new(), Vec::new()];
    for frame in truth {
        let time = frame.time;
        let played = sampler.frame_at(time);
        if let (Some(pose), Some(curves)) = (played.camera, &take.camera)
            && let Some(truth) = frame.camera
            && is_before_end(&curves.rotation[0], time)
        {
            head.push(error(pose, truth));
        }
        for side in Side::BOTH {
            let Some(curves) = take.hands.as_ref().map(|hands| hands.hand(side)) else {
                continue;
            };
            let hand = frame.hand(side);
            for (joint, pose) in played.hand(side).joints.iter() {
                if let (Some(pose), Some(truth)) = (pose, hand.joints[joint])
                    && hand.tracked
                    && joint != Joint::None
                    && is_before_end(&curves.joints[joint].rotation[0], time)
                {
                    hands.push(error(*pose, truth));
                }
            }
        }
    }
    Ok([hands, head])
}

fn is_before_end(curve: &FloatCurve<'_>, time: f32) -> bool {
    let last = curve.keys.points().last();
    last.is_some_and(|(end, _)| time <= end)
}

fn error(played: Pose, truth: Pose) -> f64 {
    let [played, truth] = [played, truth].map(|pose| {
        let [x, y, z, w] = pose.rotation.map(f64::from);
        DQuat::from_xyzw(x, y, z, w).normalize()
    });
    angle(played, truth).to_degrees()
}
