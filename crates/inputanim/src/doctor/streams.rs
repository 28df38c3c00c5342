//! The file as a whole: flags and layout (L8, L9), empty streams, gaze and joints (L10, L11, L17),
//! markers (L14, L15).

use super::code::Code;
use super::finding::Finding;
use crate::joint::{Joint, Side};
use crate::layout::Layout;
use crate::marker::Marker;
use crate::path::Stream;
use crate::recording::Recording;
use crate::summary::Summary;

pub(super) fn examine(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let mut findings: Vec<Finding> = [flags(recording), layout(recording), gaze(recording)]
        .into_iter()
        .flatten()
        .collect();
    findings.extend(empty_streams(recording, summary));
    findings.extend(missing_joints(recording, summary));
    findings.extend(markers(recording, summary));
    findings
}

fn whole_file(code: Code, count: u64, detail: String) -> Finding {
    Finding {
        code,
        count,
        curves: Vec::new(),
        span: None,
        detail,
    }
}

fn flags(recording: &Recording<'_>) -> Option<Finding> {
    let bytes = recording.flag_bytes();
    let odd = bytes.iter().filter(|&&byte| byte > 1).count() as u64;
    (odd > 0).then(|| {
        let [camera, hand, gaze] = bytes;
        let detail = format!("camera {camera}, hand {hand}, gaze {gaze}");
        whole_file(Code::FlagByte, odd, detail)
    })
}

fn layout(recording: &Recording<'_>) -> Option<Finding> {
    let detail = match recording.layout {
        Layout::SimpleWithoutMarkers1_1 => {
            "simple keys without a marker list: perhaps an MRTK 1.1 file that was cut just before its list"
        }
        Layout::FullWithMarkers1_1 => "full keys with a marker list in version 1.1",
        _ => return None,
    };
    Some(whole_file(Code::MixedLayout, 1, detail.to_owned()))
}

fn gaze(recording: &Recording<'_>) -> Option<Finding> {
    let gaze = recording.gaze.as_ref()?;
    let mut keys = 0;
    for (_, curve) in gaze.iter() {
        if curve.keys.points().any(|(_, value)| value != 0.0) {
            return None;
        }
        keys += curve.keys.len() as u64;
    }
    (keys > 0).then(|| whole_file(Code::GazeZero, keys, format!("{keys} keys, all 0")))
}

/// Streams with a flag of their own that hold nothing. Version 1.0 has no flags, and its hands
/// hold nothing whenever none was seen.
fn empty_streams(recording: &Recording<'_>, summary: &Summary) -> Option<Finding> {
    if !recording.layout.has_flags() {
        return None;
    }
    let keys = |of: &dyn Fn(Stream) -> bool| -> u64 {
        let streams = summary.streams.iter().filter(|s| of(s.stream));
        streams.map(|stream| stream.keys).sum()
    };
    let flags = summary.flags;
    let is_hand = |stream| !matches!(stream, Stream::Camera | Stream::Gaze);
    let empty: Vec<&str> = [
        (
            flags.camera && keys(&|s| s == Stream::Camera) == 0,
            "camera",
        ),
        (flags.hand && keys(&is_hand) == 0, "hands"),
        (flags.gaze && keys(&|s| s == Stream::Gaze) == 0, "gaze"),
    ]
    .into_iter()
    .filter_map(|(empty, name)| empty.then_some(name))
    .collect();
    let count = empty.len() as u64;
    (count > 0).then(|| whole_file(Code::StreamEmpty, count, empty.join(", ")))
}

/// Hands that are tracked without joints; the entry None is no joint of a hand.
fn missing_joints(recording: &Recording<'_>, summary: &Summary) -> Option<Finding> {
    let hands = recording.hands.as_ref()?;
    let is_missing = |side: &Side| {
        let mut joints = hands.hand(*side).joints.iter();
        let has_none = joints.all(|(joint, pose)| joint == Joint::None || pose.is_empty());
        has_none && !summary.hand(*side).tracked.is_empty()
    };
    let details: Vec<String> = Side::BOTH
        .into_iter()
        .filter(is_missing)
        .map(|side| {
            let tracked = summary.hand(side).tracked.iter().map(|span| span.length());
            format!("{side}, tracked for {:.3} s", tracked.sum::<f32>())
        })
        .collect();
    let count = details.len() as u64;
    (count > 0).then(|| whole_file(Code::JointsMissing, count, details.join(", ")))
}

