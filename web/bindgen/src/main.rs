//! Writes the JavaScript and TypeScript files for a WebAssembly module: `inputanim-bindgen MODULE NAME FOLDER`.

use std::fs;
use std::path::Path;

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
        .generate(&folder)?;
    let script = Path::new(&folder).join(format!("{name}.js"));
    let text = fs::read_to_string(&script)?;
    fs::write(script, with_hint(text)?)?;
    Ok(())
}

/// Makes each use of a module before `init` say what to do. Without this, the error is about a property of undefined.
fn with_hint(mut text: String) -> anyhow::Result<String> {
    let variable = "let wasmModule, wasmInstance, wasm;";
    let guarded = r#"const beforeInit = new Proxy({}, {
    get() {
        throw new Error("the module is not loaded: call `await init()` first");
    },
});
let wasmModule, wasmInstance, wasm = beforeInit;"#;
    for (generated, own, count) in [
        (variable, guarded, 1),
        ("if (wasm !== undefined) return wasm;", "if (wasm !== beforeInit) return wasm;", 2),
    ] {
        let found = text.matches(generated).count();
        anyhow::ensure!(found == count, "found `{generated}` {found} times, expected {count}");
        text = text.replace(generated, own);
    }
    Ok(text)
}
