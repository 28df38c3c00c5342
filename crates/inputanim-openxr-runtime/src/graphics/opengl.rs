//! Screenshots in OpenGL with GLX (`XR_KHR_opengl_enable`).
//!
//! The application makes the context; the runtime makes textures in it. All functions of OpenGL are unsafe: the context must
//! be valid and not current in another thread, as OpenXR demands.

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::sync::Arc;

use glow::HasContext;
use libloading::Library;
use openxr_sys as xr;

use super::screenshot::{PixelLayout, Pixels, Screenshot};

/// The formats of images of colours, the preferred ones first. A driver may not have all of them.
///
/// The conformance test suite fails for a format that it does not know, such as `GL_RGB8`.
const COLOURS: [u32; 8] = [
    glow::SRGB8_ALPHA8,
    glow::SRGB8,
    glow::RGBA8,
    glow::RGBA16F,
    glow::RGB16F,
    glow::RGBA16,
    glow::RGB10_A2,
    glow::R11F_G11F_B10F,
];

/// The formats of images of depths, the preferred ones first.
const DEPTHS: [u32; 5] = [
    glow::DEPTH_COMPONENT32F,
    glow::DEPTH_COMPONENT24,
    glow::DEPTH_COMPONENT16,
    glow::DEPTH24_STENCIL8,
    glow::DEPTH32F_STENCIL8,
];

fn is_depth(format: u32) -> bool {
    DEPTHS.contains(&format)
}

type MakeCurrent = unsafe extern "C" fn(*mut c_void, c_ulong, *mut c_void) -> c_int;
type CurrentPointer = unsafe extern "C" fn() -> *mut c_void;
type CurrentDrawable = unsafe extern "C" fn() -> c_ulong;
type FindFunction = unsafe extern "C" fn(*const c_char) -> *const c_void;

/// The graphics of a session.
pub(crate) struct OpenGl {
    shared: Arc<Shared>,
    formats: Vec<i64>,
}

/// The context of the application, and the functions that work in it.
struct Shared {
    // The library stays loaded as long as its functions are used.
    _library: Library,
    make_current: MakeCurrent,
    current_display: CurrentPointer,
    current_drawable: CurrentDrawable,
    current_context: CurrentPointer,
    // Pointers of the application, as numbers, so that they can be used by any thread.
    display: usize,
    drawable: c_ulong,
    context: usize,
    gl: glow::Context,
}

/// The images of a swapchain.
pub(crate) struct Images {
    shared: Arc<Shared>,
    textures: Vec<glow::Texture>,
    names: Vec<u32>,
    format: u32,
    is_array: bool,
}

/// Removes the errors of OpenGL that the application has not read, so that the next error is one of the runtime.
///
/// # Safety
/// The context must be current.
unsafe fn forget_errors(gl: &glow::Context) {
    // A context that is lost may have errors without end.
    for _ in 0..100 {
        // SAFETY: as for the function.
        if unsafe { gl.get_error() } == glow::NO_ERROR {
            return;
        }
    }
}

fn failed(message: impl std::fmt::Display) -> xr::Result {
    eprintln!("inputanim: OpenGL failed: {message}");
    xr::Result::ERROR_RUNTIME_FAILURE
}

impl OpenGl {
    /// Loads the functions of OpenGL in the context of an application. Fails if a handle is null, or the functions
    /// cannot be loaded.
    pub(crate) fn new(binding: &xr::GraphicsBindingOpenGLXlibKHR) -> Result<OpenGl, xr::Result> {
        if binding.x_display.is_null() || binding.glx_context.is_null() {
            return Err(xr::Result::ERROR_GRAPHICS_DEVICE_INVALID);
        }
        // SAFETY: the library is GLX of the system, whose functions have these types.
        let shared = unsafe {
            let library = Library::new("libGLX.so.0").or_else(|_| Library::new("libGL.so.1"));
            let library = library.map_err(failed)?;
            let find: FindFunction = *library.get(b"glXGetProcAddressARB\0").map_err(failed)?;
            let mut shared = Shared {
                make_current: *library.get(b"glXMakeCurrent\0").map_err(failed)?,
                current_display: *library.get(b"glXGetCurrentDisplay\0").map_err(failed)?,
                current_drawable: *library.get(b"glXGetCurrentDrawable\0").map_err(failed)?,
                current_context: *library.get(b"glXGetCurrentContext\0").map_err(failed)?,
                _library: library,
                display: binding.x_display as usize,
                drawable: binding.glx_drawable,
                context: binding.glx_context as usize,
                // Functions are found again below, in the context.
                gl: glow::Context::from_loader_function_cstr(|name| find(name.as_ptr())),
            };
            let gl = shared.with_context(|_| {
                glow::Context::from_loader_function_cstr(|name| find(name.as_ptr()))
            })?;
            shared.gl = gl;
            shared
        };
        // SAFETY: the context is current.
        let formats = shared.with_context(|gl| unsafe {
            let all = COLOURS.into_iter().chain(DEPTHS);
            let offered = all.filter(|format| can_draw(gl, *format));
            offered.map(i64::from).collect()
        })?;
        Ok(OpenGl {
            shared: Arc::new(shared),
            formats,
        })
    }

