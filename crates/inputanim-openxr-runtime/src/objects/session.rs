//! A session.

use std::collections::HashMap;

use inputanim_openxr::{Timeline, User};
use openxr_sys::{self as xr, Handle};

use super::actions::Attached;
use super::below::Below;
use super::frames::Frames;
use super::handles::NO_HANDLE;
use super::hands::Tracker;
use super::spaces::Space;
use super::swapchains::Swapchain;
use crate::graphics::Graphics;

/// The states of a session that has begun, until it has the input.
pub(crate) const START: [xr::SessionState; 3] = [
    xr::SessionState::SYNCHRONIZED,
    xr::SessionState::VISIBLE,
    xr::SessionState::FOCUSED,
];

/// A session.
pub(crate) struct Session {
    pub(crate) handle: xr::Session,
    pub(crate) state: xr::SessionState,
    pub(crate) is_running: bool,
    /// The application has polled that it has the input.
    pub(crate) is_focused: bool,
    /// `None` without graphics.
    pub(crate) graphics: Option<Graphics>,
    pub(crate) timeline: Timeline,
    /// The time in the recording until which the changes of the session were repeated, in seconds; `None` before playback begins.
    pub(crate) repeated: Option<f32>,
    pub(crate) frames: Frames,
    pub(crate) spaces: HashMap<u64, Space>,
    pub(crate) swapchains: HashMap<u64, Swapchain>,
    pub(crate) trackers: HashMap<u64, Tracker>,
    /// The action sets of the session; `None` until they are attached.
    pub(crate) attached: Option<Attached>,
    /// The number of vibrations of each user that the application has asked for.
    pub(crate) haptics: HashMap<User, u64>,
    /// The runtime over which the recording is played; `None` if this is the runtime.
    pub(crate) below: Option<Below>,
}

impl Session {
    /// Creates a session that has not begun. `graphics` is `None` for a session without images.
    pub(crate) fn new(
        handle: xr::Session,
        graphics: Option<Graphics>,
        timeline: Timeline,
    ) -> Session {
        Session {
            handle,
            state: xr::SessionState::UNKNOWN,
            is_running: false,
            is_focused: false,
            graphics,
            timeline,
            repeated: None,
            frames: Frames::default(),
            spaces: HashMap::new(),
            swapchains: HashMap::new(),
            trackers: HashMap::new(),
            attached: None,
            haptics: HashMap::new(),
            below: None,
        }
    }

    /// Marks the session as not running, and removes its frames and the values of its actions.
    pub(crate) fn stopped(&mut self) {
        self.is_running = false;
        self.frames = Frames::default();
        if let Some(attached) = &mut self.attached {
            attached.clear();
        }
    }

    /// Returns `true` if the application gets the input of hands, eyes and other users: the session has the focus, and the
    /// application has polled the event that reports it.
    pub(crate) fn has_input(&self) -> bool {
        self.is_focused && self.state == xr::SessionState::FOCUSED
    }

    /// Counts a vibration of the `selected` user, or of all users, whose profile has an output for the action.
    pub(crate) fn count_haptic(&mut self, action: u64, selected: Option<User>) {
        let Some(attached) = &self.attached else {
            return;
        };
        for &user in attached.current.keys() {
            let mut bindings = attached.bindings.iter();
            let is_bound = bindings.any(|binding| {
                binding.action == action && binding.user == user && attached.is_current(binding)
            });
            if is_bound && selected.is_none_or(|one| one == user) {
                *self.haptics.entry(user).or_default() += 1;
            }
        }
    }

    /// Returns the space with a handle. Fails with `ERROR_HANDLE_INVALID` if there is none.
    pub(crate) fn space(&self, handle: xr::Space) -> Result<Space, xr::Result> {
        self.spaces
            .get(&handle.into_raw())
            .copied()
            .ok_or(NO_HANDLE)
    }
}
