//! Swapchains: the images into which an application draws (OpenXR 1.1, section 10.1).

use std::collections::VecDeque;

use openxr_sys as xr;

use crate::graphics::Images;
use crate::graphics::screenshot::Screenshot;
use inputanim_openxr_ffi::INVALID;

/// A swapchain.
pub(crate) struct Swapchain {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) layers: u32,
    pub(crate) is_static: bool,
    pub(crate) images: Images,
    /// Images that the application has acquired, in order. The first one may be waited for.
    pub(crate) acquired: VecDeque<u32>,
    pub(crate) has_waited: bool,
    pub(crate) next: u32,
    pub(crate) released: Option<u32>,
}

impl Swapchain {
    /// Returns the index of the image that the application released last; `None` before the first one.
    pub(crate) fn released(&self) -> Option<u32> {
        self.released
    }

    /// Checks that the rectangle and the layer of an image that a composition layer shows exist in this swapchain.
    pub(crate) fn check_part(&self, part: &xr::SwapchainSubImage) -> Result<(), xr::Result> {
        let xr::Rect2Di { offset, extent } = part.image_rect;
        let is_inside = |start: i32, length: i32, size: u32| {
            start >= 0 && length > 0 && i64::from(start) + i64::from(length) <= i64::from(size)
        };
        if part.image_array_index >= self.layers {
            return Err(INVALID);
        }
        if is_inside(offset.x, extent.width, self.width)
            && is_inside(offset.y, extent.height, self.height)
        {
            Ok(())
        } else {
            Err(xr::Result::ERROR_SWAPCHAIN_RECT_INVALID)
        }
    }

    /// Copies a part of the image that was released last. Fails if no image was released.
    pub(crate) fn screenshot(&self, part: &xr::SwapchainSubImage) -> Result<Screenshot, String> {
        let index = self
            .released
            .ok_or("the application has not drawn an image")?;
        self.images.read(index, part)
    }
}
