//! Finds damage and unusual content in a recording that is well formed.
//!
//! Method: each rule looks for one signature and reports how often, where and when it occurs. The recording is not
//! changed. A fast test, in loops that the compiler vectorises, first finds the curves without findings. Only the keys
//! of the other curves are examined one by one. Poses are examined in parallel. [`Code::meaning`] describes the effect
//! of a finding on playback, and [`Code::remedy`] the action that helps.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, doctor};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! recording.head_mut().push(0.0, &Pose::IDENTITY);
//! recording.gaze_mut();
//! let findings = doctor::findings(&recording);
//! assert_eq!(findings[0].code.id(), "L10");
//! assert_eq!(findings[0].detail, "gaze");
//! ```

mod bones;
mod code;
mod ends;
mod explain;
mod file_damage;
mod finding;
mod keys;
mod points;
mod pose;
mod remedy;
mod rotations;
mod sampling;
mod streams;
mod units;
mod untracked;
mod zeros;

pub use code::{Code, Severity, UnknownCode};
pub(crate) use ends::lost_tails;
pub use file_damage::FileDamage;
pub use finding::{ExplainedFinding, Finding};
pub use remedy::Remedy;
pub(crate) use rotations::{LENGTH_TOLERANCE, damaged_w, is_shown};
pub use sampling::pauses;

use bones::BoneFindings;
use keys::KeyFindings;
use pose::{PosePath, device_poses, poses};
use rotations::RotationFindings;
use untracked::UntrackedFindings;

use crate::curve::Curve;
use crate::device::Device;
use crate::element::Element;
use crate::info::Info;
use crate::joint::Side;
use crate::order;
use crate::parallel;
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::pose::{PoseCurves, RayCurves};
use crate::read::RecoveredRecording;
use crate::recording::Recording;

/// Returns the findings of a recording, the most severe first.
///
/// ```
/// use inputanim::{doctor, Flags, Layout, Recording};
/// let recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
/// for finding in doctor::findings(&recording) {
///     println!("{}: {finding}", finding.code);
/// }
/// ```
pub fn findings(recording: &Recording<'_>) -> Vec<Finding> {
    findings_with(recording, &Info::of(recording))
}

/// Returns the findings of the intact part of a damaged file. If the [error](RecoveredRecording::error) of the recovery
/// has a code, it is the first finding. Findings that follow from the [damaged parts](RecoveredRecording::damaged) are
/// omitted: empty streams, missing curves and early ends.
pub fn findings_of_recovery(recovery: &RecoveredRecording<'_>, info: &Info) -> Vec<Finding> {
    let error = recovery.error.as_ref().and_then(Finding::from_error);
    findings_of_part(
        &recovery.recording,
        info,
        !recovery.damaged.is_empty(),
        error,
    )
}

/// Returns the findings of a recording that was made from the intact part of a damaged file, for example by an edit, as
/// [`findings_of_recovery`] does.
pub fn findings_of_damaged(recording: &Recording<'_>, damage: &FileDamage) -> Vec<Finding> {
    let info = Info::of(recording);
    findings_of_part(recording, &info, !damage.lost.is_empty(), damage.finding())
}

/// Returns the error of a file, and the findings of its intact part. `is_part` is `true` if parts are missing.
fn findings_of_part(
    recording: &Recording<'_>,
    info: &Info,
    is_part: bool,
    error: Option<Finding>,
) -> Vec<Finding> {
    let mut findings = findings_with(recording, info);
    if is_part {
        // The recovery reports the missing parts already.
        findings.retain(|finding| !finding.code.follows_from_missing_parts());
    }
    error.into_iter().chain(findings).collect()
}

/// Returns the findings for an overview of many files: those of [`findings_of_recovery`] whose code
/// [is part of an overview](Code::is_in_overview).
pub fn overview(recovery: &RecoveredRecording<'_>, info: &Info) -> Vec<Finding> {
    in_overview(findings_of_recovery(recovery, info))
}

