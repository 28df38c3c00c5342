#![no_main]

#[path = "../laws/tables.rs"]
mod law;

// The crates that read containers panic on damage, which the library catches; what leaves the law
// still ends the run.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|info| eprintln!("{info}"))),
    |bytes: &[u8]| law::check(bytes)
);
