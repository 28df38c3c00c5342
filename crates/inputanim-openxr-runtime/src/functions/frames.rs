//! Frames: wait, begin, draw, end (OpenXR 1.1, section 10.4).

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use openxr_sys::{self as xr, Handle};

use super::checks::{MAX_LAYERS, VIEWS, check_running};
use crate::clock;
use crate::extensions::Extension;
use crate::graphics::screenshot::Screenshot;
use crate::objects::frames::Prepared;
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::Instance;
use crate::objects::session::{START, Session};
use crate::objects::state::{CHANGED, State};
use crate::poses::to_pose;
use inputanim_openxr_ffi::{DONE, INVALID, In, Out, Reply};

/// The time after which `xrWaitFrame` prints that it still waits for `xrBeginFrame`.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn wait(
    session: xr::Session,
    _info: Option<In<xr::FrameWaitInfo>>,
    mut frame_state: Out<xr::FrameState>,
) -> Reply {
    let mut state = State::lock();
    check_running(state.session(session)?)?;
    // A second frame waits until the first has begun.
    let is_waiting = |state: &mut State| {
        let frames = state
            .session(session)
            .map(|session| session.frames.is_waiting());
        frames.unwrap_or(false)
    };
    while is_waiting(&mut state) {
        let waited = CHANGED.wait_timeout(state, PATIENCE);
        let (unlocked, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state = unlocked;
        if timeout.timed_out() {
            eprintln!("inputanim: xrWaitFrame still waits for xrBeginFrame of the frame before");
        }
    }
    let open = state.session(session)?;
    check_running(open)?;
    let now = clock::now();
    if open.has_input() {
        open.timeline.begin(now);
    }
    let frame = open.timeline.wait(now);
    let real = frame.display;
    open.frames.wait(Prepared { time: frame, real });
    state.of_session(session)?.repeat_changes(frame.display);
    let open = state.session(session)?;
    let is_shown = matches!(
        open.state,
        xr::SessionState::VISIBLE | xr::SessionState::FOCUSED
    );
    let should_render = is_shown && open.graphics.is_some();
    drop(state);
    if let Some(until) = frame.wait_until {
        let rest = u64::try_from(until - now).unwrap_or(0);
        thread::sleep(Duration::from_nanos(rest));
    }
    frame_state.predicted_display_time = xr::Time::from_nanos(frame.display);
    frame_state.predicted_display_period = xr::Duration::from_nanos(frame.period);
    frame_state.should_render = should_render.into();
    DONE
}

pub(crate) fn begin(session: xr::Session, _info: Option<In<xr::FrameBeginInfo>>) -> Reply {
    let mut state = State::lock();
    let open = state.session(session)?;
    check_running(open)?;
    let is_late = open.frames.begin();
    CHANGED.notify_all();
    if is_late.ok_or(xr::Result::ERROR_CALL_ORDER_INVALID)? {
        Ok(xr::Result::FRAME_DISCARDED)
    } else {
        DONE
    }
}

pub(crate) fn end(session: xr::Session, info: In<xr::FrameEndInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    check_running(open)?;
    let drawn = open.frames.drawn();
    let frame = drawn.ok_or(xr::Result::ERROR_CALL_ORDER_INVALID)?.time;
    if info.display_time.as_nanos() <= 0 {
        return Err(xr::Result::ERROR_TIME_INVALID);
    }
    if info.environment_blend_mode != xr::EnvironmentBlendMode::OPAQUE {
        let known = [
            xr::EnvironmentBlendMode::ADDITIVE,
            xr::EnvironmentBlendMode::ALPHA_BLEND,
        ];
        return Err(if known.contains(&info.environment_blend_mode) {
            xr::Result::ERROR_ENVIRONMENT_BLEND_MODE_UNSUPPORTED
        } else {
            INVALID
        });
    }
    if info.layer_count > MAX_LAYERS {
        return Err(xr::Result::ERROR_LAYER_LIMIT_EXCEEDED);
    }
    let views = check_layers(instance, &info)?;
    let screenshots = match (frame.index, views) {
        (Some(index), Some(views)) => screenshots(instance, index, &views)?,
        _ => Vec::new(),
    };
    let open = instance.session()?;
    open.frames.end();
    let (state_now, is_over) = (open.state, open.below.is_some());
    if frame.index.is_some() {
        instance.count_frame();
    }
    if frame.is_last {
        instance.finish();
    } else if state_now == xr::SessionState::READY && !is_over {
        instance.enter(&START, frame.display);
    }
    // The compression takes longer than everything else, and needs no lock.
    drop(state);
    for (path, screenshot) in screenshots {
        screenshot
            .write(&path)
            .map_err(|error| cannot_save(&path, error))?;
    }
    DONE
}

/// Prints to standard error why the file or folder `path` cannot be saved, and returns `ERROR_RUNTIME_FAILURE`.
fn cannot_save(path: &Path, error: impl Display) -> xr::Result {
    eprintln!("inputanim: cannot save {}: {error}", path.display());
    xr::Result::ERROR_RUNTIME_FAILURE
}

/// Checks the layers of a frame, and returns the images of the left and the right eye of the first projection layer.
/// `None` if there is no projection layer. Fails if a layer, its space, its pose or its image is not valid.
fn check_layers(
    instance: &mut Instance,
    info: &In<xr::FrameEndInfo>,
) -> Result<Option<[xr::SwapchainSubImage; VIEWS]>, xr::Result> {
    let has_depth = instance.has(Extension::Depth);
    let session = instance.session()?;
    let mut found = None;
    for &layer in info.array(info.layers, info.layer_count)? {
        if layer.is_null() {
            return Err(xr::Result::ERROR_LAYER_INVALID);
        }
        if let Ok(projection) = info.pointed(layer.cast::<xr::CompositionLayerProjection>()) {
            session.space(projection.space)?;
            let views = projection.array(projection.views, projection.view_count)?;
            let [left, right] = views else {
                return Err(INVALID);
            };
            for view in [left, right] {
                let view = info.pointed(std::ptr::from_ref(view))?;
                to_pose(view.pose)?;
                check_image(session, &view.sub_image)?;
                if let Some(depth) = view
                    .chained::<xr::CompositionLayerDepthInfoKHR>()
                    .filter(|_| has_depth)
                {
                    check_image(session, &depth.sub_image)?;
                }
            }
            found = found.or(Some([left.sub_image, right.sub_image]));
        } else if let Ok(quad) = info.pointed(layer.cast::<xr::CompositionLayerQuad>()) {
            session.space(quad.space)?;
            to_pose(quad.pose)?;
            check_image(session, &quad.sub_image)?;
        } else {
            return Err(xr::Result::ERROR_LAYER_INVALID);
        }
    }
    Ok(found)
}

fn check_image(session: &Session, image: &xr::SwapchainSubImage) -> Result<(), xr::Result> {
    let swapchain = session.swapchains.get(&image.swapchain.into_raw());
    let swapchain = swapchain.ok_or(NO_HANDLE)?;
    if swapchain.released().is_none() {
        return Err(xr::Result::ERROR_LAYER_INVALID);
    }
    swapchain.check_part(image)
}

/// Returns the screenshots of the left and the right eye of the frame `index`, and the paths at which to save them.
/// Empty if the settings save none of this frame. Creates the folder; prints the reason if this or a screenshot fails.
fn screenshots(
    instance: &mut Instance,
    index: u64,
    views: &[xr::SwapchainSubImage; VIEWS],
) -> Result<Vec<(PathBuf, Screenshot)>, xr::Result> {
    let mut screenshots = Vec::new();
    let settings = instance.player.settings();
    let Some(folder) = settings.screenshots.clone() else {
        return Ok(screenshots);
    };
    if !index.is_multiple_of(u64::from(settings.every)) {
        return Ok(screenshots);
    }
    fs::create_dir_all(&folder).map_err(|error| cannot_save(&folder, error))?;
    let session = instance.session()?;
    for (view, eye) in views.iter().zip(["left", "right"]) {
        let swapchain = session.swapchains.get(&view.swapchain.into_raw());
        let Some(swapchain) = swapchain else {
            continue;
        };
        let path = folder.join(format!("frame-{index:06}-{eye}.png"));
        let screenshot = swapchain.screenshot(view);
        let screenshot = screenshot.map_err(|error| cannot_save(&path, error))?;
        screenshots.push((path, screenshot));
    }
    Ok(screenshots)
}
