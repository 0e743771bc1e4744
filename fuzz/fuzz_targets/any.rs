//! One program for all targets: `FUSEBOX_FUZZ_TARGET` names the one it is to try. A
//! program for each would be linked as often.

#![no_main]

use std::sync::LazyLock;

use fusebox_fuzz::{TARGETS, Target};

static CHOSEN: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUSEBOX_FUZZ_TARGET").unwrap_or_default();
    let chosen = TARGETS.iter().find(|target| target.name == name);
    chosen.unwrap_or_else(|| panic!("FUSEBOX_FUZZ_TARGET={name:?} is none of the targets"))
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (CHOSEN.holds)(bytes));
