//! One loop, for a great many iterations: nothing grows that should not.
//!
//! The agent works, fails, floods and leaves daemons behind, in turn; the supervisor is killed
//! now and then and begun again. Memory, file handles and the time of an iteration must be at
//! the end what they were at the beginning.

use std::fs;
use std::time::{Duration, Instant};

use crate::agents::{AGES, Cookie, Mark, Supervised, eventually, have};
use crate::place::{Place, files_below};
use crate::sampling::deep;

/// How often the loop is begun; all but the last are killed.
const RUNS: usize = 4;
/// A log of this length is sealed.
const SEAL_AT: u64 = 256 * 1024;

const AGENT: &str = "
    echo $FUSEBOX_ITERATION >work
    case $((FUSEBOX_ITERATION % 5)) in
        0) exit 3 ;;
        1) (setsid SLEEP >/dev/null 2>&1 &) ;;
        2) head -c 20000 /dev/zero | tr '\\0' x ;;
    esac";

/// What a supervisor takes of the system.
#[derive(Clone, Copy, Debug)]
struct Usage {
    resident_kb: u64,
    handles: usize,
}

impl Usage {
    /// `None` if the process is gone.
    fn of(pid: i32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let resident_kb = line.trim().trim_end_matches(" kB").parse().ok()?;
        let handles = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
        Some(Self {
            resident_kb,
            handles,
        })
    }
}

/// What one run was like at its beginning and at its end.
struct Course {
    usages: Vec<Usage>,
    /// How long each tenth of the iterations took.
    tenths: Vec<Duration>,
}

/// Watches a run until it has come to `iterations`.
fn watch(run: &mut Supervised, iterations: usize) -> Course {
    let mut course = Course {
        usages: Vec::new(),
        tenths: Vec::new(),
    };
    for tenth in 1..=10 {
        let began = Instant::now();
        let goal = iterations * tenth / 10;
        while run.announced() < goal && !run.has_ended() {
            assert!(began.elapsed() < AGES * 60, "the run hangs");
            std::thread::sleep(Duration::from_millis(if deep() { 500 } else { 20 }));
        }
        course.tenths.push(began.elapsed());
        course.usages.extend(Usage::of(run.pid()));
    }
    course
}

fn assert_flat(course: &Course) {
    let Course { usages, tenths } = course;
    // The first tenth warms up: tables grow to the size they keep.
    let (Some(early), Some(late)) = (usages.get(1), usages.last()) else {
        panic!("nothing was seen of the run");
    };
    assert!(
        late.resident_kb <= early.resident_kb + 4 * 1024,
        "memory grew: {usages:?}"
    );
    // Between two iterations; while one begins, pipes are open that are closed again.
    let kept = usages.iter().rev().take(3).map(|one| one.handles).min();
    assert!(
        kept.is_some_and(|kept| kept <= early.handles + 4),
        "handles were kept: {usages:?}"
    );
    // Others share the machine; what grows with the past grows by more than this.
    let early: Duration = tenths[1..4].iter().sum();
    let late: Duration = tenths[7..].iter().sum();
    assert!(
        late <= early * 3 + Duration::from_secs(2),
        "iterations became slow: {tenths:?}"
    );
}

#[test]
fn soak_a_loop_of_many_iterations_stays_as_it_was() {
    if !have("git") || !have("setsid") {
        return;
    }
    let began = Instant::now();
    let all = if deep() { 100_000 } else { 320 };
    let place = Place::new().sealing_at(SEAL_AT);
    let config = place.homes().join("config.toml");
    let settings = "limits.calls.limit = 4096\nlimits.calls.window = \"1s\"\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + settings).unwrap();
    let mark = Mark::new();
    let script = mark.in_script(AGENT);
    let mut seen = 0;
    for turn in 1..=RUNS {
        let goal = all / RUNS;
        let count = goal.to_string();
        let mut command = place.command(place.program());
        command.args(["run", "--json", "--max-iterations", &count]);
        command.args(["--", "sh", "-c", &script]);
        let mut run = Supervised::spawn(&place, &mut command);
        // Those that are killed are killed with an iteration under way.
        let course = watch(&mut run, if turn < RUNS { goal - 1 } else { goal });
        assert_flat(&course);
        eprintln!(
            "run {turn}: {:?}, tenths {:?}",
            course.usages.last(),
            course.tenths
        );
        seen += run.announced();
        if turn < RUNS {
            run.strike();
        } else {
            assert_eq!(run.exit_code(), Some(45), "{}", run.stderr());
        }
    }
    let cookie = Cookie::of_last_run(&place, "default");
    let gone =
        || mark.sleepers().is_empty() && cookie.as_ref().is_none_or(|c| c.carriers().is_empty());
    assert!(
        eventually(AGES, gone).is_some(),
        "processes are left: {:?}",
        mark.sleepers()
    );
    let status = place.expect(0, &["status", "--json"]).json();
    let remembered = status["totals"]["reported"].as_u64().unwrap();
    assert!(remembered >= seen as u64, "{remembered} of {seen}");
    let log = fs::metadata(place.log()).unwrap().len();
    assert!(log <= 2 * SEAL_AT, "the live log has {log} bytes");
    let sealed = files_below(place.homes());
    let sealed = sealed
        .iter()
        .filter(|path| path.to_string_lossy().contains("/log."))
        .count();
    assert!(sealed > 0, "nothing was sealed");
    place.expect(0, &["doctor"]);
    println!(
        "proof: iterations {seen} with {} kills, {sealed} sealed logs",
        RUNS - 1
    );
    println!(
        "proof: records {remembered} of them, in {:.1?}",
        began.elapsed()
    );
}
