//! Names of streams, joints and curves, as people write them: `head`, `left`, `left.Palm`, `right.Index*`.
//!
//! Names are `head` and `gaze`; `left` or `right` for a complete hand, `hands` for both; `left.tracked` and
//! `left.pinching` for states; `left.Palm` for one joint, `Palm` for this joint of both hands. Case, hyphens and
//! underscores do not matter; `*` and `?` are wildcards, and `{a,b}` matches a or b.
//!
//! `right.controller` is the controller of a hand, `controller` that of both; `right.controller.aim` is one of its poses, and
//! `right.controller.trigger.value` one of its inputs. `tracker.waist` is another device. `left` and `right` include the controller.

use std::collections::HashSet;
use std::fmt;

use crate::device::{COMPONENTS, Device, DeviceName};
use crate::element::Element;
use crate::headset;
use crate::joint::{Joint, Side};
use crate::layout::Layout;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording};

/// The streams and joints that names select.
///
/// ```
/// use inputanim::names::ElementChoice;
/// use inputanim::{Element, Side};
/// let choice = ElementChoice::new(["right.index*", "head"], [""; 0])?;
/// assert!(choice.keeps(Element::Head));
/// // Joints are shown only while their hand is tracked, so they need its states.
/// assert!(choice.keeps(Element::Tracked(Side::Right)));
/// assert!(!choice.contains(Element::Tracked(Side::Right)));
/// assert!(!choice.keeps(Element::Gaze));
/// # Ok::<(), inputanim::names::UnknownElement>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementChoice {
    joints: Vec<ElementName>,
    exclude: Vec<ElementName>,
}

/// A name with the elements that it selects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElementName {
    /// The name as it was written.
    pub text: String,
    /// The kind of name.
    pub kind: ElementNameKind,
    /// The elements of a file of MRTK that have the name; none if the name can only mean devices.
    pub elements: Vec<Element>,
    /// Finds the elements of devices.
    matcher: Matcher,
}

/// The kind of an [`ElementName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementNameKind {
    /// A pose or a state: `head`, `left.Palm`, `Palm` for this joint of both hands.
    Plain,
    /// Several elements of a hand: `left`, `hands`, `left.joints`.
    Group,
    /// A name with wildcards.
    Pattern,
}

/// A name or pattern that no stream, joint or device has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct UnknownElement {
    /// The name.
    pub name: String,
    /// The most similar known name, unless the name is a pattern.
    pub similar: Option<String>,
}

impl fmt::Display for UnknownElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        if Matcher::new(name).has_wildcards() {
            return write!(f, "no stream, joint or device matches \"{name}\"");
        }
        write!(f, "unknown stream, joint or device \"{name}\"")?;
        match &self.similar {
            Some(similar) => write!(f, "; did you mean \"{similar}\"?"),
            None => Ok(()),
        }
    }
}

/// A choice that removes the tracking of a hand, and keeps other data of the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot remove {side}.tracked: the other data of the {side} hand is valid only while it is on"
)]
#[non_exhaustive]
pub struct DataWithoutTracking {
    /// The side of the hand.
    pub side: Side,
}

/// A choice that removes the profile of a device, and keeps other data of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot remove {device}.profile: the other data of {device} is valid only while it is active"
)]
#[non_exhaustive]
pub struct DataWithoutProfile {
    /// The device.
    pub device: DeviceName,
}

impl ElementName {
    /// Finds the elements (poses, rays and states) with a name such as `left.Palm`, or those that match a pattern.
    ///
    /// # Errors
    /// When no stream, joint or device has the name or matches the pattern, and no device can. Which devices there are depends on the
    /// recording.
    pub fn new(text: &str) -> Result<ElementName, UnknownElement> {
        let matcher = Matcher::new(text);
        let fits = |element: &Element| names_of(*element).iter().any(|name| matcher.fits(name));
        let elements: Vec<Element> = Element::all().filter(fits).collect();
        if elements.is_empty() && !can_mean_device(&matcher) {
            return Err(unknown(text));
        }
        let kind = if matcher.has_wildcards() {
            ElementNameKind::Pattern
        // `Palm` is one pose of each hand.
        } else if elements.len() > Side::BOTH.len() || is_group_of_device(text) {
            ElementNameKind::Group
        } else {
            ElementNameKind::Plain
        };
        Ok(ElementName {
            text: text.to_owned(),
            kind,
            elements,
            matcher,
        })
    }

    /// Returns `true` if the name selects an element, also one of a device.
    pub fn selects(&self, element: Element) -> bool {
        match element.device() {
            Some(_) => names_of(element).iter().any(|name| self.matcher.fits(name)),
            None => self.elements.contains(&element),
        }
    }

