//! Commands that are suggested: they work when they are pasted into a shell.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use inputanim::session;
use inputanim_convert::{Format, without_extension};

use crate::messages::text::printable;

/// The files that are not well formed, of which `--recover` read the intact parts.
static RECOVERED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// States that only the intact parts of a file were read. Other commands would refuse the file.
pub(crate) fn set_recovered(file: &Path) {
    let mut recovered = RECOVERED.lock().unwrap_or_else(PoisonError::into_inner);
    recovered.insert(file.to_owned());
}

/// Returns `true` if only the intact parts of a file were read.
pub(crate) fn has_recovered() -> bool {
    let recovered = RECOVERED.lock().unwrap_or_else(PoisonError::into_inner);
    !recovered.is_empty()
}

fn is_recovered(file: &Path) -> bool {
    let recovered = RECOVERED.lock().unwrap_or_else(PoisonError::into_inner);
    // Standard input cannot be read again.
    file != Path::new("-") && recovered.contains(file)
}

/// Returns a command that reads `file` and writes to the current folder:
/// `inputanim repair study/take.bin -o take-repaired.bin` for the suffix `repaired`. Without a file, the command has
/// placeholders.
// The folder of the input may be read-only, and a later `-r` would find the output in it.
pub(crate) fn command(verb: &str, file: Option<&Path>, suffix: &str) -> String {
    let Some(file) = file else {
        return format!("inputanim {verb} IN -o OUT");
    };
    let (input, output) = input_and_output(file, suffix);
    if is_recovered(file) && verb != "recover" {
        return format!("inputanim recover {input} -o - | inputanim {verb} - -o {output}");
    }
    format!("inputanim {verb} {input} -o {output}")
}

/// Returns a command that reads a file of a batch, and writes a file of the same name to a folder: `inputanim
/// recover study/take.bin -o recovered/`.
pub(crate) fn command_into_folder(verb: &str, file: &Path, folder: &str) -> String {
    if is_recovered(file) {
        return command(verb, Some(file), folder);
    }
    let input = file.display().to_string();
    let folder = folder_for(folder, &[file.to_owned()]);
    format!("inputanim {verb} {} -o {folder}/", quoted(&input))
}

/// Returns a command that converts `file`; `options` are options of `inputanim convert`. The output is in the current
/// folder, and its name ends with `suffix`. Without a file, the command has placeholders.
pub(crate) fn convert(options: &str, file: Option<&Path>, suffix: &str) -> String {
    let Some(file) = file else {
        return format!("inputanim convert IN OUT {options}");
    };
    let (input, output) = input_and_output(file, suffix);
    let command = format!("inputanim convert {input} {output} {options}");
    command.trim_end().to_owned()
}

/// Returns a command about all files of the command line: `inputanim doctor -r study`. Returns `None` if
/// these are too many for one line.
pub(crate) fn of_many(
    verb: &str,
    paths: &[PathBuf],
    recursive: bool,
    from: Option<Format>,
) -> Option<String> {
    const MAX_PATHS: usize = 3;
    // Standard input has been read.
    if paths.len() > MAX_PATHS || paths.iter().any(|path| path == Path::new("-")) {
        return None;
    }
    let recursive = if recursive { " -r" } else { "" };
    let from = from.map_or_else(String::new, |from| format!(" --input-format {from}"));
    let names = paths.iter().map(|path| path.display().to_string());
    let names: Vec<String> = names.map(|name| quoted(&name).into_owned()).collect();
    Some(format!(
        "inputanim {verb}{recursive}{from} {}",
        names.join(" ")
    ))
}

/// Returns a name for the folder of the outputs of a command about several files: `result`, or a longer name if one of
/// the input paths already contains a folder of this name.
pub(crate) fn folder_for(result: &str, paths: &[PathBuf]) -> String {
    let is_input = |path: &PathBuf| path.components().any(|part| part.as_os_str() == result);
    if !paths.iter().any(is_input) {
        return result.to_owned();
    }
    let first = paths.first().and_then(|path| path.file_stem());
    let first = first.unwrap_or_default().to_string_lossy();
    quoted(&format!("{first}-{result}")).into_owned()
}

/// Returns a command that only reads a file: `inputanim info take.bin`. Without a file, it has a placeholder.
pub(crate) fn inspect(verb: &str, file: Option<&Path>) -> String {
    let file = file.map_or("IN".to_owned(), |file| file.display().to_string());
    format!("inputanim {verb} {}", quoted(&file))
}

