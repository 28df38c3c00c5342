//! Animation clips of Unity.

use std::io::Write;
use std::path::Path;

use inputanim::Recording;
use inputanim_convert::unity_anim::{self, Options};

use super::{Args, texts};

pub(super) fn write(
    args: &Args,
    recording: &Recording<'_>,
    output: &mut dyn Write,
) -> anyhow::Result<Vec<String>> {
    let mut options = Options::default();
    // Unity wants a clip to have the name of its file.
    let stem = args
        .output
        .file_stem()
        .filter(|_| args.output != Path::new("-"));
    if let Some(name) = stem {
        options.name = name.to_string_lossy().into_owned();
    }
    if let Some(event) = &args.event {
        options.event.clone_from(event);
    }
    let losses = unity_anim::write(recording, &options, output)?;
    Ok(texts(&losses))
}
