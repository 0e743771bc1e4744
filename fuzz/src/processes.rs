//! What processes say to each other, and what a system says of them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use fusebox_supervise::{HeadTail, doors};

use crate::tasks;

/// Any bytes may be words, lines, names, variables or output: they are read as what they are, and
/// make nothing else of what stands beside them.
pub(crate) fn processes(bytes: &[u8]) {
    doors::socket(bytes);
    doors::system(bytes);
    let words = bytes.split(|byte| *byte == 0);
    let words: Vec<OsString> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    doors::words(&words);
    let ground = tasks::root().join("processes");
    fs::create_dir_all(&ground).expect("a directory");
    doors::lock_file(&ground.join("run.lock"), bytes);
    let [head, tail] =
        [bytes.first(), bytes.last()].map(|byte| byte.map_or(0, |n| usize::from(*n)));
    ends(bytes, head, tail);
}

/// Both ends of an output are kept, whatever pieces it comes in, and what lies between is counted.
fn ends(bytes: &[u8], head: usize, tail: usize) {
    let kept = |chunk: usize| {
        let mut kept = HeadTail::new(head, tail);
        bytes.chunks(chunk).for_each(|piece| kept.push(piece));
        kept
    };
    let whole = kept(bytes.len().max(1));
    let mut written = Vec::new();
    whole.write_to(&mut written).expect("written");
    let mut in_pieces = Vec::new();
    kept(head % 7 + 1)
        .write_to(&mut in_pieces)
        .expect("written");
    assert_eq!(written, in_pieces);
    assert_eq!(whole.stats().bytes, bytes.len() as u64);
    if bytes.len() <= head + tail {
        assert_eq!(written, bytes);
    } else {
        assert!(written.starts_with(&bytes[..head]));
        assert!(written.ends_with(&bytes[bytes.len() - tail..]));
        assert_eq!(whole.left_out(), (bytes.len() - head - tail) as u64);
    }
}
