//! Any bytes are recovered as a session or give an error, alone and as the payload of a block. The
//! recovered recording has finite values, increasing times and no sign flips.

use inputanim::session::{self, SessionReadError};
use inputanim::{Limits, PoseCurves, Recording};

/// Checks that these bytes are recovered as a session file or give an error, also as the payload of a block, and that
/// the recovered recording is valid. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    recovers(bytes);
    let error = recovers(&sealed(bytes));
    assert_eq!(error, None, "the session has an intact header");
}

fn recovers(bytes: &[u8]) -> Option<SessionReadError> {
    let recovery = match session::recover(bytes, &Limits::default()) {
        Ok(recovery) => recovery,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Some(error);
        }
    };
    let damage = recovery.damage.iter();
    assert!(damage.is_sorted_by(|a, b| a.bytes.end <= b.bytes.start));
    for damage in &recovery.damage {
        assert!(damage.bytes.start <= damage.bytes.end && damage.bytes.end <= bytes.len() as u64);
        assert!(!damage.to_string().is_empty());
    }
    let recording = &recovery.recording;
    for (path, curve) in recording.curves().filter(|(_, curve)| !curve.is_empty()) {
        let points: Vec<(f32, f32)> = curve.points().collect();
        let is_finite = |(time, value): &(f32, f32)| time.is_finite() && value.is_finite();
        assert!(points.iter().all(is_finite), "{path}");
        assert!(points.is_sorted_by(|a, b| a.0 < b.0), "{path}");
    }
    poses(recording).for_each(has_no_sign_flips);
    let mut written = Vec::new();
    let losses = recording.write_lossy_as(&mut written, recording.layout);
    losses.expect("memory");
    Recording::parse(&written).expect("well formed");
    None
}

fn poses<'r, 'a>(recording: &'r Recording<'a>) -> impl Iterator<Item = &'r PoseCurves<'a>> {
    let hands = recording.hands.iter();
    let joints = hands.flat_map(|hands| hands.left.joints.iter().chain(hands.right.joints.iter()));
    recording.head.iter().chain(joints.map(|(_, pose)| pose))
}

fn has_no_sign_flips(pose: &PoseCurves<'_>) {
    let rotation = |key| {
        let curves = pose.rotation.each_ref();
        curves.map(|curve| {
            curve
                .keys
                .point(key)
                .map_or(f64::NAN, |(_, value)| value.into())
        })
    };
    let keys = pose.rotation[0].keys.len();
    for (before, after) in (0..keys).map(rotation).zip((1..keys).map(rotation)) {
        let dot: f64 = before.iter().zip(after).map(|(a, b)| a * b).sum();
        assert!(dot >= 0.0, "{before:?} and {after:?}");
    }
}

/// Returns a session file with a correct header and one block that has this payload (docs/session.md). Hardly any input
/// of a fuzzer has a correct checksum, so without it the payload would not be tested.
fn sealed(payload: &[u8]) -> Vec<u8> {
    let with_crc = |mut bytes: Vec<u8>| {
        bytes.extend(crc(&bytes).to_le_bytes());
        bytes
    };
    let header = [
        &b"\x89IASES\x1a\n"[..],
        &[1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    let length = (payload.len() as u32).to_le_bytes();
    let sum = crc(payload).to_le_bytes();
    let block = [&[0x42, 0x4c, 0xcb, 0xff], &length[..], &[0; 8], &sum].concat();
    [with_crc(header), with_crc(block), payload.to_vec()].concat()
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
    let add = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), step);
    !bytes.iter().fold(!0, add)
}
