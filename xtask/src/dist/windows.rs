//! The packages for Windows: a zip and an installer.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Release, VERSION, pages, rust_flags, tree};
use crate::process::{root, run};
use crate::windows::{TARGET, Tools, windows_path};

/// Builds the program and makes the packages. `native` is the program for this machine, which prints
/// completions.
pub(super) fn pack(release: &Release, native: &Path) -> Result<()> {
    let tools = Tools::find()?;
    // Without the time of the build in its header, the program depends only on the source.
    let flags = rust_flags()? + " -Clink-arg=-Wl,--no-insert-timestamp";
    let folder = format!("xtask/windows{}", release.suffix);
    let (mut cargo, folder) = tools.cargo("build", "release", &folder)?;
    run(cargo
        .args(["--package", "inputanim-cli", "--features", "full"])
        .env("RUSTFLAGS", flags)
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .env_remove("CARGO_INCREMENTAL"))?;
    let program = folder.join(TARGET).join("release/inputanim.exe");
    tools.check_imports(&program)?;

    let name = release.name("windows");
    let files = release.staging(&name)?;
    fs::copy(&program, files.join("inputanim.exe"))?;
    release.write_licences(TARGET, "windows", &files)?;
    pages::write_html(&files)?;
    for (shell, name) in [("powershell", "inputanim.ps1"), ("bash", "inputanim.bash")] {
        pages::write_completions(native, shell, &files.join("completions").join(name))?;
    }
    release.set_times(&files)?;
    zip(release, &name)?;
    make_installer(release, &tools, &files)
}

fn zip(release: &Release, name: &str) -> Result<()> {
    let mut names = vec![name.to_owned()];
    for path in tree(&release.work().join(name))? {
        names.push(format!("{name}/{}", path.display()));
    }
    let mut zip = Command::new("zip")
        // -X leaves out users and exact times, which differ from machine to machine.
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

fn make_installer(release: &Release, tools: &Tools, files: &Path) -> Result<()> {
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
    run(tools
        .makensis()
        .args(["-V2", "-NOCD"])
        .arg(format!("-DVERSION={VERSION}"))
        .arg(format!("-DFILES={}", files.display()))
        .arg(format!("-DUNINSTALL_LIST={}", list.display()))
        .arg(format!("-DOUTPUT={}", installer(release).display()))
        .arg(root().join("packaging/windows/installer.nsi"))
        .env("SOURCE_DATE_EPOCH", &release.epoch))
}

/// Installs the package under Wine, uses it, and checks that its removal leaves nothing.
pub(super) fn install(release: &Release) -> Result<()> {
    let tools = Tools::find()?;
    let wine = |arguments: &[&str]| -> Result<String> {
        let result = tools
            .wine()
            .args(arguments)
            .current_dir(root().join("samples"))
            .output()?;
        ensure!(
            result.status.success(),
            "{} failed: {}{}",
            arguments.join(" "),
            String::from_utf8_lossy(&result.stdout),
            String::from_utf8_lossy(&result.stderr)
        );
        Ok(String::from_utf8_lossy(&result.stdout).into_owned())
    };
    let state = || -> Result<String> {
        // The user's settings and programs: what the installer may change.
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
    // `_?=` keeps the uninstaller from copying itself, so that it has ended when the command returns. It
    // cannot remove itself then.
    let uninstall = || {
        let program = format!(r"{windows_folder}\uninstall.exe");
        wine(&[&program, "/S", &format!("_?={windows_folder}")])
    };
    // A run that failed may have left the program.
    if folder.exists() {
        uninstall()?;
        fs::remove_dir_all(&folder)?;
    }
    // A long PATH, which an installer may cut.
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
    let before = state()?;
    wine(&[&windows_path(&installer(release)), "/S"])?;
    ensure!(
        wine(&["reg", "query", environment, "/v", "Path"])?.contains(&format!(r"{path};C:\users")),
        "the installer did not add its folder to PATH"
    );
    // Wine passes only the first 1,024 characters of PATH to programs, so its entry is alone here.
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
