//! Which runtime answers which function.

use inputanim_openxr::Clock;
use openxr_sys as xr;
use openxr_sys::pfn::VoidFunction;

use super::calls;
use crate::functions::table::lookup;
use crate::objects::instance::Instance;
use inputanim_openxr_ffi::{
    Buffer, EXCLUDE_HAND_TRACKER, In, Next, Out, Read, Set, Write, find_entry,
};

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
    "xrEnumerateViveTrackerPathsHTCX",
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
    EXCLUDE_HAND_TRACKER,
];

/// The functions that convert times. With the time of the computer, times are those of the other runtime.
const TIMES: &[&str] = &[
    "xrConvertTimespecTimeToTimeKHR",
    "xrConvertTimeToTimespecTimeKHR",
    "xrConvertTimeToWin32PerformanceCounterKHR",
    "xrConvertWin32PerformanceCounterToTimeKHR",
];

/// Returns the function with a name that calls the other runtime and changes its answer. `None` if the answer of the
/// other runtime stays unchanged.
fn find(name: &str) -> Option<VoidFunction> {
    find_entry!(name,
        DestroyInstance => calls::destroy_instance, instance: xr::Instance;
        PollEvent => calls::poll_event, instance: xr::Instance, event: Write<xr::EventDataBuffer>;
        GetSystemProperties => calls::system_properties, instance: xr::Instance, system: xr::SystemId, properties: Write<xr::SystemProperties>;
        CreateSession => calls::create_session, instance: xr::Instance, info: Read<xr::SessionCreateInfo>, session: Write<xr::Session>;
        DestroySession => calls::destroy_session, session: xr::Session;
        BeginSession => calls::begin_session, session: xr::Session, info: Read<xr::SessionBeginInfo>;
        EndSession => calls::end_session, session: xr::Session;
        WaitFrame => calls::wait_frame, session: xr::Session, info: Read<xr::FrameWaitInfo>, state: Write<xr::FrameState>;
        BeginFrame => calls::begin_frame, session: xr::Session, info: Read<xr::FrameBeginInfo>;
        EndFrame => calls::end_frame, session: xr::Session, info: Read<xr::FrameEndInfo>;
        LocateViews => calls::locate_views, session: xr::Session, info: In<xr::ViewLocateInfo>, state: Out<xr::ViewState>, capacity: u32, count: Set<u32>, views: Buffer<xr::View>;
    )
}

/// Returns the function with a name for an application that plays over another runtime: of this runtime if it belongs
/// to the input, otherwise of the other runtime `next`, whose answer it may change. Fails if neither has it.
pub(crate) fn get(instance: &Instance, next: Next, name: &str) -> Result<VoidFunction, xr::Result> {
    let is_real = instance.player.settings().clock == Clock::Real;
    if INPUT.contains(&name) || (!is_real && TIMES.contains(&name)) {
        return lookup(Some(instance), name);
    }
    let found = next.function(name)?;
    Ok(find(name).unwrap_or(found))
}
