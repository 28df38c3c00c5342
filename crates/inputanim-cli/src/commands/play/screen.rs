//! One picture of the terminal.

use inputanim::headset;
use inputanim::info::HandInfo;
use inputanim::{
    DeviceFrame, DeviceName, Frame, HandFrame, InputValue, Joint, Pose, Side, TimeRange,
};
use inputanim::{EndAction, PlaybackState};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Block;
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line as Stroke};

use super::state::PlayState;
use super::view::{GAZE, View, along};
use crate::messages::text::{printable, quoted, seconds};

const LEFT: Color = Color::Cyan;
const RIGHT: Color = Color::Magenta;
const HEAD: Color = Color::White;
const EYES: Color = Color::Yellow;
/// Devices that are not in a hand.
const DEVICE: Color = Color::Green;

/// Characters before a timeline, and after it.
const NAME: u16 = 8;

pub(super) fn draw(state: &mut PlayState, has_color: bool, picture: &mut ratatui::Frame<'_>) {
    let frame = state.player.frame().clone();
    let width = picture.area().width;
    let heading = wrapped_items(heading(state), "  ", width);
    let lights = wrapped_items(lights(state, &frame), "   ", width);
    let transport = wrapped_items(transport(state), "   ", width);
    let keys = wrapped_items(KEYS.map(|key| key.dim()).to_vec(), "  ", width);
    let rows = |text: &Text<'_>| Constraint::Length(text.height() as u16);
    let areas = Layout::vertical([
        rows(&heading),
        Constraint::Min(3),
        rows(&lights),
        Constraint::Length(3 + state.devices.len().min(MAX_DEVICES) as u16),
        rows(&transport),
        rows(&keys),
    ]);
    let [top, scene, middle, timeline, bottom, help] = areas.areas(picture.area());
    picture.render_widget(heading, top);
    draw_scene(state, &frame, picture, scene);
    picture.render_widget(lights, middle);
    picture.render_widget(timelines(state, timeline), timeline);
    picture.render_widget(transport, bottom);
    picture.render_widget(keys, help);
    // ratatui does not know --color and NO_COLOR. Bold and dim text stays.
    if !has_color {
        let area = picture.area();
        let plain = Style::new().fg(Color::Reset).bg(Color::Reset);
        picture.buffer_mut().set_style(area, plain);
    }
}

/// The keys and their actions.
const KEYS: [&str; 10] = [
    "space pause",
    "←→ 1 s",
    ",. frame",
    "[] marker",
    "↑↓ speed",
    "r reverse",
    "l loop",
    "v view",
    "z zoom",
    "q quit",
];

/// Joins items to lines that are at most `width` columns wide, with `separator` between the items of a line. No item is
/// divided.
fn wrapped_items<'i>(items: Vec<Span<'i>>, separator: &'static str, width: u16) -> Text<'i> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for item in items {
        let needed = line.width() + separator.len() + item.width();
        if line.spans.is_empty() {
            line.push_span(item);
        } else if needed <= usize::from(width) {
            line.push_span(separator);
            line.push_span(item);
        } else {
            lines.push(std::mem::replace(&mut line, Line::from(item)));
        }
    }
    lines.push(line);
    Text::from(lines)
}

const fn color(side: Side) -> Color {
    match side {
        Side::Left => LEFT,
        Side::Right => RIGHT,
    }
}

fn draw_scene(state: &PlayState, frame: &Frame, picture: &mut ratatui::Frame<'_>, area: Rect) {
    let view = state.view;
    let block = Block::bordered().title(view.title());
    let inside = block.inner(area);
    let ([across, up], metres) = state.bounds().bounds(view, inside.width, inside.height);
    let block = block.title_bottom(legend());
    let canvas = Canvas::default()
        .block(block.title_bottom(Line::from(scale_bar(metres, inside.width)).right_aligned()))
        .marker(Marker::Braille)
        .x_bounds(across)
        .y_bounds(up)
        .paint(|context| {
            draw_head(frame, view, context);
            for side in Side::BOTH {
                draw_hand(frame.hand(side), color(side), view, context);
            }
            for device in &frame.devices {
                draw_device(device, view, context);
            }
            // Labels are drawn last, above all lines.
            for side in Side::BOTH {
                label_hand(frame.hand(side), side, view, context);
            }
            for device in &frame.devices {
                label_device(device, view, context);
            }
        });
    picture.render_widget(canvas, area);
}

