//! The extensions of the runtime.

use inputanim_openxr_ffi::write_fixed;
use openxr_sys as xr;

/// An extension of OpenXR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Extension {
    #[cfg(windows)]
    ConvertPerformanceCounter,
    #[cfg(unix)]
    ConvertTimespec,
    /// An extension that adds only interaction profiles or components, by its name.
    Controller(&'static str),
    Depth,
    #[cfg(windows)]
    Direct3d11,
    #[cfg(windows)]
    Direct3d12,
    EyeGaze,
    HandDataSource,
    HandInteraction,
    HandTracking,
    Headless,
    LocateSpaces,
    #[cfg(target_os = "linux")]
    OpenGl,
    PalmPose,
    ViveTrackers,
    Vulkan,
    Vulkan2,
}

/// Returns the entry of an extension that adds only interaction profiles or components.
const fn controller(name: &'static str, version: u32) -> (Extension, &'static str, u32) {
    (Extension::Controller(name), name, version)
}

impl Extension {
    /// All extensions with their names and versions.
    pub(crate) const ALL: &[(Extension, &'static str, u32)] = &[
        #[cfg(windows)]
        (
            Extension::ConvertPerformanceCounter,
            "XR_KHR_win32_convert_performance_counter_time",
            1,
        ),
        #[cfg(unix)]
        (
            Extension::ConvertTimespec,
            "XR_KHR_convert_timespec_time",
            1,
        ),
        (Extension::Depth, "XR_KHR_composition_layer_depth", 6),
        #[cfg(windows)]
        (Extension::Direct3d11, "XR_KHR_D3D11_enable", 11),
        #[cfg(windows)]
        (Extension::Direct3d12, "XR_KHR_D3D12_enable", 11),
        (Extension::EyeGaze, "XR_EXT_eye_gaze_interaction", 2),
        (
            Extension::HandDataSource,
            "XR_EXT_hand_tracking_data_source",
            1,
        ),
        (Extension::HandInteraction, "XR_EXT_hand_interaction", 2),
        (Extension::HandTracking, "XR_EXT_hand_tracking", 4),
        (Extension::Headless, "XR_MND_headless", 3),
        (Extension::LocateSpaces, "XR_KHR_locate_spaces", 1),
        #[cfg(target_os = "linux")]
        (Extension::OpenGl, "XR_KHR_opengl_enable", 12),
        (Extension::PalmPose, "XR_EXT_palm_pose", 3),
        (
            Extension::ViveTrackers,
            "XR_HTCX_vive_tracker_interaction",
            3,
        ),
        (Extension::Vulkan, "XR_KHR_vulkan_enable", 10),
        (Extension::Vulkan2, "XR_KHR_vulkan_enable2", 4),
        // The versions in the registry of OpenXR 1.1.61.
        controller("XR_ANDROID_mouse_interaction", 1),
        controller("XR_BD_controller_interaction", 2),
        controller("XR_BD_ultra_controller_interaction", 1),
        controller("XR_EXT_hp_mixed_reality_controller", 1),
        controller("XR_EXT_samsung_odyssey_controller", 1),
        controller("XR_FB_touch_controller_pro", 1),
        controller("XR_FB_touch_controller_proximity", 1),
        controller("XR_HTC_hand_interaction", 1),
        controller("XR_HTC_vive_cosmos_controller_interaction", 1),
        controller("XR_HTC_vive_focus3_controller_interaction", 2),
        controller("XR_HTC_vive_wrist_tracker_interaction", 1),
        controller("XR_HUAWEI_controller_interaction", 1),
        controller("XR_KHR_generic_controller", 1),
        controller("XR_LOGITECH_mx_ink_stylus_interaction", 1),
        controller("XR_META_touch_controller_plus", 1),
        controller("XR_ML_ml2_controller_interaction", 1),
        controller("XR_MSFT_hand_interaction", 1),
        controller("XR_OPPO_controller_interaction", 1),
        controller("XR_VARJO_xr4_controller_interaction", 2),
        controller("XR_YVR_controller_interaction", 1),
    ];

    /// Returns `true` if the extension belongs to the input, and not to the graphics or the clock.
    pub(crate) fn is_input(self) -> bool {
        matches!(
            self,
            Extension::Controller(_)
                | Extension::EyeGaze
                | Extension::HandDataSource
                | Extension::HandInteraction
                | Extension::HandTracking
                | Extension::LocateSpaces
                | Extension::PalmPose
                | Extension::ViveTrackers
        )
    }

    /// Returns the extension with a name, such as `XR_EXT_hand_tracking`; `None` if this runtime does not have it.
    pub(crate) fn named(name: &str) -> Option<Extension> {
        let found = Extension::ALL.iter().find(|(_, other, _)| *other == name);
        found.map(|&(extension, ..)| extension)
    }
}

/// Beginnings of names of extensions for the composition of layers.
const COMPOSITION: [&str; 6] = [
    "XR_KHR_composition_layer_",
    "XR_EXT_composition_layer_",
    "XR_FB_composition_layer_",
    "XR_MSFT_composition_layer_",
    "XR_VARJO_composition_layer_",
    "XR_FB_swapchain_update_state",
];

/// The extensions for graphics, composition, displays and the process, as the registry of OpenXR 1.1.61 names them. They have
/// no input, no spaces and no people or surroundings of the real headset.
const GRAPHICS: &[&str] = &[
    "XR_ALMALENCE_digital_lens_control",
    "XR_ANDROID_performance_metrics",
    "XR_ANDROID_recommended_resolution",
    "XR_EPIC_view_configuration_fov",
    "XR_EXTX_overlay",
    "XR_EXT_debug_utils",
    "XR_EXT_frame_synthesis",
    "XR_EXT_loader_init_properties",
    "XR_EXT_performance_settings",
    "XR_EXT_thermal_query",
    "XR_EXT_view_configuration_depth_range",
    "XR_EXT_view_configuration_views_change",
    "XR_EXT_win32_appcontainer_compatible",
    "XR_FB_android_surface_swapchain_create",
    "XR_FB_color_space",
    "XR_FB_display_refresh_rate",
    "XR_FB_foveation",
    "XR_FB_foveation_configuration",
    "XR_FB_foveation_vulkan",
    "XR_FB_space_warp",
    "XR_HTC_foveation",
    "XR_KHR_D3D11_enable",
    "XR_KHR_D3D12_enable",
    "XR_KHR_android_create_instance",
    "XR_KHR_android_surface_swapchain",
    "XR_KHR_android_thread_settings",
    "XR_KHR_convert_timespec_time",
    "XR_KHR_extended_struct_name_lengths",
    "XR_KHR_loader_init",
    "XR_KHR_loader_init_android",
    "XR_KHR_metal_enable",
    "XR_KHR_opengl_enable",
    "XR_KHR_opengl_es_enable",
    "XR_KHR_swapchain_usage_input_attachment_bit",
    "XR_KHR_visibility_mask",
    "XR_KHR_vulkan_enable",
    "XR_KHR_vulkan_enable2",
    "XR_KHR_vulkan_swapchain_format_list",
    "XR_KHR_win32_convert_performance_counter_time",
    "XR_META_automatic_layer_filter",
    "XR_META_local_dimming",
    "XR_META_performance_metrics",
    "XR_META_recommended_layer_resolution",
    "XR_META_vulkan_swapchain_create_info",
    "XR_ML_compat",
    "XR_ML_frame_end_info",
    "XR_ML_global_dimmer",
    "XR_MNDX_egl_enable",
    "XR_MND_headless",
    "XR_MND_swapchain_usage_input_attachment_bit",
    "XR_MSFT_holographic_window_attachment",
    "XR_OCULUS_android_session_state_enable",
    "XR_SONY_swapchain_color_space",
    "XR_VARJO_quad_views",
];

/// Returns `true` if an extension of another runtime does not change what the recording determines: it is for graphics,
/// composition, displays or the process. An extension that is not known is not one of them.
pub(crate) fn is_of_graphics(name: &str) -> bool {
    GRAPHICS.contains(&name) || COMPOSITION.iter().any(|start| name.starts_with(start))
}

/// Returns the structure that describes an extension with this name and version to an application.
pub(crate) fn property(name: &str, version: u32) -> xr::ExtensionProperties {
    let mut property = xr::ExtensionProperties {
        ty: xr::ExtensionProperties::TYPE,
        next: std::ptr::null_mut(),
        extension_name: [0; xr::MAX_EXTENSION_NAME_SIZE],
        extension_version: version,
    };
    write_fixed(name, &mut property.extension_name);
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_spaces_and_surroundings_are_not_graphics() {
        for name in [
            "XR_KHR_vulkan_enable2",
            "XR_KHR_D3D11_enable",
            "XR_KHR_composition_layer_cylinder",
            "XR_FB_composition_layer_settings",
            "XR_MND_headless",
        ] {
            assert!(is_of_graphics(name), "{name}");
        }
        for name in [
            "XR_EXT_local_floor",
            "XR_EXT_dpad_binding",
            "XR_EXT_user_presence",
            "XR_FB_body_tracking",
            "XR_FB_hand_tracking_aim",
            "XR_FB_passthrough",
            "XR_HTCX_vive_tracker_interaction",
            "XR_META_foveation_eye_tracked",
            "XR_MSFT_unbounded_reference_space",
            "XR_ANDROID_composition_layer_passthrough_mesh",
            "XR_NEW_thing",
        ] {
            assert!(!is_of_graphics(name), "{name}");
        }
        // An extension of the runtime concerns input, or the other runtime gets it.
        for (extension, name, _) in Extension::ALL {
            assert_ne!(extension.is_input(), is_of_graphics(name), "{name}");
        }
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(GRAPHICS.is_sorted());
    }
}
