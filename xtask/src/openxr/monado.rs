//! Monado, a runtime for real headsets, with devices that are controlled from outside.

use fs_err as fs;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::tools::Tools;
use crate::debian;
use crate::host;
use crate::process::{self, headline, root, target};
use crate::python_env;

/// Monado and its libraries, without Vulkan drivers. Debian has Monado since this release.
const RELEASE: &str = "trixie";
const PACKAGES: [&str; 35] = [
    "libatomic1",
    "libbsd0",
    "libc6",
    "libcap2",
    "libcjson1",
    "libdbus-1-3",
    "libdrm2",
    "libffi8",
    "libgcc-s1",
    "libglib2.0-0t64",
    "libglvnd0",
    "libglx0",
    "libgstreamer-plugins-base1.0-0",
    "libgstreamer1.0-0",
    "libhidapi-libusb0",
    "libjpeg62-turbo",
    "libmd0",
    "libopenxr1-monado",
    "liborc-0.4-0t64",
    "libpcre2-8-0",
    "libstdc++6",
    "libsystemd0",
    "libudev1",
    "libusb-1.0-0",
    "libuvc0",
    "libvulkan1",
    "libwayland-client0",
    "libx11-6",
    "libx11-xcb1",
    "libxau6",
    "libxcb-randr0",
    "libxcb1",
    "libxdmcp6",
    "monado-service",
    "zlib1g",
];

/// Monado, and the manifest by which applications find it.
pub(crate) struct Monado {
    root: PathBuf,
    manifest: PathBuf,
}

impl Monado {
    /// Downloads Monado if necessary, and writes its manifest to `folder`. Returns `None` if this is not Debian.
    pub(crate) fn provide(folder: &Path) -> Result<Option<Monado>> {
        if !is_debian()? {
            println!("skipped: the packages of Monado are for Debian");
            return Ok(None);
        }
        let root = packages()?;
        let libraries = debian::libraries(&root);
        replace_unused_libraries(&root, &libraries)?;
        let manifest = folder.join("monado.json");
        let library = libraries.join("libopenxr_monado.so");
        let content = serde_json::json!({
            "file_format_version": "1.0.0",
            "runtime": { "name": "Monado", "library_path": library },
        });
        fs::write(&manifest, content.to_string())?;
        Ok(Some(Monado { root, manifest }))
    }

    /// Returns the command of a script in `readers/openxr` with its first arguments: the folder of Monado, the folders
    /// `libraries` of other libraries, and the manifest.
    fn script(&self, tools: &Tools, libraries: &OsStr, name: &str) -> Command {
        let mut script = Command::new("python3");
        tools.set_environment(python_env::quiet(&mut script));
        // The scripts run programs with the C library of this machine, and programs with the C library of Monado.
        script
            .env_remove("LD_LIBRARY_PATH")
            .arg(root().join("readers/openxr").join(name))
            .arg(&self.root)
            .arg(libraries)
            .arg(&self.manifest);
        script
    }

    /// Returns a command that runs the program of its next arguments with Monado as the runtime of OpenXR. Programs for the C library
    /// of Monado follow an argument `@linker`, and use the folders `libraries`.
    pub(crate) fn service(&self, tools: &Tools, libraries: &OsStr) -> Command {
        self.script(tools, libraries, "monado_service.py")
    }
}

/// Records an application that runs over Monado, and plays a recording over Monado. Skipped if this is not Debian.
pub(crate) fn test(tools: &Tools, folder: &Path) -> Result<()> {
    headline("Monado");
    let Some(monado) = Monado::provide(folder)? else {
        return Ok(());
    };
    process::run(
        monado
            .script(tools, &tools.libraries(), "monado.py")
            .arg(host::program())
            .arg(tools.hello_xr().get_program())
            .arg(host::example("vulkan"))
            .arg(root().join("samples/wave.bin"))
            .arg(folder),
    )
}

/// Downloads the packages of Monado, and returns the folder of the extracted files.
fn packages() -> Result<PathBuf> {
    debian::extracted_from_release("monado", RELEASE, &PACKAGES)
}

/// Downloads the packages of Monado. Does nothing if this is not Debian.
pub(crate) fn download() -> Result<()> {
    if is_debian()? {
        packages()?;
    }
    Ok(())
}

fn is_debian() -> Result<bool> {
    Ok(fs::read_to_string("/etc/os-release")?.contains("\nID=debian"))
}

/// Compiles a library that replaces OpenCV and SDL, which Monado needs to start. Its functions end the program, but
/// they are never called. The real libraries would be a hundred packages.
fn replace_unused_libraries(monado: &Path, libraries: &Path) -> Result<()> {
    let stub = libraries.join("libstub.so");
    if stub.exists() {
        return Ok(());
    }
    let service = monado.join("usr/bin/monado-service");
    let names = symbols(&service, "nm", &["-D", "--undefined-only"], |line| {
        let name = line.split_whitespace().last()?;
        let name = name.split('@').next()?;
        (name.contains("2cv") || name.starts_with("SDL_")).then(|| name.to_owned())
    })?;
    let mut source = "#include <stdlib.h>\n".to_owned();
    for (number, name) in names.iter().enumerate() {
        source.push_str(&format!(
            "void f{number}(void) __asm__(\"{name}\"); void f{number}(void) {{ abort(); }}\n"
        ));
    }
    let file = target().join("xtask/monado/stub.c");
    fs::write(&file, source)?;
    let needed = symbols(&service, "objdump", &["-p"], |line| {
        let name = line.trim().strip_prefix("NEEDED")?.trim();
        (name.contains("opencv") || name.contains("SDL2")).then(|| name.to_owned())
    })?;
    for name in needed {
        let link = libraries.join(name);
        if link.symlink_metadata().is_err() {
            symlink("libstub.so", link)?;
        }
    }
    // The links are complete when the library exists.
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&stub);
    process::run(cc.arg(file)).context("cannot compile stub.c")
}

/// Runs a program with options on a file, and returns the results of `select` for the lines that it prints. Lines with
/// `None` are ignored.
fn symbols(
    file: &Path,
    program: &str,
    options: &[&str],
    select: impl Fn(&str) -> Option<String>,
) -> Result<Vec<String>> {
    let printed = process::output(Command::new(program).args(options).arg(file))?;
    let printed = String::from_utf8(printed)?;
    Ok(printed.lines().filter_map(select).collect())
}
