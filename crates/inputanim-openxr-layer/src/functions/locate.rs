//! Head, hands and gaze, as the application gets them at a time.

use std::ptr;

use inputanim::{DeviceFrame, DeviceName, HandFrame, Joint, Joints, Pose, Side};
use openxr_sys as xr;

use crate::convert::{controller, gaze, recorded, valid};
use crate::sample::Sample;
use crate::state::{Attached, Planned, Session};
use inputanim_openxr_ffi::check;

/// The number of joints of a hand tracker.
const JOINTS: usize = Joint::OPENXR.len();

impl Session {
    /// Locates head, hands, controllers and gaze at a time of OpenXR, and returns them as a frame at `seconds` of the recording.
    /// Elements that the runtime does not know are missing; no hand pinches, and the controllers have no inputs. `attached` is the
    /// action set of the layer, if the session has it, and `planned` has the spaces of the controllers.
    pub(crate) fn locate(
        &self,
        attached: Option<&Attached>,
        planned: Option<&Planned>,
        time: xr::Time,
        seconds: f32,
    ) -> Sample {
        let mut sample = Sample::default();
        sample.frame.time = seconds;
        let Some(base) = self.spaces.base else {
            return sample;
        };
        let located = |space: xr::Space| self.locate_space(space, base, time);
        sample.frame.head = self.spaces.view.and_then(located).map(recorded);
        let gaze_space = attached.and_then(|attached| attached.gaze);
        sample.frame.gaze = gaze_space.and_then(located).map(gaze);
        for side in Side::BOTH {
            let index = usize::from(side == Side::Right);
            let mut device = DeviceFrame::new(DeviceName::controller(side));
            let mut grip = None;
            for pose in planned
                .into_iter()
                .flat_map(|planned| &planned.poses[index])
            {
                let found = pose.spaces.iter().find_map(|space| located(*space));
                if pose.name.as_str() == "grip" {
                    grip = found;
                }
                device
                    .poses
                    .extend(found.map(|found| (pose.name, recorded(found))));
            }
            let tracker = self.spaces.trackers[index];
            let mut joints = tracker.and_then(|tracker| self.locate_hand(tracker, base, time));
            if joints.is_none() {
                joints = grip.map(|grip| controller(grip, side));
                sample.controllers[index] = joints.is_some();
            }
            sample.frame.devices.push(device);
            if let Some(joints) = joints {
                *sample.frame.hand_mut(side) = HandFrame {
                    tracked: true,
                    pinching: false,
                    unknown: false,
                    pinch_unknown: false,
                    joints,
                };
            }
        }
        sample
    }

    /// Returns the pose of `space` in `base` at a time of OpenXR, in OpenXR's axes; `None` if the runtime does not know
    /// it.
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

    /// Returns the poses of the joints of a hand in a base space, in the axes of a recording. `None` while the hand is
    /// not tracked; a joint is `None` if its pose is not valid.
    fn locate_hand(
        &self,
        tracker: xr::HandTrackerEXT,
        base_space: xr::Space,
        time: xr::Time,
    ) -> Option<Joints<Option<Pose>>> {
        let mut found = [xr::HandJointLocationEXT::default(); JOINTS];
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
            joint_locations: found.as_mut_ptr(),
        };
        let (info, located) = ((&info).into(), (&mut locations).into());
        let result = self.next().locate_hand_joints(tracker, info, located);
        let is_active: bool = locations.is_active.into();
        check(result).ok().filter(|()| is_active)?;
        let mut joints = Joints::default();
        for (joint, location) in Joint::OPENXR.into_iter().zip(found) {
            joints[joint] = valid(location.location_flags, location.pose).map(recorded);
        }
        Some(joints)
    }
}
