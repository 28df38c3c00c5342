//! Tables of other programs, and damaged ones: errors contain the row or line and the column, and a
//! small file does not fill the memory.

use std::sync::Arc;

use crate::table_formats::{FORMATS, TableFormat, message};
use crate::table_recordings::{at_keys, keys, sample_recording, with_markers};
use inputanim::{Flags, Joint, Layout, Limits, Marker, Recording, Space};
use inputanim_convert::tables::TableError;
use inputanim_convert::{Error, Format, LossKind, ReadOptions, WriteOptions};

/// Asserts that an error reports an exceeded limit.
fn assert_limit(error: &Error, limited: &str) {
    let is_it = matches!(error, Error::Limit { unit, .. } if *unit == limited);
    assert!(is_it, "{error}");
}

#[test]
fn rows_in_any_order_and_with_fewer_columns_are_read() {
    // A database may return rows in order of time and numbers as doubles.
    let text = "value,curve,time_s\n\
        1.0,head.position.x,0.0\n0.0,left.tracked,0.25\n2.0,head.position.x,1.0\n";
    let recording = Format::Csv.read(text.as_bytes()).unwrap();
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    let head = recording.head.as_ref().unwrap();
    assert_eq!(head.position[0].keys.point(1), Some((1.0, 2.0)));
    assert_eq!(
        recording.flags(),
        Flags {
            head: true,
            hand: true,
            gaze: false
        }
    );
    // If the table states no layout, keys with tangents give a layout that can represent them.
    let text = "curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode\n\
        gaze.origin.x,0,1,2,3,0,0,0.0\n";
    let recording = Format::Csv.read(text.as_bytes()).unwrap();
    assert_eq!(recording.layout, Layout::FullWithMarkers1_1);
}

#[test]
fn mappings_find_columns_with_other_names() {
    let text = "Frame;Timestamp;px;py;pz;qx;qy;qz;qw;seen\n\
        1;90000000;1000;0;0;0;0;0;1;1\n2;90016667;2000;0;0;0;0;0;1;0\n";
    let names = [
        "position.x",
        "position.y",
        "position.z",
        "rotation.x",
        "rotation.y",
        "rotation.z",
    ];
    let sources = ["px*0.001", "py*0.001", "pz*0.001", "qx", "qy", "qz"];
    let mut mappings = vec![
        "time_s=Timestamp*1e-6".parse().unwrap(),
        "right.tracked=seen".parse().unwrap(),
        "right.IndexTip.rotation.w=qw".parse().unwrap(),
    ];
    for (name, source) in names.iter().zip(sources) {
        mappings.push(format!("right.IndexTip.{name}={source}").parse().unwrap());
    }
    let options = {
        let mut options = ReadOptions::default();
        options.mappings = mappings;
        options.from_zero = true;
        options
    };
    let recording = Format::Csv
        .read_with(text.replace(';', ",").as_bytes(), &options)
        .unwrap();
    let right = &recording.hands.as_ref().unwrap().right;
    let tip = &right.joints[Joint::IndexTip].position[0].keys;
    assert_eq!(tip.points().collect::<Vec<_>>(), [(0.0, 1.0)]);
    assert_eq!(right.tracked.keys[1].time(), 0.016_667);

    let missing = {
        let mut options = ReadOptions::default();
        options.mappings = vec!["time_s=Zeit".parse().unwrap()];
        options
    };
    let error = Format::Csv.read_with(b"time_s\n0\n", &missing).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: missing columns \"Zeit\" (for time_s); found \"time_s\""
    );
    let bytes = Format::Parquet.write(&sample_recording(), &WriteOptions::default());
    let error = Format::Parquet
        .read_with(&bytes, &missing)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("Zeit") && error.contains("\"time_s\", \"head.position.x\""),
        "{error}"
    );
}

