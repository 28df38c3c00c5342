//! Calls that the specification forbids, and random calls.

use std::error::Error;
use std::ffi::c_void;
use std::mem::zeroed;
use std::ptr::{null, null_mut};

use openxr as xr;
use openxr::sys::{self, Handle};
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT_B8G8R8A8_TYPELESS, DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB,
    DXGI_FORMAT_BC1_UNORM, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_D24_UNORM_S8_UINT,
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_D32_FLOAT_S8X24_UINT, DXGI_FORMAT_R8G8B8A8_TYPELESS,
    DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R10G10B10A2_TYPELESS,
    DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_R16G16B16A16_FLOAT,
    DXGI_FORMAT_R16G16B16A16_TYPELESS, DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_R32_TYPELESS,
    DXGI_FORMAT_R32G8X24_TYPELESS,
};

use super::play::{Direct3d, VIEWS, device, instance};

const OK: sys::Result = sys::Result::SUCCESS;
const INVALID: sys::Result = sys::Result::ERROR_VALIDATION_FAILURE;
const UNSUPPORTED: sys::Result = sys::Result::ERROR_FEATURE_UNSUPPORTED;
const NO_FORMAT: sys::Result = sys::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED;
const WRONG_DEVICE: sys::Result = sys::Result::ERROR_GRAPHICS_DEVICE_INVALID;
const NOT_ASKED: sys::Result = sys::Result::ERROR_GRAPHICS_REQUIREMENTS_CALL_MISSING;

/// The number of random calls.
const CALLS: u32 = 3000;

/// The formats of colours with the formats without a type of their families.
const COLOURS: [(i32, i32); 6] = [
    (
        DXGI_FORMAT_R8G8B8A8_UNORM_SRGB.0,
        DXGI_FORMAT_R8G8B8A8_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_B8G8R8A8_UNORM_SRGB.0,
        DXGI_FORMAT_B8G8R8A8_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_R8G8B8A8_UNORM.0,
        DXGI_FORMAT_R8G8B8A8_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_B8G8R8A8_UNORM.0,
        DXGI_FORMAT_B8G8R8A8_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_R16G16B16A16_FLOAT.0,
        DXGI_FORMAT_R16G16B16A16_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_R10G10B10A2_UNORM.0,
        DXGI_FORMAT_R10G10B10A2_TYPELESS.0,
    ),
];

/// The same for formats of depths.
const DEPTHS: [(i32, i32); 4] = [
    (DXGI_FORMAT_D32_FLOAT.0, DXGI_FORMAT_R32_TYPELESS.0),
    (DXGI_FORMAT_D16_UNORM.0, DXGI_FORMAT_R16_TYPELESS.0),
    (
        DXGI_FORMAT_D24_UNORM_S8_UINT.0,
        DXGI_FORMAT_R24G8_TYPELESS.0,
    ),
    (
        DXGI_FORMAT_D32_FLOAT_S8X24_UINT.0,
        DXGI_FORMAT_R32G8X24_TYPELESS.0,
    ),
];

/// Returns a structure with its type. All other fields are zero.
macro_rules! of {
    ($ty:ident) => {{
        // SAFETY: the structure has only numbers and pointers, for which zero is valid.
        let mut value: sys::$ty = unsafe { zeroed() };
        value.ty = sys::$ty::TYPE;
        value
    }};
}

/// The results that differ from the expected ones.
#[derive(Default)]
struct Check {
    count: u32,
    failures: u32,
}

impl Check {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, found: T, wanted: T, what: &str) {
        self.count += 1;
        if found != wanted {
            self.failures += 1;
            println!("{what}: {found:?} instead of {wanted:?}");
        }
    }
}

/// Creates a session with the binding `next`, and destroys it.
fn create_session(
    instance: &xr::Instance,
    system: xr::SystemId,
    next: *const c_void,
) -> sys::Result {
    let mut info = of!(SessionCreateInfo);
    info.next = next;
    info.system_id = system;
    let mut made = sys::Session::NULL;
    // SAFETY: the pointers are valid, and a session is destroyed before its device.
    unsafe {
        let result =
            (instance.fp().create_session)(instance.as_raw(), &raw const info, &raw mut made);
        if result == OK {
            (instance.fp().destroy_session)(made);
        }
        result
    }
}

