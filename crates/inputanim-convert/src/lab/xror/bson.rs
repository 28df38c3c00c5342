//! A walker over BSON documents (<https://bsonspec.org/spec.html>, version 1.1).
//!
//! A document is a slice of the file. Members are found by walking over it, and a nested document is skipped by its
//! size, so that neither memory nor the stack grows with the input. Every size is checked against the bytes that remain.
//!
//! The crate `bson` 3.1 is not used, because it and its dependencies are 42 crates, whose release build takes 34 s of
//! processor time.

use super::XrorError;

/// The elements of a document or an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document<'a> {
    /// The elements, without the size and the 0 at the end.
    elements: &'a [u8],
    /// The offset of the elements in the file.
    offset: usize,
}

/// A member of a document, or an element of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    /// The name; for an array, the index in digits.
    pub(super) name: &'a str,
    pub(super) value: Value<'a>,
}

/// A value. Kinds that XROR does not use are [`Other`](Value::Other).
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Text(&'a str),
    Document(Document<'a>),
    Array(Document<'a>),
    Binary(&'a [u8]),
    Number(f64),
    /// Milliseconds since 1970.
    Time(i64),
    Null,
    Other,
}

impl Value<'_> {
    /// Returns the kind of the value for error messages, such as `a string`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Document(_) => "a document",
            Value::Array(_) => "an array",
            Value::Binary(_) => "binary data",
            Value::Number(_) => "a number",
            Value::Time(_) => "a time",
            Value::Null => "null",
            Value::Other => "another value",
        }
    }
}

impl<'a> Document<'a> {
    /// Parses the bytes of a file as one BSON document. Fails if the file is cut off, or if more bytes follow the
    /// document.
    pub(super) fn of_file(bytes: &'a [u8]) -> Result<Document<'a>, XrorError> {
        let mut input = Input { bytes, offset: 0 };
        if let Some(size) = bytes.first_chunk() {
            let expected = usize::try_from(i32::from_le_bytes(*size)).unwrap_or(0);
            let found = bytes.len();
            if expected > found {
                return Err(XrorError::CutOff { expected, found });
            }
        }
        let document = input.document()?;
        match input.bytes {
            [] => Ok(document),
            rest => Err(input.error("the end of the file", format!("{} more bytes", rest.len()))),
        }
    }

    /// Returns the elements in order. After an error there are no more elements.
    pub(super) fn elements(self) -> impl Iterator<Item = Result<Element<'a>, XrorError>> {
        let mut input = Input {
            bytes: self.elements,
            offset: self.offset,
        };
        std::iter::from_fn(move || {
            if input.bytes.is_empty() {
                return None;
            }
            let element = input.element();
            if element.is_err() {
                input.bytes = &[];
            }
            Some(element)
        })
    }

    /// Returns the value of the first member with a name; `None` if the document has no such member.
    pub(super) fn member(self, name: &str) -> Result<Option<Value<'a>>, XrorError> {
        for element in self.elements() {
            let element = element?;
            if element.name == name {
                return Ok(Some(element.value));
            }
        }
        Ok(None)
    }

    /// Returns the text of the first member with a name; `None` if this member is missing or not a text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, XrorError> {
        Ok(match self.member(name)? {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        })
    }
}

