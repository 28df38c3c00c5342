//! Properties of figures: damage, thresholds, gaps, ends of paths, looks and narrow figures.

use inputanim::names::ElementChoice;
use inputanim::{
    CurveMut, CurvePath, DeviceFrame, Frame, InputValue, Joint, Keys, Layout, Pose, PoseChannel,
    Ray, Recorder, Recording, Side, Stream, TimeRange, edit,
};
use inputanim_analysis::{
    Analysis, AnalysisParameters, Panel, PlotOptions, Shape, Target, Theme, contact_sheet, plot,
    thumbnail,
};

/// Both hands from 0 s to 4 s. The right one pinches from 1 s to 2 s, and is lost from 2.5 s to 3 s. The gaze moves
/// from one target to the other at 2 s.
fn recording() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let range = TimeRange {
        start: 0.0,
        end: 4.0,
    };
    for time in range.times_at(60.0) {
        let mut frame = Frame {
            time,
            head: Some(Pose {
                position: [0.1 * time, 1.6, 0.1 * time],
                rotation: [0.0, (0.2 * time).sin(), 0.0, (0.2 * time).cos()],
            }),
            ..Frame::default()
        };
        let x = if time < 2.0 { -0.5 } else { 0.5 };
        frame.gaze = Some(Ray {
            origin: [0.0, 1.6, 0.0],
            direction: [x, 0.0, 1.0],
        });
        let is_closed = (1.0..2.0).contains(&time);
        let gap = if is_closed { 0.005 } else { 0.06 };
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            hand.tracked = side == Side::Left || !(2.5..3.0).contains(&time);
            let x = 0.1 * (2.0 * time).sin();
            hand.joints[Joint::Palm] = Some(Pose::at([x, 1.0, 0.4 + 0.1 * time]));
            if side == Side::Right {
                hand.joints[Joint::ThumbTip] = Some(Pose::at([x, 1.0, 0.4]));
                hand.joints[Joint::IndexTip] = Some(Pose::at([x, 1.0 + gap, 0.4]));
            }
        }
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

/// Devices from 0 s to 2 s: each moves to the right, points forwards, and its buttons are on from 0.5 s to 1 s. With
/// `has_hands`, the palms are tracked too.
fn devices(names: &[&str], buttons: &[&str], has_hands: bool) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let range = TimeRange {
        start: 0.0,
        end: 2.0,
    };
    for time in range.times_at(60.0) {
        let mut frame = Frame {
            time,
            ..Frame::default()
        };
        for (index, name) in names.iter().enumerate() {
            let mut device = DeviceFrame::new(name.parse().unwrap());
            device.active = true;
            let pose = Pose::at([0.1 * time, 1.0 + 0.1 * index as f32, 0.4]);
            for name in ["aim", "grip"] {
                device.poses.push((name.parse().unwrap(), pose));
            }
            for button in buttons {
                let is_on = InputValue::Boolean((0.5..1.0).contains(&time));
                device.inputs.push((button.parse().unwrap(), is_on));
            }
            frame.devices.push(device);
        }
        for side in Side::BOTH.into_iter().filter(|_| has_hands) {
            let hand = frame.hand_mut(side);
            hand.tracked = true;
            hand.joints[Joint::Palm] = Some(Pose::at([0.1 * time, 1.0, 0.5]));
        }
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

const CONTROLLERS: [&str; 2] = ["left.controller", "right.controller"];
const BUTTONS: [&str; 2] = ["thumbstick/click", "thumbstick/touch"];

/// Removes the keys of some curves from an index on.
fn truncate(recording: &mut Recording<'_>, keys: usize, is_cut: impl Fn(CurvePath) -> bool) {
    for (path, curve) in recording.curves_mut() {
        if let CurveMut::Float(curve) = curve
            && is_cut(path)
            && let Keys::Simple(simple) = &mut curve.keys
        {
            simple.to_mut().truncate(keys);
        }
    }
}

fn targets() -> AnalysisParameters {
    let mut options = AnalysisParameters::default();
    options.targets = [("left cup", -0.5), ("right cup", 0.5)]
        .map(|(name, x)| {
            let centre = [2.0 * x, 1.6, 2.0];
            let radius = 0.3;
            Target::new(name, Shape::Sphere { centre, radius })
        })
        .into();
    options
}

fn figure(recording: &Recording<'_>, panel: Panel) -> String {
    let analysis = Analysis::of(recording, &targets()).unwrap();
    let mut options = PlotOptions::default();
    options.panels = vec![panel];
    plot(&analysis, &options)
}

/// The attributes of an element as numbers.
fn numbers<const N: usize>(element: &str, names: [&str; N]) -> [f64; N] {
    names.map(|name| {
        let start = element.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        let text = &element[start..];
        text[..text.find('"').unwrap()].parse().unwrap()
    })
}

fn texts(figure: &str) -> Vec<(f64, &str, &str)> {
    let elements = figure.lines().filter(|line| line.starts_with("<text"));
    let text = |line: &'_ str| -> (usize, usize) {
        let start = line.find('>').unwrap() + 1;
        (start, line.rfind("</text>").unwrap())
    };
    elements
        .map(|line| {
            let (start, end) = text(line);
            (numbers(line, ["x"])[0], &line[..start], &line[start..end])
        })
        .collect()
}

