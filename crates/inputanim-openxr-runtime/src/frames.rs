//! Frames: wait, begin, draw, end (OpenXR 1.1, section 10.4).

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use inputanim_openxr::FrameTime;
use openxr_sys::{self as xr, Handle};

use crate::clock;
use crate::extensions::Extension;
use crate::picture::Picture;
use crate::session::{START, check_running};
use crate::space::to_pose;
use crate::state::{CHANGED, Instance, State};
use crate::system::{MAX_LAYERS, VIEWS};
use inputanim_openxr_ffi::{DONE, INVALID, In, Out, Reply};

/// A frame that an application prepares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    pub(crate) time: FrameTime,
    /// The display time of the runtime over which the recording is played.
    pub(crate) real: i64,
}

/// The frames of a session that have not ended.
#[derive(Default)]
pub(crate) struct Frames {
    /// The frame that the application waited for, and has not begun.
    waited: Option<Prepared>,
    /// The frame that the application draws.
    drawn: Option<Prepared>,
    /// The frame that the application waited for last.
    last: Option<Prepared>,
}

impl Frames {
    /// Returns the frame that the application prepares.
    pub(crate) fn current(&self) -> Option<FrameTime> {
        Some(self.waited.or(self.drawn)?.time)
    }

    /// Returns whether the application has waited for a frame.
    pub(crate) const fn were_used(&self) -> bool {
        self.last.is_some()
    }

    /// Adds a frame.
    pub(crate) fn wait(&mut self, frame: Prepared) {
        self.waited = Some(frame);
        self.last = Some(frame);
    }

    /// Begins the frame. Returns whether one was begun before, and not ended; `None` if the application has not waited for
    /// a frame.
    pub(crate) fn begin(&mut self) -> Option<bool> {
        let waited = self.waited.take()?;
        Some(self.drawn.replace(waited).is_some())
    }

    /// Returns the frame that the application draws.
    pub(crate) const fn drawn(&self) -> Option<Prepared> {
        self.drawn
    }

    /// Ends the frame that the application draws.
    pub(crate) fn end(&mut self) {
        self.drawn = None;
    }

    /// Returns the time of the runtime over which the recording is played: of the frame with a display time, or of the last
    /// frame.
    pub(crate) fn real(&self, display: xr::Time) -> xr::Time {
        let frames = [self.waited, self.drawn];
        let is_shown = |frame: &Prepared| frame.time.display == display.as_nanos();
        let found = frames.into_iter().flatten().find(is_shown).or(self.last);
        found.map_or(display, |frame| xr::Time::from_nanos(frame.real))
    }
}

/// The time after which a message says for what the application waits.
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
        let frames = state.session(session).map(|session| session.frames.waited);
        frames.is_ok_and(|waited| waited.is_some())
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
    let pictures = match (frame.index, views) {
        (Some(index), Some(views)) => pictures(instance, index, &views)?,
        _ => Vec::new(),
    };
    let open = instance.session()?;
    open.frames.end();
    let (state_now, is_over) = (open.state, open.below.is_some());
    instance.report(|report| report.frames += u64::from(frame.index.is_some()));
    if frame.is_last {
        instance.finish();
    } else if state_now == xr::SessionState::READY && !is_over {
        instance.enter(&START, frame.display);
    }
    // The compression takes longer than everything else, and needs no lock.
    drop(state);
    for (path, picture) in pictures {
        picture
            .write(&path)
            .map_err(|error| cannot_save(&path, error))?;
    }
    DONE
}

/// Says why a file cannot be saved.
fn cannot_save(path: &Path, error: impl Display) -> xr::Result {
    eprintln!("inputanim: cannot save {}: {error}", path.display());
    xr::Result::ERROR_RUNTIME_FAILURE
}

/// Checks the layers of a frame, and returns the pictures of both views of the first projection.
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

fn check_image(
    session: &crate::state::Session,
    image: &xr::SwapchainSubImage,
) -> Result<(), xr::Result> {
    let swapchain = session.swapchains.get(&image.swapchain.into_raw());
    let swapchain = swapchain.ok_or(crate::state::NO_HANDLE)?;
    if swapchain.released().is_none() {
        return Err(xr::Result::ERROR_LAYER_INVALID);
    }
    swapchain.check_part(image)
}

/// Returns the pictures of a frame and their paths, if the settings want them.
fn pictures(
    instance: &mut Instance,
    index: u64,
    views: &[xr::SwapchainSubImage; VIEWS],
) -> Result<Vec<(PathBuf, Picture)>, xr::Result> {
    let mut pictures = Vec::new();
    let settings = instance.player.settings();
    let Some(folder) = settings.screenshots.clone() else {
        return Ok(pictures);
    };
    if !index.is_multiple_of(u64::from(settings.every)) {
        return Ok(pictures);
    }
    fs::create_dir_all(&folder).map_err(|error| cannot_save(&folder, error))?;
    let session = instance.session()?;
    for (view, eye) in views.iter().zip(["left", "right"]) {
        let swapchain = session.swapchains.get(&view.swapchain.into_raw());
        let Some(swapchain) = swapchain else {
            continue;
        };
        let path = folder.join(format!("frame-{index:06}-{eye}.png"));
        let picture = swapchain.picture(view);
        let picture = picture.map_err(|error| cannot_save(&path, error))?;
        pictures.push((path, picture));
    }
    Ok(pictures)
}
