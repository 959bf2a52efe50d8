#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| extricate_fuzz::feed("xacro", bytes));