/// Returns the meaning of the colours and shapes in the picture.
fn legend() -> Line<'static> {
    Line::from(vec![
        " L left".fg(LEFT),
        " R right".fg(RIGHT),
        " ○ head".fg(HEAD),
        " ─ gaze".fg(EYES),
        " ∘ pinch ".fg(EYES),
    ])
}

/// Draws a scale bar with its length, such as ` ──── 20 cm `, to be shown beside the legend. `width` is the width of
/// the picture in columns.
fn scale_bar(metres_a_column: f64, width: u16) -> String {
    let widest = usize::from(width / 6).clamp(1, 12);
    let lengths = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
    let columns = |length: f64| (length / metres_a_column).round() as usize;
    let fitting = lengths
        .into_iter()
        .rev()
        .find(|&length| columns(length) <= widest);
    let length = fitting.unwrap_or(lengths[0]);
    // On a very wide terminal even the shortest length may have many columns.
    let bar = "─".repeat(columns(length).min(40));
    if length < 1.0 {
        format!(" {bar} {:.0} cm ", length * 100.0)
    } else {
        format!(" {bar} {length:.0} m ")
    }
}

fn stroke(view: View, from: [f32; 3], to: [f32; 3], color: Color) -> Stroke {
    let ([x1, y1], [x2, y2]) = (view.project(from), view.project(to));
    Stroke {
        x1,
        y1,
        x2,
        y2,
        color,
    }
}

fn circle(view: View, centre: [f32; 3], radius: f64, color: Color) -> Circle {
    let [x, y] = view.project(centre);
    Circle {
        x,
        y,
        radius,
        color,
    }
}

/// Draws the head as a circle with a nose, and the gaze as a line.
fn draw_head(frame: &Frame, view: View, context: &mut Context<'_>) {
    const RADIUS: f64 = 0.1;
    if let Some(head) = frame.head {
        let forward = head.turn([0.0, 0.0, 1.0]);
        let nose = along(head.position, forward, 0.15);
        context.draw(&circle(view, head.position, RADIUS, HEAD));
        context.draw(&stroke(view, head.position, nose, HEAD));
    }
    if let Some(gaze) = frame.gaze {
        let end = along(gaze.origin, gaze.direction, GAZE);
        context.draw(&stroke(view, gaze.origin, end, EYES));
    }
}

fn draw_hand(hand: &HandFrame, color: Color, view: View, context: &mut Context<'_>) {
    let pose = |joint: Joint| -> Option<Pose> { hand.joints[joint] };
    for joint in Joint::ALL {
        if let (Some(to), Some(from)) = (pose(joint), joint.parent().and_then(pose)) {
            context.draw(&stroke(view, from.position, to.position, color));
        }
    }
    if let Some(tip) = pose(Joint::IndexTip).filter(|_| hand.pinching) {
        context.draw(&circle(view, tip.position, 0.02, EYES));
    }
}

/// Writes the initial of a hand at its wrist, since a terminal may have no colours.
fn label_hand(hand: &HandFrame, side: Side, view: View, context: &mut Context<'_>) {
    let wrist = hand.joints[Joint::Wrist].or(hand.joints[Joint::Palm]);
    if let Some(wrist) = wrist {
        let [x, y] = view.project(wrist.position);
        let initial = match side {
            Side::Left => "L",
            Side::Right => "R",
        };
        context.print(x, y, initial.fg(color(side)).bold());
    }
}

fn device_color(device: DeviceName) -> Color {
    device.side().map_or(DEVICE, color)
}

/// The length of the line that shows where a device points, in metres.
const AIM: f32 = 0.3;

