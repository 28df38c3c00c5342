//! `cargo xtask windows`: builds the program for Windows and runs it and its tests under Wine.
//!
//! It uses rustup's target x86_64-pc-windows-gnu if it is installed, otherwise Debian's compiler,
//! which builds the standard library from its source. Wine and the linker are packages of Debian in
//! the build folder. Nothing is installed. docs/windows.md lists what Wine cannot show.

pub(crate) mod checks;
mod openxr;

use fs_err as fs;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{Lock, captured, headline, output, root, run, target};
use crate::{debian, viewer};

/// The folder of builds for Windows. Other builds have another folder, because they use another compiler.
const FOLDER: &str = "xtask/windows";

pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// The extent of the tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also run the tests of the libraries, with all formats
    #[arg(long)]
    pub(crate) full: bool,
}

pub(crate) fn run_all(args: &Args) -> Result<()> {
    let tools = timed("compiler, linker and Wine", Tools::find)?;
    timed("build of the program and its tests", || build(&tools, args))?;
    let program = program();
    tools.check_imports(&program)?;
    timed("the same commands on Linux and on Windows", || {
        checks::run(&tools, &program)
    })?;
    timed("tests, and the commands of README and docs", || {
        run_tests(&tools, args, &[])?;
        if !viewer::is_built() {
            println!(
                "the viewer is not built: tests of the server of `view` and of reports count as skipped"
            );
            return Ok(());
        }
        run_tests(&tools, args, &["--ignored", viewer::TESTS])
    })?;
    timed("applications of OpenXR under Wine", || {
        openxr::run_all(&tools, &program)
    })?;
    headline("all tests passed under Wine");
    Ok(())
}

/// Returns the path of the program for Windows that [`build_all`] builds.
pub(crate) fn program() -> PathBuf {
    target()
        .join(FOLDER)
        .join(TARGET)
        .join("debug/inputanim.exe")
}

/// Builds the program for Windows and its tests together, because a build without the tests has other features.
fn build(tools: &Tools, args: &Args) -> Result<()> {
    let (mut cargo, _) = tools.cargo("test", "dev", FOLDER)?;
    let packages = packages(args);
    let (printed, result) = captured(cargo.arg("--no-run").args(packages));
    print!("{printed}");
    result?;
    // The lints check only the program with all formats, and this one has the formats of every installation.
    ensure!(
        args.full || !printed.contains("warning: "),
        "the compiler warns"
    );
    // Applications of OpenXR are examples of the runtime.
    let (mut cargo, _) = tools.cargo("build", "dev", FOLDER)?;
    let examples = openxr::APPLICATIONS.map(|name| format!("--example={name}"));
    run(cargo
        .args(
            packages
                .iter()
                .filter(|option| !option.starts_with("--test")),
        )
        .args(["--lib", "--bins"])
        .args(examples))?;
    if !args.full {
        return Ok(());
    }
    // The tests of the library run its examples. The options that exclude the examples in the documentation exclude
    // these examples too.
    let (mut cargo, _) = tools.cargo("build", "dev", FOLDER)?;
    run(cargo.args(["--package=inputanim", "--all-features", "--examples"]))
}

/// Builds everything for Windows that [`run_all`] runs under Wine.
pub(crate) fn build_all(args: &Args) -> Result<()> {
    build(&Tools::extracted()?, args)
}

/// Runs the tests for Windows under Wine; `options` are arguments of the test programs. Wine occasionally fails to
/// start a program, so the tests that failed run a second time; all tests, if none of them has failed.
fn run_tests(tools: &Tools, args: &Args, options: &[&str]) -> Result<()> {
    let run = |names: &[&str]| -> Result<(bool, String)> {
        let (mut cargo, _) = tools.cargo("test", "dev", FOLDER)?;
        cargo.args(packages(args)).args(["--no-fail-fast", "--"]);
        let mut tests = cargo
            .args(names)
            .stdout(Stdio::piped())
            .current_dir(root())
            .spawn()?;
        let mut printed = String::new();
        let output = tests.stdout.take().context("standard output is piped")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            printed += &line;
            printed.push('\n');
        }
        Ok((tests.wait()?.success(), printed))
    };
    let (passed, printed) = run(options)?;
    if passed {
        return Ok(());
    }
    let failed = failed_tests(&printed);
    if failed.is_empty() {
        println!("a program of tests failed without a failed test, so all tests run a second time");
        ensure!(run(options)?.0, "the tests failed twice under Wine");
        return Ok(());
    }
    println!("these tests run a second time: {}", failed.join(" "));
    let again = [&["--exact", "--include-ignored"], &failed[..]].concat();
    if !run(&again)?.0 {
        bail!("{} failed twice under Wine", failed.join(" "));
    }
    Ok(())
}

