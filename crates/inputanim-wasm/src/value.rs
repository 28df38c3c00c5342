//! Values of JavaScript: results as plain objects, and options from plain objects.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use crate::failure::Failure;

/// Returns a result as a plain object, with `null` for what is missing.
pub(crate) fn to_js(value: &(impl Serialize + ?Sized)) -> Result<JsValue, Failure> {
    value
        .serialize(&Serializer::json_compatible())
        .map_err(|error| Failure::new(error.to_string()))
}

/// Returns the options of a plain object, or the default options if the caller passes no object.
#[cfg(any(feature = "edits", feature = "formats"))]
pub(crate) fn options<T: serde::de::DeserializeOwned + Default>(
    value: JsValue,
) -> Result<T, Failure> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| Failure::new(format!("invalid options: {error}")))
}

/// Sets a property of a plain object.
pub(crate) fn set(object: &js_sys::Object, name: &str, value: impl Into<JsValue>) {
    // Setting a property of a plain object cannot fail.
    let _ = js_sys::Reflect::set(object, &name.into(), &value.into());
}
