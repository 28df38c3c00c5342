//! Facts about the files of queries, for `inputanim_errors()`, `inputanim_damage()` and `inputanim_notices()`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inputanim_scan::{DamagedFile, FileError, FileNotice, Scan};

/// The number of queries whose files are kept.
const QUERIES: usize = 100;

static NEXT: AtomicU64 = AtomicU64::new(1);
static FILES: Mutex<BTreeMap<u64, Files>> = Mutex::new(BTreeMap::new());

/// The files that a query has skipped, the files whose damage changes its columns, and the notices about its files.
#[derive(Default)]
struct Files {
    skipped: Vec<FileError>,
    damaged: Vec<DamagedFile>,
    notices: Vec<FileNotice>,
}

/// The files of one query.
pub(crate) struct QueryFiles {
    query: u64,
}

impl QueryFiles {
    pub(crate) fn new() -> QueryFiles {
        QueryFiles {
            query: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Stores the skipped and damaged files and the notices that a scan has reported until now for this query. The
    /// files of old queries are removed.
    pub(crate) fn set(&self, scan: &Scan) {
        let (skipped, damaged, notices) = (scan.errors(), scan.damaged(), scan.notices());
        if skipped.is_empty() && damaged.is_empty() && notices.is_empty() {
            return;
        }
        let mut all = all();
        let files = all.entry(self.query).or_default();
        // Another thread may already have stored a longer list.
        if skipped.len() > files.skipped.len() {
            files.skipped = skipped;
        }
        if damaged.len() > files.damaged.len() {
            files.damaged = damaged;
        }
        if notices.len() > files.notices.len() {
            files.notices = notices;
        }
        while all.len() > QUERIES {
            all.pop_first();
        }
    }
}

fn all() -> MutexGuard<'static, BTreeMap<u64, Files>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the skipped files with the numbers of their queries.
pub(crate) fn skipped() -> Vec<(u64, FileError)> {
    with_queries(|files| &files.skipped)
}

/// Returns the damaged files with the numbers of their queries.
pub(crate) fn damaged() -> Vec<(u64, DamagedFile)> {
    with_queries(|files| &files.damaged)
}

/// Returns the notices about files with the numbers of their queries.
pub(crate) fn notices() -> Vec<(u64, FileNotice)> {
    with_queries(|files| &files.notices)
}

fn with_queries<T: Clone>(of: fn(&Files) -> &Vec<T>) -> Vec<(u64, T)> {
    let all = all();
    let files = all
        .iter()
        .flat_map(|(&query, files)| of(files).iter().map(move |file| (query, file.clone())));
    files.collect()
}
