//! Integration tests of the generator, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod motion;
mod recording;
mod reduction;
mod repair;
mod smoothing;
