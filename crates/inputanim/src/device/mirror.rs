//! The names that devices and their parts have after a reflection.
//!
//! Method: names that contain the words `left` and `right` exchange them: `thumbstick_left/x` and `thumbstick_right/x`. Buttons that
//! one controller of a pair has, and buttons that only the other one has, are exchanged: `a` and `x`. The registries of OpenXR and
//! WebXR say which controllers have such buttons.

use super::{DeviceName, InputName, OutputName};

/// A button of the left controller, the button at its place on the right controller, and the profiles whose registry says that only
/// the left controller has the first and only the right controller has the second.
struct Pair {
    left: &'static str,
    right: &'static str,
    /// Without `/interaction_profiles/`.
    profiles: &'static [&'static [&'static str]],
}

// OpenXR: `xr.xml` of version 1.1.61 (2026-07-02). A test of the OpenXR crate compares the lists with the registry.
const WITH_SYSTEM: &[&str] = &[
    "facebook/touch_controller_pro",
    "htc/vive_cosmos_controller",
    "htc/vive_focus3_controller",
    "meta/touch_controller_plus",
    "meta/touch_controller_quest_1_rift_s",
    "meta/touch_controller_quest_2",
    "meta/touch_controller_rift_cv1",
    "meta/touch_plus_controller",
    "meta/touch_pro_controller",
    "oculus/touch_controller",
    "yvr/touch_controller_yvr",
];
const WITHOUT_SYSTEM: &[&str] = &[
    "bytedance/pico4_controller",
    "bytedance/pico_neo3_controller",
    "bytedance/pico_ultra_controller_bd",
    "hp/mixed_reality_controller",
];
const OPPO: &[&str] = &["oppo/mr_controller_oppo"];
const VARJO: &[&str] = &["varjo/xr-4_controller"];

// WebXR: `@webxr-input-profiles/registry` 1.0.5. A test of the conversion crate compares the list with its table.
const OF_WEBXR: &[&str] = &[
    "hp-mixed-reality",
    "htc-vive-cosmos",
    "htc-vive-focus-3",
    "meta-quest-touch-plus",
    "meta-quest-touch-plus-v2",
    "meta-quest-touch-pro",
    "oculus-touch",
    "oculus-touch-v2",
    "oculus-touch-v3",
    "pico-4",
    "pico-4u",
    "pico-neo2",
    "pico-neo3",
    "samsung-galaxyxr",
    "yvr-touch",
    "yvr-touch-v2",
];

const LETTERS: &[&[&str]] = &[WITH_SYSTEM, WITHOUT_SYSTEM, OPPO, OF_WEBXR];

const PAIRS: [Pair; 4] = [
    Pair {
        left: "x",
        right: "a",
        profiles: LETTERS,
    },
    Pair {
        left: "y",
        right: "b",
        profiles: LETTERS,
    },
    Pair {
        left: "menu",
        right: "system",
        profiles: &[WITH_SYSTEM, VARJO],
    },
    Pair {
        left: "menu",
        right: "home",
        profiles: &[OPPO],
    },
];

impl InputName {
    /// Returns the name that the input has after a reflection, if the controller has an interaction profile. The words `left` and
    /// `right` in the name are exchanged. Of a profile whose left controller has the buttons x and y and whose right controller
    /// has a and b, these are exchanged too; so are `menu` and `system`, or `menu` and `home`, if only the left and only the right
    /// controller has them. Other inputs keep their names.
    ///
    /// ```
    /// use inputanim::InputName;
    /// let mirrored = |input: &str, profile| -> Result<String, inputanim::InvalidName> {
    ///     Ok(input.parse::<InputName>()?.mirrored(profile).to_string())
    /// };
    /// assert_eq!(mirrored("a/click", Some("/interaction_profiles/oculus/touch_controller"))?, "x.click");
    /// assert_eq!(mirrored("a/click", Some("/interaction_profiles/valve/index_controller"))?, "a.click");
    /// assert_eq!(mirrored("trigger_left/value", None)?, "trigger_right.value");
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn mirrored(self, profile: Option<&str>) -> InputName {
        let text = self.as_str();
        let (button, rest) = text.split_once('/').unwrap_or((text, ""));
        let profile = profile.unwrap_or_default();
        let profile = profile
            .strip_prefix("/interaction_profiles/")
            .unwrap_or(profile);
        let mut pairs = PAIRS.iter();
        let pair = pairs.find(|pair| {
            let mut profiles = pair.profiles.iter().copied().flatten();
            [pair.left, pair.right].contains(&button) && profiles.any(|name| *name == profile)
        });
        let image = match pair {
            Some(pair) if button == pair.left => format!("{}/{rest}", pair.right),
            Some(pair) => format!("{}/{rest}", pair.left),
            None => exchanged(text),
        };
        image.parse().unwrap_or(self)
    }
}

impl OutputName {
    /// Returns the name with the words `left` and `right` exchanged.
    pub(super) fn mirrored(self) -> OutputName {
        exchanged(self.as_str()).parse().unwrap_or(self)
    }
}

impl DeviceName {
    /// Returns the name of the device in the opposite hand or on the opposite side: `left.controller` and `right.controller`,
    /// `tracker.left_foot` and `tracker.right_foot`. The same name for other devices.
    pub(crate) fn mirrored(self) -> DeviceName {
        exchanged(self.as_str()).parse().unwrap_or(self)
    }
}

/// Returns a name in which the words `left` and `right` are exchanged.
fn exchanged(name: &str) -> String {
    let words = name.split_inclusive(['/', '.', '_', '-']).map(|word| {
        let (word, end) = match word.strip_suffix(['/', '.', '_', '-']) {
            Some(start) => word.split_at(start.len()),
            None => (word, ""),
        };
        let image = match word {
            "left" => "right",
            "right" => "left",
            other => other,
        };
        [image, end].concat()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::Side;

    #[test]
    fn words_are_exchanged_in_all_names() {
        for (name, image) in [
            ("left", "right"),
            ("trigger_left/value", "trigger_right/value"),
            ("haptic_right_trigger", "haptic_left_trigger"),
            ("trackpad/dpad_left", "trackpad/dpad_right"),
            ("thumbstick-left/x", "thumbstick-right/x"),
            ("leftover/click", "leftover/click"),
        ] {
            assert_eq!(exchanged(name), image);
            assert_eq!(exchanged(image), name);
        }
        let foot: DeviceName = "tracker.left_foot".parse().unwrap();
        assert_eq!(foot.mirrored().as_str(), "tracker.right_foot");
        for side in Side::BOTH {
            let controller = DeviceName::controller(side);
            assert_ne!(controller.mirrored(), controller);
            assert_eq!(controller.mirrored().mirrored(), controller);
        }
    }

    #[test]
    fn buttons_are_exchanged_in_pairs() {
        for pair in &PAIRS {
            for profile in pair.profiles.iter().copied().flatten() {
                for (from, to) in [(pair.left, pair.right), (pair.right, pair.left)] {
                    let name: InputName = format!("{from}/click").parse().unwrap();
                    let image = name.mirrored(Some(profile));
                    assert_eq!(image.as_str(), format!("{to}/click"), "{profile}");
                    assert_eq!(image.mirrored(Some(profile)), name);
                }
            }
        }
    }
}