    /// Returns the formats of images in which the driver can draw, as numbers of OpenGL.
    pub(crate) fn formats(&self) -> Vec<i64> {
        self.formats.clone()
    }

    /// Creates `count` images of a swapchain.
    pub(crate) fn create(
        &self,
        info: &xr::SwapchainCreateInfo,
        count: u32,
    ) -> Result<Images, xr::Result> {
        let mut images = Images {
            shared: Arc::clone(&self.shared),
            textures: Vec::new(),
            names: Vec::new(),
            format: u32::try_from(info.format)
                .map_err(|_| xr::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED)?,
            is_array: info.array_size > 1,
        };
        let size =
            [info.width, info.height, info.array_size, info.mip_count].map(|size| size as i32);
        // SAFETY: the context is current, and the sizes were checked.
        let made = self.shared.with_context(|gl| unsafe {
            (0..count)
                .map(|_| texture(gl, images.format, images.is_array, size))
                .collect()
        })?;
        let made: Vec<glow::Texture> = Result::<_, String>::map_err(made, failed)?;
        images.names = made.iter().map(|texture| texture.0.get()).collect();
        images.textures = made;
        Ok(images)
    }
}

/// Returns `true` if the driver can draw into textures of a format.
///
/// # Safety
/// The context must be current.
unsafe fn can_draw(gl: &glow::Context, format: u32) -> bool {
    let point = match format {
        glow::DEPTH24_STENCIL8 | glow::DEPTH32F_STENCIL8 => glow::DEPTH_STENCIL_ATTACHMENT,
        format if is_depth(format) => glow::DEPTH_ATTACHMENT,
        _ => glow::COLOR_ATTACHMENT0,
    };
    // SAFETY: as for the function.
    unsafe {
        let Ok(texture) = texture(gl, format, false, [4, 4, 1, 1]) else {
            return false;
        };
        let bound = gl.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING);
        let is_complete = gl.create_framebuffer().is_ok_and(|frame| {
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(frame));
            let target = glow::DRAW_FRAMEBUFFER;
            gl.framebuffer_texture_2d(target, point, glow::TEXTURE_2D, Some(texture), 0);
            let status = gl.check_framebuffer_status(target);
            gl.bind_framebuffer(target, bound);
            gl.delete_framebuffer(frame);
            // A frame buffer without colours may be incomplete only because of its buffers for drawing.
            status == glow::FRAMEBUFFER_COMPLETE
                || (is_depth(format) && status == glow::FRAMEBUFFER_INCOMPLETE_DRAW_BUFFER)
        });
        gl.delete_texture(texture);
        forget_errors(gl);
        is_complete
    }
}

/// Creates a texture. `size` is the width and height in pixels, and the numbers of layers and of mip levels.
///
/// # Safety
/// The context must be current.
unsafe fn texture(
    gl: &glow::Context,
    format: u32,
    is_array: bool,
    size: [i32; 4],
) -> Result<glow::Texture, String> {
    let [width, height, layers, levels] = size;
    let (target, binding) = if is_array {
        (glow::TEXTURE_2D_ARRAY, glow::TEXTURE_BINDING_2D_ARRAY)
    } else {
        (glow::TEXTURE_2D, glow::TEXTURE_BINDING_2D)
    };
    // SAFETY: as for the function.
    unsafe {
        forget_errors(gl);
        let bound = gl.get_parameter_texture(binding);
        let texture = gl.create_texture()?;
        gl.bind_texture(target, Some(texture));
        if is_array {
            gl.tex_storage_3d(target, levels, format, width, height, layers);
        } else {
            gl.tex_storage_2d(target, levels, format, width, height);
        }
        gl.bind_texture(target, bound);
        match gl.get_error() {
            glow::NO_ERROR => Ok(texture),
            error => {
                gl.delete_texture(texture);
                Err(format!("a texture has the error {error:#x}"))
            }
        }
    }
}