/// Checks the calls before the application has a session.
fn before_a_session<D: Direct3d>(
    check: &mut Check,
    instance: &xr::Instance,
    system: xr::SystemId,
) -> Result<D, Box<dyn Error>> {
    let eleven = of!(GraphicsBindingD3D11KHR);
    let twelve = of!(GraphicsBindingD3D12KHR);
    let vulkan = of!(GraphicsBindingVulkanKHR);
    let eleven: *const c_void = (&raw const eleven).cast();
    let twelve: *const c_void = (&raw const twelve).cast();
    let vulkan: *const c_void = (&raw const vulkan).cast();
    let (own, other) = match instance.exts().khr_d3d11_enable {
        Some(_) => (eleven, twelve),
        None => (twelve, eleven),
    };
    let create = |next| create_session(instance, system, next);
    check.equal(create(own), NOT_ASKED, "a session without requirements");
    check.equal(create(null()), WRONG_DEVICE, "a session without graphics");
    for (next, what) in [
        (other, "a session with the other Direct3D"),
        (vulkan, "a session with Vulkan"),
    ] {
        check.equal(create(next), WRONG_DEVICE, what);
    }
    let extensions = instance.exts();
    let [own_type, other_type] = if extensions.khr_d3d11_enable.is_some() {
        [
            sys::GraphicsRequirementsD3D11KHR::TYPE,
            sys::GraphicsRequirementsD3D12KHR::TYPE,
        ]
    } else {
        [
            sys::GraphicsRequirementsD3D12KHR::TYPE,
            sys::GraphicsRequirementsD3D11KHR::TYPE,
        ]
    };
    // The structures of both versions of Direct3D have the same fields.
    let ask = |system, found: *mut sys::GraphicsRequirementsD3D11KHR| {
        let handle = instance.as_raw();
        // SAFETY: the pointer is valid or null.
        unsafe {
            match (extensions.khr_d3d11_enable, extensions.khr_d3d12_enable) {
                (Some(functions), _) => {
                    (functions.get_d3d11_graphics_requirements)(handle, system, found)
                }
                (_, Some(functions)) => {
                    (functions.get_d3d12_graphics_requirements)(handle, system, found.cast())
                }
                _ => sys::Result::ERROR_FUNCTION_UNSUPPORTED,
            }
        }
    };
    let mut found = of!(GraphicsRequirementsD3D11KHR);
    found.ty = own_type;
    let result = ask(xr::SystemId::from_raw(77), &raw mut found);
    check.equal(result, sys::Result::ERROR_SYSTEM_INVALID, "a wrong system");
    check.equal(ask(system, null_mut()), INVALID, "no requirements");
    found.ty = other_type;
    let result = ask(system, &raw mut found);
    check.equal(result, INVALID, "requirements of a wrong type");
    // None of these calls counts as the call for the requirements.
    check.equal(create(own), NOT_ASKED, "a session without requirements");
    let device: D = device(instance, system)?;
    check.equal(create(own), WRONG_DEVICE, "a session with null handles");
    device.with_wrong_bindings(&mut |next, what| {
        check.equal(create(next), WRONG_DEVICE, what);
    })?;
    Ok(device)
}

/// A session, and its functions.
struct Caller<'a, D: Direct3d> {
    instance: &'a xr::Instance,
    session: sys::Session,
    device: &'a D,
}

