//! Reads head, hands and eyes from the files of the StreamRecorder of Microsoft's HoloLens2ForCV
//! (`…_head_hand_eye.csv`). They have a row for each frame, and no column names.
//!
//! | cells | content |
//! |---|---|
//! | 0 | time in units of 100 ns |
//! | 1 to 16 | the head, as a matrix |
//! | 17 | 1 if the left hand is tracked |
//! | 18 to 433 | its 26 joints, as matrices |
//! | 434 to 850 | the same for the right hand |
//! | 851 | 1 if the gaze is known |
//! | 852 to 859 | the origin and direction of the gaze, four numbers each |
//! | 860 | the distance at which the gaze meets a surface |
//!
//! A matrix has four rows; its last column is the position. Joints are in the order of OpenXR. All axes are
//! right-handed with −Z forward: −Z of the head is its view direction, and −Z of a joint points along its
//! bone. In older files, which contain no eyes, rows end after the hands.

use inputanim::{Frame, Joint, Pose, Ray, Recording, Side, Space};

use super::recorder::TableRecorder;
use crate::shared::{Error, ReadOptions, Report};
use crate::table::table_error::TableError;
use crate::table::text::CellRows;

const MATRIX: usize = 16;
const HAND: usize = 1 + 26 * MATRIX;
const HEAD: usize = 1;
const HANDS: usize = HEAD + MATRIX;
const GAZE: usize = HANDS + 2 * HAND;
const CELLS: usize = GAZE + 10;

/// Returns `true` if these can be the cells of the first row of a table of HoloLens2ForCV: their number fits, and the
/// first one is an integer.
pub(super) fn is_row(cells: &[String]) -> bool {
    let first = cells.first();
    [GAZE, CELLS].contains(&cells.len()) && first.is_some_and(|cell| cell.parse::<i64>().is_ok())
}

/// Reads a recording from a table of HoloLens2ForCV. The current row of `rows` is the first one, at time 0.
pub(super) fn read(
    mut rows: CellRows<&[u8]>,
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let mut recorder = TableRecorder::new(None, Some(Space::OpenXr), options);
    let mut origin = None;
    loop {
        // Older versions of the recorder wrote no cells for the eyes.
        if rows.len() != GAZE {
            rows.check_count(CELLS)?;
        }
        let row = MatrixRow(&rows);
        let ticks: i64 = row.parse(0, "an integer")?;
        // The clock counts from the year 1601, so only differences of times are exact as 32-bit floats.
        let ticks = i128::from(ticks) - i128::from(*origin.get_or_insert(ticks));
        let frame = Frame {
            time: (ticks as f64 * 1e-7) as f32,
            ..row.frame()?
        };
        recorder.frame(rows.place(), frame)?;
        if !rows.advance()? {
            break;
        }
    }
    let mut report = Report::default();
    Ok((recorder.finish([false; 2], &mut report)?, report))
}

/// A row of numbers, most of them matrices.
struct MatrixRow<'r>(&'r CellRows<&'r [u8]>);

impl MatrixRow<'_> {
    fn frame(&self) -> Result<Frame, TableError> {
        let mut frame = Frame {
            head: Some(self.pose(HEAD)?),
            ..Frame::default()
        };
        for side in Side::BOTH {
            let start = HANDS + HAND * side as usize;
            let hand = frame.hand_mut(side);
            hand.tracked = self.flag(start)?;
            if hand.tracked {
                for (index, joint) in Joint::OPENXR.into_iter().enumerate() {
                    hand.joints[joint] = Some(self.pose(start + 1 + MATRIX * index)?);
                }
            }
        }
        if self.0.len() == CELLS && self.flag(GAZE)? {
            frame.gaze = Some(Ray {
                origin: self.numbers(GAZE + 1)?,
                direction: self.numbers(GAZE + 5)?,
            });
        }
        Ok(frame)
    }

    fn pose(&self, start: usize) -> Result<Pose, TableError> {
        let m: [f32; MATRIX] = self.numbers(start)?;
        Ok(Pose {
            position: [m[3], m[7], m[11]],
            rotation: rotation([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]),
        })
    }

    fn flag(&self, cell: usize) -> Result<bool, TableError> {
        match self.0.value(cell)? {
            Some("1") => Ok(true),
            Some("0") => Ok(false),
            _ => Err(self.wrong(cell, "1 or 0")?),
        }
    }

    fn numbers<const N: usize>(&self, start: usize) -> Result<[f32; N], TableError> {
        let mut numbers = [0.0; N];
        for (number, cell) in numbers.iter_mut().zip(start..) {
            *number = self.parse(cell, "a number")?;
        }
        Ok(numbers)
    }

    fn parse<T: std::str::FromStr>(
        &self,
        cell: usize,
        expected: &'static str,
    ) -> Result<T, TableError> {
        let text = self.0.value(cell)?.unwrap_or_default();
        match text.parse() {
            Ok(value) => Ok(value),
            Err(_) => Err(self.wrong(cell, expected)?),
        }
    }

    fn wrong(&self, cell: usize, expected: &'static str) -> Result<TableError, TableError> {
        let (name, found) = (format!("cell {}", cell + 1), self.0.cell(cell)?);
        Ok(TableError::value(self.0.place(), name, expected, found))
    }
}

