#![no_main]

#[path = "../laws/round_trip.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::check(bytes));
