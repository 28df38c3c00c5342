//! The rows of a scan as cells that tests compare.

use inputanim::Recording;
use inputanim_scan::{
    Batch, DataType, Field, FileBytes, Scan, ScanError, ScanOptions, Source, Values,
};

/// A cell: numbers by their bits, so that equal cells have equal bits. Empty texts are missing, as in CSV.
pub(crate) type Cell = Option<String>;

/// The rows of a table with the names of its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn column(&self, name: &str) -> usize {
        let position = self.names.iter().position(|other| other == name);
        position.unwrap_or_else(|| panic!("no column {name}"))
    }

    /// Returns some columns.
    pub(crate) fn select(&self, names: &[String]) -> Table {
        let columns: Vec<usize> = names.iter().map(|name| self.column(name)).collect();
        let row = |row: &Vec<Cell>| columns.iter().map(|&index| row[index].clone()).collect();
        Table {
            names: names.to_vec(),
            rows: self.rows.iter().map(row).collect(),
        }
    }
}

pub(crate) fn of_f32(number: f32) -> String {
    format!("{:08x}", number.to_bits())
}

pub(crate) fn of_f64(number: f64) -> String {
    format!("{:016x}", number.to_bits())
}

/// Returns the cells of a batch.
pub(crate) fn cells(fields: &[Field], batch: &Batch) -> Vec<Vec<Cell>> {
    assert_eq!(batch.columns.len(), fields.len());
    let columns = batch.columns.iter().zip(fields).map(|(column, field)| {
        assert_eq!(column.len(), batch.rows, "{}", field.name);
        let cells: Vec<Cell> = match &column.values {
            Values::Float32(values) => values.iter().map(|v| Some(of_f32(*v))).collect(),
            Values::Float64(values) => values.iter().map(|v| Some(of_f64(*v))).collect(),
            Values::Int32(values) => values.iter().map(|v| Some(v.to_string())).collect(),
            Values::Int64(values) => values.iter().map(|v| Some(v.to_string())).collect(),
            Values::Boolean(values) => values.iter().map(|v| Some(v.to_string())).collect(),
            Values::Text(runs) => runs
                .iter()
                .flat_map(|run| {
                    let text = run.text.as_deref().filter(|text| !text.is_empty());
                    std::iter::repeat_n(text.map(str::to_owned), run.rows)
                })
                .collect(),
            Values::Words { indices, words } => indices
                .iter()
                .map(|index| Some(words[*index as usize].clone()))
                .collect(),
            Values::Missing(rows) => vec![None; *rows],
            other => panic!("{other:?}"),
        };
        let valid = column.valid.as_deref();
        let cells = cells.into_iter().enumerate();
        let cells: Vec<Cell> = cells
            .map(|(row, cell)| cell.filter(|_| valid.is_none_or(|valid| valid[row])))
            .collect();
        if !field.is_nullable {
            // Empty texts count as missing here.
            let is_known = |cell: &Cell| cell.is_some() || field.data_type == DataType::Text;
            assert!(
                cells.iter().all(is_known),
                "{} has no missing values",
                field.name
            );
        }
        cells
    });
    let columns: Vec<Vec<Cell>> = columns.collect();
    (0..batch.rows)
        .map(|row| columns.iter().map(|column| column[row].clone()).collect())
        .collect()
}

/// Returns all rows of a scan.
pub(crate) fn rows(scan: &Scan) -> Result<Table, ScanError> {
    let mut table = Table {
        names: scan
            .fields()
            .iter()
            .map(|field| field.name.to_string())
            .collect(),
        rows: Vec::new(),
    };
    for batch in scan.batches() {
        table.rows.extend(cells(scan.fields(), &batch?));
    }
    Ok(table)
}

pub(crate) fn source(name: &str, bytes: impl Into<Vec<u8>>) -> Source {
    Source::Bytes {
        name: name.to_owned(),
        bytes: FileBytes::new(bytes.into()),
    }
}

/// Returns the bytes of a recording in its own layout.
pub(crate) fn bytes(recording: &Recording<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    recording.write(&mut bytes).unwrap();
    bytes
}

/// Scans bytes without a column of the file.
pub(crate) fn scan_bytes(bytes: &[u8], mut options: ScanOptions) -> Result<Table, ScanError> {
    options.file_column = None;
    rows(&Scan::new([source("a.bin", bytes)], options)?)
}
