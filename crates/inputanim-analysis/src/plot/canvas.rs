//! Elements of SVG.

use std::fmt::Write;

use super::Palette;

/// The size of all texts in pixels.
pub(super) const FONT_SIZE: f64 = 11.0;

/// The mean width of a letter in DejaVu Sans, which is wider than most fonts.
const LETTER: f64 = 6.7;

/// Returns the width of a text, or a little more.
pub(super) fn text_width(text: &str) -> f64 {
    // Letters of East Asian scripts are squares. No other common letter is wider than one.
    let letter = |letter: char| {
        if u32::from(letter) >= 0x1100 {
            FONT_SIZE
        } else {
            LETTER
        }
    };
    text.chars().map(letter).sum()
}

/// Returns a text that fits a width; a longer one is cut and ends with an ellipsis.
pub(super) fn fitted(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for letter in text.chars() {
        cut.push(letter);
        if text_width(&cut) + LETTER > width {
            cut.pop();
            break;
        }
    }
    cut.push('…');
    cut
}

/// Splits a text into lines of a width at spaces, at most `max` of them.
pub(super) fn lines(text: &str, width: f64, max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(word) + LETTER <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > max {
        lines.truncate(max);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines.iter().map(|line| fitted(line, width)).collect()
}

/// A figure that is drawn.
pub(super) struct Canvas {
    pub(super) body: String,
    pub(super) palette: Palette,
}

impl Canvas {
    pub(super) fn new(palette: Palette) -> Canvas {
        Canvas {
            body: String::new(),
            palette,
        }
    }

    pub(super) fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let text = escape(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub(super) fn heading(&mut self, [x, y]: [f64; 2], text: &str) {
        let text = escape(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-weight=\"bold\">{text}</text>"
        ));
    }

    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], opacity: f64) {
        let ink = self.palette.ink;
        self.push(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{ink}\" stroke-opacity=\"{opacity}\"/>",
            from[0], from[1], to[0], to[1]
        ));
    }

    /// Draws a line of many points; nothing without any.
    pub(super) fn stroke(&mut self, path: &str, colour: &str) {
        if !path.is_empty() {
            self.push(format_args!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
            ));
        }
    }

    pub(super) fn bar(
        &mut self,
        [x, end]: [f64; 2],
        [y, height]: [f64; 2],
        fill: &str,
        opacity: f64,
    ) {
        let width = (end - x).max(0.5);
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{fill}\" fill-opacity=\"{opacity}\"/>"
        ));
    }

    /// Draws a short line in a colour and its name; returns the end.
    pub(super) fn legend(&mut self, [x, y]: [f64; 2], colour: &str, name: &str) -> f64 {
        self.bar([x, x + 12.0], [y - 5.5, 3.0], colour, 1.0);
        self.text([x + 16.0, y], "start", name);
        x + 16.0 + text_width(name) + 14.0
    }

    /// Returns the SVG document.
    pub(super) fn finish(self, [width, height]: [f64; 2]) -> String {
        let Palette {
            background, ink, ..
        } = self.palette;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"'DejaVu Sans', sans-serif\" \
             font-size=\"{FONT_SIZE:.0}\" fill=\"{ink}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Escapes a text for XML.
fn escape(text: &str) -> String {
    // XML has no form for these characters, and names of markers can contain them.
    let is_invalid = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(is_invalid, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_wrapped() {
        assert_eq!(fitted("short", 100.0), "short");
        let cut = fitted("a name that is too long", 70.0);
        assert!(cut.ends_with('…') && text_width(&cut) <= 77.0, "{cut}");
        assert_eq!(lines("one two three", 60.0, 9), ["one two", "three"]);
        assert_eq!(lines("one two three", 60.0, 1), ["one two…"]);
        assert!(lines("", 60.0, 1).is_empty());
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape("a<b & \u{1}c"), "a&lt;b &amp; \u{fffd}c");
    }
}
