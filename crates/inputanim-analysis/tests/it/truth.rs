//! Precision and recall of events in generated recordings, whose pinches, movements, fixations and saccades
//! are known, at several levels of noise.
//!
//! `cargo test -p inputanim-analysis truth -- --nocapture` prints the table of docs/analysis.md.

use inputanim::{Layout, Recorder, Recording, Side};
use inputanim_analysis::{Analysis, AnalysisParameters};
use inputanim_motion::{Motion, Scene};

/// Standard deviations of the noise: positions of joints in millimetres, directions of the gaze in degrees.
const NOISE: [(f64, f64); 4] = [(0.0, 0.0), (0.5, 0.1), (1.0, 0.2), (2.0, 0.4)];

/// A start and an end in seconds.
type Interval = (f64, f64);

/// Normally distributed numbers (Box and Muller 1958) of a fixed sequence.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn add(&mut self, vector: &mut [f32; 3], sd: f64) {
        for value in vector {
            *value += (sd * self.next()) as f32;
        }
    }
}

fn record(motion: &Motion, (millimetres, degrees): (f64, f64)) -> Recording<'static> {
    let mut normal = Normal(1);
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for mut frame in motion.frames(60.0) {
        for side in Side::BOTH {
            for (_, pose) in frame.hand_mut(side).joints.iter_mut() {
                if let Some(pose) = pose {
                    normal.add(&mut pose.position, millimetres / 1000.0);
                }
            }
        }
        if let Some(gaze) = &mut frame.gaze {
            normal.add(&mut gaze.direction, degrees.to_radians());
        }
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

/// Counts of events: made by the generator, found by the analysis, and events that are both.
#[derive(Clone, Copy, Default)]
struct Score {
    made: usize,
    found: usize,
    both: usize,
}

impl Score {
    /// Adds the pairs of intervals for which `agree` holds. Each interval is in one pair at most.
    fn add(
        &mut self,
        made: &[Interval],
        found: &[Interval],
        agree: fn(Interval, Interval) -> bool,
    ) {
        let mut rest = found.to_vec();
        for made in made {
            if let Some(index) = rest.iter().position(|found| agree(*made, *found)) {
                rest.remove(index);
                self.both += 1;
            }
        }
        self.made += made.len();
        self.found += found.len();
    }

    fn precision(self) -> f64 {
        self.both as f64 / self.found.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.both as f64 / self.made.max(1) as f64
    }
}

/// Returns `true` if the common time of two intervals is at least half of the time that either covers.
fn overlap(a: Interval, b: Interval) -> bool {
    let common = a.1.min(b.1) - a.0.max(b.0);
    common >= 0.5 * (a.1.max(b.1) - a.0.min(b.0))
}

/// Returns `true` if two intervals touch, within a sample at 60 Hz: saccades last two to four samples.
fn touch(a: Interval, b: Interval) -> bool {
    a.1.min(b.1) - a.0.max(b.0) >= -1.0 / 60.0
}

/// Returns the parts of intervals in which a hand is tracked.
fn visible(made: Vec<Interval>, analysis: &Analysis, side: Side) -> Vec<Interval> {
    let tracked = &analysis.quality.tracked[side as usize];
    let parts = made.into_iter().flat_map(|(start, end)| {
        tracked
            .iter()
            .map(move |range| (start.max(range.start.into()), end.min(range.end.into())))
    });
    parts.filter(|(start, end)| end - start > 0.1).collect()
}

/// Returns the scores of pinches, movements, fixations and saccades.
fn scores(noise: (f64, f64)) -> [Score; 4] {
    let mut scores = [Score::default(); 4];
    let [pinches, movements, fixations, saccades] = &mut scores;
    for (scene, seed) in Scene::ALL.iter().zip(1..) {
        let motion = Motion::new(*scene, seed, 120.0);
        let recording = record(&motion, noise);
        let analysis = Analysis::of(&recording, &AnalysisParameters::default()).unwrap();
        let end = f64::from(analysis.range.end);
        for side in Side::BOTH {
            let hand = analysis.hand(side);
            let found = hand.geometric_pinches.iter();
            let found: Vec<Interval> = found.map(|pinch| (pinch.start, pinch.end())).collect();
            let made = visible(motion.pinches(side).collect(), &analysis, side);
            pinches.add(&made, &found, overlap);
            let found = hand.movements.iter();
            let found: Vec<Interval> = found
                .map(|movement| (movement.start, movement.start + movement.duration))
                .collect();
            let made = visible(motion.movements(side).collect(), &analysis, side);
            // A waving hand rests for a moment at every turn, which the generator does not count.
            if !matches!(scene, Scene::Wave | Scene::TwoHands) {
                movements.add(&made, &found, overlap);
            }
        }
        let gaze = analysis.gaze.as_ref().unwrap();
        let made: Vec<Interval> = motion.saccades().filter(|(_, stop)| *stop < end).collect();
        let found = gaze.saccades.iter();
        let found: Vec<Interval> = found
            .map(|saccade| (saccade.start, saccade.start + saccade.duration))
            .collect();
        saccades.add(&made, &found, touch);
        // The shortest window of I-DT has 15 samples, which span 0.233 s.
        let rests = made.windows(2).map(|pair| (pair[0].1, pair[1].0));
        let made: Vec<Interval> = rests.filter(|(start, stop)| stop - start >= 0.23).collect();
        let found = gaze.fixations.iter();
        let found: Vec<Interval> = found
            .map(|fixation| (fixation.start, fixation.start + fixation.duration))
            .collect();
        fixations.add(&made, &found, overlap);
    }
    scores
}

#[test]
fn events_of_generated_recordings_are_found() {
    let all = NOISE.map(scores);
    println!("| noise of joints, gaze | pinches | movements | fixations | saccades |");
    println!("|---|---|---|---|---|");
    for ((millimetres, degrees), scores) in NOISE.iter().zip(&all) {
        let cell = |score: &Score| format!("{:.2} / {:.2}", score.precision(), score.recall());
        let cells: Vec<String> = scores.iter().map(cell).collect();
        println!("| {millimetres} mm, {degrees}° | {} |", cells.join(" | "));
    }
    let least = [
        [0.99, 0.98, 0.85, 0.99],
        [0.99, 0.98, 0.75, 0.99],
        [0.99, 0.98, 0.40, 0.99],
        [0.99, 0.90, 0.00, 0.60],
    ];
    for (scores, least) in all.iter().zip(least) {
        for (score, least) in scores.iter().zip(least) {
            assert!(score.made > 20);
            assert!(score.precision() >= least && score.recall() >= least);
        }
    }
}
