//! How large a recording becomes.

use std::collections::VecDeque;

use inputanim::record::Settings;
use inputanim::{Frame, Limits, Marker, Side};

/// How large a recording becomes, told from what has been recorded.
pub(super) struct Size {
    key_size: u64,
    keep: Option<f32>,
    /// All frames that were recorded, also those that are not kept any more, and their keys.
    pub(super) frames: u64,
    keys: u64,
    /// Times and bytes of the markers that are kept.
    markers: VecDeque<(f32, u64)>,
    marker_bytes: u64,
}

impl Size {
    pub(super) fn new(settings: &Settings) -> Size {
        Size {
            key_size: settings.layout.key_kind().size() as u64,
            keep: settings.keep,
            frames: 0,
            keys: 0,
            markers: VecDeque::new(),
            marker_bytes: 0,
        }
    }

    pub(super) fn add_frame(&mut self, frame: &Frame) {
        self.frames += 1;
        self.keys += keys(frame);
        let Some(keep) = self.keep else { return };
        let start = frame.time - keep;
        while self.markers.front().is_some_and(|(time, _)| *time < start) {
            let (_, bytes) = self.markers.pop_front().unwrap_or_default();
            self.marker_bytes -= bytes;
        }
    }

    pub(super) fn add_marker(&mut self, marker: &Marker<'_>) {
        let bytes = marker.encoded_len();
        self.markers.push_back((marker.time, bytes));
        self.marker_bytes += bytes;
    }

    /// Markers that are kept.
    pub(super) fn markers(&self) -> usize {
        self.markers.len()
    }

    /// About so many keys, if so many frames are kept: of all the share that is theirs.
    fn keys_of(&self, kept: usize) -> u64 {
        let kept = kept as u64;
        match kept < self.frames {
            true => (self.keys as f64 / self.frames as f64 * kept as f64) as u64,
            false => self.keys,
        }
    }

    /// About so many bytes, if so many frames are kept.
    pub(super) fn bytes_of(&self, kept: usize) -> u64 {
        self.keys_of(kept) * self.key_size + self.marker_bytes
    }

    /// Whether a recording of so many frames may be read again.
    pub(super) fn is_within(&self, limits: &Limits, kept: usize) -> bool {
        self.keys_of(kept) <= limits.max_keys
            && self.bytes_of(kept) <= limits.max_bytes
            && self.markers.len() as u64 <= limits.max_markers
    }
}

/// Keys that a frame makes, but for those of states.
fn keys(frame: &Frame) -> u64 {
    let joints = |side: Side| {
        let hand = frame.hand(side);
        let known = hand.joints.iter().filter(|(_, pose)| pose.is_some());
        if hand.tracked { known.count() } else { 0 }
    };
    let joints: usize = Side::BOTH.into_iter().map(joints).sum();
    let poses = joints + usize::from(frame.camera.is_some());
    let rays = usize::from(frame.gaze.is_some());
    (7 * poses + 6 * rays) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{Layout, Pose};

    fn frame(time: f32) -> Frame {
        Frame {
            time,
            camera: Some(Pose::IDENTITY),
            ..Frame::default()
        }
    }

    #[test]
    fn keys_and_markers_are_counted_up_to_the_limits() {
        let limits = Limits {
            max_keys: 14,
            max_bytes: 200,
            max_markers: 1,
        };
        let mut size = Size::new(&Settings::new(Layout::Mrtk1_1));
        size.add_frame(&frame(0.0));
        size.add_frame(&frame(1.0));
        assert!(size.is_within(&limits, 2) && size.bytes_of(2) == 14 * 8);
        size.add_marker(&Marker::new(0.5, "half"));
        assert!(size.is_within(&limits, 2));
        let mut with_long_name = Size::new(&Settings::new(Layout::Mrtk1_1));
        with_long_name.add_marker(&Marker::new(0.5, "x".repeat(200)));
        assert!(!with_long_name.is_within(&limits, 0));
        size.add_marker(&Marker::new(0.5, ""));
        assert!(!size.is_within(&limits, 2));
        size.add_frame(&frame(2.0));
        assert!(!size.is_within(
            &Limits {
                max_markers: 9,
                ..limits
            },
            3
        ));
    }

    #[test]
    fn what_a_rolling_buffer_lets_go_of_does_not_count() {
        let keep = Some(1.0);
        let mut size = Size::new(&Settings {
            keep,
            ..Settings::MRTK
        });
        for step in 0..100 {
            size.add_marker(&Marker::new(step as f32, "second"));
            size.add_frame(&frame(step as f32));
        }
        assert_eq!((size.markers(), size.bytes_of(2)), (2, 2 * 7 * 8 + 2 * 11));
    }
}
