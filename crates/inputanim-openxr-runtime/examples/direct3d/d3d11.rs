//! The application with Direct3D 11.

use std::ffi::c_void;

use openxr as xr;
use openxr::sys;
use windows::Win32::Foundation::{HMODULE, LUID};
use windows::Win32::Graphics::Direct3D::{
    D3D_DRIVER_TYPE_UNKNOWN, D3D_FEATURE_LEVEL, D3D_FEATURE_LEVEL_10_0, D3D_FEATURE_LEVEL_11_0,
};
use windows::Win32::Graphics::Direct3D11::{
    D3D11_BIND_SHADER_RESOURCE, D3D11_BIND_UNORDERED_ACCESS, D3D11_BOX, D3D11_CLEAR_DEPTH,
    D3D11_CREATE_DEVICE_FLAG, D3D11_DEPTH_STENCIL_VIEW_DESC, D3D11_DEPTH_STENCIL_VIEW_DESC_0,
    D3D11_DSV_DIMENSION_TEXTURE2DARRAY, D3D11_RENDER_TARGET_VIEW_DESC,
    D3D11_RENDER_TARGET_VIEW_DESC_0, D3D11_RTV_DIMENSION_TEXTURE2DARRAY, D3D11_SDK_VERSION,
    D3D11_TEX2D_ARRAY_DSV, D3D11_TEX2D_ARRAY_RTV, D3D11_TEXTURE2D_DESC, D3D11CreateDevice,
    ID3D11DepthStencilView, ID3D11Device, ID3D11DeviceContext, ID3D11RenderTargetView,
    ID3D11Texture2D,
};
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT, DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
};
use windows::Win32::Graphics::Dxgi::{CreateDXGIFactory1, IDXGIAdapter, IDXGIFactory4};
use windows::core::{Error, Interface, Result};

use super::play::{Area, Direct3d, OUTSIDE, linear};

pub(crate) struct Direct3d11 {
    adapter: IDXGIAdapter,
    device: ID3D11Device,
    context: ID3D11DeviceContext,
}

/// Creates a device with a feature level.
fn create(
    adapter: &IDXGIAdapter,
    level: D3D_FEATURE_LEVEL,
) -> Result<(ID3D11Device, ID3D11DeviceContext)> {
    let (mut device, mut context) = (None, None);
    // SAFETY: the pointers are valid.
    unsafe {
        D3D11CreateDevice(
            adapter,
            D3D_DRIVER_TYPE_UNKNOWN,
            HMODULE::default(),
            D3D11_CREATE_DEVICE_FLAG(0),
            Some(&[level]),
            D3D11_SDK_VERSION,
            Some(&raw mut device),
            None,
            Some(&raw mut context),
        )?;
    }
    device.zip(context).ok_or_else(Error::empty)
}

impl Direct3d11 {
    /// Fills a layer of an image with a colour, in a view with a format.
    ///
    /// # Safety
    /// The texture must be an array with this layer.
    unsafe fn clear(
        &self,
        texture: &ID3D11Texture2D,
        format: DXGI_FORMAT,
        layer: u32,
        colour: [f32; 4],
    ) -> Result<()> {
        let description = D3D11_RENDER_TARGET_VIEW_DESC {
            Format: format,
            ViewDimension: D3D11_RTV_DIMENSION_TEXTURE2DARRAY,
            Anonymous: D3D11_RENDER_TARGET_VIEW_DESC_0 {
                Texture2DArray: D3D11_TEX2D_ARRAY_RTV {
                    MipSlice: 0,
                    FirstArraySlice: layer,
                    ArraySize: 1,
                },
            },
        };
        let mut view: Option<ID3D11RenderTargetView> = None;
        // SAFETY: as for the function.
        unsafe {
            let description = Some(&raw const description);
            self.device
                .CreateRenderTargetView(texture, description, Some(&raw mut view))?;
            let view = view.ok_or_else(Error::empty)?;
            self.context.ClearRenderTargetView(&view, &colour);
        }
        Ok(())
    }
}

/// Returns a texture of a swapchain.
///
/// # Safety
/// The image must be one of the session.
unsafe fn texture<'a>(image: &'a *mut c_void) -> Result<&'a ID3D11Texture2D> {
    // SAFETY: as for the function.
    unsafe { ID3D11Texture2D::from_raw_borrowed(image) }.ok_or_else(Error::empty)
}

impl Direct3d for Direct3d11 {
    type Graphics = xr::D3D11;

