//! Markers as rows.

use inputanim::{Recording, RelativeTimeRange};
use inputanim_convert::tables::{Column, DataType, Field};

use super::{Computed, Damage, batch, limited, selected};
use crate::error::FileProblem;
use crate::options::ScanOptions;

/// The selected columns of markers.
#[derive(Clone, Debug)]
pub(crate) struct MarkerRows {
    time: Option<RelativeTimeRange>,
    indices: Vec<usize>,
}

fn all() -> Vec<Field> {
    vec![
        Field::new(
            "index",
            DataType::Int64,
            "Index of the marker in the file, from 0.",
        )
        .required(),
        Field::new("time_s", DataType::Float32, "Time of the marker.")
            .with_unit("s")
            .required(),
        Field::new("name", DataType::Text, "Name of the marker.").required(),
    ]
}

impl MarkerRows {
    pub(crate) fn new(options: &ScanOptions) -> MarkerRows {
        MarkerRows {
            time: options.time,
            indices: (0..all().len()).collect(),
        }
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        selected(all(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    /// Returns the markers in the order of the file.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        damage: Damage,
    ) -> Result<Computed, FileProblem> {
        let mut notices = Vec::new();
        let range = limited(self.time, recording, &mut notices)?;
        let is_wanted = |time: f32| range.is_none_or(|range| range.contains(time));
        let markers = recording.markers.iter().enumerate();
        let markers: Vec<_> = markers
            .filter(|(_, marker)| is_wanted(marker.time))
            .collect();
        let rows = batch(markers.len(), &self.indices, |index| match index {
            0 => Column::longs(markers.iter().map(|(index, _)| Some(*index as i64))),
            1 => Column::floats(markers.iter().map(|(_, marker)| Some(marker.time))),
            _ => Column::texts(markers.iter().map(|(_, marker)| Some(&*marker.name))),
        });
        Ok(Computed {
            rows,
            damage,
            notices,
        })
    }
}
