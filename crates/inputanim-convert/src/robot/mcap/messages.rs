//! The message types that this library defines.

use foxglove::{Encode, Schema};
use prost::Message;
use prost::bytes::BufMut;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

use crate::robot::mcap_file::devices::{DeviceCurve, DeviceMessage};

const PACKAGE: &str = "inputanim";

/// The label of a field with one value.
pub(super) const ONE: Label = Label::Optional;
/// The label of a field that is a list.
const LIST: Label = Label::Repeated;

/// The states of both hands at one instant.
#[derive(Clone, PartialEq, Message)]
pub(super) struct States {
    #[prost(bool, tag = "1")]
    pub(super) left_tracked: bool,
    #[prost(bool, tag = "2")]
    pub(super) left_pinching: bool,
    #[prost(bool, tag = "3")]
    pub(super) right_tracked: bool,
    #[prost(bool, tag = "4")]
    pub(super) right_pinching: bool,
}

/// Bytes of the recording's own file.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RecordingPiece {
    /// The offset of the bytes in the file.
    #[prost(uint64, tag = "1")]
    pub(super) offset: u64,
    /// The size of the file in bytes.
    #[prost(uint64, tag = "2")]
    pub(super) size: u64,
    /// The layout of the file.
    #[prost(string, tag = "3")]
    pub(super) layout: String,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) data: Vec<u8>,
}

impl DeviceMessage {
    pub(super) const SCHEMA: &str = "inputanim.Device";
    const FIELDS: [(&str, Type, Label); 9] = [
        ("device", Type::String, ONE),
        ("profile_times", Type::Float, LIST),
        ("profile_active", Type::Bool, LIST),
        ("profile_names", Type::String, LIST),
        ("haptic_times", Type::Float, LIST),
        ("haptic_outputs", Type::String, LIST),
        ("haptic_durations", Type::Float, LIST),
        ("haptic_frequencies", Type::Float, LIST),
        ("haptic_amplitudes", Type::Float, LIST),
    ];
}

impl DeviceCurve {
    pub(super) const SCHEMA: &str = "inputanim.DeviceCurve";
    const FIELDS: [(&str, Type, Label); 6] = [
        ("curve", Type::String, ONE),
        ("pre_wrap", Type::Sint32, ONE),
        ("post_wrap", Type::Sint32, ONE),
        ("kind", Type::String, ONE),
        ("numbers", Type::Float, LIST),
        ("weighted_modes", Type::Sint32, LIST),
    ];
}

impl States {
    pub(super) const SCHEMA: &str = "inputanim.States";
    const FIELDS: [(&str, Type, Label); 4] = [
        ("left_tracked", Type::Bool, ONE),
        ("left_pinching", Type::Bool, ONE),
        ("right_tracked", Type::Bool, ONE),
        ("right_pinching", Type::Bool, ONE),
    ];
}

impl RecordingPiece {
    pub(super) const SCHEMA: &str = "inputanim.RecordingPiece";
    const FIELDS: [(&str, Type, Label); 4] = [
        ("offset", Type::Uint64, ONE),
        ("size", Type::Uint64, ONE),
        ("layout", Type::String, ONE),
        ("data", Type::Bytes, ONE),
    ];
}

// Foxglove's trait cannot be implemented for all messages of prost, because both belong to other crates.
macro_rules! encode {
    ($message:ident) => {
        impl Encode for $message {
            type Error = prost::EncodeError;

            fn get_schema() -> Option<Schema> {
                Some(schema(Self::SCHEMA, &Self::FIELDS))
            }

            fn get_message_encoding() -> String {
                "protobuf".to_owned()
            }

            fn encode(&self, buffer: &mut impl BufMut) -> Result<(), prost::EncodeError> {
                Message::encode(self, buffer)
            }
        }
    };
}

encode!(States);
encode!(RecordingPiece);
encode!(DeviceMessage);
encode!(DeviceCurve);

/// Returns the protobuf schema of the message type `name`. The numbers of its fields are 1, 2, 3 and so on.
pub(super) fn schema(name: &str, fields: &[(&str, Type, Label)]) -> Schema {
    let message = name.trim_start_matches(PACKAGE).trim_start_matches('.');
    let field =
        |(number, &(name, kind, label)): (i32, &(&str, Type, Label))| FieldDescriptorProto {
            name: Some(name.to_owned()),
            number: Some(number),
            label: Some(label.into()),
            r#type: Some(kind.into()),
            ..FieldDescriptorProto::default()
        };
    // The descriptor is built here, so that no protobuf compiler is needed to build the crate.
    let file = FileDescriptorProto {
        name: Some(format!("{PACKAGE}/{message}.proto")),
        package: Some(PACKAGE.to_owned()),
        message_type: vec![DescriptorProto {
            name: Some(message.to_owned()),
            field: (1..).zip(fields).map(field).collect(),
            ..DescriptorProto::default()
        }],
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    };
    let files = FileDescriptorSet { file: vec![file] };
    Schema::new(name, "protobuf", files.encode_to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_has_the_fields_of_its_message() {
        let schema = RecordingPiece::get_schema().expect("it has one");
        let files = FileDescriptorSet::decode(&*schema.data).expect("its own bytes");
        let message = &files.file[0].message_type[0];
        assert_eq!(message.name(), "RecordingPiece");
        assert_eq!(files.file[0].package(), "inputanim");
        let fields = message.field.iter();
        let fields: Vec<_> = fields.map(|field| (field.name(), field.number())).collect();
        assert_eq!(
            fields,
            [("offset", 1), ("size", 2), ("layout", 3), ("data", 4)]
        );
    }
}
