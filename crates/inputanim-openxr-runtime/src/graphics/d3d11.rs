//! Screenshots in Direct3D 11 (`XR_KHR_D3D11_enable`).
//!
//! The application makes the device; the runtime makes textures with it. All functions of Direct3D are unsafe: the device must be
//! valid, and the application must not use its immediate context while OpenXR may use it.

use std::ffi::c_void;

use openxr_sys as xr;
use windows::Win32::Graphics::Direct3D::D3D_FEATURE_LEVEL_11_0;
use windows::Win32::Graphics::Direct3D11::{
    D3D11_BIND_DEPTH_STENCIL, D3D11_BIND_RENDER_TARGET, D3D11_BIND_SHADER_RESOURCE,
    D3D11_BIND_UNORDERED_ACCESS, D3D11_BOX, D3D11_CPU_ACCESS_READ,
    D3D11_FORMAT_SUPPORT_DEPTH_STENCIL, D3D11_FORMAT_SUPPORT_RENDER_TARGET, D3D11_MAP_READ,
    D3D11_MAPPED_SUBRESOURCE, D3D11_TEXTURE2D_DESC, D3D11_USAGE_DEFAULT, D3D11_USAGE_STAGING,
    ID3D11Device, ID3D11Texture2D,
};
use windows::Win32::Graphics::Dxgi::Common::DXGI_SAMPLE_DESC;
use windows::Win32::Graphics::Dxgi::IDXGIDevice;
use windows::core::{Error, Interface};

use super::dxgi::{self, Format, WRONG_DEVICE, check_adapter, failed, not_created};
use super::screenshot::{Pixels, Screenshot};

/// The graphics of a session.
pub(crate) struct Direct3d11 {
    device: ID3D11Device,
    formats: Vec<i64>,
}

/// The images of a swapchain.
pub(crate) struct Images {
    device: ID3D11Device,
    textures: Vec<ID3D11Texture2D>,
    format: &'static Format,
    levels: u32,
}

impl Direct3d11 {
    /// Opens the device of an application. Fails if it is null, is not on the graphics card of the requirements, or has a
    /// lower feature level.
    pub(crate) fn new(binding: &xr::GraphicsBindingD3D11KHR) -> Result<Direct3d11, xr::Result> {
        let device: *mut c_void = binding.device;
        // SAFETY: the application provides a valid device or null.
        unsafe {
            let device = ID3D11Device::from_raw_borrowed(&device).ok_or(WRONG_DEVICE)?;
            let adapter = device
                .cast::<IDXGIDevice>()
                .and_then(|one| one.GetAdapter());
            let adapter = adapter.and_then(|adapter| adapter.GetDesc());
            check_adapter(adapter.map_err(failed)?.AdapterLuid)?;
            if device.GetFeatureLevel().0 < D3D_FEATURE_LEVEL_11_0.0 {
                return Err(WRONG_DEVICE);
            }
            let formats = dxgi::formats(|format| {
                let needed = if format.pixels.is_some() {
                    D3D11_FORMAT_SUPPORT_RENDER_TARGET
                } else {
                    D3D11_FORMAT_SUPPORT_DEPTH_STENCIL
                };
                let found = device.CheckFormatSupport(format.typed).unwrap_or_default();
                found & needed.0 as u32 != 0
            });
            Ok(Direct3d11 {
                device: device.clone(),
                formats,
            })
        }
    }

    /// Returns the formats in which the device can draw, as numbers of DXGI.
    pub(crate) fn formats(&self) -> Vec<i64> {
        self.formats.clone()
    }

    /// Creates `count` images of a swapchain.
    pub(crate) fn create(
        &self,
        info: &xr::SwapchainCreateInfo,
        count: u32,
    ) -> Result<Images, xr::Result> {
        let format = Format::of(info)?;
        let mut bind = if format.pixels.is_some() {
            D3D11_BIND_RENDER_TARGET
        } else {
            D3D11_BIND_DEPTH_STENCIL
        };
        let flags = info.usage_flags;
        if flags.contains(xr::SwapchainUsageFlags::SAMPLED) {
            bind |= D3D11_BIND_SHADER_RESOURCE;
        }
        if flags.contains(xr::SwapchainUsageFlags::UNORDERED_ACCESS) {
            bind |= D3D11_BIND_UNORDERED_ACCESS;
        }
        let description = D3D11_TEXTURE2D_DESC {
            MipLevels: info.mip_count,
            ArraySize: info.array_size,
            BindFlags: bind.0 as u32,
            ..texture(format, [info.width, info.height])
        };
        let textures = (0..count).map(|_| create(&self.device, &description));
        let textures = textures.collect::<Result<_, _>>().map_err(not_created)?;
        Ok(Images {
            device: self.device.clone(),
            textures,
            format,
            levels: info.mip_count,
        })
    }
}

