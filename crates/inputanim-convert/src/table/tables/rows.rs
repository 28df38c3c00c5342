//! Rows of any columns as a file: CSV, TSV, JSON, newline-delimited JSON and Parquet.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Batch, CellValue, Field};
use crate::shared::Error;
#[cfg(not(feature = "parquet"))]
use crate::shared::Format;
use crate::shared::number::Number;

inputanim::named_enum! {
    /// The format of a file of rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RowFormat: "format" {
        /// Comma-separated values (RFC 4180) with a line of names.
        Csv => "csv",
        /// Tab-separated values with a line of names.
        Tsv => "tsv",
        /// One JSON array of objects.
        Json => "json",
        /// One JSON object on each line.
        Ndjson => "ndjson" | "jsonl",
        /// Parquet with Zstandard compression and the units of columns. Needs the feature `parquet`.
        Parquet => "parquet",
    }
}

impl RowFormat {
    /// Returns `true` if the format is not text.
    pub const fn is_binary(self) -> bool {
        matches!(self, RowFormat::Parquet)
    }

    /// Returns `true` if this build can write the format.
    pub const fn is_in_build(self) -> bool {
        cfg!(feature = "parquet") || !self.is_binary()
    }
}

/// Writes batches of rows as a file.
///
/// Missing values are empty cells in text, and null in JSON, where 32-bit floats that are not finite are texts such as
/// `NaN`. Numbers have the shortest digits that read back as the same number. JSON contains the texts of a
/// [column of JSON](Field::is_json) as values. A missing text of such a column has no member in the object.
///
/// ```
/// use inputanim_convert::tables::{Batch, Column, DataType, Field, RowFormat, RowWriter};
/// let fields = [
///     Field::new("name", DataType::Text, "Name."),
///     Field::new("speed", DataType::Float64, "Speed.").with_unit("m/s"),
/// ];
/// let columns = vec![Column::texts([Some("a"), None]), Column::doubles([Some(0.5), None])];
/// let mut output = Vec::new();
/// let mut rows = RowWriter::new(RowFormat::Csv, &fields, &mut output)?;
/// rows.push(Batch::new(2, columns))?;
/// rows.finish()?;
/// assert_eq!(output, b"name,speed\na,0.5\n,\n");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub struct RowWriter<W: Write + Send> {
    fields: Vec<Field>,
    output: Output<W>,
}

enum Output<W: Write + Send> {
    Cells(Box<csv::Writer<W>>),
    Json {
        output: W,
        is_empty: bool,
    },
    Lines(W),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_rows::ParquetRows<W>>),
}

