//! The packages for Windows: a zip and an installer.

use fs_err as fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{Release, VERSION, rust_flags, tree, write_completions};
use crate::openxr::LIBRARIES;
use crate::process::{output_file, root, run, target};
use crate::viewer;
use crate::windows::checks::check_interrupt;
use crate::windows::{TARGET, Tools, windows_path};

/// Builds the program for Windows, and makes its packages: a zip and an installer. `native` is the program for this
/// machine, which prints completions.
pub(super) fn pack(release: &Release, native: &Path) -> Result<()> {
    let tools = Tools::find()?;
    // The linker omits the build time from the header, so that the program depends only on the source. Cargo's setting
    // `strip` leaves the table of symbols, a quarter of the file, in programs for Windows.
    let flags = rust_flags()? + " -Clink-arg=-Wl,--no-insert-timestamp,--strip-all";
    // The linker sorts the import tables by the paths of their libraries. These are in the folders of the
    // build, of the tools and of temporary files. The order of these three folders must not depend on the machine.
    let folder = format!("xtask/dist-windows{}", release.suffix);
    let temporary = target().join("xtask/dist-temporary");
    fs::create_dir_all(&temporary)?;
    let (mut cargo, folder) = tools.cargo("build", "release", &folder)?;
    run(cargo
        .args([
            "--package",
            "inputanim-cli",
            "--features",
            "inputanim-cli/full",
        ])
        .args(LIBRARIES.iter().flat_map(|name| ["--package", *name]))
        .env("RUSTFLAGS", flags)
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .env("TMPDIR", &temporary)
        .env_remove("CARGO_INCREMENTAL"))?;
    let program = folder.join(TARGET).join("release/inputanim.exe");
    tools.check_imports(&program)?;
    for library in openxr_libraries() {
        tools.check_imports(&program.with_file_name(library))?;
    }

    let files = stage(release, &tools, &program, native)?;
    zip(release)?;
    make_installer(release, &tools, &files)
}

/// Returns the file names of the libraries for OpenXR, such as `NAME.dll`. They are built next to the program.
fn openxr_libraries() -> impl Iterator<Item = String> {
    LIBRARIES
        .iter()
        .map(|package| format!("{}.dll", package.replace('-', "_")))
}

/// Writes all files of the packages into a folder, and returns the folder. `program` is the program for Windows, and
/// `native` the one for this machine, which prints completions.
pub(super) fn stage(
    release: &Release,
    tools: &Tools,
    program: &Path,
    native: &Path,
) -> Result<PathBuf> {
    let files = release.staging(&release.name("windows"))?;
    fs::copy(program, files.join("inputanim.exe"))?;
    for library in openxr_libraries() {
        fs::copy(program.with_file_name(&library), files.join(&library))
            .with_context(|| format!("cannot copy {library}"))?;
    }
    release.write_licences(TARGET, &LIBRARIES, "windows", &files)?;
    tools.write_runtime_licence(&files.join("MINGW-LICENSES.txt"))?;
    release.write_documentation(&files.join("docs"))?;
    for (shell, name) in [("powershell", "inputanim.ps1"), ("bash", "inputanim.bash")] {
        write_completions(native, shell, &files.join("completions").join(name))?;
    }
    release.set_times(&files)?;
    Ok(files)
}

fn zip(release: &Release) -> Result<()> {
    let name = release.name("windows");
    let mut names = vec![name.clone()];
    for path in tree(&release.work().join(&name))? {
        names.push(format!("{name}/{}", path.display()));
    }
    let mut zip = Command::new("zip")
        // -X excludes users and exact times, which differ between machines.
        .args(["-q", "-9", "-X", "-@"])
        .arg(release.folder.join(format!("{name}.zip")))
        .current_dir(release.work())
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run zip")?;
    let mut input = zip.stdin.take().context("no standard input")?;
    input.write_all((names.join("\n") + "\n").as_bytes())?;
    drop(input);
    ensure!(zip.wait()?.success(), "zip failed");
    Ok(())
}

fn installer(release: &Release) -> PathBuf {
    release.folder.join(release.name("windows-setup.exe"))
}

