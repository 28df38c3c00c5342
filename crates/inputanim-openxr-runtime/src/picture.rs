//! A picture of a frame.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

/// A picture with eight bits for red, green, blue and alpha.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Picture {
    /// Writes the picture as PNG. An existing file is replaced.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        let file = File::create(path).map_err(|error| error.to_string())?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        writer
            .write_image_data(&self.bytes)
            .map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())
    }
}
