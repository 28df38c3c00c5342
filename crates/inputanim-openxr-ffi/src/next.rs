//! The functions of the next layer, or of the runtime.

use std::ffi::{CStr, CString, c_char};
use std::mem;
use std::path::Path;
use std::ptr;

use libloading::Library;
use openxr_sys::pfn::VoidFunction;
use openxr_sys::{self as xr, Handle, pfn};

use crate::arguments::{Parameter, check, fixed_string};
use crate::given::{Argument, Read, Write};
use crate::negotiate::request_runtime;

macro_rules! functions {
    ($($name:ident: $pfn:ident($($argument:ident: $type:ty),*);)*) => {
        /// The functions that layers call.
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: Option<pfn::$pfn>,)*
        }

        impl Functions {
            fn load(find: impl Fn(&CStr) -> Option<VoidFunction>) -> Functions {
                Functions {
                    $($name: {
                        let name = concat!("xr", stringify!($pfn), "\0");
                        let name = CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default();
                        // SAFETY: the function with this name has this type.
                        find(name).map(|function| unsafe {
                            mem::transmute::<VoidFunction, pfn::$pfn>(function)
                        })
                    },)*
                }
            }
        }

        impl Next {$(
            #[doc = concat!("Calls `xr", stringify!($pfn), "` of the next layer or of the runtime.")]
            pub fn $name(&self, $($argument: $type),*) -> xr::Result {
                match self.functions.$name {
                    // SAFETY: pointers are those of the application, or point to values of the layer.
                    Some(function) => unsafe { function($($argument.pass()),*) },
                    None => xr::Result::ERROR_FUNCTION_UNSUPPORTED,
                }
            }
        )*}
    };
}

functions! {
    destroy_instance: DestroyInstance(instance: xr::Instance);
    poll_event: PollEvent(instance: xr::Instance, event: Write<xr::EventDataBuffer>);
    string_to_path: StringToPath(instance: xr::Instance, text: Read<c_char>, path: Write<xr::Path>);
    path_to_string: PathToString(instance: xr::Instance, path: xr::Path, capacity: u32, count: Write<u32>, buffer: Write<c_char>);
    get_system_properties: GetSystemProperties(instance: xr::Instance, system: xr::SystemId, properties: Write<xr::SystemProperties>);
    create_session: CreateSession(instance: xr::Instance, info: Read<xr::SessionCreateInfo>, session: Write<xr::Session>);
    destroy_session: DestroySession(session: xr::Session);
    begin_session: BeginSession(session: xr::Session, info: Read<xr::SessionBeginInfo>);
    request_exit_session: RequestExitSession(session: xr::Session);
    end_session: EndSession(session: xr::Session);
    wait_frame: WaitFrame(session: xr::Session, info: Read<xr::FrameWaitInfo>, state: Write<xr::FrameState>);
    begin_frame: BeginFrame(session: xr::Session, info: Read<xr::FrameBeginInfo>);
    end_frame: EndFrame(session: xr::Session, info: Read<xr::FrameEndInfo>);
    create_reference_space: CreateReferenceSpace(session: xr::Session, info: Read<xr::ReferenceSpaceCreateInfo>, space: Write<xr::Space>);
    create_action_space: CreateActionSpace(session: xr::Session, info: Read<xr::ActionSpaceCreateInfo>, space: Write<xr::Space>);
    destroy_space: DestroySpace(space: xr::Space);
    locate_views: LocateViews(session: xr::Session, info: Read<xr::ViewLocateInfo>, state: Write<xr::ViewState>, capacity: u32, count: Write<u32>, views: Write<xr::View>);
    locate_space: LocateSpace(space: xr::Space, base: xr::Space, time: xr::Time, location: Write<xr::SpaceLocation>);
    create_action_set: CreateActionSet(instance: xr::Instance, info: Read<xr::ActionSetCreateInfo>, set: Write<xr::ActionSet>);
    destroy_action_set: DestroyActionSet(set: xr::ActionSet);
    destroy_action: DestroyAction(action: xr::Action);
    create_action: CreateAction(set: xr::ActionSet, info: Read<xr::ActionCreateInfo>, action: Write<xr::Action>);
    suggest_bindings: SuggestInteractionProfileBindings(instance: xr::Instance, info: Read<xr::InteractionProfileSuggestedBinding>);
    attach_action_sets: AttachSessionActionSets(session: xr::Session, info: Read<xr::SessionActionSetsAttachInfo>);
    sync_actions: SyncActions(session: xr::Session, info: Read<xr::ActionsSyncInfo>);
    get_boolean: GetActionStateBoolean(session: xr::Session, info: Read<xr::ActionStateGetInfo>, state: Write<xr::ActionStateBoolean>);
    get_float: GetActionStateFloat(session: xr::Session, info: Read<xr::ActionStateGetInfo>, state: Write<xr::ActionStateFloat>);
    get_vector: GetActionStateVector2f(session: xr::Session, info: Read<xr::ActionStateGetInfo>, state: Write<xr::ActionStateVector2f>);
    get_pose: GetActionStatePose(session: xr::Session, info: Read<xr::ActionStateGetInfo>, state: Write<xr::ActionStatePose>);
    current_profile: GetCurrentInteractionProfile(session: xr::Session, user: xr::Path, profile: Write<xr::InteractionProfileState>);
    bound_sources: EnumerateBoundSourcesForAction(session: xr::Session, info: Read<xr::BoundSourcesForActionEnumerateInfo>, capacity: u32, count: Write<u32>, sources: Write<xr::Path>);
    apply_haptic: ApplyHapticFeedback(session: xr::Session, info: Read<xr::HapticActionInfo>, feedback: Read<xr::HapticBaseHeader>);
    stop_haptic: StopHapticFeedback(session: xr::Session, info: Read<xr::HapticActionInfo>);
    create_hand_tracker: CreateHandTrackerEXT(session: xr::Session, info: Read<xr::HandTrackerCreateInfoEXT>, tracker: Write<xr::HandTrackerEXT>);
    tracker_paths: EnumerateViveTrackerPathsHTCX(instance: xr::Instance, capacity: u32, count: Write<u32>, paths: Write<xr::ViveTrackerPathsHTCX>);
    locate_hand_joints: LocateHandJointsEXT(tracker: xr::HandTrackerEXT, info: Read<xr::HandJointsLocateInfoEXT>, locations: Write<xr::HandJointLocationsEXT>);
    begin_label: SessionBeginDebugUtilsLabelRegionEXT(session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>);
    insert_label: SessionInsertDebugUtilsLabelEXT(session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>);
}

