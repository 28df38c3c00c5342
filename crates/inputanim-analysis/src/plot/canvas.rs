//! Elements of SVG.

use std::fmt::Write;

use super::Palette;

/// The size of all texts in pixels.
pub(super) const FONT_SIZE: f64 = 11.0;

/// The size of labels inside panels in pixels.
const SMALL_SIZE: f64 = 9.0;

/// The advance widths of the characters from U+0020 to U+007E in DejaVu Sans, in hundredths of the size. This
/// font is wider than most others, so that texts also fit in other fonts.
#[rustfmt::skip]
const WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61,
    69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59,
    82, 59, 59, 52, 64, 34, 64, 84,
];

/// Returns the width of a character, divided by the font size.
fn letter_width(letter: char) -> f64 {
    let hundredths = match letter {
        ' '..='~' => WIDTHS[letter as usize - 0x20],
        // Marks that combine with the character before, joiners, and selectors of variants.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '·' => 32,
        '−' => 84,
        // Latin, Greek, Cyrillic and other alphabets: a little more than their mean.
        '\0'..='\u{10ff}' => 68,
        // Emoji are wider than the squares of East Asian characters, and no other common character is wider than a
        // square.
        '\u{1f000}'..='\u{1faff}' => 125,
        _ => 100,
    };
    f64::from(hundredths) / 100.0
}

/// Returns the width of a string in pixels, or a little more, in the font size of texts outside of panels.
pub(super) fn text_width(text: &str) -> f64 {
    FONT_SIZE * text.chars().map(letter_width).sum::<f64>()
}

/// Returns the width of a string in pixels, or a little more, in the small font size of labels inside of panels.
pub(super) fn small_width(text: &str) -> f64 {
    text_width(text) * SMALL_SIZE / FONT_SIZE
}

