//! An application of OpenXR with Vulkan: the image of the left eye is red, and the image of the right eye is blue.
//!
//! `cargo xtask openxr` and `cargo xtask windows --full` run it, and check the screenshots that the runtime saves. With the argument
//! `index`, it asks for all inputs of a Valve Index, prints what it gets in each frame as JSON, and exits when its standard input ends.
//! With the argument `quad`, the left eye sees a blue square in the middle. Any other argument is the name of the format of the images,
//! such as `B8G8R8A8_UNORM`.

#![allow(unsafe_code, reason = "OpenXR and Vulkan are C libraries")]

use std::error::Error;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ash::vk::{self, Handle as _};
use openxr as xr;
use serde_json::{Map, Value, json};

/// The colours of the left and the right eye.
const COLOURS: [[f32; 4]; 2] = [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];

const FORMAT: vk::Format = vk::Format::R8G8B8A8_SRGB;

/// The formats of the argument, and their names.
const FORMATS: [(&str, vk::Format); 9] = [
    ("R8G8B8A8_SRGB", FORMAT),
    ("B8G8R8A8_SRGB", vk::Format::B8G8R8A8_SRGB),
    ("R8G8B8A8_UNORM", vk::Format::R8G8B8A8_UNORM),
    ("B8G8R8A8_UNORM", vk::Format::B8G8R8A8_UNORM),
    ("R16G16B16A16_SFLOAT", vk::Format::R16G16B16A16_SFLOAT),
    ("R16G16B16A16_UNORM", vk::Format::R16G16B16A16_UNORM),
    (
        "A2B10G10R10_UNORM_PACK32",
        vk::Format::A2B10G10R10_UNORM_PACK32,
    ),
    (
        "B10G11R11_UFLOAT_PACK32",
        vk::Format::B10G11R11_UFLOAT_PACK32,
    ),
    ("R5G6B5_UNORM_PACK16", vk::Format::R5G6B5_UNORM_PACK16),
];

const VIEWS: xr::ViewConfigurationType = xr::ViewConfigurationType::PRIMARY_STEREO;

/// The Vulkan device of the application, with one queue.
struct Vulkan {
    // The library stays loaded as long as its functions are used.
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
}

impl Vulkan {
    /// Makes an instance and a device as `XR_KHR_vulkan_enable2` demands.
    fn new(instance: &xr::Instance, system: xr::SystemId) -> Result<Vulkan, Box<dyn Error>> {
        instance.graphics_requirements::<xr::Vulkan>(system)?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_0);
        let create = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the library is the Vulkan loader of the system, and all structures are valid during the calls. The types
        // of OpenXR and of ash for handles and functions of Vulkan are the same in C.
        unsafe {
            let entry = ash::Entry::load()?;
            let get = entry.static_fn().get_instance_proc_addr;
            #[expect(
                clippy::missing_transmute_annotations,
                reason = "two types for one function"
            )]
            let get = std::mem::transmute(get);
            let made = instance.create_vulkan_instance(system, get, (&raw const create).cast())?;
            let handle = vk::Instance::from_raw(made.map_err(vk::Result::from_raw)? as u64);
            let vulkan = ash::Instance::load(entry.static_fn(), handle);
            let physical = instance.vulkan_graphics_device(system, handle.as_raw() as _)?;
            let queues = [vk::DeviceQueueCreateInfo::default()
                // The only family of lavapipe. Elsewhere the first family usually has graphics.
                .queue_family_index(0)
                .queue_priorities(&[1.0])];
            let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let create = (&raw const create).cast();
            let made = instance.create_vulkan_device(system, get, physical, create)?;
            let handle = vk::Device::from_raw(made.map_err(vk::Result::from_raw)? as u64);
            let device = ash::Device::load(vulkan.fp_v1_0(), handle);
            let queue = device.get_device_queue(0, 0);
            let create = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let create = vk::CommandBufferAllocateInfo::default()
                .command_pool(device.create_command_pool(&create, None)?)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&create)?[0];
            Ok(Vulkan {
                _entry: entry,
                instance: vulkan,
                physical: vk::PhysicalDevice::from_raw(physical as u64),
                device,
                queue,
                commands,
            })
        }
    }

    fn session_info(&self) -> xr::vulkan::SessionCreateInfo {
        xr::vulkan::SessionCreateInfo {
            instance: self.instance.handle().as_raw() as _,
            physical_device: self.physical.as_raw() as _,
            device: self.device.handle().as_raw() as _,
            queue_family_index: 0,
            queue_index: 0,
        }
    }

    /// Fills the two layers of a image, and waits until it is done.
    fn fill(&self, image: vk::Image) -> Result<(), vk::Result> {
        let (device, commands) = (&self.device, self.commands);
        let part = |layer, count| vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: layer,
            layer_count: count,
        };
        // OpenXR gives and takes images in the layout of attachments.
        let layouts = [
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        ];
        let change = |[old, new]: [vk::ImageLayout; 2]| {
            let barrier = vk::ImageMemoryBarrier::default()
                .image(image)
                .old_layout(old)
                .new_layout(new)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .subresource_range(part(0, 2));
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            let none = vk::DependencyFlags::empty();
            // SAFETY: the commands are recorded, and the image belongs to the device.
            unsafe {
                device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]);
            }
        };
        // SAFETY: the image and the commands belong to the device, and the commands do not run, because each call waits.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            change(layouts);
            for (eye, float32) in COLOURS.into_iter().enumerate() {
                let colour = vk::ClearColorValue { float32 };
                let part = [part(eye as u32, 1)];
                device.cmd_clear_color_image(commands, image, layouts[1], &colour, &part);
            }
            change([layouts[1], layouts[0]]);
            device.end_command_buffer(commands)?;
            let submit = vk::SubmitInfo::default().command_buffers(std::slice::from_ref(&commands));
            device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
            device.queue_wait_idle(self.queue)
        }
    }
}

