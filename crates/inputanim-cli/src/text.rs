//! Numbers and lists for people.

use std::borrow::Cow;

use inputanim::{Lost, Missing};
use textwrap::{Options, WordSeparator, WordSplitter};

/// Digits in groups of three.
pub(crate) fn grouped(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 key`, `2 keys`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number as u64))
}

/// What is missing of a recording, a line each; parts in a row that were never reached share one.
pub(crate) fn missing(parts: &[Missing]) -> Vec<String> {
    let runs = parts.chunk_by(|a, b| a.lost == Lost::NotReached && b.lost == Lost::NotReached);
    let line = |run: &[Missing]| match run {
        [first, .., last] => {
            let (parts, first, last) = (run.len(), first.part, last.part);
            format!("{first} to {last} ({}): not reached", count(parts, "part"))
        }
        _ => run.iter().map(ToString::to_string).collect(),
    };
    runs.map(line).collect()
}

/// A paragraph in lines of at most 80 characters, the first behind `first` and the rest behind as
/// many blanks; `first` may hold colours, so its width is said.
pub(crate) fn wrapped(first: &str, width: usize, text: &str) -> String {
    // Names of layouts and files stay in one piece.
    let options = Options::new(80 - width).word_splitter(WordSplitter::NoHyphenation);
    let options = options.word_separator(WordSeparator::AsciiSpace);
    let lines = textwrap::wrap(text, options).join(&format!("\n{:width$}", ""));
    format!("{first}{lines}")
}

/// A text whose control characters do nothing to a terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => text.escape_debug().to_string().into(),
        false => text.into(),
    }
}

/// A name in quotation marks, since it may hold anything, even what would move the cursor; a
/// long one cut short.
pub(crate) fn quoted(name: &str) -> String {
    const LETTERS: usize = 60;
    match name.char_indices().nth(LETTERS) {
        None => format!("{name:?}"),
        Some((end, _)) => format!("{:?}… ({})", &name[..end], count(name.len(), "byte")),
    }
}

/// Seconds to the millisecond.
pub(crate) fn seconds(time: f32) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0_u64, 999, 1000, 1_743_988].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,743,988"]);
    }
}
