//! Writes HDF5 files with the fewest structures: a superblock of version 2, headers of version 2, contiguous data.

/// An HDF5 file that grows.
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

/// The address of an object header.
pub(super) type Address = u64;

/// A message of an object header: its type and its data.
pub(super) type Message = (u8, Vec<u8>);

pub(super) const UNDEFINED: u64 = u64::MAX;

/// The type of a little-endian float of 32 bits.
pub(super) const F32: [u8; 20] = [
    0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0,
];

impl Writer {
    pub(super) fn new() -> Writer {
        Writer { bytes: vec![0; 48] }
    }

    /// Writes the superblock, and returns the file.
    pub(super) fn finish(mut self, root: Address) -> Vec<u8> {
        let mut block = b"\x89HDF\r\n\x1a\n\x02\x08\x08\0".to_vec();
        for number in [0, UNDEFINED, self.bytes.len() as u64, root] {
            block.extend(number.to_le_bytes());
        }
        self.bytes[..block.len()].copy_from_slice(&block);
        self.bytes
    }

    /// Writes data, and returns their address.
    pub(super) fn data(&mut self, data: &[u8]) -> Address {
        let address = self.bytes.len() as u64;
        self.bytes.extend(data);
        address
    }

    /// Writes an object header.
    pub(super) fn object(&mut self, messages: &[Message]) -> Address {
        let messages = messages.iter().flat_map(|(kind, data)| {
            let size = (data.len() as u16).to_le_bytes();
            let head = [*kind, size[0], size[1], 0];
            head.into_iter().chain(data.iter().copied())
        });
        let messages: Vec<u8> = messages.collect();
        let mut header = b"OHDR\x02\x02".to_vec();
        header.extend((messages.len() as u32).to_le_bytes());
        header.extend(messages);
        // The checksum, which is not compared.
        header.extend([0; 4]);
        self.data(&header)
    }

    /// Writes a dataset of floats of 32 bits.
    pub(super) fn floats(&mut self, shape: &[u64], floats: &[f32]) -> Address {
        let data: Vec<u8> = floats
            .iter()
            .flat_map(|float| float.to_le_bytes())
            .collect();
        let address = self.data(&data);
        let layout = layout(address, data.len() as u64);
        self.object(&[dataspace(shape), (0x03, F32.to_vec()), layout])
    }
}

/// A dataspace message.
pub(super) fn dataspace(shape: &[u64]) -> Message {
    let mut data = vec![2, shape.len() as u8, 0, 1];
    data.extend(shape.iter().flat_map(|size| size.to_le_bytes()));
    (0x01, data)
}

/// The layout message of contiguous data.
pub(super) fn layout(address: Address, size: u64) -> Message {
    let mut data = vec![3, 1];
    data.extend(
        [address, size]
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    (0x08, data)
}

/// A hard link.
pub(super) fn link(name: &str, address: Address) -> Message {
    let mut data = vec![1, 0, name.len() as u8];
    data.extend(name.bytes());
    data.extend(address.to_le_bytes());
    (0x06, data)
}

/// An attribute with a text of fixed length.
pub(super) fn attribute(name: &str, text: &str) -> Message {
    let sizes = [name.len() + 1, 8, 4].map(|size| (size as u16).to_le_bytes());
    let mut data = vec![3, 0];
    data.extend(sizes.as_flattened());
    data.push(1);
    data.extend(name.bytes());
    data.extend([0, 0x13, 0x10, 0, 0]);
    data.extend((text.len() as u32).to_le_bytes());
    data.extend([2, 0, 0, 0]);
    data.extend(text.bytes());
    (0x0c, data)
}
