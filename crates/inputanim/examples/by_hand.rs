//! Builds a recording key by key, tangents included, and writes it in the layout that keeps
//! them.
//!
//! `cargo run -p inputanim --example by_hand -- curve.bin`

use inputanim::{
    BooleanCurve, FloatCurve, FullKey, Joint, Layout, Marker, PoseChannel, Recording, WrapMode,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut recording = Recording::new(Layout::Mrtk1_0);

    // Straight lines through points of time and value …
    recording.camera_mut()[PoseChannel::PositionY] = FloatCurve::linear([(0.0, 1.6), (2.0, 1.7)]);

    // … a bent one, that starts and ends at rest and then runs back and forth …
    let palm = &mut recording.hands_mut().left.joints[Joint::Palm];
    palm[PoseChannel::PositionX] = FloatCurve {
        post_wrap: WrapMode::PING_PONG,
        ..FloatCurve::full([
            FullKey::hermite(0.0, -0.3, 0.0, 0.0),
            FullKey::hermite(2.0, 0.1, 0.0, 0.0),
        ])
    };

    // … states and markers.
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, true)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.5, true), (1.5, false)]);
    recording.markers.push(Marker::new(0.5, "pinch"));

    // Version 1.1 as MRTK writes it has no tangents: it says so rather than dropping them.
    for loss in recording.losses(Layout::Mrtk1_1) {
        println!("{} would lose {loss}", Layout::Mrtk1_1);
    }

    let path = std::env::args().nth(1).ok_or("name the file to write")?;
    std::fs::write(path, recording.to_bytes(recording.layout)?)?;
    Ok(())
}
