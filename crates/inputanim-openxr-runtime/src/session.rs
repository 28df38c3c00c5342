//! Sessions and their states (OpenXR 1.1, section 9).

use inputanim_openxr::Clock;
use openxr_sys::{self as xr, Handle};

use crate::clock;
use crate::graphics::Graphics;
use crate::state::{CHANGED, Instance, Session, State};
use crate::system;
use inputanim_openxr_ffi::{DONE, In, Reply, Set};

/// The states after the session of an application has the input, until it must stop.
const STOP: [xr::SessionState; 3] = [
    xr::SessionState::VISIBLE,
    xr::SessionState::SYNCHRONIZED,
    xr::SessionState::STOPPING,
];

/// The states of a session that has begun, until it has the input.
pub(crate) const START: [xr::SessionState; 3] = [
    xr::SessionState::SYNCHRONIZED,
    xr::SessionState::VISIBLE,
    xr::SessionState::FOCUSED,
];

pub(crate) fn create(
    instance: xr::Instance,
    info: In<xr::SessionCreateInfo>,
    session: Set<xr::Session>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let instance = state.instance(instance)?;
    system::check(info.system_id)?;
    if instance.session.is_some() {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    let graphics = Graphics::new(instance, &info)?;
    let handle = xr::Session::from_raw(number);
    instance.report(|report| report.is_over = false);
    let timeline = instance.player.timeline();
    instance.session = Some(Session::new(handle, graphics, timeline));
    let now = instance.now();
    instance.enter(&[xr::SessionState::IDLE, xr::SessionState::READY], now);
    session.set(handle);
    DONE
}

pub(crate) fn destroy(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    instance.events.clear();
    instance.write_report();
    for action in instance.actions.values_mut() {
        action.is_attached = false;
    }
    for set in instance.action_sets.values_mut() {
        set.is_attached = false;
    }
    let removed = instance.session.take();
    CHANGED.notify_all();
    drop(state);
    // Without the lock, because Vulkan may wait.
    drop(removed);
    DONE
}

pub(crate) fn begin(session: xr::Session, info: In<xr::SessionBeginInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    if open.is_running {
        return Err(xr::Result::ERROR_SESSION_RUNNING);
    }
    if open.state != xr::SessionState::READY {
        return Err(xr::Result::ERROR_SESSION_NOT_READY);
    }
    // Without graphics, applications may leave out the views.
    let is_headless = open.graphics.is_none();
    if !is_headless {
        system::check_view(info.primary_view_configuration_type)?;
    }
    open.is_running = true;
    instance.report(|report| report.has_session = true);
    if is_headless {
        // Nothing has to be drawn before the session has the input.
        let now = instance.now();
        instance.enter(&START, now);
    }
    DONE
}

pub(crate) fn end(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    if !open.is_running {
        return Err(xr::Result::ERROR_SESSION_NOT_RUNNING);
    }
    if open.state != xr::SessionState::STOPPING {
        return Err(xr::Result::ERROR_SESSION_NOT_STOPPING);
    }
    open.stopped();
    CHANGED.notify_all();
    let now = instance.now();
    instance.enter(&[xr::SessionState::IDLE, xr::SessionState::EXITING], now);
    DONE
}

pub(crate) fn request_exit(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    if !instance.session()?.is_running {
        return Err(xr::Result::ERROR_SESSION_NOT_RUNNING);
    }
    instance.stop();
    DONE
}

impl Instance {
    /// Asks the application to end the session.
    pub(crate) fn stop(&mut self) {
        let session = self.session.as_ref();
        if let Some((handle, below)) = session.and_then(|one| Some((one.handle, one.below?))) {
            below.next.request_exit_session(handle);
            return;
        }
        let Some(state) = self.session.as_ref().map(|session| session.state) else {
            return;
        };
        // The states between the present one and the end.
        let rest = match state {
            xr::SessionState::FOCUSED => &STOP[..],
            xr::SessionState::VISIBLE => &STOP[1..],
            xr::SessionState::SYNCHRONIZED => &STOP[2..],
            xr::SessionState::READY => &STOP[1..],
            _ => return,
        };
        let now = self.now();
        self.enter(rest, now);
    }

    /// Asks the application to end the session, because the recording is over.
    pub(crate) fn finish(&mut self) {
        self.stop();
        self.report(|report| report.is_over = true);
    }

    /// Returns the time of the session: of the computer, or of the last frame of another clock.
    fn now(&self) -> i64 {
        let timeline = self.session.as_ref().map(|session| &session.timeline);
        timeline.map_or_else(clock::now, |timeline| timeline.now(clock::now()))
    }

    /// Ends a session without frames when its recording has ended.
    pub(crate) fn check_end(&mut self) {
        let clock = self.player.settings().clock;
        let Ok(session) = self.session() else { return };
        if session.graphics.is_some() || clock != Clock::Real || session.frames.were_used() {
            return;
        }
        let now = clock::now();
        if session.is_focused {
            session.timeline.begin(now);
        }
        if session.timeline.is_over(now) {
            self.finish();
        }
    }
}

/// Returns the failure of a call that needs a running session.
pub(crate) fn check_running(session: &Session) -> Result<(), xr::Result> {
    if session.is_running {
        Ok(())
    } else {
        Err(xr::Result::ERROR_SESSION_NOT_RUNNING)
    }
}
