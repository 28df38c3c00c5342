//! Reading a pack: its index, and the bytes of its files.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::records::{ATTACHMENT, FOOTER, Fields, MAGIC, PREFIX, first_record, op};
use super::{MAX_INDEX_BYTES, PROFILE, PackError, VERSION, check_name};

/// A pack whose index was read.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    members: Vec<PackMember>,
    /// The packs that stay open; `None` if this pack is opened for each file, so that it can be replaced on Windows meanwhile.
    files: Option<Arc<OpenPacks>>,
}

/// A file in a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackMember {
    /// The path in the folder that was packed, with slashes.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The time of the last change; `None` if it is unknown.
    pub modified: Option<SystemTime>,
    /// The byte offset of the record in the pack.
    start: u64,
    /// The bytes of the record before the data.
    head: u64,
}

impl PackMember {
    /// Creates a member from the fields of an attachment, or of its index.
    fn new(start: u64, time: u64, bytes: u64, name: &str, media_type: &str) -> PackMember {
        PackMember {
            name: name.to_owned(),
            bytes,
            modified: (time != 0).then(|| UNIX_EPOCH + Duration::from_nanos(time)),
            start,
            head: ATTACHMENT - 4 + (name.len() + media_type.len()) as u64,
        }
    }

    /// Returns the byte offset of the data in the pack.
    pub(super) fn data(&self) -> u64 {
        self.start + self.head
    }

    /// Returns the length of the record; `None` if it does not fit into 64 bits.
    fn length(&self) -> Option<u64> {
        self.head.checked_add(self.bytes)?.checked_add(4)
    }

    /// Returns the parts of the path, by which files are sorted as a search of a folder sorts them.
    fn parts(&self) -> impl Iterator<Item = &str> {
        self.name.split('/')
    }
}

impl Pack {
    /// Reads the index of a pack.
    ///
    /// # Errors
    /// When the file cannot be read, is not a pack, is truncated or damaged, has another version, or has a file whose name leads
    /// out of the pack, occurs twice, or is the name of a pack. The inner error is a [`PackError`].
    pub fn open(path: &Path) -> io::Result<Pack> {
        Pack::open_with(path, None)
    }

