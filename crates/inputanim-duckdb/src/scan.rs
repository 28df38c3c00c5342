//! The table functions that read recordings.

use std::sync::Arc;
use std::thread;

use inputanim_scan::{Batch, DataType, Scan, Shape, TaskBatches, TaskQueue};
use libduckdb_sys::{duckdb_bind_info, duckdb_data_chunk, duckdb_function_info, duckdb_init_info};
use quack_rs::data_chunk::DataChunk;
use quack_rs::table::{
    BindInfo, FfiBindData, FfiInitData, FfiLocalInitData, FunctionInfo, InitInfo,
    TableFunctionBuilder,
};
use quack_rs::types::TypeId;
use quack_rs::vector::vector_size;

use crate::parameters::{self, Parameter};
use crate::query_files::QueryFiles;
use crate::vectors;

/// A table function that reads recordings in a shape.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// The parameters besides the common ones.
    own_parameters: &'static [Parameter],
}

use Parameter::{
    AtKeys, Exclude, Filename, ForgetZeros, Format, IgnoreErrors, Joints, Kinds, Measures,
    NoLimits, Parameters, PathPattern, Pauses, Points, Rate, Recording, Recover, Repair, Segments,
    Space, Targets, TimeEnd, TimeStart,
};

/// Parameters that every function has.
const COMMON: [Parameter; 10] = [
    Format,
    PathPattern,
    IgnoreErrors,
    Filename,
    Recording,
    Recover,
    Repair,
    ForgetZeros,
    Pauses,
    NoLimits,
];
/// `at_keys` and `points` are read before `rate`, which has no effect with them.
const SAMPLED: &[Parameter] = &[
    AtKeys, Points, Rate, Joints, Exclude, Space, TimeStart, TimeEnd, Segments, Parameters, Targets,
];
/// Keys, curves and states.
const CURVES: &[Parameter] = &[
    Joints, Exclude, TimeStart, TimeEnd, Segments, Parameters, Targets,
];

/// `parameters` is read first, because the other parameters change some of its values.
const EVENTS: &[Parameter] = &[
    Parameters, Targets, Rate, Segments, Kinds, TimeStart, TimeEnd,
];
const STATS: &[Parameter] = &[
    Parameters, Targets, Rate, Segments, Measures, TimeStart, TimeEnd,
];

/// Every table function that reads recordings.
pub(crate) static FUNCTIONS: [Function; 12] = [
    function("read_inputanim", Shape::Wide, SAMPLED),
    function("read_inputanim_tidy", Shape::Tidy, SAMPLED),
    function("read_inputanim_keys", Shape::Keys, CURVES),
    function("read_inputanim_curves", Shape::Curves, CURVES),
    function("read_inputanim_states", Shape::States, CURVES),
    function("read_inputanim_haptics", Shape::Haptics, CURVES),
    function("read_inputanim_events", Shape::Events, EVENTS),
    function("read_inputanim_stats", Shape::Stats, STATS),
    function("read_inputanim_measures", Shape::Measures, STATS),
    function(
        "read_inputanim_markers",
        Shape::Markers,
        &[TimeStart, TimeEnd, Segments, Parameters, Targets],
    ),
    function("read_inputanim_findings", Shape::Findings, &[]),
    function("inputanim_info", Shape::Info, &[]),
];

const fn function(
    name: &'static str,
    shape: Shape,
    own_parameters: &'static [Parameter],
) -> Function {
    Function {
        name,
        shape,
        own_parameters,
    }
}

impl Function {
    fn parameters(&self) -> impl Iterator<Item = Parameter> {
        self.own_parameters.iter().copied().chain(COMMON)
    }
}

/// Returns the table function in the form that DuckDB registers.
pub(crate) fn table_function(function: &'static Function) -> TableFunctionBuilder {
    // The positional parameter is a path, a pattern, or a list of them.
    let mut builder = TableFunctionBuilder::new(function.name).param(TypeId::Any);
    for parameter in function.parameters() {
        builder = builder.named_param(parameter.name(), parameter.type_id());
    }
    let builder = builder
        .bind(bind)
        .init(init)
        .local_init(init_thread)
        .scan(scan)
        .projection_pushdown(true);
    let data = std::ptr::from_ref(function).cast_mut().cast();
    // SAFETY: the function lives as long as the program, and is only read.
    unsafe { builder.extra_info(data, keep) }
}

/// Does nothing when DuckDB drops the data of a table function, because the data are static.
unsafe extern "C" fn keep(_: *mut std::ffi::c_void) {}

/// A call of a table function. A prepared statement executes it several times.
struct Call {
    /// The scan with all columns.
    scan: Scan,
}

/// An execution of a query, which all of its threads share.
struct Execution {
    scan: Scan,
    queue: TaskQueue,
    files: QueryFiles,
}

impl Drop for Execution {
    /// Stores the facts about the files of a query when it ends. A query may end early, because its limit of rows is
    /// reached.
    fn drop(&mut self) {
        self.files.set(&self.scan);
    }
}

/// The work of one thread.
#[derive(Default)]
struct Thread {
    task: Option<TaskBatches>,
    batch: Batch,
    /// The number of rows of the batch that DuckDB already has.
    row: usize,
}

quack_rs::table_bind_callback!(bind, |info| {
    // SAFETY: DuckDB passes the information of this call.
    let bind = unsafe { BindInfo::new(info) };
    if let Err(message) = bind_call(&bind, info) {
        bind.set_error(&message);
    }
});

