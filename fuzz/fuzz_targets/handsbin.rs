#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputanim_testkit::properties::handsbin::check(bytes));
