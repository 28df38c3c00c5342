//! Writes a recording as glTF.

mod budget;
mod buffer;
mod component;
mod gaze;
mod mesh;
mod report;
mod rotations;
mod scene;
mod stream;
mod track;
mod vector_keys;

use std::io::Write;

use inputanim::{Curve, Recording, UnplayableCurve};

use super::container;
use crate::shared::layout::in_layout;
use crate::shared::sampled::check_rate;
use crate::shared::{Error, Format, Report, SampleError, WriteOptions};
use report::Tally;

/// Writes a recording as text for [`Format::Gltf`], and otherwise as binary glTF. Fails if a curve cannot be evaluated,
/// or the file would be too large.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let (recording, mut report) = in_layout(recording, options)?;
    check_rate(options.sampling.rate())?;
    // Curves that cannot be evaluated are refused before anything is written.
    for (curve, keys) in recording.curves() {
        let playable = match keys {
            Curve::Float(curve) => curve.evaluator().map(drop),
            Curve::Boolean(curve) => curve.evaluator().map(drop),
        };
        let unplayable = |source| SampleError::Unplayable(UnplayableCurve::new(curve, source));
        playable.map_err(unplayable)?;
    }
    let mut tally = Tally::default();
    let (document, bytes) = scene::scene(&recording, options, &mut tally)?;
    container::write(document, &bytes, format, output)?;
    tally.report(&recording, &mut report);
    Ok(report)
}
