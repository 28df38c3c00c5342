//! A recording as an archive that ozz reads: version 7 of its animations.
//!
//! Every pose of the recording becomes a track whose translations and rotations have their keys
//! where the recording has them. As ozz wants it, each track also has a key at the start and at
//! the end of the take, which says what its neighbour says; scales are there with these two keys
//! alone; and tracks that stand still fill up the last group of four. Gaze is left out: a ray has
//! no rotation.

mod order;
mod pack;
mod write;

use inputanim::{FloatCurve, Pose, PoseCurves, Recording, Side};
use order::{Order, SeekPoints};

/// Tracks that ozz samples at a time.
const LANES: usize = 4;

/// The archive of a recording. `times` are those of all keys, in order, the first 0; so many
/// `seconds` lie between two seek points.
pub(crate) fn of(recording: &Recording<'_>, times: &[f32], seconds: f32) -> Vec<u8> {
    let duration = times.last().copied().expect("a take has keys");
    let parts: Vec<f32> = times.iter().map(|time| time / duration).collect();
    let end = u16::try_from(times.len() - 1).expect("a take of no more than 65,536 frames");

    let mut tracks: Vec<Track> = poses(recording)
        .map(|curves| Track::new(curves, times))
        .collect();
    let count = tracks.len();
    tracks.resize_with(count.next_multiple_of(LANES), || Track::still(end));

    let moving: Vec<&[u16]> = tracks.iter().map(|track| &track.times[..]).collect();
    let order = Order::new(&moving);
    let seek_points = (duration / seconds).round().max(1.0) as u32;
    let seek_points = order.seek_points(tracks.len(), &parts, seek_points);
    let ends = [0, end];
    let still = vec![&ends[..]; tracks.len()];
    let order_of_still = Order::new(&still);
    let streams = [
        Stream::new(&order, &moving, seek_points.clone(), |track, key| {
            pack::vector(tracks[track].poses[key].position)
        }),
        Stream::new(&order, &moving, seek_points, |track, key| {
            pack::rotation(tracks[track].poses[key].rotation)
        }),
        Stream::new(&order_of_still, &still, SeekPoints::default(), |_, _| {
            pack::vector([1.0; 3])
        }),
    ];
    write::bytes(duration, count, &parts, &streams)
}

/// The recorded poses: the head, then the joints of both hands.
fn poses<'r>(recording: &'r Recording<'_>) -> impl Iterator<Item = &'r PoseCurves<'r>> {
    let hands = recording.hands.iter();
    let hands = hands.flat_map(|hands| Side::BOTH.map(|side| hands.hand(side)));
    let joints = hands.flat_map(|hand| hand.joints.iter().map(|(_, curves)| curves));
    let all = recording.camera.iter().chain(joints);
    all.filter(|curves| !curves.is_empty())
}

/// One pose over time.
struct Track {
    /// Indices of time points.
    times: Vec<u16>,
    poses: Vec<Pose>,
}

impl Track {
    fn new(curves: &PoseCurves<'_>, all: &[f32]) -> Track {
        let mut times = Vec::new();
        let mut poses = Vec::new();
        for (key, (time, _)) in curves.position[0].keys.points().enumerate() {
            let value = |curve: &FloatCurve<'_>| {
                let point = curve.keys.point(key);
                point.expect("all curves of a pose have the same keys").1
            };
            let index = all.binary_search_by(|other| other.total_cmp(&time));
            times.push(index.expect("the time of a key is among them") as u16);
            poses.push(Pose {
                position: curves.position.each_ref().map(value),
                rotation: curves.rotation.each_ref().map(value),
            });
        }
        let last = times.len() - 1;
        let end = (all.len() - 1) as u16;
        if times[last] != end {
            times.push(end);
            poses.push(poses[last]);
        }
        if times[0] != 0 {
            times.insert(0, 0);
            poses.insert(0, poses[0]);
        }
        Track { times, poses }
    }

    fn still(end: u16) -> Track {
        Track {
            times: vec![0, end],
            poses: vec![Pose::IDENTITY; 2],
        }
    }
}

/// All keys of one kind: translations, rotations or scales.
struct Stream {
    /// Indices of time points.
    times: Vec<u16>,
    steps_back: Vec<u16>,
    values: Vec<[u16; 3]>,
    seek_points: SeekPoints,
}

impl Stream {
    /// `value` gives a key by its track and its index there.
    fn new(
        order: &Order,
        times: &[&[u16]],
        seek_points: SeekPoints,
        value: impl Fn(usize, usize) -> [u16; 3],
    ) -> Stream {
        let keys = || order.keys();
        Stream {
            times: keys().map(|(track, key)| times[track][key]).collect(),
            steps_back: order.steps_back(times.len()).collect(),
            values: keys().map(|(track, key)| value(track, key)).collect(),
            seek_points,
        }
    }
}
