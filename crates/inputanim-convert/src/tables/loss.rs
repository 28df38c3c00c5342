//! What a table cannot hold.

use std::fmt;

/// Something of a recording that a table does not hold, besides what it does not by its shape: a wide
/// table has what plays, and not the curves that play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Text leaves empty what is no number.
    NotFinite {
        /// How many cells.
        cells: u64,
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
            Loss::NotFinite { cells } => {
                let plural = plural(cells);
                write!(
                    f,
                    "{cells} number{plural} that a table leaves empty: not finite"
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