#[test]
fn a_first_time_that_is_not_finite_is_not_the_zero_of_the_others() {
    let options = {
        let mut options = ReadOptions::default();
        options.from_zero = true;
        options.skip_bad = true;
        options
    };
    for first in ["inf", "-inf", "NaN"] {
        let text = format!("time_s,left.pinching\n{first},0\n5,0\n6,1\n");
        let recording = Format::Csv.read_with(text.as_bytes(), &options).unwrap();
        assert_eq!(recording.duration(), 1.0, "{first}");
    }
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let recording = sample_recording();
    for format in FORMATS {
        for options in [keys(), with_markers(at_keys())] {
            let bytes = format.write(&recording, &options);
            let read = |limits: Limits| {
                let options = {
                    let mut options = ReadOptions::default();
                    options.limits = limits;
                    options
                };
                format.read_with(&bytes, &options)
            };
            let limits = Limits::default();
            assert!(read(limits).is_ok());
            for limits in [
                {
                    let mut changed = limits;
                    changed.max_bytes = bytes.len() as u64 - 1;
                    changed
                },
                {
                    let mut changed = limits;
                    changed.max_keys = 20;
                    changed
                },
                {
                    let mut changed = limits;
                    changed.max_markers = 1;
                    changed
                },
            ] {
                assert!(
                    matches!(read(limits), Err(Error::Limit { .. })),
                    "{format:?} {limits:?}"
                );
            }
        }
    }
}

#[test]
fn errors_contain_the_row_and_column() {
    let error = |text: &str| message(&Format::Csv.read(text.as_bytes()).unwrap_err());
    for (text, expected) in [
        (
            "curve,time_s,value\nhead.position.x,0,1\n\nhead.position.x,x,1\n",
            "line 4: time_s: expected a number that a 32-bit float can hold, found \"x\"",
        ),
        (
            "curve,time_s,value\nleft.Thumb.position.x,0,1\n",
            "line 2: unknown curve \"left.Thumb.position.x\"",
        ),
        (
            "curve,time_s,value\nhead.position.x,0,\n",
            "line 2: missing value",
        ),
        ("curve,time_s,value\n,0,1\n", "line 2: missing curve"),
        (
            "curve,time_s,value,kind\nhead.position.x,0,1,boolean\n",
            "line 2: kind: expected simple or full, found \"boolean\"",
        ),
        (
            "curve,time_s,value,kind,in_tangent\nhead.position.x,0,1,simple,0\n",
            "line 2: in_tangent: expected an empty cell, since the key is not full, found \"0\"",
        ),
        (
            "curve,time_s,value,kind,in_tangent\nhead.position.x,0,1,full,0\n",
            "line 2: missing out_tangent",
        ),
        (
            "curve,time_s,value,pre_wrap\nhead.position.x,0,1,8\nhead.position.x,1,1,2\n",
            "line 3: pre_wrap of head.position.x is 2, but 8 in an earlier row",
        ),
        (
            "curve,time_s,value,pre_wrap\nhead.position.x,0,1,8.0.0\n",
            "line 2: pre_wrap: expected a 32-bit integer, found \"8.0.0\"",
        ),
        (
            "curve,time_s,value,kind,name\n,,,layout,mrtk-9\n",
            "line 2: unknown layout \"mrtk-9\"",
        ),
        (
            "curve,time_s,value,kind,name\n,,256,flag,hand\n",
            "line 2: value: expected an integer from 0 to 255, found \"256\"",
        ),
        (
            "curve,time_s,value,kind,name\n,,,layout,mrtk-1.0\n,,1,flag,hand\n",
            "the table has rows of the kind \"flag\", but the layout mrtk-1.0 has no flags",
        ),
        (
            "curve,time_s,value,kind,name\n,,0,flag,hand\nleft.tracked,0,1,,\n",
            "the table contains the curve left.tracked, but its flags or layout exclude the stream of it",
        ),
        (
            "curve,time_s,value,colour\n",
            "line 1: unknown column \"colour\"; expected curve, time_s",
        ),
        (
            "curve,time_s,value,value\n",
            "line 1: duplicate column value",
        ),
        (
            "time_s,left.tracked\n0,1\n-1,1\n",
            "line 3: expected a time after 0 s (the last frame), found -1 s",
        ),
        ("a,b\n1,2\n", "line 1: expected columns of samples"),
        ("", "line 1: expected columns of samples"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text:?}: {found:?}");
    }
    let error = Format::Ndjson.read(b"{\"kind\":\"layout\",\"name\":\"mrtk-1.1\"}\n{\"curve\":1}");
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("line 2, column 10: curve: invalid type: integer `1`"),
        "{error}"
    );
}

