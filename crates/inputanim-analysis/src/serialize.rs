//! Serialisation of values that may be missing.

use serde::Serializer;

use crate::missing::Measured;

/// Serialises the value of a measure: its number, or nothing (`null` in JSON) if it is missing.
pub(crate) fn measured<S: Serializer>(value: &Measured, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Ok(value) => serializer.serialize_some(value),
        Err(_) => serializer.serialize_none(),
    }
}
