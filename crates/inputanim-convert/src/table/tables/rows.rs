//! Rows of any columns as a file: CSV, TSV, JSON, newline-delimited JSON, Parquet and Arrow.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::{Batch, CellValue, Field};
use crate::shared::Error;
#[cfg(not(all(feature = "arrow", feature = "parquet")))]
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
        /// Arrow IPC with Zstandard compression and the units of columns. Needs the feature `arrow`.
        Arrow => "arrow" | "feather",
    }
}

impl RowFormat {
    /// Returns `true` if the format is not text.
    pub const fn is_binary(self) -> bool {
        matches!(self, RowFormat::Parquet | RowFormat::Arrow)
    }

    /// Returns `true` if this build can write the format.
    pub const fn is_in_build(self) -> bool {
        cfg!(feature = "parquet") && matches!(self, RowFormat::Parquet)
            || cfg!(feature = "arrow") && matches!(self, RowFormat::Arrow)
            || !self.is_binary()
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
    #[cfg(feature = "arrow")]
    Columnar(Box<columnar_rows::ColumnarRows<W>>),
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
                let rows = columnar_rows::ColumnarRows::parquet(fields, output)?;
                Output::Columnar(Box::new(rows))
            }
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => return Err(Error::NotInBuild(Format::Parquet)),
            #[cfg(feature = "arrow")]
            RowFormat::Arrow => {
                let rows = columnar_rows::ColumnarRows::arrow(fields, output)?;
                Output::Columnar(Box::new(rows))
            }
            #[cfg(not(feature = "arrow"))]
            RowFormat::Arrow => return Err(Error::NotInBuild(Format::Arrow)),
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
        #[cfg(feature = "arrow")]
        if let Output::Columnar(rows) = &mut self.output {
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
                #[cfg(feature = "arrow")]
                Output::Columnar(_) => {}
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
            #[cfg(feature = "arrow")]
            Output::Columnar(rows) => rows.finish()?,
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

#[cfg(feature = "arrow")]
mod columnar_rows {
    use std::io::Write;
    use std::sync::Arc;

    use arrow_array::RecordBatch;
    use arrow_ipc::writer::FileWriter;
    use arrow_schema::{ArrowError, Schema, SchemaRef};
    #[cfg(feature = "parquet")]
    use parquet::arrow::ArrowWriter;
    #[cfg(feature = "parquet")]
    use parquet::basic::{Compression, ZstdLevel};
    #[cfg(feature = "parquet")]
    use parquet::file::properties::WriterProperties;

    #[cfg(feature = "parquet")]
    use super::super::parquet::{finish, output_error};
    use super::super::{Batch, Field, arrow, arrow_field, record_batch};
    use crate::shared::Error;

    /// The rows that are encoded at once. A row can have a thousand columns.
    const BATCH: usize = 1024;

    /// A file of Parquet or Arrow.
    pub(super) struct ColumnarRows<W: Write + Send> {
        fields: Vec<Field>,
        schema: SchemaRef,
        file: File<W>,
        rows: Batch,
    }

    enum File<W: Write + Send> {
        Arrow(Box<FileWriter<W>>),
        #[cfg(feature = "parquet")]
        Parquet(Box<ArrowWriter<W>>),
    }

    fn of_arrow(error: ArrowError) -> Error {
        match error {
            ArrowError::IoError(_, error) => Error::Io(error),
            error => Error::Io(std::io::Error::other(error)),
        }
    }

    impl<W: Write + Send> ColumnarRows<W> {
        pub(super) fn arrow(fields: &[Field], output: W) -> Result<ColumnarRows<W>, Error> {
            let schema = schema(fields);
            let file = arrow::writer(&schema, output).map_err(of_arrow)?;
            Ok(ColumnarRows::new(
                fields,
                schema,
                File::Arrow(Box::new(file)),
            ))
        }

        #[cfg(feature = "parquet")]
        pub(super) fn parquet(fields: &[Field], output: W) -> Result<ColumnarRows<W>, Error> {
            let schema = schema(fields);
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .build();
            let file = ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties));
            let file = File::Parquet(Box::new(file.map_err(output_error)?));
            Ok(ColumnarRows::new(fields, schema, file))
        }

        fn new(fields: &[Field], schema: SchemaRef, file: File<W>) -> ColumnarRows<W> {
            ColumnarRows {
                fields: fields.to_vec(),
                schema,
                file,
                rows: Batch::default(),
            }
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
            let batch: RecordBatch = record_batch(rows, &self.schema).map_err(of_arrow)?;
            match &mut self.file {
                File::Arrow(file) => file.write(&batch).map_err(of_arrow),
                #[cfg(feature = "parquet")]
                File::Parquet(file) => file.write(&batch).map_err(output_error),
            }
        }

        pub(super) fn finish(mut self) -> Result<(), Error> {
            if self.rows.rows > 0 {
                self.encode()?;
            }
            match self.file {
                File::Arrow(mut file) => file.finish().map_err(of_arrow),
                #[cfg(feature = "parquet")]
                File::Parquet(file) => finish(*file),
            }
        }
    }

    fn schema(fields: &[Field]) -> SchemaRef {
        let fields = fields.iter().map(|field| arrow_field(field, false));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
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

    #[cfg(feature = "arrow")]
    #[test]
    fn an_arrow_file_has_all_rows_and_units() {
        let fields = [
            Field::new("name", DataType::Text, ""),
            Field::new("speed", DataType::Float64, "").with_unit("m/s"),
        ];
        let mut output = Vec::new();
        let mut rows = RowWriter::new(RowFormat::Arrow, &fields, &mut output).unwrap();
        for start in [0, 1000, 2000] {
            let numbers = (start..start + 1000).map(|number| Some(f64::from(number)));
            let columns = vec![Column::text("a", 1000), Column::doubles(numbers)];
            rows.push(Batch::new(1000, columns)).unwrap();
        }
        rows.finish().unwrap();
        let file = std::io::Cursor::new(output);
        let reader = arrow_ipc::reader::FileReader::try_new(file, None).unwrap();
        let schema = reader.schema();
        assert_eq!(
            schema.field(1).metadata().get("unit"),
            Some(&"m/s".to_owned())
        );
        let found: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(found, 3000);
    }

    #[test]
    fn a_json_array_without_rows_is_empty() {
        let mut output = Vec::new();
        let rows = RowWriter::new(RowFormat::Json, &[], &mut output).unwrap();
        rows.finish().unwrap();
        assert_eq!(output, b"[]\n");
    }
}
