//! Plays the same ten minutes with [`inputanim::Sampler`] and with the sampler of
//! [ozz-animation-rs](ozz_animation_rs), and prints how the medians compare.
//!
//! Method: the recording is made into an archive that ozz reads (see [`archive`]), with a track for
//! the head and for each recorded joint, and a key wherever the recording has one. Before
//! anything is measured, both samplers must agree (see [`agreement`]). Then they take turns, a
//! whole take each (see [`rounds`]): first forward at 90 Hz, then at the same times shuffled.
//! Every frame has all joints, also those of a hand that is out of sight.
//!
//! What each does for a frame is not the same:
//! - inputanim interpolates the seven full floats of each pose, normalises the rotation,
//!   evaluates the gaze and which hands are tracked and pinching, and writes a plain frame, joint
//!   by joint.
//! - ozz unpacks half floats and rotations of 48 bits, interpolates and normalises them and a
//!   scale, four tracks at a time, and writes them in groups of four. It has no states and no
//!   gaze. Packed keys take less memory and lose precision; how much of both is printed.
//!
//! Limits:
//! - The C++ library ozz-animation is not measured, only the crate that follows it, built from a
//!   copy with a function's new name (see the script `run`).
//! - ozz-animation-rs 0.11 marks the tracks that have new keys and never takes a mark back. So it
//!   soon unpacks every track in every frame, which the C++ library does not. "ozz mended" is the
//!   same crate with the marks taken back, and says what the method can do.
//! - An ozz archive usually leaves out keys that the others imply within a tolerance. Here it
//!   has every key, as inputanim does, and plays slower than it would without.
//! - To jump, ozz begins at the nearest of its seek points and walks from there key by key. Random
//!   times are measured with few points, and with about as many as playing at 90 Hz allows: were
//!   they much closer, every frame would count as a jump.
//! - One take, of synthetic motion, on one thread. The compiler uses the instructions that all
//!   processors of the architecture have, unless `RUSTFLAGS` says otherwise.

#![forbid(unsafe_code)]

mod agreement;
mod archive;
mod memory;
mod player;
mod rounds;

use std::hint::black_box;

use agreement::{Difference, largest};
use inputanim::{Layout, Span};
use inputanim_motion::{Motion, Scene};
use memory::held;
use player::{Mended, Ours, Ozz, Published};
use rounds::{medians, shuffled};

/// A display of 90 Hz: no multiple of the 60 Hz of the recording.
const RATE: f64 = 90.0;
/// Seconds between ozz's seek points where there are few.
const FAR: f32 = 10.0;
/// And where there are many.
const NEAR: f32 = 0.03;

fn main() {
    let recording = Motion::new(Scene::TwoHands, 1, 600.0).record(60.0, Layout::Mrtk1_1);
    let mut ours = Ours::new(&recording);
    let end = ours.sampler.duration();
    let key_times = ours.sampler.key_times();
    let [far, near] = [FAR, NEAR].map(|seconds| archive::of(&recording, &key_times, seconds));
    let mut ozz = Published::new(&far);
    let mut ozz_near = Published::new(&near);
    let mut mended = Mended::new(&far);
    let mut mended_near = Mended::new(&near);

    let forward: Vec<f32> = Span { start: 0.0, end }.times_at(RATE).collect();
    let random = shuffled(&forward);
    let some: Vec<f32> = forward.iter().copied().step_by(101).collect();
    let mut difference = Difference::default();
    for times in [&some, &shuffled(&some)] {
        difference = difference
            .max(largest(&mut ours, &mut ozz, end, times))
            .max(largest(&mut ours, &mut ozz_near, end, times))
            .max(largest(&mut ours, &mut mended, end, times))
            .max(largest(&mut ours, &mut mended_near, end, times));
    }

    let forward_rounds = medians([
        &mut || play(&mut ours, &forward),
        &mut || play_ozz(&mut ozz, &forward, end),
        &mut || play_ozz(&mut mended, &forward, end),
    ]);
    let random_rounds = medians([
        &mut || play(&mut ours, &random),
        &mut || play_ozz(&mut ozz, &random, end),
        &mut || play_ozz(&mut ozz_near, &random, end),
        &mut || play_ozz(&mut mended_near, &random, end),
    ]);

    let poses = player::poses(ours.sample(0.0)).count();
    println!("ten minutes of two hands at 60 Hz, {poses} poses, played at 90 Hz");
    println!("{:48}ns a frame   ns a pose   inputanim is faster by", "");
    let table = |order: &str, names: &[&str], rounds: &[f64]| {
        for (row, (name, round)) in names.iter().zip(rounds).enumerate() {
            let order = if row == 0 { order } else { "" };
            let frame = round / forward.len() as f64;
            let pose = frame / poses as f64;
            print!("  {order:<8} {name:<37}{frame:>10.0}{pose:>12.1}");
            match row {
                0 => println!(),
                _ => println!("{:>12.2} times", round / rounds[0]),
            }
        }
    };
    table(
        "forward",
        &["inputanim", "ozz", "ozz mended"],
        &forward_rounds,
    );
    let seeking = |name: &str, seconds: f32| format!("{name}, seek points each {seconds} s");
    let names = [
        "inputanim",
        &seeking("ozz", FAR),
        &seeking("ozz", NEAR),
        &seeking("ozz mended", NEAR),
    ];
    table("random", &names, &random_rounds);
    println!(
        "  memory   inputanim {} bytes, ozz {} bytes, with seek points each {NEAR} s {} bytes",
        held(|| Ours::new(&recording)),
        held(|| Published::new(&far)),
        held(|| Published::new(&near)),
    );
    println!(
        "  ozz keeps translations as half floats and rotations in 48 bits; largest difference \
         seen {:.2} mm, {:.3} degrees",
        difference.metres * 1e3,
        difference.degrees
    );
}

fn play(ours: &mut Ours, times: &[f32]) {
    for &time in times {
        black_box(ours.sample(black_box(time)));
    }
}

fn play_ozz(ozz: &mut impl Ozz, times: &[f32], end: f32) {
    for &time in times {
        ozz.sample(black_box(time) / end);
        black_box(&mut *ozz);
    }
}
