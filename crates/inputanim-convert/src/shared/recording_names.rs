//! Names of recordings, from the paths of their files.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::file_names::without_extension;

/// Returns the names of recordings: their paths below the folders that were searched, with slashes and without
/// extensions. Each file comes with its searched folder; for a single file, that is the folder of the file.
///
/// If two names are equal, all names get as many of their parent folders as make them distinct. Files whose paths
/// differ only in the extension keep it.
///
/// ```
/// use std::path::Path;
/// use inputanim_convert::recording_names;
///
/// let [first, second] = ["study/p1/far.bin", "study/p2/far.bin"].map(Path::new);
/// let files = [first, second].map(|file| (file, file.parent().unwrap()));
/// assert_eq!(recording_names(files), ["p1/far", "p2/far"]);
/// ```
pub fn recording_names<'p>(files: impl IntoIterator<Item = (&'p Path, &'p Path)>) -> Vec<String> {
    let files = files.into_iter();
    distinct_names(files.map(|(path, folder)| FilePath::new(path, folder)))
}

/// Returns the names of files, as [`recording_names`] does, but with their extensions.
pub fn file_names<'p>(files: impl IntoIterator<Item = (&'p Path, &'p Path)>) -> Vec<String> {
    let files = files.into_iter();
    let files: Vec<FilePath> = files
        .map(|(path, folder)| FilePath::new(path, folder))
        .collect();
    distinct(&files)
}

/// The path of a file, and the part of it that is its name.
#[derive(Clone, Debug)]
pub struct FilePath {
    /// Folders and the name of the file. The first part of an absolute path is empty or a drive.
    parts: Vec<String>,
    /// The number of parts that the name has at least.
    own: usize,
}

impl FilePath {
    /// Splits the path of a file into parts. The name of the file is its path below `folder`, in which it was found; it
    /// has at least one part.
    pub fn new(path: &Path, folder: &Path) -> FilePath {
        let parts = parts(path);
        let below = path.strip_prefix(folder).map(self::parts);
        FilePath {
            own: below.map_or(1, |below| below.len()).clamp(1, parts.len()),
            parts,
        }
    }

    /// Creates a name of one part, to which no folders are added.
    pub fn fixed(name: &str) -> FilePath {
        FilePath {
            parts: vec![name.to_owned()],
            own: 1,
        }
    }

    /// Returns the name of the file with this number of its parent folders, separated by slashes.
    fn name(&self, folders: usize) -> String {
        let start = self.parts.len().saturating_sub(self.own + folders);
        self.parts[start..].join("/")
    }

    fn full(&self) -> String {
        self.parts.join("/")
    }

    fn without_extension(&self) -> FilePath {
        let mut parts = self.parts.clone();
        if let Some(last) = parts.last_mut() {
            *last = without_extension(last).to_owned();
        }
        FilePath {
            parts,
            own: self.own,
        }
    }
}

/// Splits a path at its separators. A path has at least one part, which may be empty.
fn parts(path: &Path) -> Vec<String> {
    // Names are the same on all systems.
    let text = path.to_string_lossy().replace('\\', "/");
    let is_absolute = text.starts_with('/');
    let named = text
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    let root = is_absolute.then_some("").into_iter();
    let mut parts: Vec<String> = root.chain(named).map(str::to_owned).collect();
    if parts.is_empty() {
        parts.push(String::new());
    }
    parts
}

/// Returns a name for each file, in the same order, as [`recording_names`] does. Names are equal only if the paths are equal. They
/// have no extensions, except where paths differ only in the extension.
pub fn distinct_names(files: impl IntoIterator<Item = FilePath>) -> Vec<String> {
    let files: Vec<FilePath> = files.into_iter().collect();
    let stems: Vec<FilePath> = files.iter().map(FilePath::without_extension).collect();
    // The different paths without extensions that are equal.
    let mut paths: HashMap<String, HashSet<String>> = HashMap::new();
    for (file, stem) in files.iter().zip(&stems) {
        paths.entry(stem.full()).or_default().insert(file.full());
    }
    let named = files.into_iter().zip(stems).map(|(file, stem)| {
        let is_only_one = paths.get(&stem.full()).is_none_or(|paths| paths.len() == 1);
        if is_only_one { stem } else { file }
    });
    distinct(&named.collect::<Vec<_>>())
}

