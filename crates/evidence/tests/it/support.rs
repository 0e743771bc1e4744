//! Recorded outputs of tiny projects, whose paths were shortened and nothing else.

use std::path::Path;

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).unwrap()
}
