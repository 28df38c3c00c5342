//! Scalar functions for rotations.
//!
//! A quaternion is `STRUCT(x, y, z, w)` or a list of four numbers. A vector is `STRUCT(x, y, z)` or a list of three
//! numbers. The result has the form of the first argument. Numbers are DOUBLE; DuckDB casts FLOAT. Angles are degrees.

use glam::{DQuat, DVec3};
use inputanim_analysis::{angle_between, from_yaw_pitch_roll, yaw_pitch_roll};
use libduckdb_sys::{duckdb_data_chunk, duckdb_function_info, duckdb_vector};
use quack_rs::data_chunk::DataChunk;
use quack_rs::scalar::{
    ScalarFn, ScalarFunctionInfo, ScalarFunctionSetBuilder, ScalarOverloadBuilder,
};
use quack_rs::types::{LogicalType, TypeId};
use quack_rs::vector::complex::{ListVector, StructVector};
use quack_rs::vector::{ListBuilder, VectorReader, VectorWriter};

const QUATERNION: &[&str] = &["x", "y", "z", "w"];
const VECTOR: &[&str] = &["x", "y", "z"];
const ANGLES: &[&str] = &["yaw", "pitch", "roll"];
/// One number.
const NUMBER: &[&str] = &[];

/// A scalar function: the fields of its arguments and of its result, and the computation. An argument has at most
/// four numbers.
struct Function {
    name: &'static str,
    arguments: &'static [&'static [&'static str]],
    result: &'static [&'static str],
    compute: fn(&[[f64; 4]]) -> [f64; 4],
}

static FUNCTIONS: [Function; 7] = [
    Function {
        name: "quat_multiply",
        arguments: &[QUATERNION, QUATERNION],
        result: QUATERNION,
        compute: |given| (quaternion(given[0]) * quaternion(given[1])).to_array(),
    },
    Function {
        name: "quat_conjugate",
        arguments: &[QUATERNION],
        result: QUATERNION,
        compute: |given| quaternion(given[0]).conjugate().to_array(),
    },
    Function {
        name: "quat_rotate",
        arguments: &[QUATERNION, VECTOR],
        result: VECTOR,
        compute: |given| {
            let [x, y, z, _] = given[1];
            let rotated = quaternion(given[0]) * DVec3::new(x, y, z);
            [rotated.x, rotated.y, rotated.z, 0.0]
        },
    },
    Function {
        name: "quat_angle",
        arguments: &[QUATERNION, QUATERNION],
        result: NUMBER,
        compute: |given| [angle_between(given[0], given[1]), 0.0, 0.0, 0.0],
    },
    Function {
        name: "quat_slerp",
        arguments: &[QUATERNION, QUATERNION, NUMBER],
        result: QUATERNION,
        compute: |given| {
            let [from, to] = [given[0], given[1]].map(|numbers| quaternion(numbers).normalize());
            from.slerp(to, given[2][0]).to_array()
        },
    },
    Function {
        name: "quat_to_yaw_pitch_roll",
        arguments: &[QUATERNION],
        result: ANGLES,
        compute: |given| {
            let [yaw, pitch, roll] = yaw_pitch_roll(given[0]);
            [yaw, pitch, roll, 0.0]
        },
    },
    Function {
        name: "quat_from_yaw_pitch_roll",
        arguments: &[ANGLES],
        result: QUATERNION,
        compute: |given| {
            let [yaw, pitch, roll, _] = given[0];
            from_yaw_pitch_roll([yaw, pitch, roll])
        },
    },
];

/// A form of `quat_from_yaw_pitch_roll` with three numbers.
static FROM_NUMBERS: Function = Function {
    name: "quat_from_yaw_pitch_roll",
    arguments: &[NUMBER, NUMBER, NUMBER],
    result: QUATERNION,
    compute: |given| from_yaw_pitch_roll([given[0][0], given[1][0], given[2][0]]),
};

fn quaternion(numbers: [f64; 4]) -> DQuat {
    DQuat::from_array(numbers)
}

