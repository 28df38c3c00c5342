//! `cargo xtask openxr`: plays recordings into applications of OpenXR, without a headset and without a graphics card.

pub(crate) mod bevy;
mod cost;
mod cts;
mod monado;
mod tools;
mod valgrind;

use fs_err as fs;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, headline, root, target};
use crate::{host, python_env};
pub(crate) use tools::{Server, Tools};

/// The layer that checks the arguments of all calls, of the application and of the runtime.
const VALIDATION: &str = "XR_APILAYER_LUNARG_core_validation";

/// The layer that prints all calls with their structures.
const API_DUMP: &str = "XR_APILAYER_LUNARG_api_dump";

/// Words of a finding of the validation layers of OpenXR and Vulkan.
const FINDINGS: [&str; 3] = ["VALID_ERROR", "Validation Error", "[Error"];

/// The number of runs whose pictures must be equal.
const RUNS: usize = 3;

/// The packages of the libraries that the loader of OpenXR loads.
pub(crate) const LIBRARIES: [&str; 2] = ["inputanim-openxr-runtime", "inputanim-openxr-layer"];

/// Returns a shell command that starts the OpenXR client without graphics, an example of the runtime; `None` if it is
/// not built, or the loader of OpenXR is not installed.
pub(crate) fn client_command() -> Option<String> {
    let client = host::example("client");
    let root = target().join("xtask/openxr/root");
    let libraries = tools::libraries_of(&root);
    // Every build makes the client, but only the task installs the loader of OpenXR.
    (client.exists() && root.exists()).then(|| {
        let libraries = libraries.to_string_lossy();
        format!("env LD_LIBRARY_PATH='{libraries}' '{}'", client.display())
    })
}

/// Downloads the packages of Debian that the tests use.
pub(crate) fn download() -> Result<()> {
    Tools::provide()?;
    valgrind::packages()?;
    monado::download()
}

/// The extent of the tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the automated tests of OpenXR-CTS, whose program conformance_cli is in this folder, and print a table of the results
    #[arg(long, value_name = "FOLDER")]
    cts: Option<PathBuf>,
}

pub(crate) fn run_all(args: &Args) -> Result<()> {
    match &args.cts {
        Some(folder) => cts::run(folder),
        None => run(),
    }
}

pub(crate) fn run() -> Result<()> {
    headline("runtime and application");
    host::build()?;
    let tools = Tools::provide()?;
    let folder = target().join("xtask/openxr/test");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let test = Test { tools, folder };
    test.validation_finds_errors()?;
    test.the_loader_lists_the_runtime()?;
    test.another_layer_prints_all_calls()?;
    test.clients_get_the_same_in_every_run()?;
    test.a_recording_of_an_application_is_the_recording_that_it_got()?;
    test.the_frames_of_an_application_that_is_killed_are_kept()?;
    test.labels_and_other_programs_add_markers()?;
    test.an_installed_recording_needs_no_program()?;
    test.pictures_are_equal()?;
    test.pictures_have_the_colours_of_the_application()?;
    test.quads_are_in_pictures()?;
    test.opengl_is_drawn()?;
    test.a_long_recording_costs_no_memory()?;
    test.valgrind_finds_nothing()?;
    isaac_capture_records_the_runtime()?;
    monado::test(&test.tools, &test.folder)
}

pub(crate) const SAMPLES: [&str; 4] = ["wave.bin", "pinch-drag.bin", "two-hands.bin", "reach.bin"];

struct Test {
    tools: Tools,
    folder: PathBuf,
}

/// The output of an application that has ended.
struct Printed {
    is_done: bool,
    /// The exit code; `None` after a signal.
    code: Option<i32>,
    output: String,
    messages: String,
}

