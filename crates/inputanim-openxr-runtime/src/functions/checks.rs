//! Checks of arguments.

use openxr_sys as xr;

use crate::objects::session::Session;

/// The failure of an action whose set is not attached to the session.
pub(crate) const NOT_ATTACHED: xr::Result = xr::Result::ERROR_ACTIONSET_NOT_ATTACHED;

/// The failure of a change of an action set that is attached.
pub(crate) const ALREADY_ATTACHED: xr::Result = xr::Result::ERROR_ACTIONSETS_ALREADY_ATTACHED;

/// The only system.
pub(crate) const SYSTEM: u64 = 1;

/// The size of an image at most, in pixels.
pub(crate) const MAX_SIZE: u32 = 8192;

/// The number of layers of a frame at most.
pub(crate) const MAX_LAYERS: u32 = 16;

/// The number of views.
pub(crate) const VIEWS: usize = 2;

/// Checks that an identifier is that of the only system. Fails with `ERROR_SYSTEM_INVALID`.
pub(crate) fn check_system(system: xr::SystemId) -> Result<(), xr::Result> {
    if system.into_raw() == SYSTEM {
        Ok(())
    } else {
        Err(xr::Result::ERROR_SYSTEM_INVALID)
    }
}

/// Checks that a view configuration is the one with a view for each eye. Fails with
/// `ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED`.
pub(crate) fn check_view(view: xr::ViewConfigurationType) -> Result<(), xr::Result> {
    if view == xr::ViewConfigurationType::PRIMARY_STEREO {
        Ok(())
    } else {
        Err(xr::Result::ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED)
    }
}

/// Checks that a time of OpenXR is positive. Fails with `ERROR_TIME_INVALID`.
pub(crate) fn check_time(time: xr::Time) -> Result<(), xr::Result> {
    if time.as_nanos() > 0 {
        Ok(())
    } else {
        Err(xr::Result::ERROR_TIME_INVALID)
    }
}

/// Checks that a session is running: the application has begun it, and not ended it. Fails with
/// `ERROR_SESSION_NOT_RUNNING`.
pub(crate) fn check_running(session: &Session) -> Result<(), xr::Result> {
    if session.is_running {
        Ok(())
    } else {
        Err(xr::Result::ERROR_SESSION_NOT_RUNNING)
    }
}
