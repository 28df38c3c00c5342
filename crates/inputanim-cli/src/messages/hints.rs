//! Hints for errors and findings: the commands and options of this program that help.
//!
//! The errors of the library do not name commands, because other programs use it too. This table adds
//! the commands, by the type and kind of each error.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::doctor::{Code, Finding, Remedy as FindingRemedy};
use inputanim::edit::EditError;
use inputanim::reduce::{ReduceError, SkipReason};
use inputanim::session::SessionReadError;
use inputanim::{
    Element, ErrorRemedy, ParseError, ParseErrorKind, Side, TimeRangeError, UnplayableCurve,
    WriteError,
};
use inputanim_analysis::AnalysisError;
use inputanim_convert::motion_bids::MotionBidsError;
use inputanim_convert::tables::{NameKind, TableError, UnknownName};
use inputanim_convert::{
    Error as ConvertError, Format, ReadField, Remedy, SampleError, Suggestion,
};

use crate::messages::file_name::FileName;
use crate::messages::outcome::Refusal;
use crate::messages::suggestion::{
    command, command_into_folder, convert, filled, folder_for, has_recovered, inspect, of_many,
    quoted,
};
use crate::messages::text::count;

const NO_LIMITS: &str = "--no-limits lifts the limits, if you trust the file";
// Only `sample` and `convert` cause these errors, and both have this option.
const LOWER_RATE: &str = "lower --rate, or select a shorter time range, such as --time ..60";
// --time and --segments exclude each other.
const LOWER_RATE_OF_SEGMENTS: &str =
    "lower --rate or --points, or select fewer or shorter segments";
const IGNORE_UNKNOWN: &str = "--ignore-unknown";

/// `true` if the command that runs has the options for reading, such as `--map`: `convert` and `record`.
static HAS_READING_OPTIONS: AtomicBool = AtomicBool::new(false);

/// States that the command that runs has the options for reading. Hints then name the options alone.
pub(crate) fn set_reading_options() {
    HAS_READING_OPTIONS.store(true, Ordering::Relaxed);
}

/// `true` if the command that runs has the option `--segments` or `--points`.
static HAS_SEGMENTS: AtomicBool = AtomicBool::new(false);

/// States that the command that runs has the option `--segments` or `--points`.
pub(crate) fn set_segments() {
    HAS_SEGMENTS.store(true, Ordering::Relaxed);
}

fn lower_rate() -> &'static str {
    if HAS_SEGMENTS.load(Ordering::Relaxed) {
        LOWER_RATE_OF_SEGMENTS
    } else {
        LOWER_RATE
    }
}

/// Returns the hints for an error and its causes.
pub(crate) fn of_error(error: &anyhow::Error) -> Vec<String> {
    let file = error.downcast_ref::<FileName>().map(FileName::path);
    let mut hints: Vec<String> = error.chain().filter_map(|cause| of(cause, file)).collect();
    // A transparent error and its cause have the same hint.
    hints.dedup();
    hints
}

/// An error for which this program has a hint.
trait Hint: Error {
    /// Returns a hint for the error: what the user can do. `file` is the file in which the error is, if known.
    fn hint(&self, file: Option<&Path>) -> Option<String>;
}

// A `dyn Error` can be downcast to one known type at a time, so the types with hints are listed.
macro_rules! hint_of {
    ($cause:expr, $file:expr; $($error:ty),* $(,)?) => {{
        $(
            if let Some(error) = $cause.downcast_ref::<$error>() {
                return Hint::hint(error, $file);
            }
        )*
        None
    }};
}

fn of(cause: &(dyn Error + 'static), file: Option<&Path>) -> Option<String> {
    hint_of!(
        cause, file;
        Refusal,
        ParseError,
        WriteError,
        EditError,
        ReduceError,
        UnplayableCurve,
        SessionReadError,
        SampleError,
        AnalysisError,
        ConvertError,
        Arc<ConvertError>,
        TableError,
        MotionBidsError,
    )
}

impl Hint for Refusal {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        Some(filled(&self.hint, file))
    }
}

impl Hint for ParseError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        Some(of_parse_error(self, file))
    }
}

impl Hint for Arc<ConvertError> {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        (**self).hint(file)
    }
}

