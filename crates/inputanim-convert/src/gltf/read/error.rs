//! What is wrong with a glTF file, and where.

use std::io;

use inputanim::UnknownLayout;

use crate::gltf::container::NotGltf;

/// A file that is no glTF, or none that holds a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The binary form is not well formed.
    #[error("not a glTF file: {0}")]
    Container(NotGltf),
    /// The text is not the JSON of a glTF file.
    #[error("not a glTF file")]
    Json(#[from] serde_json::Error),
    /// A version other than 2.
    #[error("expected glTF 2.0, found version {0:?}")]
    Version(String),
    /// No animation that moves anything known.
    #[error("no animation moves a node that is known: there are {}", among(*nodes, names))]
    NothingKnown {
        /// How many nodes there are.
        nodes: usize,
        /// The names of the first.
        names: Vec<String>,
    },
    /// An animation was asked for that is not there.
    #[error("there is no animation {asked:?}: there are {}", examples(names))]
    NoSuchAnimation {
        /// The name.
        asked: String,
        /// Those that there are.
        names: Vec<String>,
    },
    /// Two nodes mean the same.
    #[error("the nodes {first:?} and {second:?} are both {what}")]
    Twice {
        /// What they mean, such as `left.IndexTip`.
        what: String,
        /// The name of the first.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// A node that hangs on itself, or on too many others.
    #[error("the node {0:?} hangs on itself, or on more than 100 others")]
    Loop(String),
    /// A reference that leads nowhere.
    #[error("{from} refers to node {index}, which is not there")]
    NoSuchNode {
        /// What refers to it.
        from: String,
        /// Its number.
        index: u32,
    },
    /// A channel that cannot be read.
    #[error("the {path} of node {node:?}")]
    Channel {
        /// The name of the node.
        node: String,
        /// `translation`, `rotation` or `scale`.
        path: String,
        /// Why.
        source: ChannelFault,
    },
    /// What inputanim put beside the animation cannot be read.
    #[error("the \"inputanim\" of \"extras\"")]
    Extras(#[source] serde_json::Error),
    /// A layout that there is not.
    #[error("the \"inputanim\" of \"extras\"")]
    Layout(#[source] UnknownLayout),
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
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

/// The same, and how many more there are.
fn among(nodes: usize, names: &[String]) -> String {
    match nodes.saturating_sub(names.len()) {
        0 => examples(names),
        more => format!("{} and {more} more", examples(names)),
    }
}

/// Why a channel cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelFault {
    /// A reference that leads nowhere.
    #[error("{kind} {index} is not there")]
    Missing {
        /// `sampler`, `accessor`, `bufferView` or `buffer`.
        kind: &'static str,
        /// Its number.
        index: u32,
    },
    /// Numbers of another kind.
    #[error("accessor {accessor} has {found}: expected {expected}")]
    Kind {
        /// Its number.
        accessor: u32,
        /// What it has.
        found: String,
        /// What it should have.
        expected: &'static str,
    },
    /// A form of glTF that is not read.
    #[error("accessor {accessor} is {form}, which is not read")]
    Form {
        /// Its number.
        accessor: u32,
        /// `sparse` or `compressed`.
        form: &'static str,
    },
    /// Numbers that lie outside.
    #[error(
        "accessor {accessor} does not lie within its bufferView, or that not within its buffer"
    )]
    Outside {
        /// Its number.
        accessor: u32,
    },
    /// More or fewer values than times.
    #[error("{found} values for {times} times: expected {expected}")]
    Count {
        /// Times.
        times: usize,
        /// Values.
        found: usize,
        /// Values that there should be.
        expected: usize,
    },
    /// Times that do not grow, or are no numbers.
    #[error("the time of key {0} is not after the one before, or not finite")]
    Time(usize),
    /// A value that is no number.
    #[error("the value of key {0} is not finite")]
    Value(usize),
    /// A buffer that is not in the file and cannot be had.
    #[error("cannot read the buffer {uri:?}")]
    Uri {
        /// Where it should be.
        uri: String,
        /// Why.
        source: io::Error,
    },
    /// A buffer in the file that is not Base64.
    #[error("buffer {0} is not Base64")]
    Base64(u32, #[source] base64::DecodeError),
    /// The buffer of the binary form, which it has not.
    #[error("buffer {0} is not in the file")]
    NoBinary(u32),
}
