//! `cargo xtask accuracy`: removes w curves from recordings as faulty releases of MRTK do, repairs the
//! recordings, and compares them with the originals. docs/accuracy.md shows and explains the tables.

mod corpus;
mod table;

use anyhow::Result;
use inputanim_motion::Scene;
use inputanim_testkit::corpus::find as find_corpus;
use inputanim_testkit::damage::case::CASES;
use inputanim_testkit::damage::lose_w;
use inputanim_testkit::damage::score::Score;

/// Each case has a recording of every scene with each of these seeds. The constants of the repair were selected with
/// other seeds, 1 to 3.
const SEEDS: [u64; 3] = [11, 12, 13];
/// The length of each generated recording.
const SECONDS: f32 = 20.0;

const READING: &str = "\
Every rebuilt rotation is one of two, and the repair selects one. Keys: rebuilt keys. Right: within 2
degrees of the truth. Median, 99 %: errors in degrees. Wrong keys: their median error. Uncertain: keys
that the repair flags; uncertain, over 20°: keys of these whose other rotation differs by more than 20°.
Over 20°: keys with such an error that are not flagged. Shares of right keys are
rounded down, other shares up.";

fn main() -> Result<()> {
    println!("{READING}");
    let corpus = find_corpus();
    let mut rows: Vec<(String, Score)> = Vec::new();
    match &corpus {
        Some(corpus) => rows.extend(corpus::scores(corpus)?),
        None => println!("\nINPUTANIM_CORPUS is not set: device recordings are skipped."),
    }
    for case in CASES {
        let mut score = Score::default();
        for &scene in Scene::ALL {
            for seed in SEEDS {
                let healthy = case.record(scene, seed, SECONDS);
                let mut damaged = healthy.clone();
                lose_w(&mut damaged, case.loss);
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
        println!("\nPlayback, compared with the frames that MRTK's recorder received:\n");
        corpus::print_played(&corpus)?;
    }
    Ok(())
}
