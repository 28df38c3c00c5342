//! Finds the devices of files, on which the columns of wide tables and of tables of keys depend.
//!
//! A file of MRTK has no devices, so it is not opened. JSON, tables and complete MCAP files with devices contain at least one of a few
//! texts, and only a file that contains one is read. Most recordings have no devices, so most files are not read twice. MCAP and
//! Parquet have compressed parts, but these texts also occur in their uncompressed parts. Files of other formats may name their
//! controllers differently, and are always read.

use std::path::Path;

use inputanim::Recording;
use inputanim_convert::frames::{Columns, DeviceParts};
use inputanim_convert::{Format, InputFile};

use crate::options::ScanOptions;
use crate::shape::Shape;
use crate::source::ScanFile;

/// Texts of which a file with devices contains at least one: parts of the names of devices, a prefix of topics of MCAP, and the name
/// of a column of tables of keys.
const SIGNS: [&[u8]; 5] = [
    b"controller",
    b"tracker.",
    b"device.",
    b"/inputanim/device",
    b"frequency_hz",
];

/// The last bytes of a complete MCAP file.
const MCAP_MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// The byte order marks of UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Returns the devices of files, if the columns of these options depend on them. A file that cannot be read is skipped here, because
/// reading its rows reports the error.
pub(crate) fn of_files(files: &[ScanFile], options: &ScanOptions) -> Vec<DeviceParts> {
    let is_of_device = |name: &String| DeviceParts::of_column(name).is_some();
    let depends = match options.shape {
        Shape::Keys => true,
        Shape::Wide => options
            .columns
            .as_ref()
            .is_none_or(|columns| columns.iter().any(is_of_device)),
        _ => false,
    };
    let mut columns = Columns::default();
    for file in files.iter().filter(|_| depends) {
        if options.cancel.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        let mut add = |recording: &Recording<'_>| {
            columns.add(&Columns {
                devices: Columns::of(recording).devices,
                ..Columns::default()
            });
        };
        match file.recording_in_memory() {
            Some(recording) => add(recording),
            None => {
                if let Some(recording) = read(file, options) {
                    add(&recording);
                }
            }
        }
    }
    columns.devices
}

/// Reads a file that may have devices; returns `None` for other files and for files that cannot be read.
fn read(file: &ScanFile, options: &ScanOptions) -> Option<Recording<'static>> {
    let is_bin = |name: &str| {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("bin"))
    };
    // Standard input can be read only once.
    if file.path() == Some(Path::new("-")) {
        return None;
    }
    if options
        .format
        .map_or_else(|| is_bin(&file.name), |format| format == Format::Bin)
    {
        return None;
    }
    let bytes = file.open(options).ok()?;
    let content = bytes.as_slice();
    let input = InputFile {
        bytes: content,
        path: file.path(),
        format: options.format,
    };
    let format = input.check_format().ok()?;
    if !format.may_have_devices() {
        return None;
    }
    let has_signs = match format {
        Format::Isaac | Format::Iwer | Format::Xror => false,
        // A file that is cut off lacks the uncompressed summary.
        Format::Mcap => content.ends_with(MCAP_MAGIC),
        // Tables may have UTF-16.
        _ => !UTF_16.iter().any(|mark| content.starts_with(mark)),
    };
    if has_signs && !SIGNS.iter().any(|sign| contains(content, sign)) {
        return None;
    }
    let mut read = input.options(options.limits);
    read.pauses = options.pauses;
    let (recovered, _) = input.read(options.corrections, &read).ok()?;
    Some(recovered.into_owned().recording)
}

/// Returns `true` if bytes contain a text.
fn contains(bytes: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(bytes, text).is_some()
}
