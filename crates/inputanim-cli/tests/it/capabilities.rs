//! docs/capabilities.md: each capability with its name in every interface. The test writes the page from this table, and
//! compares the table with the sources of the interfaces.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::commands::root;
use crate::support::program;

/// A capability with its names in Rust, in the program, in Python, in JavaScript, in SQL and in the viewer. Names are
/// separated by commas. A cell that begins with `!` is the reason why the interface does not have the capability.
type Row = (&'static str, [&'static str; 6]);

const INTERFACES: [&str; 6] = ["Rust", "program", "Python", "JavaScript", "SQL", "viewer"];

const READS: &str = "!a query only reads";
const ONE: &str = "!a page has single recordings; the host reads folders";
const SHELL: &str = "!the library has values instead of texts";
const FILES: &str = "!the host reads and writes files";
const SCREEN: &str = "!the page shows it in another way";
const PAGE: &str = "!the page is for looking at recordings; the program and the packages have it";
const RECOVERED: &str = "!rows of a recovered file have the damage `recovered`";
const ROWS: &str = "!queries return rows";

const TABLE: &[(&str, &[Row])] = &[
    (
        "Read",
        &[
            (
                "open a recording",
                [
                    "Recording::parse",
                    "info, doctor",
                    "read",
                    "Recording.open",
                    "read_inputanim",
                    "Open…",
                ],
            ),
            (
                "recover the intact part of a damaged file",
                [
                    "Recording::recover",
                    "recover, --recover",
                    "recover",
                    "Recording.recover",
                    "recover",
                    "Open…",
                ],
            ),
            (
                "measures without the curves that a damaged file has lost",
                [
                    "Analysis::of_damaged",
                    RECOVERED,
                    RECOVERED,
                    "fileDamage, withFileDamage",
                    RECOVERED,
                    "Measures",
                ],
            ),
            (
                "times at which values are unknown",
                [
                    "Recording::known",
                    "info",
                    "Recording.gaps, Recording.with_gaps",
                    "gaps, withGaps",
                    READS,
                    PAGE,
                ],
            ),
            (
                "texts about the recording: task, device, program and others",
                [
                    "Recording::about",
                    "info, convert",
                    "Recording.about, Recording.with_about",
                    "about, withAbout",
                    "inputanim_info",
                    "Info",
                ],
            ),
            (
                "controllers, trackers and other devices",
                [
                    "Recording::devices",
                    "info",
                    "Recording.devices",
                    "devices",
                    "!queries have no columns of devices yet",
                    "!the page keeps them",
                ],
            ),
            (
                "the parts of a recording that a file of MRTK cannot hold",
                [
                    "Parts",
                    "!files keep them",
                    "!the class keeps them",
                    "parts, withParts",
                    READS,
                    "!the page keeps them",
                ],
            ),
            (
                "read other formats",
                [
                    "read, Format::detect",
                    "convert",
                    "read",
                    "read, detect",
                    "!the program converts them first",
                    "Open…",
                ],
            ),
            (
                "lift the limits of size",
                [
                    "Limits::NONE",
                    "--no-limits",
                    "no_limits",
                    "!a page has at most 4 GiB of memory",
                    "no_limits",
                    "!a page has at most 4 GiB of memory",
                ],
            ),
        ],
    ),
    (
        "Describe and check",
        &[
            (
                "layout, streams, rates and gaps",
                [
                    "Info",
                    "info",
                    "Recording.info",
                    "info",
                    "inputanim_info",
                    "Info",
                ],
            ),
            (
                "findings",
                [
                    "doctor::findings",
                    "check, doctor",
                    "Recording.findings",
                    "findings",
                    "read_inputanim_findings",
                    "Findings",
                ],
            ),
            (
                "keys of curves",
                [
                    "Recording::curves",
                    "cat --show keys",
                    "Recording.curves, Recording.key_times, Recording.wrap_modes",
                    "keyTimes, keys",
                    "read_inputanim_keys, read_inputanim_curves",
                    "Curves",
                ],
            ),
            (
                "time ranges of tracking, pinches, profiles and buttons",
                [
                    "Info::states, Info::device_states",
                    "cat --show states",
                    "Recording.info",
                    "info",
                    "read_inputanim_states",
                    "Info",
                ],
            ),
            (
                "haptic pulses of devices",
                [
                    "Recording::devices",
                    "cat --show haptics",
                    "scan",
                    "parts",
                    "read_inputanim_haptics",
                    PAGE,
                ],
            ),
            (
                "markers",
                [
                    "Recording::markers",
                    "markers list, cat --show markers",
                    "Recording.markers",
                    "markers",
                    "read_inputanim_markers",
                    "Markers",
                ],
            ),
            (
                "names of more than 100 markers, which overviews leave out",
                [
                    "marker_names::telemetry",
                    "info",
                    "!`collections.Counter` counts the names in `Recording.markers`",
                    "telemetry",
                    "!`group by name` counts the names in `read_inputanim_markers`",
                    "Markers",
                ],
            ),
            (
                "transitions: hands found and lost, pinches, markers, presses, profiles, haptic pulses",
                [
                    "Player::transitions",
                    "play --transitions",
                    "Recording.transitions",
                    "transitions",
                    "!the events of `read_inputanim_events` include tracking, pinches and markers",
                    "Play",
                ],
            ),
            (
                "compare two recordings",
                [
                    "Recording::diff",
                    "diff",
                    "Recording.diff",
                    "diff",
                    ROWS,
                    "Differences",
                ],
            ),
            (
                "the time up to which all streams have keys",
                [
                    "Info::shared_end",
                    "repair --trim-frozen",
                    "Recording.shared_end",
                    "sharedEnd",
                    READS,
                    "Cut off the frozen end",
                ],
            ),
        ],
    ),
    (
        "Sample and play",
        &[
            (
                "values at times or at a rate",
                [
                    "Sampler",
                    "sample",
                    "Recording.sample",
                    "sample, sampleRange, columnNames",
                    "read_inputanim",
                    "Plot",
                ],
            ),
            (
                "play with a clock",
                [
                    "Player",
                    "play",
                    "!a notebook shows the viewer",
                    "Player",
                    ROWS,
                    "Play",
                ],
            ),
            (
                "play into an OpenXR application",
                [
                    "!the runtime is a library for the loader of OpenXR",
                    "openxr play, openxr install, openxr uninstall, openxr status",
                    "Recording.play_openxr",
                    "!a web page gets hands through IWER",
                    READS,
                    PAGE,
                ],
            ),
            (
                "record an OpenXR application",
                [
                    "!the layer is a library for the loader of OpenXR",
                    "openxr record",
                    "Recording.play_openxr",
                    "!the viewer records a headset through WebXR",
                    READS,
                    PAGE,
                ],
            ),
            (
                "axes of other systems",
                [
                    "Space",
                    "--space",
                    "space",
                    "!tables and scenes that `write` makes have other axes; engines convert their own poses",
                    "space",
                    PAGE,
                ],
            ),
            (
                "record frames",
                [
                    "Recorder",
                    "record",
                    "Recorder, record",
                    "Recorder",
                    READS,
                    "Record",
                ],
            ),
            (
                "record controllers of WebXR",
                [
                    "WebXrController",
                    "!the viewer records a headset through WebXR",
                    "!the viewer records a headset through WebXR",
                    "WebXrController",
                    READS,
                    "Record",
                ],
            ),
            (
                "record a session that survives a crash",
                [
                    "SessionWriter",
                    "record --session",
                    "!a program that records for hours writes sessions",
                    "!pages have no files to append to",
                    READS,
                    "!pages have no files to append to",
                ],
            ),
            (
                "generate recordings for tests",
                [
                    "Motion",
                    "generate",
                    "!the program generates them",
                    "!the program generates them",
                    READS,
                    PAGE,
                ],
            ),
        ],
    ),
    (
        "Edit",
        &[
            (
                "repair damage",
                [
                    "Recording::repair",
                    "repair, --repair",
                    "Recording.repair, repair",
                    "repair",
                    "repair",
                    "Repair",
                ],
            ),
            (
                "make zeros unknown",
                [
                    "edit::forget_zeros",
                    "repair --forget-zeros, --forget-zeros",
                    "Recording.forget_zeros, forget_zeros",
                    "forgetZeros",
                    "forget_zeros",
                    PAGE,
                ],
            ),
            (
                "keep a time range",
                [
                    "edit::Trim",
                    "trim",
                    "Recording.trim",
                    "trim",
                    READS,
                    "Trim",
                ],
            ),
            (
                "split",
                [
                    "edit::split",
                    "split",
                    "Recording.split",
                    "split, gapTimes, equalTimes",
                    READS,
                    PAGE,
                ],
            ),
            (
                "join",
                ["edit::concat", "concat", "concat", "concat", READS, PAGE],
            ),
            (
                "repeat",
                [
                    "edit::Repeat",
                    "concat --repeat",
                    "Recording.repeat",
                    "repeat",
                    READS,
                    PAGE,
                ],
            ),
            (
                "move in time",
                [
                    "edit::Shift",
                    "shift",
                    "Recording.shift",
                    "shift",
                    READS,
                    PAGE,
                ],
            ),
            (
                "change the speed",
                [
                    "edit::Retime",
                    "retime",
                    "Recording.retime",
                    "retime",
                    READS,
                    PAGE,
                ],
            ),
            (
                "another clock, by common markers",
                [
                    "edit::Align, InputFile::read_markers",
                    "align",
                    "Recording.align",
                    "align",
                    READS,
                    PAGE,
                ],
            ),
            (
                "keys at a constant rate",
                [
                    "edit::Resample",
                    "resample",
                    "Recording.resample",
                    "resample",
                    READS,
                    "Resample",
                ],
            ),
            (
                "select streams and joints",
                [
                    "edit::Select",
                    "select",
                    "Recording.select",
                    "select",
                    "joints",
                    PAGE,
                ],
            ),
            (
                "mirror",
                [
                    "edit::Mirror",
                    "mirror",
                    "Recording.mirror",
                    "mirror",
                    READS,
                    "Mirror",
                ],
            ),
            (
                "move, rotate and scale",
                [
                    "edit::TransformSteps",
                    "transform",
                    "Recording.transform",
                    "transform",
                    "quat_rotate",
                    PAGE,
                ],
            ),
            (
                "reduce noise",
                [
                    "edit::Smooth",
                    "smooth",
                    "Recording.smooth",
                    "smooth",
                    READS,
                    "Smooth",
                ],
            ),
            (
                "fill tracking gaps",
                ["edit::Fill", "fill", "Recording.fill", "fill", READS, PAGE],
            ),
            (
                "remove keys within error bounds",
                [
                    "edit::Reduce",
                    "reduce",
                    "Recording.reduce",
                    "reduce",
                    READS,
                    "Reduce keys",
                ],
            ),
            (
                "add, remove, rename and move markers",
                [
                    "edit::AddMarker, edit::RemoveMarker, edit::RenameMarker, edit::MoveMarker",
                    "markers add, markers remove, markers rename, markers move",
                    "Recording.add_marker, Recording.remove_marker, Recording.rename_marker, Recording.move_marker",
                    "addMarker, removeMarker, renameMarker, moveMarker",
                    READS,
                    "Add marker, Remove marker, Rename marker, Move marker",
                ],
            ),
            (
                "names of triggers",
                [
                    "edit::NameTriggers, TriggerNames",
                    "markers rename --triggers",
                    "Recording.name_triggers",
                    "nameTriggers",
                    READS,
                    PAGE,
                ],
            ),
            (
                "markers as events of an EEG",
                [
                    "marker_events",
                    "markers import, markers export",
                    "!the program converts them",
                    "!the program converts them",
                    READS,
                    PAGE,
                ],
            ),
            (
                "exchange markers with video editors",
                [
                    "webvtt",
                    "markers import, markers export",
                    "!the program converts them",
                    "!the program converts them",
                    READS,
                    PAGE,
                ],
            ),
            (
                "another layout",
                [
                    "Recording::with_layout",
                    "convert --layout",
                    "Recording.with_layout",
                    "toBytes, layouts",
                    READS,
                    PAGE,
                ],
            ),
        ],
    ),
    (
        "Analyse",
        &[
            (
                "measures",
                [
                    "Analysis::measures",
                    "stats",
                    "Recording.measures, Analysis.measures, Analysis.values, Recording.analyse",
                    "measures, measuredRange",
                    "read_inputanim_stats",
                    "Measures",
                ],
            ),
            (
                "notes about an analysis, such as devices that are not measured",
                [
                    "Analysis::notes, Analysis::devices_note",
                    "stats",
                    "Analysis.notes",
                    "notes",
                    "inputanim_notices",
                    PAGE,
                ],
            ),
            (
                "events",
                [
                    "Analysis::events",
                    "events",
                    "Recording.events, Analysis.events",
                    "events, eventTable",
                    "read_inputanim_events",
                    "Plot",
                ],
            ),
            (
                "measures and events by their names",
                [
                    "choose_measures",
                    "stats --measures, events --kind",
                    "measures, kinds",
                    "!`filter` selects them",
                    "measures, kinds",
                    PAGE,
                ],
            ),
            (
                "parameters of the analysis",
                [
                    "AnalysisParameters",
                    "--parameter",
                    "parameters, default_parameters, quantities",
                    "Analysis, quantities",
                    "parameters",
                    PAGE,
                ],
            ),
            (
                "targets from a file",
                [
                    "read_targets",
                    "stats --targets",
                    "read_targets",
                    "!the caller reads the file, and passes the targets as a parameter",
                    "targets",
                    PAGE,
                ],
            ),
            (
                "speeds, apertures and gaze velocity over time",
                [
                    "Analysis::series",
                    "plot",
                    "Analysis.series",
                    "series",
                    ROWS,
                    "Speed",
                ],
            ),
            (
                "figures",
                [
                    "plot",
                    "plot",
                    "Recording.svg, Recording.plot, Analysis.svg, Analysis.plot",
                    "plot, thumbnail, thumbnailWithoutWords",
                    ROWS,
                    "Plot",
                ],
            ),
            (
                "rotations as angles",
                [
                    "yaw_pitch_roll",
                    SHELL,
                    "!NumPy and SciPy have them",
                    "!engines such as three.js have them",
                    "quat_to_yaw_pitch_roll, quat_from_yaw_pitch_roll, quat_multiply, quat_conjugate, quat_angle, quat_slerp",
                    PAGE,
                ],
            ),
        ],
    ),
    (
        "Many recordings",
        &[
            (
                "rows of recordings",
                [
                    "Scan",
                    "convert, cat, stats, events",
                    "scan, Scan",
                    ONE,
                    "read_inputanim, read_inputanim_tidy",
                    ONE,
                ],
            ),
            (
                "columns with their units and meaning",
                [
                    "ScanOptions::fields",
                    "convert --help",
                    "columns",
                    "columnNames",
                    "inputanim_columns",
                    PAGE,
                ],
            ),
            (
                "files that were skipped",
                [
                    "Scan::errors",
                    "convert --manifest",
                    "Scan.errors",
                    ONE,
                    "inputanim_errors",
                    ONE,
                ],
            ),
            (
                "damage in the rows",
                [
                    "Scan::damaged",
                    "stats, events",
                    "Scan.damaged",
                    "measures",
                    "inputanim_damage",
                    "Findings",
                ],
            ),
            (
                "ranges that exceed a recording",
                [
                    "Scan::notices",
                    "stats, events",
                    "Scan.notices",
                    ONE,
                    "inputanim_notices",
                    ONE,
                ],
            ),
            (
                "the facts of many recordings as one Parquet file",
                [
                    "CatalogScan",
                    "catalog, info --catalog",
                    "catalog, scan",
                    ONE,
                    "!DuckDB reads the file: read_parquet",
                    ONE,
                ],
            ),
            (
                "many files as packs, which are read as folders",
                [
                    "pack, unpack",
                    "pack, unpack",
                    "pack, unpack",
                    ONE,
                    READS,
                    ONE,
                ],
            ),
            (
                "measures of trials and other segments",
                [
                    "Segments",
                    "--segments",
                    "segments",
                    "measures",
                    "segments",
                    "Measures",
                ],
            ),
            (
                "rows of segments: around events, of trials, between markers",
                [
                    "ScanOptions::segments",
                    "convert --segments, cat --segments",
                    "epochs, Epochs, Recording.epochs, scan",
                    ONE,
                    "segments",
                    ONE,
                ],
            ),
            (
                "segments from 0 to 100 %",
                [
                    "ScanOptions::points",
                    "convert --points",
                    "points",
                    ONE,
                    "points",
                    ONE,
                ],
            ),
        ],
    ),
    (
        "Write and show",
        &[
            (
                "write a recording",
                [
                    "Recording::write",
                    "-o",
                    "Recording.write, Recording.to_bytes",
                    "toBytes, losses",
                    READS,
                    "Save as…",
                ],
            ),
            (
                "write other formats",
                [
                    "write_bytes",
                    "convert",
                    "Recording.write, Recording.write_bytes, formats",
                    "write, formats",
                    "!DuckDB writes tables: COPY",
                    "Save as…",
                ],
            ),
            (
                "a dataset for training robots",
                [
                    "inputanim_scan::lerobot::write_dataset",
                    "convert --to lerobot",
                    "write_lerobot",
                    "!the program and Python write it",
                    "!the program and Python write it",
                    "!the program and Python write it",
                ],
            ),
            (
                "21 keypoints of a hand in the order of MediaPipe, OpenPose or MANO",
                [
                    "inputanim_convert::HandOrder",
                    "convert --keypoints",
                    "HandSamples.keypoints",
                    "!the program and Python write it",
                    "!the program and Python write it",
                    "!the program and Python write it",
                ],
            ),
            (
                "a recording beside an EEG",
                [
                    "inputanim_convert::xdf::append",
                    "convert --append-to",
                    "!the program writes it",
                    "!the program writes it",
                    "!the program writes it",
                    "!the program writes it",
                ],
            ),
            (
                "open the viewer",
                [
                    "inputanim_page::viewer",
                    "view",
                    "Recording.view",
                    "embed",
                    READS,
                    "Open…",
                ],
            ),
            (
                "the viewer as a file",
                [
                    "inputanim_page::viewer",
                    "view --save-page",
                    "save_page",
                    "!the package contains `inputanim.html`",
                    READS,
                    PAGE,
                ],
            ),
            (
                "a page with recordings inside",
                [
                    "inputanim_page::Report",
                    "report",
                    "View",
                    "!the program and Python write it",
                    READS,
                    PAGE,
                ],
            ),
            (
                "a video beside a recording",
                [
                    "inputanim_page::Report::link_video",
                    "view --video, report --video",
                    "!the program and the page play it",
                    "!the program and the page play it",
                    READS,
                    "Video",
                ],
            ),
            (
                "shell completions and manual pages",
                [SHELL, "completions, man", SHELL, SHELL, SHELL, SHELL],
            ),
            (
                "tables of data science",
                [
                    SHELL,
                    "convert --shape",
                    "Recording.to_pandas, Recording.to_polars, Recording.to_arrow, Recording.to_xarray, Recording.to_movement, Recording.to_pymovements, Recording.to_mne, read_pandas, read_polars, read_arrow",
                    FILES,
                    "read_inputanim",
                    SCREEN,
                ],
            ),
        ],
    ),
];

