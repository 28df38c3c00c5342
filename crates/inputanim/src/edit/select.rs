//! Some of what is recorded, and the rest left out.

use std::fmt;

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, Keys};
use crate::joint::{Joint, Side};
use crate::path::CurvePath;
use crate::recording::Recording;

/// What is recorded as a whole: a pose, a ray or a state.
///
/// ```
/// use inputanim::{Joint, Side, edit::Piece};
/// let tip = Piece::Joint(Side::Left, Joint::IndexTip);
/// assert_eq!(tip.to_string(), "left.IndexTip");
/// assert_eq!(Piece::all().count(), 60);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// The head.
    Camera,
    /// Whether a hand is seen.
    Tracked(Side),
    /// Whether a hand pinches.
    Pinching(Side),
    /// A joint of a hand.
    Joint(Side, Joint),
    /// The eyes.
    Gaze,
}

impl Piece {
    /// Every piece that there can be: the head, then hand by hand, then the eyes.
    pub fn all() -> impl Iterator<Item = Piece> {
        let hand = |side| {
            let joints = Joint::ALL.map(|joint| Piece::Joint(side, joint));
            [Piece::Tracked(side), Piece::Pinching(side)]
                .into_iter()
                .chain(joints)
        };
        let hands = Side::BOTH.into_iter().flat_map(hand);
        std::iter::once(Piece::Camera)
            .chain(hands)
            .chain([Piece::Gaze])
    }

    /// The hand that it is of, if it is of one.
    pub const fn side(self) -> Option<Side> {
        match self {
            Piece::Tracked(side) | Piece::Pinching(side) | Piece::Joint(side, _) => Some(side),
            Piece::Camera | Piece::Gaze => None,
        }
    }
}

impl From<CurvePath> for Piece {
    fn from(path: CurvePath) -> Piece {
        match path {
            CurvePath::Camera(_) => Piece::Camera,
            CurvePath::Tracked(side) => Piece::Tracked(side),
            CurvePath::Pinching(side) => Piece::Pinching(side),
            CurvePath::Joint(side, joint, _) => Piece::Joint(side, joint),
            CurvePath::Gaze(_) => Piece::Gaze,
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Camera => f.write_str("camera"),
            Piece::Tracked(side) => write!(f, "{side}.tracked"),
            Piece::Pinching(side) => write!(f, "{side}.pinching"),
            Piece::Joint(side, joint) => write!(f, "{side}.{joint}"),
            Piece::Gaze => f.write_str("gaze"),
        }
    }
}

/// Keeps what `keep` says and leaves out the rest; markers stay. What is kept is kept byte for
/// byte. A hand's `tracked` stays as long as anything of the hand does, since joints are shown
/// only while it is on.
///
/// What is left out becomes curves without keys, and a stream of which nothing is kept goes away
/// where the layout can say so: version 1.0 has the head and both hands always.
///
/// ```
/// use inputanim::{Joint, Layout, Pose, Recording, Side, edit::{self, Piece}};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.0, &Pose::IDENTITY);
/// take.hands_mut().left.tracked.push(0.0, true);
/// for joint in [Joint::Palm, Joint::IndexTip] {
///     take.hands_mut().left.joints[joint].push(0.0, &Pose::IDENTITY);
/// }
/// edit::select(&mut take, |piece| piece == Piece::Joint(Side::Left, Joint::Palm));
/// assert!(take.camera.is_none());
/// let left = &take.hands_mut().left;
/// assert!(left.joints[Joint::IndexTip].is_empty() && !left.joints[Joint::Palm].is_empty());
/// assert_eq!(left.tracked.keys.len(), 1);
/// ```
pub fn select(recording: &mut Recording<'_>, keep: impl Fn(Piece) -> bool) {
    let is_hand_kept = Side::BOTH.map(|side| {
        let mut pieces = Piece::all().filter(|piece| piece.side() == Some(side));
        pieces.any(&keep)
    });
    for (path, curve) in recording.curves_mut() {
        let is_kept = match Piece::from(path) {
            Piece::Tracked(side) => is_hand_kept[side as usize],
            piece => keep(piece),
        };
        if !is_kept {
            empty(curve);
        }
    }
    // Which streams have nothing kept: camera, hands, gaze.
    let goes = [
        !keep(Piece::Camera),
        is_hand_kept == [false; 2],
        !keep(Piece::Gaze),
    ];
    let must_stay = !recording.layout.has_flags();
    if goes[0] && !must_stay {
        recording.camera = None;
    }
    if goes[1] && !must_stay {
        recording.hands = None;
    }
    if goes[2] {
        recording.gaze = None;
    }
    for (byte, goes) in recording.flag_bytes.iter_mut().zip(goes) {
        if goes {
            *byte = 0;
        }
    }
}

