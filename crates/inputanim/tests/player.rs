//! Laws of the player: events against a reference that looks at every instant, however a way is
//! cut into steps, over ends, turns, loops and jumps.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use inputanim::player::{Ending, Event, EventKind, Playback, Player};
use inputanim::{BooleanCurve, Layout, Marker, Pose, Recording, Sampler, Side, Span, WrapMode};
use proptest::collection::vec;
use proptest::prelude::*;

/// Keys, markers and steps are whole numbers of these, so that all sums are exact.
const GRID: f64 = 1.0 / 16.0;

fn at(step: i32) -> f32 {
    (f64::from(step) * GRID) as f32
}

/// A curve: wrap modes, and keys by their step.
type Flips = (i32, i32, Vec<(i32, bool)>);

fn flips() -> impl Strategy<Value = Flips> {
    let mode = || prop_oneof![2 => Just(8), 1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(4)];
    (mode(), mode(), vec((-10..50_i32, any::<bool>()), 0..7))
}

/// A take of 2.5 seconds whose states come and go and come round.
#[derive(Clone, Debug)]
struct Take {
    /// Tracked and pinching of the left hand, then of the right.
    curves: [Flips; 4],
    markers: Vec<i32>,
}

fn take() -> impl Strategy<Value = Take> {
    let markers = vec(-4..50_i32, 0..8);
    (prop::array::uniform4(flips()), markers).prop_map(|(curves, markers)| Take { curves, markers })
}

impl Take {
    fn recording(&self) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, 2.5] {
            take.camera_mut().push(time, &Pose::IDENTITY);
        }
        for (index, (pre, post, keys)) in self.curves.iter().enumerate() {
            // Later keys would make the take longer.
            let keys = keys.iter().filter(|(step, _)| *step <= 40);
            let curve = BooleanCurve {
                pre_wrap: WrapMode(*pre),
                post_wrap: WrapMode(*post),
                ..BooleanCurve::new(keys.map(|&(step, on)| (at(step), on)))
            };
            let hand = take.hands_mut().hand_mut(Side::BOTH[index / 2]);
            match index % 2 {
                0 => hand.tracked = curve,
                _ => hand.pinching = curve,
            }
        }
        let markers = self.markers.iter().enumerate();
        take.markers = markers
            .map(|(number, &step)| Marker::new(at(step), number.to_string()))
            .collect();
        take
    }
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        Just(Ending::Hold),
        Just(Ending::Rewind),
        Just(Ending::Loop),
        Just(Ending::PingPong)
    ]
}

/// What the events told, as a listener keeps it.
#[derive(Debug, Default, PartialEq)]
struct Listener {
    tracked: [bool; 2],
    pinching: [bool; 2],
}

impl Listener {
    /// Takes an event in; states must change with each.
    fn hear(&mut self, event: &Event) {
        let (state, now) = match event.kind {
            EventKind::TrackingGained(side) => (&mut self.tracked[side as usize], true),
            EventKind::TrackingLost(side) => (&mut self.tracked[side as usize], false),
            EventKind::PinchDown(side) => (&mut self.pinching[side as usize], true),
            EventKind::PinchUp(side) => (&mut self.pinching[side as usize], false),
            _ => return,
        };
        assert_ne!(std::mem::replace(state, now), now, "told twice: {event:?}");
    }

