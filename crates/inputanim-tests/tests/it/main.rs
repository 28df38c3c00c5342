//! Integration tests of the library, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod aligning;
mod clocks;
mod corpus;
mod curve_index;
mod devices;
mod diff;
mod documents;
mod edits;
mod evaluation;
mod filling;
mod headset;
mod known;
mod malformed;
mod player;
mod properties;
mod recorder;
mod recorder_allocates_nothing;
mod recorder_time;
mod reduce;
mod repair;
mod resampling;
mod sampling;
mod session;
mod session_faults;
mod session_survives_kills;
mod sessions;
mod smoothing;
mod velocities;
mod zeros;
