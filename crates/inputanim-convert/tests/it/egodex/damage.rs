//! Damaged and hostile files.

use std::fs;

use inputanim_testkit::{RandomNumbers, mutate};

use super::episode::Episode;
use super::hdf5::{Message, UNDEFINED, Writer, dataspace, layout, link};
use super::*;

/// Reads bytes that may be anything. The result is a recording or an error.
fn read_anything(bytes: &[u8]) -> Option<Recording<'static>> {
    read(bytes).ok().map(|(recording, _)| recording)
}

#[test]
fn files_that_end_early_give_errors() {
    for name in ["earliest.hdf5", "latest.hdf5"] {
        let bytes = fs::read(by_h5py(name)).unwrap();
        for end in 0..bytes.len() {
            read_anything(&bytes[..end]);
        }
    }
}

/// Changes each byte of a file that h5py wrote.
fn change_each_byte(name: &str) {
    let mut bytes = fs::read(by_h5py(name)).unwrap();
    for index in 0..bytes.len() {
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
    change_each_byte("earliest.hdf5");
}

#[test]
fn changed_bytes_of_the_latest_form_give_errors_or_recordings() {
    change_each_byte("latest.hdf5");
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
    match read(bytes).unwrap_err() {
        Error::EgoDex(EgoDexError::Hdf5 { source, .. }) => source,
        other => panic!("{}", message(other)),
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
    assert!(matches!(problem(&bytes), Hdf5Error::Unpacked { .. }));
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
fn unknown_parts_of_hdf5_are_named() {
    let shape = || dataspace(&[1, 4, 4]);
    let integer = (0x03, vec![0x10, 0, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0]);
    for (messages, expected) in [
        (
            vec![shape(), integer, layout(64, 64)],
            "datatype: expected an IEEE float, found Integer { size: 4 }",
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
                    vec![2, 1, 0, 0x7d, 4, 0, 0, 0, 0, 0, b'l', b'z', b'f', 0],
                ),
            ],
            "filter pipeline is not supported: filter 32000 lzf",
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
