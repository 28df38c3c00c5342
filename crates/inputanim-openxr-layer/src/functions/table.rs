//! The table of functions.

use std::ffi::CString;
use std::mem;

use openxr_sys::pfn::VoidFunction;
use openxr_sys::{self as xr, pfn};

use super::{actions, frames, hands, haptics, instances, labels, sessions};
use crate::extensions::Extension;
use crate::state::link;
use inputanim_openxr_ffi::{Chain, Read, Reply, Str, Write, check, entry, find_entry};

/// Returns the layer's own function with a name, which calls that of the next layer. `None` for the functions that the
/// layer does not wrap.
fn find(name: &str) -> Option<VoidFunction> {
    if name == "xrGetInstanceProcAddr" {
        return Some(get_proc_addr());
    }
    find_entry!(name,
        DestroyInstance => instances::destroy, instance: xr::Instance;
        PollEvent => instances::poll_event, instance: xr::Instance, event: Write<xr::EventDataBuffer>;
        GetSystemProperties => instances::system_properties, instance: xr::Instance, system: xr::SystemId, properties: Write<xr::SystemProperties>;
        CreateSession => sessions::create, instance: xr::Instance, info: Read<xr::SessionCreateInfo>, session: Write<xr::Session>;
        DestroySession => sessions::destroy, session: xr::Session;
        BeginSession => sessions::begin, session: xr::Session, info: Read<xr::SessionBeginInfo>;
        EndSession => sessions::end, session: xr::Session;
        WaitFrame => frames::wait, session: xr::Session, info: Read<xr::FrameWaitInfo>, state: Write<xr::FrameState>;
        BeginFrame => frames::begin, session: xr::Session, info: Read<xr::FrameBeginInfo>;
        EndFrame => frames::end, session: xr::Session, info: Read<xr::FrameEndInfo>;
        CreateActionSet => actions::create_set, instance: xr::Instance, info: Read<xr::ActionSetCreateInfo>, set: Write<xr::ActionSet>;
        DestroyActionSet => actions::destroy_set, set: xr::ActionSet;
        CreateAction => actions::create, set: xr::ActionSet, info: Read<xr::ActionCreateInfo>, action: Write<xr::Action>;
        DestroyAction => actions::destroy, action: xr::Action;
        SuggestInteractionProfileBindings => actions::suggest, instance: xr::Instance, info: Read<xr::InteractionProfileSuggestedBinding>;
        AttachSessionActionSets => actions::attach, session: xr::Session, info: Read<xr::SessionActionSetsAttachInfo>;
        GetCurrentInteractionProfile => actions::current_profile, session: xr::Session, user: xr::Path, profile: Write<xr::InteractionProfileState>;
        SyncActions => actions::sync, session: xr::Session, info: Read<xr::ActionsSyncInfo>;
        ApplyHapticFeedback => haptics::apply, session: xr::Session, info: Read<xr::HapticActionInfo>, feedback: Read<xr::HapticBaseHeader>;
        StopHapticFeedback => haptics::stop, session: xr::Session, info: Read<xr::HapticActionInfo>;
        CreateHandTrackerEXT => hands::create, session: xr::Session, info: Read<xr::HandTrackerCreateInfoEXT>, tracker: Write<xr::HandTrackerEXT>;
        LocateHandJointsEXT => hands::locate, tracker: xr::HandTrackerEXT, info: Read<xr::HandJointsLocateInfoEXT>, locations: Write<xr::HandJointLocationsEXT>;
        SessionBeginDebugUtilsLabelRegionEXT => labels::begin, session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>;
        SessionInsertDebugUtilsLabelEXT => labels::insert, session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>;
    )
}

fn get_proc_addr() -> VoidFunction {
    entry!(GetInstanceProcAddr, get, instance: xr::Instance, name: Str, function: Write<Option<VoidFunction>>)
}

/// Returns the layer's function `xrGetInstanceProcAddr`, with its type in C.
pub(crate) fn get_instance_proc_addr() -> pfn::GetInstanceProcAddr {
    // SAFETY: `get_proc_addr` checked that the function has this type.
    unsafe { mem::transmute::<VoidFunction, pfn::GetInstanceProcAddr>(get_proc_addr()) }
}

/// Returns the layer's function that creates an instance, with its type in C.
pub(crate) fn create_api_layer_instance() -> pfn::CreateApiLayerInstance {
    let function = entry!(CreateApiLayerInstance, instances::create, info: Read<xr::InstanceCreateInfo>, chain: Chain, instance: Write<xr::Instance>);
    // SAFETY: `entry!` checked that the function has this type.
    unsafe { mem::transmute::<VoidFunction, pfn::CreateApiLayerInstance>(function) }
}

fn get(handle: xr::Instance, name: Str, function: Write<Option<VoidFunction>>) -> Reply {
    let link = link(handle)?;
    let c_name = CString::new(&*name).map_err(|_| xr::Result::ERROR_FUNCTION_UNSUPPORTED)?;
    let mut result = link.next.get_proc_addr(&c_name, function);
    // The loader has labels also for a runtime without them, and then gives no function to layers. An application that did
    // not enable the extension gets the functions from no loader.
    if labels::NAMES.contains(&&*name) && result == xr::Result::ERROR_FUNCTION_UNSUPPORTED {
        result = xr::Result::SUCCESS;
    }
    // The layer wraps only functions that the next layer has.
    if let (Ok(()), Some(instance)) = (check(result), link.instance) {
        if instance.hides(&name) {
            function.set(None);
            return Err(xr::Result::ERROR_FUNCTION_UNSUPPORTED);
        }
        // The layer changes hand trackers only if it hides the structures of one of its extensions.
        let is_plain = Extension::HandTracking.has_function(&name)
            && !instance.added.contains(&Extension::HandDataSource);
        if let Some(own) = find(&name).filter(|_| !is_plain) {
            function.set(Some(own));
        }
    }
    Ok(result)
}
