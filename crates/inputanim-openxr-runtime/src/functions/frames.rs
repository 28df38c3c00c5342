//! Frames: wait, begin, draw, end (OpenXR 1.1, section 10.4).

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use inputanim_openxr::{compose, inverse};
use openxr_sys::{self as xr, Handle};

use super::checks::{MAX_LAYERS, VIEWS, check_running};
use super::locate::world;
use crate::clock;
use crate::extensions::Extension;
use crate::graphics::composition::{Alpha, Quad};
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
    let layers = check_layers(instance, &info)?;
    let screenshots = match frame.index.filter(|index| instance.saves(*index)) {
        Some(index) => screenshots(instance, index, &layers, info.display_time)?,
        None => Vec::new(),
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

/// The layers of a frame.
#[derive(Default)]
struct Layers {
    /// The layers that are saved; `None` without a projection layer.
    picture: Option<Picture>,
    /// The number of layers that would be visible, but are not saved.
    unsaved: u64,
}

/// The layers of a frame that are saved.
struct Picture {
    /// The space of the first projection layer.
    space: xr::Space,
    /// The images of this layer for the left and the right eye.
    views: [xr::CompositionLayerProjectionView; VIEWS],
    /// The quad layers in front of it, the ones behind first.
    quads: Vec<xr::CompositionLayerQuad>,
}

/// Checks the layers of a frame. Fails if a layer, its space, its pose or its image is not valid.
fn check_layers(
    instance: &mut Instance,
    info: &In<xr::FrameEndInfo>,
) -> Result<Layers, xr::Result> {
    let has_depth = instance.has(Extension::Depth);
    let session = instance.session()?;
    let mut found = Layers::default();
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
            if found.picture.is_some() {
                found.unsaved += 1;
                continue;
            }
            if Alpha::of(projection.layer_flags) == Alpha::Ignored {
                // The layer covers those before it.
                found.unsaved = 0;
            }
            found.picture = Some(Picture {
                space: projection.space,
                views: [*left, *right],
                quads: Vec::new(),
            });
        } else if let Ok(quad) = info.pointed(layer.cast::<xr::CompositionLayerQuad>()) {
            session.space(quad.space)?;
            to_pose(quad.pose)?;
            check_image(session, &quad.sub_image)?;
            let eyes = [
                xr::EyeVisibility::BOTH,
                xr::EyeVisibility::LEFT,
                xr::EyeVisibility::RIGHT,
            ];
            if !eyes.contains(&quad.eye_visibility) {
                return Err(INVALID);
            }
            match &mut found.picture {
                Some(picture) => picture.quads.push(*quad),
                None => found.unsaved += 1,
            }
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

impl Instance {
    /// Returns `true` if the settings save the images of the frame `index`.
    fn saves(&self, index: u64) -> bool {
        let settings = self.player.settings();
        settings.screenshots.is_some() && index.is_multiple_of(u64::from(settings.every))
    }
}

/// Returns the screenshots of the left and the right eye of the frame `index`, and the paths at which to save them. `time` is the
/// display time of the frame. Creates the folder; prints the reason if this or a screenshot fails. Counts the layers that are not
/// saved.
fn screenshots(
    instance: &mut Instance,
    index: u64,
    layers: &Layers,
    time: xr::Time,
) -> Result<Vec<(PathBuf, Screenshot)>, xr::Result> {
    let mut screenshots = Vec::new();
    instance.count_unsaved_layers(layers.unsaved);
    let folder = instance.player.settings().screenshots.clone();
    let (Some(folder), Some(picture)) = (folder, &layers.picture) else {
        return Ok(screenshots);
    };
    fs::create_dir_all(&folder).map_err(|error| cannot_save(&folder, error))?;
    let quads = quads(instance, picture, time).map_err(|error| cannot_save(&folder, error))?;
    let eyes = ["left", "right"]
        .into_iter()
        .zip([xr::EyeVisibility::LEFT, xr::EyeVisibility::RIGHT]);
    for (view, (eye, own)) in picture.views.iter().zip(eyes) {
        let path = folder.join(format!("frame-{index:06}-{eye}.png"));
        let screenshot = image(instance, &view.sub_image);
        let mut screenshot = screenshot.map_err(|error| cannot_save(&path, error))?;
        let pose = to_pose(view.pose)?;
        for (visibility, quad) in &quads {
            if [xr::EyeVisibility::BOTH, own].contains(visibility) {
                quad.draw(pose, view.fov, &mut screenshot);
            }
        }
        screenshots.push((path, screenshot));
    }
    Ok(screenshots)
}

/// Returns the quads of a picture in the space of its projection layer, and the eyes that see them. Quads in the space of a hand that
/// is not tracked are omitted.
fn quads(
    instance: &Instance,
    picture: &Picture,
    time: xr::Time,
) -> Result<Vec<(xr::EyeVisibility, Quad)>, String> {
    let text = |error: xr::Result| format!("{error:?}");
    let scene = instance.scene(time);
    let origin = |space: xr::Space| {
        let session = instance.session.as_ref()?;
        world(instance, &scene, session.space(space).ok()?)
    };
    let Some(base) = origin(picture.space) else {
        return Ok(Vec::new());
    };
    let mut quads = Vec::new();
    for quad in &picture.quads {
        let Some(space) = origin(quad.space) else {
            continue;
        };
        let pose = compose(space, to_pose(quad.pose).map_err(text)?);
        let drawn = Quad {
            pose: compose(inverse(base), pose),
            size: [quad.size.width, quad.size.height],
            image: image(instance, &quad.sub_image)?,
            alpha: Alpha::of(quad.layer_flags),
        };
        quads.push((quad.eye_visibility, drawn));
    }
    Ok(quads)
}

/// Copies the part of the image that a layer shows.
fn image(instance: &Instance, part: &xr::SwapchainSubImage) -> Result<Screenshot, String> {
    let session = instance.session.as_ref();
    let swapchain = session.and_then(|session| session.swapchains.get(&part.swapchain.into_raw()));
    swapchain.ok_or("no swapchain")?.screenshot(part)
}
