//! Videos in MP4 files, which are copied without decoding.
//!
//! The reader finds the number, the times and the size of the frames in the boxes of the file: `moov`, and in it the tables of
//! the only video track. Source: ISO/IEC 14496-12, "ISO base media file format". Fragmented files, whose tables are spread over
//! the file, are refused.

use std::io::{Read, Seek, SeekFrom};

use crate::shared::Error;

/// The largest size of the box with all tables, in bytes: hours of video have less.
const MAX_TABLES: u64 = 64 << 20;

/// The largest number of frames.
const MAX_FRAMES: usize = 1 << 24;

/// The largest deviation of the time of a frame in seconds that LeRobot accepts by default.
const TOLERANCE: f64 = 1e-4;

/// A video that cannot be part of a dataset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VideoError {
    /// The file is not an MP4 file, or its boxes are damaged.
    #[error("not a well-formed MP4 file: {0}")]
    NotMp4(&'static str),
    /// The file has a form that the reader does not support.
    #[error("MP4 file with {0}, which is not supported")]
    Unsupported(String),
    /// The frames of the video are not at the rate of the dataset.
    #[error(
        "frame {frame} of the video is at {time} s, expected {expected} s ({rate} frames per second)"
    )]
    Rate {
        /// The index of the frame.
        frame: usize,
        /// Its time in seconds.
        time: f64,
        /// The expected time in seconds.
        expected: f64,
        /// The frames per second of the dataset.
        rate: u32,
    },
    /// The recording and the video have different numbers of frames.
    #[error("the video has {video} frames, but the recording has {recording}")]
    Frames {
        /// The number of frames of the video.
        video: usize,
        /// The number of frames of the recording at the rate of the dataset.
        recording: usize,
    },
    /// An episode begins between two frames of the video, or ends after it.
    #[error(
        "the episode from {start} s with {frames} frames is not a part of the video with {video} frames"
    )]
    Part {
        /// The start of the episode in seconds.
        start: f64,
        /// The number of frames of the episode.
        frames: usize,
        /// The number of frames of the video.
        video: usize,
    },
    /// The videos of a dataset have different sizes or codecs.
    #[error("the video has {found}, but earlier videos of the dataset have {expected}")]
    Differs {
        /// The size and codec of the video.
        found: String,
        /// The size and codec of earlier videos.
        expected: String,
    },
    /// The options of the dataset have no videos.
    #[error("the options of the dataset have no videos")]
    NotInDataset,
    /// The dataset has videos, but an episode has none.
    #[error("an episode has no video, but the dataset has videos")]
    Missing,
}

impl crate::shared::error::OfFormat for VideoError {}

/// Facts about a video in an MP4 file.
#[derive(Clone, Debug, PartialEq)]
pub struct Video {
    pub(super) width: u16,
    pub(super) height: u16,
    /// The name of the codec that FFmpeg uses.
    pub(super) codec: &'static str,
    pub(super) has_audio: bool,
    /// The times of all frames in seconds, in order.
    times: Vec<f64>,
}