const HATCHED: &str = "fill=\"url(#damage-";

#[test]
fn damage_of_rotations_is_only_in_the_timeline() {
    let mut damaged = recording();
    truncate(&mut damaged, 1, |path| {
        matches!(
            path,
            CurvePath::Head(PoseChannel::RotationW)
                | CurvePath::Joint(_, _, PoseChannel::RotationW)
        )
    });
    let timeline = figure(&damaged, Panel::Timeline);
    let row = timeline
        .find(">damage D1<")
        .expect("the timeline has a row");
    // The damage has no time, so that the bar is as wide as the panel: 900 − 104 − 18.
    assert!(timeline[row..].contains("width=\"778.0\" height=\"11.0\" fill=\"#e69f00\""));
    for panel in [Panel::Speed, Panel::Aperture, Panel::Gaze, Panel::Paths] {
        let figure = figure(&damaged, panel);
        assert!(!figure.contains(HATCHED), "{panel:?}");
        assert!(!figure.contains("damage"), "{panel:?}");
    }
}

#[test]
fn damage_is_in_the_panels_of_its_streams() {
    // Of 241 keys, the last 120 are lost.
    let mut gaze = recording();
    truncate(&mut gaze, 121, |path| path.stream() == Stream::Gaze);
    let mut hand = recording();
    let joints = Stream::Joints(Side::Left);
    truncate(&mut hand, 121, |path| path.stream() == joints);
    for (recording, panels) in [
        (gaze, &[Panel::Gaze][..]),
        (hand, &[Panel::Speed, Panel::Aperture]),
    ] {
        assert!(figure(&recording, Panel::Timeline).contains(">damage D3<"));
        for panel in [Panel::Speed, Panel::Aperture, Panel::Gaze] {
            let figure = figure(&recording, panel);
            // One in the legend, and one band.
            let expected = if panels.contains(&panel) { 2 } else { 0 };
            assert_eq!(figure.matches(HATCHED).count(), expected, "{panel:?}");
            assert_eq!(figure.contains(">damage D3<"), expected > 0, "{panel:?}");
        }
    }
}

#[test]
fn the_aperture_has_its_thresholds_and_geometric_pinches() {
    let recording = recording();
    let drawn = figure(&recording, Panel::Aperture);
    assert_eq!(drawn.matches("stroke-dasharray").count(), 2);
    for name in ["close", "open", "geometric pinch"] {
        assert!(drawn.contains(&format!(">{name}<")), "{name}");
    }
    // From 1 s to 2 s of 4 s.
    let bands = drawn
        .lines()
        .filter(|line| line.contains("height=\"110.0\""));
    let bands: Vec<&str> = bands.collect();
    assert_eq!(bands.len(), 1);
    let [x, width] = numbers(bands[0], ["x", "width"]);
    assert!((x - 104.0 - 778.0 / 4.0).abs() < 4.0, "{x}");
    assert!((width - 778.0 / 4.0).abs() < 8.0, "{width}");
    // Thresholds far above the values are not drawn.
    let mut options = AnalysisParameters::default();
    (options.pinches.close, options.pinches.open) = (5.0, 6.0);
    let analysis = Analysis::of(&recording, &options).unwrap();
    let mut panels = PlotOptions::default();
    panels.panels = vec![Panel::Aperture];
    assert!(!plot(&analysis, &panels).contains("stroke-dasharray"));
}

