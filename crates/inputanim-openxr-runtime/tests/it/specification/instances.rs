//! Instances, functions, names, paths and the system.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use inputanim_openxr::Settings;
use openxr::sys::Handle;
use openxr::{self as xr, sys};

use super::{
    App, INVALID, NO_HANDLE, OK, extensions, instance, list, of, raw, sample, text, write,
};
use crate::{alone, entry};

/// Creates an instance with changed arguments, and returns the result code. Each change is wrong.
fn refused(settings: &Settings, change: impl FnOnce(&mut sys::InstanceCreateInfo)) -> sys::Result {
    let mut info = of!(InstanceCreateInfo);
    write("a", &mut info.application_info.application_name);
    info.application_info.api_version = xr::Version::new(1, 0, 0);
    change(&mut info);
    let mut made = sys::Instance::NULL;
    // SAFETY: the pointers are valid.
    let result = unsafe { (entry(settings).fp().create_instance)(&raw const info, &raw mut made) };
    assert_eq!(made, sys::Instance::NULL);
    result
}

#[test]
fn each_wrong_argument_of_an_instance_has_its_code() {
    let _alone = alone();
    let settings = sample("wave.bin");
    let wrong = |change: &dyn Fn(&mut sys::InstanceCreateInfo)| refused(&settings, change);
    let version = |major, minor| {
        wrong(&|info| info.application_info.api_version = xr::Version::new(major, minor, 0))
    };
    for (major, minor) in [(0, 9), (1, 2), (2, 0)] {
        let unsupported = sys::Result::ERROR_API_VERSION_UNSUPPORTED;
        assert_eq!(version(major, minor), unsupported, "{major}.{minor}");
    }
    let name = sys::Result::ERROR_NAME_INVALID;
    assert_eq!(
        wrong(&|info| info.application_info.application_name = [0; 128]),
        name
    );
    assert_eq!(
        wrong(&|info| info.application_info.application_name = [97; 128]),
        name
    );
    assert_eq!(
        wrong(&|info| info.application_info.engine_name = [97; 128]),
        name
    );
    assert_eq!(
        wrong(&|info| info.create_flags = sys::InstanceCreateFlags::from_raw(1)),
        INVALID
    );
    assert_eq!(wrong(&|info| info.ty = sys::SystemGetInfo::TYPE), INVALID);
    let names = [c"XR_NOTHING".as_ptr()];
    let missing = wrong(&|info| {
        info.enabled_extension_count = 1;
        info.enabled_extension_names = names.as_ptr();
    });
    assert_eq!(missing, sys::Result::ERROR_EXTENSION_NOT_PRESENT);
    assert_eq!(wrong(&|info| info.enabled_extension_count = 1), INVALID);
    assert_eq!(
        refused(&sample("missing.bin"), |_| ()),
        sys::Result::ERROR_RUNTIME_UNAVAILABLE
    );
    // SAFETY: null pointers are checked.
    let result = unsafe { (entry(&settings).fp().create_instance)(null(), null_mut()) };
    assert_eq!(result, INVALID);
}

#[test]
fn instances_follow_each_other_and_a_second_one_is_refused() {
    let _alone = alone();
    let settings = sample("wave.bin");
    for index in 0..50 {
        let open = instance(&settings, index % 2, &extensions());
        let second = entry(&settings).create_instance(
            &xr::ApplicationInfo {
                application_name: "second",
                ..xr::ApplicationInfo::default()
            },
            &extensions(),
            &[],
            &(),
        );
        assert_eq!(second.err(), Some(sys::Result::ERROR_LIMIT_REACHED));
        let handle = open.as_raw();
        let destroy = open.fp().destroy_instance;
        std::thread::spawn(move || drop(open))
            .join()
            .expect("no panic");
        // SAFETY: the runtime checks handles.
        assert_eq!(unsafe { destroy(handle) }, NO_HANDLE);
    }
}

