//! A walker over BSON documents (<https://bsonspec.org/spec.html>, version 1.1).
//!
//! A document is a slice of the file. Members are found by walking over it, and a nested document is skipped by its
//! size, so that neither memory nor the stack grows with the input. Every size is checked against the bytes that remain.
//!
//! Damage costs the innermost document or text that contains it. A document whose size is damaged ends at its closing zero
//! byte, which is found by walking over its elements.
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
    /// A text that is not UTF-8.
    Damaged,
    Other,
}

/// The damage of a file, each place once.
#[derive(Debug, Default)]
pub(super) struct Damage(pub(super) Vec<XrorError>);

impl Damage {
    pub(super) fn add(&mut self, error: XrorError) {
        if self.0.len() == MAX_DAMAGE {
            return;
        }
        let message = error.to_string();
        // Members are searched several times.
        if !self.0.iter().any(|known| known.to_string() == message) {
            self.0.push(error);
        }
    }
}

/// The number of damaged places that are counted.
const MAX_DAMAGE: usize = 100;
/// The number of documents inside each other of which one may have a damaged size.
const MAX_DEPTH: usize = 16;

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
            Value::Damaged => "a string that is not UTF-8",
            Value::Other => "another value",
        }
    }
}

impl<'a> Document<'a> {
    /// Parses the bytes of a file as one BSON document. A file that is cut off, or whose size is damaged, is read up to its
    /// end, and the error is added to `damage`. Fails if the bytes are too few for a document.
    pub(super) fn of_file(bytes: &'a [u8], damage: &mut Damage) -> Result<Document<'a>, XrorError> {
        let mut input = Input::new(bytes, 0);
        let size = i32::from_le_bytes(input.array("a size")?);
        let (expected, found) = (usize::try_from(size).unwrap_or(0), bytes.len());
        if expected > found {
            damage.add(XrorError::CutOff { expected, found });
        } else if size < 5 {
            damage.add(error(0, "a size", size.to_string()));
        } else if expected < found {
            let more = format!("{} more bytes", found - expected);
            damage.add(error(expected, "the end of the file", more));
        } else if let [elements @ .., 0] = input.bytes {
            return Ok(Document {
                elements,
                offset: input.offset,
            });
        }
        Ok(Document {
            elements: input.bytes,
            offset: input.offset,
        })
    }

    /// Returns the elements in order. After an error there are no more elements.
    pub(super) fn elements(self) -> impl Iterator<Item = Result<Element<'a>, XrorError>> {
        let mut input = Input::new(self.elements, self.offset);
        std::iter::from_fn(move || {
            if let Some(error) = input.damage.take() {
                return Some(Err(error));
            }
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

    /// Returns the elements of a file in order. After an error, the elements continue at the next of the members `names`.
    /// Errors are added to `damage`.
    pub(super) fn members(self, names: &[&str], damage: &mut Damage) -> Vec<(Element<'a>, usize)> {
        let mut input = Input::new(self.elements, self.offset);
        let mut members = Vec::new();
        while !input.bytes.is_empty() {
            let start = input.offset;
            let element = input.element();
            let error = match element {
                Ok(element) => {
                    members.push((element, input.offset));
                    input.damage.take()
                }
                // The end of a file whose size is damaged.
                Err(_) if self.elements.get(start - self.offset..) == Some(&[0]) => break,
                Err(error) => Some(error),
            };
            let Some(error) = error else { continue };
            damage.add(error);
            let rest = &self.elements[start + 1 - self.offset..];
            let next = (0..rest.len()).find(|&place| {
                let (kind, name) = (rest[place], &rest[place + 1..]);
                let is_member = |known: &&str| {
                    let name = name.strip_prefix(known.as_bytes());
                    name.is_some_and(|rest| rest.first() == Some(&0))
                };
                (0x03..=0x05).contains(&kind) && names.iter().any(is_member)
            });
            let Some(next) = next else { break };
            input = Input::new(&rest[next..], start + 1 + next);
        }
        members
    }

    /// Returns the value of the first member with a name; `None` if the document has no such member. An error before it is
    /// added to `damage`.
    pub(super) fn member(self, name: &str, damage: &mut Damage) -> Option<Value<'a>> {
        for element in self.elements() {
            match element {
                Ok(element) if element.name == name => {
                    if let Value::Damaged = element.value {
                        damage.add(error(
                            self.offset,
                            "a string in UTF-8",
                            format!("other bytes in {name}"),
                        ));
                    }
                    return Some(element.value);
                }
                Ok(_) => {}
                Err(error) => damage.add(error),
            }
        }
        None
    }

    /// Returns the text of the first member with a name; `None` if this member is missing or not a text.
    pub(super) fn text(self, name: &str, damage: &mut Damage) -> Option<&'a str> {
        match self.member(name, damage) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// The bytes that are not read yet.
struct Input<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// The error of the last element, which was read nevertheless.
    damage: Option<XrorError>,
    /// The number of documents with damaged sizes that may still be inside each other.
    depth: usize,
}

impl<'a> Input<'a> {
    fn new(bytes: &'a [u8], offset: usize) -> Input<'a> {
        Input {
            bytes,
            offset,
            damage: None,
            depth: MAX_DEPTH,
        }
    }

    fn element(&mut self) -> Result<Element<'a>, XrorError> {
        let start = self.offset;
        let [kind] = self.array("the kind of an element")?;
        let name = self.name()?;
        let value = match kind {
            0x01 => Value::Number(f64::from_le_bytes(self.array("a double")?)),
            // A symbol and code have the form of a string.
            0x02 => self.text()?.map_or(Value::Damaged, Value::Text),
            0x0d | 0x0e => {
                self.text()?;
                Value::Other
            }
            0x03 => Value::Document(self.document()?),
            0x04 => Value::Array(self.document()?),
            0x05 => {
                let size = self.size()?;
                self.take(1, "the kind of binary data")?;
                if size > self.bytes.len() {
                    let found = format!("{} of {size} bytes", self.bytes.len());
                    self.damage = Some(self.error("binary data", found));
                }
                let available = size.min(self.bytes.len());
                Value::Binary(self.take(available, "binary data")?)
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

    /// Reads the next document: a size of four bytes, which counts itself too, the elements, and a zero byte. If the size is
    /// damaged, the document ends at its zero byte, or with the bytes around it.
    fn document(&mut self) -> Result<Document<'a>, XrorError> {
        let start = self.offset;
        let size = i32::from_le_bytes(self.array("a size")?);
        let offset = self.offset;
        let length = usize::try_from(size)
            .ok()
            .and_then(|size| size.checked_sub(5));
        if let Some(length) = length
            && self.bytes.get(length) == Some(&0)
        {
            let elements = self.take(length, "a document of BSON")?;
            self.take(1, "a 0")?;
            return Ok(Document { elements, offset });
        }
        self.damage = Some(error(
            start,
            "a document of BSON",
            format!("the size {size}"),
        ));
        let length = self.document_length().unwrap_or(self.bytes.len());
        let elements = self.take(length, "a document of BSON")?;
        if !self.bytes.is_empty() {
            self.take(1, "a 0")?;
        }
        Ok(Document { elements, offset })
    }

    /// Returns the length of the elements up to the zero byte that ends their document; `None` if one of them is damaged.
    fn document_length(&self) -> Option<usize> {
        let mut inner = Input {
            bytes: self.bytes,
            offset: self.offset,
            damage: None,
            depth: self.depth.checked_sub(1)?,
        };
        while *inner.bytes.first()? != 0 {
            inner.element().ok()?;
        }
        Some(inner.offset - self.offset)
    }

    /// Reads a text; `None` if it is not UTF-8. If its size is damaged, it ends at the next zero byte.
    fn text(&mut self) -> Result<Option<&'a str>, XrorError> {
        let start = self.offset;
        let size = i32::from_le_bytes(self.array("a size")?);
        let length = usize::try_from(size)
            .ok()
            .and_then(|size| size.checked_sub(1));
        let text = match length.filter(|&length| self.bytes.get(length) == Some(&0)) {
            Some(length) => {
                let text = self.take(length, "a string")?;
                self.take(1, "a 0")?;
                text
            }
            None => {
                let end = self.bytes.iter().position(|&byte| byte == 0);
                let end =
                    end.ok_or_else(|| error(start, "a string with a 0 at its end", "none"))?;
                self.damage = Some(error(start, "a string", format!("the size {size}")));
                let text = self.take(end, "a string")?;
                self.take(1, "a 0")?;
                text
            }
        };
        Ok(str::from_utf8(text).ok())
    }

    /// Reads the name of an element, which is UTF-8 and ends with a zero byte.
    fn name(&mut self) -> Result<&'a str, XrorError> {
        let start = self.offset;
        let end = self.bytes.iter().position(|&byte| byte == 0);
        let end = end.ok_or_else(|| error(start, "a name with a 0 at its end", "none"))?;
        let name = self.take(end, "a name")?;
        self.take(1, "a 0")?;
        Ok(str::from_utf8(name).unwrap_or_else(|_| {
            self.damage = Some(error(start, "a name in UTF-8", "other bytes"));
            ""
        }))
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
