//! Head, hands and eyes as the StreamRecorder of Microsoft's HoloLens2ForCV writes them
//! (`…_head_hand_eye.csv`): a row for each frame and no names of columns.
//!
//! | cells | what |
//! |---|---|
//! | 0 | time in units of 100 ns |
//! | 1 to 16 | the head, as a matrix |
//! | 17 | 1 if the left hand is seen |
//! | 18 to 433 | its 26 joints, as matrices |
//! | 434 to 850 | the same of the right hand |
//! | 851 | 1 if the gaze is known |
//! | 852 to 859 | its origin and direction, four numbers each |
//! | 860 | how far away it meets a surface |
//!
//! A matrix is of four rows, its last column the position. Joints come in the order of OpenXR, and all
//! axes are right-handed with −Z forward: that of the head looks ahead, that of a joint runs along its
//! bone. Before eyes were recorded, rows ended with the hands.

use inputanim::{Frame, Joint, Pose, Ray, Side, Space};

use super::error::shown;
use super::separator::{Separator, rows_of};
use super::take::Take;
use super::{Error, Place, ReadOptions, Reading, Setting};
use crate::lines::LineCounter;

const MATRIX: usize = 16;
const HAND: usize = 1 + 26 * MATRIX;
const HEAD: usize = 1;
const HANDS: usize = HEAD + MATRIX;
const GAZE: usize = HANDS + 2 * HAND;
const CELLS: usize = GAZE + 10;

/// Whether a first row is of such a table.
pub(super) fn is_row(row: &csv::StringRecord) -> bool {
    let is_number =
        |cell: Option<&str>| cell.is_some_and(|cell| cell.trim().parse::<i64>().is_ok());
    [GAZE, CELLS].contains(&row.len()) && is_number(row.get(0))
}

pub(super) fn read(
    text: &[u8],
    separator: Separator,
    options: &ReadOptions,
) -> Result<Reading, Error> {
    use Setting::{FromZero, IgnoreUnknown, Mappings, Space as Axes};
    let settings = [Mappings, IgnoreUnknown, Axes, FromZero];
    options.refuse(&settings, "a table of HoloLens2ForCV")?;
    let mut rows = rows_of(text, separator);
    let options = ReadOptions {
        space: Some(Space::OpenXr),
        ..options.clone()
    };
    let mut take = Take::new(None, None, &options);
    let mut lines = LineCounter::new(text);
    let mut record = csv::ByteRecord::new();
    let mut origin = None;
    while rows.read_byte_record(&mut record)? {
        let start = record.position().map_or(0, csv::Position::byte);
        let place = Place::Line(lines.line_from(start as usize) as u64);
        let row = Row {
            place,
            cells: &record,
        };
        if ![GAZE, CELLS].contains(&record.len()) {
            return Err(Error::Cells {
                place,
                expected: CELLS,
                found: record.len(),
            });
        }
        let ticks: i64 = row.parse(0, "a whole number")?;
        // Such clocks have run for centuries: exact only as a difference.
        let ticks = i128::from(ticks) - i128::from(*origin.get_or_insert(ticks));
        let frame = Frame {
            time: (ticks as f64 * 1e-7) as f32,
            ..row.frame()?
        };
        take.frame(place, frame)?;
    }
    Ok(take.finish())
}

struct Row<'r> {
    place: Place,
    cells: &'r csv::ByteRecord,
}