impl Test {
    /// Plays a sample into an application with `inputanim openxr play` and more `options`, and returns its output.
    /// Standard input stays open, because `hello_xr` exits when it ends.
    fn play(&self, sample: &str, options: &[&OsStr], application: &Command) -> Result<Printed> {
        let mut command = Command::new(host::program());
        self.tools.set_environment(&mut command);
        command
            .args(["openxr", "play", "--timeout", "60"])
            .arg(root().join("samples").join(sample))
            .args(options)
            .arg("--")
            .arg(application.get_program())
            .args(application.get_args())
            .env("XR_ENABLE_API_LAYERS", VALIDATION)
            .env_remove("DISPLAY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot run inputanim")?;
        let _open = child.stdin.take();
        let output = child.wait_with_output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Printed {
            is_done: output.status.success(),
            code: output.status.code(),
            output: text(&output.stdout),
            messages: text(&output.stderr),
        })
    }

    fn client(&self) -> Command {
        Command::new(host::example("client"))
    }

    /// Checks that the validation layer finds the errors of a faulty client. A test that searches for findings proves
    /// nothing if the layer does not work.
    fn validation_finds_errors(&self) -> Result<()> {
        headline("validation layer");
        let mut client = self.client();
        client.arg("wrong");
        let printed = self.play("wave.bin", &[], &client)?;
        ensure!(
            printed.output.contains("VALID_ERROR")
                && printed.output.contains("ERROR_VALIDATION_FAILURE"),
            "the layer found nothing:\n{}{}",
            printed.output,
            printed.messages
        );
        Ok(())
    }

    fn the_loader_lists_the_runtime(&self) -> Result<()> {
        headline("openxr_runtime_list");
        let printed = self.play("wave.bin", &[], &self.tools.runtime_list())?;
        let text = format!("{}{}", printed.output, printed.messages);
        for part in [
            "systemName: Recorded input",
            "XR_EXT_hand_tracking 4",
            "never began a session",
        ] {
            ensure!(text.contains(part), "`{part}` is missing:\n{text}");
        }
        Ok(())
    }

    /// Checks that an application works with a layer that reads every structure of every call, and prints it.
    fn another_layer_prints_all_calls(&self) -> Result<()> {
        headline("API dump");
        let mut play = Command::new(host::program());
        self.tools.set_environment(&mut play);
        play.args(["openxr", "play", "--clock", "keys"])
            .arg(root().join("samples/wave.bin"))
            .arg("--")
            .arg(self.client().get_program())
            .env("XR_ENABLE_API_LAYERS", API_DUMP);
        let printed = String::from_utf8(process::output(&mut play)?)?;
        for function in ["xrEndFrame", "xrLocateHandJointsEXT", "xrSyncActions"] {
            let calls = printed.matches(&format!("XrResult {function}")).count();
            ensure!(calls > 100, "{function}: {calls} calls are printed");
            println!("{function}: {calls} calls");
        }
        Ok(())
    }

    fn clients_get_the_same_in_every_run(&self) -> Result<()> {
        headline("client without graphics");
        for sample in SAMPLES {
            let keys = ["--clock".as_ref(), "keys".as_ref()];
            let mut runs = Vec::new();
            for _ in 0..2 {
                let printed = self.play(sample, &keys, &self.client())?;
                check(&printed)?;
                runs.push(printed.output);
            }
            let frames = runs[0].lines().filter(|line| line.starts_with('{')).count();
            ensure!(
                frames > 10 && runs[0] == runs[1],
                "{sample}: the runs differ"
            );
            println!("{sample}: {frames} frames");
        }
        Ok(())
    }

    /// Checks that the recording of an application equals the sample that was played into it, whether the application
    /// asks for this input or not.
    fn a_recording_of_an_application_is_the_recording_that_it_got(&self) -> Result<()> {
        headline("recordings of applications");
        let mut hello = self.tools.hello_xr();
        hello.args(["-g", "Vulkan2"]);
        for (name, application) in [("client", self.client()), ("hello_xr", hello)] {
            for sample in SAMPLES {
                let output = self.folder.join(format!("{name}-{sample}"));
                let mut record = Command::new(host::program());
                record
                    .args(["openxr", "record", "--force", "-o"])
                    .arg(&output)
                    .arg("--");
                record
                    .arg(application.get_program())
                    .args(application.get_args());
                let keys = ["--clock".as_ref(), "keys".as_ref()];
                let mut printed = self.play(sample, &keys, &record)?;
                if name == "hello_xr" {
                    // A .bin file has no controllers, which the runtime makes of the hands for this application.
                    let is_lost = printed.code == Some(3) && printed.messages.contains("lost: ");
                    ensure!(is_lost, "{}", printed.messages);
                    printed.is_done = true;
                }
                check(&printed)?;
                compare(sample, &output)?;
            }
            println!("{name}: {} recordings are equal", SAMPLES.len());
        }
        Ok(())
    }

    /// Checks that the frames of a recording are kept if the application is killed, so that only the session file
    /// exists.
    fn the_frames_of_an_application_that_is_killed_are_kept(&self) -> Result<()> {
        headline("recording of an application that is killed");
        for (number, seconds) in ["2", "3.3"].into_iter().enumerate() {
            let output = self.folder.join(format!("killed-{number}.bin"));
            // The shell kills the application some time after its start.
            let script = format!("\"$0\" \"$@\" & sleep {seconds}; kill -9 $!; wait $!");
            let mut record = Command::new(host::program());
            record
                .args(["openxr", "record", "-o"])
                .arg(&output)
                .args(["--", "sh", "-c", &script]);
            record.arg(self.client().get_program());
            let options = ["--clock", "real", "--end", "loop"].map(OsStr::new);
            let printed = self.play("pinch-drag.bin", &options, &record)?;
            ensure!(
                printed.messages.contains("ended before its session"),
                "the layer ended the recording:\n{}",
                printed.messages
            );
            let info = process::output(
                Command::new(host::program())
                    .args(["info", "--format", "json"])
                    .arg(&output),
            )?;
            let info: serde_json::Value = serde_json::from_slice(&info)?;
            let duration = info[0]["info"]["duration"]
                .as_f64()
                .context("no duration")?;
            println!("killed after {seconds} s: {duration:.3} s are recorded");
            ensure!(duration > 0.0, "no frame is recorded");
        }
        Ok(())
    }

    /// Checks that debug labels, lines of a file and signals become markers while an application is recorded.
    fn labels_and_other_programs_add_markers(&self) -> Result<()> {
        headline("markers");
        let output = self.folder.join("marked.bin");
        let markers = self.folder.join("markers.txt");
        // The validation layer of Debian 12 never returns from the function for labels.
        let script = "export XR_ENABLE_API_LAYERS=${XR_ENABLE_API_LAYERS%%:*}; \"$1\" label & sleep 2; echo 'trial 1' >> \"$0\"; kill -USR1 $PPID; wait $!";
        let mut record = Command::new(host::program());
        record.args(["openxr", "record", "--markers"]).arg(&markers);
        record
            .arg("-o")
            .arg(&output)
            .args(["--", "sh", "-c", script]);
        record.arg(&markers).arg(self.client().get_program());
        let real = ["--clock", "real"].map(OsStr::new);
        check(&self.play("wave.bin", &real, &record)?)?;
        let mut list = Command::new(host::program());
        let list = process::output(
            list.args(["markers", "list", "--format", "csv"])
                .arg(&output),
        )?;
        let list = String::from_utf8(list)?;
        for name in ["client began", "trial 1", "marker"] {
            let line = list.lines().find(|line| line.ends_with(name));
            println!(
                "{}",
                line.with_context(|| format!("no marker {name}:\n{list}"))?
            );
        }
        Ok(())
    }

    /// Checks that an application is played into and recorded after `inputanim openxr install`, without the program.
    /// The loader finds the runtime and the layer in the home folder.
    fn an_installed_recording_needs_no_program(&self) -> Result<()> {
        headline("installation for a user");
        let home = self.folder.join("home");
        fs::create_dir_all(&home)?;
        let sample = root().join("samples/wave.bin");
        let with_home = |command: &mut Command| {
            self.tools.set_environment(command);
            let variables = [
                "XDG_CONFIG_HOME",
                "XDG_DATA_HOME",
                "XR_RUNTIME_JSON",
                "DISPLAY",
            ];
            variables
                .iter()
                .for_each(|name| _ = command.env_remove(name));
            command.env("HOME", &home);
        };
        let mut install = Command::new(host::program());
        with_home(
            install
                .args(["openxr", "install", "--clock", "keys"])
                .arg(&sample),
        );
        process::run(&mut install)?;
        let again = home.join("again.bin");
        let mut client = self.client();
        with_home(&mut client);
        process::output(client.env("INPUTANIM_OPENXR_RECORD", &again))?;
        recover(&again)?;
        process::run(
            Command::new(host::program())
                .args(["diff", "--quiet", "--no-markers"])
                .args([&sample, &again]),
        )?;
        let mut uninstall = Command::new(host::program());
        with_home(uninstall.args(["openxr", "uninstall"]));
        process::run(&mut uninstall)?;
        let mut client = self.client();
        with_home(&mut client);
        let status = client
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        ensure!(!status.success(), "the runtime is still there");
        println!("an application got the recording, and was recorded");
        Ok(())
    }

    /// Checks that an application draws the same pictures in all runs, with both extensions for Vulkan.
    fn pictures_are_equal(&self) -> Result<()> {
        headline("hello_xr with Vulkan");
        let mut first: Option<BTreeMap<String, Vec<u8>>> = None;
        for run in 0..RUNS {
            for graphics in ["Vulkan", "Vulkan2"] {
                let folder = self.folder.join(format!("{graphics}-{run}"));
                let options: [&OsStr; 6] = [
                    "--screenshots".as_ref(),
                    folder.as_ref(),
                    "--every".as_ref(),
                    "60".as_ref(),
                    "--size".as_ref(),
                    "256x256".as_ref(),
                ];
                let mut application = self.tools.hello_xr();
                application.args(["-g", graphics]);
                let printed = self.play("pinch-drag.bin", &options, &application)?;
                check(&printed)?;
                ensure!(
                    printed.output.contains("XR_SESSION_STATE_EXITING"),
                    "{graphics}: the application did not exit by itself:\n{}",
                    printed.output
                );
                ensure!(
                    printed.messages.contains("played 301 frames"),
                    "{graphics}: {}",
                    printed.messages
                );
                let pictures = read(&folder)?;
                ensure!(
                    pictures.len() == 12,
                    "{graphics}: {} pictures",
                    pictures.len()
                );
                let differ = pictures["frame-000000-left.png"] != pictures["frame-000120-left.png"]
                    && pictures["frame-000120-left.png"] != pictures["frame-000120-right.png"];
                ensure!(
                    differ,
                    "{graphics}: pictures of other times or eyes are equal"
                );
                let first = first.get_or_insert_with(|| pictures.clone());
                ensure!(
                    *first == pictures,
                    "{graphics}, run {run}: the pictures differ"
                );
            }
        }
        println!("{} runs have equal pictures", 2 * RUNS);
        Ok(())
    }
}

