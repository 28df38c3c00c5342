//! Head, eyes, hands and gaze, as the application gets them at a time.

use std::ffi::c_void;
use std::ptr;

use inputanim::headset::Headset;
use inputanim::velocity::VelocityVector;
use inputanim::{DeviceFrame, HandFrame, InputValue, Joint, Joints, Pose, Side};
use openxr_sys as xr;

use crate::convert::{distance, gaze, no_velocity, recorded, valid, velocities, view_angles};
use crate::sample::Sample;
use crate::state::{Attached, Planned, Session, Tracker};
use inputanim_openxr_ffi::check;

/// The number of joints of a hand tracker.
const JOINTS: usize = Joint::OPENXR.len();

impl Session {
    /// Locates head, hands, devices and gaze at a time of OpenXR, and returns them as a frame at `seconds` of the recording.
    /// Elements that the runtime does not know are missing; no hand pinches, and the devices have no inputs
    /// except velocities. `attached` is the action set of the layer, if the session has it, and `planned` has the spaces of the
    /// devices.
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
            sample.frame.left.unknown = true;
            sample.frame.right.unknown = true;
            return sample;
        };
        let located = |space: xr::Space| self.locate_space(space, base, time);
        sample.frame.head = self.spaces.view.and_then(located).map(recorded);
        let gaze_space = attached.and_then(|attached| attached.gaze);
        sample.frame.gaze = gaze_space.and_then(located).map(gaze);
        for (name, poses) in planned.into_iter().flat_map(|planned| &*planned.poses) {
            let mut device = DeviceFrame::new(*name);
            for pose in poses {
                let mut speed = no_velocity();
                let mut spaces = pose.spaces.iter();
                let found =
                    spaces.find_map(|space| self.locate_with(*space, base, time, &mut speed));
                let Some(found) = found else { continue };
                device.poses.push((pose.name, recorded(found)));
                for (kind, vector) in velocities(&speed) {
                    let names = VelocityVector {
                        pose: pose.name,
                        kind,
                    };
                    let numbers = vector.map(InputValue::Float);
                    let inputs = names.inputs().into_iter().flatten();
                    device.inputs.extend(inputs.zip(numbers));
                }
            }
            sample.frame.devices.push(device);
        }
        for side in Side::BOTH {
            let index = usize::from(side == Side::Right);
            let Some(tracker) = self.spaces.trackers[index] else {
                // The grip of a controller does not say where the hand is.
                sample.frame.hand_mut(side).unknown = true;
                continue;
            };
            let headset = &mut sample.headset;
            if let Some(joints) = self.locate_hand(tracker, side, base, time, headset) {
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
        self.locate_chained(space, base, time, ptr::null_mut())
    }

    /// Does what [`locate_space`](Self::locate_space) does, and sets the velocity of the space.
    fn locate_with(
        &self,
        space: xr::Space,
        base: xr::Space,
        time: xr::Time,
        speed: &mut xr::SpaceVelocity,
    ) -> Option<Pose> {
        *speed = no_velocity();
        self.locate_chained(space, base, time, (&raw mut *speed).cast())
    }

    fn locate_chained(
        &self,
        space: xr::Space,
        base: xr::Space,
        time: xr::Time,
        next: *mut c_void,
    ) -> Option<Pose> {
        let mut location = xr::SpaceLocation {
            ty: xr::SpaceLocation::TYPE,
            next,
            location_flags: xr::SpaceLocationFlags::EMPTY,
            pose: xr::Posef::IDENTITY,
        };
        let result = self
            .next()
            .locate_space(space, base, time, (&mut location).into());
        check(result).ok()?;
        valid(location.location_flags, location.pose)
    }

    /// Returns the poses of the joints of a hand in a base space, in the axes of a recording, and adds their radii and their source to
    /// `headset`. `None` while the hand is not tracked; a joint is `None` if its pose is not valid.
    fn locate_hand(
        &self,
        tracker: Tracker,
        side: Side,
        base_space: xr::Space,
        time: xr::Time,
        headset: &mut Headset,
    ) -> Option<Joints<Option<Pose>>> {
        let mut found = [xr::HandJointLocationEXT::default(); JOINTS];
        let info = xr::HandJointsLocateInfoEXT {
            ty: xr::HandJointsLocateInfoEXT::TYPE,
            next: ptr::null(),
            base_space,
            time,
        };
        let mut source = xr::HandTrackingDataSourceStateEXT {
            ty: xr::HandTrackingDataSourceStateEXT::TYPE,
            next: ptr::null_mut(),
            is_active: xr::FALSE,
            data_source: xr::HandTrackingDataSourceEXT::UNOBSTRUCTED,
        };
        let mut locations = xr::HandJointLocationsEXT {
            ty: xr::HandJointLocationsEXT::TYPE,
            next: match tracker.has_source {
                true => (&raw mut source).cast(),
                false => ptr::null_mut(),
            },
            is_active: xr::FALSE,
            joint_count: JOINTS as u32,
            joint_locations: found.as_mut_ptr(),
        };
        let (info, located) = ((&info).into(), (&mut locations).into());
        let handle = tracker.handle;
        let result = self.next().locate_hand_joints(handle, info, located);
        let is_active: bool = locations.is_active.into();
        check(result).ok().filter(|()| is_active)?;
        let mut joints = Joints::default();
        for (joint, location) in Joint::OPENXR.into_iter().zip(found) {
            joints[joint] = valid(location.location_flags, location.pose).map(recorded);
            let radius = Some(location.radius).filter(|radius| radius.is_finite());
            headset.set_radius(side, joint, radius);
        }
        if tracker.has_source && source.is_active.into() {
            let is_from_controller = match source.data_source {
                xr::HandTrackingDataSourceEXT::UNOBSTRUCTED => Some(false),
                xr::HandTrackingDataSourceEXT::CONTROLLER => Some(true),
                _ => None,
            };
            headset.from_controller[usize::from(side == Side::Right)] = is_from_controller;
        }
        Some(joints)
    }

    /// Adds the distance of the eyes and their field of view at a time of OpenXR to `headset`, for an application with one view for
    /// each eye.
    pub(crate) fn locate_eyes(&self, headset: &mut Headset, time: xr::Time) {
        let Some(space) = self.spaces.view else {
            return;
        };
        let info = xr::ViewLocateInfo {
            ty: xr::ViewLocateInfo::TYPE,
            next: ptr::null(),
            view_configuration_type: xr::ViewConfigurationType::PRIMARY_STEREO,
            display_time: time,
            space,
        };
        let mut state = xr::ViewState {
            ty: xr::ViewState::TYPE,
            next: ptr::null_mut(),
            view_state_flags: xr::ViewStateFlags::EMPTY,
        };
        let mut views = [xr::View {
            ty: xr::View::TYPE,
            next: ptr::null_mut(),
            pose: xr::Posef::IDENTITY,
            fov: xr::Fovf::default(),
        }; 2];
        let mut count = 0;
        let result = self.next().locate_views(
            self.handle,
            (&info).into(),
            (&mut state).into(),
            views.len() as u32,
            (&mut count).into(),
            views.as_mut_slice().into(),
        );
        if check(result).is_err() || count as usize != views.len() {
            return;
        }
        headset.views = views.map(|view| view_angles(view.fov));
        if state
            .view_state_flags
            .contains(xr::ViewStateFlags::POSITION_VALID)
        {
            headset.eye_distance = distance(views.map(|view| view.pose.position));
        }
    }
}
