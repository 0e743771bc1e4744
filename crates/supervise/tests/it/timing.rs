//! The two limits, and who enforces them.

use std::fs;
use std::time::Duration;

use fusebox_supervise::{Limit, StepEnd, StepObserver, Stream, Tick, Wish};

use tempfile::TempDir;

use crate::support::{Mark, eventually, have, run, run_and_collect, shell, side_by_side};

#[test]
fn limits_end_what_exceeds_them_and_nothing_else() {
    let quiet = "SLEEP";
    let chatty = "while :; do echo x; sleep 0.1; done";
    let busy = "(while :; do :; done) & wait";
    let rows = [
        (quiet, 500, 60_000, Limit::Overall),
        (quiet, 60_000, 500, Limit::Idle),
        (chatty, 2000, 800, Limit::Overall),
        (busy, 2000, 800, Limit::Overall),
    ];
    side_by_side(rows, |(script, overall, idle, limit)| {
        let mark = Mark::new();
        let mut step = shell(&script.replace("SLEEP", &mark.sleep()));
        step.limits.overall = Some(Duration::from_millis(overall));
        step.limits.idle = Some(Duration::from_millis(idle));
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, StepEnd::TimedOut(limit), "{script}");
        assert!(
            report.duration >= Duration::from_millis(overall.min(idle)),
            "{script}"
        );
        assert_eq!(mark.sleepers(), 0);
    });
}

/// What somebody allows on top of a limit is one grace, however deaf the tree is.
#[test]
fn whoever_ignores_every_request_gets_one_grace_and_no_more() {
    let grace = Duration::from_secs(4);
    let limit = Duration::from_millis(300);
    let rows = [
        // All of it, for the whole grace.
        ("trap '' TERM INT; SLEEP & wait; SLEEP", grace),
        // What the leader leaves behind, for no more than a moment.
        ("(trap '' TERM INT; SLEEP) & SLEEP", Duration::ZERO),
        // The same with a group and a session of its own.
        (
            "setsid sh -c \"trap '' TERM INT; SLEEP\" & SLEEP",
            Duration::ZERO,
        ),
    ];
    side_by_side(rows, |(script, takes)| {
        let mark = Mark::new();
        let mut step = shell(&script.replace("SLEEP", &mark.sleep()));
        step.limits.overall = Some(limit);
        step.limits.grace = grace;
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, StepEnd::TimedOut(Limit::Overall), "{script}");
        assert!(report.killed > 0, "{script}: {report:?}");
        assert_eq!(mark.sleepers(), 0, "{script}");
        // Twice the grace is what it must stay clear of, on a crowded machine too.
        let most = limit + takes + grace * 3 / 4;
        assert!(report.duration >= limit + takes, "{script}: {report:?}");
        assert!(report.duration < most, "{script}: {report:?}");
    });
}

#[test]
fn writing_files_is_activity_but_a_sign_of_life_is_not() {
    if !have("perl") {
        return;
    }
    let rows = [("1", Limit::Idle), ("2000", Limit::Overall)];
    side_by_side(rows, |(bytes, limit)| {
        let dir = TempDir::new().unwrap();
        let mut step = shell("");
        step.program = "perl".into();
        let write = "open my $f, '>>', 'log'; while (1) { syswrite $f, 'x' x $ARGV[0];
            select undef, undef, undef, 0.2 }";
        step.args = vec!["-e".into(), write.into(), bytes.into()];
        step.cwd = dir.path().to_owned();
        step.limits.overall = Some(Duration::from_millis(2500));
        step.limits.idle = Some(Duration::from_secs(1));
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, StepEnd::TimedOut(limit), "{bytes} bytes a time");
        assert!(!report.writes_unseen);
    });
}

#[test]
fn who_closes_its_output_and_lives_on_is_still_watched() {
    let rows = [
        ("sleep 0.5; exit 3", StepEnd::Exited(3)),
        ("SLEEP", StepEnd::TimedOut(Limit::Idle)),
        ("SLEEP & wait", StepEnd::TimedOut(Limit::Idle)),
    ];
    side_by_side(rows, |(script, end)| {
        let mark = Mark::new();
        let script = script.replace("SLEEP", &mark.sleep());
        let mut step = shell(&format!("exec >&- 2>&-; {script}"));
        step.limits.idle = Some(Duration::from_secs(1));
        let before = own_cpu_ticks();
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, end, "{script}");
        assert_eq!(mark.sleepers(), 0, "{script}");
        let ticks = own_cpu_ticks() - before;
        assert!(ticks < 50, "{script}: watching took {ticks} ticks");
    });
}

/// Processor time of the calling thread, in hundredths of a second.
fn own_cpu_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    fields
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap())
        .sum()
}

#[test]
fn processor_time_of_the_whole_tree_is_reported() {
    let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'";
    let (report, _) = run_and_collect(&shell(script));
    assert!(report.cpu >= Duration::from_millis(50), "{:?}", report.cpu);
    assert!(report.cpu <= report.duration * 2, "{:?}", report.cpu);
}

/// Once there was output, does not return before the step's sleepers are gone.
struct Blocked<'a> {
    mark: &'a Mark,
    in_output: bool,
    began: bool,
    released: bool,
}

impl StepObserver for Blocked<'_> {
    fn output(&mut self, _: Stream, _: &[u8]) {
        self.began = true;
        if self.in_output {
            self.released = eventually(|| self.mark.sleepers() == 0);
        }
    }

    fn tick(&mut self, _: Tick) -> Wish {
        if self.began && !self.released {
            self.released = eventually(|| self.mark.sleepers() == 0);
        }
        Wish::GoOn
    }
}

#[test]
fn a_blocked_observer_does_not_keep_the_tree_alive() {
    let mark = Mark::new();
    let mut step = shell(&format!("{} & echo ready; wait", mark.sleep()));
    step.limits.overall = Some(Duration::from_millis(300));
    for in_output in [true, false] {
        let mut blocked = Blocked {
            mark: &mark,
            in_output,
            began: false,
            released: false,
        };
        let report = run(&step, &mut blocked);
        assert!(blocked.released, "the tree outlived its limit");
        assert_eq!(report.end, StepEnd::TimedOut(Limit::Overall));
    }
}