    pub(super) fn open_with(path: &Path, files: Option<Arc<OpenPacks>>) -> io::Result<Pack> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        check_start(&file, size)?;
        let members = indexed(&file, size)?;
        Pack::new(path, members, files)
    }

    /// Finds the complete files of a pack without its index, from the beginning to the first place that is not well formed.
    /// Returns the files, and the reason why others may be missing; `None` if the pack ends as it should.
    ///
    /// # Errors
    /// When the file cannot be read, is not a pack, or has a name that [`open`](Pack::open) refuses.
    pub fn recover(path: &Path) -> io::Result<(Pack, Option<PackError>)> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        check_start(&file, size)?;
        let (members, reason) = in_order(&file, size)?;
        Ok((Pack::new(path, members, None)?, reason))
    }

    fn new(
        path: &Path,
        mut members: Vec<PackMember>,
        files: Option<Arc<OpenPacks>>,
    ) -> io::Result<Pack> {
        for member in &members {
            check_name(&member.name)?;
        }
        members.sort_by(|a, b| a.parts().cmp(b.parts()));
        if let Some(pair) = members.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(PackError::DuplicateName(pair[0].name.clone()).into());
        }
        // A file and a folder of the same name cannot be unpacked.
        let is_below = |file: &PackMember, next: &PackMember| {
            let below = next.name.strip_prefix(&file.name);
            below.is_some_and(|below| below.starts_with('/'))
        };
        if let Some(pair) = members.windows(2).find(|pair| is_below(&pair[0], &pair[1])) {
            return Err(PackError::DuplicateName(pair[0].name.clone()).into());
        }
        Ok(Pack {
            path: path.to_owned(),
            members,
            files,
        })
    }

    /// Returns the path of the pack.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files, sorted as a search of a folder sorts them.
    pub fn members(&self) -> &[PackMember] {
        &self.members
    }

    /// Returns the index of the file with a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let found = self
            .members
            .binary_search_by(|member| member.parts().cmp(name.split('/')));
        found.ok()
    }

    /// Returns the pack, open for reading.
    pub(super) fn file(&self) -> io::Result<Arc<File>> {
        match &self.files {
            Some(files) => files.open(&self.path),
            None => File::open(&self.path).map(Arc::new),
        }
    }

    /// Reads a file, but at most `max_bytes` of it. A file that is read completely is compared with its checksum.
    pub(super) fn read(
        &self,
        member: &PackMember,
        max_bytes: u64,
        is_cancelled: impl Fn() -> bool,
    ) -> io::Result<(Vec<u8>, std::ops::Range<usize>)> {
        let is_complete = member.bytes <= max_bytes;
        let data = member.bytes.min(max_bytes);
        let length = member.head + data + if is_complete { 4 } else { 0 };
        let file = self.file()?;
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let length = usize::try_from(length).map_err(|_| too_large())?;
        let record = read_exact_at(&file, member.start, length, is_cancelled)?;
        let head = member.head as usize;
        let end = head + data as usize;
        if !member.is_at(&record) {
            return Err(member.misplaced().into());
        }
        if is_complete {
            check_sum(&record[end..], crc32fast::hash(&record[PREFIX..end]))?;
        }
        Ok((record, head..end))
    }

    /// Compares the bytes of a file with their checksum.
    pub(super) fn check(&self, member: &PackMember) -> io::Result<()> {
        let file = self.file()?;
        let head = member.read_head(&file)?;
        Ok(member.check_bytes(&file, &head, |_| Ok(()))??)
    }

    /// Writes the bytes of a file to `output`, after they were compared with their checksum. Memory does not depend on the size
    /// of the file.
    ///
    /// # Errors
    /// When the pack cannot be read, or does not have the bytes that were packed, before anything is written; and when the
    /// output fails.
    pub fn copy(&self, member: &PackMember, mut output: impl io::Write) -> io::Result<()> {
        let file = self.file()?;
        let head = member.read_head(&file)?;
        member.check_bytes(&file, &head, |_| Ok(()))??;
        member.read_data(&file, |bytes| output.write_all(bytes))
    }

    /// Writes the bytes of a file to `output` as they are in the pack. Returns an error of the kind [`PackError::Checksum`] if
    /// they are not the bytes that were packed, and `None` if they are.
    ///
    /// # Errors
    /// When the pack cannot be read, or its index names the file at the wrong place, before anything is written; and when the
    /// output fails.
    pub fn copy_damaged(
        &self,
        member: &PackMember,
        mut output: impl io::Write,
    ) -> io::Result<Option<PackError>> {
        let file = self.file()?;
        let head = member.read_head(&file)?;
        let checked = member.check_bytes(&file, &head, |bytes| output.write_all(bytes))?;
        Ok(checked.err())
    }
}

/// Fails if a checksum is not the expected one.
fn check_sum(expected: &[u8], found: u32) -> Result<(), PackError> {
    let expected = Fields(expected).u32().unwrap_or(0);
    // 0 is an attachment without a checksum.
    if expected != 0 && expected != found {
        return Err(PackError::Checksum { expected, found });
    }
    Ok(())
}

impl PackMember {
    /// Reads the bytes of the record before the data, and checks that they are the beginning of this file.
    fn read_head(&self, pack: &File) -> io::Result<Vec<u8>> {
        let head = read_exact_at(pack, self.start, self.head as usize, || false)?;
        if !self.is_at(&head) {
            return Err(self.misplaced().into());
        }
        Ok(head)
    }

    /// Reads the data step by step.
    fn read_data(
        &self,
        pack: &File,
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        const STEP: u64 = 1 << 20;
        let (mut place, end) = (self.data(), self.data() + self.bytes);
        while place < end {
            let step = STEP.min(end - place);
            each(&read_exact_at(pack, place, step as usize, || false)?)?;
            place += step;
        }
        Ok(())
    }

