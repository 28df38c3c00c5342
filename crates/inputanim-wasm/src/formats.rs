//! Conversion to and from other formats.

use std::path::Path;

use inputanim::{Parts, Pauses, Side};
use inputanim_convert::{
    Format, InputFile, InvalidMapping, Mapping, ReadField, ReadOptions, Remedy, Report,
    SampleError, TableShape, WriteField, WriteOptions, read_in_layout, write_bytes,
};
use js_sys::{Object, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::failure::{Failure, of_remedy};
use crate::value::{limits, options, set, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("formats.ts");

/// Returns `true` if this module converts to or from a format. It offers no datasets, which consist of several files.
pub(crate) const fn is_offered(format: Format) -> bool {
    format.is_in_build() && !format.is_dataset()
}

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
    parts: Parts,
}

/// Options of `read`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Import {
    format: Option<String>,
    space: Option<inputanim::Space>,
    recording: Option<String>,
    mappings: Vec<String>,
    side: Option<String>,
    min_confidence: Option<f32>,
    keep_jitter: bool,
    palms_from_controllers: bool,
    from_zero: bool,
    pauses: Option<Pauses>,
    ignore_unknown: bool,
    skip_bad: bool,
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
                let failure = match error.kind_name() {
                    Some(kind) => Failure::with_causes(&error).with_kind(kind),
                    None => Failure::with_causes(&error),
                };
                let remedy = error.remedy();
                let failure = failure.with_remedy_name(remedy.as_ref().map(Remedy::name));
                match remedy.and_then(|remedy| of_conversion(&remedy)) {
                    Some(hint) => failure.with_hint(hint),
                    None => failure,
                }
            }
        }
    }
}

/// Returns a hint: the option of the npm package or of the program that performs the remedy for an error of a
/// conversion; `None` if there is none.
fn of_conversion(remedy: &Remedy) -> Option<Box<str>> {
    Some(Box::from(match remedy {
        Remedy::Recording(remedy) => return of_remedy(*remedy).map(Box::from),
        Remedy::MapAs(suggestion) => {
            let mappings = suggestion.mappings.iter();
            let texts: Vec<String> = mappings.map(Mapping::to_string).collect();
            let explanation = suggestion.explanation();
            return Some(Box::from(format!("mappings: {texts:?} {explanation}")));
        }
        Remedy::OtherBuild(_) => "the program `inputanim convert` converts it",
        Remedy::Export(kind) => kind.advice(),
        Remedy::Unpack => "unpack it with gzip first",
        Remedy::LowerRate => "use a lower rate",
        Remedy::ChooseRecording(_) => {
            "the option recording, or --recording of `inputanim convert`, selects one"
        }
        Remedy::MapColumns | Remedy::Map(_) => {
            "the option mappings, or --map of `inputanim convert`, assigns columns by name"
        }
        Remedy::IgnoreUnknown { .. } => "the option ignoreUnknown ignores unknown columns",
        Remedy::SkipBad => {
            "the option skipBad, or --skip-bad of `inputanim convert`, skips such rows"
        }
        Remedy::CountFromZero { .. } => "the option fromZero counts from the first row",
        _ => return None,
    }))
}

fn format(name: &str) -> Result<Format, Failure> {
    name.parse().map_err(|error| Failure::of(&error))
}

impl Export {
    fn shape(&self) -> Result<TableShape, Failure> {
        let shape = self.shape.as_deref().map(str::parse).transpose()?;
        Ok(shape.unwrap_or_default())
    }

    /// Returns an error if one of the given options has no effect when this format and this shape of table are written.
    fn check(&self, format: Format, shape: TableShape) -> Result<(), Failure> {
        let given = [
            ("layout", WriteField::Layout, self.layout.is_some()),
            ("allowLoss", WriteField::AllowLoss, self.allow_loss),
            ("rate", WriteField::Rate, self.rate.is_some()),
            ("space", WriteField::Space, self.space.is_some()),
            ("shape", WriteField::Shape, self.shape.is_some()),
            ("name", WriteField::ClipName, self.name.is_some()),
        ];
        let unused = format.check_written(shape, given);
        unused.map_err(|error| Failure::of(&error))
    }
}