impl Video {
    /// Reads the boxes of an MP4 file.
    ///
    /// # Errors
    /// When the input fails, when it is not an MP4 file with one video track, when it is fragmented, and when an edit list hides
    /// frames or delays them.
    pub fn read(mut input: impl Read + Seek) -> Result<Video, Error> {
        let tables = tables(&mut input)?;
        Ok(Video::of_tables(&tables)?)
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Returns the size and the codec, such as `1920 × 1080 pixels in h264`.
    pub(super) fn describe(&self) -> String {
        let Video {
            width,
            height,
            codec,
            ..
        } = self;
        format!("{width} × {height} pixels in {codec}")
    }

    /// Checks that all frames of the video are at `rate` frames per second.
    ///
    /// # Errors
    /// When the time of a frame deviates by more than 0.1 ms.
    pub fn check_rate(&self, rate: u32) -> Result<(), VideoError> {
        for (frame, &time) in self.times.iter().enumerate() {
            let expected = frame as f64 / f64::from(rate);
            if (time - expected).abs() > TOLERANCE {
                return Err(VideoError::Rate {
                    frame,
                    time,
                    expected,
                    rate,
                });
            }
        }
        Ok(())
    }

    /// Checks that an episode is a part of the video. It begins at `start` seconds and has `frames` frames at `rate` frames per
    /// second.
    ///
    /// # Errors
    /// When no frame of the video is at the start, and when the video ends before the episode.
    pub fn check_part(&self, start: f64, frames: usize, rate: u32) -> Result<(), VideoError> {
        let first = (start * f64::from(rate)).round();
        let is_frame = (start - first / f64::from(rate)).abs() <= TOLERANCE && first >= 0.0;
        if is_frame && first + frames as f64 <= self.frames() as f64 {
            return Ok(());
        }
        Err(VideoError::Part {
            start,
            frames,
            video: self.frames(),
        })
    }

    fn of_tables(tables: &[u8]) -> Result<Video, VideoError> {
        let moov = Boxes(tables);
        if moov.find(b"mvex")?.is_some() {
            return Err(VideoError::Unsupported("fragments".to_owned()));
        }
        let mut video = None;
        let mut has_audio = false;
        for found in moov {
            let (kind, track) = found?;
            if &kind != b"trak" {
                continue;
            }
            let media = needed(Boxes(track).find(b"mdia")?, "a track has no media")?;
            let handler = needed(Boxes(media).find(b"hdlr")?, "a track has no handler")?;
            match handler.get(8..12) {
                Some(b"vide") if video.is_some() => {
                    return Err(VideoError::Unsupported("several video tracks".to_owned()));
                }
                Some(b"vide") => video = Some((track, media)),
                Some(b"soun") => has_audio = true,
                _ => {}
            }
        }
        let (track, media) = needed(video, "no video track")?;
        let mdhd = needed(Boxes(media).find(b"mdhd")?, "no header of the media")?;
        let timescale = time_scale(mdhd)?;
        let info = needed(
            Boxes(media).find(b"minf")?,
            "no information about the media",
        )?;
        let samples = Boxes(needed(Boxes(info).find(b"stbl")?, "no table of samples")?);
        let (codec, width, height) =
            description(needed(samples.find(b"stsd")?, "no description")?)?;
        let durations = needed(samples.find(b"stts")?, "no times of frames")?;
        let mut times = decoding_times(durations)?;
        if let Some(offsets) = samples.find(b"ctts")? {
            add_offsets(&mut times, offsets)?;
        }
        times.sort_unstable();
        let edits = match Boxes(track).find(b"edts")? {
            Some(edits) => Boxes(edits).find(b"elst")?,
            None => None,
        };
        let (first, length) = edits.map_or(Ok((0, None)), edit)?;
        let seconds = times.iter().map(|time| (time - first) as f64 / timescale);
        let times: Vec<f64> = seconds.collect();
        let mvhd = needed(moov.find(b"mvhd")?, "no header of the movie")?;
        let end = match length {
            Some(length) => length as f64 / time_scale(mvhd)?,
            None => f64::INFINITY,
        };
        let is_hidden = |&&time: &&f64| time < -TOLERANCE || time >= end;
        let hidden = times.iter().filter(is_hidden).count();
        if hidden > 0 {
            let what = format!("an edit list that hides {hidden} of {} frames", times.len());
            return Err(VideoError::Unsupported(what));
        }
        Ok(Video {
            width,
            height,
            codec,
            has_audio,
            times,
        })
    }
}

/// Reads the content of the box `moov`.
fn tables(input: &mut (impl Read + Seek)) -> Result<Vec<u8>, Error> {
    let end = input.seek(SeekFrom::End(0))?;
    let mut at = 0;
    let mut is_first = true;
    while at + 8 <= end {
        input.seek(SeekFrom::Start(at))?;
        let mut head = [0; 16];
        input.read_exact(&mut head[..8])?;
        let mut header = 8;
        let [a, b, c, d, kind @ ..] = head.first_chunk::<8>().copied().unwrap_or_default();
        let mut size = u64::from(u32::from_be_bytes([a, b, c, d]));
        if is_first && &kind != b"ftyp" {
            return Err(VideoError::NotMp4("it does not begin with the box ftyp").into());
        }
        is_first = false;
        if size == 1 && at + 16 <= end {
            input.read_exact(&mut head[8..])?;
            header = 16;
            size = u64::from_be_bytes(head[8..].try_into().unwrap_or_default());
        } else if size == 0 {
            size = end - at;
        }
        if size < header || size > end - at {
            return Err(VideoError::NotMp4("a box ends after the file").into());
        }
        if &kind == b"moov" {
            if size > MAX_TABLES {
                return Err(VideoError::Unsupported(format!("tables of {size} bytes")).into());
            }
            let mut tables = vec![0; (size - header) as usize];
            input.read_exact(&mut tables)?;
            return Ok(tables);
        }
        at += size;
    }
    Err(VideoError::NotMp4("no box moov").into())
}

/// The boxes in a slice.
#[derive(Clone, Copy)]
struct Boxes<'b>(&'b [u8]);

