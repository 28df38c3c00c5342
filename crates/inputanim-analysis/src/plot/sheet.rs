//! A contact sheet: one small figure for each recording.

use inputanim::Side;

use super::axis::{number, round_step};
use super::canvas::{Canvas, fitted, lines, text_width};
use super::figure::{draw_path, extents, is_finite, merged, world_paths};
use super::{PlotOptions, Theme};
use crate::analysis::Analysis;

/// A small figure of a recording, or the error of a recording that cannot be read.
///
/// Its size does not depend on the length of the recording, so that a sheet of many recordings needs little
/// memory.
#[derive(Clone, Debug)]
pub struct Thumbnail {
    body: String,
    theme: Theme,
}

const WIDTH: f64 = 280.0;
const HEIGHT: f64 = 206.0;
const GAP: f64 = 12.0;
const MARGIN: f64 = 10.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// The top and the height of the paths.
const PATHS: [f64; 2] = [52.0, 92.0];

/// The top of the timeline.
const TIMELINE: f64 = 158.0;

/// Draws the thumbnail of a recording: its paths from above, and the time ranges of tracking, pinches and
/// damage. `details` are shown below the name.
pub fn thumbnail(analysis: &Analysis, name: &str, details: &str, theme: Theme) -> Thumbnail {
    let mut canvas = Canvas::new(theme.palette());
    let damage = analysis.quality.damage_codes();
    let palette = canvas.palette;
    let frame = (!damage.is_empty()).then_some(palette.damage);
    frame_and_names(&mut canvas, frame, name, details);
    let length = f64::from(analysis.range.length());
    let mut facts = vec![format!("{} s", number(libm::round(length * 10.0) / 10.0))];
    if !damage.is_empty() {
        let codes: Vec<&str> = damage.iter().map(|code| code.id()).collect();
        facts.push(format!("damaged: {}", codes.join(", ")));
    }
    for side in Side::BOTH {
        let tracked = &analysis.quality.tracked[side as usize];
        let seconds: f64 = tracked.iter().map(|range| f64::from(range.length())).sum();
        if !tracked.is_empty() && length > 0.0 {
            let letter = match side {
                Side::Left => "L",
                Side::Right => "R",
            };
            facts.push(format!("{letter} {:.0} %", 100.0 * seconds / length));
        }
    }
    let y = if details.is_empty() { 31.5 } else { 46.0 };
    canvas.text([MARGIN, y], "start", &fitted(&facts.join(" · "), INNER));
    paths(&mut canvas, analysis);
    timeline(&mut canvas, analysis);
    Thumbnail {
        body: canvas.body,
        theme,
    }
}

impl Thumbnail {
    /// Returns the thumbnail as an SVG document of its own, 280 × 206 pixels.
    pub fn to_svg(&self) -> String {
        let mut canvas = Canvas::new(self.theme.palette());
        canvas.push(format_args!("{}", self.body));
        canvas.finish([WIDTH, HEIGHT])
    }

    /// Draws the thumbnail of a recording that cannot be drawn, with the reason.
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

fn paths(canvas: &mut Canvas, analysis: &Analysis) {
    let paths = world_paths(analysis).map(|(_, path)| path.unwrap_or_default());
    let palette = canvas.palette;
    let Some(extents) = extents(paths.iter().flat_map(|path| path.iter())) else {
        canvas.text([MARGIN, PATHS[0] + 20.0], "start", "no positions");
        return;
    };
    let [x, _, z] = extents;
    let [width, height] = [x[1] - x[0], z[1] - z[0]];
    // The right end is for the scale.
    let scale = ((INNER - 70.0) / width).min(PATHS[1] / height);
    let bottom = PATHS[0] + PATHS[1];
    for (path, colour) in paths
        .iter()
        .zip([palette.head, palette.left, palette.right])
    {
        if !path.iter().any(is_finite) {
            continue;
        }
        let place = |point: &[f32; 3]| {
            let [px, _, pz] = point.map(f64::from);
            [MARGIN + (px - x[0]) * scale, bottom - (pz - z[0]) * scale]
        };
        let points: Vec<[f64; 2]> = path.iter().map(place).collect();
        let size = [width * scale, height * scale];
        draw_path(canvas, &points, size, [MARGIN, bottom - size[1]], colour);
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
}

fn timeline(canvas: &mut Canvas, analysis: &Analysis) {
    const ROW: f64 = 12.0;
    let palette = canvas.palette;
    let [left, right] = [MARGIN + 16.0, WIDTH - MARGIN];
    let [start, end] = [analysis.range.start, analysis.range.end].map(f64::from);
    let length = if end > start { end - start } else { 1.0 };
    let at = |time: f64| left + ((time - start) / length).clamp(0.0, 1.0) * (right - left);
    let mut y = TIMELINE;
    for (side, label) in Side::BOTH.into_iter().zip(["L", "R"]) {
        canvas.text([MARGIN, y + 9.0], "start", label);
        canvas.line([left, y + 5.0], [right, y + 5.0], 0.15);
        let tracked = analysis.quality.tracked[side as usize].iter();
        let tracked = tracked.map(|range| [range.start, range.end].map(|time| at(time.into())));
        for bar in merged(tracked) {
            canvas.bar(bar, [y + 1.0, 8.0], palette.side(side), 0.35);
        }
        let pinches = analysis.hand(side).recorded_pinches.iter();
        for bar in merged(pinches.map(|pinch| [at(pinch.start), at(pinch.end())])) {
            canvas.bar(bar, [y + 1.0, 8.0], palette.side(side), 1.0);
        }
        y += ROW;
    }
    let damage = analysis.quality.damaged_times(|_| true);
    let damage = damage
        .into_iter()
        .map(|range| [range.start, range.end].map(|time| at(time.into())));
    for bar in merged(damage) {
        canvas.bar(bar, [y + 1.0, 4.0], palette.damage, 0.9);
    }
    canvas.text([left, HEIGHT - 8.0], "start", "0 s");
    let label = format!("{} s", number(libm::round(length * 10.0) / 10.0));
    if end > start {
        canvas.text([right, HEIGHT - 8.0], "end", &label);
    }
}

/// Draws thumbnails in rows; returns an SVG document. Of the options, the width, the theme and the title are
/// used.
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
    let mut x = GAP;
    let legend = [
        (palette.head, "head"),
        (palette.left, "left palm"),
        (palette.right, "right palm"),
        (palette.damage, "damage"),
    ];
    for (colour, name) in legend {
        x = canvas.legend([x, top + 10.0], colour, name);
    }
    let note = "paths from above; bars: tracked, dark: pinches";
    if x + text_width(note) <= width {
        canvas.text([x, top + 10.0], "start", note);
    }
    top += 24.0;
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