/// Makes an installer of all files in the folder `files`, in the folder of the release.
pub(super) fn make_installer(release: &Release, tools: &Tools, files: &Path) -> Result<()> {
    // The installer removes exactly what it installed: files first, then folders from the innermost.
    let list = release.work().join("uninstall.nsh");
    let mut lines = Vec::new();
    for path in tree(files)?.iter().rev() {
        let command = if files.join(path).is_dir() {
            "RMDir"
        } else {
            "Delete"
        };
        let path = path.display().to_string().replace('/', r"\");
        lines.push(format!("{command} \"$INSTDIR\\{path}\"\n"));
    }
    fs::write(&list, lines.concat())?;
    let compressor = if release.is_trial {
        "zlib"
    } else {
        "/SOLID lzma"
    };
    run(tools
        .makensis()
        .args(["-V2", "-NOCD"])
        .arg(format!("-DVERSION={VERSION}"))
        .arg(format!("-DCOMPRESSOR={compressor}"))
        .arg(format!("-DFILES={}", files.display()))
        .arg(format!("-DUNINSTALL_LIST={}", list.display()))
        .arg(format!("-DOUTPUT={}", installer(release).display()))
        .arg(root().join("packaging/windows/installer.nsi"))
        .env("SOURCE_DATE_EPOCH", &release.epoch))
}

/// Installs the package under Wine, uses the program, and checks that its removal leaves no files and no settings.
pub(super) fn install(release: &Release) -> Result<()> {
    let tools = Tools::find()?;
    let run = |arguments: &[&str]| -> Result<(bool, String, String)> {
        // The output goes to files, because pipes would stay open: the first program with a window starts
        // a desktop, which inherits them and does not end.
        let paths = ["out", "err"].map(|name| release.work().join(format!("wine-{name}.txt")));
        let [out, err] = [output_file(&paths[0])?, output_file(&paths[1])?];
        let status = tools
            .wine()
            .args(arguments)
            .current_dir(root().join("samples"))
            .stdout(out)
            .stderr(err)
            .status()?;
        let texts = [fs::read(&paths[0])?, fs::read(&paths[1])?];
        let [out, err] = texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok((status.success(), out, err))
    };
    let wine = |arguments: &[&str]| -> Result<String> {
        let (mut succeeds, mut out, mut err) = run(arguments)?;
        // Wine sometimes refuses to start a program, which then has done nothing.
        if !succeeds && out.contains("ShellExecuteEx failed: Internal error") {
            println!("Wine starts {} a second time", arguments[0]);
            (succeeds, out, err) = run(arguments)?;
        }
        ensure!(succeeds, "{} failed: {out}{err}", arguments.join(" "));
        Ok(out)
    };
    let state = || -> Result<String> {
        // The user's settings and programs, which the installer may change.
        let mut state = wine(&["reg", "query", r"HKCU\Environment", "/s"])?;
        state += &wine(&["reg", "query", r"HKCU\Software", "/s"])?;
        for path in tree(&tools.user_folder())? {
            state += &format!("{}\n", path.display());
        }
        Ok(state)
    };
    let folder = tools.user_folder().join("AppData/Local/Programs/inputanim");
    let windows_folder = &format!(
        r"C:\users\{}\AppData\Local\Programs\inputanim",
        tools.user()
    );
    // With `_?=` the uninstaller does not copy itself, so it has ended when the command returns. But it cannot remove
    // itself.
    let uninstall = || {
        let program = format!(r"{windows_folder}\uninstall.exe");
        wine(&[&program, "/S", &format!("_?={windows_folder}")])
    };
    // A run that failed may have left the program.
    if folder.exists() {
        uninstall()?;
        fs::remove_dir_all(&folder)?;
    }
    // An installer may truncate a long PATH, so this PATH is long.
    let entries = (0..40).map(|number| format!(r"C:\{}{number};", "long".repeat(20)));
    let path = entries.collect::<String>() + r"%USERPROFILE%\bin";
    let environment = r"HKCU\Environment";
    wine(&[
        "reg",
        "add",
        environment,
        "/f",
        "/v",
        "Path",
        "/t",
        "REG_EXPAND_SZ",
        "/d",
        &path,
    ])?;
    // These keys and the folder exist on every Windows, but not in a new Wine.
    for key in [
        r"HKCU\Software\Classes",
        r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall",
    ] {
        wine(&["reg", "add", key, "/f"])?;
    }
    if let Some(programs) = folder.parent() {
        fs::create_dir_all(programs)?;
    }
    let before = state()?;
    wine(&[&windows_path(&installer(release)), "/S"])?;
    ensure!(
        wine(&["reg", "query", environment, "/v", "Path"])?.contains(&format!(r"{path};C:\users")),
        "the installer did not add its folder to PATH"
    );
    // Wine passes only the first 1,024 characters of PATH to programs, so PATH contains only the folder of the program
    // here.
    let set_path = |path: &str| {
        let name = ["/f", "/v", "Path", "/t", "REG_EXPAND_SZ", "/d", path];
        wine(&[&["reg", "add", environment][..], &name].concat())
    };
    set_path(windows_folder)?;
    let shown = wine(&["cmd", "/c", "inputanim info wave.bin"])?;
    set_path(&format!("{path};{windows_folder}"))?;
    ensure!(
        shown.contains("layout"),
        "`inputanim info` shows no recording: {shown}"
    );
    let classes = wine(&["reg", "query", r"HKCU\Software\Classes\.bin", "/s"])?;
    ensure!(
        classes.contains("OpenWithProgids"),
        "the program is not in \"Open with\""
    );
    let program = format!(r"{windows_folder}\inputanim.exe");
    let found = wine(&[&program, "openxr", "status"])?;
    for library in openxr_libraries() {
        ensure!(
            found.contains(&format!(r"{windows_folder}\{library}")),
            "the program does not find {library}: {found}"
        );
    }
    let recorded = release.staging("recorded")?;
    let installed = || {
        let mut wine = tools.wine();
        wine.arg(&program).current_dir(&recorded);
        wine
    };
    check_interrupt(installed, &recorded, "new.bin")?;
    let command = r"HKCU\Software\Classes\inputanim.recording\shell\open\command";
    ensure!(
        wine(&["reg", "query", command, "/ve"])?.contains(&format!(r#""{program}" "%1""#)),
        "\"Open with\" does not start the program"
    );
    if viewer::is_built() && !release.is_trial {
        viewer::check_page(wine(&[&program, "view", "--save-page", "-"])?.as_bytes())?;
        check_opening(&tools, &program)?;
    }
    uninstall()?;
    let left: Vec<String> = tree(&folder)?
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    ensure!(
        left == ["uninstall.exe"],
        "the removal left {}",
        left.join(", ")
    );
    fs::remove_dir_all(folder)?;
    let after = state()?;
    let new = after
        .lines()
        .find(|line| !before.lines().any(|other| other == *line));
    ensure!(
        new.is_none() && before.len() == after.len(),
        "the removal left {new:?}"
    );
    println!("the installer works, and leaves nothing when the program is removed");
    Ok(())
}

/// Opens a recording under Wine as Explorer does, and checks that the viewer shows it. `program` is the Windows path of
/// the installed program.
fn check_opening(tools: &Tools, program: &str) -> Result<()> {
    let sample = root().join("samples/wave.bin");
    let shown = tools.browser_address();
    fs::remove_file(&shown).ok();
    // The first argument is the title of the window.
    let open = ["cmd", "/c", "start", "", program, &windows_path(&sample)];
    run(tools.wine().args(open))?;
    let start = Instant::now();
    let address = loop {
        let address = fs::read_to_string(&shown).unwrap_or_default();
        if address.contains('\n') {
            break address;
        }
        ensure!(
            start.elapsed() < LONGEST_START,
            "an opened recording is not shown in the browser"
        );
        thread::sleep(Duration::from_millis(50));
    };
    let parts = address.trim().trim_matches('"').strip_prefix("http://");
    let (host, token) = parts
        .and_then(|rest| rest.split_once("/?"))
        .with_context(|| format!("the browser got the address {address}"))?;
    let mut server = TcpStream::connect(host)?;
    write!(
        server,
        "GET /file/0?{token} HTTP/1.1\r\nHost: {host}\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    ensure!(
        answer.ends_with(&fs::read(sample)?),
        "the viewer does not show the opened recording"
    );
    // The program is ended, because its window would stay open.
    let end = ["taskkill", "/f", "/im", "inputanim.exe"];
    run(tools.wine().args(end).stdout(Stdio::null()))
}

/// The longest time that the program takes to start on a busy machine.
const LONGEST_START: Duration = Duration::from_secs(60);
