//! Results for the recordings of the corpus, which are not part of the repository.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use glam::DQuat;
use inputanim::edit::{self, MirrorPlane};
use inputanim::{FloatCurve, Frame, Joint, Layout, Pose, Recording, Sampler, Side, TimeRange};

use super::table::{at_least, quantiles};
use inputanim_testkit::damage::case::CASES;
use inputanim_testkit::damage::score::{MAX_CORRECT_ERROR, Score, angle};
use inputanim_testkit::damage::{WLoss, lose_w};
use inputanim_testkit::truth;

/// Recordings of the same motion, one by a faulty release and one by a correct one, for each partition
/// size.
const TWINS: [(&str, &str); 3] = [
    ("mrtk-1.1-w-lost-p32", "mrtk-1.1-p32"),
    ("mrtk-1.1-w-lost-p7", "mrtk-1.1-p7"),
    ("mrtk-1.1-w-lost-p0", "mrtk-1.1-p0"),
];

/// Returns the rows of the table for the recordings in the folder `corpus`: the name of each row, and the errors of all
/// keys that the repair rebuilds in its recordings.
pub(super) fn scores(corpus: &Path) -> Result<Vec<(String, Score)>> {
    let mut rows = Vec::new();
    for (damaged, healthy) in TWINS {
        let [saved, intact] = [damaged, healthy].map(|name| read(corpus, "mrtk", name));
        let (saved, intact) = (saved?, intact?);
        let mut score = Score::default();
        score.add(&Recording::parse(&intact)?, &Recording::parse(&saved)?);
        rows.push((format!("MRTK's `{damaged}`"), score));
    }
    let device = read(corpus, "device", "left-hand-2021")?;
    let mut healthy = Recording::parse(&device)?;
    // Repair looks for lost w curves only in this layout.
    healthy.layout = Layout::Mrtk1_1;
    let mut damaged = healthy.clone();
    lose_w(&mut damaged, WLoss::OneKey);
    let mut score = Score::default();
    score.add(&healthy, &damaged);
    rows.push(("device recording, w removed".to_owned(), score));
    // The first half was used to select the constants of the repair. The second half was not.
    rows.extend(changed(&healthy, "first half", 0, |time| time < MIDDLE)?);
    rows.extend(changed(&healthy, "second half", 100, |time| {
        time >= MIDDLE
    })?);
    edit::mirror(&mut healthy, &MirrorPlane::WORLD)?;
    let name = "second half, mirrored to a right hand";
    rows.extend(changed(&healthy, name, 200, |time| time >= MIDDLE)?);
    Ok(rows)
}

/// The end of the first half of the device's recording, in seconds.
const MIDDLE: f32 = 5.6;

/// Scores the part of the device's recording for whose times in seconds `is_of_part` returns `true`. The part is
/// resampled at 60 Hz, and changed as in each case with tracking jumps, with 20 recordings for each case. `first` is
/// the number of the first recording, so that parts get different jumps. Returns a named row for each case.
fn changed(
    healthy: &Recording<'_>,
    part: &str,
    first: u32,
    is_of_part: fn(f32) -> bool,
) -> Result<Vec<(String, Score)>> {
    let sampler = Sampler::new(healthy)?;
    let (start, end) = (0.0, healthy.duration());
    let times = TimeRange { start, end }.times_at(60.0);
    let times = times.filter(|&time| is_of_part(time));
    let frames: Vec<Frame> = times.map(|time| sampler.frame_at(time)).collect();
    let mut rows = Vec::new();
    let cases = CASES
        .iter()
        .filter(|case| case.name.contains("tracking jumps"));
    for case in cases {
        let mut score = Score::default();
        for number in first..first + 20 {
            let healthy = case.record_frames(frames.clone(), number);
            let mut damaged = healthy.clone();
            lose_w(&mut damaged, case.loss);
            score.add(&healthy, &damaged);
        }
        rows.push((format!("device recording, {part}: {}", case.name), score));
    }
    Ok(rows)
}

fn read(corpus: &Path, folder: &str, name: &str) -> Result<Vec<u8>> {
    let path = corpus.join(folder).join(format!("{name}.bin"));
    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Prints a table of the errors of playback compared with the frames that MRTK recorded, for the intact and the
/// repaired recordings in the folder `corpus`.
pub(super) fn print_played(corpus: &Path) -> Result<()> {
    let truth = truth::frames(corpus)?;
    println!("| recording | joints | right | median | 99 % | head right |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (damaged, healthy) in TWINS {
        for name in [healthy, damaged] {
            let bytes = read(corpus, "mrtk", name)?;
            let mut take = Recording::parse(&bytes)?;
            if name == damaged {
                take.repair();
            }
            let [hands, head] = errors_of(&take, &truth)?;
            let right = |errors: &[f64]| {
                let near = errors
                    .iter()
                    .filter(|&&error| error <= MAX_CORRECT_ERROR)
                    .count();
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

/// Returns the errors of rotations in `take` compared with the frames `truth`, in degrees: those of all tracked joints,
/// and those of the head. Times after the last key of a joint or of the head are ignored.
fn errors_of(take: &Recording<'_>, truth: &[Frame]) -> Result<[Vec<f64>; 2]> {
    let sampler = Sampler::new(take)?;
    let [mut hands, mut head] = [Vec::new(), Vec::new()];
    for frame in truth {
        let time = frame.time;
        let played = sampler.frame_at(time);
        if let (Some(pose), Some(curves)) = (played.head, &take.head)
            && let Some(truth) = frame.head
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
