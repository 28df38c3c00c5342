//! Quad layers, which cover parts of the images of the eyes (OpenXR 1.1, section 10.6).

use inputanim::Pose;
use inputanim_openxr::{compose, inverse};
use openxr_sys as xr;

use super::screenshot::{Screenshot, from_srgb, srgb};

/// A quad layer: a rectangle with an image.
pub(crate) struct Quad {
    /// The pose of the centre. The front is at +Z.
    pub(crate) pose: Pose,
    /// The width and the height in metres.
    pub(crate) size: [f32; 2],
    pub(crate) image: Screenshot,
    pub(crate) alpha: Alpha,
}

/// The meaning of the alpha of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Alpha {
    Ignored,
    /// The colours are multiplied by alpha.
    Premultiplied,
    Unpremultiplied,
}

impl Alpha {
    /// Returns the meaning of alpha in a layer.
    pub(crate) fn of(flags: xr::CompositionLayerFlags) -> Alpha {
        if !flags.contains(xr::CompositionLayerFlags::BLEND_TEXTURE_SOURCE_ALPHA) {
            Alpha::Ignored
        } else if flags.contains(xr::CompositionLayerFlags::UNPREMULTIPLIED_ALPHA) {
            Alpha::Unpremultiplied
        } else {
            Alpha::Premultiplied
        }
    }

    /// Returns the colour that a pixel of a layer has over the colour `behind`. Colours are in sRGB, and are blended as linear
    /// colours.
    fn blend(self, pixel: [u8; 4], behind: [u8; 4]) -> [u8; 4] {
        let [r, g, b, alpha] = pixel;
        if self == Alpha::Ignored || alpha == u8::MAX {
            return [r, g, b, u8::MAX];
        }
        let alpha = f32::from(alpha) / 255.0;
        let factor = match self {
            Alpha::Unpremultiplied => alpha,
            _ => 1.0,
        };
        let part = |index: usize| {
            let linear = |pixel: [u8; 4]| from_srgb(f32::from(pixel[index]) / 255.0);
            let sum = linear(pixel) * factor + linear(behind) * (1.0 - alpha);
            (srgb(sum.min(1.0)) * 255.0).round() as u8
        };
        [part(0), part(1), part(2), u8::MAX]
    }
}

