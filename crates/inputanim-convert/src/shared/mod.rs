//! What the formats share. Nothing here imports a format.

pub(crate) mod axes;
#[cfg(feature = "gltf")]
pub(crate) mod bone_axes;
#[cfg(any(feature = "tables", feature = "gltf"))]
pub(crate) mod bone_rotations;
pub(crate) mod controller;
#[cfg(any(feature = "xdf", feature = "xror"))]
pub(crate) mod date_time;
#[cfg(feature = "iwer")]
pub(crate) mod devices;
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod file_access;
pub(crate) mod file_names;
pub(crate) mod format;
pub(crate) mod hand_orders;
pub(crate) mod hdf5_start;
#[cfg(any(feature = "mcap-plain", feature = "tables", feature = "xror"))]
pub(crate) mod in_order;
pub(crate) mod joint_radii;
pub(crate) mod json_text;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod mapping;
#[cfg(any(feature = "iwer", feature = "handsbin"))]
pub(crate) mod missing_joints;
pub(crate) mod no_effect;
#[cfg(feature = "json")]
pub(crate) mod number;
#[cfg(any(feature = "tables", feature = "xror"))]
pub(crate) mod one_time;
pub(crate) mod options;
pub(crate) mod palm;
pub(crate) mod pauses;
pub(crate) mod recording_names;
pub(crate) mod remedy;
pub(crate) mod report;
pub(crate) mod rigid;
#[cfg(feature = "gltf")]
pub(crate) mod rigs;
pub(crate) mod sampled;
pub(crate) mod signs;
#[cfg(feature = "tables")]
pub(crate) mod suggest;
pub(crate) mod suggestion;
#[cfg(any(
    feature = "mcap-plain",
    feature = "isaac",
    feature = "xdf",
    feature = "xror"
))]
pub(crate) mod texts;
#[cfg(feature = "tables")]
pub(crate) mod units;
#[cfg(any(feature = "mcap-plain", feature = "tables"))]
pub(crate) mod unseen_hands;
pub(crate) mod utf16;

pub(crate) use error::Error;
pub(crate) use fields::ReadField;
pub(crate) use file_access::FileAccess;
pub(crate) use file_names::without_extension;
pub(crate) use format::Format;
pub(crate) use mapping::Mapping;
pub(crate) use options::{NodeNames, ReadOptions, Sampling, TableShape, WriteOptions};
pub(crate) use remedy::Remedy;
pub(crate) use report::{Loss, LossKind, Note, NoteKind, Report};
pub(crate) use sampled::SampleError;
pub(crate) use suggestion::Suggestion;
