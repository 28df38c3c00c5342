//! What a layout cannot hold.
//!
//! Specification: docs/format.md, section 7.

use std::fmt;

use crate::curve::{Curve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::layout::Layout;
use crate::recording::Recording;

/// Something that a layout cannot hold (docs/format.md, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Tangents, weights and weighted modes, which simple keys do not have.
    Tangents {
        /// Keys that have some.
        keys: u64,
        /// Curves that such keys are in.
        curves: usize,
    },
    /// Markers, for which a documented layout has no list.
    Markers {
        /// How many.
        markers: usize,
    },
    /// Gaze, which version 1.0 does not have.
    Gaze {
        /// Keys of the gaze curves.
        keys: u64,
    },
    /// That there is no camera stream, which version 1.0 cannot say: it gets empty curves.
    MissingCamera,
    /// That there are no hands, which version 1.0 cannot say: they get empty curves.
    MissingHands,
    /// Flag bytes other than 0 and 1, which version 1.0 has no place for.
    FlagBytes {
        /// Camera, hand, gaze.
        bytes: [u8; 3],
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Tangents { keys, curves } => write!(
                f,
                "the tangents, weights or weighted modes of {} in {}",
                Count(*keys, "key"),
                Count(*curves as u64, "curve")
            ),
            Loss::Markers { markers } => Count(*markers as u64, "marker").fmt(f),
            Loss::Gaze { keys } => write!(f, "the gaze stream ({})", Count(*keys, "key")),
            Loss::MissingCamera => {
                f.write_str("the flag that says there is no camera (it becomes empty curves)")
            }
            Loss::MissingHands => {
                f.write_str("the flag that says there are no hands (they become empty curves)")
            }
            Loss::FlagBytes { bytes } => write!(f, "the unusual flag bytes {bytes:?}"),
        }
    }
}

struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(count, thing) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {thing}{plural}")
    }
}

impl<'a> Recording<'a> {
    /// The recording as `layout` holds it: just what writing it there and reading it back
    /// gives. What the layout cannot hold is dropped; ask [`losses`](Self::losses) first.
    ///
    /// ```
    /// use inputanim::{Layout, Recording};
    /// let mut take = Recording::new(Layout::Mrtk1_1);
    /// take.gaze_mut();
    /// let old = take.into_layout(Layout::Mrtk1_0);
    /// assert!(old.gaze.is_none() && old.camera.is_some());
    /// ```
    pub fn into_layout(self, layout: Layout) -> Recording<'a> {
        let kind = layout.key_kind();
        let mut recording = Recording { layout, ..self };
        if !layout.has_markers() {
            recording.markers.clear();
        }
        if !layout.has_flags() {
            recording.gaze = None;
            recording.flag_bytes = [0; 3];
            recording.camera_mut();
            recording.hands_mut();
        }
        for (_, curve) in recording.curves_mut() {
            if let CurveMut::Float(curve) = curve {
                *curve = std::mem::take(curve).into_kind(kind);
            }
        }
        recording
    }

    /// What `layout` cannot hold of this recording; empty when writing it loses nothing.
    ///
    /// Looks at the keys only where full keys would become simple ones.
    ///
    /// ```
    /// use inputanim::{Layout, Loss, Marker, Recording};
    /// let mut take = Recording::new(Layout::Mrtk1_1);
    /// take.markers.push(Marker::new(0.5, "start"));
    /// assert_eq!(take.losses(Layout::Mrtk1_1), []);
    /// assert_eq!(take.losses(Layout::Documented1_1), [Loss::Markers { markers: 1 }]);
    /// ```
    pub fn losses(&self, layout: Layout) -> Vec<Loss> {
        let mut losses = Vec::new();
        if layout.key_kind() == KeyKind::Simple {
            losses.extend(self.tangent_loss());
        }
        let markers = self.markers.len();
        if !layout.has_markers() && markers > 0 {
            losses.push(Loss::Markers { markers });
        }
        if !layout.has_flags() {
            if let Some(gaze) = &self.gaze {
                let keys = gaze.iter().map(|(_, curve)| curve.keys.len() as u64).sum();
                losses.push(Loss::Gaze { keys });
            }
            if self.camera.is_none() {
                losses.push(Loss::MissingCamera);
            }
            if self.hands.is_none() {
                losses.push(Loss::MissingHands);
            }
            let bytes = self.flag_bytes();
            if bytes.iter().any(|&byte| byte > 1) {
                losses.push(Loss::FlagBytes { bytes });
            }
        }
        losses
    }

    fn tangent_loss(&self) -> Option<Loss> {
        let bent = self.curves().filter_map(|(_, curve)| match curve {
            Curve::Float(FloatCurve {
                keys: Keys::Full(keys),
                ..
            }) => Some(keys.iter().filter(|key| !key.is_linear()).count() as u64),
            _ => None,
        });
        let bent: Vec<u64> = bent.filter(|&keys| keys > 0).collect();
        (!bent.is_empty()).then(|| Loss::Tangents {
            keys: bent.iter().sum(),
            curves: bent.len(),
        })
    }
}
