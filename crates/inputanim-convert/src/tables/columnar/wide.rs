//! Samples as arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use inputanim::{FrameColumns, HandColumns, PoseColumns, RayColumns, Recording, Space};

use crate::frames::Columns;
use crate::tables::windows::windows;
use crate::{Error, WriteOptions};

/// Calls `sink` with the rows of a recording: their number, and their arrays in the order of
/// [`super::schema::wide`].
pub(crate) fn batches(
    recording: &Recording<'_>,
    options: &WriteOptions,
    columns: &Columns,
    mut sink: impl FnMut(usize, Vec<ArrayRef>) -> Result<(), Error>,
) -> Result<(), Error> {
    for window in windows(recording, options.sampling, options.time)? {
        let window = window?;
        let mut sampled = window.sampler.columns(window.times);
        transform(&mut sampled, options.space);
        sink(sampled.times.len(), arrays(columns, sampled))?;
    }
    Ok(())
}

/// Returns the arrays of `columns`, in the order of [`super::schema::wide`]. The numbers are not copied.
fn arrays(columns: &Columns, sampled: FrameColumns) -> Vec<ArrayRef> {
    let mut arrays = Arrays::new(sampled.times.len());
    arrays.numbers(sampled.times, None);
    if columns.camera {
        arrays.pose(sampled.camera, None);
    }
    for (hand, joints) in [sampled.left, sampled.right]
        .into_iter()
        .zip(&columns.hands)
    {
        let Some(joints) = joints else { continue };
        let HandColumns {
            tracked,
            pinching,
            valid,
            joints: mut poses,
        } = hand;
        arrays.states(&tracked);
        arrays.states(&pinching);
        // A hand that is always tracked needs no validity bitmap.
        let known = Some(NullBuffer::from(valid)).filter(|known| known.null_count() > 0);
        for &joint in joints {
            arrays.pose(poses[joint].take(), known.as_ref());
        }
    }
    if columns.gaze {
        arrays.ray(sampled.gaze);
    }
    arrays.list
}

/// Transforms samples to other axes.
fn transform(sampled: &mut FrameColumns, space: Space) {
    if space == Space::Unity {
        return;
    }
    let hands = [&mut sampled.left, &mut sampled.right];
    let joints = hands.into_iter().flat_map(|hand| hand.joints.iter_mut());
    let poses = joints.filter_map(|(_, pose)| pose.as_mut());
    for pose in poses.chain(&mut sampled.camera) {
        transform_rows(&mut pose.position, |position| space.position(position));
        transform_rows(&mut pose.rotation, |rotation| space.rotation(rotation));
    }
    if let Some(ray) = &mut sampled.gaze {
        transform_rows(&mut ray.origin, |origin| space.position(origin));
        transform_rows(&mut ray.direction, |direction| space.position(direction));
    }
}

fn transform_rows<const N: usize>(
    columns: &mut [Vec<f32>; N],
    transform: impl Fn([f32; N]) -> [f32; N],
) {
    let rows = columns[0].len();
    for row in 0..rows {
        let transformed = transform(columns.each_ref().map(|column| column[row]));
        for (column, number) in columns.iter_mut().zip(transformed) {
            column[row] = number;
        }
    }
}

struct Arrays {
    list: Vec<ArrayRef>,
    rows: usize,
    /// The column of a number that is not recorded.
    nothing: Option<ArrayRef>,
}

impl Arrays {
    fn new(rows: usize) -> Arrays {
        Arrays {
            list: Vec::new(),
            rows,
            nothing: None,
        }
    }

    fn numbers(&mut self, numbers: Vec<f32>, known: Option<&NullBuffer>) {
        let array = Float32Array::new(ScalarBuffer::from(numbers), known.cloned());
        self.list.push(Arc::new(array));
    }

    fn states(&mut self, states: &[bool]) {
        let array = BooleanArray::new(BooleanBuffer::from(states), None);
        self.list.push(Arc::new(array));
    }

    fn pose(&mut self, pose: Option<PoseColumns>, known: Option<&NullBuffer>) {
        match pose {
            Some(PoseColumns { position, rotation }) => {
                let columns = position.into_iter().chain(rotation);
                columns.for_each(|column| self.numbers(column, known));
            }
            None => self.unknown(7),
        }
    }

    fn ray(&mut self, ray: Option<RayColumns>) {
        match ray {
            Some(RayColumns { origin, direction }) => {
                let columns = origin.into_iter().chain(direction);
                columns.for_each(|column| self.numbers(column, None));
            }
            None => self.unknown(6),
        }
    }

    fn unknown(&mut self, columns: usize) {
        let rows = self.rows;
        // One array of nulls serves all columns that are not recorded.
        let nothing = self
            .nothing
            .get_or_insert_with(|| new_null_array(&DataType::Float32, rows));
        let nothing = std::iter::repeat_n(Arc::clone(nothing), columns);
        self.list.extend(nothing);
    }
}
