#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fusebox_fuzz::settings_json(bytes));
