//! Damaged and hostile files.

use std::fs;

use inputanim_testkit::{RandomNumbers, mutate};

use super::episode::Episode;
use super::hdf5::{Message, UNDEFINED, Writer, dataspace, layout, link};
use super::*;
use crate::costs::Costs;
use crate::format_error;

/// Reads bytes that may be anything. The result is a recording or an error.
fn read_anything(bytes: &[u8]) -> Option<Recording<'static>> {
    read(bytes).ok().map(|(recording, _)| recording)
}

#[test]
fn files_that_end_early_give_errors_or_losses() {
    for name in ["earliest.hdf5", "latest.hdf5"] {
        let bytes = fs::read(by_h5py(name)).unwrap();
        let place = end_of_file(&bytes);
        for end in 0..bytes.len() {
            let text = match read(&bytes[..end]) {
                Err(error) => message(error),
                Ok((_, report)) => {
                    let mut losses = report.losses.iter();
                    let cut = losses.find(|loss| loss.message.contains("cut off"));
                    cut.unwrap().message.clone()
                }
            };
            if end >= 8 {
                let cut = "the file is cut off: expected ";
                assert!(text.contains(cut), "{text}");
                assert!(text.ends_with(&format!(", found {end}")), "{text}");
            }
            // A file that states its shorter length is damaged at another place.
            let mut short = bytes[..end].to_vec();
            if let Some(stated) = short.get_mut(place..place + 8) {
                stated.copy_from_slice(&(end as u64).to_le_bytes());
                read_anything(&short);
            }
        }
    }
}

/// Returns the place at which the superblock states the length of the file.
fn end_of_file(bytes: &[u8]) -> usize {
    match bytes[8] {
        0 => 40,
        1 => 44,
        _ => 28,
    }
}

#[test]
fn bytes_of_the_file_are_escaped_in_messages() {
    assert_eq!(
        message(read(b"\x89MCAP0\r\nabc").unwrap_err()),
        "cannot read the header of the HDF5 file: not an HDF5 file: expected the signature \"\\x89HDF\\r\\n\\x1a\\n\", \
         found \"\\x89MCAP0\\r\\n\""
    );
    // An attribute whose text is in a heap that is not one.
    let mut writer = Writer::new();
    let heap = writer.data(b"\x01\xa7a~ and more bytes");
    let name = b"llm_description\0";
    let mut data = vec![3, 0];
    for size in [name.len() as u16, 8, 4] {
        data.extend(size.to_le_bytes());
    }
    data.push(1);
    data.extend(name);
    data.extend([0x19, 0x01, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0]);
    data.extend(heap.to_le_bytes());
    data.extend(1_u32.to_le_bytes());
    let identity: [f32; 16] = std::array::from_fn(|index| if index % 5 == 0 { 1.0 } else { 0.0 });
    let camera = writer.floats(&[1, 4, 4], &identity);
    let transforms = writer.object(&[link("camera", camera)]);
    let root = writer.object(&[link("transforms", transforms), (0x0c, data)]);
    let (recording, report) = read(&writer.finish(root)).unwrap();
    assert_eq!(recording.head.unwrap().position[0].keys.len(), 1);
    let lost = &report.losses[0].message;
    assert!(lost.starts_with("the attributes not read: "), "{lost}");
    let expected = "global heap: expected GCOL, found \"\\x01\\xa7a~\"";
    assert!(lost.ends_with(expected), "{lost}");
}

#[test]
fn a_truncated_group_has_the_path_of_other_messages() {
    let mut writer = Writer::new();
    let transforms = writer.data(b"OHDR\x02\x02\xff\0\0\0");
    let root = writer.object(&[link("transforms", transforms)]);
    let error = message(read(&writer.finish(root)).unwrap_err());
    assert!(
        error.starts_with("cannot read /transforms of the HDF5 file: offset 0x3a: object header: expected 255 bytes, found "),
        "{error}"
    );
}

/// Changes every seventh byte of a file that h5py wrote, in turn; random numbers choose the first one.
fn change_bytes(name: &str) {
    let mut bytes = fs::read(by_h5py(name)).unwrap();
    let first = RandomNumbers::from_environment().below(7) as usize;
    for index in (first..bytes.len()).step_by(7) {
        let own = bytes[index];
        bytes[index] = match index % 2 {
            0 => own ^ 0xff,
            _ => own.wrapping_add(1),
        };
        read_anything(&bytes);
        bytes[index] = own;
    }
}