/// Returns the names of failed tests in `printed`, the output of test programs.
fn failed_tests(printed: &str) -> Vec<&str> {
    let lists = printed.split("\nfailures:\n").skip(1);
    let names = lists.flat_map(|list| list.lines().map_while(|line| line.strip_prefix("    ")));
    names.collect()
}

/// Returns the options of cargo that select the packages whose tests run under Wine, and their features.
fn packages(args: &Args) -> &'static [&'static str] {
    if args.full {
        // This list adds the libraries, without the examples in their documentation.
        &[
            "--package=inputanim-cli",
            "--package=inputanim-tests",
            "--package=inputanim-convert",
            "--package=inputanim-analysis",
            "--package=inputanim-motion",
            "--package=inputanim-scan",
            "--package=inputanim-output",
            "--package=inputanim-openxr",
            "--package=inputanim-openxr-runtime",
            "--package=inputanim-openxr-layer",
            "--all-features",
            "--lib",
            "--bins",
            "--tests",
        ]
    } else {
        // Outputs are included, because their targets differ on Windows. Tests inside of the libraries, which rarely depend on
        // the system, are not.
        &[
            "--package=inputanim-cli",
            "--package=inputanim-output",
            "--package=inputanim-openxr-runtime",
            "--package=inputanim-openxr-layer",
            "--test=*",
        ]
    }
}

/// Prints a title, calls `part`, prints how long it took in seconds, and returns its result.
fn timed<T>(title: &str, part: impl FnOnce() -> Result<T>) -> Result<T> {
    headline(title);
    let start = Instant::now();
    let result = part()?;
    println!("-- {} s", start.elapsed().as_secs());
    Ok(result)
}

/// Debian's packages with the linker for Windows, Wine and NSIS.
pub(crate) struct Tools {
    root: PathBuf,
    /// The folder in which Wine keeps drive C: and the registry.
    prefix: PathBuf,
    /// A program that waits, see [`Tools::keep_running`].
    waiting: Option<Child>,
}

impl Tools {
    /// Downloads the packages of Debian, and creates a Wine prefix with an empty Windows.
    pub(crate) fn download() -> Result<()> {
        Tools::extracted()?.prepare_wine()
    }

    /// Downloads the packages of Debian if necessary, creates a Wine prefix with an empty Windows, and starts it.
    pub(crate) fn find() -> Result<Tools> {
        let mut tools = Tools::extracted()?;
        tools.prepare_wine()?;
        tools.keep_running()?;
        Ok(tools)
    }

    /// Downloads the packages of Debian if necessary, and returns the tools without a Wine prefix.
    fn extracted() -> Result<Tools> {
        // The list includes the packages whose files these programs look for in their own folder.
        let packages = [
            "gcc-mingw-w64-x86-64-win32",
            "gcc-mingw-w64-x86-64-win32-runtime",
            "binutils-mingw-w64-x86-64",
            "mingw-w64-common",
            "mingw-w64-x86-64-dev",
            "wine64",
            "libwine",
            "wine",
            "nsis",
            "nsis-common",
        ];
        let root = debian::extracted("windows-tools", &packages)?;
        let prefix = target().join("xtask/wine");
        Ok(Tools {
            root,
            prefix,
            waiting: None,
        })
    }

    /// Starts a program under Wine that waits for input until this value is dropped.
    ///
    /// Wine ends its services with the last program. Each command would start them again, which takes seconds.
    fn keep_running(&mut self) -> Result<()> {
        let mut wait = self.wine();
        // Services keep their inherited streams open, so they get no pipes.
        wait.args(["cmd", "/c", "set /p x="])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.waiting = Some(wait.spawn().context("cannot run Wine")?);
        Ok(())
    }

