//! `cargo xtask unity`: compiles the package for Unity with Debian's compiler for C#, against stubs of Unity, and compares its
//! results with the library.
//!
//! The example `unity_cases` of the crate testkit writes what the C# code must compute. The program in `unity/check` compares it
//! under Mono, in both ways in which Mono computes with floats. Nothing of Unity is needed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fs_err as fs;

use crate::process::{self, Lock, headline, output, root, run, target};
use crate::{debian, host, spec};

/// The name of the package and of its folder in `unity`.
pub(crate) const PACKAGE: &str = "com.inputanim.unity";

/// The values with which public tests compare Unity's engine, in the folder of the corpus.
const VECTORS: &str = "../vectors/unity-curve.json";

/// The checks of the package.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write the .meta files of the package, and copies of other files, instead of checking them
    #[arg(long)]
    write: bool,
}

pub(crate) fn run_all(args: &Args) -> Result<()> {
    check_files(args.write)?;
    if args.write {
        return Ok(());
    }
    check()
}

/// Downloads Debian's compiler and runtime for C#.
pub(crate) fn download() -> Result<()> {
    Mono::provide().map(|_| ())
}

/// Checks the files of the package, compiles it, and compares its results with the library.
pub(crate) fn check() -> Result<()> {
    check_files(false)?;
    let mono = Mono::provide()?;
    let folder = target().join("xtask/unity");
    let _lock = Lock::take(&folder.join("lock"))?;
    headline("C#");
    let program = compile(&mono, &folder)?;
    check_archive(&folder)?;
    host::build()?;
    let cases = folder.join("cases");
    run(Command::new(host::example("unity_cases"))
        .arg(&cases)
        .args(spec::recordings()?))?;
    for mode in ["-O=float32", "-O=-float32"] {
        println!("Mono with {mode}:");
        let results = folder.join("results");
        if results.exists() {
            fs::remove_dir_all(&results)?;
        }
        fs::create_dir_all(&results)?;
        let mut check = mono.command();
        check.arg(mode).arg(&program).args([&cases, &results]);
        let corpus = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from);
        match corpus.map(|folder| root().join(folder).join(VECTORS)) {
            Some(vectors) if vectors.exists() => check.arg(vectors),
            _ => {
                println!("skipped: the values of Unity's engine, which INPUTANIM_CORPUS has");
                &mut check
            }
        };
        run(&mut check)?;
        check_with_program(&results)?;
    }
    Ok(())
}

/// Checks the files that the C# code has written with the program: recordings are healthy, and `doctor` names the commands that
/// the package names.
fn check_with_program(results: &Path) -> Result<()> {
    let (mut recorded, mut named) = (0, 0);
    for entry in fs::read_dir(results)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("recorded-") {
            continue;
        }
        let (printed, result) =
            process::captured(Command::new(host::program()).arg("doctor").arg(&path));
        // Recordings of damaged recordings have bones of unusual lengths, but no damage of the file.
        let has_damage = result.is_err()
            && ["D1", "D2", "D3", "D4", "D7"].iter().any(|code| {
                let line = format!("{code}  damage");
                printed.contains(&line)
            });
        ensure!(
            !has_damage && printed.contains("recorded-"),
            "a recording that Unity made is damaged:\n{printed}"
        );
        recorded += 1;
    }
    let commands = fs::read_to_string(results.join("commands.txt"))?;
    for line in commands.lines() {
        let (name, command) = line.split_once('\t').context("a line without a tab")?;
        let doctor = Command::new(host::program())
            .args(["doctor", name])
            .current_dir(results)
            .output()?;
        // The program breaks long lines.
        let printed = String::from_utf8_lossy(&doctor.stdout);
        let words: Vec<&str> = printed.split_whitespace().collect();
        ensure!(
            words.join(" ").contains(command),
            "doctor names another command than `{command}`:\n{printed}"
        );
        named += 1;
    }
    // The picture of the preview in docs/unity.md.
    let picture = root().join("docs/images/unity-preview.svg");
    ensure!(
        fs::read(results.join("preview.svg"))? == fs::read(&picture)?,
        "{} is outdated: copy {} to it",
        picture.display(),
        results.join("preview.svg").display()
    );
    ensure!(
        recorded > 0 && named > 0,
        "nothing was checked with the program"
    );
    println!("{recorded} recordings without damage, and {named} commands that doctor names too");
    Ok(())
}

