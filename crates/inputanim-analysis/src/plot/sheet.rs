//! A contact sheet: one small figure for each recording.

use inputanim::names::ElementChoice;
use inputanim::{Side, TimeRange};

use super::axis::{number, round_step};
use super::canvas::{Canvas, Swatch, fitted, lines, text_width};
use super::curve::extent;
use super::figure::{damage, merged};
use super::timeline::has_hand;
use super::views::{Colour, WorldPath, draw_path, extents, is_finite, world_paths};
use super::{Palette, Panel, PlotOptions, Theme};
use crate::analysis::Analysis;

/// A small figure of a recording, or the error of a recording that cannot be read.
///
/// Its size does not depend on the length of the recording, so that a sheet of many recordings needs little
/// memory.
#[derive(Clone, Debug)]
pub struct Thumbnail {
    body: String,
    theme: Theme,
    legend: Legend,
}

/// The parts of a thumbnail that a legend explains.
#[derive(Clone, Debug, Default)]
struct Legend {
    paths: Vec<(&'static str, Colour)>,
    has_hand: bool,
    has_controller: bool,
    has_damage: bool,
}

impl Legend {
    fn add(&mut self, other: &Legend) {
        add_new(&mut self.paths, other.paths.iter().copied());
        self.has_hand |= other.has_hand;
        self.has_controller |= other.has_controller;
        self.has_damage |= other.has_damage;
    }

