//! An application that calls everything in any order, with wrong handles, null pointers and wrong structures.
//!
//! No call may crash or hang, and every call returns a result of OpenXR. Pointers that are not null are valid, because a
//! C library cannot check more.

use std::ffi::{CStr, CString, c_char};
use std::mem::{transmute, zeroed};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use inputanim_openxr::Settings;
use openxr::sys::{self, Handle, pfn};

/// Random numbers (xorshift64*, Vigna 2016).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Returns true once in `times`.
    fn rarely(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// What one thread knows of the runtime.
struct Caller {
    get: pfn::GetInstanceProcAddr,
    random: Random,
    /// Handles of all types, also of objects that were destroyed.
    handles: Vec<u64>,
    /// The newest instance and session of both threads, so that many calls are valid.
    newest: Arc<Newest>,
    paths: Vec<sys::Path>,
    results: std::collections::BTreeMap<i32, u64>,
}

/// The handles of objects that both threads use.
#[derive(Default)]
struct Newest {
    instance: AtomicU64,
    session: AtomicU64,
}

const PATHS: [&CStr; 16] = [
    c"/user/hand/left",
    c"/user/hand/right",
    c"/user/eyes_ext",
    c"/user/head",
    c"/interaction_profiles/khr/simple_controller",
    c"/interaction_profiles/ext/hand_interaction_ext",
    c"/interaction_profiles/valve/index_controller",
    c"/user/hand/left/input/select/click",
    c"/user/hand/left/input/pinch_ext/value",
    c"/user/hand/right/input/grip/pose",
    c"/user/vive_tracker_htcx/role/waist",
    c"/devices/inputanim/waist",
    c"/interaction_profiles/htc/vive_tracker_htcx",
    c"/devices/inputanim/waist/input/grip/pose",
    c"not a path",
    c"/",
];

/// Returns a function with its type. The call is unsafe, because the name and the type must match.
macro_rules! function {
    ($caller:expr, $name:expr, $pfn:ident) => {
        $caller
            .find($name)
            .map(|found| transmute::<pfn::VoidFunction, pfn::$pfn>(found))
    };
}

impl Caller {
    fn new(get: pfn::GetInstanceProcAddr, seed: u64, newest: Arc<Newest>) -> Caller {
        Caller {
            get,
            random: Random(seed | 1),
            handles: vec![0, 1, u64::MAX],
            newest,
            paths: vec![sys::Path::NULL, sys::Path::from_raw(999)],
            results: std::collections::BTreeMap::new(),
        }
    }

    fn find(&mut self, name: &CStr) -> Option<pfn::VoidFunction> {
        let mut found = None;
        let instance = match name == c"xrCreateInstance" {
            true => sys::Instance::NULL,
            false => self.instance(),
        };
        // SAFETY: the arguments are valid.
        let result = unsafe { (self.get)(instance, name.as_ptr(), &raw mut found) };
        assert_eq!(found.is_some(), result == sys::Result::SUCCESS);
        found
    }

    /// Returns any handle, as a handle of a type.
    fn any<H: Handle>(&mut self) -> H {
        H::from_raw(self.random.pick(&self.handles))
    }

    fn instance(&self) -> sys::Instance {
        sys::Instance::from_raw(self.newest.instance.load(Ordering::Relaxed))
    }

    fn session(&self) -> sys::Session {
        sys::Session::from_raw(self.newest.session.load(Ordering::Relaxed))
    }

    fn some_instance(&mut self) -> sys::Instance {
        if self.random.rarely(8) {
            self.any()
        } else {
            self.instance()
        }
    }

    fn some_session(&mut self) -> sys::Session {
        if self.random.rarely(8) {
            self.any()
        } else {
            self.session()
        }
    }

    fn path(&mut self) -> sys::Path {
        self.random.pick(&self.paths)
    }

    fn time(&mut self) -> sys::Time {
        let times = [0, -1, 1, i64::MIN, i64::MAX, 1_000_000_000, 3_000_000_000];
        sys::Time::from_nanos(self.random.pick(&times))
    }

    /// Returns a type of a structure that is usually right.
    fn ty(&mut self, right: sys::StructureType) -> sys::StructureType {
        if self.random.rarely(20) {
            sys::StructureType::from_raw(self.random.next() as i32)
        } else {
            right
        }
    }

    fn pose(&mut self) -> sys::Posef {
        let numbers = [0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, 1e30];
        let mut pose = sys::Posef::IDENTITY;
        if self.random.rarely(4) {
            pose.orientation.x = self.random.pick(&numbers);
            pose.position.y = self.random.pick(&numbers);
        }
        pose
    }

    /// Returns a pointer to a value, or sometimes null.
    fn or_null<T>(&mut self, value: &mut T) -> *mut T {
        if self.random.rarely(30) {
            null_mut()
        } else {
            value
        }
    }

    fn note(&mut self, result: sys::Result) -> bool {
        let code = result.into_raw();
        assert_ne!(
            result,
            sys::Result::ERROR_RUNTIME_FAILURE,
            "a panic or a failure inside the runtime"
        );
        *self.results.entry(code).or_default() += 1;
        code >= 0
    }

    fn keep(&mut self, result: sys::Result, handle: u64) -> bool {
        let is_done = self.note(result);
        if is_done {
            self.handles.push(handle);
        }
        is_done
    }

    /// Calls one function with random arguments.
    #[expect(clippy::too_many_lines, reason = "one branch for each function")]
    fn call(&mut self) {
        // SAFETY: structures are plain numbers and pointers, for which zero is valid. Pointers are null or valid.
        unsafe {
            match self.random.below(41) {
                0 => {
                    let Some(create) = function!(self, c"xrCreateInstance", CreateInstance) else {
                        return;
                    };
                    let names = [
                        c"XR_MND_headless",
                        c"XR_EXT_hand_tracking",
                        c"XR_EXT_hand_interaction",
                        c"XR_EXT_eye_gaze_interaction",
                        c"XR_EXT_palm_pose",
                        c"XR_HTCX_vive_tracker_interaction",
                        c"XR_KHR_locate_spaces",
                        c"XR_KHR_vulkan_enable",
                        c"XR_KHR_vulkan_enable2",
                    ];
                    let mut pointers: Vec<*const c_char> =
                        names.iter().map(|name| name.as_ptr()).collect();
                    if self.random.rarely(10) {
                        pointers[1] = self.random.pick(&[null(), c"XR_NOTHING".as_ptr()]);
                    }
                    let mut info: sys::InstanceCreateInfo = zeroed();
                    info.ty = self.ty(sys::InstanceCreateInfo::TYPE);
                    info.application_info.application_name[0] = if self.random.rarely(10) {
                        0
                    } else {
                        b'a' as c_char
                    };
                    info.application_info.api_version =
                        sys::Version::new(1, self.random.below(4) as u16 % 3, 0);
                    info.enabled_extension_count = pointers.len() as u32;
                    info.enabled_extension_names = pointers.as_ptr();
                    let mut instance = sys::Instance::NULL;
                    let target = self.or_null(&mut instance);
                    let result = create(&raw const info, target);
                    if self.keep(result, instance.into_raw()) {
                        self.newest
                            .instance
                            .store(instance.into_raw(), Ordering::Relaxed);
                    }
                }
                1 if self.random.rarely(20) => {
                    let instance = self.some_instance();
                    let Some(destroy) = function!(self, c"xrDestroyInstance", DestroyInstance)
                    else {
                        return;
                    };
                    let result = destroy(instance);
                    self.note(result);
                }
                2 => {
                    let instance = self.some_instance();
                    let Some(create) = function!(self, c"xrCreateSession", CreateSession) else {
                        return;
                    };
                    let mut info: sys::SessionCreateInfo = zeroed();
                    info.ty = self.ty(sys::SessionCreateInfo::TYPE);
                    info.system_id = sys::SystemId::from_raw(self.random.pick(&[1, 1, 1, 0, 7]));
                    let mut made = sys::Session::NULL;
                    let target = self.or_null(&mut made);
                    let result = create(instance, &raw const info, target);
                    if self.keep(result, made.into_raw()) {
                        self.newest
                            .session
                            .store(made.into_raw(), Ordering::Relaxed);
                    }
                }
                3 if self.random.rarely(10) => {
                    let session = self.some_session();
                    let Some(destroy) = function!(self, c"xrDestroySession", DestroySession) else {
                        return;
                    };
                    let result = destroy(session);
                    self.note(result);
                }
                4 => {
                    let session = self.some_session();
                    let Some(begin) = function!(self, c"xrBeginSession", BeginSession) else {
                        return;
                    };
                    let mut info: sys::SessionBeginInfo = zeroed();
                    info.ty = self.ty(sys::SessionBeginInfo::TYPE);
                    info.primary_view_configuration_type =
                        sys::ViewConfigurationType::PRIMARY_STEREO;
                    let result = begin(session, &raw const info);
                    self.note(result);
                }
                5 if self.random.rarely(3) => {
                    let session = self.some_session();
                    let Some(end) = function!(self, c"xrEndSession", EndSession) else {
                        return;
                    };
                    let result = end(session);
                    self.note(result);
                }
                6 if self.random.rarely(10) => {
                    let session = self.some_session();
                    let Some(exit) = function!(self, c"xrRequestExitSession", RequestExitSession)
                    else {
                        return;
                    };
                    let result = exit(session);
                    self.note(result);
                }
                7 | 8 => {
                    let instance = self.some_instance();
                    let Some(poll) = function!(self, c"xrPollEvent", PollEvent) else {
                        return;
                    };
                    let mut event: sys::EventDataBuffer = zeroed();
                    event.ty = sys::EventDataBuffer::TYPE;
                    let target = self.or_null(&mut event);
                    let result = poll(instance, target);
                    self.note(result);
                }
                9..=11 => self.frame(),
                12 => {
                    let instance = self.some_instance();
                    let text = self.random.pick(&PATHS);
                    let Some(convert) = function!(self, c"xrStringToPath", StringToPath) else {
                        return;
                    };
                    let mut path = sys::Path::NULL;
                    let target = self.or_null(&mut path);
                    let result = convert(
                        instance,
                        if self.random.rarely(30) {
                            null()
                        } else {
                            text.as_ptr()
                        },
                        target,
                    );
                    if self.note(result) && self.paths.len() < 100 {
                        self.paths.push(path);
                    }
                }
                13 => {
                    let (instance, path) = (self.some_instance(), self.path());
                    let Some(convert) = function!(self, c"xrPathToString", PathToString) else {
                        return;
                    };
                    let mut buffer = [0; 64];
                    let mut count = 0;
                    let capacity = self.random.pick(&[0, 1, 64]);
                    let target = if self.random.rarely(10) {
                        null_mut()
                    } else {
                        buffer.as_mut_ptr()
                    };
                    let result = convert(instance, path, capacity, &raw mut count, target);
                    self.note(result);
                }
                14 => {
                    let instance = self.some_instance();
                    let Some(create) = function!(self, c"xrCreateActionSet", CreateActionSet)
                    else {
                        return;
                    };
                    let mut info: sys::ActionSetCreateInfo = zeroed();
                    info.ty = self.ty(sys::ActionSetCreateInfo::TYPE);
                    self.name(&mut info.action_set_name);
                    self.name(&mut info.localized_action_set_name);
                    let mut set = sys::ActionSet::NULL;
                    let target = self.or_null(&mut set);
                    let result = create(instance, &raw const info, target);
                    self.keep(result, set.into_raw());
                }
                15 | 16 => {
                    let set = self.any();
                    let Some(create) = function!(self, c"xrCreateAction", CreateAction) else {
                        return;
                    };
                    let users = [self.path(), self.path()];
                    let mut info: sys::ActionCreateInfo = zeroed();
                    info.ty = self.ty(sys::ActionCreateInfo::TYPE);
                    self.name(&mut info.action_name);
                    self.name(&mut info.localized_action_name);
                    info.action_type =
                        sys::ActionType::from_raw(self.random.pick(&[1, 2, 3, 4, 100, 5]));
                    info.count_subaction_paths = self.random.below(3) as u32;
                    info.subaction_paths = if self.random.rarely(20) {
                        null()
                    } else {
                        users.as_ptr()
                    };
                    let mut action = sys::Action::NULL;
                    let target = self.or_null(&mut action);
                    let result = create(set, &raw const info, target);
                    self.keep(result, action.into_raw());
                }
                17 => {
                    let instance = self.some_instance();
                    let Some(suggest) = function!(
                        self,
                        c"xrSuggestInteractionProfileBindings",
                        SuggestInteractionProfileBindings
                    ) else {
                        return;
                    };
                    let bindings = [
                        sys::ActionSuggestedBinding {
                            action: self.any(),
                            binding: self.path(),
                        },
                        sys::ActionSuggestedBinding {
                            action: self.any(),
                            binding: self.path(),
                        },
                    ];
                    let mut info: sys::InteractionProfileSuggestedBinding = zeroed();
                    info.ty = self.ty(sys::InteractionProfileSuggestedBinding::TYPE);
                    info.interaction_profile = self.path();
                    info.count_suggested_bindings = self.random.below(3) as u32;
                    info.suggested_bindings = if self.random.rarely(20) {
                        null()
                    } else {
                        bindings.as_ptr()
                    };
                    let result = suggest(instance, &raw const info);
                    self.note(result);
                }
                18 => {
                    let session = self.some_session();
                    let Some(attach) =
                        function!(self, c"xrAttachSessionActionSets", AttachSessionActionSets)
                    else {
                        return;
                    };
                    let sets = [self.any(), self.any()];
                    let mut info: sys::SessionActionSetsAttachInfo = zeroed();
                    info.ty = self.ty(sys::SessionActionSetsAttachInfo::TYPE);
                    info.count_action_sets = self.random.below(3) as u32;
                    info.action_sets = sets.as_ptr();
                    let result = attach(session, &raw const info);
                    self.note(result);
                }
                19 | 20 => {
                    let session = self.some_session();
                    let Some(sync) = function!(self, c"xrSyncActions", SyncActions) else {
                        return;
                    };
                    let active = [sys::ActiveActionSet {
                        action_set: self.any(),
                        subaction_path: self.path(),
                    }];
                    let mut info: sys::ActionsSyncInfo = zeroed();
                    info.ty = self.ty(sys::ActionsSyncInfo::TYPE);
                    info.count_active_action_sets = self.random.below(2) as u32;
                    info.active_action_sets = active.as_ptr();
                    let result = sync(session, &raw const info);
                    self.note(result);
                }
                21 | 22 => {
                    let session = self.some_session();
                    let mut info: sys::ActionStateGetInfo = zeroed();
                    info.ty = self.ty(sys::ActionStateGetInfo::TYPE);
                    info.action = self.any();
                    info.subaction_path = self.path();
                    let result = if self.random.rarely(2) {
                        let Some(get) =
                            function!(self, c"xrGetActionStateBoolean", GetActionStateBoolean)
                        else {
                            return;
                        };
                        let mut state: sys::ActionStateBoolean = zeroed();
                        state.ty = sys::ActionStateBoolean::TYPE;
                        get(session, &raw const info, self.or_null(&mut state))
                    } else {
                        let Some(get) =
                            function!(self, c"xrGetActionStatePose", GetActionStatePose)
                        else {
                            return;
                        };
                        let mut state: sys::ActionStatePose = zeroed();
                        state.ty = sys::ActionStatePose::TYPE;
                        get(session, &raw const info, self.or_null(&mut state))
                    };
                    self.note(result);
                }
                23 => {
                    let session = self.some_session();
                    let Some(create) =
                        function!(self, c"xrCreateReferenceSpace", CreateReferenceSpace)
                    else {
                        return;
                    };
                    let mut info: sys::ReferenceSpaceCreateInfo = zeroed();
                    info.ty = self.ty(sys::ReferenceSpaceCreateInfo::TYPE);
                    info.reference_space_type =
                        sys::ReferenceSpaceType::from_raw(self.random.below(5) as i32);
                    info.pose_in_reference_space = self.pose();
                    let mut space = sys::Space::NULL;
                    let target = self.or_null(&mut space);
                    let result = create(session, &raw const info, target);
                    self.keep(result, space.into_raw());
                }
                24 => {
                    let session = self.some_session();
                    let Some(create) = function!(self, c"xrCreateActionSpace", CreateActionSpace)
                    else {
                        return;
                    };
                    let mut info: sys::ActionSpaceCreateInfo = zeroed();
                    info.ty = self.ty(sys::ActionSpaceCreateInfo::TYPE);
                    info.action = self.any();
                    info.subaction_path = self.path();
                    info.pose_in_action_space = self.pose();
                    let mut space = sys::Space::NULL;
                    let target = self.or_null(&mut space);
                    let result = create(session, &raw const info, target);
                    self.keep(result, space.into_raw());
                }
                25..=27 => {
                    let (space, base, time) = (self.any(), self.any(), self.time());
                    let Some(locate) = function!(self, c"xrLocateSpace", LocateSpace) else {
                        return;
                    };
                    let mut velocity: sys::SpaceVelocity = zeroed();
                    velocity.ty = self.ty(sys::SpaceVelocity::TYPE);
                    // A chain that is a circle.
                    velocity.next = if self.random.rarely(5) {
                        (&raw mut velocity).cast()
                    } else {
                        null_mut()
                    };
                    let mut location: sys::SpaceLocation = zeroed();
                    location.ty = self.ty(sys::SpaceLocation::TYPE);
                    location.next = (&raw mut velocity).cast();
                    let target = self.or_null(&mut location);
                    let result = locate(space, base, time, target);
                    self.note(result);
                }
                28 => {
                    let session = self.some_session();
                    let Some(locate) = function!(self, c"xrLocateSpacesKHR", LocateSpaces) else {
                        return;
                    };
                    let spaces = [self.any(), self.any()];
                    let mut locations: [sys::SpaceLocationData; 2] = zeroed();
                    let mut info: sys::SpacesLocateInfo = zeroed();
                    info.ty = sys::SpacesLocateInfo::TYPE;
                    info.base_space = self.any();
                    info.time = self.time();
                    info.space_count = self.random.below(3) as u32;
                    info.spaces = spaces.as_ptr();
                    let mut located: sys::SpaceLocations = zeroed();
                    located.ty = sys::SpaceLocations::TYPE;
                    located.location_count = self.random.below(3) as u32;
                    located.locations = self.or_null(&mut locations).cast();
                    let result = locate(session, &raw const info, &raw mut located);
                    self.note(result);
                }
                29 => {
                    let session = self.some_session();
                    let Some(create) =
                        function!(self, c"xrCreateHandTrackerEXT", CreateHandTrackerEXT)
                    else {
                        return;
                    };
                    let mut info: sys::HandTrackerCreateInfoEXT = zeroed();
                    info.ty = self.ty(sys::HandTrackerCreateInfoEXT::TYPE);
                    info.hand = sys::HandEXT::from_raw(self.random.below(4) as i32);
                    info.hand_joint_set = sys::HandJointSetEXT::DEFAULT;
                    let mut tracker = sys::HandTrackerEXT::NULL;
                    let target = self.or_null(&mut tracker);
                    let result = create(session, &raw const info, target);
                    self.keep(result, tracker.into_raw());
                }
                30 | 31 => {
                    let tracker = self.any();
                    let Some(locate) =
                        function!(self, c"xrLocateHandJointsEXT", LocateHandJointsEXT)
                    else {
                        return;
                    };
                    let mut joints: [sys::HandJointLocationEXT; 26] = zeroed();
                    let mut info: sys::HandJointsLocateInfoEXT = zeroed();
                    info.ty = self.ty(sys::HandJointsLocateInfoEXT::TYPE);
                    info.base_space = self.any();
                    info.time = self.time();
                    let mut locations: sys::HandJointLocationsEXT = zeroed();
                    locations.ty = self.ty(sys::HandJointLocationsEXT::TYPE);
                    locations.joint_count = self.random.pick(&[26, 26, 26, 0, 25]);
                    locations.joint_locations = self.or_null(&mut joints).cast();
                    let result = locate(tracker, &raw const info, &raw mut locations);
                    self.note(result);
                }
                32 => {
                    let name = self.random.pick(&[
                        c"xrDestroySpace",
                        c"xrDestroyAction",
                        c"xrDestroyActionSet",
                        c"xrDestroyHandTrackerEXT",
                        c"xrDestroySwapchain",
                    ]);
                    // All of these take one handle.
                    let Some(destroy) = function!(self, name, DestroySpace) else {
                        return;
                    };
                    if self.random.rarely(3) {
                        let result = destroy(self.any());
                        self.note(result);
                    }
                }
                33 => self.system(),
                34 | 35 => self.views(),
                36 => self.locate_views(),
                37 => self.swapchain(),
                38 => self.vulkan(),
                39 => {
                    let instance = self.some_instance();
                    let Some(enumerate) = function!(
                        self,
                        c"xrEnumerateViveTrackerPathsHTCX",
                        EnumerateViveTrackerPathsHTCX
                    ) else {
                        return;
                    };
                    let mut paths: [sys::ViveTrackerPathsHTCX; 2] = zeroed();
                    for path in &mut paths {
                        path.ty = self.ty(sys::ViveTrackerPathsHTCX::TYPE);
                    }
                    let mut count = 0;
                    let capacity = self.random.below(3) as u32;
                    let (count, paths) = (self.or_null(&mut count), self.or_null(&mut paths));
                    let result = enumerate(instance, capacity, count, paths.cast());
                    self.note(result);
                }
                _ => {
                    // A name with any letters.
                    let letters =
                        (0..self.random.below(40)).map(|_| self.random.below(255) as u8 + 1);
                    let name = CString::new(letters.collect::<Vec<u8>>()).expect("no letter is 0");
                    self.find(&name);
                }
            }
        }
    }

    fn name(&mut self, text: &mut [c_char]) {
        let letters = if self.random.rarely(20) {
            0
        } else {
            1 + self.random.below(6)
        };
        for index in 0..letters {
            text[index as usize] = if self.random.rarely(60) {
                b'!'
            } else {
                b'a' + self.random.below(26) as u8
            } as c_char;
        }
        if self.random.rarely(50) {
            // Without an end.
            text.fill(b'a' as c_char);
        }
    }

    fn system_id(&mut self) -> sys::SystemId {
        sys::SystemId::from_raw(self.random.pick(&[1, 1, 1, 0, 7, u64::MAX]))
    }

    fn view_configuration(&mut self) -> sys::ViewConfigurationType {
        sys::ViewConfigurationType::from_raw(self.random.pick(&[2, 2, 2, 1, 0, -1, i32::MAX]))
    }

    /// Asks for a system and its properties.
    fn system(&mut self) {
        let (instance, system) = (self.some_instance(), self.system_id());
        // SAFETY: as for the other calls.
        unsafe {
            let get = function!(self, c"xrGetSystem", GetSystem);
            let properties = function!(self, c"xrGetSystemProperties", GetSystemProperties);
            let (Some(get), Some(properties)) = (get, properties) else {
                return;
            };
            let mut info: sys::SystemGetInfo = zeroed();
            info.ty = self.ty(sys::SystemGetInfo::TYPE);
            info.form_factor = sys::FormFactor::from_raw(self.random.pick(&[1, 1, 2, 0, i32::MAX]));
            let mut found = sys::SystemId::NULL;
            let target = self.or_null(&mut found);
            let result = get(instance, &raw const info, target);
            self.note(result);
            let mut hands: sys::SystemHandTrackingPropertiesEXT = zeroed();
            hands.ty = self.ty(sys::SystemHandTrackingPropertiesEXT::TYPE);
            let mut all: sys::SystemProperties = zeroed();
            all.ty = self.ty(sys::SystemProperties::TYPE);
            all.next = self.or_null(&mut hands).cast();
            let target = self.or_null(&mut all);
            let result = properties(instance, system, target);
            self.note(result);
        }
    }

    /// Asks for view configurations, their views and blend modes.
    fn views(&mut self) {
        let (instance, system) = (self.some_instance(), self.system_id());
        let (kind, capacity) = (self.view_configuration(), self.random.pick(&[0, 1, 2, 4]));
        let mut count = 0;
        let count = self.or_null(&mut count);
        // SAFETY: as for the other calls. The arrays have the largest capacity.
        unsafe {
            let types = function!(
                self,
                c"xrEnumerateViewConfigurations",
                EnumerateViewConfigurations
            );
            let properties = function!(
                self,
                c"xrGetViewConfigurationProperties",
                GetViewConfigurationProperties
            );
            let views = function!(
                self,
                c"xrEnumerateViewConfigurationViews",
                EnumerateViewConfigurationViews
            );
            let modes = function!(
                self,
                c"xrEnumerateEnvironmentBlendModes",
                EnumerateEnvironmentBlendModes
            );
            let (Some(types), Some(properties), Some(views), Some(modes)) =
                (types, properties, views, modes)
            else {
                return;
            };
            let mut found_types = [sys::ViewConfigurationType::PRIMARY_MONO; 4];
            let target = self.or_null(&mut found_types).cast();
            let result = types(instance, system, capacity, count, target);
            self.note(result);
            let mut found: sys::ViewConfigurationProperties = zeroed();
            found.ty = self.ty(sys::ViewConfigurationProperties::TYPE);
            let target = self.or_null(&mut found);
            let result = properties(instance, system, kind, target);
            self.note(result);
            let mut found_views: [sys::ViewConfigurationView; 4] = zeroed();
            for view in &mut found_views {
                view.ty = self.ty(sys::ViewConfigurationView::TYPE);
            }
            let target = self.or_null(&mut found_views).cast();
            let result = views(instance, system, kind, capacity, count, target);
            self.note(result);
            let mut found_modes = [sys::EnvironmentBlendMode::OPAQUE; 4];
            let target = self.or_null(&mut found_modes).cast();
            let result = modes(instance, system, kind, capacity, count, target);
            self.note(result);
        }
    }

    fn locate_views(&mut self) {
        let session = self.some_session();
        // SAFETY: as for the other calls. The array has the largest capacity.
        unsafe {
            let Some(locate) = function!(self, c"xrLocateViews", LocateViews) else {
                return;
            };
            let mut info: sys::ViewLocateInfo = zeroed();
            info.ty = self.ty(sys::ViewLocateInfo::TYPE);
            info.view_configuration_type = self.view_configuration();
            info.display_time = self.time();
            info.space = self.any();
            let mut state: sys::ViewState = zeroed();
            state.ty = self.ty(sys::ViewState::TYPE);
            let mut views: [sys::View; 4] = zeroed();
            for view in &mut views {
                view.ty = self.ty(sys::View::TYPE);
            }
            let mut count = 0;
            let capacity = self.random.pick(&[0, 1, 2, 4]);
            let count = self.or_null(&mut count);
            let (state, views) = (self.or_null(&mut state), self.or_null(&mut views).cast());
            let result = locate(session, &raw const info, state, capacity, count, views);
            self.note(result);
        }
    }

    /// Calls the functions of swapchains, which a session without graphics does not have.
    fn swapchain(&mut self) {
        let (session, swapchain) = (self.some_session(), self.any());
        // SAFETY: as for the other calls. The arrays have the largest capacity.
        unsafe {
            let formats = function!(
                self,
                c"xrEnumerateSwapchainFormats",
                EnumerateSwapchainFormats
            );
            let create = function!(self, c"xrCreateSwapchain", CreateSwapchain);
            let images = function!(
                self,
                c"xrEnumerateSwapchainImages",
                EnumerateSwapchainImages
            );
            let acquire = function!(self, c"xrAcquireSwapchainImage", AcquireSwapchainImage);
            let wait = function!(self, c"xrWaitSwapchainImage", WaitSwapchainImage);
            let release = function!(self, c"xrReleaseSwapchainImage", ReleaseSwapchainImage);
            let (Some(formats), Some(create), Some(images)) = (formats, create, images) else {
                return;
            };
            let (Some(acquire), Some(wait), Some(release)) = (acquire, wait, release) else {
                return;
            };
            let mut count = 0;
            let count = self.or_null(&mut count);
            let capacity = self.random.pick(&[0, 1, 4]);
            let mut numbers = [0_i64; 4];
            let target = self.or_null(&mut numbers).cast();
            let result = formats(session, capacity, count, target);
            self.note(result);
            let sizes = [0, 1, 64, 8192, u32::MAX];
            let mut info: sys::SwapchainCreateInfo = zeroed();
            info.ty = self.ty(sys::SwapchainCreateInfo::TYPE);
            info.create_flags = sys::SwapchainCreateFlags::from_raw(self.random.below(8));
            info.usage_flags = sys::SwapchainUsageFlags::from_raw(self.random.next());
            info.format = self.random.pick(&[0, 37, 43, 0x8058, i64::MIN]);
            info.sample_count = self.random.pick(&sizes);
            info.width = self.random.pick(&sizes);
            info.height = self.random.pick(&sizes);
            info.face_count = self.random.pick(&[1, 6, 0]);
            info.array_size = self.random.pick(&sizes);
            info.mip_count = self.random.pick(&sizes);
            let mut made = sys::Swapchain::NULL;
            let target = self.or_null(&mut made);
            let result = create(session, &raw const info, target);
            assert_ne!(result, sys::Result::SUCCESS, "no graphics");
            self.note(result);
            let mut found: [sys::SwapchainImageVulkanKHR; 4] = zeroed();
            for image in &mut found {
                image.ty = self.ty(sys::SwapchainImageVulkanKHR::TYPE);
            }
            let target = self.or_null(&mut found).cast();
            let result = images(swapchain, capacity, count, target);
            self.note(result);
            let mut index = 0;
            let target = self.or_null(&mut index);
            let result = acquire(swapchain, null(), target);
            self.note(result);
            let mut info: sys::SwapchainImageWaitInfo = zeroed();
            info.ty = self.ty(sys::SwapchainImageWaitInfo::TYPE);
            info.timeout = sys::Duration::from_nanos(self.random.pick(&[0, -1, i64::MAX]));
            let result = wait(swapchain, self.or_null(&mut info));
            self.note(result);
            let mut info: sys::SwapchainImageReleaseInfo = zeroed();
            info.ty = self.ty(sys::SwapchainImageReleaseInfo::TYPE);
            let result = release(swapchain, self.or_null(&mut info));
            self.note(result);
        }
    }

    /// Calls the functions of Vulkan, without any object of Vulkan.
    fn vulkan(&mut self) {
        let (instance, system) = (self.some_instance(), self.system_id());
        // SAFETY: as for the other calls. The runtime must find the null pointers before it calls Vulkan.
        unsafe {
            let name = self.random.pick(&[
                c"xrGetVulkanGraphicsRequirementsKHR",
                c"xrGetVulkanGraphicsRequirements2KHR",
            ]);
            let requirements = function!(self, name, GetVulkanGraphicsRequirementsKHR);
            let device = function!(
                self,
                c"xrGetVulkanGraphicsDeviceKHR",
                GetVulkanGraphicsDeviceKHR
            );
            let create = function!(self, c"xrCreateVulkanDeviceKHR", CreateVulkanDeviceKHR);
            let (Some(requirements), Some(device), Some(create)) = (requirements, device, create)
            else {
                return;
            };
            let mut found: sys::GraphicsRequirementsVulkanKHR = zeroed();
            found.ty = self.ty(sys::GraphicsRequirementsVulkanKHR::TYPE);
            let target = self.or_null(&mut found);
            let result = requirements(instance, system, target);
            self.note(result);
            let mut physical = null();
            let target = self.or_null(&mut physical);
            let result = device(instance, system, null(), target);
            assert_ne!(result, sys::Result::SUCCESS, "no instance of Vulkan");
            self.note(result);
            let mut info: sys::VulkanDeviceCreateInfoKHR = zeroed();
            info.ty = self.ty(sys::VulkanDeviceCreateInfoKHR::TYPE);
            info.system_id = system;
            let (mut made, mut code) = (null(), 0);
            let (made, code) = (self.or_null(&mut made), self.or_null(&mut code));
            let result = create(instance, self.or_null(&mut info), made, code);
            assert_ne!(result, sys::Result::SUCCESS, "no instance of Vulkan");
            self.note(result);
        }
    }

    /// Waits for, begins or ends a frame. The order is usually right, because a second wait takes time.
    fn frame(&mut self) {
        let session = self.some_session();
        // SAFETY: as for the other calls.
        unsafe {
            let wait = function!(self, c"xrWaitFrame", WaitFrame);
            let begin = function!(self, c"xrBeginFrame", BeginFrame);
            let end = function!(self, c"xrEndFrame", EndFrame);
            let (Some(wait), Some(begin), Some(end)) = (wait, begin, end) else {
                return;
            };
            let mut state: sys::FrameState = zeroed();
            state.ty = self.ty(sys::FrameState::TYPE);
            let target = self.or_null(&mut state);
            let result = wait(session, null(), target);
            let is_waited = self.note(result);
            let result = begin(session, null());
            self.note(result);
            let mut info: sys::FrameEndInfo = zeroed();
            info.ty = self.ty(sys::FrameEndInfo::TYPE);
            info.display_time = if is_waited {
                state.predicted_display_time
            } else {
                self.time()
            };
            info.environment_blend_mode =
                sys::EnvironmentBlendMode::from_raw(self.random.pick(&[1, 1, 1, 1, 2, 9]));
            let layers = [null()];
            info.layer_count = u32::from(self.random.rarely(10));
            info.layers = layers.as_ptr();
            let result = end(session, &raw const info);
            self.note(result);
        }
    }
}

/// Calls functions at random from two threads, and returns how often each result came.
pub(crate) fn run(
    get: pfn::GetInstanceProcAddr,
    seed: u64,
    calls: usize,
) -> std::collections::BTreeMap<i32, u64> {
    let newest = Arc::new(Newest::default());
    let threads = [seed, seed.wrapping_mul(31)].map(|seed| {
        let newest = Arc::clone(&newest);
        std::thread::spawn(move || {
            let mut caller = Caller::new(get, seed, newest);
            for _ in 0..calls {
                caller.call();
            }
            caller.results
        })
    });
    let mut all = std::collections::BTreeMap::new();
    for thread in threads {
        for (code, count) in thread.join().expect("no thread panics") {
            *all.entry(code).or_default() += count;
        }
    }
    // The runtime has one instance, which the next test of the process needs.
    let mut caller = Caller::new(get, seed, newest);
    // SAFETY: the function has this type, and the handle may be invalid.
    unsafe {
        if let Some(destroy) = function!(caller, c"xrDestroyInstance", DestroyInstance) {
            destroy(caller.instance());
        }
    }
    all
}

/// Returns the settings of the tests.
pub(crate) fn settings(recording: std::path::PathBuf) -> Settings {
    let mut settings = Settings::default();
    settings.recording = recording;
    settings
}
