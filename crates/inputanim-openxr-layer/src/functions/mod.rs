//! The functions that the layer has between the application and the next layer.

pub(crate) mod actions;
pub(crate) mod frames;
pub(crate) mod hands;
pub(crate) mod haptics;
pub(crate) mod inputs;
pub(crate) mod instances;
pub(crate) mod labels;
pub(crate) mod locate;
pub(crate) mod sessions;
#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
pub(crate) mod table;
