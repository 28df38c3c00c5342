//! What a record says.
//!
//! Not by the container's crate: it makes room for names by their lengths before it looks whether
//! there are so many bytes.

use mcap::records::op;

/// The records that matter here, without what does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Record<'a> {
    Schema {
        id: u16,
        name: &'a str,
    },
    Channel {
        id: u16,
        /// 0 is none.
        schema: u16,
        topic: &'a str,
        encoding: &'a str,
    },
    Message {
        channel: u16,
        /// In nanoseconds.
        log_time: u64,
        data: &'a [u8],
    },
}

impl<'a> Record<'a> {
    /// A record from the bytes after its head; none where its fields do not fit into them.
    pub(super) fn of(opcode: u8, bytes: &'a [u8]) -> Option<Record<'a>> {
        let mut fields = Fields(bytes);
        Some(match opcode {
            op::SCHEMA => Record::Schema {
                id: fields.u16()?,
                name: fields.text()?,
            },
            op::CHANNEL => Record::Channel {
                id: fields.u16()?,
                schema: fields.u16()?,
                topic: fields.text()?,
                encoding: fields.text()?,
            },
            op::MESSAGE => {
                let channel = fields.u16()?;
                let _sequence: [u8; 4] = fields.array()?;
                let log_time = u64::from_le_bytes(fields.array()?);
                let _publish_time: [u8; 8] = fields.array()?;
                let data = fields.0;
                Record::Message {
                    channel,
                    log_time,
                    data,
                }
            }
            _ => return None,
        })
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = u32::from_le_bytes(self.array()?);
        let (text, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_their_rest_passed_over() {
        let schema = [
            7, 0, // id
            2, 0, 0, 0, b'a', b'b', // name
            1, 0, 0, 0, b'p', // encoding, and no data
        ];
        let expected = Record::Schema { id: 7, name: "ab" };
        assert_eq!(Record::of(op::SCHEMA, &schema), Some(expected));
        let message = [
            3, 0, // channel
            1, 0, 0, 0, // sequence
            9, 0, 0, 0, 0, 0, 0, 0, // log time
            8, 0, 0, 0, 0, 0, 0, 0, // publish time
            42,
        ];
        let expected = Record::Message {
            channel: 3,
            log_time: 9,
            data: &[42],
        };
        assert_eq!(Record::of(op::MESSAGE, &message), Some(expected));
        assert_eq!(Record::of(op::MESSAGE, &message[..21]), None);
    }

    #[test]
    fn a_name_that_is_not_there_or_no_text_makes_no_record() {
        for schema in [
            &[7, 0, 0xff, 0xff, 0xff, 0xff, b'a'][..],
            &[7, 0, 1, 0, 0, 0, 0xff],
            &[7],
        ] {
            assert_eq!(Record::of(op::SCHEMA, schema), None);
        }
    }
}
