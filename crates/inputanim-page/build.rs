//! Copies the viewer into the build folder, from which the library includes it. Without `cargo xtask web` the copy is
//! empty, and the functions of the library return `None`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // The variable at run time, because a build folder that was moved contains this script for another place.
    let Some(package) = env::var_os("CARGO_MANIFEST_DIR") else {
        return Err(io::Error::other("cargo sets CARGO_MANIFEST_DIR"));
    };
    let folder = Path::new(&package).join("viewer");
    let page = match fs::read(folder.join("inputanim.html")) {
        Ok(page) => page,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    // Cargo watches the folder, because it always exists. Cargo would run this script in every build if a watched file
    // was missing.
    println!("cargo::rerun-if-changed={}", folder.display());
    let Some(out) = env::var_os("OUT_DIR") else {
        return Err(io::Error::other("cargo sets OUT_DIR"));
    };
    fs::write(Path::new(&out).join("inputanim.html"), page)
}
