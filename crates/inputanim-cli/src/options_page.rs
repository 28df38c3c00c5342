//! The page docs/options.md, generated from the definition of the command line.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory};
use snapbox::{assert_data_eq, file};

/// An option of at least this number of commands has a column of its own.
const SHARED: usize = 3;

/// Returns the name and the own options of each command, sorted by name of the option. `prefix` is the name of the
/// parent command, as in `markers add`.
fn commands(command: &Command, prefix: &str) -> Vec<(String, Vec<Arg>)> {
    let mut commands = Vec::new();
    for verb in command.get_subcommands() {
        let name = format!("{prefix}{}", verb.get_name());
        if verb.has_subcommands() {
            commands.extend(self::commands(verb, &format!("{name} ")));
            continue;
        }
        let options = verb.get_arguments().filter(|option| {
            let is_own = !option.is_global_set() && !option.is_hide_set();
            let is_built_in = matches!(option.get_long(), None | Some("help" | "version"));
            is_own && !option.is_positional() && !is_built_in
        });
        let mut options: Vec<Arg> = options.cloned().collect();
        options.sort_by_key(|option| option.get_long().map(str::to_owned));
        commands.push((name, options));
    }
    commands
}

/// Returns the short and long name of an option: `-o, --output`.
fn names(option: &Arg) -> String {
    let long = option.get_long().unwrap_or_default();
    match option.get_short() {
        Some(short) => format!("`-{short}, --{long}`"),
        None => format!("`--{long}`"),
    }
}

fn page() -> String {
    let commands = commands(&crate::Program::command(), "");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, options) in &commands {
        for option in options {
            *counts.entry(names(option)).or_default() += 1;
        }
    }
    let mut shared: Vec<(usize, String)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= SHARED)
        .map(|(name, count)| (count, name))
        .collect();
    shared.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let shared: Vec<String> = shared.into_iter().map(|(_, name)| name).collect();

    let mut page = String::from(INTRODUCTION);
    page += &format!("| command | {} |\n", shared.join(" | "));
    page += &format!("|---|{}\n", ":-:|".repeat(shared.len()));
    for (command, options) in &commands {
        let has = |name: &String| options.iter().any(|option| names(option) == *name);
        let marks = shared.iter().map(|name| if has(name) { "•" } else { "" });
        page += &format!(
            "| `{command}` | {} |\n",
            marks.collect::<Vec<_>>().join(" | ")
        );
    }
    page += "\n## Other options\n\n| command | options |\n|---|---|\n";
    for (command, options) in &commands {
        let others = options
            .iter()
            .map(names)
            .filter(|name| !shared.contains(name));
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            page += &format!("| `{command}` | {} |\n", others.join(", "));
        }
    }
    page += ENDING;
    page
}

const INTRODUCTION: &str = "\
# Options

This page explains the options that several commands share, and lists the options of every command.
[commands.md](commands.md) describes each command with its own options.

These options have the same meaning in every command that has them, except for those in the table below:

- `-o` names the output, `-f` replaces existing files, `-r` searches folders, and `-j` limits the number of
  files that are processed at the same time.
- `-q` turns off the summary. Warnings, notes and errors are still printed. Only `diff -q` is different: it prints no
  result and no warnings. Its exit code shows the result.
- `--time A..B` restricts a command to a time range. Times are written as `1.5` or `1.5s`, `500ms`, `1:30`
  or `0:01:30.5`. `1.5` counts from t = 0. `+1.5` counts from the start of the recording, which is t = 0 or, if it is
  earlier, the first key. `-1.5` counts back from the end. `@-1.5` is the time −1.5 s. Both ends of a range are
  optional. Durations accept the same units: `1.5`, `1.5s` or `500ms`.
- `--joints NAME,...` selects streams and joints, and `--exclude NAME,...` removes some of them. Names are
  `head`, `gaze`, `left`, `right`, `hands`, `left.tracked`, `left.pinching`, `left.Palm`, and
  `Palm` for both hands. Case, hyphens and underscores do not matter; `*` and `?` are wildcards.
- `--hand` selects `left`, `right` or `both` hands. The values of `split --at-gaps` are also `left`, `right` and `both`.
- `--format` selects the output format of commands that print results, such as `table` or `json`.
- `--path-pattern` adds columns from the paths of the recordings to a table. `plot` shows them in a contact sheet.
- `--parameter NAME=VALUE` sets a parameter of an analysis, and `--targets FILE` reads targets.
  [analysis.md](analysis.md) lists the parameters and describes targets.
- In `diff`, `--position`, `--rotation`, `--timing` and `--duration` are tolerances: differences
  within them count as equal. In `reduce`, `--position` and `--rotation` limit the error of the output.

The meaning of these options depends on the command:

| option | command | meaning |
|---|---|---|
| `--space` | `sample` | the axes of the printed frames |
| `--space` | `record` | the axes of the frames that are read |
| `--space` | `convert` to a wide or tidy table | the axes of the output table; the axes of IN are set with `--input-space` |
| `--space` | `convert` from glTF or a table to another format | the axes of IN |
| `--rate` | `sample`, `convert`, `resample` | the samples per second |
| `--rate` | `record` | the largest number of frames per second; changes of states are always recorded |
| `--rate` | `generate` | the frames per second |
| `--rate` | `stats`, `events`, `plot` | the samples per second at which recordings are analysed |
| `--time` | `events` | only events that begin in this time range; the analysis uses the complete recording |
| `-r` | `view` | also the recordings in subfolders; without it, a folder shows the recordings directly in it |
| `--at` | `sample` | the times to sample |
| `--at` | `split` | the times at which the recording is divided |
| `--at` | `markers add` | the time and the name of the new marker |
| `--input-format` | `record` | the format of the frames |

Every command also has `--help`, `--color` and `--no-limits`.

## Shared options

";

const ENDING: &str = "\n\
This page is generated from the definition of the command line, and a test compares both. After a change of
an option, `SNAPSHOTS=overwrite cargo test -p inputanim-cli --features full options_page` writes the page again.
";

#[test]
fn the_page_of_options_shows_the_options_of_every_command() {
    assert_data_eq!(page(), file!["../../../docs/options.md"].raw());
}

#[test]
fn options_with_one_name_have_one_short_name() {
    let mut short_names: BTreeMap<String, Option<char>> = BTreeMap::new();
    for (command, options) in commands(&crate::Program::command(), "") {
        for option in options {
            let long = option.get_long().unwrap_or_default().to_owned();
            let short = option.get_short();
            let known = *short_names.entry(long.clone()).or_insert(short);
            assert_eq!(known, short, "--{long} of {command}");
        }
    }
}
