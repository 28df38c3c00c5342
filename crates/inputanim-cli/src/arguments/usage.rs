//! Errors of the command line: the messages of clap, with tips about this program.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use inputanim_convert::Format;

use crate::arguments::names;
use crate::arguments::opened;
use crate::messages::outcome::Refusal;
use crate::messages::suggestion;

/// Names of commands in other programs, and the commands of this program for them.
const SYNONYMS: &[(&[&str], &str)] = &[
    (&["cut", "crop", "clip"], "inputanim trim"),
    (
        &["rotate", "move", "scale", "translate"],
        "inputanim transform",
    ),
    (&["loop", "repeat"], "inputanim concat --repeat"),
    (&["join", "merge", "append"], "inputanim concat"),
    (&["fix"], "inputanim repair"),
    (&["compare"], "inputanim diff"),
    (
        &["optimize", "optimise", "simplify", "decimate"],
        "inputanim reduce",
    ),
    (&["align", "place"], "inputanim transform"),
    (&["export", "import"], "inputanim convert"),
];

/// The options that take a list of names.
const NAME_OPTIONS: [&str; 2] = ["--joints", "--exclude"];

const MRTK_LAYOUTS: &str =
    "MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1";

/// Prints the error or the help that clap returned for the command line `arguments`, and ends the program.
pub(crate) fn exit(mut error: clap::Error, arguments: &[OsString]) -> ! {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if is_help {
        if arguments.len() < 2 {
            // A double click starts the program without arguments.
            error.print().ok();
            opened::wait_before_window_closes();
            std::process::exit(error.exit_code());
        }
        error.exit();
    }
    explain(&mut error, arguments);
    // Options without a parser of their own have the errors of Rust's standard library.
    let text = error.render().ansi().to_string();
    let text = text.replace("invalid float literal", "expected a number such as 0.5");
    let text = text.replace("invalid digit found in string", "expected a whole number");
    // `clap` prints "tip:". All other messages of this program use "hint:".
    let text = text.replace("tip:", "hint:");
    anstream::eprint!("{text}");
    std::process::exit(error.exit_code());
}

/// Replaces the tips of clap in an error by better ones, if this program has some. `arguments` is the command line.
fn explain(error: &mut clap::Error, arguments: &[OsString]) {
    // After `--`, a mistyped option would be taken for the name of a file.
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips
            .iter()
            .any(|tip| tip.to_string().contains("as a value"))
    {
        error.remove(ContextKind::Suggested);
    }
    let context = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let tip = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            let missing = context(ContextKind::InvalidArg);
            let is_output = missing.starts_with("--output") && !missing.contains(',');
            output_of(arguments)
                .filter(|_| is_output)
                .map(|output| format!("write the output as `-o {output}`"))
        }
        ErrorKind::ValueValidation => {
            let argument = context(ContextKind::InvalidArg);
            let value = context(ContextKind::InvalidValue);
            // A comma separates the values of a list, such as `--move <X,Y,Z>`.
            with_points(&value)
                .filter(|_| !argument.contains(','))
                .map(|value| format!("write `{value}`: decimals need a point"))
        }
        ErrorKind::UnknownArgument => {
            let tip = unknown_option(&context(ContextKind::InvalidArg), arguments);
            if tip.is_some() {
                // An option with a similar name has another meaning.
                error.remove(ContextKind::SuggestedArg);
            }
            tip
        }
        ErrorKind::ArgumentConflict if is_brief(error) => Some(
            "remove one of them: --brief shortens the text for people, --format selects complete data for \
             programs"
                .to_owned(),
        ),
        ErrorKind::InvalidValue if context(ContextKind::InvalidArg).starts_with("--layout") => {
            error.remove(ContextKind::SuggestedValue);
            Some(MRTK_LAYOUTS.to_owned())
        }
        ErrorKind::InvalidValue => {
            let argument = context(ContextKind::InvalidArg);
            let tip = one_way_format(&argument, &context(ContextKind::InvalidValue));
            if tip.is_some() {
                // A format with a similar name has another meaning.
                error.remove(ContextKind::SuggestedValue);
            }
            tip
        }
        ErrorKind::InvalidSubcommand => {
            let verb = context(ContextKind::InvalidSubcommand);
            let mut synonyms = SYNONYMS.iter();
            let found = synonyms.find(|(names, _)| names.contains(&verb.as_str()));
            let tip = match found {
                Some((_, command)) => Some(format!("use `{command}`")),
                None if Path::new(&verb).is_file() => {
                    let example = suggestion::inspect("info", Some(Path::new(&verb)));
                    Some(format!("write a command before the file: `{example}`"))
                }
                None => None,
            };
            if tip.is_some() {
                error.remove(ContextKind::SuggestedSubcommand);
            }
            tip
        }
        _ => None,
    };
    if let Some(tip) = tip {
        let tips = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Returns the reason if the format `value` can only be read, but the option `argument` needs one that is written, or
/// the other way round. `None` if the value is invalid for another reason.
fn one_way_format(argument: &str, value: &str) -> Option<String> {
    let named = value.parse::<Format>().ok();
    let format = named.or_else(|| Format::from_extension(value.as_ref()))?;
    let option = argument.split_whitespace().next()?;
    match option {
        "--to" if !format.can_write() => Some(format!("{format} can be read, but not written")),
        "--input-format" if !format.can_read() => {
            Some(format!("{format} can be written, but not read"))
        }
        _ => None,
    }
}

/// Replaces decimal commas by points: `0,5` becomes `0.5`. `None` if there is no comma, or a comma is not between two
/// digits.
fn with_points(value: &str) -> Option<String> {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let mut parts = value.split(',').peekable();
    let mut commas = 0;
    while let (Some(part), Some(next)) = (parts.next(), parts.peek()) {
        if !is_digit(part.chars().next_back()) || !is_digit(next.chars().next()) {
            return None;
        }
        commas += 1;
    }
    (commas > 0).then(|| value.replace(',', "."))
}

/// Options that other programs have: the command, the options, and what to write instead.
const GUESSED_OPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "trim",
        &["--from", "--to", "--start", "--end"],
        "use `--time A..B`, such as `--time 1.5..3`; A or B may be missing",
    ),
    (
        "convert",
        &["--mrtk"],
        "use `--layout mrtk-1.0` for MRTK 2.0 to 2.5, or `--layout mrtk-1.1` for MRTK 2.6 to 2.8",
    ),
    (
        "transform",
        &["--translate", "--translation", "--offset"],
        "use `--move X,Y,Z`, in metres",
    ),
    (
        "transform",
        &["--turn", "--heading"],
        "use `--yaw DEGREES`, clockwise seen from above",
    ),
    (
        "sample",
        &["--segments", "--points"],
        "use `inputanim convert IN segments.csv --segments SEGMENTS`: `sample` prints frames of a recording, and `convert` \
         writes the rows of segments as a table",
    ),
    ("select", &["--keep", "--only"], "use `--joints NAME,...`"),
    (
        "select",
        &["--drop", "--remove"],
        "use `--exclude NAME,...`",
    ),
    (
        "diff",
        &["--tolerance", "--epsilon"],
        "use `--position LENGTH`, `--rotation ANGLE` or `--timing DURATION`",
    ),
    (
        "reduce",
        &["--max-error", "--tolerance", "--error"],
        "use `--position LENGTH` and `--rotation ANGLE`, such as `--position 1mm --rotation 0.2deg`",
    ),
];