const HANDS: [&str; 2] = ["/user/hand/left", "/user/hand/right"];
const INDEX: &str = "/interaction_profiles/valve/index_controller";
const BUTTONS: [&str; 11] = [
    "system/click",
    "system/touch",
    "a/click",
    "a/touch",
    "b/click",
    "b/touch",
    "trigger/click",
    "trigger/touch",
    "thumbstick/click",
    "thumbstick/touch",
    "trackpad/touch",
];
const NUMBERS: [&str; 8] = [
    "trigger/value",
    "squeeze/value",
    "squeeze/force",
    "thumbstick/x",
    "thumbstick/y",
    "trackpad/x",
    "trackpad/y",
    "trackpad/force",
];
const POSES: [&str; 2] = ["grip", "aim"];

/// One action for each input of a Valve Index, and the spaces of its poses.
struct Controller {
    set: xr::ActionSet,
    hands: [xr::Path; 2],
    buttons: Vec<xr::Action<bool>>,
    numbers: Vec<xr::Action<f32>>,
    /// The spaces of each hand.
    spaces: Vec<Vec<xr::Space>>,
}

impl Controller {
    fn attach(
        instance: &xr::Instance,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<Controller, Box<dyn Error>> {
        let path = |text: &str| instance.string_to_path(text);
        let hands = [path(HANDS[0])?, path(HANDS[1])?];
        let set = instance.create_action_set("controller", "Controller", 1)?;
        let name = |input: &str| input.replace('/', "_");
        let buttons = BUTTONS.map(|input| set.create_action::<bool>(&name(input), input, &hands));
        let buttons = buttons.into_iter().collect::<Result<Vec<_>, _>>()?;
        let numbers = NUMBERS.map(|input| set.create_action::<f32>(&name(input), input, &hands));
        let numbers = numbers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let poses = POSES.map(|pose| set.create_action::<xr::Posef>(pose, pose, &hands));
        let poses = poses.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut bindings = Vec::new();
        for hand in HANDS {
            let input = |name: &str| path(&format!("{hand}/input/{name}"));
            for (action, name) in buttons.iter().zip(BUTTONS) {
                bindings.push(xr::Binding::new(action, input(name)?));
            }
            for (action, name) in numbers.iter().zip(NUMBERS) {
                bindings.push(xr::Binding::new(action, input(name)?));
            }
            for (action, name) in poses.iter().zip(POSES) {
                bindings.push(xr::Binding::new(action, input(&format!("{name}/pose"))?));
            }
        }
        instance.suggest_interaction_profile_bindings(path(INDEX)?, &bindings)?;
        session.attach_action_sets(&[&set])?;
        let spaces = hands.map(|hand| {
            let spaces = poses.iter();
            let spaces = spaces.map(|pose| pose.create_space(session, hand, xr::Posef::IDENTITY));
            spaces.collect::<Result<Vec<_>, _>>()
        });
        Ok(Controller {
            set,
            hands,
            buttons,
            numbers,
            spaces: spaces.into_iter().collect::<Result<_, _>>()?,
        })
    }

    /// Returns the profile and the values of each hand after a synchronisation. A value is null while its action is not active.
    fn read(
        &self,
        instance: &xr::Instance,
        session: &xr::Session<xr::Vulkan>,
    ) -> Result<[Map<String, Value>; 2], xr::sys::Result> {
        session.sync_actions(&[xr::ActiveActionSet::new(&self.set)])?;
        let mut all = [Map::new(), Map::new()];
        for (values, &hand) in all.iter_mut().zip(&self.hands) {
            let profile = session.current_interaction_profile(hand)?;
            if profile != xr::Path::NULL {
                values.insert(
                    "profile".to_owned(),
                    instance.path_to_string(profile)?.into(),
                );
            }
            for (action, name) in self.buttons.iter().zip(BUTTONS) {
                let state = action.state(session, hand)?;
                let value = state.is_active.then_some(state.current_state);
                values.insert(name.to_owned(), value.into());
            }
            for (action, name) in self.numbers.iter().zip(NUMBERS) {
                let state = action.state(session, hand)?;
                let value = state.is_active.then_some(state.current_state);
                values.insert(name.to_owned(), value.into());
            }
        }
        Ok(all)
    }

    /// Adds the poses of each hand at a display time: position and rotation.
    fn locate(
        &self,
        all: &mut [Map<String, Value>; 2],
        stage: &xr::Space,
        time: xr::Time,
    ) -> Result<(), xr::sys::Result> {
        for (values, spaces) in all.iter_mut().zip(&self.spaces) {
            for (space, name) in spaces.iter().zip(POSES) {
                let location = space.locate(stage, time)?;
                let valid = xr::SpaceLocationFlags::POSITION_VALID
                    | xr::SpaceLocationFlags::ORIENTATION_VALID;
                let xr::Posef {
                    position: p,
                    orientation: q,
                } = location.pose;
                let pose = [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
                let pose = location.location_flags.contains(valid).then_some(pose);
                values.insert(name.to_owned(), json!(pose));
            }
        }
        Ok(())
    }
}

/// Standard input has ended.
static IS_OVER: AtomicBool = AtomicBool::new(false);

fn main() -> Result<(), Box<dyn Error>> {
    // SAFETY: the library is the loader of OpenXR.
    let entry = unsafe { xr::Entry::load(&())? };
    let mut extensions = xr::ExtensionSet::default();
    extensions.khr_vulkan_enable2 = true;
    let application = xr::ApplicationInfo {
        application_name: "vulkan",
        ..xr::ApplicationInfo::default()
    };
    let instance = entry.create_instance(&application, &extensions, &[], &())?;
    let system = instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY)?;
    let vulkan = Vulkan::new(&instance, system)?;
    // SAFETY: the handles are valid until the program ends.
    let (session, mut waiter, mut stream) =
        unsafe { instance.create_session::<xr::Vulkan>(system, &vulkan.session_info())? };
    let stage =
        session.create_reference_space(xr::ReferenceSpaceType::STAGE, xr::Posef::IDENTITY)?;
    let view = session.create_reference_space(xr::ReferenceSpaceType::VIEW, xr::Posef::IDENTITY)?;
    let argument = std::env::args().nth(1).unwrap_or_default();
    let controller = match &*argument {
        "index" => {
            thread::spawn(|| {
                let _ = std::io::stdin().read_to_end(&mut Vec::new());
                IS_OVER.store(true, Ordering::Relaxed);
            });
            Some(Controller::attach(&instance, &session)?)
        }
        _ => None,
    };
    let has_quad = argument == "quad";
    let format = if has_quad || controller.is_some() || argument.is_empty() {
        FORMAT
    } else {
        let found = FORMATS.iter().find(|(name, _)| *name == argument);
        found.ok_or("an unknown format")?.1
    };
    let size = instance.enumerate_view_configuration_views(system, VIEWS)?[0];
    let (width, height) = (
        size.recommended_image_rect_width,
        size.recommended_image_rect_height,
    );
    let mut swapchain = session.create_swapchain(&xr::SwapchainCreateInfo {
        create_flags: xr::SwapchainCreateFlags::EMPTY,
        usage_flags: xr::SwapchainUsageFlags::COLOR_ATTACHMENT
            | xr::SwapchainUsageFlags::TRANSFER_DST,
        format: format.as_raw() as u32,
        sample_count: 1,
        width,
        height,
        face_count: 1,
        array_size: 2,
        mip_count: 1,
    })?;
    let images = swapchain.enumerate_images()?;
    let mut frames = 0;
    let mut storage = xr::EventDataBuffer::new();
    let (mut is_running, mut is_focused, mut is_exiting) = (false, false, false);
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
                xr::SessionState::EXITING => {
                    println!("{frames} frames");
                    return Ok(());
                }
                _ => {}
            }
        }
        if !is_running {
            continue;
        }
        if controller.is_some() && !is_exiting && IS_OVER.load(Ordering::Relaxed) {
            session.request_exit()?;
            is_exiting = true;
        }
        let read = controller.as_ref().filter(|_| is_focused);
        let read = read.map(|controller| controller.read(&instance, &session));
        let time = waiter.wait()?.predicted_display_time;
        if let (Some(controller), Some(mut all)) = (&controller, read.transpose()?) {
            controller.locate(&mut all, &stage, time)?;
            let [left, right] = all;
            let (_, eyes) = session.locate_views(VIEWS, time, &view)?;
            let eyes = eyes.iter().map(|eye| {
                let (fov, p) = (eye.fov, eye.pose.position);
                let angles = [
                    fov.angle_left,
                    fov.angle_right,
                    fov.angle_up,
                    fov.angle_down,
                ];
                json!({"angles": angles, "position": [p.x, p.y, p.z]})
            });
            let eyes: Vec<Value> = eyes.collect();
            println!(
                "{}",
                json!({"time": time.as_nanos(), "left": left, "right": right, "eyes": eyes})
            );
        }
        stream.begin()?;
        let index = swapchain.acquire_image()?;
        swapchain.wait_image(xr::Duration::INFINITE)?;
        vulkan.fill(vk::Image::from_raw(images[index as usize]))?;
        swapchain.release_image()?;
        let (_, eyes) = session.locate_views(VIEWS, time, &stage)?;
        let extent = xr::Extent2Di {
            width: width as i32,
            height: height as i32,
        };
        let rectangle = xr::Rect2Di {
            offset: xr::Offset2Di::default(),
            extent,
        };
        let views = [0, 1].map(|eye: usize| {
            let part = xr::SwapchainSubImage::new()
                .swapchain(&swapchain)
                .image_array_index(eye as u32)
                .image_rect(rectangle);
            xr::CompositionLayerProjectionView::new()
                .pose(eyes[eye].pose)
                .fov(eyes[eye].fov)
                .sub_image(part)
        });
        let layer = xr::CompositionLayerProjection::new();
        let layer = layer.space(&stage).views(&views);
        let blue = xr::SwapchainSubImage::new()
            .swapchain(&swapchain)
            .image_array_index(1)
            .image_rect(rectangle);
        let quad = xr::CompositionLayerQuad::new()
            .space(&view)
            .eye_visibility(xr::EyeVisibility::LEFT)
            .sub_image(blue)
            .pose(xr::Posef {
                position: xr::Vector3f {
                    x: 0.0,
                    y: 0.0,
                    z: -1.0,
                },
                ..xr::Posef::IDENTITY
            })
            .size(xr::Extent2Df {
                width: 0.5,
                height: 0.5,
            });
        let layers: [&xr::CompositionLayerBase<'_, xr::Vulkan>; 2] = [&layer, &quad];
        let layers = if has_quad { &layers[..] } else { &layers[..1] };
        stream.end(time, xr::EnvironmentBlendMode::OPAQUE, layers)?;
        frames += 1;
    }
}
