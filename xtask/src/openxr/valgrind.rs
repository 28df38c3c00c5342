//! The errors that Valgrind finds in the libraries.

use fs_err as fs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Test;
use crate::debian;
use crate::host;
use crate::process::{self, headline, target};

/// The program that loads the C library, into which Valgrind must look.
const LINKER: &str = "/lib64/ld-linux-x86-64.so.2";

/// Downloads Valgrind and the symbols of the C library if necessary, and returns the folder of the extracted files.
pub(crate) fn packages() -> Result<PathBuf> {
    debian::extracted("valgrind", &["valgrind", "libc6-dbg"])
}

/// Returns the option by which Valgrind finds the symbols of the program that loads the C library. Fails if the packages in `root` have
/// the symbols of another version of the C library.
fn symbols(root: &Path) -> Result<OsString> {
    let linker = fs::canonicalize(LINKER)?;
    let mut readelf = Command::new("readelf");
    let link = readelf.arg("--string-dump=.gnu_debuglink").arg(&linker);
    // A checksum follows the name.
    let printed = process::output(link)?;
    let printed = String::from_utf8_lossy(&printed);
    let mut words = printed.split_whitespace();
    let name = words.find(|word| word.ends_with(".debug"));
    let name = name.with_context(|| format!("{LINKER} does not name its symbols:\n{printed}"))?;
    let mut found = None;
    for folder in fs::read_dir(root.join("usr/lib/debug/.build-id"))? {
        let file = folder?.path().join(name);
        found = found.or(file.exists().then_some(file));
    }
    let found = found.context(
        "the package libc6-dbg has another version than the C library of this machine: update libc6",
    )?;
    // Valgrind appends the folder of the library to the folder of its option.
    let folder = target().join("xtask/valgrind/symbols");
    let beside = linker.strip_prefix("/")?.parent().context("no folder")?;
    let beside = folder.join(beside);
    fs::create_dir_all(&beside)?;
    fs::copy(found, beside.join(name))?;
    let mut option = OsString::from("--extra-debuginfo-path=");
    option.push(folder);
    Ok(option)
}

/// Returns `true` if a line of the stack of an error is in the libraries.
fn is_ours(line: &str) -> bool {
    line.contains("libinputanim_openxr")
        || (line.contains("crates/inputanim") && line.contains("/src/"))
}

impl Test {
    /// Checks that Valgrind finds no errors and no lost memory in the runtime and in the layer.
    pub(super) fn valgrind_finds_nothing(&self) -> Result<()> {
        headline("Valgrind");
        let root = packages()?;
        let mut valgrind = Command::new(root.join("usr/bin/valgrind.bin"));
        valgrind
            .arg(symbols(&root)?)
            .args(["--fullpath-after=", "--leak-check=full"])
            .args(["--show-leak-kinds=definite", "--num-callers=40"])
            .arg(self.client().get_program())
            .arg("time");
        let mut record = Command::new(host::program());
        record.args(["openxr", "record", "--force", "-o"]);
        record.arg(self.folder.join("valgrind.session")).arg("--");
        record.arg(valgrind.get_program()).args(valgrind.get_args());
        for (name, application) in [("runtime", &valgrind), ("runtime and layer", &record)] {
            let mut play = Command::new(host::program());
            self.tools.set_environment(&mut play);
            play.env("VALGRIND_LIB", root.join("usr/libexec/valgrind"));
            play.args(["openxr", "play"])
                .arg(process::root().join("samples/two-hands.bin"))
                .arg("--")
                .arg(application.get_program())
                .args(application.get_args());
            let (printed, result) = process::captured(&mut play);
            result.with_context(|| printed.clone())?;
            ensure!(printed.contains("ERROR SUMMARY"), "no summary:\n{printed}");
            // Each error is a paragraph whose lines begin with the number of the process.
            let text: Vec<&str> = printed
                .lines()
                .map(|line| {
                    line.trim_start_matches(['=', ' '])
                        .trim_start_matches(|c: char| c.is_ascii_digit())
                })
                .map(|line| line.trim_start_matches(['=', ' ']))
                .collect();
            let errors = text.split(|line| line.is_empty());
            let errors: Vec<_> = errors
                .filter(|lines| lines.iter().any(|line| line.starts_with("at 0x")))
                .collect();
            let ours: Vec<_> = errors
                .iter()
                .filter(|lines| lines.iter().any(|line| is_ours(line)))
                .collect();
            ensure!(ours.is_empty(), "{name}: {ours:#?}");
            println!("{name}: no errors; {} in other libraries", errors.len());
        }
        Ok(())
    }
}