fn bind_call(bind: &BindInfo, info: duckdb_bind_info) -> Result<(), String> {
    // SAFETY: `table_function` sets it to a static function.
    let function = unsafe { &*bind.get_extra_info().cast::<Function>() };
    let (sources, options) = parameters::read(bind, function.shape, function.parameters())?;
    let scan = Scan::new(sources, options).map_err(|error| error.to_string())?;
    for field in scan.fields() {
        bind.add_result_column(&field.name, type_id(field.data_type));
    }
    // The number is not exact, because the lengths of recordings are known only after reading them.
    bind.set_cardinality(estimated_rows(&scan), false);
    // SAFETY: DuckDB passes the information of this call, and the data is set once.
    unsafe { FfiBindData::set(info, Call { scan }) };
    Ok(())
}

/// Returns the type in DuckDB of a column with a data type.
pub(crate) fn type_id(data_type: DataType) -> TypeId {
    match data_type {
        DataType::Float32 => TypeId::Float,
        DataType::Float64 => TypeId::Double,
        DataType::Int32 => TypeId::Integer,
        DataType::Int64 => TypeId::BigInt,
        DataType::Boolean => TypeId::Boolean,
        _ => TypeId::Varchar,
    }
}

/// Estimates the number of rows of a scan from the sizes of its files. DuckDB orders joins by this number.
fn estimated_rows(scan: &Scan) -> u64 {
    // A frame of two hands has about 400 keys of 8 bytes.
    const FRAME: u64 = 3_200;
    let files = scan.files();
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let number = files.len() as u64;
    match scan.options().shape {
        Shape::Wide => bytes / FRAME,
        Shape::Tidy => bytes / FRAME * 55,
        Shape::Keys => bytes / 8,
        Shape::Events => bytes / FRAME / 20,
        _ => number,
    }
    .max(number)
}

quack_rs::table_init_callback!(init, |info| {
    // SAFETY: DuckDB passes the information of this execution.
    let init = unsafe { InitInfo::new(info) };
    if let Err(message) = init_execution(&init, info) {
        init.set_error(&message);
    }
});

fn init_execution(init: &InitInfo, info: duckdb_init_info) -> Result<(), String> {
    // SAFETY: `bind_call` sets data of this type.
    let call = unsafe { FfiBindData::<Call>::get_from_init(info) };
    let call = call.ok_or("the call has no data")?;
    let fields = call.scan.fields();
    let projected = (0..init.projected_column_count()).map(|index| {
        let field = init.projected_column_index(index);
        let field = field.and_then(|field| fields.get(field));
        field.map(|field| field.name.to_string())
    });
    let columns: Option<Vec<String>> = projected.collect();
    let columns = columns.ok_or("DuckDB requests an unknown column")?;
    let scan = call.scan.with_columns(columns);
    let scan = scan.map_err(|error| error.to_string())?;
    // DuckDB starts at most as many threads as its setting `threads` allows.
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    init.set_max_threads(threads);
    let execution = Execution {
        queue: scan.tasks(),
        scan,
        files: QueryFiles::new(),
    };
    // SAFETY: DuckDB passes the information of this execution, and the data is set once.
    unsafe { FfiInitData::set(info, Arc::new(execution)) };
    Ok(())
}

quack_rs::table_init_callback!(init_thread, |info| {
    // SAFETY: DuckDB passes the information of this thread, and the data is set once.
    unsafe { FfiLocalInitData::set(info, Thread::default()) };
});

quack_rs::table_scan_callback!(scan, |info, output| {
    if let Err(message) = fill(info, output) {
        // SAFETY: DuckDB passes the information of this execution.
        unsafe { FunctionInfo::new(info) }.set_error(&message);
    }
});

/// Fills a chunk of DuckDB with the next rows of this thread. At the end the chunk stays empty.
fn fill(info: duckdb_function_info, output: duckdb_data_chunk) -> Result<(), String> {
    // SAFETY: `init_execution` and `init_thread` set data of these types. No other thread uses the data of this thread.
    let (execution, thread) = unsafe {
        (
            FfiInitData::<Arc<Execution>>::get(info),
            FfiLocalInitData::<Thread>::get_mut(info),
        )
    };
    let (Some(execution), Some(thread)) = (execution, thread) else {
        return Err("internal error: the query has no state; please report this".to_owned());
    };
    // SAFETY: DuckDB passes a chunk that is valid during this call.
    let chunk = unsafe { DataChunk::from_raw(output) };
    let rows = execution
        .next_rows(thread)
        .map_err(|error| error.to_string())?;
    let (start, end) = (thread.row, thread.row + rows);
    for (index, column) in thread.batch.columns.iter().enumerate() {
        // SAFETY: the batch has the columns of the chunk with the same types, and the rows fit into the chunk.
        unsafe { vectors::write(column, start..end, chunk.vector(index))? };
    }
    thread.row = end;
    // SAFETY: the rows were written.
    unsafe { chunk.set_size(rows) };
    Ok(())
}

impl Execution {
    /// Computes batches until one has rows for this thread. Returns how many of its rows go into the next chunk; 0 at
    /// the end.
    fn next_rows(&self, thread: &mut Thread) -> Result<usize, inputanim_scan::ScanError> {
        loop {
            let rows = thread.batch.rows - thread.row;
            if rows > 0 {
                return Ok(rows.min(vector_size() as usize));
            }
            (thread.batch, thread.row) = (Batch::default(), 0);
            if let Some(task) = &mut thread.task {
                match task.next().transpose()? {
                    Some(batch) => thread.batch = batch,
                    None => {
                        thread.task = None;
                        self.files.set(&self.scan);
                    }
                }
            } else if let Some(task) = self.queue.next() {
                thread.task = Some(task.batches());
            } else {
                return Ok(0);
            }
        }
    }
}
