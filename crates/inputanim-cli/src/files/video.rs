//! Videos of recordings: the ones that a command line names, and the ones beside recordings with the same name.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use inputanim_convert::without_extension;

use crate::files::input::FoundFile;
use crate::messages::diagnostics::warn;

/// The extensions of videos, and their types in HTTP. Browsers decide from the content what they can play.
const TYPES: [(&str, &str); 6] = [
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("m4v", "video/mp4"),
    ("mkv", "video/matroska"),
    ("ogv", "video/ogg"),
];

/// The options of commands that show videos beside recordings.
#[derive(Debug, Args)]
pub(crate) struct VideoArgs {
    /// A video of the only recording, or of the recording with its name; repeatable [default: the videos beside the
    /// recordings, with the same names]
    #[arg(long, value_name = "FILE")]
    video: Vec<PathBuf>,
    /// The time of the recording in seconds at which its video starts; negative if the video starts earlier
    /// [default: 0]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    video_offset: Option<f64>,
}

/// A video of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Video {
    pub(crate) file: FoundFile,
    /// The time of the recording at which the video starts, in seconds.
    pub(crate) start: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite());
    seconds.ok_or_else(|| "expected seconds, such as 2.5 or -3".to_owned())
}

impl VideoArgs {
    /// Returns the video of each recording.
    ///
    /// # Errors
    /// When a named video cannot be read or has no recording, or when there is an offset and no video.
    pub(crate) fn of(&self, files: &[FoundFile]) -> anyhow::Result<Vec<Option<Video>>> {
        let start = self.video_offset.unwrap_or(0.0);
        let mut videos: Vec<Option<Video>> = files
            .iter()
            .map(|file| beside(file).map(|file| Video { file, start }))
            .collect();
        for path in &self.video {
            std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            let is_own = |file: &FoundFile| stem(&file.path) == stem(path);
            let own = match files {
                [_] => 0,
                _ => match files.iter().position(is_own) {
                    Some(own) if !files[own + 1..].iter().any(is_own) => own,
                    Some(_) => bail!(
                        "{}: several recordings have the name of this video",
                        path.display()
                    ),
                    None => bail!(
                        "{}: no recording has the name of this video",
                        path.display()
                    ),
                },
            };
            let file = FoundFile::named(path);
            videos[own] = Some(Video { file, start });
        }
        ensure!(
            self.video_offset.is_none() || videos.iter().any(Option::is_some),
            "--video-offset has no effect: no recording has a video beside it with the same name, and no --video is given"
        );
        Ok(videos)
    }
}

impl Video {
    /// Returns the name of the file.
    pub(crate) fn name(&self) -> String {
        let name = self.file.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the type of the file in HTTP.
    pub(crate) fn content(&self) -> &'static str {
        let extension = self.file.path.extension().unwrap_or_default();
        let mut types = TYPES.iter();
        let found = types.find(|(name, _)| extension.eq_ignore_ascii_case(name));
        found.map_or("application/octet-stream", |(_, content)| content)
    }
}

/// Returns the name of a file without its extension, in small letters.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default();
    let is_video = TYPES
        .iter()
        .any(|(name, _)| extension.eq_ignore_ascii_case(name));
    let stem = if is_video {
        path.file_stem().unwrap_or_default().to_string_lossy()
    } else {
        without_extension(&name).into()
    };
    stem.to_lowercase()
}

/// Returns the video beside a recording with the same name, if there is one in the folder that was searched.
fn beside(recording: &FoundFile) -> Option<FoundFile> {
    let name = recording.path.file_name()?.to_str()?;
    let stem = without_extension(name);
    let names = TYPES.iter().flat_map(|(extension, _)| {
        [(*extension).to_owned(), extension.to_uppercase()]
            .map(|extension| format!("{stem}.{extension}"))
    });
    let mut paths = names.map(|name| recording.path.with_file_name(name));
    let path = paths.find(|path| path.is_file())?;
    let video = recording.neighbour(path);
    match video.path_inside() {
        Ok(_) => Some(video),
        Err(error) => {
            warn(format_args!("skipped: {error:#}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_and_its_recording_have_the_same_stem() {
        let stem = |path: &str| stem(Path::new(path));
        assert_eq!(stem("a/Take.1.MP4"), "take.1");
        assert_eq!(stem("b/take.1.bin"), "take.1");
        assert_eq!(stem("take.isaac.mcap"), stem("take.webm"));
    }

    #[test]
    fn offsets_are_finite() {
        assert_eq!(seconds("-2.5"), Ok(-2.5));
        for wrong in ["", "NaN", "inf", "1:00"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
