//! The gamepads of controllers.
//!
//! Sources: WebXR Gamepads Module, section 3.3 ("xr-standard" gamepad mapping), and the registry of WebXR input profiles
//! (`@webxr-input-profiles/registry` 1.0.5), which names the buttons after the first four.

use inputanim::{Device, InputName, Side};

/// The buttons with fixed indices: OpenXR's names for WebXR's trigger, squeeze, touchpad and thumbstick.
pub(super) const STANDARD: [&str; 4] = ["trigger", "squeeze", "trackpad", "thumbstick"];

/// The inputs of the axes with fixed indices.
pub(super) const AXES: [&str; 4] = ["trackpad/x", "trackpad/y", "thumbstick/x", "thumbstick/y"];

/// The name of the mapping that fixes these indices.
pub(super) const XR_STANDARD: &str = "xr-standard";

/// The largest numbers of buttons and axes that are read.
pub(super) const MAX_BUTTONS: usize = 32;
pub(super) const MAX_AXES: usize = 16;

/// A profile of the registry whose gamepad has the mapping `xr-standard`.
struct Profile {
    id: &'static str,
    /// `true` for each of [`STANDARD`] that the gamepad has.
    standard: [bool; 4],
    /// The buttons after them, of the left and of the right hand.
    others: [&'static [&'static str]; 2],
}

const fn profile(
    id: &'static str,
    standard: [u8; 4],
    left: &'static [&'static str],
    right: &'static [&'static str],
) -> Profile {
    let [a, b, c, d] = standard;
    Profile {
        id,
        standard: [a == 1, b == 1, c == 1, d == 1],
        others: [left, right],
    }
}

const NONE: &[&str] = &[];
const XY: &[&str] = &["x", "y"];
const AB: &[&str] = &["a", "b"];
const XY_REST: &[&str] = &["x", "y", "thumbrest"];
const AB_REST: &[&str] = &["a", "b", "thumbrest"];
const XY_REST_MENU: &[&str] = &["x", "y", "thumbrest", "menu"];
const MENU: &[&str] = &["menu"];
const INK: &[&str] = &["touch-pad", "tip-force", "docked"];

/// The profiles, in the order of their names.
const PROFILES: &[Profile] = &[
    profile("generic-trigger", [1, 0, 0, 0], NONE, NONE),
    profile("generic-trigger-squeeze", [1, 1, 0, 0], NONE, NONE),
    profile(
        "generic-trigger-squeeze-thumbstick",
        [1, 1, 0, 1],
        NONE,
        NONE,
    ),
    profile("generic-trigger-squeeze-touchpad", [1, 1, 1, 0], NONE, NONE),
    profile(
        "generic-trigger-squeeze-touchpad-thumbstick",
        [1, 1, 1, 1],
        NONE,
        NONE,
    ),
    profile("generic-trigger-thumbstick", [1, 0, 0, 1], NONE, NONE),
    profile("generic-trigger-touchpad", [1, 0, 1, 0], NONE, NONE),
    profile(
        "generic-trigger-touchpad-thumbstick",
        [1, 0, 1, 1],
        NONE,
        NONE,
    ),
    profile("hp-mixed-reality", [1, 1, 0, 1], XY, AB),
    profile("htc-vive", [1, 1, 1, 0], NONE, NONE),
    profile(
        "htc-vive-cosmos",
        [1, 1, 0, 1],
        &["x", "y", "shoulder"],
        &["a", "b", "shoulder"],
    ),
    profile("htc-vive-focus", [1, 0, 1, 0], MENU, MENU),
    profile("htc-vive-focus-3", [1, 1, 0, 1], XY, AB),
    profile("htc-vive-focus-plus", [1, 1, 1, 0], NONE, NONE),
    profile("logitech-mx-ink", [1, 1, 0, 0], INK, INK),
    profile("magicleap-one", [1, 1, 1, 0], NONE, NONE),
    profile("magicleap-two", [1, 1, 1, 0], NONE, NONE),
    profile("meta-quest-touch-plus", [1, 1, 0, 1], XY_REST_MENU, AB_REST),
    profile(
        "meta-quest-touch-plus-v2",
        [1, 1, 0, 1],
        XY_REST_MENU,
        AB_REST,
    ),
    profile("meta-quest-touch-pro", [1, 1, 0, 1], XY_REST_MENU, AB_REST),
    profile("microsoft-mixed-reality", [1, 1, 1, 1], NONE, NONE),
    profile("oculus-go", [1, 0, 1, 0], NONE, NONE),
    profile("oculus-touch", [1, 1, 0, 1], XY_REST, AB_REST),
    profile("oculus-touch-v2", [1, 1, 0, 1], XY_REST, AB_REST),
    profile("oculus-touch-v3", [1, 1, 0, 1], XY_REST_MENU, AB_REST),
    profile("pico-4", [1, 1, 0, 1], XY, AB),
    profile("pico-4u", [1, 1, 0, 1], XY, AB),
    profile("pico-g2", [1, 0, 1, 0], NONE, NONE),
    profile("pico-neo2", [1, 1, 0, 1], XY, AB),
    profile("pico-neo3", [1, 1, 0, 1], XY, AB),
    profile("samsung-galaxyxr", [1, 1, 0, 1], XY_REST_MENU, AB_REST),
    profile("samsung-gearvr", [1, 0, 1, 0], MENU, MENU),
    profile("samsung-odyssey", [1, 1, 1, 1], NONE, NONE),
    profile("valve-index", [1, 1, 1, 1], &["a"], &["a"]),
    profile("yvr-touch", [1, 1, 0, 1], XY, AB),
    profile("yvr-touch-v2", [1, 1, 0, 1], XY, AB),
];

