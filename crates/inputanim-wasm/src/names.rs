//! Names of files and recordings.

use std::path::Path;

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::value::json;

/// A file, and the folder in which it was found.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedFile {
    path: String,
    folder: String,
}

/// Returns the names of recordings, as the program writes them into tables: their paths below the folders in which they were found,
/// without extensions. If two names are equal, all names get as many parent folders as make them distinct.
#[wasm_bindgen(js_name = recordingNames)]
pub fn recording_names(
    #[wasm_bindgen(unchecked_param_type = "NamedFile[]")] files: JsValue,
) -> Result<Vec<String>, Failure> {
    let files: Vec<NamedFile> = json(&files)?;
    let paths = files
        .iter()
        .map(|file| (Path::new(&file.path), Path::new(&file.folder)));
    Ok(inputanim_convert::recording_names(paths))
}

/// Returns the names of files: those of `recordingNames` with extensions.
#[wasm_bindgen(js_name = fileNames)]
pub fn file_names(
    #[wasm_bindgen(unchecked_param_type = "NamedFile[]")] files: JsValue,
) -> Result<Vec<String>, Failure> {
    let files: Vec<NamedFile> = json(&files)?;
    let paths = files
        .iter()
        .map(|file| (Path::new(&file.path), Path::new(&file.folder)));
    Ok(inputanim_convert::file_names(paths))
}