// Two tests, so that they run at the same time.
#[test]
fn changed_bytes_of_the_oldest_form_give_errors_or_recordings() {
    change_bytes("earliest.hdf5");
}

#[test]
fn changed_bytes_of_the_latest_form_give_errors_or_recordings() {
    change_bytes("latest.hdf5");
}

#[test]
fn random_changes_give_errors_or_recordings() {
    let mut random = RandomNumbers::from_environment();
    for name in ["earliest.hdf5", "latest.hdf5"] {
        let bytes = fs::read(by_h5py(name)).unwrap();
        for _ in 0..1000 {
            if let Some(recording) = read_anything(&mutate(&bytes, &mut random)) {
                Sampler::new(&recording).unwrap().frame_at(0.0);
            }
        }
    }
}

/// Returns a file whose only transform has these messages.
fn camera(messages: &[Message]) -> Vec<u8> {
    camera_in(Writer::new(), messages)
}

fn camera_in(mut writer: Writer, messages: &[Message]) -> Vec<u8> {
    let camera = writer.object(messages);
    let transforms = writer.object(&[link("camera", camera)]);
    let root = writer.object(&[link("transforms", transforms)]);
    writer.finish(root)
}

fn datatype() -> Message {
    (0x03, super::hdf5::F32.to_vec())
}

fn problem(bytes: &[u8]) -> Hdf5Error {
    match format_error(read(bytes).unwrap_err()) {
        EgoDexError::Hdf5 { source, .. } => source,
        other => panic!("{other}"),
    }
}

#[test]
fn sizes_are_compared_with_the_file_before_memory_is_allocated() {
    let frames = 1 << 20;
    let shape = dataspace(&[frames, 4, 4]);
    // Contiguous data behind the end of the file.
    let bytes = camera(&[shape.clone(), datatype(), layout(64, 64 * frames)]);
    assert!(matches!(problem(&bytes), Hdf5Error::Truncated { .. }));
    // Contiguous data that are shorter than the shape.
    let bytes = camera(&[shape.clone(), datatype(), layout(64, 16)]);
    assert!(matches!(problem(&bytes), Hdf5Error::Truncated { .. }));
    // Data that were never written: one gigabyte of zeros in a file of 300 bytes.
    let huge = dataspace(&[16 << 20, 4, 4]);
    let bytes = camera(&[huge, datatype(), layout(UNDEFINED, 0)]);
    assert!(matches!(problem(&bytes), Hdf5Error::Unpacked { .. }));
    // A shape whose size exceeds 64 bits.
    let huge = dataspace(&[u64::MAX, 4, 4]);
    let error = read(&camera(&[huge, datatype(), layout(64, 16)])).unwrap_err();
    assert!(
        matches!(error, Error::Limit { unit: "keys", .. }),
        "{error}"
    );
    // A chunk of four gigabytes.
    let chunk = |sizes: [u32; 4], index: &[u8]| {
        let mut data = vec![4, 2, 0, 4, 4];
        data.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        data.extend(index);
        data.extend(64_u64.to_le_bytes());
        (0x08, data)
    };
    let small = dataspace(&[1, 4, 4]);
    let bytes = camera(&[small, datatype(), chunk([u32::MAX / 64, 4, 4, 4], &[2])]);
    assert!(matches!(problem(&bytes), Hdf5Error::Truncated { .. }));
}

#[test]
fn a_chunk_that_unpacks_to_more_than_its_size_is_refused() {
    // Gzip: a megabyte of zeros for a chunk of 64 bytes.
    let mut writer = Writer::new();
    let mut zeros = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zeros, &vec![0; 1 << 20]).unwrap();
    let packed = zeros.finish().unwrap();
    let address = writer.data(&packed);
    let mut chunk = vec![4, 2, 2, 4, 1, 1, 4, 4, 4, 1];
    chunk.extend((packed.len() as u64).to_le_bytes());
    chunk.extend([0; 4]);
    chunk.extend(address.to_le_bytes());
    let deflate = (0x0b, vec![2, 1, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0]);
    let bytes = camera_in(
        writer,
        &[dataspace(&[1, 4, 4]), datatype(), deflate, (0x08, chunk)],
    );
    let error = problem(&bytes);
    assert!(
        error.to_string().contains("expected 64 bytes, found 81"),
        "{error}"
    );
}

