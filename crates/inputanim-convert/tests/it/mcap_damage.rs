//! Damaged MCAP files: each record is damaged in turn, and costs only itself.

use std::collections::{BTreeMap, HashSet};
use std::io::Cursor;
use std::ops::Range;

use ::mcap::records::{Metadata, op};
use ::mcap::{Compression, MessageStream, WriteOptions};
use inputanim::{Layout, Recording};
use inputanim_convert::{
    Format, ReadOptions, Sampling, WriteOptions as ConvertOptions, isaac, mcap,
};
use inputanim_motion::{Motion, Scene};

use crate::costs::{Costs, Reading};

fn sample_recording() -> Recording<'static> {
    Motion::new(Scene::TwoHands, 1, 2.0).record(20.0, Layout::Mrtk1_1)
}

fn written(format: Format) -> Vec<u8> {
    let mut options = ConvertOptions::default();
    options.sampling = Sampling::Rate(10.0);
    let mut bytes = Vec::new();
    inputanim_convert::write(format, &sample_recording(), &options, &mut bytes).unwrap();
    bytes
}

/// Copies a file as another program does, without the recording in it.
fn of_others(bytes: &[u8], options: WriteOptions) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = options.library("other").create(&mut file).unwrap();
    let entries = [("device".to_owned(), "Quest 3".to_owned())];
    writer
        .write_metadata(&Metadata {
            name: "setup".to_owned(),
            metadata: BTreeMap::from(entries),
        })
        .unwrap();
    for message in MessageStream::new(bytes).unwrap() {
        let message = message.unwrap();
        let topic = &*message.channel.topic;
        if ![mcap::RECORDING, isaac::RECORDING, isaac::CHECKSUM].contains(&topic) {
            writer.write(&message).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

fn read(format: Format, bytes: &[u8]) -> Reading {
    let (recording, report) = inputanim_convert::read(format, bytes, &ReadOptions::default())?;
    Ok((recording.into_owned(), report))
}

/// A record: its name and its bytes in the file.
type Part = (String, Range<usize>);

/// Returns the records of a file: of each kind the first two, and all chunks. Messages outside of chunks are named by their
/// channel.
fn parts(bytes: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut offset, mut is_summary) = (8, false);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    while offset + 9 < bytes.len() {
        let opcode = bytes[offset];
        let length = u64::from_le_bytes(bytes[offset + 1..offset + 9].try_into().unwrap());
        let range = offset..offset + 9 + length as usize;
        let name = match opcode {
            op::HEADER => "header".to_owned(),
            op::FOOTER => "footer".to_owned(),
            op::SCHEMA => "schema".to_owned(),
            op::CHANNEL => "channel".to_owned(),
            op::MESSAGE => format!("message of channel {}", bytes[offset + 9]),
            op::CHUNK => "chunk".to_owned(),
            op::MESSAGE_INDEX => "message index".to_owned(),
            op::METADATA => "metadata".to_owned(),
            op::DATA_END => "data end".to_owned(),
            _ => "other".to_owned(),
        };
        let name = if is_summary {
            format!("summary {name}")
        } else {
            name
        };
        is_summary |= opcode == op::DATA_END;
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        let most = match opcode {
            op::CHUNK => 3,
            op::CHANNEL if !is_summary => usize::MAX,
            _ => 1,
        };
        if *count <= most {
            parts.push((format!("{name} {count}"), range.clone()));
        }
        offset = range.end;
    }
    parts
}

/// Damages a record.
type Damage = fn(&mut Vec<u8>, Range<usize>);

const DAMAGES: [(&str, Damage); 9] = [
    ("a byte changed", |bytes, part| {
        let middle = part.start + 9 + (part.len() - 9) / 2;
        bytes[middle] ^= 0x55;
    }),
    ("overwritten", |bytes, part| {
        bytes[part.start + 9..part.end].fill(0xff)
    }),
    ("zeroed", |bytes, part| bytes[part].fill(0)),
    ("longer than it is", |bytes, part| {
        bytes[part.start + 1] ^= 0x10
    }),
    ("longer than the file", |bytes, part| {
        bytes[part.start + 6] ^= 0x10
    }),
    ("another opcode", |bytes, part| bytes[part.start] ^= 0x10),
    ("cut off", |bytes, part| {
        bytes.truncate(part.start + part.len() / 2)
    }),
    ("removed", |bytes, part| {
        bytes.drain(part);
    }),
    ("repeated", |bytes, part| {
        let again = bytes[part.clone()].to_vec();
        bytes.splice(part.end..part.end, again);
    }),
];

/// Returns the table of all damage of a file.
fn costs(format: Format, bytes: &[u8]) -> Costs {
    let (whole, report) = read(format, bytes).unwrap();
    assert!(report.losses.is_empty(), "{report:?}");
    let (samples, _) = read(format, &of_others(bytes, small_chunks())).unwrap();
    let mut costs = Costs::new(whole).or(&samples);
    let mut damaged = bytes.to_vec();
    damaged[1] ^= 1;
    costs.add("magic", "a byte changed", read(format, &damaged), false);
    for (name, part) in parts(bytes) {
        for (damage, apply) in DAMAGES {
            let mut damaged = bytes.to_vec();
            apply(&mut damaged, part.clone());
            costs.add(&name, damage, read(format, &damaged), false);
        }
    }
    costs
}

/// Cuts a file at each of many places, and checks that more of it is read the longer it is.
fn cut_everywhere(format: Format, bytes: &[u8], first: usize) {
    let (whole, _) = read(format, bytes).unwrap();
    let keys = |recording: &Recording<'_>| {
        recording
            .curves()
            .map(|(_, curve)| curve.len())
            .sum::<usize>()
    };
    let mut last = 0;
    for end in (0..bytes.len()).step_by(bytes.len() / 99) {
        let mut costs = Costs::new(whole.clone());
        let reading = read(format, &bytes[..end]);
        let found = reading.as_ref().map_or(0, |(recording, _)| keys(recording));
        costs.add("file", &format!("cut at {end}"), reading, false);
        assert_eq!(costs.silent, [""; 0]);
        assert!(found + 20 >= last, "{end}: {found} after {last} keys");
        assert!(
            found > 0 || end < first,
            "nothing of {end} bytes: {}",
            costs.text()
        );
        last = last.max(found);
    }
}

