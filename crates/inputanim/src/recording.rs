//! The content of a file.
//!
//! This model stores what a file contains without normalising, sorting or validating it, so that
//! writing gives the same bytes again.
//!
//! Specification: docs/format.md, sections 1.3, 2.3 and 3.1.

use crate::about::About;
use crate::curve::{BooleanCurve, Curve, CurveMut, KeyKind};
use crate::device::{Device, DeviceName, Haptic, InvalidDeviceEvents, ProfileChange};
use crate::element::Element;
use crate::joint::{Joint, Joints, Side};
use crate::known::Known;
use crate::layout::Layout;
use crate::marker::Marker;
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::pose::{PoseCurves, RayCurves};
use crate::time_range::TimeRange;

/// The joints of one hand over time (docs/format.md, section 2.3).
pub type HandJointCurves<'a> = Joints<PoseCurves<'a>>;

/// One hand over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandCurves<'a> {
    /// On while the device tracks the hand.
    pub tracked: BooleanCurve<'a>,
    /// On while thumb and index finger touch.
    pub pinching: BooleanCurve<'a>,
    /// Poses of the 27 joints; a joint that was not recorded has curves without keys.
    // Boxed, because moving a recording would otherwise copy the 189 curves of each hand.
    pub joints: Box<HandJointCurves<'a>>,
}

impl<'a> HandCurves<'a> {
    /// Returns the curves of a hand without keys. `kind` is the form of the float keys: full (with tangents) or simple.
    pub fn empty(kind: KeyKind) -> HandCurves<'a> {
        HandCurves {
            tracked: BooleanCurve::default(),
            pinching: BooleanCurve::default(),
            joints: Box::new(match kind {
                KeyKind::Full => Joints::new([const { PoseCurves::empty(KeyKind::Full) }; 27]),
                KeyKind::Simple => Joints::new([const { PoseCurves::empty(KeyKind::Simple) }; 27]),
            }),
        }
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> HandCurves<'static> {
        HandCurves {
            tracked: self.tracked.into_owned(),
            pinching: self.pinching.into_owned(),
            joints: Box::new(self.joints.map(PoseCurves::into_owned)),
        }
    }
}

/// Both hands over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hands<'a> {
    /// The left hand.
    pub left: HandCurves<'a>,
    /// The right hand.
    pub right: HandCurves<'a>,
}

impl<'a> Hands<'a> {
    /// Returns the curves of both hands without keys. `kind` is the form of the float keys: full (with tangents) or
    /// simple.
    pub fn empty(kind: KeyKind) -> Hands<'a> {
        Hands {
            left: HandCurves::empty(kind),
            right: HandCurves::empty(kind),
        }
    }

    /// Returns the curves of the left or the right hand.
    pub fn hand(&self, side: Side) -> &HandCurves<'a> {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns the curves of the left or the right hand, mutable.
    pub fn hand_mut(&mut self, side: Side) -> &mut HandCurves<'a> {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    /// Returns every curve with its name, in file order.
    pub fn curves(&self) -> impl Iterator<Item = (CurvePath, Curve<'_, 'a>)> {
        let (left, right) = (&self.left, &self.right);
        let booleans = [
            (CurvePath::Tracked(Side::Left), &left.tracked),
            (CurvePath::Tracked(Side::Right), &right.tracked),
            (CurvePath::Pinching(Side::Left), &left.pinching),
            (CurvePath::Pinching(Side::Right), &right.pinching),
        ];
        let joints = [(Side::Left, &left.joints), (Side::Right, &right.joints)];
        let poses = joints.into_iter().flat_map(|(side, joints)| {
            joints.iter().flat_map(move |(joint, pose)| {
                pose.iter().map(move |(channel, curve)| {
                    (CurvePath::Joint(side, joint, channel), Curve::Float(curve))
                })
            })
        });
        booleans
            .into_iter()
            .map(|(path, curve)| (path, Curve::Boolean(curve)))
            .chain(poses)
    }

    /// Returns every curve, mutable, with its name, in file order.
    pub fn curves_mut(&mut self) -> impl Iterator<Item = (CurvePath, CurveMut<'_, 'a>)> {
        let mut curves = Vec::new();
        self.add_curves_mut(&mut curves);
        curves.into_iter()
    }

    fn add_curves_mut<'r>(&'r mut self, to: &mut Vec<(CurvePath, CurveMut<'r, 'a>)>) {
        let (left, right) = (&mut self.left, &mut self.right);
        let booleans = [
            (CurvePath::Tracked(Side::Left), &mut left.tracked),
            (CurvePath::Tracked(Side::Right), &mut right.tracked),
            (CurvePath::Pinching(Side::Left), &mut left.pinching),
            (CurvePath::Pinching(Side::Right), &mut right.pinching),
        ];
        to.extend(booleans.map(|(path, curve)| (path, CurveMut::Boolean(curve))));
        for (side, joints) in [
            (Side::Left, &mut left.joints),
            (Side::Right, &mut right.joints),
        ] {
            for (joint, pose) in joints.iter_mut() {
                for (channel, curve) in pose.iter_mut() {
                    let path = CurvePath::Joint(side, joint, channel);
                    to.push((path, CurveMut::Float(curve)));
                }
            }
        }
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> Hands<'static> {
        Hands {
            left: self.left.into_owned(),
            right: self.right.into_owned(),
        }
    }
}

