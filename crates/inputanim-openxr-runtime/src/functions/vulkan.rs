//! Graphics with Vulkan (`XR_KHR_vulkan_enable` and `XR_KHR_vulkan_enable2`).

use std::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};
use openxr_sys as xr;
use openxr_sys::platform::{VkDevice, VkInstance, VkPhysicalDevice, VkResult};

use super::checks::check_system;
use crate::graphics::Api;
use crate::graphics::vulkan::{load, unexpected};
use crate::objects::state::State;
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Out, Reply, Set};

pub(crate) fn requirements(
    instance: xr::Instance,
    system: xr::SystemId,
    mut requirements: Out<xr::GraphicsRequirementsVulkanKHR>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(system)?;
    instance.requirements.insert(Api::Vulkan);
    requirements.min_api_version_supported = xr::Version::new(1, 0, 0);
    requirements.max_api_version_supported = xr::Version::new(1, 4, 0);
    DONE
}

/// Writes an empty string as the names of the required extensions of Vulkan, because the runtime requires none.
pub(crate) fn extensions(
    instance: xr::Instance,
    system: xr::SystemId,
    capacity: u32,
    count: Set<u32>,
    buffer: Buffer<c_char>,
) -> Reply {
    State::lock().instance(instance)?;
    check_system(system)?;
    buffer.fill_string(capacity, &count, "")
}

/// Returns the first physical device of a Vulkan instance. Fails if the instance is null or has no device.
fn first_device(instance: VkInstance) -> Result<VkPhysicalDevice, xr::Result> {
    if instance.is_null() {
        return Err(INVALID);
    }
    let entry = load()?;
    // SAFETY: the application provides a valid instance.
    let devices = unsafe {
        let instance = vk::Instance::from_raw(instance as u64);
        ash::Instance::load(entry.static_fn(), instance).enumerate_physical_devices()
    };
    let first = devices.map_err(unexpected)?.first().copied();
    let device = first.ok_or(xr::Result::ERROR_RUNTIME_FAILURE)?;
    Ok(device.as_raw() as VkPhysicalDevice)
}

pub(crate) fn device(
    instance: xr::Instance,
    system: xr::SystemId,
    vulkan: VkInstance,
    device: Set<VkPhysicalDevice>,
) -> Reply {
    State::lock().instance(instance)?;
    check_system(system)?;
    device.set(first_device(vulkan)?);
    DONE
}

pub(crate) fn device2(
    instance: xr::Instance,
    info: In<xr::VulkanGraphicsDeviceGetInfoKHR>,
    device: Set<VkPhysicalDevice>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(info.system_id)?;
    device.set(first_device(info.vulkan_instance)?);
    instance.vulkan_instance = info.vulkan_instance as u64;
    DONE
}

/// Returns the function of Vulkan with a name, which `get` finds. Fails if `get` is `None`, or if there is no such
/// function.
///
/// # Safety
/// `F` must be the type of the function, and the instance must be valid or null.
unsafe fn function<F>(
    get: Option<openxr_sys::platform::VkGetInstanceProcAddr>,
    instance: VkInstance,
    name: &CStr,
) -> Result<F, xr::Result> {
    let get = get.ok_or(INVALID)?;
    // SAFETY: as for the function. All functions have the same size.
    unsafe {
        let found = get(instance, name.as_ptr()).ok_or(xr::Result::ERROR_RUNTIME_FAILURE)?;
        Ok(std::mem::transmute_copy(&found))
    }
}

pub(crate) fn create_instance(
    instance: xr::Instance,
    info: In<xr::VulkanInstanceCreateInfoKHR>,
    vulkan: Set<VkInstance>,
    result: Set<VkResult>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(info.system_id)?;
    if info.vulkan_create_info.is_null() {
        return Err(INVALID);
    }
    let mut made = vk::Instance::null();
    // SAFETY: the application provides valid arguments for Vulkan.
    let code = unsafe {
        let create: vk::PFN_vkCreateInstance = function(
            info.pfn_get_instance_proc_addr,
            std::ptr::null(),
            c"vkCreateInstance",
        )?;
        create(
            info.vulkan_create_info.cast(),
            info.vulkan_allocator.cast(),
            &raw mut made,
        )
    };
    result.set(code.as_raw());
    vulkan.set(made.as_raw() as VkInstance);
    instance.vulkan_instance = made.as_raw();
    DONE
}

pub(crate) fn create_device(
    instance: xr::Instance,
    info: In<xr::VulkanDeviceCreateInfoKHR>,
    device: Set<VkDevice>,
    result: Set<VkResult>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_system(info.system_id)?;
    if info.vulkan_create_info.is_null() {
        return Err(INVALID);
    }
    // The function does not get the Vulkan instance, and an application must have asked for the physical device before.
    let vulkan = instance.vulkan_instance as VkInstance;
    if vulkan.is_null() {
        return Err(INVALID);
    }
    let mut made = vk::Device::null();
    // SAFETY: the application provides valid arguments for Vulkan.
    let code = unsafe {
        let create: vk::PFN_vkCreateDevice =
            function(info.pfn_get_instance_proc_addr, vulkan, c"vkCreateDevice")?;
        let physical = vk::PhysicalDevice::from_raw(info.vulkan_physical_device as u64);
        create(
            physical,
            info.vulkan_create_info.cast(),
            info.vulkan_allocator.cast(),
            &raw mut made,
        )
    };
    result.set(code.as_raw());
    device.set(made.as_raw() as VkDevice);
    DONE
}
