//! One picture of the terminal.

use inputanim::player::{Ending, Playback};
use inputanim::summary::HandSummary;
use inputanim::{Frame, HandFrame, Joint, Pose, Side, Span};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Text};
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line as Stroke};
use ratatui::widgets::{Block, Paragraph};

use super::show::Show;
use super::stage::{GAZE, View, along};

const LEFT: Color = Color::Cyan;
const RIGHT: Color = Color::Magenta;
const HEAD: Color = Color::White;
const EYES: Color = Color::Yellow;

/// Characters before a timeline, and after it.
const NAME: u16 = 8;

pub(super) fn draw(show: &mut Show, has_color: bool, picture: &mut ratatui::Frame<'_>) {
    let areas = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(3),
        Constraint::Length(1),
        Constraint::Length(1),
    ]);
    let [title, stage, lights, timeline, transport, keys] = areas.areas(picture.area());
    let frame = show.player.frame().clone();
    let mut heading = Line::from(show.title.as_str()).bold();
    if !show.damage.is_empty() {
        heading.push_span(format!("  damaged: {}", show.damage).red());
    }
    picture.render_widget(heading, title);
    draw_stage(show, &frame, picture, stage);
    picture.render_widget(lights_line(show, &frame), lights);
    picture.render_widget(timelines(show, timeline), timeline);
    picture.render_widget(transport_line(show), transport);
    let help = "space pause ←→ 1 s [] mark ,. frame ↑↓ speed r turn l end v view z zoom q quit";
    picture.render_widget(Line::from(help).dim(), keys);
    if !has_color {
        let area = picture.area();
        let plain = Style::new().fg(Color::Reset).bg(Color::Reset);
        picture.buffer_mut().set_style(area, plain);
    }
}

const fn color(side: Side) -> Color {
    match side {
        Side::Left => LEFT,
        Side::Right => RIGHT,
    }
}

fn draw_stage(show: &Show, frame: &Frame, picture: &mut ratatui::Frame<'_>, area: Rect) {
    let view = show.view;
    let block = Block::bordered().title(view.title());
    let inside = block.inner(area);
    let ([across, up], metres) = show.stage().bounds(view, inside.width, inside.height);
    let canvas = Canvas::default()
        .block(block.title_bottom(Line::from(scale_bar(metres)).right_aligned()))
        .marker(Marker::Braille)
        .x_bounds(across)
        .y_bounds(up)
        .paint(|context| {
            draw_head(frame, view, context);
            for side in Side::BOTH {
                draw_hand(frame.hand(side), color(side), view, context);
            }
        });
    picture.render_widget(canvas, area);
}

/// A line as long as a round number of metres.
fn scale_bar(metres_a_column: f64) -> String {
    let lengths = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
    let columns = |length: f64| (length / metres_a_column).round() as usize;
    let fitting = lengths
        .into_iter()
        .rev()
        .find(|&length| columns(length) <= 12);
    let length = fitting.unwrap_or(lengths[0]);
    let bar = "─".repeat(columns(length).min(40));
    match length < 1.0 {
        true => format!(" {bar} {:.0} cm ", length * 100.0),
        false => format!(" {bar} {length:.0} m "),
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

/// The head as a circle with a nose, and where the eyes look.
fn draw_head(frame: &Frame, view: View, context: &mut Context<'_>) {
    const RADIUS: f64 = 0.1;
    if let Some(head) = frame.camera {
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

/// Which hands are seen and pinch, and the last marker.
fn lights_line(show: &Show, frame: &Frame) -> Line<'static> {
    let mut line = Line::default();
    for side in Side::BOTH {
        let hand = frame.hand(side);
        let light = |on: bool| if on { '●' } else { '○' };
        let style = Style::new().fg(color(side));
        let text = format!(
            "{side} {} tracked {} pinch  ",
            light(hand.tracked),
            light(hand.tracked && hand.pinching)
        );
        line.push_span(ratatui::text::Span::styled(text, style));
    }
    if let Some(marker) = show.marker() {
        line.push_span(format!("▲ {:.3} s {}", marker.time, marker.name));
    }
    line
}

/// Both hands over the whole range, the markers, and where play is.
fn timelines(show: &Show, area: Rect) -> Text<'static> {
    let width = usize::from(area.width.saturating_sub(NAME));
    let range = show.player.range();
    let cell = |time: f32| {
        let share = f64::from(time - range.start) / f64::from(range.length());
        let share = if share.is_finite() { share } else { 0.0 };
        ((share * width as f64) as usize).min(width.saturating_sub(1))
    };
    let now = cell(show.player.time());
    let mut markers = vec![' '; width];
    for marker in show.player.sampler().markers() {
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
            ratatui::text::Span::styled(text(before), style),
            ratatui::text::Span::styled(text(here), style.reversed()),
            ratatui::text::Span::styled(text(after), style),
        ])
    };
    let hand = |side: Side| {
        let cells = (0..width).map(|index| {
            let at = |index: usize| range.start + range.length() * index as f32 / width as f32;
            let cell = Span {
                start: at(index),
                end: at(index + 1),
            };
            state(&show.hands[side as usize], cell)
        });
        line(side.name(), cells.collect(), Style::new().fg(color(side)))
    };
    Text::from(vec![
        hand(Side::Left),
        hand(Side::Right),
        line("markers", markers, Style::new()),
    ])
}