#[test]
fn the_extensions_are_listed_with_their_versions() {
    let _alone = alone();
    let entry = entry(&sample("wave.bin"));
    let enumerate = entry.fp().enumerate_instance_extension_properties;
    let found = list(of!(ExtensionProperties), |capacity, count, all| {
        // SAFETY: the pointers are valid or null.
        unsafe { enumerate(null(), capacity, count, all) }
    });
    let mut found: Vec<(String, u32)> = found
        .iter()
        .map(|one| (text(&one.extension_name), one.extension_version))
        .collect();
    found.sort();
    let mut wanted = vec![
        ("XR_EXT_eye_gaze_interaction", 2),
        ("XR_EXT_hand_interaction", 2),
        ("XR_EXT_hand_tracking", 4),
        ("XR_EXT_hand_tracking_data_source", 1),
        ("XR_EXT_palm_pose", 3),
        ("XR_KHR_composition_layer_depth", 6),
        ("XR_KHR_locate_spaces", 1),
        ("XR_KHR_vulkan_enable", 10),
        ("XR_KHR_vulkan_enable2", 4),
        ("XR_MND_headless", 3),
        ("XR_ANDROID_mouse_interaction", 1),
        ("XR_BD_controller_interaction", 2),
        ("XR_BD_ultra_controller_interaction", 1),
        ("XR_EXT_hp_mixed_reality_controller", 1),
        ("XR_EXT_samsung_odyssey_controller", 1),
        ("XR_FB_touch_controller_pro", 1),
        ("XR_FB_touch_controller_proximity", 1),
        ("XR_HTCX_vive_tracker_interaction", 3),
        ("XR_HTC_hand_interaction", 1),
        ("XR_HTC_vive_cosmos_controller_interaction", 1),
        ("XR_HTC_vive_focus3_controller_interaction", 2),
        ("XR_HTC_vive_wrist_tracker_interaction", 1),
        ("XR_HUAWEI_controller_interaction", 1),
        ("XR_KHR_generic_controller", 1),
        ("XR_LOGITECH_mx_ink_stylus_interaction", 1),
        ("XR_META_touch_controller_plus", 1),
        ("XR_ML_ml2_controller_interaction", 1),
        ("XR_MSFT_hand_interaction", 1),
        ("XR_OPPO_controller_interaction", 1),
        ("XR_VARJO_xr4_controller_interaction", 2),
        ("XR_YVR_controller_interaction", 1),
    ];
    #[cfg(unix)]
    wanted.push(("XR_KHR_convert_timespec_time", 1));
    #[cfg(windows)]
    wanted.extend([
        ("XR_KHR_D3D11_enable", 11),
        ("XR_KHR_D3D12_enable", 11),
        ("XR_KHR_win32_convert_performance_counter_time", 1),
    ]);
    #[cfg(target_os = "linux")]
    wanted.push(("XR_KHR_opengl_enable", 12));
    wanted.sort_unstable();
    let wanted: Vec<_> = wanted
        .iter()
        .map(|&(name, version)| (name.to_owned(), version))
        .collect();
    assert_eq!(found, wanted);
    // A runtime has no layers.
    // SAFETY: the pointers are valid or null.
    let result = unsafe { enumerate(c"XR_APILAYER_a".as_ptr(), 0, &mut 0, null_mut()) };
    assert_eq!(result, sys::Result::ERROR_API_LAYER_NOT_PRESENT);
}

/// Returns the result of a look-up. A function is returned exactly when the call succeeds ("Function Pointers").
fn lookup(open: Option<&xr::Instance>, name: &CStr) -> sys::Result {
    let get = entry(&sample("wave.bin")).fp().get_instance_proc_addr;
    let handle = open.map_or(sys::Instance::NULL, xr::Instance::as_raw);
    let mut found = None;
    // SAFETY: the pointers are valid.
    let result = unsafe { get(handle, name.as_ptr(), &raw mut found) };
    assert_eq!(found.is_some(), result == OK, "{name:?}");
    result
}

/// Enables an extension.
type Enable = fn(&mut xr::ExtensionSet);

