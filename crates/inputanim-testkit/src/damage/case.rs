//! Recordings that are hard to repair.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec2};
use inputanim::{Frame, Joint, Layout, Recorder, Recording, Side};
use inputanim_motion::{Motion, Scene};

use super::change;
use super::recorder::{WLoss, drop_lone_keys, thin};

/// Frames per second of MRTK's recorder.
const RATE: f32 = 60.0;

/// A change to generated recordings that makes a repair hard, and the form of the damage.
#[derive(Clone, Copy)]
pub struct Case {
    /// The difficulty, as the table of `cargo xtask accuracy` shows it.
    pub name: &'static str,
    /// The form in which w is lost.
    pub loss: WLoss,
    /// The speed as a multiple of the speed of the generated motion.
    speed: f32,
    /// `true` if the recording is reduced with MRTK's default thresholds; false if it keeps a key in
    /// every frame.
    is_thinned: bool,
    /// `true` if a quarter of the keys between two kept neighbours are dropped unchecked, as MRTK does (D8).
    drops_lone_keys: bool,
    /// A change of the frames; `number` is the index of the recording within the case.
    change: fn(frames: &mut [Frame], number: u32),
}

impl Case {
    /// The simplest case: unchanged frames, and the damage of the faulty releases' default settings.
    const PLAIN: Case = Case {
        name: "as generated, facing +Z",
        loss: WLoss::OneKey,
        speed: 1.0,
        is_thinned: true,
        drops_lone_keys: false,
        change: |_, _| {},
    };

    /// Records a generated motion of this many seconds, changed as in this case. Its w curves are intact: the damage of
    /// the case is not applied.
    pub fn record(&self, scene: Scene, seed: u64, seconds: f32) -> Recording<'static> {
        let motion = Motion::new(scene, seed, seconds * self.speed);
        let mut frames: Vec<Frame> = motion.frames(RATE / self.speed).collect();
        for frame in &mut frames {
            frame.time /= self.speed;
        }
        let scene_index = Scene::ALL.iter().position(|&other| other == scene);
        let number = scene_index.unwrap_or(0) as u32 + Scene::ALL.len() as u32 * seed as u32;
        self.record_frames(frames, number)
    }

    /// Records frames, changed as in this case; `number` selects the random changes. The w curves of the recording are
    /// intact: the damage of the case is not applied.
    pub fn record_frames(&self, mut frames: Vec<Frame>, number: u32) -> Recording<'static> {
        (self.change)(&mut frames, number);
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for frame in &frames {
            recorder.push(frame).expect("times grow");
        }
        let mut recording = recorder.finish();
        if self.is_thinned {
            thin(&mut recording);
        }
        if self.drops_lone_keys {
            drop_lone_keys(&mut recording);
        }
        recording
    }
}

/// Every case.
///
/// Some cases drop the head. If only the hands change, the head would repeat the result of another case. If everything
/// is turned in an arbitrary direction, the head is not realistic.
pub const CASES: [Case; 20] = [
    Case::PLAIN,
    Case {
        name: "every key kept",
        is_thinned: false,
        ..Case::PLAIN
    },
    Case {
        name: "two keys of w (D2)",
        loss: WLoss::TwoKeys,
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z",
        change: |frames, _| face_back(frames),
        ..Case::PLAIN
    },
    Case {
        name: "turned in any direction",
        change: |frames, number| {
            change::turn(frames, any_rotation(number));
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
                !(joint.is_tip() || matches!(joint, Joint::Wrist | Joint::Palm))
            });
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "facing −Z, palm and tips only",
        change: |frames, _| {
            change::drop_joints(frames, |joint| !(joint.is_tip() || joint == Joint::Palm));
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "palm and tips only, turned in any direction",
        change: |frames, number| {
            change::drop_joints(frames, |joint| !(joint.is_tip() || joint == Joint::Palm));
            change::turn(frames, any_rotation(number));
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
        name: "facing −Z, hands untracked every few seconds",
        change: |frames, _| {
            change::interrupt_tracking(frames);
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
        name: "tracking jumps",
        drops_lone_keys: true,
        change: |frames, number| {
            change::add_jumps(frames, &change::USUAL, number);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "large tracking jumps",
        drops_lone_keys: true,
        change: |frames, number| {
            change::add_jumps(frames, &change::LARGE, number);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "tracking jumps and noise, turned in any direction",
        drops_lone_keys: true,
        change: |frames, number| {
            change::add_jumps(frames, &change::USUAL, number);
            change::add_noise(frames, number);
            change::turn(frames, any_rotation(number));
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "tracking jumps, hands untracked every few seconds",
        drops_lone_keys: true,
        change: |frames, number| {
            change::add_jumps(frames, &change::USUAL, number);
            change::interrupt_tracking(frames);
            face_back(frames);
            change::drop_head(frames);
        },
        ..Case::PLAIN
    },
    Case {
        name: "all at once: −Z, fast, untracked, palm and tips only, no gaze",
        speed: 3.0,
        change: |frames, _| {
            change::drop_joints(frames, |joint| !(joint.is_tip() || joint == Joint::Palm));
            change::drop_gaze(frames);
            change::interrupt_tracking(frames);
            face_back(frames);
        },
        ..Case::PLAIN
    },
];

/// Turns all poses by 180° about +Y, so that values of w near 1 become values near 0, and often change their sign.
fn face_back(frames: &mut [Frame]) {
    change::turn(frames, DQuat::from_rotation_y(PI));
}

/// Returns the `number`-th of a sequence of rotations that are spread evenly over all rotations.
///
/// Uses Shoemake's uniform mapping ("Uniform random rotations", Graphics Gems III) on the R3
/// low-discrepancy sequence, so that few recordings cover many directions.
fn any_rotation(number: u32) -> DQuat {
    let part = |step: f64| (0.5 + f64::from(number) * step).fract();
    let [a, b, c] = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(part);
    let first = DVec2::from_angle(TAU * b) * (1.0 - a).sqrt();
    let second = DVec2::from_angle(TAU * c) * a.sqrt();
    DQuat::from_xyzw(first.y, first.x, second.y, second.x)
}

/// Returns `true` for the metacarpals of all fingers except the thumb. Some devices do not report these.
fn is_metacarpal(joint: Joint) -> bool {
    matches!(
        joint,
        Joint::IndexMetacarpal
            | Joint::MiddleMetacarpal
            | Joint::RingMetacarpal
            | Joint::PinkyMetacarpal
    )
}
