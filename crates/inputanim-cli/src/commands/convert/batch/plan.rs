//! Which files become which.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use inputanim_convert::Format;

use crate::input::recordings_in;
use crate::outcome::Refusal;
use crate::output::{folder_of, is_same_file};

/// One file to convert.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) input: PathBuf,
    pub(super) output: Output,
    /// The size of the input.
    pub(super) bytes: u64,
}

/// What becomes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Another file.
    File(PathBuf),
    /// Rows of the one table, under this name.
    Rows(String),
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::File(path) => path.display().fmt(f),
            Output::Rows(name) => f.write_str(name),
        }
    }
}

/// Where all goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal<'g> {
    /// Files in a folder.
    Folder(&'g Path),
    /// One table.
    Table(&'g Path),
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) jobs: Vec<Job>,
    /// What is there may be somebody's own: recordings, and files beside the inputs.
    pub(super) is_guarded: bool,
    /// Folders that could not be looked through.
    pub(super) unread: Vec<anyhow::Error>,
}

/// What a batch is told.
#[derive(Debug)]
pub(super) struct Request<'r> {
    pub(super) paths: &'r [PathBuf],
    pub(super) is_recursive: bool,
    pub(super) from: Format,
    pub(super) to: Format,
    pub(super) goal: Goal<'r>,
    pub(super) manifest: Option<&'r Path>,
}

impl Request<'_> {
    /// Every file with its output: a file in a folder has the same place in the folder of outputs.
    pub(super) fn plan(&self) -> anyhow::Result<Plan> {
        let mut plan = Plan {
            is_guarded: self.is_guarded(),
            ..Plan::default()
        };
        let mut made_here = false;
        for path in self.paths {
            if path == Path::new("-") {
                let message = "standard input has no name that an output could have";
                return Err(Refusal::usage(message, "convert it without -o"));
            }
            if !path.is_dir() {
                let name = path.file_name().unwrap_or_default();
                plan.jobs.push(self.job(path.clone(), Path::new(name)));
                continue;
            }
            if !self.is_recursive {
                let message = format!("{} is a folder", path.display());
                return Err(Refusal::usage(message, "-r looks through folders"));
            }
            for input in recordings_in(path, self.from) {
                match input {
                    Ok(input) if self.is_made_here(&input, path) => made_here = true,
                    Ok(input) => {
                        let place = input.strip_prefix(path).unwrap_or(&input).to_owned();
                        plan.jobs.push(self.job(input, &place));
                    }
                    Err(error) => plan.unread.push(error),
                }
            }
        }
        let mut seen = HashSet::new();
        plan.jobs.retain(|job| {
            seen.insert(fs::canonicalize(&job.input).unwrap_or_else(|_| job.input.clone()))
        });
        if plan.jobs.is_empty() && plan.unread.is_empty() {
            let message = "there is nothing to convert";
            let hint = match made_here {
                true => "what is in the folder of outputs is no input: name another with -o",
                false => "--from says which files to look for in folders; without it, .bin",
            };
            return Err(Refusal::failure(message, hint));
        }
        self.refuse_collisions(&plan.jobs)?;
        Ok(plan)
    }

    fn job(&self, input: PathBuf, place: &Path) -> Job {
        let bytes = fs::metadata(&input).map_or(0, |metadata| metadata.len());
        let place = renamed(place, self.to);
        let output = match self.goal {
            Goal::Folder(folder) => Output::File(folder.join(place)),
            Goal::Table(_) => {
                let name = place.with_extension("");
                Output::Rows(name.to_string_lossy().replace('\\', "/"))
            }
        };
        Job {
            input,
            output,
            bytes,
        }
    }

    /// Whether what is in the folder of outputs may be somebody's own: it is one of inputs or lies in
    /// one.
    fn is_guarded(&self) -> bool {
        let Goal::Folder(folder) = self.goal else {
            return false;
        };
        let folder = fs::canonicalize(folder).ok();
        let is_among = |path: &PathBuf| {
            let inputs = match path.is_dir() {
                true => path,
                false => folder_of(path),
            };
            let inputs = fs::canonicalize(inputs).ok();
            matches!((&folder, &inputs), (Some(folder), Some(inputs)) if folder.starts_with(inputs))
        };
        self.to == Format::Bin || self.paths.iter().any(is_among)
    }

    /// Whether a file in a folder of inputs is what this or an earlier run writes.
    fn is_made_here(&self, file: &Path, inputs: &Path) -> bool {
        if self.manifest.is_some_and(|path| is_same_file(path, file)) {
            return true;
        }
        match self.goal {
            Goal::Table(table) => is_same_file(table, file),
            Goal::Folder(folder) => {
                let paths = [file, folder, inputs].map(|path| fs::canonicalize(path).ok());
                let [Some(file), Some(folder), Some(inputs)] = paths else {
                    return false;
                };
                folder != inputs && folder.starts_with(&inputs) && file.starts_with(folder)
            }
        }
    }

    fn refuse_collisions(&self, jobs: &[Job]) -> anyhow::Result<()> {
        let by_itself = |path: &Path| {
            let message = format!("{} would be replaced by itself", path.display());
            Err(Refusal::usage(message, "name another output with -o"))
        };
        let mut inputs: HashMap<String, &Path> = HashMap::new();
        for Job { input, output, .. } in jobs {
            if let Some(manifest) = self.manifest {
                let is_output =
                    matches!(output, Output::File(path) if is_same_place(path, manifest));
                if is_output || is_same_file(input, manifest) {
                    let message = format!("{} cannot be the manifest, too", manifest.display());
                    return Err(Refusal::usage(message, "name another with --manifest"));
                }
            }
            match (output, self.goal) {
                (Output::File(path), _) if is_same_file(input, path) => {
                    return by_itself(input);
                }
                (_, Goal::Table(table)) if is_same_file(input, table) => return by_itself(input),
                _ => {}
            }
            let Some(other) = inputs.insert(key(output), input) else {
                continue;
            };
            let (other, input) = (other.display(), input.display());
            return Err(match self.goal {
                Goal::Folder(_) => Refusal::usage(
                    format!("{other} and {input} would both be {output}"),
                    "convert them apart, into two folders, or the folder above them with -r",
                ),
                Goal::Table(_) => Refusal::usage(
                    format!("{other} and {input} would both be the recording {output}"),
                    "name the folder above them with -r: then their folders are part of the names",
                ),
            });
        }
        Ok(())
    }
}

