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

/// The pixels of an image in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixels {
    pub(crate) layout: PixelLayout,
    /// The numbers are in sRGB. Otherwise they are linear (OpenXR 1.1, section 10.1).
    pub(crate) is_srgb: bool,
}

/// The numbers of a pixel in memory, in little-endian order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PixelLayout {
    /// Red, green, blue and alpha with eight bits each.
    Rgba8,
    /// Blue, green, red and alpha with eight bits each.
    Bgra8,
    /// Red, green and blue with ten bits each, and alpha with two bits; red has the lowest bits.
    #[cfg_attr(not(windows), allow(dead_code, reason = "a format of Direct3D"))]
    Rgb10A2,
    /// Red, green, blue and alpha as floating-point numbers with 16 bits each.
    RgbaFloat16,
}

impl Pixels {
    /// Returns the size of a pixel in bytes.
    pub(crate) fn size(self) -> usize {
        match self.layout {
            PixelLayout::Rgba8 | PixelLayout::Bgra8 | PixelLayout::Rgb10A2 => 4,
            PixelLayout::RgbaFloat16 => 8,
        }
    }

    /// Converts pixels to eight bits for red, green and blue in sRGB. Alpha is omitted, because a projection layer covers
    /// everything behind it.
    pub(crate) fn to_rgb(self, bytes: &[u8]) -> Vec<u8> {
        let part = |byte: u8| {
            if self.is_srgb {
                byte
            } else {
                (srgb(f32::from(byte) / 255.0) * 255.0).round() as u8
            }
        };
        let half = |bytes: [u8; 2]| {
            let linear = from_half(u16::from_le_bytes(bytes));
            (srgb(linear).clamp(0.0, 1.0) * 255.0).round() as u8
        };
        let pixels = bytes.as_chunks::<4>().0.iter();
        match self.layout {
            PixelLayout::Rgba8 => pixels
                .flat_map(|&[r, g, b, _]| [r, g, b].map(part))
                .collect(),
            PixelLayout::Bgra8 => pixels
                .flat_map(|&[b, g, r, _]| [r, g, b].map(part))
                .collect(),
            PixelLayout::Rgb10A2 => pixels
                .flat_map(|&pixel| {
                    let bits = u32::from_le_bytes(pixel);
                    [0, 10, 20].map(|start| {
                        let linear = (bits >> start & 0x3ff) as f32 / 1023.0;
                        (srgb(linear) * 255.0).round() as u8
                    })
                })
                .collect(),
            PixelLayout::RgbaFloat16 => {
                let pixels = bytes.as_chunks::<8>().0.iter();
                pixels
                    .flat_map(|&[r, s, g, h, b, c, ..]| [[r, s], [g, h], [b, c]].map(half))
                    .collect()
            }
        }
    }
}

/// Converts the bits of a 16-bit floating-point number (IEEE 754 binary16) to an `f32`.
fn from_half(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(half & 0x3ff);
    sign * match (half >> 10) & 0x1f {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    }
}

/// Converts a linear value of red, green or blue to sRGB (IEC 61966-2-1). Both are from 0 to 1.
fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_the_values_of_the_standard() {
        let values = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
        ];
        for (half, value) in values {
            assert_eq!(from_half(half), value);
        }
        assert!(from_half(0x7e00).is_nan() && from_half(0x7c00).is_infinite());
    }

    #[test]
    fn pixels_become_red_green_and_blue() {
        let pixels = |layout, is_srgb| Pixels { layout, is_srgb };
        let bgra = pixels(PixelLayout::Bgra8, true);
        assert_eq!(bgra.to_rgb(&[1, 2, 3, 4]), [3, 2, 1]);
        let linear = pixels(PixelLayout::Rgba8, false);
        assert_eq!(linear.to_rgb(&[0, 55, 255, 0]), [0, 128, 255]);
        let ten = pixels(PixelLayout::Rgb10A2, false);
        let bits = 1023_u32 | 219 << 10 | 3 << 30;
        assert_eq!(ten.to_rgb(&bits.to_le_bytes()), [255, 128, 0]);
        let half = [0x00, 0x3c, 0x00, 0x00, 0x00, 0x38, 0x00, 0x38];
        let float = pixels(PixelLayout::RgbaFloat16, false);
        assert_eq!(float.to_rgb(&half), [255, 0, 188]);
        let outside = [0x00, 0x40, 0x00, 0xc0, 0x00, 0x7c, 0x00, 0x38];
        assert_eq!(float.to_rgb(&outside), [255, 0, 255]);
    }
}
