//! Values at a place of a file.

use inputanim::Pose;

use super::HandsBinError;

/// The bytes of a file, and the place of the next value.
#[derive(Clone)]
pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { bytes, offset: 0 }
    }

    /// Returns the place of the next value.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// Takes a number of bytes. `expected` names the value for errors, such as `the name`.
    fn slice(&mut self, size: usize, expected: &'static str) -> Result<&'a [u8], HandsBinError> {
        let found = self.left();
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let Some((value, _)) = rest.split_at_checked(size) else {
            return Err(HandsBinError::CutOff {
                offset: self.offset,
                expected,
                size,
                found,
            });
        };
        self.offset += size;
        Ok(value)
    }

    fn array<const SIZE: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; SIZE], HandsBinError> {
        let mut value = [0; SIZE];
        value.copy_from_slice(self.slice(SIZE, expected)?);
        Ok(value)
    }

    pub(super) fn skip(
        &mut self,
        size: usize,
        expected: &'static str,
    ) -> Result<(), HandsBinError> {
        self.slice(size, expected).map(|_| ())
    }

    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i32, HandsBinError> {
        self.array(expected).map(i32::from_le_bytes)
    }

    pub(super) fn float(&mut self, expected: &'static str) -> Result<f32, HandsBinError> {
        self.array(expected).map(f32::from_le_bytes)
    }

    /// Returns an integer for which `is_valid` holds. `valid` describes such integers for errors.
    pub(super) fn checked(
        &mut self,
        expected: &'static str,
        valid: &str,
        is_valid: impl FnOnce(i32) -> bool,
    ) -> Result<i32, HandsBinError> {
        let offset = self.offset;
        let value = self.integer(expected)?;
        if is_valid(value) {
            Ok(value)
        } else {
            Err(HandsBinError::Value {
                offset,
                expected: format!("{valid} as {expected}"),
                found: value.to_string(),
            })
        }
    }

    /// Returns flags, which have no other bits than those of `known`. Another bit could change the layout of what follows.
    pub(super) fn flags(
        &mut self,
        expected: &'static str,
        known: i32,
    ) -> Result<i32, HandsBinError> {
        let valid = format!("only the bits of {known:#x}");
        self.checked(expected, &valid, |flags| flags & !known == 0)
    }

    pub(super) fn boolean(&mut self, expected: &'static str) -> Result<bool, HandsBinError> {
        let offset = self.offset;
        match self.array(expected)? {
            [0] => Ok(false),
            [1] => Ok(true),
            [found] => Err(HandsBinError::Value {
                offset,
                expected: format!("0 or 1 as {expected}"),
                found: found.to_string(),
            }),
        }
    }

    pub(super) fn pose(&mut self, expected: &'static str) -> Result<Pose, HandsBinError> {
        let bytes: [u8; POSE] = self.array(expected)?;
        let (numbers, _) = bytes.as_chunks();
        let number = |index: usize| f32::from_le_bytes(numbers[index]);
        Ok(Pose {
            position: std::array::from_fn(number),
            rotation: std::array::from_fn(|index| number(3 + index)),
        })
    }

    /// Returns a text, whose length precedes it.
    pub(super) fn text(&mut self, expected: &'static str) -> Result<&'a str, HandsBinError> {
        let start = self.offset;
        let wrong = |offset: usize, expected: String, found: &str| HandsBinError::Value {
            offset,
            expected,
            found: found.to_owned(),
        };
        let mut size = 0_usize;
        for shift in (0..).step_by(7) {
            let [byte] = self.array("the length of a text")?;
            let bits = usize::from(byte & 0x7f);
            // As in .NET, a length has at most 31 bits.
            if shift > 28 || shift == 28 && bits > 0b111 {
                let expected = format!("the length of {expected} in at most 31 bits");
                return Err(wrong(start, expected, "more"));
            }
            size |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let offset = self.offset;
        let text = self.slice(size, expected)?;
        str::from_utf8(text).map_err(|error| {
            let offset = offset + error.valid_up_to();
            wrong(offset, format!("{expected} as UTF-8"), "another encoding")
        })
    }
}

/// The size of a pose in bytes.
pub(super) const POSE: usize = 28;
