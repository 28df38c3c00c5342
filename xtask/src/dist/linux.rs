//! The packages for Linux: a tar.gz and a .deb.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::{MAINTAINER, Release, VERSION, rust_flags, tree, write_completions};
use crate::debian;
use crate::openxr::LIBRARIES;
use crate::process::{Lock, output, root, run, target};
use crate::viewer;
use crate::windows::checks::check_interrupt;

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The oldest C library that the program runs with; Debian 8, Ubuntu 14.04 and CentOS 7 have it.
const GLIBC: (u32, u32) = (2, 17);

/// Versions of the linker, from PyPI. They are fixed, because the bytes of the program depend on them.
const LINKER: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

/// Builds the program and the libraries for OpenXR, and returns the path of the program. Zig links them for an old C
/// library.
pub(super) fn build(release: &Release) -> Result<PathBuf> {
    let zig = zig()?;
    let folder = target().join(format!("xtask/dist-build{}", release.suffix));
    let mut path = zig.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let (major, minor) = GLIBC;
    run(Command::new(zig.join("bin/cargo-zigbuild"))
        .args(["zigbuild", "--quiet", "--locked", "--release"])
        .args([
            "--package",
            "inputanim-cli",
            "--features",
            "inputanim-cli/full,inputanim-openxr-runtime/mcap",
        ])
        .args(LIBRARIES.iter().flat_map(|name| ["--package", *name]))
        .args(["--target", &format!("{TRIPLE}.{major}.{minor}")])
        .arg("--target-dir")
        .arg(&folder)
        .env("PATH", path)
        .env("RUSTFLAGS", rust_flags()?)
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .env_remove("CARGO_INCREMENTAL"))?;
    let built = folder.join(TRIPLE).join("release");
    let program = built.join("inputanim");
    check_library(&program)?;
    for library in openxr_libraries() {
        check_library(&built.join(library))?;
    }
    Ok(program)
}

/// Returns the file names of the libraries for OpenXR, such as `NAME.so`. They are built next to the program.
pub(super) fn openxr_libraries() -> impl Iterator<Item = String> {
    let name = |package: &&str| format!("lib{}.so", package.replace('-', "_"));
    LIBRARIES.iter().map(name)
}

/// Installs the linker Zig into a Python environment, unless it is installed, and returns the folder of the
/// environment.
fn zig() -> Result<PathBuf> {
    let folder = target().join("xtask/zig");
    if !folder.join("bin/cargo-zigbuild").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(folder.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(LINKER))?;
    }
    Ok(folder)
}

/// Checks that a program or library runs with the old C library [`GLIBC`], and prints the version that it needs.
fn check_library(program: &Path) -> Result<()> {
    let symbols = output(Command::new("objdump").arg("-T").arg(program))?;
    let symbols = String::from_utf8_lossy(&symbols);
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
        let mut parts = rest[..end].split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    let newest: (u32, u32) = versions.max().context("the program uses no C library")?;
    ensure!(
        newest <= GLIBC,
        "{} needs glibc {}.{}",
        program.display(),
        newest.0,
        newest.1
    );
    println!("needs glibc {}.{} or newer", newest.0, newest.1);
    Ok(())
}

/// Makes the package for all Linux systems, a tar.gz, in the folder of the release.
pub(super) fn pack_tar(release: &Release, program: &Path) -> Result<()> {
    let name = release.name("linux");
    let folder = release.staging(&name)?;
    stage(release, program, &folder)?;
    let archive = release.folder.join(format!("{name}.tar.gz"));
    let tar = output(
        Command::new("tar")
            .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .args(["--format=gnu", &format!("--mtime=@{}", release.epoch)])
            .args(["--use-compress-program", "gzip -9n", "-cf", "-", &name])
            .current_dir(release.work()),
    )?;
    Ok(fs::write(archive, tar)?)
}

