//! What plays, as arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use inputanim::Space;
use inputanim::sampler::{self, HandColumns, PoseColumns, RayColumns};

use crate::frames::Columns;

/// What was sampled, as [`super::schema::wide`] has `columns`. The numbers are not copied.
pub(crate) fn arrays(columns: &Columns, sampled: sampler::Columns) -> Vec<ArrayRef> {
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
        // Where it is tracked all along, there is nothing to say.
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

/// Turns what was sampled into other axes.
pub(crate) fn turn(sampled: &mut sampler::Columns, space: Space) {
    if space == Space::Unity {
        return;
    }
    let hands = [&mut sampled.left, &mut sampled.right];
    let joints = hands.into_iter().flat_map(|hand| hand.joints.iter_mut());
    let poses = joints.filter_map(|(_, pose)| pose.as_mut());
    for pose in poses.chain(&mut sampled.camera) {
        turn_rows(&mut pose.position, |position| space.position(position));
        turn_rows(&mut pose.rotation, |rotation| space.rotation(rotation));
    }
    if let Some(ray) = &mut sampled.gaze {
        turn_rows(&mut ray.origin, |origin| space.position(origin));
        turn_rows(&mut ray.direction, |direction| space.position(direction));
    }
}

fn turn_rows<const N: usize>(columns: &mut [Vec<f32>; N], turn: impl Fn([f32; N]) -> [f32; N]) {
    let rows = columns[0].len();
    for row in 0..rows {
        let turned = turn(columns.each_ref().map(|column| column[row]));
        for (column, number) in columns.iter_mut().zip(turned) {
            column[row] = number;
        }
    }
}

struct Arrays {
    list: Vec<ArrayRef>,
    rows: usize,
    /// What of a pose that is not recorded is known.
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
        let nothing = self
            .nothing
            .get_or_insert_with(|| new_null_array(&DataType::Float32, rows));
        let nothing = std::iter::repeat_n(Arc::clone(nothing), columns);
        self.list.extend(nothing);
    }
}
