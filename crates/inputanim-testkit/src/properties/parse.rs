//! Any bytes parse or give an error, and every parsed recording can be summarised and examined.

use inputanim::{Recording, doctor, summary::Summary};

/// Checks the property.
pub fn check(bytes: &[u8]) {
    match Recording::parse(bytes) {
        Ok(recording) => {
            let summary = Summary::of(&recording);
            assert_eq!(summary.bytes, bytes.len() as u64);
            doctor::examine_with(&recording, &summary);
        }
        Err(error) => {
            assert!(error.offset() <= bytes.len() as u64);
            assert!(!error.to_string().is_empty());
        }
    }
}
