//! Events of the Windows console, and paths and names that only Windows has.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use inputanim::Recording;
use tempfile::TempDir;
use windows_sys::Win32::System::Threading::{CREATE_NEW_CONSOLE, CREATE_NEW_PROCESS_GROUP};

use crate::support::program;

/// Creates a folder with a copy of a sample.
fn folder() -> (TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    let bytes = fs::read(sample).unwrap();
    fs::write(folder.path().join("take.bin"), &bytes).unwrap();
    (folder, bytes)
}

fn run(folder: &Path, arguments: &[&OsStr]) -> Output {
    program()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Copies a recording with the program, and returns its messages.
fn copy(folder: &Path, from: &Path, to: &Path) -> (bool, String) {
    // Some names have no extension that states the format.
    let arguments = [
        "convert".as_ref(),
        from.as_ref(),
        to.as_ref(),
        "--to".as_ref(),
        "bin".as_ref(),
    ];
    let output = run(folder, &arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), message)
}

#[test]
fn names_of_devices_are_refused_as_outputs() {
    let (folder, _) = folder();
    for name in ["CON", "nul", "aux.bin", r".\com1.json", "LPT1 .bin"] {
        let (is_done, message) = copy(folder.path(), Path::new("take.bin"), Path::new(name));
        assert!(
            !is_done && message.contains("Windows reserves the name"),
            "{name}: {message}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn paths_relative_to_a_drive_and_verbatim_paths_work() {
    let (folder, bytes) = folder();
    let absolute = fs::canonicalize(folder.path()).unwrap();
    // `\\?\Z:\folder` without its first four characters.
    let plain = absolute.to_str().unwrap()[4..].to_owned();
    let drive = &plain[..2];
    let outputs = [
        format!("{drive}relative.bin"),
        format!("{}\\rooted.bin", &plain[2..]),
        format!(r"\\?\{plain}\verbatim.bin"),
        format!(r"{plain}\./mixed/..\mixed.bin"),
    ];
    fs::create_dir(folder.path().join("mixed")).unwrap();
    for output in outputs {
        let input = format!("{drive}take.bin");
        let (is_done, message) = copy(folder.path(), Path::new(&input), Path::new(&output));
        assert!(is_done, "{output}: {message}");
        let name = output.rsplit(['\\', ':']).next().unwrap();
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), bytes);
    }
}

#[test]
fn a_folder_after_o_may_end_with_either_separator() {
    let (folder, bytes) = folder();
    for name in ["with-slash/", r"with-backslash\", r"deep\er/"] {
        let arguments = ["convert", "take.bin", "-o", name, "--to", "bin"].map(OsStr::new);
        let output = run(folder.path(), &arguments);
        assert!(output.status.success(), "{output:?}");
        let path = folder.path().join(name).join("take.bin");
        assert_eq!(fs::read(path).unwrap(), bytes);
    }
}

#[test]
fn paths_longer_than_260_characters_work() {
    let (folder, bytes) = folder();
    let relative: PathBuf = (0..5).map(|number| format!("{number:060}")).collect();
    let deep = folder.path().join(&relative);
    fs::create_dir_all(&deep).unwrap();
    for long in [&deep, &relative] {
        let name = if long.is_absolute() { "a.bin" } else { "b.bin" };
        let (is_done, message) = copy(folder.path(), Path::new("take.bin"), &long.join(name));
        assert!(is_done, "{message}");
        assert_eq!(fs::read(deep.join(name)).unwrap(), bytes);
        let output = run(folder.path(), &["info".as_ref(), long.join(name).as_ref()]);
        assert!(output.status.success(), "{output:?}");
    }
    let output = run(folder.path(), &["check", "-r", "."].map(OsStr::new));
    assert!(output.status.success(), "{output:?}");
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found.matches(".bin").count(), 3, "{found}");
}

