//! The bytes of an archive, in the order in which ozz reads them.

use super::Stream;

/// `parts` are the time points, from 0 to 1.
pub(super) fn bytes(duration: f32, tracks: usize, parts: &[f32], streams: &[Stream; 3]) -> Vec<u8> {
    const LITTLE_ENDIAN: u8 = 1;
    const VERSION: u32 = 7;
    const LENGTH_OF_NAME: usize = 0;
    // With fewer time points, their indices would take one byte each.
    assert!(parts.len() > 255, "a take of more than 255 frames");

    let mut bytes = vec![LITTLE_ENDIAN];
    bytes.extend(b"ozz-animation\0");
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(duration.to_le_bytes());
    let mut counts = vec![tracks, LENGTH_OF_NAME, parts.len()];
    counts.extend(streams.iter().map(|stream| stream.values.len()));
    for Stream { seek_points, .. } in streams {
        counts.extend([seek_points.entries.len(), seek_points.places.len()]);
    }
    bytes.extend(
        counts
            .iter()
            .flat_map(|&count| (count as u32).to_le_bytes()),
    );
    bytes.extend(parts.iter().flat_map(|part| part.to_le_bytes()));
    for stream in streams {
        bytes.extend(shorts(&stream.times));
        bytes.extend(shorts(&stream.steps_back));
        let points = &stream.seek_points;
        bytes.extend(&points.entries);
        bytes.extend(points.places.iter().flat_map(|place| place.to_le_bytes()));
        bytes.extend(points.interval.to_le_bytes());
        bytes.extend(shorts(stream.values.as_flattened()));
    }
    bytes
}

fn shorts(numbers: &[u16]) -> impl Iterator<Item = u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes())
}