/// The trackers that are read at most. A person wears fewer than 20.
const MAX_TRACKERS: usize = 64;

/// The functions of an instance in the next layer, or in the runtime.
#[derive(Clone, Copy)]
pub struct Next {
    instance: xr::Instance,
    get: pfn::GetInstanceProcAddr,
    functions: Functions,
}

/// The name of a function that only the runtime of this project has. The layer calls it for its own hand trackers, which the report of
/// the runtime must not count as input of the application. Its type is that of `xrDestroyHandTrackerEXT`.
pub const EXCLUDE_HAND_TRACKER: &str = "inputanimExcludeHandTracker";

impl Next {
    /// Finds the functions of an instance with the function `get`. Calls of functions that are missing return
    /// `ERROR_FUNCTION_UNSUPPORTED`.
    fn load(instance: xr::Instance, get: pfn::GetInstanceProcAddr) -> Next {
        Next {
            instance,
            get,
            functions: Functions::load(|name| find(get, instance, name)),
        }
    }

    /// Calls `xrGetInstanceProcAddr` of the next layer or of the runtime, which writes the function with this name to
    /// `function`.
    pub fn get_proc_addr(&self, name: &CStr, function: Write<Option<VoidFunction>>) -> xr::Result {
        // SAFETY: the pointer is that of the application.
        unsafe { (self.get)(self.instance, name.as_ptr(), function.pass()) }
    }

    /// Returns the function of the next layer or of the runtime with a name, such as `xrCreateSession`.
    ///
    /// # Errors
    /// `ERROR_FUNCTION_UNSUPPORTED` if the runtime does not have it.
    pub fn function(&self, name: &str) -> Result<VoidFunction, xr::Result> {
        let unsupported = xr::Result::ERROR_FUNCTION_UNSUPPORTED;
        let name = CString::new(name).map_err(|_| unsupported)?;
        find(self.get, self.instance, &name).ok_or(unsupported)
    }

    /// Calls [`EXCLUDE_HAND_TRACKER`] for a hand tracker. Does nothing if the runtime does not have this function.
    pub fn exclude_hand_tracker(&self, tracker: xr::HandTrackerEXT) {
        if let Ok(function) = self.function(EXCLUDE_HAND_TRACKER) {
            // SAFETY: the function with this name has this type. It has no pointers.
            unsafe {
                mem::transmute::<VoidFunction, pfn::DestroyHandTrackerEXT>(function)(tracker);
            }
        }
    }

