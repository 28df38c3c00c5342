//! Takes that have lost w, and how well a repair gives it back: what the tests and
//! `cargo xtask accuracy` share.

pub(crate) mod case;
mod change;
mod recorder;
pub(crate) mod score;

pub(crate) use recorder::{Form, lose_w};
