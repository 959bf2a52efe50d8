#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| { let _ = extricate::geometry::read::parse_mesh(bytes, "x.obj"); });
