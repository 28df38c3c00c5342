//! A screenshot: the image that an application drew for one eye.

use std::io::BufWriter;
use std::path::Path;

use inputanim_output::{Existing, OutputError};

/// A screenshot with eight bits for red, green and blue, in sRGB.
pub(crate) struct Screenshot {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Screenshot {
    /// Writes the screenshot to a PNG file. If this fails, there is no incomplete file; an existing file is replaced.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let other = |error: png::EncodingError| OutputError::Io(std::io::Error::other(error));
        let written = inputanim_output::write(path, Existing::Replace, |file| {
            let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let mut writer = encoder.write_header().map_err(other)?;
            writer.write_image_data(&self.bytes).map_err(other)?;
            writer.finish().map_err(other)
        });
        written.map_err(|error| error.to_string())
    }
}

/// Converts a linear value of red, green or blue to sRGB (IEC 61966-2-1). Both are from 0 to 1.
pub(crate) fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    }
}
