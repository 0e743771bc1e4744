//! The demonstration is the first thing a new user sees.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::context::TestContext;

#[test]
fn the_demonstration_shows_everything_and_leaves_nothing() {
    for (args, longest) in [(&["demo"][..], 60), (&["demo", "--fast"], 30)] {
        let context = TestContext::new();
        let started = Instant::now();
        let demo = context.fusebox(args).run().expect(0);
        assert!(started.elapsed() < Duration::from_secs(longest), "{args:?}");
        let shown = format!("{}{}", demo.out(), demo.err());
        for text in [
            "agent: I wrote part_1.rs",
            "WATCHING · No progress for 2 iterations",
            "stopped · the breaker is open",
            "fusebox explain",
            "iteration 5: no file changed",
            "fusebox reset --reason",
            "agent: I wrote part_6.rs",
            "fusebox run -- YOUR COMMAND",
        ] {
            assert!(shown.contains(text), "{text:?} is not in:\n{shown}");
        }
        let left = fs::read_dir(context.path("home")).unwrap().count();
        assert_eq!(left, 0, "something is left in TMPDIR");
        assert!(context.memory().is_empty(), "the user's memory was touched");
        assert_eq!(fs::read_dir(context.work()).unwrap().count(), 0);
    }
}

/// Whoever has seen enough is let go at once, in the middle of a loop and between two acts.
#[test]
fn an_interrupted_demonstration_is_over() {
    for (seen, pause) in [
        ("iteration 1 · CLOSED", 0),
        ("stopped · the breaker is open", 300),
    ] {
        let context = TestContext::new();
        let mut demo = context.fusebox(&["demo"]).start();
        demo.wait_to_say(seen);
        std::thread::sleep(Duration::from_millis(pause));
        demo.signal(Signal::INT);
        let demo = demo.finish().expect(130);
        assert!(
            !demo.out().contains("the agent continues"),
            "{}",
            demo.out()
        );
        let left = fs::read_dir(context.path("home")).unwrap().count();
        assert_eq!(left, 0, "something is left in TMPDIR");
    }
}
