//! Writes recordings, random recordings and mutants to a file, each with the results that the C# code of the package for
//! Unity must give: the error, the findings, and checksums of frames, of other layouts, of the recorder and of the player.
//!
//! `unity_cases OUTPUT RECORDING...` writes the cases for these recordings, for the inputs of the fuzz targets, and for
//! generated recordings. `unity/check/Cases.cs` reads the file.

#[path = "../../../inputanim-wasm/examples/digest/hash.rs"]
mod hash;
mod results;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use inputanim::Recording;
use inputanim_testkit::{RandomNumbers, mutate, plausible, random, samples};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use results::{Depth, Results};

/// The number of mutants.
const MUTANTS: usize = 5000;

/// A file with its name.
type File = (String, Vec<u8>);

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let output = arguments
        .next()
        .context("missing output: unity_cases OUTPUT RECORDING...")?;
    let mut bases: Vec<File> = Vec::new();
    for path in arguments {
        bases.push(read(&path)?);
    }
    let large = bases.len();
    for folder in ["fuzz/seeds", "fuzz/corpus/parse", "fuzz/corpus/sampler"] {
        let entries = std::fs::read_dir(samples::root().join(folder))?;
        let mut paths = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<PathBuf>>>()?;
        paths.sort();
        for path in paths {
            bases.push(read(&path)?);
        }
    }
    add_generated(&mut bases)?;
    let mut cases = Cases::default();
    for (name, bytes) in &bases {
        cases.add_file(name, bytes);
    }
    let mut numbers = RandomNumbers::new(49);
    for mutant in 0..MUTANTS {
        // Large recordings make few mutants, because each of them is read completely.
        let from = if mutant % 50 == 0 { 0 } else { large };
        let base = from + numbers.below((bases.len() - from) as u64) as usize;
        cases.add_mutant(mutant, base, &bases[base].1, &mut numbers);
    }
    println!(
        "{} recordings and other files, {} mutants, {} of them well formed",
        bases.len(),
        MUTANTS,
        cases.well_formed_mutants
    );
    Ok(std::fs::write(output, cases.bytes)?)
}

fn read(path: &Path) -> Result<File> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((name.into_owned(), bytes))
}

/// Adds random recordings: with any numbers, and with plausible numbers, tangents, weights and wrap modes.
fn add_generated(bases: &mut Vec<File>) -> Result<()> {
    let random_numbers = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random_numbers);
    let mut add = |name: String, strategy: &dyn Fn(&mut TestRunner) -> Recording<'static>| {
        bases.push((name, strategy(&mut runner).to_bytes()?));
        anyhow::Ok(())
    };
    for number in 0..100 {
        add(format!("random {number}"), &|runner| {
            current(&random::recording(), runner)
        })?;
    }
    for number in 0..300 {
        add(format!("plausible {number}"), &|runner| {
            current(&plausible::recording(), runner)
        })?;
    }
    Ok(())
}

fn current(
    strategy: &impl Strategy<Value = Recording<'static>>,
    runner: &mut TestRunner,
) -> Recording<'static> {
    // The strategies reject no values, so a value always exists.
    strategy
        .new_tree(runner)
        .map(|tree| tree.current())
        .unwrap_or_else(|reason| panic!("no random recording: {reason}"))
}

/// The bytes of the cases.
#[derive(Default)]
struct Cases {
    bytes: Vec<u8>,
    well_formed_mutants: usize,
}

impl Cases {
    fn add_file(&mut self, name: &str, bytes: &[u8]) {
        self.bytes.push(0);
        self.add_text(name);
        self.add_bytes(bytes);
        self.add_results(&Results::of(bytes, Depth::Full));
    }

    /// Adds a mutant as the parts in which it differs from its base.
    fn add_mutant(
        &mut self,
        number: usize,
        base: usize,
        bytes: &[u8],
        numbers: &mut RandomNumbers,
    ) {
        let mutant = mutate(bytes, numbers);
        let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
        let prefix = bytes.iter().zip(&mutant).take_while(same).count();
        let shorter = bytes.len().min(mutant.len()) - prefix;
        let ends = bytes.iter().rev().zip(mutant.iter().rev());
        let suffix = ends.take(shorter).take_while(same).count();
        let results = Results::of(&mutant, Depth::Quick);
        self.well_formed_mutants += usize::from(results.error.is_empty());
        self.bytes.push(1);
        self.add_text(&format!("mutant {number}"));
        for part in [base, prefix, suffix] {
            self.add_length(part);
        }
        self.add_bytes(&mutant[prefix..mutant.len() - suffix]);
        self.add_results(&results);
    }

    fn add_results(&mut self, results: &Results) {
        self.add_text(&results.error);
        if results.error.is_empty() {
            self.add_text(&results.findings);
            self.add_text(&results.unplayable);
            for digest in results.digests {
                self.bytes.extend(digest.to_le_bytes());
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        self.add_length(bytes.len());
        self.bytes.extend(bytes);
    }

    fn add_length(&mut self, length: usize) {
        self.bytes.extend((length as u32).to_le_bytes());
    }
}
