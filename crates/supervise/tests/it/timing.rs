//! The two limits, and who enforces them.

use std::time::Duration;

use fusebox_supervise::{Limit, StepEnd, StepObserver, Stream, Tick, Wish};

use crate::support::{Mark, eventually, run, run_and_collect, shell};

#[test]
fn limits_end_what_exceeds_them_and_nothing_else() {
    let mark = Mark::new();
    let quiet = mark.sleep();
    let chatty = "while :; do echo x; sleep 0.1; done";
    let busy = "(while :; do :; done) & wait";
    for (script, overall, idle, limit) in [
        (quiet.as_str(), 500, 60_000, Limit::Overall),
        (quiet.as_str(), 60_000, 500, Limit::Idle),
        (chatty, 2000, 800, Limit::Overall),
        (busy, 2000, 800, Limit::Overall),
    ] {
        let mut step = shell(script);
        step.limits.overall = Some(Duration::from_millis(overall));
        step.limits.idle = Some(Duration::from_millis(idle));
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, StepEnd::TimedOut(limit), "{script}");
        assert!(
            report.duration >= Duration::from_millis(overall.min(idle)),
            "{script}"
        );
    }
    assert_eq!(mark.sleepers(), 0);
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