/// Returns the scalar functions for DuckDB, each with one overload for structs and one for lists.
pub(crate) fn functions() -> impl Iterator<Item = ScalarFunctionSetBuilder> {
    FUNCTIONS.iter().map(|function| {
        let set = ScalarFunctionSetBuilder::new(function.name)
            .overload(overload(function, false))
            .overload(overload(function, true));
        if function.name == FROM_NUMBERS.name {
            set.overload(overload(&FROM_NUMBERS, false))
        } else {
            set
        }
    })
}

fn overload(function: &'static Function, is_list: bool) -> ScalarOverloadBuilder {
    let type_of = |fields: &'static [&'static str]| {
        if is_list {
            LogicalType::list(TypeId::Double)
        } else {
            let fields: Vec<_> = fields.iter().map(|name| (*name, TypeId::Double)).collect();
            LogicalType::struct_type(&fields)
        }
    };
    let mut builder = ScalarOverloadBuilder::new();
    for &fields in function.arguments {
        builder = if fields.is_empty() {
            builder.param(TypeId::Double)
        } else {
            builder.param_logical(type_of(fields))
        };
    }
    builder = if function.result.is_empty() {
        builder.returns(TypeId::Double)
    } else {
        builder.returns_logical(type_of(function.result))
    };
    let callback: ScalarFn = if is_list {
        compute_lists
    } else {
        compute_structs
    };
    let data = std::ptr::from_ref(function).cast_mut().cast();
    // SAFETY: the function is static, and is only read.
    unsafe { builder.function(callback).extra_info(data, None) }
}

quack_rs::scalar_callback!(compute_structs, |info, input, output| {
    compute(info, input, output, false);
});

quack_rs::scalar_callback!(compute_lists, |info, input, output| {
    compute(info, input, output, true);
});

/// Computes the results of a scalar function for all rows of a chunk. The result is NULL for a row in which an argument
/// or one of its numbers is NULL.
fn compute(
    info: duckdb_function_info,
    input: duckdb_data_chunk,
    output: duckdb_vector,
    is_list: bool,
) {
    // SAFETY: DuckDB passes valid pointers, and `overload` sets the data to a static function. The vectors have the
    // types of this overload.
    unsafe {
        let info = ScalarFunctionInfo::new(info);
        let function = &*info.get_extra_info().cast::<Function>();
        let chunk = DataChunk::from_raw(input);
        let rows = chunk.size();
        let arguments: Vec<Argument> = function
            .arguments
            .iter()
            .enumerate()
            .map(|(index, fields)| Argument::new(chunk.vector(index), fields.len(), rows, is_list))
            .collect();
        let mut result = ResultVector::new(output, function.result.len(), is_list);
        let mut given = vec![[0.0; 4]; arguments.len()];
        for row in 0..rows {
            let mut is_known = true;
            for (given, argument) in given.iter_mut().zip(&arguments) {
                match argument.read(row) {
                    Read::Known(numbers) => *given = numbers,
                    Read::Missing => is_known = false,
                    Read::Length(found) => {
                        let expected = argument.len;
                        info.set_error(&format!(
                            "{}: expected a list of {expected} numbers, found {found}",
                            function.name
                        ));
                        return;
                    }
                }
            }
            let numbers = is_known.then(|| (function.compute)(&given));
            result.write(row, numbers);
        }
        result.finish();
    }
}

/// The values of an argument.
struct Argument {
    vector: VectorReader,
    /// The readers of the fields of a struct, of the elements of lists, or of a number.
    parts: Vec<VectorReader>,
    raw: duckdb_vector,
    len: usize,
    is_list: bool,
}

/// The numbers of a row.
enum Read {
    Known([f64; 4]),
    Missing,
    /// A list with a wrong number of elements.
    Length(u64),
}

impl Argument {
    /// Prepares to read an argument from a vector of DuckDB. `len` is the number of numbers of a quaternion or vector;
    /// 0 for a single number.
    ///
    /// # Safety
    /// If `len` is 0, the vector must be a DOUBLE. Otherwise, it must be a list of DOUBLE if `is_list` is true, and a
    /// struct of `len` DOUBLE fields if not.
    unsafe fn new(vector: duckdb_vector, len: usize, rows: usize, is_list: bool) -> Argument {
        // SAFETY: the caller passes a vector of this type.
        unsafe {
            let is_list = is_list && len > 0;
            let parts = if len == 0 {
                vec![VectorReader::from_vector(vector, rows)]
            } else if is_list {
                let elements = ListVector::get_size(vector);
                vec![ListVector::child_reader(vector, elements)]
            } else {
                let part =
                    |field| VectorReader::from_vector(StructVector::get_child(vector, field), rows);
                (0..len).map(part).collect()
            };
            Argument {
                vector: VectorReader::from_vector(vector, rows),
                parts,
                raw: vector,
                len,
                is_list,
            }
        }
    }

