//! The damage of a file that is not well formed, which its intact part keeps.

use super::code::Code;
use super::finding::Finding;
use crate::path::CurvePath;
use crate::read::RecoveredRecording;

/// The damage of a file that is not well formed. Programs that edit the intact part of the file keep it, because the edited
/// recording lacks the same curves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct FileDamage {
    /// The code of the error; `None` if the error has [no code](Code::of_error).
    pub code: Option<Code>,
    /// The error of the strict reader.
    pub message: String,
    /// The curve in which the error is.
    pub curve: Option<CurvePath>,
    /// The curves without keys, because their keys could not be read.
    pub lost: Vec<CurvePath>,
}

impl FileDamage {
    /// Returns the damage of a file; `None` if the file is well formed.
    ///
    /// ```
    /// use inputanim::doctor::{Code, FileDamage};
    /// use inputanim::{Flags, Layout, Pose, Recording};
    /// let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    /// recording.head_mut().push(0.0, &Pose::IDENTITY);
    /// let bytes = recording.to_bytes()?;
    /// let recovered = Recording::recover(&bytes[..bytes.len() / 2])?;
    /// let damage = FileDamage::of(&recovered).expect("the file is truncated");
    /// assert_eq!(damage.code, Some(Code::FileTruncated));
    /// assert!(damage.lost.contains(&"gaze.origin.x".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(recovery: &RecoveredRecording<'_>) -> Option<FileDamage> {
        let error = recovery.error.as_ref()?;
        let lost = recovery.damaged.iter().filter_map(|part| part.part.curve());
        Some(FileDamage {
            code: Code::of_error(error.kind()),
            message: error.to_string(),
            curve: error.path(),
            lost: lost.collect(),
        })
    }

    /// Returns the damage as a finding, whose curve is the one with the error; `None` without a code.
    pub fn finding(&self) -> Option<Finding> {
        let mut finding = Finding::new(self.code?, 1, self.message.clone());
        finding.curves.extend(self.curve);
        finding.streams.extend(self.curve.map(CurvePath::stream));
        Some(finding)
    }

    /// Exchanges the hands, as [`Mirror`](crate::edit::Mirror) does.
    pub fn mirror(&mut self) {
        for path in self.lost.iter_mut().chain(&mut self.curve) {
            *path = match *path {
                CurvePath::Tracked(side) => CurvePath::Tracked(side.opposite()),
                CurvePath::Pinching(side) => CurvePath::Pinching(side.opposite()),
                CurvePath::Joint(side, joint, channel) => {
                    CurvePath::Joint(side.opposite(), joint, channel)
                }
                // A file of MRTK has no devices.
                other => other,
            };
        }
    }
}