/// Names of an interface that are part of other capabilities, or that every interface of its kind has.
const BASICS: &[&str] = &[
    // Python
    "Recording.conversion",
    "Recording.path",
    "Recording.layout",
    "Recording.streams",
    "Recording.duration",
    "Recording.time_range",
    // JavaScript
    "layout",
    "duration",
    "byteLength",
    "clone",
    "timeRange",
    "Recording.layouts",
];

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the sources in a folder.
fn sources(folder: &str, extension: &str) -> String {
    let mut all = String::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                all += &fs::read_to_string(path).unwrap();
            }
        }
    }
    all
}

/// Returns the names in a column.
fn names(column: usize) -> BTreeSet<&'static str> {
    let rows = TABLE.iter().flat_map(|(_, rows)| *rows);
    let cells = rows.map(|(_, cells)| cells[column]);
    let cells = cells.filter(|cell| !cell.starts_with('!'));
    cells.flat_map(|cell| cell.split(", ")).collect()
}

/// Returns the words that follow a text, such as the names of functions.
fn words_after<'t>(text: &'t str, before: &str) -> BTreeSet<&'t str> {
    let rests = text
        .match_indices(before)
        .map(|(at, _)| &text[at + before.len()..]);
    let words = rests.map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    words
        .filter(|word| !word.is_empty() && !word.starts_with('_'))
        .collect()
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (initial, rest) = part.split_at(1);
        all + &initial.to_uppercase() + rest
    })
}

