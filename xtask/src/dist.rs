//! `cargo xtask dist`: makes the packages of a release and installs them in empty systems.
//!
//! The packages are in `target/dist`: a zip and an installer for Windows, a tar.gz and a .deb for Linux,
//! the manifests of winget, Scoop and Homebrew, a list of the libraries in the program (SBOM), and
//! checksums. docs/building.md describes them.

mod linux;
mod windows;

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::licences::Libraries;
use crate::process::{headline, output, root, run, target};
use crate::windows::Tools;
use crate::{docs, host, unity, web, windows as under_wine};

/// Web folder of the packages, without a slash at the end.
const URL: &str = env!("CARGO_PKG_HOMEPAGE");

/// Name and address in the package for Debian.
const MAINTAINER: &str = env!("CARGO_PKG_AUTHORS");

/// The version of the program, which all crates of the workspace have.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The packages to make.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Make only the packages for this system
    #[arg(long, value_enum)]
    platform: Option<Platform>,
    /// Do not install the packages in an empty Debian and an empty Windows
    #[arg(long)]
    no_install: bool,
    /// Pack the programs of the tests instead, which are not optimised, and install these packages
    #[arg(long, conflicts_with_all = ["platform", "no_install", "twice"])]
    trial: bool,
    /// Build everything a second time in another folder, and compare the bytes
    #[arg(long)]
    twice: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Platform {
    /// x86_64, with glibc 2.17 or newer
    Linux,
    /// x86_64, Windows 10 or newer
    Windows,
}

/// A folder of packages, and the build folders for them.
struct Release {
    folder: PathBuf,
    /// The suffix of build folders, empty for the first build.
    suffix: &'static str,
    /// The time of the last commit in seconds since 1970, which all files get.
    epoch: String,
    /// True for programs of the tests. They are large, so their packages are compressed with a fast method.
    is_trial: bool,
}

/// Packs the programs that the tests have built for Linux and for Windows, and installs the packages in empty systems.
///
/// This tests the packages in a short time. The programs of a release are optimised, have all formats, and
/// are linked for an old C library.
pub(crate) fn try_packages() -> Result<()> {
    let linux = &host::build_program()?;
    under_wine::build_all(&under_wine::Args { full: false })?;
    let windows = &under_wine::program();
    let mut release = Release::new("-trial")?;
    release.is_trial = true;
    let folder = release.staging("programs")?;
    // Debug information is most of the program, so it is removed.
    let program = folder.join("inputanim");
    run(Command::new("strip").arg(linux).arg("-o").arg(&program))?;
    for name in linux::openxr_libraries() {
        run(Command::new("strip")
            .arg(linux.with_file_name(&name))
            .arg("-o")
            .arg(folder.join(name)))?;
    }
    linux::pack_deb(&release, &program)?;
    let tools = Tools::find()?;
    let files = windows::stage(&release, &tools, windows, &program)?;
    windows::make_installer(&release, &tools, &files)?;
    linux::install(&release)?;
    windows::install(&release)
}

/// Downloads the empty Debian in which packages are installed for a test. Does nothing without root.
pub(crate) fn prepare_systems() -> Result<()> {
    linux::prepare_systems()
}

pub(crate) fn run_all(args: &Args) -> Result<()> {
    if args.trial {
        return try_packages();
    }
    let first = Release::new("")?;
    first.make(args)?;
    if args.twice {
        let second = Release::new("-2")?;
        second.make(args)?;
        compare(&first, &second)?;
    }
    if !args.no_install {
        if args.platform != Some(Platform::Windows) {
            headline("installation in an empty Debian");
            linux::install(&first)?;
        }
        if args.platform != Some(Platform::Linux) {
            headline("installation in an empty Windows");
            windows::install(&first)?;
        }
    }
    headline("packages");
    for path in first.files()? {
        let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
        println!("{megabytes:>6.1} MB  {}", path.display());
    }
    Ok(())
}

impl Release {
    fn new(suffix: &'static str) -> Result<Release> {
        let folder = target().join(format!("dist{suffix}"));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let epoch = output(Command::new("git").args(["log", "-1", "--format=%ct"]))?;
        Ok(Release {
            folder,
            suffix,
            epoch: String::from_utf8(epoch)?.trim().to_owned(),
            is_trial: false,
        })
    }

    fn make(&self, args: &Args) -> Result<()> {
        // The program includes the viewer, so the viewer is built first.
        headline("viewer");
        web::build(web::Build::Published)?;
        // The program for Linux also writes the completions and manual pages of both systems.
        headline("program for Linux");
        let program = linux::build(self)?;
        print_start(Command::new(&program))?;
        if args.platform != Some(Platform::Windows) {
            linux::pack_tar(self, &program)?;
            linux::pack_deb(self, &program)?;
        }
        if args.platform != Some(Platform::Linux) {
            headline("program for Windows");
            windows::pack(self, &program)?;
        }
        headline("package for Unity");
        let archive = format!("{}-{VERSION}.tgz", unity::PACKAGE);
        unity::pack(&self.folder.join(archive), &self.epoch)?;
        self.write_manifests()?;
        self.write_checksums()
    }

    /// Returns the file name of a package of this version with an ending: `inputanim-0.1.0-x86_64-windows.zip` for
    /// `windows.zip`.
    fn name(&self, end: &str) -> String {
        format!("inputanim-{VERSION}-x86_64-{end}")
    }

