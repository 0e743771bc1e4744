//! A disk that refuses, fails, is full, or takes only a part.
//!
//! A command that could not store says so in one line and with exit code 4. One
//! that answers otherwise has stored. A failed flush is never retried: what the
//! disk holds is unknown from then on, and the memory says so until a person
//! has looked.

use std::fs;
use std::time::Instant;

use crate::openings::Openings;
use crate::place::{FUSEBOX, Place, Standing, Told};
use crate::sampling::{STORING, for_each, proof, sample, thinned};
use crate::strace::{self, Point};

/// Those of them that a signal may interrupt, and that are then simply repeated.
const INTERRUPTIBLE: [&str; 6] = [
    "write",
    "writev",
    "pwrite64",
    "fdatasync",
    "fsync",
    "ftruncate",
];
const REFUSALS: [&str; 4] = ["ENOSPC", "EIO", "EROFS", "EINTR"];
const STAND_STILL: [&str; 3] = ["record", "--files-changed", "0"];

/// A memory that will trip at the next record.
fn watching() -> Place {
    let place = Place::new();
    place.expect(0, &STAND_STILL);
    place.expect(0, &STAND_STILL);
    place
}

fn open() -> Place {
    let place = Place::new();
    place.expect(0, &["record", "--files-changed", "1"]);
    place.expect(0, &["trip", "--reason", "for the test"]);
    place
}

/// The memory before and after a command that nothing kept from working.
struct Ends {
    before: Standing,
    after: Standing,
    code: Option<i32>,
    openings: Openings,
}

impl Ends {
    fn of(origin: &Place, args: &[&str]) -> Self {
        let finished = origin.copy();
        let code = finished.fusebox(args).code;
        Self {
            before: origin.standing(),
            after: finished.standing(),
            code,
            openings: Openings::default(),
        }
    }

    /// Judges what a command said against what it left behind, where nothing
    /// may have been lost and nothing be in doubt.
    fn judge(&self, told: &Told, place: &Place, context: &str) {
        let found = place.standing();
        let context = format!("{context} left {found:?}, having said {told:?}");
        if told.code == Some(4) {
            says_why_in_one_line(told, &context);
            assert_eq!(found, self.before, "{context}");
        } else {
            assert_eq!(told.code, self.code, "{context}");
            assert_eq!(found, self.after, "{context}");
        }
        let next = self.next_check(place, &context);
        assert!(matches!(next.code, Some(0 | 42)), "{context}; {next:?}");
        assert!(!found.is_open() || next.code == Some(42), "{context}");
    }

    /// What the next check answers, which is no if it was and would have been.
    fn next_check(&self, place: &Place, context: &str) -> Told {
        let next = place.fusebox(&["check"]);
        if self.before.is_open() && self.after.is_open() {
            self.openings.must_deny(next.code, context);
        }
        next
    }
}

fn says_why_in_one_line(told: &Told, context: &str) {
    let (errors, others): (Vec<_>, Vec<_>) = told
        .stderr
        .lines()
        .partition(|line| line.starts_with("error: "));
    assert_eq!(errors.len(), 1, "{context}");
    assert!(
        others.iter().all(|line| line.starts_with("hint: ")),
        "{context}"
    );
}

