//! What plays, column by column: the sampler's numbers go to the encoder as they are.
//!
//! Batches of Arrow would do the same, but look at every number for where it stands among those that
//! are known, which takes longer than to pack it.

use std::io::Write;
use std::ops::Range;
use std::vec;

use inputanim::sampler::{self, HandColumns, PoseColumns, RayColumns};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnDescPtr;

use super::packer::{Packed, Packer};
use crate::frames::Columns;

/// Some rows, and which of their cells are known.
pub(super) struct Rows {
    sampled: sampler::Columns,
    always: Known,
    never: Known,
    /// While a hand is tracked.
    hands: [Known; 2],
}

impl Rows {
    pub(super) fn new(sampled: sampler::Columns) -> Rows {
        let rows = sampled.times.len();
        Rows {
            always: Known::new(&vec![true; rows]),
            never: Known::new(&vec![false; rows]),
            hands: [&sampled.left, &sampled.right].map(|hand| Known::new(&hand.valid)),
            sampled,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.sampled.times.len()
    }

    fn hand(&self, side: usize) -> &HandColumns {
        [&self.sampled.left, &self.sampled.right][side]
    }
}

/// Which rows of a column are known.
struct Known {
    /// As Parquet has it: 1 where there is something.
    levels: Vec<i16>,
    runs: Vec<Range<usize>>,
}

impl Known {
    fn new(rows: &[bool]) -> Known {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for same in rows.chunk_by(|a, b| a == b) {
            let start = runs.last().map_or(0, |run| run.end);
            runs.push(start..start + same.len());
        }
        runs.retain(|run| rows[run.start]);
        Known {
            levels: rows.iter().map(|&known| i16::from(known)).collect(),
            runs,
        }
    }

    /// What is known of a column, one after the other.
    fn only<'n>(&self, numbers: &'n [f32], space: &'n mut Vec<f32>) -> &'n [f32] {
        if let [run] = &*self.runs {
            return &numbers[run.clone()];
        }
        space.clear();
        let runs = self.runs.iter().map(|run| &numbers[run.clone()]);
        runs.for_each(|run| space.extend_from_slice(run));
        space
    }
}

/// Writes rows of a recording as a row group, in the columns of
/// [`wide`](crate::tables::columnar::schema::wide).
pub(super) fn write<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    packer: &mut Packer,
    columns: &Columns,
    name: Option<&str>,
    rows: &[Rows],
) -> Result<()> {
    let described = file.schema_descr().columns().to_vec();
    let mut group = Group {
        writer: file.next_row_group()?,
        packer,
        described: described.into_iter(),
        rows,
        space: Vec::new(),
    };
    if let Some(name) = name {
        group.name(name)?;
    }
    group.times()?;
    if columns.camera {
        group.pose(|rows| (rows.sampled.camera.as_ref(), &rows.always))?;
    }
    for (side, joints) in columns.hands.iter().enumerate() {
        let Some(joints) = joints else { continue };
        group.states(|rows| &rows.hand(side).tracked)?;
        group.states(|rows| &rows.hand(side).pinching)?;
        for &joint in joints {
            group.pose(|rows| (rows.hand(side).joints[joint].as_ref(), &rows.hands[side]))?;
        }
    }
    if columns.gaze {
        group.ray(|rows| (rows.sampled.gaze.as_ref(), &rows.always))?;
    }
    group.writer.close()?;
    Ok(())
}

struct Group<'g, W: Write> {
    writer: SerializedRowGroupWriter<'g, W>,
    packer: &'g mut Packer,
    /// The columns that are to come.
    described: vec::IntoIter<ColumnDescPtr>,
    rows: &'g [Rows],
    space: Vec<f32>,
}

impl<'g, W: Write + Send> Group<'g, W> {
    /// The next column, all rows of it.
    fn column<T: DataType>(
        &mut self,
        mut put: impl FnMut(&mut ColumnWriterImpl<'_, T>, &'g Rows, &mut Vec<f32>) -> Result<usize>,
    ) -> Result<()> {
        let missing = || ParquetError::General("there are fewer columns than said".to_owned());
        let described = self.described.next().ok_or_else(missing)?;
        let Packed { bytes, facts } = self.packer.column::<T>(described, |column| {
            let mut rows = self.rows.iter();
            rows.try_for_each(|rows| put(column, rows, &mut self.space).map(drop))
        })?;
        self.writer.append_column(&bytes, facts)
    }

    fn name(&mut self, name: &str) -> Result<()> {
        let name = ByteArray::from(name);
        self.column::<ByteArrayType>(|column, rows, _| {
            column.write_batch(&vec![name.clone(); rows.len()], None, None)
        })
    }

    fn times(&mut self) -> Result<()> {
        self.column::<FloatType>(|column, rows, _| {
            column.write_batch(&rows.sampled.times, None, None)
        })
    }

    fn states(&mut self, of: impl Fn(&'g Rows) -> &'g [bool]) -> Result<()> {
        self.column::<BoolType>(|column, rows, _| {
            column.write_batch(of(rows), Some(&rows.always.levels), None)
        })
    }

    fn pose(
        &mut self,
        of: impl Fn(&'g Rows) -> (Option<&'g PoseColumns>, &'g Known),
    ) -> Result<()> {
        (0..7).try_for_each(|part| {
            self.numbers(|rows| {
                let (pose, known) = of(rows);
                (pose.and_then(|pose| pose.columns().nth(part)), known)
            })
        })
    }

    fn ray(&mut self, of: impl Fn(&'g Rows) -> (Option<&'g RayColumns>, &'g Known)) -> Result<()> {
        (0..6).try_for_each(|part| {
            self.numbers(|rows| {
                let (ray, known) = of(rows);
                (ray.and_then(|ray| ray.columns().nth(part)), known)
            })
        })
    }

    /// Numbers where they are known; nowhere if they are not recorded.
    fn numbers(&mut self, of: impl Fn(&'g Rows) -> (Option<&'g [f32]>, &'g Known)) -> Result<()> {
        self.column::<FloatType>(|column, rows, space| match of(rows) {
            (Some(numbers), known) => {
                let numbers = known.only(numbers, space);
                column.write_batch(numbers, Some(&known.levels), None)
            }
            (None, _) => column.write_batch(&[], Some(&rows.never.levels), None),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_put_together_run_by_run() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0];
        let mut space = Vec::new();
        let mut only = |rows: [u8; 5]| {
            let known = Known::new(&rows.map(|known| known == 1));
            assert_eq!(known.levels, rows.map(i16::from));
            known.only(&numbers, &mut space).to_vec()
        };
        assert_eq!(only([1, 1, 1, 1, 1]), numbers);
        assert_eq!(only([0, 1, 1, 0, 1]), [2.0, 3.0, 5.0]);
        assert_eq!(only([0, 0, 1, 1, 0]), [3.0, 4.0]);
        assert_eq!(only([0, 0, 0, 0, 0]), [0.0; 0]);
    }
}
