//! Findings in the complete file: flags and layout (L8, L9), empty streams, gaze and joints (L10,
//! L11, L17), markers (L14, L15), no keys at all (L24), hands that are never tracked (L28).

use super::code::Code;
use super::finding::Finding;
use crate::info::Info;
use crate::joint::{Joint, Side};
use crate::layout::Layout;
use crate::marker::Marker;
use crate::path::Stream;
use crate::recording::Recording;
use crate::time_range::TimeRange;

pub(super) fn findings(recording: &Recording<'_>, info: &Info) -> Vec<Finding> {
    let mut findings: Vec<Finding> = [flags(recording), layout(recording), gaze(recording)]
        .into_iter()
        .flatten()
        .collect();
    findings.extend(empty_streams(recording, info));
    findings.extend(missing_joints(recording, info));
    findings.extend(markers(recording, info));
    findings.extend(no_keys(recording, info));
    findings.extend(nothing_tracked(info));
    findings
}

fn flags(recording: &Recording<'_>) -> Option<Finding> {
    let bytes = recording.flag_bytes();
    let odd = bytes.iter().filter(|&&byte| byte > 1).count() as u64;
    (odd > 0).then(|| {
        let [head, hand, gaze] = bytes;
        let detail = format!("head {head}, hand {hand}, gaze {gaze}");
        Finding::new(Code::FlagByte, odd, detail)
    })
}

fn layout(recording: &Recording<'_>) -> Option<Finding> {
    let detail = match recording.layout {
        Layout::SimpleWithoutMarkers1_1 => {
            "simple keys without a marker list: perhaps an MRTK 1.1 file that was truncated before its list"
        }
        Layout::FullWithMarkers1_1 => "full keys with a marker list in version 1.1",
        _ => return None,
    };
    Some(Finding::new(Code::MixedLayout, 1, detail.to_owned()))
}

fn no_keys(recording: &Recording<'_>, info: &Info) -> Option<Finding> {
    let curves = recording.curves().count();
    let detail = format!("{curves} curves, all empty");
    (info.keys == 0).then(|| Finding::new(Code::NoKeys, 1, detail))
}

/// Returns the finding (L28) of hands whose states have keys and which are never tracked, if no other stream has keys. `None` for
/// all other recordings, such as those of a head alone.
fn nothing_tracked(info: &Info) -> Option<Finding> {
    let keys = |of: &dyn Fn(Stream) -> bool| -> u64 {
        let streams = info.streams.iter().filter(|s| of(s.stream));
        streams.map(|stream| stream.keys).sum()
    };
    let states = keys(&|stream| matches!(stream, Stream::Tracked(_)));
    let others = keys(&|stream| matches!(stream, Stream::Head | Stream::Gaze | Stream::Device(_)));
    let is_tracked = Side::BOTH
        .into_iter()
        .any(|side| !info.hand(side).tracked.is_empty());
    (states > 0 && others == 0 && !is_tracked).then(|| {
        let detail = format!("both hands in {:.3} s", info.duration);
        let finding = Finding::new(Code::NothingTracked, 1, detail);
        finding.in_streams(Side::BOTH.map(Stream::Tracked), Vec::new())
    })
}

fn gaze(recording: &Recording<'_>) -> Option<Finding> {
    let gaze = recording.gaze.as_ref()?;
    let mut keys = 0;
    for (_, curve) in gaze.iter() {
        // NaN differs from 0 too, so a gaze with NaN is not reported as all zero.
        if curve.keys.points().any(|(_, value)| value != 0.0) {
            return None;
        }
        keys += curve.keys.len() as u64;
    }
    (keys > 0).then(|| {
        let detail = format!("{keys} keys, all 0");
        Finding::new(Code::GazeZero, keys, detail).in_streams([Stream::Gaze], Vec::new())
    })
}

/// Returns the finding (L10) of streams that are flagged as recorded but have no keys. `None` without such streams, and
/// in version 1.0, which has no flags and whose hands have no keys if they were never tracked.
fn empty_streams(recording: &Recording<'_>, info: &Info) -> Option<Finding> {
    if !recording.layout.has_flags() {
        return None;
    }
    let keys = |of: &dyn Fn(Stream) -> bool| -> u64 {
        let streams = info.streams.iter().filter(|s| of(s.stream));
        streams.map(|stream| stream.keys).sum()
    };
    let flags = info.flags;
    // One flag announces the states and the joints of both hands.
    let is_hand = |stream| !matches!(stream, Stream::Head | Stream::Gaze | Stream::Device(_));
    let empty: Vec<&str> = [
        (flags.head && keys(&|s| s == Stream::Head) == 0, "head"),
        (flags.hand && keys(&is_hand) == 0, "hands"),
        (flags.gaze && keys(&|s| s == Stream::Gaze) == 0, "gaze"),
    ]
    .into_iter()
    .filter_map(|(empty, name)| empty.then_some(name))
    .collect();
    let count = empty.len() as u64;
    (count > 0).then(|| Finding::new(Code::StreamEmpty, count, empty.join(", ")))
}

