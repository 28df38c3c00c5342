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
    /// Rows that are known, and the rows after them that are not.
    pieces: Vec<(Range<usize>, Range<usize>)>,
}

impl Known {
    fn new(rows: &[bool]) -> Known {
        let mut pieces = Vec::new();
        let mut start = 0;
        for piece in rows.chunk_by(|&before, &after| before || !after) {
            let known = start + piece.partition_point(|&known| known);
            let end = start + piece.len();
            pieces.push((start..known, known..end));
            start = end;
        }
        Known {
            levels: rows.iter().map(|&known| i16::from(known)).collect(),
            pieces,
        }
    }

    /// What is known of a column, and the levels of its rows, piece by piece.
    fn of<'k>(&'k self, numbers: &'k [f32]) -> impl Iterator<Item = (&'k [f32], &'k [i16])> {
        let piece = |(known, unknown): &'k (Range<usize>, Range<usize>)| {
            (
                &numbers[known.clone()],
                &self.levels[known.start..unknown.end],
            )
        };
        self.pieces.iter().map(piece)
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
}

impl<'g, W: Write + Send> Group<'g, W> {
    /// The next column, all rows of it.
    fn column<T: DataType>(
        &mut self,
        put: impl Fn(&mut ColumnWriterImpl<'_, T>, &'g Rows) -> Result<usize>,
    ) -> Result<()> {
        let missing = || ParquetError::General("there are fewer columns than said".to_owned());
        let described = self.described.next().ok_or_else(missing)?;
        let Packed { bytes, facts } = self.packer.column::<T>(described, |column| {
            let mut rows = self.rows.iter();
            rows.try_for_each(|rows| put(column, rows).map(drop))
        })?;
        self.writer.append_column(&bytes, facts)
    }

    fn name(&mut self, name: &str) -> Result<()> {
        let name = ByteArray::from(name);
        self.column::<ByteArrayType>(|column, rows| {
            let names = vec![name.clone(); rows.len()];
            column.write_batch(&names, None, None)
        })
    }

    fn times(&mut self) -> Result<()> {
        self.column::<FloatType>(|column, rows| column.write_batch(&rows.sampled.times, None, None))
    }

    fn states(&mut self, of: impl Fn(&'g Rows) -> &'g [bool]) -> Result<()> {
        self.column::<BoolType>(|column, rows| {
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
        self.column::<FloatType>(|column, rows| match of(rows) {
            (Some(numbers), known) => {
                let pieces = known.of(numbers);
                let put = |(numbers, levels)| column.write_batch(numbers, Some(levels), None);
                pieces.map(put).sum()
            }
            (None, _) => column.write_batch(&[], Some(&rows.never.levels), None),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_its_pieces_one_after_the_other() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0];
        let pieces = |rows: [u8; 5]| {
            let known = Known::new(&rows.map(|known| known == 1));
            let pieces: Vec<_> = known.of(&numbers).collect();
            let levels: Vec<_> = pieces.iter().flat_map(|piece| piece.1).copied().collect();
            assert_eq!(levels, rows.map(i16::from));
            let numbers = pieces.iter().map(|piece| piece.0.to_vec());
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(pieces([1, 1, 1, 1, 1]), [numbers]);
        assert_eq!(pieces([0, 1, 1, 0, 1]), [vec![], vec![2.0, 3.0], vec![5.0]]);
        assert_eq!(pieces([1, 0, 0, 1, 0]), [[1.0], [4.0]]);
        assert_eq!(pieces([0, 0, 0, 0, 0]), [[0.0; 0]]);
    }
}