impl Test {
    /// Checks the pictures that a client in Python draws with OpenGL, in an X server without a screen. Skipped without
    /// a network.
    fn opengl_is_drawn(&self) -> Result<()> {
        headline("OpenGL, with pyopenxr");
        let requirements = root().join("readers/openxr/requirements.txt");
        let Some(python) = python_env::installed(&requirements)? else {
            return Ok(());
        };
        let server = self.tools.start_server()?;
        let formats = [
            "GL_SRGB8_ALPHA8",
            "GL_SRGB8",
            "GL_RGBA8",
            "GL_RGBA16F",
            "GL_RGB16F",
            "GL_RGBA16",
            "GL_RGB10_A2",
            "GL_R11F_G11F_B10F",
        ];
        for format in formats {
            let folder = self.folder.join(format);
            let mut play = Command::new(host::program());
            self.tools.set_environment(&mut play);
            server.set_environment(&mut play);
            // The package has its own loader and its own layers.
            play.env("XR_API_LAYER_PATH", "")
                .args(["openxr", "play", "--every", "60"]);
            play.args(["--size", "64x64", "--screenshots"]).arg(&folder);
            play.arg(root().join("samples/wave.bin"))
                .arg("--")
                .arg(&python);
            play.arg(root().join("readers/openxr/opengl.py"))
                .arg(&folder)
                .arg(format);
            process::run(&mut play)?;
        }
        Ok(())
    }
}

