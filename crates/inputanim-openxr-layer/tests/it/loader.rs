//! A loader with one layer and one runtime: the layer and the runtime of inputanim. It can refuse calls of the layer.

use std::ffi::{CStr, CString, c_char};
use std::mem::transmute;
use std::ptr;
use std::sync::Mutex;

use inputanim_openxr::LAYER;
use inputanim_openxr_layer::xrNegotiateLoaderApiLayerInterface;
use inputanim_openxr_runtime::xrNegotiateLoaderRuntimeInterface;
use openxr::sys::{self, Handle, pfn};

/// A call that the runtime refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Instances with extensions that the application does not enable.
    Extensions,
    /// Bindings of the layer, in calls with bindings of the application.
    Bindings,
    /// More action sets than one.
    Attach,
    /// The synchronisation of more action sets than one.
    Sync,
    /// Hand trackers.
    Trackers,
    /// The stage.
    Stage,
    /// Action sets of the layer.
    ActionSets,
    /// The location of views.
    Views,
}

static REFUSALS: Mutex<Vec<Refusal>> = Mutex::new(Vec::new());

fn refuses(refusal: Refusal) -> bool {
    let refusals = REFUSALS.lock().expect("no test panics meanwhile");
    refusals.contains(&refusal)
}

static LOADER: sys::NegotiateLoaderInfo = sys::NegotiateLoaderInfo {
    struct_type: sys::NegotiateLoaderInfo::TYPE,
    struct_version: sys::NegotiateLoaderInfo::VERSION,
    struct_size: size_of::<sys::NegotiateLoaderInfo>(),
    min_interface_version: 1,
    max_interface_version: 1,
    min_api_version: sys::Version::new(1, 0, 0),
    max_api_version: sys::Version::new(1, 0x3ff, 0xfff),
};

/// Returns an empty request for the functions of a layer.
pub(crate) fn layer_request() -> sys::NegotiateApiLayerRequest {
    sys::NegotiateApiLayerRequest {
        struct_type: sys::NegotiateApiLayerRequest::TYPE,
        struct_version: sys::NegotiateApiLayerRequest::VERSION,
        struct_size: size_of::<sys::NegotiateApiLayerRequest>(),
        layer_interface_version: 0,
        layer_api_version: sys::Version::new(0, 0, 0),
        get_instance_proc_addr: None,
        create_api_layer_instance: None,
    }
}

/// Asks the layer for its functions.
pub(crate) fn negotiate(
    loader: &sys::NegotiateLoaderInfo,
    name: &CStr,
    request: &mut sys::NegotiateApiLayerRequest,
) -> sys::Result {
    // SAFETY: the structures and the name are valid.
    unsafe { xrNegotiateLoaderApiLayerInterface(loader, name.as_ptr(), request) }
}

/// Returns what a loader says.
pub(crate) fn loader_info() -> sys::NegotiateLoaderInfo {
    LOADER
}

/// Returns the name of the layer.
pub(crate) fn name() -> CString {
    CString::new(LAYER).expect("the name has no NUL")
}

fn layer() -> sys::NegotiateApiLayerRequest {
    let mut request = layer_request();
    let result = negotiate(&LOADER, &name(), &mut request);
    assert_eq!(result, sys::Result::SUCCESS);
    request
}

/// Finds a function of the runtime.
unsafe extern "system" fn runtime(
    instance: sys::Instance,
    name: *const c_char,
    function: *mut Option<pfn::VoidFunction>,
) -> sys::Result {
    let mut request = sys::NegotiateRuntimeRequest {
        struct_type: sys::NegotiateRuntimeRequest::TYPE,
        struct_version: sys::NegotiateRuntimeRequest::VERSION,
        struct_size: size_of::<sys::NegotiateRuntimeRequest>(),
        runtime_interface_version: 0,
        runtime_api_version: sys::Version::new(0, 0, 0),
        get_instance_proc_addr: None,
    };
    // SAFETY: the structures are valid, and the arguments are those of the caller.
    unsafe {
        let result = xrNegotiateLoaderRuntimeInterface(&raw const LOADER, &raw mut request);
        assert_eq!(result, sys::Result::SUCCESS);
        request.get_instance_proc_addr.expect("a function")(instance, name, function)
    }
}

