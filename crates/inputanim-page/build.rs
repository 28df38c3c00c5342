//! Copies the viewer into the build folder, from which the library includes it. Without `cargo xtask web` the copy is
//! empty, and the functions of the library return `None`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
    let page = fs::read(folder.join("inputanim.html")).unwrap_or_default();
    // Cargo watches the folder, because it always exists. Cargo would run this script in every build if a watched file
    // was missing.
    println!("cargo::rerun-if-changed={}", folder.display());
    let Some(out) = env::var_os("OUT_DIR") else {
        return Err(io::Error::other("cargo sets OUT_DIR"));
    };
    fs::write(Path::new(&out).join("inputanim.html"), page)
}