#[test]
fn truncated_and_changed_files_are_refused_without_a_panic() {
    let recording = sample_recording();
    for format in [Format::Arrow, Format::Parquet] {
        for options in [keys(), at_keys()] {
            let bytes = format.write(&recording, &options);
            for length in (0..bytes.len()).step_by(193) {
                // The messages of Arrow can be read without the end of the file.
                let cut = format.read_all(&bytes[..length], &ReadOptions::default());
                let is_named = cut
                    .is_ok_and(|(_, report)| format == Format::Arrow && !report.losses.is_empty());
                let cut = format.read(&bytes[..length]);
                assert!(cut.is_err() || is_named, "{format:?} {length}");
            }
            for at in (0..bytes.len()).step_by(61) {
                let mut changed = bytes.clone();
                changed[at] ^= 0x55;
                // The changed bytes may be a different, valid recording.
                format.read(&changed).ok();
            }
        }
    }
}

/// Writes a Parquet file with columns of zeros.
fn columns_of_zeros(
    names: &[&str],
    rows: usize,
    settings: ::parquet::file::properties::WriterPropertiesBuilder,
) -> Vec<u8> {
    use ::parquet::data_type::FloatType;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    let columns: String = names
        .iter()
        .map(|name| format!("required float {name};\n"))
        .collect();
    let schema = parse_message_type(&format!("message table {{ {columns} }}")).unwrap();
    let mut bytes = Vec::new();
    let settings = Arc::new(settings.build());
    let mut file = SerializedFileWriter::new(&mut bytes, Arc::new(schema), settings).unwrap();
    let mut group = file.next_row_group().unwrap();
    let zeros = vec![0.0; rows];
    while let Some(mut column) = group.next_column().unwrap() {
        let typed = column.typed::<FloatType>();
        typed.write_batch(&zeros, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    bytes
}

#[test]
fn the_unpacked_size_of_a_small_parquet_file_is_bounded() {
    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::file::properties::WriterProperties;
    let one_page = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_data_page_size_limit(usize::MAX)
        .set_data_page_row_count_limit(usize::MAX)
        .set_write_batch_size(usize::MAX);
    let bytes = columns_of_zeros(&["time_s", "left.tracked"], 30 << 20, one_page);
    assert!(bytes.len() < 1 << 16);
    let error = Format::Parquet.read(&bytes).unwrap_err();
    assert_limit(&error, "bytes");
    // Without limits, the size of the columns is not an error.
    let trusting = {
        let mut options = ReadOptions::default();
        options.limits.max_keys = 1000;
        options.limits.max_markers = 0;
        options.limits.max_bytes = u64::MAX;
        options
    };
    let error = Format::Parquet.read_with(&bytes, &trusting).unwrap_err();
    assert_limit(&error, "rows");
}

#[test]
fn shared_marker_names_count_for_each_row() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.markers = (0..200)
        .map(|time| Marker::new(time as f32, "a".repeat(1 << 20)))
        .collect();
    let bytes = Format::Parquet.write(&recording, &keys());
    assert!(bytes.len() < 1 << 18, "{}", bytes.len());
    let error = Format::Parquet.read(&bytes).unwrap_err();
    assert_limit(&error, "bytes");
    let trusting = {
        let mut options = ReadOptions::default();
        options.limits = Limits::NONE;
        options
    };
    assert_eq!(
        Format::Parquet.read_with(&bytes, &trusting).unwrap(),
        recording
    );
}

#[test]
fn damage_of_a_parquet_file_is_reported() {
    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::file::properties::WriterProperties;
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let settings = WriterProperties::builder().set_compression(zstd);
    let mut bytes = columns_of_zeros(&["time_s"], 10, settings);
    // The codec follows the name of the column. The codec 2 is gzip.
    let behind = bytes.windows(8).rposition(|part| part == b"\x06time_s\x15");
    bytes[behind.unwrap() + 8] = 2 << 1;
    let error = Format::Parquet.read(&bytes).unwrap_err().to_string();
    assert!(
        error.contains("Disabled feature at compile time"),
        "{error}"
    );

    let bytes = Format::Parquet.write(&sample_recording(), &at_keys());
    let mut damaged = 0;
    for at in (8..bytes.len()).step_by(101) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xff;
        let error = Format::Parquet.read(&bytes).err();
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        damaged += usize::from(text.contains("cannot read the Parquet file"));
    }
    assert!(damaged > 0);
}

