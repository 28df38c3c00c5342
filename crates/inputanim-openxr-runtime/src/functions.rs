//! The table of functions.

use std::ffi::c_char;

use openxr_sys::{self as xr, Handle, pfn::VoidFunction};

use crate::extensions::Extension;
use crate::state::{Instance, State};
use crate::{
    actions, clock, frames, hands, instance, over, paths, session, space, swapchains, system,
    vulkan,
};
use inputanim_openxr_ffi::{Buffer, DONE, Get, In, Out, Reply, Set, Text, entry};

/// When an application may use a function.
enum Needs {
    /// Always, also without an instance.
    Nothing,
    Instance,
    /// An instance with OpenXR 1.1.
    Version1_1,
    /// An instance with one of these extensions.
    Any(&'static [Extension]),
}

/// Returns a function and what it needs.
fn find(name: &str) -> Option<(VoidFunction, Needs)> {
    use Extension::{HandTracking, LocateSpaces, Vulkan, Vulkan2};
    let core = |function| Some((function, Needs::Instance));
    let any = |extensions, function| Some((function, Needs::Any(extensions)));
    match name.strip_prefix("xr")? {
        "GetInstanceProcAddr" => Some((get_proc_addr(), Needs::Nothing)),
        "EnumerateInstanceExtensionProperties" => Some((
            entry!(EnumerateInstanceExtensionProperties, instance::enumerate_extensions, layer: instance::LayerName, capacity: u32, count: Set<u32>, properties: Buffer<xr::ExtensionProperties>),
            Needs::Nothing,
        )),
        "CreateInstance" => Some((
            entry!(CreateInstance, instance::create, info: In<xr::InstanceCreateInfo>, instance: Set<xr::Instance>),
            Needs::Nothing,
        )),
        "DestroyInstance" => {
            core(entry!(DestroyInstance, instance::destroy, instance: xr::Instance))
        }
        "GetInstanceProperties" => core(
            entry!(GetInstanceProperties, instance::properties, instance: xr::Instance, properties: Out<xr::InstanceProperties>),
        ),
        "PollEvent" => core(
            entry!(PollEvent, instance::poll_event, instance: xr::Instance, event: Set<xr::EventDataBuffer>),
        ),
        "ResultToString" => core(
            entry!(ResultToString, instance::result_to_string, instance: xr::Instance, value: xr::Result, buffer: Buffer<c_char>),
        ),
        "StructureTypeToString" => core(
            entry!(StructureTypeToString, instance::structure_type_to_string, instance: xr::Instance, value: xr::StructureType, buffer: Buffer<c_char>),
        ),
        "StringToPath" => core(
            entry!(StringToPath, paths::string_to_path, instance: xr::Instance, text: Text, path: Set<xr::Path>),
        ),
        "PathToString" => core(
            entry!(PathToString, paths::path_to_string, instance: xr::Instance, path: xr::Path, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),

        "GetSystem" => core(
            entry!(GetSystem, system::get, instance: xr::Instance, info: In<xr::SystemGetInfo>, system: Set<xr::SystemId>),
        ),
        "GetSystemProperties" => core(
            entry!(GetSystemProperties, system::properties, instance: xr::Instance, system: xr::SystemId, properties: Out<xr::SystemProperties>),
        ),
        "EnumerateEnvironmentBlendModes" => core(
            entry!(EnumerateEnvironmentBlendModes, system::blend_modes, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, modes: Buffer<xr::EnvironmentBlendMode>),
        ),
        "EnumerateViewConfigurations" => core(
            entry!(EnumerateViewConfigurations, system::view_configurations, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, types: Buffer<xr::ViewConfigurationType>),
        ),
        "GetViewConfigurationProperties" => core(
            entry!(GetViewConfigurationProperties, system::view_configuration, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, properties: Out<xr::ViewConfigurationProperties>),
        ),
        "EnumerateViewConfigurationViews" => core(
            entry!(EnumerateViewConfigurationViews, system::view_configuration_views, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, views: Buffer<xr::ViewConfigurationView>),
        ),
        "LocateViews" => core(
            entry!(LocateViews, system::locate_views, session: xr::Session, info: In<xr::ViewLocateInfo>, state: Out<xr::ViewState>, capacity: u32, count: Set<u32>, views: Buffer<xr::View>),
        ),

        "CreateSession" => core(
            entry!(CreateSession, session::create, instance: xr::Instance, info: In<xr::SessionCreateInfo>, session: Set<xr::Session>),
        ),
        "DestroySession" => core(entry!(DestroySession, session::destroy, session: xr::Session)),
        "BeginSession" => core(
            entry!(BeginSession, session::begin, session: xr::Session, info: In<xr::SessionBeginInfo>),
        ),
        "EndSession" => core(entry!(EndSession, session::end, session: xr::Session)),
        "RequestExitSession" => {
            core(entry!(RequestExitSession, session::request_exit, session: xr::Session))
        }
        "WaitFrame" => core(
            entry!(WaitFrame, frames::wait, session: xr::Session, info: Option<In<xr::FrameWaitInfo>>, state: Out<xr::FrameState>),
        ),
        "BeginFrame" => core(
            entry!(BeginFrame, frames::begin, session: xr::Session, info: Option<In<xr::FrameBeginInfo>>),
        ),
        "EndFrame" => {
            core(entry!(EndFrame, frames::end, session: xr::Session, info: In<xr::FrameEndInfo>))
        }

        "EnumerateReferenceSpaces" => core(
            entry!(EnumerateReferenceSpaces, space::enumerate_references, session: xr::Session, capacity: u32, count: Set<u32>, types: Buffer<xr::ReferenceSpaceType>),
        ),
        "CreateReferenceSpace" => core(
            entry!(CreateReferenceSpace, space::create_reference, session: xr::Session, info: In<xr::ReferenceSpaceCreateInfo>, space: Set<xr::Space>),
        ),
        "GetReferenceSpaceBoundsRect" => core(
            entry!(GetReferenceSpaceBoundsRect, space::bounds, session: xr::Session, kind: xr::ReferenceSpaceType, bounds: Set<xr::Extent2Df>),
        ),
        "CreateActionSpace" => core(
            entry!(CreateActionSpace, space::create_action, session: xr::Session, info: In<xr::ActionSpaceCreateInfo>, space: Set<xr::Space>),
        ),
        "LocateSpace" => core(
            entry!(LocateSpace, space::locate, space: xr::Space, base: xr::Space, time: xr::Time, location: Out<xr::SpaceLocation>),
        ),
        "DestroySpace" => core(entry!(DestroySpace, space::destroy, space: xr::Space)),
        "LocateSpaces" => Some((
            entry!(LocateSpaces, space::locate_all, session: xr::Session, info: In<xr::SpacesLocateInfo>, locations: Out<xr::SpaceLocations>),
            Needs::Version1_1,
        )),
        "LocateSpacesKHR" => any(
            &[LocateSpaces],
            entry!(LocateSpaces, space::locate_all, session: xr::Session, info: In<xr::SpacesLocateInfo>, locations: Out<xr::SpaceLocations>),
        ),

        "EnumerateSwapchainFormats" => core(
            entry!(EnumerateSwapchainFormats, swapchains::formats, session: xr::Session, capacity: u32, count: Set<u32>, formats: Buffer<i64>),
        ),
        "CreateSwapchain" => core(
            entry!(CreateSwapchain, swapchains::create, session: xr::Session, info: In<xr::SwapchainCreateInfo>, swapchain: Set<xr::Swapchain>),
        ),
        "DestroySwapchain" => {
            core(entry!(DestroySwapchain, swapchains::destroy, swapchain: xr::Swapchain))
        }
        "EnumerateSwapchainImages" => core(
            entry!(EnumerateSwapchainImages, swapchains::images, swapchain: xr::Swapchain, capacity: u32, count: Set<u32>, images: Buffer<xr::SwapchainImageBaseHeader>),
        ),
        "AcquireSwapchainImage" => core(
            entry!(AcquireSwapchainImage, swapchains::acquire, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageAcquireInfo>>, index: Set<u32>),
        ),
        "WaitSwapchainImage" => core(
            entry!(WaitSwapchainImage, swapchains::wait, swapchain: xr::Swapchain, info: In<xr::SwapchainImageWaitInfo>),
        ),
        "ReleaseSwapchainImage" => core(
            entry!(ReleaseSwapchainImage, swapchains::release, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageReleaseInfo>>),
        ),

        "CreateActionSet" => core(
            entry!(CreateActionSet, actions::create_set, instance: xr::Instance, info: In<xr::ActionSetCreateInfo>, set: Set<xr::ActionSet>),
        ),
        "DestroyActionSet" => {
            core(entry!(DestroyActionSet, actions::destroy_set, set: xr::ActionSet))
        }
        "CreateAction" => core(
            entry!(CreateAction, actions::create, set: xr::ActionSet, info: In<xr::ActionCreateInfo>, action: Set<xr::Action>),
        ),
        "DestroyAction" => core(entry!(DestroyAction, actions::destroy, action: xr::Action)),
        "SuggestInteractionProfileBindings" => core(
            entry!(SuggestInteractionProfileBindings, actions::suggest, instance: xr::Instance, info: In<xr::InteractionProfileSuggestedBinding>),
        ),
        "AttachSessionActionSets" => core(
            entry!(AttachSessionActionSets, actions::attach, session: xr::Session, info: In<xr::SessionActionSetsAttachInfo>),
        ),
        "GetCurrentInteractionProfile" => core(
            entry!(GetCurrentInteractionProfile, actions::current_profile, session: xr::Session, user: xr::Path, profile: Out<xr::InteractionProfileState>),
        ),
        "SyncActions" => core(
            entry!(SyncActions, actions::sync, session: xr::Session, info: In<xr::ActionsSyncInfo>),
        ),
        "GetActionStateBoolean" => core(
            entry!(GetActionStateBoolean, actions::get_boolean, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateBoolean>),
        ),
        "GetActionStateFloat" => core(
            entry!(GetActionStateFloat, actions::get_float, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateFloat>),
        ),
        "GetActionStateVector2f" => core(
            entry!(GetActionStateVector2f, actions::get_vector, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateVector2f>),
        ),
        "GetActionStatePose" => core(
            entry!(GetActionStatePose, actions::get_pose, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStatePose>),
        ),
        "EnumerateBoundSourcesForAction" => core(
            entry!(EnumerateBoundSourcesForAction, actions::bound_sources, session: xr::Session, info: In<xr::BoundSourcesForActionEnumerateInfo>, capacity: u32, count: Set<u32>, sources: Buffer<xr::Path>),
        ),
        "GetInputSourceLocalizedName" => core(
            entry!(GetInputSourceLocalizedName, actions::source_name, session: xr::Session, info: In<xr::InputSourceLocalizedNameGetInfo>, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        "ApplyHapticFeedback" => core(
            entry!(ApplyHapticFeedback, actions::apply_haptic, session: xr::Session, info: In<xr::HapticActionInfo>, feedback: Get<xr::HapticBaseHeader>),
        ),
        "StopHapticFeedback" => core(
            entry!(StopHapticFeedback, actions::stop_haptic, session: xr::Session, info: In<xr::HapticActionInfo>),
        ),

        "CreateHandTrackerEXT" => any(
            &[HandTracking],
            entry!(CreateHandTrackerEXT, hands::create, session: xr::Session, info: In<xr::HandTrackerCreateInfoEXT>, tracker: Set<xr::HandTrackerEXT>),
        ),
        "DestroyHandTrackerEXT" => any(
            &[HandTracking],
            entry!(DestroyHandTrackerEXT, hands::destroy, tracker: xr::HandTrackerEXT),
        ),
        "LocateHandJointsEXT" => any(
            &[HandTracking],
            entry!(LocateHandJointsEXT, hands::locate, tracker: xr::HandTrackerEXT, info: In<xr::HandJointsLocateInfoEXT>, locations: Out<xr::HandJointLocationsEXT>),
        ),

        #[cfg(unix)]
        "ConvertTimespecTimeToTimeKHR" => any(
            &[Extension::ConvertTimespec],
            entry!(ConvertTimespecTimeToTimeKHR, clock::from_timespec, instance: xr::Instance, from: Get<libc::timespec>, time: Set<xr::Time>),
        ),
        #[cfg(unix)]
        "ConvertTimeToTimespecTimeKHR" => any(
            &[Extension::ConvertTimespec],
            entry!(ConvertTimeToTimespecTimeKHR, clock::to_timespec, instance: xr::Instance, time: xr::Time, to: Set<libc::timespec>),
        ),
        #[cfg(windows)]
        "ConvertWin32PerformanceCounterToTimeKHR" => any(
            &[Extension::ConvertPerformanceCounter],
            entry!(ConvertWin32PerformanceCounterToTimeKHR, clock::from_counter, instance: xr::Instance, from: Get<i64>, time: Set<xr::Time>),
        ),
        #[cfg(windows)]
        "ConvertTimeToWin32PerformanceCounterKHR" => any(
            &[Extension::ConvertPerformanceCounter],
            entry!(ConvertTimeToWin32PerformanceCounterKHR, clock::to_counter, instance: xr::Instance, time: xr::Time, to: Set<i64>),
        ),

        "GetVulkanInstanceExtensionsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanInstanceExtensionsKHR, vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        "GetVulkanDeviceExtensionsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanDeviceExtensionsKHR, vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        "GetVulkanGraphicsDeviceKHR" => any(
            &[Vulkan],
            entry!(GetVulkanGraphicsDeviceKHR, vulkan::device, instance: xr::Instance, system: xr::SystemId, vulkan: xr::platform::VkInstance, device: Set<xr::platform::VkPhysicalDevice>),
        ),
        "GetVulkanGraphicsRequirementsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanGraphicsRequirementsKHR, vulkan::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsVulkanKHR>),
        ),
        "GetVulkanGraphicsRequirements2KHR" => any(
            &[Vulkan2],
            entry!(GetVulkanGraphicsRequirementsKHR, vulkan::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsVulkanKHR>),
        ),
        "CreateVulkanInstanceKHR" => any(
            &[Vulkan2],
            entry!(CreateVulkanInstanceKHR, vulkan::create_instance, instance: xr::Instance, info: In<xr::VulkanInstanceCreateInfoKHR>, vulkan: Set<xr::platform::VkInstance>, result: Set<xr::platform::VkResult>),
        ),
        "CreateVulkanDeviceKHR" => any(
            &[Vulkan2],
            entry!(CreateVulkanDeviceKHR, vulkan::create_device, instance: xr::Instance, info: In<xr::VulkanDeviceCreateInfoKHR>, device: Set<xr::platform::VkDevice>, result: Set<xr::platform::VkResult>),
        ),
        "GetVulkanGraphicsDevice2KHR" => any(
            &[Vulkan2],
            entry!(GetVulkanGraphicsDevice2KHR, vulkan::device2, instance: xr::Instance, info: In<xr::VulkanGraphicsDeviceGetInfoKHR>, device: Set<xr::platform::VkPhysicalDevice>),
        ),

        #[cfg(target_os = "linux")]
        "GetOpenGLGraphicsRequirementsKHR" => any(
            &[Extension::OpenGl],
            entry!(GetOpenGLGraphicsRequirementsKHR, crate::opengl::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsOpenGLKHR>),
        ),
        _ => None,
    }
}

fn get_proc_addr() -> VoidFunction {
    entry!(GetInstanceProcAddr, get, instance: xr::Instance, name: Text, function: Set<Option<VoidFunction>>)
}

/// Returns `xrGetInstanceProcAddr` with its type.
pub(crate) fn get_instance_proc_addr() -> xr::pfn::GetInstanceProcAddr {
    // SAFETY: `get_proc_addr` checked that the function has this type.
    unsafe { std::mem::transmute::<VoidFunction, xr::pfn::GetInstanceProcAddr>(get_proc_addr()) }
}

fn get(instance: xr::Instance, name: Text, function: Set<Option<VoidFunction>>) -> Reply {
    function.set(None);
    let mut state = State::lock();
    let instance = match instance {
        xr::Instance::NULL => None,
        handle => Some(&*state.instance(handle)?),
    };
    function.set(Some(select(instance, &name)?));
    DONE
}

/// Returns a function that an application may use over the runtime that the instance has.
fn select(instance: Option<&Instance>, name: &str) -> Result<VoidFunction, xr::Result> {
    let is_own = [
        "xrGetInstanceProcAddr",
        "xrEnumerateInstanceExtensionProperties",
        "xrCreateInstance",
    ]
    .contains(&name);
    match instance.and_then(|instance| Some((instance, instance.below?))) {
        Some((instance, next)) if !is_own => over::get(instance, next, name),
        _ => lookup(instance, name),
    }
}

/// Returns a function of this runtime that an application may use.
pub(crate) fn lookup(instance: Option<&Instance>, name: &str) -> Result<VoidFunction, xr::Result> {
    let found = find(name);
    let unsupported = xr::Result::ERROR_FUNCTION_UNSUPPORTED;
    let (found, needs) = found.ok_or(if instance.is_some() {
        unsupported
    } else {
        xr::Result::ERROR_HANDLE_INVALID
    })?;
    let is_allowed = match (needs, instance) {
        (Needs::Nothing, _) | (Needs::Instance, Some(_)) => true,
        (Needs::Version1_1, Some(instance)) => instance.version.minor() >= 1,
        (Needs::Any(extensions), Some(instance)) => {
            extensions.iter().any(|&extension| instance.has(extension))
        }
        (_, None) => return Err(xr::Result::ERROR_HANDLE_INVALID),
    };
    is_allowed.then_some(found).ok_or(unsupported)
}