/// Returns a tip for an option that the command does not have: what to write instead. `None` if there is no tip.
/// `arguments` is the command line.
fn unknown_option(option: &str, arguments: &[OsString]) -> Option<String> {
    let verb = verb_of(arguments)?;
    let has = |name: &str| verb.get_arguments().any(|own| own.get_long() == Some(name));
    let guessed = GUESSED_OPTIONS
        .iter()
        .find(|(name, options, _)| *name == verb.get_name() && options.contains(&option));
    if let Some((.., tip)) = guessed {
        return Some((*tip).to_owned());
    }
    // The value of this option is optional, so it needs the sign.
    let mut words = arguments.iter().skip_while(|word| *word != "--at-markers");
    if words.nth(1).is_some_and(|word| word == option) {
        return Some(format!("write --at-markers={option}"));
    }
    match option {
        "-o" | "--output" | "--out" if !has("output") => Some(format!(
            "`{}` prints its results to standard output; `> FILE` writes them to a file",
            verb.get_name()
        )),
        "--json" | "--csv" | "--ndjson" if has("format") => {
            Some(format!("use `--format {}`", option.trim_start_matches('-')))
        }
        _ => None,
    }
}

/// Returns clap's definition of the command that the command line names, or `None` if it names none.
fn verb_of(arguments: &[OsString]) -> Option<clap::Command> {
    let program = <crate::Program as clap::CommandFactory>::command();
    let mut words = arguments.iter().skip(1);
    words.find_map(|word| program.find_subcommand(word).cloned())
}

fn is_brief(error: &clap::Error) -> bool {
    let kinds = [ContextKind::InvalidArg, ContextKind::PriorArg];
    let names = kinds.map(|kind| error.get(kind).map(ToString::to_string).unwrap_or_default());
    names.iter().any(|name| name.starts_with("--brief"))
        && names.iter().any(|name| name.starts_with("--format"))
}

/// Refuses names that follow the value of `--joints` or `--exclude`: they would be taken for files.
pub(crate) fn refuse_separate_names(arguments: &[OsString]) -> anyhow::Result<()> {
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    for (index, option) in arguments.iter().enumerate() {
        let option = text(option);
        if !NAME_OPTIONS.contains(&option.as_str()) {
            continue;
        }
        let mut values = arguments[index + 1..].iter();
        let Some(first) = values.next() else { break };
        let is_name =
            |value: &&OsString| !Path::new(value).exists() && names::is_known(&text(value));
        let others: Vec<String> = values.take_while(is_name).map(text).collect();
        if let Some(name) = others.first() {
            let message = format!("expected a file, found the name {name}");
            let names = std::iter::once(text(first)).chain(others.clone());
            let names: Vec<String> = names.collect();
            let hint = format!("separate names with commas: {option} {}", names.join(","));
            return Err(Refusal::usage(message, hint));
        }
    }
    Ok(())
}

/// Returns the last .bin or .json file on the command line, which is probably meant as the output. `None` if there are
/// fewer than two.
fn output_of(arguments: &[OsString]) -> Option<String> {
    let is_recording = |name: &&OsString| {
        let extension = Path::new(name).extension();
        extension.is_some_and(|extension| extension == "bin" || extension == "json")
    };
    let mut recordings = arguments.iter().skip(2).filter(is_recording);
    recordings.next()?;
    Some(recordings.next_back()?.to_string_lossy().into_owned())
}
