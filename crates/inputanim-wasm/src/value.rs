//! Values of JavaScript: results as plain objects, and options from plain objects.

use inputanim::Limits;
#[cfg(feature = "core")]
use inputanim::{About, Device, Known, Parts, TimeRange};
#[cfg(any(feature = "edits", feature = "formats"))]
use js_sys::Symbol;
#[cfg(any(feature = "core", feature = "formats"))]
use js_sys::{Array, Object, Reflect};
use serde::Serialize;
#[cfg(any(feature = "edits", feature = "formats"))]
use serde::de::{DeserializeOwned, value::MapDeserializer};
#[cfg(any(feature = "edits", feature = "formats"))]
use serde_wasm_bindgen::Deserializer;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;
#[cfg(feature = "core")]
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;

/// Returns the limits for recordings in a web page. A page has at most 4 GiB of memory, and results are copied once or
/// twice.
pub(crate) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_sample_bytes = 400 << 20;
    limits
}

/// Reads the parts of a recording from an object of JavaScript; none from `undefined` and `null`. Fails if the object is not
/// valid.
#[cfg(feature = "core")]
pub(crate) fn parts(given: &JsValue) -> Result<Parts, Failure> {
    let field = |name: &str| Reflect::get(given, &name.into()).unwrap_or_default();
    Ok(Parts {
        known: known(field("gaps"))?,
        about: about(&field("about"))?,
        devices: devices(&field("devices"))?,
    })
}

/// Returns devices as a text of JavaScript.
#[cfg(feature = "core")]
pub(crate) fn device_text(devices: &[Device<'_>]) -> String {
    text_of_bytes(&Parts::bytes_of_devices(devices))
}

/// Reads devices from a text of JavaScript; none from `undefined` and `null`. Fails if the text is not that of devices.
#[cfg(feature = "core")]
fn devices(given: &JsValue) -> Result<Vec<Device<'static>>, Failure> {
    if given.is_undefined() || given.is_null() {
        return Ok(Vec::new());
    }
    let invalid = |_| Failure::new("invalid devices: expected the text of the property parts");
    let text = given.as_string().ok_or(JsValue::NULL).map_err(invalid)?;
    let bytes = bytes_of_text(&text).map_err(invalid)?;
    let devices = Parts::devices_of_bytes(&bytes).map_err(|error| Failure::of(&error))?;
    Ok(devices.into_iter().map(Device::into_owned).collect())
}

#[cfg(feature = "core")]
#[wasm_bindgen(module = "/js/copy.js")]
extern "C" {
    #[wasm_bindgen(js_name = textOfBytes)]
    fn text_of_bytes(bytes: &[u8]) -> String;
    #[wasm_bindgen(catch, js_name = bytesOfText)]
    fn bytes_of_text(text: &str) -> Result<Vec<u8>, JsValue>;
}

/// Reads texts about a recording from an object of JavaScript; none from `undefined` and `null`. Fails if a text is not a
/// string.
#[cfg(feature = "core")]
pub(crate) fn about(given: &JsValue) -> Result<About, Failure> {
    let mut about = About::default();
    if given.is_undefined() || given.is_null() {
        return Ok(about);
    }
    let invalid = || Failure::new("invalid texts: expected an object with strings");
    let object = Object::try_from(given).ok_or_else(invalid)?;
    for entry in Object::entries(object) {
        let entry = Array::from(&entry);
        let (name, text) = (entry.get(0).as_string(), entry.get(1).as_string());
        let (name, text) = name.zip(text).ok_or_else(invalid)?;
        about.set(&name, &text);
    }
    Ok(about)
}

