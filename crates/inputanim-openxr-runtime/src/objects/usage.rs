//! The inputs of a user that an application got, for the report.

use std::collections::BTreeSet;

use inputanim::DeviceName;
use inputanim_openxr::{HandInput, PlayedDevice, User, UserReport};

use super::actions::Attached;
use super::profiles::Input;

impl Attached {
    /// Returns the report on the user with a device, without its haptic pulses. `recorded` is the recorded device. `squeezes` is
    /// `true` if a pinch of a hand without a controller also squeezes.
    pub(crate) fn report(
        &self,
        device: DeviceName,
        recorded: Option<&PlayedDevice>,
        squeezes: bool,
    ) -> UserReport {
        let user = User::Device(device);
        let bound = self.profiles.get(&user).map_or(&[][..], Vec::as_slice);
        let profile = |index: usize| bound.get(index).map(|one| one.profile.name.clone());
        let of_user = || self.bindings.iter().filter(|binding| binding.user == user);
        let of_application = of_user().filter(|binding| binding.is_of_application());
        let with_bindings: BTreeSet<usize> =
            of_application.map(|binding| binding.profile).collect();
        let presented = self
            .presented
            .iter()
            .filter(|(other, index)| *other == user && with_bindings.contains(index));
        let bindings = || of_user().filter(|binding| binding.is_input());
        let active: BTreeSet<u64> = bindings()
            .filter(|binding| binding.was_active)
            .map(|binding| binding.action)
            .collect();
        let inactive = bindings().filter(|binding| !active.contains(&binding.action));
        let inactive: BTreeSet<&str> = inactive.map(|binding| &*binding.name).collect();
        let (mut missing, mut used) = (BTreeSet::new(), BTreeSet::new());
        for binding in bindings().filter(|binding| binding.was_asked) {
            let is_recorded = match recorded {
                Some(recorded) => {
                    let profile = bound.get(binding.profile).map(|one| &*one.profile.name);
                    let mut profiles = recorded.profiles.iter();
                    let is_own = profiles.any(|one| Some(&**one) == profile);
                    let sources = binding.source.inputs(is_own);
                    used.extend(sources.iter().flatten().map(|name| name.as_str()));
                    match binding.input {
                        Input::Number(_) => sources[0].is_some(),
                        Input::Vector(_) => sources.iter().all(Option::is_some),
                        Input::Pose(name) => {
                            used.insert(name);
                            recorded.poses.iter().any(|pose| pose.as_str() == name)
                        }
                        Input::Haptic(_) => true,
                    }
                }
                None => match binding.input {
                    Input::Number(name) => HandInput::of(name, squeezes) != HandInput::Zero,
                    Input::Vector(_) => false,
                    Input::Pose(_) | Input::Haptic(_) => true,
                },
            };
            if !is_recorded {
                missing.insert(binding.input.name());
            }
        }
        let inputs = recorded.map_or(&[][..], |one| &one.inputs);
        let poses = recorded.map_or(&[][..], |one| &one.poses);
        let inputs = inputs.iter().map(|name| name.as_str());
        let all = inputs.chain(poses.iter().map(|name| name.as_str()));
        let unused = all.filter(|name| !used.contains(name));
        let mut report = UserReport::default();
        report.device = device.to_string();
        report.is_recorded = recorded.is_some();
        report.recorded_profiles = recorded.map_or_else(Vec::new, |one| {
            one.profiles
                .iter()
                .map(|name| (**name).to_owned())
                .collect()
        });
        report.profiles = presented.filter_map(|(_, index)| profile(*index)).collect();
        report.bound_profiles = with_bindings
            .iter()
            .filter_map(|index| profile(*index))
            .collect();
        report.inactive_actions = inactive.into_iter().map(str::to_owned).collect();
        report.missing = missing.into_iter().map(str::to_owned).collect();
        report.unused = unused.map(str::to_owned).collect();
        report.recorded_haptics = recorded.map_or(0, |one| one.haptics as u64);
        report
    }
}
