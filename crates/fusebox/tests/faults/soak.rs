//! One loop, for a great many iterations: nothing grows that should not.
//!
//! The agent works, fails, floods, leaves daemons behind and falls silent, in turn; the supervisor
//! is killed now and then and begun again, and the past is pruned meanwhile. Memory, file handles
//! and the processor time of an iteration must be at the end what they were at the beginning.

use std::fs;
use std::time::{Duration, Instant};

use crate::agents::{AGES, Cookie, Mark, Supervised, eventually, have};
use crate::place::{Place, files_below};
use crate::sampling::deep;

/// How often the loop is begun; all but the last are killed.
const RUNS: usize = 4;
/// A log of this length is sealed.
const SEAL_AT: u64 = 64 * 1024;
/// How often it falls silent, and how long that is put up with.
const SILENT_EVERY: usize = 40;
const SILENCE: &str = "1s";

const AGENT: &str = "
    echo $FUSEBOX_ITERATION >work
    [ $((FUSEBOX_ITERATION % EVERY)) != 7 ] || { echo >>silent; exec SLEEP; }
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
    /// Processor time of its own, in ticks of the kernel's clock.
    ticks: u64,
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
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        let times = after_name.split_whitespace().skip(11).take(2);
        let ticks = times.map(|time| time.parse::<u64>().unwrap()).sum();
        Some(Self {
            resident_kb,
            handles,
            ticks,
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
    // While an iteration begins, pipes are open that are closed again, so that one look says little:
    // the fewest near the end against the most near the beginning.
    let kept = usages.iter().rev().take(3).map(|one| one.handles).min();
    let usual = usages.iter().take(3).map(|one| one.handles).max();
    assert!(
        kept <= usual.map(|usual| usual + 4),
        "handles were kept: {usages:?}"
    );
    assert_costs_stay("within a run", course.early(), course.late());
    // Others share the machine; what hangs takes longer than this.
    let early: Duration = tenths[1..4].iter().sum();
    let late: Duration = tenths[7..].iter().sum();
    assert!(
        late <= early * 3 + Duration::from_secs(5),
        "iterations became slow: {tenths:?}"
    );
}

impl Course {
    /// The processor time of three tenths near its beginning.
    fn early(&self) -> u64 {
        self.usages[3].ticks - self.usages[0].ticks
    }

    /// The same near its end; the last tenth may end before anybody looks.
    fn late(&self) -> u64 {
        let last = self.usages.len() - 1;
        self.usages[last].ticks - self.usages[last - 3].ticks
    }
}

/// As many iterations cost as much processor time later as they did before: at most half as much
/// again, and what a clock that counts hundredths of a second makes of it.
fn assert_costs_stay(what: &str, early: u64, late: u64) {
    eprintln!("{what}: {early} ticks early, {late} late");
    assert!(2 * late <= 3 * early + 40, "{what}: {early}, then {late}");
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
    let script = mark.in_script(&AGENT.replace("EVERY", &SILENT_EVERY.to_string()));
    let (mut seen, mut first, mut pruned) = (0, None, 0);
    for turn in 1..=RUNS {
        let goal = all / RUNS;
        let count = goal.to_string();
        let mut command = place.command(place.program());
        command.args(["run", "--json", "--max-iterations", &count]);
        command.args(["--idle-timeout", SILENCE]);
        command.args(["--", "sh", "-c", &script]);
        let mut run = Supervised::spawn(&place, &mut command);
        // Those that are killed are killed with an iteration under way.
        let course = watch(&mut run, if turn < RUNS { goal - 1 } else { goal });
        assert_flat(&course);
        let first = *first.get_or_insert(course.early());
        assert_costs_stay("from run to run", first, course.late());
        eprintln!(
            "run {turn}: {:?}, tenths {:?}",
            course.usages.last(),
            course.tenths
        );
        seen += run.announced();
        if turn < RUNS {
            run.strike();
            let released = eventually(AGES, || place.fusebox(&["check", "--peek"]).code == Some(0));
            assert!(released.is_some(), "the killed run is still there");
            let told = place.expect(0, &["prune", "--keep-bytes", "0", "--json"]);
            pruned += told.json()["records"].as_u64().unwrap();
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
    assert!(pruned > 0, "nothing was pruned");
    let silent = fs::read_to_string(place.workspace().join("silent")).unwrap_or_default();
    let silent = silent.lines().count();
    assert!(silent * SILENT_EVERY * 2 > seen, "{silent} fell silent");
    place.expect(0, &["doctor"]);
    println!(
        "proof: iterations {seen} with {} kills, {silent} silences, {pruned} records pruned, {sealed} sealed logs",
        RUNS - 1
    );
    println!(
        "proof: records {remembered} of them, in {:.1?}",
        began.elapsed()
    );
}
