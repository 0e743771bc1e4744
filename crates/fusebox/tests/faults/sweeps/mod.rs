//! Kills, refusals and files that end in the middle, for every command that changes something.
//!
//! What is asked is less than of `check` and `record`, which [`kills`](crate::kills) and
//! [`storage`](crate::storage) take apart, and the same in spirit: the history and each file are
//! as they were before the command or as they would have been after it, the latter if anybody was
//! told so; where no step was allowed before and after, none is allowed in between; and whatever
//! was left, the same command can be given again.

mod cases;
mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use cases::Case;
use tree::Tree;

use crate::agents::have;
use crate::openings::Openings;
use crate::place::{FUSEBOX, Place, Told, copy_tree, files_below, scratch};
use crate::sampling::{STORING, proof, sample};
use crate::strace::{self, Point};

/// A work tree whose files can be put back as they were; its directory stays, because memories
/// belong to a directory and not to a path.
struct Site {
    place: Place,
    files: tempfile::TempDir,
}

impl Site {
    fn of(case: &Case) -> Self {
        let place = Place::new();
        let founded = if case.in_fleet {
            "$F -q fleet init; "
        } else {
            ""
        };
        let mut shell = command(&place, case, "sh");
        let set_up = shell
            .env("F", FUSEBOX)
            .args(["-c", &format!("{founded}{}", case.setup)])
            .output()
            .unwrap();
        assert!(
            matches!(set_up.status.code(), Some(0 | 42)),
            "{}: {set_up:?}",
            case.name
        );
        let files = scratch();
        copy_tree(place.workspace(), files.path());
        Self { place, files }
    }

    /// The same situation once more.
    fn again(&self) -> Place {
        for entry in fs::read_dir(self.place.workspace()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        copy_tree(self.files.path(), self.place.workspace());
        self.place.copy()
    }
}

/// How things stand: what the history holds, and what a check answers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Past {
    kinds: Vec<String>,
    gate: Option<i32>,
}

impl Past {
    fn of(place: &Place) -> Self {
        let told = place.fusebox(&["history", "--json", "-n", "1000"]);
        // Of a memory that cannot be believed nothing is told.
        let told = told.stdout.lines().filter(|_| told.code == Some(0));
        let kinds = told.map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["kind"].as_str().unwrap().to_owned()
        });
        let kinds = kinds.collect();
        let gate = place.copy().fusebox(&["check"]).code;
        Self { kinds, gate }
    }
}

/// `program`, as this case needs it.
fn command(place: &Place, case: &Case, program: &str) -> Command {
    let mut command = place.command(program);
    // Where a situation may put an agent.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}/bin:{path}", place.homes().display()));
    if case.in_fleet {
        let fleet = format!("file://{}/fleet", place.workspace().display());
        command.env("FUSEBOX_FLEET", fleet);
    }
    command
}

/// The words of the command line.
fn words(place: &Place, case: &Case) -> Vec<String> {
    let word = |word: &&str| match word.strip_prefix('@') {
        Some(file) => {
            let text = fs::read_to_string(place.workspace().join(file)).unwrap();
            text.trim().to_owned()
        }
        None => (*word).to_owned(),
    };
    case.args.iter().map(word).collect()
}

