//! Each library that a crate names is one that it uses.

#![expect(clippy::unwrap_used, reason = "a test may end where it cannot go on")]

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_dependency_is_used() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = repository.join("crates");
    let crates = entries(&crates).chain([repository.join("xtask")]);
    let mut unused = Vec::new();
    for directory in crates {
        let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        let sources = sources(&directory);
        assert!(!sources.is_empty(), "{}", directory.display());
        let missing = named(&manifest).filter(|name| !is_used(&name.replace('-', "_"), &sources));
        unused.extend(missing.map(|name| format!("{}: {name}", directory.display())));
    }
    assert!(unused.is_empty(), "{unused:#?}");
}

#[test]
fn names_are_those_in_the_sections_of_dependencies() {
    let manifest = "[package]\nname = \"a\"\n[dependencies]\n# c = 1\nb-c = { workspace = true }\n\
                    [target.'cfg(x)'.dependencies]\nd = \"1\"\n[dev-dependencies.e]\nf = 1\n[lints]\n";
    assert_eq!(named(manifest).collect::<Vec<_>>(), ["b-c", "d"]);
    assert!(is_used("b_c", &["use b_c::D;".to_owned()]));
    assert!(!is_used("b_c", &["use ab_c; b_cd; xb_c_".to_owned()]));
}

/// The names of the libraries in a manifest.
fn named(manifest: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            is_inside = line.trim_end().ends_with("dependencies]");
            return None;
        }
        let (name, _) = line.split_once('=').filter(|_| is_inside)?;
        (!name.starts_with('#')).then(|| name.trim_end())
    })
}

fn is_used(name: &str, sources: &[String]) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    sources.iter().any(|source| {
        source.match_indices(name).any(|(at, _)| {
            let (before, after) = (&source[..at], &source[at + name.len()..]);
            !before.ends_with(is_word) && !after.starts_with(is_word)
        })
    })
}

/// What all files of Rust below a directory say.
fn sources(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for path in entries(&directory) {
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
}