/// Fails if an interface has a name that the table lacks.
fn require_all(interface: &str, found: impl IntoIterator<Item = String>, known: &BTreeSet<&str>) {
    let lacks = |name: &String| !known.contains(name.as_str()) && !BASICS.contains(&name.as_str());
    let missing: Vec<String> = found.into_iter().filter(lacks).collect();
    assert!(
        missing.is_empty(),
        "{interface}: the table of capabilities lacks {missing:?}"
    );
}

#[test]
#[cfg_attr(windows, ignore = "long under Wine, and independent of the system")]
fn the_names_of_capabilities_exist() {
    let rust: String = [
        "inputanim",
        "inputanim-convert",
        "inputanim-analysis",
        "inputanim-scan",
        "inputanim-page",
        "inputanim-motion",
    ]
    .map(|name| sources(&format!("crates/{name}/src"), "rs"))
    .concat();
    // The last three are the fields, and the options of edits.
    let definitions = [
        "pub fn ",
        "pub const fn ",
        "pub const ",
        "pub struct ",
        "pub enum ",
        "pub mod ",
        "pub ",
        "    optional ",
        "    required ",
    ];
    let rust: BTreeSet<&str> = definitions
        .iter()
        .flat_map(|before| words_after(&rust, before))
        .collect();
    for name in names(0) {
        let last = name.rsplit("::").next().unwrap();
        assert!(rust.contains(last), "Rust has no {name}");
    }
    for name in names(1) {
        let words: Vec<&str> = name.split(' ').collect();
        let of_verb = words.iter().take_while(|word| !word.starts_with('-'));
        let mut verb: Vec<&str> = of_verb.copied().collect();
        let option = words.get(verb.len());
        if verb.is_empty() {
            // An option that several commands have.
            let is_of_analysis = ["--parameter", "--segments"].contains(&words[0]);
            verb.push(if is_of_analysis { "stats" } else { "convert" });
        }
        // Only builds with all formats have these.
        let is_optional = ["catalog", "--keypoints"].map(|part| name.contains(part));
        if !cfg!(feature = "full") && is_optional.contains(&true) {
            continue;
        }
        let help = program().args(&verb).arg("--help").output().unwrap();
        assert!(help.status.success(), "the program has no {name}");
        let help = String::from_utf8(help.stdout).unwrap();
        if let Some(option) = option {
            assert!(help.contains(option), "`{verb:?}` has no {option}");
        }
    }
    let python = sources("python/inputanim", "py");
    for name in names(2) {
        let last = name.rsplit('.').next().unwrap();
        let definitions = ["def ", "class "].map(|word| words_after(&python, word).contains(last));
        let is_argument = python.contains(&format!(" {last}: "));
        assert!(
            definitions.contains(&true) || is_argument,
            "Python has no {name}"
        );
    }
    let javascript = sources("crates/inputanim-wasm/src", "rs");
    let embedding = text("web/src/embed.ts");
    let functions: BTreeSet<String> = words_after(&javascript, "pub fn ")
        .into_iter()
        .map(camel)
        .chain(
            words_after(&embedding, "export function ")
                .into_iter()
                .map(str::to_owned),
        )
        .chain(
            words_after(&javascript, "js_name = ")
                .into_iter()
                .map(str::to_owned),
        )
        .collect();
    for name in names(3) {
        let last = name.rsplit('.').next().unwrap();
        assert!(functions.contains(last), "JavaScript has no {name}");
    }
    let sql = sources("crates/inputanim-duckdb/src", "rs");
    for name in names(4) {
        assert!(sql.contains(&format!("\"{name}\"")), "SQL has no {name}");
    }
    let viewer = text("web/src/strings.ts") + &text("web/src/texts/page.json");
    for name in names(5) {
        assert!(
            viewer.contains(&format!("[\"{name}\"")),
            "the viewer has no {name}"
        );
    }
}

