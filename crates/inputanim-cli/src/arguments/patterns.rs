//! Patterns of file names, which the shells of Windows leave to the program.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use inputanim_scan::{is_pattern, matching};

use crate::messages::outcome::Refusal;

/// Replaces patterns such as `takes\*.bin` and `takes\**\*.bin` by the files that match them, sorted by name. Fails if
/// a pattern matches no file. The values of options stay as they are: `--joints 'Index*'` is not a file.
pub(crate) fn expanded(
    arguments: impl IntoIterator<Item = OsString>,
    program: &Command,
) -> anyhow::Result<Vec<OsString>> {
    let mut expanded = Vec::new();
    let mut command = program;
    let mut is_value = false;
    let mut are_options_over = false;
    for argument in arguments {
        let text = argument.to_string_lossy();
        let is_option = !are_options_over && text.starts_with('-') && text != "-";
        if is_value {
            is_value = false;
        } else if is_option {
            are_options_over = text == "--";
            is_value = needs_value(&text, &[command, program]);
        } else if let Some(verb) = command.find_subcommand(&argument) {
            command = verb;
        } else if let Some(files) = files(&argument)? {
            expanded.extend(files);
            continue;
        }
        expanded.push(argument);
    }
    Ok(expanded)
}

/// Returns `true` if the value of `option` is the next argument, as in `-o OUT`, but not in `-oOUT`. `commands`
/// define the options.
fn needs_value(option: &str, commands: &[&Command]) -> bool {
    let is_named = |is_named: &dyn Fn(&Arg) -> bool| {
        let mut arguments = commands.iter().flat_map(|command| command.get_arguments());
        let argument = arguments.find(|argument| is_named(argument));
        argument.is_some_and(|argument| argument.get_action().takes_values())
    };
    if let Some(name) = option.strip_prefix("--") {
        return is_named(&|argument| argument.get_long() == Some(name));
    }
    // Several letters may be joined. A value may follow the first letter that takes one: `-oOUT`.
    let letters: Vec<char> = option.chars().skip(1).collect();
    let takes_value =
        |letter: &char| is_named(&|argument: &Arg| argument.get_short() == Some(*letter));
    letters.iter().position(takes_value) == letters.len().checked_sub(1)
}

/// Returns the files that match a pattern; `None` for a name that is not a pattern. Fails if no file matches.
fn files(argument: &OsStr) -> anyhow::Result<Option<Vec<OsString>>> {
    let Some(text) = argument.to_str() else {
        return Ok(None);
    };
    // The question mark of `\\?\C:\take.bin` is not a pattern, and no character after it is.
    if text.starts_with(r"\\?\") {
        return Ok(None);
    }
    // A file may have the characters of a pattern in its name: `take[1].bin`.
    if !is_pattern(text) || std::path::Path::new(text).exists() {
        return Ok(None);
    }
    let Ok(paths) = matching(text, false) else {
        return Ok(None);
    };
    let files: Vec<OsString> = paths.into_iter().flatten().map(Into::into).collect();
    if files.is_empty() {
        return Err(Refusal::failure(
            format!("no file matches \"{text}\""),
            "-r searches folders for recordings",
        ));
    }
    Ok(Some(files))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::CommandFactory;

    use super::*;

    /// Expands the patterns of a command line. `@` stands for a temporary folder with some files.
    fn expand(line: &str) -> anyhow::Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["b.bin", "A.BIN", "take[1].bin", ".hidden.bin", "sub/c.bin"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let words = line.split(' ').map(|word| word.replace('@', root).into());
        let words = expanded(words, &crate::Program::command())?;
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        Ok(words.join(" ").replace(root, "@").replace('\\', "/"))
    }

    #[test]
    fn patterns_are_replaced_by_the_files_that_match() {
        for (line, expected) in [
            (
                "inputanim info @/*.bin",
                "inputanim info @/A.BIN @/b.bin @/take[1].bin",
            ),
            (
                "inputanim info @/**/?.bin",
                "inputanim info @/A.BIN @/b.bin @/sub/c.bin",
            ),
            ("inputanim info -r @/s* -", "inputanim info -r @/sub -"),
            (
                "inputanim info @/take[1].bin",
                "inputanim info @/take[1].bin",
            ),
            ("inputanim trim -- @/b*", "inputanim trim -- @/b.bin"),
            (
                r"inputanim info \\?\C:\a.bin",
                "inputanim info //?/C:/a.bin",
            ),
        ] {
            assert_eq!(expand(line).unwrap(), expected);
        }
    }

    #[test]
    fn values_of_options_are_not_patterns() {
        for line in [
            "inputanim select --joints @/*.bin x.bin -o y.bin",
            "inputanim select --joints @/*.bin x.bin",
            "inputanim select --joints=@/*.bin x.bin",
            "inputanim trim x.bin -fo @/*.bin",
            "inputanim trim x.bin -o@/*.bin",
            "inputanim --color @/*.bin info x.bin",
        ] {
            assert_eq!(expand(line).unwrap(), line);
        }
    }

    #[test]
    fn a_pattern_without_files_is_an_error() {
        let error = expand("inputanim info @/*.txt").unwrap_err();
        assert!(error.to_string().starts_with("no file matches"), "{error}");
    }
}