    /// Copies the Wine prefix to another one, in which programs can open windows on an X server, and returns the tools
    /// for it. Vulkan needs this.
    fn with_screen(&self) -> Result<Tools> {
        let prefix = target().join("xtask/wine-screen");
        if prefix.exists() {
            fs::remove_dir_all(&prefix)?;
        }
        // Files are links, because Wine replaces none of them except the registry.
        run(Command::new("cp")
            .args(["--archive", "--link"])
            .args([&self.prefix, &prefix]))?;
        for name in ["system.reg", "user.reg", "userdef.reg"] {
            let registry = fs::read_to_string(self.prefix.join(name))?;
            let registry = registry.replace("\"Graphics\"=\"null\"\n", "");
            fs::remove_file(prefix.join(name))?;
            fs::write(prefix.join(name), registry)?;
        }
        Ok(Tools {
            root: self.root.clone(),
            prefix,
            waiting: None,
        })
    }

    /// Ends all programs that run in this Wine prefix.
    fn end(&self) -> Result<()> {
        let mut server = Command::new(self.server());
        run(server.arg("--kill").env("WINEPREFIX", &self.prefix))
    }

    fn server(&self) -> PathBuf {
        self.root.join("usr/lib/wine/wineserver")
    }

    fn prepare_wine(&self) -> Result<()> {
        let _lock = Lock::take(&self.prefix.with_extension("lock"))?;
        // The file is written last, so that an incomplete prefix is made again. It contains the path, because a prefix
        // in a folder that was moved still refers to the old one.
        let is_ready = self.prefix.join("ready");
        let path = self.prefix.display().to_string();
        if fs::read_to_string(&is_ready).is_ok_and(|ready| ready == path) {
            return Ok(());
        }
        if self.prefix.exists() {
            fs::remove_dir_all(&self.prefix)?;
        }
        // The package contains a script instead of the program, and the script works only in an installed package.
        let server = self.server();
        fs::remove_file(&server).ok();
        fs::copy(server.with_file_name("wineserver64"), &server)?;
        // Debian's Wine expects this library in /usr/x86_64-w64-mingw32. The first start needs it in the first folder,
        // and all later starts in the second one.
        let system = self.prefix.join("drive_c/windows/system32");
        fs::create_dir_all(&system)?;
        let zlib = self.root.join("usr/x86_64-w64-mingw32/lib/zlib1.dll");
        for folder in [
            debian::libraries(&self.root).join("wine/x86_64-windows"),
            system,
        ] {
            fs::copy(&zlib, folder.join("zlib1.dll"))?;
        }
        // The exit code is ignored. It comes from the 32-bit part of Wine, which the packages do not contain.
        self.wine()
            .args(["wineboot", "--init"])
            .stderr(Stdio::null())
            .status()?;
        self.provide_random_numbers()?;
        // Windows are not drawn, so that programs can open a console on a machine without a screen.
        let drivers = [
            r"HKCU\Software\Wine\Drivers",
            "/v",
            "Graphics",
            "/d",
            "null",
        ];
        run(self
            .wine()
            .args(["reg", "add"])
            .args(drivers)
            .stdout(Stdio::null()))?;
        // The browser is a script that stores the address of the page. Wine passes addresses to Linux programs.
        let browser = self.prefix.join("browser");
        let script = format!(
            "#!/bin/sh\necho \"$1\" >'{}'\n",
            self.browser_address().display()
        );
        fs::write(&browser, script)?;
        run(Command::new("chmod").arg("+x").arg(&browser))?;
        run(self
            .wine()
            .args(["reg", "add", r"HKCU\Software\Wine\WineBrowser", "/f"])
            .args(["/v", "Browsers", "/d"])
            .arg(&browser)
            .stdout(Stdio::null()))?;
        // The paths that the compiler writes into the tests have no drive, so they work only on Z:, the root of Linux.
        // Folders for temporary files are on the same drive.
        let temporary = target().join("xtask/wine-tmp");
        fs::create_dir_all(&temporary)?;
        for name in ["TEMP", "TMP"] {
            run(self
                .wine()
                .args(["reg", "add", r"HKCU\Environment", "/f", "/v", name, "/d"])
                .arg(windows_path(&temporary))
                .stdout(Stdio::null()))?;
        }
        // The registry is on disk only after the server has ended.
        run(Command::new(server)
            .arg("--wait")
            .env("WINEPREFIX", &self.prefix))?;
        Ok(fs::write(is_ready, path)?)
    }

