//! The registration of the formats, compared with the documentation.

use inputanim_convert::Format;

/// Returns the rows of the first table in a document, each with its cells.
fn first_table(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let lines = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}

#[test]
fn the_table_of_formats_in_the_documentation_is_complete() {
    let text = include_str!("../../../../docs/convert.md");
    let rows = first_table(text);
    let [name, extension, _, write, read, _, not_kept] =
        [0, 1, 2, 3, 4, 5, 6].map(|column| move |row: &[String]| row[column].clone());
    for &format in Format::ALL {
        let quoted = format!("`{format}`");
        let found: Vec<_> = rows
            .iter()
            .filter(|row| name(row).contains(&quoted))
            .collect();
        let [row] = found.as_slice() else {
            panic!("docs/convert.md has {} rows of {format}", found.len());
        };
        for known in format.input_extensions() {
            let known = format!("`.{known}`");
            assert!(extension(row).contains(&known), "{format}: {known}");
        }
        let yes = |is: bool| if is { "yes" } else { "no" };
        assert_eq!(write(row), yes(format.can_write()), "{format}");
        assert_eq!(read(row), yes(format.can_read()), "{format}");
        // The table may have a link, and more words.
        let not_kept = not_kept(row).replace(['[', '–'], "");
        let loses = format.loses();
        assert!(not_kept.starts_with(loses), "{format}: {not_kept}");
        assert_eq!(not_kept.is_empty(), loses.is_empty(), "{format}");
    }
}
