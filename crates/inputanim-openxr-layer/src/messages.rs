//! Messages on the standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a message. An application may have closed the standard error, so a failure is ignored.
pub(crate) fn print(message: impl Display) {
    let _ = writeln!(io::stderr(), "inputanim: {message}");
}