    /// Adds a library with the function from which Rust's standard library gets random numbers. Wine lacks it before
    /// version 9.
    fn provide_random_numbers(&self) -> Result<()> {
        let library = self
            .prefix
            .join("drive_c/windows/system32/bcryptprimitives.dll");
        if library.exists() {
            return Ok(());
        }
        let source = self.prefix.join("random.c");
        fs::write(
            &source,
            "int __stdcall SystemFunction036(void *, unsigned long);\n\
             __declspec(dllexport) int __stdcall ProcessPrng(void *bytes, unsigned long long size)\n\
             { return SystemFunction036(bytes, size); }\n",
        )?;
        run(self
            .tool("gcc-win32")
            .args(["-shared", "-o"])
            .args([&library, &source])
            .arg("-ladvapi32"))
    }

    /// Returns the command of a program of the compiler for Windows, such as `objdump` or `gcc-win32`.
    pub(crate) fn tool(&self, name: &str) -> Command {
        Command::new(self.root.join(format!("usr/bin/x86_64-w64-mingw32-{name}")))
    }

    /// Returns the command of Wine. The caller adds the path of a program for Windows and its arguments.
    pub(crate) fn wine(&self) -> Command {
        let mut wine = Command::new(self.wine_path());
        self.set_environment(&mut wine, None);
        wine
    }

    /// Makes a folder available under Wine as a network drive, and returns its path for Windows (UNC).
    fn share(&self, folder: &Path) -> Result<String> {
        // Wine finds shares in this folder, under the names of their servers.
        let server = self.prefix.join("dosdevices/unc/server");
        fs::create_dir_all(&server)?;
        run(Command::new("ln")
            .args(["--symbolic", "--force", "--no-dereference"])
            .args([folder, &server.join("share")]))?;
        Ok(r"\\server\share".to_owned())
    }

    fn wine_path(&self) -> PathBuf {
        self.root.join("usr/lib/wine/wine64")
    }

    fn set_environment(&self, command: &mut Command, libraries: Option<PathBuf>) {
        let libraries = libraries
            .into_iter()
            .chain([debian::libraries(&self.root)])
            .map(PathBuf::into_os_string);
        let libraries: Vec<OsString> = libraries.collect();
        command
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // In other locales, such as C, Wine does not find files whose names have characters outside of ASCII.
            .env("LC_ALL", "C.UTF-8")
            // Without these overrides, Wine offers to download .NET and a browser.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env("LD_LIBRARY_PATH", libraries.join(":".as_ref()));
    }

    /// Returns the command of cargo with a subcommand for Windows, and the build folder. Cargo runs the built programs
    /// under Wine. `folder` is the path of the build folder, relative to the folder of all builds.
    pub(crate) fn cargo(
        &self,
        subcommand: &str,
        profile: &str,
        folder: &str,
    ) -> Result<(Command, PathBuf)> {
        let folder = target().join(folder);
        let mut cargo = Command::new("cargo");
        cargo
            .args([subcommand, "--quiet", "--locked", "--profile", profile])
            .args(["--target", TARGET, "--target-dir"])
            .arg(&folder)
            // The tests under Wine are short.
            .args(["--config", "profile.dev.package.inputanim.opt-level=0"])
            .args(["--config", "profile.dev.package.proptest.opt-level=0"])
            // The tests of this machine have these checks, and the program for Windows compiles faster without them.
            .args(["--config", "profile.dev.debug-assertions=false"])
            .args(["--config", "profile.dev.overflow-checks=false"]);
        if profile == "dev" {
            // Wine then maps programs instead of reading them, so that they start in half of the time.
            cargo.env(
                "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS",
                "-Clink-arg=-Wl,--file-alignment,4096",
            );
        }
        let mut libraries = None;
        if !debian::has_rustup_target(TARGET)? {
            // Tests need the crate `test`. Every crate depends on the parts of the standard library, so other builds have
            // the same parts, and share all crates with the tests.
            debian::build_with_compiler(&mut cargo, "std,panic_unwind,test")?;
            if profile == "dev" {
                // Without the text of stack traces, which needs a sixth of the time of the standard library.
                cargo.arg("-Zbuild-std-features=panic-unwind");
            }
            libraries = Some(debian::libraries(&debian::compiler()?));
        }
        self.set_environment(&mut cargo, libraries);
        let programs = self.root.join("usr/bin");
        let mut path = programs.clone().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let compiler = programs.join("x86_64-w64-mingw32-gcc-win32");
        cargo
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", &compiler)
            .env(
                "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER",
                self.wine_path(),
            )
            .env("CC_x86_64_pc_windows_gnu", &compiler)
            .env(
                "AR_x86_64_pc_windows_gnu",
                programs.join("x86_64-w64-mingw32-ar"),
            )
            // Some crates call dlltool by its name.
            .env("PATH", path)
            // The program is built once, and nobody debugs it.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Without symbols, the program has 52 instead of 125 MB, and the linker needs two thirds of the time.
            .env("CARGO_PROFILE_DEV_STRIP", "symbols")
            .env("CARGO_INCREMENTAL", "0");
        Ok((cargo, folder))
    }