/// Shortens a string to a width in pixels. A string that is too long ends with an ellipsis.
pub(super) fn fitted(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for letter in text.chars() {
        cut.push(letter);
        if text_width(&cut) + FONT_SIZE > width {
            cut.pop();
            break;
        }
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Shortens a string to a width in pixels. An ellipsis replaces the middle of a string that is too long, because names of
/// inputs, such as `thumbstick.click` and `thumbstick.touch`, differ at their ends.
pub(super) fn fitted_inside(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let mut available = width - FONT_SIZE;
    let (mut start, mut end) = (0, letters.len());
    // The end gets every second letter, beginning with the last one.
    while start < end {
        let is_at_end = letters.len() - end <= start;
        let letter = letters[if is_at_end { end - 1 } else { start }];
        available -= FONT_SIZE * letter_width(letter);
        if available < 0.0 {
            break;
        }
        if is_at_end {
            end -= 1;
        } else {
            start += 1;
        }
    }
    let [before, after] = [&letters[..start], &letters[end..]].map(String::from_iter);
    format!("{}…{}", before.trim_end(), after.trim_start())
}

/// Splits a string at spaces into at most `max` lines of at most a width in pixels. Text that does not fit is replaced
/// by an ellipsis.
pub(super) fn lines(text: &str, width: f64, max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(" ") + text_width(word) <= width => {
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

/// The sample of an entry of a legend.
#[derive(Clone, Copy)]
pub(super) enum Swatch<'c> {
    /// A curve or a path.
    Line(&'c str),
    /// A dashed path.
    Dashes(&'c str),
    /// Arrows of one or two colours.
    Arrows(&'c [&'c str]),
    /// Bars or bands of one or two colours, with their opacity.
    Band(&'c [&'c str], f64),
    /// The bands of damage.
    Damage,
    /// The start of a path.
    Start,
    /// The end of a path.
    End,
}

/// The distance of two rows of a legend.
const LEGEND_ROW: f64 = 15.0;

/// A builder for the SVG elements of a figure.
pub(super) struct Canvas {
    pub(super) body: String,
    pub(super) palette: Palette,
    /// `true` if the body refers to the pattern of damage.
    has_damage: bool,
}

impl Canvas {
    pub(super) fn new(palette: Palette) -> Canvas {
        Canvas {
            body: String::new(),
            palette,
            has_damage: false,
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

    /// Draws a line. `path` is the SVG path data, the value of the attribute `d`. Draws nothing if it is empty.
    pub(super) fn stroke(&mut self, path: &str, colour: &str) {
        self.stroke_with(path, colour, "");
    }

    /// Draws a dashed line, as [`stroke`](Self::stroke) draws a solid one.
    pub(super) fn stroke_dashed(&mut self, path: &str, colour: &str) {
        self.stroke_with(path, colour, " stroke-dasharray=\"4 3\"");
    }

    fn stroke_with(&mut self, path: &str, colour: &str, attributes: &str) {
        if !path.is_empty() {
            self.push(format_args!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\" \
                 stroke-linejoin=\"round\" stroke-linecap=\"round\"{attributes}/>"
            ));
        }
    }

    /// Draws an arrow, or nothing if an end is not finite. An arrow that is too short for its head is a line.
    pub(super) fn arrow(&mut self, from: [f64; 2], to: [f64; 2], colour: &str) {
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let length = libm::hypot(x, y);
        if !length.is_finite() {
            return;
        }
        let mut path = format!("M{:.1} {:.1}L{:.1} {:.1}", from[0], from[1], to[0], to[1]);
        if length > 6.0 {
            let [x, y] = [x / length, y / length];
            let corner = |side: f64| {
                [
                    to[0] - 4.0 * x - 2.5 * side * y,
                    to[1] - 4.0 * y + 2.5 * side * x,
                ]
            };
            let [left, right] = [-1.0, 1.0].map(corner);
            let _ = write!(
                path,
                "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}",
                left[0], left[1], to[0], to[1], right[0], right[1]
            );
        }
        self.stroke(&path, colour);
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

    /// Draws a small text. `anchor` is the value of the attribute `text-anchor`. An outline in the colour of the
    /// background keeps the text readable on curves.
    pub(super) fn label(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let (text, background) = (escape(text), self.palette.background);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{SMALL_SIZE:.0}\" \
             stroke=\"{background}\" stroke-width=\"2.5\" stroke-linejoin=\"round\" \
             paint-order=\"stroke\">{text}</text>"
        ));
    }

    /// Draws a dashed horizontal line at `y`, for a level that is not measured, such as a threshold.
    pub(super) fn dashes(&mut self, [left, right]: [f64; 2], y: f64) {
        let ink = self.palette.ink;
        self.push(format_args!(
            "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"{ink}\" stroke-opacity=\"0.6\" \
             stroke-dasharray=\"4 3\"/>"
        ));
    }

    /// Draws a band of damage: hatched, so that it differs from all other bands, with a solid upper edge, so that
    /// a band of one pixel is visible.
    pub(super) fn damage(&mut self, [x, end]: [f64; 2], [y, height]: [f64; 2]) {
        self.has_damage = true;
        let width = (end - x).max(1.0);
        let id = self.damage_id();
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"url(#{id})\"/>"
        ));
        self.bar([x, x + width], [y, 3.0], self.palette.damage, 1.0);
    }

    /// Returns the `id` of the SVG pattern for damage. It depends on the theme, because figures of both themes may be
    /// in one document.
    fn damage_id(&self) -> String {
        format!("damage-{}", self.palette.damage.trim_start_matches('#'))
    }

    /// Draws the start of a path as a ring, which does not hide an end at the same place.
    pub(super) fn start_mark(&mut self, [x, y]: [f64; 2], colour: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"1.6\"/>"
        ));
    }

    /// Draws the end of a path as a square.
    pub(super) fn end_mark(&mut self, [x, y]: [f64; 2], colour: &str) {
        let (left, top) = (x - 2.6, y - 2.6);
        let background = self.palette.background;
        self.push(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"5.2\" height=\"5.2\" fill=\"{colour}\" \
             stroke=\"{background}\" stroke-width=\"0.8\"/>"
        ));
    }

    /// Draws the entries of a legend, each with its name. The first one begins at `x`. The row ends at `right`, and
    /// further rows begin at `left`. `y` is the base line of the first row in pixels. Returns the base line of the last
    /// row.
    pub(super) fn legend(
        &mut self,
        entries: &[(Swatch<'_>, &str)],
        mut x: f64,
        mut y: f64,
        [left, right]: [f64; 2],
    ) -> f64 {
        for &(swatch, name) in entries {
            let end = x + 16.0 + text_width(name);
            if end > right && x > left {
                x = left;
                y += LEGEND_ROW;
            }
            self.swatch([x, y], swatch);
            self.text([x + 16.0, y], "start", name);
            x += 16.0 + text_width(name) + 14.0;
        }
        y
    }

    fn swatch(&mut self, [x, y]: [f64; 2], swatch: Swatch<'_>) {
        let middle = [x + 6.0, y - 4.0];
        let ink = self.palette.ink;
        match swatch {
            Swatch::Line(colour) => self.bar([x, x + 12.0], [y - 5.5, 3.0], colour, 1.0),
            Swatch::Dashes(colour) => {
                for x in [x, x + 7.0] {
                    self.bar([x, x + 5.0], [y - 5.5, 3.0], colour, 1.0);
                }
            }
            Swatch::Arrows(colours) => {
                let height = 8.0 / colours.len() as f64;
                for (index, colour) in colours.iter().enumerate() {
                    let y = y - 8.0 + height * (index as f64 + 0.5);
                    self.arrow([x, y], [x + 12.0, y], colour);
                }
            }
            Swatch::Band(colours, opacity) => {
                let width = 12.0 / colours.len() as f64;
                for (index, colour) in colours.iter().enumerate() {
                    let x = x + width * index as f64;
                    self.bar([x, x + width], [y - 9.0, 10.0], colour, opacity);
                }
            }
            Swatch::Damage => self.damage([x, x + 12.0], [y - 9.0, 10.0]),
            Swatch::Start => self.start_mark(middle, ink),
            Swatch::End => self.end_mark(middle, ink),
        }
    }

    /// Returns the complete SVG document with a width and a height in pixels.
    pub(super) fn finish(self, [width, height]: [f64; 2]) -> String {
        let Palette {
            background,
            ink,
            damage,
            ..
        } = self.palette;
        let pattern = if self.has_damage {
            let id = self.damage_id();
            format!(
                "<defs><pattern id=\"{id}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><path d=\"M1 0V5\" stroke=\"{damage}\" stroke-width=\"1.3\"/>\
                 </pattern></defs>\n"
            )
        } else {
            String::new()
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"'DejaVu Sans', sans-serif\" \
             font-size=\"{FONT_SIZE:.0}\" fill=\"{ink}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>\n{pattern}{}</svg>\n",
            self.body
        )
    }
}

/// Escapes a string as text in XML, not as the value of an attribute. Control characters (also line breaks), U+FFFE and
/// U+FFFF become U+FFFD.
fn escape(text: &str) -> String {
    // XML cannot represent these characters, and names of markers can contain them.
    let is_invalid = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(is_invalid, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::super::Theme;
    use super::*;

    #[test]
    fn wide_characters_take_more_width() {
        let width = |text: &str| libm::round(text_width(text) / FONT_SIZE * 100.0);
        assert_eq!(width("il"), 56.0);
        assert_eq!(width("グラブ"), 300.0);
        assert_eq!(width("한국어"), 300.0);
        assert_eq!(width("\u{1f590}\u{fe0f}"), 125.0);
        assert_eq!(width("u\u{308}"), width("u"));
        assert!(width("Привет") > width("Privet") * 0.9);
    }

    #[test]
    fn a_name_that_is_cut_keeps_its_end() {
        let name = "left thumbstick.click";
        assert_eq!(fitted_inside(name, 200.0), name);
        assert_eq!(fitted_inside(name, 96.0), "left thu…ick.click");
        assert_eq!(fitted_inside(name, 20.0), "…k");
        assert_eq!(fitted_inside(name, 0.0), "…");
        assert!(text_width(&fitted_inside("グラブグラブグラブ", 60.0)) <= 60.0);
    }

    #[test]
    fn a_legend_wraps_at_the_right_end() {
        let mut canvas = Canvas::new(Theme::Light.palette());
        let entries = [(Swatch::Line("red"), "first"), (Swatch::End, "second")];
        assert_eq!(canvas.legend(&entries, 50.0, 10.0, [20.0, 300.0]), 10.0);
        assert!(!canvas.body.contains("x=\"36.0\" y=\"25.0\""));
        assert_eq!(canvas.legend(&entries, 50.0, 10.0, [20.0, 120.0]), 25.0);
        assert!(canvas.body.contains("x=\"36.0\" y=\"25.0\""));
    }

    #[test]
    fn texts_are_cut_and_wrapped() {
        assert_eq!(fitted("short", 100.0), "short");
        let cut = fitted("a name that is too long", 70.0);
        assert!(cut.ends_with('…') && text_width(&cut) <= 70.0, "{cut}");
        assert_eq!(lines("one two three", 60.0, 9), ["one two", "three"]);
        assert_eq!(lines("one two three", 60.0, 1), ["one two…"]);
        assert!(lines("", 60.0, 1).is_empty());
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape("a<b & \u{1}c"), "a&lt;b &amp; \u{fffd}c");
    }
}
