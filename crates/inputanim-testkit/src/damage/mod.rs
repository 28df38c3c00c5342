//! Recordings with lost w curves, and the accuracy of their repair. Used by tests and by
//! `cargo xtask accuracy`.

pub mod case;
mod change;
mod recorder;
pub mod score;

pub use recorder::{WLoss, lose_w};
