//! Damaged tables: each kind of damage costs a row or a column, and is named with its place.

use inputanim::{Element, Joint, Layout, Recording, Side, edit};
use inputanim_convert::{Format, ReadOptions, Remedy, Sampling, TableShape, WriteOptions};
use inputanim_motion::{Motion, Scene};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::costs::{Costs, Reading};

fn sample_recording() -> Recording<'static> {
    let mut recording = Motion::new(Scene::TwoHands, 1, 0.5).record(20.0, Layout::Mrtk1_1);
    edit::select(&mut recording, |element| {
        let palm = Element::Joint(Side::Right, Joint::Palm);
        element == Element::Head || element == Element::Gaze || element == palm
    });
    recording.markers.clear();
    recording
}

fn written(format: Format, shape: TableShape) -> Vec<u8> {
    let mut options = WriteOptions::default();
    options.shape = shape;
    options.sampling = Sampling::Keys;
    let mut bytes = Vec::new();
    inputanim_convert::write(format, &sample_recording(), &options, &mut bytes).unwrap();
    bytes
}

fn read(format: Format, bytes: &[u8], skip_bad: bool) -> Reading {
    let mut options = ReadOptions::default();
    options.skip_bad = skip_bad;
    let (recording, report) = inputanim_convert::read(format, bytes, &options)?;
    Ok((recording.into_owned(), report))
}

/// The indices of the line of the first key, and of a later key of the same curve, in a table of keys.
const FIRST_KEY: usize = 5;
const KEY: usize = 8;

/// A table as text: its lines, without line ends.
type Lines = Vec<Vec<u8>>;

/// Damages a table. `row` is the index of a line.
type Damage = Box<dyn Fn(&mut Lines, usize)>;

/// Replaces a cell of a line of CSV or TSV.
fn cell(separator: u8, column: usize, text: &'static [u8]) -> Damage {
    Box::new(move |lines, row| {
        let mut cells: Vec<&[u8]> = lines[row].split(|&byte| byte == separator).collect();
        cells[column] = text;
        lines[row] = cells.join(&separator);
    })
}

/// Replaces the first occurrence of a text in a line of JSON.
fn replaced(from: &'static str, to: &'static [u8]) -> Damage {
    Box::new(move |lines, row| {
        let line = String::from_utf8(lines[row].clone()).unwrap();
        let (before, after) = line.split_once(from).unwrap();
        lines[row] = [before.as_bytes(), to, after.as_bytes()].concat();
    })
}

