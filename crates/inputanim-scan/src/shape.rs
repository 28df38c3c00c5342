//! The meaning of rows, and the treatment of files without rows.

inputanim::named_enum! {
    /// The meaning of one row.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Shape: "shape" {
        /// An instant, with a column for each number and state.
        #[default]
        Wide => "wide",
        /// A joint, the head or the gaze at an instant.
        Tidy => "tidy",
        /// A key of a curve, a marker, a flag or the layout. If streams or joints are selected, only keys of their curves.
        Keys => "keys",
        /// A recording: layout, duration, streams, rates and gaps.
        Info => "info",
        /// A finding of the doctor.
        Findings => "findings",
        /// An event: a pinch, a movement, a fixation, a marker and so on.
        Events => "events",
        /// A recording or a segment of it, with a column for each measure.
        Stats => "stats",
        /// A measure of a recording or of a segment of it, with its unit, and the reason if it has no value.
        Measures => "measures",
        /// A marker.
        Markers => "markers",
        /// A curve: kind of its keys, wrap modes, number of keys, times of the first and last key.
        Curves => "curves",
        /// A time range in which a hand is tracked or pinches, in which a device is active, or in which an input of it is on.
        States => "states",
        /// A haptic pulse of a device.
        Haptics => "haptics",
    }
}

impl Shape {
    /// Returns `true` if recordings are analysed for the rows.
    pub const fn is_analysed(self) -> bool {
        matches!(self, Shape::Events | Shape::Stats | Shape::Measures)
    }

    /// Returns `true` if each row of this shape is a curve or a part of one.
    pub(crate) const fn has_curves(self) -> bool {
        matches!(
            self,
            Shape::Keys | Shape::Curves | Shape::States | Shape::Haptics
        )
    }
}

inputanim::named_enum! {
    /// Behaviour for a file that cannot be read or sampled.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum OnError: "treatment of errors" {
        /// The scan ends with the error.
        #[default]
        Raise => "raise",
        /// The file has no rows, and [`Scan::errors`](crate::Scan::errors) lists it.
        Skip => "skip",
        /// The column `error` contains the message. The file has one row, in which all values except its path are missing;
        /// with [`Shape::Info`] and [`Shape::Findings`], the intact parts of a damaged file are described.
        Column => "column",
    }
}
