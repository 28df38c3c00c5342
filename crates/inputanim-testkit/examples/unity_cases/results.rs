//! The results for one file. `unity/check/Results.cs` computes the same in C#, in the same order.

use inputanim::doctor::{self, Code};
use inputanim::{
    Curve, CurvePath, EndAction, Frame, Joint, Layout, Player, Recorder, RecorderOptions,
    Recording, Sampler, SamplerCursor, Side, TimeRange, Transition, TransitionKind, WrapMode,
};

use crate::hash::Hash;

/// The number of checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All checks, at many times.
    Full,
    /// The frames at few times, and no recorder.
    Quick,
}

/// The results for one file.
#[derive(Default)]
pub(crate) struct Results {
    /// The error of the parser; empty if the file is well formed.
    pub(crate) error: String,
    /// The findings D1 to D4, one for each line.
    pub(crate) findings: String,
    /// The error of the sampler; empty if the recording can be played.
    pub(crate) unplayable: String,
    /// Checksums of the frames, the six layouts, the recorder and the player; 0 for what was not computed.
    pub(crate) digests: [u64; 4],
}

impl Results {
    pub(crate) fn of(bytes: &[u8], depth: Depth) -> Results {
        let mut results = Results::default();
        let recording = match Recording::parse(bytes) {
            Ok(recording) => recording,
            Err(error) => {
                results.error = error.to_string();
                return results;
            }
        };
        results.findings = findings(&recording);
        results.digests[1] = layouts(&recording);
        match Sampler::new(&recording) {
            Ok(sampler) => {
                results.digests[0] = frames(&sampler, depth);
                if depth == Depth::Full {
                    results.digests[2] = recorders(&sampler, recording.layout);
                }
                if has_plain_states(&recording) {
                    results.digests[3] = player(&sampler);
                }
            }
            Err(error) => results.unplayable = format!("{error}: {}", error.source),
        }
        results
    }
}

fn findings(recording: &Recording<'_>) -> String {
    const CODES: [Code; 4] = [
        Code::RotationWLost,
        Code::RotationWCopiesZ,
        Code::TailLost,
        Code::SignFlip,
    ];
    let findings = doctor::findings(recording).into_iter();
    let lines = findings
        .filter(|finding| CODES.contains(&finding.code))
        .map(|finding| format!("{finding}\n"));
    lines.collect()
}

/// Returns a checksum of the bytes in each layout, and of what the layout loses.
fn layouts(recording: &Recording<'_>) -> u64 {
    let mut hash = Hash::new();
    for &layout in Layout::ALL {
        let mut bytes = Vec::new();
        if let Ok(losses) = recording.write_lossy_as(&mut bytes, layout) {
            hash.add(&bytes);
            for loss in losses {
                hash.add(loss.to_string().as_bytes());
            }
        }
    }
    hash.0
}

fn frames(sampler: &Sampler, depth: Depth) -> u64 {
    let mut hash = Hash::new();
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    // A made-up time can be of any size.
    let (rate, most) = match depth {
        Depth::Full => (47.0, 100.0),
        Depth::Quick => (3.0, 5.0),
    };
    let range = TimeRange {
        start: -1.0,
        end: sampler.duration().min(most) + 1.0,
    };
    let modes = [
        sampler.clone(),
        sampler.clone().with_raw_rotations().with_untracked_joints(),
        sampler.clone().with_clamped_ends(),
    ];
    let count = if depth == Depth::Full { 3 } else { 2 };
    for sampler in &modes[..count] {
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30];
        for time in range.times_at(rate).chain(special) {
            sampler.read(time, &mut cursor, &mut frame);
            add_frame(&frame, &mut hash);
        }
    }
    hash.0
}

fn add_frame(frame: &Frame, hash: &mut Hash) {
    hash.add_number(frame.time);
    hash.add(&[u8::from(frame.head.is_some())]);
    if let Some(head) = &frame.head {
        add_numbers(&head.position, hash);
        add_numbers(&head.rotation, hash);
    }
    for side in Side::BOTH {
        let hand = frame.hand(side);
        hash.add(&[hand.tracked, hand.pinching, hand.pinch_unknown].map(u8::from));
        for (_, pose) in hand.joints.iter() {
            hash.add(&[u8::from(pose.is_some())]);
            if let Some(pose) = pose {
                add_numbers(&pose.position, hash);
                add_numbers(&pose.rotation, hash);
            }
        }
    }
    hash.add(&[u8::from(frame.gaze.is_some())]);
    if let Some(gaze) = &frame.gaze {
        add_numbers(&gaze.origin, hash);
        add_numbers(&gaze.direction, hash);
    }
}

