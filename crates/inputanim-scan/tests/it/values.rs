//! Values are those of the CSV that the program writes, to the last bit.

use inputanim::{Recording, Sampler, Space, WrapMode};
use inputanim_convert::{Format, TableShape, WriteOptions, write};
use inputanim_scan::{DataType, Sampling, ScanOptions, Shape};
use inputanim_testkit::{corpus, random, samples};
use proptest::prelude::*;

use crate::table::{Cell, Table, bytes, of_f32, of_f64, scan_bytes};

/// Returns the rows that the program writes as CSV; `None` if it refuses the recording.
fn csv(recording: &Recording<'_>, options: &WriteOptions) -> Option<Vec<Vec<String>>> {
    let mut text = Vec::new();
    write(Format::Csv, recording, options, &mut text).ok()?;
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(&text[..]);
    let row = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
    Some(reader.records().map(|found| row(found.unwrap())).collect())
}

/// Returns the cell of a text in CSV.
pub(crate) fn cell(text: &str, data_type: DataType) -> Cell {
    if text.is_empty() {
        return None;
    }
    let number = |text: &str| match text.strip_prefix("NaN(0x") {
        Some(bits) => f32::from_bits(u32::from_str_radix(bits.trim_end_matches(')'), 16).unwrap()),
        None => text.parse().unwrap(),
    };
    Some(match data_type {
        DataType::Float32 => of_f32(number(text)),
        DataType::Float64 => of_f64(text.parse().unwrap()),
        DataType::Boolean => (text == "1").to_string(),
        _ => text.to_owned(),
    })
}

/// Returns `true` if a number, or another one of its pose or ray, is not finite, so that CSV does not have it.
fn is_dropped(table: &Table, row: &[Cell], name: &str) -> bool {
    let element = |name: &str| name.rsplitn(3, '.').nth(2).map(str::to_owned);
    let cells = table.names.iter().zip(row);
    let mut cells = cells.filter(|(other, _)| {
        *other == name || element(other).is_some() && element(other) == element(name)
    });
    cells.any(|(_, cell)| {
        let bits = cell.as_ref();
        let bits = bits.and_then(|bits| u32::from_str_radix(bits, 16).ok());
        bits.is_some_and(|bits| !f32::from_bits(bits).is_finite())
    })
}

fn check(recording: &Recording<'_>, file: &[u8], options: &ScanOptions) {
    let mut written = WriteOptions::default();
    written.sampling = options.sampling;
    written.space = options.space;
    written.shape = match options.shape {
        Shape::Wide => TableShape::Wide,
        Shape::Tidy => TableShape::Tidy,
        _ => TableShape::Keys,
    };
    let expected = csv(recording, &written);
    let found = scan_bytes(file, options.clone());
    let Some(expected) = expected else {
        assert!(found.is_err());
        return;
    };
    let found = found.unwrap();
    let fields = options.fields().unwrap();
    let fields: Vec<_> = fields.iter().filter(|field| field.name != "file").collect();
    let (names, expected) = expected.split_first().unwrap();
    assert_eq!(found.rows.len(), expected.len());
    for (column, name) in names.iter().enumerate() {
        let index = found.column(name);
        for (row, (found_row, expected)) in found.rows.iter().zip(expected).enumerate() {
            let expected = cell(&expected[column], fields[index].data_type);
            if found_row[index] != expected {
                let is_sampled = options.shape != Shape::Keys;
                assert!(
                    is_sampled && expected.is_none() && is_dropped(&found, found_row, name),
                    "{name} in row {row}: {:?}, expected {expected:?}",
                    found_row[index]
                );
            }
        }
    }
    // Columns that CSV lacks have no values: states are then false. CSV has no column for damage.
    for (index, name) in found.names.iter().enumerate() {
        if !names.contains(name) && name != "damage" {
            let is_unknown = |cell: &Cell| cell.as_ref().is_none_or(|cell| cell == "false");
            assert!(
                found.rows.iter().all(|row| is_unknown(&row[index])),
                "{name}"
            );
        }
    }
}

fn options() -> Vec<ScanOptions> {
    let mut all = Vec::new();
    for shape in [Shape::Wide, Shape::Tidy] {
        let samplings = [
            (Sampling::Rate(60.0), Space::Unity),
            (Sampling::Rate(7.3), Space::Blender),
            (Sampling::Keys, Space::Unity),
        ];
        for (sampling, space) in samplings {
            let mut options = ScanOptions::default();
            (options.shape, options.sampling, options.space) = (shape, sampling, space);
            options.batch_rows = 100;
            all.push(options);
        }
    }
    let mut keys = ScanOptions::default();
    keys.shape = Shape::Keys;
    keys.batch_rows = 1000;
    all.push(keys);
    all
}

#[test]
fn samples_have_the_values_of_csv() {
    for (_, bytes) in samples::recordings() {
        let recording = Recording::parse(&bytes).unwrap();
        options()
            .iter()
            .for_each(|options| check(&recording, &bytes, options));
    }
}

#[test]
fn long_tables_which_are_evaluated_from_keys_have_the_values_of_csv() {
    for (name, file) in samples::recordings() {
        let mut recording = Recording::parse(&file).unwrap();
        for space in [Space::Unity, Space::Blender] {
            let mut options = ScanOptions::default();
            (options.sampling, options.space) = (Sampling::Rate(300.0), space);
            options.batch_rows = 1024;
            assert!(
                recording.duration() * 300.0 > 1100.0,
                "{name:?} has several batches"
            );
            check(&recording, &file, &options);
        }
        // A curve that repeats cannot be cut, and has a sampler.
        recording.head_mut().position[0].post_wrap = WrapMode::LOOP;
        let mut options = ScanOptions::default();
        (options.sampling, options.batch_rows) = (Sampling::Rate(300.0), 1024);
        check(&recording, &bytes(&recording), &options);
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn recordings_of_the_corpus_have_the_values_of_csv() {
    let options = options();
    let mut turn = 0;
    for (path, bytes) in corpus::recordings() {
        // Long recordings would take minutes.
        if bytes.len() >= 20 << 20 {
            continue;
        }
        let Ok(recording) = Recording::parse(&bytes) else {
            continue;
        };
        eprintln!("{}", path.display());
        // The options take turns. The test of the samples has all of them.
        for _ in 0..2 {
            check(&recording, &bytes, &options[turn % options.len()]);
            turn += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn random_recordings_have_the_values_of_csv(recording in random::recording()) {
        let file = bytes(&recording);
        let recording = Recording::parse(&file).unwrap();
        let range = Sampler::new(&recording).ok().and_then(|sampler| sampler.range());
        let seconds = range.map_or(0.0, |range| range.end - range.start);
        for options in options() {
            // Times are any numbers. Months at 60 Hz would take minutes.
            if options.sampling == Sampling::Keys || seconds < 300.0 {
                check(&recording, &file, &options);
            }
        }
    }
}