/// Returns a hint for an error of the parser of .bin files.
pub(crate) fn of_parse_error(error: &ParseError, file: Option<&Path>) -> String {
    use ParseErrorKind as Kind;
    match error.kind() {
        Kind::Empty => {
            "MRTK leaves an empty file when nothing was recorded; nothing can be recovered".into()
        }
        Kind::NotInputAnimation { .. } => {
            "check that this is the right file; recordings of MRTK builds before July 2019 have no \
             header and cannot be read"
                .into()
        }
        Kind::TextDialect | Kind::TenCurveDialect => {
            "open it in the application that recorded it; this format shares only the magic number"
                .into()
        }
        Kind::Session => format!("`{}` converts it to a recording", recover(file)),
        Kind::NewerVersion(_) => "a newer release of inputanim may read it".into(),
        Kind::UnknownVersion(_) => "the header is probably damaged".into(),
        kind if kind.is_limit() => NO_LIMITS.into(),
        _ if !error.is_recoverable() => {
            "no curve is intact before this byte: nothing can be recovered".into()
        }
        _ => match error.intact_curves() {
            0 => format!("`{}` keeps the data before this byte", recover(file)),
            curves => format!(
                "`{}` keeps the {} before this byte",
                recover(file),
                count(curves, "intact curve")
            ),
        },
    }
}

/// Returns a hint for a damaged file of another format than .bin, of which the intact parts were read.
pub(crate) fn of_damaged_file(file: &Path) -> String {
    format!("`{}` keeps the intact parts", recover(Some(file)))
}

/// Returns the command that recovers the intact parts of a file. Without a file, it has placeholders.
pub(crate) fn recover(file: Option<&Path>) -> String {
    command("recover", file, "recovered")
}

/// Returns the advice for findings with a code, followed by the command of this program that carries it out, if there
/// is one.
pub(crate) fn advice(code: Code) -> String {
    let advice = code.advice();
    let Some(command) = remedy_command(code.remedy()) else {
        return advice.to_owned();
    };
    // The command belongs inside the sentence, before the full stop.
    let sentence = advice.strip_suffix('.').unwrap_or(advice);
    format!("{sentence} (`{command}`).")
}

/// Returns the command that performs a remedy, without its files. `None` if no single command does.
const fn remedy_command(remedy: FindingRemedy) -> Option<&'static str> {
    match remedy {
        FindingRemedy::Repair => Some("repair"),
        FindingRemedy::Trim => Some("repair --trim-frozen"),
        FindingRemedy::Recover => Some("recover"),
        FindingRemedy::ChangeLayout => Some("convert --layout mrtk-1.1"),
        FindingRemedy::DropStream => Some("select --exclude"),
        FindingRemedy::Sample => Some("sample"),
        FindingRemedy::Shift => Some("shift"),
        FindingRemedy::EditMarkers => Some("markers"),
        FindingRemedy::FillGaps => Some("fill"),
        FindingRemedy::ForgetZeros => Some("repair --forget-zeros"),
        FindingRemedy::Transform => Some("transform"),
        FindingRemedy::Inspect => Some("play"),
        _ => None,
    }
}

/// Returns the command that removes the cause of a finding. `None` if this needs arguments or a decision of the user.
pub(crate) fn of_finding(finding: &Finding, file: &Path) -> Option<String> {
    match finding.code.remedy() {
        _ if finding.code == Code::CurvesMissing => Some(command(
            &format!("select --exclude {}", incomplete_poses(finding)),
            Some(file),
            "selected",
        )),
        FindingRemedy::Repair => Some(repair(Some(file))),
        // The remedies that are not listed need arguments or a decision of the user, so no complete
        // command can be shown.
        FindingRemedy::Trim => Some(command(
            "repair --trim-frozen",
            Some(file),
            "repaired-trimmed",
        )),
        _ => None,
    }
}

/// Returns the command that explains the findings in a file.
pub(crate) fn doctor(file: &Path) -> String {
    inspect("doctor", Some(file))
}

/// Returns the command that repairs a file. Without a file, it has placeholders.
pub(crate) fn repair(file: Option<&Path>) -> String {
    command("repair", file, "repaired")
}

/// Returns the poses that lack curves, as an argument of `--exclude`.
pub(crate) fn incomplete_poses(finding: &Finding) -> String {
    let curves = finding.curves.iter();
    let mut poses: Vec<String> = curves
        .map(|&path| Element::from(path).to_string())
        .collect();
    poses.dedup();
    poses.join(",")
}

