//! In which order things reach the disk.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, at, somebody};

const PLACE: &str = "FUSEBOX_TEST_TRACED_PLACE";
const NAME: &str =
    "durable::what_vouches_for_a_claim_is_on_the_disk_before_it_and_its_name_as_well";

/// A note whose name is not written out may be the earlier one again after a crash, while the
/// claim is there: that would look like tampering.
#[test]
fn what_vouches_for_a_claim_is_on_the_disk_before_it_and_its_name_as_well() {
    if let Some(place) = std::env::var_os(PLACE) {
        claim_in(Path::new(&place));
        return;
    }
    if !Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("skipped: strace cannot be used here");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    let calls = "trace=write,fsync,fdatasync,rename,renameat,renameat2";
    let ran = Command::new("strace")
        .args(["-f", "-y", "-s", "0", "-e", calls, "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env(PLACE, directory.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let trace = std::fs::read_to_string(trace).unwrap();
    let steps: Vec<&str> = trace.lines().filter_map(step).collect();
    let noted = ["note", "note is called that", "its directory"];
    let claimed = ["claim", "claim is written out", "directory of claims"];
    assert_eq!(steps, [noted, claimed, noted].concat(), "{trace}");
}

/// What a call does for the files of ours.
fn step(line: &str) -> Option<&'static str> {
    let does = |call: &str, file: &str| line.contains(call) && line.contains(file);
    match () {
        () if does("fdatasync(", "/vouch/witness.draft>") => Some("note"),
        () if does("rename", "/vouch/witness\"") => Some("note is called that"),
        () if does(" fsync(", "/vouch>") => Some("its directory"),
        () if does("write(", "/own/claims.jsonl>") => Some("claim"),
        () if does("fdatasync(", "/own/claims.jsonl>") => Some("claim is written out"),
        () if does(" fsync(", "/own>") => Some("directory of claims"),
        () => None,
    }
}

fn claim_in(directory: &Path) {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n");
    let journal = fusebox_tasks::Journal::open(
        &directory.join("own"),
        &directory.join("vouch").join("witness"),
    );
    let source = place.source(None).unwrap().unwrap();
    let rules = crate::support::RULES;
    let here = crate::support::here();
    let mut desk = fusebox_tasks::Desk::new(source, journal.unwrap(), here, rules);
    desk.claim("T-1", &somebody("a"), &at(0)).unwrap();
}
