//! The foreign function interface (FFI) between Rust and the C interface of OpenXR, which the runtime and the layer of
//! inputanim share.
//!
//! | module | content |
//! |---|---|
//! | `arguments` | the arguments of functions that a runtime answers: they are checked before they are read |
//! | `given` | the arguments that a layer passes on, also if it does not understand them |
//! | `next` | the functions of the next layer or of the runtime |
//! | `negotiate` | the first call of the loader |
//!
//! The functions of this crate are safe if the application obeys the rules of OpenXR for valid pointers (OpenXR 1.1,
//! section 2.18). Null pointers, and structures of a wrong type, are errors.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "pointers come from structures of the application, for which the rules of OpenXR hold"
)]

mod arguments;
mod given;
mod negotiate;
mod next;

pub use arguments::{
    Buffer, DONE, Get, INVALID, In, Lent, Out, Parameter, Reply, Set, Str, Structure, check,
    fixed_string, guard, write_fixed,
};
pub use given::{Argument, Given, Read, Write};
pub use negotiate::{API_VERSION, negotiate_layer, negotiate_runtime};
pub use next::{Chain, EXCLUDE_HAND_TRACKER, Next, OtherRuntime};
