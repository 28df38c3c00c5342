//! The numbers of a file, and the accessors that say where they are.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::gltf::document::{Accessor, BufferView, Index, component};

/// Bytes that grow, with what describes them.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<BufferView>,
    pub(super) accessors: Vec<Accessor>,
    /// The view that is not finished: the keys of the animation.
    open: Option<Index>,
    /// Accessors of times, by a hash of them.
    times: HashMap<u64, Vec<Index>>,
}

/// One element after the other.
pub(super) struct Elements<'d> {
    pub(super) shape: &'static str,
    pub(super) component_type: u32,
    pub(super) normalized: bool,
    pub(super) count: usize,
    pub(super) bytes: &'d [u8],
    pub(super) bounds: Option<[Vec<f64>; 2]>,
}

impl Buffer {
    /// An accessor in a view of its own.
    pub(super) fn add(&mut self, elements: Elements<'_>, target: Option<u32>) -> Index {
        let view = self.begin_view(target);
        let index = self.append(view, elements);
        self.end_view(view);
        index
    }

    /// An accessor of keys, which lie together.
    pub(super) fn add_keys(&mut self, shape: &'static str, count: usize, bytes: &[u8]) -> Index {
        let view = self.keys_view();
        let elements = Elements {
            shape,
            component_type: component::F32,
            normalized: false,
            count,
            bytes,
            bounds: None,
        };
        self.append(view, elements)
    }

    /// An accessor of times, which grow; the same for the same times.
    pub(super) fn add_times(&mut self, times: &[f32]) -> Index {
        let bytes = bytes(times.iter().copied());
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        let known = self.times.get(&hash).into_iter().flatten();
        if let Some(&same) = known.clone().find(|&&index| self.holds(index, &bytes)) {
            return same;
        }
        let view = self.keys_view();
        let bound = |time: Option<&f32>| time.map(|&time| f64::from(time)).into_iter().collect();
        let index = self.append(
            view,
            Elements {
                shape: "SCALAR",
                component_type: component::F32,
                normalized: false,
                count: times.len(),
                bytes: &bytes,
                bounds: Some([bound(times.first()), bound(times.last())]),
            },
        );
        self.times.entry(hash).or_default().push(index);
        index
    }

    fn holds(&self, accessor: Index, bytes: &[u8]) -> bool {
        let accessor = &self.accessors[accessor as usize];
        let view = accessor.buffer_view.map(|view| &self.views[view as usize]);
        let start = view.map_or(0, |view| view.byte_offset) + accessor.byte_offset;
        let found = self.bytes.get(start as usize..);
        accessor.count * 4 == bytes.len() as u64
            && found.is_some_and(|found| found.starts_with(bytes))
    }

    fn keys_view(&mut self) -> Index {
        match self.open {
            Some(view) => view,
            None => {
                let view = self.begin_view(None);
                self.open = Some(view);
                view
            }
        }
    }

    fn begin_view(&mut self, target: Option<u32>) -> Index {
        let view = self.views.len() as Index;
        self.views.push(BufferView {
            buffer: 0,
            byte_offset: self.bytes.len() as u64,
            byte_length: 0,
            byte_stride: None,
            target,
            extensions: None,
        });
        view
    }

    fn end_view(&mut self, view: Index) {
        let length = self.bytes.len() as u64;
        let view = &mut self.views[view as usize];
        view.byte_length = length - view.byte_offset;
    }

    /// Ends the keys, and gives all of it.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<BufferView>, Vec<Accessor>) {
        if let Some(view) = self.open {
            self.end_view(view);
        }
        (self.bytes, self.views, self.accessors)
    }

    fn append(&mut self, view: Index, elements: Elements<'_>) -> Index {
        let index = self.accessors.len() as Index;
        let start = self.views[view as usize].byte_offset;
        let [min, max] = elements.bounds.unwrap_or_default();
        self.accessors.push(Accessor {
            buffer_view: Some(view),
            byte_offset: self.bytes.len() as u64 - start,
            component_type: elements.component_type,
            normalized: elements.normalized,
            count: elements.count as u64,
            shape: elements.shape.to_owned(),
            min,
            max,
            sparse: None,
        });
        self.bytes.extend_from_slice(elements.bytes);
        // Numbers lie at multiples of their size.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        index
    }
}

/// Numbers as they lie in a buffer.
pub(super) fn bytes(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}
