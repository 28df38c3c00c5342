//! The timeline: states, events, damage and markers.

use inputanim::marker_names::prominent;
use inputanim::{DeviceName, Element, Side};

use super::Panel;
use super::canvas::{fitted, fitted_inside, small_width, text_width};
use super::figure::{Figure, damage};
use crate::analysis::Analysis;

/// The distance of two rows.
const ROW: f64 = 15.0;

/// The space between the name of a row and the timeline.
const NAME_END: f64 = 6.0;

/// A row of the timeline.
struct Row {
    name: String,
    ranges: Vec<[f64; 2]>,
    colour: &'static str,
    opacity: f64,
}

/// A bar of the row of looks: left and right end, and the target; `None` for looks at several targets that are
/// too short to see.
type LookBar = ([f64; 2], Option<usize>);

impl Figure<'_> {
    pub(super) fn timeline(&mut self) {
        let analysis = self.analysis;
        let top = self.y;
        let rows = self.rows();
        let has_looks = !analysis.parameters.targets.is_empty();
        let has_markers = !analysis.markers.is_empty();
        let count = rows.len() + usize::from(has_looks) + usize::from(has_markers);
        let bottom = top + ROW * count as f64 + 2.0;
        self.time_grid(top, bottom);
        for row in rows {
            self.row(&row.name);
            self.bars(&row.ranges, [self.y + 1.0, 11.0], row.colour, row.opacity);
            self.y += ROW;
        }
        let labels = if has_looks { self.looks() } else { Vec::new() };
        if has_markers {
            self.markers(top);
        }
        // The names are drawn after the markers, because the lines of the markers would cross them.
        for (place, name) in labels {
            self.canvas.label(place, "start", &name);
        }
        self.y = bottom;
        self.time_axis();
    }

    /// Returns the width in pixels that the names of the rows need on the left of the timeline, with the space around them.
    pub(super) fn names_width(&self) -> f64 {
        let widths = self.rows().into_iter().map(|row| text_width(&row.name));
        widths.fold(0.0, f64::max) + NAME_END + 8.0
    }

    fn rows(&self) -> Vec<Row> {
        let analysis = self.analysis;
        let palette = self.canvas.palette;
        let mut rows = Vec::new();
        let mut push = |name: String, ranges: Vec<[f64; 2]>, colour, opacity| {
            rows.push(Row {
                name,
                ranges,
                colour,
                opacity,
            });
        };
        for side in Side::BOTH
            .into_iter()
            .filter(|&side| has_hand(analysis, side))
        {
            let colour = palette.side(side);
            let hand = analysis.hand(side);
            let tracked = analysis.quality.tracked[side as usize].iter();
            let tracked = tracked.map(|range| [range.start.into(), range.end.into()]);
            let moving = hand.movements.iter();
            let moving = moving.map(|event| [event.start, event.start + event.duration]);
            let pinches = hand.recorded_pinches.iter();
            let pinches = pinches.map(|pinch| [pinch.start, pinch.end()]);
            push(format!("{side} tracked"), tracked.collect(), colour, 0.35);
            push(format!("{side} moves"), moving.collect(), colour, 0.7);
            push(format!("{side} pinches"), pinches.collect(), colour, 1.0);
        }
        for (device, active) in analysis.devices() {
            let colour = palette.device(device);
            if self.devices.contains(Element::Profile(device)) || self.devices.is_all() {
                let active = active.iter();
                let active = active.map(|range| [range.start.into(), range.end.into()]);
                push(device.to_string(), active.collect(), colour, 0.35);
            }
            let inputs = analysis.inputs.iter();
            let buttons = inputs.filter(|input| input.input.device == device && input.is_boolean);
            // A button that is never pressed has no row.
            for button in buttons.filter(|button| !button.presses.is_empty()) {
                let input = button.input.input;
                if self.devices.contains(Element::Input(device, input)) {
                    let presses = button.presses.iter();
                    let presses = presses.map(|press| [press.start, press.end()]);
                    push(
                        format!("{} {input}", short(device)),
                        presses.collect(),
                        colour,
                        1.0,
                    );
                }
            }
        }
        if let Some(gaze) = &analysis.gaze {
            let fixations = gaze.fixations.iter();
            let fixations = fixations.map(|event| [event.start, event.start + event.duration]);
            let name = "fixations".to_owned();
            push(name, fixations.collect(), palette.gaze, 0.7);
        }
        for (code, ranges) in damage(analysis, Panel::Timeline) {
            push(format!("damage {code}"), ranges, palette.damage, 0.9);
        }
        rows
    }

    /// Draws the name of a row of the timeline and its horizontal line at `self.y`.
    fn row(&mut self, name: &str) {
        let [left, right] = self.x;
        let name = fitted_inside(name, left - NAME_END - 2.0);
        self.canvas
            .text([left - NAME_END, self.y + 10.0], "end", &name);
        self.canvas
            .line([left, self.y + 6.5], [right, self.y + 6.5], 0.12);
    }

    /// Draws the row of the looks at targets. Returns the names of the targets to be drawn later, each with its
    /// position in pixels.
    fn looks(&mut self) -> Vec<([f64; 2], String)> {
        self.row("looks");
        let analysis = self.analysis;
        let gaze = self.canvas.palette.gaze;
        let looks = analysis.looks.iter();
        let looks = looks.map(|look| ([look.start, look.start + look.duration], look.target));
        let visible = looks.filter(|(range, _)| self.is_visible(range));
        let bars =
            look_bars(visible.map(|(range, target)| (range.map(|time| self.at(time)), target)));
        let mut labels = Vec::new();
        for ([start, end], target) in bars {
            // Looks at two targets can follow each other without a gap.
            let end = if end - start > 3.0 { end - 1.0 } else { end };
            self.canvas
                .bar([start, end], [self.y + 1.0, 11.0], gaze, 0.35);
            let available = end - start - 6.0;
            if let Some(target) = target.map(|target| &analysis.parameters.targets[target])
                && available > 20.0
            {
                // Labels are smaller than the text for which `fitted` computes the width, so they fit more characters.
                let name = fitted(&target.name, available * text_width("x") / small_width("x"));
                labels.push(([start + 3.0, self.y + 10.0], name));
            }
        }
        self.y += ROW;
        labels
    }

    fn markers(&mut self, top: f64) {
        let row = self.y;
        self.canvas
            .text([self.x[0] - 6.0, row + 11.0], "end", "markers");
        let (mut free, mut last) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let [start, end] = self.time;
        let markers = prominent(&self.analysis.markers).into_iter();
        let visible = |time: f64| start <= time && time <= end;
        let markers = markers.filter(|marker| visible(marker.time.into()));
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
}