    /// Reads the data step by step, and returns an error if they do not have their checksum.
    fn check_bytes(
        &self,
        pack: &File,
        head: &[u8],
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Result<(), PackError>> {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&head[PREFIX..]);
        self.read_data(pack, |bytes| {
            crc.update(bytes);
            each(bytes)
        })?;
        let sum = read_exact_at(pack, self.data() + self.bytes, 4, || false)?;
        Ok(check_sum(&sum, crc.finalize()))
    }

    /// Returns the error of an index that names this file where the pack has something else.
    fn misplaced(&self) -> PackError {
        PackError::Damaged(format!("its index has another file at byte {}", self.start))
    }

    /// Returns `true` if a record begins with the head of the attachment of this file.
    fn is_at(&self, record: &[u8]) -> bool {
        let is_same = || {
            let mut fields = Fields(record.get(1..)?);
            let length = fields.u64()?;
            let (_, _) = (fields.u64()?, fields.u64()?);
            let (name, _media_type) = (fields.text()?, fields.text()?);
            let is_name = name == self.name && fields.u64()? == self.bytes;
            Some(is_name && Some(length) == self.length()?.checked_sub(PREFIX as u64))
        };
        record.first() == Some(&op::ATTACHMENT) && is_same() == Some(true)
    }
}

/// Fails if a file does not begin as a pack of a known version.
fn check_start(file: &File, size: u64) -> io::Result<()> {
    /// The header and the metadata record have some hundred bytes.
    const START: u64 = 4 << 10;
    let start = read_exact_at(file, 0, size.min(START) as usize, || false)?;
    match version(&start) {
        Some(version) if version == VERSION => Ok(()),
        Some(version) => Err(PackError::Version(version.to_owned()).into()),
        None if size < START => Err(PackError::Truncated(size).into()),
        None => Err(PackError::damaged("it does not begin as a pack").into()),
    }
}

/// Returns the version of the pack that begins with these bytes.
fn version(start: &[u8]) -> Option<&str> {
    let (opcode, header, rest) = first_record(start.strip_prefix(&MAGIC)?)?;
    if opcode != op::HEADER || Fields(header).text()? != PROFILE {
        return None;
    }
    let (opcode, metadata, _) = first_record(rest)?;
    let mut metadata = Fields(metadata);
    if opcode != op::METADATA || metadata.text()? != PROFILE {
        return None;
    }
    let mut entries = metadata;
    entries.u32()?;
    loop {
        let (name, value) = (entries.text()?, entries.text()?);
        if name == "version" {
            return Some(value);
        }
    }
}

/// Returns `true` if a file begins as an MCAP file of another profile.
pub(super) fn is_other_mcap(start: &[u8]) -> bool {
    let profile = || {
        let (opcode, rest) = start.strip_prefix(&MAGIC)?.split_first()?;
        let mut fields = Fields(rest);
        fields.u64()?;
        (*opcode == op::HEADER).then_some(fields.text()?)
    };
    profile().is_some_and(|profile| profile != PROFILE)
}

