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
    /// An extension that adds only interaction profiles or components of controllers, by its name.
    Controller(&'static str),
    Depth,
    EyeGaze,
    HandDataSource,
    HandInteraction,
    HandTracking,
    Headless,
    LocateSpaces,
    #[cfg(target_os = "linux")]
    OpenGl,
    PalmPose,
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
        (Extension::Vulkan, "XR_KHR_vulkan_enable", 10),
        (Extension::Vulkan2, "XR_KHR_vulkan_enable2", 4),
        // The versions in the registry of OpenXR 1.1.61.
        controller("XR_BD_controller_interaction", 2),
        controller("XR_BD_ultra_controller_interaction", 1),
        controller("XR_EXT_hp_mixed_reality_controller", 1),
        controller("XR_EXT_samsung_odyssey_controller", 1),
        controller("XR_FB_touch_controller_pro", 1),
        controller("XR_FB_touch_controller_proximity", 1),
        controller("XR_HTC_vive_cosmos_controller_interaction", 1),
        controller("XR_HTC_vive_focus3_controller_interaction", 2),
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
        )
    }

    /// Returns the extension with a name, such as `XR_EXT_hand_tracking`; `None` if this runtime does not have it.
    pub(crate) fn named(name: &str) -> Option<Extension> {
        let found = Extension::ALL.iter().find(|(_, other, _)| *other == name);
        found.map(|&(extension, ..)| extension)
    }
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
