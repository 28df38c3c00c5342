//! Lists of markers of any file, with times in double precision.

use inputanim::Corrections;
use inputanim::edit::ClockMarker;

use crate::file::InputFile;
use crate::shared::{Error, Format, NoteKind, ReadOptions, Report};

/// The markers of a file, such as the triggers of an EEG.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MarkerList {
    /// The markers, with times in seconds on the clock of the file.
    pub markers: Vec<ClockMarker>,
    /// The time on the clock of the file, in seconds, at which its content begins: the first sample of an XDF file, otherwise 0.
    pub zero: f64,
}

impl InputFile<'_> {
    /// Reads the markers of the file. The file is one of these:
    ///
    /// - an XDF file, whose markers have times of the clock of the recorder: see [`xdf::markers`](crate::xdf::markers()),
    /// - a table of events: see [`marker_events`](crate::marker_events),
    /// - subtitles in WebVTT,
    /// - a recording in any format.
    ///
    /// `column` is the name of the column with the names of a table of events. It has no effect on other files.
    ///
    /// ```
    /// use inputanim_convert::InputFile;
    /// let bytes = b"onset\ttrial_type\n80000.125\tstart\n";
    /// let file = InputFile { bytes, path: None, format: None };
    /// let (list, _) = file.read_markers(None, &file.options(Default::default()))?;
    /// assert_eq!(list.markers[0].time, 80000.125);
    /// # Ok::<(), inputanim_convert::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the file has none of these formats, is damaged, or exceeds the limits.
    pub fn read_markers(
        &self,
        column: Option<&str>,
        options: &ReadOptions,
    ) -> Result<(MarkerList, Report), Error> {
        #[cfg(feature = "xdf")]
        if self.known_format() == Some(Format::Xdf) {
            let found = crate::xdf::markers(self.bytes, options)?;
            let mut report = Report::default();
            let count = crate::shared::report::counted(found.markers.len(), "marker");
            let message = format!("{count} of {}", found.streams.join(", "));
            report.note(NoteKind::Markers, message);
            let markers = found.markers.into_iter();
            let list = MarkerList {
                markers: markers
                    .map(|(time, name)| ClockMarker::new(time, name))
                    .collect(),
                zero: found.start,
            };
            return Ok((list, report));
        }
        #[cfg(feature = "webvtt")]
        if self.bytes.trim_ascii_start().starts_with(b"WEBVTT") {
            let (markers, report) = crate::webvtt::read(self.bytes, &options.limits)?;
            return Ok((list_of(&markers), report));
        }
        #[cfg(feature = "tables")]
        {
            let is_text = self
                .format
                .is_none_or(|format| matches!(format, Format::Csv | Format::Tsv));
            let is_table = matches!(self.known_format(), Some(Format::Csv | Format::Tsv))
                && crate::marker_events::may_be_events(self.bytes);
            let is_events =
                column.is_some() || is_table || crate::marker_events::is_table(self.bytes);
            if is_text && is_events {
                let markers = crate::marker_events::read(self.bytes, column, &options.limits)?;
                return Ok((MarkerList { markers, zero: 0.0 }, Report::default()));
            }
        }
        let (read, report) = self.read(Corrections::default(), options)?;
        Ok((list_of(&read.recording.markers), report))
    }
}

/// Returns the markers of a recording. Their times are single precision.
fn list_of(markers: &[inputanim::Marker<'_>]) -> MarkerList {
    let markers = markers.iter();
    let markers = markers.map(|marker| ClockMarker::new(marker.time.into(), &*marker.name));
    MarkerList {
        markers: markers.collect(),
        zero: 0.0,
    }
}