    /// Returns the trackers that are connected (`XR_HTCX_vive_tracker_interaction`): their persistent paths and the paths of their
    /// roles, which are `NULL` for a tracker without a role. Empty if the extension is not enabled, or if the runtime fails.
    pub fn trackers(&self) -> Vec<[xr::Path; 2]> {
        let empty = xr::ViveTrackerPathsHTCX {
            ty: xr::ViveTrackerPathsHTCX::TYPE,
            next: ptr::null_mut(),
            persistent_path: xr::Path::NULL,
            role_path: xr::Path::NULL,
        };
        let (mut count, mut found) = (0, vec![empty; MAX_TRACKERS]);
        let capacity = found.len() as u32;
        let paths = found.as_mut_slice().into();
        let result = self.tracker_paths(self.instance, capacity, (&mut count).into(), paths);
        if check(result).is_err() {
            return Vec::new();
        }
        let found = found.into_iter().take(count as usize);
        found
            .map(|tracker| [tracker.persistent_path, tracker.role_path])
            .collect()
    }

    /// Returns the `XrPath` of the runtime for a string, such as `/user/hand/left`.
    ///
    /// # Errors
    /// The error of the runtime, if the string is not a path.
    pub fn path(&self, text: &str) -> Result<xr::Path, xr::Result> {
        let text = CString::new(text).map_err(|_| xr::Result::ERROR_PATH_FORMAT_INVALID)?;
        let mut path = xr::Path::NULL;
        check(self.string_to_path(self.instance, text.as_c_str().into(), (&mut path).into()))?;
        Ok(path)
    }

    /// Returns the string of an `XrPath`; `None` if the runtime does not know the path.
    pub fn string(&self, path: xr::Path) -> Option<String> {
        let mut buffer = [0; xr::MAX_PATH_LENGTH];
        let mut count = 0;
        let result = self.path_to_string(
            self.instance,
            path,
            buffer.len() as u32,
            (&mut count).into(),
            buffer.as_mut_slice().into(),
        );
        check(result).ok()?;
        fixed_string(&buffer)
    }
}

fn find(
    get: pfn::GetInstanceProcAddr,
    instance: xr::Instance,
    name: &CStr,
) -> Option<VoidFunction> {
    let mut function = None;
    // SAFETY: the name ends with a NUL, and there is memory for the function.
    let result = unsafe { get(instance, name.as_ptr(), &raw mut function) };
    check(result).ok().and(function)
}

/// Returns the properties of the extensions that a runtime or layer offers. `get` finds its functions.
///
/// Fails with the error of the runtime, or with `ERROR_FUNCTION_UNSUPPORTED` if it has no function for this.
fn extensions(get: pfn::GetInstanceProcAddr) -> Result<Vec<xr::ExtensionProperties>, xr::Result> {
    let name = c"xrEnumerateInstanceExtensionProperties";
    let function = find(get, xr::Instance::NULL, name);
    let function = function.ok_or(xr::Result::ERROR_FUNCTION_UNSUPPORTED)?;
    // SAFETY: the function with this name has this type.
    let enumerate = unsafe {
        mem::transmute::<VoidFunction, pfn::EnumerateInstanceExtensionProperties>(function)
    };
    let mut count = 0;
    // SAFETY: without memory, the function only counts.
    check(unsafe { enumerate(ptr::null(), 0, &raw mut count, ptr::null_mut()) })?;
    let empty = xr::ExtensionProperties {
        ty: xr::ExtensionProperties::TYPE,
        next: ptr::null_mut(),
        extension_name: [0; xr::MAX_EXTENSION_NAME_SIZE],
        extension_version: 0,
    };
    let mut properties = vec![empty; count as usize];
    // SAFETY: there is memory for this number of structures.
    check(unsafe { enumerate(ptr::null(), count, &raw mut count, properties.as_mut_ptr()) })?;
    properties.truncate(count as usize);
    Ok(properties)
}

/// A runtime that another runtime loads, before an instance exists.
#[derive(Clone, Copy)]
pub struct OtherRuntime {
    get: pfn::GetInstanceProcAddr,
}

impl OtherRuntime {
    /// Loads the library of a runtime, which stays loaded until the process ends.
    ///
    /// # Errors
    /// If the library cannot be loaded, or is not a runtime. The text says why.
    pub fn load(library: &Path) -> Result<OtherRuntime, String> {
        // SAFETY: the user selects a runtime, which the loader of OpenXR would load too.
        let library = unsafe { Library::new(library) }.map_err(|error| error.to_string())?;
        // SAFETY: the function of a runtime with this name has this type.
        let negotiate = unsafe {
            library
                .get::<pfn::NegotiateLoaderRuntimeInterface>(b"xrNegotiateLoaderRuntimeInterface\0")
        };
        let negotiate = *negotiate.map_err(|error| error.to_string())?;
        let get = request_runtime(negotiate).ok_or("it does not have the interface of runtimes")?;
        // The functions must stay.
        mem::forget(library);
        Ok(OtherRuntime { get })
    }