/// Makes the package for Debian, a .deb, in the folder of the release.
///
/// cargo-deb 3.8.0 was tried on 2026-11-27: the bytes of two runs are equal with `SOURCE_DATE_EPOCH`. Its installation, which
/// the test of packages would wait for, takes 71 CPU s unoptimised. The files that are made for each release must be staged as
/// here, so that it would replace only `packaging/debian/control` and the calls of gzip and dpkg-deb.
pub(super) fn pack_deb(release: &Release, program: &Path) -> Result<()> {
    let folder = release.staging("deb")?;
    stage(release, program, &folder.join("usr"))?;
    let documents = folder.join("usr/share/doc/inputanim");
    fs::copy(
        root().join("packaging/debian/copyright"),
        documents.join("copyright"),
    )?;
    // Debian expects compressed manual pages, without the time in them.
    for entry in fs::read_dir(folder.join("usr/share/man/man1"))? {
        run(Command::new("gzip").arg("-9n").arg(entry?.path()))?;
    }
    let size: u64 = tree(&folder)?
        .iter()
        .map(|path| fs::metadata(folder.join(path)).map_or(0, |metadata| metadata.len()))
        .sum();
    let control = fs::read_to_string(root().join("packaging/debian/control"))?
        .replace("@VERSION@", VERSION)
        .replace("@MAINTAINER@", MAINTAINER)
        .replace("@SIZE@", &(size / 1024).to_string());
    fs::create_dir(folder.join("DEBIAN"))?;
    fs::write(folder.join("DEBIAN/control"), control)?;
    let level = if release.is_trial { "-z0" } else { "-z6" };
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", level, "--build"])
        .arg(&folder)
        .arg(release.folder.join(package()))
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .stdout(std::process::Stdio::null()))
}

/// Returns the file name of the package for Debian, such as `inputanim_0.1.0_amd64.deb`.
fn package() -> String {
    format!("inputanim_{VERSION}_amd64.deb")
}

/// Writes the files of a package to the folder `usr`, which stands for `/usr`: the program, libraries, licences,
/// documentation, manual pages and completions.
fn stage(release: &Release, program: &Path, usr: &Path) -> Result<()> {
    fs::create_dir_all(usr.join("bin"))?;
    fs::copy(program, usr.join("bin/inputanim"))?;
    // The loader of OpenXR loads them for `inputanim openxr`.
    let libraries = usr.join("lib/inputanim");
    fs::create_dir_all(&libraries)?;
    for name in openxr_libraries() {
        fs::copy(program.with_file_name(&name), libraries.join(&name))?;
    }
    let share = usr.join("share");
    let documents = share.join("doc/inputanim");
    fs::create_dir_all(&documents)?;
    release.write_licences(TRIPLE, &LIBRARIES, "linux", &documents)?;
    release.write_documentation(&documents.join("html"))?;
    output(
        Command::new(program)
            .args(["man", "-o"])
            .arg(share.join("man/man1")),
    )?;
    for (shell, path) in [
        ("bash", "bash-completion/completions/inputanim"),
        ("zsh", "zsh/site-functions/_inputanim"),
        ("fish", "fish/vendor_completions.d/inputanim.fish"),
    ] {
        write_completions(program, shell, &share.join(path))?;
    }
    // The permissions must not depend on the umask of the user.
    run(Command::new("chmod")
        .args(["--recursive", "u=rwX,go=rX"])
        .arg(usr))?;
    release.set_times(usr)
}

/// Creates the empty Debian in which [`install`] installs the package, and a copy with OpenXR. Does nothing without
/// root.
pub(crate) fn prepare_systems() -> Result<()> {
    if is_root()? {
        debian_with_openxr(&empty_debian()?)?;
    }
    Ok(())
}

/// Returns `true` if this process runs as root.
fn is_root() -> Result<bool> {
    Ok(output(Command::new("id").arg("-u"))? == b"0\n")
}

/// Installs the package in an empty Debian, uses the program, and checks that the removal of the package leaves no
/// files. Skipped without root.
pub(super) fn install(release: &Release) -> Result<()> {
    if !is_root()? {
        println!("skipped: an empty Debian needs root (debootstrap and chroot)");
        return Ok(());
    }
    let system = empty_debian()?;
    let before = tree(&system)?;
    fs::copy(
        release.folder.join(package()),
        system.join("tmp/package.deb"),
    )?;
    fs::copy(root().join("samples/wave.bin"), system.join("tmp/wave.bin"))?;
    let chroot = |command: &str| {
        output(
            Command::new("chroot")
                .arg(&system)
                .args(["sh", "-c", command])
                .env("LC_ALL", "C"),
        )
    };
    chroot("dpkg -i /tmp/package.deb")?;
    let shown = chroot("cd / && inputanim info tmp/wave.bin")?;
    ensure!(
        String::from_utf8_lossy(&shown).contains("layout"),
        "`inputanim info` shows no recording"
    );
    if viewer::is_built() {
        viewer::check_page(&chroot("inputanim view --save-page -")?)?;
    }
    let installed = || {
        let mut chroot = Command::new("chroot");
        chroot.arg(&system).arg("inputanim");
        chroot
    };
    check_interrupt(installed, &system, "tmp/new.bin")?;
    // No application of OpenXR is installed, so the program only has to find its libraries.
    for verb in ["play tmp/wave.bin", "record -o tmp/again.bin"] {
        let message = chroot(&format!(
            "cd / && inputanim openxr {verb} -- true 2>&1 || true"
        ))?;
        let message = String::from_utf8_lossy(&message);
        ensure!(
            message.contains("true did not use OpenXR")
                || message.contains("nothing was recorded of true"),
            "`inputanim openxr {verb}`: {message}"
        );
    }
    chroot("test -f /usr/share/man/man1/inputanim.1.gz")?;
    chroot("test -f /usr/share/bash-completion/completions/inputanim")?;
    if !release.is_trial {
        chroot("test -f /usr/share/doc/inputanim/html/index.html")?;
    }
    chroot("dpkg --purge inputanim && rm /tmp/package.deb /tmp/*.bin")?;
    let after = tree(&system)?;
    // These are lists that dpkg itself updates.
    let left = after.iter().find(|path| {
        !before.contains(path) && !path.starts_with("var/lib/dpkg") && !path.starts_with("var/log")
    });
    if let Some(path) = left {
        bail!("the removal of the package left {}", path.display());
    }
    println!("the package installs, works, and leaves nothing when it is removed");
    use_openxr(release, &system)
}

