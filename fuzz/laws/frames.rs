//! Any text is read to its end in either form, and what was read comes back the same when it is
//! printed.

use inputanim_convert::frames::{Columns, Event, Format, Options, Reader, Row};

pub(crate) fn check(bytes: &[u8]) {
    let options = Options {
        ignore_unknown: bytes.len() % 2 == 1,
        from_zero: bytes.len() % 3 == 1,
        max_line: 1 << 12,
    };
    for format in [Format::Ndjson, Format::Csv] {
        let Ok(reader) = Reader::new(bytes, Some(format), &options) else {
            continue;
        };
        let results: Vec<_> = reader.collect();
        // At most a marker and a frame for each line.
        assert!(results.len() <= 2 * bytes.len());
        let is_final = |result: &Result<Event, _>| matches!(result, Err(error) if is_final(error));
        let finals = results.iter().filter(|result| is_final(result)).count();
        assert!(finals == 0 || finals == 1 && results.last().is_some_and(is_final));
        let events: Vec<Event> = results.into_iter().flatten().take(100).collect();
        let text = print(&events, format);
        let options = Options::default();
        let back = Reader::new(&text[..], Some(format), &options).expect("its own text");
        let back: Vec<Event> = back.map(|event| event.expect("its own line")).collect();
        assert_eq!(format!("{back:?}"), format!("{events:?}"));
    }
}

fn is_final(error: &inputanim_convert::frames::Error) -> bool {
    error.is_final()
}

fn print(events: &[Event], format: Format) -> Vec<u8> {
    let columns = Columns::all();
    let rows = events.iter().map(|event| match event {
        Event::Frame(frame) => Row::of_frame(frame, None, &columns),
        Event::Marker(marker) => Row::of_marker(marker.time, &marker.name, &columns),
    });
    match format {
        Format::Ndjson => {
            let mut text = Vec::new();
            for row in rows {
                serde_json::to_writer(&mut text, &row).expect("memory");
                text.push(b'\n');
            }
            text
        }
        Format::Csv => {
            let mut table = csv::Writer::from_writer(Vec::new());
            table.write_record(columns.heads()).expect("memory");
            for row in rows {
                table.serialize(row.cells()).expect("memory");
            }
            table.into_inner().expect("memory")
        }
    }
}