impl Test {
    fn pictures_have_the_colours_of_the_application(&self) -> Result<()> {
        headline("colours with Vulkan");
        // Lavapipe has all of these formats.
        let formats = [
            "R8G8B8A8_SRGB",
            "B8G8R8A8_SRGB",
            "R8G8B8A8_UNORM",
            "B8G8R8A8_UNORM",
            "R16G16B16A16_SFLOAT",
            "R16G16B16A16_UNORM",
            "A2B10G10R10_UNORM_PACK32",
            "B10G11R11_UFLOAT_PACK32",
            "R5G6B5_UNORM_PACK16",
        ];
        for format in formats {
            println!("{format}");
            check_colours(&self.pictures(format)?)?;
        }
        Ok(())
    }

    /// Checks that a quad layer covers its part of the picture of the eye that sees it.
    fn quads_are_in_pictures(&self) -> Result<()> {
        headline("quad layers");
        let pictures = read(&self.pictures("quad")?)?;
        ensure!(pictures.len() == 10, "{} pictures", pictures.len());
        for (name, bytes) in &pictures {
            // The square of 0.5 m is 1 m in front of the head. The left eye is 31.5 mm to the left, and sees 45° to the left and
            // right, and 50° up and down.
            let has_quad = |x: usize, y: usize| (25..41).contains(&x) && (25..39).contains(&y);
            let wanted: Vec<u8> = (0..64 * 64)
                .flat_map(|index| {
                    if name.contains("left") && !has_quad(index % 64, index / 64) {
                        [255, 0, 0]
                    } else {
                        [0, 0, 255]
                    }
                })
                .collect();
            let found = pixels(bytes)?;
            let differ = wanted
                .chunks(3)
                .zip(found.chunks(3))
                .filter(|(a, b)| a != b);
            let differ = differ.count();
            ensure!(differ == 0, "{differ} pixels of {name} are wrong");
        }
        println!(
            "{} pictures have the square, or do not see it",
            pictures.len()
        );
        Ok(())
    }