#[test]
fn the_list_of_a_batch_is_the_same_with_either_separator() {
    let (folder, _) = folder();
    fs::create_dir_all(folder.path().join("p01/reach")).unwrap();
    fs::copy(
        folder.path().join("take.bin"),
        folder.path().join("p01/reach/take.bin"),
    )
    .unwrap();
    let convert = |inputs: &str, table: &str, pattern: &str| {
        let arguments = ["convert", inputs, "-o", table, "--path-pattern", pattern];
        let more = ["-r", "--rate", "5", "--joints", "head", "-f"];
        let arguments = [&arguments[..], &more].concat();
        let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        let output = run(folder.path(), &arguments);
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(folder.path().join(table)).unwrap()
    };
    let expected = convert("p01/reach", "a.csv", "{who}/{task}/{*}");
    assert!(expected.contains("p01,reach"), "{expected}");
    let found = convert(r".\p01\reach\", r".\b.csv", r"{who}\{task}\{*}");
    assert_eq!(found, expected);
}

/// Waits until a condition holds. The test runner ends a test that waits forever.
fn wait_for(mut is_done: impl FnMut() -> bool) {
    while !is_done() {
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts `inputanim record -o new.bin`, and returns when it has recorded the first frames.
fn start_recording(folder: &TempDir, flags: u32) -> (Child, ChildStdin) {
    let mut child = program()
        .args(["record", "-o", "new.bin", "--session", "new.session"])
        .current_dir(folder.path())
        .creation_flags(flags)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut frames = child.stdin.take().unwrap();
    write_frames(&mut frames, 0..200);
    // The session contains frames as soon as they are recorded.
    let session = folder.path().join("new.session");
    wait_for(|| fs::metadata(&session).is_ok_and(|metadata| metadata.len() > 1000));
    (child, frames)
}

fn write_frames(frames: &mut ChildStdin, steps: Range<i32>) {
    for step in steps {
        let time = f64::from(step) / 8.0;
        let pose = r#"{"position":[0,1.6,0],"rotation":[0,0,0,1]}"#;
        writeln!(frames, r#"{{"time":{time},"head":{pose}}}"#).unwrap();
    }
    frames.flush().unwrap();
}

/// Returns the length of a recording in seconds.
fn duration(path: &Path) -> f32 {
    let bytes = fs::read(path).unwrap();
    Recording::parse(&bytes).unwrap().duration()
}

#[ignore = "Wine sends no Ctrl-Break"]
#[test]
fn ctrl_break_writes_a_snapshot_and_the_recording_goes_on() {
    let _guard = console::lock();
    let (folder, _) = folder();
    let flags = CREATE_NEW_CONSOLE | CREATE_NEW_PROCESS_GROUP;
    let (child, mut frames) = start_recording(&folder, flags);
    console::send_break(child.id());
    let snapshot = folder.path().join("new-1.bin");
    wait_for(|| snapshot.exists());
    write_frames(&mut frames, 200..400);
    drop(frames);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let complete = duration(&folder.path().join("new.bin"));
    assert!(complete > 49.0 && duration(&snapshot) < complete);
}

#[ignore = "Wine ends the program without an event"]
#[test]
fn closing_the_window_saves_the_recording() {
    let _guard = console::lock();
    let (folder, _) = folder();
    let (child, frames) = start_recording(&folder, CREATE_NEW_CONSOLE);
    console::close_window_of(child.id());
    let output = child.wait_with_output().unwrap();
    drop(frames);
    let saved = folder.path().join("new.bin");
    assert!(saved.exists() && duration(&saved) > 0.0, "{output:?}");
    let mut names = fs::read_dir(folder.path()).unwrap();
    assert!(names.all(|entry| entry.unwrap().path().extension().unwrap() == "bin"));
}

#[test]
fn a_window_of_the_program_stays_until_a_key_is_pressed() {
    let _guard = console::lock();
    let (folder, _) = folder();
    for (arguments, code) in [(" take.bin", 0), ("", 2)] {
        // With the page, the recording would be shown in the browser of the user. `cargo xtask dist` tests
        // this with a browser of its own.
        if code == 0 && inputanim_page::viewer().is_some() {
            continue;
        }
        let window = console::Window::open(arguments, folder.path());
        assert!(window.exit_code(3000).is_none(), "the window closed");
        window.press_enter();
        assert_eq!(window.exit_code(60_000), Some(code));
    }
    // A command that a shell starts in a window, as `start inputanim info take.bin` does, ends.
    let window = console::Window::open(" info take.bin", folder.path());
    assert_eq!(window.exit_code(60_000), Some(0));
}

/// Consoles of this process and of others. A process has one console, so the tests take turns.
#[allow(unsafe_code)]
mod console {
    use std::fs::File;
    use std::os::windows::io::AsRawHandle;
    use std::path::Path;
    use std::ptr::{null, null_mut};
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::{io, mem};

    use windows_sys::Win32::Foundation::{CloseHandle, WAIT_OBJECT_0};
    use windows_sys::Win32::System::Console::{
        AttachConsole, CTRL_BREAK_EVENT, FreeConsole, GenerateConsoleCtrlEvent, GetConsoleWindow,
        GetStdHandle, INPUT_RECORD, KEY_EVENT, STD_ERROR_HANDLE, STD_INPUT_HANDLE,
        STD_OUTPUT_HANDLE, SetStdHandle, WriteConsoleInputW,
    };
    use windows_sys::Win32::System::Threading::{
        CREATE_NEW_CONSOLE, CreateProcessW, GetExitCodeProcess, PROCESS_INFORMATION, STARTUPINFOW,
        WaitForSingleObject,
    };
    use windows_sys::Win32::UI::WindowsAndMessaging::{PostMessageW, WM_CLOSE};

    pub(super) fn lock() -> MutexGuard<'static, ()> {
        static CONSOLE: Mutex<()> = Mutex::new(());
        CONSOLE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(result: i32) {
        assert_ne!(result, 0, "{}", io::Error::last_os_error());
    }

    /// Calls a function while this process shares the console of another process.
    fn with_console_of<T>(process: u32, call: impl FnOnce() -> T) -> T {
        let streams = [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE];
        // SAFETY: the functions take no pointers.
        unsafe {
            // A new console replaces the standard streams, to which the tests print.
            let handles = streams.map(|stream| GetStdHandle(stream));
            FreeConsole();
            let is_attached = AttachConsole(process);
            let error = io::Error::last_os_error();
            let result = (is_attached != 0).then(call);
            FreeConsole();
            for (stream, handle) in streams.into_iter().zip(handles) {
                SetStdHandle(stream, handle);
            }
            result.unwrap_or_else(|| panic!("{error}"))
        }
    }

    /// Sends Ctrl-Break to a process.
    pub(super) fn send_break(process: u32) {
        // SAFETY: the function takes no pointers.
        let send = || unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, process) };
        check(with_console_of(process, send));
    }

    pub(super) fn close_window_of(process: u32) {
        // SAFETY: the functions take no pointers. This process leaves the console before its window
        // closes, so that it does not end, too.
        unsafe {
            let window = with_console_of(process, || GetConsoleWindow());
            check(PostMessageW(window, WM_CLOSE, 0, 0));
        }
    }

    /// The program in a window of its own, as Explorer starts it.
    pub(super) struct Window(PROCESS_INFORMATION);

    impl Window {
        pub(super) fn open(arguments: &str, folder: &Path) -> Window {
            let wide = |text: String| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
            let mut line = wide(format!(
                "\"{}\"{arguments}",
                env!("CARGO_BIN_EXE_inputanim")
            ));
            let folder = wide(folder.to_str().unwrap().to_owned());
            // SAFETY: all texts end with 0 and live until the call returns. The structures are plain
            // data, for which zeros are valid.
            unsafe {
                let mut startup: STARTUPINFOW = mem::zeroed();
                startup.cb = size_of::<STARTUPINFOW>() as u32;
                let mut process: PROCESS_INFORMATION = mem::zeroed();
                check(CreateProcessW(
                    null(),
                    line.as_mut_ptr(),
                    null(),
                    null(),
                    0,
                    CREATE_NEW_CONSOLE,
                    null(),
                    folder.as_ptr(),
                    &raw const startup,
                    &raw mut process,
                ));
                Window(process)
            }
        }

        /// Waits for the end of the program, and returns its exit code; `None` if it still runs.
        pub(super) fn exit_code(&self, milliseconds: u32) -> Option<u32> {
            let mut code = 0;
            // SAFETY: the handle is that of a process that was started, and is not closed yet.
            unsafe {
                if WaitForSingleObject(self.0.hProcess, milliseconds) != WAIT_OBJECT_0 {
                    return None;
                }
                check(GetExitCodeProcess(self.0.hProcess, &raw mut code));
            }
            Some(code)
        }

        pub(super) fn press_enter(&self) {
            let written = with_console_of(self.0.dwProcessId, || {
                let input = File::options().read(true).write(true).open("CONIN$");
                let mut written = 0;
                // SAFETY: the record is plain data, for which zeros are valid.
                unsafe {
                    let mut key: INPUT_RECORD = mem::zeroed();
                    key.EventType = KEY_EVENT as u16;
                    key.Event.KeyEvent.bKeyDown = 1;
                    key.Event.KeyEvent.wRepeatCount = 1;
                    key.Event.KeyEvent.wVirtualKeyCode = 13;
                    key.Event.KeyEvent.uChar.UnicodeChar = 13;
                    let input = input
                        .as_ref()
                        .map_or(null_mut(), AsRawHandle::as_raw_handle);
                    WriteConsoleInputW(input, &raw const key, 1, &raw mut written);
                }
                written
            });
            assert_eq!(written, 1);
        }
    }

    impl Drop for Window {
        fn drop(&mut self) {
            // SAFETY: both handles belong to this structure.
            unsafe {
                CloseHandle(self.0.hProcess);
                CloseHandle(self.0.hThread);
            }
        }
    }
}

#[test]
fn a_report_does_not_contain_recordings_behind_junctions() {
    if inputanim_page::viewer().is_none() {
        eprintln!("skipped: the program has no viewer");
        return;
    }
    let (folder, bytes) = folder();
    let [study, outside] = ["study", "outside"].map(|name| folder.path().join(name));
    for path in [&study, &outside] {
        fs::create_dir(path).unwrap();
        fs::write(path.join("take.bin"), &bytes).unwrap();
    }
    let mut command = Command::new("cmd");
    command.args(["/c", "mklink", "/J"]);
    let made = command.arg(study.join("junction")).arg(&outside).output();
    if !made.is_ok_and(|made| made.status.success()) {
        // The system has no junctions.
        return;
    }
    let arguments = ["report", "-r", "study", "-o", "report.html"].map(OsStr::new);
    let output = run(folder.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert_eq!(page.matches(" data-recording=\"").count(), 1);
}

/// Returns a command that plays a sample into the command interpreter. The libraries are files that nothing loads.
fn play(folder: &Path, script: &str) -> Command {
    for name in ["inputanim_openxr_runtime.dll", "inputanim_openxr_layer.dll"] {
        fs::write(folder.join(name), "").unwrap();
    }
    let mut command = program();
    command
        .args([
            "openxr",
            "play",
            "--timeout",
            "2s",
            "take.bin",
            "--libraries",
            ".",
        ])
        .args(["--", "cmd", "/c", script])
        .current_dir(folder);
    command
}

#[test]
fn a_manifest_of_openxr_has_a_path_in_ascii_and_names_a_library_that_other_programs_understand() {
    let (folder, _) = folder();
    let temporary = folder.path().join("手");
    fs::create_dir(&temporary).unwrap();
    let script = "echo %XR_RUNTIME_JSON%&& type %XR_RUNTIME_JSON%";
    let mut play = play(folder.path(), script);
    let output = play.env("TMP", &temporary).env("TEMP", &temporary);
    let output = output.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (path, manifest) = printed.split_once("\r\n").unwrap();
    assert!(path.ends_with("runtime.json"), "{printed}");
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
    let library = manifest["runtime"]["library_path"].as_str().unwrap();
    assert!(
        library.ends_with("inputanim_openxr_runtime.dll") && !library.starts_with(r"\\?\"),
        "{library}"
    );
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn an_application_that_is_late_is_ended_with_its_own_programs() {
    let (folder, _) = folder();
    // The outer command interpreter waits for the inner one, which waits for input.
    let mut play = play(folder.path(), "cmd /c set /p x=");
    let mut child = play.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // The input has no reader if both have ended. Windows closes the input of a process some time after its end.
    while input.write_all(b"x").is_ok() {
        std::thread::sleep(Duration::from_millis(50));
    }
}