/// The profiles of OpenXR and WebXR for the same controllers.
const SAME: [(&str, &str); 13] = [
    ("/interaction_profiles/bytedance/pico4_controller", "pico-4"),
    (
        "/interaction_profiles/bytedance/pico_neo3_controller",
        "pico-neo3",
    ),
    (
        "/interaction_profiles/hp/mixed_reality_controller",
        "hp-mixed-reality",
    ),
    ("/interaction_profiles/htc/vive_controller", "htc-vive"),
    (
        "/interaction_profiles/htc/vive_cosmos_controller",
        "htc-vive-cosmos",
    ),
    (
        "/interaction_profiles/htc/vive_focus3_controller",
        "htc-vive-focus-3",
    ),
    (
        "/interaction_profiles/meta/touch_plus_controller",
        "meta-quest-touch-plus",
    ),
    (
        "/interaction_profiles/meta/touch_pro_controller",
        "meta-quest-touch-pro",
    ),
    (
        "/interaction_profiles/microsoft/motion_controller",
        "microsoft-mixed-reality",
    ),
    ("/interaction_profiles/ml/ml2_controller", "magicleap-two"),
    (
        "/interaction_profiles/oculus/touch_controller",
        "oculus-touch",
    ),
    (
        "/interaction_profiles/samsung/odyssey_controller",
        "samsung-odyssey",
    ),
    (
        "/interaction_profiles/valve/index_controller",
        "valve-index",
    ),
];

fn find(id: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.id == id)
}

/// Returns the name of each button of an input source; `None` for an index without a button. `profiles` are the profiles of the source,
/// the most specific one first, and `count` is the number of its buttons.
pub(super) fn button_names(
    profiles: &[impl AsRef<str>],
    mapping: Option<&str>,
    side: Side,
    count: usize,
) -> Vec<Option<String>> {
    let is_standard = mapping.is_none_or(|mapping| mapping == XR_STANDARD);
    let known = profiles.iter().find_map(|id| find(id.as_ref()));
    let names = (0..count.min(MAX_BUTTONS)).map(|place| {
        let name = match (is_standard, STANDARD.get(place), known) {
            (true, Some(_), Some(known)) if !known.standard[place] => return None,
            (true, Some(name), _) => name,
            (true, None, Some(known)) => {
                *known.others[side as usize].get(place - STANDARD.len())?
            }
            // The first button of any mapping is the primary one, which selects.
            (false, _, _) if place == 0 => "select",
            _ => return Some(format!("button_{place}")),
        };
        Some(name.to_owned())
    });
    // A button after those of the profile has a number.
    let names = names.enumerate().map(|(place, name)| {
        let is_after = place >= STANDARD.len() && is_standard;
        name.or_else(|| is_after.then(|| format!("button_{place}")))
    });
    names.collect()
}

