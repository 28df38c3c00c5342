//! `FROM 'take.bin'` instead of `FROM read_inputanim('take.bin')`.

use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io::Read;
use std::panic;

use inputanim_scan::{Scan, ScanOptions};
use libduckdb_sys::duckdb_replacement_scan_info;
use quack_rs::replacement_scan::ReplacementScanInfo;

/// Redirects paths and patterns of recordings to `read_inputanim`. Other files that end with `.bin` are left to other
/// extensions.
///
/// # Safety
/// DuckDB passes valid pointers.
pub(crate) unsafe extern "C" fn replace(
    info: duckdb_replacement_scan_info,
    name: *const c_char,
    _: *mut c_void,
) {
    // SAFETY: DuckDB passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    let is_ours = panic::catch_unwind(|| name.to_str().is_ok_and(is_recording));
    if let (Ok(true), Ok(name)) = (is_ours, name.to_str()) {
        // SAFETY: DuckDB passes the information of this query.
        let info = unsafe { ReplacementScanInfo::new(info) };
        info.set_function("read_inputanim")
            .add_varchar_parameter(name);
    }
}

/// Returns `true` if a path or pattern ends with `.bin`, and the first file that it finds begins with the magic bytes
/// of a recording.
fn is_recording(name: &str) -> bool {
    let is_bin = name.len() > 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".bin");
    if !is_bin {
        return false;
    }
    let Ok(scan) = Scan::new([name], ScanOptions::default()) else {
        return false;
    };
    let first = scan.files().first().and_then(|file| file.path());
    let mut start = [0; 8];
    let read = first.map(|path| File::open(path)?.read_exact(&mut start));
    matches!(read, Some(Ok(()))) && start == inputanim::MAGIC
}
