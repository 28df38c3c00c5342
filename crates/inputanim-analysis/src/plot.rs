//! Figures of an analysis as SVG.
//!
//! Colours are those of Okabe and Ito (2008), which people with colour vision deficiencies can tell apart. A
//! curve is drawn with the smallest and the largest value of each column of pixels, so that the size of a
//! figure does not depend on the length of the recording, and no peak is lost.

use std::fmt::Write;

use inputanim::{Joint, Side};

use crate::analysis::Analysis;
use crate::channels::{angle_up, heading, runs};

/// A panel of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Panel {
    /// States and events over time, with markers and damage.
    Timeline,
    /// Speeds of the palms over time.
    Speed,
    /// Distance of the tips of thumb and index finger over time.
    Aperture,
    /// Heading and elevation of the gaze over time, with fixations.
    Gaze,
    /// Paths of head and palms from above and from the side, to scale.
    Paths,
}

/// Background of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// White background.
    Light,
    /// Dark background.
    Dark,
}

/// Parameters of a figure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Width in pixels; 900 by default.
    pub width: f64,
    /// Panels from top to bottom; all by default.
    pub panels: Vec<Panel>,
    /// Background; light by default.
    pub theme: Theme,
    /// Title above the panels; none by default.
    pub title: Option<String>,
}

impl Default for PlotOptions {
    /// Returns 900 pixels, all panels, a light background and no title.
    fn default() -> Self {
        PlotOptions {
            width: 900.0,
            panels: vec![
                Panel::Timeline,
                Panel::Speed,
                Panel::Aperture,
                Panel::Gaze,
                Panel::Paths,
            ],
            theme: Theme::Light,
            title: None,
        }
    }
}

const LEFT: &str = "#0072b2";
const RIGHT: &str = "#d55e00";
const GAZE: &str = "#009e73";
const HEAD: &str = "#cc79a7";
const DAMAGE: &str = "#e69f00";

/// Draws a figure of an analysis; returns an SVG document.
pub fn plot(analysis: &Analysis, options: &PlotOptions) -> String {
    let width = options.width.clamp(200.0, 10_000.0);
    let mut figure = Figure {
        analysis,
        body: String::new(),
        x: [80.0, width - 16.0],
        y: 12.0,
    };
    if let Some(title) = &options.title {
        figure.text(figure.x[0], figure.y + 10.0, "start", title);
        figure.y += 24.0;
    }
    for panel in &options.panels {
        match panel {
            Panel::Timeline => figure.timeline(),
            Panel::Speed => figure.speed(),
            Panel::Aperture => figure.aperture(),
            Panel::Gaze => figure.gaze(),
            Panel::Paths => figure.paths(),
        }
        figure.y += 18.0;
    }
    let (background, ink) = match options.theme {
        Theme::Light => ("#ffffff", "#222222"),
        Theme::Dark => ("#1b1b1b", "#dddddd"),
    };
    let height = figure.y;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"11\" \
         fill=\"{ink}\" color=\"{ink}\">\n<rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>\n\
         {}</svg>\n",
        figure.body
    )
}

struct Figure<'a> {
    analysis: &'a Analysis,
    body: String,
    /// Left and right end of the panels.
    x: [f64; 2],
    /// Top of the next panel.
    y: f64,
}

/// A curve with its colour and name.
struct Line<'a> {
    name: &'a str,
    colour: &'a str,
    values: &'a [f64],
}

