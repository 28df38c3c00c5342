//! The inputs of a device over time, for plots. The exact keys are in other messages.

use std::io::{self, Write};

use inputanim::{Device, DeviceFrame, DeviceName, InputName};
use prost_types::field_descriptor_proto::Type;

use super::SPACE;
use super::messages::{ONE, schema};
use super::output::Output;
use crate::robot::mcap_file::clock::Moment;
use crate::robot::mcap_file::output::OutputChannel;

/// The start of the names of the schemas of inputs. The name of the device follows.
pub(super) const INPUTS: &str = "inputanim.Inputs_";

/// The topic of the inputs of a device: `/right.controller/inputs`. Each message has a field for each recorded input, such
/// as `trigger_value`.
pub(super) struct Inputs {
    device: DeviceName,
    names: Vec<InputName>,
    channel: OutputChannel,
    message: Vec<u8>,
}

impl Inputs {
    /// Adds the topic of a device to `output`. Returns `None` for a device without inputs.
    pub(super) fn of(
        device: &Device<'_>,
        output: &mut Output<impl Write>,
    ) -> io::Result<Option<Inputs>> {
        if device.inputs.is_empty() {
            return Ok(None);
        }
        let names = device.inputs.iter().map(|(name, _)| SPACE.input(*name).0);
        let names: Vec<_> = names.collect();
        let mut fields: Vec<String> = Vec::new();
        for name in &names {
            let mut field = identifier(name.as_str());
            // `a_b/c` and `a/b_c` would be the same identifier.
            while fields.contains(&field) {
                field.push('_');
            }
            fields.push(field);
        }
        let fields: Vec<_> = fields
            .iter()
            .map(|name| (&**name, Type::Float, ONE))
            .collect();
        // Each device has its own inputs, so each has a message type of its own.
        let kind = format!("{INPUTS}{}", identifier(&device.name.to_string()));
        let topic = format!("/{}/inputs", device.name);
        let channel = output.channel(&topic, "protobuf", Some(schema(&kind, &fields)))?;
        Ok(Some(Inputs {
            device: device.name,
            names,
            channel,
            message: Vec::new(),
        }))
    }

    /// Writes the values of an instant. A button is 0 or 1, and an input that is not known is NaN. Writes nothing while the
    /// device is not active.
    pub(super) fn write(
        &mut self,
        devices: &[DeviceFrame],
        moment: Moment,
        output: &mut Output<impl Write>,
    ) -> io::Result<()> {
        let device = devices.iter().find(|device| device.name == self.device);
        let Some(device) = device.filter(|device| device.active) else {
            return Ok(());
        };
        self.message.clear();
        for (tag, name) in (1..).zip(&self.names) {
            let value = device.input(*name).map_or(f32::NAN, |value| value.number());
            prost::encoding::float::encode(tag, &value, &mut self.message);
        }
        output.write_bytes(&mut self.channel, moment, &self.message)
    }
}

/// Returns a name with only the characters of identifiers in protobuf: `trigger_value` for `trigger/value`.
fn identifier(name: &str) -> String {
    let letters = name.chars();
    let name: String = letters
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    // An identifier begins with a letter.
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("input_{name}"),
    }
}
