//! The functions of OpenXR that this runtime answers: `xrCreateAction` is `create` of the module `actions`.
//!
//! | module | content |
//! |---|---|
//! | `table` | the names of the functions, and what an application needs for each |
//! | `checks` | checks of arguments that several functions have |
//! | `locate` | poses and velocities of spaces |
//! | others | the functions, by the sections of the specification |

pub(crate) mod actions;
pub(crate) mod bindings;
pub(crate) mod checks;
#[cfg(windows)]
pub(crate) mod direct3d;
pub(crate) mod frames;
pub(crate) mod hands;
pub(crate) mod inputs;
pub(crate) mod instances;
pub(crate) mod locate;
#[cfg(target_os = "linux")]
pub(crate) mod opengl;
pub(crate) mod paths;
pub(crate) mod sessions;
pub(crate) mod spaces;
pub(crate) mod swapchains;
pub(crate) mod systems;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
pub(crate) mod table;
pub(crate) mod times;
#[allow(unsafe_code, reason = "the functions of Vulkan")]
pub(crate) mod vulkan;
