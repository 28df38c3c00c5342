//! The contents of the sections: names, fields, and the tree of paths.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use super::packed::{lz4, pack};
use super::values::Rep;

/// The kind of object at a path.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Attribute = 1,
    Prim = 6,
    PseudoRoot = 7,
    Relationship = 8,
}

/// The jumps that state how the tree continues after a path without an offset to its next sibling.
mod jump {
    pub(super) const SIBLING: i32 = 0;
    pub(super) const CHILD: i32 = -1;
    pub(super) const NOWHERE: i32 = -2;
}

/// The mark after the last field of a list of fields.
const END_OF_SET: u32 = u32::MAX;

pub(super) struct Tables {
    pub(super) tokens: Table<String>,
    /// The tokens that are strings too.
    pub(super) strings: Table<u32>,
    /// A token and a value.
    pub(super) fields: Table<(u32, Rep)>,
    field_sets: Vec<u32>,
    /// For each path, in the order of the tree, the token of its last part. The number of the token is negated for a
    /// property.
    elements: Vec<i32>,
    jumps: Vec<i32>,
    kinds: Vec<Kind>,
    /// The offsets of each path's fields in `field_sets`.
    descriptions: Vec<u32>,
}

impl Tables {
    pub(super) fn new() -> Tables {
        let mut tokens = Table::default();
        // The token of a property is negated, which is impossible for the number 0. The empty token gets this number.
        tokens.number("");
        Tables {
            tokens,
            strings: Table::default(),
            fields: Table::default(),
            field_sets: Vec::new(),
            elements: Vec::new(),
            jumps: Vec::new(),
            kinds: Vec::new(),
            descriptions: Vec::new(),
        }
    }

    /// Begins the path of a prim or property, and returns its index for [`end`](Tables::end). `element` is the number
    /// of the token of its last part, negated for a property.
    pub(super) fn begin(&mut self, element: i32, kind: Kind) -> usize {
        self.elements.push(element);
        self.kinds.push(kind);
        self.jumps.push(jump::NOWHERE);
        self.elements.len() - 1
    }

    /// Sets the fields of the path that began last, once for each path. `fields` are numbers of [`Tables::fields`].
    pub(super) fn describe(&mut self, fields: &[u32]) {
        self.descriptions.push(self.field_sets.len() as u32);
        self.field_sets.extend(fields);
        self.field_sets.push(END_OF_SET);
    }

    /// Ends the path that [`begin`](Tables::begin) gave this index, after all paths below it. `is_last` is true if the
    /// path has no next sibling.
    pub(super) fn end(&mut self, path: usize, is_last: bool) {
        let length = self.elements.len() - path;
        self.jumps[path] = match (length > 1, is_last) {
            (true, false) => length as i32,
            (true, true) => jump::CHILD,
            (false, false) => jump::SIBLING,
            (false, true) => jump::NOWHERE,
        };
    }

    /// Returns the name and the bytes of each section, in the order of the file.
    pub(super) fn sections(&self) -> [(&'static str, Vec<u8>); 6] {
        let tokens = self.tokens.all.iter();
        let tokens: Vec<u8> = tokens
            .flat_map(|token| [token.as_bytes(), &[0]].concat())
            .collect();
        let strings = self.strings.all.iter();
        let strings: Vec<u8> = strings.flat_map(|token| token.to_le_bytes()).collect();
        let (names, values): (Vec<u32>, Vec<Rep>) = self.fields.all.iter().copied().unzip();
        let values: Vec<u8> = values.into_iter().flat_map(Rep::to_bytes).collect();
        // Paths are numbered in the order of the tree, so that their numbers need no table.
        let paths: Vec<u32> = (0..self.elements.len() as u32).collect();
        let kinds: Vec<u32> = self.kinds.iter().map(|&kind| kind as u32).collect();
        [
            (
                "TOKENS",
                Section::of(self.tokens.all.len())
                    .count(tokens.len())
                    .block(&lz4(&tokens)),
            ),
            (
                "STRINGS",
                Section::of(self.strings.all.len()).plain(&strings),
            ),
            (
                "FIELDS",
                Section::of(names.len())
                    .block(&pack_unsigned(&names))
                    .block(&lz4(&values)),
            ),
            (
                "FIELDSETS",
                Section::of(self.field_sets.len()).block(&pack_unsigned(&self.field_sets)),
            ),
            (
                "PATHS",
                Section::of(paths.len())
                    .count(paths.len())
                    .block(&pack_unsigned(&paths))
                    .block(&pack(&self.elements))
                    .block(&pack(&self.jumps)),
            ),
            (
                "SPECS",
                Section::of(paths.len())
                    .block(&pack_unsigned(&paths))
                    .block(&pack_unsigned(&self.descriptions))
                    .block(&pack_unsigned(&kinds)),
            ),
        ]
        .map(|(name, section)| (name, section.0))
    }
}

fn pack_unsigned(numbers: &[u32]) -> Vec<u8> {
    let numbers: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
    pack(&numbers)
}

/// The bytes of a section.
struct Section(Vec<u8>);

impl Section {
    fn of(count: usize) -> Section {
        Section(Vec::new()).count(count)
    }

    fn count(self, count: usize) -> Section {
        self.plain(&(count as u64).to_le_bytes())
    }

    /// Appends the number of bytes as a 64-bit integer, and then the bytes.
    fn block(self, bytes: &[u8]) -> Section {
        self.count(bytes.len()).plain(bytes)
    }

    fn plain(mut self, bytes: &[u8]) -> Section {
        self.0.extend(bytes);
        self
    }
}

/// A table of different values, each with a number.
pub(super) struct Table<T> {
    numbers: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            numbers: HashMap::new(),
            all: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    /// Returns the number of a value in the table, counted from 0. Adds a new value to the table.
    pub(super) fn number<Q>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = T> + ?Sized,
    {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(value.to_owned(), number);
        self.all.push(value.to_owned());
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_lead_to_a_child_a_sibling_or_both() {
        let mut tables = Tables::new();
        // /, /a, /a.b, /a/c, /d
        let root = tables.begin(0, Kind::PseudoRoot);
        let a = tables.begin(1, Kind::Prim);
        let b = tables.begin(-2, Kind::Attribute);
        tables.end(b, false);
        let c = tables.begin(3, Kind::Prim);
        tables.end(c, true);
        tables.end(a, false);
        let d = tables.begin(4, Kind::Prim);
        tables.end(d, true);
        tables.end(root, true);
        assert_eq!(tables.jumps, [-1, 3, 0, -2, -2]);
    }

    #[test]
    fn a_value_keeps_its_number() {
        let mut table = Table::<String>::default();
        assert_eq!(["a", "b", "a"].map(|text| table.number(text)), [0, 1, 0]);
        assert_eq!(table.all, ["a", "b"]);
    }
}