#[test]
fn curves_and_paths_have_gaps_where_a_hand_is_lost() {
    let recording = recording();
    let analysis = Analysis::of(&recording, &AnalysisParameters::default()).unwrap();
    let parts = |panel: Panel, colour: &str| {
        let mut options = PlotOptions::default();
        options.panels = vec![panel];
        let figure = plot(&analysis, &options);
        let stroke = format!("fill=\"none\" stroke=\"{colour}\"");
        let line = figure.lines().find(|line| line.contains(&stroke));
        line.unwrap().matches('M').count()
    };
    for panel in [Panel::Speed, Panel::Paths] {
        assert_eq!(parts(panel, "#0072b2"), 1, "{panel:?}");
        assert_eq!(parts(panel, "#d55e00"), 2, "{panel:?}");
    }
}

#[test]
fn time_axes_have_a_grid() {
    for panel in [Panel::Timeline, Panel::Speed, Panel::Aperture, Panel::Gaze] {
        let figure = figure(&recording(), panel);
        // 0 s to 4 s, each 0.5 s.
        let vertical = figure.lines().filter(|line| {
            let Some((from, to)) = line
                .strip_prefix("<path d=\"M")
                .and_then(|line| line.split_once('L'))
            else {
                return false;
            };
            let is_grid = line.contains("stroke-opacity=\"0.12\"");
            is_grid && from.split(' ').next() == to.split(' ').next()
        });
        assert_eq!(vertical.count(), 9, "{panel:?}");
    }
}

#[test]
fn a_time_axis_has_at_least_two_labels() {
    let analysis = Analysis::of(&recording(), &AnalysisParameters::default()).unwrap();
    let mut options = PlotOptions::default();
    options.width = 300.0;
    options.panels = vec![Panel::Timeline];
    options.time = Some(TimeRange {
        start: 0.2,
        end: 3.9,
    });
    let figure = plot(&analysis, &options);
    let labels = texts(&figure);
    let labels = labels
        .iter()
        .filter(|(_, attributes, _)| attributes.contains("\"middle\""));
    assert!(labels.count() >= 2, "{figure}");
}

#[test]
fn paths_have_a_start_and_an_end() {
    let figure = figure(&recording(), Panel::Paths);
    // Head and both palms in two views, and the legend.
    assert_eq!(figure.matches("<circle").count(), 7);
    let squares = figure.matches("width=\"5.2\" height=\"5.2\"");
    assert_eq!(squares.count(), 7);
    for text in [
        "start",
        "end",
        "from above",
        "x right, z forward (m)",
        "from the right side",
        "z forward, y up (m)",
    ] {
        assert!(figure.contains(&format!(">{text}<")), "{text}");
    }
}

#[test]
fn looks_are_labelled_by_their_targets() {
    let drawn = figure(&recording(), Panel::Timeline);
    let places: Vec<(f64, &str)> = texts(&drawn)
        .into_iter()
        .filter(|(_, _, text)| text.ends_with("cup"))
        .map(|(x, _, text)| (x, text))
        .collect();
    let names: Vec<&str> = places.iter().map(|(_, text)| *text).collect();
    assert_eq!(names, ["left cup", "right cup"]);
    // 2 s of 4 s.
    assert!(
        (places[1].0 - 104.0 - 778.0 / 2.0).abs() < 10.0,
        "{places:?}"
    );
    let analysis = Analysis::of(&recording(), &AnalysisParameters::default()).unwrap();
    assert!(!plot(&analysis, &PlotOptions::default()).contains(">looks<"));
}

