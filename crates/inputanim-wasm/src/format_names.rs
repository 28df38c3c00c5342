//! The TypeScript type of the names of formats, which the compiler makes.

#![cfg(target_family = "wasm")]
#![allow(
    dead_code,
    reason = "only a section of the module that wasm-bindgen makes refers to the type"
)]

use inputanim_convert::Format;
use wasm_bindgen::prelude::*;

use crate::formats::is_offered;

#[wasm_bindgen(typescript_custom_section)]
const FORMAT_NAME: &str = NAMES.as_str();

/// The TypeScript type of the names of formats.
const NAMES: Names = {
    let mut names = Names::new().with("/** A format of this module. */\nexport type FormatName =");
    let mut index = 0;
    while index < Format::ALL.len() {
        let format = Format::ALL[index];
        if is_offered(format) {
            names = names.with(" | \"").with(format.name()).with("\"");
        }
        index += 1;
    }
    names.with(";\n")
};

/// A text that is made by the compiler.
struct Names {
    bytes: [u8; 512],
    length: usize,
}

impl Names {
    const fn new() -> Names {
        Names {
            bytes: [0; 512],
            length: 0,
        }
    }

    const fn with(mut self, text: &str) -> Names {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            self.bytes[self.length] = bytes[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("names of formats are valid UTF-8"),
        }
    }
}
