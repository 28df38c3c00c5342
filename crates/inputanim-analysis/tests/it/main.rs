//! Integration tests of the analysis, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_recording;
mod closed_forms;
mod damage;
mod devices;
mod documents;
mod figures;
mod invariance;
mod segments;
mod truth;