/// Returns the pose that shows where a device is: `grip`, or else its first pose.
fn place(device: &DeviceFrame) -> Option<Pose> {
    let mut poses = device.poses.iter();
    let grip = poses.clone().find(|(name, _)| name.as_str() == "grip");
    grip.or_else(|| poses.next()).map(|(_, pose)| *pose)
}

/// Draws a device as a circle where it is, and its aim ray as a line.
fn draw_device(device: &DeviceFrame, view: View, context: &mut Context<'_>) {
    let color = device_color(device.name);
    if let Some(pose) = place(device) {
        context.draw(&circle(view, pose.position, 0.03, color));
    }
    let mut poses = device.poses.iter();
    if let Some((_, aim)) = poses.find(|(name, _)| name.as_str() == "aim") {
        let end = along(aim.position, aim.turn([0.0, 0.0, 1.0]), AIM);
        context.draw(&stroke(view, aim.position, end, color));
    }
}

/// Writes the first letter of a device at its place: of the side of a controller in small, or of the name of another device.
fn label_device(device: &DeviceFrame, view: View, context: &mut Context<'_>) {
    let Some(pose) = place(device) else { return };
    let [x, y] = view.project(pose.position);
    let name = match (device.name.side(), device.name.as_str().split_once('.')) {
        (None, Some((_, name))) => name,
        _ => device.name.as_str(),
    };
    let letter: String = name.chars().take(1).collect();
    context.print(x, y, letter.fg(device_color(device.name)).bold());
}

/// Returns a text for each device: its profile, the buttons that are pressed, and the inputs with numbers that are not 0.
fn device_lights(frame: &Frame) -> impl Iterator<Item = Span<'static>> {
    let devices = frame.devices.iter();
    // The values of the headset are too many for a line.
    let devices = devices.filter(|device| device.name != headset::name());
    devices.map(|device| {
        let color = device_color(device.name);
        if !device.active {
            return format!("{} ○ not active", device.name).fg(color);
        }
        let inputs = device
            .inputs
            .iter()
            .filter_map(|(input, value)| match value {
                InputValue::Boolean(is_on) => is_on.then(|| input.to_string()),
                InputValue::Float(value) => (*value != 0.0).then(|| format!("{input} {value:.2}")),
            });
        let profile = device.profile.as_deref().unwrap_or("profile unknown");
        let profile = profile.strip_prefix(PROFILES).unwrap_or(profile);
        let mut texts = vec![format!("{} ● {}", device.name, printable(profile))];
        texts.extend(inputs);
        texts.join("  ").fg(color)
    })
}

/// The beginning of all names of OpenXR's interaction profiles.
const PROFILES: &str = "/interaction_profiles/";

/// Returns the title (file name and layout) and the codes of damage, if there are any.
fn heading(state: &PlayState) -> Vec<Span<'_>> {
    let mut items = vec![state.title.as_str().bold()];
    if !state.damage.is_empty() {
        items.push(format!("damaged: {}", state.damage).red());
    }
    items
}

/// Returns texts for the states of both hands (`●` on, `○` off) and for the last marker.
fn lights(state: &PlayState, frame: &Frame) -> Vec<Span<'static>> {
    let light = |on: bool| if on { '●' } else { '○' };
    let hand = |side: Side| {
        let hand = frame.hand(side);
        let tracked = light(hand.tracked);
        let pinching = light(hand.tracked && hand.pinching);
        format!("{side} {tracked} tracked {pinching} pinch").fg(color(side))
    };
    let mut items = Side::BOTH.map(hand).to_vec();
    items.extend(device_lights(frame));
    if let Some(marker) = state.marker() {
        let name = quoted(&marker.name, 40);
        items.push(format!("▲ {} s {name}", seconds(marker.time)).into());
    }
    items
}

