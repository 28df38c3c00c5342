//! Frames for people.

use std::io::Write;

use inputanim::{DeviceFrame, Frame, HandFrame, InputValue, Pose, Side};
use inputanim_convert::frames::DeviceParts;

use super::selection::Selection;
use crate::messages::text::printable;

pub(super) fn print(
    frames: impl Iterator<Item = (Frame, Option<String>)>,
    selection: &Selection,
    mut output: impl Write,
) -> anyhow::Result<()> {
    match selection.only_joint() {
        Some((side, joint)) => {
            writeln!(output, "{side}.{joint}")?;
            writeln!(output, "{:>9}{}  state", "time s", header())?;
            for (frame, marker) in frames {
                let hand = frame.hand(side);
                let numbers = hand.joints[joint].map(|pose| pose_numbers(&pose));
                let numbers = numbers.unwrap_or_else(|| " ".repeat(header().len()));
                let marker = marker.map(|name| format!("  {}", printable(&name)));
                let line = format!(
                    "{:>9.3}{numbers}  {}{}",
                    frame.time,
                    state(hand),
                    marker.unwrap_or_default()
                );
                writeln!(output, "{}", line.trim_end())?;
            }
        }
        None => {
            // The longest name, `right.ThumbMetacarpalJoint`, has 26 characters.
            writeln!(output, "{:<26}{}", "", header())?;
            for (frame, marker) in frames {
                print_frame(&frame, marker.as_deref(), selection, &mut output)?;
            }
        }
    }
    Ok(output.flush()?)
}

fn print_frame(
    frame: &Frame,
    marker: Option<&str>,
    selection: &Selection,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let states = Side::BOTH.into_iter().filter_map(|side| {
        selection.columns.hands[side as usize].as_ref()?;
        Some(format!("  {side} {}", state(frame.hand(side))))
    });
    let marker = marker.map(|name| format!("  {}", printable(name)));
    let (time, states) = (frame.time, states.collect::<String>());
    writeln!(output, "{time:.3} s{}{states}", marker.unwrap_or_default())?;
    if let Some(pose) = frame.head.filter(|_| selection.columns.head) {
        writeln!(output, "{:<26}{}", "head", pose_numbers(&pose))?;
    }
    for (side, joints) in Side::BOTH.into_iter().zip(&selection.columns.hands) {
        for &joint in joints.iter().flatten() {
            if let Some(pose) = frame.hand(side).joints[joint] {
                let name = format!("{side}.{joint}");
                writeln!(output, "{name:<26}{}", pose_numbers(&pose))?;
            }
        }
    }
    if let Some(ray) = frame.gaze.filter(|_| selection.columns.gaze) {
        let (origin, direction) = (metres(ray.origin), metres(ray.direction));
        writeln!(output, "{:<26}{origin}", "gaze from")?;
        writeln!(output, "{:<26}{direction}", "gaze towards")?;
    }
    for parts in &selection.columns.devices {
        print_device(frame.device(parts.name), parts, output)?;
    }
    Ok(())
}

/// Prints the state, the profile and the inputs of a device in one line, and each pose in a line of its own.
fn print_device(
    device: Option<&DeviceFrame>,
    parts: &DeviceParts,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let Some(device) = device else {
        return Ok(());
    };
    let mut line = format!("{:<26}", parts.name.as_str());
    line += match (&device.profile, device.active) {
        (_, false) => "–",
        (None, true) => "active",
        (Some(profile), true) => profile,
    };
    for (input, _) in &parts.inputs {
        match device.input(*input) {
            Some(InputValue::Boolean(is_on)) => {
                line += &format!("  {input} {}", if is_on { "on" } else { "off" });
            }
            Some(InputValue::Float(number)) => line += &format!("  {input} {number:.3}"),
            None => {}
        }
    }
    writeln!(output, "{}", printable(&line))?;
    for pose in &parts.poses {
        if let Some(values) = device.pose(*pose) {
            let name = format!("{}.{pose}", parts.name);
            writeln!(output, "{name:<26}{}", pose_numbers(values))?;
        }
    }
    Ok(())
}

fn header() -> String {
    let metres = ["x m", "y m", "z m"].map(|head| format!("{head:>8}"));
    let rotation = ["qx", "qy", "qz", "qw"].map(|head| format!("{head:>7}"));
    metres.concat() + &rotation.concat()
}

fn pose_numbers(pose: &Pose) -> String {
    let rotation = pose.rotation.map(|part| format!("{part:>7.3}"));
    metres(pose.position) + &rotation.concat()
}

fn metres(vector: [f32; 3]) -> String {
    vector.map(|part| format!("{part:>8.3}")).concat()
}

fn state(hand: &HandFrame) -> &'static str {
    match (hand.tracked, hand.pinching) {
        (true, false) => "tracked",
        (true, true) => "pinching",
        (false, false) => "–",
        (false, true) => "– pinching",
    }
}
