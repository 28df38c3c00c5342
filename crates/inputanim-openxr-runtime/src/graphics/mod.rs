//! The images of swapchains, in the graphics interface of the application.

pub(crate) mod composition;
#[cfg(windows)]
#[allow(unsafe_code, reason = "the functions of Direct3D")]
pub(crate) mod d3d11;
#[cfg(windows)]
#[allow(unsafe_code, reason = "the functions of Direct3D")]
pub(crate) mod d3d12;
#[cfg(windows)]
#[allow(unsafe_code, reason = "a function of DXGI")]
pub(crate) mod dxgi;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the functions of OpenGL")]
pub(crate) mod opengl;
pub(crate) mod screenshot;
#[allow(unsafe_code, reason = "the functions of Vulkan")]
pub(crate) mod vulkan;

use std::collections::HashSet;

use openxr_sys as xr;

use crate::extensions::Extension;
#[cfg(windows)]
use d3d11::Direct3d11;
#[cfg(windows)]
use d3d12::Direct3d12;
use inputanim_openxr_ffi::{Buffer, In, Reply, Set};
#[cfg(target_os = "linux")]
use opengl::OpenGl;
use screenshot::Screenshot;
use vulkan::Vulkan;

/// The structures that select the graphics of an application, and the names of the graphics.
const BINDINGS: [(xr::StructureType, &str); 9] = [
    (xr::StructureType::GRAPHICS_BINDING_VULKAN_KHR, "Vulkan"),
    (
        xr::StructureType::GRAPHICS_BINDING_OPENGL_XLIB_KHR,
        "OpenGL with Xlib",
    ),
    (xr::StructureType::GRAPHICS_BINDING_D3D11_KHR, "Direct3D 11"),
    (xr::StructureType::GRAPHICS_BINDING_D3D12_KHR, "Direct3D 12"),
    (
        xr::StructureType::GRAPHICS_BINDING_OPENGL_WIN32_KHR,
        "OpenGL on Windows",
    ),
    (
        xr::StructureType::GRAPHICS_BINDING_OPENGL_XCB_KHR,
        "OpenGL with Xcb",
    ),
    (
        xr::StructureType::GRAPHICS_BINDING_OPENGL_WAYLAND_KHR,
        "OpenGL with Wayland",
    ),
    (
        xr::StructureType::GRAPHICS_BINDING_OPENGL_ES_ANDROID_KHR,
        "OpenGL ES",
    ),
    (
        xr::StructureType::GRAPHICS_BINDING_EGL_MNDX,
        "OpenGL with EGL",
    ),
];

/// The graphics that the runtime supports.
const SUPPORTED: &str = if cfg!(target_os = "linux") {
    "Vulkan, or OpenGL with Xlib"
} else if cfg!(windows) {
    "Direct3D 11, Direct3D 12 or Vulkan"
} else {
    "Vulkan"
};

/// A graphics API that the runtime supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Api {
    Vulkan,
    #[cfg(target_os = "linux")]
    OpenGl,
    #[cfg(windows)]
    Direct3d11,
    #[cfg(windows)]
    Direct3d12,
}

/// Returns `true` if an application creates a session with a graphics API, also with one that is not supported.
pub(crate) fn has_binding(info: &In<xr::SessionCreateInfo>) -> bool {
    name(&info.types()).is_some()
}

/// Returns the name of the graphics API that one of these types of structures selects; `None` if none does.
fn name(types: &[xr::StructureType]) -> Option<&'static str> {
    let found = BINDINGS.iter().find(|(kind, _)| types.contains(kind));
    found.map(|&(_, name)| name)
}

/// The graphics interface of a session.
pub(crate) enum Graphics {
    Vulkan(Vulkan),
    #[cfg(target_os = "linux")]
    OpenGl(OpenGl),
    #[cfg(windows)]
    Direct3d11(Direct3d11),
    #[cfg(windows)]
    Direct3d12(Direct3d12),
}

/// The images of a swapchain.
pub(crate) enum Images {
    Vulkan(vulkan::Images),
    #[cfg(target_os = "linux")]
    OpenGl(opengl::Images),
    #[cfg(windows)]
    Direct3d11(d3d11::Images),
    #[cfg(windows)]
    Direct3d12(d3d12::Images),
}

impl Graphics {
    /// Opens the graphics API that an application has selected for a new session. `None` for a session without images,
    /// which needs the extension `XR_MND_headless`. `requirements` are the graphics APIs for whose requirements the
    /// application has asked, as it must.
    ///
    /// Fails if the API is not supported or its extension is not enabled, and prints the reason.
    pub(crate) fn new(
        extensions: &HashSet<Extension>,
        requirements: &HashSet<Api>,
        info: &In<xr::SessionCreateInfo>,
    ) -> Result<Option<Graphics>, xr::Result> {
        let invalid = xr::Result::ERROR_GRAPHICS_DEVICE_INVALID;
        let has = |extension| extensions.contains(&extension);
        let check = |api: Api, is_enabled: bool| {
            if !is_enabled {
                Err(invalid)
            } else if requirements.contains(&api) {
                Ok(())
            } else {
                Err(xr::Result::ERROR_GRAPHICS_REQUIREMENTS_CALL_MISSING)
            }
        };
        if let Some(binding) = info.chained::<xr::GraphicsBindingVulkanKHR>() {
            check(
                Api::Vulkan,
                has(Extension::Vulkan) || has(Extension::Vulkan2),
            )?;
            return Ok(Some(Graphics::Vulkan(Vulkan::new(&binding)?)));
        }
        #[cfg(target_os = "linux")]
        if let Some(binding) = info.chained::<xr::GraphicsBindingOpenGLXlibKHR>() {
            check(Api::OpenGl, has(Extension::OpenGl))?;
            return Ok(Some(Graphics::OpenGl(OpenGl::new(&binding)?)));
        }
        #[cfg(windows)]
        if let Some(binding) = info.chained::<xr::GraphicsBindingD3D11KHR>() {
            check(Api::Direct3d11, has(Extension::Direct3d11))?;
            return Ok(Some(Graphics::Direct3d11(Direct3d11::new(&binding)?)));
        }
        #[cfg(windows)]
        if let Some(binding) = info.chained::<xr::GraphicsBindingD3D12KHR>() {
            check(Api::Direct3d12, has(Extension::Direct3d12))?;
            return Ok(Some(Graphics::Direct3d12(Direct3d12::new(&binding)?)));
        }
        match name(&info.types()) {
            Some(name) => eprintln!("inputanim: {name} is not supported; use {SUPPORTED}"),
            None if has(Extension::Headless) => return Ok(None),
            None => eprintln!(
                "inputanim: the application has no graphics, and did not enable XR_MND_headless"
            ),
        }
        Err(invalid)
    }

