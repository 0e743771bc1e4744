//! What a snapshot costs beside `git status`, on a generated tree of 20,000 files.
//!
//! Prints one line per measurement: name, value, unit, ratio and what the ratio is to.
//! Medians of five rounds; in each round the two programs take turns, so that a busy
//! machine slows both.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for people and scripts at a terminal, which may stop at any surprise"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fusebox_workspace::{Budget, Git, Shadow};

const DIRECTORIES: usize = 1000;
const FILES_EACH: usize = 20;
const CHANGES: usize = 50;
const ROUNDS: usize = 5;

fn main() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    generate(&root);
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(
        &root,
        &[
            "-c",
            "user.name=n",
            "-c",
            "user.email=e",
            "commit",
            "-qm",
            "all",
        ],
    );
    git(&root, &["status", "--porcelain"]);

    let search = std::env::var_os("PATH").unwrap();
    let program = Git::find(&search, &[&root]).unwrap();
    let open = |name: &str| {
        let home = home.path().join(name);
        Shadow::open(program.clone(), &root, &home, None, Budget::default()).unwrap()
    };

    let (mut first, mut status, mut unchanged) = (Vec::new(), Vec::new(), Vec::new());
    let (mut status_changed, mut changed, mut compared) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        first.push(time(|| {
            open(&format!("first{round}")).snapshot().unwrap();
        }));
    }
    let mut shadow = open("shadow");
    let mut last = shadow.snapshot().unwrap();
    for round in 0..ROUNDS {
        status.push(time(|| git(&root, &["status", "--porcelain"])));
        // A shadow opened anew, as a program that runs once per step would.
        unchanged.push(time(|| last = open("shadow").snapshot().unwrap()));
        edit(&root, round);
        status_changed.push(time(|| git(&root, &["status", "--porcelain"])));
        shadow = open("shadow");
        let before = last.id.clone();
        changed.push(time(|| last = shadow.snapshot().unwrap()));
        compared.push(time(|| {
            assert_eq!(shadow.compare(&before, &last.id).unwrap().total, CHANGES);
        }));
    }

    let (status, status_changed) = (median(status), median(status_changed));
    report("git-status-unchanged", status, None);
    report("git-status-50-changes", status_changed, None);
    report("snapshot-first", median(first), None);
    let against = Some(("git-status-unchanged", status));
    report("snapshot-unchanged", median(unchanged), against);
    let against = Some(("git-status-50-changes", status_changed));
    report("snapshot-50-changes", median(changed), against);
    report("compare-50-changes", median(compared), against);
}

fn generate(root: &Path) {
    let mut seed = 1_u64;
    for directory in 0..DIRECTORIES {
        let path = root.join(format!("part{}/module{directory}", directory % 40));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES_EACH {
            let mut content = String::new();
            for line in 0..20 + (directory * 7 + file * 13) % 240 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                writeln!(content, "let value_{line} = {seed};").unwrap();
            }
            fs::write(path.join(format!("file{file}.txt")), content).unwrap();
        }
    }
}

fn edit(root: &Path, round: usize) {
    for at in 0..CHANGES {
        let directory = (round * 331 + at * 17) % DIRECTORIES;
        let path = format!(
            "part{}/module{directory}/file{}.txt",
            directory % 40,
            at % FILES_EACH
        );
        fs::write(root.join(path), format!("round {round}\n")).unwrap();
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success());
}

fn time(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn report(name: &str, value: Duration, against: Option<(&str, Duration)>) {
    let value_ms = value.as_secs_f64() * 1000.0;
    match against {
        Some((other, base)) => {
            let ratio = value.as_secs_f64() / base.as_secs_f64();
            println!("{name} {value_ms:.1} ms {ratio:.2} {other}");
        }
        None => println!("{name} {value_ms:.1} ms 1.00 {name}"),
    }
}
