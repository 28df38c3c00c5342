//! Arguments of functions, structures, and lists that the caller provides.
//!
//! A caller must obey the rules of OpenXR for valid pointers (OpenXR 1.1, section 2.18). Null pointers and structures of a
//! wrong type are errors.

use std::ffi::{CStr, c_char, c_void};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::slice;

use openxr_sys as xr;
use openxr_sys::platform::VkInstance;

/// The result of a function: a code of success, or a code of failure.
pub type Reply = Result<xr::Result, xr::Result>;

/// The reply of a function that succeeded.
pub const DONE: Reply = Ok(xr::Result::SUCCESS);

/// The failure of an argument that the specification forbids.
pub const INVALID: xr::Result = xr::Result::ERROR_VALIDATION_FAILURE;

/// Converts the result of an OpenXR call: codes of success become `Ok`.
///
/// # Errors
/// If the result is a code of failure, which is the error.
pub fn check(result: xr::Result) -> Result<(), xr::Result> {
    if result.into_raw() >= 0 {
        Ok(())
    } else {
        Err(result)
    }
}

/// Runs a function and returns its code of success or failure. A panic becomes `ERROR_RUNTIME_FAILURE`, because a panic
/// must not reach code in C.
pub fn guard(call: impl FnOnce() -> Reply) -> xr::Result {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(code) | Err(code)) => code,
        Err(_) => xr::Result::ERROR_RUNTIME_FAILURE,
    }
}

/// An argument of a function, made from its form in C.
pub trait Parameter: Sized {
    /// The form in C.
    type Raw;

    /// Checks an argument and converts it from its form in C.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if a pointer is null or not aligned, or if a structure has another type.
    ///
    /// # Safety
    /// A pointer that is not null must point to a value of its type for the duration of the call.
    unsafe fn take(raw: Self::Raw) -> Result<Self, xr::Result>;
}

/// A structure that begins with its type and a chain of more structures.
pub trait Structure {
    /// The type of the structure.
    const TYPE: xr::StructureType;
    /// Returns the value of the field `type` of this structure, which the caller has written.
    fn found(&self) -> xr::StructureType;
    /// Returns the pointer `next` of this structure: the next structure of its chain, or null.
    fn chain(&self) -> *const c_void;
}

macro_rules! structures {
    ($($name:ident),* $(,)?) => {$(
        impl Structure for xr::$name {
            const TYPE: xr::StructureType = xr::$name::TYPE;
            fn found(&self) -> xr::StructureType {
                self.ty
            }
            fn chain(&self) -> *const c_void {
                self.next.cast()
            }
        }
    )*};
}

