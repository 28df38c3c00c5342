//! Tables as Arrow record batches, which Arrow and Parquet files share.

mod cells;
mod keys;
mod keys_in;
mod read;
mod rows;
mod schema;
mod tidy;
mod wide;
mod write;

pub(super) use read::{BatchReader, catch_panics};
pub(super) use write::ColumnarTable;
