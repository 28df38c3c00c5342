//! The table of functions.

use std::ffi::CStr;
use std::ffi::c_char;

use openxr_sys::{self as xr, Handle, pfn::VoidFunction};

#[cfg(unix)]
use crate::clock;
use crate::extensions::Extension;
use crate::state::State;
use crate::{
    actions, debug, frames, hands, instance, paths, session, space, swapchains, system, vulkan,
};
use inputanim_openxr_border::{Buffer, DONE, Get, In, Out, Reply, Set, Text, entry};

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
fn find(name: &CStr) -> Option<(VoidFunction, Needs)> {
    use Extension::{ConvertTimespec, DebugUtils, HandTracking, LocateSpaces, Vulkan, Vulkan2};
    let core = |function| Some((function, Needs::Instance));
    let any = |extensions, function| Some((function, Needs::Any(extensions)));
    match name.to_bytes().strip_prefix(b"xr")? {
        b"GetInstanceProcAddr" => Some((get_proc_addr(), Needs::Nothing)),
        b"EnumerateInstanceExtensionProperties" => Some((
            entry!(EnumerateInstanceExtensionProperties, instance::enumerate_extensions, layer: instance::LayerName, capacity: u32, count: Set<u32>, properties: Buffer<xr::ExtensionProperties>),
            Needs::Nothing,
        )),
        b"CreateInstance" => Some((
            entry!(CreateInstance, instance::create, info: In<xr::InstanceCreateInfo>, instance: Set<xr::Instance>),
            Needs::Nothing,
        )),
        b"DestroyInstance" => {
            core(entry!(DestroyInstance, instance::destroy, instance: xr::Instance))
        }
        b"GetInstanceProperties" => core(
            entry!(GetInstanceProperties, instance::properties, instance: xr::Instance, properties: Out<xr::InstanceProperties>),
        ),
        b"PollEvent" => core(
            entry!(PollEvent, instance::poll_event, instance: xr::Instance, event: Set<xr::EventDataBuffer>),
        ),
        b"ResultToString" => core(
            entry!(ResultToString, instance::result_to_string, instance: xr::Instance, value: xr::Result, buffer: Buffer<c_char>),
        ),
        b"StructureTypeToString" => core(
            entry!(StructureTypeToString, instance::structure_type_to_string, instance: xr::Instance, value: xr::StructureType, buffer: Buffer<c_char>),
        ),
        b"StringToPath" => core(
            entry!(StringToPath, paths::string_to_path, instance: xr::Instance, text: Text, path: Set<xr::Path>),
        ),
        b"PathToString" => core(
            entry!(PathToString, paths::path_to_string, instance: xr::Instance, path: xr::Path, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),

        b"GetSystem" => core(
            entry!(GetSystem, system::get, instance: xr::Instance, info: In<xr::SystemGetInfo>, system: Set<xr::SystemId>),
        ),
        b"GetSystemProperties" => core(
            entry!(GetSystemProperties, system::properties, instance: xr::Instance, system: xr::SystemId, properties: Out<xr::SystemProperties>),
        ),
        b"EnumerateEnvironmentBlendModes" => core(
            entry!(EnumerateEnvironmentBlendModes, system::blend_modes, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, modes: Buffer<xr::EnvironmentBlendMode>),
        ),
        b"EnumerateViewConfigurations" => core(
            entry!(EnumerateViewConfigurations, system::view_configurations, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, types: Buffer<xr::ViewConfigurationType>),
        ),
        b"GetViewConfigurationProperties" => core(
            entry!(GetViewConfigurationProperties, system::view_configuration, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, properties: Out<xr::ViewConfigurationProperties>),
        ),
        b"EnumerateViewConfigurationViews" => core(
            entry!(EnumerateViewConfigurationViews, system::view_configuration_views, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, views: Buffer<xr::ViewConfigurationView>),
        ),
        b"LocateViews" => core(
            entry!(LocateViews, system::locate_views, session: xr::Session, info: In<xr::ViewLocateInfo>, state: Out<xr::ViewState>, capacity: u32, count: Set<u32>, views: Buffer<xr::View>),
        ),

        b"CreateSession" => core(
            entry!(CreateSession, session::create, instance: xr::Instance, info: In<xr::SessionCreateInfo>, session: Set<xr::Session>),
        ),
        b"DestroySession" => core(entry!(DestroySession, session::destroy, session: xr::Session)),
        b"BeginSession" => core(
            entry!(BeginSession, session::begin, session: xr::Session, info: In<xr::SessionBeginInfo>),
        ),
        b"EndSession" => core(entry!(EndSession, session::end, session: xr::Session)),
        b"RequestExitSession" => {
            core(entry!(RequestExitSession, session::request_exit, session: xr::Session))
        }
        b"WaitFrame" => core(
            entry!(WaitFrame, frames::wait, session: xr::Session, info: Option<In<xr::FrameWaitInfo>>, state: Out<xr::FrameState>),
        ),
        b"BeginFrame" => core(
            entry!(BeginFrame, frames::begin, session: xr::Session, info: Option<In<xr::FrameBeginInfo>>),
        ),
        b"EndFrame" => {
            core(entry!(EndFrame, frames::end, session: xr::Session, info: In<xr::FrameEndInfo>))
        }

        b"EnumerateReferenceSpaces" => core(
            entry!(EnumerateReferenceSpaces, space::enumerate_references, session: xr::Session, capacity: u32, count: Set<u32>, types: Buffer<xr::ReferenceSpaceType>),
        ),
        b"CreateReferenceSpace" => core(
            entry!(CreateReferenceSpace, space::create_reference, session: xr::Session, info: In<xr::ReferenceSpaceCreateInfo>, space: Set<xr::Space>),
        ),
        b"GetReferenceSpaceBoundsRect" => core(
            entry!(GetReferenceSpaceBoundsRect, space::bounds, session: xr::Session, kind: xr::ReferenceSpaceType, bounds: Set<xr::Extent2Df>),
        ),
        b"CreateActionSpace" => core(
            entry!(CreateActionSpace, space::create_action, session: xr::Session, info: In<xr::ActionSpaceCreateInfo>, space: Set<xr::Space>),
        ),
        b"LocateSpace" => core(
            entry!(LocateSpace, space::locate, space: xr::Space, base: xr::Space, time: xr::Time, location: Out<xr::SpaceLocation>),
        ),
        b"DestroySpace" => core(entry!(DestroySpace, space::destroy, space: xr::Space)),
        b"LocateSpaces" => Some((
            entry!(LocateSpaces, space::locate_all, session: xr::Session, info: In<xr::SpacesLocateInfo>, locations: Out<xr::SpaceLocations>),
            Needs::Version1_1,
        )),
        b"LocateSpacesKHR" => any(
            &[LocateSpaces],
            entry!(LocateSpaces, space::locate_all, session: xr::Session, info: In<xr::SpacesLocateInfo>, locations: Out<xr::SpaceLocations>),
        ),

        b"EnumerateSwapchainFormats" => core(
            entry!(EnumerateSwapchainFormats, swapchains::formats, session: xr::Session, capacity: u32, count: Set<u32>, formats: Buffer<i64>),
        ),
        b"CreateSwapchain" => core(
            entry!(CreateSwapchain, swapchains::create, session: xr::Session, info: In<xr::SwapchainCreateInfo>, swapchain: Set<xr::Swapchain>),
        ),
        b"DestroySwapchain" => {
            core(entry!(DestroySwapchain, swapchains::destroy, swapchain: xr::Swapchain))
        }
        b"EnumerateSwapchainImages" => core(
            entry!(EnumerateSwapchainImages, swapchains::images, swapchain: xr::Swapchain, capacity: u32, count: Set<u32>, images: Buffer<xr::SwapchainImageBaseHeader>),
        ),
        b"AcquireSwapchainImage" => core(
            entry!(AcquireSwapchainImage, swapchains::acquire, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageAcquireInfo>>, index: Set<u32>),
        ),
        b"WaitSwapchainImage" => core(
            entry!(WaitSwapchainImage, swapchains::wait, swapchain: xr::Swapchain, info: In<xr::SwapchainImageWaitInfo>),
        ),
        b"ReleaseSwapchainImage" => core(
            entry!(ReleaseSwapchainImage, swapchains::release, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageReleaseInfo>>),
        ),

        b"CreateActionSet" => core(
            entry!(CreateActionSet, actions::create_set, instance: xr::Instance, info: In<xr::ActionSetCreateInfo>, set: Set<xr::ActionSet>),
        ),
        b"DestroyActionSet" => {
            core(entry!(DestroyActionSet, actions::destroy_set, set: xr::ActionSet))
        }
        b"CreateAction" => core(
            entry!(CreateAction, actions::create, set: xr::ActionSet, info: In<xr::ActionCreateInfo>, action: Set<xr::Action>),
        ),
        b"DestroyAction" => core(entry!(DestroyAction, actions::destroy, action: xr::Action)),
        b"SuggestInteractionProfileBindings" => core(
            entry!(SuggestInteractionProfileBindings, actions::suggest, instance: xr::Instance, info: In<xr::InteractionProfileSuggestedBinding>),
        ),
        b"AttachSessionActionSets" => core(
            entry!(AttachSessionActionSets, actions::attach, session: xr::Session, info: In<xr::SessionActionSetsAttachInfo>),
        ),
        b"GetCurrentInteractionProfile" => core(
            entry!(GetCurrentInteractionProfile, actions::current_profile, session: xr::Session, user: xr::Path, profile: Out<xr::InteractionProfileState>),
        ),
        b"SyncActions" => core(
            entry!(SyncActions, actions::sync, session: xr::Session, info: In<xr::ActionsSyncInfo>),
        ),
        b"GetActionStateBoolean" => core(
            entry!(GetActionStateBoolean, actions::get_boolean, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateBoolean>),
        ),
        b"GetActionStateFloat" => core(
            entry!(GetActionStateFloat, actions::get_float, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateFloat>),
        ),
        b"GetActionStateVector2f" => core(
            entry!(GetActionStateVector2f, actions::get_vector, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateVector2f>),
        ),
        b"GetActionStatePose" => core(
            entry!(GetActionStatePose, actions::get_pose, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStatePose>),
        ),
        b"EnumerateBoundSourcesForAction" => core(
            entry!(EnumerateBoundSourcesForAction, actions::bound_sources, session: xr::Session, info: In<xr::BoundSourcesForActionEnumerateInfo>, capacity: u32, count: Set<u32>, sources: Buffer<xr::Path>),
        ),
        b"GetInputSourceLocalizedName" => core(
            entry!(GetInputSourceLocalizedName, actions::source_name, session: xr::Session, info: In<xr::InputSourceLocalizedNameGetInfo>, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        b"ApplyHapticFeedback" => core(
            entry!(ApplyHapticFeedback, actions::apply_haptic, session: xr::Session, info: In<xr::HapticActionInfo>, feedback: Get<xr::HapticBaseHeader>),
        ),
        b"StopHapticFeedback" => core(
            entry!(StopHapticFeedback, actions::stop_haptic, session: xr::Session, info: In<xr::HapticActionInfo>),
        ),

        b"CreateHandTrackerEXT" => any(
            &[HandTracking],
            entry!(CreateHandTrackerEXT, hands::create, session: xr::Session, info: In<xr::HandTrackerCreateInfoEXT>, tracker: Set<xr::HandTrackerEXT>),
        ),
        b"DestroyHandTrackerEXT" => any(
            &[HandTracking],
            entry!(DestroyHandTrackerEXT, hands::destroy, tracker: xr::HandTrackerEXT),
        ),
        b"LocateHandJointsEXT" => any(
            &[HandTracking],
            entry!(LocateHandJointsEXT, hands::locate, tracker: xr::HandTrackerEXT, info: In<xr::HandJointsLocateInfoEXT>, locations: Out<xr::HandJointLocationsEXT>),
        ),

        #[cfg(unix)]
        b"ConvertTimespecTimeToTimeKHR" => any(
            &[ConvertTimespec],
            entry!(ConvertTimespecTimeToTimeKHR, clock::from_timespec, instance: xr::Instance, from: Get<libc::timespec>, time: Set<xr::Time>),
        ),
        #[cfg(unix)]
        b"ConvertTimeToTimespecTimeKHR" => any(
            &[ConvertTimespec],
            entry!(ConvertTimeToTimespecTimeKHR, clock::to_timespec, instance: xr::Instance, time: xr::Time, to: Set<libc::timespec>),
        ),

        b"GetVulkanInstanceExtensionsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanInstanceExtensionsKHR, vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        b"GetVulkanDeviceExtensionsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanDeviceExtensionsKHR, vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>),
        ),
        b"GetVulkanGraphicsDeviceKHR" => any(
            &[Vulkan],
            entry!(GetVulkanGraphicsDeviceKHR, vulkan::device, instance: xr::Instance, system: xr::SystemId, vulkan: xr::platform::VkInstance, device: Set<xr::platform::VkPhysicalDevice>),
        ),
        b"GetVulkanGraphicsRequirementsKHR" => any(
            &[Vulkan],
            entry!(GetVulkanGraphicsRequirementsKHR, vulkan::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsVulkanKHR>),
        ),
        b"GetVulkanGraphicsRequirements2KHR" => any(
            &[Vulkan2],
            entry!(GetVulkanGraphicsRequirementsKHR, vulkan::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsVulkanKHR>),
        ),
        b"CreateVulkanInstanceKHR" => any(
            &[Vulkan2],
            entry!(CreateVulkanInstanceKHR, vulkan::create_instance, instance: xr::Instance, info: In<xr::VulkanInstanceCreateInfoKHR>, vulkan: Set<xr::platform::VkInstance>, result: Set<xr::platform::VkResult>),
        ),
        b"CreateVulkanDeviceKHR" => any(
            &[Vulkan2],
            entry!(CreateVulkanDeviceKHR, vulkan::create_device, instance: xr::Instance, info: In<xr::VulkanDeviceCreateInfoKHR>, device: Set<xr::platform::VkDevice>, result: Set<xr::platform::VkResult>),
        ),
        b"GetVulkanGraphicsDevice2KHR" => any(
            &[Vulkan2],
            entry!(GetVulkanGraphicsDevice2KHR, vulkan::device2, instance: xr::Instance, info: In<xr::VulkanGraphicsDeviceGetInfoKHR>, device: Set<xr::platform::VkPhysicalDevice>),
        ),

        #[cfg(target_os = "linux")]
        b"GetOpenGLGraphicsRequirementsKHR" => any(
            &[Extension::OpenGl],
            entry!(GetOpenGLGraphicsRequirementsKHR, crate::opengl::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsOpenGLKHR>),
        ),

        b"CreateDebugUtilsMessengerEXT" => any(
            &[DebugUtils],
            entry!(CreateDebugUtilsMessengerEXT, debug::create_messenger, instance: xr::Instance, info: In<xr::DebugUtilsMessengerCreateInfoEXT>, messenger: Set<xr::DebugUtilsMessengerEXT>),
        ),
        b"DestroyDebugUtilsMessengerEXT" => any(
            &[DebugUtils],
            entry!(DestroyDebugUtilsMessengerEXT, debug::destroy_messenger, messenger: xr::DebugUtilsMessengerEXT),
        ),
        b"SubmitDebugUtilsMessageEXT" => any(
            &[DebugUtils],
            entry!(SubmitDebugUtilsMessageEXT, debug::submit_message, instance: xr::Instance, severity: xr::DebugUtilsMessageSeverityFlagsEXT, types: xr::DebugUtilsMessageTypeFlagsEXT, data: In<xr::DebugUtilsMessengerCallbackDataEXT>),
        ),
        b"SetDebugUtilsObjectNameEXT" => any(
            &[DebugUtils],
            entry!(SetDebugUtilsObjectNameEXT, debug::name_object, instance: xr::Instance, info: In<xr::DebugUtilsObjectNameInfoEXT>),
        ),
        b"SessionBeginDebugUtilsLabelRegionEXT" => any(
            &[DebugUtils],
            entry!(SessionBeginDebugUtilsLabelRegionEXT, debug::begin_label, session: xr::Session, label: In<xr::DebugUtilsLabelEXT>),
        ),
        b"SessionEndDebugUtilsLabelRegionEXT" => any(
            &[DebugUtils],
            entry!(SessionEndDebugUtilsLabelRegionEXT, debug::end_label, session: xr::Session),
        ),
        b"SessionInsertDebugUtilsLabelEXT" => any(
            &[DebugUtils],
            entry!(SessionInsertDebugUtilsLabelEXT, debug::insert_label, session: xr::Session, label: In<xr::DebugUtilsLabelEXT>),
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
    let name =
        std::ffi::CString::new(&*name).map_err(|_| xr::Result::ERROR_FUNCTION_UNSUPPORTED)?;
    let found = find(&name);
    let mut state = State::lock();
    let instance = match instance {
        xr::Instance::NULL => None,
        handle => Some(state.instance(handle)?),
    };
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
    if !is_allowed {
        return Err(unsupported);
    }
    function.set(Some(found));
    DONE
}
