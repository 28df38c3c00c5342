//! Numbers and lists for people.

use std::borrow::Cow;

use textwrap::core::{Word, display_width};
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::results::table::text_columns;

/// Formats a number with its digits in groups of three: `4,512`.
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

/// Formats a count with its noun: `1 key`, `2 keys`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number as u64))
}

/// Formats a size in bytes, in units of 1000: `182 kB`, `1.8 MB`.
pub(crate) fn bytes(size: u64) -> String {
    let mut value = size as f64;
    let mut units = ["bytes", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    // 999.5 would be rounded to 1000.
    while value >= 999.5
        && let Some(larger) = units.next()
    {
        (value, unit) = (value / 1000.0, larger);
    }
    let decimals = usize::from(unit != "bytes" && value < 9.95);
    format!("{value:.decimals$} {unit}")
}

/// Wraps a paragraph at the width of the terminal. The first line follows `first`,
/// whose width is `width` (it may contain colours); the others are indented by it.
pub(crate) fn wrapped(first: &str, width: usize, text: &str) -> String {
    wrapped_at(text_columns(), first, width, text)
}

fn wrapped_at(columns: usize, first: &str, width: usize, text: &str) -> String {
    // Behind a wide label, the paragraph begins on a line of its own.
    const MIN_COLUMNS: usize = 20;
    let (separator, indent) = if width + MIN_COLUMNS <= columns {
        (String::new(), width)
    } else {
        ("\n    ".to_owned(), 4)
    };
    // Names of layouts and files stay in one piece.
    let options = Options::new(columns.saturating_sub(indent).max(MIN_COLUMNS))
        .word_splitter(WordSplitter::NoHyphenation)
        .word_separator(WordSeparator::Custom(words))
        .break_words(false);
    let lines = textwrap::wrap(text, options).join(&format!("\n{:indent$}", ""));
    format!("{first}{separator}{lines}")
}

/// Splits a text into words at spaces. A command in backticks stays one word, because it could not be pasted if it was
/// wrapped.
fn words(text: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut is_quoted = false;
    let mut was_space = false;
    let mut starts = Vec::new();
    for (index, letter) in text.char_indices() {
        if was_space && letter != ' ' && !is_quoted {
            starts.push(index);
        }
        is_quoted ^= letter == '`';
        was_space = letter == ' ';
    }
    let ends = starts.clone().into_iter().chain([text.len()]);
    let starts = [0].into_iter().chain(starts);
    let words = starts.zip(ends).filter(|(start, end)| start < end);
    Box::new(words.map(|(start, end)| Word::from(&text[start..end])))
}

/// Escapes control characters, which could change the terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        text.escape_debug().to_string().into()
    } else {
        text.into()
    }
}

/// Quotes and escapes a name, since it may contain anything. A name that is wider than `columns` is
/// shortened, and its length follows.
pub(crate) fn quoted(name: &str, columns: usize) -> String {
    let fits = |text: &str, columns| display_width(text) <= columns;
    // No letter is wider than its bytes, and few have more than four.
    if name.len() <= 4 * columns {
        let text = format!("{name:?}");
        if fits(&text, columns) {
            return text;
        }
    }
    let length = format!("… ({})", count(name.len(), "byte"));
    let available = columns.saturating_sub(display_width(&length));
    // The name is cut before it is escaped, so that no escape sequence is cut in two.
    let ends = name.char_indices().map(|(end, _)| end).take(available);
    let cut = ends.map(|end| format!("{:?}", &name[..end]));
    let widest = cut.take_while(|text| fits(text, available)).last();
    widest.unwrap_or_default() + &length
}

/// Formats a time in seconds with three decimals.
pub(crate) fn seconds(time: f32) -> String {
    // Damaged recordings have times up to 3e38 s, whose digits would fill half a line.
    if time.abs() < 1e7 {
        format!("{time:.3}")
    } else {
        format!("{time:.3e}")
    }
}

/// Formats a number with three significant digits, and all digits before the point: `0.0123`, `1.23`, `1235`.
pub(crate) fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    // Damaged recordings have values up to 3e38.
    if !(1e-6..1e9).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let decimals = 2 - magnitude.log10().floor() as i32;
    let text = format!("{value:.*}", decimals.max(0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let numbers = [0.0, 12.0, 0.012345, -1.2345, 1234.5, 0.1, 3e38, 99.96];
        let texts = numbers.map(significant);
        let expected = [
            "0", "12", "0.0123", "-1.23", "1234", "0.1", "3.00e38", "100",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0_u64, 999, 1000, 1_743_988].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,743,988"]);
    }

    #[test]
    fn sizes_have_two_or_three_digits() {
        let sizes = [0, 999, 1000, 9_949, 9_950, 181_700, 999_500, 15_600_000_000].map(bytes);
        let expected = [
            "0 bytes",
            "999 bytes",
            "1.0 kB",
            "9.9 kB",
            "10 kB",
            "182 kB",
            "1.0 MB",
            "16 GB",
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn a_paragraph_is_wrapped_between_words() {
        let text = "a name-of-a-file-that-is-longer-than-a-line.bin and more";
        assert_eq!(
            wrapped_at(30, "label  ", 7, text),
            "label  a\n       name-of-a-file-that-is-longer-than-a-line.bin\n       and more"
        );
        // A command stays in one piece.
        assert_eq!(
            wrapped_at(
                30,
                "",
                0,
                "first `inputanim repair a.bin -o b.bin`, then the rest"
            ),
            "first\n`inputanim repair a.bin -o b.bin`,\nthen the rest"
        );
        // A label that is wider than the terminal stands above its paragraph.
        let label = "x".repeat(90);
        assert_eq!(
            wrapped_at(80, &label, 90, "one two"),
            format!("{label}\n    one two")
        );
        assert_eq!(wrapped_at(1, "a", 1, "one two"), "a\n    one two");
    }

    #[test]
    fn a_quoted_name_is_escaped_and_fits_its_columns() {
        assert_eq!(
            quoted("grab \"it\"\x1b[2J", 40),
            r#""grab \"it\"\u{1b}[2J""#
        );
        assert_eq!(quoted("", 40), r#""""#);
        assert_eq!(
            quoted(&"グラブ🖐".repeat(30), 40),
            r#""グラブ🖐グラブ🖐グラブ🖐グラ"… (390 bytes)"#
        );
        for name in ["\n".repeat(100), "x".repeat(39), "x".repeat(10_000)] {
            assert!(display_width(&quoted(&name, 40)) <= 40, "{name}");
        }
    }
}
