//! XDF files of laboratories: damaged, unusual and compressed files, and limits.

use std::io::Write;
use std::sync::OnceLock;

use inputanim::{Layout, Limits, Recording, Sampler};
use inputanim_convert::{Error, Format, LossKind, ReadOptions, WriteOptions};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::xdf::Lab;
use proptest::prelude::*;

use crate::xdf_files::{PALM, error, losses, points, read, read_with, tracker};

/// Returns a file that is written, with all streams.
fn written() -> Vec<u8> {
    static WRITTEN: OnceLock<Vec<u8>> = OnceLock::new();
    let write = || {
        let recording = Motion::new(Scene::TwoHands, 1, 12.0).record(10.0, Layout::Mrtk1_1);
        let mut options = WriteOptions::default();
        options.sampling = inputanim_convert::Sampling::Rate(2.0);
        let mut bytes = Vec::new();
        inputanim_convert::write(Format::Xdf, &recording, &options, &mut bytes).unwrap();
        bytes
    };
    WRITTEN.get_or_init(write).clone()
}

#[test]
fn a_file_that_is_cut_off_keeps_its_intact_chunks() {
    let whole = written();
    let (intact, _) = read(&whole, &[]).unwrap();
    let step = whole.len() / 199;
    let mut read_files = 0;
    for end in (0..whole.len())
        .step_by(step)
        .chain((whole.len() - 300..whole.len()).step_by(3))
    {
        let Ok((recording, _)) = read(&whole[..end], &[]) else {
            continue;
        };
        read_files += 1;
        let head = |recording: &Recording<'_>| {
            points(&recording.head.clone().unwrap_or_default().position[0])
        };
        let (whole, part) = (head(&intact), head(&recording));
        let other = whole.iter().zip(&part).find(|(a, b)| a != b);
        assert_eq!(other, None, "{end}");
    }
    assert!(read_files > 100, "{read_files}");
    let (_, report) = read(&whole[..whole.len() - 1], &[]).unwrap();
    let [(LossKind::Damage, message)] = losses(&report)[..] else {
        panic!("{report:?}")
    };
    assert!(
        message.starts_with("1 chunk damaged, at byte "),
        "{message}"
    );
    assert!(message.ends_with(": the file is cut off"), "{message}");
}

/// A function that adds damage to a file.
type Damage<'d> = &'d dyn Fn(&mut Lab);

