//! Figures of an analysis as SVG: [`plot`] draws one recording, and [`contact_sheet`] many.
//!
//! The colours come from Okabe and Ito (2008). People with colour vision deficiencies can distinguish them. A curve is
//! drawn with the smallest and the largest value of each column of pixels, and a long path as the area that it covers.
//! The size of a figure therefore does not depend on the length of the recording, and no peak is lost.

mod axis;
mod canvas;
mod curve;
mod figure;
mod panels;
mod path;
mod sheet;
mod timeline;
mod views;

use std::ops::RangeInclusive;

use inputanim::names::ElementChoice;
use inputanim::{DeviceName, Side, TimeRange};

pub use figure::{panel_findings, plot};
pub use sheet::{Thumbnail, contact_sheet, thumbnail, thumbnail_without_words};

inputanim::named_enum! {
    /// A panel of a figure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Panel: "panel" {
        /// States, events, looks at targets, presses of devices, damage and markers over time.
        Timeline => "timeline",
        /// Speeds of the palms over time.
        Speed => "speed",
        /// Distance of the tips of thumb and index finger over time, with geometric pinches and their thresholds.
        Aperture => "aperture",
        /// Heading and elevation of the gaze over time, with fixations.
        Gaze => "gaze",
        /// Inputs of devices with numbers over time, such as triggers and thumbsticks. A recording without them has no such panel.
        Inputs => "inputs",
        /// Paths of head, palms and devices from above and from the right side, to scale, with arrows that show where devices
        /// aim.
        Paths => "paths",
    }
}

/// Background of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// White background.
    #[default]
    Light,
    /// Dark background.
    Dark,
}

/// The colours of a theme.
#[derive(Clone, Copy)]
struct Palette {
    background: &'static str,
    ink: &'static str,
    left: &'static str,
    right: &'static str,
    gaze: &'static str,
    head: &'static str,
    damage: &'static str,
}

impl Theme {
    fn palette(self) -> Palette {
        match self {
            Theme::Light => Palette {
                background: "#ffffff",
                ink: "#222222",
                left: "#0072b2",
                right: "#d55e00",
                gaze: "#009e73",
                head: "#cc79a7",
                damage: "#e69f00",
            },
            // Blue and orange of the light theme have too little contrast, or look like vermilion.
            Theme::Dark => Palette {
                background: "#1b1b1b",
                ink: "#dddddd",
                left: "#56b4e9",
                right: "#d55e00",
                gaze: "#009e73",
                head: "#cc79a7",
                damage: "#f0e442",
            },
        }
    }
}

impl Palette {
    fn side(&self, side: Side) -> &'static str {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// Returns the colour of a device: that of its hand, or that of the gaze for other devices.
    fn device(&self, device: DeviceName) -> &'static str {
        device.side().map_or(self.gaze, |side| self.side(side))
    }
}

/// Parameters of a figure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Width in pixels, from 300 to 10,000; 900 by default.
    pub width: f64,
    /// Panels from top to bottom; all by default.
    pub panels: Vec<Panel>,
    /// Background; light by default.
    pub theme: Theme,
    /// Title above the panels; none by default.
    pub title: Option<String>,
    /// Time range that is drawn; the complete recording by default.
    pub time: Option<TimeRange>,
    /// Poses and inputs of devices that are drawn; all by default. Names of other streams have no effect.
    pub devices: ElementChoice,
}

impl PlotOptions {
    /// The valid widths in pixels.
    pub const WIDTHS: RangeInclusive<f64> = 300.0..=10_000.0;

    /// Sets the width of the figure in pixels.
    ///
    /// # Errors
    /// When the width is not one of [`WIDTHS`](Self::WIDTHS).
    pub fn set_width(&mut self, width: f64) -> Result<(), InvalidWidth> {
        if !Self::WIDTHS.contains(&width) {
            return Err(InvalidWidth(width));
        }
        self.width = width;
        Ok(())
    }
}

/// A width that a figure cannot have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("invalid width: {0} (must be from {min} to {max})", min = PlotOptions::WIDTHS.start(), max = PlotOptions::WIDTHS.end())]
pub struct InvalidWidth(f64);

impl Default for PlotOptions {
    /// Returns the default options of a figure: a width of 900 pixels, all panels, a light background, no title and the
    /// complete recording.
    fn default() -> Self {
        PlotOptions {
            width: 900.0,
            panels: Panel::ALL.to_vec(),
            theme: Theme::Light,
            title: None,
            time: None,
            devices: ElementChoice::default(),
        }
    }
}