/// Returns a hint with the command that removes incomplete poses from a file of a batch. `None` for a finding about
/// something else.
pub(crate) fn of_missing_curves(finding: &Finding, file: &Path) -> Option<String> {
    (finding.code == Code::CurvesMissing).then(|| {
        let verb = format!("select --exclude {}", incomplete_poses(finding));
        let command = command_into_folder(&verb, file, "selected");
        format!("`{command}` removes the incomplete poses (L26)")
    })
}

/// Returns hints for the damage of a file: the commands that remove it, each with the codes that it concerns.
pub(crate) fn of_damage(findings: &[Finding], file: &Path) -> Vec<String> {
    let mut hints = Vec::new();
    let mut rest = Vec::new();
    let repairable = findings.iter();
    let repairable = repairable.filter(|finding| finding.code.remedy() == FindingRemedy::Repair);
    let codes = Finding::codes(repairable);
    if !codes.is_empty() {
        hints.push(format!("`{}` repairs {codes}", repair(Some(file))));
    }
    for finding in findings {
        let code = finding.code.id();
        match (finding.code.remedy(), of_finding(finding, file)) {
            (FindingRemedy::Repair, _) => {}
            (FindingRemedy::Trim, Some(command)) => {
                hints.push(format!("`{command}` cuts off the frozen end ({code})"));
            }
            (_, Some(command)) => {
                hints.push(format!("`{command}` removes the incomplete poses ({code})"));
            }
            (_, None) => rest.push(finding),
        }
    }
    if !rest.is_empty() {
        let codes = Finding::codes(rest);
        hints.push(format!("`{}` explains {codes}", doctor(file)));
    }
    // A recording whose streams end at different times has one finding for each of them.
    hints.dedup();
    hints
}

/// Returns a hint with the commands that repair and explain the damage of many files.
pub(crate) fn of_damage_in_many(
    codes: &BTreeSet<Code>,
    paths: &[PathBuf],
    recursive: bool,
    from: Option<Format>,
) -> String {
    let doctor = of_many("doctor", paths, recursive, from);
    let doctor = doctor.as_deref().unwrap_or("doctor");
    let repairs = codes
        .iter()
        .filter(|code| code.remedy() == FindingRemedy::Repair)
        .map(|code| code.id());
    let repairs: Vec<&str> = repairs.collect();
    if repairs.is_empty() {
        return format!("`{doctor}` explains the damage");
    }
    let repair = of_many("repair", paths, recursive, from);
    let repair = repair.map(|repair| format!("{repair} -o {}", folder_for("repaired", paths)));
    let repair = repair.as_deref().unwrap_or("repair");
    let repairs = repairs.join(" ");
    if has_recovered() {
        // `repair` refuses the files that are not well formed.
        return format!("`recover` and then `repair` repair {repairs}, `{doctor}` explains it");
    }
    format!("`{repair}` repairs {repairs}, `{doctor}` explains it")
}

/// Returns a hint for vectors that were not reduced: the command after which they can be. `None` if there is none for
/// this reason.
pub(crate) fn of_skipped(reason: SkipReason, file: Option<&Path>) -> Option<String> {
    let resample = || command("resample --rate 60", file, "resampled");
    match reason {
        SkipReason::Tangents => Some(format!("`{}` replaces tangents by linear keys", resample())),
        SkipReason::Times => Some(format!("`{}` sorts keys by time", repair(file))),
        SkipReason::Loops => Some(format!("`{}` replaces the loops by keys", resample())),
        SkipReason::Values => Some(format!("`{}` removes such keys", repair(file))),
        _ => None,
    }
}

impl Hint for WriteError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_remedy(remedy, file))
    }
}

impl Hint for EditError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        if let EditError::TimeRange(TimeRangeError::Outside { .. }) = self {
            return Some(filled("`inputanim info IN` shows its length", file));
        }
        if let Some(hint) = of_alignment(self) {
            return Some(hint);
        }
        if let EditError::DataWithoutTracking(_) | EditError::DataWithoutProfile(_) = self {
            return Some(of_argument(self).to_owned());
        }
        if let EditError::MissingVelocity { .. } = self {
            let hint = "`inputanim select --exclude` removes the other components of the velocity";
            return Some(hint.to_owned());
        }
        self.remedy().map(|remedy| of_remedy(remedy, file))
    }
}