impl Quad {
    /// Draws the quad over the image of an eye with a pose and a field of view. Each pixel of the image gets the nearest pixel of the
    /// quad. The back of a quad is not visible.
    pub(crate) fn draw(&self, eye: Pose, fov: xr::Fovf, image: &mut Screenshot) {
        // The eye in the space of the quad.
        let eye = compose(inverse(self.pose), eye);
        let turn = Pose {
            position: [0.0; 3],
            ..eye
        };
        let axis = |position: [f32; 3]| {
            let axis = Pose {
                position,
                ..Pose::IDENTITY
            };
            compose(turn, axis).position
        };
        let [right, up, back] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(axis);
        let [left_edge, right_edge, upper_edge, lower_edge] = [
            fov.angle_left,
            fov.angle_right,
            fov.angle_up,
            fov.angle_down,
        ]
        .map(f32::tan);
        let between = |start: f32, end: f32, index: usize, count: u32| {
            start + (end - start) * (index as f32 + 0.5) / count as f32
        };
        let (width, height) = (image.width, image.height);
        if eye.position[2] <= 0.0 || width == 0 {
            return;
        }
        for (number, pixel) in image.bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (column, row) = (number % width as usize, number / width as usize);
            let x = between(left_edge, right_edge, column, width);
            let y = between(upper_edge, lower_edge, row, height);
            let direction = [0, 1, 2].map(|index| right[index] * x + up[index] * y - back[index]);
            let distance = -eye.position[2] / direction[2];
            if direction[2] >= 0.0 {
                continue;
            }
            let hit = [0, 1].map(|index| eye.position[index] + distance * direction[index]);
            let [u, v] = [hit[0] / self.size[0] + 0.5, 0.5 - hit[1] / self.size[1]];
            if let Some(found) = self.image.at(u, v) {
                *pixel = self.alpha.blend(found, *pixel);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];

    fn filled(width: u32, height: u32, pixel: [u8; 4]) -> Screenshot {
        Screenshot {
            width,
            height,
            bytes: pixel.repeat((width * height) as usize),
        }
    }

    /// Returns a quad with a green left half and a blue right half, 1 m in front of the origin.
    fn quad(alpha: Alpha, opacity: u8) -> Quad {
        let row = [[0, 255, 0, opacity], [0, 0, 255, opacity]].concat();
        Quad {
            pose: Pose {
                position: [0.0, 0.0, -1.0],
                ..Pose::IDENTITY
            },
            size: [1.0, 0.5],
            image: Screenshot {
                width: 2,
                height: 1,
                bytes: row,
            },
            alpha,
        }
    }

    fn drawn(quad: &Quad, eye: Pose) -> String {
        let angle = std::f32::consts::FRAC_PI_4;
        let fov = xr::Fovf {
            angle_left: -angle,
            angle_right: angle,
            angle_up: angle,
            angle_down: -angle,
        };
        let mut image = filled(8, 8, RED);
        quad.draw(eye, fov, &mut image);
        let rows = image.bytes.chunks(32).map(|row| {
            let letter = |pixel: &[u8; 4]| match pixel {
                [255, 0, 0, 255] => '.',
                [0, 255, 0, 255] => 'g',
                [0, 0, 255, 255] => 'b',
                _ => '?',
            };
            row.as_chunks::<4>()
                .0
                .iter()
                .map(letter)
                .collect::<String>()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_quad_covers_its_part_of_the_view() {
        let found = drawn(&quad(Alpha::Ignored, 0), Pose::IDENTITY);
        let wanted =
            "........\n........\n........\n..ggbb..\n..ggbb..\n........\n........\n........";
        assert_eq!(found, wanted);
        // The eye moves to the right and up, so that the quad moves to the left and down.
        let moved = Pose {
            position: [0.25, 0.25, 0.0],
            ..Pose::IDENTITY
        };
        let found = drawn(&quad(Alpha::Ignored, 0), moved);
        let wanted =
            "........\n........\n........\n........\n.ggbb...\n.ggbb...\n........\n........";
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_quad_is_not_visible_from_behind_or_behind_the_eye() {
        let half_turn = [0.0, 1.0, 0.0, 0.0];
        let behind = Pose {
            position: [0.0, 0.0, -2.0],
            rotation: half_turn,
        };
        let turned = Pose {
            rotation: half_turn,
            ..Pose::IDENTITY
        };
        let nothing = ["........"; 8].join("\n");
        for eye in [behind, turned] {
            assert_eq!(drawn(&quad(Alpha::Ignored, 255), eye), nothing);
        }
    }

    #[test]
    fn alpha_blends_linear_colours() {
        let behind = [255, 0, 0, 255];
        let blend = |alpha: Alpha, pixel| alpha.blend(pixel, behind);
        let half = [0, 188, 0, 128];
        assert_eq!(blend(Alpha::Ignored, half), [0, 188, 0, 255]);
        assert_eq!(blend(Alpha::Premultiplied, half), [187, 188, 0, 255]);
        assert_eq!(
            blend(Alpha::Unpremultiplied, [0, 255, 0, 128]),
            [187, 188, 0, 255]
        );
        assert_eq!(blend(Alpha::Premultiplied, [0; 4]), behind);
        let flags = xr::CompositionLayerFlags::BLEND_TEXTURE_SOURCE_ALPHA;
        assert_eq!(Alpha::of(flags), Alpha::Premultiplied);
        let both = flags | xr::CompositionLayerFlags::UNPREMULTIPLIED_ALPHA;
        assert_eq!(Alpha::of(both), Alpha::Unpremultiplied);
        assert_eq!(Alpha::of(xr::CompositionLayerFlags::EMPTY), Alpha::Ignored);
    }
}