/// Returns the findings that are part of an [`overview`].
pub fn in_overview(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| finding.code.is_in_overview());
    findings
}

/// Returns the [`findings`] of a recording whose information is already known: `info` is `Info::of(recording)`.
pub fn findings_with(recording: &Recording<'_>, info: &Info) -> Vec<Finding> {
    let curves = CurveFindings::of(recording, info, Depth::Full);
    let mut findings = ends::findings(recording, info);
    findings.extend(streams::findings(recording, info));
    findings.extend(sampling::findings(recording, info));
    findings.extend(units::findings(recording, info));
    findings.extend(zeros::findings(recording));
    findings.extend(curves.finish());
    order::sort_by_rank(&mut findings, rank);
    findings
}

/// Returns the damage of used curves, the most severe first: the findings of [`findings_with`] that
/// [change values](Code::changes_values) and concern a curve for which `is_used` returns `true`.
///
/// Programs that pass on evaluated values need no other findings. This function is faster than [`findings_with`],
/// because it does not search for the others.
pub fn damage(recording: &Recording<'_>, is_used: impl Fn(CurvePath) -> bool) -> Vec<Finding> {
    let info = Info::without_instants(recording);
    let curves = CurveFindings::of(recording, &info, Depth::Playback);
    let mut findings = ends::findings(recording, &info);
    findings.extend(streams::findings(recording, &info));
    findings.extend(curves.finish());
    findings
        .retain(|finding| finding.code.changes_values() && finding.concerns(recording, &is_used));
    order::sort_by_rank(&mut findings, rank);
    findings
}

/// Returns the sort key of a finding: by severity, the most severe first, then by code.
fn rank(finding: &Finding) -> u64 {
    let severity = Severity::Damage as u64 - finding.severity() as u64;
    (severity << 32) | finding.code as u64
}

/// The extent of an examination.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Full,
    /// All rules except the rules for untracked hands and for bones.
    Playback,
}

/// Curves that are examined together. A group is so small that all processors get work.
enum Group<'r, 'a> {
    States([(CurvePath, Curve<'r, 'a>); 4]),
    Pose(PosePath, &'r PoseCurves<'a>),
    Gaze(&'r RayCurves<'a>),
    Inputs(&'r Device<'a>),
}

/// The findings in the keys of curves.
#[derive(Default)]
struct CurveFindings {
    keys: KeyFindings,
    rotations: RotationFindings,
    untracked: UntrackedFindings,
    bones: BoneFindings,
}

impl CurveFindings {
    fn of(recording: &Recording<'_>, info: &Info, depth: Depth) -> CurveFindings {
        // All rotations together decide whether a single key in w is damage, so this is computed once.
        let damaged = rotations::damaged_w(recording);
        // Keys are hidden where nothing is known about their hand.
        let gaps = Side::BOTH.map(|side| {
            let gaps = untracked::gaps(info, side);
            let mut gaps = recording.known.within(Element::Tracked(side), &gaps);
            gaps.retain(|gap| gap.start < gap.end);
            gaps
        });
        let examine = |group: Group<'_, '_>| {
            let mut findings = CurveFindings::default();
            match group {
                Group::States(curves) => {
                    for (path, curve) in curves {
                        findings.keys.add(path, curve);
                    }
                }
                Group::Pose(path, pose) => {
                    let orderly = findings.add_pose(path, pose, &damaged, info);
                    if let (PosePath::Joint(side, joint), Some(hands)) = (path, &recording.hands)
                        && depth == Depth::Full
                    {
                        for ((channel, curve), is_orderly) in pose.iter().zip(orderly) {
                            let gaps = &gaps[side as usize];
                            let path = path.curve(channel);
                            findings.untracked.add(path, curve, is_orderly, gaps);
                        }
                        let joints = &hands.hand(side).joints;
                        let tracked = &info.hand(side).tracked;
                        let paths = path.position();
                        findings
                            .bones
                            .add(joint, joints, orderly[0], paths, tracked);
                    }
                }
                Group::Gaze(ray) => findings.add_gaze(ray),
                Group::Inputs(device) => {
                    for (input, curve) in &device.inputs {
                        let path = CurvePath::Input(device.name, *input);
                        findings.keys.add(path, curve.curve());
                    }
                }
            }
            findings
        };
        // The results are in file order, because a finding names its first place.
        let found = parallel::map(groups(recording), 2 * info.keys as usize, examine);
        let mut all = CurveFindings::default();
        for findings in found {
            all.keys.append(findings.keys);
            all.rotations.append(findings.rotations);
            all.untracked.append(findings.untracked);
            all.bones.append(findings.bones);
        }
        all
    }

