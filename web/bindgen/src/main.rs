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
        // The names make modules that are not optimised twice as large.
        .remove_name_section(true)
        .generate(&folder)?;
    let script = Path::new(&folder).join(format!("{name}.js"));
    let text = fs::read_to_string(&script)?;
    fs::write(script, with_hint(text)?)?;
    Ok(())
}

/// Makes uses of a module before `init`, and arguments that are not bytes, say what to do. Without this, the errors are about
/// a property of undefined, and about bytes of 0.
fn with_hint(mut text: String) -> anyhow::Result<String> {
    let variable = "let wasmModule, wasmInstance, wasm;";
    let guarded = r#"const beforeInit = new Proxy({}, {
    get() {
        throw new Error("the module is not loaded: call `await init()` first");
    },
});
let wasmModule, wasmInstance, wasm = beforeInit;"#;
    let bytes = "function passArray8ToWasm0(arg, malloc) {\n";
    let checked_bytes = r#"function passArray8ToWasm0(arg, malloc) {
    const kind = Object.prototype.toString.call(arg).slice(8, -1);
    if (kind === 'ArrayBuffer') arg = new Uint8Array(arg);
    else if (kind !== 'Uint8Array' && kind !== 'Array') {
        throw new TypeError(`expected the bytes of a file (a Uint8Array), found ${kind}`);
    }
"#;
    for (generated, own, count) in [
        (variable, guarded, 1),
        (
            "if (wasm !== undefined) return wasm;",
            "if (wasm !== beforeInit) return wasm;",
            2,
        ),
        (bytes, checked_bytes, 1),
    ] {
        let found = text.matches(generated).count();
        anyhow::ensure!(
            found == count,
            "found `{generated}` {found} times, expected {count}"
        );
        text = text.replace(generated, own);
    }
    Ok(text)
}
