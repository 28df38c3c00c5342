//! Where to cut a recording whose streams end at different times (D3).

use crate::doctor::frozen;
use crate::summary::Summary;

/// The last instant that all streams share, in seconds, where the doctor finds that some stand
/// still from there to the end ([`Code::TailLost`](crate::doctor::Code::TailLost)); `None` where
/// none does. What is [trimmed](crate::edit::trim) to it stands still no more.
///
/// A hand that is not tracked then need not reach it.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, Ray, repair, summary::Summary};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(4.0, &Pose::IDENTITY);
/// take.gaze_mut().push(3.5, &Ray { origin: [0.0; 3], direction: [0.0, 0.0, 1.0] });
/// assert_eq!(repair::shared_end(&Summary::of(&take)), Some(3.5));
/// ```
pub fn shared_end(summary: &Summary) -> Option<f32> {
    let mut shared = None;
    let mut end = summary.time_range?.end;
    // Where it ends sooner, a hand may be tracked that was not at the old end. Each round ends at
    // another stream, so there are few.
    while let Some(sooner) = frozen(summary, end)
        .map(|(_, span)| span.start)
        .reduce(f32::min)
    {
        shared = Some(sooner);
        end = sooner;
    }
    shared
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
    use crate::span::Span;

    /// A camera to one time; a palm to another, of a hand that is tracked until a third.
    fn take(camera: f32, palm: f32, tracked: f32) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let still = Pose::IDENTITY;
        take.camera_mut().push(0.0, &still);
        take.camera_mut().push(camera, &still);
        let left = &mut take.hands_mut().left;
        left.tracked.push(0.0, true);
        left.tracked.push(tracked, false);
        left.joints[Joint::Palm].push(0.0, &still);
        left.joints[Joint::Palm].push(palm, &still);
        take.hands_mut().right.tracked.push(5.0, false);
        take
    }

    fn shared(take: &Recording<'_>) -> Option<f32> {
        shared_end(&Summary::of(take))
    }

    #[test]
    fn it_is_where_the_first_stream_stands_still() {
        assert_eq!(shared(&take(5.0, 4.5, 5.0)), Some(4.5));
        assert_eq!(shared(&take(4.75, 5.0, 5.0)), Some(4.75));
        assert_eq!(shared(&take(5.0, 5.0, 5.0)), None);
    }

    #[test]
    fn a_hand_that_was_lost_before_need_not_reach_it() {
        assert_eq!(shared(&take(5.0, 2.0, 2.0)), None);
        assert_eq!(shared(&take(4.0, 2.0, 2.0)), Some(4.0));
        // But it must where it is still seen at the new end.
        assert_eq!(shared(&take(4.0, 3.0, 4.5)), Some(3.0));
    }

    #[test]
    fn what_is_cut_there_stands_still_no_more() {
        for mut take in [take(4.0, 3.0, 4.5), take(4.75, 5.0, 5.0)] {
            let end = shared(&take).unwrap();
            let start = f32::NEG_INFINITY;
            edit::trim(&mut take, Span { start, end }).unwrap();
            assert_eq!(take.duration(), end);
            let mut found = doctor::examine(&take).into_iter();
            assert!(found.all(|finding| finding.code != Code::TailLost));
        }
    }

    #[test]
    fn other_layouts_lose_no_tails() {
        let mut take = take(4.0, 3.0, 4.5);
        take.layout = Layout::Documented1_1;
        assert_eq!(shared(&take), None);
    }
}
