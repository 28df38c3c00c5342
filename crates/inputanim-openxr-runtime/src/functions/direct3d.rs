//! Graphics with Direct3D (`XR_KHR_D3D11_enable` and `XR_KHR_D3D12_enable`).

use openxr_sys as xr;
use openxr_sys::platform::{D3D_FEATURE_LEVEL, LUID};
use windows::Win32::Graphics::Direct3D::D3D_FEATURE_LEVEL_11_0;

use super::checks::check_system;
use crate::graphics::{Api, dxgi};
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, Out, Reply};

pub(crate) fn requirements_11(
    instance: xr::Instance,
    system: xr::SystemId,
    mut requirements: Out<xr::GraphicsRequirementsD3D11KHR>,
) -> Reply {
    let (adapter, level) = demand(instance, system, Api::Direct3d11)?;
    requirements.adapter_luid = adapter;
    requirements.min_feature_level = level;
    DONE
}

pub(crate) fn requirements_12(
    instance: xr::Instance,
    system: xr::SystemId,
    mut requirements: Out<xr::GraphicsRequirementsD3D12KHR>,
) -> Reply {
    let (adapter, level) = demand(instance, system, Api::Direct3d12)?;
    requirements.adapter_luid = adapter;
    requirements.min_feature_level = level;
    DONE
}

/// Returns the graphics card and the feature level that a device must have at least, and notes that the application has asked
/// for the requirements of `api`.
fn demand(
    instance: xr::Instance,
    system: xr::SystemId,
    api: Api,
) -> Result<(LUID, D3D_FEATURE_LEVEL), xr::Result> {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(system)?;
    let adapter = dxgi::adapter()?;
    instance.requirements.insert(api);
    Ok((adapter, D3D_FEATURE_LEVEL_11_0.0))
}