/// Finds a function of the runtime by its type, for this instance. The caller is unsafe.
macro_rules! real {
    ($pfn:ident) => {{
        let name = concat!("xr", stringify!($pfn), "\0");
        let instance = *INSTANCE.lock().expect("no test panics meanwhile");
        let mut function = None;
        runtime(instance, name.as_ptr().cast(), &raw mut function);
        transmute::<pfn::VoidFunction, pfn::$pfn>(function.expect("a function"))
    }};
}

static INSTANCE: Mutex<sys::Instance> = Mutex::new(sys::Instance::NULL);

/// The runtime with refusals, as the layer sees it.
unsafe extern "system" fn next(
    instance: sys::Instance,
    name: *const c_char,
    function: *mut Option<pfn::VoidFunction>,
) -> sys::Result {
    macro_rules! replaced {
        ($pfn:ident, $own:ident) => {{
            let own: pfn::$pfn = $own;
            // SAFETY: all functions have the same size, and there is memory for the function.
            unsafe { *function = Some(transmute::<pfn::$pfn, pfn::VoidFunction>(own)) };
            sys::Result::SUCCESS
        }};
    }
    // SAFETY: the name ends with a NUL.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        // The real loader has these functions, also for a runtime without them.
        b"xrSessionInsertDebugUtilsLabelEXT" => replaced!(SessionInsertDebugUtilsLabelEXT, label),
        b"xrSessionBeginDebugUtilsLabelRegionEXT" => {
            replaced!(SessionBeginDebugUtilsLabelRegionEXT, label)
        }
        b"xrSessionEndDebugUtilsLabelRegionEXT" => {
            replaced!(SessionEndDebugUtilsLabelRegionEXT, end_label)
        }
        b"xrCreateDebugUtilsMessengerEXT" => {
            replaced!(CreateDebugUtilsMessengerEXT, create_messenger)
        }
        b"xrDestroyDebugUtilsMessengerEXT" => {
            replaced!(DestroyDebugUtilsMessengerEXT, destroy_messenger)
        }
        b"xrSetDebugUtilsObjectNameEXT" => replaced!(SetDebugUtilsObjectNameEXT, name_object),
        b"xrSubmitDebugUtilsMessageEXT" => replaced!(SubmitDebugUtilsMessageEXT, submit_message),
        b"xrSuggestInteractionProfileBindings" if refuses(Refusal::Bindings) => {
            replaced!(SuggestInteractionProfileBindings, suggest)
        }
        b"xrAttachSessionActionSets" if refuses(Refusal::Attach) => {
            replaced!(AttachSessionActionSets, attach)
        }
        b"xrSyncActions" if refuses(Refusal::Sync) => replaced!(SyncActions, sync),
        b"xrCreateHandTrackerEXT" if refuses(Refusal::Trackers) => {
            replaced!(CreateHandTrackerEXT, create_tracker)
        }
        b"xrCreateReferenceSpace" if refuses(Refusal::Stage) => {
            replaced!(CreateReferenceSpace, create_space)
        }
        b"xrCreateActionSet" if refuses(Refusal::ActionSets) => {
            replaced!(CreateActionSet, create_action_set)
        }
        b"xrLocateViews" if refuses(Refusal::Views) => replaced!(LocateViews, locate_views),
        // SAFETY: the arguments are those of the caller.
        _ => unsafe { runtime(instance, name, function) },
    }
}

unsafe extern "system" fn label(
    _session: sys::Session,
    _label: *const sys::DebugUtilsLabelEXT,
) -> sys::Result {
    sys::Result::SUCCESS
}

unsafe extern "system" fn end_label(_session: sys::Session) -> sys::Result {
    sys::Result::SUCCESS
}

unsafe extern "system" fn create_messenger(
    _instance: sys::Instance,
    _info: *const sys::DebugUtilsMessengerCreateInfoEXT,
    _messenger: *mut sys::DebugUtilsMessengerEXT,
) -> sys::Result {
    sys::Result::ERROR_RUNTIME_FAILURE
}

