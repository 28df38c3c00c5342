//! The application with Direct3D 12.

use std::cell::Cell;
use std::ffi::c_void;

use openxr as xr;
use openxr::sys;
use windows::Win32::Foundation::{HANDLE, LUID, RECT};
use windows::Win32::Graphics::Direct3D::D3D_FEATURE_LEVEL_11_0;
use windows::Win32::Graphics::Direct3D12::{
    D3D12_CLEAR_FLAG_DEPTH, D3D12_COMMAND_LIST_TYPE, D3D12_COMMAND_LIST_TYPE_COMPUTE,
    D3D12_COMMAND_LIST_TYPE_COPY, D3D12_COMMAND_LIST_TYPE_DIRECT, D3D12_COMMAND_QUEUE_DESC,
    D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DEPTH_STENCIL_VIEW_DESC_0, D3D12_DESCRIPTOR_HEAP_DESC,
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DESCRIPTOR_HEAP_TYPE_DSV, D3D12_DESCRIPTOR_HEAP_TYPE_RTV,
    D3D12_DSV_DIMENSION_TEXTURE2DARRAY, D3D12_FENCE_FLAG_NONE, D3D12_RENDER_TARGET_VIEW_DESC,
    D3D12_RENDER_TARGET_VIEW_DESC_0, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
    D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE, D3D12_RTV_DIMENSION_TEXTURE2DARRAY,
    D3D12_TEX2D_ARRAY_DSV, D3D12_TEX2D_ARRAY_RTV, D3D12CreateDevice, ID3D12CommandAllocator,
    ID3D12CommandList, ID3D12CommandQueue, ID3D12DescriptorHeap, ID3D12Device, ID3D12Fence,
    ID3D12GraphicsCommandList, ID3D12Resource,
};
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT, DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
};
use windows::Win32::Graphics::Dxgi::{CreateDXGIFactory1, IDXGIAdapter, IDXGIFactory4};
use windows::core::{Error, Interface, Result};

use super::play::{Area, Direct3d, OUTSIDE, linear};

pub(crate) struct Direct3d12 {
    device: ID3D12Device,
    queue: ID3D12CommandQueue,
    fence: ID3D12Fence,
    last_value: Cell<u64>,
    /// Views of the two layers of an image.
    views: ID3D12DescriptorHeap,
    /// A view of an image of depths.
    depth_view: ID3D12DescriptorHeap,
}

fn create(adapter: &IDXGIAdapter) -> Result<ID3D12Device> {
    let mut device = None;
    // SAFETY: the pointers are valid.
    unsafe { D3D12CreateDevice(adapter, D3D_FEATURE_LEVEL_11_0, &raw mut device)? };
    device.ok_or_else(Error::empty)
}

fn create_queue(
    device: &ID3D12Device,
    kind: D3D12_COMMAND_LIST_TYPE,
) -> Result<ID3D12CommandQueue> {
    let description = D3D12_COMMAND_QUEUE_DESC {
        Type: kind,
        ..D3D12_COMMAND_QUEUE_DESC::default()
    };
    // SAFETY: the pointers are valid.
    unsafe { device.CreateCommandQueue(&raw const description) }
}

fn create_heap(
    device: &ID3D12Device,
    kind: D3D12_DESCRIPTOR_HEAP_TYPE,
    count: u32,
) -> Result<ID3D12DescriptorHeap> {
    let description = D3D12_DESCRIPTOR_HEAP_DESC {
        Type: kind,
        NumDescriptors: count,
        ..D3D12_DESCRIPTOR_HEAP_DESC::default()
    };
    // SAFETY: the pointers are valid.
    unsafe { device.CreateDescriptorHeap(&raw const description) }
}

/// Returns a texture of a swapchain.
///
/// # Safety
/// The image must be one of the session.
unsafe fn texture<'a>(image: &'a *mut c_void) -> Result<&'a ID3D12Resource> {
    // SAFETY: as for the function.
    unsafe { ID3D12Resource::from_raw_borrowed(image) }.ok_or_else(Error::empty)
}

impl Direct3d12 {
    /// Calls `record` to record commands, submits them, and waits until they are done.
    ///
    /// # Safety
    /// The commands must be valid.
    unsafe fn run(&self, record: impl FnOnce(&ID3D12GraphicsCommandList)) -> Result<()> {
        let value = self.last_value.get() + 1;
        self.last_value.set(value);
        // SAFETY: the objects belong to the device.
        unsafe {
            let kind = D3D12_COMMAND_LIST_TYPE_DIRECT;
            let allocator: ID3D12CommandAllocator = self.device.CreateCommandAllocator(kind)?;
            let list: ID3D12GraphicsCommandList =
                self.device.CreateCommandList(0, kind, &allocator, None)?;
            record(&list);
            list.Close()?;
            self.queue
                .ExecuteCommandLists(&[Some(list.cast::<ID3D12CommandList>()?)]);
            self.queue.Signal(&self.fence, value)?;
            self.fence.SetEventOnCompletion(value, HANDLE::default())
        }
    }
}

impl Direct3d for Direct3d12 {
    type Graphics = xr::D3D12;

    fn enable(extensions: &mut xr::ExtensionSet) {
        extensions.khr_d3d12_enable = true;
    }

