//! Any bytes are read as a table of any format or give an error; every recording comes back from a
//! table of keys bit for bit, and can be written as a wide table.

use inputanim::Recording;
use inputanim_convert::{
    Error, Format, ReadOptions, Sampling, TableShape, WriteOptions, read, write,
};

/// Checks that these bytes are read as a table of each format or give an error, and that a recording comes back bit for
/// bit from a table of keys. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let mut options = ReadOptions::default();
    options.ignore_unknown = bytes.len() % 2 == 1;
    options.from_zero = bytes.len() % 3 == 1;
    options.limits.max_bytes = 1 << 24;
    options.limits.max_keys = 1 << 16;
    options.limits.max_markers = 1 << 10;
    for format in Format::ALL
        .iter()
        .copied()
        .filter(|format| format.is_table())
    {
        if let Ok((recording, _)) = read(format, bytes, &options) {
            comes_back(&recording);
        }
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let mut keys = WriteOptions::default();
    keys.shape = TableShape::Keys;
    for format in [Format::Tsv, Format::Arrow] {
        let mut bytes = Vec::new();
        match write(format, recording, &keys, &mut bytes) {
            Ok(report) => assert_eq!(report.losses, []),
            Err(Error::Write(_)) => return,
            Err(error) => panic!("{error}"),
        }
        let (back, _) = read(format, &bytes, &ReadOptions::default()).expect("its own file");
        assert_eq!(back, *recording);
    }

    let mut wide = WriteOptions::default();
    wide.sampling = Sampling::Keys;
    match write(Format::Arrow, recording, &wide, Vec::new()) {
        Ok(_) | Err(Error::Sample(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
