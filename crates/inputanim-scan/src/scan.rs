//! A scan of many recordings.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use inputanim::Recording;
use inputanim_convert::tables::{Batch, Field};

use crate::batches::Batches;
use crate::catalog::KnownRows;
use crate::devices;
use crate::error::{FileError, FileProblem, ScanError};
use crate::fields::Table;
use crate::file_rows::FileRows;
use crate::notice::FileNotice;
use crate::options::ScanOptions;
use crate::segments::Segments;
use crate::shared::Shared;
use crate::source::{ScanFile, Source, SourceFiles};
use crate::task::TaskQueue;
use crate::trials::RecordingName;

/// A scan of many recordings: the files are known, and nothing of them has been read.
///
/// A clone is the same scan. Each call of [`batches`](Self::batches) and [`tasks`](Self::tasks) reads all files.
#[derive(Clone, Debug)]
pub struct Scan {
    pub(crate) shared: Arc<Shared>,
}

/// A file whose damage changes values of the selected columns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedFile {
    /// The path of the file, or the name of the bytes.
    pub file: String,
    /// The path; `None` for bytes.
    pub path: Option<PathBuf>,
    /// The codes of the damage, such as `D1 D4`, and `recovered` if parts of the file are missing.
    pub damage: String,
}

impl Scan {
    /// Finds the files of the sources, and checks the options.
    ///
    /// # Errors
    /// When a folder or pattern has no recordings or cannot be searched, when a trial names no file, and when the options are
    /// invalid: [`ScanOptions::fields`].
    ///
    /// ```
    /// use inputanim_scan::{Scan, ScanOptions, Shape};
    /// # let folder = tempfile::tempdir()?;
    /// # let study = folder.path();
    /// # let recording = inputanim::Recording::new(inputanim::Layout::Mrtk1_1);
    /// # std::fs::write(study.join("take.bin"), recording.to_bytes()?)?;
    /// let mut options = ScanOptions::default();
    /// options.shape = Shape::Info;
    /// let scan = Scan::new([study], options)?;
    /// for file in scan.files() {
    ///     println!("{}", file.name);
    /// }
    /// # assert_eq!(scan.files().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<S: Into<Source>>(
        sources: impl IntoIterator<Item = S>,
        options: ScanOptions,
    ) -> Result<Scan, ScanError> {
        let mut options = options;
        let mut table = Table::new(&options)?;
        let sources = sources.into_iter().map(S::into).collect();
        let SourceFiles { files, mut skipped } = SourceFiles::of(sources, &options)?;
        if options.devices.is_empty() {
            options.devices = devices::of_files(&files, &options);
            if !options.devices.is_empty() {
                table = Table::new(&options)?;
            }
        }
        let known = KnownRows::of(&files, &table, &options)?.map(Arc::new);
        skipped.extend(known.as_ref().and_then(|known| known.notice(&options)));
        let trials = match &options.segments {
            Segments::Trials(table) => {
                let names = files.iter();
                let names = names.map(|file| RecordingName::new(&file.recording, &file.name));
                let names: Vec<RecordingName> = names.collect();
                Some(Arc::new(table.segments(&names)?))
            }
            _ => None,
        };
        let mut shared = Shared::new(options, table, Arc::new(files), skipped.into());
        shared.known = known;
        shared.trials = trials;
        Ok(Scan {
            shared: Arc::new(shared),
        })
    }

    /// Returns a scan of some files of this one, with the same names of recordings and the same trials, for engines that
    /// read parts of a study in several processes. `files` are indices among [`files`](Self::files), in any order; others
    /// are ignored.
    ///
    /// ```
    /// use inputanim_scan::{FileBytes, Scan, ScanOptions, Source};
    /// # use inputanim::{Layout, Recording};
    /// # let bytes = || FileBytes::new(Recording::new(Layout::Mrtk1_1).to_bytes().expect("it has no curves"));
    /// # let source = |name: &str| Source::Bytes { name: name.to_owned(), bytes: bytes() };
    /// # let sources = ["a.bin", "b.bin", "c.bin"].map(source);
    /// let scan = Scan::new(sources, ScanOptions::default())?.with_files(&[2]);
    /// assert_eq!(&*scan.files()[0].name, "c.bin");
    /// # Ok::<(), inputanim_scan::ScanError>(())
    /// ```
    #[must_use]
    pub fn with_files(&self, files: &[usize]) -> Scan {
        let all = &self.shared.files;
        let chosen = files.iter().filter(|&&file| file < all.len());
        let chosen: Vec<usize> = chosen.copied().collect();
        let trials = self.shared.trials.as_ref().map(|trials| {
            let trials = chosen.iter().map(|&file| trials[file].clone());
            Arc::new(trials.collect::<Vec<_>>())
        });
        let files = chosen.iter().map(|&file| all[file].clone()).collect();
        let (options, table) = (self.shared.options.clone(), self.shared.table.clone());
        let skipped = Arc::clone(&self.shared.skipped);
        // A catalogue has the rows of all files by their index. Without it, the files are opened.
        let mut shared = Shared::new(options, table, Arc::new(files), skipped);
        shared.trials = trials;
        Scan {
            shared: Arc::new(shared),
        }
    }

    /// Returns a scan of the same files with other columns, without searching for the files again. The two share the list
    /// of [`errors`](Self::errors).
    ///
    /// # Errors
    /// When a column is unknown, or named twice.
    pub fn with_columns(&self, columns: Vec<String>) -> Result<Scan, ScanError> {
        let mut options = self.shared.options.clone();
        options.columns = Some(columns);
        let table = Table::new(&options)?;
        let known = self.shared.known.as_deref();
        let known = known
            .map(|known| known.with_columns(&table, &options))
            .transpose()?;
        Ok(self.with(options, table, known.map(Arc::new)))
    }

    /// Returns a scan of the first `rows` rows of this one, without searching for the files again. The two share the
    /// list of [`errors`](Self::errors).
    pub fn with_limit(&self, rows: u64) -> Scan {
        let mut options = self.shared.options.clone();
        options.limit = Some(options.limit.map_or(rows, |limit| limit.min(rows)));
        let known = self.shared.known.clone();
        self.with(options, self.shared.table.clone(), known)
    }

    fn with(&self, options: ScanOptions, table: Table, known: Option<Arc<KnownRows>>) -> Scan {
        let files = Arc::clone(&self.shared.files);
        let mut shared = Shared::new(options, table, files, Arc::clone(&self.shared.skipped));
        shared.known = known;
        shared.trials = self.shared.trials.clone();
        shared.errors = Arc::clone(&self.shared.errors);
        Scan {
            shared: Arc::new(shared),
        }
    }

    /// Returns the options of the scan.
    pub fn options(&self) -> &ScanOptions {
        &self.shared.options
    }

    /// Returns the selected columns, in the order of the columns of each batch.
    ///
    /// ```
    /// use inputanim_scan::{Scan, ScanOptions, Shape};
    /// # use inputanim::{Layout, Recording};
    /// # use inputanim_scan::{FileBytes, Source};
    /// # let bytes = FileBytes::new(Recording::new(Layout::Mrtk1_1).to_bytes()?);
    /// # let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let mut options = ScanOptions::default();
    /// options.shape = Shape::Markers;
    /// let scan = Scan::new([source], options)?;
    /// for field in scan.fields() {
    ///     println!("{} ({}): {}", field.name, field.unit, field.meaning);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fields(&self) -> &[Field] {
        &self.shared.table.fields
    }

    /// Returns the files in the order of the rows, with their sizes.
    pub fn files(&self) -> &[ScanFile] {
        &self.shared.files
    }

    /// Returns the rows in order, computed by several threads.
    ///
    /// Threads compute at most two batches each in advance. They end when the iterator is dropped.
    ///
    /// ```
    /// use inputanim_scan::{Scan, ScanOptions};
    /// # use inputanim::{Layout, Recording};
    /// # use inputanim_scan::{FileBytes, Source};
    /// # let bytes = FileBytes::new(Recording::new(Layout::Mrtk1_1).to_bytes()?);
    /// # let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let scan = Scan::new([source], ScanOptions::default())?;
    /// for batch in scan.batches() {
    ///     let batch = batch?;
    ///     println!("{} rows of {} columns", batch.rows, batch.columns.len());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batches(&self) -> Batches {
        Batches::new(&self.shared)
    }

    /// Returns the work of the scan as tasks, for engines that have threads of their own. This library starts no
    /// thread then.
    ///
    /// ```
    /// # use inputanim::{Layout, Recording};
    /// # use inputanim_scan::{FileBytes, Scan, ScanOptions, Source};
    /// # let mut bytes = Vec::new();
    /// # Recording::new(Layout::Mrtk1_1).write(&mut bytes)?;
    /// # let source = Source::Bytes { name: "a.bin".to_owned(), bytes: FileBytes::new(bytes) };
    /// # let scan = Scan::new([source], ScanOptions::default())?;
    /// let queue = scan.tasks();
    /// let rows = std::thread::scope(|threads| {
    ///     let work = || {
    ///         let mut rows = 0;
    ///         while let Some(task) = queue.next() {
    ///             for batch in task.batches() {
    ///                 rows += batch?.rows;
    ///             }
    ///         }
    ///         Ok::<usize, inputanim_scan::ScanError>(rows)
    ///     };
    ///     let threads = [threads.spawn(work), threads.spawn(work)];
    ///     threads.map(|thread| thread.join().expect("no panic"))
    /// });
    /// # let [a, b] = rows;
    /// # assert_eq!(a? + b?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tasks(&self) -> TaskQueue {
        TaskQueue::new(Arc::clone(&self.shared))
    }

    /// Opens a file, and returns its rows with its damage and notices, for programs that report on each file. `file` is the
    /// index among [`files`](Self::files). The calling thread computes the rows, and [`limit`](ScanOptions::limit) does not
    /// apply.
    ///
    /// # Errors
    /// When the file cannot be read or sampled, whatever [`on_error`](ScanOptions::on_error) says.
    ///
    /// ```
    /// use inputanim_scan::{Scan, ScanOptions};
    /// # use inputanim::{Layout, Recording};
    /// # use inputanim_scan::{FileBytes, Source};
    /// # let bytes = FileBytes::new(Recording::new(Layout::Mrtk1_1).to_bytes()?);
    /// # let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let scan = Scan::new([source], ScanOptions::default())?;
    /// for file in 0..scan.files().len() {
    ///     match scan.rows_of(file) {
    ///         Ok(rows) => println!("{} damaged parts, {} rows", rows.damage.len(), rows.all()?.rows),
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows_of(&self, file: usize) -> Result<FileRows<'_>, FileError> {
        FileRows::of(&self.shared, file).map_err(|problem| self.shared.error(file, problem))
    }

    /// Does what [`rows_of`](Self::rows_of) does for a recording that the caller has read from the file, with options that a
    /// scan does not have. [`corrections`](ScanOptions::corrections) do not apply.
    ///
    /// # Errors
    /// When the recording cannot be sampled, or lacks the segments.
    ///
    /// ```
    /// use inputanim::{Layout, Marker, Pose, Recording};
    /// use inputanim_scan::{FileBytes, Scan, ScanOptions, Segments, Source};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.0, &Pose::IDENTITY);
    /// recording.head_mut().push(2.0, &Pose::IDENTITY);
    /// recording.markers.push(Marker::new(1.0, "go"));
    /// let mut options = ScanOptions::default();
    /// options.segments = "markers".parse()?;
    /// # let bytes = FileBytes::new(Vec::new());
    /// # let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let scan = Scan::new([source], options)?;
    /// let rows = scan.rows_of_recording(0, recording)?.all()?;
    /// assert_eq!(rows.rows, 61);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows_of_recording(
        &self,
        file: usize,
        recording: Recording<'static>,
    ) -> Result<FileRows<'_>, FileError> {
        let rows = FileRows::of_recording(&self.shared, file, recording);
        rows.map_err(|problem| self.shared.error(file, problem))
    }

    /// Returns the row of a file that failed: its names, and the message in the column `error`. `file` is the index
    /// among [`files`](Self::files).
    pub fn row_of_error(&self, file: usize, problem: &FileProblem) -> Batch {
        self.shared.failed(file, problem)
    }

    /// Returns the indices of the files that have no rows because no trial names them.
    pub fn files_without_trials(&self) -> impl Iterator<Item = usize> {
        let files = 0..self.shared.files.len();
        files.filter(|&file| self.shared.trials(file).is_some_and(<[_]>::is_empty))
    }

    /// Returns the errors of the files that were skipped until now, in the order of the files: by this scan, its clones, and
    /// the scans that were made from it or from which it was made.
    ///
    /// ```
    /// use inputanim_scan::{FileBytes, OnError, Scan, ScanOptions, Source};
    /// let bytes = FileBytes::new(b"no recording".to_vec());
    /// let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let mut options = ScanOptions::default();
    /// options.on_error = OnError::Skip;
    /// let scan = Scan::new([source], options)?;
    /// assert_eq!(scan.batches().count(), 0);
    /// assert_eq!(scan.errors()[0].file, "take.bin");
    /// # Ok::<(), inputanim_scan::ScanError>(())
    /// ```
    pub fn errors(&self) -> Vec<FileError> {
        let errors = self.shared.errors.iter();
        errors.filter_map(OnceLock::get).cloned().collect()
    }

    /// Returns the files that were read until now by this scan and its clones, and have damage that changes values of
    /// the selected columns, in the order of the files. Keys, statistics, findings and markers are the content of the file,
    /// so damage changes none of them.
    pub fn damaged(&self) -> Vec<DamagedFile> {
        let files = self.shared.files.iter().zip(&self.shared.damaged);
        let damaged = files.filter_map(|(file, codes)| {
            Some(DamagedFile {
                file: file.name.to_string(),
                path: file.path().map(Path::to_owned),
                damage: codes.get()?.clone(),
            })
        });
        damaged.collect()
    }

    /// Returns the notices about files of other formats that the search of folders skipped and about the catalogue, and then those about the
    /// files that were read until now by this scan and its clones, in the order of the files. A recovery counts as
    /// damage, not as a notice: see [`damaged`](Self::damaged).
    pub fn notices(&self) -> Vec<FileNotice> {
        let files = self.shared.files.iter().zip(&self.shared.notices);
        let notices = files.flat_map(|(file, notices)| {
            let notices = notices.get().into_iter().flatten();
            notices.map(|notice| FileNotice {
                file: file.name.to_string(),
                path: file.path().map(Path::to_owned),
                notice: notice.clone(),
            })
        });
        let skipped = self.shared.skipped.iter().cloned();
        skipped.chain(notices).collect()
    }

    /// Ends all iterators and tasks of this scan and of scans with the same
    /// [`cancel`](ScanOptions::cancel), which then return [`ScanError::Cancelled`].
    pub fn cancel(&self) {
        self.shared.options.cancel.store(true, Ordering::Relaxed);
    }
}
