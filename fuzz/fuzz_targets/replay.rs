//! Any bytes as a file of sessions: read to the end, and judged.

#![no_main]

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{Judging, read_from};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let begin = || Judging::by(CallPolicy::native());
    read_from("fuzz", bytes, &begin, &mut |told| {
        assert!(told.outcome.points.len() <= 64);
    });
});