#[test]
fn structures_in_a_circle_give_an_error() {
    // A header whose continuation is the header's own block.
    let mut writer = Writer::new();
    let start = writer.data(b"OHDR\x02\x02");
    let block = start + 6 + 4;
    let mut header = 20_u32.to_le_bytes().to_vec();
    header.extend([0x10, 16, 0, 0]);
    header.extend((block + 20).to_le_bytes());
    header.extend(28_u64.to_le_bytes());
    writer.data(&header);
    let mut again = b"OCHK".to_vec();
    again.extend([0x10, 16, 0, 0]);
    again.extend((block + 20).to_le_bytes());
    again.extend(28_u64.to_le_bytes());
    again.extend([0; 4]);
    writer.data(&again);
    assert!(matches!(problem(&writer.finish(start)), Hdf5Error::Repeats));

    // A B-tree of version 1 that contains itself.
    let mut writer = Writer::new();
    let heap = writer.data(&[b"HEAP\0\0\0\0".as_slice(), &[0; 24]].concat());
    let tree = writer.bytes.len() as u64;
    let mut node = b"TREE\0\x01\x01\0".to_vec();
    node.extend([0xff; 16]);
    node.extend([0; 8]);
    node.extend(tree.to_le_bytes());
    writer.data(&node);
    let table = [tree, heap].into_iter().flat_map(u64::to_le_bytes);
    let root = writer.object(&[(0x11, table.collect())]);
    let error = problem(&writer.finish(root));
    assert!(matches!(error, Hdf5Error::Invalid { .. }), "{error}");
}

#[test]
fn names_that_overlap_are_not_copied() {
    // 20,000 names that are one text of a megabyte, each from another byte on.
    let (count, length) = (20_000_u64, 1_000_000_u64);
    let mut writer = Writer::new();
    let text = writer.data(&vec![b'a'; length as usize]);
    let mut heap = b"HEAP\0\0\0\0".to_vec();
    for number in [length, 1, text] {
        heap.extend(number.to_le_bytes());
    }
    let heap = writer.data(&heap);
    let mut node = b"SNOD\x01\0".to_vec();
    node.extend((count as u16).to_le_bytes());
    for offset in 0..count {
        node.extend(offset.to_le_bytes());
        node.extend(heap.to_le_bytes());
        node.extend([0; 24]);
    }
    let node = writer.data(&node);
    let mut tree = b"TREE\0\0\x01\0".to_vec();
    tree.extend([0xff; 16]);
    tree.extend([0; 8]);
    tree.extend(node.to_le_bytes());
    let tree = writer.data(&tree);
    let table = [tree, heap].into_iter().flat_map(u64::to_le_bytes);
    let root = writer.object(&[(0x11, table.collect())]);
    let error = message(read(&writer.finish(root)).unwrap_err());
    assert!(error.len() < 600, "{error}");
}

#[test]
fn more_filters_than_hdf5_allows_are_refused() {
    for (count, is_refused) in [(32, false), (33, true)] {
        let mut filters = vec![2, count];
        filters.extend([3, 0, 0, 0, 0, 0].repeat(count.into()));
        let messages = [
            dataspace(&[1, 4, 4]),
            datatype(),
            (0x0b, filters),
            layout(64, 64),
        ];
        let result = read(&camera(&messages));
        assert_eq!(result.is_err(), is_refused, "{count}");
        if let Err(error) = result {
            let error = message(error);
            assert!(
                error.contains("expected at most 32 filters, found 33"),
                "{error}"
            );
        }
    }
}

#[test]
fn thousands_of_dense_links_are_read() {
    // A fractal heap with one block that contains all links, and a B-tree of version 2 with one leaf.
    let count = 3000;
    let mut writer = Writer::new();
    let identity: [f32; 16] = std::array::from_fn(|index| if index % 5 == 0 { 1.0 } else { 0.0 });
    let camera = writer.floats(&[1, 4, 4], &identity);
    let mut block = b"FHDB\0".to_vec();
    let mut records = Vec::new();
    for index in 0..count {
        let name = match index {
            0 => "camera".to_owned(),
            _ => format!("joint{index}"),
        };
        let (_, data) = link(&name, camera);
        records.extend([0; 5]);
        records.extend((block.len() as u32).to_le_bytes());
        records.extend((data.len() as u16).to_le_bytes());
        block.extend(data);
    }
    let block = writer.data(&block);
    let mut heap = b"FRHP\0\x07\0\0\0\0".to_vec();
    heap.extend(4096_u32.to_le_bytes());
    heap.extend([0; 12 * 8]);
    heap.extend(4_u16.to_le_bytes());
    heap.extend(
        [512_u64, 1 << 20]
            .iter()
            .flat_map(|size| size.to_le_bytes()),
    );
    heap.extend([32, 0, 1, 0]);
    heap.extend(block.to_le_bytes());
    heap.extend([0; 2]);
    let heap = writer.data(&heap);
    let leaf = writer.data(&[b"BTLF\0\x05".to_vec(), records].concat());
    let mut tree = b"BTHD\0\x05".to_vec();
    tree.extend(65536_u32.to_le_bytes());
    tree.extend([11, 0, 0, 0, 100, 40]);
    tree.extend(leaf.to_le_bytes());
    tree.extend((count as u16).to_le_bytes());
    let tree = writer.data(&tree);
    let addresses = [heap, tree].into_iter().flat_map(u64::to_le_bytes);
    let info = [0, 0].into_iter().chain(addresses);
    let transforms = writer.object(&[(0x02, info.collect())]);
    let root = writer.object(&[link("transforms", transforms)]);
    let (recording, report) = read(&writer.finish(root)).unwrap_or_else(|error| {
        panic!("{}", message(error));
    });
    assert_eq!(recording.head.unwrap().position[0].keys.len(), 1);
    let notes = report.notes.iter().map(|note| &*note.message);
    let expected = "not read: 2999 other transforms such as arms and spine";
    assert!(notes.into_iter().any(|note| note == expected));
}

