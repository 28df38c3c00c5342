//! Bevy, an engine in Rust: an application gets the poses and the pinches of the recording, and its pictures are equal in
//! every run.

use fs_err as fs;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::tools::Tools;
use super::{SAMPLES, Test, check, read};
use crate::host;
use crate::process::{self, headline, root, target};

/// The sample that is played twice.
const REPEATED: &str = "pinch-drag.bin";

/// Plays all samples into an application with Bevy, and checks the poses and pinches that it gets. Also checks that two
/// runs draw the same pictures.
pub(crate) fn run() -> Result<()> {
    headline("Bevy");
    host::build()?;
    let tools = Tools::provide()?;
    let client = build_client()?;
    let folder = target().join("xtask/openxr/bevy");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    // The program and its other children keep the folders of the tools.
    let mut libraries = OsString::from("LD_LIBRARY_PATH=");
    libraries.push(tools.folder_of_rust_loader()?);
    libraries.push(":");
    libraries.push(tools.libraries());
    let mut application = Command::new("env");
    application.arg(libraries).arg(client);
    let test = Test { tools, folder };
    for sample in SAMPLES {
        let frames = test.play_into_bevy(sample, "first", &application)?;
        let mut script = Command::new("python3");
        script.arg(root().join("readers/openxr/bevy.py"));
        script.arg(host::program());
        script.arg(root().join("samples").join(sample)).arg(frames);
        process::run(&mut script)?;
    }
    test.play_into_bevy(REPEATED, "second", &application)?;
    let [first, second] =
        ["first", "second"].map(|run| read(&test.folder.join(run).join(REPEATED)));
    let (first, second) = (first?, second?);
    ensure!(
        first == second,
        "{REPEATED}: frames or pictures of two runs differ"
    );
    println!(
        "{REPEATED}: frames and {} pictures of two runs are equal",
        first.len() - 1
    );
    Ok(())
}

/// Builds the application with Bevy in a build folder of its own, and returns its path. The first build takes about 20
/// minutes.
fn build_client() -> Result<PathBuf> {
    let folder = target().join("xtask/openxr-bevy");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--locked", "--manifest-path"])
        .arg(root().join("readers/openxr/bevy/Cargo.toml"))
        .env("CARGO_TARGET_DIR", &folder);
    process::run(&mut cargo)?;
    Ok(folder.join("debug/bevy-client"))
}

impl Test {
    /// Plays a sample into `application`, and saves the frames that it prints and some pictures in a folder for this
    /// `run`. Returns the path of the file of frames.
    fn play_into_bevy(&self, sample: &str, run: &str, application: &Command) -> Result<PathBuf> {
        let folder = self.folder.join(run).join(sample);
        let mut options = ["--clock", "keys", "--size", "128x128"]
            .map(OsStr::new)
            .to_vec();
        options.extend(["--every", "60", "--screenshots"].map(OsStr::new));
        options.push(folder.as_ref());
        let printed = self.play(sample, &options, application)?;
        check(&printed)?;
        let frames = folder.join("frames.ndjson");
        fs::write(&frames, printed.output)?;
        Ok(frames)
    }
}