/// Returns the description of a texture without uses, with one layer and one mip level. `size` is the width and height in
/// pixels.
fn texture(format: &Format, [width, height]: [u32; 2]) -> D3D11_TEXTURE2D_DESC {
    D3D11_TEXTURE2D_DESC {
        Width: width,
        Height: height,
        MipLevels: 1,
        ArraySize: 1,
        Format: format.typeless,
        SampleDesc: DXGI_SAMPLE_DESC {
            Count: 1,
            Quality: 0,
        },
        Usage: D3D11_USAGE_DEFAULT,
        BindFlags: 0,
        CPUAccessFlags: 0,
        MiscFlags: 0,
    }
}

fn create(
    device: &ID3D11Device,
    description: &D3D11_TEXTURE2D_DESC,
) -> Result<ID3D11Texture2D, Error> {
    let mut texture = None;
    // SAFETY: the device is valid as long as the session.
    unsafe { device.CreateTexture2D(description, None, Some(&raw mut texture)) }?;
    texture.ok_or_else(Error::empty)
}

impl Images {
    /// Returns the textures for the application, which does not own them.
    pub(crate) fn textures(&self) -> Vec<*mut c_void> {
        self.textures.iter().map(Interface::as_raw).collect()
    }

    /// Copies the part of an image that a layer shows into memory. `index` is the index of the image in the swapchain.
    /// Fails for a depth image.
    pub(crate) fn read(
        &self,
        index: u32,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, String> {
        let pixels = self.format.pixels;
        let pixels = pixels.ok_or("an image of depths cannot be saved")?;
        // SAFETY: the texture belongs to the device, and the part is inside of it.
        let read = unsafe { self.copy(&self.textures[index as usize], pixels, part) };
        read.map_err(|error| error.to_string())
    }

    /// Copies the part of a texture that a layer shows to a texture that the processor can read, and reads it.
    ///
    /// # Safety
    /// The texture must belong to the device, and the part must be inside of it.
    unsafe fn copy(
        &self,
        texture: &ID3D11Texture2D,
        pixels: Pixels,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, Error> {
        let xr::Rect2Di { offset, extent } = part.image_rect;
        let size = [extent.width, extent.height].map(i32::unsigned_abs);
        let [left, top] = [offset.x, offset.y].map(i32::unsigned_abs);
        let readable = D3D11_TEXTURE2D_DESC {
            Usage: D3D11_USAGE_STAGING,
            CPUAccessFlags: D3D11_CPU_ACCESS_READ.0 as u32,
            ..self::texture(self.format, size)
        };
        let readable = create(&self.device, &readable)?;
        let area = D3D11_BOX {
            left,
            top,
            front: 0,
            right: left + size[0],
            bottom: top + size[1],
            back: 1,
        };
        // The largest mip level of the layer.
        let layer = part.image_array_index * self.levels;
        let mut mapped = D3D11_MAPPED_SUBRESOURCE::default();
        // SAFETY: as for the function. The rows are in memory until the texture is unmapped.
        unsafe {
            let context = self.device.GetImmediateContext()?;
            context.CopySubresourceRegion(
                &readable,
                0,
                0,
                0,
                0,
                texture,
                layer,
                Some(&raw const area),
            );
            context.Map(&readable, 0, D3D11_MAP_READ, 0, Some(&raw mut mapped))?;
            let pitch = mapped.RowPitch as usize;
            let length = pitch * (size[1] as usize - 1) + size[0] as usize * pixels.size();
            let bytes = std::slice::from_raw_parts(mapped.pData.cast::<u8>(), length);
            let screenshot = dxgi::screenshot(pixels, size, bytes, pitch);
            context.Unmap(&readable, 0);
            Ok(screenshot)
        }
    }
}