    fn new(adapter: LUID) -> Result<Direct3d12> {
        // SAFETY: the functions have no other arguments.
        let adapter: IDXGIAdapter = unsafe {
            let factory: IDXGIFactory4 = CreateDXGIFactory1()?;
            factory.EnumAdapterByLuid(adapter)?
        };
        let device = create(&adapter)?;
        Ok(Direct3d12 {
            queue: create_queue(&device, D3D12_COMMAND_LIST_TYPE_DIRECT)?,
            // SAFETY: the device is valid.
            fence: unsafe { device.CreateFence(0, D3D12_FENCE_FLAG_NONE)? },
            last_value: Cell::new(0),
            views: create_heap(&device, D3D12_DESCRIPTOR_HEAP_TYPE_RTV, 2)?,
            depth_view: create_heap(&device, D3D12_DESCRIPTOR_HEAP_TYPE_DSV, 1)?,
            device,
        })
    }

    fn session_info(&self) -> xr::d3d::SessionCreateInfoD3D12 {
        xr::d3d::SessionCreateInfoD3D12 {
            device: self.device.as_raw(),
            queue: self.queue.as_raw(),
        }
    }

    unsafe fn fill(
        &self,
        image: *mut c_void,
        [left, right]: [[u8; 3]; 2],
        area: Area,
    ) -> Result<()> {
        let colour = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        let part = |colour: [u8; 3]| colour.map(|byte| f32::from(byte) / 255.0);
        let [start, top, end, bottom] = area.map(|end| end as i32);
        let area = RECT {
            left: start,
            top,
            right: end,
            bottom,
        };
        let view = |format: DXGI_FORMAT, layer: u32| D3D12_RENDER_TARGET_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_RTV_DIMENSION_TEXTURE2DARRAY,
            Anonymous: D3D12_RENDER_TARGET_VIEW_DESC_0 {
                Texture2DArray: D3D12_TEX2D_ARRAY_RTV {
                    FirstArraySlice: layer,
                    ArraySize: 1,
                    ..D3D12_TEX2D_ARRAY_RTV::default()
                },
            },
        };
        let [srgb, linear_view] = [
            view(DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, 0),
            view(DXGI_FORMAT_R8G8B8A8_UNORM, 1),
        ];
        // SAFETY: as for the function. An image is a render target while it is acquired.
        unsafe {
            let texture = texture(&image)?;
            let first = self.views.GetCPUDescriptorHandleForHeapStart();
            let mut second = first;
            let step = self
                .device
                .GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_RTV);
            second.ptr += step as usize;
            self.device
                .CreateRenderTargetView(texture, Some(&raw const srgb), first);
            self.device
                .CreateRenderTargetView(texture, Some(&raw const linear_view), second);
            self.run(|list| {
                list.ClearRenderTargetView(first, &colour(left.map(linear)), None);
                list.ClearRenderTargetView(second, &colour(part(OUTSIDE)), None);
                list.ClearRenderTargetView(second, &colour(part(right)), Some(&[area]));
            })
        }
    }

    unsafe fn fill_depth(&self, image: *mut c_void) -> Result<()> {
        let description = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: DXGI_FORMAT_D32_FLOAT,
            ViewDimension: D3D12_DSV_DIMENSION_TEXTURE2DARRAY,
            Anonymous: D3D12_DEPTH_STENCIL_VIEW_DESC_0 {
                Texture2DArray: D3D12_TEX2D_ARRAY_DSV {
                    MipSlice: 0,
                    FirstArraySlice: 0,
                    ArraySize: 2,
                },
            },
            ..D3D12_DEPTH_STENCIL_VIEW_DESC::default()
        };
        // SAFETY: as for the function. An image of depths can be written while it is acquired.
        unsafe {
            let view = self.depth_view.GetCPUDescriptorHandleForHeapStart();
            let description = Some(&raw const description);
            self.device
                .CreateDepthStencilView(texture(&image)?, description, view);
            self.run(|list| list.ClearDepthStencilView(view, D3D12_CLEAR_FLAG_DEPTH, 0.5, 0, None))
        }
    }

    unsafe fn describe(&self, image: *mut c_void) -> (u32, [bool; 2]) {
        // SAFETY: as for the function.
        let Ok(texture) = (unsafe { texture(&image) }) else {
            return (0, [false; 2]);
        };
        // SAFETY: as for the function.
        let found = unsafe { texture.GetDesc() };
        let has = |flag| found.Flags & flag == flag;
        let uses = [
            !has(D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE),
            has(D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS),
        ];
        (found.Format.0 as u32, uses)
    }

    fn with_wrong_bindings(&self, check: &mut dyn FnMut(*const c_void, &str)) -> Result<()> {
        let copies = create_queue(&self.device, D3D12_COMMAND_LIST_TYPE_COPY)?;
        let computes = create_queue(&self.device, D3D12_COMMAND_LIST_TYPE_COMPUTE)?;
        let (device, none) = (self.device.as_raw(), std::ptr::null_mut());
        for (device, queue, name) in [
            (none, self.queue.as_raw(), "a device that is null"),
            (device, none, "a queue that is null"),
            (device, copies.as_raw(), "a queue for copies"),
            (device, computes.as_raw(), "a queue that cannot draw"),
        ] {
            let binding = sys::GraphicsBindingD3D12KHR {
                ty: sys::GraphicsBindingD3D12KHR::TYPE,
                next: std::ptr::null(),
                device,
                queue,
            };
            check((&raw const binding).cast(), name);
        }
        Ok(())
    }
}