#[test]
fn errors_describe_the_dialects_of_spreadsheets() {
    for (text, format, expected) in [
        (
            &b"time_s;left.tracked\n0;1\n"[..],
            Format::Csv,
            "line 1: expected commas between cells, found semicolons",
        ),
        (
            b"time_s\tleft.tracked\n0\t1\n",
            Format::Csv,
            "line 1: expected commas between cells, found tabs",
        ),
        (
            b"time_s,left.tracked\n0,1\n",
            Format::Tsv,
            "line 1: expected tabs between cells, found commas",
        ),
    ] {
        assert_eq!(format.read(text).unwrap_err().to_string(), expected);
        assert!(Format::detect(text).is_some());
    }
}

#[test]
fn options_without_effect_are_refused() {
    let none = ReadOptions::default();
    let recording = {
        let mut options = none.clone();
        options.recording = Some("nope".to_owned());
        options
    };
    let mappings = {
        let mut options = none.clone();
        options.mappings = vec!["time_s=t".parse().unwrap()];
        options
    };
    let space = {
        let mut options = none.clone();
        options.space = Some(Space::OpenXr);
        options
    };
    let from_zero = {
        let mut options = none.clone();
        options.from_zero = true;
        options
    };
    let keyed = sample_recording();
    for format in FORMATS {
        let bytes = format.write(&keyed, &keys());
        for options in [&recording, &mappings, &space, &from_zero] {
            let error = format.read_with(&bytes, options).unwrap_err();
            assert!(
                matches!(error.downcast_ref(), Some(TableError::NoEffect { .. })),
                "{format:?} {error}"
            );
        }
        let bytes = format.write(&keyed, &at_keys());
        let error = format.read_with(&bytes, &recording).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the name of a recording has no effect for a table of one recording"
        );
        assert!(format.read_with(&bytes, &from_zero).is_ok());
    }
    // This is a table of HoloLens2ForCV in which every number except the time is 0.
    let row = "1,".to_owned() + &vec!["0"; 850].join(",");
    let ignoring = {
        let mut options = none;
        options.ignore_unknown = true;
        options
    };
    for options in [&mappings, &space, &from_zero, &ignoring] {
        let error = Format::Csv.read_with(row.as_bytes(), options).unwrap_err();
        assert!(
            matches!(error.downcast_ref(), Some(TableError::NoEffect { .. })),
            "{error}"
        );
    }
}

#[test]
fn a_table_of_segments_is_refused_even_if_unknown_columns_are_ignored() {
    let columns = "segment,side,segment_index,segment_zero_s,segment_damage,segment_time_s,time_s,left.tracked";
    let csv = format!("{columns}\npinch,right,0,1,,0,1,1\n");
    let ndjson = "{\"segment\":\"a\",\"segment_index\":0,\"segment_zero_s\":1,\"time_s\":1,\"left.tracked\":true}\n";
    let keys = "segment,segment_index,segment_zero_s,segment_time_s,curve,time_s,value\na,0,1,0,head.position.x,1,0.5\n";
    let mut options = ReadOptions::default();
    options.ignore_unknown = true;
    for (format, text) in [
        (Format::Csv, &*csv),
        (Format::Csv, keys),
        (Format::Ndjson, ndjson),
    ] {
        let error = format.read_with(text.as_bytes(), &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 1: the table has the rows of segments (columns segment_index and segment_zero_s), and not those of a recording",
            "{text}"
        );
    }
    // One of these columns is not enough: other programs may have it.
    let other = "segment_index,time_s,head.position.x,head.position.y,head.position.z\n0,1,1,2,3\n1,2,1,2,3\n";
    assert!(Format::Csv.read_with(other.as_bytes(), &options).is_ok());
}

