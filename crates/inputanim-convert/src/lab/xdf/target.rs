//! The channels of curves.

/// A channel, and the factor that converts its numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    pub(super) index: usize,
    pub(super) factor: f64,
}

/// The channel of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The index of the stream.
    pub(super) stream: usize,
    pub(super) channel: Channel,
    /// True if a mapping states the factor. It then replaces the unit in the header.
    pub(super) has_factor: bool,
    /// True if a mapping selects the channel; otherwise its label is the name of the curve.
    pub(super) is_mapped: bool,
}