/// Returns a hint for an error of an alignment; `None` for other errors.
fn of_alignment(error: &EditError) -> Option<String> {
    Some(match error {
        EditError::NoCommonMarkers { other, .. } if other.is_empty() => {
            "choose a file with markers for --to-markers; `markers list` prints the markers of a recording".to_owned()
        }
        EditError::NoCommonMarkers { recording, .. } if recording.is_empty() => {
            "`markers import` and `markers add` add markers to the recording".to_owned()
        }
        EditError::FewCommonMarkers { .. } => {
            "check that both lists are of the same session; --name chooses the markers that are the same events".to_owned()
        }
        EditError::NoCommonMarkers { .. } => {
            "--rename 11=start gives the trigger 11 a name of the recording".to_owned()
        }
        EditError::AmbiguousAlignment {
            candidates: [best, _],
        } => {
            let (least, most) = (best.offset - 0.1, best.offset + 0.1);
            format!(
                "--offset {least:.1}..{most:.1} chooses the first alignment; --name chooses markers with different names or \
                 intervals"
            )
        }
        EditError::InconsistentMarkers { .. } => {
            "--name chooses the markers that are the same events; --tolerance permits larger distances".to_owned()
        }
        EditError::TooManyCommonMarkers { .. } => "--name chooses fewer markers".to_owned(),
        EditError::NoOffset { .. } => "leave out --offset to see the offset that fits".to_owned(),
        EditError::DriftTooLarge { .. } => {
            "--max-drift permits a larger drift, and --offset-only corrects none".to_owned()
        }
        EditError::ZeroTooFar { zero, .. } => {
            format!("--zero {zero} makes this time of the other clock t = 0")
        }
        _ => return None,
    })
}

/// Returns the advice to cut a recording to a shorter time range. A single key may have a time that is far too late.
fn shorten(file: Option<&Path>) -> String {
    let trim = command("trim --time ..60", file, "trimmed");
    format!("lower --rate, or cut the recording first: `{trim}`")
}

/// Returns a hint for an error about a recording: the command or option that performs the remedy.
fn of_remedy(remedy: ErrorRemedy, file: Option<&Path>) -> String {
    let resample = || command("resample --rate 60", file, "resampled");
    match remedy {
        ErrorRemedy::RepairFirst => format!(
            "run `{}` first: the edit would hide the damage",
            repair(file)
        ),
        ErrorRemedy::Repair => format!("`{}` removes such keys", repair(file)),
        ErrorRemedy::Recover => format!("`{}` keeps the intact parts", recover(file)),
        ErrorRemedy::Resample => format!(
            "`{}` replaces tangents by linear keys; or exclude this pose with --exclude",
            resample()
        ),
        ErrorRemedy::CheckKeys => format!(
            "`{}` shows whether keys were lost; or exclude this pose with --exclude",
            inspect("doctor", file)
        ),
        ErrorRemedy::LowerRate => format!("lower --rate; {NO_LIMITS}"),
        ErrorRemedy::SampleLess => format!("{}; {NO_LIMITS}", lower_rate()),
        ErrorRemedy::Shorten => shorten(file),
        ErrorRemedy::ShortenOrLift => format!("{}; {NO_LIMITS}", shorten(file)),
        ErrorRemedy::MakeLess => "lower --repeat, or lift the limit with --no-limits".to_owned(),
        ErrorRemedy::LiftLimits => NO_LIMITS.to_owned(),
        // Only conversions choose a layout. This names no file, so the user's output stays.
        ErrorRemedy::AllowLoss => "add --allow-loss to drop it".to_owned(),
        ErrorRemedy::ExcludeGaze => {
            "add --exclude gaze, or --allow-loss to permit all losses".to_owned()
        }
        // Of the layouts with full keys, MRTK loads only mrtk-1.0, whose version has no gaze
        // (docs/format.md 3.1, 3.2).
        ErrorRemedy::FullKeys => format!(
            "`{}` converts it to full keys, but drops the gaze",
            convert("--layout mrtk-1.0 --allow-loss", file, "mrtk-1.0")
        ),
        ErrorRemedy::NamePose => "--joints selects poses: left, left.Palm, head".to_owned(),
        ErrorRemedy::WithoutHead => {
            "`mirror --across world`, and --move, --yaw and --anchor of `transform` need no head"
                .to_owned()
        }
        _ => "--help lists the names".to_owned(),
    }
}

