//! The errors of glTF files, with their places.

use std::io;

use inputanim::UnknownName;

use super::container::NotGltf;
use crate::shared::Remedy;

/// A glTF file that contains no recording, or a recording that glTF cannot hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The binary form is not well formed.
    #[error("not a glTF file: {0}")]
    Container(NotGltf),
    /// The text is not the JSON of a glTF file.
    #[error("not a glTF file")]
    Json(#[from] serde_json::Error),
    /// A version other than 2.
    #[error("expected glTF 2.0, found version {0:?}")]
    Version(String),
    /// No animation moves a node with a known name.
    #[error("no animation moves a known node; the file contains the nodes {}", among(*nodes, names))]
    NothingKnown {
        /// The number of nodes.
        nodes: usize,
        /// The names of the first nodes.
        names: Vec<String>,
    },
    /// Joints are named, but nothing states their hand.
    #[error("the hand of {count} joints is unknown: no name of a node contains it: {}", among(*count, names))]
    NoSide {
        /// The number of joints.
        count: usize,
        /// The names of the first ones.
        names: Vec<String>,
    },
    /// A mapping names a node that does not exist, or cannot be used.
    #[error("the mapping \"{mapping}\": {problem}; the file contains the nodes {}", among(*nodes, names))]
    Mapping {
        /// The mapping.
        mapping: String,
        /// The problem.
        problem: &'static str,
        /// The number of nodes.
        nodes: usize,
        /// The names of the first nodes.
        names: Vec<String>,
    },
    /// The requested animation does not exist.
    #[error("unknown animation {asked:?}; the file contains {}", examples(names))]
    NoSuchAnimation {
        /// The name.
        asked: String,
        /// The names of the animations that exist.
        names: Vec<String>,
    },
    /// Two nodes have the same meaning.
    #[error("the nodes {first:?} and {second:?} are both {what}")]
    Twice {
        /// The meaning that they share, such as `left.IndexTip`.
        what: String,
        /// The name of the first node.
        first: String,
        /// The name of the other node.
        second: String,
    },
    /// A node that is its own ancestor, or has too many ancestors.
    #[error("the node {0:?} is its own ancestor, or has more than 100 ancestors")]
    Loop(String),
    /// A reference to an object that does not exist.
    #[error("{from} refers to node {index}, which does not exist")]
    NoSuchNode {
        /// The object that refers to it.
        from: String,
        /// Its number.
        index: u32,
    },
    /// A scene or an animation that is not well formed.
    #[error("{kind} {index} is damaged: {problem}")]
    Damaged {
        /// `scene` or `animation`.
        kind: &'static str,
        /// Its number.
        index: usize,
        /// The problem.
        problem: String,
    },
    /// A node that is not well formed, or whose parent is unknown.
    #[error("the node {node:?}: {problem}")]
    Node {
        /// The name of the node.
        node: String,
        /// The problem.
        problem: String,
    },
    /// A channel that cannot be read.
    #[error("the {path} of node {node:?}")]
    Channel {
        /// The name of the node.
        node: String,
        /// `translation`, `rotation` or `scale`.
        path: String,
        /// The cause.
        source: ChannelFault,
    },
    /// The `extras` of inputanim cannot be read.
    #[error("the \"inputanim\" of \"extras\"")]
    Extras(#[source] serde_json::Error),
    /// The `extras` name an unknown layout.
    #[error("the \"inputanim\" of \"extras\"")]
    Layout(#[source] UnknownName),
    /// Curves in a form that glTF does not have, over such a long time that their samples would take too much memory.
    #[error("{vector}: sampling it would take more than {limit} keys")]
    TooManyKeys {
        /// The vector or rotation at which the limit is reached.
        vector: String,
        /// The limit.
        limit: u64,
    },
    /// A file of more than 4 GiB.
    #[error("the file would have {0} bytes; glTF files end at 4 GiB")]
    TooLarge(u64),
}

impl crate::shared::error::OfFormat for GltfError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            GltfError::TooManyKeys { .. } => Some(Remedy::LowerRate),
            GltfError::NothingKnown { .. } | GltfError::Mapping { .. } => Some(Remedy::NameNodes),
            GltfError::NoSide { .. } => Some(Remedy::StateSide),
            _ => None,
        }
    }
}

fn examples(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names
            .iter()
            .map(|name| format!("{name:?}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Lists `names` in quotation marks, and appends how many of all `nodes` are not listed.
fn among(nodes: usize, names: &[String]) -> String {
    match nodes.saturating_sub(names.len()) {
        0 => examples(names),
        more => format!("{} and {more} more", examples(names)),
    }
}

/// A channel that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelFault {
    /// A reference to an object that does not exist.
    #[error("{kind} {index} does not exist")]
    Missing {
        /// `sampler`, `accessor`, `bufferView` or `buffer`.
        kind: &'static str,
        /// Its number.
        index: u32,
    },
    /// An object that is not well formed.
    #[error("{kind} {index} is damaged: {problem}")]
    Damaged {
        /// `sampler`, `accessor`, `bufferView` or `buffer`.
        kind: &'static str,
        /// Its number.
        index: u32,
        /// The problem.
        problem: String,
    },
    /// An accessor with numbers of an unexpected type.
    #[error("accessor {accessor} has {found}: expected {expected}")]
    Kind {
        /// Its number.
        accessor: u32,
        /// The type that was found.
        found: String,
        /// The type that was expected.
        expected: &'static str,
    },
    /// A sparse or compressed accessor, or one without values of its own, which is not supported.
    #[error("accessor {accessor} is {form}, which is not supported")]
    Form {
        /// Its number.
        accessor: u32,
        /// `sparse`, `compressed` or `without a bufferView`.
        form: &'static str,
    },
    /// An accessor that exceeds its bufferView, or a bufferView that exceeds its buffer.
    #[error("accessor {accessor} exceeds its bufferView, or its bufferView exceeds the buffer")]
    Outside {
        /// Its number.
        accessor: u32,
    },
    /// More or fewer values than times.
    #[error("{found} values for {times} times: expected {expected}")]
    Count {
        /// The number of times.
        times: usize,
        /// The number of values that was found.
        found: usize,
        /// The expected number of values.
        expected: usize,
    },
    /// Times that do not increase, or are not finite.
    #[error("the time of key {0} is not later than the previous key, or not finite")]
    Time(usize),
    /// A value that is not finite.
    #[error("the value of key {0} is not finite")]
    Value(usize),
    /// An external buffer that cannot be read.
    #[error("cannot read the buffer {uri:?}")]
    Uri {
        /// The address.
        uri: String,
        /// The cause.
        source: io::Error,
    },
    /// A buffer in the file that is not Base64.
    #[error("buffer {0} is not Base64")]
    Base64(u32, #[source] base64::DecodeError),
    /// A reference to the binary chunk in a file without one.
    #[error("buffer {0} is not in the file")]
    NoBinary(u32),
}
