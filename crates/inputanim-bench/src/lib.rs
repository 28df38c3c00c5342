//! Shared code of the benchmarks in `benches`; `cargo xtask bench` runs them.

use std::path::Path;
use std::time::Duration;

use criterion::Criterion;
use inputanim::{Curve, FloatCurve, Keys, Recording};

mod memory;

pub use memory::{held, memory};

/// Calls `measure` with a new Criterion and the temporary folder to which it writes its results. Does nothing if Cargo
/// runs the benchmark as a test, without the argument `--bench`.
pub fn run(measure: impl FnOnce(&mut Criterion, &Path)) {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut criterion = Criterion::default()
        .output_directory(folder.path())
        .without_plots()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    measure(&mut criterion, folder.path());
}

/// Returns the sum of all numbers of all keys, so that a benchmark reads every key.
pub fn sum(recording: &Recording<'_>) -> f32 {
    let sums = recording.curves().map(|(_, curve)| match curve {
        Curve::Boolean(curve) => total(&curve.keys, |key| [key.time(), key.value()]),
        Curve::Float(FloatCurve { keys, .. }) => match keys {
            Keys::Simple(keys) => total(keys, |key| [key.time(), key.value()]),
            Keys::Full(keys) => total(keys, |key| {
                [
                    key.time(),
                    key.value(),
                    key.in_tangent(),
                    key.out_tangent(),
                    key.in_weight(),
                    key.out_weight(),
                    key.weighted_mode().0 as f32,
                ]
            }),
        },
    });
    sums.sum()
}

/// Returns the sum of the numbers that `fields` returns for each key, with several sums in parallel. A single sum would
/// measure the latency of the adder, not the memory.
fn total<K, const N: usize>(keys: &[K], fields: impl Fn(&K) -> [f32; N]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [[0.0; N]; LANES];
    let add = |sums: &mut [f32; N], key| {
        for (sum, field) in sums.iter_mut().zip(fields(key)) {
            *sum += field;
        }
    };
    let mut chunks = keys.chunks_exact(LANES);
    for chunk in &mut chunks {
        sums.iter_mut()
            .zip(chunk)
            .for_each(|(sums, key)| add(sums, key));
    }
    for key in chunks.remainder() {
        add(&mut sums[0], key);
    }
    sums.as_flattened().iter().sum()
}

/// Returns the median time of a benchmark in nanoseconds, which Criterion stored in the folder `output`; NaN if it is
/// not there.
pub fn median(output: &Path, group: &str, name: &str) -> f64 {
    let path = output.join(group).join(name).join("new/estimates.json");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let estimates: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    estimates["median"]["point_estimate"]
        .as_f64()
        .unwrap_or(f64::NAN)
}
