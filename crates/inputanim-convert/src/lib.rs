//! Other formats: one module each, with a `write` and, where the format can come back, a `read`.
//!
//! | module | out | in | what is lost |
//! |---|---|---|---|
//! | [`json`] | yes | yes | nothing |

#![forbid(unsafe_code)]

pub mod json;
