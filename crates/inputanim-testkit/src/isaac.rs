//! Files of Isaac Capture, as NVIDIA's recorder writes them.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;

/// Returns a copy of a file of Isaac Capture that this project has written, without the topics that NVIDIA's recorder
/// does not write.
///
/// # Panics
/// Panics if the bytes are not such a file.
pub fn isaac_capture(complete: &[u8]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let options = mcap::WriteOptions::new()
        .profile("teleop")
        .compression(None);
    let mut writer = options.create(&mut file).expect("memory");
    for message in mcap::MessageStream::new(complete).expect("a complete file") {
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