#[test]
fn unknown_parts_of_hdf5_are_named() {
    let shape = || dataspace(&[1, 4, 4]);
    let integer = (0x03, vec![0x10, 0, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0]);
    for (messages, expected) in [
        (
            vec![shape(), integer, layout(64, 64)],
            "datatype: expected an IEEE float, found an integer of 4 bytes",
        ),
        (
            vec![shape(), datatype(), (0x08, vec![1, 3, 1, 0, 0, 0, 0, 0])],
            "data layout is not supported: version 1",
        ),
        (
            vec![
                shape(),
                datatype(),
                layout(64, 64),
                (
                    0x0b,
                    [&[2, 1, 1, 0x7d, 6, 0, 0, 0, 0, 0], &b"blosc\0"[..]].concat(),
                ),
            ],
            "filter pipeline is not supported: filter 32001 blosc",
        ),
    ] {
        let error = message(read(&camera(&messages)).unwrap_err());
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("/transforms/camera"), "{error}");
    }
}

#[test]
fn an_episode_with_few_structures_survives_every_change() {
    let episode = Episode::of(&both(1));
    let mut small = episode.clone();
    small.transforms.truncate(3);
    let mut bytes = small.write();
    for index in 0..bytes.len() {
        let own = bytes[index];
        for changed in [0, 1, 0x7f, 0x80, 0xff, own ^ 1, own.wrapping_add(1)] {
            bytes[index] = changed;
            read_anything(&bytes);
        }
        bytes[index] = own;
    }
}

/// Writes another object instead of a dataset. `shape` is the shape of the dataset, and `data` its bytes.
type Replaced = fn(&mut Writer, shape: &[u64], data: &[u8]) -> u64;

