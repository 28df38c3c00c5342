//! An OpenXR runtime that plays a recording instead of a headset.
//!
//! The loader of OpenXR loads the library, and calls [`xrNegotiateLoaderRuntimeInterface`]. The settings are in the
//! environment variable [`inputanim_openxr::SETTINGS`], or in the file that `inputanim openxr install` writes.
//! docs/openxr.md describes what applications get.
//!
//! | module | content |
//! |---|---|
//! | `loader` | the functions that an application calls before it has an instance |
//! | `over` | playback over another runtime |
//! | `functions` | the functions of OpenXR |
//! | `objects` | the objects of an application, as data |
//! | `graphics` | the images of swapchains, in the graphics interface of the application |
//! | `clock`, `extensions`, `poses` | the time of the computer, the extensions of the runtime, conversion of poses |
//!
//! A module uses only modules that are below it in this table.

#![deny(unsafe_code)]

mod clock;
mod extensions;
mod functions;
mod graphics;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
mod loader;
mod objects;
mod over;
mod poses;

use inputanim_openxr_ffi::negotiate_runtime;
use openxr_sys::{self as xr, NegotiateLoaderInfo, NegotiateRuntimeRequest};

/// Answers the loader's first call: gives it the function that finds all functions of this runtime (OpenXR loader
/// design, "Runtime Interface Negotiation").
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
    unsafe { negotiate_runtime(loader, request, loader::get_instance_proc_addr()) }
}
