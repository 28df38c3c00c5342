//! Changes of a session that a recording holds as markers: the focus, and the origins of the reference spaces.

use inputanim::Recording;

/// The words before the state of a session in the name of a marker, such as `session visible`.
pub const STATE_MARKER: &str = "session ";

/// The words before the name of a reference space in the name of a marker, such as `recentred local`.
pub const RECENTRED_MARKER: &str = "recentred ";

/// A reference space whose origin can change while an application runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReferenceSpace {
    /// `XR_REFERENCE_SPACE_TYPE_LOCAL`.
    Local,
    /// `XR_REFERENCE_SPACE_TYPE_LOCAL_FLOOR`.
    LocalFloor,
    /// `XR_REFERENCE_SPACE_TYPE_STAGE`.
    Stage,
}

/// A change of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionChange {
    /// The application loses the input, and is still visible.
    Visible,
    /// The application gets the input again.
    Focused,
    /// The origin of a reference space moves.
    Recentred(ReferenceSpace),
}

impl SessionChange {
    /// Returns the change that the name of a marker states; `None` for other markers.
    pub fn from_marker(name: &str) -> Option<SessionChange> {
        if let Some(state) = name.strip_prefix(STATE_MARKER) {
            return match state {
                "visible" => Some(SessionChange::Visible),
                "focused" => Some(SessionChange::Focused),
                _ => None,
            };
        }
        let space = match name.strip_prefix(RECENTRED_MARKER)? {
            "local" => ReferenceSpace::Local,
            "local floor" => ReferenceSpace::LocalFloor,
            "stage" => ReferenceSpace::Stage,
            _ => return None,
        };
        Some(SessionChange::Recentred(space))
    }
}

/// The changes of a session, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionChanges(Vec<(f32, SessionChange)>);

impl SessionChanges {
    pub(crate) fn new(recording: &Recording<'_>) -> SessionChanges {
        let markers = recording.markers.iter();
        let mut changes: Vec<_> = markers
            .filter_map(|marker| Some((marker.time, SessionChange::from_marker(&marker.name)?)))
            .collect();
        changes.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        SessionChanges(changes)
    }

    pub(crate) fn has_focus_at(&self, time: f32) -> bool {
        let until = self.0.partition_point(|(at, _)| *at <= time);
        let mut before = self.0[..until].iter().rev();
        let state = before.find(|(_, change)| !matches!(change, SessionChange::Recentred(_)));
        state.is_none_or(|(_, change)| *change == SessionChange::Focused)
    }

    pub(crate) fn recentred(
        &self,
        after: f32,
        until: f32,
    ) -> impl Iterator<Item = ReferenceSpace> + '_ {
        let inside = self
            .0
            .iter()
            .filter(move |(at, _)| *at > after && *at <= until);
        inside.filter_map(|(_, change)| match change {
            SessionChange::Recentred(space) => Some(*space),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{Layout, Marker};

    use super::*;

    fn changes(markers: &[(f32, &str)]) -> SessionChanges {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name));
        recording.markers.extend(markers);
        SessionChanges::new(&recording)
    }

    #[test]
    fn the_focus_is_that_of_the_last_marker_and_there_at_the_beginning() {
        let changes = changes(&[
            (3.0, "session focused"),
            (1.0, "session visible"),
            (1.5, "recentred stage"),
            (2.0, "session stopped by me"),
        ]);
        let focus = [0.0, 0.9, 1.0, 2.5, 3.0, 9.0].map(|time| changes.has_focus_at(time));
        assert_eq!(focus, [true, true, false, false, true, true]);
    }

    #[test]
    fn a_space_is_recentred_once() {
        let changes = changes(&[
            (1.0, "recentred local"),
            (1.0, "recentred local floor"),
            (2.0, "recentred unbounded"),
            (2.5, "recentred"),
        ]);
        let between = |after, until| changes.recentred(after, until).collect::<Vec<_>>();
        assert_eq!(between(0.0, 0.9), []);
        assert_eq!(
            between(0.9, 1.0),
            [ReferenceSpace::Local, ReferenceSpace::LocalFloor]
        );
        assert_eq!(between(1.0, 3.0), []);
    }
}