    /// Plays into the example `vulkan` with an argument, and returns the folder of its pictures.
    fn pictures(&self, argument: &str) -> Result<PathBuf> {
        let folder = self.folder.join("vulkan").join(argument);
        let mut options = PICTURES.map(OsStr::new).to_vec();
        options.push(folder.as_ref());
        let mut application = Command::new(host::example("vulkan"));
        application.arg(argument);
        check(&self.play("wave.bin", &options, &application)?)?;
        Ok(folder)
    }
}

/// Checks that NVIDIA's own recorder of Isaac Capture records a session over the runtime, and that its file can be
/// read. Skipped without a network.
fn isaac_capture_records_the_runtime() -> Result<()> {
    headline("recorder of Isaac Capture");
    let requirements = root().join("readers/openxr/requirements.txt");
    let Some(python) = python_env::installed(&requirements)? else {
        return Ok(());
    };
    process::run(python_env::quiet(
        Command::new(python)
            .arg(root().join("readers/openxr/isaac.py"))
            .arg(host::program())
            .arg(host::library("inputanim_openxr_runtime"))
            .arg(root().join("samples/two-hands.bin")),
    ))
}

/// Plays a sample into the client without graphics, at the times of its keys, and returns the standard output of the
/// client.
pub(crate) fn played_client(tools: &Tools, sample: &str) -> Result<Vec<u8>> {
    let mut play = Command::new(host::program());
    tools.set_environment(&mut play);
    play.args(["openxr", "play", "--clock", "keys"]);
    play.arg(root().join("samples").join(sample)).arg("--");
    process::output(play.arg(host::example("client")))
}

/// Makes the file of MRTK `recorded` from the session file of the layer.
pub(crate) fn recover(recorded: &Path) -> Result<()> {
    let mut recover = Command::new(host::program());
    recover
        .arg("recover")
        .arg(recorded.with_extension("session"));
    let status = recover.arg("-o").arg(recorded).status()?;
    // The file does not hold the headset.
    ensure!(status.code() == Some(3), "recover ended with {status}");
    Ok(())
}

