//! Playback over another runtime, which this runtime loads.
//!
//! This runtime answers everything about input, spaces and views with the recording. Graphics, swapchains, frames and the
//! states of the session belong to the other runtime. The images that an application draws for the recorded head are shown
//! to the person with the headset as if fixed to the real head, because `layers` moves them from the recorded head to the
//! real one.
//!
//! A layer between the loader and the other runtime could do the same, but the loader tells an application only the
//! extensions of the runtime and of installed layers. An application would then not find hand tracking over a runtime without
//! it.
//!
//! Handles of spaces are those of the other runtime, so that its functions that this runtime does not know get valid ones.
//! | module | content |
//! |---|---|
//! | `runtime` | the other runtime, and instances over it |
//! | `calls` | the functions that change what the other runtime answers |
//! | `layers` | the layers of a frame |
//! | `table` | which runtime answers which function |

pub(crate) mod calls;
pub(crate) mod layers;
pub(crate) mod runtime;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
pub(crate) mod table;
