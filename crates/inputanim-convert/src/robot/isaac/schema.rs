//! The schemas of the messages, in the binary form of FlatBuffers (`reflection.Schema`,
//! <https://flatbuffers.dev/intermediate_representation/>).
//!
//! NVIDIA's reader compares the schema of a file with its own, and refuses a file without one. The schemas are built here
//! from a description, so that no compiler for FlatBuffers is needed to build the crate.

use super::messages::{
    CONTROLLER_INPUTS, CONTROLLER_POSE, HAND_JOINT, HAND_JOINTS, JOINTS, POSE, TIMESTAMP,
};
use super::table::{Malformed, Table};
use super::value::{Value, encode};

/// A struct or a table.
struct Object {
    name: &'static str,
    form: Form,
    /// The fields in the order of their `id`.
    fields: &'static [(&'static str, Kind)],
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Struct,
    Table,
}

/// The type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Long,
    Ulong,
    Float,
    Text,
    Bytes,
    /// A struct or a table.
    Object(&'static Object),
    /// A number of structs.
    Array(&'static Object, u16),
}

const POINT: Object = Object {
    name: "core.Point",
    form: Form::Struct,
    fields: &[("x", Kind::Float), ("y", Kind::Float), ("z", Kind::Float)],
};
const QUATERNION: Object = Object {
    name: "core.Quaternion",
    form: Form::Struct,
    fields: &[
        ("x", Kind::Float),
        ("y", Kind::Float),
        ("z", Kind::Float),
        ("w", Kind::Float),
    ],
};
const POSE_STRUCT: Object = Object {
    name: "core.Pose",
    form: Form::Struct,
    fields: &[
        ("position", Kind::Object(&POINT)),
        ("orientation", Kind::Object(&QUATERNION)),
    ],
};
const TIMESTAMP_STRUCT: Object = Object {
    name: "core.DeviceDataTimestamp",
    form: Form::Struct,
    fields: &[
        ("available_time_local_common_clock", Kind::Long),
        ("sample_time_local_common_clock", Kind::Long),
        ("sample_time_raw_device_clock", Kind::Long),
    ],
};
const HAND_JOINT_STRUCT: Object = Object {
    name: "core.HandJointPose",
    form: Form::Struct,
    fields: &[
        ("pose", Kind::Object(&POSE_STRUCT)),
        ("is_valid", Kind::Bool),
        ("radius", Kind::Float),
    ],
};
const CONTROLLER_POSE_STRUCT: Object = Object {
    name: "core.ControllerPose",
    form: Form::Struct,
    fields: &[
        ("pose", Kind::Object(&POSE_STRUCT)),
        ("is_valid", Kind::Bool),
    ],
};
const CONTROLLER_INPUT_STRUCT: Object = Object {
    name: "core.ControllerInputState",
    form: Form::Struct,
    fields: &[
        ("primary_click", Kind::Bool),
        ("secondary_click", Kind::Bool),
        ("thumbstick_click", Kind::Bool),
        ("menu_click", Kind::Bool),
        ("thumbstick_x", Kind::Float),
        ("thumbstick_y", Kind::Float),
        ("squeeze_value", Kind::Float),
        ("trigger_value", Kind::Float),
    ],
};
const HAND_JOINTS_STRUCT: Object = Object {
    name: "core.HandJoints",
    form: Form::Struct,
    fields: &[("poses", Kind::Array(&HAND_JOINT_STRUCT, JOINTS as u16))],
};

/// The type of the messages on a channel. The root of a message has the payload as its field 0, and the timestamp as its
/// field 1.
pub(super) struct MessageSchema {
    /// The name of the schema.
    pub(super) name: &'static str,
    payload: &'static Object,
}

/// One hand.
pub(super) const HAND: MessageSchema = MessageSchema {
    name: "core.HandPoseRecord",
    payload: &Object {
        name: "core.HandPose",
        form: Form::Table,
        fields: &[("joints", Kind::Object(&HAND_JOINTS_STRUCT))],
    },
};
/// The head.
pub(super) const HEAD: MessageSchema = MessageSchema {
    name: "core.HeadPoseRecord",
    payload: &Object {
        name: "core.HeadPose",
        form: Form::Table,
        fields: &[
            ("pose", Kind::Object(&POSE_STRUCT)),
            ("is_valid", Kind::Bool),
            ("is_tracked", Kind::Bool),
        ],
    },
};
/// One controller.
pub(super) const CONTROLLER: MessageSchema = MessageSchema {
    name: "core.ControllerSnapshotRecord",
    payload: &Object {
        name: "core.ControllerSnapshot",
        form: Form::Table,
        fields: &[
            ("grip_pose", Kind::Object(&CONTROLLER_POSE_STRUCT)),
            ("aim_pose", Kind::Object(&CONTROLLER_POSE_STRUCT)),
            ("inputs", Kind::Object(&CONTROLLER_INPUT_STRUCT)),
        ],
    },
};
/// The profiles and haptic pulses of a device. Lists are little-endian numbers of 32 bits, except that `profile_active` has one byte
/// for each profile. Lists of texts have each text after its length.
pub(super) const DEVICE: MessageSchema = MessageSchema {
    name: "inputanim.DeviceRecord",
    payload: &Object {
        name: "inputanim.Device",
        form: Form::Table,
        fields: &[
            ("device", Kind::Text),
            ("profile_times", Kind::Bytes),
            ("profile_active", Kind::Bytes),
            ("profile_names", Kind::Bytes),
            ("haptic_times", Kind::Bytes),
            ("haptic_outputs", Kind::Bytes),
            ("haptic_durations", Kind::Bytes),
            ("haptic_frequencies", Kind::Bytes),
            ("haptic_amplitudes", Kind::Bytes),
        ],
    },
};
/// Keys of a curve of a device, in the same form.
pub(super) const DEVICE_CURVE: MessageSchema = MessageSchema {
    name: "inputanim.DeviceCurveRecord",
    payload: &Object {
        name: "inputanim.DeviceCurve",
        form: Form::Table,
        fields: &[
            ("curve", Kind::Text),
            ("kind", Kind::Text),
            ("wrap_modes", Kind::Bytes),
            ("numbers", Kind::Bytes),
            ("weighted_modes", Kind::Bytes),
        ],
    },
};
/// The name of the schema of messages that a program sends to Isaac Capture, such as the commands of Isaac Lab.
pub(super) const CONTROL: &str = "core.MessageChannelMessagesRecord";
/// The gaze.
pub(super) const GAZE: MessageSchema = MessageSchema {
    name: "inputanim.GazeRecord",
    payload: &Object {
        name: "inputanim.Gaze",
        form: Form::Table,
        fields: &[
            ("origin", Kind::Object(&POINT)),
            ("direction", Kind::Object(&POINT)),
        ],
    },
};
/// The states of both hands.
pub(super) const STATES: MessageSchema = MessageSchema {
    name: "inputanim.StatesRecord",
    payload: &Object {
        name: "inputanim.States",
        form: Form::Table,
        fields: &[
            ("left_tracked", Kind::Bool),
            ("left_pinching", Kind::Bool),
            ("right_tracked", Kind::Bool),
            ("right_pinching", Kind::Bool),
        ],
    },
};
/// A marker.
pub(super) const MARKER: MessageSchema = MessageSchema {
    name: "inputanim.MarkerRecord",
    payload: &Object {
        name: "inputanim.Marker",
        form: Form::Table,
        fields: &[("name", Kind::Text)],
    },
};
/// Bytes of the recording's own file.
pub(super) const PIECE: MessageSchema = MessageSchema {
    name: "inputanim.PieceRecord",
    payload: &Object {
        name: "inputanim.Piece",
        form: Form::Table,
        fields: &[
            ("offset", Kind::Ulong),
            ("size", Kind::Ulong),
            ("layout", Kind::Text),
            ("data", Kind::Bytes),
        ],
    },
};
/// The checksum of the messages.
pub(super) const CHECKSUM: MessageSchema = MessageSchema {
    name: "inputanim.ChecksumRecord",
    payload: &Object {
        name: "inputanim.Checksum",
        form: Form::Table,
        fields: &[("messages", Kind::Ulong), ("sum", Kind::Ulong)],
    },
};

impl MessageSchema {
    /// Encodes the schema of the message as `reflection.Schema`, the binary form of FlatBuffers schemas.
    pub(super) fn schema(&self) -> Vec<u8> {
        let root = Object {
            name: self.name,
            form: Form::Table,
            fields: &[],
        };
        let timestamp = Kind::Object(&TIMESTAMP_STRUCT);
        let fields = [
            ("data", Kind::Object(self.payload)),
            ("timestamp", timestamp),
        ];
        let mut objects: Vec<(&Object, &[(&str, Kind)])> = vec![(&root, &fields)];
        collect(&fields, &mut objects);
        // Readers search objects and fields by their names.
        objects.sort_unstable_by_key(|(object, _)| object.name);
        let index = |name: &str| objects.iter().position(|(object, _)| object.name == name);
        let encoded = |(object, fields): &(&Object, &[(&'static str, Kind)])| {
            let (size, alignment) = match object.form {
                Form::Struct => layout(object.fields),
                Form::Table => (0, 1),
            };
            let fields = encode_fields(object.form, fields, &index);
            vec![
                (0, Value::Text(object.name)),
                (1, Value::Tables(fields)),
                (2, Value::Bool(object.form == Form::Struct)),
                (3, Value::Int(alignment as i32)),
                (4, Value::Int(size as i32)),
            ]
        };
        let has_arrays = objects.iter().any(|(_, fields)| {
            let mut kinds = fields.iter().map(|(_, kind)| kind);
            kinds.any(|kind| matches!(kind, Kind::Array(..)))
        });
        let schema = [
            (0, Value::Tables(objects.iter().map(encoded).collect())),
            (1, Value::Tables(Vec::new())),
            (4, Value::Table(encoded(&(&root, &fields)))),
            // The only feature of FlatBuffers that a reader must know is the array.
            (6, Value::Ulong(u64::from(has_arrays))),
        ];
        encode(&schema, Some(*b"BFBS"))
    }
}

/// Adds the structs and tables that are types of `fields`, and those within them, to `objects`, each once.
fn collect<'o>(
    fields: &'o [(&'static str, Kind)],
    objects: &mut Vec<(&'o Object, &'o [(&'static str, Kind)])>,
) {
    for (_, kind) in fields {
        if let Kind::Object(object) | Kind::Array(object, _) = kind
            && objects.iter().all(|(known, _)| known.name != object.name)
        {
            objects.push((object, object.fields));
            collect(object.fields, objects);
        }
    }
}

/// Returns the size and the alignment of a struct with these fields, in bytes.
fn layout(fields: &[(&str, Kind)]) -> (usize, usize) {
    let (mut size, mut alignment) = (0_usize, 1);
    for (_, kind) in fields {
        let (field_size, field_alignment) = kind.layout();
        size = size.next_multiple_of(field_alignment) + field_size;
        alignment = alignment.max(field_alignment);
    }
    (size.next_multiple_of(alignment), alignment)
}

/// Encodes the fields of a struct or table as `reflection.Field`, sorted by name. `index` returns the index of a struct
/// or table in the schema by its name.
fn encode_fields(
    form: Form,
    fields: &[(&'static str, Kind)],
    index: &impl Fn(&str) -> Option<usize>,
) -> Vec<Vec<(u16, Value<'static>)>> {
    let mut encoded = Vec::new();
    let mut end = 0_usize;
    for (id, (name, kind)) in fields.iter().enumerate() {
        let (size, alignment) = kind.layout();
        let offset = match form {
            Form::Struct => end.next_multiple_of(alignment),
            Form::Table => 4 + 2 * id,
        };
        end = offset + size;
        // The bytes between the end of the field and the next field, or the end of the struct.
        let following = fields.get(id + 1);
        let following = following.map_or(layout(fields).1, |(_, kind)| kind.layout().1);
        let padding = match form {
            Form::Struct => end.next_multiple_of(following) - end,
            Form::Table => 0,
        };
        // Texts, vectors and objects may be absent. Numbers have a default value instead.
        let is_optional = !matches!(kind, Kind::Bool | Kind::Long | Kind::Ulong | Kind::Float);
        encoded.push((
            *name,
            vec![
                (0, Value::Text(name)),
                (1, Value::Table(kind.encode(index))),
                (2, Value::Ushort(id as u16)),
                (3, Value::Ushort(offset as u16)),
                (11, Value::Bool(is_optional)),
                (12, Value::Ushort(padding as u16)),
            ],
        ));
    }
    encoded.sort_unstable_by_key(|(name, _)| *name);
    encoded.into_iter().map(|(_, field)| field).collect()
}

impl Kind {
    /// Returns the size and the alignment of a field of this type in a struct, in bytes.
    fn layout(self) -> (usize, usize) {
        match self {
            Kind::Bool => (1, 1),
            Kind::Float => (4, 4),
            Kind::Long | Kind::Ulong => (8, 8),
            // Offsets, which exist only in tables.
            Kind::Text | Kind::Bytes => (4, 4),
            Kind::Object(object) => layout(object.fields),
            Kind::Array(object, count) => {
                let (size, alignment) = layout(object.fields);
                (size * usize::from(count), alignment)
            }
        }
    }

    /// Encodes the type as `reflection.Type`. `index` returns the index of a struct or table in the schema by its name.
    fn encode(self, index: &impl Fn(&str) -> Option<usize>) -> Vec<(u16, Value<'static>)> {
        // The numbers of `reflection.BaseType`.
        const UBYTE: u8 = 4;
        const OBJECT: u8 = 15;
        let base = match self {
            Kind::Bool => 2,
            Kind::Long => 9,
            Kind::Ulong => 10,
            Kind::Float => 11,
            Kind::Text => 13,
            Kind::Bytes => 14,
            Kind::Object(_) => OBJECT,
            Kind::Array(..) => 17,
        };
        let size = match self {
            Kind::Bool => 1,
            Kind::Long | Kind::Ulong => 8,
            _ => 4,
        };
        let mut fields = vec![(0, Value::Byte(base)), (4, Value::Int(size))];
        if let Kind::Object(object) | Kind::Array(object, _) = self {
            fields.extend(index(object.name).map(|index| (2, Value::Int(index as i32))));
        }
        match self {
            Kind::Bytes => fields.push((1, Value::Byte(UBYTE))),
            Kind::Array(_, count) => {
                fields.push((1, Value::Byte(OBJECT)));
                fields.push((3, Value::Ushort(count)));
            }
            _ => {}
        }
        fields
    }
}

/// The structs that the reader needs, with their sizes in bytes.
const STRUCT_SIZES: [(&[u8], usize); 6] = [
    (b"core.DeviceDataTimestamp", TIMESTAMP),
    (b"core.Pose", POSE),
    (b"core.HandJointPose", HAND_JOINT),
    (b"core.HandJoints", HAND_JOINTS),
    (b"core.ControllerPose", CONTROLLER_POSE),
    (b"core.ControllerInputState", CONTROLLER_INPUTS),
];

/// Finds the first struct in a binary schema whose size differs from the expected size. Returns its name, its size in
/// the schema and the expected size, both in bytes. Returns `None` if all known structs have the expected sizes. A
/// struct of another size has other fields, or the same fields at other offsets.
pub(super) fn other_struct(schema: &[u8]) -> Result<Option<(String, i32, usize)>, Malformed> {
    for object in Table::root(schema)?.tables(0)? {
        let object = object?;
        let name = object.bytes(0)?.unwrap_or_default();
        let size = object
            .inline(4)?
            .map_or(0, |size| i32::from_le_bytes(*size));
        let mut known = STRUCT_SIZES.iter();
        let expected = known
            .find(|(known, _)| *known == name)
            .map(|(_, size)| *size);
        if let Some(expected) = expected.filter(|&expected| usize::try_from(size) != Ok(expected)) {
            let name = String::from_utf8_lossy(name).into_owned();
            return Ok(Some((name, size, expected)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_that_messages_have() {
        assert_eq!(layout(POSE_STRUCT.fields), (POSE, 4));
        assert_eq!(layout(TIMESTAMP_STRUCT.fields), (TIMESTAMP, 8));
        assert_eq!(layout(HAND_JOINT_STRUCT.fields), (HAND_JOINT, 4));
        assert_eq!(layout(HAND_JOINTS_STRUCT.fields), (HAND_JOINTS, 4));
        assert_eq!(layout(CONTROLLER_POSE_STRUCT.fields), (CONTROLLER_POSE, 4));
        assert_eq!(
            layout(CONTROLLER_INPUT_STRUCT.fields),
            (CONTROLLER_INPUTS, 4)
        );
    }

    #[test]
    fn a_schema_contains_its_objects_sorted_by_name() {
        let schema = HAND.schema();
        assert_eq!(schema[4..8], *b"BFBS");
        let root = Table::root(&schema).unwrap();
        let objects = root.tables(0).unwrap();
        let names = objects.map(|object| object.unwrap().bytes(0).unwrap().unwrap());
        let expected: [&[u8]; 8] = [
            b"core.DeviceDataTimestamp",
            b"core.HandJointPose",
            b"core.HandJoints",
            b"core.HandPose",
            b"core.HandPoseRecord",
            b"core.Point",
            b"core.Pose",
            b"core.Quaternion",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let name = root.table(4).unwrap().unwrap().bytes(0).unwrap().unwrap();
        assert_eq!(name, b"core.HandPoseRecord");
        assert_eq!(other_struct(&schema).unwrap(), None);
    }

    #[test]
    fn a_struct_of_another_size_is_found() {
        let object = vec![(0, Value::Text("core.HandJoints")), (4, Value::Int(900))];
        let schema = encode(&[(0, Value::Tables(vec![object]))], None);
        let expected = Some(("core.HandJoints".to_owned(), 900, 936));
        assert_eq!(other_struct(&schema).unwrap(), expected);
    }
}
