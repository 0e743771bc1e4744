//! Output without end and without a newline.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::agents::have;
use crate::place::{FUSEBOX, Place, files_below};
use crate::sampling::deep;

const MIB: u64 = 1 << 20;
/// What `run` keeps of an output: the first quarter of a megabyte and the last
/// three.
const KEPT: u64 = MIB;
/// The supervisor may not grow beyond this.
const MOST_MEMORY_KIB: u64 = 64 * 1024;

/// More than the supervisor may use, but no more than an unoptimised program can
/// count within seconds; a gigabyte where it is optimised, and ten when deep.
fn size() -> u64 {
    match (deep(), cfg!(debug_assertions)) {
        (true, _) => 10 * 1024 * MIB,
        (false, true) => 80 * MIB,
        (false, false) => 1024 * MIB,
    }
}

#[test]
fn endless_output_passes_in_bounded_memory_and_is_counted() {
    if !have("git") {
        return;
    }
    let (place, size) = (Place::new(), size());
    let began = Instant::now();
    let mut child = place
        .command(FUSEBOX)
        .args([
            "run",
            "--once",
            "--",
            "head",
            "-c",
            &size.to_string(),
            "/dev/zero",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory_kib(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(peak > 0 && peak < MOST_MEMORY_KIB, "{peak} KiB");
    let kept = fs::read(output_of(&place)).unwrap();
    let left_out = format!("\n[{} bytes left out]\n", size - KEPT);
    let note = kept.windows(left_out.len());
    assert_eq!(note.filter(|part| *part == left_out.as_bytes()).count(), 1);
    assert_eq!(kept.len() as u64, KEPT + left_out.len() as u64);
    println!(
        "{} MiB without a newline in {:.1?}, {peak} KiB of memory at most",
        size / MIB,
        began.elapsed()
    );
}

/// The most memory that a process has had so far.
fn peak_memory_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn output_of(place: &Place) -> PathBuf {
    let mut found = files_below(place.homes());
    found.retain(|path| path.ends_with("000001/output"));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}
