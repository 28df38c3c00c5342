//! Any bytes read as a table of any format or give an error; what was read or parsed comes back from a
//! table of keys bit for bit, and as a table of what plays it can be written.

use inputanim::{Limits, Recording};
use inputanim_convert::tables::csv::Separator;
use inputanim_convert::tables::{
    Error, Options, ReadOptions, Shape, Times, arrow, csv, ndjson, parquet,
};

pub(crate) fn check(bytes: &[u8]) {
    let options = ReadOptions {
        ignore_unknown: bytes.len() % 2 == 1,
        from_zero: bytes.len() % 3 == 1,
        limits: Limits {
            max_bytes: 1 << 24,
            max_keys: 1 << 16,
            max_markers: 1 << 10,
        },
        ..ReadOptions::default()
    };
    let read = [
        csv::read(bytes, None, &options),
        ndjson::read(bytes, &options),
        arrow::read(bytes, &options),
        parquet::read(bytes.to_vec().into(), &options),
    ];
    for reading in read.into_iter().flatten() {
        comes_back(&reading.recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let keys = Options {
        shape: Shape::Keys,
        ..Options::default()
    };
    let defaults = ReadOptions::default();
    let mut text = Vec::new();
    match csv::write(recording, &keys, Separator::Tab, &mut text) {
        Ok(losses) => assert_eq!(losses, []),
        Err(Error::NotInLayout { .. }) => return,
        Err(error) => panic!("{error}"),
    }
    let back = csv::read(&text, None, &defaults).expect("its own text");
    assert_eq!(back.recording, *recording);
    let mut bytes = Vec::new();
    arrow::write(recording, &keys, &mut bytes).expect("it was written as text");
    let back = arrow::read(&bytes, &defaults).expect("its own file");
    assert_eq!(back.recording, *recording);

    let wide = Options {
        times: Times::Keys,
        ..Options::default()
    };
    let mut bytes = Vec::new();
    match arrow::write(recording, &wide, &mut bytes) {
        Ok(()) | Err(Error::Sample(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