/// Returns a name for each file, in the same order. Names are equal only if the paths are equal. All names have the
/// same number of parent folders, as few as possible.
fn distinct(files: &[FilePath]) -> Vec<String> {
    let count = |names: &[String]| names.iter().collect::<HashSet<_>>().len();
    let full: Vec<String> = files.iter().map(FilePath::full).collect();
    let most = count(&full);
    let folders = files.iter().map(|file| file.parts.len() - file.own);
    let deepest = folders.max().unwrap_or_default();
    // All names get the same number of folders, so that a table with one folder for each participant and one for each
    // session has both in all names.
    let mut names = (0..=deepest).map(|folders| {
        let names = files.iter().map(|file| file.name(folders));
        names.collect::<Vec<_>>()
    });
    names
        .find(|names| count(names) == most)
        .unwrap_or_else(|| full.clone())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Returns the names of files, each with its folder or, after `|`, the path below its folder.
    fn named(paths: &[&str]) -> Vec<String> {
        let split = paths.iter().map(|path| match path.split_once('|') {
            Some((folder, below)) => (format!("{folder}/{below}"), folder.to_owned()),
            None => {
                let folder = Path::new(path).parent().unwrap();
                ((*path).to_owned(), folder.to_str().unwrap().to_owned())
            }
        });
        let split: Vec<(String, String)> = split.collect();
        let files = split.iter();
        recording_names(files.map(|(path, folder)| (Path::new(path), Path::new(folder))))
    }

    #[test]
    fn names_have_the_folders_that_make_them_distinct() {
        for (paths, expected) in [
            (&["a/x.bin", "b/y.bin"][..], &["x", "y"][..]),
            (&["s/p1/x.bin", "s/p2/x.bin"], &["p1/x", "p2/x"]),
            // All names get folders, also the names that are distinct without.
            (
                &["s/p1/x.bin", "s/p2/x.bin", "s/p1/y.bin"],
                &["p1/x", "p2/x", "p1/y"],
            ),
            (
                &["s/p1/a/x.bin", "s/p1/b/x.bin", "s/p2/a/x.bin"],
                &["p1/a/x", "p1/b/x", "p2/a/x"],
            ),
            (&["x.bin", "p1/x.bin"], &["x", "p1/x"]),
            (&["./x.bin", "../x.bin"], &["x", "../x"]),
            (&["x.bin", "/x.bin"], &["x", "/x"]),
            (&["a|p1/x.bin", "a|y.bin"], &["p1/x", "y"]),
            (&["a|p1/x.bin", "b|p1/x.bin"], &["a/p1/x", "b/p1/x"]),
            (&["-"], &["-"]),
        ] {
            assert_eq!(named(paths), expected, "{paths:?}");
        }
        assert!(named(&[]).is_empty());
    }

    #[test]
    fn files_that_differ_in_the_extension_keep_it() {
        assert_eq!(
            named(&["a/x.bin", "a/x.json", "a/y.bin"]),
            ["x.bin", "x.json", "y"]
        );
    }

    #[test]
    fn a_file_that_is_named_twice_does_not_change_the_other_names() {
        assert_eq!(named(&["a/x.bin", "./a/x.bin", "b/y.bin"]), ["x", "x", "y"]);
    }

    proptest! {
        #[test]
        fn different_paths_have_different_names(
            paths in vec("(/|\\./|\\.\\./)?([ab]/){0,3}[xy]\\.(bin|json|iwer\\.json)", 1..8),
        ) {
            let names = named(&paths.iter().map(String::as_str).collect::<Vec<_>>());
            let is_same = |a: &str, b: &str| parts(Path::new(a)) == parts(Path::new(b));
            for (one, name) in paths.iter().zip(&names) {
                for (other, other_name) in paths.iter().zip(&names) {
                    prop_assert_eq!(is_same(one, other), name == other_name, "{} {}", one, other);
                }
                prop_assert!(one.contains(name.as_str()), "{} {}", one, name);
            }
        }
    }

    #[test]
    fn names_of_files_have_extensions() {
        let files = ["s/p1/x.bin", "s/p2/x.bin"].map(Path::new);
        let files = files.map(|file| (file, file.parent().unwrap()));
        assert_eq!(file_names(files), ["p1/x.bin", "p2/x.bin"]);
    }
}
