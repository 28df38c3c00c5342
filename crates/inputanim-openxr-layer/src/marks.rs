//! Markers from other programs: lines that they append to a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The bytes that are read at once, at most.
const CHUNK: u64 = 1 << 16;

/// The length of a name at most, in bytes. A longer line is not a name.
const MAX_NAME: usize = 1 << 12;

/// A file to which other programs append names of markers, one for each line.
pub(crate) struct Marks {
    file: File,
    /// The beginning of a line that has no end yet.
    rest: Vec<u8>,
}

impl Marks {
    /// Opens a file of markers. Lines that it has already are ignored.
    pub(crate) fn open(path: &Path) -> io::Result<Marks> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Marks {
            file,
            rest: Vec::new(),
        })
    }

    /// Returns the names in the lines that were completed since the last call, without empty and too long ones. Empty
    /// if the file cannot be read.
    pub(crate) fn read(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let chunk = &mut (&mut self.file).take(CHUNK);
        if chunk.read_to_end(&mut self.rest).is_err() {
            return names;
        }
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let name = String::from_utf8_lossy(&line).trim().to_owned();
            if !name.is_empty() && name.len() <= MAX_NAME {
                names.push(name);
            }
        }
        if self.rest.len() > MAX_NAME {
            self.rest.clear();
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::*;

    #[test]
    fn new_complete_lines_are_markers() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("marks");
        std::fs::write(&path, "old\n").expect("the file");
        let mut marks = Marks::open(&path).expect("the file exists");
        let mut file = OpenOptions::new().append(true).open(&path).expect("open");
        let mut append = |text: &str| file.write_all(text.as_bytes()).expect("written");
        assert_eq!(marks.read(), [""; 0]);
        append("trial 1\r\n\ntri");
        assert_eq!(marks.read(), ["trial 1"]);
        append("al 2\n");
        assert_eq!(marks.read(), ["trial 2"]);
        append(&"x".repeat(MAX_NAME + 1));
        assert_eq!(marks.read(), [""; 0]);
        append("\nend\n");
        assert_eq!(marks.read(), ["end"]);
    }
}
