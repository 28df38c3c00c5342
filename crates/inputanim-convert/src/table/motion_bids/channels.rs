//! The columns of the samples, and their axes.

use std::io::Write;

use inputanim::{CurvePath, DeviceName, PoseChannel, RayChannel, Side, Space};
use serde_json::json;

use super::{UNKNOWN, output_error, table, write_json};
use crate::shared::Error;
use crate::table::frames::{Columns, WideColumn};

/// The properties of a column of the samples, which BIDS calls a channel.
pub(super) struct Channel {
    component: &'static str,
    pub(super) kind: &'static str,
    /// The name of the tracked point that the channel belongs to.
    pub(super) tracked_point: String,
    units: &'static str,
    placement: &'static str,
}

/// The reference frame of all positions and rotations.
const FRAME: &str = "world";

/// Returns the columns of the samples, in order: those of a wide table except the profiles of devices, which are texts. Profiles
/// are events.
pub(super) fn columns_of_samples(columns: &Columns) -> Vec<WideColumn> {
    let mut wide = columns.wide();
    wide.retain(|column| !matches!(column, WideColumn::Profile(_)));
    wide
}

impl Channel {
    pub(super) fn of(column: WideColumn) -> Channel {
        match column {
            WideColumn::Curve(path) => Channel::of_curve(path),
            WideColumn::Input(device, ..)
            | WideColumn::Active(device)
            | WideColumn::Profile(device) => Channel::of_device(device),
        }
    }

    /// Returns the channel of an input or a state of a device. BIDS has no type for them.
    fn of_device(device: DeviceName) -> Channel {
        Channel {
            component: UNKNOWN,
            kind: "MISC",
            tracked_point: device.to_string(),
            units: UNKNOWN,
            placement: device_placement(device),
        }
    }

    fn of_curve(path: CurvePath) -> Channel {
        let state = |side: Side| Channel {
            component: UNKNOWN,
            kind: "MISC",
            tracked_point: side.to_string(),
            units: UNKNOWN,
            placement: hand(side),
        };
        let of_pose = |channel: PoseChannel, tracked_point: String, placement| {
            const COMPONENTS: [&str; 7] = ["x", "y", "z", "quat_x", "quat_y", "quat_z", "quat_w"];
            let index = channel as usize;
            let is_position = index < 3;
            Channel {
                component: COMPONENTS[index],
                kind: if is_position { "POS" } else { "ORNT" },
                tracked_point,
                units: if is_position { "m" } else { UNKNOWN },
                placement,
            }
        };
        match path {
            CurvePath::Head(channel) => of_pose(channel, "head".to_owned(), "head"),
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => state(side),
            CurvePath::Joint(side, joint, channel) => {
                of_pose(channel, format!("{side}.{joint}"), hand(side))
            }
            CurvePath::Gaze(channel) => of_ray(channel),
            CurvePath::DevicePose(device, pose, channel) => of_pose(
                channel,
                format!("{device}.{pose}"),
                device_placement(device),
            ),
            CurvePath::Input(device, _) => Channel::of_device(device),
        }
    }
}

fn hand(side: Side) -> &'static str {
    match side {
        Side::Left => "left hand",
        Side::Right => "right hand",
    }
}

/// Returns the place of a device on the body, as far as its name says it.
fn device_placement(device: DeviceName) -> &'static str {
    device.side().map_or(UNKNOWN, hand)
}

fn of_ray(channel: RayChannel) -> Channel {
    let index = channel as usize;
    let is_origin = index < 3;
    Channel {
        component: ["x", "y", "z"][index % 3],
        // BIDS has no channel type for directions in space.
        kind: if is_origin { "POS" } else { "MISC" },
        tracked_point: "gaze".to_owned(),
        units: if is_origin { "m" } else { UNKNOWN },
        placement: "eyes",
    }
}

/// Writes `*_channels.tsv`: a row with the name, type, tracked point and unit of each column of the samples.
pub(super) fn write(columns: &Columns, output: impl Write) -> Result<(), Error> {
    let mut table = table(output);
    let names = [
        "name",
        "component",
        "type",
        "tracked_point",
        "units",
        "placement",
        "reference_frame",
    ];
    table.write_record(names).map_err(output_error)?;
    for column in columns_of_samples(columns) {
        let channel = Channel::of(column);
        let name = column.to_string();
        let frame = if channel.component == UNKNOWN {
            UNKNOWN
        } else {
            FRAME
        };
        let cells = [
            name.as_str(),
            channel.component,
            channel.kind,
            &channel.tracked_point,
            channel.units,
            channel.placement,
            frame,
        ];
        table.write_record(cells).map_err(output_error)?;
    }
    Ok(table.flush()?)
}

/// Writes `*_channels.json`, which describes the axes of `space`.
pub(super) fn write_axes(space: Space, output: impl Write) -> Result<(), Error> {
    let (axes, rule) = axes_of(space);
    let description =
        format!("World space of the application, in metres, with the axes of {space}");
    // `RotationOrder` is for angles about axes. Quaternions have no such order, and validators before version 2 refuse
    // `n/a`.
    let level = json!({
        "Description": description,
        "RotationRule": rule,
        "SpatialAxes": axes,
    });
    let value = json!({ "reference_frame": { "Levels": { FRAME: level } } });
    write_json(&value, output)
}

/// Returns the anatomical directions of the positive axes x, y and z, such as `RSA` for right, superior and anterior,
/// and the rotation rule, `left-hand` or `right-hand`.
fn axes_of(space: Space) -> (String, &'static str) {
    // In Unity, x points to the right, y up (superior) and z forward (anterior).
    let letters = [("R", "L"), ("S", "I"), ("A", "P")];
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let columns: [[f32; 3]; 3] = columns.map(|axis| space.position(axis));
    let letter = |axis: usize| {
        let mut pairs = columns.iter().zip(letters);
        let found = pairs.find(|(column, _)| column[axis] != 0.0);
        found.map_or("_", |(column, (positive, negative))| {
            if column[axis] > 0.0 {
                positive
            } else {
                negative
            }
        })
    };
    let axes = [0, 1, 2].map(letter).concat();
    let [a, b, c] = columns;
    let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0]);
    // Unity is left-handed. The transform from Unity to a right-handed space has a negative determinant.
    let rule = if determinant > 0.0 {
        "left-hand"
    } else {
        "right-hand"
    };
    (axes, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_the_letters_of_anatomy() {
        let axes = |space| axes_of(space);
        assert_eq!(axes(Space::Unity), ("RSA".to_owned(), "left-hand"));
        assert_eq!(axes(Space::OpenXr), ("RSP".to_owned(), "right-hand"));
        assert_eq!(axes(Space::Gltf), ("LSA".to_owned(), "right-hand"));
        assert_eq!(axes(Space::Blender), ("RAS".to_owned(), "right-hand"));
    }
}
