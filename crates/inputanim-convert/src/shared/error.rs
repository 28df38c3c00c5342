//! The error type of all conversions.

use std::fmt;
use std::io;

use inputanim::edit::EditError;
use inputanim::{ErrorRemedy, ParseError, ParseErrorKind};

use super::{Format, Remedy, SampleError};
use crate::detect::unread::UnreadFormat;

/// A conversion that failed.
///
/// Causes that are common to several formats have variants of their own. An error that only one format can have is a
/// [`FormatError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The format is a cargo feature that this build does not have.
    #[error("this build does not include the format {0}")]
    NotInBuild(Format),
    /// The file is compressed, and the compression is a cargo feature that this build does not have.
    #[error("the file is compressed with {0}, which this build does not unpack")]
    CompressionNotInBuild(String),
    /// The format is a dataset of several files. It has functions of its own.
    #[error("the format {0} is a dataset of several files")]
    Dataset(Format),
    /// The format can be written, but not read.
    #[error("the format {0} can be written, but not read")]
    NotReadable(Format),
    /// The content is of a kind that is recognised and not read.
    #[error("this is {}, and such files are not read", .0.name())]
    Unread(&'static UnreadFormat),
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
    /// A cause that only one format has: see [`Error::downcast_ref`].
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The output failed.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
}

impl Error {
    /// Returns `true` if the file is not a recording in any format that is read.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Error::Unread(_))
    }

    /// Returns a name of this kind of error that does not change between versions, if it has one: the
    /// [kind](inputanim::ParseErrorKind::name) of an error of the parser, and
    /// [`ParseErrorKind::NOT_INPUT_ANIMATION`](inputanim::ParseErrorKind::NOT_INPUT_ANIMATION) for a file that is
    /// [foreign](Self::is_foreign).
    ///
    /// ```
    /// use inputanim_convert::{Format, ReadOptions, read};
    /// let error = read(Format::Csv, b"%PDF-1.7", &ReadOptions::default()).unwrap_err();
    /// assert_eq!(error.kind_name(), Some("not-input-animation"));
    /// ```
    pub fn kind_name(&self) -> Option<&'static str> {
        match self {
            Error::Parse(error) => Some(error.kind().name()),
            Error::Unread(_) => Some(ParseErrorKind::NOT_INPUT_ANIMATION),
            _ => None,
        }
    }

    /// Returns a remedy for this error, such as another build or higher limits; `None` if none is known.
    ///
    /// ```
    /// use inputanim_convert::{Format, ReadOptions, Remedy, read};
    /// let error = read(Format::Bvh, b"", &ReadOptions::default()).unwrap_err();
    /// assert!(matches!(error.remedy(), Some(Remedy::Export(_))));
    /// ```
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::NotInBuild(format) => Some(Remedy::OtherBuild(*format)),
            // Only MCAP has such a feature.
            Error::CompressionNotInBuild(_) => Some(Remedy::OtherBuild(Format::Mcap)),
            Error::NotReadable(format) => UnreadFormat::of_format(*format).map(Remedy::Export),
            Error::Unread(kind) => Some(Remedy::Export(kind)),
            Error::Limit { .. } => Some(ErrorRemedy::LiftLimits.into()),
            Error::Sample(error) => error.remedy(),
            Error::Edit(error) => error.remedy().map(Remedy::from),
            Error::Write(error) => error.remedy().map(Remedy::from),
            Error::Parse(error) => error.remedy().map(Remedy::from),
            Error::Format(error) => error.remedy.clone(),
            Error::Dataset(_) | Error::NotWritable(_) | Error::Io(_) => None,
        }
    }

    /// Returns the error that is specific to one format, such as `GltfError`, if its type is `E`. Returns `None` if it
    /// has another type, or if this error is not an [`Error::Format`].
    ///
    /// ```
    /// use inputanim_convert::gltf::GltfError;
    /// use inputanim_convert::{Format, ReadOptions, read};
    /// let error = read(Format::Gltf, b"{}", &ReadOptions::default()).unwrap_err();
    /// assert!(matches!(error.downcast_ref(), Some(GltfError::Json(_))));
    /// ```
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        match self {
            Error::Format(error) => error.error.downcast_ref(),
            _ => None,
        }
    }
}

/// An error that only one format can have. It has the message and the cause of the error in the module of the format.
#[derive(Debug)]
pub struct FormatError {
    error: Box<dyn std::error::Error + Send + Sync>,
    remedy: Option<Remedy>,
}

impl FormatError {
    /// Returns the error that is specific to one format, such as `GltfError`, if its type is `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// Returns the error that is specific to one format, such as `GltfError`, if its type is `E`.
    ///
    /// # Errors
    /// Returns this `FormatError` unchanged if the error has another type.
    pub fn downcast<E: std::error::Error + 'static>(self) -> Result<E, FormatError> {
        let remedy = self.remedy;
        let error = self.error.downcast();
        error
            .map(|error| *error)
            .map_err(|error| FormatError { error, remedy })
    }
}

impl FormatError {
    /// Adds a remedy to an error without one.
    #[cfg(feature = "tables")]
    pub(crate) fn or_remedy(mut self, remedy: Remedy) -> FormatError {
        self.remedy.get_or_insert(remedy);
        self
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for FormatError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// Error types of formats.
pub(crate) trait OfFormat: std::error::Error + Send + Sync + 'static {
    /// Returns a remedy for this error; `None` if none is known.
    fn remedy(&self) -> Option<Remedy> {
        None
    }
}

impl<E: OfFormat> From<E> for Error {
    fn from(error: E) -> Error {
        Error::Format(FormatError {
            remedy: error.remedy(),
            error: Box::new(error),
        })
    }
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
