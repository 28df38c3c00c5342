//! Hands and gaze as entities of a 3D scene.

use foxglove::messages::line_primitive::Type as LineType;
use foxglove::messages::scene_entity_deletion::Type as DeletionType;
use foxglove::messages::{
    Color, LinePrimitive, Point3, Pose, Quaternion, SceneEntity, SceneEntityDeletion, SceneUpdate,
    SpherePrimitive, Timestamp, Vector3,
};
use inputanim::{Frame, HandFrame, Joint, Joints, Side};

use super::{WORLD, gaze};

/// The thickness of the lines of bones and gaze, in metres.
const THICKNESS: f64 = 0.003;
/// The diameter of a joint in metres: MRTK records no radii.
const DIAMETER: f64 = 0.008;
/// The length of the line along the gaze in metres.
const SIGHT: f64 = 1.0;

/// The pose of the world.
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

/// Returns an update of the 3D scene that draws the tracked hands and deletes the others. Every update states both
/// hands, so that playback can start anywhere.
pub(super) fn hands(frame: &Frame, now: Timestamp) -> SceneUpdate {
    let mut scene = SceneUpdate::default();
    for side in Side::BOTH {
        let hand = frame.hand(side);
        if hand.tracked {
            scene.entities.push(entity(side.name(), now, |entity| {
                draw(hand, color(side, hand.pinching), entity);
            }));
        } else {
            scene.deletions.push(deletion(side.name(), now));
        }
    }
    scene
}

/// Returns an update that draws the gaze as a line. If the gaze is unknown, the update deletes this line.
pub(super) fn gaze(frame: &Frame, now: Timestamp) -> SceneUpdate {
    let mut scene = SceneUpdate::default();
    match frame.gaze.as_ref().and_then(gaze::pose) {
        Some(pose) => {
            let ray = gaze::ray(&pose);
            let [x, y, z] = ray.origin.map(f64::from);
            let [dx, dy, dz] = ray.direction.map(|part| f64::from(part) * SIGHT);
            let end = Point3 {
                x: x + dx,
                y: y + dy,
                z: z + dz,
            };
            let points = vec![Point3 { x, y, z }, end];
            scene.entities.push(entity("gaze", now, |entity| {
                entity.lines.push(lines(points, YELLOW));
            }));
        }
        None => scene.deletions.push(deletion("gaze", now)),
    }
    scene
}

/// Returns the positions of the joints in the order of OpenXR, `None` for unknown ones.
pub(super) fn positions(hand: &HandFrame) -> [(Joint, Option<[f32; 3]>); 26] {
    Joint::OPENXR.map(|joint| (joint, position(&hand.joints, joint)))
}

fn position(joints: &Joints<Option<inputanim::Pose>>, joint: Joint) -> Option<[f32; 3]> {
    let position = joints[joint]?.position;
    let is_finite = position.iter().all(|part| part.is_finite());
    is_finite.then_some(position)
}

fn draw(hand: &HandFrame, color: Color, entity: &mut SceneEntity) {
    let mut bones = Vec::new();
    for (joint, there) in positions(hand) {
        let Some(there) = there else {
            continue;
        };
        entity.spheres.push(sphere(there, color));
        let before = joint
            .parent()
            .and_then(|joint| position(&hand.joints, joint));
        if let Some(before) = before {
            bones.extend([point(before), point(there)]);
        }
    }
    entity.lines.push(lines(bones, color));
}

fn entity(id: &str, now: Timestamp, draw: impl FnOnce(&mut SceneEntity)) -> SceneEntity {
    let mut entity = SceneEntity {
        timestamp: Some(now),
        frame_id: WORLD.to_owned(),
        // A viewer replaces the entity with the same `id`, so entities need no lifetime.
        id: id.to_owned(),
        ..SceneEntity::default()
    };
    draw(&mut entity);
    entity
}

fn deletion(id: &str, now: Timestamp) -> SceneEntityDeletion {
    SceneEntityDeletion {
        timestamp: Some(now),
        r#type: DeletionType::MatchingId.into(),
        id: id.to_owned(),
    }
}

fn sphere(at: [f32; 3], color: Color) -> SpherePrimitive {
    let [x, y, z] = at.map(f64::from);
    SpherePrimitive {
        pose: Some(Pose {
            position: Some(Vector3 { x, y, z }),
            orientation: ORIGIN.orientation,
        }),
        size: Some(Vector3 {
            x: DIAMETER,
            y: DIAMETER,
            z: DIAMETER,
        }),
        color: Some(color),
    }
}

fn lines(points: Vec<Point3>, color: Color) -> LinePrimitive {
    LinePrimitive {
        // In a line list, each pair of points is one line, so one primitive draws all bones.
        r#type: LineType::LineList.into(),
        pose: Some(ORIGIN),
        thickness: THICKNESS,
        points,
        color: Some(color),
        ..LinePrimitive::default()
    }
}

fn point(at: [f32; 3]) -> Point3 {
    let [x, y, z] = at.map(f64::from);
    Point3 { x, y, z }
}

const fn rgb(r: f64, g: f64, b: f64) -> Color {
    Color { r, g, b, a: 1.0 }
}

const YELLOW: Color = rgb(1.0, 0.85, 0.2);

/// Returns the colour of a hand: blue for the left and orange for the right, which most people can distinguish. It is
/// brighter while the hand pinches.
pub(super) fn color(side: Side, is_pinching: bool) -> Color {
    match (side, is_pinching) {
        (Side::Left, false) => rgb(0.1, 0.45, 0.85),
        (Side::Left, true) => rgb(0.5, 0.85, 1.0),
        (Side::Right, false) => rgb(0.9, 0.45, 0.05),
        (Side::Right, true) => rgb(1.0, 0.8, 0.4),
    }
}
