//! The function `catalog`: the facts of many recordings as one Parquet file.

use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::Limits;
use inputanim_output::{Existing, OutputError};
use inputanim_scan::{CATALOG_FILE, CatalogError, CatalogScan, ScanError, ScanOptions, Source};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::files::os_error;
use crate::formats;
use crate::scan::{Noticed, noticed};
use crate::work::interruptible;

/// A catalogue that cannot be written.
enum Problem {
    Output(OutputError),
    Scan(ScanError),
}

impl From<OutputError> for Problem {
    fn from(error: OutputError) -> Problem {
        Problem::Output(error)
    }
}

/// The path of the catalogue; the numbers of its recordings, of those that were opened, and of those that were removed; the
/// recordings that have errors, with their messages; the reason why the old catalogue was not used; notices.
type Made = (
    PathBuf,
    (usize, usize, usize),
    Vec<(String, String)>,
    Option<String>,
    Vec<Noticed>,
);

/// Makes the catalogue of a folder, or brings it up to date.
#[pyfunction]
pub(crate) fn catalog(
    py: Python<'_>,
    folder: PathBuf,
    path: Option<PathBuf>,
    format: Option<&str>,
    rebuild: bool,
    no_limits: bool,
    threads: usize,
) -> PyResult<Made> {
    let file = path.unwrap_or_else(|| folder.join(CATALOG_FILE));
    let cancel = Arc::new(AtomicBool::new(false));
    let mut options = ScanOptions::default();
    options.format = format.map(formats::format).transpose()?;
    options.threads = threads;
    if no_limits {
        options.limits = Limits::NONE;
    }
    options.cancel = Arc::clone(&cancel);
    let target = file.clone();
    let work = move || {
        // Without the folder, the error is that of the folder.
        if folder.is_dir() {
            inputanim_output::check(&target, Existing::Replace)?;
        }
        let sources = [Source::from(&*folder)];
        let new = CatalogScan::new(&folder, sources, &target, rebuild, options);
        let new = new.map_err(Problem::Scan)?;
        let errors = match new.up_to_date() {
            Some(errors) => errors,
            None => inputanim_output::write(&target, Existing::Replace, |file| {
                new.write(BufWriter::new(file), |_| {})
                    .map_err(Problem::Scan)
            })?,
        };
        let reason = new.unused().map(ToString::to_string);
        let counts = (new.recordings(), new.opened(), new.removed());
        Ok((counts, errors, reason, new.notices()))
    };
    let made = interruptible(py, usize::MAX, work).inspect_err(|_| {
        // The work ends soon after Ctrl-C, and its temporary file is removed.
        cancel.store(true, Ordering::Relaxed);
    })?;
    match made {
        Ok((counts, errors, reason, notices)) => {
            let notices = notices.into_iter().map(noticed).collect();
            let errors = errors.into_iter().map(|error| (error.file, error.message));
            Ok((file, counts, errors.collect(), reason, notices))
        }
        Err(Problem::Output(error)) => Err(os_error(error, &file).into()),
        Err(Problem::Scan(ScanError::Catalog(error))) => match &*error {
            CatalogError::Write(cause) => {
                let message = format!("cannot write {}: {cause}", file.display());
                Err(std::io::Error::new(cause.kind(), message).into())
            }
            CatalogError::NotFolder(_) => Err(Failure::of("ScanError", &*error)
                .with_hint("name the folder that contains the recordings")
                .into()),
            CatalogError::InPack(_) => Err(Failure::of("InvalidArgument", &*error)
                .with_hint("name a file outside of the pack with path")
                .into()),
            CatalogError::Extension(_) => {
                let hint = "choose a name that ends with .parquet; inputanim.scan(folder, \"info\") returns the same facts";
                Err(Failure::of("InvalidArgument", &*error)
                    .with_hint(hint)
                    .into())
            }
            _ => Err(Failure::from(ScanError::Catalog(error)).into()),
        },
        Err(Problem::Scan(error)) => Err(Failure::from(error).into()),
    }
}