/// The functions of each extension.
const EXTENDED: &[(Enable, &[&CStr])] = &[
    (|_| (), &[]),
    (
        |all| all.ext_hand_tracking = true,
        &[
            c"xrCreateHandTrackerEXT",
            c"xrDestroyHandTrackerEXT",
            c"xrLocateHandJointsEXT",
        ],
    ),
    (|all| all.khr_locate_spaces = true, &[c"xrLocateSpacesKHR"]),
    (
        |all| all.htcx_vive_tracker_interaction = true,
        &[c"xrEnumerateViveTrackerPathsHTCX"],
    ),
    #[cfg(unix)]
    (
        |all| all.khr_convert_timespec_time = true,
        &[
            c"xrConvertTimespecTimeToTimeKHR",
            c"xrConvertTimeToTimespecTimeKHR",
        ],
    ),
    #[cfg(windows)]
    (
        |all| all.khr_win32_convert_performance_counter_time = true,
        &[
            c"xrConvertWin32PerformanceCounterToTimeKHR",
            c"xrConvertTimeToWin32PerformanceCounterKHR",
        ],
    ),
    (
        |all| all.khr_vulkan_enable = true,
        &[
            c"xrGetVulkanInstanceExtensionsKHR",
            c"xrGetVulkanDeviceExtensionsKHR",
            c"xrGetVulkanGraphicsDeviceKHR",
            c"xrGetVulkanGraphicsRequirementsKHR",
        ],
    ),
    (
        |all| all.khr_vulkan_enable2 = true,
        &[
            c"xrGetVulkanGraphicsRequirements2KHR",
            c"xrCreateVulkanInstanceKHR",
            c"xrCreateVulkanDeviceKHR",
            c"xrGetVulkanGraphicsDevice2KHR",
        ],
    ),
    #[cfg(target_os = "linux")]
    (
        |all| all.khr_opengl_enable = true,
        &[c"xrGetOpenGLGraphicsRequirementsKHR"],
    ),
    #[cfg(windows)]
    (
        |all| all.khr_d3d11_enable = true,
        &[c"xrGetD3D11GraphicsRequirementsKHR"],
    ),
    #[cfg(windows)]
    (
        |all| all.khr_d3d12_enable = true,
        &[c"xrGetD3D12GraphicsRequirementsKHR"],
    ),
];

#[test]
fn a_function_is_found_when_its_version_or_extension_is_enabled() {
    let _alone = alone();
    let unsupported = sys::Result::ERROR_FUNCTION_UNSUPPORTED;
    let code = |is_offered| if is_offered { OK } else { unsupported };
    // Without an instance, only these functions exist ("Function Pointers").
    for name in [
        c"xrCreateInstance",
        c"xrEnumerateInstanceExtensionProperties",
    ] {
        assert_eq!(lookup(None, name), OK);
    }
    for name in [c"xrDestroyInstance", c"xrLocateSpaces", c"xrNothing"] {
        assert_eq!(lookup(None, name), NO_HANDLE);
    }
    for (index, (enable, _)) in EXTENDED.iter().enumerate() {
        let minor = index as u16 % 2;
        let mut enabled = xr::ExtensionSet::default();
        enable(&mut enabled);
        let open = instance(&sample("wave.bin"), minor, &enabled);
        for (other, (_, names)) in EXTENDED.iter().enumerate() {
            for name in *names {
                assert_eq!(lookup(Some(&open), name), code(other == index), "{name:?}");
            }
        }
        assert_eq!(lookup(Some(&open), c"xrLocateSpaces"), code(minor == 1));
        for name in [
            c"xrGetSystem",
            c"xrLocateViews",
            c"xrStopHapticFeedback",
            c"xrEndFrame",
        ] {
            assert_eq!(lookup(Some(&open), name), OK);
        }
        for name in [c"xrNothing", c"GetSystem", c"", c"xr"] {
            assert_eq!(lookup(Some(&open), name), unsupported);
        }
    }
}