#[test]
fn a_table_without_known_columns_but_the_time_is_refused() {
    let mapped = {
        let mut options = ReadOptions::default();
        options.mappings = vec!["time_s=t".parse().unwrap()];
        options
    };
    let ignoring = {
        let mut options = ReadOptions::default();
        options.ignore_unknown = true;
        options
    };
    let expected = "no known columns except the time; ignored: \"x\", \"y\"";
    let error = Format::Csv.read_with(b"t,x,y\n0,1,2\n1,2,3\n", &mapped);
    assert_eq!(error.unwrap_err().to_string(), expected);
    let error = Format::Csv.read_with(b"time_s,x,y\n0,1,2\n1,2,3\n", &ignoring);
    assert_eq!(error.unwrap_err().to_string(), expected);
    let error = Format::Ndjson.read_with(b"{\"time\":0,\"x\":1,\"y\":2}\n", &ignoring);
    assert_eq!(error.unwrap_err().to_string(), expected);
    let no_settings = ::parquet::file::properties::WriterProperties::builder();
    let parquet = columns_of_zeros(&["t", "x", "y"], 2, no_settings);
    let error = Format::Parquet.read_with(&parquet, &mapped);
    assert_eq!(error.unwrap_err().to_string(), expected);
    // Known columns without rows give an empty recording.
    let recording = Format::Csv.read(b"time_s,left.tracked\n").unwrap();
    assert_eq!(recording.duration(), 0.0);
}

#[test]
fn the_likely_column_of_times_is_named() {
    let text = b"Time,left.tracked,other\n0,1,1\n";
    let error = Format::Csv.read(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: missing columns time_s; found \"Time\", \"left.tracked\", \"other\""
    );
    let settings = ::parquet::file::properties::WriterProperties::builder();
    let parquet = columns_of_zeros(&["x", "Timestamp"], 2, settings);
    let error = Format::Parquet.read(&parquet).unwrap_err();
    assert_eq!(
        error.to_string(),
        "schema: missing columns time_s; found \"x\", \"Timestamp\""
    );
    let flat = br#"{"time_s":0.5,"left.tracked":1}"#;
    assert_eq!(Format::detect(flat), Some(Format::Ndjson));
    assert_eq!(
        Format::Ndjson.read(flat).unwrap_err().to_string(),
        "line 1: unknown member \"left.tracked\"; expected nested objects such as {\"left\":{\"tracked\":true}}"
    );
}

#[test]
fn times_that_are_too_large_for_floats_are_refused() {
    let text = "time_s,left.tracked\n1714557600.0,1\n1714557600.0167,1\n";
    let error = Format::Csv.read(text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: the time 1714557600 s does not come after the frame before it; 32-bit floats of this size are 128 s apart"
    );
}

#[test]
fn a_pose_with_some_of_its_columns_is_refused() {
    let settings = ::parquet::file::properties::WriterProperties::builder;
    let some = [
        "time_s",
        "head.position.x",
        "head.position.y",
        "head.position.z",
        "head.rotation.w",
    ];
    let bytes = columns_of_zeros(&some, 2, settings());
    let error = Format::Parquet.read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "schema: missing columns head.rotation.x, head.rotation.y, head.rotation.z; found \"time_s\", \"head.position.x\", \"head.position.y\", \"head.position.z\", \"head.rotation.w\""
    );
    let text = some.join(",") + "\n0,0,0,0,1\n";
    let error = Format::Csv.read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1: missing columns head.rotation.x, head.rotation.y, head.rotation.z; found \"time_s\", \"head.position.x\", \"head.position.y\", \"head.position.z\", \"head.rotation.w\""
    );
}

#[test]
fn poses_with_positions_only_have_the_identity_rotation() {
    let settings = ::parquet::file::properties::WriterProperties::builder;
    let names = [
        "time_s",
        "right.IndexTip.position.x",
        "right.IndexTip.position.y",
        "right.IndexTip.position.z",
    ];
    let parquet = columns_of_zeros(&names, 1, settings());
    let text = names.join(",") + "\n0,1,2,3\n0.5,,,\n";
    for (format, bytes) in [(Format::Parquet, &*parquet), (Format::Csv, text.as_bytes())] {
        let (recording, report) = format.read_all(bytes, &ReadOptions::default()).unwrap();
        let hands = recording.hands.as_ref().unwrap();
        let tip = &hands.right.joints[Joint::IndexTip];
        assert_eq!(
            tip.rotation[3].keys.points().collect::<Vec<_>>(),
            [(0.0, 1.0)]
        );
        assert_eq!(tip.position[2].keys.len(), 1);
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["no rotations, identity assumed: right.IndexTip"]);
    }
    let error = Format::Csv.read(text.replace(",,,", ",,1,").as_bytes());
    assert_eq!(
        error.unwrap_err().to_string(),
        "line 3: missing right.IndexTip.position.x"
    );
}

