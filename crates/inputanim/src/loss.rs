//! Content of a recording that is not representable in a layout.
//!
//! Specification: docs/format.md, section 7.

use std::fmt;

use crate::curve::{Curve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::layout::Layout;
use crate::recording::Recording;

/// Content of a recording that is not representable in a layout (docs/format.md, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(
        tag = "kind",
        rename_all = "kebab-case",
        rename_all_fields = "camelCase"
    )
)]
#[non_exhaustive]
pub enum LayoutLoss {
    /// Tangents, weights and weighted modes. Simple keys do not have them.
    Tangents {
        /// Number of keys that have some.
        keys: u64,
        /// Number of curves with such keys.
        curves: usize,
    },
    /// Markers, where the layout has no marker list.
    Markers {
        /// Number of markers.
        markers: usize,
    },
    /// The gaze stream. Version 1.0 does not have it.
    Gaze {
        /// Number of keys of the gaze curves.
        keys: u64,
    },
    /// The absence of a head stream. Version 1.0 has no flag for it, so the stream becomes empty
    /// curves.
    MissingHead,
    /// The absence of hands. Version 1.0 has no flag for it, so they become empty curves.
    MissingHands,
    /// Flag bytes other than 0 and 1. Version 1.0 has no flags.
    FlagBytes {
        /// The bytes of head, hand, gaze.
        bytes: [u8; 3],
    },
}

impl fmt::Display for LayoutLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutLoss::Tangents { keys, curves } => write!(
                f,
                "the tangents, weights or weighted modes of {} in {}",
                Count(*keys, "key"),
                Count(*curves as u64, "curve")
            ),
            LayoutLoss::Markers { markers } => Count(*markers as u64, "marker").fmt(f),
            LayoutLoss::Gaze { keys } => write!(f, "the gaze stream ({})", Count(*keys, "key")),
            LayoutLoss::MissingHead => {
                f.write_str("the flag that says there is no head (it becomes empty curves)")
            }
            LayoutLoss::MissingHands => {
                f.write_str("the flag that says there are no hands (they become empty curves)")
            }
            LayoutLoss::FlagBytes { bytes } => write!(f, "the unusual flag bytes {bytes:?}"),
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
    /// Converts the recording to `layout`. The result equals the recording that is read back after
    /// [`write_lossy_as`](Self::write_lossy_as). Content that is not representable is dropped;
    /// [`losses`](Self::losses) lists it.
    ///
    /// ```
    /// use inputanim::{Layout, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.gaze_mut();
    /// let old = recording.with_layout(Layout::Mrtk1_0);
    /// assert!(old.gaze.is_none() && old.head.is_some());
    /// ```
    pub fn with_layout(self, layout: Layout) -> Recording<'a> {
        let kind = layout.key_kind();
        let mut recording = Recording { layout, ..self };
        if !layout.has_markers() {
            recording.markers.clear();
        }
        if !layout.has_flags() {
            // Version 1.0 always has head and hands, and never gaze.
            recording.gaze = None;
            recording.flag_bytes = [0; 3];
            recording.head_mut();
            recording.hands_mut();
        }
        for (_, curve) in recording.curves_mut() {
            if let CurveMut::Float(curve) = curve {
                *curve = std::mem::take(curve).into_kind(kind);
            }
        }
        recording
    }

    /// Lists the content that is not representable in `layout`; empty when writing loses nothing.
    ///
    /// Reads the keys only when full keys would become simple ones.
    ///
    /// ```
    /// use inputanim::{Layout, LayoutLoss, Marker, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.markers.push(Marker::new(0.5, "start"));
    /// assert_eq!(recording.losses(Layout::Mrtk1_1), []);
    /// assert_eq!(recording.losses(Layout::Documented1_1), [LayoutLoss::Markers { markers: 1 }]);
    /// ```
    pub fn losses(&self, layout: Layout) -> Vec<LayoutLoss> {
        let mut losses = Vec::new();
        // Only this conversion depends on the values of keys, so others need not read them.
        if layout.key_kind() == KeyKind::Simple {
            losses.extend(self.tangent_loss());
        }
        let markers = self.markers.len();
        if !layout.has_markers() && markers > 0 {
            losses.push(LayoutLoss::Markers { markers });
        }
        if !layout.has_flags() {
            if let Some(gaze) = &self.gaze {
                let keys = gaze.iter().map(|(_, curve)| curve.keys.len() as u64).sum();
                losses.push(LayoutLoss::Gaze { keys });
            }
            if self.head.is_none() {
                losses.push(LayoutLoss::MissingHead);
            }
            if self.hands.is_none() {
                losses.push(LayoutLoss::MissingHands);
            }
            let bytes = self.flag_bytes();
            if bytes.iter().any(|&byte| byte > 1) {
                losses.push(LayoutLoss::FlagBytes { bytes });
            }
        }
        losses
    }

    fn tangent_loss(&self) -> Option<LayoutLoss> {
        let curved = self.curves().filter_map(|(_, curve)| match curve {
            Curve::Float(FloatCurve {
                keys: Keys::Full(keys),
                ..
            }) => Some(keys.iter().filter(|key| !key.is_linear()).count() as u64),
            _ => None,
        });
        let curved: Vec<u64> = curved.filter(|&keys| keys > 0).collect();
        (!curved.is_empty()).then(|| LayoutLoss::Tangents {
            keys: curved.iter().sum(),
            curves: curved.len(),
        })
    }
}
