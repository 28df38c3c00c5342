//! Columns from the paths of files: `{participant}/{condition}_{trial}.bin`.

use std::fmt;
use std::str::FromStr;

use inputanim::CurvePath;

use super::{keys, tidy};
use crate::shared::mapping::{MARKER, RECORDING, TIME_S};
use crate::shared::without_extension;

/// A pattern of paths whose placeholders are columns of a table.
///
/// A placeholder is a name in braces, and stands for at least one character of a file or folder name; `{*}`
/// stands for characters that do not become a column. The first placeholders take as few characters as
/// possible. Everything else is compared exactly, but backslashes equal slashes, and the extension of a known
/// format is ignored. A pattern with two parts is compared with the last two parts of a path.
///
/// ```
/// use inputanim_convert::tables::PathPattern;
/// let pattern: PathPattern = "{participant}/{*}_{trial}.bin".parse()?;
/// assert_eq!(pattern.names(), ["participant", "trial"]);
/// let values = pattern.values("study/p01/reach_3.bin");
/// assert_eq!(values, Some(vec!["p01".to_owned(), "3".to_owned()]));
/// assert_eq!(pattern.values("study/p01/other.bin"), None);
/// # Ok::<(), inputanim_convert::tables::InvalidPathPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    text: String,
    /// The parts between slashes.
    parts: Vec<Vec<Piece>>,
    names: Vec<String>,
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A placeholder; `true` if it becomes a column.
    Any(bool),
}

/// A text that is not a pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\": {problem}")]
pub struct InvalidPathPattern {
    text: String,
    problem: String,
}

impl PathPattern {
    /// Returns the names of the columns, in the order of the pattern.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the texts of the columns for a path, in the order of [`names`](Self::names), or `None` if the path does
    /// not match.
    pub fn values(&self, path: &str) -> Option<Vec<String>> {
        let path = path.replace('\\', "/");
        let path: Vec<&str> = without_extension(&path).split('/').collect();
        let last = path.len().checked_sub(self.parts.len())?;
        let mut values = Vec::new();
        for (pieces, text) in self.parts.iter().zip(&path[last..]) {
            values.extend(matches(pieces, text)?);
        }
        Some(values)
    }
}

/// Returns the texts of those placeholders that become columns, or `None` if `text`, a part of a path, does not match.
fn matches(pieces: &[Piece], text: &str) -> Option<Vec<String>> {
    match pieces {
        [] => text.is_empty().then(Vec::new),
        [Piece::Text(start), rest @ ..] => matches(rest, text.strip_prefix(start.as_str())?),
        [Piece::Any(is_column), rest @ ..] => {
            let ends = text.char_indices().map(|(at, char)| at + char.len_utf8());
            let mut found = ends.filter_map(|end| Some((end, matches(rest, &text[end..])?)));
            let (end, mut values) = found.next()?;
            if *is_column {
                values.insert(0, text[..end].to_owned());
            }
            Some(values)
        }
    }
}

impl FromStr for PathPattern {
    type Err = InvalidPathPattern;

    fn from_str(text: &str) -> Result<PathPattern, InvalidPathPattern> {
        let wrong = |problem: String| InvalidPathPattern {
            text: text.to_owned(),
            problem,
        };
        let normal = text.replace('\\', "/");
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for part in without_extension(&normal).split('/') {
            let (mut pieces, mut rest) = (Vec::new(), part);
            while let Some((before, after)) = rest.split_once('{') {
                let (name, after) = after
                    .split_once('}')
                    .ok_or_else(|| wrong("expected `}` after `{`".to_owned()))?;
                let name = name.trim();
                if name.contains('{') {
                    return Err(wrong(format!("expected `}}` before `{{` in \"{{{name}\"")));
                }
                if name != "*" {
                    check_name(name, &names).map_err(wrong)?;
                    names.push(name.to_owned());
                }
                if !before.is_empty() {
                    pieces.push(Piece::Text(before.to_owned()));
                }
                pieces.push(Piece::Any(name != "*"));
                rest = after;
            }
            if !rest.is_empty() {
                pieces.push(Piece::Text(rest.to_owned()));
            }
            parts.push(pieces);
        }
        if names.is_empty() {
            return Err(wrong(
                "expected a column in braces, such as {participant}".to_owned(),
            ));
        }
        Ok(PathPattern {
            text: text.to_owned(),
            parts,
            names,
        })
    }
}

/// Returns a message if `name` cannot become a column: it is empty, already in `names`, or the name of a column that
/// tables have.
fn check_name(name: &str, names: &[String]) -> Result<(), String> {
    let tidy = tidy::names(&crate::table::frames::Columns::all());
    let is_known = [RECORDING, TIME_S, MARKER].contains(&name)
        || keys::column::ALL.contains(&name)
        || tidy.iter().any(|other| other == name)
        || name.parse::<CurvePath>().is_ok();
    if name.is_empty() {
        Err("expected a name in the braces".to_owned())
    } else if is_known {
        Err(format!("the table already has a column \"{name}\""))
    } else if names.iter().any(|other| other == name) {
        Err(format!("duplicate column \"{name}\""))
    } else {
        Ok(())
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, path: &str) -> Option<Vec<String>> {
        pattern.parse::<PathPattern>().unwrap().values(path)
    }

    fn texts(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn placeholders_become_columns() {
        let path = "study\\p01\\s2/reach_slow_3.bin";
        let found = texts(&["p01", "s2", "reach", "slow_3"]);
        assert_eq!(values("{p}/{s}/{task}_{rest}.bin", path), found);
        assert_eq!(values("{p}\\{s}\\{task}_{rest}", path), found);
        assert_eq!(values("{s}/{*}", path), texts(&["s2"]));
        assert_eq!(values("{task}_{*}_{n}.BIN", path), texts(&["reach", "3"]));
        assert_eq!(
            values("p{id}-{n}.bin", "p7-1.iwer.json"),
            texts(&["7", "1"])
        );
        assert_eq!(values("{id}.v2", "ü.v2.bin"), texts(&["ü"]));
    }

    #[test]
    fn paths_that_do_not_match_have_no_columns() {
        for path in ["a.bin", "_a.bin", "a_.bin", "x/a.bin", ""] {
            assert_eq!(values("{a}_{b}.bin", path), None, "{path}");
        }
        assert_eq!(values("{a}/{b}.bin", "b.bin"), None);
    }

    #[test]
    fn names_of_columns_are_checked() {
        let known = [
            "{time_s}",
            "{joint}",
            "{curve}",
            "{recording}",
            "{left.tracked}",
        ];
        for text in ["", "a.bin", "{}", "{a", "{a_{b}", "{a}_{a}", "{*}"]
            .iter()
            .chain(&known)
        {
            assert!(text.parse::<PathPattern>().is_err(), "{text}");
        }
    }
}
