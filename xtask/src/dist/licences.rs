//! The libraries in the program: their licences, and a machine-readable list (SBOM).
//!
//! The usual programs were tried on 2026-11-27 instead of this module, for the program with all formats:
//!
//! | program | installation, unoptimised | a run | bytes of two runs | not included |
//! |---|---|---|---|---|
//! | this module | – | – | equal, which `dist --twice` checks | – |
//! | cargo-about 0.9.3 | 84 CPU s, 155 crates | 452 CPU s | not compared | the libraries of the viewer; the licence of LZ4, a library in C |
//! | cargo-cyclonedx 0.5.9 | 59 CPU s, 123 crates | 1 CPU s | equal in one folder, whose path they contain | the libraries of the viewer |
//!
//! Both are settings and calls of their own, the libraries of the viewer must still be added, and the test of packages would
//! wait for the installations. cargo-cyclonedx also writes a file beside each manifest of the workspace.

use fs_err as fs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{VERSION, tree};
use crate::process::{output, root};
use crate::viewer;

/// A library in the program.
struct Library {
    /// The registry, as package URLs name it: `cargo` or `npm`.
    registry: &'static str,
    name: String,
    version: String,
    licence: String,
    /// The texts of its licence files.
    texts: Vec<String>,
    /// The checksum in Cargo.lock.
    checksum: Option<String>,
    /// The names and versions of the libraries that it uses.
    uses: BTreeSet<String>,
}

/// All libraries that are linked into the program.
pub(super) struct Libraries {
    libraries: BTreeMap<String, Library>,
}

impl Libraries {
    /// Finds the libraries that are linked into the program and into the packages `others`. `triple` is the target of
    /// the build.
    pub(super) fn find(triple: &str, others: &[&str]) -> Result<Libraries> {
        let metadata = output(
            Command::new("cargo")
                .args(["metadata", "--locked", "--format-version=1"])
                .args(["--features=full", "--filter-platform", triple])
                .current_dir(root().join("crates/inputanim-cli")),
        )?;
        let metadata: Value = serde_json::from_slice(&metadata)?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let packages: BTreeMap<String, Value> = list(&metadata["packages"])
            .into_iter()
            .map(|package| (text(&package["id"]), package))
            .collect();
        let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
            .into_iter()
            .map(|node| (text(&node["id"]), node))
            .collect();
        let key = |id: &str| {
            let package = &packages[id];
            format!("{} {}", text(&package["name"]), text(&package["version"]))
        };
        let checksums = checksums()?;
        let start = |name: &&str| {
            let found = packages
                .iter()
                .find(|(_, package)| package["name"] == *name);
            let (id, _) = found.with_context(|| format!("cargo metadata lists no {name}"))?;
            Ok(id.clone())
        };
        let names = ["inputanim-cli"];
        let mut waiting: Vec<String> = names
            .iter()
            .chain(others)
            .map(start)
            .collect::<Result<_>>()?;
        let mut seen = BTreeSet::new();
        let mut libraries = BTreeMap::new();
        while let Some(id) = waiting.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            let node = nodes.get(&id).context("a package without dependencies")?;
            // Build scripts, their dependencies and the dependencies of tests are not in the program.
            let is_linked = |dependency: &Value| {
                list(&dependency["dep_kinds"])
                    .iter()
                    .any(|kind| kind["kind"].is_null())
            };
            let dependencies = list(&node["deps"]);
            let dependencies = dependencies
                .iter()
                .filter(|dependency| is_linked(dependency));
            let dependencies: Vec<String> = dependencies
                .map(|dependency| text(&dependency["pkg"]))
                .collect();
            let package = &packages[&id];
            // Crates of the workspace have no source.
            if !package["source"].is_null() {
                let manifest = text(&package["manifest_path"]);
                let folder = Path::new(&manifest)
                    .parent()
                    .context("a manifest has a folder")?;
                let library = Library {
                    registry: "cargo",
                    name: text(&package["name"]),
                    version: text(&package["version"]),
                    licence: text(&package["license"]),
                    texts: licence_texts(folder, &text(&package["license"]), &authors(package))?,
                    checksum: checksums.get(&key(&id)).cloned(),
                    uses: dependencies.iter().map(|id| key(id)).collect(),
                };
                libraries.insert(key(&id), library);
            }
            waiting.extend(dependencies);
        }
        if viewer::is_built() {
            add_viewer(&mut libraries)?;
        }
        Ok(Libraries { libraries })
    }

    /// Returns a text with the names and licences of all libraries, followed by the texts of the licences. Equal texts
    /// are printed once.
    pub(super) fn licences(&self) -> Result<String> {
        let mut text = String::from(
            "The program inputanim contains the libraries below, and the standard library of Rust \
             (RUST-LICENSES.html).\nThe texts of their licences follow the list.\n\n",
        );
        let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (key, library) in &self.libraries {
            text += &format!("{key}: {}\n", library.licence);
            for licence in &library.texts {
                texts.entry(licence).or_default().push(key);
            }
        }
        for (licence, keys) in texts {
            text += &format!("\n{}\n{}\n\n{licence}\n", "=".repeat(80), keys.join(", "));
        }
        Ok(text)
    }

    /// Returns the list of libraries (SBOM) as JSON in the format CycloneDX. `epoch` is its time, in seconds since
    /// 1970.
    pub(super) fn sbom(&self, epoch: &str) -> Result<String> {
        let components = self.libraries.values().map(|library| {
            let mut component = json!({
                "type": "library",
                "bom-ref": library.reference(),
                "name": library.name,
                "version": library.version,
                "purl": library.reference(),
                "licenses": [{ "expression": library.licence.replace('/', " OR ") }],
            });
            if let Some(checksum) = &library.checksum {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
            }
            component
        });
        let dependencies = self.libraries.values().map(|library| {
            let uses = library
                .uses
                .iter()
                .filter_map(|key| self.libraries.get(key));
            let uses: Vec<String> = uses.map(Library::reference).collect();
            json!({ "ref": library.reference(), "dependsOn": uses })
        });
        let date = output(
            Command::new("date")
                .args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])
                .arg(format!("--date=@{epoch}")),
        )?;
        let sbom = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "timestamp": String::from_utf8(date)?.trim(),
                "component": {
                    "type": "application",
                    "name": "inputanim",
                    "version": VERSION,
                    "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                },
            },
            "components": components.collect::<Vec<_>>(),
            "dependencies": dependencies.collect::<Vec<_>>(),
        });
        Ok(serde_json::to_string_pretty(&sbom)? + "\n")
    }
}

