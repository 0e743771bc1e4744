//! Settings of agents, where hooks are registered, and what agents say to a status line.

use std::fs;

use crate::tasks;

/// Three texts with a NUL behind each but the last: settings, a receipt for them, and the words
/// of whoever registers, one on each line.
pub(crate) fn settings(bytes: &[u8]) {
    let mut texts = bytes.splitn(3, |byte| *byte == 0);
    let mut next = || texts.next().unwrap_or_default();
    let (settings, receipt, words) = (next(), next(), next());
    let ground = tasks::root().join("settings");
    fs::create_dir_all(&ground).expect("a directory");
    let words = str::from_utf8(words).unwrap_or_default();
    // No path and no argument of a program has a NUL in it.
    let words: Vec<&str> = words.lines().filter(|word| !word.contains('\0')).collect();
    fusebox::doors::settings(&ground, settings, &words, receipt);
    fusebox::doors::statusline(&String::from_utf8_lossy(settings));
}
