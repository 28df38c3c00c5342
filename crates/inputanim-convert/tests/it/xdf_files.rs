//! Helper functions that read XDF files, and a file as a laboratory could record it.

use inputanim::Recording;
use inputanim_convert::{Error, Format, LossKind, NoteKind, ReadOptions, Report};
use inputanim_testkit::xdf::{Lab, sample};

pub(crate) fn read_with(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let (recording, report) = inputanim_convert::read(Format::Xdf, bytes, options)?;
    Ok((recording.into_owned(), report))
}

pub(crate) fn read(bytes: &[u8], mappings: &[&str]) -> Result<(Recording<'static>, Report), Error> {
    let mut options = ReadOptions::default();
    options.mappings = mappings
        .iter()
        .map(|mapping| mapping.parse().unwrap())
        .collect();
    read_with(bytes, &options)
}

pub(crate) fn error(bytes: &[u8], mappings: &[&str]) -> String {
    read(bytes, mappings).map(|_| ()).unwrap_err().to_string()
}

pub(crate) fn notes(report: &Report) -> Vec<(NoteKind, &str)> {
    let notes = report.notes.iter();
    notes.map(|note| (note.kind, &*note.message)).collect()
}

pub(crate) fn losses(report: &Report) -> Vec<(LossKind, &str)> {
    let losses = report.losses.iter();
    losses.map(|loss| (loss.kind, &*loss.message)).collect()
}

pub(crate) fn points(curve: &inputanim::FloatCurve<'_>) -> Vec<(f32, f32)> {
    curve.keys.points().collect()
}

/// Returns a file with a tracker in millimetres, as a laboratory could record it.
pub(crate) fn tracker() -> Lab {
    let mut lab = Lab::new();
    lab.stream(
        1,
        ["Tracker", "MoCap", "double64"],
        0.0,
        &["x", "y", "z", "qx", "qy", "qz", "qw", "ok"],
    );
    let samples = [(50.0, 100.0, 1.0), (50.5, 110.0, 1.0), (51.0, 120.0, 0.0)];
    let samples = samples.map(|(time, x, ok)| {
        let numbers = [x, 1500.0, -200.0, 0.0, 0.0, 0.0, 1.0, ok];
        sample(time, &numbers, f64::to_le_bytes)
    });
    lab.samples(1, &samples);
    lab
}

pub(crate) const PALM: [&str; 7] = [
    "left.Palm.position.x=Tracker/x*0.001",
    "left.Palm.position.y=Tracker/y*0.001",
    "left.Palm.position.z=Tracker/3*0.001",
    "left.Palm.rotation.x=Tracker/qx",
    "left.Palm.rotation.y=Tracker/qy",
    "left.Palm.rotation.z=Tracker/qz",
    "left.Palm.rotation.w=Tracker/qw",
];
