//! The parts that Direct3D 11 and 12 share: formats, the graphics card, and errors (DXGI).

use std::ffi::c_void;

use libloading::Library;
use openxr_sys as xr;
use windows::Win32::Foundation::{E_INVALIDARG, E_OUTOFMEMORY, LUID};
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT, DXGI_FORMAT_B8G8R8A8_TYPELESS, DXGI_FORMAT_B8G8R8A8_UNORM,
    DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_D24_UNORM_S8_UINT,
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_D32_FLOAT_S8X24_UINT, DXGI_FORMAT_R8G8B8A8_TYPELESS,
    DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R10G10B10A2_TYPELESS,
    DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_R16G16B16A16_FLOAT,
    DXGI_FORMAT_R16G16B16A16_TYPELESS, DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_R32_TYPELESS,
    DXGI_FORMAT_R32G8X24_TYPELESS,
};
use windows::Win32::Graphics::Dxgi::IDXGIFactory1;
use windows::core::{Error, GUID, HRESULT, Interface};

use super::screenshot::{PixelLayout, Pixels, Screenshot};

/// A format of images.
pub(crate) struct Format {
    /// The format that an application selects.
    pub(crate) typed: DXGI_FORMAT,
    /// The format of the textures. It has no type, so that the application can view a texture in each format of the same
    /// family: linear or sRGB, a depth or a number.
    pub(crate) typeless: DXGI_FORMAT,
    /// `None` for an image of depths.
    pub(crate) pixels: Option<Pixels>,
}

const fn colour(
    typed: DXGI_FORMAT,
    typeless: DXGI_FORMAT,
    layout: PixelLayout,
    is_srgb: bool,
) -> Format {
    Format {
        typed,
        typeless,
        pixels: Some(Pixels { layout, is_srgb }),
    }
}

const fn depth(typed: DXGI_FORMAT, typeless: DXGI_FORMAT) -> Format {
    Format {
        typed,
        typeless,
        pixels: None,
    }
}

/// The formats of images, the preferred ones first. A device may not have all of them.
static FORMATS: [Format; 10] = [
    colour(
        DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
        DXGI_FORMAT_R8G8B8A8_TYPELESS,
        PixelLayout::Rgba8,
        true,
    ),
    colour(
        DXGI_FORMAT_B8G8R8A8_UNORM_SRGB,
        DXGI_FORMAT_B8G8R8A8_TYPELESS,
        PixelLayout::Bgra8,
        true,
    ),
    colour(
        DXGI_FORMAT_R8G8B8A8_UNORM,
        DXGI_FORMAT_R8G8B8A8_TYPELESS,
        PixelLayout::Rgba8,
        false,
    ),
    colour(
        DXGI_FORMAT_B8G8R8A8_UNORM,
        DXGI_FORMAT_B8G8R8A8_TYPELESS,
        PixelLayout::Bgra8,
        false,
    ),
    colour(
        DXGI_FORMAT_R16G16B16A16_FLOAT,
        DXGI_FORMAT_R16G16B16A16_TYPELESS,
        PixelLayout::RgbaFloat16,
        false,
    ),
    colour(
        DXGI_FORMAT_R10G10B10A2_UNORM,
        DXGI_FORMAT_R10G10B10A2_TYPELESS,
        PixelLayout::Rgb10A2,
        false,
    ),
    depth(DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R32_TYPELESS),
    depth(DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_R16_TYPELESS),
    depth(DXGI_FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT_R24G8_TYPELESS),
    depth(
        DXGI_FORMAT_D32_FLOAT_S8X24_UINT,
        DXGI_FORMAT_R32G8X24_TYPELESS,
    ),
];

impl Format {
    /// Returns the number of the format that an application selects.
    fn number(&self) -> i64 {
        i64::from(self.typed.0)
    }