/// Returns the input of each axis of an input source, as [`button_names`] does for buttons; `None` for an axis that the profile does not
/// have.
pub(super) fn axis_names(
    profiles: &[impl AsRef<str>],
    mapping: Option<&str>,
    count: usize,
) -> Vec<Option<String>> {
    let is_standard = mapping.is_none_or(|mapping| mapping == XR_STANDARD);
    let known = profiles.iter().find_map(|id| find(id.as_ref()));
    let names = (0..count.min(MAX_AXES)).map(|place| match AXES.get(place) {
        Some(name) if is_standard => {
            // Two axes belong to the touchpad, and two to the thumbstick.
            let has_button = known.is_none_or(|known| known.standard[2 + place / 2]);
            has_button.then(|| (*name).to_owned())
        }
        _ => Some(format!("axis_{place}/value")),
    });
    names.collect()
}

/// Returns `true` for an axis that points down in WebXR and up in OpenXR: in the Gamepad API, −1 is up.
pub(super) fn is_flipped(input: &str) -> bool {
    input.ends_with("/y")
}

/// The gamepad of a controller that is written.
pub(super) struct Gamepad {
    /// The buttons, each with its inputs; `None` for an index without a button.
    pub(super) buttons: Vec<Option<Button>>,
    /// The inputs of the axes; `None` for an axis that the controller does not have.
    pub(super) axes: Vec<Option<InputName>>,
}

/// The inputs of a button that is written.
pub(super) struct Button {
    pub(super) name: String,
    pub(super) click: Option<InputName>,
    pub(super) touch: Option<InputName>,
    /// The value, or the force if there is no value.
    pub(super) value: Option<InputName>,
}

impl Button {
    /// Returns the inputs of the button with a name, of those of a controller. `None` if there are none.
    fn new(name: &str, device: &Device<'_>) -> Option<Button> {
        let input = |component: &str| {
            let name: InputName = format!("{name}/{component}").parse().ok()?;
            device
                .input(name)
                .filter(|curve| !curve.curve().is_empty())
                .map(|_| name)
        };
        let button = Button {
            name: name.to_owned(),
            click: input("click"),
            touch: input("touch"),
            value: input("value").or_else(|| input("force")),
        };
        let is_button = button.click.or(button.touch).or(button.value).is_some();
        is_button.then_some(button)
    }

    pub(super) fn inputs(&self) -> impl Iterator<Item = InputName> {
        [self.click, self.touch, self.value].into_iter().flatten()
    }
}

impl Gamepad {
    /// Returns the gamepad of a controller with a profile.
    pub(super) fn of(device: &Device<'_>, profile: Option<&str>) -> Gamepad {
        let side = device.name.side().unwrap_or(Side::Right);
        let button = |name: &str| Button::new(name, device);
        let [trigger, ..] = STANDARD;
        // The primary button is that of selections.
        let primary = button(trigger).or_else(|| button("select"));
        let mut buttons = vec![primary];
        buttons.extend(STANDARD[1..].iter().map(|name| button(name)));
        let known = profile.and_then(id).and_then(find);
        let others = known.map_or(NONE, |known| known.others[side as usize]);
        buttons.extend(others.iter().map(|name| button(name)));
        for (name, _) in &device.inputs {
            let (name, _) = name.as_str().split_once('/').unwrap_or_default();
            let mut written = buttons.iter().flatten();
            if !written.any(|button| button.name == name) && buttons.len() < MAX_BUTTONS {
                buttons.extend(button(name).map(Some));
            }
        }
        let axis = |name: &&str| {
            let name: InputName = name.parse().ok()?;
            device
                .input(name)
                .filter(|curve| !curve.curve().is_empty())
                .map(|_| name)
        };
        let mut gamepad = Gamepad {
            buttons,
            axes: AXES.iter().map(axis).collect(),
        };
        let used = |places: usize, is_used: &dyn Fn(usize) -> bool| {
            (0..places)
                .rev()
                .find(|&place| is_used(place))
                .map_or(0, |last| last + 1)
        };
        let count = used(gamepad.buttons.len(), &|place| {
            gamepad.buttons[place].is_some()
        });
        gamepad.buttons.truncate(count);
        // Axes are pairs.
        let count = used(AXES.len(), &|place| gamepad.axes[place].is_some());
        gamepad.axes.truncate(count.next_multiple_of(2));
        gamepad
    }

