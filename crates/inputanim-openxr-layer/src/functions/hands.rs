//! Hand trackers of the application.

use openxr_sys as xr;

use crate::extensions::Extension;
use crate::state::{NO_HANDLE, find_hiding, find_session};
use inputanim_openxr_ffi::{Read, Reply, Write};

pub(crate) fn create(
    handle: xr::Session,
    info: Read<xr::HandTrackerCreateInfoEXT>,
    tracker: Write<xr::HandTrackerEXT>,
) -> Reply {
    let session = find_session(handle)?;
    let next = session.next();
    if let Some(read) = info.read()
        && session.instance.added.contains(&Extension::HandDataSource)
        && let Some(source) = read.chained::<xr::HandTrackingDataSourceInfoEXT>()
        && std::ptr::eq(read.next.cast(), &raw const *source)
    {
        // Only the first structure of the chain can be omitted, because the others cannot be copied without their sizes.
        let plain = xr::HandTrackerCreateInfoEXT {
            next: source.next,
            ..*read
        };
        return Ok(next.create_hand_tracker(handle, (&plain).into(), tracker));
    }
    Ok(next.create_hand_tracker(handle, info, tracker))
}

pub(crate) fn locate(
    tracker: xr::HandTrackerEXT,
    info: Read<xr::HandJointsLocateInfoEXT>,
    locations: Write<xr::HandJointLocationsEXT>,
) -> Reply {
    // Trackers do not name their instance. The loader of OpenXR allows one instance.
    let instance = find_hiding(Extension::HandDataSource).ok_or(NO_HANDLE)?;
    let locate = || instance.next.locate_hand_joints(tracker, info, locations);
    Ok(match locations.edit() {
        Some(output) => output.hiding::<xr::HandTrackingDataSourceStateEXT, _>(locate),
        None => locate(),
    })
}
