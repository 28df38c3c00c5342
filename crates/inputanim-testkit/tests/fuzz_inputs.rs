//! Checks the property of each fuzz target on the committed inputs of all targets, and on random
//! mutations of them.

use inputanim_testkit::{check_fuzz_inputs, check_mutated_inputs, properties};

/// Declares the two tests of a property.
macro_rules! properties {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[test]
            fn holds_for_committed_inputs() {
                check_fuzz_inputs(properties::$name::check);
            }

            #[test]
            fn holds_for_mutated_inputs() {
                check_mutated_inputs(properties::$name::check, 2);
            }
        }
    )*};
}

properties! {
    diff,
    doctor,
    #[cfg(feature = "formats")]
    frames,
    #[cfg(feature = "formats")]
    gltf,
    #[cfg(feature = "formats")]
    handsbin,
    #[cfg(feature = "exchange")]
    isaac,
    #[cfg(feature = "formats")]
    iwer,
    #[cfg(feature = "formats")]
    json,
    #[cfg(feature = "mcap")]
    mcap,
    parse,
    #[cfg(feature = "formats")]
    read,
    recover,
    reduce,
    repair,
    round_trip,
    sampler,
    session,
    #[cfg(feature = "tables")]
    tables,
    #[cfg(feature = "exchange")]
    xdf,
}
