//! Reads a recording in any format, prints the position of the head, and writes the recording in any other format:
//! `cargo run -p inputanim-convert --example convert -- IN OUT`.

use inputanim::Sampler;
use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = &paths[..] else {
        return Err("usage: convert IN OUT".into());
    };
    let bytes = std::fs::read(input)?;
    let from = Format::detect(&bytes).ok_or("unknown input format")?;
    let to = Format::from_path(output.as_ref()).ok_or("unknown output format")?;
    let (recording, _) = read(from, &bytes, &ReadOptions::default())?;
    let frame = Sampler::new(&recording)?.frame_at(recording.duration() / 2.0);
    println!("head halfway: {:?}", frame.head);
    let mut converted = Vec::new();
    let report = write(to, &recording, &WriteOptions::default(), &mut converted)?;
    report
        .losses
        .iter()
        .for_each(|loss| println!("lost: {loss}"));
    Ok(std::fs::write(output, converted)?)
}
