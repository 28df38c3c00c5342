//! The instance of the application, behind a lock.
//!
//! One lock protects all objects, so that functions can be called by several threads. Numbers of handles are never used
//! twice, so a handle of a destroyed object, or of another type, is found to be invalid.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use inputanim_openxr::Report;
use openxr_sys::{self as xr, Handle};

use super::handles::NO_HANDLE;
use super::instance::Instance;
use super::session::Session;

static STATE: Mutex<State> = Mutex::new(State {
    last_handle: 0,
    instance: None,
    reported: None,
});

/// Wakes functions that wait for another thread.
pub(crate) static CHANGED: Condvar = Condvar::new();

/// The state of the runtime.
pub(crate) struct State {
    last_handle: u64,
    instance: Option<Instance>,
    /// The report on the instances that the application has destroyed.
    reported: Option<Report>,
}

impl State {
    /// Locks the state of the runtime, and waits while another thread holds the lock.
    pub(crate) fn lock() -> MutexGuard<'static, State> {
        STATE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number for a new handle. No number is used twice.
    pub(crate) fn new_handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }

    /// Returns `true` if the application has an instance.
    pub(crate) fn has_instance(&self) -> bool {
        self.instance.is_some()
    }

    /// Adds the instance that `make` creates from its handle and the report on earlier instances, and returns the handle:
    /// `handle`, which is one of another runtime, or a new one. Fails with `ERROR_LIMIT_REACHED` if there already is an instance.
    pub(crate) fn add_instance(
        &mut self,
        handle: Option<xr::Instance>,
        make: impl FnOnce(xr::Instance, &Report) -> Instance,
    ) -> Result<xr::Instance, xr::Result> {
        // More instances than one are not required (OpenXR 1.1, section 4.3).
        if self.instance.is_some() {
            return Err(xr::Result::ERROR_LIMIT_REACHED);
        }
        let handle = handle.unwrap_or_else(|| xr::Instance::from_raw(self.new_handle()));
        let reported = self.reported.take().unwrap_or_default();
        self.instance = Some(make(handle, &reported));
        Ok(handle)
    }

    /// Removes the instance and everything that belongs to it, and returns it. Fails with `ERROR_HANDLE_INVALID` if the
    /// handle is not that of the instance.
    pub(crate) fn remove_instance(&mut self, handle: xr::Instance) -> Result<Instance, xr::Result> {
        self.instance(handle)?;
        let mut removed = self.instance.take().ok_or(NO_HANDLE)?;
        removed.write_report();
        self.reported = Some(removed.reported().clone());
        Ok(removed)
    }

    /// Returns the instance. Fails with `ERROR_HANDLE_INVALID` if the handle is not that of the instance.
    pub(crate) fn instance(&mut self, handle: xr::Instance) -> Result<&mut Instance, xr::Result> {
        let instance = self.instance.as_mut();
        instance
            .filter(|instance| instance.handle == handle)
            .ok_or(NO_HANDLE)
    }

    /// Returns the only instance, for functions that get the handle of another object. Fails with
    /// `ERROR_HANDLE_INVALID` if there is none.
    pub(crate) fn any(&mut self) -> Result<&mut Instance, xr::Result> {
        self.instance.as_mut().ok_or(NO_HANDLE)
    }

    /// Returns the instance that has the session. Fails with `ERROR_HANDLE_INVALID` if the handle is not that of the
    /// session.
    pub(crate) fn of_session(&mut self, handle: xr::Session) -> Result<&mut Instance, xr::Result> {
        let instance = self.any()?;
        let session = instance.session.as_ref();
        session
            .filter(|session| session.handle == handle)
            .ok_or(NO_HANDLE)?;
        Ok(instance)
    }

    /// Returns the session. Fails with `ERROR_HANDLE_INVALID` if the handle is not that of the session.
    pub(crate) fn session(&mut self, handle: xr::Session) -> Result<&mut Session, xr::Result> {
        self.of_session(handle)?.session()
    }
}
