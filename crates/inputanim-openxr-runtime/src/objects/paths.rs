//! Paths of OpenXR, such as `/user/hand/left`, as numbers (OpenXR 1.1, section 6).

use std::collections::HashMap;

use openxr_sys as xr;

/// The paths of an instance. A path keeps its number as long as the instance exists.
#[derive(Default)]
pub(crate) struct Paths {
    strings: Vec<String>,
    numbers: HashMap<String, u64>,
}

/// The number of paths at most, so that a faulty application does not take all memory.
const MAX_PATHS: usize = 1 << 20;

impl Paths {
    /// Returns the path of a string, with a new number if the string is new. Fails if the string is not a path, or if
    /// there are too many paths.
    pub(crate) fn path(&mut self, text: &str) -> Result<xr::Path, xr::Result> {
        if !is_valid(text) {
            return Err(xr::Result::ERROR_PATH_FORMAT_INVALID);
        }
        if let Some(&number) = self.numbers.get(text) {
            return Ok(xr::Path::from_raw(number));
        }
        if self.strings.len() >= MAX_PATHS {
            return Err(xr::Result::ERROR_PATH_COUNT_EXCEEDED);
        }
        self.strings.push(text.to_owned());
        let number = self.strings.len() as u64;
        self.numbers.insert(text.to_owned(), number);
        Ok(xr::Path::from_raw(number))
    }

    /// Returns the string of a path. Fails with `ERROR_PATH_INVALID` if the path was not made by this table.
    pub(crate) fn string(&self, path: xr::Path) -> Result<&str, xr::Result> {
        let index = usize::try_from(path.into_raw()).ok();
        let text = index.and_then(|index| self.strings.get(index.checked_sub(1)?));
        text.map(String::as_str)
            .ok_or(xr::Result::ERROR_PATH_INVALID)
    }
}

/// Returns `true` if a string is a valid path of OpenXR: segments of `a-z 0-9 - _ .` after slashes (OpenXR 1.1, section
/// 6.2).
fn is_valid(text: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().any(|byte| byte != b'.')
            && segment
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.'))
    };
    text.len() < xr::MAX_PATH_LENGTH
        && text
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(is_segment))
}

/// Returns `true` if a string is a valid name of an action or an action set: one segment of a path.
pub(crate) fn is_name(text: &str) -> bool {
    !text.contains('/') && is_valid(&format!("/{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_specification_are_accepted() {
        for text in [
            "/user/hand/left",
            "/a",
            "/interaction_profiles/khr/simple_controller",
            "/a.b/c-d",
        ] {
            assert!(is_valid(text), "{text}");
        }
        for text in [
            "", "/", "user", "/user/", "//", "/User", "/user/..", "/a b", "/ä",
        ] {
            assert!(!is_valid(text), "{text}");
        }
        assert!(is_name("grab_object") && !is_name("a/b") && !is_name("Grab") && !is_name(""));
    }

    #[test]
    fn a_path_keeps_its_number() {
        let mut paths = Paths::default();
        let left = paths.path("/user/hand/left").expect("the text is a path");
        assert_ne!(paths.path("/user/hand/right"), Ok(left));
        assert_eq!(paths.path("/user/hand/left"), Ok(left));
        assert_eq!(paths.string(left), Ok("/user/hand/left"));
        assert_eq!(
            paths.string(xr::Path::NULL),
            Err(xr::Result::ERROR_PATH_INVALID)
        );
        assert_eq!(
            paths.string(xr::Path::from_raw(9)),
            Err(xr::Result::ERROR_PATH_INVALID)
        );
    }
}