/// The streams of a file (docs/format.md, section 1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct Flags {
    /// `true` if the file has the head pose.
    pub head: bool,
    /// `true` if the file has both hands.
    pub hand: bool,
    /// `true` if the file has the gaze ray.
    pub gaze: bool,
}

impl Flags {
    /// Every stream.
    pub const ALL: Flags = Flags {
        head: true,
        hand: true,
        gaze: true,
    };
    /// No stream.
    pub const NONE: Flags = Flags {
        head: false,
        hand: false,
        gaze: false,
    };
}

/// A recording of XR input: the content of one file.
///
/// A recording borrows its keys from the bytes that it was [parsed](Recording::parse) from;
/// [`into_owned`](Recording::into_owned) copies them.
///
/// ```
/// use inputanim::{Joint, Layout, Pose, Recording};
///
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
/// let left = &mut recording.hands_mut().left;
/// left.tracked.push(0.0, true);
/// left.joints[Joint::Palm].push(0.0, &Pose::at([-0.2, 1.3, 0.4]));
///
/// let bytes = recording.to_bytes()?;
/// assert_eq!(Recording::parse(&bytes)?, recording);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording<'a> {
    /// Layout of the file that the recording comes from or is meant for.
    pub layout: Layout,
    /// Pose of the head.
    pub head: Option<PoseCurves<'a>>,
    /// Both hands.
    pub hands: Option<Hands<'a>>,
    /// Gaze of the eyes.
    pub gaze: Option<RayCurves<'a>>,
    /// Named instants in file order.
    pub markers: Vec<Marker<'a>>,
    /// The controllers in the hands, trackers and other devices, in the order of their names. Files of MRTK cannot hold them.
    pub devices: Vec<Device<'a>>,
    /// The times at which values are unknown.
    pub known: Known,
    /// Texts about the recording: program, device, task and others.
    pub about: About,
    /// Flag bytes of the file. Any byte but 0 means on, and writing must give the same byte again.
    pub(crate) flag_bytes: [u8; 3],
}

