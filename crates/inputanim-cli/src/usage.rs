//! Errors of the command line: the messages of clap, with tips about this program.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::{opened, suggestion};

/// Verbs that other programs have, and the commands for them.
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
    (&["export", "import"], "inputanim convert"),
];

const MRTK_LAYOUTS: &str =
    "MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1";

/// Prints an error of the command line, and ends the program.
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
    anstream::eprint!("{text}");
    std::process::exit(error.exit_code());
}

/// Replaces the tips of an error where this program knows better ones.
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
        ErrorKind::InvalidValue if context(ContextKind::InvalidArg).starts_with("--layout") => {
            error.remove(ContextKind::SuggestedValue);
            Some(MRTK_LAYOUTS.to_owned())
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

/// Returns the last of several recordings on the command line.
fn output_of(arguments: &[OsString]) -> Option<String> {
    let is_recording = |name: &&OsString| {
        let extension = Path::new(name).extension();
        extension.is_some_and(|extension| extension == "bin" || extension == "json")
    };
    let mut recordings = arguments.iter().skip(2).filter(is_recording);
    recordings.next()?;
    Some(recordings.next_back()?.to_string_lossy().into_owned())
}
