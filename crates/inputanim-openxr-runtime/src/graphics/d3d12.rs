//! Screenshots in Direct3D 12 (`XR_KHR_D3D12_enable`).
//!
//! The application makes the device and the queue; the runtime makes textures with them. All functions of Direct3D are unsafe: the
//! device and the queue must be valid.

use std::ffi::c_void;
use std::mem::{ManuallyDrop, transmute_copy};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use openxr_sys as xr;
use windows::Win32::Foundation::HANDLE;
use windows::Win32::Graphics::Direct3D12::{
    D3D12_BOX, D3D12_COMMAND_LIST_TYPE_DIRECT, D3D12_FEATURE_DATA_FORMAT_SUPPORT,
    D3D12_FEATURE_FORMAT_SUPPORT, D3D12_FENCE_FLAG_NONE, D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL,
    D3D12_FORMAT_SUPPORT1_RENDER_TARGET, D3D12_HEAP_FLAG_NONE, D3D12_HEAP_PROPERTIES,
    D3D12_HEAP_TYPE, D3D12_HEAP_TYPE_DEFAULT, D3D12_HEAP_TYPE_READBACK,
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RANGE, D3D12_RESOURCE_BARRIER,
    D3D12_RESOURCE_BARRIER_0, D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
    D3D12_RESOURCE_BARRIER_FLAG_NONE, D3D12_RESOURCE_BARRIER_TYPE_TRANSITION, D3D12_RESOURCE_DESC,
    D3D12_RESOURCE_DIMENSION_BUFFER, D3D12_RESOURCE_DIMENSION_TEXTURE2D,
    D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL, D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET,
    D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS, D3D12_RESOURCE_FLAG_NONE,
    D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_COPY_SOURCE,
    D3D12_RESOURCE_STATE_DEPTH_WRITE, D3D12_RESOURCE_STATE_RENDER_TARGET, D3D12_RESOURCE_STATES,
    D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_SUBRESOURCE_FOOTPRINT, D3D12_TEXTURE_COPY_LOCATION,
    D3D12_TEXTURE_COPY_LOCATION_0, D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
    D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX, D3D12_TEXTURE_DATA_PITCH_ALIGNMENT,
    D3D12_TEXTURE_LAYOUT_ROW_MAJOR, D3D12_TEXTURE_LAYOUT_UNKNOWN, ID3D12CommandAllocator,
    ID3D12CommandList, ID3D12CommandQueue, ID3D12Device, ID3D12Fence, ID3D12GraphicsCommandList,
    ID3D12Resource,
};
use windows::Win32::Graphics::Dxgi::Common::{DXGI_FORMAT_UNKNOWN, DXGI_SAMPLE_DESC};
use windows::core::{Error, Interface};

use super::dxgi::{self, Format, WRONG_DEVICE, check_adapter, failed, not_created};
use super::screenshot::{Pixels, Screenshot};

/// The graphics of a session.
pub(crate) struct Direct3d12 {
    shared: Arc<Shared>,
    formats: Vec<i64>,
}

/// The objects of Direct3D that images use until they are destroyed.
struct Shared {
    device: ID3D12Device,
    queue: ID3D12CommandQueue,
    /// Gets a new value when the queue has done all work until then.
    fence: ID3D12Fence,
    last_value: AtomicU64,
}

/// The images of a swapchain.
pub(crate) struct Images {
    shared: Arc<Shared>,
    textures: Vec<ID3D12Resource>,
    format: &'static Format,
    levels: u32,
}

impl Direct3d12 {
    /// Opens the device and the queue of an application. Fails if one of them is null or not on the graphics card of the
    /// requirements, or if the queue cannot draw.
    pub(crate) fn new(binding: &xr::GraphicsBindingD3D12KHR) -> Result<Direct3d12, xr::Result> {
        let (device, queue): (*mut c_void, *mut c_void) = (binding.device, binding.queue);
        // SAFETY: the application provides valid objects or null.
        unsafe {
            let device = ID3D12Device::from_raw_borrowed(&device).ok_or(WRONG_DEVICE)?;
            let queue = ID3D12CommandQueue::from_raw_borrowed(&queue).ok_or(WRONG_DEVICE)?;
            check_adapter(device.GetAdapterLuid())?;
            // The device of the queue is not compared with the device, because tools that wrap one of them would be refused.
            let mut owner: Option<ID3D12Device> = None;
            queue.GetDevice(&raw mut owner).map_err(failed)?;
            check_adapter(owner.ok_or(WRONG_DEVICE)?.GetAdapterLuid())?;
            if queue.GetDesc().Type != D3D12_COMMAND_LIST_TYPE_DIRECT {
                return Err(WRONG_DEVICE);
            }
            let formats = dxgi::formats(|format| {
                let mut found = D3D12_FEATURE_DATA_FORMAT_SUPPORT {
                    Format: format.typed,
                    ..D3D12_FEATURE_DATA_FORMAT_SUPPORT::default()
                };
                let checked = device.CheckFeatureSupport(
                    D3D12_FEATURE_FORMAT_SUPPORT,
                    (&raw mut found).cast(),
                    size_of_val(&found) as u32,
                );
                let needed = if format.pixels.is_some() {
                    D3D12_FORMAT_SUPPORT1_RENDER_TARGET
                } else {
                    D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL
                };
                checked.is_ok() && found.Support1.contains(needed)
            });
            let fence = device.CreateFence(0, D3D12_FENCE_FLAG_NONE);
            Ok(Direct3d12 {
                shared: Arc::new(Shared {
                    device: device.clone(),
                    queue: queue.clone(),
                    fence: fence.map_err(failed)?,
                    last_value: AtomicU64::new(0),
                }),
                formats,
            })
        }
    }