/// Reads gaps from a list of JavaScript; none from `undefined` and `null`. Fails if the list is not valid.
#[cfg(feature = "core")]
pub(crate) fn known(gaps: JsValue) -> Result<Known, Failure> {
    if gaps.is_undefined() || gaps.is_null() {
        return Ok(Known::default());
    }
    // Read by hand, because a deserializer would be a tenth of the module `core`.
    let invalid = |expected: &str| Failure::new(format!("invalid gaps: expected {expected}"));
    let list = |value: JsValue, expected| {
        let is_list = Array::is_array(&value);
        is_list
            .then(|| Array::from(&value))
            .ok_or_else(|| invalid(expected))
    };
    let bound = |value: JsValue, infinite: f32| match value.as_f64() {
        Some(number) => Ok(number as f32),
        None if value.is_null() => Ok(infinite),
        None => Err(invalid("a time in seconds, or null")),
    };
    let mut known = Known::default();
    for item in list(gaps, "an array of objects")? {
        let field = |name: &str| Reflect::get(&item, &name.into()).unwrap_or_default();
        let element = field("element").as_string();
        let element = element.ok_or_else(|| invalid("the name of an \"element\""))?;
        let element = Known::element(&element).map_err(|error| Failure::of(&error))?;
        for pair in list(field("unknown"), "an array of times in \"unknown\"")? {
            let pair = list(pair, "two times")?;
            let gap = TimeRange {
                start: bound(pair.get(0), f32::NEG_INFINITY)?,
                end: bound(pair.get(1), f32::INFINITY)?,
            };
            let added = known.try_add_gap(element, gap);
            added.map_err(|error| Failure::of(&error))?;
        }
    }
    Ok(known)
}

/// Converts a result to a plain object of JavaScript. Missing values are `null`.
pub(crate) fn to_js(value: &(impl Serialize + ?Sized)) -> Result<JsValue, Failure> {
    value
        .serialize(&Serializer::json_compatible())
        .map_err(|error| Failure::new(error.to_string()))
}

/// Converts a long list of results to plain objects of JavaScript. It is faster than [`to_js`], because the engine
/// creates all objects in one call. The numbers must be in double precision: text has the shortest digits of each
/// number.
#[cfg(feature = "edits")]
pub(crate) fn list_to_js(values: &(impl Serialize + ?Sized)) -> Result<JsValue, Failure> {
    let text = serde_json::to_string(values).map_err(|error| Failure::new(error.to_string()))?;
    js_sys::JSON::parse(&text).map_err(|_| Failure::new("invalid JSON".to_owned()))
}

/// Reads a plain object of JavaScript, such as the value of a property.
#[cfg(feature = "edits")]
pub(crate) fn json<T: DeserializeOwned>(value: &JsValue) -> Result<T, Failure> {
    let invalid = |error: String| Failure::new(format!("invalid object: {error}"));
    let text = js_sys::JSON::stringify(value).map_err(|_| invalid("not a plain object".into()))?;
    serde_json::from_str(&String::from(text)).map_err(|error| invalid(error.to_string()))
}

/// Reads options from the fields of a plain object. Returns the default options for `undefined` and `null`. Fails if a
/// field has a wrong type, or if it is unknown and `T` refuses unknown fields.
#[cfg(any(feature = "edits", feature = "formats"))]
pub(crate) fn options<T: DeserializeOwned + Default>(value: JsValue) -> Result<T, Failure> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    // A `Map` is refused, because its entries are not fields of an object.
    let is_iterable = Reflect::has(&value, &Symbol::iterator()).unwrap_or(false);
    let Some(object) = Object::try_from(&value).filter(|_| !is_iterable) else {
        return Err(Failure::new("invalid options: expected a plain object"));
    };
    // `serde_wasm_bindgen::from_value` reads only the fields of `T`, and ignores all others.
    let fields = Object::entries(object).into_iter().map(|entry| {
        let entry = Array::from(&entry);
        let field = |index| Deserializer::from(entry.get(index));
        (field(0), field(1))
    });
    T::deserialize(MapDeserializer::<_, serde_wasm_bindgen::Error>::new(fields)).map_err(|error| {
        let message = error.to_string();
        let message = message.strip_prefix("Error: ").unwrap_or(&message);
        Failure::new(format!("invalid options: {message}"))
    })
}

/// Sets a property of a plain object.
pub(crate) fn set(object: &js_sys::Object, name: &str, value: impl Into<JsValue>) {
    // Setting a property of a plain object cannot fail.
    let _ = js_sys::Reflect::set(object, &name.into(), &value.into());
}
