//! The parts of the tests: what each part runs, the parts that it needs, and the files that can change its result.

use std::process::Command;

use anyhow::{Result, ensure};

use super::cargo_tests;
use crate::process::{self, cargo, headline, root};
use crate::{
    analysis, debian, dist, duckdb, host, openxr, python, python_env, readers, readme, spec, unity,
    wasm, web, windows,
};

/// A part of the tests.
pub(super) struct Part {
    /// Its name in the table and for `--only`.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The names of the parts that must pass first.
    pub(super) needs: &'static [&'static str],
    /// The files and crates whose change can change the result.
    pub(super) inputs: &'static [Input],
    pub(super) run: fn() -> Result<()>,
}

/// The resource that a part needs most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The network. Downloads start at once, and run beside other parts.
    Download,
    /// Cargo, in the build folder of the workspace, which only one build can use at a time.
    Build,
    /// The processors.
    Check,
}

/// Files whose change can change the result of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// A file, or all files of a folder.
    Path(&'static str),
    /// A crate of the workspace, with the crates that it depends on.
    Crate(&'static str),
}

use Input::{Crate, Path};

/// The packages of the quick tier are the packages that people install, with their default features. Bindings have
/// tiers of their own, because their dependencies are large.
const QUICK: [&str; 7] = [
    "--workspace",
    "--exclude=inputanim-bench",
    "--exclude=inputanim-duckdb",
    "--exclude=inputanim-python",
    "--exclude=inputanim-testkit",
    "--exclude=inputanim-wasm",
    "--exclude=xtask",
];

/// The packages of the full tier: everything that is built for this machine has the same features.
const FULL: [&str; 4] = host::PACKAGES;

/// Returns the parts of the quick tier: `cargo xtask test` without options runs them.
pub(super) fn quick() -> Vec<Part> {
    let part = |name, run| Part {
        name,
        kind: Kind::Build,
        needs: &[],
        inputs: &[],
        run,
    };
    vec![
        part("tests", || cargo_tests::run(&QUICK, "")),
        part("examples of documentation", || {
            cargo_tests::run_examples(&QUICK)
        }),
        part("first command of README", readme::run),
    ]
}

/// Returns the parts of the full tier, in the order in which they start if no part waits for another one.
pub(super) fn full() -> Vec<Part> {
    let download = |name, run| Part {
        name,
        kind: Kind::Download,
        needs: &[],
        inputs: &[],
        run,
    };
    let mut parts = vec![
        download("crates", || {
            let bindgen = root().join("web/bindgen/Cargo.toml");
            cargo(&["fetch", "--quiet", "--locked"])?;
            process::run(
                Command::new("cargo")
                    .args(["fetch", "--quiet", "--locked", "--manifest-path"])
                    .arg(bindgen),
            )
        }),
        download("npm-packages", || {
            web::install()?;
            readers::node_modules()?;
            spec::install().map(|_| ())
        }),
    ];
    let has_apt = debian::has_apt();
    if has_apt {
        parts.push(download("compiler", || debian::compiler().map(|_| ())));
    }
    parts.push(download("python-packages", || {
        let mut files = duckdb::requirements()?;
        files.extend(
            [
                "readers/requirements.txt",
                "readers/isaac/requirements.txt",
                "readers/openxr/requirements.txt",
                "comparison/analysis/requirements.txt",
                "python/requirements.txt",
            ]
            .map(|file| root().join(file)),
        );
        files
            .iter()
            .try_for_each(|file| python_env::installed(file).map(|_| ()))
    }));
    if has_apt {
        parts.extend([
            download("windows-tools", windows::Tools::download),
            download("openxr-tools", openxr::download),
            download("chromium", || web::chromium().map(|_| ())),
            download("mono", unity::download),
            download("empty-debian", dist::prepare_systems),
        ]);
    } else {
        println!(
            "skipped: the tests under Wine, with OpenXR and of C# need packages of Debian or Ubuntu"
        );
    }
    parts.extend(checks());
    parts.retain(|part| has_apt || part.needs.iter().all(|need| !OF_DEBIAN.contains(need)));
    parts
}

/// The part that completes the programs and libraries for this machine. Parts that need it do not build them again.
pub(super) const PROGRAMS: &str = "programs";

/// Returns how much a part leaves the processors to other parts, from 0 to 19, as for the program `nice`. The run then
/// ends when the processors have done all work, and not when the longest chain of parts ends.
pub(super) fn niceness(part: &Part) -> u8 {
    match part.name {
        _ if part.kind == Kind::Download => 0,
        // The longest chain of parts.
        "viewer" | "host" | PROGRAMS | "web" => 0,
        // The second longest chain.
        "windows-build" | "windows" | "packages" => 5,
        _ => 10,
    }
}

/// Downloads that exist only on Debian.
const OF_DEBIAN: [&str; 4] = ["windows-tools", "openxr-tools", "empty-debian", "mono"];

fn checks() -> Vec<Part> {
    vec![
        Part {
            name: "format",
            kind: Kind::Check,
            needs: &[],
            inputs: &[Path("")],
            run: check_format,
        },
        Part {
            name: "viewer",
            kind: Kind::Check,
            needs: &["crates", "compiler", "npm-packages"],
            inputs: &[Crate("inputanim-wasm"), Path("web")],
            run: || web::build(web::Build::Tests),
        },
        Part {
            name: "host",
            kind: Kind::Build,
            // The programs include the viewer, but nearly everything can be built before it.
            needs: &["crates"],
            inputs: &[],
            run: build_host,
        },
        Part {
            name: PROGRAMS,
            kind: Kind::Build,
            needs: &["host", "viewer"],
            inputs: &[],
            run: build_host,
        },
        Part {
            name: "windows-build",
            kind: Kind::Check,
            needs: &["crates", "compiler", "windows-tools"],
            inputs: &[],
            run: || windows::build_all(&windows::Args { full: false }),
        },
        Part {
            // Its tests run one after the other, so it starts early.
            name: "web",
            kind: Kind::Check,
            needs: &["programs", "chromium"],
            inputs: &[
                Crate("inputanim-wasm"),
                Crate("inputanim-cli"),
                Path("web"),
                Path("docs"),
            ],
            run: || web::test(web::Build::Tests),
        },
        Part {
            // Wine waits most of the time, so it starts early.
            name: "windows",
            kind: Kind::Check,
            needs: &[
                "programs",
                "windows-build",
                "openxr-tools",
                "python-packages",
            ],
            inputs: &[
                Crate("inputanim-cli"),
                Crate("inputanim-openxr-runtime"),
                Crate("inputanim-openxr-layer"),
                Path("xtask"),
                Path("docs"),
                Path("README.md"),
                Path("samples"),
            ],
            run: || windows::run_all(&windows::Args { full: false }),
        },
        Part {
            name: "lints",
            kind: Kind::Build,
            // It shares the build folder with the programs, for which most parts wait.
            needs: &["programs"],
            inputs: &[Path("crates"), Path("xtask"), Path("Cargo.toml")],
            run: check_lints,
        },
        Part {
            name: "tests",
            kind: Kind::Check,
            needs: &["programs"],
            inputs: &[
                Path("crates"),
                Path("xtask"),
                Path("docs"),
                Path("README.md"),
                Path("ARCHITECTURE.md"),
                Path("samples"),
                Path("fuzz/corpus"),
                Path("fuzz/seeds"),
                Path("spec"),
                Path("web/src"),
                Path("python/inputanim"),
            ],
            run: || {
                let filter = std::env::var(super::changed::FILTER).unwrap_or_default();
                cargo_tests::run(&FULL, &filter)
            },
        },
        Part {
            name: "python",
            kind: Kind::Check,
            needs: &["programs", "python-packages"],
            inputs: &[
                Crate("inputanim-python"),
                Crate("inputanim-cli"),
                Path("python"),
                Path("docs"),
            ],
            run: || python::run(&python::Args::default()),
        },
        Part {
            name: "readers",
            kind: Kind::Check,
            needs: &["programs", "python-packages", "npm-packages"],
            inputs: &[Crate("inputanim-cli"), Path("readers"), Path("spec")],
            run: || readers::run(&readers::Args { format: None }),
        },
        Part {
            name: "formats",
            kind: Kind::Build,
            needs: &["programs"],
            inputs: &[Crate("inputanim-convert")],
            run: check_each_format,
        },
        Part {
            name: "duckdb",
            kind: Kind::Check,
            needs: &["programs", "python-packages"],
            inputs: &[
                Crate("inputanim-duckdb"),
                Crate("inputanim-cli"),
                Path("docs/sql.md"),
            ],
            run: duckdb::test,
        },
        Part {
            name: "measures",
            kind: Kind::Check,
            needs: &["programs", "python-packages"],
            inputs: &[
                Crate("inputanim-cli"),
                Path("comparison/analysis"),
                Path("docs/analysis.md"),
            ],
            run: analysis::run,
        },
        Part {
            name: "packages",
            kind: Kind::Check,
            // Both install programs in the same Windows.
            needs: &["programs", "windows", "empty-debian"],
            inputs: &[
                Crate("inputanim-cli"),
                Crate("inputanim-openxr-runtime"),
                Crate("inputanim-openxr-layer"),
                Path("packaging"),
                Path("xtask"),
                Path("docs"),
            ],
            run: dist::try_packages,
        },
        Part {
            name: "openxr",
            kind: Kind::Check,
            needs: &["programs", "openxr-tools", "python-packages"],
            inputs: &[
                Crate("inputanim-cli"),
                Crate("inputanim-openxr-runtime"),
                Crate("inputanim-openxr-layer"),
                Path("readers/openxr"),
            ],
            run: openxr::run,
        },
        Part {
            name: "digest",
            kind: Kind::Check,
            needs: &["programs"],
            inputs: &[Crate("inputanim")],
            run: || wasm::compare(web::Build::Tests),
        },
        Part {
            name: "unity",
            kind: Kind::Check,
            needs: &["programs", "mono"],
            inputs: &[
                Crate("inputanim-testkit"),
                Crate("inputanim-cli"),
                Path("unity"),
                Path("xtask"),
                Path("docs/images"),
                Path("samples"),
                Path("fuzz"),
            ],
            run: unity::check,
        },
        Part {
            name: "spec",
            kind: Kind::Check,
            needs: &["programs", "npm-packages"],
            inputs: &[Crate("inputanim-cli"), Path("spec")],
            run: spec::run,
        },
        Part {
            name: "examples",
            kind: Kind::Build,
            needs: &["programs"],
            inputs: &[Path("crates")],
            run: || cargo_tests::run_examples(&FULL),
        },
        Part {
            name: "documentation",
            kind: Kind::Build,
            needs: &["programs"],
            inputs: &[Path("crates")],
            run: check_documentation,
        },
    ]
}

/// Builds all programs, libraries, examples and tests for this machine.
fn build_host() -> Result<()> {
    cargo_tests::build(&FULL)?;
    host::build()
}

fn check_format() -> Result<()> {
    let fuzz = ["--manifest-path", "fuzz/Cargo.toml"];
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[&["fmt", "--check"], &fuzz[..]].concat())?;
    // Fails if fuzz/Cargo.lock does not fit the manifests of the workspace.
    cargo(&[&["tree", "--quiet", "--locked", "--depth", "0"], &fuzz[..]].concat())
}

