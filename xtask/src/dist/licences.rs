//! The libraries in the program: their licences, and a list for programs (SBOM).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::VERSION;
use crate::process::{output, root};

/// A library from crates.io.
struct Library {
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
    /// Finds the libraries of the program for a target.
    pub(super) fn find(triple: &str) -> Result<Libraries> {
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
        let start = packages
            .iter()
            .find(|(_, package)| package["name"] == "inputanim-cli");
        let mut waiting = vec![
            start
                .context("cargo metadata lists no inputanim-cli")?
                .0
                .clone(),
        ];
        let mut seen = BTreeSet::new();
        let mut libraries = BTreeMap::new();
        while let Some(id) = waiting.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            let node = nodes.get(&id).context("a package without dependencies")?;
            // Build scripts, their dependencies and those of tests are not in the program.
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
                    name: text(&package["name"]),
                    version: text(&package["version"]),
                    licence: text(&package["license"]),
                    texts: licence_files(folder)?,
                    checksum: checksums.get(&key(&id)).cloned(),
                    uses: dependencies.iter().map(|id| key(id)).collect(),
                };
                libraries.insert(key(&id), library);
            }
            waiting.extend(dependencies);
        }
        Ok(Libraries { libraries })
    }

    /// Returns the licences of all libraries as text. Equal texts are printed once.
    pub(super) fn licences(&self) -> Result<String> {
        let mut text = String::from(
            "The program inputanim contains the libraries below and the standard library of Rust \
             (MIT OR Apache-2.0).\nThe texts of their licences follow the list.\n\n",
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

    /// Returns the list of libraries in the format CycloneDX.
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
    /// Returns the package URL, which names the library in lists of vulnerabilities.
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// Returns the texts of the licence files in the folder of a crate.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ]
        .iter()
        .any(|start| name.starts_with(start));
        if is_licence && path.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace('\r', "");
            texts.insert(name, text.trim().to_owned());
        }
    }
    Ok(texts.into_values().collect())
}

/// Returns the checksums in Cargo.lock by name and version.
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
