//! The estimated size of the recording.

use std::collections::VecDeque;

use inputanim::RecorderOptions;
use inputanim::{Frame, Limits, Marker, Side};

/// An estimate of the size of the recording, from the frames so far.
pub(super) struct SizeEstimate {
    key_size: u64,
    keep: Option<f32>,
    /// All recorded frames, dropped ones included.
    pub(super) frames: u64,
    keys: u64,
    /// The times and sizes of the markers that are kept.
    markers: VecDeque<(f32, u64)>,
    marker_bytes: u64,
}

impl SizeEstimate {
    pub(super) fn new(settings: &RecorderOptions) -> SizeEstimate {
        SizeEstimate {
            key_size: settings.layout.key_kind().size() as u64,
            keep: settings.keep_last,
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

    /// Returns the number of markers that are kept.
    pub(super) fn markers(&self) -> usize {
        self.markers.len()
    }

    /// Estimates the number of keys of the last `kept` frames, from the average of all frames.
    fn keys_of(&self, kept: usize) -> u64 {
        // The recorder does not say which keys it has dropped with old frames.
        let kept = kept as u64;
        if kept < self.frames {
            (self.keys as f64 / self.frames as f64 * kept as f64) as u64
        } else {
            self.keys
        }
    }

    /// Estimates the size of a recording of the last `kept` frames and the kept markers, in bytes.
    pub(super) fn bytes_of(&self, kept: usize) -> u64 {
        self.keys_of(kept) * self.key_size + self.marker_bytes
    }

    /// Returns `true` if a recording of the last `kept` frames and the kept markers can be read within the limits.
    pub(super) fn is_within(&self, limits: &Limits, kept: usize) -> bool {
        self.keys_of(kept) <= limits.max_keys
            && self.bytes_of(kept) <= limits.max_bytes
            && self.markers.len() as u64 <= limits.max_markers
    }
}

/// Returns the number of keys that the poses and the gaze of a frame need.
fn keys(frame: &Frame) -> u64 {
    let joints = |side: Side| {
        let hand = frame.hand(side);
        let known = hand.joints.iter().filter(|(_, pose)| pose.is_some());
        if hand.tracked { known.count() } else { 0 }
    };
    let joints: usize = Side::BOTH.into_iter().map(joints).sum();
    let poses = joints + usize::from(frame.head.is_some());
    let rays = usize::from(frame.gaze.is_some());
    // A pose has 7 curves and a ray 6 (docs/format.md 2.1, 2.2).
    (7 * poses + 6 * rays) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{Layout, Pose};

    fn frame(time: f32) -> Frame {
        Frame {
            time,
            head: Some(Pose::IDENTITY),
            ..Frame::default()
        }
    }

    #[test]
    fn keys_and_markers_are_counted_up_to_the_limits() {
        let mut limits = Limits::default();
        limits.max_keys = 14;
        limits.max_bytes = 200;
        limits.max_markers = 1;
        let mut size = SizeEstimate::new(&RecorderOptions::new(Layout::Mrtk1_1));
        size.add_frame(&frame(0.0));
        size.add_frame(&frame(1.0));
        assert!(size.is_within(&limits, 2) && size.bytes_of(2) == 14 * 8);
        size.add_marker(&Marker::new(0.5, "half"));
        assert!(size.is_within(&limits, 2));
        let mut with_long_name = SizeEstimate::new(&RecorderOptions::new(Layout::Mrtk1_1));
        with_long_name.add_marker(&Marker::new(0.5, "x".repeat(200)));
        assert!(!with_long_name.is_within(&limits, 0));
        size.add_marker(&Marker::new(0.5, ""));
        assert!(!size.is_within(&limits, 2));
        size.add_frame(&frame(2.0));
        assert!(!size.is_within(
            &{
                let mut changed = limits;
                changed.max_markers = 9;
                changed
            },
            3
        ));
    }

    #[test]
    fn frames_that_a_rolling_buffer_drops_do_not_count() {
        let keep = Some(1.0);
        let mut size = SizeEstimate::new(&{
            let mut options = RecorderOptions::MRTK;
            options.keep_last = keep;
            options
        });
        for step in 0..100 {
            size.add_marker(&Marker::new(step as f32, "second"));
            size.add_frame(&frame(step as f32));
        }
        assert_eq!((size.markers(), size.bytes_of(2)), (2, 2 * 7 * 8 + 2 * 11));
    }
}
