//! Instances of the application.

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use inputanim_openxr::{LAYER, RecordSettings};
use openxr_sys::{self as xr, Handle};

use crate::actions::Actions;
use crate::extensions::{Extension, attempts};
use crate::messages::print;
use crate::session;
use inputanim_openxr_ffi::{Chain, Next, check};
use inputanim_openxr_ffi::{In, Reply};
use inputanim_openxr_ffi::{Read, Write};

/// The failure of a handle that does not exist.
pub(crate) const NO_HANDLE: xr::Result = xr::Result::ERROR_HANDLE_INVALID;

/// The message after a panic.
pub(crate) const INTERNAL_ERROR: &str = "internal error: the recording has stopped";

static INSTANCES: RwLock<BTreeMap<u64, Link>> = RwLock::new(BTreeMap::new());

/// The next functions of an instance, and what the layer has for it.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) next: Next,
    /// `None` if nothing is recorded.
    pub(crate) instance: Option<Arc<Instance>>,
}

/// An instance that is recorded.
pub(crate) struct Instance {
    pub(crate) handle: xr::Instance,
    pub(crate) next: Next,
    pub(crate) settings: RecordSettings,
    /// The extensions of the layer that the application did not enable.
    added: Vec<Extension>,
    /// All extensions that the layer can use.
    enabled: Vec<Extension>,
    pub(crate) actions: Mutex<Actions>,
    has_failed: AtomicBool,
}

impl Instance {
    /// Returns whether the layer can use an extension.
    pub(crate) fn has(&self, extension: Extension) -> bool {
        self.enabled.contains(&extension)
    }

    /// Returns whether a function belongs to an extension that the application did not enable. Without the layer, the
    /// application would not get the function.
    pub(crate) fn hides(&self, function: &str) -> bool {
        let mut added = self.added.iter();
        added.any(|extension| extension.has_function(function))
    }

    /// Returns whether a panic has ended the recording.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Does work for the recording. A panic ends the recording, and does not reach the application.
    pub(crate) fn protect<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        if self.has_failed() {
            return None;
        }
        let done = catch_unwind(AssertUnwindSafe(work));
        if done.is_err() && !self.has_failed.swap(true, Ordering::Relaxed) {
            print(INTERNAL_ERROR);
        }
        done.ok()
    }
}

/// Returns the next functions of an instance.
pub(crate) fn link(handle: xr::Instance) -> Result<Link, xr::Result> {
    let instances = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    instances.get(&handle.into_raw()).cloned().ok_or(NO_HANDLE)
}

/// Returns an instance that is recorded.
pub(crate) fn find(handle: xr::Instance) -> Result<Arc<Instance>, xr::Result> {
    link(handle)?.instance.ok_or(NO_HANDLE)
}

/// Reads the settings. Without settings, or with settings that are not valid, nothing is recorded.
fn settings() -> Option<RecordSettings> {
    let settings = RecordSettings::of_process()?;
    settings
        .inspect_err(|error| print(format_args!("nothing is recorded: {error}")))
        .ok()
}

pub(crate) fn create(
    info: Read<xr::InstanceCreateInfo>,
    chain: Chain,
    instance: Write<xr::Instance>,
) -> Reply {
    chain.expect(LAYER)?;
    let settings = settings();
    let (result, [added, enabled]) = match info.read().filter(|_| settings.is_some()) {
        Some(read) => create_with_extensions(&chain, &read, info, instance),
        None => (chain.create(info, instance), Default::default()),
    };
    let made = instance.value().filter(|_| check(result).is_ok());
    if let Some(handle) = made {
        let next = chain.load(handle);
        let recorded = settings.map(|settings| Instance {
            handle,
            next,
            settings,
            added,
            enabled,
            actions: Mutex::default(),
            has_failed: AtomicBool::new(false),
        });
        let link = Link {
            next,
            instance: recorded.map(Arc::new),
        };
        let mut instances = INSTANCES.write().unwrap_or_else(PoisonError::into_inner);
        instances.insert(handle.into_raw(), link);
    }
    Ok(result)
}

/// Creates an instance with as many extensions of the layer as possible. Returns the extensions that were added, and all
/// extensions of the layer that are enabled.
fn create_with_extensions(
    chain: &Chain,
    read: &In<xr::InstanceCreateInfo>,
    info: Read<xr::InstanceCreateInfo>,
    instance: Write<xr::Instance>,
) -> (xr::Result, [Vec<Extension>; 2]) {
    let names = read.array(read.enabled_extension_names, read.enabled_extension_count);
    let texts = read.texts(read.enabled_extension_names, read.enabled_extension_count);
    let (Ok(names), Ok(texts)) = (names, texts) else {
        return (chain.create(info, instance), Default::default());
    };
    let enabled_by_application = || {
        let all = Extension::ALL.into_iter();
        all.filter(|extension| texts.iter().any(|text| extension.is(text)))
    };
    for added in attempts(&texts, chain.extensions().as_deref()) {
        if added.is_empty() {
            break;
        }
        let more = added.iter().map(|extension| extension.name().as_ptr());
        let names: Vec<*const c_char> = names.iter().copied().chain(more).collect();
        let changed = xr::InstanceCreateInfo {
            enabled_extension_count: names.len() as u32,
            enabled_extension_names: names.as_ptr(),
            ..**read
        };
        let result = chain.create((&changed).into(), instance);
        if check(result).is_ok() {
            let enabled = added.iter().copied().chain(enabled_by_application());
            let enabled = enabled.collect();
            return (result, [added, enabled]);
        }
        // Other failures do not depend on the extensions.
        if result != xr::Result::ERROR_EXTENSION_NOT_PRESENT {
            break;
        }
    }
    let result = chain.create(info, instance);
    (result, [Vec::new(), enabled_by_application().collect()])
}

pub(crate) fn destroy(handle: xr::Instance) -> Reply {
    let instance = find(handle)?;
    // The frames are safe before the runtime does anything.
    let sessions = session::remove_all(handle);
    let result = instance.next.destroy_instance(handle);
    if check(result).is_ok() {
        let mut instances = INSTANCES.write().unwrap_or_else(PoisonError::into_inner);
        instances.remove(&handle.into_raw());
    } else {
        session::restore(sessions);
    }
    Ok(result)
}

pub(crate) fn poll_event(handle: xr::Instance, event: Write<xr::EventDataBuffer>) -> Reply {
    let instance = find(handle)?;
    let result = instance.next.poll_event(handle, event);
    if result == xr::Result::SUCCESS
        && let Some(change) = event.event::<xr::EventDataSessionStateChanged>()
        && let Ok(session) = session::find(change.session)
    {
        instance.protect(|| session.change(change.state));
    }
    Ok(result)
}
