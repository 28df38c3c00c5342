//! Pointers that the layer gets from the application, and passes on.
//!
//! The layer reads a structure only after a check. It passes on a structure that it does not understand, so that the
//! application gets the error of the runtime.

use std::ffi::{CStr, c_char};

use openxr_sys as xr;

use crate::arguments::{In, Out, Parameter, Set, Structure};

/// A pointer that is valid during a call, or null.
#[derive(Clone, Copy)]
pub struct Given<P>(P);

/// A value that a function reads.
pub type Read<T> = Given<*const T>;

/// A value that a function writes.
pub type Write<T> = Given<*mut T>;

impl<T> Parameter for Read<T> {
    type Raw = *const T;

    unsafe fn take(raw: *const T) -> Result<Read<T>, xr::Result> {
        Ok(Given(raw))
    }
}

impl<T> Parameter for Write<T> {
    type Raw = *mut T;

    unsafe fn take(raw: *mut T) -> Result<Write<T>, xr::Result> {
        Ok(Given(raw))
    }
}

/// A structure of the layer, which must live until the call returns.
impl<T> From<&T> for Read<T> {
    fn from(value: &T) -> Read<T> {
        Given(value)
    }
}

/// A structure of the layer, which must live until the call returns.
impl<T> From<&mut T> for Write<T> {
    fn from(value: &mut T) -> Write<T> {
        Given(value)
    }
}

/// An array of the layer, which must live until the call returns.
impl<T> From<&mut [T]> for Write<T> {
    fn from(values: &mut [T]) -> Write<T> {
        Given(values.as_mut_ptr())
    }
}

/// A string of the layer, which must live until the call returns.
impl From<&CStr> for Read<c_char> {
    fn from(text: &CStr) -> Read<c_char> {
        Given(text.as_ptr())
    }
}

impl<T: Structure> Read<T> {
    /// Returns the structure, to read its fields; `None` if the pointer is null or not aligned, or the structure has
    /// another type.
    pub fn read(self) -> Option<In<T>> {
        // SAFETY: the application provides a structure.
        unsafe { In::take(self.0) }.ok()
    }
}

impl<T: Structure> Write<T> {
    /// Returns the structure that a function has filled in, to read its fields; `None` if the pointer is null or not
    /// aligned, or the structure has another type.
    pub fn read(self) -> Option<In<T>> {
        // SAFETY: as above.
        unsafe { In::take(self.0.cast_const()) }.ok()
    }
}

impl<T: Structure> Write<T> {
    /// Returns the structure, to change its fields; `None` if the pointer is null or not aligned, or the structure has
    /// another type.
    pub fn edit(self) -> Option<Out<T>> {
        // SAFETY: as above.
        unsafe { Out::take(self.0) }.ok()
    }
}

impl<T> Write<T> {
    /// Returns the memory for a value, which may not be initialised; `None` if the pointer is null or not aligned.
    pub fn output(self) -> Option<Set<T>> {
        // SAFETY: the application provides memory for the value, or null.
        unsafe { Set::take(self.0) }.ok()
    }
}

impl<T: Copy> Write<T> {
    /// Returns a copy of the value that a function has written; `None` if the pointer is null.
    pub fn value(self) -> Option<T> {
        // SAFETY: the pointer is null or valid, and the function has written the value.
        unsafe { self.0.as_ref() }.copied()
    }
}

impl<T> Write<Option<T>> {
    /// Writes `value`, which may be `None`, to the memory of the caller. Does nothing if the pointer is null.
    pub fn set(self, value: Option<T>) {
        // SAFETY: the pointer is null or valid.
        if let Some(output) = unsafe { self.0.as_mut() } {
            *output = value;
        }
    }
}

impl Read<xr::HapticBaseHeader> {
    /// Returns the structure of a haptic event, to read it; `None` if it is of another type than `T`.
    pub fn haptic<T: Structure>(self) -> Option<In<T>> {
        Given(self.0.cast::<T>()).read()
    }
}

impl Write<xr::EventDataBuffer> {
    /// Returns the event that a function has written, to read it; `None` if it is an event of another type than `T`.
    pub fn event<T: Structure>(self) -> Option<In<T>> {
        const { assert!(size_of::<T>() <= size_of::<xr::EventDataBuffer>()) };
        Given(self.0.cast::<T>()).read()
    }

    /// Makes the memory ready for another event, after an event that is not passed on. Does nothing if the pointer is null.
    pub fn empty(self) {
        // SAFETY: the pointer is null or valid.
        if let Some(buffer) = unsafe { self.0.as_mut() } {
            buffer.ty = xr::EventDataBuffer::TYPE;
            buffer.next = std::ptr::null();
        }
    }
}

/// A value in the form in which a function of C gets it.
pub trait Argument: Parameter {
    /// Converts the value to its form in C, to pass it to a function of C.
    fn pass(self) -> Self::Raw;
}

impl<T> Argument for Read<T> {
    fn pass(self) -> *const T {
        self.0
    }
}

impl<T> Argument for Write<T> {
    fn pass(self) -> *mut T {
        self.0
    }
}

macro_rules! values {
    ($($type:ty),*) => {$(
        impl Argument for $type {
            fn pass(self) -> $type {
                self
            }
        }
    )*};
}

values!(
    u32,
    xr::SystemId,
    xr::Action,
    xr::ActionSet,
    xr::HandTrackerEXT,
    xr::Instance,
    xr::Path,
    xr::Session,
    xr::Space,
    xr::Time
);
