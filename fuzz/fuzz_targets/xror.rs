#![no_main]

use inputanim_testkit::properties::read::check_as;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check_as("xror", bytes));
