//! Applications of OpenXR under Wine: an application gets the same as on Linux, can be recorded, and draws with Vulkan and
//! Direct3D.
//!
//! The loader of OpenXR is the loader of Khronos in the Python package pyopenxr.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Tools, outcome, windows_path};
use crate::process::{output, output_file, root, run, target};
use crate::{host, openxr, python_env};

/// The source of a program that starts an application whose token lacks the right `TOKEN_QUERY_SOURCE`.
///
/// Under Wine, every program has the rights of an administrator. The loader of OpenXR then ignores `XR_RUNTIME_JSON`
/// and `XR_API_LAYER_PATH`, as on Windows. The loader opens the token of its process with this right. If that fails, it
/// assumes that the process is not an administrator. Other programs that the application starts have the right, so this
/// program must start the application itself.
const LOWER: &str = r#"
#include <windows.h>
#include <aclapi.h>

int wmain(void)
{
    /* The caller quotes the first word, the path of this program. */
    wchar_t *command = wcschr(GetCommandLineW() + 1, L'"') + 2;
    STARTUPINFOW startup;
    PROCESS_INFORMATION process;
    HANDLE token;
    SID everyone = {SID_REVISION, 1, {SECURITY_WORLD_SID_AUTHORITY}, {SECURITY_WORLD_RID}};
    DWORD list[32], code = 1;
    SECURITY_DESCRIPTOR descriptor;

    GetStartupInfoW(&startup);
    if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &process))
        return 1;
    InitializeAcl((ACL *)list, sizeof list, ACL_REVISION);
    AddAccessAllowedAce((ACL *)list, ACL_REVISION, TOKEN_ALL_ACCESS & ~TOKEN_QUERY_SOURCE, &everyone);
    InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);
    SetSecurityDescriptorDacl(&descriptor, TRUE, (ACL *)list, FALSE);
    if (!OpenProcessToken(process.hProcess, TOKEN_ALL_ACCESS, &token)
        || !SetKernelObjectSecurity(token, DACL_SECURITY_INFORMATION, &descriptor)) {
        TerminateProcess(process.hProcess, 1);
        return 1;
    }
    ResumeThread(process.hThread);
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return code;
}
"#;

/// The applications that are built for Windows.
pub(super) const APPLICATIONS: [&str; 3] = ["client", "direct3d", "vulkan"];

/// Plays recordings into OpenXR applications under Wine. `program` is the program for Windows. Skipped without a
/// network.
pub(super) fn run_all(tools: &Tools, program: &Path) -> Result<()> {
    let Some(loader) = loader()? else {
        return Ok(());
    };
    host::build()?;
    let built = program.parent().context("the program has a folder")?;
    let test = Test {
        tools,
        program,
        native: openxr::Tools::provide()?,
        folder: folder(tools, built, &loader)?,
    };
    test.clients_get_the_same_as_on_linux()?;
    test.recordings_of_clients_are_equal()?;
    let with_screen = tools.with_screen()?;
    let server = test.native.start_server()?;
    let screen = Screen {
        tools: &with_screen,
        server: &server,
    };
    test.vulkan_draws(&screen)?;
    test.direct3d_draws(&screen)?;
    test.direct3d_is_refused_wrong_calls(&screen)?;
    // The desktop of Wine prints a message if the X server ends first.
    with_screen.end()?;
    drop(server);
    test.the_registry_selects_runtimes_and_layers(&with_screen)
}

/// Returns the path of Khronos' loader of OpenXR for Windows. Without a network, it prints a message and returns
/// `None`.
fn loader() -> Result<Option<PathBuf>> {
    let Some(python) = python_env::installed(&root().join("readers/openxr/requirements.txt"))?
    else {
        return Ok(None);
    };
    // The package has the loaders of all systems. It is not imported, because it would load the one for Linux.
    let script = "import importlib.util; print(importlib.util.find_spec('xr').submodule_search_locations[0])";
    let package = output(Command::new(python).args(["-c", script]))?;
    let package = PathBuf::from(String::from_utf8(package)?.trim());
    Ok(Some(
        package.join("library/windows_x86_64/openxr_loader.dll"),
    ))
}

