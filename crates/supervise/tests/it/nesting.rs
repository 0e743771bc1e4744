//! Who stands inside a guarded tree, and how deep.

use std::time::Duration;

use fusebox_supervise::Cookie;
use tempfile::TempDir;

use crate::support::{STAGES, have, run_and_collect, shell};

#[test]
fn nobody_in_the_tree_can_hide_from_whom_they_descend() {
    if !have("setsid") {
        return;
    }
    let ask = format!("env -i {STAGES} is-guarded");
    for script in [
        format!("{STAGES} is-guarded"),
        ask.clone(),
        format!("(setsid sh -c 'sleep 0.3; {ask}' &); sleep 0.4; (sleep 30 &)"),
    ] {
        let mut step = shell(&script);
        step.limits.grace = Duration::from_secs(5);
        let (_, output) = run_and_collect(&step);
        assert_eq!(output, "guarded: true\n", "{script}");
    }
}

#[test]
fn the_depth_can_be_raised_but_not_lowered_from_inside() {
    let dir = TempDir::new().unwrap();
    let lock = dir.path().join("run.lock");
    let nested = |script: &str| {
        let cookie = Cookie::random().unwrap();
        format!("{STAGES} supervise {} {cookie} {script}", lock.display())
    };
    for (script, depth) in [
        (format!("{STAGES} depth"), 1),
        (format!("env -i {STAGES} depth"), 1),
        (format!("FUSEBOX_DEPTH=0 {STAGES} depth"), 1),
        (format!("FUSEBOX_DEPTH=nonsense {STAGES} depth"), 1),
        (format!("FUSEBOX_DEPTH=7 {STAGES} depth"), 7),
        (nested(&format!("{STAGES} depth")), 2),
        (nested(&format!("env -i {STAGES} depth")), 2),
        (
            format!("env -i {}", nested(&format!("env -i {STAGES} depth"))),
            2,
        ),
    ] {
        let (_, output) = run_and_collect(&shell(&script));
        let first = output.lines().next();
        assert_eq!(first, Some(format!("depth: {depth}").as_str()), "{script}");
    }
}
