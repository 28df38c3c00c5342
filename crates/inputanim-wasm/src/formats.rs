//! Conversion to and from other formats.

use inputanim_convert::xdf::XdfError;
use inputanim_convert::{
    Format, InvalidMapping, ReadField, ReadOptions, Report, SampleError, TableShape, WriteField,
    WriteOptions, read_as_bin, write_bytes,
};
use js_sys::{Array, Object, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::value::{limits, options, set, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("formats.ts");

/// Options of `write`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Export {
    layout: Option<inputanim::Layout>,
    allow_loss: bool,
    rate: Option<f64>,
    space: Option<inputanim::Space>,
    shape: Option<String>,
    name: Option<String>,
}

/// Options of `read`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Import {
    format: Option<String>,
    space: Option<inputanim::Space>,
    recording: Option<String>,
    mappings: Vec<String>,
    min_confidence: Option<f32>,
    from_zero: bool,
    ignore_unknown: bool,
}

/// A format, as a plain object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FormatObject {
    name: &'static str,
    extensions: Vec<&'static str>,
    is_text: bool,
    can_read: bool,
    can_write: bool,
}

impl From<inputanim_convert::Error> for Failure {
    fn from(error: inputanim_convert::Error) -> Failure {
        use inputanim_convert::Error as E;
        match error {
            E::Parse(error) => error.into(),
            E::Edit(error) => error.into(),
            E::Write(error) => error.into(),
            E::Sample(SampleError::TooLong { cause, .. }) => cause.into(),
            error => {
                let failure = Failure::of(&error);
                if let E::NotInBuild(_) = error {
                    return failure.with_hint("the program `inputanim convert` converts it");
                }
                match error.downcast_ref() {
                    Some(XdfError::NothingToRead { .. }) => failure.with_hint(
                        "the option mappings, or --map of `inputanim convert`, reads channels: \
                         head.position.x=STREAM/CHANNEL",
                    ),
                    Some(XdfError::SeveralRecordings { .. }) => failure.with_hint(
                        "the option recording, or --recording of `inputanim convert`, selects one",
                    ),
                    _ => failure,
                }
            }
        }
    }
}

fn format(name: &str) -> Result<Format, Failure> {
    name.parse().map_err(|error| Failure::of(&error))
}

impl Export {
    fn shape(&self) -> Result<TableShape, Failure> {
        let Some(name) = &self.shape else {
            return Ok(TableShape::default());
        };
        let mut shapes = TableShape::ALL.into_iter();
        shapes.find(|shape| shape.name() == name).ok_or_else(|| {
            Failure::new(format!(
                "unknown shape \"{name}\"; expected wide, tidy or keys"
            ))
        })
    }

    /// Refuses options that have no effect on a format.
    fn check(&self, format: Format, shape: TableShape) -> Result<(), Failure> {
        let given = [
            ("layout", WriteField::Layout, self.layout.is_some()),
            ("allowLoss", WriteField::AllowLoss, self.allow_loss),
            ("rate", WriteField::Rate, self.rate.is_some()),
            ("space", WriteField::Space, self.space.is_some()),
            ("shape", WriteField::Shape, self.shape.is_some()),
            ("name", WriteField::ClipName, self.name.is_some()),
        ];
        for (option, field, is_given) in given {
            if is_given && !field.is_used_by(format, shape) {
                return Err(without_effect(option, format));
            }
        }
        Ok(())
    }
}

impl Import {
    /// Refuses options that have no effect on a format.
    fn check(&self, format: Format) -> Result<(), Failure> {
        let given = [
            ("space", ReadField::Space, self.space.is_some()),
            ("recording", ReadField::Recording, self.recording.is_some()),
            ("mappings", ReadField::Mappings, !self.mappings.is_empty()),
            (
                "minConfidence",
                ReadField::MinConfidence,
                self.min_confidence.is_some(),
            ),
            ("fromZero", ReadField::FromZero, self.from_zero),
            (
                "ignoreUnknown",
                ReadField::IgnoreUnknown,
                self.ignore_unknown,
            ),
        ];
        for (option, field, is_given) in given {
            if is_given && !field.is_used_by(format) {
                return Err(without_effect(option, format));
            }
        }
        Ok(())
    }
}

