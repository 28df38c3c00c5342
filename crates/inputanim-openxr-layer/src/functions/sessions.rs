//! Creation and end of sessions, and the spaces and hand trackers of the layer.

use std::ptr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use inputanim::Side;
use inputanim_openxr::RecordSpace;
use openxr_sys::{self as xr, Handle};

use crate::extensions::Extension;
use crate::state::{
    Instance, Session, Spaces, Tracker, add_session, find_instance, find_session, remove_session,
};
use inputanim_openxr_ffi::{Read, Reply, Write, check};

pub(crate) fn create(
    handle: xr::Instance,
    info: Read<xr::SessionCreateInfo>,
    session: Write<xr::Session>,
) -> Reply {
    let instance = find_instance(handle)?;
    let result = instance.next.create_session(handle, info, session);
    if check(result).is_ok()
        && let Some(handle) = session.value()
    {
        let spaces = instance.protect(|| Spaces::new(&instance, handle));
        add_session(Arc::new(Session {
            handle,
            instance,
            spaces: spaces.unwrap_or_default(),
            state: Mutex::default(),
            is_focused: AtomicBool::new(false),
            reported_profiles: Mutex::default(),
        }));
    }
    Ok(result)
}

pub(crate) fn begin(handle: xr::Session, info: Read<xr::SessionBeginInfo>) -> Reply {
    let session = find_session(handle)?;
    let result = session.next().begin_session(handle, info);
    if let (Ok(()), Some(info)) = (check(result), info.read()) {
        session.lock().views = Some(info.primary_view_configuration_type);
    }
    Ok(result)
}

pub(crate) fn end(handle: xr::Session) -> Reply {
    let session = find_session(handle)?;
    let result = session.next().end_session(handle);
    if check(result).is_ok() {
        session.finish();
    }
    Ok(result)
}

pub(crate) fn destroy(handle: xr::Session) -> Reply {
    let session = find_session(handle)?;
    // The recording is complete before the runtime does anything.
    session.finish();
    session.report_nothing();
    let result = session.next().destroy_session(handle);
    if check(result).is_ok() {
        remove_session(handle);
    }
    Ok(result)
}

impl Spaces {
    /// Creates the spaces and hand trackers of the layer in a session. Those that the runtime does not offer are
    /// `None`, and `notes` says why.
    fn new(instance: &Instance, session: xr::Session) -> Spaces {
        let mut spaces = Spaces::default();
        let space = |kind| {
            let info = xr::ReferenceSpaceCreateInfo {
                ty: xr::ReferenceSpaceCreateInfo::TYPE,
                next: ptr::null(),
                reference_space_type: kind,
                pose_in_reference_space: xr::Posef::IDENTITY,
            };
            let mut space = xr::Space::NULL;
            let (info, made) = ((&info).into(), (&mut space).into());
            check(instance.next.create_reference_space(session, info, made)).map(|()| space)
        };
        let stage = match instance.settings.space {
            RecordSpace::Local => None,
            RecordSpace::Auto | RecordSpace::Stage => space(xr::ReferenceSpaceType::STAGE)
                .inspect_err(|error| {
                    let note = format!(
                        "the runtime has no stage ({error:?}): poses are in the local space"
                    );
                    spaces.notes.push(note);
                })
                .ok(),
        };
        spaces.base = stage.or_else(|| {
            let local = space(xr::ReferenceSpaceType::LOCAL);
            local
                .inspect_err(|error| {
                    spaces
                        .notes
                        .push(format!("the runtime has no local space: {error:?}"));
                })
                .ok()
        });
        spaces.view = space(xr::ReferenceSpaceType::VIEW).ok();
        for side in Side::BOTH {
            spaces.trackers[usize::from(side == Side::Right)] =
                spaces.tracker(instance, session, side);
        }
        if !instance.has(Extension::EyeGaze) {
            spaces
                .notes
                .push("the runtime does not offer eye gaze".to_owned());
        }
        spaces
    }

    /// Creates the hand tracker for one hand; `None` if the runtime does not offer it, with a note in `self`.
    fn tracker(
        &mut self,
        instance: &Instance,
        session: xr::Session,
        side: Side,
    ) -> Option<Tracker> {
        if !instance.has(Extension::HandTracking) {
            if side == Side::Left {
                self.notes
                    .push("the runtime does not offer hand tracking".to_owned());
            }
            return None;
        }
        // Hands that a runtime makes from controllers are better than none.
        let mut sources = [
            xr::HandTrackingDataSourceEXT::UNOBSTRUCTED,
            xr::HandTrackingDataSourceEXT::CONTROLLER,
        ];
        let source = xr::HandTrackingDataSourceInfoEXT {
            ty: xr::HandTrackingDataSourceInfoEXT::TYPE,
            next: ptr::null(),
            requested_data_source_count: sources.len() as u32,
            requested_data_sources: sources.as_mut_ptr(),
        };
        let plain = xr::HandTrackerCreateInfoEXT {
            ty: xr::HandTrackerCreateInfoEXT::TYPE,
            next: ptr::null(),
            hand: match side {
                Side::Left => xr::HandEXT::LEFT,
                Side::Right => xr::HandEXT::RIGHT,
            },
            hand_joint_set: xr::HandJointSetEXT::DEFAULT,
        };
        let chained = xr::HandTrackerCreateInfoEXT {
            next: (&raw const source).cast(),
            ..plain
        };
        let create = |info: &xr::HandTrackerCreateInfoEXT| {
            let mut handle = xr::HandTrackerEXT::NULL;
            let has_source = !info.next.is_null();
            let (info, made) = (info.into(), (&mut handle).into());
            let result = instance.next.create_hand_tracker(session, info, made);
            check(result).map(|()| {
                instance.next.exclude_hand_tracker(handle);
                Tracker { handle, has_source }
            })
        };
        let with_source = instance
            .has(Extension::HandDataSource)
            .then(|| create(&chained).ok());
        let tracker = with_source.flatten().map_or_else(|| create(&plain), Ok);
        tracker
            .inspect_err(|error| {
                self.notes
                    .push(format!("the {side} hand cannot be tracked: {error:?}"));
            })
            .ok()
    }
}
