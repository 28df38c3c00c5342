//! Spaces, and where they are.

use inputanim::{Pose, Side};
use inputanim_openxr::{Around, Hand, Scene, Velocity, compose, inverse};
use openxr_sys::{self as xr, Handle};

use crate::actions::Selected;
use crate::profiles::{PoseKind, User};
use crate::state::{Instance, NO_HANDLE, Session, State, add, check_time};
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Out, Reply, Set};

/// A space: its origin, and the pose of the space relative to it.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    origin: Origin,
    offset: Pose,
}

/// The origin of a space.
#[derive(Clone, Copy)]
enum Origin {
    View,
    Local,
    Stage,
    /// A pose of a user, as the action is bound.
    Action {
        action: u64,
        selected: Selected,
    },
}

impl Origin {
    /// Returns the kind of a reference space.
    const fn reference(self) -> Option<xr::ReferenceSpaceType> {
        match self {
            Origin::View => Some(xr::ReferenceSpaceType::VIEW),
            Origin::Local => Some(xr::ReferenceSpaceType::LOCAL),
            Origin::Stage => Some(xr::ReferenceSpaceType::STAGE),
            Origin::Action { .. } => None,
        }
    }
}

const REFERENCES: [xr::ReferenceSpaceType; 4] = [
    xr::ReferenceSpaceType::VIEW,
    xr::ReferenceSpaceType::LOCAL,
    xr::ReferenceSpaceType::LOCAL_FLOOR,
    xr::ReferenceSpaceType::STAGE,
];

impl Session {
    /// Returns a space.
    pub(crate) fn space(&self, handle: xr::Space) -> Result<Space, xr::Result> {
        self.spaces
            .get(&handle.into_raw())
            .copied()
            .ok_or(NO_HANDLE)
    }
}

/// Converts a pose of OpenXR.
pub(crate) fn to_pose(pose: xr::Posef) -> Result<Pose, xr::Result> {
    let xr::Quaternionf { x, y, z, w } = pose.orientation;
    let xr::Vector3f {
        x: px,
        y: py,
        z: pz,
    } = pose.position;
    let length = (x * x + y * y + z * z + w * w).sqrt();
    // A rotation may differ by 1 % from the length 1 (OpenXR 1.1, section 2.17).
    let is_valid =
        (0.99..=1.01).contains(&length) && [px, py, pz].iter().all(|part| part.is_finite());
    if is_valid {
        Ok(Pose {
            position: [px, py, pz],
            rotation: [x, y, z, w],
        })
    } else {
        Err(xr::Result::ERROR_POSE_INVALID)
    }
}

/// Converts a pose to OpenXR.
pub(crate) const fn from_pose(pose: Pose) -> xr::Posef {
    let [x, y, z, w] = pose.rotation;
    xr::Posef {
        orientation: xr::Quaternionf { x, y, z, w },
        position: vector(pose.position),
    }
}

const fn vector([x, y, z]: [f32; 3]) -> xr::Vector3f {
    xr::Vector3f { x, y, z }
}

/// The space in which poses are located, at one time.
pub(crate) struct Base(Option<Pose>);

impl Base {
    /// Finds a space in a scene.
    pub(crate) fn new(instance: &Instance, scene: &Scene, space: Space) -> Base {
        Base(world(instance, scene, space).map(inverse))
    }

    /// Returns whether the space is tracked.
    pub(crate) const fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Returns where a pose is in the space; `None` while the space is not tracked.
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
    /// Prepares the velocities at a time. Before playback, nothing moves.
    pub(crate) fn new(instance: &'i Instance, base: Space, time: xr::Time) -> Velocities<'i> {
        Velocities {
            instance,
            around: instance.player.around(instance.seconds(time)),
            base,
        }
    }

    /// Returns the velocity of a pose that `select` takes from a scene.
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

/// Returns where a space is in the space of the recording.
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
            let (user, kind) = session.attached.as_ref()?.pose(action, selected)?;
            user_pose(scene, user, kind)?
        }
    };
    Some(compose(origin, space.offset))
}