#[test]
fn reading_continues_after_the_next_boundary() {
    let sample = |time: f64| (time, &[1.0_f32, 2.0, 3.0][..]);
    let labels = ["head.position.x", "head.position.y", "head.position.z"];
    let file = |damage: &dyn Fn(&mut Lab)| {
        let mut lab = Lab::new();
        lab.stream(1, ["A", "MoCap", "float32"], 0.0, &labels)
            .floats(1, &[sample(1.0)]);
        damage(&mut lab);
        lab.floats(1, &[sample(2.0)])
            .boundary()
            .floats(1, &[sample(3.0)]);
        lab.0
    };
    let damages: [(Damage<'_>, &str, usize); 7] = [
        (
            &|lab| lab.0.extend([7, 9, 9]),
            "expected a chunk, found an invalid length",
            2,
        ),
        (
            &|lab| lab.0.extend([4, 0, 0, 0, 1, 3, 0]),
            "expected a chunk, found a length beyond the end of the file",
            2,
        ),
        (
            &|lab| lab.0.extend([1, 0]),
            "expected a chunk, found an invalid length",
            2,
        ),
        (
            &|lab| {
                lab.chunk(3, &[1]);
            },
            "a chunk is too short for the id of a stream",
            2,
        ),
        (
            &|lab| {
                lab.chunk(3, &[1, 0, 0, 0, 1, 9, 8]);
            },
            "samples of stream 1 do not fill their chunk",
            2,
        ),
        // The length of these chunks is right, so that the next chunk is found without a boundary.
        (
            &|lab| {
                lab.floats(9, &[sample(1.5)]);
            },
            "a chunk of stream 9, which has no intact header",
            3,
        ),
        (
            &|lab| {
                lab.clock_offset(1, f64::NAN, 0.0);
            },
            "a clock offset of stream 1 is not two finite numbers",
            3,
        ),
    ];
    for (damage, message, count) in damages {
        let bytes = file(damage);
        let (recording, report) = read(&bytes, &[]).unwrap();
        assert_eq!(
            recording.head.unwrap().position[0].keys.len(),
            count,
            "{message}"
        );
        let [(LossKind::Damage, found)] = losses(&report)[..] else {
            panic!("{report:?}")
        };
        assert!(
            found.ends_with(message) && found.starts_with("1 chunk damaged"),
            "{found}"
        );
    }
    let bad = file(&|lab| {
        lab.footer(1, "<info>");
    });
    let (_, report) = read(&bad, &[]).unwrap();
    assert!(
        losses(&report)[0].1.contains("footer of stream 1"),
        "{report:?}"
    );
    let bad = file(&|lab| {
        lab.header(2, "<info><name>&x;</name></info>");
    });
    let (_, report) = read(&bad, &[]).unwrap();
    assert!(
        losses(&report)[0].1.contains("header of stream 2"),
        "{report:?}"
    );
}

#[test]
fn headers_with_unusual_content_are_handled() {
    let read = |xml: &str| {
        let mut lab = tracker();
        lab.header(2, xml);
        let (_, report) = read(&lab.0, &PALM).unwrap();
        let losses = losses(&report);
        losses
            .first()
            .map(|(_, message)| message.split_once("stream 2: ").unwrap().1.to_owned())
    };
    let info = |fields: &str| format!("<info>{fields}</info>");
    let [count, rate, format] = [
        "<channel_count>1</channel_count>",
        "<nominal_srate>0</nominal_srate>",
        "<channel_format>int8</channel_format>",
    ];
    assert_eq!(read(&info(&[count, rate, format].concat())), None);
    assert_eq!(
        read(&info(&[count, rate].concat())).unwrap(),
        "no <channel_format>"
    );
    assert_eq!(
        read(&info(&[rate, format].concat())).unwrap(),
        "no <channel_count>"
    );
    let negative = "<channel_count>-1</channel_count>";
    assert_eq!(
        read(&info(&[negative, rate, format].concat())).unwrap(),
        "invalid <channel_count>: \"-1\""
    );
    let infinite = "<nominal_srate>inf</nominal_srate>";
    assert_eq!(
        read(&info(&[count, infinite, format].concat())).unwrap(),
        "invalid <nominal_srate>: \"inf\""
    );
    let float = "<channel_format>float</channel_format>";
    assert_eq!(
        read(&info(&[count, rate, float].concat())).unwrap(),
        "invalid <channel_format>: \"float\""
    );
    assert_eq!(read("<a/>").unwrap(), "expected <info>");
    // Elements that are nested deeply do not use the stack.
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert_eq!(read(&info(&[count, rate, format, &deep].concat())), None);
    // Many channels take no memory without samples.
    let many = "<channel_count>4294967295</channel_count>";
    assert_eq!(read(&info(&[many, rate, format].concat())), None);
    // The parser takes quadratic time for attributes, and cubic time for nested declarations of namespaces.
    let attributes: String = (0..200)
        .map(|number| format!(" a{number} =\n'<'"))
        .collect();
    let attributes = format!("<a{}/>", attributes.replace('<', "&lt;"));
    assert_eq!(
        read(&info(&[count, rate, format, &attributes].concat())).unwrap(),
        "more than 100 attributes"
    );
    let spaces = (0..200).map(|number| format!("<a xmlns:n{number}=\"u\">"));
    let spaces = format!("{}{}", spaces.collect::<String>(), "</a>".repeat(200));
    assert_eq!(
        read(&info(&[count, rate, format, &spaces].concat())).unwrap(),
        "more than 100 attributes"
    );
    // A text may contain equals signs.
    let text = format!("<note>{}</note>", "a = b; c == d ".repeat(1000));
    assert_eq!(read(&info(&[count, rate, format, &text].concat())), None);
    let long = format!("<note>{}</note>", "x".repeat(5 << 20));
    assert_eq!(
        read(&info(&[count, rate, format, &long].concat())).unwrap(),
        "more than 4194304 bytes"
    );
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><info>&a;</info>";
    assert!(read(entities).unwrap().contains("DTD"));
}

#[test]
fn limits_bound_what_is_read() {
    let bytes = written();
    let read = |change: &dyn Fn(&mut Limits)| {
        let mut options = ReadOptions::default();
        change(&mut options.limits);
        read_with(&bytes, &options).map(|_| ())
    };
    assert!(read(&|_| {}).is_ok());
    let limited = |result| matches!(result, Err(Error::Limit { .. }));
    assert!(limited(read(
        &|limits| limits.max_bytes = bytes.len() as u64 - 1
    )));
    assert!(limited(read(&|limits| limits.max_keys = 1000)));
    assert!(limited(read(&|limits| limits.max_markers = 0)));
}

#[test]
fn compressed_files_are_unpacked_within_limits() {
    let pack = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let packed = pack(&written());
    assert_eq!(Format::detect(&packed), Some(Format::Xdf));
    assert_eq!(read(&packed, &[]).unwrap(), read(&written(), &[]).unwrap());
    assert!(error(&packed[..packed.len() / 2], &[]).contains("cannot be unpacked"));
    let mut options = ReadOptions::default();
    options.limits.max_bytes = 100_000;
    let zeros = pack(&[&b"XDF:"[..], &vec![0; 1 << 20]].concat());
    let error = read_with(&zeros, &options).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected at most 100000 unpacked bytes (the limit), found more"
    );
    // Other files are also compressed with gzip, and may be larger than the limit.
    for (content, found) in [
        (vec![b'a'; 1 << 20], "aaaa"),
        (b"XD".to_vec(), "XD"),
        (vec![], ""),
    ] {
        let error = read_with(&pack(&content), &options)
            .map(|_| ())
            .unwrap_err();
        let expected = format!(
            "a file that is compressed with gzip is read if it is XDF: expected \"XDF:\" at the start of its content, found {found:?}"
        );
        assert_eq!(error.to_string(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn changed_bytes_give_a_recording_or_an_error(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20),
        seed in 0_u8..3,
    ) {
        let mut bytes = match seed {
            0 => tracker().0,
            1 => written(),
            _ => {
                let mut lab = tracker();
                lab.stream(2, ["M", "Markers", "string"], 0.0, &["text"]).texts(2, &[(1.0, "a"), (2.0, "b")]);
                lab.clock_offset(1, 1.0, 2.0).clock_offset(1, 2.0, 2.1).boundary();
                lab.0
            }
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mappings: &[&str] = if seed == 1 { &[] } else { &PALM };
        if let Ok((recording, _)) = read(&bytes, mappings) {
            // A sampler accepts any recording that is read.
            prop_assert!(Sampler::new(&recording).is_ok());
            prop_assert!(recording.curves().all(|(_, curve)| curve.points().all(|(time, value)| time.is_finite() && value.is_finite())));
        }
    }
}
