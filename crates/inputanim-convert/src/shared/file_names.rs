//! The names of files of the formats.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::format::Format;

impl Format {
    /// Returns the extensions that files of the format may have when they are read, without the dot: the
    /// [`extensions`](Format::extensions), and extensions that only other programs use. Two formats may share an
    /// extension; [`InputFile::format`](crate::InputFile::format) selects one.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert!(Format::Xdf.input_extensions().eq(["xdf", "xdfz", "xdf.gz"]));
    /// ```
    pub fn input_extensions(self) -> impl Iterator<Item = &'static str> {
        let all = [self.extensions(), self.other_extensions()];
        all.into_iter().flatten().copied()
    }

    /// Returns the format that has an extension among its [`extensions`](Format::extensions), or `None`. The extension
    /// is given without the dot, in upper or lower case.
    pub fn from_extension(extension: &OsStr) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| {
            let mut known = format.extensions().iter();
            known.any(|known| extension.eq_ignore_ascii_case(known))
        })
    }

    /// Returns `true` if the extension of a file name is one of the [`input_extensions`](Format::input_extensions) of
    /// the format. The file may still have another format with the same extension: see
    /// [`shares_name`](Format::shares_name).
    pub fn has_name(self, path: &Path) -> bool {
        let name = path.to_string_lossy();
        let mut others = self.other_extensions().iter();
        Format::from_path(path) == Some(self)
            || others.any(|extension| stem(&name, extension).is_some())
    }

    /// Returns `true` if a file with this name may also have another format, such as `a.mcap`. A search for files of
    /// this format must then examine the content with [`other_of`](Format::other_of).
    pub fn shares_name(self, path: &Path) -> bool {
        let mut others = Format::ALL.iter().copied().filter(|&other| other != self);
        others.any(|other| other.has_name(path))
    }

    /// Returns the format for the extension of a file name. The longest extension counts: `a.iwer.json` is IWER, not
    /// lossless JSON.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::from_path("takes/1.5 m.iwer.json".as_ref()), Some(Format::Iwer));
    /// assert_eq!(Format::from_path("takes/1.5 m.json".as_ref()), Some(Format::Json));
    /// assert_eq!(Format::from_path("json".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_string_lossy();
        // Endings are tried from the first dot on, so that the longest one wins.
        let dots = name.char_indices().filter(|&(_, letter)| letter == '.');
        let mut endings = dots.map(|(dot, _)| &name[dot + 1..]);
        endings.find_map(|ending| Format::from_extension(ending.as_ref()))
    }

    /// Returns a path with the most common extension of the format. It replaces the extension of a known format, and is
    /// added to other names. A dataset has no extension, so the path stays the same.
    ///
    /// ```
    /// use std::path::Path;
    /// use inputanim_convert::Format;
    /// let renamed = |format: Format, path: &str| format.renamed(path.as_ref());
    /// assert_eq!(renamed(Format::Iwer, "p1/a.BIN"), Path::new("p1/a.iwer.json"));
    /// assert_eq!(renamed(Format::Bin, "p1/a.isaac.mcap"), Path::new("p1/a.bin"));
    /// assert_eq!(renamed(Format::Bin, "1.5 m"), Path::new("1.5 m.bin"));
    /// ```
    pub fn renamed(self, path: &Path) -> PathBuf {
        let [extension, ..] = self.extensions() else {
            return path.to_owned();
        };
        // `Path::with_extension` knows no extension of two parts, such as `.iwer.json`.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{}.{extension}", without_extension(&name)))
    }
}

/// The profile in the header of packs, which are MCAP files with other files inside.
pub(crate) const PACK_PROFILE: &str = "inputanim-pack";

/// Removes the extension of a known format from a path. Other extensions stay.
///
/// ```
/// use inputanim_convert::without_extension;
/// assert_eq!(without_extension("p01/take.iwer.json"), "p01/take");
/// assert_eq!(without_extension("p01/take.xdfz"), "p01/take");
/// assert_eq!(without_extension("p01/1.5 m"), "p01/1.5 m");
/// ```
pub fn without_extension(path: &str) -> &str {
    let extensions = Format::ALL
        .iter()
        .copied()
        .flat_map(Format::input_extensions);
    let stems = extensions.filter_map(|extension| stem(path, extension));
    // `.iwer.json` ends with `.json` too.
    stems.min_by_key(|stem| stem.len()).unwrap_or(path)
}

/// Removes a dot and `extension` from the end of a path. Ignores the case of the letters. Returns `None` if the path
/// does not end with them.
fn stem<'p>(path: &'p str, extension: &str) -> Option<&'p str> {
    let dot = path.len().checked_sub(extension.len() + 1)?;
    let ending = path.get(dot..)?.strip_prefix('.')?;
    ending.eq_ignore_ascii_case(extension).then(|| &path[..dot])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_other_names_of_a_format() {
        let has_name = |format: Format, name: &str| format.has_name(name.as_ref());
        assert!(has_name(Format::Isaac, "a.mcap") && !has_name(Format::Mcap, "a.isaac.mcap"));
        assert!(has_name(Format::Xdf, "a.xdf") && has_name(Format::Xdf, "a.XDFZ"));
        assert!(has_name(Format::Xdf, "a.xdf.gz") && has_name(Format::Xror, "a/b.bson"));
        assert!(!has_name(Format::Bin, "a.xdfz") && !has_name(Format::Xdf, "xdfz"));
        let shares_name = |format: Format, name: &str| format.shares_name(name.as_ref());
        assert!(shares_name(Format::Isaac, "a.mcap") && shares_name(Format::Mcap, "a.mcap"));
        assert!(!shares_name(Format::Isaac, "a.isaac.mcap") && !shares_name(Format::Bin, "a.bin"));
        assert!(!has_name(Format::Xdf, "a.gz"));
    }

    #[test]
    fn extensions_are_unique() {
        for &format in Format::ALL {
            for extension in format.extensions() {
                assert_eq!(Format::from_extension(extension.as_ref()), Some(format));
            }
        }
    }
}