    fn enable(extensions: &mut xr::ExtensionSet) {
        extensions.khr_d3d11_enable = true;
    }

    fn new(adapter: LUID) -> Result<Direct3d11> {
        // SAFETY: the functions have no other arguments.
        let adapter: IDXGIAdapter = unsafe {
            let factory: IDXGIFactory4 = CreateDXGIFactory1()?;
            factory.EnumAdapterByLuid(adapter)?
        };
        let (device, context) = create(&adapter, D3D_FEATURE_LEVEL_11_0)?;
        Ok(Direct3d11 {
            adapter,
            device,
            context,
        })
    }

    fn session_info(&self) -> xr::d3d::SessionCreateInfoD3D11 {
        xr::d3d::SessionCreateInfoD3D11 {
            device: self.device.as_raw(),
        }
    }

    unsafe fn fill(
        &self,
        image: *mut c_void,
        [left, right]: [[u8; 3]; 2],
        area: Area,
    ) -> Result<()> {
        let colour = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        let [start, top, end, bottom] = area;
        let part = D3D11_BOX {
            left: start,
            top,
            front: 0,
            right: end,
            bottom,
            back: 1,
        };
        let pixels = ((end - start) * (bottom - top)) as usize;
        let [r, g, b] = right;
        let bytes = [r, g, b, 255].repeat(pixels);
        // SAFETY: as for the function. The second layer is the second part of the texture, which has no mip levels.
        unsafe {
            let texture = texture(&image)?;
            self.clear(
                texture,
                DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
                0,
                colour(left.map(linear)),
            )?;
            let outside = OUTSIDE.map(|byte| f32::from(byte) / 255.0);
            self.clear(texture, DXGI_FORMAT_R8G8B8A8_UNORM, 1, colour(outside))?;
            self.context.UpdateSubresource(
                texture,
                1,
                Some(&raw const part),
                bytes.as_ptr().cast(),
                (end - start) * 4,
                0,
            );
        }
        Ok(())
    }

    unsafe fn fill_depth(&self, image: *mut c_void) -> Result<()> {
        let description = D3D11_DEPTH_STENCIL_VIEW_DESC {
            Format: DXGI_FORMAT_D32_FLOAT,
            ViewDimension: D3D11_DSV_DIMENSION_TEXTURE2DARRAY,
            Flags: 0,
            Anonymous: D3D11_DEPTH_STENCIL_VIEW_DESC_0 {
                Texture2DArray: D3D11_TEX2D_ARRAY_DSV {
                    MipSlice: 0,
                    FirstArraySlice: 0,
                    ArraySize: 2,
                },
            },
        };
        let mut view: Option<ID3D11DepthStencilView> = None;
        // SAFETY: as for the function.
        unsafe {
            let description = Some(&raw const description);
            self.device.CreateDepthStencilView(
                texture(&image)?,
                description,
                Some(&raw mut view),
            )?;
            let view = view.ok_or_else(Error::empty)?;
            self.context
                .ClearDepthStencilView(&view, D3D11_CLEAR_DEPTH.0 as u32, 0.5, 0);
        }
        Ok(())
    }

    unsafe fn describe(&self, image: *mut c_void) -> (u32, [bool; 2]) {
        let mut found = D3D11_TEXTURE2D_DESC::default();
        // SAFETY: as for the function.
        if let Ok(texture) = unsafe { texture(&image) } {
            // SAFETY: as for the function.
            unsafe { texture.GetDesc(&raw mut found) };
        }
        let has = |flag: i32| found.BindFlags & flag as u32 != 0;
        let uses = [
            has(D3D11_BIND_SHADER_RESOURCE.0),
            has(D3D11_BIND_UNORDERED_ACCESS.0),
        ];
        (found.Format.0 as u32, uses)
    }

    fn with_wrong_bindings(&self, check: &mut dyn FnMut(*const c_void, &str)) -> Result<()> {
        let mut binding = sys::GraphicsBindingD3D11KHR {
            ty: sys::GraphicsBindingD3D11KHR::TYPE,
            next: std::ptr::null(),
            device: std::ptr::null_mut(),
        };
        check((&raw const binding).cast(), "a device that is null");
        let (old, _) = create(&self.adapter, D3D_FEATURE_LEVEL_10_0)?;
        binding.device = old.as_raw();
        check(
            (&raw const binding).cast(),
            "a device with feature level 10.0",
        );
        Ok(())
    }
}
