//! What an observer can ask for besides the end.

use std::time::Duration;

use fusebox_supervise::{LeaderEnd, Limit, StepEnd, StepObserver, Stream, Tick, Wish};

use crate::support::{Mark, run, shell, side_by_side};

/// Wishes the same at every tick, and perhaps something else after output.
#[derive(Clone, Copy)]
struct Always {
    wish: Wish,
    and_then: Wish,
    heard: bool,
}

impl Always {
    fn wishing(wish: Wish) -> Self {
        Self {
            wish,
            and_then: wish,
            heard: false,
        }
    }
}

impl StepObserver for Always {
    fn output(&mut self, _: Stream, _: &[u8]) {
        self.heard = true;
    }

    fn tick(&mut self, _: Tick) -> Wish {
        if self.heard { self.and_then } else { self.wish }
    }
}

const IDLE: StepEnd = StepEnd::TimedOut(Limit::Idle);
const OVERALL: StepEnd = StepEnd::TimedOut(Limit::Overall);

#[test]
fn an_announced_sleep_is_excused_from_the_idle_limit_alone() {
    let millis = Duration::from_millis;
    let rows = [
        (Duration::ZERO, millis(60_000), IDLE, millis(700)),
        (millis(1000), millis(60_000), IDLE, millis(1500)),
        (Duration::MAX, millis(1500), OVERALL, millis(1500)),
    ];
    side_by_side(rows, |(excuse, overall, end, at_least)| {
        let mark = Mark::new();
        let mut step = shell(&mark.sleep());
        step.limits.idle = Some(millis(700));
        step.limits.overall = Some(overall);
        let report = run(&step, &mut Always::wishing(Wish::Excuse(excuse)));
        assert_eq!(report.end, end, "{excuse:?}");
        assert!(report.duration >= at_least, "{excuse:?}: {report:?}");
    });
}

#[test]
fn who_lingers_after_the_result_is_ended_and_told_apart() {
    let soon = Always::wishing(Wish::FinishAt(Duration::from_secs(1)));
    let retracted = Always {
        and_then: Wish::GoOn,
        ..soon
    };
    let rows = [
        (
            "trap 'exit 3' TERM; while :; do sleep 0.1; done",
            soon,
            StepEnd::Lingered,
            3,
        ),
        ("sleep 0.2; exit 4", soon, StepEnd::Exited(4), 4),
        // A second turn begins, and the observer no longer wishes it.
        (
            "sleep 0.2; echo more; sleep 2; exit 6",
            retracted,
            StepEnd::Exited(6),
            6,
        ),
    ];
    side_by_side(rows, |(script, mut observer, end, code)| {
        let mark = Mark::new();
        let mut step = shell(&format!("{} & {script}", mark.sleep()));
        step.limits.grace = Duration::from_secs(5);
        let report = run(&step, &mut observer);
        let leader = Some(LeaderEnd::Exited(code));
        assert_eq!((report.end, report.leader), (end, leader), "{script}");
        assert_eq!(mark.sleepers(), 0, "{script}");
    });
}
