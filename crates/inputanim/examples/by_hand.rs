//! Builds a recording key by key, with tangents, and writes it in a layout that has tangents.
//!
//! `cargo run -p inputanim --example by_hand -- curve.bin`

use inputanim::{
    BooleanCurve, FloatCurve, FullKey, Joint, Layout, Marker, PoseChannel, Recording, WrapMode,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut recording = Recording::new(Layout::Mrtk1_0);

    // Linear segments through points of (time, value).
    recording.head_mut()[PoseChannel::PositionY] = FloatCurve::linear([(0.0, 1.6), (2.0, 1.7)]);

    // A curve that starts and ends with slope 0, and then plays back and forth.
    let palm = &mut recording.hands_mut().left.joints[Joint::Palm];
    palm[PoseChannel::PositionX] = FloatCurve {
        post_wrap: WrapMode::PING_PONG,
        ..FloatCurve::full([
            FullKey::hermite(0.0, -0.3, 0.0, 0.0),
            FullKey::hermite(2.0, 0.1, 0.0, 0.0),
        ])
    };

    // States and markers.
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.5, true), (1.5, false)]);
    recording.markers.push(Marker::new(0.5, "pinch"));

    // MRTK's layout of version 1.1 has no tangents. `losses` lists what would be dropped.
    for loss in recording.losses(Layout::Mrtk1_1) {
        println!("{} would lose {loss}", Layout::Mrtk1_1);
    }

    let path = std::env::args().nth(1).ok_or("name the file to write")?;
    std::fs::write(path, recording.to_bytes()?)?;
    Ok(())
}
