//! The demonstration is the first thing a new user sees.

use std::fs;
use std::time::{Duration, Instant};

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
