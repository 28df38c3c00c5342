//! A screenshot: the image that an application drew for one eye.

use std::io::BufWriter;
use std::path::Path;

use inputanim_output::{Existing, OutputError};

/// A screenshot with eight bits for red, green, blue and alpha. The colours are in sRGB.
pub(crate) struct Screenshot {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Screenshot {
    /// Returns the pixel at a place: (0, 0) is the upper left corner, (1, 1) the lower right one. `None` outside.
    pub(crate) fn at(&self, u: f32, v: f32) -> Option<[u8; 4]> {
        let index = |part: f32, size: u32| {
            let is_inside = (0.0..1.0).contains(&part);
            is_inside.then_some((part * size as f32) as usize)
        };
        let (column, row) = (index(u, self.width)?, index(v, self.height)?);
        let pixels = self.bytes.as_chunks::<4>().0;
        pixels.get(row * self.width as usize + column).copied()
    }

    /// Writes the screenshot without alpha to a PNG file. If this fails, there is no incomplete file; an existing file is replaced.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let other = |error: png::EncodingError| OutputError::Io(std::io::Error::other(error));
        let written = inputanim_output::write(path, Existing::Replace, |file| {
            let mut encoder = png::Encoder::new(BufWriter::new(file), self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let mut writer = encoder.write_header().map_err(other)?;
            let pixels = self.bytes.as_chunks::<4>().0.iter();
            let bytes: Vec<u8> = pixels.flat_map(|&[r, g, b, _]| [r, g, b]).collect();
            writer.write_image_data(&bytes).map_err(other)?;
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
    /// Red, green, blue and alpha with 16 bits each.
    Rgba16,
    /// Red, green and blue with ten bits each, and alpha with two bits; red has the lowest bits.
    Rgb10A2,
    /// Red with five, green with six and blue with five bits; blue has the lowest bits.
    R5G6B5,
    /// Floating-point numbers without a sign: red and green with eleven bits, and blue with ten; red has the lowest bits.
    Rg11B10Float,
    /// Red, green, blue and alpha as floating-point numbers with 16 bits each.
    RgbaFloat16,
}

impl Pixels {
    /// Returns the size of a pixel in bytes.
    pub(crate) fn size(self) -> usize {
        match self.layout {
            PixelLayout::R5G6B5 => 2,
            PixelLayout::Rgba8
            | PixelLayout::Bgra8
            | PixelLayout::Rgb10A2
            | PixelLayout::Rg11B10Float => 4,
            PixelLayout::Rgba16 | PixelLayout::RgbaFloat16 => 8,
        }
    }

    /// Converts pixels to eight bits for red, green, blue and alpha. The colours are in sRGB.
    pub(crate) fn to_rgba(self, bytes: &[u8]) -> Vec<u8> {
        let byte = |part: f32| (part * 255.0).round() as u8;
        let colours = |[r, g, b, alpha]: [f32; 4]| {
            let [r, g, b] = [r, g, b].map(|linear| srgb(linear).clamp(0.0, 1.0));
            [r, g, b, alpha.clamp(0.0, 1.0)].map(byte)
        };
        let eight = |[r, g, b, alpha]: [u8; 4]| {
            let part = |part: u8| {
                if self.is_srgb {
                    part
                } else {
                    byte(srgb(f32::from(part) / 255.0))
                }
            };
            [part(r), part(g), part(b), alpha]
        };
        /// Converts each group of `N` bytes to a pixel.
        fn each<const N: usize>(bytes: &[u8], pixel: impl Fn([u8; N]) -> [u8; 4]) -> Vec<u8> {
            let groups = bytes.as_chunks::<N>().0.iter();
            groups.flat_map(|&group| pixel(group)).collect()
        }
        let sixteen = |group: [u8; 8], number: fn(u16) -> f32| {
            let parts = [0, 2, 4, 6].map(|at| u16::from_le_bytes([group[at], group[at + 1]]));
            colours(parts.map(number))
        };
        // A number of some bits as a part of 1.
        let bits = |word: u32, start: u32, count: u32| {
            let largest = (1 << count) - 1;
            (word >> start & largest) as f32 / largest as f32
        };
        match self.layout {
            PixelLayout::Rgba8 => each(bytes, eight),
            PixelLayout::Bgra8 => each(bytes, |[b, g, r, alpha]| eight([r, g, b, alpha])),
            PixelLayout::Rgba16 => each(bytes, |group| {
                sixteen(group, |part| f32::from(part) / f32::from(u16::MAX))
            }),
            PixelLayout::RgbaFloat16 => each(bytes, |group| sixteen(group, from_half)),
            PixelLayout::Rgb10A2 => each(bytes, |group| {
                let word = u32::from_le_bytes(group);
                let parts = [(0, 10), (10, 10), (20, 10), (30, 2)];
                colours(parts.map(|(start, count)| bits(word, start, count)))
            }),
            PixelLayout::R5G6B5 => each(bytes, |group| {
                let word = u32::from(u16::from_le_bytes(group));
                let [r, g, b] =
                    [(11, 5), (5, 6), (0, 5)].map(|(start, count)| bits(word, start, count));
                colours([r, g, b, 1.0])
            }),
            PixelLayout::Rg11B10Float => each(bytes, |group| {
                let word = u32::from_le_bytes(group);
                // The exponents are those of numbers with 16 bits; the sign and the last bits of the fraction are missing.
                let half = |start: u32, count: u32| {
                    let number = word >> start & ((1 << count) - 1);
                    from_half((number << (15 - count)) as u16)
                };
                colours([half(0, 11), half(11, 11), half(22, 10), 1.0])
            }),
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
pub(crate) fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    }
}

/// Converts a value of red, green or blue in sRGB to a linear value (IEC 61966-2-1). Both are from 0 to 1.
pub(crate) fn from_srgb(value: f32) -> f32 {
    if value <= 0.040_45 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
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
    fn pixels_become_red_green_blue_and_alpha() {
        let pixels = |layout, is_srgb| Pixels { layout, is_srgb };
        let bgra = pixels(PixelLayout::Bgra8, true);
        assert_eq!(bgra.to_rgba(&[1, 2, 3, 4]), [3, 2, 1, 4]);
        let linear = pixels(PixelLayout::Rgba8, false);
        assert_eq!(linear.to_rgba(&[0, 55, 255, 0]), [0, 128, 255, 0]);
        let sixteen = pixels(PixelLayout::Rgba16, false);
        let bytes = [0, 0, 0x1c, 0x37, 255, 255, 0, 0x80];
        assert_eq!(sixteen.to_rgba(&bytes), [0, 128, 255, 128]);
        let ten = pixels(PixelLayout::Rgb10A2, false);
        let bits = 1023_u32 | 219 << 10 | 3 << 30;
        assert_eq!(ten.to_rgba(&bits.to_le_bytes()), [255, 128, 0, 255]);
        let six = pixels(PixelLayout::R5G6B5, false);
        let bits = 31_u16 << 11 | 13 << 5;
        assert_eq!(six.to_rgba(&bits.to_le_bytes()), [255, 125, 0, 255]);
        // 1, 0.5 and 2 have the exponents 15, 14 and 16.
        let eleven = pixels(PixelLayout::Rg11B10Float, false);
        let bits = 15_u32 << 6 | 14 << 17 | 16 << 27;
        assert_eq!(eleven.to_rgba(&bits.to_le_bytes()), [255, 188, 255, 255]);
        let half = [0x00, 0x3c, 0x00, 0x00, 0x00, 0x38, 0x00, 0x38];
        let float = pixels(PixelLayout::RgbaFloat16, false);
        assert_eq!(float.to_rgba(&half), [255, 0, 188, 128]);
        let outside = [0x00, 0x40, 0x00, 0xc0, 0x00, 0x7c, 0x00, 0x38];
        assert_eq!(float.to_rgba(&outside), [255, 0, 255, 128]);
    }

    #[test]
    fn linear_colours_become_the_same_colours_again() {
        for byte in 0..=u8::MAX {
            let linear = from_srgb(f32::from(byte) / 255.0);
            assert_eq!((srgb(linear) * 255.0).round() as u8, byte);
        }
    }
}
