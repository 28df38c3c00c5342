//! Reads the keys of one curve, one by one and without an intermediate form.

use std::fmt;
use std::marker::PhantomData;

use inputanim::{FullKey, WeightedMode};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::shared::number::Number;

/// The message of the error that there are more keys than the limit allows.
const LIMIT: &str = "more keys than the limit allows";

/// Returns `true` if an error of [`read`] is about the limit.
pub(super) fn is_limit(error: &serde_json::Error) -> bool {
    error.to_string().starts_with(LIMIT)
}

/// The numbers of a full key, in the order of the JSON text.
pub(super) type FullRow = (Number, Number, Number, Number, Number, Number, i32);

pub(super) fn full(row: FullRow) -> FullKey {
    let (time, value, in_tangent, out_tangent, in_weight, out_weight, mode) = row;
    FullKey::weighted(
        time.0,
        value.0,
        [in_tangent.0, out_tangent.0],
        [in_weight.0, out_weight.0],
        WeightedMode(mode),
    )
}

/// Parses a JSON array of rows, and converts each row to a key with the function `key`. Fails if there are more than
/// `limit` rows.
pub(super) fn read<'de, R: Deserialize<'de>, K>(
    text: &'de str,
    limit: u64,
    key: impl Fn(R) -> K,
) -> serde_json::Result<Vec<K>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let rows = Rows {
        limit,
        key,
        row: PhantomData,
    };
    rows.deserialize(&mut deserializer)
}

struct Rows<R, F> {
    limit: u64,
    key: F,
    row: PhantomData<R>,
}

impl<'de, R: Deserialize<'de>, K, F: Fn(R) -> K> DeserializeSeed<'de> for Rows<R, F> {
    type Value = Vec<K>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<K>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, R: Deserialize<'de>, K, F: Fn(R) -> K> Visitor<'de> for Rows<R, F> {
    type Value = Vec<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of keys")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Vec<K>, A::Error> {
        let mut keys = Vec::new();
        while let Some(row) = rows.next_element()? {
            // The limit is checked while the array is read, before the keys take memory.
            if keys.len() as u64 == self.limit {
                return Err(A::Error::custom(LIMIT));
            }
            keys.push((self.key)(row));
        }
        Ok(keys)
    }
}