    /// Returns the names of the paths in the order of a legend, whatever the order of the recordings is.
    fn sorted_paths(&self, palette: Palette) -> Vec<(&'static str, Colour)> {
        let order = ["head", "left palm", "right palm", LEFT, RIGHT, OTHERS];
        let mut paths = self.paths.clone();
        paths.sort_by_key(|(name, colour)| {
            let place = order.iter().position(|known| known == name);
            (place, *colour != Colour::solid(palette.side(Side::Left)))
        });
        paths
    }
}

const LEFT: &str = "left controller";
const RIGHT: &str = "right controller";
const OTHERS: &str = "other devices";

fn add_new<T: PartialEq>(list: &mut Vec<T>, items: impl Iterator<Item = T>) {
    for item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

const WIDTH: f64 = 280.0;
const HEIGHT: f64 = 206.0;
const GAP: f64 = 12.0;
const MARGIN: f64 = 10.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// The top and the height of the paths.
const PATHS: [f64; 2] = [52.0, 92.0];

/// The width at the right end of the paths that is for the scale.
const SCALE: f64 = 70.0;

/// A path is in the frame of a figure if its size is at least this part of the largest size. A head that hardly moves, far from a hand
/// that moves, would make the path of the hand tiny. A figure with words names the parts that are not completely in it.
const FRAMED: f64 = 1.0 / 3.0;

/// The note below the legend of a sheet. One scale for all recordings would make most of them a dot, if a participant
/// walks in one of them.
const NOTE: &str = "Paths from above: x right, z forward. Each recording has its own scale, which its bar shows, and its \
                    own time axis. A figure names the parts outside of it.";

/// The top of the timeline.
const TIMELINE: f64 = 158.0;

/// Draws the thumbnail of a recording: its paths from above, and the time ranges of tracking, pinches and
/// damage. `details` are shown below the name.
pub fn thumbnail(analysis: &Analysis, name: &str, details: &str, theme: Theme) -> Thumbnail {
    drawn(analysis, Some([name, details]), theme)
}

/// Draws the thumbnail of a recording without words, for programs in other languages: only paths, time ranges, lengths, and the
/// codes of damage.
pub fn thumbnail_without_words(analysis: &Analysis, theme: Theme) -> Thumbnail {
    drawn(analysis, None, theme)
}

/// Draws a thumbnail with a name and details, or without words.
fn drawn(analysis: &Analysis, words: Option<[&str; 2]>, theme: Theme) -> Thumbnail {
    let mut canvas = Canvas::new(theme.palette());
    let is_damaged = !analysis.quality.damage_codes().is_empty();
    let frame = is_damaged.then_some(canvas.palette.damage);
    let [name, details] = words.unwrap_or_default();
    frame_and_names(&mut canvas, frame, name, details);
    let rows = Side::BOTH.map(|side| Row::of(analysis, side));
    let has_words = words.is_some();
    if has_words {
        let facts = facts(analysis, &rows);
        let y = if details.is_empty() { 31.5 } else { 46.0 };
        canvas.text([MARGIN, y], "start", &fitted(&facts, INNER));
    }
    let mut legend = Legend {
        paths: paths(&mut canvas, analysis, has_words),
        has_damage: is_damaged,
        ..Legend::default()
    };
    for row in &rows {
        legend.has_hand |= row.has_hand;
        legend.has_controller |= row.has_controller;
    }
    timeline(&mut canvas, analysis, &rows, has_words);
    Thumbnail {
        body: canvas.body,
        theme,
        legend,
    }
}

/// A row of the timeline: the states and events of a hand and of the controller in it.
struct Row {
    has_hand: bool,
    has_controller: bool,
    /// The time ranges in which the hand is tracked or the controller is active.
    ranges: Vec<TimeRange>,
    pinches: Vec<[f64; 2]>,
    presses: Vec<[f64; 2]>,
}

impl Row {
    fn of(analysis: &Analysis, side: Side) -> Row {
        let mut devices = analysis.devices();
        let controller = devices.find(|(name, _)| name.side() == Some(side));
        let active = controller.map(|(_, active)| active).unwrap_or_default();
        let tracked = &analysis.quality.tracked[side as usize];
        let pinches = analysis.hand(side).recorded_pinches.iter();
        // A finger may rest on a button for minutes without a press.
        let buttons = analysis.inputs.iter().filter(|input| {
            let name = input.input.input.as_str();
            let is_touch = ["/touch", "/proximity"]
                .iter()
                .any(|end| name.ends_with(end));
            input.input.device.side() == Some(side) && input.is_boolean && !is_touch
        });
        let presses = buttons.flat_map(|button| &button.presses);
        Row {
            has_hand: has_hand(analysis, side),
            has_controller: controller.is_some(),
            ranges: TimeRange::union(tracked.iter().chain(active).copied().collect()),
            pinches: pinches.map(|pinch| [pinch.start, pinch.end()]).collect(),
            presses: presses.map(|press| [press.start, press.end()]).collect(),
        }
    }
}

/// Returns the name for hands, the name for controllers, or both with a text between them. `has` says which of them there are.
fn joined(names: [&str; 2], has: [bool; 2], between: &str) -> String {
    let names = names.into_iter().zip(has).filter(|(_, has)| *has);
    let names: Vec<&str> = names.map(|(name, _)| name).collect();
    names.join(between)
}

/// Returns the duration, and the shares of the time in which hands are tracked or controllers are active.
fn facts(analysis: &Analysis, rows: &[Row; 2]) -> String {
    let length = f64::from(analysis.range.length());
    let shares = rows.iter().zip(["L", "R"]).filter_map(|(row, letter)| {
        let seconds: f64 = row
            .ranges
            .iter()
            .map(|range| f64::from(range.length()))
            .sum();
        let is_known = !row.ranges.is_empty() && length > 0.0;
        is_known.then(|| format!("{letter} {:.0} %", 100.0 * seconds / length))
    });
    let shares: Vec<String> = shares.collect();
    let mut facts = format!("{} s", number(libm::round(length * 10.0) / 10.0));
    if !shares.is_empty() {
        let is_shown = |row: &&Row| !row.ranges.is_empty();
        let has_hand = rows.iter().filter(is_shown).any(|row| row.has_hand);
        let has_controller = rows.iter().filter(is_shown).any(|row| row.has_controller);
        let states = joined(["tracked", "active"], [has_hand, has_controller], "/");
        facts.push_str(&format!(" · {states}: {}", shares.join(", ")));
    }
    facts
}

impl Thumbnail {
    /// Returns the thumbnail as a separate SVG document, 280 × 206 pixels.
    pub fn to_svg(&self) -> String {
        let mut canvas = Canvas::new(self.theme.palette());
        canvas.push(format_args!("{}", self.body));
        canvas.finish([WIDTH, HEIGHT])
    }

    /// Draws a thumbnail that shows an error instead of a recording: its name, the `details` below, and the reason.
    pub fn failed(name: &str, details: &str, reason: &str, theme: Theme) -> Thumbnail {
        let mut canvas = Canvas::new(theme.palette());
        let colour = canvas.palette.right;
        frame_and_names(&mut canvas, Some(colour), name, details);
        canvas.bar([MARGIN, MARGIN + 3.0], [54.0, 142.0], colour, 1.0);
        for (index, line) in lines(reason, INNER - 14.0, 9).iter().enumerate() {
            let y = 64.0 + 15.0 * index as f64;
            canvas.text([MARGIN + 10.0, y], "start", line);
        }
        Thumbnail {
            body: canvas.body,
            theme,
            legend: Legend::default(),
        }
    }
}

fn frame_and_names(canvas: &mut Canvas, colour: Option<&str>, name: &str, details: &str) {
    let (stroke, opacity, width) = match colour {
        Some(colour) => (colour, 1.0, 2.0),
        None => (canvas.palette.ink, 0.3, 1.0),
    };
    canvas.push(format_args!(
        "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\" fill=\"none\" stroke=\"{stroke}\" \
         stroke-opacity=\"{opacity}\" stroke-width=\"{width}\"/>"
    ));
    // Bold letters are wider.
    canvas.heading([MARGIN, 17.0], &fitted(name, 0.88 * INNER));
    canvas.text([MARGIN, 31.5], "start", &fitted(details, INNER));
}

/// Draws the paths. Returns their names and colours.
fn paths(canvas: &mut Canvas, analysis: &Analysis, has_words: bool) -> Vec<(&'static str, Colour)> {
    let paths = world_paths(analysis, &ElementChoice::default(), canvas.palette);
    let sizes: Vec<f64> = paths
        .iter()
        .map(|path| size_from_above(path.points))
        .collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let framed = paths
        .iter()
        .zip(&sizes)
        .filter(|(_, size)| **size >= FRAMED * largest);
    let Some(extents) = extents(framed.flat_map(|(path, _)| path.points.iter())) else {
        if has_words {
            canvas.text([MARGIN, PATHS[0] + 20.0], "start", "no positions");
        }
        return Vec::new();
    };
    let (mut drawn, mut outside) = (Vec::new(), Vec::new());
    let [x, _, z] = extents;
    let [width, height] = [x[1] - x[0], z[1] - z[0]];
    let scale = ((INNER - SCALE) / width).min(PATHS[1] / height);
    let bottom = PATHS[0] + PATHS[1];
    let origin = [
        MARGIN + (INNER - SCALE - width * scale) / 2.0,
        PATHS[0] + (PATHS[1] - height * scale) / 2.0,
    ];
    // A viewer cuts off what is outside of a nested document.
    canvas.push(format_args!(
        "<svg x=\"{MARGIN}\" y=\"{0}\" width=\"{INNER}\" height=\"{1}\" viewBox=\"{MARGIN} {0} {INNER} {1}\">",
        PATHS[0], PATHS[1]
    ));
    for path in paths {
        let (name, colour) = of_legend(&path, canvas.palette);
        let place = |point: &[f32; 3]| {
            let [px, _, pz] = point.map(f64::from);
            [
                origin[0] + (px - x[0]) * scale,
                origin[1] + (z[1] - pz) * scale,
            ]
        };
        let points: Vec<[f64; 2]> = path.points.iter().map(place).collect();
        let is_inside = |[x, y]: &[f64; 2]| {
            (MARGIN..=MARGIN + INNER).contains(x) && (PATHS[0]..=bottom).contains(y)
        };
        let mut known = points
            .iter()
            .filter(|point| point.iter().all(|n| n.is_finite()));
        if !known.all(is_inside) && !outside.contains(&name) {
            outside.push(name);
        }
        if points.iter().any(is_inside) {
            add_new(&mut drawn, [(name, colour)].into_iter());
            draw_path(
                canvas,
                &points,
                [width, height].map(|size| size * scale),
                origin,
                colour,
            );
        }
    }
    canvas.push(format_args!("</svg>"));
    if has_words && !outside.is_empty() {
        let names = format!("outside: {}", outside.join(", "));
        canvas.text([MARGIN, bottom + 10.0], "start", &fitted(&names, INNER));
    }
    // A bar of a round length, because axes do not fit.
    let length = round_step(25.0 / scale);
    let right = WIDTH - MARGIN;
    let left = right - length * scale;
    let y = bottom - 2.0;
    canvas.line([left, y], [right, y], 1.0);
    canvas.line([left, y - 3.0], [left, y + 3.0], 1.0);
    canvas.line([right, y - 3.0], [right, y + 3.0], 1.0);
    let label = if length < 1.0 {
        format!("{} cm", number(100.0 * length))
    } else {
        format!("{} m", number(length))
    };
    canvas.text([right, y - 6.0], "end", &label);
    drawn
}

/// Returns the larger one of the extents of a path in x and z in metres; 0 if no point is finite.
fn size_from_above(points: &[[f32; 3]]) -> f64 {
    let known = || points.iter().filter(|point| is_finite(point));
    let sizes = [0, 2].map(|axis| {
        let [low, high] = extent(known().map(|point| f64::from(point[axis])));
        high - low
    });
    sizes[0].max(sizes[1]).max(0.0)
}

/// Returns the name and the colour of a path on a sheet, whose legend is the same for all recordings.
fn of_legend(path: &WorldPath<'_>, palette: Palette) -> (&'static str, Colour) {
    match (path.device.map(|device| device.side()), &*path.name) {
        (Some(Some(Side::Left)), _) => (LEFT, path.colour),
        (Some(Some(Side::Right)), _) => (RIGHT, path.colour),
        (Some(None), _) => (OTHERS, Colour::solid(palette.gaze)),
        (None, "left palm") => ("left palm", path.colour),
        (None, "right palm") => ("right palm", path.colour),
        (None, _) => ("head", path.colour),
    }
}

fn timeline(canvas: &mut Canvas, analysis: &Analysis, rows: &[Row; 2], has_words: bool) {
    const ROW: f64 = 12.0;
    let palette = canvas.palette;
    let [left, right] = [MARGIN + 16.0, WIDTH - MARGIN];
    let [start, end] = [analysis.range.start, analysis.range.end].map(f64::from);
    let length = if end > start { end - start } else { 1.0 };
    let at = |time: f64| left + ((time - start) / length).clamp(0.0, 1.0) * (right - left);
    let mut y = TIMELINE;
    for ((side, label), row) in Side::BOTH.into_iter().zip(["L", "R"]).zip(rows) {
        // A row without bars would mean that the hand is not tracked.
        if !row.has_hand && !row.has_controller {
            y += ROW;
            continue;
        }
        if has_words {
            canvas.text([MARGIN, y + 9.0], "start", label);
        }
        canvas.line([left, y + 5.0], [right, y + 5.0], 0.15);
        let ranges = row.ranges.iter();
        let ranges = ranges.map(|range| [range.start, range.end].map(|time| at(time.into())));
        for bar in merged(ranges) {
            canvas.bar(bar, [y + 1.0, 8.0], palette.side(side), 0.35);
        }
        let mut events: Vec<[f64; 2]> = row.pinches.iter().chain(&row.presses).copied().collect();
        events.sort_by(|a, b| a[0].total_cmp(&b[0]));
        for bar in merged(events.into_iter().map(|event| event.map(at))) {
            canvas.bar(bar, [y + 1.0, 8.0], palette.side(side), 1.0);
        }
        y += ROW;
    }
    let (codes, ranges): (Vec<_>, Vec<_>) = damage(analysis, Panel::Timeline).into_iter().unzip();
    let bars = ranges.iter().flatten();
    let mut bars: Vec<[f64; 2]> = bars.map(|range| range.map(at)).collect();
    bars.sort_by(|a, b| a[0].total_cmp(&b[0]));
    for bar in merged(bars.into_iter()) {
        canvas.bar(bar, [y + 1.0, 4.0], palette.damage, 0.9);
    }
    let bottom = HEIGHT - 8.0;
    let [first, last] =
        [start, end].map(|time| format!("{} s", number(libm::round(time * 100.0) / 100.0)));
    canvas.text([left, bottom], "start", &first);
    if end > start {
        canvas.text([right, bottom], "end", &last);
    }
    if !codes.is_empty() {
        let codes: Vec<&str> = codes.iter().map(|code| code.id()).collect();
        let [from, to] = [
            left + text_width(&first) + 8.0,
            right - text_width(&last) - 8.0,
        ];
        let label = if has_words { "damage: " } else { "" };
        let text = fitted(&format!("{label}{}", codes.join(", ")), to - from);
        canvas.text([(from + to) / 2.0, bottom], "middle", &text);
    }
}

/// Draws thumbnails in rows; returns an SVG document. It uses only the width, the theme and the title of the options.
///
/// ```
/// use inputanim::Layout;
/// use inputanim_analysis::{Analysis, AnalysisParameters, PlotOptions, Theme, contact_sheet, thumbnail};
/// use inputanim_motion::{Motion, Scene};
///
/// let mut thumbnails = Vec::new();
/// for seed in 1..=4 {
///     let recording = Motion::new(Scene::Reach, seed, 5.0).record(30.0, Layout::Mrtk1_1);
///     let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
///     thumbnails.push(thumbnail(&analysis, &format!("take {seed}"), "", Theme::Light));
/// }
/// assert!(contact_sheet(&thumbnails, &PlotOptions::default()).starts_with("<svg"));
/// # Ok::<(), inputanim_analysis::AnalysisError>(())
/// ```
pub fn contact_sheet(thumbnails: &[Thumbnail], options: &PlotOptions) -> String {
    let theme = thumbnails
        .first()
        .map_or(options.theme, |first| first.theme);
    let mut canvas = Canvas::new(theme.palette());
    let width = options.width.clamp(WIDTH + 2.0 * GAP, 10_000.0);
    let columns = ((width - GAP) / (WIDTH + GAP)).max(1.0) as usize;
    let mut top = GAP;
    if let Some(title) = &options.title {
        let title = fitted(title, 0.9 * (width - 2.0 * GAP));
        canvas.heading([GAP, top + 12.0], &title);
        top += 24.0;
    }
    let palette = canvas.palette;
    let hands = [palette.left, palette.right];
    let mut used = Legend::default();
    for thumbnail in thumbnails {
        used.add(&thumbnail.legend);
    }
    let paths = used.sorted_paths(palette);
    let mut legend: Vec<(Swatch<'_>, &str)> = paths
        .iter()
        .map(|(name, colour)| (colour.swatch(), *name))
        .collect();
    let has = [used.has_hand, used.has_controller];
    let [states, events] =
        [["tracked", "active"], ["pinches", "presses"]].map(|names| joined(names, has, " or "));
    for (name, opacity) in [(&states, 0.35), (&events, 1.0)] {
        if !name.is_empty() {
            legend.push((Swatch::Band(&hands, opacity), name));
        }
    }
    if used.has_damage {
        legend.push((Swatch::Line(palette.damage), "damage"));
    }
    let ends = [GAP, width - GAP];
    top = canvas.legend(&legend, GAP, top + 10.0, ends);
    for line in lines(NOTE, width - 2.0 * GAP, 9) {
        top += 15.0;
        canvas.text([GAP, top], "start", &line);
    }
    top += 14.0;
    for (index, thumbnail) in thumbnails.iter().enumerate() {
        let (column, row) = (index % columns, index / columns);
        let x = GAP + column as f64 * (WIDTH + GAP);
        let y = top + row as f64 * (HEIGHT + GAP);
        canvas.push(format_args!(
            "<g transform=\"translate({x:.0} {y:.0})\">\n{}</g>",
            thumbnail.body
        ));
    }
    let rows = thumbnails.len().div_ceil(columns) as f64;
    canvas.finish([width, top + rows * (HEIGHT + GAP)])
}
