//! The figure of one recording.

use inputanim::{Joint, Side, TimeRange};

use super::axis::{number, round_step, ticks};
use super::canvas::{Canvas, fitted, text_width};
use super::curve::{self, extent};
use super::{Panel, PlotOptions, path};
use crate::analysis::Analysis;
use crate::channels::{angle_up, heading};

/// Draws a figure of an analysis; returns an SVG document.
///
/// ```
/// use inputanim::Layout;
/// use inputanim_analysis::{Analysis, AnalysisOptions, Panel, PlotOptions, plot};
/// use inputanim_motion::{Motion, Scene};
///
/// let recording = Motion::new(Scene::Reach, 1, 5.0).record(60.0, Layout::Mrtk1_1);
/// let analysis = Analysis::of(&recording, &AnalysisOptions::default())?;
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
        x: [104.0, width - 18.0],
        y: 14.0,
        time,
    };
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
            Panel::Paths => figure.paths(),
        }
        figure.y += 16.0;
    }
    let height = figure.y;
    figure.canvas.finish([width, height])
}

struct Figure<'a> {
    analysis: &'a Analysis,
    canvas: Canvas,
    /// Left and right end of the panels.
    x: [f64; 2],
    /// Top of the next panel.
    y: f64,
    /// Start and end of the time that is drawn.
    time: [f64; 2],
}

/// A curve with its colour and name.
struct Line<'a> {
    name: &'a str,
    colour: &'a str,
    values: &'a [f64],
    /// True for angles from −180° to 180°.
    wraps: bool,
}

/// The height of a panel with curves.
const CURVES: f64 = 110.0;

/// The largest height of the panel with paths.
const PATHS: f64 = 260.0;

/// Merges time ranges that look like one in a figure. `bars` are in order of their starts.
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

