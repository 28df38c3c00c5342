//! The frames of the application.

use std::error::Error;
use std::ffi::c_void;

use openxr as xr;
use serde_json::json;
use windows::Win32::Foundation::LUID;
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
};

pub(crate) const VIEWS: xr::ViewConfigurationType = xr::ViewConfigurationType::PRIMARY_STEREO;

/// The pixels to the left of the part of an image that the eyes see, and above it.
const MARGIN: [u32; 2] = [24, 8];

/// The colour of an image outside of the part that the eyes see.
pub(crate) const OUTSIDE: [u8; 3] = [255, 255, 255];

/// A part of an image in pixels: its left, upper, right and lower end.
pub(crate) type Area = [u32; 4];

/// A Direct3D device of the application.
pub(crate) trait Direct3d: Sized {
    type Graphics: xr::Graphics<
            Format = u32,
            SwapchainImage = *mut c_void,
            Requirements = xr::d3d::Requirements,
        >;

    /// Enables the extension of OpenXR for these graphics.
    fn enable(extensions: &mut xr::ExtensionSet);

    /// Creates a device on a graphics card.
    fn new(adapter: LUID) -> windows::core::Result<Self>;

    /// Returns the handles for a session.
    fn session_info(&self) -> <Self::Graphics as xr::Graphics>::SessionCreateInfo;

    /// Fills the layer of the left eye of an image with a colour, and a part of the layer of the right eye with another one.
    /// Waits until it is done.
    ///
    /// # Safety
    /// The image must be one of the session with two layers, and must be acquired.
    unsafe fn fill(
        &self,
        image: *mut c_void,
        colours: [[u8; 3]; 2],
        area: Area,
    ) -> windows::core::Result<()>;

    /// Fills both layers of an image of depths with the same depth. Waits until it is done.
    ///
    /// # Safety
    /// The image must be one of the session with two layers, and must be acquired.
    unsafe fn fill_depth(&self, image: *mut c_void) -> windows::core::Result<()>;

    /// Returns the format of an image, and whether shaders can read and write it.
    ///
    /// # Safety
    /// The image must be one of the session.
    unsafe fn describe(&self, image: *mut c_void) -> (u32, [bool; 2]);

    /// Calls `check` with bindings of a session that have a wrong device or queue, and with a description of each.
    fn with_wrong_bindings(
        &self,
        check: &mut dyn FnMut(*const c_void, &str),
    ) -> windows::core::Result<()>;
}

/// Returns a number of sRGB as a linear number.
pub(crate) fn linear(byte: u8) -> f32 {
    let part = f32::from(byte) / 255.0;
    if part <= 0.040_45 {
        part / 12.92
    } else {
        ((part + 0.055) / 1.055).powf(2.4)
    }
}

/// Returns the colours of the left and the right eye in a frame.
fn colours(frame: u32) -> [[u8; 3]; 2] {
    let step = frame as u8;
    [[step, 255 - step, 64], [10, step.wrapping_mul(3), 200]]
}

/// Creates an instance with the extension for the graphics, and finds the system.
pub(crate) fn instance<D: Direct3d>() -> Result<(xr::Instance, xr::SystemId), Box<dyn Error>> {
    // SAFETY: the library is the loader of OpenXR.
    let entry = unsafe { xr::Entry::load(&())? };
    let mut extensions = xr::ExtensionSet::default();
    D::enable(&mut extensions);
    let application = xr::ApplicationInfo {
        application_name: "direct3d",
        ..xr::ApplicationInfo::default()
    };
    let instance = entry.create_instance(&application, &extensions, &[], &())?;
    let system = instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY)?;
    Ok((instance, system))
}

/// Asks for the requirements of the graphics, and creates a device.
pub(crate) fn device<D: Direct3d>(
    instance: &xr::Instance,
    system: xr::SystemId,
) -> Result<D, Box<dyn Error>> {
    let needs = instance.graphics_requirements::<D::Graphics>(system)?;
    let xr::sys::platform::LUID { LowPart, HighPart } = needs.adapter_luid;
    Ok(D::new(LUID { LowPart, HighPart })?)
}

