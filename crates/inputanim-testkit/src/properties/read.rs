//! Any bytes are read as each format or give an error. A recording that is read can be written.

use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};

/// Checks that these bytes are read in each format of the build or give an error, and that a recording that is read can
/// be written. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let readable = |format: &&Format| format.can_read() && format.is_in_build();
    for format in Format::ALL.iter().filter(readable) {
        check_as(format.name(), bytes);
    }
}

/// Checks the property of [`check`] for one format, by its name, such as `gltf`.
pub fn check_as(format: &str, bytes: &[u8]) {
    let format = format.parse().expect("the name of a format");
    if let Ok((recording, _)) = read(format, bytes, &ReadOptions::default()) {
        // A file of MRTK holds no devices, and JSON holds everything.
        let options = WriteOptions::default();
        let written = write_bytes(Format::Json, &recording, &options);
        let (_, report) = written.expect("a recording of this library");
        assert!(report.losses.is_empty(), "{report:?}");
    }
}
