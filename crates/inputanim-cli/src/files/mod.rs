//! Inputs and outputs: one file, and many at once.

pub(crate) mod batch;
pub(crate) mod in_out;
pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod triggers;
pub(crate) mod video;
