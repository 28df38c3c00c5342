//! Labels of `XR_EXT_debug_utils`, which become markers.

use openxr_sys as xr;

use crate::state::{Session, find_session};
use inputanim_openxr_ffi::{Read, Reply, check};

/// The functions for labels.
pub(crate) const NAMES: [&str; 2] = [
    "xrSessionBeginDebugUtilsLabelRegionEXT",
    "xrSessionInsertDebugUtilsLabelEXT",
];

/// Returns the result of a label function of the next layer, but success if it does not have the function: the loader
/// keeps labels also for a runtime without them.
fn accepted(result: xr::Result) -> xr::Result {
    match result {
        xr::Result::ERROR_FUNCTION_UNSUPPORTED => xr::Result::SUCCESS,
        other => other,
    }
}

pub(crate) fn begin(handle: xr::Session, label: Read<xr::DebugUtilsLabelEXT>) -> Reply {
    let session = find_session(handle)?;
    let result = accepted(session.next().begin_label(handle, label));
    mark(&session, result, label);
    Ok(result)
}

pub(crate) fn insert(handle: xr::Session, label: Read<xr::DebugUtilsLabelEXT>) -> Reply {
    let session = find_session(handle)?;
    let result = accepted(session.next().insert_label(handle, label));
    mark(&session, result, label);
    Ok(result)
}

fn mark(session: &Session, result: xr::Result, label: Read<xr::DebugUtilsLabelEXT>) {
    if check(result).is_err() {
        return;
    }
    session.protect(|| {
        if let Some(label) = label.read()
            && let Ok(name) = label.string(label.label_name)
        {
            session.mark(name.to_owned());
        }
    });
}