structures!(
    ActionCreateInfo,
    ActionSetCreateInfo,
    ActionSpaceCreateInfo,
    ActionStateBoolean,
    ActionStateFloat,
    ActionStateGetInfo,
    ActionStatePose,
    ActionStateVector2f,
    ActionsSyncInfo,
    BoundSourcesForActionEnumerateInfo,
    CompositionLayerCubeKHR,
    CompositionLayerCylinderKHR,
    CompositionLayerDepthInfoKHR,
    CompositionLayerEquirect2KHR,
    CompositionLayerEquirectKHR,
    CompositionLayerProjection,
    CompositionLayerProjectionView,
    CompositionLayerQuad,
    DebugUtilsLabelEXT,
    DebugUtilsMessengerCallbackDataEXT,
    DebugUtilsMessengerCreateInfoEXT,
    DebugUtilsObjectNameInfoEXT,
    EventDataEventsLost,
    EventDataInteractionProfileChanged,
    EventDataReferenceSpaceChangePending,
    EventDataSessionStateChanged,
    EventDataViveTrackerConnectedHTCX,
    ExtensionProperties,
    EyeGazeSampleTimeEXT,
    FrameBeginInfo,
    FrameEndInfo,
    FrameState,
    FrameWaitInfo,
    GraphicsBindingOpenGLXlibKHR,
    GraphicsBindingVulkanKHR,
    GraphicsRequirementsOpenGLKHR,
    GraphicsRequirementsVulkanKHR,
    HandJointLocationsEXT,
    HandJointVelocitiesEXT,
    HandJointsLocateInfoEXT,
    HandTrackerCreateInfoEXT,
    HandTrackingDataSourceInfoEXT,
    HandTrackingDataSourceStateEXT,
    HapticActionInfo,
    HapticVibration,
    InputSourceLocalizedNameGetInfo,
    InstanceCreateInfo,
    InstanceProperties,
    InteractionProfileState,
    InteractionProfileSuggestedBinding,
    ReferenceSpaceCreateInfo,
    SessionActionSetsAttachInfo,
    SessionBeginInfo,
    SessionCreateInfo,
    SpaceLocation,
    SpaceLocations,
    SpaceVelocities,
    SpaceVelocity,
    SpacesLocateInfo,
    SwapchainCreateInfo,
    SwapchainImageAcquireInfo,
    SwapchainImageReleaseInfo,
    SwapchainImageOpenGLKHR,
    SwapchainImageVulkanKHR,
    SwapchainImageWaitInfo,
    SystemEyeGazeInteractionPropertiesEXT,
    SystemGetInfo,
    SystemHandTrackingPropertiesEXT,
    SystemProperties,
    View,
    ViewConfigurationProperties,
    ViewConfigurationView,
    ViewLocateInfo,
    ViewState,
    ViveTrackerPathsHTCX,
    VulkanDeviceCreateInfoKHR,
    VulkanGraphicsDeviceGetInfoKHR,
    VulkanInstanceCreateInfoKHR,
);

#[cfg(windows)]
structures!(
    GraphicsBindingD3D11KHR,
    GraphicsBindingD3D12KHR,
    GraphicsRequirementsD3D11KHR,
    GraphicsRequirementsD3D12KHR,
    SwapchainImageD3D11KHR,
    SwapchainImageD3D12KHR,
);

/// The structures of a chain, at most. A longer chain is probably a circle.
const LONGEST_CHAIN: usize = 64;

/// Finds the first structure with the type of `T` in the chain that begins at `next`; `None` if the chain has none.
///
/// # Safety
/// The chain must consist of valid structures.
unsafe fn find<T: Structure>(mut next: *const c_void) -> Option<*const T> {
    for _ in 0..LONGEST_CHAIN {
        let header = next.cast::<xr::BaseInStructure>();
        if header.is_null() || !header.is_aligned() {
            return None;
        }
        // SAFETY: the pointer is valid, and every structure begins with this header.
        let header_value = unsafe { &*header };
        if header_value.ty == T::TYPE {
            return Some(header.cast());
        }
        next = header_value.next.cast();
    }
    None
}

/// A structure that a function reads.
pub struct In<T>(*const T);

impl<T> Deref for In<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the pointer was checked when the argument was taken, and is valid during the call.
        unsafe { &*self.0 }
    }
}

impl<T> In<T> {
    /// Returns the array of `count` elements to which `pointer`, a field of this structure, points.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if the pointer is null or not aligned, and `count` is not 0.
    pub fn array<U>(&self, pointer: *const U, count: u32) -> Result<&[U], xr::Result> {
        if count == 0 {
            return Ok(&[]);
        }
        if pointer.is_null() || !pointer.is_aligned() {
            return Err(INVALID);
        }
        // SAFETY: the caller provides this number of elements.
        Ok(unsafe { slice::from_raw_parts(pointer, count as usize) })
    }

    /// Returns the array of `count` strings to which `pointer`, a field of this structure, points.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if a pointer is null or not aligned, or a string is not UTF-8.
    pub fn strings(
        &self,
        pointer: *const *const c_char,
        count: u32,
    ) -> Result<Vec<&str>, xr::Result> {
        let pointers = self.array(pointer, count)?;
        // SAFETY: the caller provides strings that end with a NUL.
        let strings = pointers
            .iter()
            .map(|&string| unsafe { read_string(string) });
        strings.collect()
    }

    /// Returns the string to which `pointer`, a field of this structure, points.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if the pointer is null, or the string is not UTF-8.
    pub fn string(&self, pointer: *const c_char) -> Result<&str, xr::Result> {
        // SAFETY: the caller provides a string that ends with a NUL.
        unsafe { read_string(pointer) }
    }

