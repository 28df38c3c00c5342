//! Tables of results as files: CSV, TSV, JSON, ndjson and Parquet.
//!
//! All rows of a table have the same columns. They are known before the first row, so that rows can be
//! written while files are read.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use inputanim_convert::tables::{self, DataType, Field, Values};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::outcome::Refusal;
use crate::report_format::Rows;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Formatted text, for reading.
    Table,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line.
    Tsv,
    /// One JSON array.
    Json,
    /// One JSON object for each line.
    // Another extension of such files.
    #[value(alias = "jsonl")]
    Ndjson,
    /// Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl TableFormat {
    /// Returns the format that the command line chooses: by name, else by the extension of the output, else a
    /// table for people.
    pub(crate) fn of(
        given: Option<TableFormat>,
        output: Option<&Path>,
    ) -> anyhow::Result<TableFormat> {
        let output = output.filter(|output| *output != Path::new("-"));
        let (None, Some(output)) = (given, output) else {
            return Ok(given.unwrap_or(TableFormat::Table));
        };
        let extension = output.extension().unwrap_or_default().to_string_lossy();
        match TableFormat::from_str(&extension, true) {
            Ok(TableFormat::Table) | Err(_) => {}
            Ok(format) => return Ok(format),
        }
        if cfg!(not(feature = "parquet")) && extension.eq_ignore_ascii_case("parquet") {
            return Err(Refusal::usage(
                "this build does not write Parquet",
                "`cargo install --path crates/inputanim-cli --features full` includes all formats",
            ));
        }
        let message = format!("cannot infer a format from {}", output.display());
        let names: Vec<String> = TableFormat::value_variants()
            .iter()
            .filter(|format| **format != TableFormat::Table)
            .filter_map(|format| Some(format!(".{}", format.to_possible_value()?.get_name())))
            .collect();
        let hint = format!(
            "use the extension {}, or choose the format with --format",
            names.join(", ")
        );
        Err(Refusal::usage(message, hint))
    }

    /// Returns whether the format is not text.
    pub(crate) fn is_binary(self) -> bool {
        #[cfg(feature = "parquet")]
        return self == TableFormat::Parquet;
        #[cfg(not(feature = "parquet"))]
        return false;
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The unit of its numbers, which only Parquet stores; empty without one.
    pub(crate) unit: &'static str,
    pub(crate) is_text: bool,
}

impl Column {
    /// Returns the column of texts or doubles of a library.
    pub(crate) fn of(field: &Field) -> Column {
        Column {
            name: field.name.to_string(),
            unit: field.unit,
            is_text: field.data_type == DataType::Text,
        }
    }

    pub(crate) fn text(name: impl Into<String>) -> Column {
        Column {
            name: name.into(),
            unit: "",
            is_text: true,
        }
    }

    pub(crate) fn number(name: impl Into<String>, unit: &'static str) -> Column {
        Column {
            name: name.into(),
            unit,
            is_text: false,
        }
    }
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    /// A finite number.
    Number(f64),
    /// No value.
    Empty,
    /// No value, for a reason that JSON states in the member `missing`.
    Missing(&'static str),
}

impl Cell {
    /// Returns the rows of columns of texts or doubles of a library.
    pub(crate) fn rows(
        count: usize,
        columns: impl Iterator<Item = tables::Column>,
    ) -> Vec<Vec<Cell>> {
        let mut rows = vec![Vec::new(); count];
        for column in columns {
            let is_known = |row: usize| column.valid.as_ref().is_none_or(|valid| valid[row]);
            let cells: Vec<Cell> = match &column.values {
                Values::Float64(numbers) => {
                    let cells = numbers.iter().enumerate();
                    let cells = cells.map(|(row, number)| Some(*number).filter(|_| is_known(row)));
                    cells.map(Cell::optional_number).collect()
                }
                Values::Text(runs) => {
                    let runs = runs.iter();
                    runs.flat_map(|run| {
                        let cell = Cell::optional_text(run.text.as_deref());
                        std::iter::repeat_n(cell, run.rows)
                    })
                    .collect()
                }
                other => vec![Cell::Empty; other.len()],
            };
            for (row, cell) in rows.iter_mut().zip(cells) {
                row.push(cell);
            }
        }
        rows
    }

    /// Creates the cell of a time or position with the digits of a single-precision number, since recordings
    /// store them so.
    pub(crate) fn single(number: f64) -> Cell {
        let digits = (number as f32).to_string();
        let number = digits
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite());
        Cell::optional_number(number)
    }

