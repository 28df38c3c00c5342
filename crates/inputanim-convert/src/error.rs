//! The error type of all conversions.

use std::io;

use inputanim::ParseError;
use inputanim::edit::EditError;

use crate::{Format, SampleError};

/// A conversion that failed.
///
/// Causes that are common to several formats have variants of their own. Errors that only one format can have are in
/// that format's error type, such as [`GltfError`](crate::gltf::GltfError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The format is a cargo feature that this build does not have.
    #[error("this build does not include the format {0}")]
    NotInBuild(Format),
    /// The format is a dataset of several files. It has functions of its own.
    #[error("the format {0} is a dataset of several files")]
    Dataset(Format),
    /// The format can be written, but not read.
    #[error("the format {0} can be written, but not read")]
    NotReadable(Format),
    /// The format can be read, but not written.
    #[error("the format {0} can be read, but not written")]
    NotWritable(Format),
    /// The input exceeds one of the [`Limits`](inputanim::Limits).
    #[error("expected at most {limit} {unit} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// The unit of the limit as a plural noun, such as `bytes` or `keys`.
        unit: &'static str,
    },
    /// The recording cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The recording contains content that the layout cannot represent, or more than a file can count.
    #[error(transparent)]
    Write(inputanim::WriteError),
    /// The keys of the recording cannot be aligned or written out.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The bytes are not an input animation file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The BVH hands cannot be written.
    #[cfg(feature = "bvh")]
    #[error(transparent)]
    Bvh(#[from] crate::bvh::BvhError),
    /// The glTF file cannot be read or written.
    #[cfg(feature = "gltf")]
    #[error(transparent)]
    Gltf(#[from] crate::gltf::GltfError),
    /// The action recording of IWER cannot be read.
    #[cfg(feature = "iwer")]
    #[error(transparent)]
    Iwer(#[from] crate::iwer::IwerError),
    /// The lossless JSON cannot be read.
    #[cfg(feature = "json")]
    #[error(transparent)]
    Json(#[from] crate::json::JsonError),
    /// The MCAP file cannot be read or written.
    #[cfg(feature = "mcap")]
    #[error(transparent)]
    Mcap(#[from] crate::mcap::McapError),
    /// The recording cannot be part of a dataset.
    #[cfg(feature = "motion-bids")]
    #[error(transparent)]
    MotionBids(#[from] crate::motion_bids::entities::MotionBidsError),
    /// The table cannot be read.
    #[cfg(feature = "tables")]
    #[error(transparent)]
    Table(#[from] crate::table_error::TableError),
    /// The text cannot be read as WebVTT.
    #[cfg(feature = "webvtt")]
    #[error(transparent)]
    WebVtt(#[from] crate::webvtt_error::WebVttError),
    /// The Unity animation clip cannot be written.
    #[cfg(feature = "unity-anim")]
    #[error(transparent)]
    UnityAnim(#[from] crate::unity_anim::UnityAnimError),
    /// The file of Isaac Capture cannot be read or written.
    #[cfg(feature = "isaac")]
    #[error(transparent)]
    Isaac(#[from] crate::isaac::IsaacError),
    /// The episode of EgoDex cannot be read.
    #[cfg(feature = "egodex")]
    #[error(transparent)]
    EgoDex(#[from] crate::egodex::EgoDexError),
    /// The XDF file cannot be read or written.
    #[cfg(feature = "xdf")]
    #[error(transparent)]
    Xdf(#[from] crate::xdf::XdfError),
    /// The XROR file cannot be read.
    #[cfg(feature = "xror")]
    #[error(transparent)]
    Xror(#[from] crate::xror::XrorError),
    /// The recording cannot be part of a dataset of LeRobot.
    #[cfg(feature = "lerobot")]
    #[error(transparent)]
    LeRobot(#[from] crate::lerobot::LeRobotError),
    /// The output failed.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
}

impl From<inputanim::WriteError> for Error {
    fn from(error: inputanim::WriteError) -> Error {
        match error {
            // A failed output gives the same variant for every format.
            inputanim::WriteError::Io(error) => Error::Io(error),
            other => Error::Write(other),
        }
    }
}

/// Returns an error where `count` exceeds a limit.
pub(crate) fn check_limit(count: u64, limit: u64, unit: &'static str) -> Result<(), Error> {
    if count <= limit {
        Ok(())
    } else {
        Err(Error::Limit { limit, unit })
    }
}
