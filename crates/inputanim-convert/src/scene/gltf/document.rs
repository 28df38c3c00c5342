//! The JSON of a glTF file: all members that are written or read.
//!
//! The crate `gltf-json` is not used for this: it refuses a scene without nodes, which
//! glTF allows and an empty recording needs, and its checks panic on references to missing objects.
//! Members that animations do not need are ignored and may have any value.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The index of an object in its list.
pub(super) type Index = u32;

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    #[serde(skip_deserializing)]
    pub(super) scene: Index,
    #[serde(default, deserialize_with = "parts")]
    pub(super) scenes: Vec<Scene>,
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) nodes: Vec<Node>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) cameras: Vec<Value>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<Value>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<Value>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) skins: Vec<Skin>,
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) animations: Vec<Animation>,
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) accessors: Vec<Accessor>,
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) buffers: Vec<Buffer>,
    /// The extensions of the file, of which VRM names the bones of a person.
    #[serde(skip_serializing)]
    pub(super) extensions: Option<Box<RawValue>>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Asset {
    pub(super) version: String,
    #[serde(default)]
    pub(super) generator: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) copyright: String,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Scene {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(
        default,
        deserialize_with = "list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) nodes: Vec<Index>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<Box<RawValue>>,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Node {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(
        default,
        deserialize_with = "list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) children: Vec<Index>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matrix: Option<Box<[f32; 16]>>,
    /// The index of a camera. Some programs write a negative number if there is no camera.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) camera: Option<i64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<Index>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<Index>,
    /// The problem of an object that is not well formed. Of its other fields, only the name and the children are
    /// read.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) name: String,
    pub(super) inverse_bind_matrices: Index,
    pub(super) skeleton: Index,
    pub(super) joints: Vec<Index>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Animation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(deserialize_with = "parts")]
    pub(super) channels: Vec<Channel>,
    #[serde(deserialize_with = "parts")]
    pub(super) samplers: Vec<Sampler>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<Box<RawValue>>,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: Index,
    pub(super) target: Target,
    /// The problem of an object that is not well formed. Of its other fields, only the target is read.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Target {
    /// Absent if an extension animates something other than a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<Index>,
    pub(super) path: Property,
}

/// The property of a node that a channel animates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    /// Morph targets, or a property of an extension.
    #[default]
    #[serde(other)]
    Another,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Another => "another property",
        })
    }
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Sampler {
    pub(super) input: Index,
    pub(super) output: Index,
    #[serde(default)]
    pub(super) interpolation: Interpolation,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Interpolation {
    /// A straight line between values, or an arc between rotations.
    #[default]
    #[serde(rename = "LINEAR")]
    Linear,
    /// The value of the first key.
    #[serde(rename = "STEP")]
    Step,
    /// A cubic with the slopes of both keys.
    #[serde(rename = "CUBICSPLINE")]
    Cubic,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    /// If it is absent, all numbers are 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) buffer_view: Option<Index>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) min: Vec<f64>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) max: Vec<f64>,
    /// Present for a sparse accessor, which is not read.
    #[serde(skip_serializing)]
    pub(super) sparse: Option<IgnoredAny>,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

/// Values of [`Accessor::component_type`].
pub(super) mod component {
    pub(in crate::scene::gltf) const I8: u32 = 5120;
    pub(in crate::scene::gltf) const U8: u32 = 5121;
    pub(in crate::scene::gltf) const I16: u32 = 5122;
    pub(in crate::scene::gltf) const U16: u32 = 5123;
    pub(in crate::scene::gltf) const F32: u32 = 5126;
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: Index,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_stride: Option<u64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
    /// Present where the bytes may be compressed.
    #[serde(skip_serializing)]
    pub(super) extensions: Option<IgnoredAny>,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

/// Values of [`BufferView::target`].
pub(super) mod target {
    pub(in crate::scene::gltf) const VERTICES: u32 = 34962;
    pub(in crate::scene::gltf) const INDICES: u32 = 34963;
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: u64,
    /// If it is absent, the buffer is the binary chunk of a `.glb` file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
    /// The problem of an object that is not well formed. All its other fields have default values.
    #[serde(skip)]
    pub(super) damage: Option<String>,
}

/// An object of a list that may be damaged.
trait Part: Default {
    /// Creates the object from its text, which is not well formed.
    fn damaged(text: &str, problem: String) -> Self;
}

macro_rules! parts {
    ($($name:ident),*) => {
        $(impl Part for $name {
            fn damaged(_: &str, problem: String) -> $name {
                $name { damage: Some(problem), ..$name::default() }
            }
        })*
    };
}
parts!(Scene, Animation, Sampler, Accessor, BufferView, Buffer);

impl Part for Channel {
    /// Keeps the target, because a node without its channel would count as still.
    fn damaged(text: &str, problem: String) -> Channel {
        let members: Value = serde_json::from_str(text).unwrap_or_default();
        let target = &members["target"];
        let node = target["node"].as_u64();
        Channel {
            target: Target {
                node: node.and_then(|node| Index::try_from(node).ok()),
                path: serde_json::from_value(target["path"].clone()).unwrap_or_default(),
            },
            damage: Some(problem),
            ..Channel::default()
        }
    }
}

impl Part for Node {
    /// Keeps the name and the children, because the children would count as roots otherwise.
    fn damaged(text: &str, problem: String) -> Node {
        let members: Value = serde_json::from_str(text).unwrap_or_default();
        let index = |child: &Value| child.as_u64().and_then(|child| Index::try_from(child).ok());
        let children = match (&members, &members["children"]) {
            (Value::Object(_), Value::Array(children)) => {
                let children = children.iter();
                children
                    .map(|child| index(child).unwrap_or(UNKNOWN_NODE))
                    .collect()
            }
            (Value::Object(_), Value::Null) => Vec::new(),
            _ => vec![UNKNOWN_NODE],
        };
        Node {
            name: members["name"].as_str().map(str::to_owned),
            children,
            damage: Some(problem),
            ..Node::default()
        }
    }
}

/// The index of a child that a damaged node does not state. No node has it, because files have fewer nodes.
const UNKNOWN_NODE: Index = Index::MAX;

/// Deserializes an array as [`list`] does. An object that is not well formed costs only itself.
fn parts<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Part,
{
    let texts: Vec<&'de RawValue> = list(deserializer)?;
    let part = |text: &'de RawValue| {
        let read = serde_json::from_str(text.get());
        read.unwrap_or_else(|error| T::damaged(text.get(), error.to_string()))
    };
    Ok(texts.into_iter().map(part).collect())
}

/// Deserializes an array of at most a million elements; null counts as an empty array. The length is bounded, because
/// an object without members takes three bytes in a file and far more in memory.
fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    const MAX_ITEMS: usize = 1_000_000;
    struct List<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_unit<E: Error>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(item) = items.next_element()? {
                if all.len() == MAX_ITEMS {
                    return Err(A::Error::custom("more than a million objects"));
                }
                all.push(item);
            }
            Ok(all)
        }
    }
    // `deserialize_seq` would refuse null.
    deserializer.deserialize_any(List(PhantomData))
}