/// Returns the description of a swapchain with an image for each eye.
pub(crate) fn description<D: Direct3d>(
    format: u32,
    usage: xr::SwapchainUsageFlags,
    [width, height]: [u32; 2],
) -> xr::SwapchainCreateInfo<D::Graphics> {
    xr::SwapchainCreateInfo {
        create_flags: xr::SwapchainCreateFlags::EMPTY,
        usage_flags: usage,
        format,
        sample_count: 1,
        width,
        height,
        face_count: 1,
        array_size: 2,
        mip_count: 1,
    }
}

/// Plays until the runtime asks the application to exit.
pub(crate) fn run<D: Direct3d>() -> Result<(), Box<dyn Error>> {
    let (instance, system) = instance::<D>()?;
    let device: D = device(&instance, system)?;
    // SAFETY: the handles are valid until the program ends.
    let (session, mut waiter, mut stream) =
        unsafe { instance.create_session::<D::Graphics>(system, &device.session_info())? };
    let stage =
        session.create_reference_space(xr::ReferenceSpaceType::STAGE, xr::Posef::IDENTITY)?;
    let size = instance.enumerate_view_configuration_views(system, VIEWS)?[0];
    let size = [
        size.recommended_image_rect_width,
        size.recommended_image_rect_height,
    ];
    let area = [
        MARGIN[0],
        MARGIN[1],
        MARGIN[0] + size[0],
        MARGIN[1] + size[1],
    ];
    let whole = [area[2] + 5, area[3] + 3];
    // The format of the textures has no type, so that views can be linear or in sRGB.
    let mut colour = session.create_swapchain(&description::<D>(
        DXGI_FORMAT_R8G8B8A8_UNORM_SRGB.0 as u32,
        xr::SwapchainUsageFlags::COLOR_ATTACHMENT | xr::SwapchainUsageFlags::MUTABLE_FORMAT,
        whole,
    ))?;
    let mut depth = session.create_swapchain(&description::<D>(
        DXGI_FORMAT_D32_FLOAT.0 as u32,
        xr::SwapchainUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        whole,
    ))?;
    let images = colour.enumerate_images()?;
    let depths = depth.enumerate_images()?;
    let mut frames = 0;
    let mut storage = xr::EventDataBuffer::new();
    let (mut is_running, mut is_focused) = (false, false);
    loop {
        while let Some(event) = instance.poll_event(&mut storage)? {
            let xr::Event::SessionStateChanged(change) = event else {
                continue;
            };
            is_focused = change.state() == xr::SessionState::FOCUSED;
            match change.state() {
                xr::SessionState::READY => {
                    session.begin(VIEWS)?;
                    is_running = true;
                }
                xr::SessionState::STOPPING => {
                    session.end()?;
                    is_running = false;
                }
                xr::SessionState::EXITING => return Ok(()),
                _ => {}
            }
        }
        if !is_running {
            continue;
        }
        let time = waiter.wait()?.predicted_display_time;
        stream.begin()?;
        let colours = colours(frames);
        let index = colour.acquire_image()?;
        colour.wait_image(xr::Duration::INFINITE)?;
        // SAFETY: the image is acquired.
        unsafe { device.fill(images[index as usize], colours, area)? };
        colour.release_image()?;
        let index = depth.acquire_image()?;
        depth.wait_image(xr::Duration::INFINITE)?;
        // SAFETY: the image is acquired.
        unsafe { device.fill_depth(depths[index as usize])? };
        depth.release_image()?;
        let (_, eyes) = session.locate_views(VIEWS, time, &stage)?;
        let rectangle = xr::Rect2Di {
            offset: xr::Offset2Di {
                x: MARGIN[0] as i32,
                y: MARGIN[1] as i32,
            },
            extent: xr::Extent2Di {
                width: size[0] as i32,
                height: size[1] as i32,
            },
        };
        let views = [0, 1].map(|eye: usize| {
            let part = xr::SwapchainSubImage::new()
                .swapchain(&colour)
                .image_array_index(eye as u32)
                .image_rect(rectangle);
            xr::CompositionLayerProjectionView::new()
                .pose(eyes[eye].pose)
                .fov(eyes[eye].fov)
                .sub_image(part)
        });
        let layer = xr::CompositionLayerProjection::new();
        let layer = layer.space(&stage).views(&views);
        stream.end(time, xr::EnvironmentBlendMode::OPAQUE, &[&layer])?;
        // Playback begins with the first frame after the application knows that it has the input.
        if is_focused {
            let [left, right] = colours;
            println!("{}", json!([frames, left, right]));
            frames += 1;
        }
    }
}
