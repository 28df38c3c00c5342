//! The time to which a recording with lost tails (D3) can be trimmed.

use crate::doctor::lost_tails;
use crate::info::Info;

impl Info {
    /// Returns the last time in seconds that all streams share, or `None` if no stream ends early
    /// ([`Code::TailLost`](crate::doctor::Code::TailLost)). [Trimming](crate::edit::trim) to this time removes that
    /// finding.
    ///
    /// A hand that is not tracked at that time does not need to reach it.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Ray, Recording, info::Info};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(4.0, &Pose::IDENTITY);
    /// recording.gaze_mut().push(3.5, &Ray { origin: [0.0; 3], direction: [0.0, 0.0, 1.0] });
    /// assert_eq!(Info::of(&recording).shared_end(), Some(3.5));
    /// ```
    pub fn shared_end(&self) -> Option<f32> {
        let mut shared = None;
        let mut end = self.time_range?.end;
        // At an earlier end, a hand can be tracked that was not tracked at the old end. Each round
        // ends at another stream, so there are few rounds.
        while let Some(earlier) = lost_tails(self, end)
            .map(|tail| tail.range.start)
            .reduce(f32::min)
        {
            shared = Some(earlier);
            end = earlier;
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{self, Code};
    use crate::edit;
    use crate::frame::Pose;
    use crate::joint::Joint;
    use crate::layout::Layout;
    use crate::recording::Recording;
    use crate::time_range::TimeRange;

    /// Returns a head, a palm and the tracking of its hand, each with its own end.
    fn recording(head: f32, palm: f32, tracked: f32) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let still = Pose::IDENTITY;
        recording.head_mut().push(0.0, &still);
        recording.head_mut().push(head, &still);
        let left = &mut recording.hands_mut().left;
        left.tracked.push(0.0, true);
        left.tracked.push(tracked, false);
        left.joints[Joint::Palm].push(0.0, &still);
        left.joints[Joint::Palm].push(palm, &still);
        recording.hands_mut().right.tracked.push(5.0, false);
        recording
    }

    fn shared(recording: &Recording<'_>) -> Option<f32> {
        Info::of(recording).shared_end()
    }

    #[test]
    fn the_shared_end_is_the_end_of_the_shortest_stream() {
        assert_eq!(shared(&recording(5.0, 4.5, 5.0)), Some(4.5));
        assert_eq!(shared(&recording(4.75, 5.0, 5.0)), Some(4.75));
        assert_eq!(shared(&recording(5.0, 5.0, 5.0)), None);
    }

    #[test]
    fn an_untracked_hand_need_not_reach_the_shared_end() {
        assert_eq!(shared(&recording(5.0, 2.0, 2.0)), None);
        assert_eq!(shared(&recording(4.0, 2.0, 2.0)), Some(4.0));
        // The hand is tracked at the new end, so it has to reach that end.
        assert_eq!(shared(&recording(4.0, 3.0, 4.5)), Some(3.0));
    }

    #[test]
    fn trimming_to_the_shared_end_removes_the_finding() {
        for mut recording in [recording(4.0, 3.0, 4.5), recording(4.75, 5.0, 5.0)] {
            let end = shared(&recording).unwrap();
            let start = f32::NEG_INFINITY;
            edit::trim(&mut recording, TimeRange { start, end }).unwrap();
            assert_eq!(recording.duration(), end);
            let mut found = doctor::findings(&recording).into_iter();
            assert!(found.all(|finding| finding.code != Code::TailLost));
        }
    }

    #[test]
    fn other_layouts_have_no_lost_tails() {
        let mut recording = recording(4.0, 3.0, 4.5);
        recording.layout = Layout::Documented1_1;
        assert_eq!(shared(&recording), None);
    }
}
