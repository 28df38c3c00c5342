//! The curves of poses and rays.
//!
//! Specification: docs/format.md, sections 2.1 and 2.2.

use std::ops::{Index, IndexMut};

use crate::curve::{FloatCurve, KeyKind};
use crate::frame::{Pose, Ray};
use crate::path::{PoseChannel, RayChannel};

// Poses and rays differ only in the names and the numbers of their curves.
macro_rules! curve_group {
    ($(#[$doc:meta])* $group:ident by $channel:ident {
        $(#[$first_doc:meta])* $first:ident: $first_count:literal,
        $(#[$second_doc:meta])* $second:ident: $second_count:literal,
    } from $value:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $group<'a> {
            $(#[$first_doc])*
            pub $first: [FloatCurve<'a>; $first_count],
            $(#[$second_doc])*
            pub $second: [FloatCurve<'a>; $second_count],
        }

        impl<'a> $group<'a> {
            /// Returns curves without keys. `kind` is the form of their keys: full (with tangents) or simple.
            pub const fn empty(kind: KeyKind) -> $group<'a> {
                // Constants: an iteration over the curves makes opening a small file a third slower.
                match kind {
                    KeyKind::Full => $group {
                        $first: [const { FloatCurve::empty(KeyKind::Full) }; $first_count],
                        $second: [const { FloatCurve::empty(KeyKind::Full) }; $second_count],
                    },
                    KeyKind::Simple => $group {
                        $first: [const { FloatCurve::empty(KeyKind::Simple) }; $first_count],
                        $second: [const { FloatCurve::empty(KeyKind::Simple) }; $second_count],
                    },
                }
            }

            /// Returns each curve with its channel, in file order.
            pub fn iter(&self) -> impl Iterator<Item = ($channel, &FloatCurve<'a>)> {
                $channel::ALL.into_iter().map(|channel| (channel, &self[channel]))
            }

            /// Returns each curve, mutable, with its channel, in file order.
            pub fn iter_mut(&mut self) -> impl Iterator<Item = ($channel, &mut FloatCurve<'a>)> {
                let curves = self.$first.iter_mut().chain(&mut self.$second);
                $channel::ALL.into_iter().zip(curves)
            }

            /// Returns `true` if no curve has a key.
            pub fn is_empty(&self) -> bool {
                self.iter().all(|(_, curve)| curve.keys.is_empty())
            }

            /// Appends a key to every curve at a time in seconds, interpolated linearly.
            pub fn push(&mut self, time: f32, value: &$value) {
                let parts = value.$first.iter().chain(&value.$second);
                for ((_, curve), &value) in self.iter_mut().zip(parts) {
                    curve.keys.push_linear(time, value);
                }
            }

            /// Copies borrowed keys, so that the result borrows nothing.
            pub fn into_owned(self) -> $group<'static> {
                $group {
                    $first: self.$first.map(FloatCurve::into_owned),
                    $second: self.$second.map(FloatCurve::into_owned),
                }
            }
        }

        impl<'a> Index<$channel> for $group<'a> {
            type Output = FloatCurve<'a>;

            fn index(&self, channel: $channel) -> &FloatCurve<'a> {
                let index = channel as usize;
                if index < $first_count { &self.$first[index] } else { &self.$second[index - $first_count] }
            }
        }

        impl<'a> IndexMut<$channel> for $group<'a> {
            fn index_mut(&mut self, channel: $channel) -> &mut FloatCurve<'a> {
                let index = channel as usize;
                if index < $first_count { &mut self.$first[index] } else { &mut self.$second[index - $first_count] }
            }
        }
    };
}

curve_group! {
    /// A pose over time (docs/format.md, section 2.1), in Unity's world space: left-handed,
    /// +X right, +Y up, +Z forward.
    PoseCurves by PoseChannel {
        /// Curves of x, y, z, in metres.
        position: 3,
        /// Curves of a quaternion's x, y, z, w as stored, not normalised.
        rotation: 4,
    } from Pose
}

curve_group! {
    /// A ray over time (docs/format.md, section 2.2), in Unity's world space.
    RayCurves by RayChannel {
        /// Curves of x, y, z, in metres.
        origin: 3,
        /// Curves of x, y, z as stored, not normalised.
        direction: 3,
    } from Ray
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_is_indexed_by_channel() {
        let mut pose = PoseCurves::default();
        pose.push(
            0.0,
            &Pose {
                position: [1.0, 2.0, 3.0],
                rotation: [4.0, 5.0, 6.0, 7.0],
            },
        );
        for (number, channel) in (1..).zip(PoseChannel::ALL) {
            assert_eq!(pose[channel].keys.point(0), Some((0.0, number as f32)));
        }
    }
}