#[test]
fn names_of_inputs_differ_in_the_timeline() {
    let recording = devices(&CONTROLLERS, &BUTTONS, false);
    let analysis = Analysis::of(&recording, &targets()).unwrap();
    let mut options = PlotOptions::default();
    options.panels = vec![Panel::Timeline];
    let names = |options: &PlotOptions| -> Vec<String> {
        let figure = plot(&analysis, options);
        let texts = texts(&figure).into_iter();
        let names = texts.filter(|(_, attributes, _)| attributes.contains("\"end\""));
        names.map(|(_, _, text)| text.to_owned()).collect()
    };
    let wide = names(&options);
    for name in ["left thumbstick.click", "right thumbstick.touch"] {
        assert!(wide.contains(&name.to_owned()), "{wide:?}");
    }
    // Hands that are not recorded have no rows.
    assert!(
        !wide.iter().any(|name| name.contains("tracked")),
        "{wide:?}"
    );
    options.width = 300.0;
    let mut narrow = names(&options);
    let count = narrow.len();
    narrow.sort();
    narrow.dedup();
    assert_eq!(narrow.len(), count, "{narrow:?}");
    assert!(
        narrow.iter().any(|name| name.ends_with(".click")),
        "{narrow:?}"
    );
}

#[test]
fn paths_have_the_rays_of_aim_poses() {
    let recording = devices(&CONTROLLERS, &BUTTONS, false);
    let svg = figure(&recording, Panel::Paths);
    assert!(svg.contains(">aim (20 cm)<"), "{svg}");
    // Each view has an arrow of each controller at 0, 0.5, 1, 1.5 and 2 s. From above, arrows point to the upper end.
    let arrows = |svg: &str| {
        let lines = svg.lines().filter(|line| line.matches('M').count() == 2);
        lines.filter(|line| line.contains("stroke=")).count()
    };
    let of_legend = 2;
    assert_eq!(arrows(&svg), of_legend + 2 * 2 * 5);
    // Only chosen poses have arrows.
    let analysis = Analysis::of(&recording, &targets()).unwrap();
    let mut options = PlotOptions::default();
    options.panels = vec![Panel::Paths];
    options.devices = ElementChoice::new(["right.controller.grip"], [""; 0]).unwrap();
    let svg = plot(&analysis, &options);
    assert_eq!(arrows(&svg), 0);
    assert!(!svg.contains("aim ("));
}

#[test]
fn paths_of_one_colour_differ_by_dashes() {
    let names = [
        "left.controller",
        "right.controller",
        "tracker.chest",
        "tracker.waist",
    ];
    let dashed = |has_hands| {
        let svg = figure(&devices(&names, &[], has_hands), Panel::Paths);
        svg.lines()
            .filter(|line| line.contains("stroke-dasharray"))
            .count()
    };
    // The second tracker, and both controllers beside the hands, from above. From the side they stand still.
    assert_eq!([dashed(false), dashed(true)], [1, 3]);
}

#[test]
fn a_sheet_explains_what_its_recordings_have() {
    let legend = |recordings: &[Recording<'_>]| -> Vec<String> {
        let drawn = recordings.iter().map(|recording| {
            let analysis = Analysis::of(recording, &AnalysisParameters::default()).unwrap();
            thumbnail(&analysis, "name", "", Theme::Light)
        });
        let drawn: Vec<_> = drawn.collect();
        let sheet = contact_sheet(&drawn, &PlotOptions::default());
        let texts = texts(&sheet).into_iter().map(|(_, _, text)| text);
        let texts = texts.take_while(|text| !text.starts_with("Paths"));
        texts.map(str::to_owned).collect()
    };
    let hands = ["head", "left palm", "right palm", "tracked", "pinches"];
    assert_eq!(legend(&[recording()]), hands);
    let controllers = devices(&CONTROLLERS, &BUTTONS, false);
    let expected = ["left controller", "right controller", "active", "presses"];
    assert_eq!(legend(&[controllers]), expected);
    let both = devices(&["right.controller", "tracker.waist"], &BUTTONS, true);
    assert_eq!(
        legend(&[both, recording()]),
        [
            "head",
            "left palm",
            "right palm",
            "right controller",
            "other devices",
            "tracked or active",
            "pinches or presses",
        ]
    );
    assert_eq!(
        legend(&[devices(&["tracker.waist"], &[], false)]),
        ["other devices"]
    );
}

