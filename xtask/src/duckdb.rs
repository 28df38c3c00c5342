//! `cargo xtask duckdb`: builds the DuckDB extension, and tests it in several versions of DuckDB.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{self, cargo, headline, root, target};
use crate::{host, python_env, spec, tables};

/// The extension and its tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test it in DuckDB, without optimisation
    #[arg(long, conflicts_with = "bench")]
    test: bool,
    /// Also measure it, and compare the times with the times of Parquet and of the program
    #[arg(long)]
    bench: bool,
}

/// The version of DuckDB's C API: the oldest stable one, so that later versions of DuckDB load the extension.
const C_API: &str = "v1.2.0";

pub(crate) fn run_all(args: &Args) -> Result<()> {
    if args.test {
        return test();
    }
    headline("DuckDB extension");
    let package = ["--release", "--package", "inputanim-duckdb"];
    cargo(&[&["build", "--quiet", "--locked"], &package[..]].concat())?;
    let prefix = std::env::consts::DLL_PREFIX;
    let suffix = std::env::consts::DLL_SUFFIX;
    let library = target().join(format!("release/{prefix}inputanim_duckdb{suffix}"));
    let extension = pack(&library, &target().join("duckdb"))?;
    println!("{}", extension.display());
    if args.bench {
        bench(&extension)?;
    }
    Ok(())
}

/// Makes the DuckDB extension for this platform from a dynamic library, in `folder`, and returns its path.
fn pack(library: &Path, folder: &Path) -> Result<PathBuf> {
    let mut bytes = fs::read(library)?;
    bytes.extend(footer(&platform()?)?);
    fs::create_dir_all(folder)?;
    // DuckDB calls the function `<name>_init_c_api`, with the name of the file.
    let extension = folder.join("inputanim.duckdb_extension");
    fs::write(&extension, bytes)?;
    Ok(extension)
}

/// Returns DuckDB's name of this platform, such as `linux_amd64`. Fails for a processor for which DuckDB has no name.
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

/// Returns the metadata that DuckDB expects at the end of the file of an extension: eight fields of 32 bytes, and 256
/// bytes for a signature. `platform` is DuckDB's name of the platform.
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

/// Tests the DuckDB extension in each version of DuckDB for which tests/ has a requirements file. The extension is not
/// optimised, because an optimised build takes longer than the tests.
pub(crate) fn test() -> Result<()> {
    let tests = root().join("crates/inputanim-duckdb/tests");
    let program = host::build_program()?;
    let extension = pack(
        &host::library("inputanim_duckdb"),
        &target().join("xtask/duckdb/extension"),
    )?;
    let extension = &extension;
    for version in requirements()? {
        let Some(python) = python_env::installed(&version)? else {
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

/// Returns the paths of the Python requirements files, one for each tested version of DuckDB.
pub(crate) fn requirements() -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("crates/inputanim-duckdb/tests"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    Ok(files)
}

fn bench(extension: &Path) -> Result<()> {
    let tests = root().join("crates/inputanim-duckdb/tests");
    let Some(python) = python_env::installed(&tests.join("newest.txt"))? else {
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
    let recordings = spec::distinct_recordings()?;
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
        .env("INPUTANIM_RECORDINGS", recordings.join("\n"));
    process::run(python_env::quiet(&mut command))
}
