//! Tables of other programs, and damaged ones: what is wrong is said with its row or line and its
//! column, and a small file fills no memory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "tables/formats.rs"]
mod formats;
#[path = "tables/takes.rs"]
mod takes;

use std::sync::Arc;

use formats::Format;
use inputanim::{Flags, Joint, Layout, Limits, Marker, Recording, Space};
use inputanim_convert::tables::{Error, Loss, Options, ReadOptions, csv, ndjson};
use takes::{at_keys, keys, take};

/// That there is more of something than a limit allows.
fn assert_limit(error: &Error, limited: &str) {
    let is_it = matches!(error, Error::Limit { things, .. } if *things == limited);
    assert!(is_it, "{error}");
}

#[test]
fn rows_may_come_in_another_order_with_less_columns_and_of_another_program() {
    // By time, as a database may give them back, with numbers as doubles.
    let text = "value,curve,time_s\n\
        1.0,camera.position.x,0.0\n0.0,left.tracked,0.25\n2.0,camera.position.x,1.0\n";
    let recording = Format::Csv.read(text.as_bytes()).unwrap();
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    let camera = recording.camera.as_ref().unwrap();
    assert_eq!(camera.position[0].keys.point(1), Some((1.0, 2.0)));
    assert_eq!(
        recording.flags(),
        Flags {
            camera: true,
            hand: true,
            gaze: false
        }
    );
    // What has tangents goes into a layout that can hold them.
    let text = "curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode\n\
        gaze.origin.x,0,1,2,3,0,0,0.0\n";
    let recording = Format::Csv.read(text.as_bytes()).unwrap();
    assert_eq!(recording.layout, Layout::FullWithMarkers1_1);
}