impl Figure<'_> {
    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        // XML has no form for these characters, and names of markers can contain them.
        let is_invalid = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
        let text = text.replace(is_invalid, "\u{fffd}");
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// Returns the horizontal position of a time in seconds.
    fn at(&self, time: f64) -> f64 {
        let (start, end) = (self.analysis.range.start, self.analysis.range.end);
        let length = f64::from(end) - f64::from(start);
        let share = (time - f64::from(start)) / if length > 0.0 { length } else { 1.0 };
        self.x[0] + share.clamp(0.0, 1.0) * (self.x[1] - self.x[0])
    }

    fn bar(&mut self, [start, end]: [f64; 2], [top, height]: [f64; 2], colour: &str, opacity: f64) {
        let (x, end) = (self.at(start), self.at(end));
        let width = (end - x).max(0.5);
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
        ));
    }

    fn line(&mut self, from: [f64; 2], to: [f64; 2], opacity: f64) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"currentColor\" \
             stroke-opacity=\"{opacity}\"/>",
            from[0], from[1], to[0], to[1]
        ));
    }

    /// Draws the time axis below a panel that ends at `self.y`.
    fn time_axis(&mut self) {
        let range = self.analysis.range;
        for time in ticks(range.start.into(), range.end.into(), 8.0) {
            let x = self.at(time);
            self.line([x, self.y], [x, self.y + 4.0], 1.0);
            self.text(x, self.y + 15.0, "middle", &number(time));
        }
        self.y += 18.0;
        self.text(self.x[1], self.y + 9.0, "end", "time (s)");
        self.y += 10.0;
    }

    fn timeline(&mut self) {
        const ROW: f64 = 15.0;
        let analysis = self.analysis;
        let top = self.y;
        for side in Side::BOTH {
            let colour = side_colour(side);
            let hand = analysis.hand(side);
            let tracked: Vec<[f64; 2]> = analysis.quality.tracked[side as usize]
                .iter()
                .map(|range| [range.start.into(), range.end.into()])
                .collect();
            let moving = hand.movements.iter();
            let moving = moving.map(|event| [event.start, event.start + event.duration]);
            let pinches = hand.recorded_pinches.iter();
            let pinches = pinches.map(|pinch| [pinch.start, pinch.end()]);
            self.row(&format!("{side} tracked"), tracked, colour, 0.35);
            self.row(&format!("{side} moves"), moving.collect(), colour, 0.7);
            self.row(&format!("{side} pinch"), pinches.collect(), colour, 1.0);
        }
        if let Some(gaze) = &analysis.gaze {
            let fixations = gaze.fixations.iter();
            let fixations = fixations.map(|event| [event.start, event.start + event.duration]);
            self.row("fixations", fixations.collect(), GAZE, 0.7);
        }
        if !analysis.quality.damage.is_empty() {
            let damage = analysis.quality.damage.iter();
            let damage = damage.map(|damage| [damage.range.start.into(), damage.range.end.into()]);
            self.row("damage", damage.collect(), DAMAGE, 0.8);
        }
        if !analysis.markers.is_empty() {
            self.text(self.x[0] - 6.0, self.y + 11.0, "end", "markers");
            let mut free = f64::NEG_INFINITY;
            for marker in analysis
                .markers
                .iter()
                .filter(|marker| marker.time.is_finite())
            {
                let x = self.at(marker.time.into());
                self.line([x, top], [x, self.y + 4.0], 0.4);
                // Names that would overlap the one before are omitted, and long ones are cut.
                if x >= free {
                    let letters = ((self.x[1] - x) / 7.0).clamp(0.0, 24.0) as usize;
                    let mut name: String = marker.name.chars().take(letters).collect();
                    if name.len() < marker.name.len() {
                        name.pop();
                        name.push('…');
                    }
                    self.text(x + 2.0, self.y + 13.0, "start", &name);
                    free = x + 8.0 + 6.0 * name.chars().count() as f64;
                }
            }
            self.y += ROW;
        }
        self.time_axis();
    }

    fn row(&mut self, name: &str, bars: Vec<[f64; 2]>, colour: &str, opacity: f64) {
        self.text(self.x[0] - 6.0, self.y + 10.0, "end", name);
        for bar in bars {
            self.bar(bar, [self.y + 1.0, 11.0], colour, opacity);
        }
        self.y += 15.0;
    }

    /// Draws curves over time in a panel with a vertical axis.
    fn curves(&mut self, label: &str, lines: &[Line<'_>], from_zero: bool) {
        const HEIGHT: f64 = 110.0;
        self.text(self.x[0], self.y + 9.0, "start", label);
        let mut x = self.x[0] + 8.0 + 7.0 * label.chars().count() as f64;
        for line in lines {
            self.push(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"3\" fill=\"{}\"/>",
                self.y + 4.0,
                line.colour
            ));
            self.text(x + 14.0, self.y + 9.0, "start", line.name);
            x += 28.0 + 7.0 * line.name.chars().count() as f64;
        }
        self.y += 16.0;
        let known = lines
            .iter()
            .flat_map(|line| line.values)
            .filter(|value| value.is_finite());
        let (mut low, mut high) = known.fold((f64::MAX, f64::MIN), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            self.text(self.x[0] + 8.0, self.y + 14.0, "start", "no data");
            self.y += 24.0;
            return self.time_axis();
        }
        if from_zero {
            low = low.min(0.0);
        }
        if high - low < 1e-9 {
            high = low + 1.0;
        }
        let bottom = self.y + HEIGHT;
        let vertical = |value: f64| bottom - (value - low) / (high - low) * HEIGHT;
        for tick in ticks(low, high, 4.0) {
            let y = vertical(tick);
            self.line([self.x[0], y], [self.x[1], y], 0.15);
            self.text(self.x[0] - 6.0, y + 4.0, "end", &number(tick));
        }
        for line in lines {
            for path in self.columns(line.values) {
                let points = path
                    .iter()
                    .map(|&(x, value)| format!("{x:.1},{:.1}", vertical(value)));
                let points: Vec<String> = points.collect();
                self.polyline(&points, line.colour);
            }
        }
        self.y = bottom;
        self.time_axis();
    }

    fn polyline(&mut self, points: &[String], colour: &str) {
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\" \
             stroke-linejoin=\"round\"/>",
            points.join(" ")
        ));
    }

    /// Returns the points of each uninterrupted part: in each column of pixels the smallest and the
    /// largest value, in their order of time.
    fn columns(&self, values: &[f64]) -> Vec<Vec<(f64, f64)>> {
        let channels = &self.analysis.channels;
        let parts = runs(0..values.len(), |index| values[index].is_finite());
        let part = |run: std::ops::Range<usize>| {
            let mut points = Vec::new();
            let mut start = run.start;
            while start < run.end {
                let column = self.at(channels.time(start)).floor();
                let is_next = |&index: &usize| self.at(channels.time(index)).floor() > column;
                let end = (start..run.end).find(is_next).unwrap_or(run.end);
                let order = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
                let extremes = [(start..end).min_by(order), (start..end).max_by(order)];
                let mut extremes: Vec<usize> = extremes.into_iter().flatten().collect();
                extremes.sort_unstable();
                extremes.dedup();
                points.extend(
                    extremes
                        .into_iter()
                        .map(|index| (self.at(channels.time(index)), values[index])),
                );
                start = end;
            }
            points
        };
        parts.map(part).collect()
    }

    fn speed(&mut self) {
        let analysis = self.analysis;
        let line = |side: Side| {
            let joint = analysis.options.movement_joint;
            let kinematics = analysis.hand(side).kinematics(joint);
            kinematics.map(|kinematics| Line {
                name: side.name(),
                colour: side_colour(side),
                values: &kinematics.speed,
            })
        };
        let lines: Vec<Line<'_>> = Side::BOTH.into_iter().filter_map(line).collect();
        let label = format!("speed of {} (m/s)", analysis.options.movement_joint);
        self.curves(&label, &lines, true);
    }

    fn aperture(&mut self) {
        let analysis = self.analysis;
        let line = |side: Side| {
            let aperture = analysis.hand(side).aperture.as_ref()?;
            let values: Vec<f64> = aperture.iter().map(|metres| 1000.0 * metres).collect();
            Some((side, values))
        };
        let values: Vec<(Side, Vec<f64>)> = Side::BOTH.into_iter().filter_map(line).collect();
        let lines = values.iter().map(|(side, values)| Line {
            name: side.name(),
            colour: side_colour(*side),
            values,
        });
        let lines: Vec<Line<'_>> = lines.collect();
        self.curves("thumb tip to index tip (mm)", &lines, true);
    }

    fn gaze(&mut self) {
        let analysis = self.analysis;
        let directions = analysis
            .channels
            .gaze_direction
            .as_deref()
            .unwrap_or_default();
        let yaw: Vec<f64> = directions
            .iter()
            .map(|direction| heading(*direction))
            .collect();
        let pitch: Vec<f64> = directions
            .iter()
            .map(|direction| angle_up(*direction))
            .collect();
        let top = self.y + 16.0;
        if let Some(gaze) = &analysis.gaze {
            for fixation in &gaze.fixations {
                let times = [fixation.start, fixation.start + fixation.duration];
                self.bar(times, [top, 110.0], GAZE, 0.12);
            }
        }
        let lines = [
            Line {
                name: "heading",
                colour: GAZE,
                values: &yaw,
            },
            Line {
                name: "elevation",
                colour: HEAD,
                values: &pitch,
            },
        ];
        self.curves("gaze (°)", &lines, false);
    }

    fn paths(&mut self) {
        let channels = &self.analysis.channels;
        let palms = Side::BOTH.map(|side| channels.hand(side).joint(Joint::Palm));
        let paths = [
            ("head", HEAD, channels.head_position.as_deref()),
            ("left palm", LEFT, palms[0]),
            ("right palm", RIGHT, palms[1]),
        ];
        let width = (self.x[1] - self.x[0] - 60.0) / 2.0;
        let views = [
            ("from above: x to the right, z up (m)", [0, 2], self.x[0]),
            (
                "from the side: z to the right, y up (m)",
                [2, 1],
                self.x[0] + width + 60.0,
            ),
        ];
        let top = self.y + 16.0;
        for (label, axes, left) in views {
            self.text(left, self.y + 9.0, "start", label);
            let points = paths
                .iter()
                .flat_map(|(_, _, path)| path.unwrap_or_default());
            let known = points.filter(|point| point.iter().all(|value| value.is_finite()));
            let ends = axes.map(|axis| {
                let values = known.clone().map(|point| f64::from(point[axis]));
                values.fold((f64::MAX, f64::MIN), |(low, high), value| {
                    (low.min(value), high.max(value))
                })
            });
            if ends[0].0 > ends[0].1 {
                self.text(left + 8.0, top + 14.0, "start", "no data");
                continue;
            }
            let size = ends.map(|(low, high)| high - low);
            // One scale for both axes, so that angles are true.
            let scale = (width / size[0].max(1e-3)).min(240.0 / size[1].max(1e-3));
            let place = |point: &[f32; 3]| {
                let [x, y] = axes.map(|axis| f64::from(point[axis]));
                [
                    left + (x - ends[0].0) * scale,
                    top + 240.0 - (y - ends[1].0) * scale,
                ]
            };
            self.grid(ends, [left, top + 240.0], scale);
            for (_, colour, path) in paths {
                let path = path.unwrap_or_default();
                let is_known = |index: usize| path[index].iter().all(|value| value.is_finite());
                for run in runs(0..path.len(), is_known) {
                    let mut points: Vec<String> = path[run]
                        .iter()
                        .map(place)
                        .map(|[x, y]| format!("{x:.1},{y:.1}"))
                        .collect();
                    points.dedup();
                    self.polyline(&points, colour);
                }
            }
        }
        self.y = top + 262.0;
        let mut x = self.x[0];
        for (name, colour, _) in paths {
            self.push(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"3\" fill=\"{colour}\"/>",
                self.y + 4.0
            ));
            self.text(x + 14.0, self.y + 9.0, "start", name);
            x += 40.0 + 6.0 * name.chars().count() as f64;
        }
        self.y += 14.0;
    }

    /// Draws the lines of a grid in metres from a lower left corner.
    fn grid(&mut self, ends: [(f64, f64); 2], [left, bottom]: [f64; 2], scale: f64) {
        let [x, y] = ends.map(|(low, high)| (low, high, (high - low) * scale));
        for tick in ticks(x.0, x.1, 4.0) {
            let at = left + (tick - x.0) * scale;
            self.line([at, bottom], [at, bottom - y.2], 0.15);
            self.text(at, bottom + 14.0, "middle", &number(tick));
        }
        for tick in ticks(y.0, y.1, 4.0) {
            let at = bottom - (tick - y.0) * scale;
            self.line([left, at], [left + x.2, at], 0.15);
            self.text(left - 4.0, at + 4.0, "end", &number(tick));
        }
    }
}

fn side_colour(side: Side) -> &'static str {
    match side {
        Side::Left => LEFT,
        Side::Right => RIGHT,
    }
}

/// Returns round numbers of a range, at most about `count` of them.
fn ticks(low: f64, high: f64, count: f64) -> Vec<f64> {
    let raw = (high - low) / count;
    if !raw.is_finite() || raw <= 0.0 {
        return vec![low];
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(raw)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| *step >= raw).unwrap_or(raw);
    let first = libm::ceil(low / step);
    let numbers = (0..100).map(|index| (first + f64::from(index)) * step);
    numbers
        .take_while(|tick| *tick <= high + 1e-9 * step)
        .collect()
}

/// Formats a number with at most three decimals, without trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(0.0, 9.0, 8.0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        let texts: Vec<String> = ticks(-0.07, 0.25, 4.0).into_iter().map(number).collect();
        assert_eq!(texts, ["0", "0.1", "0.2"]);
        assert_eq!(ticks(3.0, 3.0, 4.0), [3.0]);
    }
}
