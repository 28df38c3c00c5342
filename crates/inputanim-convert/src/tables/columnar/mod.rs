//! Tables in memory, as Arrow has them: what Arrow files and Parquet share.

mod cells;
mod keys;
mod keys_in;
pub(super) mod read;
pub(super) mod schema;
mod wide;
mod wide_in;
pub(super) mod write;
