//! Conversion between paths and strings (OpenXR 1.1, section 6).

use openxr_sys as xr;

use crate::objects::state::State;
use inputanim_openxr_ffi::{Buffer, DONE, Reply, Set, Str};

pub(crate) fn string_to_path(instance: xr::Instance, text: Str, path: Set<xr::Path>) -> Reply {
    let mut state = State::lock();
    path.set(state.instance(instance)?.paths.path(&text)?);
    DONE
}

pub(crate) fn path_to_string(
    instance: xr::Instance,
    path: xr::Path,
    capacity: u32,
    count: Set<u32>,
    buffer: Buffer<std::ffi::c_char>,
) -> Reply {
    let mut state = State::lock();
    let text = state.instance(instance)?.paths.string(path)?;
    buffer.fill_string(capacity, &count, text)
}