    fn check(&self, recordings: &[&Recording<'_>]) -> Result<(), UnknownElement> {
        if !self.elements.is_empty() {
            return Ok(());
        }
        let mut elements = devices(recordings).flat_map(Device::elements);
        let is_recorded = elements.any(|element| self.selects(element));
        let names = || known_elements(recordings).flat_map(names_of);
        check_name(&self.text, &self.matcher, is_recorded, recordings, names)
    }

    fn all<N: AsRef<str>>(
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<ElementName>, UnknownElement> {
        let names = names.into_iter();
        names.map(|name| ElementName::new(name.as_ref())).collect()
    }
}

impl ElementChoice {
    /// Selects the streams and joints with the names and patterns in `joints`, or all of them if `joints` is empty,
    /// except those in `exclude`.
    ///
    /// # Errors
    /// When no stream, joint or device has one of the names.
    pub fn new<N: AsRef<str>, E: AsRef<str>>(
        joints: impl IntoIterator<Item = N>,
        exclude: impl IntoIterator<Item = E>,
    ) -> Result<ElementChoice, UnknownElement> {
        Ok(ElementChoice {
            joints: ElementName::all(joints)?,
            exclude: ElementName::all(exclude)?,
        })
    }

    /// Checks the names of devices with recordings, which may have other devices and inputs than those of OpenXR's registry. A name
    /// that the recordings lack is known if others probably have it: a component of OpenXR's registry, or a tracker whose name is not
    /// similar to those of the recordings.
    ///
    /// # Errors
    /// When a name of a device, or of a part of a device, is unknown.
    ///
    /// ```
    /// use inputanim::names::ElementChoice;
    /// use inputanim::{Layout, Recording};
    /// let recording = Recording::new(Layout::Mrtk1_1);
    /// let choice = ElementChoice::new(["right.controller.triger.value"], [""; 0])?;
    /// let error = choice.check(&[&recording]).unwrap_err();
    /// assert_eq!(error.similar.as_deref(), Some("right.controller.trigger.value"));
    /// # Ok::<(), inputanim::names::UnknownElement>(())
    /// ```
    pub fn check(&self, recordings: &[&Recording<'_>]) -> Result<(), UnknownElement> {
        let mut names = self.joints.iter().chain(&self.exclude);
        names.try_for_each(|name| name.check(recordings))
    }

    /// Returns the names of the selected streams and joints; empty if all are selected.
    pub fn joints(&self) -> &[ElementName] {
        &self.joints
    }

    /// Returns the names of the excluded streams and joints.
    pub fn exclude(&self) -> &[ElementName] {
        &self.exclude
    }

    /// Returns `true` if all streams and joints are selected, because there are no names.
    pub fn is_all(&self) -> bool {
        self.joints.is_empty() && self.exclude.is_empty()
    }

    /// Returns `true` if an element is selected and not excluded.
    pub fn contains(&self, element: Element) -> bool {
        let mut names = self.joints.iter();
        let is_chosen = self.joints.is_empty() || names.any(|name| name.selects(element));
        is_chosen && !self.excludes(element)
    }

    /// Returns `true` if an element stays in a recording that is reduced to this choice: if it is selected and not
    /// excluded. A state of a hand also stays, unless it is excluded, if anything of the hand is selected, because
    /// joints are shown only while their hand is tracked.
    pub fn keeps(&self, element: Element) -> bool {
        let (Element::Tracked(side) | Element::Pinching(side)) = element else {
            return self.contains(element);
        };
        let is_of_hand = |element: &Element| element.side() == Some(side);
        let mut names = self.joints.iter();
        let is_kept =
            self.joints.is_empty() || names.any(|name| name.elements.iter().any(is_of_hand));
        is_kept && !self.excludes(element)
    }

    /// Returns `true` if an element is excluded.
    pub fn excludes(&self, element: Element) -> bool {
        let mut names = self.exclude.iter();
        names.any(|name| name.selects(element))
    }

    /// Checks that no hand keeps data without its tracking state.
    ///
    /// # Errors
    /// When an excluded name selects only tracking states, such as `left.tracked`, and other elements of that hand are
    /// kept.
    pub fn check_tracking(&self) -> Result<(), DataWithoutTracking> {
        let is_tracking = |element: &Element| matches!(element, Element::Tracked(_));
        // A name that selects joints too, such as `left` or `*t*`, does not mean the state.
        let mut names = self.exclude.iter();
        let is_only_tracking = |name: &&ElementName| {
            !name.elements.is_empty() && name.elements.iter().all(is_tracking)
        };
        let Some(name) = names.find(is_only_tracking) else {
            return Ok(());
        };
        let mut sides = name.elements.iter().filter_map(|element| element.side());
        let kept = sides.find(|&side| {
            Element::all().any(|element| element.side() == Some(side) && self.keeps(element))
        });
        kept.map_or(Ok(()), |side| Err(DataWithoutTracking { side }))
    }
}

impl ElementChoice {
    /// Checks that no device of a recording keeps data without its profile, which says when it is active.
    ///
    /// # Errors
    /// When an excluded name selects only profiles, such as `right.controller.profile`, and other elements of that device are kept.
    pub fn check_profiles(&self, recording: &Recording<'_>) -> Result<(), DataWithoutProfile> {
        let is_profile = |element: &Element| matches!(element, Element::Profile(_));
        let of_devices = || recording.devices.iter().flat_map(Device::elements);
        // A name that selects inputs too, such as `controller` or `*p*`, does not mean the profile.
        let names = self.exclude.iter().filter(|name| {
            let mut selected = of_devices().filter(|element| name.selects(*element));
            name.elements.is_empty() && selected.all(|element| is_profile(&element))
        });
        let names: Vec<&ElementName> = names.collect();
        let mut lost = recording.devices.iter().filter(|device| {
            let mut elements = device.elements().filter(|element| !is_profile(element));
            elements.any(|element| self.contains(element))
        });
        let without = lost.find(|device| {
            let profile = Element::Profile(device.name);
            !device.profiles.is_empty() && names.iter().any(|name| name.selects(profile))
        });
        match without {
            Some(device) => Err(DataWithoutProfile {
                device: device.name,
            }),
            None => Ok(()),
        }
    }
}

/// The curves that names select. A name can also select a component of a pose: `left.Palm.position`, `head.rotation.w`.
#[derive(Clone, Debug, Default)]
pub struct CurveChoice {
    /// `None` for all curves.
    joints: Option<HashSet<CurvePath>>,
    exclude: HashSet<CurvePath>,
    /// The names as they were written, for the curves of devices.
    names: [Vec<(String, Matcher)>; 2],
}

impl CurveChoice {
    /// Selects the curves with the names and patterns in `joints`, or all curves if `joints` is empty, except those in
    /// `exclude`. The names are those of streams, joints and components, such as `left.Palm.position`.
    ///
    /// # Errors
    /// When no curve has one of the names.
    pub fn new<N: AsRef<str>, E: AsRef<str>>(
        joints: impl IntoIterator<Item = N>,
        exclude: impl IntoIterator<Item = E>,
    ) -> Result<CurveChoice, UnknownElement> {
        let (mut all, mut names) = (
            <[HashSet<CurvePath>; 2]>::default(),
            [Vec::new(), Vec::new()],
        );
        for name in joints {
            all[0].extend(curves(name.as_ref())?);
            names[0].push((name.as_ref().to_owned(), Matcher::new(name.as_ref())));
        }
        for name in exclude {
            all[1].extend(curves(name.as_ref())?);
            names[1].push((name.as_ref().to_owned(), Matcher::new(name.as_ref())));
        }
        let [joints, exclude] = all;
        Ok(CurveChoice {
            joints: (!names[0].is_empty()).then_some(joints),
            exclude,
            names,
        })
    }

    /// Returns `true` if a curve is selected and not excluded.
    pub fn contains(&self, path: CurvePath) -> bool {
        if Element::from(path).device().is_some() {
            let is_named =
                |names: &[(String, Matcher)]| names.iter().any(|(_, name)| is_named(name, path));
            let [joints, exclude] = &self.names;
            return (joints.is_empty() || is_named(joints)) && !is_named(exclude);
        }
        let is_chosen = |joints: &HashSet<CurvePath>| joints.contains(&path);
        self.joints.as_ref().is_none_or(is_chosen) && !self.exclude.contains(&path)
    }

    /// Checks the names of devices with recordings: see [`ElementChoice::check`].
    ///
    /// # Errors
    /// When a name of a device, or of a part of a device, is unknown.
    pub fn check(&self, recordings: &[&Recording<'_>]) -> Result<(), UnknownElement> {
        let of_files = all_curves();
        for (text, matcher) in self.names.iter().flatten() {
            if of_files.iter().any(|path| is_named(matcher, *path)) {
                continue;
            }
            let mut curves = devices(recordings).flat_map(Device::curves);
            let is_recorded = curves.any(|(path, _)| is_named(matcher, path));
            let names = || {
                known_elements(recordings).flat_map(|element| {
                    let vectors = match element {
                        Element::DevicePose(..) => &POSE_PARTS[..],
                        _ => &[""],
                    };
                    let names = names_of(element).into_iter();
                    names.flat_map(|name| vectors.iter().map(move |part| format!("{name}{part}")))
                })
            };
            check_name(text, matcher, is_recorded, recordings, names)?;
        }
        Ok(())
    }

    /// Returns the selected curves of a file of MRTK, in file order. Which curves of devices there are depends on the recording.
    pub fn paths(&self) -> impl Iterator<Item = CurvePath> {
        all_curves().into_iter().filter(|path| self.contains(*path))
    }
}

fn all_curves() -> Vec<CurvePath> {
    let all = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    all.curves().map(|(path, _)| path).collect()
}

/// Returns the curves of a file of MRTK that a name or a pattern selects, in file order. There are none if the name can only mean
/// devices.
///
/// # Errors
/// When no curve has the name or matches the pattern, and none of a device can.
pub fn curves(text: &str) -> Result<Vec<CurvePath>, UnknownElement> {
    let matcher = Matcher::new(text);
    let curves = all_curves().into_iter();
    let curves: Vec<CurvePath> = curves.filter(|path| is_named(&matcher, *path)).collect();
    if curves.is_empty() && !can_mean_device(&matcher) {
        return Err(unknown(text));
    }
    Ok(curves)
}

/// Returns the fewest names that select exactly these curves: a stream, a pose or a vector of which all curves are given has one
/// name. The names are in the order of the curves. Curves of devices have their own names.
///
/// ```
/// use inputanim::names::{curves, of_curves};
/// let lost = [curves("left.IndexTip.rotation")?, curves("right.joints")?, curves("gaze.origin.x")?].concat();
/// assert_eq!(of_curves(&lost), ["left.IndexTip.rotation", "right.joints", "gaze.origin.x"]);
/// # Ok::<(), inputanim::names::UnknownElement>(())
/// ```
pub fn of_curves(curves: &[CurvePath]) -> Vec<String> {
    let given: HashSet<CurvePath> = curves.iter().copied().collect();
    let others = all_curves()
        .into_iter()
        .filter(|path| !given.contains(path));
    let partial: HashSet<String> = others.flat_map(names_with).collect();
    let mut named = HashSet::new();
    let shortest = |path: &CurvePath| {
        let mut names = names_with(*path).into_iter();
        names.find(|name| !partial.contains(name))
    };
    curves
        .iter()
        .filter_map(shortest)
        .filter(|name| named.insert(name.clone()))
        .collect()
}

/// Returns the names of the groups of curves that a curve belongs to, and its own name: `left.joints`, `left.Palm`,
/// `left.Palm.rotation`, `left.Palm.rotation.w`. A curve of a device has only its own one.
fn names_with(path: CurvePath) -> Vec<String> {
    let (element, own) = (Element::from(path), path.to_string());
    if element.device().is_some() {
        return vec![own];
    }
    let vector = own.rsplit_once('.').map_or("", |(vector, _)| vector);
    // The curve of a state has no vector, and the name of its hand would be in its place.
    let vector = (vector.len() > element.to_string().len()).then(|| vector.to_owned());
    let groups = [path.stream().to_string(), element.to_string()];
    groups.into_iter().chain(vector).chain([own]).collect()
}

/// The ends of the names of a pose, its vectors and its components.
const POSE_PARTS: [&str; 10] = [
    "",
    ".position",
    ".rotation",
    ".position.x",
    ".position.y",
    ".position.z",
    ".rotation.x",
    ".rotation.y",
    ".rotation.z",
    ".rotation.w",
];

/// Returns the devices of recordings.
fn devices<'r, 'a>(recordings: &'r [&'r Recording<'a>]) -> impl Iterator<Item = &'r Device<'a>> {
    recordings.iter().flat_map(|recording| &recording.devices)
}

/// Returns the elements of the devices of recordings, of controllers with the components of OpenXR's registry, and of the headset.
fn known_elements(recordings: &[&Recording<'_>]) -> impl Iterator<Item = Element> {
    let recorded = devices(recordings).flat_map(Device::elements);
    recorded.chain(registered_elements())
}

/// Returns the elements of controllers with the components of OpenXR's registry, and of the headset.
fn registered_elements() -> impl Iterator<Item = Element> {
    let of_controllers = Side::BOTH.into_iter().flat_map(|side| {
        let device = DeviceName::controller(side);
        let names = COMPONENTS.iter();
        let names = names.map(move |name| format!("{device}.{}", name.replace('/', ".")));
        let elements = names.filter_map(|name| Element::of_device(&name));
        elements.chain([Element::Profile(device)])
    });
    let of_headset = headset::inputs().map(|input| Element::Input(headset::name(), input));
    of_controllers.chain(of_headset)
}

/// Checks a name that selects nothing of a file of MRTK. `names` are the names that are known.
fn check_name<N: Iterator<Item = String>>(
    text: &str,
    matcher: &Matcher,
    is_recorded: bool,
    recordings: &[&Recording<'_>],
    names: impl Fn() -> N,
) -> Result<(), UnknownElement> {
    if is_recorded || names().any(|name| matcher.fits(&name)) {
        return Ok(());
    }
    // Trackers and other devices have any names, and a tracker may have the parts of other devices.
    let mut parts = matcher.text.splitn(3, '.');
    let (kind, device) = (parts.next(), parts.next());
    if let (Some("tracker" | "device"), Some(device)) = (kind, device) {
        let device = format!("{}.{device}", kind.unwrap_or_default());
        let others = || devices(recordings).map(|device| device.name.to_string());
        let is_there = others().any(|name| normal(&name) == device);
        let has_known_part = parts.next().is_none_or(|part| {
            let part = Matcher::new(part);
            COMPONENTS
                .iter()
                .any(|name| part.fits(&name.replace('/', ".")))
        });
        let is_absent = !is_there && similar(&device, others()).is_none();
        if is_absent || is_there && has_known_part {
            return Ok(());
        }
    }
    // The name of a part of an input, such as `right.controller.trigger`, stands for the first one that begins with it.
    let beginning = format!("{}.", matcher.text);
    let continued = || names().find(|name| normal(name).starts_with(&beginning));
    // If the name begins with a known one, such as that of a device, only the rest is wrong.
    let begins = |name: &String| {
        let rest = matcher.text.strip_prefix(&normal(name));
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let known = names().filter(begins).max_by_key(String::len);
    let part = |known: String| {
        let beginning = format!("{}.", normal(&known));
        let parts = names().filter(|name| normal(name).starts_with(&beginning));
        let mut parts = parts.peekable();
        match parts.peek() {
            Some(_) => similar(text, parts),
            None => Some(known),
        }
    };
    let similar = (!matcher.has_wildcards()).then(|| {
        let found = continued().or_else(|| known.and_then(part));
        found.or_else(|| similar(text, names()))
    });
    Err(UnknownElement {
        name: text.to_owned(),
        similar: similar.flatten(),
    })
}

/// Returns `true` if a name or pattern means a curve: its element, its vector, or the curve alone.
fn is_named(matcher: &Matcher, path: CurvePath) -> bool {
    let element = Element::from(path);
    let path = path.to_string();
    // The component after the element, such as `.position.x`. A state has no component.
    let component = &path[element.to_string().len()..];
    let vector = component.rfind('.').map_or("", |end| &component[..end]);
    let names = names_of(element);
    names.iter().any(|name| {
        matcher.fits(name)
            || matcher.fits(&format!("{name}{vector}"))
            || matcher.fits(&format!("{name}{component}"))
    })
}

/// Returns `true` if a name or pattern can mean something of a device. Trackers and other devices have names of their own, and
/// controllers may have other inputs than those of OpenXR, so this compares beginnings.
fn can_mean_device(matcher: &Matcher) -> bool {
    let text = &matcher.text;
    let begins = |name: &str| {
        let rest = text.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let sides = Side::BOTH.map(|side| DeviceName::controller(side).to_string());
    if begins("controller")
        || sides.iter().any(|name| begins(name))
        || ["tracker.", "device."]
            .iter()
            .any(|kind| text.starts_with(kind))
    {
        return true;
    }
    let mut elements = registered_elements();
    matcher.has_wildcards()
        && elements.any(|element| names_of(element).iter().any(|name| matcher.fits(name)))
}

/// The name of a device that is not a controller: `/user/gamepad` in OpenXR.
const GAMEPAD: &str = "device.gamepad";

/// Returns `true` if a name means a complete device: `right.controller`, `controller`, `tracker.waist`.
fn is_group_of_device(text: &str) -> bool {
    let name = normal(text);
    name == "controller" || name.parse::<DeviceName>().is_ok()
}

fn unknown(text: &str) -> UnknownElement {
    let candidates = Element::all().flat_map(names_of);
    // `None` is not a joint of a hand.
    let candidates = candidates.filter(|name| !name.ends_with(Joint::None.name()));
    let of_devices = Side::BOTH.map(|side| DeviceName::controller(side).to_string());
    let of_devices = of_devices.into_iter();
    let of_devices = of_devices.chain(["controller", GAMEPAD, headset::NAME].map(str::to_owned));
    let candidates = candidates.chain(of_devices);
    let is_pattern = Matcher::new(text).has_wildcards();
    UnknownElement {
        name: text.to_owned(),
        similar: (!is_pattern).then(|| similar(text, candidates)).flatten(),
    }
}

/// Returns the names of an element and of the groups that it belongs to: `left.Palm`, `Palm`, `left`, `hands`,
/// `left.joints`, `joints`; `left.controller.aim`, `controller.aim`, `left.controller`, `controller`, `left`.
fn names_of(element: Element) -> Vec<String> {
    let name = element.to_string();
    if let Some(device) = element.device() {
        let mut names = vec![name.clone(), device.to_string()];
        if let Some(side) = device.side() {
            // Without its hand, a name means both hands. The controller belongs to its side, and not to the hands.
            let length = side.name().len() + 1;
            names.extend([
                name[length..].to_owned(),
                device.as_str()[length..].to_owned(),
                side.name().to_owned(),
            ]);
        }
        return names;
    }
    let Some(side) = element.side() else {
        // Accepted as input only: the name of the head in MRTK's files.
        let camera = matches!(element, Element::Head).then(|| "camera".to_owned());
        return [name].into_iter().chain(camera).collect();
    };
    // Without its hand, a name means both hands.
    let of_both = name[side.name().len() + 1..].to_owned();
    let mut names = vec![name, of_both, side.name().to_owned(), "hands".to_owned()];
    if matches!(element, Element::Joint(..)) {
        names.extend([element.stream().to_string(), "joints".to_owned()]);
    }
    names
}

/// Divides a list of names and patterns at its commas, except at commas within braces. Spaces around names and empty
/// names are dropped.
///
/// ```
/// use inputanim::names::split;
/// assert_eq!(split("head, left.{Palm,Wrist},,gaze"), ["head", "left.{Palm,Wrist}", "gaze"]);
/// ```
pub fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        // A closing brace without an opening one makes the depth negative. It must not hide the commas after it.
        letter == ',' && depth <= 0
    });
    let parts = parts.map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// A name or pattern in the form in which names are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    text: String,
    /// False if the text fits only itself.
    is_pattern: bool,
}

impl Matcher {
    /// Creates a matcher of a name, or of a pattern in which `*` and `?` are wildcards, and `{a,b}` matches a or b.
    pub fn new(text: &str) -> Matcher {
        let mut is_in_class = false;
        let text = without_differences(text, |letter| {
            is_in_class = (is_in_class || letter == '[') && letter != ']';
            // Within brackets a hyphen is a range of letters.
            is_in_class
        });
        let is_pattern = text.contains(['*', '?', '[', ']', '{', '}', '!', '\\']);
        Matcher { text, is_pattern }
    }

    /// Returns `true` if the matcher has a pattern: its text contains `*`, `?`, `[` or `{`.
    pub fn has_wildcards(&self) -> bool {
        self.text.contains(['*', '?', '[', '{'])
    }

    /// Returns `true` if a name equals the name of this matcher, or matches its pattern. Case, hyphens and underscores
    /// do not matter.
    pub fn fits(&self, name: &str) -> bool {
        if self.is_pattern {
            fast_glob::glob_match(&self.text, normal(name))
        } else {
            // Without a copy of the name, because most names differ in one of their first letters.
            normal_letters(name, |_| false).eq(self.text.chars())
        }
    }

    /// Returns `true` if this matcher fits a name or its first parts, which end at a dot: `head.speed` and `head` fit the
    /// beginning of `head.speed.max`.
    ///
    /// ```
    /// use inputanim::names::Matcher;
    /// assert!(Matcher::new("HEAD.speed").fits_beginning("head.speed.max"));
    /// assert!(Matcher::new("h*.speed").fits_beginning("head.speed.max"));
    /// assert!(!Matcher::new("head.sp").fits_beginning("head.speed.max"));
    /// ```
    pub fn fits_beginning(&self, name: &str) -> bool {
        if self.is_pattern {
            let name = normal(name);
            let ends = name.match_indices('.').map(|(dot, _)| dot);
            let mut ends = ends.chain([name.len()]);
            return ends.any(|end| fast_glob::glob_match(&self.text, &name[..end]));
        }
        let mut letters = normal_letters(name, |_| false);
        let begins = self
            .text
            .chars()
            .all(|letter| letters.next() == Some(letter));
        begins && letters.next().is_none_or(|next| next == '.')
    }
}

/// Returns a name in lower case, without hyphens and underscores: the form in which names are compared.
pub fn normal(text: &str) -> String {
    without_differences(text, |_| false)
}

fn without_differences(text: &str, keeps: impl FnMut(char) -> bool) -> String {
    normal_letters(text, keeps).collect()
}

/// Returns the letters of a name in lower case, without the hyphens and underscores for which `keeps` is false.
fn normal_letters(text: &str, mut keeps: impl FnMut(char) -> bool) -> impl Iterator<Item = char> {
    let letters = text.chars().filter(move |&letter| {
        let is_kept = keeps(letter);
        is_kept || !matches!(letter, '-' | '_')
    });
    letters.flat_map(char::to_lowercase)
}

/// Returns the candidate that is most similar to a name; `None` if no candidate is similar.
///
/// ```
/// use inputanim::names::similar;
/// let names = ["duration", "rotation"].map(str::to_owned);
/// assert_eq!(similar("Duratoin", names).as_deref(), Some("duration"));
/// ```
pub fn similar(text: &str, candidates: impl IntoIterator<Item = String>) -> Option<String> {
    // A comparison of long names takes long, and a long text is not a mistyped name.
    const MAX_BYTES: usize = 200;
    if text.len() > MAX_BYTES {
        return None;
    }
    let wanted = normal(text);
    // A caller may write only the last parts of a name.
    let similarity = |name: &String| {
        let name = normal(name);
        // Parts that are right would make the wrong part seem similar.
        let (wanted, name) = without_shared_parts(&wanted, &name);
        let ends = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        let of_ends = ends.map(|end| strsim::jaro_winkler(wanted, end) - 0.01);
        of_ends.fold(strsim::jaro_winkler(wanted, name), f64::max)
    };
    let scored = candidates.into_iter().map(|name| (similarity(&name), name));
    // Among equally similar candidates, the first one counts.
    let best = scored.reduce(|a, b| if b.0 > a.0 { b } else { a });
    best.filter(|(score, _)| *score > 0.8).map(|(_, name)| name)
}

/// Returns two names without the leading parts that they have in common. A dot ends each part, so the last part of a
/// name always stays.
fn without_shared_parts<'a>(mut one: &'a str, mut other: &'a str) -> (&'a str, &'a str) {
    while let (Some((part, one_rest)), Some((other_part, other_rest))) =
        (one.split_once('.'), other.split_once('.'))
        && part == other_part
    {
        (one, other) = (one_rest, other_rest);
    }
    (one, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Stream;

    fn name(text: &str) -> (ElementNameKind, Vec<String>) {
        let name = ElementName::new(text).unwrap();
        let elements = name.elements.iter().map(Element::to_string);
        (name.kind, elements.collect())
    }

    #[test]
    fn a_name_without_wildcards_fits_as_the_same_text_in_a_pattern() {
        let names = [
            "left.Palm",
            "LEFT.pal-m",
            "left.palms",
            "left.Palm.x",
            "-.x",
            ".x",
            "left",
            "ÄRA.x/y",
            "ära.x/y",
            "-",
            "",
        ];
        for text in names {
            let matcher = Matcher::new(text);
            assert!(!matcher.is_pattern && !matcher.has_wildcards());
            // A pattern with this text as its only choice.
            let pattern = Matcher::new(&format!("{{{text}}}"));
            for name in names {
                assert_eq!(matcher.fits(name), pattern.fits(name), "{text} {name}");
                assert_eq!(
                    matcher.fits(name),
                    normal(text) == normal(name),
                    "{text} {name}"
                );
                let begins = pattern.fits_beginning(name);
                assert_eq!(matcher.fits_beginning(name), begins, "{text} {name}");
            }
        }
        for text in [
            "left*",
            "l?ft",
            "[a-m]eft",
            "{left,head}",
            "!right",
            "l\\eft",
        ] {
            assert!(Matcher::new(text).fits("Left"), "{text}");
            assert!(!Matcher::new(text).fits("right"), "{text}");
        }
    }

    #[test]
    fn a_plain_name_selects_a_pose_or_a_state_of_one_or_both_hands() {
        let plain = |text| {
            let (kind, elements) = name(text);
            assert_eq!(kind, ElementNameKind::Plain);
            elements
        };
        assert_eq!(plain("Head"), ["head"]);
        assert_eq!(plain("CAMERA"), ["head"]);
        assert_eq!(plain("left.tracked"), ["left.tracked"]);
        assert_eq!(plain("right.palm"), ["right.Palm"]);
        assert_eq!(plain("IndexTip"), ["left.IndexTip", "right.IndexTip"]);
        for text in ["left.index-tip", "LEFT.INDEX_TIP", "left.indextip"] {
            assert_eq!(plain(text), ["left.IndexTip"]);
        }
        assert_eq!(plain("pinching"), ["left.pinching", "right.pinching"]);
    }

    #[test]
    fn a_group_selects_the_elements_of_a_hand_and_a_pattern_all_matches() {
        let (kind, elements) = name("left");
        assert_eq!(
            (kind, elements.len()),
            (ElementNameKind::Group, 2 + Joint::ALL.len())
        );
        assert_eq!(name("hands").1.len(), 2 * (2 + Joint::ALL.len()));
        assert_eq!(name("left.joints").1.len(), Joint::ALL.len());
        let (kind, elements) = name("*.p{alm,inching}");
        assert_eq!(kind, ElementNameKind::Pattern);
        let both = ["left.pinching", "left.Palm", "right.pinching", "right.Palm"];
        assert_eq!(elements, both);
        assert_eq!(name("*").1.len(), Element::all().count());
        assert_eq!(name("[k-m]eft.wri-st").1, ["left.Wrist"]);
    }

    #[test]
    fn devices_are_selected_by_their_names_and_by_patterns() {
        let right = DeviceName::controller(Side::Right);
        let trigger = Element::Input(right, "trigger/value".parse().unwrap());
        let aim = Element::DevicePose(right, "aim".parse().unwrap());
        let waist = Element::DevicePose("tracker.waist".parse().unwrap(), "grip".parse().unwrap());
        let selected = |text: &str| {
            let name = ElementName::new(text).unwrap();
            [trigger, aim, waist, Element::Profile(right)].map(|element| name.selects(element))
        };
        assert_eq!(
            selected("right.controller.trigger.value"),
            [true, false, false, false]
        );
        assert_eq!(selected("controller.aim"), [false, true, false, false]);
        for text in [
            "right.controller",
            "Right.Controller",
            "controller",
            "right",
            "*.controller.*",
        ] {
            assert_eq!(selected(text), [true, true, false, true], "{text}");
        }
        assert_eq!(selected("*.trigger.*"), [true, false, false, false]);
        assert_eq!(selected("tracker.*"), [false, false, true, false]);
        assert_eq!(selected("*"), [true; 4]);
        assert_eq!(selected("left"), [false; 4]);
        assert_eq!(selected("hands"), [false; 4]);
        assert_eq!(
            ElementName::new("right.controller").unwrap().kind,
            ElementNameKind::Group
        );
        // What a recording has is not known yet.
        assert_eq!(selected("left.controller.a_new_button.click"), [false; 4]);
        assert!(ElementName::new("right.controler").is_err());
        let curves = CurveChoice::new(["controller.aim.position", "head"], ["*.y"]).unwrap();
        let has = |text: &str| curves.contains(text.parse().unwrap());
        assert!(has("right.controller.aim.position.x") && has("head.rotation.x"));
        for text in [
            "right.controller.aim.position.y",
            "right.controller.aim.rotation.x",
            "right.controller.a.click",
        ] {
            assert!(!has(text), "{text}");
        }
    }

    #[test]
    fn names_of_devices_are_checked_with_a_recording() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let right = recording.device_mut(DeviceName::controller(Side::Right));
        let value = crate::device::InputValue::Boolean(true);
        right.push_input("vendor_dial/turn".parse().unwrap(), 0.0, value);
        let waist = recording.device_mut("tracker.waist".parse().unwrap());
        let grip = waist.pose_mut("grip".parse().unwrap());
        grip.push(0.0, &crate::frame::Pose::IDENTITY);
        let check = |text: &str| {
            let choice = ElementChoice::new([text], [""; 0]).unwrap();
            let curves = CurveChoice::new([text], [""; 0]).unwrap();
            let curves = curves
                .check(&[&recording])
                .map_err(|error| error.to_string());
            let choice = choice
                .check(&[&recording])
                .map_err(|error| error.to_string());
            assert_eq!(curves.is_ok(), choice.is_ok(), "{text}");
            choice
        };
        for known in [
            "right.controller",
            "controller.trigger.value",
            "left.controller.profile",
            "right.controller.vendor_dial.turn",
            "Right.Controller.Vendor-Dial.Turn",
            "tracker.elbow",
            "tracker.elbow.grip",
            "tracker.waist.aim",
            "tracker.*",
            "right.controller.*",
            "head",
        ] {
            assert_eq!(check(known), Ok(()), "{known}");
        }
        for (unknown, similar) in [
            (
                "right.controller.triger.value",
                "right.controller.trigger.value",
            ),
            ("right.controller.trigger", "right.controller.trigger.click"),
            (
                "right.controller.vendor_dial",
                "right.controller.vendor_dial.turn",
            ),
            ("tracker.waist.grib", "tracker.waist.grip"),
            ("tracker.wiast", "tracker.waist"),
        ] {
            let error = check(unknown).unwrap_err();
            let expected = format!("did you mean \"{similar}\"?");
            assert!(error.ends_with(&expected), "{error}");
        }
        let error = check("right.controller.*blub*").unwrap_err();
        assert_eq!(
            error,
            "no stream, joint or device matches \"right.controller.*blub*\""
        );
        let of_curves = |text: &str| {
            CurveChoice::new([text], [""; 0])
                .unwrap()
                .check(&[&recording])
        };
        assert!(of_curves("right.controller.aim.position").is_ok());
        let choice = ElementChoice::new(["right.controller.aim.position"], [""; 0]).unwrap();
        let error = choice.check(&[&recording]).unwrap_err();
        assert_eq!(error.similar.as_deref(), Some("right.controller.aim"));
    }

    #[test]
    fn an_unknown_name_is_refused_with_a_similar_one() {
        for (text, similar) in [
            ("left.Thumb", Some("left.ThumbTip")),
            ("camra", Some("camera")),
            ("Rihgt", Some("right")),
            ("left.tracke", Some("left.tracked")),
            ("right.controler", Some("right.controller")),
            ("gamepad", Some("device.gamepad")),
            ("controllers", Some("controller")),
            ("elbow", None),
            ("*.Toe", None),
        ] {
            let error = ElementName::new(text).unwrap_err().to_string();
            let expected = similar.map(|name| format!("did you mean \"{name}\"?"));
            match expected {
                Some(expected) => assert!(error.ends_with(&expected), "{error}"),
                None => assert!(!error.contains("did you mean"), "{error}"),
            }
        }
    }

    #[test]
    fn a_curve_is_selected_by_its_pose_its_vector_or_its_own_name() {
        let count = |text| curves(text).unwrap().len();
        assert_eq!(count("right.IndexTip"), 7);
        assert_eq!(count("right.index-tip.position"), 3);
        assert_eq!(count("IndexTip.rotation"), 8);
        assert_eq!(count("head.rotation.w"), 1);
        assert_eq!(count("right.IndexTip.position.?"), 3);
        assert_eq!(count("{left,right}.tracked"), 2);
        assert_eq!(count("gaze.*"), 6);
        assert!(curves("left.Palm.origin").is_err());
    }

    #[test]
    fn curves_have_the_fewest_names_that_select_exactly_them() {
        let names = [
            "head.position",
            "left.tracked",
            "left.Palm.rotation.w",
            "left.Wrist",
            "right.joints",
            "gaze",
        ];
        let selected: Vec<CurvePath> = names.iter().flat_map(|n| curves(n).unwrap()).collect();
        assert_eq!(of_curves(&selected), names);
        assert_eq!(of_curves(&all_curves()), Stream::ALL.map(Stream::name));
        assert!(of_curves(&[]).is_empty());
        // Whatever is lost, the names select this and nothing else.
        let all = all_curves();
        for (start, end) in [
            (0, 1),
            (3, 40),
            (9, 200),
            (150, 390),
            (394, 395),
            (100, 395),
        ] {
            let part = &all[start..end];
            let names = of_curves(part);
            let mut found: Vec<CurvePath> = names.iter().flat_map(|n| curves(n).unwrap()).collect();
            found.sort_by_key(|path| all.iter().position(|other| other == path));
            assert_eq!(found, part);
        }
        let device = "right.controller.aim.position.x".parse().unwrap();
        assert_eq!(of_curves(&[device]), ["right.controller.aim.position.x"]);
    }

    #[test]
    fn an_excluded_name_is_removed_from_the_selected_ones() {
        let choice = ElementChoice::new(["left", "head"], ["*Tip", "left.tracked"]).unwrap();
        let chosen = Element::all().filter(|&element| choice.contains(element));
        assert_eq!(chosen.count(), 1 + 1 + Joint::ALL.len() - 5);
        let rest = ElementChoice::new([""; 0], ["hands"]).unwrap();
        let rest: Vec<Element> = Element::all().filter(|&e| rest.contains(e)).collect();
        assert_eq!(rest, [Element::Head, Element::Gaze]);
    }

    fn kept(joints: &[&str], exclude: &[&str]) -> Vec<String> {
        let choice = ElementChoice::new(joints, exclude).unwrap();
        let elements = Element::all().filter(|&element| choice.keeps(element));
        elements.map(|element| element.to_string()).collect()
    }

    #[test]
    fn a_joint_is_kept_with_the_states_of_its_hand() {
        let palm = ["left.tracked", "left.pinching", "left.Palm"];
        assert_eq!(kept(&["left.Palm"], &[]), palm);
        let no_pinches = kept(&["left.Palm"], &["left.pinching"]);
        assert_eq!(no_pinches, ["left.tracked", "left.Palm"]);
    }

    #[test]
    fn elements_that_are_not_kept_or_are_dropped_are_removed() {
        assert_eq!(kept(&["head", "gaze"], &["gaze"]), ["head"]);
        let hands = kept(&[], &["head", "gaze"]).len();
        assert_eq!(hands, Element::all().count() - 2);
        assert_eq!(kept(&[], &["left", "right.*"]), ["head", "gaze"]);
    }

    #[test]
    fn tracking_cannot_be_dropped_without_the_joints() {
        let refusal = |joints: &[&str], exclude: &[&str]| {
            let choice = ElementChoice::new(joints, exclude).unwrap();
            choice.check_tracking().is_err()
        };
        for name in ["left.tracked", "left.tracke?", "*.tracked", "tracked"] {
            assert!(refusal(&[], &[name]), "{name}");
        }
        assert!(!refusal(&[], &["left.tracked", "left"]));
        assert!(!refusal(&["right"], &["left.tracked"]));
        assert!(!refusal(&[], &["*.t*"]));
    }
}
