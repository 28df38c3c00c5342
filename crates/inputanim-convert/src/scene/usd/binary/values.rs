//! Values. A value of up to four bytes is stored inline. All other values are written first, and then referred to by
//! their offsets.

use std::io::{self, Write};

use super::super::stage::{Samples, Value};
use super::Body;

/// The representation of a value: its type, two flags, and 48 bits for the value or its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rep(u64);

/// Types by OpenUSD's numbers.
#[derive(Clone, Copy)]
enum Type {
    Bool = 1,
    Int = 3,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    Matrix4d = 15,
    Quatf = 17,
    Vec2f = 20,
    Vec3f = 24,
    Vec3h = 25,
    TokenListOp = 32,
    PathListOp = 34,
    TokenVector = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    DoubleVector = 48,
}

/// The operations that combine a list of names or paths with the list of a weaker layer.
mod list {
    /// The list replaces the weaker list: it is explicit, and has items.
    pub(super) const EXPLICIT: u8 = 1 | 2;
    pub(super) const PREPENDED: u8 = 32;
}

/// 1 in half precision.
const HALF_ONE: u16 = 0x3c00;

impl Rep {
    const IS_ARRAY: u64 = 1 << 63;
    const IS_INLINE: u64 = 1 << 62;

    /// The specifier `def`. The others are `over` and `class`.
    pub(super) const DEF: Rep = Rep::inline(Type::Specifier, 0);
    /// The variability `uniform`. The other one is `varying`.
    pub(super) const UNIFORM: Rep = Rep::inline(Type::Variability, 1);
    pub(super) const TRUE: Rep = Rep::inline(Type::Bool, 1);

    pub(super) const fn token(number: u32) -> Rep {
        Rep::inline(Type::Token, number)
    }

    const fn inline(of: Type, bits: u32) -> Rep {
        Rep(Rep::IS_INLINE | (of as u64) << 48 | bits as u64)
    }

    const fn at(of: Type, position: u64) -> Rep {
        Rep((of as u64) << 48 | position)
    }

    const fn array_at(of: Type, position: u64) -> Rep {
        Rep(Rep::IS_ARRAY | Rep::at(of, position).0)
    }

    pub(super) fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

impl<W: Write> Body<W> {
    pub(super) fn value(&mut self, value: &Value) -> io::Result<Rep> {
        Ok(match value {
            Value::Bool(value) => Rep::inline(Type::Bool, u32::from(*value)),
            Value::Int(value) => Rep::inline(Type::Int, *value as u32),
            Value::Float(value) => Rep::inline(Type::Float, value.to_bits()),
            Value::Token(text) => Rep::token(self.token(text)),
            Value::String(text) => Rep::inline(Type::String, self.string(text)),
            Value::Double(value) => self.single(Type::Double, &value.to_le_bytes())?,
            Value::Float2(parts) => self.single(Type::Vec2f, floats([parts]).as_slice())?,
            Value::Float3(parts) => self.single(Type::Vec3f, floats([parts]).as_slice())?,
            Value::Quatf(parts) => self.single(Type::Quatf, floats([parts]).as_slice())?,
            Value::Matrix4d(parts) => self.single(Type::Matrix4d, &doubles(parts))?,
            Value::Tokens(texts) => {
                let tokens = texts.iter().map(|text| self.token(text));
                let bytes: Vec<u8> = tokens.flat_map(u32::to_le_bytes).collect();
                self.array(Type::Token, texts.len(), &bytes)?
            }
            Value::Strings(texts) => {
                let strings = texts.iter().map(|text| self.string(text));
                let bytes: Vec<u8> = strings.flat_map(u32::to_le_bytes).collect();
                self.array(Type::String, texts.len(), &bytes)?
            }
            Value::Ints(numbers) => {
                let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                self.array(Type::Int, numbers.len(), &bytes)?
            }
            Value::Floats(numbers) => self.array(Type::Float, numbers.len(), &floats([numbers]))?,
            Value::Float3s(vectors) => self.array(Type::Vec3f, vectors.len(), &floats(vectors))?,
            Value::Quatfs(all) => self.array(Type::Quatf, all.len(), &floats(all))?,
            Value::Half3Ones(count) => {
                let bytes = HALF_ONE.to_le_bytes().repeat(3 * count);
                self.array(Type::Vec3h, *count, &bytes)?
            }
            Value::Matrix4ds(all) => {
                let bytes = doubles(all.as_flattened());
                self.array(Type::Matrix4d, all.len(), &bytes)?
            }
            Value::Prepended(names) => {
                let items = names.iter().map(|name| self.token(name));
                let items: Vec<u32> = items.collect();
                self.list(Type::TokenListOp, list::PREPENDED, &items)?
            }
        })
    }

