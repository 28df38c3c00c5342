//! The native module of the Python package `inputanim`.
//!
//! Classes and functions are thin layers over the libraries, and the package wraps them: python/inputanim. Recordings are
//! the bytes of a Python object, which curves borrow. Results cross the border as JSON with the names of the program's
//! JSON, and arrays as bytes. Work runs without the interpreter's lock.

#![deny(unsafe_code)]

mod analysis;
mod catalog;
mod edits;
mod failure;
mod files;
mod formats;
mod lerobot;
mod names;
mod packs;
mod page;
mod recorder;
mod recording;
mod samples;
mod scan;
mod values;
mod views;
mod work;

/// The native module. Every class is immutable or has a lock, so that it needs no lock of the interpreter.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use inputanim_scan::{ScanOptions, Shape};
    use pyo3::prelude::*;

    /// Adds the version to the module, and makes the tables of names that all scans share. A lock is held while a table
    /// is made, and would stay locked in a child process if another thread made the table during a fork.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        for &shape in Shape::ALL {
            let mut options = ScanOptions::default();
            options.shape = shape;
            options.fields().map_err(crate::failure::Failure::from)?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use crate::analysis::{NativeAnalysis, read_targets};
    #[pymodule_export]
    use crate::catalog::catalog;
    #[pymodule_export]
    use crate::edits::concat;
    #[pymodule_export]
    use crate::files::write_file;
    #[pymodule_export]
    use crate::formats::{
        check_read_options, detect_format, export, format_of_name, formats, import,
    };
    #[pymodule_export]
    use crate::lerobot::write_lerobot;
    #[pymodule_export]
    use crate::names::{
        curve_names, is_device_name, joint_names, keypoint_joints, layouts, similar, space_name,
        spaces,
    };
    #[pymodule_export]
    use crate::packs::{pack, read_packed, unpack};
    #[pymodule_export]
    use crate::page::{report, viewer};
    #[pymodule_export]
    use crate::recorder::NativeRecorder;
    #[pymodule_export]
    use crate::recording::{NativeRecording, recover};
    #[pymodule_export]
    use crate::scan::{NativeBatch, NativeBatches, NativeScan, scan_fields};
}
