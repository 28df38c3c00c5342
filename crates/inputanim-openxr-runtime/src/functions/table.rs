//! The table of functions.

use std::ffi::c_char;

use openxr_sys::{self as xr, pfn::VoidFunction};

#[cfg(windows)]
use super::direct3d;
#[cfg(target_os = "linux")]
use super::opengl;
use super::{
    actions, bindings, frames, hands, inputs, instances, paths, sessions, spaces, swapchains,
    systems, times, vulkan,
};
use crate::extensions::Extension;
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::Instance;
use inputanim_openxr_ffi::{Buffer, EXCLUDE_HAND_TRACKER, Get, In, Out, Set, Str, find_entry};

/// The condition under which an application may use a function.
enum Needs {
    /// An instance, with any version and extensions.
    Instance,
    /// An instance with OpenXR 1.1.
    Version1_1,
    /// An instance with one of these extensions.
    Any(&'static [Extension]),
}

/// Returns the function of this runtime with a name, such as `xrCreateSession`, and the condition under which an
/// application may use it. `None` if the runtime does not have it.
fn find(name: &str) -> Option<(VoidFunction, Needs)> {
    use Extension::{HandTracking, LocateSpaces, ViveTrackers, Vulkan, Vulkan2};
    // Two functions have another name in an extension.
    let spaces = match name {
        "xrLocateSpacesKHR" => ("xrLocateSpaces", Needs::Any(&[LocateSpaces])),
        name => (name, Needs::Version1_1),
    };
    let requirements = match name {
        "xrGetVulkanGraphicsRequirements2KHR" => {
            ("xrGetVulkanGraphicsRequirementsKHR", Needs::Any(&[Vulkan2]))
        }
        name => (name, Needs::Any(&[Vulkan])),
    };
    // A function of the layer has the type of this function.
    let excluded = match name {
        EXCLUDE_HAND_TRACKER => "xrDestroyHandTrackerEXT",
        _ => "",
    };
    let groups = [
        (
            find_entry!(excluded, DestroyHandTrackerEXT => hands::exclude, tracker: xr::HandTrackerEXT;),
            Needs::Any(&[HandTracking]),
        ),
        (
            find_entry!(name,
                DestroyInstance => instances::destroy, instance: xr::Instance;
                GetInstanceProperties => instances::properties, instance: xr::Instance, properties: Out<xr::InstanceProperties>;
                PollEvent => instances::poll_event, instance: xr::Instance, event: Set<xr::EventDataBuffer>;
                ResultToString => instances::result_to_string, instance: xr::Instance, value: xr::Result, buffer: Buffer<c_char>;
                StructureTypeToString => instances::structure_type_to_string, instance: xr::Instance, value: xr::StructureType, buffer: Buffer<c_char>;
                StringToPath => paths::string_to_path, instance: xr::Instance, text: Str, path: Set<xr::Path>;
                PathToString => paths::path_to_string, instance: xr::Instance, path: xr::Path, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>;
                GetSystem => systems::get, instance: xr::Instance, info: In<xr::SystemGetInfo>, system: Set<xr::SystemId>;
                GetSystemProperties => systems::properties, instance: xr::Instance, system: xr::SystemId, properties: Out<xr::SystemProperties>;
                EnumerateEnvironmentBlendModes => systems::blend_modes, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, modes: Buffer<xr::EnvironmentBlendMode>;
                EnumerateViewConfigurations => systems::view_configurations, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, types: Buffer<xr::ViewConfigurationType>;
                GetViewConfigurationProperties => systems::view_configuration, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, properties: Out<xr::ViewConfigurationProperties>;
                EnumerateViewConfigurationViews => systems::view_configuration_views, instance: xr::Instance, system: xr::SystemId, view: xr::ViewConfigurationType, capacity: u32, count: Set<u32>, views: Buffer<xr::ViewConfigurationView>;
                LocateViews => systems::locate_views, session: xr::Session, info: In<xr::ViewLocateInfo>, state: Out<xr::ViewState>, capacity: u32, count: Set<u32>, views: Buffer<xr::View>;
                CreateSession => sessions::create, instance: xr::Instance, info: In<xr::SessionCreateInfo>, session: Set<xr::Session>;
                DestroySession => sessions::destroy, session: xr::Session;
                BeginSession => sessions::begin, session: xr::Session, info: In<xr::SessionBeginInfo>;
                EndSession => sessions::end, session: xr::Session;
                RequestExitSession => sessions::request_exit, session: xr::Session;
                WaitFrame => frames::wait, session: xr::Session, info: Option<In<xr::FrameWaitInfo>>, state: Out<xr::FrameState>;
                BeginFrame => frames::begin, session: xr::Session, info: Option<In<xr::FrameBeginInfo>>;
                EndFrame => frames::end, session: xr::Session, info: In<xr::FrameEndInfo>;
                EnumerateReferenceSpaces => spaces::enumerate_references, session: xr::Session, capacity: u32, count: Set<u32>, types: Buffer<xr::ReferenceSpaceType>;
                CreateReferenceSpace => spaces::create_reference, session: xr::Session, info: In<xr::ReferenceSpaceCreateInfo>, space: Set<xr::Space>;
                GetReferenceSpaceBoundsRect => spaces::bounds, session: xr::Session, kind: xr::ReferenceSpaceType, bounds: Set<xr::Extent2Df>;
                CreateActionSpace => spaces::create_action, session: xr::Session, info: In<xr::ActionSpaceCreateInfo>, space: Set<xr::Space>;
                LocateSpace => spaces::locate, space: xr::Space, base: xr::Space, time: xr::Time, location: Out<xr::SpaceLocation>;
                DestroySpace => spaces::destroy, space: xr::Space;
                EnumerateSwapchainFormats => swapchains::formats, session: xr::Session, capacity: u32, count: Set<u32>, formats: Buffer<i64>;
                CreateSwapchain => swapchains::create, session: xr::Session, info: In<xr::SwapchainCreateInfo>, swapchain: Set<xr::Swapchain>;
                DestroySwapchain => swapchains::destroy, swapchain: xr::Swapchain;
                EnumerateSwapchainImages => swapchains::images, swapchain: xr::Swapchain, capacity: u32, count: Set<u32>, images: Buffer<xr::SwapchainImageBaseHeader>;
                AcquireSwapchainImage => swapchains::acquire, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageAcquireInfo>>, index: Set<u32>;
                WaitSwapchainImage => swapchains::wait, swapchain: xr::Swapchain, info: In<xr::SwapchainImageWaitInfo>;
                ReleaseSwapchainImage => swapchains::release, swapchain: xr::Swapchain, info: Option<In<xr::SwapchainImageReleaseInfo>>;
                CreateActionSet => actions::create_set, instance: xr::Instance, info: In<xr::ActionSetCreateInfo>, set: Set<xr::ActionSet>;
                DestroyActionSet => actions::destroy_set, set: xr::ActionSet;
                CreateAction => actions::create, set: xr::ActionSet, info: In<xr::ActionCreateInfo>, action: Set<xr::Action>;
                DestroyAction => actions::destroy, action: xr::Action;
                SuggestInteractionProfileBindings => bindings::suggest, instance: xr::Instance, info: In<xr::InteractionProfileSuggestedBinding>;
                AttachSessionActionSets => bindings::attach, session: xr::Session, info: In<xr::SessionActionSetsAttachInfo>;
                GetCurrentInteractionProfile => bindings::current_profile, session: xr::Session, user: xr::Path, profile: Out<xr::InteractionProfileState>;
                SyncActions => inputs::sync, session: xr::Session, info: In<xr::ActionsSyncInfo>;
                GetActionStateBoolean => inputs::get_boolean, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateBoolean>;
                GetActionStateFloat => inputs::get_float, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateFloat>;
                GetActionStateVector2f => inputs::get_vector, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStateVector2f>;
                GetActionStatePose => inputs::get_pose, session: xr::Session, info: In<xr::ActionStateGetInfo>, state: Out<xr::ActionStatePose>;
                EnumerateBoundSourcesForAction => bindings::bound_sources, session: xr::Session, info: In<xr::BoundSourcesForActionEnumerateInfo>, capacity: u32, count: Set<u32>, sources: Buffer<xr::Path>;
                GetInputSourceLocalizedName => bindings::source_name, session: xr::Session, info: In<xr::InputSourceLocalizedNameGetInfo>, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>;
                ApplyHapticFeedback => actions::apply_haptic, session: xr::Session, info: In<xr::HapticActionInfo>, feedback: Get<xr::HapticBaseHeader>;
                StopHapticFeedback => actions::stop_haptic, session: xr::Session, info: In<xr::HapticActionInfo>;
            ),
            Needs::Instance,
        ),
        (
            find_entry!(spaces.0,
                LocateSpaces => spaces::locate_all, session: xr::Session, info: In<xr::SpacesLocateInfo>, locations: Out<xr::SpaceLocations>;
            ),
            spaces.1,
        ),
        (
            find_entry!(name,
                CreateHandTrackerEXT => hands::create, session: xr::Session, info: In<xr::HandTrackerCreateInfoEXT>, tracker: Set<xr::HandTrackerEXT>;
                DestroyHandTrackerEXT => hands::destroy, tracker: xr::HandTrackerEXT;
                LocateHandJointsEXT => hands::locate, tracker: xr::HandTrackerEXT, info: In<xr::HandJointsLocateInfoEXT>, locations: Out<xr::HandJointLocationsEXT>;
            ),
            Needs::Any(&[HandTracking]),
        ),
        (
            find_entry!(name,
                EnumerateViveTrackerPathsHTCX => instances::trackers, instance: xr::Instance, capacity: u32, count: Set<u32>, paths: Buffer<xr::ViveTrackerPathsHTCX>;
            ),
            Needs::Any(&[ViveTrackers]),
        ),
        #[cfg(unix)]
        (
            find_entry!(name,
                ConvertTimespecTimeToTimeKHR => times::from_timespec, instance: xr::Instance, from: Get<libc::timespec>, time: Set<xr::Time>;
                ConvertTimeToTimespecTimeKHR => times::to_timespec, instance: xr::Instance, time: xr::Time, to: Set<libc::timespec>;
            ),
            Needs::Any(&[Extension::ConvertTimespec]),
        ),
        #[cfg(windows)]
        (
            find_entry!(name,
                ConvertWin32PerformanceCounterToTimeKHR => times::from_counter, instance: xr::Instance, from: Get<i64>, time: Set<xr::Time>;
                ConvertTimeToWin32PerformanceCounterKHR => times::to_counter, instance: xr::Instance, time: xr::Time, to: Set<i64>;
            ),
            Needs::Any(&[Extension::ConvertPerformanceCounter]),
        ),
        (
            find_entry!(name,
                GetVulkanInstanceExtensionsKHR => vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>;
                GetVulkanDeviceExtensionsKHR => vulkan::extensions, instance: xr::Instance, system: xr::SystemId, capacity: u32, count: Set<u32>, buffer: Buffer<c_char>;
                GetVulkanGraphicsDeviceKHR => vulkan::device, instance: xr::Instance, system: xr::SystemId, vulkan: xr::platform::VkInstance, device: Set<xr::platform::VkPhysicalDevice>;
            ),
            Needs::Any(&[Vulkan]),
        ),
        (
            find_entry!(requirements.0,
                GetVulkanGraphicsRequirementsKHR => vulkan::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsVulkanKHR>;
            ),
            requirements.1,
        ),
        (
            find_entry!(name,
                CreateVulkanInstanceKHR => vulkan::create_instance, instance: xr::Instance, info: In<xr::VulkanInstanceCreateInfoKHR>, vulkan: Set<xr::platform::VkInstance>, result: Set<xr::platform::VkResult>;
                CreateVulkanDeviceKHR => vulkan::create_device, instance: xr::Instance, info: In<xr::VulkanDeviceCreateInfoKHR>, device: Set<xr::platform::VkDevice>, result: Set<xr::platform::VkResult>;
                GetVulkanGraphicsDevice2KHR => vulkan::device2, instance: xr::Instance, info: In<xr::VulkanGraphicsDeviceGetInfoKHR>, device: Set<xr::platform::VkPhysicalDevice>;
            ),
            Needs::Any(&[Vulkan2]),
        ),
        #[cfg(target_os = "linux")]
        (
            find_entry!(name,
                GetOpenGLGraphicsRequirementsKHR => opengl::requirements, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsOpenGLKHR>;
            ),
            Needs::Any(&[Extension::OpenGl]),
        ),
        #[cfg(windows)]
        (
            find_entry!(name,
                GetD3D11GraphicsRequirementsKHR => direct3d::requirements_11, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsD3D11KHR>;
            ),
            Needs::Any(&[Extension::Direct3d11]),
        ),
        #[cfg(windows)]
        (
            find_entry!(name,
                GetD3D12GraphicsRequirementsKHR => direct3d::requirements_12, instance: xr::Instance, system: xr::SystemId, requirements: Out<xr::GraphicsRequirementsD3D12KHR>;
            ),
            Needs::Any(&[Extension::Direct3d12]),
        ),
    ];
    let mut groups = groups.into_iter();
    groups.find_map(|(function, needs)| Some((function?, needs)))
}

/// Returns the function of this runtime with a name. Fails with `ERROR_HANDLE_INVALID` without an instance, and with
/// `ERROR_FUNCTION_UNSUPPORTED` if the runtime does not have the function, or if the instance has not enabled it.
pub(crate) fn lookup(instance: Option<&Instance>, name: &str) -> Result<VoidFunction, xr::Result> {
    let instance = instance.ok_or(NO_HANDLE)?;
    let unsupported = xr::Result::ERROR_FUNCTION_UNSUPPORTED;
    let (found, needs) = find(name).ok_or(unsupported)?;
    let is_allowed = match needs {
        Needs::Instance => true,
        Needs::Version1_1 => instance.version.minor() >= 1,
        Needs::Any(extensions) => extensions.iter().any(|&extension| instance.has(extension)),
    };
    is_allowed.then_some(found).ok_or(unsupported)
}
