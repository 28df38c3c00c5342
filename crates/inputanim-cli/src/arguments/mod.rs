//! The command line: names, times, values, and files that are opened without a command.

pub(crate) mod names;
pub(crate) mod opened;
// The shells of other systems expand patterns themselves.
#[cfg(any(windows, test))]
pub(crate) mod patterns;
pub(crate) mod time_range;
pub(crate) mod usage;
pub(crate) mod values;
