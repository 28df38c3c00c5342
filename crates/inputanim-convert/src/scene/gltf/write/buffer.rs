//! The numbers of a file, and the accessors that describe where they are.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::scene::gltf::document::{Accessor, BufferView, Index, component};

/// The bytes of a buffer while it grows, with their views and accessors. The keys of the animation come first.
#[derive(Default)]
pub(super) struct Buffer {
    keys: Vec<u8>,
    rest: Vec<u8>,
    views: Vec<BufferView>,
    accessors: Vec<Accessor>,
    /// The view of all keys.
    keys_view: Option<Index>,
    /// Accessors of times, by the hash of the times.
    times: HashMap<u64, Vec<Index>>,
}

/// Elements that are stored one after the other.
pub(super) struct Elements<'d> {
    pub(super) shape: &'static str,
    pub(super) component_type: u32,
    pub(super) normalized: bool,
    pub(super) count: usize,
    pub(super) bytes: &'d [u8],
    pub(super) bounds: Option<[Vec<f64>; 2]>,
}

impl Buffer {
    /// Stores elements in a view of their own, and returns the index of their accessor. `target` is glTF's number for
    /// the use of the view, such as vertices.
    pub(super) fn add(&mut self, elements: Elements<'_>, target: Option<u32>) -> Index {
        let start = self.rest.len() as u64;
        let accessor = elements.accessor(self.views.len() as Index, 0);
        append(&mut self.rest, elements.bytes);
        self.views.push(BufferView {
            byte_offset: start,
            byte_length: self.rest.len() as u64 - start,
            target,
            ..BufferView::default()
        });
        self.push(accessor)
    }

    /// Stores the values of `count` keys in the view that all keys share, and returns the index of their accessor.
    /// `shape` is the type in glTF, such as `VEC3`, and `bytes` are 32-bit floats.
    pub(super) fn add_keys(&mut self, shape: &'static str, count: usize, bytes: &[u8]) -> Index {
        self.keys(Elements {
            shape,
            component_type: component::F32,
            normalized: false,
            count,
            bytes,
            bounds: None,
        })
    }

    /// Stores the increasing times of keys, in seconds, and returns the index of their accessor. Returns the existing
    /// accessor if the same times are already stored.
    pub(super) fn add_times(&mut self, times: &[f32]) -> Index {
        let bytes = bytes(times.iter().copied());
        // Most curves of a recorder have the same times. The map contains hashes, because the times themselves are
        // already in the buffer.
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        let mut known = self.times.get(&hash).into_iter().flatten();
        // Different times may have the same hash.
        if let Some(&same) = known.find(|&&index| self.holds(index, &bytes)) {
            return same;
        }
        let bound = |time: Option<&f32>| time.map(|&time| f64::from(time)).into_iter().collect();
        let index = self.keys(Elements {
            shape: "SCALAR",
            component_type: component::F32,
            normalized: false,
            count: times.len(),
            bytes: &bytes,
            // glTF requires the bounds of times.
            bounds: Some([bound(times.first()), bound(times.last())]),
        });
        self.times.entry(hash).or_default().push(index);
        index
    }

    fn keys(&mut self, elements: Elements<'_>) -> Index {
        let view = *self.keys_view.get_or_insert_with(|| {
            self.views.push(BufferView::default());
            self.views.len() as Index - 1
        });
        let accessor = elements.accessor(view, self.keys.len() as u64);
        append(&mut self.keys, elements.bytes);
        self.push(accessor)
    }

    /// Returns `true` if the times of an existing accessor are stored as exactly these bytes.
    fn holds(&self, accessor: Index, bytes: &[u8]) -> bool {
        let accessor = &self.accessors[accessor as usize];
        let found = self.keys.get(accessor.byte_offset as usize..);
        accessor.count * 4 == bytes.len() as u64
            && found.is_some_and(|found| found.starts_with(bytes))
    }

    fn push(&mut self, accessor: Accessor) -> Index {
        self.accessors.push(accessor);
        self.accessors.len() as Index - 1
    }

    /// Returns the bytes of the buffer, with its views and accessors.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<BufferView>, Vec<Accessor>) {
        let Buffer {
            mut keys,
            rest,
            mut views,
            accessors,
            keys_view,
            ..
        } = self;
        for (index, view) in views.iter_mut().enumerate() {
            if Some(index as Index) == keys_view {
                view.byte_length = keys.len() as u64
            } else {
                // The length of the keys was not known when the view was made.
                view.byte_offset += keys.len() as u64
            }
        }
        keys.extend(rest);
        (keys, views, accessors)
    }
}

impl Elements<'_> {
    fn accessor(&self, view: Index, byte_offset: u64) -> Accessor {
        let [min, max] = self.bounds.clone().unwrap_or_default();
        Accessor {
            buffer_view: Some(view),
            byte_offset,
            component_type: self.component_type,
            normalized: self.normalized,
            count: self.count as u64,
            shape: self.shape.to_owned(),
            min,
            max,
            sparse: None,
            damage: None,
        }
    }
}

/// Appends the bytes `more`, and then zeros up to a multiple of four bytes, so that the next numbers are aligned.
fn append(bytes: &mut Vec<u8>, more: &[u8]) {
    bytes.extend_from_slice(more);
    // glTF aligns numbers to their size, which is at most four bytes.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// Returns the little-endian bytes of 32-bit floats, as a buffer stores them.
pub(super) fn bytes(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}
