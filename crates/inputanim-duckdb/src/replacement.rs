//! `FROM 'take.bin'` instead of `FROM read_inputanim('take.bin')`.

use std::ffi::{CStr, c_char, c_void};
use std::io::Read;
use std::panic;

use inputanim_scan::packs::{PACK_EXTENSION, StoredFile};
use inputanim_scan::{Scan, ScanOptions};
use libduckdb_sys::duckdb_replacement_scan_info;
use quack_rs::replacement_scan::ReplacementScanInfo;

/// Redirects paths and patterns of recordings and of packs to `read_inputanim`. Other files that end with `.bin` are left to other
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

/// Returns `true` if a path or pattern ends with `.bin` or `.pack.mcap`, and the first file that it finds begins with the magic bytes
/// of a recording.
fn is_recording(name: &str) -> bool {
    let ends_with = |end: &str| {
        let start = name.len().checked_sub(end.len());
        start.is_some_and(|start| name.as_bytes()[start..].eq_ignore_ascii_case(end.as_bytes()))
    };
    if !ends_with(".bin") && !ends_with(PACK_EXTENSION) {
        return false;
    }
    let Ok(scan) = Scan::new([name], ScanOptions::default()) else {
        return false;
    };
    let first = scan.files().first().and_then(|file| file.path());
    let mut start = [0; 8];
    let read = first.map(|path| StoredFile::find(path)?.reader()?.read_exact(&mut start));
    matches!(read, Some(Ok(()))) && start == inputanim::MAGIC
}
