//! The binary form of USD, `.usdc`, which OpenUSD calls a crate file: version 0.8.
//!
//! Newer versions add nothing that is needed here, and fewer programs read them.
//!
//! ```text
//! bootstrap   "PXR-USDC", the version, the offset of the table of contents
//! values      every value of more than four bytes, aligned to eight
//! TOKENS      every name, once
//! STRINGS     the tokens that are strings
//! FIELDS      a token and a value, or the offset of the value
//! FIELDSETS   lists of fields, each with an end mark
//! PATHS       the tree of prims and properties
//! SPECS       for each path its list of fields, and whether it is a prim or a property
//! contents    the offsets of the sections
//! ```
//!
//! Numbers are little endian. Values are not compressed. OpenUSD does not compress vectors and quaternions either.
//! Sections are compressed, because this version requires it.
//!
//! The bootstrap contains the offset of the table of contents, which is near the end of the file. This offset is known
//! only after all samples are computed, and samples are computed while they are written. The stage is therefore written
//! twice: first without an output, to compute the offset.
//!
//! # Why this writer exists
//! Every reader of `.usdc` reads `.usda` too. But for ten minutes of two hands at 60 Hz, the binary file
//! has 44 MB and usd-core 26.3 opens it in 0.04 s with 104 MB of memory; the text has 129 MB and takes
//! 4.4 s and 273 MB. Programs such as Omniverse reload stages often. The crates that write such files
//! keep the complete stage in memory. Measured with `inputanim convert ten-min.bin ten-min.usdc` and
//! `Usd.Stage.Open`.

mod packed;
mod tables;
mod values;

use std::collections::HashMap;
use std::io::{self, Write};

use super::stage::{Attribute, Content, Field, Prim, Property, Stage};
use tables::{Kind, Tables};
use values::Rep;

const IDENT: &[u8; 8] = b"PXR-USDC";
const VERSION: [u8; 8] = [0, 8, 0, 0, 0, 0, 0, 0];
const BOOTSTRAP_SIZE: u64 = 88;

pub(super) fn write(stage: &Stage, mut output: impl Write) -> io::Result<()> {
    let contents = Body::new(io::sink()).write(stage)?;
    output.write_all(IDENT)?;
    output.write_all(&VERSION)?;
    output.write_all(&contents.to_le_bytes())?;
    // The rest of the bootstrap is reserved.
    output.write_all(&[0; 64])?;
    Body::new(output).write(stage)?;
    Ok(())
}

/// Everything after the bootstrap.
struct Body<W> {
    output: W,
    /// The offset in the file.
    position: u64,
    /// The number of each path.
    paths: HashMap<String, u32>,
    tables: Tables,
}

impl<W: Write> Body<W> {
    fn new(output: W) -> Body<W> {
        Body {
            output,
            position: BOOTSTRAP_SIZE,
            paths: HashMap::new(),
            tables: Tables::new(),
        }
    }

    /// Writes everything after the bootstrap, the header of the file, and returns the offset of the table of contents
    /// in the file.
    fn write(mut self, stage: &Stage) -> io::Result<u64> {
        // A relationship may refer to a path that is written later, so all paths are numbered first.
        number_paths(&stage.root, "", &mut self.paths);
        let path = self.tables.begin(0, Kind::PseudoRoot);
        let mut fields = self.fields(&stage.fields)?;
        fields.push(self.names_field("primChildren", [&*stage.root.name])?);
        self.tables.describe(&fields);
        let root = self.prim(&stage.root)?;
        self.tables.end(root, true);
        self.tables.end(path, true);
        self.sections()
    }

    fn prim(&mut self, prim: &Prim) -> io::Result<usize> {
        let element = self.token(&prim.name) as i32;
        let path = self.tables.begin(element, Kind::Prim);
        let mut fields = vec![
            self.field("specifier", Rep::DEF),
            self.token_field("typeName", prim.type_name),
        ];
        fields.extend(self.fields(&prim.fields)?);
        if !prim.properties.is_empty() {
            let names = prim.properties.iter().map(Property::name);
            fields.push(self.names_field("properties", names)?);
        }
        if !prim.children.is_empty() {
            let names = prim.children.iter().map(|child| &*child.name);
            fields.push(self.names_field("primChildren", names)?);
        }
        self.tables.describe(&fields);
        let mut after = prim.properties.len() + prim.children.len();
        for property in &prim.properties {
            after -= 1;
            let path = self.property(property)?;
            self.tables.end(path, after == 0);
        }
        for child in &prim.children {
            after -= 1;
            let path = self.prim(child)?;
            self.tables.end(path, after == 0);
        }
        Ok(path)
    }

    fn property(&mut self, property: &Property) -> io::Result<usize> {
        // The negative sign marks a property.
        let element = -(self.token(property.name()) as i32);
        match property {
            Property::Attribute(attribute) => {
                let path = self.tables.begin(element, Kind::Attribute);
                let fields = self.attribute(attribute)?;
                self.tables.describe(&fields);
                Ok(path)
            }
            Property::Relationship { target, .. } => {
                let path = self.tables.begin(element, Kind::Relationship);
                let target = self.paths.get(target).copied().unwrap_or_default();
                let targets = self.target(target)?;
                let fields = [
                    self.field("variability", Rep::UNIFORM),
                    self.field("targetPaths", targets),
                ];
                self.tables.describe(&fields);
                Ok(path)
            }
        }
    }

