//! Screenshots in Vulkan (`XR_KHR_vulkan_enable` and `XR_KHR_vulkan_enable2`).
//!
//! The application makes the Vulkan instance and the device; the runtime makes images with them. All functions of
//! Vulkan are unsafe: the handles of the application must be valid, as OpenXR demands.

use std::sync::Arc;

use ash::vk::{self, Handle as _};
use openxr_sys as xr;

use super::screenshot::{PixelLayout, Pixels, Screenshot};

/// The formats of images of colours, the preferred ones first. A device may not have all of them.
const COLOURS: [vk::Format; 9] = [
    vk::Format::R8G8B8A8_SRGB,
    vk::Format::B8G8R8A8_SRGB,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::A2B10G10R10_UNORM_PACK32,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R5G6B5_UNORM_PACK16,
];

/// The formats of images of depths, the preferred ones first.
const DEPTHS: [vk::Format; 3] = [
    vk::Format::D32_SFLOAT,
    vk::Format::D16_UNORM,
    vk::Format::X8_D24_UNORM_PACK32,
];

/// The formats of images of depths with a stencil, the preferred ones first.
const STENCILS: [vk::Format; 2] = [
    vk::Format::D24_UNORM_S8_UINT,
    vk::Format::D32_SFLOAT_S8_UINT,
];

/// Returns all formats of images.
fn all_formats() -> impl Iterator<Item = vk::Format> {
    COLOURS.into_iter().chain(DEPTHS).chain(STENCILS)
}

/// The graphics of a session.
pub(crate) struct Vulkan {
    shared: Arc<Shared>,
    formats: Vec<i64>,
}

/// The objects of Vulkan that images use until they are destroyed.
struct Shared {
    // The library stays loaded as long as its functions are used.
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
}

/// The images of a swapchain.
pub(crate) struct Images {
    shared: Arc<Shared>,
    images: Vec<(vk::Image, vk::DeviceMemory)>,
    handles: Vec<u64>,
    /// The images that have the layout of the application.
    are_ready: Vec<bool>,
    format: vk::Format,
}

/// Prints an error of Vulkan to standard error, and returns the error of OpenXR for it.
fn failed(error: vk::Result) -> xr::Result {
    eprintln!("inputanim: Vulkan failed: {error}");
    match error {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            xr::Result::ERROR_OUT_OF_MEMORY
        }
        _ => xr::Result::ERROR_RUNTIME_FAILURE,
    }
}

/// Prints an error of Vulkan to standard error, and returns `ERROR_RUNTIME_FAILURE`: for functions that must not report
/// a lack of memory.
pub(crate) fn unexpected(error: vk::Result) -> xr::Result {
    failed(error);
    xr::Result::ERROR_RUNTIME_FAILURE
}

/// Loads the Vulkan loader of the system. If this fails, prints the reason and returns `ERROR_RUNTIME_FAILURE`.
pub(crate) fn load() -> Result<ash::Entry, xr::Result> {
    // SAFETY: the library is the Vulkan loader of the system.
    unsafe { ash::Entry::load() }.map_err(|error| {
        eprintln!("inputanim: cannot load Vulkan: {error}");
        xr::Result::ERROR_RUNTIME_FAILURE
    })
}

/// Returns the arrangement of the pixels of a format of [`all_formats`]; `None` for a format of depths.
fn pixels(format: vk::Format) -> Option<Pixels> {
    let (layout, is_srgb) = match format {
        vk::Format::R8G8B8A8_SRGB => (PixelLayout::Rgba8, true),
        vk::Format::B8G8R8A8_SRGB => (PixelLayout::Bgra8, true),
        vk::Format::R8G8B8A8_UNORM => (PixelLayout::Rgba8, false),
        vk::Format::B8G8R8A8_UNORM => (PixelLayout::Bgra8, false),
        vk::Format::R16G16B16A16_SFLOAT => (PixelLayout::RgbaFloat16, false),
        vk::Format::R16G16B16A16_UNORM => (PixelLayout::Rgba16, false),
        vk::Format::A2B10G10R10_UNORM_PACK32 => (PixelLayout::Rgb10A2, false),
        vk::Format::B10G11R11_UFLOAT_PACK32 => (PixelLayout::Rg11B10Float, false),
        vk::Format::R5G6B5_UNORM_PACK16 => (PixelLayout::R5G6B5, false),
        _ => return None,
    };
    Some(Pixels { layout, is_srgb })
}

fn is_depth(format: vk::Format) -> bool {
    DEPTHS.contains(&format) || is_stencil(format)
}

fn is_stencil(format: vk::Format) -> bool {
    STENCILS.contains(&format)
}

