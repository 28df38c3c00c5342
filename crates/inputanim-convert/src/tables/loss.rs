//! What a table cannot hold.

use std::fmt;

/// Something of a recording that a table does not hold, or of a table that does not come in; besides what
/// is so by its shape: a wide table has what plays, and not the curves that play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Poses and rays with a number that is not finite: text leaves them empty, and no frame can have
    /// them.
    NotFinite {
        /// How many.
        poses: u64,
    },
    /// Markers without a name or a finite time: text has no rows for them.
    Markers {
        /// How many.
        markers: u64,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        match *self {
            Loss::NotFinite { poses } => {
                let plural = plural(poses);
                write!(
                    f,
                    "{poses} pose{plural} or ray{plural} with a number that is not finite"
                )
            }
            Loss::Markers { markers } => {
                let plural = plural(markers);
                write!(
                    f,
                    "{markers} marker{plural} without a name or a finite time"
                )
            }
        }
    }
}