fn check_lints() -> Result<()> {
    const DENY: [&str; 4] = ["--locked", "--", "-D", "warnings"];
    cargo(
        &[
            &["clippy", "--workspace", "--all-targets", "--all-features"],
            &DENY[..],
        ]
        .concat(),
    )?;
    // The libraries without threads, as in browsers. The program without optional formats is compiled for Windows.
    cargo(&[
        "check",
        "--package=inputanim",
        "--package=inputanim-analysis",
        "--no-default-features",
        "--locked",
    ])
}

fn check_documentation() -> Result<()> {
    let packages = [
        "--workspace",
        "--exclude",
        "inputanim-bench",
        "--all-features",
    ];
    process::run(
        Command::new("cargo")
            .args(["doc", "--no-deps", "--locked"])
            .args(packages)
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    headline("published packages");
    // The packages are complete. Their dependencies are compiled by other parts, so they are not compiled again. The viewer
    // of an earlier build counts as a change, because git ignores it.
    cargo(&[
        "publish",
        "--workspace",
        "--dry-run",
        "--no-verify",
        "--locked",
        "--allow-dirty",
    ])
}

/// Compiles the crate inputanim-convert without features, and with few sets of features: for every two features A and B,
/// one set has A without B, unless A selects B. A format that uses code of another one does not compile then. Fails
/// for a warning too.
fn check_each_format() -> Result<()> {
    /// Each feature is in three sets of these.
    const SETS: usize = 7;
    /// The features with the largest dependencies. The first ones are in the same four sets, so that these are compiled less often.
    const LARGE: [&str; 7] = [
        "parquet",
        "lerobot",
        "arrow",
        "record-batches",
        "mcap",
        "mcap-plain",
        "isaac",
    ];
    let metadata = process::metadata()?;
    let package = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "inputanim-convert");
    let features = package.and_then(|package| package["features"].as_object());
    let mut names: Vec<_> = features
        .into_iter()
        .flat_map(|features| features.keys())
        .map(String::as_str)
        // These select other features, which the other parts compile together.
        .filter(|name| !["default", "full", "light", "parallel"].contains(name))
        .collect();
    ensure!(
        LARGE.iter().all(|name| names.contains(name)),
        "a large feature has another name"
    );
    names.sort_by_key(|name| {
        LARGE
            .iter()
            .position(|large| large == name)
            .unwrap_or(LARGE.len())
    });
    // No number of three bits contains all bits of another one.
    let places: Vec<usize> = (0..1 << SETS)
        .filter(|sets: &usize| sets.count_ones() == 3)
        .take(names.len())
        .collect();
    ensure!(
        places.len() == names.len() && !names.is_empty(),
        "{SETS} sets are too few for {} features",
        names.len()
    );
    let with = |set: usize| {
        let members = names.iter().zip(&places);
        let members = members.filter(move |(_, place)| *place >> set & 1 == 1);
        members.map(|(name, _)| *name).collect::<Vec<_>>().join(",")
    };
    for features in (0..SETS).map(with).chain([String::new()]) {
        let mut check = Command::new("cargo");
        check
            .args([
                "check",
                "--quiet",
                "--locked",
                "--package=inputanim-convert",
            ])
            .args(["--no-default-features", "--features", &features]);
        // Flags that turn warnings into errors would let cargo check all dependencies again.
        let (printed, result) = process::captured(&mut check);
        ensure!(
            result.is_ok() && printed.is_empty(),
            "with the features \"{features}\" alone:\n{printed}"
        );
    }
    println!(
        "the crate of formats compiles with {} sets of its {} features",
        SETS + 1,
        names.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_need_of_a_part_is_a_part_before_it() {
        let parts = checks();
        for (index, part) in parts.iter().enumerate() {
            for need in part.needs {
                let is_check = parts[..index].iter().any(|other| other.name == *need);
                let downloads = [
                    "crates",
                    "compiler",
                    "npm-packages",
                    "python-packages",
                    "windows-tools",
                    "openxr-tools",
                    "chromium",
                    "empty-debian",
                    "mono",
                ];
                assert!(
                    is_check || downloads.contains(need),
                    "{} needs {need}",
                    part.name
                );
            }
        }
    }
}
