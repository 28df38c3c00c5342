//! Which files become which.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use inputanim_convert::Format;

use crate::input::recordings_in;
use crate::outcome::Refusal;
use crate::output::is_same_file;

/// One file to convert.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) input: PathBuf,
    pub(super) output: PathBuf,
    /// The size of the input.
    pub(super) bytes: u64,
}

/// Every file with its output: a file in a folder has the same place in the folder of outputs.
pub(super) fn plan(
    paths: &[PathBuf],
    recursive: bool,
    from: Format,
    to: Format,
    folder: &Path,
) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            let message = "standard input has no name that an output could have";
            return Err(Refusal::usage(message, "convert it without -o"));
        }
        if !path.is_dir() {
            let name = path.file_name().unwrap_or_default();
            let output = folder.join(renamed(Path::new(name), to));
            jobs.push(job(path.clone(), output));
            continue;
        }
        if !recursive {
            let message = format!("{} is a folder", path.display());
            return Err(Refusal::usage(message, "-r looks through folders"));
        }
        let made_here = made_here(folder, path);
        for input in recordings_in(path, from) {
            if is_in(&input, made_here.as_deref()) {
                continue;
            }
            let place = input.strip_prefix(path).unwrap_or(&input);
            let output = folder.join(renamed(place, to));
            jobs.push(job(input, output));
        }
    }
    refuse_collisions(&jobs)?;
    Ok(jobs)
}

/// The folder of outputs, where it lies within a folder of inputs: what is in it is no input.
fn made_here(folder: &Path, inputs: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let inputs = fs::canonicalize(inputs).ok()?;
    (folder != inputs && folder.starts_with(&inputs)).then_some(folder)
}

fn is_in(file: &Path, folder: Option<&Path>) -> bool {
    let file = fs::canonicalize(file).ok();
    matches!((file, folder), (Some(file), Some(folder)) if file.starts_with(folder))
}

fn job(input: PathBuf, output: PathBuf) -> Job {
    let bytes = fs::metadata(&input).map_or(0, |metadata| metadata.len());
    Job {
        input,
        output,
        bytes,
    }
}

/// The same name with the extension of another format.
fn renamed(path: &Path, to: Format) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let known = Format::of_path(path).and_then(|format| {
        let mut endings = format.extensions().iter();
        endings.find_map(|ending| stem(&name, ending))
    });
    let stem = known.unwrap_or(&name);
    let [extension, ..] = to.extensions() else {
        return path.to_owned();
    };
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

fn refuse_collisions(jobs: &[Job]) -> anyhow::Result<()> {
    let mut inputs: HashMap<&Path, &Path> = HashMap::new();
    for Job { input, output, .. } in jobs {
        if is_same_file(input, output) {
            let message = format!("{} would be replaced by itself", input.display());
            return Err(Refusal::usage(message, "name another folder with -o"));
        }
        if let Some(other) = inputs.insert(output, input) {
            let message = format!(
                "{} and {} would both be {}",
                other.display(),
                input.display(),
                output.display()
            );
            let hint = "convert them apart, into two folders";
            return Err(Refusal::usage(message, hint));
        }
    }
    Ok(())
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

    #[test]
    fn two_files_that_would_be_one_are_refused() {
        let paths = ["a/take.bin", "b/take.bin"].map(PathBuf::from);
        let error = plan(&paths, false, Format::Bin, Format::Json, Path::new("out")).unwrap_err();
        assert!(error.to_string().contains("would both be"), "{error}");
    }
}