/// Debian's compiler and runtime for C#.
struct Mono {
    root: PathBuf,
}

impl Mono {
    fn provide() -> Result<Mono> {
        ensure!(
            debian::has_apt(),
            "the compiler for C# is a package of Debian or Ubuntu"
        );
        let root = debian::extracted("mono", &["mono-mcs", "mono-runtime"])?;
        Ok(Mono { root })
    }

    /// Returns the command of the runtime. The caller adds options and a program.
    fn command(&self) -> Command {
        let mut mono = Command::new(self.root.join("usr/bin/mono-sgen"));
        mono.env("MONO_PATH", self.root.join("usr/lib/mono/4.5"))
            .env("MONO_CFG_DIR", self.root.join("etc"))
            .env("LD_LIBRARY_PATH", debian::libraries(&self.root));
        mono
    }

    /// Compiles all C# files of folders to an assembly. Warnings are errors. If `is_public`, each public name needs a comment.
    fn compile(&self, assembly: &Assembly<'_>, folder: &Path) -> Result<PathBuf> {
        let out = folder.join(assembly.name);
        let mut compiler = self.command();
        compiler
            .arg(self.root.join("usr/lib/mono/4.5/mcs.exe"))
            // C# 7.3 is the newest version of the language that all supported versions of Unity have.
            .args(["-nologo", "-langversion:7.2", "-warn:4", "-warnaserror"])
            .arg(format!("-out:{}", out.display()));
        if assembly.name.ends_with(".dll") {
            compiler.arg("-target:library");
        }
        if assembly.is_public {
            compiler.arg(format!("-doc:{}", out.with_extension("xml").display()));
        }
        for define in assembly.defines {
            compiler.arg(format!("-define:{define}"));
        }
        for reference in assembly.references {
            compiler.arg(format!("-reference:{}", folder.join(reference).display()));
        }
        for source in assembly.sources {
            let files = files_with(&root().join("unity").join(source), "cs")?;
            ensure!(!files.is_empty(), "no C# files in unity/{source}");
            compiler.args(files);
        }
        // The compiler prints its errors to standard output, which a task shows only if it fails.
        let (printed, result) = process::captured(&mut compiler);
        result.with_context(|| format!("{} does not compile:\n{printed}", assembly.name))?;
        Ok(out)
    }
}

/// An assembly to compile.
struct Assembly<'a> {
    name: &'a str,
    sources: &'a [&'a str],
    references: &'a [&'a str],
    defines: &'a [&'a str],
    is_public: bool,
}

/// Compiles the assemblies of the package and its samples, and returns the program that checks them.
fn compile(mono: &Mono, folder: &Path) -> Result<PathBuf> {
    const CORE: &str = "InputAnim.Core.dll";
    const UNITY: &str = "InputAnim.Unity.dll";
    const XR_HANDS: &str = "InputAnim.XRHands.dll";
    const TIMELINE: &str = "InputAnim.Timeline.dll";
    const EDITOR: &str = "InputAnim.Editor.dll";
    const SAMPLES: &str = "InputAnim.Samples.dll";
    const STUBS: &str = "UnityStubs.dll";
    let assembly = |name, sources, references| Assembly {
        name,
        sources,
        references,
        defines: &[],
        is_public: true,
    };
    let assemblies = [
        assembly(CORE, &["com.inputanim.unity/Runtime/Core"], &[]),
        Assembly {
            is_public: false,
            ..assembly(STUBS, &["stubs"], &[])
        },
        // Code for browsers and other players.
        Assembly {
            defines: &["UNITY_WEBGL"],
            ..assembly(
                "InputAnim.Unity.Player.dll",
                &["com.inputanim.unity/Runtime/Unity"],
                &[CORE, STUBS],
            )
        },
        Assembly {
            defines: &["UNITY_EDITOR"],
            ..assembly(
                UNITY,
                &["com.inputanim.unity/Runtime/Unity"],
                &[CORE, STUBS],
            )
        },
        assembly(
            XR_HANDS,
            &["com.inputanim.unity/Runtime/XRHands"],
            &[CORE, UNITY, STUBS],
        ),
        assembly(
            TIMELINE,
            &["com.inputanim.unity/Runtime/Timeline"],
            &[CORE, UNITY, STUBS],
        ),
        assembly(
            EDITOR,
            &["com.inputanim.unity/Editor"],
            &[CORE, UNITY, STUBS],
        ),
        assembly(
            SAMPLES,
            &[
                "com.inputanim.unity/Samples~/PlainUnity",
                "com.inputanim.unity/Samples~/XRI",
                "com.inputanim.unity/Samples~/MRTK3",
                "com.inputanim.unity/Samples~/Tests",
            ],
            &[CORE, UNITY, XR_HANDS, STUBS],
        ),
    ];
    for assembly in &assemblies {
        mono.compile(assembly, folder)?;
    }
    let program = mono.compile(
        &Assembly {
            is_public: false,
            ..assembly(
                "InputAnim.Check.exe",
                &["check"],
                &[CORE, UNITY, XR_HANDS, TIMELINE, EDITOR, SAMPLES, STUBS],
            )
        },
        folder,
    )?;
    println!("{} assemblies compiled", assemblies.len() + 1);
    Ok(program)
}