/// Lets the disk refuse every storing call of `args`, in every way.
fn refuse_everywhere(name: &str, origin: &Place, args: &[&str]) {
    if !strace::available() {
        return;
    }
    let began = Instant::now();
    let ends = Ends::of(origin, args);
    let mut points = strace::points(&origin.copy(), args);
    points.retain(|point| STORING.contains(&point.name.as_str()));
    let cases: Vec<(Point, &str)> = points
        .iter()
        .flat_map(|point| REFUSALS.map(|refusal| (point.clone(), refusal)))
        .collect();
    assert!(!cases.is_empty());
    let cases = thinned(cases);
    // A copied home is registered anew before the record itself is flushed; and
    // a check that is denied records nothing.
    let records = name != "open" || args != ["check"];
    let flushes = points.iter().filter(|point| point.name == "fdatasync");
    let last_flush = flushes.map(|point| point.ordinal).max().filter(|_| records);
    for_each(&cases, |(point, refusal)| {
        let place = origin.copy();
        let told = strace::inject(&place, args, point, &format!("error={refusal}"));
        let context = format!("{args:?} with {refusal} at {point:?}");
        if *refusal == "EINTR" && INTERRUPTIBLE.contains(&point.name.as_str()) {
            assert_eq!(told.code, ends.code, "{context}: {told:?}");
        }
        if place.standing() == Standing::Distrusted {
            assert_eq!(
                (point.name.as_str(), told.code),
                ("fdatasync", Some(4)),
                "{context}"
            );
            says_why_in_one_line(&told, &context);
            let next = ends.next_check(&place, &context);
            assert_eq!(next.code, Some(4), "{context}: {next:?}");
        } else {
            let last = Some(point.ordinal) == last_flush;
            let flush_of_a_record = point.name == "fdatasync" && last && name != "first use";
            assert!(
                !flush_of_a_record || *refusal == "EINTR",
                "{context} is not latched"
            );
            ends.judge(&told, &place, &context);
        }
    });
    let told = format!(
        "{args:?} from {name}, refused by the disk in {:.1?}",
        began.elapsed()
    );
    proof("faults", cases.len(), &told);
    ends.openings.tell();
}

#[test]
fn a_check_that_cannot_store_its_grant_gives_none() {
    refuse_everywhere("first use", &Place::new(), &["check"]);
    refuse_everywhere("watching", &watching(), &["check"]);
    refuse_everywhere("open", &open(), &["check"]);
}

#[test]
fn req_x_003_a_record_that_cannot_be_stored_is_refused() {
    refuse_everywhere("first use", &Place::new(), &STAND_STILL);
    refuse_everywhere("watching", &watching(), &STAND_STILL);
    refuse_everywhere("open", &open(), &STAND_STILL);
}

/// Runs fusebox where no file may grow beyond `limit` bytes. The kernel writes
/// what fits, truly, and refuses the rest, with a signal that kills whoever does not mind it.
fn within(place: &Place, limit: u64, args: &[&str]) -> Told {
    let script = format!("exec prlimit --fsize={limit}:{limit} \"$@\"");
    let mut command = place.command("sh");
    command.args(["-c", &script, "sh", FUSEBOX]).args(args);
    Told::from(command.output().unwrap())
}

/// Lets every first part of the record that `args` appends reach the log, and
/// no more.
fn tear_everywhere(name: &str, origin: &Place, args: &[&str]) {
    if !within(origin, 1 << 30, &["status"]).stderr.is_empty() {
        eprintln!("SKIPPED: prlimit is not installed");
        return;
    }
    let began = Instant::now();
    let ends = Ends::of(origin, args);
    let finished = origin.copy();
    finished.fusebox(args);
    let whole = fs::read(finished.log()).unwrap();
    let begun = fs::metadata(origin.log()).unwrap().len();
    let limits: Vec<u64> = (begun..whole.len() as u64).collect();
    let limits = sample(&limits, 40);
    for_each(&limits, |limit| {
        let place = origin.copy();
        let refused = within(&place, *limit, args);
        let context = format!("{args:?} with a log of {limit} bytes at most");
        assert_eq!(refused.code, Some(4), "{context}: {refused:?}");
        ends.judge(&refused, &place, &context);

        // Who dies in the middle of it leaves the torn record where it is.
        let place = origin.copy();
        let torn = usize::try_from(*limit).unwrap();
        fs::write(place.log(), &whole[..torn]).unwrap();
        let found = place.standing();
        assert_eq!(found, ends.before, "{context}");
        let again = place.fusebox(args);
        assert_eq!(again.code, ends.code, "{context}: {again:?}");
        assert_eq!(place.standing(), ends.after, "{context}");
        place.expect(0, &["doctor"]);
    });
    let told = format!(
        "{args:?} from {name}, torn and refused in {:.1?}",
        began.elapsed()
    );
    proof("faults", 2 * limits.len(), &told);
    ends.openings.tell();
}

