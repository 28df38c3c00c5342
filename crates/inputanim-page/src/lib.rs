//! The viewer as one HTML file, and reports: the viewer with recordings inside.
//!
//! `cargo xtask web` builds the viewer. If this crate was compiled before, it does not contain the viewer, and its
//! functions return `None`.

#![forbid(unsafe_code)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use inputanim::{Limits, ParseError, Parts, Recording};

/// The page of the viewer. It is empty if the viewer was not built before this crate.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/inputanim.html"));

/// The text in the page that the recordings of a report replace.
const RECORDINGS: &str = "<!-- recordings -->";

/// The characters that are escaped in the names of a path in an address.
const ESCAPED: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// The texts in the page before and after the module for other formats.
const FORMATS: [&str; 2] = ["<!-- other formats -->", "<!-- end of other formats -->"];

/// Returns the HTML page of the viewer, which opens recordings of the user. `None` if this crate does not contain the
/// viewer.
pub fn viewer() -> Option<&'static str> {
    (!PAGE.is_empty()).then_some(PAGE)
}

/// The viewer with recordings inside.
///
/// The page needs no network. It opens a single recording directly, and shows an overview of several.
///
/// Most of the page is the module for other formats. The page of a report contains it only if a recording has [`Parts`], which
/// a `.bin` file cannot hold, so that the page can save these recordings as JSON or MCAP without a loss. Without the module,
/// the page opens and saves only `.bin` files, and cannot record in a headset.
#[derive(Debug)]
pub struct Report {
    /// The page up to the last recording.
    page: String,
    /// The page after the recordings.
    end: &'static str,
    /// True if a recording has parts that a `.bin` file cannot hold.
    has_parts: bool,
}

/// The state of a recording in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// The file is well formed.
    WellFormed,
    /// A part of the file can be recovered. The page shows this part, and explains the damage.
    Recoverable,
}

impl Report {
    /// Creates a report without recordings; `None` if this crate does not contain the viewer.
    pub fn new() -> Option<Report> {
        viewer().map(Report::in_page)
    }

    fn in_page(page: &'static str) -> Report {
        let (start, end) = page.split_once(RECORDINGS).unwrap_or((page, ""));
        Report {
            page: start.to_owned(),
            end,
            has_parts: false,
        }
    }

    /// Adds a recording: its name, the bytes of its file, and its parts that no such file can hold. Returns its condition.
    ///
    /// # Errors
    /// When nothing can be recovered from the bytes within `limits`. A report may be sent to other people, so it never
    /// contains a file that is not a recording.
    pub fn add(
        &mut self,
        name: &str,
        bytes: &[u8],
        parts: &Parts,
        limits: &Limits,
    ) -> Result<Condition, ParseError> {
        let condition = match Recording::parse_with(bytes, limits) {
            Ok(_) => Condition::WellFormed,
            Err(_) => {
                Recording::recover_with(bytes, limits)?;
                Condition::Recoverable
            }
        };
        let name = html_escape::encode_double_quoted_attribute(name);
        self.page += &format!("<script type=\"text/plain\" data-recording=\"{name}\"");
        if !parts.is_empty() {
            // Numbers and texts always have a form in JSON.
            let parts = serde_json::to_string(parts).unwrap_or_default();
            let parts = html_escape::encode_double_quoted_attribute(&parts);
            self.page += &format!(" data-parts=\"{parts}\"");
            self.has_parts = true;
        }
        self.page += ">";
        STANDARD.encode_string(bytes, &mut self.page);
        self.page += "</script>\n";
        Ok(condition)
    }

