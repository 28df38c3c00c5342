//! Where spaces are, and how they move.

use inputanim::{Pose, Side};
use inputanim_openxr::{Around, Scene, User, Velocity, compose, inverse};
use openxr_sys as xr;

use crate::objects::instance::Instance;
use crate::objects::spaces::{Origin, Space};
use crate::poses::{from_pose, vector};

/// The name of the pose of the gaze.
const GAZE: &str = "gaze_ext";

/// The space in which poses are located, at one time: the inverse of its pose in the space of the recording. `None`
/// while this pose is not known.
pub(crate) struct Base(Option<Pose>);

impl Base {
    /// Computes the pose of `space` in a scene, for the conversion of poses to this space.
    pub(crate) fn new(instance: &Instance, scene: &Scene, space: Space) -> Base {
        Base(world(instance, scene, space).map(inverse))
    }

    /// Returns the pose of the head in `space`; `None` if the pose of the space is not known. It is exact in the space of the head.
    pub(crate) fn head(instance: &Instance, scene: &Scene, space: Space) -> Option<Pose> {
        match space.origin {
            Origin::View => Some(inverse(space.offset)),
            _ => Base::new(instance, scene, space).locate(scene.head),
        }
    }

    /// Returns `true` if the pose of the space is known.
    pub(crate) const fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Converts a pose from the space of the recording to this space; `None` if the pose of this space is not known.
    pub(crate) fn locate(&self, pose: Pose) -> Option<Pose> {
        Some(compose(self.0?, pose))
    }
}

/// The velocities of poses in a space at one time.
pub(crate) struct Velocities<'i> {
    instance: &'i Instance,
    around: Around,
    base: Space,
}

impl<'i> Velocities<'i> {
    /// Prepares the velocities of poses relative to `base` at a time.
    pub(crate) fn new(instance: &'i Instance, base: Space, time: xr::Time) -> Velocities<'i> {
        Velocities {
            instance,
            around: instance.player.around(instance.seconds(time)),
            base,
        }
    }

    /// Returns the velocity, relative to the base space, of a pose that `select` takes from a scene. Zero before
    /// playback begins; `None` if the pose or the base space is not known.
    pub(crate) fn of(&self, select: impl Fn(&Scene) -> Option<Pose>) -> Option<Velocity> {
        let Velocities { instance, base, .. } = *self;
        let session = instance.session.as_ref()?;
        let relative = |scene: &Scene| Base::new(instance, scene, base).locate(select(scene)?);
        let found = self.around.velocity(relative)?;
        Some(if session.timeline.has_begun() {
            found
        } else {
            Velocity::default()
        })
    }
}

/// Returns the pose of a space in the space of the recording. `None` for the space of an action that is not active, or
/// whose hand, device or gaze is not tracked.
pub(crate) fn world(instance: &Instance, scene: &Scene, space: Space) -> Option<Pose> {
    let origin = match space.origin {
        Origin::View => scene.head,
        Origin::Local => instance.player.local(),
        Origin::Stage => instance.player.stage(),
        Origin::Action { action, selected } => {
            let session = instance.session.as_ref()?;
            if !session.has_input() {
                return None;
            }
            let (user, name) = session.attached.as_ref()?.pose(action, selected)?;
            user_pose(scene, user, name)?
        }
    };
    Some(compose(origin, space.offset))
}

/// Returns `true` if a space belongs to an action that is bound to the pose of the gaze.
pub(crate) fn is_gaze(instance: &Instance, space: Space) -> bool {
    let Origin::Action { action, selected } = space.origin else {
        return false;
    };
    let session = instance.session.as_ref();
    let attached = session.and_then(|session| session.attached.as_ref());
    let pose = attached.and_then(|attached| attached.pose(action, selected));
    pose.is_some_and(|(_, name)| name == GAZE)
}

/// Returns a pose of a user by its name, such as `grip`: the recorded one of a device, otherwise one that is made from the joints of
/// the hand.
fn user_pose(scene: &Scene, user: User, name: &str) -> Option<Pose> {
    let Some(device) = user.device() else {
        return scene.gaze.filter(|_| name == GAZE);
    };
    if let Some(device) = scene.device(device) {
        return device.pose(name);
    }
    let hand = &scene.hands[usize::from(user.side()? == Side::Right)];
    match name {
        "aim" => hand.aim(),
        "grip" => hand.grip(),
        "palm_ext" | "grip_surface" => hand.grip_surface(),
        "pinch_ext" => hand.pinch(),
        "poke_ext" => hand.poke(),
        _ => None,
    }
}

/// Returns the flags and the pose of a location. A pose is valid, and also tracked if `is_tracked`; without a pose, no
/// flag is set.
pub(crate) fn location(
    pose: Option<Pose>,
    is_tracked: bool,
) -> (xr::SpaceLocationFlags, xr::Posef) {
    let valid = xr::SpaceLocationFlags::ORIENTATION_VALID | xr::SpaceLocationFlags::POSITION_VALID;
    let tracked =
        xr::SpaceLocationFlags::ORIENTATION_TRACKED | xr::SpaceLocationFlags::POSITION_TRACKED;
    match pose {
        Some(pose) if is_tracked => (valid | tracked, from_pose(pose)),
        Some(pose) => (valid, from_pose(pose)),
        None => (xr::SpaceLocationFlags::EMPTY, xr::Posef::IDENTITY),
    }
}

/// Returns the flags, the linear velocity and the angular velocity of a structure of OpenXR. Without a velocity, no
/// flag is set and both are zero.
pub(crate) fn velocity(
    found: Option<Velocity>,
) -> (xr::SpaceVelocityFlags, xr::Vector3f, xr::Vector3f) {
    let flags = match found {
        Some(_) => xr::SpaceVelocityFlags::LINEAR_VALID | xr::SpaceVelocityFlags::ANGULAR_VALID,
        None => xr::SpaceVelocityFlags::EMPTY,
    };
    let Velocity {
        linear, angular, ..
    } = found.unwrap_or_default();
    (flags, vector(linear), vector(angular))
}