#[test]
fn axes_that_differ_from_the_stated_ones_are_noted() {
    let options = {
        let mut options = at_keys();
        options.space = Space::OpenXr;
        options
    };
    for format in [Format::Arrow, Format::Parquet] {
        let bytes = format.write(&sample_recording(), &options);
        let notes = |space| {
            let options = {
                let mut options = ReadOptions::default();
                options.space = space;
                options
            };
            format.read_all(&bytes, &options).unwrap().1.notes
        };
        assert_eq!(notes(None), []);
        assert_eq!(notes(Some(Space::OpenXr)), []);
        let note = &notes(Some(Space::Unity))[0];
        assert_eq!(
            note.to_string(),
            "the table states the axes openxr; read as unity"
        );
    }
}

#[test]
fn rows_without_bytes_take_no_memory() {
    use arrow_array::{ArrayRef, NullArray, RecordBatch};
    let nothing = || Arc::new(NullArray::new(1 << 40)) as ArrayRef;
    let columns = [("time_s", nothing()), ("left.tracked", nothing())];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut file = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    file.finish().unwrap();
    let error = Format::Arrow.read(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "row 1: missing time_s");
}

#[test]
fn a_partly_null_pose_is_unknown_only_in_tables_of_this_library() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    use arrow_array::{Float32Array, RecordBatch};
    let bytes = Format::Arrow.write(&sample_recording(), &at_keys());
    let table = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(&bytes), None);
    let batches: Vec<_> = table.unwrap().map(Result::unwrap).collect();
    for is_ours in [true, false] {
        let schema = (*batches[0].schema()).clone();
        let metadata = schema.metadata.clone();
        let schema = if is_ours {
            schema.with_metadata(metadata)
        } else {
            schema.with_metadata(Default::default())
        };
        let mut bytes = Vec::new();
        let mut file = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &schema).unwrap();
        for batch in &batches {
            let mut columns = batch.columns().to_vec();
            let numbers = columns[1].as_primitive::<Float32Type>().iter().enumerate();
            let numbers = numbers.map(|(row, number)| number.filter(|_| row != 3));
            columns[1] = Arc::new(Float32Array::from_iter(numbers));
            file.write(&RecordBatch::try_new(Arc::new(schema.clone()), columns).unwrap())
                .unwrap();
        }
        file.finish().unwrap();
        match Format::Arrow.read_all(&bytes, &ReadOptions::default()) {
            Ok((recording, report)) if is_ours => {
                let [loss] = &report.losses[..] else {
                    panic!("{report:?}")
                };
                assert_eq!((loss.kind, loss.count), (LossKind::NotFinite, 1));
                let head = recording.head.as_ref().unwrap();
                assert_eq!(head.position[1].keys.len(), 39);
            }
            Err(error) => {
                assert!(!is_ours, "{error}");
                assert_eq!(error.to_string(), "row 4: missing head.position.x");
            }
            Ok(_) => panic!("read"),
        }
    }
}

#[test]
fn similar_names_are_searched_only_for_names_that_are_listed() {
    // A comparison with all known names takes a fraction of a millisecond, and a table may have any number of columns.
    let names: Vec<String> = (0..300)
        .map(|n| format!("left.Plam.position.{n}"))
        .collect();
    let text = format!("time_s,head.position.x,{}\n", names.join(","));
    let text = text.replace(
        "head.position.x",
        "head.position.x,head.position.y,head.position.z",
    );
    let error = Format::Csv.read(text.as_bytes()).unwrap_err();
    let Some(TableError::Unknown { names, .. }) = error.downcast_ref() else {
        panic!("{error}");
    };
    let searched = names.iter().filter(|name| name.similar.is_some()).count();
    assert_eq!((names.len(), searched), (300, 12));
}
