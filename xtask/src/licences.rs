//! The libraries in the program and in the npm package: their licences, and a machine-readable list (SBOM).
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

use crate::dist::{VERSION, tree};
use crate::process::{output, root};
use crate::{debian, viewer, wasm};

/// A library in a product.
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

/// All libraries that are linked into a product.
pub(crate) struct Libraries {
    /// The product, such as `The program inputanim`.
    product: &'static str,
    libraries: BTreeMap<String, Library>,
}

impl Libraries {
    /// Finds the libraries that are linked into the program and into the packages `others`. `triple` is the target of
    /// the build. The viewer is part of the program if it was built before.
    pub(crate) fn of_program(triple: &str, others: &[&str]) -> Result<Libraries> {
        let mut libraries = Libraries {
            product: "The program inputanim",
            libraries: linked("inputanim-cli", others, &["--features=full"], triple)?,
        };
        if viewer::is_built() {
            add_viewer(&mut libraries.libraries)?;
        }
        Ok(libraries)
    }

    /// Finds the libraries in the modules and in the page of the npm package.
    pub(crate) fn of_npm_package() -> Result<Libraries> {
        let features = ["--no-default-features", "--features=formats"];
        let mut libraries = linked("inputanim-wasm", &[], &features, wasm::TARGET)?;
        add_viewer(&mut libraries)?;
        Ok(Libraries {
            product: "The npm package inputanim",
            libraries,
        })
    }

    /// Writes the licences of the libraries to the file `THIRD-PARTY-LICENSES.txt` in `folder`, and those of Rust's standard
    /// library to `RUST-LICENSES.html`.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let rust = debian::sysroot()?.join("share/doc/rust/COPYRIGHT-library.html");
        fs::copy(&rust, folder.join("RUST-LICENSES.html"))
            .with_context(|| format!("cannot copy {}, a part of rustup's Rust", rust.display()))?;
        Ok(fs::write(
            folder.join("THIRD-PARTY-LICENSES.txt"),
            self.licences()?,
        )?)
    }

    /// Returns a text with the names and licences of all libraries, followed by the texts of the licences. Equal texts
    /// are printed once.
    fn licences(&self) -> Result<String> {
        let mut text = format!(
            "{} contains the libraries below, and the standard library of Rust (RUST-LICENSES.html).\n\
             The texts of their licences follow the list.\n\n",
            self.product
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
    pub(crate) fn sbom(&self, epoch: &str) -> Result<String> {
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

/// Returns the libraries that are linked into the crate `name`, built with these features, and into the packages `others`. A key is the
/// name and the version of a library. `triple` is the target of the build.
fn linked(
    name: &str,
    others: &[&str],
    features: &[&str],
    triple: &str,
) -> Result<BTreeMap<String, Library>> {
    let names = [name].into_iter().chain(others.iter().copied());
    let packages = names.flat_map(|name| ["--package", name]);
    // The features are those of this build. `cargo metadata` lists those of the whole workspace.
    let tree = output(
        Command::new("cargo")
            .args(["tree", "--locked", "--edges=normal", "--prefix=none"])
            .args(["--format={p}", "--target", triple])
            .args(packages)
            .args(features)
            .current_dir(root()),
    )?;
    let tree = String::from_utf8(tree)?;
    // Each line begins with a name and `v1.2.3`.
    let linked: BTreeSet<String> = tree
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(" v")?;
            let version = rest.split_whitespace().next()?;
            Some(format!("{name} {version}"))
        })
        .collect();
    let metadata = output(
        Command::new("cargo")
            .args(["metadata", "--locked", "--format-version=1"])
            .args(["--all-features", "--filter-platform", triple])
            .current_dir(root()),
    )?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let packages = list(&metadata["packages"]);
    let key = |package: &Value| format!("{} {}", text(&package["name"]), text(&package["version"]));
    let keys: BTreeMap<String, String> = packages
        .iter()
        .map(|package| (text(&package["id"]), key(package)))
        .collect();
    let checksums = checksums()?;
    let mut libraries = BTreeMap::new();
    for package in &packages {
        let key = key(package);
        // Crates of the workspace have no source.
        if !linked.contains(&key) || package["source"].is_null() {
            continue;
        }
        let node = nodes
            .get(&text(&package["id"]))
            .context("a package without dependencies")?;
        // Build scripts, their dependencies and the dependencies of tests are not linked.
        let is_linked = |dependency: &&Value| {
            let kinds = dependency["dep_kinds"].as_array();
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        let dependencies = list(&node["deps"]);
        let uses = dependencies.iter().filter(is_linked);
        let uses = uses.filter_map(|dependency| keys.get(dependency["pkg"].as_str()?));
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
            checksum: checksums.get(&key).cloned(),
            uses: uses.filter(|key| linked.contains(*key)).cloned().collect(),
        };
        libraries.insert(key, library);
    }
    ensure!(
        !libraries.is_empty(),
        "cargo tree lists no libraries of {name}"
    );
    Ok(libraries)
}

/// Adds the npm packages that the viewer contains.
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
