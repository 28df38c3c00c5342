//! Reads numbers from buffers.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::scene::gltf::container;
use crate::scene::gltf::document::{Accessor, Document, Index, component};

use crate::scene::gltf::error::ChannelFault as Fault;
use crate::shared::FileAccess;

/// The buffers of a file, each read when it is first needed.
pub(super) struct Buffers<'d> {
    document: &'d Document,
    /// The binary chunk of a `.glb` file.
    binary: Option<&'d [u8]>,
    read: Vec<Option<Cow<'d, [u8]>>>,
}

/// The requirements for an accessor.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    /// The number of components of an element.
    pub(super) width: usize,
    /// True if normalized integers are accepted.
    pub(super) may_be_normalized: bool,
}

impl<'d> Buffers<'d> {
    pub(super) fn new(document: &'d Document, binary: Option<&'d [u8]>) -> Buffers<'d> {
        Buffers {
            document,
            binary,
            // A file may have other buffers, such as buffers of textures, which are never needed.
            read: document.buffers.iter().map(|_| None).collect(),
        }
    }

    /// Returns the number of elements that an accessor declares.
    pub(super) fn count(&self, index: Index) -> Result<u64, Fault> {
        Ok(self.accessor(index)?.count)
    }

    fn accessor(&self, index: Index) -> Result<&'d Accessor, Fault> {
        let found = self.document.accessors.get(index as usize);
        let found = found.ok_or(Fault::Missing {
            kind: "accessor",
            index,
        })?;
        intact("accessor", index, &found.damage)?;
        Ok(found)
    }

    /// Reads all numbers of the accessor with this index as floats, element by element. `files` gives access to
    /// external buffers. Fails if the accessor is not as expected, is sparse or compressed, or exceeds its buffer, or
    /// if the buffer cannot be read.
    pub(super) fn floats(
        &mut self,
        index: Index,
        expected: Expected,
        files: &FileAccess,
    ) -> Result<Vec<f32>, Fault> {
        let accessor = self.accessor(index)?;
        let number = number_of(accessor, index, expected)?;
        if accessor.sparse.is_some() {
            return Err(Fault::Form {
                accessor: index,
                form: "sparse",
            });
        }
        let outside = || Fault::Outside { accessor: index };
        // All its values would be 0.
        let view = accessor.buffer_view.ok_or(Fault::Form {
            accessor: index,
            form: "without a bufferView",
        })?;
        let index_of_view = view;
        let view = self
            .document
            .buffer_views
            .get(view as usize)
            .ok_or(Fault::Missing {
                kind: "bufferView",
                index: view,
            })?;
        intact("bufferView", index_of_view, &view.damage)?;
        // Extensions such as `EXT_meshopt_compression` replace the bytes of the view.
        if view.extensions.is_some() {
            return Err(Fault::Form {
                accessor: index,
                form: "compressed",
            });
        }
        let buffer = self.buffer(view.buffer, files)?;
        let bytes = slice(buffer, view.byte_offset, view.byte_length);
        let rest = bytes.and_then(|bytes| {
            let start = usize::try_from(accessor.byte_offset).ok()?;
            bytes.get(start..)
        });
        let rest = rest.ok_or_else(outside)?;
        let size = number.size * expected.width;
        let stride = match view.byte_stride {
            Some(stride) => usize::try_from(stride)
                .ok()
                // Elements must not overlap, and `chunks` panics at a stride of 0.
                .filter(|&stride| stride >= size),
            None => Some(size),
        };
        let stride = stride.ok_or_else(outside)?;
        let count = usize::try_from(accessor.count).map_err(|_| outside())?;
        let Some(last) = count.checked_sub(1) else {
            return Ok(Vec::new());
        };
        // The last element may be shorter than the stride.
        let end = last
            .checked_mul(stride)
            .and_then(|end| end.checked_add(size));
        if end.is_none_or(|end| end > rest.len()) {
            return Err(outside());
        }
        let elements = rest.chunks(stride).take(count);
        let numbers = elements.flat_map(|element| element[..size].chunks_exact(number.size));
        Ok(numbers.map(number.read).collect())
    }

    fn buffer(&mut self, index: Index, files: &FileAccess) -> Result<&[u8], Fault> {
        let missing = || Fault::Missing {
            kind: "buffer",
            index,
        };
        let place = index as usize;
        let buffer = self.document.buffers.get(place).ok_or_else(missing)?;
        intact("buffer", index, &buffer.damage)?;
        let slot = self.read.get_mut(place).ok_or_else(missing)?;
        if slot.is_none() {
            let bytes = match &buffer.uri {
                None => Cow::Borrowed(
                    self.binary
                        // Only the first buffer can be the binary chunk (glTF 2.0, "Binary glTF Layout").
                        .filter(|_| place == 0)
                        .ok_or(Fault::NoBinary(index))?,
                ),
                Some(uri) => Cow::Owned(match container::data(uri) {
                    Some(bytes) => bytes.map_err(|source| Fault::Base64(index, source))?,
                    None => {
                        let name = percent_decode_str(uri).decode_utf8_lossy();
                        files.read(&name).map_err(|source| Fault::Uri {
                            // An address may be as long as the file, such as a malformed `data:` address.
                            uri: uri.chars().take(100).collect(),
                            source,
                        })?
                    }
                }),
            };
            *slot = Some(bytes);
        }
        slot.as_deref().ok_or_else(missing)
    }
}

/// Fails if an object is damaged.
pub(super) fn intact(
    kind: &'static str,
    index: Index,
    damage: &Option<String>,
) -> Result<(), Fault> {
    match damage {
        None => Ok(()),
        Some(problem) => Err(Fault::Damaged {
            kind,
            index,
            problem: problem.clone(),
        }),
    }
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(start..end)
}

/// The size of a number in bytes, and the function that reads it.
struct Number {
    size: usize,
    read: fn(&[u8]) -> f32,
}

fn number_of(accessor: &Accessor, index: Index, expected: Expected) -> Result<Number, Fault> {
    let shape = match expected.width {
        1 => "SCALAR",
        3 => "VEC3",
        _ => "VEC4",
    };
    if accessor.shape != shape {
        return Err(Fault::Kind {
            accessor: index,
            found: accessor.shape.chars().take(20).collect(),
            expected: shape,
        });
    }
    let is_normalized = accessor.normalized && expected.may_be_normalized;
    Ok(match accessor.component_type {
        component::F32 => Number {
            size: 4,
            read: |bytes| f32::from_le_bytes(array(bytes)),
        },
        component::I8 if is_normalized => Number {
            size: 1,
            // glTF maps both −128 and −127 to −1.
            read: |bytes| (f32::from(i8::from_le_bytes(array(bytes))) / 127.0).max(-1.0),
        },
        component::U8 if is_normalized => Number {
            size: 1,
            read: |bytes| f32::from(u8::from_le_bytes(array(bytes))) / 255.0,
        },
        component::I16 if is_normalized => Number {
            size: 2,
            read: |bytes| (f32::from(i16::from_le_bytes(array(bytes))) / 32_767.0).max(-1.0),
        },
        component::U16 if is_normalized => Number {
            size: 2,
            read: |bytes| f32::from(u16::from_le_bytes(array(bytes))) / 65_535.0,
        },
        other => {
            return Err(Fault::Kind {
                accessor: index,
                found: format!("numbers of type {other}"),
                expected: "floats",
            });
        }
    })
}

/// Returns the first `N` bytes. The slice is long enough, because it has at least the size of a number.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}