    /// Adds a link to a video of the recording that was added last. The video is not part of the report. `steps` are the names in
    /// the path from the folder of the report to the video, some of which may be `..`, and `start` is the time of the recording
    /// at which the video starts, in seconds.
    pub fn link_video<'s>(&mut self, steps: impl IntoIterator<Item = &'s str>, start: f64) {
        let names = steps.into_iter();
        let names: Vec<String> = names
            .map(|name| percent_encoding::utf8_percent_encode(name, ESCAPED).to_string())
            .collect();
        let address = names.join("/");
        self.page += &format!(
            "<script type=\"text/plain\" data-video=\"{address}\" data-start=\"{start}\"></script>\n"
        );
    }

    /// Returns the report as one HTML page.
    pub fn finish(self) -> String {
        let formats = self.end.split_once(FORMATS[0]);
        let around =
            formats.and_then(|(before, rest)| Some((before, rest.split_once(FORMATS[1])?.1)));
        match around {
            Some((before, after)) if !self.has_parts => self.page + before + after,
            _ => self.page + self.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{Layout, Pose};

    use super::*;

    const PAGE: &str =
        "<head><!-- recordings --><!-- other formats -->module<!-- end of other formats --></head>";

    fn bytes() -> Vec<u8> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.to_bytes().unwrap()
    }

    #[test]
    fn a_report_contains_names_and_bytes() {
        let mut report = Report::in_page(PAGE);
        let added = report.add(
            "a \"b\" & <c>.bin",
            &bytes(),
            &Parts::default(),
            &Limits::default(),
        );
        assert_eq!(added.unwrap(), Condition::WellFormed);
        let data = STANDARD.encode(bytes());
        assert_eq!(
            report.finish(),
            format!(
                "<head><script type=\"text/plain\" data-recording=\"a &quot;b&quot; &amp; &lt;c&gt;.bin\">\
                 {data}</script>\n</head>"
            )
        );
        assert_eq!(Report::in_page(PAGE).finish(), "<head></head>");
    }

    #[test]
    fn a_report_links_videos_by_their_relative_paths() {
        let mut report = Report::in_page(PAGE);
        report.link_video(["..", "P 1", "a\"b:ü.mp4"], -2.5);
        assert_eq!(
            report.finish(),
            "<head><script type=\"text/plain\" data-video=\"../P%201/a%22b%3A%C3%BC.mp4\" data-start=\"-2.5\"></script>\n</head>"
        );
    }

    #[test]
    fn a_report_has_the_module_for_other_formats_if_a_recording_has_parts() {
        let limits = Limits::default();
        let mut parts = Parts::default();
        let mut report = Report::in_page(PAGE);
        report.add("a.bin", &bytes(), &parts, &limits).unwrap();
        parts.about.set("task", "reach");
        report.add("b.bin", &bytes(), &parts, &limits).unwrap();
        report
            .add("c.bin", &bytes(), &Parts::default(), &limits)
            .unwrap();
        let page = report.finish();
        assert!(
            page.ends_with(&PAGE["<head><!-- recordings -->".len()..]),
            "{page}"
        );
    }

    #[test]
    fn a_report_contains_only_what_can_be_recovered() {
        let mut report = Report::in_page(PAGE);
        let limits = Limits::default();
        let mut cut = bytes();
        cut.truncate(cut.len() - 10);
        assert_eq!(
            report
                .add("cut.bin", &cut, &Parts::default(), &limits)
                .unwrap(),
            Condition::Recoverable
        );
        let before = report.page.clone();
        for junk in [&b""[..], b"a secret", &bytes()[..12]] {
            assert!(
                report
                    .add("junk.bin", junk, &Parts::default(), &limits)
                    .is_err()
            );
        }
        let mut small = limits;
        small.max_bytes = 10;
        assert!(
            report
                .add("large.bin", &bytes(), &Parts::default(), &small)
                .is_err()
        );
        assert_eq!(report.page, before);
    }

    #[test]
    fn the_viewer_has_a_place_for_recordings_and_a_removable_module() {
        // The viewer exists only after `cargo xtask web`.
        if let Some(page) = viewer() {
            for text in [RECORDINGS, FORMATS[0], FORMATS[1]] {
                assert_eq!(page.matches(text).count(), 1, "{text}");
            }
            let report = Report::new().unwrap().finish();
            assert!(
                report.len() < page.len() * 2 / 3,
                "{} of {}",
                report.len(),
                page.len()
            );
            assert!(report.ends_with("</html>\n"));
        }
    }
}