    /// Returns the formats that images can have, as numbers of the graphics API.
    pub(crate) fn formats(&self) -> Vec<i64> {
        match self {
            Graphics::Vulkan(vulkan) => vulkan.formats(),
            #[cfg(target_os = "linux")]
            Graphics::OpenGl(opengl) => opengl.formats(),
            #[cfg(windows)]
            Graphics::Direct3d11(direct3d) => direct3d.formats(),
            #[cfg(windows)]
            Graphics::Direct3d12(direct3d) => direct3d.formats(),
        }
    }

    /// Creates `count` images of a swapchain, in a format of [`formats`](Self::formats).
    pub(crate) fn create(
        &self,
        info: &xr::SwapchainCreateInfo,
        count: u32,
    ) -> Result<Images, xr::Result> {
        Ok(match self {
            Graphics::Vulkan(vulkan) => Images::Vulkan(vulkan.create(info, count)?),
            #[cfg(target_os = "linux")]
            Graphics::OpenGl(opengl) => Images::OpenGl(opengl.create(info, count)?),
            #[cfg(windows)]
            Graphics::Direct3d11(direct3d) => Images::Direct3d11(direct3d.create(info, count)?),
            #[cfg(windows)]
            Graphics::Direct3d12(direct3d) => Images::Direct3d12(direct3d.create(info, count)?),
        })
    }
}

impl Images {
    /// Returns the number of images.
    pub(crate) fn len(&self) -> u32 {
        let length = match self {
            Images::Vulkan(images) => images.handles().len(),
            #[cfg(target_os = "linux")]
            Images::OpenGl(images) => images.names().len(),
            #[cfg(windows)]
            Images::Direct3d11(images) => images.textures().len(),
            #[cfg(windows)]
            Images::Direct3d12(images) => images.textures().len(),
        };
        length as u32
    }

    /// Prepares the image with this index, which the application acquires, for drawing.
    pub(crate) fn prepare(&mut self, index: u32) -> Result<(), xr::Result> {
        match self {
            Images::Vulkan(images) => images.prepare(index),
            #[cfg(target_os = "linux")]
            Images::OpenGl(_) => Ok(()),
            #[cfg(windows)]
            Images::Direct3d11(_) | Images::Direct3d12(_) => Ok(()),
        }
    }

    /// Writes the number of images to `count`, and their handles to `images`, which has space for `capacity` images.
    pub(crate) fn fill(
        &self,
        capacity: u32,
        count: &Set<u32>,
        images: Buffer<xr::SwapchainImageBaseHeader>,
    ) -> Reply {
        match self {
            Images::Vulkan(own) => {
                let handles = own.handles();
                let images = images.cast::<xr::SwapchainImageVulkanKHR>();
                images.fill_structures(capacity, count, handles.len(), |index, image| {
                    image.image = handles[index];
                })
            }
            #[cfg(target_os = "linux")]
            Images::OpenGl(own) => {
                let names = own.names();
                let images = images.cast::<xr::SwapchainImageOpenGLKHR>();
                images.fill_structures(capacity, count, names.len(), |index, image| {
                    image.image = names[index];
                })
            }
            #[cfg(windows)]
            Images::Direct3d11(own) => {
                let textures = own.textures();
                let images = images.cast::<xr::SwapchainImageD3D11KHR>();
                images.fill_structures(capacity, count, textures.len(), |index, image| {
                    image.texture = textures[index];
                })
            }
            #[cfg(windows)]
            Images::Direct3d12(own) => {
                let textures = own.textures();
                let images = images.cast::<xr::SwapchainImageD3D12KHR>();
                images.fill_structures(capacity, count, textures.len(), |index, image| {
                    image.texture = textures[index];
                })
            }
        }
    }

    /// Copies the part of an image that a layer shows into memory. `index` is the index of the image in the swapchain.
    /// Fails for a depth image.
    pub(crate) fn read(
        &self,
        index: u32,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, String> {
        match self {
            Images::Vulkan(images) => images.read(index, part),
            #[cfg(target_os = "linux")]
            Images::OpenGl(images) => images.read(index, part),
            #[cfg(windows)]
            Images::Direct3d11(images) => images.read(index, part),
            #[cfg(windows)]
            Images::Direct3d12(images) => images.read(index, part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphics_have_names() {
        let session = xr::StructureType::SESSION_CREATE_INFO;
        assert_eq!(name(&[session]), None);
        let kinds = [session, xr::StructureType::GRAPHICS_BINDING_D3D11_KHR];
        assert_eq!(name(&kinds), Some("Direct3D 11"));
    }
}