impl Library {
    /// Returns the package URL, such as `pkg:cargo/NAME@VERSION`, which names the library in lists of vulnerabilities.
    fn reference(&self) -> String {
        format!("pkg:{}/{}@{}", self.registry, self.name, self.version)
    }
}

/// Adds the npm packages that the viewer contains, because the viewer is a page in the program.
fn add_viewer(libraries: &mut BTreeMap<String, Library>) -> Result<()> {
    let web = root().join("web");
    let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
    let package = read(&web.join("package.json"))?;
    let names = package["dependencies"].as_object();
    for name in names
        .context("web/package.json has no dependencies")?
        .keys()
    {
        let folder = web.join("node_modules").join(name);
        let package = read(&folder.join("package.json"))?;
        let text = |member: &str| package[member].as_str().unwrap_or_default().to_owned();
        let library = Library {
            registry: "npm",
            name: name.clone(),
            version: text("version"),
            licence: text("license"),
            texts: licence_files(&folder)?,
            checksum: None,
            uses: BTreeSet::new(),
        };
        libraries.insert(format!("{name} {}", library.version), library);
    }
    Ok(())
}

/// Returns the authors in the manifest of a crate, separated by commas. `package` is its description by `cargo
/// metadata`.
fn authors(package: &Value) -> String {
    let authors = package["authors"].as_array();
    let authors = authors.into_iter().flatten().filter_map(Value::as_str);
    authors.collect::<Vec<_>>().join(", ")
}

/// Returns the texts of the licence files of a crate. If there are none, returns the standard text of its `licence`
/// (MIT or Apache-2.0), for MIT with these authors; fails for another licence.
fn licence_texts(folder: &Path, licence: &str, authors: &str) -> Result<Vec<String>> {
    let texts = licence_files(folder)?;
    if !texts.is_empty() {
        return Ok(texts);
    }
    let is_mit = licence.contains("MIT");
    let name = if is_mit {
        "LICENSE-MIT"
    } else {
        "LICENSE-APACHE"
    };
    let text = fs::read_to_string(root().join(name))?;
    if !is_mit {
        ensure!(
            licence.contains("Apache-2.0"),
            "{} has no licence file",
            folder.display()
        );
        return Ok(vec![text.trim().to_owned()]);
    }
    let lines = text.lines().map(|line| {
        if line.starts_with("Copyright") {
            format!("Copyright (c) {authors}")
        } else {
            line.to_owned()
        }
    });
    Ok(vec![lines.collect::<Vec<_>>().join("\n").trim().to_owned()])
}

/// Returns the texts of the licence files in the folder of a library. Libraries in C and fonts are in
/// subfolders, with licences of their own.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    const NAMES: [&str; 6] = [
        "LICENSE",
        "LICENCE",
        "COPYRIGHT",
        "NOTICE",
        "UNLICENSE",
        "COPYING",
    ];
    // Folders whose content is not in the program.
    const FOREIGN: [&str; 6] = [
        "contrib",
        "examples",
        "node_modules",
        "programs",
        "test",
        "tests",
    ];
    let mut texts = BTreeMap::new();
    for path in tree(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        let is_licence = NAMES.iter().any(|start| name.starts_with(start));
        let is_foreign = path
            .iter()
            .any(|part| FOREIGN.iter().any(|foreign| part == *foreign));
        // Zstandard may be used under its LICENSE or under the GPL in its COPYING.
        let is_other_choice = path.ends_with("zstd/COPYING");
        let file = folder.join(&path);
        if is_licence && !is_foreign && !is_other_choice && file.is_file() {
            let text = String::from_utf8_lossy(&fs::read(file)?).replace('\r', "");
            texts.insert(path, text.trim().to_owned());
        }
    }
    Ok(texts.into_values().collect())
}

/// Returns the checksums in Cargo.lock. A key is the name and the version of a crate, separated by a space.
fn checksums() -> Result<BTreeMap<String, String>> {
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let mut checksums = BTreeMap::new();
    for package in lock.split("[[package]]") {
        let value = |name: &str| {
            let mut lines = package.lines();
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(value.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (value("name"), value("version"), value("checksum"))
        {
            checksums.insert(format!("{name} {version}"), sum);
        }
    }
    Ok(checksums)
}