/// Checks that the recording of an application equals the sample that was played into it.
pub(crate) fn compare(sample: &str, recorded: &Path) -> Result<()> {
    // Rotations are normalised twice, so that their angles may differ in the last bit.
    process::run(
        Command::new(host::program())
            .args(["diff", "--quiet", "--no-markers", "--position", "0"])
            .args(["--rotation", "0.001deg", "--timing", "0", "--duration", "0"])
            .arg(root().join("samples").join(sample))
            .arg(recorded),
    )
}

/// The options that save the pictures of the examples `vulkan` and `direct3d`, for [`check_colours`] and
/// [`check_printed_colours`]. The folder follows.
pub(crate) const PICTURES: [&str; 5] = ["--every", "60", "--size", "64x64", "--screenshots"];

/// Checks that the pictures in a folder, from the example `vulkan`, are red for the left eye and blue for the right
/// eye.
pub(crate) fn check_colours(folder: &Path) -> Result<()> {
    check_pictures(folder, 5, |name| {
        Some(if name.contains("left") {
            [255, 0, 0]
        } else {
            [0, 0, 255]
        })
    })
}

/// Checks that the pictures in a folder have the colours that the example `direct3d` printed for their frames.
pub(crate) fn check_printed_colours(folder: &Path, printed: &str) -> Result<()> {
    let mut colours = BTreeMap::new();
    for line in printed.lines() {
        let (frame, left, right): (u64, [u8; 3], [u8; 3]) = serde_json::from_str(line)?;
        for (eye, colour) in [("left", left), ("right", right)] {
            colours.insert(format!("frame-{frame:06}-{eye}.png"), colour);
        }
    }
    // One of 60 frames is saved.
    let frames = printed.lines().count().div_ceil(60);
    check_pictures(folder, frames, |name| colours.get(name).copied())
}

/// Returns the pixels of a PNG file of 64 × 64 pixels.
fn pixels(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().context("a large picture")?];
    let info = reader.next_frame(&mut pixels)?;
    let size = (info.width, info.height);
    ensure!(size == (64, 64), "a picture of {size:?}");
    Ok(pixels)
}

/// Checks that a folder has the pictures of both eyes of `frames` frames, and that each is filled with the colour that
/// `colour` returns for its name.
fn check_pictures(
    folder: &Path,
    frames: usize,
    colour: impl Fn(&str) -> Option<[u8; 3]>,
) -> Result<()> {
    let pictures = read(folder)?;
    ensure!(
        pictures.len() == 2 * frames && frames > 0,
        "{} pictures of {frames} frames",
        pictures.len()
    );
    for (name, bytes) in &pictures {
        let pixels = pixels(bytes)?;
        let colour = colour(name).with_context(|| format!("{name} was not drawn"))?;
        ensure!(
            pixels == colour.repeat(64 * 64),
            "{name} is not filled with {colour:?}; its first pixel is {:?}",
            &pixels[..3]
        );
    }
    println!("{} pictures have the colours of the eyes", pictures.len());
    Ok(())
}

fn check(printed: &Printed) -> Result<()> {
    let text = format!("{}{}", printed.output, printed.messages);
    ensure!(printed.is_done, "the application failed:\n{text}");
    check_findings(&text)
}

/// Checks that the validation layers of OpenXR and Vulkan found nothing. `text` is what an application and the layers
/// printed.
pub(crate) fn check_findings(text: &str) -> Result<()> {
    let found: Vec<&str> = text
        .lines()
        .filter(|line| FINDINGS.iter().any(|finding| line.contains(finding)))
        .collect();
    ensure!(
        found.is_empty(),
        "the validation layers found:\n{}",
        found.join("\n")
    );
    Ok(())
}

/// Returns the content of each file in a folder by its name.
fn read(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("no pictures in {}", folder.display()))?;
    let files = entries.map(|entry| {
        let entry = entry?;
        Ok((
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path())?,
        ))
    });
    files.collect()
}
