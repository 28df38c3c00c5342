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
    /// Adds an accessor with a view of its own.
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

    /// Adds an accessor of keys, which share a view.
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

    /// Adds an accessor of increasing times, or returns the one with the same times.
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

    /// Returns `true` if an accessor of keys has these bytes.
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

    /// Returns the bytes, views and accessors.
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
        }
    }
}

/// Adds numbers at an offset that is a multiple of their size.
fn append(bytes: &mut Vec<u8>, more: &[u8]) {
    bytes.extend_from_slice(more);
    // glTF aligns numbers to their size, which is at most four bytes.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// Returns numbers as the bytes of a buffer.
pub(super) fn bytes(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}
