//! Recorded outputs of tiny projects, whose paths were shortened and nothing else.

use std::path::Path;

use fusebox_evidence::TestRun;

/// Passed, failed and skipped.
pub(crate) type Counts = (u32, u32, u32);

pub(crate) fn counts(run: &TestRun) -> Counts {
    (run.passed, run.failed, run.skipped)
}

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}
