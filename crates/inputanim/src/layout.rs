//! The six layouts of a file.
//!
//! Specification: docs/format.md, section 3.

use std::fmt;

use crate::curve::KeyKind;

/// The version in the header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Major number: 1 in every known file.
    pub major: i32,
    /// Minor number: 0 or 1.
    pub minor: i32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

named_enum! {
    /// The layout of a file (docs/format.md, section 3.2). The two that MRTK loads come first.
    ///
    /// | layout | flags and gaze | keys of poses and gaze | marker list |
    /// |---|---|---|---|
    /// | [`Documented1_0`](Self::Documented1_0) | no | full | no |
    /// | [`Mrtk1_0`](Self::Mrtk1_0) | no | full | yes |
    /// | [`Documented1_1`](Self::Documented1_1) | yes | full | no |
    /// | [`Mrtk1_1`](Self::Mrtk1_1) | yes | simple | yes |
    /// | [`SimpleWithoutMarkers1_1`](Self::SimpleWithoutMarkers1_1) | yes | simple | no |
    /// | [`FullWithMarkers1_1`](Self::FullWithMarkers1_1) | yes | full | yes |
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[allow(non_camel_case_types)]
    pub enum Layout: "layout" {
        /// Version 1.0 as MRTK 2.0 to 2.5 write it.
        Mrtk1_0 => "mrtk-1.0",
        /// Version 1.1 as MRTK 2.6 to 2.8 write it.
        Mrtk1_1 => "mrtk-1.1",
        /// Version 1.0 as the published specification has it.
        Documented1_0 => "documented-1.0",
        /// Version 1.1 as the published specification has it.
        Documented1_1 => "documented-1.1",
        /// Version 1.1 with simple keys and no marker list, such as an MRTK file that was cut directly
        /// before its markers.
        SimpleWithoutMarkers1_1 => "mixed-1.1-simple-no-markers",
        /// Version 1.1 with full keys and a marker list.
        FullWithMarkers1_1 => "mixed-1.1-full-with-markers",
    }
}

impl Layout {
    /// Returns the version in the header.
    pub const fn version(self) -> Version {
        let minor = match self {
            Layout::Documented1_0 | Layout::Mrtk1_0 => 0,
            _ => 1,
        };
        Version { major: 1, minor }
    }

    /// Returns the form of the float keys.
    pub const fn key_kind(self) -> KeyKind {
        match self {
            Layout::Mrtk1_1 | Layout::SimpleWithoutMarkers1_1 => KeyKind::Simple,
            _ => KeyKind::Full,
        }
    }

    /// Returns `true` if the layout has flags for its streams and can have gaze: version 1.1.
    pub const fn has_flags(self) -> bool {
        self.version().minor == 1
    }

    /// Returns `true` if the layout ends with a marker list.
    pub const fn has_markers(self) -> bool {
        matches!(
            self,
            Layout::Mrtk1_0 | Layout::Mrtk1_1 | Layout::FullWithMarkers1_1
        )
    }

    /// Returns a line for people: the contents, the writers, and whether MRTK loads the layout.
    pub const fn description(self) -> &'static str {
        match self {
            Layout::Documented1_0 => "full keys, no markers; as documented, MRTK does not load it",
            Layout::Mrtk1_0 => "full keys, markers; MRTK 2.0 to 2.5 write it, 2.0 to 2.8 load it",
            Layout::Documented1_1 => "full keys, no markers; as documented, MRTK does not load it",
            Layout::Mrtk1_1 => "simple keys, markers; MRTK 2.6 to 2.8 write and load it",
            Layout::SimpleWithoutMarkers1_1 => {
                "simple keys, no markers; no known writer, MRTK does not load it"
            }
            Layout::FullWithMarkers1_1 => {
                "full keys, markers; no known writer, MRTK does not load it"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_found_by_its_name() {
        for &layout in Layout::ALL {
            assert_eq!(layout.name().parse(), Ok(layout));
        }
        assert!("mrtk-1.2".parse::<Layout>().is_err());
    }

    #[test]
    fn mrtk_1_1_is_the_only_layout_with_simple_keys_and_markers() {
        let found: Vec<Layout> = Layout::ALL
            .iter()
            .copied()
            .filter(|layout| layout.key_kind() == KeyKind::Simple && layout.has_markers())
            .collect();
        assert_eq!(found, [Layout::Mrtk1_1]);
    }
}
