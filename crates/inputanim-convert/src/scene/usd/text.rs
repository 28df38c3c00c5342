//! The text form: `.usda`.

use std::fmt::{self, Display, Formatter, LowerExp};
use std::io::{self, Write};

use super::stage::{Attribute, Content, Field, Prim, Property, Stage, Value};

/// The indentation of one level of the tree.
const INDENT: &str = "    ";

pub(super) fn write(stage: &Stage, mut output: impl Write) -> io::Result<()> {
    writeln!(output, "#usda 1.0\n(")?;
    for field in &stage.fields {
        write_field(field, INDENT, &mut output)?;
    }
    writeln!(output, ")\n")?;
    write_prim(&stage.root, 0, &mut output)
}

fn write_prim(prim: &Prim, depth: usize, output: &mut dyn Write) -> io::Result<()> {
    let outer = INDENT.repeat(depth);
    let inner = INDENT.repeat(depth + 1);
    write!(output, "{outer}def {} \"{}\"", prim.type_name, prim.name)?;
    write_fields(&prim.fields, &outer, output)?;
    writeln!(output, "\n{outer}{{")?;
    for property in &prim.properties {
        match property {
            Property::Attribute(attribute) => write_attribute(attribute, &inner, output)?,
            Property::Relationship { name, target } => {
                writeln!(output, "{inner}rel {name} = <{target}>")?;
            }
        }
    }
    for (index, child) in prim.children.iter().enumerate() {
        if index > 0 || !prim.properties.is_empty() {
            writeln!(output)?;
        }
        write_prim(child, depth + 1, output)?;
    }
    writeln!(output, "{outer}}}")
}

fn write_attribute(attribute: &Attribute, indent: &str, output: &mut dyn Write) -> io::Result<()> {
    let custom = if attribute.is_custom { "custom " } else { "" };
    let uniform = if attribute.is_uniform { "uniform " } else { "" };
    let Attribute {
        name, type_name, ..
    } = attribute;
    write!(output, "{indent}{custom}{uniform}{type_name} {name}")?;
    match &attribute.content {
        Content::Default(value) => {
            write!(output, " = ")?;
            write_value(value, output)?;
            write_fields(&attribute.fields, indent, output)?;
        }
        Content::Samples(samples) => {
            writeln!(output, ".timeSamples = {{")?;
            for (time, value) in samples.times.iter().zip(samples.values()) {
                write!(output, "{indent}{INDENT}{}: ", Number(*time))?;
                write_value(&value, output)?;
                writeln!(output, ",")?;
            }
            write!(output, "{indent}}}")?;
        }
    }
    writeln!(output)
}

fn write_fields(fields: &[Field], indent: &str, output: &mut dyn Write) -> io::Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let inner = format!("{indent}{INDENT}");
    writeln!(output, " (")?;
    for field in fields {
        write_field(field, &inner, output)?;
    }
    write!(output, "{indent})")
}

fn write_field((name, value): &Field, indent: &str, output: &mut dyn Write) -> io::Result<()> {
    let prepend = match value {
        Value::Prepended(_) => "prepend ",
        _ => "",
    };
    let name = match *name {
        // The text form abbreviates this name.
        "documentation" => "doc",
        name => name,
    };
    write!(output, "{indent}{prepend}{name} = ")?;
    write_value(value, output)?;
    writeln!(output)
}

