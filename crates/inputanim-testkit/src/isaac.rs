//! Files of Isaac Capture, as NVIDIA's recorder writes them.

use std::collections::BTreeMap;
use std::io::Cursor;

use inputanim::Recording;
use inputanim_convert::{Format, Sampling, WriteOptions, write_bytes};
use mcap::records::MessageHeader;

/// Returns a file with the samples of a recording at a rate, without the topics that only this project writes.
///
/// # Panics
/// Panics if the recording cannot be sampled.
pub fn isaac_capture(recording: &Recording<'_>, rate: f64) -> Vec<u8> {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let (complete, _) = write_bytes(Format::Isaac, recording, &options).expect("a recording");
    let mut file = Cursor::new(Vec::new());
    let options = mcap::WriteOptions::new()
        .profile("teleop")
        .compression(None);
    let mut writer = options.create(&mut file).expect("memory");
    for message in mcap::MessageStream::new(&complete).expect("a complete file") {
        let message = message.expect("a complete file");
        let channel = &message.channel;
        let Some(schema) = channel.schema.as_ref() else {
            continue;
        };
        if !schema.name.starts_with("core.") {
            continue;
        }
        let schema = writer
            .add_schema(&schema.name, &schema.encoding, &schema.data)
            .expect("memory");
        let channel_id = writer
            .add_channel(
                schema,
                &channel.topic,
                &channel.message_encoding,
                &BTreeMap::new(),
            )
            .expect("memory");
        let header = MessageHeader {
            channel_id,
            sequence: message.sequence,
            log_time: message.log_time,
            publish_time: message.publish_time,
        };
        writer
            .write_to_known_channel(&header, &message.data)
            .expect("memory");
    }
    writer.finish().expect("memory");
    drop(writer);
    file.into_inner()
}