/// Reads the files from the index at the end of a pack.
fn indexed(file: &File, size: u64) -> io::Result<Vec<PackMember>> {
    let end = (FOOTER + MAGIC.len()) as u64;
    let Some(footer_start) = size.checked_sub(end) else {
        return Err(PackError::Truncated(size).into());
    };
    let tail = read_exact_at(file, footer_start, end as usize, || false)?;
    let truncated = || io::Error::from(PackError::Truncated(size));
    let tail = tail.strip_suffix(&MAGIC).ok_or_else(truncated)?;
    let (op::FOOTER, footer, []) = first_record(tail).ok_or_else(truncated)? else {
        return Err(truncated());
    };
    let damaged = |message: &str| io::Error::from(PackError::damaged(message));
    let mut footer = Fields(footer);
    let start = footer.u64().unwrap_or(0);
    if start < MAGIC.len() as u64 || start > footer_start {
        return Err(damaged("it has no index"));
    }
    let length = footer_start - start;
    if length > MAX_INDEX_BYTES {
        return Err(damaged("its index is larger than 64 MiB"));
    }
    let summary = read_exact_at(file, start, length as usize, || false)?;
    let _offsets = footer.u64();
    let expected = footer.u32().unwrap_or(0);
    let mut crc = crc32fast::Hasher::new();
    crc.update(&summary);
    crc.update(&tail[..tail.len() - 4]);
    if expected != 0 && expected != crc.finalize() {
        return Err(damaged("the checksum of its index is wrong"));
    }
    let mut members = Vec::new();
    let mut records = &*summary;
    while !records.is_empty() {
        let (opcode, content, rest) =
            first_record(records).ok_or_else(|| damaged("its index is cut off"))?;
        records = rest;
        if opcode != op::ATTACHMENT_INDEX {
            continue;
        }
        let member = member_of_index(content, start)
            .ok_or_else(|| damaged("its index has an invalid entry"))?;
        members.push(member);
    }
    // A pack whose files share bytes would unpack to far more bytes than it has.
    let mut ranges: Vec<_> = members
        .iter()
        .map(|member| (member.start, member.data() + member.bytes))
        .collect();
    ranges.sort_unstable();
    if ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) {
        return Err(damaged("two files of its index overlap"));
    }
    Ok(members)
}

/// Parses the content of a record of the index. Returns `None` if it is invalid, or leads out of the data, which end at `end`.
fn member_of_index(content: &[u8], end: u64) -> Option<PackMember> {
    let mut fields = Fields(content);
    let (start, length) = (fields.u64()?, fields.u64()?);
    let (time, _create_time, bytes) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let (name, media_type) = (fields.text()?, fields.text()?);
    let member = PackMember::new(start, time, bytes, name, media_type);
    let is_inside = member.length() == Some(length)
        && start >= MAGIC.len() as u64
        && start.checked_add(length).is_some_and(|after| after <= end);
    is_inside.then_some(member)
}

/// Parses the head of an attachment whose record begins at `start`.
fn member_of_record(mut fields: Fields<'_>, start: u64) -> Option<PackMember> {
    let (time, _create_time) = (fields.u64()?, fields.u64()?);
    let (name, media_type) = (fields.text()?, fields.text()?);
    Some(PackMember::new(
        start,
        time,
        fields.u64()?,
        name,
        media_type,
    ))
}

/// Finds the complete files of a pack from its beginning. Returns the reason why others may be missing.
fn in_order(file: &File, size: u64) -> io::Result<(Vec<PackMember>, Option<PackError>)> {
    /// The most bytes of the head of an attachment: the longest path of common systems, and more.
    const HEAD: u64 = 16 << 10;
    let mut members = Vec::new();
    let mut place = MAGIC.len() as u64;
    let mut index_bytes = 0;
    loop {
        let most = size.saturating_sub(place).min(HEAD) as usize;
        let head = read_exact_at(file, place, most, || false)?;
        let mut fields = Fields(head.get(1..).unwrap_or_default());
        let (Some(opcode), Some(length)) = (head.first(), fields.u64()) else {
            return Ok((members, Some(PackError::Truncated(size))));
        };
        let next = place
            .checked_add(PREFIX as u64)
            .and_then(|start| start.checked_add(length));
        let Some(next) = next.filter(|next| *next <= size) else {
            return Ok((members, Some(PackError::Truncated(size))));
        };
        match *opcode {
            op::DATA_END => return Ok((members, None)),
            op::ATTACHMENT => {
                let member = member_of_record(fields, place);
                let member = member.filter(|member| member.length() == Some(next - place));
                let Some(member) = member else {
                    let message = format!("the file at byte {place} is not well formed");
                    return Ok((members, Some(PackError::Damaged(message))));
                };
                index_bytes += member.head;
                if index_bytes > MAX_INDEX_BYTES {
                    return Ok((members, Some(PackError::TooManyFiles)));
                }
                members.push(member);
            }
            op::HEADER | op::METADATA => {}
            _ => {
                let message = format!("the bytes from {place} are no part of a pack");
                return Ok((members, Some(PackError::Damaged(message))));
            }
        }
        place = next;
    }
}

