//! `cargo xtask duckdb`: builds the DuckDB extension, and tests it in several versions of DuckDB.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, headline, root, target};
use crate::{readers, spec, tables};

/// The extension and its tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also test it in DuckDB
    #[arg(long)]
    test: bool,
    /// Measure it, and compare the times with the times of Parquet and of the program
    #[arg(long)]
    bench: bool,
}

/// The version of DuckDB's C API: the oldest stable one, so that later versions of DuckDB load the extension.
const C_API: &str = "v1.2.0";

pub(crate) fn run_all(args: &Args) -> Result<()> {
    let extension = build()?;
    println!("{}", extension.display());
    if args.test {
        test(&extension)?;
    }
    if args.bench {
        bench(&extension)?;
    }
    Ok(())
}

/// Builds the extension for this platform, and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    headline("DuckDB extension");
    cargo(&[
        "build",
        "--quiet",
        "--locked",
        "--release",
        "--package",
        "inputanim-duckdb",
    ])?;
    let prefix = std::env::consts::DLL_PREFIX;
    let suffix = std::env::consts::DLL_SUFFIX;
    let library = target().join(format!("release/{prefix}inputanim_duckdb{suffix}"));
    let mut bytes =
        fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    bytes.extend(footer(&platform()?)?);
    let folder = target().join("duckdb");
    fs::create_dir_all(&folder)?;
    // DuckDB calls the function `<name>_init_c_api`, with the name of the file.
    let extension = folder.join("inputanim.duckdb_extension");
    fs::write(&extension, bytes)?;
    Ok(extension)
}

/// Returns DuckDB's name of this platform.
fn platform() -> Result<String> {
    let system = match std::env::consts::OS {
        "macos" => "osx",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => anyhow::bail!("DuckDB has no name for the processor {other}"),
    };
    Ok(format!("{system}_{processor}"))
}

/// Returns the metadata that DuckDB expects at the end of the file: eight fields of 32 bytes, and 256 bytes for a
/// signature.
fn footer(platform: &str) -> Result<Vec<u8>> {
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    let fields = ["", "", "", "C_STRUCT", version, C_API, platform, "4"];
    let mut footer = vec![0; 512];
    for (field, slot) in fields.iter().zip(footer.chunks_mut(32)) {
        ensure!(
            field.len() <= slot.len(),
            "\"{field}\" is longer than 32 bytes"
        );
        slot[..field.len()].copy_from_slice(field.as_bytes());
    }
    Ok(footer)
}

/// Runs the tests in every version of DuckDB that tests/ names.
pub(crate) fn test(extension: &Path) -> Result<()> {
    let tests = root().join("crates/inputanim-duckdb/tests");
    let program = spec::build_program()?;
    let mut versions: Vec<PathBuf> = fs::read_dir(&tests)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    versions.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    versions.sort();
    for version in versions {
        let Some(python) = readers::python_with(&version)? else {
            return Ok(());
        };
        headline(&format!(
            "DuckDB extension, {}",
            version.file_stem().unwrap_or_default().display()
        ));
        script(&python, &tests.join("check.py"), extension, &program)?;
        // The page shows the results of the newest version.
        if version.file_stem().is_some_and(|name| name == "newest") {
            headline("queries of docs/sql.md");
            script(&python, &tests.join("docs.py"), extension, &program)?;
        }
    }
    Ok(())
}

fn bench(extension: &Path) -> Result<()> {
    let tests = root().join("crates/inputanim-duckdb/tests");
    let Some(python) = readers::python_with(&tests.join("newest.txt"))? else {
        return Ok(());
    };
    // The program is optimised, because conversions are measured too.
    script(
        &python,
        &tests.join("bench.py"),
        extension,
        &tables::release_program()?,
    )
}

fn script(python: &Path, script: &Path, extension: &Path, program: &Path) -> Result<()> {
    let out = target().join("xtask/duckdb");
    fs::create_dir_all(&out)?;
    let recordings = spec::recordings()?;
    let recordings: Vec<String> = recordings
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut command = Command::new(python);
    command
        .arg(script)
        .env("INPUTANIM_EXTENSION", extension)
        .env("INPUTANIM_PROGRAM", program)
        .env("INPUTANIM_ROOT", root())
        .env("INPUTANIM_OUT", out)
        .env("INPUTANIM_RECORDINGS", recordings.join("\n"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    process::run(&mut command)
}