fn write_value(value: &Value, output: &mut dyn Write) -> io::Result<()> {
    match value {
        Value::Bool(value) => write!(output, "{value}"),
        Value::Int(value) => write!(output, "{value}"),
        Value::Float(value) => write!(output, "{}", Number(*value)),
        Value::Double(value) => write!(output, "{}", Number(*value)),
        Value::Float2(parts) => write_tuple(parts, output),
        Value::Float3(parts) => write_tuple(parts, output),
        Value::Quatf(parts) => write_quaternion(parts, output),
        Value::Matrix4d(parts) => write_matrix(parts, output),
        Value::Token(text) => write!(output, "{}", Quoted(text)),
        Value::String(text) => write!(output, "{}", Quoted(text)),
        Value::Tokens(texts) => write_array(texts, output, |text, output| {
            write!(output, "{}", Quoted(text))
        }),
        Value::Strings(texts) => write_array(texts, output, |text, output| {
            write!(output, "{}", Quoted(text))
        }),
        Value::Prepended(texts) => write_array(*texts, output, |text, output| {
            write!(output, "{}", Quoted(text))
        }),
        Value::Ints(numbers) => {
            write_array(numbers, output, |number, output| write!(output, "{number}"))
        }
        Value::Floats(numbers) => write_array(numbers, output, |&number, output| {
            write!(output, "{}", Number(number))
        }),
        Value::Float3s(vectors) => {
            write_array(vectors, output, |parts, output| write_tuple(parts, output))
        }
        Value::Quatfs(quaternions) => write_array(quaternions, output, write_quaternion),
        Value::Half3Ones(count) => {
            write_array(0..*count, output, |_, output| write!(output, "(1, 1, 1)"))
        }
        Value::Matrix4ds(matrices) => write_array(matrices, output, write_matrix),
    }
}

type Each<T> = fn(T, &mut dyn Write) -> io::Result<()>;

fn write_array<T>(
    things: impl IntoIterator<Item = T>,
    output: &mut dyn Write,
    write_one: Each<T>,
) -> io::Result<()> {
    write_list([b"[", b"]"], things, output, write_one)
}

/// Writes items between brackets, with commas between them.
fn write_list<T>(
    [open, close]: [&[u8]; 2],
    things: impl IntoIterator<Item = T>,
    output: &mut dyn Write,
    write_one: Each<T>,
) -> io::Result<()> {
    output.write_all(open)?;
    for (index, thing) in things.into_iter().enumerate() {
        if index > 0 {
            output.write_all(b", ")?;
        }
        write_one(thing, output)?;
    }
    output.write_all(close)
}

fn write_tuple<T>(numbers: &[T], output: &mut dyn Write) -> io::Result<()>
where
    T: Copy + Into<f64> + Display + LowerExp,
{
    write_list([b"(", b")"], numbers, output, |&number, output| {
        write!(output, "{}", Number(number))
    })
}

/// Writes a quaternion with w first.
fn write_quaternion(&[x, y, z, w]: &[f32; 4], output: &mut dyn Write) -> io::Result<()> {
    write_tuple(&[w, x, y, z], output)
}

fn write_matrix(numbers: &[f64; 16], output: &mut dyn Write) -> io::Result<()> {
    let rows = numbers.as_chunks::<4>().0;
    write_list([b"( ", b" )"], rows, output, |row, output| {
        write_tuple(row, output)
    })
}

/// The fewest digits that read back as the same number.
struct Number<T>(T);

impl<T: Copy + Into<f64> + Display + LowerExp> Display for Number<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number: f64 = self.0.into();
        match number.abs() {
            // This arm also matches −0, which the change of axes can give.
            0.0 => f.write_str("0"),
            1e-4..1e15 => Display::fmt(&self.0, f),
            // Outside of this range, an exponent is shorter than the zeros.
            _ => write!(f, "{:e}", self.0),
        }
    }
}

/// A text between quotation marks, on one line.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for letter in self.0.chars() {
            match letter {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\0'..=' ' | '\x7f' if letter != ' ' => write!(f, "\\x{:02x}", u32::from(letter))?,
                letter => write!(f, "{letter}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_unchanged() {
        let mut state = 7_u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = f32::from_bits(state);
            if number.is_finite() && number != 0.0 {
                // USD reads all numbers in double precision.
                let read: f64 = Number(number).to_string().parse().unwrap();
                assert_eq!((read as f32).to_bits(), number.to_bits());
            }
        }
        let texts = [0.5, -0.0, 1e-7, 60.0].map(|number: f64| Number(number).to_string());
        assert_eq!(texts, ["0.5", "0", "1e-7", "60"]);
    }

    #[test]
    fn a_text_stays_on_its_line() {
        let text = Quoted("\"tab\"\t\\ ü\r\n").to_string();
        assert_eq!(text, r#""\"tab\"\x09\\ ü\x0d\n""#);
    }
}