/// Returns a hint for an option of an edit that is invalid for every recording.
pub(crate) fn of_argument(error: &EditError) -> &'static str {
    match error {
        EditError::UnknownElement(_) => "--help lists the names",
        EditError::DataWithoutTracking(error) => match error.side {
            Side::Left => "--exclude left removes the complete hand",
            Side::Right => "--exclude right removes the complete hand",
        },
        EditError::DataWithoutProfile(_) => {
            "--exclude with the name of the device removes it completely"
        }
        EditError::NotAPose { .. } => "--joints selects poses: left, left.Palm, head",
        EditError::TriggerNames(_) => "give each trigger one name",
        EditError::InvalidAnchor => {
            "use the rotation [0, 0, 0, 1] and the scale 1 to change neither"
        }
        EditError::InvalidRotation { .. } => {
            "for degrees use --yaw; 0,0,0,1 is the identity rotation"
        }
        _ => "--help describes the options",
    }
}

impl Hint for ReduceError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_remedy(remedy, file))
    }
}

impl Hint for UnplayableCurve {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        Some(of_remedy(self.remedy(), file))
    }
}

impl Hint for SessionReadError {
    fn hint(&self, _: Option<&Path>) -> Option<String> {
        matches!(self, SessionReadError::Limit { .. }).then(|| NO_LIMITS.to_owned())
    }
}

impl Hint for SampleError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_conversion(&remedy, file))
    }
}

impl Hint for AnalysisError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_remedy(remedy, file))
    }
}

impl Hint for MotionBidsError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_conversion(&remedy, file))
    }
}

impl Hint for TableError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        self.remedy().map(|remedy| of_conversion(&remedy, file))
    }
}

impl Hint for ConvertError {
    fn hint(&self, file: Option<&Path>) -> Option<String> {
        match self {
            // These hints state more than the remedy.
            ConvertError::Edit(error) => error.hint(file),
            ConvertError::Parse(error) => Hint::hint(error, file),
            _ => self.remedy().map(|remedy| of_conversion(&remedy, file)),
        }
    }
}

/// Returns a hint for an error of a conversion: the command or option that performs the remedy.
fn of_conversion(remedy: &Remedy, file: Option<&Path>) -> String {
    let hint = match remedy {
        Remedy::Recording(remedy) => return of_remedy(*remedy, file),
        Remedy::OtherBuild(_) => {
            "`cargo install --path crates/inputanim-cli --features full` includes all formats"
        }
        Remedy::Export(kind) => kind.advice(),
        Remedy::LowerRate => lower_rate(),
        Remedy::ChooseRecording(names) => {
            let Some(file) = file else {
                return "--recording selects one".to_owned();
            };
            let name = names.first().map_or("NAME", String::as_str);
            let option = format!("--recording {}", quoted(name));
            let command = convert(&option, Some(file), "converted");
            return format!("`{command}` selects one");
        }
        Remedy::MapColumns => {
            let option = with_names("--map time_s=NAME");
            return format!("{option} assigns columns by name: docs/tables.md");
        }
        Remedy::ChooseColumn => {
            "--marker-column names one of the columns of the table, or is left out"
        }
        Remedy::NameColumns => "rename the columns of the table, so that it has the missing names",
        Remedy::NumberTrigger(name) => {
            let pair = format!("1={name}");
            let option = quoted(&pair);
            return format!("--rename {option} gives it the number 1; --name chooses markers");
        }
        Remedy::MapAs(suggestion) => return map_as(suggestion, file),
        Remedy::Map(mapping) => {
            let option = format!("--map {}", quoted(&mapping.to_string()));
            return format!("to divide, multiply: {}", reading(&option, file));
        }
        Remedy::IgnoreUnknown {
            members,
            is_misspelt,
        } => {
            let option = reading(IGNORE_UNKNOWN, file);
            return ignore_unknown(*members, *is_misspelt).replacen(IGNORE_UNKNOWN, &option, 1);
        }
        Remedy::CountFromZero { is_other_unit } => {
            let mut hint = reading("--from-zero", file);
            hint += match is_other_unit {
                true => {
                    " counts from the first row; if these are not seconds, --map scales them: --map \
                     'time_s=NAME*1e-6'"
                }
                false => " counts from the first row, in double precision",
            };
            return hint;
        }
        Remedy::SkipBad => return format!("{} skips such rows", reading("--skip-bad", file)),
        Remedy::LeaveOut(option) => return format!("remove {}", name_of(*option)),
        Remedy::OtherSeparators => "replace semicolons with commas or tabs; decimals need a point",
        Remedy::WithoutSegments => "`convert` without --segments writes a table that can be read",
        Remedy::OtherShape => "convert the recording, or a table of the shape wide or keys",
        Remedy::FramesAsColumns => {
            "write the frames as CSV, and assign its columns with --map: docs/tables.md"
        }
        Remedy::NameNodes => {
            let option = with_names("--map right.IndexTip=NODE");
            return format!("docs/convert.md lists the known names; {option} assigns others");
        }
        Remedy::StateSide => {
            let command = convert("--side right", file, "converted");
            return format!("`{command}` states the hand");
        }
        Remedy::Unpack => return unpack(file),
        Remedy::NamePathParts { is_label: false } => {
            "name the parts of the path by their meaning in BIDS, such as '{sub}/{task}_{run}.bin'; \
             {*} ignores a part"
        }
        Remedy::NamePathParts { .. } => {
            "--path-pattern chooses the parts of the path: '{sub}/{task}_{*}.bin'"
        }
        Remedy::OtherContent => "`inputanim info IN` lists the content of a recording",
        _ => "--help describes the options",
    };
    hint.to_owned()
}