impl Import {
    /// Returns an error if one of the given options has no effect when a file of this format is read.
    fn check(&self, format: Format) -> Result<(), Failure> {
        let given = [
            ("space", ReadField::Space, self.space.is_some()),
            ("recording", ReadField::Recording, self.recording.is_some()),
            ("mappings", ReadField::Mappings, !self.mappings.is_empty()),
            ("side", ReadField::Side, self.side.is_some()),
            (
                "minConfidence",
                ReadField::MinConfidence,
                self.min_confidence.is_some(),
            ),
            ("keepJitter", ReadField::KeepJitter, self.keep_jitter),
            (
                "palmsFromControllers",
                ReadField::PalmsFromControllers,
                self.palms_from_controllers,
            ),
            ("fromZero", ReadField::FromZero, self.from_zero),
            ("pauses", ReadField::Pauses, self.pauses.is_some()),
            (
                "ignoreUnknown",
                ReadField::IgnoreUnknown,
                self.ignore_unknown,
            ),
            ("skipBad", ReadField::SkipBad, self.skip_bad),
        ];
        let unused = format.check_read(given);
        unused.map_err(|error| Failure::of(&error))
    }
}

/// Returns the formats that this module reads or writes, with their names and extensions.
#[wasm_bindgen(unchecked_return_type = "Format[]")]
pub fn formats() -> Result<JsValue, Failure> {
    let formats = Format::ALL.iter();
    let formats = formats.filter(|format| is_offered(**format));
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

/// Returns the name of the format of a file: by its bytes, or else by its name. Returns `undefined` for an unknown
/// format. The module may lack the format.
#[wasm_bindgen]
pub fn detect(bytes: &[u8], name: Option<String>) -> Option<String> {
    let path = name.as_deref().map(Path::new);
    let file = InputFile {
        bytes,
        path,
        format: None,
    };
    let format = file.known_format();
    format.map(|format| format.name().to_owned())
}

/// Converts the bytes of a recording to another format: `write(recording.toBytes(), "glb")`. The option `parts` has the
/// parts of the recording that its bytes cannot hold. Returns the bytes of the file, the losses and the notes.
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
    let recording = inputanim::Recording::parse(bytes)?.with_parts(given.parts);
    let (output, report) = write_bytes(format, &recording, &options)?;
    converted(&output, &report)
}

/// Converts a file of another format to a recording: `const { bytes, parts } = read(file); Recording.open(bytes, parts)`.
/// Returns the bytes of the recording, the parts that they cannot hold, the losses and the notes. The format is detected unless the options state it.
#[wasm_bindgen(js_name = read, unchecked_return_type = "Converted")]
pub fn import_recording(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_optional_param_type = "ReadOptions")] import: JsValue,
) -> Result<Object, Failure> {
    let given: Import = options(import)?;
    let file = InputFile {
        bytes,
        path: None,
        format: given.format.as_deref().map(format).transpose()?,
    };
    let format = file.format();
    given.check(format)?;
    let mut options = ReadOptions::default();
    options.space = given.space;
    options.recording = given.recording;
    let mappings = given.mappings.iter().map(|mapping| mapping.parse());
    options.mappings = mappings
        .collect::<Result<_, _>>()
        .map_err(|error: InvalidMapping| Failure::of(&error))?;
    let side = given.side.as_deref().map(str::parse::<Side>).transpose();
    options.side = side.map_err(|error| Failure::of(&error))?;
    options.min_confidence = given.min_confidence;
    options.keep_jitter = given.keep_jitter;
    options.palms_from_controllers = given.palms_from_controllers;
    options.from_zero = given.from_zero;
    options.pauses = given.pauses.unwrap_or_default();
    options.ignore_unknown = given.ignore_unknown;
    options.skip_bad = given.skip_bad;
    let (mut recording, report) = read_in_layout(format, bytes, &options)?;
    let parts = recording.take_parts();
    let result = converted(&recording.to_bytes()?, &report)?;
    set(&result, "parts", to_js(&parts)?);
    Ok(result)
}

fn converted(bytes: &[u8], report: &Report) -> Result<Object, Failure> {
    let result = Object::new();
    set(&result, "bytes", Uint8Array::from(bytes));
    set(&result, "losses", to_js(&report.losses)?);
    set(&result, "notes", to_js(&report.notes)?);
    Ok(result)
}
