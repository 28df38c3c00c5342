//! Debian packages, extracted into the build folder instead of installed.
//!
//! The tasks need compilers and programs that most machines lack. Extracted packages change nothing
//! on the machine, and `rm -r target` removes them.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, Lock, output, run, target};

/// The folder of the libraries in an extracted root.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Downloads packages of Debian with their dependencies, and extracts them, so that the result does not depend on the
/// packages that the machine has. Only the packages that every Debian needs to start are omitted. Returns the folder of
/// the extracted files, which replaces the root of the file system. It is in `target/xtask/NAME`, where `name` is the
/// NAME, and serves the next run too.
pub(crate) fn extracted(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join("xtask").join(name);
    let root = folder.join("root");
    let _lock = Lock::take(&folder.join("lock"))?;
    if root.exists() {
        return Ok(root);
    }
    {
        // apt uses lists and folders that all tasks share.
        let _lock = Lock::take(&target().join("xtask/apt.lock"))?;
        update_lists()?;
        let packages = with_dependencies(packages)
            .context("cannot find packages of Debian; is this Debian or Ubuntu?")?;
        run(Command::new("apt-get")
            .args(["download", "-qq"])
            .args(packages)
            .current_dir(&folder))?;
    }
    extract(&folder, &root)?;
    Ok(root)
}

/// Updates apt's lists of packages, unless a task did so in the last hour. If this fails, prints a message and keeps
/// the present lists.
fn update_lists() -> Result<()> {
    const HOUR: Duration = Duration::from_secs(3600);
    let updated = target().join("xtask/apt-updated");
    let age = fs::metadata(&updated).and_then(|metadata| metadata.modified());
    if age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < HOUR)) {
        return Ok(());
    }
    // The lists may be missing, or so old that they name a compiler that is too old. Without a network, or while another
    // program updates the lists, the existing lists are used.
    if run(Command::new("apt-get").args(["update", "-qq"])).is_err() {
        println!("cannot update the list of Debian packages; the present list is used");
        return Ok(());
    }
    Ok(fs::write(updated, "")?)
}

/// Downloads packages of another `release` of Debian, such as `trixie`, without their dependencies, and extracts them.
/// The release must be signed with a key of the machine. Returns the folder of the extracted files in
/// `target/xtask/NAME`, which replaces the root of the file system; `name` is the NAME.
pub(crate) fn extracted_from_release(
    name: &str,
    release: &str,
    packages: &[&str],
) -> Result<PathBuf> {
    let folder = target().join("xtask").join(name);
    let root = folder.join("root");
    let _lock = Lock::take(&folder.join("lock"))?;
    if root.exists() {
        return Ok(root);
    }
    // apt gets folders of its own, so that the lists of the machine stay.
    let apt = folder.join("apt");
    fs::create_dir_all(apt.join("lists/partial"))?;
    fs::create_dir_all(apt.join("cache/archives/partial"))?;
    fs::write(apt.join("status"), "")?;
    let repositories = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
    ]))?;
    let repositories = String::from_utf8(repositories)?;
    let is_main = |uri: &&str| !uri.contains("security");
    let repository = repositories.lines().find(is_main);
    let repository = repository.context("apt has no repository; is this Debian?")?;
    let source = format!(
        "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {repository} {release} main\n"
    );
    fs::write(apt.join("sources.list"), source)?;
    let place = apt.display();
    let settings = format!(
        "Dir::State \"{place}\";\nDir::State::status \"{place}/status\";\nDir::Cache \"{place}/cache\";\n\
         Dir::Etc::sourcelist \"{place}/sources.list\";\nDir::Etc::sourceparts \"/dev/null\";\n\
         Dir::Etc::preferencesparts \"/dev/null\";\nAPT::Sandbox::User \"root\";\nAcquire::Languages \"none\";\n"
    );
    let configuration = apt.join("apt.conf");
    fs::write(&configuration, settings)?;
    let apt_get = |arguments: &[&str]| {
        run(Command::new("apt-get")
            .args(arguments)
            .env("APT_CONFIG", &configuration)
            .current_dir(&folder))
    };
    apt_get(&["update", "-qq"])?;
    apt_get(&[&["download", "-qq"], packages].concat())?;
    extract(&folder, &root)?;
    Ok(root)
}