/// Returns a hint with the command that unpacks a file. `gzip -d` alone refuses names such as `a.xdfz`.
fn unpack(file: Option<&Path>) -> String {
    let packed = file.map_or_else(|| "IN".to_owned(), |file| file.display().to_string());
    let unpacked = match packed.strip_suffix(".gz") {
        Some(name) => name.to_owned(),
        None => match packed.strip_suffix(".xdfz") {
            Some(name) => format!("{name}.xdf"),
            None => format!("{packed}.unpacked"),
        },
    };
    format!(
        "`gzip -dc {} > {}` unpacks it",
        quoted(&packed),
        quoted(&unpacked)
    )
}

/// Returns options for reading, or the command `convert` with them if the command that runs has no such options. For standard
/// input, names that command.
fn reading(options: &str, file: Option<&Path>) -> String {
    if HAS_READING_OPTIONS.load(Ordering::Relaxed) {
        return options.to_owned();
    }
    match with_content(file) {
        Some(file) => format!("`{}`", convert(options, Some(file), "converted")),
        None => with_names(options),
    }
}

/// Returns the file if a command can read it again: standard input has been read.
fn with_content(file: Option<&Path>) -> Option<&Path> {
    file.filter(|file| *file != Path::new("-"))
}

/// Returns an option for reading in which the user has to replace a name. A command with it would not work when it is pasted.
fn with_names(option: &str) -> String {
    if HAS_READING_OPTIONS.load(Ordering::Relaxed) {
        option.to_owned()
    } else {
        format!("`convert` with {option}")
    }
}

/// Returns a hint with a command that reads columns as their names suggest.
fn map_as(suggestion: &Suggestion, file: Option<&Path>) -> String {
    let options = suggestion.mappings.iter().map(|mapping| {
        let mapping = mapping.to_string();
        format!("--map {}", quoted(&mapping))
    });
    let options: Vec<String> = options.collect();
    let options = options.join(" ");
    let command = match with_content(file) {
        Some(file) => convert(&options, Some(file), "converted"),
        None => options,
    };
    format!("`{command}` {}", suggestion.explanation())
}

/// Returns a hint for unknown columns of a table or unknown members of JSON objects.
pub(crate) fn of_unknown(kind: NameKind, names: &[UnknownName]) -> &'static str {
    let is_misspelt = names.iter().any(|name| name.similar.is_some());
    ignore_unknown(kind == NameKind::Member, is_misspelt)
}

fn ignore_unknown(members: bool, is_misspelt: bool) -> &'static str {
    match (members, is_misspelt) {
        (true, true) => "correct the spelling; --ignore-unknown ignores such members instead",
        (true, false) => "--ignore-unknown ignores unknown members",
        (_, true) => "correct the spelling; --ignore-unknown ignores such columns instead",
        (_, false) => "--ignore-unknown ignores unknown columns",
    }
}

/// Returns the command-line option, such as `--map`, that sets a field of the reading options.
fn name_of(option: ReadField) -> &'static str {
    match option {
        ReadField::Recording => "--recording",
        ReadField::Mappings => "--map",
        ReadField::IgnoreUnknown => "--ignore-unknown",
        ReadField::Space => "--space",
        ReadField::FromZero => "--from-zero",
        ReadField::SkipBad => "--skip-bad",
        ReadField::MinConfidence => "--min-confidence",
        _ => "the option",
    }
}