    /// Returns the formats in which the device can draw, as numbers of DXGI.
    pub(crate) fn formats(&self) -> Vec<i64> {
        self.formats.clone()
    }

    /// Creates `count` images of a swapchain, in the state in which an application gets them.
    pub(crate) fn create(
        &self,
        info: &xr::SwapchainCreateInfo,
        count: u32,
    ) -> Result<Images, xr::Result> {
        let format = Format::of(info)?;
        let (mut flags, state) = if format.pixels.is_some() {
            (
                D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET,
                D3D12_RESOURCE_STATE_RENDER_TARGET,
            )
        } else {
            (
                D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL,
                D3D12_RESOURCE_STATE_DEPTH_WRITE,
            )
        };
        if info
            .usage_flags
            .contains(xr::SwapchainUsageFlags::UNORDERED_ACCESS)
        {
            flags |= D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
        }
        let description = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION_TEXTURE2D,
            Alignment: 0,
            Width: u64::from(info.width),
            Height: info.height,
            DepthOrArraySize: info.array_size as u16,
            MipLevels: info.mip_count as u16,
            Format: format.typeless,
            SampleDesc: DXGI_SAMPLE_DESC {
                Count: 1,
                Quality: 0,
            },
            Layout: D3D12_TEXTURE_LAYOUT_UNKNOWN,
            Flags: flags,
        };
        let create = |_| {
            self.shared
                .create(D3D12_HEAP_TYPE_DEFAULT, &description, state)
        };
        let textures = (0..count).map(create).collect::<Result<_, _>>();
        Ok(Images {
            shared: Arc::clone(&self.shared),
            textures: textures.map_err(not_created)?,
            format,
            levels: info.mip_count,
        })
    }
}

impl Shared {
    /// Creates a texture or a buffer in a heap of its own, in the state `state`.
    fn create(
        &self,
        heap: D3D12_HEAP_TYPE,
        description: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<ID3D12Resource, Error> {
        let heap = D3D12_HEAP_PROPERTIES {
            Type: heap,
            ..D3D12_HEAP_PROPERTIES::default()
        };
        let mut made = None;
        // SAFETY: the device is valid as long as the session.
        unsafe {
            self.device.CreateCommittedResource(
                &raw const heap,
                D3D12_HEAP_FLAG_NONE,
                description,
                state,
                None,
                &raw mut made,
            )?;
        }
        made.ok_or_else(Error::empty)
    }

    /// Waits until the queue has done all work.
    fn wait(&self) -> Result<(), Error> {
        let value = self.last_value.fetch_add(1, Ordering::Relaxed) + 1;
        // SAFETY: the queue is valid as long as the session.
        unsafe {
            self.queue.Signal(&self.fence, value)?;
            // Without an event, the function returns when the fence has the value.
            self.fence.SetEventOnCompletion(value, HANDLE::default())
        }
    }

    /// Calls `record` to record commands, submits them to the queue, and waits until they are done.
    ///
    /// # Safety
    /// The commands must be valid.
    unsafe fn run(&self, record: impl FnOnce(&ID3D12GraphicsCommandList)) -> Result<(), Error> {
        // SAFETY: the device and the queue are valid as long as the session.
        unsafe {
            let allocator: ID3D12CommandAllocator = self
                .device
                .CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE_DIRECT)?;
            let list: ID3D12GraphicsCommandList = self.device.CreateCommandList(
                0,
                D3D12_COMMAND_LIST_TYPE_DIRECT,
                &allocator,
                None,
            )?;
            record(&list);
            list.Close()?;
            let lists = [Some(list.cast::<ID3D12CommandList>()?)];
            self.queue.ExecuteCommandLists(&lists);
            self.wait()
        }
    }
}