    /// Returns the numbers of the argument in a row. Numbers after the length of the argument are 0.
    ///
    /// # Safety
    /// The row must be a row of the chunk.
    unsafe fn read(&self, row: usize) -> Read {
        // SAFETY: the row is a row of the chunk, and the readers cover all rows of their vectors.
        unsafe {
            if !self.vector.is_valid(row) {
                return Read::Missing;
            }
            let mut numbers = [0.0; 4];
            if self.is_list {
                let entry = ListVector::get_entry(self.raw, row);
                if entry.length != self.len as u64 {
                    return Read::Length(entry.length);
                }
                for (index, number) in numbers.iter_mut().take(self.len).enumerate() {
                    let element = entry.offset as usize + index;
                    if !self.parts[0].is_valid(element) {
                        return Read::Missing;
                    }
                    *number = self.parts[0].read_f64(element);
                }
            } else {
                for (number, part) in numbers.iter_mut().zip(&self.parts) {
                    if !part.is_valid(row) {
                        return Read::Missing;
                    }
                    *number = part.read_f64(row);
                }
            }
            Read::Known(numbers)
        }
    }
}

/// The vector of results.
enum ResultVector {
    Number(VectorWriter),
    Struct(VectorWriter, Vec<VectorWriter>),
    List(VectorWriter, ListBuilder, usize),
}

impl ResultVector {
    /// Prepares to write results into a vector of DuckDB. `len` is the number of numbers of a quaternion or vector; 0
    /// for a single number.
    ///
    /// # Safety
    /// If `len` is 0, the vector must be a DOUBLE. Otherwise, it must be a list of DOUBLE if `is_list` is true, and a
    /// struct of `len` DOUBLE fields if not.
    unsafe fn new(vector: duckdb_vector, len: usize, is_list: bool) -> ResultVector {
        // SAFETY: the caller passes a vector of this type.
        unsafe {
            let writer = VectorWriter::from_vector(vector);
            if len == 0 {
                ResultVector::Number(writer)
            } else if is_list {
                ResultVector::List(writer, ListBuilder::new(vector), len)
            } else {
                let field = |field| StructVector::field_writer(vector, field);
                ResultVector::Struct(writer, (0..len).map(field).collect())
            }
        }
    }

    /// Writes the numbers of a result into a row; `None` becomes NULL.
    ///
    /// # Safety
    /// The row must be a row of the chunk.
    unsafe fn write(&mut self, row: usize, numbers: Option<[f64; 4]>) {
        // SAFETY: the row is a row of the chunk.
        unsafe {
            match (self, numbers) {
                (ResultVector::Number(writer), Some([number, ..])) => writer.write_f64(row, number),
                (ResultVector::Number(writer) | ResultVector::Struct(writer, _), None) => {
                    writer.set_null(row);
                }
                (ResultVector::Struct(_, fields), Some(numbers)) => {
                    for (field, number) in fields.iter_mut().zip(numbers) {
                        field.write_f64(row, number);
                    }
                }
                (ResultVector::List(_, list, len), Some(numbers)) => {
                    list.push_row(row, *len, |child, offset| {
                        for (index, number) in numbers.iter().take(*len).enumerate() {
                            child.write_f64(offset + index, *number);
                        }
                    });
                }
                (ResultVector::List(writer, list, _), None) => {
                    list.push_row(row, 0, |_, _| {});
                    writer.set_null(row);
                }
            }
        }
    }

    /// Stores the lengths of lists, if the results are lists. Must be called after the last row.
    ///
    /// # Safety
    /// All rows must have been written.
    unsafe fn finish(self) {
        if let ResultVector::List(_, list, _) = self {
            // SAFETY: all rows were written.
            unsafe { list.finish() };
        }
    }
}
