//! A stage, which both the text and the binary form represent.

use std::borrow::Cow;
use std::rc::Rc;

/// A layer with one prim at its root.
pub(super) struct Stage {
    pub(super) fields: Vec<Field>,
    pub(super) root: Prim,
}

/// A name and its value.
pub(super) type Field = (&'static str, Value);

pub(super) struct Prim {
    pub(super) name: Cow<'static, str>,
    pub(super) type_name: &'static str,
    pub(super) fields: Vec<Field>,
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<Prim>,
}

pub(super) enum Property {
    Attribute(Attribute),
    Relationship {
        name: &'static str,
        /// The path of a prim.
        target: String,
    },
}

pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) type_name: &'static str,
    pub(super) is_custom: bool,
    pub(super) is_uniform: bool,
    pub(super) fields: Vec<Field>,
    pub(super) content: Content,
}

pub(super) enum Content {
    Default(Value),
    Samples(Samples),
}

/// Values over time. All of them together may not fit into memory, so they are computed again for each pass.
pub(super) struct Samples {
    /// Ascending time codes.
    pub(super) times: Rc<[f64]>,
    make: Box<dyn Fn() -> Values>,
}

/// One value after the other.
pub(super) type Values = Box<dyn Iterator<Item = Value>>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Int(i32),
    Float(f32),
    Double(f64),
    Float2([f32; 2]),
    Float3([f32; 3]),
    /// x, y, z, w.
    Quatf([f32; 4]),
    /// A matrix row by row. A point is a row vector on its left.
    Matrix4d([f64; 16]),
    Token(&'static str),
    String(String),
    Tokens(Vec<Cow<'static, str>>),
    Strings(Vec<String>),
    Ints(Vec<i32>),
    Floats(Vec<f32>),
    Float3s(Vec<[f32; 3]>),
    Quatfs(Vec<[f32; 4]>),
    /// A number of `half3` vectors of ones.
    Half3Ones(usize),
    Matrix4ds(Vec<[f64; 16]>),
    /// Tokens that come before the tokens of weaker layers.
    Prepended(&'static [&'static str]),
}

impl Prim {
    pub(super) fn new(type_name: &'static str, name: impl Into<Cow<'static, str>>) -> Prim {
        Prim {
            name: name.into(),
            type_name,
            fields: Vec::new(),
            properties: Vec::new(),
            children: Vec::new(),
        }
    }

    pub(super) fn field(mut self, name: &'static str, value: Value) -> Prim {
        self.fields.push((name, value));
        self
    }

    pub(super) fn attribute(mut self, attribute: Attribute) -> Prim {
        self.properties.push(Property::Attribute(attribute));
        self
    }

    pub(super) fn relationship(mut self, name: &'static str, target: String) -> Prim {
        let relationship = Property::Relationship { name, target };
        self.properties.push(relationship);
        self
    }

    pub(super) fn child(mut self, child: Prim) -> Prim {
        self.children.push(child);
        self
    }
}

impl Attribute {
    fn with(type_name: &'static str, name: &'static str, content: Content) -> Attribute {
        Attribute {
            name,
            type_name,
            is_custom: false,
            is_uniform: false,
            fields: Vec::new(),
            content,
        }
    }

    pub(super) fn new(type_name: &'static str, name: &'static str, value: Value) -> Attribute {
        Attribute::with(type_name, name, Content::Default(value))
    }

    pub(super) fn sampled(
        type_name: &'static str,
        name: &'static str,
        samples: Samples,
    ) -> Attribute {
        Attribute::with(type_name, name, Content::Samples(samples))
    }

    /// Marks the attribute as `custom`, because no schema defines its name.
    pub(super) fn custom(mut self) -> Attribute {
        self.is_custom = true;
        self
    }

    /// Marks the attribute as `uniform`, because its value is constant over time.
    pub(super) fn uniform(mut self) -> Attribute {
        self.is_uniform = true;
        self
    }

    pub(super) fn field(mut self, name: &'static str, value: Value) -> Attribute {
        self.fields.push((name, value));
        self
    }
}

impl Property {
    #[cfg(feature = "usdc")]
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Property::Attribute(attribute) => attribute.name,
            Property::Relationship { name, .. } => name,
        }
    }
}

impl Samples {
    /// Returns samples at time codes. `make` is called for each pass, and must return one value for each time code.
    pub(super) fn new<V: Iterator<Item = Value> + 'static>(
        times: Rc<[f64]>,
        make: impl Fn() -> V + 'static,
    ) -> Samples {
        let make = Box::new(move || Box::new(make()) as Values);
        Samples { times, make }
    }

    pub(super) fn values(&self) -> Values {
        (self.make)()
    }
}

impl FromIterator<(f64, Value)> for Samples {
    /// Collects pairs of a time code and a value in memory. Time codes must be ascending.
    fn from_iter<I: IntoIterator<Item = (f64, Value)>>(samples: I) -> Self {
        let (times, values): (Vec<f64>, Vec<Value>) = samples.into_iter().unzip();
        Samples::new(times.into(), move || values.clone().into_iter())
    }
}