/// What two outputs may not share: where case does not tell files apart, neither does it here.
fn key(output: &Output) -> String {
    match cfg!(any(windows, target_os = "macos")) {
        true => output.to_string().to_lowercase(),
        false => match output {
            Output::File(path) => format!("{path:?}"),
            Output::Rows(name) => name.clone(),
        },
    }
}

/// Whether two paths name one file, which need not be there.
fn is_same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = folder_of(path);
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        folder.join(path.file_name().unwrap_or_default())
    };
    is_same_file(a, b) || place(a) == place(b)
}

/// The same name with the extension of another format.
fn renamed(path: &Path, to: Format) -> PathBuf {
    let [extension, ..] = to.extensions() else {
        return path.to_owned();
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return path.with_extension(extension);
    };
    let known = Format::of_path(path).and_then(|format| {
        let mut endings = format.extensions().iter();
        endings.find_map(|ending| stem(name, ending))
    });
    let stem = known.unwrap_or(name);
    path.with_file_name(format!("{stem}.{extension}"))
}

/// A name without an extension, whatever its case.
fn stem<'n>(name: &'n str, extension: &str) -> Option<&'n str> {
    let dot = name.len().checked_sub(extension.len() + 1)?;
    let (stem, ending) = (name.get(..dot)?, name.get(dot..)?);
    let is_it = ending
        .strip_prefix('.')
        .is_some_and(|ending| ending.eq_ignore_ascii_case(extension));
    is_it.then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_lie_where_their_inputs_do_with_another_extension() {
        let renamed = |path: &str| renamed(path.as_ref(), Format::Iwer);
        assert_eq!(renamed("p1/a.bin"), Path::new("p1/a.iwer.json"));
        assert_eq!(renamed("p1/a.BIN"), Path::new("p1/a.iwer.json"));
        assert_eq!(renamed("p1/a.iwer.json"), Path::new("p1/a.iwer.json"));
        assert_eq!(renamed("1.5 m"), Path::new("1.5 m.iwer.json"));
        assert_eq!(renamed("1.5 m.bin"), Path::new("1.5 m.iwer.json"));
    }

    fn request<'r>(paths: &'r [PathBuf], goal: Goal<'r>) -> Request<'r> {
        Request {
            paths,
            is_recursive: false,
            from: Format::Bin,
            to: Format::Parquet,
            goal,
            manifest: None,
        }
    }

    #[test]
    fn two_files_that_would_be_one_are_refused() {
        let paths = ["a/take.bin", "b/take.bin"].map(PathBuf::from);
        let refused = |goal| request(&paths, goal).plan().unwrap_err().to_string();
        let error = refused(Goal::Folder(Path::new("out")));
        assert!(error.contains("would both be out"), "{error}");
        let error = refused(Goal::Table(Path::new("all.parquet")));
        assert!(error.contains("both be the recording take"), "{error}");
    }

    #[test]
    fn a_file_that_is_named_twice_is_converted_once() {
        let paths = ["a/take.bin", "a/take.bin"].map(PathBuf::from);
        let plan = request(&paths, Goal::Folder(Path::new("out")))
            .plan()
            .unwrap();
        assert_eq!(plan.jobs.len(), 1);
    }
}
