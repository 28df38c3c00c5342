//! The options of a dataset of LeRobot.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim_convert::lerobot::ReferenceFrame;
use inputanim_convert::tables::PathPattern;

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
}

fn frames() -> impl TypedValueParser<Value = ReferenceFrame> {
    PossibleValuesParser::new(ReferenceFrame::ALL.iter().map(|frame| frame.name()))
        .try_map(|name| name.parse::<ReferenceFrame>())
}

impl LeRobotArgs {
    /// Returns the first option of LeRobot that is given, such as `--task`; `None` if none is given.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--frame", self.frame.is_some()),
            ("--task", self.task.is_some()),
            ("--task-pattern", self.task_pattern.is_some()),
        ];
        let mut given = given.into_iter();
        given.find_map(|(option, is_given)| is_given.then_some(option))
    }
}
