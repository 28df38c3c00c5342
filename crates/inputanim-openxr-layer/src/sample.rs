//! What the application gets for one frame.

use std::ptr;

use inputanim::{Frame, HandFrame, Joint, Joints, Pose, Side};
use openxr_sys as xr;

use crate::convert::{controller, gaze, recorded, valid};
use crate::session::{Attached, Session};
use inputanim_openxr_ffi::check;

/// A frame of the recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) frame: Frame,
    /// The left and the right hand are controllers.
    pub(crate) controllers: [bool; 2],
}

/// The number of joints of a hand tracker.
const JOINTS: usize = Joint::OPENXR.len();

impl Session {
    /// Locates head, hands and gaze at a time. `seconds` is the time in the recording.
    pub(crate) fn locate(
        &self,
        attached: Option<&Attached>,
        time: xr::Time,
        seconds: f32,
    ) -> Sample {
        let mut sample = Sample::default();
        sample.frame.time = seconds;
        let Some(base) = self.places.base else {
            return sample;
        };
        let place = |space: xr::Space| self.locate_space(space, base, time);
        sample.frame.head = self.places.view.and_then(place).map(recorded);
        let gaze_space = attached.and_then(|attached| attached.gaze);
        sample.frame.gaze = gaze_space.and_then(place).map(gaze);
        for side in Side::BOTH {
            let index = usize::from(side == Side::Right);
            let tracker = self.places.trackers[index];
            let mut joints = tracker.and_then(|tracker| self.locate_hand(tracker, base, time));
            if joints.is_none() {
                let grip = attached.and_then(|attached| attached.grips[index]);
                joints = grip.and_then(place).map(|grip| controller(grip, side));
                sample.controllers[index] = joints.is_some();
            }
            if let Some(joints) = joints {
                *sample.frame.hand_mut(side) = HandFrame {
                    tracked: true,
                    pinching: false,
                    joints,
                };
            }
        }
        sample
    }

    /// Returns where a space is; `None` if the runtime does not know.
    fn locate_space(&self, space: xr::Space, base: xr::Space, time: xr::Time) -> Option<Pose> {
        let mut location = xr::SpaceLocation {
            ty: xr::SpaceLocation::TYPE,
            next: ptr::null_mut(),
            location_flags: xr::SpaceLocationFlags::EMPTY,
            pose: xr::Posef::IDENTITY,
        };
        let result = self
            .next()
            .locate_space(space, base, time, (&mut location).into());
        check(result).ok()?;
        valid(location.location_flags, location.pose)
    }

    /// Returns the joints of a hand; `None` while the hand is not tracked.
    fn locate_hand(
        &self,
        tracker: xr::HandTrackerEXT,
        base_space: xr::Space,
        time: xr::Time,
    ) -> Option<Joints<Option<Pose>>> {
        let mut places = [xr::HandJointLocationEXT::default(); JOINTS];
        let info = xr::HandJointsLocateInfoEXT {
            ty: xr::HandJointsLocateInfoEXT::TYPE,
            next: ptr::null(),
            base_space,
            time,
        };
        let mut locations = xr::HandJointLocationsEXT {
            ty: xr::HandJointLocationsEXT::TYPE,
            next: ptr::null_mut(),
            is_active: xr::FALSE,
            joint_count: JOINTS as u32,
            joint_locations: places.as_mut_ptr(),
        };
        let (info, located) = ((&info).into(), (&mut locations).into());
        let result = self.next().locate_hand_joints(tracker, info, located);
        let is_active: bool = locations.is_active.into();
        check(result).ok().filter(|()| is_active)?;
        let mut joints = Joints::default();
        for (joint, place) in Joint::OPENXR.into_iter().zip(places) {
            joints[joint] = valid(place.location_flags, place.pose).map(recorded);
        }
        Some(joints)
    }
}