    /// Writes the licences of the C library and of the support library of the compiler to a file. Programs for Windows
    /// contain both libraries.
    pub(crate) fn write_runtime_licence(&self, path: &Path) -> Result<()> {
        let documents = self.root.join("usr/share/doc");
        let mut text = String::new();
        for package in ["mingw-w64-x86-64-dev", "gcc-mingw-w64-base"] {
            text += &fs::read_to_string(documents.join(package).join("copyright"))?;
            text.push('\n');
        }
        Ok(fs::write(path, text)?)
    }

    /// Returns the command of NSIS, the compiler of installers.
    pub(crate) fn makensis(&self) -> Command {
        let mut makensis = Command::new(self.root.join("usr/bin/makensis"));
        makensis.env("NSISDIR", self.root.join("usr/share/nsis"));
        makensis
    }

    /// Returns the name of the user under Wine.
    pub(crate) fn user(&self) -> String {
        std::env::var("USER").unwrap_or_else(|_| "root".to_owned())
    }

    /// Returns the folder of the user in drive C: of the Wine prefix, as a path of Linux.
    pub(crate) fn user_folder(&self) -> PathBuf {
        self.prefix.join("drive_c/users").join(self.user())
    }

    /// Returns the path of the file that contains the address that a program opened in the browser last.
    pub(crate) fn browser_address(&self) -> PathBuf {
        self.prefix.join("drive_c/address.txt")
    }

    /// Checks that a program or library needs only libraries that every Windows has, and prints them.
    pub(crate) fn check_imports(&self, program: &Path) -> Result<()> {
        let printed = output(self.tool("objdump").arg("-p").arg(program))?;
        let printed = String::from_utf8_lossy(&printed).to_lowercase();
        let names = printed
            .lines()
            .filter_map(|line| line.trim().strip_prefix("dll name: "));
        let names: Vec<&str> = names.collect();
        ensure!(!names.is_empty(), "objdump shows no imports");
        let foreign = names.iter().find(|name| {
            let stem = name.trim_end_matches(".dll");
            !stem.starts_with("api-ms-win-") && !SYSTEM.contains(&stem)
        });
        if let Some(name) = foreign {
            anyhow::bail!(
                "{} needs the library {name}, which is not part of Windows",
                program.display()
            );
        }
        println!("needs only libraries of Windows: {}", names.join(", "));
        Ok(())
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            // The program ends when its input ends.
            drop(waiting.stdin.take());
            waiting.wait().ok();
        }
    }
}

/// Libraries that every Windows has.
const SYSTEM: [&str; 15] = [
    "advapi32",
    "bcrypt",
    "bcryptprimitives",
    "combase",
    "crypt32",
    "kernel32",
    "msvcrt",
    "ntdll",
    "ole32",
    "oleaut32",
    "rpcrt4",
    "shell32",
    "user32",
    "userenv",
    "ws2_32",
];

/// Converts the path of a Linux file to a path for Windows programs: on drive Z:, which is the root of Linux under
/// Wine.
pub(crate) fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', r"\"))
}

/// Runs a program with `input` as its standard input. Returns its exit code (`None` if a signal ended it), its standard
/// output and its standard error.
fn outcome(command: &mut Command, input: &[u8]) -> Result<(Option<i32>, Vec<u8>, Vec<u8>)> {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let input = input.to_owned();
    // A program that fails does not read its input. Writing to it then fails, and this error is ignored.
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output()?;
    writer.join().ok();
    Ok((output.status.code(), output.stdout, output.stderr))
}

#[cfg(test)]
mod tests {
    #[test]
    fn failed_tests_are_found_in_the_output_of_test_programs() {
        let printed = "\
running 2 tests
failures:

---- a::b stdout ----
    message

failures:
    a::b
    c

test result: FAILED.
running 1 test
failures:

failures:
    d

";
        assert_eq!(super::failed_tests(printed), ["a::b", "c", "d"]);
    }
}