const DAMAGES: [(&str, Replaced); 9] = [
    ("no object", |writer, _, _| writer.data(b"no object header")),
    ("an address behind the end", |_, _, _| 1 << 40),
    ("integers", |writer, shape, data| {
        let integer = vec![0x10, 0, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0];
        let address = writer.data(data);
        let layout = layout(address, data.len() as u64);
        writer.object(&[dataspace(shape), (0x03, integer), layout])
    }),
    ("another shape", |writer, shape, data| {
        let address = writer.data(data);
        let shape = [shape, &[2]].concat();
        writer.object(&[
            dataspace(&shape),
            datatype(),
            layout(address, data.len() as u64),
        ])
    }),
    ("data behind the end", |writer, shape, data| {
        let layout = layout(1 << 40, data.len() as u64);
        writer.object(&[dataspace(shape), datatype(), layout])
    }),
    ("half of the data", |writer, shape, data| {
        let address = writer.data(data);
        let layout = layout(address, data.len() as u64 / 2);
        writer.object(&[dataspace(shape), datatype(), layout])
    }),
    ("one frame less", |writer, shape, data| {
        let address = writer.data(data);
        let size = data.len() as u64 - data.len() as u64 / shape[0];
        let shape = [&[shape[0] - 1], &shape[1..]].concat();
        writer.object(&[dataspace(&shape), datatype(), layout(address, size)])
    }),
    ("a frame more", |writer, shape, data| {
        let size = data.len() / shape[0] as usize;
        let data = [data, &data[..size]].concat();
        let address = writer.data(&data);
        let shape = [&[shape[0] + 1], &shape[1..]].concat();
        writer.object(&[
            dataspace(&shape),
            datatype(),
            layout(address, data.len() as u64),
        ])
    }),
    ("a damaged chunk of three", |writer, shape, data| {
        // Chunks of two frames, each packed, with an index of version 1.
        let size = data.len() / shape[0] as usize;
        let mut entries = Vec::new();
        for (number, chunk) in data.chunks(2 * size).enumerate() {
            let mut packed =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packed, chunk).unwrap();
            let mut packed = packed.finish().unwrap();
            if number == 1 {
                packed[0] = 0xff;
            }
            let address = writer.data(&packed);
            entries.push((packed.len() as u32, 2 * number as u64, address));
        }
        let mut node = b"TREE\x01\0".to_vec();
        node.extend((entries.len() as u16).to_le_bytes());
        node.extend([0xff; 16]);
        let key = |size: u32, first: u64| {
            let mut key = [size.to_le_bytes(), [0; 4]].concat();
            key.extend(first.to_le_bytes());
            // The other dimensions, and the size of an element.
            key.extend(vec![0; 8 * shape.len()]);
            key
        };
        for (size, first, address) in entries {
            node.extend(key(size, first));
            node.extend(address.to_le_bytes());
        }
        node.extend(key(0, shape[0]));
        let tree = writer.data(&node);
        let mut chunked = vec![3, 2, shape.len() as u8 + 1];
        chunked.extend(tree.to_le_bytes());
        let sizes = [2]
            .into_iter()
            .chain(shape[1..].iter().map(|size| *size as u32));
        chunked.extend(sizes.chain([4]).flat_map(u32::to_le_bytes));
        let deflate = (0x0b, vec![2, 1, 1, 0, 0, 0, 1, 0, 9, 0, 0, 0]);
        writer.object(&[dataspace(shape), datatype(), deflate, (0x08, chunked)])
    }),
];

#[test]
fn each_damaged_dataset_costs_itself() {
    const FRAMES: u64 = 6;
    let episode = Episode::of(&both(FRAMES as usize));
    let (whole, _) = read(&episode.write()).unwrap();
    let mut costs = Costs::new(whole);
    let bytes = |floats: &[f32]| -> Vec<u8> {
        floats
            .iter()
            .flat_map(|float| float.to_le_bytes())
            .collect()
    };
    for name in [
        "camera",
        "leftHand",
        "rightThumbTip",
        "confidence of leftHand",
    ] {
        for (damage, replaced) in DAMAGES {
            let damaged = episode.write_with(|writer, dataset| {
                (dataset == name).then(|| match dataset.strip_prefix("confidence of ") {
                    Some(name) => {
                        let mut all = episode.confidences.iter();
                        let (_, floats) = all.find(|(other, _)| other == name).unwrap();
                        replaced(writer, &[FRAMES], &bytes(floats))
                    }
                    None => {
                        let mut all = episode.transforms.iter();
                        let (_, matrices) = all.find(|(other, _)| other == dataset).unwrap();
                        let data = bytes(matrices.as_flattened());
                        replaced(writer, &[FRAMES, 4, 4], &data)
                    }
                })
            });
            costs.add(name, damage, read(&damaged), false);
        }
    }
    assert_eq!(costs.refused, [""; 0], "{}", costs.text());
    for (name, percent) in [("file", 99), ("file", 60), ("file", 10)] {
        // The links to the datasets are at the end of such a file.
        let bytes = episode.write();
        let end = bytes.len() * percent / 100;
        costs.add(
            name,
            &format!("cut at {percent} %"),
            read(&bytes[..end]),
            false,
        );
    }
    assert_eq!(costs.silent, [""; 0], "{}", costs.text());
    snapbox::assert_data_eq!(
        costs.text(),
        snapbox::file!["../../golden/damage-egodex.txt"].raw()
    );
}

#[test]
fn files_of_h5py_that_are_cut_off_keep_the_data_before() {
    let mut read_in_part = 0;
    for name in ["earliest.hdf5", "latest.hdf5"] {
        let bytes = fs::read(by_h5py(name)).unwrap();
        let (whole, _) = read(&bytes).unwrap();
        for end in (0..bytes.len()).step_by(97) {
            let mut costs = Costs::new(whole.clone());
            let reading = read(&bytes[..end]);
            read_in_part += usize::from(reading.is_ok());
            costs.add("file", &format!("cut at {end}"), reading, false);
            assert_eq!(costs.silent, [""; 0]);
        }
    }
    // The groups are at the end of most of these files.
    assert!(read_in_part > 0);
}
