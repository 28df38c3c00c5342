//! An OpenXR runtime that plays a recording instead of a headset.
//!
//! The loader of OpenXR loads the library, and calls [`xrNegotiateLoaderRuntimeInterface`]. The settings are in the
//! environment variable [`inputanim_openxr::SETTINGS`], or in the file that `inputanim openxr install` writes. docs/openxr.md describes what applications get.

#![deny(unsafe_code)]

mod actions;
#[allow(unsafe_code, reason = "the border of the C interface")]
mod border;
mod clock;
mod debug;
mod extensions;
mod frames;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
mod functions;
mod graphics;
mod hands;
#[allow(unsafe_code, reason = "one argument that must be null")]
mod instance;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the functions of OpenGL")]
mod opengl;
mod paths;
mod picture;
mod profiles;
mod session;
mod space;
mod state;
mod swapchains;
mod system;
#[allow(unsafe_code, reason = "the functions of Vulkan")]
mod vulkan;

use openxr_sys::{self as xr, NegotiateLoaderInfo, NegotiateRuntimeRequest};

/// The version of the interface between the loader and runtimes.
const INTERFACE: u32 = 1;

/// Gives the loader the functions of the runtime (OpenXR loader design, "Runtime Interface Negotiation").
///
/// # Safety
/// The pointers must be null or point to the structures of the loader.
#[allow(unsafe_code, reason = "the loader calls the function")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn xrNegotiateLoaderRuntimeInterface(
    loader: *const NegotiateLoaderInfo,
    request: *mut NegotiateRuntimeRequest,
) -> xr::Result {
    // SAFETY: the loader provides valid structures.
    let (loader, request) = unsafe { (loader.as_ref(), request.as_mut()) };
    let (Some(loader), Some(request)) = (loader, request) else {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    };
    let is_loader = loader.struct_type == NegotiateLoaderInfo::TYPE
        && loader.struct_version == NegotiateLoaderInfo::VERSION
        && loader.struct_size == size_of::<NegotiateLoaderInfo>()
        && (loader.min_interface_version..=loader.max_interface_version).contains(&INTERFACE)
        && loader.min_api_version <= instance::API_VERSION
        && loader.max_api_version >= xr::Version::new(1, 0, 0);
    let is_request = request.struct_type == NegotiateRuntimeRequest::TYPE
        && request.struct_version == NegotiateRuntimeRequest::VERSION
        && request.struct_size == size_of::<NegotiateRuntimeRequest>();
    if !(is_loader && is_request) {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    }
    request.runtime_interface_version = INTERFACE;
    request.runtime_api_version = instance::API_VERSION;
    request.get_instance_proc_addr = Some(functions::get_instance_proc_addr());
    xr::Result::SUCCESS
}