impl<'b> Boxes<'b> {
    /// Returns the content of the first box of a kind.
    fn find(self, kind: &[u8; 4]) -> Result<Option<&'b [u8]>, VideoError> {
        for found in self {
            let (other, content) = found?;
            if &other == kind {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }
}

impl<'b> Iterator for Boxes<'b> {
    type Item = Result<([u8; 4], &'b [u8]), VideoError>;

    fn next(&mut self) -> Option<Self::Item> {
        let ([a, b, c, d, kind @ ..], _) = self.0.split_first_chunk::<8>()?;
        let size = match u32::from_be_bytes([*a, *b, *c, *d]) as usize {
            0 => self.0.len(),
            size => size,
        };
        let content = self.0.get(8..size);
        self.0 = self.0.get(size..).unwrap_or_default();
        // The boxes in `moov` are smaller than 4 GiB.
        let content = content.ok_or(VideoError::NotMp4("a box ends after the box around it"));
        if content.is_err() {
            self.0 = &[];
        }
        Some(content.map(|content| (*kind, content)))
    }
}

fn needed<T>(found: Option<T>, problem: &'static str) -> Result<T, VideoError> {
    found.ok_or(VideoError::NotMp4(problem))
}

/// Returns the numbers of 32 bits from a place on.
fn numbers(content: &[u8], from: usize) -> impl Iterator<Item = u32> {
    let content = content.get(from..).unwrap_or_default();
    content
        .as_chunks::<4>()
        .0
        .iter()
        .map(|number| u32::from_be_bytes(*number))
}

fn number(content: &[u8], at: usize) -> Result<u32, VideoError> {
    needed(numbers(content, at).next(), "a box is too short")
}

/// Returns the units per second of the header of a movie or of media.
fn time_scale(header: &[u8]) -> Result<f64, VideoError> {
    // Version 1 has times of creation and change of 64 bits.
    let place = if header.first() == Some(&1) { 20 } else { 12 };
    match number(header, place)? {
        0 => Err(VideoError::NotMp4("a time scale is 0")),
        scale => Ok(scale.into()),
    }
}

/// Returns the codec, the width and the height of the only description of samples.
fn description(stsd: &[u8]) -> Result<(&'static str, u16, u16), VideoError> {
    if number(stsd, 4)? != 1 {
        return Err(VideoError::Unsupported(
            "several descriptions of frames".to_owned(),
        ));
    }
    let kind = needed(stsd.get(12..16), "a box is too short")?;
    let codec = match kind {
        b"avc1" | b"avc3" => "h264",
        b"hvc1" | b"hev1" => "hevc",
        b"av01" => "av1",
        b"vp09" => "vp9",
        b"mp4v" => "mpeg4",
        _ => {
            let kind = String::from_utf8_lossy(kind).into_owned();
            return Err(VideoError::Unsupported(format!("the codec {kind:?}")));
        }
    };
    // The width and the height are 32 bytes after the start of the description, which is at 8.
    let size = number(stsd, 40)?;
    let (width, height) = ((size >> 16) as u16, size as u16);
    if width == 0 || height == 0 {
        return Err(VideoError::NotMp4("the width or the height is 0"));
    }
    Ok((codec, width, height))
}

/// Returns the pairs of numbers of a table with the count of the pairs at 4.
fn pairs(table: &[u8]) -> Result<Vec<[u32; 2]>, VideoError> {
    let count = number(table, 4)? as usize;
    let pairs = table.get(8..).unwrap_or_default().as_chunks::<8>().0;
    let pairs = needed(pairs.get(..count), "a table is too short")?;
    let pair = |pair: &[u8; 8]| {
        let [a, b, c, d, e, f, g, h] = *pair;
        [[a, b, c, d], [e, f, g, h]].map(u32::from_be_bytes)
    };
    Ok(pairs.iter().map(pair).collect())
}

/// Returns the times at which the frames are decoded.
fn decoding_times(stts: &[u8]) -> Result<Vec<i64>, VideoError> {
    let mut times = Vec::new();
    let mut time = 0_i64;
    for [count, duration] in pairs(stts)? {
        if times.len() + count as usize > MAX_FRAMES {
            return Err(VideoError::Unsupported(format!(
                "more than {MAX_FRAMES} frames"
            )));
        }
        for _ in 0..count {
            times.push(time);
            // At most 2²⁴ times 2³².
            time += i64::from(duration);
        }
    }
    if times.is_empty() {
        return Err(VideoError::NotMp4("no frames"));
    }
    Ok(times)
}

/// Adds the differences of the times at which frames are shown and decoded.
fn add_offsets(times: &mut [i64], ctts: &[u8]) -> Result<(), VideoError> {
    let mut rest = times;
    for [count, offset] in pairs(ctts)? {
        let count = count as usize;
        if count > rest.len() {
            return Err(VideoError::NotMp4("more times than frames"));
        }
        let (these, after) = rest.split_at_mut(count);
        // Version 1 has signed offsets. Writers use negative offsets in version 0, too.
        these
            .iter_mut()
            .for_each(|time| *time += i64::from(offset.cast_signed()));
        rest = after;
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(VideoError::NotMp4("fewer times than frames"))
    }
}

/// Returns the time of the media at which the only edit begins, and its length in units of the movie; `None` if it has no end.
fn edit(elst: &[u8]) -> Result<(i64, Option<u64>), VideoError> {
    if number(elst, 4)? != 1 {
        return Err(VideoError::Unsupported("several edits".to_owned()));
    }
    let (length, start) = if elst.first() == Some(&1) {
        let long = |at| {
            Ok::<_, VideoError>(
                u64::from(number(elst, at)?) << 32 | u64::from(number(elst, at + 4)?),
            )
        };
        (long(8)?, long(16)?.cast_signed())
    } else {
        let start = number(elst, 12)?.cast_signed();
        (number(elst, 8)?.into(), start.into())
    };
    if start < 0 {
        return Err(VideoError::Unsupported("a delay".to_owned()));
    }
    Ok((start, (length > 0).then_some(length)))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn boxed(kind: &str, content: &[u8]) -> Vec<u8> {
        let size = (content.len() as u32 + 8).to_be_bytes();
        [&size[..], kind.as_bytes(), content].concat()
    }

    fn numbers_of(numbers: &[u32]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect()
    }

    /// Returns an MP4 file with these tables of times at 600 units per second.
    fn mp4(stts: &[u32], ctts: Option<&[u32]>, elst: Option<&[u32]>) -> Vec<u8> {
        let mut entry = vec![0; 78];
        entry[24..28].copy_from_slice(&[0x07, 0x80, 0x04, 0x38]);
        let stsd = [numbers_of(&[0, 1]), boxed("avc1", &entry)].concat();
        let mut samples = boxed("stsd", &stsd);
        samples.extend(boxed("stts", &numbers_of(stts)));
        samples.extend(ctts.map_or(Vec::new(), |ctts| boxed("ctts", &numbers_of(ctts))));
        let mut handler = vec![0; 24];
        handler[8..12].copy_from_slice(b"vide");
        let media = [
            boxed("mdhd", &numbers_of(&[0, 0, 0, 600, 0, 0])),
            boxed("hdlr", &handler),
            boxed("minf", &boxed("stbl", &samples)),
        ];
        let edits = elst.map(|elst| boxed("edts", &boxed("elst", &numbers_of(elst))));
        let track = [edits.unwrap_or_default(), boxed("mdia", &media.concat())].concat();
        let mvhd = boxed("mvhd", &numbers_of(&[0, 0, 0, 1000, 0]));
        let moov = boxed("moov", &[mvhd, boxed("trak", &track)].concat());
        [boxed("ftyp", b"isom"), boxed("mdat", &[1; 5]), moov].concat()
    }

    fn read(bytes: &[u8]) -> Result<Video, String> {
        Video::read(Cursor::new(bytes)).map_err(|error| error.to_string())
    }

    #[test]
    fn frames_have_times_and_a_size() {
        let video = read(&mp4(&[0, 2, 2, 20, 1, 20], None, None)).unwrap();
        assert_eq!(video.describe(), "1920 × 1080 pixels in h264");
        assert_eq!(video.frames(), 3);
        assert_eq!(video.check_rate(30), Ok(()));
        assert!(matches!(
            video.check_rate(25),
            Err(VideoError::Rate { frame: 1, .. })
        ));
        assert_eq!(video.check_part(1.0 / 30.0, 2, 30), Ok(()));
        for (start, frames) in [(0.02, 1), (1.0 / 30.0, 3), (-1.0 / 30.0, 1)] {
            assert!(video.check_part(start, frames, 30).is_err(), "{start}");
        }
    }

    #[test]
    fn frames_that_are_shown_in_another_order_are_sorted() {
        // Decoded at 0, 20, 40 and shown at 20, 60, 40; the edit begins with the first of them.
        let ctts = [0, 3, 1, 20, 1, 40, 1, 0];
        let video = read(&mp4(&[0, 1, 3, 20], Some(&ctts), Some(&[0, 1, 100, 20, 1])));
        assert_eq!(video.unwrap().check_rate(30), Ok(()));
    }

    #[test]
    fn edits_that_hide_or_delay_frames_are_refused() {
        let error = |elst: &[u32]| read(&mp4(&[0, 1, 3, 20], None, Some(elst))).unwrap_err();
        assert!(error(&[0, 1, 100, 20, 1]).contains("hides 1 of 3 frames"));
        assert!(error(&[0, 1, 50, 0, 1]).contains("hides 1 of 3 frames"));
        assert!(error(&[0, 1, 100, u32::MAX, 1]).contains("a delay"));
        assert!(error(&[0, 2, 100, 0, 1, 100, 0, 1]).contains("several edits"));
    }

    #[test]
    fn a_dataset_copies_videos_and_states_their_parts() {
        use std::collections::BTreeMap;
        use std::sync::{Arc, Mutex};

        use inputanim::{Layout, Pose, Recording, TimeRange};

        use super::super::{DatasetWriter, EpisodeSampler, Features, Options, VIDEO};
        use crate::table::frames::Columns;

        #[derive(Clone, Default)]
        struct Files(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);
        struct MemoryFile(Files, String);
        impl std::io::Write for MemoryFile {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                let mut files = self.0.0.lock().unwrap();
                files.entry(self.1.clone()).or_default().extend(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }

        let mut recording = Recording::new(Layout::Mrtk1_1);
        for second in [0.0, 1.0] {
            recording.head_mut().push(second, &Pose::IDENTITY);
        }
        let options = Options {
            video: true,
            modality: true,
            ..Options::default()
        };
        let features = Features::new(&Columns::of(&recording), &options.forms, |_| true).unwrap();
        let sampler = EpisodeSampler::new(&recording, &features, &options).unwrap();
        let episode = |start, end| sampler.episode(TimeRange { start, end }).unwrap();
        let files = Files::default();
        let create = |path: &str| Ok(MemoryFile(files.clone(), path.to_owned()));
        let mut writer = DatasetWriter::new(&features, &options, create).unwrap();
        let error = writer.push(&episode(0.0, 1.0), "a").unwrap_err();
        assert!(
            error.to_string().contains("an episode has no video"),
            "{error}"
        );

        let bytes = mp4(&[0, 1, 31, 20], None, None);
        let video = Video::read(Cursor::new(&bytes)).unwrap();
        for part in [episode(0.0, 0.5), episode(0.5, 1.0)] {
            writer.push_video(&video, &bytes[..]).unwrap();
            writer.push(&part, "a").unwrap();
        }
        let error = writer.push(&episode(0.51, 1.0), "a").unwrap_err();
        assert!(
            error.to_string().contains("is not a part of the video"),
            "{error}"
        );
        let slow = Video::read(Cursor::new(mp4(&[0, 1, 31, 40], None, None))).unwrap();
        assert!(writer.push_video(&slow, &bytes[..]).is_err());
        writer.finish().unwrap();

        let files = files.0.lock().unwrap();
        assert!(
            files
                .keys()
                .all(|path| super::super::is_file_of_dataset(path)),
            "{files:?}"
        );
        for number in 0..2 {
            let path = format!("videos/{VIDEO}/chunk-000/file-00{number}.mp4");
            assert_eq!(files[&path], bytes);
        }
        let json = |path: &str| serde_json::from_slice::<serde_json::Value>(&files[path]).unwrap();
        let info = json("meta/info.json");
        let feature = &info["features"][VIDEO];
        assert_eq!(
            (&feature["dtype"], &feature["shape"]),
            (&"video".into(), &serde_json::json!([1080, 1920, 3]))
        );
        assert_eq!(feature["info"]["video.codec"], "h264");
        let path = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4";
        assert_eq!(info["video_path"], path);
        assert_eq!(
            json("meta/stats.json")[VIDEO],
            serde_json::json!({"count": [32]})
        );
        assert_eq!(
            json("meta/modality.json")["video"]["ego_view"]["original_key"],
            VIDEO
        );
    }

    #[test]
    fn damaged_files_are_errors() {
        let bytes = mp4(
            &[0, 1, 3, 20],
            Some(&[0, 1, 3, 0]),
            Some(&[0, 1, 100, 0, 1]),
        );
        assert!(read(&bytes).is_ok());
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end}");
        }
        for place in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[place] = value;
                // Any result, but no panic.
                let _read = read(&changed);
            }
        }
        assert!(
            read(&boxed("moov", b""))
                .unwrap_err()
                .contains("begin with the box ftyp")
        );
        let many = mp4(&[0, 1, u32::MAX, 20], None, None);
        assert!(
            read(&many)
                .unwrap_err()
                .contains("more than 16777216 frames")
        );
        let few = mp4(&[0, 1, 3, 20], Some(&[0, 1, 2, 0]), None);
        assert!(read(&few).unwrap_err().contains("fewer times than frames"));
    }
}
