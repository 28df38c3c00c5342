//! The options of a dataset of LeRobot.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim_convert::HandOrder;
use inputanim_convert::lerobot::{
    ActionForm, Forms, Gripper, MaskDetail, ReferenceFrame, RotationForm,
};
use inputanim_convert::tables::PathPattern;
use inputanim_scan::lerobot::{SuccessLabels, Validation};

/// The heading of the options for LeRobot in --help.
const LEROBOT: &str = "Options for lerobot";

/// The options of a dataset of LeRobot.
#[derive(Debug, clap::Args)]
pub(super) struct LeRobotArgs {
    /// The poses to which others are relative: world; head, for joints and gaze; wrist, for the other joints of its
    /// hand [default: world]
    #[arg(help_heading = LEROBOT, long, value_name = "FRAME", value_parser = frames(), ignore_case = true)]
    pub(super) frame: Option<ReferenceFrame>,
    /// The text of the task of all episodes [default: the column `task` of a trial table or the name of a segment, else
    /// the text of the only marker, if it is at 0 s, else the name of the recording]
    #[arg(help_heading = LEROBOT, long, value_name = "TEXT", conflicts_with = "task_pattern")]
    pub(super) task: Option<String>,
    /// Take the text of the task from the path of IN, such as '{*}/{task}_{*}.bin'
    #[arg(help_heading = LEROBOT, long, value_name = "PATTERN")]
    pub(super) task_pattern: Option<PathPattern>,
    /// Add grippers of the hands, separated by commas: pinch, the recorded state; geometric-pinch; aperture, the distance of the
    /// tips of thumb and index finger in metres; trigger, the trigger of the controller [default: the recorded pinch, if all recordings have it]
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "GRIPPERS",
        value_delimiter = ',',
        value_parser = named::<Gripper>(Gripper::ALL.iter().map(|gripper| gripper.name())),
        ignore_case = true
    )]
    pub(super) gripper: Vec<Gripper>,
    /// Write rotations as quaternions, as 6d: the first two columns of the rotation matrix, or as none: positions only
    /// [default: quaternion]
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "FORM",
        value_parser = named::<RotationForm>(RotationForm::ALL.iter().map(|form| form.name())),
        ignore_case = true
    )]
    pub(super) rotations: Option<RotationForm>,
    /// Write the positions of these joints of each hand, in their order, instead of poses: mediapipe, openpose or mano with 21
    /// joints, openxr or webxr. --joints and --exclude select complete hands
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "ORDER",
        value_parser = named::<HandOrder>(HandOrder::ALL.iter().map(|order| order.name())),
        ignore_case = true
    )]
    pub(super) keypoints: Option<HandOrder>,
    /// Write actions as the next state; relative: the next poses in the coordinates of the current head or wrist; or delta: the
    /// changes of poses [default: next]
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "FORM",
        value_parser = named::<ActionForm>(ActionForm::ALL.iter().map(|form| form.name())),
        ignore_case = true
    )]
    pub(super) action: Option<ActionForm>,
    /// State which values are known for each part: head, hands and gaze; or for each joint [default: part]
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "DETAIL",
        value_parser = named::<MaskDetail>(MaskDetail::ALL.iter().map(|detail| detail.name())),
        ignore_case = true
    )]
    pub(super) mask: Option<MaskDetail>,
    /// Divide positions relative to the wrist by the size of the hand: the median distance from the wrist to the knuckle of the
    /// middle finger
    #[arg(help_heading = LEROBOT, long)]
    pub(super) scale_hands: bool,
    /// Label episodes by markers with the names success and failure, or by the column `success` of the trial table: trials
    #[arg(
        help_heading = LEROBOT,
        long,
        value_name = "SOURCE",
        value_parser = named::<SuccessLabels>(SuccessLabels::ALL.iter().map(|source| source.name())),
        ignore_case = true
    )]
    pub(super) success: Option<SuccessLabels>,
    /// Use the episodes with these values of a column for validation, such as person=p03,p07 or person=20%. The names of trials are
    /// the column `trial`
    #[arg(help_heading = LEROBOT, long, value_name = "COLUMN=VALUES")]
    pub(super) validation: Option<Validation>,
    /// Take the column of --validation from the path of IN, such as '{person}/{*}.bin' [default: --task-pattern or the trial table]
    #[arg(help_heading = LEROBOT, long, value_name = "PATTERN", requires = "validation")]
    pub(super) split_pattern: Option<PathPattern>,
    /// Copy the MP4 file beside each file of EgoDex into the dataset, without decoding it
    #[arg(help_heading = LEROBOT, long)]
    pub(super) video: bool,
    /// Write meta/modality.json for NVIDIA Isaac GR00T
    #[arg(help_heading = LEROBOT, long)]
    pub(super) modality: bool,
}

fn frames() -> impl TypedValueParser<Value = ReferenceFrame> {
    named(ReferenceFrame::ALL.iter().map(|frame| frame.name()))
}

/// Returns a parser of values with these names.
fn named<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = inputanim::UnknownName> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

impl LeRobotArgs {
    /// Sets the forms that are given.
    pub(super) fn set_forms(&self, forms: &mut Forms) {
        forms.grippers.clone_from(&self.gripper);
        forms.rotation = self.rotations.unwrap_or_default();
        forms.keypoints = self.keypoints;
        forms.action = self.action.unwrap_or_default();
        forms.mask = self.mask.unwrap_or_default();
        forms.scale_hands = self.scale_hands;
    }

    /// Returns the first option of LeRobot that is given, such as `--task`; `None` if none is given.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--frame", self.frame.is_some()),
            ("--task", self.task.is_some()),
            ("--task-pattern", self.task_pattern.is_some()),
            ("--gripper", !self.gripper.is_empty()),
            ("--rotations", self.rotations.is_some()),
            ("--keypoints", self.keypoints.is_some()),
            ("--action", self.action.is_some()),
            ("--mask", self.mask.is_some()),
            ("--scale-hands", self.scale_hands),
            ("--success", self.success.is_some()),
            ("--validation", self.validation.is_some()),
            ("--split-pattern", self.split_pattern.is_some()),
            ("--video", self.video),
            ("--modality", self.modality),
        ];
        let mut given = given.into_iter();
        given.find_map(|(option, is_given)| is_given.then_some(option))
    }
}
