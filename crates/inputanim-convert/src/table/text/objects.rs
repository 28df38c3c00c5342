//! JSON objects: one per line, or the elements of one array.

use std::io::BufRead;

use super::Lines;
use crate::table::table_error::{Place, TableError};

/// Reads the text of one object after the other, with memory for one of them.
///
/// If the text begins with `[`, the objects are the elements of an array, and each may continue over several
/// lines. Otherwise each line is an object, so that reading can continue after a line that is damaged.
#[derive(Debug)]
pub(crate) struct Objects<R> {
    lines: Lines<R>,
    /// `None` until the first character is known.
    is_array: Option<bool>,
    /// The element of an array.
    element: Vec<u8>,
    /// The number of bytes of the line that belong to earlier elements.
    parsed: usize,
    /// The line in which the object starts.
    line: u64,
}

impl<R: BufRead> Objects<R> {
    /// Creates a reader of objects of at most `limit` bytes.
    pub(crate) fn new(input: R, limit: usize) -> Objects<R> {
        Objects {
            lines: Lines::new(input, limit),
            is_array: None,
            element: Vec::new(),
            parsed: 0,
            line: 0,
        }
    }

    /// Reads the next object, and returns `false` at the end of the input.
    pub(crate) fn advance(&mut self) -> Result<bool, TableError> {
        while self.is_array != Some(true) {
            let is_there = self.lines.advance()?;
            self.line = self.lines.number();
            if !is_there {
                return Ok(false);
            }
            let bytes = self.lines.bytes();
            let Some(start) = bytes.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                continue;
            };
            if *self.is_array.get_or_insert(bytes[start] == b'[') {
                self.parsed = start + 1;
            } else {
                return Ok(true);
            }
        }
        self.advance_element()
    }

    fn advance_element(&mut self) -> Result<bool, TableError> {
        self.element.clear();
        let (mut depth, mut is_text, mut is_escaped) = (0_i32, false, false);
        loop {
            let Some(&byte) = self.lines.bytes().get(self.parsed) else {
                // If the input ends within an element of an array, parsing the element gives the error.
                if !self.lines.advance()? {
                    return Ok(!self.element.is_empty());
                }
                self.parsed = 0;
                continue;
            };
            self.parsed += 1;
            if self.element.is_empty() {
                match byte {
                    b',' => continue,
                    b']' => {
                        self.lines.stop();
                        return Ok(false);
                    }
                    _ if byte.is_ascii_whitespace() => continue,
                    _ => self.line = self.lines.number(),
                }
            }
            self.element.push(byte);
            self.lines.check(self.line, self.element.len())?;
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = is_text,
                b'"' => is_text = !is_text,
                b'{' | b'[' if !is_text => depth += 1,
                b'}' | b']' if !is_text => depth -= 1,
                _ => {}
            }
            if depth <= 0 && !is_text {
                return Ok(true);
            }
        }
    }

    /// Returns the text of the current object without surrounding white space. Fails if it is not UTF-8.
    pub(crate) fn text(&self) -> Result<&str, TableError> {
        if self.is_array != Some(true) {
            return self.lines.text();
        }
        let line = self.line;
        str::from_utf8(&self.element).map_err(|_| TableError::Encoding { line })
    }

    /// Returns the number of the line in which the current object starts, counted from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the line in which the current object starts, for errors.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// Returns `true` if the last line that was read has no line ending, because the input ended. The current object
    /// may then be incomplete.
    pub(crate) fn is_truncated(&self) -> bool {
        self.lines.is_truncated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> Vec<(u64, String)> {
        let mut objects = Objects::new(text.as_bytes(), 100);
        let mut found = Vec::new();
        while objects.advance().unwrap() {
            found.push((objects.line(), objects.text().unwrap().to_owned()));
        }
        assert!(!objects.advance().unwrap());
        found
    }

    fn owned(objects: &[(u64, &str)]) -> Vec<(u64, String)> {
        let owned = objects.iter().map(|&(line, text)| (line, text.to_owned()));
        owned.collect()
    }

    #[test]
    fn objects_are_lines_or_elements_of_an_array() {
        let lines = objects("\n {\"a\":1}\nx\n");
        assert_eq!(lines, owned(&[(2, "{\"a\":1}"), (3, "x")]));
        let text = "\n[ {\"a\":[1,\n{}]}, {\"b\":\"]}\\\"\"}\n,1]\n{}";
        let expected = [(2, "{\"a\":[1,\n{}]}"), (3, "{\"b\":\"]}\\\"\"}"), (4, "1")];
        assert_eq!(objects(text), owned(&expected));
        assert_eq!(objects("[]"), []);
        assert_eq!(objects("[{},{"), owned(&[(1, "{}"), (1, "{")]));
    }

    #[test]
    fn an_element_that_never_ends_is_not_read_to_its_end() {
        let text = "[{\n".to_owned() + &"\"\",\n".repeat(100);
        let mut objects = Objects::new(text.as_bytes(), 100);
        let error = objects.advance().unwrap_err();
        assert!(
            matches!(error, TableError::LineTooLong { line: 1, .. }),
            "{error}"
        );
        assert!(!objects.advance().unwrap());
    }
}
