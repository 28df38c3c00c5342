//! Where spaces are, and how they move.

use inputanim::{Pose, Side};
use inputanim_openxr::{Around, Motion, RecordedVelocity, Scene, User, Velocity, compose, inverse};
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
        let relative = |scene: &Scene| Base::new(instance, scene, base).locate(select(scene)?);
        self.when_begun(self.around.velocity(relative)?)
    }

    /// Returns the velocity of a space relative to the base space, at the time of `scene`: with the recorded velocities if the runtime
    /// of the recording gave them, otherwise the difference of poses. Zero before playback begins; `None` if it is not known.
    pub(crate) fn of_space(&self, scene: &Scene, space: Space) -> Option<Velocity> {
        let Velocities { instance, base, .. } = *self;
        let spaces = [space, base].into_iter();
        let mut recorded = spaces.map(|space| recorded(instance, scene, space.origin));
        if recorded.all(|velocity| velocity.is_unknown()) {
            return self.of(|scene| world(instance, scene, space));
        }
        let [moving, base] = [space, base].map(|space| self.motion(scene, space));
        self.when_begun(moving?.relative_to(base?))
    }

    /// Returns the motion of a space in the space of the recording; `None` if it is not known.
    fn motion(&self, scene: &Scene, space: Space) -> Option<Motion> {
        let instance = self.instance;
        let pose = origin(instance, scene, space.origin)?;
        let velocity = match space.origin {
            // The difference of equal poses may be rounded.
            Origin::Local | Origin::Stage => Velocity::default(),
            from => recorded(instance, scene, from)
                .or(|| self.around.velocity(|scene| origin(instance, scene, from)))?,
        };
        Some(Motion { pose, velocity }.attached(space.offset))
    }

    fn when_begun(&self, found: Velocity) -> Option<Velocity> {
        let session = self.instance.session.as_ref()?;
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
    Some(compose(
        origin(instance, scene, space.origin)?,
        space.offset,
    ))
}

/// Returns the pose of the origin of a space in the space of the recording; `None` as in [`world`].
fn origin(instance: &Instance, scene: &Scene, origin: Origin) -> Option<Pose> {
    match origin {
        Origin::View => Some(scene.head),
        Origin::Local => Some(instance.player.local()),
        Origin::Stage => Some(instance.player.stage()),
        Origin::Action { action, selected } => {
            let (user, name) = bound_pose(instance, action, selected)?;
            user_pose(scene, user, name)
        }
    }
}

/// Returns the recorded velocity of the origin of a space, which only the poses of devices have.
fn recorded(instance: &Instance, scene: &Scene, origin: Origin) -> RecordedVelocity {
    let Origin::Action { action, selected } = origin else {
        return RecordedVelocity::default();
    };
    let bound = bound_pose(instance, action, selected);
    let found = bound.and_then(|(user, name)| Some(scene.device(user.device()?)?.velocity(name)));
    found.unwrap_or_default()
}

/// Returns the user and the name of the pose that an action gives; `None` without the input.
fn bound_pose(instance: &Instance, action: u64, selected: Option<User>) -> Option<(User, &str)> {
    let session = instance.session.as_ref()?;
    if !session.has_input() {
        return None;
    }
    session.attached.as_ref()?.pose(action, selected)
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
