//! Sessions with failing disks, refused frames and damaged bytes.

use std::io::{self, Write};

use crate::sessions::{SETTINGS, recorded, recover, written};
use inputanim::session::{self, SessionReadError, SessionWriteError, SessionWriter, SyncWrite};
use inputanim::{Frame, Limits, Pose, RecordError};

fn frame(time: f32) -> Frame {
    Frame {
        time,
        head: Some(Pose::at([time, 1.6, 0.0])),
        ..Frame::default()
    }
}

/// A disk that is full after `capacity` bytes, or that fails after a number of syncs.
struct FailingDisk {
    bytes: Vec<u8>,
    capacity: usize,
    syncs: usize,
}

impl Write for FailingDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.capacity - self.bytes.len());
        self.bytes.extend(&bytes[..count]);
        match count {
            0 => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(count),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SyncWrite for FailingDisk {
    fn sync(&mut self) -> io::Result<()> {
        self.syncs = self.syncs.checked_sub(1).ok_or(io::ErrorKind::Other)?;
        Ok(())
    }
}

#[test]
fn a_disk_failure_reports_the_synced_frames() {
    for (capacity, syncs) in [(24, 100), (2000, 100), (5000, 100), (9999, 3), (9999, 1)] {
        let mut disk = FailingDisk {
            bytes: Vec::new(),
            capacity,
            syncs,
        };
        let mut writer = SessionWriter::new(&mut disk, SETTINGS).unwrap();
        let mut times = (0..600).map(|step| step as f32 / 60.0);
        let error = times
            .find_map(|time| writer.push(&frame(time)).err())
            .unwrap();
        let SessionWriteError::Output { synced, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(synced, writer.synced());
        let again = writer.push(&frame(100.0)).unwrap_err();
        assert!(
            matches!(again, SessionWriteError::Closed { synced: still } if still == synced),
            "{again}"
        );
        assert!(matches!(
            writer.finish(),
            Err(SessionWriteError::Closed { .. })
        ));
        let recovery = recover(&disk.bytes).unwrap();
        assert!(recovery.frames as u64 >= synced.frames, "{synced:?}");
        assert!(!recovery.is_finished);
    }
}

#[test]
fn frames_older_than_the_interval_are_synced() {
    let mut writer = SessionWriter::new(Vec::new(), SETTINGS).unwrap();
    for step in 0..1000 {
        let time = (step as f32 / 60.0).powf(1.5);
        writer.push(&frame(time)).unwrap();
        assert!(time - writer.synced().time.unwrap() < 0.5);
    }
    let before = writer.synced();
    writer.push(&frame(1000.0)).unwrap();
    writer.push(&frame(1000.1)).unwrap();
    writer.mark(1000.0, "mark").unwrap();
    assert_eq!(
        (writer.synced().time, writer.synced().markers),
        (Some(1000.1), 1)
    );
    writer.push(&frame(1000.2)).unwrap();
    writer.sync().unwrap();
    assert_eq!(writer.synced().time, Some(1000.2));
    let bytes = writer.synced().bytes;
    writer.sync().unwrap();
    assert_eq!(writer.synced().bytes, bytes, "nothing to write");
    assert!(before.bytes < bytes);
}

#[test]
fn a_refused_frame_leaves_no_trace() {
    let frames = [0.0, 0.1, 0.2].map(frame);
    let mut writer = SessionWriter::new(Vec::new(), SETTINGS).unwrap();
    for good in &frames {
        let mut bad = good.clone();
        bad.head = Some(Pose {
            rotation: [0.0; 4],
            ..Pose::IDENTITY
        });
        let error = writer.push(&bad).unwrap_err();
        assert!(
            matches!(
                error,
                SessionWriteError::Record(RecordError::RotationZero { .. })
            ),
            "{error}"
        );
        writer.push(good).unwrap();
    }
    assert!(matches!(
        writer.push(&frames[0]),
        Err(SessionWriteError::Record(RecordError::TimeNotAfter { .. }))
    ));
    assert!(writer.mark(f32::NAN, "").is_err());
    let recovery = recover(&writer.finish().unwrap()).unwrap();
    assert_eq!(recovery.recording, recorded(&frames));
    let mut options = SETTINGS;
    options.sync_interval = 0.0;
    assert!(SessionWriter::new(Vec::new(), options).is_err());
}

#[test]
fn damage_is_named_with_its_bytes_and_times() {
    let frames: Vec<Frame> = (0..120).map(|step| frame(step as f32 / 60.0)).collect();
    let (bytes, safe) = written(SETTINGS, &frames);
    let mut ends: Vec<u64> = safe.iter().map(|safe| safe.bytes).collect();
    ends.dedup();
    let texts = |bytes: &[u8]| -> Vec<String> {
        let lost = recover(bytes).unwrap().damage;
        lost.iter().map(ToString::to_string).collect()
    };
    let damaged = |at: u64| {
        let mut bytes = bytes.clone();
        bytes[at as usize] ^= 1;
        bytes
    };
    assert_eq!(
        texts(&damaged(10)),
        ["the header is damaged (before 0.000 s)"]
    );
    assert_eq!(
        texts(&damaged(ends[2] + 40)),
        [format!(
            "the block at byte {} is damaged (between 0.500 s and 1.017 s)",
            ends[2]
        )]
    );
    assert_eq!(
        texts(&damaged(ends[2] + 4)),
        [format!(
            "{} bytes from byte {} on are not an intact block (between 0.500 s and 1.017 s)",
            ends[3] - ends[2],
            ends[2]
        )]
    );
    let without = [&bytes[..ends[2] as usize], &bytes[ends[3] as usize..]].concat();
    assert_eq!(
        texts(&without),
        [format!(
            "a block is missing before byte {} (between 0.500 s and 1.017 s)",
            ends[2]
        )]
    );
    let cut = &bytes[..bytes.len() - 60];
    assert_eq!(texts(cut).len(), 1);
    assert!(
        texts(cut)[0].ends_with("are not an intact block (after 1.500 s)"),
        "{:?}",
        texts(cut)
    );
}

#[test]
fn other_bytes_versions_and_limits_are_refused() {
    assert_eq!(recover(b""), Err(SessionReadError::NotASession));
    assert_eq!(
        recover(&inputanim::MAGIC),
        Err(SessionReadError::NotASession)
    );
    let frames: Vec<Frame> = (0..10).map(|step| frame(step as f32)).collect();
    let (bytes, _) = written(SETTINGS, &frames);
    assert!(session::is_session(&bytes));
    let limited = |limits: Limits| session::recover(&bytes, &limits).unwrap_err().to_string();
    let all = Limits::default();
    assert_eq!(
        limited({
            let mut limits = all;
            limits.max_bytes = 100;
            limits
        }),
        "expected at most 100 bytes (the limit), found more"
    );
    assert_eq!(
        limited({
            let mut limits = all;
            limits.max_keys = 69;
            limits
        }),
        "expected at most 69 keys (the limit), found more"
    );
    assert!(
        session::recover(&bytes, &{
            let mut limits = all;
            limits.max_keys = 70;
            limits
        })
        .is_ok()
    );
    let mut newer = bytes.clone();
    newer[8] = 4;
    newer[20..24].copy_from_slice(&crc32fast::hash(&bytes[..20]).to_le_bytes());
    assert!(
        recover(&newer).is_ok(),
        "the version of a damaged header is ignored"
    );
    let crc = crc32fast::hash(&newer[..20]);
    newer[20..24].copy_from_slice(&crc.to_le_bytes());
    assert_eq!(
        recover(&newer),
        Err(SessionReadError::Version { version: 4 })
    );
}