/// Returns a reference to a texture or buffer for a structure of Direct3D, without a change of its count of references.
fn lent(resource: &ID3D12Resource) -> ManuallyDrop<Option<ID3D12Resource>> {
    // SAFETY: both types are one pointer, and the result is never dropped.
    unsafe { transmute_copy(resource) }
}

/// Returns a barrier that changes the state of all parts of a texture.
fn transition(
    texture: &ID3D12Resource,
    before: D3D12_RESOURCE_STATES,
    after: D3D12_RESOURCE_STATES,
) -> D3D12_RESOURCE_BARRIER {
    D3D12_RESOURCE_BARRIER {
        Type: D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
        Flags: D3D12_RESOURCE_BARRIER_FLAG_NONE,
        Anonymous: D3D12_RESOURCE_BARRIER_0 {
            Transition: ManuallyDrop::new(D3D12_RESOURCE_TRANSITION_BARRIER {
                pResource: lent(texture),
                Subresource: D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
                StateBefore: before,
                StateAfter: after,
            }),
        },
    }
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

    /// Copies the part of a texture that a layer shows to a buffer that the processor can read, and reads it.
    ///
    /// # Safety
    /// The texture must belong to the device and have the state of an image that the application has released. The part must
    /// be inside of it.
    unsafe fn copy(
        &self,
        texture: &ID3D12Resource,
        pixels: Pixels,
        part: &xr::SwapchainSubImage,
    ) -> Result<Screenshot, Error> {
        let xr::Rect2Di { offset, extent } = part.image_rect;
        let size = [extent.width, extent.height].map(i32::unsigned_abs);
        let [left, top] = [offset.x, offset.y].map(i32::unsigned_abs);
        let row_size = size[0] * pixels.size() as u32;
        let pitch = row_size.next_multiple_of(D3D12_TEXTURE_DATA_PITCH_ALIGNMENT);
        let length = u64::from(pitch) * u64::from(size[1]);
        let buffer = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION_BUFFER,
            Alignment: 0,
            Width: length,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT_UNKNOWN,
            SampleDesc: DXGI_SAMPLE_DESC {
                Count: 1,
                Quality: 0,
            },
            Layout: D3D12_TEXTURE_LAYOUT_ROW_MAJOR,
            Flags: D3D12_RESOURCE_FLAG_NONE,
        };
        let buffer = self.shared.create(
            D3D12_HEAP_TYPE_READBACK,
            &buffer,
            D3D12_RESOURCE_STATE_COPY_DEST,
        )?;
        let from = D3D12_TEXTURE_COPY_LOCATION {
            pResource: lent(texture),
            Type: D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX,
            Anonymous: D3D12_TEXTURE_COPY_LOCATION_0 {
                // The largest mip level of the layer.
                SubresourceIndex: part.image_array_index * self.levels,
            },
        };
        let to = D3D12_TEXTURE_COPY_LOCATION {
            pResource: lent(&buffer),
            Type: D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
            Anonymous: D3D12_TEXTURE_COPY_LOCATION_0 {
                PlacedFootprint: D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
                    Offset: 0,
                    Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
                        Format: self.format.typed,
                        Width: size[0],
                        Height: size[1],
                        Depth: 1,
                        RowPitch: pitch,
                    },
                },
            },
        };
        let area = D3D12_BOX {
            left,
            top,
            front: 0,
            right: left + size[0],
            bottom: top + size[1],
            back: 1,
        };
        let (drawn, read) = (
            D3D12_RESOURCE_STATE_RENDER_TARGET,
            D3D12_RESOURCE_STATE_COPY_SOURCE,
        );
        let range = D3D12_RANGE {
            Begin: 0,
            End: length as usize,
        };
        let mut mapped = std::ptr::null_mut();
        // SAFETY: as for the function. The rows are in memory until the buffer is unmapped.
        unsafe {
            self.shared.run(|list| {
                list.ResourceBarrier(&[transition(texture, drawn, read)]);
                let area = Some(&raw const area);
                list.CopyTextureRegion(&raw const to, 0, 0, 0, &raw const from, area);
                list.ResourceBarrier(&[transition(texture, read, drawn)]);
            })?;
            buffer.Map(0, Some(&raw const range), Some(&raw mut mapped))?;
            let bytes = std::slice::from_raw_parts(mapped.cast::<u8>(), length as usize);
            let screenshot = dxgi::screenshot(pixels, size, bytes, pitch as usize);
            buffer.Unmap(0, Some(&D3D12_RANGE::default()));
            Ok(screenshot)
        }
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        // An application must have finished its work with the images. Some applications have not, and would crash in the
        // driver. A failure, such as a removed device, needs no wait.
        let _ = self.shared.wait();
    }
}