/// As MRTK writes a curve of which nothing was recorded.
fn empty(curve: CurveMut<'_, '_>) {
    match curve {
        CurveMut::Boolean(curve) => *curve = BooleanCurve::default(),
        CurveMut::Float(curve) => {
            *curve = FloatCurve {
                keys: Keys::empty(curve.keys.kind()),
                ..FloatCurve::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::WrapMode;
    use crate::frame::{Pose, Ray};
    use crate::layout::Layout;
    use crate::marker::Marker;
    use crate::recording::Flags;

    /// A key and a strange wrap mode in every curve.
    fn everything(layout: Layout) -> Recording<'static> {
        let mut take = Recording::with_streams(layout, Flags::ALL);
        take.camera_mut().push(0.5, &Pose::IDENTITY);
        for side in Side::BOTH {
            let hand = take.hands_mut().hand_mut(side);
            hand.tracked.push(0.0, true);
            hand.pinching.push(0.0, false);
            for joint in Joint::ALL {
                hand.joints[joint].push(0.5, &Pose::IDENTITY);
            }
        }
        let ray = Ray {
            origin: [0.0; 3],
            direction: [0.0, 0.0, 1.0],
        };
        take.gaze_mut().push(0.5, &ray);
        if !layout.has_flags() {
            take.gaze = None;
        }
        for (_, curve) in take.curves_mut() {
            match curve {
                CurveMut::Float(curve) => curve.pre_wrap = WrapMode(77),
                CurveMut::Boolean(curve) => curve.pre_wrap = WrapMode(77),
            }
        }
        take.markers.push(Marker::new(1.0, "here"));
        take.keep_flag_bytes([255, 2, 3]);
        take
    }

    #[test]
    fn every_curve_is_kept_as_it_is_or_empty_as_mrtk_writes_it() {
        let whole = everything(Layout::Mrtk1_1);
        for one in Piece::all() {
            let mut take = whole.clone();
            select(&mut take, |piece| piece == one);
            let tracked = one.side().map(Piece::Tracked);
            for (path, curve) in whole.curves() {
                let piece = Piece::from(path);
                match take.curve(path) {
                    Some(kept) if piece == one || Some(piece) == tracked => {
                        assert_eq!(kept, curve, "{path} of {one}");
                    }
                    Some(emptied) => {
                        assert!(emptied.is_empty(), "{path} of {one}");
                        assert_eq!(emptied.wrap(), [WrapMode::CLAMP_FOREVER; 2].into());
                        assert_eq!(emptied.kind_name(), curve.kind_name());
                    }
                    None => assert_ne!(piece, one),
                }
            }
            assert_eq!(take.markers, whole.markers);
        }
    }

    #[test]
    fn streams_go_where_there_are_flags_and_the_file_says_the_same() {
        let mut take = everything(Layout::Mrtk1_1);
        select(&mut take, |piece| piece == Piece::Gaze);
        assert_eq!(take.flag_bytes(), [0, 0, 3]);
        let bytes = take.to_bytes(Layout::Mrtk1_1).unwrap();
        assert_eq!(Recording::parse(&bytes).unwrap(), take);
        let mut take = everything(Layout::Mrtk1_1);
        select(&mut take, |_| false);
        assert_eq!(take.flags(), Flags::NONE);
    }

    #[test]
    fn version_1_0_keeps_its_streams_as_empty_curves() {
        let mut take = everything(Layout::Mrtk1_0);
        take.keep_flag_bytes([0; 3]);
        select(&mut take, |_| false);
        assert_eq!(take.curves().count(), 389);
        assert!(take.curves().all(|(_, curve)| curve.is_empty()));
        let bytes = take.to_bytes(Layout::Mrtk1_0).unwrap();
        assert_eq!(Recording::parse(&bytes).unwrap(), take);
    }

    #[test]
    fn keeping_all_changes_nothing_and_a_pinch_can_go_alone() {
        let whole = everything(Layout::FullWithMarkers1_1);
        let mut take = whole.clone();
        select(&mut take, |_| true);
        assert_eq!(take, whole);
        select(&mut take, |piece| piece != Piece::Pinching(Side::Left));
        let gone: Vec<String> = whole
            .curves()
            .filter(|&(path, curve)| take.curve(path) != Some(curve))
            .map(|(path, _)| path.to_string())
            .collect();
        assert_eq!(gone, ["left.pinching"]);
    }
}