/// Adds the costs of damages to a table, without and with skipping bad rows.
fn add(text: &mut String, format: Format, shape: TableShape, damages: Vec<(&str, usize, Damage)>) {
    let bytes = written(format, shape);
    let (whole, _) = read(format, &bytes, false).unwrap();
    for skip_bad in [false, true] {
        let mut costs = Costs::new(whole.clone()).with_times();
        for (name, row, damage) in &damages {
            let mut lines: Lines = bytes
                .split(|&byte| byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            damage(&mut lines, *row);
            let reading = read(format, &lines.join(&b'\n'), skip_bad);
            if let (false, Err(error)) = (skip_bad, &reading) {
                let place = format!("line {}", row + 1);
                let error = error.to_string();
                // The row after it contradicts it.
                let is_after = name.contains("far ahead") || name.contains("first key");
                assert!(
                    error.starts_with(&place) || is_after || *row == 0,
                    "{name}: {error}"
                );
            }
            costs.add(&format!("line {}", row + 1), name, reading, false);
        }
        assert_eq!(costs.silent, [""; 0], "{format} {shape}");
        let skips = if skip_bad {
            ", bad rows are skipped"
        } else {
            ""
        };
        *text += &format!("== {shape} {format}{skips}\n{}", costs.text());
    }
}

/// Returns the damages of a table of cells. `first` is the column of a number, and `time` the column of the time.
fn of_cells(separator: u8, time: usize, number: usize) -> Vec<(&'static str, usize, Damage)> {
    let join = |line: &[u8], more: &[u8]| [line, more].concat();
    vec![
        ("a text in a cell", 4, cell(separator, number, b"x")),
        ("an empty cell", 4, cell(separator, number, b"")),
        ("an infinite number", 4, cell(separator, number, b"inf")),
        ("a time that is text", 4, cell(separator, time, b"x")),
        ("an empty time", 4, cell(separator, time, b"")),
        ("invalid UTF-8", 4, cell(separator, number, b"\xff")),
        ("a quotation mark", 4, cell(separator, number, b"\"1")),
        (
            "a short row",
            4,
            Box::new(move |lines, row| {
                let end = lines[row]
                    .iter()
                    .rposition(|&byte| byte == separator)
                    .unwrap();
                lines[row].truncate(end);
            }),
        ),
        (
            "a long row",
            4,
            Box::new(move |lines, row| lines[row] = join(&lines[row], &[separator, b'1'])),
        ),
        (
            "a truncated last line",
            9,
            Box::new(|lines, row| {
                lines.truncate(row + 1);
                let half = lines[row].len() / 2;
                lines[row].truncate(half);
            }),
        ),
        (
            "a duplicated column",
            0,
            Box::new(move |lines, row| {
                let mut names: Vec<&[u8]> = lines[row].split(|&byte| byte == separator).collect();
                names[number + 1] = names[number];
                lines[row] = names.join(&separator);
            }),
        ),
    ]
}

#[test]
fn each_damage_of_a_text_table_costs_a_row() {
    let mut text = String::new();
    for (format, separator) in [(Format::Csv, b','), (Format::Tsv, b'\t')] {
        let mut damages = of_cells(separator, 0, 2);
        damages.extend([
            ("a time far ahead", 4, cell(separator, 0, b"1000")),
            ("a time before the others", 4, cell(separator, 0, b"-1000")),
            (
                "a rotation of 0",
                4,
                Box::new(move |lines: &mut Lines, row: usize| {
                    for column in 4..8 {
                        cell(separator, column, b"0")(lines, row);
                    }
                }) as Damage,
            ),
        ]);
        add(&mut text, format, TableShape::Wide, damages);
        let mut damages = of_cells(separator, 1, 2);
        damages
            .retain(|(name, ..)| *name != "an infinite number" && *name != "a duplicated column");
        // The first lines have the names, the layout and the flags.
        for (_, row, _) in damages.iter_mut().filter(|(_, row, _)| *row == 4) {
            *row = KEY;
        }
        damages.extend([
            (
                "an unknown curve",
                KEY,
                cell(separator, 0, b"head.position.q"),
            ),
            ("another kind", KEY, cell(separator, 8, b"boolean")),
            (
                "another kind in the first key",
                FIRST_KEY,
                cell(separator, 8, b"full"),
            ),
            ("another wrap mode", KEY, cell(separator, 9, b"1")),
            (
                "another wrap mode in the first key",
                FIRST_KEY,
                cell(separator, 9, b"1"),
            ),
        ]);
        add(&mut text, format, TableShape::Keys, damages);
    }
    let line = |damage: fn(&mut Vec<u8>)| {
        Box::new(move |lines: &mut Lines, row: usize| damage(&mut lines[row])) as Damage
    };
    let wide = vec![
        (
            "a text as a number",
            4,
            replaced("\"position\":[", b"\"position\":[\"x\","),
        ),
        ("a missing member", 4, replaced("\"time\":", b"\"tome\":")),
        (
            "a time that is text",
            4,
            replaced("\"time\":", b"\"time\":\"x"),
        ),
        (
            "a time before the others",
            4,
            replaced("\"time\":", b"\"time\":-1000"),
        ),
        (
            "a time far ahead",
            4,
            replaced("\"time\":", b"\"time\":1000"),
        ),
        ("invalid UTF-8", 4, replaced("head", b"he\xffd")),
        ("no JSON", 4, line(|line| line.insert(9, b'{'))),
        (
            "a truncated last line",
            9,
            Box::new(|lines: &mut Lines, row: usize| {
                lines.truncate(row + 1);
                let half = lines[row].len() / 2;
                lines[row].truncate(half);
            }) as Damage,
        ),
    ];
    add(&mut text, Format::Ndjson, TableShape::Wide, wide);
    let keys = vec![
        ("an unknown curve", 4, replaced("head.", b"hood.")),
        (
            "a time that is text",
            4,
            replaced("\"time_s\":", b"\"time_s\":\"x\",\"a\":"),
        ),
        ("no value", 4, replaced("\"value\"", b"\"valua\"")),
        ("invalid UTF-8", 4, replaced("head", b"he\xffd")),
        ("no JSON", 4, line(|line| line.insert(9, b'{'))),
    ];
    add(&mut text, Format::Ndjson, TableShape::Keys, keys);
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/damage-tables.txt"].raw());
}

#[test]
fn a_damaged_column_of_a_parquet_file_costs_itself() {
    let mut text = String::new();
    for shape in [TableShape::Wide, TableShape::Keys] {
        let bytes = written(Format::Parquet, shape);
        let file = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
        let (whole, _) = read(Format::Parquet, &bytes, false).unwrap();
        let mut costs = Costs::new(whole);
        for column in file.metadata().row_group(0).columns() {
            let name = column.column_path().string();
            let (start, length) = column.byte_range();
            let range = start as usize..(start + length) as usize;
            for (damage, byte) in [("overwritten", 0xff), ("zeroed", 0)] {
                let mut damaged = bytes.clone();
                damaged[range.clone()].fill(byte);
                costs.add(&name, damage, read(Format::Parquet, &damaged, false), false);
            }
        }
        let half = bytes.len() / 2;
        costs.add(
            "file",
            "cut off",
            read(Format::Parquet, &bytes[..half], false),
            false,
        );
        assert_eq!(costs.silent, [""; 0], "{shape}");
        text += &format!("== {shape} parquet\n{}", costs.text());
    }
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/damage-parquet.txt"].raw());
}

#[test]
fn a_damaged_buffer_of_an_arrow_file_costs_its_column() {
    for shape in [TableShape::Wide, TableShape::Keys] {
        let bytes = written(Format::Arrow, shape);
        let (mut lost, mut refused) = (0, 0);
        let places: Vec<usize> = (8..bytes.len() - 16).step_by(16).collect();
        for &place in &places {
            let mut damaged = bytes.clone();
            damaged[place..place + 16].fill(0xff);
            match read(Format::Arrow, &damaged, false) {
                Ok((_, report)) => {
                    lost += usize::from(!report.losses.is_empty());
                }
                Err(_) => refused += 1,
            }
        }
        assert!(lost > 0, "{shape}: {lost} {refused} of {}", places.len());
        // The schema, and the columns without which no row can be read, are a part of the file.
        assert!(
            refused < places.len(),
            "{shape}: {lost} {refused} of {}",
            places.len()
        );
    }
}

#[test]
fn an_arrow_file_without_its_end_keeps_its_rows() {
    for shape in [TableShape::Wide, TableShape::Keys] {
        let bytes = written(Format::Arrow, shape);
        let (whole, _) = read(Format::Arrow, &bytes, false).unwrap();
        let mut costs = Costs::new(whole).with_times();
        for missing in [1, 6, 10, 40] {
            let cut = &bytes[..bytes.len() - missing];
            costs.add(
                "file",
                &format!("cut by {missing} bytes"),
                read(Format::Arrow, cut, false),
                false,
            );
        }
        assert_eq!(
            (costs.refused.len(), costs.silent.len()),
            (0, 0),
            "{}",
            costs.text()
        );
        assert!(costs.text().contains("all keys"), "{}", costs.text());
    }
}

#[test]
fn damaged_binary_tables_give_a_recording_or_an_error() {
    for format in [Format::Parquet, Format::Arrow] {
        for shape in [TableShape::Wide, TableShape::Keys] {
            let bytes = written(format, shape);
            for place in (0..bytes.len()).step_by(97) {
                let mut damaged = bytes.clone();
                damaged[place] ^= 0x55;
                let _ = read(format, &damaged, false);
                let _ = read(format, &bytes[..place], false);
            }
        }
    }
}

#[test]
fn skipping_rows_is_a_remedy_only_if_a_recording_is_left() {
    let remedy = |format: Format, text: &[u8]| {
        let error = read(format, text, false).unwrap_err();
        error.remedy() == Some(Remedy::SkipBad)
    };
    let keys = "curve,time_s,value\nleft.tracked,0,1\nleft.tracked,";
    let frame = "{\"time\":0,\"left\":{\"tracked\":true}}\n";
    for (format, text, expected) in [
        (
            Format::Csv,
            "time_s,left.tracked\n0,1\n1,x\n".to_owned(),
            true,
        ),
        (
            Format::Csv,
            "time_s,left.tracked\n0,1\n1\n".to_owned(),
            true,
        ),
        (
            Format::Csv,
            "time_s,left.tracked\n0,1\nx,1\n".to_owned(),
            true,
        ),
        (
            Format::Csv,
            "time_s,left.tracked\n1,1\n0,1\n".to_owned(),
            true,
        ),
        (
            Format::Tsv,
            "time_s\tleft.tracked\n0\t1\n1\tx\n".to_owned(),
            true,
        ),
        (Format::Csv, format!("{keys}x,1\n"), true),
        (Format::Csv, format!("{keys}1\n"), true),
        (Format::Ndjson, format!("{frame}{{\"time\":"), true),
        (Format::Ndjson, format!("{frame}{{\"time\":\"x\"}}\n"), true),
        // Nothing is left.
        (
            Format::Csv,
            "time_s,left.tracked\n0,x\n1,x\n".to_owned(),
            false,
        ),
        (
            Format::Csv,
            "curve,time_s,value\nleft.tracked,x,1\n".to_owned(),
            false,
        ),
        (Format::Ndjson, "{\"time\":".to_owned(), false),
        // The error concerns all rows.
        (Format::Csv, "a,b\n0,1\n".to_owned(), false),
        (
            Format::Csv,
            "time_s,left.tracked,left.tracked\n0,1,1\n".to_owned(),
            false,
        ),
    ] {
        assert_eq!(remedy(format, text.as_bytes()), expected, "{text}");
    }
    let invalid = b"time_s,left.tracked\n0,1\n1,\xff\n";
    assert!(remedy(Format::Csv, invalid));
}