    /// Returns the format of a new swapchain. Fails with `ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED` if the runtime does not have
    /// it, and with `ERROR_FEATURE_UNSUPPORTED` if images of this format cannot have the uses of the swapchain.
    pub(crate) fn of(info: &xr::SwapchainCreateInfo) -> Result<&'static Format, xr::Result> {
        let mut formats = FORMATS.iter();
        let format = formats
            .find(|format| format.number() == info.format)
            .ok_or(xr::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED)?;
        let impossible = if format.pixels.is_none() {
            xr::SwapchainUsageFlags::COLOR_ATTACHMENT | xr::SwapchainUsageFlags::UNORDERED_ACCESS
        } else {
            xr::SwapchainUsageFlags::DEPTH_STENCIL_ATTACHMENT
        };
        // The use as an input attachment needs an extension that the runtime does not have.
        let refused = impossible | xr::SwapchainUsageFlags::INPUT_ATTACHMENT;
        if info.usage_flags.intersects(refused) {
            return Err(xr::Result::ERROR_FEATURE_UNSUPPORTED);
        }
        Ok(format)
    }
}

/// Returns the numbers of the formats in which a device can draw. `is_supported` returns this for a format.
pub(crate) fn formats(is_supported: impl Fn(&Format) -> bool) -> Vec<i64> {
    let found = FORMATS.iter().filter(|format| is_supported(format));
    found.map(Format::number).collect()
}

/// The failure of a session whose device is null, or does not have what the requirements demand.
pub(crate) const WRONG_DEVICE: xr::Result = xr::Result::ERROR_GRAPHICS_DEVICE_INVALID;

/// Prints an error of Direct3D to standard error, and returns the error of OpenXR for it.
pub(crate) fn failed(error: Error) -> xr::Result {
    eprintln!("inputanim: Direct3D failed: {error}");
    match error.code() {
        E_OUTOFMEMORY => xr::Result::ERROR_OUT_OF_MEMORY,
        _ => xr::Result::ERROR_RUNTIME_FAILURE,
    }
}

/// Returns the error of OpenXR for an image that cannot be created. The device refuses a use that the format does not have
/// with an invalid argument, because the runtime has checked all others.
pub(crate) fn not_created(error: Error) -> xr::Result {
    match error.code() {
        E_INVALIDARG => xr::Result::ERROR_FEATURE_UNSUPPORTED,
        _ => failed(error),
    }
}

/// Returns the identifier of the first graphics card, with which an application must create its device.
pub(crate) fn adapter() -> Result<xr::platform::LUID, xr::Result> {
    type Create = unsafe extern "system" fn(*const GUID, *mut *mut c_void) -> HRESULT;
    let no_library = |error| {
        eprintln!("inputanim: cannot load Direct3D: {error}");
        xr::Result::ERROR_RUNTIME_FAILURE
    };
    // SAFETY: the library is DXGI of the system, whose function has this type. It stays loaded until the end of the block, in
    // which all objects are released.
    let found = unsafe {
        let library = Library::new("dxgi.dll").map_err(no_library)?;
        let create = library
            .get::<Create>(b"CreateDXGIFactory1\0")
            .map_err(no_library)?;
        let mut factory = std::ptr::null_mut();
        let made = create(&IDXGIFactory1::IID, &raw mut factory).ok();
        made.and_then(|()| {
            let factory = IDXGIFactory1::from_raw(factory);
            factory.EnumAdapters1(0)?.GetDesc1()
        })
    };
    let LUID { LowPart, HighPart } = found.map_err(failed)?.AdapterLuid;
    Ok(xr::platform::LUID { LowPart, HighPart })
}

/// Checks that a device is on the graphics card of [`adapter`]. Otherwise, prints the reason and fails with
/// `ERROR_GRAPHICS_DEVICE_INVALID`.
pub(crate) fn check_adapter(found: LUID) -> Result<(), xr::Result> {
    let wanted = adapter()?;
    if (found.LowPart, found.HighPart) == (wanted.LowPart, wanted.HighPart) {
        Ok(())
    } else {
        eprintln!(
            "inputanim: the device of Direct3D is on another graphics card than the one that the runtime demands"
        );
        Err(WRONG_DEVICE)
    }
}

/// Converts `height` rows of `width` pixels to a screenshot. A row begins every `pitch` bytes.
pub(crate) fn screenshot(
    pixels: Pixels,
    [width, height]: [u32; 2],
    bytes: &[u8],
    pitch: usize,
) -> Screenshot {
    let row_size = width as usize * pixels.size();
    let rows = bytes.chunks(pitch).take(height as usize);
    Screenshot {
        width,
        height,
        bytes: rows
            .flat_map(|row| pixels.to_rgba(&row[..row_size]))
            .collect(),
    }
}