impl Vulkan {
    /// Opens the Vulkan device and queue of an application. Fails if a handle is null, or there is no such queue.
    pub(crate) fn new(binding: &xr::GraphicsBindingVulkanKHR) -> Result<Vulkan, xr::Result> {
        if binding.instance.is_null()
            || binding.physical_device.is_null()
            || binding.device.is_null()
        {
            return Err(xr::Result::ERROR_GRAPHICS_DEVICE_INVALID);
        }
        let entry = load()?;
        // SAFETY: the application provides valid handles.
        unsafe {
            let instance = vk::Instance::from_raw(binding.instance as u64);
            let instance = ash::Instance::load(entry.static_fn(), instance);
            let physical = vk::PhysicalDevice::from_raw(binding.physical_device as u64);
            let device = vk::Device::from_raw(binding.device as u64);
            let device = ash::Device::load(instance.fp_v1_0(), device);
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = families.get(binding.queue_family_index as usize);
            if family.is_none_or(|family| binding.queue_index >= family.queue_count) {
                return Err(xr::Result::ERROR_GRAPHICS_DEVICE_INVALID);
            }
            let queue = device.get_device_queue(binding.queue_family_index, binding.queue_index);
            let info = vk::CommandPoolCreateInfo::default()
                .queue_family_index(binding.queue_family_index)
                .flags(vk::CommandPoolCreateFlags::TRANSIENT);
            let pool = device.create_command_pool(&info, None).map_err(failed)?;
            let has = |format: &vk::Format| {
                let found = instance.get_physical_device_format_properties(physical, *format);
                let needed = if is_depth(*format) {
                    vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT
                } else {
                    vk::FormatFeatureFlags::COLOR_ATTACHMENT
                };
                found.optimal_tiling_features.contains(needed)
            };
            let formats = all_formats().filter(has);
            let formats = formats.map(|format| i64::from(format.as_raw())).collect();
            Ok(Vulkan {
                shared: Arc::new(Shared {
                    _entry: entry,
                    instance,
                    physical,
                    device,
                    queue,
                    pool,
                }),
                formats,
            })
        }
    }

    /// Returns the formats of [`all_formats`] that the device supports, as numbers of Vulkan.
    pub(crate) fn formats(&self) -> Vec<i64> {
        self.formats.clone()
    }

    /// Creates `count` images of a swapchain.
    pub(crate) fn create(
        &self,
        info: &xr::SwapchainCreateInfo,
        count: u32,
    ) -> Result<Images, xr::Result> {
        let format = all_formats().find(|format| i64::from(format.as_raw()) == info.format);
        let mut images = Images {
            shared: Arc::clone(&self.shared),
            images: Vec::new(),
            handles: Vec::new(),
            are_ready: vec![false; count as usize],
            format: format.ok_or(xr::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED)?,
        };
        let (usage, flags) = usage(info.usage_flags, images.format)?;
        // SAFETY: the physical device is valid as long as the session.
        let limits = unsafe {
            self.shared
                .instance
                .get_physical_device_image_format_properties(
                    self.shared.physical,
                    images.format,
                    vk::ImageType::TYPE_2D,
                    vk::ImageTiling::OPTIMAL,
                    usage,
                    flags,
                )
        };
        let unsupported = xr::Result::ERROR_FEATURE_UNSUPPORTED;
        let limits = limits.map_err(|_| unsupported)?;
        let extent = limits.max_extent;
        if info.width > extent.width
            || info.height > extent.height
            || info.mip_count > limits.max_mip_levels
            || info.array_size > limits.max_array_layers
        {
            return Err(unsupported);
        }
        for _ in 0..count {
            images.add(info)?;
        }
        Ok(images)
    }
}