/// A head that stands still, 60 cm behind a hand that moves 10 cm to the side and 4 cm forwards.
#[test]
fn the_movement_fills_a_thumbnail() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=60 {
        let time = step as f32 / 60.0;
        let mut frame = Frame {
            time,
            head: Some(Pose::at([0.0, 1.6, 0.0])),
            ..Frame::default()
        };
        let hand = frame.hand_mut(Side::Right);
        hand.tracked = true;
        hand.joints[Joint::Palm] =
            Some(Pose::at([0.1 * time, 1.0, 0.6 + 0.04 * (6.0 * time).sin()]));
        recorder.push(&frame).unwrap();
    }
    let analysis = Analysis::of(&recorder.finish(), &AnalysisParameters::default()).unwrap();
    let svg = thumbnail(&analysis, "name", "", Theme::Light).to_svg();
    let path = svg.lines().find(|line| line.contains("<path")).unwrap();
    let numbers: Vec<f64> = path
        .split('"')
        .nth(1)
        .unwrap()
        .split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .filter_map(|number| number.parse().ok())
        .collect();
    let xs = numbers.iter().step_by(2);
    let width = xs.clone().fold(0.0, |a: f64, b| a.max(*b)) - xs.fold(f64::MAX, |a, b| a.min(*b));
    assert!((80.0..=190.0).contains(&width), "{width}: {path}");
    assert!(!svg.contains("<circle"), "the head is outside");
    assert!(svg.contains(">outside: head</text>"), "{svg}");
}

#[test]
fn a_thumbnail_has_rows_of_what_is_recorded() {
    let texts_of = |recording: &Recording<'_>| -> Vec<String> {
        let analysis = Analysis::of(recording, &AnalysisParameters::default()).unwrap();
        let svg = thumbnail(&analysis, "name", "", Theme::Light).to_svg();
        let texts = texts(&svg).into_iter();
        texts.map(|(_, _, text)| text.to_owned()).collect()
    };
    let right = texts_of(&devices(&["right.controller"], &BUTTONS, false));
    assert!(
        right.contains(&"2 s · active: R 100 %".to_owned()),
        "{right:?}"
    );
    assert!(right.contains(&"R".to_owned()) && !right.contains(&"L".to_owned()));
    let tracker = texts_of(&devices(&["tracker.waist"], &[], false));
    assert!(!tracker.contains(&"R".to_owned()), "{tracker:?}");
    let both = texts_of(&devices(&CONTROLLERS, &BUTTONS, true));
    let facts = "2 s · tracked/active: L 100 %, R 100 %";
    assert!(both.contains(&facts.to_owned()), "{both:?}");
}

#[test]
fn a_narrow_figure_keeps_its_texts_inside() {
    let analysis = Analysis::of(&recording(), &targets()).unwrap();
    for width in [300.0, 420.0, 900.0] {
        let mut options = PlotOptions::default();
        options.width = width;
        let figure = plot(&analysis, &options);
        for (x, attributes, text) in texts(&figure) {
            // Letters of 6 pixels; most are a little wider or narrower.
            let length = 6.0 * text.chars().count() as f64;
            let [start, end] = match attributes {
                a if a.contains("\"end\"") => [x - length, x],
                a if a.contains("\"middle\"") => [x - length / 2.0, x + length / 2.0],
                _ => [x, x + length],
            };
            assert!(
                start >= 0.0 && end <= width,
                "{width}: {text} {start} {end}"
            );
        }
    }
}

#[test]
fn a_thumbnail_shows_true_times_both_hands_and_damage_without_a_time() {
    let mut damaged = recording();
    truncate(&mut damaged, 1, |path| {
        matches!(path, CurvePath::Head(PoseChannel::RotationW))
    });
    edit::shift(&mut damaged, -1.25).unwrap();
    let analysis = Analysis::of(&damaged, &AnalysisParameters::default()).unwrap();
    let drawn = thumbnail(&analysis, "name", "details", Theme::Light);
    let svg = drawn.to_svg();
    let texts: Vec<&str> = texts(&svg).into_iter().map(|(_, _, text)| text).collect();
    for text in [
        "−1.25 s",
        "2.75 s",
        "4 s · tracked: L 100 %, R 88 %",
        "damage: D1",
    ] {
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
    let bar = svg.lines().find(|line| line.contains("height=\"4.0\""));
    // The width of the timeline.
    assert!(bar.unwrap().contains("width=\"244.0\""), "{bar:?}");
    let sheet = contact_sheet(&[drawn], &PlotOptions::default());
    assert!(sheet.contains("Each recording has its own scale"));
}
