//! The objects of an application, as data: an instance, its session, and what both have.
//!
//! | module | content |
//! |---|---|
//! | `state` | the instance, behind the lock of the runtime |
//! | `instance`, `session` | the two objects that have all others |
//! | `actions`, `frames`, `hands`, `paths`, `spaces`, `swapchains` | the objects of an instance and of a session |
//! | `below` | the runtime over which a recording is played |
//! | `profiles`, `users` | the inputs of interaction profiles, and the users that have them |
//! | `usage` | the inputs that an application got, for the report |
//! | `handles` | tables of objects |

pub(crate) mod actions;
pub(crate) mod below;
pub(crate) mod frames;
pub(crate) mod handles;
pub(crate) mod hands;
pub(crate) mod instance;
pub(crate) mod paths;
pub(crate) mod profiles;
pub(crate) mod session;
pub(crate) mod spaces;
pub(crate) mod state;
pub(crate) mod swapchains;
pub(crate) mod usage;
pub(crate) mod users;