#[test]
fn results_and_structures_have_the_names_of_the_specification() {
    let _alone = alone();
    let open = instance(&sample("wave.bin"), 0, &extensions());
    let result = |value| {
        let result = open.result_to_string(sys::Result::from_raw(value));
        result.expect("all results have names")
    };
    assert_eq!(result(0), "XR_SUCCESS");
    assert_eq!(result(9), "XR_FRAME_DISCARDED");
    assert_eq!(result(-1), "XR_ERROR_VALIDATION_FAILURE");
    assert_eq!(
        result(-1_000_003_001),
        "XR_ERROR_ANDROID_THREAD_SETTINGS_FAILURE_KHR"
    );
    // Unknown values have these names ("Instance Enumerated Type String Functions").
    assert_eq!(result(12_345), "XR_UNKNOWN_SUCCESS_12345");
    assert_eq!(result(-12_345), "XR_UNKNOWN_FAILURE_-12345");
    let structure = |value| {
        let name = open.structure_type_to_string(sys::StructureType::from_raw(value));
        name.expect("all structures have names")
    };
    assert_eq!(structure(0), "XR_TYPE_UNKNOWN");
    assert_eq!(structure(4), "XR_TYPE_SYSTEM_GET_INFO");
    assert_eq!(
        structure(1_000_051_000),
        "XR_TYPE_SYSTEM_HAND_TRACKING_PROPERTIES_EXT"
    );
    assert_eq!(structure(999_999), "XR_UNKNOWN_STRUCTURE_TYPE_999999");
    assert_eq!(
        raw!(open, result_to_string(open.as_raw(), OK, null_mut())),
        INVALID
    );
    let mut buffer = [0; 64];
    let nothing = sys::Instance::NULL;
    assert_eq!(
        raw!(open, result_to_string(nothing, OK, buffer.as_mut_ptr())),
        NO_HANDLE
    );
}

#[test]
fn a_path_has_at_most_255_letters() {
    let _alone = alone();
    let open = instance(&sample("wave.bin"), 0, &extensions());
    let path = |length: usize| open.string_to_path(&format!("/{}", "a".repeat(length - 1)));
    // The 256 of XR_MAX_PATH_LENGTH include the NUL ("Well-Formed Path Strings").
    let longest = path(255).expect("the longest path");
    assert_eq!(
        path(256).err(),
        Some(sys::Result::ERROR_PATH_FORMAT_INVALID)
    );
    let handle = open.as_raw();
    let found = list(0, |capacity, count, letters| {
        raw!(
            open,
            path_to_string(handle, longest, capacity, count, letters)
        )
    });
    assert_eq!((found.len(), text(&found).len()), (256, 255));
    for wrong in [xr::Path::NULL, xr::Path::from_raw(999)] {
        let result = open.path_to_string(wrong);
        assert_eq!(result.err(), Some(sys::Result::ERROR_PATH_INVALID));
    }
    let mut path = xr::Path::NULL;
    assert_eq!(
        raw!(open, string_to_path(handle, null(), &raw mut path)),
        INVALID
    );
}

#[test]
fn the_runtime_has_at_most_a_million_paths() {
    let _alone = alone();
    let open = instance(&sample("wave.bin"), 0, &extensions());
    let mut path = xr::Path::NULL;
    let mut add = |index: u32| {
        let text = CString::new(format!("/{index}")).expect("no NUL");
        raw!(
            open,
            string_to_path(open.as_raw(), text.as_ptr(), &raw mut path)
        )
    };
    let first = (0..1 << 20).map(&mut add).find(|&result| result != OK);
    assert_eq!(first, None);
    assert_eq!(add(1 << 20), sys::Result::ERROR_PATH_COUNT_EXCEEDED);
    // A path that exists needs no memory.
    assert_eq!(add(7), OK);
}