    pub(crate) fn optional_text(text: Option<&str>) -> Cell {
        text.map_or(Cell::Empty, |text| Cell::Text(text.to_owned()))
    }

    pub(crate) fn optional_number(number: Option<f64>) -> Cell {
        number.map_or(Cell::Empty, Cell::Number)
    }

    /// Returns the cell as text, with the shortest digits that read back as the same number.
    fn to_text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            // Without an exponent, the numbers of damaged recordings can have 300 digits.
            Cell::Number(number) if *number != 0.0 && !(1e-5..1e15).contains(&number.abs()) => {
                format!("{number:e}")
            }
            Cell::Number(number) => number.to_string(),
            Cell::Empty | Cell::Missing(_) => String::new(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Number(number) => serializer.serialize_f64(*number),
            Cell::Empty | Cell::Missing(_) => serializer.serialize_none(),
        }
    }
}

/// A row as an object of JSON.
struct Object<'r> {
    columns: &'r [Column],
    row: &'r [Cell],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for (column, cell) in self.columns.iter().zip(self.row) {
            object.serialize_entry(&column.name, cell)?;
        }
        let reasons = Reasons(self);
        if reasons.all().next().is_some() {
            object.serialize_entry(MISSING, &reasons)?;
        }
        object.end()
    }
}

/// The member of a JSON object with the reasons for missing values, which no column may have as its name.
pub(crate) const MISSING: &str = "missing";

/// The reasons why values of a row are missing.
struct Reasons<'r>(&'r Object<'r>);

impl Reasons<'_> {
    fn all(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let cells = self.0.columns.iter().zip(self.0.row);
        cells.filter_map(|(column, cell)| match cell {
            Cell::Missing(reason) => Some((column.name.as_str(), *reason)),
            _ => None,
        })
    }
}

impl Serialize for Reasons<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.all())
    }
}

/// A writer of the rows of a table.
pub(crate) struct TableWriter<W: Write + Send> {
    columns: Vec<Column>,
    rows: Output<W>,
}

enum Output<W: Write + Send> {
    Text(Rows<W>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_rows::ParquetRows<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a table and writes its header; returns `None` for a table for people.
    pub(crate) fn new(
        format: TableFormat,
        columns: Vec<Column>,
        output: W,
    ) -> anyhow::Result<Option<TableWriter<W>>> {
        let separated = |separator, output| {
            let mut builder = csv::WriterBuilder::new();
            Rows::Csv(Box::new(builder.delimiter(separator).from_writer(output)))
        };
        let mut rows = match format {
            TableFormat::Table => return Ok(None),
            TableFormat::Csv => separated(b',', output),
            TableFormat::Tsv => separated(b'\t', output),
            TableFormat::Json => Rows::Json {
                output,
                is_empty: true,
            },
            TableFormat::Ndjson => Rows::Ndjson(output),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let rows = parquet_rows::ParquetRows::new(&columns, output)?;
                let rows = Output::Parquet(Box::new(rows));
                return Ok(Some(TableWriter { columns, rows }));
            }
        };
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        rows.columns(&names)?;
        let rows = Output::Text(rows);
        Ok(Some(TableWriter { columns, rows }))
    }

    /// Writes a row, which has a cell for each column.
    pub(crate) fn push(&mut self, row: Vec<Cell>) -> anyhow::Result<()> {
        debug_assert_eq!(row.len(), self.columns.len());
        match &mut self.rows {
            Output::Text(rows) => {
                let object = Object {
                    columns: &self.columns,
                    row: &row,
                };
                rows.push(&object, || {
                    vec![row.iter().map(Cell::to_text).collect::<Vec<_>>()]
                })
            }
            #[cfg(feature = "parquet")]
            Output::Parquet(rows) => rows.push(row),
        }
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self.rows {
            Output::Text(rows) => rows.finish(),
            #[cfg(feature = "parquet")]
            Output::Parquet(rows) => rows.finish(),
        }
    }
}

#[cfg(feature = "parquet")]
mod parquet_rows {
    //! Rows as Parquet. Texts are strings, numbers are doubles with their units in the metadata.

    use std::io::Write;
    use std::sync::Arc;

    use arrow_schema::{Schema, SchemaRef};
    use inputanim_convert::tables::{self, Batch, DataType, Field, arrow_field, record_batch};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    use super::{Cell, Column};

    /// The rows that are encoded at once. A row can have a thousand columns.
    const BATCH: usize = 1024;

