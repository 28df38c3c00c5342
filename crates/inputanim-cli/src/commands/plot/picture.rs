//! The formats of figures.

use std::path::Path;

use clap::ValueEnum;

use crate::files::output::Sink;
#[cfg(not(feature = "png"))]
use crate::messages::outcome::Refusal;

/// The format of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Picture {
    /// Vectors, for papers and browsers.
    Svg,
    /// Pixels, for slides and documents.
    Png,
}

impl Picture {
    /// Returns the format for the extension of a path; `None` for another extension.
    pub(super) fn of(path: &Path) -> Option<Picture> {
        let extension = path.extension()?.to_ascii_lowercase();
        match extension.to_str()? {
            "svg" => Some(Picture::Svg),
            "png" => Some(Picture::Png),
            _ => None,
        }
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Picture::Svg => "svg",
            Picture::Png => "png",
        }
    }

    pub(super) fn is_binary(self) -> bool {
        self == Picture::Png
    }

    /// Fails if this build cannot write the format.
    pub(super) fn check(self) -> anyhow::Result<()> {
        #[cfg(not(feature = "png"))]
        if self == Picture::Png {
            return Err(Refusal::failure(
                "this build does not include PNG",
                "write .svg, or install the program with all formats: \
                 `cargo install --path crates/inputanim-cli --features full`",
            ));
        }
        Ok(())
    }

    /// Writes a figure to `output` in this format. `svg` is the figure as SVG.
    pub(super) fn write(self, svg: &str, output: &mut Sink<'_>) -> anyhow::Result<()> {
        match self {
            Picture::Svg => output.write_all(svg.as_bytes())?,
            #[cfg(feature = "png")]
            Picture::Png => output.write_all(&png::render(svg)?)?,
            #[cfg(not(feature = "png"))]
            Picture::Png => self.check()?,
        }
        Ok(())
    }
}

#[cfg(feature = "png")]
mod png {
    use anyhow::Context;
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    use super::super::fonts::{missing_note, prepare};
    use crate::messages::diagnostics::note;

    /// The pixels of a PNG per pixel of a figure, so that it is sharp in print and on most screens.
    const SCALE: f32 = 2.0;

    /// The largest side of a picture. A contact sheet of thousands of recordings would need gigabytes.
    const MAX_SIDE: f32 = 32_767.0;

    /// Draws a figure, given as SVG, and returns it as the bytes of a PNG file. Prints a note about characters that no
    /// font has.
    pub(super) fn render(svg: &str) -> anyhow::Result<Vec<u8>> {
        let prepared = prepare(svg);
        if !prepared.missing.is_empty() {
            note(missing_note(&prepared.missing));
        }
        let options = Options {
            fontdb: prepared.fonts,
            ..Options::default()
        };
        let tree = Tree::from_str(&prepared.svg, &options).context("cannot draw the figure")?;
        let size = tree.size();
        let scale = SCALE.min(MAX_SIDE / size.width().max(size.height()));
        let [width, height] =
            [size.width(), size.height()].map(|side| (side * scale).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).context("the picture has no size")?;
        resvg::render(
            &tree,
            Transform::from_scale(scale, scale),
            &mut pixels.as_mut(),
        );
        Ok(pixels.encode_png()?)
    }
}