/// Plays a recording into Khronos' sample program and records it again, in a copy of the Debian `empty` that has only
/// the package and the packages that docs/openxr.md names.
fn use_openxr(release: &Release, empty: &Path) -> Result<()> {
    let system = debian_with_openxr(empty)?;
    let place = |name: &str| system.join("tmp").join(name);
    fs::copy(release.folder.join(package()), place("package.deb"))?;
    fs::copy(root().join("samples/pinch-drag.bin"), place("take.bin"))?;
    // The sample program enables the validation layer of Vulkan, and ends when its standard input ends.
    // It gets its pinches from a controller, which a .bin file cannot hold: exit code 3.
    let script = "cd /tmp && dpkg -i package.deb >/dev/null && export HOME=/tmp && \
                  inputanim openxr play take.bin -- hello_xr -g Vulkan2 && \
                  { inputanim openxr play take.bin --clock keys -- \
                  inputanim openxr record --force -o again.bin -- hello_xr -g Vulkan2; \
                  test $? -eq 3; } && \
                  inputanim diff --quiet --no-markers --rotation 0.001deg take.bin again.bin";
    let mut child = Command::new("chroot")
        .arg(&system)
        .args(["sh", "-c", script])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let _open = child.stdin.take();
    let printed = child.wait_with_output()?;
    let messages = String::from_utf8_lossy(&printed.stderr);
    ensure!(
        printed.status.success() && messages.contains("hello_xr played 301 frames"),
        "hello_xr in an empty Debian:\n{}{messages}",
        String::from_utf8_lossy(&printed.stdout)
    );
    println!("the installed package plays into hello_xr and records it");
    Ok(())
}

/// Copies the Debian `empty`, installs the packages that docs/openxr.md names in the copy, and returns the root of the
/// copy.
fn debian_with_openxr(empty: &Path) -> Result<PathBuf> {
    let system = target().join("xtask/clean-debian-openxr");
    let _lock = Lock::take(&system.with_extension("lock"))?;
    if system.exists() {
        return Ok(system);
    }
    // An incomplete system keeps another name, so that the next run starts again.
    let partial = system.with_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    run(Command::new("cp").arg("-a").args([empty, &partial]))?;
    let install = "apt-get update -qq && apt-get install -qq --yes --no-install-recommends \
                   libopenxr-loader1 libopenxr-utils mesa-vulkan-drivers vulkan-validationlayers";
    output(
        Command::new("chroot")
            .arg(&partial)
            .args(["sh", "-c", install])
            .env("LC_ALL", "C")
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )?;
    fs::rename(partial, &system)?;
    Ok(system)
}

/// Creates a Debian that contains only the base system, unless it exists, and returns its root.
fn empty_debian() -> Result<PathBuf> {
    let system = target().join("xtask/clean-debian");
    let _lock = Lock::take(&system.with_extension("lock"))?;
    if system.join("etc/debian_version").exists() {
        return Ok(system);
    }
    let tools = debian::extracted("debootstrap", &["debootstrap"])?;
    // An incomplete system keeps another name, so that the next run starts again.
    let partial = system.with_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    output(
        Command::new(tools.join("usr/sbin/debootstrap"))
            .args(["--variant=minbase", "bookworm"])
            .arg(&partial)
            .env("DEBOOTSTRAP_DIR", tools.join("usr/share/debootstrap")),
    )?;
    fs::rename(partial, &system)?;
    Ok(system)
}