impl<'a> Recording<'a> {
    /// Returns a recording without streams or markers, for `layout`.
    pub fn new(layout: Layout) -> Recording<'a> {
        Recording {
            layout,
            head: None,
            hands: None,
            gaze: None,
            markers: Vec::new(),
            devices: Vec::new(),
            known: Known::default(),
            about: About::default(),
            flag_bytes: [0; 3],
        }
    }

    /// Returns a recording with the given streams. Their curves have no keys.
    pub fn with_streams(layout: Layout, flags: Flags) -> Recording<'a> {
        let kind = layout.key_kind();
        Recording {
            head: flags.head.then(|| PoseCurves::empty(kind)),
            hands: flags.hand.then(|| Hands::empty(kind)),
            gaze: flags.gaze.then(|| RayCurves::empty(kind)),
            ..Recording::new(layout)
        }
    }

    /// Returns the streams that the recording has, even if they have no keys.
    pub fn flags(&self) -> Flags {
        Flags {
            head: self.head.is_some(),
            hand: self.hands.is_some(),
            gaze: self.gaze.is_some(),
        }
    }

    /// Returns the flag bytes of a file of version 1.1, in the order head, hand, gaze: 0 for an
    /// absent stream, else 1 or the non-zero byte of the file.
    pub fn flag_bytes(&self) -> [u8; 3] {
        let flags = self.flags();
        let present = [flags.head, flags.hand, flags.gaze];
        std::array::from_fn(|index| match (present[index], self.flag_bytes[index]) {
            (false, _) => 0,
            (true, 0) => 1,
            (true, kept) => kept,
        })
    }

    /// Stores the flag bytes (head, hand, gaze) of a file for byte-exact writing, unless they are 0 or 1. This does not
    /// add or remove streams.
    pub fn keep_flag_bytes(&mut self, bytes: [u8; 3]) {
        // `flag_bytes` returns 0 and 1 anyway; dropping them lets equality be derived.
        self.flag_bytes = bytes.map(|byte| if byte > 1 { byte } else { 0 });
    }

    /// Returns the curves of the head; adds the stream, without keys, if it is absent.
    pub fn head_mut(&mut self) -> &mut PoseCurves<'a> {
        let kind = self.layout.key_kind();
        self.head.get_or_insert_with(|| PoseCurves::empty(kind))
    }

    /// Returns the curves of both hands; adds the streams, without keys, if they are absent.
    pub fn hands_mut(&mut self) -> &mut Hands<'a> {
        let kind = self.layout.key_kind();
        self.hands.get_or_insert_with(|| Hands::empty(kind))
    }

    /// Returns the curves of the gaze; adds the stream, without keys, if it is absent.
    pub fn gaze_mut(&mut self) -> &mut RayCurves<'a> {
        let kind = self.layout.key_kind();
        self.gaze.get_or_insert_with(|| RayCurves::empty(kind))
    }

    /// Returns the device with a name; `None` if the recording does not have it.
    pub fn device(&self, name: DeviceName) -> Option<&Device<'a>> {
        let place = self
            .devices
            .binary_search_by_key(&name, |device| device.name);
        place.ok().map(|place| &self.devices[place])
    }

    /// Returns the device with a name, mutable; adds it if the recording does not have it.
    pub fn device_mut(&mut self, name: DeviceName) -> &mut Device<'a> {
        let place = self
            .devices
            .binary_search_by_key(&name, |device| device.name);
        let place = place.unwrap_or_else(|place| {
            self.devices.insert(place, Device::new(name));
            place
        });
        &mut self.devices[place]
    }

    /// Sets the changes of the profile and the haptic pulses of a device, in the order of their times; adds the device if the
    /// recording does not have it. A change to inactive has no profile afterwards.
    ///
    /// # Errors
    /// When a number is not finite, or a haptic pulse is [not valid](Haptic::check). The recording then stays as it is.
    ///
    /// ```
    /// use inputanim::{DeviceName, Layout, ProfileChange, Recording, Side};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// let right = DeviceName::controller(Side::Right);
    /// let change = ProfileChange { time: f32::NAN, active: false, profile: None };
    /// assert!(recording.set_device_events(right, vec![change], vec![]).is_err());
    /// assert!(recording.devices.is_empty());
    /// ```
    pub fn set_device_events(
        &mut self,
        name: DeviceName,
        profiles: Vec<ProfileChange>,
        haptics: Vec<Haptic>,
    ) -> Result<(), InvalidDeviceEvents> {
        let mut events = Device::new(name);
        events.set_events(profiles, haptics)?;
        let device = self.device_mut(name);
        (device.profiles, device.haptics) = (events.profiles, events.haptics);
        Ok(())
    }

    /// Returns every curve with its name: those of a file of MRTK in file order, then those of the devices.
    ///
    /// ```
    /// # use inputanim::{Flags, Layout, Recording};
    /// let recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    /// assert_eq!(recording.curves().count(), 395);
    /// ```
    pub fn curves(&self) -> impl Iterator<Item = (CurvePath, Curve<'_, 'a>)> {
        Curves {
            recording: self,
            index: 0,
            device: 0,
        }
    }

    /// Returns every curve of a file of MRTK with its name, in file order: all but those of [devices](Recording::devices).
    pub fn file_curves(&self) -> impl Iterator<Item = (CurvePath, Curve<'_, 'a>)> {
        let curves = self.curves();
        curves.take_while(|(path, _)| Element::from(*path).device().is_none())
    }

    /// Returns every curve, mutable, with its name, in the order of [`curves`](Self::curves).
    pub fn curves_mut(&mut self) -> impl Iterator<Item = (CurvePath, CurveMut<'_, 'a>)> {
        let mut curves = file_curves_mut(&mut self.head, &mut self.hands, &mut self.gaze);
        for device in &mut self.devices {
            device.add_curves_mut(&mut curves);
        }
        curves.into_iter()
    }

    /// Returns every curve of a file of MRTK, mutable, with its name, in file order: all but those of devices.
    pub(crate) fn file_curves_mut(
        &mut self,
    ) -> impl Iterator<Item = (CurvePath, CurveMut<'_, 'a>)> {
        file_curves_mut(&mut self.head, &mut self.hands, &mut self.gaze).into_iter()
    }

    /// Returns `true` if a hand is recorded without its pinches: their curve has no key, although another one of the hand has.
    /// It is unknown then whether the fingers touch. MRTK always writes a key.
    pub fn lacks_pinches(&self, side: Side) -> bool {
        self.hands.as_ref().is_some_and(|hands| {
            let hand = hands.hand(side);
            let has_joints = hand.joints.iter().any(|(_, pose)| !pose.is_empty());
            hand.pinching.keys.is_empty() && (has_joints || !hand.tracked.keys.is_empty())
        })
    }

    /// Returns the curve with a name; `None` if the recording does not have its stream.
    ///
    /// ```
    /// # use inputanim::{Flags, Layout, Recording};
    /// let recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    /// assert!(recording.curve("left.IndexTip.rotation.w".parse()?).is_some());
    /// # Ok::<(), inputanim::UnknownCurve>(())
    /// ```
    pub fn curve(&self, path: CurvePath) -> Option<Curve<'_, 'a>> {
        let hands = self.hands.as_ref();
        Some(match path {
            CurvePath::Head(channel) => Curve::Float(&self.head.as_ref()?[channel]),
            CurvePath::Gaze(channel) => Curve::Float(&self.gaze.as_ref()?[channel]),
            CurvePath::Tracked(side) => Curve::Boolean(&hands?.hand(side).tracked),
            CurvePath::Pinching(side) => Curve::Boolean(&hands?.hand(side).pinching),
            CurvePath::Joint(side, joint, channel) => {
                Curve::Float(&hands?.hand(side).joints[joint][channel])
            }
            CurvePath::DevicePose(device, pose, channel) => {
                Curve::Float(&self.device(device)?.pose(pose)?[channel])
            }
            CurvePath::Input(device, input) => self.device(device)?.input(input)?.curve(),
        })
    }

    /// Returns the curve with a name, mutable; `None` if the recording does not have its stream.
    ///
    /// ```
    /// use inputanim::{CurveMut, Flags, Layout, Recording};
    /// let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    /// let path = "right.pinching".parse()?;
    /// let Some(CurveMut::Boolean(pinching)) = recording.curve_mut(path) else {
    ///     panic!("the recording has hands");
    /// };
    /// pinching.push(1.5, true);
    /// assert_eq!(recording.hands.unwrap().right.pinching.keys.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn curve_mut(&mut self, path: CurvePath) -> Option<CurveMut<'_, 'a>> {
        let hands = self.hands.as_mut();
        Some(match path {
            CurvePath::Head(channel) => CurveMut::Float(&mut self.head.as_mut()?[channel]),
            CurvePath::Gaze(channel) => CurveMut::Float(&mut self.gaze.as_mut()?[channel]),
            CurvePath::Tracked(side) => CurveMut::Boolean(&mut hands?.hand_mut(side).tracked),
            CurvePath::Pinching(side) => CurveMut::Boolean(&mut hands?.hand_mut(side).pinching),
            CurvePath::Joint(side, joint, channel) => {
                CurveMut::Float(&mut hands?.hand_mut(side).joints[joint][channel])
            }
            CurvePath::DevicePose(device, pose, channel) => {
                let device = self.devices.iter_mut().find(|other| other.name == device)?;
                let mut poses = device.poses.iter_mut();
                let (_, curves) = poses.find(|(name, _)| *name == pose)?;
                CurveMut::Float(&mut curves[channel])
            }
            CurvePath::Input(device, input) => {
                let device = self.devices.iter_mut().find(|other| other.name == device)?;
                device.input_mut(input)?.curve_mut()
            }
        })
    }

    /// Returns the time range from the first to the last key of all curves, in seconds; `None` without keys. Each
    /// [curve](Curve::time_range) counts from its first to its last stored key. A bound may be infinite. Changes of the profiles of
    /// devices and haptic pulses count too.
    pub fn time_range(&self) -> Option<TimeRange> {
        let ranges = self.curves().filter_map(|(_, curve)| curve.time_range());
        ranges.chain(self.device_events()).reduce(TimeRange::hull)
    }

    /// Returns the times of changes of profiles and of haptic pulses, in seconds.
    fn device_events(&self) -> impl Iterator<Item = TimeRange> {
        let times = self.devices.iter().flat_map(Device::event_times);
        times.map(TimeRange::instant)
    }

    /// Returns the end of the [time range](Self::time_range) in seconds: the greatest key time, or the end of a haptic pulse or the time
    /// of a profile change of a device if it is later. MRTK plays a file, which has no devices, for this time (docs/format.md, section
    /// 5.1). Returns 0 without keys, and if the last key is before 0.
    pub fn duration(&self) -> f32 {
        self.time_range().map_or(0.0, |range| range.end.max(0.0))
    }

    /// Returns the time range from the first to the last key in seconds, extended to 0. A player evaluates no time
    /// outside it. Key times that are not finite are ignored.
    pub fn played_range(&self) -> TimeRange {
        let zero = TimeRange::instant(0.0);
        self.finite_time_range()
            .map_or(zero, |range| range.hull(zero))
    }

    /// Returns the time range of all keys and markers in seconds, extended to 0: the [played range](Self::played_range)
    /// and the markers. Times that are not finite are ignored.
    pub fn covered_range(&self) -> TimeRange {
        let markers = self.markers.iter().map(|marker| marker.time);
        let markers = markers.filter(|time| time.is_finite());
        let markers = markers.map(TimeRange::instant);
        markers.fold(self.played_range(), TimeRange::hull)
    }

    /// Returns the [time range](Self::time_range) of the finite key times, in seconds; `None` if there are none.
    pub(crate) fn finite_time_range(&self) -> Option<TimeRange> {
        let curves = self.curves();
        let ranges = curves.filter_map(|(_, curve)| curve.finite_time_range());
        ranges.chain(self.device_events()).reduce(TimeRange::hull)
    }

    /// Copies borrowed keys and names, so that the result borrows nothing.
    ///
    /// ```
    /// use inputanim::{Layout, Recording};
    /// fn load(bytes: &[u8]) -> Result<Recording<'static>, inputanim::ParseError> {
    ///     Ok(Recording::parse(bytes)?.into_owned())
    /// }
    /// # let bytes = Recording::new(Layout::Mrtk1_1).to_bytes().unwrap();
    /// # assert!(load(&bytes).is_ok());
    /// ```
    pub fn into_owned(self) -> Recording<'static> {
        Recording {
            layout: self.layout,
            head: self.head.map(PoseCurves::into_owned),
            hands: self.hands.map(Hands::into_owned),
            gaze: self.gaze.map(RayCurves::into_owned),
            markers: self.markers.into_iter().map(Marker::into_owned).collect(),
            devices: self.devices.into_iter().map(Device::into_owned).collect(),
            known: self.known,
            about: self.about,
            flag_bytes: self.flag_bytes,
        }
    }
}