#[test]
fn every_name_of_an_interface_is_a_capability() {
    let verbs = text("docs/options.md");
    let verbs = verbs
        .split("## Other options")
        .next()
        .unwrap()
        .split("## Shared options")
        .nth(1)
        .unwrap();
    let verbs = verbs
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let known = names(1);
    let known = known
        .iter()
        .map(|name| name.split(" -").next().unwrap())
        .collect();
    require_all("program", verbs.map(str::to_owned), &known);

    let recording = text("python/inputanim/_recording.py");
    let class = recording
        .split("\nclass Recording:")
        .nth(1)
        .unwrap()
        .split("\ndef ")
        .next()
        .unwrap();
    let methods = words_after(class, "\n    def ")
        .into_iter()
        .map(|name| format!("Recording.{name}"));
    require_all("Python", methods, &names(2));
    let package = text("python/inputanim/__init__.py");
    let functions = words_after(&package, "\n    \"")
        .into_iter()
        .filter(|name| name.starts_with(char::is_lowercase));
    require_all("Python", functions.map(str::to_owned), &names(2));

    for file in ["recording", "edits", "diff", "analysis", "formats"] {
        let source = text(format!("crates/inputanim-wasm/src/{file}.rs"));
        // Functions whose names differ have the attribute `js_name`.
        let functions = words_after(&source, "    pub fn ").into_iter().map(camel);
        let functions = functions.filter(|name| {
            !["new", "copied", "recover", "open", "layouts"].contains(&name.as_str())
        });
        require_all("JavaScript", functions, &names(3));
    }
    let embedding = text("web/src/embed.ts");
    let functions = words_after(&embedding, "export function ");
    require_all(
        "JavaScript",
        functions.into_iter().map(str::to_owned),
        &names(3),
    );

    let sql = text("docs/sql.md");
    let functions: BTreeSet<&str> = words_after(&sql, "`quat_").into_iter().collect();
    let functions = functions.into_iter().map(|name| format!("quat_{name}"));
    require_all("SQL", functions, &names(4));
    let functions = words_after(&sql, "`read_inputanim")
        .into_iter()
        .map(|name| format!("read_inputanim{name}"));
    require_all("SQL", functions, &names(4));
}