unsafe extern "system" fn destroy_messenger(
    _messenger: sys::DebugUtilsMessengerEXT,
) -> sys::Result {
    sys::Result::SUCCESS
}

unsafe extern "system" fn name_object(
    _instance: sys::Instance,
    _info: *const sys::DebugUtilsObjectNameInfoEXT,
) -> sys::Result {
    sys::Result::SUCCESS
}

unsafe extern "system" fn submit_message(
    _instance: sys::Instance,
    _severity: sys::DebugUtilsMessageSeverityFlagsEXT,
    _types: sys::DebugUtilsMessageTypeFlagsEXT,
    _data: *const sys::DebugUtilsMessengerCallbackDataEXT,
) -> sys::Result {
    sys::Result::SUCCESS
}

unsafe extern "system" fn suggest(
    instance: sys::Instance,
    info: *const sys::InteractionProfileSuggestedBinding,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        if (*info).count_suggested_bindings > 2 {
            return sys::Result::ERROR_PATH_UNSUPPORTED;
        }
        real!(SuggestInteractionProfileBindings)(instance, info)
    }
}

unsafe extern "system" fn attach(
    session: sys::Session,
    info: *const sys::SessionActionSetsAttachInfo,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        if (*info).count_action_sets > 1 {
            return sys::Result::ERROR_RUNTIME_FAILURE;
        }
        real!(AttachSessionActionSets)(session, info)
    }
}

unsafe extern "system" fn sync(
    session: sys::Session,
    info: *const sys::ActionsSyncInfo,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        if (*info).count_active_action_sets > 1 {
            return sys::Result::ERROR_RUNTIME_FAILURE;
        }
        real!(SyncActions)(session, info)
    }
}

unsafe extern "system" fn create_tracker(
    _session: sys::Session,
    _info: *const sys::HandTrackerCreateInfoEXT,
    _tracker: *mut sys::HandTrackerEXT,
) -> sys::Result {
    sys::Result::ERROR_FEATURE_UNSUPPORTED
}

unsafe extern "system" fn create_space(
    session: sys::Session,
    info: *const sys::ReferenceSpaceCreateInfo,
    space: *mut sys::Space,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        if (*info).reference_space_type == sys::ReferenceSpaceType::STAGE {
            return sys::Result::ERROR_REFERENCE_SPACE_UNSUPPORTED;
        }
        real!(CreateReferenceSpace)(session, info, space)
    }
}

unsafe extern "system" fn create_action_set(
    instance: sys::Instance,
    info: *const sys::ActionSetCreateInfo,
    set: *mut sys::ActionSet,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        let name = CStr::from_ptr((*info).action_set_name.as_ptr());
        if name.to_bytes().starts_with(b"inputanim") {
            return sys::Result::ERROR_LIMIT_REACHED;
        }
        real!(CreateActionSet)(instance, info, set)
    }
}

unsafe extern "system" fn locate_views(
    _session: sys::Session,
    _info: *const sys::ViewLocateInfo,
    _state: *mut sys::ViewState,
    _capacity: u32,
    _count: *mut u32,
    _views: *mut sys::View,
) -> sys::Result {
    sys::Result::ERROR_RUNTIME_FAILURE
}

/// Creates an instance of the runtime.
unsafe extern "system" fn create_next(
    info: *const sys::InstanceCreateInfo,
    _layer: *const sys::ApiLayerCreateInfo,
    instance: *mut sys::Instance,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        // The client enables two extensions.
        if refuses(Refusal::Extensions) && (*info).enabled_extension_count > 2 {
            return sys::Result::ERROR_EXTENSION_NOT_PRESENT;
        }
        let mut function = None;
        runtime(
            sys::Instance::NULL,
            c"xrCreateInstance".as_ptr(),
            &raw mut function,
        );
        let create =
            transmute::<pfn::VoidFunction, pfn::CreateInstance>(function.expect("a function"));
        // The real loader keeps the extension that it has itself from a runtime without it.
        let read = &*info;
        let count = read.enabled_extension_count as usize;
        let names = match count {
            0 => &[][..],
            count => std::slice::from_raw_parts(read.enabled_extension_names, count),
        };
        let is_passed =
            |name: &*const c_char| name.is_null() || CStr::from_ptr(*name) != c"XR_EXT_debug_utils";
        let names: Vec<_> = names.iter().copied().filter(is_passed).collect();
        let fewer = sys::InstanceCreateInfo {
            enabled_extension_count: names.len() as u32,
            enabled_extension_names: names.as_ptr(),
            ..*read
        };
        let result = create(&raw const fewer, instance);
        if result == sys::Result::SUCCESS {
            *INSTANCE.lock().expect("no test panics meanwhile") = *instance;
        }
        result
    }
}

