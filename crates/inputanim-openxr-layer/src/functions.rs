//! The functions that the layer has between the application and the next layer.

use std::ffi::CString;
use std::mem;

use openxr_sys::pfn::VoidFunction;
use openxr_sys::{self as xr, pfn};

use crate::{actions, frames, instance, labels, session};
use inputanim_openxr_ffi::{Chain, check};
use inputanim_openxr_ffi::{Read, Write};
use inputanim_openxr_ffi::{Reply, Text, entry};

/// Returns a function that the layer wraps; `None` for all functions that go straight to the next layer.
fn find(name: &str) -> Option<VoidFunction> {
    Some(match name.strip_prefix("xr")? {
        "GetInstanceProcAddr" => get_proc_addr(),
        "DestroyInstance" => entry!(DestroyInstance, instance::destroy, instance: xr::Instance),
        "PollEvent" => {
            entry!(PollEvent, instance::poll_event, instance: xr::Instance, event: Write<xr::EventDataBuffer>)
        }
        "CreateSession" => {
            entry!(CreateSession, session::create, instance: xr::Instance, info: Read<xr::SessionCreateInfo>, session: Write<xr::Session>)
        }
        "DestroySession" => entry!(DestroySession, session::destroy, session: xr::Session),
        "EndSession" => entry!(EndSession, session::end, session: xr::Session),
        "WaitFrame" => {
            entry!(WaitFrame, frames::wait, session: xr::Session, info: Read<xr::FrameWaitInfo>, state: Write<xr::FrameState>)
        }
        "BeginFrame" => {
            entry!(BeginFrame, frames::begin, session: xr::Session, info: Read<xr::FrameBeginInfo>)
        }
        "EndFrame" => {
            entry!(EndFrame, frames::end, session: xr::Session, info: Read<xr::FrameEndInfo>)
        }
        "CreateActionSet" => {
            entry!(CreateActionSet, actions::create_set, instance: xr::Instance, info: Read<xr::ActionSetCreateInfo>, set: Write<xr::ActionSet>)
        }
        "SuggestInteractionProfileBindings" => {
            entry!(SuggestInteractionProfileBindings, actions::suggest, instance: xr::Instance, info: Read<xr::InteractionProfileSuggestedBinding>)
        }
        "AttachSessionActionSets" => {
            entry!(AttachSessionActionSets, actions::attach, session: xr::Session, info: Read<xr::SessionActionSetsAttachInfo>)
        }
        "SyncActions" => {
            entry!(SyncActions, actions::sync, session: xr::Session, info: Read<xr::ActionsSyncInfo>)
        }
        "SessionBeginDebugUtilsLabelRegionEXT" => {
            entry!(SessionBeginDebugUtilsLabelRegionEXT, labels::begin, session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>)
        }
        "SessionInsertDebugUtilsLabelEXT" => {
            entry!(SessionInsertDebugUtilsLabelEXT, labels::insert, session: xr::Session, label: Read<xr::DebugUtilsLabelEXT>)
        }
        _ => return None,
    })
}

fn get_proc_addr() -> VoidFunction {
    entry!(GetInstanceProcAddr, get, instance: xr::Instance, name: Text, function: Write<Option<VoidFunction>>)
}

/// Returns `xrGetInstanceProcAddr` with its type.
pub(crate) fn get_instance_proc_addr() -> pfn::GetInstanceProcAddr {
    // SAFETY: `get_proc_addr` checked that the function has this type.
    unsafe { mem::transmute::<VoidFunction, pfn::GetInstanceProcAddr>(get_proc_addr()) }
}

/// Returns the function that creates an instance of a layer, with its type.
pub(crate) fn create_api_layer_instance() -> pfn::CreateApiLayerInstance {
    let function = entry!(CreateApiLayerInstance, instance::create, info: Read<xr::InstanceCreateInfo>, chain: Chain, instance: Write<xr::Instance>);
    // SAFETY: `entry!` checked that the function has this type.
    unsafe { mem::transmute::<VoidFunction, pfn::CreateApiLayerInstance>(function) }
}

fn get(handle: xr::Instance, name: Text, function: Write<Option<VoidFunction>>) -> Reply {
    let link = instance::link(handle)?;
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
        if let Some(own) = find(&name) {
            function.set(Some(own));
        }
    }
    Ok(result)
}
