//! An OpenXR API layer that records what an application gets from any runtime: the head, both hands, controllers, the gaze and the
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
//! | `functions` | the functions that the layer has between the application and the next layer |
//! | `state` | instances, sessions, and the actions of the layer for both |
//! | `plan` | the actions that give each input |
//! | `application` | the actions of the application, and the bindings that it suggests for them |
//! | `extensions`, `bindings` | the extensions and the inputs that the layer adds to those of the application |
//! | `recording`, `files`, `marks` | the thread that writes the session file |
//! | `frames`, `sample`, `convert` | the frames of the application, and the content that is recorded of each |
//!
//! A module uses only modules that are below it in this table.

#![deny(unsafe_code)]

mod application;
mod bindings;
mod convert;
mod extensions;
mod files;
mod frames;
mod functions;
mod marks;
mod messages;
mod plan;
mod recording;
mod sample;
mod state;

use std::ffi::c_char;

use inputanim_openxr::LAYER;
use inputanim_openxr_ffi::negotiate_layer;
use openxr_sys::{self as xr, NegotiateApiLayerRequest, NegotiateLoaderInfo};

/// Answers the loader's first call: gives it the functions that create an instance and that find all other functions of
/// this layer (OpenXR loader design, "API Layer Interface Negotiation").
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
    let functions = (
        functions::table::get_instance_proc_addr(),
        functions::table::create_api_layer_instance(),
    );
    // SAFETY: the loader provides valid pointers.
    unsafe { negotiate_layer(loader, name, request, LAYER, functions) }
}
