//! Records a head, two hands and a marker, and writes a file that MRTK plays.
//!
//! `cargo run -p inputanim --example two_hands -- two-hands.bin`

use inputanim::{Frame, Joint, Layout, Pose, Recorder, Recording};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=180 {
        let time = step as f32 / 60.0;
        let mut frame = Frame {
            time,
            head: Some(Pose::at([0.0, 1.6, 0.0])),
            ..Frame::default()
        };
        for (hand, x) in [(&mut frame.left, -0.2), (&mut frame.right, 0.2)] {
            hand.tracked = true;
            hand.pinching = (1.0..2.0).contains(&time);
            let palm = [x, 1.3 + 0.1 * time.sin(), 0.4];
            hand.joints[Joint::Palm] = Some(Pose::at(palm));
            hand.joints[Joint::IndexTip] = Some(Pose::at([x, palm[1], 0.5]));
        }
        recorder.push(&frame)?;
    }
    recorder.mark(1.0, "pinch")?;
    let recording: Recording = recorder.finish();

    let path = std::env::args().nth(1).ok_or("name the file to write")?;
    std::fs::write(path, recording.to_bytes()?)?;
    Ok(())
}
