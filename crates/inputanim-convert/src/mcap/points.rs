//! The joints of a hand as a cloud of points.

use foxglove::messages::packed_element_field::NumericType;
use foxglove::messages::{PackedElementField, PointCloud, Pose, Quaternion, Timestamp, Vector3};
use inputanim::HandFrame;

use super::WORLD;
use super::scene::places;

/// Bytes of a number, and of a point.
const NUMBER: u32 = 4;
const POINT: u32 = 3 * NUMBER;

/// The joints that are known, in the order of OpenXR; none while the hand is not tracked.
pub(super) fn points(hand: &HandFrame, now: Timestamp) -> PointCloud {
    let places = places(hand);
    let known = places.iter().filter_map(|(_, place)| place.as_ref());
    let data: Vec<u8> = known
        .flatten()
        .flat_map(|part| part.to_le_bytes())
        .collect();
    let field = |(name, offset): (&str, u32)| PackedElementField {
        name: name.to_owned(),
        offset,
        r#type: NumericType::Float32.into(),
    };
    let fields = [("x", 0), ("y", NUMBER), ("z", 2 * NUMBER)].map(field);
    PointCloud {
        timestamp: Some(now),
        frame_id: WORLD.to_owned(),
        pose: Some(ORIGIN),
        point_stride: POINT,
        fields: fields.into(),
        data: data.into(),
    }
}

/// Where the world is, not turned.
pub(super) const ORIGIN: Pose = Pose {
    position: Some(Vector3 {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    }),
    orientation: Some(Quaternion {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        w: 1.0,
    }),
};
