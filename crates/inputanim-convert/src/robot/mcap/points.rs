//! The joints of a hand as a cloud of points.

use foxglove::messages::packed_element_field::NumericType;
use foxglove::messages::{PackedElementField, PointCloud, Timestamp};
use inputanim::{Frame, Side};

use super::WORLD;
use super::scene::{ORIGIN, color, positions};

/// The fields of a point: name, offset in bytes, type.
const FIELDS: [(&str, u32, NumericType); 7] = [
    ("x", 0, NumericType::Float32),
    ("y", 4, NumericType::Float32),
    ("z", 8, NumericType::Float32),
    ("red", 12, NumericType::Uint8),
    ("green", 13, NumericType::Uint8),
    ("blue", 14, NumericType::Uint8),
    ("alpha", 15, NumericType::Uint8),
];

/// The size of a point in bytes.
const STRIDE: u32 = 16;

/// Returns the known joints of a hand as a coloured point cloud, in the order of OpenXR. The cloud is empty while the
/// hand is not tracked.
pub(super) fn points(frame: &Frame, side: Side, now: Timestamp) -> PointCloud {
    let hand = frame.hand(side);
    let color = color(side, hand.pinching);
    let color = [color.r, color.g, color.b, color.a].map(|part| (part * 255.0).round() as u8);
    let mut data = Vec::new();
    for position in positions(hand)
        .into_iter()
        .filter_map(|(_, position)| position)
    {
        data.extend(position.iter().flat_map(|part| part.to_le_bytes()));
        data.extend(color);
    }
    let field = |(name, offset, form): (&str, u32, NumericType)| PackedElementField {
        name: name.to_owned(),
        offset,
        r#type: form.into(),
    };
    PointCloud {
        timestamp: Some(now),
        frame_id: WORLD.to_owned(),
        pose: Some(ORIGIN),
        point_stride: STRIDE,
        fields: FIELDS.map(field).into(),
        data: data.into(),
    }
}
