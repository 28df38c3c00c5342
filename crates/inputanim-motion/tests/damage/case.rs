//! Cases that are hard for a repair.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec2};
use inputanim::{Frame, Joint, Layout, Recorder, Recording, Side};
use inputanim_motion::{Motion, Scene};

use super::change;
use super::recorder::{Form, thin};

/// How often the toolkit's recorder looks, a second.
const RATE: f32 = 60.0;

/// A take of the generator, and what is made of it.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// What is hard about it.
    pub(crate) name: &'static str,
    /// How w is lost.
    pub(crate) form: Form,
    /// How many times as fast as it was made.
    speed: f32,
    /// Whether only the keys are there that the toolkit's thresholds ask for.
    is_thinned: bool,
    /// `number` counts the takes of a case.
    change: fn(frames: &mut [Frame], number: u32),
}

impl Case {
    /// Nothing is hard: the toolkit's recorder and the faulty releases' default.
    const PLAIN: Case = Case {
        name: "as generated, facing +Z",
        form: Form::OneKey,
        speed: 1.0,
        is_thinned: true,
        change: |_, _| {},
    };

    /// The healthy take.
    pub(crate) fn record(&self, scene: Scene, seed: u64, seconds: f32) -> Recording<'static> {
        let motion = Motion::new(scene, seed, seconds * self.speed);
        let mut frames: Vec<Frame> = motion.frames(RATE / self.speed).collect();
        for frame in &mut frames {
            frame.time /= self.speed;
        }
        let scenes = Scene::ALL.iter().position(|&other| other == scene);
        let number = scenes.unwrap_or(0) as u32 + Scene::ALL.len() as u32 * seed as u32;
        (self.change)(&mut frames, number);
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for frame in &frames {
            recorder.push(frame).expect("times grow");
        }
        let mut recording = recorder.finish();
        if self.is_thinned {
            thin(&mut recording);
        }
        recording
    }
}

/// Every case. Those that change nothing of what is known of a head leave it out; and a head that
/// is turned any way is none.
pub(crate) const CASES: [Case; 16] = [
    Case::PLAIN,
    Case {
        name: "every key kept",
        is_thinned: false,
        ..Case::PLAIN
    },
    Case {
        name: "two keys of w (D2)",
        form: Form::TwoKeys,
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z",
        change: |frames, _| face_back(frames),
        ..Case::PLAIN
    },
    Case {
        name: "turned all ways",
        change: |frames, number| {
            change::turn(frames, any_turn(number));
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, three times as fast",
        speed: 3.0,
        change: |frames, _| face_back(frames),
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, forearms rolling fast",
        change: |frames, _| {
            change::roll(frames);
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, without metacarpals",
        change: |frames, _| {
            change::drop_joints(frames, is_metacarpal);
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, wrist, palm and tips only",
        change: |frames, _| {
            change::drop_joints(frames, |joint| {
                !(is_tip(joint) || matches!(joint, Joint::Wrist | Joint::Palm))
            });
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, palm and tips only",
        change: |frames, _| {
            change::drop_joints(frames, |joint| !(is_tip(joint) || joint == Joint::Palm));
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "palm and tips only, turned all ways",
        change: |frames, number| {
            change::drop_joints(frames, |joint| !(is_tip(joint) || joint == Joint::Palm));
            change::turn(frames, any_turn(number));
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, right hand only",
        change: |frames, _| {
            change::drop_hand(frames, Side::Left);
            face_back(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, hands lost every few seconds",
        change: |frames, _| {
            change::lose_hands(frames);
            face_back(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, without gaze",
        change: |frames, _| {
            change::drop_gaze(frames);
            face_back(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, head only",
        change: |frames, _| {
            change::drop_gaze(frames);
            change::drop_hand(frames, Side::Left);
            change::drop_hand(frames, Side::Right);
            face_back(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "the worst at once: −Z, fast, lost, palm and tips only, no gaze",
        speed: 3.0,
        change: |frames, _| {
            change::drop_joints(frames, |joint| !(is_tip(joint) || joint == Joint::Palm));
            change::drop_gaze(frames);
            change::lose_hands(frames);
            face_back(frames);
        },
        ..Case::PLAIN
    },
];

/// Half a turn, so that w is about 0 where it was about 1 and changes its sign all the time.
fn face_back(frames: &mut [Frame]) {
    change::turn(frames, DQuat::from_rotation_y(PI));
}

/// Turns that are spread evenly over all there are: Shoemake's mapping of the additive sequence
/// in three dimensions whose points keep apart best.
fn any_turn(number: u32) -> DQuat {
    let part = |step: f64| (0.5 + f64::from(number) * step).fract();
    let [a, b, c] = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(part);
    let first = DVec2::from_angle(TAU * b) * (1.0 - a).sqrt();
    let second = DVec2::from_angle(TAU * c) * a.sqrt();
    DQuat::from_xyzw(first.y, first.x, second.y, second.x)
}

/// Of the fingers other than the thumb, whose first joint devices know.
fn is_metacarpal(joint: Joint) -> bool {
    matches!(
        joint,
        Joint::IndexMetacarpal
            | Joint::MiddleMetacarpal
            | Joint::RingMetacarpal
            | Joint::PinkyMetacarpal
    )
}

fn is_tip(joint: Joint) -> bool {
    matches!(
        joint,
        Joint::ThumbTip | Joint::IndexTip | Joint::MiddleTip | Joint::RingTip | Joint::PinkyTip
    )
}
