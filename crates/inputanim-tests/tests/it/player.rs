//! Properties of the player: events equal the events of a reference that samples every instant, for steps of any
//! length, across ends, ping-pong turns, loops and seeks.

use std::sync::Arc;

use inputanim::{
    BooleanCurve, Layout, Marker, Pose, Recording, Sampler, Side, TimeRange, WrapMode,
};
use inputanim::{EndAction, PlaybackState, Player, Transition, TransitionKind};
use proptest::collection::vec;
use proptest::prelude::*;

/// The unit of the times of keys, markers and steps in seconds. Sums of its multiples are exact.
const GRID: f64 = 1.0 / 16.0;

fn at(step: i32) -> f32 {
    (f64::from(step) * GRID) as f32
}

/// The wrap modes of a state curve, and its keys with times in [`GRID`] steps.
type Flips = (i32, i32, Vec<(i32, bool)>);

fn flips() -> impl Strategy<Value = Flips> {
    let mode = || prop_oneof![2 => Just(8), 1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(4)];
    (mode(), mode(), vec((-10..50_i32, any::<bool>()), 0..7))
}

/// The parts of a recording of 2.5 seconds with state changes.
#[derive(Clone, Debug)]
struct Scenario {
    /// The curves of tracked and pinching of the left hand, then of the right.
    curves: [Flips; 4],
    markers: Vec<i32>,
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let markers = vec(-4..50_i32, 0..8);
    (prop::array::uniform4(flips()), markers)
        .prop_map(|(curves, markers)| Scenario { curves, markers })
}

impl Scenario {
    fn recording(&self) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, 2.5] {
            recording.head_mut().push(time, &Pose::IDENTITY);
        }
        for (index, (pre, post, keys)) in self.curves.iter().enumerate() {
            // Later keys would extend the recording.
            let keys = keys.iter().filter(|(step, _)| *step <= 40);
            let curve = BooleanCurve {
                pre_wrap: WrapMode(*pre),
                post_wrap: WrapMode(*post),
                ..BooleanCurve::new(keys.map(|&(step, on)| (at(step), on)))
            };
            let hand = recording.hands_mut().hand_mut(Side::BOTH[index / 2]);
            match index % 2 {
                0 => hand.tracked = curve,
                _ => hand.pinching = curve,
            }
        }
        let markers = self.markers.iter().enumerate();
        recording.markers = markers
            .map(|(number, &step)| Marker::new(at(step), number.to_string()))
            .collect();
        recording
    }
}

fn ending() -> impl Strategy<Value = EndAction> {
    prop_oneof![
        Just(EndAction::Hold),
        Just(EndAction::Rewind),
        Just(EndAction::Loop),
        Just(EndAction::PingPong)
    ]
}

/// The states of the hands according to the events.
#[derive(Debug, Default, PartialEq)]
struct Listener {
    tracked: [bool; 2],
    pinching: [bool; 2],
}

impl Listener {
    /// Applies an event. Each event of a state must change it.
    fn apply(&mut self, event: &Transition) {
        let (state, now) = match event.kind {
            TransitionKind::TrackingGained(side) => (&mut self.tracked[side as usize], true),
            TransitionKind::TrackingLost(side) => (&mut self.tracked[side as usize], false),
            TransitionKind::PinchDown(side) => (&mut self.pinching[side as usize], true),
            TransitionKind::PinchUp(side) => (&mut self.pinching[side as usize], false),
            _ => return,
        };
        assert_ne!(
            std::mem::replace(state, now),
            now,
            "the state is unchanged: {event:?}"
        );
    }

    /// Sets the states to the states at an instant, and returns the changes as events at `time`.
    fn changes(&mut self, sampler: &Sampler, time: f32, instant: f32) -> Vec<Transition> {
        let frame = sampler.frame_at(instant);
        let mut events = Vec::new();
        for side in Side::BOTH {
            let hand = frame.hand(side);
            let tracked = std::mem::replace(&mut self.tracked[side as usize], hand.tracked);
            let pinching = std::mem::replace(&mut self.pinching[side as usize], hand.pinching);
            let kinds = [
                (
                    !tracked && hand.tracked,
                    TransitionKind::TrackingGained(side),
                ),
                (!pinching && hand.pinching, TransitionKind::PinchDown(side)),
                (pinching && !hand.pinching, TransitionKind::PinchUp(side)),
                (tracked && !hand.tracked, TransitionKind::TrackingLost(side)),
            ];
            let happened = kinds.into_iter().filter(|(happened, _)| *happened);
            events.extend(happened.map(|(_, kind)| Transition { time, kind }));
        }
        events
    }