#[test]
fn columns_of_others_are_found_by_what_they_are_called_there() {
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
    let options = ReadOptions {
        mappings,
        from_zero: true,
        ..ReadOptions::default()
    };
    let recording = Format::Csv
        .read_with(text.replace(';', ",").as_bytes(), &options)
        .unwrap();
    let right = &recording.hands.as_ref().unwrap().right;
    let tip = &right.joints[Joint::IndexTip].position[0].keys;
    assert_eq!(tip.points().collect::<Vec<_>>(), [(0.0, 1.0)]);
    assert_eq!(right.tracked.keys[1].time(), 0.016_667);

    let missing = ReadOptions {
        mappings: vec!["time_s=Zeit".parse().unwrap()],
        ..ReadOptions::default()
    };
    let error = Format::Csv.read_with(b"time_s\n0\n", &missing).unwrap_err();
    assert_eq!(error.to_string(), "line 1: Zeit is missing");
    let bytes = Format::Parquet.write(&take(), &Options::default());
    let error = Format::Parquet
        .read_with(&bytes, &missing)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("Zeit") && error.contains("time_s, camera.position.x"),
        "{error}"
    );
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let take = take();
    for format in Format::ALL {
        for options in [keys(), at_keys()] {
            let bytes = format.write(&take, &options);
            let read = |limits: Limits| {
                let options = ReadOptions {
                    limits,
                    ..ReadOptions::default()
                };
                format.read_with(&bytes, &options)
            };
            let limits = Limits::default();
            assert!(read(limits).is_ok());
            for limits in [
                Limits {
                    max_bytes: bytes.len() as u64 - 1,
                    ..limits
                },
                Limits {
                    max_keys: 20,
                    ..limits
                },
                Limits {
                    max_markers: 1,
                    ..limits
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
fn what_is_wrong_is_said_with_its_row_and_column() {
    let error = |text: &str| {
        let error = csv::read(text.as_bytes(), None, &ReadOptions::default()).unwrap_err();
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        format!(
            "{error}{}",
            cause.map_or(String::new(), |cause| format!(": {cause}"))
        )
    };
    for (text, expected) in [
        (
            "curve,time_s,value\ncamera.position.x,0,1\n\ncamera.position.x,x,1\n",
            "line 4: time_s: expected a number that a 32-bit float can hold, found \"x\"",
        ),
        (
            "curve,time_s,value\nleft.Thumb.position.x,0,1\n",
            "line 2: `left.Thumb.position.x` is no curve",
        ),
        (
            "curve,time_s,value\ncamera.position.x,0,\n",
            "line 2: value is missing",
        ),
        ("curve,time_s,value\n,0,1\n", "line 2: curve is missing"),
        (
            "curve,time_s,value,kind\ncamera.position.x,0,1,boolean\n",
            "line 2: kind: expected simple or full, found \"boolean\"",
        ),
        (
            "curve,time_s,value,kind,in_tangent\ncamera.position.x,0,1,simple,0\n",
            "line 2: in_tangent: expected nothing, since the key is not full, found \"0\"",
        ),
        (
            "curve,time_s,value,kind,in_tangent\ncamera.position.x,0,1,full,0\n",
            "line 2: out_tangent is missing",
        ),
        (
            "curve,time_s,value,pre_wrap\ncamera.position.x,0,1,8\ncamera.position.x,1,1,2\n",
            "line 3: pre_wrap of camera.position.x is 2, but 8 in a row before",
        ),
        (
            "curve,time_s,value,kind,name\n,,,layout,mrtk-9\n",
            "line 2: `mrtk-9` is no layout",
        ),
        (
            "curve,time_s,value,kind,name\n,,256,flag,hand\n",
            "line 2: value: expected a whole number up to 255, found \"256\"",
        ),
        (
            "curve,time_s,value,kind,name\n,,,layout,mrtk-1.0\n,,1,flag,hand\n",
            "there are flags, but the layout mrtk-1.0 has none",
        ),
        (
            "curve,time_s,value,kind,name\n,,0,flag,hand\nleft.tracked,0,1,,\n",
            "the curve left.tracked is there, but the flags or the layout say that its stream is not",
        ),
        (
            "curve,time_s,value,colour\n",
            "the column \"colour\" means nothing here",
        ),
        (
            "curve,time_s,value,value\n",
            "the column value is there twice",
        ),
        (
            "time_s,left.tracked\n0,1\n0,1\n",
            "line 3: the time 0 s does not come after the frame before it",
        ),
        ("a,b\n1,2\n", "line 1: expected the names of columns"),
        ("", "line 1: expected the names of columns"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text:?}: {found:?}");
    }
    let error = Format::Ndjson.read(b"{\"kind\":\"layout\",\"name\":\"mrtk-1.1\"}\n{\"curve\":1}");
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("line 2: invalid type: integer `1`"),
        "{error}"
    );
}

#[test]
fn files_that_are_cut_off_or_changed_are_refused_and_never_panic() {
    let take = take();
    for format in [Format::Arrow, Format::Parquet] {
        for options in [keys(), at_keys()] {
            let bytes = format.write(&take, &options);
            for length in (0..bytes.len()).step_by(97) {
                assert!(
                    format.read(&bytes[..length]).is_err(),
                    "{format:?} {length}"
                );
            }
            for at in (0..bytes.len()).step_by(31) {
                let mut changed = bytes.clone();
                changed[at] ^= 0x55;
                // What it says may be another recording.
                format.read(&changed).ok();
            }
        }
    }
}

/// A Parquet file of columns of numbers, as they are asked for.
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
fn what_a_small_parquet_file_unpacks_to_is_bounded_before_it_is() {
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
    // It is not its columns that are too large for who trusts it.
    let trusting = ReadOptions {
        limits: Limits {
            max_keys: 1000,
            max_markers: 0,
            max_bytes: u64::MAX,
        },
        ..ReadOptions::default()
    };
    let error = Format::Parquet.read_with(&bytes, &trusting).unwrap_err();
    assert_limit(&error, "rows");
}

#[test]
fn words_that_many_rows_share_count_each_time() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.markers = (0..200)
        .map(|time| Marker::new(time as f32, "a".repeat(1 << 20)))
        .collect();
    let bytes = Format::Parquet.write(&take, &keys());
    assert!(bytes.len() < 1 << 18, "{}", bytes.len());
    let error = Format::Parquet.read(&bytes).unwrap_err();
    assert_limit(&error, "bytes");
    let trusting = ReadOptions {
        limits: Limits::NONE,
        ..ReadOptions::default()
    };
    assert_eq!(Format::Parquet.read_with(&bytes, &trusting).unwrap(), take);
}

#[test]
fn parquet_that_is_packed_in_another_way_is_told_how() {
    use ::parquet::arrow::ArrowWriter;
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use ::parquet::basic::{Compression, Encoding, ZstdLevel};
    use ::parquet::file::properties::WriterProperties;
    let keys: bytes::Bytes = Format::Parquet.write(&take(), &keys()).into();
    let batches = ParquetRecordBatchReaderBuilder::try_new(keys).unwrap();
    let batches: Vec<_> = batches.build().unwrap().map(Result::unwrap).collect();
    let settings = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("name".into(), Encoding::DELTA_BYTE_ARRAY)
        .build();
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut file = ArrowWriter::try_new(&mut bytes, schema, Some(settings)).unwrap();
    batches.iter().for_each(|batch| file.write(batch).unwrap());
    file.close().unwrap();
    let error = Format::Parquet.read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "the table is encoded as DELTA_BYTE_ARRAY, which is not read here: write it with dictionaries or plain"
    );

    let zstd = Compression::ZSTD(ZstdLevel::default());
    let settings = WriterProperties::builder().set_compression(zstd);
    let mut bytes = columns_of_zeros(&["time_s"], 10, settings);
    // Behind the name of the column stands its codec, of which 2 is gzip.
    let behind = bytes.windows(8).rposition(|part| part == b"\x06time_s\x15");
    bytes[behind.unwrap() + 8] = 2 << 1;
    let error = Format::Parquet.read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "the table is compressed with gzip, which is not read here: write it with zstd, snappy or without"
    );

    let bytes = Format::Parquet.write(&take(), &at_keys());
    let mut damaged = 0;
    for at in (8..bytes.len()).step_by(101) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xff;
        let error = Format::Parquet.read(&bytes).err();
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(!text.contains("Arrow"), "{text}");
        damaged += usize::from(text.contains("not a whole Parquet file"));
    }
    assert!(damaged > 0);
}

