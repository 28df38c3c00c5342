//! Damaged XROR files: each element of the document is damaged in turn, and costs only itself.

use std::ops::Range;

use inputanim::{Recording, Sampler};
use inputanim_convert::{Format, LossKind, ReadOptions};

use crate::costs::{Costs, Reading};
use crate::xror::{Bson, POSE, SMALL, binary, device, file_with, rows};

fn read(bytes: &[u8]) -> Reading {
    let (recording, report) =
        inputanim_convert::read(Format::Xror, bytes, &ReadOptions::default())?;
    Ok((recording.into_owned(), report))
}

/// An element of a document: its path, its bytes, and the bytes of its value.
struct Part {
    path: String,
    element: Range<usize>,
    value: Range<usize>,
}

/// Adds the elements of a document at `start`, and of the documents in it.
fn add_parts(bytes: &[u8], start: usize, path: &str, parts: &mut Vec<Part>) {
    let number =
        |place: usize| u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize;
    let mut place = start + 4;
    while bytes[place] != 0 {
        let element = place;
        let kind = bytes[place];
        let name_end = place + 1 + bytes[place + 1..].iter().position(|&b| b == 0).unwrap();
        let name = str::from_utf8(&bytes[place + 1..name_end]).unwrap();
        let path = match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let value = name_end + 1;
        let size = match kind {
            0x01 | 0x09 | 0x12 => 8,
            0x02 => 4 + number(value),
            0x03 | 0x04 => number(value),
            0x05 => 5 + number(value),
            0x08 => 1,
            0x0a => 0,
            0x10 => 4,
            other => panic!("{other}"),
        };
        place = value + size;
        parts.push(Part {
            path: path.clone(),
            element: element..place,
            value: value..place,
        });
        if matches!(kind, 0x03 | 0x04) {
            add_parts(bytes, value, &path, parts);
        }
    }
}

/// Damages a part.
type Damage = fn(&mut Vec<u8>, &Part);

const DAMAGES: [(&str, Damage); 9] = [
    ("a byte changed", |bytes, part| {
        bytes[part.value.start + part.value.len() / 2] ^= 0x55;
    }),
    ("overwritten", |bytes, part| {
        bytes[part.value.clone()].fill(0xff)
    }),
    ("another kind", |bytes, part| {
        bytes[part.element.start] ^= 0x60
    }),
    ("a name that is not UTF-8", |bytes, part| {
        bytes[part.element.start + 1] = 0xff
    }),
    ("a larger size", |bytes, part| {
        bytes[part.value.start + 1] ^= 0x40
    }),
    ("a smaller size", |bytes, part| bytes[part.value.start] = 2),
    ("cut off", |bytes, part| {
        bytes.truncate(part.value.start + part.value.len() / 2);
    }),
    ("removed", |bytes, part| {
        bytes.drain(part.element.clone());
    }),
    ("repeated", |bytes, part| {
        let again = bytes[part.element.clone()].to_vec();
        bytes.splice(part.element.end..part.element.end, again);
    }),
];

#[test]
fn each_element_of_a_file_costs_itself() {
    let mut parts = Vec::new();
    add_parts(SMALL, 0, "", &mut parts);
    assert!(parts.len() > 40);
    let (whole, _) = read(SMALL).unwrap();
    let mut costs = Costs::new(whole);
    for (damage, size) in [("a larger size", 0x40_u8), ("a size of 0", 0)] {
        let mut damaged = SMALL.to_vec();
        damaged[2] ^= size;
        if size == 0 {
            damaged[..4].fill(0);
        }
        costs.add("document", damage, read(&damaged), false);
    }
    for part in &parts {
        // Of the axes, one is enough.
        let last = part.path.rsplit('.').next().unwrap();
        if part.path.contains("axes.") && last != "3" {
            continue;
        }
        // The elements of other devices and events are like those of the first ones.
        let others = [
            "devices.1.",
            "devices.2.",
            "events.1.",
            "events.2.",
            "otherData.",
            "attr.",
        ];
        if others.iter().any(|other| part.path.contains(other)) {
            continue;
        }
        for (damage, apply) in DAMAGES {
            if part.value.len() < 4 {
                continue;
            }
            let mut damaged = SMALL.to_vec();
            apply(&mut damaged, part);
            // Compressed numbers have no checksum.
            let is_packed = part.path == "frames";
            costs.add(&part.path, damage, read(&damaged), is_packed);
        }
    }
    let text = costs.text();
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/damage-xror.txt"].raw());
}

#[test]
fn a_file_that_is_cut_off_keeps_the_frames_before() {
    let (whole, _) = read(SMALL).unwrap();
    let frames = |recording: &Recording<'_>| Sampler::new(recording).unwrap().key_times().len();
    let mut last = 0;
    for end in 0..SMALL.len() {
        let mut costs = Costs::new(whole.clone());
        let reading = read(&SMALL[..end]);
        let count = reading
            .as_ref()
            .map_or(0, |(recording, _)| frames(recording));
        if let Ok((_, report)) = &reading {
            assert!(
                report
                    .losses
                    .iter()
                    .any(|loss| loss.kind == LossKind::Damage),
                "{end}"
            );
        }
        costs.add("file", &format!("cut at {end}"), reading, false);
        assert!(count >= last, "{end}: {count} after {last} frames");
        last = count;
    }
    assert_eq!(last, 12);
}

