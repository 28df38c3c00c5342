//! A report on the recorded inputs that an application got.

use inputanim::Side;
use serde::{Deserialize, Serialize};

/// The recorded inputs that an application got, and those that it did not get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InputReport {
    /// The application asked for input: it attached actions, or created a hand tracker.
    pub is_wanted: bool,
    /// The application got input: an action was active, or a hand tracker had a hand.
    pub is_active: bool,
    /// The reports on the left and the right hand; empty if the application has attached no actions.
    pub hands: [HandReport; 2],
}

/// The inputs of one hand that an application got, and those that it did not get. Inputs have the names of a recording:
/// `trigger/value`, `grip`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HandReport {
    /// The recording has a controller in this hand.
    pub has_controller: bool,
    /// The interaction profiles of the recording, in the order of time.
    pub recorded_profiles: Vec<String>,
    /// The interaction profiles that the application got, in the order of time.
    pub profiles: Vec<String>,
    /// The interaction profiles for which the application has bindings of this hand, in the order of the registry.
    pub bound_profiles: Vec<String>,
    /// The actions that have bindings of this hand and were never active, with their action sets: `gameplay/grab`.
    pub inactive_actions: Vec<String>,
    /// The inputs that the application asked for and that are not recorded. Without a recorded controller, they are always 0.
    pub missing: Vec<String>,
    /// The inputs that are recorded and that the application did not ask for.
    pub unused: Vec<String>,
    /// The number of haptic pulses that the application asked for.
    pub haptics: u64,
    /// The number of haptic pulses in the recording.
    pub recorded_haptics: u64,
}

impl InputReport {
    /// Returns `true` if the application asked for input and never got any. A test with such an application proves nothing.
    pub const fn is_meaningless(&self) -> bool {
        self.is_wanted && !self.is_active
    }

    /// Returns an interaction profile with which a hand that got no profile could be presented: the first one for which the
    /// application has bindings of this hand. `None` if both hands got a profile, or if the application has no bindings.
    pub fn presentable_profile(&self) -> Option<&str> {
        let hands = self.hands.iter();
        let mut hands = hands.filter(|hand| hand.profiles.is_empty());
        hands.find_map(|hand| Some(&**hand.bound_profiles.first()?))
    }

    /// Returns the report as lines for a person, without full stops: for each hand its profile, the actions that were never active,
    /// the inputs that are missing or unused, and the haptic pulses. Empty if the application has attached no actions.
    pub fn lines(&self) -> Vec<String> {
        let hands = self.hands.iter().zip(Side::BOTH);
        hands.flat_map(|(hand, side)| hand.lines(side)).collect()
    }
}

impl HandReport {
    fn lines(&self, side: Side) -> Vec<String> {
        let mut lines = Vec::new();
        if *self == HandReport::default() {
            return lines;
        }
        let mut line = |text: String| lines.push(format!("{} hand: {text}", side.name()));
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => {
                let short = names.iter().map(|name| short(name));
                short.collect::<Vec<_>>().join(", ")
            }
        };
        let recorded = if !self.has_controller {
            "no controller is recorded".to_owned()
        } else if self.recorded_profiles.is_empty() {
            "the recorded profile is not known".to_owned()
        } else if self.recorded_profiles == self.profiles {
            "as recorded".to_owned()
        } else {
            format!("recorded: {}", list(&self.recorded_profiles))
        };
        line(format!("profile {} ({recorded})", list(&self.profiles)));
        if self.profiles.is_empty() && !self.bound_profiles.is_empty() {
            line(format!(
                "the application has bindings for {}",
                list(&self.bound_profiles)
            ));
        }
        if !self.inactive_actions.is_empty() {
            line(format!(
                "actions that were never active: {}",
                self.inactive_actions.join(", ")
            ));
        }
        if !self.missing.is_empty() {
            let value = if self.has_controller {
                ""
            } else {
                ", always 0"
            };
            line(format!(
                "inputs that are not recorded{value}: {}",
                list(&self.missing)
            ));
        }
        if !self.unused.is_empty() {
            line(format!(
                "recorded inputs that the application did not ask for: {}",
                list(&self.unused)
            ));
        }
        if self.haptics > 0 || self.recorded_haptics > 0 {
            line(format!(
                "{} haptic pulses, {} recorded",
                self.haptics, self.recorded_haptics
            ));
        }
        lines
    }
}

/// Returns the name of an interaction profile without the part that all have: `valve/index_controller`. Other names stay.
pub(crate) fn short(name: &str) -> &str {
    name.strip_prefix("/interaction_profiles/").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
        names.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_report_names_what_an_application_did_not_get() {
        let mut report = InputReport {
            is_wanted: true,
            ..InputReport::default()
        };
        assert!(report.is_meaningless() && report.lines().is_empty());
        report.hands[1] = HandReport {
            has_controller: true,
            recorded_profiles: names(["/interaction_profiles/valve/index_controller"]),
            bound_profiles: names(["/interaction_profiles/khr/simple_controller"]),
            inactive_actions: names(["play/grab"]),
            unused: names(["a/click", "b/click"]),
            recorded_haptics: 2,
            ..HandReport::default()
        };
        assert_eq!(
            report.lines(),
            [
                "right hand: profile none (recorded: valve/index_controller)",
                "right hand: the application has bindings for khr/simple_controller",
                "right hand: actions that were never active: play/grab",
                "right hand: recorded inputs that the application did not ask for: a/click, b/click",
                "right hand: 0 haptic pulses, 2 recorded",
            ]
        );
        let presentable = report.presentable_profile();
        assert_eq!(
            presentable,
            Some("/interaction_profiles/khr/simple_controller")
        );
        report.hands[1] = HandReport {
            profiles: names(["/interaction_profiles/khr/simple_controller"]),
            missing: names(["menu/click"]),
            ..HandReport::default()
        };
        report.is_active = true;
        assert!(!report.is_meaningless());
        assert_eq!(
            report.lines(),
            [
                "right hand: profile khr/simple_controller (no controller is recorded)",
                "right hand: inputs that are not recorded, always 0: menu/click",
            ]
        );
    }
}
