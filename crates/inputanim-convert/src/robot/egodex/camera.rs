//! The intrinsics of the camera.

/// The numbers of a matrix of 3 × 3.
const SIZE: usize = 9;

/// Returns the text [`CAMERA_INTRINSIC`](inputanim::About::CAMERA_INTRINSIC) for the numbers of a matrix, rows first; `None` if they are not the intrinsics of a
/// camera: focal lengths above 0, and the last row 0, 0, 1.
pub(super) fn intrinsic(matrix: &[f64; SIZE]) -> Option<String> {
    let [fx, _, _, below, fy, _, last @ ..] = matrix;
    let is_camera = *fx > 0.0 && *fy > 0.0 && *below == 0.0 && *last == [0.0, 0.0, 1.0];
    let is_finite = matrix.iter().all(|number| number.is_finite());
    (is_camera && is_finite).then(|| matrix.map(shortest).join(" "))
}

/// Returns the shortest text of a number: that of a 32-bit float if it is one.
fn shortest(number: f64) -> String {
    let float = number as f32;
    if f64::from(float) == number {
        float.to_string()
    } else {
        number.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [f64; SIZE] = [736.5, 0.0, 960.0, 0.0, 736.25, 540.0, 0.0, 0.0, 1.0];

    #[test]
    fn intrinsics_are_nine_numbers() {
        let text = "736.5 0 960 0 736.25 540 0 0 1";
        assert_eq!(intrinsic(&MATRIX).as_deref(), Some(text));
        let mut matrix = MATRIX;
        matrix[0] = f64::from(736.6_f32);
        assert!(intrinsic(&matrix).unwrap().starts_with("736.6 0 "));
    }

    #[test]
    fn other_matrices_are_refused() {
        for (index, wrong) in [
            (0, 0.0),
            (0, -1.0),
            (2, f64::NAN),
            (3, 1.0),
            (4, f64::INFINITY),
            (8, 2.0),
        ] {
            let mut matrix = MATRIX;
            matrix[index] = wrong;
            assert_eq!(intrinsic(&matrix), None, "{index}");
        }
    }
}
