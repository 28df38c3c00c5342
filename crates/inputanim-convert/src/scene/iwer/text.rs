//! The JSON of a recording: people copy it from the console of a browser, and files may end early.

use std::borrow::Cow;

use serde::de::Deserialize;
use serde_json::value::RawValue;

use super::IwerError;
use super::read::Document;
use crate::shared::json_text::start_of_object;
use crate::shared::report::counted;
use crate::shared::utf16::text_to_utf8;
use crate::shared::{LossKind, NoteKind, Report};

/// The largest number of JSON strings around the JSON of a recording. `JSON.stringify` of a text makes one.
const MAX_STRINGS: usize = 3;

/// The JSON of a recording, without what is around it.
pub(super) struct Text<'a> {
    json: Cow<'a, [u8]>,
    strings: usize,
    /// The bytes before the JSON.
    before: usize,
    is_cut: bool,
}

impl<'a> Text<'a> {
    /// Finds the JSON in a text, and decodes the strings that contain it.
    pub(super) fn new(text: &'a [u8]) -> Result<Text<'a>, IwerError> {
        let text = text_to_utf8(text);
        let start = start_of_object(&text, &["schema", "frames"]).unwrap_or(0);
        let mut found = Text {
            json: match text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[start..]),
                Cow::Owned(text) => Cow::Owned(text[start..].to_vec()),
            },
            strings: 0,
            before: start,
            is_cut: false,
        };
        while found.json.trim_ascii_start().starts_with(b"\"") && found.strings < MAX_STRINGS {
            found.json = Cow::Owned(found.string()?.into_bytes());
            found.strings += 1;
        }
        Ok(found)
    }

    /// Returns the content of the JSON string. A string that is cut ends where the text ends.
    fn string(&self) -> serde_json::Result<String> {
        let first = |json: &[u8]| {
            let mut strings = serde_json::Deserializer::from_slice(json);
            String::deserialize(&mut strings)
        };
        match first(&self.json) {
            Err(error) if is_at_end(&error, &self.json) => {
                let json = self.json.trim_ascii_end();
                // A cut escape has at most six bytes, such as `\u00e4`, and a cut character at most four.
                let ends = (json.len().saturating_sub(6)..=json.len()).rev();
                let mut complete =
                    ends.filter_map(|end| first(&[&json[..end], b"\""].concat()).ok());
                complete.next().ok_or(error)
            }
            string => string,
        }
    }

    /// Parses the JSON. If it ends inside a frame, the frames before it count. Notes what is around the JSON, and reports the
    /// damage.
    pub(super) fn document(&mut self, report: &mut Report) -> Result<Document<'_>, IwerError> {
        let size = self.json.len();
        let end_of = |json: &[u8]| {
            let mut documents = serde_json::Deserializer::from_slice(json).into_iter::<&RawValue>();
            let document = documents.next().transpose();
            document.map(|_| documents.byte_offset())
        };
        let end = match end_of(&self.json) {
            Err(error) if is_at_end(&error, &self.json) => {
                let frames = complete_frames(&self.json).ok_or(error)?;
                let mut json = self.json[..frames].to_vec();
                json.extend(b"]}");
                self.json = Cow::Owned(json);
                self.is_cut = true;
                let message = format!(
                    "the file ends inside a frame: {} after the last complete frame",
                    counted(size - frames, "byte")
                );
                report.lose(LossKind::Damage, 1, message);
                self.json.len()
            }
            end => end?,
        };
        let after = self.json[end..].trim_ascii().len();
        let mut parts = Vec::new();
        if self.strings > 0 {
            parts.push("it is a string of JSON".to_owned());
        }
        if self.before > 0 {
            parts.push(format!(
                "{} before it ignored",
                counted(self.before, "byte")
            ));
        }
        if after > 0 {
            parts.push(format!("{} after it ignored", counted(after, "byte")));
        }
        if !parts.is_empty() {
            let message = format!("the JSON was copied from other text: {}", parts.join(", "));
            report.note(NoteKind::OtherContent, message);
        }
        Ok(serde_json::from_slice(&self.json[..end])?)
    }
}

/// Returns `true` for an error at the end of JSON that is cut: at the end of the input, or in a number such as `-` there.
fn is_at_end(error: &serde_json::Error, json: &[u8]) -> bool {
    let mut lines = json.split(|&byte| byte == b'\n');
    let last = lines.next_back().unwrap_or_default();
    let is_last = error.line() == lines.count() + 1 && error.column() >= last.len();
    error.is_eof() || is_last
}

/// Returns the offset after the last complete frame of JSON that is cut, or `None` if the list of frames has not begun. The list
/// has to be the second one of the object, because frames cannot be read without the schema.
fn complete_frames(json: &[u8]) -> Option<usize> {
    let (mut depth, mut lists) = (0, 0);
    let mut is_string = false;
    let mut end = None;
    let mut bytes = json.iter().enumerate();
    while let Some((offset, byte)) = bytes.next() {
        match byte {
            // The escaped character does not end the string.
            b'\\' if is_string => drop(bytes.next()),
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => {
                depth += 1;
                // The object of this library is no list.
                if depth == 2 && *byte == b'[' {
                    lists += 1;
                    end = (lists == 2).then_some(offset + 1);
                }
            }
            b']' | b'}' => {
                depth -= 1;
                if depth == 2 && lists == 2 {
                    end = Some(offset + 1);
                }
            }
            _ => {}
        }
    }
    end.filter(|_| lists == 2)
}