/// Creates a folder with the applications, the loader and the libraries, and returns its path. `built` is the folder of
/// the built program. The name has a space and a character that is not ASCII, as the names of users have.
fn folder(tools: &Tools, built: &Path, loader: &Path) -> Result<PathBuf> {
    let folder = target().join("xtask/openxr-windows/ä b");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let copy = |from: &Path| -> Result<()> {
        let name = from.file_name().context("a file has a name")?;
        fs::copy(from, folder.join(name)).with_context(|| from.display().to_string())?;
        Ok(())
    };
    copy(loader)?;
    for name in openxr::LIBRARIES {
        let library = built.join(format!("{}.dll", name.replace('-', "_")));
        tools.check_imports(&library)?;
        copy(&library)?;
    }
    for name in APPLICATIONS {
        copy(&built.join("examples").join(format!("{name}.exe")))?;
    }
    let source = folder.join("lower.c");
    fs::write(&source, LOWER)?;
    run(tools
        .tool("gcc-win32")
        .args(["-municode", "-o"])
        .arg(folder.join("lower.exe"))
        .arg(source)
        .arg("-ladvapi32"))?;
    Ok(folder)
}

/// A Wine prefix in which programs can open windows, and the X server for them. Wine has Vulkan and Direct3D only if its
/// first program runs with an X server.
struct Screen<'a> {
    tools: &'a Tools,
    server: &'a openxr::Server,
}

struct Test<'a> {
    tools: &'a Tools,
    /// The program for Windows.
    program: &'a Path,
    /// Programs and libraries of Linux.
    native: openxr::Tools,
    folder: PathBuf,
}