    fn attribute(&mut self, attribute: &Attribute) -> io::Result<Vec<u32>> {
        let mut fields = vec![self.token_field("typeName", attribute.type_name)];
        if attribute.is_custom {
            fields.push(self.field("custom", Rep::TRUE));
        }
        if attribute.is_uniform {
            fields.push(self.field("variability", Rep::UNIFORM));
        }
        let (name, value) = match &attribute.content {
            Content::Default(value) => ("default", self.value(value)?),
            Content::Samples(samples) => ("timeSamples", self.samples(samples)?),
        };
        fields.push(self.field(name, value));
        fields.extend(self.fields(&attribute.fields)?);
        Ok(fields)
    }

    fn fields(&mut self, fields: &[Field]) -> io::Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for (name, value) in fields {
            let value = self.value(value)?;
            numbers.push(self.field(name, value));
        }
        Ok(numbers)
    }

    fn field(&mut self, name: &str, value: Rep) -> u32 {
        let token = self.token(name);
        self.tables.fields.number(&(token, value))
    }

    fn token_field(&mut self, name: &str, token: &str) -> u32 {
        let token = self.token(token);
        self.field(name, Rep::token(token))
    }

    fn names_field<'n>(
        &mut self,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> io::Result<u32> {
        let value = self.names(names)?;
        Ok(self.field(name, value))
    }

    fn token(&mut self, text: &str) -> u32 {
        self.tables.tokens.number(text)
    }

    fn sections(mut self) -> io::Result<u64> {
        let mut contents = Vec::new();
        for (name, bytes) in self.tables.sections() {
            let mut padded = [0; 16];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            contents.extend(padded);
            contents.extend(self.position.to_le_bytes());
            contents.extend((bytes.len() as u64).to_le_bytes());
            self.put(&bytes)?;
        }
        let position = self.position;
        self.put(&(contents.len() as u64 / 32).to_le_bytes())?;
        self.put(&contents)?;
        Ok(position)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Pads the output to a multiple of eight bytes, and returns the offset in the file at which the next value begins.
    fn align(&mut self) -> io::Result<u64> {
        let padding = self.position.next_multiple_of(8) - self.position;
        self.put(&[0; 8][..padding as usize])?;
        Ok(self.position)
    }
}

/// Adds the paths of a prim, its properties and its descendants to `paths`, each with the next number, in the order in
/// which they are written. `parent` is the path of the prim's parent.
fn number_paths(prim: &Prim, parent: &str, paths: &mut HashMap<String, u32>) {
    // The pseudo root is 0.
    let next = |paths: &HashMap<String, u32>| paths.len() as u32 + 1;
    let path = format!("{parent}/{}", prim.name);
    paths.insert(path.clone(), next(paths));
    for property in &prim.properties {
        paths.insert(format!("{path}.{}", property.name()), next(paths));
    }
    for child in &prim.children {
        number_paths(child, &path, paths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::usd::stage::{Attribute, Value};

    fn number(bytes: &[u8], at: usize) -> usize {
        let number: [u8; 8] = bytes[at..at + 8].try_into().unwrap();
        u64::from_le_bytes(number) as usize
    }

    #[test]
    fn the_contents_state_the_offsets_of_the_sections() {
        let samples = [(0.0, Value::Bool(true)), (1.5, Value::Bool(false))];
        let samples = samples.into_iter().collect();
        let child = Prim::new("Scope", "child").relationship("to", "/root".to_owned());
        let places = Value::Float3s(vec![[1.0, 2.0, 3.0]]);
        let root = Prim::new("Xform", "root")
            .attribute(Attribute::sampled("bool", "shown", samples).custom())
            .attribute(Attribute::new("float3[]", "places", places).uniform())
            .child(child);
        let fields = vec![("metersPerUnit", Value::Double(1.0))];
        let mut bytes = Vec::new();
        write(&Stage { fields, root }, &mut bytes).unwrap();

        assert_eq!(&bytes[..8], IDENT);
        let contents = number(&bytes, 16);
        assert_eq!(number(&bytes, contents), 6);
        let mut end = None;
        let mut names = Vec::new();
        for entry in bytes[contents + 8..].chunks(32) {
            let name = std::str::from_utf8(&entry[..16]).unwrap();
            names.push(name.trim_end_matches('\0'));
            let (start, size) = (number(entry, 16), number(entry, 24));
            assert!(end.is_none_or(|end| end == start), "{name}");
            end = Some(start + size);
            // /, /root, its two attributes, /root/child, its relationship
            let count = number(&bytes, start);
            if matches!(names.last(), Some(&("PATHS" | "SPECS"))) {
                assert_eq!(count, 6);
            }
            if names.last() == Some(&"TOKENS") {
                let unpacked = number(&bytes, start + 8);
                let packed = &bytes[start + 25..start + size];
                let tokens = lz4_flex::block::decompress(packed, unpacked).unwrap();
                assert_eq!(tokens.iter().filter(|&&byte| byte == 0).count(), count);
            }
        }
        assert_eq!(end, Some(contents));
        let expected = ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"];
        assert_eq!(names, expected);
    }
}