fn small_chunks() -> WriteOptions {
    WriteOptions::new()
        .compression(Some(Compression::Zstd))
        .chunk_size(Some(40_000))
}

/// Returns the tables of all damage of a file that this library writes, and of files of other programs with the same messages.
/// Fails the test if a change of values has no loss. `title` is the name of the format in the headings.
fn costs_of_files(format: Format, title: &str) -> String {
    let written = written(format);
    let unchunked = WriteOptions::new().use_chunks(false).compression(None);
    let files = [
        ("of this library", written.clone()),
        ("of others", of_others(&written, small_chunks())),
        ("without chunks", of_others(&written, unchunked)),
    ];
    let tables = files.into_iter().map(|(name, bytes)| {
        let costs = costs(format, &bytes);
        assert_eq!(costs.silent, [""; 0], "{name}");
        format!("== {title} {name}\n{}", costs.text())
    });
    tables.collect()
}

#[test]
fn each_record_of_an_mcap_file_costs_itself() {
    let text = costs_of_files(Format::Mcap, "MCAP");
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/damage-mcap.txt"].raw());
}

#[test]
fn each_record_of_an_isaac_file_costs_itself() {
    let text = costs_of_files(Format::Isaac, "Isaac Capture");
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/damage-isaac.txt"].raw());
}

#[test]
fn a_file_that_is_cut_off_keeps_all_complete_messages() {
    for format in [Format::Mcap, Format::Isaac] {
        let written = written(format);
        for options in [
            WriteOptions::new()
                .compression(None)
                .chunk_size(Some(40_000)),
            WriteOptions::new().compression(None).use_chunks(false),
        ] {
            cut_everywhere(format, &of_others(&written, options), 20_000);
        }
        // Compressed chunks are read up to the cut, too.
        let packed = WriteOptions::new().compression(Some(Compression::Zstd));
        let packed = of_others(&written, packed);
        cut_everywhere(format, &packed, packed.len() * 3 / 4);
    }
}

#[test]
fn a_message_that_cannot_be_decoded_costs_itself() {
    for format in [Format::Mcap, Format::Isaac] {
        let written = written(format);
        let whole = of_others(&written, small_chunks());
        let topics: HashSet<String> = MessageStream::new(&whole)
            .unwrap()
            .map(|message| message.unwrap().channel.topic.clone())
            .collect();
        let mut topics: Vec<String> = topics.into_iter().collect();
        topics.sort();
        let mut text = String::new();
        let with_damage = |topic: &str| {
            let mut file = Cursor::new(Vec::new());
            let mut writer = small_chunks().library("other").create(&mut file).unwrap();
            let mut count = 0;
            for message in MessageStream::new(&whole).unwrap() {
                let mut message = message.unwrap();
                if message.channel.topic == topic {
                    count += 1;
                    if count == 2 {
                        message.data = vec![0xff; 7].into();
                    }
                }
                writer.write(&message).unwrap();
            }
            writer.finish().unwrap();
            drop(writer);
            read(format, &file.into_inner())
        };
        let (undamaged, _) = with_damage("").unwrap();
        for topic in topics {
            let mut costs = Costs::new(undamaged.clone());
            costs.add(&topic, "message 1", with_damage(&topic), false);
            assert_eq!(costs.refused, [""; 0], "{}", costs.text());
            text += &costs.text();
        }
        let golden = format!("../golden/damage-messages-{format}.txt");
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it")
            .join(golden);
        snapbox::assert_data_eq!(text, snapbox::Data::read_from(&path, None).raw());
    }
}
