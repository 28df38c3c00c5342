//! The panel with paths in space, from above and from the right side.

use inputanim::names::ElementChoice;
use inputanim::{DeviceName, Element, Joint, Side};

use super::axis::{number, round_step, ticks};
use super::canvas::{Canvas, Swatch, text_width};
use super::curve::extent;
use super::figure::Figure;
use super::{Palette, path};
use crate::analysis::Analysis;
use crate::channels::forward;
use crate::device::DevicePose;

/// The largest height of a view.
const PATHS: f64 = 260.0;

/// The distance of two views, which contains the labels of an axis.
const GAP: f64 = 70.0;

/// The length of the arrows that show where an aim pose points, in metres.
const AIM: f64 = 0.2;

/// The height of the labels of a view and of the numbers below it.
const LABELS: [f64; 2] = [34.0, 18.0];

/// A view of the paths.
struct View {
    title: &'static str,
    directions: &'static str,
    /// The horizontal and the vertical axis.
    axes: [usize; 2],
}

const VIEWS: [View; 2] = [
    View {
        title: "from above",
        directions: "x right, z forward (m)",
        axes: [0, 2],
    },
    View {
        title: "from the right side",
        directions: "z forward, y up (m)",
        axes: [2, 1],
    },
];

impl Figure<'_> {
    pub(super) fn paths(&mut self) {
        let palette = self.canvas.palette;
        let samples = self.samples();
        let paths = world_paths(self.analysis, self.devices, palette);
        let colours: Vec<Colour> = paths.iter().map(|path| path.colour).collect();
        let paths = paths.into_iter().map(|path| {
            let points = path.points.get(samples.clone());
            (path.name, points.unwrap_or_default())
        });
        let paths: Vec<(String, &[[f32; 3]])> = paths.collect();
        let aims = self.aims();
        let [left, right] = self.x;
        let ends = aims.iter().flat_map(|aim| &aim.ends);
        let extents = extents(paths.iter().flat_map(|(_, path)| path.iter()).chain(ends));
        let Some(extents) = extents else {
            self.canvas.text([left, self.y + 9.0], "start", "paths (m)");
            self.canvas
                .text([left + 8.0, self.y + 30.0], "start", "no data");
            self.y += 40.0;
            return;
        };
        let known = paths.iter().zip(colours.iter().copied());
        let known = known.filter(|((_, path), _)| path.iter().any(is_finite));
        let mut entries: Vec<(Swatch<'_>, &str)> = known
            .map(|((name, _), colour)| (colour.swatch(), name.as_str()))
            .collect();
        let mut aim_colours: Vec<&str> = aims.iter().map(|aim| aim.colour).collect();
        aim_colours.dedup();
        let aim_name = format!("aim ({:.0} cm)", 100.0 * AIM);
        if !aims.is_empty() {
            entries.push((Swatch::Arrows(&aim_colours), &aim_name));
        }
        entries.extend([(Swatch::Start, "start"), (Swatch::End, "end")]);
        self.y = self.canvas.legend(&entries, left, self.y + 9.0, self.x) + 17.0;
        let size = extents.map(|[low, high]| high - low);
        let available = right - left;
        // Bold letters are wider.
        let label = VIEWS.map(|view| text_width(view.directions).max(1.1 * text_width(view.title)));
        let is_stacked = available < label[0] + GAP + label[1];
        // One scale for both views and all axes, so that angles and lengths can be compared.
        let mut scale = PATHS / size[2].max(size[1]);
        if is_stacked {
            scale = scale.min(available / size[0].max(size[2]));
        } else {
            scale = scale.min((available - GAP) / (size[0] + size[2]));
            if size[0] * scale < label[0] {
                // The labels of the first view are wider than the view.
                scale = scale.min((available - GAP - label[0]) / size[2]);
            }
        }
        let mut x = left;
        let mut lowest = self.y;
        for (view, label) in VIEWS.iter().zip(label) {
            let ends = view.axes.map(|axis| extents[axis]);
            let [width, height] = ends.map(|[low, high]| (high - low) * scale);
            self.canvas.heading([x, self.y + 9.0], view.title);
            self.canvas
                .text([x, self.y + 24.0], "start", view.directions);
            let bottom = self.y + LABELS[0] + height;
            self.grid(ends, [x, bottom], scale);
            let place = |point: &[f32; 3]| {
                let [across, up] = view.axes.map(|axis| f64::from(point[axis]));
                let across = x + (across - ends[0][0]) * scale;
                [across, bottom - (up - ends[1][0]) * scale]
            };
            let points = paths
                .iter()
                .map(|(_, path)| path.iter().map(place).collect());
            let points: Vec<Vec<[f64; 2]>> = points.collect();
            for Aim { colour, ends } in &aims {
                let [from, to] = ends.each_ref().map(place);
                self.canvas.arrow(from, to, colour);
            }
            let origin = [x, bottom - height];
            let mut moving = Vec::new();
            for (points, colour) in points.iter().zip(colours.iter().copied()) {
                if draw_path(&mut self.canvas, points, [width, height], origin, colour) {
                    moving.push((points, colour));
                }
            }
            // The ends are drawn after all paths, so that no path covers them.
            for (points, colour) in moving {
                let is_known = |point: &&[f64; 2]| point.iter().all(|value| value.is_finite());
                if let Some(end) = points.iter().rev().find(is_known) {
                    self.canvas.end_mark(*end, colour.name);
                }
                if let Some(start) = points.iter().find(is_known) {
                    self.canvas.start_mark(*start, colour.name);
                }
            }
            lowest = lowest.max(bottom + LABELS[1]);
            if is_stacked {
                self.y = lowest + 16.0;
            } else {
                x += width.max(label) + GAP;
            }
        }
        self.y = lowest;
    }

    /// Returns the arrows of the drawn poses `aim`, at the times that the time axes label. There is no arrow at a time at
    /// which the pose is unknown.
    fn aims(&self) -> Vec<Aim> {
        let channels = &self.analysis.channels;
        let samples = self.samples();
        let times = self.times();
        let palette = self.canvas.palette;
        let poses = channels.device_poses.iter().filter(|(pose, _)| {
            let is_drawn = Element::DevicePose(pose.device, pose.pose);
            pose.pose.as_str() == "aim" && self.devices.contains(is_drawn)
        });
        let mut aims = Vec::new();
        for (pose, drawn) in poses {
            let colour = palette.device(pose.device);
            for &time in &times {
                let index = libm::round(channels.place(time)) as usize;
                if !samples.contains(&index) {
                    continue;
                }
                let from = drawn.position[index];
                let direction = forward(drawn.rotation[index]);
                let to = std::array::from_fn(|axis| {
                    (f64::from(from[axis]) + AIM * f64::from(direction[axis])) as f32
                });
                if is_finite(&from) && is_finite(&to) {
                    let ends = [from, to];
                    aims.push(Aim { colour, ends });
                }
            }
        }
        aims
    }

    /// Draws a grid at round numbers of metres, with labels. `ends` are the smallest and the largest coordinate of the
    /// horizontal and of the vertical axis in metres. The lower left corner is in pixels, and `scale` is the number of
    /// pixels per metre.
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

pub(super) fn is_finite(point: &[f32; 3]) -> bool {
    point.iter().all(|value| value.is_finite())
}

/// An arrow that shows where a device points, with its ends in metres.
struct Aim {
    colour: &'static str,
    ends: [[f32; 3]; 2],
}

/// The colour of a path, which is dashed if another path of the figure is solid and has the same colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour {
    pub(super) name: &'static str,
    is_dashed: bool,
}

