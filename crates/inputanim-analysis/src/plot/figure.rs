//! The figure of one recording: its panels, and the parts that the panels over time have in common.

use std::ops::Range;

use inputanim::doctor::{Code, Finding};
use inputanim::names::ElementChoice;
use inputanim::{Joint, TimeRange};

use super::axis::{number, round_step, ticks};
use super::canvas::{Canvas, Swatch, fitted, small_width, text_width};
use super::curve::{self, extent};
use super::{Panel, PlotOptions};
use crate::analysis::Analysis;
use crate::source::{Source, Sources};

/// Draws a figure of an analysis; returns an SVG document.
///
/// ```
/// use inputanim::Layout;
/// use inputanim_analysis::{Analysis, AnalysisParameters, Panel, PlotOptions, plot};
/// use inputanim_motion::{Motion, Scene};
///
/// let recording = Motion::new(Scene::Reach, 1, 5.0).record(60.0, Layout::Mrtk1_1);
/// let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
/// let mut options = PlotOptions::default();
/// options.panels = vec![Panel::Timeline, Panel::Speed];
/// assert!(plot(&analysis, &options).starts_with("<svg"));
/// # Ok::<(), inputanim_analysis::AnalysisError>(())
/// ```
pub fn plot(analysis: &Analysis, options: &PlotOptions) -> String {
    let width = options.width.clamp(300.0, 10_000.0);
    let whole = [analysis.range.start, analysis.range.end].map(f64::from);
    let time = options.time.map_or(whole, |time| {
        [time.start, time.end]
            .map(f64::from)
            .map(|time| time.clamp(whole[0], whole[1]))
    });
    let mut figure = Figure {
        analysis,
        canvas: Canvas::new(options.theme.palette()),
        x: [MIN_LEFT, width - 18.0],
        y: 14.0,
        time,
        devices: &options.devices,
    };
    if options.panels.contains(&Panel::Timeline) {
        // Names of inputs may be long. All panels have the same time axis.
        let most = (MAX_LEFT * width).max(MIN_LEFT);
        figure.x[0] = figure.names_width().clamp(MIN_LEFT, most);
    }
    if let Some(title) = &options.title {
        let title = fitted(title, 0.9 * (width - 32.0));
        figure.canvas.heading([16.0, figure.y + 8.0], &title);
        figure.y += 26.0;
    }
    for panel in &options.panels {
        match panel {
            Panel::Timeline => figure.timeline(),
            Panel::Speed => figure.speed(),
            Panel::Aperture => figure.aperture(),
            Panel::Gaze => figure.gaze(),
            // This panel adds the space below each of its charts.
            Panel::Inputs => {
                figure.inputs();
                continue;
            }
            Panel::Paths => figure.paths(),
        }
        figure.y += 16.0;
    }
    let height = figure.y;
    figure.canvas.finish([width, height])
}

pub(super) struct Figure<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) canvas: Canvas,
    /// Left and right end of the panels.
    pub(super) x: [f64; 2],
    /// Top of the next panel.
    pub(super) y: f64,
    /// Start and end of the time that is drawn.
    pub(super) time: [f64; 2],
    /// The poses and inputs of devices that are drawn.
    pub(super) devices: &'a ElementChoice,
}

/// A panel with curves over time.
pub(super) struct Curves<'a> {
    pub(super) panel: Panel,
    /// The quantity with its unit, and a short form for narrow figures.
    pub(super) titles: [&'a str; 2],
    pub(super) lines: &'a [Line<'a>],
    /// `true` if the axis contains 0.
    pub(super) from_zero: bool,
    /// Events.
    pub(super) bands: &'a [Band<'a>],
    /// The name of the bands.
    pub(super) events: &'a str,
    /// Levels with their names, the lower one first.
    pub(super) thresholds: &'a [(&'a str, f64)],
}

/// A curve with its colour and name.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) colour: &'a str,
    pub(super) values: &'a [f64],
    /// True for angles from −180° to 180°.
    pub(super) wraps: bool,
}

