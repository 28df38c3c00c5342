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

/// Each case has a take of every scene with each of these seeds,
const SEEDS: [u64; 3] = [1, 2, 3];
/// this many seconds long.
const SECONDS: f32 = 20.0;

const READING: &str = "\
A rotation that lost its w is one of two, and a repair chooses. Right is a key within 2 degrees of
what it was; median and 99 % are how far off keys are, in degrees; doubtful is what the repair
itself calls so. Percentages of right keys are rounded down, others up: 100.00 are all, 0.000 none.";

pub(crate) fn run() -> Result<()> {
    println!("{READING}");
    let corpus = corpus::folder();
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