fn file_curves_mut<'r, 'a>(
    head: &'r mut Option<PoseCurves<'a>>,
    hands: &'r mut Option<Hands<'a>>,
    gaze: &'r mut Option<RayCurves<'a>>,
) -> Vec<(CurvePath, CurveMut<'r, 'a>)> {
    // A chain of iterators would be compiled anew for each use, and is large in WebAssembly.
    let mut curves = Vec::with_capacity(MAX_FILE_CURVES);
    for (channel, curve) in head.iter_mut().flat_map(PoseCurves::iter_mut) {
        curves.push((CurvePath::Head(channel), CurveMut::Float(curve)));
    }
    if let Some(hands) = hands {
        hands.add_curves_mut(&mut curves);
    }
    for (channel, curve) in gaze.iter_mut().flat_map(RayCurves::iter_mut) {
        curves.push((CurvePath::Gaze(channel), CurveMut::Float(curve)));
    }
    curves
}

/// The number of curves in a file with all streams.
const MAX_FILE_CURVES: usize = 395;

/// The curves of a recording in file order, and those of its devices.
// Chained iterators would be compiled anew for each use, which was a seventh of the code in WebAssembly.
struct Curves<'r, 'a> {
    recording: &'r Recording<'a>,
    /// Position of the next curve in a file with all streams, then in the device.
    index: usize,
    /// 0 in the file, then the position of the next device, counted from 1.
    device: usize,
}