/// Returns the rotation of a matrix whose columns are the rotated axes, as a quaternion x, y, z, w. It is computed from
/// the largest component, because the other components are differences of nearly equal numbers.
fn rotation(m: [[f32; 3]; 3]) -> [f32; 4] {
    let m = m.map(|row| row.map(f64::from));
    let (x, y, z) = (m[0][0], m[1][1], m[2][2]);
    // Each part is a component, multiplied by four times the largest component.
    let parts = if x + y + z > 0.0 {
        [
            m[2][1] - m[1][2],
            m[0][2] - m[2][0],
            m[1][0] - m[0][1],
            1.0 + x + y + z,
        ]
    } else if x >= y && x >= z {
        [
            1.0 + x - y - z,
            m[0][1] + m[1][0],
            m[0][2] + m[2][0],
            m[2][1] - m[1][2],
        ]
    } else if y >= z {
        [
            m[0][1] + m[1][0],
            1.0 - x + y - z,
            m[1][2] + m[2][1],
            m[0][2] - m[2][0],
        ]
    } else {
        [
            m[0][2] + m[2][0],
            m[1][2] + m[2][1],
            1.0 - x - y + z,
            m[1][0] - m[0][1],
        ]
    };
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    parts.map(|part| (part / length) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::Format;

    fn read(format: Format, text: &str) -> Result<Recording<'static>, Error> {
        let (recording, _) =
            crate::table::tables::read(format, text.as_bytes(), &ReadOptions::default())?;
        Ok(recording)
    }

    /// Returns a pose as the recorder writes it: its matrix, row by row.
    fn matrix(pose: Pose) -> String {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| pose.turn(axis));
        let row = |row: usize| {
            let [x, y, z] = axes.map(|axis| axis[row]);
            format!("{x},{y},{z},{}", pose.position[row])
        };
        format!("{},{},{},0,0,0,1", row(0), row(1), row(2))
    }

    fn line(ticks: i64, head: Pose, right: Option<Pose>, gaze: bool) -> String {
        let zeros = ["0"; MATRIX].join(",");
        let hand = |pose: Option<Pose>| {
            let joints = (0..26).map(|index| match pose {
                Some(mut pose) => {
                    pose.position[0] += index as f32;
                    matrix(pose)
                }
                None => zeros.clone(),
            });
            let joints: Vec<String> = joints.collect();
            format!("{},{}", u8::from(pose.is_some()), joints.join(","))
        };
        let gaze = if gaze {
            "1,0.1,1.5,0.25,1,0,0,-1,0,2.5"
        } else {
            // The recorder also writes uninitialised values.
            "0,0,0,0,0,0,0,0,0,-nan(ind)"
        };
        format!(
            "{ticks},{},{},{},{gaze}\n",
            matrix(head),
            hand(None),
            hand(right)
        )
    }

    #[test]
    fn poses_are_transformed_and_joints_have_their_names() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let head = Pose {
            position: [1.0, 2.0, -3.0],
            rotation: [0.0, half, 0.0, half],
        };
        let mut text = line(133_500_000_000_000_000, head, None, true);
        text += &line(133_500_000_000_166_667, head, Some(head), false);
        let recording = read(Format::Csv, &text).unwrap();
        let sampler = inputanim::Sampler::new(&recording).unwrap();
        let frame = sampler.frame_at(0.0);
        let head = frame.head.unwrap();
        assert_eq!(head.position, [1.0, 2.0, 3.0]);
        // The direction ahead, −Z of the head, points to −X.
        let ahead = head.turn([0.0, 0.0, 1.0]);
        assert!((ahead[0] + 1.0).abs() < 1e-6, "{ahead:?}");
        assert_eq!(frame.gaze.unwrap().direction, [0.0, 0.0, 1.0]);
        assert!(!frame.right.tracked);
        let frame = sampler.frame_at(sampler.duration());
        assert!((sampler.duration() - 1.0 / 60.0).abs() < 1e-6);
        assert!(frame.right.tracked && !frame.left.tracked);
        let tip = frame.right.joints[Joint::IndexTip].unwrap();
        assert_eq!(tip.position, [11.0, 2.0, 3.0]);
        assert_eq!(
            frame.right.joints[Joint::Palm].unwrap().position,
            [1.0, 2.0, 3.0]
        );
        assert_eq!(frame.right.joints[Joint::None], None);
    }

    #[test]
    fn cells_may_be_separated_by_tabs() {
        let commas = line(1, Pose::IDENTITY, None, true);
        let tabs = commas.replace(',', "\t");
        let tabs = read(Format::Tsv, &tabs).unwrap();
        assert_eq!(tabs, read(Format::Csv, &commas).unwrap());
    }

    #[test]
    fn a_matrix_becomes_the_rotation_that_it_was_made_of() {
        let mut state = 3_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for _ in 0..1000 {
            let q = [number(), number(), number(), number()];
            let length = q.iter().map(|part| part * part).sum::<f32>().sqrt();
            let pose = Pose {
                position: [0.0; 3],
                rotation: q.map(|part| part / length),
            };
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let axes = axes.map(|axis| pose.turn(axis));
            let rows = [0, 1, 2].map(|row| axes.map(|axis| axis[row]));
            let back = rotation(rows);
            let dot: f32 = back.iter().zip(pose.rotation).map(|(a, b)| a * b).sum();
            assert!(dot.abs() > 1.0 - 1e-6, "{back:?} {pose:?}");
        }
    }

    #[test]
    fn errors_contain_the_line_and_cell() {
        let good = line(1, Pose::IDENTITY, None, false);
        let bad = line(2, Pose::IDENTITY, None, false).replacen("1,0,0,0", "1,x,0,0", 1);
        let error = read(Format::Csv, &(good.clone() + &bad));
        let text = error.unwrap_err().to_string();
        assert_eq!(text, "line 2: cell 3: expected a number, found \"x\"");
        let error = read(Format::Csv, &(good + "1,2\n")).unwrap_err();
        assert!(matches!(
            error.downcast_ref(),
            Some(TableError::CellCount { .. })
        ));
    }
}
