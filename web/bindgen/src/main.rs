//! Writes the JavaScript and TypeScript files for a WebAssembly module: `inputanim-bindgen MODULE NAME FOLDER`.

use anyhow::Context;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().context("expected MODULE NAME FOLDER");
    let (module, name, folder) = (next()?, next()?, next()?);
    Bindgen::new()
        .input_path(module)
        .out_name(&name)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .generate(folder)
}