/// Returns the files with an extension in a folder, sorted, without those of its folders.
fn files_with(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Checks the .meta files, the version, and the copies of other files in the package. If `writes`, writes them instead.
pub(crate) fn check_files(writes: bool) -> Result<()> {
    let package = folder();
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(package.join("package.json"))?)?;
    ensure!(
        manifest["name"] == PACKAGE && manifest["version"] == env!("CARGO_PKG_VERSION"),
        "unity/{PACKAGE}/package.json: expected the name {PACKAGE} and the version {}",
        env!("CARGO_PKG_VERSION")
    );
    for sample in manifest["samples"].as_array().into_iter().flatten() {
        let path = sample["path"].as_str().unwrap_or_default();
        ensure!(package.join(path).is_dir(), "the sample {path} is missing");
    }
    let copies = [
        ("LICENSE-MIT", "LICENSE-MIT.txt"),
        ("LICENSE-APACHE", "LICENSE-APACHE.txt"),
        (
            "samples/pinch-drag.bin",
            "Samples~/Recordings/Resources/pinch-drag.inputanim",
        ),
    ];
    let mut expected: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (from, to) in copies {
        expected.insert(PathBuf::from(to), fs::read(root().join(from))?);
    }
    let mut metas: Vec<PathBuf> = Vec::new();
    for path in entries(&package)? {
        if path.extension() == Some(OsStr::new("meta")) {
            metas.push(path);
        } else if has_meta(&path) {
            let is_folder = package.join(&path).is_dir();
            let meta = PathBuf::from(format!("{}.meta", path.display()));
            expected.insert(meta, meta_of(&path, is_folder).into_bytes());
        }
    }
    for meta in metas {
        if !expected.contains_key(&meta) {
            ensure!(writes, "{} belongs to no file", meta.display());
            fs::remove_file(package.join(meta))?;
        }
    }
    for (path, bytes) in &expected {
        let file = package.join(path);
        if fs::read(&file).ok().as_ref() == Some(bytes) {
            continue;
        }
        ensure!(
            writes,
            "unity/{PACKAGE}/{} is missing or outdated; `cargo xtask unity --write` writes it",
            path.display()
        );
        fs::write(file, bytes)?;
    }
    Ok(())
}

/// Makes the archive of the package that Unity's Package Manager installs. All files get the time `epoch`, in seconds since 1970.
pub(crate) fn pack(archive: &Path, epoch: &str) -> Result<()> {
    check_files(false)?;
    let tar = output(
        Command::new("tar")
            .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .args([
                "--format=gnu",
                "--mode=u+rw,go=rX",
                &format!("--mtime=@{epoch}"),
            ])
            // The Package Manager expects the folder of packages of npm.
            .arg(format!("--transform=s,^{PACKAGE},package,"))
            .args(["--use-compress-program", "gzip -9n", "-cf", "-", PACKAGE])
            .current_dir(root().join("unity")),
    )?;
    Ok(fs::write(archive, tar)?)
}

/// Makes the archive of the package, and checks that it has the files of the package.
fn check_archive(folder: &Path) -> Result<()> {
    let archive = folder.join("package.tgz");
    pack(&archive, "0")?;
    let listed = output(Command::new("tar").arg("-tzf").arg(&archive))?;
    let listed = String::from_utf8(listed)?;
    let files = listed.lines().filter(|line| !line.ends_with('/')).count();
    let is_complete = listed.lines().any(|line| line == "package/package.json")
        && listed.lines().all(|line| line.starts_with("package/"));
    ensure!(
        is_complete,
        "the archive of the package is not complete:\n{listed}"
    );
    println!("an archive of {files} files");
    Ok(())
}