    fn of(player: &mut Player) -> Listener {
        let frame = player.frame();
        Listener {
            tracked: [frame.left.tracked, frame.right.tracked],
            pinching: [frame.left.pinching, frame.right.pinching],
        }
    }
}

fn player(recording: &Recording<'_>, ending: EndAction, rate: f64) -> Player {
    let mut player = Player::new(Sampler::new(recording).unwrap());
    player.set_ending(ending);
    player.set_rate(rate);
    player.play();
    player
}

fn markers(events: &[Transition]) -> Vec<(f32, Arc<str>)> {
    let marker = |event: &Transition| match &event.kind {
        TransitionKind::Marker(name) => Some((event.time, name.clone())),
        _ => None,
    };
    events.iter().filter_map(marker).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn one_long_step_gives_the_events_of_many_short_ones(
        scenario in scenario(),
        ending in ending(),
        backwards in any::<bool>(),
        steps in vec(0..90_i32, 1..12),
    ) {
        let recording = scenario.recording();
        let rate = if backwards { -1.0 } else { 1.0 };
        let (mut long, mut short) = (player(&recording, ending, rate), player(&recording, ending, rate));
        let total: i32 = steps.iter().sum();
        let at_once: Vec<Transition> = long.advance(at(total)).collect();
        let mut in_steps = Vec::new();
        for step in steps {
            in_steps.extend(short.advance(at(step)));
        }
        prop_assert_eq!(at_once, in_steps);
        prop_assert_eq!(long.time(), short.time());
        prop_assert_eq!(long.playback(), short.playback());
    }

    #[test]
    fn events_agree_with_frames(
        scenario in scenario(),
        ending in ending(),
        moves in vec((-200..200_i32, 0..6_u8), 1..30),
    ) {
        let recording = scenario.recording();
        let mut player = player(&recording, ending, 1.0);
        let mut listener = Listener::default();
        for (number, action) in moves {
            match action {
                0 => player.seek(at(number)),
                1 => player.pause(),
                2 => player.set_rate(f64::from(number) / 32.0),
                3 => player.stop(),
                _ => player.play(),
            }
            for event in player.advance(number as f32 * 0.013) {
                listener.apply(&event);
            }
            prop_assert_eq!(&listener, &Listener::of(&mut player), "at {}", player.time());
        }
    }

    /// Compares forward playback to the end with a reference that samples every instant.
    #[test]
    fn events_equal_those_of_a_reference(scenario in scenario()) {
        let recording = scenario.recording();
        let sampler = Sampler::new(&recording).unwrap();
        let mut known = Listener::default();
        let mut expected = Vec::new();
        for step in 0..=40 {
            expected.extend(known.changes(&sampler, at(step), at(step)));
            let here = recording.markers.iter().filter(|marker| marker.time == at(step));
            expected.extend(here.map(|marker| Transition {
                time: marker.time,
                kind: TransitionKind::Marker(Arc::from(&*marker.name)),
            }));
            // A ping-pong curve that runs backwards changes its state after a key, not at the key.
            if step < 40 {
                expected.extend(known.changes(&sampler, at(step), at(step) + GRID as f32 / 2.0));
            }
        }
        let mut player = player(&recording, EndAction::Hold, 1.0);
        let events: Vec<Transition> = player.advance(100.0).collect();
        prop_assert_eq!(events, expected);
        prop_assert_eq!(player.playback(), PlaybackState::Paused);
        prop_assert_eq!(player.time(), 2.5);
    }

    #[test]
    fn backward_playback_reaches_the_same_markers(scenario in scenario()) {
        let recording = scenario.recording();
        let forward: Vec<Transition> = player(&recording, EndAction::Hold, 1.0).advance(9.0).collect();
        let backward: Vec<Transition> = player(&recording, EndAction::Hold, -1.0).advance(9.0).collect();
        let times = |events: &[Transition]| -> Vec<f32> { markers(events).iter().map(|(time, _)| *time).collect() };
        let mut reversed = times(&backward);
        reversed.reverse();
        prop_assert_eq!(times(&forward), reversed);
    }

    #[test]
    fn every_loop_reaches_every_marker_once(scenario in scenario(), rounds in 1..50_u32) {
        let recording = scenario.recording();
        let inside = recording.markers.iter().filter(|marker| (0.0..=2.5).contains(&marker.time)).count();
        let mut player = player(&recording, EndAction::Loop, 1.0);
        let events: Vec<Transition> = player.advance(2.5 * rounds as f32 - at(1)).collect();
        let at_the_end = recording.markers.iter().filter(|marker| marker.time == 2.5).count();
        prop_assert_eq!(markers(&events).len(), inside * rounds as usize - at_the_end);
    }
}

