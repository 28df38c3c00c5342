//! `cargo xtask web`: builds the npm package in web/package and the viewer in crates/inputanim-page/viewer.
//!
//! The package has three WebAssembly modules: `core` reads and plays recordings, `inputanim` also changes them, and
//! `formats` converts other formats. Pages load `formats` when they need it.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::licences::Libraries;
use crate::process::{self, Lock, headline, output, root, run, target};
use crate::{debian, host, spec, wasm};

/// The extent of the task.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also test the package and the viewer
    #[arg(long)]
    test: bool,
    /// Also measure each function of the package, and compare the times with native code
    #[arg(long)]
    bench: bool,
}

/// A WebAssembly module of the package.
struct Module {
    /// The name of its files.
    name: &'static str,
    /// The feature of the crate inputanim-wasm.
    feature: &'static str,
    /// True if the code that runs for every number is optimised for speed.
    is_fast: bool,
}

const MODULES: [Module; 3] = [
    CORE,
    Module {
        name: "inputanim",
        feature: "edits",
        is_fast: true,
    },
    Module {
        name: "formats",
        feature: "formats",
        is_fast: true,
    },
];

/// Most pages need this module, so it is optimised for size.
const CORE: Module = Module {
    name: "core",
    feature: "core",
    is_fast: false,
};

/// How the modules are compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// As they are published: small.
    Published,
    /// In half of the time, and larger. They compute the same.
    Tests,
}

/// The crates that are optimised for speed. `cargo xtask web --bench` shows the effect. The list is the same for all
/// modules, so that they share their dependencies.
const FAST: [&str; 7] = [
    "inputanim",
    "inputanim-analysis",
    "inputanim-convert",
    "inputanim-wasm",
    "glam",
    "libm",
    "serde_json",
];

pub(crate) fn run_all(args: &Args) -> Result<()> {
    build(Build::Published)?;
    if args.test {
        test(Build::Published)?;
    }
    if args.bench {
        bench()?;
    }
    Ok(())
}

/// Measures each function of the npm package in WebAssembly and in native code, and prints the times.
fn bench() -> Result<()> {
    headline("functions of the npm package: WebAssembly compared with native code on one thread");
    run(Command::new("cargo").args([
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "inputanim-bench",
        "--example",
        "npm_functions",
    ]))?;
    let folder = folder().join("bench");
    fs::create_dir_all(&folder)?;
    let native = output(
        Command::new(target().join("release/examples/npm_functions"))
            .arg(&folder)
            .env("RAYON_NUM_THREADS", "1"),
    )?;
    let times = folder.join("native.ndjson");
    fs::write(&times, native)?;
    run(Command::new("node")
        .arg(root().join("web/bench/functions.mjs"))
        .arg(&folder)
        .stdin(fs::File::open(times)?.into_parts().0))
}

/// Builds the npm package in web/package, and the page of the viewer.
pub(crate) fn build(build: Build) -> Result<()> {
    let web = root().join("web");
    let modules = install()?;
    let package = web.join("package");
    fs::create_dir_all(&package)?;
    // A module is optimised while the next one is compiled, because both use one processor most of the time.
    std::thread::scope(|scope| -> Result<()> {
        let mut finished = Vec::new();
        for module in &MODULES {
            let bytes = module.compile(build)?;
            let (modules, package) = (&modules, &package);
            finished.push(scope.spawn(move || module.finish(build, bytes, modules, package)));
        }
        for module in finished {
            module
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })?;
    let sources = root().join("crates/inputanim-wasm/package");
    for file in ["package.json", "README.md", "example.html"] {
        fs::copy(sources.join(file), package.join(file))?;
    }
    // Node.js loads modules from files.
    let loader = fs::read_to_string(sources.join("node.js"))?;
    for module in &MODULES {
        let name = format!("{}.node.js", module.name);
        fs::write(package.join(name), loader.replace("@NAME@", module.name))?;
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(file), package.join(file))?;
    }
    Libraries::of_npm_package()?.write(&package)?;
    run(Command::new("node").arg("build.mjs").current_dir(&web))
}