/// What happens to a command.
#[derive(Clone, Debug)]
enum Fault {
    None,
    /// A signal or an error at a system call.
    At(Point, &'static str),
    /// No file may become longer than this: what fits is truly written, the rest is refused.
    CutOff(u64),
    /// Only a record of the calls, in this file.
    Traced(std::path::PathBuf),
}

impl Fault {
    fn is_kill(&self) -> bool {
        matches!(self, Self::At(_, "signal=KILL"))
    }
}

/// Gives the command, under a fault.
fn give(place: &Place, case: &Case, fault: &Fault) -> Told {
    let mut words = words(place, case);
    words.insert(0, FUSEBOX.to_owned());
    let mut before: Vec<String> = match fault {
        Fault::None => vec!["timeout".to_owned(), "20".to_owned()],
        Fault::At(point, fault) => strace::injecting(point, fault),
        Fault::CutOff(limit) => {
            let limit = format!("prlimit --fsize={limit}:{limit}");
            // Who watches goes on where nothing can be stored, until there is room.
            let bound = if case.watches() { "timeout 3 " } else { "" };
            let words = format!("{bound}{limit}");
            words.split(' ').map(str::to_owned).collect()
        }
        Fault::Traced(trace) => strace::tracing(trace),
    };
    before.append(&mut words);
    let dir = place.workspace().display().to_string();
    let input = place.homes().join("input");
    fs::write(&input, case.input.replace("DIR", &dir)).unwrap();
    let mut command = command(place, case, &before[0]);
    command
        .args(&before[1..])
        .stdin(Stdio::from(fs::File::open(input).unwrap()));
    Told::from(command.output().unwrap())
}

/// All calls of a command, and those that give a file its name when it is whole.
fn calls(place: &Place, case: &Case) -> (Vec<Point>, Vec<Point>) {
    let dir = scratch();
    let trace = dir.path().join("trace");
    give(place, case, &Fault::Traced(trace.clone()));
    let gives_name = |line: &str| line.starts_with("rename") && line.contains(".fusebox-new");
    (
        strace::points_in(&trace, |_| true),
        strace::points_in(&trace, gives_name),
    )
}

/// Lengths at which the longest files that the command writes are cut off.
fn lengths(before: &Place, after: &Place) -> Vec<u64> {
    let long = |place: &Place| {
        let files = [place.workspace(), place.homes()].map(files_below);
        let lengths = files.into_iter().flatten().map(|path| {
            let length = fs::metadata(&path).map_or(0, |data| data.len());
            (path.file_name().unwrap_or_default().to_owned(), length)
        });
        lengths.collect::<BTreeSet<_>>()
    };
    let written = &long(after) - &long(before);
    let mut lengths: Vec<u64> = written
        .iter()
        .flat_map(|(_, length)| [length / 2, length.saturating_sub(1)])
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// How a case stands before and after its command, if nothing goes wrong.
struct Ends {
    past: [Past; 2],
    tree: [Tree; 2],
    clean: Told,
}

/// Kills the command at some of its calls, or at all when deep, lets the disk refuse those that
/// store, and cuts files off.
fn sweep(case: &Case, openings: &Openings) -> (usize, Vec<String>) {
    let site = Site::of(case);
    let origin = site.again();
    let (tree, past) = (Tree::of(&origin), Past::of(&origin));
    let finished = site.again();
    let clean = give(&finished, case, &Fault::None);
    if clean.code == Some(5) {
        eprintln!("SKIPPED: a release is refused here: {}", clean.stderr);
        return (0, Vec::new());
    }
    assert!(
        matches!(clean.code, Some(0 | 2 | 42 | 48)) && !clean.stderr.contains("error: "),
        "{}: {clean:?}",
        case.name
    );
    let ends = Ends {
        tree: [tree, Tree::of(&finished)],
        past: [past, Past::of(&finished)],
        clean,
    };
    let (points, drafts) = calls(&site.again(), case);
    assert!(points.len() > 20, "{}: {points:?}", case.name);
    let is_storing = |point: &&Point| STORING.contains(&point.name.as_str());
    let storing: Vec<Point> = points.iter().filter(is_storing).cloned().collect();
    let mut faults = Vec::new();
    let mut at = |points: Vec<Point>, what: &'static str| {
        faults.extend(points.into_iter().map(|point| Fault::At(point, what)));
    };
    at(sample(&points, 4), "signal=KILL");
    at(sample(&storing, 6), "signal=KILL");
    at(sample(&drafts, 2), "signal=KILL");
    for refusal in ["error=ENOSPC", "error=EIO", "error=EROFS"] {
        at(sample(&storing, 3), refusal);
    }
    if have("prlimit") {
        let lengths = sample(&lengths(&origin, &finished), 2);
        faults.extend(lengths.into_iter().map(Fault::CutOff));
    }
    let count = faults.len();
    let untouched = tree::bytes(&origin);
    let flaws = faults.iter().filter_map(|fault| {
        let place = site.again();
        let told = give(&place, case, fault);
        let tree = Tree::of(&place);
        // Where not a byte is different, what comes next is known already.
        let is_as_before = tree::bytes(&place) == untouched;
        let found = match is_as_before {
            true => ends.past[0].clone(),
            false => Past::of(&place),
        };
        let context = format!("{}, {fault:?}: said {told:?}", case.name);
        let was_open = ends.past.iter().all(|past| past.gate != Some(0));
        if was_open && !is_as_before {
            openings.must_deny(found.gate, &context);
        }
        let left = Left {
            told,
            tree,
            found,
            is_as_before,
        };
        let flaw = left.judged(&place, case, &ends, fault).err()?;
        Some(format!("{context}; {flaw}"))
    });
    (count, flaws.collect())
}

/// What a command under a fault said and left.
struct Left {
    told: Told,
    tree: Tree,
    found: Past,
    /// Whether not a byte is different.
    is_as_before: bool,
}

impl Left {
    fn judged(&self, place: &Place, case: &Case, ends: &Ends, fault: &Fault) -> Result<(), String> {
        let Self {
            told, tree, found, ..
        } = self;
        let ([before, after], clean) = (&ends.past, &ends.clean);
        let insist = |holds: bool, why: &dyn Fn() -> String| holds.then_some(()).ok_or_else(why);
        insist(told.code != Some(101), &|| "it panicked".to_owned())?;
        let flaw = tree.flaw(&ends.tree[0], &ends.tree[1]);
        flaw.map_or(Ok(()), Err)?;
        let is_gate = matches!(case.args, ["hook", _, "pre-tool-use" | "pre-command"]);
        let denies = told.code == Some(2) || told.stdout.contains("deny") || told.signal.is_some();
        insist(!is_gate || denies, &|| {
            "an open breaker let a tool pass".to_owned()
        })?;
        if matches!(found.gate, Some(4 | 34)) {
            if case.args.starts_with(&["prune"]) {
                // What is set aside only in part cannot be told from what was taken away, and
                // is a no until it is given again: that completes it.
                let again = give(place, case, &Fault::None);
                let left = Past::of(place);
                return insist(again.code == Some(0) && left == *after, &|| {
                    format!("given again it said {again:?} and left {left:?}")
                });
            }
            // A flush that failed leaves a memory that nobody vouches for; that is a no.
            return insist(!fault.is_kill(), &|| "a kill is in doubt".to_owned());
        }
        let is_an_end = [before.gate, after.gate].contains(&found.gate)
            && [before, after]
                .iter()
                .any(|end| found.kinds.starts_with(&end.kinds));
        // A run that the disk refuses something asks for a person.
        let asks = case.args.starts_with(&["run"]) && found.gate == Some(42) && !fault.is_kill();
        insist(is_an_end || asks, &|| {
            format!("left {found:?}, was {before:?}, would be {after:?}")
        })?;
        let done =
            told.code == clean.code && !clean.stdout.is_empty() && told.stdout == clean.stdout;
        insist(!done || found.kinds.len() >= after.kinds.len(), &|| {
            format!("left {found:?}, told of {after:?}")
        })?;
        // Who says what is always said has written its files.
        let as_ever =
            (told.code, &told.stdout, &told.stderr) == (clean.code, &clean.stdout, &clean.stderr);
        insist(!as_ever || *tree == ends.tree[1], &|| {
            format!("not done: {}", tree.told_from(&ends.tree[1]))
        })?;
        if self.is_as_before {
            return Ok(());
        }
        if case.watches() && found.kinds.len() >= after.kinds.len() {
            // It would wait for something new.
            return Ok(());
        }
        let again = give(place, case, &Fault::None);
        insist(
            !matches!(again.code, None | Some(1 | 4 | 31 | 34 | 101 | 124)),
            &|| format!("given again it said {again:?}"),
        )?;
        let completes = case.watches() || case.leads_to_one_end();
        insist(!completes || again.code == clean.code, &|| {
            format!("given again it said {again:?}, not {clean:?}")
        })?;
        let drafts = tree::drafts(place);
        insist(drafts.is_empty(), &|| {
            format!("given again it left {drafts:?}")
        })
    }
}

fn sweep_all(cases: &[Case]) {
    if !strace::available() {
        return;
    }
    let began = Instant::now();
    let openings = Openings::default();
    let (mut tried, mut flaws) = (0, Vec::new());
    // For whoever looks into one of them: part of its name.
    let only = std::env::var("FUSEBOX_CASE").unwrap_or_default();
    for case in cases.iter().filter(|case| case.name.contains(&only)) {
        let (count, mut found) = sweep(case, &openings);
        tried += count;
        flaws.append(&mut found);
    }
    openings.tell();
    let told = format!("{} commands in {:.1?}", cases.len(), began.elapsed());
    proof("faults", tried, &told);
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn presets_that_keep_files_survive_kills_and_refusals() {
    sweep_all(cases::PRESETS);
}

#[test]
fn what_is_kept_of_the_breaker_survives_kills_and_refusals() {
    sweep_all(cases::BREAKER);
}

#[test]
fn agents_and_their_settings_survive_kills_and_refusals() {
    sweep_all(cases::AGENTS);
}

#[test]
fn protected_files_and_tasks_survive_kills_and_refusals() {
    sweep_all(cases::WORK);
}

#[test]
fn fleets_survive_kills_and_refusals() {
    sweep_all(cases::FLEETS);
}
