//! The functions between the application and the other runtime.

use inputanim_openxr::Clock;
use inputanim_openxr_ffi::{Buffer, In, Next, Out, Read, Set, Write, entry};
use openxr_sys as xr;
use openxr_sys::pfn::VoidFunction;

use crate::functions::lookup;
use crate::state::Instance;

/// The functions that this runtime answers.
const INPUT: &[&str] = &[
    "xrApplyHapticFeedback",
    "xrAttachSessionActionSets",
    "xrCreateAction",
    "xrCreateActionSet",
    "xrCreateActionSpace",
    "xrCreateHandTrackerEXT",
    "xrCreateReferenceSpace",
    "xrDestroyAction",
    "xrDestroyActionSet",
    "xrDestroyHandTrackerEXT",
    "xrDestroySpace",
    "xrEnumerateBoundSourcesForAction",
    "xrEnumerateReferenceSpaces",
    "xrGetActionStateBoolean",
    "xrGetActionStateFloat",
    "xrGetActionStatePose",
    "xrGetActionStateVector2f",
    "xrGetCurrentInteractionProfile",
    "xrGetInputSourceLocalizedName",
    "xrGetReferenceSpaceBoundsRect",
    "xrLocateHandJointsEXT",
    "xrLocateSpace",
    "xrLocateSpaces",
    "xrLocateSpacesKHR",
    "xrPathToString",
    "xrStopHapticFeedback",
    "xrStringToPath",
    "xrSuggestInteractionProfileBindings",
    "xrSyncActions",
];

/// The functions that convert times. With the time of the computer, times are those of the other runtime.
const TIMES: &[&str] = &[
    "xrConvertTimespecTimeToTimeKHR",
    "xrConvertTimeToTimespecTimeKHR",
    "xrConvertTimeToWin32PerformanceCounterKHR",
    "xrConvertWin32PerformanceCounterToTimeKHR",
];

/// Returns a function that changes what the other runtime answers.
fn find(name: &str) -> Option<VoidFunction> {
    Some(match name.strip_prefix("xr")? {
        "DestroyInstance" => {
            entry!(DestroyInstance, super::destroy_instance, instance: xr::Instance)
        }
        "PollEvent" => {
            entry!(PollEvent, super::poll_event, instance: xr::Instance, event: Write<xr::EventDataBuffer>)
        }
        "GetSystemProperties" => {
            entry!(GetSystemProperties, super::system_properties, instance: xr::Instance, system: xr::SystemId, properties: Write<xr::SystemProperties>)
        }
        "CreateSession" => {
            entry!(CreateSession, super::create_session, instance: xr::Instance, info: Read<xr::SessionCreateInfo>, session: Write<xr::Session>)
        }
        "DestroySession" => entry!(DestroySession, super::destroy_session, session: xr::Session),
        "BeginSession" => {
            entry!(BeginSession, super::begin_session, session: xr::Session, info: Read<xr::SessionBeginInfo>)
        }
        "EndSession" => entry!(EndSession, super::end_session, session: xr::Session),
        "WaitFrame" => {
            entry!(WaitFrame, super::wait_frame, session: xr::Session, info: Read<xr::FrameWaitInfo>, state: Write<xr::FrameState>)
        }
        "BeginFrame" => {
            entry!(BeginFrame, super::begin_frame, session: xr::Session, info: Read<xr::FrameBeginInfo>)
        }
        "EndFrame" => {
            entry!(EndFrame, super::end_frame, session: xr::Session, info: Read<xr::FrameEndInfo>)
        }
        "LocateViews" => {
            entry!(LocateViews, super::locate_views, session: xr::Session, info: In<xr::ViewLocateInfo>, state: Out<xr::ViewState>, capacity: u32, count: Set<u32>, views: Buffer<xr::View>)
        }
        _ => return None,
    })
}

/// Finds a function for an application that plays over another runtime.
pub(crate) fn get(instance: &Instance, next: Next, name: &str) -> Result<VoidFunction, xr::Result> {
    let is_real = instance.player.settings().clock == Clock::Real;
    if INPUT.contains(&name) || (!is_real && TIMES.contains(&name)) {
        return lookup(Some(instance), name);
    }
    let found = next.function(name)?;
    Ok(find(name).unwrap_or(found))
}
