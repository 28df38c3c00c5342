//! An OpenXR runtime that plays a recording instead of a headset.
//!
//! The loader of OpenXR loads the library, and calls [`xrNegotiateLoaderRuntimeInterface`]. The settings are in the
//! environment variable [`inputanim_openxr::SETTINGS`], or in the file that `inputanim openxr install` writes. docs/openxr.md describes what applications get.

#![deny(unsafe_code)]

mod actions;
mod clock;
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
mod over;
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

use inputanim_openxr_ffi::negotiate_runtime;
use openxr_sys::{self as xr, NegotiateLoaderInfo, NegotiateRuntimeRequest};

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
    // SAFETY: the loader provides valid pointers.
    unsafe { negotiate_runtime(loader, request, functions::get_instance_proc_addr()) }
}