impl Row<'_> {
    fn frame(&self) -> Result<Frame, Error> {
        let mut frame = Frame {
            camera: Some(self.pose(HEAD)?),
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
        if self.cells.len() == CELLS && self.flag(GAZE)? {
            frame.gaze = Some(Ray {
                origin: self.numbers(GAZE + 1)?,
                direction: self.numbers(GAZE + 5)?,
            });
        }
        Ok(frame)
    }

    fn pose(&self, start: usize) -> Result<Pose, Error> {
        let m: [f32; MATRIX] = self.numbers(start)?;
        Ok(Pose {
            position: [m[3], m[7], m[11]],
            rotation: rotation([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]),
        })
    }

    fn flag(&self, cell: usize) -> Result<bool, Error> {
        match self.text(cell) {
            "1" => Ok(true),
            "0" => Ok(false),
            _ => Err(self.wrong(cell, "1 or 0")),
        }
    }

    fn numbers<const N: usize>(&self, start: usize) -> Result<[f32; N], Error> {
        let mut numbers = [0.0; N];
        for (number, cell) in numbers.iter_mut().zip(start..) {
            *number = self.parse(cell, "a number")?;
        }
        Ok(numbers)
    }

    fn parse<T: std::str::FromStr>(&self, cell: usize, expected: &'static str) -> Result<T, Error> {
        self.text(cell)
            .parse()
            .map_err(|_| self.wrong(cell, expected))
    }

    fn text(&self, cell: usize) -> &str {
        let bytes = self.cells.get(cell).unwrap_or_default();
        // What is no text is no number.
        str::from_utf8(bytes).unwrap_or("?").trim()
    }

    fn wrong(&self, cell: usize, expected: &'static str) -> Error {
        Error::Value {
            place: self.place,
            column: format!("cell {}", cell + 1),
            expected,
            found: shown(self.text(cell)),
        }
    }
}

/// The rotation of a matrix whose columns are the turned axes, as a quaternion: from the largest of
/// its parts, which is exact where others would be small differences.
fn rotation(m: [[f32; 3]; 3]) -> [f32; 4] {
    let m = m.map(|row| row.map(f64::from));
    let (x, y, z) = (m[0][0], m[1][1], m[2][2]);
    // Each is four times a part, times the largest part.
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
    use crate::tables::csv::read;

    /// A pose as the recorder writes it: its matrix, rows first.
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
        let gaze = match gaze {
            true => "1,0.1,1.5,0.25,1,0,0,-1,0,2.5",
            // What was never set is printed too.
            false => "0,0,0,0,0,0,0,0,0,-nan(ind)",
        };
        format!(
            "{ticks},{},{},{},{gaze}\n",
            matrix(head),
            hand(None),
            hand(right)
        )
    }

    #[test]
    fn poses_are_turned_to_our_axes_and_joints_have_their_names() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let head = Pose {
            position: [1.0, 2.0, -3.0],
            rotation: [0.0, half, 0.0, half],
        };
        let mut text = line(133_500_000_000_000_000, head, None, true);
        text += &line(133_500_000_000_166_667, head, Some(head), false);
        let reading = read(text.as_bytes(), None, &ReadOptions::default()).unwrap();
        let sampler = inputanim::Sampler::new(&reading.recording).unwrap();
        let frame = sampler.frame_at(0.0);
        let camera = frame.camera.unwrap();
        assert_eq!(camera.position, [1.0, 2.0, 3.0]);
        // Ahead of the head lies what did: its −Z, which points to −X.
        let ahead = camera.turn([0.0, 0.0, 1.0]);
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
    fn cells_may_stand_between_tabs() {
        let commas = line(1, Pose::IDENTITY, None, true);
        let tabs = commas.replace(',', "\t");
        let read = |text: &str| read(text.as_bytes(), None, &ReadOptions::default());
        let (tabs, commas) = (read(&tabs).unwrap(), read(&commas).unwrap());
        assert_eq!(tabs.recording, commas.recording);
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
    fn what_is_wrong_is_said_with_its_line_and_cell() {
        let good = line(1, Pose::IDENTITY, None, false);
        let bad = line(2, Pose::IDENTITY, None, false).replacen("1,0,0,0", "1,x,0,0", 1);
        let error = read(
            (good.clone() + &bad).as_bytes(),
            None,
            &ReadOptions::default(),
        );
        let text = error.unwrap_err().to_string();
        assert_eq!(text, "line 2: cell 3: expected a number, found \"x\"");
        let error = read((good + "1,2\n").as_bytes(), None, &ReadOptions::default());
        assert!(matches!(error, Err(Error::Cells { .. })));
    }
}
