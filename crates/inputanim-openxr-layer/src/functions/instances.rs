//! Creation and destruction of instances, and events.

use std::ffi::c_char;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use inputanim_openxr::{LAYER, RECENTRED_MARKER, RecordSettings};
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
    let (
        result,
        Enabled {
            added,
            enabled,
            names,
        },
    ) = match info.read().filter(|_| settings.is_some()) {
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
            names,
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

/// The extensions of a new instance.
#[derive(Default)]
struct Enabled {
    /// The extensions of the layer that the application did not enable.
    added: Vec<Extension>,
    /// All extensions that the layer can use.
    enabled: Vec<Extension>,
    /// The names of all versions and extensions.
    names: Vec<String>,
}

/// Creates an instance with as many extensions of the layer as possible, and writes its handle to `instance`. Returns
/// the result of the next layer, and the extensions of the instance. `read` is `info` after its check.
fn create_with_extensions(
    chain: &Chain,
    read: &In<xr::InstanceCreateInfo>,
    info: Read<xr::InstanceCreateInfo>,
    instance: Write<xr::Instance>,
) -> (xr::Result, Enabled) {
    let names = read.array(read.enabled_extension_names, read.enabled_extension_count);
    let texts = read.strings(read.enabled_extension_names, read.enabled_extension_count);
    let (Ok(names), Ok(texts)) = (names, texts) else {
        return (chain.create(info, instance), Default::default());
    };
    let enabled_by_application = || {
        let all = Extension::ALL.into_iter();
        all.filter(|extension| texts.iter().any(|text| extension.is(text)))
    };
    let version = read.application_info.api_version;
    let is_newer = version.major() > 1 || version.minor() > 0;
    let versions = ["XR_VERSION_1_0"].into_iter();
    let versions = versions.chain(is_newer.then_some("XR_VERSION_1_1"));
    let used: Vec<String> = versions
        .chain(texts.iter().copied())
        .map(str::to_owned)
        .collect();
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
            let own = added
                .iter()
                .map(|extension| extension.name().to_string_lossy());
            let names = used
                .iter()
                .cloned()
                .chain(own.map(|name| name.into_owned()));
            let names = names.collect();
            return (
                result,
                Enabled {
                    added,
                    enabled,
                    names,
                },
            );
        }
        // Other failures do not depend on the extensions.
        if result != xr::Result::ERROR_EXTENSION_NOT_PRESENT {
            break;
        }
    }
    let result = chain.create(info, instance);
    let enabled = Enabled {
        added: Vec::new(),
        enabled: enabled_by_application().collect(),
        names: used,
    };
    (result, enabled)
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

/// A runtime ignores the structures of an extension that the application has not enabled.
pub(crate) fn system_properties(
    handle: xr::Instance,
    system: xr::SystemId,
    properties: Write<xr::SystemProperties>,
) -> Reply {
    let instance = find_instance(handle)?;
    let get = || {
        instance
            .next
            .get_system_properties(handle, system, properties)
    };
    let Some(output) = properties.edit() else {
        return Ok(get());
    };
    let with_hands = || {
        if instance.added.contains(&Extension::HandTracking) {
            output.hiding::<xr::SystemHandTrackingPropertiesEXT, _>(get)
        } else {
            get()
        }
    };
    Ok(if instance.added.contains(&Extension::EyeGaze) {
        output.hiding::<xr::SystemEyeGazeInteractionPropertiesEXT, _>(with_hands)
    } else {
        with_hands()
    })
}

pub(crate) fn poll_event(handle: xr::Instance, event: Write<xr::EventDataBuffer>) -> Reply {
    let instance = find_instance(handle)?;
    let mut result = instance.next.poll_event(handle, event);
    // A profile that only the layer has bound is not one of the application.
    while result == xr::Result::SUCCESS
        && let Some(change) = event.event::<xr::EventDataInteractionProfileChanged>()
        && let Ok(session) = find_session(change.session)
        && instance.protect(|| session.has_new_profiles()) == Some(false)
    {
        event.empty();
        result = instance.next.poll_event(handle, event);
    }
    if result != xr::Result::SUCCESS {
        return Ok(result);
    }
    if let Some(change) = event.event::<xr::EventDataSessionStateChanged>()
        && let Ok(session) = find_session(change.session)
    {
        instance.protect(|| session.change(change.state));
    }
    if let Some(change) = event.event::<xr::EventDataReferenceSpaceChangePending>()
        && let Ok(session) = find_session(change.session)
    {
        instance.protect(|| {
            // The name of a space in the specification, in words.
            let space = format!("{:?}", change.reference_space_type);
            let space = space.to_lowercase().replace('_', " ");
            session.mark_at(change.change_time, RECENTRED_MARKER.to_owned() + &space);
        });
    }
    Ok(result)
}