/// Returns whether a space follows the gaze.
fn is_gaze(instance: &Instance, space: Space) -> bool {
    let Origin::Action { action, selected } = space.origin else {
        return false;
    };
    let session = instance.session.as_ref();
    let attached = session.and_then(|session| session.attached.as_ref());
    let pose = attached.and_then(|attached| attached.pose(action, selected));
    pose.is_some_and(|(_, kind)| kind == PoseKind::Gaze)
}

fn user_pose(scene: &Scene, user: User, kind: PoseKind) -> Option<Pose> {
    let hand = |side: Side| -> &Hand { &scene.hands[usize::from(side == Side::Right)] };
    match (user, kind) {
        (User::Eyes, PoseKind::Gaze) => scene.gaze,
        (User::Hand(side), PoseKind::Aim) => hand(side).aim(),
        (User::Hand(side), PoseKind::Grip) => hand(side).grip(),
        // The same rotation as for holding, at the surface of the palm.
        (User::Hand(side), PoseKind::Palm) => hand(side).grip(),
        (User::Hand(side), PoseKind::Pinch) => hand(side).pinch(),
        (User::Hand(side), PoseKind::Poke) => hand(side).poke(),
        _ => None,
    }
}

pub(crate) fn enumerate_references(
    session: xr::Session,
    capacity: u32,
    count: Set<u32>,
    types: Buffer<xr::ReferenceSpaceType>,
) -> Reply {
    let mut state = State::lock();
    let version = state.of_session(session)?.version;
    let is_offered = |kind: &xr::ReferenceSpaceType| {
        *kind != xr::ReferenceSpaceType::LOCAL_FLOOR || version.minor() >= 1
    };
    let offered: Vec<_> = REFERENCES.into_iter().filter(is_offered).collect();
    types.fill(capacity, &count, &offered)
}

pub(crate) fn create_reference(
    session: xr::Session,
    info: In<xr::ReferenceSpaceCreateInfo>,
    space: Set<xr::Space>,
) -> Reply {
    let mut state = State::lock();
    let has_floor = state.of_session(session)?.version.minor() >= 1;
    let origin = match info.reference_space_type {
        xr::ReferenceSpaceType::VIEW => Origin::View,
        xr::ReferenceSpaceType::LOCAL => Origin::Local,
        xr::ReferenceSpaceType::STAGE => Origin::Stage,
        xr::ReferenceSpaceType::LOCAL_FLOOR if has_floor => Origin::Stage,
        _ => return Err(xr::Result::ERROR_REFERENCE_SPACE_UNSUPPORTED),
    };
    let offset = to_pose(info.pose_in_reference_space)?;
    create(&mut state, session, Space { origin, offset }, &space)
}

pub(crate) fn create_action(
    session: xr::Session,
    info: In<xr::ActionSpaceCreateInfo>,
    space: Set<xr::Space>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let handle = info.action.into_raw();
    let action = instance.actions.get(&handle).ok_or(NO_HANDLE)?;
    if action.kind != xr::ActionType::POSE_INPUT {
        return Err(xr::Result::ERROR_ACTION_TYPE_MISMATCH);
    }
    let selected = action.selected(&instance.paths, info.subaction_path)?;
    let origin = Origin::Action {
        action: handle,
        selected,
    };
    let offset = to_pose(info.pose_in_action_space)?;
    create(&mut state, session, Space { origin, offset }, &space)
}

fn create(state: &mut State, session: xr::Session, made: Space, space: &Set<xr::Space>) -> Reply {
    let below = state.session(session)?.below;
    let handle = match below {
        Some(below) => below.space(session, made.origin.reference())?.into_raw(),
        None => state.new_handle(),
    };
    add(&mut state.session(session)?.spaces, handle, made)?;
    space.set(xr::Space::from_raw(handle));
    DONE
}

pub(crate) fn destroy(space: xr::Space) -> Reply {
    let mut state = State::lock();
    let session = state.any()?.session()?;
    let removed = session.spaces.remove(&space.into_raw());
    removed.ok_or(NO_HANDLE)?;
    if let Some(below) = session.below {
        below.next.destroy_space(space);
    }
    DONE
}

