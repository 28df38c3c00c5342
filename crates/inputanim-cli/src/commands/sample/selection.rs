//! Which poses of a frame are wanted.

use inputanim::{CurvePath, Joint, PoseChannel, RayChannel, Recording, Sampler, Side};

use crate::outcome::Refusal;

/// Poses and states that are to be printed.
pub(super) struct Selection {
    pub(super) camera: bool,
    pub(super) gaze: bool,
    /// Left, then right; `None` where nothing of the hand is wanted.
    pub(super) hands: [Option<Vec<Joint>>; 2],
}

impl Selection {
    /// All that is recorded, or of that what fits any of the names.
    pub(super) fn new(
        recording: &Recording<'_>,
        sampler: &Sampler,
        names: &[String],
    ) -> anyhow::Result<Selection> {
        let mut fits = vec![false; names.len()];
        let mut is_wanted = |full: &str, short: &str| {
            let mut is_wanted = names.is_empty();
            for (name, fits) in names.iter().zip(&mut fits) {
                if fast_glob::glob_match(name, full) || fast_glob::glob_match(name, short) {
                    (is_wanted, *fits) = (true, true);
                }
            }
            is_wanted
        };
        let camera = sampler.has_camera() && is_wanted("camera", "camera");
        let gaze = sampler.has_gaze() && is_wanted("gaze", "gaze");
        let hands = Side::BOTH.map(|side| {
            let recorded = sampler.recorded_joints(side);
            let joints = Joint::ALL.into_iter().filter(|&joint| recorded[joint]);
            let wanted = joints.filter(|joint| is_wanted(&format!("{side}.{joint}"), joint.name()));
            let wanted: Vec<Joint> = wanted.collect();
            let has_states = names.is_empty() && recording.hands.is_some();
            (has_states || !wanted.is_empty()).then_some(wanted)
        });
        match names.iter().zip(fits).find(|(_, fits)| !fits) {
            Some((name, _)) => Err(Refusal::failure(
                format!("nothing is called {name}; recorded {}", recorded(sampler)),
                "names are camera, gaze, left.IndexTip, right.*, Palm; case matters",
            )),
            None => Ok(Selection {
                camera,
                gaze,
                hands,
            }),
        }
    }

    /// The heads of the columns of CSV: the names of the curves.
    pub(super) fn columns(&self) -> Vec<String> {
        let mut paths = Vec::new();
        if self.camera {
            paths.extend(PoseChannel::ALL.map(CurvePath::Camera));
        }
        for (side, joints) in Side::BOTH.into_iter().zip(&self.hands) {
            let Some(joints) = joints else { continue };
            paths.extend([CurvePath::Tracked(side), CurvePath::Pinching(side)]);
            for &joint in joints {
                let path = |channel| CurvePath::Joint(side, joint, channel);
                paths.extend(PoseChannel::ALL.map(path));
            }
        }
        if self.gaze {
            paths.extend(RayChannel::ALL.map(CurvePath::Gaze));
        }
        let names = paths.iter().map(CurvePath::to_string);
        std::iter::once("time_s".to_owned()).chain(names).collect()
    }

    /// The only pose, if there is just one.
    pub(super) fn only_joint(&self) -> Option<(Side, Joint)> {
        let chosen = |side: Side| self.hands[side as usize].as_deref();
        match (
            self.camera || self.gaze,
            chosen(Side::Left),
            chosen(Side::Right),
        ) {
            (false, Some(&[joint]), None) => Some((Side::Left, joint)),
            (false, None, Some(&[joint])) => Some((Side::Right, joint)),
            _ => None,
        }
    }
}

/// What there is, in words.
fn recorded(sampler: &Sampler) -> String {
    let mut parts = Vec::new();
    parts.extend(sampler.has_camera().then(|| "camera".to_owned()));
    for side in Side::BOTH {
        let joints = sampler.recorded_joints(side).iter();
        let joints = joints.filter(|(_, recorded)| **recorded).count();
        if joints > 0 {
            parts.push(format!("{joints} joints of the {side} hand"));
        }
    }
    parts.extend(sampler.has_gaze().then(|| "gaze".to_owned()));
    match parts.len() {
        0 => "is nothing".to_owned(),
        1 => format!("is {}", parts[0]),
        _ => format!("are {}", parts.join(", ")),
    }
}
