//! `cargo xtask macos`: checks that the program compiles for macOS. It cannot be linked or run here.

use std::process::Command;

use anyhow::Result;

use crate::debian;
use crate::process::{headline, run, target};

const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];

pub(crate) fn check() -> Result<()> {
    for triple in TARGETS {
        headline(&format!("the program for {triple}"));
        let mut cargo = Command::new("cargo");
        // The optional formats are excluded, because their C code needs Apple's compiler.
        cargo
            .args(["check", "--quiet", "--locked", "--package", "inputanim-cli"])
            .args(["--target", triple, "--target-dir"])
            .arg(target().join("xtask/macos"));
        if !debian::has_rustup_target(triple)? {
            debian::build_with_compiler(&mut cargo, "std,panic_unwind")?;
        }
        run(&mut cargo)?;
    }
    println!("the library and the program compile for macOS; nothing was run");
    Ok(())
}