fn add_numbers(numbers: &[f32], hash: &mut Hash) {
    for &number in numbers {
        hash.add_number(number);
    }
}

fn recorders(sampler: &Sampler, layout: Layout) -> u64 {
    let mut hash = Hash::new();
    let all = RecorderOptions::new(layout);
    let mut rolling = RecorderOptions::MRTK;
    rolling.layout = layout;
    rolling.keep_last = Some(2.0);
    rolling.max_rate = Some(30.0);
    for options in [all, rolling] {
        // Both options are valid.
        if let Ok(recorder) = Recorder::with_options(options) {
            record(sampler, recorder, &mut hash);
        }
    }
    hash.0
}

/// Records frames of a sampler, with missing frames and poses, a pause and a marker, and adds two snapshots to the hash.
fn record(sampler: &Sampler, mut recorder: Recorder, hash: &mut Hash) {
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    let range = TimeRange {
        start: -0.5,
        end: sampler.duration().min(12.0) + 0.5,
    };
    for (number, time) in range.times_at(61.0).enumerate() {
        let is_in = |period: usize, from: usize| (from..from + 5).contains(&(number % period));
        match number {
            100 => hash.add(&[u8::from(recorder.mark(time, "mark").is_ok())]),
            120 => recorder.pause(),
            150 => recorder.resume(),
            _ => {}
        }
        if (40..80).contains(&number) {
            continue;
        }
        sampler.read(time, &mut cursor, &mut frame);
        if is_in(50, 10) {
            frame.head = None;
        }
        if is_in(60, 20) {
            frame.left.joints[Joint::Palm] = None;
            frame.right.joints[Joint::IndexTip] = None;
        }
        if is_in(97, 5) {
            frame.gaze = None;
        }
        match recorder.push(&frame) {
            Ok(is_recorded) => hash.add(&[u8::from(is_recorded)]),
            Err(error) => hash.add(error.to_string().as_bytes()),
        }
    }
    for recording in [recorder.snapshot_last(1.0), recorder.finish()] {
        let mut bytes = Vec::new();
        if recording
            .write_lossy_as(&mut bytes, recording.layout)
            .is_ok()
        {
            hash.add(&bytes);
        }
    }
}

/// Returns `true` if the states hold their values outside of their keys. The player in C# reports others later.
fn has_plain_states(recording: &Recording<'_>) -> bool {
    let holds = |mode: WrapMode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
    let mut states = Side::BOTH
        .into_iter()
        .flat_map(|side| [CurvePath::Tracked(side), CurvePath::Pinching(side)]);
    let is_long = recording.duration() > 0.01;
    is_long
        && states.all(|path| match recording.curve(path) {
            Some(Curve::Boolean(curve)) => holds(curve.pre_wrap) && holds(curve.post_wrap),
            _ => true,
        })
}

fn player(sampler: &Sampler) -> u64 {
    let mut hash = Hash::new();
    let mut player = Player::new(sampler.clone());
    player.play();
    let end = player.range().end;
    for transition in player.advance(end) {
        add_transition(&transition, &mut hash);
    }
    for (ending, rate, step) in [
        (EndAction::Loop, 1.75, 0.31),
        (EndAction::Loop, -1.25, 0.2),
        (EndAction::Rewind, 1.0, 0.4),
        (EndAction::Hold, -3.0, 0.1),
    ] {
        let mut player = Player::new(sampler.clone());
        player.set_ending(ending);
        player.set_rate(rate);
        player.seek(1.0);
        player.play();
        for _ in 0..20 {
            let transitions: Vec<Transition> = player.advance(step).collect();
            for transition in &transitions {
                add_transition(transition, &mut hash);
            }
            hash.add_number(player.time());
        }
    }
    hash.0
}

fn add_transition(transition: &Transition, hash: &mut Hash) {
    hash.add_number(transition.time);
    hash.add(transition.kind.name().as_bytes());
    match &transition.kind {
        TransitionKind::Marker(name) => hash.add(name.as_bytes()),
        kind => hash.add(&[kind.side().map_or(0, |side| side as u8)]),
    }
}
