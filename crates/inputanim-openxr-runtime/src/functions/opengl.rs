//! Graphics with OpenGL (`XR_KHR_opengl_enable`).

use openxr_sys as xr;

use super::checks::check_system;
use crate::graphics::Api;
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, Out, Reply};

pub(crate) fn requirements(
    instance: xr::Instance,
    system: xr::SystemId,
    mut requirements: Out<xr::GraphicsRequirementsOpenGLKHR>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(system)?;
    instance.requirements.insert(Api::OpenGl);
    // Textures with a fixed storage.
    requirements.min_api_version_supported = xr::Version::new(4, 2, 0);
    requirements.max_api_version_supported = xr::Version::new(4, 6, 0);
    DONE
}