/// Time ranges that are shown behind the curves.
pub(super) struct Band<'a> {
    pub(super) colour: &'a str,
    pub(super) ranges: Vec<[f64; 2]>,
}

/// The smallest left end of the panels, which leaves space for labels.
const MIN_LEFT: f64 = 104.0;

/// The largest left end of the panels as a share of the width.
const MAX_LEFT: f64 = 0.3;

/// The height of a panel with curves.
const CURVES: f64 = 110.0;

/// The opacity of bands.
const BAND: f64 = 0.16;

/// Merges horizontal ranges in pixels that overlap, or whose gap is at most half a pixel. `bars` are in order of their
/// left ends.
pub(super) fn merged(bars: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for bar in bars {
        match merged.last_mut() {
            // A gap of half a pixel is not visible.
            Some(last) if bar[0] <= last[1] + 0.5 => last[1] = last[1].max(bar[1]),
            _ => merged.push(bar),
        }
    }
    merged
}

/// Returns the time ranges in seconds in which damage changes the values that a panel shows, for each kind of damage.
/// Damage without a time covers the complete recording.
pub(super) fn damage(analysis: &Analysis, panel: Panel) -> Vec<(Code, Vec<[f64; 2]>)> {
    let quality = &analysis.quality;
    let findings: Vec<&Finding> = quality.findings_of(shown(analysis, panel)).collect();
    let mut damage = Vec::new();
    for code in quality.damage_codes() {
        let affecting = findings.iter().filter(|finding| finding.code == code);
        let ranges = affecting.flat_map(|finding| match &finding.ranges[..] {
            [] => quality.range.as_slice(),
            ranges => ranges,
        });
        let ranges = TimeRange::union(ranges.copied().collect());
        if !ranges.is_empty() {
            let ends = |range: TimeRange| [range.start, range.end].map(f64::from);
            damage.push((code, ranges.into_iter().map(ends).collect()));
        }
    }
    damage
}

/// Returns the parts of a recording whose values a panel shows; `None` for the timeline, which shows all curves.
fn shown(analysis: &Analysis, panel: Panel) -> Option<Sources> {
    let joints = |joint| Sources::new(&[Source::Joints], None, Some(joint));
    Some(match panel {
        Panel::Timeline => return None,
        Panel::Speed => joints(analysis.parameters.movement_joint),
        Panel::Aperture => joints(Joint::ThumbTip).with(joints(Joint::IndexTip)),
        Panel::Gaze => Sources::new(&[Source::Gaze], None, None),
        // No finding of damage concerns a device.
        Panel::Inputs => Sources::default(),
        Panel::Paths => joints(Joint::Palm).with(Sources::new(&[Source::HeadPosition], None, None)),
    })
}

/// Returns the findings that change values which the analysis uses and at least one of the panels shows.
pub fn panel_findings<'a>(
    analysis: &'a Analysis,
    panels: &[Panel],
) -> impl Iterator<Item = &'a Finding> {
    let shown = panels
        .iter()
        .map(|&panel| shown(analysis, panel).unwrap_or(Sources::ALL));
    let shown = shown.fold(Sources::default(), Sources::with);
    analysis.quality.findings_of(Some(shown))
}

