//! Spaces (OpenXR 1.1, section 7).

use inputanim_openxr::Scene;
use openxr_sys::{self as xr, Handle};

use super::checks::check_time;
use super::locate::{Base, Velocities, is_gaze, location, velocity, world};
use crate::objects::handles::{NO_HANDLE, add};
use crate::objects::spaces::{Origin, Space};
use crate::objects::state::State;
use crate::poses::to_pose;
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Out, Reply, Set};

const REFERENCES: [xr::ReferenceSpaceType; 4] = [
    xr::ReferenceSpaceType::VIEW,
    xr::ReferenceSpaceType::LOCAL,
    xr::ReferenceSpaceType::LOCAL_FLOOR,
    xr::ReferenceSpaceType::STAGE,
];

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
        let found = Velocities::new(instance, base, time).of_space(&scene, space);
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
            let found = moving.of_space(&scene, space);
            (
                speed.velocity_flags,
                speed.linear_velocity,
                speed.angular_velocity,
            ) = velocity(found);
        }
    }
    DONE
}
