//! Facts about the file that is written: its metadata, and the notes of its report.

use std::collections::BTreeMap;

use inputanim::Recording;

use super::{gaps, origin};
use crate::shared::report::counted;
use crate::shared::{NoteKind, Report, Sampling, WriteOptions};

/// The name of the metadata of this library.
pub(crate) const METADATA: &str = "inputanim";

/// The start of the name of this program in the header of a file.
pub(super) const LIBRARY: &str = "inputanim ";

/// The program that writes a file.
pub(super) const PROGRAM: &str = concat!("inputanim ", env!("CARGO_PKG_VERSION"));

/// Returns the metadata of the file that is written, as names and values: its source and how it was made. `axes`
/// describes the axes of its messages.
pub(crate) fn metadata(
    recording: &Recording<'_>,
    options: &WriteOptions,
    axes: &str,
) -> BTreeMap<String, String> {
    let times = match options.sampling {
        Sampling::Rate(rate) => format!("{rate} Hz and where states change"),
        Sampling::Keys => "at keys".to_owned(),
    };
    let mut entries = vec![
        ("program", PROGRAM.to_owned()),
        ("layout", recording.layout.to_string()),
        ("duration", format!("{} s", recording.duration())),
        ("times", times),
        ("zero", format!("{} ns", options.start_time.as_nanos())),
        ("axes", axes.to_owned()),
        ("unit", "metre".to_owned()),
    ];
    entries.extend(options.source.clone().map(|source| ("source", source)));
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| (name.to_owned(), value))
        .chain(gaps::entries(&recording.known))
        .chain(origin::entries(&recording.about))
        .collect()
}

/// Adds a note on the rate or the times at which the recording is sampled.
pub(crate) fn note_sampling(report: &mut Report, options: &WriteOptions) {
    let sampling = options.sampling;
    let message = format!("sampled at {sampling}; the file also contains the complete recording");
    report.note(NoteKind::Sampling, message);
}

/// Adds a note that `count` markers are only in the embedded recording, because messages cannot represent their times.
/// Adds nothing if `count` is 0.
pub(crate) fn note_hidden_markers(report: &mut Report, count: usize) {
    if count > 0 {
        let message = format!(
            "{} at times that messages cannot represent, stored only in the embedded recording",
            counted(count, "marker")
        );
        report.note(NoteKind::NotInFormat, message);
    }
}
