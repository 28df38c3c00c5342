//! Any bytes parse or give an error, and every parsed recording can be summarised and examined.

use inputanim::{Recording, doctor, info::Info};

/// Checks that these bytes parse as a recording or give an error, and that a recording can be summarised and examined.
/// Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    match Recording::parse(bytes) {
        Ok(recording) => {
            let info = Info::of(&recording);
            assert_eq!(info.bytes, bytes.len() as u64);
            doctor::findings_with(&recording, &info);
        }
        Err(error) => {
            assert!(error.offset() <= bytes.len() as u64);
            assert!(!error.to_string().is_empty());
        }
    }
}