/// Extracts all packages (`.deb`) in `folder` to the new folder `root`, and removes the packages.
fn extract(folder: &Path, root: &Path) -> Result<()> {
    // An incomplete folder keeps another name, so that the next run starts again.
    let partial = folder.join("partial");
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            run(Command::new("dpkg").arg("-x").args([&path, &partial]))?;
            fs::remove_file(path)?;
        }
    }
    ensure!(partial.exists(), "no packages in {}", folder.display());
    Ok(fs::rename(partial, root)?)
}

/// Returns the names of the packages and of their dependencies, without the packages that every Debian has.
fn with_dependencies(packages: &[&str]) -> Result<Vec<String>> {
    // Programs must use the C library of the machine, because its version must equal the version of the loader of the
    // machine.
    let base = base()?;
    let mut all = installation(packages)?;
    all.retain(|name| !base.contains(name) || packages.contains(&name.as_str()));
    Ok(all)
}

/// Returns the names of the packages that every Debian needs to start. They stay in a file for the next call, because
/// apt needs two seconds to find them.
fn base() -> Result<Vec<String>> {
    let found = target().join("xtask/apt-base");
    if let Ok(names) = fs::read_to_string(&found) {
        return Ok(names.lines().map(str::to_owned).collect());
    }
    let essential = output(
        Command::new("dpkg-query").args(["--show", "--showformat=${Essential} ${Package}\\n"]),
    )?;
    let essential = String::from_utf8(essential)?;
    let essential: Vec<&str> = essential
        .lines()
        .filter_map(|line| line.strip_prefix("yes "))
        .collect();
    let base = installation(&essential)?;
    fs::write(found, base.join("\n"))?;
    Ok(base)
}

/// Returns the names of all packages that apt would install for these `packages` on a machine without any.
fn installation(packages: &[&str]) -> Result<Vec<String>> {
    // apt simulates an installation to find the dependencies. A fixed list would become outdated, because the names of
    // dependencies contain versions.
    let nothing = target().join("xtask/apt-nothing-installed");
    fs::write(&nothing, "")?;
    let printed = output(
        Command::new("apt-get")
            .args(["install", "--simulate", "--no-install-recommends"])
            .arg(format!("--option=Dir::State::status={}", nothing.display()))
            .args(packages),
    )?;
    let printed = String::from_utf8(printed)?;
    let names = printed
        .lines()
        .filter_map(|line| line.strip_prefix("Inst "))
        .filter_map(|line| line.split_whitespace().next());
    Ok(names.map(str::to_owned).collect())
}

/// Downloads Debian's compiler for the web, and returns its folder. This compiler can build the standard library for
/// any target from its source.
pub(crate) fn compiler() -> Result<PathBuf> {
    extracted(
        "rustc-web",
        &["rustc-web", "libstd-rust-web-dev", "rust-web-src"],
    )
}

/// Changes a command of cargo so that it builds with Debian's compiler, for a target whose standard library is not
/// installed. `parts` are the parts of the standard library to build, such as `std,panic_abort`.
pub(crate) fn build_with_compiler(cargo: &mut Command, parts: &str) -> Result<()> {
    let compiler = compiler()?;
    cargo
        .arg(format!("-Zbuild-std={parts}"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", compiler.join("usr/bin/rustc"))
        .env("LD_LIBRARY_PATH", libraries(&compiler));
    Ok(())
}

/// Returns `true` if this system has apt: Debian, or a system that is made from it.
pub(crate) fn has_apt() -> bool {
    process::succeeds("apt-get", &["--version"])
}

/// Returns the folder of the libraries in `root`, the folder of extracted packages.
pub(crate) fn libraries(root: &Path) -> PathBuf {
    root.join(LIBRARIES)
}

/// Returns `true` if rustup has installed the standard library for a target, such as `wasm32-unknown-unknown`.
pub(crate) fn has_rustup_target(target: &str) -> Result<bool> {
    Ok(sysroot()?.join("lib/rustlib").join(target).exists())
}

/// Returns the folder in which the Rust compiler in use is installed.
pub(crate) fn sysroot() -> Result<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(String::from_utf8(sysroot)?.trim()))
}
