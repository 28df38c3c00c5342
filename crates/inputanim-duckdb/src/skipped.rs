//! The files that queries with `ignore_errors` skipped, for `inputanim_errors()`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inputanim_scan::FileError;

/// The number of queries whose files are kept.
const QUERIES: usize = 100;

static NEXT: AtomicU64 = AtomicU64::new(1);
static FILES: Mutex<BTreeMap<u64, Vec<FileError>>> = Mutex::new(BTreeMap::new());

/// The skipped files of one query.
pub(crate) struct Skipped {
    query: u64,
}

impl Skipped {
    pub(crate) fn new() -> Skipped {
        Skipped {
            query: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Sets the files. Those of old queries are forgotten.
    pub(crate) fn set(&self, files: Vec<FileError>) {
        if files.is_empty() {
            return;
        }
        let mut all = all();
        // A thread may be late.
        let known = all.get(&self.query).map_or(0, Vec::len);
        if files.len() > known {
            all.insert(self.query, files);
        }
        while all.len() > QUERIES {
            all.pop_first();
        }
    }
}

fn all() -> MutexGuard<'static, BTreeMap<u64, Vec<FileError>>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the skipped files with the numbers of their queries.
pub(crate) fn files() -> Vec<(u64, FileError)> {
    let all = all();
    let files = all
        .iter()
        .flat_map(|(&query, files)| files.iter().map(move |file| (query, file.clone())));
    files.collect()
}