    /// Returns the structure to which `pointer`, a field of this structure, points.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if the pointer is null or not aligned, or the structure has another type than `U`.
    pub fn pointed<U: Structure>(&self, pointer: *const U) -> Result<In<U>, xr::Result> {
        // SAFETY: the caller provides a structure.
        unsafe { In::take(pointer) }
    }
}

impl<T: Structure> In<T> {
    /// Returns the types of the structures in the chain of this structure, without its own type. The list ends after
    /// 64 types.
    pub fn types(&self) -> Vec<xr::StructureType> {
        let mut types = Vec::new();
        let mut next = self.chain();
        while types.len() < LONGEST_CHAIN {
            let header = next.cast::<xr::BaseInStructure>();
            if header.is_null() || !header.is_aligned() {
                break;
            }
            // SAFETY: the structure is valid, so its chain is too.
            let header = unsafe { &*header };
            types.push(header.ty);
            next = header.next.cast();
        }
        types
    }

    /// Returns the structure of type `U` in the chain of this structure; `None` if the chain has none.
    pub fn chained<U: Structure>(&self) -> Option<In<U>> {
        // SAFETY: the structure is valid, so its chain is too.
        unsafe { find(self.chain()) }.map(In)
    }
}

impl<T: Structure> Parameter for In<T> {
    type Raw = *const T;

    unsafe fn take(raw: *const T) -> Result<In<T>, xr::Result> {
        if raw.is_null() || !raw.is_aligned() {
            return Err(INVALID);
        }
        let value = In(raw);
        if value.found() == T::TYPE {
            Ok(value)
        } else {
            Err(INVALID)
        }
    }
}

/// A structure that may be missing.
impl<T: Structure> Parameter for Option<In<T>> {
    type Raw = *const T;

    unsafe fn take(raw: *const T) -> Result<Option<In<T>>, xr::Result> {
        if raw.is_null() {
            return Ok(None);
        }
        // SAFETY: as for a structure that is required.
        unsafe { In::take(raw) }.map(Some)
    }
}

/// A structure that a function fills in. Its type and its chain belong to the caller.
pub struct Out<T>(*mut T);

impl<T> Deref for Out<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the pointer was checked when the argument was taken, and is valid during the call.
        unsafe { &*self.0 }
    }
}

impl<T> DerefMut for Out<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above; nothing else uses the structure during the call.
        unsafe { &mut *self.0 }
    }
}

impl<T: Structure> Out<T> {
    /// Returns the structure of type `U` in the chain of this structure, to fill it in; `None` if the chain has none.
    pub fn chained<U: Structure>(&self) -> Option<Out<U>> {
        // SAFETY: the structure is valid, so its chain is too. The structures of a chain do not overlap.
        unsafe { find::<U>(self.chain()) }.map(|found| Out(found.cast_mut()))
    }

    /// Calls `call` while the chain of this structure does not have its structure of type `U`, and returns the result.
    pub fn hiding<U: Structure, R>(&self, call: impl FnOnce() -> R) -> R {
        let mut header = self.0.cast::<xr::BaseOutStructure>();
        for _ in 0..LONGEST_CHAIN {
            // SAFETY: the structure is valid, so its chain is too, and every structure begins with this header.
            let next = unsafe { (*header).next };
            if next.is_null() || !next.is_aligned() {
                break;
            }
            // SAFETY: as above. The chain belongs to the caller, which does not use it during the call.
            unsafe {
                if (*next).ty == U::TYPE {
                    (*header).next = (*next).next;
                    let result = call();
                    (*header).next = next;
                    return result;
                }
            }
            header = next;
        }
        call()
    }

    /// Returns the array of `count` elements to which `pointer`, a field of this structure, points, to fill it in.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if the pointer is null or not aligned, and `count` is not 0.
    pub fn array<U>(&mut self, pointer: *mut U, count: u32) -> Result<&mut [U], xr::Result> {
        if count == 0 {
            return Ok(&mut []);
        }
        if pointer.is_null() || !pointer.is_aligned() {
            return Err(INVALID);
        }
        // SAFETY: the caller provides this number of elements, which nothing else uses during the call.
        Ok(unsafe { slice::from_raw_parts_mut(pointer, count as usize) })
    }
}

