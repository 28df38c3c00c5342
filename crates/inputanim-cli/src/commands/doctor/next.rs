//! What to run next.

use std::borrow::Cow;
use std::path::Path;

use inputanim::doctor::{Code, Remedy};

/// The command that does something about a finding, if there is one for it alone.
pub(super) fn command(path: &Path, code: Code) -> Option<String> {
    match code.remedy() {
        Remedy::Repair => Some(line("repair", path, "repaired")),
        Remedy::Trim => Some(line("repair --trim-frozen", path, "trimmed")),
        Remedy::Nothing => None,
    }
}

pub(super) fn recover(path: &Path) -> String {
    line("recover", path, "recovered")
}

/// `inputanim repair take.bin -o take-repaired.bin`
fn line(verb: &str, path: &Path, done: &str) -> String {
    if path == Path::new("-") {
        return format!("inputanim {verb} - -o {done}.bin");
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_json = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let extension = if is_json { "json" } else { "bin" };
    let output = path.with_file_name(format!("{stem}-{done}.{extension}"));
    let [input, output] = [path, &output].map(|path| path.display().to_string());
    format!("inputanim {verb} {} -o {}", quoted(&input), quoted(&output))
}

/// A name as a shell takes it.
fn quoted(name: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./\\:+,@%".contains(letter);
    if name.chars().all(is_plain) {
        name.into()
    } else if name.contains(['"', '$', '`', '\\', '!']) || name.contains(char::is_control) {
        format!(
            "'{}'",
            name.escape_debug().to_string().replace('\'', r"'\''")
        )
        .into()
    } else {
        // Of the quotation marks these mean the same to most shells.
        format!("\"{name}\"").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_run_as_it_stands() {
        let command = |path: &str| command(Path::new(path), Code::TimesUnsorted);
        for (path, expected) in [
            ("take.bin", "inputanim repair take.bin -o take-repaired.bin"),
            (
                "a/b.c.BIN",
                "inputanim repair a/b.c.BIN -o a/b.c-repaired.bin",
            ),
            (
                "my take",
                "inputanim repair \"my take\" -o \"my take-repaired.bin\"",
            ),
            ("x.json", "inputanim repair x.json -o x-repaired.json"),
            ("$x.bin", "inputanim repair '$x.bin' -o '$x-repaired.bin'"),
            ("-", "inputanim repair - -o repaired.bin"),
        ] {
            assert_eq!(command(path).as_deref(), Some(expected));
        }
    }
}