/// Replaces `IN` and `OUT` in the commands of a hint by the names of files, if the input is known.
pub(crate) fn filled(hint: &str, file: Option<&Path>) -> String {
    let Some(file) = file else {
        return hint.to_owned();
    };
    let fill = |command: &str| {
        let verb = command.split(' ').nth(1).unwrap_or_default();
        let (input, output) = input_and_output(file, result_of(verb));
        let words = command.split(' ').map(|word| match word {
            "IN" => input.as_str(),
            "OUT" => output.as_str(),
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    // Commands stand within backticks, so every second part is one.
    let parts = hint.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.to_owned(),
        _ => fill(part),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Returns the suffix for the output of a command: `trimmed` for `trim`, as in `take-trimmed.bin`.
fn result_of(verb: &str) -> &'static str {
    match verb {
        "repair" => "repaired",
        "trim" => "trimmed",
        "convert" => "converted",
        _ => "edited",
    }
}

/// Returns the name of a new file for the result of a command: `take-repaired.bin` for the suffix `repaired`.
pub(crate) fn output_name(file: &Path, suffix: &str) -> String {
    input_and_output(file, suffix).1
}

/// Returns the path of the input and the name of a new output in the current folder, both quoted for a shell:
/// `take.bin` and `take-repaired.bin`.
fn input_and_output(file: &Path, suffix: &str) -> (String, String) {
    if file == Path::new("-") {
        return ("-".to_owned(), format!("{suffix}.bin"));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".session");
    let stem = stem.unwrap_or_else(|| without_extension(&name));
    // Verbs that change a recording take the format of the output from its extension. As a batch, the hint keeps formats with
    // devices, which .bin would lose.
    let format = Format::from_path(file).map_or(Format::Bin, Format::in_batches);
    let complete = Format::complete().filter(|_| is_session_with_devices(file));
    let extension = complete.unwrap_or(format).extensions().first();
    let extension = extension.unwrap_or(&"bin");
    let output = format!("{stem}-{suffix}.{extension}");
    let input = file.display().to_string();
    (quoted(&input).into_owned(), quoted(&output).into_owned())
}

/// Returns `true` for a session file whose frames have devices.
fn is_session_with_devices(file: &Path) -> bool {
    let mut start = Vec::new();
    let opened = fs::File::open(file);
    opened.is_ok_and(|file| file.take(64).read_to_end(&mut start).is_ok())
        && session::has_devices(&start)
}

/// Quotes a name for a shell, if that is necessary.
pub(crate) fn quoted(name: &str) -> Cow<'_, str> {
    // A file whose name begins with a hyphen would be read as an option.
    if name.starts_with('-') && name != "-" {
        return quoted(&format!("./{name}")).into_owned().into();
    }
    let is_plain = |letter: char| {
        // Outside quotes, a backslash is a separator on Windows and an escape elsewhere.
        letter.is_alphanumeric()
            || "-_./:+,@%".contains(letter)
            || (letter == '\\' && cfg!(windows))
    };
    if !name.is_empty() && name.chars().all(is_plain) {
        name.into()
    } else if cfg!(windows) {
        quoted_on_windows(name).into()
    } else if name.contains(['"', '$', '`', '\\', '!']) || name.contains(char::is_control) {
        let mut text = String::from("'");
        for letter in name.chars() {
            match letter {
                // A single quote cannot stand within single quotes.
                '\'' => text.push_str(r"'\''"),
                // A hint must not change the terminal.
                letter if letter.is_control() => text.extend(letter.escape_debug()),
                letter => text.push(letter),
            }
        }
        text.push('\'');
        text.into()
    } else {
        // Double quotes mean the same in most shells, also on Windows.
        format!("\"{name}\"").into()
    }
}

/// Quotes a name for PowerShell, and for cmd where both have a common form.
fn quoted_on_windows(name: &str) -> String {
    let name = printable(name);
    if name.contains(['$', '`']) {
        // PowerShell replaces variables within double quotes, and cmd knows no other quotes.
        format!("'{}'", name.replace('\'', "''"))
    } else {
        format!("\"{name}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_folder_is_not_an_input() {
        let folder = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            folder_for("repaired", &paths)
        };
        assert_eq!(folder(&["study"]), "repaired");
        assert_eq!(folder(&["repaired"]), "repaired-repaired");
        assert_eq!(folder(&["./repaired/p 1/"]), "\"p 1-repaired\"");
        assert_eq!(folder(&["a", "repaired"]), "a-repaired");
    }

    #[test]
    fn names_are_quoted_for_the_shells_of_windows() {
        for (name, quoted) in [
            (r"my takes\take.bin", r#""my takes\take.bin""#),
            ("it's.bin", "\"it's.bin\""),
            ("it's $5.bin", "'it''s $5.bin'"),
        ] {
            assert_eq!(quoted_on_windows(name), quoted);
        }
    }

    #[test]
    fn a_command_can_be_pasted() {
        for (path, expected) in [
            ("take.bin", "inputanim repair take.bin -o take-repaired.bin"),
            (
                "a/b.c.BIN",
                "inputanim repair a/b.c.BIN -o b.c-repaired.bin",
            ),
            (
                "my take",
                "inputanim repair \"my take\" -o \"my take-repaired.bin\"",
            ),
            ("x.json", "inputanim repair x.json -o x-repaired.json"),
            ("$x.bin", "inputanim repair '$x.bin' -o '$x-repaired.bin'"),
            ("-", "inputanim repair - -o repaired.bin"),
            ("-x.bin", "inputanim repair ./-x.bin -o ./-x-repaired.bin"),
            (
                "it's.bin",
                "inputanim repair \"it's.bin\" -o \"it's-repaired.bin\"",
            ),
        ] {
            let command = command("repair", Some(Path::new(path)), "repaired");
            assert_eq!(command, expected);
        }
    }

    #[test]
    fn placeholders_of_commands_become_names_of_files() {
        let hint = "name IN, or `inputanim markers remove IN --all -o OUT`";
        assert_eq!(
            filled(hint, Some(Path::new("a b.bin"))),
            "name IN, or `inputanim markers remove \"a b.bin\" --all -o \"a b-edited.bin\"`"
        );
        assert_eq!(filled(hint, None), hint);
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_a_quoted_name_as_it_is() {
        use std::process::Command;
        for name in [
            "take.bin",
            "a b",
            "it's",
            "\"it\"",
            "a\\b",
            "$HOME",
            "`x`",
            "it's \"$5\"\\!",
            "é",
            "~",
            "*",
            "a;b",
            "#",
            "(1)",
            "",
            "\u{200d}'\"",
        ] {
            let script = format!("printf %s {}", quoted(name));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), name, "{script}");
        }
        assert_eq!(quoted("a\x1bb"), r"'a\u{1b}b'");
    }
}