    /// Returns the inputs that are written.
    pub(super) fn inputs(&self) -> impl Iterator<Item = InputName> {
        let buttons = self.buttons.iter().flatten().flat_map(Button::inputs);
        buttons.chain(self.axes.iter().flatten().copied())
    }

    /// Returns the profiles of WebXR for a controller with this gamepad, the most specific one first.
    pub(super) fn profiles(&self, profile: Option<&str>) -> Vec<String> {
        let has = |place: usize| self.buttons.get(place).is_some_and(Option::is_some);
        let mut generic = "generic-trigger".to_owned();
        for (place, name) in [(1, "-squeeze"), (2, "-touchpad"), (3, "-thumbstick")] {
            if has(place) {
                generic.push_str(name);
            }
        }
        let own = profile.and_then(id).map(str::to_owned);
        own.into_iter()
            .filter(|own| *own != generic)
            .chain([generic.clone()])
            .collect()
    }
}

/// Returns the identifier of WebXR for a profile of OpenXR or WebXR; `None` if there is none.
fn id(profile: &str) -> Option<&str> {
    let is_id = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !profile.is_empty() && profile.bytes().all(is_id) {
        return Some(profile);
    }
    let same = SAME.iter().find(|(openxr, _)| *openxr == profile);
    same.map(|(_, webxr)| *webxr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reflection_gives_buttons_the_names_of_the_other_hand() {
        for profile in PROFILES {
            let [left, right] = profile.others;
            for (button, other) in left.iter().zip(right) {
                for (button, other) in [(button, other), (other, button)] {
                    let name =
                        |button: &str| format!("{button}/click").parse::<InputName>().unwrap();
                    let image = name(button).mirrored(Some(profile.id));
                    assert_eq!(image, name(other), "{} {button}", profile.id);
                }
            }
        }
    }

    #[test]
    fn buttons_have_the_names_of_their_profile() {
        let names = |profiles: &[&str], mapping, side, count| {
            let names = button_names(profiles, mapping, side, count);
            let names: Vec<_> = names.into_iter().map(Option::unwrap_or_default).collect();
            names.join(" ")
        };
        let touch = ["unknown", "meta-quest-touch-plus", "generic-trigger"];
        let xr = Some(XR_STANDARD);
        assert_eq!(
            names(&touch, xr, Side::Left, 8),
            "trigger squeeze  thumbstick x y thumbrest menu"
        );
        assert_eq!(
            names(&touch, xr, Side::Right, 8),
            "trigger squeeze  thumbstick a b thumbrest button_7"
        );
        assert_eq!(
            names(&["new"], None, Side::Left, 5),
            "trigger squeeze trackpad thumbstick button_4"
        );
        assert_eq!(
            names(&["generic-button"], Some(""), Side::Left, 2),
            "select button_1"
        );
        assert_eq!(
            names(&["new"], xr, Side::Left, 1000).split(' ').count(),
            MAX_BUTTONS
        );
        let axes = axis_names(&touch, xr, 4);
        assert_eq!(
            axes.iter().map(Option::is_some).collect::<Vec<_>>(),
            [false, false, true, true]
        );
        let mut ids = PROFILES.iter().map(|profile| profile.id);
        assert!(
            ids.clone().is_sorted()
                && SAME
                    .iter()
                    .all(|(_, webxr)| ids.clone().any(|id| id == *webxr))
        );
        assert!(ids.all(|id| id.parse::<InputName>().is_err()));
    }
}