impl Shared {
    /// Calls `work` while the context of the application is current, makes the previous context current again, and
    /// returns the result of `work`.
    fn with_context<R>(&self, work: impl FnOnce(&glow::Context) -> R) -> Result<R, xr::Result> {
        // SAFETY: the application provides a valid context that is not current in another thread.
        unsafe {
            let before = (
                (self.current_display)(),
                (self.current_drawable)(),
                (self.current_context)(),
            );
            let display = self.display as *mut c_void;
            let is_current = before.2 as usize == self.context;
            if !is_current
                && (self.make_current)(display, self.drawable, self.context as *mut c_void) == 0
            {
                return Err(failed("the context cannot be made current"));
            }
            let result = work(&self.gl);
            if !is_current {
                let (display, drawable, context) = match before {
                    (old, ..) if old.is_null() => (display, 0, std::ptr::null_mut()),
                    before => before,
                };
                (self.make_current)(display, drawable, context);
            }
            Ok(result)
        }
    }
}

impl Images {
    /// Returns the names of the textures: the numbers by which the application draws into them.
    pub(crate) fn names(&self) -> &[u32] {
        &self.names
    }

    /// Copies the part of an image that a layer shows into memory. `index` is the index of the image in the swapchain.
    /// Fails for a depth image.
    pub(crate) fn read(
        &self,
        index: u32,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, String> {
        if is_depth(self.format) {
            return Err("an image of depths cannot be saved".to_owned());
        }
        let texture = self.textures[index as usize];
        let extent = part.image_rect.extent;
        let (width, height) = (extent.width.unsigned_abs(), extent.height.unsigned_abs());
        let mut bytes = vec![0; width as usize * height as usize * 4];
        // SAFETY: the texture belongs to the context, and the part is inside of it.
        let read = self
            .shared
            .with_context(|gl| unsafe { self.read_pixels(gl, texture, part, &mut bytes) });
        read.map_err(|error| format!("{error:?}"))??;
        // A frame buffer returns the numbers of sRGB unchanged, and all others are linear.
        let pixels = Pixels {
            layout: PixelLayout::Rgba8,
            is_srgb: [glow::SRGB8_ALPHA8, glow::SRGB8].contains(&self.format),
        };
        // The first row of OpenGL is at the bottom.
        let rows = bytes.chunks_exact(width as usize * 4).rev();
        Ok(Screenshot {
            width,
            height,
            bytes: rows.flat_map(|row| pixels.to_rgba(row)).collect(),
        })
    }

    /// Reads the part of a texture that a layer shows into `bytes`, as red, green, blue and alpha, and restores the
    /// state of the context.
    ///
    /// # Safety
    /// The context must be current, and `bytes` must have 4 bytes for each pixel of the part.
    unsafe fn read_pixels(
        &self,
        gl: &glow::Context,
        texture: glow::Texture,
        part: &xr::SwapchainSubImage,
        bytes: &mut [u8],
    ) -> Result<(), String> {
        let xr::Rect2Di { offset, extent } = part.image_rect;
        let layout = [
            glow::PACK_ALIGNMENT,
            glow::PACK_ROW_LENGTH,
            glow::PACK_SKIP_PIXELS,
            glow::PACK_SKIP_ROWS,
        ];
        let point = glow::COLOR_ATTACHMENT0;
        // SAFETY: as for the function.
        unsafe {
            let frame = gl.create_framebuffer()?;
            let bound = gl.get_parameter_framebuffer(glow::READ_FRAMEBUFFER_BINDING);
            let pack = gl.get_parameter_buffer(glow::PIXEL_PACK_BUFFER_BINDING);
            let before = layout.map(|name| gl.get_parameter_i32(name));
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(frame));
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            for (name, value) in layout.into_iter().zip([1, 0, 0, 0]) {
                gl.pixel_store_i32(name, value);
            }
            if self.is_array {
                let layer = part.image_array_index as i32;
                gl.framebuffer_texture_layer(
                    glow::READ_FRAMEBUFFER,
                    point,
                    Some(texture),
                    0,
                    layer,
                );
            } else {
                gl.framebuffer_texture_2d(
                    glow::READ_FRAMEBUFFER,
                    point,
                    glow::TEXTURE_2D,
                    Some(texture),
                    0,
                );
            }
            gl.read_buffer(point);
            gl.read_pixels(
                offset.x,
                offset.y,
                extent.width,
                extent.height,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelPackData::Slice(Some(bytes)),
            );
            let error = gl.get_error();
            for (name, value) in layout.into_iter().zip(before) {
                gl.pixel_store_i32(name, value);
            }
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, pack);
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, bound);
            gl.delete_framebuffer(frame);
            match error {
                glow::NO_ERROR => Ok(()),
                error => Err(format!("reading has the error {error:#x}")),
            }
        }
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        // SAFETY: the application must destroy the session before its context.
        let _ = self.shared.with_context(|gl| unsafe {
            for &texture in &self.textures {
                gl.delete_texture(texture);
            }
        });
    }
}
