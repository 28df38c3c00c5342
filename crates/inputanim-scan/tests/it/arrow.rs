//! Record batches have the values of batches, and a schema with units and meanings.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType};
use inputanim_scan::{OnError, Sampling, Scan, ScanError, ScanOptions, Shape};
use inputanim_testkit::samples;

use crate::table::{Cell, of_f32, of_f64, rows, source};

fn options(shape: Shape) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.on_error = OnError::Column;
    if matches!(shape, Shape::Wide | Shape::Tidy) {
        options.sampling = Sampling::Rate(5.0);
    }
    options
}

fn scan(options: ScanOptions) -> Scan {
    let files = samples::recordings().into_iter().enumerate();
    let files = files.map(|(index, (_, bytes))| source(&format!("{index}.bin"), bytes));
    Scan::new(files.chain([source("bad.bin", "bad")]), options).unwrap()
}

fn cell(array: &dyn Array, row: usize) -> Cell {
    if array.is_null(row) {
        return None;
    }
    let text = match array.data_type() {
        DataType::Float32 => of_f32(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => of_f64(array.as_primitive::<Float64Type>().value(row)),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        other => panic!("{other}"),
    };
    // Empty texts count as missing here.
    Some(text).filter(|text| !text.is_empty())
}

#[test]
fn record_batches_have_the_values_of_batches() {
    for &shape in Shape::ALL {
        let scan = scan(options(shape));
        let expected = rows(&scan).unwrap();
        let batches: Result<Vec<RecordBatch>, ArrowError> = scan.record_batches().collect();
        let mut found: Vec<Vec<Cell>> = Vec::new();
        for batch in batches.unwrap() {
            assert_eq!(batch.schema(), scan.schema());
            for row in 0..batch.num_rows() {
                let columns = batch.columns().iter();
                found.push(columns.map(|array| cell(array, row)).collect());
            }
        }
        assert!(found == expected.rows, "{shape}");
    }
}

#[test]
fn a_schema_states_units_and_meanings() {
    let batches = scan(options(Shape::Wide)).record_batches();
    let schema = RecordBatchReader::schema(&batches);
    let field = schema.field_with_name("left.Palm.position.y").unwrap();
    assert_eq!(field.metadata()["unit"], "m");
    assert_eq!(
        field.metadata()["meaning"],
        "Position of Palm of the left hand, y."
    );
    assert!(
        schema
            .fields()
            .iter()
            .all(|field| field.metadata().contains_key("meaning"))
    );
}

#[test]
fn a_limit_cuts_record_batches_and_no_columns_leave_the_rows() {
    let mut options = options(Shape::Wide);
    options.columns = Some(Vec::new());
    options.limit = Some(7);
    let batches: Vec<_> = scan(options).record_batches().map(Result::unwrap).collect();
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!((rows, batches[0].num_columns()), (7, 0));
}

#[test]
fn an_error_of_a_file_is_the_source_of_the_error_of_the_stream() {
    let mut options = options(Shape::Info);
    options.on_error = OnError::Raise;
    let error = scan(options).record_batches().find_map(Result::err);
    let Some(ArrowError::ExternalError(error)) = error else {
        panic!("an error")
    };
    let error = error.downcast_ref::<ScanError>().unwrap();
    assert!(error.to_string().starts_with("bad.bin: "), "{error}");
}