impl Shared {
    /// Allocates memory that `needs`, the requirements of an image or a buffer, allows, and that has the `wanted`
    /// properties.
    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, vk::Result> {
        // SAFETY: the device is valid as long as the session.
        unsafe {
            let found = self
                .instance
                .get_physical_device_memory_properties(self.physical);
            let index = (0..found.memory_type_count).find(|&index| {
                let flags = found.memory_types[index as usize].property_flags;
                needs.memory_type_bits & (1 << index) != 0 && flags.contains(wanted)
            });
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?);
            self.device.allocate_memory(&info, None)
        }
    }

    /// Calls `record` to record commands into a command buffer, submits the buffer, and waits until the commands are
    /// done.
    ///
    /// # Safety
    /// The commands must be valid.
    unsafe fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), vk::Result> {
        let device = &self.device;
        // SAFETY: the pool and the queue belong to the device. The caller of OpenXR does not use the queue meanwhile.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let buffers = device.allocate_command_buffers(&info)?;
            let result = (|| {
                let once = vk::CommandBufferBeginInfo::default()
                    .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
                device.begin_command_buffer(buffers[0], &once)?;
                record(buffers[0]);
                device.end_command_buffer(buffers[0])?;
                let submit = vk::SubmitInfo::default().command_buffers(&buffers);
                device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
                device.queue_wait_idle(self.queue)
            })();
            device.free_command_buffers(self.pool, &buffers);
            result
        }
    }

    /// Records a barrier that changes the layout of an image after all earlier commands.
    ///
    /// # Safety
    /// The image must belong to the device, and have the old layout.
    unsafe fn change_layout(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        aspect: vk::ImageAspectFlags,
        old: vk::ImageLayout,
        new: vk::ImageLayout,
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image)
            .old_layout(old)
            .new_layout(new)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: aspect,
                base_mip_level: 0,
                level_count: vk::REMAINING_MIP_LEVELS,
                base_array_layer: 0,
                layer_count: vk::REMAINING_ARRAY_LAYERS,
            });
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: as for the function.
        unsafe {
            self.device.cmd_pipeline_barrier(
                commands,
                all,
                all,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the application must destroy the session before its device.
        unsafe { self.device.destroy_command_pool(self.pool, None) };
    }
}

impl Images {
    /// Returns the Vulkan handle of each image for the application.
    pub(crate) fn handles(&self) -> &[u64] {
        &self.handles
    }

    /// Copies the part of an image that a layer shows into memory. `index` is the index of the image in the swapchain.
    /// Fails for a depth image.
    pub(crate) fn read(
        &self,
        index: u32,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, String> {
        let text = |error: vk::Result| error.to_string();
        let pixels = pixels(self.format).ok_or("an image of depths cannot be saved")?;
        let (image, _) = self.images[index as usize];
        let extent = part.image_rect.extent;
        let (width, height) = (extent.width.unsigned_abs(), extent.height.unsigned_abs());
        let size = u64::from(width) * u64::from(height) * pixels.size() as u64;
        let Shared { device, .. } = &*self.shared;
        // SAFETY: the image belongs to the device, and the part is inside of it.
        let bytes = unsafe {
            let info = vk::BufferCreateInfo::default()
                .size(size)
                .usage(vk::BufferUsageFlags::TRANSFER_DST);
            let buffer = device.create_buffer(&info, None).map_err(text)?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let host =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let read = self.shared.allocate(needs, host).and_then(|memory| {
                let copied = self.copy(image, part, buffer, memory, size);
                device.free_memory(memory, None);
                copied
            });
            device.destroy_buffer(buffer, None);
            read.map_err(text)?
        };
        Ok(Screenshot {
            width,
            height,
            bytes: pixels.to_rgba(&bytes),
        })
    }

    /// Copies the part of an image that a layer shows into `buffer`, whose memory is `memory`, and returns its `size`
    /// bytes.
    ///
    /// # Safety
    /// The handles must belong to the device, and the buffer must have the size of the part.
    unsafe fn copy(
        &self,
        image: vk::Image,
        part: &xr::SwapchainSubImage,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        size: u64,
    ) -> Result<Vec<u8>, vk::Result> {
        let Shared { device, .. } = &*self.shared;
        let xr::Rect2Di { offset, extent } = part.image_rect;
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .base_array_layer(part.image_array_index)
                    .layer_count(1),
            )
            .image_offset(vk::Offset3D {
                x: offset.x,
                y: offset.y,
                z: 0,
            })
            .image_extent(vk::Extent3D {
                width: extent.width.unsigned_abs(),
                height: extent.height.unsigned_abs(),
                depth: 1,
            });
        let (drawn, read) = (
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        );
        // SAFETY: as for the function.
        unsafe {
            device.bind_buffer_memory(buffer, memory, 0)?;
            self.shared.run(|commands| {
                self.shared.change_layout(
                    commands,
                    image,
                    vk::ImageAspectFlags::COLOR,
                    drawn,
                    read,
                );
                device.cmd_copy_image_to_buffer(commands, image, read, buffer, &[region]);
                let seen = vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(vk::AccessFlags::HOST_READ);
                let (copy, host) = (
                    vk::PipelineStageFlags::TRANSFER,
                    vk::PipelineStageFlags::HOST,
                );
                device.cmd_pipeline_barrier(
                    commands,
                    copy,
                    host,
                    vk::DependencyFlags::empty(),
                    &[seen],
                    &[],
                    &[],
                );
                self.shared.change_layout(
                    commands,
                    image,
                    vk::ImageAspectFlags::COLOR,
                    read,
                    drawn,
                );
            })?;
            let mapped = device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty())?;
            let bytes = std::slice::from_raw_parts(mapped.cast::<u8>(), size as usize).to_vec();
            device.unmap_memory(memory);
            Ok(bytes)
        }
    }

    fn add(&mut self, info: &xr::SwapchainCreateInfo) -> Result<(), xr::Result> {
        let shared = Arc::clone(&self.shared);
        let (usage, flags) = usage(info.usage_flags, self.format)?;
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(self.format)
            .extent(vk::Extent3D {
                width: info.width,
                height: info.height,
                depth: 1,
            })
            .mip_levels(info.mip_count)
            .array_layers(info.array_size)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is valid as long as the session. What is made is destroyed with the swapchain.
        unsafe {
            let image = shared.device.create_image(&create, None).map_err(failed)?;
            let needs = shared.device.get_image_memory_requirements(image);
            let memory = match shared.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL) {
                Ok(memory) => memory,
                Err(error) => {
                    shared.device.destroy_image(image, None);
                    return Err(failed(error));
                }
            };
            self.images.push((image, memory));
            self.handles.push(image.as_raw());
            shared
                .device
                .bind_image_memory(image, memory, 0)
                .map_err(failed)
        }
    }

    /// Prepares the image with this index for the application, which gets it in the layout in which it draws
    /// (XR_KHR_vulkan_enable2). The queue of the application may be used only while the application acquires, releases,
    /// begins or ends something.
    pub(crate) fn prepare(&mut self, index: u32) -> Result<(), xr::Result> {
        let index = index as usize;
        if std::mem::replace(&mut self.are_ready[index], true) {
            return Ok(());
        }
        let (aspect, layout) = if is_stencil(self.format) {
            (
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
                vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            )
        } else if is_depth(self.format) {
            (
                vk::ImageAspectFlags::DEPTH,
                vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            )
        } else {
            (
                vk::ImageAspectFlags::COLOR,
                vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            )
        };
        let shared = &self.shared;
        let (image, _) = self.images[index];
        // SAFETY: the image belongs to the device.
        unsafe {
            shared.run(|commands| {
                let old = vk::ImageLayout::UNDEFINED;
                shared.change_layout(commands, image, aspect, old, layout);
            })
        }
        .map_err(unexpected)
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        let device = &self.shared.device;
        // SAFETY: the images belong to the device.
        unsafe {
            // An application must have finished its work with the images. Some applications have not, and would crash in the
            // driver. A failure, such as a lost device, needs no wait.
            let _ = device.queue_wait_idle(self.shared.queue);
            for &(image, memory) in &self.images {
                device.destroy_image(image, None);
                device.free_memory(memory, None);
            }
        }
    }
}