/// Returns the timelines of both hands, of the first devices and of the markers, with the current time.
fn timelines(state: &PlayState, area: Rect) -> Text<'static> {
    let width = usize::from(area.width.saturating_sub(NAME));
    let range = state.player.range();
    let cell = |time: f32| {
        let share = f64::from(time - range.start) / f64::from(range.length());
        // A recording of one instant has length 0.
        let share = if share.is_finite() { share } else { 0.0 };
        ((share * width as f64) as usize).min(width.saturating_sub(1))
    };
    let now = cell(state.player.time());
    let mut markers = vec![' '; width];
    for marker in &state.markers {
        if marker.time >= range.start && marker.time <= range.end && width > 0 {
            markers[cell(marker.time)] = '▲';
        }
    }
    let line = |name: &str, cells: Vec<char>, style: Style| {
        let text = |cells: &[char]| cells.iter().collect::<String>();
        let (before, rest) = cells.split_at(now.min(cells.len()));
        let (here, after) = rest.split_at(rest.len().min(1));
        Line::from(vec![
            format!("{name:<width$}", width = usize::from(NAME)).into(),
            Span::styled(text(before), style),
            Span::styled(text(here), style.reversed()),
            Span::styled(text(after), style),
        ])
    };
    let cells = |states: &HandInfo| -> Vec<char> {
        let cells = (0..width).map(|index| {
            let at = |index: usize| range.start + range.length() * index as f32 / width as f32;
            let cell = TimeRange {
                start: at(index),
                end: at(index + 1),
            };
            state_symbol(states, cell)
        });
        cells.collect()
    };
    let hand = |side: Side| {
        let style = Style::new().fg(color(side));
        line(side.name(), cells(&state.hands[side as usize]), style)
    };
    let mut lines = vec![hand(Side::Left), hand(Side::Right)];
    lines.extend(state.devices.iter().take(MAX_DEVICES).map(|device| {
        let style = Style::new().fg(device_color(device.name));
        let name = match (device.name.side(), device.name.as_str().split_once('.')) {
            (Some(Side::Left), _) => "l contr",
            (Some(Side::Right), _) => "r contr",
            (None, Some((_, name))) => name,
            (None, None) => device.name.as_str(),
        };
        let name: String = name.chars().take(usize::from(NAME) - 1).collect();
        line(&name, cells(&device.states), style)
    }));
    lines.push(line("markers", markers, Style::new()));
    Text::from(lines)
}

/// The largest number of devices that have a timeline.
const MAX_DEVICES: usize = 6;

/// Returns the character for a hand or a device in a time range: `█` if it pinches or a button is pressed, `▄` if it is only
/// tracked or active, `·` if it is neither.
fn state_symbol(hand: &HandInfo, cell: TimeRange) -> char {
    let is_on = |spans: &[TimeRange]| {
        let overlaps = |span: &TimeRange| span.start < cell.end && span.end > cell.start;
        spans.iter().any(overlaps)
    };
    match (is_on(&hand.tracked), is_on(&hand.pinching)) {
        (true, true) => '█',
        (true, false) => '▄',
        (false, _) => '·',
    }
}

