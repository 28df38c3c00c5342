//! The files of a dataset that describe all recordings.

use std::collections::BTreeSet;
use std::io::Read;

use serde_json::json;

use super::{Entities, UNKNOWN, output_error, table, write_json};
use crate::shared::Error;

/// A file that describes the complete dataset instead of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatasetFile {
    /// The name of the file, in the folder of the dataset.
    pub name: &'static str,
    /// The content of a new file.
    pub content: Vec<u8>,
}

impl DatasetFile {
    /// The name of the table of [`participants`].
    pub const PARTICIPANTS: &str = "participants.tsv";
}

/// Returns the files that a new dataset with this name has besides its tables of participants and scans. Users complete
/// these files by hand, so do not replace the files of an existing dataset.
///
/// ```
/// use inputanim_convert::motion_bids;
/// let names: Vec<_> = motion_bids::dataset_files("reaching").iter().map(|file| file.name).collect();
/// assert_eq!(names, ["dataset_description.json", "README.md"]);
/// ```
pub fn dataset_files(name: &str) -> Vec<DatasetFile> {
    let description = json!({
        "BIDSVersion": "1.11.0",
        "DatasetType": "raw",
        "GeneratedBy": [{
            "Name": "inputanim",
            "Version": env!("CARGO_PKG_VERSION"),
        }],
        "Name": name,
    });
    let mut json = Vec::new();
    // Writing to memory does not fail.
    write_json(&description, &mut json).unwrap_or_default();
    let readme = format!(
        "# {name}\n\n\
         Recordings of hands, head, gaze and devices such as controllers.\n\n\
         Each `*_motion.tsv` contains samples at a steady rate. `*_channels.tsv` lists its columns: positions \
         are in metres, and rotations are quaternions. The joints of a hand that was not tracked are `n/a`. \
         `*_events.tsv` contains markers, pinches, haptic pulses, and the time ranges in which a hand was tracked \
         or a device was active.\n\n\
         Describe here the participants, the device, the task and the conditions of your study.\n"
    );
    vec![
        DatasetFile {
            name: "dataset_description.json",
            content: json,
        },
        DatasetFile {
            name: "README.md",
            content: readme.into_bytes(),
        },
    ]
}

/// Returns the table of participants with a row for each subject. Rows and columns of an existing table are kept.
///
/// ```
/// use inputanim_convert::motion_bids;
/// let table = "participant_id\tage\nsub-02\t31\n";
/// let table = motion_bids::participants(table.as_bytes(), ["01", "02"])?;
/// assert_eq!(table, b"participant_id\tage\nsub-02\t31\nsub-01\tn/a\n");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
///
/// # Errors
/// Fails when the existing table cannot be read.
pub fn participants<'s>(
    existing: impl Read,
    subjects: impl IntoIterator<Item = &'s str>,
) -> Result<Vec<u8>, Error> {
    let subjects = subjects.into_iter().map(|subject| format!("sub-{subject}"));
    with_rows(existing, "participant_id", subjects)
}

/// Returns the table of a session's recordings, with a row for each motion file. Rows and columns of an existing
/// table are kept. All recordings must have the same [`Entities::scans_path`], which is the path of the table.
///
/// The table has no column `acq_time`, because recordings do not contain the time of day. Users can add it.
///
/// ```
/// use inputanim_convert::motion_bids::{self, Entities};
/// let reach = Entities::from_path("p01/reach.bin")?;
/// assert_eq!(reach.scans_path(), "sub-p01/sub-p01_scans.tsv");
/// let table = motion_bids::scans(std::io::empty(), [&reach])?;
/// assert_eq!(table, b"filename\nmotion/sub-p01_task-reach_tracksys-unknown_motion.tsv\n");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
///
/// # Errors
/// Fails when the existing table cannot be read.
pub fn scans<'e>(
    existing: impl Read,
    recordings: impl IntoIterator<Item = &'e Entities>,
) -> Result<Vec<u8>, Error> {
    let files = recordings.into_iter().map(Entities::scan);
    with_rows(existing, "filename", files)
}

/// Returns a tab-separated table: the rows of `existing`, and a new row for each of the `names` that its column
/// `column` does not contain. New rows are sorted by name, and their other cells are `n/a`. An empty `existing` gets a
/// first row with the name of the column.
fn with_rows(
    existing: impl Read,
    column: &str,
    names: impl Iterator<Item = String>,
) -> Result<Vec<u8>, Error> {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(b'\t').has_headers(false).quoting(false);
    // Existing rows that lack cells are kept, so that the validator reports them.
    builder.flexible(true);
    let mut rows: Vec<csv::ByteRecord> = Vec::new();
    for row in builder.from_reader(existing).into_byte_records() {
        rows.push(row.map_err(output_error)?);
    }
    if rows.is_empty() {
        rows.push(csv::ByteRecord::from(vec![column]));
    }
    let header: Vec<&[u8]> = rows.iter().take(1).flatten().collect();
    let cells = header.len();
    // BIDS requires that this is the first column. Its name is not found if the header begins with a byte order mark.
    let index = header.iter().position(|&name| name == column.as_bytes());
    let index = index.unwrap_or(0);
    let mut names: BTreeSet<Vec<u8>> = names.map(String::into_bytes).collect();
    for name in rows.iter().filter_map(|row| row.get(index)) {
        names.remove(name);
    }
    for name in names {
        let mut row = vec![UNKNOWN.as_bytes(); cells];
        row[index] = &name;
        rows.push(csv::ByteRecord::from(row));
    }
    let mut output = Vec::new();
    let mut table = table(&mut output);
    for row in rows {
        table.write_byte_record(&row).map_err(output_error)?;
    }
    table.flush()?;
    drop(table);
    Ok(output)
}