/// Returns the finding (L17) of hands that are tracked but have no keys for any joint; `None` without such hands. The
/// entry `None` does not count: it is not a joint.
fn missing_joints(recording: &Recording<'_>, info: &Info) -> Option<Finding> {
    let hands = recording.hands.as_ref()?;
    let is_missing = |side: &Side| {
        let mut joints = hands.hand(*side).joints.iter();
        let has_none = joints.all(|(joint, pose)| joint == Joint::None || pose.is_empty());
        has_none && !info.hand(*side).tracked.is_empty()
    };
    let sides: Vec<Side> = Side::BOTH.into_iter().filter(is_missing).collect();
    let details: Vec<String> = sides
        .iter()
        .map(|&side| {
            let tracked = TimeRange::total_length(&info.hand(side).tracked);
            format!("{side}, tracked for {tracked:.3} s")
        })
        .collect();
    let count = details.len() as u64;
    (count > 0).then(|| {
        let streams = sides.into_iter().map(Stream::Joints);
        let finding = Finding::new(Code::JointsMissing, count, details.join(", "));
        finding.in_streams(streams, Vec::new())
    })
}

fn markers(recording: &Recording<'_>, info: &Info) -> Vec<Finding> {
    let markers = &recording.markers;
    // Playback runs from 0 to the duration, also if there are keys before 0 (docs/format.md,
    // section 5.1).
    let played = 0.0..=info.duration;
    let mut outside = markers
        .iter()
        .filter(|marker| !played.contains(&marker.time));
    let mut findings = Vec::new();
    if let Some(first) = outside.next() {
        let (count, all, end) = (1 + outside.count(), markers.len(), info.duration);
        let first = describe(first);
        let detail =
            format!("{count} of {all}, the first {first}; the recording ends at {end:.3} s");
        findings.push(Finding::new(Code::MarkerOutside, count as u64, detail));
    }
    // A marker at NaN is neither before nor after another one.
    let timed = || markers.iter().filter(|marker| !marker.time.is_nan());
    let mut pairs = timed().zip(timed().skip(1));
    if let Some((before, after)) = pairs.find(|(before, after)| after.time < before.time) {
        let detail = format!("{} follows {}", describe(after), describe(before));
        findings.push(Finding::new(Code::MarkersUnsorted, 1, detail));
    }
    findings
}

/// Returns the name and the time of a marker as text. Of a name longer than 40 characters, only the start is included.
fn describe(marker: &Marker<'_>) -> String {
    // A file can contain names of any length, but the finding should fit on one line.
    const MAX_CHARACTERS: usize = 40;
    let name: String = marker.name.chars().take(MAX_CHARACTERS).collect();
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

    fn codes(recording: &Recording<'_>) -> Vec<Code> {
        let findings = findings(recording, &Info::of(recording));
        findings.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn gaze_that_was_enabled_but_never_delivered_is_found() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, 1.0] {
            let ray = Ray {
                origin: [0.0; 3],
                direction: [0.0; 3],
            };
            recording.gaze_mut().push(time, &ray);
        }
        assert_eq!(codes(&recording), [Code::GazeZero]);
    }

    #[test]
    fn markers_outside_the_recording_and_out_of_order_are_found() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(2.0, &Pose::IDENTITY);
        recording.markers = vec![Marker::new(1.0, "a"), Marker::new(0.5, "b")];
        assert_eq!(codes(&recording), [Code::MarkersUnsorted]);
        recording.markers[1].time = 2.5;
        assert_eq!(codes(&recording), [Code::MarkerOutside]);
        recording.markers[1].time = f32::NAN;
        assert_eq!(codes(&recording), [Code::MarkerOutside]);
        recording.markers.push(Marker::new(0.5, "c"));
        assert_eq!(
            codes(&recording),
            [Code::MarkerOutside, Code::MarkersUnsorted]
        );
    }

    #[test]
    fn a_tracked_hand_without_joints_is_found() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let hands = recording.hands_mut();
        hands.left.tracked.push(0.0, true);
        hands.right.tracked.push(0.0, false);
        hands.right.pinching.push(2.0, false);
        let findings = findings(&recording, &Info::of(&recording));
        assert_eq!(findings[0].code, Code::JointsMissing);
        assert_eq!(findings[0].detail, "left, tracked for 2.000 s");
        let left = &mut recording.hands_mut().left;
        left.joints[Joint::None].push(0.0, &Pose::IDENTITY);
        assert_eq!(codes(&recording), [Code::JointsMissing]);
        recording.hands_mut().left.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        assert_eq!(codes(&recording), []);
    }

    #[test]
    fn unusual_flags_and_layouts_are_found() {
        let mut recording = Recording::new(Layout::FullWithMarkers1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.keep_flag_bytes([7, 0, 0]);
        assert_eq!(codes(&recording), [Code::FlagByte, Code::MixedLayout]);
    }
}