    /// Creates an empty folder `name` for the files of a package, and returns its path. An existing folder is replaced.
    fn staging(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work().join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns the folder for the working files of this release, such as the content of packages before they are packed.
    fn work(&self) -> PathBuf {
        target().join(format!("xtask/dist{}", self.suffix))
    }

    /// Returns the paths of the packages and other files of the release, sorted by name.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.folder)?;
        let files: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut files = files?;
        files.sort();
        Ok(files)
    }

    /// Writes the licences of all libraries in the program and in other `packages` to `folder`, and the list of
    /// libraries (SBOM) to the folder of the release. `triple` is the target of the build, and `system` its name in
    /// file names, such as `linux`.
    fn write_licences(
        &self,
        triple: &str,
        packages: &[&str],
        system: &str,
        folder: &Path,
    ) -> Result<()> {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(root().join(name), folder.join(name))?;
        }
        let libraries = Libraries::of_program(triple, packages)?;
        libraries.write(folder)?;
        let sbom = self.folder.join(self.name(&format!("{system}.cdx.json")));
        fs::write(sbom, libraries.sbom(&self.epoch)?)?;
        Ok(())
    }

    fn write_manifests(&self) -> Result<()> {
        let [zip, installer, tar] = [
            self.name("windows.zip"),
            self.name("windows-setup.exe"),
            self.name("linux.tar.gz"),
        ];
        // The manifests of packages that were not made are not written.
        let templates = [
            ("winget/inputanim.inputanim.yaml", &installer),
            ("winget/inputanim.inputanim.installer.yaml", &installer),
            ("winget/inputanim.inputanim.locale.en-US.yaml", &installer),
            ("scoop/inputanim.json", &zip),
            ("homebrew/inputanim.rb", &tar),
        ];
        for (template, package) in templates {
            if !self.folder.join(package).exists() {
                continue;
            }
            let path = root().join("packaging").join(template);
            let text = fs::read_to_string(&path)?
                .replace("@VERSION@", VERSION)
                .replace("@URL@", URL)
                .replace("@PACKAGE@", package)
                .replace("@SHA256@", &self.checksum(package)?)
                .replace("@ZIP_FOLDER@", &self.name("windows"));
            let name = path.file_name().context("a template has a name")?;
            fs::write(self.folder.join(name), text)?;
        }
        Ok(())
    }

    fn checksum(&self, name: &str) -> Result<String> {
        let sum = output(
            Command::new("sha256sum")
                .arg(name)
                .current_dir(&self.folder),
        )?;
        let sum = String::from_utf8(sum)?;
        Ok(sum.split(' ').next().unwrap_or_default().to_owned())
    }

    fn write_checksums(&self) -> Result<()> {
        let mut lines = String::new();
        for path in self.files()? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            lines += &format!("{}  {name}\n", self.checksum(&name)?);
        }
        Ok(fs::write(self.folder.join("SHA256SUMS"), lines)?)
    }

    /// Builds the site of the documentation in a folder. Does nothing for programs of the tests, because mdBook takes a
    /// minute to build.
    fn write_documentation(&self, folder: &Path) -> Result<()> {
        if self.is_trial {
            return Ok(());
        }
        docs::build(folder)
    }

    /// Sets the time of all files and folders in a folder to the time of the release.
    fn set_times(&self, folder: &Path) -> Result<()> {
        let date = format!("--date=@{}", self.epoch);
        run(Command::new("find").arg(folder).args([
            "-exec",
            "touch",
            "--no-dereference",
            &date,
            "{}",
            "+",
        ]))
    }
}

/// Returns the flags of the compiler that replace the paths of this machine in the program.
fn rust_flags() -> Result<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let home = home.context("cargo has no home folder")?;
    // If several prefixes match, the last one counts. The build folder is usually inside the workspace, so it comes
    // later.
    Ok(format!(
        "--remap-path-prefix={}=/cargo --remap-path-prefix={}=/inputanim --remap-path-prefix={}=/target",
        home.join("registry/src").display(),
        root().display(),
        target().display()
    ))
}

/// Prints how long a program takes to start: the median of 21 runs with `--version`, in milliseconds.
fn print_start(mut program: Command) -> Result<()> {
    program.arg("--version").stdout(Stdio::null());
    let time = || -> Result<Duration> {
        let start = Instant::now();
        ensure!(program.status()?.success(), "the program does not start");
        Ok(start.elapsed())
    };
    let times: Result<Vec<Duration>> = std::iter::repeat_with(time).take(21).collect();
    let mut times = times?;
    times.sort();
    println!("starts in {:.1} ms", times[10].as_secs_f64() * 1e3);
    Ok(())
}

fn compare(first: &Release, second: &Release) -> Result<()> {
    headline("comparison of two builds");
    for path in first.files()? {
        let name = path.file_name().unwrap_or_default();
        if fs::read(&path)? != fs::read(second.folder.join(name))? {
            bail!("{} differs between two builds", path.display());
        }
    }
    println!("both builds gave the same bytes");
    Ok(())
}

/// Writes the file of completions for a shell, such as `bash`, to `path`. `program` prints them.
fn write_completions(program: &Path, shell: &str, path: &Path) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    let script = output(Command::new(program).args(["completions", shell]))?;
    Ok(fs::write(path, script)?)
}

/// Returns the paths of all files and folders in a folder, relative to it and sorted.
pub(crate) fn tree(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            found.push(entry.path().strip_prefix(folder)?.to_owned());
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