fn markers(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let markers = &recording.markers;
    let played = 0.0..=summary.duration;
    let mut outside = markers
        .iter()
        .filter(|marker| !played.contains(&marker.time));
    let mut findings = Vec::new();
    if let Some(first) = outside.next() {
        let (count, all, end) = (1 + outside.count(), markers.len(), summary.duration);
        let first = named(first);
        let detail =
            format!("{count} of {all}, the first {first}; the recording ends at {end:.3} s");
        findings.push(whole_file(Code::MarkerOutside, count as u64, detail));
    }
    // One that is at no time is neither before nor after another.
    let timed = || markers.iter().filter(|marker| !marker.time.is_nan());
    let mut pairs = timed().zip(timed().skip(1));
    if let Some((before, after)) = pairs.find(|(before, after)| after.time < before.time) {
        let detail = format!("{} follows {}", named(after), named(before));
        findings.push(whole_file(Code::MarkersUnsorted, 1, detail));
    }
    findings
}

/// A marker in a few words, however long its name is.
fn named(marker: &Marker<'_>) -> String {
    const LETTERS: usize = 40;
    let name: String = marker.name.chars().take(LETTERS).collect();
    let dots = if name.len() < marker.name.len() {
        "…"
    } else {
        ""
    };
    format!("{name:?}{dots} at {:.3} s", marker.time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Pose, Ray};

    fn codes(take: &Recording<'_>) -> Vec<Code> {
        let findings = examine(take, &Summary::of(take));
        findings.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn gaze_that_was_switched_on_but_never_delivered_is_found() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, 1.0] {
            let ray = Ray {
                origin: [0.0; 3],
                direction: [0.0; 3],
            };
            take.gaze_mut().push(time, &ray);
        }
        assert_eq!(codes(&take), [Code::GazeZero]);
    }

    #[test]
    fn markers_out_of_reach_and_out_of_order_are_found() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        take.camera_mut().push(0.0, &Pose::IDENTITY);
        take.camera_mut().push(2.0, &Pose::IDENTITY);
        take.markers = vec![Marker::new(1.0, "a"), Marker::new(0.5, "b")];
        assert_eq!(codes(&take), [Code::MarkersUnsorted]);
        take.markers[1].time = 2.5;
        assert_eq!(codes(&take), [Code::MarkerOutside]);
        take.markers[1].time = f32::NAN;
        assert_eq!(codes(&take), [Code::MarkerOutside]);
        take.markers.push(Marker::new(0.5, "c"));
        assert_eq!(codes(&take), [Code::MarkerOutside, Code::MarkersUnsorted]);
    }

    #[test]
    fn a_tracked_hand_without_joints_is_found() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let hands = take.hands_mut();
        hands.left.tracked.push(0.0, true);
        hands.right.tracked.push(0.0, false);
        hands.right.pinching.push(2.0, false);
        let findings = examine(&take, &Summary::of(&take));
        assert_eq!(findings[0].code, Code::JointsMissing);
        assert_eq!(findings[0].detail, "left, tracked for 2.000 s");
        let left = &mut take.hands_mut().left;
        left.joints[Joint::None].push(0.0, &Pose::IDENTITY);
        assert_eq!(codes(&take), [Code::JointsMissing]);
        take.hands_mut().left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        assert_eq!(codes(&take), []);
    }

    #[test]
    fn unusual_flags_and_layouts_are_found() {
        let mut take = Recording::new(Layout::FullWithMarkers1_1);
        take.camera_mut().push(0.0, &Pose::IDENTITY);
        take.keep_flag_bytes([7, 0, 0]);
        assert_eq!(codes(&take), [Code::FlagByte, Code::MixedLayout]);
    }
}