#[test]
fn the_page_of_capabilities_is_current() {
    let mut reasons: Vec<&str> = Vec::new();
    let mut page = String::from(
        "# Capabilities\n\nEach capability has one name in all interfaces. Names follow the conventions of each language: \
         snake case in Python and SQL,\ncamel case in JavaScript, `filename` and `ignore_errors` in DuckDB. Tables have snake \
         case with units, such as `start_s`;\nJSON documents have camel case. A number in a cell is the reason why an interface \
         does not have the capability.\n",
    );
    for (title, rows) in TABLE {
        let head = INTERFACES.join(" | ");
        let _ = write!(
            page,
            "\n## {title}\n\n| capability | {head} |\n|---|---|---|---|---|---|---|\n"
        );
        for (what, cells) in *rows {
            let cells = cells.iter().map(|cell| match cell.strip_prefix('!') {
                Some(reason) => {
                    let known = reasons.iter().position(|known| *known == reason);
                    let index = known.unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    format!("({})", index + 1)
                }
                None => {
                    let names = cell.split(", ").map(|name| format!("`{name}`"));
                    names.collect::<Vec<_>>().join(", ")
                }
            });
            let _ = writeln!(
                page,
                "| {what} | {} |",
                cells.collect::<Vec<_>>().join(" | ")
            );
        }
    }
    page += "\n## Reasons\n\n";
    for (index, reason) in reasons.iter().enumerate() {
        let mut letters = reason.chars();
        let initial = letters.next().unwrap().to_uppercase();
        let _ = writeln!(page, "{}. {initial}{}.", index + 1, letters.as_str());
    }
    page += "\nThis page is generated. After a change of an interface, change the table in \
             `crates/inputanim-cli/tests/it/capabilities.rs`.\n`SNAPSHOTS=overwrite cargo test -p inputanim-cli --test it \
             capabilities` writes the page again.\n";
    let path = root().join("docs/capabilities.md");
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        written == page,
        "SNAPSHOTS=overwrite writes docs/capabilities.md again"
    );
}
