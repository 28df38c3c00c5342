//! In which order an ozz archive stores keys, and where its sampler can start in the middle.
//!
//! Keys of all tracks lie in one array, in the order in which a sampler that plays forward takes
//! them up: it needs a key from the moment on at which it passes the one before it in the same
//! track. So they are sorted by the time of that one, then by track; the first two keys of every
//! track thus come before all others.

use super::pack;

/// The keys of all tracks in the order of an archive.
pub(super) struct Order {
    keys: Vec<Place>,
}

/// Where a key comes from. What is compared first comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The time of the key before it in its track; the first one has none.
    previous: Option<u16>,
    track: usize,
    /// Its index in its track.
    index: usize,
}

/// Instants, evenly spread over the take, for which it is written down which key of each track is
/// the newest that has been taken up.
#[derive(Clone, Default)]
pub(super) struct SeekPoints {
    /// The part of the take from one to the next; 0 without any.
    pub(super) interval: f32,
    /// For each instant, the places of these keys.
    pub(super) entries: Vec<u8>,
    /// For each instant, where its entries begin and the last of these places.
    pub(super) places: Vec<u32>,
}

impl Order {
    /// The times of each track are indices of time points: in order, the first 0.
    pub(super) fn new(tracks: &[&[u16]]) -> Order {
        let mut keys = Vec::new();
        for (track, times) in tracks.iter().enumerate() {
            let previous = std::iter::once(None).chain(times.iter().copied().map(Some));
            for (index, previous) in (0..times.len()).zip(previous) {
                keys.push(Place {
                    previous,
                    track,
                    index,
                });
            }
        }
        keys.sort_unstable();
        Order { keys }
    }

    /// Track and index of each key.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.keys.iter().map(|key| (key.track, key.index))
    }

    /// How many places before each key the one before it in its track is; 0 for the first.
    pub(super) fn steps_back(&self, tracks: usize) -> impl Iterator<Item = u16> {
        let mut newest = vec![0; tracks];
        self.keys.iter().enumerate().map(move |(place, key)| {
            let before = std::mem::replace(&mut newest[key.track], place);
            let steps = key.previous.map_or(0, |_| place - before);
            u16::try_from(steps).expect("no track is without keys for so long")
        })
    }

    /// Seek points at the ends of so many equal parts of the take; `times` are the time points,
    /// from 0 to 1.
    pub(super) fn seek_points(&self, tracks: usize, times: &[f32], parts: u32) -> SeekPoints {
        let mut points = SeekPoints {
            interval: 1.0 / parts as f32,
            ..SeekPoints::default()
        };
        let mut newest = vec![0; tracks];
        let mut keys = (0..).zip(&self.keys).peekable();
        let mut last = 0;
        for part in 1..=parts {
            let now = part as f32 * points.interval;
            let is_needed = |key: &Place| {
                key.previous
                    .is_none_or(|time| times[usize::from(time)] <= now)
            };
            while let Some((place, key)) = keys.next_if(|(_, key)| is_needed(key)) {
                newest[key.track] = place;
                last = place;
            }
            points.places.extend([points.entries.len() as u32, last]);
            let (groups, _) = newest.as_chunks();
            for &group in groups {
                pack::group(group, &mut points.entries);
            }
        }
        // The reader loads four bytes for each number, however short it is.
        points.entries.extend([0; 3]);
        points
    }
}
