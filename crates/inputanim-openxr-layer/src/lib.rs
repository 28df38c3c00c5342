//! An OpenXR API layer that records what an application gets from any runtime: the head, both hands, the gaze and the
//! pinches, at the times of the frames of the application.
//!
//! The loader of OpenXR loads the library if its manifest is found and the layer is enabled, and calls
//! [`xrNegotiateLoaderApiLayerInterface`]. The settings are in the environment variable
//! [`inputanim_openxr::RECORD_SETTINGS`]. Without the variable, the layer passes all calls on and records nothing.
//!
//! The layer does not depend on what the application asks for. It adds extensions to the instance, and has its own
//! spaces, hand trackers and action set. If the next layer or the runtime refuses one of them, the layer does without it,
//! and the call of the application is passed on unchanged. An error or a panic of the layer ends the recording, and never
//! reaches the application.
//!
//! | module | content |
//! |---|---|
//! | `given`, `next`, `functions` | the C interface: the calls of the application, and the calls of the next functions |
//! | `instance`, `session` | the objects of the application, and what the layer has for each of them |
//! | `actions`, `bindings` | the action set of the layer |
//! | `frames`, `sample`, `convert` | the frames of the application, and what is recorded of each |
//! | `recording`, `files` | the thread that writes the session file, and at the end the recording |

#![deny(unsafe_code)]

mod actions;
mod bindings;
#[allow(unsafe_code, reason = "the border of the C interface")]
#[allow(dead_code, reason = "the runtime uses the rest of the file")]
#[path = "../../inputanim-openxr-runtime/src/border.rs"]
mod border;
mod convert;
mod extensions;
mod files;
mod frames;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
mod functions;
#[allow(unsafe_code, reason = "the arguments of the application")]
mod given;
mod instance;
mod labels;
mod messages;
#[allow(unsafe_code, reason = "the calls of the next functions")]
mod next;
mod recording;
mod sample;
mod session;

use std::ffi::{CStr, c_char};

use inputanim_openxr::LAYER;
use openxr_sys::{self as xr, NegotiateApiLayerRequest, NegotiateLoaderInfo};

/// The version of the interface between the loader and layers.
const INTERFACE: u32 = 1;

/// The newest version of OpenXR that the layer knows.
const API_VERSION: xr::Version = xr::Version::new(1, 1, 0);

/// Gives the loader the functions of the layer (OpenXR loader design, "API Layer Interface Negotiation").
///
/// # Safety
/// The pointers must be null or point to the structures and the text of the loader.
#[allow(unsafe_code, reason = "the loader calls the function")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn xrNegotiateLoaderApiLayerInterface(
    loader: *const NegotiateLoaderInfo,
    name: *const c_char,
    request: *mut NegotiateApiLayerRequest,
) -> xr::Result {
    // SAFETY: the loader provides valid structures.
    let (loader, request) = unsafe { (loader.as_ref(), request.as_mut()) };
    let (Some(loader), Some(request)) = (loader, request) else {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the loader provides a text that ends with a NUL. The tests of some loaders provide none.
    let is_named = name.is_null() || unsafe { CStr::from_ptr(name) }.to_bytes() == LAYER.as_bytes();
    let is_loader = loader.struct_type == NegotiateLoaderInfo::TYPE
        && loader.struct_version == NegotiateLoaderInfo::VERSION
        && loader.struct_size == size_of::<NegotiateLoaderInfo>()
        && (loader.min_interface_version..=loader.max_interface_version).contains(&INTERFACE)
        && loader.min_api_version <= API_VERSION
        && loader.max_api_version >= xr::Version::new(1, 0, 0);
    let is_request = request.struct_type == NegotiateApiLayerRequest::TYPE
        && request.struct_version == NegotiateApiLayerRequest::VERSION
        && request.struct_size == size_of::<NegotiateApiLayerRequest>();
    if !(is_named && is_loader && is_request) {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    }
    request.layer_interface_version = INTERFACE;
    request.layer_api_version = API_VERSION;
    request.get_instance_proc_addr = Some(functions::get_instance_proc_addr());
    request.create_api_layer_instance = Some(functions::create_api_layer_instance());
    xr::Result::SUCCESS
}