/// Creates an instance of the layer.
unsafe extern "system" fn create(
    info: *const sys::InstanceCreateInfo,
    instance: *mut sys::Instance,
) -> sys::Result {
    let mut own = sys::ApiLayerNextInfo {
        struct_type: sys::ApiLayerNextInfo::TYPE,
        struct_version: sys::ApiLayerNextInfo::VERSION,
        struct_size: size_of::<sys::ApiLayerNextInfo>(),
        layer_name: [0; sys::MAX_API_LAYER_NAME_SIZE],
        next_get_instance_proc_addr: Some(next),
        next_create_api_layer_instance: Some(create_next),
        next: ptr::null_mut(),
    };
    for (to, &from) in own.layer_name.iter_mut().zip(LAYER.as_bytes()) {
        *to = from as c_char;
    }
    let layer_info = sys::ApiLayerCreateInfo {
        struct_type: sys::ApiLayerCreateInfo::TYPE,
        struct_version: sys::ApiLayerCreateInfo::VERSION,
        struct_size: size_of::<sys::ApiLayerCreateInfo>(),
        loader_instance: ptr::null_mut(),
        settings_file_location: [0; sys::API_LAYER_MAX_SETTINGS_PATH_SIZE],
        next_info: &raw mut own,
    };
    let function = layer().create_api_layer_instance.expect("a function");
    // SAFETY: the structures are valid.
    unsafe { function(info, &raw const layer_info, instance) }
}

/// Finds a function for the application.
pub(crate) unsafe extern "system" fn get(
    instance: sys::Instance,
    name: *const c_char,
    function: *mut Option<pfn::VoidFunction>,
) -> sys::Result {
    // SAFETY: the arguments are those of the caller, and all functions have the same size.
    unsafe {
        if instance != sys::Instance::NULL {
            return layer().get_instance_proc_addr.expect("a function")(instance, name, function);
        }
        if CStr::from_ptr(name) == c"xrCreateInstance" {
            let create: pfn::CreateInstance = create;
            *function = Some(transmute::<pfn::CreateInstance, pfn::VoidFunction>(create));
            return sys::Result::SUCCESS;
        }
        runtime(instance, name, function)
    }
}

/// Returns the functions of a loader with the layer and the runtime.
pub(crate) fn entry(refusals: &[Refusal]) -> openxr::Entry {
    *REFUSALS.lock().expect("no test panics meanwhile") = refusals.to_vec();
    // SAFETY: the function is that of a loader.
    let entry = unsafe { openxr::Entry::from_get_instance_proc_addr(get, &()) };
    entry.expect("the loader has the functions of an entry")
}

/// Returns the functions of a loader with the runtime and without the layer.
pub(crate) fn direct() -> openxr::Entry {
    // SAFETY: the function is that of a loader.
    let entry = unsafe { openxr::Entry::from_get_instance_proc_addr(runtime, &()) };
    entry.expect("the loader has the functions of an entry")
}

/// Destroys the instance that an application has left. The handles of the runtime are small numbers.
pub(crate) fn destroy_instances() {
    for number in 1..1_000_000 {
        let instance = sys::Instance::from_raw(number);
        let mut function = None;
        // SAFETY: the name ends with a NUL, there is memory for the function, and the function has this type.
        unsafe {
            get(instance, c"xrDestroyInstance".as_ptr(), &raw mut function);
            if let Some(function) = function {
                transmute::<pfn::VoidFunction, pfn::DestroyInstance>(function)(instance);
            }
        }
    }
}