#[test]
fn damaged_numbers_cost_the_frames_from_there_on() {
    // Twelve frames of three devices, of which a byte after another is changed.
    let frames = binary(SMALL, "frames");
    let start = SMALL
        .windows(frames.len())
        .position(|part| part == frames)
        .unwrap();
    let (whole, _) = read(SMALL).unwrap();
    let (mut lost, mut silent, mut refused, mut wrong) = (0, 0, 0, 0);
    for place in 40..frames.len() {
        let mut damaged = SMALL.to_vec();
        damaged[start + place] ^= 0x55;
        let Ok((recording, report)) = read(&damaged) else {
            refused += 1;
            continue;
        };
        let is_reported = report
            .losses
            .iter()
            .any(|loss| loss.kind == LossKind::Damage);
        let (recording, whole) = (recording.head.unwrap(), whole.head.as_ref().unwrap());
        let points = |curve: &inputanim::FloatCurve<'_>| curve.keys.points().collect::<Vec<_>>();
        let (found, all) = (points(&recording.position[0]), points(&whole.position[0]));
        match (is_reported, all.starts_with(&found)) {
            (true, true) => lost += 1,
            (true, false) => wrong += 1,
            (false, _) => silent += 1,
        }
    }
    let all = lost + silent + refused + wrong;
    // Only the last numbers of the last frame can be wrong without a trace.
    assert!(
        silent * 10 < all && wrong * 10 < all,
        "{lost} {silent} {refused} {wrong}"
    );
    assert!(lost > all / 2, "{lost} {silent} {refused} {wrong}");
}

#[test]
fn a_frame_that_is_no_frame_costs_itself() {
    let frame = |time: f64, y: f64| vec![time, 0.0, y, 0.0, 0.0, 0.0, 0.0, 1.0];
    let good: Vec<Vec<f64>> = (0..6).map(|step| frame(f64::from(step), 1.5)).collect();
    let plain = |frames: Bson| file_with(vec![device("HEAD", &POSE)], frames, Vec::new());
    let undamaged = |frames: &[Vec<f64>]| {
        let frames: Vec<&[f64]> = frames.iter().map(Vec::as_slice).collect();
        plain(rows(&frames))
    };
    let (whole, _) = read(&undamaged(&good)).unwrap();
    let numbers = |frame: &[f64]| frame.iter().copied().map(Bson::Number).collect::<Vec<_>>();
    type Change = fn(&mut Vec<Bson>);
    let changes: [(&str, Change); 7] = [
        ("a text", |frame| frame[2] = Bson::Text("x")),
        ("one number less", |frame| {
            frame.pop();
        }),
        ("one number more", |frame| frame.push(Bson::Number(1.0))),
        ("a time far ahead", |frame| frame[0] = Bson::Number(1e6)),
        ("a time before the others", |frame| {
            frame[0] = Bson::Number(-1e6)
        }),
        ("a time that is not finite", |frame| {
            frame[0] = Bson::Number(1e300)
        }),
        ("an infinite number", |frame| {
            frame[2] = Bson::Number(f64::INFINITY)
        }),
    ];
    let mut costs = Costs::new(whole);
    for (name, change) in changes {
        for place in [0, 3] {
            // A first time that is too small cannot be told from a pause.
            if (place, name) == (0, "a time before the others") {
                continue;
            }
            let frames = good.iter().enumerate().map(|(index, frame)| {
                let mut frame = numbers(frame);
                if index == place {
                    change(&mut frame);
                }
                Bson::Array(frame)
            });
            let bytes = plain(Bson::Array(frames.collect()));
            let (recording, report) = read(&bytes).unwrap();
            assert_eq!(
                recording.head.as_ref().unwrap().position[1].keys.len(),
                5,
                "{name}"
            );
            costs.add(
                &format!("frame {place}"),
                name,
                Ok((recording, report)),
                false,
            );
        }
    }
    assert_eq!(costs.silent, [""; 0]);
    snapbox::assert_data_eq!(
        costs.text(),
        snapbox::file!["../golden/damage-xror-frames.txt"].raw()
    );
}

#[test]
fn a_device_without_readable_axes_costs_itself() {
    let frame: Vec<f64> = [0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0]
        .into_iter()
        .chain([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0])
        .chain([0.4, 0.5, 0.6, 0.0, 0.0, 0.0, 1.0])
        .collect();
    let bytes = |damaged: usize| {
        let mut devices: Vec<Bson> = ["HEAD", "HAND_LEFT", "HAND_RIGHT"]
            .map(|joint| device(joint, &POSE))
            .into();
        if let Some(damaged) = devices.get_mut(damaged) {
            *damaged = Bson::Document(vec![("axes", Bson::Null)]);
        }
        file_with(devices, rows(&[&frame]), Vec::new())
    };
    let (whole, _) = read(&bytes(9)).unwrap();
    let mut costs = Costs::new(whole);
    for damaged in 0..3 {
        costs.add(
            &format!("device {damaged}"),
            "no axes",
            read(&bytes(damaged)),
            false,
        );
    }
    snapbox::assert_data_eq!(
        costs.text(),
        snapbox::file!["../golden/damage-xror-devices.txt"].raw()
    );
}
