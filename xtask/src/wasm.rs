//! `cargo xtask wasm`: compares the results of the library in WebAssembly with the results in native code.
//!
//! The checksums come from an example of the crate for JavaScript, which is built with the flags of the module `core`. The
//! crate testkit builds it for this machine.
//! It uses rustup's target wasm32-unknown-unknown if it is installed. Otherwise it downloads Debian's
//! compiler for the web into the build folder, and installs nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{output, root};
use crate::{debian, host, spec, web};

/// The target of modules for browsers.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

pub(crate) fn compare(build: web::Build) -> Result<()> {
    let wasm = web::build_digest(build)?;
    let recordings = spec::recordings()?;
    host::build()?;
    let native = output(Command::new(host::example("digest_native")).args(&recordings))?;
    let script = root().join("xtask/wasm.mjs");
    let in_wasm = output(Command::new("node").arg(script).arg(wasm).args(&recordings))?;
    let (native, in_wasm) = (String::from_utf8(native)?, String::from_utf8(in_wasm)?);
    let mut compared = 0;
    for ((native, in_wasm), path) in native.lines().zip(in_wasm.lines()).zip(&recordings) {
        ensure!(
            native == in_wasm,
            "{}: results differ between WebAssembly and native code",
            path.display()
        );
        compared += 1;
    }
    ensure!(
        compared == recordings.len(),
        "only {compared} recordings were compared"
    );
    println!("{compared} recordings: samples, findings and edits are bit-identical in WebAssembly");
    Ok(())
}

/// Returns the command `cargo build` for WebAssembly with the build folder `folder`. The caller adds packages and a
/// profile.
pub(crate) fn cargo(folder: &Path) -> Result<Command> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--locked", "--target", TARGET])
        .arg("--target-dir")
        .arg(folder);
    if !debian::has_rustup_target(TARGET)? {
        debian::build_with_compiler(&mut cargo, "std,panic_abort")?;
        // Without the text of stack traces, which no module prints.
        cargo.arg("-Zbuild-std-features=");
        // Debian's compiler has no linker for WebAssembly.
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker()?);
    }
    Ok(cargo)
}

/// Returns the path of the linker `rust-lld` that comes with rustup's compiler for this machine.
fn linker() -> Result<PathBuf> {
    let host = output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let host = String::from_utf8(host)?;
    let tools = debian::sysroot()?.join("lib/rustlib").join(host.trim());
    Ok(tools.join("bin/rust-lld"))
}