/// Returns `true` if figures show the states of a hand. A hand that was never recorded, such as one that holds a controller,
/// has no states: an empty row would mean that it was not tracked.
pub(super) fn has_hand(analysis: &Analysis, side: Side) -> bool {
    let quality = &analysis.quality;
    let mut joints = quality.recorded.joints[side as usize].iter();
    let has_controller = || {
        analysis
            .devices()
            .any(|(name, _)| name.side() == Some(side))
    };
    let is_recorded = !quality.tracked[side as usize].is_empty()
        || joints.any(|(_, ranges)| !ranges.is_empty())
        || !has_controller();
    quality.has_hands && is_recorded
}

/// Returns a short name of a device for the names of rows: `right` for the controller in the right hand, `waist` for
/// `tracker.waist`.
fn short(device: DeviceName) -> &'static str {
    match (device.side(), device.as_str().split_once('.')) {
        (Some(side), _) => side.name(),
        (None, Some((_, name))) => name,
        (None, None) => device.as_str(),
    }
}

/// Merges bars of looks that are not distinguishable, so that their number is bounded by the width of the figure. Each
/// look has its left and right ends in pixels and the index of its target.
fn look_bars(looks: impl Iterator<Item = ([f64; 2], usize)>) -> Vec<LookBar> {
    let mut bars: Vec<LookBar> = Vec::new();
    for ([start, end], target) in looks {
        let is_short = end - start < 1.0;
        match bars.last_mut() {
            Some((last, of)) if start <= last[1] + 0.5 && *of == Some(target) => {
                last[1] = last[1].max(end);
            }
            // The target of a look that is narrower than a pixel is not visible.
            Some((last, None)) if start <= last[1] + 0.5 && is_short => last[1] = last[1].max(end),
            _ => bars.push(([start, end], (!is_short).then_some(target))),
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_merge_by_target_and_their_number_is_bounded() {
        let looks = [([0.0, 30.0], 0), ([30.2, 60.0], 0), ([60.0, 90.0], 1)];
        let bars = look_bars(looks.into_iter());
        assert_eq!(bars, [([0.0, 60.0], Some(0)), ([60.0, 90.0], Some(1))]);
        let flicker = (0..100_000).map(|index| {
            let x = f64::from(index) / 1000.0;
            ([x, x + 0.001], index as usize % 2)
        });
        assert_eq!(look_bars(flicker).len(), 1);
    }
}