/// Tests the npm package and the page of the viewer, which [`build`] has built. The sizes of modules are tested only if
/// they are compiled as they are published.
pub(crate) fn test(build: Build) -> Result<()> {
    let web = root().join("web");
    headline("types of the npm package and of the viewer");
    run(Command::new("node")
        .args([
            "node_modules/typescript/bin/tsc",
            "--project",
            "tsconfig.json",
        ])
        .current_dir(&web))?;
    headline("npm package, compared with the program bit for bit, and viewer in Chromium");
    host::build()?;
    let recordings: Vec<String> = spec::recordings()?
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let out = target().join("xtask/web/test");
    fs::create_dir_all(&out)?;
    let is_small = build == Build::Published && !debian::has_rustup_target(wasm::TARGET)?;
    let chromium = chromium()?;
    let libraries = debian::libraries(&chromium);
    // Libraries that are private to one package are in folders of their own.
    let paths = std::env::join_paths([libraries.clone(), libraries.join("pulseaudio")])?;
    let chromium = chromium.join("usr/lib/chromium/chromium-headless-shell");
    let test = |file: &Path| {
        let mut node = Command::new("node");
        node.args(["--test", "--test-reporter=spec"])
            .arg(file)
            .env("INPUTANIM_PROGRAM", host::program())
            .env("INPUTANIM_RECORDINGS", recordings.join("\n"))
            .env("INPUTANIM_OUT", &out)
            .env("INPUTANIM_SMALL_MODULES", if is_small { "1" } else { "" })
            .env("INPUTANIM_CHROMIUM", &chromium)
            .env("INPUTANIM_CHROMIUM_LIBRARIES", &paths)
            .current_dir(&web);
        process::captured(&mut node)
    };
    let files = Mutex::new(tests(&web)?.into_iter());
    let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = next() {
                    let start = Instant::now();
                    let (printed, result) = test(&file);
                    let name = file.file_name().unwrap_or_default().display();
                    println!("{printed}-- {name}: {} s", start.elapsed().as_secs());
                    if result.is_err() {
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.push(name.to_string());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    ensure!(failed.is_empty(), "tests failed in {}", failed.join(", "));
    Ok(())
}

/// Returns the files with tests. The largest is first, because files run at the same time, and the last to begin should be short.
/// Node.js would run them in the order of their names.
fn tests(web: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(web.join("test"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push((fs::metadata(&path)?.len(), path));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Downloads Debian's headless Chromium, and returns the folder of the extracted packages. It opens a page in a third of
/// the processor time of the complete program, which also draws a window that nobody sees.
pub(crate) fn chromium() -> Result<PathBuf> {
    debian::extracted(
        "chromium-headless",
        &["chromium-headless-shell", "chromium-common"],
    )
}

/// Installs the npm packages of web/package.json, unless they are installed, and returns the path of `node_modules`.
pub(crate) fn install() -> Result<PathBuf> {
    let web = root().join("web");
    let modules = web.join("node_modules");
    let _lock = Lock::take(&target().join("xtask/npm-web.lock"))?;
    let lock = fs::read(web.join("package-lock.json"))?;
    // A copy of the lock file is written last, so it marks a complete installation.
    let installed = modules.join(".inputanim-lock.json");
    if fs::read(&installed).ok().as_ref() != Some(&lock) {
        run(Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&web))
        .context(
            "the viewer needs Node.js 20 or newer with npm, and a network for the first build",
        )?;
        fs::write(installed, lock)?;
    }
    Ok(modules)
}

impl Module {
    /// Compiles the module to WebAssembly, and returns the bytes of the file.
    fn compile(&self, build: Build) -> Result<Vec<u8>> {
        run(self.cargo(build)?.arg("--lib"))?;
        Ok(fs::read(build.output("inputanim_wasm.wasm"))?)
    }

    /// Returns the command `cargo build` with the features and flags of this module. The caller adds the target to
    /// build.
    fn cargo(&self, build: Build) -> Result<Command> {
        let mut cargo = wasm::cargo(&folder().join("cargo"))?;
        cargo
            .args(["--package", "inputanim-wasm", "--profile", build.profile()])
            .args(["--no-default-features", "--features", self.feature]);
        let is_fast = self.is_fast && build == Build::Published;
        for package in FAST.iter().filter(|_| is_fast) {
            let option = format!("profile.web.package.{package}.opt-level=2");
            cargo.args(["--config", &option]);
        }
        // All browsers have vector instructions since March 2023.
        let mut flags = "-Ctarget-feature=+simd128".to_owned();
        if !debian::has_rustup_target(wasm::TARGET)? {
            // A panic ends the module in any case. No page shows the text of a panic, and the code for this text is
            // large.
            flags += " -Zunstable-options -Cpanic=immediate-abort";
        }
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
        Ok(cargo)
    }

    /// Adds the JavaScript to the `bytes` of the compiled module, optimises it if it is published, and writes its files
    /// into the folder `package`. `modules` is the path of `node_modules`.
    fn finish(&self, build: Build, bytes: Vec<u8>, modules: &Path, package: &Path) -> Result<()> {
        let work = folder().join(self.name);
        let out = work.join("out");
        fs::create_dir_all(&out)?;
        // It is written last, so it marks complete outputs.
        let done = work.join("done.wasm");
        if fs::read(&done).ok().as_ref() != Some(&bytes) {
            let input = work.join("input.wasm");
            fs::write(&input, &bytes)?;
            run(Command::new("cargo")
                .args(["run", "--quiet", "--locked"])
                .arg("--manifest-path")
                .arg(root().join("web/bindgen/Cargo.toml"))
                .arg("--target-dir")
                .arg(target().join("xtask/bindgen"))
                .arg("--")
                .arg(&input)
                .arg(self.name)
                .arg(&out))?;
            let module = out.join(format!("{}_bg.wasm", self.name));
            if build == Build::Published {
                // With -Oz, it takes four times as long, and the modules are larger when they are compressed with Brotli.
                run(Command::new("node")
                    .arg(modules.join("binaryen/bin/wasm-opt"))
                    .args(["-O1", "--strip-debug"])
                    .args(["--strip-producers", "-o"])
                    .args([&module, &module]))?;
            }
            fs::write(done, bytes)?;
        }
        copy_files(&out, package)
    }
}

impl Build {
    /// Returns the name of the profile in Cargo.toml, which is also the name of cargo's output folder.
    fn profile(self) -> &'static str {
        match self {
            Build::Published => "web",
            Build::Tests => "web-tests",
        }
    }

    /// Returns the path of a file that cargo has built for WebAssembly. `name` is its path in cargo's output folder.
    fn output(self, name: &str) -> PathBuf {
        let folder = folder().join("cargo").join(wasm::TARGET);
        folder.join(self.profile()).join(name)
    }
}

/// Builds the example `digest`, which prints checksums, with the flags of the module `core`, and returns its path.
pub(crate) fn build_digest(build: Build) -> Result<PathBuf> {
    run(CORE.cargo(build)?.args(["--example", "digest"]))?;
    Ok(build.output("examples/digest.wasm"))
}

/// Returns the folder for the builds of this task.
fn folder() -> PathBuf {
    target().join("xtask/web")
}

/// Copies the files in the folder `from` and its subfolders to the folder `to`.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let copy = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_files(&entry.path(), &copy)?;
        } else {
            fs::copy(entry.path(), copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn all_modules_use_a_crate_with_the_same_features() {
        let mut crates: BTreeMap<String, (String, &str)> = BTreeMap::new();
        for module in &MODULES {
            let mut cargo = Command::new("cargo");
            cargo
                .args(["tree", "--locked", "--package=inputanim-wasm"])
                .args(["--target", wasm::TARGET, "--edges=normal,build"])
                .args(["--no-default-features", "--features", module.feature])
                .args(["--prefix=none", "--format={p} has {f}."]);
            let tree = output(cargo.current_dir(root())).expect("a tree of crates");
            let tree = String::from_utf8(tree).expect("text");
            let lines = tree
                .lines()
                .filter(|line| !line.starts_with("inputanim-wasm "));
            let mut seen = 0;
            for (name, features) in lines.filter_map(|line| line.split_once(" has ")) {
                // Crates that occur again have a mark.
                let features = features.trim_end_matches(" (*)");
                let first = crates.entry(name.to_owned());
                let (known, other) = first.or_insert((features.to_owned(), module.name));
                assert_eq!(
                    known, features,
                    "{name} is compiled for {other} and again for {}",
                    module.name
                );
                seen += 1;
            }
            assert!(seen > 10, "{}: {tree}", module.name);
        }
    }
}
