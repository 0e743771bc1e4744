//! One program with all mutants in it: a copy of the tree is rewritten and built, without those
//! that do not compile.

use super::Examined;
use super::blame;
use super::listing::Mutant;
use super::rewriting::{Kind, Mark, Rewritten, Site};
use super::sites;
use crate::place;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// More rounds than a compiler has phases would mean that the same is blamed again and again.
const ROUNDS: usize = 40;

/// What is appended to the crate, so that it knows which mutant is on.
const SWITCH: &str = include_str!("switch.rs");

/// The tests of a crate with all its mutants in it.
pub(super) struct Program {
    /// The test programs.
    pub(super) tests: Vec<PathBuf>,
    /// Where they are run.
    pub(super) directory: PathBuf,
    /// For each site, by its number, the mutants in it.
    pub(super) sites: BTreeMap<usize, Vec<usize>>,
    /// In no site: constants, hidden types, conditions that bind names.
    pub(super) unswitchable: BTreeSet<usize>,
    /// They do not compile.
    pub(super) uncompilable: BTreeSet<usize>,
}

impl Program {
    /// Copies the tree to a directory below `place`, and builds all `mutants` (their numbers
    /// are their places in the list).
    pub(super) fn build(examined: &Examined, mutants: &[Mutant], place: &Path) -> Result<Self> {
        let tree = place.join("tree");
        copy_tree(&tree)?;
        let directory = tree.join("crates").join(examined.name);
        let root = Path::new("crates").join(examined.name).join("src/lib.rs");
        let sources = read_sources(&tree, mutants, &root)?;
        let mut out = BTreeSet::new();
        let mut known: Option<BTreeSet<usize>> = None;
        for round in 1..=ROUNDS {
            let rewriting = rewrite(&tree, &sources, &root, mutants, &out)?;
            let switched: BTreeSet<usize> = rewriting.sites.values().flatten().copied().collect();
            let known = known.get_or_insert(switched);
            let printed = compile(examined, &tree, place)?;
            if let Some(tests) = programs(&printed) {
                return Ok(Self {
                    tests,
                    directory,
                    unswitchable: (0..mutants.len()).filter(|n| !known.contains(n)).collect(),
                    sites: rewriting.sites,
                    uncompilable: out,
                });
            }
            let complaints = blame::complaints(&printed);
            let before = out.len();
            for complaint in &complaints {
                let path = Path::new(&complaint.file);
                let path = path.strip_prefix(&tree).unwrap_or(path);
                if let Some(marks) = rewriting.marks.get(path) {
                    out.extend(blame::culprits(marks, &complaint.range));
                }
            }
            println!(
                "round {round}: {} complaints, {} mutants taken out",
                complaints.len(),
                out.len() - before
            );
            ensure!(
                out.len() > before,
                "the copy in {} cannot be compiled, and no mutant is to blame: {}",
                tree.display(),
                complaints.first().map_or("", |first| &first.message)
            );
        }
        bail!("after {ROUNDS} rounds something is still not compiled")
    }
}

/// Copies what git would commit and what is not yet known to it.
fn copy_tree(tree: &Path) -> Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree).with_context(|| format!("cannot remove {}", tree.display()))?;
    }
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(place::repository())
        .output()
        .context("`git` cannot be started")?;
    ensure!(
        listed.status.success(),
        "git cannot list the files of the tree"
    );
    let listed = String::from_utf8(listed.stdout).context("a file has no name that is text")?;
    for name in listed.split_terminator('\0') {
        let (from, to) = (place::repository().join(name), tree.join(name));
        let Ok(kind) = fs::symlink_metadata(&from) else {
            continue;
        };
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot make {}", parent.display()))?;
        }
        let copied = if kind.is_symlink() {
            fs::read_link(&from).and_then(|target| std::os::unix::fs::symlink(target, &to))
        } else {
            fs::copy(&from, &to).map(drop)
        };
        copied.with_context(|| format!("{} cannot be copied", from.display()))?;
    }
    Ok(())
}

/// What was written into the copy.
struct Rewriting {
    sites: BTreeMap<usize, Vec<usize>>,
    marks: BTreeMap<PathBuf, Vec<Mark>>,
}

/// The files that are rewritten as they were when they were copied: somebody may go on working
/// on the tree meanwhile.
type Sources = BTreeMap<PathBuf, String>;

fn read_sources(tree: &Path, mutants: &[Mutant], root: &Path) -> Result<Sources> {
    let files: BTreeSet<&Path> = mutants.iter().map(|mutant| mutant.file.as_path()).collect();
    let files = files.into_iter().chain([root]);
    files
        .map(|file| {
            let path = tree.join(file);
            let source = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            Ok((file.to_owned(), source))
        })
        .collect()
}

/// Writes each file with all its mutants but those that are `out`, and the switch into the root
/// of the crate.
fn rewrite(
    tree: &Path,
    sources: &Sources,
    root: &Path,
    mutants: &[Mutant],
    out: &BTreeSet<usize>,
) -> Result<Rewriting> {
    let mut files: BTreeMap<&Path, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let of_file = files.entry(&mutant.file).or_default();
        if !out.contains(&number) {
            of_file.push((number, mutant));
        }
    }
    let mut rewriting = Rewriting {
        sites: BTreeMap::new(),
        marks: BTreeMap::new(),
    };
    for (file, source) in sources {
        let here = files.remove(file.as_path()).unwrap_or_default();
        let sites = sites::find(source, here)
            .with_context(|| format!("{} cannot be rewritten", file.display()))?;
        note_sites(&sites, &mut rewriting.sites);
        let mut rewritten = Rewritten::of(source, &sites);
        if file == root {
            let switch = SWITCH.replace("SITES", &mutants.len().to_string());
            rewritten.text.push_str(&format!("\n{switch}"));
        }
        write_if_changed(&tree.join(file), &rewritten.text)?;
        rewriting.marks.insert(file.clone(), rewritten.marks);
    }
    Ok(rewriting)
}

fn note_sites(sites: &[Site], noted: &mut BTreeMap<usize, Vec<usize>>) {
    for site in sites {
        if let Kind::Choice(mutants) = &site.kind
            && let Some(first) = mutants.first()
        {
            noted.insert(*first, mutants.clone());
        }
        note_sites(&site.inner, noted);
    }
}

/// What was not touched is not built again.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

/// Builds the tests, and returns what cargo prints.
fn compile(examined: &Examined, tree: &Path, place: &Path) -> Result<String> {
    let built = Command::new("cargo")
        .args(["test", "--no-run", "--message-format=json", "--package"])
        .args([examined.package, "--profile", "mutants-at-once"])
        .args(examined.words("additional_cargo_args")?)
        .current_dir(tree)
        // Not shared with other copies: cargo would take what was built of one for the other.
        .env("CARGO_TARGET_DIR", place.join("built"))
        // What lints say of the copy is nobody's concern.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stderr(Stdio::null())
        .output()
        .context("`cargo` cannot be started")?;
    String::from_utf8(built.stdout).context("cargo prints what is no text")
}

/// The test programs, if the build came to its end.
fn programs(printed: &str) -> Option<Vec<PathBuf>> {
    let values = printed
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut tests = Vec::new();
    let mut finished = false;
    for value in values {
        if value["reason"] == "build-finished" {
            finished = value["success"] == true;
        }
        if value["profile"]["test"] == true
            && let Some(test) = value["executable"].as_str()
        {
            tests.push(PathBuf::from(test));
        }
    }
    finished.then_some(tests)
}