#[test]
fn tables_of_spreadsheets_are_told_what_is_wrong_with_them() {
    let read = |text: &[u8], separator| {
        let error = csv::read(text, separator, &ReadOptions::default());
        error.unwrap_err().to_string()
    };
    let (commas, tabs) = (Some(csv::Separator::Comma), Some(csv::Separator::Tab));
    for (text, separator, expected) in [
        (
            &b"time_s;left.tracked\n0;1\n"[..],
            None,
            "line 1 is separated by `;`: expected commas",
        ),
        (
            b"time_s\tleft.tracked\n0\t1\n",
            commas,
            "line 1 is separated by tabs: expected commas",
        ),
        (
            b"time_s,left.tracked\n0,1\n",
            tabs,
            "line 1 is separated by `,`: expected tabs",
        ),
        (
            b"\xff\xfet\0i\0m\0e\0_\0s\0",
            commas,
            "the text is UTF-16: save it as UTF-8",
        ),
    ] {
        assert_eq!(read(text, separator), expected);
        assert!(csv::is_csv(text));
    }
}

#[test]
fn settings_that_would_change_nothing_are_refused() {
    let none = ReadOptions::default();
    let recording = ReadOptions {
        recording: Some("nope".to_owned()),
        ..none.clone()
    };
    let mappings = ReadOptions {
        mappings: vec!["time_s=t".parse().unwrap()],
        ..none.clone()
    };
    let space = ReadOptions {
        space: Some(Space::OpenXr),
        ..none.clone()
    };
    let from_zero = ReadOptions {
        from_zero: true,
        ..none.clone()
    };
    let take = take();
    for format in Format::ALL {
        let bytes = format.write(&take, &keys());
        for options in [&recording, &mappings, &space, &from_zero] {
            let error = format.read_with(&bytes, options).unwrap_err();
            assert!(matches!(error, Error::Idle { .. }), "{format:?} {error}");
        }
        let bytes = format.write(&take, &at_keys());
        let error = format.read_with(&bytes, &recording).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no use for the name of a recording in a table of one recording"
        );
        assert!(format.read_with(&bytes, &from_zero).is_ok());
    }
    let bytes = Format::Ndjson.write(&take, &at_keys());
    let error = Format::Ndjson.read_with(&bytes, &mappings).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("other names of columns in ndjson")
    );
    // As the recorder of HoloLens2ForCV writes them, every number 0 but the time.
    let row = "1,".to_owned() + &vec!["0"; 850].join(",");
    let ignoring = ReadOptions {
        ignore_unknown: true,
        ..none
    };
    for options in [&mappings, &space, &from_zero, &ignoring] {
        let error = Format::Csv.read_with(row.as_bytes(), options).unwrap_err();
        assert!(matches!(error, Error::Idle { .. }), "{error}");
    }
}

#[test]
fn a_table_of_which_nothing_is_known_but_the_time_is_refused() {
    let mapped = ReadOptions {
        mappings: vec!["time_s=t".parse().unwrap()],
        ..ReadOptions::default()
    };
    let ignoring = ReadOptions {
        ignore_unknown: true,
        ..ReadOptions::default()
    };
    let expected = "nothing but the time is known in the table: passed over are \"x\", \"y\"";
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
    // No rows of what is known are a recording of nothing.
    let recording = Format::Csv.read(b"time_s,left.tracked\n").unwrap();
    assert_eq!(recording.duration(), 0.0);
}