#[test]
fn a_torn_record_is_no_record() {
    tear_everywhere("watching", &watching(), &["check"]);
    tear_everywhere("watching", &watching(), &STAND_STILL);
    tear_everywhere("open", &open(), &STAND_STILL);
}

/// Works on a file system of 512 KB until it is full, makes room, goes on.
const FILL_A_DISK: &str = r#"
mkdir -p "$XDG_STATE_HOME" && mount -t tmpfs -o size=512k,mode=700 none "$XDG_STATE_HOME" || exit 77
acknowledged=0
"$0" check && acknowledged=$((acknowledged + 1))
cat /dev/zero >"$XDG_STATE_HOME/ballast" 2>/dev/null
while "$0" check; do acknowledged=$((acknowledged + 1)); "$0" record --files-changed 1; done
"$0" check; full=$?
rm "$XDG_STATE_HOME/ballast"
echo "$acknowledged $full"
"$0" status --json
"$0" check; echo "$?"
"#;

#[test]
fn a_full_disk_stops_the_loop_and_loses_nothing() {
    let place = Place::new();
    let mut command = place.command("unshare");
    let output = command
        .args(["--mount", "sh", "-c", FILL_A_DISK, FUSEBOX])
        .output();
    let told = Told::from(output.unwrap());
    if told.code != Some(0) {
        eprintln!(
            "SKIPPED: no file system can be mounted here: {}",
            told.stderr
        );
        return;
    }
    let lines: Vec<_> = told.stdout.lines().collect();
    let [counts, status, next] = lines[..] else {
        panic!("{told:?}");
    };
    let (acknowledged, full) = counts.split_once(' ').unwrap();
    let status: serde_json::Value = serde_json::from_str(status).unwrap();
    assert_eq!(full, "4", "{told:?}");
    assert!(told.stderr.contains("error: no space"), "{told:?}");
    assert_eq!(status["iterations"].to_string(), acknowledged, "{told:?}");
    assert_eq!(next, "0", "{told:?}");
    println!("a full disk: {acknowledged} grants, then refused, then room and a grant");
}

/// Begins a project on a file system of 64 KB that is full, and once more with room.
const BEGIN_ON_A_FULL_DISK: &str = r#"
mkdir "$HOME/project" && mount -t tmpfs -o size=64k,mode=700 none "$HOME/project" || exit 77
cd "$HOME/project" && touch Cargo.toml && cat /dev/zero >ballast 2>/dev/null
"$0" init 2>"$HOME/said"; echo "$?"
ls -A
rm ballast
"$0" init >/dev/null; echo "$?"
ls -A; grep -c . fusebox.toml
"#;

#[test]
fn a_project_that_begins_on_a_full_disk_gets_no_half_a_file() {
    let place = Place::new();
    let mut command = place.command("unshare");
    let output = command
        .args(["--mount", "sh", "-c", BEGIN_ON_A_FULL_DISK, FUSEBOX])
        .output();
    let told = Told::from(output.unwrap());
    if told.code != Some(0) {
        let why = &told.stderr;
        eprintln!("SKIPPED: no file system can be mounted here: {why}");
        return;
    }
    let said = fs::read_to_string(place.homes().join("said")).unwrap();
    let errors: Vec<_> = said
        .lines()
        .filter(|line| line.contains("error: "))
        .collect();
    let is_clear = |line: &str| line.contains("cannot write") && line.contains("No space left");
    assert!(matches!(errors[..], [line] if is_clear(line)), "{said}");
    let lines: Vec<_> = told.stdout.lines().collect();
    let end = lines.len() - 6;
    let (first, rest) = lines.split_at(end);
    assert_eq!(first.last(), Some(&"6"), "{told:?}");
    assert_eq!(
        rest[..5],
        ["Cargo.toml", "ballast", "0", "Cargo.toml", "fusebox.toml"]
    );
    assert!(rest[5].parse::<u32>().unwrap() > 3, "{told:?}");
}