    pub(super) struct ParquetRows<W: Write + Send> {
        schema: SchemaRef,
        /// For each column, whether it contains texts.
        are_texts: Vec<bool>,
        file: ArrowWriter<W>,
        rows: Vec<Vec<Cell>>,
    }

    impl<W: Write + Send> ParquetRows<W> {
        pub(super) fn new(columns: &[Column], output: W) -> anyhow::Result<ParquetRows<W>> {
            let fields = columns.iter().map(|column| {
                let data_type = if column.is_text {
                    DataType::Text
                } else {
                    DataType::Float64
                };
                let field = Field::new(column.name.clone(), data_type, "");
                arrow_field(&field.with_unit(column.unit), false)
            });
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .build();
            let file = ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties))?;
            Ok(ParquetRows {
                are_texts: columns.iter().map(|column| column.is_text).collect(),
                schema,
                file,
                rows: Vec::new(),
            })
        }

        pub(super) fn push(&mut self, row: Vec<Cell>) -> anyhow::Result<()> {
            self.rows.push(row);
            if self.rows.len() == BATCH {
                self.encode()?;
            }
            Ok(())
        }

        fn encode(&mut self) -> anyhow::Result<()> {
            let rows = std::mem::take(&mut self.rows);
            let columns = self.are_texts.iter().enumerate();
            let columns = columns.map(|(index, is_text)| {
                let cells = rows.iter().map(|row| &row[index]);
                if *is_text {
                    tables::Column::texts(cells.map(|cell| match cell {
                        Cell::Text(text) => Some(text.as_str()),
                        _ => None,
                    }))
                } else {
                    tables::Column::doubles(cells.map(|cell| match cell {
                        Cell::Number(number) => Some(*number),
                        _ => None,
                    }))
                }
            });
            let batch = Batch::new(rows.len(), columns.collect());
            let batch = record_batch(batch, &self.schema)?;
            Ok(self.file.write(&batch)?)
        }

        pub(super) fn finish(mut self) -> anyhow::Result<()> {
            if !self.rows.is_empty() {
                self.encode()?;
            }
            self.file.close()?;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(format: TableFormat) -> String {
        let columns = vec![
            Column::text("name"),
            Column::number("start_s", "s"),
            Column::number("speed", "m/s"),
        ];
        let mut output = Vec::new();
        let table = TableWriter::new(format, columns, &mut output).unwrap();
        let mut table = table.unwrap();
        let row = [
            Cell::Text("a, \"b\"".to_owned()),
            Cell::single(0.1_f32.into()),
            Cell::Number(3.0),
        ];
        table.push(row.into()).unwrap();
        let row = [
            Cell::Empty,
            Cell::single(f64::NAN),
            Cell::Missing("too few"),
        ];
        table.push(row.into()).unwrap();
        table.finish().unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn missing_values_are_empty_and_json_has_their_reasons() {
        assert_eq!(
            table(TableFormat::Csv),
            "name,start_s,speed\n\"a, \"\"b\"\"\",0.1,3\n,,\n"
        );
        assert_eq!(
            table(TableFormat::Tsv),
            "name\tstart_s\tspeed\n\"a, \"\"b\"\"\"\t0.1\t3\n\t\t\n"
        );
        assert_eq!(
            table(TableFormat::Ndjson),
            "{\"name\":\"a, \\\"b\\\"\",\"start_s\":0.1,\"speed\":3.0}\n\
             {\"name\":null,\"start_s\":null,\"speed\":null,\"missing\":{\"speed\":\"too few\"}}\n"
        );
    }

    #[test]
    fn numbers_have_few_digits() {
        for (number, text) in [
            (0.0, "0"),
            (12.0, "12"),
            (-0.25, "-0.25"),
            (1e-7, "1e-7"),
            (-3e38, "-3e38"),
        ] {
            assert_eq!(Cell::Number(number).to_text(), text);
        }
    }

    #[test]
    fn the_format_is_that_of_the_extension() {
        let of = |path: &str| TableFormat::of(None, Some(path.as_ref())).ok();
        assert_eq!(of("a.csv"), Some(TableFormat::Csv));
        assert_eq!(of("a.JSONL"), Some(TableFormat::Ndjson));
        assert_eq!(of("-"), Some(TableFormat::Table));
        assert_eq!(of("a.table"), None);
        assert_eq!(of("a.xlsx"), None);
        let given = TableFormat::of(Some(TableFormat::Json), Some("a.xlsx".as_ref()));
        assert_eq!(given.unwrap(), TableFormat::Json);
    }
}
