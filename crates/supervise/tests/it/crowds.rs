//! Trees that grow beyond their caps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use fusebox_supervise::{AgentCap, Crowd, StepEnd};
use tempfile::TempDir;

use crate::support::{Mark, have, run_and_collect, shell, side_by_side};

#[test]
fn too_many_processes_are_killed_without_being_asked() {
    side_by_side([(20, true), (60, false)], |(cap, crowded)| {
        let mark = Mark::new();
        let grow = "trap '' TERM; i=0; while [ $i -lt 40 ]; do i=$((i+1)); SLEEP & done; sleep 2";
        let mut step = shell(&grow.replace("SLEEP", &mark.sleep()));
        step.limits.processes = Some(cap);
        // Whoever asked politely would wait for as long.
        step.limits.grace = Duration::from_secs(20);
        let (report, _) = run_and_collect(&step);
        if let StepEnd::TooMany { of, count, cap: 20 } = report.end {
            assert!(crowded && of == Crowd::Processes && count > 20);
            assert!(report.duration < Duration::from_secs(10), "{report:?}");
        } else {
            assert_eq!((report.end, crowded), (StepEnd::Exited(0), false));
        }
        assert_eq!(mark.sleepers(), 0);
    });
}

#[test]
fn too_many_agents_are_asked_to_end() {
    let crowd = StepEnd::TooMany {
        of: Crowd::Agents,
        count: 3,
        cap: 2,
    };
    side_by_side([(3, StepEnd::Exited(4)), (2, crowd)], |(most, end)| {
        let dir = TempDir::new().unwrap();
        let mark = Mark::new();
        let agent = dir.path().join("some-agent");
        fs::write(&agent, format!("#!/bin/sh\n{}\n", mark.sleep())).unwrap();
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let agent = agent.display();
        let script = format!("trap 'exit 5' TERM; {agent} & {agent} & {agent} & sleep 2; exit 4");
        let mut step = shell(&script);
        step.limits.grace = Duration::from_secs(5);
        step.limits.agents = Some(AgentCap {
            programs: vec!["another-agent".into(), "some-agent".into()],
            most,
        });
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, end);
        assert_eq!(mark.sleepers(), 0);
    });
}

#[test]
fn a_tree_full_of_zombies_ends_like_any_other() {
    if !have("perl") {
        return;
    }
    let mut step = shell("exec perl -e 'for (1..300) { exit if !fork } sleep 1000'");
    step.limits.overall = Some(Duration::from_secs(1));
    let (report, _) = run_and_collect(&step);
    assert!(matches!(report.end, StepEnd::TimedOut(_)), "{report:?}");
    assert_eq!((report.killed, report.escaped.len()), (0, 0), "{report:?}");
    // They use up process ids, so for the cap they count.
    step.limits.overall = None;
    step.limits.processes = Some(200);
    let (report, _) = run_and_collect(&step);
    let StepEnd::TooMany { count, .. } = report.end else {
        panic!("{report:?}");
    };
    assert!(count >= 300, "{report:?}");
}