/// What a hand does somewhere in a stretch of time.
fn state(hand: &HandSummary, cell: Span) -> char {
    let is_on = |spans: &[Span]| {
        let overlaps = |span: &Span| span.start < cell.end && span.end > cell.start;
        spans.iter().any(overlaps)
    };
    match (is_on(&hand.tracked), is_on(&hand.pinching)) {
        (true, true) => '█',
        (true, false) => '▄',
        (false, _) => '·',
    }
}

fn transport_line(show: &Show) -> Paragraph<'static> {
    let player = &show.player;
    let sign = match player.playback() {
        Playback::Playing if !player.is_forward() => "◀",
        Playback::Playing => "▶",
        Playback::Paused | Playback::Stopped => "‖",
    };
    let ending = match player.ending() {
        Ending::Hold | Ending::Rewind => "once",
        Ending::Loop => "loop",
        Ending::PingPong => "to and fro",
    };
    let text = format!(
        "{sign} {:.3} of {:.3} s   speed {}   {ending}",
        player.time(),
        player.range().end,
        player.rate().abs(),
    );
    Paragraph::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::player::Player;
    use inputanim::summary::Summary;
    use inputanim::{Layout as FileLayout, Recording, Sampler};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};
    use snapbox::{assert_data_eq, file};

    fn show(recording: &Recording<'_>) -> Show {
        let mut player = Player::new(Sampler::new(recording).unwrap());
        player.play();
        let summary = Summary::of(recording);
        let title = "a take".to_owned();
        Show::new(title, String::new(), player, &summary, View::Front)
    }

    fn sample() -> Recording<'static> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let bytes = std::fs::read(format!("{root}/samples/two-hands.bin")).unwrap();
        Recording::parse(&bytes).unwrap().into_owned()
    }

    fn picture(show: &mut Show, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|picture| draw(show, true, picture)).unwrap();
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
        let mut show = show(&sample());
        show.advance(1.25);
        let expected = file!["../../../tests/pictures/front.txt"];
        let picture = picture(&mut show, 80, 24);
        assert_data_eq!(&picture, expected);
        let docs = include_str!("../../../../../docs/commands.md");
        let (_, below_the_title) = picture.split_once('\n').unwrap();
        assert!(
            docs.contains(below_the_title),
            "docs/commands.md shows another picture"
        );
    }

    #[test]
    fn keys_change_what_is_shown() {
        let mut show = show(&sample());
        for key in ['v', ']', ']', ' ', 'r', '+', 'l', 'z'] {
            show.press(KeyEvent::from(KeyCode::Char(key)));
        }
        show.advance(1.0);
        let expected = file!["../../../tests/pictures/top.txt"];
        assert_data_eq!(picture(&mut show, 80, 24), expected);
    }

    #[test]
    fn any_terminal_is_large_enough_not_to_fail() {
        let mut show = show(&sample());
        for (columns, rows) in [(1, 1), (3, 3), (10, 200), (200, 6), (0, 0), (300, 100)] {
            picture(&mut show, columns, rows);
        }
    }

    #[test]
    fn nothing_and_nonsense_can_be_looked_at() {
        let mut nothing = show(&Recording::new(FileLayout::Mrtk1_1));
        assert!(picture(&mut nothing, 80, 24).contains("0.000 of 0.000 s"));
        let mut take = Recording::new(FileLayout::Mrtk1_1);
        for (time, x) in [
            (0.0, f32::NAN),
            (1.0, f32::INFINITY),
            (2.0, 1e38),
            (3.0, -1e38),
        ] {
            take.camera_mut().push(time, &Pose::at([x, 0.0, x]));
        }
        let mut nonsense = show(&take);
        for _ in 0..30 {
            nonsense.advance(0.1);
            picture(&mut nonsense, 80, 24);
        }
    }
}