impl<T: Structure> Parameter for Out<T> {
    type Raw = *mut T;

    unsafe fn take(raw: *mut T) -> Result<Out<T>, xr::Result> {
        if raw.is_null() || !raw.is_aligned() {
            return Err(INVALID);
        }
        let value = Out(raw);
        if value.found() == T::TYPE {
            Ok(value)
        } else {
            Err(INVALID)
        }
    }
}

/// A value that a function writes to the memory of the caller, and does not read.
pub struct Set<T>(*mut T);

impl<T> Set<T> {
    /// Writes the value to the memory of the caller.
    pub fn set(&self, value: T) {
        // SAFETY: the pointer was checked when the argument was taken, and is valid during the call.
        unsafe { self.0.write(value) }
    }
}

impl<T> Parameter for Set<T> {
    type Raw = *mut T;

    unsafe fn take(raw: *mut T) -> Result<Set<T>, xr::Result> {
        if raw.is_null() || !raw.is_aligned() {
            Err(INVALID)
        } else {
            Ok(Set(raw))
        }
    }
}

/// A value that a function reads. It has no field for its type, unlike the structure of [`In`].
pub struct Get<T>(*const T);

impl<T> Deref for Get<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the pointer was checked when the argument was taken, and is valid during the call.
        unsafe { &*self.0 }
    }
}

impl<T> Parameter for Get<T> {
    type Raw = *const T;

    unsafe fn take(raw: *const T) -> Result<Get<T>, xr::Result> {
        if raw.is_null() || !raw.is_aligned() {
            Err(INVALID)
        } else {
            Ok(Get(raw))
        }
    }
}

/// A string in UTF-8.
pub struct Str(*const c_char);

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        // SAFETY: the string was checked when the argument was taken, and is valid during the call.
        unsafe { read_string(self.0) }.unwrap_or_default()
    }
}

impl Parameter for Str {
    type Raw = *const c_char;

    unsafe fn take(raw: *const c_char) -> Result<Str, xr::Result> {
        // SAFETY: the caller provides a string that ends with a NUL.
        unsafe { read_string(raw) }?;
        Ok(Str(raw))
    }
}

/// Returns the string in UTF-8 at a pointer.
///
/// # Errors
/// `ERROR_VALIDATION_FAILURE` if the pointer is null, or the string is not UTF-8.
///
/// # Safety
/// A pointer that is not null must point to a string that ends with a NUL.
unsafe fn read_string<'a>(pointer: *const c_char) -> Result<&'a str, xr::Result> {
    if pointer.is_null() {
        return Err(INVALID);
    }
    // SAFETY: the string ends with a NUL.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| INVALID)
}

/// Returns the string in a fixed-size array of C; `None` if it does not end with a NUL or is not UTF-8.
pub fn fixed_string(bytes: &[c_char]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let bytes = bytes[..end].iter().map(|&byte| byte as u8).collect();
    String::from_utf8(bytes).ok()
}

/// Writes a string and a NUL into a fixed-size array of C, and fills the rest with zeros. A string that is too long is cut
/// between two characters, so that the rest is UTF-8.
///
/// ```
/// let mut letters = [1; 4];
/// inputanim_openxr_ffi::write_fixed("naïve", &mut letters);
/// assert_eq!(inputanim_openxr_ffi::fixed_string(&letters).as_deref(), Some("na"));
/// ```
pub fn write_fixed(text: &str, output: &mut [c_char]) {
    let length = text.floor_char_boundary(output.len().saturating_sub(1));
    output.fill(0);
    for (to, &from) in output.iter_mut().zip(&text.as_bytes()[..length]) {
        *to = from as c_char;
    }
}

/// The memory for a list. It is null when the caller asks for the number of elements.
pub struct Buffer<T>(*mut T);

impl<T> Parameter for Buffer<T> {
    type Raw = *mut T;