impl Colour {
    pub(super) fn solid(name: &'static str) -> Colour {
        let is_dashed = false;
        Colour { name, is_dashed }
    }

    pub(super) fn swatch(self) -> Swatch<'static> {
        if self.is_dashed {
            Swatch::Dashes(self.name)
        } else {
            Swatch::Line(self.name)
        }
    }
}

/// A path in the world with its name and colour.
pub(super) struct WorldPath<'a> {
    pub(super) name: String,
    /// The device of the path; `None` for the head and the palms.
    pub(super) device: Option<DeviceName>,
    pub(super) colour: Colour,
    /// Positions in metres; empty if the path is not recorded.
    pub(super) points: &'a [[f32; 3]],
}

/// Returns the paths of the head, both palms, and the poses of devices that are drawn: those that are chosen by name, or the
/// first of `grip`, `aim` and others of each device. A controller has the colour of its hand. Paths of the same colour differ
/// by dashes.
pub(super) fn world_paths<'a>(
    analysis: &'a Analysis,
    devices: &ElementChoice,
    palette: Palette,
) -> Vec<WorldPath<'a>> {
    let channels = &analysis.channels;
    let palm = |side: Side| channels.hand(side).joint(Joint::Palm);
    let mut paths: Vec<WorldPath<'a>> = [
        ("head", palette.head, channels.head_position.as_deref()),
        ("left palm", palette.left, palm(Side::Left)),
        ("right palm", palette.right, palm(Side::Right)),
    ]
    .into_iter()
    .map(|(name, colour, path)| WorldPath {
        name: name.to_owned(),
        device: None,
        colour: Colour::solid(colour),
        points: path.unwrap_or_default(),
    })
    .collect();
    let mut poses = channels.device_poses.iter().peekable();
    while let Some((first, _)) = poses.peek() {
        let device = first.device;
        let mut of_device = Vec::new();
        while let Some(found) = poses.next_if(|(pose, _)| pose.device == device) {
            of_device.push(found);
        }
        let is_chosen = |pose: DevicePose| devices.contains(Element::DevicePose(device, pose.pose));
        of_device.retain(|(pose, _)| is_chosen(*pose));
        // By default, one pose stands for the device. The poses are in the order of their names.
        let grip = of_device
            .iter()
            .position(|(pose, _)| pose.pose.as_str() == "grip");
        if devices.is_all() {
            let place = grip.unwrap_or_default();
            of_device = of_device.into_iter().skip(place).take(1).collect();
        }
        for (pose, samples) in of_device {
            let colour = free_colour(&paths, palette, device);
            paths.push(WorldPath {
                name: pose.to_string(),
                device: Some(device),
                colour,
                points: &samples.position,
            });
        }
    }
    paths
}

