//! Labels of `XR_EXT_debug_utils`, which become markers.

use openxr_sys as xr;

use crate::session::{self, Session};
use inputanim_openxr_border::Read;
use inputanim_openxr_border::Reply;
use inputanim_openxr_border::check;

pub(crate) fn begin(handle: xr::Session, label: Read<xr::DebugUtilsLabelEXT>) -> Reply {
    let session = session::find(handle)?;
    let result = session.next().begin_label(handle, label);
    mark(&session, result, label);
    Ok(result)
}

pub(crate) fn insert(handle: xr::Session, label: Read<xr::DebugUtilsLabelEXT>) -> Reply {
    let session = session::find(handle)?;
    let result = session.next().insert_label(handle, label);
    mark(&session, result, label);
    Ok(result)
}

fn mark(session: &Session, result: xr::Result, label: Read<xr::DebugUtilsLabelEXT>) {
    if check(result).is_err() {
        return;
    }
    session.protect(|| {
        if let Some(label) = label.read()
            && let Ok(name) = label.text(label.label_name)
        {
            session.mark(name.to_owned());
        }
    });
}
