//! Creation and destruction of instances, and events.

use std::ffi::c_char;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use inputanim_openxr::{LAYER, RecordSettings};
use openxr_sys as xr;

use crate::extensions::{Extension, attempts};
use crate::messages::print;
use crate::state::{
    Instance, Link, add_instance, add_session, find_instance, find_session, remove_instance,
    remove_sessions,
};
use inputanim_openxr_ffi::{Chain, In, Read, Reply, Write, check};

/// Reads the settings of this process. `None` if there are none or they are not valid, so that nothing is recorded;
/// prints why they are not valid.
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
        add_instance(handle, link);
    }
    Ok(result)
}

/// Creates an instance with as many extensions of the layer as possible, and writes its handle to `instance`. Returns
/// the result of the next layer, the extensions of the layer that were added, and all that are enabled. `read` is
/// `info` after its check.
fn create_with_extensions(
    chain: &Chain,
    read: &In<xr::InstanceCreateInfo>,
    info: Read<xr::InstanceCreateInfo>,
    instance: Write<xr::Instance>,
) -> (xr::Result, [Vec<Extension>; 2]) {
    let names = read.array(read.enabled_extension_names, read.enabled_extension_count);
    let texts = read.strings(read.enabled_extension_names, read.enabled_extension_count);
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
    let instance = find_instance(handle)?;
    // The recordings are complete before the runtime does anything.
    let sessions = remove_sessions(handle);
    let result = instance.next.destroy_instance(handle);
    if check(result).is_ok() {
        remove_instance(handle);
    } else {
        // The instance still exists.
        sessions.into_iter().for_each(add_session);
    }
    Ok(result)
}

pub(crate) fn poll_event(handle: xr::Instance, event: Write<xr::EventDataBuffer>) -> Reply {
    let instance = find_instance(handle)?;
    let result = instance.next.poll_event(handle, event);
    if result == xr::Result::SUCCESS
        && let Some(change) = event.event::<xr::EventDataSessionStateChanged>()
        && let Ok(session) = find_session(change.session)
    {
        instance.protect(|| session.change(change.state));
    }
    Ok(result)
}