impl<'r, 'a> Iterator for Curves<'r, 'a> {
    type Item = (CurvePath, Curve<'r, 'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        while self.device == 0
            && let Some(path) = path_at(self.index)
        {
            self.index += 1;
            if let Some(curve) = self.recording.curve(path) {
                return Some((path, curve));
            }
        }
        if self.device == 0 {
            (self.device, self.index) = (1, 0);
        }
        loop {
            let device = self.recording.devices.get(self.device - 1)?;
            self.index += 1;
            if let Some(curve) = device.curve_at(self.index - 1) {
                return Some(curve);
            }
            (self.device, self.index) = (self.device + 1, 0);
        }
    }
}

/// Returns the path of the curve at a position, counted from 0, in a file with all streams; `None` after the last
/// curve.
pub(crate) fn path_at(index: usize) -> Option<CurvePath> {
    const STATES: [CurvePath; 4] = [
        CurvePath::Tracked(Side::Left),
        CurvePath::Tracked(Side::Right),
        CurvePath::Pinching(Side::Left),
        CurvePath::Pinching(Side::Right),
    ];
    const POSE: usize = PoseChannel::ALL.len();
    const JOINTS: usize = POSE + STATES.len();
    const HAND: usize = Joint::ALL.len() * POSE;
    const GAZE: usize = JOINTS + 2 * HAND;
    Some(match index {
        ..POSE => CurvePath::Head(PoseChannel::ALL[index]),
        POSE..JOINTS => STATES[index - POSE],
        JOINTS..GAZE => {
            let (side, index) = ((index - JOINTS) / HAND, (index - JOINTS) % HAND);
            let (joint, channel) = (Joint::ALL[index / POSE], PoseChannel::ALL[index % POSE]);
            CurvePath::Joint(Side::BOTH[side], joint, channel)
        }
        _ => CurvePath::Gaze(*RayChannel::ALL.get(index - GAZE)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;

    fn everything(layout: Layout) -> Recording<'static> {
        Recording::with_streams(layout, Flags::ALL)
    }

    #[test]
    fn curves_and_curves_mut_have_the_same_order() {
        let mut recording = everything(Layout::Mrtk1_1);
        let paths: Vec<CurvePath> = recording.curves().map(|(path, _)| path).collect();
        let mutable: Vec<CurvePath> = recording.curves_mut().map(|(path, _)| path).collect();
        assert_eq!(paths, mutable);
        assert_eq!(paths[7].to_string(), "left.tracked");
        assert_eq!(paths[8].to_string(), "right.tracked");
        assert_eq!(paths[11].to_string(), "left.None.position.x");
        assert_eq!(paths[394].to_string(), "gaze.direction.z");
    }

    #[test]
    fn a_curve_is_found_by_its_name() {
        let mut recording = everything(Layout::Mrtk1_1);
        let mut marked = recording.clone();
        for (number, (_, curve)) in marked.curves_mut().enumerate() {
            match curve {
                CurveMut::Float(curve) => curve.pre_wrap.0 = number as i32,
                CurveMut::Boolean(curve) => curve.pre_wrap.0 = number as i32,
            }
        }
        for (path, curve) in marked.curves() {
            assert_eq!(marked.curve(path), Some(curve), "{path}");
            assert!(recording.curve_mut(path).is_some());
        }
        recording.gaze = None;
        assert_eq!(recording.curve("gaze.origin.x".parse().unwrap()), None);
    }

    #[test]
    fn a_stream_keeps_its_unusual_flag_byte() {
        let mut recording = everything(Layout::Mrtk1_1);
        recording.keep_flag_bytes([255, 1, 2]);
        assert_eq!(recording.flag_bytes(), [255, 1, 2]);
        recording.head = None;
        assert_eq!(recording.flag_bytes(), [0, 1, 2]);
    }

    #[test]
    fn the_duration_is_the_latest_key_time_of_all_curves() {
        let mut recording = everything(Layout::Mrtk1_1);
        assert_eq!(recording.duration(), 0.0);
        recording.head_mut().push(1.0, &Pose::IDENTITY);
        recording.hands_mut().right.pinching.push(2.5, true);
        assert_eq!(recording.duration(), 2.5);
        recording.hands_mut().right.pinching.push(0.5, false);
        assert_eq!(recording.duration(), 2.5, "Unity sorts keys on loading");
    }
}
