//! The container MCAP (<https://mcap.dev>), for the formats whose messages it holds.

pub(crate) mod clock;
pub(crate) mod damage;
pub(crate) mod devices;
pub(crate) mod gaps;
pub(crate) mod origin;
pub(crate) mod output;
pub(crate) mod pieces;
pub(crate) mod provenance;
pub(crate) mod records;
mod summary;
pub(crate) mod topics;
pub(crate) mod undecoded;
