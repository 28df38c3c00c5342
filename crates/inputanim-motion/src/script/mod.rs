//! Planning of gestures.
//!
//! Method: both hands are planned together, and the hand that is free first gets its next gesture.
//! A gesture that the eyes lead is delayed if the eyes have just moved to a target of the other
//! hand.

mod attention;
mod planner;

use glam::Vec3;
use inputanim::Side;

use crate::hand::HandScript;
use crate::random::{RandomStream, SeededRandom};
use crate::scene::Scene;
use crate::script::attention::Attention;
use crate::script::planner::Planner;
use crate::skeleton::Skeleton;
use crate::track::Track;

/// The planned movements of both hands, the head and the eyes.
pub(crate) struct Script {
    pub(crate) left: HandScript,
    pub(crate) right: HandScript,
    /// Heading and pitch of the head, in degrees.
    pub(crate) facing: Track<[f32; 2]>,
    /// The fixated points.
    pub(crate) targets: Track<Vec3>,
    /// In order of time.
    pub(crate) markers: Vec<(f32, &'static str)>,
}

impl Script {
    pub(crate) fn plan(scene: Scene, seed: u64, seconds: f32, skeleton: &Skeleton) -> Script {
        let end = f64::from(seconds);
        let mut random = SeededRandom::new(seed, RandomStream::Script);
        let mut attention = Attention::default();
        let mut markers = Vec::new();
        let mut left = match scene {
            Scene::TwoHands | Scene::Reach => Planner::in_view(Side::Left, skeleton, 0.32),
            Scene::Wave | Scene::PinchDrag => Planner::out_of_view(Side::Left, skeleton, 3.0),
        };
        let mut right = Planner::in_view(Side::Right, skeleton, 0.35);
        loop {
            let first = if left.free < right.free {
                &mut left
            } else {
                &mut right
            };
            if first.free > end {
                break;
            }
            let gesture = next_gesture(scene, first, &mut random);
            first.add(gesture, &mut random, &mut attention, &mut markers);
        }
        markers.retain(|&(time, _)| time <= end);
        markers.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let (targets, facing) =
            attention.plan(end, &mut SeededRandom::new(seed, RandomStream::Attention));
        Script {
            left: left.finish(),
            right: right.finish(),
            facing,
            targets,
            markers: markers
                .into_iter()
                .map(|(time, name)| (time as f32, name))
                .collect(),
        }
    }
}

/// A gesture of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Gesture {
    Wave { seconds: f32 },
    PinchDrag,
    Reach,
    Rest { seconds: f32 },
}

fn next_gesture(scene: Scene, hand: &Planner, random: &mut SeededRandom) -> Gesture {
    let is_right = hand.side == Side::Right;
    let rest = |random: &mut SeededRandom, least, most| Gesture::Rest {
        seconds: random.between(least, most),
    };
    let wave = |random: &mut SeededRandom| Gesture::Wave {
        seconds: random.between(1.4, 3.0),
    };
    // A hand rests after three gestures at the latest.
    let tired = match hand.since_rest {
        0 => false,
        1 | 2 => random.chance(0.4),
        _ => true,
    };
    match scene {
        Scene::TwoHands => match hand.gestures {
            0 if is_right => Gesture::Wave { seconds: 1.5 },
            0 => Gesture::PinchDrag,
            1 => rest(random, 0.6, 0.9),
            2 => Gesture::Reach,
            _ if tired => rest(random, 0.6, 2.5),
            _ => match random.unit() {
                pick if pick < 0.4 => Gesture::Reach,
                pick if pick < 0.8 => Gesture::PinchDrag,
                _ => wave(random),
            },
        },
        Scene::Wave | Scene::PinchDrag if !is_right && random.chance(0.6) => rest(random, 3.0, 8.0),
        Scene::Reach if tired => rest(random, 0.5, 2.0),
        Scene::Reach => Gesture::Reach,
        Scene::Wave if hand.since_rest > 0 => rest(random, 0.5, 2.5),
        Scene::Wave => wave(random),
        Scene::PinchDrag if tired => rest(random, 0.5, 2.5),
        Scene::PinchDrag => Gesture::PinchDrag,
    }
}
