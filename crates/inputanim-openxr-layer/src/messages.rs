//! Messages on the standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a message to standard error. The application may have closed it, so errors are ignored.
pub(crate) fn print(message: impl Display) {
    let _ = writeln!(io::stderr(), "inputanim: {message}");
}