#[test]
fn the_system_has_the_limits_and_tracking_of_a_headset() {
    let _alone = alone();
    let app = App::new(&sample("wave.bin"));
    let found = app
        .instance
        .system_properties(app.system)
        .expect("the properties");
    assert_eq!(found.system_id, app.system);
    // At least 16 layers are required ("Frame Submission").
    assert_eq!(found.graphics_properties.max_layer_count, 16);
    assert_eq!(found.graphics_properties.max_swapchain_image_width, 8192);
    assert_eq!(found.graphics_properties.max_swapchain_image_height, 8192);
    let tracking = found.tracking_properties;
    assert!(tracking.orientation_tracking && tracking.position_tracking);
    for form in [
        xr::FormFactor::HANDHELD_DISPLAY,
        xr::FormFactor::from_raw(0x7fff_ffff),
    ] {
        let unsupported = sys::Result::ERROR_FORM_FACTOR_UNSUPPORTED;
        assert_eq!(app.instance.system(form).err(), Some(unsupported));
    }
    for wrong in [xr::SystemId::NULL, xr::SystemId::from_raw(77)] {
        let result = app.instance.system_properties(wrong);
        assert_eq!(result.err(), Some(sys::Result::ERROR_SYSTEM_INVALID));
    }
}

#[test]
fn the_system_has_hands_and_eyes_when_their_extensions_are_enabled() {
    let untouched = sys::Bool32::from_raw(7);
    let _alone = alone();
    for enabled in [xr::ExtensionSet::default(), extensions()] {
        let open = instance(&sample("wave.bin"), 0, &enabled);
        let system = open
            .system(xr::FormFactor::HEAD_MOUNTED_DISPLAY)
            .expect("the system");
        let mut eyes = of!(SystemEyeGazeInteractionPropertiesEXT {
            supports_eye_gaze_interaction: untouched,
        });
        let mut hands = of!(SystemHandTrackingPropertiesEXT {
            next: (&raw mut eyes).cast(),
            supports_hand_tracking: untouched,
        });
        let mut found = of!(SystemProperties {
            next: (&raw mut hands).cast()
        });
        let result = raw!(
            open,
            get_system_properties(open.as_raw(), system, &raw mut found)
        );
        assert_eq!(result, OK);
        let wanted = if enabled.ext_hand_tracking {
            sys::TRUE
        } else {
            untouched
        };
        assert_eq!(hands.supports_hand_tracking, wanted);
        assert_eq!(eyes.supports_eye_gaze_interaction, wanted);
    }
}

#[test]
fn the_system_has_two_views_and_the_opaque_blend_mode() {
    let _alone = alone();
    let app = App::new(&{
        let mut settings = sample("wave.bin");
        settings.size = [640, 480];
        settings
    });
    let (open, system) = (&app.instance, app.system);
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    assert_eq!(open.enumerate_view_configurations(system), Ok(vec![stereo]));
    let found = open
        .view_configuration_properties(system, stereo)
        .expect("the properties");
    assert_eq!(
        (found.view_configuration_type, found.fov_mutable),
        (stereo, false)
    );
    let views = list(of!(ViewConfigurationView), |capacity, count, all| {
        raw!(
            open,
            enumerate_view_configuration_views(open.as_raw(), system, stereo, capacity, count, all)
        )
    });
    assert_eq!(views.len(), 2);
    for view in views {
        let recommended = [
            view.recommended_image_rect_width,
            view.recommended_image_rect_height,
        ];
        assert_eq!(recommended, [640, 480]);
        assert_eq!(
            [view.max_image_rect_width, view.max_image_rect_height],
            [8192; 2]
        );
        assert_eq!(view.recommended_swapchain_sample_count, 1);
        assert_eq!(view.max_swapchain_sample_count, 1);
    }
    let modes = open.enumerate_environment_blend_modes(system, stereo);
    assert_eq!(modes, Ok(vec![xr::EnvironmentBlendMode::OPAQUE]));

    let codes = |system, kind| {
        [
            super::code(open.view_configuration_properties(system, kind)),
            super::code(open.enumerate_view_configuration_views(system, kind)),
            super::code(open.enumerate_environment_blend_modes(system, kind)),
        ]
    };
    let unsupported = sys::Result::ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED;
    let mono = xr::ViewConfigurationType::PRIMARY_MONO;
    assert_eq!(codes(system, mono), [unsupported; 3]);
    let no_system = sys::Result::ERROR_SYSTEM_INVALID;
    assert_eq!(codes(xr::SystemId::NULL, stereo), [no_system; 3]);
    let configurations = open.enumerate_view_configurations(xr::SystemId::NULL);
    assert_eq!(configurations.err(), Some(no_system));
}
