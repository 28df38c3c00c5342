//! Benchmarks live in `benches`; `cargo xtask bench` runs them.
