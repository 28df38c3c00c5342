//! A report on the recorded inputs that an application got.

use inputanim::DeviceName;
use serde::{Deserialize, Serialize};

use crate::user::User;

/// The recorded inputs that an application got, and those that it did not get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InputReport {
    /// The application asked for input: it attached actions, or created a hand tracker.
    pub is_wanted: bool,
    /// The application got input: an action was active, or a hand tracker had a hand.
    pub is_active: bool,
    /// The reports on the hands, and on the other devices that are recorded or for which the application has bindings. Empty if the
    /// application has attached no actions.
    pub users: Vec<UserReport>,
}

/// The inputs of one hand or other device that an application got, and those that it did not get. Inputs have the names of a
/// recording: `trigger/value`, `grip`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UserReport {
    /// The name of the device: `right.controller` for the right hand, `tracker.waist` for a tracker.
    pub device: String,
    /// The recording has the device.
    pub is_recorded: bool,
    /// The interaction profiles of the recording, in the order of time.
    pub recorded_profiles: Vec<String>,
    /// The interaction profiles that the application got, in the order of time.
    pub profiles: Vec<String>,
    /// The interaction profiles for which the application has bindings of this device, in the order of the registry.
    pub bound_profiles: Vec<String>,
    /// The actions that have bindings of this device and were never active, with their action sets: `gameplay/grab`.
    pub inactive_actions: Vec<String>,
    /// The inputs that the application asked for and that are not recorded. Those of a hand without a recorded controller are always 0.
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
        let users = self.users.iter();
        let mut hands = users.filter(|user| user.is_hand() && user.profiles.is_empty());
        hands.find_map(|hand| Some(&**hand.bound_profiles.first()?))
    }

    /// Returns the report as lines for a person, without full stops: for each device its profile, the actions that were never active,
    /// the inputs that are missing or unused, and the haptic pulses. One line has all devices that are missing. Empty if the application has attached no actions.
    pub fn lines(&self) -> Vec<String> {
        let is_listed = |user: &&UserReport| user.is_recorded || user.is_hand();
        let (listed, missing): (Vec<_>, Vec<_>) = self.users.iter().partition(is_listed);
        let mut lines: Vec<String> = listed.into_iter().flat_map(UserReport::lines).collect();
        if !missing.is_empty() {
            let names = missing.iter().map(|user| &*user.device);
            lines.push(format!(
                "devices that the application asked for and that are not recorded: {}",
                names.collect::<Vec<_>>().join(", ")
            ));
        }
        lines
    }
}

impl UserReport {
    fn is_hand(&self) -> bool {
        let device: Option<DeviceName> = self.device.parse().ok();
        device.is_some_and(|device| device.side().is_some())
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let user = self.device.parse().map(User::Device);
        let name = user.map_or_else(|_| self.device.clone(), |user| user.to_string());
        let mut line = |text: String| lines.push(format!("{name}: {text}"));
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => {
                let short = names.iter().map(|name| short(name));
                short.collect::<Vec<_>>().join(", ")
            }
        };
        let recorded = if !self.is_recorded {
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
            let value = if self.is_recorded { "" } else { ", always 0" };
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
        let device = || "right.controller".to_owned();
        report.users = vec![UserReport {
            device: device(),
            is_recorded: true,
            recorded_profiles: names(["/interaction_profiles/valve/index_controller"]),
            bound_profiles: names(["/interaction_profiles/khr/simple_controller"]),
            inactive_actions: names(["play/grab"]),
            unused: names(["a/click", "b/click"]),
            recorded_haptics: 2,
            ..UserReport::default()
        }];
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
        report.users = vec![
            UserReport {
                device: device(),
                profiles: names(["/interaction_profiles/khr/simple_controller"]),
                missing: names(["menu/click"]),
                ..UserReport::default()
            },
            UserReport {
                device: "tracker.waist".to_owned(),
                bound_profiles: names(["/interaction_profiles/htc/vive_tracker_htcx"]),
                inactive_actions: names(["play/waist"]),
                ..UserReport::default()
            },
        ];
        report.is_active = true;
        assert!(!report.is_meaningless());
        assert_eq!(
            report.lines(),
            [
                "right hand: profile khr/simple_controller (no controller is recorded)",
                "right hand: inputs that are not recorded, always 0: menu/click",
                "devices that the application asked for and that are not recorded: tracker.waist",
            ]
        );
        // `--profile` presents another profile for hands only.
        assert_eq!(report.presentable_profile(), None);
    }
}
