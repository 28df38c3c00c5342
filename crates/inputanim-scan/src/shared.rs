//! The state that all tasks of a scan share.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use inputanim_analysis::Segment;

use crate::catalog::KnownRows;
use crate::error::{FileError, FileProblem};
use crate::fields::Table;
use crate::notice::{FileNotice, Notice};
use crate::options::ScanOptions;
use crate::source::ScanFile;

/// Options, columns, files and errors, which all tasks of a scan share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: ScanOptions,
    pub(crate) table: Table,
    pub(crate) files: Arc<Vec<ScanFile>>,
    /// The notices about files that the search of folders skipped, and about the catalogue.
    pub(crate) skipped: Arc<[FileNotice]>,
    /// The rows that a catalogue has; `None` without a catalogue.
    pub(crate) known: Option<Arc<KnownRows>>,
    /// The trials of each file, if there is a trial table.
    pub(crate) trials: Option<Arc<Vec<Vec<Segment>>>>,
    /// The error of each file that was skipped. Not in a lock, which a fork could copy while it is held.
    pub(crate) errors: Arc<[OnceLock<FileError>]>,
    /// For each file, the codes of the damage that changes the selected columns.
    pub(crate) damaged: Box<[OnceLock<String>]>,
    /// For each file, the notices about its rows, if there are some.
    pub(crate) notices: Box<[OnceLock<Vec<Notice>>]>,
    /// For each file, whether it was opened without an error.
    pub(crate) opened: Box<[AtomicBool]>,
}

impl Shared {
    /// Creates the state of a scan that has opened no file, without a catalogue and without trials.
    pub(crate) fn new(
        options: ScanOptions,
        table: Table,
        files: Arc<Vec<ScanFile>>,
        skipped: Arc<[FileNotice]>,
    ) -> Shared {
        Shared {
            errors: files.iter().map(|_| OnceLock::new()).collect(),
            damaged: files.iter().map(|_| OnceLock::new()).collect(),
            notices: files.iter().map(|_| OnceLock::new()).collect(),
            opened: files.iter().map(|_| AtomicBool::new(false)).collect(),
            options,
            table,
            files,
            skipped,
            known: None,
            trials: None,
        }
    }

    /// Stores that the file with this index was opened without an error.
    pub(crate) fn set_opened(&self, file: usize) {
        self.opened[file].store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_opened(&self, file: usize) -> bool {
        self.opened[file].load(Ordering::Relaxed)
    }

    /// Stores the codes of the damage of a file that changes values of the selected columns. The first codes stay,
    /// because several tasks read one file and find the same damage.
    pub(crate) fn add_damaged(&self, file: usize, codes: String) {
        self.damaged[file].set(codes).ok();
    }

    /// Stores the notices about the rows of a file, without the notice of a recovery, which counts as damage.
    pub(crate) fn add_notices(&self, file: usize, notices: &[Notice]) {
        let is_new = |notice: &&Notice| !matches!(notice, Notice::Recovered(_));
        let notices: Vec<Notice> = notices.iter().filter(is_new).cloned().collect();
        if !notices.is_empty() {
            self.notices[file].set(notices).ok();
        }
    }

    /// Returns the trials of the file with this index; `None` if there is no trial table.
    pub(crate) fn trials(&self, file: usize) -> Option<&[Segment]> {
        self.trials.as_ref().map(|trials| trials[file].as_slice())
    }

    /// Stores the error of a file that is skipped. If the file has an error already, that one stays.
    pub(crate) fn skip(&self, file: usize, problem: FileProblem) {
        let _ = self.errors[file].set(self.error(file, problem));
    }

    pub(crate) fn error(&self, file: usize, problem: FileProblem) -> FileError {
        FileError {
            file: self.files[file].name.to_string(),
            path: self.files[file]
                .path()
                .map(|path| Box::new(path.to_owned())),
            problem,
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.options.cancel.load(Ordering::Relaxed)
    }

    /// Returns the number of threads of the options, or the number of processors if the options do not limit it.
    pub(crate) fn threads(&self) -> usize {
        match self.options.threads {
            0 => thread::available_parallelism().map_or(1, NonZeroUsize::get),
            threads => threads.min(ScanOptions::MAX_THREADS),
        }
    }
}
