//! Parameters of the analysis by their names: `gaze.idt.dispersion=1.5`.

use std::path::PathBuf;

use inputanim::Limits;
use inputanim_analysis::{AnalysisParameters, ChannelParameters, NamedParameters, ParameterError};

use super::targets;
use crate::arguments::values::rate;
use crate::messages::outcome::Refusal;

/// The options of `stats`, `events` and `plot` that set the parameters of an analysis.
#[derive(Debug, clap::Args)]
pub(crate) struct AnalysisArgs {
    /// Samples per second at which recordings are analysed
    #[arg(long, value_name = "HZ", default_value_t = ChannelParameters::default().rate, value_parser = rate, allow_negative_numbers = true)]
    rate: f64,
    /// Read targets from this table (.csv) or list (.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Set a parameter of the analysis, such as idt.dispersion=1.5. May be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    parameter: Vec<String>,
}

impl AnalysisArgs {
    /// Returns the parameters of the analysis that the options set. Fails if a parameter is invalid, or the targets
    /// cannot be read.
    pub(crate) fn parameters(&self, limits: &Limits) -> anyhow::Result<AnalysisParameters> {
        let mut parameters = parameters(&self.parameter)?;
        parameters.channels.rate = self.rate;
        if let Some(path) = &self.targets {
            parameters.targets = targets::read(path, limits)?;
        }
        if *limits == Limits::NONE {
            parameters.max_samples = u64::MAX;
        }
        Ok(parameters)
    }
}

/// The syntax of --parameter, for the help of verbs that have it.
pub(crate) const PARAMETERS: &str = "\
--parameter takes the parameters of docs/analysis.md, such as movements.start_speed, gaze.idt.dispersion or \
joints=Palm,IndexTip. The last parts of a name are enough if they are unique: idt.dispersion, window. Case, \
hyphens and underscores do not matter.";

const HINT: &str = "docs/analysis.md lists the parameters with their defaults and units";

/// Parameters that have an option of their own, with this option.
const OTHER_OPTIONS: [(&str, &str); 3] = [
    ("channels.rate", "--rate"),
    ("groups", "--measures"),
    ("targets", "--targets"),
];

/// Returns the default parameters with changes such as `idt.dispersion=1.5`. Fails if a name is unknown or a value is
/// invalid.
fn parameters(settings: &[String]) -> anyhow::Result<AnalysisParameters> {
    let mut parameters = NamedParameters::default();
    for setting in settings {
        let Some((name, text)) = setting.split_once('=') else {
            let message = format!("expected NAME=VALUE after --parameter, found \"{setting}\"");
            return Err(Refusal::usage(message, HINT));
        };
        let found = parameters.find(name.trim()).map_err(refusal)?;
        if let Some((name, option)) = OTHER_OPTIONS.iter().find(|(other, _)| *other == found) {
            let message = format!("--parameter does not change {name}");
            return Err(Refusal::usage(message, format!("use {option}")));
        }
        parameters.set_text(name, text).map_err(refusal)?;
    }
    parameters.parameters().map_err(refusal)
}

fn refusal(error: ParameterError) -> anyhow::Error {
    let hint = match error {
        ParameterError::Ambiguous { .. } => "use the complete name",
        ParameterError::UnknownChoice { .. } => "docs/format.md, section 4.3, lists the joints",
        _ => HINT,
    };
    Refusal::usage(error.to_string(), hint)
}

#[cfg(test)]
mod tests {
    use inputanim::Joint;

    use super::*;

    fn set(setting: &str) -> anyhow::Result<AnalysisParameters> {
        parameters(&[setting.to_owned()])
    }

    #[test]
    fn a_parameter_is_set_by_its_name_or_a_unique_end() {
        assert_eq!(
            set("gaze.idt.dispersion=1.5").unwrap().gaze.idt.dispersion,
            1.5
        );
        assert_eq!(
            set("IDT.Dispersion = 1.5").unwrap().gaze.idt.dispersion,
            1.5
        );
        assert_eq!(set("start-speed=0.2").unwrap().movements.start_speed, 0.2);
        assert_eq!(set("window=0.25").unwrap().channels.window, 0.25);
        let joints = set("joints=wrist,index_tip").unwrap().joints;
        assert_eq!(joints, [Joint::Wrist, Joint::IndexTip]);
        let joint = set("movement_joint=Wrist").unwrap().movement_joint;
        assert_eq!(joint, Joint::Wrist);
    }

    #[test]
    fn a_wrong_setting_is_refused() {
        for (setting, expected) in [
            (
                "dispersion",
                "expected NAME=VALUE after --parameter, found \"dispersion\"",
            ),
            (
                "dispersoin=1",
                "unknown parameter \"dispersoin\"; did you mean \"gaze.idt.dispersion\"?",
            ),
            (
                "min_duration=1",
                "ambiguous parameter \"min_duration\": it is the end of movements.min_duration and of pinches.min_duration",
            ),
            ("rate=90", "--parameter does not change channels.rate"),
            (
                "window=11",
                "channels.window: expected a number of seconds above 0 and at most 2, found \"11\"",
            ),
            (
                "order=12",
                "channels.order: expected a whole number from 3 to 8, found \"12\"",
            ),
            (
                "close=-1",
                "pinches.close: expected a number of at least 0, found \"-1\"",
            ),
            (
                "close=nan",
                "pinches.close: expected a number of at least 0, found \"nan\"",
            ),
            (
                "joints=Plam",
                "unknown joint \"Plam\"; did you mean \"Palm\"?",
            ),
        ] {
            assert_eq!(set(setting).unwrap_err().to_string(), expected);
        }
    }
}