    /// How the states at an instant differ from those known, said as of `time`.
    fn changes(&mut self, sampler: &Sampler, time: f32, instant: f32) -> Vec<Event> {
        let frame = sampler.frame_at(instant);
        let mut events = Vec::new();
        for side in Side::BOTH {
            let hand = frame.hand(side);
            let tracked = std::mem::replace(&mut self.tracked[side as usize], hand.tracked);
            let pinching = std::mem::replace(&mut self.pinching[side as usize], hand.pinching);
            let kinds = [
                (!tracked && hand.tracked, EventKind::TrackingGained(side)),
                (!pinching && hand.pinching, EventKind::PinchDown(side)),
                (pinching && !hand.pinching, EventKind::PinchUp(side)),
                (tracked && !hand.tracked, EventKind::TrackingLost(side)),
            ];
            let happened = kinds.into_iter().filter(|(happened, _)| *happened);
            events.extend(happened.map(|(_, kind)| Event { time, kind }));
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

fn player(take: &Recording<'_>, ending: Ending, rate: f64) -> Player {
    let mut player = Player::new(Sampler::new(take).unwrap());
    player.set_ending(ending);
    player.set_rate(rate);
    player.play();
    player
}

fn markers(events: &[Event]) -> Vec<(f32, Arc<str>)> {
    let marker = |event: &Event| match &event.kind {
        EventKind::Marker(name) => Some((event.time, name.clone())),
        _ => None,
    };
    events.iter().filter_map(marker).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// One long step tells what many short ones do, in the same order.
    #[test]
    fn a_way_may_be_cut_into_any_steps(
        take in take(),
        ending in ending(),
        backwards in any::<bool>(),
        steps in vec(0..90_i32, 1..12),
    ) {
        let take = take.recording();
        let rate = if backwards { -1.0 } else { 1.0 };
        let (mut long, mut short) = (player(&take, ending, rate), player(&take, ending, rate));
        let total: i32 = steps.iter().sum();
        let at_once: Vec<Event> = long.advance(f64::from(total) * GRID).collect();
        let mut in_steps = Vec::new();
        for step in steps {
            in_steps.extend(short.advance(f64::from(step) * GRID));
        }
        prop_assert_eq!(at_once, in_steps);
        prop_assert_eq!(long.time(), short.time());
        prop_assert_eq!(long.playback(), short.playback());
    }

    /// After every step a listener knows the states that the frame shows.
    #[test]
    fn what_events_told_is_what_the_frame_shows(
        take in take(),
        ending in ending(),
        moves in vec((-200..200_i32, 0..6_u8), 1..30),
    ) {
        let take = take.recording();
        let mut player = player(&take, ending, 1.0);
        let mut listener = Listener::default();
        for (number, what) in moves {
            match what {
                0 => player.seek(at(number)),
                1 => player.pause(),
                2 => player.set_rate(f64::from(number) / 32.0),
                3 => player.stop(),
                _ => player.play(),
            }
            for event in player.advance(f64::from(number) * 0.013) {
                listener.hear(&event);
            }
            prop_assert_eq!(&listener, &Listener::of(&mut player), "at {}", player.time());
        }
    }

    /// Forwards to the end: exactly the changes and markers that looking at every instant finds.
    #[test]
    fn events_are_those_that_every_instant_shows(take in take()) {
        let take = take.recording();
        let sampler = Sampler::new(&take).unwrap();
        let mut known = Listener::default();
        let mut expected = Vec::new();
        for step in 0..=40 {
            expected.extend(known.changes(&sampler, at(step), at(step)));
            let here = take.markers.iter().filter(|marker| marker.time == at(step));
            expected.extend(here.map(|marker| Event {
                time: marker.time,
                kind: EventKind::Marker(Arc::from(&*marker.name)),
            }));
            // Where a curve runs backwards, its states end after a key and not with it.
            if step < 40 {
                expected.extend(known.changes(&sampler, at(step), at(step) + GRID as f32 / 2.0));
            }
        }
        let mut player = player(&take, Ending::Hold, 1.0);
        let events: Vec<Event> = player.advance(100.0).collect();
        prop_assert_eq!(events, expected);
        prop_assert_eq!(player.playback(), Playback::Paused);
        prop_assert_eq!(player.time(), 2.5);
    }

    /// Backwards the same markers are reached, the last first.
    #[test]
    fn markers_are_reached_backwards_as_forwards(take in take()) {
        let take = take.recording();
        let forward: Vec<Event> = player(&take, Ending::Hold, 1.0).advance(9.0).collect();
        let backward: Vec<Event> = player(&take, Ending::Hold, -1.0).advance(9.0).collect();
        let times = |events: &[Event]| -> Vec<f32> { markers(events).iter().map(|(time, _)| *time).collect() };
        let mut reversed = times(&backward);
        reversed.reverse();
        prop_assert_eq!(times(&forward), reversed);
    }

    /// Each round of a loop reaches each marker once, in one step or in many.
    #[test]
    fn every_round_reaches_every_marker_once(take in take(), rounds in 1..50_u32) {
        let take = take.recording();
        let inside = take.markers.iter().filter(|marker| (0.0..=2.5).contains(&marker.time)).count();
        let mut player = player(&take, Ending::Loop, 1.0);
        let events: Vec<Event> = player.advance(2.5 * f64::from(rounds) - GRID).collect();
        let at_the_end = take.markers.iter().filter(|marker| marker.time == 2.5).count();
        prop_assert_eq!(markers(&events).len(), inside * rounds as usize - at_the_end);
    }
}

fn simple_take() -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 2.0] {
        take.camera_mut().push(time, &Pose::at([time, 0.0, 0.0]));
    }
    let right = &mut take.hands_mut().right;
    right.tracked = BooleanCurve::new([(0.0, true), (1.5, false)]);
    right.pinching = BooleanCurve::new([(0.0, false), (0.5, true), (1.0, false)]);
    take.markers = vec![
        Marker::new(2.0, "end"),
        Marker::new(0.0, "start"),
        Marker::new(0.5, "pinch"),
    ];
    take
}

fn told(player: &mut Player, seconds: f64) -> String {
    let events = player.advance(seconds);
    let lines = events.map(|event| format!("{} {}\n", event.time, event.kind));
    lines.collect()
}

#[test]
fn events_come_in_order_with_their_times() {
    let mut player = player(&simple_take(), Ending::Hold, 1.0);
    assert_eq!(
        told(&mut player, 5.0),
        "0 right hand found\n0 marker \"start\"\n0.5 right pinch down\n0.5 marker \"pinch\"\n\
         1 right pinch up\n1.5 right hand lost\n2 marker \"end\"\n"
    );
    assert_eq!(player.playback(), Playback::Paused);
    assert_eq!(told(&mut player, 5.0), "", "it holds at the end");
    player.play();
    assert!(
        told(&mut player, 0.0).starts_with("0 right hand found"),
        "and starts over"
    );
}

#[test]
fn backwards_what_was_gained_is_lost() {
    let mut player = player(&simple_take(), Ending::Hold, -2.0);
    assert_eq!(player.time(), 2.0);
    assert_eq!(
        told(&mut player, 1.0),
        "2 marker \"end\"\n1.5 right hand found\n1 right pinch down\n0.5 marker \"pinch\"\n\
         0.5 right pinch up\n0 marker \"start\"\n"
    );
}

#[test]
fn a_turn_does_not_reach_its_marker_twice() {
    let mut player = player(&simple_take(), Ending::PingPong, 1.0);
    told(&mut player, 1.75);
    assert_eq!(told(&mut player, 0.5), "2 marker \"end\"\n");
    assert_eq!(player.time(), 1.75);
    told(&mut player, 1.5);
    assert_eq!(told(&mut player, 0.5), "0 marker \"start\"\n");
    assert_eq!(player.time(), 0.25);
}

#[test]
fn a_loop_tells_what_changes_where_it_jumps() {
    let mut player = player(&simple_take(), Ending::Loop, 1.0);
    told(&mut player, 1.75);
    assert_eq!(
        told(&mut player, 0.5),
        "2 marker \"end\"\n0 right hand found\n0 marker \"start\"\n"
    );
    assert_eq!(player.time(), 0.25);
}

#[test]
fn a_jump_tells_of_states_and_passes_no_markers() {
    let mut player = player(&simple_take(), Ending::Hold, 1.0);
    told(&mut player, 0.0);
    player.seek(0.75);
    assert_eq!(told(&mut player, 0.0), "0.75 right pinch down\n");
    player.pause();
    player.seek(1.75);
    assert_eq!(
        told(&mut player, 9.0),
        "1.75 right pinch up\n1.75 right hand lost\n"
    );
    assert_eq!(player.time(), 1.75, "it is paused");
    player.seek(0.5);
    player.play();
    assert_eq!(
        told(&mut player, 0.0),
        "0.5 right hand found\n0.5 right pinch down\n0.5 marker \"pinch\"\n",
        "play starts on the marker"
    );
    player.pause();
    player.play();
    assert_eq!(told(&mut player, 0.0), "", "and does not start on it again");
}

#[test]
fn events_that_are_not_taken_come_back_as_states() {
    let mut player = player(&simple_take(), Ending::Hold, 1.0);
    let _ = player.advance(0.75);
    assert_eq!(
        told(&mut player, 0.0),
        "0.75 right hand found\n0.75 right pinch down\n"
    );
}

#[test]
fn a_step_over_a_million_million_rounds_ends_where_it_should() {
    let mut take = simple_take();
    take.markers.clear();
    take.hands = None;
    let mut player = player(&take, Ending::Loop, 1.0);
    assert_eq!(player.advance(2e12 + 0.5).count(), 0);
    assert_eq!(player.time(), 0.5);
    let mut player = self::player(&simple_take(), Ending::PingPong, 1.0);
    assert_eq!(player.advance(2e12 + 0.5).take(10_000).count(), 10_000);
}

#[test]
fn a_part_is_played_alone() {
    let mut player = player(&simple_take(), Ending::Loop, 1.0);
    player.set_range(Span {
        start: 0.25,
        end: 0.75,
    });
    assert_eq!(player.time(), 0.25);
    assert_eq!(
        told(&mut player, 1.0),
        "0.25 right hand found\n0.5 right pinch down\n0.5 marker \"pinch\"\n\
         0.25 right pinch up\n0.5 right pinch down\n0.5 marker \"pinch\"\n0.25 right pinch up\n"
    );
}

#[test]
fn a_range_around_0_is_played_from_its_own_end() {
    let take = simple_take();
    let wide = Span {
        start: -1.0,
        end: 1.0,
    };
    for (rate, first, last) in [(1.0, -1.0, 1.0), (-1.0, 1.0, -1.0)] {
        let mut player = Player::new(Sampler::new(&take).unwrap());
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
fn a_seek_on_the_way_back_goes_on_back() {
    let mut player = player(&simple_take(), Ending::PingPong, 1.0);
    told(&mut player, 2.25);
    assert!(!player.is_forward());
    player.seek(1.0);
    told(&mut player, 0.25);
    assert_eq!(player.time(), 0.75);
}

#[test]
fn a_state_that_never_changes_costs_nothing_however_often_it_comes_round() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(9e9, &Pose::IDENTITY);
    take.hands_mut().left.tracked = BooleanCurve {
        post_wrap: WrapMode::LOOP,
        ..BooleanCurve::new([(0.0, true), (2e-6, true)])
    };
    let mut player = player(&take, Ending::Hold, 1.0);
    assert_eq!(told(&mut player, 1e10), "0 left hand found\n");
}

#[test]
fn nothing_recorded_plays_at_once_in_every_way() {
    for ending in [Ending::Hold, Ending::Rewind, Ending::Loop, Ending::PingPong] {
        for rate in [1.0, -1.0, 0.0, f64::NAN] {
            let mut player = player(&Recording::new(Layout::Mrtk1_1), ending, rate);
            for seconds in [0.0, 1.0, 1e300, f64::INFINITY, f64::NAN, -1.0] {
                assert_eq!(player.advance(seconds).count(), 0);
                assert_eq!(player.time(), 0.0);
            }
        }
    }
}

#[test]
fn the_toolkits_player_stops_at_the_end_and_never_tells_of_markers() {
    let take = simple_take();
    let mut player = Player::mrtk(Sampler::new(&take).unwrap());
    player.play();
    assert_eq!(
        told(&mut player, 1.75),
        "0 right hand found\n0.5 right pinch down\n1 right pinch up\n1.5 right hand lost\n"
    );
    assert_eq!(player.frame().camera.unwrap().position[0], 1.75);
    // The last instant itself is never shown: at the duration it is back at 0.
    assert_eq!(told(&mut player, 0.25), "0 right hand found\n");
    assert_eq!(player.playback(), Playback::Stopped);
    assert_eq!(player.time(), 0.0);
    assert_eq!(player.frame().camera.unwrap().position[0], 0.0);
    assert_eq!(told(&mut player, 1.0), "", "it stays there");
    // Seeking while paused shows the new time.
    player.play();
    told(&mut player, 0.5);
    player.pause();
    player.seek(1.25);
    assert_eq!(player.frame().camera.unwrap().position[0], 1.25);
    player.play();
    told(&mut player, 0.25);
    assert_eq!(player.time(), 1.5);
}

#[test]
fn the_toolkits_player_does_not_normalise() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    for (time, rotation) in [(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [1.0, 0.0, 0.0, 0.0])] {
        let position = [0.0; 3];
        take.camera_mut().push(time, &Pose { position, rotation });
    }
    let mut player = Player::mrtk(Sampler::new(&take).unwrap());
    player.seek(0.5);
    assert_eq!(
        player.frame().camera.unwrap().rotation,
        [0.5, 0.0, 0.0, 0.5]
    );
}