impl Figure<'_> {
    /// Returns the horizontal position in pixels of a time in seconds. A time outside of the figure is moved to its
    /// end.
    pub(super) fn at(&self, time: f64) -> f64 {
        let length = self.time[1] - self.time[0];
        let share = (time - self.time[0]) / if length > 0.0 { length } else { 1.0 };
        self.x[0] + share.clamp(0.0, 1.0) * (self.x[1] - self.x[0])
    }

    /// Returns `true` if a time range in seconds overlaps the time range of the figure.
    pub(super) fn is_visible(&self, range: &[f64; 2]) -> bool {
        range[1] >= self.time[0] && range[0] <= self.time[1]
    }

    /// Returns the left and the right ends in pixels of time ranges in seconds, for those that overlap the figure.
    /// Ranges without a visible gap are merged.
    fn visible(&self, ranges: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let visible = ranges.iter().filter(|range| self.is_visible(range));
        merged(visible.map(|range| range.map(|time| self.at(time))))
    }

    pub(super) fn bars(
        &mut self,
        ranges: &[[f64; 2]],
        vertical: [f64; 2],
        colour: &str,
        opacity: f64,
    ) {
        for bar in self.visible(ranges) {
            self.canvas.bar(bar, vertical, colour, opacity);
        }
    }

    /// Returns the times in seconds that the time axis labels.
    pub(super) fn times(&self) -> Vec<f64> {
        let count = ((self.x[1] - self.x[0]) / 90.0).clamp(2.0, 20.0);
        let [start, end] = self.time;
        let times = ticks(start, end, count);
        // A single time shows no scale.
        if times.len() < 2 && start < end {
            return ticks(start, end, 2.5 * count);
        }
        times
    }

    /// Draws a light vertical line from `top` to `bottom` at each time that the time axis labels.
    pub(super) fn time_grid(&mut self, top: f64, bottom: f64) {
        for time in self.times() {
            let x = self.at(time);
            self.canvas.line([x, top], [x, bottom], 0.12);
        }
    }

    /// Draws the time axis below a panel that ends at `self.y`, and moves `self.y` below the axis.
    pub(super) fn time_axis(&mut self) {
        let [left, right] = self.x;
        self.canvas.line([left, self.y], [right, self.y], 0.5);
        for time in self.times() {
            let x = self.at(time);
            self.canvas.line([x, self.y], [x, self.y + 4.0], 0.5);
            self.canvas
                .text([x, self.y + 15.0], "middle", &number(time));
        }
        self.canvas
            .text([left - 24.0, self.y + 15.0], "end", "time (s)");
        self.y += 18.0;
    }

    /// Draws the title of a panel with its legend at `self.y`, and moves `self.y` below them. `titles` are a long and a
    /// short title; the short one is for narrow figures.
    fn header(&mut self, titles: [&str; 2], entries: &[(Swatch<'_>, &str)]) {
        let [left, right] = self.x;
        let [long, short] = titles;
        let title = if text_width(long) <= right - left {
            long.to_owned()
        } else {
            fitted(short, right - left)
        };
        let y = self.y + 9.0;
        self.canvas.text([left, y], "start", &title);
        let x = left + text_width(&title) + 20.0;
        self.y = self.canvas.legend(entries, x, y, self.x) + 7.0;
    }

    /// Draws a panel with curves over time and a vertical axis. Bands behind the curves show events and damage.
    pub(super) fn curves(&mut self, curves: &Curves<'_>) {
        let [left, right] = self.x;
        let lines = curves.lines;
        let samples = self.samples();
        let known = lines
            .iter()
            .filter_map(|line| line.values.get(samples.clone()))
            .flatten();
        let [mut low, mut high] = extent(known.copied().filter(|value| value.is_finite()));
        let damage = damage(self.analysis, curves.panel);
        let damage = damage
            .into_iter()
            .map(|(code, ranges)| (code, self.visible(&ranges)));
        let damage: Vec<(Code, Vec<[f64; 2]>)> =
            damage.filter(|(_, bars)| !bars.is_empty()).collect();
        let codes: Vec<&str> = damage.iter().map(|(code, _)| code.id()).collect();
        let damaged = format!("damage {}", codes.join(" "));
        let bands = curves.bands.iter();
        let bands = bands.filter(|band| band.ranges.iter().any(|range| self.is_visible(range)));
        let colours: Vec<&str> = bands.map(|band| band.colour).collect();
        let mut entries: Vec<(Swatch<'_>, &str)> = lines
            .iter()
            .map(|line| (Swatch::Line(line.colour), line.name))
            .collect();
        if !colours.is_empty() {
            entries.push((Swatch::Band(&colours, 2.0 * BAND), curves.events));
        }
        if !damage.is_empty() {
            entries.push((Swatch::Damage, &damaged));
        }
        self.header(curves.titles, &entries);
        if low > high {
            self.canvas
                .text([left + 8.0, self.y + 14.0], "start", "no data");
            self.y += 24.0;
            return self.time_axis();
        }
        // A threshold far above the values would make them a flat line.
        let near = curves.thresholds.iter().map(|(_, level)| *level);
        let near = near.filter(|level| *level <= 2.0 * high);
        high = near.fold(high, f64::max);
        if curves.from_zero {
            low = low.min(0.0);
        }
        if high - low < 1e-9 {
            high = low + 1.0;
        }
        // The axis ends at round numbers, so that the ends have labels.
        let wraps = lines.iter().any(|line| line.wraps);
        let step = if wraps && low.abs().max(high.abs()) > 160.0 {
            // An axis of a full turn has its labels at multiples of 90°, not at round decimal numbers.
            (low, high) = (-180.0, 180.0);
            90.0
        } else {
            let step = round_step((high - low) / 4.0);
            low = libm::floor(low / step + 1e-9) * step;
            high = libm::ceil(high / step - 1e-9) * step;
            step
        };
        let (top, bottom) = (self.y, self.y + CURVES);
        let vertical = |value: f64| bottom - (value - low) / (high - low) * CURVES;
        for band in curves.bands {
            self.bars(&band.ranges, [top, CURVES], band.colour, BAND);
        }
        for &bar in damage.iter().flat_map(|(_, bars)| bars) {
            self.canvas.damage(bar, [top, CURVES]);
        }
        self.time_grid(top, bottom);
        let count = libm::round((high - low) / step) as u32;
        for tick in (0..=count).map(|index| low + f64::from(index) * step) {
            let y = vertical(tick);
            self.canvas.line([left, y], [right, y], 0.15);
            self.canvas
                .text([left - 6.0, y + 4.0], "end", &number(tick));
        }
        let within = |(_, level): &&(&str, f64)| low <= *level && *level <= high;
        for &(_, level) in curves.thresholds.iter().filter(within) {
            self.canvas.dashes(self.x, vertical(level));
        }
        for line in lines {
            let values = line.values.get(samples.clone()).unwrap_or_default();
            let at = |index: usize| self.at(self.analysis.channels.time(samples.start + index));
            let path = curve::path(values, line.wraps, at, vertical);
            self.canvas.stroke(&path, line.colour);
        }
        let shown: Vec<&(&str, f64)> = curves.thresholds.iter().filter(within).collect();
        if let [lower, upper] = shown[..] {
            // The names are on both sides of the two lines, so that they do not overlap.
            let below = vertical(lower.1) + 9.0;
            let above = [right - 3.0, vertical(upper.1) - 3.0];
            if below < bottom {
                self.canvas.label([right - 3.0, below], "end", lower.0);
                self.canvas.label(above, "end", upper.0);
            } else {
                let both = format!("{}, {}", lower.0, upper.0);
                self.canvas.label(above, "end", &both);
            }
        } else {
            for (name, level) in shown {
                let place = [right - 3.0, vertical(*level) - 3.0];
                self.canvas.label(place, "end", name);
            }
        }
        for (code, bars) in &damage {
            for bar in bars {
                if bar[1] - bar[0] >= small_width(code.id()) + 4.0 {
                    let middle = (bar[0] + bar[1]) / 2.0;
                    self.canvas.label([middle, top + 13.0], "middle", code.id());
                }
            }
        }
        self.y = bottom;
        self.time_axis();
    }

    /// Returns the indices of the samples in the time range of the figure.
    pub(super) fn samples(&self) -> Range<usize> {
        self.analysis.channels.samples_between(self.time)
    }
}