/// The packs that were opened last, so that the next file of the same pack opens nothing. The number of open files is limited,
/// because a study may have a thousand packs.
#[derive(Debug, Default)]
pub(super) struct OpenPacks(Mutex<VecDeque<(PathBuf, Arc<File>)>>);

impl OpenPacks {
    const MOST: usize = 32;

    fn open(&self, path: &Path) -> io::Result<Arc<File>> {
        // Another thread may hold the lock, and in a child of `fork` forever. Opening the file once more is right too.
        if let Ok(mut open) = self.0.try_lock()
            && let Some(index) = open.iter().position(|(of, _)| of == path)
        {
            let file = Arc::clone(&open[index].1);
            open.swap(0, index);
            return Ok(file);
        }
        let file = Arc::new(File::open(path)?);
        if let Ok(mut open) = self.0.try_lock() {
            open.push_front((path.to_owned(), Arc::clone(&file)));
            open.truncate(Self::MOST);
        }
        Ok(file)
    }
}

/// Reads bytes at a place of a file, of which other threads read other places.
pub(super) fn read_at(file: &File, place: u64, buffer: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, place);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, place);
    #[cfg(not(any(unix, windows)))]
    return Err(io::ErrorKind::Unsupported.into());
}

/// Reads exactly `length` bytes, which are within the file. Memory is reserved first, so that a failure is an error.
fn read_exact_at(
    file: &File,
    place: u64,
    length: usize,
    is_cancelled: impl Fn() -> bool,
) -> io::Result<Vec<u8>> {
    /// The bytes that are read between two looks at the cancellation, some hundredths of a second.
    const STEP: usize = 64 << 20;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length)?;
    bytes.resize(length, 0);
    let mut filled = 0;
    while filled < length {
        if is_cancelled() {
            return Err(io::Error::other("the scan is cancelled"));
        }
        let end = length.min(filled + STEP);
        match read_at(file, place + filled as u64, &mut bytes[filled..end]) {
            // The file became shorter since its size was read.
            Ok(0) => return Err(PackError::Truncated(place + filled as u64).into()),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packs::{PackFolder, PackWriter, StoredFile, is_folder, is_pack};
    use inputanim::Limits;
    use std::fs;
    use std::io::{Read, Seek, SeekFrom};

    /// A folder that is removed at the end of a test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn write(&self, bytes: &[u8]) -> PathBuf {
            let path = self.0.join("0001.pack.mcap");
            fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const FILES: [(&str, &[u8]); 4] = [
        ("b/c.bin", b"second"),
        ("a.bin", b"first"),
        ("b.txt", b""),
        ("b/a.bin", &[7; 70_000]),
    ];

    fn pack_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = PackWriter::new(Vec::new()).unwrap();
        for (name, bytes) in files {
            let time = UNIX_EPOCH + Duration::from_secs(7);
            writer
                .add(name, Some(time), bytes.len() as u64, *bytes)
                .unwrap();
        }
        writer.finish().unwrap()
    }

    fn error_of(result: io::Result<impl std::fmt::Debug>) -> PackError {
        let error = result.unwrap_err();
        PackError::of(&error)
            .unwrap_or_else(|| panic!("{error}"))
            .clone()
    }

    fn read(path: &Path) -> io::Result<Vec<u8>> {
        let file = StoredFile::find(path)?;
        Ok(file.read(&Limits::default(), || false)?.to_vec())
    }

    #[test]
    fn files_of_a_pack_are_read_by_their_paths() {
        let folder = Folder::new("pack-read");
        let path = folder.write(&pack_of(&FILES));
        assert!(is_pack(&path) && is_folder(&path) && is_folder(&path.join("b")));
        assert!(!is_folder(&path.join("a.bin")) && !is_folder(&path.join("c")));
        let all = PackFolder::open(&path).unwrap().unwrap();
        let names: Vec<_> = all
            .pack()
            .members()
            .iter()
            .map(|member| &*member.name)
            .collect();
        assert_eq!(names, ["a.bin", "b/a.bin", "b/c.bin", "b.txt"]);
        let depths: Vec<_> = all.files().map(|(_, depth)| depth).collect();
        assert_eq!(depths, [1, 2, 2, 1]);
        let some = PackFolder::open(&path.join("b")).unwrap().unwrap();
        let files: Vec<_> = some.files().collect();
        assert_eq!(
            files,
            ["a.bin", "c.bin"].map(|name| (path.join("b").join(name), 1))
        );
        for (name, bytes) in FILES {
            assert_eq!(read(&path.join(name)).unwrap(), bytes, "{name}");
        }
        let missing = error_of(StoredFile::find(&path.join("c.bin")));
        assert_eq!(missing, PackError::NotFound("c.bin".to_owned()));
        assert_eq!(error_of(StoredFile::find(&path)), PackError::IsPack);
        // A pack that changes is read again.
        folder.write(&pack_of(&FILES[..1]));
        assert!(StoredFile::find(&path.join("a.bin")).is_err());
    }

    #[test]
    fn parts_of_a_file_are_read() {
        let folder = Folder::new("pack-parts");
        let path = folder.write(&pack_of(&FILES));
        let mut reader = StoredFile::find(&path.join("b/c.bin"))
            .unwrap()
            .reader()
            .unwrap();
        let mut text = String::new();
        assert_eq!(reader.seek(SeekFrom::End(-3)).unwrap(), 3);
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ond");
        assert_eq!(reader.seek(SeekFrom::Current(9)).unwrap(), 15);
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
        assert!(reader.seek(SeekFrom::End(-7)).is_err());
        let mut limits = Limits::default();
        limits.max_bytes = 2;
        let file = StoredFile::find(&path.join("b/c.bin")).unwrap();
        assert_eq!(&*file.read(&limits, || false).unwrap(), b"sec");
    }

    #[test]
    fn a_changed_byte_is_an_error_of_one_file() {
        let folder = Folder::new("pack-crc");
        let mut bytes = pack_of(&FILES);
        let place = bytes.windows(6).position(|part| part == b"second").unwrap();
        bytes[place] ^= 1;
        let path = folder.write(&bytes);
        let error = error_of(read(&path.join("b/c.bin")));
        assert!(matches!(error, PackError::Checksum { .. }), "{error}");
        assert_eq!(read(&path.join("a.bin")).unwrap(), b"first");
    }

    #[test]
    fn a_truncated_pack_is_an_error_and_its_complete_files_are_recovered() {
        let folder = Folder::new("pack-cut");
        let bytes = pack_of(&FILES);
        let places: Vec<u64> = {
            let path = folder.write(&bytes);
            let pack = Pack::open(&path).unwrap();
            let ends = pack.members.iter();
            ends.map(|member| member.start + member.length().unwrap())
                .collect()
        };
        for length in (0..bytes.len()).rev().filter(|length| {
            // The largest file has many equal places.
            length % 977 == 0 || *length < 1000 || *length + 1000 > bytes.len()
        }) {
            let path = folder.write(&bytes[..length]);
            assert!(is_pack(&path), "{length}");
            let error = error_of(Pack::open(&path));
            assert!(
                matches!(error, PackError::Truncated(_)),
                "{length}: {error}"
            );
            let Ok((pack, reason)) = Pack::recover(&path) else {
                assert!(length < 150, "{length}");
                continue;
            };
            let complete = places.iter().filter(|end| **end <= length as u64).count();
            assert_eq!(pack.members.len(), complete, "{length}");
            let is_all = complete == FILES.len() && reason.is_none();
            assert!(is_all || reason.is_some(), "{length}");
        }
    }

    #[test]
    fn damaged_packs_do_not_panic() {
        let folder = Folder::new("pack-damage");
        let bytes = pack_of(&FILES[..3]);
        for place in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[place] = value;
                let path = folder.write(&changed);
                let _ = Pack::recover(&path);
                if let Ok(pack) = Pack::open(&path) {
                    for member in &pack.members {
                        let _ = pack.read(member, u64::MAX, || false);
                    }
                }
            }
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        let folder = Folder::new("pack-names");
        // The name is replaced in the file, because the writer refuses it.
        let bytes = pack_of(&[("aa/bb.c", b"x"), ("aa/bb.d", b"y")]);
        for name in [
            "../bb.c", "/a/bb.c", "aa//b.c", "C:/bb.c", "aa\\bb.c", "./abb.c", "aa/bb.d",
        ] {
            let text = bytes.clone();
            let mut changed = text;
            for place in 0..changed.len() - 7 {
                if changed[place..].starts_with(b"aa/bb.c") {
                    changed[place..place + 7].copy_from_slice(name.as_bytes());
                }
            }
            // 0 is no checksum.
            let end = changed.len();
            changed[end - 12..end - 8].fill(0);
            let path = folder.write(&changed);
            let error = error_of(Pack::open(&path));
            let is_named = matches!(&error, PackError::Name(_) | PackError::DuplicateName(_));
            assert!(is_named, "{name}: {error}");
            let mut writer = PackWriter::new(Vec::new()).unwrap();
            writer.add("aa/bb.d", None, 1, &b"y"[..]).unwrap();
            error_of(writer.add(name, None, 1, &b"x"[..]));
        }
        let mut writer = PackWriter::new(Vec::new()).unwrap();
        let error = error_of(writer.add("a/b.pack.mcap", None, 0, &b""[..]));
        assert_eq!(error, PackError::PackInPack("a/b.pack.mcap".to_owned()));
        assert_eq!(
            error_of(writer.add("a", None, 2, &b"x"[..])),
            PackError::Changed
        );
    }

    #[test]
    fn a_pack_without_files_is_a_folder_without_files() {
        let folder = Folder::new("pack-empty");
        let path = folder.write(&pack_of(&[]));
        assert!(is_folder(&path));
        assert_eq!(PackFolder::open(&path).unwrap().unwrap().files().count(), 0);
    }

    #[test]
    fn mcap_of_other_programs_is_not_a_pack() {
        let folder = Folder::new("pack-other");
        let mut bytes = pack_of(&FILES);
        let place = bytes.windows(5).position(|part| part == b"input").unwrap();
        bytes[place] = b'I';
        assert!(!is_pack(&folder.write(&bytes)));
    }
}