    /// Returns the properties of the extensions that the runtime offers.
    ///
    /// # Errors
    /// The error of the runtime, or `ERROR_FUNCTION_UNSUPPORTED` if it has no function for this.
    pub fn extensions(&self) -> Result<Vec<xr::ExtensionProperties>, xr::Result> {
        extensions(self.get)
    }

    /// Calls `xrCreateInstance` of the runtime, which writes the new instance to `instance`.
    pub fn create(
        &self,
        info: Read<xr::InstanceCreateInfo>,
        instance: Write<xr::Instance>,
    ) -> xr::Result {
        match find(self.get, xr::Instance::NULL, c"xrCreateInstance") {
            // SAFETY: the function with this name has this type, and the pointers are valid.
            Some(function) => unsafe {
                let create = mem::transmute::<VoidFunction, pfn::CreateInstance>(function);
                create(info.pass(), instance.pass())
            },
            None => xr::Result::ERROR_FUNCTION_UNSUPPORTED,
        }
    }

    /// Finds the functions of an instance that this runtime has created.
    pub fn functions(&self, instance: xr::Instance) -> Next {
        Next::load(instance, self.get)
    }
}

/// The next layers and the runtime, before an instance exists.
pub struct Chain {
    /// The name of the layer that is created.
    name: String,
    get: pfn::GetInstanceProcAddr,
    create: pfn::CreateApiLayerInstance,
    /// The argument for the next layer.
    rest: xr::ApiLayerCreateInfo,
}

impl Parameter for Chain {
    type Raw = *const xr::ApiLayerCreateInfo;

    unsafe fn take(raw: *const xr::ApiLayerCreateInfo) -> Result<Chain, xr::Result> {
        let chain = || {
            // SAFETY: the loader provides valid structures.
            let (info, next) = unsafe {
                let info = raw.as_ref()?;
                (info, info.next_info.as_ref()?)
            };
            let is_info = info.struct_type == xr::ApiLayerCreateInfo::TYPE
                && info.struct_version == xr::ApiLayerCreateInfo::VERSION
                && info.struct_size == size_of::<xr::ApiLayerCreateInfo>();
            let is_next = next.struct_type == xr::ApiLayerNextInfo::TYPE
                && next.struct_version == xr::ApiLayerNextInfo::VERSION
                && next.struct_size == size_of::<xr::ApiLayerNextInfo>();
            (is_info && is_next).then_some(Chain {
                name: fixed_string(&next.layer_name)?,
                get: next.next_get_instance_proc_addr?,
                create: next.next_create_api_layer_instance?,
                rest: xr::ApiLayerCreateInfo {
                    next_info: next.next,
                    ..*info
                },
            })
        };
        chain().ok_or(xr::Result::ERROR_INITIALIZATION_FAILED)
    }
}

impl Chain {
    /// Returns the names of the extensions that the runtime offers. `None` if they are unknown: another layer is
    /// between this layer and the runtime, because some layers report the search for a function without an instance as
    /// an error, or the runtime does not return them.
    pub fn extensions(&self) -> Option<Vec<String>> {
        if !self.rest.next_info.is_null() {
            return None;
        }
        let properties = extensions(self.get).ok()?;
        let names = properties
            .iter()
            .map(|one| fixed_string(&one.extension_name));
        names.collect()
    }

    /// Checks that the loader creates the layer `name`.
    ///
    /// # Errors
    /// `ERROR_INITIALIZATION_FAILED` if it creates a layer with another name.
    pub fn expect(&self, name: &str) -> Result<(), xr::Result> {
        if self.name == name {
            Ok(())
        } else {
            Err(xr::Result::ERROR_INITIALIZATION_FAILED)
        }
    }

    /// Calls the function of the next layer that creates an instance; it writes the new instance to `instance`.
    pub fn create(
        &self,
        info: Read<xr::InstanceCreateInfo>,
        instance: Write<xr::Instance>,
    ) -> xr::Result {
        // SAFETY: the pointers are those of the application, or of the layer.
        unsafe { (self.create)(info.pass(), &raw const self.rest, instance.pass()) }
    }

    /// Finds the functions of an instance that the next layer has created.
    pub fn load(&self, instance: xr::Instance) -> Next {
        Next::load(instance, self.get)
    }
}