impl<W: Write + Send> RowWriter<W> {
    /// Begins a file. `fields` describe the columns that each batch has, in order.
    ///
    /// # Errors
    /// When the output fails, or the format is not in the build.
    pub fn new(format: RowFormat, fields: &[Field], output: W) -> Result<RowWriter<W>, Error> {
        let cells = |separator, output| {
            let mut builder = csv::WriterBuilder::new();
            let mut table = builder.delimiter(separator).from_writer(output);
            table
                .write_record(fields.iter().map(|field| field.name.as_bytes()))
                .map_err(output_error)?;
            Ok::<_, Error>(Output::Cells(Box::new(table)))
        };
        let output = match format {
            RowFormat::Csv => cells(b',', output)?,
            RowFormat::Tsv => cells(b'\t', output)?,
            RowFormat::Json => Output::Json {
                output,
                is_empty: true,
            },
            RowFormat::Ndjson => Output::Lines(output),
            #[cfg(feature = "parquet")]
            RowFormat::Parquet => {
                let rows = parquet_rows::ParquetRows::new(fields, output)?;
                Output::Parquet(Box::new(rows))
            }
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => return Err(Error::NotInBuild(Format::Parquet)),
        };
        Ok(RowWriter {
            fields: fields.to_vec(),
            output,
        })
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// When the output fails.
    pub fn push(&mut self, batch: Batch) -> Result<(), Error> {
        #[cfg(feature = "parquet")]
        if let Output::Parquet(rows) = &mut self.output {
            return rows.push(batch);
        }
        let columns: Vec<Vec<CellValue<'_>>> =
            batch.columns.iter().map(super::Column::cells).collect();
        for row in 0..batch.rows {
            let cells = || columns.iter().map(|column| column[row]);
            let object = || Object(self.fields.iter().zip(cells()).collect());
            match &mut self.output {
                Output::Cells(table) => {
                    let texts = cells().map(CellValue::to_text);
                    let texts: Vec<Cow<'_, str>> = texts.collect();
                    let texts = texts.iter().map(|text| text.as_bytes());
                    table.write_record(texts).map_err(output_error)?;
                }
                Output::Json { output, is_empty } => {
                    // The array is written row by row: rows appear while files are read.
                    let before = if *is_empty { "[\n" } else { ",\n" };
                    *is_empty = false;
                    output.write_all(before.as_bytes())?;
                    serde_json::to_writer(output, &object()).map_err(io::Error::from)?;
                }
                Output::Lines(output) => {
                    serde_json::to_writer(&mut *output, &object()).map_err(io::Error::from)?;
                    output.write_all(b"\n")?;
                }
                #[cfg(feature = "parquet")]
                Output::Parquet(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(self) -> Result<(), Error> {
        match self.output {
            Output::Cells(mut table) => table.flush()?,
            Output::Json {
                mut output,
                is_empty,
            } => {
                let end: &[u8] = if is_empty { b"[]\n" } else { b"\n]\n" };
                output.write_all(end)?;
                output.flush()?;
            }
            Output::Lines(mut output) => output.flush()?,
            #[cfg(feature = "parquet")]
            Output::Parquet(rows) => rows.finish()?,
        }
        Ok(())
    }
}

/// A row as an object of JSON.
struct Object<'r>(Vec<(&'r Field, CellValue<'r>)>);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for (field, value) in &self.0 {
            let name = &*field.name;
            match value {
                CellValue::Missing if field.is_json => {}
                CellValue::Text(text) if field.is_json => {
                    match serde_json::from_str::<&RawValue>(text) {
                        Ok(reasons) => object.serialize_entry(name, reasons)?,
                        Err(_) => object.serialize_entry(name, text)?,
                    }
                }
                CellValue::Missing => object.serialize_entry(name, &())?,
                CellValue::Text(text) => object.serialize_entry(name, text)?,
                CellValue::Float32(number) => object.serialize_entry(name, &Number(*number))?,
                CellValue::Float64(number) => object.serialize_entry(name, number)?,
                CellValue::Integer(number) => object.serialize_entry(name, number)?,
                CellValue::Boolean(value) => object.serialize_entry(name, value)?,
            }
        }
        object.end()
    }
}

/// Converts an error of the CSV writer to an I/O error. Only the output can fail, because all rows have the same number
/// of cells.
fn output_error(error: csv::Error) -> Error {
    Error::Io(error.into())
}

#[cfg(feature = "parquet")]
mod parquet_rows {
    use std::io::Write;
    use std::sync::Arc;

    use arrow_schema::{Schema, SchemaRef};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    use super::super::parquet::output_error;
    use super::super::{Batch, Field, arrow_field, record_batch};
    use crate::shared::Error;

    /// The rows that are encoded at once. A row can have a thousand columns.
    const BATCH: usize = 1024;

    pub(super) struct ParquetRows<W: Write + Send> {
        fields: Vec<Field>,
        schema: SchemaRef,
        file: ArrowWriter<W>,
        rows: Batch,
    }

    impl<W: Write + Send> ParquetRows<W> {
        pub(super) fn new(fields: &[Field], output: W) -> Result<ParquetRows<W>, Error> {
            let arrow = fields.iter().map(|field| arrow_field(field, false));
            let schema = Arc::new(Schema::new(arrow.collect::<Vec<_>>()));
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .build();
            let file = ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties));
            Ok(ParquetRows {
                fields: fields.to_vec(),
                schema,
                file: file.map_err(output_error)?,
                rows: Batch::default(),
            })
        }

        pub(super) fn push(&mut self, batch: Batch) -> Result<(), Error> {
            self.rows.append(batch, &self.fields);
            if self.rows.rows >= BATCH {
                self.encode()?;
            }
            Ok(())
        }

        fn encode(&mut self) -> Result<(), Error> {
            let rows = std::mem::take(&mut self.rows);
            let batch = record_batch(rows, &self.schema);
            let batch = batch.map_err(|error| Error::Io(std::io::Error::other(error)))?;
            self.file.write(&batch).map_err(output_error)
        }

        pub(super) fn finish(mut self) -> Result<(), Error> {
            if self.rows.rows > 0 {
                self.encode()?;
            }
            super::super::parquet::finish(self.file)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Column, DataType};
    use super::*;

    fn table(format: RowFormat) -> String {
        let text = |name| Field::new(name, DataType::Text, "");
        let fields = [
            text("name"),
            Field::new("start_s", DataType::Float32, ""),
            Field::new("speed", DataType::Float64, ""),
            Field::new("count", DataType::Int64, ""),
            Field::new("ok", DataType::Boolean, ""),
            text("missing").json(),
        ];
        let columns = vec![
            Column::texts([Some("a, \"b\""), None]),
            Column::floats([Some(0.1), None]),
            Column::doubles([Some(3.0), None]),
            Column::longs([Some(7), None]),
            Column::booleans([Some(true), None]),
            Column::texts([None, Some("{\"speed\":\"too few\"}")]),
        ];
        let mut output = Vec::new();
        let mut rows = RowWriter::new(format, &fields, &mut output).unwrap();
        rows.push(Batch::new(2, columns)).unwrap();
        rows.finish().unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn missing_values_are_empty_and_json_has_their_reasons() {
        assert_eq!(
            table(RowFormat::Csv),
            "name,start_s,speed,count,ok,missing\n\"a, \"\"b\"\"\",0.1,3,7,true,\n\
             ,,,,,\"{\"\"speed\"\":\"\"too few\"\"}\"\n"
        );
        assert_eq!(
            table(RowFormat::Ndjson),
            "{\"name\":\"a, \\\"b\\\"\",\"start_s\":0.1,\"speed\":3.0,\"count\":7,\"ok\":true}\n\
             {\"name\":null,\"start_s\":null,\"speed\":null,\"count\":null,\"ok\":null,\
             \"missing\":{\"speed\":\"too few\"}}\n"
        );
        assert!(table(RowFormat::Tsv).starts_with("name\tstart_s\tspeed\t"));
        assert!(table(RowFormat::Json).starts_with("[\n{\"name\""));
    }

    #[test]
    fn a_json_array_without_rows_is_empty() {
        let mut output = Vec::new();
        let rows = RowWriter::new(RowFormat::Json, &[], &mut output).unwrap();
        rows.finish().unwrap();
        assert_eq!(output, b"[]\n");
    }
}
