//! The first call of the loader (OpenXR loader design, "Runtime Interface Negotiation" and "API Layer Interface
//! Negotiation").

use std::ffi::{CStr, c_char};

use openxr_sys::{
    self as xr, NegotiateApiLayerRequest, NegotiateLoaderInfo, NegotiateRuntimeRequest, pfn,
};

use crate::arguments::check;

/// The newest version of OpenXR that the libraries know.
pub const API_VERSION: xr::Version = xr::Version::new(1, 1, 0);

/// The version of the interface between the loader and libraries.
const INTERFACE: u32 = 1;

/// Answers the loader's first call of a runtime: writes the supported version of OpenXR, and the function `get` by
/// which the loader finds all others, to `request`. Returns `ERROR_INITIALIZATION_FAILED` if a structure or version
/// does not match.
///
/// # Safety
/// The pointers must be null or point to the structures of the loader.
pub unsafe fn negotiate_runtime(
    loader: *const NegotiateLoaderInfo,
    request: *mut NegotiateRuntimeRequest,
    get: pfn::GetInstanceProcAddr,
) -> xr::Result {
    // SAFETY: the loader provides valid structures.
    let (loader, request) = unsafe { (loader.as_ref(), request.as_mut()) };
    let (Some(loader), Some(request)) = (loader, request) else {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    };
    let is_request = request.struct_type == NegotiateRuntimeRequest::TYPE
        && request.struct_version == NegotiateRuntimeRequest::VERSION
        && request.struct_size == size_of::<NegotiateRuntimeRequest>();
    if !(is_loader(loader) && is_request) {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    }
    request.runtime_interface_version = INTERFACE;
    request.runtime_api_version = API_VERSION;
    request.get_instance_proc_addr = Some(get);
    xr::Result::SUCCESS
}

/// Calls the first function of a runtime as the loader does, and returns the function that finds all others; `None` if
/// the runtime refuses.
pub(crate) fn request_runtime(
    negotiate: pfn::NegotiateLoaderRuntimeInterface,
) -> Option<pfn::GetInstanceProcAddr> {
    let loader = NegotiateLoaderInfo {
        struct_type: NegotiateLoaderInfo::TYPE,
        struct_version: NegotiateLoaderInfo::VERSION,
        struct_size: size_of::<NegotiateLoaderInfo>(),
        min_interface_version: INTERFACE,
        max_interface_version: INTERFACE,
        min_api_version: xr::Version::new(1, 0, 0),
        max_api_version: xr::Version::new(1, 0x3ff, 0xfff),
    };
    let mut request = NegotiateRuntimeRequest {
        struct_type: NegotiateRuntimeRequest::TYPE,
        struct_version: NegotiateRuntimeRequest::VERSION,
        struct_size: size_of::<NegotiateRuntimeRequest>(),
        runtime_interface_version: 0,
        runtime_api_version: xr::Version::new(0, 0, 0),
        get_instance_proc_addr: None,
    };
    // SAFETY: the structures are valid.
    let result = unsafe { negotiate(&raw const loader, &raw mut request) };
    check(result).ok()?;
    request.get_instance_proc_addr
}

/// Answers the loader's first call of the layer `expected`: writes the supported version of OpenXR and two functions,
/// which find other functions and create an instance, to `request`. Returns `ERROR_INITIALIZATION_FAILED` if a
/// structure or version does not match, or if the loader asks for a layer with another `name`.
///
/// # Safety
/// The pointers must be null or point to the structures and the string of the loader.
pub unsafe fn negotiate_layer(
    loader: *const NegotiateLoaderInfo,
    name: *const c_char,
    request: *mut NegotiateApiLayerRequest,
    expected: &str,
    (get, create): (pfn::GetInstanceProcAddr, pfn::CreateApiLayerInstance),
) -> xr::Result {
    // SAFETY: the loader provides valid structures.
    let (loader, request) = unsafe { (loader.as_ref(), request.as_mut()) };
    let (Some(loader), Some(request)) = (loader, request) else {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the loader provides a string that ends with a NUL. The tests of some loaders provide none.
    let is_named =
        name.is_null() || unsafe { CStr::from_ptr(name) }.to_bytes() == expected.as_bytes();
    let is_request = request.struct_type == NegotiateApiLayerRequest::TYPE
        && request.struct_version == NegotiateApiLayerRequest::VERSION
        && request.struct_size == size_of::<NegotiateApiLayerRequest>();
    if !(is_named && is_loader(loader) && is_request) {
        return xr::Result::ERROR_INITIALIZATION_FAILED;
    }
    request.layer_interface_version = INTERFACE;
    request.layer_api_version = API_VERSION;
    request.get_instance_proc_addr = Some(get);
    request.create_api_layer_instance = Some(create);
    xr::Result::SUCCESS
}

/// Returns `true` if the structure is valid, and its range of versions includes the version of this library.
fn is_loader(loader: &NegotiateLoaderInfo) -> bool {
    loader.struct_type == NegotiateLoaderInfo::TYPE
        && loader.struct_version == NegotiateLoaderInfo::VERSION
        && loader.struct_size == size_of::<NegotiateLoaderInfo>()
        && (loader.min_interface_version..=loader.max_interface_version).contains(&INTERFACE)
        && loader.min_api_version <= API_VERSION
        && loader.max_api_version >= xr::Version::new(1, 0, 0)
}