    /// Adds the findings in the keys of one pose. `damaged` are the w curves of the recording that were lost, with
    /// their codes. Returns `true` for each of the seven curves of the pose that [is orderly](Curve::is_orderly): its
    /// keys are finite and in order of time.
    fn add_pose(
        &mut self,
        path: PosePath,
        pose: &PoseCurves<'_>,
        damaged: &[(CurvePath, Code)],
        info: &Info,
    ) -> [bool; 7] {
        let mut orderly = [false; 7];
        for (is_orderly, (channel, curve)) in orderly.iter_mut().zip(pose.iter()) {
            *is_orderly = self.keys.add(path.curve(channel), Curve::Float(curve));
        }
        let counts = pose.position.iter().map(|curve| curve.keys.len());
        self.keys.add_counts(&path.position(), counts);
        let w = path.curve(PoseChannel::RotationW);
        // A lost w explains different key counts and lengths, so only the loss is reported.
        if let Some(code) = rotations::damage_of(w, damaged) {
            self.rotations.add_lost(path, code, &pose.rotation, info);
        } else {
            let counts = pose.rotation.iter().map(|curve| curve.keys.len());
            self.keys.add_counts(&path.rotation(), counts);
            self.rotations.add(path, &pose.rotation, info);
        }
        orderly
    }

    fn add_gaze(&mut self, ray: &RayCurves<'_>) {
        for (channel, curve) in ray.iter() {
            self.keys.add(CurvePath::Gaze(channel), Curve::Float(curve));
        }
        let paths = RayChannel::ALL.map(CurvePath::Gaze);
        for (paths, curves) in paths.chunks(3).zip([&ray.origin, &ray.direction]) {
            let counts = curves.iter().map(|curve| curve.keys.len());
            self.keys.add_counts(paths, counts);
        }
    }

    fn finish(self) -> impl Iterator<Item = Finding> {
        let keys = self.keys.finish().chain(self.rotations.finish());
        keys.chain(self.untracked.finish())
            .chain(self.bones.finish())
    }
}

/// Returns all curves of a recording, those of a file in file order and then those of the devices, in groups that can be examined
/// in parallel.
fn groups<'r, 'a>(recording: &'r Recording<'a>) -> Vec<Group<'r, 'a>> {
    let mut groups: Vec<Group<'r, 'a>> = poses(recording)
        .map(|(path, pose)| Group::Pose(path, pose))
        .collect();
    if let Some(hands) = &recording.hands {
        let state = |path, curve| (path, Curve::Boolean(curve));
        let (left, right) = (&hands.left, &hands.right);
        let states = Group::States([
            state(CurvePath::Tracked(Side::Left), &left.tracked),
            state(CurvePath::Tracked(Side::Right), &right.tracked),
            state(CurvePath::Pinching(Side::Left), &left.pinching),
            state(CurvePath::Pinching(Side::Right), &right.pinching),
        ]);
        // In a file the states are between the head and the joints (docs/format.md, section 3.1).
        groups.insert(usize::from(recording.head.is_some()), states);
    }
    groups.extend(recording.gaze.iter().map(Group::Gaze));
    groups.extend(device_poses(recording).map(|(path, pose)| Group::Pose(path, pose)));
    groups.extend(recording.devices.iter().map(Group::Inputs));
    groups
}