/// Returns a colour for a path of a device that no other recorded path has. If all are used, returns the colour of the device.
fn free_colour(paths: &[WorldPath<'_>], palette: Palette, device: DeviceName) -> Colour {
    let names = [palette.device(device), palette.gaze, palette.ink];
    let colours = names.map(|name| [false, true].map(|is_dashed| Colour { name, is_dashed }));
    let is_free = |colour: &Colour| {
        let mut known = paths
            .iter()
            .filter(|path| path.points.iter().any(is_finite));
        !known.any(|path| path.colour == *colour)
    };
    let mut colours = colours.into_iter().flatten();
    let free = colours.find(is_free);
    free.unwrap_or(Colour::solid(palette.device(device)))
}

/// Returns the smallest and the largest x, y and z of the finite points, with a margin and at least 10 cm apart. `None`
/// if no point is finite.
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

/// Draws a path through points in pixels. Returns `false` if it stands still, within 3 pixels; then it is drawn as a
/// dot. The view of the path has this `size` and the upper left corner `origin`.
pub(super) fn draw_path(
    canvas: &mut Canvas,
    points: &[[f64; 2]],
    size: [f64; 2],
    origin: [f64; 2],
    Colour { name, is_dashed }: Colour,
) -> bool {
    let known = points
        .iter()
        .filter(|point| point.iter().all(|value| value.is_finite()));
    let ends = [0, 1].map(|axis| extent(known.clone().map(|point| point[axis])));
    // A head that stands still would be invisible.
    if ends.iter().all(|[low, high]| high - low < 3.0) {
        let [x, y] = ends.map(|[low, high]| (low + high) / 2.0);
        if ends[0][0] <= ends[0][1] {
            canvas.push(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{name}\"/>"
            ));
        }
        return false;
    }
    let (path, is_area) = path::path(points, size, origin);
    if is_area {
        let opacity = if is_dashed { 0.35 } else { 0.7 };
        canvas.push(format_args!(
            "<path d=\"{path}\" fill=\"{name}\" fill-opacity=\"{opacity}\"/>"
        ));
    } else if is_dashed {
        canvas.stroke_dashed(&path, name);
    } else {
        canvas.stroke(&path, name);
    }
    true
}
