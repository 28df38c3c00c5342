//! `cargo xtask accuracy`: takes lose their w as the toolkit's faulty releases lose it, are
//! repaired, and compared with what they were. docs/accuracy.md shows and explains it.

mod corpus;
mod table;

use anyhow::Result;
use inputanim_motion::Scene;

#[path = "../../../crates/inputanim-motion/tests/damage/mod.rs"]
mod damage;

use damage::case::CASES;
use damage::lose_w;
use damage::score::Score;

use crate::truth;

/// Each case has a take of every scene with each of these seeds, by which nothing in the repair was
/// chosen: what was chosen by measuring was chosen with the seeds 1 to 3,
const SEEDS: [u64; 3] = [11, 12, 13];
/// this many seconds long.
const SECONDS: f32 = 20.0;

const READING: &str = "\
A rotation that lost its w is one of two, and the repair chooses. Keys: how many were rebuilt.
Right: within 2 degrees of what they were. Median, 99 %: how far off keys are, in degrees, and 99 %
of them at the most. Wrong ones: the median of those alone. Doubtful: what the repair itself calls
so. Shares of right keys are rounded down and the others up, so 100.00 is all and 0.000 none.";

pub(crate) fn run() -> Result<()> {
    println!("{READING}");
    let corpus = truth::corpus();
    let mut rows: Vec<(String, Score)> = Vec::new();
    match &corpus {
        Some(corpus) => rows.extend(corpus::scores(corpus)?),
        None => println!("\nINPUTANIM_CORPUS names no corpus: recordings of devices are left out."),
    }
    for case in CASES {
        let mut score = Score::default();
        for scene in Scene::ALL {
            for seed in SEEDS {
                let healthy = case.record(scene, seed, SECONDS);
                let mut damaged = healthy.clone();
                lose_w(&mut damaged, case.form);
                score.add(&healthy, &damaged);
            }
        }
        rows.push((case.name.to_owned(), score));
    }
    println!("\nHands:\n");
    table::print(&rows, |score| &score.hands);
    println!("\nHead:\n");
    table::print(&rows, |score| &score.head);
    if let Some(corpus) = corpus {
        println!("\nPlayed, against what the toolkit's recorder was fed:\n");
        corpus::print_played(&corpus)?;
    }
    Ok(())
}