/// Returns texts for the state of playback (time, speed, action at the end) and for the effect of the last key that was
/// pressed.
fn transport(state: &PlayState) -> Vec<Span<'static>> {
    let player = &state.player;
    let sign = match player.playback() {
        PlaybackState::Playing if !player.is_forward() => "◀",
        PlaybackState::Playing => "▶",
        PlaybackState::Paused | PlaybackState::Stopped => "‖",
    };
    let ending = match player.ending() {
        EndAction::Loop => "loop",
        EndAction::PingPong => "to and fro",
        _ => "once",
    };
    let (now, end) = (seconds(player.time()), seconds(player.range().end));
    let mut items: Vec<Span<'static>> = vec![
        format!("{sign} {now} of {end} s").into(),
        format!("speed {}", player.rate().abs()).into(),
        ending.into(),
    ];
    if !state.feedback.is_empty() {
        items.push(format!("→ {}", state.feedback).bold());
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Player;
    use inputanim::info::Info;
    use inputanim::{Layout as FileLayout, Recording, Sampler};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};
    use snapbox::{assert_data_eq, file};

    fn state(recording: &Recording<'_>) -> PlayState {
        let mut player = Player::new(Sampler::new(recording).unwrap());
        player.play();
        let info = Info::of(recording);
        let title = "a take".to_owned();
        PlayState::new(title, String::new(), player, recording, &info, View::Front)
    }

    fn sample() -> Recording<'static> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let bytes = std::fs::read(format!("{root}/samples/two-hands.bin")).unwrap();
        Recording::parse(&bytes).unwrap().into_owned()
    }

    fn picture(state: &mut PlayState, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|picture| draw(state, true, picture)).unwrap();
        let buffer = terminal.backend().buffer();
        let lines = buffer.content().chunks(usize::from(columns.max(1)));
        let line = |cells: &[ratatui::buffer::Cell]| -> String {
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            format!("{}\n", text.trim_end())
        };
        lines.map(line).collect()
    }

    #[test]
    fn both_hands_the_head_and_the_timeline_are_drawn() {
        let mut state = state(&sample());
        state.advance(1.25);
        let expected = file!["../../../tests/pictures/front.txt"];
        let picture = picture(&mut state, 80, 24);
        assert_data_eq!(&picture, expected);
        let docs = include_str!("../../../../../docs/commands.md");
        let (_, below_the_title) = picture.split_once('\n').unwrap();
        assert!(
            docs.contains(below_the_title),
            "docs/commands.md shows another picture"
        );
    }

    #[test]
    fn controllers_are_drawn_with_their_rays_and_inputs() {
        let mut recording = sample();
        recording.hands = None;
        let right = recording.device_mut(DeviceName::controller(Side::Right));
        right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
        let pose = Pose::at([0.3, 1.2, 0.4]);
        for name in ["aim", "grip"] {
            right.pose_mut(name.parse().unwrap()).push(0.0, &pose);
        }
        for (name, value) in [
            ("a/click", InputValue::Boolean(true)),
            ("b/click", InputValue::Boolean(false)),
            ("squeeze/force", InputValue::Float(0.0)),
            ("trigger/value", InputValue::Float(0.75)),
        ] {
            right.push_input(name.parse().unwrap(), 1.0, value);
        }
        recording
            .device_mut("tracker.waist".parse().unwrap())
            .pose_mut("grip".parse().unwrap())
            .push(0.0, &Pose::at([-0.3, 0.9, 0.1]));
        let mut state = state(&recording);
        state.advance(1.25);
        let expected = file!["../../../tests/pictures/controllers.txt"];
        assert_data_eq!(picture(&mut state, 80, 24), expected);
        for (columns, rows) in [(1, 1), (3, 3), (200, 6), (0, 0)] {
            picture(&mut state, columns, rows);
        }
    }

    #[test]
    fn keys_change_what_is_shown() {
        let mut state = state(&sample());
        for key in ['v', ']', ']', ' ', 'r', '+', 'l', 'z'] {
            state.press(KeyEvent::from(KeyCode::Char(key)));
        }
        state.advance(1.0);
        let expected = file!["../../../tests/pictures/top.txt"];
        assert_data_eq!(picture(&mut state, 80, 24), expected);
    }

    #[test]
    fn a_terminal_of_any_size_is_drawn_without_a_panic() {
        let mut state = state(&sample());
        for (columns, rows) in [(1, 1), (3, 3), (10, 200), (200, 6), (0, 0), (300, 100)] {
            picture(&mut state, columns, rows);
        }
    }

    #[test]
    fn empty_and_non_finite_recordings_are_drawn_without_a_panic() {
        let mut nothing = state(&Recording::new(FileLayout::Mrtk1_1));
        assert!(picture(&mut nothing, 80, 24).contains("0.000 of 0.000 s"));
        let mut recording = Recording::new(FileLayout::Mrtk1_1);
        for (time, x) in [
            (0.0, f32::NAN),
            (1.0, f32::INFINITY),
            (2.0, 1e38),
            (3.0, -1e38),
        ] {
            recording.head_mut().push(time, &Pose::at([x, 0.0, x]));
        }
        let mut nonsense = state(&recording);
        for _ in 0..30 {
            nonsense.advance(0.1);
            picture(&mut nonsense, 80, 24);
        }
    }
}
