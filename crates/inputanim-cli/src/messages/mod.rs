//! Messages on standard error, and the words of results: errors, hints, warnings, summaries.

pub(crate) mod diagnostics;
pub(crate) mod file_name;
pub(crate) mod findings;
pub(crate) mod hints;
pub(crate) mod outcome;
pub(crate) mod progress;
pub(crate) mod scan_error;
pub(crate) mod style;
pub(crate) mod suggestion;
pub(crate) mod text;
