//! Any text is read to its end as NDJSON and as CSV, and the events that it contains are the same after
//! they are printed and read again.

use inputanim_convert::frames::{Columns, Event, FrameOptions, FrameRow, Reader, TextFormat};

/// Checks that these bytes are read to their end as NDJSON and as CSV, and that the frames and markers that they
/// contain are the same after they are printed and read again. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let options = {
        let mut options = FrameOptions::default();
        options.ignore_unknown = bytes.len() % 2 == 1;
        options.from_zero = bytes.len() % 3 == 1;
        options.max_line = 1 << 12;
        options
    };
    for format in [TextFormat::Ndjson, TextFormat::Csv] {
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
        let options = FrameOptions::default();
        let back = Reader::new(&text[..], Some(format), &options).expect("its own text");
        let back: Vec<Event> = back.map(|event| event.expect("its own line")).collect();
        assert_eq!(format!("{back:?}"), format!("{events:?}"));
    }
}

fn is_final(error: &inputanim_convert::tables::TableError) -> bool {
    error.is_final()
}

fn print(events: &[Event], format: TextFormat) -> Vec<u8> {
    let columns = Columns::all();
    let rows = events.iter().map(|event| match event {
        Event::Frame(frame) => FrameRow::of_frame(frame, None, &columns),
        Event::Marker(marker) => FrameRow::of_marker(marker.time, &marker.name, &columns),
    });
    match format {
        TextFormat::Ndjson => {
            let mut text = Vec::new();
            for row in rows {
                serde_json::to_writer(&mut text, &row).expect("memory");
                text.push(b'\n');
            }
            text
        }
        _ => {
            let mut table = csv::Writer::from_writer(Vec::new());
            table.write_record(columns.names()).expect("memory");
            for row in rows {
                table.serialize(row.cells()).expect("memory");
            }
            table.into_inner().expect("memory")
        }
    }
}