fn without_effect(option: &str, format: Format) -> Failure {
    Failure::new(format!(
        "the option {option} has no effect on the format {format}"
    ))
}

/// Returns the formats of this module.
#[wasm_bindgen(unchecked_return_type = "Format[]")]
pub fn formats() -> Result<JsValue, Failure> {
    let formats = Format::ALL.iter();
    let formats = formats.filter(|format| format.is_in_build() && !format.is_dataset());
    let formats: Vec<FormatObject> = formats
        .map(|format| FormatObject {
            name: format.name(),
            extensions: if format.can_read() {
                format.input_extensions().collect()
            } else {
                format.extensions().to_vec()
            },
            is_text: format.is_text(),
            can_read: format.can_read(),
            can_write: format.can_write(),
        })
        .collect();
    to_js(&formats)
}

/// Returns the name of the format of a file: by its bytes, else by its name. The module may lack the format. Returns
/// `undefined` for an unknown format.
#[wasm_bindgen]
pub fn detect(bytes: &[u8], name: Option<String>) -> Option<String> {
    let format = match name {
        Some(name) => Format::of_file(name.as_ref(), bytes),
        None => Format::detect(bytes),
    };
    format.map(|format| format.name().to_owned())
}

/// Converts a recording to another format: `write(recording.toBytes(), "glb")`.
#[wasm_bindgen(js_name = write, unchecked_return_type = "Converted")]
pub fn export_recording(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_param_type = "FormatName")] name: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "WriteOptions")] export: JsValue,
) -> Result<Object, Failure> {
    let format = format(name)?;
    let given: Export = options(export)?;
    let shape = given.shape()?;
    given.check(format, shape)?;
    let mut options = WriteOptions::default();
    options.limits = limits();
    options.layout = given.layout;
    options.allow_loss = given.allow_loss;
    options.space = given.space.unwrap_or(options.space);
    options.clip_name = given.name.unwrap_or(options.clip_name);
    if let Some(rate) = given.rate {
        options.sampling = inputanim_convert::Sampling::Rate(rate);
    }
    options.shape = shape;
    let recording = inputanim::Recording::parse(bytes)?;
    let (output, report) = write_bytes(format, &recording, &options)?;
    converted(&output, &report)
}

/// Converts a file of another format to a recording: `Recording.open(read(bytes).bytes)`. The format is
/// detected unless the options state it.
#[wasm_bindgen(js_name = read, unchecked_return_type = "Converted")]
pub fn import_recording(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_optional_param_type = "ReadOptions")] import: JsValue,
) -> Result<Object, Failure> {
    let given: Import = options(import)?;
    let format = match &given.format {
        Some(name) => format(name)?,
        None => Format::detect(bytes).ok_or_else(|| Failure::new("unknown format"))?,
    };
    given.check(format)?;
    let mut options = ReadOptions::default();
    options.space = given.space;
    options.recording = given.recording;
    let mappings = given.mappings.iter().map(|mapping| mapping.parse());
    options.mappings = mappings
        .collect::<Result<_, _>>()
        .map_err(|error: InvalidMapping| Failure::of(&error))?;
    options.min_confidence = given.min_confidence;
    options.from_zero = given.from_zero;
    options.ignore_unknown = given.ignore_unknown;
    let (output, report) = read_as_bin(format, bytes, &options)?;
    converted(&output, &report)
}

fn converted(bytes: &[u8], report: &Report) -> Result<Object, Failure> {
    let texts =
        |messages: Vec<&str>| -> Array { messages.into_iter().map(JsValue::from).collect() };
    let losses = report.losses.iter().map(|loss| loss.message.as_str());
    let notes = report.notes.iter().map(|note| note.message.as_str());
    let result = Object::new();
    set(&result, "bytes", Uint8Array::from(bytes));
    set(&result, "losses", texts(losses.collect()));
    set(&result, "notes", texts(notes.collect()));
    Ok(result)
}
