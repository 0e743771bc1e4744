//! Every file that a command leaves, in the work tree and beside the memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::{Place, files_below};

/// What the files hold, except for what differs from one time to the next (moments, numbers,
/// names drawn at random): each word with a digit in it is as good as another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tree(BTreeMap<String, BTreeSet<String>>);

impl Tree {
    pub(super) fn of(place: &Place) -> Self {
        let mut files: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (root, name) in [(place.workspace(), "work"), (place.homes(), "home")] {
            for path in files_below(root) {
                let below = path.strip_prefix(root).unwrap();
                if !is_of_the_memory(below) && !is_of_git(below) && below != Path::new("input") {
                    let told = format!("{name}/{}", below.display());
                    let plain = without_numbers(&told);
                    if is_left_over(&plain) {
                        continue;
                    }
                    let bytes = fs::read(&path).unwrap_or_default();
                    // The homes of a copy are elsewhere.
                    let text = String::from_utf8_lossy(&bytes)
                        .replace(&*place.homes().to_string_lossy(), "HOMES");
                    files
                        .entry(plain)
                        .or_default()
                        .insert(without_numbers(&text));
                }
            }
        }
        Self(files)
    }

    /// What is wrong with these files, if each has to be as it was or as it would have become.
    pub(super) fn flaw(&self, before: &Self, after: &Self) -> Option<String> {
        let known = |path: &str| [before, after].map(|tree| tree.0.get(path));
        for (path, found) in &self.0 {
            let [was, will_be] = known(path);
            let ends = || [was, will_be].into_iter().flatten();
            let is_known = |text: &str| {
                // The file of a session is its lock, which is there before it says anything.
                let is_begun = was.is_none() && text.is_empty() && path.contains("/hooks/");
                let is_stage = has_stages(path) && is_whole(path, text);
                ends().any(|set| set.contains(text)) || is_stage || is_begun
            };
            if let Some(text) = found.iter().find(|text| !is_known(text)) {
                let ends = [was, will_be].map(|set| {
                    set.map(|set| set.iter().map(|text| shown(text)).collect::<Vec<_>>())
                });
                return Some(format!(
                    "{path} holds {}; before and after: {ends:?}",
                    shown(text)
                ));
            }
        }
        let mut stay = before.0.keys().filter(|path| after.0.contains_key(*path));
        let gone = stay.find(|path| !self.0.contains_key(*path))?;
        Some(format!("{gone} is gone"))
    }

    /// Which files differ.
    pub(super) fn told_from(&self, other: &Self) -> String {
        let differ = |path: &&String| self.0.get(*path) != other.0.get(*path);
        let paths: BTreeSet<_> = self.0.keys().chain(other.0.keys()).filter(differ).collect();
        format!("{paths:?}")
    }
}

/// What holds the history, or ends in a digest of itself, has tests of its own and is asked by the
/// program itself.
fn is_of_the_memory(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_of_state = text.starts_with("state/fusebox/") || text.starts_with("data/fusebox/");
    let by_name = matches!(
        &*name,
        "roll" | ".roll" | "workspace" | "lock" | "default" | "ledger"
    );
    let by_place = ["/circuits/", "/index/", "/runs/"];
    is_of_state
        && (by_name
            || name.starts_with("history.db")
            || name.starts_with(".tampered-")
            || name.ends_with(".lock")
            // Notes that somebody is there, in which there is nothing.
            || name.ends_with(".sock")
            || name.starts_with("at-work-")
            || by_place.iter().any(|part| text.contains(part)))
}

/// What is ours alone may be written several times by one command, each time whole.
fn has_stages(path: &str) -> bool {
    path.starts_with("home/") || path.starts_with("work/fleet/")
}

/// Whether nothing is missing at the end, as far as its form tells. Numbers stand as `#` here.
fn is_whole(path: &str, text: &str) -> bool {
    let text = text.replace('#', "0");
    let reads = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    if path.ends_with(".jsonl") {
        // A journal is read up to its last whole line, and goes on from there.
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        return text[..end].lines().all(reads);
    }
    let is_list = text.starts_with("fusebox kept ") && text.ends_with("\nend 0\n");
    is_list || reads(&text)
}

/// Git vouches for its own.
fn is_of_git(path: &Path) -> bool {
    let is_its = |name: &str| name == ".git" || name == "shadow.git";
    path.iter().any(|name| is_its(&name.to_string_lossy()))
}

/// Every byte of every file, in the work tree and in the homes, wherever those are.
pub(super) fn bytes(place: &Place) -> BTreeMap<PathBuf, String> {
    let roots = [place.workspace(), place.homes()];
    let files = roots.into_iter().flat_map(|root| {
        let files = files_below(root).into_iter();
        files.map(move |path| (path.strip_prefix(root).unwrap().to_owned(), path))
    });
    let homes = place.homes().to_string_lossy();
    let files = files.filter(|(below, _)| below != Path::new("input"));
    let read = |path: &Path| {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace(&*homes, "HOMES")
    };
    files.map(|(below, path)| (below, read(&path))).collect()
}

/// The drafts that lie in the work tree.
pub(super) fn drafts(place: &Place) -> Vec<PathBuf> {
    let mut drafts = files_below(place.workspace());
    drafts.retain(|path| is_left_over(&without_numbers(&path.to_string_lossy())));
    drafts
}

/// A file that was about to take the place of another when the process was killed. Nobody reads
/// it, and whoever writes that file again removes it.
fn is_left_over(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = [".draft", ".new", ".fusebox-new"];
    ends.iter().any(|end| name.ends_with(end))
}

/// Not more of a file than tells it from others.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(200).collect();
    format!("{start:?} ({} bytes)", text.len())
}

fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
            continue;
        }
        let counts = word.bytes().any(|byte| byte.is_ascii_digit());
        plain.push_str(if counts { "#" } else { &word });
        word.clear();
        plain.push(letter);
    }
    plain.pop();
    plain
}