/// Returns the folder of the package.
pub(crate) fn folder() -> PathBuf {
    root().join("unity").join(PACKAGE)
}

/// Returns the paths of all files and folders of the package, relative to it and sorted.
fn entries(package: &Path) -> Result<Vec<PathBuf>> {
    let listed = output(
        Command::new("find")
            .args([".", "-mindepth", "1"])
            .current_dir(package),
    )?;
    let listed = String::from_utf8(listed)?;
    let mut paths: Vec<PathBuf> = listed
        .lines()
        .map(|line| PathBuf::from(line.trim_start_matches("./")))
        .collect();
    paths.sort();
    Ok(paths)
}

/// Returns `true` if Unity expects a .meta file. It ignores folders whose names end with `~`; the files of samples have theirs,
/// because Unity copies them to projects.
fn has_meta(path: &Path) -> bool {
    let mut parts = path.components();
    let first = parts.next().map(|part| part.as_os_str().to_string_lossy());
    match first.as_deref() {
        Some("Documentation~") => false,
        Some("Samples~") => parts.next().is_some(),
        _ => true,
    }
}

/// Returns the .meta file of a file or folder. Its GUID follows from the path, so that it never changes and two files never have
/// the same.
fn meta_of(path: &Path, is_folder: bool) -> String {
    const END: &str = "  userData: \n  assetBundleName: \n  assetBundleVariant: \n";
    let guid = guid(path);
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let head = if is_folder { "folderAsset: yes\n" } else { "" };
    let importer = match (name, extension) {
        _ if is_folder => "DefaultImporter:\n  externalObjects: {}\n".to_owned(),
        ("package.json", _) => "PackageManifestImporter:\n  externalObjects: {}\n".to_owned(),
        (_, "cs") => "MonoImporter:\n  externalObjects: {}\n  serializedVersion: 2\n  \
                      defaultReferences: []\n  executionOrder: 0\n  icon: {instanceID: 0}\n"
            .to_owned(),
        (_, "asmdef") => "AssemblyDefinitionImporter:\n  externalObjects: {}\n".to_owned(),
        (_, "md" | "txt" | "xml" | "json") => {
            "TextScriptImporter:\n  externalObjects: {}\n".to_owned()
        }
        (_, "inputanim") => {
            let script = self::guid(Path::new("Editor/InputRecordingImporter.cs"));
            return format!(
                "fileFormatVersion: 2\nguid: {guid}\nScriptedImporter:\n  \
                 internalIDToNameTable: []\n  externalObjects: {{}}\n  serializedVersion: 2\n{END}  \
                 script: {{fileID: 11500000, guid: {script}, type: 3}}\n  createClip: 1\n"
            );
        }
        _ => "DefaultImporter:\n  externalObjects: {}\n".to_owned(),
    };
    format!("fileFormatVersion: 2\nguid: {guid}\n{head}{importer}{END}")
}

/// Returns the GUID of a path: two FNV-1a hashes of 64 bits, of the path and of the path backwards.
fn guid(path: &Path) -> String {
    let hash = |bytes: &mut dyn Iterator<Item = u8>| {
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let text = format!("{PACKAGE}/{}", path.display());
    let forwards = hash(&mut text.bytes());
    let backwards = hash(&mut text.bytes().rev());
    format!("{forwards:016x}{backwards:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_follows_from_the_path() {
        let guids = ["package.json", "Editor", "Runtime"].map(|path| guid(Path::new(path)));
        assert!(guids.iter().all(|guid| guid.len() == 32));
        assert_ne!(guids[0], guids[1]);
        assert_eq!(guids[1], guid(Path::new("Editor")));
    }

    #[test]
    fn samples_have_meta_files_and_the_documentation_has_none() {
        let has = |path: &str| has_meta(Path::new(path));
        assert!(has("Editor") && has("Runtime/link.xml") && has("Samples~/XRI/XriSample.cs"));
        assert!(!has("Samples~") && !has("Documentation~/index.md"));
    }

    #[test]
    fn the_files_of_the_package_are_current() -> Result<()> {
        check_files(false)
    }
}