    /// Writes the target of a relationship, given as the number of its path, and returns the representation of this
    /// value.
    pub(super) fn target(&mut self, path: u32) -> io::Result<Rep> {
        self.list(Type::PathListOp, list::EXPLICIT, &[path])
    }

    /// Writes a list of names, and returns its representation as the value of a field, such as `properties`. The value
    /// of an attribute would need another type.
    pub(super) fn names<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> io::Result<Rep> {
        let names: Vec<u32> = names.into_iter().map(|name| self.token(name)).collect();
        let bytes = counted(
            names.len(),
            names.iter().flat_map(|name| name.to_le_bytes()),
        );
        self.single(Type::TokenVector, &bytes)
    }

    /// Writes the values of an attribute over time, their time codes, and the offsets of both. Returns the
    /// representation of the samples.
    pub(super) fn samples(&mut self, samples: &Samples) -> io::Result<Rep> {
        let mut reps = Vec::with_capacity(samples.times.len());
        for value in samples.values() {
            reps.push(self.value(&value)?);
        }
        let times = self.align()?;
        self.put(&(samples.times.len() as u64).to_le_bytes())?;
        for time in samples.times.iter() {
            self.put(&time.to_le_bytes())?;
        }
        let position = self.align()?;
        /// The relative offset from this number to the bytes right after it.
        const NEXT: [u8; 8] = 8_i64.to_le_bytes();
        self.put(&NEXT)?;
        self.put(&Rep::at(Type::DoubleVector, times).to_bytes())?;
        self.put(&NEXT)?;
        self.put(&(reps.len() as u64).to_le_bytes())?;
        for rep in reps {
            self.put(&rep.to_bytes())?;
        }
        Ok(Rep::at(Type::TimeSamples, position))
    }

    fn single(&mut self, of: Type, bytes: &[u8]) -> io::Result<Rep> {
        let position = self.align()?;
        self.put(bytes)?;
        Ok(Rep::at(of, position))
    }

    fn array(&mut self, of: Type, count: usize, bytes: &[u8]) -> io::Result<Rep> {
        if count == 0 {
            // OpenUSD stores an empty array as the offset 0, without a count.
            return Ok(Rep::array_at(of, 0));
        }
        let position = self.align()?;
        self.put(&(count as u64).to_le_bytes())?;
        self.put(bytes)?;
        Ok(Rep::array_at(of, position))
    }

    fn list(&mut self, of: Type, header: u8, items: &[u32]) -> io::Result<Rep> {
        let mut bytes = vec![header];
        bytes.extend(counted(
            items.len(),
            items.iter().flat_map(|item| item.to_le_bytes()),
        ));
        self.single(of, &bytes)
    }

    fn string(&mut self, text: &str) -> u32 {
        let token = self.token(text);
        self.tables.strings.number(&token)
    }
}

fn counted(count: usize, bytes: impl Iterator<Item = u8>) -> Vec<u8> {
    let count = (count as u64).to_le_bytes();
    count.into_iter().chain(bytes).collect()
}

fn floats<'n>(groups: impl IntoIterator<Item = &'n (impl AsRef<[f32]> + 'n)>) -> Vec<u8> {
    let groups = groups.into_iter();
    // The change of axes can give −0. Adding 0 turns −0 into 0.
    let bytes = |number: &f32| (number + 0.0).to_le_bytes();
    groups
        .flat_map(|group| group.as_ref().iter().flat_map(bytes))
        .collect()
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    let bytes = |number: &f64| (number + 0.0).to_le_bytes();
    numbers.iter().flat_map(bytes).collect()
}