impl Test<'_> {
    /// Returns the path of a file in the folder of the test, for Windows.
    fn path(&self, name: &str) -> String {
        windows_path(&self.folder.join(name))
    }

    /// Adds the arguments that play a sample into an application to a command of Wine. The caller adds options and the
    /// words of [`Test::application`].
    fn play<'c>(&self, wine: &'c mut Command, sample: &str) -> &'c mut Command {
        wine.arg(self.program)
            .args(["openxr", "play", "--timeout", "60", "--libraries"])
            .arg(windows_path(&self.folder))
            .arg(windows_path(&root().join("samples").join(sample)))
    }

    /// Returns the arguments that start an application by its file name, without the rights of an administrator.
    fn application(&self, name: &str) -> [String; 3] {
        ["--".to_owned(), self.path("lower.exe"), self.path(name)]
    }

    fn clients_get_the_same_as_on_linux(&self) -> Result<()> {
        for sample in openxr::SAMPLES {
            let on_linux = openxr::played_client(&self.native, sample)?;
            let mut wine = self.tools.wine();
            self.play(&mut wine, sample).args(["--clock", "keys"]);
            let (code, on_windows, messages) =
                outcome(wine.args(self.application("client.exe")), &[])?;
            let messages = String::from_utf8_lossy(&messages);
            ensure!(code == Some(0), "{sample}: the client failed: {messages}");
            let lines = |bytes: &[u8]| -> Result<Vec<String>> {
                let text = std::str::from_utf8(bytes)?;
                Ok(text.lines().map(str::to_owned).collect())
            };
            let (on_linux, on_windows) = (lines(&on_linux)?, lines(&on_windows)?);
            let differs = on_linux.iter().zip(&on_windows).position(|(a, b)| a != b);
            ensure!(
                differs.is_none() && on_linux.len() == on_windows.len(),
                "{sample}: the client printed {} lines on Linux and {} on Windows; the first different line is {differs:?}: {messages}",
                on_linux.len(),
                on_windows.len()
            );
            println!("{sample}: {} frames are equal", on_linux.len());
        }
        Ok(())
    }

    /// Checks that the recordings of clients under Wine equal the samples that were played into them.
    fn recordings_of_clients_are_equal(&self) -> Result<()> {
        for sample in openxr::SAMPLES {
            let recorded = self.folder.join(sample);
            let mut wine = self.tools.wine();
            self.play(&mut wine, sample)
                .args(["--clock", "keys", "--"])
                .arg(self.program)
                .args(["openxr", "record", "--libraries"])
                .arg(windows_path(&self.folder))
                .arg("--output")
                .arg(windows_path(&recorded))
                .args(self.application("client.exe"));
            let (code, _, messages) = outcome(&mut wine, &[])?;
            ensure!(
                code == Some(0),
                "{sample}: {}",
                String::from_utf8_lossy(&messages)
            );
            openxr::compare(sample, &recorded)?;
        }
        println!("{} recordings are equal", openxr::SAMPLES.len());
        Ok(())
    }

    /// Returns the command of Wine for an application that draws on a screen.
    fn on_screen(&self, screen: &Screen) -> Command {
        let mut wine = Command::new(screen.tools.wine_path());
        self.native.set_environment(&mut wine);
        screen
            .tools
            .set_environment(&mut wine, Some(self.native.libraries().into()));
        screen.server.set_environment(&mut wine);
        // These layers are for Linux.
        wine.env_remove("XR_API_LAYER_PATH")
            // Services keep their inherited streams open, so they get no pipes.
            .stdin(Stdio::null());
        wine
    }

    /// Adds the arguments that play a sample into an application and save its pictures in the folder `pictures`.
    fn play_pictures<'c>(&self, wine: &'c mut Command, pictures: &Path) -> &'c mut Command {
        self.play(wine, "wave.bin")
            .args(openxr::PICTURES)
            .arg(windows_path(pictures))
    }

    fn vulkan_draws(&self, screen: &Screen) -> Result<()> {
        let pictures = self.folder.join("pictures");
        let mut wine = self.on_screen(screen);
        self.play_pictures(&mut wine, &pictures)
            .args(self.application("vulkan.exe"));
        run(&mut wine)?;
        openxr::check_colours(&pictures)
    }

    /// Checks that the pictures of an application with Direct3D have the colours that it prints, also while it is recorded.
    fn direct3d_draws(&self, screen: &Screen) -> Result<()> {
        for (version, is_recorded) in [("11", true), ("12", false)] {
            let pictures = self.folder.join(format!("pictures-{version}"));
            let recorded = self.folder.join("direct3d.bin");
            let mut wine = self.on_screen(screen);
            self.play_pictures(&mut wine, &pictures);
            if is_recorded {
                wine.args(["--clock", "keys", "--"])
                    .arg(self.program)
                    // The application has no actions.
                    .args(["openxr", "record", "--own-actions", "--libraries"])
                    .arg(windows_path(&self.folder))
                    .arg("--output")
                    .arg(windows_path(&recorded));
            }
            wine.args(self.application("direct3d.exe")).arg(version);
            let printed = self.direct3d_prints(&mut wine)?;
            println!("Direct3D {version}:");
            openxr::check_printed_colours(&pictures, &printed)?;
            if is_recorded {
                openxr::compare("wave.bin", &recorded)?;
                println!("the recording is equal");
            }
        }
        Ok(())
    }

    /// Checks the results of wrong and random calls with Direct3D.
    fn direct3d_is_refused_wrong_calls(&self, screen: &Screen) -> Result<()> {
        for version in ["11", "12"] {
            let mut wine = self.on_screen(screen);
            self.play(&mut wine, "wave.bin")
                .args(self.application("direct3d.exe"))
                .args([version, "wrong"]);
            print!("Direct3D {version}: {}", self.direct3d_prints(&mut wine)?);
        }
        Ok(())
    }

    /// Runs an application with Direct3D, and returns its standard output. Wine draws Direct3D 12 with Vulkan, so Vulkan's
    /// validation layer checks the states of images.
    fn direct3d_prints(&self, wine: &mut Command) -> Result<String> {
        let file = self.folder.join("direct3d.txt");
        wine.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
            .stdout(output_file(&file)?);
        let result = run(wine);
        let printed = fs::read_to_string(file)?;
        result.with_context(|| printed.clone())?;
        openxr::check_findings(&printed)?;
        Ok(printed)
    }

    /// Checks that an application is played into and recorded after `inputanim openxr install`, without the program.
    /// The loader finds the runtime in the part of the registry for all users, and the layer in the part of the user.
    /// Afterwards, the runtime with the manifest `other` is selected again.
    fn an_installed_recording_needs_no_program(&self, windows: &Tools, other: &str) -> Result<()> {
        let sample = openxr::SAMPLES[0];
        let verb = |arguments: &[&str]| -> Result<String> {
            let printed = self.folder.join("printed.txt");
            let mut program = windows.wine();
            program.arg(self.program).arg("openxr").args(arguments);
            // Services keep their inherited streams open, so they get no pipes.
            program.stdin(Stdio::null()).stdout(output_file(&printed)?);
            let messages = fs::OpenOptions::new().append(true).open(&printed)?;
            run(program.stderr(messages.into_parts().0))?;
            Ok(fs::read_to_string(printed)?)
        };
        let recording = windows_path(&root().join("samples").join(sample));
        let libraries = windows_path(&self.folder);
        let options = ["--clock", "keys", "--libraries", &libraries];
        verb(&[&["install", &recording][..], &options].concat())?;
        let again = self.folder.join("installed.bin");
        let mut client = windows.wine();
        client
            .args([self.path("lower.exe"), self.path("client.exe")])
            .env("INPUTANIM_OPENXR_RECORD", windows_path(&again))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        run(&mut client)?;
        openxr::recover(&again)?;
        openxr::compare(sample, &again)?;
        verb(&["uninstall"])?;
        let status = verb(&["status"])?;
        ensure!(
            status.contains(&format!("runtime   Other runtime: {other}"))
                && !status.contains("INPUTANIM"),
            "the previous runtime is not selected again:\n{status}"
        );
        println!("an installed recording was played and recorded");
        Ok(())
    }

    /// Checks that `openxr status` shows the runtime and the layers of the registry. The registry of the copied Windows
    /// is changed, because its runtime would be the runtime of all tests.
    fn the_registry_selects_runtimes_and_layers(&self, windows: &Tools) -> Result<()> {
        let key = r"HKLM\Software\Khronos\OpenXR\1";
        let manifest = |file: &str, part: &str, name: &str| -> Result<String> {
            let content = serde_json::json!({ part: { "name": name, "library_path": "a.dll" } });
            fs::write(self.folder.join(file), content.to_string())?;
            Ok(self.path(file))
        };
        let runtime = manifest("runtime.json", "runtime", "Other runtime")?;
        let on = manifest("on.json", "api_layer", "A layer")?;
        let off = manifest("off.json", "api_layer", "Another layer")?;
        let layers = format!(r"{key}\ApiLayers\Implicit");
        let add = |arguments: &[&str]| {
            let mut add = windows.wine();
            add.args(["reg", "add"]).args(arguments).arg("/f");
            // Services keep their inherited streams open, so they get no pipes.
            run(add.stdin(Stdio::null()).stdout(Stdio::null()))
        };
        add(&[key, "/v", "ActiveRuntime", "/d", &runtime])?;
        add(&[&layers, "/v", &on, "/t", "REG_DWORD", "/d", "0"])?;
        add(&[&layers, "/v", &off, "/t", "REG_DWORD", "/d", "1"])?;
        let printed = self.folder.join("status.txt");
        let mut status = windows.wine();
        status.arg(self.program).args(["openxr", "status"]);
        run(status.stdin(Stdio::null()).stdout(output_file(&printed)?))?;
        let printed = fs::read_to_string(printed)?;
        let lines = [
            format!("runtime   Other runtime: {runtime}"),
            format!("layer     A layer: on: {on}"),
        ];
        ensure!(
            lines.iter().all(|line| printed.contains(line)) && !printed.contains("Another layer"),
            "`openxr status` does not show the registry:\n{printed}"
        );
        println!("`openxr status` shows the registry");
        self.an_installed_recording_needs_no_program(windows, &runtime)
    }
}
