//! Hand tracking (`XR_EXT_hand_tracking`).

use inputanim::{Joint, Side};
use inputanim_openxr::{Player, Scene};
use openxr_sys::{self as xr, Handle};

use super::checks::check_time;
use super::locate::{Base, Velocities, location, velocity};
use crate::extensions::Extension;
use crate::objects::handles::{NO_HANDLE, add};
use crate::objects::hands::Tracker;
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, INVALID, In, Out, Reply, Set};

/// The number of joints.
const JOINTS: u32 = Joint::OPENXR.len() as u32;

/// The sources of hand tracking: hands that are seen, and hands that are computed from the state of a controller.
const SOURCES: [xr::HandTrackingDataSourceEXT; 2] = [
    xr::HandTrackingDataSourceEXT::UNOBSTRUCTED,
    xr::HandTrackingDataSourceEXT::CONTROLLER,
];

/// Returns for each of the [`SOURCES`] whether an application that requests sources accepts it. Fails if it requests no source, an
/// unknown source or a source twice.
fn accepted_sources(info: &In<xr::HandTrackingDataSourceInfoEXT>) -> Result<[bool; 2], xr::Result> {
    let count = info.requested_data_source_count;
    let sources = info.array(info.requested_data_sources.cast_const(), count)?;
    let is_valid = |(index, source)| SOURCES.contains(source) && !sources[..index].contains(source);
    if sources.is_empty() || !sources.iter().enumerate().all(is_valid) {
        return Err(INVALID);
    }
    Ok(SOURCES.map(|source| sources.contains(&source)))
}

pub(crate) fn create(
    session: xr::Session,
    info: In<xr::HandTrackerCreateInfoEXT>,
    tracker: Set<xr::HandTrackerEXT>,
) -> Reply {
    let mut state = State::lock();
    state.session(session)?;
    let side = match info.hand {
        xr::HandEXT::LEFT => Side::Left,
        xr::HandEXT::RIGHT => Side::Right,
        _ => return Err(INVALID),
    };
    if info.hand_joint_set != xr::HandJointSetEXT::DEFAULT {
        return Err(INVALID);
    }
    let has_sources = state.of_session(session)?.has(Extension::HandDataSource);
    let sources = info
        .chained::<xr::HandTrackingDataSourceInfoEXT>()
        .filter(|_| has_sources);
    let made = Tracker {
        side,
        sources: sources.as_ref().map(accepted_sources).transpose()?,
        is_of_application: true,
    };
    let handle = state.new_handle();
    add(&mut state.session(session)?.trackers, handle, made)?;
    tracker.set(xr::HandTrackerEXT::from_raw(handle));
    DONE
}

pub(crate) fn destroy(tracker: xr::HandTrackerEXT) -> Reply {
    let mut state = State::lock();
    let instance = state.any()?;
    let trackers = &mut instance.session()?.trackers;
    let removed = trackers.remove(&tracker.into_raw()).ok_or(NO_HANDLE)?;
    instance.report(|report| report.input.is_wanted |= removed.is_of_application);
    DONE
}

/// Marks a tracker as one of the layer that records the application: the report ignores it.
pub(crate) fn exclude(tracker: xr::HandTrackerEXT) -> Reply {
    let mut state = State::lock();
    let trackers = &mut state.any()?.session()?.trackers;
    let tracker = trackers.get_mut(&tracker.into_raw()).ok_or(NO_HANDLE)?;
    tracker.is_of_application = false;
    DONE
}

pub(crate) fn locate(
    tracker: xr::HandTrackerEXT,
    info: In<xr::HandJointsLocateInfoEXT>,
    mut locations: Out<xr::HandJointLocationsEXT>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.any()?;
    let has_sources = instance.has(Extension::HandDataSource);
    let session = instance.session()?;
    let tracker = *session.trackers.get(&tracker.into_raw()).ok_or(NO_HANDLE)?;
    let base = session.space(info.base_space)?;
    let has_input = session.has_input() && session.timeline.has_begun();
    check_time(info.time)?;
    if locations.joint_count != JOINTS {
        return Err(INVALID);
    }
    let index = usize::from(tracker.side == Side::Right);
    let scene = instance.scene(info.time);
    let headset = instance.player.headset_at(instance.seconds(info.time));
    let is_from_controller = Player::is_from_controller(tracker.side, &headset, &scene);
    let source = usize::from(is_from_controller);
    let is_accepted = tracker.sources.is_none_or(|accepted| accepted[source]);
    let radii = Player::radii(tracker.side, &headset);
    let hand = scene.hands[index]
        .complete()
        .filter(|_| has_input && is_accepted);
    let inside = Base::new(instance, &scene, base);
    // The joints of an active hand are all valid.
    let is_active = hand.is_some() && inside.is_known();
    locations.is_active = is_active.into();
    if tracker.is_of_application {
        instance.report(|report| {
            report.input.is_wanted = true;
            report.input.is_active |= is_active;
        });
    }
    let found = locations.array(locations.joint_locations, JOINTS)?;
    for (number, located) in found.iter_mut().enumerate() {
        let joint = hand.as_ref().map(|hand| hand[number]);
        let pose = joint.and_then(|(pose, _)| inside.locate(pose));
        let is_recorded = joint.is_some_and(|(_, is_recorded)| is_recorded);
        (located.location_flags, located.pose) = location(pose, is_recorded);
        located.radius = radii[number];
    }
    if let Some(mut speeds) = locations.chained::<xr::HandJointVelocitiesEXT>() {
        if speeds.joint_count != JOINTS {
            return Err(INVALID);
        }
        let velocities = speeds.array(speeds.joint_velocities, JOINTS)?;
        let moving = Velocities::new(instance, base, info.time);
        for (number, speed) in velocities.iter_mut().enumerate() {
            let joint = |scene: &Scene| scene.hands[index].joints[number];
            let found = moving.of(joint).filter(|_| is_active);
            (
                speed.velocity_flags,
                speed.linear_velocity,
                speed.angular_velocity,
            ) = velocity(found);
        }
    }
    let found = locations.chained::<xr::HandTrackingDataSourceStateEXT>();
    if let Some(mut found) = found.filter(|_| has_sources) {
        // The application has not asked for sources.
        tracker.sources.ok_or(INVALID)?;
        found.is_active = is_accepted.into();
        found.data_source = SOURCES[source];
    }
    DONE
}