    unsafe fn take(raw: *mut T) -> Result<Buffer<T>, xr::Result> {
        if raw.is_aligned() {
            Ok(Buffer(raw))
        } else {
            Err(INVALID)
        }
    }
}

impl<T> Buffer<T> {
    /// Writes `length` to `count`, and returns the memory for `length` elements. `None` if there is nothing to write:
    /// the `capacity` is 0, because the caller only asks for the length, or `length` is 0 (OpenXR 1.1, section 2.11,
    /// the two-call idiom).
    ///
    /// Fails with `ERROR_SIZE_INSUFFICIENT` if a `capacity` above 0 is smaller than `length`, and with
    /// `ERROR_VALIDATION_FAILURE` if the memory is null.
    fn space(
        self,
        capacity: u32,
        count: &Set<u32>,
        length: usize,
    ) -> Result<Option<*mut T>, xr::Result> {
        let length = u32::try_from(length).map_err(|_| xr::Result::ERROR_RUNTIME_FAILURE)?;
        count.set(length);
        if capacity == 0 || length == 0 {
            return Ok(None);
        }
        if capacity < length {
            return Err(xr::Result::ERROR_SIZE_INSUFFICIENT);
        }
        if self.0.is_null() {
            return Err(INVALID);
        }
        Ok(Some(self.0))
    }

    /// Writes the number of values to `count`, and then the values to this memory, which has space for `capacity`
    /// values. With a `capacity` of 0, it only writes the number.
    ///
    /// # Errors
    /// `ERROR_SIZE_INSUFFICIENT` if the memory is too small, and `ERROR_VALIDATION_FAILURE` if it is null.
    pub fn fill(self, capacity: u32, count: &Set<u32>, values: &[T]) -> Reply
    where
        T: Copy,
    {
        if let Some(space) = self.space(capacity, count, values.len())? {
            // SAFETY: the caller provides the capacity, which may not be initialised.
            unsafe { space.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        }
        DONE
    }
}

impl<T: Structure> Buffer<T> {
    /// Writes `length` to `count`, and then calls `write` with the index of each structure and the structure, to fill
    /// it in. `write` must not change the type and the chain. With a `capacity` of 0, it only writes `length`.
    ///
    /// # Errors
    /// `ERROR_SIZE_INSUFFICIENT` if the memory has space for fewer than `length` structures, and
    /// `ERROR_VALIDATION_FAILURE` if it is null or a structure has another type than `T`.
    pub fn fill_structures(
        self,
        capacity: u32,
        count: &Set<u32>,
        length: usize,
        write: impl Fn(usize, &mut T),
    ) -> Reply {
        if let Some(space) = self.space(capacity, count, length)? {
            // SAFETY: the caller provides structures, which nothing else uses during the call.
            let space = unsafe { slice::from_raw_parts_mut(space, length) };
            if space.iter().any(|structure| structure.found() != T::TYPE) {
                return Err(INVALID);
            }
            for (index, structure) in space.iter_mut().enumerate() {
                write(index, structure);
            }
        }
        DONE
    }
}

impl Buffer<c_char> {
    /// Writes the length of a string with its NUL to `count`, and then the string and the NUL to this memory, which has
    /// space for `capacity` bytes. With a `capacity` of 0, it only writes the length.
    ///
    /// # Errors
    /// `ERROR_SIZE_INSUFFICIENT` if the memory is too small, and `ERROR_VALIDATION_FAILURE` if it is null.
    pub fn fill_string(self, capacity: u32, count: &Set<u32>, text: &str) -> Reply {
        let bytes = text.bytes().chain([0]);
        let letters: Vec<c_char> = bytes.map(|byte| byte as c_char).collect();
        self.fill(capacity, count, &letters)
    }

