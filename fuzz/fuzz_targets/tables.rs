#![no_main]

// The crates for Parquet and Arrow panic on damaged files, and the library catches these panics. The
// hook replaces that of libFuzzer, which would abort at every panic; a failed property still aborts.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|info| eprintln!("{info}"))),
    |bytes: &[u8]| inputanim_testkit::properties::tables::check(bytes)
);