fn simple_recording() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 2.0] {
        recording.head_mut().push(time, &Pose::at([time, 0.0, 0.0]));
    }
    let right = &mut recording.hands_mut().right;
    right.tracked = BooleanCurve::new([(0.0, true), (1.5, false)]);
    right.pinching = BooleanCurve::new([(0.0, false), (0.5, true), (1.0, false)]);
    recording.markers = vec![
        Marker::new(2.0, "end"),
        Marker::new(0.0, "start"),
        Marker::new(0.5, "pinch"),
    ];
    recording
}

fn event_text(player: &mut Player, seconds: f32) -> String {
    let events = player.advance(seconds);
    let lines = events.map(|event| format!("{} {}\n", event.time, event.kind));
    lines.collect()
}

#[test]
fn events_are_ordered_by_time() {
    let mut player = player(&simple_recording(), EndAction::Hold, 1.0);
    assert_eq!(
        event_text(&mut player, 5.0),
        "0 right hand found\n0 marker \"start\"\n0.5 right pinch down\n0.5 marker \"pinch\"\n\
         1 right pinch up\n1.5 right hand lost\n2 marker \"end\"\n"
    );
    assert_eq!(player.playback(), PlaybackState::Paused);
    assert_eq!(event_text(&mut player, 5.0), "", "it holds at the end");
    player.play();
    assert!(
        event_text(&mut player, 0.0).starts_with("0 right hand found"),
        "it starts again"
    );
}

#[test]
fn backward_playback_inverts_events() {
    let mut player = player(&simple_recording(), EndAction::Hold, -2.0);
    assert_eq!(player.time(), 2.0);
    assert_eq!(
        event_text(&mut player, 1.0),
        "2 marker \"end\"\n1.5 right hand found\n1 right pinch down\n0.5 marker \"pinch\"\n\
         0.5 right pinch up\n0 marker \"start\"\n"
    );
}

#[test]
fn a_ping_pong_turn_reaches_its_marker_once() {
    let mut player = player(&simple_recording(), EndAction::PingPong, 1.0);
    event_text(&mut player, 1.75);
    assert_eq!(event_text(&mut player, 0.5), "2 marker \"end\"\n");
    assert_eq!(player.time(), 1.75);
    event_text(&mut player, 1.5);
    assert_eq!(event_text(&mut player, 0.5), "0 marker \"start\"\n");
    assert_eq!(player.time(), 0.25);
}

#[test]
fn a_loop_reports_state_changes_at_its_start() {
    let mut player = player(&simple_recording(), EndAction::Loop, 1.0);
    event_text(&mut player, 1.75);
    assert_eq!(
        event_text(&mut player, 0.5),
        "2 marker \"end\"\n0 right hand found\n0 marker \"start\"\n"
    );
    assert_eq!(player.time(), 0.25);
}

#[test]
fn a_seek_reports_states_and_no_markers() {
    let mut player = player(&simple_recording(), EndAction::Hold, 1.0);
    event_text(&mut player, 0.0);
    player.seek(0.75);
    assert_eq!(event_text(&mut player, 0.0), "0.75 right pinch down\n");
    player.pause();
    player.seek(1.75);
    assert_eq!(
        event_text(&mut player, 9.0),
        "1.75 right pinch up\n1.75 right hand lost\n"
    );
    assert_eq!(player.time(), 1.75, "it is paused");
    player.seek(0.5);
    player.play();
    assert_eq!(
        event_text(&mut player, 0.0),
        "0.5 right hand found\n0.5 right pinch down\n0.5 marker \"pinch\"\n",
        "play starts on the marker"
    );
    player.pause();
    player.play();
    assert_eq!(
        event_text(&mut player, 0.0),
        "",
        "the marker is reported once"
    );
}

#[test]
fn unread_events_are_reported_later_as_states() {
    let mut player = player(&simple_recording(), EndAction::Hold, 1.0);
    let _ = player.advance(0.75);
    assert_eq!(
        event_text(&mut player, 0.0),
        "0.75 right hand found\n0.75 right pinch down\n"
    );
}

#[test]
fn a_step_over_two_million_loops_ends_at_the_right_time() {
    let mut recording = simple_recording();
    recording.markers.clear();
    recording.hands = None;
    let mut player = player(&recording, EndAction::Loop, 1.0);
    assert_eq!(player.advance(4_194_304.5).count(), 0);
    assert_eq!(player.time(), 0.5);
    let mut player = self::player(&simple_recording(), EndAction::PingPong, 1.0);
    assert_eq!(player.advance(4_194_304.5).take(10_000).count(), 10_000);
}

