//! Tables as Arrow record batches, which Arrow and Parquet files share.

mod cells;
mod keys_in;
mod read;
mod rows;
mod write;

pub(super) use read::{BatchReader, catch_panics};
pub(super) use write::ColumnarTable;