impl Figure<'_> {
    /// Returns the horizontal position of a time in seconds.
    fn at(&self, time: f64) -> f64 {
        let length = self.time[1] - self.time[0];
        let share = (time - self.time[0]) / if length > 0.0 { length } else { 1.0 };
        self.x[0] + share.clamp(0.0, 1.0) * (self.x[1] - self.x[0])
    }

    fn bars(&mut self, ranges: &[[f64; 2]], vertical: [f64; 2], colour: &str, opacity: f64) {
        let visible = ranges
            .iter()
            .filter(|range| range[1] >= self.time[0] && range[0] <= self.time[1]);
        let bars = merged(visible.map(|range| range.map(|time| self.at(time))));
        for bar in bars {
            self.canvas.bar(bar, vertical, colour, opacity);
        }
    }

    /// Returns the time ranges of damage.
    fn damage(&self) -> Vec<[f64; 2]> {
        let damage = self.analysis.quality.damaged_times(|_| true);
        let ends = |range: TimeRange| [range.start.into(), range.end.into()];
        damage.into_iter().map(ends).collect()
    }

    /// Draws the time axis below a panel that ends at `self.y`.
    fn time_axis(&mut self) {
        let [left, right] = self.x;
        self.canvas.line([left, self.y], [right, self.y], 0.5);
        let count = ((right - left) / 90.0).clamp(2.0, 20.0);
        for time in ticks(self.time[0], self.time[1], count) {
            let x = self.at(time);
            self.canvas.line([x, self.y], [x, self.y + 4.0], 0.5);
            self.canvas
                .text([x, self.y + 15.0], "middle", &number(time));
        }
        self.canvas
            .text([left - 24.0, self.y + 15.0], "end", "time (s)");
        self.y += 18.0;
    }

    fn timeline(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let top = self.y;
        for side in Side::BOTH {
            let colour = palette.side(side);
            let hand = analysis.hand(side);
            let tracked: Vec<[f64; 2]> = analysis.quality.tracked[side as usize]
                .iter()
                .map(|range| [range.start.into(), range.end.into()])
                .collect();
            let moving = hand.movements.iter();
            let moving: Vec<[f64; 2]> = moving
                .map(|event| [event.start, event.start + event.duration])
                .collect();
            let pinches = hand.recorded_pinches.iter();
            let pinches: Vec<[f64; 2]> = pinches.map(|pinch| [pinch.start, pinch.end()]).collect();
            self.row(&format!("{side} tracked"), &tracked, colour, 0.35);
            self.row(&format!("{side} moves"), &moving, colour, 0.7);
            self.row(&format!("{side} pinches"), &pinches, colour, 1.0);
        }
        if let Some(gaze) = &analysis.gaze {
            let fixations = gaze.fixations.iter();
            let fixations: Vec<[f64; 2]> = fixations
                .map(|event| [event.start, event.start + event.duration])
                .collect();
            self.row("fixations", &fixations, palette.gaze, 0.7);
        }
        let codes = analysis.quality.damage_codes();
        if !codes.is_empty() {
            let codes: Vec<&str> = codes.iter().map(|code| code.id()).collect();
            let name = fitted(&format!("damage {}", codes.join(" ")), self.x[0] - 8.0);
            self.row(&name, &self.damage(), palette.damage, 0.9);
        }
        if !analysis.markers.is_empty() {
            self.markers(top);
        }
        self.y += 2.0;
        self.time_axis();
    }

    fn markers(&mut self, top: f64) {
        let row = self.y;
        self.canvas
            .text([self.x[0] - 6.0, row + 11.0], "end", "markers");
        let (mut free, mut last) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let [start, end] = self.time;
        let markers = &self.analysis.markers;
        let visible = |time: f64| start <= time && time <= end;
        let markers = markers.iter().filter(|marker| visible(marker.time.into()));
        for marker in markers {
            let x = self.at(marker.time.into());
            // Lines that are closer than a pixel look like one.
            if x - last < 1.0 {
                continue;
            }
            // A name that would overlap the one before is omitted, and a long one is cut.
            let available = (self.x[1] - x - 4.0).min(160.0);
            let has_name = x >= free && available > 30.0;
            // The line of a marker without a name would cross the name of another one, and lines that are
            // close together would hide the states.
            let bottom = if has_name { row + 14.0 } else { row };
            let top = if x - last < 5.0 { row - 3.0 } else { top };
            self.canvas.line([x, top], [x, bottom], 0.4);
            last = x;
            if has_name {
                let name = fitted(&marker.name, available);
                self.canvas.text([x + 3.0, row + 11.0], "start", &name);
                free = x + 10.0 + text_width(&name);
            }
        }
        self.y += 15.0;
    }

    fn row(&mut self, name: &str, bars: &[[f64; 2]], colour: &str, opacity: f64) {
        let [left, right] = self.x;
        self.canvas.text([left - 6.0, self.y + 10.0], "end", name);
        self.canvas
            .line([left, self.y + 6.5], [right, self.y + 6.5], 0.12);
        self.bars(bars, [self.y + 1.0, 11.0], colour, opacity);
        self.y += 15.0;
    }

    /// Draws curves over time in a panel with a vertical axis, over bands of a colour.
    fn curves(
        &mut self,
        label: &str,
        lines: &[Line<'_>],
        from_zero: bool,
        bands: &[(Vec<[f64; 2]>, &str, f64)],
    ) {
        let [left, right] = self.x;
        self.canvas.text([left, self.y + 9.0], "start", label);
        let mut x = left + text_width(label) + 20.0;
        for line in lines {
            x = self
                .canvas
                .legend([x, self.y + 9.0], line.colour, line.name);
        }
        self.y += 16.0;
        let samples = self.samples();
        let known = lines
            .iter()
            .filter_map(|line| line.values.get(samples.clone()))
            .flatten();
        let [mut low, mut high] = extent(known.copied().filter(|value| value.is_finite()));
        if low > high {
            self.canvas
                .text([left + 8.0, self.y + 14.0], "start", "no data");
            self.y += 24.0;
            return self.time_axis();
        }
        if from_zero {
            low = low.min(0.0);
        }
        if high - low < 1e-9 {
            high = low + 1.0;
        }
        // The axis ends at round numbers, so that the ends have labels.
        let wraps = lines.iter().any(|line| line.wraps);
        let step = if wraps && low.abs().max(high.abs()) > 160.0 {
            // A full turn has no round numbers of ten.
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
        for (ranges, colour, opacity) in bands {
            self.bars(ranges, [top, CURVES], colour, *opacity);
        }
        let count = libm::round((high - low) / step) as u32;
        for tick in (0..=count).map(|index| low + f64::from(index) * step) {
            let y = vertical(tick);
            self.canvas.line([left, y], [right, y], 0.15);
            self.canvas
                .text([left - 6.0, y + 4.0], "end", &number(tick));
        }
        for line in lines {
            let values = line.values.get(samples.clone()).unwrap_or_default();
            let at = |index: usize| self.at(self.analysis.channels.time(samples.start + index));
            let path = curve::path(values, line.wraps, at, vertical);
            self.canvas.stroke(&path, line.colour);
        }
        self.y = bottom;
        self.time_axis();
    }

    /// Returns the samples in the time that is drawn.
    fn samples(&self) -> std::ops::Range<usize> {
        let channels = &self.analysis.channels;
        let [start, end] = self.time;
        // Half a sample, so that rounding drops no sample at the ends.
        let tolerance = 0.5 / channels.rate;
        let all = 0..channels.len;
        let is_before = |index: &usize| channels.time(*index) < start - tolerance;
        let is_within = |index: &usize| channels.time(*index) <= end + tolerance;
        let first = all.clone().take_while(is_before).count();
        let last = all.skip(first).take_while(is_within).count() + first;
        first..last
    }

    fn damage_band(&self) -> (Vec<[f64; 2]>, &'static str, f64) {
        (self.damage(), self.canvas.palette.damage, 0.2)
    }

    fn speed(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let joint = analysis.options.movement_joint;
        let line = |side: Side| {
            let kinematics = analysis.hand(side).kinematics(joint);
            kinematics.map(|kinematics| Line {
                name: side.name(),
                colour: palette.side(side),
                values: &kinematics.speed,
                wraps: false,
            })
        };
        let lines: Vec<Line<'_>> = Side::BOTH.into_iter().filter_map(line).collect();
        let label = format!("speed of {joint} (m/s)");
        let damage = self.damage_band();
        self.curves(&label, &lines, true, &[damage]);
    }

    fn aperture(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let line = |side: Side| {
            let aperture = analysis.hand(side).aperture.as_ref()?;
            let values: Vec<f64> = aperture.iter().map(|metres| 1000.0 * metres).collect();
            Some((side, values))
        };
        let values: Vec<(Side, Vec<f64>)> = Side::BOTH.into_iter().filter_map(line).collect();
        let lines = values.iter().map(|(side, values)| Line {
            name: side.name(),
            colour: palette.side(*side),
            values,
            wraps: false,
        });
        let lines: Vec<Line<'_>> = lines.collect();
        let damage = self.damage_band();
        self.curves("thumb tip to index tip (mm)", &lines, true, &[damage]);
    }

    fn gaze(&mut self) {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let directions = analysis.channels.gaze_direction.as_deref();
        let directions = directions.unwrap_or_default();
        let angles = |angle: fn([f32; 3]) -> f64| -> Vec<f64> {
            directions
                .iter()
                .map(|&direction| angle(direction))
                .collect()
        };
        let (yaw, pitch) = (angles(heading), angles(angle_up));
        let fixations = analysis.gaze.iter().flat_map(|gaze| &gaze.fixations);
        let fixations: Vec<[f64; 2]> = fixations
            .map(|fixation| [fixation.start, fixation.start + fixation.duration])
            .collect();
        let lines = [
            Line {
                name: "heading",
                colour: palette.gaze,
                values: &yaw,
                wraps: true,
            },
            Line {
                name: "elevation",
                colour: palette.head,
                values: &pitch,
                wraps: false,
            },
        ];
        let bands = [(fixations, palette.gaze, 0.14), self.damage_band()];
        let lines = if directions.is_empty() {
            &lines[..0]
        } else {
            &lines[..]
        };
        self.curves("gaze (°)", lines, false, &bands);
    }

    fn paths(&mut self) {
        let palette = self.canvas.palette;
        let samples = self.samples();
        let paths = world_paths(self.analysis).map(|(name, path)| {
            let path = path.and_then(|path| path.get(samples.clone()));
            (name, path.unwrap_or_default())
        });
        let colours = [palette.head, palette.left, palette.right];
        let [left, right] = self.x;
        let extents = extents(paths.iter().flat_map(|(_, path)| path.iter()));
        let Some(extents) = extents else {
            self.canvas.text([left, self.y + 9.0], "start", "paths (m)");
            self.canvas
                .text([left + 8.0, self.y + 30.0], "start", "no data");
            self.y += 40.0;
            return;
        };
        let mut x = left;
        for ((name, path), colour) in paths.iter().zip(colours) {
            if path.iter().any(is_finite) {
                x = self.canvas.legend([x, self.y + 9.0], colour, name);
            }
        }
        self.y += 26.0;
        const GAP: f64 = 70.0;
        let size = extents.map(|[low, high]| high - low);
        let available = right - left - GAP;
        // One scale for both views and all axes, so that angles and lengths can be compared.
        let scale = (available / (size[0] + size[2])).min(PATHS / size[2].max(size[1]));
        let height = size[2].max(size[1]) * scale;
        let side_left = left + size[0] * scale + GAP;
        let views = [
            ("from above: x to the right, z forward (m)", [0, 2], left),
            ("from the side: z to the right, y up (m)", [2, 1], side_left),
        ];
        let bottom = self.y + 16.0 + height;
        let labels = fits(views.map(|(label, _, left)| (label, left)), right);
        for ((label, axes, left), full) in views.into_iter().zip(labels) {
            // Labels of narrow views would overlap, so that the short form is used for both.
            let label = match (full, axes) {
                (true, _) => label,
                (false, [0, 2]) => "above: x, z (m)",
                (false, _) => "side: z, y (m)",
            };
            let ends = axes.map(|axis| extents[axis]);
            self.canvas.text([left, self.y + 9.0], "start", label);
            self.grid(ends, [left, bottom], scale);
            for ((_, path), colour) in paths.iter().zip(colours) {
                let points: Vec<[f64; 2]> = path
                    .iter()
                    .map(|point| {
                        let [x, y] = axes.map(|axis| f64::from(point[axis]));
                        let x = left + (x - ends[0][0]) * scale;
                        [x, bottom - (y - ends[1][0]) * scale]
                    })
                    .collect();
                let view = ends.map(|[low, high]| (high - low) * scale);
                let origin = [left, bottom - view[1]];
                draw_path(&mut self.canvas, &points, view, origin, colour);
            }
        }
        self.y = bottom + 18.0;
    }

    /// Draws the lines of a grid in metres from a lower left corner.
    fn grid(&mut self, ends: [[f64; 2]; 2], [left, bottom]: [f64; 2], scale: f64) {
        let [x, y] = ends;
        let [width, height] = ends.map(|[low, high]| (high - low) * scale);
        // One step for both axes, and at least 45 pixels between two labels.
        let step = round_step(45.0 / scale);
        for tick in ticks(x[0], x[1], (x[1] - x[0]) / step) {
            let at = left + (tick - x[0]) * scale;
            self.canvas.line([at, bottom], [at, bottom - height], 0.15);
            self.canvas
                .text([at, bottom + 14.0], "middle", &number(tick));
        }
        for tick in ticks(y[0], y[1], (y[1] - y[0]) / step) {
            let at = bottom - (tick - y[0]) * scale;
            self.canvas.line([left, at], [left + width, at], 0.15);
            self.canvas
                .text([left - 4.0, at + 4.0], "end", &number(tick));
        }
    }
}

/// Returns the labels of both views in full, if both fit.
fn fits(views: [(&str, f64); 2], right: f64) -> [bool; 2] {
    let [(first, left), (second, middle)] = views;
    let fit = left + text_width(first) + 10.0 <= middle && middle + text_width(second) <= right;
    [fit; 2]
}

pub(super) fn is_finite(point: &[f32; 3]) -> bool {
    point.iter().all(|value| value.is_finite())
}

/// Returns the names and paths of head and palms; `None` for a path that is not recorded.
pub(super) fn world_paths(analysis: &Analysis) -> [(&'static str, Option<&[[f32; 3]]>); 3] {
    let channels = &analysis.channels;
    let palm = |side: Side| channels.hand(side).joint(Joint::Palm);
    [
        ("head", channels.head_position.as_deref()),
        ("left palm", palm(Side::Left)),
        ("right palm", palm(Side::Right)),
    ]
}

/// Returns the smallest and the largest x, y and z with a margin, at least 10 cm apart; `None` without points.
pub(super) fn extents<'p>(points: impl Iterator<Item = &'p [f32; 3]>) -> Option<[[f64; 2]; 3]> {
    let mut ends = [[f64::MAX, f64::MIN]; 3];
    for point in points.filter(|point| is_finite(point)) {
        for (end, &value) in ends.iter_mut().zip(point) {
            let value = f64::from(value);
            *end = [end[0].min(value), end[1].max(value)];
        }
    }
    (ends[0][0] <= ends[0][1]).then(|| {
        ends.map(|[low, high]| {
            let margin = (0.03 * (high - low)).max((0.1 - (high - low)) / 2.0);
            [low - margin, high + margin]
        })
    })
}

pub(super) fn draw_path(
    canvas: &mut Canvas,
    points: &[[f64; 2]],
    size: [f64; 2],
    origin: [f64; 2],
    colour: &str,
) {
    let known = points
        .iter()
        .filter(|point| point.iter().all(|value| value.is_finite()));
    let ends = [0, 1].map(|axis| extent(known.clone().map(|point| point[axis])));
    // A head that stands still would be invisible.
    if ends.iter().all(|[low, high]| high - low < 3.0) {
        let [x, y] = ends.map(|[low, high]| (low + high) / 2.0);
        if ends[0][0] <= ends[0][1] {
            canvas.push(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
            ));
        }
        return;
    }
    let (path, is_area) = path::path(points, size, origin);
    if is_area {
        canvas.push(format_args!(
            "<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"0.7\"/>"
        ));
    } else {
        canvas.stroke(&path, colour);
    }
}