#[test]
fn a_time_range_is_played_alone() {
    let mut player = player(&simple_recording(), EndAction::Loop, 1.0);
    player.set_range(TimeRange {
        start: 0.25,
        end: 0.75,
    });
    assert_eq!(player.time(), 0.25);
    assert_eq!(
        event_text(&mut player, 1.0),
        "0.25 right hand found\n0.5 right pinch down\n0.5 marker \"pinch\"\n\
         0.25 right pinch up\n0.5 right pinch down\n0.5 marker \"pinch\"\n0.25 right pinch up\n"
    );
}

#[test]
fn a_time_range_around_0_starts_at_its_own_end() {
    let recording = simple_recording();
    let wide = TimeRange {
        start: -1.0,
        end: 1.0,
    };
    for (rate, first, last) in [(1.0, -1.0, 1.0), (-1.0, 1.0, -1.0)] {
        let mut player = Player::new(Sampler::new(&recording).unwrap());
        player.set_range(wide);
        player.set_rate(rate);
        player.play();
        assert_eq!(player.time(), first);
        assert_eq!(
            player
                .advance(9.0)
                .filter(|event| event.time == 0.5)
                .count(),
            2
        );
        assert_eq!(player.time(), last);
    }
}

#[test]
fn a_seek_keeps_the_direction_of_ping_pong() {
    let mut player = player(&simple_recording(), EndAction::PingPong, 1.0);
    event_text(&mut player, 2.25);
    assert!(!player.is_forward());
    player.seek(1.0);
    event_text(&mut player, 0.25);
    assert_eq!(player.time(), 0.75);
}

#[test]
fn a_constant_state_that_loops_often_costs_nothing() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(9e9, &Pose::IDENTITY);
    recording.hands_mut().left.tracked = BooleanCurve {
        post_wrap: WrapMode::LOOP,
        ..BooleanCurve::new([(0.0, true), (2e-6, true)])
    };
    let mut player = player(&recording, EndAction::Hold, 1.0);
    assert_eq!(event_text(&mut player, 1e10), "0 left hand found\n");
}

#[test]
fn an_empty_recording_has_no_events() {
    for ending in [
        EndAction::Hold,
        EndAction::Rewind,
        EndAction::Loop,
        EndAction::PingPong,
    ] {
        for rate in [1.0, -1.0, 0.0, f64::NAN] {
            let mut player = player(&Recording::new(Layout::Mrtk1_1), ending, rate);
            for seconds in [0.0, 1.0, 1e38, f32::INFINITY, f32::NAN, -1.0] {
                assert_eq!(player.advance(seconds).count(), 0);
                assert_eq!(player.time(), 0.0);
            }
        }
    }
}

#[test]
fn the_mrtk_player_stops_at_the_end_and_reports_no_markers() {
    let recording = simple_recording();
    let mut player = Player::mrtk(Sampler::new(&recording).unwrap());
    player.play();
    assert_eq!(
        event_text(&mut player, 1.75),
        "0 right hand found\n0.5 right pinch down\n1 right pinch up\n1.5 right hand lost\n"
    );
    assert_eq!(player.frame().head.unwrap().position[0], 1.75);
    // MRTK's player never shows the last instant: at the duration it stops and returns to 0.
    assert_eq!(event_text(&mut player, 0.25), "0 right hand found\n");
    assert_eq!(player.playback(), PlaybackState::Stopped);
    assert_eq!(player.time(), 0.0);
    assert_eq!(player.frame().head.unwrap().position[0], 0.0);
    assert_eq!(event_text(&mut player, 1.0), "", "it stays there");
    // Seeking while paused shows the new time.
    player.play();
    event_text(&mut player, 0.5);
    player.pause();
    player.seek(1.25);
    assert_eq!(player.frame().head.unwrap().position[0], 1.25);
    player.play();
    event_text(&mut player, 0.25);
    assert_eq!(player.time(), 1.5);
}

#[test]
fn the_mrtk_player_does_not_normalise() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for (time, rotation) in [(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [1.0, 0.0, 0.0, 0.0])] {
        let position = [0.0; 3];
        recording
            .head_mut()
            .push(time, &Pose { position, rotation });
    }
    let mut player = Player::mrtk(Sampler::new(&recording).unwrap());
    player.seek(0.5);
    assert_eq!(player.frame().head.unwrap().rotation, [0.5, 0.0, 0.0, 0.5]);
}