pub(crate) fn bounds(
    session: xr::Session,
    kind: xr::ReferenceSpaceType,
    bounds: Set<xr::Extent2Df>,
) -> Reply {
    let has_floor = State::lock().of_session(session)?.version.minor() >= 1;
    let is_known =
        REFERENCES.contains(&kind) && (has_floor || kind != xr::ReferenceSpaceType::LOCAL_FLOOR);
    if !is_known {
        return Err(xr::Result::ERROR_REFERENCE_SPACE_UNSUPPORTED);
    }
    bounds.set(xr::Extent2Df {
        width: 0.0,
        height: 0.0,
    });
    Ok(xr::Result::SPACE_BOUNDS_UNAVAILABLE)
}

/// Returns a location and its flags. A pose that is not tracked is a guess.
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

/// Returns a velocity and its flags.
pub(crate) fn velocity(
    found: Option<Velocity>,
) -> (xr::SpaceVelocityFlags, xr::Vector3f, xr::Vector3f) {
    let flags = match found {
        Some(_) => xr::SpaceVelocityFlags::LINEAR_VALID | xr::SpaceVelocityFlags::ANGULAR_VALID,
        None => xr::SpaceVelocityFlags::EMPTY,
    };
    let Velocity { linear, angular } = found.unwrap_or_default();
    (flags, vector(linear), vector(angular))
}

pub(crate) fn locate(
    space: xr::Space,
    base: xr::Space,
    time: xr::Time,
    mut located: Out<xr::SpaceLocation>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.any()?;
    let session = instance.session()?;
    let (space, base) = (session.space(space)?, session.space(base)?);
    check_time(time)?;
    let pose = |scene: &Scene| world(instance, scene, space);
    let scene = instance.scene(time);
    let found = pose(&scene).and_then(|pose| Base::new(instance, &scene, base).locate(pose));
    (located.location_flags, located.pose) = location(found, true);
    if let Some(mut speed) = located.chained::<xr::SpaceVelocity>() {
        let found = Velocities::new(instance, base, time).of(pose);
        (
            speed.velocity_flags,
            speed.linear_velocity,
            speed.angular_velocity,
        ) = velocity(found);
    }
    if let Some(mut sample) = located.chained::<xr::EyeGazeSampleTimeEXT>() {
        let is_gaze = is_gaze(instance, space) && found.is_some();
        sample.time = if is_gaze {
            time
        } else {
            xr::Time::from_nanos(0)
        };
    }
    DONE
}

pub(crate) fn locate_all(
    session: xr::Session,
    info: In<xr::SpacesLocateInfo>,
    mut located: Out<xr::SpaceLocations>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    let base = open.space(info.base_space)?;
    check_time(info.time)?;
    let spaces = info.array(info.spaces, info.space_count)?;
    let spaces: Vec<Space> = spaces
        .iter()
        .map(|&space| open.space(space))
        .collect::<Result<_, _>>()?;
    if spaces.is_empty() || located.location_count != info.space_count {
        return Err(INVALID);
    }
    let locations = located.array(located.locations, located.location_count)?;
    let scene = instance.scene(info.time);
    let inside = Base::new(instance, &scene, base);
    for (place, &space) in locations.iter_mut().zip(&spaces) {
        let pose = world(instance, &scene, space).and_then(|pose| inside.locate(pose));
        (place.location_flags, place.pose) = location(pose, true);
    }
    if let Some(mut speeds) = located.chained::<xr::SpaceVelocities>() {
        if speeds.velocity_count != info.space_count {
            return Err(INVALID);
        }
        let velocities = speeds.array(speeds.velocities, speeds.velocity_count)?;
        let moving = Velocities::new(instance, base, info.time);
        for (speed, &space) in velocities.iter_mut().zip(&spaces) {
            let found = moving.of(|scene| world(instance, scene, space));
            (
                speed.velocity_flags,
                speed.linear_velocity,
                speed.angular_velocity,
            ) = velocity(found);
        }
    }
    DONE
}
