//! The system: a head with two views.

use inputanim_openxr::{Eyes, compose};
use openxr_sys as xr;

use super::checks::{MAX_LAYERS, MAX_SIZE, SYSTEM, VIEWS, check_system, check_time, check_view};
use super::locate::Base;
use crate::extensions::Extension;
use crate::objects::instance::Instance;
use crate::objects::state::State;
use crate::poses::from_pose;
use inputanim_openxr_ffi::{Buffer, DONE, In, Out, Reply, Set, write_fixed};

pub(crate) fn get(
    instance: xr::Instance,
    info: In<xr::SystemGetInfo>,
    system: Set<xr::SystemId>,
) -> Reply {
    State::lock().instance(instance)?;
    match info.form_factor {
        xr::FormFactor::HEAD_MOUNTED_DISPLAY => system.set(xr::SystemId::from_raw(SYSTEM)),
        _ => return Err(xr::Result::ERROR_FORM_FACTOR_UNSUPPORTED),
    }
    DONE
}

pub(crate) fn properties(
    instance: xr::Instance,
    system: xr::SystemId,
    mut properties: Out<xr::SystemProperties>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(system)?;
    properties.system_id = system;
    properties.vendor_id = 0;
    write_fixed("Recorded input", &mut properties.system_name);
    properties.graphics_properties = xr::SystemGraphicsProperties {
        max_swapchain_image_height: MAX_SIZE,
        max_swapchain_image_width: MAX_SIZE,
        max_layer_count: MAX_LAYERS,
    };
    properties.tracking_properties = xr::SystemTrackingProperties {
        orientation_tracking: xr::TRUE,
        position_tracking: xr::TRUE,
    };
    add_input(instance, &properties);
    DONE
}

/// Writes to the chain of `properties` that the system supports hand tracking and eye gaze. Structures of an extension that the
/// instance has not enabled are ignored.
pub(crate) fn add_input(instance: &Instance, properties: &Out<xr::SystemProperties>) {
    let hands = properties.chained::<xr::SystemHandTrackingPropertiesEXT>();
    if let Some(mut hands) = hands.filter(|_| instance.has(Extension::HandTracking)) {
        hands.supports_hand_tracking = xr::TRUE;
    }
    let eyes = properties.chained::<xr::SystemEyeGazeInteractionPropertiesEXT>();
    if let Some(mut eyes) = eyes.filter(|_| instance.has(Extension::EyeGaze)) {
        eyes.supports_eye_gaze_interaction = xr::TRUE;
    }
}

pub(crate) fn blend_modes(
    instance: xr::Instance,
    system: xr::SystemId,
    view: xr::ViewConfigurationType,
    capacity: u32,
    count: Set<u32>,
    modes: Buffer<xr::EnvironmentBlendMode>,
) -> Reply {
    State::lock().instance(instance)?;
    check_system(system)?;
    check_view(view)?;
    modes.fill(capacity, &count, &[xr::EnvironmentBlendMode::OPAQUE])
}

pub(crate) fn view_configurations(
    instance: xr::Instance,
    system: xr::SystemId,
    capacity: u32,
    count: Set<u32>,
    types: Buffer<xr::ViewConfigurationType>,
) -> Reply {
    State::lock().instance(instance)?;
    check_system(system)?;
    types.fill(
        capacity,
        &count,
        &[xr::ViewConfigurationType::PRIMARY_STEREO],
    )
}

pub(crate) fn view_configuration(
    instance: xr::Instance,
    system: xr::SystemId,
    view: xr::ViewConfigurationType,
    mut properties: Out<xr::ViewConfigurationProperties>,
) -> Reply {
    State::lock().instance(instance)?;
    check_system(system)?;
    check_view(view)?;
    properties.view_configuration_type = view;
    properties.fov_mutable = xr::FALSE;
    DONE
}

pub(crate) fn view_configuration_views(
    instance: xr::Instance,
    system: xr::SystemId,
    view: xr::ViewConfigurationType,
    capacity: u32,
    count: Set<u32>,
    views: Buffer<xr::ViewConfigurationView>,
) -> Reply {
    let mut state = State::lock();
    let [width, height] = state.instance(instance)?.player.settings().size;
    check_system(system)?;
    check_view(view)?;
    views.fill_structures(capacity, &count, VIEWS, |_, view| {
        view.recommended_image_rect_width = width;
        view.max_image_rect_width = MAX_SIZE;
        view.recommended_image_rect_height = height;
        view.max_image_rect_height = MAX_SIZE;
        view.recommended_swapchain_sample_count = 1;
        view.max_swapchain_sample_count = 1;
    })
}

pub(crate) fn locate_views(
    session: xr::Session,
    info: In<xr::ViewLocateInfo>,
    mut view_state: Out<xr::ViewState>,
    capacity: u32,
    count: Set<u32>,
    views: Buffer<xr::View>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    check_view(info.view_configuration_type)?;
    check_time(info.display_time)?;
    let base = instance.session()?.space(info.space)?;
    let scene = instance.scene(info.display_time);
    let head = Base::head(instance, &scene, base);
    let eyes = instance.player.eyes_at(instance.seconds(info.display_time));
    view_state.view_state_flags = view_flags(head.is_some());
    let head = head.unwrap_or_default();
    views.fill_structures(capacity, &count, VIEWS, |index, view| {
        view.pose = from_pose(compose(head, eye(&eyes, index)));
        let angles = eyes.views[index.min(1)];
        view.fov = xr::Fovf {
            angle_left: angles.left,
            angle_right: angles.right,
            angle_up: angles.up,
            angle_down: angles.down,
        };
    })
}

/// Returns the flags of located views: all if their pose is known, otherwise none.
pub(crate) fn view_flags(is_known: bool) -> xr::ViewStateFlags {
    if !is_known {
        return xr::ViewStateFlags::EMPTY;
    }
    xr::ViewStateFlags::ORIENTATION_VALID
        | xr::ViewStateFlags::POSITION_VALID
        | xr::ViewStateFlags::ORIENTATION_TRACKED
        | xr::ViewStateFlags::POSITION_TRACKED
}

/// Returns the pose of an eye relative to the head, in metres. The `index` is 0 for the left eye and 1 for the right
/// eye.
fn eye(eyes: &Eyes, index: usize) -> inputanim::Pose {
    let half = eyes.distance / 2.0;
    inputanim::Pose::at([if index == 0 { -half } else { half }, 0.0, 0.0])
}