    /// Writes a string and a NUL into this memory of `SIZE` bytes, and fills the rest with zeros. A string that is too
    /// long is cut between two characters.
    ///
    /// # Errors
    /// `ERROR_VALIDATION_FAILURE` if the memory is null.
    pub fn write<const SIZE: usize>(self, text: &str) -> Reply {
        if self.0.is_null() {
            return Err(INVALID);
        }
        let mut letters = [0; SIZE];
        write_fixed(text, &mut letters);
        // SAFETY: the caller provides this size, which is a constant of OpenXR.
        unsafe { self.0.cast::<[c_char; SIZE]>().write(letters) };
        DONE
    }
}

/// The images of a swapchain, whose type depends on the graphics.
impl Buffer<xr::SwapchainImageBaseHeader> {
    /// Returns this memory as memory for images of the type `T` of a graphics API.
    pub fn cast<T: Structure>(self) -> Buffer<T> {
        Buffer(self.0.cast())
    }
}

/// An event that is being returned.
impl Set<xr::EventDataBuffer> {
    /// Writes an event of the type `T` to the memory for events of the caller, which has space for an event of any
    /// type.
    pub fn set_event<T: Structure>(&self, event: T) {
        const { assert!(size_of::<T>() <= size_of::<xr::EventDataBuffer>()) };
        // SAFETY: the memory is large enough, and aligned for every structure of OpenXR.
        unsafe { self.0.cast::<T>().write(event) }
    }
}

/// A structure to which events point. It stays at its place, and nothing changes it until it is dropped.
pub struct Lent<T>(NonNull<T>);

// SAFETY: only the application reads the structure, and nothing changes it.
unsafe impl<T> Send for Lent<T> {}

impl<T: Structure> Lent<T> {
    /// Moves a structure to its place.
    pub fn new(structure: T) -> Lent<T> {
        Lent(NonNull::from(Box::leak(Box::new(structure))))
    }

    /// Returns the pointer for events.
    pub const fn pointer(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer is that of a box, which is freed once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Parameters that have the same form in C.
macro_rules! values {
    ($($type:ty),* $(,)?) => {$(
        impl Parameter for $type {
            type Raw = $type;

            unsafe fn take(raw: $type) -> Result<$type, xr::Result> {
                Ok(raw)
            }
        }
    )*};
}

values!(
    u32,
    xr::Action,
    xr::ActionSet,
    xr::DebugUtilsMessageSeverityFlagsEXT,
    xr::DebugUtilsMessageTypeFlagsEXT,
    xr::DebugUtilsMessengerEXT,
    xr::HandTrackerEXT,
    xr::Instance,
    xr::Path,
    xr::ReferenceSpaceType,
    xr::Result,
    xr::Session,
    xr::Space,
    xr::StructureType,
    xr::Swapchain,
    xr::SystemId,
    xr::Time,
    xr::ViewConfigurationType,
);

impl Parameter for VkInstance {
    type Raw = VkInstance;

    unsafe fn take(raw: VkInstance) -> Result<VkInstance, xr::Result> {
        Ok(raw)
    }
}

/// Returns a function in the form in which applications get it. `$pfn` is its type in OpenXR, so that the compiler
/// checks the arguments.
#[macro_export]
macro_rules! entry {
    ($pfn:ident, $function:path, $($argument:ident: $type:ty),*) => {{
        unsafe extern "system" fn entry($($argument: <$type as $crate::Parameter>::Raw),*) -> openxr_sys::Result {
            $crate::guard(|| {
                // SAFETY: the caller obeys the rules of OpenXR for arguments.
                $function($(unsafe { <$type as $crate::Parameter>::take($argument) }?),*)
            })
        }
        let function: openxr_sys::pfn::$pfn = entry;
        // SAFETY: all functions have the same size. The caller converts the type back before a call.
        unsafe { std::mem::transmute::<openxr_sys::pfn::$pfn, openxr_sys::pfn::VoidFunction>(function) }
    }};
}

/// Finds a function of OpenXR by its name, and returns it as [`entry!`](crate::entry) does.
#[macro_export]
macro_rules! find_entry {
    ($name:expr, $($(#[$meta:meta])* $pfn:ident => $function:path, $($argument:ident: $type:ty),*;)*) => {
        match $name {
            $($(#[$meta])* concat!("xr", stringify!($pfn)) => Some($crate::entry!($pfn, $function, $($argument: $type),*)),)*
            _ => None,
        }
    };
}
