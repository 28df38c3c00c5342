//! The content of a recording: borrowed from the bytes of a file, or owned.

use inputanim::{ParseError, Parts, Recording};
use self_cell::self_cell;

self_cell!(
    /// The bytes of a file, and the recording that borrows its keys from them.
    pub(crate) struct Opened {
        owner: Vec<u8>,
        #[covariant]
        dependent: Recording,
    }
);

/// A recording that was opened from a file, or created.
// A copy of the keys of a file would need the same memory again, so an opened recording borrows them.
pub(crate) enum Content {
    Opened(Opened),
    Made(Box<Recording<'static>>),
}

impl Content {
    /// Parses the bytes of a file, and keeps them, because the recording borrows its keys.
    pub(crate) fn open(bytes: Vec<u8>, parts: Parts) -> Result<Content, ParseError> {
        let opened = Opened::try_new(bytes, |bytes| {
            Recording::parse(bytes).map(|recording| recording.with_parts(parts))
        })?;
        Ok(Content::Opened(opened))
    }

    pub(crate) fn get(&self) -> &Recording<'_> {
        match self {
            Content::Opened(opened) => opened.borrow_dependent(),
            Content::Made(recording) => recording,
        }
    }
}
