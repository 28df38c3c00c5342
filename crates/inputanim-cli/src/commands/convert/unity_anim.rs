//! Animation clips of Unity.

use std::io::Write;
use std::path::Path;

use inputanim::Recording;
use inputanim_convert::unity_anim::{self, Options};

use super::conversion::{Conversion, Said};

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    path: &Path,
    output: &mut dyn Write,
) -> anyhow::Result<Said> {
    let mut options = Options::default();
    // Unity wants a clip to have the name of its file.
    let stem = path.file_stem().filter(|_| path != Path::new("-"));
    if let Some(name) = stem {
        options.name = name.to_string_lossy().into_owned();
    }
    if let Some(event) = &conversion.event {
        options.event.clone_from(event);
    }
    let losses = unity_anim::write(recording, &options, output)?;
    Ok(Said::lost(&losses))
}