/// The bytes that are not read yet.
struct Input<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Input<'a> {
    fn element(&mut self) -> Result<Element<'a>, XrorError> {
        let start = self.offset;
        let [kind] = self.array("the kind of an element")?;
        let name = self.name()?;
        let value = match kind {
            0x01 => Value::Number(f64::from_le_bytes(self.array("a double")?)),
            // A symbol and code have the form of a string.
            0x02 => Value::Text(self.text()?),
            0x0d | 0x0e => {
                self.text()?;
                Value::Other
            }
            0x03 => Value::Document(self.document()?),
            0x04 => Value::Array(self.document()?),
            0x05 => {
                let size = self.size()?;
                self.take(1, "the kind of binary data")?;
                Value::Binary(self.take(size, "binary data")?)
            }
            0x0a => Value::Null,
            0x06 | 0x7f | 0xff => Value::Other,
            0x10 => Value::Number(i32::from_le_bytes(self.array("an integer")?).into()),
            0x12 => Value::Number(i64::from_le_bytes(self.array("an integer")?) as f64),
            0x09 => Value::Time(i64::from_le_bytes(self.array("a time")?)),
            // Truth values, counters and identifiers.
            0x08 => self.other(1)?,
            0x11 => self.other(8)?,
            0x07 => self.other(12)?,
            0x13 => self.other(16)?,
            // A regular expression, a pointer, and code with its scope.
            0x0b => {
                self.name()?;
                self.name()?;
                Value::Other
            }
            0x0c => {
                self.text()?;
                self.other(12)?
            }
            0x0f => {
                let size = self.size()?;
                let rest = size.checked_sub(4);
                let rest = rest.ok_or_else(|| self.error("code", format!("the size {size}")))?;
                self.other(rest)?
            }
            _ => {
                let found = format!("the kind {kind:#04x}");
                return Err(error(start, "an element of BSON", found));
            }
        };
        Ok(Element { name, value })
    }

    /// Reads the next document: a size of four bytes, which counts itself too, the elements, and a zero byte.
    fn document(&mut self) -> Result<Document<'a>, XrorError> {
        let start = self.offset;
        let size = self.size()?;
        let found = || format!("the size {size}");
        let rest = size.checked_sub(4).filter(|&rest| rest > 0);
        let rest = rest.ok_or_else(|| error(start, "a document of BSON", found()))?;
        let offset = self.offset;
        match self.take(rest, "a document of BSON")? {
            [elements @ .., 0] => Ok(Document { elements, offset }),
            _ => Err(error(
                self.offset - 1,
                "a 0 at the end of the document",
                "another byte",
            )),
        }
    }

    fn text(&mut self) -> Result<&'a str, XrorError> {
        let start = self.offset;
        let size = self.size()?;
        match self.take(size, "a string")? {
            [text @ .., 0] => {
                str::from_utf8(text).map_err(|_| error(start, "a string in UTF-8", "other bytes"))
            }
            _ => Err(error(start, "a string with a 0 at its end", "none")),
        }
    }

    /// Reads the name of an element, which is UTF-8 and ends with a zero byte.
    fn name(&mut self) -> Result<&'a str, XrorError> {
        let start = self.offset;
        let end = self.bytes.iter().position(|&byte| byte == 0);
        let end = end.ok_or_else(|| error(start, "a name with a 0 at its end", "none"))?;
        let name = self.take(end, "a name")?;
        self.take(1, "a 0")?;
        str::from_utf8(name).map_err(|_| error(start, "a name in UTF-8", "other bytes"))
    }

    fn size(&mut self) -> Result<usize, XrorError> {
        let start = self.offset;
        let size = i32::from_le_bytes(self.array("a size")?);
        usize::try_from(size).map_err(|_| error(start, "a size", size.to_string()))
    }

    fn other(&mut self, size: usize) -> Result<Value<'a>, XrorError> {
        self.take(size, "a value")?;
        Ok(Value::Other)
    }

    fn array<const SIZE: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; SIZE], XrorError> {
        let mut array = [0; SIZE];
        array.copy_from_slice(self.take(SIZE, expected)?);
        Ok(array)
    }

    fn take(&mut self, size: usize, expected: &'static str) -> Result<&'a [u8], XrorError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(size) else {
            let found = format!("{} of {size} bytes", self.bytes.len());
            return Err(self.error(expected, found));
        };
        self.bytes = rest;
        self.offset += size;
        Ok(taken)
    }

    fn error(&self, expected: &'static str, found: impl Into<String>) -> XrorError {
        error(self.offset, expected, found)
    }
}

fn error(offset: usize, expected: &'static str, found: impl Into<String>) -> XrorError {
    XrorError::Bson {
        offset,
        expected,
        found: found.into(),
    }
}