/// Converts the uses of an image to those of Vulkan, and adds the uses that the runtime needs. Fails with
/// `ERROR_FEATURE_UNSUPPORTED` for a use that the format or the runtime does not support.
fn usage(
    flags: xr::SwapchainUsageFlags,
    format: vk::Format,
) -> Result<(vk::ImageUsageFlags, vk::ImageCreateFlags), xr::Result> {
    // The runtime changes the layout of every image, and reads images for files.
    let (mut usage, other) = if is_depth(format) {
        (
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            xr::SwapchainUsageFlags::COLOR_ATTACHMENT,
        )
    } else {
        (
            vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC,
            xr::SwapchainUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        )
    };
    // The use as an input attachment needs an extension that the runtime does not have.
    if flags.intersects(other | xr::SwapchainUsageFlags::INPUT_ATTACHMENT) {
        return Err(xr::Result::ERROR_FEATURE_UNSUPPORTED);
    }
    let pairs = [
        (
            xr::SwapchainUsageFlags::UNORDERED_ACCESS,
            vk::ImageUsageFlags::STORAGE,
        ),
        (
            xr::SwapchainUsageFlags::TRANSFER_SRC,
            vk::ImageUsageFlags::TRANSFER_SRC,
        ),
        (
            xr::SwapchainUsageFlags::TRANSFER_DST,
            vk::ImageUsageFlags::TRANSFER_DST,
        ),
        (
            xr::SwapchainUsageFlags::SAMPLED,
            vk::ImageUsageFlags::SAMPLED,
        ),
    ];
    for (of_openxr, of_vulkan) in pairs {
        if flags.contains(of_openxr) {
            usage |= of_vulkan;
        }
    }
    let create = if flags.contains(xr::SwapchainUsageFlags::MUTABLE_FORMAT) {
        vk::ImageCreateFlags::MUTABLE_FORMAT
    } else {
        vk::ImageCreateFlags::empty()
    };
    Ok((usage, create))
}