#[test]
fn what_may_be_the_time_is_named() {
    let text = b"Time,left.tracked,other\n0,1,1\n";
    let error = Format::Csv.read(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: time_s is missing: is it \"Time\"?"
    );
    let settings = ::parquet::file::properties::WriterProperties::builder();
    let parquet = columns_of_zeros(&["x", "Timestamp"], 2, settings);
    let error = Format::Parquet.read(&parquet).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the column time_s is not there: is it \"Timestamp\"?"
    );
    let flat = br#"{"time_s":0.5,"left.tracked":1}"#;
    assert!(ndjson::is_ndjson(flat));
    let error = Format::Ndjson.read(flat).unwrap_err().to_string();
    assert!(error.starts_with("line 1: time_s is the name of a column: expected members in each other, such as {\"time\":0.5"), "{error}");
}

#[test]
fn times_that_are_too_large_for_floats_say_so() {
    let text = "time_s,left.tracked\n1714557600.0,1\n1714557600.0167,1\n";
    let error = Format::Csv.read(text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: the time 1714557600 s does not come after the frame before it: 32-bit floats as large as this are 128 s apart"
    );
}

#[test]
fn a_pose_of_which_only_some_columns_are_there_is_refused() {
    let settings = ::parquet::file::properties::WriterProperties::builder;
    let some = [
        "time_s",
        "camera.position.x",
        "camera.position.y",
        "camera.position.z",
        "camera.rotation.w",
    ];
    let bytes = columns_of_zeros(&some, 2, settings());
    let error = Format::Parquet.read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "the column camera.rotation.x is missing: others of its pose or ray are there"
    );
    let text = some.join(",") + "\n0,0,0,0,1\n";
    let error = Format::Csv.read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "line 1: camera.rotation.x is missing");
}

#[test]
fn poses_of_positions_alone_are_not_turned() {
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
        let reading = format.read_all(bytes, &ReadOptions::default()).unwrap();
        let hands = reading.recording.hands.as_ref().unwrap();
        let tip = &hands.right.joints[Joint::IndexTip];
        assert_eq!(
            tip.rotation[3].keys.points().collect::<Vec<_>>(),
            [(0.0, 1.0)]
        );
        assert_eq!(tip.position[2].keys.len(), 1);
        let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            ["no columns of rotations, so not turned: right.IndexTip"]
        );
    }
    let error = Format::Csv.read(text.replace(",,,", ",,1,").as_bytes());
    assert_eq!(
        error.unwrap_err().to_string(),
        "line 3: right.IndexTip.position.x is missing"
    );
}

#[test]
fn axes_other_than_those_that_a_table_says_are_told() {
    let options = Options {
        space: Space::OpenXr,
        ..at_keys()
    };
    for format in [Format::Arrow, Format::Parquet] {
        let bytes = format.write(&take(), &options);
        let notes = |space| {
            let options = ReadOptions {
                space,
                ..ReadOptions::default()
            };
            format.read_all(&bytes, &options).unwrap().notes
        };
        assert_eq!(notes(None), []);
        assert_eq!(notes(Some(Space::OpenXr)), []);
        let note = &notes(Some(Space::Unity))[0];
        assert_eq!(
            note.to_string(),
            "the table says that its axes are openxr: taken as unity"
        );
    }
}

#[test]
fn rows_that_take_no_bytes_take_no_memory() {
    use arrow_array::{ArrayRef, NullArray, RecordBatch};
    let nothing = || Arc::new(NullArray::new(1 << 40)) as ArrayRef;
    let columns = [("time_s", nothing()), ("left.tracked", nothing())];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut file = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    file.finish().unwrap();
    let error = Format::Arrow.read(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "row 1: time_s is missing");
}

#[test]
fn a_pose_that_is_partly_null_is_not_known_in_a_table_of_ours_alone() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    use arrow_array::{Float32Array, RecordBatch};
    let bytes = Format::Arrow.write(&take(), &at_keys());
    let table = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(&bytes), None);
    let batches: Vec<_> = table.unwrap().map(Result::unwrap).collect();
    for is_ours in [true, false] {
        let schema = (*batches[0].schema()).clone();
        let metadata = schema.metadata.clone();
        let schema = match is_ours {
            true => schema.with_metadata(metadata),
            false => schema.with_metadata(Default::default()),
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
            Ok(reading) if is_ours => {
                assert_eq!(reading.losses, [Loss::NotFinite { poses: 1 }]);
                let camera = reading.recording.camera.as_ref().unwrap();
                assert_eq!(camera.position[1].keys.len(), 39);
            }
            Err(error) => {
                assert!(!is_ours, "{error}");
                assert_eq!(error.to_string(), "row 4: camera.position.x is missing");
            }
            Ok(_) => panic!("read"),
        }
    }
}