#[cfg(all(test, feature = "mcap-plain"))]
mod library_tests {
    use mcap::Summary;
    use mcap::read::LinearReader;
    use mcap::records::Record;

    use crate::packs::PackWriter;

    #[test]
    fn the_library_of_mcap_reads_packs() {
        let mut writer = PackWriter::new(Vec::new()).unwrap();
        writer.add("a/b.bin", None, 3, &b"one"[..]).unwrap();
        writer.add("c.bin", None, 0, &b""[..]).unwrap();
        let bytes = writer.finish().unwrap();
        let summary = Summary::read(&bytes).unwrap().unwrap();
        let statistics = summary.stats.unwrap();
        assert_eq!(
            (statistics.attachment_count, statistics.metadata_count),
            (2, 1)
        );
        let index = &summary.attachment_indexes;
        let names: Vec<_> = index.iter().map(|index| &*index.name).collect();
        assert_eq!(names, ["a/b.bin", "c.bin"]);
        let first = mcap::read::attachment(&bytes, &index[0]).unwrap();
        assert_eq!(&*first.data, b"one");
        let metadata = mcap::read::metadata(&bytes, &summary.metadata_indexes[0]).unwrap();
        assert_eq!(metadata.metadata["version"], "1");
        let records: Result<Vec<Record<'_>>, _> = LinearReader::new(&bytes).unwrap().collect();
        for record in records.unwrap() {
            if let Record::DataEnd(end) = record {
                let length = bytes
                    .windows(9)
                    .rposition(|part| part == b"\x0f\x04\0\0\0\0\0\0\0");
                assert_eq!(
                    end.data_section_crc,
                    crc32fast::hash(&bytes[..length.unwrap()])
                );
            }
        }
    }
}