impl<D: Direct3d> Caller<'_, D> {
    fn create(&self, info: &sys::SwapchainCreateInfo) -> (sys::Result, sys::Swapchain) {
        let mut made = sys::Swapchain::NULL;
        // SAFETY: the pointers are valid.
        let result =
            unsafe { (self.instance.fp().create_swapchain)(self.session, info, &raw mut made) };
        (result, made)
    }

    fn destroy(&self, swapchain: sys::Swapchain) -> sys::Result {
        // SAFETY: the runtime checks handles.
        unsafe { (self.instance.fp().destroy_swapchain)(swapchain) }
    }

    fn acquire(&self, swapchain: sys::Swapchain) -> (sys::Result, u32) {
        let mut index = 77;
        let function = self.instance.fp().acquire_swapchain_image;
        // SAFETY: the pointers are valid or null.
        (
            unsafe { function(swapchain, null(), &raw mut index) },
            index,
        )
    }

    fn wait(&self, swapchain: sys::Swapchain) -> sys::Result {
        let mut info = of!(SwapchainImageWaitInfo);
        info.timeout = xr::Duration::INFINITE;
        // SAFETY: the pointers are valid.
        unsafe { (self.instance.fp().wait_swapchain_image)(swapchain, &raw const info) }
    }

    fn release(&self, swapchain: sys::Swapchain) -> sys::Result {
        // SAFETY: the pointers are valid or null.
        unsafe { (self.instance.fp().release_swapchain_image)(swapchain, null()) }
    }

    /// Returns the images of a swapchain. `ty` is the type of their structures.
    fn images(
        &self,
        swapchain: sys::Swapchain,
        ty: sys::StructureType,
        capacity: u32,
    ) -> (sys::Result, u32, Vec<*mut c_void>) {
        // The structures of both versions of Direct3D have the same fields.
        let mut image = of!(SwapchainImageD3D11KHR);
        image.ty = ty;
        let mut images = vec![image; capacity as usize];
        let mut count = 77;
        let function = self.instance.fp().enumerate_swapchain_images;
        // SAFETY: there is memory for this number of structures.
        let result = unsafe {
            function(
                swapchain,
                capacity,
                &raw mut count,
                images.as_mut_ptr().cast(),
            )
        };
        (
            result,
            count,
            images.iter().map(|one| one.texture).collect(),
        )
    }

    fn formats(&self) -> Vec<i64> {
        let mut formats = vec![0; 100];
        let mut count = 0;
        let function = self.instance.fp().enumerate_swapchain_formats;
        // SAFETY: there is memory for this number of formats.
        unsafe { function(self.session, 100, &raw mut count, formats.as_mut_ptr()) };
        formats.truncate(count as usize);
        formats
    }

    /// Returns the type of the structures of images.
    fn image_type(&self) -> sys::StructureType {
        match self.instance.exts().khr_d3d11_enable {
            Some(_) => sys::SwapchainImageD3D11KHR::TYPE,
            None => sys::SwapchainImageD3D12KHR::TYPE,
        }
    }

    /// Checks the swapchains of all formats and uses.
    fn every_format(&self, check: &mut Check) {
        let formats = self.formats();
        let all: Vec<(i32, i32)> = [&COLOURS[..], &DEPTHS].concat();
        // Drivers may lack only some of the formats of depths.
        let known: Vec<i64> = all.iter().map(|&(typed, _)| i64::from(typed)).collect();
        let is_known = formats.iter().all(|format| known.contains(format));
        check.equal(is_known, true, "all formats have a type");
        check.equal(formats[..6] == known[..6], true, "formats of colours");
        check.equal(formats.contains(&known[6]), true, "a format of depths");
        println!("formats: {formats:?}");
        let flags = [
            xr::SwapchainUsageFlags::EMPTY,
            xr::SwapchainUsageFlags::SAMPLED | xr::SwapchainUsageFlags::MUTABLE_FORMAT,
            xr::SwapchainUsageFlags::TRANSFER_SRC | xr::SwapchainUsageFlags::TRANSFER_DST,
        ];
        let storage = xr::SwapchainUsageFlags::UNORDERED_ACCESS | flags[1];
        for (typed, typeless) in all {
            let mut info = of!(SwapchainCreateInfo);
            info.format = i64::from(typed);
            if !formats.contains(&info.format) {
                continue;
            }
            let colour = xr::SwapchainUsageFlags::COLOR_ATTACHMENT;
            let depth = xr::SwapchainUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            let is_depth = !COLOURS.iter().any(|&(other, _)| other == typed);
            let (own, other) = if is_depth {
                (depth, colour)
            } else {
                (colour, depth)
            };
            (info.width, info.height) = (40, 24);
            (info.sample_count, info.face_count) = (1, 1);
            for layers in [1, 2] {
                for levels in [1, 3] {
                    (info.array_size, info.mip_count) = (layers, levels);
                    for flags in flags {
                        info.usage_flags = own | flags;
                        let has = flags.contains(xr::SwapchainUsageFlags::SAMPLED);
                        self.swapchain(check, &info, typeless as u32, [has, false]);
                    }
                }
            }
            info.usage_flags = own | other;
            check.equal(self.create(&info).0, UNSUPPORTED, "colours and depths");
            info.usage_flags = own | xr::SwapchainUsageFlags::INPUT_ATTACHMENT;
            check.equal(self.create(&info).0, UNSUPPORTED, "an input attachment");
            info.usage_flags = own | storage;
            if is_depth {
                check.equal(self.create(&info).0, UNSUPPORTED, "depths that are written");
            } else {
                self.swapchain(check, &info, typeless as u32, [true, true]);
            }
        }
    }

    /// Checks a swapchain that is created, and the order of its calls. `uses` are the uses of its images in shaders.
    fn swapchain(
        &self,
        check: &mut Check,
        info: &sys::SwapchainCreateInfo,
        typeless: u32,
        uses: [bool; 2],
    ) {
        let what = format!(
            "format {}, uses {:?}, {} layers, {} levels",
            info.format, info.usage_flags, info.array_size, info.mip_count
        );
        let (result, made) = self.create(info);
        check.equal(result, OK, &what);
        if result != OK {
            return;
        }
        let ty = self.image_type();
        check.equal(self.images(made, ty, 0).1, 3, "the number of images");
        let small = self.images(made, ty, 2).0;
        check.equal(small, sys::Result::ERROR_SIZE_INSUFFICIENT, "two images");
        let other = sys::SwapchainImageVulkanKHR::TYPE;
        check.equal(self.images(made, other, 3).0, INVALID, "images of Vulkan");
        let (result, count, images) = self.images(made, ty, 3);
        check.equal((result, count), (OK, 3), "all images");
        for image in images {
            // SAFETY: the image is one of the session.
            let (format, found) = unsafe { self.device.describe(image) };
            check.equal(format, typeless, &what);
            // The runtime may add uses, and must not remove some.
            let missing = uses
                .iter()
                .zip(found)
                .any(|(&wanted, found)| wanted && !found);
            check.equal(missing, false, &what);
        }
        let order = sys::Result::ERROR_CALL_ORDER_INVALID;
        check.equal(self.wait(made), order, "a wait without an image");
        check.equal(self.release(made), order, "a release without an image");
        for wanted in [0, 1, 2, 0] {
            check.equal(self.acquire(made), (OK, wanted), "acquire");
            check.equal(self.release(made), order, "a release without a wait");
            check.equal(self.wait(made), OK, "wait");
            check.equal(self.wait(made), order, "a second wait");
            check.equal(self.release(made), OK, "release");
        }
        check.equal(self.destroy(made), OK, "destroy");
        check.equal(
            self.destroy(made),
            sys::Result::ERROR_HANDLE_INVALID,
            "a second destroy",
        );
    }

    /// Checks swapchains that cannot be created.
    fn wrong_swapchains(&self, check: &mut Check) {
        let mut right = of!(SwapchainCreateInfo);
        right.format = i64::from(COLOURS[0].0);
        right.usage_flags = xr::SwapchainUsageFlags::COLOR_ATTACHMENT;
        (right.width, right.height) = (64, 64);
        (right.sample_count, right.face_count) = (1, 1);
        (right.array_size, right.mip_count) = (1, 1);
        let typeless = i64::from(COLOURS[0].1);
        let compressed = i64::from(DXGI_FORMAT_BC1_UNORM.0);
        for format in [0, -1, typeless, compressed, i64::MAX, i64::MIN] {
            let mut info = right;
            info.format = format;
            let what = format!("format {format}");
            check.equal(self.create(&info).0, NO_FORMAT, &what);
        }
        type Change = fn(&mut sys::SwapchainCreateInfo);
        let changes: [(Change, sys::Result, &str); 13] = [
            (|info| info.width = 0, INVALID, "no width"),
            (|info| info.height = 0, INVALID, "no height"),
            (|info| info.width = 8193, INVALID, "too wide"),
            (|info| info.height = u32::MAX, INVALID, "too high"),
            (|info| info.sample_count = 0, INVALID, "no samples"),
            (|info| info.face_count = 0, INVALID, "no faces"),
            (|info| info.array_size = 0, INVALID, "no layers"),
            (|info| info.mip_count = 0, INVALID, "no mip levels"),
            (|info| info.mip_count = 8, INVALID, "too many mip levels"),
            (|info| info.sample_count = 4, UNSUPPORTED, "four samples"),
            (|info| info.face_count = 6, UNSUPPORTED, "a cube"),
            (|info| info.array_size = 17, UNSUPPORTED, "17 layers"),
            (
                |info| info.create_flags = sys::SwapchainCreateFlags::PROTECTED_CONTENT,
                UNSUPPORTED,
                "protected content",
            ),
        ];
        for (change, wanted, what) in changes {
            let mut info = right;
            change(&mut info);
            check.equal(self.create(&info).0, wanted, what);
        }
    }

    /// Makes random calls. The runtime may refuse a call, but must not fail.
    fn random_calls(&self, check: &mut Check) {
        let mut state = 0x5eed_u64;
        // Random numbers (xorshift64*, Vigna 2016).
        let mut random = |end: u64| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % end
        };
        let mut swapchains = vec![sys::Swapchain::NULL, sys::Swapchain::from_raw(1)];
        let mut done = 0;
        for _ in 0..CALLS {
            let index = random(swapchains.len() as u64) as usize;
            let one = swapchains[index];
            let result = match random(8) {
                0 => {
                    let mut info = of!(SwapchainCreateInfo);
                    let formats = [&COLOURS[..], &DEPTHS].concat();
                    let (typed, typeless) = formats[random(formats.len() as u64) as usize];
                    info.format = i64::from(if random(20) == 0 { typeless } else { typed });
                    let is_colour = COLOURS.contains(&(typed, typeless));
                    info.usage_flags = match (random(4), is_colour) {
                        (0, _) => xr::SwapchainUsageFlags::from_raw(random(128)),
                        (_, true) => xr::SwapchainUsageFlags::COLOR_ATTACHMENT,
                        (_, false) => xr::SwapchainUsageFlags::DEPTH_STENCIL_ATTACHMENT,
                    };
                    info.create_flags = xr::SwapchainCreateFlags::from_raw(random(8) & 3);
                    (info.width, info.height) = (random(40) as u32, 1 + random(40) as u32);
                    info.array_size = random(8).min(3) as u32;
                    info.mip_count = random(8).min(3) as u32;
                    info.face_count = 1 + u32::from(random(20) == 0);
                    info.sample_count = 1 + u32::from(random(20) == 0);
                    let (result, made) = self.create(&info);
                    if result == OK {
                        swapchains.push(made);
                    }
                    // A lot of images would need a lot of memory.
                    if swapchains.len() > 12 {
                        self.destroy(swapchains.remove(2));
                    }
                    result
                }
                1 | 2 => self.acquire(one).0,
                3 | 4 => self.wait(one),
                5 | 6 => self.release(one),
                _ => self.images(one, self.image_type(), random(5) as u32).0,
            };
            done += u32::from(result == OK);
            let is_failure = result == sys::Result::ERROR_RUNTIME_FAILURE;
            check.equal(is_failure, false, "a failure of the runtime");
        }
        println!("{CALLS} random calls, of which {done} succeeded");
        check.equal(done > CALLS / 10, true, "many calls succeed");
    }
}

/// Makes all calls. Fails if one of them returns another result than expected.
pub(crate) fn run<D: Direct3d>() -> Result<(), Box<dyn Error>> {
    let mut check = Check::default();
    let (instance, system) = instance::<D>()?;
    let device: D = before_a_session(&mut check, &instance, system)?;
    // Sessions follow each other.
    for round in 0..3 {
        // SAFETY: the handles are valid until the program ends.
        let (session, ..) =
            unsafe { instance.create_session::<D::Graphics>(system, &device.session_info())? };
        let caller = Caller {
            instance: &instance,
            session: session.as_raw(),
            device: &device,
        };
        match round {
            0 => caller.every_format(&mut check),
            1 => caller.wrong_swapchains(&mut check),
            _ => {
                caller.random_calls(&mut check);
                // The session still works.
                let mut storage = xr::EventDataBuffer::new();
                while instance.poll_event(&mut storage)?.is_some() {}
                session.begin(VIEWS)?;
            }
        }
    }
    println!("{} results, {} wrong", check.count, check.failures);
    if check.failures == 0 {
        Ok(())
    } else {
        Err("the runtime returned wrong results".into())
    }
}
