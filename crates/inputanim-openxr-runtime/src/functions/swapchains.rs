//! Swapchains (OpenXR 1.1, section 10.1).

use std::collections::VecDeque;

use openxr_sys::{self as xr, Handle};

use super::checks::MAX_SIZE;
use crate::graphics::Graphics;
use crate::objects::handles::{NO_HANDLE, add};
use crate::objects::state::State;
use crate::objects::swapchains::Swapchain;
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Reply, Set};

/// The largest number of layers of an image.
const MAX_LAYERS: u32 = 16;

/// The number of images of a swapchain.
const LENGTH: u32 = 3;

pub(crate) fn formats(
    session: xr::Session,
    capacity: u32,
    count: Set<u32>,
    formats: Buffer<i64>,
) -> Reply {
    let mut state = State::lock();
    let graphics = &state.session(session)?.graphics;
    let offered = graphics.as_ref().map(Graphics::formats).unwrap_or_default();
    formats.fill(capacity, &count, &offered)
}

pub(crate) fn create(
    session: xr::Session,
    info: In<xr::SwapchainCreateInfo>,
    swapchain: Set<xr::Swapchain>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let open = state.session(session)?;
    // Without graphics, there are no formats.
    let graphics = open
        .graphics
        .as_ref()
        .ok_or(xr::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED)?;
    if !graphics.formats().contains(&info.format) {
        return Err(xr::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED);
    }
    if info
        .create_flags
        .contains(xr::SwapchainCreateFlags::PROTECTED_CONTENT)
    {
        return Err(xr::Result::ERROR_FEATURE_UNSUPPORTED);
    }
    let is_size = |size: u32| (1..=MAX_SIZE).contains(&size);
    let counts = [
        info.sample_count,
        info.face_count,
        info.array_size,
        info.mip_count,
    ];
    if !is_size(info.width) || !is_size(info.height) || counts.contains(&0) {
        return Err(INVALID);
    }
    let levels = info.width.max(info.height).ilog2() + 1;
    if info.mip_count > levels {
        return Err(INVALID);
    }
    // Cubes and several samples are not supported.
    if info.face_count != 1 || info.sample_count != 1 || info.array_size > MAX_LAYERS {
        return Err(xr::Result::ERROR_FEATURE_UNSUPPORTED);
    }
    let is_static = info
        .create_flags
        .contains(xr::SwapchainCreateFlags::STATIC_IMAGE);
    let images = graphics.create(&info, if is_static { 1 } else { LENGTH })?;
    let made = Swapchain {
        width: info.width,
        height: info.height,
        layers: info.array_size,
        is_static,
        images,
        acquired: VecDeque::new(),
        has_waited: false,
        next: 0,
        released: None,
    };
    add(&mut open.swapchains, number, made)?;
    swapchain.set(xr::Swapchain::from_raw(number));
    DONE
}

/// Locks the state, and calls a function with the swapchain of a handle. Fails with `ERROR_HANDLE_INVALID` if there is
/// no such swapchain.
fn with<R>(
    handle: xr::Swapchain,
    call: impl FnOnce(&mut Swapchain) -> Result<R, xr::Result>,
) -> Result<R, xr::Result> {
    let mut state = State::lock();
    let swapchains = &mut state.any()?.session()?.swapchains;
    call(swapchains.get_mut(&handle.into_raw()).ok_or(NO_HANDLE)?)
}

pub(crate) fn destroy(swapchain: xr::Swapchain) -> Reply {
    let mut state = State::lock();
    let swapchains = &mut state.any()?.session()?.swapchains;
    let removed = swapchains.remove(&swapchain.into_raw()).ok_or(NO_HANDLE)?;
    drop(state);
    // Without the lock, because Vulkan may wait.
    drop(removed);
    DONE
}

pub(crate) fn images(
    swapchain: xr::Swapchain,
    capacity: u32,
    count: Set<u32>,
    images: Buffer<xr::SwapchainImageBaseHeader>,
) -> Reply {
    with(swapchain, |swapchain| {
        swapchain.images.fill(capacity, &count, images)
    })
}

pub(crate) fn acquire(
    swapchain: xr::Swapchain,
    _info: Option<In<xr::SwapchainImageAcquireInfo>>,
    index: Set<u32>,
) -> Reply {
    with(swapchain, |swapchain| {
        let is_used = swapchain.is_static && swapchain.released.is_some();
        if is_used || swapchain.acquired.len() as u32 >= swapchain.images.len() {
            return Err(xr::Result::ERROR_CALL_ORDER_INVALID);
        }
        let image = swapchain.next;
        swapchain.images.prepare(image)?;
        swapchain.next = (image + 1) % swapchain.images.len();
        swapchain.acquired.push_back(image);
        index.set(image);
        DONE
    })
}

pub(crate) fn wait(swapchain: xr::Swapchain, info: In<xr::SwapchainImageWaitInfo>) -> Reply {
    with(swapchain, |swapchain| {
        if info.timeout.as_nanos() < 0 {
            return Err(INVALID);
        }
        if swapchain.has_waited || swapchain.acquired.is_empty() {
            return Err(xr::Result::ERROR_CALL_ORDER_INVALID);
        }
        // Nothing reads the images while the application draws.
        swapchain.has_waited = true;
        DONE
    })
}

pub(crate) fn release(
    swapchain: xr::Swapchain,
    _info: Option<In<xr::SwapchainImageReleaseInfo>>,
) -> Reply {
    with(swapchain, |swapchain| {
        if !swapchain.has_waited {
            return Err(xr::Result::ERROR_CALL_ORDER_INVALID);
        }
        swapchain.has_waited = false;
        swapchain.released = swapchain.acquired.pop_front();
        DONE
    })
}
